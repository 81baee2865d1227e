//! `view`: computed on request from the same table and facts that decide.

use super::decide;
use super::role::Role;
use super::state::{Block, BlockStatus, State};
use super::{files, outcome};
use crate::mission::dispatch::Dispatch;
use crate::mission::picture;
use crate::mission::prelude::*;
use crate::view::{Edge, Node, NodeState, Progress, Tally, View};

/// The mission as nodes, edges, lanes and progress.
pub(super) fn view(state: &State, head: &Head) -> View {
    let nodes: Vec<Node> = state.blocks.iter().map(|block| node(state, block)).collect();
    let drawing = picture::Drawing {
        phase: phase(state, head).to_owned(),
        reason: reason(state, head),
        role: decide::next_role(state, head).map(Role::as_str),
        edges: edges(state),
        lanes: picture::wave_lanes(state.core.waves.len()),
        nodes,
        tallies: tallies(state),
    };
    picture::view(state, head, drawing)
}

fn tallies(state: &State) -> Vec<Tally> {
    let counts = &state.core.counts;
    picture::tallies([
        ("executed", counts.executed),
        ("failures", counts.failures),
        ("checkpoints", counts.checkpoints),
        ("gap_rounds", counts.gap_rounds),
        ("deviations", counts.deviations),
        ("overruled", counts.overruled),
        ("scratchpad_entries", counts.entries),
        ("silent_executions", counts.silent_executions),
        ("reopened", counts.reopened),
        ("refused_reports", state.core.life.counts.refused_reports),
    ])
}

fn edges(state: &State) -> Vec<Edge> {
    state.blocks.iter().flat_map(|block| picture::edges(&block.id, &block.depends_on)).collect()
}

fn node(state: &State, block: &Block) -> Node {
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    Node {
        id: block.id.clone(),
        label: block.plan.objective.clone(),
        status: outcome::word(state, block).to_owned(),
        state: node_state(block),
        lane: block.wave.saturating_sub(1),
        progress: Progress {
            settled: count(outcome::settled(state, block)),
            total: count(block.criteria.len()),
        },
        criteria: picture::criteria(&block.criteria),
    }
}

fn node_state(block: &Block) -> NodeState {
    match block.status {
        BlockStatus::Pending => NodeState::Waiting,
        BlockStatus::Active | BlockStatus::Retry | BlockStatus::Debugging => NodeState::Active,
        BlockStatus::Executed => NodeState::Verifying,
        BlockStatus::Checkpoint | BlockStatus::Stuck => NodeState::Blocked,
        BlockStatus::Verified if block.criteria.iter().any(|one| one.waived()) => NodeState::Waived,
        BlockStatus::Verified => NodeState::Done,
        BlockStatus::Skipped => NodeState::Waived,
        BlockStatus::Deferred => NodeState::Deferred,
    }
}

fn phase(state: &State, head: &Head) -> &'static str {
    match state.goes_on(head) {
        Continuation::Done => "done",
        Continuation::Blocked => "blocked",
        Continuation::AwaitUserInput => "awaiting_user",
        Continuation::Continue | Continuation::Paused => files::phase(state),
    }
}

/// The state of the cluster, in a sentence.
fn reason(state: &State, head: &Head) -> String {
    if let Some(words) = picture::halted(state, head) {
        return words;
    }
    let counts = outcome::counts(state);
    let waves = state.core.waves.len();
    let waived = match counts.let_go {
        0 => String::new(),
        count => format!(", {count} of them let go"),
    };
    format!(
        "{} of {} must-haves are settled{waived}; wave {} of {waves}{}{}{}",
        counts.settled,
        counts.total,
        state.wave_number().min(u32::try_from(waves).unwrap_or(u32::MAX)),
        unjudged(state),
        gone(state),
        unnamed(state)
    )
}

/// The heads without which the user went on.
fn gone(state: &State) -> String {
    match state.core.gone.as_slice() {
        [] => String::new(),
        gone => clip(&format!("; gone from the branch: {}", gone.join("; ")), 400),
    }
}

/// The commits that stand in no report.
fn unnamed(state: &State) -> String {
    match super::unattributed::lines(&state.core.unnamed, None).as_slice() {
        [] => String::new(),
        all => clip(&format!("; named by no report: {}", all.join("; ")), 400),
    }
}

/// The blocks that are closed and that nobody judged, each with the reason; the first few.
fn unjudged(state: &State) -> String {
    let all = state.blocks.iter().filter_map(|one| Some((&one.id, one.unjudged()?)));
    let lines: Vec<String> = all.map(|(id, why)| format!("{id} ({why})")).collect();
    match lines.as_slice() {
        [] => String::new(),
        few if few.len() <= 5 => format!("; not verified: {}", few.join(", ")),
        many => format!("; not verified: {} and {} more", many[..5].join(", "), many.len() - 5),
    }
}
