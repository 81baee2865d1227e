//! The roles, and the tier of model each wants.

use crate::mission::role::Cast;
pub use crate::mission::role::RoleSettings;
use crate::vocab::role::{Access, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A role of this protocol.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[schemars(rename = "GridRole")]
pub enum Role {
    /// Cuts the cluster into plans, and gaps into plans that close them.
    #[serde(rename = "grid-planner")]
    Planner,
    /// Executes one plan.
    #[serde(rename = "grid-executor")]
    Executor,
    /// Verifies a wave, or everything on patrol.
    #[serde(rename = "grid-recognizer")]
    Recognizer,
    /// Investigates why a block does not work.
    #[serde(rename = "grid-debugger")]
    Debugger,
    /// Infers who uses the project.
    #[serde(rename = "grid-refinement-lead")]
    RefinementLead,
    /// Looks at every screen.
    #[serde(rename = "grid-visual-inspector")]
    VisualInspector,
    /// Clicks everything.
    #[serde(rename = "grid-e2e-exerciser")]
    E2eExerciser,
    /// Uses the project as one of the personas.
    #[serde(rename = "grid-persona-simulator")]
    PersonaSimulator,
    /// Writes down what the next cluster should know.
    #[serde(rename = "grid-learner")]
    Learner,
}

/// The roles that only claim: what an executor says is verified by a recognizer.
pub(super) const CLAIMANTS: [&str; 1] = ["grid-executor"];

/// How strong models are.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ModelTier {
    /// The strongest for everybody.
    #[default]
    Quality,
    /// The usual for everybody.
    Balanced,
    /// The usual for those who need to reason, else the cheap one.
    Budget,
}

impl Role {
    /// Every role; those of one report beside each other.
    pub const ALL: [Role; 9] = [
        Role::Planner,
        Role::Executor,
        Role::Recognizer,
        Role::Debugger,
        Role::RefinementLead,
        Role::VisualInspector,
        Role::E2eExerciser,
        Role::PersonaSimulator,
        Role::Learner,
    ];

    /// How it is ordered where models are this strong. All but the executor leave the tree as it was; what the swarm
    /// makes lies below `.grid/refinement/`, which git does not see.
    pub(super) fn cast(self, strength: ModelTier) -> Cast {
        let (name, schema) = match self {
            Role::Planner => ("grid-planner", "report-grid-planner"),
            Role::Executor => ("grid-executor", "report-grid-executor"),
            Role::Recognizer => ("grid-recognizer", "report-grid-recognizer"),
            Role::Debugger => ("grid-debugger", "report-grid-debugger"),
            Role::RefinementLead => ("grid-refinement-lead", "report-grid-refinement-lead"),
            Role::VisualInspector => ("grid-visual-inspector", "report-grid-refinement"),
            Role::E2eExerciser => ("grid-e2e-exerciser", "report-grid-refinement"),
            Role::PersonaSimulator => ("grid-persona-simulator", "report-grid-refinement"),
            Role::Learner => ("grid-learner", "report-grid-learner"),
        };
        let access = if self == Role::Executor { Access::Write } else { Access::ReadOnly };
        Cast { name, schema, access, tier: self.tier(strength) }
    }

    /// The name in orders and schemas.
    pub fn name(self) -> &'static str {
        self.cast(ModelTier::default()).name
    }

    /// The name of the schema its report must match.
    pub fn schema(self) -> &'static str {
        self.cast(ModelTier::default()).schema
    }

    /// The role of this name.
    pub fn of(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Whether it is one of the swarm.
    pub fn swarms(self) -> bool {
        matches!(self, Role::VisualInspector | Role::E2eExerciser | Role::PersonaSimulator)
    }

    fn tier(self, tier: ModelTier) -> Tier {
        let reasons = matches!(self, Role::Planner | Role::Executor | Role::PersonaSimulator);
        match (tier, reasons) {
            (ModelTier::Quality, _) => Tier::Large,
            (ModelTier::Balanced, _) | (ModelTier::Budget, true) => Tier::Standard,
            (ModelTier::Budget, false) => Tier::Small,
        }
    }
}
