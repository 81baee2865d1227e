//! The review of changed checks: what holds only with files of its check as the work changed them is shown to another run.
//!
//! One read-only run judges all such commands of an end by how these files differ. The tree is looked at before it and after it, as
//! with every role that changes nothing. What it says can make a criterion judged, never observed. A run that says nothing that
//! counts is sent once more; what is not judged then stays claimed.

mod prompt;
mod read;

pub use read::{CheckFinding, CheckReport, CheckVerdict, SCHEMA};

use read::read;

use super::trial::{Outcome, Trial};
use super::{Deciding, Proof};
use crate::mission::life::{self, Life, Unsaid};
use crate::mission::role::Cast;
use crate::mission::worktree::{Before, left_alone};
use crate::mission::{Head, Intent, Protocol, report};
use crate::vocab::budget::Counter;
use crate::vocab::effect::{Observe, Order, Outstanding, SpawnRole};
use crate::vocab::error::{Code, Diagnostic, Error, clip};
use crate::vocab::event::{EffectId, Fact, RunEnded};
use crate::vocab::repository::Repository;
use crate::vocab::role::{Access, Tier};
use crate::vocab::text::one_line;
use crate::vocab::verdict::Speaker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The role.
const JUDGE: Cast =
    Cast { name: "check-judge", schema: SCHEMA, access: Access::ReadOnly, tier: Tier::Large };
/// How many runs are sent at one end: one, and one more where it said nothing that counts.
const MOST_RUNS: u32 = 2;
/// The longest reason that is kept, in characters.
const LONGEST_REASON: usize = 500;

/// How far the review of changed checks is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CheckReview")]
pub struct Review {
    /// Runs that said nothing that counts.
    pub failed: u32,
    /// The tree before any of them.
    pub before: Option<Before>,
    /// The event that the last look at it was ordered behind.
    pub looks: Option<u64>,
    /// The run that is at work, or was.
    pub by: Option<Speaker>,
    /// What it said, until the tree is looked at again.
    pub said: Option<CheckReport>,
    /// The run that is to give its report again.
    pub corrects: Option<EffectId>,
    /// Why what was said does not count, or nothing could be asked.
    pub problem: Option<Diagnostic>,
    /// Nothing more is asked.
    pub over: bool,
}

/// What another run says of a changed check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckJudgement {
    /// The run.
    pub run: EffectId,
    /// What it found.
    pub finding: CheckFinding,
    /// Why, in its words.
    pub reason: String,
}

/// Whether an order is that of the run that is asked.
pub(super) fn is_run(order: &Order) -> bool {
    matches!(order, Order::SpawnRole(spawn) if spawn.role == JUDGE.name)
}

/// Whether something that was ordered is the run that is asked, or a look at the tree around it.
pub(super) fn is_ours(proof: &Proof, one: &Outstanding) -> bool {
    let looks = proof.trial.as_ref().and_then(|trial| trial.review.looks);
    let order = &one.effect.order;
    is_run(order) || order.is_look() && looks == Some(one.effect.id.seq)
}

/// The commands that hold only with a changed check, each with its name.
fn asked(trial: &Trial) -> impl Iterator<Item = (String, &Deciding)> {
    let changed = |one: &&Deciding| matches!(one.outcome, Outcome::Changed { .. });
    let all = trial.commands.iter().filter(changed).enumerate();
    all.map(|(at, one)| (format!("CHECK-{}", at + 1), one))
}

/// The names of what is asked about at this end.
fn names(proof: &Proof) -> Vec<String> {
    proof.trial.iter().flat_map(asked).map(|(name, _)| name).collect()
}

/// Whether the report of a run could be read; see [`crate::check_report`].
pub(crate) fn check_report(
    proof: &Proof,
    mission: &str,
    text: &str,
) -> crate::vocab::error::Result<Vec<String>> {
    let (_, unknown) = read(mission, text, &names(proof))?;
    Ok(report::notes(mission, text, report::ignored(&unknown)))
}

/// What is ordered next, once every command was run: a look, the run, and a look again.
pub(super) fn next(head: &mut Head, protocol: &dyn Protocol) -> Option<Intent> {
    let trial = head.proof.trial.as_ref()?;
    let review = &trial.review;
    if review.over || asked(trial).next().is_none() {
        return None;
    }
    let looks = review.before.is_none() || review.said.is_some();
    let intent = match looks {
        true => look(&head.proof, trial),
        false => send(&head.proof, trial, protocol),
    };
    // What a run used is charged behind it; a run that could use nothing is not sent.
    let uses = [Counter::Tokens, Counter::CostMicros].into_iter().filter(|_| !looks);
    let mut needs = uses.chain(intent.also).chain([intent.order.counter()]);
    if let Some(spent) = needs.find(|counter| head.budget.left(*counter) == 0) {
        let none = Error::new(Code::BudgetSpent, spent.as_str(), spent.buys(), "none is left");
        head.proof.trial.as_mut()?.review_over(Some(none.diagnostic()));
        return None;
    }
    if looks {
        head.proof.trial.as_mut()?.review.looks = Some(head.seq);
    }
    Some(intent)
}

