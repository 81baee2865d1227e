//! Waves: who works when, beside whom, and what is looked at.

use super::*;

pub const TALES: &[Tale] = &[
    tale("commits-of-another", "The commits of another block are no work of this one", of_another),
    tale("one-file-in-capitals", "Names that differ in capitals only are one file", capitals),
    tale("one-block", "One block is built, verified, patrolled, done", one),
    tale("two-waves", "The second wave begins when the first is verified", two_waves),
    tale("side-by-side", "Blocks of a wave run side by side up to the limit", side_by_side),
    tale("one-file-at-a-time", "Two blocks that share a file never run at once", shared_file),
    tale(
        "artifacts-are-looked-at",
        "The host reads artifacts; what is plainly there needs no word",
        artifacts,
    ),
    tale("a-stub-is-a-stub", "A stub is a gap whatever the recognizer says", stub),
    tale(
        "a-link-in-a-comment",
        "What stands in a comment or in the target only links nothing",
        unwired,
    ),
    tale("an-unused-file", "A link that is not there is a gap", unlinked),
    tale(
        "verify-false-for-one-plan",
        "A plan that opted out waives its own must-haves only",
        unverified,
    ),
    tale("all-unverified", "A wave of nothing but prototypes needs no recognizer", prototypes),
    tale("yaml-reports", "A report may be YAML", yaml),
    tale("overlapping-work", "Two executors that touched one file are noted", overlapping),
    tale("a-file-of-another", "A commit no report names may be on another's file", stolen),
    tale(
        "a-file-of-who-waits",
        "A file of a block that waits its turn is not for others",
        of_who_waits,
    ),
    tale("commits-nobody-names", "What no report names is shown as that", nobody_names),
    tale(
        "commit-of-a-recognizer",
        "What a refused recognizer committed stays named",
        of_recognizer,
    ),
    tale("commit-named-late", "A mended report names its commits", named_late),
    tale(
        "dirt-of-nobody",
        "Dirt that may be anybody's is asked about, and no run pays",
        dirt_of_nobody,
    ),
    tale(
        "dirt-in-a-report",
        "Who names a file that is not committed is to commit it",
        dirt_in_report,
    ),
    tale("dirt-of-its-own", "Who failed over its own dirt still cleans up", dirt_of_its_own),
    tale("patterns-meet", "A pattern of files waits for what lies below it", patterns),
    tale("a-claim-with-proof", "Proof of a claim is kept", proof),
    tale("claims-of-nothing", "A claim on no must-have is told", claims),
    tale("head-moves-before-the-end", "A commit behind the patrol is patrolled again", moved),
];

fn one() -> Story {
    let mut story = going(single());
    assert_eq!(story.due(), "executor");
    build(&mut story, "01");
    assert_eq!((story.due().as_str(), status(&story, "01").as_str()), ("recognizer", "executed"));
    recognize(&mut story, &[]);
    assert_eq!(story.due(), "recognizer");
    assert!(story.prompt().contains("PATROL"));
    recognize(&mut story, &[]);
    done(&story);
    let state = &story.world.files[".grid/STATE.md"];
    assert!(state.contains("100%") && state.contains("status: done"), "{state}");
    assert!(story.world.files[".grid/phases/01-base/01-SUMMARY.md"].contains("01 is built."));
    story
}

fn two_waves() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &["01"])]));
    assert_eq!(items(&story), ["01"]);
    build(&mut story, "01");
    assert_eq!(story.due(), "recognizer");
    recognize(&mut story, &[]);
    assert_eq!(items(&story), ["02"]);
    assert!(prompt_of(&story, "02").contains("01 has a module of its own"), "warmth goes on");
    build(&mut story, "02");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    let archive = &story.world.files[".grid/SCRATCHPAD_ARCHIVE.md"];
    assert!(archive.contains("wave: 1") && archive.contains("wave: 2"), "{archive}");
    story
}

