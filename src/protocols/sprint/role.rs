//! The two roles: one does a sprint, the other judges what no command can.

pub use crate::mission::role::RoleSettings;
use crate::vocab::role::Access;
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
    /// The name in orders and schemas.
    pub fn name(self) -> &'static str {
        match self {
            Role::Agent => "sprint-agent",
            Role::Verifier => "sprint-verifier",
        }
    }

    /// The role of this name.
    pub fn of(name: &str) -> Option<Role> {
        [Role::Agent, Role::Verifier].into_iter().find(|role| role.name() == name)
    }

    /// The name of the schema its report must match.
    pub fn schema(self) -> &'static str {
        match self {
            Role::Agent => super::report::AGENT,
            Role::Verifier => super::report::VERIFIER,
        }
    }

    /// What it may do to the tree.
    pub fn access(self) -> Access {
        match self {
            Role::Agent => Access::Write,
            Role::Verifier => Access::ReadOnly,
        }
    }
}
