//! Plans: one block each, read from a planner's report or from `PLAN.md`, and written as `PLAN.md`.
//!
//! A plan document is Markdown with front matter on its first line; its body is data, whatever it says:
//! text that looks like front matter, tags of a chat or orders to a reader change nothing. Front matter
//! that never ends, has a field twice or holds a NUL byte is refused with its line.

use super::form::{count, flag, list, text, text_of, wave, word, words};
use super::plan_form::FRONT;
use super::report::fields::{Extra, extra};
use super::report::limits;
use super::threads::structure;
use crate::mission::prelude::*;
use crate::plan::{document, yaml};
use crate::vocab::evidence::normal;
use crate::vocab::json;
use serde_json::{Value, json};
use std::fmt::Write;

/// The longest body of a plan, in bytes.
pub const MOST_CONTENT: usize = 256 * 1024;
/// The most artifacts, links, truths or commands of one plan.
pub const MOST_MUST_HAVES: usize = 100;

/// The type of a plan that names none.
const EXECUTE: &str = "execute";

/// One plan: what an executor is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridPlan")]
pub struct Plan {
    /// Unique id within the cluster.
    pub id: String,
    /// The phase it belongs to, e.g. `01-foundation`.
    pub phase: String,
    /// Where its document lies, if a person wrote it; the engine writes all others.
    #[serde(default)]
    pub path: Option<String>,
    /// The wave its author named; dependencies win.
    #[serde(default)]
    pub declared_wave: Option<u32>,
    /// Ids of plans that must be closed first, as written.
    #[serde(default)]
    pub depends_on: Vec<String>,
    /// It has no checkpoints.
    #[serde(default = "yes")]
    pub autonomous: bool,
    /// Files it changes; two blocks that share one never run at once.
    #[serde(default)]
    pub files_modified: Vec<String>,
    /// What it is for, in one line.
    pub objective: String,
    /// Whether its must-haves are verified.
    #[serde(default = "yes")]
    pub verify: bool,
    /// Why they are not.
    #[serde(default)]
    pub verify_reason: Option<String>,
    /// It closes gaps of other plans.
    #[serde(default)]
    pub gap_closure: bool,
    /// The gaps it closes: `plan/criterion`; empty for all there are.
    #[serde(default)]
    pub closes: Vec<String>,
    /// What must hold in the end.
    #[serde(default)]
    pub must_haves: MustHaves,
    /// What it calls its type, where that is another word than `execute`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The body of its document.
    #[serde(default)]
    pub content: String,
}

fn yes() -> bool {
    true
}

/// What must hold when a plan is done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(default)]
pub struct MustHaves {
    /// Sentences that are true in the end.
    #[serde(deserialize_with = "words")]
    pub truths: Vec<String>,
    /// Files that are there, real, and in use.
    #[serde(deserialize_with = "list")]
    pub artifacts: Vec<Artifact>,
    /// What connects them.
    #[serde(deserialize_with = "list")]
    pub key_links: Vec<KeyLink>,
}

impl MustHaves {
    /// Nothing must hold.
    pub(super) fn are_none(&self) -> bool {
        self.truths.is_empty() && self.artifacts.is_empty() && self.key_links.is_empty()
    }
}

/// A file that must be there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Artifact {
    /// Path from the root of the repository.
    #[serde(deserialize_with = "text")]
    pub path: String,
    /// What it is for.
    #[serde(default, deserialize_with = "word", skip_serializing_if = "Option::is_none")]
    pub provides: Option<String>,
    /// The fewest lines of a real one.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub min_lines: Option<u32>,
    /// Words it must contain.
    #[serde(default, deserialize_with = "word", skip_serializing_if = "Option::is_none")]
    pub contains: Option<String>,
    /// Names it must mention.
    #[serde(default, deserialize_with = "words", skip_serializing_if = "Vec::is_empty")]
    pub exports: Vec<String>,
}

/// A connection that must be there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct KeyLink {
    /// The file it starts in.
    #[serde(deserialize_with = "text")]
    pub from: String,
    /// The file it leads to.
    #[serde(deserialize_with = "text")]
    pub to: String,
    /// How, in words.
    #[serde(default, deserialize_with = "word", skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// A regular expression that is looked for in the file it starts in, outside of comments.
    #[serde(default, deserialize_with = "word", skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// The front matter of a plan as it is written; unknown fields are named and passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(default)]
