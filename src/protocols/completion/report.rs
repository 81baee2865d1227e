//! What each role must return: a text that begins with the shared header and holds one fenced
//! `json` block. The types here are the source of the published schemas.

use super::role::Role;
use super::state::Proposal;
use crate::mission::prelude::*;
use crate::vocab::json;
use crate::vocab::question::QuestionKind;
use crate::vocab::verdict::{Claim, Verdict, shown_by};

/// A readable report of any role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// Of the bootstrapper.
    Bootstrap(BootstrapReport),
    /// Of the regrounder.
    Reground(Box<RegroundReport>),
    /// Of the implementer.
    Implement(ImplementReport),
    /// Of the reviewer.
    Review(ReviewReport),
    /// Of the auditor.
    Audit(AuditReport),
    /// Of a stop judge.
    Judge(JudgeReport),
}

impl Report {
    /// What it rests on where it says that something holds.
    pub(super) fn evidence(&self) -> Vec<&Vec<Evidence>> {
        match self {
            Report::Bootstrap(_) | Report::Reground(_) => Vec::new(),
            Report::Implement(read) => read.claims.iter().map(|one| &one.evidence).collect(),
            Report::Review(read) => shown_by(&read.verdicts).collect(),
            Report::Audit(read) => shown_by(&read.verdicts).collect(),
            Report::Judge(read) => {
                let holds = read.stale_verdicts.iter().filter(|one| one.finding == Finding::Holds);
                holds.map(|one| &one.evidence).collect()
            }
        }
    }
}

/// What the bootstrapper returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BootstrapReport {
    /// The mission, as the repository's contract should state it; must be the mission anchor.
    pub mission: String,
    /// Documentation that must stay true to what is shipped, as paths.
    pub docs_surfaces: Vec<String>,
    /// The repository's own verification, each command as program and arguments.
    pub verification_commands: Vec<Vec<String>>,
}

/// What the regrounder returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegroundReport {
    /// What the plan rests on: what was read and run.
    pub plan_basis: String,
    /// New slices, and known ones with changes. Slices that are not named stay as they are.
    #[serde(default)]
    pub slices: Vec<SliceReport>,
    /// The one slice to work on next.
    #[serde(default)]
    pub selected: Option<Selection>,
    /// The decision on the latest committed slice, when there is one to decide on.
    #[serde(default)]
    pub reconciliation: Option<Reconciliation>,
    /// Closed slices whose criteria no longer hold.
    #[serde(default)]
    pub reopened: Vec<Reopening>,
    /// Criteria to waive or slices to skip; the user decides.
    #[serde(default)]
    pub proposals: Vec<Proposal>,
    /// Release blockers left.
    pub remaining_release_blockers: u64,
    /// High-value gaps left.
    pub remaining_high_value_gaps: u64,
    /// Ids of the release blockers.
    #[serde(default)]
    pub release_blocker_ids: Vec<String>,
    /// At the final re-ground: whether the mission may stop.
    #[serde(default)]
    pub can_stop: Option<bool>,
    /// Something only the user can answer.
    #[serde(default)]
    pub question: Option<RoleQuestion>,
    /// Why nothing can go on, if so.
    #[serde(default)]
    pub blocked: Option<String>,
}

/// A slice in a re-ground report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SliceReport {
    /// Unique id.
    pub slice_id: String,
    /// What it is for.
    pub goal: String,
    /// Conditions that define done. For a known slice: all it has, and new ones behind them.
    pub acceptance_criteria: Vec<String>,
    /// Contract ids it serves. For a known slice: all it has, and new ones.
    pub contract_ids: Vec<String>,
    /// Rank 1..8.
    pub priority: u8,
    /// Why it matters now.
    pub why_now: String,
    /// Slices that must be closed first, or reasons in words.
    #[serde(default)]
    pub blocked_on: Vec<String>,
}

/// The chosen slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// Its id.
    pub slice_id: String,
    /// Notes that bind the implementer.
    #[serde(default)]
    pub locked_notes: Vec<String>,
}

/// The decision on the latest committed slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reconciliation {
    /// The slice.
    pub slice_id: String,
    /// The decision.
    pub decision: Decision,
    /// What must be fixed; for `reopened`.
    #[serde(default)]
    pub must_fix_findings: Vec<String>,
}

words! {
    /// See [`Reconciliation`].
    Decision {
        Accepted "accepted" "It is done.";
        Reopened "reopened" "It is not.";
    }
}

/// A closed slice that must be reopened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reopening {
    /// The slice.
    pub slice_id: String,
    /// Why.
    pub reason: String,
}

/// A question of a role to the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleQuestion {
    /// In plain words.
    pub text: String,
    /// The kind of answer; free text if absent.
    #[serde(default)]
    pub kind: Option<QuestionKind>,
}

