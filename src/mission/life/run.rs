//! A run, from its start to its judgement.

use super::{Life, Particular, Said, Topic, Understood};
use crate::mission::admission::subject;
use crate::mission::report::{self, unheaded};
use crate::mission::role::{Cast, RoleSettings};
use crate::mission::worktree::Before;
use crate::mission::{Context, Head, Intent};
use crate::vocab::effect::{Order, SpawnRole, StopRole};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::event::{EffectId, RunEnded, RunOutcome, RunProgressed, RunStarted};
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::role::Access;
use crate::vocab::verdict::Speaker;
use schemars::JsonSchema;

/// A run that is alive, or has ended and is not judged yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MissionRun")]
pub struct Run {
    /// Its role.
    pub role: String,
    /// What it works on; blank for the mission as a whole.
    pub item: String,
    /// What it may do to the tree.
    pub access: Access,
    /// The run and its session.
    pub by: Speaker,
    /// Set if it answers a fault of an earlier report.
    pub corrects: Option<EffectId>,
    /// The tree before it.
    pub before: Before,
    /// It was told to end.
    pub ending: bool,
    /// Files of the engine's own that were found changed while it was at work.
    pub tampered: Vec<String>,
}

/// A run that ended, with its report if that could be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "EndedRun")]
pub struct Ended {
    /// The run.
    pub run: Run,
    /// Its report.
    pub report: Option<Said>,
    /// A look was under way when it ended: that one cannot know what its report names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub during_look: bool,
}

/// Who judges a run that ended.
pub(crate) enum JudgedBy {
    /// The life, by its report, after the look: without one that can be read it corrects it, or has failed.
    Report,
    /// The protocol, after the look, also without a report.
    Tree,
    /// The protocol has judged it, by the words alone.
    Words,
}

/// What failed since a step last succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MissionStep")]
pub struct Step {
    /// Failed runs in a row.
    pub attempts: u32,
    /// The report that the same run has to correct.
    pub correction: Option<Correction>,
}

/// The fault of a report that the same run has to correct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ReportCorrection")]
pub struct Correction {
    /// The run.
    pub of: EffectId,
    /// Its role: no other corrects it.
    pub role: String,
    /// The fault.
    pub fault: Diagnostic,
    /// The tree before a run that may write: the run that corrects its report is measured against that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Before>,
}

/// Why a run that ended has said nothing that can be taken.
pub(crate) enum Unsaid {
    /// Its report is not what it should be; the same run may correct it.
    Unfit(Error),
    /// It did not come to a report.
    Failed(Error),
}

impl Unsaid {
    fn fault(&self) -> &Error {
        match self {
            Unsaid::Unfit(fault) | Unsaid::Failed(fault) => fault,
        }
    }
}

fn spawned<'a>(context: &'a Context<'_>) -> Result<&'a SpawnRole> {
    match subject(context)? {
        Order::SpawnRole(spawn) => Ok(spawn),
        _ => Err(Error::new(Code::BrokenOutbox, "outbox", "a role", "another order")),
    }
}

/// A report for this mission, whose block `read` understands.
///
/// # Errors
/// As [`report::read`].
pub(crate) fn read<T: PartialEq>(
    mission: &dyn Particular,
    text: &str,
    read: impl Fn(&str) -> Result<T>,
) -> Result<T> {
    let read = |_: &str, block: &str| read(block).map_err(|error| error.within("json"));
    report::read(mission.anchor(), text, &["json"], read).map(|found| found.report)
}

/// The form at the end of a prompt: what the report of a role must be, and what was wrong with the last one.
pub(crate) fn form(
    mission: &dyn Particular,
    cast: &Cast,
    item: &str,
    open: &str,
    example: &str,
) -> String {
    let again = mission.life().attempts(&mission.step(cast.name, item)) > 0;
    form_of(mission, cast, item, open, example, again).text()
}

/// The same before it is text; a whole report is shown where `again`, if reports were refused.
pub(crate) fn form_of<'a>(
    mission: &'a dyn Particular,
    cast: &'a Cast,
    item: &str,
    open: &'a str,
    example: &'a str,
    again: bool,
) -> report::Form<'a> {
    let (life, step) = (mission.life(), mission.step(cast.name, item));
    report::Form {
        anchor: mission.anchor(),
        open,
        language: "`json`",
        schema: cast.schema,
        example,
        correction: life.correction(cast.name, &step).map(|one| (one.of, &one.fault)),
        again: again && life.counts.refused_reports > 1,
    }
}

