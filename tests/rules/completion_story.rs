//! Completion told as stories against a world in memory.

use crate::common::*;
use endstate::Continuation;

#[test]
fn a_mission_of_two_slices_comes_to_its_verified_end() {
    let mut story = Story::started();
    story.plan(&["S1", "S2"]);
    story.implement("S1");
    story.verify("S1");
    story.reconcile("S1", Some("S2"));
    story.implement("S2");
    story.verify("S2");
    story.reconcile("S2", None);
    story.judge_all();
    story.finish();
    assert_eq!(story.engine.continuation(), Continuation::Done);
    assert!(story.engine.pending().is_empty());
    let state = story.file("state.json");
    assert_eq!(state["current_phase"], "done");
    assert_eq!(state["project_done"], true);
    let lines = story.world.files[".agent/slice-history.jsonl"].lines().count();
    assert_eq!(lines, 8);
    assert_eq!(story.world.files[".agent/stop-check-history.jsonl"].lines().count(), 3);
}

#[test]
fn a_write_that_meets_foreign_content_for_ever_ends_in_a_question() {
    use endstate::vocab::error::{Code, Error};
    use endstate::vocab::event::{EffectFailed, Fact};
    let mut story = Story::started();
    story.plan(&["S1"]);
    story.command(endstate::vocab::command::Command::Pause);
    for _ in 0..20 {
        let pending = story.engine.pending();
        let write = pending.iter().find(|one| one.effect.order.name() == "write_file");
        let Some(write) = write else { break };
        let effect = write.effect.id;
        let problem = Error::new(Code::ForeignWrite, "file", "known", "other").diagnostic();
        story.fact(Fact::EffectFailed(EffectFailed { effect, problem }));
        let look =
            story.engine.pending().into_iter().find(|one| one.effect.order.name() == "observe");
        if let Some(fact) = look.and_then(|one| story.world.perform(&story.engine, &one)) {
            story.fact(fact);
        }
    }
    assert_eq!(story.core("/asking/0/about"), "effect_failed");
    assert_eq!(story.core("/files/foreign_in_a_row"), 3);
}
