//! Looks at a plan in three passes and changes nothing: does it lead from a clear beginning to a clear end,
//! can each sprint be given to an agent, and is the order good? Every number is computed.

use super::evaluate::{Fix, evaluate};
use super::judge::{Answers, PlanQuestion};
use super::look::Look;
use super::model::{Dependency, WHOLE, Weight};
use super::order::{self, PlanOrder};
use super::outline::Outline;
use super::prioritize::{LayerChange, PrioritizedRow, arranged, front_end, lower_layers};
use super::quality::{SprintCheck, checks};
use super::read::parse;
use super::requirements::{Requirement, Unread, read};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Analysis {
    /// Turns that each sprint may take.
    pub budget: u32,
    /// The beginning.
    pub point_a: Point,
    /// The end.
    pub point_b: Point,
    /// Requirements and the sprints that address them; none without a requirements document.
    pub coverage: Vec<Coverage>,
    /// What stands where requirements stand in that document, and was not read as one.
    #[serde(default)]
    pub unread: Vec<Unread>,
    /// Sprints that make what nobody uses.
    pub dead_ends: Vec<String>,
    /// What is not decided.
    pub questions: Vec<OpenQuestion>,
    /// Each sprint by itself.
    pub checks: Vec<SprintCheck>,
    /// The order.
    pub order: PlanOrder,
    /// Scores, with the places sprints have and could have.
    pub rows: Vec<PrioritizedRow>,
    /// Layers that could be lower.
    pub layers: Vec<LayerChange>,
    /// Sprints that wait for the one before only because they stand behind it, and share no file with it.
    pub serial: Vec<Dependency>,
    /// What `plan evaluate` would change.
    pub fixes: Vec<Fix>,
    /// Everything that should be done about it.
    pub issues: Vec<Issue>,
    /// What was left to judge.
    pub left: Vec<PlanQuestion>,
}

/// Where the plan begins, or ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// CLEAR, else UNCLEAR.
    pub clear: bool,
    /// What the plan says about it.
    pub documented: Vec<String>,
    /// What there is to be at the end.
    pub deliverables: Vec<String>,
    /// What it takes for granted.
    pub assumed: Vec<String>,
    /// What cannot be told.
    pub unclear: Vec<String>,
}

/// A requirement and who addresses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// The requirement.
    pub requirement: Requirement,
    /// The sprints; none is a gap.
    pub sprints: Vec<String>,
}

/// Something that is not decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenQuestion {
    /// The words.
    pub text: String,
    /// The line.
    pub line: u32,
    /// The sprint, if it is in one.
    pub sprint: Option<String>,
    /// The label of its task, if it is in one.
    pub task: Option<String>,
    /// The kind.
    pub kind: OpenKind,
    /// The sprints that cannot begin without an answer.
    pub blocks: Vec<String>,
}

/// The kinds of open question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpenKind {
    /// Put off: TBD, TODO, "decide later".
    Undecided,
    /// Several ways, none chosen.
    Alternative,
    /// "An appropriate library".
    Unspecific,
    /// A system outside whose interface nothing describes.
    External,
}

impl OpenQuestion {
    /// Where it is, in words.
    pub fn at(&self) -> String {
        let sprint = self.sprint.as_deref().map(place);
        let task = self.task.as_ref().map(|label| format!(", task {label}")).unwrap_or_default();
        match sprint {
            Some(sprint) => format!("sprint {sprint}{task} (line {})", self.line),
            None => format!("line {}", self.line),
        }
    }

    /// What settles it.
    pub fn advice(&self) -> &'static str {
        match self.kind {
            OpenKind::Undecided => "Decide it in the plan before an agent has to.",
            OpenKind::Alternative => "Choose one of them, and say so in the plan.",
            OpenKind::Unspecific => "Name the one that is meant.",
            OpenKind::External => "Name the address or the document that describes its interface.",
        }
    }
}

/// A sprint as it is named in words: with its unit, where there are several.
pub(super) fn place(id: &str) -> &str {
    match id.split_once('/') {
        Some((WHOLE, label)) => label,
        _ => id,
    }
}

/// What an issue is about.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum IssueKind {
    /// The document cannot be read as it is.
    Document,
    /// The beginning or the end.
    Points,
    /// A requirement without a sprint.
    Coverage,
    /// A step that is missing between sprints.
    Bridge,
    /// What nobody uses.
    DeadEnd,
    /// What is not decided.
    Question,
    /// A sprint that is more or less than one thing.
    Atomicity,
    /// A sprint whose end nothing shows.
    Testability,
    /// A sprint that is small for its budget.
    Fitness,
    /// Who waits for whom.
    Dependency,
    /// Who comes first.
    Order,
    /// What could go on at the same time.
    Parallelism,
}

