//! Questions to the state that several moves ask, and what follows from it as a whole.

use super::facts::FactName;
use super::files;
use super::state::{
    GateEnd, Play, PlayStep, SmokeGate, State, StopReason, Task, TaskStatus, Topic,
};
use super::turn;
use crate::mission::life;
use crate::mission::prelude::*;
use crate::mission::table;
use crate::vocab::ledger;
use crate::vocab::table::ids_of;

impl State {
    /// The first task whose turn loop goes on, with its loop.
    pub(super) fn lead(&self) -> Option<(&Task, &Play)> {
        self.playing().next()
    }

    /// Tasks whose turn loop goes on, in order.
    pub(super) fn playing(&self) -> impl Iterator<Item = (&Task, &Play)> {
        let live = self.tasks.live().filter(|task| task.status == TaskStatus::InProgress);
        live.filter_map(|task| Some((task, task.play.as_deref()?)))
            .filter(|(_, play)| play.stop.is_none())
    }

    /// The loop of a task.
    pub(super) fn play(&self, id: &str) -> Option<&Play> {
        self.tasks.get(id).and_then(|task| task.play.as_deref())
    }

    /// Changes the loop of a task.
    pub(super) fn change_play(&mut self, id: &str, change: impl FnOnce(&mut Play)) {
        self.tasks.change(id, |task| {
            if let Some(play) = task.play.as_deref_mut() {
                change(play);
            }
        });
    }

    /// Tasks that are neither closed nor deferred.
    pub(super) fn open_tasks(&self) -> usize {
        let open = [TaskStatus::Pending, TaskStatus::InProgress, TaskStatus::Failed];
        open.iter().map(|status| self.tasks.count(status.as_str())).sum()
    }

    /// The number of the present wave, from 1.
    pub(super) fn wave_number(&self) -> u32 {
        u32::try_from(self.core.wave.saturating_add(1)).unwrap_or(u32::MAX)
    }

    /// Whether every task of the present wave has been begun and nothing is in progress.
    fn wave_over(&self) -> bool {
        let begun =
            self.core.waves.get(self.core.wave).is_some_and(|wave| self.core.cursor >= wave.len());
        begun && self.tasks.live().next().is_none()
    }

    /// The gate behind a wave, from 1.
    pub(super) fn gate_of(&self, wave: u32) -> Option<&SmokeGate> {
        self.core.settings.gates.iter().find(|gate| gate.after_wave == wave)
    }

    /// The gate behind the present wave, if the wave is over and the gate still shut.
    pub(super) fn gate_due(&self) -> Option<(u32, &SmokeGate)> {
        let number = self.wave_number();
        let gate = self.gate_of(number)?;
        let shut = !self.core.gates.contains_key(&number.to_string());
        (shut && self.wave_over()).then_some((number, gate))
    }

    /// Whether what was verified about a task may no longer hold at the present head.
    pub(super) fn is_stale(&self, task: &Task) -> bool {
        let Some(seen) = self.core.life.seen.as_ref() else { return true };
        seen.heads().stale(task.verified_ordinal, &task.paths, &self.touches)
    }

    /// After each fact: begin what may begin, raise the questions that follow from the state, come to
    /// the end, and date the facts.
    pub(super) fn settle_all(&mut self, head: &Head) {
        if self.core.life.goes_on(head) {
            self.waive_unverified();
            self.advance(head.at);
            self.raise();
            self.come_to_an_end();
        }
        table::note_all::<_, FactName>(self, head);
    }

    /// Begins tasks up to the limit, and goes on to the next wave when one is over.
    fn advance(&mut self, at: Millis) {
        while let Some(wave) = self.core.waves.get(self.core.wave) {
            if let Some(id) = wave.get(self.core.cursor).cloned() {
                let pending =
                    self.tasks.get(&id).is_some_and(|task| task.status == TaskStatus::Pending);
                if pending && (self.full() || !self.dependencies_closed(&id)) {
                    return;
                }
                if pending {
                    self.begin_task(&id, at);
                }
                self.core.cursor += 1;
            } else if self.wave_over() && self.gate_due().is_none() {
                self.core.wave += 1;
                self.core.cursor = 0;
            } else {
                return;
            }
        }
    }

    fn full(&self) -> bool {
        let most = usize::try_from(self.core.settings.max_parallel).unwrap_or(usize::MAX);
        self.tasks.count(TaskStatus::InProgress.as_str()) >= most
    }

    fn dependencies_closed(&self, id: &str) -> bool {
        let closed = |id: &String| self.tasks.get(id).is_some_and(|task| task.status.satisfies());
        self.tasks.get(id).is_some_and(|task| task.dependencies.iter().all(closed))
    }

    /// The turn loop of a task begins, or begins anew with what must be fixed.
    pub(super) fn begin_task(&mut self, id: &str, at: Millis) {
        let (turns, timeout) = (self.core.settings.max_turns, self.core.settings.task_timeout_ms);
        self.tasks.change(id, |task| {
            task.status = TaskStatus::InProgress;
            task.play = Some(Box::new(new_play(turns, deadline(timeout, at))));
        });
        self.core.life.files.touch(files::PROGRESS);
    }

