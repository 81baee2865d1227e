//! Dependencies as a directed graph: cycles, levels, the longest chain, what is reached from where, and
//! how many could go on at the same time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// One cycle among `edges` (from, to), as the ids along it with the first repeated at the end;
/// `None` if there is none. Iterative, so that no depth of plan can exhaust the stack.
pub fn cycle<'a>(edges: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Vec<String>> {
    let (next, mut waits) = adjacency(edges);
    let mut free: VecDeque<&str> =
        waits.iter().filter(|(_, count)| **count == 0).map(|(id, _)| *id).collect();
    while let Some(id) = free.pop_front() {
        waits.remove(id);
        for to in next.get(id).into_iter().flatten() {
            if let Some(count) = waits.get_mut(to) {
                *count -= 1;
                if *count == 0 {
                    free.push_back(to);
                }
            }
        }
    }
    // Whoever is left waits, directly or not, for a cycle; walking back along one edge each ends in it.
    let mut back: BTreeMap<&str, &str> = BTreeMap::new();
    for (from, tos) in &next {
        for to in tos {
            if waits.contains_key(from) && waits.contains_key(to) {
                back.insert(to, from);
            }
        }
    }
    let mut id = *waits.keys().find(|id| back.contains_key(*id))?;
    let mut walked: Vec<&str> = Vec::new();
    let mut seen = BTreeSet::new();
    while seen.insert(id) {
        walked.push(id);
        id = back.get(id)?;
    }
    let from = walked.iter().position(|known| *known == id)?;
    let mut found: Vec<String> = walked[from..].iter().map(|one| (*one).to_owned()).collect();
    found.push(id.to_owned());
    found.reverse();
    Some(found)
}

type Adjacency<'a> = (BTreeMap<&'a str, Vec<&'a str>>, BTreeMap<&'a str, usize>);

fn adjacency<'a>(edges: impl Iterator<Item = (&'a str, &'a str)>) -> Adjacency<'a> {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut waits: BTreeMap<&str, usize> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(from).or_default().push(to);
        waits.entry(from).or_default();
        *waits.entry(to).or_default() += 1;
    }
    (next, waits)
}

/// The level of each id: 0 for those that wait for nobody, else one more than the highest they wait
/// for. Ids on or behind a cycle get the level they are first reached at. Texts are only looked up
/// once, since front ends ask for the levels of whole plans again and again.
pub fn levels<'a>(
    ids: impl Iterator<Item = &'a str>,
    edges: impl Iterator<Item = (&'a str, &'a str)>,
) -> BTreeMap<String, u32> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut place = |id: &'a str| {
        let next = places.len();
        *places.entry(id).or_insert(next)
    };
    ids.for_each(|id| {
        place(id);
    });
    let edges: Vec<(usize, usize)> = edges.map(|(from, to)| (place(from), place(to))).collect();
    let mut next = vec![Vec::new(); places.len()];
    let mut waits = vec![0_usize; places.len()];
    for (from, to) in edges {
        next[from].push(to);
        waits[to] += 1;
    }
    let mut levels = vec![0_u32; places.len()];
    let mut free: VecDeque<usize> = (0..waits.len()).filter(|id| waits[*id] == 0).collect();
    while let Some(id) = free.pop_front() {
        for to in &next[id] {
            levels[*to] = levels[*to].max(levels[id] + 1);
            waits[*to] -= 1;
            if waits[*to] == 0 {
                free.push_back(*to);
            }
        }
    }
    places.into_iter().map(|(id, place)| (id.to_owned(), levels[place])).collect()
}

/// Levels by the weight of what comes before, and the heaviest chain. What lies in or behind a cycle
/// has no level.
pub fn chains<'a>(
    ids: impl Iterator<Item = &'a str>,
    edges: impl Iterator<Item = (&'a str, &'a str)>,
    weight: impl Fn(&str) -> u32,
) -> (BTreeMap<String, u32>, Vec<String>) {
    let (next, mut waits) = adjacency(edges);
    for id in ids {
        waits.entry(id).or_insert(0);
    }
    let mut before: BTreeMap<&str, (u32, Option<&str>)> = BTreeMap::new();
    let mut free: VecDeque<&str> =
        waits.iter().filter(|(_, count)| **count == 0).map(|(id, _)| *id).collect();
    before.extend(free.iter().map(|id| (*id, (0, None))));
    let mut done: BTreeMap<&str, u32> = BTreeMap::new();
    while let Some(id) = free.pop_front() {
        let level = before.get(id).map_or(0, |(level, _)| *level);
        done.insert(id, level);
        let behind = level.saturating_add(weight(id));
        for to in next.get(id).into_iter().flatten() {
            let known = before.entry(to).or_insert((behind, Some(id)));
            if behind > known.0 {
                *known = (behind, Some(id));
            }
            if let Some(count) = waits.get_mut(to) {
                *count -= 1;
                if *count == 0 {
                    free.push_back(to);
                }
            }
        }
    }
    let end = done.iter().map(|(id, level)| (level.saturating_add(weight(id)), *id));
    let last = end.fold(None::<(u32, &str)>, |best, one| match best {
        Some(best) if best.0 >= one.0 => Some(best),
        _ => Some(one),
    });
    let chain = std::iter::successors(last.map(|(_, id)| id), |id| before.get(id)?.1);
    let mut chain: Vec<String> = chain.map(str::to_owned).collect();
    chain.reverse();
    (done.into_iter().map(|(id, level)| (id.to_owned(), level)).collect(), chain)
}

