//! What entries of the scratchpad ask for reaches those who come after their wave.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "asked-of-the-next-wave",
        "What an entry asks for is handed on until what lies on its block is closed",
        next_wave,
    ),
    tale(
        "asked-by-a-recognizer",
        "What a recognizer wrote is in the way reaches planner, executor and recognizer",
        by_recognizer,
    ),
    tale(
        "asked-by-many",
        "Of more entries than are handed on it is said how many there were before",
        by_many,
    ),
    tale(
        "written-in-the-wave",
        "Who starts later in a wave is told what stands in the way first, whole, and how much more there is",
        in_the_wave,
    ),
    tale(
        "in-the-way-of-many",
        "What stands in the way is handed on before what is to be changed",
        in_the_way,
    ),
    tale(
        "asked-by-way-of-others",
        "What an entry asks for reaches what lies on its block by way of others, and what mends it asks for the same",
        by_way,
    ),
    tale(
        "asked-of-what-was-put-off",
        "What was put off and is taken up again is told what was asked for",
        taken_up,
    ),
];

fn asks(action: &str, finding: &str) -> ProgressEntry {
    let text = json!({"category": "DECISION", "finding": finding, "impact": "who comes", "action": action});
    ProgressEntry { kind: "scratchpad".to_owned(), text: text.to_string() }
}

/// The executor of a block writes entries, commits its file and reports success.
fn build_writing(story: &mut Story, id: &str, entries: Vec<ProgressEntry>) {
    let effect = story.begin_item("executor", id);
    write(story, effect, entries);
    let commit = story.world.commit(&[&format!("src/{id}.rs")]);
    story.end(effect, report(success(id, &commit)));
}

fn next_wave() -> Story {
    let plans =
        vec![plan("01", &[]), plan("02", &[]), plan("03", &["02"]), plan("04", &["03", "01"])];
    let mut story = going(cluster(plans));
    let (change, stop, know) = ("only version two", "the port is taken", "names are short");
    let all = vec![asks("REQUIRES_CHANGE", change), asks("INFORM_ONLY", know)];
    build_writing(&mut story, "01", all);
    build_writing(&mut story, "02", vec![asks("BLOCKER", stop)]);
    // Who judges the wave is told as well.
    let prompt = story.prompt();
    assert!(prompt.contains(change) && prompt.contains(stop) && !prompt.contains(know), "{prompt}");
    recognize(&mut story, &[]);
    let prompt = prompt_of(&story, "03");
    assert!(prompt.contains("What others asked for"), "{prompt}");
    assert!(prompt.contains(change) && prompt.contains(stop) && !prompt.contains(know), "{prompt}");
    build(&mut story, "03");
    assert!(story.prompt().contains(change), "{}", story.prompt());
    recognize(&mut story, &[]);
    // The fourth lies on the first, and on the second by way of the third.
    let prompt = prompt_of(&story, "04");
    assert!(prompt.contains(change) && prompt.contains(stop), "{prompt}");
    build(&mut story, "04");
    recognize(&mut story, &[]);
    assert!(!story.prompt().contains(change), "{}", story.prompt());
    story
}

fn by_recognizer() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &["01"])]));
    build(&mut story, "01");
    let finding = "the licence forbids it";
    let effect = story.begin("recognizer");
    write(&mut story, effect, vec![note("BLOCKER", finding)]);
    let block = verdict(&story, "GAPS_FOUND", &["01/AC-001"]);
    story.end(effect, report(block));
    assert_eq!(story.due(), "planner");
    assert!(story.prompt().contains(finding), "{}", story.prompt());
    story.run("planner", json!({"plans": [closing("fix", &["01/AC-001"])]}));
    assert!(prompt_of(&story, "fix").contains(finding));
    build(&mut story, "fix");
    assert!(story.prompt().contains(finding), "{}", story.prompt());
    recognize(&mut story, &[]);
    assert!(prompt_of(&story, "02").contains(finding));
    build(&mut story, "02");
    assert!(story.prompt().contains(finding), "{}", story.prompt());
    recognize(&mut story, &[]);
    assert!(!story.prompt().contains(finding), "{}", story.prompt());
    story
}

fn by_many() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &["01"])]));
    let all = (0..45).map(|at| asks("REQUIRES_CHANGE", &format!("change <{at}>"))).collect();
    build_writing(&mut story, "01", all);
    assert!(story.prompt().contains("and 5 more in .grid/SCRATCHPAD.md"), "{}", story.prompt());
    recognize(&mut story, &[]);
    let prompt = prompt_of(&story, "02");
    assert!(prompt.contains("and 5 more in .grid/SCRATCHPAD_ARCHIVE.md"), "{prompt}");
    assert!(prompt.contains("change <5>") && !prompt.contains("change <4>"), "{prompt}");
    story
}

