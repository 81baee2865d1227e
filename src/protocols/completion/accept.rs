//! Accepting reports: each is compared with the state and with what was seen. A report is taken
//! whole or not at all.

use super::facts::FactName;
use super::files as canonical;
use super::files::words::RecordKind;
use super::plan;
use super::reground;
use super::report::{
    AuditReport, BootstrapReport, ImplementOutcome, ImplementReport, JudgeReport, Report,
    ReviewReport,
};
use super::state::{
    AcceptedClaim, Active, ActiveStatus, Reground, RegroundReason, State, StopJudgement, Topic,
};
use crate::mission::life;
use crate::mission::prelude::*;
use crate::mission::stale;
use crate::mission::table::NamedFact;
use crate::vocab::evidence::{in_state_directory, weigh};
use crate::vocab::ledger::{self, Judgement};
use crate::vocab::question::QuestionKind;

/// Takes a report, or goes back to how everything was before it.
pub(super) fn tentatively(
    state: &mut State,
    head: &mut Head,
    run: &Run,
    report: &Report,
    repository: &Repository,
) -> Result<()> {
    let budget = head.budget.clone();
    let taken = state.whole_or_not(|state| take(state, head, run, report, repository));
    if taken.is_err() {
        head.budget = budget;
    }
    taken
}

fn take(
    state: &mut State,
    head: &mut Head,
    run: &Run,
    report: &Report,
    repository: &Repository,
) -> Result<()> {
    match report {
        Report::Bootstrap(report) => bootstrap(state, report),
        Report::Reground(report) => reground::reground(state, head, run, report),
        Report::Implement(report) => implement(state, head, run, report, repository),
        Report::Review(report) => review(state, head, run, report),
        Report::Audit(report) => audit(state, head, run, report),
        Report::Judge(report) => stop_judgement(state, head, run, report),
    }
}

/// The canonical state must be grounded anew before anything else.
pub(super) fn distrust(state: &mut State, reason: RegroundReason, details: Vec<String>) {
    state.core.reground = Some(Reground { reason, details });
    state.core.wave.judgements.clear();
    state.core.wave.verified_at = None;
}

fn bootstrap(state: &mut State, report: &BootstrapReport) -> Result<()> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    if words(&report.mission) != words(&state.core.settings.mission) {
        let expected = state.core.settings.mission.clone();
        return Err(Error::new(Code::AnchorMismatch, "json.mission", expected, &report.mission));
    }
    let commands = &report.verification_commands;
    canonical::contract::stop_script(commands)
        .map_err(|error| error.within("json.verification_commands"))?;
    Arc::make_mut(&mut state.core.profile).docs_surfaces = report.docs_surfaces.clone();
    let contract = &mut state.core.contract;
    contract.known = true;
    // The stop script is locked once it is there: another one is the user's word.
    if contract.stop_script.is_none() {
        contract.commands = commands.clone();
    } else if contract.commands != *commands {
        state.core.life.ask(&Topic::NewStopScript { commands: commands.clone() });
    }
    Ok(())
}

/// The slice that is being worked on, if the report speaks of it.
fn subject<'a>(state: &'a mut State, slice_id: &str) -> Result<&'a mut Active> {
    let active = state.core.active.as_mut().filter(|one| one.status != ActiveStatus::Done);
    match active {
        Some(active) if active.slice_id == slice_id => Ok(active),
        other => {
            let expected = other.map_or("no slice".to_owned(), |active| active.slice_id.clone());
            Err(Error::new(Code::WrongSubject, "json.slice_id", expected, slice_id))
        }
    }
}

