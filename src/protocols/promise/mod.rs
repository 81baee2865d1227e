//! The promise protocol: one task, a player that claims its criteria one by one, and a coach that
//! verifies each, turn by turn, until every criterion is verified or a named rule ends it.
//!
//! What is read: the [`task`] and the [`feature`] it may belong to; what the two roles
//! [`report`]; which row speaks of which criterion ([`matching`]). What is computed from it: the
//! [`decision`] of a turn, the [`progress`], and whether [`feedback`] goes in circles.

pub mod decision;
pub mod feature;
pub mod feedback;
pub mod matching;
pub mod progress;
pub mod report;
pub mod task;

#[cfg(test)]
mod random_tests;
