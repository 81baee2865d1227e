//! What a completion mission knows.
//!
//! [`Core`] is bounded by live work and copied aside before each event. What grows with the plan
//! (slices, contract ids, touched paths) sits in tables with an undo log.

use super::facts::FactName;
use super::files::Extra;
use super::files::adopt::Adopted;
use super::files::words::Word;
pub use super::files::words::{ActiveStatus, SliceStatus};
use super::report::Report;
use super::role::{Role, RoleSettings};
use crate::protocols::shared::run;
use crate::protocols::shared::table::FactTable;
pub use crate::protocols::shared::tree::Before;
use crate::vocab::budget::Counter;
use crate::vocab::criterion::Criterion;
use crate::vocab::error::Diagnostic;
use crate::vocab::event::EffectId;
use crate::vocab::ledger::Judgement;
use crate::vocab::question::QuestionKind;
use crate::vocab::repository::PathDigest;
use crate::vocab::table::{Ledgered, Row, Table};
use crate::vocab::time::Millis;
use crate::vocab::verdict::Speaker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a completion mission is started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CompletionConfig")]
pub struct Config {
    /// The mission anchor: one sentence that every file and report repeats.
    pub mission: String,
    /// The project's name.
    pub project_name: String,
    /// How many stop judges must agree at one head; at least 1.
    #[serde(default = "Config::judges")]
    pub required_stop_judges: u32,
    /// Paths of documentation that must stay true.
    #[serde(default)]
    pub docs_surfaces: Vec<String>,
    /// The repository's own verification, each command an argv.
    #[serde(default)]
    pub verification_commands: Vec<Vec<String>>,
    /// Whether the host found the above out itself, so that missing contract files may be written
    /// from it without sending the bootstrapper.
    #[serde(default)]
    pub onboard: bool,
    /// How many failed runs in a row of one step lead to a question.
    #[serde(default = "Config::attempts")]
    pub attempts_per_step: u32,
    /// Tiers and limits other than the defaults.
    #[serde(default)]
    pub roles: BTreeMap<Role, RoleSettings>,
    /// A directory of canonical files to take over.
    #[serde(default)]
    pub adopted: Option<Box<Adoption>>,
}

/// A directory of another engine, with what only the host can know about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adoption {
    /// The directory as it was read.
    pub directory: Adopted,
    /// Canonical files that are on disk, with their digests.
    pub files: Vec<PathDigest>,
    /// Commits of its histories that are the head or an ancestor of it.
    pub ancestors: Vec<String>,
}

impl Config {
    fn judges() -> u32 {
        3
    }

    fn attempts() -> u32 {
        3
    }

    /// A mission with the defaults.
    pub fn new(mission: impl Into<String>, project_name: impl Into<String>) -> Self {
        Config {
            mission: mission.into(),
            project_name: project_name.into(),
            required_stop_judges: Config::judges(),
            docs_surfaces: Vec::new(),
            verification_commands: Vec::new(),
            onboard: false,
            attempts_per_step: Config::attempts(),
            roles: BTreeMap::new(),
            adopted: None,
        }
    }
}

/// The whole state of a completion mission.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CompletionState")]
pub struct State {
    /// Everything that is bounded by live work.
    pub core: Core,
    /// The plan, in order.
    pub slices: Table<Slice>,
    /// How many open slices serve each contract id. Ids are never removed.
    pub contracts: Ledgered,
    /// For each path, the number of the observation that last saw it differ.
    pub touches: Ledgered,
    #[serde(skip)]
    pub(super) before: Option<Box<Core>>,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.core == other.core
            && self.slices == other.slices
            && self.contracts == other.contracts
            && self.touches == other.touches
    }
}

impl Eq for State {}

