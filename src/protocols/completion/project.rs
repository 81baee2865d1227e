//! The canonical files as projections of the state, and when they must be written.
//!
//! Each file has a key: what its content depends on, in short. When the key changes, or what `state.json` shows beside it, the
//! file is wanted anew. Nothing here grows with history; only the plan file grows with the plan.

use super::decide;
use super::facts::FactName;
use super::files::contract;
use super::files::gitignore;
use super::files::history::{HistoryRecord, Judgement as JudgementRecord};
use super::files::shapes::{ActiveFile, PlanFile, SliceEntry, StateFile};
use super::files::words::{ActiveStatus, Policy, RecordKind};
use super::files::{self as canonical, Extra, line, render};
use super::report::JudgeReport;
use super::state::{Core, Disposition, Slice, State};
use crate::mission::life::{self, Topic};
use crate::mission::prelude::*;
use crate::mission::proof;
use crate::mission::table;
use crate::vocab::digest::digest;
use crate::vocab::json;
use crate::vocab::time::rfc3339;

impl State {
    /// Slices that are neither closed nor deferred.
    pub fn open_slices(&self) -> usize {
        ["planned", "selected", "in_progress", "blocked"]
            .map(|group| self.slices.count(group))
            .iter()
            .sum()
    }

    /// Judgements that the wave still lacks.
    pub fn judges_left(&self) -> u64 {
        let given = u64::try_from(self.core.wave.judgements.len()).unwrap_or(u64::MAX);
        u64::from(self.core.profile.required_stop_judges).saturating_sub(given)
    }

    /// Whether the stop verifier passed at the present head, after the last judgement.
    pub fn verifier_passed(&self) -> bool {
        let head = self.core.life.seen.as_ref().and_then(|seen| seen.head.as_ref());
        head.is_some() && self.core.wave.verified_at.as_ref() == head
    }

    /// Counts open slices per contract id up or down.
    pub(super) fn serve(&mut self, contract_ids: &[String], by: i64) {
        for id in contract_ids {
            let known = self.contracts.get(id).unwrap_or(0);
            self.contracts.set(id, known.saturating_add_signed(by));
        }
    }

    /// Contract ids with an open slice.
    pub(super) fn open_contracts(&self) -> Vec<String> {
        let open = self.contracts.iter().filter(|(_, count)| *count > 0);
        open.map(|(id, _)| id.to_owned()).collect()
    }

    /// Does something whole, or leaves core and plan as they were.
    pub(super) fn whole_or_not(
        &mut self,
        act: impl FnOnce(&mut State) -> Result<()>,
    ) -> Result<()> {
        let core = self.core.clone();
        let marks = (self.slices.mark(), self.contracts.mark());
        let done = act(self);
        if done.is_err() {
            self.core = core;
            self.slices.rollback_to(marks.0);
            self.contracts.rollback_to(marks.1);
        }
        done
    }

    /// Adds a line to the slice history.
    pub(super) fn record(
        &mut self,
        head: &Head,
        kind: RecordKind,
        slice_id: &str,
        commit: &str,
        run: Option<&Run>,
    ) {
        let record = HistoryRecord {
            kind,
            at: head.at,
            slice_id: slice_id.to_owned(),
            commit_sha: commit.to_owned(),
            head_sha: self.core.life.head_word().to_owned(),
            extra: speaker(run),
        };
        self.core.life.files.append(canonical::SLICE_HISTORY, &line(&record));
    }

    /// Adds a line to the stop-check history.
    pub(super) fn record_judgement(&mut self, head: &Head, report: &JudgeReport, run: &Run) {
        let mut extra = speaker(Some(run));
        extra.extend(text_extra("stop_wave_id", &self.core.wave.number));
        extra.extend(text_extra("reasons", &report.reasons));
        let record = JudgementRecord {
            at: head.at,
            head_sha: report.head_sha.clone(),
            can_stop: report.can_stop,
            blocker_count: report.blocker_count,
            high_value_gap_count: report.high_value_gap_count,
            extra,
        };
        self.core.life.files.append(canonical::JUDGEMENT_HISTORY, &line(&record));
    }

    /// After each fact: raise the questions that follow from the state, note which files are wanted
    /// anew, and date the facts.
    pub(super) fn settle(&mut self, head: &Head) {
        self.raise(head);
        if self.slices.touched() {
            self.core.grounding.plan_revision += 1;
        }
        let plan = self.core.grounding.plan_revision.to_string();
        let changed = self.core.before().is_none_or(|before| shown(before) != shown(&self.core));
        let mut keys =
            vec![(canonical::STATE, self.words(head), changed), (canonical::PLAN, plan, false)];
        if self.active_touched() {
            keys.push((canonical::ACTIVE, self.active_key(), false));
        }
        for (path, key, changed) in keys {
            if changed || self.core.keys.get(path) != Some(&key) {
                self.core.keys.insert(path.to_owned(), key);
                self.core.life.files.touch(path);
            }
        }
        table::note_all::<_, FactName>(self, head);
    }

