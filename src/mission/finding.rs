//! The findings of a check of one single file.

use crate::vocab::error::{Diagnostic, Error};
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::word::words;
use schemars::JsonSchema;
use std::fmt;

words! {
    /// How much a finding weighs.
    Severity {
        Fault "fault" "The file does not hold.";
        Note "note" "Worth saying; the file holds.";
    }
}

/// Something found in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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
        write!(f, "{}: {}: {}", self.path, self.severity, self.diagnostic)
    }
}
