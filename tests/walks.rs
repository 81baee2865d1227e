//! The exhaustive walks: everything that can happen next is tried in every state of a small mission, protocol by protocol. One
//! program, so that what they share is built once and they run side by side.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::disallowed_types)]

// A fifth of what a walk takes is memory taken and given back.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod common;
mod grid_tales;
mod iterating;
mod promise_tales;
mod sprint_tales;
mod walking;
mod walking_iteration;
mod wandering;

#[path = "walks/asked.rs"]
mod asked;
#[path = "walks/completion.rs"]
mod completion;
#[path = "walks/grid.rs"]
mod grid;
#[path = "walks/iteration.rs"]
mod iteration;
#[path = "walks/promise.rs"]
mod promise;
#[path = "walks/random_plans.rs"]
mod random_plans;
#[path = "walks/sprint.rs"]
mod sprint;
