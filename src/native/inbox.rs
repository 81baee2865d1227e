//! Commands, answers and reports from other processes.
//!
//! A file `.agent/endstate/inbox/<id>.json` with `{"id":…,"fact":…}`, or `{"id":…,"report":…}` of a
//! [hosted](super::hosted) run, comes into being by a rename, so it is there whole or not at all. The driver takes the files
//! in the order of their names and removes each after its event is journaled. A crash between the two is harmless: a command
//! is taken once per id, and an answer or a report that is the last line of the journal is known to be taken.
//! What cannot be read or is refused goes to `inbox/refused/`, with a `.why` beside it.

use super::durable;
use super::error::{HostError, HostResult};
use super::hosted::HostedReport;
use super::regular;
use crate::mission::proof;
use crate::vocab::command::Command;
use crate::vocab::error::{Code, Error};
use crate::vocab::event::Fact;
use crate::vocab::json::{self, Readable, Serialize};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The longest file that is read, in bytes.
const MOST_BYTES: u64 = 4 * 1024 * 1024;
/// How many files one look takes, so that a flood cannot keep the driver from its work.
const MOST_FILES: usize = 64;

/// A letter to the driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable)]
#[serde(try_from = "Wire", into = "Wire")]
pub struct Letter {
    /// An id that no other letter has: letters, digits, `-`, `_` and `.`.
    pub id: String,
    /// What it says.
    pub says: Says,
}

/// What a letter says.
// One is in memory at a time.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// `user_commanded` or `question_answered`.
    Fact(Fact),
    /// The report of a hosted run.
    Report(HostedReport),
}

impl From<Fact> for Says {
    fn from(fact: Fact) -> Says {
        Says::Fact(fact)
    }
}

/// A letter as it stands in its file.
#[derive(Serialize, Readable)]
#[serde(deny_unknown_fields)]
struct Wire {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fact: Option<Fact>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    report: Option<HostedReport>,
}

impl TryFrom<Wire> for Letter {
    type Error = &'static str;

    fn try_from(wire: Wire) -> Result<Letter, Self::Error> {
        let says = match (wire.fact, wire.report) {
            (Some(fact), None) => Says::Fact(fact),
            (None, Some(report)) => Says::Report(report),
            _ => return Err("a letter has either a fact or a report"),
        };
        Ok(Letter { id: wire.id, says })
    }
}

impl From<Letter> for Wire {
    fn from(letter: Letter) -> Wire {
        let (fact, report) = match letter.says {
            Says::Fact(fact) => (Some(fact), None),
            Says::Report(report) => (None, Some(report)),
        };
        Wire { id: letter.id, fact, report }
    }
}

/// The inbox of a mission.
#[derive(Clone, Debug)]
pub struct Inbox {
    directory: PathBuf,
}

impl Inbox {
    /// The inbox in the engine's directory `.agent/endstate`.
    pub fn of(engine_directory: &Path) -> Inbox {
        Inbox { directory: engine_directory.join("inbox") }
    }

    /// Leaves a letter for the driver.
    ///
    /// # Errors
    /// `usage` for an id that is no file name, `mission_exists`-like io errors for one that is there
    /// already, or what the system says.
    pub fn send(&self, letter: &Letter) -> HostResult<()> {
        check_id(&letter.id)?;
        let path = self.directory.join(format!("{}.json", letter.id));
        if path.exists() {
            let error = std::io::ErrorKind::AlreadyExists.into();
            return Err(HostError::io("create", path, error));
        }
        let text = json::encode(letter);
        let sent = durable::replace(&path, &self.directory, text.as_bytes(), false);
        sent.map_err(|error| HostError::io("write", path, error))
    }

