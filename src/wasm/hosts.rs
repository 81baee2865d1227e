//! What only hosts ask: a step without a held engine, a whole replay, the check of files and reports, and the
//! sessions of agents.

use super::Engine;
use super::values::{Answer, busy, bytes, effect_id, given, moment, object, text, thrown};
use crate::agents::Bridge;
use crate::engine;
use crate::mcp;
use crate::mission::{KnownFile, proof};
use crate::protocols::{self, completion};
use crate::snapshot::Snapshot;
use crate::vocab::error::Error;
use crate::vocab::json;
use crate::vocab::time::Millis;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;

/// `{snapshot, effects, continuation, decided}` of a mission that starts now.
///
/// # Errors
/// As [`engine::start`].
#[wasm_bindgen]
pub fn start(config: &JsValue, at: &JsValue) -> Answer {
    let work = || engine::start(&json::decode(&text(config, "config")?)?, moment(at, "at")?);
    object(&work().map_err(thrown)?)
}

/// `{snapshot, effects, continuation, decided}` after one event.
///
/// # Errors
/// As [`engine::step`] and [`Snapshot::read`].
#[wasm_bindgen]
pub fn step(snapshot: &JsValue, event: &JsValue) -> Answer {
    let work = || {
        let snapshot = Snapshot::read(&text(snapshot, "snapshot")?)?;
        engine::step(&snapshot, &json::decode(&text(event, "event")?)?)
    };
    object(&work().map_err(thrown)?)
}

/// Decides every event of a journal again; see [`crate::journal::replay`].
///
/// # Errors
/// As there.
#[wasm_bindgen]
pub fn replay(journal: &JsValue) -> Answer {
    let work = || crate::journal::replay(&bytes(journal, "journal")?);
    object(&work().map_err(thrown)?)
}

/// Notes on a report that could be read; see [`engine::check_report`].
///
/// # Errors
/// The exact fault of the report, or of the arguments.
#[wasm_bindgen(js_name = checkReport)]
pub fn check_report(snapshot: &JsValue, run: &JsValue, report: &JsValue) -> Answer {
    let work = || {
        let snapshot = Snapshot::read(&text(snapshot, "snapshot")?)?;
        engine::check_report(&snapshot, effect_id(run)?, &text(report, "report")?)
    };
    object(&work().map_err(thrown)?)
}

/// What is found in one canonical file, each by itself: `[{path, severity, diagnostic}]`. Without
/// bytes the file is not there, which is a fault of some and no matter for others.
///
/// # Errors
/// `unknown_file` for a path that is none of [`checked_files`].
#[wasm_bindgen(js_name = checkFile)]
pub fn check_file(path: &JsValue, content: &JsValue) -> Answer {
    let work = || {
        let path = text(path, "path")?;
        let content = given(content).map(|content| bytes(content, "bytes")).transpose()?;
        protocols::check_file(&path, content.as_deref())
    };
    object(&work().map_err(thrown)?)
}

/// What became of each test, from the file that a test runner wrote and what it printed; `null` where that is not told by name.
///
/// # Errors
/// None that a caller can cause with texts.
#[wasm_bindgen(js_name = readTests)]
pub fn read_tests(format: &JsValue, report: &JsValue, output: &JsValue) -> Answer {
    let work = || {
        let format = json::decode(&json::encode(&text(format, "format")?))?;
        Ok(proof::read_tests(format, &text(report, "report")?, &text(output, "output")?))
    };
    object(&work().map_err(thrown)?)
}

/// The paths of canonical files that [`check_file`] knows: `{mission, records}`. Those of a mission
/// are looked at together, where any of them is there or no protocol with records is.
#[wasm_bindgen(js_name = checkedFiles)]
pub fn checked_files() -> Answer {
    let records: Vec<&str> = protocols::RECORDS.iter().map(|(path, _)| *path).collect();
    object(&BTreeMap::from([
        ("mission", completion::files::check::CHECKED.to_vec()),
        ("records", records),
    ]))
}

/// Where a file that only grows ends.
#[derive(Serialize)]
struct HistoryEnd {
    path: String,
    length: u64,
}

#[wasm_bindgen]
impl Engine {
    /// The mission as nodes, edges, lanes and progress.
    pub fn view(&self) -> Answer {
        self.look(|held| Ok(held.engine()?.view()))
    }

    /// The paths of the projections that the mission keeps: files that tell of this mission alone. What only
    /// grows is not among them.
    pub fn projections(&self) -> Answer {
        self.look(|held| {
            let files = held.engine()?.files().into_iter().filter(|one| one.projection);
            Ok(files.map(|one| one.path).collect::<Vec<_>>())
        })
    }

    /// `[{path, length}]` of the files that only grow and are there as far as the mission knows; lengths in bytes.
    pub fn histories(&self) -> Answer {
        self.look(|held| {
            let files = held.engine()?.files().into_iter();
            let end = |one: KnownFile| Some(HistoryEnd { path: one.path, length: one.length? });
            Ok(files.filter_map(end).collect::<Vec<_>>())
        })
    }

    /// May an agent that hosts roles stop? `stopping` is a [`mcp::Stopping`]; the answer
    /// `{others, answer, count}`: whether others are at work, what the hook answers (or nothing), and what is
    /// to be kept for the next time.
    ///
    /// # Errors
    /// The exact fault of the argument.
    #[wasm_bindgen(js_name = mayStop)]
    pub fn may_stop(&self, stopping: &JsValue) -> Answer {
        let stopping = text(stopping, "stopping").map_err(thrown)?;
        self.look(|held| {
            let engine = held.engine()?;
            let (verdict, count) = mcp::may_stop(engine, &json::decode(&stopping)?);
            let others = mcp::others(engine);
            Ok(serde_json::json!({"others": others, "answer": verdict.json(), "count": count}))
        })
    }

