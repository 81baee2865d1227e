//! Who goes first, and who goes beside whom.

use super::*;
use endstate::vocab::question::QuestionKind;

pub const TALES: &[Tale] = &[
    tale("one-sprint", "One sprint that a command shows", one),
    tale("two-in-a-row", "The next sprint begins when the one before it is shown", in_a_row),
    tale("side-by-side", "Two units at work at once, one run each", side_by_side),
    tale("unit-after-unit", "A unit starts when the one it waits for is completed", after_unit),
    tale("sprint-after-sprint", "A sprint waits for a sprint of another unit", after_sprint),
    tale("dependency-verified", "A dependency's command must hold first", dependency),
    tale(
        "dependency-not-verified",
        "A unit stays NOT_STARTED until its dependency holds",
        not_verified,
    ),
    tale("no-more-than-allowed", "Three units, two runs at once", limit),
    tale("trust-is-asked", "The plan's commands are shown before anything is run", trust),
    tale("trust-shows-all", "A command is shown whole before the user lets it run", trust_whole),
    tale("trust-is-refused", "A plan that is not trusted runs nothing of its own", no_trust),
    tale("trust-blocks", "Without an answer to trust nothing goes on", trust_block),
    tale("vague-criteria-are-asked-about", "Vague exit criteria are never dispatched", vague_words),
    tale("vague-criteria-let-go", "A sprint of nothing but vague words is let go", vague_waived),
    tale(
        "vague-among-others-let-go",
        "A sprint is sent without the vague words that were let go",
        vague_some,
    ),
    tale(
        "vague-and-recorded-as-shown",
        "Vague words let go are not asked about again",
        vague_recorded,
    ),
    tale("vague-criteria-block", "Vague words block until they are worded anew", vague_block),
    tale(
        "state-is-written-first",
        "The choice stands in the state file before the run is sent",
        written_first,
    ),
    tale(
        "ticked-work-is-taken",
        "What the boxes say is done is shown, not worked on",
        ticked_taken,
    ),
    tale(
        "ticked-work-is-done-again",
        "The user may have it done as if no box were ticked",
        ticked_again,
    ),
    tale("recorded-work-is-shown-first", "What another supervisor recorded is shown here", adopted),
    tale("recorded-work-is-not-there", "What is seen wins over what is recorded", adopted_wrong),
    tale(
        "recorded-work-is-judged",
        "Recorded work that no command shows is judged",
        adopted_judged,
    ),
    tale(
        "put-off-by-the-plan",
        "A sprint the plan puts off ends the mission only with the user",
        put_off,
    ),
];

fn one() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    assert_eq!(due(&story), ["a/1"]);
    assert!(at(&story, "a/1", "/alone").as_bool().unwrap());
    work(&mut story, "a/1", &[]);
    done(&story);
    assert_eq!(unit_status(&story, "a"), "COMPLETED");
    assert!(page(&story, "SUPERVISOR_STATE.md").contains("- Work unit state: COMPLETED"));
    story
}

fn in_a_row() -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![part("1"), part("2a"), part("2b")])]));
    for label in ["a/1", "a/2a", "a/2b"] {
        assert_eq!(due(&story), [label]);
        work(&mut story, label, &[]);
        assert_eq!(status(&story, label), "COMPLETED");
    }
    done(&story);
    story
}

fn side_by_side() -> Story {
    let units = vec![unit("a", &[], vec![part("1")]), unit("b", &[], vec![part("1")])];
    let mut story = going(mission(units));
    assert_eq!(due(&story), ["a/1", "b/1"]);
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    assert!(ordered(&story, "b/1").prompt.contains("Do not build"));
    finish(&mut story, b, "b/1", says("b/1", "completed", &[]));
    assert_eq!(
        (status(&story, "b/1"), status(&story, "a/1")),
        ("COMPLETED".into(), "RUNNING".into())
    );
    finish(&mut story, a, "a/1", says("a/1", "completed", &[]));
    done(&story);
    story
}

fn after_unit() -> Story {
    let units = vec![unit("a", &[], vec![part("1")]), unit("b", &["a"], vec![part("1")])];
    let mut story = going(mission(units));
    assert_eq!(due(&story), ["a/1"]);
    assert_eq!(unit_status(&story, "b"), "NOT_STARTED");
    work(&mut story, "a/1", &[]);
    assert_eq!(due(&story), ["b/1"]);
    work(&mut story, "b/1", &[]);
    done(&story);
    story
}

