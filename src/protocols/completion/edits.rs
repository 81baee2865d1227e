//! Canonical files that are not as the engine left them.
//!
//! While a run is live or not yet judged, an edit belongs to that run and its report is refused. Otherwise it
//! is a hand edit: a change that is valid and keeps the rules is adopted; it may add or reorder work, never
//! create claims, verdicts, judgements or an end. Other changes are kept aside before the file
//! is written anew, and the state is distrusted.

use super::accept::distrust;
use super::files::shapes::{ActiveFile, PlanFile, SliceEntry, StateFile};
use super::files::words::SliceStatus;
use super::files::{self as canonical, Mode, contract, gitignore, read};
use super::plan;
use super::state::{RegroundReason, State, Topic};
use crate::mission::prelude::*;
use crate::vocab::command::NewItem;
use crate::vocab::repository::{FileSeen, Seen};

/// Enters what was seen of the canonical files. Answers with the paths that a live run changed.
pub(super) fn files_seen(state: &mut State, head: &Head, files: &[FileSeen]) -> Vec<String> {
    let life = &mut state.core.life;
    life.files.doubted.clear();
    if life.done.is_some() {
        seen_after_the_end(state, files);
        return Vec::new();
    }
    let live = !life.at_rest();
    let mut touched = Vec::new();
    for FileSeen { path, seen } in files {
        let known = state.core.life.files.there(path).is_some();
        let theirs = live && known;
        let path = path.as_str();
        if path == canonical::GITIGNORE {
            ignore_lines(state, seen);
        } else if canonical::CONTRACT.contains(&path) {
            contract_file(state, path, seen, known, theirs);
            touched.extend(theirs.then(|| path.to_owned()));
        } else if canonical::HISTORIES.contains(&path) {
            history(state, path, seen);
            touched.extend(theirs.then(|| path.to_owned()));
        } else if canonical::STATE_FILES.contains(&path) {
            state_file(state, head, path, seen, known, theirs);
            touched.extend(theirs.then(|| path.to_owned()));
        }
    }
    missing_contract(state, files);
    touched
}

/// After the end nothing is adopted or doubted: foreign content is kept aside, histories go on behind
/// what is there.
fn seen_after_the_end(state: &mut State, files: &[FileSeen]) {
    for FileSeen { path, seen } in files {
        match canonical::STATE_FILES.contains(&path.as_str()) {
            true => write_anew(state, path, seen),
            false => as_seen(state, path, seen),
        }
    }
}

/// From now on the file is known as it was seen.
fn as_seen(state: &mut State, path: &str, seen: &Seen) {
    let file = state.core.life.files.at(path);
    file.digest = seen.digest().map(str::to_owned);
    file.length = seen.length();
}

/// The file is written anew, with what is there kept aside.
fn write_anew(state: &mut State, path: &str, seen: &Seen) {
    let file = state.core.life.files.at(path);
    file.aside = seen.digest().map(str::to_owned);
    if *seen == Seen::Absent {
        file.digest = None;
    }
    file.wanted += 1;
}

/// Contract files that neither were nor are there.
fn missing_contract(state: &mut State, files: &[FileSeen]) {
    let seen_now =
        |path: &str| files.iter().any(|file| file.path == path && file.seen != Seen::Absent);
    let mut missing: Vec<&str> = Vec::new();
    for path in canonical::CONTRACT {
        let known = state.core.life.files.there(path).is_some();
        if !known && !seen_now(path) {
            missing.push(path);
        }
    }
    let lines = &state.core.contract.gitignore;
    if gitignore::merge_gitignore(lines) != *lines {
        missing.push(canonical::GITIGNORE);
    }
    missing.into_iter().for_each(|path| need(state, path));
}

pub(super) fn need(state: &mut State, path: &str) {
    let needs = &mut state.core.contract.needs;
    if !needs.iter().any(|known| known == path) {
        needs.push(path.to_owned());
    }
}

fn ignore_lines(state: &mut State, seen: &Seen) {
    state.core.contract.gitignore = match seen {
        Seen::Text { text, .. } => text.clone(),
        Seen::Absent | Seen::Digest { .. } => String::new(),
    };
    state.core.life.files.at(canonical::GITIGNORE).digest = seen.digest().map(str::to_owned);
}

