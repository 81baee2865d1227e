//! The six roles: what each may do and how strong a model it wants.

pub use super::files::words::RoleName as Role;
use super::files::words::Word;
use super::report::schema_name;
use crate::mission::role::Cast;
pub use crate::mission::role::RoleSettings;
use crate::vocab::role::{Access, Tier};

/// The roles that only claim. The bootstrapper does not give verdicts either, but it names the commands
/// by which the end is verified.
pub(super) const CLAIMANTS: [&str; 1] = ["completion-implementer"];

impl Role {
    /// The name in files, reports and schemas.
    pub fn name(self) -> &'static str {
        self.as_str()
    }

    /// How it is ordered.
    pub(super) fn cast(self) -> Cast {
        let (access, tier) = (self.access(), self.tier());
        Cast { name: self.name(), schema: schema_name(self), access, tier }
    }

    /// The role of this name.
    pub fn of(name: &str) -> Option<Role> {
        Role::parse(name)
    }

    /// What it may do to the tree.
    pub fn access(self) -> Access {
        match self {
            Role::Implementer => Access::Write,
            Role::Bootstrapper
            | Role::Regrounder
            | Role::Reviewer
            | Role::Auditor
            | Role::StopJudge => Access::ReadOnly,
        }
    }

    /// The model tier it wants unless the config says otherwise.
    pub fn tier(self) -> Tier {
        match self {
            Role::Bootstrapper => Tier::Small,
            Role::Implementer | Role::Reviewer | Role::Auditor => Tier::Standard,
            Role::Regrounder | Role::StopJudge => Tier::Large,
        }
    }
}
