//! A written plan as data: work units, their sprints in order, and who waits for whom.
//!
//! Everything says in which lines of the document it was found. Ids are made of what the author
//! wrote beside the thing itself (`wu1/2a`: unit, then label), never of its place in the file, so
//! that an edit elsewhere changes none of them.

use super::document::LineRange;
use crate::vocab::error::{Code, Diagnostic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The id of the only unit of a plan that names none.
pub const WHOLE: &str = "plan";

/// A plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Plan {
    /// The first heading of level 1, as it was written.
    pub title: Option<String>,
    /// The fields of the front matter, in order.
    pub front: Vec<FrontField>,
    /// Work units in the order of the document, none without a sprint.
    pub units: Vec<WorkUnit>,
    /// Who waits for whom, each pair once.
    pub dependencies: Vec<Dependency>,
    /// Criteria that hold for every sprint ("Rules", "Constraints", "Exit checks" of the plan).
    pub rules: Vec<PlanCriterion>,
    /// The prompt the plan wants its agents to get.
    pub template: Option<DispatchTemplate>,
    /// Files of the project that the plan speaks of, each once, in the order of their paths.
    pub references: Vec<FileReference>,
    /// What the plan says about its own size.
    pub declared: Vec<DeclaredTotal>,
}

/// A field of the front matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrontField {
    /// Its name.
    pub name: String,
    /// Its value: the text of a scalar, else the source.
    pub value: String,
    /// Where it stands.
    pub lines: LineRange,
}

/// A work unit: whatever the plan treats as a deliverable of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkUnit {
    /// Its key (`wu1`), else its name in small letters with hyphens.
    pub id: String,
    /// Its name as written.
    pub name: String,
    /// Its directory, if the plan names one; the words of the author.
    pub directory: Option<String>,
    /// Its layer; units of a layer wait for all units of the layers below.
    pub layer: Option<u32>,
    /// How many sprints its row of the table promises.
    pub promised: Option<u32>,
    /// Its row of the table, its heading, or else its sprints.
    pub lines: LineRange,
    /// Its sprints, in the order they are to run.
    pub sprints: Vec<Sprint>,
}

/// A sprint (also called sortie, or phase): one dispatch of one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sprint {
    /// `unit/label`.
    pub id: String,
    /// The label the author gave it: `3`, `2a`, `B9`, `DC-2a`.
    pub label: String,
    /// The word the author uses for it: `Sprint`, `Sortie`, `Phase`, `Task`.
    pub word: String,
    /// Its name, as written.
    pub name: String,
    /// What it is for, in the words under "Goal" or "Objective".
    pub goal: Option<String>,
    /// The kind of work.
    pub kind: TaskKind,
    /// Its own layer, where the plan layers sprints.
    pub layer: Option<u32>,
    /// Its priority.
    pub priority: Option<Priority>,
    /// The model the plan asks for.
    pub model: Option<String>,
    /// How many turns the plan estimates.
    pub turns: Option<u32>,
    /// The author has put it off: it is described and not to be run.
    pub deferred: bool,
    /// What must hold before it starts.
    pub entry: Vec<PlanCriterion>,
    /// What is to be done, in order.
    pub tasks: Vec<PlanTask>,
    /// What must hold before it is done.
    pub exit: Vec<PlanCriterion>,
    /// Where it stands: from its heading to its last line that says something.
    pub lines: LineRange,
}

/// The kind of work.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// Something is written: code, tests, documents.
    #[default]
    Code,
    /// Something is run, and its output tells.
    Command,
    /// Something is started and goes on by itself.
    Background,
    /// Something outside is waited for.
    Deferred,
    /// A person must look.
    Manual,
}

/// A task of a sprint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanTask {
    /// The label the author gave it (`3.1`), else its number.
    pub label: String,
    /// What is to be done; nested bullets are lines of their own.
    pub text: String,
    /// The kind of work.
    pub kind: TaskKind,
    /// The box before it is ticked.
    pub ticked: bool,
    /// Where it stands.
    pub lines: LineRange,
}

