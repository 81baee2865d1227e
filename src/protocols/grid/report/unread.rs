//! Fields of a plan that the engine does not read: they are named, so that nothing of its author is ignored in silence.

use super::super::form::odd_wave;
use serde_json::Value;

const FRONT: [&str; 12] = [
    "phase",
    "plan",
    "type",
    "wave",
    "depends_on",
    "files_modified",
    "autonomous",
    "verify",
    "verify_reason",
    "gap_closure",
    "closes",
    "must_haves",
];
const MUST_HAVES: [&str; 3] = ["truths", "artifacts", "key_links"];
const ARTIFACT: [&str; 5] = ["path", "provides", "min_lines", "contains", "exports"];
const LINK: [&str; 4] = ["from", "to", "via", "pattern"];
const REPORT: [&str; 6] =
    ["cluster", "total_blocks", "total_waves", "plans", "wave_structure", "lessons_learned"];
const PLANNED: [&str; 11] = [
    "id",
    "path",
    "phase",
    "wave",
    "depends_on",
    "autonomous",
    "files_modified",
    "objective",
    "closes",
    "frontmatter",
    "content",
];
pub(super) const LESSONS: [&str; 5] =
    ["codebase_patterns", "gotchas", "user_preferences", "almost_did", "fragile_areas"];

/// Those of the front matter of a plan, each with its place.
pub(in super::super) fn of_front(front: &Value) -> Vec<String> {
    let mut unread = Vec::new();
    front_matter(front, "", &mut unread);
    unread
}

/// Those of a planner's report, each with its place.
pub(in super::super) fn of_planner(report: &Value) -> Vec<String> {
    let mut unread = Vec::new();
    other(report, &REPORT, "", &mut unread);
    within(report, "lessons_learned", "", |value, at| other(value, &LESSONS, at, &mut unread));
    each(report, "plans", "", &mut |plan, at| {
        other(plan, &PLANNED, at, &mut unread);
        unread.extend(no_wave(plan, at));
        within(plan, "frontmatter", at, |front, at| {
            front_matter(front, at, &mut unread);
            unread.extend(no_wave(front, at));
        });
    });
    unread
}

fn front_matter(front: &Value, at: &str, unread: &mut Vec<String>) {
    other(front, &FRONT, at, unread);
    within(front, "must_haves", at, |must, at| {
        other(must, &MUST_HAVES, at, unread);
        each(must, "artifacts", at, &mut |one, at| other(one, &ARTIFACT, at, unread));
        each(must, "key_links", at, &mut |one, at| other(one, &LINK, at, unread));
    });
}

/// A wave that is no number counts as absent.
fn no_wave(plan: &Value, at: &str) -> Option<String> {
    odd_wave(plan).map(|_| format!("{} (no number)", join(at, "wave")))
}

/// Fields of an object that are not known.
fn other(value: &Value, known: &[&str], at: &str, unread: &mut Vec<String>) {
    let names = value.as_object().into_iter().flat_map(|fields| fields.keys());
    unread.extend(names.filter(|name| !known.contains(&name.as_str())).map(|name| join(at, name)));
}

fn within(value: &Value, name: &str, at: &str, look: impl FnOnce(&Value, &str)) {
    if let Some(inner) = value.get(name) {
        look(inner, &join(at, name));
    }
}

fn each(value: &Value, name: &str, at: &str, look: &mut dyn FnMut(&Value, &str)) {
    let list = value.get(name).and_then(Value::as_array);
    for (place, one) in list.into_iter().flatten().enumerate() {
        look(one, &format!("{}[{place}]", join(at, name)));
    }
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}
