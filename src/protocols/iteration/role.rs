//! The one role: the agent. Every iteration is a fresh run of it.

use crate::vocab::role::{Access, Tier};

/// Its name in orders and in the scripted team.
pub const AGENT: &str = "iteration-agent";
/// It does the work.
pub(super) const ACCESS: Access = Access::Write;
/// The model tier it wants unless the config says otherwise.
pub(super) const TIER: Tier = Tier::Standard;