/// An entry or exit criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanCriterion {
    /// The author's label, else `AC-001`, … (`EC-001` of entry criteria, `RC-001` of rules).
    pub id: String,
    /// What must hold.
    pub text: String,
    /// How it is checked.
    pub check: Check,
    /// The box before it is ticked.
    pub ticked: bool,
    /// Where it stands.
    pub lines: LineRange,
}

/// How a criterion is checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Check {
    /// Somebody must judge it.
    Checklist,
    /// A command shows it.
    Command {
        /// The command as written. It is data: nobody gives it to a shell without being asked to.
        command: String,
        /// What it must do.
        expect: Expectation,
    },
    /// A statement about files, names or values that can be looked up.
    Assertion,
}

/// What a command must do for its criterion to hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Expectation {
    /// Exit with status 0.
    Success,
    /// Exit with another status.
    Failure,
    /// Exit with this status.
    Status {
        /// The status.
        code: u8,
    },
    /// Print nothing.
    Silence,
    /// Print these words somewhere.
    Output {
        /// The words.
        text: String,
    },
    /// Print this and nothing else.
    Exactly {
        /// The text, or the number.
        text: String,
    },
}

/// A priority.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Priority {
    /// The score in thousandths, if there is a number.
    pub score: Option<i64>,
    /// The words behind it.
    pub reason: String,
    /// Where it stands.
    pub lines: LineRange,
}

/// One waits for another. Ids of sprints contain a `/`, ids of units do not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// What comes first.
    pub from: String,
    /// What waits for it.
    pub to: String,
    /// How the plan says so.
    pub origin: Origin,
    /// The line that says so.
    pub line: u32,
}

/// How a plan says that one thing waits for another.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A column of a table.
    Column,
    /// A line "Dependencies:" or "Depends on:".
    Field,
    /// A precondition.
    Entry,
    /// A graph drawn with mermaid.
    Mermaid,
    /// A sentence below a heading about dependencies.
    Sentence,
    /// The layers.
    Layer,
    /// Nothing is said, so it waits for the one before it.
    Order,
}

/// A prompt that the plan wants its agents to get.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DispatchTemplate {
    /// The text.
    pub text: String,
    /// The variables in it, each once, as they are written.
    pub variables: Vec<String>,
    /// Where it stands.
    pub lines: LineRange,
}

/// A file that the plan speaks of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileReference {
    /// The path as written, without marks.
    pub path: String,
    /// It cannot lie below the project: absolute, or with a step upward.
    pub outside: bool,
    /// The first line that speaks of it.
    pub line: u32,
    /// The sprints that speak of it.
    pub sprints: Vec<String>,
}

/// What a plan says about its own size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeclaredTotal {
    /// Of what: sprints, or work units.
    pub of: Counted,
    /// How many.
    pub count: u32,
    /// The line that says so.
    pub line: u32,
}

/// What a plan counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// Sprints.
    Sprints,
    /// Work units.
    Units,
}

/// How work units hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Structure {
    /// By a column of layers.
    Layers,
    /// One after the other, or one unit only.
    Sequential,
    /// By dependencies, in part at the same time.
    Parallel,
    /// Not at all.
    None,
}

impl Sprint {
    /// The task in whose lines a criterion stands. Tasks stand in the order of their lines.
    pub fn task_of(&self, one: &PlanCriterion) -> Option<&PlanTask> {
        let next = self.tasks.partition_point(|task| task.lines.first <= one.lines.first);
        let near = next.checked_sub(1).and_then(|before| self.tasks.get(before));
        near.filter(|task| one.lines.last <= task.lines.last)
    }
}

impl Plan {
    /// All sprints, unit by unit.
    pub fn sprints(&self) -> impl Iterator<Item = &Sprint> {
        self.units.iter().flat_map(|unit| &unit.sprints)
    }

    /// A unit by its id.
    pub fn unit(&self, id: &str) -> Option<&WorkUnit> {
        self.units.iter().find(|unit| unit.id == id)
    }

