//! The files that verdicts rest on. A verdict that cites files was given on those files as they were. If a later commit
//! touches one of them, or a path above or below it, its criterion is open again and judged again. Evidence that names
//! a file which is not there shows nothing.

use super::report::{self, Report};
use super::state::{Check, Grounds, Sprint, State};
use crate::mission::life::{Ended, Run};
use crate::vocab::criterion::CriterionState;
use crate::vocab::evidence::Evidence;
use crate::vocab::repository::{PRESENT, PathDigest, Repository, Seen};
use crate::vocab::table::Ledgered;
use crate::vocab::verdict::Speaker;
use std::collections::BTreeSet;

/// The most places that are looked at for the reports of one run; evidence beyond shows nothing.
const MOST_PLACES: usize = 600;

/// Where a path that an agent wrote may lie: from the root of the repository, from where the plan lies, or from the
/// directory of the unit.
fn places(state: &State, sprint: &str, path: &str) -> BTreeSet<String> {
    let folders = ["", &state.core.settings.root, state.place(sprint)];
    let joined = folders.map(|folder| {
        let parts = folder.split('/').chain(path.split('/'));
        let parts: Vec<&str> = parts.filter(|part| !matches!(*part, "" | ".")).collect();
        parts.join("/")
    });
    joined.into_iter().collect()
}

/// All evidence of a report.
fn evidence(report: &Report) -> Vec<&Evidence> {
    match report {
        Report::Agent(report) => report.claims.iter().flat_map(|one| &one.evidence).collect(),
        Report::Verifier(report) => report.verdicts.iter().flat_map(|one| &one.evidence).collect(),
    }
}

/// The places that a report on a sprint names as files.
fn named(state: &State, sprint: &str, report: &Report) -> BTreeSet<String> {
    let files = evidence(report).into_iter().filter_map(file);
    let all = files.flat_map(|path| places(state, sprint, path));
    let mut named = BTreeSet::new();
    for place in all {
        if named.len() < MOST_PLACES {
            named.insert(place);
        }
    }
    named
}

/// The places that the report of a run names, if it has one.
fn named_by(state: &State, ended: &Ended) -> BTreeSet<String> {
    let report = report::of(state, ended);
    report.map(|report| named(state, &ended.run.item, &report)).unwrap_or_default()
}

/// The file that a piece of evidence names as a path from the root. Tests are named in the words of their runner.
fn file(one: &Evidence) -> Option<&str> {
    match one {
        Evidence::File { .. } => one.path(),
        Evidence::Test { .. } | Evidence::Command { .. } | Evidence::Manual { .. } => None,
    }
}

/// What a look is to find out about the reports that wait for it.
pub(super) fn wanted(state: &State) -> Vec<PathDigest> {
    let all: BTreeSet<String> =
        state.core.life.ended.iter().flat_map(|ended| named_by(state, ended)).collect();
    let known = |path: String| PathDigest { path, digest: PRESENT.to_owned() };
    all.into_iter().map(known).collect()
}

/// Whether a look that was ordered with `asked` found out about all files that a report names.
pub(super) fn looked_at(state: &State, ended: &Ended, asked: &[PathDigest]) -> bool {
    let asked: BTreeSet<&str> = asked.iter().map(|one| one.path.as_str()).collect();
    named_by(state, ended).iter().all(|path| asked.contains(path.as_str()))
}

/// Takes evidence out that names a file where there is none; answers with those paths.
pub(super) fn strip(
    state: &State,
    sprint: &str,
    report: &mut Report,
    repository: &Repository,
) -> Vec<String> {
    let named = named(state, sprint, report);
    let absent = repository.files.iter().filter(|file| file.seen == Seen::Absent);
    let absent: BTreeSet<&str> = absent.map(|file| file.path.as_str()).collect();
    let there = |path: &str| {
        let all = places(state, sprint, path);
        all.iter().any(|place| named.contains(place) && !absent.contains(place.as_str()))
    };
    let mut gone = BTreeSet::new();
    let mut keep = |one: &Evidence| match file(one).filter(|path| !there(path)) {
        Some(path) => {
            gone.insert(path.to_owned());
            false
        }
        None => true,
    };
    match report {
        Report::Agent(report) => {
            report.claims.iter_mut().for_each(|one| one.evidence.retain(&mut keep));
            let told =
                |path: &String| format!("your evidence names {path}, and no such file is there");
            report.remaining.extend(gone.iter().map(told));
        }
        Report::Verifier(report) => {
            report.verdicts.iter_mut().for_each(|one| one.evidence.retain(&mut keep));
        }
    }
    gone.into_iter().collect()
}

/// What a verdict that holds rests on.
pub(super) fn of(
    state: &CriterionState,
    verdict: &[Evidence],
    ordinal: u64,
    before: Option<&Grounds>,
) -> Grounds {
    let (claimed_by, claim): (Option<Speaker>, Vec<Evidence>) = match state {
        CriterionState::Claimed { by, evidence } => (Some(by.clone()), evidence.clone()),
        CriterionState::Verified { claimed_by, .. } => {
            (claimed_by.clone(), before.map(|before| before.claim.clone()).unwrap_or_default())
        }
        CriterionState::Open | CriterionState::Rejected { .. } | CriterionState::Waived { .. } => {
            (None, Vec::new())
        }
    };
    Grounds { claimed_by, claim, verdict: verdict.to_vec(), ordinal }
}

/// Criteria that a verifier found to hold, and whose files were touched since.
pub(super) fn lapsed(state: &State, sprint: &Sprint) -> Vec<String> {
    let Some(heads) = state.core.life.seen.as_ref().map(|seen| seen.heads()) else {
        return Vec::new();
    };
    let judged = sprint.left_to(Check::Verifier).filter(|one| one.settled());
    let stale = |id: &String| {
        let Some(grounds) = sprint.grounds.get(id) else { return false };
        let cited = grounds.claim.iter().chain(&grounds.verdict).filter_map(Evidence::path);
        let mut cited = cited.flat_map(|path| places(state, &sprint.id, path));
        let rewritten = grounds.ordinal <= heads.stale_before;
        grounds.ordinal != heads.ordinal
            && cited.any(|path| rewritten || touched(&state.touches, &path, grounds.ordinal))
    };
    judged.map(|one| one.id.clone()).filter(stale).collect()
}

/// Whether a path, or what lies above or below it, was touched after a head.
fn touched(touches: &Ledgered, path: &str, ordinal: u64) -> bool {
    let above = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    above.chain([path]).any(|path| touches.get(path).is_some_and(|when| when > ordinal))
        || touches.beginning(&format!("{path}/")).any(|when| when > ordinal)
}

/// Reopens these criteria: they are claimed as they were, and not judged.
pub(super) fn reopen(sprint: &mut Sprint, ids: &[String]) {
    for id in ids {
        let found = sprint.criteria.iter_mut().find(|one| one.id == *id && !one.waived());
        let Some(one) = found else { continue };
        one.state = match sprint.grounds.remove(id) {
            Some(Grounds { claimed_by: Some(by), claim, .. }) if !claim.is_empty() => {
                CriterionState::Claimed { by, evidence: claim }
            }
            _ => CriterionState::Open,
        };
    }
}

/// Before the work of a run is weighed: what it, or others since, touched of what earlier verdicts rest on.
pub(super) fn before_weighing(state: &mut State, run: &Run) {
    let ids = state.sprints.get(&run.item).map(|sprint| lapsed(state, sprint)).unwrap_or_default();
    if !ids.is_empty() {
        state.sprints.change(&run.item, |sprint| reopen(sprint, &ids));
    }
}
