//! What a journal tells of runs and questions: who was sent for what, when, and how it ended.
//!
//! A journal line names the runs it ordered only by id and digest. Whoever replays it has the orders
//! whole and can tell them here; nothing is kept of prompts and reports.

use crate::vocab::effect::{Effect, Order};
use crate::vocab::error::Code;
use crate::vocab::event::{EffectId, Event, Fact, RunOutcome};
use crate::vocab::question::Answer;
use crate::vocab::role::Usage;
use crate::vocab::time::Millis;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All runs and questions so far.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Chronicle {
    /// The runs, in the order they were sent.
    pub runs: Vec<ToldRun>,
    /// The questions, in the order they were asked.
    pub questions: Vec<ToldQuestion>,
    #[serde(skip)]
    open: BTreeMap<EffectId, Place>,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Run(usize),
    Question(usize),
}

/// A moment of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Moment {
    /// Number of the event.
    pub seq: u64,
    /// Its time.
    pub at: Millis,
}

/// One run.
#[derive(Clone, Debug, Serialize)]
pub struct ToldRun {
    /// Its effect id.
    pub id: EffectId,
    /// The role.
    pub role: String,
    /// The item it was sent for, if any.
    pub item: Option<String>,
    /// How often the role had been sent, with this time.
    pub visit: u64,
    /// The run whose report it corrects, if any.
    pub corrects: Option<EffectId>,
    /// When it was ordered.
    pub ordered: Moment,
    /// When it was started.
    pub started: Option<Moment>,
    /// When it ended; `None` while it is alive, and for one that was withdrawn.
    pub ended: Option<Moment>,
    /// How it ended.
    pub outcome: Option<RunOutcome>,
    /// What went wrong, if something did.
    pub problem: Option<Code>,
    /// What it used, as far as it said so.
    pub usage: Usage,
}

/// One question.
#[derive(Clone, Debug, Serialize)]
pub struct ToldQuestion {
    /// Its effect id.
    pub id: EffectId,
    /// Its text.
    pub text: String,
    /// When it was asked.
    pub asked: Moment,
    /// When it was answered.
    pub answered: Option<Moment>,
    /// The answer.
    pub answer: Option<Answer>,
}

impl Chronicle {
    /// Takes what one line tells. `event` is `None` for line 0.
    pub fn tell(&mut self, now: Moment, event: Option<&Event>, effects: &[Arc<Effect>]) {
        if let Some(event) = event {
            self.fact(now, &event.fact);
        }
        effects.iter().for_each(|effect| self.order(now, effect));
    }

    fn order(&mut self, now: Moment, effect: &Effect) {
        let place = match &effect.order {
            Order::SpawnRole(spawn) => {
                self.runs.push(ToldRun {
                    id: effect.id,
                    role: spawn.role.clone(),
                    item: spawn.item.clone(),
                    visit: spawn.visit,
                    corrects: spawn.corrects,
                    ordered: now,
                    started: None,
                    ended: None,
                    outcome: None,
                    problem: None,
                    usage: Usage::default(),
                });
                Place::Run(self.runs.len() - 1)
            }
            Order::AskUser(question) => {
                let text = question.text.clone();
                let (answered, answer) = (None, None);
                self.questions.push(ToldQuestion {
                    id: effect.id,
                    text,
                    asked: now,
                    answered,
                    answer,
                });
                Place::Question(self.questions.len() - 1)
            }
            _ => return,
        };
        self.open.insert(effect.id, place);
    }

    fn fact(&mut self, now: Moment, fact: &Fact) {
        match fact {
            Fact::RunStarted(fact) => {
                if let Some(run) = self.run(fact.effect) {
                    run.started = Some(now);
                }
            }
            Fact::RunEnded(fact) => {
                if let Some(run) = self.run(fact.effect) {
                    run.ended = Some(now);
                    run.outcome = Some(fact.outcome);
                    run.problem = fact.problem.as_ref().map(|problem| problem.code);
                    run.usage = fact.usage;
                }
                self.open.remove(&fact.effect);
            }
            Fact::EffectFailed(fact) => {
                if let Some(run) = self.run(fact.effect) {
                    run.ended = Some(now);
                    run.problem = Some(fact.problem.code);
                }
                self.open.remove(&fact.effect);
            }
            Fact::QuestionAnswered(fact) => {
                let place = self.open.remove(&fact.effect);
                if let Some(Place::Question(place)) = place {
                    let question = &mut self.questions[place];
                    question.answered = Some(now);
                    question.answer = Some(fact.answer.clone());
                }
            }
            _ => {}
        }
    }

    fn run(&mut self, id: EffectId) -> Option<&mut ToldRun> {
        match self.open.get(&id) {
            Some(Place::Run(place)) => self.runs.get_mut(*place),
            Some(Place::Question(_)) | None => None,
        }
    }
}
