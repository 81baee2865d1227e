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

/// Programs that run what a file says, with the settings they follow. What other programs are given is the work that they look
/// at: `grep` decides nothing about the file it reads.
const RUNNERS: [(&str, &[&str]); 22] = [
    ("sh", &[]),
    ("bash", &[]),
    ("dash", &[]),
    ("zsh", &[]),
    ("python", &[]),
    ("python3", &[]),
    ("node", &[]),
    ("deno", &["deno.json", "deno.jsonc"]),
    ("bun", &["package.json"]),
    ("ruby", &[]),
    ("perl", &[]),
    ("php", &[]),
    ("lua", &[]),
    ("source", &[]),
    (".", &[]),
    ("make", &["GNUmakefile", "makefile", "Makefile"]),
    ("just", &["justfile", "Justfile"]),
    ("npm", &["package.json"]),
    ("pnpm", &["package.json"]),
    ("yarn", &["package.json"]),
    ("pytest", &["pytest.ini", "conftest.py", "tox.ini", "setup.cfg"]),
    ("cargo", &[".cargo/config.toml"]),
];

/// Programs that run the command behind them.
const IN_FRONT: [&str; 8] = ["env", "timeout", "time", "nice", "nohup", "exec", "command", "!"];

/// Files that say what a command does: the program it starts, what a runner is to run, and the runner's settings as a group.
/// Paths from the root; which of them there are is the host's to see.
pub(super) fn named(argv: &[String], directory: &str) -> Vec<Vec<String>> {
    let mut groups: Vec<Vec<String>> = Vec::new();
    for words in commands(argv) {
        let files =
            words.first().into_iter().filter(|word| word.contains('/')).map(|word| vec![*word]);
        let program = words.first().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
        let runner = RUNNERS.iter().find(|(name, _)| *name == program);
        let given = words.iter().skip(1).find(|word| !word.starts_with('-'));
        let given = given.filter(|_| runner.is_some()).map(|word| vec![*word]);
        let settings = runner.map(|(_, files)| files.to_vec());
        for group in files.chain(given).chain(settings) {
            let group: Vec<String> =
                group.iter().filter_map(|path| inside(directory, path)).collect();
            if !group.is_empty() && !groups.contains(&group) {
                groups.push(group);
            }
        }
    }
    groups.truncate(MOST_HELD);
    groups
}

/// The commands of a command line, each from its program on: itself, and those in an argument that is a line of a shell.
fn commands<'a>(argv: &'a [String]) -> impl Iterator<Item = Vec<&'a str>> {
    let own = argv.iter().map(String::as_str).filter(|word| !word.contains(char::is_whitespace));
    let lines = argv.iter().filter(|word| word.contains(char::is_whitespace));
    let lines = lines.flat_map(|line| line.split([';', '|', '&', '(', ')', '`', '\n', '{', '}']));
    let lines = lines
        .map(|line| line.split([' ', '\t', '"', '\'']).filter(|word| !word.is_empty()).collect());
    let in_front = |word: &&str| {
        word.contains('=')
            || IN_FRONT.contains(word)
            || word.starts_with(|c: char| c.is_ascii_digit())
    };
    let from_program = move |words: Vec<&'a str>| words.into_iter().skip_while(in_front).collect();
    std::iter::once(own.collect()).chain(lines).map(from_program)
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
    fn what_a_command_runs_decides_and_what_it_reads_does_not() {
        let argv = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let named = |words: &[&str], directory| named(&argv(words), directory);
        let alone = |paths: &[&str]| paths.iter().map(|path| argv(&[path])).collect::<Vec<_>>();
        assert_eq!(named(&["sh", "tests/run.sh", "src/a.c"], ""), alone(&["tests/run.sh"]));
        assert_eq!(named(&["./check"], "unit"), alone(&["unit/check"]));
        assert_eq!(named(&["env", "A=1", "timeout", "10", "../check"], "unit"), alone(&["check"]));
        assert_eq!(named(&["../../check", "/etc/passwd"], "unit"), alone(&[]));
        assert_eq!(named(&["grep", "-q", "h1", "page/index.html"], ""), alone(&[]));
        assert_eq!(named(&["test", "-f", "src/a.c"], ""), alone(&[]));
        let shell =
            "[ -e src/a.c ] && bash ci/a.sh | grep 'ok' && ! node --test \"js/a.mjs\"; make test";
        let shell = named(&["sh", "-c", shell], "");
        let make = argv(&["GNUmakefile", "makefile", "Makefile"]);
        let expected = [alone(&["ci/a.sh", "js/a.mjs", "test"]), vec![make]].concat();
        assert_eq!(shell, expected);
    }
}
