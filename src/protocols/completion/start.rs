//! The first state: fresh, or taken over from another engine's directory.
//!
//! A state that is taken over is believed only as far as it proves itself. A done slice stays done only if its
//! implementation, review, audit and acceptance name one commit that is an ancestor of the head;
//! even then its criteria count as stale, so that the closing gate shows them again. Judgements
//! without a run do not count, and no adopted file makes a mission done.

use super::accept::distrust;
use super::files::adopt::{Adopted, Layout};
use super::files::contract::one_line;
use super::files::history::SliceHistory;
use super::files::shapes::{MOST_JUDGES, ProfileFile, SliceEntry};
use super::files::{self as canonical};
use super::project::at_work;
use super::role::Role;
use super::state::{
    AcceptedClaim, Active, ActiveStatus, Adoption, Closed, Config, Contract, Core, Grounding,
    RegroundReason, Settings, Slice, SliceStatus, State,
};
use crate::mission::prelude::*;
use crate::mission::settings;
use crate::mission::{role, stale};
use crate::vocab::criterion;
use crate::vocab::ledger::Judgement;
use crate::vocab::table::{Ledgered, Table, ids_of};
use crate::vocab::time::parse_rfc3339;
use crate::vocab::verdict::Speaker;

/// Runs of another engine are numbered 0.1001, 0.1002 and so on: no effect of ours is ever so called,
/// for the first event orders a handful at most.
const FOREIGN_RUNS: u32 = 1_000;

/// The state a config begins with.
///
/// # Errors
/// `missing_field` for a blank mission or project, `number_out_of_range` for judges or attempts.
pub fn start(config: &Config) -> Result<State> {
    check(config).map_err(|error| error.within("mission.settings"))?;
    let mut state = fresh(config);
    match &config.adopted {
        None => distrust(&mut state, RegroundReason::Fresh, Vec::new()),
        Some(adoption) => adopt(&mut state, adoption),
    }
    Ok(state)
}

settings::roles!();

fn check(config: &Config) -> Result<()> {
    role::check(&config.roles, Role::as_str)?;
    settings::have_words([("mission", &config.mission), ("project_name", &config.project_name)])?;
    let most = u32::try_from(MOST_JUDGES).unwrap_or(u32::MAX);
    settings::in_range([
        ("required_stop_judges", config.required_stop_judges, 1..=most),
        ("attempts_per_step", config.attempts_per_step, 1..=1_000),
    ])?;
    let script = canonical::contract::stop_script(&config.verification_commands);
    script.map(drop).map_err(|error| error.within("verification_commands"))
}

fn fresh(config: &Config) -> State {
    State {
        core: Core {
            settings: Arc::new(Settings {
                mission: one_line(&config.mission),
                attempts_per_step: config.attempts_per_step,
                roles: config.roles.clone(),
            }),
            profile: Arc::new(ProfileFile {
                project_name: one_line(&config.project_name),
                required_stop_judges: config.required_stop_judges,
                docs_surfaces: config.docs_surfaces.clone(),
                extra: Vec::new(),
            }),
            contract: Contract {
                known: config.onboard,
                commands: config.verification_commands.clone(),
                ..Contract::default()
            },
            grounding: Grounding { plan_basis: "bootstrap".to_owned(), ..Grounding::default() },
            ..Core::default()
        }
        .into(),
        slices: Table::default(),
        contracts: Ledgered::default(),
        touches: Ledgered::default(),
    }
}

fn adopt(state: &mut State, adoption: &Adoption) {
    let directory = &adoption.directory;
    if let Some(file) = &directory.profile {
        state.core.profile = Arc::new(file.clone());
    }
    know_files(state, adoption);
    let mut doubts: Vec<String> = directory.faults.iter().map(ToString::to_string).collect();
    adopt_plan(state, adoption, &mut doubts);
    adopt_state(state, directory);
    adopt_active(state, adoption, &mut doubts);
    release_cursorless(state);
    if let Some(brief) = &directory.brief {
        for (title, lines) in [
            ("Scope", &brief.scope),
            ("Constraint", &brief.constraints),
            ("Acceptance", &brief.acceptance),
            ("Risk", &brief.risks),
        ] {
            state.core.notes.extend(lines.iter().map(|line| format!("{title}: {line}")));
        }
    }
    if !doubts.is_empty() {
        distrust(state, RegroundReason::FilesDistrusted, doubts);
    } else if directory.state.as_ref().is_none_or(|file| file.requires_reground) {
        distrust(state, RegroundReason::Adopted, Vec::new());
    }
}