/// The part of the state that is bounded by live work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Core {
    /// What never changes after the start.
    pub settings: Arc<Settings>,
    /// What the profile file says.
    pub profile: Arc<Profile>,
    /// Unknown fields of the state, plan and active-slice files.
    pub extras: Arc<Extras>,
    /// The tracked contract files.
    pub contract: Contract,
    /// The repository as last seen.
    pub seen: Option<Seen>,
    /// Canonical files as the engine left them.
    pub files: Arc<BTreeMap<String, FileState>>,
    /// History lines that are not yet on disk.
    pub unwritten: Vec<HistoryLine>,
    /// Why the canonical state must be grounded anew, if it must.
    pub reground: Option<Reground>,
    /// What the last re-ground left behind.
    pub grounding: Grounding,
    /// The slice cursor.
    pub active: Option<Active>,
    /// The stop wave.
    pub wave: Wave,
    /// The run that is alive.
    pub run: Option<Run>,
    /// A run that ended and whose effect on the tree has not been looked at.
    pub ended: Option<Ended>,
    /// The fault that the same run is to mend.
    pub correction: Option<Correction>,
    /// Failed runs in a row of the present step.
    pub attempts: u32,
    /// How often each role was started.
    pub visits: BTreeMap<Role, u64>,
    /// What the user must be asked.
    pub asking: Option<Topic>,
    /// Why nothing can go on.
    pub blocked: Option<Diagnostic>,
    /// Answers and notes of the user for the next re-ground.
    pub notes: Vec<String>,
    /// Why verification is skipped, if it is.
    pub skip_verification: Option<String>,
    /// The user agreed to end with deferred work left.
    pub end_with_deferred: bool,
    /// The end, once reached.
    pub done: Option<Done>,
    /// Tallies for people.
    pub counts: Counts,
    /// A write or append met foreign content: look before anything is written again.
    pub relook: bool,
    /// Writes and appends in a row that met foreign content.
    pub foreign_in_a_row: u32,
    /// The last thing that went wrong.
    pub last_problem: Option<Diagnostic>,
    /// Named facts with the event that set each.
    pub facts: FactTable<FactName>,
}

/// What never changes after the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The mission anchor.
    pub mission: String,
    /// Failed runs in a row that lead to a question.
    pub attempts_per_step: u32,
    /// Tiers and limits other than the defaults.
    pub roles: BTreeMap<Role, RoleSettings>,
}

/// What the profile file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The project's name.
    pub project_name: String,
    /// How many stop judges must agree.
    pub required_stop_judges: u32,
    /// Documentation that must stay true.
    pub docs_surfaces: Vec<String>,
    /// The repository's own verification, each command an argv.
    pub verification_commands: Vec<Vec<String>>,
    /// Unknown fields.
    pub extra: Vec<Extra>,
}

/// Unknown fields of others, kept as raw JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Extras {
    /// Of `state.json`.
    pub state: Vec<Extra>,
    /// Of `plan.json`.
    pub plan: Vec<Extra>,
    /// Of `active-slice.json`.
    pub active: Vec<Extra>,
}

/// The tracked contract files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// Files that must be written and committed.
    pub needs: Vec<String>,
    /// What is known suffices to write them without sending the bootstrapper.
    pub known: bool,
    /// Digest of the stop script that is locked.
    pub stop_script: Option<String>,
    /// Its text, if it is not the one that follows from the profile.
    pub stop_script_text: Option<String>,
    /// Content of the repository's `.gitignore` as last seen.
    pub gitignore: String,
    /// Commits the engine made itself.
    pub commits: Vec<String>,
}

/// The repository as last seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RepositoryLastSeen")]
pub struct Seen {
    /// The head; `None` if unborn.
    pub head: Option<String>,
    /// Digest of all local branches and tags.
    pub refs: String,
    /// The last head that was no commit of the engine's own.
    pub work: Option<String>,
    /// What is dirty.
    pub dirty: Vec<PathDigest>,
    /// Nothing has happened since that could have changed the tree.
    pub fresh: bool,
    /// Counts the heads that were seen.
    pub ordinal: u64,
    /// Everything verified at or before this ordinal is stale, whatever its paths: history was
    /// rewritten, or a change was too large to list.
    pub stale_before: u64,
}

impl Seen {
    /// The head in words: `none` if unborn.
    pub fn head_word(&self) -> &str {
        self.head.as_deref().unwrap_or("none")
    }
}

/// One canonical file as the engine left it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileState {
    /// Digest of what is on disk as far as is known; `None` for nothing.
    pub digest: Option<String>,
    /// Length on disk, for files that only grow.
    pub length: u64,
    /// Counts the contents it should have had.
    pub wanted: u64,
    /// The content that is on disk.
    pub written: u64,
    /// Digest of what its content depends on.
    pub key: String,
    /// Foreign content to keep aside before it is replaced.
    pub aside: Option<String>,
}

/// A line that waits to be appended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryLine {
    /// The file.
    pub path: String,
    /// The line, with its newline.
    pub text: String,
}

