//! The kinds of work: commands, what goes on by itself, what is waited for, what a person must see.

use super::*;

pub const TALES: &[Tale] = &[
    tale("command-sprint", "A sprint that runs something needs no commit", command),
    tale("background-sprint", "A process is confirmed to be running", background),
    tale("deferred-sprint", "What is waited for comes at the third look", deferred),
    tale("deferred-goes-on-beside-others", "Waiting keeps no other unit", deferred_beside),
    tale("deferred-asks-after-twenty", "Twenty looks, then the user is asked", twenty),
    tale("deferred-is-let-go", "The user lets go what did not come", let_go),
    tale("deferred-is-given-up", "Only the user makes a wait fatal", given_up),
    tale("deferred-then-confirmed", "What came is confirmed by a person", deferred_person),
    tale("deferred-not-confirmed", "What is not confirmed is waited for again", deferred_not),
    tale("manual-sprint", "A person confirms what was found", manual),
    tale("manual-not-confirmed", "A person does not confirm", manual_not),
    tale("no-verifier-but-the-user", "Without verifier rounds the user judges", user_judges),
    tale("template", "The plan's own prompt with its variables", template),
];

fn command() -> Story {
    let sprint = kind(TaskKind::Command, part("1"));
    let mut story = going(mission(vec![unit("a", &[], vec![sprint])]));
    let run = begin(&mut story, "a/1");
    story.end(run, report(says("a/1", "completed", &[])));
    done(&story);
    story
}

fn background() -> Story {
    let sprint = kind(TaskKind::Background, part("1"));
    let mut story = going(mission(vec![unit("a", &[], vec![sprint])]));
    assert!(ordered(&story, "a/1").prompt.contains("Do not wait for its end"));
    let run = begin(&mut story, "a/1");
    story.end(run, report(says("a/1", "completed", &[])));
    done(&story);
    story
}

fn waiting(criteria: Vec<CriterionConfig>) -> Story {
    let sprint = kind(TaskKind::Deferred, of("1", criteria));
    let config = mission(vec![unit("a", &[], vec![sprint, part("2")])]);
    let mut story = Story::start(&wrap(config), World::new());
    exits(&mut story, "a/1", "AC-001", 1);
    story.go();
    assert_eq!((status(&story, "a/1"), due(&story).len()), ("RUNNING".into(), 0));
    story
}

fn deferred() -> Story {
    let mut story = waiting(vec![shown("AC-001")]);
    assert_eq!(story.engine.continuation(), Continuation::Continue);
    fire(&mut story, "wait:a/1");
    assert_eq!((attempt(&story, "a/1"), at(&story, "a/1", "/waiting/polls")), (1, json!(2)));
    story.world.exits.clear();
    fire(&mut story, "wait:a/1");
    assert_eq!((status(&story, "a/1"), due(&story)), ("COMPLETED".into(), vec!["a/2".to_owned()]));
    work(&mut story, "a/2", &[]);
    done(&story);
    story
}

fn deferred_beside() -> Story {
    let sprint = kind(TaskKind::Deferred, part("1"));
    let units = vec![unit("a", &[], vec![sprint]), unit("b", &[], vec![part("1")])];
    let mut story = Story::start(&wrap(mission(units)), World::new());
    exits(&mut story, "a/1", "AC-001", 1);
    story.go();
    work(&mut story, "b/1", &[]);
    assert_eq!(unit_status(&story, "b"), "COMPLETED");
    story.world.exits.clear();
    fire(&mut story, "wait:a/1");
    done(&story);
    story
}

fn after_twenty() -> Story {
    let mut story = waiting(vec![shown("AC-001")]);
    for _ in 0..19 {
        assert_eq!(story.topic(), "");
        fire(&mut story, "wait:a/1");
    }
    assert_eq!(story.topic(), "still_waiting");
    assert_eq!((status(&story, "a/1"), attempt(&story, "a/1")), ("RUNNING".into(), 1));
    story
}

