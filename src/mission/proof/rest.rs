//! What the end of a mission rests on, criterion by criterion.

use super::{Came, Proof, Tried};
use crate::view::{How, Shown};
use crate::vocab::command::Accept;
use crate::vocab::criterion::{Criterion, CriterionState};
use crate::vocab::shown::CommandLine;

/// The most groups of files that are held for one command.
const MOST_HELD: usize = 50;

/// What a criterion rests on, as its protocol knows it.
pub(crate) struct Showing {
    pub(crate) item: String,
    pub(crate) criterion: String,
    /// Commands that must hold.
    pub(crate) commands: Vec<CommandLine>,
    /// Where they run.
    pub(crate) directory: String,
    /// What it rests on beside them.
    pub(crate) rest: Rest,
}

/// What a mission rests on, as its protocol knows it.
pub(crate) struct Showings {
    /// Criterion by criterion.
    pub(crate) criteria: Vec<Showing>,
    /// What is not committed belongs to the work.
    pub(crate) uncommitted: bool,
}

impl From<Vec<Showing>> for Showings {
    fn from(criteria: Vec<Showing>) -> Showings {
        Showings { criteria, uncommitted: false }
    }
}

/// What a criterion rests on beside commands.
pub(crate) enum Rest {
    /// Nothing.
    Nothing,
    /// What the host saw, in words.
    Seen(String),
    /// What other runs said, in words.
    Judged(String),
    /// What nobody but its own run said, in words.
    Claimed(String),
    /// The user let it go.
    Waived(String),
}

impl Showing {
    /// A criterion without commands.
    pub(crate) fn of_item(item: &str, criterion: &str, rest: Rest) -> Showing {
        let [item, criterion] = [item, criterion].map(str::to_owned);
        let (commands, directory) = Default::default();
        Showing { item, criterion, commands, directory, rest }
    }

    /// Of a protocol that does not say what it rests on: that is not enough.
    pub(crate) fn unsaid() -> Showing {
        Showing::of_item("", "end", Rest::Claimed("the protocol does not say by what".to_owned()))
    }

    /// A command of the mission itself, under a name.
    pub(crate) fn of_mission(name: &str, argv: &[String]) -> Showing {
        let line = CommandLine { argv: argv.to_vec(), ..CommandLine::default() };
        Showing { commands: vec![line], ..Showing::of_item("", name, Rest::Nothing) }
    }
}

/// Criteria of an item that runs claimed and others judged.
pub(crate) fn judged<'a>(
    item: &'a str,
    criteria: &'a [Criterion],
) -> impl Iterator<Item = Showing> + 'a {
    criteria.iter().map(move |one| Showing::of_item(item, &one.id, by_runs(one)))
}

/// What a criterion rests on that no command shows.
pub(crate) fn by_runs(criterion: &Criterion) -> Rest {
    match &criterion.state {
        CriterionState::Verified { verified_by, .. } => {
            let runs: Vec<String> = verified_by.iter().map(ToString::to_string).collect();
            match runs.is_empty() {
                true => Rest::Claimed("recorded as shown before".to_owned()),
                false => Rest::Judged(format!("run {}", runs.join(", "))),
            }
        }
        CriterionState::Waived { by, .. } => Rest::Waived(by.clone()),
        CriterionState::Claimed { by, .. } => Rest::Claimed(format!("run {}", by.run)),
        CriterionState::Open => Rest::Claimed("nobody".to_owned()),
        CriterionState::Rejected { run, .. } => Rest::Claimed(format!("against run {run}")),
    }
}

/// What an end rests on.
pub(crate) fn rests(proof: &Proof, showings: Vec<Showing>) -> Vec<Shown> {
    let shown = |one: Showing| {
        let (how, by) = how(proof, &one);
        let enough = match proof.config.accept {
            Accept::Observed => how >= How::Observed,
            Accept::Judged => how >= How::Judged,
        };
        Shown { item: one.item, criterion: one.criterion, how, by, enough }
    };
    showings.into_iter().map(shown).collect()
}

