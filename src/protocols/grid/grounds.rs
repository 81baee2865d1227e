//! What evidence rests on. A place in a file shows something only where that file is: each look finds out about the
//! files that the reports waiting for it name.

use super::plan::normal;
use super::report::{ExecutorReport, RecognizerReport, Report};
use super::state::{Ended, State};
use crate::vocab::effect::Level;
use crate::vocab::error::{Code, Error, Result, clip};
use crate::vocab::evidence::{Evidence, Finding, weigh};
use crate::vocab::repository::{PRESENT, PathDigest, Repository, Seen};
use std::collections::BTreeSet;

/// The most files that are looked for on behalf of one run; a place beyond shows nothing.
const MOST_FILES: usize = 600;
/// The longest path that is looked for, in bytes.
const LONGEST: usize = 400;

/// The file that a piece of evidence names, in one spelling. Tests are named in the words of their runner.
fn file(one: &Evidence) -> Option<String> {
    match one {
        Evidence::File { .. } => one.path().map(normal),
        Evidence::Test { .. } | Evidence::Command { .. } | Evidence::Manual { .. } => None,
    }
}

/// The files that are looked for on behalf of a run.
fn named<'a>(evidence: impl Iterator<Item = &'a Evidence>) -> BTreeSet<String> {
    let plain = |path: &String| {
        !path.is_empty() && path.len() <= LONGEST && !path.chars().any(char::is_control)
    };
    let mut named = BTreeSet::new();
    for path in evidence.filter_map(file).filter(plain) {
        if named.len() < MOST_FILES {
            named.insert(path);
        }
    }
    named
}

fn claimed(report: &ExecutorReport) -> BTreeSet<String> {
    named(report.claims.iter().flat_map(|one| &one.evidence))
}

/// Only rows that say that something holds: that a file is missing is what others may say.
fn judged(report: &RecognizerReport) -> BTreeSet<String> {
    let rows = report.verdicts.iter().filter(|row| row.finding == Finding::Holds);
    named(rows.flat_map(|row| &row.evidence))
}

fn of_ended(ended: &Ended) -> BTreeSet<String> {
    match ended.report.as_deref() {
        Some(Report::Executor(report)) => claimed(report),
        Some(Report::Recognizer(report)) => judged(report),
        Some(
            Report::Planner(_)
            | Report::Debugger(_)
            | Report::Lead(_)
            | Report::Swarm(_)
            | Report::Learner(_),
        )
        | None => BTreeSet::new(),
    }
}

/// What a look is to find out about the reports that wait for it.
pub(super) fn wanted(state: &State) -> impl Iterator<Item = PathDigest> {
    let all: BTreeSet<String> = state.core.ended.iter().flat_map(of_ended).collect();
    all.into_iter().map(|path| PathDigest { path, digest: PRESENT.to_owned() })
}

/// Whether a look that was ordered with `asked` finds out about all that is wanted.
pub(super) fn looked_at(state: &State, asked: &[PathDigest]) -> bool {
    let asked: BTreeSet<&str> = asked.iter().map(|one| one.path.as_str()).collect();
    wanted(state).all(|one| asked.contains(one.path.as_str()))
}

fn there(mut named: BTreeSet<String>, repository: &Repository) -> BTreeSet<String> {
    for file in repository.files.iter().filter(|file| file.seen == Seen::Absent) {
        named.remove(&file.path);
    }
    named
}

/// Takes evidence out that names a file where there is none; answers with those paths.
fn strip(evidence: &mut Vec<Evidence>, there: &BTreeSet<String>) -> Vec<String> {
    let mut gone = Vec::new();
    evidence.retain(|one| match file(one).filter(|path| !there.contains(path)) {
        Some(path) => {
            gone.push(clip(&path, 200));
            false
        }
        None => true,
    });
    gone
}

/// What an executor brought without a file counts for nothing, and those who judge are told.
pub(super) fn proven(state: &mut State, report: &mut ExecutorReport, repository: &Repository) {
    let there = there(claimed(report), repository);
    let mut told = Vec::new();
    for claim in &mut report.claims {
        let of = clip(&claim.criterion, 40);
        let gone = strip(&mut claim.evidence, &there).into_iter();
        told.extend(
            gone.map(|path| format!("its proof of {of} names {path}: no such file is there")),
        );
    }
    state.blocks.change(&report.block, |block| {
        told.into_iter().for_each(|line| super::block::add_finding(block, line));
    });
}

/// What a recognizer brought without a file shows nothing. Where that was all it brought it is told so.
///
/// # Errors
/// `evidence_missing` for a row that has nothing else to show for what it says.
pub(super) fn shown(
    state: &mut State,
    report: &mut RecognizerReport,
    repository: &Repository,
) -> Result<()> {
    let there = there(judged(report), repository);
    for row in report.verdicts.iter_mut().filter(|row| row.finding == Finding::Holds) {
        let gone = strip(&mut row.evidence, &there).join(", ");
        if gone.is_empty() {
            continue;
        }
        let at = clip(&format!("verdicts: {}/{}", row.block, row.criterion), 200);
        let got = format!("{gone}: no such file is there");
        let fault =
            Error::new(Code::EvidenceMissing, at, "evidence from files of the repository", got);
        if weigh(&row.evidence) != Finding::Holds {
            return Err(fault);
        }
        state.core.files.say(Level::Warning, fault.to_string());
    }
    Ok(())
}
