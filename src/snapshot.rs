//! The snapshot: everything an engine knows, as one value.
//!
//! The envelope is the same for all protocols: sequence number, time, control, budget and outbox.
//! Inside it is the state of one protocol. Whatever grows with the plan sits in tables with an undo
//! log; the rest is small.

pub use crate::mission::head::{Continuation, Control, Head};
pub use crate::mission::head_guard::{Followed, Strayed};
pub use crate::mission::unreported::{Left, Unreported};
use crate::protocols::Mission;
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;

/// The format of snapshots and journals.
pub const FORMAT: u32 = 1;
/// The version of the rules: it changes whenever the same events could be decided otherwise.
pub const RULES: u32 = 4;

/// A mission at rest between two events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// [`FORMAT`].
    pub format: u32,
    /// The rules that its journal is held to: [`RULES`], or older ones until it is upgraded.
    pub rules: u32,
    /// What all protocols share.
    pub head: Head,
    /// The protocol and its state.
    pub mission: Mission,
}

impl Snapshot {
    /// Whether and why the mission goes on.
    pub fn continuation(&self) -> Continuation {
        self.mission.protocol().continuation(&self.head)
    }

    /// Reads a snapshot and checks it whole. One of older rules is taken over.
    ///
    /// # Errors
    /// `malformed` if it cannot be read, `unknown_format` or `other_rules` if a newer engine wrote
    /// it, `broken` if it breaks a rule.
    pub fn read(text: &str) -> Result<Snapshot> {
        crate::vocab::json::decode::<Snapshot>(text)?.checked()
    }

    /// The same, if it breaks no rule.
    pub(crate) fn checked(mut self) -> Result<Snapshot> {
        if self.format != FORMAT {
            let got = self.format.to_string();
            return Err(Error::new(Code::UnknownFormat, "format", FORMAT.to_string(), got));
        }
        if self.rules > RULES {
            let got = self.rules.to_string();
            return Err(Error::new(Code::OtherRules, "rules", RULES.to_string(), got));
        }
        if self.rules < RULES {
            // What older rules did not know follows from the rest.
            let protocol = self.mission.protocol_mut();
            protocol.settle(&self.head);
            protocol.commit();
        }
        self.mission.protocol().check(&self.head, true)?;
        Ok(self)
    }
}
