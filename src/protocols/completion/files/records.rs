//! The lines of the two histories, one by one.

use super::fields::{Extra, Mode};
use super::form::{self, Form, Found, OnDisk};
use super::read::said;
use super::words::RecordKind;
use crate::vocab::error::Result;
use crate::vocab::time::Millis;
use serde::{Deserialize, Serialize};

const RECORD: Form =
    Form::of(&["schema_version", "type", "recorded_at", "slice_id", "commit_sha", "head_sha"], &[]);
const JUDGEMENT: Form = Form {
    constants: &[("type", "judgment")],
    ..Form::of(
        &[
            "schema_version",
            "type",
            "recorded_at",
            "head_sha",
            "can_stop",
            "blocker_count",
            "high_value_gap_count",
        ],
        &[],
    )
};

/// One line of `slice-history.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryRecord {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: RecordKind,
    /// When.
    #[serde(rename = "recorded_at", with = "recorded_at")]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// When.
    #[serde(rename = "recorded_at", with = "recorded_at")]
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

/// We write RFC 3339; the peer writes it in some lines and milliseconds in others.
mod recorded_at {
    use crate::vocab::time::{LATEST, Millis, parse_rfc3339, rfc3339};
    use serde::de::{Error, Unexpected, Visitor};
    use serde::{Deserializer, Serializer};
    use std::fmt;

    pub(super) fn serialize<S: Serializer>(at: &Millis, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&rfc3339(*at))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Millis, D::Error> {
        from.deserialize_any(Moment)
    }

    struct Moment;

    impl Visitor<'_> for Moment {
        type Value = Millis;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("milliseconds or an RFC 3339 time")
        }

        fn visit_u64<E: Error>(self, at: u64) -> Result<Millis, E> {
            let known = Some(at).filter(|at| *at <= LATEST);
            known.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(at), &self))
        }

        fn visit_i64<E: Error>(self, at: i64) -> Result<Millis, E> {
            Err(E::invalid_value(Unexpected::Signed(at), &self))
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Millis, E> {
            parse_rfc3339(text).map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
        }
    }
}

impl OnDisk for HistoryRecord {
    const FORM: &'static Form = &RECORD;

    fn check(&self, _: &mut Found) -> Result<()> {
        said("slice_id", &self.slice_id)?;
        said("commit_sha", &self.commit_sha)?;
        said("head_sha", &self.head_sha)
    }
}

impl OnDisk for Judgement {
    const FORM: &'static Form = &JUDGEMENT;

    fn check(&self, _: &mut Found) -> Result<()> {
        said("head_sha", &self.head_sha)
    }
}

/// Reads one line of `slice-history.jsonl`.
///
/// # Errors
/// Kind `malformed`; an unknown `type` is `unknown_value`.
pub fn read_record(line: &str) -> Result<HistoryRecord> {
    form::read(line, Mode::Strict).map(|reading| reading.value)
}

/// Reads one line of `stop-check-history.jsonl`.
///
/// # Errors
/// Kind `malformed`; another `type` than `judgment` is `unknown_value`.
pub fn read_judgement(line: &str) -> Result<Judgement> {
    form::read(line, Mode::Strict).map(|reading| reading.value)
}
