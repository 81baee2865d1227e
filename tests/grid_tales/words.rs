//! What a person says is never lost: it is kept whole, apart from what runs found, and told to all who come after.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "reopened-beside-many-findings",
        "Why a block was opened again is told, however much was found of it",
        beside_findings,
    ),
    tale(
        "not-done-is-told",
        "What a person said who did not act is told when it was done after all",
        not_done,
    ),
    tale("cleaned-is-listed", "What a person said of a tree that was not clean is kept", cleaned),
    tale("put-off-is-told", "Why a block was put off is told when it is taken up", put_off),
    tale("skipped-is-told", "Who waits for a block that was let go is told, and why", skipped),
    tale(
        "long-words-are-kept",
        "Words of a person are kept whole; what is too long is refused",
        long_words,
    ),
    tale(
        "words-are-told-to-who-mends",
        "Who plans and closes a gap is told what people said of its block",
        mended,
    ),
    tale(
        "checkpoint-is-shown-whole",
        "A person is shown all of a checkpoint; what is too long goes back",
        shown_whole,
    ),
    tale(
        "change-is-shown-whole",
        "An architectural change is asked about in all its words",
        change_whole,
    ),
];

/// What is due now tells of `part`.
fn tells(story: &Story, part: &str) {
    let prompt = story.prompt();
    assert!(prompt.contains(part), "{part}: {prompt}");
}

fn decided(story: &Story, line: &str) {
    let page = &story.world.files[".grid/STATE.md"];
    assert!(page.contains(&format!("- {line}\n")), "{line}: {page}");
}

/// The block is built, judged and patrolled, and all who do so are told of `part`.
fn told_to_the_end(story: &mut Story, id: &str, part: &str) {
    assert!(prompt_of(story, id).contains(part), "{part}: {}", prompt_of(story, id));
    build(story, id);
    tells(story, part);
    recognize(story, &[]);
    assert!(story.prompt().contains("PATROL"));
    tells(story, part);
    recognize(story, &[]);
    done(story);
}

fn beside_findings() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    write(&mut story, effect, vec![note("PATTERN", "names are plain text")]);
    let commit = story.world.commit(&["src/01.rs"]);
    let mut said = success("01", &commit);
    let odd = |n: u32| json!({"criterion": format!("ODD-{n}"), "evidence": []});
    said["claims"] = (0..33).map(odd).collect();
    story.end(effect, report(said));
    tells(&story, "- noted: and 3 more\n");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    let reason = "it greets nobody whose name is empty".to_owned();
    story.say(Command::Reopen { item: "01".to_owned(), reason });
    let part = "- The user opened it again: it greets nobody whose name is empty\n";
    told_to_the_end(&mut story, "01", part);
    story
}

fn not_done() -> Story {
    let mut story = going(single());
    execute(&mut story, "01", checkpoint("01", "human-action"));
    manual(&mut story, false, "the mail came from another host");
    story.say(Command::Resume);
    manual(&mut story, true, "clicked it");
    decided(&story, "01: click the link in the mail: not done: the mail came from another host");
    let part = "- Asked to act (click the link in the mail), a person said: not done: the mail came from another host\n";
    told_to_the_end(&mut story, "01", part);
    story
}

fn cleaned() -> Story {
    let mut world = World::new();
    world.dirty.insert("notes.txt".to_owned(), "d".to_owned());
    let mut story = Story::start(&of(single()), world);
    story.go();
    manual(&mut story, false, "these are mine");
    story.say(Command::Resume);
    story.world.dirty.clear();
    manual(&mut story, true, "moved to another folder");
    build(&mut story, "01");
    decided(&story, "the tree was not clean (notes.txt): not done: these are mine");
    decided(&story, "the tree was not clean (notes.txt): done: moved to another folder");
    story
}

fn put_off() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &[])]));
    let reason = "the format of names is not decided".to_owned();
    story.say(Command::Defer { item: "02".to_owned(), reason });
    build(&mut story, "01");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    story.answer(Answer::Confirmation { yes: false });
    let part = "- The user put it off: the format of names is not decided\n";
    told_to_the_end(&mut story, "02", part);
    story
}

fn skipped() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &["01"])]));
    let reason = "another team ships it".to_owned();
    story.say(Command::Skip { item: "01".to_owned(), reason });
    let part = "01 (Build 01): The user let it go: another team ships it\n";
    assert!(prompt_of(&story, "02").contains(part), "{}", prompt_of(&story, "02"));
    build(&mut story, "02");
    story
}

