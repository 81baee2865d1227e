//! The review of changed checks: what holds only with files of its check as the work changed them is shown to another run.
//!
//! One read-only run ([`consult`]) judges all such commands of an end by how these files differ. What it says can make a criterion
//! judged, never observed; what it does not judge stays claimed.

mod prompt;
mod read;

pub use read::{CheckFinding, CheckReport, CheckVerdict, SCHEMA};

use crate::vocab::json::{Readable, Serialize};
use read::read;

use super::consult::{self, Consult};
use super::trial::{Outcome, Trial};
use super::{Deciding, Proof};
use crate::mission::role::Cast;
use crate::mission::{Head, Intent, Protocol, report};
use crate::vocab::effect::{Order, Outstanding};
use crate::vocab::error::{Result, clip};
use crate::vocab::event::{EffectId, Fact};
use crate::vocab::role::{Access, Tier};
use crate::vocab::text::one_line;
use schemars::JsonSchema;

/// The role.
const JUDGE: Cast =
    Cast { name: "check-judge", schema: SCHEMA, access: Access::ReadOnly, tier: Tier::Large };
/// The longest reason that is kept, in characters.
const LONGEST_REASON: usize = 500;

/// How far the review of changed checks is.
pub type Review = Consult<CheckReport>;

/// What another run says of a changed check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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
    let looks = || proof.trial.as_ref().is_some_and(|trial| trial.review.is_look(one));
    is_run(&one.effect.order) || looks()
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
pub(super) fn check_report(proof: &Proof, mission: &str, text: &str) -> Result<Vec<String>> {
    let (_, unknown) = read(mission, text, &names(proof))?;
    Ok(report::notes(mission, text, report::ignored(&unknown)))
}

/// What is ordered next, once every command was run: a look, the run, and a look again.
pub(super) fn next(head: &mut Head, protocol: &dyn Protocol) -> Option<Intent> {
    let trial = head.proof.trial.as_ref()?;
    if trial.review.over || asked(trial).next().is_none() {
        return None;
    }
    let intent = match trial.review.looks_next() {
        true => consult::look(trial.commit.clone(), head.proof.base.clone()),
        false => {
            let prompt = prompt::prompt(&head.proof, trial, protocol);
            consult::send(&JUDGE, head.proof.reviews + 1, trial.review.corrects, prompt)
        }
    };
    let trial = head.proof.trial.as_mut()?;
    let intent = trial.review.order(head.seq, &head.budget, intent);
    trial.forget_differences();
    intent
}

/// Takes what came of an order of a review. One that was forgotten meanwhile says nothing.
pub(super) fn take(proof: &mut Proof, fact: &Fact, mission: &str) {
    let names = names(proof);
    let Proof { trial: Some(trial), sessions, reviews, .. } = proof else { return };
    *reviews += u64::from(matches!(fact, Fact::RunStarted(_)));
    let said = trial.review.take(fact, sessions, |text| Ok(read(mission, text, &names)?.0));
    if let Some((said, by)) = said.zip(trial.review.by.clone()) {
        trial.judged(&said, by.run);
    }
    trial.forget_differences();
}

impl Trial {
    /// What was said counts.
    fn judged(&mut self, said: &CheckReport, run: EffectId) {
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
    }

    /// Once nothing more is asked nobody needs the differences.
    fn forget_differences(&mut self) {
        let over = self.review.over;
        for one in self.commands.iter_mut().filter(|_| over) {
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
