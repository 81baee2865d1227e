//! When two states are the same for the walk: everything that decisions depend on, and nothing else.

use super::Node;
use crate::common::Fingerprint;
use endstate::protocols::Mission;
use endstate::vocab::budget::Counter;
use serde_json::Value;
use std::collections::BTreeSet;

/// The key of a node whose snapshot is this.
pub fn key(snapshot: &Value, node: &Node, counted: Option<Counter>) -> u64 {
    let mut ordinals = BTreeSet::new();
    find_ordinals("", snapshot, &mut ordinals);
    let ordinals = ordinals.into_iter().collect();
    let sprint = matches!(node.engine.snapshot().mission, Mission::Sprint(_));
    let mut key = Key { print: Fingerprint::default(), ordinals, sprint };
    key.field("", snapshot);
    // However much was granted: what is far from its end is the same state.
    let left = counted.map(|counter| node.engine.snapshot().head.budget.left(counter).min(8));
    // Without fuel nothing of the kind happens any more, whatever it was.
    let once = if node.fuel > 0 { node.once } else { 0 };
    key.print.string(&node.world.head().unwrap_or_default());
    let world = &node.world;
    let rest = (&world.dirty, &world.exits, world.detached, node.late, left, node.fuel, once);
    key.print.plain(&format!("{rest:?}"));
    key.print.finish()
}

/// Whether a field decides nothing, or only by the order of events; the budget is looked at apart.
fn aside(name: &str) -> bool {
    matches!(
        name,
        "digest" | "seq" | "at" | "heard_at" | "since" | "facts" | "counts" | "visits" | "visit" | "wanted"
            | "written" | "revision" | "length" | "offset" | "prompt" | "unreported" | "last_problem"
            | "command_ids" | "text" | "note" | "budget"
            // Of the sprint protocol: logs, and the times and numbers of what was done.
            | "decisions" | "tries" | "commits" | "failures" | "number" | "started_at" | "first_dispatched_at"
            | "completed_at" | "began_at" | "killed_at" | "last_verified"
    )
}

/// Whether a field counts heads that were seen: only the order of those decides anything.
fn is_ordinal(name: &str) -> bool {
    matches!(name, "ordinal" | "verified_ordinal" | "stale_before" | "shown_at" | "touches")
}

fn find_ordinals(name: &str, value: &Value, found: &mut BTreeSet<u64>) {
    match value {
        Value::Number(number) if is_ordinal(name) => {
            found.insert(number.as_u64().unwrap_or(0));
        }
        // Of a table of ordinals, which is by path.
        Value::Object(fields) if name == "touches" => {
            fields.values().for_each(|value| find_ordinals(name, value, found));
        }
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| !aside(name));
            fields.for_each(|(name, value)| find_ordinals(name, value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| find_ordinals("", item, found)),
        _ => {}
    }
}

struct Key {
    print: Fingerprint,
    /// In their order.
    ordinals: Vec<u64>,
    /// Whether it is a mission of the sprint protocol.
    sprint: bool,
}

impl Key {
    fn field(&mut self, name: &str, value: &Value) {
        match (name, value) {
            // What a sprint's next run is told and how many runs it has had grow for ever; only that there is some
            // of it decides anything.
            ("remaining", Value::Array(left)) if self.sprint => self.number(left.is_empty().into()),
            ("runs", Value::Number(runs)) if self.sprint => {
                self.number((runs.as_u64() == Some(0)).into())
            }
            ("feedback" | "why", _) if self.sprint => {}
            (_, Value::Number(number)) if is_ordinal(name) => {
                let number = number.as_u64().unwrap_or(0);
                self.number(self.ordinals.partition_point(|known| *known < number) as u64);
            }
            (_, Value::Object(fields)) => self.object(name, fields),
            (_, Value::Array(items)) => {
                self.print.plain("[");
                items.iter().for_each(|item| self.field("", item));
                self.print.plain("]");
            }
            (_, Value::String(text)) => self.print.string(text),
            (_, Value::Number(number)) => self.print.plain(&format!("{number},")),
            (_, Value::Bool(yes)) => self.print.plain(if *yes { "t," } else { "f," }),
            (_, Value::Null) => self.print.plain("n,"),
        }
    }

    fn object(&mut self, name: &str, fields: &serde_json::Map<String, Value>) {
        self.print.plain("{");
        for (inner, value) in fields.iter().filter(|(inner, _)| !aside(inner)) {
            self.print.string(inner);
            self.field(if name == "touches" { name } else { inner }, value);
        }
        self.print.plain("}");
    }

    fn number(&mut self, number: u64) {
        self.print.plain(&format!("{number},"));
    }
}
