//! The reports of all roles. Their words decide nothing by themselves: see [`super::cascade`].

use super::role::Role;
use crate::mission::prelude::*;
use crate::vocab::json;
use crate::vocab::verdict::{Claim, Verdict, shown_by};

/// The name of the schema that an agent's report must match.
pub const AGENT: &str = "report-sprint-agent";
/// The name of the schema that a verifier's report must match.
pub const VERIFIER: &str = "report-sprint-verifier";

/// The schemas of both reports, by name.
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    vec![
        (AGENT, schemars::schema_for!(AgentReport)),
        (VERIFIER, schemars::schema_for!(VerifierReport)),
    ]
}

/// What the agent of a sprint returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "SprintAgentReport")]
pub struct AgentReport {
    /// The sprint it worked on.
    pub sprint: String,
    /// How it ended, in its own word.
    pub outcome: Outcome,
    /// One row per criterion it speaks of, with typed proof.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// What is left, for the run that continues.
    #[serde(default)]
    pub remaining: Vec<String>,
    /// For `replan`: the facts that show that the plan is wrong. For `failed`: what went wrong.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// What a person should look at; for sprints that only a person can confirm.
    #[serde(default)]
    pub findings: Vec<String>,
}

words! {
    /// How a sprint's agent says that it ended.
    #[schemars(rename = "SprintOutcome")]
    Outcome {
        Completed "completed" "Everything is done.";
        Partial "partial" "Some of it is.";
        Failed "failed" "It could not be done.";
        Replan "replan" "The plan is wrong; `reasons` prove it.";
    }
}

/// What a verifier returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "SprintVerifierReport")]
pub struct VerifierReport {
    /// The sprint it judged.
    pub sprint: String,
    /// One row per criterion it was given.
    pub verdicts: Vec<Verdict>,
    /// What must be fixed, in addition to the criteria that do not hold.
    #[serde(default)]
    pub must_fix: Vec<String>,
}

/// A report, as it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Report {
    /// An agent's.
    Agent(AgentReport),
    /// A verifier's.
    Verifier(VerifierReport),
}

impl Report {
    /// What it rests on where it says that something holds.
    pub(super) fn evidence(&self) -> Vec<&Vec<Evidence>> {
        match self {
            Report::Agent(read) => read.claims.iter().map(|one| &one.evidence).collect(),
            Report::Verifier(read) => shown_by(&read.verdicts).collect(),
        }
    }
}

/// Reads the block of a role's report on `sprint`, blank for any, and names the fields that its form does not know.
///
/// # Errors
/// As the reader; `wrong_subject` for another sprint, `missing_field` for a replan without reasons.
pub(super) fn read(role: Role, sprint: &str, block: &str) -> Result<(Report, Vec<String>)> {
    match role {
        Role::Agent => {
            let (read, unknown): (AgentReport, _) = json::decode_noting(block)?;
            about(sprint, &read.sprint)?;
            let mute = read.reasons.iter().all(|why| why.trim().is_empty());
            let fits = read.outcome != Outcome::Replan || !mute;
            let expected = "the facts that show that the plan is wrong";
            ensure!(fits, Code::MissingField, "reasons", expected, "none")?;
            Ok((Report::Agent(read), unknown))
        }
        Role::Verifier => {
            let (read, unknown): (VerifierReport, _) = json::decode_noting(block)?;
            about(sprint, &read.sprint)?;
            Ok((Report::Verifier(read), unknown))
        }
    }
}

fn about(sprint: &str, named: &str) -> Result<()> {
    ensure!(sprint.is_empty() || sprint == named, Code::WrongSubject, "sprint", sprint, named)
}
