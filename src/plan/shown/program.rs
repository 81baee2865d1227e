//! What is known of one program with its words.

use super::asks::{is_teller, tells};
use super::calm::{is_calmed, is_run_unseen, sets_calm};
use super::part::{Lost, Part};
use super::search::is_unmatched;
use super::status::read;

/// Programs that only hand on what they are fed.
const SINKS: [&str; 21] = [
    "tail",
    "head",
    "tee",
    "cat",
    "sort",
    "wc",
    "sed",
    "tr",
    "cut",
    "uniq",
    "less",
    "xcpretty",
    "xcbeautify",
    "column",
    "nl",
    "tac",
    "rev",
    "fold",
    "paste",
    "xxd",
    "base64",
];
/// Programs that never fail.
const CALM: [&str; 5] = ["true", ":", "echo", "printf", "date"];
/// Programs that prepare for others; how they went matters to nobody.
const READY: [&str; 17] = [
    "cd", "pushd", "popd", "export", "unset", "source", ".", "umask", "sleep", "mkdir", "rm", "cp",
    "mv", "touch", "local", "declare", "readonly",
];
/// Programs that run the words behind them.
const RUNNERS: [&str; 12] = [
    "exec", "command", "time", "builtin", "nohup", "env", "nice", "timeout", "setsid", "stdbuf",
    "sudo", "xargs",
];
/// Programs that compare what they are given.
const COMPARE: [&str; 5] = ["test", "[", "[[", "diff", "cmp"];
const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];

/// How many groups a substitution counts for, as deep as they are followed.
const SUBSTITUTED: u8 = 3;

/// What `set` sets.
#[derive(Clone, Copy, Default)]
pub(super) struct Shell {
    pub(super) pipefail: bool,
    pub(super) errexit: bool,
    /// A failure is asked for by what is around it, and `set -e` does not look at it.
    pub(super) deaf: bool,
}

/// One program with its words.
pub(super) fn one(words: &[String], shell: &mut Shell, deep: u8) -> Part {
    let whole = words;
    let (settings, words) = called(words);
    let stops = shell.ends();
    let mut all = settings.iter().chain(words);
    let checks = all.clone().filter(|word| takes_checks(word, deep)).count();
    let taken = checks > 0;
    let Some(first) = words.first().map(|word| program(word)) else {
        return Part { stops, ..settled(settings, deep) };
    };
    let ready = Part { ready: true, tells: !taken, stops, ..Part::default() };
    let plain = Part { fails: true, stops, ..Part::default() };
    let operands = words.get(1..).unwrap_or_default();
    // How that went which a program is handed is not told; a comparison sees what it printed, if no pipe hid more.
    let handed = match COMPARE.contains(&first) {
        true if all.any(|word| takes_piped(word, deep)) => Lost::Piped,
        // Where both sides failed, nothing is compared with nothing.
        true if checks > 1 => Lost::Status,
        false if taken => Lost::Status,
        true | false => Lost::Nothing,
    };
    let shows = COMPARE.contains(&first) || is_teller(first, operands);
    if !shows && whole.iter().any(|word| sets_calm(word)) {
        return Part::LOST;
    }
    match first {
        "set" => {
            shell.set(operands);
            ready
        }
        // What it does at the end decides, and nobody looks into that; nor which round a loop leaves.
        "trap" | "break" | "continue" => Part::LOST,
        "exit" | "return" => left(first, operands.first().map(String::as_str)),
        "false" => Part { sure: true, ..plain },
        "eval" if deep > 0 => read(&operands.join(" "), shell, deep - 1),
        _ if CALM.contains(&first) => Part { lost: handed, ..ready },
        // Where it did not get there, what follows is run elsewhere.
        "cd" | "pushd" => Part { tells: !taken, lost: handed, ..plain },
        "test" | "[" if is_settled(operands) => ready,
        "test" | "[" if is_empty_as_well(operands) => Part { lost: Lost::Status, ..plain },
        _ if READY.contains(&first) => Part { fails: true, lost: handed, ..ready },
        "find" if is_run_unseen(operands) => Part::LOST,
        _ if !shows && is_calmed(first, operands) => match tells(first, operands) {
            true => Part { lost: Lost::Told, tells: !taken, ..plain },
            false => Part::LOST,
        },
        // What it prints is there to see.
        _ if is_unmatched(words) => Part { lost: Lost::Told, tells: !taken, ..plain },
        _ => match nested(words, deep).or_else(|| elsewhere(words, deep)) {
            Some(inner) => Part { stops, ..inner },
            None => Part {
                sink: is_sink(first, operands),
                tells: !taken && tells(first, operands),
                lost: handed,
                ..plain
            },
        },
    }
}