/// What is reached from where.
#[derive(Clone, Debug, Default)]
pub struct Reach<'a> {
    next: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

/// Prepares to ask what is reached from where.
pub fn reach<'a>(edges: impl Iterator<Item = (&'a str, &'a str)>) -> Reach<'a> {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(from).or_default().insert(to);
    }
    Reach { next }
}

impl<'a> Reach<'a> {
    /// Everything that is reached from `id`, itself only by a cycle.
    pub fn from(&self, id: &str) -> BTreeSet<&'a str> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = self.next.get(id).into_iter().flatten().copied().collect();
        while let Some(one) = open.pop() {
            if seen.insert(one) {
                open.extend(self.next.get(one).into_iter().flatten());
            }
        }
        seen
    }
}

/// The most ids of which none waits for another, by `after`: for each id all that wait for it, directly
/// or not. Dilworth: as many as there are chains in the smallest cover, which a matching gives. With a
/// cycle the number is only a lower bound.
pub fn width(ids: &[&str], after: &BTreeMap<String, BTreeSet<String>>) -> u32 {
    let place: BTreeMap<&str, usize> = ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let next: Vec<Vec<usize>> = ids
        .iter()
        .map(|id| {
            let all = after.get(*id).into_iter().flatten();
            all.filter_map(|to| place.get(to.as_str()).copied()).collect()
        })
        .collect();
    let mut matching =
        Matching { next: &next, left: vec![None; ids.len()], right: vec![None; ids.len()] };
    let matched = matching.run();
    u32::try_from(ids.len().saturating_sub(matched)).unwrap_or(u32::MAX)
}

/// A largest matching between ids and those that wait for them, after Hopcroft and Karp.
struct Matching<'n> {
    next: &'n [Vec<usize>],
    left: Vec<Option<usize>>,
    right: Vec<Option<usize>>,
}

impl Matching<'_> {
    fn run(&mut self) -> usize {
        while let Some(depth) = self.layers() {
            let mut tried = vec![0; self.next.len()];
            for from in 0..self.next.len() {
                if self.left[from].is_none() {
                    self.augment(from, &depth, &mut tried);
                }
            }
        }
        self.left.iter().flatten().count()
    }

    /// The distance of each id from a free one; `None` if no free partner can be reached.
    fn layers(&self) -> Option<Vec<usize>> {
        let mut depth = vec![usize::MAX; self.next.len()];
        let mut open: VecDeque<usize> =
            (0..self.next.len()).filter(|at| self.left[*at].is_none()).collect();
        open.iter().for_each(|at| depth[*at] = 0);
        let mut found = false;
        while let Some(at) = open.pop_front() {
            for to in &self.next[at] {
                match self.right[*to] {
                    None => found = true,
                    Some(back) if depth[back] == usize::MAX => {
                        depth[back] = depth[at] + 1;
                        open.push_back(back);
                    }
                    Some(_) => {}
                }
            }
        }
        found.then_some(depth)
    }

    /// One path from a free id to a free partner, along the layers; its edges change sides. With a
    /// stack of its own, so that no depth of plan can exhaust that of the program.
    fn augment(&mut self, from: usize, depth: &[usize], tried: &mut [usize]) {
        let mut path: Vec<(usize, usize)> = Vec::new();
        let mut at = from;
        loop {
            let Some(to) = self.next[at].get(tried[at]).copied() else {
                let Some((back, _)) = path.pop() else { return };
                at = back;
                continue;
            };
            tried[at] += 1;
            match self.right[to] {
                None => {
                    path.push((at, to));
                    for (left, right) in path {
                        self.left[left] = Some(right);
                        self.right[right] = Some(left);
                    }
                    return;
                }
                Some(back) if depth[back] == depth[at].saturating_add(1) => {
                    path.push((at, to));
                    at = back;
                }
                Some(_) => {}
            }
        }
    }
}