fn look(proof: &Proof, trial: &Trial) -> Intent {
    let (since, basis) = (trial.commit.clone(), proof.base.clone());
    let (known, within, without) = Default::default();
    Order::Observe(Observe::Repository { since, basis, known, within, without }).into()
}

fn send(proof: &Proof, trial: &Trial, protocol: &dyn Protocol) -> Intent {
    let prompt = prompt::prompt(proof, trial, protocol);
    let (visit, corrects) = (proof.reviews + 1, trial.review.corrects);
    let spawn = Life::default().spawn(&JUDGE, (None, ""), None, prompt);
    let order = Order::SpawnRole(SpawnRole { visit, corrects, ..spawn });
    Intent { order, also: corrects.map(|_| Counter::MalformedReports) }
}

/// Takes what came of an order of a review. One that was forgotten meanwhile says nothing.
pub(super) fn take(proof: &mut Proof, fact: &Fact, mission: &str) {
    let names = names(proof);
    let Proof { trial: Some(trial), sessions, reviews, .. } = proof else { return };
    match fact {
        Fact::RunStarted(fact) => {
            *reviews += 1;
            trial.review.by = Some(Speaker::new(fact.effect, fact.session.clone()));
        }
        Fact::RunProgressed(fact) => {
            let by = trial.review.by.iter_mut();
            by.for_each(|by| fact.sessions().for_each(|session| by.named(session)));
        }
        Fact::RunEnded(fact) => trial.review_ended(fact, sessions, &names, mission),
        Fact::RepositoryObserved(fact) => trial.review_looked(&fact.repository),
        Fact::EffectFailed(fact) => trial.review_failed(fact.problem.clone(), None),
        _ => {}
    }
}

/// What a run reports that ended, if that counts: who worked judges nothing.
fn report_of(
    by: Option<&Speaker>,
    fact: &RunEnded,
    workers: &BTreeSet<String>,
    names: &[String],
    mission: &str,
) -> Result<CheckReport, Unsaid> {
    let (report, _) = read(mission, life::words(fact)?, names).map_err(Unsaid::Unfit)?;
    let own = by.into_iter().flat_map(Speaker::sessions).find(|one| workers.contains(*one));
    own.map_or(Ok(report), |own| {
        let expected = "a run of another session";
        Err(Unsaid::Failed(Error::new(Code::OwnVerdict, "run", expected, own)))
    })
}

impl Trial {
    fn review_ended(
        &mut self,
        fact: &RunEnded,
        workers: &BTreeSet<String>,
        names: &[String],
        mission: &str,
    ) {
        match report_of(self.review.by.as_ref(), fact, workers, names, mission) {
            Ok(report) => self.review.said = Some(report),
            Err(Unsaid::Unfit(fault)) => {
                let drifts = fault.code == Code::AnchorMismatch;
                self.review_failed(fault.diagnostic(), Some(fact.effect).filter(|_| !drifts));
            }
            Err(Unsaid::Failed(fault)) => self.review_failed(fault.diagnostic(), None),
        }
    }

    fn review_looked(&mut self, repository: &Repository) {
        let Some(before) = &self.review.before else {
            let Repository { head, refs, dirty, .. } = repository.clone();
            self.review.before = Some(Before { head, refs, dirty });
            return;
        };
        match left_alone(before, repository) {
            Ok(()) => self.review_counts(),
            Err(fault) => self.review_over(Some(fault.diagnostic())),
        }
    }

    /// What was said counts.
    fn review_counts(&mut self) {
        let (said, by) = (self.review.said.take(), self.review.by.as_ref().map(|by| by.run));
        let (Some(said), Some(run)) = (said, by) else { return };
        let names: Vec<String> = asked(self).map(|(name, _)| name).collect();
        let outcomes = self.commands.iter_mut().filter_map(|one| match &mut one.outcome {
            Outcome::Changed { judged, .. } => Some(judged),
            _ => None,
        });
        for (name, judged) in names.iter().zip(outcomes) {
            let row = said.checks.iter().find(|row| row.check == *name);
            *judged = row.map(|row| CheckJudgement {
                run,
                finding: row.finding,
                reason: clip(&one_line(&row.reason), LONGEST_REASON),
            });
        }
        self.review_over(None);
    }

    /// It did not come to a report that counts, which the same run may be asked for again.
    fn review_failed(&mut self, problem: Diagnostic, corrects: Option<EffectId>) {
        let review = &mut self.review;
        review.failed += 1;
        (review.said, review.corrects, review.problem) = (None, corrects, Some(problem.clone()));
        if review.failed >= MOST_RUNS {
            self.review_over(Some(problem));
        }
    }

    /// Nothing more is asked, and nobody needs the differences any more.
    fn review_over(&mut self, problem: Option<Diagnostic>) {
        let review = &mut self.review;
        (review.over, review.said, review.problem) = (true, None, problem);
        for one in &mut self.commands {
            if let Outcome::Changed { diff, .. } = &mut one.outcome {
                diff.clear();
            }
        }
    }
}

impl Review {
    /// Nothing was asked.
    pub(super) fn is_new(&self) -> bool {
        *self == Review::default()
    }
}
