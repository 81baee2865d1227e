//! The files of this protocol, all under `.agent/iteration/`: a `.gitignore` that hides them from git,
//! so that they never dirty a tree; the status, a projection; and one line per iteration.

use super::apply::STEP;
use super::handler::project::Phase;
use super::state::{Core, HandlerSilent, Judgement, Judging, State};
use crate::mission::life::Topic;
use crate::mission::prelude::*;
use crate::view::ClosedBy;
use crate::vocab::event::RunOutcome;
use crate::vocab::json;
use crate::vocab::time::rfc3339;
use std::borrow::Cow;

/// Hides the folder from git.
pub const GITIGNORE: &str = ".agent/iteration/.gitignore";
/// The state of the mission.
pub const STATUS: &str = ".agent/iteration/status.json";
/// One line per iteration.
pub const SUMMARIES: &str = ".agent/iteration/summaries.jsonl";

/// The status file.
#[derive(Serialize)]
struct Status<'a> {
    schema_version: u32,
    mission: &'a str,
    agent: &'a str,
    completion_type: &'a str,
    completion_criteria: String,
    iteration: u64,
    ceiling: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<Phase>,
    finding: Option<Finding>,
    description: Option<&'a str>,
    failed_in_a_row: u32,
    not_shown_in_a_row: u32,
    waits_for: Option<&'a str>,
    blocked: Option<&'a Diagnostic>,
    done: Option<Ended<'a>>,
}

#[derive(Serialize)]
struct Ended<'a> {
    at: String,
    iteration: u64,
    closed_by: ClosedBy,
    description: &'a str,
    waived: &'a [String],
}

/// One line of the history.
#[derive(Serialize, Readable)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    iteration: u64,
    run: EffectId,
    outcome: RunOutcome,
    summary: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phase: Option<Phase>,
    finding: Finding,
    description: Cow<'a, str>,
    problem: Option<Cow<'a, Diagnostic>>,
    at: String,
}

/// Checks one line of [`SUMMARIES`].
///
/// # Errors
/// The exact fault of a line that is no record.
pub fn check_line(line: &str) -> Result<()> {
    json::decode::<Line<'static>>(line).map(drop)
}

impl Core {
    fn shown_phase(&self) -> Option<Phase> {
        self.handler().has_phases().then_some(self.phase)
    }

    /// The status file.
    pub(super) fn status_text(&self) -> String {
        let settings = &self.settings;
        let status = Status {
            schema_version: 1,
            mission: &settings.mission,
            agent: &settings.definition.name,
            completion_type: settings.handler.word(),
            completion_criteria: settings.handler.criteria().short,
            iteration: self.iteration,
            ceiling: self.ceiling,
            phase: self.shown_phase(),
            finding: self.last.as_ref().map(|last| last.finding),
            description: self.last.as_ref().map(|last| last.words.as_str()),
            failed_in_a_row: self.life.attempts(STEP),
            not_shown_in_a_row: self.unshown,
            waits_for: self.life.asking.first().map(|topic| match topic {
                Topic::Own { .. } => HandlerSilent::WORD,
                topic => topic.word(),
            }),
            blocked: self.life.blocked.as_ref(),
            done: self.done.as_ref().map(|done| Ended {
                at: rfc3339(done.at),
                iteration: done.iteration,
                closed_by: done.closed_by,
                description: &done.description,
                waived: &done.waived,
            }),
        };
        let text = serde_json::to_string_pretty(&status).unwrap_or_default();
        format!("{text}\n")
    }

    /// The history line of a judged run.
    pub(super) fn line(&self, judging: &Judging, found: &Judgement) -> String {
        let summary = self.summaries.iter().find(|one| one.iteration == judging.iteration);
        let mut problems =
            found.answers.iter().flatten().filter_map(|answer| answer.problem.as_ref());
        json::encode(&Line {
            iteration: judging.iteration,
            run: judging.run,
            outcome: judging.outcome,
            summary: summary.map_or("...", |summary| summary.text.as_str()).into(),
            phase: self.shown_phase(),
            finding: found.finding,
            description: found.words.as_str().into(),
            problem: problems.next_back().map(Cow::Borrowed),
            at: rfc3339(judging.at),
        })
    }
}

/// The content of a file.
pub(super) fn render(state: &State, path: &str) -> Result<String> {
    match path {
        GITIGNORE => Ok("*\n".to_owned()),
        STATUS => Ok(state.core.status_text()),
        _ => Err(Error::new(Code::UnknownFile, path, [GITIGNORE, STATUS].join(" or "), path)),
    }
}