/// Files that stay where they are: what is on disk is known, so that it may be replaced.
fn know_files(state: &mut State, adoption: &Adoption) {
    if adoption.directory.layout != Some(Layout::Seed) {
        return;
    }
    let files = &mut state.core.life.files;
    for known in &adoption.files {
        files.at(&known.path).digest = Some(known.digest.clone());
    }
    let extents = [&adoption.directory.history.extent, &adoption.directory.judgements.extent];
    for (path, extent) in canonical::HISTORIES.iter().zip(extents) {
        if let Some(file) = files.known.get_mut(*path) {
            file.digest = Some(extent.digest.clone());
            file.length = extent.length;
        }
    }
}

fn adopt_plan(state: &mut State, adoption: &Adoption, doubts: &mut Vec<String>) {
    let Some(plan) = &adoption.directory.plan else { return };
    for entry in &plan.candidate_slices {
        match slice(adoption, entry) {
            Ok(slice) => {
                state.serve(&slice.contract_ids, i64::from(!slice.closed()));
                if entry.status == SliceStatus::Done && !slice.closed() {
                    state.core.notes.push(format!(
                        "{} was called done, but no one commit was implemented, reviewed, audited and \
                         accepted; it is open again.",
                        entry.slice_id
                    ));
                }
                state.slices.push(slice);
            }
            Err(fault) => doubts.push(fault.within(&entry.slice_id).to_string()),
        }
    }
    state.core.grounding.plan_basis = plan.plan_basis.clone();
    state.core.grounding.at =
        plan.last_reground_at.as_deref().and_then(|at| parse_rfc3339(at).ok());
    state.core.grounding.planned = !plan.candidate_slices.is_empty();
    Arc::make_mut(&mut state.core.extras).plan = plan.extra.clone();
}

fn slice(adoption: &Adoption, entry: &SliceEntry) -> Result<Slice> {
    let mut criteria = criterion::from_texts(&entry.acceptance_criteria)?;
    let history = adoption.directory.history.slice(&entry.slice_id);
    let proven = history.and_then(SliceHistory::accepted_commit);
    let proven = proven.filter(|commit| adoption.ancestors.iter().any(|known| known == commit));
    let status = match (entry.status, proven) {
        (SliceStatus::Done, None) => SliceStatus::Planned,
        (status, _) => status,
    };
    let closed = proven.filter(|_| status == SliceStatus::Done);
    for criterion in &mut criteria {
        take_over(criterion, status, closed);
    }
    Ok(Slice {
        slice_id: entry.slice_id.clone(),
        goal: entry.goal.clone(),
        criteria,
        contract_ids: entry.contract_ids.clone(),
        priority: u8::try_from(entry.priority).unwrap_or(8).clamp(1, 8),
        status,
        why_now: entry.why_now.clone(),
        blocked_on: entry.blocked_on.clone(),
        closed: closed.map(|commit| Closed {
            commit: commit.to_owned(),
            basis: "none".to_owned(),
            ordinal: 0,
            paths: stale::everything(),
        }),
        evidence: entry.evidence.clone(),
        extra: entry.extra.clone(),
        ..Slice::default()
    })
}

fn take_over(criterion: &mut Criterion, status: SliceStatus, closed: Option<&str>) {
    criterion.state = match (status, closed) {
        (SliceStatus::Cancelled, _) => CriterionState::Waived {
            by: "user".to_owned(),
            why: "cancelled before it was taken over".to_owned(),
        },
        (_, Some(commit)) => CriterionState::Verified {
            claimed_by: None,
            verified_by: Vec::new(),
            method: "taken over from another engine's history".to_owned(),
            commit: commit.to_owned(),
            proof: Vec::new(),
        },
        (_, None) => CriterionState::Open,
    };
}

fn adopt_state(state: &mut State, directory: &Adopted) {
    let Some(file) = &directory.state else { return };
    let grounding = &mut state.core.grounding;
    grounding.slices_since = file.slices_since_last_reground;
    grounding.release_blockers = file.remaining_release_blockers;
    grounding.high_value_gaps = file.remaining_high_value_gaps;
    grounding.release_blocker_ids = file.release_blocker_ids.clone();
    grounding.auditor_verdict = file.last_auditor_verdict.clone();
    grounding.completed_slice = file.latest_completed_slice.clone();
    grounding.verified_slice = file.latest_verified_slice.clone();
    grounding.planned |= file.last_reground_at.is_some();
    let from_state = file.last_reground_at.as_deref().and_then(|at| parse_rfc3339(at).ok());
    grounding.at = grounding.at.or(from_state);
    Arc::make_mut(&mut state.core.extras).state = file.extra.clone();
}

