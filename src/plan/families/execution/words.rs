//! The words this family is recognised by: those of the seed (seed 002) with the line they stand at, and none besides.

use crate::plan::model::{Kind, Model, Status};

pub(super) use crate::plan::line::{asks_nothing, behind, is, nothing, same};

/// What a sprint is called: `## Sprint N:` (line 188); a sortie is the same thing in plans of its successor.
pub(super) const SPRINT: [&str; 2] = ["sprint", "sortie"];
/// The same, of several.
pub(super) const SPRINTS: [&str; 2] = ["sprints", "sorties"];
/// The first column of a table whose rows are work units (lines 178 and 1462).
pub(super) const UNIT: [&str; 5] = ["package", "component", "module", "phase", "work unit"];
/// The heading over such a table (line 1460).
pub(super) const UNITS: &str = "work units";
/// A column that names a thing or says what it is (line 189).
pub(super) const NAME: [&str; 2] = ["name", "description"];
/// A task that has a heading: `### Task N.M:` (line 190).
pub(super) const TASK: &str = "task";
/// The column that puts units into layers (line 199).
pub(super) const LAYER: [&str; 2] = ["layer", "tier"];
/// A field or column that names what must come first (lines 200 and 1462).
pub(super) const DEPENDS: [&str; 2] = ["depends on", "dependencies"];
/// What must hold before a sprint (lines 200, 210 and 212).
pub(super) const ENTRY: [&str; 4] = ["entry criteria", "preconditions", "entry checks", "requires"];
/// What must hold after it (lines 210 and 212).
pub(super) const EXIT: [&str; 4] = ["exit criteria", "exit checks", "rules", "constraints"];
/// The same, with commands in fences (lines 210 and 211).
pub(super) const VALIDATE: [&str; 3] = ["validation", "validate", "execute"];
/// What the command before it prints (line 211).
pub(super) const EXPECTED: &str = "expected";
/// What is to be done (line 1474).
pub(super) const TASKS: &str = "tasks";
/// The titles of a template for prompts (line 220).
pub(super) const TEMPLATE: [&str; 3] =
    ["dispatch template", "sprint prompt template", "agent prompt"];
/// A template may be an appendix (line 220).
pub(super) const APPENDIX: &str = "appendix d";
/// The section with settings of the supervisor (line 221).
pub(super) const SETTINGS: &str = "supervisor config";
/// Files a role reads before it begins (line 228).
pub(super) const READS: [&str; 2] = ["PROGRESS.md", "TODO.md"];
/// Metrics of the summary (lines 1490 and 1491).
pub(super) const COUNTS: [&str; 3] = ["work units", "total sprints", "total sorties"];
/// Models by their tier, as the seed (line 24) and the canonical plan call them.
pub(super) const MODELS: [([&str; 2], Model); 3] = [
    (["haiku", "small"], Model::Small),
    (["sonnet", "standard"], Model::Standard),
    (["opus", "large"], Model::Large),
];
/// In the heading of a sprint.
pub(super) const PUT_OFF: &str = "DEFERRED";
/// What a sprint's status is called.
pub(super) const STATUS: [(&[&str], Status); 3] = [
    (&["completed", "done"], Status::Done),
    (&["deferred"], Status::Deferred),
    (&["pending"], Status::Pending),
];
/// A field that names the kind of work (line 238).
pub(super) const KIND: [&str; 3] = ["type", "kind", "task type"];
/// What a sprint or task of a kind begins with (lines 240 to 244).
pub(super) const KINDS: [(&str, Kind, &[&str]); 5] = [
    ("code", Kind::Code, &["write", "create", "implement", "build", "fix"]),
    ("command", Kind::Command, &["run", "execute", "deploy"]),
    ("background", Kind::Background, &["start", "kick off", "nohup", "background"]),
    ("deferred", Kind::Deferred, &["wait for", "monitor", "check deployment"]),
    ("manual", Kind::Manual, &["listen", "visit", "check browser", "spot-check"]),
];
