//! The second pass, each sprint by itself, and the third: the order of the sprints, as it is and as it could be.

use super::super::SprintCheck;
use super::super::analyze::{Analysis, IssueKind};
use super::super::estimate::Fitness;
use super::super::evaluate::turns;
use super::super::prioritize::Row;
use super::super::score::Score;
use super::{PASSES, advised, listed, problems, table};
use crate::plan::model::Plan;
use crate::plan::order;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A row of a check: its marks, and the verdict with what fails or is unknown.
fn row(one: &SprintCheck, tests: &[(Option<bool>, String)]) -> Vec<String> {
    let words = |value: Option<bool>| {
        let own = tests.iter().filter(|(good, _)| *good == value).map(|(_, words)| words.as_str());
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

pub(super) fn quality(out: &mut String, found: &Analysis) {
    let _ = write!(out, "## Pass 2: {} Analysis\n\n### Atomicity Check\n\n", PASSES[1]);
    let names =
        ["Sprint", "Single Concern", "Clear Artifact", "Bounded Scope", "Explicit I/O", "Verdict"];
    let rows = found.checks.iter().map(|one| {
        let size = turns(&one.estimate.turns());
        let size = one.fitness.map_or(size.clone(), |_| format!("Oversized (est. {size})"));
        let tests = [
            (one.single_concern, "Multiple concerns".to_owned()),
            (Some(one.clear_artifact), "No named artifact".to_owned()),
            (one.bounded_scope(), size),
            (Some(one.explicit_io), "Beginning or end not named".to_owned()),
        ];
        row(one, &tests)
    });
    table(out, &names, rows);
    advised(out, found, IssueKind::Atomicity);
    out.push_str("### Testability Check\n\n");
    let names = ["Sprint", "Machine-Verifiable", "No Vague Language", "Full Coverage", "Verdict"];
    let rows = found.checks.iter().map(|one| {
        let tests = [
            (Some(one.machine_verifiable), "Only manual checks".to_owned()),
            (Some(one.no_vague_words), "Vague criteria".to_owned()),
            (Some(one.coverage), "A task without a criterion".to_owned()),
        ];
        row(one, &tests)
    });
    table(out, &names, rows);
    advised(out, found, IssueKind::Testability);
    fitness(out, found);
}

fn fitness(out: &mut String, found: &Analysis) {
    out.push_str("### Context Fitness Check\n\n");
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
    table(out, &["Sprint", "Estimated Turns", "Budget", "Utilization", "Verdict"], rows);
    let known = found.checks.iter().filter_map(|one| one.estimate.turns().known());
    let known: Vec<u64> = known.map(u64::from).collect();
    let (total, many) = (known.iter().sum::<u64>(), known.len());
    let average = percent(total).checked_div(many as u64);
    let average = average.map_or_else(|| "unknown".to_owned(), |share| format!("{share}%"));
    let of = |kind: Option<Fitness>| found.checks.iter().filter(|one| one.fitness == kind).count();
    let rows = [
        format!("Total turns across the {many} sprints with a known estimate: {total}"),
        format!("Average utilization: {average}"),
        format!("Oversized sprints: {}", of(Some(Fitness::Oversized))),
        format!("Undersized sprints: {}", of(Some(Fitness::Undersized))),
        format!("Unknown: {}", of(None)),
    ];
    listed(out, "Budget Summary", rows.into_iter());
}

pub(super) fn order(out: &mut String, found: &Analysis, plan: &Plan) {
    out.push_str("## Pass 3: Priority & Parallelism Analysis\n\n");
    let mut layers: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    let own = order::layers(plan);
    for unit in &plan.units {
        layers.entry(own.get(&unit.name).copied().unwrap_or(1)).or_default().push(&unit.name);
    }
    graph(out, found, &layers);
    let now = layers.values().next().map_or(0, Vec::len);
    let _ = write!(
        out,
        "### Parallelization Opportunities\n\n**Current Parallelism**: {now} work units can start together\n\n**Maximum Parallelism**: {} agents\n\n",
        found.order.parallelism
    );
    problems(out, "Missed Opportunities", found, |one| one.kind == IssueKind::Parallelism);
    priorities(out, found);
    moves(out, found);
}

fn graph(out: &mut String, found: &Analysis, layers: &BTreeMap<u32, Vec<&str>>) {
    let order = &found.order;
    out.push_str("### Dependency Graph\n\n");
    if let Some(circle) = &order.circle {
        let _ = write!(out, "**Circle**: {}\n\n", circle.join(" → "));
    }
    let path = &order.critical_path;
    let _ =
        write!(out, "**Critical Path**: {} (length: {} sprints)\n\n", path.join(" → "), path.len());
    let units = layers.iter().filter(|(_, units)| units.len() > 1);
    let units = units
        .map(|(layer, units)| format!("Layer {layer}: {} can run in parallel", units.join(", ")));
    let wide = (1_u32..).zip(&order.levels).filter(|(_, level)| level.len() > 1);
    let sprints = wide.map(|(number, level)| {
        format!("Level {number}: {} do not wait for each other", level.join(", "))
    });
    listed(out, "Parallelizable Clusters", units.chain(sprints));
    out.push_str("**Bottlenecks**:\n\n");
    if order.bottlenecks.is_empty() {
        return out.push_str("- none\n\n");
    }
    let rows = order.bottlenecks.iter().map(|one| {
        let scores = found.rows.iter().filter_map(|row| row.score.as_ref());
        let reason = scores.filter(|score| score.sprint == one.sprint).map(Score::reason).next();
        let (blocks, many) = (one.blocks.join(", "), one.dependents.to_string());
        vec![one.sprint.clone(), blocks, many, reason.unwrap_or_default()]
    });
    table(out, &["Sprint", "Blocks", "In the End", "Reason"], rows);
}

/// The rows with their scores.
fn scored(found: &Analysis) -> impl Iterator<Item = (&Row, &Score)> {
    found.rows.iter().filter_map(|row| Some((row, row.score.as_ref()?)))
}

fn priorities(out: &mut String, found: &Analysis) {
    out.push_str("### Priority Analysis\n\n");
    if found.rows.is_empty() {
        return out.push_str("Not computed: sprints wait for each other in a circle.\n\n");
    }
    let rows = scored(found).map(|(row, score)| {
        let advice = match row.place.cmp(&row.place_was) {
            Ordering::Less => "Move earlier",
            Ordering::Equal => "Keep",
            Ordering::Greater => "Move later",
        };
        let advice = format!("{advice}: {}", score.reason());
        let (was, now) = (row.place_was.to_string(), row.place.to_string());
        vec![score.sprint.clone(), score.words(), was, now, advice]
    });
    let names =
        ["Sprint", "Priority Score", "Current Position", "Optimal Position", "Recommendation"];
    table(out, &names, rows);
    let late = "High-Priority Sprints Appearing Late";
    problems(out, late, found, |one| one.kind == IssueKind::Order);
    // One after the other on the longest chain: the first has surely less, and the second waits for it.
    let scores: BTreeMap<&str, &Score> =
        scored(found).map(|(_, score)| (score.sprint.as_str(), score)).collect();
    let blocking = found.order.critical_path.windows(2).filter_map(|pair| {
        let (from, to) = (scores.get(pair[0].as_str())?, scores.get(pair[1].as_str())?);
        let words = |score: &Score| format!("{} (score {})", score.sprint, score.words());
        (from.most() < to.least()).then(|| format!("{} blocks {}", words(from), words(to)))
    });
    listed(out, "Low-Priority Sprints Blocking High-Priority Work", blocking);
}

/// What the three rules of order say, and the order that follows.
fn moves(out: &mut String, found: &Analysis) {
    out.push_str("### Execution Order Recommendations\n\n");
    let bottlenecks: BTreeSet<&str> =
        found.order.bottlenecks.iter().map(|one| one.sprint.as_str()).collect();
    type Rule<'r> = (&'r str, &'r dyn Fn(&Score) -> Option<bool>);
    let rules: [Rule<'_>; 3] = [
        ("Foundation-first", &|score| score.foundation),
        ("Risk-early", &|score| score.risk.map(|risk| risk == 3)),
        ("Bottleneck-early", &|score| Some(bottlenecks.contains(score.sprint.as_str()))),
    ];
    for (number, (name, is)) in (1..).zip(rules) {
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
        let _ = writeln!(out, "{number}. **{name}**: {words}{open}");
    }
    out.push_str("\n**Proposed Reordering** (respecting dependencies):\n\n");
    if found.rows.iter().all(|row| row.place == row.place_was) {
        return out.push_str("None: the order stays as it is.\n\n");
    }
    let mut rows: Vec<&Row> = found.rows.iter().collect();
    rows.sort_by_key(|row| row.place_was);
    let rows = rows.into_iter().map(|row| {
        let why = match row.place.cmp(&row.place_was) {
            Ordering::Less => row.score.as_ref().map(Score::reason).unwrap_or_default(),
            Ordering::Equal => "no change".to_owned(),
            Ordering::Greater => "makes room for more urgent ones".to_owned(),
        };
        let sprint = format!("{}/{} {}", row.unit, row.was, row.name);
        vec![row.place_was.to_string(), row.place.to_string(), sprint, why]
    });
    table(out, &["Current", "Proposed", "Sprint", "Rationale"], rows);
}
