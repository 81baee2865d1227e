//! Gaps: found, closed, left; and what a person must decide.

use super::*;

pub const TALES: &[Tale] = &[
    tale("gap-closed", "A gap is planned, built and verified", closed),
    tale(
        "gap-let-go-is-not-closed",
        "What says of a gap that it is closed is not called verified where it was let go",
        not_closed,
    ),
    tale(
        "gap-let-go-before-the-last-wave",
        "A gap that was let go stands in the verdict behind later waves, in every place in the same words",
        before_the_last_wave,
    ),
    tale(
        "let-go-is-not-opened-again",
        "What a person let go and a patrol names again stays let go, and is noted",
        not_opened_again,
    ),
    tale(
        "gap-by-its-whole-id",
        "A gap named as the prompts print it is the gap of that must-have, and no other",
        by_whole_id,
    ),
    tale("gap-remains", "When no round is left, the user is asked; one more closes it", remains),
    tale("gaps-waived", "The user lets gaps go", waived),
    tale("gaps-stop", "The user stops over gaps, and goes on later", stopped),
    tale("clear-is-overruled", "CLEAR over a must-have nobody showed is overruled", overruled),
    tale("gap-beside-must-haves", "A gap that is no must-have is closed, too", beside),
    tale("gaps-without-a-gap", "GAPS_FOUND without a gap is asked again, never CLEAR", without),
    tale(
        "gap-in-sight",
        "A gap beside the must-haves becomes one of the block that closes it, and is judged",
        in_sight,
    ),
    tale(
        "closure-of-an-unknown-gap",
        "A closure plan for a gap that is not there goes back",
        unknown,
    ),
    tale(
        "anomaly-becomes-gaps",
        "A critical anomaly stops; the user has it closed like a gap",
        anomaly,
    ),
    tale(
        "anomaly-beside-clear",
        "A report that names an anomaly beside another verdict contradicts itself",
        two_words,
    ),
    tale("anomaly-again", "A critical anomaly is verified again", again),
    tale("anomaly-stop", "A critical anomaly blocks the mission", halt),
    tale(
        "anomaly-beside-gaps",
        "An anomaly that is closed like a gap is one, whatever other gaps there are",
        anomaly_and_gap,
    ),
    tale("gap-unjudged", "What closes a gap is judged, and waits for nothing later", unjudged),
    tale("gap-beside-waived", "A gap beside the must-haves that is let go is named", beside_waived),
    tale("doubt-counts", "A recognizer's doubt is not overruled by a pattern", doubted),
    tale("patrol-in-silence", "A patrol that shows nothing at a new head is no patrol", silent),
    tale("patrol-and-a-criterion-more", "What was opened behind the waves has a wave", opened),
    tale("patrol-finds-a-gap", "What a patrol finds is mended in a wave of its own", patrol),
    tale(
        "patrol-gaps-waived",
        "The user lets go what a patrol found when no round is left",
        patrol_waived,
    ),
    tale(
        "evidence-that-is-not-there",
        "A recognizer's file that is not there is refused, and told",
        not_there,
    ),
    tale(
        "proof-that-is-not-there",
        "An executor's file that is not there is refused, and mended",
        unproven,
    ),
    tale(
        "evidence-that-says-nothing",
        "A line behind the end, a plan, a command that cannot fail: none of it shows anything",
        says_nothing,
    ),
    tale(
        "recognizer-in-prose",
        "A recognizer that answers in prose is asked once more, then failed",
        prose,
    ),
    tale(
        "recognizer-of-the-same-session",
        "Nobody verifies what their own session claimed",
        session,
    ),
];

fn gap() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    recognize(&mut story, &["01/AC-002"]);
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("gaps_found", "planner"));
    assert!(
        story.prompt().contains("01/AC-002 is a stub; missing: the real thing"),
        "{}",
        story.prompt()
    );
    story
}

