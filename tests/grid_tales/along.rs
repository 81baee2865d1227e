//! Nothing of a report is lost: what contradicts its status goes back, and all else is told to who comes next.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "one-status-only",
        "Filled parts of another status go back; those that are repeated empty are no fault",
        contradicts,
    ),
    tale(
        "said-with-a-failure",
        "Summary, claims and deviations of a failure and a checkpoint reach who goes on",
        along,
    ),
    tale(
        "checkpoint-says-more",
        "What a checkpoint says beside its type is shown with it and told to who goes on",
        more,
    ),
    tale("pictures-are-told", "Pictures of the swarm are told to who mends", pictures),
    tale("type-of-a-plan", "The type that a planner gives its plan stands in its document", kind),
];

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

fn contradicts() -> Story {
    let mut story = going(single());
    let part = |id: &str| failure(id, "by hand", &[])["failure"].clone();
    let stops = checkpoint("01", "decision")["checkpoint"].clone();
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs"]);
    let mut said = success("01", &commit);
    said["failure"] = part("01");
    story.end(effect, report(said.clone()));
    assert_eq!(
        (story.problem().as_str(), story.due().as_str()),
        ("inconsistent_verdict", "executor")
    );
    has(
        &prompt_of(&story, "01"),
        &[
            "failure: expected nothing filled in there with SUCCESS, or the status FAILURE, got failure.hypothesis: by hand cannot work",
        ],
    );
    let effect = story.begin_item("executor", "01");
    said["failure"] = Value::Null;
    said["checkpoint"] = stops.clone();
    story.end(effect, report(said.clone()));
    assert_eq!(story.problem(), "inconsistent_verdict");
    let mut said = failure("01", "by hand", &[]);
    said["checkpoint"] = stops;
    execute(&mut story, "01", said);
    assert_eq!(story.problem(), "inconsistent_verdict");
    let mut said = checkpoint("01", "decision");
    said["failure"] = part("01");
    execute(&mut story, "01", said);
    assert_eq!(
        (story.problem().as_str(), at(&story, "01", "/attempts")),
        ("inconsistent_verdict", json!(2))
    );
    // The form as it came, with nothing filled in.
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs"]);
    let mut said = success("01", &commit);
    said["failure"] =
        json!({"thread": "", "attempts": 0, "tried": [], "hypothesis": null, "do_not_retry": [""]});
    said["checkpoint"] = json!({
        "type": "", "completed_threads": [], "total_threads": null, "decision": "…",
        "current_thread": {"thread": "", "name": "", "status": ""}, "options": [{"option": "", "pros": ""}],
    });
    story.end(effect, report(said));
    assert_eq!(story.due(), "recognizer");
    story
}

fn along() -> Story {
    let mut story = going(single());
    let mut said = failure("01", "by hand", &[]);
    said["failure"]["attempts"] = json!("3");
    said["summary"] = json!({"words": "one half is written", "decisions": ["keep the old key"], "requires": ["a clock"]});
    said["claims"] =
        json!([{"criterion": "AC-001", "evidence": [{"kind": "manual", "note": "looked at it"}]}]);
    said["deviations"] =
        json!([{"rule": "3", "description": "a wrong path", "files": ["src/path.rs"]}]);
    execute(&mut story, "01", said.clone());
    let words = [
        "said with FAILURE: summary.words: one half is written\n",
        "said with FAILURE: summary.decisions: keep the old key\n",
        "said with FAILURE: claims AC-001: ",
        "looked at it",
        "[Rule 3 - Blocking] a wrong path (files: src/path.rs)\n",
    ];
    has(&prompt_of(&story, "01"), &words);
    has(&prompt_of(&story, "01"), &["a clock"]);
    said["summary"]["words"] = json!("x".repeat(20_000));
    said["summary"]["decisions"] = json!(vec!["y".repeat(2_000); 11]);
    execute(&mut story, "01", said);
    assert_eq!(story.problem(), "too_large");
    let mut stop = checkpoint("01", "human-action");
    stop["summary"] =
        json!({"words": "all but the key", "commits": [], "key-files": {"created": []}});
    execute(&mut story, "01", stop);
    manual(&mut story, true, "it is set");
    has(&prompt_of(&story, "01"), &words);
    has(&prompt_of(&story, "01"), &["said with CHECKPOINT: summary.words: all but the key\n"]);
    assert!(!prompt_of(&story, "01").contains("said with CHECKPOINT: summary.key-files"));
    build(&mut story, "01");
    has(&story.prompt(), &words);
    has(&story.world.files[".grid/phases/01-base/01-SUMMARY.md"], &words);
    story
}

fn more() -> Story {
    let mut story = going(single());
    let mut said = checkpoint("01", "decision");
    let body = &mut said["checkpoint"];
    body["what_was_built"] = json!("the table itself");
    body["how_to_verify"] = json!(["open it", "read it"]);
    body["automation_attempted"] = json!("asked the tool");
    body["what_you_need_to_do"] = json!("…");
    body["total_threads"] = json!("3");
    body["current_thread"]["status"] = json!("half way");
    execute(&mut story, "01", said);
    let words = [
        "what was built: the table itself",
        "how to verify it: open it; read it",
        "tried without a person: asked the tool",
        "where it stands: half way",
    ];
    let text = story.question().unwrap().1.text;
    has(&text, &words);
    assert!(!text.contains("what a person is to do"), "{text}");
    story.choose("sqlite");
    has(&prompt_of(&story, "01"), &words);
    build(&mut story, "01");
    has(&story.prompt(), &words);
    has(&story.world.files[".grid/phases/01-base/01-SUMMARY.md"], &words);
    story
}

fn pictures() -> Story {
    let mut story = going(grid::Config {
        refine: Some(grid::state::Scope::Visual),
        refine_only: true,
        ..cluster(Vec::new())
    });
    let effect = story.begin_item("visual-inspector", "visual");
    let one = json!({"priority": "P1", "title": "a crooked logo", "where": "/", "expected": "a straight one"});
    story.end(
        effect,
        report(
            json!({"findings": [one], "screenshots": ["screenshots/1.png", "screenshots/2.png"]}),
        ),
    );
    let words = ["- visual: screenshots/1.png, screenshots/2.png"];
    has(&prompt_of(&story, "refine-p1"), &words);
    has(&story.world.files[".grid/REFINEMENT_PLAN.md"], &words);
    story
}

fn kind() -> Story {
    let mut story = going(grid::Config { plans: Vec::new(), ..cluster(Vec::new()) });
    let plan = json!({
        "id": "01", "objective": "Build 01",
        "frontmatter": {"phase": "01-base", "type": "tdd", "must_haves": {"truths": ["01 works"]}},
    });
    story.run("planner", json!({"plans": [plan]}));
    has(&story.world.files[".grid/phases/01-base/01-PLAN.md"], &["\ntype: \"tdd\"\n"]);
    build(&mut story, "01");
    story
}
