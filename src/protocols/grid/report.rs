//! What each role must return: the source of the published schemas.
//!
//! A report begins with the shared header and holds one fenced block, `json` or `yaml`; both are read by
//! the same types. Outcomes are the words of a field, never words found in prose. Fields that are not
//! known are passed over: agents write more than they are asked for.

use super::form::{text, wave, word, words};
use super::plan::Front;
use super::role::Role;
use super::scratchpad::EntryForm;
use super::warmth::Lessons;
use crate::plan::yaml;
use crate::protocols::shared::report as shared;
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::evidence::Evidence;
use crate::vocab::json;
use crate::vocab::verdict::Verdict;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The most items of any list of a report.
const MOST_ITEMS: usize = 500;

/// What a planner returns, for a cluster or for its gaps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridPlannerReport")]
pub struct PlannerReport {
    /// The name of the cluster.
    #[serde(default, deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub cluster: Option<String>,
    /// How many plans there are; checked.
    #[serde(default)]
    pub total_blocks: Option<u32>,
    /// How many waves; checked.
    #[serde(default)]
    pub total_waves: Option<u32>,
    /// The plans.
    pub plans: Vec<Planned>,
    /// Which plan is in which wave; checked.
    #[serde(default)]
    pub wave_structure: BTreeMap<String, Vec<String>>,
    /// What was learned.
    #[serde(default)]
    pub lessons_learned: Lessons,
}

/// One plan of a planner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridPlanned")]
pub struct Planned {
    /// Its id.
    #[serde(deserialize_with = "text")]
    #[schemars(with = "String")]
    pub id: String,
    /// Its phase; that of the front matter counts first.
    #[serde(default, deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub phase: Option<String>,
    /// Its wave.
    #[serde(default, deserialize_with = "wave")]
    #[schemars(with = "Option<u32>")]
    pub wave: Option<u32>,
    /// What it waits for.
    #[serde(default, deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub depends_on: Vec<String>,
    /// Whether it has no checkpoints.
    #[serde(default)]
    pub autonomous: Option<bool>,
    /// Files it changes.
    #[serde(default, deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub files_modified: Vec<String>,
    /// What it is for.
    #[serde(default, deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub objective: Option<String>,
    /// The gaps it closes: `plan/criterion`.
    #[serde(default, deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub closes: Vec<String>,
    /// Its front matter.
    #[serde(default)]
    pub frontmatter: Front,
    /// Its body.
    #[serde(default)]
    pub content: String,
}

/// How an executor came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// Everything is done and committed.
    Success,
    /// A person must act.
    Checkpoint,
    /// It does not work.
    Failure,
}

/// What an executor returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridExecutorReport")]
pub struct ExecutorReport {
    /// The block.
    #[serde(alias = "plan", alias = "block_id", deserialize_with = "text")]
    #[schemars(with = "String")]
    pub block: String,
    /// How it came out.
    pub status: Status,
    /// With `SUCCESS`.
    #[serde(default)]
    pub summary: Option<Summary>,
    /// Proof for must-haves, by their ids.
    #[serde(default)]
    pub claims: Vec<Proof>,
    /// With `CHECKPOINT`.
    #[serde(default)]
    pub checkpoint: Option<Checkpoint>,
    /// With `FAILURE`.
    #[serde(default)]
    pub failure: Option<Failure>,
    /// What was done beside the plan, each with its rule.
    #[serde(default)]
    pub deviations: Vec<Deviation>,
    /// Approaches that were tried, whatever came of them.
    #[serde(default, deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub approaches: Vec<String>,
    /// Entries that were not written while at work.
    #[serde(default)]
    pub scratchpad: Vec<EntryForm>,
    /// What was learned.
    #[serde(default)]
    pub lessons_learned: Lessons,
}

/// Proof for one must-have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridProof")]
pub struct Proof {
    /// Its id.
    pub criterion: String,
    /// Typed evidence.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
}