    /// A sprint by its id.
    pub fn sprint(&self, id: &str) -> Option<&Sprint> {
        self.sprints().find(|sprint| sprint.id == id)
    }

    /// A field of the front matter.
    pub fn field(&self, name: &str) -> Option<&str> {
        let field = self.front.iter().find(|field| field.name == name);
        field.map(|field| field.value.as_str())
    }

    /// How the units hang together, for the summary of a state file.
    pub fn structure(&self) -> Structure {
        let between = |one: &&Dependency| unit_of(&one.from) != unit_of(&one.to);
        let edges = self.dependencies.iter().filter(between).count();
        match self.units.len() {
            0 | 1 => Structure::Sequential,
            _ if self.units.iter().any(|unit| unit.layer.is_some()) => Structure::Layers,
            _ if edges == 0 => Structure::None,
            units if edges + 1 >= units && self.is_chain() => Structure::Sequential,
            _ => Structure::Parallel,
        }
    }

    fn is_chain(&self) -> bool {
        self.units.windows(2).all(|pair| {
            let follows = |one: &Dependency| {
                unit_of(&one.from) == pair[0].id && unit_of(&one.to) == pair[1].id
            };
            self.dependencies.iter().any(follows)
        })
    }
}

/// The unit that an id belongs to: of a sprint, or the unit itself.
pub fn unit_of(id: &str) -> &str {
    id.split_once('/').map_or(id, |(unit, _)| unit)
}

/// How much a remark weighs.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Good to know.
    Note,
    /// Probably not what was meant.
    Warning,
    /// The plan cannot run like this.
    Fault,
}

impl Weight {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Weight::Note => "note",
            Weight::Warning => "warning",
            Weight::Fault => "fault",
        }
    }
}

/// Something about a document that its author should see, with its exact place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Remark {
    /// How much it weighs.
    pub weight: Weight,
    /// The stable code.
    pub code: Code,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// How many characters of that line it is about.
    pub width: u32,
    /// The last line it is about.
    pub last: u32,
    /// What would have been right.
    pub expected: String,
    /// What is there.
    pub got: String,
}

impl Remark {
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

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.diagnostic())
    }
}

/// A score or ratio in thousandths, as people write it: `12.5`, `3.0`, `0.333`.
pub fn decimal(thousandths: i64) -> String {
    let sign = if thousandths < 0 { "-" } else { "" };
    let (whole, part) = (thousandths.unsigned_abs() / 1000, thousandths.unsigned_abs() % 1000);
    let part = format!("{part:03}");
    let part = part.trim_end_matches('0');
    format!("{sign}{whole}.{}", if part.is_empty() { "0" } else { part })
}

/// The number that a text begins with, in thousandths, and what follows it.
pub fn thousandths(text: &str) -> Option<(i64, &str)> {
    let digits =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let whole = digits(text);
    let value = text.get(..whole)?.parse::<i64>().ok()?.checked_mul(1000)?;
    let rest = &text[whole..];
    let Some(part) = rest.strip_prefix('.').filter(|part| digits(part) > 0) else {
        return Some((value, rest));
    };
    let many = digits(part);
    let kept: String = part[..many].chars().chain("000".chars()).take(3).collect();
    Some((value.checked_add(kept.parse().ok()?)?, &part[many..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_exact() {
        for (text, value, rest) in [
            ("15.5 — highest", 15_500, " — highest"),
            ("3", 3_000, ""),
            ("4.75.", 4_750, "."),
            ("0.1234x", 123, "x"),
            ("7. x", 7_000, ". x"),
        ] {
            assert_eq!(thousandths(text), Some((value, rest)), "{text}");
        }
        assert_eq!(thousandths("high"), None);
        assert_eq!(thousandths("99999999999999999999"), None);
        let written = [15_500, 3_000, 333, 0, -1_250].map(decimal);
        assert_eq!(written, ["15.5", "3.0", "0.333", "0.0", "-1.25"]);
    }
}
