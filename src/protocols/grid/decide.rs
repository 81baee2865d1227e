//! The dispatch table, as a table. The first rule that applies wins; guards come before.
//!
//! Executors of a wave, and the members of a swarm, work in parallel up to a limit: whenever one ends,
//! the next that may begin takes its place. All other roles work alone. Executors never run while a
//! reader runs, and never two on one file.

use super::facts::FactName;
use super::queries::{Due, SHARED_OUT};
use super::role::Role;
use super::signs::next_notice;
use super::state::{Block, State};
use super::{artifact, files, prompt};
use crate::mission::check::spawns;
use crate::mission::dispatch::{self, Dispatch};
use crate::mission::files::observe_with;
use crate::mission::guard::Guard;
use crate::mission::life::Particular;
use crate::mission::role::Cast;
use crate::mission::standing::{self, Stands};
use crate::mission::table::{self, rules};
use crate::mission::{Head, Intent, picture};
use crate::vocab::budget::Counter;
use crate::vocab::effect::{Observe, Order, SetTimer, SpawnRole};
use crate::vocab::role::Tier;
use std::collections::BTreeMap;

rules! {
    /// The eleven rules.
    Due;
    1 "load_memory" [MemoryUnread: true] => Due::Memory;
    2 "plan_cluster" [PlanMissing: true] => Due::Plan;
    3 "investigate_failure" [DebugDue: true] => Due::Debug;
    4 "execute_blocks" [BlocksReady: true] => Due::Execute;
    5 "close_gaps" [GapsOpen: true] => Due::Gaps;
    6 "look_at_artifacts" [ArtifactsUnseen: true] => Due::Look;
    7 "verify_wave" [VerificationDue: true] => Due::Verify;
    8 "patrol" [PatrolDue: true] => Due::Patrol;
    9 "infer_personas" [LeadDue: true] => Due::Lead;
    10 "send_swarm" [SwarmDue: true] => Due::Swarm;
    11 "capture_learnings" [CaptureDue: true] => Due::Capture;
}

/// The timer that looks for silence.
pub(super) const SILENCE_TIMER: &str = "silence";

/// Who is sent next, each for an item, as many as may be at work.
fn crew(state: &State, head: &Head) -> Vec<(Role, String)> {
    match state.due() {
        Due::Execute => executors(state, head),
        Due::Swarm => swarm(state, head),
        due => {
            let alone = due.role().filter(|_| state.taken(head).is_empty());
            let item = debugged(state).map(|block| block.id.clone()).unwrap_or_default();
            alone.map(|role| (role, item)).into_iter().collect()
        }
    }
}

/// The block whose failure is investigated.
pub(super) fn debugged(state: &State) -> Option<&Block> {
    state.blocks.live().find(|block| block.status == super::state::BlockStatus::Debugging)
}

fn free(state: &State, head: &Head) -> usize {
    let most = usize::try_from(state.core.settings.max_parallel).unwrap_or(usize::MAX);
    most.saturating_sub(spawns(head).count())
}

/// The next blocks that may begin: not at work, and sharing no file with one that is.
fn executors(state: &State, head: &Head) -> Vec<(Role, String)> {
    let taken = state.taken(head);
    let mut busy: Vec<&Block> = taken.iter().filter_map(|id| state.blocks.get(id)).collect();
    let (mut crew, room) = (Vec::new(), free(state, head));
    for block in state.ready() {
        if crew.len() >= room {
            break;
        }
        let shares = busy.iter().any(|other| State::overlap(block, other));
        if taken.contains(&block.id) || shares {
            continue;
        }
        busy.push(block);
        crew.push((Role::Executor, block.id.clone()));
    }
    crew
}

fn swarm(state: &State, head: &Head) -> Vec<(Role, String)> {
    let taken = state.taken(head);
    let Some(refinement) = &state.core.refinement else { return Vec::new() };
    refinement.due().filter(|(_, item)| !taken.contains(item)).take(free(state, head)).collect()
}

impl Dispatch for State {
    type Fact = FactName;
    type Action = Due;
    const RULES: &'static [Rule] = &RULES;

    /// A look at the tree, and at our own files.
    fn look(&self, _: &Head) -> Intent {
        let (within, without) = ([files::DIRECTORY], [files::REFINEMENT]);
        let life = &self.core.life;
        observe_with(&life.seen, &life.files, &within, &without)
    }

    fn needs(&self, head: &Head, rule: &Rule) -> Vec<Counter> {
        match rule.action {
            Due::Memory | Due::Look => return vec![Counter::Observations],
            Due::Nothing => return Vec::new(),
            _ => {}
        }
        let mut needs = vec![Counter::RoleRuns];
        if let Some((role, item)) = crew(self, head).first() {
            needs.extend(also(self, *role, item));
        }
        needs.extend([Counter::Tokens, Counter::CostMicros]);
        needs
    }

    fn act(&self, head: &Head, rule: &Rule) -> Vec<Intent> {
        let (paths, tracked) = match rule.action {
            Due::Memory => ([files::LEARNINGS, files::CONFIG].map(str::to_owned).to_vec(), false),
            Due::Look => (artifact::paths(self), true),
            _ => return send(self, head),
        };
        vec![Order::Observe(Observe::Documents { paths, tracked }).into()]
    }

    fn next_action(&self, head: &Head) -> String {
        match picture::before_rules(self, head) {
            _ if self.core.life.done.is_some() => "Nothing; the cluster is done".to_owned(),
            Some(words) => words,
            None => in_words(self),
        }
    }

