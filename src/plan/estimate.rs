//! How many turns a sprint takes, by the files, builds, lines and checks it names.

use super::model::{Check, Sprint};
use super::paths::Touched;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The parts of an estimate: `R + 2C + 2M + B + ⌈L / 75⌉ + V + 5`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnEstimate {
    /// Files to read.
    pub read: u32,
    /// Files to create.
    pub created: u32,
    /// Files to change.
    pub modified: u32,
    /// Builds.
    pub builds: u32,
    /// Lines to write.
    pub lines: u32,
    /// Exit criteria.
    pub checks: u32,
}

/// How a sprint fits its budget of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fitness {
    /// More than 80 % of it.
    Oversized,
    /// Between.
    Right,
    /// Less than 15 % of it.
    Undersized,
}

/// Lines that a new file has if the plan does not say.
const NEW_FILE: u32 = 60;
/// Lines that a change has if the plan does not say.
const CHANGE: u32 = 20;

impl TurnEstimate {
    /// The estimate of a sprint.
    pub fn of(sprint: &Sprint) -> TurnEstimate {
        let mut touched = Touched::default();
        sprint.tasks.iter().for_each(|task| touched.task(&task.text));
        sprint.entry.iter().for_each(|one| touched.condition(&one.text));
        touched.settle();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let (created, modified) = (count(touched.created.len()), count(touched.modified.len()));
        let said: u32 = sprint
            .tasks
            .iter()
            .filter_map(|task| lines_said(&task.text))
            .fold(0, u32::saturating_add);
        let guessed =
            created.saturating_mul(NEW_FILE).saturating_add(modified.saturating_mul(CHANGE));
        let builds = sprint.exit.iter().filter(|one| match &one.check {
            Check::Command { command, .. } => ["build", "compile", "make", "test", "tsc"]
                .iter()
                .any(|word| command.contains(word)),
            Check::Checklist | Check::Assertion => false,
        });
        TurnEstimate {
            read: count(touched.read.len()),
            created,
            modified,
            builds: count(builds.count()),
            lines: if said > 0 { said } else { guessed },
            checks: count(sprint.exit.len()),
        }
    }

    /// The turns.
    pub fn turns(self) -> u32 {
        let twice = self.created.saturating_add(self.modified).saturating_mul(2);
        [self.read, twice, self.builds, self.lines.div_ceil(75), self.checks, 5]
            .into_iter()
            .fold(0, u32::saturating_add)
    }

    /// How it fits.
    pub fn fitness(self, budget: u32) -> Fitness {
        let (turns, budget) = (u64::from(self.turns()) * 100, u64::from(budget));
        match () {
            () if turns > budget * 80 => Fitness::Oversized,
            () if turns < budget * 15 => Fitness::Undersized,
            () => Fitness::Right,
        }
    }
}

/// `~60 lines`, `80-120 lines`, `about 40 lines`: the larger number.
fn lines_said(text: &str) -> Option<u32> {
    let (before, _) = text.split_once(" lines")?;
    let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let number = before.get(before.len() - digits..)?.parse().ok()?;
    // "lines 40–60" and "(lines 61-63)" are places and no amounts; those stand behind the word.
    (number <= 10_000).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_follow_the_formula() {
        let of = |read, created, modified, builds, lines, checks| TurnEstimate {
            read,
            created,
            modified,
            builds,
            lines,
            checks,
        };
        assert_eq!(of(2, 1, 3, 1, 76, 4).turns(), 2 + 2 + 6 + 1 + 2 + 4 + 5);
        assert_eq!(of(0, 0, 0, 0, 0, 0).turns(), 5);
        let turns = |checks| of(0, 0, 0, 0, 0, checks);
        let fits = [turns(2), turns(3), turns(35), turns(36)].map(|one| one.fitness(50));
        assert_eq!(fits, [Fitness::Undersized, Fitness::Right, Fitness::Right, Fitness::Oversized]);
        assert_eq!(
            (lines_said("x (~60 lines)"), lines_said("80-120 lines"), lines_said("no lines")),
            (Some(60), Some(120), None)
        );
        assert_eq!(of(u32::MAX, 9, u32::MAX, 9, u32::MAX, 9).turns(), u32::MAX);
    }
}
