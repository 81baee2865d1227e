//! The files of this protocol, all ignored by git: a record for each turn, and the state of the tasks.

use super::ask;
use super::decision::{Decided, Decision};
use super::progress;
use super::state::{Play, State, StopReason, Task};
use super::turn::Heard;
use crate::mission::prelude::*;
use crate::vocab::json;
use crate::vocab::time::rfc3339;
use crate::vocab::verdict::ClaimStatus;
use std::fmt::Write;

/// Keeps git away from the directory.
pub const IGNORE: &str = ".agent/promise/.gitignore";
/// Keeps git away from scratch.
pub const SCRATCH_IGNORE: &str = ".agent/tmp/.gitignore";
/// The state of every task, for people.
pub const PROGRESS: &str = ".agent/promise/progress.md";
/// One line per turn; only ever appended to.
pub const TURNS: &str = ".agent/promise/turns.jsonl";

/// The number of verified criteria among all: a waived criterion is not verified.
pub(super) fn verified(criteria: &[Criterion]) -> (u64, u64) {
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let shown = |one: &&Criterion| one.verified();
    (count(criteria.iter().filter(shown).count()), count(criteria.len()))
}

/// One line of [`TURNS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseTurnRecord")]
pub struct TurnRecord {
    /// The task.
    pub task_id: String,
    /// The turn, from 1.
    pub turn: u32,
    /// When it ended, RFC 3339.
    pub at: String,
    /// The commit everything was shown at.
    pub commit: String,
    /// The run that promised.
    pub player_run: Option<String>,
    /// The run that verified.
    pub coach_run: Option<String>,
    /// `approve`, `feedback`, or `none` for a turn that came to no decision.
    pub decision: String,
    /// The coach's own word.
    pub coach_decision: Option<String>,
    /// Why the coach's word was not taken.
    pub overruled: Option<String>,
    /// Criteria verified or waived.
    pub criteria_verified: u64,
    /// All criteria of the task.
    pub criteria_total: u64,
    /// The same in hundredths, rounded half up.
    pub progress_pct: u64,
    /// Criteria that were claimed to be blocked.
    pub blocking_criteria: Vec<BlockedCriterion>,
    /// The overall statement of the promise.
    pub statement: String,
    /// What was promised.
    pub completion_promise: Vec<PromisedRow>,
    /// What was found.
    pub criteria_verification: Vec<VerifiedRow>,
    /// What the tests said: `passed`, `failed` or `not_shown`.
    pub tests: String,
    /// True complete claims of those made; `None` if none was made.
    pub honesty: Option<(u64, u64)>,
    /// What was in the way whatever the criteria.
    pub blocking_issues: Vec<String>,
    /// What the next turn is told.
    pub feedback: Vec<String>,
    /// Rows that could not be taken as they stood.
    pub faults: Vec<String>,
    /// Why the loop ended with this turn, if it did.
    pub stop_reason: Option<StopReason>,
}

/// A criterion that was claimed to be blocked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockedCriterion {
    /// Its id.
    pub criterion_id: String,
    /// Its text.
    pub criterion: String,
}

/// One promised criterion, in the words of the format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromisedRow {
    /// Its id.
    pub criterion_id: String,
    /// Its text.
    pub criterion: String,
    /// `verified`, `partial`, `blocked` or `not_started`.
    pub status: String,
    /// The typed proof, one line each.
    pub evidence: Vec<String>,
    /// The claim was matched to the criterion by similarity only.
    pub similar: bool,
}

/// One verified criterion, in the words of the format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifiedRow {
    /// Its id.
    pub criterion_id: String,
    /// What the player said.
    pub player_status: String,
    /// Whether a coach showed it to hold; `None` if nothing was shown.
    pub coach_verified: Option<bool>,
    /// How it was found out.
    pub verification_method: String,
    /// Where coach and player disagree.
    pub discrepancy: Option<String>,
}

/// The word of a claim in files.
fn claim_word(status: ClaimStatus) -> &'static str {
    match status {
        ClaimStatus::Complete => "verified",
        ClaimStatus::Partial => "partial",
        ClaimStatus::Blocked => "blocked",
        ClaimStatus::NotStarted => "not_started",
    }
}

fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Approve => "approve",
        Decision::Feedback => "feedback",
    }
}

fn tests_word(finding: Finding) -> &'static str {
    match finding {
        Finding::Holds => "passed",
        Finding::DoesNotHold => "failed",
        Finding::NotShown => "not_shown",
    }
}