fn closed() -> Story {
    let mut story = gap();
    assert!(story.world.files[".grid/VERIFICATION.md"].contains("status: GAPS_FOUND"));
    close(&mut story, "01-fix", &["01/AC-002"], &[]);
    assert_eq!(status(&story, "01"), "verified");
    recognize(&mut story, &[]);
    done(&story);
    assert_eq!(tally(&story, "gap_rounds"), 1);
    let page = &story.world.files[".grid/VERIFICATION.md"];
    let line = "- AC-002 01 is tested: verified; a gap, closed in round 1 by 01-fix\n";
    assert!(page.contains(line), "{page}");
    story
}

/// A plan that has no must-have but to close what it names.
fn bare_close(story: &mut Story, id: &str) {
    let mut plan = closing(id, &["01/AC-002"]);
    plan["frontmatter"] = json!({});
    story.run("planner", json!({"plans": [plan]}));
    build(story, id);
    recognize(story, &["01/AC-002"]);
}

fn not_closed() -> Story {
    let mut story = gap();
    bare_close(&mut story, "fix-1");
    bare_close(&mut story, "fix-2");
    let page = |story: &Story| story.world.files[".grid/VERIFICATION.md"].clone();
    let of = "- AC-001 The gaps 01/AC-002 are closed: not closed: 01/AC-002";
    assert!(
        page(&story).contains(&format!("{of} is rejected: ran its test\n")),
        "{}",
        page(&story)
    );
    story.choose("waive");
    let now = page(&story);
    let why = "by the user: no round of closure was left\n";
    assert_eq!(now.matches(&format!("{of} was let go {why}")).count(), 2, "{now}");
    assert!(now.contains(&format!("- AC-002 01 is tested: waived {why}")), "{now}");
    let unjudged = "not verified: 01/AC-002 was let go by the user: no round of closure was left";
    assert!(now.contains(&format!("## fix-2 ({unjudged})\n")), "{now}");
    assert!(now.contains("score: 1/4 must-haves\n"), "{now}");
    let tree = &story.world.files[".grid/STATE.md"];
    assert!(tree.contains(&format!("(closes gaps) [{unjudged}")), "{tree}");
    recognize(&mut story, &[]);
    done(&story);
    same_everywhere(&story, &["fix-1", "fix-2"], (1, 4), unjudged);
    story
}

/// Every place that shows how blocks and the cluster came out says the same.
fn same_everywhere(story: &Story, gone: &[&str], (shown, total): (u64, u64), why: &str) {
    let (view, page) = (story.engine.view(), |path: &str| story.world.files[path].clone());
    let verification = page(".grid/VERIFICATION.md");
    let score = format!("status: GAPS_WAIVED\nscore: {shown}/{total} must-haves\n");
    assert!(verification.contains(&score), "{verification}");
    let let_go = view.end.as_ref().unwrap().waived.len();
    assert_eq!(shown + u64::try_from(let_go).unwrap(), total);
    let words = format!("{total} of {total} must-haves are settled, {let_go} of them let go");
    assert!(view.reason.starts_with(&words), "{}", view.reason);
    let waived = view.nodes.iter().flat_map(|node| &node.criteria);
    assert_eq!(waived.filter(|one| one.state == "waived").count(), let_go);
    assert!(page(".grid/STATE.md").contains("|-- Recognizer: GAPS_WAIVED at "));
    for id in gone {
        let node = view.nodes.iter().find(|node| node.id == *id).unwrap();
        assert_eq!(node.status, "not verified", "{id}");
        let summary = page(&format!(".grid/phases/01-base/{id}-SUMMARY.md"));
        assert!(summary.contains(&format!("## Verification\n\n{why}")), "{summary}");
    }
}

