//! A written plan as data: work units, their sprints in order, what each sprint needs, and how its end is shown.
//!
//! This is the model of the one canonical grammar (`docs/plan-format.md`). Every reader of another family makes the same
//! model, and every command on plans works on it alone. Nothing of a document gets lost: what is no element is a note,
//! byte for byte. Ids are made of what the author wrote at the thing itself (`unit/label`), never of its place.

use super::document::LineRange;
use super::yaml::count;
use crate::vocab::error::{Code, Diagnostic};
use crate::vocab::json::{Readable, Serialize};
pub use crate::vocab::shown::Expect;
use crate::vocab::word::words;
use schemars::JsonSchema;

/// The value of `plan:` in the front matter of a canonical plan.
pub const FORMAT: &str = "endstate/1";

/// The unit of a plan that names none.
pub const WHOLE: &str = "plan";

/// A plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "PlanDocument")]
pub struct Plan {
    /// The source of the front matter between its two `---` lines, byte for byte; empty if there is none.
    pub front: String,
    /// What the front matter settles.
    pub settings: Settings,
    /// The text of the title.
    pub title: String,
    /// What stands in no unit, byte for byte.
    pub notes: String,
    /// Work units in the order of the document, none without a sprint.
    pub units: Vec<Unit>,
}

/// What the front matter settles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "PlanSettings")]
pub struct Settings {
    /// The name of the operation.
    pub feature_name: Option<String>,
    /// The document this plan was imported from.
    pub source: Option<Source>,
    /// The model of sprints that name none, at least.
    pub model: Option<Model>,
    /// How long a run of a sprint may take, in milliseconds.
    pub timeout: Option<u64>,
    /// How long a command may take, in milliseconds.
    pub command_timeout: Option<u64>,
    /// How many runs a sprint gets.
    pub attempts: Option<u32>,
}

/// The document a plan was imported from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PlanSource")]
pub struct Source {
    /// Its path, from the folder of the plan.
    pub file: String,
    /// SHA-256 of its bytes in hex.
    pub sha256: String,
}

/// A work unit: a deliverable of its own. Its sprints run one after the other, units side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "PlanUnit")]
pub struct Unit {
    /// Its name as written; unique. It is its id, too.
    pub name: String,
    /// Its directory from the folder of the plan; empty for all of it.
    pub directory: String,
    /// What must be completed before its first sprint: units (`core`) and sprints (`core/2a`).
    pub depends_on: Vec<String>,
    /// What stands below its heading before the first sprint, byte for byte.
    pub notes: String,
    /// Its sprints, in the order they run.
    pub sprints: Vec<Sprint>,
    /// Its heading, or the row that names it.
    pub lines: LineRange,
}

/// A sprint: one dispatch of one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "PlanSprint")]
pub struct Sprint {
    /// The label its author gave it: `3`, `2a`, `DC-2a`; unique in its unit.
    pub label: String,
    /// Its name, on one line.
    pub name: String,
    /// What the document says of where it stands.
    pub status: Status,
    /// What must be completed before it; `None` for the sprint before it in its unit. Labels of its own unit, `unit/label`, or units.
    pub depends_on: Option<Vec<String>>,
    /// The kind of work.
    pub kind: Kind,
    /// The smallest model it may get.
    pub model: Option<Model>,
    /// How long a run of it may take, in milliseconds.
    pub timeout: Option<u64>,
    /// Files to read first.
    pub reads: Vec<String>,
    /// Files it makes.
    pub creates: Vec<String>,
    /// Files it changes.
    pub changes: Vec<String>,
    /// About how many lines it writes.
    pub lines_of_code: Option<u32>,
    /// 1 (simple) to 5 (calls of systems outside).
    pub risk: Option<u8>,
    /// The score that put it in its place, and why.
    pub priority: Option<String>,
    /// What must hold before it starts.
    pub entry: Vec<Criterion>,
    /// What is to be done, in order.
    pub tasks: Vec<Task>,
    /// What must hold before it is done.
    pub exit: Vec<Criterion>,
    /// All other lines of it, byte for byte.
    pub notes: String,
    /// It was added, by a role or a command; its author wrote nothing of the kind.
    pub added: bool,
    /// From its heading to its last line that says something.
    pub lines: LineRange,
}

