//! What a test runner reported, test by test.

use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;
use std::collections::BTreeSet;

/// How a test runner says what became of each test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestFormat {
    /// A file of JUnit's XML. Its path stands in for [`TestFormat::PLACE`] in the command.
    Junit,
    /// The lines that cargo prints.
    Libtest,
    /// The lines of `go test -v`.
    Go,
}

impl TestFormat {
    /// Stands in a command for the path of the file that its runner is to write.
    pub const PLACE: &str = "{tests}";
}

/// What became of each test, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestReport {
    /// Those that passed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub passed: BTreeSet<String>,
    /// Those that failed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub failed: BTreeSet<String>,
    /// Those that were skipped, or expected to fail.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub skipped: BTreeSet<String>,
    /// Those that did not begin, since what makes them ready failed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unready: BTreeSet<String>,
    /// Files and packages that could not be loaded, or that do not compile.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unloaded: BTreeSet<String>,
}
