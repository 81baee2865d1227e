//! The lines of the two histories, one by one.

use super::fields::Extra;
use super::form::{Form, OnDisk};
use super::kind::{Kind, word};
use super::words::RecordKind;
use crate::vocab::error::Result;
use crate::vocab::json::Readable;
use crate::vocab::time::{Millis, rfc3339};
use serde::{Serialize, Serializer};

const RECORD: Form = Form {
    seed: &[
        ("schema_version", Kind::Version),
        ("type", word::<RecordKind>()),
        ("recorded_at", Kind::Moment),
        ("slice_id", Kind::Said),
        ("commit_sha", Kind::Said),
        ("head_sha", Kind::Said),
    ],
    peer: &[],
};
const JUDGEMENT: Form = Form {
    seed: &[
        ("schema_version", Kind::Version),
        ("type", Kind::Constant("judgment")),
        ("recorded_at", Kind::Moment),
        ("head_sha", Kind::Said),
        ("can_stop", Kind::Flag),
        ("blocker_count", Kind::Count),
        ("high_value_gap_count", Kind::Count),
    ],
    peer: &[],
};

/// One line of `slice-history.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable)]
pub struct HistoryRecord {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: RecordKind,
    /// When.
    #[serde(rename = "recorded_at", serialize_with = "as_text")]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable)]
pub struct Judgement {
    /// When.
    #[serde(rename = "recorded_at", serialize_with = "as_text")]
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

fn as_text<S: Serializer>(at: &Millis, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&rfc3339(*at))
}

impl OnDisk for HistoryRecord {
    const FORM: Form = RECORD;
}

impl OnDisk for Judgement {
    const FORM: Form = JUDGEMENT;
}
