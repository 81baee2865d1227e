//! The two roles: one claims, the other verifies.

use crate::mission::role::Cast;
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
    /// How it is ordered.
    pub(super) fn cast(self) -> Cast {
        let (name, schema, access) = match self {
            Role::Player => ("promise-player", "report-promise-player", Access::Write),
            Role::Coach => ("promise-coach", "report-promise-coach", Access::ReadOnly),
        };
        Cast { name, schema, access, tier: Tier::Standard }
    }

    /// The name in orders and schemas.
    pub fn name(self) -> &'static str {
        self.cast().name
    }

    /// The role of this name.
    pub fn of(name: &str) -> Option<Role> {
        [Role::Player, Role::Coach].into_iter().find(|role| role.name() == name)
    }
}
