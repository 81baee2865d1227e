//! Stop in three phases, killall, pause and resume.

use super::*;

pub const TALES: &[Tale] = &[
    tale("stop-drains", "What runs ends and is checked; nothing is dispatched", drains),
    tale("stop-with-nothing-at-work", "A stop over a mission at rest", at_rest),
    tale("stop-waits-then-kills", "Ten empty polls, then what runs is ended", escalates),
    tale("stop-sees-an-end", "An end of a run starts the polls again", sees_an_end),
    tale("stop-then-resume", "A stopped unit goes on where it was", resumed),
    tale("fatal-while-stopping", "The third failure while a stop is under way", fatal),
    tale("killall", "Everything that runs is ended at once, and nothing is lost", killall),
    tale(
        "killall-uncommitted",
        "Uncommitted work is recorded, neither committed nor thrown away",
        uncommitted,
    ),
    tale("killall-one-kill-fails", "One kill that fails keeps nobody from the others", one_fails),
    tale("killall-before-anything", "A unit that never began is as it was", nothing_began),
    tale("killall-then-resume", "A killed sprint keeps its attempt", kill_resume),
    tale(
        "killall-then-resume-beside-a-live-run",
        "A run that is being ended is at work: nobody builds beside it",
        resume_beside,
    ),
    tale("kill-a-verifier", "A killed verifier uses no round", verifier),
    tale("kill-ends-a-check", "A command that runs is ended, and completes nothing", ends_a_check),
    tale("kill-ends-a-gate", "So is one of a gate, and one among entry criteria", ends_a_gate),
    tale(
        "stop-ends-a-command",
        "A stop waits for a command, and ends it after ten looks",
        ends_late,
    ),
    tale("pause-and-resume", "A paused mission dispatches nothing", pause),
    tale("pause-takes-back-what-is-chosen", "What was chosen and not sent is taken back", unsend),
];

fn resume_beside() -> Story {
    let mut story = two();
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    finish(&mut story, b, "b/1", says("b/1", "completed", &[]));
    assert_eq!(due(&story), ["b/2"]);
    story.say(Command::Kill);
    story.say(Command::Resume);
    assert_eq!(due(&story), ["b/2"]);
    assert_eq!(at(&story, "b/2", "/alone"), false);
    let second = begin(&mut story, "b/2");
    story.failed(a, RunOutcome::Failed);
    finish(&mut story, second, "b/2", says("b/2", "completed", &[]));
    for sprint in ["a/1", "a/2"] {
        work(&mut story, sprint, &[]);
    }
    done(&story);
    story
}

fn two() -> Story {
    let units = vec![
        unit("a", &[], vec![part("1"), part("2")]),
        unit("b", &[], vec![part("1"), part("2")]),
    ];
    going(mission(units))
}

fn stop(story: &mut Story) {
    story.say(Command::Stop { mode: StopMode::Drain });
}

fn drains() -> Story {
    let mut story = two();
    let a = begin(&mut story, "a/1");
    stop(&mut story);
    assert_eq!(
        (status(&story, "b/1"), unit_status(&story, "a")),
        ("PENDING".into(), "STOPPING".into())
    );
    finish(&mut story, a, "a/1", says("a/1", "completed", &[]));
    assert_eq!(
        (status(&story, "a/1"), unit_status(&story, "a")),
        ("COMPLETED".into(), "STOPPED".into())
    );
    assert_eq!(unit_status(&story, "b"), "STOPPED");
    assert!(due(&story).is_empty());
    assert_eq!(story.engine.continuation(), Continuation::Paused);
    story
}

fn at_rest() -> Story {
    let mut story = two();
    stop(&mut story);
    assert_eq!(unit_status(&story, "a"), "STOPPED");
    assert!(page(&story, "SUPERVISOR_STATE.md").contains("- Status: stopped"));
    story
}

fn stubborn() -> (Story, EffectId) {
    let mut story = two();
    let a = begin(&mut story, "a/1");
    stop(&mut story);
    for _ in 0..10 {
        fire(&mut story, "stop");
    }
    (story, a)
}

fn escalates() -> Story {
    let (mut story, a) = stubborn();
    assert_eq!(
        (status(&story, "a/1"), unit_status(&story, "a")),
        ("BACKOFF".into(), "KILLED".into())
    );
    assert!(logged(&story, "force-terminated during graceful shutdown"));
    story.failed(a, RunOutcome::Lost);
    assert_eq!((attempt(&story, "a/1"), unit_status(&story, "b")), (1, "STOPPED".into()));
    story
}

