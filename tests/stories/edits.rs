//! Canonical files that are not as the engine left them.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "hand-edit-that-adds-a-slice-is-adopted",
        "A person may add work to the plan by hand",
        adds,
    ),
    tale(
        "hand-edit-that-reorders-is-adopted",
        "A person may reorder the plan and write notes into the hand-off",
        reorders,
    ),
    tale(
        "hand-edit-to-done-is-kept-aside",
        "No edit makes a slice done: it is kept aside, the file written anew, the state distrusted",
        to_done,
    ),
    tale(
        "hand-edit-that-weakens-a-criterion-is-kept-aside",
        "No edit rewords what is locked",
        weakens,
    ),
    tale(
        "hand-edit-of-state-to-done-ends-nothing",
        "A state file that says done does not make the mission done",
        state_done,
    ),
    tale(
        "unreadable-state-files-are-kept-aside",
        "Empty, marked, cut and listed files are each named with a code; nothing is lost",
        unreadable,
    ),
    tale(
        "missing-state-file-is-written-anew",
        "A state file that is gone distrusts the state and is written anew",
        missing,
    ),
    tale(
        "file-edited-during-a-run-is-the-runs",
        "A canonical file changed while a role runs refuses that role's report",
        during_run,
    ),
    tale(
        "foreign-write-is-looked-at-before-it-is-replaced",
        "A file that changed before its write is looked at, kept aside, and only then replaced",
        foreign_write,
    ),
    tale(
        "changed-stop-script-kept",
        "The locked stop script was changed by hand: the user keeps it",
        script_kept,
    ),
    tale(
        "changed-stop-script-restored",
        "The locked stop script was changed by hand: the user wants it back",
        script_restored,
    ),
];

/// Changes a canonical file while no run is live, and lets the engine look.
fn edit(story: &mut Story, path: &str, change: impl FnOnce(&str) -> String) {
    story.say(Command::Pause);
    let text = change(&story.world.files[path]);
    story.world.files.insert(path.to_owned(), text);
    story.say(Command::Resume);
}

fn edit_json(story: &mut Story, path: &str, change: impl FnOnce(&mut Value)) {
    edit(story, path, |text| {
        let mut value: Value = serde_json::from_str(text).unwrap();
        change(&mut value);
        serde_json::to_string_pretty(&value).unwrap() + "\n"
    });
}

fn adds() -> Story {
    let mut story = Story::planned();
    edit_json(&mut story, canonical::PLAN, |plan| {
        let slice = with(with(slice("S2"), "/status", json!("planned")), "/evidence", json!([]));
        plan["candidate_slices"].as_array_mut().unwrap().push(slice);
    });
    assert_eq!(story.core("/counts/adopted_edits"), 1);
    assert_eq!(story.state()["slices"][1]["slice_id"], "S2");
    assert_eq!(story.core("/reground"), Value::Null);
    assert_eq!(story.due(), "implementer");
    story
}

fn reorders() -> Story {
    let mut story = Story::going();
    story.plan(&["S1", "S2"]);
    edit_json(&mut story, canonical::PLAN, |plan| {
        plan["candidate_slices"].as_array_mut().unwrap().reverse();
        plan["candidate_slices"][0]["priority"] = json!(1);
        plan["candidate_slices"][0]["owner"] = json!("Ada");
    });
    assert_eq!(story.state()["slices"][0]["slice_id"], "S2");
    edit_json(&mut story, canonical::ACTIVE, |active| {
        active["locked_notes"] = json!(["be brief"]);
    });
    assert_eq!(story.core("/counts/adopted_edits"), 2);
    assert!(story.prompt().contains("be brief"));
    let plan = story.file("plan.json");
    assert_eq!(plan["candidate_slices"][0]["owner"], "Ada", "unknown fields are written back");
    story
}

/// An edit that must be kept aside: the state is distrusted, the file as the engine wants it.
fn rejected(mut story: Story, path: &str, change: impl FnOnce(&mut Value), code: &str) -> Story {
    let before = story.world.files[path].clone();
    edit_json(&mut story, path, change);
    assert_eq!(story.problem(), code);
    assert_eq!(story.core("/reground/reason"), "files_distrusted");
    assert_eq!(story.core("/counts/rejected_edits"), 1);
    let kept: Vec<&String> =
        story.world.files.keys().filter(|path| path.starts_with(".agent/tmp/rejected-")).collect();
    assert_eq!(kept.len(), 1, "nothing a person wrote is overwritten unsaved");
    assert!(story.prompt().contains(kept[0].as_str()), "{}", story.prompt());
    if path == canonical::PLAN {
        assert_eq!(story.world.files[path], before);
    }
    assert_eq!(story.due(), "regrounder");
    story
}

