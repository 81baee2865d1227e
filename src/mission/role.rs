//! Roles: how one is ordered, and the part of a config about it.

use super::standing::Stands;
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::role::{Access, Limits, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A role as it is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cast {
    /// Its name in orders.
    pub(crate) name: &'static str,
    /// The schema that its report must match.
    pub(crate) schema: &'static str,
    /// What it may do to the tree.
    pub(crate) access: Access,
    /// The model tier it wants unless the config says otherwise.
    pub(crate) tier: Tier,
}

/// Another tier or other limits than the role's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleSettings {
    /// Another model tier.
    pub tier: Option<Tier>,
    /// Other limits.
    pub limits: Option<Limits>,
}

/// The role of that name.
///
/// # Errors
/// `unknown_value` if the protocol has none.
pub(crate) fn known<S: Stands, R>(found: Option<R>, name: &str) -> Result<R> {
    let expected = || format!("a role of the {} protocol", S::PROTOCOL);
    found.ok_or_else(|| Error::new(Code::UnknownValue, "role", expected(), name))
}
