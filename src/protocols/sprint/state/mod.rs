//! What a sprint mission knows.
//!
//! [`Core`] is bounded by live work and copied aside before each event. What grows with the plan (units,
//! sprints, decisions, touched paths) sits in tables with an undo log.

mod gate;
mod runs;
mod standing;
mod unit;

pub use super::config::{
    Check, Clarity, CommandLine, Config, CriterionConfig, Expect, Names, PlanFile, SprintConfig,
    Structure, TaskKind, Traits, UnitConfig,
};
use super::facts::FactName;
pub use super::status::{SprintStatus, UnitStatus};
use crate::mission::prelude::*;
use crate::mission::table::FactTable;
use crate::vocab::on_write::OnWrite;
use crate::vocab::repository::PathDigest;
use crate::vocab::table::{Ledgered, Table};
use crate::vocab::verdict::Claim;
pub use gate::*;
pub use runs::*;
pub use standing::*;
pub use unit::*;

/// The state of a sprint mission.
#[derive(Clone, Debug, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintState")]
pub struct State {
    /// Everything that is bounded by live work.
    pub core: OnWrite<Core>,
    /// The work units, in the order of the plan.
    pub units: Table<Unit>,
    /// The sprints, unit by unit.
    pub sprints: Table<Sprint>,
    /// What was decided, in order.
    pub decisions: Table<DecisionRow>,
    /// For each path, the number of the observation that last saw it differ.
    pub touches: Ledgered,
    /// The arrows that the present event took, for the invariant that knows them all.
    #[serde(skip)]
    pub(super) moves: Vec<Arrow>,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.core == other.core
            && self.units == other.units
            && self.sprints == other.sprints
            && self.decisions == other.decisions
            && self.touches == other.touches
    }
}

impl Eq for State {}

impl State {
    /// The arrows that the last event took, in order: `sprint PENDING → DISPATCHED`. They are not kept.
    pub fn arrows(&self) -> impl Iterator<Item = String> + '_ {
        self.moves.iter().map(|arrow| match arrow {
            Arrow::Unit(_, from, to) => format!("unit {} → {}", from.as_str(), to.as_str()),
            Arrow::Sprint(_, from, to) => format!("sprint {} → {}", from.as_str(), to.as_str()),
        })
    }
}

/// One change of a status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Arrow {
    /// Of a unit.
    Unit(String, UnitStatus, UnitStatus),
    /// Of a sprint.
    Sprint(String, SprintStatus, SprintStatus),
}

/// The part of the state that is bounded by live work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintCore")]
pub struct Core {
    /// What every mission knows.
    pub life: Life,
    /// What never changes after the start; its units are rows of their own.
    pub settings: Arc<Config>,
    /// What is known of each run besides, until it is judged.
    pub watched: BTreeMap<EffectId, Watched>,
    /// The gate that is being run.
    pub gate: Option<Gate>,
    /// A stop is under way.
    pub stopping: Option<Stopping>,
    /// When everything was killed, if it was.
    pub killed_at: Option<Millis>,
    /// Commands that were lost one after the other.
    pub lost_commands: u32,
    /// Everything was killed and what is left was not told yet: with how many runs that were ended.
    pub kill_told: Option<u64>,
    /// Heads that are no longer behind the head, with the one that came in their place.
    pub lost_heads: Vec<String>,
    /// Commits that several runs may have made, and that are not known to be of one of them.
    pub joint: Vec<Unclaimed>,
    /// Commands that are to be ended; nothing waits for their results.
    pub halting: Vec<EffectId>,
    /// A look is due to see whether runs move.
    pub watch_due: bool,
    /// The commands of the plan may be run.
    pub trusted: bool,
    /// The user let no command of the plan be run.
    pub commands_barred: bool,
    /// The plan as it was last seen to differ.
    pub plan_seen: Option<String>,
    /// The changed plan that the user keeps.
    pub plan_kept: Option<String>,
    /// What was dirty when the repository was first looked at.
    pub dirty_before: Option<Vec<PathDigest>>,
    /// Uncommitted work that the user keeps as it is.
    pub dirty_kept: Vec<PathDigest>,
    /// A command was run since the repository was last looked at.
    pub commands_unseen: bool,
    /// The state of a running mission, as its state file says it; `None` while it goes on.
    pub stands: Option<Continuation>,
    /// The head at which everything was shown, while the last look of the end is due.
    pub last_look: Option<String>,
    /// The head at which the mission first looked; `none` if unborn, or not known.
    pub first_head: Option<String>,
    /// A head was seen that does not follow the one before it.
    pub rewritten: bool,
    /// The ordinal of the head whose history was looked through since.
    pub history_at: Option<u64>,
    /// Commits of sprints that are not in that history.
    pub gone: BTreeSet<String>,
    /// Results of gates that the user waived.
    pub gates_waived: Vec<String>,
    /// When the first run was dispatched.
    pub began_at: Option<Millis>,
    /// When the mission came to its end.
    pub ended_at: Option<Millis>,
    /// The ordinal of the head at which everything was built and shown together.
    pub shown_at: Option<u64>,
    /// Tallies for people.
    pub counts: Counts,
    /// Named facts with the event that set each.
    pub facts: FactTable<FactName>,
}

/// Claims of a report for criteria that are open, in the words of the vocabulary.
pub(super) fn complete(claims: &[Claim], id: &str) -> Option<Claim> {
    use crate::vocab::verdict::ClaimStatus;
    let claim = claims.iter().find(|claim| claim.criterion == id);
    claim.filter(|claim| claim.status == ClaimStatus::Complete).cloned()
}