fn side_by_side() -> Story {
    let plans = ["01", "02", "03"].map(|id| plan(id, &[])).to_vec();
    let mut story = going(grid::Config { max_parallel: 2, ..cluster(plans) });
    assert_eq!(items(&story), ["01", "02"]);
    let (one, two) = (story.begin_item("executor", "01"), story.begin_item("executor", "02"));
    write(&mut story, one, vec![note("DECISION", "names are UTF-8")]);
    write(&mut story, two, vec![note("PATTERN", "one module per block")]);
    let commit = story.world.commit(&["src/01.rs"]);
    story.end(one, report(success("01", &commit)));
    assert_eq!(items(&story), ["02", "03"], "the next takes the place of the first");
    assert!(prompt_of(&story, "03").contains("names are UTF-8"), "and knows what others wrote");
    assert_eq!(status(&story, "01"), "active", "judged when nobody writes");
    let three = story.begin_item("executor", "03");
    write(&mut story, three, vec![note("PROGRESS", "60 % complete")]);
    let commit = story.world.commit(&["src/03.rs"]);
    story.end(three, report(success("03", &commit)));
    let commit = story.world.commit(&["src/02.rs"]);
    story.end(two, report(success("02", &commit)));
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn shared_file() -> Story {
    let mut second = plan("02", &[]);
    second.files_modified.push("./src/01.rs".to_owned());
    second.files_modified =
        second.files_modified.iter().map(|path| path.replace("./", "")).collect();
    let mut story = going(cluster(vec![plan("01", &[]), second]));
    assert_eq!(items(&story), ["01"]);
    build(&mut story, "01");
    assert_eq!(items(&story), ["02"]);
    build(&mut story, "02");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn with_artifact(text: &str) -> Story {
    let mut one = plan("01", &[]);
    one.must_haves = MustHaves {
        truths: Vec::new(),
        artifacts: vec![Artifact {
            path: "src/01.rs".to_owned(),
            provides: Some("the greeting".to_owned()),
            min_lines: Some(2),
            contains: None,
            exports: vec!["greet".to_owned()],
        }],
        key_links: vec![KeyLink {
            from: "src/main.rs".to_owned(),
            to: "src/01.rs".to_owned(),
            via: Some("a call".to_owned()),
            pattern: Some("greet\\(".to_owned()),
        }],
    };
    let mut story = going(cluster(vec![one]));
    story.world.files.insert("src/01.rs".to_owned(), text.to_owned());
    story
        .world
        .files
        .insert("src/main.rs".to_owned(), "fn main() {\n    greet(\"you\")\n}\n".to_owned());
    story
}

/// What the host says of the link, where its source says this.
fn link_of(source: &str) -> String {
    let mut story = with_artifact("pub fn greet(name: &str) {\n    print!(\"{name}\")\n}\n");
    story.world.files.insert("src/main.rs".to_owned(), source.to_owned());
    build(&mut story, "01");
    let prompt = story.prompt();
    let line = prompt.lines().rfind(|line| line.contains("wired:")).unwrap_or_default();
    line.to_owned()
}

fn unwired() -> Story {
    for (source, why) in [
        ("// greet(\nfn main() {}\n", "`greet\\(` stands in src/main.rs"),
        ("fn main() {}\n", "`greet\\(` stands in src/01.rs, not in src/main.rs"),
    ] {
        let line = link_of(source);
        assert!(line.contains(&format!("wired: not shown ({why})")), "{source}: {line}");
    }
    let mut story = with_artifact("pub fn greet(name: &str) {\n    print!(\"{name}\")\n}\n");
    story.world.files.insert("src/main.rs".to_owned(), "// greet(\nfn main() {}\n".to_owned());
    build(&mut story, "01");
    story.run("recognizer", json!({"verdict": "CLEAR", "verdicts": []}));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("gaps_found", "planner"));
    let why = "01/LINK-001: not shown; the host looked: exists: yes, substantive: not shown, wired: not shown";
    assert!(story.prompt().contains(why), "{}", story.prompt());
    story
}

fn artifacts() -> Story {
    let mut story =
        with_artifact("pub fn greet(name: &str) {\n    println!(\"hello {name}\")\n}\n");
    build(&mut story, "01");
    let seen = "exists: yes, substantive: yes, wired: not shown";
    assert!(story.prompt().contains(seen), "{}", story.prompt());
    // What the host read is no row of who judges.
    story.run("recognizer", json!({"verdict": "CLEAR", "verdicts": []}));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("gaps_found", "planner"));
    assert!(story.prompt().contains(&format!("01/ART-001: not shown; the host looked: {seen}")));
    story.run("planner", json!({"plans": [closing("01-fix", &[])]}));
    build(&mut story, "01-fix");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn stub() -> Story {
    let mut story = with_artifact("pub fn greet() {\n    // TODO\n}\n");
    build(&mut story, "01");
    let block = verdict(&story, "CLEAR", &[]);
    story.run("recognizer", block);
    assert_eq!((tally(&story, "overruled"), story.due().as_str()), (1, "planner"));
    assert!(story.prompt().contains("01/ART-001: the host looked"), "{}", story.prompt());
    story.run("planner", json!({"plans": [closing("01-fix", &[])]}));
    story.world.files.insert("src/01.rs".to_owned(), "pub fn greet() {\n    say()\n}\n".to_owned());
    build(&mut story, "01-fix");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn unlinked() -> Story {
    let mut story = with_artifact("pub fn greet() {\n    say()\n}\n");
    story.world.files.insert("src/main.rs".to_owned(), "fn main() {}\n".to_owned());
    story
        .world
        .files
        .insert("src/01.rs".to_owned(), "pub fn greet  () {\n    say()\n}\n".to_owned());
    build(&mut story, "01");
    recognize(&mut story, &[]);
    assert_eq!(story.due(), "planner");
    assert_eq!(story.problem(), "gaps_found");
    story
}

fn unverified() -> Story {
    let mut second = plan("02", &[]);
    (second.verify, second.verify_reason) = (false, Some("a throw-away prototype".to_owned()));
    let mut story = going(cluster(vec![plan("01", &[]), second]));
    build(&mut story, "01");
    build(&mut story, "02");
    assert_eq!(story.due(), "recognizer", "the other block is verified all the same");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["02/AC-001", "02/AC-002"]);
    assert_eq!(at(&story, "02", "/criteria/0/state/why"), "a throw-away prototype");
    unjudged(&story, "02", "a throw-away prototype (let go by the plan)");
    story
}

fn prototypes() -> Story {
    let mut one = plan("01", &[]);
    (one.verify, one.verify_reason) = (false, Some("a prototype".to_owned()));
    let mut story = going(cluster(vec![one]));
    build(&mut story, "01");
    done(&story);
    assert_eq!(story.core("/records/0/verdict"), Value::Null);
    unjudged(&story, "01", "a prototype (let go by the plan)");
    let page = &story.world.files[".grid/VERIFICATION.md"];
    assert!(page.contains("verified: null\nstatus: not verified\nscore: 0/2"), "{page}");
    story
}

fn yaml() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs"]);
    let text = format!(
        "MISSION ANCHOR: {MISSION}\nRemaining contract IDs: none\n\n```yaml\nblock: \"01\"\nstatus: SUCCESS\nsummary:\n  \
         commits: [{commit}]\n  key-files:\n    created: [src/01.rs]\nscratchpad:\n  - category: PATTERN\n    finding: barrel exports\n```\n"
    );
    story.end(effect, text);
    assert_eq!(status(&story, "01"), "executed");
    assert_eq!(tally(&story, "scratchpad_entries"), 1);
    let page = &story.world.files[".grid/SCRATCHPAD.md"];
    let missing = "**Impact:** missing (not said)\n\n**Action:** missing (not said)";
    assert!(page.contains(missing), "what an entry must say is not made up: {page}");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn overlapping() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &[])]));
    let (one, two) = (story.begin_item("executor", "01"), story.begin_item("executor", "02"));
    let commit = story.world.commit(&["src/01.rs", "src/02.rs", "src/lib.rs"]);
    for (effect, id) in [(one, "01"), (two, "02")] {
        let mut block = success(id, &commit);
        block["summary"]["key-files"]["modified"] = json!(["src/lib.rs"]);
        block["scratchpad"] =
            json!([{"category": "DECISION", "finding": format!("{id} adds to lib")}]);
        story.end(effect, report(block));
    }
    assert_eq!(story.problem(), "file_overlap");
    assert!(story.prompt().contains("src/lib.rs was changed by 01 and 02 at once"));
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn patterns() -> Story {
    let (mut one, mut two, mut third) = (plan("01", &[]), plan("02", &[]), plan("03", &["02"]));
    one.files_modified = vec!["src/*.rs".to_owned()];
    two.files_modified = vec!["src/02.rs".to_owned()];
    third.files_modified = vec!["*.md".to_owned()];
    let mut story = going(cluster(vec![one, two, third]));
    for id in ["01", "02"] {
        assert_eq!(items(&story), [id]);
        build(&mut story, id);
    }
    recognize(&mut story, &[]);
    build(&mut story, "03");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn proof() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs"]);
    let mut block = success("01", &commit);
    block["claims"] =
        json!([{"criterion": "AC-001", "evidence": [{"kind": "test", "id": "tests/greet"}]}]);
    story.end(effect, report(block));
    recognize(&mut story, &[]);
    assert_eq!(at(&story, "01", "/criteria/0/state/proof/0"), "test tests/greet");
    assert_eq!(tally(&story, "silent_executions"), 1, "it wrote nothing");
    assert!(story.prompt().contains("wrote nothing to the scratchpad"));
    story
}

