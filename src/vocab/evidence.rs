//! Evidence: typed, and three-valued. Prose alone shows nothing.

use super::exit_status::says_nothing;
use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;

/// What is known about a criterion. There is no quiet fourth value and no default to the good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// Shown to hold.
    Holds,
    /// Shown not to hold.
    DoesNotHold,
    /// Not shown: absent, skipped, timed out, unreadable, or prose alone.
    NotShown,
}

/// One piece of typed evidence. A flat shape, because agents write it by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Evidence {
    /// A test that passes, by its id.
    Test {
        /// Id as its runner names it, e.g. `tests/test_auth.py::test_refresh`.
        id: String,
    },
    /// A command and the status it exited with.
    Command {
        /// The command as it was run.
        command: String,
        /// Its exit status; anything but 0 shows that the criterion does not hold.
        exit_status: i32,
    },
    /// A place in a file of the repository.
    File {
        /// Path from the root of the repository.
        path: String,
        /// Line, from 1.
        line: u32,
    },
    /// Seen by hand: what was done and what was seen.
    Manual {
        /// Steps and outcome.
        note: String,
    },
}

impl Evidence {
    /// What this piece shows on its own. Files that git or the engine keep, or outside the repository, and
    /// empty notes show nothing.
    pub fn finding(&self) -> Finding {
        let worded = |text: &str| match text.trim().is_empty() {
            true => Finding::NotShown,
            false => Finding::Holds,
        };
        match self {
            Evidence::Test { id } => match id.split("::").next().unwrap_or_default() {
                head if head.contains('/') && !stays_inside(head) => Finding::NotShown,
                _ => worded(id),
            },
            // Of a command that cannot fail, or of a part only, the status says nothing.
            Evidence::Command { command, exit_status: 0 } => match says_nothing(command) {
                true => Finding::NotShown,
                false => Finding::Holds,
            },
            Evidence::Command { .. } => Finding::DoesNotHold,
            Evidence::File { path, line } => match *line == 0 || !stays_inside(path) {
                true => Finding::NotShown,
                false => worded(path),
            },
            Evidence::Manual { note } => worded(note),
        }
    }

    /// The file of the repository that this piece rests on: the one it names, or the one its test is in. What it shows
    /// was shown with that file as it was.
    pub fn path(&self) -> Option<&str> {
        match self {
            Evidence::File { path, .. } => Some(path.as_str()).filter(|path| stays_inside(path)),
            Evidence::Test { id } => id.split("::").next().filter(|head| in_repository(head)),
            Evidence::Command { .. } | Evidence::Manual { .. } => None,
        }
    }

    /// One line for files and people.
    pub fn line(&self) -> String {
        match self {
            Evidence::Test { id } => format!("test {id}"),
            Evidence::Command { command, exit_status } => {
                format!("command `{command}` exited {exit_status}")
            }
            Evidence::File { path, line } => format!("{path}:{line}"),
            Evidence::Manual { note } => format!("manual: {note}"),
        }
    }
}

/// Whether such a line names a place in a file.
pub(crate) fn is_place(line: &str) -> bool {
    let other = ["test ", "command `", "manual: "].iter().any(|kind| line.starts_with(kind));
    !other && line.rsplit_once(':').is_some_and(|(_, number)| number.parse::<u32>().is_ok())
}

/// What a list of evidence shows together: one piece against decides, else one piece for.
pub fn weigh(evidence: &[Evidence]) -> Finding {
    let findings = || evidence.iter().map(Evidence::finding);
    if findings().any(|finding| finding == Finding::DoesNotHold) {
        Finding::DoesNotHold
    } else if findings().any(|finding| finding == Finding::Holds) {
        Finding::Holds
    } else {
        Finding::NotShown
    }
}

/// Whether a repository path lies in the state directory, spelled any way that stays relative.
pub fn in_state_directory(path: &str) -> bool {
    path.split('/').find(|part| !part.is_empty() && *part != ".") == Some(".agent")
}

/// The typed evidence that prose cites: tests, places in files, commands with their exit status, and
/// what was tried by hand. What is not of one of these shapes shows nothing, however it is worded.
pub fn cited(text: &str) -> Vec<Evidence> {
    let mut once: Vec<Evidence> = Vec::new();
    for one in by_hand(text).into_iter().chain(commands(text)).chain(tokens(text)) {
        if once.len() == MOST_CITED {
            break;
        }
        if !once.contains(&one) {
            once.push(one);
        }
    }
    once
}

/// The most pieces that one text is taken to cite; commands and what was seen by hand come first.
const MOST_CITED: usize = 64;

fn tokens(text: &str) -> impl Iterator<Item = Evidence> {
    let mut words = text.split(|c: char| c.is_whitespace() || c == ',' || c == ';').peekable();
    let next = move || {
        let edge = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '/');
        let word = words.next()?.trim_matches(edge);
        // A test that is said to fail proves nothing.
        let fails = words.peek().is_some_and(|next| says_failure(next));
        Some(test(word).filter(|_| !fails).or_else(|| place(word)))
    };
    std::iter::from_fn(next).flatten()
}