fn after_sprint() -> Story {
    let mut waits = part("2");
    waits.after = vec!["a/1".to_owned()];
    let units =
        vec![unit("a", &[], vec![part("1"), part("2")]), unit("b", &[], vec![part("1"), waits])];
    let mut story = going(mission(units));
    work(&mut story, "b/1", &[]);
    assert_eq!(due(&story), ["a/1"]);
    work(&mut story, "a/1", &[]);
    assert_eq!(due(&story), ["a/2", "b/2"]);
    work(&mut story, "b/2", &[]);
    work(&mut story, "a/2", &[]);
    done(&story);
    story
}

fn checked(config: &mut sprint::Config) {
    config.units[1].checks = vec![line("make a"), line("test -d a")];
}

fn dependency() -> Story {
    let units = vec![unit("a", &[], vec![part("1")]), unit("b", &["a"], vec![part("1")])];
    let mut config = mission(units);
    checked(&mut config);
    let mut story = going(config);
    work(&mut story, "a/1", &[]);
    assert_eq!(due(&story), ["b/1"]);
    work(&mut story, "b/1", &[]);
    done(&story);
    story
}

fn not_verified() -> Story {
    let units = vec![unit("a", &[], vec![part("1")]), unit("b", &["a"], vec![part("1")])];
    let mut config = mission(units);
    checked(&mut config);
    let mut story = going(config);
    story.world.exits.insert("dependency of b".to_owned(), (Some(2), "no".to_owned()));
    work(&mut story, "a/1", &[]);
    assert_eq!(unit_status(&story, "b"), "NOT_STARTED");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    assert!(logged(&story, "Dependency verification failed"));
    story.world.exits.clear();
    story.say(Command::Resume);
    work(&mut story, "b/1", &[]);
    done(&story);
    story
}

fn limit() -> Story {
    let units = ["a", "b", "c"].map(|id| unit(id, &[], vec![part("1")])).to_vec();
    let mut story = going(sprint::Config { max_parallel: 2, ..mission(units) });
    assert_eq!(due(&story), ["a/1", "b/1"]);
    work(&mut story, "a/1", &[]);
    assert_eq!(due(&story), ["b/1", "c/1"]);
    work(&mut story, "b/1", &[]);
    work(&mut story, "c/1", &[]);
    done(&story);
    story
}

fn untrusted() -> Story {
    going(sprint::Config { trusted: false, ..single(vec![shown("AC-001")]) })
}

fn trust() -> Story {
    let mut story = untrusted();
    assert_eq!((story.topic().as_str(), due(&story).len()), ("trust", 0));
    let (_, question) = story.question().unwrap();
    assert!(question.text.contains("test AC-001"));
    story.choose("trust");
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

/// What lies behind many harmless words, a line end or a mark that turns the text is read before it is run.
fn trust_whole() -> Story {
    let of = |argv: &[&str]| {
        let argv = argv.iter().map(|word| (*word).to_owned()).collect();
        Check::Command(CommandLine { argv, ..CommandLine::default() })
    };
    let long = format!("true {}; rm -rf /srv", "x".repeat(5_000));
    let hidden = "true\n\u{1b}[2K\rsh \u{202e}evil.sh";
    let criteria = vec![
        CriterionConfig { check: of(&["sh", "-c", &long]), ..shown("AC-001") },
        CriterionConfig { check: of(&["sh", "-c", hidden]), ..shown("AC-002") },
        CriterionConfig { check: of(&["grep", "-q", "a b", "it's"]), ..shown("AC-003") },
    ];
    let mut story = going(sprint::Config { trusted: false, ..single(criteria) });
    let text = story.question().unwrap().1.text;
    assert!(text.contains(&long), "{text}");
    assert!(text.contains(r"  true\n\u{1b}[2K\rsh \u{202e}evil.sh"), "{text}");
    assert!(text.contains(r"  grep -q 'a b' 'it'\''s'"), "{text}");
    story.choose("block");
    story
}

/// What nobody will check is said beside the commands, so that whoever lets them run knows of it.
#[test]
fn warnings_of_the_plan_are_said_with_its_commands() {
    let warnings = vec!["line 9 column 1: overlooked: \u{1b}2 open check boxes".to_owned()];
    let config = sprint::Config { trusted: false, warnings, ..single(vec![shown("AC-001")]) };
    let text = going(config).question().unwrap().1.text;
    let said =
        "warned of, before anything is done:\n  line 9 column 1: overlooked: 2 open check boxes";
    assert!(text.contains("test AC-001") && text.ends_with(said), "{text}");
}

fn no_trust() -> Story {
    let mut story = untrusted();
    story.choose("verifier");
    work(&mut story, "a/1", &["AC-001"]);
    assert_eq!(status(&story, "a/1"), "VERIFYING");
    verify(&mut story, "a/1", &["AC-001"], &[]);
    done(&story);
    let ran = |one: &(Event, endstate::engine::Applied)| {
        one.1.effects.iter().any(|effect| matches!(effect.order, Order::RunCommand(_)))
    };
    assert!(!story.taken.iter().any(ran));
    story
}

fn trust_block() -> Story {
    let mut story = untrusted();
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Resume);
    assert_eq!(story.topic(), "trust");
    story
}

