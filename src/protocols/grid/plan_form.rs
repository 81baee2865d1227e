//! The shape of what planners and people write: said in their words, with the place of the first thing that is another.
//!
//! A reader that only knows its own types would take a list for an object and name types that nobody wrote.

use super::form::{count_of, flag_of, text_of};
use crate::plan::yaml::kind;
use crate::vocab::error::{Code, Error, Result, clip};
use serde_json::{Map, Value};

const ARTIFACT: &str = "a mapping with path, provides, min_lines, contains and exports";
const LINK: &str = "a mapping with from, to, via and pattern";

/// Checks front matter, at its place in a report; blank for a document.
///
/// # Errors
/// `wrong_type`, `missing_field` or `number_out_of_range`, with place, what was expected there, and what came.
pub(super) fn front(value: &Value, at: &str) -> Result<()> {
    let fields = mapping(value, at, "a mapping of fields")?;
    settings(fields, at)?;
    for name in ["phase", "plan", "type", "verify_reason"] {
        field(fields, name, at, &one_text)?;
    }
    field(fields, "verify", at, &yes_or_no)?;
    field(fields, "gap_closure", at, &yes_or_no)?;
    field(fields, "must_haves", at, &must_haves)
}

/// Checks the plans of a planner's report.
///
/// # Errors
/// As [`front`].
pub(super) fn planner(report: &Value) -> Result<()> {
    let plans = report.get("plans").filter(|plans| !plans.is_null());
    plans.map_or(Ok(()), |plans| {
        each(plans, "plans", "a list of plans", &|one, at| {
            let fields = mapping(one, at, "a mapping with id, objective, frontmatter and content")?;
            needed(fields, "id", at)?;
            settings(fields, at)?;
            for name in ["phase", "objective", "content"] {
                field(fields, name, at, &one_text)?;
            }
            field(fields, "frontmatter", at, &front)
        })
    })
}

/// The fields that front matter and a report have alike.
fn settings(fields: &Map<String, Value>, at: &str) -> Result<()> {
    for name in ["depends_on", "files_modified", "closes"] {
        field(fields, name, at, &texts)?;
    }
    field(fields, "autonomous", at, &yes_or_no)
}

fn must_haves(value: &Value, at: &str) -> Result<()> {
    let fields = mapping(value, at, "a mapping of truths, artifacts and key_links")?;
    field(fields, "truths", at, &texts)?;
    field(fields, "artifacts", at, &|value, at| {
        each(value, at, &format!("a list, each {ARTIFACT}"), &artifact)
    })?;
    field(fields, "key_links", at, &|value, at| {
        each(value, at, &format!("a list, each {LINK}"), &link)
    })
}

fn artifact(value: &Value, at: &str) -> Result<()> {
    let fields = mapping(value, at, ARTIFACT)?;
    needed(fields, "path", at)?;
    field(fields, "provides", at, &one_text)?;
    field(fields, "contains", at, &one_text)?;
    field(fields, "exports", at, &texts)?;
    field(fields, "min_lines", at, &|value, at| match count_of(value) {
        Some(_) => Ok(()),
        None => {
            let code = if value.is_number() { Code::NumberOutOfRange } else { Code::WrongType };
            let expected = format!("a whole number from 0 to {}", u32::MAX);
            Err(Error::new(code, at, expected, kind(value)))
        }
    })
}

fn link(value: &Value, at: &str) -> Result<()> {
    let fields = mapping(value, at, LINK)?;
    needed(fields, "from", at)?;
    needed(fields, "to", at)?;
    field(fields, "via", at, &one_text)?;
    field(fields, "pattern", at, &one_text)
}

fn mapping<'a>(value: &'a Value, at: &str, expected: &str) -> Result<&'a Map<String, Value>> {
    value.as_object().ok_or_else(|| wrong(at, expected, value))
}

