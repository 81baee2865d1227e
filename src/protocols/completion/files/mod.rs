//! The canonical files of a mission under `.agent/`, read, checked and written as pure functions.
//!
//! Five *contract* files are tracked: they say what the mission is and how it is checked, and a
//! fresh clone has them ([`CONTRACT`]). Three *state* files and two *histories* are ignored by git:
//! they say how far the mission is ([`STATE_FILES`], [`HISTORIES`]). All have the layout of the
//! seed, so that its own verifier passes over them; what it does not know is kept as raw text.
//!
//! A file is a table of fields (`names`), each of a kind (`kind`); one reader and one writer (`form`)
//! take its object from the disk to its type ([`shapes`]) and back.
//!
//! In the order it happens: a directory of the peer is read by [`adopt`]; each single file is read
//! by [`fn@read`], each history as a stream by [`history`]; what the engine knows is turned back into
//! text by [`render`], [`fn@line`] and [`contract`]; [`check`] looks at every file by itself, as the generated
//! control-plane script promises.
//!
//! **Invariants.** Nothing here touches a disk: callers pass text, or a closure from path to bytes.
//! A file that cannot be read is a fault that names it, **never** an absent file. Reading what was
//! rendered gives the same value. An unknown field is **never** dropped.

pub mod adopt;
pub mod brief;
pub mod check;
pub mod contract;
mod fields;
mod form;
pub mod gitignore;
pub mod history;
mod kind;
mod lines;
pub mod names;
mod read;
pub mod records;
pub mod shapes;
pub mod words;

#[cfg(test)]
mod tests;

pub use crate::mission::finding::{Finding, Severity};
pub use fields::{Extra, Mode, Reading};
pub use form::{OnDisk, line, read, render};
pub use shapes::{ActiveFile, PlanFile, ProfileFile, SliceEntry, StateFile};

/// What the directory is for; tracked.
pub const README: &str = ".agent/README.md";
/// The mission's anchor; tracked.
pub const MISSION: &str = ".agent/mission.md";
/// Fixed settings of the mission; tracked.
pub const PROFILE: &str = ".agent/profile.json";
/// The repository's own baseline verification; tracked.
pub const STOP_SCRIPT: &str = ".agent/verify_completion_stop.sh";
/// Checks the canonical files, each by itself; tracked.
pub const CONTROL_PLANE_SCRIPT: &str = ".agent/verify_completion_control_plane.sh";
/// The state of the mission; ignored by git.
pub const STATE: &str = ".agent/state.json";
/// The backlog of slices; ignored by git.
pub const PLAN: &str = ".agent/plan.json";
/// The one slice being worked on, with its hand-off; ignored by git.
pub const ACTIVE: &str = ".agent/active-slice.json";
/// What happened to slices; append-only, ignored by git.
pub const SLICE_HISTORY: &str = ".agent/slice-history.jsonl";
/// What stop judges said; append-only, ignored by git.
pub const JUDGEMENT_HISTORY: &str = ".agent/stop-check-history.jsonl";
/// Where the ignore lines go; see [`gitignore`].
pub const GITIGNORE: &str = ".gitignore";

/// The tracked contract files.
pub const CONTRACT: [&str; 5] = [README, MISSION, PROFILE, STOP_SCRIPT, CONTROL_PLANE_SCRIPT];
/// The ignored state files, replaced whole.
pub const STATE_FILES: [&str; 3] = [STATE, PLAN, ACTIVE];
/// The ignored histories, only ever appended to.
pub const HISTORIES: [&str; 2] = [SLICE_HISTORY, JUDGEMENT_HISTORY];

/// Every file the engine looks at.
pub const ALL: [&str; 11] = [
    README,
    MISSION,
    PROFILE,
    STOP_SCRIPT,
    CONTROL_PLANE_SCRIPT,
    STATE,
    PLAN,
    ACTIVE,
    SLICE_HISTORY,
    JUDGEMENT_HISTORY,
    GITIGNORE,
];
