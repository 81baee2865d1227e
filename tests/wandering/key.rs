//! When two states are the same for the walk: everything that decisions depend on, and nothing else.

use super::Node;
use crate::common::fingerprint::{Field, Fingerprint};
use endstate::protocols::Mission;
use endstate::vocab::budget::Counter;
use std::collections::BTreeSet;

/// The key of a node, and the words in its snapshot that [`super::Reached`] collects.
pub fn key(node: &Node, counted: Option<Counter>) -> (u64, BTreeSet<String>) {
    let snapshot = node.engine.snapshot();
    let sprint = matches!(snapshot.mission, Mission::Sprint(_));
    let mut print = Fingerprint::by(if sprint { of_sprint } else { field });
    print.value(snapshot);
    // However much was granted: what is far from its end is the same state.
    let left = counted.map(|counter| snapshot.head.budget.left(counter).min(8));
    // Without fuel nothing of the kind happens any more, whatever it was.
    let once = if node.fuel > 0 { node.once } else { 0 };
    print.string(&node.world.head().unwrap_or_default());
    let world = &node.world;
    let rest = (&world.dirty, &world.exits, world.detached, node.late, left, node.fuel, once);
    print.plain(&format!("{rest:?}"));
    let words = std::mem::take(&mut print.words);
    (print.finish(), words)
}

fn field(name: &str) -> Field {
    match name {
        // They decide nothing, or only by the order of events; the budget is looked at apart.
        "digest" | "seq" | "at" | "heard_at" | "since" | "facts" | "counts" | "visits"
        | "visit" | "wanted" | "written" | "revision" | "length" | "offset" | "prompt"
        | "unreported" | "last_problem" | "command_ids" | "text" | "note" | "budget" => {
            Field::Aside
        }
        // The event that a look around a run was ordered behind: it is the only one that is under way.
        "looks" => Field::Aside,
        // Of the sprint protocol: logs, and the times and numbers of what was done.
        "decisions"
        | "tries"
        | "commits"
        | "failures"
        | "number"
        | "started_at"
        | "first_dispatched_at"
        | "completed_at"
        | "began_at"
        | "killed_at"
        | "last_verified" => Field::Aside,
        "ordinal" | "verified_ordinal" | "stale_before" | "shown_at" | "touches" => Field::Ordinal,
        "stop" | "closed_by" | "about" | "code" => Field::Word,
        _ => Field::Plain,
    }
}

/// What a sprint's next run is told and how many runs it has had grow for ever; only that there is some of it decides anything.
fn of_sprint(name: &str) -> Field {
    match name {
        "feedback" | "why" => Field::Aside,
        "remaining" => Field::List,
        "runs" => Field::Tally,
        _ => field(name),
    }
}
