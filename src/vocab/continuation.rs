//! Whether and why a mission goes on.

use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;

/// Whether and why the mission goes on; the same five words for all protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Continuation {
    /// It goes on by itself.
    Continue,
    /// It waits for an answer of the user.
    AwaitUserInput,
    /// It cannot go on until something outside it is mended.
    Blocked,
    /// The user has paused or stopped it, or not started it.
    Paused,
    /// It has come to its verified end.
    Done,
}