fn twenty() -> Story {
    let mut story = after_twenty();
    story.choose("wait");
    story.world.exits.clear();
    fire(&mut story, "wait:a/1");
    assert_eq!(due(&story), ["a/2"]);
    story
}

fn let_go() -> Story {
    let mut story = after_twenty();
    story.choose("skip");
    assert_eq!((status(&story, "a/1"), due(&story)), ("SKIPPED".into(), vec!["a/2".to_owned()]));
    story
}

fn given_up() -> Story {
    let mut story = after_twenty();
    story.choose("fail");
    assert_eq!(
        (status(&story, "a/1"), unit_status(&story, "a")),
        ("FATAL".into(), "BLOCKED".into())
    );
    story
}

fn deferred_person() -> Story {
    let mut story = waiting(vec![shown("AC-001"), judged("AC-002")]);
    story.world.exits.clear();
    fire(&mut story, "wait:a/1");
    assert_eq!((story.topic().as_str(), status(&story, "a/1").as_str()), ("confirm", "PARTIAL"));
    story.answer(Answer::ManualStep { done: true, note: String::new() });
    assert_eq!(due(&story), ["a/2"]);
    story
}

fn deferred_not() -> Story {
    let mut story = waiting(vec![shown("AC-001"), judged("AC-002")]);
    story.world.exits.clear();
    fire(&mut story, "wait:a/1");
    story.answer(Answer::ManualStep { done: false, note: "not yet".to_owned() });
    assert_eq!((story.topic().as_str(), attempt(&story, "a/1")), ("", 1));
    fire(&mut story, "wait:a/1");
    assert_eq!(story.topic(), "confirm");
    story
}

fn seen_by_hand() -> Story {
    let sprint = kind(TaskKind::Manual, of("1", vec![judged("AC-001")]));
    let mut story = going(mission(vec![unit("a", &[], vec![sprint])]));
    let run = begin(&mut story, "a/1");
    let mut block = says("a/1", "partial", &[]);
    block["findings"] = json!(["the page is blue"]);
    story.end(run, report(block));
    let (_, question) = story.question().unwrap();
    assert!(format!("{question:?}").contains("the page is blue"));
    assert_eq!((status(&story, "a/1"), due(&story).len()), ("PARTIAL".into(), 0));
    story
}

fn manual() -> Story {
    let mut story = seen_by_hand();
    story.answer(Answer::ManualStep { done: true, note: "blue it is".to_owned() });
    done(&story);
    assert!(page(&story, "COMPLETE_Greeter.md").contains("confirmed by the user: blue it is"));
    story
}

fn manual_not() -> Story {
    let mut story = seen_by_hand();
    story.answer(Answer::ManualStep { done: false, note: "it is green".to_owned() });
    assert_eq!(attempt(&story, "a/1"), 2);
    assert!(ordered(&story, "a/1").prompt.contains("it is green"));
    story
}

fn user_judges() -> Story {
    let config = single(vec![judged("AC-001")]);
    let mut story = going(sprint::Config { max_verifier_rounds: 0, ..config });
    work(&mut story, "a/1", &[]);
    assert_eq!(story.topic(), "confirm");
    story.answer(Answer::ManualStep { done: true, note: String::new() });
    done(&story);
    story
}

fn template() -> Story {
    let mut config = single(vec![shown("AC-001")]);
    let text =
        "You are on {{work_unit}} in <directory>: sprint {sprint number}, $SPRINT_NAME. {unknown}";
    config.template = Some(text.to_owned());
    let mut story = going(config);
    let prompt = ordered(&story, "a/1").prompt;
    assert!(prompt.contains("You are on Unit a in a: sprint 1, Part 1. {unknown}"), "{prompt}");
    assert!(page(&story, "SUPERVISOR_STATE.md").contains("- Dispatch mode: template"));
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}
