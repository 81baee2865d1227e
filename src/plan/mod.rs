//! The plan graph: who waits for whom, for every protocol that has a plan.

pub mod graph;
