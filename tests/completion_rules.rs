//! The completion protocol, point by point: every sentence of its specification that a story can
//! show. Stories of single refusals stand under `tests/stories`; here stands what holds across them.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

#[path = "rules/table.rs"]
mod table;

#[path = "rules/files.rs"]
mod files;

#[path = "rules/evidence.rs"]
mod evidence;

#[path = "rules/ending.rs"]
mod ending;

#[path = "rules/limits.rs"]
mod limits;
