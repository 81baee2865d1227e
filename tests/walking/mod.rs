//! The parts of the exhaustive walk.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::too_many_lines,
    clippy::print_stdout,
    clippy::disallowed_methods
)]

pub mod explore;
pub mod faults;
pub mod key;
pub mod moves;
pub mod reports;
