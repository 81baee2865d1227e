//! Fact → state, as far as it is particular: what the reports, commands and timers of this protocol change. Everything
//! else is [`crate::mission::life`].

use super::decide::{GATE, KEEP, ROLL_BACK, TESTS, TIMEOUT};
use super::report::{CoachReport, PlayerReport};
use super::role::Role;
use super::state::{GateEnd, PlayStep, State, StopReason, TaskStatus, Topic};
use super::{answers, ask, commands, files, report, turn};
use crate::mission::citation::Cited;
use crate::mission::life::{self, Ended, Understood};
use crate::mission::prelude::*;
use crate::mission::{role, stale};
use crate::vocab::effect::RunCommand;
use crate::vocab::event::CommandExited;

/// The step of showing closed tasks again: its failures are counted together.
pub(super) const CLOSING: &str = "";

impl Particular for State {
    life::lives!(attempts: |of: &State| of.core.settings.attempts_per_step, touched: touches);
    life::conversation!(plan: commands, deferred: answers);

    /// A turn is one step, whichever of its roles failed.
    fn step(&self, _: &str, task: &str) -> String {
        self.play(task).map_or(CLOSING, |_| task).to_owned()
    }

    fn understand(&self, role: &str, _: &str, text: &str) -> Result<Understood> {
        let noted = |notes: &[String], faults: &[Diagnostic]| {
            notes.iter().cloned().chain(faults.iter().map(ToString::to_string)).collect::<Vec<_>>()
        };
        Ok(match role::known::<State, _>(Role::parse(role), role)? {
            Role::Player => {
                let report = life::read(self, text, report::read_player)?;
                let notes = noted(&report.notes, &report.faults);
                Understood::of(report).noting(notes)
            }
            Role::Coach => {
                let report = life::read(self, text, report::read_coach)?;
                let notes = noted(&report.notes, &report.faults);
                Understood::of(report).noting(notes)
            }
        })
    }

    /// Whatever a run says: its loop had ended before.
    fn dropped(&self, run: &Run) -> bool {
        self.play(&run.item).is_some_and(|play| play.stop.is_some())
    }

    fn correctable(&self, task: &str) -> bool {
        self.play(task).is_some()
    }

    fn started(&mut self, _: &Context<'_>, run: &Run) {
        if Role::parse(&run.role) == Some(Role::Player) {
            self.tasks.change(&run.item, |task| task.reopened = false);
        }
    }

    /// What a player changed is what the task's verification covers.
    fn weigh(&mut self, _: &Context<'_>, ended: &mut Vec<Ended>, repository: &Repository) {
        let Some(change) = repository.since.as_ref() else { return };
        let players = ended.iter().filter(|one| Role::parse(&one.run.role) == Some(Role::Player));
        for one in players {
            let new = change.paths.iter().cloned();
            self.tasks.change(&one.run.item, |task| stale::cover(&mut task.paths, new));
        }
    }

    fn cited(&self, run: &Run, report: &Understood) -> Cited {
        let rows: Result<Vec<&Vec<Evidence>>> = match Role::parse(&run.role) {
            Some(Role::Player) => report
                .get::<PlayerReport>()
                .map(|read| read.rows.iter().map(|row| &row.evidence).collect()),
            _ => report.get::<CoachReport>().map(|read| {
                let holds = read.rows.iter().filter(|row| row.finding == Finding::Holds);
                holds.map(|row| &row.evidence).collect()
            }),
        };
        Cited::of(rows.unwrap_or_default())
    }

    fn judge(
        &mut self,
        context: &mut Context<'_>,
        run: &Run,
        report: &Understood,
        repository: &Repository,
    ) -> Result<()> {
        life::committed(run, repository)?;
        match Role::parse(&run.role) {
            Some(Role::Player) => turn::promised(self, run, report.get()?),
            _ => turn::verified(self, context.head, run, report.get()?),
        }
    }

