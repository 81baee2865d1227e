//! The two roles: one claims, the other verifies.

pub use crate::mission::role::RoleSettings;
use crate::vocab::role::{Access, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A role of this protocol.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[schemars(rename = "PromiseRole")]
pub enum Role {
    /// Does the work, commits it and promises each criterion with its proof.
    #[serde(rename = "promise-player")]
    Player,
    /// Finds out for each promise whether it holds.
    #[serde(rename = "promise-coach")]
    Coach,
}

/// The roles that only claim.
pub(super) const CLAIMANTS: [&str; 1] = ["promise-player"];

impl Role {
    /// The name in orders and schemas.
    pub fn name(self) -> &'static str {
        match self {
            Role::Player => "promise-player",
            Role::Coach => "promise-coach",
        }
    }

    /// The role of this name.
    pub fn of(name: &str) -> Option<Role> {
        [Role::Player, Role::Coach].into_iter().find(|role| role.name() == name)
    }

    /// The name of the schema its report must match.
    pub fn schema(self) -> &'static str {
        match self {
            Role::Player => "report-promise-player",
            Role::Coach => "report-promise-coach",
        }
    }

    /// What it may do to the tree.
    pub fn access(self) -> Access {
        match self {
            Role::Player => Access::Write,
            Role::Coach => Access::ReadOnly,
        }
    }

    /// The model tier it wants unless the config says otherwise.
    pub fn tier(self) -> Tier {
        Tier::Standard
    }
}
