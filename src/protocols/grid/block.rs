//! What an executor's report does to its block: executed, waiting for a person, or failed.
//!
//! The outcome is the word of a field. A block that was executed claims all its must-haves. A failure is
//! retried with everything that is known about it and without what it forbids. If a report has an architectural
//! change that nobody allowed, the whole report waits until the user has answered.

use super::checkpoint::{checkpoint, look_again};
use super::commits;
use super::failures::{fail, forbidden, forbidden_again, remember, tried};
use super::report::{Deviation, ExecutorReport, Failure, Proof, Status, Summary, outcome};
use super::reverts;
use super::scratchpad::Entry;
use super::state::{Block, BlockStatus, State};
use crate::mission::prelude::*;
use crate::vocab::event::RunOutcome;
use crate::vocab::evidence::normal;
use crate::vocab::table::ids_of;

/// The most deviations of one block that are kept, in addition to architectural changes.
const MOST_DEVIATIONS: usize = 100;
/// The most architectural changes that one question is about.
pub(super) const MOST_CHANGES: usize = 20;
/// The most findings of one block that are kept.
const MOST_FINDINGS: usize = 30;

/// Checks a report against its run before anything of it counts.
///
/// # Errors
/// `wrong_subject` for another block, `inconsistent_verdict` where the end of the run contradicts it.
pub(super) fn fits(run: &Run, outcome: RunOutcome, report: &ExecutorReport) -> Result<()> {
    ensure!(report.block == run.item, Code::WrongSubject, "block", &run.item, &report.block)?;
    let contradicts = match outcome {
        RunOutcome::Success | RunOutcome::Partial => false,
        RunOutcome::Checkpoint => report.status != Status::Checkpoint,
        RunOutcome::Failed | RunOutcome::Lost => report.status != Status::Failure,
    };
    ensure(!contradicts, || {
        let got = format!("{:?} of a run that ended otherwise", report.status);
        Error::new(Code::InconsistentVerdict, "status", "the word for how the run ended", got)
    })
}

/// Takes a readable report over what was seen after its run.
///
/// # Errors
/// A part of a success that does not fit the facts; the run is asked to correct it.
pub(super) fn take(
    state: &mut State,
    run: &Run,
    report: &ExecutorReport,
    repository: &Repository,
) -> Result<()> {
    if report.status == Status::Success {
        commits::seen(state, run, report, repository)?;
    }
    outcome::consistent(report)?;
    let found = told_as_found(run, report, repository);
    let report = found.as_ref().unwrap_or(report);
    listen(state, run, report);
    match report.status {
        Status::Failure => {
            let failure = report.failure.clone().unwrap_or_default();
            let forbidden = forbidden_again(state, &run.item, &tried(report));
            fail(state, &run.item, failure, forbidden);
        }
        Status::Checkpoint => checkpoint(state, &run.item, report),
        Status::Success if look_again(state, &run.item, report) => {}
        Status::Success => succeed(state, run, report, repository),
    }
    Ok(())
}

/// A success over a head that did not move since its run began did not do the work: it says so, whether
/// its run thought of it or not.
fn told_as_found(
    run: &Run,
    report: &ExecutorReport,
    repository: &Repository,
) -> Option<ExecutorReport> {
    let still = report.status == Status::Success && run.before.head == repository.head;
    let summary = report.summary.clone().filter(|one| still && !one.already_there)?;
    let listed = !summary.commits.is_empty() || summary.key_files.all().next().is_some();
    listed.then(|| ExecutorReport {
        summary: Some(Summary { already_there: true, ..summary }),
        ..report.clone()
    })
}

/// What a refused success says must not be tried again is kept: it was found out, whatever else does not fit.
pub(super) fn keep_forbidden(state: &mut State, run: &Run, report: &ExecutorReport, fault: &Error) {
    let Some(failure) = &report.failure else { return };
    let known = state.blocks.get(&run.item).map(forbidden).unwrap_or_default();
    let told = |line: &String| known.contains(&one_line(line));
    if failure.do_not_retry.iter().all(told) {
        return;
    }
    let hypothesis = failure.hypothesis.clone().or_else(|| Some(fault.to_string()));
    let failure = Failure { hypothesis, ..failure.clone() };
    state.blocks.change(&run.item, |block| remember(block, failure));
}

