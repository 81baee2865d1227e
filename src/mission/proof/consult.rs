//! A run outside the protocols that is asked for its word: it changes nothing, so the tree is looked at before it and after it. One that
//! says nothing that counts is sent once more.

use crate::mission::life::{self, Life, Unsaid};
use crate::mission::role::Cast;
use crate::mission::worktree::{Before, left_alone};
use crate::mission::{Intent, report};
use crate::vocab::budget::{Budget, Counter};
use crate::vocab::effect::{Observe, Order, Outstanding, SpawnRole};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::event::{EffectId, Fact, RunEnded};
use crate::vocab::json::{self, Readable, Serialize};
use crate::vocab::repository::Repository;
use crate::vocab::verdict::Speaker;
use schemars::JsonSchema;
use std::collections::BTreeSet;

/// How many runs are sent: one, and one more where it said nothing that counts.
const MOST_RUNS: u32 = 2;

/// How far such a run is; `R` is what it reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Consult{R}")]
pub struct Consult<R> {
    /// Runs that said nothing that counts.
    pub failed: u32,
    /// The tree before any of them.
    pub before: Option<Before>,
    /// The event that the last look at it was ordered behind.
    pub looks: Option<u64>,
    /// The run that is at work, or was.
    pub by: Option<Speaker>,
    /// What it said, until the tree is looked at again.
    pub said: Option<R>,
    /// The run that is to give its report again.
    pub corrects: Option<EffectId>,
    /// Why what was said does not count, or nothing could be asked.
    pub problem: Option<Diagnostic>,
    /// Nothing more is asked.
    pub over: bool,
}

/// The order of a run of this role.
pub(super) fn send(cast: &Cast, visit: u64, corrects: Option<EffectId>, prompt: String) -> Intent {
    let spawn = Life::default().spawn(cast, (None, ""), None, prompt);
    let order = Order::SpawnRole(SpawnRole { visit, corrects, ..spawn });
    Intent { order, also: corrects.map(|_| Counter::MalformedReports) }
}

/// The order of a look at the tree.
pub(super) fn look(since: Option<String>, basis: Option<String>) -> Intent {
    let (known, within, without) = Default::default();
    Order::Observe(Observe::Repository { since, basis, known, within, without }).into()
}

/// Reads a report that `fits`, and names the fields that its form does not know.
///
/// # Errors
/// As the shared reader; what `fits` finds.
pub(super) fn read<R: Readable + PartialEq>(
    mission: &str,
    text: &str,
    fits: impl Fn(&R) -> Result<()>,
) -> Result<(R, Vec<String>)> {
    let decoded = |block: &str| {
        let (read, unknown) = json::decode_noting::<R>(block)?;
        fits(&read).map(|()| (read, unknown))
    };
    let decoded = |_: &str, block: &str| decoded(block).map_err(|error| error.within("json"));
    report::read(mission, text, &["json"], decoded).map(|found| found.report)
}

impl<R> Consult<R> {
    /// The end of its prompt: how to report on what has these names.
    pub(super) fn form(
        &self,
        cast: &Cast,
        anchor: &str,
        names: &[String],
        example: &str,
    ) -> String {
        let form = report::Form {
            anchor,
            open: &names.join(", "),
            language: "`json`",
            schema: cast.schema,
            example: example.trim_end(),
            correction: self.corrects.zip(self.problem.as_ref()),
            again: false,
        };
        form.text()
    }

    /// Whether a look is next, rather than the run.
    pub(super) fn looks_next(&self) -> bool {
        self.before.is_none() || self.said.is_some()
    }

    /// Whether something that was ordered is a look around the run.
    pub(super) fn is_look(&self, one: &Outstanding) -> bool {
        one.effect.order.is_look() && self.looks == Some(one.effect.id.seq)
    }