    /// The files that wait, by name.
    ///
    /// # Errors
    /// What the system says; a missing inbox is empty.
    pub fn waiting(&self) -> HostResult<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(HostError::io("read", &self.directory, error)),
        };
        let mut files: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.ends_with(".json") && !name.starts_with('.')
            })
            .collect();
        files.sort();
        files.truncate(MOST_FILES);
        Ok(files)
    }

    /// Reads one file. A command without an id of its own is given the letter's.
    ///
    /// # Errors
    /// `malformed` with the fault, `wrong_answer` for a fact that is not the user's to state.
    pub fn read(&self, path: &Path) -> HostResult<Letter> {
        let place = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = read_short(path)?;
        let mut letter: Letter =
            json::utf8(&text).and_then(json::decode).map_err(|error| error.within(&place))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if letter.id != stem {
            let at = format!("{place}.id");
            return Err(Error::new(Code::InvalidValue, at, stem, &letter.id).into());
        }
        match &mut letter.says {
            // Whoever works could write it: what is enough is not lowered while there is work.
            Says::Fact(Fact::UserCommanded(fact))
                if matches!(fact.command, Command::Accept { .. }) =>
            {
                let expected = "what is enough to be said before the work or after its end";
                let at = format!("{place}.fact");
                return Err(Error::new(Code::WrongAnswer, at, expected, "accept").into());
            }
            Says::Fact(Fact::QuestionAnswered(fact)) if proof::accepts_judges(&fact.answer) => {
                let expected = "a judge's word to be accepted while nobody drives the mission";
                let at = format!("{place}.fact");
                return Err(Error::new(Code::WrongAnswer, at, expected, "an answer for it").into());
            }
            Says::Fact(Fact::UserCommanded(fact)) => {
                fact.id.get_or_insert_with(|| letter.id.clone());
            }
            Says::Fact(Fact::QuestionAnswered(_)) | Says::Report(_) => {}
            Says::Fact(other) => {
                let expected = "user_commanded or question_answered";
                let at = format!("{place}.fact");
                return Err(Error::new(Code::WrongAnswer, at, expected, other.name()).into());
            }
        }
        Ok(letter)
    }

    /// Removes a letter whose event is journaled.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove(&self, path: &Path) -> HostResult<()> {
        durable::remove(path).map_err(|error| HostError::io("remove", path, error))
    }

    /// Puts a letter that is not taken out of the way, with the reason beside it.
    ///
    /// # Errors
    /// What the system says.
    pub fn refuse(&self, path: &Path, why: &HostError) -> HostResult<()> {
        let refused = self.directory.join("refused");
        let name = path.file_name().unwrap_or_default();
        let mut note = name.to_owned();
        note.push(".why");
        let moved = fs::create_dir_all(&refused)
            .and_then(|()| fs::write(refused.join(note), format!("{why}\n")))
            .and_then(|()| fs::rename(path, refused.join(name)))
            .and_then(|()| durable::sync_dir(&self.directory));
        moved.map_err(|error| HostError::io("move", path, error))
    }
}

fn read_short(path: &Path) -> HostResult<Vec<u8>> {
    let fail = |error| HostError::io("read", path, error);
    let kind = fs::symlink_metadata(path).map_err(fail)?;
    if !kind.is_file() {
        let at = path.display().to_string();
        return Err(Error::new(Code::InvalidValue, at, "a file", "something else").into());
    }
    let mut bytes = Vec::new();
    let file = regular::open(path).map_err(fail)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MOST_BYTES {
        let (at, expected) = (path.display().to_string(), format!("at most {MOST_BYTES} bytes"));
        return Err(Error::new(Code::TooLarge, at, expected, "more").into());
    }
    Ok(bytes)
}

fn check_id(id: &str) -> HostResult<()> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if !id.is_empty() && id.len() <= 128 && !id.starts_with('.') && id.bytes().all(plain) {
        return Ok(());
    }
    let expected = "letters, digits, `-`, `_` and `.`".to_owned();
    Err(HostError::Usage { at: "id".to_owned(), expected, got: id.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::command::Command;
    use crate::vocab::event::UserCommanded;

    fn letter(id: &str) -> Letter {
        let fact = Fact::UserCommanded(UserCommanded { id: None, command: Command::Pause });
        Letter { id: id.to_owned(), says: fact.into() }
    }

    #[test]
    fn letters_arrive_in_order_and_bad_ones_are_put_aside() {
        let dir = tempfile::tempdir().unwrap();
        let inbox = Inbox::of(dir.path());
        assert!(inbox.waiting().unwrap().is_empty());
        inbox.send(&letter("b")).unwrap();
        inbox.send(&letter("a")).unwrap();
        assert!(inbox.send(&letter("a")).is_err());
        assert!(inbox.send(&letter("../a")).is_err());
        fs::write(dir.path().join("inbox/c.json"), b"\xff{").unwrap();
        let files = inbox.waiting().unwrap();
        assert_eq!(files.len(), 3);
        let Says::Fact(Fact::UserCommanded(taken)) = inbox.read(&files[0]).unwrap().says else {
            panic!("another fact")
        };
        assert_eq!(taken.id.as_deref(), Some("a"));
        let why = inbox.read(&files[2]).unwrap_err();
        assert_eq!(why.code(), "not_utf8");
        inbox.refuse(&files[2], &why).unwrap();
        inbox.remove(&files[0]).unwrap();
        assert_eq!(inbox.waiting().unwrap(), vec![files[1].clone()]);
        let note = fs::read_to_string(dir.path().join("inbox/refused/c.json.why")).unwrap();
        assert!(note.contains("not_utf8"), "{note}");
    }
}