/// Why the canonical state must be grounded anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reground {
    /// The reason in one word.
    pub reason: RegroundReason,
    /// What is behind it, for the regrounder.
    pub details: Vec<String>,
}

/// See [`Reground`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegroundReason {
    /// Nothing has been grounded yet.
    Fresh,
    /// The plan was taken over from another engine.
    Adopted,
    /// A canonical file was missing, unreadable, contradictory or edited beyond what is allowed.
    FilesDistrusted,
    /// The implementer found the plan wrong.
    PlanDrift,
    /// The worktree is dirty although it must be clean.
    DirtyTree,
    /// The head moved away from the claimed commit.
    HeadMoved,
    /// A stop judge said no.
    JudgeRefused,
    /// The stop verifier failed.
    VerifierFailed,
}

/// What the last re-ground left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grounding {
    /// A plan was made.
    pub planned: bool,
    /// What the plan rests on.
    pub plan_basis: String,
    /// When.
    pub at: Option<Millis>,
    /// Slices committed since.
    pub slices_since: u64,
    /// Release blockers left, if counted.
    pub release_blockers: Option<u64>,
    /// High-value gaps left, if counted.
    pub high_value_gaps: Option<u64>,
    /// Ids of the release blockers.
    pub release_blocker_ids: Vec<String>,
    /// The last auditor's word.
    pub auditor_verdict: Option<String>,
    /// The slice that was committed last.
    pub completed_slice: Option<String>,
    /// The slice that was accepted last.
    pub verified_slice: Option<String>,
    /// Counts changes of the plan file.
    pub plan_revision: u64,
}

/// One slice of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slice {
    /// Unique id.
    pub slice_id: String,
    /// What it is for.
    pub goal: String,
    /// What defines done.
    pub criteria: Vec<Criterion>,
    /// Contract ids it serves.
    pub contract_ids: Vec<String>,
    /// Rank 1..8 of `completion-default`.
    pub priority: u8,
    /// Where it is.
    pub status: SliceStatus,
    /// Why it matters now.
    pub why_now: String,
    /// Slices that must be closed first, or reasons in words.
    pub blocked_on: Vec<String>,
    /// What must be fixed when it is worked on next.
    pub must_fix: Vec<String>,
    /// Why it was let go or put off.
    pub disposition: Option<Disposition>,
    /// How it was closed.
    pub closed: Option<Closed>,
    /// Evidence lines taken over from another engine.
    pub evidence: Vec<String>,
    /// Unknown fields.
    pub extra: Vec<Extra>,
}

/// Why a slice was let go or put off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Disposition {
    /// Let go: waived, and its dependants may go on.
    Skipped {
        /// Why.
        reason: String,
    },
    /// Put off: its dependants wait.
    Deferred {
        /// Why.
        reason: String,
    },
}

/// How a slice was closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Closed {
    /// The commit it was verified at.
    pub commit: String,
    /// The commit its work began from.
    pub basis: String,
    /// The ordinal of that head.
    pub ordinal: u64,
    /// What it covers: its own diff. Empty means everything.
    pub paths: Vec<String>,
}

impl Row for Slice {
    fn id(&self) -> &str {
        &self.slice_id
    }

    fn group(&self) -> &'static str {
        match &self.disposition {
            Some(Disposition::Deferred { .. }) => "deferred",
            _ => self.status.as_str(),
        }
    }

    fn is_live(&self) -> bool {
        !self.closed()
    }
}

impl Slice {
    /// Whether its dependants may go on.
    pub fn closed(&self) -> bool {
        matches!(self.status, SliceStatus::Done | SliceStatus::Cancelled)
    }

    /// Whether it was put off.
    pub fn deferred(&self) -> bool {
        matches!(self.disposition, Some(Disposition::Deferred { .. }))
    }
}

/// The slice cursor with the exact hand-off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Active {
    /// The slice.
    pub slice_id: String,
    /// Where it is.
    pub status: ActiveStatus,
    /// Notes that bind the implementer.
    pub locked_notes: Vec<String>,
    /// What must be fixed.
    pub must_fix: Vec<String>,
    /// The head when it was selected; `none` if the branch was unborn.
    pub basis_commit: String,
    /// Contract ids that were open at the hand-off.
    pub remaining_contract_ids_before: Vec<String>,
    /// Release blockers at the hand-off.
    pub release_blocker_count_before: u64,
    /// High-value gaps at the hand-off.
    pub high_value_gap_count_before: u64,
    /// The accepted claim.
    pub claim: Option<AcceptedClaim>,
    /// The review of it.
    pub review: Option<Judgement>,
    /// The audit of it.
    pub audit: Option<Judgement>,
}

