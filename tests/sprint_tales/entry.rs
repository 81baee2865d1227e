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
    tale("entry-is-let-go", "The user lets entry criteria go by their ids", waived),
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

/// The user lets an entry criterion go.
fn waive(item: &str, criterion: &str) -> Command {
    let (item, criterion) = (item.to_owned(), criterion.to_owned());
    let reason = "it is there elsewhere".to_owned();
    Command::Amend { changes: vec![PlanChange::WaiveCriterion { item, criterion, reason }] }
}

fn waived() -> Story {
    let mut config = config();
    config.units[0].checks = vec![line("test -d ready"), line("test -d set")];
    config.units[0].sprints[1].entry.insert(0, "Somebody has read the page".to_owned());
    config.units[0].sprints[1].entry.push("`test -f b` succeeds".to_owned());
    let both =
        [("EC-002", "test -f a/one"), ("EC-003", "test -f b")].map(|(id, text)| CommandLine {
            argv: ["bash", "-c", text].map(str::to_owned).to_vec(),
            shows: Some(id.to_owned()),
            ..line(text)
        });
    config.units[0].sprints[1].entry_checks = both.to_vec();
    let mut story = Story::start(&wrap(config), World::new());
    let no = (Some(1), String::new());
    story.world.exits.insert("dependency of a".to_owned(), no);
    says_entry(&mut story, 1);
    story.go();
    let told = |story: &Story, words: &str| {
        let (view, page) = (story.engine.view().reason, page(story, "SUPERVISOR_STATE.md"));
        assert!(view.contains(words), "{view}");
        assert!(page.contains(words), "{page}");
    };
    // A unit that does not start names the first of its commands, under its first sprint.
    told(&story, "`endstate amend --waive a/1=EC-001 --reason WHY`");
    let unknown = story.command_refused(waive("a/1", "EC-003"));
    assert_eq!(unknown.code, Code::UnknownCriterion);
    story.say(waive("a/1", "EC-001"));
    told(&story, "`endstate amend --waive a/1=EC-002 --reason WHY`");
    assert_eq!(story.command_refused(waive("a/1", "EC-001")).code, Code::UnknownCriterion);
    story.say(waive("a/1", "EC-002"));
    assert_eq!(due(&story), ["a/1"]);
    work(&mut story, "a/1", &[]);
    told(&story, "an entry criterion of a/2 does not hold");
    told(&story, "`endstate amend --waive a/2=EC-002 --reason WHY`");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    // One that is not the one: the mission rests on.
    story.say(waive("a/2", "EC-001"));
    assert!(due(&story).is_empty());
    story.world.exits.clear();
    story.say(waive("a/2", "EC-002"));
    assert_eq!((due(&story), at(&story, "a/2", "/entry_held")), (vec!["a/2".to_owned()], json!(1)));
    let prompt = ordered(&story, "a/2").prompt;
    assert!(prompt.contains("`test -f a/one` succeeds [let go by the user]"), "{prompt}");
    work(&mut story, "a/2", &["AC-001"]);
    let prompt = ordered(&story, "a/2").prompt;
    assert!(!prompt.contains("Its entry criteria"), "{prompt}");
    verify(&mut story, "a/2", &["AC-001"], &[]);
    done(&story);
    let ids = ["a/1/EC-001", "a/1/EC-002", "a/2/EC-001", "a/2/EC-002"];
    assert_eq!(story.engine.view().end.unwrap().waived, ids);
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
    let mut config = of_plan("EXECUTION_PLAN.md", text).unwrap().config;
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
