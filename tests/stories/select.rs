//! Grounding the plan and selecting one slice.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "plan-and-exact-handoff",
        "Rules 2 to 4: the regrounder plans and selects; active-slice.json carries the exact hand-off",
        handoff,
    ),
    tale(
        "slice-without-criteria-is-refused",
        "A slice without acceptance criteria is never taken into the plan",
        no_criteria,
    ),
    tale("slice-named-twice-is-refused", "One id for two slices is refused", twice),
    tale(
        "criterion-labels-are-unique",
        "Two criteria under one label cannot be told apart and are refused",
        labels,
    ),
    tale(
        "rank-outside-one-to-eight-is-refused",
        "A priority outside the eight classes of completion-default is refused",
        rank,
    ),
    tale(
        "slices-in-a-circle-are-refused",
        "Slices that wait for each other in a circle are refused",
        circle,
    ),
    tale(
        "blocked-slice-cannot-be-selected",
        "A slice that waits for an open one is not selected before it",
        blocked,
    ),
    tale(
        "open-work-must-be-selected",
        "Rule 3: a re-ground that leaves open work without a selected slice is refused",
        nothing_selected,
    ),
    tale("unknown-slice-cannot-be-selected", "Only a slice of the plan can be selected", unknown),
    tale(
        "locked-criterion-is-not-reworded",
        "A locked criterion may not be worded anew, dropped, or its contract id be lost",
        locked,
    ),
    tale(
        "dirty-tree-at-the-start-is-a-question",
        "A dirty worktree before the first slice is a manual step for the user",
        dirty_start,
    ),
];

fn handoff() -> Story {
    let mut story = Story::going();
    assert_eq!(story.rule(), "reground_distrusted_state");
    story.plan(&["S1", "S2"]);
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("implement_slice", "implementer"));
    let active = story.file("active-slice.json");
    assert_eq!(active["status"], "selected");
    assert_eq!(active["basis_commit"], story.head());
    assert_eq!(active["acceptance_criteria"], json!(["S1 works", "S1 is tested"]));
    assert_eq!(active["remaining_contract_ids_before"], json!(["C-1"]));
    let plan = story.file("plan.json");
    assert_eq!(plan["candidate_slices"][0]["status"], "selected");
    assert_eq!(plan["candidate_slices"][1]["status"], "planned");
    story
}

/// A first re-ground that must be refused with a code.
fn refused_plan(block: Value, code: &str) -> Story {
    let mut story = Story::going();
    story.run("regrounder", block);
    assert_eq!(story.problem(), code);
    assert_eq!(story.core("/counts/refused_reports"), 1);
    assert_eq!(story.state()["slices"], json!([]), "taken whole or not at all");
    assert_eq!(story.due(), "regrounder");
    story
}

fn no_criteria() -> Story {
    let slices = vec![slice("S1"), slice_with("S2", &[])];
    refused_plan(ground(slices, Some("S1")), "empty_criteria")
}

fn twice() -> Story {
    refused_plan(ground(vec![slice("S1"), slice("S1")], Some("S1")), "duplicate_id")
}

fn labels() -> Story {
    let slice = slice_with("S1", &["AC-LOAD-1: fast", "AC-LOAD-1: small"]);
    refused_plan(ground(vec![slice], Some("S1")), "duplicate_id")
}

fn rank() -> Story {
    refused_plan(
        ground(vec![with(slice("S1"), "/priority", json!(9))], Some("S1")),
        "number_out_of_range",
    )
}

fn circle() -> Story {
    let one = with(slice("S1"), "/blocked_on", json!(["S2"]));
    let two = with(slice("S2"), "/blocked_on", json!(["S1"]));
    refused_plan(ground(vec![one, two], Some("S1")), "dependency_cycle")
}

fn blocked() -> Story {
    let two = with(slice("S2"), "/blocked_on", json!(["S1"]));
    refused_plan(ground(vec![slice("S1"), two], Some("S2")), "dependency_open")
}

fn unknown() -> Story {
    refused_plan(ground(vec![slice("S1")], Some("S9")), "unknown_item")
}

fn nothing_selected() -> Story {
    let mut story = Story::going();
    story.run("regrounder", ground(vec![slice("S1")], None));
    // Grounding a distrusted state may end without a selection; selecting may not.
    assert_eq!(story.rule(), "reground_to_select");
    story.run("regrounder", ground(vec![], None));
    assert_eq!(story.problem(), "nothing_selected");
    story.run("regrounder", ground(vec![], Some("S1")));
    assert_eq!(story.due(), "implementer");
    story
}

fn locked() -> Story {
    let mut story = Story::going();
    let first = slice_with("S1", &["AC-1: says hello", "AC-2: is tested"]);
    story.run("regrounder", ground(vec![first.clone()], None));
    let reworded = slice_with("S1", &["AC-1: says something", "AC-2: is tested"]);
    story.run("regrounder", ground(vec![reworded], Some("S1")));
    assert_eq!(story.problem(), "criterion_reworded");
    let dropped = slice_with("S1", &["AC-2: is tested"]);
    story.run("regrounder", ground(vec![dropped], Some("S1")));
    assert_eq!(story.problem(), "criterion_dropped");
    let lost = with(first, "/contract_ids", json!([]));
    story.run("regrounder", ground(vec![lost], Some("S1")));
    assert_eq!(story.problem(), "contract_dropped");
    assert_eq!(story.topic(), "step_stuck", "three times in a row");
    story.choose("retry");
    let more = slice_with("S1", &["AC-1: says hello", "AC-2: is tested", "AC-3: is documented"]);
    story.run("regrounder", ground(vec![more], Some("S1")));
    assert_eq!(story.state()["slices"][0]["criteria"].as_array().unwrap().len(), 3);
    story
}

fn dirty_start() -> Story {
    let mut world = World::new();
    world.dirty.insert("notes.txt".to_owned(), digest("scribble"));
    let mut story = Story::in_world(Story::small(), world);
    story.go();
    assert_eq!(story.topic(), "dirty_tree");
    story.answer(Answer::ManualStep { done: true, note: "done".to_owned() });
    assert_eq!(story.topic(), "dirty_tree", "it is looked at, not believed");
    story.world.dirty.clear();
    story.answer(Answer::ManualStep { done: true, note: "done".to_owned() });
    assert_eq!(story.due(), "regrounder");
    story
}