    /// Exit statuses are observations; no status shows nothing.
    fn exited(
        &mut self,
        context: &mut Context<'_>,
        command: &RunCommand,
        fact: &CommandExited,
    ) -> Result<()> {
        self.core.life.stale();
        match command.purpose.as_str() {
            TESTS => tested(self, fact),
            purpose @ (KEEP | ROLL_BACK) => rolled_back(self, context.head, purpose, fact),
            gate => gate_ended(self, gate.strip_prefix(GATE).unwrap_or_default(), fact),
        }
        Ok(())
    }

    /// A task's time is over.
    fn fired(&mut self, context: &mut Context<'_>, timer: &str) -> Result<()> {
        let id = timer.strip_prefix(TIMEOUT).unwrap_or_default();
        let over = self.play(id).is_some_and(|play| {
            play.stop.is_none() && play.deadline.is_some_and(|deadline| deadline <= context.head.at)
        });
        let playing = self.tasks.get(id).is_some_and(|task| task.status == TaskStatus::InProgress);
        if over && playing {
            self.stop_task(id, StopReason::TimedOut);
            files::stopped(self, context.head.at, id, StopReason::TimedOut);
            context.head.withdraw(
                |order| matches!(order, Order::SpawnRole(spawn) if spawn.item.as_deref() == Some(id)),
            );
        }
        Ok(())
    }

    fn deferred(&self) -> (usize, &'static str) {
        (self.tasks.count("deferred"), "tasks")
    }
}

/// The tests of a turn ran over the tree that all tasks of the batch share.
fn tested(state: &mut State, fact: &CommandExited) {
    let finding = match fact.status {
        Some(0) => Finding::Holds,
        Some(_) => Finding::DoesNotHold,
        None => Finding::NotShown,
    };
    let due = state.playing().filter(|(_, play)| play.step == PlayStep::Test);
    let due: Vec<String> = due.map(|(task, _)| task.id.clone()).collect();
    for id in due {
        state.change_play(&id, |play| {
            play.tests = finding;
            play.step = PlayStep::Coach;
        });
    }
}

fn rolled_back(state: &mut State, head: &mut Head, purpose: &str, fact: &CommandExited) {
    let Some((task, play)) = state.lead() else { return };
    let (id, passing) = (task.id.clone(), play.passing.as_ref().map(|to| to.commit.clone()));
    if fact.status != Some(0) {
        let problem = problem_of(purpose, 0, fact);
        return state.core.life.ask_of_failure(head, purpose.to_owned(), problem);
    }
    if purpose == ROLL_BACK {
        // Going back was the user's word: from here the head goes forward again.
        head.followed.head = passing;
    }
    state.change_play(&id, |play| {
        play.step = match purpose {
            KEEP => PlayStep::RollBack,
            _ => PlayStep::Play,
        };
    });
}

fn gate_ended(state: &mut State, wave: &str, fact: &CommandExited) {
    let Ok(wave) = wave.parse::<u32>() else { return };
    let Some(gate) = state.gate_of(wave) else { return };
    if fact.status == Some(gate.expected_exit) {
        let commit = state.core.life.head_word().to_owned();
        state.core.gates.insert(wave.to_string(), GateEnd::Passed { commit });
        return;
    }
    let problem = problem_of(&format!("{GATE}{wave}"), gate.expected_exit, fact);
    state.core.life.last_problem = Some(problem.clone());
    state.core.life.ask(&Topic::GateFailed { wave, problem });
}

fn problem_of(what: &str, expected: i32, fact: &CommandExited) -> Diagnostic {
    if let Some(problem) = &fact.problem {
        return problem.clone();
    }
    let status = fact.status.map_or("no status".to_owned(), |status| format!("{status}"));
    let tail: String =
        fact.output.chars().rev().take(150).collect::<Vec<_>>().iter().rev().collect();
    let expected = format!("exit status {expected}");
    let got = format!("{status}: {}", clip(tail.trim(), 160));
    Error::new(Code::CommandFailed, what, expected, got).diagnostic()
}
