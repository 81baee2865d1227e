//! Certificates: what the end of a mission rests on, signed by its user, and verified by others.

use super::Place;
use super::exit::{Exit, Fault};
use endstate::native::certificate::{self, Predicate};
use endstate::native::{HostError, durable, redact::printable, regular, store::Places};
use serde_json::json;
use std::path::{Path, PathBuf};

/// See the help.
#[derive(Debug, clap::Args)]
pub(crate) struct Certify {
    /// The private key, as PEM [default: endstate/key.pem in the user's configuration]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Make that key first, and its public half beside it (`.pub`).
    #[arg(long)]
    new_key: bool,
    /// Where to write to; `-` for standard output.
    #[arg(long, value_name = "FILE", default_value = "done.intoto.jsonl")]
    out: PathBuf,
}

/// See the help.
#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    /// The certificate.
    file: PathBuf,
    /// The public key of who signed, as PEM [default: endstate/key.pem.pub in the user's configuration]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Run the deciding commands again, in rooms made from nothing.
    #[arg(long)]
    rerun: bool,
}

/// A key that was named, or the user's own.
fn key(directory: &Path, named: Option<&PathBuf>, own: &str) -> Result<PathBuf, Fault> {
    if let Some(named) = named {
        return Ok(directory.join(named));
    }
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".config"));
    let folder = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).or_else(home);
    let folder = folder.filter(|folder| folder.is_absolute());
    let none = || Fault::usage("--key", "a key, or HOME to be set", "neither");
    folder.map(|folder| folder.join("endstate").join(own)).ok_or_else(none)
}

/// Writes a certificate.
pub(crate) fn certify(place: &Place, directory: &Path, options: &Certify) -> Result<Exit, Fault> {
    let key = key(directory, options.key.as_ref(), "key.pem")?;
    if options.new_key {
        certificate::new_key(&key)?;
        place.out.say(format!("a key was made: {} (public: {0}.pub)", key.display()));
    }
    let text = certificate::certify(&place.root, &key)?;
    if options.out == Path::new("-") {
        print!("{text}");
        return Ok(Exit::Done);
    }
    let out = directory.join(&options.out);
    let staging = Places::of(&place.root).staging;
    durable::replace(&out, &staging, text.as_bytes(), false)
        .map_err(|error| HostError::io("write", &out, error))?;
    place.out.say(format!("certified: {}", out.display()));
    place.out.object(&json!({"result": "certify", "file": out, "key": key}));
    Ok(Exit::Done)
}

/// Verifies one. The status is that of the end it certifies.
pub(crate) fn verify(place: &Place, directory: &Path, options: &Verify) -> Result<Exit, Fault> {
    let key = key(directory, options.key.as_ref(), "key.pem.pub")?;
    let file = directory.join(&options.file);
    let text = regular::open(&file).and_then(std::io::read_to_string);
    let text = text.map_err(|error| HostError::io("read", &file, error))?;
    let statement = certificate::verify(&place.root, &text, &key)?;
    let ran = options.rerun.then(|| certificate::rerun(&place.root, &statement)).transpose()?;
    let Predicate { mission, criteria, commands, agents, .. } = &statement.predicate;
    let enough = criteria.iter().filter(|one| one.enough).count();
    place.out.say(format!(
        "the certificate holds: {} at {}",
        printable(mission),
        statement.commit()
    ));
    place.out.say(format!(
        "{enough} of {} criteria are shown as its user wanted; agents: {agents}",
        criteria.len()
    ));
    let ran = match ran {
        Some(ran) => format!("deciding commands run again: {ran}, and all came to the same"),
        None => {
            format!(
                "deciding commands run in rooms then: {}; --rerun runs them again",
                commands.len()
            )
        }
    };
    place.out.say(ran);
    place.out.object(&json!({"result": "verify", "statement": statement, "rerun": options.rerun}));
    Ok(if enough == criteria.len() { Exit::Done } else { Exit::Unproven })
}