/// Whether a word prepares for other commands.
pub(super) fn is_ready(word: &str) -> bool {
    word == "set" || READY.contains(&word)
}

/// Settings without a program: `x=$(make)` ends as what is in it does.
fn settled(settings: &[String], deep: u8) -> Part {
    let Some(last) = settings.iter().rev().find(|word| substitutes(word)) else {
        return Part::EMPTY;
    };
    let whole = last.split_once("=$(").and_then(|(_, inner)| inner.strip_suffix(')'));
    let Some(inner) = whole.filter(|inner| deep > 0 && !inner.contains("$(")) else {
        return Part { fails: true, ..Part::default() };
    };
    let inner = read(inner, &mut Shell::default(), deep - 1);
    // What it printed is there to look at.
    let lost = match inner.lost {
        Lost::Told if !inner.fails => Lost::Nothing,
        lost => lost,
    };
    Part { fails: inner.fails, lost, ready: !inner.fails, tells: inner.tells, ..Part::default() }
}

/// Whether a word takes what a program prints that checks or builds something.
pub(super) fn takes_checks(word: &str, deep: u8) -> bool {
    substituted(word, deep).is_some_and(|inner| !inner.tells)
}

/// Whether a word takes what stands behind a pipe, and the program before that checks or builds something.
pub(super) fn takes_piped(word: &str, deep: u8) -> bool {
    substituted(word, deep).is_some_and(|inner| inner.lost == Lost::Piped)
}

/// What is known of the commands whose output a word takes: `$(…)`, `<(…)`.
fn substituted(word: &str, deep: u8) -> Option<Part> {
    if !word.contains(['$', '<', '`']) {
        return None;
    }
    let Some((_, inner)) = word.split_once("$(").or_else(|| word.split_once("< (")) else {
        return word.contains('`').then_some(Part::LOST);
    };
    // Arithmetic runs nothing.
    if inner.starts_with('(') {
        return None;
    }
    let inner = inner.rsplit_once(')').map_or(inner, |(inner, _)| inner);
    // Each is read more than once: what stands deep within others is not followed as far as a group is.
    let within = deep.checked_sub(SUBSTITUTED);
    Some(within.map_or(Part::LOST, |within| read(inner, &mut Shell::default(), within)))
}

/// Whether a program only hands on what it is fed: an expression that is asked for its truth does more.
fn is_sink(first: &str, operands: &[String]) -> bool {
    let asked = || {
        operands.iter().any(|word| {
            let short = word.starts_with('-') && !word.starts_with("--") && word.contains('e');
            short || word == "--exit-status"
        })
    };
    match first {
        "awk" | "gawk" => !operands.iter().any(|word| word.contains("exit")),
        "jq" | "yq" => !asked(),
        _ => SINKS.contains(&first),
    }
}

/// What is set for a program, and the program itself with its words behind all that only run it.
fn called(mut words: &[String]) -> (&[String], &[String]) {
    loop {
        words = words.get(arrows(words)..).unwrap_or_default();
        let settings = words.iter().take_while(|word| is_setting(word)).count();
        let (before, rest) = words.split_at(settings);
        match rest.first() {
            Some(first) if RUNNERS.contains(&program(first)) => words = run(rest),
            Some(first) if is_arrow(first) => words = rest,
            _ => return (before, rest),
        }
    }
}

/// How many words before a program only say where its output goes.
fn arrows(words: &[String]) -> usize {
    let Some(first) = words.first().filter(|first| is_arrow(first)) else { return 0 };
    if first.ends_with(['>', '<']) { 2 } else { 1 }
}

fn is_arrow(word: &str) -> bool {
    let bare = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
    bare.starts_with(['>', '<']) && !bare.contains('\n')
}

/// A program of the system by its name alone.
pub(super) fn program(word: &str) -> &str {
    let bare = word.strip_prefix("/usr/bin/").or_else(|| word.strip_prefix("/bin/"));
    bare.filter(|name| !name.contains('/')).unwrap_or(word)
}

fn is_setting(word: &str) -> bool {
    word.contains('=') && !word.starts_with(['-', '='])
}

fn substitutes(word: &str) -> bool {
    word.contains("$(") || word.contains('`')
}

/// `exit` and `return`. Of a status that is not written nothing is known; a `return` may only be told off.
fn left(word: &str, status: Option<&str>) -> Part {
    let number = status.and_then(|status| status.parse::<u32>().ok());
    let sure = number.is_some_and(|number| number % 256 != 0);
    let fails = sure || number.is_none();
    let leaves = word == "exit";
    Part { fails, sure, leaves, slips: !sure, stops: sure && leaves, ..Part::default() }
}

