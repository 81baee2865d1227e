//! Whether this process belongs to a run: what the user says is not said by a run of the mission. Its mark says so, or a process
//! above it that a record names. One that took the mark off and left its parents is not found out; confined, it reaches nothing.

use super::processes::{ancestors, start_time};
use super::regular;
use super::runs::Record;
use super::store::Places;
use crate::vocab::error::{Code, Error, Result};
use std::fs;
use std::path::PathBuf;

/// Refuses what a run of the mission says in the name of its user.
///
/// # Errors
/// `own_verdict` with the run.
pub fn refuse(places: &Places) -> Result<()> {
    match marked(places).or_else(|| started(places)) {
        Some(run) => {
            let got = format!("run {run}");
            Err(Error::new(Code::OwnVerdict, "command", "a word of the user", got))
        }
        None => Ok(()),
    }
}

fn marked(places: &Places) -> Option<String> {
    let of = std::env::var_os("ENDSTATE_ROOT").map(PathBuf::from);
    std::env::var("ENDSTATE_RUN").ok().filter(|_| of.as_ref() == Some(&places.root))
}

/// The run without a result whose process is above this one.
fn started(places: &Places) -> Option<String> {
    let (ancestors, runs) = (ancestors(), places.engine.join("runs"));
    let open = fs::read_dir(runs).into_iter().flatten().flatten().map(|entry| entry.path());
    let records = open.filter(|run| !run.join("result.json").exists()).filter_map(|run| {
        let text = regular::read(&run.join("record.json")).ok()?;
        serde_json::from_slice::<Record>(&text).ok()
    });
    let ours = |record: &Record| {
        ancestors.contains(&record.pid) && start_time(record.pid).as_ref() == Some(&record.start)
    };
    records.filter(ours).map(|record| record.effect.to_string()).next()
}
