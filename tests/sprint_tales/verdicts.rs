//! What a run's end comes to: the cascade, and the verifier.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "words-complete-nothing",
        "A run that calls it done over a failing command has failed",
        words,
    ),
    tale("failing-command-without-progress", "Nothing moved and a command fails", no_progress),
    tale("partial-over-a-failing-command", "What moved is continued", partial_command),
    tale("no-commit-is-a-failure", "A code sprint without a commit has failed", no_commit),
    tale("uncommitted-work-is-partial", "Work that is not committed is not done", uncommitted),
    tale("no-status-is-not-shown", "A command without an exit status shows nothing", no_status),
    tale("agent-says-failed", "Commands hold, but its agent says that it failed", said_failed),
    tale("turns-used-up-but-all-shown", "Turns used up, everything shown", exhausted_done),
    tale("turns-used-up-with-progress", "Turns used up, some of it done", exhausted_partial),
    tale("context-used-up-without-progress", "Context used up, nothing done", exhausted_nothing),
    tale("claim-without-proof", "What is not claimed with proof is not judged", no_proof),
    tale("verifier-passes", "What no command shows is judged by another run", verifier),
    tale("verifier-fails-then-passes", "The agent mends what the verifier found", verifier_again),
    tale("verifier-fails-twice", "Two rounds are all: the attempt has failed", verifier_twice),
    tale("verifier-gives-no-verdict", "No verdict shows nothing", no_verdict),
    tale("verifier-touches-the-tree", "A verifier that writes is not believed", touching),
    tale("verifier-of-the-same-session", "The agent's own session judges nothing", same_session),
    tale("verifier-waits-for-writers", "A verifier reads a tree that nobody writes", waits),
    tale("must-fix-is-a-finding", "What must be mended keeps the sprint open", must_fix),
    tale(
        "progress-file-says-unfinished",
        "Words of a progress file make it doubtful",
        progress_file,
    ),
    tale("progress-file-says-done", "Words of success decide nothing by themselves", progress_done),
    tale(
        "progress-file-cannot-be-read",
        "A progress file that is not there says nothing",
        progress_missing,
    ),
    tale("expected-output", "A command must print what the plan says", output),
    tale("command-that-must-fail", "A command that must not succeed", must_fail),
    tale("command-that-must-be-silent", "A command that must print nothing", silent),
];

fn words() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    exits(&mut story, "a/1", "AC-001", 1);
    work(&mut story, "a/1", &["AC-001"]);
    assert_eq!((due(&story), attempt(&story, "a/1")), (vec!["a/1".to_owned()], 2));
    assert!(logged(&story, "BACKOFF, attempt 2/3"));
    assert!(ordered(&story, "a/1").prompt.contains("AC-001 said 1"));
    story
}

fn no_progress() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    exits(&mut story, "a/1", "AC-001", 1);
    let run = begin(&mut story, "a/1");
    story.end(run, report(says("a/1", "partial", &[])));
    assert_eq!(attempt(&story, "a/1"), 2);
    story
}

fn partial_command() -> Story {
    let mut story = going(single(vec![shown("AC-001"), shown("AC-002")]));
    exits(&mut story, "a/1", "AC-002", 1);
    work_partly(&mut story, "a/1");
    assert_eq!((attempt(&story, "a/1"), at(&story, "a/1", "/continuations")), (1, json!(1)));
    let order = ordered(&story, "a/1");
    assert!(order.prompt.contains("Only this is left") && order.corrects.is_some());
    assert_eq!(order.tier, Tier::Standard);
    story.world.exits.clear();
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

fn no_commit() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    story.end(run, report(says("a/1", "completed", &[])));
    assert_eq!((attempt(&story, "a/1"), story.problem().as_str()), (2, "no_commit"));
    story
}

fn uncommitted() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    story.world.dirty.insert("a/half.rs".to_owned(), "d1".to_owned());
    story.end(run, report(says("a/1", "completed", &[])));
    assert_eq!((attempt(&story, "a/1"), at(&story, "a/1", "/continuations")), (1, json!(1)));
    let run = begin(&mut story, "a/1");
    story.world.commit(&["a/half.rs"]);
    story.end(run, report(says("a/1", "completed", &[])));
    done(&story);
    story
}

