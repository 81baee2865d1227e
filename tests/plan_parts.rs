//! The parts of plan documents, each by itself: what a text says, what is made of requirements, how a plan is split,
//! joined and written.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used, clippy::panic)]

#[path = "plan_parts/document.rs"]
mod document;
#[path = "plan_parts/graph.rs"]
mod graph;
#[path = "plan_parts/judge.rs"]
mod judge;
#[path = "plan_parts/yaml.rs"]
mod yaml;
