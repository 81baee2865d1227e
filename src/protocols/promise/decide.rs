//! The dispatch table, as a table. The first rule that applies wins; guards come before.
//!
//! The rules are about the first task whose turn loop goes on. If several tasks may be worked on in
//! parallel, those that are due for the same role go with it. A player and a coach are never at work at
//! once: a coach reads a tree that nobody writes.

use super::facts::FactName;
use super::prompt;
use super::role::Role;
use super::state::{Play, PlayStep, State, Task};
use crate::mission::Head;
use crate::mission::Intent;
use crate::mission::dispatch::Dispatch;
use crate::mission::life::Life;
use crate::mission::table::{self, rules};
use crate::vocab::budget::Counter;
use crate::vocab::effect::{Order, SetTimer, SpawnRole};

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Keep what is there under a ref of its own, then put the tree back.
    RollBack,
    /// Run the tests.
    Test,
    /// Send coaches.
    Coach,
    /// Send players.
    Play,
    /// Run the command behind a wave.
    Gate,
    /// Send coaches to what was verified before the head moved on.
    Show,
}

rules! {
    /// The six rules.
    Action;
    1 "roll_back" [RollBackDue: true] => Action::RollBack;
    2 "run_tests" [TestDue: true] => Action::Test;
    3 "verify_promise" [CoachDue: true] => Action::Coach;
    4 "play_turn" [PlayDue: true] => Action::Play;
    5 "smoke_gate" [GateDue: true] => Action::Gate;
    6 "show_again" [WorkOpen: false, AllShown: false] => Action::Show;
}

/// What a command is for; answers are told apart by it.
pub(super) const TESTS: &str = "tests";
/// See [`TESTS`].
pub(super) const KEEP: &str = "keep what is there";
/// See [`TESTS`].
pub(super) const ROLL_BACK: &str = "roll back";
/// See [`TESTS`].
pub(super) const GATE: &str = "smoke gate after wave ";
/// What a timer is for, before the id of the task.
pub(super) const TIMEOUT: &str = "timeout:";

impl Dispatch for State {
    type Fact = FactName;
    type Action = Action;
    const RULES: &'static [Rule] = &RULES;

    /// Runs whose task has stopped are ended, once each.
    fn urgent(&self, head: &Head) -> Option<(&'static str, Vec<Intent>)> {
        let stops = stops(self, head);
        (!stops.is_empty()).then_some(("end_stopped_runs", stops))
    }

    fn needs(&self, head: &Head, rule: &Rule) -> Vec<Counter> {
        needs(self, head, rule)
    }

    fn act(&self, head: &Head, rule: &Rule) -> Vec<Intent> {
        act(self, head, rule)
    }

    fn next_action(&self, head: &Head) -> String {
        if self.core.life.done.is_some() {
            return "Nothing; the mission is done".to_owned();
        }
        let of = |play: &Play| format!("turn {} of at most {}", play.turn, play.turn_limit);
        match (table::first(&RULES, self, head).map(|rule| rule.action), self.lead()) {
            (Some(Action::Play), Some((task, play))) => format!("Play {} of {}", of(play), task.id),
            (Some(Action::Coach), Some((task, play))) => {
                format!("Verify the promise of {} of {}", of(play), task.id)
            }
            (Some(Action::Test), Some((task, _))) => format!("Run the tests for {}", task.id),
            (Some(Action::RollBack), Some((task, _))) => {
                format!("Put {} back to its last passing checkpoint", task.id)
            }
            (Some(Action::Gate), _) => format!("Run the gate behind wave {}", self.wave_number()),
            (Some(Action::Show), _) => {
                "Show again what was verified before the head moved".to_owned()
            }
            (Some(Action::Play | Action::Coach | Action::Test | Action::RollBack), None)
            | (None, _) => "Come to the end, or ask".to_owned(),
        }
    }
}

/// The counters that a rule's step spends from.
fn needs(state: &State, head: &Head, rule: &Rule) -> Vec<Counter> {
    let (role, tasks) = match rule.action {
        Action::RollBack | Action::Test | Action::Gate => return vec![Counter::Commands],
        Action::Coach => (Role::Coach, batch(state)),
        Action::Play => (Role::Player, batch(state)),
        Action::Show => (Role::Coach, shows(state)),
    };
    let mut needs = vec![Counter::RoleRuns];
    needs.extend(tasks.first().and_then(|task| also(state, task, role)));
    if tasks.iter().any(|task| timer(head, task).is_some()) {
        needs.push(Counter::Timers);
    }
    needs.extend([Counter::Tokens, Counter::CostMicros]);
    needs
}

