//! The roles, and the tier of model each wants.

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

    /// The name in orders and schemas.
    pub fn name(self) -> &'static str {
        match self {
            Role::Planner => "grid-planner",
            Role::Executor => "grid-executor",
            Role::Recognizer => "grid-recognizer",
            Role::Debugger => "grid-debugger",
            Role::RefinementLead => "grid-refinement-lead",
            Role::VisualInspector => "grid-visual-inspector",
            Role::E2eExerciser => "grid-e2e-exerciser",
            Role::PersonaSimulator => "grid-persona-simulator",
            Role::Learner => "grid-learner",
        }
    }

    /// The role of this name.
    pub fn of(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }

    /// The name of the schema its report must match.
    pub fn schema(self) -> &'static str {
        match self {
            Role::Planner => "report-grid-planner",
            Role::Executor => "report-grid-executor",
            Role::Recognizer => "report-grid-recognizer",
            Role::Debugger => "report-grid-debugger",
            Role::RefinementLead => "report-grid-refinement-lead",
            Role::VisualInspector | Role::E2eExerciser | Role::PersonaSimulator => {
                "report-grid-refinement"
            }
            Role::Learner => "report-grid-learner",
        }
    }

    /// What it may do to the tree. All but the executor leave it as it was; what the swarm makes lies
    /// below `.grid/refinement/`, which git does not see.
    pub fn access(self) -> Access {
        match self {
            Role::Executor => Access::Write,
            Role::Planner
            | Role::Recognizer
            | Role::Debugger
            | Role::RefinementLead
            | Role::VisualInspector
            | Role::E2eExerciser
            | Role::PersonaSimulator
            | Role::Learner => Access::ReadOnly,
        }
    }

    /// Whether it is one of the swarm.
    pub fn swarms(self) -> bool {
        matches!(self, Role::VisualInspector | Role::E2eExerciser | Role::PersonaSimulator)
    }

    /// The model tier it wants.
    pub fn tier(self, tier: ModelTier) -> Tier {
        let reasons = matches!(self, Role::Planner | Role::Executor | Role::PersonaSimulator);
        match (tier, reasons) {
            (ModelTier::Quality, _) => Tier::Large,
            (ModelTier::Balanced, _) | (ModelTier::Budget, true) => Tier::Standard,
            (ModelTier::Budget, false) => Tier::Small,
        }
    }
}
