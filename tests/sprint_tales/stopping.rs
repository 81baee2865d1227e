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
    tale("kill-a-verifier", "A killed verifier uses no round", verifier),
    tale("pause-and-resume", "A paused mission dispatches nothing", pause),
    tale("pause-takes-back-what-is-chosen", "What was chosen and not sent is taken back", unsend),
];

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
