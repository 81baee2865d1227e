//! The stop hook on this machine: reads the mission and what was counted, waits a little where others are at
//! work, and keeps the count. What is answered is decided in [`crate::mcp::may_stop`].

use super::error::HostResult;
use super::lock::Lock;
use super::regular;
use super::store::{self, Places};
use crate::engine::Engine;
use crate::mcp::{Count, Stopping, Verdict, may_stop, others};
use serde::Deserialize;
use serde_json::json;
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

/// What the hook has done so far; nothing that can be read is as good as nothing.
pub fn count(places: &Places) -> Option<Count> {
    serde_json::from_slice(&regular::read(&places.engine.join(FILE)).ok()?).ok()
}

fn keep(places: &Places, count: Count) -> HostResult<()> {
    let path = places.engine.join(FILE);
    super::durable::replace(&path, &places.staging, json!(count).to_string().as_bytes(), false)
        .map_err(|error| super::error::HostError::io("write", path, error))
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
        Err(error) => return Verdict::unreadable(&error.to_string()),
    };
    let stopping = Stopping {
        subagent: asked.hook_event_name == "SubagentStop",
        driven: !others(&engine) || driven(places),
        patience: settings.patience,
        count: count(places).unwrap_or_default(),
        at: now(),
    };
    let (verdict, next) = may_stop(&engine, &stopping);
    match keep(places, next) {
        Ok(()) => verdict,
        Err(error) => verdict.uncounted(&error.to_string()),
    }
}

/// The mission, once it is not others' turn any more or the time is up.
fn settle(places: &Places, wait: Duration) -> HostResult<Engine> {
    let began = Instant::now();
    loop {
        let engine = store::peek(places)?.engine;
        let waits = others(&engine) && driven(places);
        if !waits || began.elapsed() >= wait {
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

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