fn before_the_last_wave() -> Story {
    let mut story = going(grid::Config {
        max_gap_rounds: 1,
        ..cluster(vec![plan("01", &[]), plan("02", &["01"])])
    });
    build(&mut story, "01");
    recognize(&mut story, &["01/AC-002"]);
    bare_close(&mut story, "fix-1");
    story.choose("waive");
    build(&mut story, "02");
    recognize(&mut story, &[]);
    let told = story.prompt();
    assert!(
        told.contains("- 01/AC-002 (01 is tested), let go by the user: no round of closure was"),
        "{told}"
    );
    assert!(!told.contains("fix-1/AC-001: "), "{told}");
    recognize(&mut story, &[]);
    done(&story);
    let why = "not verified: 01/AC-002 was let go by the user: no round of closure was left";
    same_everywhere(&story, &["fix-1"], (3, 5), why);
    story
}

fn not_opened_again() -> Story {
    let mut story = spent();
    story.choose("waive");
    let mut again = verdict(&story, "GAPS_FOUND", &[]);
    again["gaps"] = json!([{"block": "01", "criterion": "AC-002", "reason": "still no test"}]);
    story.run("recognizer", again);
    done(&story);
    assert_eq!(tally(&story, "gap_rounds"), 2, "nobody was sent for it");
    assert_eq!(story.engine.view().end.unwrap().waived, ["01/AC-002"]);
    let page = &story.world.files[".grid/STATE.md"];
    let line = "- 01/AC-002 was let go, and seen again by run ";
    assert!(page.contains(line) && page.contains(": still no test\n"), "{page}");
    story
}

fn by_whole_id() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    let mut other = verdict(&story, "GAPS_FOUND", &["01/AC-002"]);
    other["gaps"] = json!([{"block": "02", "criterion": "01/AC-002", "reason": "no test"}]);
    story.run("recognizer", other);
    assert_eq!(story.problem(), "inconsistent_verdict");
    let mut whole = verdict(&story, "GAPS_FOUND", &["01/AC-002"]);
    let said = json!({"criterion": "01/AC-002", "reason": "no test", "missing": ["status 64"]});
    whole["gaps"] = json!([said]);
    story.run("recognizer", whole);
    let page = |story: &Story| story.world.files[".grid/VERIFICATION.md"].clone();
    assert!(page(&story).contains("no test; missing: status 64"), "{}", page(&story));
    close(&mut story, "fix-1", &["01/AC-002"], &["01/AC-002"]);
    story.run("planner", json!({"plans": [closing("fix-2", &["01/AC-002"])]}));
    build(&mut story, "fix-2");
    let mut whole = verdict(&story, "GAPS_FOUND", &["01/AC-002"]);
    whole["gaps"] = json!([said]);
    story.run("recognizer", whole);
    assert_eq!(story.topic(), "gaps_remain");
    assert!(!page(&story).contains("GAP-001"), "{}", page(&story));
    story.choose("waive");
    let mut gone = verdict(&story, "GAPS_FOUND", &[]);
    gone["gaps"] = json!([said]);
    story.run("recognizer", gone);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["01/AC-002"]);
    story
}

fn spent() -> Story {
    let mut story = gap();
    close(&mut story, "fix-1", &[], &["01/AC-002"]);
    close(&mut story, "fix-2", &["01/AC-002"], &["01/AC-002"]);
    assert_eq!(story.topic(), "gaps_remain");
    story
}

fn remains() -> Story {
    let mut story = spent();
    story.choose("more");
    close(&mut story, "fix-3", &[], &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn waived() -> Story {
    let mut story = spent();
    let page = |story: &Story| story.world.files[".grid/VERIFICATION.md"].clone();
    assert!(page(&story).contains("status: GAPS_FOUND\nscore: 3/4 must-haves"), "{}", page(&story));
    story.choose("waive");
    let now = page(&story);
    assert!(now.contains("status: GAPS_WAIVED\nscore: 3/4 must-haves\ngaps:\nwaived:\n"), "{now}");
    assert!(
        now.contains("  - block: \"01\"\n    criterion: \"AC-002\"\n    by: \"user\"\n"),
        "{now}"
    );
    assert!(story.engine.view().reason.contains("4 of 4 must-haves are settled, 1 of them let go"));
    let tree = &story.world.files[".grid/STATE.md"];
    assert!(tree.contains("GAPS_WAIVED, 2 rounds of gap closure, let go: 1"), "{tree}");
    recognize(&mut story, &[]);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["01/AC-002"]);
    story
}

fn stopped() -> Story {
    let mut story = spent();
    story.choose("stop");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Resume);
    assert_eq!(story.topic(), "gaps_remain");
    story
}

