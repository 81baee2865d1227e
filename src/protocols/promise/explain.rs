//! `view`: computed on request from the same table and facts that decide.

use super::ask;
use super::decide;
use super::files;
use super::role::Role;
use super::state::{PlayStep, State, Task, TaskStatus, TurnMark};
use crate::mission::dispatch::Dispatch;
use crate::mission::picture;
use crate::mission::prelude::*;
use crate::view::{Edge, Node, NodeState, Tally, View};

/// The mission as nodes, edges, lanes and progress.
pub(super) fn view(state: &State, head: &Head) -> View {
    let nodes: Vec<Node> = state.tasks.iter().map(node).collect();
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
        ("turns", counts.turns),
        ("overruled", counts.overruled),
        ("reopened", counts.reopened),
        ("refused_reports", state.core.life.counts.refused_reports),
    ])
}

fn edges(state: &State) -> Vec<Edge> {
    state.tasks.iter().flat_map(|task| picture::edges(&task.id, &task.dependencies)).collect()
}

fn node(task: &Task) -> Node {
    let mut criteria = picture::criteria(&task.criteria);
    let blocked = task.play.as_deref().map(|play| files::blocked(task, play)).unwrap_or_default();
    for one in &mut criteria {
        if blocked.iter().any(|blocked| blocked.criterion_id == one.id) {
            one.state = "blocked".to_owned();
        }
    }
    Node {
        id: task.id.clone(),
        label: task.title.clone(),
        status: task.status.as_str().to_owned(),
        state: node_state(task),
        lane: task.wave.saturating_sub(1),
        progress: picture::progress(&task.criteria),
        criteria,
    }
}

fn node_state(task: &Task) -> NodeState {
    let step = task.play.as_ref().map(|play| play.step);
    match task.status {
        TaskStatus::Pending => NodeState::Waiting,
        TaskStatus::InProgress if step == Some(PlayStep::Coach) => NodeState::Verifying,
        TaskStatus::InProgress => NodeState::Active,
        TaskStatus::Completed if task.criteria.iter().any(|one| one.waived()) => NodeState::Waived,
        TaskStatus::Completed => NodeState::Done,
        TaskStatus::Failed => NodeState::Blocked,
        TaskStatus::Skipped => NodeState::Waived,
        TaskStatus::Deferred => NodeState::Deferred,
    }
}

fn phase(state: &State, head: &Head) -> &'static str {
    match (state.goes_on(head), state.lead().map(|(_, play)| play.step)) {
        (Continuation::Done, _) => "done",
        (Continuation::Blocked, _) => "blocked",
        (Continuation::AwaitUserInput, _) => "awaiting_user",
        (_, Some(PlayStep::Play)) => "play",
        (_, Some(PlayStep::Test)) => "test",
        (_, Some(PlayStep::Coach)) => "verify",
        (_, Some(PlayStep::Keep | PlayStep::RollBack)) => "roll_back",
        (_, None) if state.gate_due().is_some() => "smoke_gate",
        (_, None) if !state.core.closing.is_empty() => "show_again",
        (_, None) => "rest",
    }
}

/// What the turn before came to.
fn last_turn(mark: &TurnMark) -> String {
    let honesty = mark.honesty.map(|(held, made)| format!(", {held} of {made} promises held"));
    let tests = match mark.tests {
        Finding::Holds => ", its tests passed",
        Finding::DoesNotHold => ", its tests failed",
        Finding::NotShown => "",
    };
    let honesty = honesty.unwrap_or_default();
    format!("; turn {} left {} verified{honesty}{tests}", mark.turn, mark.verified)
}

/// The state of the mission, in a sentence: progress in the words of the format, and what is blocked.
fn reason(state: &State, head: &Head) -> String {
    if let Some(problem) = &state.core.life.blocked {
        return problem.to_string();
    }
    let (shown, total) = state
        .tasks
        .iter()
        .map(|task| files::verified(&task.criteria))
        .fold((0, 0), |(shown, total), (more, of)| (shown + more, total + of));
    let mut text = super::progress::line(shown, total);
    if let Some(asked) = picture::asked(head) {
        text = format!("{asked} ({text})");
    }
    if let Some((task, play)) = state.lead() {
        text.push_str(&format!(
            "; {} is in turn {} of at most {}",
            task.id, play.turn, play.turn_limit
        ));
        let blocked: Vec<String> =
            files::blocked(task, play).into_iter().map(|one| one.criterion_id).collect();
        if !blocked.is_empty() {
            text.push_str(&format!("; blocked: {}", blocked.join(", ")));
        }
        text.extend(play.turns.last().map(last_turn));
    }
    let failed = state.tasks.live().find(|task| task.status == TaskStatus::Failed);
    if let Some((task, reason)) = failed.and_then(|task| Some((task, task.play.as_ref()?.stop?))) {
        text.push_str(&format!("; {} ended: {}", task.id, ask::words(reason)));
    }
    text
}
