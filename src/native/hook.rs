//! The stop hook: an agent that hosts roles wants to stop; may it?
//!
//! It is held while the mission goes on and it is its turn or others check its work, and let go when the
//! mission is done, blocked, paused or waits for the user, and wherever there is no mission. A hook
//! cannot end a mission: if a host lets its agent go against this answer, the mission simply is not done.
//!
//! Holding is bounded twice: every hosted run spends from the budget, and an agent that was held several
//! times in a row without anything happening in the mission is let go with that as the reason.

use super::error::HostResult;
use super::lock::Lock;
use super::store::{self, Places};
use crate::engine::Engine;
use crate::mcp::{Turn, turn};
use crate::vocab::error::clip;
use crate::vocab::text::{one_line, printable};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The pause between two looks while others are at work.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How long a driver that is between two turns may be away.
const AWAY: Duration = Duration::from_secs(2);
/// The file that counts, in the engine's directory.
const FILE: &str = "hook.json";

/// How the hook behaves.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How long it waits itself while others are at work, before the agent is sent to wait.
    pub wait: Duration,
    /// How often in a row an agent is held without anything happening.
    pub patience: u32,
}

/// What a host tells its hook; everything else in there is passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// `Stop` or `SubagentStop`.
    pub hook_event_name: String,
    /// Where the agent works.
    pub cwd: Option<PathBuf>,
}

impl Asked {
    /// Reads what came, whatever it is.
    pub fn read(bytes: &[u8]) -> Asked {
        serde_json::from_slice(bytes).unwrap_or_default()
    }
}

/// What the hook answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The agent may stop; with something the user should hear.
    Go(Option<String>),
    /// The agent is held; this is what it hears.
    Hold(String),
}

impl Verdict {
    /// The answer as hosts read it. Nothing to say is said by saying nothing.
    pub fn json(&self) -> Option<Value> {
        match self {
            Verdict::Go(None) => None,
            Verdict::Go(Some(note)) => Some(json!({"systemMessage": note})),
            Verdict::Hold(reason) => Some(json!({"decision": "block", "reason": reason})),
        }
    }
}

/// What the hook has done so far in this mission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// The last event of the mission when an agent was last held.
    pub seq: u64,
    /// How often in a row it was held at this event.
    pub held: u32,
    /// When the hook was last heard of, in milliseconds since 1970.
    pub heard_at: u64,
    /// How often an agent was held in all.
    pub holds: u64,
}

impl Count {
    /// What is on disk; nothing that can be read is as good as nothing.
    pub fn read(places: &Places) -> Option<Count> {
        serde_json::from_slice(&fs::read(places.engine.join(FILE)).ok()?).ok()
    }

    fn write(self, places: &Places) -> HostResult<()> {
        let path = places.engine.join(FILE);
        super::durable::replace(&path, &places.staging, json!(self).to_string().as_bytes(), false)
            .map_err(|error| super::error::HostError::io("write", path, error))
    }
}

/// The root of the mission that `directory` lies in: the nearest one above it, or itself.
pub fn root_of(directory: &Path) -> PathBuf {
    let begun = |at: &&Path| Places::of(at).journal().is_file();
    directory.ancestors().find(begun).unwrap_or(directory).to_owned()
}

/// May the agent stop?
pub fn stop(places: &Places, asked: &Asked, settings: Settings) -> Verdict {
    if !store::begun(places).unwrap_or(false) {
        return Verdict::Go(None);
    }
    let engine = match settle(places, settings.wait) {
        Ok(engine) => engine,
        Err(error) => {
            let why = one_line(&error.to_string());
            return Verdict::Go(Some(format!("endstate: the mission cannot be read: {why}")));
        }
    };
    let subagent = asked.hook_event_name == "SubagentStop";
    match turn(&engine) {
        Turn::Run(given) => {
            let item =
                given.item.map(|item| format!(" of {}", one_line(&item))).unwrap_or_default();
            let words = format!(
                "The mission is not done: run {} ({}{item}) is yours. Call the endstate tool `next` and do \
                 what it says, then `report`. Saying that it is done ends nothing; the mission ends when \
                 `next` says so.",
                given.run, given.role
            );
            hold(places, &engine, settings, words)
        }
        // Whoever was sent by the agent need not wait for others.
        Turn::Wait(_) if subagent => heard(places, None),
        Turn::Wait(_) if !driven(places) => {
            let words = "endstate: nobody drives the mission, so the agent was let go; the mission is not \
                         done";
            heard(places, Some(words.to_owned()))
        }
        Turn::Wait(others) => {
            let others = clip(&one_line(&printable(&others.join("; "))), 500);
            let words = format!(
                "The mission is not done: others check your work ({others}). Change nothing; call the \
                 endstate tool `next`, which waits for them."
            );
            hold(places, &engine, settings, words)
        }
        Turn::Ask(_) | Turn::Held | Turn::Paused | Turn::Blocked | Turn::Done(_) => {
            heard(places, None)
        }
    }
}

/// The mission, once it is not others' turn any more or the time is up.
fn settle(places: &Places, wait: Duration) -> HostResult<Engine> {
    let began = Instant::now();
    loop {
        let engine = store::peek(places)?.engine;
        let others = matches!(turn(&engine), Turn::Wait(_)) && driven(places);
        if !others || began.elapsed() >= wait {
            return Ok(engine);
        }
        sleep(LOOK_EVERY);
    }
}

/// Whether a driver is alive, also one that is just between two turns.
fn driven(places: &Places) -> bool {
    let began = Instant::now();
    while began.elapsed() < AWAY {
        if Lock::held_by(&places.lock()).is_some() {
            return true;
        }
        sleep(LOOK_EVERY);
    }
    false
}

/// Holds the agent, unless nothing has come of it for too long.
fn hold(places: &Places, engine: &Engine, settings: Settings, words: String) -> Verdict {
    let count = Count::read(places).unwrap_or_default();
    let seq = engine.snapshot().head.seq;
    let held = if count.holds > 0 && count.seq == seq { count.held.saturating_add(1) } else { 1 };
    let given_up = held > settings.patience;
    let next = Count {
        seq,
        held: if given_up { 0 } else { held },
        heard_at: now(),
        holds: count.holds.saturating_add(u64::from(!given_up)),
    };
    // What cannot be counted cannot be bounded.
    if let Err(error) = next.write(places) {
        let why = one_line(&error.to_string());
        return Verdict::Go(Some(format!(
            "endstate: the agent was let go, the hook cannot count: {why}"
        )));
    }
    match given_up {
        false => Verdict::Hold(words),
        true => Verdict::Go(Some(format!(
            "endstate: the agent was held {} times in a row and nothing happened, so it was let go; the \
             mission is not done",
            settings.patience
        ))),
    }
}

/// Lets go, and remembers that the hook was asked.
fn heard(places: &Places, note: Option<String>) -> Verdict {
    let count = Count::read(places).unwrap_or_default();
    // Only for people who look for it.
    let _ = Count { heard_at: now(), ..count }.write(places);
    Verdict::Go(note)
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
