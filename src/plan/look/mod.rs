//! What an analysis looks at, one question after the other: the beginning, the end, coverage, dead ends, what is
//! not decided, and the quality and order of sprints.

mod coverage;
mod open;
mod points;
mod sprints;

use super::analyze::{Issue, IssueKind, Severity};
use super::judge::{Answers, PlanQuestion, said_yes};
use super::model::{Plan, Remark, Weight};
use super::outline::Outline;
use crate::vocab::error::Code;

pub(super) struct Look<'a> {
    pub(super) plan: &'a Plan,
    pub(super) outline: &'a Outline<'a>,
    pub(super) issues: Vec<Issue>,
    pub(super) left: Vec<PlanQuestion>,
}

impl Look<'_> {
    fn issue(
        &mut self,
        severity: Severity,
        pass: u32,
        kind: IssueKind,
        at: String,
        problem: String,
        advice: impl Into<String>,
    ) {
        let advice = advice.into();
        self.issues.push(Issue { severity, pass, kind, at, problem, advice });
    }

    /// A remark of the reader. Words that nobody can measure and missing criteria are told with the sprint.
    pub(super) fn remark(&mut self, one: &Remark) {
        let (pass, kind) = match one.code {
            Code::VagueWords | Code::EmptyCriteria => return,
            Code::DependencyCycle | Code::DependencyUnknown => (3, IssueKind::Dependency),
            _ => (1, IssueKind::Document),
        };
        let severity = match one.weight {
            Weight::Fault => Severity::Critical,
            Weight::Warning | Weight::Note => Severity::Recommended,
        };
        let problem = format!("{} {}", one.code.sentence(), one.got);
        let advice = format!("Expected is {}.", one.expected);
        self.issue(severity, pass, kind, format!("line {}", one.line), problem, advice);
    }

    /// What only a judge can tell: is a step missing, do assumptions contradict each other?
    pub(super) fn judged(&mut self, answers: &Answers) {
        let questions = [
            (
                "bridges",
                "Is every step there that leads from the starting state to the target state, without a gap between sprints?",
                IssueKind::Bridge,
                "A judge misses work between sprints.",
                "Look where one sprint needs what none before it makes.",
            ),
            (
                "assumptions",
                "Do the assumptions and preconditions of the plan agree with each other?",
                IssueKind::Points,
                "A judge finds that assumptions contradict each other.",
                "Say which of them holds.",
            ),
        ];
        for (id, text, kind, problem, advice) in questions {
            match said_yes(answers, id) {
                Some(true) => {}
                Some(false) => {
                    let at = "the plan".to_owned();
                    self.issue(Severity::Recommended, 1, kind, at, problem.to_owned(), advice);
                }
                None => self.left.push(PlanQuestion::yes_no(id.to_owned(), text.to_owned())),
            }
        }
    }
}
