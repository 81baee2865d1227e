//! Plan documents: each form that is read, the commands on plans, the import, and real documents against a key made by hand.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::disallowed_types)]

mod keyed;

#[path = "plan/commands.rs"]
mod commands;
#[path = "plan/core.rs"]
mod core;
#[path = "plan/corpus.rs"]
mod corpus;
#[path = "plan/execution.rs"]
mod execution;
#[path = "plan/families.rs"]
mod families;
#[path = "plan/import/mod.rs"]
mod import;
#[path = "plan/inputs.rs"]
mod inputs;
#[path = "plan/key.rs"]
mod key;
#[path = "plan/parts/mod.rs"]
mod parts;
#[path = "plan/same.rs"]
mod same;
