//! `view`: computed on request from the same table and facts that decide.

use super::decide::Action;
use super::handler::{Answer, Handler};
use super::role::AGENT;
use super::state::{Core, State};
use crate::mission::dispatch::Dispatch;
use crate::mission::picture;
use crate::mission::prelude::*;
use crate::view::{ClosedBy, CriterionView, Lane, Node, NodeState, Progress, Tally, View};

/// The mission as one node.
pub(super) fn view(state: &State, head: &Head) -> View {
    let core = &state.core;
    let rule = state.rule(head);
    let sends = rule.is_some_and(|rule| rule.action == Action::Send);
    let drawing = picture::Drawing {
        phase: phase(state, head),
        reason: reason(core),
        role: (sends && core.done.is_none()).then_some(AGENT),
        nodes: vec![node(core)],
        edges: Vec::new(),
        lanes: vec![Lane { lane: 0, title: "the agent".to_owned() }],
        tallies: tallies(core),
    };
    picture::view(state, head, drawing)
}

/// The state of the mission, with the count of iterations.
fn phase(state: &State, head: &Head) -> String {
    let core = &state.core;
    let project = matches!(core.handler(), Handler::Project(_));
    let word = match state.goes_on(head) {
        Continuation::Done => "done",
        Continuation::Blocked => "blocked",
        Continuation::AwaitUserInput => "awaiting_user",
        Continuation::Paused => "paused",
        Continuation::Continue if core.judging.is_some() => "judging",
        Continuation::Continue if project => core.phase.as_str(),
        Continuation::Continue => "iterating",
    };
    format!("{word} ({}/{})", core.iteration, core.ceiling)
}

/// The reason for that state, in a sentence.
fn reason(core: &Core) -> String {
    if let Some(done) = &core.done {
        return format!("after iteration {}: {}", done.iteration, done.description);
    }
    if let Some(problem) = &core.life.blocked {
        return problem.to_string();
    }
    match &core.last {
        Some(last) => format!("after iteration {}: {}", last.iteration, last.words),
        None => format!("to be done when: {}", core.handler().criteria().short),
    }
}

fn tallies(core: &Core) -> Vec<Tally> {
    picture::tallies([
        ("iterations", core.iteration),
        ("failed_runs", core.life.counts.failed_runs),
        ("unshown_answers", core.unshown_answers),
    ])
}

fn node(core: &Core) -> Node {
    let definition = &core.settings.definition;
    let criteria = criteria(core);
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let settled = match core.done {
        // Whatever a composite did not need is no longer wanted.
        Some(_) => criteria.len(),
        None => criteria.iter().filter(|one| settled(&one.state)).count(),
    };
    Node {
        id: definition.name.clone(),
        label: definition.display_name.clone().unwrap_or_else(|| definition.name.clone()),
        status: format!("{}/{}", core.iteration, core.ceiling),
        state: node_state(core),
        lane: 0,
        progress: Progress { settled: count(settled), total: count(criteria.len()) },
        criteria,
    }
}

fn settled(word: &str) -> bool {
    matches!(word, "claimed" | "verified" | "waived")
}

fn node_state(core: &Core) -> NodeState {
    match &core.done {
        Some(done) if !done.waived.is_empty() => NodeState::Waived,
        Some(_) => NodeState::Done,
        None if core.life.blocked.is_some() => NodeState::Blocked,
        None if core.judging.is_some() => NodeState::Verifying,
        None if core.iteration > 0 => NodeState::Active,
        None => NodeState::Waiting,
    }
}

/// One criterion per condition of the handler.
fn criteria(core: &Core) -> Vec<CriterionView> {
    let waived = core.done.as_ref().is_some_and(|done| !done.waived.is_empty());
    let answers = match (&core.judging, &core.last) {
        (Some(judging), _) => judging.answers.as_slice(),
        (None, Some(last)) => last.answers.as_slice(),
        (None, None) => &[],
    };
    let leaves = core.handler().leaves().into_iter().enumerate();
    leaves
        .map(|(place, leaf)| CriterionView {
            id: format!("AC-{:03}", place + 1),
            text: leaf.criteria().short,
            state: match waived {
                true => "waived".to_owned(),
                false => word(leaf, answers.get(place).and_then(Option::as_ref)).to_owned(),
            },
        })
        .collect()
}

fn word(leaf: &Handler, answer: Option<&Answer>) -> &'static str {
    match answer.map(|answer| answer.finding) {
        Some(Finding::Holds) if leaf.closed_by() == ClosedBy::Claimed => "claimed",
        Some(Finding::Holds) => "verified",
        Some(Finding::DoesNotHold) => "rejected",
        Some(Finding::NotShown) | None => "open",
    }
}
