//! The six roles: what each may do and how strong a model it wants.

pub use super::files::words::RoleName as Role;
use crate::mission::role::Cast;
pub use crate::mission::role::RoleSettings;
use crate::vocab::role::{Access, Tier};

/// The roles that only claim. The bootstrapper does not give verdicts either, but it names the commands
/// by which the end is verified.
pub(super) const CLAIMANTS: [&str; 1] = ["completion-implementer"];

impl Role {
    /// How it is ordered.
    pub(super) fn cast(self) -> Cast {
        let (schema, access, tier) = match self {
            Role::Bootstrapper => ("report-bootstrapper", Access::ReadOnly, Tier::Small),
            Role::Regrounder => ("report-regrounder", Access::ReadOnly, Tier::Large),
            Role::Implementer => ("report-implementer", Access::Write, Tier::Standard),
            Role::Reviewer => ("report-reviewer", Access::ReadOnly, Tier::Standard),
            Role::Auditor => ("report-auditor", Access::ReadOnly, Tier::Standard),
            Role::StopJudge => ("report-stop-judge", Access::ReadOnly, Tier::Large),
        };
        Cast { name: self.as_str(), schema, access, tier }
    }
}