/// A claim that was accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptedClaim {
    /// Who claimed.
    pub by: Speaker,
    /// The commit.
    pub commit: String,
    /// The ordinal of that head.
    pub ordinal: u64,
    /// What differs from the basis. Empty means everything.
    pub paths: Vec<String>,
}

/// The stop wave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wave {
    /// Counts the waves that were begun.
    pub number: u64,
    /// Judgements of this wave, all at one head.
    pub judgements: Vec<StopJudgement>,
    /// The head at which the stop verifier passed after the last judgement.
    pub verified_at: Option<String>,
}

/// One judgement that the mission may stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopJudgement {
    /// Who judged.
    pub by: Speaker,
    /// At which head.
    pub head: String,
    /// `slice/criterion` of the stale criteria it showed to hold there.
    pub shown: Vec<String>,
}

/// A run that is alive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Its role.
    pub role: Role,
    /// Who it is.
    pub by: Speaker,
    /// The slice it works on.
    pub item: Option<String>,
    /// The run it corrects.
    pub corrects: Option<EffectId>,
    /// The tree before it.
    pub before: Before,
    /// Canonical files that were found changed while it ran.
    pub tampered: Vec<String>,
}

/// A run that ended, with its readable report if there is one.
pub type Ended = run::Ended<Run, Report>;

/// A report that must be given again.
pub type Correction = run::Correction<Role>;

/// What the user must be asked, with all that is needed to act on the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case", deny_unknown_fields)]
pub enum Topic {
    /// One step failed again and again.
    StepStuck {
        /// The role that failed.
        role: String,
        /// How it failed last.
        problem: Diagnostic,
    },
    /// The host could not perform something.
    EffectFailed {
        /// What, in words.
        what: String,
        /// Why.
        problem: Diagnostic,
        /// What was to be asked before it failed, and is asked after it.
        then: Option<Box<Topic>>,
    },
    /// The locked stop script was changed by hand.
    StopScript {
        /// Digest of what is there now.
        digest: String,
        /// What is there now.
        text: String,
    },
    /// The bootstrapper proposes other verification commands than the locked ones.
    NewStopScript {
        /// The commands, each an argv.
        commands: Vec<Vec<String>>,
    },
    /// A history file is not as it was left.
    HistoryChanged {
        /// The file.
        path: String,
        /// Digest of what is there now.
        digest: Option<String>,
        /// Length of what is there now.
        length: u64,
    },
    /// The regrounder wants criteria or slices let go.
    Proposals {
        /// Which, and why.
        proposals: Vec<Proposal>,
    },
    /// Nothing but deferred work is left.
    EndWithDeferred,
    /// The tree is dirty and no slice of ours is to blame.
    DirtyStart {
        /// The paths.
        paths: Vec<String>,
    },
    /// A role asks.
    RoleAsks {
        /// The role.
        role: String,
        /// What.
        text: String,
        /// The kind of answer.
        kind: QuestionKind,
    },
    /// A budget is spent.
    Budget {
        /// Which.
        counter: Counter,
    },
}

/// Something the regrounder wants let go; only the user may say yes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// The slice.
    pub slice_id: String,
    /// One criterion of it, or all of it.
    #[serde(default)]
    pub criterion: Option<String>,
    /// Why.
    pub reason: String,
}

/// The verified end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// When.
    pub at: Millis,
    /// The head at which everything was shown.
    pub head: String,
    /// Always `verified` in this protocol.
    pub closed_by: String,
    /// `slice/criterion` of everything that was let go.
    pub waived: Vec<String>,
    /// Slices that were put off.
    pub deferred: Vec<String>,
}

/// Tallies for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Reports that were refused, unreadable ones included.
    pub refused_reports: u64,
    /// Slices that were opened again.
    pub reopened: u64,
    /// Runs that failed or were lost.
    pub failed_runs: u64,
    /// Hand edits that were adopted.
    pub adopted_edits: u64,
    /// Hand edits that were kept aside.
    pub rejected_edits: u64,
}