fn to_done() -> Story {
    rejected(
        Story::planned(),
        canonical::PLAN,
        |plan| plan["candidate_slices"][0]["status"] = json!("done"),
        "forbidden_edit",
    )
}

fn weakens() -> Story {
    rejected(
        Story::planned(),
        canonical::PLAN,
        |plan| plan["candidate_slices"][0]["acceptance_criteria"] = json!(["S1 works"]),
        "criterion_dropped",
    )
}

fn state_done() -> Story {
    rejected(
        Story::planned(),
        canonical::STATE,
        |state| {
            state["current_phase"] = json!("done");
            state["continuation_policy"] = json!("done");
            state["project_done"] = json!(true);
        },
        "forbidden_edit",
    )
}

fn unreadable() -> Story {
    let mut story = Story::planned();
    let broken = [
        ("", "empty"),
        ("\u{feff}{}", "byte_order_mark"),
        ("{\"schema_version\": 1, \"mission_anch", "truncated"),
        ("[]", "not_an_object"),
    ];
    for (text, code) in broken {
        edit(&mut story, canonical::STATE, |_| text.to_owned());
        assert_eq!(story.problem(), code);
        assert_eq!(story.file("state.json")["mission_anchor"], MISSION);
        assert_eq!(story.state()["slices"][0]["slice_id"], "S1", "the plan is not lost");
    }
    assert_eq!(story.due(), "regrounder");
    story
}

fn missing() -> Story {
    let mut story = Story::planned();
    story.say(Command::Pause);
    story.world.files.remove(canonical::PLAN);
    story.say(Command::Resume);
    assert_eq!(story.core("/reground/reason"), "files_distrusted");
    assert_eq!(story.file("plan.json")["candidate_slices"][0]["slice_id"], "S1");
    story
}

fn during_run() -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    let commit = story.world.commit(&["src/S1.c"]);
    let done = story.world.files[canonical::PLAN].replace("in_progress", "done");
    story.world.files.insert(canonical::PLAN.to_owned(), done);
    story.end(effect, report(claim("S1", &commit)));
    assert_eq!(story.core("/active/claim"), Value::Null);
    assert_eq!(story.core("/counts/refused_reports"), 1);
    assert_eq!(story.file("plan.json")["candidate_slices"][0]["status"], "in_progress");
    assert_eq!(story.due(), "regrounder");
    story
}

fn foreign_write() -> Story {
    let mut story = Story::going();
    let effect = story.begin("regrounder");
    story.fact(Fact::RunEnded(RunEnded {
        effect,
        outcome: RunOutcome::Success,
        report: Some(report(ground(vec![slice("S1")], Some("S1")))),
        problem: None,
        usage: Default::default(),
    }));
    story.settle_until("write_file");
    story.world.files.insert(canonical::PLAN.to_owned(), "{}\n".to_owned());
    story.settle();
    let aside = format!(".agent/tmp/rejected-{}.json", digest("{}\n"));
    assert_eq!(story.world.files[&aside], "{}\n");
    assert_eq!(story.file("plan.json")["candidate_slices"][0]["slice_id"], "S1");
    assert_eq!(story.core("/reground/reason"), "files_distrusted");
    story
}

/// The stop script is changed and committed by hand.
fn script() -> Story {
    let mut story = Story::planned();
    edit(&mut story, canonical::STOP_SCRIPT, |text| format!("{text}true\n"));
    assert_eq!(story.topic(), "stop_script");
    story
}

fn script_kept() -> Story {
    let mut story = script();
    story.choose("keep");
    let text = &story.world.files[canonical::STOP_SCRIPT];
    assert!(text.ends_with("true\n"));
    assert_eq!(story.core("/contract/stop_script"), digest(text));
    assert_eq!(story.due(), "implementer");
    story
}

fn script_restored() -> Story {
    let mut story = script();
    let commits = story.world.commits.len();
    story.choose("restore");
    assert!(!story.world.files[canonical::STOP_SCRIPT].ends_with("true\n"));
    assert_eq!(story.world.commits.len(), commits + 1);
    assert_eq!(story.world.commits.last().unwrap().1, [canonical::STOP_SCRIPT]);
    assert_eq!(story.due(), "implementer");
    story
}
