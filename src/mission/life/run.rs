//! A run, from its start to its judgement.

use super::{Life, Particular, Topic};
use crate::mission::Context;
use crate::mission::admission::subject;
use crate::mission::report::{self, unheaded};
use crate::mission::role::{Cast, RoleSettings};
use crate::mission::run::{failure, name_sessions, take};
use crate::mission::worktree::Before;
use crate::vocab::effect::{Order, SpawnRole};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::event::{EffectId, RunEnded, RunOutcome, RunProgressed, RunStarted};
use crate::vocab::role::Access;
use crate::vocab::verdict::Speaker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run that is alive, or has ended and is not judged yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "EndedRun")]
pub struct Ended {
    /// The run.
    pub run: Run,
    /// The text of its report.
    pub report: Option<String>,
}

/// What failed since a step last succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MissionStep")]
pub struct Step {
    /// Failed runs in a row.
    pub attempts: u32,
    /// The report that the same run has to correct.
    pub correction: Option<Correction>,
}

/// The fault of a report that the same run has to correct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ReportCorrection")]
pub struct Correction {
    /// The run.
    pub of: EffectId,
    /// Its role: no other corrects it.
    pub role: String,
    /// The fault.
    pub fault: Diagnostic,
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
    let (life, step) = (mission.life(), mission.step(cast.name, item));
    let form = report::Form {
        anchor: mission.anchor(),
        open,
        language: "`json`",
        schema: cast.schema,
        example,
        correction: life.correction(cast.name, &step).map(|one| (one.of, &one.fault)),
        again: life.attempts(&step) > 0 && life.counts.refused_reports > 1,
    };
    form.text()
}

pub(super) fn started(
    mission: &mut dyn Particular,
    context: &Context<'_>,
    fact: &RunStarted,
) -> Result<()> {
    let spawn = spawned(context)?;
    let run = Run {
        role: spawn.role.clone(),
        item: spawn.item.clone().unwrap_or_default(),
        access: spawn.access,
        by: Speaker::new(fact.effect, fact.session.clone()),
        corrects: spawn.corrects,
        before: Before::of(mission.life().seen.as_ref()),
        ending: false,
        tampered: Vec::new(),
    };
    mission.started(&run);
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

    /// Enters the sessions that a run names: none of them judges what it claims.
    pub(super) fn progressed(&mut self, fact: &RunProgressed) {
        name_sessions(self.run(fact.effect).map(|run| &mut run.by), fact);
    }

    /// A run was told to end.
    pub(super) fn told_to_end(&mut self, id: EffectId) {
        if let Some(run) = self.run(id) {
            run.ending = true;
        }
    }

    /// Files of the engine's own were found changed: it is held against all who are at work.
    pub(super) fn found_touched(&mut self, paths: &[String]) {
        self.runs.iter_mut().for_each(|run| run.tampered.extend_from_slice(paths));
    }

    pub(super) fn failed(
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
    let run = take(&mut mission.life_mut().runs, fact, |run| run.by.run)?;
    mission.life_mut().stale();
    if mission.heard(context, &run, fact) {
        return Ok(());
    }
    let report = match mission.dropped(&run.item) {
        true => None,
        false => said(mission, &run, fact),
    };
    mission.life_mut().ended.push(Ended { run, report });
    Ok(())
}

/// The report of a run that ended well, if it can be read. Else the run is to correct it, or has failed.
fn said(mission: &mut dyn Particular, run: &Run, fact: &RunEnded) -> Option<String> {
    let read = match (fact.outcome, &fact.report) {
        (RunOutcome::Success, Some(text)) => mission.readable(&run.role, text).map(|()| text),
        (RunOutcome::Success, None) => {
            Err(Error::new(Code::RunSilent, "report", "a report", "none"))
        }
        (
            RunOutcome::Partial | RunOutcome::Checkpoint | RunOutcome::Failed | RunOutcome::Lost,
            _,
        ) => {
            mission.life_mut().counts.failed_runs += 1;
            let problem = fact.problem.clone().unwrap_or_else(|| failure(fact));
            mission.fail_step(&run.role, &run.item, problem);
            return None;
        }
    };
    match read {
        Ok(text) => {
            let note = unheaded(mission.anchor(), text);
            let life = mission.life_mut();
            life.last_problem = note.or(life.last_problem.take());
            Some(text.clone())
        }
        Err(fault) => {
            unfit(mission, run, &fault);
            None
        }
    }
}

/// A report that cannot be taken is answered once to the same run with its fault; twice bad is a failed run. Another
/// mission's anchor is drift and gets no second chance.
pub(super) fn unfit(mission: &mut dyn Particular, run: &Run, fault: &Error) {
    mission.life_mut().counts.refused_reports += 1;
    let again = run.corrects.is_none() && fault.code != Code::AnchorMismatch;
    if !again || !mission.correctable(&run.item) {
        return mission.fail_step(&run.role, &run.item, fault.diagnostic());
    }
    let step = mission.step(&run.role, &run.item);
    let life = mission.life_mut();
    life.last_problem = Some(fault.diagnostic());
    let (of, role) = (run.by.run, run.role.clone());
    let correction = Correction { of, role, fault: fault.diagnostic() };
    life.steps.entry(step).or_default().correction = Some(correction);
}
