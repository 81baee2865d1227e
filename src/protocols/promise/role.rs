//! The two roles: one claims, the other verifies.

use crate::mission::prelude::*;
use crate::mission::role::Cast;
pub use crate::mission::role::RoleSettings;

words! {
    /// A role of this protocol.
    #[schemars(rename = "PromiseRole")]
    Role {
        Player "promise-player"
            "Does the work, commits it and promises each criterion with its proof.";
        Coach "promise-coach" "Finds out for each promise whether it holds.";
    }
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
}
