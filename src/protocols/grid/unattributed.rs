//! Commits on the branch that no report names.
//!
//! Runs that work in one tree cannot be told apart by their changes. A commit that a report names belongs to that
//! report; every other commit is kept with the blocks that were at work when it came, until a report names it. Those
//! who judge are told, and so are those who read the files. If such a commit came while several were at work, or a file
//! of another block changed, that counts as an overlap.

use super::block;
use super::commits::commit_name;
use super::observe::Heard;
use super::queries::meets;
use super::report::ExecutorReport;
use super::role::Role;
use super::state::{Block, State, Unnamed};
use crate::mission::prelude::*;
use crate::vocab::evidence::normal;
use crate::vocab::table::map_of;

/// The most looks of which commits are kept; what was seen earlier stays noted at the blocks.
const MOST_LOOKS: usize = 400;
/// The most commits, and the most paths, that are kept of one look: as many commits as a host lists.
const MOST_KEPT: usize = 1_000;
/// The most commits of one look of which is kept what each changed.
const MOST_APART: usize = 200;
/// The most paths that are kept of one of several commits.
const MOST_OF_ONE: usize = 40;
/// The most that one line names.
pub(super) const MOST_SHOWN: usize = 20;

/// How somebody at work is called: by the block, or by the role.
fn name(run: &Run) -> String {
    match run.access {
        Access::Write => run.item.clone(),
        Access::ReadOnly => run.role.trim_start_matches("grid-").to_owned(),
    }
}

/// Keeps the commits that no look has seen before; before they are noted as seen.
pub(super) fn keep(state: &mut State, repository: &Repository) {
    let Some(change) = repository.since.as_deref() else { return };
    let new = |id: &&String| state.touches.get(&commit_name(id)).is_none();
    let commits: Vec<String> = change.commits.iter().filter(new).take(MOST_KEPT).cloned().collect();
    if commits.is_empty() {
        return;
    }
    let ended = state.core.life.ended.iter().map(|ended| &ended.run);
    let among = state.core.life.runs.iter().chain(ended).map(name).collect();
    let paths = change.paths.iter().take(MOST_KEPT).cloned().collect();
    let rows = change.touched.iter().filter(|row| commits.contains(&row.id));
    let touched = map_of(rows.take(MOST_APART).map(|row| (row.id.clone(), few(&row.paths))));
    state.core.unnamed.push(Unnamed { commits, among, paths, touched, told: false });
    let surplus = state.core.unnamed.len().saturating_sub(MOST_LOOKS);
    let gone: Vec<Unnamed> = state.core.unnamed.drain(..surplus).collect();
    for one in gone {
        let line = format!("no report names {}", one.words());
        for id in &one.among {
            state.blocks.change(id, |block| block::add_finding(block, line.clone()));
        }
    }
}

fn few(paths: &[String]) -> Vec<String> {
    paths.iter().take(MOST_OF_ONE).cloned().collect()
}

/// The commits and files that a report names, whatever its outcome.
pub(super) fn named(report: &ExecutorReport) -> (BTreeSet<String>, BTreeSet<String>) {
    let (summary, failure) = (report.summary.iter(), report.failure.iter());
    let threads = report.checkpoint.iter().flat_map(|one| &one.completed_threads);
    let commits = summary.clone().flat_map(|one| &one.commits);
    let commits = commits.chain(failure.clone().flat_map(|one| &one.commits));
    let commits = commits.chain(threads.clone().filter_map(|one| one.commit.as_ref()));
    let created = failure.flat_map(|one| &one.created);
    let files = created.chain(threads.flat_map(|one| &one.files)).map(|path| normal(path));
    let files = files.chain(summary.flat_map(|one| one.key_files.all()));
    (commits.map(|id| commit_name(id)).collect(), files.collect())
}

/// What reports name is unnamed no more.
pub(super) fn hear(state: &mut State, heard: &[Heard]) {
    for report in heard.iter().filter_map(Heard::executor) {
        let (commits, files) = named(report);
        for one in &mut state.core.unnamed {
            one.commits.retain(|id| !commits.contains(&commit_name(id)));
            one.touched.retain(|id, _| !commits.contains(&commit_name(id)));
            one.paths.retain(|path| !files.contains(path) || one.among.len() > 1);
        }
    }
    state.core.unnamed.retain(|one| !one.commits.is_empty());
}

pub(super) fn lists(block: &Block, path: &str) -> bool {
    block.plan.files_modified.iter().any(|own| meets(path, own))
}

/// A file of another block that is still open in this wave, changed while these were at work, of whom none is to
/// change it.
pub(super) fn reached_over(state: &mut State, repository: &Repository, heard: &[Heard]) {
    let Some(change) = repository.since.as_deref().filter(|one| one.descends) else { return };
    let runs = heard.iter().filter(|one| one.run.access == Access::Write);
    let ids: Vec<String> = runs.map(|one| one.run.item.clone()).collect();
    let at_work: Vec<&Block> = ids.iter().filter_map(|id| state.blocks.get(id)).collect();
    let allowed = |path: &str| at_work.iter().any(|one| lists(one, path) || one.plan.gap_closure);
    let mut reached: Vec<(String, String)> = Vec::new();
    for path in change.paths.iter().filter(|path| !ids.is_empty() && !allowed(path)) {
        let open = |one: &&Block| !one.status.rests() && !ids.contains(&one.id);
        let has = |one: &&Block| lists(one, path) || one.paths.contains(path);
        let owner = state.wave_blocks().filter(open).find(has);
        reached.extend(owner.map(|one| (path.clone(), one.id.clone())));
    }
    for (path, owner) in reached.into_iter().take(MOST_SHOWN) {
        let who = ids.join(" or ");
        let line = format!("{path}, a file of {owner}, was changed by {who}");
        let all = ids.iter().chain([&owner]).cloned().collect();
        overlap(state, &all, &path, line);
    }
}

