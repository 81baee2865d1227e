//! The cadence analysis: where the time and the money went, in whole numbers and tenths.

use super::super::model;
use super::super::state::{Sprint, State, TaskKind};
use super::cell;
use super::complete::{completed, cost, duration, tier, usage, worked};
use crate::vocab::role::Tier;
use crate::vocab::time::{Millis, rfc3339};
use std::fmt::Write;

const MINUTE: u64 = 60_000;

/// `part` of `whole` in percent, half up; 0 of nothing.
pub(super) fn percent(part: u64, whole: u64) -> u64 {
    ratio(part, whole, 100)
}

/// `part * scale / whole`, half up; 0 of nothing.
fn ratio(part: u64, whole: u64, scale: u64) -> u64 {
    if whole == 0 {
        return 0;
    }
    let (part, whole, scale) = (u128::from(part), u128::from(whole), u128::from(scale));
    u64::try_from((part * scale * 2 + whole) / (whole * 2)).unwrap_or(u64::MAX)
}

/// To one decimal; of nothing, nothing.
fn tenths(part: u64, whole: u64) -> String {
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
        _ if millis <= 60 * MINUTE => format!("{} minutes", tenths(millis, MINUTE)),
        _ => format!("{} hours", tenths(millis, 60 * MINUTE)),
    }
}

/// The mean of a sum over so many; of nothing, nothing.
fn mean(sum: Millis, many: u64) -> String {
    span(ratio(sum, many, 1))
}

fn count(items: usize) -> u64 {
    u64::try_from(items).unwrap_or(u64::MAX)
}

fn turns(sprint: &Sprint) -> u64 {
    sprint.tries.iter().map(|one| u64::from(one.turns)).sum()
}

pub(super) fn render(state: &State, at: Millis, page: &mut String) {
    let done = completed(state);
    page.push_str("\n## Cadence Analysis\n");
    overall(state, &done, at, page);
    by_unit(state, &done, at, page);
    by_model(state, &done, page);
    velocity(&done, page);
    efficiency(state, &done, page);
    bottleneck(state, &done, page);
    estimates(&done, page);
    time_spent(&done, page);
    cost_spent(state, &done, page);
}

/// How much of the time agents were at work, in percent: the sum of the runs over the time that went by,
/// and so never more than as many as were alive at once.
pub(super) fn overlap(done: &[&Sprint], elapsed: Millis) -> u64 {
    percent(done.iter().map(|one| worked(one)).sum(), elapsed)
}

fn overall(state: &State, done: &[&Sprint], at: Millis, page: &mut String) {
    let began = state.core.began_at.unwrap_or(at);
    let elapsed = at.saturating_sub(began);
    let total: u64 = done.iter().map(|one| duration(one)).sum();
    let active: u64 = done.iter().map(|one| worked(one)).sum();
    let used: u64 = done.iter().map(|one| turns(one)).sum();
    let runs: u64 = done.iter().map(|one| count(one.tries.len())).sum();
    let most = runs.saturating_mul(u64::from(state.core.settings.max_turns));
    let turns = match used {
        0 => "not reported".to_owned(),
        _ => format!("{used} / {most} ({}% utilization)", percent(used, most)),
    };
    let _ = write!(
        page,
        "\n### Overall Performance\n\n- **Total elapsed time**: {} ({} → {})\n- **Active work time**: {}\n- \
         **Parallelism efficiency**: {}% (100% is one agent at work all the time)\n- **Average sprint duration**: {}\n- **Sprints per hour**: \
         {}\n- **Total turns used**: {turns}\n",
        span(elapsed),
        rfc3339(began),
        rfc3339(at),
        span(active),
        overlap(done, elapsed),
        mean(total, count(done.len())),
        tenths(count(done.len()) * 60 * MINUTE, elapsed)
    );
}

