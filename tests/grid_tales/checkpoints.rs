//! Checkpoints: three types, each answered in kind, and what a fresh run goes on from.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "checkpoint-of-the-plan",
        "A block does not pass over a checkpoint of its plan",
        planned_one,
    ),
    tale("human-verify", "A person confirms what was built; a fresh run goes on", verify),
    tale(
        "human-verify-fails",
        "A person finds that it does not work; the next run is told",
        verify_fails,
    ),
    tale(
        "summary-of-all-runs",
        "The summary of a continuation lists what was made before the checkpoint, too",
        all_runs,
    ),
    tale("decision", "A person chooses; an option that is not there is refused", decision),
    tale("answered-twice", "A checkpoint is answered once", twice),
    tale("human-action", "A person does what nothing else can", action),
    tale(
        "human-action-not-done",
        "What only a person can do was not done: blocked, and asked again",
        not_done,
    ),
    tale("automatic-confirms", "Automatic mode confirms what was built, and says so", automatic),
    tale(
        "automatic-ends",
        "Automatic mode confirms five times a block, then asks",
        automatic_at_last_asks,
    ),
    tale("automatic-never-decides", "Automatic mode neither decides nor acts", never_decides),
    tale(
        "failure-before-checkpoint",
        "A failure of the wave comes before its checkpoint",
        failure_first,
    ),
    tale("two-checkpoints", "Two blocks wait; each is asked in turn", two),
    tale("decision-with-one-way", "A decision with one way is no decision", one_way),
    tale("checkpoint-without-content", "A checkpoint that does not say what to do goes back", bare),
    tale("rule-4-asks", "An architectural change is asked before it is made", rule_4),
    tale("rule-4-unasked", "An architectural change nobody decided holds the report back", unasked),
    tale("rule-4-taken-back", "The user wants it without; what was done is forbidden", taken_back),
    tale("rule-4-stop", "The user stops over an architectural change", stop),
    tale(
        "rule-4-in-a-failure",
        "A failure names an architectural change: the user is asked first",
        four_failed,
    ),
    tale(
        "rule-4-refused-in-a-failure",
        "Refused, the change is forbidden to the next run",
        four_refused,
    ),
    tale(
        "rule-4-beside-a-confirmation",
        "Who confirms what was built allows no architectural change",
        four_confirmed,
    ),
    tale(
        "rule-4-many",
        "The question lists all changes; another decision allows none of them",
        four_many,
    ),
    tale("rules-1-to-3", "Rules 1 to 3 are recorded with their rule", small_rules),
];

fn waiting(kind: &str) -> Story {
    let mut story = going(single());
    execute(&mut story, "01", checkpoint("01", kind));
    assert_eq!(story.topic(), format!("checkpoint:{kind}"));
    assert_eq!(status(&story, "01"), "checkpoint");
    story
}

fn all_runs() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    let failed = story.world.commit(&["src/half.rs"]);
    let mut said = failure("01", "a way", &[]);
    (said["failure"]["commits"], said["failure"]["created"]) =
        (json!([failed]), json!(["src/half.rs", "src/never.rs"]));
    story.end(effect, report(said));
    let effect = story.begin_item("executor", "01");
    let first = story.world.commit(&["src/a.rs"]);
    let mut said = checkpoint("01", "human-verify");
    said["checkpoint"]["completed_threads"] = json!([
        {"thread": "1.1", "name": "schema", "commit": &first[..10], "files": ["./src/a.rs"]},
        {"thread": "1.2", "name": "made up", "commit": "abc1234", "files": ["src/made-up.rs"]},
    ]);
    story.end(effect, report(said));
    manual(&mut story, true, "it greets");
    build(&mut story, "01");
    let last = story.world.head().unwrap();
    let page = &story.world.files[".grid/phases/01-base/01-SUMMARY.md"];
    let files = "created: [\"src/01.rs\",\"src/half.rs\"]\n  modified: [\"./src/a.rs\"]\n";
    assert!(page.contains(files), "{page}");
    let commits = format!("commits: [\"{failed}\",\"{}\",\"{last}\"]\n", &first[..10]);
    assert!(page.contains(&commits), "{page}");
    story
}

fn finish(story: &mut Story) {
    build(story, "01");
    recognize(story, &[]);
    recognize(story, &[]);
    done(story);
}

