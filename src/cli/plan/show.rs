//! A plan and its order, for people and for programs.

use super::{Open, Place, lint};
use crate::cli::exit::{Exit, Fault};
use endstate::plan::command::PlanOrder;
use endstate::plan::model::{Plan, Sprint, Status, id};
use endstate::plan::order;
use endstate::vocab::error::clip;
use serde_json::json;

/// What was understood.
pub(super) fn parse(place: &Place, open: &Open) -> Result<Exit, Fault> {
    let plan = &open.read.plan;
    let title = if plan.title.is_empty() { "(no title)" } else { &plan.title };
    place.out.say(format!("plan: {title} ({})", open.family.as_str()));
    if let Some(name) = &plan.settings.feature_name {
        place.out.say(format!("operation: {name}"));
    }
    let layers = order::layers(plan);
    for unit in &plan.units {
        let layer = layers.get(&unit.name).copied().unwrap_or(1);
        place.out.say(format!(
            "{}, layer {layer}{}",
            clip(&unit.name, 60),
            after(&unit.depends_on)
        ));
        unit.sprints.iter().for_each(|sprint| place.out.say(line(sprint)));
    }
    let structure = order::structure(plan.units.len(), &layers);
    place.out.say(format!("structure: {structure}"));
    place.out.object(&json!({"plan": plan}));
    lint::remarks(place, open, usize::MAX);
    let [faults, warnings, notes] = open.counts();
    let (units, sprints) = (plan.units.len(), plan.sprints().count());
    place.out.say(format!(
        "{units} units, {sprints} sprints; {faults} faults, {warnings} warnings, {notes} notes"
    ));
    place.out.object(&json!({
        "result": "parse", "path": open.name(place), "family": open.family.as_str(), "units": units, "sprints": sprints,
        "structure": structure, "faults": faults, "warnings": warnings, "notes": notes,
    }));
    Ok(if faults == 0 { Exit::Done } else { Exit::Refused })
}

fn line(sprint: &Sprint) -> String {
    let status = match sprint.status {
        Status::Pending => "",
        Status::Done => ", said done",
        Status::Deferred => ", deferred",
    };
    let priority = sprint.priority.as_ref().map(|one| format!(", priority {}", clip(one, 40)));
    format!(
        "  {:<8} {:<44} {:<10} {} tasks, {} entry, {} exit{}{status}{}",
        sprint.label,
        clip(&sprint.name, 42),
        sprint.kind.as_str(),
        sprint.tasks.len(),
        sprint.entry.len(),
        sprint.exit.len(),
        priority.unwrap_or_default(),
        after(sprint.depends_on.as_deref().unwrap_or_default()),
    )
}

fn after(from: &[String]) -> String {
    if from.is_empty() {
        String::new()
    } else {
        format!(" · after {}", clip(&from.join(", "), 100))
    }
}

/// The order of a plan.
pub(super) fn graph(place: &Place, open: &Open, mermaid: bool) -> Result<Exit, Fault> {
    let plan = &open.read.plan;
    let order = PlanOrder::of(plan);
    let ended = if order.circle.is_some() { Exit::Refused } else { Exit::Done };
    if mermaid && !place.out.json {
        place.out.say(drawing(plan));
        return Ok(ended);
    }
    if let Some(circle) = &order.circle {
        place.out.say(format!("circle: {}", circle.join(" → ")));
    }
    for (number, level) in order.levels.iter().enumerate() {
        place.out.say(format!("level {}: {}", number + 1, level.join(", ")));
    }
    let chain = &order.critical_path;
    place.out.say(format!("longest chain, {} sprints: {}", chain.len(), chain.join(" → ")));
    for one in &order.bottlenecks {
        place.out.say(format!(
            "bottleneck: {} ({} wait for it, {} at once)",
            one.sprint,
            one.dependents,
            one.blocks.len()
        ));
    }
    place
        .out
        .say(format!("{} at the same time, if each begins as soon as it may", order.parallelism));
    let mermaid = mermaid.then(|| drawing(plan));
    place.out.object(
        &json!({"result": "graph", "path": open.name(place), "order": order, "mermaid": mermaid}),
    );
    Ok(ended)
}

/// The graph for mermaid: units as boxes around their sprints.
fn drawing(plan: &Plan) -> String {
    let mut out = String::from("graph TD\n");
    let mut nodes = std::collections::BTreeMap::new();
    let words = |text: &str| {
        clip(text, 60).replace('"', "'").replace(['[', ']', '{', '}', '<', '>', '`'], "")
    };
    for unit in &plan.units {
        let own = format!("u{}", nodes.len());
        nodes.insert(unit.name.clone(), own.clone());
        out.push_str(&format!("  subgraph {own} [\"{}\"]\n", words(&unit.name)));
        for sprint in &unit.sprints {
            let node = format!("s{}", nodes.len());
            let name = words(&format!("Sprint {}: {}", sprint.label, sprint.name));
            out.push_str(&format!("    {node}[\"{name}\"]\n"));
            nodes.insert(id(unit, sprint), node);
        }
        out.push_str("  end\n");
    }
    for (from, to) in order::edges(plan) {
        if let (Some(from), Some(to)) = (nodes.get(&from), nodes.get(&to)) {
            out.push_str(&format!("  {from} --> {to}\n"));
        }
    }
    out.pop();
    out
}