/// What the implementer returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImplementReport {
    /// The slice it worked on.
    pub slice_id: String,
    /// How it went.
    pub outcome: ImplementOutcome,
    /// The commit that carries the slice, in full; for `implemented`.
    #[serde(default)]
    pub commit_sha: Option<String>,
    /// One claim per criterion; for `implemented`.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// What was found wrong with the plan; for `plan_drift`.
    #[serde(default)]
    pub drift_facts: Vec<String>,
    /// Slices the drift affects.
    #[serde(default)]
    pub affected_slices: Vec<String>,
    /// What is in the way; for `blocked`.
    #[serde(default)]
    pub blocker: Option<String>,
}

words! {
    /// See [`ImplementReport`].
    ImplementOutcome {
        Implemented "implemented" "Committed, every criterion claimed.";
        PlanDrift "plan_drift" "The plan does not fit the truth of the repository.";
        Blocked "blocked" "Something outside the slice blocks it.";
    }
}

/// What the reviewer returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewReport {
    /// The slice.
    pub slice_id: String,
    /// The commit that was reviewed, in full.
    pub commit_sha: String,
    /// One verdict per criterion. A criterion that is left out is not shown.
    pub verdicts: Vec<Verdict>,
    /// Whether the documentation surfaces are true to what is shipped.
    pub docs: Finding,
    /// What must be fixed before the slice can be accepted.
    pub must_fix_findings: Vec<String>,
    /// Whether the slice can be accepted as it is.
    pub acceptable: bool,
}

/// What the auditor returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditReport {
    /// The slice.
    pub slice_id: String,
    /// The commit that was audited, in full.
    pub commit_sha: String,
    /// One verdict per criterion. A criterion that is left out is not shown.
    pub verdicts: Vec<Verdict>,
    /// Whether the documentation surfaces are true to what is shipped.
    pub docs: Finding,
    /// What must be fixed before the slice can be accepted.
    pub must_fix_findings: Vec<String>,
    /// Whether the slice can be accepted as it is.
    pub acceptable: bool,
    /// Release blockers left in the project.
    pub release_blocker_count: u64,
    /// High-value gaps left in the project.
    pub high_value_gap_count: u64,
}

impl AuditReport {
    /// What a reviewer would say of the same.
    pub(super) fn as_review(&self) -> ReviewReport {
        ReviewReport {
            slice_id: self.slice_id.clone(),
            commit_sha: self.commit_sha.clone(),
            verdicts: self.verdicts.clone(),
            docs: self.docs,
            must_fix_findings: self.must_fix_findings.clone(),
            acceptable: self.acceptable,
        }
    }
}

/// What a stop judge returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgeReport {
    /// The head that was judged, in full.
    pub head_sha: String,
    /// Whether the mission may stop here.
    pub can_stop: bool,
    /// Release blockers left.
    pub blocker_count: u64,
    /// High-value gaps left.
    pub high_value_gap_count: u64,
    /// A verdict for each criterion that went stale since it was verified.
    #[serde(default)]
    pub stale_verdicts: Vec<StaleVerdict>,
    /// Why, above all when the answer is no.
    pub reasons: Vec<String>,
}

/// A verdict on a stale criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StaleVerdict {
    /// The slice.
    pub slice_id: String,
    /// The criterion.
    pub criterion: String,
    /// What was found at this head.
    pub finding: Finding,
    /// How.
    pub method: String,
    /// Typed proof.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
}

/// The schemas of all reports, by name.
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    let schema = |role: &Role| match role {
        Role::Bootstrapper => schemars::schema_for!(BootstrapReport),
        Role::Regrounder => schemars::schema_for!(RegroundReport),
        Role::Implementer => schemars::schema_for!(ImplementReport),
        Role::Reviewer => schemars::schema_for!(ReviewReport),
        Role::Auditor => schemars::schema_for!(AuditReport),
        Role::StopJudge => schemars::schema_for!(JudgeReport),
    };
    Role::ALL.iter().map(|role| (role.cast().schema, schema(role))).collect()
}

/// Reads the block of a report of `role`, and names the fields that its form does not know.
///
/// # Errors
/// The fault of the block with its JSON path.
pub(super) fn read(role: Role, block: &str) -> Result<(Report, Vec<String>)> {
    fn read<T: Readable>(block: &str, as_one: fn(T) -> Report) -> Result<(Report, Vec<String>)> {
        json::decode_noting(block).map(|(report, unknown)| (as_one(report), unknown))
    }
    match role {
        Role::Bootstrapper => read(block, Report::Bootstrap),
        Role::Regrounder => read(block, Report::Reground),
        Role::Implementer => read(block, Report::Implement),
        Role::Reviewer => read(block, Report::Review),
        Role::Auditor => read(block, Report::Audit),
        Role::StopJudge => read(block, Report::Judge),
    }
}
