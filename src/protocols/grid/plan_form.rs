//! The shape of what planners and people write: said in their words, with the place of the first thing that is another.
//!
//! A reader that only knows its own types would take a list for an object and name types that nobody wrote.

use super::form::{count_of, flag_of, text_of};
use super::report::fields::{Form, Kind, each};
use crate::plan::yaml::kind as named;
use crate::vocab::error::{Code, Error, Result, clip, place};
use Kind::{Count, Flag, List, Mapping, Needed, Part, Text, Texts, Typed, Wave};
use serde_json::Value;

/// A plan in a planner's report.
pub(super) const PLANNED: Form = &[
    ("id", Needed),
    ("depends_on files_modified closes", Texts),
    ("autonomous", Flag),
    ("phase objective content", Text),
    ("path", Typed),
    ("wave", Wave),
    ("frontmatter", Mapping(SETTINGS, FRONT)),
];

/// The front matter of a plan.
pub(super) const FRONT: Form = &[
    ("depends_on files_modified closes", Texts),
    ("autonomous", Flag),
    ("phase plan type verify_reason", Text),
    ("verify gap_closure", Flag),
    ("must_haves", Mapping("a mapping of truths, artifacts and key_links", MUST_HAVES)),
    ("wave", Wave),
];

const MUST_HAVES: Form = &[
    ("truths", Texts),
    ("artifacts", List(ARTIFACT, ARTIFACT_FIELDS)),
    ("key_links", List(LINK, LINK_FIELDS)),
];

const ARTIFACT_FIELDS: Form =
    &[("path", Needed), ("provides contains", Text), ("exports", Texts), ("min_lines", Count)];

const LINK_FIELDS: Form = &[("from to", Needed), ("via pattern", Text)];

const PLAN: &str = "a mapping with id, objective, frontmatter and content";
const SETTINGS: &str = "a mapping of fields";
const ARTIFACT: &str = "a mapping with path, provides, min_lines, contains and exports";
const LINK: &str = "a mapping with from, to, via and pattern";

/// Checks the front matter of a document.
///
/// # Errors
/// `wrong_type`, `missing_field` or `number_out_of_range`, with place, what was expected there, and what came.
pub(super) fn front(value: &Value) -> Result<()> {
    mapping(value, "", SETTINGS, FRONT)
}

/// Checks the plans of a planner's report.
///
/// # Errors
/// As [`front`].
pub(super) fn planner(report: &Value) -> Result<()> {
    let plans = report.get("plans").filter(|plans| !plans.is_null());
    plans.map_or(Ok(()), |plans| list(plans, "plans", "a list of plans", PLAN, PLANNED))
}

fn mapping(value: &Value, at: &str, expected: &str, form: Form) -> Result<()> {
    let fields = value.as_object().ok_or_else(|| wrong(at, expected, value))?;
    each(form).try_for_each(|(name, kind)| {
        let at = place(at, name);
        match fields.get(name).filter(|value| !value.is_null()) {
            Some(value) => field(value, &at, kind),
            None if matches!(kind, Needed) => {
                Err(Error::new(Code::MissingField, at, "a text", "none"))
            }
            None => Ok(()),
        }
    })
}

fn list(value: &Value, at: &str, expected: &str, of: &str, form: Form) -> Result<()> {
    let items = value.as_array().ok_or_else(|| wrong(at, expected, value))?;
    let mut items = items.iter().enumerate();
    items.try_for_each(|(nth, one)| mapping(one, &format!("{at}[{nth}]"), of, form))
}

/// Checks a field that is written.
fn field(value: &Value, at: &str, kind: &Kind) -> Result<()> {
    let fits = |fits: bool, expected: &str| match fits {
        true => Ok(()),
        false => Err(wrong(at, expected, value)),
    };
    match kind {
        Needed if value.as_str().is_some_and(|text| text.trim().is_empty()) => {
            Err(Error::new(Code::MissingField, at, "a text", "a blank text"))
        }
        Needed | Text => fits(text_of(value).is_some(), "a text"),
        Flag => fits(flag_of(value).is_some(), "true or false"),
        Texts => texts(value, at),
        Count => count(value, at),
        Mapping(expected, form) => mapping(value, at, expected, form),
        List(of, form) => list(value, at, &format!("a list, each {of}"), of, form),
        Typed | Part(_) | Wave => Ok(()),
    }
}

fn count(value: &Value, at: &str) -> Result<()> {
    if count_of(value).is_some() {
        return Ok(());
    }
    let code = if value.is_number() { Code::NumberOutOfRange } else { Code::WrongType };
    let expected = format!("a whole number from 0 to {}", u32::MAX);
    Err(Error::new(code, at, expected, named(value)))
}