#[schemars(rename = "GridPlanFront")]
pub struct Front {
    /// The phase.
    #[serde(deserialize_with = "word")]
    pub phase: Option<String>,
    /// The number of the plan in its phase.
    #[serde(deserialize_with = "word")]
    pub plan: Option<String>,
    /// `execute`, as a rule.
    #[serde(rename = "type", deserialize_with = "word")]
    pub kind: Option<String>,
    /// The wave its author named; what is no number counts as absent.
    #[serde(deserialize_with = "wave")]
    pub wave: Option<u32>,
    /// A plan, or a list.
    #[serde(deserialize_with = "words")]
    pub depends_on: Vec<String>,
    /// Files it changes.
    #[serde(deserialize_with = "words")]
    pub files_modified: Vec<String>,
    /// Whether it has no checkpoints.
    #[serde(deserialize_with = "flag")]
    pub autonomous: Option<bool>,
    /// Whether it is verified.
    #[serde(deserialize_with = "flag")]
    pub verify: Option<bool>,
    /// Why it is not.
    #[serde(deserialize_with = "word")]
    pub verify_reason: Option<String>,
    /// Whether it closes gaps.
    #[serde(deserialize_with = "flag")]
    pub gap_closure: Option<bool>,
    /// The gaps it closes.
    #[serde(deserialize_with = "words")]
    pub closes: Vec<String>,
    /// What must hold in the end.
    pub must_haves: Option<MustHaves>,
}

/// A part of a plan, as its document names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Thread {
    /// Its name; `unnamed` if it has none.
    pub name: String,
    /// `auto`, `checkpoint:human-verify` and the like.
    pub kind: Option<String>,
    /// Whether it names files.
    pub has_files: bool,
    /// Whether it says what to do.
    pub has_action: bool,
    /// Whether it says how to verify that.
    pub has_verify: bool,
    /// Whether it says when it is done.
    pub has_done: bool,
}

/// A plan document, read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridPlanDocument")]
pub struct PlanDocument {
    /// The plan.
    pub plan: Plan,
    /// Its threads.
    pub threads: Vec<Thread>,
    /// What keeps its structure from being whole.
    pub faults: Vec<Diagnostic>,
    /// What is unusual.
    pub notes: Vec<Diagnostic>,
}

/// Reads a plan document. `name` is the name of its file, which names the plan: `01-02-PLAN.md`.
///
/// # Errors
/// `too_large`, `truncated`, `duplicate_field`, `invalid_value`, `wrong_type` and the like, each with its
/// line or its field; `missing_field` for one without front matter, phase or objective.
pub fn parse(name: &str, text: &str) -> Result<PlanDocument> {
    let read = document::read(text)?;
    let (front, body) = document::split(text.strip_prefix('\u{feff}').unwrap_or(text))?;
    let Some(front) = front else {
        let expected = "front matter on the first line";
        return Err(Error::new(Code::MissingField, "line 1", expected, "none"));
    };
    let front = Value::Object(yaml::written(front, 2)?);
    super::plan_form::front(&front).map_err(|error| error.within("front matter"))?;
    let unread = unread(&front);
    let front: Front =
        json::decode(&json::encode(&front)).map_err(|error| error.within("front matter"))?;
    let plan = of_document(name, &front, body.to_owned())?;
    let (threads, faults, mut notes) = structure(&plan.content, plan.autonomous);
    notes.extend(read.notes);
    notes.extend(unread);
    check(&plan).map(|()| PlanDocument { plan, threads, faults, notes })
}

/// What nobody reads in front matter: a wave that is no number, and fields that no plan has.
fn unread(front: &Value) -> Vec<Diagnostic> {
    let (odd, unknown): (Vec<_>, Vec<_>) =
        extra(FRONT, front).into_iter().partition(|one| one.no_wave);
    let note = |code, one: &Extra, expected: &str, got: &str| {
        Error::new(code, format!("front matter.{}", one.at), expected, got).diagnostic()
    };
    let odd = odd.iter().map(|one| {
        let said = text_of(one.value).unwrap_or_else(|| one.value.to_string());
        note(Code::InvalidValue, one, "the number of a wave", &clip(&one_line(&said), 80))
    });
    let unknown = unknown
        .iter()
        .map(|one| note(Code::UnknownField, one, "a field of a plan", "one that nobody reads"));
    odd.chain(unknown).collect()
}

