//! Nothing is cut: what roles and plans say reaches all who need it whole, and what is too long goes back, all of it in
//! one answer.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "objective-is-the-must-have",
        "An objective that is the must-have reaches executor and recognizer whole",
        objective,
    ),
    tale(
        "must-haves-too-long",
        "Must-haves that are too long go back, all in one answer",
        too_long,
    ),
    tale("failure-is-whole", "All that a failure says reaches the next run whole", failed),
    tale("debugger-is-whole", "Nothing a debugger finds is cut or written over", debugged),
    tale(
        "parts-name-the-whole",
        "Where a prompt has room for a part only it says how much is left out, and where all of it stands",
        parts,
    ),
    tale("persona-is-whole", "A persona is told all of what it is like", persona),
];

/// So many characters, the last of them a word that nothing else has.
pub fn long(count: usize, end: &str) -> String {
    let words = "so that every word of it counts ".repeat(count / 32 + 1);
    let kept: String = words.chars().take(count - end.len() - 1).collect();
    format!("{} {end}", kept.trim_end())
}

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

fn of_objective(text: &str) -> Value {
    json!({"plans": [{"id": "01", "files_modified": ["src/01.rs"], "objective": text}]})
}

fn objective() -> Story {
    let mut story = going(cluster(Vec::new()));
    let text = long(1_500, "ENDOFIT");
    story.run("planner", of_objective(&text));
    has(&prompt_of(&story, "01"), &["ENDOFIT\n\n### Must-haves", "01/AC-001: so that", "ENDOFIT"]);
    build(&mut story, "01");
    has(&story.prompt(), &[&format!("- 01/AC-001: {text} (to be shown)")]);
    recognize(&mut story, &[]);
    has(&story.prompt(), &["PATROL", "ENDOFIT (shown)"]);
    has(&story.world.files[".grid/VERIFICATION.md"], &["ENDOFIT"]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn too_long() -> Story {
    let mut story = going(cluster(Vec::new()));
    let mut block = of_objective(&long(20_100, "ENDOFIT"));
    let must = json!({"truths": ["short", long(20_500, "x")]});
    block["plans"][0]["frontmatter"] = json!({"must_haves": must});
    story.run("planner", block);
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("too_large", "planner"));
    for part in [
        "plans[0].objective: at most 20000 characters, not 20",
        "plans[0].frontmatter.must_haves.truths[1]: at most 20000 characters, not 20",
        "got 2 that are too long",
    ] {
        has(&story.prompt(), &[part]);
    }
    let text = long(19_990, "ENDOFIT");
    story.run("planner", of_objective(&text));
    build(&mut story, "01");
    has(&story.prompt(), &[&text]);
    story
}

fn failed() -> Story {
    let mut story = going(single());
    let mut block = failure("01", "one", &["one"]);
    let said = &mut block["failure"];
    said["tried"] = json!([{"approach": long(2_001, "A"), "reason": long(1_900, "ENDOFREASON")}]);
    said["hypothesis"] = json!(long(2_100, "B"));
    execute(&mut story, "01", block.clone());
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("too_large", "executor"));
    let both = ["failure.tried[0].approach: at most 2000", "failure.hypothesis: at most 2000"];
    has(&prompt_of(&story, "01"), &both);
    has(&prompt_of(&story, "01"), &["Characters of a text: 2000", "`failure.tried` 50"]);
    let said = &mut block["failure"];
    said["tried"][0]["approach"] = json!(long(1_800, "ENDOFAPPROACH"));
    said["hypothesis"] = json!(long(2_000, "ENDOFHYPOTHESIS"));
    said["suggested_retry"] = json!(long(2_000, "ENDOFSUGGESTION"));
    execute(&mut story, "01", block);
    let ends =
        ["ENDOFREASON\n", "ENDOFAPPROACH - failed", "ENDOFHYPOTHESIS\n", "ENDOFSUGGESTION\n"];
    has(&prompt_of(&story, "01"), &ends);
    has(&story.world.files[".grid/STATE.md"], &["ENDOFHYPOTHESIS"]);
    for way in ["two", "three"] {
        execute(&mut story, "01", failure("01", way, &[]));
    }
    // Neither the first of many words nor the number of failures is a reason to leave any out.
    story.choose("debug");
    has(&story.prompt(), &ends);
    story
}

fn debugged() -> Story {
    let mut story = going(single());
    for way in ["one", "two", "three"] {
        execute(&mut story, "01", failure("01", way, &[]));
    }
    story.choose("debug");
    let (thought, seen) = (long(1_900, "ENDOFTHOUGHT"), long(1_900, "ENDOFEVIDENCE"));
    let report = |status: &str, findings: String| {
        json!({
            "status": status, "tried": [long(1_500, "ENDOFTRY")], "current_focus": long(1_500, "ENDOFFOCUS"),
            "hypotheses": [{"hypothesis": thought, "status": "TESTING", "evidence": seen}], "findings": findings,
        })
    };
    story.run("debugger", report("testing", long(15_000, "ENDOFFINDINGS")));
    let ends =
        ["ENDOFTHOUGHT |", "ENDOFEVIDENCE |", "ENDOFTRY\n", "ENDOFFOCUS\n", "ENDOFFINDINGS\n"];
    has(&story.prompt(), &ends);
    story.run("debugger", report("resolved", "the port is taken".to_owned()));
    has(&prompt_of(&story, "01"), &ends);
    has(&prompt_of(&story, "01"), &["> the port is taken\n"]);
    story
}

fn persona() -> Story {
    let mut story = going(grid::Config {
        refine: Some(grid::state::Scope::Personas),
        refine_only: true,
        ..cluster(Vec::new())
    });
    let one = |name: &str, traits: &str| json!({"name": name, "goal": "greet", "traits": traits});
    let all = |traits: &str| json!({"context": "a bell", "personas": [one("A", traits), one("B", ""), one("C", "")]});
    story.run("refinement-lead", all(&long(1_001, "x")));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("too_large", "refinement-lead"));
    story.run("refinement-lead", all(&long(990, "ENDOFTRAITS")));
    has(&prompt_of(&story, "persona-1"), &["ENDOFTRAITS\n"]);
    story
}

fn parts() -> Story {
    let content = long(70_000, "ENDOFPLAN");
    let mut story = going(cluster(vec![Plan { content: content.clone(), ..plan("01", &[]) }]));
    let page = ".grid/phases/01-base/01";
    let left = |most: usize, text: &str| {
        format!(
            "\n{} characters of it are left out here: all of it stands in ",
            text.chars().count() - most
        )
    };
    has(&prompt_of(&story, "01"), &[&format!("{}`{page}-PLAN.md`.\n", left(60_000, &content))]);
    has(&story.world.files[&format!("{page}-PLAN.md")], &["ENDOFPLAN"]);
    let effect = story.begin_item("executor", "01");
    write(&mut story, effect, vec![note("PATTERN", "names are plain text")]);
    let commit = story.world.commit(&["src/01.rs"]);
    let (mut block, words) = (success("01", &commit), long(19_000, "ENDOFWORDS"));
    block["summary"]["words"] = json!(words);
    story.end(effect, report(block));
    has(&story.prompt(), &[&format!("{}`{page}-SUMMARY.md`.\n", left(2_000, &words))]);
    has(&story.world.files[&format!("{page}-SUMMARY.md")], &["ENDOFWORDS\n"]);
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}
