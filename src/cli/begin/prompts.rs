//! What a repository tells the roles: the files of `.agent/prompts`, each named for its role.

use super::{Place, read};
use crate::cli::exit::Fault;
use endstate::native::HostError;
use endstate::native::archive::PROMPTS;
use endstate::protocols::ProtocolConfig;
use endstate::vocab::error::{Code, Error};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;

/// Adds them to the config, and says so: whoever cloned a repository should know of them.
pub(crate) fn tell_roles(place: &Place, mission: &mut ProtocolConfig) -> Result<(), Fault> {
    let mut texts = BTreeMap::new();
    for role in named(place, mission.name())? {
        let path = format!("{PROMPTS}/{role}.md");
        place.out.say(format!("note: {path} is part of what {role} is told"));
        place
            .out
            .object(&json!({"note": {"path": path, "text": "part of what this role is told"}}));
        texts.insert(role, read(&place.root, &path)?);
    }
    Ok(mission.tell_roles(&texts).map_err(|error| error.within(PROMPTS))?)
}

/// The roles of a protocol that have a file. A link is refused: what it leads to is no part of the repository.
fn named(place: &Place, protocol: &str) -> Result<Vec<String>, Fault> {
    let directory = place.root.join(PROMPTS);
    let fail = |error| HostError::io("read", &directory, error);
    let entries = match fs::symlink_metadata(&directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(fail(error).into()),
        Ok(kind) if !kind.is_dir() => return Err(no_file(PROMPTS, "a directory")),
        Ok(_) => fs::read_dir(&directory).map_err(fail)?,
    };
    let mut roles = Vec::new();
    for entry in entries {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let of_protocol = |role: &&str| role.starts_with(&format!("{protocol}-"));
        let Some(role) = name.strip_suffix(".md").filter(of_protocol) else { continue };
        if !entry.file_type().map_err(fail)?.is_file() {
            return Err(no_file(&format!("{PROMPTS}/{name}"), "a file"));
        }
        roles.push(role.to_owned());
    }
    roles.sort_unstable();
    Ok(roles)
}

fn no_file(path: &str, expected: &str) -> Fault {
    Error::new(Code::FileMissing, path, expected, "something else, or a link").into()
}
