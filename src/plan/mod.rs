//! The plan: who waits for whom, and the documents people write plans in, for every protocol that has
//! one.

pub mod document;
pub mod graph;
pub mod yaml;
