//! A plan and its order, for people and for programs.

use super::{Open, Place, remarks};
use crate::cli::exit::{Exit, Fault};
use endstate::plan::classify::kind_name;
use endstate::plan::model::{Dependency, Plan, Sprint, Structure, decimal};
use endstate::plan::order::{self, PlanOrder};
use endstate::vocab::error::clip;
use serde_json::json;

/// What was understood.
pub(super) fn parse(place: &Place, open: &Open) -> Result<Exit, Fault> {
    let plan = &open.parsed.plan;
    let sprints = plan.sprints().count();
    place.out.say(format!("plan: {}", plan.title.as_deref().unwrap_or("(no title)")));
    if let Some(name) = plan.field("feature_name") {
        place.out.say(format!("operation: {name}"));
    }
    for unit in &plan.units {
        let layer = unit.layer.map(|layer| format!(", layer {layer}")).unwrap_or_default();
        let after = waits(plan, &unit.id);
        place.out.say(format!("{} · {}{layer}{after}", unit.id, clip(&unit.name, 60)));
        for sprint in &unit.sprints {
            place.out.say(line(plan, sprint));
        }
    }
    if plan.template.is_some() {
        place.out.say("a dispatch template of its own");
    }
    place.out.say(format!("structure: {}", structure(plan)));
    place.out.object(&json!({"plan": plan}));
    let [faults, warnings, notes] = remarks(place, open);
    place.out.say(format!(
        "{} units, {sprints} sprints; {faults} faults, {warnings} warnings, {notes} notes",
        plan.units.len()
    ));
    place.out.object(&json!({
        "result": "parse", "path": open.name(place), "units": plan.units.len(), "sprints": sprints,
        "structure": structure(plan), "faults": faults, "warnings": warnings, "notes": notes,
    }));
    Ok(if faults == 0 { Exit::Done } else { Exit::Refused })
}

fn structure(plan: &Plan) -> &'static str {
    match plan.structure() {
        Structure::Layers => "layers",
        Structure::Sequential => "sequential",
        Structure::Parallel => "parallel",
        Structure::None => "none",
    }
}

fn line(plan: &Plan, sprint: &Sprint) -> String {
    let score = sprint.priority.as_ref().and_then(|one| one.score).map(decimal);
    format!(
        "  {:<8} {:<44} {:<10} {} tasks, {} entry, {} exit{}{}{}",
        sprint.label,
        clip(&sprint.name, 42),
        kind_name(sprint.kind),
        sprint.tasks.len(),
        sprint.entry.len(),
        sprint.exit.len(),
        score.map(|score| format!(", priority {score}")).unwrap_or_default(),
        if sprint.deferred { ", deferred" } else { "" },
        waits(plan, &sprint.id),
    )
}

fn waits(plan: &Plan, id: &str) -> String {
    let own = plan.dependencies.iter().filter(|one: &&Dependency| one.to == id);
    let from: Vec<&str> = own.map(|one| one.from.as_str()).collect();
    if from.is_empty() {
        String::new()
    } else {
        format!(" · after {}", clip(&from.join(", "), 100))
    }
}

/// The order of a plan.
pub(super) fn graph(place: &Place, open: &Open, mermaid: bool) -> Result<Exit, Fault> {
    let plan = &open.parsed.plan;
    let order = order::order(plan);
    if mermaid && !place.out.json {
        place.out.say(drawing(plan));
        return Ok(ended(&order));
    }
    if let Some(cycle) = &order.cycle {
        place.out.say(format!("circle: {}", cycle.join(" → ")));
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
    place.out.say(format!("at most {} at the same time", order.parallelism));
    let mermaid = mermaid.then(|| drawing(plan));
    place.out.object(
        &json!({"result": "graph", "path": open.name(place), "order": order, "mermaid": mermaid}),
    );
    Ok(ended(&order))
}

fn ended(order: &PlanOrder) -> Exit {
    if order.cycle.is_some() { Exit::Refused } else { Exit::Done }
}

/// The graph for mermaid: units as boxes around their sprints.
fn drawing(plan: &Plan) -> String {
    let mut out = String::from("graph TD\n");
    let node = |id: &str| -> String {
        let letters = id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
        format!("n_{}", letters.collect::<String>())
    };
    let words = |text: &str| {
        clip(text, 60).replace('"', "'").replace(['[', ']', '{', '}', '<', '>', '`'], "")
    };
    for unit in &plan.units {
        out.push_str(&format!("  subgraph {} [\"{}\"]\n", node(&unit.id), words(&unit.name)));
        for sprint in &unit.sprints {
            let name = words(&format!("{} {}: {}", sprint.word, sprint.label, sprint.name));
            out.push_str(&format!("    {}[\"{name}\"]\n", node(&sprint.id)));
        }
        out.push_str("  end\n");
    }
    for one in &plan.dependencies {
        out.push_str(&format!("  {} --> {}\n", node(&one.from), node(&one.to)));
    }
    out.pop();
    out
}
