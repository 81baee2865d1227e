//! The one role: the agent. Every iteration is a fresh run of it.

use super::report::REPORT;
use crate::mission::role::Cast;
use crate::vocab::role::{Access, Tier};

/// Its name in orders and in the scripted team.
pub const AGENT: &str = "iteration-agent";
/// The roles that only claim: what it says is judged by its completion handler.
pub(super) const CLAIMANTS: [&str; 1] = [AGENT];
/// It does the work.
pub(super) const CAST: Cast =
    Cast { name: AGENT, schema: REPORT, access: Access::Write, tier: Tier::Standard };
