//! Fact → state, as far as it is particular: what runs, reports, commands, timers and progress files change. Everything
//! else is [`crate::mission::life`].
//!
//! A run that ended is judged only after a look at the repository, even if others are at work; what it left counts, also
//! where it reported nothing.

use super::orders::{CHECK, DEPENDENCY, ENTRY, GATE, POLL, STOP, WAIT, WATCH};
use super::report::Report;
use super::role::Role;
use super::state::{Progress, SprintStatus, State, Watched};
use super::{amend, answers, ask, cascade, commands, due, entry, gate, observe, outcome, polls};
use super::{report, run_result, setback, verdicts};
use crate::mission::citation::Cited;
use crate::mission::life::{self, Ended, JudgedBy, Said, Understood};
use crate::mission::prelude::*;
use crate::mission::report::ignored;
use crate::mission::role;
use crate::mission::worktree::{self, Before};
use crate::vocab::effect::{Observe, RunCommand};
use crate::vocab::event::{CommandExited, DocumentsObserved, Fact, RunEnded};
use crate::vocab::repository::Seen;

/// Commands in a row that may be lost before that counts against what they show.
const MOST_LOST_COMMANDS: u32 = 3;

impl Particular for State {
    // A sprint counts its own attempts: the last one blocks its unit, and nothing is asked.
    life::lives!(attempts: |of: &State| of.core.settings.max_retries);
    life::conversation!(plan: amend, deferred: answers);

    fn understand(&self, role: &str, sprint: &str, text: &str) -> Result<Understood> {
        let known = role::known::<State, _>(Role::parse(role), role)?;
        let (report, unknown) = life::read(self, text, |block| report::read(known, sprint, block))?;
        Ok(Understood::of(report).noting(ignored(&unknown)))
    }

    /// It is to be ended, or nothing waits for it any more.
    fn dropped(&self, run: &Run) -> bool {
        let awaited = match run.access {
            Access::Write => SprintStatus::Running,
            Access::ReadOnly => SprintStatus::Verifying,
        };
        self.doomed(run) || !self.stands_at(&run.item, awaited)
    }

    fn started(&mut self, context: &Context<'_>, run: &Run) {
        let (now, started_at) = (Before::of(self.core.life.seen.as_ref()), context.head.at);
        let tree = observe::part(self.place(&run.item), now.head.as_deref(), 0, &now.dirty);
        let watched = Watched { started_at, heard: true, tree, ..Watched::default() };
        self.core.watched.insert(run.by.run, watched);
        if run.access == Access::Write {
            self.sprints.change(&run.item, |sprint| {
                sprint.runs += 1;
                sprint.reopened = false;
                sprint.last_run = Some(run.by.run);
            });
            if self.stands_at(&run.item, SprintStatus::Dispatched) {
                self.move_sprint(&run.item, SprintStatus::Running);
            }
        }
        self.touch_state();
    }

    fn heard(
        &mut self,
        _: &Context<'_>,
        run: &Run,
        fact: &RunEnded,
        said: Result<&Said, &Error>,
    ) -> JudgedBy {
        run_result::heard(self, run, fact, said.err())
    }

    /// Where nothing can be judged, the runs that ended wait until it can.
    fn looked(&mut self, _: &Context<'_>, repository: &Repository) -> bool {
        let problem = worktree::problem(repository);
        let nothing = problem.is_some();
        self.core.life.blocked = problem.or(self.core.life.blocked.take());
        nothing
    }

    fn see(&mut self, context: &Context<'_>, repository: &Repository) {
        observe::see(self, context.head, repository);
    }

    fn is_own(&self, path: &str) -> bool {
        self.core.life.files.known.contains_key(path)
    }

    /// Files of the engine change while many are at work: nobody is blamed for them.
    fn found(&mut self, context: &Context<'_>, repository: &Repository) -> Vec<String> {
        observe::plan_touched(self, context.head, &repository.files);
        Vec::new()
    }

    /// Units have places of their own: who is at work in another keeps no run from being judged.
    fn in_motion(&self) -> bool {
        false
    }

    /// Who of several changed a file of the engine, nobody knows.
    fn weigh(&mut self, _: &Context<'_>, ended: &mut Vec<Ended>, _: &Repository) {
        ended.iter_mut().for_each(|one| one.run.tampered.clear());
    }

    fn cited(&self, run: &Run, report: &Understood) -> Cited {
        let read = report.get::<Report>();
        let cited = read.map(|report| Cited::of(report.evidence())).unwrap_or_default();
        let plan = self.core.settings.plan.iter().map(|plan| &plan.path);
        cited.without(plan).written_from([&self.core.settings.root, self.place(&run.item)])
    }

    fn judge(
        &mut self,
        context: &mut Context<'_>,
        run: &Run,
        report: &Understood,
        repository: &Repository,
    ) -> Result<()> {
        observe::judge(self, context.head, run, report.get()?, repository)
    }

    fn unsaid(&mut self, context: &mut Context<'_>, run: &Run, repository: &Repository) {
        if run.access == Access::Write {
            observe::unsaid(self, context.head, run, repository);
        }
    }

    fn judged(&mut self, _: &Context<'_>) {
        let core = &mut *self.core;
        let ended = core.life.ended.iter().map(|ended| &ended.run);
        let known: Vec<EffectId> =
            core.life.runs.iter().chain(ended).map(|run| run.by.run).collect();
        core.watched.retain(|run, _| known.contains(run));
    }