words! {
    /// What a document says of where a sprint stands. Nothing is taken as finished without being asked about and verified.
    #[schemars(rename = "PlanStatus")]
    Status {
        Pending "pending" "It is to be done.";
        Done "done" "It says that it is finished.";
        Deferred "deferred" "It is put off.";
    }
    /// The kind of work.
    #[schemars(rename = "PlanKind")]
    Kind {
        Code "code" "Something is written: code, tests, documents.";
        Command "command" "Something is run, and its output tells.";
        Background "background" "Something is started and goes on by itself.";
        Deferred "deferred" "Something outside is waited for.";
        Manual "manual" "A person must look.";
    }
    /// A tier of models.
    #[schemars(rename = "PlanModel")]
    Model {
        Small "small" "The cheapest.";
        Standard "standard" "The usual.";
        Large "large" "The strongest.";
    }
    /// How much a remark weighs.
    #[schemars(rename = "PlanWeight")]
    Weight {
        Note "note" "Good to know.";
        Warning "warning" "Probably not what was meant.";
        Fault "fault" "The plan cannot run like this.";
    }
}

/// A task of a sprint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "PlanTask")]
pub struct Task {
    /// Its source without number, box and indentation; it may have several lines.
    pub text: String,
    /// Its box: `None` without one.
    pub ticked: Option<bool>,
    /// It was added; its author wrote nothing of the kind.
    pub added: bool,
    /// Where it stands.
    pub lines: LineRange,
}

/// An entry or exit criterion. All its commands must hold, and so must its words, which a verifier judges.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "PlanCriterion")]
pub struct Criterion {
    /// The label its author wrote, else `AC-001`, … (`EC-001`, … of entry criteria).
    pub id: String,
    /// Its source without bullet, box, id and indentation; sub-items are lines of it.
    pub text: String,
    /// Its commands, as they are read from the text.
    pub commands: Vec<Command>,
    /// Something of the text is no command: a verifier judges it.
    pub judged: bool,
    /// The box before it is ticked.
    pub ticked: bool,
    /// It was added; its author wrote nothing of the kind.
    pub added: bool,
    /// Where it stands.
    pub lines: LineRange,
}

/// A command with what it must do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PlanCommand")]
pub struct Command {
    /// The command line as its author wrote it, for a shell. It is data: nothing is run before the user trusts the plan.
    pub line: String,
    /// What it must do.
    pub expect: Expect,
    /// How long it may take, in milliseconds.
    pub within: Option<u64>,
}

impl Plan {
    /// All sprints with their units, unit by unit.
    pub fn sprints(&self) -> impl Iterator<Item = (&Unit, &Sprint)> {
        self.units.iter().flat_map(|unit| unit.sprints.iter().map(move |sprint| (unit, sprint)))
    }

    /// All sprints with their ids, to be changed.
    pub(super) fn sprints_mut(&mut self) -> impl Iterator<Item = (String, &mut Sprint)> {
        self.units.iter_mut().flat_map(|Unit { name, sprints, .. }| {
            sprints.iter_mut().map(move |sprint| (format!("{name}/{}", sprint.label), sprint))
        })
    }
}

/// The id of a sprint: `unit/label`.
pub fn id(unit: &Unit, sprint: &Sprint) -> String {
    format!("{}/{}", unit.name, sprint.label)
}

/// Something about a document that its author should see, with its exact place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PlanRemark")]
pub struct Remark {
    /// How much it weighs.
    pub weight: Weight,
    /// The stable code.
    pub code: Code,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// How many characters of that line it is about; 0 for all of it.
    pub width: u32,
    /// The last line it is about.
    pub last: u32,
    /// What would have been right.
    pub expected: String,
    /// What is there.
    pub got: String,
}

impl Remark {
    /// Line and column, by which they are sorted.
    pub fn place(&self) -> (u32, u32) {
        (self.line, self.column)
    }

    /// A remark on whole lines.
    pub fn on(
        weight: Weight,
        code: Code,
        lines: LineRange,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Self {
        let (expected, got, last) = (expected.into(), got.into(), lines.last.max(lines.first));
        Remark { weight, code, line: lines.first, column: 1, width: 0, last, expected, got }
    }

    /// The same about a word of its line, which begins at a byte.
    pub(super) fn about(self, line: &str, at: usize, word: &str) -> Self {
        let before = line.get(..at).unwrap_or_default().chars().count();
        Remark { column: count(before + 1), width: count(word.chars().count()), ..self }
    }

    /// The same as a diagnosed fact.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic {
            code: self.code,
            at: format!("line {} column {}", self.line, self.column),
            expected: self.expected.clone(),
            got: self.got.clone(),
        }
    }
}

/// A document, read: by the canonical reader, or by that of a family.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// The plan.
    pub plan: Plan,
    /// What was wrong or doubtful, in the order of lines.
    pub remarks: Vec<Remark>,
}