/// Lessons, entries and deviations count whatever the outcome.
fn listen(state: &mut State, run: &Run, report: &ExecutorReport) {
    state.core.warmth.merge(&report.lessons_learned);
    let writing = state.blocks.get(&run.item).and_then(|block| block.writing.as_ref());
    let (at, entries) = writing.map_or((0, 0), |writing| (writing.at, writing.entries));
    let mut more = 0;
    for form in &report.scratchpad {
        let entry = Entry::of(form, program(&run.item), run.by.run, at);
        more += u32::from(super::files::enter(state, entry));
    }
    // A run that only corrects a report has done the work in an earlier run, and may have written there.
    let silent = entries + more == 0 && run.corrects.is_none();
    let deviations = report.deviations.clone();
    state.core.counts.deviations += u64::try_from(deviations.len()).unwrap_or(0);
    state.core.counts.silent_executions += u64::from(silent);
    let lessons = report.lessons_learned.clone();
    let approaches = report.approaches.iter().map(|line| one_line(line)).collect();
    // The words of a finished block are in its summary.
    let along = match report.status {
        Status::Success => Vec::new(),
        Status::Checkpoint | Status::Failure => outcome::along(report),
    };
    let said = [approaches, report.beside.clone(), vec![report.prose.clone()], along];
    state.blocks.change(&run.item, |block| {
        block.lessons.merge(&lessons);
        let known = [&mut block.approaches, &mut block.beside, &mut block.prose, &mut block.along];
        for (known, more) in known.into_iter().zip(said) {
            add(known, more);
        }
        for one in deviations.into_iter().map(in_line) {
            reverts::named_again(block, &one);
            // An architectural change is never forgotten before the user has spoken.
            let room = block.deviations.len() < MOST_DEVIATIONS || one.rule == 4;
            let same = |known: &&mut Deviation| {
                known.rule == one.rule && known.description == one.description
            };
            match block.deviations.iter_mut().find(same) {
                Some(known) => {
                    let more = one.files.iter().filter(|path| !known.files.contains(path));
                    let more: Vec<String> = more.cloned().collect();
                    known.files.extend(more);
                }
                None if room => block.deviations.push(one),
                None => add_finding(
                    block,
                    format!("beyond {MOST_DEVIATIONS} deviations: {}", one.cited()),
                ),
            }
        }
        if silent {
            add_finding(block, "its executor wrote nothing to the scratchpad".to_owned());
        }
    });
}

pub(super) fn in_line(deviation: Deviation) -> Deviation {
    let files = deviation.files.iter().map(|path| normal(path));
    let description = one_line(&deviation.description);
    Deviation { rule: deviation.rule, description, files: files.collect() }
}

/// The prefix of a block's id in the signature of its executor.
pub(super) const SIGNS: &str = "executor-";

/// How an executor of a block signs.
pub(super) fn program(block: &str) -> String {
    format!("{SIGNS}{block}")
}

/// Something noteworthy about a block, for those who verify.
pub(super) fn add_finding(block: &mut Block, finding: String) {
    match block.findings.len() < MOST_FINDINGS {
        _ if block.findings.contains(&finding) => {}
        true => block.findings.push(finding),
        false => block.unkept = block.unkept.saturating_add(1),
    }
}

/// Adds what is not there yet, and says something.
pub(super) fn add(known: &mut Vec<String>, more: Vec<String>) {
    for one in more {
        if !one.is_empty() && !known.contains(&one) {
            known.push(one);
        }
    }
}

/// Notes about a block, how many of them are not kept, and the extra fields of its reports.
pub(super) fn noted(block: &Block) -> Vec<String> {
    let more = (block.unkept > 0).then(|| format!("and {} more", block.unkept));
    let beside = block.beside.iter().map(|line| format!("said beside the form: {line}"));
    block
        .findings
        .iter()
        .cloned()
        .chain(more)
        .chain(beside)
        .chain(block.along.iter().cloned())
        .collect()
}

/// Architectural changes of a block that the user has not been asked about, whichever report named them.
pub(super) fn undecided(block: &Block) -> impl Iterator<Item = &String> {
    let four = block.deviations.iter().filter(|one| one.rule == 4);
    let lines = four.map(|one| &one.description);
    let refused = |line: &String| block.to_take_back().any(|one| one.change == *line);
    lines.filter(move |line| {
        !block.allowed.contains(line) && !block.asked.contains(line) && !refused(line)
    })
}

/// Those that the next question lists.
pub(super) fn listed(block: &Block) -> Vec<String> {
    undecided(block).take(MOST_CHANGES).cloned().collect()
}

fn succeed(state: &mut State, run: &Run, report: &ExecutorReport, repository: &Repository) {
    let change = state.blocks.get(&run.item).and_then(|block| undecided(block).next().cloned());
    let change = change.map(|change| format!("architectural change: {change}"));
    let again = forbidden_again(state, &run.item, &tried(report));
    if let Some(line) = &again {
        let at = format!("block {}", run.item);
        let problem = Error::new(Code::ForbiddenRetry, at, "another approach", line);
        state.core.life.last_problem = Some(problem.diagnostic());
    }
    if let Some(why) = change.or(again) {
        State::note(&mut state.core.concerns, format!("{}: {why}", run.item));
        let held = Box::new(report.clone());
        let by = run.by.clone();
        state.blocks.change(&run.item, |block| {
            reverts::keep_touched(block, report, repository);
            block.held = Some(held);
            block.executed_by = Some(by);
        });
        return state.set_status(&run.item, BlockStatus::Stuck);
    }
    let by = run.by.clone();
    state.blocks.change(&run.item, |block| block.executed_by = Some(by));
    execute(state, &run.item, report);
}

