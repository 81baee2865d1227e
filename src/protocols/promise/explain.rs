//! `why` and `view`: computed on request from the same table and facts that decide.

use super::ask;
use super::decide::{self, RULES};
use super::files;
use super::state::{PlayStep, State, Task, TaskStatus, TurnMark};
use crate::protocols::shared::{picture, table};
use crate::snapshot::{Continuation, Head};
use crate::view::{ClosedBy, Edge, End, Lane, Next, Node, NodeState, Tally, View};
use crate::vocab::effect::Order;
use crate::vocab::evidence::Finding;
use crate::why::Why;

/// Why the next step is what it is.
pub(super) fn why(state: &State, head: &Head) -> Why {
    let decision = table::Decision {
        rules: &RULES,
        rule: decide::rule(state, head),
        guard: decide::guard(state, head),
        action: decide::next_action(state, head),
        stopped: decide::continuation(state, head) != Continuation::Continue,
    };
    table::why(state, head, decision)
}

/// The mission as nodes, edges, lanes and progress.
pub(super) fn view(state: &State, head: &Head) -> View {
    let nodes: Vec<Node> = state.tasks.iter().map(node).collect();
    View {
        title: state.core.settings.mission.clone(),
        protocol: "promise".to_owned(),
        phase: phase(state, head).to_owned(),
        continuation: decide::continuation(state, head),
        reason: reason(state, head),
        next: Next {
            role: decide::next_role(state, head).map(|role| role.name().to_owned()),
            action: decide::next_action(state, head),
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
        of("turns", counts.turns),
        of("overruled", counts.overruled),
        of("reopened", counts.reopened),
        of("refused_reports", counts.refused_reports),
    ]
}

fn edges(state: &State) -> Vec<Edge> {
    let of = |task: &Task| {
        let to = task.id.clone();
        let edge = move |from: &String| Edge { from: from.clone(), to: to.clone() };
        task.dependencies.iter().map(edge).collect::<Vec<_>>()
    };
    state.tasks.iter().flat_map(of).collect()
}

fn lanes(state: &State) -> Vec<Lane> {
    let lane = |lane: usize| {
        let number = u32::try_from(lane).unwrap_or(u32::MAX);
        Lane { lane: number, title: format!("wave {}", number.saturating_add(1)) }
    };
    (0..state.core.waves.len()).map(lane).collect()
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
    match (decide::continuation(state, head), state.lead().map(|(_, play)| play.step)) {
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

/// Where the mission stands, in a sentence: progress in the words of the format, and what is blocked.
fn reason(state: &State, head: &Head) -> String {
    if let Some(problem) = &state.core.blocked {
        return problem.to_string();
    }
    let asked = head.outbox.iter().find_map(|one| match &one.effect.order {
        Order::AskUser(question) => Some(question.text.clone()),
        _ => None,
    });
    let (shown, total) = state
        .tasks
        .iter()
        .map(|task| files::verified(&task.criteria))
        .fold((0, 0), |(shown, total), (more, of)| (shown + more, total + of));
    let mut text = super::progress::line(shown, total);
    if let Some(asked) = asked {
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