fn sees_an_end() -> Story {
    let mut story = two();
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    stop(&mut story);
    for _ in 0..9 {
        fire(&mut story, "stop");
    }
    finish(&mut story, b, "b/1", says("b/1", "completed", &[]));
    for _ in 0..9 {
        fire(&mut story, "stop");
    }
    assert_eq!(unit_status(&story, "a"), "STOPPING");
    finish(&mut story, a, "a/1", says("a/1", "completed", &[]));
    assert_eq!(unit_status(&story, "a"), "STOPPED");
    story
}

fn resumed() -> Story {
    let mut story = drains();
    story.say(Command::Resume);
    assert_eq!(due(&story), ["a/2", "b/1"]);
    for sprint in ["a/2", "b/1", "b/2"] {
        work(&mut story, sprint, &[]);
    }
    done(&story);
    story
}

fn fatal() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    fails(&mut story, "a/1");
    fails(&mut story, "a/1");
    let run = begin(&mut story, "a/1");
    stop(&mut story);
    story.failed(run, RunOutcome::Failed);
    assert_eq!(
        (status(&story, "a/1"), unit_status(&story, "a")),
        ("FATAL".into(), "BLOCKED".into())
    );
    story
}

fn killall() -> Story {
    let mut story = two();
    work(&mut story, "a/1", &[]);
    let (a, b) = (begin(&mut story, "a/2"), begin(&mut story, "b/1"));
    story.say(Command::Kill);
    for unit in ["a", "b"] {
        assert_eq!(unit_status(&story, unit), "KILLED");
    }
    story.failed(a, RunOutcome::Lost);
    story.failed(b, RunOutcome::Lost);
    assert_eq!(
        (status(&story, "a/1"), status(&story, "a/2")),
        ("COMPLETED".into(), "BACKOFF".into())
    );
    let page = page(&story, "SUPERVISOR_STATE.md");
    assert!(page.contains("- Status: killed") && page.contains("(none — all agents terminated)"));
    story
}

fn uncommitted() -> Story {
    let mut story = two();
    let a = begin(&mut story, "a/1");
    story.say(Command::Kill);
    story.world.dirty.insert("a/half.rs".to_owned(), "d1".to_owned());
    story.failed(a, RunOutcome::Lost);
    let page = page(&story, "SUPERVISOR_STATE.md");
    assert!(page.contains("has uncommitted work from killed sprint 1"), "{page}");
    story.say(Command::Resume);
    assert!(ordered(&story, "a/1").prompt.contains("a/half.rs"));
    story
}

fn one_fails() -> Story {
    let mut story = two();
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    story.command(Command::Kill);
    story.fail_effect("stop_role", Code::HostFailed);
    assert!(logged(&story, "Could not end the run"));
    story.failed(b, RunOutcome::Lost);
    story.failed(a, RunOutcome::Lost);
    assert_eq!(
        (unit_status(&story, "a"), unit_status(&story, "b")),
        ("KILLED".into(), "KILLED".into())
    );
    story
}

fn nothing_began() -> Story {
    let units = vec![unit("a", &[], vec![part("1")]), unit("b", &["a"], vec![part("1")])];
    let mut story = going(mission(units));
    story.say(Command::Kill);
    assert_eq!(
        (unit_status(&story, "a"), unit_status(&story, "b")),
        ("NOT_STARTED".into(), "NOT_STARTED".into())
    );
    story.say(Command::Resume);
    assert_eq!(due(&story), ["a/1"]);
    story
}

fn kill_resume() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    fails(&mut story, "a/1");
    let run = begin(&mut story, "a/1");
    story.say(Command::Kill);
    story.failed(run, RunOutcome::Lost);
    story.say(Command::Resume);
    assert_eq!((due(&story), attempt(&story, "a/1")), (vec!["a/1".to_owned()], 2));
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

fn verifier() -> Story {
    let mut story = going(single(vec![judged("AC-001")]));
    work(&mut story, "a/1", &["AC-001"]);
    let run = story.begin_item("verifier", "a/1");
    story.say(Command::Kill);
    story.failed(run, RunOutcome::Lost);
    story.say(Command::Resume);
    assert_eq!(
        (status(&story, "a/1"), at(&story, "a/1", "/rounds")),
        ("VERIFYING".into(), json!(0))
    );
    verify(&mut story, "a/1", &["AC-001"], &[]);
    done(&story);
    story
}

