//! Hosted runs: an agent that is there already, a session of the user's, plays a role itself.
//!
//! No process is started. The driver makes a mark durable, states that the run started, and waits for
//! the report, which comes through the [`inbox`](super::inbox) and is taken once. There is nothing to
//! lose with the driver: one that comes back finds the mark and waits on. The time a run has is counted
//! from its start by the journal, so it runs on while no driver is alive.
//!
//! **Only roles that claim can be hosted** ([`Engine::claimants`](crate::Engine::claimants)): whoever
//! hosts must not give verdicts on its own work.

use super::durable;
use super::error::{HostError, HostResult, problem};
use super::process::GRACE;
use super::runs;
use super::store::Places;
use crate::engine::Engine;
use crate::vocab::effect::{Delivery, Order, Outstanding};
use crate::vocab::error::{Code, Error};
use crate::vocab::event::{EffectId, RunEnded, RunOutcome};
use crate::vocab::json::{self, Readable, Serialize};
use crate::vocab::role::{HOSTED_SESSION, Usage};
use crate::vocab::time::Millis;
use schemars::JsonSchema;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// What an agent says of the run it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostedReport {
    /// The run, as it was given out.
    pub run: EffectId,
    /// The whole report.
    pub text: String,
}

/// The roles of `wanted` by their full names.
///
/// # Errors
/// `usage` for a role that does not claim: verdicts are given by others.
pub fn roles(engine: &Engine, wanted: &[String]) -> HostResult<BTreeSet<String>> {
    let known = engine.claimants();
    let full = |word: &String| {
        let fits =
            |role: &&&str| **role == word || role.split_once('-').is_some_and(|r| r.1 == word);
        known.iter().find(fits).map(|role| (*role).to_owned()).ok_or_else(|| HostError::Usage {
            at: "hosted".to_owned(),
            expected: format!("a role that claims: {}", known.join(", ")),
            got: word.clone(),
        })
    };
    wanted.iter().map(full).collect()
}

/// The hosted runs that wait for their report, each with the time its report is due.
#[derive(Debug, Default)]
pub(super) struct Hosted {
    waiting: BTreeMap<EffectId, Millis>,
}

impl Hosted {
    /// Makes the mark of a run durable, before anybody hears that it started.
    pub(super) fn mark(&self, places: &Places, id: EffectId) -> HostResult<()> {
        let folder = places.run(&id.to_string());
        let path = mark_of(places, id);
        let text = json::encode(&BTreeMap::from([("effect", id)]));
        fs::create_dir_all(&folder)
            .and_then(|()| durable::replace(&path, &folder, text.as_bytes(), false))
            .map_err(|error| HostError::io("write", path, error))
    }

    /// Waits for the report of a run until `due`.
    pub(super) fn wait(&mut self, id: EffectId, due: Millis) {
        self.waiting.insert(id, due);
    }

    pub(super) fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(super) fn forget(&mut self, id: EffectId) {
        self.waiting.remove(&id);
    }

    /// Ends a run at once, or leaves it the time a process would have to wind up.
    pub(super) fn stop(&mut self, id: EffectId, kill: bool, now: Millis) {
        let grace = if kill { 0 } else { u64::try_from(GRACE.as_millis()).unwrap_or(0) };
        if let Some(due) = self.waiting.get_mut(&id) {
            *due = (*due).min(now.saturating_add(grace));
        }
    }

    /// The runs whose time is up at `now`.
    pub(super) fn overdue(&self, now: Millis) -> Vec<EffectId> {
        let late = self.waiting.iter().filter(|(_, due)| **due <= now);
        late.map(|(id, _)| *id).collect()
    }
}

/// Whether this run is hosted: its start and its mark say so, whatever a later driver was told. A mark
/// alone makes no run of an agent's process one that anybody may report.
pub(super) fn is_hosted(places: &Places, one: &Outstanding) -> bool {
    let started = match &one.delivery {
        Delivery::Started { session, .. } => session.as_deref() == Some(HOSTED_SESSION),
        _ => true,
    };
    started && mark_of(places, one.effect.id).exists()
}

fn mark_of(places: &Places, id: EffectId) -> PathBuf {
    places.run(&id.to_string()).join("hosted.json")
}

/// The end of a run with the report of its agent.
///
/// # Errors
/// `unknown_effect`, `stale_answer`, `not_hosted` for a run that somebody else was given, `run_silent`.
pub(super) fn reported(
    engine: &Engine,
    places: &Places,
    said: &HostedReport,
    now: Millis,
) -> Result<RunEnded, Error> {
    let head = &engine.snapshot().head;
    let got = said.run.to_string();
    let Some(outstanding) = head.find(said.run) else {
        let code = if said.run.seq > head.seq { Code::UnknownEffect } else { Code::StaleAnswer };
        return Err(Error::new(code, "report.run", "a run that waits for its report", got));
    };
    let claims = |role: &String| engine.claimants().contains(&role.as_str());
    let started = match (&outstanding.effect.order, &outstanding.delivery) {
        (Order::SpawnRole(spawn), Delivery::Started { at, .. })
            if is_hosted(places, outstanding) && claims(&spawn.role) =>
        {
            *at
        }
        _ => {
            let expected = "a run that was given to the agent that reports";
            return Err(Error::new(Code::NotHosted, "report.run", expected, got));
        }
    };
    if said.text.trim().is_empty() {
        return Err(Error::new(Code::RunSilent, "report.text", "a report", "nothing"));
    }
    Ok(RunEnded {
        effect: said.run,
        outcome: RunOutcome::Success,
        report: Some(said.text.clone()),
        problem: None,
        usage: Usage { duration_ms: now.saturating_sub(started), ..Usage::default() },
    })
}

/// The end of a run that nobody waits for any longer.
pub(super) fn given_up(id: EffectId, code: Code, expected: &str, got: &str) -> RunEnded {
    runs::lost(id, problem(code, format!("run {id}"), expected, got))
}
