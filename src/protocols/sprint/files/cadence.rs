//! The cadence analysis: where the time and the money went.

use super::super::model;
use super::super::state::{Sprint, State, TaskKind, Unit};
use super::numbers::*;
use super::{cell, joined, way};
use crate::mission::template::{Fields, Value, fields, rows};
use crate::vocab::role::Tier;
use crate::vocab::time::{Millis, rfc3339};
use std::cmp::Ordering;

/// All that is told of it.
pub(super) fn told(state: &State, done: &[&Sprint], at: Millis) -> Fields {
    overall(state, done, at)
        .and(velocity(done))
        .and(efficiency(state, done))
        .and(bottleneck(state, done))
        .and(estimates(done))
        .and(time_spent(done))
        .and(savings(state, done))
}

/// The time from the first dispatch to the end.
fn elapsed(state: &State, at: Millis) -> Millis {
    at.saturating_sub(state.core.began_at.unwrap_or(at))
}

/// When it went on, and how much of the time agents were at work: never more than as many as were alive at once.
pub(super) fn pace(state: &State, done: &[&Sprint], at: Millis) -> Fields {
    let elapsed = elapsed(state, at);
    fields! {
        began: rfc3339(state.core.began_at.unwrap_or(at)),
        at: rfc3339(at),
        elapsed: span(elapsed),
        overlap: percent(sum(done, worked), elapsed),
    }
}

fn turns(sprint: &Sprint) -> u64 {
    sprint.tries.iter().map(|one| u64::from(one.turns)).sum()
}

fn overall(state: &State, done: &[&Sprint], at: Millis) -> Fields {
    let elapsed = elapsed(state, at);
    let (all, used) = (sum(done, duration), sum(done, turns));
    let runs = sum(done, |one| count(one.tries.len()));
    let most = runs.saturating_mul(u64::from(state.core.settings.max_turns));
    let turns = || fields! { used: used, most: most, percent: percent(used, most) };
    // One after the other they would have taken the sum.
    let gain = || fields! { times: tenths(all, elapsed), saved: span(all - elapsed) };
    pace(state, done, at).and(fields! {
        active: span(sum(done, worked)),
        average: mean(all, count(done.len())),
        hourly: tenths(count(done.len()) * HOUR, elapsed),
        turns: (used > 0).then(turns),
        units: rows(state.units.iter().map(|one| unit(one, done, elapsed))),
        gain: (all > elapsed).then(gain),
    })
}

fn unit(unit: &Unit, done: &[&Sprint], elapsed: Millis) -> Fields {
    let own: Vec<&Sprint> = done.iter().copied().filter(|one| one.unit == unit.id).collect();
    let total = sum(&own, duration);
    fields! {
        name: cell(&unit.name),
        count: own.len(),
        total: span(total),
        average: mean(total, count(own.len())),
        share: percent(total, elapsed),
    }
}

/// What the model of each tier completed, and what that costs.
pub(super) fn tiers(state: &State, done: &[&Sprint]) -> Value {
    rows(TIERS.map(|wanted| {
        let own = of_tier(done, wanted);
        let (many, cost, all) = (count(own.len()), cost(&own), cost(done));
        let first = count(own.iter().filter(|one| one.failures == 0).count());
        // The mean over those that told their turns.
        let told = count(own.iter().filter(|one| turns(one) > 0).count());
        let mean_turns = || fields! { mean: tenths(sum(&own, turns), told) };
        fields! {
            name: cell(state.core.settings.names.of(wanted)),
            count: many,
            average: mean(sum(&own, duration), many),
            turns: (told > 0).then(mean_turns),
            first: percent(first, many),
            attempts: tenths(sum(&own, |one| u64::from(one.failures) + 1), many),
            cost: cost,
            bar: bar(cost, all),
            share: percent(cost, all),
        }
    }))
}