fn overruled() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    let mut block = verdict(&story, "CLEAR", &[]);
    block["verdicts"][1]["evidence"] = json!([]);
    story.run("recognizer", block);
    assert_eq!(
        (tally(&story, "overruled"), story.due().as_str()),
        (1, "planner"),
        "words show nothing"
    );
    close(&mut story, "fix", &[], &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn beside() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    let mut block = verdict(&story, "GAPS_FOUND", &[]);
    block["gaps"] = json!([{"reason": "the readme lies"}]);
    story.run("recognizer", block);
    assert_eq!(story.due(), "planner");
    close(&mut story, "readme", &[], &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn without() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    let block = verdict(&story, "GAPS_FOUND", &[]);
    story.run("recognizer", block);
    assert_eq!(
        (story.problem().as_str(), status(&story, "01").as_str()),
        ("inconsistent_verdict", "executed")
    );
    let block = verdict(&story, "GAPS_FOUND", &[]);
    story.run("recognizer", block);
    assert_eq!(story.core("/steps/grid-recognizer/attempts"), 1);
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn in_sight() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    let mut block = verdict(&story, "GAPS_FOUND", &[]);
    block["gaps"] = json!([{"block": "01", "criterion": "security", "reason": "SQL injection"}]);
    story.run("recognizer", block);
    story.run("planner", json!({"plans": [closing("fix", &["01/security"])]}));
    assert!(
        prompt_of(&story, "fix")
            .contains("fix/GAP-001: No gap any more (01/security): SQL injection")
    );
    build(&mut story, "fix");
    assert!(story.prompt().contains("fix/GAP-001"), "{}", story.prompt());
    let mut block = verdict(&story, "CLEAR", &[]);
    block["verdicts"].as_array_mut().unwrap().retain(|row| row["criterion"] != "GAP-001");
    story.run("recognizer", block);
    assert_eq!(story.due(), "planner", "nobody showed that the gap is closed");
    close(&mut story, "fix-2", &["fix/GAP-001"], &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn unknown() -> Story {
    let mut story = gap();
    story.run("planner", json!({"plans": [closing("fix", &["01/AC-009"])]}));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("unknown_criterion", "planner"));
    story.run("planner", json!({"plans": [closing("01", &[])]}));
    assert_eq!(story.problem(), "duplicate_id");
    close(&mut story, "fix", &[], &[]);
    story
}

fn two_words() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    let mut block = verdict(&story, "CLEAR", &[]);
    block["anomaly"] = json!("the tests delete the database");
    story.run("recognizer", block.clone());
    assert_eq!(
        (story.problem().as_str(), status(&story, "01").as_str()),
        ("inconsistent_verdict", "executed"),
        "an anomaly beside CLEAR is neither"
    );
    assert!(story.prompt().contains("anomaly"), "{}", story.prompt());
    block["verdict"] = json!("CRITICAL_ANOMALY");
    story.run("recognizer", block);
    assert_eq!(story.topic(), "anomaly");
    story
}

fn critical() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    let mut block = verdict(&story, "CRITICAL_ANOMALY", &[]);
    block["anomaly"] = json!("the tests delete the database");
    story.run("recognizer", block);
    assert_eq!(at(&story, "01", "/criteria/0/state/state"), "claimed", "its rows settle nothing");
    let page = &story.world.files[".grid/VERIFICATION.md"];
    assert!(page.contains("status: CRITICAL_ANOMALY\nscore: 0/2"), "{page}");
    assert_eq!((story.topic().as_str(), story.problem().as_str()), ("anomaly", "critical_anomaly"));
    assert_eq!(status(&story, "01"), "executed", "the wave does not close over it");
    story
}