/// What stands in the front matter of a summary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "GridSummary")]
pub struct Summary {
    /// The part of the system.
    #[serde(deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub subsystem: Option<String>,
    /// What it builds on.
    pub requires: Vec<Required>,
    /// What it provides.
    #[serde(deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub provides: Vec<String>,
    /// What it affects.
    #[serde(deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub affects: Vec<String>,
    /// What was added.
    #[serde(rename = "tech-stack", alias = "tech_stack")]
    pub tech_stack: TechStack,
    /// Files that matter.
    #[serde(rename = "key-files", alias = "key_files")]
    pub key_files: KeyFiles,
    /// The commits that carry it.
    #[serde(deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub commits: Vec<String>,
    /// Decisions that were made.
    #[serde(deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub decisions: Vec<String>,
    /// What was done, in words.
    #[serde(deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub words: Option<String>,
}

/// What a summary builds on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "GridRequired")]
pub struct Required {
    /// The phase.
    pub phase: String,
    /// What it provides.
    pub provides: String,
}

/// What was added to the tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "GridTechStack")]
pub struct TechStack {
    /// Libraries.
    #[serde(deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub added: Vec<String>,
    /// Ways of doing things.
    #[serde(deserialize_with = "words", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub patterns: Vec<String>,
}

/// Files that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "GridKeyFiles")]
pub struct KeyFiles {
    /// New ones.
    #[serde(deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub created: Vec<String>,
    /// Changed ones.
    #[serde(deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub modified: Vec<String>,
}

impl KeyFiles {
    /// All of them, in one spelling.
    pub fn all(&self) -> impl Iterator<Item = String> + '_ {
        self.created.iter().chain(&self.modified).map(|path| super::plan::normal(path))
    }
}

/// Something that was done beside the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridDeviation")]
pub struct Deviation {
    /// 1 bug, 2 missing critical, 3 blocking, 4 architectural change.
    pub rule: u8,
    /// What.
    pub description: String,
}

impl Deviation {
    /// As it is cited: `[Rule 1 - Bug] …`.
    pub fn cited(&self) -> String {
        let kind = match self.rule {
            1 => "Bug",
            2 => "Missing Critical",
            3 => "Blocking",
            _ => "Architectural",
        };
        format!("[Rule {} - {kind}] {}", self.rule, self.description)
    }
}

/// The three types of checkpoint.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum CheckpointType {
    /// A person confirms that what was built works.
    HumanVerify,
    /// A person chooses.
    Decision,
    /// A person does what nothing else can.
    HumanAction,
}

/// A place where a person must act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridCheckpoint")]
pub struct Checkpoint {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: CheckpointType,
    /// Threads that are done.
    #[serde(default)]
    pub completed_threads: Vec<ThreadDone>,
    /// How many threads the block has.
    #[serde(default)]
    pub total_threads: Option<u32>,
    /// Where it stands.
    pub current_thread: CurrentThread,
    /// Where the next run goes on.
    #[serde(default, deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub resume_point: Option<String>,
    /// What the person is to do.
    #[serde(default, deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub awaiting: Option<String>,
    /// human-verify: what was built.
    #[serde(default, deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub what_was_built: Option<String>,
    /// human-verify: how to verify it, step by step.
    #[serde(default, deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub how_to_verify: Vec<String>,
    /// decision: what is being decided.
    #[serde(default, deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub decision: Option<String>,
    /// decision: the ways.
    #[serde(default)]
    pub options: Vec<Way>,
    /// human-action: what was tried without a person.
    #[serde(default, deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub automation_attempted: Option<String>,
    /// human-action: the one step.
    #[serde(default, deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub what_you_need_to_do: Option<String>,
    /// human-action: how it is verified afterwards.
    #[serde(default, deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub verify_after: Option<String>,
}

/// A thread that is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridThreadDone")]
pub struct ThreadDone {
    /// Its number, e.g. `1.1`.
    #[serde(deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub thread: Option<String>,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its commit.
    #[serde(default, deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub commit: Option<String>,
    /// Its files.
    #[serde(default, deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub files: Vec<String>,
}

/// The thread a block stands in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridCurrentThread")]
pub struct CurrentThread {
    /// Its number.
    #[serde(deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub thread: Option<String>,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// `blocked` or `awaiting verification`.
    #[serde(default)]
    pub status: String,
}

