//! The host: crashes, foreign files, full disks, spent budgets.

use super::*;

pub const TALES: &[Tale] = &[
    tale("host-restart", "The host comes back and looks again", restart),
    tale("run-that-cannot-be-started", "A run that the host cannot start has failed", not_started),
    tale(
        "verifier-that-cannot-be-started",
        "A verifier that cannot be sent shows nothing",
        no_verifier,
    ),
    tale(
        "command-that-cannot-be-run",
        "A command that the host cannot run shows nothing",
        no_command,
    ),
    tale("full-disk", "A state file that cannot be written is asked about", full_disk),
    tale(
        "full-disk-behind-a-question",
        "What cannot be written is asked before what was asked already",
        asked_and_full,
    ),
    tale("state-file-edited-by-hand", "A hand edit is kept aside and replaced", foreign),
    tale("detached-head", "A detached head blocks", detached),
    tale("budget-of-runs", "A spent budget is asked about", budget),
    tale("budget-of-runs-blocks", "A spent budget stops the mission", budget_block),
    tale("budget-of-commands", "Commands are spent", commands_spent),
    tale("budget-of-timers", "Looks at what is waited for are spent", timers_spent),
    tale("late-answers", "An answer that comes too late is refused", late),
];

fn restart() -> Story {
    let mut story =
        going(mission(vec![unit("a", &[], vec![part("1")]), unit("b", &[], vec![part("1")])]));
    let a = begin(&mut story, "a/1");
    story.recover(Recovery::Restart);
    assert_eq!(due(&story), ["b/1"]);
    finish(&mut story, a, "a/1", says("a/1", "completed", &[]));
    work(&mut story, "b/1", &[]);
    done(&story);
    story
}

fn not_started() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    story.fail_effect("spawn_role", Code::HostFailed);
    assert_eq!((attempt(&story, "a/1"), due(&story).len()), (2, 1));
    story
}

fn no_verifier() -> Story {
    let mut story = going(single(vec![judged("AC-001")]));
    work(&mut story, "a/1", &["AC-001"]);
    story.fail_effect("spawn_role", Code::HostFailed);
    assert_eq!(at(&story, "a/1", "/rounds"), 1);
    story
}

fn no_command() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    story.world.commit(&["a/x.rs"]);
    let text = Some(report(says("a/1", "completed", &[])));
    let (outcome, problem, usage) = (RunOutcome::Success, None, Usage::default());
    story.fact(Fact::RunEnded(RunEnded { effect: run, outcome, report: text, problem, usage }));
    story.fail_effect("run_command", Code::HostFailed);
    assert_eq!((attempt(&story, "a/1"), at(&story, "a/1", "/continuations")), (1, json!(1)));
    story
}

fn asked_and_full() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    story.say(Command::Defer { item: "a/1".to_owned(), reason: "later".to_owned() });
    assert_eq!(story.topic(), "end_with_deferred");
    let (item, text) = ("a/1".to_owned(), "`test -f a/y.rs` exits 0".to_owned());
    let changes = vec![PlanChange::AddCriterion { item, text, shown_by: None }];
    story.command(Command::Amend { changes });
    story.fail_effect("write_file", Code::WriteFailed);
    assert_eq!(story.topic(), "effect_failed");
    story.choose("retry");
    assert_eq!(story.topic(), "end_with_deferred");
    story.answer(Answer::Confirmation { yes: false });
    assert_eq!(story.due(), "agent");
    story
}

fn full_disk() -> Story {
    let mut story = Story::start(&wrap(single(vec![shown("AC-001")])), World::new());
    story.settle();
    story.command(Command::Start);
    story.fail_effect("write_file", Code::WriteFailed);
    assert_eq!(story.topic(), "effect_failed");
    story.choose("retry");
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

fn foreign() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let mine = "# SUPERVISOR_STATE.md\n\n- Work unit state: COMPLETED\n".to_owned();
    story.world.files.insert("SUPERVISOR_STATE.md".to_owned(), mine.clone());
    work(&mut story, "a/1", &[]);
    done(&story);
    let kept = format!(".agent/tmp/rejected-{}.json", endstate::engine::digest(&mine));
    assert_eq!(story.world.files[&kept], mine);
    story
}

fn detached() -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![part("1"), part("2")])]));
    let run = begin(&mut story, "a/1");
    story.world.detached = true;
    finish(&mut story, run, "a/1", says("a/1", "completed", &[]));
    assert_eq!(story.topic(), "other_head");
    story.world.detached = false;
    story.choose("restored");
    assert_eq!(status(&story, "a/1"), "COMPLETED");
    story
}

fn limited(config: sprint::Config, counter: Counter, limit: u64) -> Story {
    let mission = ProtocolConfig::Sprint(Box::new(config));
    let config = Config { budget: [(counter, limit)].into(), proof: Default::default(), mission };
    let mut story = Story::start(&config, World::new());
    story.go();
    story
}

fn one_run() -> Story {
    let config = mission(vec![unit("a", &[], vec![part("1"), part("2")])]);
    let mut story = limited(config, Counter::RoleRuns, 1);
    work(&mut story, "a/1", &[]);
    assert_eq!(story.topic(), "budget:role_runs");
    story
}

fn budget() -> Story {
    let mut story = one_run();
    story.choose("grant");
    work(&mut story, "a/2", &[]);
    done(&story);
    story
}

fn budget_block() -> Story {
    let mut story = one_run();
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Grant { counter: Counter::RoleRuns, amount: 5 });
    story.say(Command::Resume);
    work(&mut story, "a/2", &[]);
    done(&story);
    story
}

fn commands_spent() -> Story {
    let mut story = limited(single(vec![shown("AC-001"), shown("AC-002")]), Counter::Commands, 1);
    work(&mut story, "a/1", &[]);
    assert_eq!(story.topic(), "budget:commands");
    story.choose("grant");
    done(&story);
    story
}

fn timers_spent() -> Story {
    let sprint = kind(TaskKind::Deferred, part("1"));
    let config = mission(vec![unit("a", &[], vec![sprint])]);
    let config = Config {
        budget: [(Counter::Timers, 1)].into(),
        ..Config::new(ProtocolConfig::Sprint(Box::new(config)))
    };
    let mut story = Story::start(&config, World::new());
    exits(&mut story, "a/1", "AC-001", 1);
    story.go();
    fire(&mut story, "wait:a/1");
    assert_eq!(story.topic(), "budget:timers");
    story.choose("grant");
    story.world.exits.clear();
    fire(&mut story, "wait:a/1");
    done(&story);
    story
}

fn late() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    finish(&mut story, run, "a/1", says("a/1", "completed", &[]));
    done(&story);
    let (outcome, usage) = (RunOutcome::Lost, Usage::default());
    let ended = RunEnded { effect: run, outcome, report: None, problem: None, usage };
    assert_eq!(story.refused(Fact::RunEnded(ended)).code, Code::StaleAnswer);
    story
}
