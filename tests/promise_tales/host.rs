//! Bad things that really happen: lost runs, unreadable reports, full disks, foreign hands.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "unreadable-reports",
        "An unreadable report is asked again; again and again it is the user's",
        unreadable,
    ),
    tale("runs-that-fail", "Runs that fail are sent again, then the user is asked", failing),
    tale(
        "lost-work-is-told",
        "The next player hears of the commits of the lost one; the coach does not",
        lost_work,
    ),
    tale("another-missions-anchor", "A report of another mission gets no second chance", drift),
    tale("spent-budget", "A spent budget is a question, and a grant goes on", spent),
    tale(
        "foreign-progress-file",
        "Somebody else's content is kept aside, never overwritten; a run that wrote it has promised nothing",
        foreign_write,
    ),
    tale("foreign-turn-records", "Foreign lines stay and count for nothing", foreign_append),
    tale("full-disk", "A file that cannot be written is the user's", full_disk),
    tale(
        "full-disk-behind-a-question",
        "What cannot be written is asked before what was asked already",
        asked_and_full,
    ),
    tale("restart", "A restart sends again what was never started", restart),
    tale("dirty-start", "A dirty tree that is nobody's work is asked about", dirty_start),
    tale("detached-head", "A detached head blocks until it is mended", detached),
    tale("late-answers", "A second or late answer changes nothing", late),
    tale(
        "closing-coach-fails",
        "Showing again fails again and again; then the user is asked",
        closing,
    ),
];