/// One way of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridWay")]
pub struct Way {
    /// The word to answer with.
    #[serde(alias = "id", deserialize_with = "text")]
    #[schemars(with = "String")]
    pub option: String,
    /// What it brings.
    #[serde(default)]
    pub pros: String,
    /// What it costs.
    #[serde(default)]
    pub cons: String,
}

/// Why a block does not work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "GridFailure")]
pub struct Failure {
    /// The thread that failed.
    #[serde(deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub thread: Option<String>,
    /// How often it was tried within the run.
    pub attempts: u32,
    /// What was tried.
    pub tried: Vec<Tried>,
    /// Files that were made before it failed.
    #[serde(deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub created: Vec<String>,
    /// Commits that were made before it failed.
    #[serde(deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub commits: Vec<String>,
    /// Why it fails.
    #[serde(deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub hypothesis: Option<String>,
    /// Another way to try.
    #[serde(deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub suggested_retry: Option<String>,
    /// What must not be tried again.
    #[serde(deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub do_not_retry: Vec<String>,
}

/// An approach that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridTried")]
pub struct Tried {
    /// What was tried.
    pub approach: String,
    /// Why it failed.
    #[serde(default)]
    pub reason: String,
}

/// What a recognizer finds.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum WaveVerdict {
    /// Every must-have is shown.
    Clear,
    /// Something is not.
    GapsFound,
    /// Something is so wrong that a person must decide.
    CriticalAnomaly,
}

impl WaveVerdict {
    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            WaveVerdict::Clear => "CLEAR",
            WaveVerdict::GapsFound => "GAPS_FOUND",
            WaveVerdict::CriticalAnomaly => "CRITICAL_ANOMALY",
        }
    }
}

/// What a recognizer returns, for a wave or on patrol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridRecognizerReport")]
pub struct RecognizerReport {
    /// Its verdict.
    pub verdict: WaveVerdict,
    /// One row per must-have.
    #[serde(default)]
    pub verdicts: Vec<Row>,
    /// What is missing.
    #[serde(default)]
    pub gaps: Vec<GapForm>,
    /// What is so wrong.
    #[serde(default, deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub anomaly: Option<String>,
    /// What was learned.
    #[serde(default)]
    pub lessons_learned: Lessons,
}

/// What was found about one must-have of one block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridVerdictRow")]
pub struct Row {
    /// The block.
    #[serde(deserialize_with = "text")]
    #[schemars(with = "String")]
    pub block: String,
    /// Id of the must-have.
    pub criterion: String,
    /// What was found.
    pub finding: crate::vocab::evidence::Finding,
    /// How it was found out.
    #[serde(default)]
    pub method: String,
    /// Typed proof.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
}

impl From<&Row> for Verdict {
    fn from(form: &Row) -> Self {
        Verdict {
            criterion: form.criterion.clone(),
            finding: form.finding,
            method: form.method.clone(),
            evidence: form.evidence.clone(),
        }
    }
}

/// Something that is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridGapForm")]
pub struct GapForm {
    /// The block.
    #[serde(default, deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub block: Option<String>,
    /// The must-have.
    #[serde(default, deserialize_with = "word")]
    #[schemars(with = "Option<String>")]
    pub criterion: Option<String>,
    /// What is wrong.
    pub reason: String,
    /// What is missing.
    #[serde(default, deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub missing: Vec<String>,
}

/// What the lead of a refinement returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridLeadReport")]
pub struct LeadReport {
    /// What kind of project it is, and who uses it.
    #[serde(default)]
    pub context: String,
    /// Three to five people.
    pub personas: Vec<Persona>,
}

/// Somebody who may use the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridPersona")]
pub struct Persona {
    /// Who.
    pub name: String,
    /// What they want.
    pub goal: String,
    /// What they are like.
    #[serde(default)]
    pub traits: String,
}

/// What a member of the swarm returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridSwarmReport")]
pub struct SwarmReport {
    /// What was found.
    pub findings: Vec<Found>,
    /// Pictures that were taken, below `.grid/refinement/`.
    #[serde(default, deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub screenshots: Vec<String>,
    /// What was learned.
    #[serde(default)]
    pub lessons_learned: Lessons,
}

