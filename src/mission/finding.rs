//! The findings of a check of one single file.

use crate::vocab::error::{Diagnostic, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The file does not hold.
    Fault,
    /// Worth saying; the file holds.
    Note,
}

/// Something found in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FileFinding")]
pub struct Finding {
    /// Path from the root of the repository.
    pub path: String,
    /// How much it weighs.
    pub severity: Severity,
    /// What was found; `at` is a JSON path or a line inside the file.
    pub diagnostic: Diagnostic,
}

impl Finding {
    /// A fault in `path`.
    pub fn fault(path: &str, error: &Error) -> Self {
        Finding { path: path.into(), severity: Severity::Fault, diagnostic: error.diagnostic() }
    }

    /// A note on `path`.
    pub fn note(path: &str, diagnostic: Diagnostic) -> Self {
        Finding { path: path.into(), severity: Severity::Note, diagnostic }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Fault => "fault",
            Severity::Note => "note",
        };
        write!(f, "{}: {word}: {}", self.path, self.diagnostic)
    }
}
