//! What reports say beside their form is kept as words of the run, or named: none of it is passed over in silence.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "said-beside-a-success",
        "What an executor says beside its form reaches recognizer, patrol and summary",
        success_with_more,
    ),
    tale(
        "said-beside-a-failure",
        "What a failure says beside its form reaches the next run",
        failed,
    ),
    tale("said-beside-a-finding", "What the swarm says beside its form is mended with it", found),
];

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

fn around(block: Value, prose: &str) -> String {
    report(block).replace("\n\nDone.\n", &format!("\n\n{prose}\n"))
}

fn success_with_more() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    write(&mut story, effect, vec![note("PATTERN", "names are plain text")]);
    let commit = story.world.commit(&["src/01.rs"]);
    let mut block = success("01", &commit);
    block["known_issues"] = json!(["untested on other systems", "slow"]);
    block["notes"] = Value::Null;
    block["summary"]["next_steps"] = json!("add an index");
    block["summary"]["decisions"] = json!(["one file per name"]);
    block["summary"]["tech-stack"]["patterns"] = json!(["repository"]);
    block["lessons_learned"]["surprises"] = json!(["the clock is late"]);
    block["approaches"] = json!(["a table of names"]);
    let mut long = block.clone();
    long["known_issues"] = json!(vec!["x".repeat(1_500); 14]);
    story.end(effect, report(long));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("too_large", "executor"));
    has(&prompt_of(&story, "01"), &["json.known_issues: expected at most 20000 characters"]);
    let effect = story.begin_item("executor", "01");
    story.end(effect, around(block, "The tests were not run: there is no network."));
    let words = [
        "said beside the form: known_issues: untested on other systems; slow\n",
        "said beside the form: summary.next_steps: add an index\n",
        "said beside the form: lessons_learned.surprises: the clock is late\n",
        "The tests were not run: there is no network.\n",
    ];
    has(&story.prompt(), &words);
    let page = story.world.files[".grid/phases/01-base/01-SUMMARY.md"].clone();
    has(&page, &words);
    let shown = ["  patterns: [\"repository\"]\n", "- one file per name\n", "- a table of names\n"];
    has(&page, &shown);
    assert!(!page.contains("notes"), "{page}");
    recognize(&mut story, &[]);
    has(&story.prompt(), &["PATROL"]);
    has(&story.prompt(), &words);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn failed() -> Story {
    let mut story = going(single());
    let mut block = failure("01", "one", &[]);
    block["failure"]["root_cause"] = json!("the linker is too old");
    block["failure"]["tried"][0]["log"] = json!({"line": 7});
    block["approaches"] = json!(["another linker"]);
    let effect = story.begin_item("executor", "01");
    story.end(effect, around(block, "I could not reach the registry."));
    let words = [
        "said beside the form: failure.root_cause: the linker is too old\n",
        "said beside the form: failure.tried[0].log: {\"line\":7}\n",
        "I could not reach the registry.\n",
        "- another linker\n",
    ];
    has(&prompt_of(&story, "01"), &words);
    for way in ["two", "three"] {
        execute(&mut story, "01", failure("01", way, &[]));
    }
    story.choose("debug");
    let block =
        json!({"status": "resolved", "findings": "the port is taken", "fix": "take another port"});
    story.run("debugger", block);
    has(&prompt_of(&story, "01"), &["> the port is taken\n> fix: take another port\n"]);
    has(&prompt_of(&story, "01"), &words);
    story
}

fn found() -> Story {
    let mut story = going(grid::Config {
        refine: Some(grid::state::Scope::Visual),
        refine_only: true,
        ..cluster(Vec::new())
    });
    let effect = story.begin_item("visual-inspector", "visual");
    let one = json!({
        "priority": "P1", "title": "a crooked logo", "where": "/", "expected": "a straight one",
        "actual": "it leans by 3 degrees", "steps": ["open /", "look up"],
    });
    story.end(effect, report(json!({"findings": [one], "overall": "fine otherwise"})));
    let words = "a straight one; visual says: actual: it leans by 3 degrees; visual says: steps: open /; look up";
    has(&prompt_of(&story, "refine-p1"), &[words]);
    has(&story.world.files[".grid/REFINEMENT_PLAN.md"], &[words]);
    let told = "fields of the visual-inspector's report that nobody reads: overall";
    has(&story.core("/concerns").to_string(), &[told]);
    build(&mut story, "refine-p1");
    has(&story.prompt(), &[words]);
    story
}