fn how(proof: &Proof, showing: &Showing) -> (How, String) {
    if let Rest::Waived(by) = &showing.rest {
        return (How::Waived, by.clone());
    }
    let short = showing.commands.iter().find_map(|line| missing(proof, line, &showing.directory));
    if let Some(why) = short {
        return (How::Claimed, why);
    }
    let names: Vec<String> =
        showing.commands.iter().map(crate::mission::expectation::words).collect();
    let commands = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match &showing.rest {
        Rest::Nothing => (How::Observed, format!("{commands} in rooms made from nothing")),
        Rest::Seen(words) => (How::Observed, words.clone()),
        Rest::Judged(words) => (How::Judged, words.clone()),
        Rest::Claimed(words) => (How::Claimed, words.clone()),
        Rest::Waived(by) => (How::Waived, by.clone()),
    }
}

/// Why a command does not show what it is to show, if so.
fn missing(proof: &Proof, line: &CommandLine, directory: &str) -> Option<String> {
    let Some(trial) = &proof.trial else { return Some("nothing was run in a room".to_owned()) };
    let same = |one: &&Tried| one.line == *line && one.directory == directory;
    let name = crate::mission::expectation::words(line);
    match trial.tried.iter().find(same).map(|one| &one.came) {
        Some(Came::Held) => None,
        Some(Came::Changed { paths }) => {
            Some(format!("`{name}` holds only with {} as the work changed it", paths.join(", ")))
        }
        Some(Came::Failed { problem }) => Some(format!("in a room made from nothing, {problem}")),
        Some(Came::Flaky { problem }) => Some(format!("it held once and then not: {problem}")),
        Some(Came::Due | Came::Once) | None => match &trial.problem {
            Some(problem) => Some(format!("no room: {problem}")),
            None => Some(format!("`{name}` was not run in a room")),
        },
    }
}

/// Settings of programs that run what a project says, by the name of the program.
const SETTINGS: [(&str, &[&str]); 7] = [
    ("make", &["GNUmakefile", "makefile", "Makefile"]),
    ("just", &["justfile", "Justfile"]),
    ("npm", &["package.json"]),
    ("pnpm", &["package.json"]),
    ("yarn", &["package.json"]),
    ("pytest", &["pytest.ini", "conftest.py", "tox.ini", "setup.cfg"]),
    ("cargo", &[".cargo/config.toml"]),
];

/// Files that a command names, and those that say what it does in groups: paths from the root. Which of them there are is
/// the host's to see.
pub(super) fn named(argv: &[String], directory: &str) -> Vec<Vec<String>> {
    let ends = |c: char| c.is_whitespace() || "\"'`;&|()<>=$,".contains(c);
    let words = argv.iter().flat_map(|word| word.split(ends)).filter(|word| !word.is_empty());
    let settings = words.clone().filter_map(|word| {
        let program = word.rsplit('/').next()?;
        SETTINGS.iter().find(|(name, _)| *name == program).map(|(_, files)| files.to_vec())
    });
    let own = words.filter(|word| !word.starts_with('-')).map(|word| vec![word]);
    let mut groups: Vec<Vec<String>> = Vec::new();
    for group in own.chain(settings) {
        let group: Vec<String> = group.iter().filter_map(|path| inside(directory, path)).collect();
        if !group.is_empty() && !groups.contains(&group) {
            groups.push(group);
        }
    }
    groups.truncate(MOST_HELD);
    groups
}

/// A path from a directory as one from the root; `None` where it leaves that.
fn inside(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    if path.starts_with('/') {
        return None;
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            ".git" => return None,
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_decide_are_found_in_commands() {
        let argv = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let named = |words: &[&str], directory| named(&argv(words), directory);
        let alone = |paths: &[&str]| paths.iter().map(|path| argv(&[path])).collect::<Vec<_>>();
        assert_eq!(named(&["sh", "tests/run.sh"], ""), alone(&["sh", "tests/run.sh"]));
        assert_eq!(named(&["./check"], "unit"), alone(&["unit/check"]));
        assert_eq!(named(&["../check"], "unit"), alone(&["check"]));
        assert_eq!(named(&["../../check", "/etc/passwd", ".git/x"], "unit"), alone(&[]));
        let shell = named(&["sh", "-c", "bash ci/a.sh && make -f b.mk test"], "");
        for group in [&["ci/a.sh"][..], &["b.mk"], &["GNUmakefile", "makefile", "Makefile"]] {
            assert!(shell.contains(&argv(group)), "{group:?} in {shell:?}");
        }
    }
}