fn long_words() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &[])]));
    let (whole, more) = (format!("{}END", "x".repeat(3_997)), "x".repeat(4_001));
    let item = |id: &str| id.to_owned();
    let change = PlanChange::WaiveCriterion {
        item: item("02"),
        criterion: item("AC-002"),
        reason: more.clone(),
    };
    for command in [
        Command::Skip { item: item("02"), reason: more.clone() },
        Command::Defer { item: item("02"), reason: more.clone() },
        Command::Amend { changes: vec![change] },
        Command::SkipVerification { reason: more.clone() },
    ] {
        assert_eq!(story.command_refused(command).code, Code::TooLarge);
    }
    story.say(Command::Skip { item: item("02"), reason: whole.clone() });
    execute(&mut story, "01", checkpoint("01", "human-verify"));
    let (effect, _) = story.question().unwrap();
    let answer = Answer::ManualStep { done: false, note: more.clone() };
    let error = story.refused(Fact::QuestionAnswered(QuestionAnswered { effect, answer }));
    assert_eq!((error.code, error.at.as_str()), (Code::TooLarge, "answer.note"));
    manual(&mut story, false, &whole);
    decided(
        &story,
        &format!(
            "01: a form, to be verified by: open /form; see the greeting: not as it should be: {whole}"
        ),
    );
    let parts = [
        format!("human-verify: not as it should be: {whole}\n"),
        format!("  answer: not as it should be: {whole}\n"),
    ];
    for part in parts {
        assert!(prompt_of(&story, "01").contains(&part), "{}", prompt_of(&story, "01"));
    }
    execute(&mut story, "01", checkpoint("01", "human-verify"));
    manual(&mut story, true, "it greets");
    build(&mut story, "01");
    tells(&story, &format!("not as it should be: {whole} (the person confirmed it since)"));
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    assert!(story.world.files[".grid/VERIFICATION.md"].contains(&format!("reason: \"{whole}\"")));
    let reopen = |reason: &str| Command::Reopen { item: item("01"), reason: reason.to_owned() };
    assert_eq!(story.command_refused(reopen(&more)).code, Code::TooLarge);
    story.say(reopen(&whole));
    told_to_the_end(&mut story, "01", &format!("opened it again: {whole}\n"));
    story
}

fn mended() -> Story {
    let mut story = going(single());
    execute(&mut story, "01", checkpoint("01", "decision"));
    story.choose("postgres");
    execute(&mut story, "01", checkpoint("01", "human-verify"));
    manual(&mut story, false, "the button is dead");
    execute(&mut story, "01", checkpoint("01", "human-verify"));
    manual(&mut story, true, "it lives");
    build(&mut story, "01");
    recognize(&mut story, &["01/AC-001"]);
    let parts = [
        "the choice is postgres\n",
        "not as it should be: the button is dead\n",
        "done: it lives\n",
    ];
    parts.iter().for_each(|part| tells(&story, part));
    story.run("planner", json!({"plans": [closing("fix", &["01/AC-001"])]}));
    let prompt = prompt_of(&story, "fix");
    assert!(parts.iter().all(|part| prompt.contains(part)), "{prompt}");
    build(&mut story, "fix");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn long(count: usize) -> String {
    format!("{}END", "x".repeat(count - 3))
}

fn shown_whole() -> Story {
    let mut story = going(single());
    let mut said = checkpoint("01", "human-verify");
    let body = &mut said["checkpoint"];
    (body["what_was_built"], body["awaiting"]) = (json!(long(2_000)), json!("your word on it"));
    body["how_to_verify"] = json!([long(1_000), long(1_001)]);
    execute(&mut story, "01", said.clone());
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("too_large", "executor"));
    assert!(prompt_of(&story, "01").contains("checkpoint.how_to_verify[1]: "));
    said["checkpoint"]["how_to_verify"] = json!(vec![long(1_000); 21]);
    execute(&mut story, "01", said.clone());
    assert_eq!(story.problem(), "too_large");
    said["checkpoint"]["how_to_verify"] = json!(vec![long(1_000); 20]);
    execute(&mut story, "01", said);
    let question = story.question().unwrap().1;
    let end = format!("What was built: {}. Awaiting: your word on it", long(2_000));
    assert!(question.text.ends_with(&end), "{}", question.text);
    let json = serde_json::to_string(&question).unwrap();
    assert_eq!(json.matches(&long(1_000)).count(), 21);
    manual(&mut story, true, "it greets");
    // Once more among the decisions.
    assert_eq!(prompt_of(&story, "01").matches(&long(1_000)).count(), 22);
    story
}

fn change_whole() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    write(&mut story, effect, vec![note("PATTERN", "names are plain text")]);
    let commit = story.world.commit(&["src/01.rs"]);
    let mut said = success("01", &commit);
    said["deviations"] = json!([{"rule": 4, "description": long(1_000)}]);
    story.end(effect, report(said));
    assert!(story.question().unwrap().1.text.ends_with(&long(1_000)));
    story.choose("take_back");
    assert_eq!(forbidden(&prompt_of(&story, "01")), [long(1_000)]);
    story
}
