//! How urgent a sprint is: four dimensions, weighed and added (seed 16b, 16c). A score is a whole number of sixths; what
//! the plan does not say is unknown, and then the score has a least and a most.

use super::super::judge::{Answers, PlanQuestion, yes_or_ask};
use super::super::model::{Kind, Plan, Sprint, id};
use super::fields::lacks_files;
use super::links::Links;
use super::text::{commands, runs};
use super::{Field, Number, count, live};
use crate::vocab::table::map_of;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The score of a sprint, with its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Score {
    /// The sprint.
    pub sprint: String,
    /// How many sprints wait for it, directly or not.
    pub depth: u32,
    /// Two or more later sprints build on what it establishes.
    pub foundation: Option<bool>,
    /// 1 to 3.
    pub risk: Option<u32>,
    /// By the number of its tasks, 1 to 4.
    pub tasks: u32,
    /// By the number of files it touches, 1 to 4.
    pub files: Option<u32>,
    /// By how its end is shown: 1 a check list, 2 a build, 3 tests, 4 tests of the whole.
    pub verification: u32,
}

impl Score {
    /// `3 × depth + 2 × foundation + risk + (tasks + files + verification) / 6`, in sixths.
    fn sixths(&self, foundation: bool, risk: u32, files: u32) -> u32 {
        let depth = self.depth.saturating_mul(18);
        let rest = u32::from(foundation) * 12 + risk * 6 + self.tasks + files + self.verification;
        depth.saturating_add(rest)
    }

    /// The least it can be, in sixths.
    pub fn least(&self) -> u32 {
        let (foundation, risk) = (self.foundation.unwrap_or(false), self.risk.unwrap_or(1));
        self.sixths(foundation, risk, self.files.unwrap_or(1))
    }

    /// The most it can be, in sixths.
    pub fn most(&self) -> u32 {
        let (foundation, risk) = (self.foundation.unwrap_or(true), self.risk.unwrap_or(3));
        self.sixths(foundation, risk, self.files.unwrap_or(4))
    }

    /// The score in sixths.
    pub fn number(&self) -> Number {
        let missing = [
            (self.files.is_none(), Field::Files),
            (self.risk.is_none(), Field::Risk),
            (self.foundation.is_none(), Field::Foundation),
        ];
        let missing = missing.into_iter().filter(|(is, _)| *is).map(|(_, field)| field);
        Number::of(self.least(), missing.collect())
    }

    /// The score to one decimal, half up; else the range it lies in, and what is missing.
    pub fn words(&self) -> String {
        match self.number() {
            Number::Known(sixths) => decimal(sixths),
            Number::Unknown { missing } => {
                let (least, most) = (decimal(self.least()), decimal(self.most()));
                format!("{least} to {most} ({} unknown)", super::words_of(&missing))
            }
        }
    }

    /// Why it is as high as it is, in a few words; the weightiest part first.
    pub fn reason(&self) -> String {
        let plural = if self.depth == 1 { "" } else { "s" };
        let mut parts = match self.depth {
            0 => vec!["leaf sprint, no dependents".to_owned()],
            depth => vec![format!("blocks {depth} downstream sprint{plural}")],
        };
        if self.foundation == Some(true) {
            parts.push("establishes what later sprints build on".to_owned());
        }
        if let Some(risk @ 2..) = self.risk {
            parts.push(format!("risk {risk}"));
        }
        match self.files.map(|files| self.tasks + files + self.verification) {
            Some(0..=4) => parts.push("low complexity".to_owned()),
            Some(9..) => parts.push("high complexity".to_owned()),
            _ => {}
        }
        parts.join(", ")
    }
}

/// Sixths to one decimal, half up: 25 sixths are `4.2`.
pub fn decimal(sixths: u32) -> String {
    let tenths = (u64::from(sixths) * 20 + 6) / 12;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The scores of all sprints that are to run, in the order of the plan; and what was left to judge.
pub(super) fn scores(
    plan: &Plan,
    links: &Links,
    answers: &Answers,
) -> (Vec<Score>, Vec<PlanQuestion>) {
    let dependents = links.dependents();
    let sprints: BTreeMap<String, &Sprint> = map_of(live(plan).map(|(u, s)| (id(u, s), s)));
    let mut questions = Vec::new();
    let mut scores = Vec::new();
    for own in links.ids.iter().filter(|own| sprints.contains_key(*own)) {
        let Some(sprint) = sprints.get(own) else { continue };
        let waits = dependents.get(own).into_iter().flatten();
        let depth = count(waits.filter(|id| sprints.contains_key(*id)).count());
        // Whoever this one waits for uses nothing that it makes, wherever the two stand.
        let before = |id: &String| dependents.get(id).is_some_and(|all| all.contains(own));
        let later = sprints.iter().filter(|(id, _)| *id != own && !before(id));
        let later: Vec<&Sprint> = later.map(|(_, sprint)| *sprint).collect();
        let foundation = foundation(sprint, &later, depth).or_else(|| {
            let text = format!(
                "Does sprint {} ({}) establish types, interfaces or patterns that two or more later sprints use again?",
                sprint.label, sprint.name
            );
            yes_or_ask(answers, &mut questions, format!("foundation:{own}"), text)
        });
        scores.push(Score {
            sprint: own.clone(),
            depth,
            foundation,
            risk: sprint.risk.map(risk),
            tasks: step(sprint.tasks.len(), [3, 5, 7]),
            files: (!lacks_files(sprint))
                .then(|| step(sprint.creates.len() + sprint.changes.len(), [2, 5, 10])),
            verification: verification(sprint),
        });
    }
    (scores, questions)
}

/// Whether two or more others use files that it makes; `None` if the files do not tell.
fn foundation(sprint: &Sprint, later: &[&Sprint], depth: u32) -> Option<bool> {
    let made: BTreeSet<&String> = sprint.creates.iter().collect();
    let uses =
        |one: &&&Sprint| one.reads.iter().chain(&one.changes).any(|file| made.contains(file));
    let users = later.iter().filter(uses).count();
    match () {
        () if users >= 2 => Some(true),
        () if depth < 2 || sprint.kind != Kind::Code => Some(false),
        () if !lacks_files(sprint) && !later.iter().any(|one| lacks_files(one)) => Some(false),
        () => None,
    }
}

/// The field's scale of 1 to 5 (seed 6a) on the three steps of priorities (seed 16b).
fn risk(field: u8) -> u32 {
    match field {
        0..=1 => 1,
        2..=3 => 2,
        _ => 3,
    }
}

/// 1 up to the first bound, 2 up to the second, 3 up to the third, then 4.
fn step(number: usize, bounds: [usize; 3]) -> u32 {
    1 + count(bounds.into_iter().filter(|bound| number > *bound).count())
}

/// How the end of a sprint is shown, by its commands and the seed's words for them.
fn verification(sprint: &Sprint) -> u32 {
    let of = |line: &str| match () {
        () if runs(line, "test") && runs(line, "integration") => 4,
        () if runs(line, "test") => 3,
        () => 2,
    };
    commands(sprint).map(|one| of(&one.line)).max().unwrap_or(1)
}