/// How much a finding of the swarm weighs.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Priority {
    /// Mend first.
    P0,
    /// Mend next.
    P1,
    /// Mend then.
    P2,
    /// Written down only.
    P3,
}

impl Priority {
    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Priority::P0 => "P0",
            Priority::P1 => "P1",
            Priority::P2 => "P2",
            Priority::P3 => "P3",
        }
    }
}

/// Something a member of the swarm found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridFound")]
pub struct Found {
    /// How much it weighs.
    pub priority: Priority,
    /// What is wrong, in a sentence.
    pub title: String,
    /// Where: a route, a screen, a file.
    #[serde(default, rename = "where")]
    pub place: String,
    /// What would be right.
    pub expected: String,
}

/// What is learned from a whole cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridLearnings")]
pub struct Learnings {
    /// web-app, api, cli, library, integration …
    #[serde(default)]
    pub project_type: String,
    /// Key technologies.
    #[serde(default, deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub tech_stack: Vec<String>,
    /// simple, medium, complex or massive.
    #[serde(default)]
    pub complexity: String,
    /// What succeeded.
    #[serde(default, deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub what_worked: Vec<String>,
    /// What caused trouble, and how it was mended.
    #[serde(default, deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub what_failed: Vec<String>,
    /// Patterns that can be used again: `name: description`.
    #[serde(default, deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub patterns: Vec<String>,
    /// Advice for projects like it.
    #[serde(default, deserialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub recommendations: Vec<String>,
}

/// A report of any role, understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "role", content = "report", rename_all = "snake_case")]
#[schemars(rename = "GridReport")]
pub enum Report {
    /// Of the planner.
    Planner(PlannerReport),
    /// Of an executor.
    Executor(Box<ExecutorReport>),
    /// Of the recognizer.
    Recognizer(RecognizerReport),
    /// Of the debugger.
    Debugger(super::debug::DebugReport),
    /// Of the lead of a refinement.
    Lead(LeadReport),
    /// Of a member of the swarm.
    Swarm(SwarmReport),
    /// Of the one who captures what was learned.
    Learner(Learnings),
}

/// Reads the report of a role for the mission `anchor`.
///
/// # Errors
/// The exact fault: header, fence, or path in the block.
pub fn read(role: Role, anchor: &str, text: &str) -> Result<Report> {
    let (language, block) = shared::fenced(anchor, text, &["json", "yaml", "yml"])?;
    let value = match language.as_str() {
        "json" => block,
        _ => json::encode(&Value::Object(yaml::written(&block, 1)?)),
    };
    understand(role, &value).map_err(|error| error.within(&language))
}

fn understand(role: Role, block: &str) -> Result<Report> {
    Ok(match role {
        Role::Planner => Report::Planner(typed(block)?),
        Role::Executor => {
            let report: ExecutorReport = typed(block)?;
            whole(&report)?;
            Report::Executor(Box::new(report))
        }
        Role::Recognizer => {
            let report: RecognizerReport = typed(block)?;
            consistent(&report)?;
            Report::Recognizer(report)
        }
        Role::Debugger => Report::Debugger(typed(block)?),
        Role::RefinementLead => {
            let report: LeadReport = typed(block)?;
            match (3..=5).contains(&report.personas.len()) {
                true => Report::Lead(report),
                false => {
                    let got = report.personas.len().to_string();
                    return Err(Error::new(Code::InvalidValue, "personas", "three to five", got));
                }
            }
        }
        Role::VisualInspector | Role::E2eExerciser | Role::PersonaSimulator => {
            Report::Swarm(typed(block)?)
        }
        Role::Learner => Report::Learner(typed(block)?),
    })
}

fn typed<T: DeserializeOwned>(block: &str) -> Result<T> {
    let value: Value = json::decode(block)?;
    bounded(&value, "")?;
    json::decode(block)
}

