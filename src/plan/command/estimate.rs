//! How many turns a sprint takes, by its fields: `R + 2C + 2M + B + ⌈L / 75⌉ + V + 5` (seed 17e).

use super::super::model::Sprint;
use super::fields::{lacks_files, lines};
use super::text::{commands, files, runs};
use super::{Field, Number, count};
use crate::vocab::word::words;
use serde::Serialize;
use std::collections::BTreeSet;

/// The turns of a sprint that are for thinking, planning and errors.
const OVERHEAD: u32 = 5;

/// The parts of an estimate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Files to read: those it reads first, and those its entry criteria name.
    pub read: u32,
    /// Files to create; `None` if the plan names no files.
    pub created: Option<u32>,
    /// Files to change; `None` if the plan names no files.
    pub changed: Option<u32>,
    /// Commands that build or compile.
    pub builds: u32,
    /// Lines to write; `None` if the plan does not say.
    pub lines: Option<u32>,
    /// Exit criteria.
    pub checks: u32,
}

words! {
    /// How a sprint fits its budget of turns.
    Fitness {
        Oversized "oversized" "More than 80 % of it.";
        Right "right" "Between.";
        Undersized "undersized" "Less than 15 % of it.";
    }
}

impl Estimate {
    /// The estimate of a sprint.
    pub fn of(sprint: &Sprint) -> Estimate {
        let named = sprint.entry.iter().flat_map(|one| files(&one.text));
        let read: BTreeSet<&str> = sprint.reads.iter().map(String::as_str).chain(named).collect();
        let known = |list: &[String]| (!lacks_files(sprint)).then(|| count(list.len()));
        // "build/compile steps": the seed's own words.
        let builds = commands(sprint)
            .filter(|one| ["build", "compile"].iter().any(|word| runs(&one.line, word)));
        Estimate {
            read: count(read.len()),
            created: known(&sprint.creates),
            changed: known(&sprint.changes),
            builds: count(builds.count()),
            lines: lines(sprint),
            checks: count(sprint.exit.len()),
        }
    }

    /// The turns that are certain.
    pub fn least(&self) -> u32 {
        let files = self.created.unwrap_or(0).saturating_add(self.changed.unwrap_or(0));
        let lines = self.lines.unwrap_or(0).div_ceil(75);
        [self.read, files.saturating_mul(2), self.builds, lines, self.checks, OVERHEAD]
            .into_iter()
            .fold(0, u32::saturating_add)
    }

    /// The turns.
    pub fn turns(&self) -> Number {
        let files = self.created.is_none().then_some(Field::Files);
        let lines = self.lines.is_none().then_some(Field::Lines);
        Number::of(self.least(), files.into_iter().chain(lines).collect())
    }

    /// How it fits. What is too large already needs no missing field to be known as such.
    pub fn fitness(&self, budget: u32) -> Option<Fitness> {
        let (turns, budget) = (u64::from(self.least()) * 100, u64::from(budget));
        match self.turns() {
            _ if turns > budget * 80 => Some(Fitness::Oversized),
            Number::Unknown { .. } => None,
            Number::Known(_) if turns < budget * 15 => Some(Fitness::Undersized),
            Number::Known(_) => Some(Fitness::Right),
        }
    }
}