    /// As [`check_report`], without a copy of the snapshot.
    ///
    /// # Errors
    /// As there.
    #[wasm_bindgen(js_name = checkReport)]
    pub fn check_report(&self, run: &JsValue, report: &JsValue) -> Answer {
        let run = effect_id(run).map_err(thrown)?;
        let report = text(report, "report").map_err(thrown)?;
        self.look(|held| engine::check_report(held.engine()?.snapshot(), run, &report))
    }
}

/// One run of a role by a real agent; see [`crate::agents`].
#[wasm_bindgen]
#[derive(Debug)]
pub struct AgentBridge {
    bridge: RefCell<Bridge>,
}

#[wasm_bindgen]
impl AgentBridge {
    /// For one run.
    ///
    /// # Errors
    /// As [`Bridge::new`].
    #[wasm_bindgen(constructor)]
    pub fn new(request: &JsValue) -> Answer<AgentBridge> {
        let work = || Bridge::new(json::decode(&text(request, "request")?)?);
        let bridge = RefCell::new(work().map_err(thrown)?);
        Ok(AgentBridge { bridge })
    }

    /// What to start.
    pub fn launch(&self) -> Answer {
        self.with(|bridge| bridge.launch())
    }

    /// Takes a piece of the agent's standard output.
    ///
    /// # Errors
    /// `wrong_type` for what is no bytes.
    pub fn hear(&self, piece: &JsValue) -> Answer {
        let piece = bytes(piece, "piece").map_err(thrown)?;
        self.with(|bridge| bridge.hear(&piece))
    }

    /// Takes a piece of the agent's standard error.
    ///
    /// # Errors
    /// `wrong_type` for what is no bytes.
    pub fn overhear(&self, piece: &JsValue) -> Answer {
        let piece = bytes(piece, "piece").map_err(thrown)?;
        self.with(|bridge| bridge.overhear(&piece))
    }

    /// So many milliseconds have gone by since the start.
    ///
    /// # Errors
    /// `wrong_type` for what is no number.
    pub fn waited(&self, ms: &JsValue) -> Answer {
        let ms = moment(ms, "ms").map_err(thrown)?;
        self.with(|bridge| bridge.waited(ms))
    }

    /// The agent has left, with this status if it left by itself.
    ///
    /// # Errors
    /// `wrong_type` for what is no number.
    pub fn end(&self, status: &JsValue) -> Answer {
        let status = given(status).map(|status| moment(status, "status")).transpose();
        let status = status.map_err(thrown)?.map(|status| i32::try_from(status).unwrap_or(-1));
        self.with(|bridge| bridge.end(status))
    }

    fn with<T: Serialize>(&self, work: impl FnOnce(&mut Bridge) -> T) -> Answer {
        let mut bridge = self.bridge.try_borrow_mut().map_err(|_| thrown(busy()))?;
        let answer = work(&mut bridge);
        object(&answer)
    }
}

/// One session of an agent that hosts roles; see [`mcp`].
#[wasm_bindgen]
#[derive(Debug)]
pub struct McpServer {
    server: RefCell<mcp::Server>,
}

#[wasm_bindgen]
impl McpServer {
    /// A session that has not begun. `policy` is `{wait_seconds, answers, only_look}`, or nothing.
    ///
    /// # Errors
    /// The exact fault of the policy.
    #[wasm_bindgen(constructor)]
    pub fn new(policy: &JsValue) -> Answer<McpServer> {
        let read = |policy: &JsValue| json::decode::<mcp::Policy>(&text(policy, "policy")?);
        let policy = given(policy).map(read).transpose().map_err(thrown)?.unwrap_or_default();
        Ok(McpServer { server: RefCell::new(mcp::Server::new(policy)) })
    }

    /// Tells the server something (see [`mcp::In`]) beside a mission; answers with what it wants.
    ///
    /// # Errors
    /// The exact fault of the arguments. What a client says is never one.
    pub fn hear(&self, engine: &Engine, what: &JsValue, now: &JsValue, driven: &JsValue) -> Answer {
        let held = engine.held.try_borrow().map_err(|_| thrown(busy()))?;
        let driven = driven.as_bool().unwrap_or_default();
        self.told(what, now, |now| {
            let engine = Ok(held.engine()?);
            Ok(mcp::Scene { engine, driven, now })
        })
    }

    /// As [`McpServer::hear`], where no mission can be read, and why.
    ///
    /// # Errors
    /// As there.
    #[wasm_bindgen(js_name = hearAlone)]
    pub fn hear_alone(&self, why: &JsValue, what: &JsValue, now: &JsValue) -> Answer {
        let why = text(why, "why").map_err(thrown)?;
        let scene = |now| Ok(mcp::Scene { engine: Err(why.as_str()), driven: false, now });
        self.told(what, now, scene)
    }

    /// Whether somebody waits to be told that the mission moved.
    pub fn waits(&self) -> Answer<bool> {
        self.server.try_borrow().map(|server| server.waits()).map_err(|_| thrown(busy()))
    }

    fn told<'a>(
        &self,
        what: &JsValue,
        now: &JsValue,
        scene: impl FnOnce(Millis) -> Result<mcp::Scene<'a>, Error>,
    ) -> Answer {
        let read = || Ok((json::decode::<mcp::In>(&text(what, "in")?)?, moment(now, "now")?));
        let (what, now) = read().map_err(thrown)?;
        let scene = scene(now).map_err(thrown)?;
        let mut server = self.server.try_borrow_mut().map_err(|_| thrown(busy()))?;
        object(&server.hear(what, scene))
    }
}
