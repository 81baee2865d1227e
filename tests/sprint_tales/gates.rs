//! Builds: alone in the sprint, together at a gate, and once more at the end.

use super::*;

pub const TALES: &[Tale] = &[
    tale("alone-builds-at-once", "A run that is alone may build", alone),
    tale("side-by-side-builds-at-a-gate", "Beside others the build waits for the gate", together),
    tale("gate-fails-for-one", "A failing build goes back to the sprint it shows", one_back),
    tale("gate-output-names-a-file", "A failing build is attributed by the files it names", named),
    tale(
        "gate-output-names-another",
        "A criterion that fails over the files of another sprint goes back to that one alone",
        names_another,
    ),
    tale(
        "gate-output-names-nothing",
        "A failing build without names goes back to all",
        nobody_named,
    ),
    tale(
        "gate-before-a-dependant",
        "A dependant waits for the gate, and running units drain",
        drains,
    ),
    tale("gate-fails-thrice", "The third failure at a gate is fatal", fatal),
    tale("last-build-fails", "A build that fails at the end, and nobody is to blame", last_fails),
    tale("last-build-is-waived", "The user lets the last build go", last_waived),
    tale(
        "gates-are-skipped",
        "Where verification is skipped no gate opens, and who waits for one goes on",
        skipped,
    ),
    tale(
        "last-build-is-skipped",
        "Skipped verification answers the question of a build that failed",
        last_skipped,
    ),
    tale("last-build-blocks", "The user stops at the last build", last_blocks),
    tale(
        "stale-work-is-shown-again",
        "What another sprint touched is shown at the final head",
        stale,
    ),
    tale("stale-work-no-longer-holds", "What no longer holds is done again", stale_fails),
    tale(
        "later-work-breaks-a-criterion",
        "What a command shows must hold at the final head, whatever was touched",
        broken_later,
    ),
    tale(
        "one-command-shows-many",
        "A command of many sprints that fails at the end goes back to the last of them",
        shared_command,
    ),
    tale(
        "stale-judgement-is-judged-again",
        "A verifier looks once more at the final head",
        stale_judged,
    ),
    tale(
        "all-of-a-unit-is-judged-again",
        "Several sprints of one unit are judged again, one verifier after the other",
        all_judged,
    ),
    tale(
        "gate-fails-for-two-that-wait",
        "What fails at a gate beside what it waits for is dispatched after it",
        fails_for_two,
    ),
];

fn two(build: bool) -> sprint::Config {
    let units = vec![
        unit("a", &[], vec![of("1", vec![shown("AC-001"), built("AC-002")])]),
        unit("b", &[], vec![of("1", vec![shown("AC-001")])]),
    ];
    let mut config = mission(units);
    if build {
        config.build = vec![line("make all")];
    }
    config
}

fn both(config: sprint::Config) -> Story {
    let mut story = going(config);
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    finish(&mut story, a, "a/1", says("a/1", "completed", &[]));
    assert_eq!(status(&story, "a/1"), "COMPLETED");
    assert!(!at(&story, "a/1", "/awaits_gate").as_array().unwrap().is_empty());
    assert_eq!(unit_status(&story, "a"), "RUNNING");
    let waits = row(&story, "units", "a", "/last_verified");
    assert!(
        waits.as_str().unwrap().starts_with("sprint 1: to be shown at the next gate: "),
        "{waits}"
    );
    finish(&mut story, b, "b/1", says("b/1", "completed", &[]));
    story
}

fn gate_says(story: &mut Story, number: u32, status: i32, output: &str) {
    let said = (Some(status), output.to_owned());
    story.world.exits.insert(format!("gate {number}"), said);
}