fn vague_words() -> Story {
    let mut story = going(single(vec![shown("AC-001"), vague("AC-002")]));
    assert_eq!((story.topic().as_str(), due(&story).len()), ("vague", 0));
    story.choose("confirm");
    work(&mut story, "a/1", &["AC-002"]);
    assert_eq!((story.topic().as_str(), status(&story, "a/1").as_str()), ("confirm", "PARTIAL"));
    story.answer(Answer::ManualStep { done: true, note: "I looked".to_owned() });
    done(&story);
    story
}

fn vague_waived() -> Story {
    let mut story = going(single(vec![vague("AC-001")]));
    assert!(waiving(&story).contains("nobody is sent"), "{}", waiving(&story));
    story.choose("waive");
    done(&story);
    assert_eq!(status(&story, "a/1"), "SKIPPED");
    assert_eq!(story.engine.view().end.unwrap().waived, ["a/1/AC-001"]);
    story
}

/// What the option that lets the words go says of what comes of it.
fn waiving(story: &Story) -> String {
    let QuestionKind::Choice { options } = story.question().unwrap().1.kind else { panic!() };
    let one = options.into_iter().find(|one| one.id == "waive").unwrap();
    format!("{}: {}", one.label, one.trade_off)
}

fn vague_some() -> Story {
    let mut story = going(single(vec![shown("AC-001"), vague("AC-002")]));
    assert!(waiving(&story).contains("sent without them"), "{}", waiving(&story));
    story.choose("waive");
    assert!(logged(&story, "Let go: AC-002"));
    let prompt = ordered(&story, "a/1").prompt;
    assert!(prompt.contains("AC-002: it works correctly [let go by the user]"), "{prompt}");
    assert!(prompt.contains("Remaining contract IDs: AC-001\n"), "{prompt}");
    work(&mut story, "a/1", &[]);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["a/1/AC-002"]);
    story
}

/// An earlier supervisor recorded it; its vague criterion was shown then, another one was not.
fn vague_recorded() -> Story {
    let mut config = single(vec![vague("AC-001"), judged("AC-002")]);
    let first = &mut config.units[0].sprints[0];
    first.begins = Begins::Adopted { status: sprint::status::SprintStatus::Completed, attempt: 1 };
    let mut story = going(config);
    verify(&mut story, "a/1", &["AC-001", "AC-002"], &["AC-002"]);
    assert_eq!((story.topic().as_str(), status(&story, "a/1").as_str()), ("vague", "PENDING"));
    story.choose("waive");
    assert_eq!((story.topic(), due(&story)), (String::new(), vec!["a/1".to_owned()]));
    work(&mut story, "a/1", &["AC-002"]);
    verify(&mut story, "a/1", &["AC-002"], &[]);
    done(&story);
    story
}