/// A turn that came to a decision, before it is entered.
pub(super) struct Turn<'a> {
    pub(super) task: &'a Task,
    pub(super) play: &'a Play,
    pub(super) criteria: &'a [Criterion],
    pub(super) run: &'a Run,
    pub(super) heard: &'a Heard,
    pub(super) decided: &'a Decided,
    pub(super) lines: &'a [String],
    pub(super) stop: Option<StopReason>,
}

impl Turn<'_> {
    /// The line of the history.
    pub(super) fn line(&self, at: Millis) -> String {
        let (heard, play) = (self.heard, self.play);
        let mut record = empty(self.task, play, at);
        record.commit.clone_from(&heard.judgement.commit);
        record.coach_run = Some(self.run.by.run.to_string());
        record.decision = word(self.decided.decision).to_owned();
        record.coach_decision = heard.word.map(|said| word(said).to_owned());
        record.overruled = self.decided.overruled.clone();
        let (shown, total) = verified(self.criteria);
        (record.criteria_verified, record.criteria_total) = (shown, total);
        record.progress_pct = progress::percent(shown, total);
        record.criteria_verification = self.criteria.iter().map(|one| self.verified(one)).collect();
        record.honesty = play.turns.last().and_then(|mark| mark.honesty);
        record.tests = tests_word(play.tests).to_owned();
        record.blocking_issues.clone_from(&heard.blocking);
        record.feedback = self.lines.to_vec();
        record.faults.extend(heard.faults.iter().map(ToString::to_string));
        record.stop_reason = self.stop;
        json::encode(&record)
    }

    fn verified(&self, criterion: &Criterion) -> VerifiedRow {
        let id = &criterion.id;
        let promise = self.play.promise.as_ref();
        let claim = promise.and_then(|one| one.claims.iter().find(|claim| claim.criterion == *id));
        let verdict = self.heard.judgement.verdicts.iter().find(|one| one.criterion == *id);
        VerifiedRow {
            criterion_id: id.clone(),
            player_status: claim.map_or("not_claimed", |claim| claim_word(claim.status)).to_owned(),
            coach_verified: match &criterion.state {
                CriterionState::Verified { .. } => Some(true),
                CriterionState::Rejected { .. } => Some(false),
                CriterionState::Open
                | CriterionState::Claimed { .. }
                | CriterionState::Waived { .. } => None,
            },
            verification_method: verdict.map(|one| one.method.clone()).unwrap_or_default(),
            discrepancy: self.heard.discrepancies.get(id).cloned(),
        }
    }

    /// What people are told when the turn is over.
    pub(super) fn progress(&self) -> String {
        let (shown, total) = verified(self.criteria);
        let mut text = format!(
            "{} turn {}: {} ({})",
            self.task.id,
            self.play.turn,
            progress::line(shown, total),
            word(self.decided.decision)
        );
        if let Some(why) = &self.decided.overruled {
            let _ = write!(text, "; the coach's approval is overruled: {why}");
        }
        let blocked: Vec<String> = blocked(self.task, self.play)
            .into_iter()
            .map(|one| format!("{} {}", one.criterion_id, clip(&one.criterion, 80)))
            .collect();
        if !blocked.is_empty() {
            let _ = write!(text, "; blocked: {}", blocked.join("; "));
        }
        if let Some(reason) = self.stop.filter(|reason| *reason != StopReason::Approved) {
            let _ = write!(text, "; the turns end: {}", ask::words(reason));
        }
        text
    }
}

/// Criteria that this turn's promise says are blocked; between two promises, those that a coach heard
/// to be.
pub(super) fn blocked(task: &Task, play: &Play) -> Vec<BlockedCriterion> {
    let row =
        |id: &str| BlockedCriterion { criterion_id: id.to_owned(), criterion: text_of(task, id) };
    let open = |id: &&String| {
        task.criteria.iter().any(|one| one.id == **id && one.state == CriterionState::Open)
    };
    match &play.promise {
        Some(promise) => {
            let all = promise.claims.iter();
            let blocked = all.filter(|claim| claim.status == ClaimStatus::Blocked);
            blocked.map(|claim| row(&claim.criterion)).collect()
        }
        None => play.blocks_heard.iter().filter(open).map(|id| row(id)).collect(),
    }
}

fn text_of(task: &Task, id: &str) -> String {
    let known = task.criteria.iter().find(|one| one.id == id);
    known.map(|one| one.text.clone()).unwrap_or_default()
}