fn anomaly() -> Story {
    let mut story = critical();
    story.choose("gaps");
    assert!(story.prompt().contains("the tests delete the database"));
    close(&mut story, "fix", &[], &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn again() -> Story {
    let mut story = critical();
    story.choose("again");
    assert_eq!(story.due(), "recognizer");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn halt() -> Story {
    let mut story = critical();
    story.choose("stop");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    assert_eq!(story.engine.view().problem.unwrap().code, Code::CriticalAnomaly);
    story.say(Command::Resume);
    assert_eq!(story.topic(), "anomaly", "an anomaly nobody answered is no closed wave");
    story.choose("again");
    assert_eq!(story.due(), "recognizer");
    recognize(&mut story, &[]);
    // The patrol finds one as well, and the user stops there, too.
    let mut block = verdict(&story, "CRITICAL_ANOMALY", &[]);
    block["anomaly"] = json!("the tests delete the database");
    story.run("recognizer", block);
    story.choose("stop");
    story.say(Command::Resume);
    assert_eq!(story.topic(), "anomaly");
    story.choose("again");
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn patrolled() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    recognize(&mut story, &[]);
    recognize(&mut story, &["01/AC-001"]);
    assert_eq!((status(&story, "01").as_str(), story.due().as_str()), ("executed", "planner"));
    story
}

fn patrol() -> Story {
    let mut story = patrolled();
    close(&mut story, "fix", &["01/AC-001"], &[]);
    assert_eq!(story.core("/wave"), 2);
    assert!(story.prompt().contains("PATROL"));
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn patrol_waived() -> Story {
    let config = grid::Config { max_gap_rounds: 1, ..single() };
    let mut story = going(config);
    build(&mut story, "01");
    recognize(&mut story, &[]);
    recognize(&mut story, &["01/AC-001"]);
    close(&mut story, "fix", &[], &[]);
    recognize(&mut story, &["01/AC-001"]);
    assert_eq!(story.topic(), "gaps_remain");
    story.choose("waive");
    recognize(&mut story, &[]);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["01/AC-001"]);
    story
}

fn prose() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    let effect = story.begin("recognizer");
    story.end(effect, "All CLEAR, no GAPS_FOUND, everything is VERIFIED.");
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("block_missing", "recognizer"));
    let effect = story.begin("recognizer");
    story.end(effect, "CLEAR");
    assert_eq!(story.core("/steps/grid-recognizer/attempts"), 1);
    assert_eq!(status(&story, "01"), "executed");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn session() -> Story {
    let mut story = going(single());
    let effect = story.begin_in("executor", Some("s1"));
    let commit = story.world.commit(&["src/01.rs"]);
    story.end(effect, report(success("01", &commit)));
    let block = verdict(&story, "CLEAR", &[]);
    story.run_in("recognizer", "s1", block.clone());
    assert_eq!(story.problem(), "own_verdict");
    story.run_in("recognizer", "s2", block);
    assert_eq!(status(&story, "01"), "verified");
    story
}

fn anomaly_and_gap() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    let mut block = verdict(&story, "CRITICAL_ANOMALY", &["01/AC-002"]);
    block["anomaly"] = json!("the signing key is public");
    story.run("recognizer", block);
    story.choose("gaps");
    assert!(story.prompt().contains("the signing key is public"), "{}", story.prompt());
    story.run("planner", json!({"plans": [closing("fix", &[])]}));
    assert!(prompt_of(&story, "fix").contains("the signing key is public"));
    build(&mut story, "fix");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn unjudged() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &["01"])]));
    build(&mut story, "01");
    recognize(&mut story, &["01/AC-002"]);
    let mut unseen = closing("fix", &["01/AC-002"]);
    unseen["frontmatter"]["verify"] = json!(false);
    unseen["frontmatter"]["verify_reason"] = json!("trivial");
    story.run("planner", json!({"plans": [unseen]}));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("invalid_value", "planner"));
    let mut later = closing("fix", &["01/AC-002"]);
    later["depends_on"] = json!(["02"]);
    story.run("planner", json!({"plans": [later]}));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("dependency_open", "planner"));
    let mut beside = closing("fix", &["01/AC-002"]);
    beside["depends_on"] = json!(["01"]);
    story.run("planner", json!({"plans": [beside]}));
    build(&mut story, "fix");
    recognize(&mut story, &[]);
    assert_eq!(status(&story, "01"), "verified");
    story
}

