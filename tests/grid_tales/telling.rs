//! What was found, refused and decided is told to all who come after, and nothing is closed by nothing.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "gap-is-told",
        "A gap is told to who closes it, who judges it, and the patrol, with its evidence",
        told,
    ),
    tale(
        "gap-closed-by-nothing",
        "Over the same head a gap is not closed by what was not enough",
        by_nothing,
    ),
    tale(
        "gap-closed-by-nothing-again",
        "A gap that is closed by nothing again and again is the user's",
        by_nothing_again,
    ),
    tale(
        "gap-beside-is-told",
        "A gap beside the must-haves is told like those, and not closed by nothing",
        beside,
    ),
    tale("refused-change-stands", "A refused change has to be gone, and is judged", stands),
    tale(
        "refused-change-in-words",
        "A refused change that names no file is not there already",
        in_words,
    ),
    tale("refused-and-allowed", "A refused change that comes again may be allowed", allowed),
    tale("a-choice-is-told", "What a person chose is told to all who build and judge", chosen),
    tale("an-action-is-told", "What a person did is verified as was said", acted),
    tale("decisions-are-listed", "Every decision of the user stands in the state file", listed),
];

fn found() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    recognize(&mut story, &["01/AC-002"]);
    story.run("planner", json!({"plans": [closing("fix", &["01/AC-002"])]}));
    story
}

