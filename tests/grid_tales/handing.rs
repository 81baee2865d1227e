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
    // The fourth lies on the first; what lies on the second is closed.
    let prompt = prompt_of(&story, "04");
    assert!(prompt.contains(change) && !prompt.contains(stop), "{prompt}");
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