fn alone() -> Story {
    let mut story = going(single(vec![shown("AC-001"), built("AC-002")]));
    assert!(!ordered(&story, "a/1").prompt.contains("Do not build"));
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

fn together() -> Story {
    let story = both(two(true));
    assert_eq!(row(&story, "units", "a", "/last_verified"), "sprint 1: every criterion is shown");
    done(&story);
    assert!(logged(&story, "Gate 1 held"));
    story
}

fn back(output: &str, status_of: i32) -> Story {
    let mut story = going(two(false));
    gate_says(&mut story, 1, status_of, output);
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    finish(&mut story, a, "a/1", says("a/1", "completed", &[]));
    finish(&mut story, b, "b/1", says("b/1", "completed", &[]));
    story
}

fn one_back() -> Story {
    let mut story = back("error in part1.rs", 2);
    assert_eq!((due(&story), attempt(&story, "a/1")), (vec!["a/1".to_owned()], 2));
    assert_eq!((unit_status(&story, "b"), attempt(&story, "b/1")), ("COMPLETED".into(), 1));
    assert!(ordered(&story, "a/1").prompt.contains("error in part1.rs"));
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

fn attributed(output: &str) -> Story {
    let mut config = two(true);
    for unit in &mut config.units {
        unit.sprints[0].criteria = vec![shown("AC-001")];
    }
    let mut story = going(config);
    gate_says(&mut story, 1, 2, output);
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    story.world.commit(&["a/alpha.rs"]);
    story.end(a, report(says("a/1", "completed", &[])));
    story.world.commit(&["b/beta.rs"]);
    story.end(b, report(says("b/1", "completed", &[])));
    story
}

fn named() -> Story {
    let story = attributed("b/beta.rs:3: undefined name");
    assert_eq!(due(&story), ["b/1"]);
    assert!(logged(&story, "attributed to b/1"));
    story
}

fn nobody_named() -> Story {
    let story = attributed("link error");
    assert_eq!(due(&story), ["a/1", "b/1"]);
    story
}

/// The build is a criterion of the first; what breaks it is a file of the second.
fn names_another() -> Story {
    let mut story = back("b/part1.rs:1: BROKEN", 2);
    assert_eq!((due(&story), attempt(&story, "a/1")), (vec!["b/1".to_owned()], 1));
    assert_eq!(status(&story, "a/1"), "COMPLETED");
    assert!(ordered(&story, "b/1").prompt.contains("BROKEN"));
    work(&mut story, "b/1", &[]);
    done(&story);
    assert_eq!((attempt(&story, "a/1"), attempt(&story, "b/1")), (1, 2));
    story
}

fn drains() -> Story {
    let mut config = two(true);
    config.units[1].sprints.push(part("2"));
    config.units.push(unit("c", &["a"], vec![part("1")]));
    let mut story = going(config);
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    finish(&mut story, a, "a/1", says("a/1", "completed", &[]));
    assert_eq!(unit_status(&story, "c"), "NOT_STARTED");
    finish(&mut story, b, "b/1", says("b/1", "completed", &[]));
    assert!(logged(&story, "Gate 1 held"));
    assert_eq!(due(&story), ["b/2", "c/1"]);
    work(&mut story, "b/2", &[]);
    work(&mut story, "c/1", &[]);
    done(&story);
    story
}

fn fatal() -> Story {
    let mut story = back("no", 2);
    gate_says(&mut story, 2, 2, "no");
    gate_says(&mut story, 3, 2, "no");
    // Alone it may build by itself, so the last criterion fails at once.
    exits(&mut story, "a/1", "AC-002", 2);
    work(&mut story, "a/1", &[]);
    assert_eq!(attempt(&story, "a/1"), 3);
    work(&mut story, "a/1", &[]);
    assert_eq!(
        (status(&story, "a/1"), unit_status(&story, "a")),
        ("FATAL".into(), "BLOCKED".into())
    );
    story
}

fn last(output: &str) -> Story {
    let mut config = single(vec![shown("AC-001")]);
    config.build = vec![line("make all")];
    let mut story = going(config);
    gate_says(&mut story, 1, 1, output);
    work(&mut story, "a/1", &[]);
    story
}

fn last_fails() -> Story {
    let mut story = last("no rule");
    assert_eq!(story.topic(), "gate_failed");
    story.world.exits.clear();
    story.choose("retry");
    done(&story);
    story
}

fn last_waived() -> Story {
    let mut story = last("no rule");
    story.choose("waive");
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["gate/1"]);
    let page = story.world.files.iter().find(|(path, _)| path.contains("COMPLETE_")).unwrap().1;
    assert!(page.contains("gate/1 failed and was let go"), "{page}");
    story
}

fn skipped() -> Story {
    let mut config = two(true);
    config.units.push(unit("c", &["a", "b"], vec![part("1")]));
    let mut story = going(config);
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    finish(&mut story, a, "a/1", says("a/1", "completed", &[]));
    story.say(Command::SkipVerification { reason: "a spike".to_owned() });
    finish(&mut story, b, "b/1", says("b/1", "completed", &[]));
    assert_eq!((due(&story), at_gates(&story)), (vec!["c/1".to_owned()], json!(0)));
    work(&mut story, "c/1", &[]);
    done(&story);
    assert_eq!(at_gates(&story), json!(0));
    let waived = story.engine.view().end.unwrap().waived;
    assert!(waived.contains(&"a/1/AC-002".to_owned()), "{waived:?}");
    assert!(waived.contains(&"gate/1".to_owned()), "{waived:?}");
    story
}

fn at_gates(story: &Story) -> Value {
    let snapshot = serde_json::to_value(story.engine.snapshot()).unwrap();
    snapshot.pointer("/mission/state/core/counts/gates").unwrap().clone()
}

fn last_skipped() -> Story {
    let mut story = last("no rule");
    assert_eq!(story.topic(), "gate_failed");
    story.say(Command::SkipVerification { reason: "a spike".to_owned() });
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["gate/1"]);
    story
}

fn last_blocks() -> Story {
    let mut story = last("no rule");
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.world.exits.clear();
    story.say(Command::Resume);
    done(&story);
    story
}

