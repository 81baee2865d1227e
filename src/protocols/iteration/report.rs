//! The report of the agent, and the answer of host code.
//!
//! The agent's report is its whole text, without a header: what a handler looks for in it (a word, a
//! line, a block) is the handler's matter. Host code is asked with a [`ConsultInput`] and answers with a
//! [`ConsultAnswer`].

pub use super::handler::custom::{ConsultAnswer, ConsultInput};
use super::role::AGENT;
use crate::mission::prelude::*;
use crate::vocab::json::MOST_BYTES;

/// The name of the report's schema.
pub const REPORT: &str = "report-agent";

/// The whole text of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "IterationReport")]
pub struct Report(pub String);

/// The schemas of reports and of consults, by name.
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    vec![
        (REPORT, schemars::schema_for!(Report)),
        ("consult-input", schemars::schema_for!(ConsultInput)),
        ("consult-answer", schemars::schema_for!(ConsultAnswer)),
    ]
}

/// Whether a report would be readable: every text is, unless it is too long.
///
/// # Errors
/// `unknown_value` for another role, `too_large`.
pub(super) fn check(role: &str, text: &str) -> Result<Vec<String>> {
    ensure!(role == AGENT, Code::UnknownValue, "role", AGENT, role)?;
    if text.len() > MOST_BYTES {
        let (expected, got) =
            (format!("at most {MOST_BYTES} bytes"), format!("{} bytes", text.len()));
        return Err(Error::new(Code::TooLarge, "report", expected, got));
    }
    let note = "the report is empty: it shows nothing and counts as a failed run".to_owned();
    Ok(text.trim().is_empty().then_some(note).into_iter().collect())
}