fn claims() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs"]);
    let mut block = success("01", &commit);
    let evidence = json!([{"kind": "test", "id": "tests/greet"}]);
    block["claims"] = json!([
        {"criterion": "01/AC-001", "evidence": evidence},
        {"criterion": "AC-009", "evidence": evidence},
    ]);
    story.end(effect, report(block));
    assert_eq!(at(&story, "01", "/criteria/0/state/evidence/0/id"), "tests/greet");
    assert!(story.prompt().contains("it claims AC-009, which is no must-have of it"));
    story
}

fn moved() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    recognize(&mut story, &[]);
    let effect = story.begin("recognizer");
    let block = verdict(&story, "CLEAR", &[]);
    story.world.commit(&["src/01.rs"]);
    story.end(effect, report(block));
    assert_eq!(
        (story.problem().as_str(), story.due().as_str()),
        ("read_only_touched", "recognizer")
    );
    assert!(story.prompt().contains("shown before, show it again"));
    let block = json!({"verdict": "CLEAR", "verdicts": [row("01", "AC-001", "holds")]});
    story.run("recognizer", block);
    assert_eq!(story.due(), "planner", "AC-002 was not shown again");
    story
}

fn of_another() -> Story {
    let mut two = plan("02", &["01"]);
    two.files_modified.clear();
    let mut story = going(cluster(vec![plan("01", &[]), two]));
    build(&mut story, "01");
    let commit = story.world.head().unwrap();
    recognize(&mut story, &[]);
    let mut block = success("02", &commit);
    block["summary"]["key-files"]["created"] = json!(["src/01.rs"]);
    execute(&mut story, "02", block);
    assert_eq!((story.problem().as_str(), status(&story, "02").as_str()), ("no_commit", "retry"));
    assert!(prompt_of(&story, "02").contains("only commits of 01"));
    build(&mut story, "02");
    assert_eq!(status(&story, "02"), "executed");
    story
}

