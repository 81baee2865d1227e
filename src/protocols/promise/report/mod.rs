//! The reports of the player and the coach.
//!
//! The schemas publish one shape each ([`form`]). Reading is wider: every spelling that agents are known to
//! use is understood, and a spelling that is not understood is a fault with its place, never a quiet guess. A fault in
//! the structure refuses the report; a fault in one row costs only that row.

mod coach;
pub mod form;
mod lenient;
mod player;

pub use coach::read as read_coach;
pub(super) use lenient::add;
pub use player::read as read_player;

use super::decision::Decision;
use crate::mission::prelude::*;
use crate::vocab::verdict::ClaimStatus;

/// The name of the schema that a player's report must match.
pub const PLAYER: &str = "report-promise-player";
/// The name of the schema that a coach's report must match.
pub const COACH: &str = "report-promise-coach";

/// The schemas of both reports, by name.
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    vec![
        (PLAYER, schemars::schema_for!(form::PlayerForm)),
        (COACH, schemars::schema_for!(form::CoachForm)),
    ]
}

/// A player's report, understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayerReport {
    /// The task it speaks of.
    pub task_id: Option<String>,
    /// The turn it speaks of.
    pub turn: Option<u64>,
    /// The promise in one sentence.
    pub statement: Option<String>,
    /// One row per criterion it speaks of.
    pub rows: Vec<ClaimRow>,
    /// Its own summary; checked against the rows.
    pub all_verified: Option<bool>,
    /// Whether it says that the tests pass.
    pub tests: Finding,
    /// Files it changed.
    pub files_modified: Vec<String>,
    /// Files it made.
    pub files_created: Vec<String>,
    /// Requirements it dealt with.
    pub requirements_addressed: Vec<String>,
    /// Requirements it leaves.
    pub requirements_remaining: Vec<String>,
    /// What it worries about.
    pub concerns: Vec<String>,
    /// What it did, in words.
    pub implementation_notes: Option<String>,
    /// What blocks it.
    pub blockers: Vec<String>,
    /// What is wrong with single rows.
    pub faults: Vec<Diagnostic>,
    /// For people.
    pub notes: Vec<String>,
}

/// What a player says of one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimRow {
    /// Its place in the report.
    pub at: String,
    /// The id it names.
    pub id: Option<String>,
    /// The criterion's text as it repeats it.
    pub text: Option<String>,
    /// How far it says it got; nothing if the word is not one of ours.
    pub status: Option<ClaimStatus>,
    /// Typed proof, cited in prose or given as such.
    pub evidence: Vec<Evidence>,
    /// The prose.
    pub prose: Option<String>,
    /// Files that carry the work.
    pub implementation_files: Vec<String>,
}

/// A coach's report, understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoachReport {
    /// The task it speaks of.
    pub task_id: Option<String>,
    /// The turn it speaks of.
    pub turn: Option<u64>,
    /// Its own word.
    pub decision: Option<Decision>,
    /// One row per criterion it judged.
    pub rows: Vec<VerdictRow>,
    /// What it found that is about no criterion.
    pub issues: Vec<Issue>,
    /// What it tells the player.
    pub feedback: Option<String>,
    /// Why.
    pub rationale: Option<String>,
    /// Whether it saw the tests pass.
    pub tests: Finding,
    /// What is wrong with single rows.
    pub faults: Vec<Diagnostic>,
    /// For people.
    pub notes: Vec<String>,
}

impl CoachReport {
    /// The issues that keep the task from being approved.
    pub fn blocking(&self) -> Vec<String> {
        let blocking = self.issues.iter().filter(|issue| issue.blocking);
        blocking.map(|issue| issue.description.clone()).collect()
    }
}

/// What a coach found about one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerdictRow {
    /// Its place in the report.
    pub at: String,
    /// The id it names.
    pub id: Option<String>,
    /// The criterion's text, if it repeats it.
    pub text: Option<String>,
    /// What it takes the player to have said.
    pub player_status: Option<ClaimStatus>,
    /// What it found.
    pub finding: Finding,
    /// How; blank if it does not say.
    pub method: String,
    /// Typed proof of its own.
    pub evidence: Vec<Evidence>,
    /// Where it and the player disagree.
    pub discrepancy: Option<String>,
    /// Whether it confirms that something outside the task blocks it.
    pub blocked: bool,
}

/// Something a coach found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// Its word for how bad it is.
    pub severity: Option<String>,
    /// Whether it keeps the task from being approved.
    pub blocking: bool,
    /// What it is.
    pub description: String,
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
