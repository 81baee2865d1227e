//! The expected result of a command, and whether it came.

use crate::vocab::error::{Code, Diagnostic, Error, clip};
use crate::vocab::event::CommandExited;
use crate::vocab::shown::{CommandLine, Expect};

/// Whose line is told without them.
const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];

/// Whether it is one of these, by its name or where systems have it: a program of the repository may have any name.
fn is_shell(program: &str) -> bool {
    let bare = program.strip_prefix("/usr").unwrap_or(program);
    SHELLS.contains(&bare.strip_prefix("/bin/").unwrap_or(bare))
}

/// A command in words.
pub(crate) fn words(line: &CommandLine) -> String {
    match line.argv.as_slice() {
        [shell, flag, text] if is_shell(shell) && flag.starts_with('-') => text.clone(),
        argv => argv.join(" "),
    }
}

/// What was found of a command, for a sentence that says itself that it failed.
pub(crate) fn found(problem: &Diagnostic) -> String {
    format!("`{}`: expected {}, got {}", problem.at, problem.expected, problem.got)
}

/// Whether a text has some words whole: `3` is not in `13`.
pub(crate) fn has_words(text: &str, words: &str) -> bool {
    let edge = |inner: Option<char>, outer: Option<char>| {
        let joins = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        !(joins(inner) && joins(outer))
    };
    words.is_empty()
        || text.match_indices(words).any(|(at, _)| {
            let (before, behind) = (&text[..at], &text[at + words.len()..]);
            edge(words.chars().next(), before.chars().next_back())
                && edge(words.chars().next_back(), behind.chars().next())
        })
}

/// Whether a command did what it must.
///
/// # Errors
/// The diagnosis: `not_shown` if it did not exit by itself, else `command_failed`.
pub(crate) fn outcome(line: &CommandLine, fact: &CommandExited) -> Result<(), Diagnostic> {
    let at = words(line);
    let Some(status) = fact.status else {
        let got = fact.problem.as_ref().map_or("no status".to_owned(), ToString::to_string);
        return Err(Error::new(Code::NotShown, at, "an exit status", got).diagnostic());
    };
    // A shell that finds no program, or a search that finds no file, says nothing about what was to fail.
    let searches = line
        .argv
        .first()
        .is_some_and(|name| ["grep", "egrep", "fgrep", "rg"].contains(&name.as_str()));
    let unfit = !has_begun(status) || (searches && status > 1);
    if line.expect == Expect::Fail && unfit {
        let got = format!("status {status}: {}", clip(fact.output.trim(), 160));
        return Err(
            Error::new(Code::NotShown, at, "to fail by its own judgement", got).diagnostic()
        );
    }
    let output = fact.output.trim();
    if holds(&line.expect, status, output) {
        return Ok(());
    }
    let tail: String = output.chars().rev().take(150).collect::<Vec<_>>().iter().rev().collect();
    let got = format!("status {status}: {}", clip(tail.trim(), 160));
    Err(Error::new(Code::CommandFailed, at, expected(&line.expect), got).diagnostic())
}

/// Whether a shell could begin the program that was to exit with this status.
fn has_begun(status: i32) -> bool {
    !matches!(status, 126 | 127)
}

fn holds(expect: &Expect, status: i32, output: &str) -> bool {
    // A search that counts says 0 with the status of one that found nothing.
    let counted = |fits: bool| status == 0 || status == 1 && fits;
    let number = output.parse::<u64>().ok();
    match expect {
        Expect::Succeed => status == 0,
        Expect::Fail => status != 0,
        Expect::Exit => has_begun(status),
        Expect::ExitWith { status: wanted } => status == i32::from(*wanted),
        Expect::BeSilent => status == 0 && output.is_empty(),
        Expect::FindNothing => status == 1 && output.is_empty(),
        Expect::Print { text } => status == 0 && has_words(output, text.trim()),
        Expect::PrintOnly { text } => counted(text.trim() == "0") && output == text.trim(),
        Expect::PrintAtLeast { number: least } => {
            counted(*least == 0) && number.is_some_and(|number| number >= *least)
        }
        Expect::PrintAtMost { number: most } => {
            counted(number == Some(0)) && number.is_some_and(|number| number <= *most)
        }
    }
}

/// What a command must do, in words.
pub(crate) fn expected(expect: &Expect) -> String {
    match expect {
        Expect::Succeed => "exit status 0".to_owned(),
        Expect::Fail => "an exit status other than 0".to_owned(),
        Expect::Exit => "to exit by itself".to_owned(),
        Expect::ExitWith { status } => format!("exit status {status}"),
        Expect::BeSilent => "no output".to_owned(),
        Expect::FindNothing => "no match: no output, and exit status 1".to_owned(),
        Expect::Print { text } => format!("the output `{text}`"),
        Expect::PrintOnly { text } => format!("the output `{text}` and nothing else"),
        Expect::PrintAtLeast { number } => format!("a number of at least {number}"),
        Expect::PrintAtMost { number } => format!("a number of at most {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::event::EffectId;

    /// Numbers and words count only whole, and a status only if it is the one that was asked for.
    #[test]
    fn a_command_does_exactly_what_it_must() {
        let text = |text: &str| text.to_owned();
        let only = |one: &str| Expect::PrintOnly { text: text(one) };
        let print = |one: &str| Expect::Print { text: text(one) };
        let with = |status: u8| Expect::ExitWith { status };
        for (expect, status, output, holds) in [
            (only("0"), 1, "0\n", true),
            (only("0"), 0, "10\n", false),
            (only("0"), 2, "0\n", false),
            (only("3"), 0, " 3\n", true),
            (only("3"), 1, "3\n", false),
            (only("3"), 0, "13\n", false),
            (print("1 passed"), 0, "so: 1 passed.", true),
            (print("1 passed"), 0, "11 passed", false),
            (print("ok"), 0, "tokens", false),
            (with(2), 2, "", true),
            (with(2), 0, "", false),
            (with(1), 2, "", false),
            (Expect::BeSilent, 0, "", true),
            (Expect::BeSilent, 1, "", false),
            (Expect::BeSilent, 2, "", false),
            (Expect::BeSilent, 1, "a match", false),
            (Expect::FindNothing, 1, "", true),
            (Expect::FindNothing, 0, "", false),
            (Expect::FindNothing, 2, "", false),
            (Expect::FindNothing, 1, "a match", false),
            (Expect::PrintAtLeast { number: 3 }, 0, "3\n", true),
            (Expect::PrintAtLeast { number: 3 }, 0, "2", false),
            (Expect::PrintAtLeast { number: 3 }, 1, "3", false),
            (Expect::PrintAtLeast { number: 3 }, 0, "three", false),
            (Expect::PrintAtMost { number: 3 }, 1, "0", true),
            (Expect::PrintAtMost { number: 3 }, 0, "4", false),
            (Expect::Fail, 1, "", true),
            (Expect::Fail, 127, "", false),
            (Expect::Exit, 1, "", true),
            (Expect::Exit, 127, "", false),
        ] {
            let line = CommandLine { argv: vec![text("count")], expect, ..CommandLine::default() };
            let effect = EffectId { seq: 1, n: 1 };
            let fact = CommandExited::new(effect, Some(status), output);
            assert_eq!(outcome(&line, &fact).is_ok(), holds, "{:?} {status} {output}", line.expect);
        }
    }
}
