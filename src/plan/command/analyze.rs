//! Looks at a plan in three passes and changes nothing (seed 18): does it lead from a clear beginning to a clear end, can
//! each sprint be given to an agent, and is the order good? Every number is computed.

use super::super::judge::{Answers, PlanQuestion};
use super::super::model::{Read, Remark, Sprint, Weight, id};
use super::checks::{SprintCheck, checks, is_vague};
use super::estimate::Fitness;
use super::evaluate::{Fix, FixKind, evaluate, turns};
use super::fields::fill;
use super::gaps::Look;
use super::links::{Links, PlanOrder};
use super::prioritize::{Row, prioritize};
use super::requirements::{Requirement, Unread, read};
use super::{Field, place};
use crate::vocab::error::{Code, Result};
use crate::vocab::word::words;
use serde::Serialize;
use std::collections::BTreeSet;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Analysis {
    /// Turns that each sprint may take.
    pub budget: u32,
    /// The beginning.
    pub point_a: Point,
    /// The end.
    pub point_b: Point,
    /// Requirements and the sprints that address them; none without a requirements document.
    pub coverage: Vec<Coverage>,
    /// What was not taken of that document.
    pub unread: Vec<Unread>,
    /// What is not decided.
    pub open: Vec<OpenQuestion>,
    /// Each sprint by itself.
    pub checks: Vec<SprintCheck>,
    /// The order.
    pub order: PlanOrder,
    /// Scores, with the places sprints have and could have; none if sprints wait for each other in a circle.
    pub rows: Vec<Row>,
    /// What `evaluate` would change.
    pub fixes: Vec<Fix>,
    /// Everything that should be done about it.
    pub issues: Vec<Issue>,
    /// What was left to judge.
    pub questions: Vec<PlanQuestion>,
}

/// Where the plan begins, or ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Point {
    /// CLEAR, else UNCLEAR.
    pub clear: bool,
    /// What the plan says about it.
    pub documented: Vec<String>,
    /// What there is to be at the end, what is taken for granted, and what cannot be told, each in words.
    pub findings: Vec<String>,
}

/// A requirement and who addresses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// The requirement.
    pub requirement: Requirement,
    /// The sprints; an empty list is a gap, `None` is not known.
    pub sprints: Option<Vec<String>>,
}

/// Something that is not decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenQuestion {
    /// The words.
    pub text: String,
    /// Where: `sprint 2, task 3`.
    pub at: String,
    /// The kind.
    pub kind: OpenKind,
    /// The sprints that cannot begin without an answer.
    pub blocks: Vec<String>,
}

words! {
    /// The kinds of open question.
    OpenKind {
        Undecided "undecided" "It is put off, or left open.";
        Unsaid "unsaid" "It does not say what.";
        External "external" "A system outside of which nothing is read first.";
    }
    /// What an issue is about.
    IssueKind {
        Document "document" "The document cannot be read as it is.";
        Points "points" "The beginning or the end.";
        Coverage "coverage" "A requirement without a sprint.";
        Bridge "bridge" "A step that is missing between sprints.";
        DeadEnd "dead_end" "What nobody uses.";
        Question "question" "What is not decided.";
        Atomicity "atomicity" "A sprint that is more or less than one thing.";
        Testability "testability" "A sprint whose end nothing shows.";
        Fitness "fitness" "A sprint that is small for its budget.";
        Dependency "dependency" "Who waits for whom.";
        Order "order" "Who comes first.";
        Parallelism "parallelism" "What could go on at the same time.";
    }
}

