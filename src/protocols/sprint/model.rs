//! Which model a sprint gets: points from a table, in exact integers, and five overrides.
//!
//! Points are kept in sixths, as all scores of this protocol, and shown to one decimal, half up.

use super::state::{Attempting, Check, Clarity, Config, Sprint, TaskKind};
use crate::mission::prelude::*;

/// What was chosen, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ModelChoice")]
pub struct Choice {
    /// The tier.
    pub tier: Tier,
    /// The score in sixths of a point.
    pub sixths: i64,
    /// What made it so, in words.
    pub why: String,
}

/// One dimension of the score, in points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// Its points.
    pub points: i64,
}

/// What one run of a tier costs, in units of the cheapest.
pub fn cost(tier: Tier) -> u64 {
    match tier {
        Tier::Small => 1,
        Tier::Standard => 10,
        Tier::Large => 30,
    }
}

/// A score in sixths as people write it: to one decimal, half up.
pub fn shown(sixths: i64) -> String {
    // Tenths, half up: (sixths * 10 + 3) / 6, for either sign.
    let tenths = (sixths * 10 + 3).div_euclid(6);
    let sign = if tenths < 0 { "-" } else { "" };
    format!("{sign}{}.{}", tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10)
}

/// The five dimensions, none of them capped.
pub fn parts(sprint: &Sprint) -> [Part; 5] {
    let part = |name, points| Part { name, points };
    [
        part("complexity", turns(sprint.plan.traits.turns) + files(sprint.plan.traits.files)),
        part("ambiguity", criteria(sprint) + clarity(sprint.plan.traits.clarity)),
        part(
            "foundation",
            foundation(sprint.plan.traits.foundation) + dependents(sprint.dependents),
        ),
        part("risk", i64::from(sprint.plan.traits.risk)),
        part("type", kind(sprint.plan.kind)),
    ]
}

fn turns(turns: u32) -> i64 {
    match turns {
        0..=9 => 1,
        10..=20 => 3,
        21..=35 => 5,
        36..=50 => 8,
        _ => 10,
    }
}

fn files(files: u32) -> i64 {
    match files {
        0..=2 => 0,
        3..=5 => 2,
        6..=10 => 4,
        _ => 6,
    }
}

/// All shown by commands, some not, or vague words among them.
fn criteria(sprint: &Sprint) -> i64 {
    if sprint.vague.iter().any(|vague| *vague) {
        return 5;
    }
    let command = |check: &Check| matches!(check, Check::Command(_));
    if sprint.checks.iter().all(command) { 0 } else { 2 }
}

fn clarity(clarity: Clarity) -> i64 {
    match clarity {
        Clarity::Explicit => 0,
        Clarity::HighLevel => 3,
        Clarity::OpenEnded => 5,
    }
}

fn foundation(foundation: bool) -> i64 {
    if foundation { 5 } else { 0 }
}

fn dependents(dependents: u32) -> i64 {
    match dependents {
        0..=1 => 0,
        2..=5 => 2,
        _ => 5,
    }
}

fn kind(kind: TaskKind) -> i64 {
    match kind {
        TaskKind::Code => 0,
        TaskKind::Command | TaskKind::Background => -3,
        TaskKind::Deferred => -2,
        TaskKind::Manual => -1,
    }
}

/// The tier of a score.
pub fn tier_of(points: i64) -> Tier {
    match points {
        ..=5 => Tier::Small,
        6..=12 => Tier::Standard,
        _ => Tier::Large,
    }
}

/// Chooses for the dispatch that is due.
pub fn choose(settings: &Config, sprint: &Sprint, attempting: Attempting) -> Choice {
    let parts = parts(sprint);
    let points: i64 = parts.iter().map(|part| part.points).sum();
    let (tier, forced) = overridden(settings, sprint, attempting, tier_of(points));
    let told: Vec<String> = parts
        .iter()
        .filter(|part| part.points != 0)
        .map(|part| format!("{} {}", part.name, part.points))
        .collect();
    let mut why = format!("complexity score {} ({})", shown(points * 6), told.join(", "));
    let asked = sprint.plan.traits.floor.filter(|floor| tier < *floor);
    for word in forced.into_iter().chain(asked.map(|_| "the plan asks for no less".to_owned())) {
        why.push_str("; ");
        why.push_str(&word);
    }
    Choice { tier: asked.unwrap_or(tier), sixths: points * 6, why }
}

/// The five overrides; the strongest that applies.
fn overridden(
    settings: &Config,
    sprint: &Sprint,
    attempting: Attempting,
    tier: Tier,
) -> (Tier, Option<String>) {
    let prior = sprint.choice.as_ref().map(|choice| choice.tier);
    if let Some(tier) = prior.filter(|_| sprint.losses > 0) {
        return (tier, Some("the run before was lost, and says nothing of its model".to_owned()));
    }
    if sprint.attempt > 1 && sprint.attempt >= settings.force_from_attempt {
        let why = format!("attempt {} forces the strongest model", sprint.attempt);
        return (Tier::Large, Some(why));
    }
    if sprint.plan.traits.foundation && sprint.dependents >= 5 {
        return (Tier::Large, Some("it lays the foundation of five or more".to_owned()));
    }
    if sprint.plan.traits.open_questions {
        return (Tier::Large, Some("its definition leaves questions open".to_owned()));
    }
    let prior = prior.unwrap_or(Tier::Small);
    match attempting {
        Attempting::Continuation => {
            let least = prior.max(Tier::Standard);
            (tier.max(least), (tier < least).then(|| "a continuation is never weaker".to_owned()))
        }
        Attempting::Anew if sprint.attempt <= 1 && sprint.vague.iter().any(|vague| *vague) => {
            let least = Tier::Standard;
            (tier.max(least), (tier < least).then(|| "its exit criteria are vague".to_owned()))
        }
        Attempting::Anew if sprint.attempt > 1 && tier < prior => {
            (prior, Some("never weaker than the attempt before".to_owned()))
        }
        Attempting::Anew => (tier, None),
    }
}
