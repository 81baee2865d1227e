//! Where each item of a [`View`] is drawn, so that a plan looks alike wherever it is drawn.
//!
//! In this order: the lanes of the view are the columns; a lane of many items is broken into several;
//! inside a lane the items are put in the order that crosses few edges, by sweeping to and fro and
//! placing each item at the mean of its neighbours (barycentres). All in whole numbers: the same
//! plan gives the same picture on every machine.

use crate::engine::Engine;
use crate::view::{Key, Lane, Node, NodeState, Outline, Progress, View};
use crate::vocab::table::map_of;
use serde::Serialize;
use std::collections::BTreeMap;

/// How often the order is swept, once each way.
const SWEEPS: usize = 4;
/// A lane of no more items than this stays one column.
const FEWEST_ROWS: usize = 24;
/// Places are compared at this scale, so that long and short lanes can be.
const SCALE: u64 = 1 << 32;

/// A plan laid out. Positions are counted in cells; what a cell measures is the front end's matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Scene {
    /// Changes when anything in here does.
    pub key: String,
    /// The items, in plan order.
    pub nodes: Vec<Spot>,
    /// From and to, as places in `nodes`; edges to items that are not there are left out.
    pub edges: Vec<(usize, usize)>,
    /// The lanes of the view that have items.
    pub lanes: Vec<Lane>,
    /// The lane of each column, from left to right.
    pub columns: Vec<u32>,
    /// How many rows the longest column has.
    pub rows: usize,
}

/// Where one item is drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Spot {
    /// Its id.
    pub id: String,
    /// What it is for.
    pub label: String,
    /// Its lane.
    pub lane: u32,
    /// Its column, from 0.
    pub column: usize,
    /// Its row in the column, from 0.
    pub row: usize,
}

/// Lays the plan of an engine out.
pub fn scene(engine: &Engine) -> Scene {
    let view = engine.view();
    let key = engine.outline().map_or_else(|| key(&view), |outline| outline.key);
    arrange(&view, key)
}

fn arrange(view: &View, key: String) -> Scene {
    let edges = edges(view);
    let lanes = ordered(view, &edges);
    let rows_at_most = FEWEST_ROWS.max((view.nodes.len() * 2).isqrt());
    let spot = |node: &Node| Spot {
        id: node.id.clone(),
        label: node.label.clone(),
        lane: node.lane,
        column: 0,
        row: 0,
    };
    let mut nodes: Vec<Spot> = view.nodes.iter().map(spot).collect();
    let mut columns = Vec::new();
    for (lane, order) in &lanes {
        let count = order.len().div_ceil(rows_at_most).max(1);
        let height = order.len().div_ceil(count).max(1);
        for (place, node) in order.iter().enumerate() {
            nodes[*node].column = columns.len() + place / height;
            nodes[*node].row = place % height;
        }
        columns.extend(std::iter::repeat_n(*lane, count));
    }
    let rows = nodes.iter().map(|node| node.row + 1).max().unwrap_or(0);
    let titles = view.lanes.iter().filter(|lane| lanes.contains_key(&lane.lane)).cloned().collect();
    Scene { key, nodes, edges, lanes: titles, columns, rows }
}

/// What a [`Scene`] depends on, in short: two views of one key are laid out alike.
fn key(view: &View) -> String {
    let mut key = Key::default();
    for node in &view.nodes {
        key.add(&node.id);
        key.add(&node.label);
        key.add(&node.lane.to_string());
    }
    for edge in &view.edges {
        key.add(&edge.from);
        key.add(&edge.to);
    }
    view.lanes.iter().for_each(|lane| key.add(&lane.title));
    key.finish()
}

/// The outline of a view, for protocols that have no faster one.
pub(crate) fn outline(view: View) -> (Outline, Vec<String>) {
    let edges = edges(&view);
    let key = key(&view);
    let words = view.nodes.iter().map(|node| node.status.clone()).collect();
    let nodes = view.nodes.iter().map(|node| (node.state, "", node.progress)).collect();
    (Outline { view, key, nodes, edges }, words)
}

