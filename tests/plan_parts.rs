//! The parts of plan documents, each by itself: what a text says, what is made of requirements, how a plan is split,
//! joined and written.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used, clippy::panic)]

#[path = "plan_parts/analyze.rs"]
mod analyze;
#[path = "plan_parts/breakdown.rs"]
mod breakdown;
#[path = "plan_parts/classify.rs"]
mod classify;
#[path = "plan_parts/document.rs"]
mod document;
#[path = "plan_parts/evaluate.rs"]
mod evaluate;
#[path = "plan_parts/graph.rs"]
mod graph;
#[path = "plan_parts/judge.rs"]
mod judge;
#[path = "plan_parts/label.rs"]
mod label;
#[path = "plan_parts/mention.rs"]
mod mention;
#[path = "plan_parts/naming.rs"]
mod naming;
#[path = "plan_parts/prioritize.rs"]
mod prioritize;
#[path = "plan_parts/quality.rs"]
mod quality;
#[path = "plan_parts/recount.rs"]
mod recount;
#[path = "plan_parts/requirements.rs"]
mod requirements;
#[path = "plan_parts/score.rs"]
mod score;
#[path = "plan_parts/shown.rs"]
mod shown;
#[path = "plan_parts/vague.rs"]
mod vague;
#[path = "plan_parts/write.rs"]
mod write;
#[path = "plan_parts/yaml.rs"]
mod yaml;