    /// What is next, if the budget has it; else nothing more is asked.
    pub(super) fn order(&mut self, seq: u64, budget: &Budget, intent: Intent) -> Option<Intent> {
        let looks = intent.order.is_look();
        // What a run used is charged behind it; a run that could use nothing is not sent.
        let uses = [Counter::Tokens, Counter::CostMicros].into_iter().filter(|_| !looks);
        let mut needs = uses.chain(intent.also).chain([intent.order.counter()]);
        if let Some(spent) = needs.find(|counter| budget.left(*counter) == 0) {
            let none = Error::new(Code::BudgetSpent, spent.as_str(), spent.buys(), "none is left");
            self.end(Some(none.diagnostic()));
            return None;
        }
        if looks {
            self.looks = Some(seq);
        }
        Some(intent)
    }

    /// Takes what came of one of its orders. Answers with what was said, once that counts: who worked judges nothing, and the tree
    /// is as it was before.
    pub(super) fn take(
        &mut self,
        fact: &Fact,
        workers: &BTreeSet<String>,
        read: impl Fn(&str) -> Result<R>,
    ) -> Option<R> {
        match fact {
            Fact::RunStarted(fact) => {
                self.by = Some(Speaker::new(fact.effect, fact.session.clone()));
            }
            Fact::RunProgressed(fact) => {
                let by = self.by.iter_mut();
                by.for_each(|by| fact.sessions().for_each(|session| by.named(session)));
            }
            Fact::RunEnded(fact) => self.ended(fact, workers, read),
            Fact::RepositoryObserved(fact) => return self.looked(&fact.repository),
            Fact::EffectFailed(fact) => self.failed(fact.problem.clone(), None),
            _ => {}
        }
        None
    }

    fn ended(
        &mut self,
        fact: &RunEnded,
        workers: &BTreeSet<String>,
        read: impl Fn(&str) -> Result<R>,
    ) {
        match report_of(self.by.as_ref(), fact, workers, read) {
            Ok(report) => self.said = Some(report),
            Err(Unsaid::Unfit(fault)) => {
                let drifts = fault.code == Code::AnchorMismatch;
                self.failed(fault.diagnostic(), Some(fact.effect).filter(|_| !drifts));
            }
            Err(Unsaid::Failed(fault)) => self.failed(fault.diagnostic(), None),
        }
    }

    fn looked(&mut self, repository: &Repository) -> Option<R> {
        let Some(before) = &self.before else {
            let Repository { head, refs, dirty, .. } = repository.clone();
            self.before = Some(Before { head, refs, dirty });
            return None;
        };
        let said = self.said.take();
        let left = left_alone(before, repository);
        self.end(left.as_ref().err().map(Error::diagnostic));
        said.filter(|_| left.is_ok())
    }

    /// It did not come to a report that counts, which the same run may be asked for again.
    fn failed(&mut self, problem: Diagnostic, corrects: Option<EffectId>) {
        self.failed += 1;
        (self.said, self.corrects, self.problem) = (None, corrects, Some(problem.clone()));
        if self.failed >= MOST_RUNS {
            self.end(Some(problem));
        }
    }

    /// Nothing more is asked.
    pub(super) fn end(&mut self, problem: Option<Diagnostic>) {
        (self.over, self.said, self.problem) = (true, None, problem);
    }
}

/// What a run reports that ended, if that counts.
fn report_of<R>(
    by: Option<&Speaker>,
    fact: &RunEnded,
    workers: &BTreeSet<String>,
    read: impl Fn(&str) -> Result<R>,
) -> std::result::Result<R, Unsaid> {
    let report = read(life::words(fact)?).map_err(Unsaid::Unfit)?;
    let own = by.into_iter().flat_map(Speaker::sessions).find(|one| workers.contains(*one));
    own.map_or(Ok(report), |own| {
        let expected = "a run of another session";
        Err(Unsaid::Failed(Error::new(Code::OwnVerdict, "run", expected, own)))
    })
}
