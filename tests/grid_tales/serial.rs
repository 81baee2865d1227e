//! What waits for a block that was opened again waits until that is judged again.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "reopened-before-another-goes-on",
        "Who waits at a checkpoint goes on when what it lies on was judged again",
        before_a_checkpoint,
    ),
    tale(
        "reopened-behind-what-is-closed",
        "What lies on a reopened block by way of a closed one waits as well",
        behind_closed,
    ),
    tale(
        "reopened-and-put-off",
        "What was begun and lies on a block that is put off is put off",
        put_off,
    ),
    tale(
        "gap-of-a-reopened-block",
        "A gap of a reopened block is closed before what waits for it goes on",
        gap_before,
    ),
    tale(
        "reopened-beside-a-patrol",
        "What a patrol opened gets its wave before another block is opened again",
        beside_a_patrol,
    ),
];

pub fn reopen(story: &mut Story, id: &str) {
    let reason = format!("{id} greets nobody");
    story.say(Command::Reopen { item: id.to_owned(), reason });
}

/// The second of two blocks waits for a decision when the first is opened again.
fn waiting() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &["01"])]));
    build(&mut story, "01");
    recognize(&mut story, &[]);
    execute(&mut story, "02", checkpoint("02", "decision"));
    reopen(&mut story, "01");
    story.answer(Answer::Choice { option: "sqlite".to_owned() });
    assert_eq!(["01", "02"].map(|id| status(&story, id)), ["pending", "retry"]);
    assert_eq!(items(&story), ["01"]);
    story
}

fn before_a_checkpoint() -> Story {
    let mut story = waiting();
    build(&mut story, "01");
    assert_eq!(story.due(), "recognizer");
    recognize(&mut story, &[]);
    assert_eq!(["01", "02"].map(|id| status(&story, id)), ["verified", "retry"]);
    assert_eq!(items(&story), ["02"]);
    build(&mut story, "02");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn behind_closed() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &["01"]), plan("03", &["02"])]));
    for id in ["01", "02", "03"] {
        build(&mut story, id);
        recognize(&mut story, &[]);
    }
    recognize(&mut story, &[]);
    done(&story);
    // In one wave: neither is begun beside the other.
    reopen(&mut story, "03");
    reopen(&mut story, "01");
    assert_eq!(at(&story, "01", "/wave"), at(&story, "03", "/wave"));
    for id in ["01", "03"] {
        assert_eq!(items(&story), [id]);
        build(&mut story, id);
        recognize(&mut story, &[]);
    }
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn put_off() -> Story {
    let mut story = waiting();
    story.say(Command::Defer { item: "01".to_owned(), reason: "not now".to_owned() });
    assert_eq!(["01", "02"].map(|id| status(&story, id)), ["deferred", "deferred"]);
    assert_eq!(story.topic(), "end_with_deferred");
    story.answer(Answer::Confirmation { yes: false });
    assert_eq!(items(&story), ["01"]);
    story
}

fn gap_before() -> Story {
    let mut story = waiting();
    build(&mut story, "01");
    recognize(&mut story, &["01/AC-001"]);
    let mut later = closing("fix", &["01/AC-001"]);
    later["depends_on"] = json!(["02"]);
    story.run("planner", json!({"plans": [later]}));
    assert!(story.problem().contains("dependency_open"), "{}", story.problem());
    close(&mut story, "fix", &["01/AC-001"], &[]);

    assert_eq!(status(&story, "01"), "verified");
    assert_eq!(items(&story), ["02"]);
    story
}

fn beside_a_patrol() -> Story {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &["01"])]));
    for id in ["01", "02"] {
        build(&mut story, id);
        recognize(&mut story, &[]);
    }
    recognize(&mut story, &["01/AC-001"]);
    assert_eq!((status(&story, "01").as_str(), story.due().as_str()), ("executed", "planner"));
    reopen(&mut story, "02");
    assert_eq!((at(&story, "01", "/wave"), at(&story, "02", "/wave")), (json!(3), json!(3)));
    assert_eq!(story.due(), "planner", "the second waits for the first");
    close(&mut story, "fix", &["01/AC-001"], &[]);
    assert_eq!((status(&story, "01").as_str(), items(&story)), ("verified", vec!["02".to_owned()]));
    build(&mut story, "02");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}
