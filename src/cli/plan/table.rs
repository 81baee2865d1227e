//! All plans of a folder in a table.

use super::{Exit, Fault, Open, Place, read};
use endstate::native::error::HostError;
use endstate::native::plans;
use endstate::native::redact::printable;
use endstate::plan::model::Status;
use endstate::vocab::error::{Code, Error};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// The most documents that are read.
const MOST_FILES: usize = 10_000;
/// The deepest folder that is looked into.
const DEEPEST: usize = 32;

/// Reads every Markdown document in a folder and below it: one row each, but for documents of no family.
pub(super) fn table(place: &Place, folder: &Path) -> Result<Exit, Fault> {
    let mut files = Vec::new();
    documents(folder, DEEPEST, &mut files)?;
    files.sort();
    place.out.say(format!("{:<72} {:<12} {:>7}  {}", "file", "family", "sprints", "remarks"));
    let (mut plans, mut others, mut faulty, mut unread) = (0, 0, 0, 0);
    for path in &files {
        let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
        match plans::read(path).map_err(Fault::from).and_then(read) {
            Ok(open) => {
                plans += 1;
                faulty += usize::from(row(place, &name, &open));
            }
            Err(fault) if fault.code == Code::UnknownFamily.as_str() => {
                others += 1;
                place.out.object(&json!({"file": name, "found": 0}));
            }
            Err(fault) => {
                unread += 1;
                let words = printable(&format!("{}: {}", fault.code, fault.got));
                place.out.say(format!("{:<72} {words}", shortened(&name)));
                place.out.object(&json!({"file": name, "unread": fault.code}));
            }
        }
    }
    place.out.say(format!(
        "{plans} plans, {faulty} with faults; {others} documents of no family, {unread} that cannot be read"
    ));
    place.out.object(&json!({
        "result": "table", "plans": plans, "faulty": faulty, "others": others, "unread": unread,
    }));
    Ok(Exit::Done)
}

/// One plan; whether it has faults.
fn row(place: &Place, name: &str, open: &Open) -> bool {
    let plan = &open.read.plan;
    let all = plan.sprints().count();
    let deferred = plan.sprints().filter(|(_, one)| one.status == Status::Deferred).count();
    let [faults, warnings, notes] = open.counts();
    let put_off = if deferred > 0 { format!(" ({deferred} deferred)") } else { String::new() };
    let family = open.family.as_str();
    place.out.say(format!(
        "{:<72} {family:<12} {all:>7}  {faults} faults, {warnings} warnings, {notes} notes{put_off}",
        shortened(name),
    ));
    place.out.object(&json!({
        "file": name, "family": family, "found": all, "deferred": deferred, "units": plan.units.len(), "faults": faults,
        "warnings": warnings, "notes": notes,
    }));
    faults > 0
}

/// The end of a path tells more than its beginning.
fn shortened(name: &str) -> String {
    let name = printable(name);
    let letters: Vec<char> = name.chars().collect();
    match letters.len() > 72 {
        true => format!("…{}", letters[letters.len() - 71..].iter().collect::<String>()),
        false => name.to_string(),
    }
}

/// Markdown documents below a folder. Hidden folders and links to folders are not followed.
fn documents(folder: &Path, deeper: usize, found: &mut Vec<PathBuf>) -> Result<(), Fault> {
    let entries = fs::read_dir(folder).map_err(|error| HostError::io("read", folder, error))?;
    for entry in entries {
        let entry = entry.map_err(|error| HostError::io("read", folder, error))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(|error| HostError::io("read", &path, error))?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if kind.is_dir() && !hidden && deeper > 0 {
            documents(&path, deeper - 1, found)?;
        } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
        if found.len() > MOST_FILES {
            let expected = format!("at most {MOST_FILES} documents");
            let at = folder.display().to_string();
            return Err(HostError::Core(Error::new(Code::TooLarge, at, expected, "more")).into());
        }
    }
    Ok(())
}