/// Commits that no report will name any more, and that came while several were at work: each may have changed the
/// files of the others.
pub(super) fn tell(state: &mut State) {
    let mends = |id: &String| state.correction(Role::Executor, id).is_some();
    let due = |one: &Unnamed| !one.told && !one.among.iter().any(mends);
    let all: Vec<Unnamed> = state.core.unnamed.iter().filter(|one| due(one)).cloned().collect();
    for one in state.core.unnamed.iter_mut().filter(|one| all.contains(one)) {
        one.told = true;
    }
    for one in &all {
        let at_work: Vec<&Block> = one.among.iter().filter_map(|id| state.blocks.get(id)).collect();
        let several = at_work.len() > 1;
        let of = |path: &String| {
            let owner = at_work.iter().find(|block| several && lists(block, path))?;
            Some((path.clone(), owner.id.clone()))
        };
        let touched: Vec<(String, String)> = one.changed().iter().filter_map(of).collect();
        let commits = shown(one.commits.iter().map(|id| clip(id, 12)));
        for (path, owner) in touched.into_iter().take(MOST_SHOWN) {
            let others: Vec<&str> =
                one.among.iter().filter(|id| **id != owner).map(String::as_str).collect();
            let line = format!(
                "{path}, a file of {owner}, may have been changed by {} at once: no report names {commits}",
                others.join(" or ")
            );
            overlap(state, &one.among, &path, line);
        }
    }
}

/// What is the same as when both had said so: noted at the blocks, for those who verify, and among the concerns.
pub(super) fn overlap(state: &mut State, ids: &BTreeSet<String>, path: &str, line: String) {
    for id in ids {
        state.blocks.change(id, |one| block::add_finding(one, line.clone()));
    }
    let error = Error::new(Code::FileOverlap, path, "one block at a time", line);
    state.problem(&error);
}

/// Some of many, with how many more there are.
pub(super) fn shown(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(MOST_SHOWN);
    let some: Vec<String> = all.take(MOST_SHOWN).collect();
    match more {
        0 => some.join(", "),
        more => format!("{} and {more} more", some.join(", ")),
    }
}

impl Unnamed {
    /// What one of them changed, as far as that is known.
    pub(super) fn touched_by(&self, id: &str) -> Option<Vec<String>> {
        let only = self.touched.is_empty() && self.commits.len() == 1;
        let all = || only.then(|| self.paths.iter().cloned().collect());
        self.touched.get(id).cloned().or_else(all)
    }

    /// What all of them changed: where that is known of each no more than that.
    fn changed(&self) -> BTreeSet<String> {
        let each: Option<Vec<&Vec<String>>> =
            self.commits.iter().map(|id| self.touched.get(id)).collect();
        let known = each.filter(|all| all.iter().all(|paths| paths.len() < MOST_OF_ONE));
        match known {
            Some(all) => all.into_iter().flatten().cloned().collect(),
            None => self.paths.clone(),
        }
    }

    /// In words: which commits, who was at work, and what changed meanwhile.
    pub(super) fn words(&self) -> String {
        let who: Vec<&str> = self.among.iter().map(String::as_str).collect();
        let who = match who.as_slice() {
            [] => "nobody was".to_owned(),
            [one] => format!("{one} was"),
            many => format!("{} were", many.join(", ")),
        };
        let commits = shown(self.commits.iter().map(|id| clip(id, 12)));
        let paths = shown(self.changed().iter().map(|path| clip(path, 120)));
        let paths = if paths.is_empty() { paths } else { format!("; changed meanwhile: {paths}") };
        format!("{commits}, while {who} at work{paths}")
    }
}

/// All of them in words, those of one block if it is given; the latest last, and how many are not shown first.
pub(super) fn lines(all: &[Unnamed], block: Option<&str>) -> Vec<String> {
    let of = |one: &&Unnamed| block.is_none_or(|id| one.among.contains(id));
    let mut lines: Vec<String> = all.iter().filter(of).map(Unnamed::words).collect();
    let surplus = lines.len().saturating_sub(MOST_SHOWN);
    if surplus > 0 {
        lines.splice(..surplus, [format!("and {surplus} more times before these")]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_are_not_shown_is_said() {
        let one = |number: usize| Unnamed {
            commits: vec![format!("{number:040}")],
            among: BTreeSet::from(["01".to_owned()]),
            paths: BTreeSet::new(),
            touched: Default::default(),
            told: true,
        };
        let all: Vec<Unnamed> = (0..23).map(one).collect();
        let lines = lines(&all, Some("01"));
        assert_eq!((lines.len(), lines[0].as_str()), (21, "and 3 more times before these"));
        assert!(lines[1].contains("000000000"), "{}", lines[1]);
        assert_eq!(super::lines(&all[..20], None).len(), 20);
        assert!(super::lines(&all, Some("02")).is_empty());
    }
}
