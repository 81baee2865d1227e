//! What the agent is told.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "prompt-carries-three-summaries",
        "The last three, two hundred characters of each",
        summaries,
    ),
    tale("prompt-with-other-summaries", "How many and how long are settings", other_summaries),
    tale("prompt-after-a-silent-run", "A summary of nothing is three dots", silent),
    tale(
        "prompt-from-the-callers-templates",
        "Templates by name, with arguments as variables",
        templates,
    ),
    tale(
        "prompt-notes-unused-arguments",
        "An argument that nothing uses is a note, not an error",
        unused,
    ),
    tale(
        "prompt-takes-no-variables-from-words",
        "What an agent writes is never taken for a variable",
        words,
    ),
];

fn manual() -> Config {
    config("manual", json!({"completionKeyword": "DONE"}))
}

fn summaries() -> Story {
    let mut story = going(manual());
    for run in 1..=4 {
        iterate(&mut story, &format!("  run {run}\n{}", "é".repeat(300)));
    }
    let prompt = story.prompt();
    assert!(!prompt.contains("iteration 1: run 1"));
    for run in 2..=4 {
        let line = format!("- iteration {run}: run {run} {}\n", "é".repeat(194));
        assert!(prompt.contains(&line), "{prompt}");
    }
    assert_eq!(story.core("/summaries").as_array().unwrap().len(), 3);
    story
}

fn other_summaries() -> Story {
    let mut story = going(Config { summaries: 1, summary_chars: 5, ..manual() });
    iterate(&mut story, "first words");
    iterate(&mut story, "second words");
    assert!(story.prompt().contains("- iteration 2: secon\n"), "{}", story.prompt());
    assert!(!story.prompt().contains("iteration 1: first"));
    story
}

fn silent() -> Story {
    let mut story = going(Config { summaries: 1, ..manual() });
    iterate(&mut story, " \n");
    assert_eq!(story.problem(), "run_silent");
    assert!(story.prompt().contains("\n...\n"), "{}", story.prompt());
    assert_eq!(history(&story)[0]["summary"], "...");
    iterate(&mut story, "said");
    (0..2).for_each(|_| iterate(&mut story, " \n"));
    // Who says nothing pushes nothing out.
    assert!(story.prompt().contains("- iteration 2: said\n"), "{}", story.prompt());
    story
}

fn templates() -> Story {
    let mut config = with_args(manual(), &[("topic", "releases"), ("depth", "2")]);
    let texts = [
        ("initial_manual", "About {uv-topic} ({uv-depth}), until {uv-completion_keyword}."),
        (
            "continuation_manual",
            "Again {uv-topic}: {uv-iteration} of {uv-max_iterations}, {uv-remaining} left.",
        ),
    ];
    config.templates = texts.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    let mut story = going(config);
    assert!(story.prompt().contains("About releases (2), until DONE."));
    iterate(&mut story, WORK);
    assert!(story.prompt().contains("Again releases: 2 of 100, 98 left."));
    // A template that leaves them out still carries the summaries.
    assert!(story.prompt().contains("- iteration 1: Worked on it"));
    story
}

fn unused() -> Story {
    let mut config = with_args(manual(), &[("topic", "x"), ("iteration", "9")]);
    config.templates.insert("initial_issue".to_owned(), "{uv-nothing}".to_owned());
    let mut story = held(config, &[]);
    let notices: Vec<String> = story
        .engine
        .pending()
        .into_iter()
        .filter_map(|one| match one.effect.order.clone() {
            Order::Notify(notice) => Some(notice.text),
            _ => None,
        })
        .collect();
    assert_eq!(notices.len(), 3, "{notices:?}");
    assert!(notices[0].contains("`iteration`") && notices[1].contains("`topic`"));
    assert!(notices[2].contains("`initial_issue`"));
    story.go();
    goes_on(&story, 0);
    story
}

fn words() -> Story {
    let mut story = going(manual());
    iterate(&mut story, "I would use {uv-secret} and {uv-mission}.");
    goes_on(&story, 1);
    assert!(story.prompt().contains("I would use {uv-secret} and {uv-mission}."));
    story
}
