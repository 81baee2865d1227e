//! The tools: what they take, what they answer. What they are called and what for stands in `tools.json`.

use super::turn::{Asked, Given, Turn};
use crate::engine::Engine;
use crate::snapshot::Continuation;
use crate::view::{End, View};
use crate::vocab::command::PlanChange;
use crate::vocab::error::{Code, Error, clip};
use crate::vocab::event::EffectId;
use crate::vocab::json::{self, Fault, Node, Readable, Serialize};
use crate::vocab::text::printable;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde_json::{Map, Value};
use std::fmt::Write;

/// The longest a call of `next` waits, in seconds.
pub const MOST_WAIT: u32 = 600;

/// The arguments of `next`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NextArguments {
    /// How long to wait for others to finish, in seconds, at most 600. Without it, as long as the
    /// server was told to.
    #[serde(default)]
    pub wait_seconds: Option<u32>,
}

/// The arguments of `report`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportArguments {
    /// The id of the run, as `next` gave it.
    pub run: EffectId,
    /// The whole report.
    pub report: ReportBody,
}

/// A report as text, or only the object of its json block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ReportBody {
    /// The whole text, with its header and its fenced json block where the role wants them.
    Text(String),
    /// The object alone; header and fence are put around it.
    Object(Map<String, Value>),
}

impl Readable for ReportBody {
    fn read(node: Node<'_>) -> std::result::Result<Self, Fault> {
        match node {
            Node::Text(text) => Ok(ReportBody::Text(text.into_owned())),
            object @ Node::Object(_) => Map::read(object).map(ReportBody::Object),
            _ => Err(Fault::custom("data did not match any variant of untagged enum ReportBody")),
        }
    }
}

/// The arguments of `ask`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskArguments {
    /// The id of the question; not needed when one is open.
    #[serde(default)]
    pub question: Option<EffectId>,
    /// The answer that the user gave, in the form the question wants: the word of an option, yes or
    /// no, done or not done, or the user's words. Left out to read the open questions.
    #[serde(default)]
    pub answer: Option<String>,
}

/// The arguments of `status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatusArguments {}

/// The arguments of `amend`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AmendArguments {
    /// True only if the user asked for exactly these changes.
    pub on_the_users_word: bool,
    /// The changes, all or none.
    pub changes: Vec<PlanChange>,
}

/// What `next` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct NextAnswer {
    /// `run`, `wait`, `ask`, `held`, `paused`, `blocked`, `done` or `no_mission`.
    pub turn: String,
    /// What to do, in words.
    pub to_do: String,
    /// Why, in words of the mission.
    pub reason: String,
    /// The run to do, if `turn` is `run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Given>,
    /// The open questions, if `turn` is `ask`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Asked>,
    /// How it ended, if `turn` is `done`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
}

/// What `report` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct ReportAnswer {
    /// Whether the report was taken. That says nothing yet about whether it holds.
    pub taken: bool,
    /// What is unusual about it, but not wrong.
    pub notes: Vec<String>,
}

/// What `ask` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct AskAnswer {
    /// Whether an answer was taken.
    pub taken: bool,
    /// The questions that are open.
    pub questions: Vec<Asked>,
}

/// What `amend` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct AmendAnswer {
    /// Whether the changes were taken.
    pub taken: bool,
}

/// Every tool: what it is for, and the schemas of what it takes and answers, which a test holds to the types.
const TOOLS: &str = include_str!("tools.json");

/// Every tool, as a client asks for them.
pub(super) fn list() -> Value {
    serde_json::from_str(TOOLS).unwrap_or_default()
}

/// Reads the arguments of a call.
///
/// # Errors
/// The exact fault, with its place.
pub(super) fn arguments<T: Readable>(params: &Map<String, Value>) -> Result<T, Error> {
    let text = match params.get("arguments") {
        None | Some(Value::Null) => "{}".to_owned(),
        Some(value) => value.to_string(),
    };
    json::decode(&text).map_err(|error| error.within("arguments"))
}

/// The text of a report.
pub(super) fn report_text(engine: &Engine, body: ReportBody) -> String {
    let protocol = engine.snapshot().mission.protocol();
    match body {
        ReportBody::Text(text) => text,
        ReportBody::Object(object) => protocol.report_text(&Value::Object(object).to_string()),
    }
}

/// Refuses changes that let something go: an agent must not be able to lower its own bar.
///
/// # Errors
/// `invalid_change`, `forbidden_edit`.
pub(super) fn check_amend(arguments: &AmendArguments) -> Result<(), Error> {
    if !arguments.on_the_users_word {
        let expected = "changes that the user asked for";
        return Err(Error::new(
            Code::InvalidChange,
            "arguments.on_the_users_word",
            expected,
            "false",
        ));
    }
    let waives = |change: &PlanChange| match change {
        PlanChange::WaiveCriterion { .. } => true,
        PlanChange::AddItem { .. }
        | PlanChange::AddCriterion { .. }
        | PlanChange::SetPriority { .. }
        | PlanChange::Reorder { .. } => false,
    };
    match arguments.changes.iter().position(waives) {
        None => Ok(()),
        Some(at) => {
            let at = format!("arguments.changes[{at}]");
            let expected = "the user's own command, `endstate skip ITEM --reason …`";
            Err(Error::new(Code::ForbiddenEdit, at, expected, "waive_criterion"))
        }
    }
}