/// Everything that is known of the gap.
fn tells(prompt: &str) {
    for part in [
        "01/AC-002: 01 is tested\n- gap: 01/AC-002 is a stub; missing: the real thing\n",
        "- found out by: ran its test\n",
        "- not enough, or against it: command `test 01 AC-002`\n",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
}

fn told() -> Story {
    let mut story = found();
    let prompt = prompt_of(&story, "fix");
    tells(&prompt);
    assert!(prompt.contains("; nothing changed since; open"), "{prompt}");
    build(&mut story, "fix");
    tells(&story.prompt());
    assert!(!story.prompt().contains("; nothing changed since"), "{}", story.prompt());
    recognize(&mut story, &[]);
    assert!(story.prompt().contains("PATROL"));
    tells(&story.prompt());
    assert!(story.prompt().contains("; shown at "), "{}", story.prompt());
    recognize(&mut story, &[]);
    done(&story);
    for page in [".grid/VERIFICATION.md", ".grid/phases/01-base/01-SUMMARY.md"] {
        let text = &story.world.files[page];
        let line = "AC-002: 01/AC-002 is a stub; missing: the real thing (shown at ";
        assert!(text.contains(line), "{text}");
    }
    story.say(Command::Reopen { item: "01".to_owned(), reason: "it is a stub again".to_owned() });
    tells(&prompt_of(&story, "01"));
    build(&mut story, "01");
    tells(&story.prompt());
    assert!(story.prompt().contains("; open\n"), "{}", story.prompt());
    story
}

fn there(id: &str, claims: Value) -> Value {
    json!({
        "block": id, "status": "SUCCESS", "claims": claims,
        "summary": {"commits": [], "already_there": true, "words": "it was there"},
    })
}

fn proof(criterion: &str) -> Value {
    json!([{"criterion": criterion, "evidence": [{"kind": "command", "command": "make check", "exit_status": 0}]}])
}

/// Its executor finds the work there, with proof; the recognizer brings what it had brought before.
fn by_nothing_once(story: &mut Story, id: &str) {
    execute(story, id, there(id, proof("01/AC-002")));
    assert_eq!(status(story, id), "executed");
    assert!(story.prompt().contains("; nothing changed since; open"), "{}", story.prompt());
    recognize(story, &[]);
    assert_eq!(
        (story.problem().as_str(), status(story, "01").as_str()),
        ("gap_unchanged", "executed")
    );
}

fn by_nothing() -> Story {
    let mut story = found();
    execute(&mut story, "fix", there("fix", json!([])));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("gap_unchanged", "executor"));
    let prompt = prompt_of(&story, "fix");
    assert!(prompt.contains("a commit that closes 01/AC-002, or typed evidence"), "{prompt}");
    by_nothing_once(&mut story, "fix");
    assert_eq!((tally(&story, "overruled"), story.due().as_str()), (1, "planner"));
    let again = "01/AC-002: nothing changed since it was told: 01/AC-002 is a stub; missing";
    assert!(story.prompt().contains(again), "{}", story.prompt());
    story.run("planner", json!({"plans": [closing("fix-2", &["01/AC-002"])]}));
    assert!(prompt_of(&story, "fix-2").contains("- told 2 times"));
    execute(&mut story, "fix-2", there("fix-2", proof("01/AC-002")));
    // The one who judged it was wrong: other evidence shows it.
    let mut block = verdict(&story, "CLEAR", &[]);
    for row in block["verdicts"].as_array_mut().unwrap() {
        row["evidence"][0]["command"] = json!(format!("make {}", row["criterion"]));
    }
    story.run("recognizer", block);
    assert_eq!(status(&story, "01"), "verified");
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn by_nothing_again() -> Story {
    let mut story = found();
    by_nothing_once(&mut story, "fix");
    story.run("planner", json!({"plans": [closing("fix-2", &["01/AC-002"])]}));
    by_nothing_once(&mut story, "fix-2");
    assert_eq!(story.topic(), "gaps_remain");
    story.choose("waive");
    recognize(&mut story, &[]);
    done(&story);
    let page = &story.world.files[".grid/phases/01-base/01-SUMMARY.md"];
    assert!(page.contains("(let go by the user: "), "{page}");
    story
}

fn beside() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    let mut block = verdict(&story, "GAPS_FOUND", &[]);
    block["gaps"] = json!([{"reason": "the readme lies", "missing": ["a word on names"]}]);
    story.run("recognizer", block);
    story.run("planner", json!({"plans": [closing("readme", &[])]}));
    let prompt = prompt_of(&story, "readme");
    assert!(prompt.contains("- gap: the readme lies; missing: a word on names\n"), "{prompt}");
    execute(&mut story, "readme", there("readme", json!([])));
    assert_eq!(story.problem(), "gap_unchanged");
    build(&mut story, "readme");
    assert!(story.prompt().contains("- gap: the readme lies; missing: a word on names\n"));
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn with_change(story: &mut Story, paths: &[&str], change: Value) {
    let effect = story.begin_item("executor", "01");
    write(story, effect, vec![note("PATTERN", "names are plain text")]);
    let commit = story.world.commit(paths);
    let mut block = success("01", &commit);
    block["deviations"] = change;
    story.end(effect, report(block));
}

fn stands() -> Story {
    let mut story = going(single());
    let change = json!([{"rule": 4, "description": "a new table", "files": ["db/new.sql"]}]);
    with_change(&mut story, &["src/01.rs", "db/new.sql"], change);
    story.choose("take_back");
    assert!(prompt_of(&story, "01").contains("- a new table (BACK-001); files: db/new.sql; as they were, of the work it came with: db/new.sql, src/01.rs\n"));
    execute(&mut story, "01", there("01", json!([])));
    assert_eq!(story.problem(), "change_stands");
    assert!(
        prompt_of(&story, "01").contains("got db/new.sql as it was"),
        "{}",
        prompt_of(&story, "01")
    );
    with_change(&mut story, &["src/01.rs"], json!([]));
    assert_eq!(story.problem(), "change_stands", "a commit that leaves it as it was");
    with_change(&mut story, &["src/01.rs", "db/new.sql"], json!([]));
    assert_eq!(status(&story, "01"), "executed");
    for part in [
        "01/BACK-001: The change of rule 4 that the user refused was taken back: a new table",
        "[Rule 4 - Architectural] a new table (refused by the user: to be taken back)",
    ] {
        assert!(story.prompt().contains(part), "{part}");
    }
    recognize(&mut story, &["01/BACK-001"]);
    close(&mut story, "fix", &["01/BACK-001"], &[]);
    assert!(story.prompt().contains("PATROL") && story.prompt().contains("(refused by the user"));
    recognize(&mut story, &[]);
    done(&story);
    let page = |path: &str| &story.world.files[path];
    assert!(page(".grid/STATE.md").contains("01: rule 4, refused, to be taken back: a new table"));
    assert!(
        page(".grid/phases/01-base/01-SUMMARY.md").contains("a new table (refused by the user")
    );
    story
}

fn in_words() -> Story {
    let mut story = going(single());
    let change = json!([{"rule": 4, "description": "a new table"}]);
    with_change(&mut story, &["src/01.rs"], change);
    story.choose("take_back");
    execute(&mut story, "01", there("01", json!([])));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("change_stands", "executor"));
    // A commit beside all that it came with takes nothing back.
    with_change(&mut story, &["src/02.rs"], json!([]));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("change_stands", "executor"));
    let still = "- a new table (BACK-001); as they were, of the work it came with: src/01.rs\n";
    assert!(story.prompt().contains(still), "{}", story.prompt());
    with_change(&mut story, &["src/01.rs"], json!([]));
    assert_eq!(status(&story, "01"), "executed");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn allowed() -> Story {
    let mut story = going(single());
    let change = json!([{"rule": 4, "description": "a new table"}]);
    with_change(&mut story, &["src/01.rs"], change.clone());
    story.choose("take_back");
    with_change(&mut story, &["src/01.rs"], change.clone());
    assert_eq!(story.topic(), "architecture", "it came again");
    story.choose("take_back");
    with_change(&mut story, &["src/01.rs"], change);
    story.choose("accept");
    assert_eq!(status(&story, "01"), "executed");
    assert!(story.prompt().contains("a new table (allowed by the user)"));
    assert!(story.prompt().contains("taken back: a new table (let go)"), "{}", story.prompt());
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn waiting(kind: &str) -> Story {
    let mut story = going(single());
    execute(&mut story, "01", checkpoint("01", kind));
    story
}

fn chosen() -> Story {
    let mut story = waiting("decision");
    story.choose("postgres");
    let tells = |prompt: &str| {
        let part = "- decision at thread 1.2: where names are kept\n  options: sqlite (for: one file; against: one \
                    writer); postgres (for: many writers; against: a server)\n  answer: the choice is postgres\n";
        assert!(prompt.contains(part), "{prompt}");
    };
    tells(&prompt_of(&story, "01"));
    build(&mut story, "01");
    tells(&story.prompt());
    recognize(&mut story, &[]);
    assert!(story.prompt().contains("PATROL"));
    tells(&story.prompt());
    let page = &story.world.files[".grid/STATE.md"];
    assert!(page.contains("- 01: where names are kept: the choice is postgres"), "{page}");
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn acted() -> Story {
    let mut story = waiting("human-action");
    manual(&mut story, true, "clicked it");
    let part = "- human-action at thread 1.2: click the link in the mail\n  answer: done: clicked it\n  verified afterwards \
                by: the API accepts the key\n";
    assert!(prompt_of(&story, "01").contains(part), "{}", prompt_of(&story, "01"));
    execute(&mut story, "01", checkpoint("01", "human-verify"));
    manual(&mut story, true, "it greets");
    assert!(prompt_of(&story, "01").contains(part), "of all checkpoints, not of the last");
    build(&mut story, "01");
    assert!(story.prompt().contains(part), "{}", story.prompt());
    assert!(story.prompt().contains("answer: done: it greets\n"), "{}", story.prompt());
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn listed() -> Story {
    let config = cluster(vec![plan("01", &[]), plan("02", &[]), plan("03", &[])]);
    let mut story = going(grid::Config { max_gap_rounds: 1, max_parallel: 1, ..config });
    let why = |text: &str| text.to_owned();
    story.say(Command::Pause);
    story.say(Command::Skip { item: "03".to_owned(), reason: why("nobody needs it") });
    let change = PlanChange::WaiveCriterion {
        item: "02".to_owned(),
        criterion: "AC-002".to_owned(),
        reason: why("tested by hand"),
    };
    story.say(Command::Amend { changes: vec![change] });
    story.say(Command::Resume);
    build(&mut story, "01");
    build(&mut story, "02");
    recognize(&mut story, &["01/AC-001"]);
    close(&mut story, "fix", &["01/AC-001"], &["01/AC-001"]);
    story.choose("waive");
    let page = &story.world.files[".grid/STATE.md"];
    for line in [
        "- 03 was let go: nobody needs it",
        "- 02/AC-002 was let go: tested by hand",
        "- the gap 01/AC-001 was let go: 01/AC-001 is a stub",
    ] {
        assert!(page.contains(line), "{line}: {page}");
    }
    story
}
