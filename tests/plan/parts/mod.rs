//! The parts of plan documents, each by itself: what a text says, what is made of requirements, how a plan is split,
//! joined and written.

mod document;
mod graph;
mod judge;
mod yaml;
