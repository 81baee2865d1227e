//! Commits that somebody takes out of the history: nothing goes on over that before the user was asked, whoever did
//! it, and what rested on them is judged anew.

use super::*;

pub const TALES: &[Tale] = &[
    tale("rewound-by-a-reader", "Who judges and takes commits back is asked about", by_reader),
    tale("rewound-by-the-learner", "Nor does the last run of all pass over that", by_learner),
    tale("rewound-and-brought-back", "What the user brings back counts as it did", brought_back),
    tale(
        "rewound-by-a-failure",
        "Nor is it passed over when the run says that it failed",
        by_failure,
    ),
    tale(
        "rewound-between-waves",
        "What an earlier wave showed is judged before what lies on it goes on",
        between,
    ),
    tale("squashed-by-a-reader", "One commit in place of all others is another history", squashed),
];

fn asked(story: &Story, lost: &str) {
    let (_, question) = story.question().unwrap();
    assert_eq!(question.topic, "other_head");
    assert!(question.text.contains(&format!("git reset --keep {lost}")), "{}", question.text);
    assert_eq!(story.engine.pending().len(), 1, "{:?}", story.engine.pending());
}

fn page(story: &Story, path: &str) -> String {
    story.world.files.get(path).unwrap_or_else(|| panic!("no {path}")).clone()
}

/// One block is executed and about to be judged: the head, the recognizer, and what it is going to say.
fn judged() -> (Story, String, EffectId, String) {
    let mut story = going(single());
    build(&mut story, "01");
    let head = story.world.head().unwrap();
    let effect = story.begin("recognizer");
    let clear = report(verdict(&story, "CLEAR", &[]));
    (story, head, effect, clear)
}

/// The first of two blocks is verified; the executor of the second takes its commit back.
fn second_takes_back() -> (Story, String, EffectId) {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &["01"])]));
    build(&mut story, "01");
    recognize(&mut story, &[]);
    let head = story.world.head().unwrap();
    let effect = story.begin_item("executor", "02");
    story.world.take_back();
    (story, head, effect)
}

/// The recognizer takes the commit back. Answers with the history and the head before.
fn rewound() -> (Story, Vec<(String, Vec<String>)>, String) {
    let (mut story, head, effect, clear) = judged();
    let was = story.world.commits.to_vec();
    story.world.take_back();
    story.end(effect, clear);
    asked(&story, &head);
    (story, was, head)
}

fn by_reader() -> Story {
    let (mut story, _, head) = rewound();
    story.choose("accept");
    assert_eq!(story.due(), "recognizer");
    let prompt =
        story.engine.pending().into_iter().find_map(|one| match one.effect.order.clone() {
            Order::SpawnRole(spawn) => Some(spawn.prompt),
            _ => None,
        });
    assert!(prompt.unwrap().contains("is gone from the branch, and with it: src/01.rs"));
    recognize(&mut story, &["01/AC-001"]);
    close(&mut story, "fix", &["01/AC-001"], &[]);
    recognize(&mut story, &[]);
    done(&story);
    let found = page(&story, ".grid/VERIFICATION.md");
    assert!(found.contains(&format!("gone_from_the_branch:\n  - \"{head}, in")), "{found}");
    let summary = page(&story, ".grid/phases/01-base/01-SUMMARY.md");
    assert!(
        summary.contains("- 780830456d65… is gone from the branch, and with it: src/01.rs"),
        "{summary}"
    );
    let last = story.engine.view().reason;
    assert!(last.contains(&format!("; gone from the branch: {head}")), "{last}");
    story
}

fn by_learner() -> Story {
    let mut story = going(grid::Config { capture: true, ..single() });
    build(&mut story, "01");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    let head = story.world.head().unwrap();
    let effect = story.begin("learner");
    story.world.take_back();
    story.end(effect, report(json!({"project_type": "cli", "what_worked": ["small blocks"]})));
    asked(&story, &head);
    story.choose("accept");
    assert_eq!((status(&story, "01").as_str(), story.due().as_str()), ("executed", "recognizer"));
    story
}

fn brought_back() -> Story {
    let (mut story, was, head) = rewound();
    *story.world.commits = was;
    story.choose("restored");
    recognize(&mut story, &[]);
    done(&story);
    assert!(!story.engine.view().reason.contains("gone"), "{head}");
    story
}

fn by_failure() -> Story {
    let (mut story, head, effect) = second_takes_back();
    story.end(effect, report(failure("02", "from the start", &[])));
    asked(&story, &head);
    story
}

fn between() -> Story {
    let mut story = by_failure();
    // What became of it while it stood still is looked at again.
    story.choose("accept");
    // What the second block lies on is judged anew before it goes on.
    assert_eq!((story.due().as_str(), status(&story, "01").as_str()), ("recognizer", "executed"));
    recognize(&mut story, &[]);
    assert_eq!((items(&story), status(&story, "01").as_str()), (vec!["02".into()], "verified"));
    build(&mut story, "02");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn squashed() -> Story {
    let (mut story, head, effect, clear) = judged();
    let all = story.world.commits.iter().flat_map(|(_, paths)| paths.clone()).collect();
    *story.world.commits = vec![("e".repeat(40), all)];
    story.end(effect, clear);
    asked(&story, &head);
    story.choose("accept");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}