fn contract_file(state: &mut State, path: &str, seen: &Seen, known: bool, theirs: bool) {
    let accepted = match seen {
        Seen::Absent => {
            // Gone: repairing it is the bootstrapper's work, unless a run is to blame.
            state.core.life.files.at(path).digest = None;
            state.core.contract.known |= theirs;
            return need(state, path);
        }
        Seen::Digest { .. } => false,
        Seen::Text { .. } if theirs => false,
        Seen::Text { digest, text } => match path {
            canonical::MISSION => {
                contract::anchor_of(text).as_deref() == Some(state.core.settings.mission.as_str())
            }
            canonical::PROFILE => adopt_profile(state, text).is_ok(),
            canonical::STOP_SCRIPT if known => return stop_script(state, digest, text),
            _ => true,
        },
    };
    let digest = seen.digest().map(str::to_owned);
    if let (canonical::STOP_SCRIPT, Seen::Text { text, .. }, true) = (path, seen, accepted) {
        state.core.contract.stop_script = digest.clone();
        state.core.contract.stop_script_text = Some(text.clone());
    }
    state.core.life.files.at(path).digest = digest;
    if !accepted {
        state.core.contract.known = true;
        need(state, path);
    }
}

fn stop_script(state: &mut State, digest: &str, text: &str) {
    if state.core.contract.stop_script.as_deref() == Some(digest) {
        state.core.life.files.at(canonical::STOP_SCRIPT).digest = Some(digest.to_owned());
    } else if state.core.life.asking.is_empty() {
        let (digest, text) = (digest.to_owned(), text.to_owned());
        state.core.life.ask(&Topic::StopScript { digest, text });
    }
}

fn adopt_profile(state: &mut State, text: &str) -> Result<()> {
    state.core.profile = Arc::new(read(text, Mode::Strict)?.value);
    Ok(())
}

/// A file that only grows and was changed otherwise. Its lines count for nothing either way; the
/// user says whether to go on behind them.
fn history(state: &mut State, path: &str, seen: &Seen) {
    let known = state.core.life.files.there(path).is_some();
    if !known && seen.length() == 0 {
        as_seen(state, path, seen);
    } else if state.core.life.asking.is_empty() {
        let (digest, length) = (seen.digest().map(str::to_owned), seen.length());
        state.core.life.ask(&Topic::HistoryChanged { path: path.to_owned(), digest, length });
    }
}

fn state_file(state: &mut State, head: &Head, path: &str, seen: &Seen, known: bool, theirs: bool) {
    let verdict = match seen {
        Seen::Absent => Err(Error::new(Code::CanonicalTouched, path, "the file", "nothing")),
        Seen::Digest { problem, .. } => {
            let fault =
                problem.as_ref().map(|one| Error::new(one.code, path, &one.expected, &one.got));
            Err(fault
                .unwrap_or_else(|| Error::new(Code::ForbiddenEdit, path, "a text", "other bytes")))
        }
        Seen::Text { text, .. } if theirs || !known => {
            let got = format!("{} bytes of someone else", text.len());
            Err(Error::new(Code::ForbiddenEdit, path, "the file as the engine left it", got))
        }
        Seen::Text { text, .. } => {
            adopt_edit(state, head, path, text).map_err(|error| error.within(path))
        }
    };
    match verdict {
        Ok(()) => {
            let file = state.core.life.files.at(path);
            file.digest = seen.digest().map(str::to_owned);
            file.wanted += 1;
            state.core.counts.adopted_edits += 1;
            state.core.grounding.plan_revision += 1;
        }
        Err(fault) => {
            write_anew(state, path, seen);
            state.core.counts.rejected_edits += u64::from(*seen != Seen::Absent);
            state.core.life.last_problem = Some(fault.diagnostic());
            let kept =
                seen.digest().map(|digest| format!("kept as .agent/tmp/rejected-{digest}.json"));
            let details = [Some(fault.to_string()), kept].into_iter().flatten().collect();
            distrust(state, RegroundReason::FilesDistrusted, details);
        }
    }
}

/// Adopts an edit of a state file, or leaves the plan as it was.
fn adopt_edit(state: &mut State, head: &Head, path: &str, text: &str) -> Result<()> {
    state.whole_or_not(|state| match path {
        canonical::PLAN => adopt_plan(state, text),
        canonical::ACTIVE => adopt_active(state, text),
        _ => adopt_state(state, head, text),
    })
}

fn forbidden(at: &str, expected: impl Into<String>, got: impl Into<String>) -> Error {
    Error::new(Code::ForbiddenEdit, at, expected, got)
}

fn adopt_plan(state: &mut State, text: &str) -> Result<()> {
    let edited: PlanFile = read(text, Mode::Strict)?.value;
    let ours = state.plan_file();
    if edited.mission_anchor != ours.mission_anchor {
        let got = edited.mission_anchor;
        return Err(Error::new(Code::AnchorMismatch, "mission_anchor", ours.mission_anchor, got));
    }
    if (&edited.plan_basis, &edited.last_reground_at) != (&ours.plan_basis, &ours.last_reground_at)
    {
        return Err(forbidden("plan_basis", "what the last re-ground wrote", edited.plan_basis));
    }
    if let Some(lost) =
        ours.candidate_slices.iter().find(|one| edited.slice(&one.slice_id).is_none())
    {
        let expected = format!("slice {}", lost.slice_id);
        return Err(forbidden("candidate_slices", expected, "no such slice"));
    }
    for (place, slice) in edited.candidate_slices.iter().enumerate() {
        let at = format!("candidate_slices[{place}]");
        match ours.slice(&slice.slice_id) {
            None => new_slice(state, slice),
            Some(known) => changed_slice(state, known, slice),
        }
        .map_err(|error| error.within(&at))?;
    }
    reorder(state, &ours, &edited);
    Arc::make_mut(&mut state.core.extras).plan = edited.extra;
    plan::check_dependencies(state)
}