    /// Questions that no single fact raises but the state as a whole.
    fn raise(&mut self, head: &Head) {
        let core = &self.core;
        let life = &core.life;
        let idle = life.asking.is_empty() && life.done.is_none() && life.at_rest();
        let only_deferred = core.grounding.planned
            && self.open_slices() == 0
            && self.slices.count("deferred") > 0
            && !life.end_with_deferred;
        if idle && only_deferred && head.control == Control::Running {
            self.core.life.asking.push(Topic::EndWithDeferred);
        }
    }

    /// What `state.json` says in words, which follow from the state as a whole.
    fn words(&self, head: &Head) -> String {
        let stands = decide::standing(self, head);
        let (phase, role) = (decide::phase(self, head, stands), decide::next_role(self, head));
        let (action, reason) = (decide::next_action(self, head), self.reason(head, stands));
        let policy = policy(head, stands);
        format!("{phase:?} {policy:?} {role:?} {} {reason}", action.unwrap_or_default())
    }

    /// Whether this event wrote what the active-slice file shows.
    fn active_touched(&self) -> bool {
        let slice = self.core.active.as_ref().map(|active| &active.slice_id);
        let touched = || self.slices.touched_rows().any(|one| Some(&one.slice_id) == slice);
        let core = &self.core;
        let same = |before: &Core| {
            before.active == core.active && before.extras.active == core.extras.active
        };
        !core.before().is_some_and(same) || touched()
    }

    fn active_key(&self) -> String {
        digest(&json::encode(&self.active_file()))
    }

    /// `state.json` as it should be.
    fn state_file(&self, head: &Head) -> StateFile {
        let core = &self.core;
        let grounding = &core.grounding;
        let stands = decide::standing(self, head);
        StateFile {
            mission_anchor: core.settings.mission.clone(),
            current_phase: decide::phase(self, head, stands),
            continuation_policy: policy(head, stands),
            continuation_reason: self.reason(head, stands),
            project_done: core.life.done.is_some(),
            requires_reground: core.reground.is_some(),
            slices_since_last_reground: grounding.slices_since,
            remaining_release_blockers: grounding.release_blockers,
            remaining_high_value_gaps: grounding.high_value_gaps,
            unsatisfied_contract_ids: self.open_contracts(),
            release_blocker_ids: grounding.release_blocker_ids.clone(),
            next_mandatory_action: decide::next_action(self, head),
            next_mandatory_role: decide::next_role(self, head),
            remaining_stop_judges: if core.life.done.is_some() { 0 } else { self.judges_left() },
            last_reground_at: grounding.at.map(rfc3339),
            last_auditor_verdict: grounding.auditor_verdict.clone(),
            contract_status: self.contract_status().to_owned(),
            latest_completed_slice: grounding.completed_slice.clone(),
            latest_verified_slice: grounding.verified_slice.clone(),
            extra: core.extras.state.clone(),
        }
    }

    fn contract_status(&self) -> &'static str {
        match (self.core.grounding.planned, self.open_slices()) {
            (false, _) => "unknown",
            (true, 0) if self.slices.count("deferred") == 0 => "satisfied",
            (true, _) => "open",
        }
    }

    /// Why the policy is what it is, in a sentence.
    pub(super) fn reason(&self, head: &Head, stands: Continuation) -> String {
        let core = &self.core;
        match stands {
            Continuation::Done => "Every slice is closed and the stop wave agreed.".to_owned(),
            Continuation::Blocked => match &core.life.blocked {
                Some(problem) => clip(&problem.to_string(), 500),
                None => "The budget for questions is spent.".to_owned(),
            },
            Continuation::AwaitUserInput => match core.life.asking.first() {
                Some(topic) => life::question(self, topic).text,
                None if proof::asks(head) => "You are asked what is to count as shown.".to_owned(),
                None => "A budget is spent.".to_owned(),
            },
            Continuation::Paused if head.control == Control::Held => {
                "Set up; the user has not started it yet.".to_owned()
            }
            Continuation::Paused => "The user has paused or stopped the mission.".to_owned(),
            Continuation::Continue => format!("Rule {}.", decide::rule(self, head).name),
        }
    }

    /// `plan.json` as it should be.
    pub(super) fn plan_file(&self) -> PlanFile {
        PlanFile {
            mission_anchor: self.core.settings.mission.clone(),
            last_reground_at: self.core.grounding.at.map(rfc3339),
            plan_basis: self.core.grounding.plan_basis.clone(),
            candidate_slices: self.slices.iter().map(slice_entry).collect(),
            extra: self.core.extras.plan.clone(),
        }
    }

    /// `active-slice.json` as it should be.
    pub(super) fn active_file(&self) -> ActiveFile {
        let mission = &self.core.settings.mission;
        let active = self.core.active.as_ref();
        let slice = active.and_then(|active| self.slices.get(&active.slice_id));
        let (Some(active), Some(slice)) = (active, slice) else {
            return ActiveFile {
                mission_anchor: mission.clone(),
                extra: self.core.extras.active.clone(),
                ..ActiveFile::default()
            };
        };
        ActiveFile {
            mission_anchor: mission.clone(),
            status: active.status,
            slice_id: Some(slice.slice_id.clone()),
            goal: Some(slice.goal.clone()),
            contract_ids: slice.contract_ids.clone(),
            acceptance_criteria: texts(&slice.criteria),
            priority: Some(i64::from(slice.priority)),
            why_now: Some(slice.why_now.clone()),
            blocked_on: slice.blocked_on.clone(),
            locked_notes: active.locked_notes.clone(),
            must_fix_findings: active.must_fix.clone(),
            basis_commit: Some(active.basis_commit.clone()),
            remaining_contract_ids_before: active.remaining_contract_ids_before.clone(),
            release_blocker_count_before: Some(active.release_blocker_count_before),
            high_value_gap_count_before: Some(active.high_value_gap_count_before),
            extra: self.core.extras.active.clone(),
        }
    }

    /// The content of a canonical file.
    ///
    /// # Errors
    /// `unknown_file` for a path that is not rendered.
    pub(super) fn render_file(&self, head: &Head, path: &str) -> Result<String> {
        Ok(match path {
            canonical::STATE => render(&self.state_file(head)),
            canonical::PLAN => render(&self.plan_file()),
            canonical::ACTIVE => render(&self.active_file()),
            canonical::PROFILE => render(&*self.core.profile),
            canonical::README => contract::readme(&self.core.profile.project_name),
            canonical::MISSION => contract::mission_md(&self.core.settings.mission),
            canonical::CONTROL_PLANE_SCRIPT => contract::control_plane_script(),
            canonical::STOP_SCRIPT => match &self.core.contract.stop_script_text {
                Some(text) => text.clone(),
                None => contract::stop_script(&self.core.contract.commands)?,
            },
            canonical::GITIGNORE => gitignore::merge_gitignore(&self.core.contract.gitignore),
            _ => {
                let expected = "a canonical file that is rendered";
                return Err(Error::new(Code::UnknownFile, "path", expected, path));
            }
        })
    }
}

