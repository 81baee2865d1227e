//! Reads the report of a player.

use super::lenient::{Object, add, evidence, status, test_file, tests, unknown};
use super::{ClaimRow, PlayerReport};
use crate::vocab::error::{Code, Diagnostic, Error, Result, ensure};
use crate::vocab::verdict::ClaimStatus;

const STATUSES: &str = "verified, partial, blocked or not_started";

#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "task_id", "turn", "completion_promise", "completion_promises", "all_verified", "tests_run",
    "tests_passed", "files_modified", "files_created", "requirements_addressed",
    "requirements_remaining", "concerns", "implementation_notes", "blockers",
];

#[rustfmt::skip]
const KNOWN_IN_ROW: &[&str] = &[
    "criterion_id", "ac_id", "criterion", "criterion_text", "description", "status", "evidence",
    "test_file", "implementation_files",
];

/// Reads the JSON of a player's report.
///
/// # Errors
/// What breaks its structure, with path, expected and got: no JSON, a value of the wrong type, no row
/// at all.
pub fn read(block: &str) -> Result<PlayerReport> {
    let top = Object::read(block, "")?;
    let mut notes = top.notes(KNOWN);
    let mut faults = Vec::new();
    let mut rows = Vec::new();
    let (mut statement, mut all_verified) = (None, flag(&top)?);
    let nested = top.raw("completion_promise");
    if nested.is_some_and(|raw| raw.trim_start().starts_with('[')) {
        read_rows(&top, "completion_promise", &mut rows, &mut faults, &mut notes)?;
    } else if let Some(promise) = top.object("completion_promise")? {
        notes.extend(promise.notes(&["statement", "criteria", "all_verified"]));
        statement = promise.text(&["statement"])?;
        all_verified = flag(&promise)?.or(all_verified);
        read_rows(&promise, "criteria", &mut rows, &mut faults, &mut notes)?;
    }
    read_rows(&top, "completion_promises", &mut rows, &mut faults, &mut notes)?;
    let expected = "at least one row in completion_promise.criteria";
    ensure!(!rows.is_empty(), Code::CriterionMissing, "completion_promise", expected, "none")?;
    faults.extend(all_verified.and_then(|said| check_summary(said, &rows)));
    Ok(PlayerReport {
        task_id: top.text(&["task_id"])?,
        turn: top.get("turn")?,
        statement,
        rows,
        all_verified,
        tests: tests(top.get("tests_run")?, top.get("tests_passed")?),
        files_modified: top.words("files_modified")?,
        files_created: top.words("files_created")?,
        requirements_addressed: top.words("requirements_addressed")?,
        requirements_remaining: top.words("requirements_remaining")?,
        concerns: top.words("concerns")?,
        implementation_notes: top.text(&["implementation_notes"])?,
        blockers: top.words("blockers")?,
        faults,
        notes,
    })
}

fn flag(object: &Object) -> Result<Option<bool>> {
    object.get("all_verified")
}

fn read_rows(
    object: &Object,
    name: &str,
    rows: &mut Vec<ClaimRow>,
    faults: &mut Vec<Diagnostic>,
    notes: &mut Vec<String>,
) -> Result<()> {
    for (at, raw) in object.list(name)? {
        let one = Object::read(&raw, at.clone())?;
        notes.extend(one.notes(KNOWN_IN_ROW));
        rows.push(row(&one, at, faults)?);
    }
    Ok(())
}

fn row(object: &Object, at: String, faults: &mut Vec<Diagnostic>) -> Result<ClaimRow> {
    let (mut typed, prose) = evidence(object, faults)?;
    add(&mut typed, test_file(object, faults)?);
    Ok(ClaimRow {
        id: object.text(&["criterion_id", "ac_id"])?,
        text: object.text(&["criterion", "criterion_text", "description"])?,
        status: read_status(object, faults)?,
        evidence: typed,
        prose,
        implementation_files: object.words("implementation_files")?,
        at,
    })
}

fn read_status(object: &Object, faults: &mut Vec<Diagnostic>) -> Result<Option<ClaimStatus>> {
    let at = object.path("status");
    let Some(word) = object.text(&["status"])? else {
        faults.push(Error::new(Code::MissingField, at, STATUSES, "no status").diagnostic());
        return Ok(None);
    };
    let known = status(&word);
    if known.is_none() {
        faults.push(unknown(at, STATUSES, &word));
    }
    Ok(known)
}

/// The player's own summary against its rows.
fn check_summary(said: bool, rows: &[ClaimRow]) -> Option<Diagnostic> {
    let short = rows.iter().find(|row| row.status != Some(ClaimStatus::Complete));
    let expected = match short {
        Some(row) => format!("false, for {} is not verified", row.at),
        None => "true, for every row is verified".to_owned(),
    };
    let at = "completion_promise.all_verified";
    let wrong = said == short.is_some();
    wrong
        .then(|| Error::new(Code::InconsistentVerdict, at, expected, said.to_string()).diagnostic())
}
