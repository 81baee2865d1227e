//! How a turn loop ends: each stop reason, and what the user makes of it.

use super::*;
use endstate::vocab::effect::Order;

pub const TALES: &[Tale] = &[
    tale("turn-limit", "No turn is left; the user gives more", limit_more),
    tale("turn-limit-skip", "No turn is left; the user lets the task go", limit_skip),
    tale(
        "turn-limit-stop",
        "No turn is left; the mission is blocked until it is resumed",
        limit_stop,
    ),
    tale(
        "turn-limit-defer",
        "No turn is left; the task is put off and the mission ends without it",
        limit_defer,
    ),
    tale("honesty-collapsed", "Too few promises were true three turns long", honesty),
    tale("honesty-at-three-in-ten", "Three in ten is just enough", honesty_edge),
    tale("feedback-stalled", "The same feedback three times with nothing newly verified", stalled),
    tale("feedback-stalled-despite-progress", "The same feedback five times", stalled_five),
    tale(
        "no-passing-checkpoint",
        "Failing tests three turns long; the tree is put back",
        roll_back,
    ),
    tale(
        "unknown-tests-are-no-failure",
        "Tests without an answer are no failing ones",
        unknown_tests,
    ),
    tale("timed-out", "A task's time is over while its player is at work", timed_out),
    tale(
        "timed-out-beats-approval",
        "An approval after the time is over comes too late",
        late_approval,
    ),
    tale("cancelled", "What was killed is cancelled, and taken up again by a resume", cancelled),
    tale(
        "cancelled-beats-approval",
        "A verdict that comes after the kill is dropped",
        cancelled_coach,
    ),
];

fn config(turns: u32) -> promise::Config {
    promise::Config { max_turns: turns, ..single() }
}

fn exhausted() -> Story {
    let mut story = going(config(2));
    turn(&mut story, "T1", 1, 2, &["AC-001"]);
    turn(&mut story, "T1", 2, 2, &["AC-002"]);
    assert_eq!(story.topic(), "stopped");
    assert_eq!(record(&story)["stop_reason"], "turn_limit");
    assert_eq!(at(&story, "T1", "/status"), "failed");
    story
}

fn limit_more() -> Story {
    let mut story = exhausted();
    story.choose("more");
    turn(&mut story, "T1", 3, 2, &[]);
    done(&story);
    story
}

fn limit_skip() -> Story {
    let mut story = exhausted();
    story.choose("skip");
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["T1/AC-002"]);
    assert_eq!(at(&story, "T1", "/status"), "skipped");
    story
}

fn limit_stop() -> Story {
    let mut story = exhausted();
    story.choose("stop");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    assert_eq!(story.core("/blocked/code"), "task_stopped");
    story.say(Command::Resume);
    assert_eq!(story.topic(), "stopped");
    story.choose("more");
    turn(&mut story, "T1", 3, 2, &[]);
    done(&story);
    story
}

fn limit_defer() -> Story {
    let mut story = exhausted();
    story.choose("defer");
    assert_eq!(story.topic(), "end_with_deferred");
    story.answer(Answer::Confirmation { yes: true });
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().deferred, ["T1"]);
    story
}

fn wide(criteria: usize) -> promise::Config {
    promise::Config {
        max_turns: 9,
        ..promise::Config::new(MISSION, vec![task("T1", criteria, &[])])
    }
}

fn honesty() -> Story {
    let mut story = going(wide(4));
    turn(&mut story, "T1", 1, 4, &["AC-001", "AC-002", "AC-003"]);
    turn(&mut story, "T1", 2, 4, &["AC-001", "AC-002", "AC-004"]);
    turn(&mut story, "T1", 3, 4, &["AC-001", "AC-003", "AC-004"]);
    assert_eq!(record(&story)["stop_reason"], "honesty_collapsed");
    assert_eq!(story.topic(), "stopped");
    story
}

fn honesty_edge() -> Story {
    let mut story = going(wide(10));
    let all = ids(10);
    for number in 1..=3 {
        // Another three hold each time, so that the feedback is not the same.
        let bad: Vec<&str> = (0..10)
            .filter(|place| !(0..3).any(|hold| (number * 3 + hold) % 10 == *place))
            .map(|place| all[place].as_str())
            .collect();
        turn(&mut story, "T1", u32::try_from(number).unwrap(), 10, &bad);
        assert_eq!(record(&story)["honesty"], json!([3, 10]));
    }
    assert_eq!(story.due(), "player");
    story
}

fn stalled() -> Story {
    let mut story = going(config(9));
    for number in 1..=3 {
        turn(&mut story, "T1", number, 2, &["AC-002"]);
    }
    // In the first of these three AC-001 was newly verified.
    assert_eq!(story.due(), "player");
    turn(&mut story, "T1", 4, 2, &["AC-002"]);
    assert_eq!(record(&story)["stop_reason"], "feedback_stalled");
    story
}

