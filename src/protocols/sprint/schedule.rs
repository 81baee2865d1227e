//! What follows from the state as a whole: units that may start, the sprint that is next in each, the
//! gate between phases, and the end. Here a sprint is *chosen*; its run is ordered by the move `decide`
//! only when the choice stands in the state file.

use super::facts::FactName;
use super::files;
use super::gate;
use super::model;
use super::state::{
    Arrow, Attempting, Check, CommandLine, DecisionRow, Done, Sprint, SprintStatus, State,
    TaskKind, Topic, Unit, UnitStatus, Waiting,
};
use crate::protocols::shared::{seen, table};
use crate::snapshot::{Control, Head};
use crate::vocab::effect::Order;
use crate::vocab::ledger;
use crate::vocab::time::Millis;

/// Stands among the criteria that wait for a gate for the build of everything.
pub(super) const BUILD: &str = "*";
/// The most failures of gates that are kept as let go.
const MOST_WAIVED: usize = 50;

impl State {
    /// Changes the status of a sprint, and notes the arrow.
    pub(super) fn move_sprint(&mut self, id: &str, to: SprintStatus) {
        let Some(from) = self.sprints.get(id).map(|sprint| sprint.status) else { return };
        if from == to {
            return;
        }
        self.moves.push(Arrow::Sprint(id.to_owned(), from, to));
        self.sprints.change(id, |sprint| sprint.status = to);
        self.touch_state();
    }

    /// Changes the status of a unit, and notes the arrow.
    pub(super) fn move_unit(&mut self, id: &str, to: UnitStatus) {
        let Some(from) = self.units.get(id).map(|unit| unit.status) else { return };
        if from == to {
            return;
        }
        self.moves.push(Arrow::Unit(id.to_owned(), from, to));
        self.units.change(id, |unit| unit.status = to);
        self.touch_state();
    }

    /// The state file has another content now.
    pub(super) fn touch_state(&mut self) {
        let path = files::state_path(&self.core.settings.root);
        self.core.files.touch(&path);
    }

    /// Enters a decision into the log.
    pub(super) fn log(
        &mut self,
        at: Millis,
        of: &str,
        decision: &str,
        rationale: impl Into<String>,
    ) {
        let (unit, sprint) = match self.sprints.get(of) {
            Some(sprint) => (sprint.unit.clone(), sprint.plan.label.clone()),
            None => (of.to_owned(), String::new()),
        };
        let row = DecisionRow {
            id: (self.decisions.len() + 1).to_string(),
            at,
            unit,
            sprint,
            decision: decision.to_owned(),
            rationale: crate::vocab::error::clip(
                &crate::vocab::text::one_line(&rationale.into()),
                400,
            ),
        };
        let line = crate::vocab::json::encode(&row);
        self.decisions.push(row);
        self.core.files.append(files::DECISIONS, &line);
        self.touch_state();
    }

    /// The sprint of a unit that is next: the first that is not closed.
    pub(super) fn current(&self, unit: &Unit) -> Option<&Sprint> {
        let sprints = unit.sprints.iter().filter_map(|id| self.sprints.get(id));
        sprints.into_iter().find(|sprint| !sprint.status.closed())
    }

    /// Sprints that are neither closed nor put off.
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

    /// Whether a look must come before a run is judged or sent.
    pub(super) fn stale_observation(&mut self) {
        seen::stale(&mut self.core.seen);
    }

    /// After each fact: what follows, and the facts with their dates.
    pub(super) fn settle_all(&mut self, head: &Head) {
        self.come_to_rest(head);
        self.tell_of_the_kill();
        if head.control == Control::Running
            && self.core.blocked.is_none()
            && self.core.done.is_none()
            && self.trusted()
        {
            let at = head.at;
            self.waive_unverified(at);
            self.open_units(at);
            self.close_units(at);
            if self.core.seen.as_ref().is_some_and(|seen| seen.fresh) {
                self.weigh_what_is_recorded(at);
                self.phase(head);
            }
        }
        table::note_all::<_, FactName>(self, head);
    }

