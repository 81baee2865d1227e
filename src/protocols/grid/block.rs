//! What an executor's report does to its block: executed, waiting for a person, or failed.
//!
//! The outcome is the word of a field. A block that was executed claims all its must-haves; a failure is
//! tried again with everything that is known about it and nothing of what it forbids; an architectural
//! change that nobody allowed holds the whole report back until the user has spoken.

use super::history;
use super::report::{CheckpointType, Deviation, ExecutorReport, Failure, Status, Summary};
use super::scratchpad::Entry;
use super::state::{Block, BlockStatus, Passed, Resume, Run, State};
use crate::vocab::criterion::{Criterion, CriterionState};
use crate::vocab::error::{Code, Error, Result, clip};
use crate::vocab::event::RunOutcome;
use crate::vocab::repository::Repository;
use crate::vocab::text::one_line;

/// The fewest letters of an abbreviated commit id.
const LEAST_OF_ID: usize = 7;
/// How many lost runs of a block cost it no attempt.
const MOST_LOST: u32 = 10;
/// The most failures of one block that are kept.
const MOST_FAILURES: usize = 10;
/// The most deviations of one block that are kept, beside architectural changes.
const MOST_DEVIATIONS: usize = 100;
/// The most architectural changes that one question is about.
const MOST_CHANGES: usize = 20;
/// The most findings of one block that are kept.
const MOST_FINDINGS: usize = 30;

/// Checks a report against its run before anything of it counts.
///
/// # Errors
/// `wrong_subject` for another block, `inconsistent_verdict` where the end of the run contradicts it.
pub(super) fn fits(run: &Run, outcome: RunOutcome, report: &ExecutorReport) -> Result<()> {
    if report.block != run.item {
        return Err(Error::new(Code::WrongSubject, "block", &run.item, &report.block));
    }
    let contradicts = match outcome {
        RunOutcome::Success | RunOutcome::Partial => false,
        RunOutcome::Checkpoint => report.status != Status::Checkpoint,
        RunOutcome::Failed | RunOutcome::Lost => report.status != Status::Failure,
    };
    match contradicts {
        false => Ok(()),
        true => {
            let got = format!("{:?} of a run that ended otherwise", report.status);
            Err(Error::new(
                Code::InconsistentVerdict,
                "status",
                "the word for how the run ended",
                got,
            ))
        }
    }
}

/// Takes a readable report over what was seen after its run.
///
/// # Errors
/// What of a success does not fit what was seen; the run is asked to mend it.
pub(super) fn take(
    state: &mut State,
    run: &Run,
    report: &ExecutorReport,
    repository: &Repository,
) -> Result<()> {
    if report.status == Status::Success {
        seen(state, run, report, repository)?;
    }
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
        Status::Success => succeed(state, run, report),
    }
    state.step_done(run.role, &run.item);
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

/// What is learned, written and done beside the plan counts whatever the outcome.
fn listen(state: &mut State, run: &Run, report: &ExecutorReport) {
    state.core.warmth.merge(&report.lessons_learned);
    let at = run.wrote_at;
    let mut more = 0;
    for form in &report.scratchpad {
        let entry = Entry::of(form, program(&run.item), run.by.run, at);
        more += u32::from(super::files::enter(state, entry));
    }
    // Who only mends a report has done the work in an earlier run, and may have written there.
    let silent = run.entries + more == 0 && run.corrects.is_none();
    let deviations = report.deviations.clone();
    state.core.counts.deviations += u64::try_from(deviations.len()).unwrap_or(0);
    state.core.counts.silent_executions += u64::from(silent);
    let lessons = report.lessons_learned.clone();
    state.blocks.change(&run.item, |block| {
        block.lessons.merge(&lessons);
        for one in deviations.into_iter().map(clipped) {
            // An architectural change is never forgotten before the user has spoken.
            let room = block.deviations.len() < MOST_DEVIATIONS || one.rule == 4;
            if !block.deviations.contains(&one) && room {
                block.deviations.push(one);
            }
        }
        if silent {
            add_finding(block, "its executor wrote nothing to the scratchpad".to_owned());
        }
    });
}

fn clipped(deviation: Deviation) -> Deviation {
    Deviation { rule: deviation.rule, description: clip(&one_line(&deviation.description), 300) }
}

