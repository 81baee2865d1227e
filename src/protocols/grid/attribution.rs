//! Attribution of the commits that reports name.
//!
//! A report may name the work of another block, and a commit may carry files of another block: both are noticed. If two
//! blocks name a commit, it belongs to the one whose plan lists its changes; if that does not decide, both
//! are told. A path in a named commit that belongs to another block counts as an overlap. Those who judge are told of a
//! path that neither report nor plan names.

use super::block;
use super::commits::commit_name;
use super::observe::Heard;
use super::report::{ExecutorReport, Status};
use super::state::{Block, State};
use super::unattributed::{MOST_SHOWN, lists, named, overlap, shown};
use crate::mission::prelude::*;
use crate::vocab::repository::Change;

/// What one executor that ended says it made.
struct Said {
    block: String,
    succeeds: bool,
    commits: BTreeSet<String>,
    files: BTreeSet<String>,
}

impl Said {
    fn of(heard: &Heard) -> Option<Said> {
        let (commits, files) = named(heard.executor()?);
        let succeeds = heard.success().is_some();
        Some(Said { block: heard.run.item.clone(), succeeds, commits, files })
    }
}

const NOBODY: &str = "nobody can tell whose it is";

/// Whether a block was told that a commit of this name is perhaps another's, too: it may name it again.
pub(super) fn shared(block: &Block, name: &str) -> bool {
    let mut told = block.findings.iter();
    told.any(|line| line.starts_with(name) && line.ends_with(NOBODY))
}

/// Commits that a block must not count as its own, each with the block whose it is.
pub(super) type Others = BTreeMap<String, BTreeMap<String, String>>;

/// Tells what the commits that are named for the first time carry of others; answers with what is not a block's own.
/// Call it while they still count as commits without a name.
pub(super) fn weigh(state: &mut State, repository: &Repository, heard: &[Heard]) -> Others {
    let all: Vec<Said> = heard.iter().filter_map(Said::of).collect();
    let mut others = Others::new();
    let names: BTreeSet<&String> = all.iter().flat_map(|said| &said.commits).collect();
    for name in names {
        let Some((id, paths)) = came(state, repository.since.as_deref(), name) else { continue };
        let by: Vec<&Said> = all.iter().filter(|said| said.commits.contains(name)).collect();
        match (by.as_slice(), owner(state, &by, &paths)) {
            ([one], _) => carries(state, one, &all, &id, &paths),
            (many, Some(owner)) => {
                for said in many {
                    if said.block == owner {
                        carries(state, said, &all, &id, &paths);
                        continue;
                    }
                    let of = others.entry(said.block.clone()).or_default();
                    of.insert(name.clone(), owner.clone());
                }
            }
            (many, None) => of_several(state, many, &id),
        }
        beside(state, &by, &all, &id, &paths);
    }
    others
}

/// A commit that no report named before, and what it changed as far as that is known.
fn came(state: &State, since: Option<&Change>, name: &str) -> Option<(String, Vec<String>)> {
    let is = |id: &&String| commit_name(id) == name;
    let new = since.and_then(|change| Some((change, change.commits.iter().find(is)?)));
    if let Some((change, id)) = new {
        let paths = change.touched_by(id).unwrap_or_default();
        return Some((id.clone(), paths.to_vec()));
    }
    let kept = state.core.unnamed.iter().find_map(|one| Some((one, one.commits.iter().find(is)?)));
    kept.map(|(one, id)| (id.clone(), one.touched_by(id).unwrap_or_default()))
}

/// The only one of those who name a commit whose plan lists something of it, where the plans of the others say that
/// they change something else.
fn owner(state: &State, by: &[&Said], paths: &[String]) -> Option<String> {
    let blocks: Vec<&Block> = by.iter().filter_map(|said| state.blocks.get(&said.block)).collect();
    let told = blocks.iter().all(|block| !block.plan.files_modified.is_empty());
    let mut owners =
        blocks.iter().filter(|block| paths.iter().any(|path| lists(block, path))).take(2);
    match (owners.next(), owners.next()) {
        (Some(only), None) if told => Some(only.id.clone()),
        _ => None,
    }
}

/// Nobody can tell which of them made it: both are told, and so is who judges.
fn of_several(state: &mut State, by: &[&Said], id: &str) {
    let ids: BTreeSet<String> = by.iter().map(|said| said.block.clone()).collect();
    let who: Vec<&str> = ids.iter().map(String::as_str).collect();
    let id = clip(id, 12);
    let line = format!("commit {id} is named by {}: {NOBODY}", who.join(" and "));
    overlap(state, &ids, &format!("commit {id}"), line);
}

/// What a commit of one block carries that is another's.
fn carries(state: &mut State, said: &Said, all: &[Said], id: &str, paths: &[String]) {
    let of = |path: &&String| !own(state, said, path);
    let mut reached = Vec::new();
    for path in paths.iter().filter(of) {
        let other = all.iter().find(|other| other.block != said.block && has(state, other, path));
        reached.extend(other.map(|other| (path.clone(), other.block.clone())));
    }
    for (path, other) in reached.into_iter().take(MOST_SHOWN) {
        let (who, id) = (&said.block, clip(id, 12));
        let line = format!("{path}, a file of {other}, was changed by {who} in {id}");
        overlap(state, &BTreeSet::from([who.clone(), other]), &path, line);
    }
}

/// The paths of a commit that no block at work has, by a report or a plan.
fn beside(state: &mut State, by: &[&Said], all: &[Said], id: &str, paths: &[String]) {
    let named = |path: &String| by.iter().any(|said| said.files.contains(path));
    let known = |path: &String| all.iter().any(|said| has(state, said, path));
    let odd: Vec<String> = paths
        .iter()
        .filter(|path| !named(path) && !known(path))
        .map(|path| clip(path, 120))
        .collect();
    if odd.is_empty() {
        return;
    }
    let (id, odd) = (clip(id, 12), shown(odd.into_iter()));
    let line = format!("its commit {id} changes what neither its report nor its plan names: {odd}");
    for said in by {
        state.blocks.change(&said.block, |block| block::add_finding(block, line.clone()));
    }
}

/// Whether a path is one's own by its plan; who closes gaps may change what they are about.
fn own(state: &State, said: &Said, path: &str) -> bool {
    let block = state.blocks.get(&said.block);
    block.is_some_and(|block| block.plan.gap_closure || lists(block, path))
}

/// Whether a path is another's who ended at the same time: by its plan, by what it touched before, or by its report.
fn has(state: &State, other: &Said, path: &String) -> bool {
    let block = state.blocks.get(&other.block);
    let known = block.is_some_and(|block| lists(block, path) || block.paths.contains(path));
    known || (other.succeeds && other.files.contains(path))
}

/// A success names no commit that is another's.
///
/// # Errors
/// `no_commit` with the commit and the block whose it is.
pub(super) fn only_own(others: &Others, report: &ExecutorReport) -> Result<()> {
    let Some(others) = others.get(&report.block) else { return Ok(()) };
    let named = report.summary.iter().flat_map(|summary| &summary.commits);
    let found = named.filter_map(|id| Some((id, others.get(&commit_name(id))?))).next();
    ensure_none(found.filter(|_| report.status == Status::Success), |(id, owner)| {
        let expected = "commits of this block, or `already_there` in the summary";
        let got = format!("{}, which changes files of {owner}, who names it", clip(id, 12));
        Error::new(Code::NoCommit, "summary.commits", expected, got)
    })
}
