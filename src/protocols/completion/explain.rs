//! The view: computed on request from the same table and facts that decide.

use super::decide;
use super::files::words::SliceStatus;
use super::plan::edges;
use super::role::Role;
use super::state::{ActiveStatus, Slice, State};
use crate::mission::{Head, picture};
use crate::plan::graph;
use crate::view::{Edge, Key, Node, NodeState, Outline, Progress, Tally, View};

/// The mission as nodes, edges, lanes and progress.
pub(super) fn view(state: &State, head: &Head) -> View {
    let levels = levels(state);
    let nodes: Vec<Node> = state.slices.iter().map(|slice| node(state, slice, &levels)).collect();
    let highest = nodes.iter().map(|node| node.lane).max();
    let edge = |(from, to): (&str, &str)| Edge { from: from.to_owned(), to: to.to_owned() };
    let (edges, lanes) = (edges(state).map(edge).collect(), picture::level_lanes(highest));
    View { nodes, edges, lanes, ..bare(state, head) }
}

/// The view in short.
pub(super) fn outline(state: &State, head: &Head) -> Outline {
    let (mut key, mut edges) = (Key::default(), Vec::new());
    let mut nodes = Vec::with_capacity(state.slices.len());
    for (at, slice) in state.slices.iter().enumerate() {
        key.add(&slice.slice_id);
        key.add(&slice.goal);
        for before in &slice.blocked_on {
            key.add(before);
            edges.extend(state.slices.place(before).map(|from| (from, at)));
        }
        key.add("");
        let progress = picture::progress(&slice.criteria);
        nodes.push((node_state(state, slice), slice.status.as_str(), progress));
    }
    Outline { view: bare(state, head), key: key.finish(), nodes, edges }
}

/// The view without nodes, edges and lanes.
fn bare(state: &State, head: &Head) -> View {
    let progress: Vec<Progress> =
        state.slices.iter().map(|slice| picture::progress(&slice.criteria)).collect();
    let stands = decide::standing(state, head);
    let drawing = picture::Drawing {
        phase: decide::phase(state, head, stands).to_string(),
        reason: state.reason(head, stands),
        role: decide::next_role(state, head).map(Role::as_str),
        tallies: tallies(state),
        ..picture::Drawing::default()
    };
    View { progress: picture::sum(progress.iter()), ..picture::view(state, head, drawing) }
}

fn tallies(state: &State) -> Vec<Tally> {
    let refused = state.core.life.counts.refused_reports;
    picture::tallies([("reopened", state.core.counts.reopened), ("refused_reports", refused)])
}

fn levels(state: &State) -> std::collections::BTreeMap<String, u32> {
    graph::levels(state.slices.iter().map(|slice| slice.slice_id.as_str()), edges(state))
}

fn node(state: &State, slice: &Slice, levels: &std::collections::BTreeMap<String, u32>) -> Node {
    Node {
        id: slice.slice_id.clone(),
        label: slice.goal.clone(),
        status: slice.status.as_str().to_owned(),
        state: node_state(state, slice),
        lane: levels.get(&slice.slice_id).copied().unwrap_or(0),
        progress: picture::progress(&slice.criteria),
        criteria: picture::criteria(&slice.criteria),
    }
}

fn node_state(state: &State, slice: &Slice) -> NodeState {
    let active = state.core.active.as_ref().filter(|active| active.slice_id == slice.slice_id);
    let waived = slice.criteria.iter().any(|one| one.waived());
    match slice.status {
        _ if slice.deferred() => NodeState::Deferred,
        SliceStatus::Planned => NodeState::Waiting,
        SliceStatus::Selected => NodeState::Active,
        SliceStatus::InProgress => match active.map(|active| active.status) {
            Some(ActiveStatus::Committed) => NodeState::Verifying,
            _ => NodeState::Active,
        },
        SliceStatus::Blocked => NodeState::Blocked,
        SliceStatus::Done | SliceStatus::Cancelled if waived => NodeState::Waived,
        SliceStatus::Done | SliceStatus::Cancelled => NodeState::Done,
    }
}
