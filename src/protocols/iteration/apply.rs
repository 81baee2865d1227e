//! Fact → state, as far as it is particular. A run that ended is judged at once: what handlers can tell by its words they
//! tell, what needs an answer of the world is ordered by the table. A run that did not end well says nothing: it counts as
//! an iteration and shows nothing.

use super::handler::{Answer, Handler, Heard};
use super::state::{Judging, State, Summary};
use super::{answers, ask, commands, judge, report};
use crate::mission::life::{self, Said, Understood};
use crate::mission::prelude::*;
use crate::vocab::command::Command;
use crate::vocab::effect::RunCommand;
use crate::vocab::event::{CommandExited, Consulted, Fact, RunEnded, RunOutcome};
use crate::vocab::question;

/// All runs are one step.
pub(super) const STEP: &str = "";

impl Particular for State {
    // What the agent leaves in the tree is its own.
    life::lives!(attempts: |of: &State| of.core.settings.attempts_per_step);
    life::conversation!();

    fn step(&self, _: &str, _: &str) -> String {
        STEP.to_owned()
    }

    fn understand(&self, role: &str, _: &str, report: &str) -> Result<Understood> {
        self.notes(role, report).map(|_| Understood::of(()))
    }

    fn notes(&self, role: &str, text: &str) -> Result<Vec<String>> {
        report::check(role, text)
    }

    fn is_done(&self) -> bool {
        self.core.done.is_some()
    }

    fn started(&mut self, _: &Context<'_>, _: &Run) {
        let core = &mut *self.core;
        core.iteration += 1;
        // What was said to this run only is not said to the next.
        (core.next_prompt, core.note) = (None, None);
    }

    fn heard(
        &mut self,
        context: &Context<'_>,
        _: &Run,
        fact: &RunEnded,
        _: Result<&Said, &Error>,
    ) -> life::JudgedBy {
        run_ended(self, context.head, fact);
        life::JudgedBy::Words
    }

    fn looked(&mut self, context: &Context<'_>, _: &Repository) -> bool {
        self.core.unseen = false;
        judge::conclude(self, context.head.at);
        true
    }

    fn judge(
        &mut self,
        _: &mut Context<'_>,
        _: &Run,
        _: &Understood,
        _: &Repository,
    ) -> Result<()> {
        Ok(())
    }

    /// No run was made, so no iteration is counted.
    fn fail_step(&mut self, _: &Context<'_>, _: &str, _: &str, problem: Diagnostic) {
        self.core.life.count_failure(STEP.to_owned(), problem);
        judge::ask_if_stuck(self);
    }

    /// The answer of a command goes to the condition it was run for.
    fn exited(
        &mut self,
        context: &mut Context<'_>,
        _: &RunCommand,
        fact: &CommandExited,
    ) -> Result<()> {
        self.core.life.stale();
        let settings = self.core.settings.clone();
        let leaves = settings.handler.leaves();
        let place = self.core.next_condition();
        let answer = match place.and_then(|place| leaves.get(place)) {
            Some(Handler::Issue(issue)) => issue.read(fact),
            Some(Handler::Check(check)) => check.read(fact),
            // What it was run for is not asked any more.
            _ => return Ok(()),
        };
        judge::answered(self, answer, context.head.at);
        Ok(())
    }

    fn consulted(&mut self, context: &mut Context<'_>, fact: &Consulted) -> Result<()> {
        judge::consulted(self, fact, context.head.at);
        Ok(())
    }

    fn not_performed(
        &mut self,
        context: &Context<'_>,
        order: &Order,
        problem: &Diagnostic,
    ) -> bool {
        let asked = matches!(order, Order::RunCommand(_) | Order::Consult(_));
        if asked {
            judge::answered(self, Answer::not_shown(problem.clone()), context.head.at);
        }
        asked
    }

    fn follows(&mut self, topic: &str, answer: &question::Answer) -> bool {
        topic == ask::CEILING && answers::ceiling(&mut self.core, answer)
    }

    fn allows(&self, command: &Command) -> Result<()> {
        commands::allows(command)
    }

    fn taken(&mut self, _: &mut Context<'_>, fact: &Fact) {
        if matches!(fact, Fact::HostRecovered(_)) {
            self.core.unseen = self.core.settings.follow_head;
        }
    }
}

fn run_ended(state: &mut State, head: &Head, fact: &RunEnded) {
    let core = &mut *state.core;
    let iteration = core.iteration;
    let said = fact.report.as_deref().filter(|said| !said.trim().is_empty());
    let well = fact.outcome == RunOutcome::Success && said.is_some();
    let problem = (!well).then(|| fact.problem.clone().unwrap_or_else(|| life::failure(fact)));
    match &problem {
        None => core.life.step_done(STEP),
        Some(problem) => {
            core.life.counts.failed_runs += 1;
            core.life.count_failure(STEP.to_owned(), problem.clone());
        }
    }
    let heard = said.filter(|_| well);
    remember(state, iteration, said, heard);
    let core = &mut *state.core;
    let judged = Heard { text: heard, iteration, phase: core.phase };
    let settings = core.settings.clone();
    let leaves = settings.handler.leaves();
    let asked = leaves.iter().any(|leaf| matches!(leaf, Handler::Custom(_)));
    let input = asked.then(|| {
        Arc::new(super::handler::custom::input(
            &settings.definition,
            &settings.args,
            iteration,
            heard,
            core.memory.as_deref(),
        ))
    });
    // A run that did not end well completes nothing: no condition is asked after it.
    let answer = |leaf: &Handler| match &problem {
        Some(problem) => Some(Answer::not_shown(problem.clone())),
        None => leaf.hear(&judged),
    };
    core.judging = Some(Judging {
        run: fact.effect,
        iteration,
        outcome: fact.outcome,
        at: head.at,
        answers: leaves.iter().map(|leaf| answer(leaf)).collect(),
        input,
    });
    core.unseen = settings.follow_head;
    judge::conclude(state, head.at);
}

/// Keeps the last summaries, and moves the phase forward by what they say.
fn remember(state: &mut State, iteration: u64, said: Option<&str>, heard: Option<&str>) {
    let core = &mut *state.core;
    let settings = core.settings.clone();
    let named = settings.handler.leaves().into_iter().find_map(|leaf| match leaf {
        Handler::Project(project) => heard.and_then(|text| project.phase_in(text)),
        _ => None,
    });
    // A run that said nothing pushes out no words of those before it: they are all that the next run hears of them.
    let Some(said) = said else { return };
    let most = usize::try_from(settings.summary_chars).unwrap_or(usize::MAX);
    let text = said.trim().chars().take(most).collect();
    core.summaries.push(Summary { iteration, text, phase: named });
    // The phase is read from the last two, however many the prompts carry.
    let keep = usize::try_from(settings.summaries.max(2)).unwrap_or(usize::MAX);
    let surplus = core.summaries.len().saturating_sub(keep);
    core.summaries.drain(..surplus);
    let lately = core.summaries.iter().rev().take(2).filter_map(|one| one.phase);
    core.phase = lately.fold(core.phase, Ord::max);
}
