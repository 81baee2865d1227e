//! The roles, and the tier of model each wants.

use crate::mission::prelude::*;
use crate::mission::role::Cast;
pub use crate::mission::role::RoleSettings;

words! {
    /// A role of this protocol.
    #[schemars(rename = "GridRole")]
    Role {
        Planner "grid-planner" "Cuts the cluster into plans, and gaps into plans that close them.";
        Executor "grid-executor" "Executes one plan.";
        Recognizer "grid-recognizer" "Verifies a wave, or everything on patrol.";
        Debugger "grid-debugger" "Investigates why a block does not work.";
        RefinementLead "grid-refinement-lead" "Infers who uses the project.";
        VisualInspector "grid-visual-inspector" "Looks at every screen.";
        E2eExerciser "grid-e2e-exerciser" "Clicks everything.";
        PersonaSimulator "grid-persona-simulator" "Uses the project as one of the personas.";
        Learner "grid-learner" "Writes down what the next cluster should know.";
    }
}

/// The roles that only claim: what an executor says is verified by a recognizer.
pub(super) const CLAIMANTS: [&str; 1] = ["grid-executor"];

words! {
    /// How strong models are.
    ModelTier {
        Quality "quality" "The strongest for everybody.";
        Balanced "balanced" "The usual for everybody.";
        Budget "budget" "The usual for those who need to reason, else the cheap one.";
    }
}

impl Role {
    /// How it is ordered where models are this strong. All but the executor leave the tree as it was; what the swarm
    /// makes lies below `.grid/refinement/`, which git does not see.
    pub(super) fn cast(self, strength: ModelTier) -> Cast {
        let access = if self == Role::Executor { Access::Write } else { Access::ReadOnly };
        Cast { name: self.as_str(), schema: self.schema(), access, tier: self.tier(strength) }
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