fn reorder(state: &mut State, ours: &PlanFile, edited: &PlanFile) {
    let ids = |file: &PlanFile| -> Vec<String> {
        file.candidate_slices.iter().map(|slice| slice.slice_id.clone()).collect()
    };
    let order = ids(edited);
    if !order.starts_with(&ids(ours)) {
        state.slices.reorder(&order);
    }
}

fn new_slice(state: &mut State, slice: &SliceEntry) -> Result<()> {
    if slice.status != SliceStatus::Planned {
        return Err(forbidden("status", "planned", slice.status.to_string()));
    }
    if let Some(line) = slice.evidence.first() {
        return Err(forbidden("evidence", "none in a new slice", line));
    }
    plan::add(
        state,
        &NewItem {
            id: slice.slice_id.clone(),
            goal: slice.goal.clone(),
            shown_by: Vec::new(),
            acceptance_criteria: slice.acceptance_criteria.clone(),
            contract_ids: slice.contract_ids.clone(),
            priority: u8::try_from(slice.priority).unwrap_or(0),
            why_now: slice.why_now.clone(),
            blocked_on: slice.blocked_on.clone(),
        },
    )?;
    state.slices.change(&slice.slice_id, |added| added.extra = slice.extra.clone());
    Ok(())
}

fn changed_slice(state: &mut State, known: &SliceEntry, slice: &SliceEntry) -> Result<()> {
    if slice == known {
        return Ok(());
    }
    if slice.status != known.status {
        return Err(forbidden("status", known.status.to_string(), slice.status.to_string()));
    }
    if slice.evidence != known.evidence {
        return Err(forbidden("evidence", "what runs have shown", slice.evidence.join("; ")));
    }
    if slice.goal != known.goal || slice.contract_ids != known.contract_ids {
        let expected = "the goal and contract ids as they are locked";
        return Err(forbidden("goal", expected, slice.goal.clone()));
    }
    let locked = state.slices.get(&slice.slice_id).cloned();
    let locked =
        locked.ok_or_else(|| forbidden("slice_id", "a slice of the plan", &slice.slice_id))?;
    let added = plan::additions(&locked.criteria, &slice.acceptance_criteria)?;
    if !added.is_empty() && (locked.closed() || plan::committed(state, &slice.slice_id)) {
        return Err(forbidden("acceptance_criteria", "none added to a claimed slice", "a new one"));
    }
    state.slices.change(&slice.slice_id, |row| {
        row.criteria.extend(added);
        row.priority = u8::try_from(slice.priority).unwrap_or(row.priority);
        row.why_now = slice.why_now.clone();
        row.blocked_on = slice.blocked_on.clone();
        row.extra = slice.extra.clone();
    });
    Ok(())
}

/// Only notes may be added to the hand-off.
fn adopt_active(state: &mut State, text: &str) -> Result<()> {
    let edited: ActiveFile = read(text, Mode::Strict)?.value;
    let mut ours = state.active_file();
    if !edited.locked_notes.starts_with(&ours.locked_notes) {
        let got = edited.locked_notes.join("; ");
        return Err(forbidden("locked_notes", "the known notes first", got));
    }
    ours.locked_notes = edited.locked_notes.clone();
    ours.extra = edited.extra.clone();
    ensure(ours == edited, || forbidden("", "the hand-off as the engine wrote it", "another"))?;
    if let Some(active) = state.core.active.as_mut() {
        active.locked_notes = edited.locked_notes;
    }
    Arc::make_mut(&mut state.core.extras).active = edited.extra;
    Ok(())
}

/// Nothing but fields of others may be changed in the state.
fn adopt_state(state: &mut State, head: &Head, text: &str) -> Result<()> {
    let edited: StateFile = read(text, Mode::Strict)?.value;
    let mut ours: StateFile =
        read(&state.render_file(head, canonical::STATE)?, Mode::Strict)?.value;
    ours.extra = edited.extra.clone();
    // Why the mission goes on is told by the events since; whether it does may not be edited.
    ours.continuation_reason = edited.continuation_reason.clone();
    ensure(ours == edited, || forbidden("", "the state as the engine wrote it", "another"))?;
    Arc::make_mut(&mut state.core.extras).state = edited.extra;
    Ok(())
}