    /// The first that applies.
    fn rule(&self, head: &Head) -> Option<&'static Rule> {
        table::first(&RULES, self, head)
    }

    /// Others are sent while some are at work, and then nobody looks first.
    fn guard(&self, head: &Head) -> Option<Guard> {
        if head.awaits(|order| State::is_awaited(order) && !matches!(order, Order::SpawnRole(_))) {
            return Some(Guard::WaitingForAnswer);
        }
        let at_work = spawns(head).next().is_some() || !self.core.life.runs.is_empty();
        let side_by_side = matches!(self.due(), Due::Execute | Due::Swarm) && beside(self, head);
        let full = !side_by_side || crew(self, head).is_empty();
        if at_work && full {
            return Some(match self.core.life.runs.is_empty() {
                false => Guard::RunLive,
                true => Guard::WaitingForAnswer,
            });
        }
        let unseen = || standing::unseen::<_, FactName>(self, head).filter(|_| !at_work);
        standing::holds_back::<_, FactName>(self, head)
            .or_else(unseen)
            .or_else(|| standing::spent(head, dispatch::needs(self, head)))
    }

    /// And one timer for whoever is silent longest, as long as somebody works.
    fn orders(&self, head: &Head, guard: Option<Guard>) -> Vec<Intent> {
        dispatch::orders(self, head, guard).into_iter().chain(timer(self, head)).collect()
    }
}

/// Whether all who are at work are of the kind that is due.
fn beside(state: &State, head: &Head) -> bool {
    let executes = state.due() == Due::Execute;
    spawns(head).all(|(spawn, _)| {
        Role::parse(&spawn.role).is_some_and(|role| match executes {
            true => role == Role::Executor,
            false => role.swarms(),
        })
    })
}

/// What a run spends in addition to itself.
fn also(state: &State, role: Role, item: &str) -> Option<Counter> {
    if state.correction(role, item).is_some() {
        return Some(Counter::MalformedReports);
    }
    match role {
        Role::Planner if state.core.planned => Some(Counter::Regrounds),
        Role::Executor if state.blocks.get(item).is_some_and(|block| block.reopened) => {
            Some(Counter::Reopens)
        }
        _ => None,
    }
}

/// One timer for whoever is silent longest, as long as somebody works.
fn timer(state: &State, head: &Head) -> Option<Intent> {
    let due_at = next_notice(state)?.min(crate::vocab::time::LATEST);
    let set = head.awaits(|order| matches!(order, Order::SetTimer(_)));
    let left = head.budget.left(Counter::Timers) > 0;
    (!set && left)
        .then(|| Order::SetTimer(SetTimer { name: SILENCE_TIMER.to_owned(), due_at }).into())
}

/// One run for each of the crew, as far as the budget goes and is confirmed.
fn send(state: &State, head: &Head) -> Vec<Intent> {
    let (mut orders, mut left) = (Vec::new(), head.budget.clone());
    let mut sent: BTreeMap<Role, u64> = BTreeMap::new();
    for (role, item) in crew(state, head) {
        if SHARED_OUT.into_iter().any(|counter| state.beyond(&left, counter)) {
            break;
        }
        let also = also(state, role, &item);
        let all = [Some(Counter::RoleRuns), also];
        if all.into_iter().flatten().any(|counter| left.spend(counter).is_err()) {
            break;
        }
        let mut spawn = spawn(state, role, &item);
        let more = sent.entry(role).or_default();
        spawn.visit += *more;
        *more += 1;
        orders.push(Intent { order: Order::SpawnRole(spawn), also });
    }
    orders
}

fn spawn(state: &State, role: Role, item: &str) -> SpawnRole {
    let failed = state.blocks.get(item).is_some_and(|block| !block.failures.is_empty());
    let cast = role.cast(state.core.tier);
    // What failed once is retried by a stronger one.
    let tier = match (failed && role == Role::Executor, cast.tier) {
        (true, Tier::Small) => Tier::Standard,
        (true, _) => Tier::Large,
        (false, tier) => tier,
    };
    let (settings, step) = (state.core.settings.roles.get(&role), state.step(cast.name, item));
    let of = Some(item).filter(|item| !item.is_empty());
    let prompt = prompt::prompt(state, role, item);
    state.core.life.spawn(&Cast { tier, ..cast }, (of, &step), settings, prompt)
}

/// The role whose turn it is, if it is any role's.
pub(super) fn next_role(state: &State, head: &Head) -> Option<Role> {
    if state.core.life.done.is_some() || picture::before_rules(state, head).is_some() {
        return None;
    }
    match state.due() {
        Due::Swarm => state.core.refinement.as_ref()?.due().next().map(|(role, _)| role),
        due => due.role(),
    }
}

/// What is due, in words.
fn in_words(state: &State) -> String {
    let wave = state.wave_number();
    match state.due() {
        Due::Nothing if !state.core.life.runs.is_empty() => "Wait for who is at work".to_owned(),
        Due::Nothing if !state.core.life.asking.is_empty() => "Ask the user".to_owned(),
        Due::Nothing => "Come to the end".to_owned(),
        Due::Memory => "Read what earlier clusters learned".to_owned(),
        Due::Plan => "Cut the cluster into plans".to_owned(),
        Due::Debug => "Investigate why a block fails".to_owned(),
        Due::Gaps => format!("Plan how {} gaps are closed", state.core.gaps.len()),
        Due::Execute => {
            let ids: Vec<&str> = state.ready().map(|block| block.id.as_str()).take(8).collect();
            format!("Execute {} of wave {wave}", ids.join(", "))
        }
        Due::Look => "Look at the artifacts".to_owned(),
        Due::Verify => format!("Verify wave {wave}"),
        Due::Patrol => "Look at everything again at this head".to_owned(),
        Due::Lead => "Find out who uses the project".to_owned(),
        Due::Swarm => "Send the refinement swarm".to_owned(),
        Due::Capture => "Write down what was learned".to_owned(),
    }
}
