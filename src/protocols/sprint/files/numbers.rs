//! Numbers of the completed work and its time: whole numbers and tenths, computed from the state.

use super::super::model;
use super::super::state::{Sprint, SprintStatus, State};
use crate::mission::prelude::*;

const MINUTE: u64 = 60_000;

/// An hour.
pub(super) const HOUR: u64 = 60 * MINUTE;

/// All tiers, the cheapest first.
pub(super) const TIERS: [Tier; 3] = [Tier::Small, Tier::Standard, Tier::Large];

/// `part` of `whole` in percent, half up; 0 of nothing.
pub(super) fn percent(part: u64, whole: u64) -> u64 {
    ratio(part, whole, 100)
}

/// `part * scale / whole`, half up; 0 of nothing.
pub(super) fn ratio(part: u64, whole: u64, scale: u64) -> u64 {
    if whole == 0 {
        return 0;
    }
    let (part, whole, scale) = (u128::from(part), u128::from(whole), u128::from(scale));
    u64::try_from((part * scale * 2 + whole) / (whole * 2)).unwrap_or(u64::MAX)
}

/// To one decimal; of nothing, nothing.
pub(super) fn tenths(part: u64, whole: u64) -> String {
    match ratio(part, whole, 10) {
        _ if whole == 0 => "—".to_owned(),
        tenths => format!("{}.{}", tenths / 10, tenths % 10),
    }
}

/// A span of time, in the unit in which it is not nought.
pub(super) fn span(millis: Millis) -> String {
    match millis {
        0 => "0 seconds".to_owned(),
        1..1_000 => format!("{millis} ms"),
        1_000..MINUTE => format!("{} seconds", tenths(millis, 1_000)),
        MINUTE..=HOUR => format!("{} minutes", tenths(millis, MINUTE)),
        _ => format!("{} hours", tenths(millis, HOUR)),
    }
}

/// The mean of a sum over so many; of nothing, nothing.
pub(super) fn mean(sum: Millis, many: u64) -> String {
    span(ratio(sum, many, 1))
}

/// How many.
pub(super) fn count(items: usize) -> u64 {
    u64::try_from(items).unwrap_or(u64::MAX)
}

/// A number of each of some sprints, together.
pub(super) fn sum(all: &[&Sprint], of: impl Fn(&Sprint) -> u64) -> u64 {
    all.iter().map(|one| of(one)).sum()
}

/// Completed sprints, in the order they were completed.
pub(super) fn completed(state: &State) -> Vec<&Sprint> {
    let done = state.sprints.iter().filter(|one| one.status == SprintStatus::Completed);
    let mut done: Vec<&Sprint> = done.collect();
    done.sort_by_key(|sprint| sprint.completed_at);
    done
}

/// The tier of the run that completed a sprint.
pub(super) fn tier(sprint: &Sprint) -> Option<Tier> {
    sprint.tries.last().map(|one| one.tier)
}

/// Those whose last run was of a tier.
pub(super) fn of_tier<'a>(done: &[&'a Sprint], wanted: Tier) -> Vec<&'a Sprint> {
    done.iter().copied().filter(|one| tier(one) == Some(wanted)).collect()
}

/// From the first dispatch to the first completion; nothing for what was only shown here.
pub(super) fn duration(sprint: &Sprint) -> Millis {
    let both = sprint.first_dispatched_at.zip(sprint.completed_at);
    both.map_or(0, |(began, ended)| ended.saturating_sub(began))
}

/// How long they took on the whole, rounded down.
pub(super) fn average(done: &[&Sprint]) -> Millis {
    sum(done, duration).checked_div(count(done.len())).unwrap_or(0)
}

/// The time in which its runs were alive.
pub(super) fn worked(sprint: &Sprint) -> Millis {
    sprint.tries.iter().map(|one| one.ended_at.saturating_sub(one.started_at)).sum()
}

/// Turns of the last run, as far as it told them.
pub(super) fn last_turns(sprint: &Sprint) -> u64 {
    sprint.tries.last().map_or(0, |run| u64::from(run.turns))
}

/// What the runs that completed them cost, in units of the cheapest.
pub(super) fn cost(done: &[&Sprint]) -> u64 {
    sum(done, |one| tier(one).map_or(0, model::cost))
}
