//! The two roles: one does a sprint, the other judges what no command can.

use crate::mission::prelude::*;
use crate::mission::role::Cast;
pub use crate::mission::role::RoleSettings;

words! {
    /// A role of this protocol.
    #[schemars(rename = "SprintRole")]
    Role {
        Agent "sprint-agent" "Does one sprint of one work unit.";
        Verifier "sprint-verifier"
            "Judges the criteria of one sprint that no command shows. Never the run that did it.";
    }
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
}
