//! What a search comes to: by its status, by what it prints.

use super::shell::{is_single, last};

/// Programs that search, with what they are called by.
fn search_words(command: &str) -> Option<(Vec<String>, bool)> {
    let (words, fed) = last(command)?;
    Some((searched(&words)?.to_vec(), fed))
}

/// The words behind the name of a program that searches.
pub(super) fn searched(words: &[String]) -> Option<&[String]> {
    let first = words.first()?.as_str();
    let skip = match first {
        "grep" | "egrep" | "fgrep" | "rg" => 1,
        "git" if words.get(1).is_some_and(|word| word == "grep") => 2,
        _ => return None,
    };
    words.get(skip..)
}

/// Whether what a line comes to is what a search comes to.
pub(super) fn is_search(command: &str) -> bool {
    search_words(command).is_some()
}

/// A search by itself: 1 is its status where nothing is found, and only there. One that is fed has that status as well
/// where there was nothing to feed it with.
pub(super) fn searches(command: &str) -> bool {
    let certain = is_single(command) && !command.contains("$(") && !command.contains('`');
    certain && is_search(command) && !lists_unmatched(command)
}

/// Whether all that a command prints is one number: `… | wc -l`, `grep -c` in one file.
pub(super) fn is_counting(command: &str) -> bool {
    let Some((words, fed)) = last(command) else { return false };
    if words.first().is_some_and(|word| word == "wc") {
        return fed || words.iter().any(|word| word.starts_with('<'));
    }
    let Some((words, fed)) = search_words(command) else { return false };
    let flag = |letter: char| {
        words
            .iter()
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    let count = flag('c') || words.iter().any(|word| word == "--count");
    let files = words.iter().filter(|word| !word.starts_with('-')).count();
    count
        && !flag('r')
        && !flag('R')
        && files == if fed { 1 } else { 2 }
        && !words.iter().any(|word| word.contains('*') && word.contains('/'))
}

/// Whether the last command of a line lists what does not match: whether that is a success is told otherwise by each
/// version of `grep`.
pub(super) fn lists_unmatched(command: &str) -> bool {
    last(command).is_some_and(|(words, _)| is_unmatched(&words))
}

/// The same of one program with its words.
pub(super) fn is_unmatched(words: &[String]) -> bool {
    let Some((first, operands)) = words.split_first() else { return false };
    let name = first.rsplit('/').next().unwrap_or_default();
    let short = match name {
        "grep" | "egrep" | "fgrep" | "zgrep" | "ag" | "ack" | "ugrep" => true,
        "git" => operands.iter().any(|word| word == "grep"),
        // There it follows links.
        "rg" => false,
        _ => return false,
    };
    let options = operands.iter().take_while(|word| *word != "--");
    let mut options = options.filter(|word| word.starts_with('-'));
    options.any(|word| match word.strip_prefix("--") {
        Some(long) => long.len() >= 9 && "files-without-match".starts_with(long),
        // What stands behind these is theirs.
        None => short && word.chars().take_while(|c| !"efmABCdD".contains(*c)).any(|c| c == 'L'),
    })
}

/// Programs that fail where they have nothing to show.
const FAILING: [&str; 22] = [
    "ls",
    "dir",
    "pgrep",
    "pidof",
    "lsof",
    "fuser",
    "which",
    "type",
    "command",
    "hash",
    "printenv",
    "getent",
    "locate",
    "expr",
    "ag",
    "ack",
    "zgrep",
    "bzgrep",
    "pcregrep",
    "pcre2grep",
    "ugrep",
    "stat",
];
/// The same of what `git` is asked for.
const FAILING_IN_GIT: [&str; 4] = ["check-ignore", "config", "show-ref", "merge-base"];

/// Whether a command that has nothing to show fails: its silence never goes with a success.
pub(super) fn fails_for_nothing(command: &str) -> bool {
    let Some((words, _)) = last(command) else { return false };
    let mut words = words.iter().map(String::as_str).peekable();
    let first = words.next().unwrap_or_default();
    let name = first.rsplit('/').next().unwrap_or_default();
    let git = name == "git" && words.peek().is_some_and(|word| FAILING_IN_GIT.contains(word));
    git || FAILING.contains(&name)
        || words.any(|word| matches!(word, "--error-unmatch" | "--exit-status"))
}