fn unreadable() -> Story {
    let mut story = going(single());
    for attempt in 1..=3 {
        let effect = story.begin("player");
        story.end(effect, "no header at all");
        assert_eq!(story.problem(), "block_missing");
        let effect = story.begin("player");
        story.end(
            effect,
            format!(
                "MISSION ANCHOR: {MISSION}\nRemaining contract IDs: none\n\n```json\n{{\n```\n"
            ),
        );
        if attempt < 3 {
            assert_eq!(story.due(), "player");
        }
    }
    assert_eq!(story.topic(), "step_stuck");
    story.choose("retry");
    turn(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn failing() -> Story {
    let mut story = going(single());
    for outcome in [RunOutcome::Failed, RunOutcome::Lost, RunOutcome::Partial] {
        story.fail("player", outcome);
    }
    assert_eq!(story.topic(), "step_stuck");
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Resume);
    assert_eq!(story.due(), "player");
    story
}

fn lost_work() -> Story {
    let mut story = going(single());
    let effect = story.begin("player");
    let commit = story.world.commit(&["src/T1.rs"]);
    story.recover(Recovery::Restart);
    story.failed(effect, RunOutcome::Lost);
    assert!(story.tells_of(Some("T1"), &commit), "{}", story.prompt());
    // Lost again: it is told again.
    story.fail("player", RunOutcome::Lost);
    assert!(story.tells_of(Some("T1"), &commit), "{}", story.prompt());
    let rows = ids(2).iter().map(|id| row(id, "verified")).collect();
    story.run("player", promise("T1", 1, rows));
    assert!(!story.tells_of(Some("T1"), &commit), "{}", story.prompt());
    verify(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn drift() -> Story {
    let mut story = going(single());
    let effect = story.begin("player");
    story.end(
        effect,
        report_for("Another mission.", promise("T1", 1, vec![row("AC-001", "verified")])),
    );
    assert_eq!(story.problem(), "anchor_mismatch");
    assert_eq!(story.core("/steps/T1/attempts"), 1);
    story
}

fn spent() -> Story {
    let mut config = of(single());
    config.budget.insert(Counter::RoleRuns, 1);
    let mut story = Story::start(&config, World::new());
    story.go();
    play(&mut story, "T1", 1, 2);
    assert_eq!(story.topic(), "budget:role_runs");
    story.say(Command::Grant { counter: Counter::RoleRuns, amount: 1 });
    verify(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn foreign_write() -> Story {
    let mut story = going(single());
    let path = ".agent/promise/progress.md";
    story.world.files.insert(path.to_owned(), "my notes\n".to_owned());
    play(&mut story, "T1", 1, 2);
    assert_eq!(story.problem(), "canonical_touched");
    turn(&mut story, "T1", 1, 2, &[]);
    done(&story);
    assert!(story.world.files[path].contains("2/2 verified"));
    let kept: Vec<&String> =
        story.world.files.keys().filter(|path| path.starts_with(".agent/tmp/rejected-")).collect();
    assert_eq!(story.world.files[kept[0]], "my notes\n");
    story
}

fn foreign_append() -> Story {
    let mut story = going(single());
    let path = ".agent/promise/turns.jsonl";
    story.world.files.insert(path.to_owned(), "{\"mine\":1}\n".to_owned());
    turn(&mut story, "T1", 1, 2, &[]);
    done(&story);
    assert_eq!(story.world.files[path].lines().count(), 2);
    story
}

fn full_disk() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    let effect = story.begin("coach");
    let rows = vec![check("AC-001", "verified", true), check("AC-002", "verified", true)];
    story.fact(Fact::RunEnded(RunEnded {
        effect,
        outcome: RunOutcome::Success,
        report: Some(report(coach("T1", 1, "approve", rows))),
        problem: None,
        usage: Default::default(),
    }));
    story.fail_effect("append_history", Code::WriteFailed);
    assert_eq!(story.topic(), "effect_failed");
    story.choose("retry");
    done(&story);
    assert_eq!(story.world.files[".agent/promise/turns.jsonl"].lines().count(), 1);
    story
}

fn asked_and_full() -> Story {
    let mut story =
        going(promise::Config::new(MISSION, vec![task("T1", 2, &[]), task("T2", 1, &[])]));
    for _ in 0..3 {
        story.fail("player", RunOutcome::Failed);
    }
    assert_eq!(story.topic(), "step_stuck");
    let (item, text) = ("T2".to_owned(), "it is fast".to_owned());
    let changes = vec![PlanChange::AddCriterion { item, text, shown_by: None }];
    story.command(Command::Amend { changes });
    story.fail_effect("write_file", Code::WriteFailed);
    assert_eq!(story.topic(), "effect_failed");
    story.choose("retry");
    assert_eq!(story.topic(), "step_stuck");
    story.choose("retry");
    assert_eq!(story.due(), "player");
    story
}

fn restart() -> Story {
    let mut story = going(single());
    let (before, _) = story.role().unwrap();
    story.recover(Recovery::Restart);
    let (after, _) = story.role().unwrap();
    assert_ne!(before, after);
    let effect = story.begin("player");
    story.recover(Recovery::Compaction);
    story.world.commit(&["src/T1.rs"]);
    story.end(
        effect,
        report(promise("T1", 1, vec![row("AC-001", "verified"), row("AC-002", "verified")])),
    );
    verify(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn dirty_start() -> Story {
    let mut world = World::new();
    world.dirty.insert("notes.txt".to_owned(), "d1".to_owned());
    let mut story = Story::start(&of(single()), world);
    story.go();
    assert_eq!(story.topic(), "dirty_tree");
    story.world.dirty.clear();
    story.answer(Answer::ManualStep { done: true, note: "committed".to_owned() });
    turn(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn detached() -> Story {
    let mut world = World::new();
    world.detached = true;
    let mut story = Story::start(&of(single()), world);
    story.go();
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    assert_eq!(story.core("/blocked/code"), "detached_head");
    story.world.detached = false;
    story.say(Command::Resume);
    turn(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn late() -> Story {
    let mut story = going(single());
    let effect = story.begin("player");
    let ended = Fact::RunEnded(RunEnded {
        effect,
        outcome: RunOutcome::Failed,
        report: None,
        problem: None,
        usage: Default::default(),
    });
    story.fact(ended.clone());
    story.settle();
    assert_eq!(story.refused(ended).code, Code::StaleAnswer);
    let started =
        RunStarted { effect: EffectId { seq: 900, n: 1 }, session: None, confined: false };
    assert_eq!(story.refused(Fact::RunStarted(started)).code, Code::UnknownEffect);
    assert_eq!(
        story.raw_refused("{\"at\":1,\"fact\":{\"type\":\"soon\"}}").code,
        Code::UnknownValue
    );
    story
}

fn closing() -> Story {
    let tasks = vec![task("T1", 1, &[]), task("T2", 1, &["T1"])];
    let mut story = going(promise::Config::new(MISSION, tasks));
    turn(&mut story, "T1", 1, 1, &[]);
    let effect = story.begin("player");
    story.world.commit(&["src/T1.rs"]);
    story.end(effect, report(promise("T2", 1, vec![row("AC-001", "verified")])));
    verify(&mut story, "T2", 1, 1, &[]);
    for _ in 0..3 {
        story.fail("coach", RunOutcome::Failed);
    }
    assert_eq!(story.topic(), "step_stuck");
    story.choose("retry");
    assert_eq!(story.due(), "coach");
    story
}
