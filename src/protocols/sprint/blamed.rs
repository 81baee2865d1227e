//! Whose files the output of a command names: they are to mend what failed.

use super::state::{Sprint, SprintStatus, State};
use std::collections::{BTreeMap, BTreeSet};

/// Who of several sprints that one command shows is to mend it at the end: those whose files the output names, else
/// the one that was completed last. The others are shown again with the next head.
pub(super) fn broke(state: &State, of: BTreeSet<String>, output: &str) -> BTreeSet<String> {
    let said: BTreeSet<String> = named(state, output).intersection(&of).cloned().collect();
    if !said.is_empty() {
        return said;
    }
    let sprints = of.iter().filter_map(|id| state.sprints.get(id));
    let last = sprints.max_by_key(|sprint| (sprint.completed_at, sprint.verified_ordinal));
    last.map(|sprint| sprint.id.clone()).into_iter().collect()
}

/// Completed sprints whose files the output names: by path; where no path is named by the name of the
/// file alone, if only one sprint has a file of that name.
pub(super) fn named(state: &State, output: &str) -> BTreeSet<String> {
    let done = state.sprints.iter().filter(|sprint| sprint.status == SprintStatus::Completed);
    let pool: Vec<&Sprint> = done.collect();
    let waiting = |sprint: &&&Sprint| !sprint.awaits_gate.is_empty();
    let some = pool.iter().filter(waiting).count() > 0;
    let pool = pool.iter().filter(|sprint| !some || waiting(sprint));
    let pool: Vec<&Sprint> = pool.copied().collect();
    let whole = |path: &String| path.contains('/') && mentions(output, path);
    let by_path = pool.iter().filter(|sprint| sprint.paths.iter().any(whole));
    let by_path: BTreeSet<String> = by_path.map(|sprint| sprint.id.clone()).collect();
    if !by_path.is_empty() {
        return by_path;
    }
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for sprint in &pool {
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