fn verify() -> Story {
    let mut story = waiting("human-verify");
    let text = story.question().unwrap().1;
    assert!(
        text.text.contains("1/3 threads complete") && text.text.contains("a form"),
        "{}",
        text.text
    );
    manual(&mut story, true, "done, it greets");
    let prompt = prompt_of(&story, "01");
    for part in
        ["| 1.1 | schema | abc1234 | src/a.rs |", "done: done, it greets", "thread 1.3: wiring"]
    {
        assert!(prompt.contains(part), "{part}");
    }
    finish(&mut story);
    assert!(
        story.world.files[".grid/phases/01-base/01-SUMMARY.md"]
            .contains("human-verify (user): done")
    );
    story
}

fn verify_fails() -> Story {
    let mut story = waiting("human-verify");
    manual(&mut story, false, "the button is dead");
    let open = "thread 1.2, human-verify: not as it should be: the button is dead";
    assert!(prompt_of(&story, "01").contains(open));
    build(&mut story, "01");
    // Whoever says it is done all the same has the person look again.
    let mended = story.world.head().unwrap();
    assert_eq!(story.topic(), "checkpoint:human-verify");
    let text = story.question().unwrap().1.text;
    let again = "What was built: a form. Awaiting: your look at it once more; its run says it is mended, in its words: 01 is built.";
    assert!(text.ends_with(again), "{text}");
    manual(&mut story, false, "dead still");
    let prompt = prompt_of(&story, "01");
    assert!(prompt.contains("human-verify: not as it should be: dead still"), "{prompt}");
    assert!(prompt.contains(&format!("| {mended} | src/01.rs |")), "{prompt}");
    execute(&mut story, "01", checkpoint("01", "human-verify"));
    assert_eq!(story.topic(), "checkpoint:human-verify");
    manual(&mut story, false, "and now it flickers");
    build(&mut story, "01");
    assert_eq!(story.topic(), "checkpoint:human-verify");
    manual(&mut story, true, "it lives");
    let mut said = success("01", "none");
    (said["summary"]["commits"], said["summary"]["already_there"]) = (json!([]), json!(true));
    execute(&mut story, "01", said);
    assert_eq!(status(&story, "01"), "executed", "{}", story.problem());
    let page = &story.world.files[".grid/phases/01-base/01-SUMMARY.md"];
    assert!(page.contains(&mended), "{page}");
    let said = "a person found at thread 1.2 not as it should be: the button is dead";
    assert!(story.prompt().contains(&format!("{said} (the person confirmed it since)")));
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn decision() -> Story {
    let mut story = waiting("decision");
    let (effect, _) = story.question().unwrap();
    let answer = Answer::Choice { option: "mongodb".to_owned() };
    let error = story.refused(Fact::QuestionAnswered(QuestionAnswered { effect, answer }));
    assert_eq!(error.code, Code::AnswerType);
    story.choose("postgres");
    assert!(prompt_of(&story, "01").contains("the choice is postgres"));
    finish(&mut story);
    story
}

fn twice() -> Story {
    let mut story = waiting("decision");
    let (effect, _) = story.question().unwrap();
    story.choose("sqlite");
    let answer = Answer::Choice { option: "postgres".to_owned() };
    let error = story.refused(Fact::QuestionAnswered(QuestionAnswered { effect, answer }));
    assert_eq!(error.code, Code::StaleAnswer);
    assert_eq!(at(&story, "01", "/passed/0/answer"), "the choice is sqlite");
    story
}

fn action() -> Story {
    let mut story = waiting("human-action");
    manual(&mut story, true, "done");
    finish(&mut story);
    story
}

fn not_done() -> Story {
    let mut story = waiting("human-action");
    manual(&mut story, false, "not done, no mail came");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Resume);
    assert_eq!(story.topic(), "checkpoint:human-action");
    manual(&mut story, true, "done");
    finish(&mut story);
    story
}

fn automatic() -> Story {
    let mut story = going(grid::Config { automatic: true, ..single() });
    execute(&mut story, "01", checkpoint("01", "human-verify"));
    assert_eq!(story.due(), "executor");
    assert_eq!(at(&story, "01", "/passed/0/automatic"), true);
    finish(&mut story);
    assert!(
        story.world.files[".grid/phases/01-base/01-SUMMARY.md"]
            .contains("human-verify (automatic)")
    );
    story
}

