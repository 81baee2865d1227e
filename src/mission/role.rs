//! Roles: how one is ordered, and the part of a config about it.

use super::standing::Stands;
use super::template::{self, Marks, fields};
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::role::{Access, Limits, Tier};
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// The longest text of a repository for a role, in bytes.
const MOST_PROMPT_BYTES: usize = 65_536;

/// How a text of a repository names what the engine says.
const MARKS: Marks = Marks { open: "{{", close: "}}", also: "_", sections: false };

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

/// Another tier, other limits or another text than the role's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleSettings {
    /// Another model tier.
    pub tier: Option<Tier>,
    /// Other limits.
    pub limits: Option<Limits>,
    /// What the repository tells the role, at most 65,536 bytes. `{{prompt}}` in it is the engine's own text, `{{report}}`
    /// how to report. A text with neither stands between the two; one with `{{report}}` alone is in the place of the
    /// engine's; how to report is told in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

impl RoleSettings {
    /// Looks at the text of the repository.
    ///
    /// # Errors
    /// `too_large`; `unresolved_variable` for a name that stands for nothing.
    pub(crate) fn check(&self, role: &str) -> Result<()> {
        let text = self.prompt.as_deref().unwrap_or_default();
        let at = || format!("roles.{role}.prompt");
        if text.len() > MOST_PROMPT_BYTES {
            let expected = format!("at most {MOST_PROMPT_BYTES} bytes");
            return Err(Error::new(
                Code::TooLarge,
                at(),
                expected,
                format!("{} bytes", text.len()),
            ));
        }
        match template::names(text, &MARKS)
            .into_iter()
            .find(|name| !["prompt", "report"].contains(name))
        {
            None => Ok(()),
            Some(name) => {
                let expected = "{{prompt}} or {{report}}";
                let got = format!("{{{{{name}}}}}");
                Err(Error::new(Code::UnresolvedVariable, at(), expected, got))
            }
        }
    }
}

/// Looks at the settings of roles.
///
/// # Errors
/// See [`RoleSettings::prompt`].
pub(crate) fn check<R>(roles: &BTreeMap<R, RoleSettings>, name: fn(R) -> &'static str) -> Result<()>
where
    R: Copy,
{
    roles.iter().try_for_each(|(role, settings)| settings.check(name(*role)))
}

/// What a role is told: the engine's own text, the repository's, and how to report.
pub(crate) fn compose(settings: Option<&RoleSettings>, own: String, report: &str) -> String {
    let Some(text) = settings.and_then(|settings| settings.prompt.as_deref()) else {
        return own + report;
    };
    let names = template::names(text, &MARKS);
    let first = if names.is_empty() { "{{prompt}}\n\n" } else { "" };
    let last = if names.contains(&"report") { "" } else { "\n\n{{report}}" };
    let told = fields! { prompt: own.trim(), report: report.trim() };
    template::fill_marked(&format!("{first}{}{last}", text.trim()), &MARKS, &told)
        .trim_end()
        .to_owned()
        + "\n"
}

/// A config, as far as it is about roles.
pub(crate) trait Roles {
    /// The settings of the role of this name, if they can be set.
    fn settings(&mut self, _role: &str) -> Option<&mut RoleSettings> {
        None
    }
}

/// The role of that name.
///
/// # Errors
/// `unknown_value` if the protocol has none.
pub(crate) fn known<S: Stands, R>(found: Option<R>, name: &str) -> Result<R> {
    let expected = || format!("a role of the {} protocol", S::PROTOCOL);
    found.ok_or_else(|| Error::new(Code::UnknownValue, "role", expected(), name))
}
