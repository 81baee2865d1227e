//! What the core must do, told as stories against a world in memory: rule by rule, protocol by protocol, and for any input.
//! One program, so that the stories and what tells them are built once, and what computes runs beside what waits
//! (`dressed`, which plays the demos in real repositories, too).
//!
//! Stories of single refusals stand under `tests/stories`; here stands what holds across them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::disallowed_types)]

mod binary;
mod common;
mod grid_tales;
mod iterating;
mod promise_tales;
mod sprint_tales;
mod stories;
mod walking;

#[path = "rules/bad_inputs.rs"]
mod bad_inputs;
#[path = "rules/bad_iteration.rs"]
mod bad_iteration;
#[path = "rules/changed_checks.rs"]
mod changed_checks;
#[path = "rules/completion_story.rs"]
mod completion_story;
#[path = "rules/corpus_sprint.rs"]
mod corpus_sprint;
#[path = "rules/dressed.rs"]
mod dressed;
#[path = "rules/ending.rs"]
mod ending;
#[path = "rules/evidence.rs"]
mod evidence;
#[path = "rules/files.rs"]
mod files;
#[path = "rules/grid_rules.rs"]
mod grid_rules;
#[path = "rules/head_follows.rs"]
mod head_follows;
#[path = "rules/limits.rs"]
mod limits;
#[path = "rules/next_step.rs"]
mod next_step;
#[path = "rules/once.rs"]
mod once;
#[path = "rules/peer_faults.rs"]
mod peer_faults;
#[path = "rules/promise_rules.rs"]
mod promise_rules;
#[path = "rules/properties.rs"]
mod properties;
#[path = "rules/proposals.rs"]
mod proposals;
#[path = "rules/reports.rs"]
mod reports;
#[path = "rules/sprint_rules.rs"]
mod sprint_rules;
#[path = "rules/table.rs"]
mod table;
#[path = "rules/tape.rs"]
mod tape;