    /// Where verification is skipped, a promise is enough: what it does not show is waived by the user.
    fn waive_unverified(&mut self) {
        let Some(why) = self.core.life.skip_verification.clone() else { return };
        let due: Vec<String> = self
            .playing()
            .filter(|(_, play)| play.step == PlayStep::Coach)
            .map(|(task, _)| task.id.clone())
            .collect();
        for id in due {
            self.tasks.change(&id, |task| ledger::waive_open(&mut task.criteria, "user", &why));
            turn::complete(self, &id);
        }
    }

    /// Questions that no single fact raises but the state as a whole.
    fn raise(&mut self) {
        if !self.core.life.asking.is_empty() || !self.core.life.at_rest() {
            return;
        }
        let stopped = self.tasks.live().find_map(|task| {
            let reason = task.play.as_ref().and_then(|play| play.stop)?;
            let failed = task.status == TaskStatus::Failed;
            failed.then(|| life::Topic::own(&Topic::Stopped { task: task.id.clone(), reason }))
        });
        if let Some(topic) = stopped {
            return self.core.life.asking.push(topic);
        }
        let Some(seen) = self.core.life.seen.as_ref().filter(|seen| seen.fresh) else { return };
        if !seen.dirty.is_empty() && !self.core.life.left_by_a_run {
            let paths = seen.dirty.iter().map(|dirty| dirty.path.clone()).collect();
            self.core.life.asking.push(life::Topic::DirtyTree { paths });
        }
    }

    /// When no task is open: what went stale is to be shown again; when nothing is, the mission is
    /// done.
    fn come_to_an_end(&mut self) {
        let fresh =
            self.core.life.seen.as_ref().is_some_and(|seen| seen.fresh && seen.dirty.is_empty());
        let rest = self.core.life.at_rest();
        let over = self.core.wave >= self.core.waves.len() && self.open_tasks() == 0;
        if !over {
            if !self.core.closing.is_empty() {
                self.core.closing.clear();
            }
            return;
        }
        if !fresh || !rest || !self.core.life.asking.is_empty() {
            return;
        }
        let completed = self.tasks.iter().filter(|task| task.status == TaskStatus::Completed);
        let stale: BTreeSet<String> =
            completed.filter(|task| self.is_stale(task)).map(|task| task.id.clone()).collect();
        if let Some(why) = self.core.life.skip_verification.clone() {
            stale.iter().for_each(|id| self.waive_stale(id, &why));
        } else if !stale.is_empty() {
            self.core.closing = stale;
            return;
        }
        self.core.closing.clear();
        if self.tasks.count(TaskStatus::Deferred.as_str()) > 0 && !self.core.life.end_with_deferred
        {
            return self.core.life.asking.push(life::Topic::EndWithDeferred);
        }
        let (waived, deferred) = self.left_out();
        self.core.life.end(waived, deferred);
        self.core.life.files.touch(files::PROGRESS);
    }

    /// Criteria that were verified at another head and are not to be shown again count as waived by the user.
    fn waive_stale(&mut self, id: &str, why: &str) {
        let ordinal = self.core.life.ordinal();
        self.tasks.change(id, |task| {
            ledger::reopen(&mut task.criteria);
            ledger::waive_open(&mut task.criteria, "user", why);
            task.verified_ordinal = ordinal;
        });
    }

    /// What was waived, and which tasks are deferred.
    fn left_out(&self) -> (Vec<String>, Vec<String>) {
        let kept = self.tasks.iter().filter(|task| task.status != TaskStatus::Deferred);
        let mut waived: Vec<String> =
            kept.flat_map(|task| ledger::waived(&task.id, &task.criteria)).collect();
        let gates = self.core.gates.iter().filter(|(_, end)| **end == GateEnd::Waived);
        waived.extend(gates.map(|(wave, _)| format!("gate after wave {wave}")));
        let deferred = self.tasks.iter().filter(|task| task.status == TaskStatus::Deferred);
        (waived, ids_of(deferred))
    }

    /// The turn loop of a task ends without approval; the user decides what comes of it.
    pub(super) fn stop_task(&mut self, id: &str, reason: StopReason) {
        let failed = reason != StopReason::Cancelled;
        self.tasks.change(id, |task| {
            if failed {
                task.status = TaskStatus::Failed;
            }
            if let Some(play) = task.play.as_deref_mut() {
                play.stop = Some(reason);
            }
        });
        self.core.life.step_done(id);
        self.core.life.files.touch(files::PROGRESS);
    }

    /// Criteria of a task that are verified or waived.
    pub(super) fn settled_ids(task: &Task) -> BTreeSet<String> {
        let settled = task.criteria.iter().filter(|criterion| criterion.settled());
        settled.map(|criterion| criterion.id.clone()).collect()
    }
}

/// The error for a stopped task while nothing can go on.
pub(super) fn stopped(task: &str, reason: StopReason) -> Error {
    Error::new(Code::TaskStopped, task, "an approved task", reason.as_str())
}

/// When a loop that begins at `at` ends.
pub(super) fn deadline(timeout: Option<u64>, at: Millis) -> Option<Millis> {
    timeout.map(|timeout| at.saturating_add(timeout).min(crate::vocab::time::LATEST))
}

/// A loop at its first turn.
fn new_play(turns: u32, deadline: Option<Millis>) -> Play {
    Play {
        turn: 1,
        turn_limit: turns,
        step: PlayStep::Play,
        deadline,
        promise: None,
        tests: Finding::NotShown,
        feedback: Vec::new(),
        blocks_heard: BTreeSet::new(),
        turns: Vec::new(),
        passing: None,
        verified_before: BTreeSet::new(),
        stop: None,
    }
}
