//! The startup brief of release 0.1.91: what the user and the peer agreed on before the first slice.

use super::fields::Extra;
use super::form::{Form, OnDisk};
use super::kind::Kind;
use crate::mission::prelude::*;

/// Where it is.
pub const BRIEF: &str = ".agent/current/startup-brief.json";

/// `startup-brief.json` of release 0.1.91.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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

impl OnDisk for Brief {
    /// Only the mission is required.
    const FORM: Form = Form {
        seed: &[
            ("schema_version", Kind::Version),
            ("mission", Kind::Said),
            ("goal_text", Kind::Optional(&Kind::Text)),
            ("scope", Kind::Optional(&Kind::Texts)),
            ("constraints", Kind::Optional(&Kind::Texts)),
            ("acceptance", Kind::Optional(&Kind::Texts)),
            ("risks", Kind::Optional(&Kind::Texts)),
            ("notes", Kind::Optional(&Kind::Texts)),
        ],
        peer: &[
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
        ],
    };
}
