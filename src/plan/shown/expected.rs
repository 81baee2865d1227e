//! What a command must do by the words behind it.

use super::super::model::Expectation;
use super::grammar::{COUNTS, EXACTLY, FAILS, SILENT, SUCCEEDS, UNFOUND};
use super::shell::{is_counting, is_mute, is_telling, searches};
use super::{MUTE, UNSAID, behind, is_one};

/// What one command must do.
pub(super) fn expectation(
    command: &str,
    said: &str,
    values: &[&str],
    claimed: bool,
) -> Result<Expectation, &'static str> {
    let alone = said.is_empty();
    if values.is_empty() && (alone || is_one(said, SUCCEEDS)) {
        let mute = is_mute(command) || alone && is_telling(command);
        return if mute { Err(MUTE) } else { Ok(Expectation::Success) };
    }
    if claimed {
        return Err(UNSAID);
    }
    if values.is_empty() && is_one(said, FAILS) && !is_mute(command) {
        return Ok(Expectation::Failure);
    }
    if values.is_empty() && (is_one(said, UNFOUND) || is_one(said, SILENT)) {
        return match searches(command) {
            true => Ok(Expectation::Status { code: 1 }),
            false if is_one(said, SILENT) && !is_counting(command) => Ok(Expectation::Silence),
            false => Err(UNSAID),
        };
    }
    if let Some(code) = status(said).filter(|_| values.is_empty() && !is_mute(command)) {
        return Ok(Expectation::Status { code });
    }
    let text = printed(said, values).ok_or(UNSAID)?;
    let number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let exactly = EXACTLY.iter().any(|phrase| behind(said, phrase).is_some());
    match exactly || number && is_counting(command) {
        true => Ok(Expectation::Exactly { text }),
        false => Err(UNSAID),
    }
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
    let mut phrases = COUNTS.iter().chain(EXACTLY).chain(&["prints"]);
    // The longest of them leaves the least.
    let rests = phrases.by_ref().filter_map(|phrase| behind(said, phrase));
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
