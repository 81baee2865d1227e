//! Looks at a plan in three passes and changes nothing: does it lead from a clear beginning to a clear end,
//! can each sprint be given to an agent, and is the order good? Every number is computed.

use super::judge::{Answers, PlanQuestion};
use super::look::Look;
use super::model::Weight;
use super::order::{self, PlanOrder};
use super::outline::Outline;
use super::prioritize::{LayerChange, PrioritizedRow, front_end, lower_layers, prioritize};
use super::quality::{SprintCheck, checks};
use super::read::parse;
use super::requirements::Requirement;
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
}

/// Something to do about a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// How much it matters.
    pub severity: Severity,
    /// The pass that found it, 1 to 3.
    pub pass: u32,
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
    for fault in parsed.remarks.iter().filter(|one| one.weight > Weight::Note) {
        let severity =
            if fault.weight == Weight::Fault { Severity::Critical } else { Severity::Recommended };
        look.issue(
            severity,
            1,
            format!("line {}", fault.line),
            format!("{} {}", fault.code.sentence(), fault.got),
            fault.expected.clone(),
        );
    }
    let (point_a, point_b) = (look.point_a(), look.point_b());
    let coverage = look.coverage(requirements.unwrap_or_default());
    let dead_ends = look.dead_ends();
    let questions = look.questions();
    look.bridges(answers);
    let (checks, asked) = checks(plan, budget, answers);
    look.left.extend(asked);
    checks.iter().for_each(|check| look.quality(check));
    let order = order::order(plan);
    let sorted = prioritize(text, answers).ok();
    let layers = lower_layers(plan);
    look.order(sorted.as_ref().map_or(&[], |sorted| &sorted.rows), &layers);
    look.left.extend(sorted.iter().flat_map(|sorted| sorted.left.clone()));
    let mut issues = look.issues;
    let left = look.left;
    issues.sort_by_key(|one| (one.severity, one.pass));
    let rows = sorted.map(|sorted| sorted.rows).unwrap_or_default();
    Analysis {
        budget,
        point_a,
        point_b,
        coverage,
        dead_ends,
        questions,
        checks,
        order,
        rows,
        layers,
        issues,
        left,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "\
# Shop

## Sprint 1: Cart

**Tasks**:
1. Create `src/cart.rs`
2. TBD: the format of the list

**Exit criteria**:
- [ ] `make test` passes

## Sprint 2: Pay

**Entry criteria**:
- [ ] Sprint 1 exit criteria met and `keys.json` exists

**Tasks**:
1. Create `src/pay.rs` for paying by card

**Exit criteria**:
- [ ] Paying works correctly
";

    #[test]
    fn three_passes_find_what_is_there() {
        let requirements = "## Requirements\n- Pay by card\n- Print a receipt\n";
        let found = analyze(PLAN, Some(requirements), 50, &Answers::new());
        assert!(
            found.point_a.documented.is_empty() && !found.point_a.clear && !found.point_b.clear
        );
        assert_eq!(found.point_a.assumed, ["`keys.json` is there when sprint 2 starts"]);
        let covered: Vec<_> = found.coverage.iter().map(|one| one.sprints.join(" ")).collect();
        assert_eq!(covered, ["plan/2", ""]);
        let open: Vec<_> =
            found.questions.iter().map(|one| (one.line, one.kind, one.blocks.join(" "))).collect();
        assert_eq!(open, [(7, OpenKind::Undecided, "plan/1 plan/2".to_owned())]);
        let critical: Vec<_> = found
            .issues
            .iter()
            .filter(|one| one.severity == Severity::Critical)
            .map(|one| one.at.as_str())
            .collect();
        assert_eq!(critical, ["requirement R-002, line 3", "line 7"]);
        assert!(found.left.iter().any(|one| one.id == "bridges"));
        assert_eq!(found.order.critical_path, ["plan/1", "plan/2"]);
    }

    #[test]
    fn what_is_no_plan_is_critical() {
        let found = analyze("# x", None, 50, &Answers::new());
        assert_eq!(found.issues[0].severity, Severity::Critical);
    }
}