/// The edges as places in `view.nodes`.
fn edges(view: &View) -> Vec<(usize, usize)> {
    let places: BTreeMap<&str, usize> =
        map_of(view.nodes.iter().enumerate().map(|(at, node)| (node.id.as_str(), at)));
    let of = |id: &str| places.get(id).copied();
    view.edges.iter().filter_map(|edge| Some((of(&edge.from)?, of(&edge.to)?))).collect()
}

/// The items of each lane in the order they are drawn.
fn ordered(view: &View, edges: &[(usize, usize)]) -> BTreeMap<u32, Vec<usize>> {
    let lane = |node: usize| view.nodes.get(node).map_or(0, |node| node.lane);
    let mut lanes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, node) in view.nodes.iter().enumerate() {
        lanes.entry(node.lane).or_default().push(at);
    }
    let mut before = vec![Vec::new(); view.nodes.len()];
    let mut after = before.clone();
    for (from, to) in edges.iter().filter(|(from, to)| lane(*from) != lane(*to)) {
        before[*to].push(*from);
        after[*from].push(*to);
    }
    let mut places = vec![0; view.nodes.len()];
    lanes.values().for_each(|order| settle(order, &mut places));
    for _ in 0..SWEEPS {
        lanes.values_mut().for_each(|order| sweep(order, &before, &mut places));
        lanes.values_mut().rev().for_each(|order| sweep(order, &after, &mut places));
    }
    lanes
}

/// Puts a lane in the order of the means of its items' neighbours.
fn sweep(order: &mut [usize], neighbours: &[Vec<usize>], places: &mut [u64]) {
    order.sort_by_cached_key(|node| {
        let near = neighbours.get(*node).map_or(&[][..], Vec::as_slice);
        let sum: u64 = near.iter().filter_map(|one| places.get(*one)).sum();
        match u64::try_from(near.len()) {
            Ok(count) if count > 0 => sum / count,
            _ => places.get(*node).copied().unwrap_or(0),
        }
    });
    settle(order, places);
}

/// Writes down where the items of a lane now are, from 0 to [`SCALE`].
fn settle(order: &[usize], places: &mut [u64]) {
    let count = u64::try_from(order.len().max(1)).unwrap_or(u64::MAX);
    for (place, node) in order.iter().enumerate() {
        let place = u64::try_from(place).unwrap_or(u64::MAX);
        places[*node] = (2 * place + 1).saturating_mul(SCALE / (2 * count).max(1));
    }
}

