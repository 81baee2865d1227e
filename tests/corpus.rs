//! What the peers' own code made of real files, and what ours does: each difference is a row of docs/deviations.md.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::disallowed_types)]

#[path = "corpus/climpt.rs"]
mod climpt;
#[path = "corpus/grid.rs"]
mod grid;
#[path = "corpus/guardkit.rs"]
mod guardkit;
#[path = "corpus/letscook.rs"]
mod letscook;
