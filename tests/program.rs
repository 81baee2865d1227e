//! The real program in real repositories where things go wrong: killed at every step, given damaged state and hostile agents,
//! asked for what the seeds say.

#![cfg(all(feature = "cli", unix))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::disallowed_types)]

mod binary;

#[path = "program/bad_state.rs"]
mod bad_state;
#[path = "program/hostile_agents.rs"]
mod hostile_agents;
#[path = "program/kill.rs"]
mod kill;
#[path = "program/kill_grid.rs"]
mod kill_grid;
#[path = "program/kill_sprint.rs"]
mod kill_sprint;
#[path = "program/random_kills.rs"]
mod random_kills;
#[path = "program/real_letscook.rs"]
mod real_letscook;
#[path = "program/seed_rules.rs"]
mod seed_rules;
