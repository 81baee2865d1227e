//! The dispatch table, as a table. The first rule that applies wins; guards come before.
//!
//! Executors of a wave, and the members of a swarm, work in parallel up to a limit: whenever one ends,
//! the next that may begin takes its place. All other roles work alone. Executors never run while a
//! reader runs, and never two on one file.

use super::facts::FactName;
use super::queries::{Due, SHARED_OUT, next_notice};
use super::role::Role;
use super::state::{Block, State, Topic};
use super::{artifact, ask, baseline, files, prompt};
use crate::mission::Intent;
use crate::mission::check::spawns;
use crate::mission::files::observe_with;
use crate::mission::guard::Guard;
use crate::mission::picture;
use crate::mission::standing::{self, Stands, ask_once};
use crate::mission::table;
use crate::mission::{Continuation, Head};
use crate::vocab::budget::Counter;
use crate::vocab::effect::{Observe, Order, SetTimer, SpawnRole};
use crate::vocab::role::Tier;

/// One row of the dispatch table.
pub(super) type Rule = table::Rule<FactName, Due>;

use FactName::{
    ArtifactsUnseen, BlocksReady, CaptureDue, DebugDue, GapsOpen, LeadDue, MemoryUnread, PatrolDue,
    PlanMissing, SwarmDue, VerificationDue,
};

/// The eleven rules.
pub(super) static RULES: [Rule; 11] = [
    Rule { number: 1, name: "load_memory", when: &[(MemoryUnread, true)], action: Due::Memory },
    Rule { number: 2, name: "plan_cluster", when: &[(PlanMissing, true)], action: Due::Plan },
    Rule { number: 3, name: "investigate_failure", when: &[(DebugDue, true)], action: Due::Debug },
    Rule { number: 4, name: "execute_blocks", when: &[(BlocksReady, true)], action: Due::Execute },
    Rule { number: 5, name: "close_gaps", when: &[(GapsOpen, true)], action: Due::Gaps },
    Rule {
        number: 6,
        name: "look_at_artifacts",
        when: &[(ArtifactsUnseen, true)],
        action: Due::Look,
    },
    Rule { number: 7, name: "verify_wave", when: &[(VerificationDue, true)], action: Due::Verify },
    Rule { number: 8, name: "patrol", when: &[(PatrolDue, true)], action: Due::Patrol },
    Rule { number: 9, name: "infer_personas", when: &[(LeadDue, true)], action: Due::Lead },
    Rule { number: 10, name: "send_swarm", when: &[(SwarmDue, true)], action: Due::Swarm },
    Rule {
        number: 11,
        name: "capture_learnings",
        when: &[(CaptureDue, true)],
        action: Due::Capture,
    },
];

/// The timer that looks for silence.
pub(super) const SILENCE_TIMER: &str = "silence";

/// The first rule that applies; the last one where none does, since then nothing but the end is left.
pub(super) fn rule(state: &State, head: &Head) -> &'static Rule {
    table::first(&RULES, state, head).unwrap_or(&RULES[10])
}