fn implement(
    state: &mut State,
    head: &Head,
    run: &Run,
    report: &ImplementReport,
    repository: &Repository,
) -> Result<()> {
    let active = subject(state, &report.slice_id)?;
    let got = "a second claim";
    ensure!(active.claim.is_none(), Code::WrongSubject, "json", "a slice without a claim", got)?;
    match report.outcome {
        ImplementOutcome::PlanDrift => drift(state, report),
        ImplementOutcome::Blocked => {
            let text = report.blocker.clone().filter(|text| !text.trim().is_empty());
            let text = text.ok_or_else(|| {
                Error::new(Code::MissingField, "json.blocker", "what is in the way", "nothing")
            })?;
            let kind = QuestionKind::FreeText;
            state.core.life.ask(&Topic::RoleAsks { role: run.role.clone(), text, kind });
            Ok(())
        }
        ImplementOutcome::Implemented => claim(state, head, run, report, repository),
    }
}

fn drift(state: &mut State, report: &ImplementReport) -> Result<()> {
    if report.drift_facts.iter().all(|fact| fact.trim().is_empty()) {
        let expected = "at least one fact";
        return Err(Error::new(Code::MissingField, "json.drift_facts", expected, "none"));
    }
    let mut details = report.drift_facts.clone();
    details.extend(report.affected_slices.iter().map(|id| format!("affects {id}")));
    distrust(state, RegroundReason::PlanDrift, details);
    Ok(())
}

fn claim(
    state: &mut State,
    head: &Head,
    run: &Run,
    report: &ImplementReport,
    repository: &Repository,
) -> Result<()> {
    let (commit, paths) = claimed_commit(state, report, repository)?;
    life::committed(run, repository)?;
    let slice = state.slices.get(&report.slice_id).ok_or_else(|| {
        Error::new(Code::UnknownItem, "json.slice_id", "a slice of the plan", &report.slice_id)
    })?;
    ledger::check_claims(&slice.criteria, &report.claims).map_err(|error| error.within("json"))?;
    state.slices.change(&report.slice_id, |slice| {
        ledger::enter_claims(&mut slice.criteria, &report.claims, &run.by);
    });
    let ordinal = state.core.life.ordinal();
    let active = subject(state, &report.slice_id)?;
    active.status = ActiveStatus::Committed;
    active.claim =
        Some(AcceptedClaim { by: run.by.clone(), commit: commit.clone(), ordinal, paths });
    active.review = None;
    active.audit = None;
    state.core.grounding.completed_slice = Some(report.slice_id.clone());
    state.core.grounding.slices_since += 1;
    state.record(head, RecordKind::Implemented, &report.slice_id, &commit, Some(run));
    Ok(())
}

/// The claimed commit, and what it changes outside the state directory.
fn claimed_commit(
    state: &State,
    report: &ImplementReport,
    repository: &Repository,
) -> Result<(String, BTreeSet<String>)> {
    let at = "json.commit_sha";
    let claimed = report
        .commit_sha
        .clone()
        .ok_or_else(|| Error::new(Code::NoCommit, at, "the full id of the commit", "none"))?;
    let basis = state.core.active.as_ref().map_or("none", |active| active.basis_commit.as_str());
    ensure!(claimed != basis, Code::NoCommit, at, "a commit after {basis}", &claimed)?;
    if state.core.contract.commits.contains(&claimed) {
        let expected = "a commit of the implementer";
        return Err(Error::new(Code::EngineCommit, at, expected, claimed));
    }
    // Commits of the engine's own on top of the work are no work.
    let head = state.core.work.clone().unwrap_or_else(|| "none".to_owned());
    ensure!(claimed == head, Code::WrongCommit, at, &head, &claimed)?;
    // Whether it descends is asked at every look, and was answered.
    let Some(change) = repository.basis.as_ref().filter(|change| change.from == basis) else {
        let expected = format!("a descendant of {basis}");
        return Err(Error::new(Code::NotDescendant, at, expected, claimed));
    };
    let paths: BTreeSet<String> =
        change.paths.iter().filter(|path| !in_state_directory(path)).cloned().collect();
    if paths.is_empty() && !change.truncated {
        let expected = "a change outside the state directory";
        return Err(Error::new(Code::NothingTouched, at, expected, change.paths.join(", ")));
    }
    Ok((claimed, if change.truncated { stale::everything() } else { paths }))
}

