//! The two roles: one does a sprint, the other judges what no command can.

use crate::mission::role::Cast;
pub use crate::mission::role::RoleSettings;
use crate::vocab::role::{Access, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A role of this protocol.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[schemars(rename = "SprintRole")]
pub enum Role {
    /// Does one sprint of one work unit.
    #[serde(rename = "sprint-agent")]
    Agent,
    /// Judges the criteria of one sprint that no command shows. Never the run that did it.
    #[serde(rename = "sprint-verifier")]
    Verifier,
}

/// The roles that only claim.
pub const CLAIMANTS: [&str; 1] = ["sprint-agent"];

impl Role {
    /// How it is ordered.
    pub(super) fn cast(self) -> Cast {
        let (name, schema, access) = match self {
            Role::Agent => ("sprint-agent", super::report::AGENT, Access::Write),
            Role::Verifier => ("sprint-verifier", super::report::VERIFIER, Access::ReadOnly),
        };
        Cast { name, schema, access, tier: Tier::Standard }
    }

    /// The name in orders and schemas.
    pub fn name(self) -> &'static str {
        self.cast().name
    }

    /// The role of this name.
    pub fn of(name: &str) -> Option<Role> {
        [Role::Agent, Role::Verifier].into_iter().find(|role| role.name() == name)
    }
}