/// The chain of unfinished items that holds the most open criteria: what the end waits for longest.
/// Places in the plan, the first to be done first. Items on a cycle are left out.
pub(crate) fn critical(
    nodes: &[(NodeState, &'static str, Progress)],
    edges: &[(usize, usize)],
) -> Vec<usize> {
    let open = |at: usize| nodes.get(at).is_some_and(|(state, ..)| !settled(*state));
    let mut next = vec![Vec::new(); nodes.len()];
    let mut waits = vec![0_usize; nodes.len()];
    for (from, to) in edges.iter().copied().filter(|(from, to)| open(*from) && open(*to)) {
        next[from].push(to);
        waits[to] += 1;
    }
    let mut longest: Vec<(u64, Option<usize>)> = vec![(0, None); nodes.len()];
    let mut free: Vec<usize> = (0..waits.len()).filter(|at| waits[*at] == 0 && open(*at)).collect();
    let mut end: Option<(u64, usize)> = None;
    while let Some(at) = free.pop() {
        let total = longest[at].0.saturating_add(weight(nodes[at].2));
        if end.is_none_or(|(most, place)| (total, place) > (most, at)) {
            end = Some((total, at));
        }
        for to in &next[at] {
            let known = longest[*to];
            if known.1.is_none_or(|from| (total, from) > (known.0, at)) {
                longest[*to] = (total, Some(at));
            }
            waits[*to] -= 1;
            if waits[*to] == 0 {
                free.push(*to);
            }
        }
    }
    let mut chain: Vec<usize> =
        std::iter::successors(end.map(|(_, at)| at), |at| longest[*at].1).collect();
    chain.reverse();
    chain
}

fn settled(state: NodeState) -> bool {
    matches!(state, NodeState::Done | NodeState::Waived | NodeState::Deferred)
}

fn weight(progress: Progress) -> u64 {
    progress.total.saturating_sub(progress.settled).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Continuation;
    use crate::view::{Edge, Next};

    fn view(nodes: &[(&str, u32, NodeState)], edges: &[(&str, &str)]) -> View {
        let node = |(id, lane, state): &(&str, u32, NodeState)| Node {
            id: (*id).to_owned(),
            label: String::new(),
            status: String::new(),
            state: *state,
            lane: *lane,
            progress: Progress { settled: 0, total: 2 },
            criteria: Vec::new(),
        };
        let edge = |(from, to): &(&str, &str)| Edge { from: (*from).into(), to: (*to).into() };
        View {
            title: String::new(),
            protocol: String::new(),
            phase: String::new(),
            continuation: Continuation::Continue,
            reason: String::new(),
            next: Next::default(),
            agents: crate::view::Agents::Confined,
            end: None,
            problem: None,
            nodes: nodes.iter().map(node).collect(),
            edges: edges.iter().map(edge).collect(),
            lanes: vec![Lane { lane: 0, title: "first".to_owned() }],
            progress: Progress::default(),
            runs: Vec::new(),
            questions: Vec::new(),
            budget: Vec::new(),
            tallies: Vec::new(),
        }
    }

    use NodeState::{Done, Waiting};

    fn laid(view: &View) -> Scene {
        arrange(view, key(view))
    }

    fn chain(view: View) -> Vec<usize> {
        let outline = outline(view).0;
        critical(&outline.nodes, &outline.edges)
    }

    fn rows(scene: &Scene) -> Vec<(&str, usize, usize)> {
        scene.nodes.iter().map(|one| (one.id.as_str(), one.column, one.row)).collect()
    }

    #[test]
    fn crossed_edges_are_uncrossed() {
        let nodes = [("a", 0, Waiting), ("b", 0, Waiting), ("c", 1, Waiting), ("d", 1, Waiting)];
        let scene = laid(&view(&nodes, &[("a", "d"), ("b", "c"), ("gone", "c")]));
        assert_eq!(scene.edges, [(0, 3), (1, 2)]);
        let rows: BTreeMap<_, _> = rows(&scene).into_iter().map(|(id, _, row)| (id, row)).collect();
        assert_eq!((rows["a"] < rows["b"]), (rows["d"] < rows["c"]));
    }

    #[test]
    fn a_long_lane_is_broken_into_columns() {
        let ids: Vec<String> = (0..60).map(|n| format!("n{n:02}")).collect();
        let nodes: Vec<_> = ids.iter().map(|id| (id.as_str(), 0, Waiting)).collect();
        let scene = laid(&view(&nodes, &[]));
        assert_eq!((scene.columns.as_slice(), scene.rows), ([0, 0, 0].as_slice(), 20));
        assert_eq!(rows(&scene)[59], ("n59", 2, 19));
        let mut spots: Vec<_> = scene.nodes.iter().map(|one| (one.column, one.row)).collect();
        spots.sort_unstable();
        spots.dedup();
        assert_eq!(spots.len(), 60);
    }

    #[test]
    fn the_key_changes_with_the_plan_and_not_with_its_state() {
        let before = view(&[("a", 0, Waiting)], &[]);
        assert_eq!(key(&before), key(&view(&[("a", 0, Done)], &[])));
        assert_ne!(key(&before), key(&view(&[("b", 0, Waiting)], &[])));
    }

    #[test]
    fn the_critical_path_is_the_longest_open_chain() {
        let nodes = [("a", 0, Done), ("b", 1, Waiting), ("c", 2, Waiting), ("d", 1, Waiting)];
        let edges = [("a", "b"), ("b", "c"), ("a", "d")];
        assert_eq!(chain(view(&nodes, &edges)), [1, 2]);
        assert_eq!(chain(view(&nodes[..1], &[])), [0_usize; 0]);
        let circle = [("b", "c"), ("c", "b")];
        assert_eq!(chain(view(&nodes, &circle)), [3]);
    }
}