/// Checks a review or audit against the claim and against itself.
fn verification(state: &mut State, run: &Run, said: &ReviewReport) -> Result<Judgement> {
    let active = subject(state, &said.slice_id)?;
    let claim = active.claim.clone().ok_or_else(|| {
        Error::new(Code::WrongSubject, "json", "a committed slice", "a slice without a claim")
    })?;
    if claim.commit != said.commit_sha {
        let at = "json.commit_sha";
        return Err(Error::new(Code::WrongSubject, at, claim.commit, &said.commit_sha));
    }
    let other = active.review.as_ref().map(|review| review.by.clone());
    for (speaker, what) in [(Some(claim.by), "claimed the slice"), (other, "reviewed the slice")] {
        if speaker.is_some_and(|speaker| speaker.same_as(&run.by)) {
            let got = format!("run {}, whose session {what}", run.by.run);
            return Err(Error::new(Code::OwnVerdict, "run", "a run of another session", got));
        }
    }
    let criteria = state.slices.get(&said.slice_id).map(|slice| slice.criteria.as_slice());
    ledger::check_verdicts(criteria.unwrap_or_default(), &said.verdicts, &run.by)
        .map_err(|error| error.within("json"))?;
    let judgement = Judgement {
        by: run.by.clone(),
        commit: said.commit_sha.clone(),
        verdicts: said.verdicts.clone(),
        must_fix: said.must_fix_findings.clone(),
    };
    consistent(criteria.unwrap_or_default(), said, &judgement)?;
    Ok(judgement)
}

/// A positive verdict over a finding against it, or a negative one without any, is no verdict.
fn consistent(
    criteria: &[crate::vocab::criterion::Criterion],
    said: &ReviewReport,
    judgement: &Judgement,
) -> Result<()> {
    let refuse = |at: String, expected: &str, got: String| {
        Err(Error::new(Code::InconsistentVerdict, at, expected, got))
    };
    if !said.acceptable {
        return match said.must_fix_findings.iter().any(|finding| !finding.trim().is_empty()) {
            true => Ok(()),
            false => refuse(
                "json.must_fix_findings".to_owned(),
                "what must be fixed, when a slice is not acceptable",
                "none".to_owned(),
            ),
        };
    }
    if let Some(finding) = said.must_fix_findings.first() {
        let expected = "no must-fix finding in an acceptable slice";
        return refuse("json.must_fix_findings".to_owned(), expected, finding.clone());
    }
    if said.docs != Finding::Holds {
        let expected = "documentation shown to be true in an acceptable slice";
        return refuse("json.docs".to_owned(), expected, format!("{:?}", said.docs));
    }
    let open = criteria.iter().filter(|one| !one.waived());
    for criterion in open {
        let found = ledger::finding(judgement, &criterion.id);
        if found != Finding::Holds {
            let expected = "every criterion shown to hold in an acceptable slice";
            let got = format!("{} {found:?}", criterion.id);
            return refuse("json.verdicts".to_owned(), expected, got);
        }
    }
    Ok(())
}

fn review(state: &mut State, head: &Head, run: &Run, report: &ReviewReport) -> Result<()> {
    let judgement = verification(state, run, report)?;
    subject(state, &report.slice_id)?.review = Some(judgement);
    state.record(head, RecordKind::Reviewed, &report.slice_id, &report.commit_sha, Some(run));
    Ok(())
}