impl IssueKind {
    /// Its name.
    pub fn words(self) -> &'static str {
        match self {
            IssueKind::Document => "document",
            IssueKind::Points => "starting or target state",
            IssueKind::Coverage => "coverage",
            IssueKind::Bridge => "missing step",
            IssueKind::DeadEnd => "dead end",
            IssueKind::Question => "open question",
            IssueKind::Atomicity => "atomicity",
            IssueKind::Testability => "testability",
            IssueKind::Fitness => "context fitness",
            IssueKind::Dependency => "dependency",
            IssueKind::Order => "execution order",
            IssueKind::Parallelism => "parallelism",
        }
    }

    /// What comes of it if nothing is done.
    pub fn impact(self) -> &'static str {
        match self {
            IssueKind::Document => "the plan cannot be started, or not as it was meant",
            IssueKind::Points => {
                "nobody can tell whether the plan leads from what is there to what is wanted"
            }
            IssueKind::Coverage => "the requirement is not met when all sprints are done",
            IssueKind::Bridge => "a sprint begins without what it needs",
            IssueKind::DeadEnd => "work is done that may not be needed",
            IssueKind::Question => "an agent has to decide it alone, or stops",
            IssueKind::Atomicity => {
                "the agent has no single goal, and may run out of turns before the end"
            }
            IssueKind::Testability => {
                "a sprint may be taken for done that is not, or not be finished at all"
            }
            IssueKind::Fitness => "an agent is started for very little",
            IssueKind::Dependency => "sprints cannot be put in an order",
            IssueKind::Order => "what others wait for, or what may go wrong, is known late",
            IssueKind::Parallelism => "work waits that could go on",
        }
    }
}

/// Something to do about a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// How much it matters.
    pub severity: Severity,
    /// The pass that found it, 1 to 3.
    pub pass: u32,
    /// What it is about.
    pub kind: IssueKind,
    /// Where.
    pub at: String,
    /// What is wrong.
    pub problem: String,
    /// What would help.
    pub advice: String,
}

/// How much an issue matters.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "IssueSeverity")]
pub enum Severity {
    /// Execution would fail.
    Critical,
    /// Execution would be better.
    Recommended,
    /// Nice to have.
    Optional,
}

/// Analyses a plan, with the requirements it was made of if they are known.
pub fn analyze(text: &str, requirements: Option<&str>, budget: u32, answers: &Answers) -> Analysis {
    let parsed = parse(text);
    let plan = &parsed.plan;
    let outline = Outline::read(text, front_end(text, plan));
    let mut look = Look { plan, outline: &outline, issues: Vec::new(), left: Vec::new() };
    for remark in parsed.remarks.iter().filter(|one| one.weight > Weight::Note) {
        look.remark(remark);
    }
    let (point_a, point_b) = (look.point_a(), look.point_b());
    let wanted = read(requirements.unwrap_or_default());
    let coverage = look.coverage(wanted.requirements);
    look.unread(&wanted.unread);
    let dead_ends = look.dead_ends();
    let questions = look.questions();
    look.judged(answers);
    let (checks, asked) = checks(plan, budget, answers);
    look.left.extend(asked);
    let fixes = evaluate(text, budget, answers).map(|done| done.fixes).unwrap_or_default();
    checks.iter().for_each(|check| look.quality(check, &fixes));
    let order = order::order(plan);
    let sorted = arranged(text, answers).ok().map(|one| one.done);
    let layers = lower_layers(plan);
    look.order(sorted.as_ref().map_or(&[], |sorted| &sorted.rows), &layers);
    let serial = look.serial();
    look.left.extend(sorted.iter().flat_map(|sorted| sorted.left.clone()));
    let (mut issues, left) = (look.issues, look.left);
    issues.sort_by_key(|one| (one.severity, one.pass));
    let rows = sorted.map(|sorted| sorted.rows).unwrap_or_default();
    Analysis {
        budget,
        point_a,
        point_b,
        coverage,
        unread: wanted.unread,
        dead_ends,
        questions,
        checks,
        order,
        rows,
        layers,
        serial,
        fixes,
        issues,
        left,
    }
}