    /// Nothing is run before the user has seen the commands of the plan.
    fn trusted(&mut self) -> bool {
        if !self.core.trusted && !self.core.asking.contains(&Topic::Trust) {
            self.core.asking.push(Topic::Trust);
        }
        self.core.trusted
    }

    /// A stop is over when nothing of it is left.
    fn come_to_rest(&mut self, head: &Head) {
        let Some(stopping) = self.core.stopping else { return };
        let runs = !self.core.runs.is_empty() || !self.core.ended.is_empty();
        if runs || head.awaits(|order| matches!(order, Order::RunCommand(_))) {
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
        let over = self.core.runs.is_empty() && self.core.ended.is_empty();
        let Some(ended) = self.core.kill_told.take_if(|_| over) else { return };
        let text = files::killed(self, ended);
        self.core.files.say(crate::vocab::effect::Level::Warning, text);
    }

    /// Recorded work that no command can show is weighed without one.
    fn weigh_what_is_recorded(&mut self, at: Millis) {
        let due = |sprint: &&Sprint| {
            let nothing = |one: &super::state::Checking| one.due.is_empty() && one.read;
            sprint.checking.as_deref().is_some_and(nothing)
        };
        let ids: Vec<String> =
            self.sprints.live().filter(due).map(|sprint| sprint.id.clone()).collect();
        for id in ids {
            super::outcome::advance(self, at, &id);
        }
    }

    pub(super) fn unit_ids(&self, status: UnitStatus) -> Vec<String> {
        let units = self.units.iter().filter(|unit| unit.status == status);
        units.map(|unit| unit.id.clone()).collect()
    }

    /// Where verification is skipped, what was not shown is waived by the user.
    fn waive_unverified(&mut self, at: Millis) {
        let Some(why) = self.core.skip_verification.clone() else { return };
        let due = self.sprints.live().filter(|sprint| {
            sprint.status == SprintStatus::Verifying
                || sprint.checking.is_some() && sprint.status == SprintStatus::Running
        });
        let ids: Vec<String> = due.map(|sprint| sprint.id.clone()).collect();
        for id in ids {
            self.sprints.change(&id, |sprint| {
                ledger::waive_open(&mut sprint.criteria, "user", &why);
                sprint.checking = None;
            });
            super::outcome::complete(self, at, &id);
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
        let units = self.units.live().filter(|unit| open.contains(&unit.status));
        let ids: Vec<String> = units.map(|unit| unit.id.clone()).collect();
        for id in ids {
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
        if self.quiet() && self.core.asking.is_empty() {
            self.come_to_an_end(head);
        }
    }

    /// A sprint is to be judged: nobody may write meanwhile.
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
        self.core.runs.is_empty()
            && self.core.ended.is_empty()
            && self.sprints.live().find(busy).is_none()
    }

    /// The next sprints of all units that may go on, with their models.
    fn choose(&mut self, head: &Head) {
        self.ask_about_vague_words();
        let ready = self.ready(head);
        let busy = self.in_flight();
        let most = usize::try_from(self.core.settings.max_parallel).unwrap_or(usize::MAX);
        let alone = (ready.len() == 1 || most == 1) && busy == 0;
        let held = self.sprints.live().any(|sprint| sprint.alone && at_work(sprint));
        for id in ready {
            let waits = self.sprints.get(&id).is_some_and(|one| one.kind == TaskKind::Deferred);
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
        let mut ready = Vec::new();
        for unit in self.units.live().filter(|unit| unit.status == UnitStatus::Running) {
            let Some(sprint) = self.current(unit).filter(|sprint| self.free(sprint)) else {
                continue;
            };
            let live = spawned(head, |item| self.unit_of(item) == Some(&unit.id));
            if !live && entered(sprint) {
                ready.push(sprint.id.clone());
            }
        }
        ready
    }

    /// Whether nothing but its entry criteria keeps a sprint from being dispatched.
    fn free(&self, sprint: &Sprint) -> bool {
        sprint.status.due()
            && sprint.waiting.is_none()
            && sprint.plan.after.iter().all(|id| self.completed(id))
            && !self.asked_about(&sprint.id)
    }

    fn unit_of(&self, sprint: &str) -> Option<&String> {
        self.sprints.get(sprint).map(|sprint| &sprint.unit)
    }

    /// The user is asked about this sprint; it waits for the answer.
    fn asked_about(&self, id: &str) -> bool {
        self.core.asking.iter().any(|topic| match topic {
            Topic::Vague { sprint, .. }
            | Topic::Confirm { sprint, .. }
            | Topic::StillWaiting { sprint, .. } => sprint == id,
            Topic::EffectFailed { .. }
            | Topic::Trust
            | Topic::GateFailed { .. }
            | Topic::PlanChanged { .. }
            | Topic::Uncommitted { .. }
            | Topic::HeadMoved { .. }
            | Topic::EndWithDeferred => false,
        })
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
                self.core.asking.push(Topic::Vague { sprint, criteria });
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
        let name = self.core.settings.name(choice.tier).to_owned();
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
            sprint.waiting = Some(Waiting { polls: 0, due: false });
            sprint.checking = checking.map(Box::new);
            sprint.first_dispatched_at.get_or_insert(at);
        });
        self.core.began_at.get_or_insert(at);
        self.move_sprint(id, SprintStatus::Dispatched);
        self.log(at, id, "Polling", "its condition is looked at until it holds");
    }

    /// Nothing is left to be dispatched: show at this head what went stale, build once more, and end.
    fn come_to_an_end(&mut self, head: &Head) {
        let movable = self
            .sprints
            .iter()
            .any(|sprint| !sprint.status.closed() && !self.waits_for_deferred(sprint));
        if movable || self.sprints.iter().any(|sprint| !sprint.awaits_gate.is_empty()) {
            return;
        }
        // One whose sprint was let go meanwhile may still be at it.
        if head.awaits(|order| matches!(order, Order::RunCommand(_))) {
            return;
        }
        match self.core.skip_verification.clone() {
            None if gate::last(self, head.at) => return,
            None => {}
            Some(why) => gate::let_last_go(self, head.at, &why),
        }
        if self.core.commands_unseen {
            return self.look_behind_commands();
        }
        let ordinal = self.core.seen.as_ref().map(|seen| seen.ordinal);
        if self.core.rewritten && self.core.history_at != ordinal {
            return self.stale_observation();
        }
        if let Some(problem) = self.another_plan() {
            return self.core.asking.push(Topic::PlanChanged { problem });
        }
        let paths = self.uncommitted();
        if !paths.is_empty() {
            return self.core.asking.push(Topic::Uncommitted { paths });
        }
        let deferred = self.deferred();
        if !deferred.is_empty() && !self.core.end_with_deferred {
            return self.core.asking.push(Topic::EndWithDeferred);
        }
        self.core.done = Some(self.end(head.at, deferred));
        let told = files::told(self, head.at);
        self.core.files.say(crate::vocab::effect::Level::Info, told);
        self.log(head.at, "", "Mission complete", "every sprint is closed or put off");
        self.touch_complete();
    }

    /// A command may have committed, left files or checked out a branch: the end is decided on what is seen when
    /// the last one is over.
    fn look_behind_commands(&mut self) {
        self.core.last_look = self.core.seen.as_ref().map(|seen| seen.head_word().to_owned());
        self.stale_observation();
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
        let seen = core.seen.iter().flat_map(|seen| &seen.dirty);
        seen.filter(|dirty| !known(dirty)).map(|dirty| dirty.path.clone()).collect()
    }

    /// What a gate would have shown is let go by the user.
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

    /// The completion log has another content now.
    pub(super) fn touch_complete(&mut self) {
        let settings = &self.core.settings;
        let path = files::complete_path(&settings.root, &settings.project);
        self.core.files.touch(&path);
    }

    /// Whether a sprint is put off, or waits for one that is.
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

    /// What is put off, and what waits for it.
    fn deferred(&self) -> Vec<String> {
        let open = self.sprints.iter().filter(|sprint| !sprint.status.closed());
        open.map(|sprint| sprint.id.clone()).collect()
    }

    fn end(&self, at: Millis, deferred: Vec<String>) -> Done {
        let mut waived = Vec::new();
        for sprint in self.sprints.iter().filter(|sprint| sprint.status.closed()) {
            let gone = sprint.criteria.iter().filter(|criterion| criterion.waived());
            let named = waived.len();
            waived.extend(gone.map(|criterion| format!("{}/{}", sprint.id, criterion.id)));
            let skipped = sprint.status == SprintStatus::Skipped && waived.len() == named;
            waived.extend(skipped.then(|| sprint.id.clone()));
            waived.extend(files::uncommitted(sprint).then(|| format!("{}/commits", sprint.id)));
        }
        waived.extend((1..=self.core.gates_waived.len()).map(|place| format!("gate/{place}")));
        waived.extend(
            self.core
                .plan_kept
                .iter()
                .filter(|_| self.core.plan_seen.is_some())
                .map(|_| "plan".to_owned()),
        );
        waived.extend((!self.core.dirty_kept.is_empty()).then(|| "uncommitted".to_owned()));
        let head = self.core.seen.as_ref().map_or("none", |seen| seen.head_word()).to_owned();
        Done { head, at, waived, deferred, shown: true }
    }
}

/// Criteria of a sprint that nobody can show as they are worded, and nobody took over.
pub(super) fn vague(sprint: &Sprint) -> impl Iterator<Item = &str> {
    let all = sprint.criteria.iter().zip(sprint.checks.iter().zip(&sprint.vague));
    all.filter(|(criterion, (check, vague))| {
        **vague && !criterion.waived() && matches!(check, Check::Verifier)
    })
    .map(|(criterion, _)| criterion.id.as_str())
}

/// Whether a run of this sprint is chosen, alive, or being judged.
pub(super) fn at_work(sprint: &Sprint) -> bool {
    let works = matches!(
        sprint.status,
        SprintStatus::Dispatched | SprintStatus::Running | SprintStatus::Verifying
    );
    works && sprint.waiting.is_none()
}

/// Whether a run for such an item is ordered or alive.
pub(super) fn spawned(head: &Head, wanted: impl Fn(&str) -> bool) -> bool {
    head.awaits(|order| match order {
        Order::SpawnRole(spawn) => spawn.item.as_deref().is_some_and(&wanted),
        _ => false,
    })
}

/// Whether a command of a gate is being run; the gate itself may be gone by now.
fn builds(head: &Head) -> bool {
    head.awaits(|order| {
        matches!(order, Order::RunCommand(command) if command.purpose.starts_with(super::decide::GATE))
    })
}

fn role_spawned(head: &Head, role: super::role::Role) -> bool {
    head.awaits(|order| matches!(order, Order::SpawnRole(spawn) if spawn.role == role.name()))
}

/// Sprints whose agent is to be sent: chosen ones, and those whose report the same run is to mend.
pub(super) fn dispatches<'a>(state: &'a State, head: &'a Head) -> impl Iterator<Item = &'a Sprint> {
    let verifiers = role_spawned(head, super::role::Role::Verifier) || builds(head);
    state.sprints.live().filter(move |sprint| {
        let mends =
            sprint.correction.as_ref().is_some_and(|one| one.role == super::role::Role::Agent);
        let due = match sprint.status {
            SprintStatus::Dispatched => sprint.waiting.is_none(),
            SprintStatus::Running => mends && sprint.checking.is_none(),
            _ => false,
        };
        let goes_on =
            state.units.get(&sprint.unit).is_some_and(|unit| unit.status == UnitStatus::Running);
        due && goes_on && !verifiers && !spawned(head, |item| item == sprint.id)
    })
}

/// Sprints whose verifier is to be sent. Nobody writes beside one.
pub(super) fn verifiers<'a>(state: &'a State, head: &'a Head) -> impl Iterator<Item = &'a Sprint> {
    let writers = role_spawned(head, super::role::Role::Agent) || state.core.gate.is_some();
    state.sprints.live().filter(move |sprint| {
        let due = sprint.status == SprintStatus::Verifying && sprint.checking.is_none();
        let unjudged = state.core.ended.iter().any(|ended| ended.run.sprint == sprint.id);
        due && !writers && !unjudged && !spawned(head, |item| item == sprint.id)
    })
}

/// The next criterion that its command is to show: sprint and criterion.
pub(super) fn next_check(state: &State) -> Option<(String, String)> {
    if !state.core.trusted {
        return None;
    }
    let checking = |sprint: &Sprint| {
        let checking = sprint.checking.as_deref().filter(|checking| checking.read)?;
        Some((sprint.id.clone(), checking.due.first()?.clone()))
    };
    state.sprints.live().find_map(checking)
}

/// Whether every command among the entry criteria of a sprint held. What began once is not asked again:
/// its own work may be what ended the state it began from.
pub(super) fn entered(sprint: &Sprint) -> bool {
    let held = usize::try_from(sprint.entry_held).unwrap_or(usize::MAX);
    held >= sprint.entry_checks.len() || sprint.first_dispatched_at.is_some()
}

/// The next command among the entry criteria of a sprint whose turn it is.
fn next_entry(state: &State) -> Option<(String, CommandLine)> {
    let units = state.units.live().filter(|unit| unit.status == UnitStatus::Running);
    let current = units.filter_map(|unit| state.current(unit));
    let mut due = current
        .filter(|sprint| state.free(sprint) && !entered(sprint) && sprint.entry_failed.is_none());
    let line = |sprint: &Sprint| {
        let held = usize::try_from(sprint.entry_held).unwrap_or(usize::MAX);
        sprint.entry_checks.get(held).map(|line| (sprint.id.clone(), line.clone()))
    };
    due.find_map(line)
}

/// The next command that must hold before a unit or a sprint starts: its id, which for a sprint has a
/// `/` in it.
pub(super) fn next_dependency(state: &State) -> Option<(String, CommandLine)> {
    // Nothing of the plan is run before the user has seen it.
    if !state.core.trusted {
        return None;
    }
    next_of_unit(state).or_else(|| next_entry(state))
}

/// The next verification command of a unit whose dependencies are completed.
fn next_of_unit(state: &State) -> Option<(String, CommandLine)> {
    let units = state.units.live().filter(|unit| unit.status == UnitStatus::NotStarted);
    let free = |unit: &&Unit| {
        unit.check_failed.is_none() && unit.after.iter().all(|id| state.completed(id))
    };
    let line = |unit: &Unit| {
        let held = usize::try_from(unit.checks_held).unwrap_or(usize::MAX);
        unit.checks.get(held).map(|line| (unit.id.clone(), line.clone()))
    };
    units.filter(free).find_map(line)
}

/// The next command of the gate that is open.
pub(super) fn gate_command(state: &State) -> Option<&CommandLine> {
    state.core.gate.as_ref()?.due.first().map(|one| &one.line)
}

/// Sprints whose progress files are to be looked at, with their paths.
pub(super) fn unread(state: &State) -> Option<(String, Vec<String>)> {
    let unread = |sprint: &&Sprint| sprint.checking.as_ref().is_some_and(|one| !one.read);
    let sprint = state.sprints.live().find(unread)?;
    let unit = state.units.get(&sprint.unit)?;
    Some((sprint.id.clone(), unit.progress_files.clone()))
}