pub(super) fn started(
    mission: &mut dyn Particular,
    context: &Context<'_>,
    fact: &RunStarted,
) -> Result<()> {
    let spawn = spawned(context)?;
    let (role, item) = (spawn.role.clone(), spawn.item.clone().unwrap_or_default());
    let corrected = mission.life().correction(&role, &mission.step(&role, &item));
    let corrected = corrected.and_then(|one| one.before.clone());
    let before = corrected.filter(|_| spawn.corrects.is_some());
    let run = Run {
        role,
        item,
        access: spawn.access,
        by: Speaker::new(fact.effect, fact.session.clone()),
        corrects: spawn.corrects,
        before: before.unwrap_or_else(|| Before::of(mission.life().seen.as_ref())),
        ending: false,
        tampered: Vec::new(),
    };
    mission.started(context, &run);
    let life = mission.life_mut();
    *life.visits.entry(run.role.clone()).or_default() += 1;
    life.runs.push(run);
    Ok(())
}

impl Life {
    /// The order of a role for an item.
    pub(crate) fn spawn(
        &self,
        cast: &Cast,
        (item, step): (Option<&str>, &str),
        settings: Option<&RoleSettings>,
        prompt: String,
    ) -> SpawnRole {
        SpawnRole {
            role: cast.name.to_owned(),
            item: item.map(str::to_owned),
            visit: self.visits.get(cast.name).copied().unwrap_or(0) + 1,
            prompt,
            report_schema: cast.schema.to_owned(),
            tier: settings.and_then(|settings| settings.tier).unwrap_or(cast.tier),
            access: cast.access,
            limits: settings.and_then(|settings| settings.limits).unwrap_or_default(),
            corrects: self.correction(cast.name, step).map(|one| one.of),
        }
    }

    /// The run of this id, if it is alive.
    fn run(&mut self, id: EffectId) -> Option<&mut Run> {
        self.runs.iter_mut().find(|run| run.by.run == id)
    }

    /// The same, taken out of those that are alive.
    fn take(&mut self, id: EffectId) -> Result<Run> {
        let place = self.runs.iter().position(|run| run.by.run == id);
        let none = || {
            let got = format!("run {id}");
            Error::new(Code::BrokenTopology, "core.life.runs", "the run that ended", got)
        };
        place.map(|place| self.runs.remove(place)).ok_or_else(none)
    }

    /// Enters the sessions that a run names: none of them judges what it claims.
    pub(super) fn progressed(&mut self, fact: &RunProgressed) {
        let run = self.run(fact.effect);
        run.into_iter().for_each(|run| fact.sessions().for_each(|one| run.by.named(one)));
    }

    /// A run was told to end.
    pub(super) fn told_to_end(&mut self, id: EffectId) {
        if let Some(run) = self.run(id) {
            run.ending = true;
        }
    }

    /// Orders to end these runs and commands, once each.
    pub(crate) fn end_all(head: &Head, all: impl Iterator<Item = EffectId>) -> Vec<Intent> {
        let told = |run: EffectId| {
            head.awaits(|order| matches!(order, Order::StopRole(one) if one.run == run && one.kill))
        };
        let due = all.filter(|run| !told(*run));
        due.map(|run| Order::StopRole(StopRole { run, kill: true }).into()).collect()
    }

    /// Whether a run answers the fault of a report, rather than continuing earlier work.
    pub(crate) fn mends(&self, run: &Run, step: &str) -> bool {
        let correction = self.correction(&run.role, step);
        correction.is_some_and(|correction| Some(correction.of) == run.corrects)
    }

    /// The same run is to report once more.
    pub(crate) fn correct(&mut self, step: String, correction: Correction) {
        self.last_problem = Some(correction.fault.clone());
        self.steps.entry(step).or_default().correction = Some(correction);
    }

    /// Files of the engine's own were found changed: it is held against all who are at work, or were and are not judged yet.
    pub(super) fn found_touched(&mut self, paths: &[String]) {
        let ended = self.ended.iter_mut().map(|ended| &mut ended.run);
        let all = self.runs.iter_mut().chain(ended);
        all.for_each(|run| run.tampered.extend_from_slice(paths));
    }

    /// Counts one more failure of a step; at the limit the user is asked.
    pub(crate) fn failed(
        &mut self,
        step: String,
        most: u32,
        role: &str,
        item: &str,
        problem: Diagnostic,
    ) {
        if self.count_failure(step, problem.clone()) >= most {
            let (role, item) = (role.to_owned(), item.to_owned());
            self.asking.push(Topic::StepStuck { role, item, problem });
        }
    }