fn in_the_wave() -> Story {
    let plans = vec![plan("01", &[]), plan("02", &[])];
    let mut story = going(grid::Config { max_parallel: 1, ..cluster(plans) });
    let finding = whole::long(600, "ENDOFFINDING");
    let stop = json!({
        "category": "BLOCKER", "finding": finding, "impact": whole::long(500, "ENDOFIMPACT"), "action": "BLOCKER",
        "details": format!("{}\nsecond line ENDOFDETAILS", whole::long(2_000, "FIRSTLINE")),
        "files": ["src/a.rs", "src/b.rs"],
    });
    let mut all = vec![ProgressEntry { kind: "scratchpad".to_owned(), text: stop.to_string() }];
    all.extend((0..44).map(|at| note("PATTERN", &format!("pattern <{at}>"))));
    all.push(asks("REQUIRES_CHANGE", "only version two"));
    build_writing(&mut story, "01", all);
    let prompt = prompt_of(&story, "02");
    let place = |part: &str| prompt.find(part).unwrap_or_else(|| panic!("{part}: {prompt}"));
    let ends = [
        "ENDOFFINDING [BLOCKER]",
        "ENDOFIMPACT\n",
        "FIRSTLINE\n",
        "  second line ENDOFDETAILS\n  files: src/a.rs; src/b.rs\n",
        "only version two [REQUIRES_CHANGE]",
        "pattern <43>",
        "pattern <6>",
        "and 6 more in .grid/SCRATCHPAD.md",
    ];
    assert!(ends.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "{prompt}");
    assert!(!prompt.contains("pattern <5>"), "{prompt}");
    build(&mut story, "02");
    recognize(&mut story, &[]);
    let archive = &story.world.files[".grid/SCRATCHPAD_ARCHIVE.md"];
    for end in ["ENDOFFINDING\n", "ENDOFIMPACT\n", "ENDOFDETAILS\n"] {
        assert!(archive.contains(end), "{end}: {archive}");
    }
    story
}

fn in_the_way() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &["01"])]));
    let mut all = vec![asks("BLOCKER", "the port is taken")];
    all.extend((0..45).map(|at| asks("REQUIRES_CHANGE", &format!("change <{at}>"))));
    build_writing(&mut story, "01", all);
    assert!(story.prompt().contains("the port is taken"), "{}", story.prompt());
    recognize(&mut story, &[]);
    let prompt = prompt_of(&story, "02");
    assert!(prompt.contains("and 6 more in .grid/SCRATCHPAD_ARCHIVE.md"), "{prompt}");
    assert!(prompt.contains("the port is taken") && !prompt.contains("change <5>"), "{prompt}");
    story
}

fn by_way() -> Story {
    let plans =
        vec![plan("01", &[]), plan("02", &["01"]), plan("03", &["02"]), plan("04", &["03"])];
    let mut story = going(cluster(plans));
    let (stop, change) = ("the port is taken", "only version two");
    build_writing(&mut story, "01", vec![asks("BLOCKER", stop)]);
    recognize(&mut story, &["01/AC-001"]);
    story.run("planner", json!({"plans": [closing("fix", &["01/AC-001"])]}));
    build_writing(&mut story, "fix", vec![asks("REQUIRES_CHANGE", change)]);
    recognize(&mut story, &[]);
    for id in ["02", "03", "04"] {
        let prompt = prompt_of(&story, id);
        assert!(prompt.contains(stop) && prompt.contains(change), "{id}: {prompt}");
        build(&mut story, id);
        recognize(&mut story, &[]);
    }
    assert!(!story.prompt().contains(stop), "{}", story.prompt());
    story
}

fn taken_up() -> Story {
    let plans = vec![plan("01", &[]), plan("02", &["01"]), plan("03", &[]), plan("05", &["03"])];
    let mut story = going(cluster([plans, vec![plan("06", &["05"])]].concat()));
    let stop = "the port is taken";
    let reason = "not now".to_owned();
    story.say(Command::Defer { item: "02".to_owned(), reason: reason.clone() });
    build_writing(&mut story, "01", vec![asks("BLOCKER", stop)]);
    build(&mut story, "03");
    recognize(&mut story, &[]);
    build(&mut story, "05");
    recognize(&mut story, &[]);
    story.say(Command::Reopen { item: "02".to_owned(), reason });
    let prompt = prompt_of(&story, "02");
    assert!(prompt.contains(stop), "{prompt}");
    story
}