fn of_document(name: &str, front: &Front, body: String) -> Result<Plan> {
    let missing = |field: &str| {
        Error::new(Code::MissingField, format!("front matter.{field}"), "some words", "none")
    };
    let phase = front.phase.clone().ok_or_else(|| missing("phase"))?;
    let stem = name.strip_suffix("-PLAN.md").filter(|stem| !stem.is_empty());
    let id = match (stem, &front.plan) {
        (Some(stem), _) => stem.to_owned(),
        (None, Some(plan)) => plan.clone(),
        (None, None) => return Err(missing("plan")),
    };
    let asks = front.must_haves.as_ref().is_some_and(|must| !must.are_none());
    let tagged = tagged(&body, "objective");
    // Without must-haves it is the one, and nothing of it is left out.
    let whole = !asks && front.closes.is_empty();
    let objective = tagged.map(if whole { one_line } else { first_line }).unwrap_or_default();
    Ok(of_front(id, phase, front, objective, body))
}

/// A plan with the settings of its front matter.
pub(super) fn of_front(
    id: String,
    phase: String,
    front: &Front,
    objective: String,
    content: String,
) -> Plan {
    let objective = match objective.is_empty() {
        true => format!("Plan {id} of {phase}"),
        false => objective,
    };
    Plan {
        id,
        phase,
        path: None,
        declared_wave: front.wave,
        depends_on: front.depends_on.clone(),
        autonomous: front.autonomous.unwrap_or(true),
        files_modified: front.files_modified.iter().map(|path| normal(path)).collect(),
        objective,
        verify: front.verify.unwrap_or(true),
        verify_reason: front.verify_reason.clone(),
        gap_closure: front.gap_closure.unwrap_or(false),
        closes: front.closes.clone(),
        must_haves: front.must_haves.clone().unwrap_or_default(),
        kind: front.kind.clone().filter(|kind| kind != EXECUTE),
        content,
    }
}

/// Where the plan is found by who reads a fault of it: its document, else its place in the list.
pub(super) fn place(plan: &Plan, at: usize, field: &str) -> String {
    match (&plan.path, field) {
        (Some(path), "") => path.clone(),
        (Some(path), field) => format!("{path}: {field}"),
        (None, "") => format!("plans[{at}]"),
        (None, field) => format!("plans[{at}].{field}"),
    }
}

/// Whether a path stays inside the repository and away from what git and the engine keep: files of the mission itself
/// are no work of a plan.
pub(super) fn inside(path: &str) -> bool {
    let plain = normal(path);
    let first = plain.split('/').next().unwrap_or_default();
    !plain.is_empty()
        && plain.len() <= 400
        && !plain.starts_with(['/', '~'])
        && !plain.contains(['\0', '\n'])
        && plain.get(1..2) != Some(":")
        && plain.split('/').all(|part| part != "..")
        // Where names differ in capitals only, these are the same folders.
        && ![".git", ".agent", ".grid"].contains(&first.to_ascii_lowercase().as_str())
}

/// What may be an id, and a part of a file's name.
pub(super) fn is_name(text: &str) -> bool {
    let fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !text.is_empty()
        && text.len() <= 80
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !text.contains("..")
        && text.chars().all(fit)
}