fn vague_block() -> Story {
    let mut story = going(single(vec![shown("AC-001"), vague("AC-002")]));
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    let waive = PlanChange::WaiveCriterion {
        item: "a/1".to_owned(),
        criterion: "AC-002".to_owned(),
        reason: "the plan says it better now".to_owned(),
    };
    story.say(Command::Amend { changes: vec![waive] });
    story.say(Command::Resume);
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

fn written_first() -> Story {
    let mut story = Story::start(&wrap(single(vec![shown("AC-001")])), World::new());
    story.settle();
    story.command(Command::Start);
    story.settle_until("spawn_role");
    assert!(page(&story, "SUPERVISOR_STATE.md").contains("- Sprint state: DISPATCHED"));
    story
}

fn recorded(criteria: Vec<CriterionConfig>) -> Story {
    let mut first = of("1", criteria);
    first.begins = Begins::Adopted { status: sprint::status::SprintStatus::Completed, attempt: 2 };
    Story::start(&wrap(mission(vec![unit("a", &[], vec![first, part("2")])])), World::new())
}

/// Two units whose work is ticked off in the plan, and one that waits for them.
fn boxes(units: Vec<UnitConfig>) -> Story {
    let ticked = |mut unit: UnitConfig| {
        unit.sprints.iter_mut().for_each(|one| one.begins = Begins::Ticked);
        unit
    };
    let mut units: Vec<UnitConfig> = units.into_iter().map(ticked).collect();
    units[0].checks = vec![line("test ! -d a")];
    units.push(unit("c", &["a", "b"], vec![part("1")]));
    let mut story = Story::start(&wrap(mission(units)), World::new());
    // What had to hold before the work does not hold behind it.
    story.world.exits.insert("dependency of a".to_owned(), (Some(1), "it is there".to_owned()));
    story
}

/// Nobody is sent before the answer; then commands and a verifier look, and only what does not hold is worked on.
fn ticked_taken() -> Story {
    let judged = of("1", vec![shown("AC-001"), judged("AC-002")]);
    let mut story =
        boxes(vec![unit("a", &[], vec![part("1"), part("2")]), unit("b", &[], vec![judged])]);
    exits(&mut story, "a/2", "AC-001", 1);
    story.go();
    assert_eq!((story.topic().as_str(), due(&story)), ("ticked", Vec::new()));
    let asked = story.engine.view().questions[0].text.clone();
    assert!(asked.contains("3 sprints are ticked in the plan: a/1, a/2, b/1"), "{asked}");
    story.choose("take");
    assert_eq!(status(&story, "a/1"), "COMPLETED");
    assert!(logged(&story, "Taken as it stands"));
    verify(&mut story, "b/1", &["AC-002"], &[]);
    // No agent was sent for what holds; what does not is worked on as usual, and whoever waits for it waits.
    assert_eq!((due(&story), attempt(&story, "a/2")), (vec!["a/2".to_owned()], 1));
    assert_eq!(
        (status(&story, "b/1").as_str(), status(&story, "c/1").as_str()),
        ("COMPLETED", "PENDING")
    );
    exits(&mut story, "a/2", "AC-001", 0);
    work(&mut story, "a/2", &[]);
    work(&mut story, "c/1", &[]);
    done(&story);
    story
}

/// As if no box were ticked.
fn ticked_again() -> Story {
    let mut story = boxes(vec![unit("b", &[], vec![part("1")]), unit("a", &[], vec![part("1")])]);
    story.go();
    assert_eq!(story.topic(), "ticked");
    story.choose("again");
    // What must hold before `b` is run first, while `a` goes ahead; nobody asks a second time.
    assert_eq!((due(&story), story.topic()), (vec!["a/1".to_owned()], String::new()));
    work(&mut story, "a/1", &[]);
    assert_eq!(due(&story), ["b/1"]);
    work(&mut story, "b/1", &[]);
    work(&mut story, "c/1", &[]);
    done(&story);
    story
}

fn adopted() -> Story {
    let mut story = recorded(vec![shown("AC-001")]);
    story.go();
    assert_eq!(status(&story, "a/1"), "COMPLETED");
    assert_eq!(due(&story), ["a/2"]);
    work(&mut story, "a/2", &[]);
    done(&story);
    story
}

fn adopted_wrong() -> Story {
    let mut story = recorded(vec![shown("AC-001")]);
    exits(&mut story, "a/1", "AC-001", 1);
    story.go();
    assert_eq!((due(&story), attempt(&story, "a/1")), (vec!["a/1".to_owned()], 2));
    assert!(logged(&story, "Recorded as COMPLETED, but it is not"));
    story
}

fn adopted_judged() -> Story {
    let mut story = recorded(vec![judged("AC-001")]);
    story.go();
    assert_eq!(status(&story, "a/1"), "VERIFYING");
    verify(&mut story, "a/1", &["AC-001"], &[]);
    assert_eq!(due(&story), ["a/2"]);
    story
}

fn put_off() -> Story {
    let mut later = part("2");
    later.begins = Begins::PutOff;
    let units =
        vec![unit("a", &[], vec![part("1"), later, part("3")]), unit("b", &["a"], vec![part("1")])];
    let mut story = going(mission(units));
    work(&mut story, "a/1", &[]);
    assert_eq!(story.topic(), "end_with_deferred");
    story.answer(Answer::Confirmation { yes: true });
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().deferred, ["a/2", "a/3", "b/1"]);
    story
}
