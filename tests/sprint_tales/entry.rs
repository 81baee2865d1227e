//! What must hold before a sprint begins: the commands among its entry criteria, and what the words say.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "entry-holds",
        "The entry commands of every sprint are run before it is dispatched",
        holds,
    ),
    tale("entry-does-not-hold", "A sprint whose entry does not hold is not dispatched", keeps),
    tale(
        "entry-not-trusted",
        "What may not be run, the agent and the verifier are told",
        untrusted,
    ),
    tale("entry-of-a-first-sprint", "A unit that waits for nothing has an entry, too", first),
    tale(
        "entry-of-a-sprint-that-is-let-go",
        "What kept a sprint from its run is no news once it is let go",
        let_go,
    ),
    tale("entry-waits-for-trust", "No entry command is run before the plan is trusted", trust),
];

fn config() -> sprint::Config {
    let mut second = of("2", vec![judged("AC-001")]);
    second.entry = vec!["`test -f a/one` succeeds".to_owned()];
    second.entry_checks = vec![line("test -f a/one")];
    mission(vec![unit("a", &[], vec![part("1"), second])])
}

fn says_entry(story: &mut Story, status: i32) {
    let said = (Some(status), "no a/one".to_owned());
    story.world.exits.insert("entry of a/2".to_owned(), said);
}

fn holds() -> Story {
    let mut story = going(config());
    work(&mut story, "a/1", &[]);
    assert_eq!((due(&story), at(&story, "a/2", "/entry_held")), (vec!["a/2".to_owned()], json!(1)));
    // What began is not asked again: its own work may be what ended the state it began from.
    says_entry(&mut story, 1);
    fails(&mut story, "a/2");
    assert_eq!(due(&story), ["a/2"]);
    work(&mut story, "a/2", &["AC-001"]);
    verify(&mut story, "a/2", &["AC-001"], &[]);
    done(&story);
    story
}

fn keeps() -> Story {
    let mut story = going(config());
    says_entry(&mut story, 1);
    work(&mut story, "a/1", &[]);
    assert!(due(&story).is_empty());
    assert_eq!((status(&story, "a/2"), attempt(&story, "a/2")), ("PENDING".into(), 1));
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    let reason = story.engine.view().reason;
    assert!(reason.contains("an entry criterion of a/2 does not hold"), "{reason}");
    assert!(page(&story, "SUPERVISOR_STATE.md").contains("an entry criterion of a/2"));
    story.world.exits.clear();
    story.say(Command::Resume);
    assert_eq!(due(&story), ["a/2"]);
    story
}

fn let_go() -> Story {
    let mut config = config();
    config.units[0].sprints.push(part("3"));
    config.units.push(unit("b", &[], vec![part("1")]));
    config.units[1].checks = vec![line("test -f never")];
    let mut story = Story::start(&wrap(config), World::new());
    says_entry(&mut story, 1);
    story.world.exits.insert("dependency of b".to_owned(), (Some(1), String::new()));
    story.go();
    work(&mut story, "a/1", &[]);
    let notes = |story: &Story| {
        let page = page(story, "SUPERVISOR_STATE.md");
        ["an entry criterion of a/2 does not hold", "its entry criteria do not hold"]
            .map(|words| page.contains(&format!("Notes: {words}")))
    };
    assert_eq!(notes(&story), [true, true]);
    let skip = |item: &str| {
        let reason = "the user does it".to_owned();
        Command::Skip { item: item.to_owned(), reason }
    };
    story.say(skip("a/2"));
    assert_eq!((due(&story), notes(&story)), (vec!["a/3".to_owned()], [false, true]));
    story.say(skip("b/1"));
    assert_eq!(notes(&story), [false, false]);
    story
}

fn untrusted() -> Story {
    let mut config = config();
    config.trusted = false;
    let mut story = Story::start(&wrap(config), World::new());
    story.go();
    story.choose("verifier");
    work(&mut story, "a/1", &["AC-001"]);
    verify(&mut story, "a/1", &["AC-001"], &[]);
    assert!(ordered(&story, "a/2").prompt.contains("`test -f a/one` succeeds"));
    work(&mut story, "a/2", &["AC-001"]);
    let prompt = ordered(&story, "a/2").prompt;
    assert!(prompt.contains("Its entry criteria") && prompt.contains("`test -f a/one` succeeds"));
    verify(&mut story, "a/2", &["AC-001"], &[]);
    done(&story);
    story
}

fn first() -> Story {
    let text = "# Plan\n\n## Sprint 1: One\n\n**Entry criteria**:\n- [ ] `test -f ready` succeeds\n\n**Tasks**:\n1. \
        Write `one`.\n\n**Exit criteria**:\n- [ ] `test -f one` succeeds\n\n## Sprint 2: Two\n\n**Entry criteria**:\n- \
        [ ] `test -f one` succeeds\n\n**Tasks**:\n1. Write `two`.\n\n**Exit criteria**:\n- [ ] `test -f two` succeeds\n";
    let mut config = sprint::plan::config("EXECUTION_PLAN.md", text, "p").unwrap().config;
    let unit = &config.units[0];
    assert_eq!((unit.checks.len(), unit.sprints[1].entry_checks.len()), (1, 1), "{unit:#?}");
    (config.trusted, config.plan, config.mission) = (true, None, MISSION.to_owned());
    let id = config.units[0].id.clone();
    let mut story = Story::start(&wrap(config), World::new());
    let purpose = format!("dependency of {id}");
    story.world.exits.insert(purpose, (Some(1), String::new()));
    story.go();
    assert_eq!((unit_status(&story, &id), due(&story).len()), ("NOT_STARTED".into(), 0));
    story.world.exits.clear();
    story.say(Command::Resume);
    assert_eq!(due(&story).len(), 1);
    story
}

fn trust() -> Story {
    let mut config = config();
    config.trusted = false;
    config.units[0].checks = vec![line("test -d a")];
    let mut story = Story::start(&wrap(config), World::new());
    story.go();
    assert_eq!(story.topic(), "trust");
    assert!(
        !story.engine.pending().iter().any(|one| matches!(one.effect.order, Order::RunCommand(_)))
    );
    assert_eq!(unit_status(&story, "a"), "NOT_STARTED");
    story.choose("trust");
    assert_eq!(due(&story), ["a/1"]);
    story
}
