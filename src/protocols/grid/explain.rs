//! `why` and `view`: computed on request from the same table and facts that decide.

use super::decide::{self, RULES};
use super::files;
use super::state::{Block, BlockStatus, State};
use crate::protocols::shared::{picture, table};
use crate::snapshot::{Continuation, Head};
use crate::view::{ClosedBy, Edge, End, Lane, Next, Node, NodeState, Tally, View};
use crate::vocab::effect::Order;
use crate::why::Why;

/// Why the next step is what it is.
pub(super) fn why(state: &State, head: &Head) -> Why {
    let decision = table::Decision {
        rules: &RULES,
        rule: decide::rule(state, head),
        guard: decide::guard(state, head),
        action: decide::next_action(state),
        stopped: decide::continuation(state, head) != Continuation::Continue,
    };
    table::why(state, head, decision)
}

/// The mission as nodes, edges, lanes and progress.
pub(super) fn view(state: &State, head: &Head) -> View {
    let nodes: Vec<Node> = state.blocks.iter().map(node).collect();
    View {
        title: state.core.settings.mission.clone(),
        protocol: "grid".to_owned(),
        phase: phase(state, head).to_owned(),
        continuation: decide::continuation(state, head),
        reason: reason(state, head),
        next: Next {
            role: decide::next_role(state).map(|role| role.name().to_owned()),
            action: decide::next_action(state),
        },
        end: state.core.done.as_ref().map(|done| End {
            closed_by: ClosedBy::Verified,
            waived: done.waived.clone(),
            deferred: done.deferred.clone(),
        }),
        problem: state.core.blocked.clone().or_else(|| state.core.last_problem.clone()),
        progress: picture::sum(nodes.iter().map(|node| &node.progress)),
        edges: edges(state),
        lanes: lanes(state),
        nodes,
        runs: picture::runs(head),
        questions: picture::questions(head),
        budget: picture::spent(head),
        tallies: tallies(state),
    }
}

fn tallies(state: &State) -> Vec<Tally> {
    let counts = &state.core.counts;
    let of = |name: &str, count| Tally { name: name.to_owned(), count };
    vec![
        of("executed", counts.executed),
        of("failures", counts.failures),
        of("checkpoints", counts.checkpoints),
        of("gap_rounds", counts.gap_rounds),
        of("deviations", counts.deviations),
        of("overruled", counts.overruled),
        of("scratchpad_entries", counts.entries),
        of("silent_executions", counts.silent_executions),
        of("reopened", counts.reopened),
        of("refused_reports", counts.refused_reports),
    ]
}

fn edges(state: &State) -> Vec<Edge> {
    let of = |block: &Block| {
        let to = block.id.clone();
        let edge = move |from: &String| Edge { from: from.clone(), to: to.clone() };
        block.depends_on.iter().map(edge).collect::<Vec<_>>()
    };
    state.blocks.iter().flat_map(of).collect()
}

fn lanes(state: &State) -> Vec<Lane> {
    let lane = |lane: usize| {
        let number = u32::try_from(lane).unwrap_or(u32::MAX);
        Lane { lane: number, title: format!("wave {}", number.saturating_add(1)) }
    };
    (0..state.core.waves.len()).map(lane).collect()
}

fn node(block: &Block) -> Node {
    Node {
        id: block.id.clone(),
        label: block.plan.objective.clone(),
        status: block.status.as_str().to_owned(),
        state: node_state(block),
        lane: block.wave.saturating_sub(1),
        progress: picture::progress(&block.criteria),
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
    match decide::continuation(state, head) {
        Continuation::Done => "done",
        Continuation::Blocked => "blocked",
        Continuation::AwaitUserInput => "awaiting_user",
        Continuation::Continue | Continuation::Paused => files::phase(state),
    }
}

/// Where the cluster stands, in a sentence.
fn reason(state: &State, head: &Head) -> String {
    if let Some(problem) = &state.core.blocked {
        return problem.to_string();
    }
    let asked = head.outbox.iter().find_map(|one| match &one.effect.order {
        Order::AskUser(question) => Some(question.text.clone()),
        _ => None,
    });
    if let Some(text) = asked {
        return text;
    }
    let (settled, total) = files::progress(state);
    let waves = state.core.waves.len();
    format!(
        "{settled} of {total} must-haves are settled; wave {} of {waves}",
        state.wave_number().min(u32::try_from(waves).unwrap_or(u32::MAX))
    )
}
