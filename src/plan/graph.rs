//! Dependencies as a directed graph: cycles, and levels.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_named() {
        let none = [("a", "b"), ("b", "c"), ("a", "c")];
        assert_eq!(cycle(none.into_iter()), None);
        let loops = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")];
        let found = cycle(loops.into_iter()).unwrap();
        assert!(found == ["b", "c", "b"] || found == ["c", "b", "c"], "{found:?}");
        assert_eq!(cycle([("a", "a")].into_iter()), Some(vec!["a".to_owned(), "a".to_owned()]));
    }

    #[test]
    fn levels_behind_a_cycle_are_those_first_reached() {
        let edges = [("a", "b"), ("b", "c"), ("c", "b"), ("gone", "a")];
        let levels = levels(["a", "b", "c"].into_iter(), edges.into_iter());
        let expected = [("a", 1), ("b", 2), ("c", 0), ("gone", 0)];
        assert_eq!(levels, expected.map(|(id, level)| (id.to_owned(), level)).into());
    }

    #[test]
    fn levels_follow_the_longest_way() {
        let edges = [("a", "b"), ("b", "c"), ("a", "c")];
        let levels = levels(["a", "b", "c", "d"].into_iter(), edges.into_iter());
        let expected = [("a", 0), ("b", 1), ("c", 2), ("d", 0)];
        assert_eq!(levels, expected.map(|(id, level)| (id.to_owned(), level)).into());
    }
}
