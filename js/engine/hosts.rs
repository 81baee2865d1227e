//! What only hosts ask: a step without a held engine, a whole replay, the check of files and reports.

use super::Engine;
use endstate::engine;
use endstate::mission::{KnownFile, proof};
use endstate::protocols::{self, completion};
use endstate::snapshot::Snapshot;
use endstate::vocab::json;
use endstate_boundary::{Answer, bytes, effect_id, given, moment, object, text, thrown};
use serde::Serialize;
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

/// Decides every event of a journal again; see [`endstate::journal::replay`].
///
/// # Errors
/// As there.
#[wasm_bindgen]
pub fn replay(journal: &JsValue) -> Answer {
    let work = || endstate::journal::replay(&bytes(journal, "journal")?);
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