/// `Manual test: …`, where the whole text is about it.
fn by_hand(text: &str) -> Option<Evidence> {
    let text = text.trim();
    let rest = ["manual test:", "manual:"].iter().find_map(|start| {
        let head = text.get(..start.len())?;
        head.eq_ignore_ascii_case(start).then(|| text[start.len()..].trim())
    })?;
    (!rest.is_empty()).then(|| Evidence::Manual { note: rest.to_owned() })
}

/// `` `command` exited 0 ``.
fn commands(text: &str) -> impl Iterator<Item = Evidence> {
    // Between a pair of ticks lies a command; a last tick without another opens nothing.
    let mut parts = text.split('`').skip(1);
    let next = move || {
        let (command, behind) = (parts.next()?.trim(), parts.next()?);
        let exit_status = exit_status(behind).filter(|_| !command.is_empty());
        let typed = |exit_status| Evidence::Command { command: command.to_owned(), exit_status };
        Some(exit_status.map(typed))
    };
    std::iter::from_fn(next).flatten()
}

/// The status that the words right behind a command name: `exit 0`, `exited with status 1`.
fn exit_status(text: &str) -> Option<i32> {
    let mut words = text.split_whitespace().map(|word| {
        word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '-').to_ascii_lowercase()
    });
    let mut next = || words.by_ref().find(|word| !matches!(word.as_str(), "" | "-" | "->"));
    if !matches!(next()?.as_str(), "exit" | "exits" | "exited") {
        return None;
    }
    let mut word = next()?;
    while matches!(word.as_str(), "with" | "status" | "code") {
        word = next()?;
    }
    word.parse().ok()
}

fn says_failure(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    ["fail", "error", "skip", "missing"].iter().any(|start| word.starts_with(start))
}

/// `tests/test_a.py::test_b`, `tests::name`, or a bare `test_name`.
fn test(word: &str) -> Option<Evidence> {
    let word = word.trim_end_matches(['.', '/']).trim_end_matches("()");
    // The parameters of a case are no part of the name of its test.
    let id = word.split('[').next().unwrap_or_default();
    let name =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_test = match id.split_once("::") {
        None => id.len() > 5 && id.starts_with("test_") && name(id),
        Some((head, rest)) => {
            let of_test = |part: &str| part == "tests" || part.to_lowercase().starts_with("test");
            let parts = || rest.split("::");
            let named = parts().all(name);
            let module = || name(head) && (of_test(head) || parts().any(of_test));
            named && (in_repository(head) || module())
        }
    };
    is_test.then(|| Evidence::Test { id: id.to_owned() })
}

/// `src/auth.py:45`; of a range, its first line.
fn place(word: &str) -> Option<Evidence> {
    let (path, rest) = word.split_once(':')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, tail) = rest.split_at(digits);
    let line = number.parse().ok().filter(|line| *line > 0)?;
    let ends = tail.is_empty() || tail.starts_with([':', '-', '.', ')']);
    // A host and its port.
    let host = [".com", ".org", ".net"].iter().any(|end| path.ends_with(end));
    (ends && !host && in_repository(path)).then(|| Evidence::File { path: path.to_owned(), line })
}

/// Folders of git and of the engine: what lies there shows nothing about the work.
const NO_WORK: [&str; 3] = [".agent", ".git", ".grid"];

/// Whether a repository path lies where git or the engine keeps its own: in any folder, and in capitals, too, since
/// there are disks to which that is the same.
pub fn is_no_work(path: &str) -> bool {
    let kept = |part: &str| NO_WORK.iter().any(|one| one.eq_ignore_ascii_case(part));
    path.split(['/', '\\']).any(kept)
}

/// Whether a path stays within the repository and outside what git and the engine keep.
pub fn stays_inside(path: &str) -> bool {
    let absolute = path.starts_with(['/', '\\']) || path.get(1..2) == Some(":");
    !absolute && path.split(['/', '\\']).all(|part| part != "..") && !is_no_work(path)
}

/// A path in one spelling.
pub fn normal(path: &str) -> String {
    let path = path.trim().replace('\\', "/");
    let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    let joined = parts.collect::<Vec<_>>().join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}

/// Whether this is the path of a file with an extension that stays within the repository and outside
/// the state directory.
pub fn in_repository(path: &str) -> bool {
    let (stem, extension) = path.rsplit_once('.').unwrap_or_default();
    let spelled = |c: char| c.is_alphanumeric() || "_-./@+".contains(c);
    let named = (1..=8).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    !stem.is_empty()
        && named
        && path.chars().all(spelled)
        && !path.contains("//")
        && stays_inside(path)
}

#[cfg(test)]
#[path = "evidence_tests.rs"]
mod tests;
