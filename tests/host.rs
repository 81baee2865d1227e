//! The Rust host, on real processes, real files and real git.

#![cfg(all(feature = "native", unix))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::disallowed_types)]

#[path = "binary/bubblewrap.rs"]
mod bubblewrap;
#[path = "host/common.rs"]
mod common;
#[path = "host/confine.rs"]
mod confine;
#[path = "host/crash.rs"]
mod crash;
#[path = "host/driver.rs"]
mod driver;
#[path = "host/git.rs"]
mod git;
#[path = "host/grid.rs"]
mod grid;
#[path = "host/iteration.rs"]
mod iteration;
#[path = "host/orders.rs"]
mod orders;
#[path = "host/runs.rs"]
mod runs;
