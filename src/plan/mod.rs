//! The plan: who waits for whom, and the documents people write plans in, for every protocol that has
//! one.

pub mod analyze;
pub mod breakdown;
mod called;
pub mod classify;
pub mod document;
pub mod edit;
pub mod estimate;
pub mod evaluate;
pub mod graph;
mod held;
mod joined;
pub mod judge;
pub mod label;
mod look;
pub mod mention;
pub mod model;
pub mod naming;
pub mod order;
pub mod outline;
pub mod paths;
mod phrases;
pub mod prioritize;
pub mod quality;
pub mod read;
pub mod recount;
pub mod report;
pub mod requirements;
pub mod score;
pub mod shown;
pub mod vague;
pub mod variables;
mod wordlist;
mod words;
pub mod write;
pub mod yaml;