impl IssueKind {
    /// The pass that finds it from 1, its name, and what comes of it if nothing is done.
    pub fn facts(self) -> (usize, &'static str, &'static str) {
        use IssueKind as Kind;
        match self {
            Kind::Document => (1, "document", "the plan cannot start, or not as it was meant"),
            Kind::Points => (1, "starting or target state", "the way between them cannot be told"),
            Kind::Coverage => (1, "coverage", "a requirement is not met when all sprints are done"),
            Kind::Bridge => (1, "missing step", "a sprint begins without what it needs"),
            Kind::DeadEnd => (1, "dead end", "work is done that may not be needed"),
            Kind::Question => (1, "open question", "an agent has to decide it alone, or stops"),
            Kind::Atomicity => (2, "atomicity", "an agent has no single goal or runs out of turns"),
            Kind::Testability => (2, "testability", "a sprint is taken for done that is not"),
            Kind::Fitness => (2, "context fitness", "an agent is started for very little"),
            Kind::Dependency => (3, "dependency", "sprints cannot be put in an order"),
            Kind::Order => (3, "execution order", "what others wait for is known late"),
            Kind::Parallelism => (3, "parallelism", "work waits that could go on"),
        }
    }
}

/// Something to do about a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// How much it matters.
    pub severity: Severity,
    /// What it is about.
    pub kind: IssueKind,
    /// Where.
    pub at: String,
    /// What is wrong.
    pub problem: String,
    /// What would help.
    pub advice: String,
}

words! {
    /// How much an issue matters.
    Severity {
        Critical "critical" "Execution would fail.";
        Recommended "recommended" "Execution would be better.";
        Optional "optional" "Nice to have.";
    }
}

/// Analyses a plan with the remarks on it, and with the requirements it was made of if they are known.
///
/// # Errors
/// The fault of the requirements document.
pub fn analyze(
    given: &Read,
    requirements: Option<&str>,
    budget: u32,
    answers: &Answers,
) -> Result<Analysis> {
    let mut plan = given.plan.clone();
    let asked = fill(&mut plan, &[Field::Files, Field::Lines, Field::Risk], answers);
    let links = Links::of(&plan);
    let mut look = Look::new(&plan, &links, asked.questions);
    given.remarks.iter().for_each(|remark| look.remark(remark));
    let (point_a, point_b) = (look.point_a(), look.point_b());
    let wanted = requirements.map(read).transpose()?.unwrap_or_default();
    let coverage = look.coverage(wanted.requirements, answers);
    look.dead_ends();
    let open = look.open();
    look.judged(answers);
    let (checks, _) = checks(&plan, budget, answers);
    let mended = evaluate(&plan, budget, answers);
    checks.iter().for_each(|check| look.quality(check, &mended.fixes));
    let (mut rows, mut left) = (Vec::new(), mended.questions);
    if let Ok(sorted) = prioritize(&plan, answers) {
        rows = sorted.rows;
        left.extend(sorted.questions);
    }
    look.order(&rows);
    look.serial();
    let Look { mut issues, mut questions, .. } = look;
    issues.sort_by_key(|one| (one.severity, one.kind));
    let known: BTreeSet<String> = questions.iter().map(|one| one.id.clone()).collect();
    left.retain(|one| !known.contains(&one.id));
    questions.extend(left);
    let order = links.order(&plan);
    let (unread, fixes) = (wanted.unread, mended.fixes);
    Ok(Analysis {
        budget,
        point_a,
        point_b,
        coverage,
        unread,
        open,
        checks,
        order,
        rows,
        fixes,
        issues,
        questions,
    })
}

