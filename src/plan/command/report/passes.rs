//! The second pass, each sprint by itself, and the third: the order of the sprints, as it is and as it could be.

use super::super::SprintCheck;
use super::super::analyze::{Analysis, IssueKind};
use super::super::estimate::Fitness;
use super::super::evaluate::turns;
use super::super::prioritize::Row;
use super::super::score::Score;
use super::analysis::problems;
use super::{listed, table};
use crate::plan::model::Plan;
use crate::plan::order;
use crate::vocab::table::map_of;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

type Values = Vec<(&'static str, String)>;

/// A row of a check: its marks, and the verdict with what fails or is unknown.
fn row(one: &SprintCheck, tests: &[(Option<bool>, &str)]) -> Vec<String> {
    let words = |value: Option<bool>| {
        let own = tests.iter().filter(|(good, _)| *good == value).map(|(_, words)| *words);
        own.collect::<Vec<_>>().join(", ")
    };
    let verdict = match (words(Some(false)), words(None)) {
        (bad, _) if !bad.is_empty() => format!("FAIL: {bad}"),
        (_, open) if !open.is_empty() => format!("UNKNOWN: {open}"),
        _ => "PASS".to_owned(),
    };
    let mark = |good: Option<bool>| good.map_or("?", |good| if good { "✓" } else { "✗" });
    let marks = tests.iter().map(|(good, _)| mark(*good).to_owned());
    std::iter::once(one.sprint.clone()).chain(marks).chain([verdict]).collect()
}

pub(super) fn quality(found: &Analysis) -> Values {
    let atomic = found.checks.iter().map(|one| {
        let size = turns(&one.estimate.turns());
        let size = one.fitness.map_or(size.clone(), |_| format!("Oversized (est. {size})"));
        let tests = [
            (one.single_concern, "Multiple concerns"),
            (Some(one.clear_artifact), "No named artifact"),
            (one.bounded_scope(), size.as_str()),
            (Some(one.explicit_io), "Beginning or end not named"),
        ];
        row(one, &tests)
    });
    let testable = found.checks.iter().map(|one| {
        let tests = [
            (Some(one.machine_verifiable), "Only manual checks"),
            (Some(one.no_vague_words), "Vague criteria"),
            (Some(one.coverage), "A task without a criterion"),
        ];
        row(one, &tests)
    });
    let own = |kind| found.issues.iter().filter(move |one| one.kind == kind);
    let advice = |kind| listed(own(kind).map(|one| format!("{}: {}", one.at, one.advice)));
    let (fitness, turns) = fitness(found);
    vec![
        ("atomic", table(atomic)),
        ("atomicity", own(IssueKind::Atomicity).count().to_string()),
        ("atomicity_advice", advice(IssueKind::Atomicity)),
        ("testable", table(testable)),
        ("testability", own(IssueKind::Testability).count().to_string()),
        ("testability_advice", advice(IssueKind::Testability)),
        ("fitness", fitness),
        ("turns", turns),
    ]
}

/// How sprints fit their budget: each, and all.
fn fitness(found: &Analysis) -> (String, String) {
    let percent = |turns: u64| (turns * 100).checked_div(u64::from(found.budget)).unwrap_or(0);
    let rows = found.checks.iter().map(|one| {
        let verdict = match one.fitness {
            Some(Fitness::Oversized) => "Oversized",
            Some(Fitness::Right) => "Right-sized",
            Some(Fitness::Undersized) => "Undersized",
            None => "Unknown",
        };
        let turns = one.estimate.turns();
        let used = turns.known().map(|turns| format!("{}%", percent(turns.into())));
        let used = used.unwrap_or_else(|| "?".to_owned());
        let turns = turns.words(|turns| turns.to_string());
        vec![one.sprint.clone(), turns, found.budget.to_string(), used, verdict.to_owned()]
    });
    let known = found.checks.iter().filter_map(|one| one.estimate.turns().known());
    let known: Vec<u64> = known.map(u64::from).collect();
    let (total, many) = (known.iter().sum::<u64>(), known.len());
    let average = percent(total).checked_div(many as u64);
    let average = average.map_or_else(|| "unknown".to_owned(), |share| format!("{share}%"));
    let of = |kind: Option<Fitness>| found.checks.iter().filter(|one| one.fitness == kind).count();
    let all = [
        format!("Total turns across the {many} sprints with a known estimate: {total}"),
        format!("Average utilization: {average}"),
        format!("Oversized sprints: {}", of(Some(Fitness::Oversized))),
        format!("Undersized sprints: {}", of(Some(Fitness::Undersized))),
        format!("Unknown: {}", of(None)),
    ];
    (table(rows), listed(all.into_iter()))
}

pub(super) fn order(found: &Analysis, plan: &Plan) -> Values {
    let mut layers: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    let own = order::layers(plan);
    for unit in &plan.units {
        layers.entry(own.get(&unit.name).copied().unwrap_or(1)).or_default().push(&unit.name);
    }
    let order = &found.order;
    let circle = order.circle.as_ref().map(|all| format!("**Circle**: {}", all.join(" → ")));
    let units = layers.iter().filter(|(_, units)| units.len() > 1);
    let units = units
        .map(|(layer, units)| format!("Layer {layer}: {} can run in parallel", units.join(", ")));
    let wide = (1_u32..).zip(&order.levels).filter(|(_, level)| level.len() > 1);
    let sprints = wide.map(|(number, level)| {
        format!("Level {number}: {} do not wait for each other", level.join(", "))
    });
    let bottlenecks = order.bottlenecks.iter().map(|one| {
        let reason = scored(found).find(|(_, score)| score.sprint == one.sprint);
        let reason = reason.map(|(_, score)| score.reason()).unwrap_or_default();
        vec![one.sprint.clone(), one.blocks.join(", "), one.dependents.to_string(), reason]
    });
    vec![
        ("circle", circle.unwrap_or_default()),
        ("chain", order.critical_path.join(" → ")),
        ("length", order.critical_path.len().to_string()),
        ("clusters", listed(units.chain(sprints))),
        ("bottlenecks", table(bottlenecks)),
        ("now", layers.values().next().map_or(0, Vec::len).to_string()),
        ("most", order.parallelism.to_string()),
        ("missed", problems(found, |one| one.kind == IssueKind::Parallelism)),
        ("scores", scores(found)),
        ("late", problems(found, |one| one.kind == IssueKind::Order)),
        ("blocking", blocking(found)),
        ("rules", rules(found)),
        ("moves", moves(found)),
    ]
}

/// The rows with their scores; none if sprints wait for each other in a circle.
fn scored(found: &Analysis) -> impl Iterator<Item = (&Row, &Score)> {
    found.rows.iter().filter_map(|row| Some((row, row.score.as_ref()?)))
}

fn scores(found: &Analysis) -> String {
    table(scored(found).map(|(row, score)| {
        let advice = match row.place.cmp(&row.place_was) {
            Ordering::Less => "Move earlier",
            Ordering::Equal => "Keep",
            Ordering::Greater => "Move later",
        };
        let advice = format!("{advice}: {}", score.reason());
        let (was, now) = (row.place_was.to_string(), row.place.to_string());
        vec![score.sprint.clone(), score.words(), was, now, advice]
    }))
}

/// One after the other on the longest chain: the first has surely less, and the second waits for it.
fn blocking(found: &Analysis) -> String {
    let scores: BTreeMap<&str, &Score> =
        map_of(scored(found).map(|(_, score)| (score.sprint.as_str(), score)));
    listed(found.order.critical_path.windows(2).filter_map(|pair| {
        let (from, to) = (scores.get(pair[0].as_str())?, scores.get(pair[1].as_str())?);
        let words = |score: &Score| format!("{} (score {})", score.sprint, score.words());
        (from.most() < to.least()).then(|| format!("{} blocks {}", words(from), words(to)))
    }))
}

/// What the three rules of order say.
fn rules(found: &Analysis) -> String {
    let bottlenecks: BTreeSet<&str> =
        found.order.bottlenecks.iter().map(|one| one.sprint.as_str()).collect();
    type Rule<'r> = (&'r str, &'r dyn Fn(&Score) -> Option<bool>);
    let rules: [Rule<'_>; 3] = [
        ("Foundation-first", &|score| score.foundation),
        ("Risk-early", &|score| score.risk.map(|risk| risk == 3)),
        ("Bottleneck-early", &|score| Some(bottlenecks.contains(score.sprint.as_str()))),
    ];
    let words = |(number, (name, is)): (usize, Rule<'_>)| {
        let own: Vec<_> = scored(found).filter(|(_, score)| is(score) == Some(true)).collect();
        let open = scored(found).filter(|(_, score)| is(score).is_none()).count();
        let late = own.iter().filter(|(row, _)| row.place < row.place_was);
        let step = |(row, score): &(&Row, &Score)| {
            format!("{} should move from {} to {}", score.sprint, row.place_was, row.place)
        };
        let late: Vec<String> = late.map(step).collect();
        let words = match (own.len(), late.is_empty()) {
            (0, _) => "no sprint is known to be of that kind".to_owned(),
            (many, true) => format!("{many} of that kind, as early as dependencies allow"),
            (_, false) => late.join("; "),
        };
        let open = if open > 0 { format!(" ({open} unknown)") } else { String::new() };
        format!("{number}. **{name}**: {words}{open}\n")
    };
    (1..).zip(rules).map(words).collect()
}

/// Every sprint that has another place, in the order of the plan as it is.
fn moves(found: &Analysis) -> String {
    let mut rows: Vec<&Row> = found.rows.iter().collect();
    rows.sort_by_key(|row| row.place_was);
    let why = |row: &Row| match row.place < row.place_was {
        true => row.score.as_ref().map(Score::reason).unwrap_or_default(),
        false => "makes room for more urgent ones".to_owned(),
    };
    table(rows.into_iter().filter(|row| row.place != row.place_was).map(|row| {
        let sprint = format!("{}/{} {}", row.unit, row.was, row.name);
        vec![row.place_was.to_string(), row.place.to_string(), sprint, why(row)]
    }))
}