fn beside_waived() -> Story {
    let mut story = going(grid::Config { max_gap_rounds: 1, ..single() });
    build(&mut story, "01");
    recognize(&mut story, &["01/AC-002"]);
    story.run("planner", json!({"plans": [closing("fix", &["01/AC-002"])]}));
    build(&mut story, "fix");
    let mut block = verdict(&story, "GAPS_FOUND", &[]);
    block["gaps"] = json!([{"block": "01", "criterion": "security", "reason": "SQL injection"}]);
    story.run("recognizer", block);
    assert_eq!(story.topic(), "gaps_remain");
    story.choose("waive");
    recognize(&mut story, &[]);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["01/GAP-001"]);
    story
}

fn doubted() -> Story {
    let mut story = going(single());
    story.world.files.insert("src/01.rs".to_owned(), "// run: coming soon\n".repeat(9));
    build(&mut story, "01");
    let mut block = verdict(&story, "GAPS_FOUND", &[]);
    for row in block["verdicts"].as_array_mut().unwrap() {
        row["finding"] = json!("not_shown");
        row["evidence"] = json!([]);
    }
    block["gaps"] = json!([{"block": "01", "criterion": "ART-001", "reason": "only comments"}]);
    story.run("recognizer", block);
    assert_eq!(story.due(), "planner");
    assert!(story.prompt().contains("only comments"), "{}", story.prompt());
    story
}

fn silent() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &["01"])]));
    build(&mut story, "01");
    recognize(&mut story, &[]);
    build(&mut story, "02");
    recognize(&mut story, &[]);
    assert!(story.prompt().contains("PATROL"));
    story.run("recognizer", json!({"verdict": "CLEAR", "verdicts": []}));
    assert_eq!(status(&story, "01"), "executed", "the head moved since it was shown");
    assert_eq!((tally(&story, "overruled"), story.due().as_str()), (1, "planner"));
    story
}

fn opened() -> Story {
    let mut story = patrolled();
    story.say(Command::Amend {
        changes: vec![PlanChange::AddCriterion {
            item: "01".to_owned(),
            text: "It is polite".to_owned(),
            shown_by: None,
        }],
    });
    assert_eq!(status(&story, "01"), "retry");
    assert_eq!(items(&story), ["01"], "it has a wave of its own");
    build(&mut story, "01");
    assert_eq!(story.due(), "planner", "what the patrol found is closed as well");
    story.run("planner", json!({"plans": [closing("fix", &["01/AC-001"])]}));
    build(&mut story, "fix");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn citing(story: &Story, path: &str) -> Value {
    let mut block = verdict(story, "CLEAR", &[]);
    block["verdicts"][0]["evidence"] = json!([{"kind": "file", "path": path, "line": 99999}]);
    block
}

fn not_there() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    let mut block = citing(&story, "nonexistent/foo.txt");
    // All that shows nothing is told at once.
    block["verdicts"][1]["evidence"] =
        json!([{"kind": "command", "command": "true", "exit_status": 0}]);
    story.run("recognizer", block.clone());
    let prompt = story.prompt();
    let told = "nonexistent/foo.txt:99999: no such file is there; `true`: its exit status";
    assert!(prompt.contains(told), "{prompt}");
    assert_eq!(
        (story.problem().as_str(), story.due().as_str()),
        ("evidence_missing", "recognizer")
    );
    story.run("recognizer", block);
    assert_eq!((status(&story, "01").as_str(), story.due().as_str()), ("executed", "recognizer"));
    // A file that is there counts, however it is spelled.
    story.run("recognizer", citing(&story, "./src//01.rs"));
    assert_eq!(status(&story, "01"), "verified");
    // That a file is missing shows that something does not hold.
    let mut block = verdict(&story, "GAPS_FOUND", &["01/AC-001"]);
    block["verdicts"][0]["evidence"] =
        json!([{"kind": "file", "path": "nonexistent/foo.txt", "line": 1}]);
    story.run("recognizer", block);
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("gaps_found", "planner"));
    story
}

