//! The hand-made key (`tests/key`), and what a reader made of the places in it.

use endstate::plan::model::{Plan, Unit};
use endstate::plan::{self, order};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A key, and the document that it is of.
pub(crate) struct Key {
    pub(crate) file: String,
    pub(crate) json: Value,
    pub(crate) lines: Vec<String>,
}

impl Key {
    pub(crate) fn all(&self, part: &str) -> Vec<&Value> {
        self.json[part].as_array().into_iter().flatten().collect()
    }

    /// Those of which two careful people would not differ.
    pub(crate) fn firm(&self, part: &str) -> Vec<&Value> {
        self.all(part).into_iter().filter(|one| one["either"] != true).collect()
    }

    pub(crate) fn at(&self, line: &Value) -> String {
        format!("{}:{line}", self.file)
    }

    /// The text of a labelled span.
    pub(crate) fn text(&self, one: &Value) -> String {
        let number = |name: &str| usize::try_from(one[name].as_u64().unwrap()).unwrap();
        let line = self.lines[number("line") - 1].chars();
        line.skip(number("from") - 1).take(number("to") + 1 - number("from")).collect()
    }
}

pub(crate) fn number(line: &Value) -> u32 {
    u32::try_from(line.as_u64().unwrap()).unwrap()
}

pub(crate) fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The label of a sprint without what tells it from those of other units.
pub(crate) fn bare(label: &str) -> &str {
    label.rsplit_once('/').map_or(label, |(_, label)| label)
}

/// Keys by family; those that are no plan are left out.
pub(crate) fn keys(corpus: &Path) -> BTreeMap<String, Vec<Key>> {
    let mut keys: BTreeMap<String, Vec<Key>> = BTreeMap::new();
    for path in super::below(Path::new("tests/key")) {
        if path.extension().is_some_and(|ending| ending == "json") {
            let json: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
            let file = word(&json["file"]);
            let text = fs::read_to_string(corpus.join(&file)).unwrap_or_default();
            let lines = text.lines().map(str::to_owned).collect();
            keys.entry(word(&json["family"])).or_default().push(Key { file, json, lines });
        }
    }
    keys.remove("none");
    keys
}

/// What a reader made of a place: a sprint, or a task of one where the key has a sprint for what is one of many steps.
#[derive(Clone)]
pub(crate) struct Piece {
    pub(crate) sprint: String,
    pub(crate) task: usize,
    pub(crate) named: String,
}

/// The pieces of a plan by the lines they begin at.
pub(crate) fn pieces(plan: &Plan) -> BTreeMap<u32, Piece> {
    let mut found = BTreeMap::new();
    for (unit, one) in plan.sprints() {
        let sprint = plan::model::id(unit, one);
        for (task, step) in (1..).zip(&one.tasks) {
            let named = step.text.trim_start_matches(['*', ' ']).to_owned();
            found.insert(step.lines.first, Piece { sprint: sprint.clone(), task, named });
        }
        let named = format!("{} ", one.label);
        found.insert(one.lines.first, Piece { sprint, task: 0, named });
    }
    found
}

/// The piece that begins where the key says, with the label that it says. Of JSON the key has the line of the id, which is
/// the one behind the brace.
pub(crate) fn piece<'p>(
    key: &Key,
    read: &'p BTreeMap<u32, Piece>,
    one: &Value,
) -> Option<&'p Piece> {
    let (line, label) = (number(&one["line"]), word(&one["label"]));
    let json = key.file.ends_with(".json") && !read.contains_key(&line);
    let piece = read.get(&(line - u32::from(json)))?;
    piece
        .named
        .strip_prefix(bare(&label))
        .is_some_and(|rest| rest.starts_with(' '))
        .then_some(piece)
}

/// What a name of the key means; none if something of it was not read.
pub(crate) fn meant(key: &Key, read: &BTreeMap<u32, Piece>, name: &str) -> Option<Vec<Piece>> {
    let unit = name.strip_prefix("unit:");
    let full = |one: &Value| match one["unit"].as_str() {
        Some(unit) => format!("{unit}/{}", bare(&word(&one["label"]))),
        None => word(&one["label"]),
    };
    let tagged = |one: &Value| format!("{}/{}", word(&one["tag"]), word(&one["label"]));
    let named = |one: &&Value| match unit {
        Some(unit) => one["unit"] == unit,
        None => {
            let tag = word(&one["unit"]);
            let tag = tag.split('/').next().unwrap_or_default();
            one["label"] == name
                || full(one) == name
                || format!("{tag}/{}", word(&one["label"])) == name
        }
    };
    let whole = key
        .all("units")
        .into_iter()
        .find(|one| tagged(one).trim_start_matches('/') == unit.unwrap_or(name));
    let own = whole.and_then(|one| piece(key, read, one)).map(|one| vec![one.clone()]);
    let sprints = || {
        let all = key.all("sprints").into_iter().filter(named);
        all.map(|one| piece(key, read, one).cloned()).collect::<Option<Vec<Piece>>>()
    };
    own.or_else(sprints).filter(|all| !all.is_empty())
}

/// Who waits for whom: what comes before a sprint.
pub(crate) type Before = BTreeMap<String, BTreeSet<String>>;

/// The order of the sprints of each unit.
fn in_units(plan: &Plan) -> Before {
    let mut before = Before::new();
    for unit in &plan.units {
        let ids: Vec<String> = unit.sprints.iter().map(|one| plan::model::id(unit, one)).collect();
        for pair in ids.windows(2) {
            before.entry(pair[1].clone()).or_default().insert(pair[0].clone());
        }
    }
    before
}

/// What waits for what in the end, with all between.
fn closed(before: &Before) -> BTreeSet<(String, String)> {
    let mut pairs = BTreeSet::new();
    for last in before.keys() {
        let mut open = vec![last.clone()];
        while let Some(id) = open.pop() {
            let more = before.get(&id).into_iter().flatten();
            let more = more.filter(|one| pairs.insert(((*one).clone(), last.clone())));
            open.extend(more.cloned());
        }
    }
    pairs
}

/// Who waits for whom in the end, sprint by sprint: a unit is all of its sprints, and these run in order.
pub(crate) fn waits(plan: &Plan) -> BTreeSet<(String, String)> {
    let ids = |unit: &Unit| -> Vec<String> {
        unit.sprints.iter().map(|one| plan::model::id(unit, one)).collect()
    };
    let units: BTreeMap<&str, Vec<String>> =
        plan.units.iter().map(|unit| (unit.name.as_str(), ids(unit))).collect();
    let all = |id: String| units.get(id.as_str()).cloned().unwrap_or_else(|| vec![id]);
    let mut before = in_units(plan);
    for (from, to) in order::edges(plan) {
        let from = all(from);
        all(to).into_iter().for_each(|to| before.entry(to).or_default().extend(from.clone()));
    }
    closed(&before)
}

/// As [`waits`], by the edges of the key; those that nobody is sure of are among them.
pub(crate) fn labelled(key: &Key, plan: &Plan) -> BTreeSet<(String, String)> {
    let (read, mut before) = (pieces(plan), in_units(plan));
    for one in key.all("dependencies") {
        let end = |name: &str| meant(key, &read, &word(&one[name])).unwrap_or_default();
        let from = end("from");
        for to in end("to") {
            let ids = from.iter().map(|from| from.sprint.clone());
            let ids: Vec<String> = ids.filter(|from| *from != to.sprint).collect();
            before.entry(to.sprint).or_default().extend(ids);
        }
    }
    closed(&before)
}
