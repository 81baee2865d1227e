//! Whose a commit is: what a report names may carry files of another, or be another's altogether.

use super::*;

pub const TALES: &[Tale] = &[
    tale("stolen-in-a-named-commit", "A named commit with a file of another is an overlap", stolen),
    tale("swept-along", "So is a file of a neighbour that a commit swept along", swept),
    tale("stolen-by-a-failure", "So is one in a commit that a failure names", by_failure),
    tale("beside-its-files", "What a commit changes beside all that is named is told", beside),
    tale("one-commit-for-two", "A commit is of the one whose plan lists what it changed", for_two),
    tale("nobody-can-tell", "Where nobody can tell whose a commit is both are told", of_both),
    tale("written-over", "Who judges a wave is told what of earlier ones it changed", written_over),
    tale("while-nobody-was-at-work", "What a person commits over a question is nobody's", users),
    tale("named-by-another-before", "Nor is it another's again later", before),
    tale(
        "left-for-a-person",
        "What a block leaves for a person to look at is in nobody's way, and nobody's to clear away",
        for_a_person,
    ),
    tale(
        "cleared-away-is-told",
        "Where nobody can tell whose it is the person looks first; what was cleared away is told",
        cleared,
    ),
];

fn pair() -> (Story, EffectId, EffectId) {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &[])]));
    let one = story.begin_item("executor", "01");
    let two = story.begin_item("executor", "02");
    (story, one, two)
}

fn naming(id: &str, commits: &[&str]) -> String {
    let mut said = success(id, commits[0]);
    said["summary"]["commits"] = json!(commits);
    report(said)
}

/// Both blocks, those who verify and the concerns are told.
fn told(story: &Story, line: &str) {
    for id in ["01", "02"] {
        let findings = at(story, id, "/findings").to_string();
        assert!(findings.contains(line), "{id}: {findings}");
    }
    assert!(story.state()["core"]["concerns"].to_string().contains(line));
    assert!(story.prompt().contains(line), "{}", story.prompt());
}

fn stolen() -> Story {
    let (mut story, one, two) = pair();
    let mine = story.world.commit(&["src/02.rs"]);
    let theft = story.world.commit(&["src/02.rs"]);
    let own = story.world.commit(&["src/01.rs"]);
    story.end(one, naming("01", &[&theft, &own]));
    story.end(two, naming("02", &[&mine]));
    told(&story, &format!("src/02.rs, a file of 02, was changed by 01 in {}", &theft[..12]));
    assert_eq!(story.due(), "recognizer");
    story
}

fn swept() -> Story {
    let (mut story, one, two) = pair();
    let both = story.world.commit(&["src/01.rs", "src/02.rs"]);
    let mine = story.world.commit(&["src/02.rs"]);
    story.end(one, naming("01", &[&both]));
    story.end(two, naming("02", &[&mine]));
    told(&story, &format!("src/02.rs, a file of 02, was changed by 01 in {}", &both[..12]));
    story
}

fn by_failure() -> Story {
    let (mut story, one, two) = pair();
    let mine = story.world.commit(&["src/02.rs"]);
    let theft = story.world.commit(&["src/02.rs"]);
    let mut said = failure("01", "a way", &[]);
    said["failure"]["commits"] = json!([theft]);
    story.end(one, report(said));
    story.end(two, naming("02", &[&mine]));
    let line = format!("src/02.rs, a file of 02, was changed by 01 in {}", &theft[..12]);
    assert!(at(&story, "02", "/findings").to_string().contains(&line));
    assert!(prompt_of(&story, "01").contains(&line));
    story
}

fn beside() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["evil.txt", "src/01.rs"]);
    story.end(effect, naming("01", &[&commit]));
    let line = "changes what neither its report nor its plan names: evil.txt";
    assert!(story.prompt().contains(line), "{}", story.prompt());
    let summary = &story.world.files[".grid/phases/01-base/01-SUMMARY.md"];
    assert!(summary.contains(line), "{summary}");
    story
}

fn for_two() -> Story {
    let (mut story, one, two) = pair();
    story.world.commit(&["notes.md"]);
    let theirs = story.world.commit(&["src/02.rs"]);
    story.end(one, naming("01", &[&theirs]));
    story.end(two, naming("02", &[&theirs]));
    assert_eq!(story.problem(), "no_commit");
    assert_eq!((status(&story, "01"), status(&story, "02")), ("retry".into(), "executed".into()));
    let prompt = prompt_of(&story, "01");
    assert!(prompt.contains("which changes files of 02, who names it"), "{prompt}");
    story
}

fn of_both() -> Story {
    let (mut story, one, two) = pair();
    let both = story.world.commit(&["evil.txt", "src/01.rs", "src/02.rs"]);
    story.end(one, naming("01", &[&both]));
    let mut said = success("02", &both);
    said["summary"]["key-files"] = json!({});
    story.end(two, report(said));
    assert_eq!(story.problem(), "nothing_touched");
    // What both were told they may both name, also when one of them mends its report.
    let two = story.begin_item("executor", "02");
    story.end(two, naming("02", &[&both]));
    told(&story, &format!("commit {}… is named by 01 and 02: nobody can tell", &both[..12]));
    assert!(story.prompt().contains("nor its plan names: evil.txt"), "{}", story.prompt());
    story
}