/// Checks a plan by itself.
///
/// # Errors
/// `invalid_value` for an id, a phase, a path or a command that cannot be one; `missing_field` for `verify: false`
/// without a reason, and for a command that is blank or never ends; `too_large`.
pub fn check(plan: &Plan) -> Result<()> {
    for (field, text) in [("id", &plan.id), ("phase", &plan.phase)] {
        let expected = "letters, digits, `-`, `_` and `.`, at most 80";
        ensure!(is_name(text), Code::InvalidValue, field, expected, text)?;
    }
    let outside = |path: &&String| {
        path.starts_with('/')
            || path.get(1..2) == Some(":")
            || path.split('/').any(|part| part == "..")
            || path.chars().any(char::is_control)
    };
    if let Some(odd) = plan.files_modified.iter().find(outside) {
        let expected = "paths inside the repository";
        return Err(Error::new(Code::InvalidValue, "files_modified", expected, odd));
    }
    if !plan.verify && plan.verify_reason.as_deref().is_none_or(|why| why.trim().is_empty()) {
        let expected = "why the plan is not verified";
        return Err(Error::new(Code::MissingField, "verify_reason", expected, "none"));
    }
    let MustHaves { truths, artifacts, key_links } = &plan.must_haves;
    let counts = [
        ("must_haves.truths", truths.len()),
        ("must_haves.artifacts", artifacts.len()),
        ("must_haves.key_links", key_links.len()),
        ("<automated>", super::threads::commands(&plan.content)?.len()),
    ];
    if let Some((at, count)) = counts.into_iter().find(|(_, count)| *count > MOST_MUST_HAVES) {
        let expected = format!("at most {MOST_MUST_HAVES}");
        return Err(Error::new(Code::TooLarge, at, expected, count.to_string()));
    }
    limits::refuse(too_long(plan))?;
    super::link::check(key_links)?;
    ensure(plan.content.len() <= MOST_CONTENT, || {
        let expected = format!("at most {MOST_CONTENT} bytes");
        Error::new(Code::TooLarge, "content", expected, plan.content.len().to_string())
    })
}

/// Must-haves are kept whole and told whole, and so is the objective that may be one.
fn too_long(plan: &Plan) -> Vec<limits::Long> {
    let MustHaves { truths, artifacts, key_links } = &plan.must_haves;
    let truths = truths.iter().enumerate();
    let truths = truths.map(|(nth, text)| (format!("must_haves.truths[{nth}]"), Some(text)));
    let artifacts = artifacts
        .iter()
        .enumerate()
        .map(|(nth, one)| (format!("must_haves.artifacts[{nth}].provides"), one.provides.as_ref()));
    let links = key_links.iter().enumerate();
    let links =
        links.map(|(nth, one)| (format!("must_haves.key_links[{nth}].via"), one.via.as_ref()));
    let objective = std::iter::once(("objective".to_owned(), Some(&plan.objective)));
    let all = objective.chain(truths).chain(artifacts).chain(links);
    all.filter_map(|(at, text)| limits::text(at, text?, limits::MOST_MUST_HAVE)).collect()
}

/// The first line with words in it.
fn first_line(text: &str) -> String {
    text.lines().map(one_line).find(|line| !line.is_empty()).unwrap_or_default()
}

/// The text between the first pair of tags of this name.
pub(super) fn tagged<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let from = text.find(&open)? + open.len();
    let to = text[from..].find(&close)? + from;
    Some(&text[from..to])
}

/// The front matter of a plan, as it is written; the wave is the one it is in.
pub(super) fn front_matter(plan: &Plan, wave: u32) -> String {
    let mut text = String::from("---\n");
    let mut field = |name: &str, value: Value| {
        let _ = writeln!(text, "{name}: {}", json::encode(&value));
    };
    field("phase", json!(plan.phase));
    field("plan", json!(plan.id));
    field("type", json!(plan.kind.as_deref().unwrap_or(EXECUTE)));
    field("wave", json!(wave));
    field("depends_on", json!(plan.depends_on));
    field("files_modified", json!(plan.files_modified));
    field("autonomous", json!(plan.autonomous));
    if !plan.verify {
        field("verify", json!(false));
        field("verify_reason", json!(plan.verify_reason));
    }
    if plan.gap_closure {
        field("gap_closure", json!(true));
        field("closes", json!(plan.closes));
    }
    field("must_haves", json!(plan.must_haves));
    text.push_str("---\n");
    text
}

/// The document of a plan. Reading it gives the plan again.
pub fn render(plan: &Plan, wave: u32) -> String {
    let mut text = front_matter(plan, wave);
    match plan.content.trim().is_empty() {
        true => {
            let _ = write!(text, "\n<objective>\n{}\n</objective>\n", plan.objective);
        }
        false => text.push_str(&plan.content),
    }
    text
}