fn audit(state: &mut State, head: &Head, run: &Run, report: &AuditReport) -> Result<()> {
    let judgement = verification(state, run, &report.as_review())?;
    let active = subject(state, &report.slice_id)?;
    let review = active.review.clone();
    active.audit = Some(judgement.clone());
    // Both have spoken: only now is any criterion verified.
    if let Some(review) = review {
        state.slices.change(&report.slice_id, |slice| {
            ledger::settle(&mut slice.criteria, &[&review, &judgement], &report.commit_sha);
        });
    }
    let grounding = &mut state.core.grounding;
    let word = if report.acceptable { "acceptable" } else { "not_acceptable" };
    grounding.auditor_verdict = Some(word.to_owned());
    grounding.release_blockers = Some(report.release_blocker_count);
    grounding.high_value_gaps = Some(report.high_value_gap_count);
    state.record(head, RecordKind::Audited, &report.slice_id, &report.commit_sha, Some(run));
    Ok(())
}

fn stop_judgement(state: &mut State, head: &Head, run: &Run, report: &JudgeReport) -> Result<()> {
    let (seen, at) = (state.core.life.seen.as_ref(), state.core.life.head_word().to_owned());
    ensure!(report.head_sha == at, Code::WrongSubject, "json.head_sha", &at, &report.head_sha)?;
    if let Some(dirty) = seen.and_then(|seen| seen.dirty.first()) {
        return Err(Error::new(Code::DirtyTree, "worktree", "a clean tree", &dirty.path));
    }
    if state.core.wave.judgements.iter().any(|one| one.by.same_as(&run.by)) {
        let got = format!("run {} again", run.by.run);
        return Err(Error::new(Code::OwnVerdict, "run", "a judge of another session", got));
    }
    if FactName::WorkOpen.holds(state, head) {
        let got = format!("{} open slices", state.open_slices());
        return Err(Error::new(Code::WrongSubject, "json", "a plan without open slices", got));
    }
    judge_consistent(state, run, report)?;
    if state.core.wave.judgements.is_empty() {
        state.core.wave.number += 1;
    }
    state.record_judgement(head, report, run);
    let grounding = &mut state.core.grounding;
    grounding.release_blockers = Some(report.blocker_count);
    grounding.high_value_gaps = Some(report.high_value_gap_count);
    if !report.can_stop {
        distrust(state, RegroundReason::JudgeRefused, report.reasons.clone());
        return Ok(());
    }
    let shown = plan::stale_criteria(state).iter().map(plan::StaleCriterion::name).collect();
    state.core.wave.judgements.push(StopJudgement { by: run.by.clone(), head: at, shown });
    Ok(())
}

/// A yes needs no blocker and every stale criterion shown; a no needs a reason.
fn judge_consistent(state: &State, run: &Run, report: &JudgeReport) -> Result<()> {
    let refuse = |at: &str, expected: &str, got: String| {
        Err(Error::new(Code::InconsistentVerdict, format!("json.{at}"), expected, got))
    };
    if !report.can_stop {
        return match report.reasons.iter().any(|reason| !reason.trim().is_empty()) {
            true => Ok(()),
            false => refuse("reasons", "a reason for a no", "none".to_owned()),
        };
    }
    if report.blocker_count > 0 || report.high_value_gap_count > 0 {
        let got = format!("{} and {}", report.blocker_count, report.high_value_gap_count);
        return refuse("can_stop", "no blockers and no gaps with a yes", got);
    }
    for stale in plan::stale_criteria(state) {
        if stale.claimed_by.as_ref().is_some_and(|claimant| claimant.same_as(&run.by)) {
            let got = format!("run {}, whose session claimed {}", run.by.run, stale.name());
            return Err(Error::new(Code::OwnVerdict, "run", "a run of another session", got));
        }
        let verdict = report
            .stale_verdicts
            .iter()
            .find(|one| one.slice_id == stale.slice_id && one.criterion == stale.criterion);
        let shown = verdict.is_some_and(|one| {
            one.finding == Finding::Holds
                && weigh(&one.evidence) == Finding::Holds
                && !one.method.trim().is_empty()
        });
        if !shown {
            let expected = format!("{} shown at this head", stale.name());
            let got = verdict.map_or("no verdict".to_owned(), |one| format!("{:?}", one.finding));
            return refuse("stale_verdicts", &expected, got);
        }
    }
    Ok(())
}
