//! The report of the role that judges changed checks.

use crate::mission::proof::consult;
use crate::mission::report;
use crate::vocab::error::Result;
use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;

/// The name of the schema that its report must match.
pub const SCHEMA: &str = "report-check-judge";

/// What the role that judges changed checks returns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct CheckReport {
    /// One row for each command it was given.
    pub checks: Vec<CheckVerdict>,
}

/// What it found of one command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct CheckVerdict {
    /// The name that the command was given, such as `CHECK-1`.
    pub check: String,
    /// What was found.
    pub finding: CheckFinding,
    /// What the change is for, and what the command still shows.
    pub reason: String,
}

/// What is found of the change of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckFinding {
    /// The mission asks for it, and the command shows as much as before.
    Sound,
    /// The command shows less than before, or nobody can say.
    Weakened,
}

/// Reads a report on the commands of these names, and names the fields that its form does not know.
///
/// # Errors
/// As the shared reader; `wrong_subject` unless there is one row for each name, `missing_field` for a blank reason.
pub(crate) fn read(
    mission: &str,
    text: &str,
    names: &[String],
) -> Result<(CheckReport, Vec<String>)> {
    consult::read(mission, text, |report: &CheckReport| {
        let rows = report.checks.iter().map(|row| (row.check.as_str(), row.reason.as_str()));
        report::one_row_each("checks", rows, names)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::error::Code;

    #[test]
    fn each_command_has_one_row_with_a_reason() {
        let names = ["CHECK-1", "CHECK-2"].map(str::to_owned);
        let row = |check: &str, reason: &str| {
            format!(r#"{{"check": "{check}", "finding": "sound", "reason": "{reason}"}}"#)
        };
        let said = |rows: &[String]| {
            let object = format!(r#"{{"checks": [{}]}}"#, rows.join(", "));
            let read =
                read("The answer is 42", &report::written("The answer is 42", &object), &names);
            read.map_err(|error| error.code).map(|(report, _)| report.checks.len())
        };
        let (one, two) = (row("CHECK-1", "asked for"), row("CHECK-2", "asked for"));
        assert_eq!(said(&[two.clone(), one.clone()]), Ok(2));
        assert_eq!(said(std::slice::from_ref(&one)), Err(Code::WrongSubject));
        assert_eq!(said(&[one.clone(), one.clone()]), Err(Code::WrongSubject));
        assert_eq!(said(&[one.clone(), row("CHECK-3", "x")]), Err(Code::WrongSubject));
        assert_eq!(said(&[one, row("CHECK-2", " ")]), Err(Code::MissingField));
        let other = two.replace("sound", "fine");
        assert_eq!(said(&[other]), Err(Code::UnknownValue));
    }
}
