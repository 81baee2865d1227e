//! Stories of the completion protocol, told in code, one theme per file.
//!
//! Each is a small test by itself; each is also written down, event by event, as a trace under
//! `tests/traces/completion`, which Rust and WebAssembly replay to the byte. See `tests/traces.rs`.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used, clippy::panic)]

pub use crate::common::*;
pub use endstate::Continuation;
pub use endstate::engine::digest;
pub use endstate::protocols::completion;
pub use endstate::protocols::completion::files as canonical;
pub use endstate::view::ClosedBy;
pub use endstate::vocab::budget::Counter;
pub use endstate::vocab::command::{Command, NewItem, PlanChange, StopMode};
pub use endstate::vocab::error::{Code, Error};
pub use endstate::vocab::event::*;
pub use endstate::vocab::question::Answer;
pub use serde_json::{Value, json};

pub mod adoption;
pub mod bad_events;
pub mod bootstrap;
pub mod budget;
pub mod commands;
pub mod edits;
pub mod implement;
pub mod questions;
pub mod reconcile;
pub mod recovery;
pub mod review;
pub mod select;
pub mod wave;

/// Every story, theme by theme.
pub fn all() -> impl Iterator<Item = &'static Tale> {
    let themes: [&'static [Tale]; 13] = [
        bootstrap::TALES,
        select::TALES,
        implement::TALES,
        review::TALES,
        reconcile::TALES,
        wave::TALES,
        commands::TALES,
        questions::TALES,
        budget::TALES,
        edits::TALES,
        recovery::TALES,
        adoption::TALES,
        bad_events::TALES,
    ];
    themes.into_iter().flatten()
}

/// A slice with other criteria than usual.
pub fn slice_with(id: &str, criteria: &[&str]) -> Value {
    let mut slice = slice(id);
    slice["acceptance_criteria"] = json!(criteria);
    slice
}

/// A re-ground that reports these slices and selects one of them, or none.
pub fn ground(slices: Vec<Value>, selected: Option<&str>) -> Value {
    json!({
        "plan_basis": "read everything", "slices": slices,
        "selected": selected.map(|id| json!({"slice_id": id})),
        "remaining_release_blockers": 0, "remaining_high_value_gaps": 0,
    })
}

/// A report with a field set, wherever it is.
pub fn with(mut block: Value, pointer: &str, value: Value) -> Value {
    match block.pointer_mut(pointer) {
        Some(place) => *place = value,
        None => block[pointer.trim_start_matches('/')] = value,
    }
    block
}