    /// A run could not be sent, or a verifier has shown nothing.
    fn fail_step(&mut self, context: &Context<'_>, role: &str, sprint: &str, problem: Diagnostic) {
        let at = context.head.at;
        if !self.sprints.get(sprint).is_some_and(due::at_work) {
            return;
        }
        match Role::parse(role) {
            Some(Role::Verifier) => verdicts::no_verdict(self, at, sprint, &problem),
            Some(Role::Agent) | None => {
                setback::fail(self, at, sprint, &problem, vec![problem.to_string()]);
            }
        }
    }

    fn exited(
        &mut self,
        context: &mut Context<'_>,
        command: &RunCommand,
        fact: &CommandExited,
    ) -> Result<()> {
        exited(self, context.head.at, &command.purpose, fact);
        Ok(())
    }

    /// A command that cannot be run shows nothing, like one without a status; progress files that cannot be looked at
    /// say nothing; and a timer that cannot be set is no reason to stand still.
    fn not_performed(
        &mut self,
        context: &Context<'_>,
        order: &Order,
        problem: &Diagnostic,
    ) -> bool {
        let at = context.head.at;
        match (order, &context.subject) {
            (Order::RunCommand(command), Some(subject)) => {
                let fact = CommandExited::unknown(subject.effect.id, problem.clone());
                exited(self, at, &command.purpose, &fact);
                true
            }
            (Order::Observe(Observe::Documents { .. }), _) => progress_read(self, at, None),
            (order, _) => matches!(order, Order::SetTimer(_)),
        }
    }

    fn fired(&mut self, context: &mut Context<'_>, timer: &str) -> Result<()> {
        let at = context.head.at;
        match timer {
            POLL => polls::poll(self, at),
            WATCH => {
                let mut runs = self.core.life.runs.iter();
                self.core.watch_due = runs.any(|run| run.access == Access::Write);
            }
            STOP => polls::stop_poll(self, context.head),
            name => outcome::look_again(self, at, name.strip_prefix(WAIT).unwrap_or_default()),
        }
        Ok(())
    }

    fn taken(&mut self, context: &mut Context<'_>, fact: &Fact) {
        let order = context.subject.as_ref().map(|subject| &subject.effect.order);
        match (fact, order) {
            (Fact::RunProgressed(fact), _) => polls::heard(self, fact.effect),
            (Fact::DocumentsObserved(fact), _) => documents(self, context.head.at, fact),
            (Fact::EffectPerformed(_), Some(Order::StopRole(stop))) => told_to_end(self, stop.run),
            (Fact::EffectFailed(fact), Some(Order::StopRole(stop))) => {
                // One kill that fails does not prevent the others.
                let run = self.core.life.runs.iter().find(|run| run.by.run == stop.run);
                let sprint = run.map(|run| run.item.clone()).unwrap_or_default();
                told_to_end(self, stop.run);
                let why = fact.problem.to_string();
                self.log(context.head.at, &sprint, "Could not end the run", why);
            }
            _ => {}
        }
        polls::drop_idle_timers(self, context.head);
    }
}

fn told_to_end(state: &mut State, command: EffectId) {
    state.core.halting.retain(|known| *known != command);
}

/// The progress files of a unit whose run ended.
fn documents(state: &mut State, at: Millis, fact: &DocumentsObserved) {
    let Some((id, paths)) = due::unread(state) else { return };
    let asked = fact.documents.iter().any(|document| paths.contains(&document.path));
    let Some(sprint) = state.sprints.get(&id).filter(|_| asked) else { return };
    let texts = fact.documents.iter().filter_map(|document| match &document.seen {
        Seen::Text { text, .. } => Some(text),
        Seen::Absent | Seen::Digest { .. } => None,
    });
    let plan = &sprint.plan;
    let said = texts.filter_map(|text| cascade::progress(text, &plan.label, &plan.name));
    // Words of doubt beat words of success.
    let progress = said.max_by_key(|word| *word == Progress::Unfinished);
    progress_read(state, at, progress);
}

/// Progress files were looked at, or cannot be; `false` if none are due.
fn progress_read(state: &mut State, at: Millis, progress: Option<Progress>) -> bool {
    let Some((id, _)) = due::unread(state) else { return false };
    state.sprints.change(&id, |sprint| {
        if let Some(checking) = sprint.checking.as_deref_mut() {
            (checking.progress, checking.read) = (progress, true);
        }
    });
    outcome::advance(state, at, &id);
    true
}

/// Exit statuses are observations; no status shows nothing.
fn exited(state: &mut State, at: Millis, purpose: &str, fact: &CommandExited) {
    state.core.commands_unseen = true;
    polls::stop_moves(state);
    if lost_again(state, fact) {
        return;
    }
    if let Some(rest) = purpose.strip_prefix(CHECK) {
        let (id, criterion) = rest.split_once(' ').unwrap_or((rest, ""));
        outcome::checked(state, at, id, criterion, fact);
    } else if let Some(unit) = purpose.strip_prefix(DEPENDENCY) {
        entry::of_unit(state, at, unit, fact);
    } else if let Some(sprint) = purpose.strip_prefix(ENTRY) {
        entry::of_sprint(state, at, sprint, fact);
    } else if purpose.starts_with(GATE) {
        gate::exited(state, at, fact);
    }
}

/// A command that went with its host has shown nothing; it is still due, and run again a few times.
fn lost_again(state: &mut State, fact: &CommandExited) -> bool {
    let lost = fact.problem.as_ref().is_some_and(|problem| problem.code == Code::RunLost);
    if fact.status.is_some() || !lost || state.core.lost_commands >= MOST_LOST_COMMANDS {
        state.core.lost_commands = 0;
        return false;
    }
    state.core.lost_commands += 1;
    true
}
