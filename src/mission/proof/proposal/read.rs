//! The report of the role that proposes commands.

use crate::mission::proof::consult;
use crate::mission::report;
use crate::vocab::error::{Code, Result, clip, ensure};
use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;

/// The name of the schema that its report must match.
pub const SCHEMA: &str = "report-check-proposer";
/// The longest command, in bytes: the user is shown all of it.
const LONGEST_COMMAND: usize = 500;
/// The longest reason, in bytes.
const LONGEST_REASON: usize = 500;

/// What the role that proposes commands returns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct ProposalReport {
    /// One row for each criterion it was given.
    pub criteria: Vec<ProposedCommand>,
}

/// A command for one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct ProposedCommand {
    /// The name that the criterion was given, such as `WORDS-1`.
    pub criterion: String,
    /// Program and arguments in printable ASCII, at most 500 bytes in all; empty where no command can show it.
    #[serde(default)]
    pub argv: Vec<String>,
    /// Why it holds only once the criterion is met, or why no command can show that; at most 500 bytes.
    pub reason: String,
}

/// Reads a report on the criteria of these names, and names the fields that its form does not know.
///
/// # Errors
/// As the shared reader; `wrong_subject` unless there is one row for each name, `missing_field` for a blank reason, `too_large` for
/// a command or reason that is too long, `invalid_value` for a blank program or a letter beyond printable ASCII.
pub(crate) fn read(
    mission: &str,
    text: &str,
    names: &[String],
) -> Result<(ProposalReport, Vec<String>)> {
    consult::read(mission, text, |report: &ProposalReport| {
        let rows = report.criteria.iter().map(|row| (row.criterion.as_str(), row.reason.as_str()));
        report::one_row_each("criteria", rows, names)?;
        let mut rows = report.criteria.iter();
        rows.try_for_each(|row| row.fits().map_err(|error| error.within(&row.criterion)))
    })
}

impl ProposedCommand {
    fn fits(&self) -> Result<()> {
        let small = |field: &str, most: usize, length: usize| {
            ensure!(length <= most, Code::TooLarge, field, "at most {most} bytes", "{length} bytes")
        };
        small("argv", LONGEST_COMMAND, self.argv.iter().map(|word| word.len() + 1).sum())?;
        small("reason", LONGEST_REASON, self.reason.len())?;
        // The user is shown it, and every letter of it is seen.
        let seen = |word: &String| word.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        let blank = self.argv.first().is_some_and(|program| program.trim().is_empty());
        let expected = "a program and its arguments, as a list of words in printable ASCII";
        let got = || clip(&format!("{:?}", self.argv), 200);
        ensure!(!blank && self.argv.iter().all(seen), Code::InvalidValue, "argv", expected, got())
    }
}
