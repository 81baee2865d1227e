//! Reads the report of a coach.

use super::super::decision::Decision;
use super::lenient::{
    Object, add, blocks, evidence, is_text, result, status, tests, text_of, unknown,
};
use super::{CoachReport, Issue, VerdictRow};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::evidence::{Finding, cited};
use crate::vocab::verdict::ClaimStatus;

#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "task_id", "turn", "decision", "criteria_verification", "issues", "blocking_issues", "feedback",
    "rationale", "validation_results", "tests_run", "tests_passed",
];

#[rustfmt::skip]
const KNOWN_IN_ROW: &[&str] = &[
    "criterion_id", "ac_id", "criterion", "criterion_text", "description", "player_status",
    "coach_verified", "result", "verification_method", "notes", "evidence", "discrepancy", "blocked",
];

/// Reads the JSON of a coach's report.
///
/// # Errors
/// What breaks its structure, with path, expected and got: no JSON, a value of the wrong type, or
/// neither a row nor anything that could be fed back.
pub fn read(block: &str) -> Result<CoachReport> {
    let top = Object::read(block, "")?;
    let (mut notes, mut faults) = (top.notes(KNOWN), Vec::new());
    let mut rows = Vec::new();
    for (at, raw) in top.list("criteria_verification")? {
        let one = Object::read(&raw, at.clone())?;
        notes.extend(one.notes(KNOWN_IN_ROW));
        rows.push(row(&one, at, &mut faults)?);
    }
    let report = CoachReport {
        task_id: top.text(&["task_id"])?,
        turn: top.get("turn")?,
        decision: decision(&top, &mut faults)?,
        issues: issues(&top, &mut faults)?,
        feedback: feedback(&top)?,
        rationale: top.text(&["rationale"])?,
        tests: own_tests(&top)?,
        rows,
        faults,
        notes,
    };
    with_substance(report)
}

/// A report without rows is still one if it says what to mend.
fn with_substance(mut report: CoachReport) -> Result<CoachReport> {
    if !report.rows.is_empty() {
        return Ok(report);
    }
    let expected = "a row for each criterion";
    let error = Error::new(Code::CriterionMissing, "criteria_verification", expected, "none");
    let says = !report.issues.is_empty() || report.feedback.is_some();
    match says && report.decision == Some(Decision::Feedback) {
        true => report.faults.push(error.diagnostic()),
        false => return Err(error),
    }
    Ok(report)
}

fn decision(top: &Object, faults: &mut Vec<Diagnostic>) -> Result<Option<Decision>> {
    let expected = "approve or feedback";
    let Some(word) = top.text(&["decision"])? else {
        let fault = Error::new(Code::MissingField, top.path("decision"), expected, "nothing");
        faults.push(fault.diagnostic());
        return Ok(None);
    };
    Ok(match word.to_lowercase().as_str() {
        "approve" | "approved" => Some(Decision::Approve),
        "feedback" => Some(Decision::Feedback),
        _ => {
            faults.push(unknown(top.path("decision"), expected, &word));
            None
        }
    })
}

fn row(object: &Object, at: String, faults: &mut Vec<Diagnostic>) -> Result<VerdictRow> {
    let before = faults.len();
    let found = finding(object, faults)?;
    let named = object.text(&["verification_method"])?;
    // The flat shape has one field for how and why.
    let flat = object.raw("result").is_some() && object.raw("coach_verified").is_none();
    let notes = object.text(&["notes"])?.filter(|_| flat);
    let method = named.or_else(|| notes.clone()).unwrap_or_default();
    if method.is_empty() {
        let expected = "how it was found out";
        let at = object.path("verification_method");
        faults.push(Error::new(Code::MissingField, at, expected, "nothing").diagnostic());
    }
    let (mut typed, _) = evidence(object, faults)?;
    add(&mut typed, cited(&method));
    let against = notes.filter(|_| found == Finding::DoesNotHold);
    let player_status = player_status(object, faults)?;
    let discrepancy = object.text(&["discrepancy"])?.filter(|text| !text.trim().is_empty());
    if let (Some(said), Finding::Holds) = (&discrepancy, found) {
        let (at, expected) = (object.path("discrepancy"), "nothing beside a criterion that holds");
        faults.push(Error::new(Code::InconsistentVerdict, at, expected, said).diagnostic());
    }
    // A row with a fault shows nothing for its criterion; if it speaks against the criterion, it still counts.
    let faulty = faults.len() > before && found == Finding::Holds;
    Ok(VerdictRow {
        id: object.text(&["criterion_id", "ac_id"])?,
        text: object.text(&["criterion", "criterion_text", "description"])?,
        player_status,
        finding: if method.is_empty() || faulty { Finding::NotShown } else { found },
        method,
        evidence: typed,
        discrepancy: discrepancy.or(against),
        blocked: object.get("blocked")?.unwrap_or(false),
        at,
    })
}