/// Whether a test has one operand that is no variable: it holds, or it does not, whatever is done.
fn is_settled(words: &[String]) -> bool {
    let words = words.strip_suffix(&["]".to_owned()]).unwrap_or(words);
    matches!(words, [] | [_]) && !words.iter().any(|word| word.contains(['$', '`']))
}

/// Programs that every shell has or finds, so that a failure is one of their own.
const FOUND: [&str; 16] = [
    "test", "[", "[[", "command", "grep", "egrep", "fgrep", "git", "diff", "cmp", "find", "ls",
    "cat", "awk", "sed", "true",
];

/// Whether a first word is one of a program that is certainly there.
pub(super) fn is_found(word: &str) -> bool {
    FOUND.contains(&program(word))
}

/// Whether a test that what a program prints is nothing, or other than something, holds as well where there is no such
/// program.
fn is_empty_as_well(words: &[String]) -> bool {
    let absent = ["-z", "!=", "-ne", "0", ""];
    let missing = |word: &&String| {
        let inner = word.split_once("$(").map(|(_, inner)| inner.trim_start());
        inner.is_some_and(|inner| !is_found(inner.split_whitespace().next().unwrap_or_default()))
    };
    words.iter().any(|word| absent.contains(&word.as_str()))
        && words.iter().any(|word| missing(&word))
}

/// What a program runs, without the words that are its own: options, settings, times.
fn run(words: &[String]) -> &[String] {
    let own = |word: &&String| {
        is_setting(word)
            || matches!(word.as_str(), "{}" | "%")
            || word.starts_with(|letter: char| letter == '-' || letter.is_ascii_digit())
    };
    let skip = 1 + words.iter().skip(1).take_while(own).count();
    words.get(skip..).unwrap_or_default()
}

/// A shell among the words that is given its line.
fn nested(words: &[String], deep: u8) -> Option<Part> {
    let at = words.iter().position(|word| SHELLS.contains(&program(word)))?;
    let words = words.get(at..)?;
    let letters = |word: &&String| word.starts_with('-') && !word.starts_with("--");
    let mut shell = Shell::default();
    let given = words.iter().position(|word| letters(&word) && word.contains('c'));
    let fed = words.iter().position(|word| word.starts_with("<<") && word.contains('\n'));
    let line = match (given, fed) {
        (Some(given), _) => words.get(given + 1).map(String::as_str).unwrap_or_default(),
        (None, fed) => words.get(fed?)?.trim_start_matches('<'),
    };
    shell.set(words.get(1..=given.or(fed)?)?);
    Some(inside(line, &mut shell, deep))
}

/// A line that a program hands to a shell of its own.
fn inside(line: &str, shell: &mut Shell, deep: u8) -> Part {
    let inner = if deep > 0 { read(line, shell, deep - 1) } else { Part::LOST };
    let Part { fails, lost, sure, tells, .. } = inner;
    let silent = if fails || tells { Lost::Nothing } else { Lost::Status };
    Part { fails, lost: lost.max(silent), sure, tells, ..Part::default() }
}

/// A line that a program hands to a shell elsewhere: `ssh host 'cd app; make test'`.
fn elsewhere(words: &[String], deep: u8) -> Option<Part> {
    let first = program(words.first()?);
    let line = match first {
        "ssh" => {
            // These have a value behind them.
            let valued = |word: &String| {
                word.len() == 2
                    && word.chars().nth(1).is_some_and(|c| "BbcDEeFIiJLlmOopQRSWw".contains(c))
            };
            let mut at = 1;
            while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
                at += if valued(word) { 2 } else { 1 };
            }
            words.get(at + 1..).filter(|line| !line.is_empty())?.join(" ")
        }
        "su" | "vagrant" | "heroku" | "flock" | "wsl" | "nix" | "nix-shell" => {
            words.iter().skip(1).find(|word| word.contains(char::is_whitespace))?.clone()
        }
        _ => return None,
    };
    Some(inside(&line, &mut Shell::default(), deep))
}

impl Shell {
    /// Whether what fails ends it.
    pub(super) fn ends(self) -> bool {
        self.errexit && !self.deaf
    }

    /// `set -eo pipefail`, and the like.
    fn set(&mut self, words: &[String]) {
        for (place, word) in words.iter().enumerate() {
            let on = word.starts_with('-');
            if !on && !word.starts_with('+') {
                continue;
            }
            let named = word.contains('o').then(|| words.get(place + 1)).flatten();
            match named.map(String::as_str) {
                Some("pipefail") => self.pipefail = on,
                Some("errexit") => self.errexit = on,
                _ => {}
            }
            if word.contains('e') {
                self.errexit = on;
            }
        }
    }
}