fn empty(task: &Task, play: &Play, at: Millis) -> TurnRecord {
    let promise = play.promise.as_ref();
    let (shown, total) = verified(&task.criteria);
    let row = |claim: &crate::vocab::verdict::Claim| PromisedRow {
        criterion_id: claim.criterion.clone(),
        criterion: text_of(task, &claim.criterion),
        status: claim_word(claim.status).to_owned(),
        evidence: claim.evidence.iter().map(Evidence::line).collect(),
        similar: promise.is_some_and(|one| one.similar.contains(&claim.criterion)),
    };
    TurnRecord {
        task_id: task.id.clone(),
        turn: play.turn,
        at: rfc3339(at),
        commit: promise.map(|promise| promise.commit.clone()).unwrap_or_default(),
        player_run: promise.map(|promise| promise.by.run.to_string()),
        coach_run: None,
        decision: "none".to_owned(),
        coach_decision: None,
        overruled: None,
        criteria_verified: shown,
        criteria_total: total,
        progress_pct: progress::percent(shown, total),
        blocking_criteria: blocked(task, play),
        statement: promise.map(|promise| promise.statement.clone()).unwrap_or_default(),
        completion_promise: promise
            .map(|one| one.claims.iter().map(row).collect())
            .unwrap_or_default(),
        criteria_verification: Vec::new(),
        tests: tests_word(play.tests).to_owned(),
        honesty: None,
        blocking_issues: Vec::new(),
        feedback: Vec::new(),
        faults: promise
            .map(|one| one.faults.iter().map(ToString::to_string).collect())
            .unwrap_or_default(),
        stop_reason: None,
    }
}

/// Enters a turn that came to a decision: its line, what people are told, where the tasks stand.
pub(super) fn turn_ended(state: &mut State, line: String, progress: String) {
    state.core.life.files.append(TURNS, &line);
    state.core.life.files.say(Level::Info, progress);
    state.core.life.files.touch(PROGRESS);
}

/// Enters a turn that came to none: it was cancelled, or its time was over.
pub(super) fn stopped(state: &mut State, at: Millis, id: &str, reason: StopReason) {
    let Some(task) = state.tasks.get(id) else { return };
    let Some(play) = task.play.as_deref() else { return };
    let mut record = empty(task, play, at);
    record.stop_reason = Some(reason);
    let text = format!("{id} turn {}: {}", play.turn, ask::words(reason));
    let line = json::encode(&record);
    state.core.life.files.append(TURNS, &line);
    state.core.life.files.say(Level::Warning, text);
    state.core.life.files.touch(PROGRESS);
}

/// Checks one line of [`TURNS`].
///
/// # Errors
/// The exact fault of a line that is no record.
pub fn check_line(line: &str) -> Result<()> {
    json::decode::<TurnRecord>(line).map(drop)
}

/// The content of a projection.
///
/// # Errors
/// `unknown_file` for another path.
pub(super) fn render(state: &State, _: &Head, path: &str) -> Result<String> {
    match path {
        IGNORE | SCRATCH_IGNORE => Ok("*\n".to_owned()),
        PROGRESS => Ok(progress_page(state)),
        other => {
            Err(Error::new(Code::UnknownFile, "path", "a file of the promise protocol", other))
        }
    }
}

fn progress_page(state: &State) -> String {
    let mut page = format!("# {}\n\n", state.core.settings.mission);
    for task in state.tasks.iter() {
        let (shown, total) = verified(&task.criteria);
        let _ = writeln!(
            page,
            "## {} · {} · {}\n\n{}\n",
            task.id,
            task.status.as_str(),
            progress::line(shown, total),
            task.title
        );
        if let Some(play) = task.play.as_deref() {
            let _ = writeln!(page, "Turn {} of at most {}.\n", play.turn, play.turn_limit);
            for one in blocked(task, play) {
                let _ = writeln!(page, "Blocked: {} {}\n", one.criterion_id, one.criterion);
            }
        }
        let play = task.play.as_deref();
        let blocked: Vec<String> = play
            .map(|play| blocked(task, play).into_iter().map(|one| one.criterion_id).collect())
            .unwrap_or_default();
        for criterion in &task.criteria {
            let mark = if criterion.settled() { 'x' } else { ' ' };
            let text = crate::vocab::text::one_line(&criterion.text);
            let word = match blocked.contains(&criterion.id) {
                true => "blocked".to_owned(),
                false => state_word(&criterion.state),
            };
            let _ = writeln!(page, "- [{mark}] {}: {text} ({word})", criterion.id);
        }
        page.push('\n');
    }
    page
}

fn state_word(state: &CriterionState) -> String {
    match state {
        CriterionState::Open => "open".to_owned(),
        CriterionState::Verified { commit, .. } => format!("verified at {}", clip(commit, 10)),
        CriterionState::Rejected { .. } => "rejected".to_owned(),
        CriterionState::Waived { by, .. } => format!("waived by {by}"),
        CriterionState::Claimed { .. } => "claimed".to_owned(),
    }
}