fn automatic_at_last_asks() -> Story {
    let mut story = going(grid::Config { automatic: true, ..single() });
    for _ in 0..5 {
        assert_eq!(story.due(), "executor");
        execute(&mut story, "01", checkpoint("01", "human-verify"));
    }
    assert_eq!(story.due(), "executor", "confirmed for the fifth time");
    execute(&mut story, "01", checkpoint("01", "human-verify"));
    assert_eq!(story.topic(), "checkpoint:human-verify");
    story
}

fn never_decides() -> Story {
    let mut story = going(grid::Config { automatic: true, ..single() });
    execute(&mut story, "01", checkpoint("01", "decision"));
    assert_eq!(story.topic(), "checkpoint:decision");
    story.choose("sqlite");
    execute(&mut story, "01", checkpoint("01", "human-action"));
    assert_eq!(story.topic(), "checkpoint:human-action");
    story
}

fn failure_first() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &[]), plan("03", &[])]));
    let runs = ["01", "02", "03"].map(|id| story.begin_item("executor", id));
    story.end(runs[0], report(checkpoint("01", "decision")));
    story.end(runs[1], report(failure("02", "by hand", &["by hand"])));
    let commit = story.world.commit(&["src/03.rs"]);
    story.end(runs[2], report(success("03", &commit)));
    assert_eq!((status(&story, "03").as_str(), items(&story)), ("executed", vec!["02".to_owned()]));
    assert_eq!(story.topic(), "", "the checkpoint waits");
    build(&mut story, "02");
    assert_eq!(story.topic(), "checkpoint:decision");
    story.choose("sqlite");
    build(&mut story, "01");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn two() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &[])]));
    let runs = ["01", "02"].map(|id| story.begin_item("executor", id));
    story.end(runs[0], report(checkpoint("01", "decision")));
    story.end(runs[1], report(checkpoint("02", "human-verify")));
    assert_eq!(story.topic(), "checkpoint:decision");
    story.choose("sqlite");
    build(&mut story, "01");
    assert_eq!(story.topic(), "checkpoint:human-verify");
    manual(&mut story, true, "done");
    build(&mut story, "02");
    recognize(&mut story, &[]);
    story
}

fn one_way() -> Story {
    let mut story = going(single());
    let mut block = checkpoint("01", "decision");
    block["checkpoint"]["options"] = json!([{"option": "a"}]);
    execute(&mut story, "01", block.clone());
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("missing_field", "executor"));
    block["checkpoint"]["options"] = json!([{"option": "a"}, {"option": "a"}]);
    execute(&mut story, "01", block);
    assert_eq!(
        (story.problem().as_str(), at(&story, "01", "/attempts").as_u64()),
        ("duplicate_id", Some(1))
    );
    story
}

fn bare() -> Story {
    let mut story = going(single());
    let mut block = checkpoint("01", "human-verify");
    block["checkpoint"]["how_to_verify"] = json!([]);
    execute(&mut story, "01", block.clone());
    assert_eq!(story.problem(), "missing_field");
    block["checkpoint"] = Value::Null;
    execute(&mut story, "01", block);
    assert_eq!(story.problem(), "missing_field");
    story
}

fn four() -> Value {
    json!([{"rule": 4, "description": "a new table for names"}])
}

fn rule_4() -> Story {
    let mut story = going(single());
    let mut block = checkpoint("01", "decision");
    block["deviations"] = four();
    execute(&mut story, "01", block);
    let text = story.question().unwrap().1.text;
    assert!(text.contains("[Rule 4 - Architectural] a new table for names"), "{text}");
    story.choose("sqlite");
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs"]);
    let mut block = success("01", &commit);
    block["deviations"] = four();
    story.end(effect, report(block));
    assert_eq!(status(&story, "01"), "executed", "it was decided");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn changed() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs"]);
    let mut block = success("01", &commit);
    block["deviations"] = four();
    story.end(effect, report(block));
    assert_eq!((story.topic().as_str(), status(&story, "01").as_str()), ("architecture", "stuck"));
    story
}

fn unasked() -> Story {
    let mut story = changed();
    story.choose("accept");
    assert_eq!(status(&story, "01"), "executed");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    assert!(story.world.files[".grid/STATE.md"].contains("rule 4, allowed: a new table for names"));
    story
}

fn taken_back() -> Story {
    let mut story = changed();
    story.choose("take_back");
    assert_eq!(forbidden(&prompt_of(&story, "01")), ["a new table for names"]);
    finish(&mut story);
    story
}