fn pause() -> Story {
    let mut story = two();
    let a = begin(&mut story, "a/1");
    story.say(Command::Pause);
    assert_eq!(unit_status(&story, "a"), "PAUSED");
    story.world.commit(&["a/x.rs"]);
    story.end(a, report(says("a/1", "completed", &[])));
    assert_eq!((status(&story, "a/1"), due(&story).len()), ("RUNNING".into(), 0));
    story.say(Command::Resume);
    assert_eq!(
        (status(&story, "a/1"), due(&story)),
        ("COMPLETED".into(), vec!["b/1".into(), "a/2".into()])
    );
    story
}

fn unsend() -> Story {
    let mut story = two();
    assert_eq!(status(&story, "a/1"), "DISPATCHED");
    story.say(Command::Pause);
    assert_eq!((status(&story, "a/1"), due(&story).len()), ("PENDING".into(), 0));
    story.say(Command::Resume);
    assert_eq!(due(&story), ["a/1", "b/1"]);
    story
}

/// The run is over, and the command of its criterion runs and runs.
fn checking() -> (Story, EffectId) {
    let mut story = two();
    let run = begin(&mut story, "a/1");
    story.world.commit(&["a/part1.rs"]);
    let text = Some(report(says("a/1", "completed", &[])));
    let (outcome, problem, usage) = (RunOutcome::Success, None, Usage::default());
    story.fact(Fact::RunEnded(RunEnded { effect: run, outcome, report: text, problem, usage }));
    let command = story.settle_until("run_command").effect.id;
    (story, command)
}

fn exited(effect: EffectId) -> Fact {
    Fact::CommandExited(CommandExited::new(effect, Some(0), ""))
}

/// The host is told to end this command, and what it says afterwards is refused.
fn is_ended(story: &mut Story, command: EffectId) {
    let pending = story.engine.pending();
    let told = pending.iter().any(
        |one| matches!(&one.effect.order, Order::StopRole(stop) if stop.run == command && stop.kill),
    );
    assert!(told, "{pending:#?}");
    story.settle();
    assert!(story.engine.pending().is_empty(), "{:#?}", story.engine.pending());
    assert_eq!(story.refused(exited(command)).code, Code::StaleAnswer);
}

fn ends_a_check() -> Story {
    let (mut story, command) = checking();
    story.command(Command::Kill);
    is_ended(&mut story, command);
    assert_eq!(
        (status(&story, "a/1"), unit_status(&story, "a")),
        ("RUNNING".into(), "KILLED".into())
    );
    // A host whose command was ended says so, and looks again: nothing begins by that.
    story.recover(Recovery::Stall);
    assert_eq!(unit_status(&story, "a"), "KILLED");
    story.say(Command::Resume);
    assert_eq!(status(&story, "a/1"), "COMPLETED");
    for sprint in ["b/1", "a/2", "b/2"] {
        if due(&story).iter().any(|one| one == sprint) {
            work(&mut story, sprint, &[]);
        }
    }
    story
}

fn ends_a_gate() -> Story {
    let mut first = unit("a", &[], vec![part("1")]);
    first.checks = vec![line("test entry")];
    let mut config = mission(vec![first]);
    config.build = vec![line("make")];
    let mut story = Story::start(&wrap(config), World::new());
    story.fact(Fact::UserCommanded(UserCommanded { id: None, command: Command::Start }));
    let entry = story.settle_until("run_command").effect.id;
    story.command(Command::Stop { mode: StopMode::Kill });
    is_ended(&mut story, entry);
    assert_eq!(unit_status(&story, "a"), "NOT_STARTED");
    story.say(Command::Resume);
    let run = begin(&mut story, "a/1");
    story.world.commit(&["a/part1.rs"]);
    let text = Some(report(says("a/1", "completed", &[])));
    let (outcome, problem, usage) = (RunOutcome::Success, None, Usage::default());
    story.fact(Fact::RunEnded(RunEnded { effect: run, outcome, report: text, problem, usage }));
    let check = story.settle_until("run_command").effect.id;
    story.fact(exited(check));
    let gate = story.settle_until("run_command");
    assert!(
        matches!(&gate.effect.order, Order::RunCommand(one) if one.purpose.starts_with("gate"))
    );
    story.command(Command::Kill);
    is_ended(&mut story, gate.effect.id);
    story.say(Command::Resume);
    done(&story);
    story
}

fn ends_late() -> Story {
    let (mut story, command) = checking();
    story.command(Command::Stop { mode: StopMode::Wait });
    for _ in 0..10 {
        let timer = story.settle_until_timer("stop");
        story.fact(timer);
    }
    is_ended(&mut story, command);
    let units = (unit_status(&story, "a"), unit_status(&story, "b"));
    assert_eq!(units, ("KILLED".into(), "STOPPED".into()));
    story.say(Command::Resume);
    assert_eq!(status(&story, "a/1"), "COMPLETED");
    story
}
