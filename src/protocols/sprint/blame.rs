//! Which sprints have to fix a failure at a gate.

use super::state::{Gate, Sprint, SprintStatus, State};
use std::collections::{BTreeMap, BTreeSet};

/// The sprints that have to fix a failed command: those whose files its output names; else those whose criterion it
/// shows, at the end the last of them, since it held for the others before; else all that wait for the gate. None, if
/// none waits.
pub(super) fn charged(
    state: &State,
    gate: &Gate,
    shows: &BTreeSet<String>,
    output: &str,
) -> BTreeSet<String> {
    let all = state.sprints.iter();
    let ids = |one: &Sprint| one.id.clone();
    let named = named(state, output);
    if !named.is_empty() {
        return named;
    }
    let of = all.clone().filter(|sprint| shows.contains(&sprint.id));
    match (shows.is_empty(), gate.last) {
        (true, _) => all.filter(|sprint| !sprint.awaits_gate.is_empty()).map(ids).collect(),
        (false, false) => of.map(ids).collect(),
        (false, true) => {
            let last = of.max_by_key(|sprint| (sprint.completed_at, sprint.verified_ordinal));
            last.map(ids).into_iter().collect()
        }
    }
}

/// Completed sprints whose files the output names: by path; where no path is named by the name of the file alone, if
/// only one of them has a file of that name. Those that wait for the gate before all others.
fn named(state: &State, output: &str) -> BTreeSet<String> {
    let done = state.sprints.iter().filter(|sprint| sprint.status == SprintStatus::Completed);
    let done: Vec<&Sprint> = done.collect();
    let waiting = done.iter().filter(|sprint| !sprint.awaits_gate.is_empty());
    let pools = [waiting.copied().collect(), done.clone()];
    let by_path = pools.iter().map(|pool| by_path(pool, output));
    let mut found = by_path.chain(pools.iter().map(|pool| by_name(pool, output)));
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

fn by_path(pool: &[&Sprint], output: &str) -> BTreeSet<String> {
    let whole = |path: &String| path.contains('/') && mentions(output, path);
    let named = pool.iter().filter(|sprint| sprint.paths.iter().any(whole));
    named.map(|sprint| sprint.id.clone()).collect()
}

fn by_name(pool: &[&Sprint], output: &str) -> BTreeSet<String> {
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for sprint in pool {
        for path in &sprint.paths {
            let name = path.rsplit('/').next().unwrap_or_default();
            names.entry(name).or_default().insert(&sprint.id);
        }
    }
    names.retain(|name, of| {
        of.len() == 1 && name.len() > 4 && name.contains('.') && mentions(output, name)
    });
    names.into_values().flatten().map(str::to_owned).collect()
}

/// Whether a text names a path as a whole: `one.py` is not named by `someone.py`.
pub(super) fn mentions(text: &str, path: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(path).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + path.len()..].chars().next();
        !before.is_some_and(part) && !behind.is_some_and(part)
    })
}
