//! What follows from the state as a whole: units that may start, the next sprint in each, the
//! gate between phases, and the end ([`super::ending`]). A sprint is *chosen* here; the move `decide` orders its run
//! only when the choice is in the state file.

use super::due::{at_work, builds, engaged, entered, vague};
use super::facts::FactName;
use super::files;
use super::gate;
use super::model;
use super::state::{
    Attempting, Sprint, SprintStatus, State, TaskKind, Topic, Unit, UnitStatus, Waiting,
};
use crate::mission::prelude::*;
use crate::mission::table;
use crate::vocab::ledger;
use crate::vocab::table::ids_of;

/// Stands among the criteria that wait for a gate for the build of everything.
pub(super) const BUILD: &str = "*";

impl State {
    /// The sprint of a unit that is next: the first that is not closed.
    pub(super) fn current(&self, unit: &Unit) -> Option<&Sprint> {
        let sprints = unit.sprints.iter().filter_map(|id| self.sprints.get(id));
        sprints.into_iter().find(|sprint| !sprint.status.closed())
    }

    /// Whether a sprint is neither closed nor deferred.
    pub(super) fn is_due(&self, id: &str) -> bool {
        let status = self.sprints.get(id).map(|sprint| sprint.status);
        status.is_some_and(|status| !status.closed() && status != SprintStatus::Deferred)
    }

    /// Sprints that are neither closed nor deferred.
    pub(super) fn open_sprints(&self) -> usize {
        let closed = [SprintStatus::Completed, SprintStatus::Skipped, SprintStatus::Deferred];
        let count = |status: &SprintStatus| self.sprints.count(status.as_str());
        self.sprints.len() - closed.iter().map(count).sum::<usize>()
    }

    /// Whether a sprint or all sprints of a unit are completed, every criterion shown.
    pub(super) fn completed(&self, id: &str) -> bool {
        let whole = |sprint: &Sprint| sprint.status.closed() && sprint.awaits_gate.is_empty();
        match self.units.get(id) {
            Some(unit) => unit.sprints.iter().filter_map(|id| self.sprints.get(id)).all(whole),
            None => self.sprints.get(id).is_some_and(whole),
        }
    }

    /// After each fact: what follows, and the facts with their dates.
    pub(super) fn settle_all(&mut self, head: &Head) {
        self.come_to_rest(head);
        self.tell_of_the_kill();
        if head.control == Control::Running
            && self.core.life.blocked.is_none()
            && self.core.life.done.is_none()
            && self.cleared()
        {
            let at = head.at;
            self.waive_unverified(at);
            self.open_units(at);
            self.close_units(at);
            if self.core.life.seen.as_ref().is_some_and(|seen| seen.fresh) {
                self.weigh_what_is_recorded(at);
                self.phase(head);
            }
        }
        table::note_all::<_, FactName>(self, head);
        self.say_where_it_stands(head);
    }

    /// Nothing is run before the user has seen the commands of the plan, and said what becomes of work that is
    /// recorded in its boxes.
    fn cleared(&mut self) -> bool {
        if !self.core.trusted && !self.asks("trust") {
            self.core.life.ask(&Topic::Trust);
        }
        self.core.trusted && !self.asks_whether_done()
    }

    /// The user is asked whether what the boxes of the plan say is done.
    pub(super) fn asks_whether_done(&self) -> bool {
        self.asks("ticked")
    }

    fn asks(&self, name: &str) -> bool {
        self.core.life.asking.iter().any(|topic| topic.names("about") == Some(name))
    }

    /// A stop is over when nothing of it is left.
    fn come_to_rest(&mut self, head: &Head) {
        let Some(stopping) = self.core.stopping else { return };
        if !self.core.life.at_rest() || head.awaits(|order| matches!(order, Order::RunCommand(_))) {
            return;
        }
        let checked = |sprint: &Sprint| sprint.checking.is_some() && sprint.waiting.is_none();
        if !stopping.forced && self.sprints.live().any(checked) {
            return;
        }
        self.core.stopping = None;
        for id in self.unit_ids(UnitStatus::Stopping) {
            self.move_unit(&id, UnitStatus::Stopped);
        }
    }

    /// When the last run of a killall is judged, what is left is told once.
    fn tell_of_the_kill(&mut self) {
        let over = self.core.life.at_rest();
        let Some(ended) = self.core.kill_told.filter(|_| over) else { return };
        self.core.kill_told = None;
        let text = files::killed(self, ended);
        self.core.life.files.say(crate::vocab::effect::Level::Warning, text);
    }

    /// Recorded work that no command can show is weighed without one.
    fn weigh_what_is_recorded(&mut self, at: Millis) {
        let due = |sprint: &&Sprint| {
            let nothing = |one: &super::state::Checking| one.due.is_empty() && one.read;
            sprint.checking.as_deref().is_some_and(nothing)
        };
        for id in ids_of(self.sprints.live().filter(due)) {
            super::outcome::advance(self, at, &id);
        }
    }