/// Three thirds of the sprints, in the order they were completed.
fn velocity(done: &[&Sprint]) -> Fields {
    let (first, rest) = done.split_at(done.len() / 3);
    let (second, third) = rest.split_at(done.len() * 2 / 3 - first.len());
    let (early, middle, late) = (average(first), average(second), average(third));
    let row = |(name, part, took)| {
        let note = note(name, part, middle, took);
        fields! { name: name, count: part.len(), average: span(took), note: note }
    };
    let phases = [("early", first, early), ("middle", second, middle), ("late", third, late)];
    // More than a fifth slower or faster is a trend.
    let trend = match early {
        0 => "— too few sprints to say",
        _ if late * 5 > early * 6 => "✗ Velocity degraded",
        _ if late * 5 < early * 4 => "↗ Velocity improved",
        _ => "✓ Velocity stabilized",
    };
    fields! { phases: rows(phases.map(row)), trend: trend }
}

/// What a third was about.
fn note(name: &str, part: &[&Sprint], middle: u64, mean: u64) -> &'static str {
    match name {
        _ if part.is_empty() => "—",
        "early" if part.iter().any(|one| one.plan.traits.foundation) => "Foundation work",
        "early" => "Learning phase",
        "middle" => "Steady state",
        _ if mean * 5 > middle * 6 && middle > 0 => "Slowdown",
        _ if mean * 5 < middle * 4 => "Faster",
        _ => "Maintained velocity",
    }
}

/// Retries that a stronger model was sent for.
fn upgrades(sprint: &Sprint) -> u64 {
    let pairs = sprint.tries.iter().zip(sprint.tries.iter().skip(1));
    let stronger = pairs.filter(|(one, next)| next.attempt != one.attempt && next.tier > one.tier);
    count(stronger.count())
}

fn efficiency(state: &State, done: &[&Sprint]) -> Fields {
    let all = count(done.len());
    let retried: Vec<&&Sprint> = done.iter().filter(|one| one.failures > 0).collect();
    let again = count(retried.len());
    let raised = count(done.iter().filter(|one| upgrades(one) > 0).count());
    let row = |one: &&Sprint| fields! { id: cell(&one.id), failures: one.failures };
    let most = u64::from(state.core.settings.max_turns);
    let used: Vec<u64> = done.iter().map(|one| last_turns(one)).filter(|used| *used > 0).collect();
    let mean = percent(used.iter().sum(), count(used.len()) * most);
    let budget = || fields! { percent: mean, headroom: 100_u64.saturating_sub(mean) };
    fields! {
        first: all - again,
        first_percent: percent(all - again, all),
        again: again,
        again_percent: percent(again, all),
        retried: rows(retried.into_iter().map(row)),
        accuracy: percent(all - raised, all),
        upgrades: sum(done, upgrades),
        budget: (!used.is_empty()).then(budget),
        oversized: used.iter().filter(|used| *used * 100 > most * 80).count(),
        undersized: used.iter().filter(|used| *used * 100 < most * 15).count(),
    }
}

fn bottleneck(state: &State, done: &[&Sprint]) -> Fields {
    let (way, length) = way::longest(state);
    let row = |one: &&Sprint| {
        let model = tier(one).map_or("no model", |tier| state.core.settings.names.of(tier));
        fields! {
            id: cell(&one.id),
            name: cell(&one.plan.name),
            duration: span(duration(one)),
            model: cell(model),
            failures: one.failures,
        }
    };
    let retried = done.iter().filter(|one| one.failures > 0);
    fields! {
        way: way.into_iter().map(cell).collect::<Vec<_>>().join(" → "),
        way_length: span(length),
        longest: done.iter().max_by_key(|one| duration(one)).map(row),
        hardest: retried.max_by_key(|one| one.failures).map(row),
    }
}

/// How far an estimate was off, in percent of it: whether there was more to do, and by how much.
fn variance(sprint: &Sprint) -> Option<(bool, u64)> {
    let (actual, estimated) = (last_turns(sprint), u64::from(sprint.plan.traits.turns));
    let off = percent(actual.abs_diff(estimated), estimated);
    (actual > 0).then_some((actual >= estimated, off))
}