fn player_status(object: &Object, faults: &mut Vec<Diagnostic>) -> Result<Option<ClaimStatus>> {
    let Some(word) = object.text(&["player_status"])? else { return Ok(None) };
    let known = status(&word);
    if known.is_none() {
        let expected = "verified, partial, blocked or not_started";
        faults.push(unknown(object.path("player_status"), expected, &word));
    }
    Ok(known)
}

/// `coach_verified` and `result` together: they may both be there if they say the same.
fn finding(object: &Object, faults: &mut Vec<Diagnostic>) -> Result<Finding> {
    let flag = object.get::<bool>("coach_verified")?;
    let flag = flag.map(|holds| if holds { Finding::Holds } else { Finding::DoesNotHold });
    let word = object.text(&["result"])?;
    let Some(word) = word else {
        // `null` says that it could not be found out; leaving it out says nothing at all.
        if flag.is_none() && !object.has("coach_verified") {
            let expected = "true, false or null (could not be found out)";
            let at = object.path("coach_verified");
            faults.push(Error::new(Code::MissingField, at, expected, "no such field").diagnostic());
        }
        return Ok(flag.unwrap_or(Finding::NotShown));
    };
    let Some(found) = result(&word) else {
        let expected = "verified, rejected or unverified";
        faults.push(unknown(object.path("result"), expected, &word));
        return Ok(Finding::NotShown);
    };
    if flag.is_some_and(|flag| flag != found) {
        let at = object.path("result");
        let expected = "the same as coach_verified";
        let fault = Error::new(Code::InconsistentVerdict, at, expected, format!("`{word}`"));
        faults.push(fault.diagnostic());
        return Ok(Finding::NotShown);
    }
    Ok(found)
}

fn issues(top: &Object, faults: &mut Vec<Diagnostic>) -> Result<Vec<Issue>> {
    let mut issues = Vec::new();
    for (at, raw) in top.list("issues")? {
        issues.push(match is_text(&raw) {
            // Nobody said that it is harmless.
            true => Issue { severity: None, blocking: true, description: text_of(&raw, &at)? },
            false => issue(&Object::read(&raw, at)?, &raw, faults)?,
        });
    }
    for description in top.words("blocking_issues")? {
        issues.push(Issue { severity: None, blocking: true, description });
    }
    Ok(issues)
}

fn issue(object: &Object, raw: &str, faults: &mut Vec<Diagnostic>) -> Result<Issue> {
    let severity = object.text(&["severity"])?;
    let known = severity.as_deref().and_then(blocks);
    if let (Some(word), None) = (&severity, known) {
        faults.push(unknown(object.path("severity"), "must_fix or should_fix", word));
    }
    let description = object.text(&["description", "message", "text", "summary"])?;
    let description = description.unwrap_or_else(|| raw.to_owned());
    Ok(Issue { severity, blocking: known.unwrap_or(true), description })
}

/// A text, or an object that is kept as its JSON.
fn feedback(top: &Object) -> Result<Option<String>> {
    match top.raw("feedback") {
        Some(raw) if !is_text(raw) => {
            let object = Object::read(raw, "feedback")?;
            let said = object.text(&["summary", "feedback", "description", "message", "text"])?;
            Ok(Some(said.unwrap_or_else(|| raw.to_owned())))
        }
        _ => top.text(&["feedback"]),
    }
}

fn own_tests(top: &Object) -> Result<Finding> {
    let nested = top.object("validation_results")?;
    let flag = |name: &str| -> Result<Option<bool>> {
        let inner = nested.as_ref().map(|object| object.get(name)).transpose()?.flatten();
        Ok(inner.or(top.get(name)?))
    };
    Ok(tests(flag("tests_run")?, flag("tests_passed")?))
}