/// A text, or a list of texts.
fn texts(value: &Value, at: &str) -> Result<()> {
    let Value::Array(items) = value else {
        let said = text_of(value).map(drop);
        return said.ok_or_else(|| wrong(at, "a text or a list of texts", value));
    };
    let odd = items.iter().enumerate().find(|(_, one)| text_of(one).is_none());
    odd.map_or(Ok(()), |(nth, one)| {
        let expected = match one.is_object() {
            true => "a text; in quotes where `: ` stands in it",
            false => "a text",
        };
        Err(wrong(&format!("{at}[{nth}]"), expected, one))
    })
}

fn wrong(at: &str, expected: &str, value: &Value) -> Error {
    Error::new(Code::WrongType, at, expected, clip(&named(value), 200))
}

#[cfg(test)]
mod tests {
    use super::super::{plan, report, role::Role};
    use super::*;

    const WHOLE: &str = "a whole number from 0 to 4294967295";
    const TEXTS: &str = "a text or a list of texts";
    const ARTIFACTS: &str =
        "a list, each a mapping with path, provides, min_lines, contains and exports";
    const LINKS: &str = "a list, each a mapping with from, to, via and pattern";
    const MUST: &str = "a mapping of truths, artifacts and key_links";

    /// A field, or a must-have, as it is written; where the fault lies, what is expected there, what came.
    const TABLE: [(&str, &str, &str, &str); 31] = [
        ("must_haves: T1", "must_haves", MUST, "`T1`"),
        ("must_haves: [a]", "must_haves", MUST, "a list"),
        ("truths: {a: b}", "must_haves.truths", TEXTS, "a mapping"),
        (
            "truths: [a, {b: c}]",
            "must_haves.truths[1]",
            "a text; in quotes where `: ` stands in it",
            "a mapping",
        ),
        ("truths: [null]", "must_haves.truths[0]", "a text", "nothing"),
        ("artifacts: a.js", "must_haves.artifacts", ARTIFACTS, "`a.js`"),
        ("artifacts: {path: a}", "must_haves.artifacts", ARTIFACTS, "a mapping"),
        ("artifacts: [a.js]", "must_haves.artifacts[0]", ARTIFACT, "`a.js`"),
        ("artifacts: [[a.js, b]]", "must_haves.artifacts[0]", ARTIFACT, "a list"),
        ("artifacts: [{provides: b}]", "must_haves.artifacts[0].path", "a text", "none"),
        ("artifacts: [{path: ' '}]", "must_haves.artifacts[0].path", "a text", "a blank text"),
        ("artifacts: [{path: [a]}]", "must_haves.artifacts[0].path", "a text", "a list"),
        (
            "artifacts: [{path: a}, {path: b, min_lines: many}]",
            "must_haves.artifacts[1].min_lines",
            WHOLE,
            "`many`",
        ),
        (
            "artifacts: [{path: a, min_lines: -1}]",
            "must_haves.artifacts[0].min_lines",
            WHOLE,
            "the number -1",
        ),
        (
            "artifacts: [{path: a, min_lines: 1.5}]",
            "must_haves.artifacts[0].min_lines",
            WHOLE,
            "the number 1.5",
        ),
        (
            "artifacts: [{path: a, min_lines: 99999999999}]",
            "must_haves.artifacts[0].min_lines",
            WHOLE,
            "the number 99999999999",
        ),
        (
            "artifacts: [{path: a, exports: {b: c}}]",
            "must_haves.artifacts[0].exports",
            TEXTS,
            "a mapping",
        ),
        (
            "artifacts: [{path: a, exports: [[b]]}]",
            "must_haves.artifacts[0].exports[0]",
            "a text",
            "a list",
        ),
        (
            "artifacts: [{path: a, contains: [b]}]",
            "must_haves.artifacts[0].contains",
            "a text",
            "a list",
        ),
        ("key_links: a to b", "must_haves.key_links", LINKS, "`a to b`"),
        ("key_links: [a -> b]", "must_haves.key_links[0]", LINK, "`a -> b`"),
        ("key_links: [{from: a}]", "must_haves.key_links[0].to", "a text", "none"),
        ("key_links: [{from: [a], to: b}]", "must_haves.key_links[0].from", "a text", "a list"),
        (
            "key_links: [{from: a, to: b, pattern: {c: d}}]",
            "must_haves.key_links[0].pattern",
            "a text",
            "a mapping",
        ),
        ("verify: maybe", "verify", "true or false", "`maybe`"),
        ("autonomous: 1", "autonomous", "true or false", "the number 1"),
        ("gap_closure: []", "gap_closure", "true or false", "a list"),
        ("depends_on: {a: b}", "depends_on", TEXTS, "a mapping"),
        ("depends_on: [[a]]", "depends_on[0]", "a text", "a list"),
        ("closes: {a: b}", "closes", TEXTS, "a mapping"),
        ("verify_reason: [a]", "verify_reason", "a text", "a list"),
    ];

    /// The field in front matter, in block style.
    fn written(field: &str) -> String {
        let must = ["truths", "artifacts", "key_links"].iter().any(|one| field.starts_with(one));
        if must { format!("must_haves:\n  {field}\n") } else { format!("{field}\n") }
    }