fn no_status() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    story.world.exits.insert("check a/1 AC-001".to_owned(), (None, String::new()));
    work(&mut story, "a/1", &[]);
    assert_eq!(at(&story, "a/1", "/criteria/0/state/state"), "open");
    assert_eq!(at(&story, "a/1", "/continuations"), 1);
    story
}

fn said_failed() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    finish(&mut story, run, "a/1", says("a/1", "failed", &[]));
    assert_eq!((attempt(&story, "a/1"), at(&story, "a/1", "/continuations")), (1, json!(1)));
    story
}

fn exhausted(story: &mut Story, commits: bool, context: bool) {
    let run = begin(story, "a/1");
    if commits {
        story.world.commit(&["a/x.rs"]);
    }
    let usage = Usage {
        turns: 50,
        turns_exhausted: !context,
        context_exhausted: context,
        ..Usage::default()
    };
    let (outcome, report, problem) = (RunOutcome::Failed, None, None);
    story.fact(Fact::RunEnded(RunEnded { effect: run, outcome, report, problem, usage }));
    story.settle();
}

fn exhausted_done() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    exhausted(&mut story, true, false);
    done(&story);
    story
}

fn exhausted_partial() -> Story {
    let mut story = going(single(vec![shown("AC-001"), judged("AC-002")]));
    exhausted(&mut story, true, false);
    assert_eq!((attempt(&story, "a/1"), at(&story, "a/1", "/continuations")), (1, json!(1)));
    assert_eq!(ordered(&story, "a/1").corrects, None);
    story
}

fn exhausted_nothing() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    exits(&mut story, "a/1", "AC-001", 1);
    exhausted(&mut story, false, true);
    assert_eq!(attempt(&story, "a/1"), 2);
    story
}

fn no_proof() -> Story {
    let mut story = going(single(vec![judged("AC-001")]));
    let run = begin(&mut story, "a/1");
    let mut block = says("a/1", "completed", &["AC-001"]);
    block["claims"][0]["evidence"] = json!([]);
    finish(&mut story, run, "a/1", block);
    assert_eq!((attempt(&story, "a/1"), at(&story, "a/1", "/continuations")), (1, json!(1)));
    story
}

fn verifier() -> Story {
    let mut story = going(single(vec![shown("AC-001"), judged("AC-002")]));
    work(&mut story, "a/1", &["AC-002"]);
    assert_eq!(status(&story, "a/1"), "VERIFYING");
    assert!(!ordered(&story, "a/1").prompt.contains("AC-001:"));
    verify(&mut story, "a/1", &["AC-002"], &[]);
    done(&story);
    story
}

fn verifier_again() -> Story {
    let mut story = going(single(vec![judged("AC-001")]));
    work(&mut story, "a/1", &["AC-001"]);
    verify(&mut story, "a/1", &["AC-001"], &["AC-001"]);
    assert_eq!((attempt(&story, "a/1"), at(&story, "a/1", "/rounds")), (1, json!(1)));
    assert!(ordered(&story, "a/1").corrects.is_some());
    work(&mut story, "a/1", &["AC-001"]);
    verify(&mut story, "a/1", &["AC-001"], &[]);
    done(&story);
    story
}

fn verifier_twice() -> Story {
    let mut story = going(single(vec![judged("AC-001")]));
    for _ in 0..2 {
        work(&mut story, "a/1", &["AC-001"]);
        verify(&mut story, "a/1", &["AC-001"], &["AC-001"]);
    }
    assert_eq!((attempt(&story, "a/1"), at(&story, "a/1", "/rounds")), (2, json!(0)));
    assert_eq!(ordered(&story, "a/1").corrects, None);
    story
}

fn no_verdict() -> Story {
    let mut story = going(single(vec![judged("AC-001")]));
    work(&mut story, "a/1", &["AC-001"]);
    let run = story.begin_item("verifier", "a/1");
    story.failed(run, RunOutcome::Failed);
    assert_eq!((at(&story, "a/1", "/rounds"), due(&story).len()), (json!(1), 1));
    story
}

