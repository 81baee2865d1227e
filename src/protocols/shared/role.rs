//! What a config may say about a role.

use crate::vocab::role::{Limits, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Another tier or other limits than the role's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleSettings {
    /// Another model tier.
    pub tier: Option<Tier>,
    /// Other limits.
    pub limits: Option<Limits>,
}