fn by_unit(state: &State, done: &[&Sprint], at: Millis, page: &mut String) {
    let elapsed = at.saturating_sub(state.core.began_at.unwrap_or(at));
    page.push_str(
        "\n### By Work Unit\n\n| Work Unit | Sprints | Total Time | Avg Time/Sprint | Share of Elapsed Time |\n\
         |-----------|---------|------------|-----------------|-----------------------|\n",
    );
    let mut all = 0;
    for unit in state.units.iter() {
        let own: Vec<&&Sprint> = done.iter().filter(|one| one.unit == unit.id).collect();
        let total: u64 = own.iter().map(|one| duration(one)).sum();
        all += total;
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {}% |",
            cell(&unit.name),
            own.len(),
            span(total),
            mean(total, count(own.len())),
            percent(total, elapsed)
        );
    }
    // One after the other they would have taken the sum.
    match all > elapsed {
        true => {
            let (gain, saved) = (tenths(all, elapsed), span(all - elapsed));
            let _ = write!(page, "\n**Parallelism gain**: {gain}×, {saved} saved\n");
        }
        false => page.push_str("\n**Parallelism gain**: none\n"),
    }
}

const TIERS: [Tier; 3] = [Tier::Small, Tier::Standard, Tier::Large];

fn by_model(state: &State, done: &[&Sprint], page: &mut String) {
    page.push_str(
        "\n### By Model\n\n| Model | Sprints | Avg Duration | Avg Turns | Success Rate | Avg Attempts | Cost \
         Impact |\n|-------|---------|--------------|-----------|--------------|--------------|-------------|\n",
    );
    for wanted in TIERS {
        let own: Vec<&&Sprint> = done.iter().filter(|one| tier(one) == Some(wanted)).collect();
        let many = count(own.len());
        let first = count(own.iter().filter(|one| one.failures == 0).count());
        let attempts: u64 = own.iter().map(|one| u64::from(one.failures) + 1).sum();
        let _ = writeln!(
            page,
            "| {} | {many} | {} | {} | {}% | {} | {}× |",
            cell(state.core.settings.name(wanted)),
            mean(own.iter().map(|one| duration(one)).sum(), many),
            mean_turns(&own),
            percent(first, many),
            tenths(attempts, many),
            many * model::cost(wanted)
        );
    }
}

/// The mean over those that told their turns.
fn mean_turns(own: &[&&Sprint]) -> String {
    let told: Vec<u64> = own.iter().map(|one| turns(one)).filter(|turns| *turns > 0).collect();
    match told.is_empty() {
        true => "not reported".to_owned(),
        false => tenths(told.iter().sum(), count(told.len())),
    }
}

/// Three thirds of the sprints, in the order they were completed.
fn thirds<'a>(done: &'a [&'a Sprint]) -> [&'a [&'a Sprint]; 3] {
    let (one, two) = (done.len() / 3, done.len() * 2 / 3);
    [&done[..one], &done[one..two], &done[two..]]
}

fn velocity(done: &[&Sprint], page: &mut String) {
    page.push_str(
        "\n### Velocity Trend\n\n| Phase | Sprints | Avg Duration | Notes |\n|-------|---------|--------------|-------|\n",
    );
    let thirds = thirds(done);
    let mean = |part: &[&Sprint]| {
        let total: u64 = part.iter().map(|one| duration(one)).sum();
        total.checked_div(count(part.len())).unwrap_or(0)
    };
    for (name, part) in ["early", "middle", "late"].into_iter().zip(thirds) {
        let note = note(name, part, mean(thirds[1]), mean(part));
        let _ = writeln!(page, "| {name} | {} | {} | {note} |", part.len(), span(mean(part)));
    }
    let (early, late) = (mean(thirds[0]), mean(thirds[2]));
    // More than a fifth slower or faster is a trend.
    let word = match (early, late) {
        (0, _) => "— too few sprints to say",
        (early, late) if late * 5 > early * 6 => "✗ Velocity degraded",
        (early, late) if late * 5 < early * 4 => "↗ Velocity improved",
        _ => "✓ Velocity stabilized",
    };
    let _ = write!(page, "\n**Trend**: {word}\n");
}

/// What a third was about.
fn note(name: &str, part: &[&Sprint], middle: u64, mean: u64) -> &'static str {
    if part.is_empty() {
        return "—";
    }
    match name {
        "early" if part.iter().any(|one| one.traits.foundation) => "Foundation work",
        "early" => "Learning phase",
        "middle" => "Steady state",
        _ if mean * 5 > middle * 6 && middle > 0 => "Slowdown",
        _ if mean * 5 < middle * 4 => "Faster",
        _ => "Maintained velocity",
    }
}

