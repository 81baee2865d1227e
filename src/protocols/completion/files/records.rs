//! The lines of the two histories, one by one.

use super::fields::{Extra, Fields, Mode};
use super::words::RecordKind;
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::time::{LATEST, Millis, parse_rfc3339};

const RECORD_FIELDS: [&str; 6] =
    ["schema_version", "type", "recorded_at", "slice_id", "commit_sha", "head_sha"];
const JUDGEMENT_FIELDS: [&str; 7] = [
    "schema_version",
    "type",
    "recorded_at",
    "head_sha",
    "can_stop",
    "blocker_count",
    "high_value_gap_count",
];

/// One line of `slice-history.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryRecord {
    /// What happened.
    pub kind: RecordKind,
    /// When.
    pub at: Millis,
    /// To which slice.
    pub slice_id: String,
    /// The commit it speaks of.
    pub commit_sha: String,
    /// The head at that time.
    pub head_sha: String,
    /// Fields the seed does not have.
    pub extra: Vec<Extra>,
}

/// One line of `stop-check-history.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// When.
    pub at: Millis,
    /// The head that was judged.
    pub head_sha: String,
    /// The verdict.
    pub can_stop: bool,
    /// Blockers the judge counted.
    pub blocker_count: u64,
    /// High-value gaps the judge counted.
    pub high_value_gap_count: u64,
    /// Fields the seed does not have.
    pub extra: Vec<Extra>,
}

/// Reads one line of `slice-history.jsonl`.
///
/// # Errors
/// Kind `malformed`; an unknown `type` is `unknown_value`.
pub fn read_record(line: &str) -> Result<HistoryRecord> {
    let mut fields = Fields::file(line, Mode::Strict)?;
    Ok(HistoryRecord {
        kind: fields.word("type")?,
        at: recorded_at(&fields)?,
        slice_id: fields.said("slice_id")?,
        commit_sha: fields.said("commit_sha")?,
        head_sha: fields.said("head_sha")?,
        extra: fields.extras(&RECORD_FIELDS, &[])?,
    })
}

/// Reads one line of `stop-check-history.jsonl`.
///
/// # Errors
/// Kind `malformed`; another `type` than `judgment` is `unknown_value`.
pub fn read_judgement(line: &str) -> Result<Judgement> {
    let mut fields = Fields::file(line, Mode::Strict)?;
    let kind: String = fields.field("type")?;
    if kind != "judgment" {
        let got = format!("`{kind}`");
        return Err(Error::new(Code::UnknownValue, "type", "`judgment`", got));
    }
    Ok(Judgement {
        at: recorded_at(&fields)?,
        head_sha: fields.said("head_sha")?,
        can_stop: fields.field("can_stop")?,
        blocker_count: fields.count("blocker_count")?,
        high_value_gap_count: fields.count("high_value_gap_count")?,
        extra: fields.extras(&JUDGEMENT_FIELDS, &[])?,
    })
}

/// The peer writes milliseconds in some lines and RFC 3339 in others.
fn recorded_at(fields: &Fields) -> Result<Millis> {
    const AT: &str = "recorded_at";
    if let Ok(text) = fields.field::<String>(AT) {
        return parse_rfc3339(&text).map_err(|error| error.within(AT));
    }
    let at = fields.count(AT).map_err(|mut error| {
        if error.code == Code::WrongType {
            error.expected = "milliseconds or an RFC 3339 time".to_owned();
        }
        error
    })?;
    match at <= LATEST {
        true => Ok(at),
        false => {
            let expected = format!("milliseconds up to {LATEST}");
            Err(Error::new(Code::NumberOutOfRange, AT, expected, at.to_string()))
        }
    }
}