/// How an executor of a block signs.
pub(super) fn program(block: &str) -> String {
    format!("executor-{block}")
}

/// Something noteworthy about a block, for those who verify.
pub(super) fn add_finding(block: &mut Block, finding: String) {
    if !block.findings.contains(&finding) && block.findings.len() < MOST_FINDINGS {
        block.findings.push(finding);
    }
}

/// The name under which a commit is noted beside the touched paths; an abbreviated id has the same.
fn commit_name(id: &str) -> String {
    format!("commit {}", id.chars().take(LEAST_OF_ID).collect::<String>().to_lowercase())
}

/// Notes the commits that came since the last look.
pub(super) fn note_commits(state: &mut State, repository: &Repository) {
    let ordinal = state.core.seen.as_ref().map_or(0, |seen| seen.ordinal);
    for id in repository.since.iter().flat_map(|change| &change.commits) {
        state.touches.set(&commit_name(id), ordinal);
    }
}

/// A success names commits and files that were seen to come.
fn seen(state: &State, run: &Run, report: &ExecutorReport, repository: &Repository) -> Result<()> {
    let Some(summary) = &report.summary else { return Ok(()) };
    history::on_top(state)?;
    checkpoints_asked(state, run)?;
    if summary.already_there {
        return nothing_named(summary);
    }
    let cut = repository.since.as_ref().is_some_and(|change| change.truncated);
    commits_seen(state, run, summary, repository, cut)?;
    let changes = changes_files(state, &run.item);
    let ours = |path: &String| path.starts_with(super::files::DIRECTORY);
    if changes && summary.key_files.all().all(|path| ours(&path)) {
        let expected = "the files that were created or modified";
        return Err(Error::new(Code::NothingTouched, "summary.key-files", expected, "none"));
    }
    let given = history::since_given(state, run, repository);
    let came = |path: &String| {
        state.touches.get(path).is_some() || given.is_some_and(|one| one.paths.contains(path))
    };
    let unseen = summary.key_files.all().find(|path| !ours(path) && !came(path));
    match unseen.filter(|_| !cut) {
        None => Ok(()),
        Some(path) if run.before.head == repository.head => {
            let expected = "files of a new commit, or `already_there` in the summary";
            Err(Error::new(Code::NoCommit, "summary.key-files", expected, path))
        }
        Some(path) => {
            let expected = "files that changed while the cluster went on";
            Err(Error::new(Code::NothingTouched, "summary.key-files", expected, path))
        }
    }
}

/// Where its plan asks a person, a person was asked: a block does not pass over a checkpoint by doing the rest.
fn checkpoints_asked(state: &State, run: &Run) -> Result<()> {
    let Some(block) = state.blocks.get(&run.item) else { return Ok(()) };
    let mut passed: Vec<&str> = block.passed.iter().map(|one| one.kind.as_str()).collect();
    let mut open = super::plan::checkpoints(&block.plan).into_iter().filter(|(kind, _)| {
        let known = passed.iter().position(|one| one == kind);
        known.map(|place| passed.remove(place)).is_none()
    });
    match open.find(|(kind, _)| CheckpointType::of(kind).is_some()) {
        None => Ok(()),
        Some((kind, name)) => {
            let expected =
                format!("CHECKPOINT of type {kind} at `{}`", clip(&one_line(&name), 120));
            Err(Error::new(Code::CheckpointOpen, "status", expected, "SUCCESS"))
        }
    }
}

/// What was there already came with no commit of this block; a commit that is named all the same says the
/// opposite.
fn nothing_named(summary: &Summary) -> Result<()> {
    match summary.commits.first() {
        None => Ok(()),
        Some(commit) => {
            let (at, expected) = ("summary.commits", "none with `already_there`");
            Err(Error::new(Code::InvalidValue, at, expected, commit))
        }
    }
}

fn changes_files(state: &State, id: &str) -> bool {
    state.blocks.get(id).is_some_and(|block| !block.plan.files_modified.is_empty())
}