fn capitals() -> Story {
    let listing =
        |id: &str, path: &str| Plan { files_modified: vec![path.to_owned()], ..plan(id, &[]) };
    let pairs =
        [("src/Main.rs", "src/main.rs"), ("src\\a.rs", "./src//a.rs"), ("SRC/*.rs", "src/b.rs")];
    let mut last = None;
    for (one, other) in pairs {
        let story = going(cluster(vec![listing("01", one), listing("02", other)]));
        assert_eq!(items(&story), ["01"], "{one} and {other}");
        last = Some(story);
    }
    last.unwrap()
}

fn stolen() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &[])]));
    let (one, two) = (story.begin_item("executor", "01"), story.begin_item("executor", "02"));
    let theft = story.world.commit(&["src/02.rs"]);
    let mine = story.world.commit(&["src/01.rs"]);
    story.end(one, report(success("01", &mine)));
    let theirs = story.world.commit(&["src/02.rs"]);
    story.end(two, report(success("02", &theirs)));
    assert_eq!(story.problem(), "file_overlap");
    let id = &theft[..12];
    let words = "src/02.rs, a file of 02, may have been changed by 01 at once: no report names";
    for part in [words, "## Commits that no report names", id] {
        assert!(story.prompt().contains(part), "{part}: {}", story.prompt());
    }
    recognize(&mut story, &[]);
    let page = &story.world.files[".grid/VERIFICATION.md"];
    assert!(page.contains("named_by_no_report:\n  - ") && page.contains(id), "{page}");
    for block in ["01", "02"] {
        let page = &story.world.files[&format!(".grid/phases/01-base/{block}-SUMMARY.md")];
        assert!(page.contains("## Commits that no report names") && page.contains(words), "{page}");
    }
    assert!(story.engine.view().reason.contains("named by no report"));
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn of_who_waits() -> Story {
    let plans = vec![plan("01", &[]), plan("02", &[])];
    let mut story = going(grid::Config { max_parallel: 1, ..cluster(plans) });
    let one = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs", "src/02.rs"]);
    story.end(one, report(success("01", &commit)));
    assert_eq!(story.problem(), "file_overlap");
    assert!(prompt_of(&story, "02").contains("src/02.rs, a file of 02, was changed by 01"));
    build(&mut story, "02");
    assert!(!story.prompt().contains("no report names"), "{}", story.prompt());
    story
}

