//! The files of this protocol: the supervisor's state and the completion log beside the plan, as the
//! seed has them, and a log of decisions, line by line. All are rendered from the state alone.

mod cadence;
mod complete;
pub mod read;
mod state_file;

use super::state::{DecisionRow, State};
use crate::mission::Head;
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::json;

/// Keeps git away from the protocol's own directory.
pub const IGNORE: &str = ".agent/sprint/.gitignore";
/// Keeps git away from scratch.
pub const SCRATCH_IGNORE: &str = ".agent/tmp/.gitignore";
/// One line per decision; only ever appended to.
pub const DECISIONS: &str = ".agent/sprint/decisions.jsonl";

/// The supervisor's state, beside the plan.
pub fn state_path(root: &str) -> String {
    below(root, "SUPERVISOR_STATE.md")
}

/// The completion log, beside the plan.
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
        path if path == state_path(&settings.root) => Ok(state_file::render(state, head)),
        path if path == complete_path(&settings.root, &settings.project) => {
            Ok(complete::render(state, head))
        }
        other => Err(Error::new(Code::UnknownFile, "path", "a file of the sprint protocol", other)),
    }
}

/// The status table as it stands in the supervisor's state, line by line.
pub fn status_table(state: &State) -> Vec<String> {
    let mut page = String::new();
    state_file::status_table(state, &mut page);
    let kept = |line: &&str| !line.is_empty() && !line.starts_with('#');
    page.lines().filter(kept).map(str::to_owned).collect()
}

/// A completed code sprint whose commits are nowhere.
pub(super) fn uncommitted(sprint: &super::state::Sprint) -> bool {
    complete::uncommitted(sprint)
}

/// What the user is told when the mission is done.
pub(super) fn told(state: &State, at: crate::vocab::time::Millis) -> String {
    complete::told(state, at)
}

/// What the user is told when everything was killed.
pub(super) fn killed(state: &State, ended: u64) -> String {
    state_file::killed(state, ended)
}

/// A text for a cell of a table.
pub(super) fn cell(text: &str) -> String {
    let line = crate::vocab::text::one_line(text);
    let line = line.replace('|', "\\|");
    if line.is_empty() { "—".to_owned() } else { line }
}
