//! The third pass: the order of the sprints, as it is and as it could be.

use super::super::analyze::Analysis;
use super::super::model::{Plan, decimal};
use super::super::prioritize::PrioritizedRow;
use super::{cell, head, listed};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub(super) fn order(out: &mut String, found: &Analysis, plan: &Plan) {
    out.push_str("## Pass 3: Priority & Parallelism Analysis\n\n");
    graph(out, found, plan);
    parallel(out, found, plan);
    priorities(out, found, plan);
    moves(out, found);
}

fn graph(out: &mut String, found: &Analysis, plan: &Plan) {
    let order = &found.order;
    out.push_str("### Dependency Graph\n\n");
    if let Some(cycle) = &order.cycle {
        let _ = write!(out, "**Circle**: {}\n\n", cycle.join(" → "));
    }
    let path = &order.critical_path;
    let _ =
        write!(out, "**Critical Path**: {} (length: {} sprints)\n\n", path.join(" → "), path.len());
    let numbered = || (1_u32..).zip(&order.levels);
    listed(
        out,
        "Levels",
        numbered().map(|(number, level)| format!("{number}: {}", level.join(", "))),
    );
    let mut layers: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for unit in &plan.units {
        if let Some(layer) = unit.layer {
            layers.entry(layer).or_default().push(&unit.name);
        }
    }
    let layers = layers.into_iter().filter(|(_, units)| units.len() > 1);
    let units = layers
        .map(|(layer, units)| format!("Layer {layer}: {} can run in parallel", units.join(", ")));
    let wide = numbered().filter(|(_, level)| level.len() > 1);
    let sprints = wide.map(|(number, level)| {
        format!("Level {number}: {} do not wait for each other", level.join(", "))
    });
    listed(out, "Parallelizable Clusters", units.chain(sprints));
    out.push_str("**Bottlenecks**:\n\n");
    if order.bottlenecks.is_empty() {
        return out.push_str("- none\n\n");
    }
    head(out, &["Sprint", "Blocks", "In the End", "Reason"]);
    for one in &order.bottlenecks {
        let row = found.rows.iter().find(|row| row.score.sprint == one.sprint);
        let reason = row.map_or_else(String::new, |row| row.score.reason());
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            one.sprint,
            one.blocks.join(", "),
            one.dependents,
            cell(&reason)
        );
    }
    out.push('\n');
}

fn parallel(out: &mut String, found: &Analysis, plan: &Plan) {
    let lowest = plan.units.iter().filter_map(|unit| unit.layer).min();
    let now = plan.units.iter().filter(|unit| unit.layer == lowest).count();
    let _ = write!(
        out,
        "### Parallelization Opportunities\n\n**Current Parallelism**: {now} work units can start together\n\n**Maximum Parallelism**: {} agents\n\n",
        found.order.parallelism
    );
    let layers = found.layers.iter().map(|one| {
        format!(
            "{} could be in layer {} instead of {}: nothing it waits for is above",
            one.unit, one.now, one.was
        )
    });
    let pairs = found.serial.iter().map(|one| {
        format!("{} waits for {} only by its place; they share no file", one.to, one.from)
    });
    listed(out, "Missed Opportunities", layers.chain(pairs));
}

fn priorities(out: &mut String, found: &Analysis, plan: &Plan) {
    out.push_str("### Priority Analysis\n\n");
    if found.rows.is_empty() {
        return out.push_str("Not computed: the plan has a fault.\n\n");
    }
    head(
        out,
        &[
            "Sprint",
            "Priority Score",
            "Current Position",
            "Optimal Position",
            "Why",
            "Recommendation",
        ],
    );
    for row in &found.rows {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            row.score.sprint,
            decimal(row.score.thousandths()),
            row.place_was,
            row.place,
            cell(&row.score.reason()),
            advice(row),
        );
    }
    out.push('\n');
    let late = found.rows.iter().filter(|row| row.place < row.place_was);
    listed(
        out,
        "High-Priority Sprints Appearing Late",
        late.map(|row| {
            let score = decimal(row.score.thousandths());
            format!(
                "{} (score {score}) is {} places late",
                row.score.sprint,
                row.place_was - row.place
            )
        }),
    );
    let scores: BTreeMap<&str, u32> =
        found.rows.iter().map(|row| (row.score.sprint.as_str(), row.score.sixths)).collect();
    let blocking = plan.dependencies.iter().filter_map(|one| {
        let (from, to) = (scores.get(one.from.as_str())?, scores.get(one.to.as_str())?);
        (from < to)
            .then(|| format!("{} comes before {}, which has the higher score", one.from, one.to))
    });
    listed(out, "Low-Priority Sprints Blocking High-Priority Work", blocking);
}

fn advice(row: &PrioritizedRow) -> &'static str {
    match row.place.cmp(&row.place_was) {
        Ordering::Less => "Move earlier",
        Ordering::Equal => "Keep",
        Ordering::Greater => "Move later",
    }
}

/// What the three rules of order say, and the order that follows.
fn moves(out: &mut String, found: &Analysis) {
    out.push_str("### Execution Order Recommendations\n\n");
    let bottlenecks: BTreeSet<&str> =
        found.order.bottlenecks.iter().map(|one| one.sprint.as_str()).collect();
    type Rule<'r> = (&'r str, &'r dyn Fn(&PrioritizedRow) -> bool);
    let rules: [Rule<'_>; 3] = [
        ("Foundation-first", &|row| row.score.foundation),
        ("Risk-early", &|row| row.score.risk == 3),
        ("Bottleneck-early", &|row| bottlenecks.contains(row.score.sprint.as_str())),
    ];
    for (number, (name, is)) in (1..).zip(rules) {
        let own: Vec<&PrioritizedRow> = found.rows.iter().filter(|row| is(row)).collect();
        let late = own.iter().filter(|row| row.place < row.place_was);
        let late: Vec<String> = late
            .map(|row| {
                format!("{} should move from {} to {}", row.score.sprint, row.place_was, row.place)
            })
            .collect();
        let words = match (own.len(), late.is_empty()) {
            (0, _) => "no sprint is of that kind".to_owned(),
            (many, true) => format!("{many} of that kind, as early as dependencies allow"),
            (_, false) => late.join("; "),
        };
        let _ = writeln!(out, "{number}. **{name}**: {words}");
    }
    out.push_str("\n**Proposed Reordering** (respecting dependencies):\n\n");
    if found.rows.iter().all(|row| row.place == row.place_was) {
        return out.push_str("None: the order stays as it is.\n\n");
    }
    head(out, &["Current", "Proposed", "Sprint", "Rationale"]);
    let mut rows: Vec<&PrioritizedRow> = found.rows.iter().collect();
    rows.sort_by_key(|row| row.place_was);
    for row in rows {
        let why = match row.place.cmp(&row.place_was) {
            Ordering::Less => row.score.reason(),
            Ordering::Equal => "no change".to_owned(),
            Ordering::Greater => "makes room for more urgent ones".to_owned(),
        };
        let _ = writeln!(
            out,
            "| {} | {} | {} {} | {} |",
            row.place_was,
            row.place,
            row.score.sprint,
            cell(&row.name),
            cell(&why)
        );
    }
    out.push('\n');
}