fn touching() -> Story {
    let mut story = going(single(vec![judged("AC-001")]));
    work(&mut story, "a/1", &["AC-001"]);
    let run = story.begin_item("verifier", "a/1");
    story.world.commit(&["a/mended.rs"]);
    story.end(run, report(verdicts_on("a/1", &["AC-001"], &[])));
    assert_eq!(
        (story.problem().as_str(), at(&story, "a/1", "/rounds")),
        ("read_only_touched", json!(1))
    );
    story
}

fn same_session() -> Story {
    let mut story = going(single(vec![judged("AC-001")]));
    let run = story.begin_in("agent", Some("s1"));
    finish(&mut story, run, "a/1", says("a/1", "completed", &["AC-001"]));
    let run = story.begin_in("verifier", Some("s1"));
    story.end(run, report(verdicts_on("a/1", &["AC-001"], &[])));
    assert_eq!((story.problem().as_str(), at(&story, "a/1", "/rounds")), ("own_verdict", json!(1)));
    story
}

fn waits() -> Story {
    let units = vec![
        unit("a", &[], vec![of("1", vec![judged("AC-001")])]),
        unit("b", &[], vec![part("1"), part("2")]),
    ];
    let mut story = going(mission(units));
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    finish(&mut story, a, "a/1", says("a/1", "completed", &["AC-001"]));
    assert_eq!(status(&story, "a/1"), "VERIFYING");
    assert!(due(&story).is_empty());
    finish(&mut story, b, "b/1", says("b/1", "completed", &[]));
    assert!(due(&story).is_empty());
    verify(&mut story, "a/1", &["AC-001"], &[]);
    assert_eq!(due(&story), ["b/2"]);
    work(&mut story, "b/2", &[]);
    done(&story);
    story
}

fn must_fix() -> Story {
    let mut story = going(single(vec![judged("AC-001")]));
    work(&mut story, "a/1", &["AC-001"]);
    let run = story.begin_item("verifier", "a/1");
    let mut block = verdicts_on("a/1", &["AC-001"], &[]);
    block["must_fix"] = json!(["a secret is in the log"]);
    story.end(run, report(block));
    assert!(ordered(&story, "a/1").prompt.contains("a secret is in the log"));
    story
}

fn with_progress(text: Option<&str>) -> Story {
    let mut config = single(vec![shown("AC-001")]);
    config.units[0].progress_files = vec!["a/PROGRESS.md".to_owned()];
    let mut story = Story::start(&wrap(config), World::new());
    if let Some(text) = text {
        story.world.files.insert("a/PROGRESS.md".to_owned(), text.to_owned());
    }
    story.go();
    work(&mut story, "a/1", &[]);
    story
}

fn progress_file() -> Story {
    let story = with_progress(Some(
        "# Progress\n\n- Sprint 1: (partial), tests missing\n- Sprint 12: done\n",
    ));
    assert_eq!((attempt(&story, "a/1"), at(&story, "a/1", "/continuations")), (1, json!(1)));
    story
}

fn progress_done() -> Story {
    let story = with_progress(Some("- [x] Sprint 1 complete\n"));
    done(&story);
    story
}

fn progress_missing() -> Story {
    let story = with_progress(None);
    done(&story);
    story
}

fn expecting(expect: Expect, status: i32, output: &str) -> Story {
    let mut criterion = shown("AC-001");
    let argv = vec!["count".to_owned()];
    criterion.check = Check::Command(CommandLine { argv, expect, ..CommandLine::default() });
    let mut story = going(single(vec![criterion]));
    let said = (Some(status), output.to_owned());
    story.world.exits.insert("check a/1 AC-001".to_owned(), said);
    work(&mut story, "a/1", &[]);
    story
}

fn output() -> Story {
    let story = expecting(Expect::Print { text: "3 files".to_owned() }, 0, "2 files\n");
    assert_eq!(attempt(&story, "a/1"), 2);
    story
}

fn must_fail() -> Story {
    let story = expecting(Expect::Fail, 1, "");
    done(&story);
    story
}

fn silent() -> Story {
    let story = expecting(Expect::BeSilent, 0, "leftover\n");
    assert_eq!(attempt(&story, "a/1"), 2);
    story
}
