//! The named facts the rules are made of, and the events that set them.

use super::queries::Due;
use super::state::State;
use crate::mission::Head;
use crate::mission::{standing, table};
use crate::view::{ClosedBy, End};

table::facts! {
    #[schemars(rename = "GridFactName")]
    State;

    /// What earlier clusters learned was not read yet.
    MemoryUnread "memory_unread": due(Due::Memory), progress;
    /// There is no plan yet.
    PlanMissing "plan_missing": due(Due::Plan), progress;
    /// A block's failure is to be investigated.
    DebugDue "debug_due": due(Due::Debug), progress;
    /// Blocks of the wave may be executed.
    BlocksReady "blocks_ready": due(Due::Execute), progress;
    /// Artifacts are to be looked at.
    ArtifactsUnseen "artifacts_unseen": due(Due::Look), progress;
    /// The wave is executed and not verified.
    VerificationDue "verification_due": due(Due::Verify), progress;
    /// Gaps are to be closed.
    GapsOpen "gaps_open":
        due(Due::Gaps),
        |state, _| format!("{} gaps, round {}", state.core.gaps.len(), state.core.gap_rounds);
    /// Everything is closed and was not shown at this head.
    PatrolDue "patrol_due": due(Due::Patrol), progress;
    /// Somebody must say who uses the project.
    LeadDue "lead_due": due(Due::Lead), progress;
    /// The swarm is to look.
    SwarmDue "swarm_due": due(Due::Swarm), progress;
    /// What was learned is to be written down.
    CaptureDue "capture_due": due(Due::Capture), progress;
}

fn due(due: Due) -> impl Fn(&State, &Head) -> bool {
    move |state, _| state.due() == due
}

fn progress(state: &State, _: &Head) -> String {
    let (wave, waves) = (state.wave_number(), state.core.waves.len());
    format!("wave {wave} of {waves}; due is {:?}", state.due())
}

impl standing::Stands for State {
    const PROTOCOL: &'static str = "grid";

    fn missing(&self) -> String {
        "not every must-have is shown".to_owned()
    }

    /// Verified, but where nobody judged a block: what is left there is its executor's word.
    fn end(&self) -> Option<End> {
        let done = self.core.life.done.as_ref()?;
        let end = End::verified(&done.waived, &done.deferred);
        let judged = self.blocks.iter().all(|block| block.unjudged().is_none());
        let closed_by = if judged { end.closed_by } else { ClosedBy::Claimed };
        Some(End { closed_by, ..end })
    }
}