/// Who is sent next, each for an item, as many as may be at work.
fn crew(state: &State, head: &Head) -> Vec<(Role, String)> {
    let alone = |role: Role| match state.taken(head).is_empty() {
        true => vec![(role, String::new())],
        false => Vec::new(),
    };
    match state.due() {
        Due::Execute => executors(state, head),
        Due::Swarm => swarm(state, head),
        Due::Plan | Due::Gaps => alone(Role::Planner),
        Due::Verify | Due::Patrol => alone(Role::Recognizer),
        Due::Lead => alone(Role::RefinementLead),
        Due::Capture => alone(Role::Learner),
        Due::Debug => match (debugged(state), state.taken(head).is_empty()) {
            (Some(block), true) => vec![(Role::Debugger, block.id.clone())],
            _ => Vec::new(),
        },
        Due::Nothing | Due::Memory | Due::Look => Vec::new(),
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

/// The guard that holds, if any.
pub(super) fn guard(state: &State, head: &Head) -> Option<Guard> {
    if head.awaits(|order| State::is_awaited(order) && !matches!(order, Order::SpawnRole(_))) {
        return Some(Guard::WaitingForAnswer);
    }
    let at_work = spawns(head).next().is_some() || !state.core.runs.is_empty();
    let side_by_side = matches!(state.due(), Due::Execute | Due::Swarm) && beside(state, head);
    let full = !side_by_side || crew(state, head).is_empty();
    if at_work && full {
        return Some(match head.live_runs().next().is_some() {
            true => Guard::RunLive,
            false => Guard::WaitingForAnswer,
        });
    }
    let unseen = || standing::unseen::<_, FactName>(state, head).filter(|_| !at_work);
    standing::holds_back::<_, FactName>(state, head)
        .or_else(unseen)
        .or_else(|| standing::spent(head, needs(state, head)))
}

/// Whether all who are at work are of the kind that is due.
fn beside(state: &State, head: &Head) -> bool {
    let executes = state.due() == Due::Execute;
    spawns(head).all(|(spawn, _)| {
        Role::of(&spawn.role).is_some_and(|role| match executes {
            true => role == Role::Executor,
            false => role.swarms(),
        })
    })
}

/// The counters that what is due on disk, and then the rule's step, spend from.
fn needs(state: &State, head: &Head) -> Vec<Counter> {
    let mut needs: Vec<Counter> = state.core.files.needs().into_iter().collect();
    match rule(state, head).action {
        Due::Memory | Due::Look => needs.push(Counter::Observations),
        Due::Nothing => {}
        Due::Plan
        | Due::Debug
        | Due::Gaps
        | Due::Execute
        | Due::Verify
        | Due::Patrol
        | Due::Lead
        | Due::Swarm
        | Due::Capture => {
            needs.push(Counter::RoleRuns);
            if let Some((role, item)) = crew(state, head).first() {
                needs.extend(also(state, *role, item));
            }
            needs.extend([Counter::Tokens, Counter::CostMicros]);
        }
    }
    needs
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

/// The move `decide`: the name of what decided, and the orders.
pub(super) fn decide(state: &State, head: &Head) -> (&'static str, Vec<Intent>) {
    let stuck = matches!(state.core.asking.first(), Some(Topic::EffectFailed { .. }));
    if !stuck && state.core.blocked.is_none() {
        let orders = state.core.files.orders(head);
        if !orders.is_empty() {
            return ("write_files", orders);
        }
    }
    let rule = rule(state, head);
    let (name, mut orders) = match guard(state, head) {
        None => (rule.name, act(state, head, rule)),
        Some(guard) => {
            let question = || question(state, head);
            (guard.name(), standing::instead(guard, head, || vec![look(state)], question))
        }
    };
    orders.extend(timer(state, head));
    (name, orders)
}

/// A look at the tree, at our own files, and at what the reports that wait for it name.
fn look(state: &State) -> Intent {
    let (within, without) = ([files::DIRECTORY], [files::REFINEMENT]);
    let mut look = observe_with(&state.core.seen, &state.core.files, &within, &without);
    if let Order::Observe(Observe::Repository { known, .. }) = &mut look.order {
        known.extend(baseline::wanted(state));
    }
    look
}

/// One timer for whoever is silent longest, as long as somebody works.
fn timer(state: &State, head: &Head) -> Option<Intent> {
    let due_at = next_notice(state)?.min(crate::vocab::time::LATEST);
    let set = head.awaits(|order| matches!(order, Order::SetTimer(_)));
    let left = head.budget.left(Counter::Timers) > 0;
    (!set && left)
        .then(|| Order::SetTimer(SetTimer { name: SILENCE_TIMER.to_owned(), due_at }).into())
}

fn act(state: &State, head: &Head, rule: &Rule) -> Vec<Intent> {
    match rule.action {
        Due::Memory => {
            let paths = [files::LEARNINGS, files::CONFIG].map(str::to_owned).to_vec();
            vec![Order::Observe(Observe::Documents { paths, tracked: false }).into()]
        }
        Due::Look => {
            let paths = artifact::paths(state);
            vec![Order::Observe(Observe::Documents { paths, tracked: true }).into()]
        }
        Due::Nothing
        | Due::Plan
        | Due::Debug
        | Due::Gaps
        | Due::Execute
        | Due::Verify
        | Due::Patrol
        | Due::Lead
        | Due::Swarm
        | Due::Capture => send(state, head),
    }
}

/// One run for each of the crew, as far as the budget goes and is confirmed.
fn send(state: &State, head: &Head) -> Vec<Intent> {
    let (mut orders, mut left) = (Vec::new(), head.budget.clone());
    let mut visits = state.core.visits.clone();
    for (role, item) in crew(state, head) {
        if SHARED_OUT.into_iter().any(|counter| state.beyond(&left, counter)) {
            break;
        }
        let also = also(state, role, &item);
        let all = [Some(Counter::RoleRuns), also];
        if all.into_iter().flatten().any(|counter| left.spend(counter).is_err()) {
            break;
        }
        let visit = visits.entry(role).or_default();
        *visit += 1;
        orders.push(Intent { order: Order::SpawnRole(spawn(state, role, &item, *visit)), also });
    }
    orders
}

fn spawn(state: &State, role: Role, item: &str, visit: u64) -> SpawnRole {
    let settings = state.core.settings.roles.get(&role);
    let failed = state.blocks.get(item).is_some_and(|block| !block.failures.is_empty());
    let wanted = role.tier(state.core.tier);
    // What failed once is retried by a stronger one.
    let tier = match (failed && role == Role::Executor, wanted) {
        (true, Tier::Small) => Tier::Standard,
        (true, _) => Tier::Large,
        (false, tier) => tier,
    };
    SpawnRole {
        role: role.name().to_owned(),
        item: Some(item.to_owned()).filter(|item| !item.is_empty()),
        visit,
        prompt: prompt::prompt(state, role, item),
        report_schema: role.schema().to_owned(),
        tier: settings.and_then(|settings| settings.tier).unwrap_or(tier),
        access: role.access(),
        limits: settings.and_then(|settings| settings.limits).unwrap_or_default(),
        corrects: state.correction(role, item).map(|correction| correction.of),
    }
}

fn question(state: &State, head: &Head) -> Vec<Intent> {
    ask_once(head, state.core.asking.first().map(|topic| || ask::question(state, topic)))
}

/// Whether and why the mission goes on.
pub(super) fn continuation(state: &State, head: &Head) -> Continuation {
    let would_ask = || standing::asks(guard(state, head)) && !head.awaits(State::is_awaited);
    standing::continuation(state, head, would_ask)
}

/// The role whose turn it is, if it is any role's.
pub(super) fn next_role(state: &State, head: &Head) -> Option<Role> {
    if state.core.done.is_some() || before_rules(state, head).is_some() {
        return None;
    }
    match state.due() {
        Due::Plan | Due::Gaps => Some(Role::Planner),
        Due::Execute => Some(Role::Executor),
        Due::Verify | Due::Patrol => Some(Role::Recognizer),
        Due::Debug => Some(Role::Debugger),
        Due::Lead => Some(Role::RefinementLead),
        Due::Swarm => state.core.refinement.as_ref()?.due().next().map(|(role, _)| role),
        Due::Capture => Some(Role::Learner),
        Due::Nothing | Due::Memory | Due::Look => None,
    }
}

/// What comes before any rule, in words.
fn before_rules(state: &State, head: &Head) -> Option<String> {
    picture::before_rules(state, &state.core.files, head, guard(state, head))
}

/// What is to be done next, in words.
pub(super) fn next_action(state: &State, head: &Head) -> String {
    if state.core.done.is_some() {
        return "Nothing; the cluster is done".to_owned();
    }
    if let Some(words) = before_rules(state, head) {
        return words;
    }
    let wave = state.wave_number();
    match state.due() {
        Due::Nothing if !state.core.runs.is_empty() => "Wait for who is at work".to_owned(),
        Due::Nothing if !state.core.asking.is_empty() => "Ask the user".to_owned(),
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