    pub(super) fn unit_ids(&self, status: UnitStatus) -> Vec<String> {
        let units = self.units.iter().filter(|unit| unit.status == status);
        units.map(|unit| unit.id.clone()).collect()
    }

    /// Where verification is skipped, what was not shown is waived by the user.
    fn waive_unverified(&mut self, at: Millis) {
        let Some(why) = self.core.life.skip_verification.clone() else { return };
        let ids = ids_of(self.sprints.live().filter(|sprint| {
            sprint.status == SprintStatus::Verifying
                || sprint.checking.is_some() && sprint.status == SprintStatus::Running
        }));
        for id in ids {
            self.sprints.change(&id, |sprint| {
                ledger::waive_open(&mut sprint.criteria, "user", &why);
                sprint.checking = None;
            });
            super::outcome::complete(self, at, &id);
        }
        self.waive_gates(&why);
    }

    /// No gate opens any more: criteria that wait for one are waived. The builds themselves are waived at the end, by
    /// name.
    fn waive_gates(&mut self, why: &str) {
        for id in ids_of(self.sprints.iter().filter(|sprint| !sprint.awaits_gate.is_empty())) {
            self.sprints.change(&id, |sprint| {
                ledger::waive_open(&mut sprint.criteria, "user", why);
                sprint.awaits_gate.clear();
            });
            super::outcome::last_verified(self, &id);
        }
    }

    /// A unit starts when all it waits for is completed and its verification commands hold.
    fn open_units(&mut self, at: Millis) {
        for id in self.unit_ids(UnitStatus::NotStarted) {
            let Some(unit) = self.units.get(&id) else { continue };
            let after = unit.after.clone();
            let held = usize::try_from(unit.checks_held).unwrap_or(usize::MAX);
            let ready = held >= unit.checks.len() && after.iter().all(|id| self.completed(id));
            if ready {
                self.move_unit(&id, UnitStatus::Running);
                let why = match after.is_empty() {
                    true => "it waits for nothing".to_owned(),
                    false => format!("{} completed", after.join(", ")),
                };
                self.log(at, &id, "Work unit RUNNING", why);
            }
        }
    }

    /// A unit is completed when all its sprints are closed and none waits for a gate.
    fn close_units(&mut self, at: Millis) {
        let open = [UnitStatus::Running, UnitStatus::Blocked];
        for id in ids_of(self.units.live().filter(|unit| open.contains(&unit.status))) {
            let blocked =
                self.units.get(&id).is_some_and(|unit| unit.status == UnitStatus::Blocked);
            if self.completed(&id) {
                self.move_unit(&id, UnitStatus::Completed);
                self.log(at, &id, "Work unit COMPLETED", "every sprint is closed");
            } else if blocked && !self.stuck(&id) {
                self.move_unit(&id, UnitStatus::Running);
            } else if !blocked && self.stuck(&id) {
                self.move_unit(&id, UnitStatus::Blocked);
                self.units.change(&id, |unit| {
                    if unit.note.is_empty() {
                        unit.note =
                            "its sprint is recorded as given up; resume to try it again".to_owned();
                    }
                });
            }
        }
    }

    /// Whether a unit cannot go on without the user.
    fn stuck(&self, id: &str) -> bool {
        let status = self.units.get(id).and_then(|unit| self.current(unit)).map(|one| one.status);
        matches!(status, Some(SprintStatus::Fatal | SprintStatus::Replan))
    }

    /// The next thing that all units do together: a gate, or the next sprints, or the end.
    fn phase(&mut self, head: &Head) {
        if self.core.gate.is_some() || self.is_verifying() || builds(head) {
            return;
        }
        let wanted = gate::wanted(self);
        if wanted && self.quiet() {
            return gate::open(self, head.at);
        }
        if !wanted {
            self.choose(head);
        }
        if self.quiet() && self.core.life.asking.is_empty() {
            self.come_to_an_end(head);
        }
    }

    /// A sprint is to be judged: no run may write meanwhile.
    pub(super) fn is_verifying(&self) -> bool {
        self.sprints.count(SprintStatus::Verifying.as_str()) > 0
    }

    /// Nobody is at work and nothing is being checked. What waits for something outside is no work.
    pub(super) fn quiet(&self) -> bool {
        let busy = |sprint: &&Sprint| {
            let works = matches!(
                sprint.status,
                SprintStatus::Dispatched | SprintStatus::Running | SprintStatus::Verifying
            );
            works && (sprint.waiting.is_none() || sprint.checking.is_some())
        };
        self.core.life.at_rest() && self.sprints.live().find(busy).is_none()
    }