/// The change that a failure named is in the tree: it is asked about before anything goes on.
fn failed_with_four() -> Story {
    let mut story = going(single());
    let mut block = failure("01", "by hand", &[]);
    block["deviations"] = four();
    execute(&mut story, "01", block);
    assert_eq!((story.topic().as_str(), status(&story, "01").as_str()), ("architecture", "retry"));
    story
}

fn four_failed() -> Story {
    let mut story = failed_with_four();
    story.choose("accept");
    assert_eq!(at(&story, "01", "/attempts"), 1);
    finish(&mut story);
    story
}

fn four_refused() -> Story {
    let mut story = failed_with_four();
    story.choose("take_back");
    assert_eq!(at(&story, "01", "/attempts"), 1, "the run failed once");
    assert_eq!(forbidden(&prompt_of(&story, "01")), ["a new table for names"]);
    finish(&mut story);
    story
}

fn four_confirmed() -> Story {
    let mut story = going(grid::Config { automatic: true, ..single() });
    let mut block = checkpoint("01", "human-verify");
    block["deviations"] = four();
    execute(&mut story, "01", block);
    assert_eq!(story.topic(), "architecture", "nobody confirms that automatically");
    story.choose("accept");
    assert_eq!(at(&story, "01", "/passed/0/automatic"), true);
    finish(&mut story);
    story
}

fn four_many() -> Story {
    let mut story = going(single());
    let mut block = failure("01", "by hand", &[]);
    block["deviations"] = json!([{"rule": 4, "description": "a new table"}, {"rule": 4, "description": "another server"}]);
    execute(&mut story, "01", block);
    let text = story.question().unwrap().1.text;
    assert!(text.contains("1. a new table; 2. another server"), "{text}");
    story.choose("accept");
    let mut block = checkpoint("01", "decision");
    block["deviations"] =
        json!([{"rule": 4, "description": "a queue"}, {"rule": 4, "description": "a cache"}]);
    execute(&mut story, "01", block);
    let text = story.question().unwrap().1.text;
    assert!(text.contains("a queue; [Rule 4 - Architectural] a cache"), "{text}");
    story.choose("sqlite");
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs"]);
    let mut block = success("01", &commit);
    block["deviations"] =
        json!([{"rule": 4, "description": "a queue"}, {"rule": 4, "description": "a proxy"}]);
    story.end(effect, report(block));
    let text = story.question().unwrap().1.text;
    assert!(text.contains("a proxy") && !text.contains("a queue"), "{text}");
    story.choose("accept");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn stop() -> Story {
    let mut story = changed();
    story.choose("stop");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story
}

fn small_rules() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs"]);
    let mut block = success("01", &commit);
    block["deviations"] = json!([{"rule": 1, "description": "off by one"}, {"rule": 2, "description": "no check of input"},
        {"rule": 3, "description": "a missing package"}]);
    story.end(effect, report(block));
    let page = &story.world.files[".grid/phases/01-base/01-SUMMARY.md"];
    for line in [
        "[Rule 1 - Bug] off by one",
        "[Rule 2 - Missing Critical] no check of input",
        "[Rule 3 - Blocking] a missing package",
    ] {
        assert!(page.contains(line), "{page}");
    }
    assert_eq!(tally(&story, "deviations"), 3);
    story
}

fn planned_one() -> Story {
    let content = "\n<objective>\nBuild 01\n</objective>\n<task type=\"auto\"><name>Build</name><action>build</action></task>\n\
                   <task type=\"checkpoint:human-verify\" gate=\"blocking\"><name>Look at it</name><action>look</action></task>\n";
    let one = Plan { autonomous: false, content: content.to_owned(), ..plan("01", &[]) };
    let mut story = going(cluster(vec![one]));
    build(&mut story, "01");
    assert_eq!(
        (story.problem().as_str(), status(&story, "01").as_str()),
        ("checkpoint_open", "retry")
    );
    let prompt = prompt_of(&story, "01");
    assert!(prompt.contains("CHECKPOINT of type human-verify at `Look at it`"), "{prompt}");
    execute(&mut story, "01", checkpoint("01", "human-verify"));
    assert_eq!(story.topic(), "checkpoint:human-verify");
    manual(&mut story, true, "it looks good");
    build(&mut story, "01");
    assert_eq!(status(&story, "01"), "executed");
    story
}