impl Look<'_> {
    /// A remark of the reader.
    fn remark(&mut self, one: &Remark) {
        let kind = match one.code {
            Code::DependencyCycle | Code::DependencyUnknown => IssueKind::Dependency,
            _ => IssueKind::Document,
        };
        let severity = match one.weight {
            Weight::Fault => Severity::Critical,
            Weight::Warning => Severity::Recommended,
            Weight::Note => return,
        };
        let problem = format!("{} {}", one.code.sentence(), one.got);
        let advice = format!("Expected is {}.", one.expected);
        self.issue(severity, kind, format!("line {}", one.line), problem, advice);
    }

    /// What is wrong with a sprint, and what `evaluate` would do about it.
    fn quality(&mut self, check: &SprintCheck, fixes: &[Fix]) {
        use IssueKind::{Atomicity, Testability};
        let fix = |kind: FixKind, words: &str| {
            let own = fixes.iter().find(|one| one.kind == kind && one.sprint == check.sprint);
            let does = |one: &Fix| format!("{} (`plan evaluate` does)", one.what);
            own.map_or_else(|| words.to_owned(), does)
        };
        let fitness = check.fitness;
        let turns = turns(&check.estimate.turns());
        let large = format!("{turns} are more than 80 % of the budget.");
        let split = |words: &str| fix(FixKind::Split, words);
        let name = "Let entry and exit criteria name files or commands.".to_owned();
        let files = "Name the files its tasks produce.".to_owned();
        let look = "Its beginning or end names nothing that can be looked up.";
        let missed = "Some tasks have no criterion that would miss them.";
        let add = fix(FixKind::Added, "Add a build, a test, or a look for a file.");
        let large = (large.as_str(), split("Split it by hand: no rule finds the place."));
        let goals = ("Its tasks serve more than one goal.", split("Split it by subsystem."));
        let rows = [
            (check.single_concern != Some(false), Atomicity, goals),
            (check.clear_artifact, Atomicity, ("It names nothing that it makes.", files)),
            (fitness != Some(Fitness::Oversized), Atomicity, large),
            (check.explicit_io, Atomicity, (look, name)),
            (check.machine_verifiable, Testability, ("No exit criterion has a command.", add)),
            (check.coverage, Testability, (missed, "Add a criterion for each.".to_owned())),
        ];
        let at = format!("sprint {}", place(&check.sprint));
        for (_, kind, (problem, advice)) in rows.into_iter().filter(|(good, ..)| !good) {
            self.issue(Severity::Recommended, kind, &at, problem, advice);
        }
        let sprint = self.sprint(&check.sprint).cloned().unwrap_or_default();
        for one in sprint.exit.iter().filter(|one| is_vague(&sprint, one)) {
            let problem = format!("Nobody can measure {}: {}", one.id, one.text);
            let advice = "Say which command decides it.";
            self.issue(Severity::Recommended, Testability, &at, problem, advice);
        }
        if fitness == Some(Fitness::Undersized) {
            let problem = format!("{turns} are less than 15 % of the budget.");
            let advice = fix(FixKind::Merged, "Join it with its neighbour by hand.");
            self.issue(Severity::Optional, IssueKind::Fitness, &at, problem, advice);
        }
    }

    fn order(&mut self, rows: &[Row]) {
        for row in rows.iter().filter(|row| row.place < row.place_was) {
            let Some(score) = &row.score else { continue };
            let (was, now) = (row.place_was, row.place);
            let why = score.reason();
            let problem = format!("It is urgent ({why}) and comes {} places late.", was - now);
            let advice = format!("Move it from {was} to {now} (`plan prioritize` does).");
            let at = format!("sprint {}", place(&score.sprint));
            self.issue(Severity::Recommended, IssueKind::Order, at, problem, advice);
        }
    }

    /// Sprints that wait for the one before only because they stand behind it, and share no file with it.
    fn serial(&mut self) {
        let files = |sprint: &Sprint| -> BTreeSet<String> {
            let all = sprint.reads.iter().chain(&sprint.creates).chain(&sprint.changes);
            all.cloned().collect()
        };
        let plan = self.plan;
        for unit in &plan.units {
            for pair in unit.sprints.windows(2) {
                let (one, other) = (files(&pair[0]), files(&pair[1]));
                let told = !one.is_empty() && !other.is_empty() && one.is_disjoint(&other);
                if told && pair[1].depends_on.is_none() {
                    let before = &pair[0].label;
                    let problem = format!(
                        "It waits for sprint {before} only by its place: no file is shared."
                    );
                    let advice = "Say that it depends on nothing, or why it waits.";
                    let at = format!("sprint {}", place(&id(unit, &pair[1])));
                    self.issue(Severity::Optional, IssueKind::Parallelism, at, problem, advice);
                }
            }
        }
    }
}