/// The second sprint changes what the first one did.
fn touched(criteria: Vec<CriterionConfig>) -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![of("1", criteria), part("2")])]));
    let run = begin(&mut story, "a/1");
    story.world.commit(&["a/shared.rs"]);
    story.end(run, report(says("a/1", "completed", &["AC-001"])));
    story
}

fn touch(story: &mut Story) {
    let run = begin(story, "a/2");
    story.world.commit(&["a/shared.rs"]);
    story.end(run, report(says("a/2", "completed", &[])));
}

fn stale() -> Story {
    let mut story = touched(vec![shown("AC-001")]);
    touch(&mut story);
    done(&story);
    assert!(logged(&story, "Gate 1: 1 commands"));
    story
}

fn stale_fails() -> Story {
    let mut story = touched(vec![shown("AC-001")]);
    gate_says(&mut story, 1, 1, "it is gone");
    touch(&mut story);
    assert_eq!((due(&story), unit_status(&story, "a")), (vec!["a/1".to_owned()], "RUNNING".into()));
    let run = begin(&mut story, "a/1");
    story.world.commit(&["a/other.rs"]);
    story.end(run, report(says("a/1", "completed", &[])));
    done(&story);
    story
}

fn stale_judged() -> Story {
    let mut story = touched(vec![judged("AC-001")]);
    verify(&mut story, "a/1", &["AC-001"], &[]);
    touch(&mut story);
    assert_eq!(status(&story, "a/1"), "VERIFYING");
    verify(&mut story, "a/1", &["AC-001"], &[]);
    done(&story);
    story
}

fn all_judged() -> Story {
    let mut story = all_touch_one_file();
    for (sprint, other) in [("a/1", "a/2"), ("a/2", "a/1")] {
        assert_eq!(status(&story, sprint), "VERIFYING");
        assert_eq!(ordered(&story, sprint).role, "sprint-verifier");
        let outbox = story.engine.pending();
        let runs = outbox.iter().filter(|one| one.effect.order.name() == "spawn_role");
        assert_eq!(runs.count(), 1, "{other} waits for its turn");
        verify(&mut story, sprint, &["AC-001"], &[]);
    }
    done(&story);
    story
}

fn fails_for_two() -> Story {
    let units = vec![
        unit("a", &[], vec![of("1", vec![shown("AC-001")])]),
        unit("b", &["a"], vec![of("1", vec![shown("AC-002")])]),
        unit("c", &["b"], vec![of("1", vec![shown("AC-003")])]),
    ];
    let mut story = going(mission(units));
    for sprint in ["a/1", "b/1"] {
        work(&mut story, sprint, &[]);
    }
    gate_says(&mut story, 1, 1, "it is gone");
    work(&mut story, "c/1", &[]);
    assert_eq!((attempt(&story, "a/1"), attempt(&story, "b/1")), (2, 2));
    assert_eq!(due(&story), ["a/1"]);
    work(&mut story, "a/1", &[]);
    assert_eq!(due(&story), ["b/1"]);
    work(&mut story, "b/1", &[]);
    done(&story);
    story
}

/// One unit whose three sprints change one file, and no command shows any of it; the last one was judged.
pub fn all_touch_one_file() -> Story {
    let sprints = ["1", "2", "3"].map(|label| of(label, vec![judged("AC-001")]));
    let mut story = going(mission(vec![unit("a", &[], sprints.to_vec())]));
    for sprint in ["a/1", "a/2", "a/3"] {
        let run = begin(&mut story, sprint);
        story.world.commit(&["a/shared.rs"]);
        story.end(run, report(says(sprint, "completed", &["AC-001"])));
        verify(&mut story, sprint, &["AC-001"], &[]);
    }
    story
}

/// Nothing of the first sprint's own files is touched, and still its command fails at the end.
fn broken_later() -> Story {
    let sprints = vec![of("1", vec![shown("AC-007")]), part("2")];
    let mut story = going(mission(vec![unit("a", &[], sprints)]));
    work(&mut story, "a/1", &[]);
    gate_says(&mut story, 1, 1, "conf is wrong");
    work(&mut story, "a/2", &[]);
    assert!(logged(&story, "Gate 1: 1 commands"));
    assert_eq!((due(&story), attempt(&story, "a/1")), (vec!["a/1".to_owned()], 2));
    assert!(ordered(&story, "a/1").prompt.contains("conf is wrong"));
    work(&mut story, "a/1", &[]);
    // The head moved again, so the other one is shown again, too.
    assert!(logged(&story, "Gate 2 held"));
    done(&story);
    story
}

fn shared_command() -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![part("1"), part("2"), part("3")])]));
    work(&mut story, "a/1", &[]);
    work(&mut story, "a/2", &[]);
    gate_says(&mut story, 1, 1, "something is wrong");
    work(&mut story, "a/3", &[]);
    assert_eq!((due(&story), attempt(&story, "a/1")), (vec!["a/2".to_owned()], 1));
    work(&mut story, "a/2", &[]);
    done(&story);
    assert!(at(&story, "a/1", "/verified_ordinal") == at(&story, "a/2", "/verified_ordinal"));
    story
}