    /// Counts one more failure of a step in a row; answers with how many there are.
    pub(crate) fn count_failure(&mut self, step: String, problem: Diagnostic) -> u32 {
        self.last_problem = Some(problem);
        let one = self.steps.entry(step).or_default();
        one.attempts += 1;
        one.correction = None;
        one.attempts
    }
}

pub(super) fn ended(
    mission: &mut dyn Particular,
    context: &Context<'_>,
    fact: &RunEnded,
) -> Result<()> {
    spawned(context)?;
    let run = mission.life_mut().take(fact.effect)?;
    mission.life_mut().stale();
    let said = mission.said(&run, fact);
    context.reported.set(said.is_ok());
    let heard = mission.heard(context, &run, fact, said.as_ref().map_err(Unsaid::fault));
    let report = match (heard, said) {
        (JudgedBy::Words, _) => return Ok(()),
        (JudgedBy::Report | JudgedBy::Tree, _) if mission.dropped(&run) => None,
        (JudgedBy::Report | JudgedBy::Tree, Ok(said)) => {
            let note = unheaded(mission.anchor(), said.text());
            let life = mission.life_mut();
            life.last_problem = note.or(life.last_problem.take());
            Some(said)
        }
        (JudgedBy::Tree, Err(_)) => None,
        (JudgedBy::Report, Err(Unsaid::Unfit(fault))) => {
            unfit(mission, context, &run, &fault);
            None
        }
        (JudgedBy::Report, Err(Unsaid::Failed(fault))) => {
            mission.life_mut().counts.failed_runs += 1;
            mission.fail_step(context, &run.role, &run.item, fault.diagnostic());
            None
        }
    };
    let during_look = context.head.awaits(Order::is_look);
    mission.life_mut().ended.push(Ended { run, report, during_look });
    Ok(())
}

/// The report of a run that ended well, if it can be read.
pub(super) fn said(
    fact: &RunEnded,
    understand: impl Fn(&str) -> Result<Understood>,
) -> Result<Said, Unsaid> {
    let text = words(fact)?;
    understand(text).map(|read| Said::new(text, read)).map_err(Unsaid::Unfit)
}

/// What a run said that ended well.
pub(crate) fn words(fact: &RunEnded) -> Result<&str, Unsaid> {
    match (fact.outcome, &fact.report) {
        (RunOutcome::Success, Some(text)) => Ok(text),
        (RunOutcome::Success, None) => Err(silent()),
        (
            RunOutcome::Partial | RunOutcome::Checkpoint | RunOutcome::Failed | RunOutcome::Lost,
            _,
        ) => Err(unfinished(fact)),
    }
}

/// It ended well, and without a word.
pub(crate) fn silent() -> Unsaid {
    Unsaid::Unfit(Error::new(Code::RunSilent, "report", "a report", "none"))
}

/// It did not end well.
pub(crate) fn unfinished(fact: &RunEnded) -> Unsaid {
    let Diagnostic { code, at, expected, got } =
        fact.problem.clone().unwrap_or_else(|| failure(fact));
    Unsaid::Failed(Error::new(code, at, expected, got))
}

/// Why a run that did not succeed counts as failed, where the host named no problem of its own.
pub(crate) fn failure(fact: &RunEnded) -> Diagnostic {
    let exhausted = fact.usage.turns_exhausted || fact.usage.context_exhausted;
    let (code, got) = match (exhausted, fact.outcome) {
        (true, _) => (Code::RunExhausted, "turns or context used up"),
        (false, RunOutcome::Lost) => (Code::RunLost, "no result"),
        (false, RunOutcome::Success) => (Code::RunSilent, "a run that said nothing"),
        (false, _) => (Code::RunFailed, "no success"),
    };
    Error::new(code, fact.effect.to_string(), "a finished run", got).diagnostic()
}

/// A report that cannot be taken is answered once to the same run with its fault; twice bad is a failed run. Another
/// mission's anchor is drift and gets no second chance.
pub(super) fn unfit(mission: &mut dyn Particular, context: &Context<'_>, run: &Run, fault: &Error) {
    let step = mission.step(&run.role, &run.item);
    let life = mission.life_mut();
    life.counts.refused_reports += 1;
    let again = !life.mends(run, &step) && fault.code != Code::AnchorMismatch;
    if !again || !mission.correctable(&run.item) {
        return mission.fail_step(context, &run.role, &run.item, fault.diagnostic());
    }
    let before = (run.access == Access::Write).then(|| run.before.clone());
    let (of, role, fault) = (run.by.run, run.role.clone(), fault.diagnostic());
    mission.life_mut().correct(step, Correction { of, role, fault, before });
}