    #[test]
    fn faults_of_form_are_said_in_plain_words() {
        for (field, at, expected, got) in TABLE {
            let field = written(field);
            let text = format!("---\nphase: 01-x\nplan: 1\n{field}---\n");
            let error = plan::parse("01-01-PLAN.md", &text).unwrap_err();
            let told = (error.at.as_str(), error.expected.as_str(), error.got.as_str());
            assert_eq!(told, (format!("front matter.{at}").as_str(), expected, got), "{field}");
            let front: String = field.lines().map(|line| format!("      {line}\n")).collect();
            let plans = format!("plans:\n  - id: 01\n    frontmatter:\n{front}");
            let text =
                format!("MISSION ANCHOR: m\nRemaining contract IDs: none\n\n```yaml\n{plans}```\n");
            let error = report::read(Role::Planner, "m", &text).unwrap_err();
            let told = (error.at.as_str(), error.expected.as_str(), error.got.as_str());
            assert_eq!(told, (format!("yaml.plans[0].frontmatter.{at}").as_str(), expected, got));
        }
    }

    #[test]
    fn what_a_reader_can_tell_is_taken() {
        let text = "---\nphase: 1\nplan: 1\nverify: \"yes\"\nmust_haves:\n  truths: one\n  artifacts:\n    - path: 5\n\
                    \x20     min_lines: \"7\"\n  key_links:\n---\n";
        let must = plan::parse("01-01-PLAN.md", text).unwrap().plan.must_haves;
        assert_eq!(must.truths, ["one"]);
        assert_eq!((must.artifacts[0].path.as_str(), must.artifacts[0].min_lines), ("5", Some(7)));
        assert!(must.key_links.is_empty());
    }

    #[test]
    fn no_report_is_answered_with_names_of_types() {
        for (role, block, at, expected, got) in [
            (Role::Executor, "{\"block\":\"1\"}", "json", "field `status`", "no such field"),
            (
                Role::Executor,
                "{\"block\":\"1\",\"status\":\"SUCCESS\",\"summary\":\"done\"}",
                "json.summary",
                "an object",
                "string \"done\"",
            ),
            (
                Role::Executor,
                "{\"block\":\"1\",\"status\":\"FAILURE\",\"failure\":{\"attempts\":\"three\"}}",
                "json.failure.attempts",
                WHOLE,
                "string \"three\"",
            ),
            (
                Role::Executor,
                "{\"block\":\"1\",\"status\":\"SUCCESS\",\"summary\":{\"already_there\":1}}",
                "json.summary.already_there",
                "true or false",
                "integer `1`",
            ),
            (
                Role::Recognizer,
                "{\"verdict\":\"CLEAR\",\"verdicts\":{\"a\":1}}",
                "json.verdicts",
                "a list",
                "an object",
            ),
            (
                Role::Planner,
                "{\"plans\":[],\"wave_structure\":[1]}",
                "json.wave_structure",
                "an object",
                "a list",
            ),
            (Role::Learner, "{\"what_worked\":{\"a\":1}}", "json.what_worked", TEXTS, "a mapping"),
        ] {
            let text = format!(
                "MISSION ANCHOR: m\nRemaining contract IDs: none\n\n```json\n{block}\n```\n"
            );
            let error = report::read(role, "m", &text).unwrap_err();
            let told = (error.at.as_str(), error.expected.as_str(), error.got.as_str());
            assert_eq!(told, (at, expected, got), "{block}");
        }
    }

    #[test]
    fn so_are_those_of_a_report() {
        for (plans, at, expected, got) in [
            ("\"a\"", "plans", "a list of plans", "`a`"),
            ("[\"a\"]", "plans[0]", "a mapping with id, objective, frontmatter and content", "`a`"),
            ("[{}]", "plans[0].id", "a text", "none"),
            ("[{\"id\":[\"a\"]}]", "plans[0].id", "a text", "a list"),
            ("[{\"id\":\"a\",\"content\":{}}]", "plans[0].content", "a text", "a mapping"),
            (
                "[{\"id\":\"a\",\"frontmatter\":\"x\"}]",
                "plans[0].frontmatter",
                "a mapping of fields",
                "`x`",
            ),
            (
                "[{\"id\":\"a\",\"autonomous\":3}]",
                "plans[0].autonomous",
                "true or false",
                "the number 3",
            ),
        ] {
            let text = format!(
                "MISSION ANCHOR: m\nRemaining contract IDs: none\n\n```json\n{{\"plans\":{plans}}}\n```\n"
            );
            let error = report::read(Role::Planner, "m", &text).unwrap_err();
            let told = (error.at.as_str(), error.expected.as_str(), error.got.as_str());
            assert_eq!(told, (format!("json.{at}").as_str(), expected, got), "{plans}");
        }
    }
}