fn estimates(done: &[&Sprint]) -> Fields {
    let row = |sprint: &&Sprint| {
        let off = |(more, by)| {
            let sign = if more { "+" } else { "-" };
            let word = if by <= 20 { "✓ Good" } else { "✗ Poor" };
            fields! { actual: last_turns(sprint), sign: sign, percent: by, word: word }
        };
        let told = variance(sprint).map(off);
        fields! { id: cell(&sprint.id), estimated: sprint.plan.traits.turns, told: told }
    };
    let known: Vec<(bool, u64)> = done.iter().filter_map(|one| variance(one)).collect();
    let off: u64 = known.iter().map(|(_, by)| by).sum();
    let mean = || fields! { percent: ratio(off, count(known.len()), 1) };
    let over = known.iter().filter(|(more, _)| !more).count();
    let under = known.iter().filter(|(more, by)| *more && *by > 0).count();
    let word = match over.cmp(&under) {
        _ if known.is_empty() => "No run told its turns",
        Ordering::Greater => "Overestimated more often than not",
        Ordering::Less => "Underestimated more often than not",
        Ordering::Equal => "Neither over nor under",
    };
    let error = (!known.is_empty()).then(mean);
    fields! { estimates: rows(done.iter().map(row)), error: error, estimating: word }
}

/// Sixteen blocks.
fn bar(part: u64, whole: u64) -> String {
    let full = usize::try_from(ratio(part, whole, 16)).unwrap_or(16).min(16);
    format!("{}{}", "█".repeat(full), "░".repeat(16 - full))
}

/// What kind of work a sprint was.
fn work(sprint: &Sprint) -> &'static str {
    let tests = |text: &str| text.to_lowercase().contains("test");
    if sprint.plan.traits.foundation {
        "foundation"
    } else if tests(&sprint.plan.name) || sprint.criteria.iter().any(|one| tests(&one.text)) {
        "testing"
    } else if sprint.plan.kind == TaskKind::Code {
        "implementation"
    } else {
        "other"
    }
}

fn time_spent(done: &[&Sprint]) -> Fields {
    let again = |one: &Sprint| -> u64 {
        let runs = one.tries.iter().filter(|run| run.attempt > 1);
        runs.map(|run| run.ended_at.saturating_sub(run.started_at)).sum()
    };
    let of = |name: &str| -> u64 {
        let own = done.iter().filter(|one| work(one) == name);
        own.map(|one| duration(one).saturating_sub(again(one))).sum()
    };
    let retries = sum(done, |one| again(one).min(duration(one)));
    let [foundation, implementation, testing, other] =
        ["foundation", "implementation", "testing", "other"].map(of);
    let all = foundation + implementation + testing + retries + other;
    let share =
        |part| Some(fields! { bar: bar(part, all), percent: percent(part, all), time: span(part) });
    fields! {
        foundation: share(foundation),
        implementation: share(implementation),
        testing: share(testing),
        retries: share(retries),
        other: share(other),
    }
}

/// What was done at the first attempt in less than three tenths of its turns could have been cheaper.
fn savings(state: &State, done: &[&Sprint]) -> Fields {
    let most = u64::from(state.core.settings.max_turns);
    let saved = |one: &Sprint| match tier(one) {
        _ if one.failures > 0 || last_turns(one) == 0 || last_turns(one) * 10 >= most * 3 => 0,
        Some(Tier::Large) => model::cost(Tier::Large) - model::cost(Tier::Standard),
        Some(Tier::Standard) => model::cost(Tier::Standard) - model::cost(Tier::Small),
        Some(Tier::Small) | None => 0,
    };
    let all = sum(done, saved);
    let named = done.iter().filter(|one| saved(one) > 0).map(|one| cell(&one.id));
    fields! {
        cheaper: joined(named),
        savings: all,
        savings_percent: percent(all, cost(done)),
    }
}
