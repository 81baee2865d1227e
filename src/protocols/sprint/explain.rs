//! `view`: computed on request from the same table and facts that decide.

use super::decide;
use super::role::Role;
use super::state::{Sprint, SprintStatus, State, UnitStatus};
use crate::mission::dispatch::Dispatch;
use crate::mission::{Continuation, Head, picture};
use crate::view::{Edge, Lane, Node, NodeState, Tally, View};

/// The mission as nodes, edges, lanes and progress.
pub(super) fn view(state: &State, head: &Head) -> View {
    let nodes: Vec<Node> = state.sprints.iter().map(|sprint| node(state, sprint)).collect();
    let drawing = picture::Drawing {
        phase: phase(state, head).to_owned(),
        reason: reason(state, head),
        role: decide::next_role(state, head).map(Role::as_str),
        edges: edges(state),
        lanes: lanes(state),
        nodes,
        tallies: tallies(state),
    };
    picture::view(state, head, drawing)
}

fn tallies(state: &State) -> Vec<Tally> {
    let counts = &state.core.counts;
    picture::tallies([
        ("dispatched", counts.dispatched),
        ("failed_attempts", counts.failed_attempts),
        ("continuations", counts.continuations),
        ("verifier_rounds", counts.verified),
        ("gates", counts.gates),
        ("reopened", counts.reopened),
        ("refused_reports", state.core.life.counts.refused_reports),
    ])
}

/// Each sprint behind the one before it; the first of a unit behind the last of what it waits for.
fn edges(state: &State) -> Vec<Edge> {
    let last = |id: &String| match state.units.get(id) {
        Some(unit) => unit.sprints.last().cloned(),
        None => Some(id.clone()),
    };
    let mut edges = Vec::new();
    for unit in state.units.iter() {
        let mut before: Option<&String> = None;
        for id in &unit.sprints {
            let to = id.clone();
            match before {
                Some(from) => edges.push(Edge { from: from.clone(), to: to.clone() }),
                None => {
                    let from = unit.after.iter().filter_map(last);
                    edges.extend(from.map(|from| Edge { from, to: to.clone() }));
                }
            }
            let after = state.sprints.get(id).map(|sprint| sprint.plan.after.clone());
            let after = after.unwrap_or_default();
            edges.extend(after.iter().filter_map(last).map(|from| Edge { from, to: to.clone() }));
            before = Some(id);
        }
    }
    edges
}

/// One lane for each unit.
fn lanes(state: &State) -> Vec<Lane> {
    let lane = |(place, unit): (usize, &super::state::Unit)| Lane {
        lane: u32::try_from(place).unwrap_or(u32::MAX),
        title: format!("{}: {}", unit.name, unit.status.as_str()),
    };
    state.units.iter().enumerate().map(lane).collect()
}

fn node(state: &State, sprint: &Sprint) -> Node {
    let lane = state.units.iter().position(|unit| unit.id == sprint.unit).unwrap_or(0);
    Node {
        id: sprint.id.clone(),
        label: sprint.plan.name.clone(),
        status: sprint.status.as_str().to_owned(),
        state: node_state(sprint),
        lane: u32::try_from(lane).unwrap_or(u32::MAX),
        progress: picture::progress(&sprint.criteria),
        criteria: picture::criteria(&sprint.criteria),
    }
}

fn node_state(sprint: &Sprint) -> NodeState {
    match sprint.status {
        SprintStatus::Pending => NodeState::Waiting,
        SprintStatus::Running if sprint.checking.is_some() => NodeState::Verifying,
        SprintStatus::Dispatched
        | SprintStatus::Running
        | SprintStatus::Partial
        | SprintStatus::Backoff => NodeState::Active,
        SprintStatus::Verifying => NodeState::Verifying,
        SprintStatus::Completed if !sprint.awaits_gate.is_empty() => NodeState::Verifying,
        SprintStatus::Completed if sprint.criteria.iter().any(|one| one.waived()) => {
            NodeState::Waived
        }
        SprintStatus::Completed => NodeState::Done,
        SprintStatus::Fatal | SprintStatus::Replan => NodeState::Blocked,
        SprintStatus::Skipped => NodeState::Waived,
        SprintStatus::Deferred => NodeState::Deferred,
    }
}

fn phase(state: &State, head: &Head) -> &'static str {
    match state.goes_on(head) {
        Continuation::Done => "done",
        Continuation::Blocked => "blocked",
        Continuation::AwaitUserInput => "awaiting_user",
        Continuation::Paused if state.core.killed_at.is_some() => "killed",
        Continuation::Paused if state.core.stopping.is_some() => "stopping",
        Continuation::Paused => "rest",
        Continuation::Continue if state.core.gate.is_some() => "gate",
        Continuation::Continue if state.is_verifying() => "verify",
        Continuation::Continue if !state.core.life.runs.is_empty() => "work",
        Continuation::Continue => "supervise",
    }
}

/// The state of the mission, in a sentence.
fn reason(state: &State, head: &Head) -> String {
    if let Some(words) = picture::halted(state, head) {
        return words;
    }
    let blocked: Vec<String> = state
        .units
        .iter()
        .filter(|unit| {
            let kept = |id: &String| {
                state.sprints.get(id).is_some_and(|sprint| sprint.entry_failed.is_some())
            };
            unit.status == UnitStatus::Blocked
                || unit.check_failed.is_some()
                || unit.sprints.iter().any(kept)
        })
        .map(|unit| format!("{} {}: {}", unit.name, unit.status.as_str(), unit.note))
        .collect();
    let off = state.sprints.count(SprintStatus::Deferred.as_str());
    let closed = state.sprints.len() - state.open_sprints() - off;
    let also = if off == 0 { String::new() } else { format!(", {off} put off") };
    let mut words = vec![format!("{closed} of {} sprints closed{also}", state.sprints.len())];
    words.extend(blocked);
    // The user went on without them, and is not to forget it.
    let gone =
        state.core.lost_heads.iter().take(3).map(|line| format!("gone from the branch: {line}"));
    words.extend(gone);
    words.join("; ")
}