/// No list of a report may be endless.
fn bounded(value: &Value, at: &str) -> Result<()> {
    match value {
        Value::Array(items) if items.len() > MOST_ITEMS => {
            let expected = format!("at most {MOST_ITEMS} items");
            Err(Error::new(Code::TooLarge, at, expected, items.len().to_string()))
        }
        Value::Array(items) => items.iter().try_for_each(|one| bounded(one, at)),
        Value::Object(fields) => fields.iter().try_for_each(|(name, one)| bounded(one, name)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

/// An executor's report holds what its status needs.
fn whole(report: &ExecutorReport) -> Result<()> {
    let missing =
        |field: &str, expected: &str| Err(Error::new(Code::MissingField, field, expected, "none"));
    for (place, deviation) in report.deviations.iter().enumerate() {
        if !(1..=4).contains(&deviation.rule) {
            let at = format!("deviations[{place}].rule");
            return Err(Error::new(Code::UnknownValue, at, "1 to 4", deviation.rule.to_string()));
        }
    }
    match (report.status, &report.summary, &report.checkpoint, &report.failure) {
        (Status::Success, None, ..) => missing("summary", "the summary of a finished block"),
        (Status::Checkpoint, _, None, _) => missing("checkpoint", "what a person must do"),
        (Status::Failure, _, _, None) => missing("failure", "a structured failure report"),
        (Status::Checkpoint, _, Some(checkpoint), _) => complete(checkpoint),
        (Status::Success | Status::Failure, ..) => Ok(()),
    }
}

/// A checkpoint holds what its type needs.
fn complete(checkpoint: &Checkpoint) -> Result<()> {
    let need = |ok: bool, field: &str, expected: &str| match ok {
        true => Ok(()),
        false => {
            Err(Error::new(Code::MissingField, format!("checkpoint.{field}"), expected, "none"))
        }
    };
    match checkpoint.kind {
        CheckpointType::HumanVerify => {
            need(checkpoint.what_was_built.is_some(), "what_was_built", "what was built")?;
            need(!checkpoint.how_to_verify.is_empty(), "how_to_verify", "steps")
        }
        CheckpointType::HumanAction => {
            let step = checkpoint.what_you_need_to_do.is_some();
            need(step, "what_you_need_to_do", "one step")
        }
        CheckpointType::Decision => {
            need(checkpoint.decision.is_some(), "decision", "what is being decided")?;
            need(checkpoint.options.len() >= 2, "options", "at least two ways")?;
            let ids: std::collections::BTreeSet<&str> =
                checkpoint.options.iter().map(|way| way.option.trim()).collect();
            let fit = ids.len() == checkpoint.options.len() && !ids.contains("");
            match fit {
                true => Ok(()),
                false => {
                    let at = "checkpoint.options";
                    Err(Error::new(
                        Code::DuplicateId,
                        at,
                        "a word of its own for each",
                        "one twice or blank",
                    ))
                }
            }
        }
    }
}

/// A recognizer's verdict says what it is about.
fn consistent(report: &RecognizerReport) -> Result<()> {
    let silent = report.anomaly.is_none() && report.gaps.is_empty();
    match report.verdict {
        WaveVerdict::Clear if !report.gaps.is_empty() => {
            let got = format!("{} gaps", report.gaps.len());
            Err(Error::new(Code::InconsistentVerdict, "gaps", "no gaps with CLEAR", got))
        }
        WaveVerdict::CriticalAnomaly if silent => {
            Err(Error::new(Code::MissingField, "anomaly", "what is so wrong", "none"))
        }
        WaveVerdict::Clear | WaveVerdict::GapsFound | WaveVerdict::CriticalAnomaly => Ok(()),
    }
}

/// The schemas of all reports, by name.
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    let schema = |role: Role| {
        let schema = match role {
            Role::Planner => schemars::schema_for!(PlannerReport),
            Role::Executor => schemars::schema_for!(ExecutorReport),
            Role::Recognizer => schemars::schema_for!(RecognizerReport),
            Role::Debugger => schemars::schema_for!(super::debug::DebugReport),
            Role::RefinementLead => schemars::schema_for!(LeadReport),
            Role::VisualInspector | Role::E2eExerciser | Role::PersonaSimulator => {
                schemars::schema_for!(SwarmReport)
            }
            Role::Learner => schemars::schema_for!(Learnings),
        };
        (role.schema(), schema)
    };
    let mut all: Vec<_> = Role::ALL.into_iter().map(schema).collect();
    all.dedup_by_key(|(name, _)| *name);
    all
}