/// The block is executed: its must-haves are claimed, and so are the gaps it closes.
pub(super) fn execute(state: &mut State, id: &str, report: &ExecutorReport) {
    let again = forbidden_again(state, id, &tried(report));
    let summary = report.summary.clone().map(|one| Box::new(whole(state, id, one)));
    if let Some(summary) = &summary {
        for decision in &summary.decisions {
            State::note(&mut state.core.decisions, format!("{id}: {decision}"));
        }
    }
    state.core.counts.executed += 1;
    let claims = report.claims.clone();
    state.blocks.change(id, |block| {
        let Some(by) = block.executed_by.clone() else { return };
        for criterion in block.criteria.iter_mut().filter(|one| !one.waived()) {
            let proof = claims.iter().find(|one| of(id, one) == criterion.id);
            let evidence = proof.map(|one| one.evidence.clone()).unwrap_or_default();
            criterion.state = CriterionState::Claimed { by: by.clone(), evidence };
        }
        for claim in &claims {
            let closes = block.plan.closes.contains(&claim.criterion);
            if !closes && !block.criteria.iter().any(|one| one.id == of(id, claim)) {
                let odd = clip(&one_line(&claim.criterion), 80);
                add_finding(block, format!("it claims {odd}, which is no must-have of it"));
            }
        }
        if let Some(line) = again {
            add_finding(block, line);
        }
        if summary.as_ref().is_some_and(|summary| summary.already_there) {
            let line = "its executor found the work there already and committed nothing";
            add_finding(block, line.to_owned());
        }
        block.paths.extend(summary.iter().flat_map(|one| one.key_files.all()));
        block.summary = summary;
        block.held = None;
        block.touched.clear();
        block.resume = None;
    });
    claim_gaps(state, id, &claims);
    state.set_status(id, BlockStatus::Executed);
    super::files::summarise(state, id);
}

/// A summary with what earlier runs of the block made: commits and files of threads that were done before a checkpoint,
/// and of attempts that failed. What was never seen to come is not taken over.
fn whole(state: &State, id: &str, summary: Summary) -> Summary {
    let Some(block) = state.blocks.get(id) else { return summary };
    let threads = || block.resume.iter().flat_map(|one| &one.threads);
    let seen = |commit: &&String| state.touches.get(&commits::commit_name(commit)).is_some();
    let earlier = block.failures.iter().flat_map(|one| &one.commits);
    let earlier = earlier.chain(threads().filter_map(|one| one.commit.as_ref())).filter(seen);
    let mut commits: Vec<String> = Vec::new();
    for commit in earlier.chain(&summary.commits) {
        let name = commits::commit_name(commit);
        if !commits.iter().any(|known| commits::commit_name(known) == name) {
            commits.push(commit.clone());
        }
    }
    let mut files = summary.key_files.clone();
    let made = |path: &&String| state.touches.get(&crate::vocab::evidence::normal(path)).is_some();
    let mut add = |path: &String, new: bool| {
        if !files.all().any(|known| known == crate::vocab::evidence::normal(path)) {
            if new { &mut files.created } else { &mut files.modified }.push(path.clone());
        }
    };
    let created = block.failures.iter().flat_map(|one| &one.created);
    created.filter(made).for_each(|path| add(path, true));
    threads().flat_map(|one| &one.files).filter(made).for_each(|path| add(path, false));
    Summary { commits, key_files: files, ..summary }
}

/// The must-have that a claim speaks of; prompts name it with its block.
pub(super) fn of<'a>(id: &str, claim: &'a Proof) -> &'a str {
    let name = claim.criterion.trim();
    name.strip_prefix(id).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name)
}

/// A block that closes gaps claims what they are about, with the proof it has.
fn claim_gaps(state: &mut State, id: &str, claims: &[Proof]) {
    let Some(block) = state.blocks.get(id).filter(|block| block.plan.gap_closure) else { return };
    let (by, closes) = (block.executed_by.clone(), block.plan.closes.clone());
    let sessions = block.sessions.clone();
    let Some(by) = by else { return };
    let others = ids_of(
        state.blocks.live().filter(|one| one.status == BlockStatus::Executed && one.id != id),
    );
    for other in others {
        let named =
            |one: &Criterion| closes.is_empty() || closes.contains(&format!("{other}/{}", one.id));
        let open = |one: &Criterion| {
            matches!(one.state, CriterionState::Open | CriterionState::Rejected { .. })
        };
        state.blocks.change(&other, |block| {
            for criterion in block.criteria.iter_mut().filter(|one| open(one) && named(one)) {
                block.sessions.extend(sessions.iter().cloned());
                let name = format!("{other}/{}", criterion.id);
                let proof = claims.iter().find(|one| one.criterion.trim() == name);
                let evidence = proof.map(|one| one.evidence.clone()).unwrap_or_default();
                criterion.state = CriterionState::Claimed { by: by.clone(), evidence };
            }
        });
    }
}
