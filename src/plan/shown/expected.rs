//! What a command must do by the words behind it.

use super::super::model::Expectation;
use super::asked::asks_status;
use super::grammar::{COUNTS, EXACTLY, FAILS, SILENT, SUCCEEDS, UNFOUND};
use super::search::{fails_for_nothing, is_counting, is_search, lists_unmatched, searches};
use super::shell::{is_fed, is_handed_on, is_single, is_telling};
use super::status::{deaf, is_mute, mute};
use super::{ABSENT, ASKED, HANDED, MUTE, UNSAID, begun, behind};

/// What one command must do.
pub(super) fn expectation(
    command: &str,
    said: &str,
    values: &[&str],
    claimed: bool,
) -> Result<Expectation, &'static str> {
    let alone = said.is_empty();
    if values.is_empty() && (alone || SUCCEEDS.has(said)) {
        return match mute(command) {
            Some(why) => Err(why),
            None if alone && is_telling(command) => Err(MUTE),
            None => Ok(Expectation::Success),
        };
    }
    if claimed {
        return Err(UNSAID);
    }
    // Of several programs nobody knows which of them failed, and why.
    let may_fail = is_single(command) && !is_mute(command);
    if values.is_empty() && FAILS.has(said) {
        return failure(command);
    }
    if values.is_empty() && (UNFOUND.has(said) || SILENT.has(said)) {
        return nothing(command, SILENT.has(said));
    }
    if let Some(code) = status(said).filter(|_| values.is_empty()) {
        let tells = if code == 0 { !is_mute(command) } else { may_fail };
        return match tells {
            true => Ok(Expectation::Status { code }),
            false => Err(mute(command).unwrap_or(MUTE)),
        };
    }
    let text = printed(said, values).ok_or(UNSAID)?;
    let exactly = begun(&EXACTLY, said).next().is_some();
    let output = output(command, &text)?;
    match (exactly || is_counting(command), output) {
        (true, output @ Expectation::Exactly { .. }) => Ok(output),
        (true, _) if exactly => Ok(Expectation::Exactly { text }),
        _ => Err(UNSAID),
    }
}

/// What a command must do that is to print a text: a number by itself, anything else among what it prints.
pub(super) fn output(command: &str, text: &str) -> Result<Expectation, &'static str> {
    if let Some(why) = deaf(command) {
        return Err(why);
    }
    if asks_status(command) {
        return Err(ASKED);
    }
    // By which status it is told that something was printed depends on the program that is installed.
    if lists_unmatched(command) {
        return Err(MUTE);
    }
    let number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // Nothing is counted as well where there was nothing to count in.
    if number && text.bytes().all(|byte| byte == b'0') && is_fed(command) {
        return Err(MUTE);
    }
    let text = text.to_owned();
    Ok(if number { Expectation::Exactly { text } } else { Expectation::Output { text } })
}

/// What a command must do that finds or prints nothing. What reads another's output finds nothing as well where there
/// was none.
fn nothing(command: &str, silent: bool) -> Result<Expectation, &'static str> {
    if searches(command) {
        return Ok(Expectation::Status { code: 1 });
    }
    if let Some(why) = deaf(command) {
        return Err(why);
    }
    match silent && !is_counting(command) {
        _ if is_handed_on(command) => Err(HANDED),
        true if fails_for_nothing(command) => Err(ABSENT),
        _ if is_search(command) || is_fed(command) => Err(MUTE),
        true => Ok(Expectation::Silence),
        false => Err(UNSAID),
    }
}

/// What a command must do that is to fail by its own judgement: a shell that finds no program fails, too, and a search
/// that finds no file.
pub(super) fn failure(command: &str) -> Result<Expectation, &'static str> {
    match searches(command) {
        true => Ok(Expectation::Status { code: 1 }),
        false if is_search(command) || !is_single(command) || is_mute(command) => {
            Err(mute(command).unwrap_or(MUTE))
        }
        false => Ok(Expectation::Failure),
    }
}

/// The command that `!` turns round, which succeeds as well where the shell finds no program.
pub(super) fn turned(command: &str) -> Option<&str> {
    let inner = command.trim_start().strip_prefix('!')?;
    (inner.starts_with(char::is_whitespace) && is_single(command)).then(|| inner.trim())
}

/// "exits with status 2".
fn status(said: &str) -> Option<u8> {
    const EXITS: [&str; 6] = [
        "exits",
        "exits with",
        "exits with code",
        "exits with status",
        "exits with exit code",
        "exits with status code",
    ];
    let mut rests = EXITS.iter().filter_map(|phrase| behind(said, phrase));
    rests.find_map(|rest| rest.parse().ok().filter(|_| rest.bytes().all(|b| b.is_ascii_digit())))
}

/// The value behind "returns", "prints exactly".
fn printed(said: &str, values: &[&str]) -> Option<String> {
    // The longest of them leaves the least.
    let rests = begun(&COUNTS, said).chain(begun(&EXACTLY, said)).chain(behind(said, "prints"));
    let value = rests.min_by_key(|rest| rest.len())?;
    match (value, values) {
        ("§", [one]) if !one.trim().is_empty() => Some((*one).to_owned()),
        ("zero", []) => Some("0".to_owned()),
        (number, []) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            (!number.is_empty()).then(|| number.to_owned())
        }
        _ => None,
    }
}