/// What `state.json` shows besides words and the plan.
fn shown(core: &Core) -> impl PartialEq + '_ {
    let Core { life, reground, grounding, wave, profile, extras, .. } = core;
    let given = (wave.judgements.len(), profile.required_stop_judges);
    (life.done.is_some(), reground.is_some(), grounding, given, &extras.state)
}

/// A mission that is only held back from its start is one that continues.
fn policy(head: &Head, stands: Continuation) -> Policy {
    match stands {
        Continuation::Paused if head.control == Control::Held => Policy::Continue,
        Continuation::Continue => Policy::Continue,
        Continuation::AwaitUserInput => Policy::AwaitUserInput,
        Continuation::Blocked => Policy::Blocked,
        Continuation::Paused => Policy::Paused,
        Continuation::Done => Policy::Done,
    }
}

fn texts(criteria: &[Criterion]) -> Vec<String> {
    criteria.iter().map(|one| one.text.clone()).collect()
}

fn slice_entry(slice: &Slice) -> SliceEntry {
    SliceEntry {
        slice_id: slice.slice_id.clone(),
        goal: slice.goal.clone(),
        acceptance_criteria: texts(&slice.criteria),
        contract_ids: slice.contract_ids.clone(),
        priority: i64::from(slice.priority),
        status: slice.status,
        why_now: slice.why_now.clone(),
        blocked_on: slice.blocked_on.clone(),
        evidence: evidence(slice),
        extra: slice.extra.clone(),
    }
}

/// The proof of each criterion, one line each.
pub(super) fn evidence(slice: &Slice) -> Vec<String> {
    let mut lines = slice.evidence.clone();
    for criterion in &slice.criteria {
        match &criterion.state {
            CriterionState::Verified { verified_by, method, commit, proof, .. } => {
                let runs: Vec<String> = verified_by.iter().map(ToString::to_string).collect();
                let by = runs.join(" and ");
                let proof = proof.join(", ");
                lines.push(format!(
                    "{}: {proof}; verified at {commit} by runs {by}: {method}",
                    criterion.id
                ));
            }
            CriterionState::Waived { by, why } => {
                lines.push(format!("{}: waived by {by}: {why}", criterion.id));
            }
            CriterionState::Open
            | CriterionState::Claimed { .. }
            | CriterionState::Rejected { .. } => {}
        }
    }
    if let Some(Disposition::Deferred { reason }) = &slice.disposition {
        lines.push(format!("deferred: {reason}"));
    }
    lines
}

/// The speaker of a record.
fn speaker(run: Option<&Run>) -> Vec<Extra> {
    match run {
        None => text_extra("role", &"user").into_iter().collect(),
        Some(run) => {
            let role = text_extra("role", &run.role);
            role.into_iter().chain(text_extra("run", &run.by.run)).collect()
        }
    }
}

fn text_extra<T: serde::Serialize>(name: &str, value: &T) -> Option<Extra> {
    // Our own encoding is always one JSON value.
    Extra::new(name, json::encode(value)).ok()
}

/// Whether a slice cursor is at work.
pub(super) fn at_work(status: ActiveStatus) -> bool {
    !matches!(status, ActiveStatus::Idle | ActiveStatus::Done)
}
