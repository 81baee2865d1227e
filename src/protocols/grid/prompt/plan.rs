//! What planners are told: the mission, or the gaps that are left.

use super::super::handed;
use super::super::state::State;
use super::{data, must_haves, told};
use std::fmt::Write;

pub(super) fn planner(state: &State, text: &mut String) {
    text.push_str(
        "\n## What to do\n\nCut the mission into plans, each small enough for one executor. Say for each what it \
         waits for, which files it changes, and what must hold when it is done: truths, artifacts (files that \
         are there, real and in use) and key links between them. Plans that wait for nobody run side by side, so \
         let them share no file. Set `autonomous: false` where a person must act. `verify: false` needs a \
         `verify_reason`. Change nothing in the tree: the engine writes the plans to disk.\n",
    );
    if let Some(learnings) = state.core.learnings.as_deref().filter(|text| !text.trim().is_empty())
    {
        text.push_str(&data("What earlier clusters learned", learnings, usize::MAX));
    }
}

pub(super) fn gaps(state: &State, text: &mut String) {
    text.push_str(
        "\n## What to do\n\nSomething is not as it must be. Plan how these gaps are closed: each plan a new id, \
         `closes` naming the gaps, and must-haves of its own only where the gaps do not say it already. Change \
         nothing in the tree.\n\n## Gaps\n\n",
    );
    for gap in &state.core.gaps {
        let _ = writeln!(text, "- {}: {}", gap.name(), gap.reason);
    }
    for block in state.judged() {
        let _ = writeln!(text, "\nBlock {}: {}", block.id, block.plan.objective);
        must_haves(block, text);
    }
    let asked: Vec<String> = handed::now(state).into_iter().chain(handed::before(state)).collect();
    told::asked(&asked, "Plan with what of it concerns the gaps.", text);
    told::of_mended(state.judged().into_iter(), text);
}