/// Retries that a stronger model was sent for.
fn upgrades(sprint: &Sprint) -> usize {
    let pairs = sprint.tries.windows(2);
    pairs.filter(|pair| pair[1].attempt != pair[0].attempt && pair[1].tier > pair[0].tier).count()
}

fn efficiency(state: &State, done: &[&Sprint], page: &mut String) {
    let all = count(done.len());
    let retried: Vec<&&Sprint> = done.iter().filter(|one| one.failures > 0).collect();
    let first = all - count(retried.len());
    let raised = count(done.iter().filter(|one| upgrades(one) > 0).count());
    let upgrades: usize = done.iter().map(|one| upgrades(one)).sum();
    let most = u64::from(state.core.settings.max_turns);
    let of = |one: &Sprint| one.tries.last().map_or(0, |run| u64::from(run.turns));
    let told: Vec<&&Sprint> = done.iter().filter(|one| of(one) > 0).collect();
    let mean = percent(told.iter().map(|one| of(one)).sum(), count(told.len()) * most);
    let headroom = 100_u64.saturating_sub(mean);
    let budget = match told.is_empty() {
        true => "not reported".to_owned(),
        false => format!("{mean}% avg ({headroom}% headroom)"),
    };
    let over = told.iter().filter(|one| of(one) * 100 > most * 80).count();
    let under = told.iter().filter(|one| of(one) * 100 < most * 15).count();
    let _ = write!(
        page,
        "\n### Efficiency Metrics\n\n- **First-attempt success**: {first}/{all} sprints ({}%)\n- **Retries \
         required**: {}/{all} sprints ({}%)\n",
        percent(first, all),
        retried.len(),
        percent(count(retried.len()), all)
    );
    for one in &retried {
        let _ = writeln!(page, "  - {}: {} failed attempts", cell(&one.id), one.failures);
    }
    let _ = write!(
        page,
        "- **Model selection accuracy**: {}% ({upgrades} upgrades needed on retry)\n- **Context budget \
         utilization**: {budget}\n- **Oversized sprints**: {over} (exceeded 80% of turns \
         budget)\n- **Undersized sprints**: {under} (used <15% of turns budget)\n",
        percent(all - raised, all)
    );
}

/// What a sprint waits for, sprint by sprint.
fn before<'a>(state: &'a State, sprint: &'a Sprint) -> Vec<&'a str> {
    let mut waits: Vec<&str> = sprint.plan.after.iter().map(String::as_str).collect();
    if let Some(unit) = state.units.get(&sprint.unit) {
        let place = unit.sprints.iter().position(|id| *id == sprint.id).unwrap_or(0);
        match place.checked_sub(1).and_then(|place| unit.sprints.get(place)) {
            Some(id) => waits.push(id),
            None => waits.extend(unit.after.iter().map(String::as_str)),
        }
    }
    let last = |id: &'a str| match state.units.get(id) {
        Some(unit) => unit.sprints.last().map(String::as_str),
        None => Some(id),
    };
    waits.into_iter().filter_map(last).collect()
}

/// The length of a way: by duration, and by the number of its sprints where that is the same.
type Length = (u64, usize);

