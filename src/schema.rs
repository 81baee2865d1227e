//! JSON Schemas of everything that crosses the border, derived from the Rust types.
//!
//! Draft 2020-12. What a host sends (`event`, `config`) is described as it is read: a field with a
//! default may be left out. What the engine sends is described as it is written: every field is
//! there. Integers are bounded by the largest one that every JSON reader keeps exactly, because the
//! decoder refuses what lies beyond. The result is the same on every machine and in every build.

use crate::agents::{AgentEnding, AgentLaunch, AgentRequest, AgentTurn};
use crate::engine::{Config, Decided};
use crate::journal::{Entry, Header, Replay, Upgrade};
use crate::mission::finding::Finding;
use crate::mission::proof::{CHECK_PROPOSAL, CHECK_REPORT, CheckReport, ProposalReport};
use crate::plan::import::{Imported, SCHEMA as IMPORT, Spans};
use crate::plan::judge::{PlanAnswers, SCHEMA as ANSWERS};
use crate::plan::model::{Plan, Remark};
use crate::protocols::grid::plan::PlanDocument;
use crate::protocols::promise::feature::Feature;
use crate::protocols::promise::task::TaskDocument;
use crate::protocols::report_schemas;
use crate::snapshot::Snapshot;
use crate::view::View;
use crate::vocab::effect::Effect;
use crate::vocab::error::Error;
use crate::vocab::event::Event;
use crate::vocab::json::MOST_INTEGER;
use crate::why::Why;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// Every schema with its name, in the order of reading; role reports last. The `$id` of each is
/// `endstate:<name>`.
pub fn schemas() -> Vec<(&'static str, Value)> {
    let mut all = vec![
        ("config", read::<Config>()),
        ("event", read::<Event>()),
        ("effect", written::<Effect>()),
        ("decided", written::<Decided>()),
        ("snapshot", written::<Snapshot>()),
        ("journal-header", written::<Header>()),
        ("journal-entry", written::<Entry>()),
        ("journal-upgrade", written::<Upgrade>()),
        ("replay", written::<Replay>()),
        ("why", written::<Why>()),
        ("view", written::<View>()),
        ("error", written::<Error>()),
        ("task-document", written::<TaskDocument>()),
        ("feature", written::<Feature>()),
        ("grid-plan", written::<PlanDocument>()),
        ("plan", written::<Plan>()),
        ("plan-remark", written::<Remark>()),
        ("imported", written::<Imported>()),
        ("file-finding", written::<Finding>()),
        ("agent-request", read::<AgentRequest>()),
        ("agent-launch", written::<AgentLaunch>()),
        ("agent-turn", written::<AgentTurn>()),
        ("agent-ending", written::<AgentEnding>()),
    ];
    all.push((ANSWERS, read::<PlanAnswers>()));
    all.push((IMPORT, read::<Spans>()));
    all.push((CHECK_REPORT, read::<CheckReport>()));
    all.push((CHECK_PROPOSAL, read::<ProposalReport>()));
    all.extend(report_schemas());
    all.into_iter().map(|(name, schema)| (name, finish(name, schema))).collect()
}

/// The schema of a type as the engine reads it.
fn read<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>()
}

/// The schema of a type as the engine writes it.
fn written<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

fn finish(name: &str, schema: Schema) -> Value {
    let mut value = schema.to_value();
    bound(&mut value);
    if let Value::Object(fields) = &mut value {
        fields.insert("$id".to_owned(), Value::from(format!("endstate:{name}")));
        fields.entry("title").or_insert_with(|| Value::from(name));
    }
    value
}

/// Bounds every wide integer, wherever it stands in the schema.
fn bound(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            bound_integer(fields);
            fields.values_mut().for_each(bound);
        }
        Value::Array(items) => items.iter_mut().for_each(bound),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn bound_integer(fields: &mut Map<String, Value>) {
    let Some(format) = fields.get("format").and_then(Value::as_str) else { return };
    let signed = match format {
        "uint" | "uint64" => false,
        "int" | "int64" => true,
        _ => return,
    };
    fields.entry("maximum").or_insert_with(|| Value::from(MOST_INTEGER));
    if signed {
        let least = i64::try_from(MOST_INTEGER).map_or(i64::MIN, |most| -most);
        fields.entry("minimum").or_insert_with(|| Value::from(least));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn walk(value: &Value, visit: &mut impl FnMut(&Map<String, Value>)) {
        match value {
            Value::Object(fields) => {
                visit(fields);
                fields.values().for_each(|field| walk(field, visit));
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
            _ => {}
        }
    }

    /// A second type of one name would get a number behind it, and TypeScript a wrong one.
    #[test]
    fn every_type_has_a_name_of_its_own() {
        for (name, schema) in schemas() {
            let Some(types) = schema["$defs"].as_object() else { continue };
            let numbered =
                types.keys().find(|name| name.ends_with(|last: char| last.is_ascii_digit()));
            assert_eq!(numbered, None, "{name}");
        }
    }

    #[test]
    fn every_schema_has_its_marks_and_a_name_of_its_own() {
        let all = schemas();
        let names: BTreeSet<_> = all.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), all.len());
        for (name, schema) in &all {
            assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
            assert_eq!(schema["$id"], format!("endstate:{name}"));
            assert!(schema["title"].is_string(), "{name}");
        }
    }

    #[test]
    fn every_integer_is_bounded_and_every_reference_resolves() {
        let mut wide = 0;
        for (name, schema) in schemas() {
            walk(&schema, &mut |fields| {
                let integer = match &fields.get("type") {
                    Some(Value::String(word)) => word == "integer",
                    Some(Value::Array(words)) => words.iter().any(|word| word == "integer"),
                    _ => false,
                };
                if integer && fields.get("format").is_some_and(|f| f == "uint64" || f == "int64") {
                    wide += 1;
                    assert!(fields["maximum"].as_u64() <= Some(MOST_INTEGER), "{name}: {fields:?}");
                    assert!(fields.contains_key("minimum"), "{name}: {fields:?}");
                }
                assert!(fields.get("type").is_none_or(|word| word != "number"), "{name}: a float");
                if let Some(Value::String(reference)) = fields.get("$ref") {
                    let place = reference.strip_prefix('#').unwrap();
                    assert!(schema.pointer(place).is_some(), "{name}: {reference}");
                }
            });
        }
        assert!(wide > 10, "only {wide} wide integers seen");
    }

    #[test]
    fn the_text_is_the_same_every_time() {
        assert_eq!(format!("{:?}", schemas()), format!("{:?}", schemas()));
    }
}