fn says_nothing() -> Story {
    let path = Some("plans/01-PLAN.md".to_owned());
    let mut story = going(cluster(vec![Plan { path, ..plan("01", &[]) }]));
    build(&mut story, "01");
    story.world.files.insert("notes.md".to_owned(), "one\ntwo\n".to_owned());
    story.world.files.insert("plans/01-PLAN.md".to_owned(), "---\n---\n".to_owned());
    let place = |path: &str, line: u32| json!({"kind": "file", "path": path, "line": line});
    let runs = |command: &str| json!({"kind": "command", "command": command, "exit_status": 0});
    let bad = [
        (place("notes.md", 99_999), "notes.md:99999: expected a file with 99999 lines, got 2"),
        (
            place("./plans/01-PLAN.md", 1),
            "plans/01-PLAN.md:1: it says what is asked for, and is no work",
        ),
        (runs("true"), "`true`: its exit status does not say how it went"),
        (runs(":"), "`:`: its exit status does not say how it went"),
        (
            runs("make test || true"),
            "`make test || true`: its exit status does not say how it went",
        ),
        (runs("# make test"), "its exit status does not say how it went"),
        (runs(" "), "its exit status does not say how it went"),
    ];
    let count = bad.len();
    for (at, (evidence, told)) in bad.into_iter().enumerate() {
        let mut block = verdict(&story, "CLEAR", &[]);
        block["verdicts"][0]["evidence"] = json!([evidence]);
        story.run("recognizer", block.clone());
        assert_eq!(story.problem(), "evidence_missing", "{told}");
        assert!(story.prompt().contains(told), "{told}: {}", story.prompt());
        // A command beside what shows something does no harm.
        let also = if evidence["kind"] == "command" { evidence } else { runs("make lint") };
        block["verdicts"][0]["evidence"] = json!([also, runs("make test")]);
        story.run("recognizer", block);
        assert_eq!(status(&story, "01"), "verified", "{told}");
        if at + 1 < count {
            // The patrol is next; the user has it judged again and again.
            story.say(Command::Reopen { item: "01".to_owned(), reason: "again".to_owned() });
            build(&mut story, "01");
        }
    }
    let good = place("notes.md", 2);
    let mut block = verdict(&story, "CLEAR", &[]);
    block["verdicts"][0]["evidence"] = json!([good]);
    story.run("recognizer", block);
    done(&story);
    story
}

fn unproven() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs"]);
    let mut block = success("01", &commit);
    let place = |path: &str| json!([{"kind": "file", "path": path, "line": 3}]);
    block["claims"] = json!([
        {"criterion": "AC-001", "evidence": place("src/01.rs")},
        {"criterion": "AC-002", "evidence": place("tests/none.rs")}
    ]);
    story.end(effect, report(block.clone()));
    assert_eq!(story.problem(), "evidence_missing");
    assert!(
        story.prompt().contains("tests/none.rs:3: no such file is there"),
        "{}",
        story.prompt()
    );
    block["claims"][1]["evidence"] = place("./src/01.rs");
    let effect = story.begin_item("executor", "01");
    story.end(effect, report(block));
    assert_eq!(at(&story, "01", "/criteria/1/state/evidence/0/path"), "./src/01.rs");
    story
}
