//! What an iteration mission knows. All of it is bounded: of the runs before only the last summaries
//! are kept, clipped; everything else is in the journal and in the history file.

use super::definition::Definition;
use super::facts::FactName;
use super::handler::project::Phase;
use super::handler::{Answer, Args, Handler};
use crate::mission::prelude::*;
use crate::mission::role::RoleSettings;
use crate::mission::settings::number;
use crate::mission::table::FactTable;
use crate::view::ClosedBy;
use crate::vocab::event::RunOutcome;
use crate::vocab::on_write::OnWrite;

const ATTEMPTS: u32 = 3;
const SUMMARIES: u32 = 3;
const SUMMARY_CHARS: u32 = 200;

/// What an iteration mission is started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "IterationConfig")]
pub struct Config {
    /// What the agent is to do, in words.
    pub mission: String,
    /// Who the agent is and when it is done; see [`super::definition::parse`].
    pub definition: Definition,
    /// The arguments of the caller, by name.
    #[serde(default)]
    pub args: Args,
    /// Templates in the place of ours, by name.
    #[serde(default)]
    pub templates: BTreeMap<String, String>,
    /// Completion types that the host answers, in addition to the known ones.
    #[serde(default)]
    pub registered: Vec<String>,
    /// The ceiling of runs, if it is not the handler's own.
    #[serde(default)]
    pub ceiling: Option<u64>,
    /// How many failed runs, or answers that show nothing, in a row lead to a question.
    #[serde(default = "number::<ATTEMPTS, u32>")]
    pub attempts_per_step: u32,
    /// How many summaries a continuation prompt carries.
    #[serde(default = "number::<SUMMARIES, u32>")]
    pub summaries: u32,
    /// How many characters of each.
    #[serde(default = "number::<SUMMARY_CHARS, u32>")]
    pub summary_chars: u32,
    /// Tier and limits of the agent, other than the defaults.
    #[serde(default)]
    pub role: RoleSettings,
    /// The agent works in a git repository: its head is looked at before the first run and after each.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follow_head: bool,
}

impl Config {
    /// A mission with the defaults.
    pub fn new(mission: impl Into<String>, definition: Definition) -> Self {
        Config {
            mission: mission.into(),
            definition,
            args: BTreeMap::new(),
            templates: BTreeMap::new(),
            registered: Vec::new(),
            ceiling: None,
            attempts_per_step: ATTEMPTS,
            summaries: SUMMARIES,
            summary_chars: SUMMARY_CHARS,
            role: RoleSettings::default(),
            follow_head: false,
        }
    }
}

/// The whole state of an iteration mission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "IterationState")]
pub struct State {
    /// Everything it knows.
    pub core: OnWrite<Core>,
}

/// Everything an iteration mission knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "IterationCore")]
pub struct Core {
    /// What every mission knows.
    pub life: Life,
    /// What never changes after the start.
    pub settings: Arc<Settings>,
    /// How many runs were started; the number of the present or last one.
    pub iteration: u64,
    /// How many may be started.
    pub ceiling: u64,
    /// The phase of a project.
    pub phase: Phase,
    /// The last runs in short, oldest first.
    pub summaries: Vec<Summary>,
    /// The head is to be looked at before anything goes on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
    /// A run that ended and that the handler has not judged yet.
    pub judging: Option<Judging>,
    /// What the handler found last.
    pub last: Option<Judgement>,
    /// Answers of handlers in a row that showed nothing.
    pub unshown: u32,
    /// What the host's handler wants the next run to be told.
    pub next_prompt: Option<String>,
    /// What the host's handler wants to be given back.
    pub memory: Option<String>,
    /// Why the user opened the mission again, for the next prompt.
    pub note: Option<String>,
    /// The end, once reached.
    pub done: Option<Done>,
    /// Answers of handlers that showed nothing.
    pub unshown_answers: u64,
    /// Digest of the status file as it should be.
    pub status: String,
    /// Named facts with the event that set each.
    pub facts: FactTable<FactName>,
}

/// What never changes after the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "IterationSettings")]
pub struct Settings {
    /// What the agent is to do.
    pub mission: String,
    /// Who it is.
    pub definition: Definition,
    /// When it is done.
    pub handler: Handler,
    /// The arguments of the caller.
    pub args: Args,
    /// Templates in the place of ours.
    pub templates: BTreeMap<String, String>,
    /// The ceiling at the start: what `more` adds.
    pub ceiling: u64,
    /// Failures in a row that lead to a question.
    pub attempts_per_step: u32,
    /// Summaries in a continuation prompt.
    pub summaries: u32,
    /// Characters of each.
    pub summary_chars: u32,
    /// Tier and limits of the agent.
    pub role: RoleSettings,
    /// See [`Config::follow_head`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follow_head: bool,
}

/// One run in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "IterationSummary")]
pub struct Summary {
    /// Its number.
    pub iteration: u64,
    /// The beginning of what it said; `...` for nothing.
    pub text: String,
    /// The phase it named, of a project.
    pub phase: Option<Phase>,
}

/// A run that is being judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "IterationJudging")]
pub struct Judging {
    /// The run.
    pub run: EffectId,
    /// Its number.
    pub iteration: u64,
    /// How it ended.
    pub outcome: RunOutcome,
    /// When.
    pub at: Millis,
    /// The answers that are there, one place per condition.
    pub answers: Vec<Option<Answer>>,
    /// What host code is given, if any is asked.
    pub input: Option<Arc<String>>,
}

/// What the handler found after a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "IterationJudgement")]
pub struct Judgement {
    /// The number of the run.
    pub iteration: u64,
    /// Shown to hold, not to hold, or not shown.
    pub finding: Finding,
    /// In words.
    pub words: String,
    /// The answers, one place per condition; those that were not needed are missing.
    pub answers: Vec<Option<Answer>>,
}

/// What the user is asked here alone: a handler showed nothing again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandlerSilent {
    /// The condition, by its place.
    pub condition: u32,
    /// What it said last.
    pub problem: Diagnostic,
}

impl HandlerSilent {
    /// The topic in a word.
    pub(super) const WORD: &'static str = "handler_silent";
}

/// The end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "IterationDone")]
pub struct Done {
    /// When.
    pub at: Millis,
    /// After which run.
    pub iteration: u64,
    /// How it was shown.
    pub closed_by: ClosedBy,
    /// Why it is complete, in words.
    pub description: String,
    /// What the user waived instead.
    pub waived: Vec<String>,
}

impl Core {
    /// The handler.
    pub(super) fn handler(&self) -> &Handler {
        &self.settings.handler
    }

    /// The condition that must be answered next, by its place.
    pub(super) fn next_condition(&self) -> Option<usize> {
        let judging = self.judging.as_ref()?;
        match self.handler().evaluate(&judging.answers) {
            super::handler::Eval::Needs(place) => Some(place),
            super::handler::Eval::Known(_) => None,
        }
    }
}