/// The cursor of the adopted directory, if it points at an open slice of the plan.
fn adopt_active(state: &mut State, adoption: &Adoption, doubts: &mut Vec<String>) {
    let Some(file) = &adoption.directory.active else { return };
    Arc::make_mut(&mut state.core.extras).active = file.extra.clone();
    let id = file.slice_id.clone().unwrap_or_default();
    let open = state.slices.get(&id).is_some_and(|slice| !slice.closed());
    let listed = state.slices.get(&id).is_some();
    if !at_work(file.status) || (listed && !open) {
        return;
    }
    if !listed {
        doubts.push(format!("the active slice {id} is not in the plan"));
        return;
    }
    let (claim, review, audit) = match file.status {
        ActiveStatus::Committed => taken_claim(adoption, &id),
        ActiveStatus::Idle
        | ActiveStatus::Selected
        | ActiveStatus::InProgress
        | ActiveStatus::Done => (None, None, None),
    };
    let status = match (&claim, file.status) {
        (None, ActiveStatus::Selected) => ActiveStatus::Selected,
        (None, _) => ActiveStatus::InProgress,
        (Some(_), _) => ActiveStatus::Committed,
    };
    let claimant = claim.as_ref().map(|claim| claim.by.clone());
    state.slices.change(&id, |slice| {
        let chosen = status == ActiveStatus::Selected;
        slice.status = if chosen { SliceStatus::Selected } else { SliceStatus::InProgress };
        if let Some(by) = claimant {
            for criterion in slice.criteria.iter_mut() {
                criterion.state = CriterionState::Claimed { by: by.clone(), evidence: Vec::new() };
            }
        }
    });
    state.core.active = Some(Active {
        slice_id: id,
        status,
        locked_notes: file.locked_notes.clone(),
        must_fix: file.must_fix_findings.clone(),
        basis_commit: file.basis_commit.clone().unwrap_or_else(|| "none".to_owned()),
        remaining_contract_ids_before: file.remaining_contract_ids_before.clone(),
        release_blocker_count_before: file.release_blocker_count_before.unwrap_or(0),
        high_value_gap_count_before: file.high_value_gap_count_before.unwrap_or(0),
        claim,
        review,
        audit,
    });
}

type Taken = (Option<AcceptedClaim>, Option<Judgement>, Option<Judgement>);

/// What the history says of the committed slice. Its verdicts name no criterion, so they show none:
/// they say whose turn it is, no more.
fn taken_claim(adoption: &Adoption, id: &str) -> Taken {
    let foreign = |n: u32| Speaker::new(EffectId { seq: 0, n: FOREIGN_RUNS + n }, None);
    let Some(history) = adoption.directory.history.slice(id) else { return (None, None, None) };
    let Some(mark) = &history.implemented else { return (None, None, None) };
    if !adoption.ancestors.contains(&mark.commit_sha) {
        return (None, None, None);
    }
    let commit = mark.commit_sha.clone();
    let judgement = |mark: &Option<super::files::history::Mark>, n: u32| -> Option<Judgement> {
        mark.as_ref().filter(|mark| mark.commit_sha == commit).map(|_| Judgement {
            by: foreign(n),
            commit: commit.clone(),
            verdicts: Vec::new(),
            must_fix: Vec::new(),
        })
    };
    let (review, audit) = (judgement(&history.reviewed, 2), judgement(&history.audited, 3));
    let paths = stale::everything();
    let claim = AcceptedClaim { by: foreign(1), commit: commit.clone(), ordinal: 0, paths };
    (Some(claim), review, audit)
}

/// A slice that is called chosen although the cursor is elsewhere waits like any other.
fn release_cursorless(state: &mut State) {
    let chosen = state.core.active.as_ref().map(|active| active.slice_id.clone());
    let stray = |slice: &&Slice| slice.status.current() && Some(&slice.slice_id) != chosen.as_ref();
    for id in ids_of(state.slices.iter().filter(stray)) {
        state.slices.change(&id, |slice| slice.status = SliceStatus::Planned);
    }
}
