//! What can be told of a command line by looking at it: is it whole, does it search, count or only tell?

use super::marks::{Mark, marks};
use super::program::is_ready;
use super::search::searched;

/// The words of a command with what quotes hold together; `None` if a quote stays open.
fn shell_words(command: &str) -> Option<Vec<String>> {
    if !command.contains(['\\', '\'', '"']) {
        return Some(command.split_whitespace().map(str::to_owned).collect());
    }
    let mut words = vec![];
    let (mut word, mut quote, mut any) = (String::new(), None, false);
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => {
                word.push(letters.next()?);
                any = true;
            }
            (mark, Some(open)) if mark == open => quote = None,
            ('\'' | '"', None) => (quote, any) = (Some(letter), true),
            (space, None) if space.is_whitespace() => {
                if any {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            _ => {
                word.push(letter);
                any = true;
            }
        }
    }
    if any {
        words.push(word);
    }
    quote.is_none().then_some(words)
}

/// Whether a line opens a quotation that it does not close.
pub(in crate::plan) fn is_open(line: &str) -> bool {
    shell_words(line).is_none()
}

/// Words that stand before a command and are none.
const BEFORE: [&str; 16] = [
    "{", "!", "if", "then", "else", "elif", "do", "while", "until", "time", "nohup", "env", "exec",
    "command", "builtin", "eval",
];

/// Whether a line of several commands, or one with words of the shell around it, holds a command: its first word, and
/// whether others follow.
pub(in crate::plan) fn any_command(line: &str, is_command: fn(&str, bool) -> bool) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let may = line.contains([';', '|', '&', '(', '\n']) || BEFORE.contains(&first);
    let Some(all) = may.then(|| marks(line)).flatten() else { return false };
    all.split(|mark| matches!(mark, Mark::Between(_))).any(|command| {
        let words = command.iter().filter_map(|mark| match mark {
            Mark::Word(word) => Some(word.as_str()),
            Mark::Between(_) => None,
        });
        let mut words = words.skip_while(|word| BEFORE.contains(word));
        let Some(first) = words.next() else { return false };
        // What is taken from another command, or handed over as a line, has its words in one.
        let inner = |word: &str| {
            let line = word.split_once("$(").map_or(word, |(_, line)| line).trim_end_matches(')');
            let mut words = line.split_whitespace();
            words.next().is_some_and(|first| is_command(first, words.next().is_some()))
        };
        let handed = command.first() == Some(&Mark::Word("eval".to_owned()));
        let more = words.clone().next().is_some();
        is_command(first, more)
            || handed && inner(first)
            || words.chain([first]).any(|word| word.contains("$(") && inner(word))
    })
}

/// The last command of a line, and whether it reads what another prints.
pub(super) fn last(command: &str) -> Option<(Vec<String>, bool)> {
    let mut words: Vec<String> = Vec::new();
    let (mut fed, mut over) = (false, None);
    for mark in marks(command)? {
        match mark {
            Mark::Between("(" | ")") => {}
            Mark::Between(mark) => over = Some(mark),
            Mark::Word(word) => {
                if let Some(mark) = over.take() {
                    (words, fed) = (Vec::new(), mark == "|");
                }
                words.push(word);
            }
        }
    }
    let setting = |word: &&String| word.contains('=') && !word.starts_with('-');
    let settings = words.iter().take_while(setting).count();
    words.drain(..settings);
    Some((words, fed))
}

/// Whether a line is one program, so that a failure is the failure of that one.
pub(super) fn is_single(command: &str) -> bool {
    marks(command).is_some_and(|all| all.iter().all(|mark| matches!(mark, Mark::Word(_))))
}

/// Whether the last command of a line reads what another prints.
pub(super) fn is_fed(command: &str) -> bool {
    last(command).is_some_and(|(_, fed)| fed)
}