/// The longest way through what waits for what.
fn critical(state: &State) -> (Vec<String>, u64) {
    let mut best: std::collections::BTreeMap<&str, (Length, Option<&str>)> = Default::default();
    let mut left: Vec<&Sprint> = state.sprints.iter().collect();
    // Whoever waits for nothing that is left is next; a round that finds nobody is the last.
    loop {
        let known = best.len();
        let ids: std::collections::BTreeSet<&str> =
            left.iter().map(|one| one.id.as_str()).collect();
        let (next, rest): (Vec<&Sprint>, Vec<&Sprint>) = left
            .iter()
            .partition(|sprint| !before(state, sprint).iter().any(|id| ids.contains(id)));
        for sprint in next {
            let from = before(state, sprint).into_iter();
            let from = from.filter_map(|id| best.get(id).map(|(length, _)| (*length, id))).max();
            let ((time, many), from) = from.map_or(((0, 0), None), |(way, id)| (way, Some(id)));
            best.insert(&sprint.id, ((time + duration(sprint), many + 1), from));
        }
        left = rest;
        if best.len() == known {
            break;
        }
    }
    let end = best.iter().max_by_key(|(_, (length, _))| *length);
    let Some((id, ((time, _), _))) = end.map(|(id, found)| (*id, *found)) else {
        return (Vec::new(), 0);
    };
    let (mut way, mut here) = (Vec::new(), Some(id));
    while let Some(id) = here {
        way.push(id.to_owned());
        here = best.get(id).and_then(|(_, from)| *from);
    }
    way.reverse();
    (way, time)
}

fn bottleneck(state: &State, done: &[&Sprint], page: &mut String) {
    let (way, length) = critical(state);
    let name = |one: &Sprint| format!("{} ({})", cell(&one.id), cell(&one.plan.name));
    let longest = done.iter().max_by_key(|one| duration(one));
    let most = done.iter().filter(|one| one.failures > 0).max_by_key(|one| one.failures);
    let _ = write!(
        page,
        "\n### Bottleneck Analysis\n\n**Critical Path**: {} ({} total)\n**Longest sprint**: {}\n**Most \
         retries**: {}\n",
        way.iter().map(|id| cell(id)).collect::<Vec<_>>().join(" → "),
        span(length),
        longest.map_or("none".to_owned(), |one| {
            let model = tier(one).map_or("no model", |tier| state.core.settings.name(tier));
            format!("{}, {}, {}", name(one), span(duration(one)), cell(model))
        }),
        most.map_or("none".to_owned(), |one| format!(
            "{}, {} failed attempts",
            name(one),
            one.failures
        ))
    );
    let word = match (most, longest) {
        (Some(one), _) => format!("Split {} or word its criteria more exactly.", cell(&one.id)),
        (None, Some(one)) => format!("Nothing was retried; {} took the longest.", cell(&one.id)),
        (None, None) => "None.".to_owned(),
    };
    let _ = write!(page, "\n**Recommendation**: {word}\n");
}

/// How far an estimate was off, in percent of it, with its sign.
fn variance(estimated: u64, actual: u64) -> (bool, u64) {
    (actual >= estimated, percent(actual.abs_diff(estimated), estimated))
}

fn estimates(done: &[&Sprint], page: &mut String) {
    page.push_str(
        "\n### Estimation Accuracy\n\n| Sprint | Estimated Turns | Actual Turns | Variance | Accuracy |\n\
         |--------|----------------|--------------|----------|----------|\n",
    );
    let (mut off, mut known, mut over, mut under) = (0, 0, 0, 0);
    for sprint in done {
        let actual = sprint.tries.last().map_or(0, |run| u64::from(run.turns));
        let estimated = u64::from(sprint.traits.turns);
        if actual == 0 {
            let _ = writeln!(page, "| {} | {estimated} | not told | — | — |", cell(&sprint.id));
            continue;
        }
        let (more, by) = variance(estimated, actual);
        let word = if by <= 20 { "✓ Good" } else { "✗ Poor" };
        let sign = if more { "+" } else { "-" };
        (off, known) = (off + by, known + 1);
        (over, under) = (over + u64::from(!more), under + u64::from(more && by > 0));
        let _ = writeln!(
            page,
            "| {} | {estimated} | {actual} | {sign}{by}% | {word} |",
            cell(&sprint.id)
        );
    }
    let word = match (known, over.cmp(&under)) {
        (0, _) => "No run told its turns",
        (_, std::cmp::Ordering::Greater) => "Overestimated more often than not",
        (_, std::cmp::Ordering::Less) => "Underestimated more often than not",
        (_, std::cmp::Ordering::Equal) => "Neither over nor under",
    };
    let mean = match known {
        0 => "not known".to_owned(),
        _ => format!("±{}%", ratio(off, known, 1)),
    };
    let _ = write!(page, "\n**Average estimation error**: {mean}\n**Trend**: {word}\n");
}