/// Commits are named by their ids, came while the cluster went on, and are there where files should change.
fn commits_seen(
    state: &State,
    run: &Run,
    summary: &Summary,
    repository: &Repository,
    cut: bool,
) -> Result<()> {
    let at = "summary.commits";
    let hex = |text: &String| {
        (LEAST_OF_ID..=64).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    if let Some(odd) = summary.commits.iter().find(|commit| !hex(commit)) {
        return Err(Error::new(Code::InvalidValue, at, "commit ids in hex", odd));
    }
    let unseen = summary.commits.iter().find(|id| state.touches.get(&commit_name(id)).is_none());
    if let Some(id) = unseen.filter(|_| !cut) {
        let expected = "commits that came while the cluster went on";
        return Err(Error::new(Code::NoCommit, at, expected, id));
    }
    of_its_own(state, run, summary, repository)?;
    if !changes_files(state, &run.item) {
        return Ok(());
    }
    if summary.commits.is_empty() {
        return Err(Error::new(Code::NoCommit, at, "the commits that carry the work", "none"));
    }
    // Whoever goes on where another stopped may find the work committed. Who only mends a report is measured
    // against the tree before the run whose report it is: said twice, nothing becomes something.
    let fresh = |block: &Block| block.attempts == 0 && block.lost == 0 && block.passed.is_empty();
    let first = state.blocks.get(&run.item).is_some_and(fresh);
    match first && run.before.head == repository.head {
        false => Ok(()),
        true => {
            let expected = "another head than before, or `already_there` in the summary";
            Err(Error::new(Code::NoCommit, "repository", expected, "the same"))
        }
    }
}

/// At least one of the commits that are named is no other block's, or came while others were at work as well: those
/// may have shared it.
fn of_its_own(state: &State, run: &Run, summary: &Summary, repository: &Repository) -> Result<()> {
    let ordinal = state.core.seen.as_ref().map(|seen| seen.ordinal);
    let moved = run.before.head != repository.head;
    let names = |one: &Summary| one.commits.iter().map(|id| commit_name(id)).collect::<Vec<_>>();
    let named = names(summary);
    let others = state.blocks.iter().filter(|block| block.id != run.item);
    let of = |name: &String| {
        let came = state.touches.get(name).is_some_and(|when| Some(when) == ordinal);
        let has =
            |block: &&Block| block.summary.as_ref().is_some_and(|one| names(one).contains(name));
        let owner = others.clone().find(has).map(|block| block.id.as_str());
        owner.filter(|_| !(came && moved))
    };
    let owners: Option<Vec<&str>> = named.iter().map(of).collect();
    match owners.as_deref() {
        None | Some([]) => Ok(()),
        Some([owner, ..]) => {
            let expected = "a commit of this block, or `already_there` in the summary";
            let got = format!("only commits of {owner}");
            Err(Error::new(Code::NoCommit, "summary.commits", expected, got))
        }
    }
}

/// Architectural changes of a block that the user has not been asked about, whichever report named them.
pub(super) fn undecided(block: &Block) -> impl Iterator<Item = &String> {
    let four = block.deviations.iter().filter(|one| one.rule == 4);
    let lines = four.map(|one| &one.description);
    lines.filter(|line| !block.allowed.contains(line) && !block.asked.contains(line))
}

/// Those that the next question lists.
pub(super) fn listed(block: &Block) -> Vec<String> {
    undecided(block).take(MOST_CHANGES).cloned().collect()
}

fn succeed(state: &mut State, run: &Run, report: &ExecutorReport) {
    let change = state.blocks.get(&run.item).and_then(|block| undecided(block).next().cloned());
    let change = change.map(|change| format!("architectural change: {change}"));
    let again = forbidden_again(state, &run.item, &tried(report));
    if let Some(line) = &again {
        let at = format!("block {}", run.item);
        let problem = Error::new(Code::ForbiddenRetry, at, "another approach", line);
        state.core.last_problem = Some(problem.diagnostic());
    }
    if let Some(why) = change.or(again) {
        State::note(&mut state.core.concerns, format!("{}: {why}", run.item));
        let held = Box::new(report.clone());
        let by = run.by.clone();
        state.blocks.change(&run.item, |block| {
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
    let summary = report.summary.clone().map(Box::new);
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
            let proof = claims.iter().find(|one| one.criterion == criterion.id);
            let evidence = proof.map(|one| one.evidence.clone()).unwrap_or_default();
            criterion.state = CriterionState::Claimed { by: by.clone(), evidence };
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
        block.resume = None;
    });
    claim_gaps(state, id);
    state.set_status(id, BlockStatus::Executed);
    super::files::summarise(state, id);
}

/// A block that closes gaps claims what they are about.
fn claim_gaps(state: &mut State, id: &str) {
    let Some(block) = state.blocks.get(id).filter(|block| block.plan.gap_closure) else { return };
    let (by, closes) = (block.executed_by.clone(), block.plan.closes.clone());
    let sessions = block.sessions.clone();
    let Some(by) = by else { return };
    let others: Vec<String> = state
        .blocks
        .live()
        .filter(|one| one.status == BlockStatus::Executed && one.id != id)
        .map(|one| one.id.clone())
        .collect();
    for other in others {
        let named =
            |one: &Criterion| closes.is_empty() || closes.contains(&format!("{other}/{}", one.id));
        let open = |one: &Criterion| {
            matches!(one.state, CriterionState::Open | CriterionState::Rejected { .. })
        };
        state.blocks.change(&other, |block| {
            for criterion in block.criteria.iter_mut().filter(|one| open(one) && named(one)) {
                block.sessions.extend(sessions.iter().cloned());
                let evidence = Vec::new();
                criterion.state = CriterionState::Claimed { by: by.clone(), evidence };
            }
        });
    }
}

fn checkpoint(state: &mut State, id: &str, report: &ExecutorReport) {
    let checkpoint = report.checkpoint.clone().map(Box::new);
    let decides = checkpoint.as_ref().is_some_and(|one| one.kind == CheckpointType::Decision);
    let named: Vec<String> =
        report.deviations.iter().cloned().map(clipped).map(|one| one.description).collect();
    state.blocks.change(id, |block| {
        block.checkpoint = checkpoint;
        // A decision lists the changes of its own report; all others get a question of their own.
        let of_report = |line: &String| decides && named.contains(line);
        block.asked =
            undecided(block).filter(|line| of_report(line)).take(MOST_CHANGES).cloned().collect();
    });
    state.set_status(id, BlockStatus::Checkpoint);
}

/// A person has spoken, or nobody needed to: a fresh run goes on from here.
pub(super) fn pass(state: &mut State, id: &str, answer: &str, automatic: bool) {
    let answer = clip(&one_line(answer), 2_000);
    state.blocks.change(id, |block| {
        let Some(checkpoint) = block.checkpoint.take() else { return };
        let thread = checkpoint.current_thread.thread.clone().unwrap_or_default();
        let point = checkpoint.resume_point.clone();
        let point =
            point.unwrap_or_else(|| format!("thread {thread}: {}", checkpoint.current_thread.name));
        // What the question listed is allowed, and nothing else.
        let asked = std::mem::take(&mut block.asked);
        block.allowed.extend(asked);
        let mut threads = block.resume.take().map(|old| old.threads).unwrap_or_default();
        threads
            .retain(|old| !checkpoint.completed_threads.iter().any(|one| one.thread == old.thread));
        threads.extend(checkpoint.completed_threads.clone());
        block.resume = Some(Box::new(Resume {
            threads,
            answer: answer.clone(),
            point: clip(&one_line(&point), 300),
        }));
        block.passed.push(Passed {
            kind: checkpoint.kind,
            thread,
            answer: answer.clone(),
            automatic,
        });
    });
    state.core.counts.checkpoints += 1;
    State::note(&mut state.core.decisions, format!("{id}: {answer}"));
    state.set_status(id, BlockStatus::Retry);
}

/// Everything a report says was tried.
fn tried(report: &ExecutorReport) -> Vec<String> {
    let failed = report.failure.iter().flat_map(|failure| &failure.tried);
    report.approaches.iter().cloned().chain(failed.map(|one| one.approach.clone())).collect()
}

/// What an earlier failure forbids, in the words in which it was said; the failures of this run are not
/// counted yet.
pub(super) fn forbidden(block: &Block) -> Vec<String> {
    let all = block.failures.iter().flat_map(|failure| &failure.do_not_retry);
    all.map(|line| one_line(line)).collect()
}

/// What is compared: neither case nor the end of a sentence makes another approach of it.
fn plain(line: &str) -> String {
    one_line(line).trim_end_matches(['.', '!', '?', ';', ':', ',', ' ']).to_lowercase()
}

/// What of a held report an earlier failure forbids.
pub(super) fn held_again(state: &State, id: &str) -> Option<String> {
    let held = state.blocks.get(id)?.held.as_ref()?;
    forbidden_again(state, id, &tried(held))
}

fn forbidden_again(state: &State, id: &str, tried: &[String]) -> Option<String> {
    let block = state.blocks.get(id)?;
    let forbids = forbidden(block);
    let same = |line: &&String| forbids.iter().any(|one| plain(one) == plain(line));
    let line = tried.iter().find(same)?;
    Some(format!("it tried again what an earlier failure forbids: {}", clip(&one_line(line), 200)))
}

/// Keeps a failure for those who try again. What must not be tried again is never forgotten with the
/// failure that said so.
pub(super) fn remember(block: &mut Block, failure: Failure) {
    block.failures.push(bounded(failure));
    if block.failures.len() > MOST_FAILURES {
        let oldest = block.failures.remove(0);
        if let Some(next) = block.failures.first_mut() {
            let mut kept = oldest.do_not_retry;
            kept.append(&mut next.do_not_retry);
            kept.dedup();
            kept.truncate(100);
            next.do_not_retry = kept;
        }
    }
}

/// An execution failed. It is tried again, unless it failed too often or did what was forbidden.
pub(super) fn fail(state: &mut State, id: &str, failure: Failure, forbidden: Option<String>) {
    let most = state.core.settings.attempts_per_block;
    let mut attempts = 0;
    let why = failure.hypothesis.clone().unwrap_or_else(|| "no hypothesis".to_owned());
    let why = match &forbidden {
        Some(line) => clip(&one_line(&format!("{line}; {why}")), 1_000),
        None => clip(&one_line(&why), 1_000),
    };
    let hypothesis = Some(why.clone()).filter(|_| forbidden.is_some());
    let failure = Failure { hypothesis: hypothesis.or(failure.hypothesis.clone()), ..failure };
    state.blocks.change(id, |block| {
        block.attempts += 1;
        attempts = block.attempts;
        remember(block, failure);
    });
    state.core.counts.failures += 1;
    State::note(&mut state.core.concerns, format!("{id} failed: {why}"));
    let code = if forbidden.is_some() { Code::ForbiddenRetry } else { Code::BlockFailed };
    let got = forbidden.clone().unwrap_or(why);
    let problem = Error::new(code, format!("block {id}"), "an executed block", got);
    state.core.last_problem = Some(problem.diagnostic());
    let stuck = attempts >= most || forbidden.is_some();
    state.set_status(id, if stuck { BlockStatus::Stuck } else { BlockStatus::Retry });
}

/// A run went without leaving a result, most often with its driver: that says nothing about the block, so
/// it costs no attempt. Who is lost again and again does.
pub(super) fn lost(state: &mut State, id: &str, error: &Error) {
    let mut times = 0;
    state.blocks.change(id, |block| {
        block.lost += 1;
        times = block.lost;
    });
    if times > MOST_LOST {
        return fail(state, id, silent_failure(error), None);
    }
    State::note(&mut state.core.concerns, format!("{id}: a run was lost: {error}"));
    state.core.last_problem = Some(error.diagnostic());
    state.set_status(id, BlockStatus::Retry);
}

fn bounded(mut failure: Failure) -> Failure {
    let line = |text: &mut String| *text = clip(&one_line(text), 300);
    failure.do_not_retry.iter_mut().for_each(line);
    failure.do_not_retry.retain(|text| !text.is_empty());
    failure.do_not_retry.truncate(50);
    failure.tried.truncate(50);
    for one in &mut failure.tried {
        line(&mut one.approach);
        line(&mut one.reason);
    }
    failure.thread = failure.thread.map(|text| clip(&one_line(&text), 100));
    failure.created.truncate(100);
    failure.created.iter_mut().for_each(line);
    failure.commits.truncate(100);
    failure.commits.iter_mut().for_each(line);
    failure.hypothesis = failure.hypothesis.map(|text| clip(&one_line(&text), 1_000));
    failure.suggested_retry = failure.suggested_retry.map(|text| clip(&one_line(&text), 1_000));
    failure
}

/// A failure of which nobody reported anything.
pub(super) fn silent_failure(error: &Error) -> Failure {
    Failure { attempts: 1, hypothesis: Some(error.to_string()), ..Failure::default() }
}
