//! Mends the sprints of a plan (seed 17f): criteria are added where nothing can be checked, what is too large or about two
//! things is split, what is too small joins its neighbour, and numbers follow.
//!
//! Nothing an author wrote is taken away or worded anew: what is new is marked as added. What needs a judgement and has
//! no answer stays as it is and is asked.

use super::super::clause;
use super::super::judge::{Answers, PlanQuestion, said_words};
use super::super::model::{Command, Criterion, Expect, Kind, Plan, Sprint, Status, id};
use super::checks::{SprintCheck, checks, is_vague};
use super::fields::{Filled, fill};
use super::renumber::{Labels, relabel, sequence};
use super::text::{commands, says, shortest};
use super::words::{MADE, TESTED, VAGUE};
use super::{Field, Number};
use crate::vocab::word::words;
use serde::Serialize;
use std::collections::BTreeSet;

/// The turns an agent has if nobody says otherwise (seed 1617).
pub const BUDGET: u32 = 50;
/// More passes than this are none that help: halves of halves of halves.
const MOST_PASSES: u32 = 16;

/// A plan that was checked and mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// The plan.
    pub plan: Plan,
    /// What was found before anything was changed.
    pub before: Vec<SprintCheck>,
    /// What is found now.
    pub after: Vec<SprintCheck>,
    /// What was changed, in order.
    pub fixes: Vec<Fix>,
    /// Fields that answers filled in.
    pub filled: Vec<Filled>,
    /// What was left to judge.
    pub questions: Vec<PlanQuestion>,
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// What was done.
    pub kind: FixKind,
    /// To which sprint, by the id it had before.
    pub sprint: String,
    /// In words.
    pub what: String,
}

words! {
    /// The kinds of change.
    FixKind {
        Added "added" "A criterion was added.";
        Split "split" "A sprint became two.";
        Merged "merged" "Two sprints became one.";
    }
}

/// Checks and mends a plan without a fault; `budget` is the turns that a sprint may take.
pub fn evaluate(plan: &Plan, budget: u32, answers: &Answers) -> Evaluated {
    let mut filled = plan.clone();
    let asked = fill(&mut filled, &[Field::Files, Field::Lines], answers);
    let (before, left) = checks(&filled, budget, answers);
    let questions = asked.questions.into_iter().chain(left).collect();
    let (fixes, became, refused) = Default::default();
    let mut work = Work { plan: filled, budget, answers, fixes, questions, became, refused };
    work.add_missing();
    for _ in 0..MOST_PASSES {
        if !work.split() {
            break;
        }
    }
    work.merge();
    let (mut after, _) = checks(&work.plan, budget, answers);
    work.number(plan);
    for (check, (unit, sprint)) in after.iter_mut().zip(super::live(&work.plan)) {
        check.sprint = id(unit, sprint);
    }
    let Work { plan, fixes, questions, .. } = work;
    Evaluated { plan, before, after, fixes, filled: asked.filled, questions }
}

/// A plan on its way.
pub(super) struct Work<'a> {
    pub(super) plan: Plan,
    pub(super) budget: u32,
    pub(super) answers: &'a Answers,
    pub(super) fixes: Vec<Fix>,
    pub(super) questions: Vec<PlanQuestion>,
    /// The label that stands for one that is gone, by unit and label.
    pub(super) became: Labels,
    /// What was tried and cannot be.
    pub(super) refused: BTreeSet<(FixKind, String)>,
}

