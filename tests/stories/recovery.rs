//! Coming back: crashes, compaction, repositories that cannot be worked in.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "host-restart-looks-again",
        "After a restart the repository is looked at; what was ordered is still ordered",
        restart,
    ),
    tale(
        "compaction-decides-from-the-snapshot",
        "A conversation that was compacted changes nothing: the same step follows",
        compaction,
    ),
    tale("run-lost-in-a-crash", "A run that a crash ended is lost; the step begins again", lost),
    tale(
        "lost-work-is-told",
        "The next run hears of the commits of the lost one, and reports them instead of new ones",
        lost_work,
    ),
    tale(
        "late-result-is-stale-and-looked-at",
        "A result after its effect was closed is refused; a stall makes the engine look",
        late,
    ),
    tale(
        "time-goes-backwards",
        "An event from the past is decided on as the latest time seen",
        time,
    ),
    tale(
        "detached-head-is-asked-about",
        "Without its branch checked out the mission waits until the user has gone back",
        detached,
    ),
    tale("silent-run-failed", "A run that reports nothing has shown nothing", silent),
    tale("observation-fails", "A host that cannot look asks the user", blind),
];

fn restart() -> Story {
    let mut story = Story::planned();
    let (spawn, _) = story.role().unwrap();
    story.recover(Recovery::Restart);
    assert_eq!(story.due(), "implementer");
    assert_ne!(story.role().unwrap().0, spawn, "never started, so decided anew over a fresh look");
    story.implement("S1");
    assert_eq!(story.due(), "reviewer");
    story
}

fn compaction() -> Story {
    let mut story = Story::committed();
    let effect = story.begin("reviewer");
    story.recover(Recovery::Compaction);
    let head = story.head();
    story.end(effect, report(review("S1", &head)));
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("audit_commit", "auditor"));
    story
}

fn lost() -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    story.fact(Fact::HostRecovered(HostRecovered { from: Recovery::Restart, note: String::new() }));
    story.settle();
    story.failed(effect, RunOutcome::Lost);
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("run_lost", "implementer"));
    assert_eq!(story.core("/visits/completion-implementer"), 1);
    story
}

fn lost_work() -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    let commit = story.world.commit(&["src/S1.c"]);
    // A driver came back and looked while the run still worked; then it was lost.
    story.recover(Recovery::Restart);
    story.failed(effect, RunOutcome::Lost);
    assert_eq!(story.due(), "implementer");
    assert!(story.tells_of(Some("S1"), &commit), "{}", story.prompt());
    // A report that cannot be read names no commit: neither this one, nor what came meanwhile.
    let effect = story.begin("implementer");
    let more = story.world.commit(&["src/S1.c"]);
    story.end(effect, "It was done before me.");
    for commit in [&commit, &more] {
        assert!(story.tells_of(Some("S1"), commit), "{}", story.prompt());
    }
    story.run("implementer", claim("S1", &more));
    assert_eq!((story.due().as_str(), story.head()), ("reviewer", more));
    assert!(!story.prompt().contains("did not report"), "it is reported now");
    story
}

fn late() -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    story.failed(effect, RunOutcome::Lost);
    let commit = story.world.commit(&["src/S1.c"]);
    let error = story.refused(Fact::RunEnded(RunEnded {
        effect,
        outcome: RunOutcome::Success,
        report: Some(report(claim("S1", &commit))),
        problem: None,
        usage: Default::default(),
    }));
    assert_eq!(error.code, Code::StaleAnswer);
    story.recover(Recovery::Stall);
    story.run("implementer", claim("S1", &commit));
    assert_eq!(story.core("/seen/head"), json!(commit));
    assert_eq!(story.due(), "reviewer");
    story
}

fn time() -> Story {
    let mut story = Story::going();
    let effect = story.begin("regrounder");
    let latest = story.engine.snapshot().head.at;
    story.at = 5;
    story.end(effect, report(ground(vec![slice("S1")], Some("S1"))));
    assert_eq!(story.engine.snapshot().head.at, latest);
    let written = story.file("plan.json")["last_reground_at"].clone();
    assert_eq!(written, endstate::vocab::time::rfc3339(latest));
    let seen: Vec<u64> = story.taken.iter().map(|(event, _)| event.at).collect();
    assert!(seen.contains(&1_005), "recorded as it came");
    story
}

fn detached() -> Story {
    let mut story = Story::planned();
    story.say(Command::Pause);
    story.world.detached = true;
    story.say(Command::Resume);
    assert_eq!(story.engine.continuation(), Continuation::AwaitUserInput);
    assert_eq!(story.topic(), "other_head");
    story.world.detached = false;
    story.choose("restored");
    assert_eq!(story.due(), "implementer");
    story
}

fn silent() -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    story.fact(Fact::RunEnded(RunEnded {
        effect,
        outcome: RunOutcome::Success,
        report: None,
        problem: None,
        usage: Default::default(),
    }));
    story.settle();
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("run_silent", "implementer"));
    story
}

fn blind() -> Story {
    let mut story = Story::new(Story::small());
    story.fail_effect("observe", Code::HostFailed);
    assert_eq!(story.topic(), "effect_failed");
    story.choose("retry");
    assert!(story.world.files.contains_key(canonical::STATE));
    story
}