/// A field, if it is written; one that is blank counts as absent.
fn field(
    fields: &Map<String, Value>,
    name: &str,
    at: &str,
    check: &dyn Fn(&Value, &str) -> Result<()>,
) -> Result<()> {
    match fields.get(name).filter(|value| !value.is_null()) {
        Some(value) => check(value, &join(at, name)),
        None => Ok(()),
    }
}

/// A text that must be there.
fn needed(fields: &Map<String, Value>, name: &str, at: &str) -> Result<()> {
    let value = fields.get(name).filter(|value| !value.is_null());
    let blank = |value: &&Value| value.as_str().is_some_and(|text| text.trim().is_empty());
    match value.filter(|value| !blank(value)) {
        Some(value) => one_text(value, &join(at, name)),
        None => {
            let got = if value.is_some() { "a blank text" } else { "none" };
            Err(Error::new(Code::MissingField, join(at, name), "a text", got))
        }
    }
}

fn one_text(value: &Value, at: &str) -> Result<()> {
    text_of(value).map(drop).ok_or_else(|| wrong(at, "a text", value))
}

fn yes_or_no(value: &Value, at: &str) -> Result<()> {
    flag_of(value).map(drop).ok_or_else(|| wrong(at, "true or false", value))
}

/// A text, or a list of texts.
fn texts(value: &Value, at: &str) -> Result<()> {
    match value {
        Value::Array(list) => list.iter().enumerate().try_for_each(|(place, one)| {
            let expected = match one {
                Value::Object(_) => "a text; in quotes where `: ` stands in it",
                _ => "a text",
            };
            text_of(one).map(drop).ok_or_else(|| wrong(&format!("{at}[{place}]"), expected, one))
        }),
        one => text_of(one).map(drop).ok_or_else(|| wrong(at, "a text or a list of texts", one)),
    }
}

fn each(
    value: &Value,
    at: &str,
    expected: &str,
    check: &dyn Fn(&Value, &str) -> Result<()>,
) -> Result<()> {
    let list = value.as_array().ok_or_else(|| wrong(at, expected, value))?;
    list.iter().enumerate().try_for_each(|(place, one)| check(one, &format!("{at}[{place}]")))
}

fn wrong(at: &str, expected: &str, value: &Value) -> Error {
    Error::new(Code::WrongType, at, expected, clip(&kind(value), 200))
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::super::{plan, report, role::Role};
    use super::*;

    const WHOLE: &str = "a whole number from 0 to 4294967295";
    const MUST: &str = "a mapping of truths, artifacts and key_links";

    /// A field, or a must-have, as it is written; where the fault lies, what is expected there, what came.
    const TABLE: [(&str, &str, &str, &str); 31] = [
        ("must_haves: T1", "must_haves", MUST, "`T1`"),
        ("must_haves: [a]", "must_haves", MUST, "a list"),
        ("truths: {a: b}", "must_haves.truths", "a text or a list of texts", "a mapping"),
        (
            "truths: [a, {b: c}]",
            "must_haves.truths[1]",
            "a text; in quotes where `: ` stands in it",
            "a mapping",
        ),
        ("truths: [null]", "must_haves.truths[0]", "a text", "nothing"),
        (
            "artifacts: a.js",
            "must_haves.artifacts",
            "a list, each a mapping with path, provides, min_lines, contains and exports",
            "`a.js`",
        ),
        (
            "artifacts: {path: a}",
            "must_haves.artifacts",
            "a list, each a mapping with path, provides, min_lines, contains and exports",
            "a mapping",
        ),
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
            "a text or a list of texts",
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
        (
            "key_links: a to b",
            "must_haves.key_links",
            "a list, each a mapping with from, to, via and pattern",
            "`a to b`",
        ),
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
        ("depends_on: {a: b}", "depends_on", "a text or a list of texts", "a mapping"),
        ("depends_on: [[a]]", "depends_on[0]", "a text", "a list"),
        ("closes: {a: b}", "closes", "a text or a list of texts", "a mapping"),
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
            (
                Role::Learner,
                "{\"what_worked\":{\"a\":1}}",
                "json",
                "a text or a list of texts",
                "a mapping",
            ),
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
