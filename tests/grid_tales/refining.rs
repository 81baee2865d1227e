//! The refinement swarm: who looks, what is merged, what is mended first.

use super::*;
use grid::state::Scope;

pub const TALES: &[Tale] = &[
    tale("refine-many", "Whatever the swarm finds becomes a plan, however it is worded", many),
    tale(
        "refine-all",
        "Inspectors and personas look side by side; fixes come in the order of priority",
        everybody,
    ),
    tale("refine-merged", "What two found stands once, at the worse priority", merged),
    tale("refine-visual", "Only the inspector looks; nothing is found", visual),
    tale("refine-personas", "Three to five personas, or the lead is asked again", personas),
    tale("refine-behind-a-cluster", "What was built is refined behind its patrol", behind),
    tale("refine-without-one", "A member that fails again and again is left out", without),
];

/// Titles that look like labels, and more of them than one plan takes.
fn many() -> Story {
    let mut story = refining(Scope::Visual);
    let mut findings: Vec<Value> = (0..58).map(|n| found("P0", &format!("fault {n}"))).collect();
    findings.push(found("P0", "AC-001: the header is broken"));
    findings.push(found("P0", "AC-001: the footer is broken"));
    report_of(
        &mut story,
        "visual",
        json!([found("P0", "a fault"), {"priority": "P0", "title": " ", "expected": "x"}]),
    );
    assert_eq!(story.problem(), "missing_field");
    let (whole, more) = (format!("{}END", "x".repeat(996)), "x".repeat(1_001));
    report_of(&mut story, "visual", json!([found("P0", &more)]));
    assert_eq!(story.problem(), "too_large");
    let last = findings.last_mut().unwrap();
    (last["where"], last["expected"]) = (json!(whole), json!(format!("x{whole}")));
    report_of(&mut story, "visual", json!(findings));
    let mut open = items(&story);
    open.sort();
    assert_eq!(open, ["refine-p0", "refine-p0-2"]);
    let told = format!("AC-001: the footer is broken ({whole}): x{whole}\n");
    assert!(prompt_of(&story, "refine-p0-2").contains(&told));
    for id in open {
        build(&mut story, &id);
    }
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    assert!(story.world.files[".grid/REFINEMENT_PLAN.md"].contains("## P0 (mended)"));
    story
}

fn refining(scope: Scope) -> Story {
    going(grid::Config {
        refine: Some(scope),
        refine_only: true,
        max_parallel: 3,
        ..cluster(Vec::new())
    })
}

fn lead(count: usize) -> Value {
    let persona = |n: usize| json!({"name": format!("Person {n}"), "goal": "greet a friend"});
    json!({"context": "a greeter for visitors", "personas": (1..=count).map(persona).collect::<Vec<_>>()})
}

fn found(priority: &str, title: &str) -> Value {
    json!({"priority": priority, "title": title, "where": "/", "expected": format!("no {title}")})
}

fn report_of(story: &mut Story, item: &str, findings: Value) {
    let role = match item {
        "visual" => "visual-inspector",
        "e2e" => "e2e-exerciser",
        _ => "persona-simulator",
    };
    let effect = story.begin_item(role, item);
    story.end(effect, report(json!({"findings": findings})));
}

fn everybody() -> Story {
    let mut story = refining(Scope::All);
    story.run("refinement-lead", lead(3));
    assert_eq!(items(&story), ["visual", "e2e", "persona-1"], "as many as may be at once");
    report_of(
        &mut story,
        "visual",
        json!([found("P1", "a crooked logo"), found("P3", "a dull colour")]),
    );
    assert_eq!(items(&story), ["e2e", "persona-1", "persona-2"]);
    report_of(
        &mut story,
        "e2e",
        json!([found("P2", "A Crooked Logo"), found("P2", "a dead button")]),
    );
    report_of(&mut story, "persona-1", json!([found("P0", "no way back")]));
    report_of(&mut story, "persona-2", json!([]));
    report_of(&mut story, "persona-3", json!([found("P1", "a crooked logo")]));
    let page = story.world.files[".grid/REFINEMENT_PLAN.md"].clone();
    assert!(page.contains("## P0 (pending)\n\n- no way back"), "{page}");
    assert!(page.contains("## P3 (written down only)\n\n- a dull colour"), "{page}");
    assert!(
        page.contains(
            "a crooked logo (/): no a crooked logo; e2e says: A Crooked Logo (/): no A Crooked Logo. Found by e2e, \
             persona-3, visual."
        ),
        "{page}"
    );
    for id in ["refine-p0", "refine-p1", "refine-p2"] {
        assert_eq!(items(&story), [id]);
        build(&mut story, id);
        recognize(&mut story, &[]);
    }
    recognize(&mut story, &[]);
    done(&story);
    let page = &story.world.files[".grid/REFINEMENT_PLAN.md"];
    assert!(page.contains("## P0 (mended)\n\n- no way back"), "{page}");
    story
}

fn merged() -> Story {
    let mut story = refining(Scope::All);
    story.run("refinement-lead", lead(3));
    report_of(&mut story, "visual", json!([found("P1", "a crash")]));
    report_of(&mut story, "e2e", json!([found("P0", "A crash")]));
    for item in ["persona-1", "persona-2", "persona-3"] {
        report_of(&mut story, item, json!([]));
    }
    let page = &story.world.files[".grid/REFINEMENT_PLAN.md"];
    let told = "## P1 (what was found stands above: others gave it a worse priority)";
    assert!(page.contains(told) && page.contains("## P2 (nothing found)"), "{page}");
    story
}

fn visual() -> Story {
    let mut story = refining(Scope::Visual);
    report_of(&mut story, "visual", json!([]));
    done(&story);
    story
}

fn personas() -> Story {
    let mut story = refining(Scope::Personas);
    story.run("refinement-lead", lead(2));
    assert_eq!(
        (story.problem().as_str(), story.due().as_str()),
        ("invalid_value", "refinement-lead")
    );
    story.run("refinement-lead", lead(5));
    assert_eq!(items(&story).len(), 3);
    assert!(prompt_of(&story, "persona-2").contains("You are Person 2, who wants: greet a friend"));
    for n in 1..=5 {
        report_of(&mut story, &format!("persona-{n}"), json!([]));
    }
    done(&story);
    story
}

fn behind() -> Story {
    let mut story = going(grid::Config { refine: Some(Scope::E2e), ..single() });
    build(&mut story, "01");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    report_of(&mut story, "e2e", json!([found("P0", "a crash")]));
    build(&mut story, "refine-p0");
    recognize(&mut story, &[]);
    assert!(story.prompt().contains("PATROL"), "the head has moved");
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn without() -> Story {
    let mut story = refining(Scope::E2e);
    for _ in 0..3 {
        let effect = story.begin_item("e2e-exerciser", "e2e");
        story.failed(effect, RunOutcome::Failed);
    }
    assert_eq!(story.topic(), "step_stuck");
    story.choose("skip");
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["refinement/e2e"]);
    let page = &story.world.files[".grid/REFINEMENT_PLAN.md"];
    assert!(!page.contains("stands above"), "{page}");
    assert!(page.contains("members: 0\nskipped: {\"e2e\":"), "{page}");
    assert!(page.contains("Not verified: what e2e would have looked at."), "{page}");
    assert!(page.contains("## P0 (nothing found by those who looked)"), "{page}");
    let found = &story.world.files[".grid/VERIFICATION.md"];
    let waived = "waived:\n  - block: \"refinement\"\n    criterion: \"e2e\"\n    by: \"user\"\n";
    assert!(found.contains(waived), "{found}");
    story
}
