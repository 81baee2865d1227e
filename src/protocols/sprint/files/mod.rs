//! The files of this protocol: the supervisor's state and the completion log next to the plan, as the
//! seed has them, and a log of decisions, line by line. All are rendered from the state alone.

mod cadence;
mod complete;
mod issues;
mod numbers;
pub mod read;
mod state_file;
mod way;

pub(super) use complete::told;
pub(super) use issues::uncommitted;
pub(super) use state_file::killed;
pub use state_file::status_table;

use super::state::{DecisionRow, State};
use crate::mission::prelude::*;
use crate::vocab::json;

/// Keeps git away from the protocol's own directory.
pub const IGNORE: &str = ".agent/sprint/.gitignore";
/// Keeps git away from scratch.
pub const SCRATCH_IGNORE: &str = ".agent/tmp/.gitignore";
/// One line per decision; only ever appended to.
pub const DECISIONS: &str = ".agent/sprint/decisions.jsonl";

/// The supervisor's state, next to the plan.
pub fn state_path(root: &str) -> String {
    below(root, "SUPERVISOR_STATE.md")
}

/// The completion log, next to the plan.
pub fn complete_path(root: &str, project: &str) -> String {
    below(root, &format!("COMPLETE_{project}.md"))
}

fn below(root: &str, name: &str) -> String {
    match root.trim_matches('/') {
        "" | "." => name.to_owned(),
        root => format!("{root}/{name}"),
    }
}

/// Checks one line of [`DECISIONS`].
///
/// # Errors
/// The exact fault of a line that is no decision.
pub fn check_line(line: &str) -> Result<()> {
    json::decode::<DecisionRow>(line).map(drop)
}

/// The content of a projection.
///
/// # Errors
/// `unknown_file` for another path.
pub(super) fn render(state: &State, head: &Head, path: &str) -> Result<String> {
    let settings = &state.core.settings;
    match path {
        IGNORE | SCRATCH_IGNORE => Ok("*\n".to_owned()),
        path if path == state_path(&settings.root) => Ok(state_file::page(state, head)),
        path if path == complete_path(&settings.root, &settings.project) => {
            Ok(complete::page(state, head))
        }
        other => Err(Error::new(Code::UnknownFile, "path", "a file of the sprint protocol", other)),
    }
}

/// A text for a cell of a table.
pub(super) fn cell(text: &str) -> String {
    let line = crate::vocab::text::one_line(text);
    let line = line.replace('|', "\\|");
    if line.is_empty() { "—".to_owned() } else { line }
}

/// Several words in one line, or that there are none.
fn joined(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}
