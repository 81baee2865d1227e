//! The startup brief of release 0.1.91: what the user and the peer agreed on before the first slice.

use super::fields::{Extra, Fields, Mode, Reading};
use crate::vocab::error::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where it is.
pub const BRIEF: &str = ".agent/current/startup-brief.json";

/// `startup-brief.json` of release 0.1.91.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Brief {
    /// The mission in one sentence.
    pub mission: String,
    /// The user's words.
    pub goal_text: Option<String>,
    /// What belongs to it.
    pub scope: Vec<String>,
    /// What must not happen.
    pub constraints: Vec<String>,
    /// When it is done.
    pub acceptance: Vec<String>,
    /// What may go wrong.
    pub risks: Vec<String>,
    /// Anything else.
    pub notes: Vec<String>,
    /// All other fields.
    pub extra: Vec<Extra>,
}

const BRIEF_FIELDS: [&str; 8] = [
    "schema_version",
    "mission",
    "goal_text",
    "scope",
    "constraints",
    "acceptance",
    "risks",
    "notes",
];
const PEER_BRIEF: [&str; 11] = [
    "artifact_type",
    "source",
    "confirmed",
    "confirmed_at",
    "first_slice_goal_hint",
    "first_slice_non_goals_hint",
    "implementation_surfaces_hint",
    "verification_commands_hint",
    "why_this_slice_first_hint",
    "task_type",
    "evaluation_profile",
];

/// Reads `startup-brief.json`. Only the mission is required.
///
/// # Errors
/// Kind `malformed`.
pub fn read_brief(text: &str, mode: Mode) -> Result<Reading<Brief>> {
    let mut fields = Fields::file(text, mode)?;
    let list = |fields: &Fields, name: &str| match fields.present(name) {
        true => fields.texts(name),
        false => Ok(Vec::new()),
    };
    let goal = fields.present("goal_text").then(|| fields.field("goal_text")).transpose()?;
    let brief = Brief {
        mission: fields.said("mission")?,
        goal_text: goal,
        scope: list(&fields, "scope")?,
        constraints: list(&fields, "constraints")?,
        acceptance: list(&fields, "acceptance")?,
        risks: list(&fields, "risks")?,
        notes: list(&fields, "notes")?,
        extra: fields.extras(&BRIEF_FIELDS, &PEER_BRIEF)?,
    };
    Ok(fields.reading(brief))
}
