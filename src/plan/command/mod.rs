//! The commands on plans: make one of requirements, put it in order, mend it, look at it, name it.
//!
//! Each is a pure function of a plan and of answers to typed questions; none reads a file or asks anybody. Every number
//! is computed. What the plan does not say is *unknown*, with the field that is missing, and never 0.

pub mod analyze;
pub mod breakdown;
mod checks;
pub mod estimate;
pub mod evaluate;
pub mod fields;
mod gaps;
mod links;
mod merge;
pub mod name;
pub mod prioritize;
mod renumber;
pub mod report;
pub mod requirements;
pub mod score;
mod split;
mod text;
pub mod words;

pub use checks::{SprintCheck, checks};
pub use links::PlanOrder;

use super::model::{Plan, Sprint, Status, Unit, WHOLE};
use super::yaml::count;
use crate::vocab::word::words;
use serde::Serialize;

/// A number that the plan gives, or what it would have to say to give it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Number {
    /// The number.
    Known(u32),
    /// It cannot be computed.
    Unknown {
        /// The fields that are missing.
        missing: Vec<Field>,
    },
}

words! {
    /// A field that a number needs.
    Field {
        Files "files" "The files it creates and changes.";
        Lines "lines" "About how many lines it writes.";
        Risk "risk" "Its risk.";
        Foundation "foundation" "Whether later sprints build on what it establishes.";
    }
}

impl Number {
    fn of(value: u32, missing: Vec<Field>) -> Number {
        if missing.is_empty() { Number::Known(value) } else { Number::Unknown { missing } }
    }

    /// The number, if it is known.
    pub fn known(&self) -> Option<u32> {
        match self {
            Number::Known(number) => Some(*number),
            Number::Unknown { .. } => None,
        }
    }

    /// The number as `write` puts it, or that it is unknown and why.
    pub fn words(&self, write: impl Fn(u32) -> String) -> String {
        match self {
            Number::Known(number) => write(*number),
            Number::Unknown { missing } => format!("unknown ({})", words_of(missing)),
        }
    }
}

fn words_of(missing: &[Field]) -> String {
    missing.iter().map(Field::to_string).collect::<Vec<_>>().join(", ")
}

/// The sprints that are to run.
fn live(plan: &Plan) -> impl Iterator<Item = (&Unit, &Sprint)> {
    plan.sprints().filter(|(_, sprint)| sprint.status == Status::Pending)
}

/// A sprint as it is named in words: with its unit, where there are several.
fn place(id: &str) -> &str {
    match id.split_once('/') {
        Some((WHOLE, label)) => label,
        _ => id,
    }
}