/// Commands that tell something; by themselves they claim nothing.
pub(super) fn is_telling(command: &str) -> bool {
    let Some(all) = marks(command) else { return true };
    let lines = all.split(|mark| matches!(mark, Mark::Between(_)));
    lines.filter(|line| !line.is_empty()).all(|line| {
        let words = line.iter().filter_map(|mark| match mark {
            Mark::Word(word) => Some(word.as_str()),
            Mark::Between(_) => None,
        });
        let setting = |word: &&str| word.contains('=') && !word.starts_with('-');
        let words: Vec<&str> = words.skip_while(setting).collect();
        words.first().is_none_or(|first| is_ready(first)) || is_told(&words)
    })
}

fn is_told(words: &[&str]) -> bool {
    let word = |place: usize| words.get(place).copied().unwrap_or_default();
    let checks = ["--exit-code", "--quiet", "--check", "--error-unmatch"];
    match word(0) {
        "git" => {
            ["diff", "log", "status", "show", "blame", "branch", "tag"].contains(&word(1))
                && !words.iter().any(|word| checks.contains(word))
        }
        "wc" | "echo" | "find" | "stat" => true,
        _ => words.len() == 2 && word(1) == "--version",
    }
}

/// Where a comment begins behind a command.
pub(super) fn remark(line: &str) -> Option<usize> {
    let (mut quote, mut before) = (None, ' ');
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => drop(letters.next()),
            (mark, Some(open)) if mark == open => quote = None,
            ('\'' | '"' | '`', None) => quote = Some(letter),
            ('#', None) if before.is_whitespace() && at > 0 => return Some(at),
            _ => {}
        }
        before = letter;
    }
    None
}

/// Whether the last program of a line is run by `xargs`, whose status is another one.
pub(super) fn is_handed_on(command: &str) -> bool {
    last(command).is_some_and(|(words, _)| words.first().is_some_and(|word| word == "xargs"))
}

/// Whether nothing is left out of a command: no place holder, no open quote, no missing operand.
pub(super) fn is_whole(command: &str) -> bool {
    let Some(words) = shell_words(command) else { return false };
    // Between quotes the same marks are letters to search for.
    let holder = |word: &str| {
        let named = word.starts_with('<') && word.ends_with('>');
        word == "..." || word.contains('…') || named || word.starts_with('#')
    };
    if command.split_whitespace().any(holder) {
        return false;
    }
    let open = ["|", "||", "&&", "&", "\\", ">", "<", "-e", "-p"];
    let ends = |word: &String| open.contains(&word.as_str());
    if words.last().is_none_or(ends) {
        return false;
    }
    let Some((words, fed)) = last(command) else { return false };
    if let Some(searched) = searched(&words) {
        let recursive = |word: &String| {
            word == "--recursive"
                || word.starts_with('-') && !word.starts_with("--") && word.contains(['r', 'R'])
        };
        let bare = searched.iter().filter(|word| !word.starts_with('-')).count();
        let everywhere = fed
            || searched.iter().any(recursive)
            || command.contains("git grep")
            || command.trim_start().starts_with("rg ");
        let fed_file = command.contains('<');
        let pattern = searched.iter().any(|word| word == "-e" || word == "-f");
        return bare >= if everywhere || fed_file || pattern { 1 } else { 2 };
    }
    let first = words.first().map(String::as_str).unwrap_or_default();
    let operands = words.iter().skip(1).filter(|word| !word.starts_with('-')).count();
    match first {
        "test" | "[" => operands >= 1,
        "cat" | "wc" | "head" | "tail" | "jq" if !fed => operands >= 1,
        "" => false,
        _ => true,
    }
}

/// Whether a command stays one when it is put between parentheses beside others.
pub(super) fn is_plain(command: &str) -> bool {
    let odd = |mark: char| command.matches(mark).count() % 2 == 1;
    let risky = ['#', '\\', '(', ')', '\n', '{', '}'];
    !command.contains(risky)
        && !command.contains("<<")
        && !odd('\'')
        && !odd('"')
        && !command.replace("&&", "").replace(">&", "").contains('&')
}