    /// The next sprints of all units that may go on, with their models.
    fn choose(&mut self, head: &Head) {
        self.ask_about_vague_words();
        let ready = self.ready(head);
        // A run that is being ended is at work, whatever becomes of its sprint.
        let busy = self.in_flight() > 0 || !engaged(self, head).is_empty();
        let most = usize::try_from(self.core.settings.max_parallel).unwrap_or(usize::MAX);
        let alone = (ready.len() == 1 || most == 1) && !busy;
        let held = self.sprints.live().any(|sprint| sprint.alone && at_work(sprint));
        for id in ready {
            let waits =
                self.sprints.get(&id).is_some_and(|one| one.plan.kind == TaskKind::Deferred);
            if waits {
                self.wait_for(head.at, &id);
            } else if !held && self.in_flight() < most {
                self.dispatch(head.at, &id, alone);
            }
        }
    }

    /// Sprints with a run under way or chosen.
    fn in_flight(&self) -> usize {
        self.sprints.live().filter(|sprint| at_work(sprint)).count()
    }

    /// Sprints that may be dispatched now, one of each unit at most, in the order of the plan.
    pub(super) fn ready(&self, head: &Head) -> Vec<String> {
        let (mut ready, engaged) = (Vec::new(), engaged(self, head));
        for unit in self.units.live().filter(|unit| unit.status == UnitStatus::Running) {
            let Some(sprint) = self.current(unit).filter(|sprint| self.free(sprint)) else {
                continue;
            };
            if !engaged.contains(unit.id.as_str()) && entered(sprint) {
                ready.push(sprint.id.clone());
            }
        }
        ready
    }

    /// Whether nothing but its entry criteria keeps a sprint from being dispatched.
    pub(super) fn free(&self, sprint: &Sprint) -> bool {
        sprint.status.due()
            && sprint.waiting.is_none()
            && self.waits_for(sprint).all(|id| self.completed(id))
            && !self.asked_about(&sprint.id)
    }

    /// The units and sprints that must be completed before a sprint is dispatched, each time it is: those of its unit
    /// too, which may be open again.
    pub(super) fn waits_for<'a>(&'a self, sprint: &'a Sprint) -> impl Iterator<Item = &'a String> {
        let of_unit = self.units.get(&sprint.unit).into_iter().flat_map(|unit| &unit.after);
        of_unit.chain(&sprint.plan.after)
    }

    /// The user is asked about this sprint; it waits for the answer.
    pub(super) fn asked_about(&self, id: &str) -> bool {
        self.core.life.asking.iter().any(|topic| topic.names("sprint") == Some(id))
    }

    /// Vague exit criteria are never dispatched: the user lets them go, or confirms them by hand.
    fn ask_about_vague_words(&mut self) {
        let units = self.units.live().filter(|unit| unit.status == UnitStatus::Running);
        let due = units.filter_map(|unit| self.current(unit)).filter(|one| one.status.due());
        let vague = |sprint: &Sprint| {
            let ids: Vec<String> = vague(sprint).map(str::to_owned).collect();
            (!ids.is_empty()).then(|| (sprint.id.clone(), ids))
        };
        let found: Vec<(String, Vec<String>)> = due.filter_map(vague).collect();
        for (sprint, criteria) in found {
            if !self.asked_about(&sprint) {
                self.core.life.ask(&Topic::Vague { sprint, criteria });
            }
        }
    }

    /// Chooses a sprint: its model, and whether it may build.
    fn dispatch(&mut self, at: Millis, id: &str, alone: bool) {
        let Some(sprint) = self.sprints.get(id) else { return };
        let continues = sprint.status == SprintStatus::Partial;
        let attempting = match continues || !sprint.remaining.is_empty() {
            true => Attempting::Continuation,
            false => Attempting::Anew,
        };
        let choice = model::choose(&self.core.settings, sprint, attempting);
        let name = self.core.settings.names.of(choice.tier).to_owned();
        let why = choice.why.clone();
        self.sprints.change(id, |sprint| {
            sprint.choice = Some(choice);
            sprint.alone = alone;
            sprint.continuations += u32::from(continues && sprint.losses == 0);
            sprint.first_dispatched_at.get_or_insert(at);
        });
        self.core.began_at.get_or_insert(at);
        self.core.counts.dispatched += 1;
        self.move_sprint(id, SprintStatus::Dispatched);
        self.log(at, id, &format!("Model: {name}"), why);
    }

    /// A sprint that waits for something outside is looked at, and no run is sent.
    fn wait_for(&mut self, at: Millis, id: &str) {
        let checking = self.sprints.get(id).map(super::outcome::every_command);
        self.sprints.change(id, |sprint| {
            sprint.waiting = Some(Waiting::default());
            sprint.checking = checking.map(Box::new);
            sprint.first_dispatched_at.get_or_insert(at);
        });
        self.core.began_at.get_or_insert(at);
        self.move_sprint(id, SprintStatus::Dispatched);
        self.log(at, id, "Polling", "its condition is looked at until it holds");
    }
}
