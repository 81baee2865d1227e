//! What is left checked out: the cluster works on one branch, and on another one only if the user says so.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "other-branch",
        "Work that is left on another branch is judged where it belongs",
        brought_back,
    ),
    tale("other-branch-stays", "The user may have the cluster go on on another branch", stays),
    tale(
        "other-branch-only",
        "What is only on another branch is no work of the cluster",
        only_there,
    ),
    tale("detached", "A detached head is asked about, and nothing is taken over it", detached),
    tale("detached-before-the-start", "A head that is detached from the start blocks", from_start),
    tale("other-branch-by-a-reader", "Who judges leaves the branch alone", by_reader),
    tale("other-branch-beside", "While the user is asked no other block begins", beside),
];

fn leaves(story: &mut Story, branch: &str) -> String {
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs"]);
    story.world.branch = Some(branch.to_owned());
    story.end(effect, report(success("01", &commit)));
    assert_eq!(story.topic(), "other_head");
    commit
}

fn brought_back() -> Story {
    let mut story = going(single());
    leaves(&mut story, "feature");
    story.world.branch = None;
    story.choose("restored");
    assert_eq!((status(&story, "01").as_str(), story.due().as_str()), ("executed", "recognizer"));
    story
}

fn stays() -> Story {
    let mut story = going(single());
    leaves(&mut story, "feature");
    story.choose("accept");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn only_there() -> Story {
    let mut story = going(single());
    let known = story.world.commits.clone();
    leaves(&mut story, "feature");
    (story.world.branch, story.world.commits) = (None, known);
    story.choose("restored");
    assert_eq!(story.problem(), "no_commit", "it is not on main");
    assert_eq!((status(&story, "01").as_str(), items(&story)), ("retry", vec!["01".to_owned()]));
    story
}

fn detached() -> Story {
    let mut story = going(single());
    let effect = story.begin_item("executor", "01");
    let commits = story.world.commits.clone();
    let commit = story.world.commit(&["src/01.rs"]);
    story.world.detached = true;
    story.end(effect, report(success("01", &commit)));
    assert_eq!(story.topic(), "other_head");
    let text = story.question().unwrap().1.text;
    assert!(text.contains("a detached head"), "{text}");
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Resume);
    assert_eq!(story.topic(), "other_head", "it is still detached");
    (story.world.detached, story.world.commits) = (false, commits);
    story.choose("restored");
    assert_eq!(items(&story), ["01"], "what it left was not taken");
    story
}

fn from_start() -> Story {
    let mut world = World::new();
    world.detached = true;
    let mut story = Story::start(&of(single()), world);
    story.go();
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.world.detached = false;
    story.say(Command::Resume);
    assert_eq!(items(&story), ["01"]);
    story
}

fn by_reader() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    let effect = story.begin("recognizer");
    story.world.branch = Some("same-head".to_owned());
    let clear = verdict(&story, "CLEAR", &[]);
    story.end(effect, report(clear));
    assert_eq!(story.topic(), "other_head");
    // The new branch is there even when the old one is checked out again.
    (story.world.branch, story.world.refs) = (None, "one more".to_owned());
    story.choose("restored");
    assert_eq!(
        (story.problem().as_str(), tally(&story, "refused_reports")),
        ("read_only_touched", 1)
    );
    assert_eq!(story.due(), "recognizer");
    story
}

fn beside() -> Story {
    let config =
        grid::Config { max_parallel: 1, ..cluster(vec![plan("01", &[]), plan("02", &[])]) };
    let mut story = going(config);
    leaves(&mut story, "feature");
    assert!(items(&story).is_empty(), "02 does not begin there");
    story.world.branch = None;
    story.choose("restored");
    assert_eq!(items(&story), ["02"]);
    story
}