/// What a run spends in addition to itself.
fn also(state: &State, task: &Task, role: Role) -> Option<Counter> {
    let correction = state.core.life.correction(role.as_str(), &task.id);
    match (correction, role) {
        (Some(_), _) => Some(Counter::MalformedReports),
        (None, Role::Player) if task.reopened => Some(Counter::Reopens),
        (None, _) => None,
    }
}

/// The tasks that are due for the step of the first one, as many as may be at once.
fn batch(state: &State) -> Vec<&Task> {
    let Some((_, lead)) = state.lead() else { return Vec::new() };
    let same = state.playing().filter(|(_, play)| play.step == lead.step);
    same.map(|(task, _)| task).take(most(state)).collect()
}

fn most(state: &State) -> usize {
    usize::try_from(state.core.settings.max_parallel).unwrap_or(usize::MAX)
}

/// The closed tasks that are to be shown again, as many as may be at once.
fn shows(state: &State) -> Vec<&Task> {
    let closing = state.core.closing.iter().filter_map(|id| state.tasks.get(id));
    closing.take(most(state)).collect()
}

fn stops(state: &State, head: &Head) -> Vec<Intent> {
    let over = |id: &str| state.play(id).is_some_and(|play| play.stop.is_some());
    let runs = state.core.life.runs.iter().filter(|run| !run.ending && over(&run.item));
    Life::end_all(head, runs.map(|run| run.by.run))
}

fn act(state: &State, head: &Head, rule: &Rule) -> Vec<Intent> {
    match rule.action {
        Action::RollBack => roll_back(state).into_iter().collect(),
        Action::Test => {
            vec![state.core.life.command(&state.core.settings.test_command, TESTS, 3_600_000)]
        }
        Action::Gate => gate(state).into_iter().collect(),
        Action::Coach => spawns(state, head, Role::Coach, batch(state)),
        Action::Play => spawns(state, head, Role::Player, batch(state)),
        Action::Show => spawns(state, head, Role::Coach, shows(state)),
    }
}

/// One run for each task, as far as the budget goes, with the timers that are due.
fn spawns(state: &State, head: &Head, role: Role, tasks: Vec<&Task>) -> Vec<Intent> {
    let (mut orders, mut left) = (Vec::new(), head.budget.clone());
    let mut visit = state.core.life.visits.get(role.as_str()).copied().unwrap_or(0);
    for task in tasks {
        let (timer, also) = (timer(head, task), also(state, task, role));
        let all = [Some(Counter::RoleRuns), also, timer.as_ref().map(|_| Counter::Timers)];
        if all.into_iter().flatten().any(|counter| left.spend(counter).is_err()) {
            break;
        }
        visit += 1;
        let order = Order::SpawnRole(spawn(state, task, role, visit));
        orders.push(Intent { order, also });
        orders.extend(timer.map(|timer| Intent::from(Order::SetTimer(timer))));
    }
    orders
}

fn spawn(state: &State, task: &Task, role: Role, visit: u64) -> SpawnRole {
    let (life, settings) = (&state.core.life, state.core.settings.roles.get(&role));
    let prompt = prompt::prompt(state, task, role);
    let order = life.spawn(&role.cast(), (Some(&task.id), &task.id), settings, prompt);
    SpawnRole { visit, ..order }
}

/// The timer a task needs and does not have.
fn timer(head: &Head, task: &Task) -> Option<SetTimer> {
    let due_at = task.play.as_ref().and_then(|play| play.deadline)?;
    let name = format!("{TIMEOUT}{}", task.id);
    let set = head.awaits(|order| matches!(order, Order::SetTimer(timer) if timer.name == name));
    (!set).then_some(SetTimer { name, due_at })
}

fn gate(state: &State) -> Option<Intent> {
    let (wave, gate) = state.gate_due()?;
    Some(state.core.life.command(&gate.argv, &format!("{GATE}{wave}"), gate.timeout_ms))
}

/// First what is there gets a ref of its own, so that nothing is lost; then the tree is put back.
fn roll_back(state: &State) -> Option<Intent> {
    let (_, play) = state.lead()?;
    let life = &state.core.life;
    let (to, from) = (play.passing.as_ref()?, life.seen.as_ref()?.head.clone()?);
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let kept = format!("refs/endstate/kept/{from}");
    Some(match play.step {
        PlayStep::Keep => life.command(&words(&["git", "update-ref", &kept, &from]), KEEP, 60_000),
        _ => life.command(&words(&["git", "reset", "--hard", &to.commit]), ROLL_BACK, 60_000),
    })
}

/// The role whose turn it is, if it is any role's.
pub(super) fn next_role(state: &State, head: &Head) -> Option<Role> {
    if state.core.life.done.is_some() {
        return None;
    }
    match table::first(&RULES, state, head)?.action {
        Action::Coach | Action::Show => Some(Role::Coach),
        Action::Play => Some(Role::Player),
        Action::RollBack | Action::Test | Action::Gate => None,
    }
}
