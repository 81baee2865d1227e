//! Verdicts: what another run found about what was claimed.

use super::event::EffectId;
use super::evidence::{Evidence, Finding};
use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;

/// What a claiming run says about one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Id of the criterion.
    pub criterion: String,
    /// How far the run says it got.
    pub status: ClaimStatus,
    /// Typed proof. A complete claim without any is caught.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
}

/// How far a claim goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimStatus {
    /// The criterion is met.
    Complete,
    /// Part of it is.
    Partial,
    /// It cannot be met now.
    Blocked,
    /// It was not worked on.
    NotStarted,
}

/// What a verifying run found about one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// Id of the criterion.
    pub criterion: String,
    /// What was found.
    pub finding: Finding,
    /// How it was found out: what was run or read.
    pub method: String,
    /// Typed proof of the verifier's own.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
}

/// What verdicts rest on that say that something holds: that a file is missing is what the others may say.
pub fn shown_by(verdicts: &[Verdict]) -> impl Iterator<Item = &Vec<Evidence>> {
    verdicts.iter().filter(|one| one.finding == Finding::Holds).map(|one| &one.evidence)
}

/// Who speaks: a run and the session it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Speaker {
    /// The run.
    pub run: EffectId,
    /// Its agent session, if the host named one.
    pub session: Option<String>,
    /// Sessions that it named later, each once: an agent may say only at its end which it was in, or change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<String>,
}

/// The most sessions of one run that are kept.
const MOST_SESSIONS: usize = 100;

impl Speaker {
    /// A run that has just begun.
    pub fn new(run: EffectId, session: Option<String>) -> Speaker {
        Speaker { run, session, later: Vec::new() }
    }

    /// Every session it was in, as far as anybody knows.
    pub fn sessions(&self) -> impl Iterator<Item = &String> {
        self.session.iter().chain(&self.later)
    }

    /// It named a session.
    pub fn named(&mut self, session: &str) {
        if self.sessions().all(|known| known != session) && self.later.len() < MOST_SESSIONS {
            self.later.push(session.to_owned());
        }
    }

    /// Whether `other` is the same run or was ever in the same session.
    pub fn same_as(&self, other: &Speaker) -> bool {
        self.run == other.run || self.sessions().any(|one| other.sessions().any(|two| one == two))
    }
}