/// What `next` says of a turn. `driven` is false when no driver is alive.
pub(super) fn next(engine: &Engine, turn: Turn, driven: bool) -> NextAnswer {
    let reason = printable(&engine.view().reason);
    let answer = |turn: &str, to_do: String| NextAnswer {
        turn: turn.to_owned(),
        to_do,
        reason: reason.clone(),
        run: None,
        questions: Vec::new(),
        end: None,
    };
    match turn {
        Turn::Run(given) => {
            let to_do = format!(
                "Do the work of run {} as {}: the prompt says all of it. Then call `report` with this run \
                 and your whole report, then `next`.",
                given.run, given.role
            );
            let prompt = printable(&given.prompt);
            NextAnswer { run: Some(Given { prompt, ..given }), ..answer("run", to_do) }
        }
        Turn::Wait(_) if !driven => answer(
            "wait",
            "Nobody drives the mission. Tell the user: `endstate run --agent … --hosted …` of the Rust program \
             drives it, and so does its server, `endstate mcp --agent …`. The program of the npm package \
             gives no session its work."
                .to_owned(),
        ),
        Turn::Wait(others) => {
            let others = printable(&clip(&others.join("; "), 1_000));
            answer("wait", format!("Change nothing and call `next` again. Waiting for: {others}."))
        }
        Turn::Ask(questions) => NextAnswer {
            questions,
            ..answer(
                "ask",
                "Put the open questions before the user and wait for what the user says; then call `ask` \
                 with exactly that. Never answer for the user."
                    .to_owned(),
            )
        },
        Turn::Held => answer("held", "The mission was not begun; call `next` to begin it.".to_owned()),
        Turn::Paused => answer(
            "paused",
            "The user has paused the mission; stop here. `endstate resume` goes on with it.".to_owned(),
        ),
        Turn::Blocked => answer(
            "blocked",
            "The mission is blocked. Tell the user why and stop; `endstate resume` goes on with it."
                .to_owned(),
        ),
        Turn::Done(end) => {
            NextAnswer { end, ..answer("done", "The mission is done. Stop here.".to_owned()) }
        }
    }
}

/// What `next` says where there is no mission.
pub(super) fn no_mission(why: &str) -> NextAnswer {
    NextAnswer {
        turn: "no_mission".to_owned(),
        to_do: "No mission can be read here. Tell the user: `endstate init` of the Rust program begins one \
                that this session can work on; the npm package has no such command."
            .to_owned(),
        reason: printable(why),
        run: None,
        questions: Vec::new(),
        end: None,
    }
}

impl NextAnswer {
    /// The same for a reader of text.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{}: {}\n{}\n", self.turn, self.reason, self.to_do);
        if let Some(given) = &self.run {
            let _ = write!(text, "\n{}", given.prompt);
        }
        questions(&self.questions, &mut text);
        text
    }
}

impl AskAnswer {
    /// The same for a reader of text.
    pub(super) fn text(&self) -> String {
        let mut text = match (self.taken, self.questions.is_empty()) {
            (true, _) => "The answer was taken. Call `next`.\n".to_owned(),
            (false, true) => "No question is open.\n".to_owned(),
            (false, false) => "Open questions, for the user to answer:\n".to_owned(),
        };
        questions(&self.questions, &mut text);
        text
    }
}

fn questions(questions: &[Asked], text: &mut String) {
    use crate::vocab::question::QuestionKind;
    for one in questions {
        let _ = writeln!(text, "\nQuestion {}: {}", one.id, printable(&one.question.text));
        match &one.question.kind {
            QuestionKind::Choice { options } => {
                for option in options {
                    let line = format!("{}: {}. {}.", option.id, option.label, option.trade_off);
                    let _ = writeln!(text, "- {}", printable(&line));
                }
            }
            QuestionKind::ManualStep { instructions, .. } => {
                let _ = writeln!(text, "To do: {}", printable(instructions));
            }
            QuestionKind::FreeText | QuestionKind::Confirmation => {}
        }
        let _ = writeln!(text, "Expected: {}", one.expected);
    }
}

/// A short account of a view.
pub(super) fn status_text(view: &View) -> String {
    let mut text = format!("mission: {}\n{}: {}\n", view.title, view.phase, view.reason);
    let _ = writeln!(text, "next: {}", view.next.action);
    let _ = writeln!(
        text,
        "{} of {} criteria settled; the mission {}",
        view.progress.settled,
        view.progress.total,
        match view.continuation {
            Continuation::Continue => "goes on",
            Continuation::AwaitUserInput => "waits for the user",
            Continuation::Blocked => "is blocked",
            Continuation::Paused => "is paused",
            Continuation::Done => "is done",
        }
    );
    for run in &view.runs {
        let _ = writeln!(text, "running: {} (run {})", run.role, run.run);
    }
    for node in view.nodes.iter().take(50) {
        let (settled, total) = (node.progress.settled, node.progress.total);
        let _ = writeln!(text, "- {} {} {settled}/{total} {}", node.id, node.status, node.label);
    }
    printable(&clip(&text, 20_000))
}
