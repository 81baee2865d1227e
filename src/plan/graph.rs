//! Dependencies as a directed graph: cycles, levels, the longest chain, and what is reached from where.

use crate::vocab::table::map_of;
use std::collections::{BTreeMap, BTreeSet};

/// A graph by the places of its ids, which stand in the order of their letters.
struct Graph<'a> {
    ids: Vec<&'a str>,
    next: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    /// Compiled once, whatever ids and edges are read from.
    fn new(
        ids: &mut dyn Iterator<Item = &'a str>,
        edges: &mut dyn Iterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let edges: Vec<(&str, &str)> = edges.collect();
        let named = edges.iter().flat_map(|(from, to)| [*from, *to]);
        let ids: BTreeSet<&str> = ids.chain(named).collect();
        let places: BTreeMap<&str, usize> = map_of(ids.iter().copied().zip(0..));
        let mut next = vec![Vec::new(); ids.len()];
        edges.iter().for_each(|(from, to)| next[places[from]].push(places[to]));
        Graph { ids: ids.into_iter().collect(), next }
    }

    /// The places in an order in which each comes behind those that lead to it, but for what lies in or behind a cycle.
    fn order(&self) -> Vec<usize> {
        sorted(&self.next, |free| free.first().copied())
    }

    fn levels(&self) -> BTreeMap<String, u32> {
        let mut levels = vec![0_u32; self.ids.len()];
        for from in self.order() {
            self.next[from].iter().for_each(|to| levels[*to] = levels[*to].max(levels[from] + 1));
        }
        map_of(self.ids.iter().map(|id| (*id).to_owned()).zip(levels))
    }
}

/// Places in an order in which each comes behind those that lead to it (`next`: where each leads); of those that are free
/// `pick` takes the next. What lies in or behind a cycle is left out. Iterative, so that no depth of plan can exhaust the
/// stack.
pub fn sorted(next: &[Vec<usize>], pick: impl Fn(&BTreeSet<usize>) -> Option<usize>) -> Vec<usize> {
    let mut waits = vec![0_usize; next.len()];
    next.iter().flatten().for_each(|to| waits[*to] += 1);
    let mut free: BTreeSet<usize> = (0..next.len()).filter(|at| waits[*at] == 0).collect();
    let mut order = Vec::with_capacity(next.len());
    while let Some(from) = pick(&free) {
        free.remove(&from);
        order.push(from);
        for to in &next[from] {
            waits[*to] -= 1;
            free.extend((waits[*to] == 0).then_some(*to));
        }
    }
    order
}

/// One cycle among `edges` (from, to), as the ids along it with the first repeated at the end;
/// `None` if there is none.
pub fn cycle<'a>(mut edges: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Vec<String>> {
    let graph = Graph::new(&mut std::iter::empty(), &mut edges);
    let done: BTreeSet<usize> = graph.order().into_iter().collect();
    // Whoever is left waits, directly or not, for a cycle; walking back along one edge each ends in it.
    let mut back: Vec<Option<usize>> = vec![None; graph.ids.len()];
    for (from, tos) in graph.next.iter().enumerate().filter(|(from, _)| !done.contains(from)) {
        tos.iter().for_each(|to| back[*to] = Some(from));
    }
    let mut id = back.iter().position(Option::is_some)?;
    let (mut walked, mut seen) = (Vec::new(), BTreeSet::new());
    while seen.insert(id) {
        walked.push(id);
        id = back[id]?;
    }
    let from = walked.iter().position(|known| *known == id)?;
    let cycle = walked[from..].iter().chain([&id]).rev();
    Some(cycle.map(|id| graph.ids[*id].to_owned()).collect())
}

/// The level of each id: 0 for those that wait for nobody, else one more than the highest they wait
/// for. Ids on or behind a cycle get the level they are first reached at.
pub fn levels<'a>(
    mut ids: impl Iterator<Item = &'a str>,
    mut edges: impl Iterator<Item = (&'a str, &'a str)>,
) -> BTreeMap<String, u32> {
    Graph::new(&mut ids, &mut edges).levels()
}

/// Levels by the weight of what comes before, and the heaviest chain. What lies in or behind a cycle
/// has no level.
pub fn chains<'a>(
    mut ids: impl Iterator<Item = &'a str>,
    mut edges: impl Iterator<Item = (&'a str, &'a str)>,
    weight: impl Fn(&str) -> u32,
) -> (BTreeMap<String, u32>, Vec<String>) {
    let graph = Graph::new(&mut ids, &mut edges);
    // The weight before each id, and the id that it comes from.
    let mut before: Vec<Option<(u32, usize)>> = vec![None; graph.ids.len()];
    let level = |before: &[Option<(u32, usize)>], id: usize| before[id].map_or(0, |one| one.0);
    let mut done = graph.order();
    for from in &done {
        let behind = level(&before, *from).saturating_add(weight(graph.ids[*from]));
        for to in &graph.next[*from] {
            if before[*to].is_none_or(|known| behind > known.0) {
                before[*to] = Some((behind, *from));
            }
        }
    }
    done.sort_unstable();
    let end = |id: &usize| level(&before, *id).saturating_add(weight(graph.ids[*id]));
    let last = done.iter().rev().copied().max_by_key(end);
    let chain = std::iter::successors(last, |id| before[*id].map(|one| one.1));
    let mut chain: Vec<String> = chain.map(|id| graph.ids[id].to_owned()).collect();
    chain.reverse();
    let levels = done.iter().map(|id| (graph.ids[*id].to_owned(), level(&before, *id)));
    (map_of(levels), chain)
}

/// What is reached from where: everything from an id on, itself only by a cycle.
pub fn reach<'a>(
    edges: impl Iterator<Item = (&'a str, &'a str)>,
) -> impl Fn(&str) -> BTreeSet<&'a str> {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(from).or_default().insert(to);
    }
    move |id| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = next.get(id).into_iter().flatten().copied().collect();
        while let Some(one) = open.pop() {
            if seen.insert(one) {
                open.extend(next.get(one).into_iter().flatten());
            }
        }
        seen
    }
}