fn nobody_names() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    let extra = story.world.commit(&["src/extra.rs"]);
    let commit = story.world.commit(&["src/01.rs"]);
    story.end(effect, report(success("01", &commit)));
    let words = format!("{}…, while 01 was at work; changed meanwhile: src/extra.rs", &extra[..12]);
    assert!(story.prompt().contains(&words), "{words}: {}", story.prompt());
    story
}

fn of_recognizer() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    let effect = story.begin("recognizer");
    let block = verdict(&story, "CLEAR", &[]);
    let commit = story.world.commit(&["src/judge.rs"]);
    story.end(effect, report(block));
    assert_eq!(story.problem(), "read_only_touched");
    let words = format!("{}…, while recognizer was at work", &commit[..12]);
    assert!(story.prompt().contains(&words), "{}", story.prompt());
    recognize(&mut story, &[]);
    assert!(story.world.files[".grid/VERIFICATION.md"].contains(&words));
    story
}

fn named_late() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs"]);
    story.end(effect, "I am done.".to_owned());
    assert_eq!(story.core("/unnamed/0/commits/0"), json!(commit));
    execute(&mut story, "01", success("01", &commit));
    assert_eq!((status(&story, "01").as_str(), story.core("/unnamed")), ("executed", Value::Null));
    story
}

fn two_at_work() -> (Story, EffectId, EffectId) {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &[])]));
    let (one, two) = (story.begin_item("executor", "01"), story.begin_item("executor", "02"));
    (story, one, two)
}

fn dirt_of_nobody() -> Story {
    let (mut story, one, two) = two_at_work();
    let commit = story.world.commit(&["src/01.rs"]);
    story.world.dirty.insert("lib/left.txt".to_owned(), "l".to_owned());
    story.end(one, report(success("01", &commit)));
    story.end(two, report(failure("02", "a way", &[])));
    assert_eq!((status(&story, "01").as_str(), story.topic().as_str()), ("executed", "dirty_tree"));
    assert_eq!(items(&story), Vec::<String>::new(), "nobody goes on before that is answered");
    story.world.dirty.clear();
    manual(&mut story, true, "removed");
    build(&mut story, "02");
    assert_eq!((status(&story, "02").as_str(), story.due().as_str()), ("executed", "recognizer"));
    story
}

fn dirt_in_report() -> Story {
    let (mut story, one, two) = two_at_work();
    story.world.dirty.insert("lib/left.txt".to_owned(), "l".to_owned());
    let commit = story.world.commit(&["src/02.rs"]);
    let mut block = success("01", &commit);
    block["summary"]["commits"] = json!([]);
    block["summary"]["already_there"] = json!(true);
    block["summary"]["key-files"]["created"] = json!(["lib/left.txt"]);
    story.end(one, report(block));
    story.end(two, report(success("02", &commit)));
    assert_eq!((status(&story, "01").as_str(), story.problem().as_str()), ("retry", "dirty_tree"));
    assert_eq!((status(&story, "02").as_str(), items(&story)), ("executed", vec!["01".to_owned()]));
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs", "lib/left.txt"]);
    story.end(effect, report(success("01", &commit)));
    assert_eq!((status(&story, "01").as_str(), story.due().as_str()), ("executed", "recognizer"));
    story
}

fn dirt_of_its_own() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    story.world.dirty.insert("lib/left.txt".to_owned(), "l".to_owned());
    story.end(effect, report(failure("01", "a way", &[])));
    build(&mut story, "01");
    assert_eq!((status(&story, "01").as_str(), story.problem().as_str()), ("retry", "dirty_tree"));
    story
}
