//! What is left checked out: the cluster works on one branch, and on another one only if the user says so.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "other-branch",
        "Who leaves another branch checked out brings its work back before it counts",
        brought_back,
    ),
    tale("other-branch-stays", "The user may have the cluster go on on another branch", stays),
    tale(
        "other-branch-only",
        "What is only on another branch is no work of the cluster",
        only_there,
    ),
    tale(
        "detached",
        "A detached head is told, asked about, and nothing is taken over it",
        detached,
    ),
    tale("detached-before-the-start", "A head that is detached from the start blocks", from_start),
    tale("other-branch-by-a-reader", "Who judges leaves the branch alone", by_reader),
    tale("other-branch-beside", "While one block is brought back no other begins", beside),
];

fn leaves(story: &mut Story, branch: &str) -> String {
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs"]);
    story.world.branch = Some(branch.to_owned());
    story.end(effect, report(success("01", &commit)));
    commit
}

fn brought_back() -> Story {
    let mut story = going(single());
    let commit = leaves(&mut story, "feature");
    assert_eq!(story.problem(), "other_branch");
    assert_eq!(status(&story, "01"), "retry");
    let prompt = prompt_of(&story, "01");
    assert!(prompt.contains("branch main") && prompt.contains("branch feature"), "{prompt}");
    let effect = story.begin_item("executor", "01");
    story.world.branch = None;
    story.end(effect, report(success("01", &commit)));
    assert_eq!(story.due(), "recognizer");
    story
}

fn stays() -> Story {
    let mut story = going(single());
    leaves(&mut story, "feature");
    let commit = leaves(&mut story, "feature");
    assert_eq!(story.topic(), "other_branch");
    assert_eq!(at(&story, "01", "/attempts"), 1);
    story.choose("stay");
    let effect = story.begin_item("executor", "01");
    story.end(effect, report(success("01", &commit)));
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    assert_eq!(story.state()["core"]["branch"], "feature");
    story
}

fn only_there() -> Story {
    let mut story = going(single());
    let known = story.world.commits.clone();
    let commit = leaves(&mut story, "feature");
    let effect = story.begin_item("executor", "01");
    (story.world.branch, story.world.commits) = (None, known);
    story.end(effect, report(success("01", &commit)));
    assert_eq!(story.problem(), "no_commit", "it is not on main");
    assert_eq!((status(&story, "01").as_str(), items(&story)), ("retry", vec!["01".to_owned()]));
    story
}

fn detached() -> Story {
    let mut story = going(single());
    for _ in 0..2 {
        let effect = story.begin_item("executor", "01");
        let commit = story.world.commit(&["src/01.rs"]);
        story.world.detached = true;
        story.end(effect, report(success("01", &commit)));
        assert_eq!(story.problem(), "detached_head");
    }
    assert_eq!(story.topic(), "other_branch");
    let text = story.question().unwrap().1.text;
    assert!(text.contains("a detached head is checked out"), "{text}");
    story.choose("stop");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Resume);
    assert_eq!(story.topic(), "other_branch", "it is still detached");
    story.world.detached = false;
    story.choose("back");
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
    assert_eq!(
        (story.problem().as_str(), story.topic().as_str()),
        ("other_branch", "other_branch")
    );
    assert_eq!(tally(&story, "refused_reports"), 1);
    story.world.branch = None;
    story.choose("back");
    assert_eq!(story.due(), "recognizer");
    story
}

fn beside() -> Story {
    let config =
        grid::Config { max_parallel: 1, ..cluster(vec![plan("01", &[]), plan("02", &[])]) };
    let mut story = going(config);
    leaves(&mut story, "feature");
    assert_eq!(items(&story), ["01"]);
    let effect = story.begin_item("executor", "01");
    story.end(effect, report(failure("01", "a branch", &[])));
    assert_eq!(story.topic(), "other_branch", "02 does not begin there");
    story.world.branch = None;
    story.choose("back");
    assert_eq!(items(&story).len(), 1);
    story
}
