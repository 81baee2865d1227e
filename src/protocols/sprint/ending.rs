//! The end: what must come before it, what the user is asked about, and which waivers are reported.

use super::state::{Sprint, SprintStatus, State, Topic};
use super::{files, gate};
use crate::mission::{Head, life};
use crate::vocab::effect::Order;
use crate::vocab::ledger;
use crate::vocab::table::ids_of;

/// The most failures of gates that are kept as waived.
const MOST_WAIVED: usize = 50;

impl State {
    /// Nothing is left to be dispatched: show at this head what went stale, build once more, and end.
    pub(super) fn come_to_an_end(&mut self, head: &Head) {
        let movable = self
            .sprints
            .iter()
            .any(|sprint| !sprint.status.closed() && !self.waits_for_deferred(sprint));
        if movable || self.sprints.iter().any(|sprint| !sprint.awaits_gate.is_empty()) {
            return;
        }
        // A command whose sprint was skipped meanwhile may still be running.
        if head.awaits(|order| matches!(order, Order::RunCommand(_))) {
            return;
        }
        match self.core.life.skip_verification.clone() {
            None if gate::last(self, head.at) => return,
            None => {}
            Some(why) => gate::let_last_go(self, head.at, &why),
        }
        if self.core.commands_unseen {
            return self.look_behind_commands();
        }
        let ordinal = self.core.life.seen.as_ref().map(|seen| seen.ordinal);
        if self.core.rewritten && self.core.history_at != ordinal {
            return self.core.life.stale();
        }
        if let Some(problem) = self.another_plan() {
            return self.core.life.ask(&Topic::PlanChanged { problem });
        }
        let paths = self.uncommitted();
        if !paths.is_empty() {
            return self.core.life.ask(&Topic::Uncommitted { paths });
        }
        let deferred = self.deferred();
        if !deferred.is_empty() && !self.core.life.end_with_deferred {
            return self.core.life.asking.push(life::Topic::EndWithDeferred);
        }
        let waived = self.waived();
        self.core.life.end(waived, deferred);
        self.core.ended_at = Some(head.at);
        let told = files::told(self, head.at);
        self.core.life.files.say(crate::vocab::effect::Level::Info, told);
        self.log(head.at, "", "Mission complete", "every sprint is closed or put off");
        self.touch_complete();
    }

    /// A command may have committed, left files or checked out a branch: the end is decided on what is seen when
    /// the last one is over.
    fn look_behind_commands(&mut self) {
        self.core.last_look = Some(self.core.life.head_word().to_owned());
        self.core.life.stale();
    }

    /// What differs from the last commit and did not so before the mission, whoever did it and wherever it lies;
    /// but for the plan, which is asked about by itself, and what the user keeps as it is.
    pub(super) fn uncommitted(&self) -> Vec<String> {
        let core = &self.core;
        let plan = core.settings.plan.as_ref().map(|plan| &plan.path);
        let known = |dirty: &&crate::vocab::repository::PathDigest| {
            let before = core.dirty_before.iter().flatten().chain(&core.dirty_kept);
            Some(&dirty.path) == plan || before.into_iter().any(|one| one == *dirty)
        };
        let seen = core.life.seen.iter().flat_map(|seen| &seen.dirty);
        seen.filter(|dirty| !known(dirty)).map(|dirty| dirty.path.clone()).collect()
    }

    /// The user waives what a gate would have shown.
    pub(super) fn let_gate_go(&mut self, problem: &str) {
        if self.core.gates_waived.len() < MOST_WAIVED {
            let text = crate::vocab::text::one_line(problem);
            self.core.gates_waived.push(crate::vocab::error::clip(&text, 300));
        }
    }

    /// The plan differs from the one that was read, and the user has not kept it so.
    fn another_plan(&self) -> Option<crate::vocab::error::Diagnostic> {
        let now = self.core.plan_seen.as_ref();
        let now = now.filter(|now| self.core.plan_kept.as_ref() != Some(*now))?;
        let plan = self.core.settings.plan.as_ref()?;
        Some(super::observe::not_the_plan(&plan.path, now))
    }

    /// Whether a sprint is deferred, or waits for one that is.
    fn waits_for_deferred(&self, sprint: &Sprint) -> bool {
        let mut pending = vec![sprint.id.as_str()];
        let mut seen = std::collections::BTreeSet::new();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let Some(unit) = self.units.get(id) {
                pending.extend(unit.sprints.iter().map(String::as_str));
                continue;
            }
            let Some(sprint) = self.sprints.get(id) else { continue };
            if sprint.status == SprintStatus::Deferred {
                return true;
            }
            if sprint.status.closed() {
                continue;
            }
            pending.extend(sprint.plan.after.iter().map(String::as_str));
            let Some(unit) = self.units.get(&sprint.unit) else { continue };
            pending.extend(unit.after.iter().map(String::as_str));
            let before = unit.sprints.iter().take_while(|one| **one != sprint.id);
            pending.extend(before.map(String::as_str));
        }
        false
    }

    /// The deferred sprints, and those that wait for them.
    fn deferred(&self) -> Vec<String> {
        ids_of(self.sprints.iter().filter(|sprint| !sprint.status.closed()))
    }

    /// What was waived, by name.
    fn waived(&self) -> Vec<String> {
        let mut waived = Vec::new();
        for sprint in self.sprints.iter().filter(|sprint| sprint.status.closed()) {
            let named = waived.len();
            waived.extend(ledger::waived(&sprint.id, &sprint.criteria));
            let skipped = sprint.status == SprintStatus::Skipped && waived.len() == named;
            waived.extend(skipped.then(|| sprint.id.clone()));
            let entry = sprint.entry_waived.iter();
            waived.extend(entry.map(|one| format!("{}/{}", sprint.id, one.id)));
            waived.extend(files::uncommitted(sprint).then(|| format!("{}/commits", sprint.id)));
        }
        waived.extend((1..=self.core.gates_waived.len()).map(|place| format!("gate/{place}")));
        let other = self.core.plan_kept.is_some() && self.core.plan_seen.is_some();
        waived.extend(other.then(|| "plan".to_owned()));
        waived.extend((!self.core.dirty_kept.is_empty()).then(|| "uncommitted".to_owned()));
        waived
    }
}