impl Work<'_> {
    pub(super) fn fix(&mut self, kind: FixKind, sprint: &str, what: String) {
        self.fixes.push(Fix { kind, sprint: sprint.to_owned(), what });
    }

    /// Asks once. About what the author did not write, a half of a sprint, nobody is asked.
    pub(super) fn ask(&mut self, id: String, text: String) {
        if !id.contains('\u{2}') && !self.questions.iter().any(|one| one.id == id) {
            self.questions.push(PlanQuestion::words(id, text));
        }
    }

    /// Adds criteria to sprints of which nothing can be checked, and beside those that nobody can measure.
    fn add_missing(&mut self) {
        let tools = ["build", "test"].map(|word| tool(&self.plan, word));
        let mut plan = std::mem::take(&mut self.plan);
        let live = plan.sprints_mut().filter(|(_, one)| one.status == Status::Pending);
        for (own, sprint) in live {
            let mut new = self.shown(sprint, &own, &tools);
            new.extend(self.measured(sprint, &own, &tools[1]));
            let added = add(sprint, new);
            if !added.is_empty() {
                self.fix(FixKind::Added, &own, added.join("; "));
            }
        }
        self.plan = plan;
    }

    /// What shows the end of a sprint that has no command.
    fn shown(
        &mut self,
        sprint: &Sprint,
        id: &str,
        [build, test]: &[Option<String>; 2],
    ) -> Vec<Criterion> {
        if commands(sprint).next().is_some() {
            return Vec::new();
        }
        let mut lines: Vec<String> =
            sprint.creates.iter().filter_map(|file| exists(file)).collect();
        if sprint.kind == Kind::Code {
            let tests = says(&sprint.name, &["test", "tests"]).is_some();
            lines.extend(build.iter().chain(test.iter().filter(|_| tests)).cloned());
        }
        if !lines.is_empty() {
            return lines.iter().map(|line| exits(line)).collect();
        }
        self.answered(format!("exit:{id}"), end_of(sprint))
    }

    /// What measures the criteria that nobody can measure: tests, files, or an answer.
    fn measured(&mut self, sprint: &Sprint, id: &str, test: &Option<String>) -> Vec<Criterion> {
        let known: BTreeSet<&str> = commands(sprint).map(|one| one.line.as_str()).collect();
        let mut new = Vec::new();
        for one in sprint.exit.iter().filter(|one| is_vague(sprint, one)) {
            let lines: Vec<String> = match says(&one.text, VAGUE) {
                Some(TESTED) => test.iter().cloned().collect(),
                Some(MADE) => sprint.creates.iter().filter_map(|file| exists(file)).collect(),
                _ => Vec::new(),
            };
            let fresh = lines.iter().filter(|line| !known.contains(line.as_str()));
            let fresh: Vec<Criterion> = fresh.map(|line| exits(line)).collect();
            match fresh.is_empty() {
                false => new.extend(fresh),
                true => {
                    let text = format!(
                        "Sprint {}: which command decides this criterion? Write it as a criterion with a code span: {}",
                        sprint.label, one.text
                    );
                    new.extend(self.answered(format!("wording:{id}/{}", one.id), text));
                }
            }
        }
        new
    }

    /// The criterion of an answer, if it has a command; else asks.
    pub(super) fn answered(&mut self, key: String, text: String) -> Vec<Criterion> {
        let read = told(self.answers, &key);
        if read.is_none() {
            self.ask(key, text);
        }
        read.into_iter().collect()
    }

    /// Gives numbers in sequence if the number of sprints changed, and names what is new.
    fn number(&mut self, was: &Plan) {
        let changed: BTreeSet<String> = self.became.keys().map(|(unit, _)| unit.clone()).collect();
        let labels = sequence(&self.plan, was, &changed);
        let mut text = labels.clone();
        for ((unit, label), now) in &self.became {
            let new = labels.get(&(unit.clone(), now.clone())).cloned();
            text.extend(new.map(|new| ((unit.clone(), label.clone()), new)));
        }
        if !changed.is_empty() {
            relabel(&mut self.plan, &labels, &text);
        }
    }
}

/// The criterion that an answer writes, if it has a command.
pub(super) fn told(answers: &Answers, key: &str) -> Option<Criterion> {
    let words = said_words(answers, key)?;
    let read = clause::criterion(String::new(), &words, false, Default::default());
    Some(read).filter(|one| !one.commands.is_empty())
}

/// The question for what shows the end of a sprint.
pub(super) fn end_of(sprint: &Sprint) -> String {
    format!(
        "Which command shows that sprint {} ({}) is done? Write it as a criterion: a code span, then what it does, such as `exits 0`.",
        sprint.label, sprint.name
    )
}

/// The command a plan builds or tests with: of those it has, the shortest that says so.
fn tool(plan: &Plan, word: &str) -> Option<String> {
    let all = plan.sprints().flat_map(|(_, sprint)| commands(sprint)).filter(|one| passes(one));
    shortest(all.map(|one| one.line.as_str()), word)
}

/// Whether a command holds when it exits with 0.
pub(super) fn passes(command: &Command) -> bool {
    command.expect == Expect::Succeed
}

/// The command that looks for a file; `None` if its name cannot be put on a command line.
pub(super) fn exists(file: &str) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-');
    let bad = |c: char| c.is_control() || matches!(c, '`' | '\'' | '<' | '>' | '…');
    match file.is_empty() || file.starts_with('-') || file.contains(bad) || file.contains("...") {
        true => None,
        false if file.chars().all(plain) => Some(format!("test -f {file}")),
        false => Some(format!("test -f '{file}'")),
    }
}

/// A criterion that a command exits with 0.
pub(super) fn exits(line: &str) -> Criterion {
    let command = Command { line: line.to_owned(), expect: Expect::Succeed, within: None };
    let text = clause::written("", &[command]);
    clause::criterion(String::new(), &text, false, Default::default())
}

/// Adds exit criteria, each command once, with ids of their own; what was added, in words.
pub(super) fn add(sprint: &mut Sprint, new: Vec<Criterion>) -> Vec<String> {
    let mut words = Vec::new();
    for mut one in new {
        let known = sprint.exit.iter().any(|other| other.commands == one.commands);
        if !known {
            one.added = true;
            words.push(one.text.clone());
            sprint.exit.push(one);
        }
    }
    clause::number(sprint);
    words
}

/// The turns of a sprint in words.
pub(super) fn turns(number: &Number) -> String {
    number.words(|turns| format!("{turns} turns"))
}