/// Sixteen blocks.
fn bar(part: u64, whole: u64) -> String {
    let full = usize::try_from(ratio(part, whole, 16)).unwrap_or(16).min(16);
    format!("{}{}", "█".repeat(full), "░".repeat(16 - full))
}

fn time_spent(done: &[&Sprint], page: &mut String) {
    let tests = |one: &Sprint| {
        let word = |text: &str| text.to_lowercase().contains("test");
        word(&one.plan.name) || one.criteria.iter().any(|criterion| word(&criterion.text))
    };
    let (mut foundation, mut code, mut testing, mut retries, mut other) = (0, 0, 0, 0, 0);
    for sprint in done {
        let again: u64 = sprint
            .tries
            .iter()
            .filter(|run| run.attempt > 1)
            .map(|run| run.ended_at.saturating_sub(run.started_at))
            .sum();
        let rest = duration(sprint).saturating_sub(again);
        retries += again.min(duration(sprint));
        if sprint.traits.foundation {
            foundation += rest;
        } else if tests(sprint) {
            testing += rest;
        } else if sprint.kind == TaskKind::Code {
            code += rest;
        } else {
            other += rest;
        }
    }
    let all = foundation + code + testing + retries + other;
    page.push_str("\n### Time Distribution\n\n```\n");
    for (name, part) in [
        ("Foundation work:   ", foundation),
        ("Implementation:    ", code),
        ("Testing/Validation:", testing),
        ("Retries/Fixes:     ", retries),
        ("Other:             ", other),
    ] {
        let _ =
            writeln!(page, "{name} {} {}% ({})", bar(part, all), percent(part, all), span(part));
    }
    page.push_str("```\n");
}

fn cost_spent(state: &State, done: &[&Sprint], page: &mut String) {
    let usage = usage(done);
    let all = cost(&usage);
    page.push_str("\n### Cost Breakdown\n\n```\n");
    for (tier, many) in usage {
        let part = many * model::cost(tier);
        let name = state.core.settings.name(tier);
        let _ = writeln!(
            page,
            "{} sprints: {} {part}× ({}% of cost)",
            cell(name),
            bar(part, all),
            percent(part, all)
        );
    }
    page.push_str("```\n");
    // What was done at the first attempt in less than three tenths of its turns could have been cheaper.
    let most = u64::from(state.core.settings.max_turns);
    let easy = |one: &&&Sprint| {
        let turns = one.tries.last().map_or(0, |run| u64::from(run.turns));
        one.failures == 0 && turns > 0 && turns * 10 < most * 3
    };
    let mut saved = 0;
    let mut named = Vec::new();
    for sprint in done.iter().filter(easy) {
        let cheaper = match tier(sprint) {
            Some(Tier::Large) => model::cost(Tier::Large) - model::cost(Tier::Standard),
            Some(Tier::Standard) => model::cost(Tier::Standard) - model::cost(Tier::Small),
            Some(Tier::Small) | None => 0,
        };
        if cheaper > 0 {
            saved += cheaper;
            named.push(cell(&sprint.id));
        }
    }
    let named = if named.is_empty() { "none".to_owned() } else { named.join(", ") };
    let _ = write!(
        page,
        "\n**Cost optimization opportunities**: {named}\n**Potential savings**: {saved}× ({}% reduction)\n",
        percent(saved, all)
    );
}