fn stalled_five() -> Story {
    let mut story = going(wide(3));
    // One more holds, then one less, and so on: always something newly verified, always the same words.
    for number in 1..=5 {
        let mut bad = vec!["AC-003"];
        if number % 2 == 0 {
            bad = vec!["AC-002"];
        }
        play(&mut story, "T1", number, 3);
        let all = ids(3);
        let rows = all.iter().map(|id| check(id, "verified", !bad.contains(&id.as_str())));
        let mut said = coach("T1", number, "feedback", rows.collect());
        said["feedback"] = json!(format!("line {number}0 of src/T1.rs is still wrong"));
        story.run("coach", said);
        if number < 5 {
            assert_eq!(story.due(), "player", "turn {number}");
        }
    }
    assert_eq!(record(&story)["stop_reason"], "feedback_stalled");
    story
}

fn tested() -> promise::Config {
    promise::Config {
        max_turns: 9,
        test_command: vec!["make".to_owned(), "test".to_owned()],
        ..single()
    }
}

/// The tests passed once, and then never again: answers with the head at which they did.
pub fn no_passing_checkpoint(story: &mut Story) -> String {
    let exits = |story: &mut Story, status: i32| {
        story.world.exits.insert("tests".to_owned(), (Some(status), String::new()));
    };
    exits(story, 0);
    turn(story, "T1", 1, 2, &["AC-001"]);
    let passing = story.head();
    exits(story, 2);
    turn(story, "T1", 2, 2, &["AC-002"]);
    turn(story, "T1", 3, 2, &["AC-001"]);
    turn(story, "T1", 4, 2, &["AC-002"]);
    passing
}

fn roll_back() -> Story {
    let mut story = going(tested());
    let passing = no_passing_checkpoint(&mut story);
    assert_eq!(record(&story)["stop_reason"], "no_passing_checkpoint");
    assert_eq!(record(&story)["tests"], "failed");
    let (_, question) = story.question().unwrap();
    assert!(json!(question.kind).to_string().contains("roll_back"));
    let (effect, _) = story.question().unwrap();
    let answer = Answer::Choice { option: "roll_back".to_owned() };
    story.fact(Fact::QuestionAnswered(QuestionAnswered { effect, answer }));
    let argv = |story: &mut Story| match story.settle_until("run_command").effect.order.clone() {
        Order::RunCommand(command) => command.argv,
        other => panic!("{other:?}"),
    };
    let kept = argv(&mut story);
    assert_eq!(kept[..2], ["git", "update-ref"]);
    assert!(kept[2].starts_with("refs/endstate/kept/"));
    let one = story.settle_until("run_command");
    let fact = story.world.perform(&story.engine, &one).unwrap();
    story.fact(fact);
    assert_eq!(argv(&mut story), ["git", "reset", "--hard", passing.as_str()]);
    story.settle();
    assert!(story.prompt().contains(&format!("put back to {passing}")));
    story
}

fn unknown_tests() -> Story {
    let mut story = going(tested());
    turn(&mut story, "T1", 1, 2, &["AC-001"]);
    story.world.exits.insert("tests".to_owned(), (None, String::new()));
    for (number, bad) in [(2, "AC-002"), (3, "AC-001"), (4, "AC-002")] {
        turn(&mut story, "T1", number, 2, &[bad]);
        assert_eq!(record(&story)["tests"], "not_shown");
    }
    assert_eq!(story.due(), "player");
    story
}

fn timed() -> Story {
    going(promise::Config { task_timeout_ms: Some(60_000), ..single() })
}

fn fire(story: &mut Story) {
    let pending = story.engine.pending();
    let timer = pending.iter().find(|one| one.effect.order.name() == "set_timer").unwrap();
    story.at += 60_000;
    story.fact(Fact::TimerFired(TimerFired { effect: timer.effect.id }));
}

fn timed_out() -> Story {
    let mut story = timed();
    let effect = story.begin("player");
    fire(&mut story);
    assert_eq!(story.settle_until("stop_role").effect.order.name(), "stop_role");
    story.settle();
    story.failed(effect, RunOutcome::Lost);
    story.settle();
    assert_eq!(record(&story)["stop_reason"], "timed_out");
    assert_eq!(story.topic(), "stopped");
    story.choose("more");
    turn(&mut story, "T1", 2, 2, &[]);
    done(&story);
    story
}

fn late_approval() -> Story {
    let mut story = timed();
    play(&mut story, "T1", 1, 2);
    let effect = story.begin("coach");
    story.at += 120_000;
    let rows = vec![check("AC-001", "verified", true), check("AC-002", "verified", true)];
    story.end(effect, report(coach("T1", 1, "approve", rows)));
    assert_eq!(record(&story)["stop_reason"], "timed_out");
    assert_eq!(record(&story)["criteria_verified"], 2);
    assert_eq!(story.topic(), "stopped");
    story
}

fn cancelled() -> Story {
    let mut story = going(single());
    let effect = story.begin("player");
    story.command(Command::Kill);
    story.settle();
    story.failed(effect, RunOutcome::Lost);
    story.settle();
    assert_eq!(record(&story)["stop_reason"], "cancelled");
    assert_eq!(story.engine.continuation(), Continuation::Paused);
    story.say(Command::Resume);
    turn(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn cancelled_coach() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    let effect = story.begin("coach");
    story.say(Command::Stop { mode: StopMode::Kill });
    let rows = vec![check("AC-001", "verified", true), check("AC-002", "verified", true)];
    story.end(effect, report(coach("T1", 1, "approve", rows)));
    assert_eq!(words(&story, "T1"), ["claimed", "claimed"]);
    story.say(Command::Resume);
    verify(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}