fn users() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &[])]));
    build(&mut story, "02");
    execute(&mut story, "01", checkpoint("01", "human-action"));
    let theirs = story.world.commit(&["src/02.rs", "key.txt"]);
    story.answer(Answer::ManualStep { done: true, note: "done".to_owned() });
    build(&mut story, "01");
    let line = format!(
        "{}…, while nobody was at work; changed meanwhile: key.txt, src/02.rs",
        &theirs[..12]
    );
    recognize(&mut story, &[]);
    let page = &story.world.files[".grid/VERIFICATION.md"];
    assert!(page.contains(&line), "{page}");
    let core = story.state()["core"].to_string();
    assert!(!core.contains("file_overlap"), "{core}");
    for id in ["01", "02"] {
        assert!(!at(&story, id, "/findings").to_string().contains("key.txt"));
    }
    story
}

fn before() -> Story {
    let mut story =
        going(grid::Config { max_parallel: 1, ..cluster(vec![plan("01", &[]), plan("02", &[])]) });
    build(&mut story, "01");
    let old = story.world.head().unwrap();
    let effect = story.begin_item("executor", "02");
    let new = story.world.commit(&["src/02.rs"]);
    story.end(effect, naming("02", &[&old, &new]));
    assert_eq!(story.problem(), "no_commit");
    assert!(prompt_of(&story, "02").contains(", a commit of 01"), "{}", prompt_of(&story, "02"));
    story
}

fn written_over() -> Story {
    let mut first = plan("01", &[]);
    first.must_haves.artifacts = vec![Artifact {
        path: "src/01.rs".to_owned(),
        provides: None,
        min_lines: Some(2),
        contains: None,
        exports: Vec::new(),
    }];
    let mut story = going(cluster(vec![first, plan("02", &["01"])]));
    story.world.files.insert("src/01.rs".to_owned(), "fn ring() {\n}\n".to_owned());
    build(&mut story, "01");
    assert!(!story.prompt().contains("changed since"));
    recognize(&mut story, &[]);
    let effect = story.begin_item("executor", "02");
    story.world.files.insert("src/01.rs".to_owned(), "gone\n".to_owned());
    let commit = story.world.commit(&["src/01.rs", "src/02.rs"]);
    story.end(effect, naming("02", &[&commit]));
    let prompt = story.prompt();
    let (_, over) = prompt.split_once("## Verified before, and changed since").unwrap();
    let over = over.to_owned();
    // Who judges it as a row all the same is told where to say so.
    let mut block = verdict(&story, "GAPS_FOUND", &[]);
    block["verdicts"].as_array_mut().unwrap().push(row("01", "ART-001", "does_not_hold"));
    story.run("recognizer", block);
    assert_eq!(story.problem(), "unknown_item");
    assert!(story.prompt().contains("of 01 is no row but a gap"), "{}", story.prompt());
    for line in ["Block 01, changed: src/01.rs", "- AC-001: 01 works", "1 lines that are not blank"]
    {
        assert!(over.contains(line), "{line}: {over}");
    }
    recognize(&mut story, &[]);
    let patrol = story.prompt();
    assert!(patrol.contains("- 01/AC-001: 01 works (shown before, show it again)"), "{patrol}");
    let due = "Remaining contract IDs: 01/AC-001, 01/AC-002, 01/ART-001\n";
    assert!(patrol.contains(due), "{patrol}");
    assert!(!patrol.contains("## Verified before"), "{patrol}");
    recognize(&mut story, &[]);
    let gaps = story.state()["core"]["gaps"].to_string();
    assert!(gaps.contains("ART-001") && gaps.contains("the host looked"), "{gaps}");
    story
}

/// The first leaves a file and waits at a checkpoint, the second fails.
fn left_behind(path: &str) -> Story {
    let (mut story, one, two) = pair();
    write(&mut story, one, vec![note("PROGRESS", "half of it")]);
    story.world.dirty.insert(path.to_owned(), "half".to_owned());
    story.end(one, report(checkpoint("01", "human-verify")));
    story.end(two, report(failure("02", "static linking", &[])));
    story
}

fn for_a_person() -> Story {
    let mut story = left_behind("src/01.rs");
    assert_eq!(items(&story), ["02"], "{}", story.topic());
    let told = "Not committed, and not yours: a person is to look at it as it is.";
    let prompt = prompt_of(&story, "02");
    assert!(prompt.contains(told) && prompt.contains("\n- src/01.rs (block 01)\n"), "{prompt}");
    assert!(!prompt.contains("The tree is not clean"), "{prompt}");
    build(&mut story, "02");
    assert_eq!(story.topic(), "checkpoint:human-verify");
    manual(&mut story, true, "it greets");
    let prompt = prompt_of(&story, "01");
    assert!(prompt.contains("The tree is not clean: src/01.rs. Finish"), "{prompt}");
    build(&mut story, "01");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn cleared() -> Story {
    let mut story = left_behind("shared.txt");
    assert_eq!(story.topic(), "checkpoint:human-verify");
    manual(&mut story, true, "it greets");
    assert_eq!(story.topic(), "dirty_tree");
    story.world.dirty.clear();
    manual(&mut story, true, "stashed it");
    let told = "- Asked to commit or stash what was not committed (shared.txt), a person said done: stashed it\n";
    for id in ["01", "02"] {
        assert!(prompt_of(&story, id).contains(told), "{}", prompt_of(&story, id));
    }
    story
}
