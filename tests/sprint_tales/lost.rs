//! Runs and commands that are gone with the driver that watched them: what is there counts, and nobody
//! pays for it with an attempt.

use super::*;

pub const TALES: &[Tale] = &[
    tale("lost-after-the-commit", "A lost run whose work is there is completed", all_there),
    tale("lost-before-anything", "A lost run without work uses no attempt", nothing_there),
    tale("lost-on-the-way", "A lost run with a part of its work is gone on from", part_there),
    tale("lost-again-and-again", "Too many lost runs in a row are a failure", too_often),
    tale("lost-verifier", "A lost verifier uses no round", verifier),
    tale("lost-side-by-side", "All runs are lost with their driver, and none pays", side_by_side),
    tale("lost-command", "A command that is lost is run again", command),
    tale("lost-command-at-a-gate", "A build that is lost at a gate blames nobody", at_a_gate),
    tale("too-long-is-not-lost", "A run that took too long is weighed, not forgiven", timed_out),
    tale("turns-used-up-unreadable", "Turns used up and no report to be read", unreadable),
];

fn lose(story: &mut Story, run: EffectId) {
    story.recover(Recovery::Restart);
    story.failed(run, RunOutcome::Lost);
}

fn paid(story: &Story, sprint: &str) -> (u64, Value, Value) {
    let of = |path| at(story, sprint, path);
    (attempt(story, sprint), of("/continuations"), of("/failures"))
}

fn all_there() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    story.world.commit(&["a/x.rs"]);
    lose(&mut story, run);
    assert_eq!(paid(&story, "a/1"), (1, json!(0), json!(0)));
    done(&story);
    story
}

fn nothing_there() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let tier = ordered(&story, "a/1").tier;
    let run = begin(&mut story, "a/1");
    lose(&mut story, run);
    assert_eq!(paid(&story, "a/1"), (1, json!(0), json!(0)));
    assert_eq!((due(&story), ordered(&story, "a/1").tier), (vec!["a/1".to_owned()], tier));
    assert!(logged(&story, "Run lost, its attempt is kept"));
    work(&mut story, "a/1", &[]);
    done(&story);
    story
}

fn part_there() -> Story {
    let mut story = going(single(vec![shown("AC-001"), shown("AC-002")]));
    let tier = ordered(&story, "a/1").tier;
    let run = begin(&mut story, "a/1");
    let commit = story.world.commit(&["a/x.rs"]);
    exits(&mut story, "a/1", "AC-002", 1);
    lose(&mut story, run);
    assert!(story.tells_of(Some("a/1"), &commit));
    assert_eq!(paid(&story, "a/1"), (1, json!(0), json!(0)));
    let order = ordered(&story, "a/1");
    assert!(order.prompt.contains("Only this is left") && order.prompt.contains("AC-002"));
    assert_eq!(order.tier, tier);
    story.world.exits.clear();
    // The next run finds nothing left to commit; the work of the one before it is there.
    let run = begin(&mut story, "a/1");
    story.end(run, report(says("a/1", "completed", &[])));
    done(&story);
    story
}

fn too_often() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    for _ in 0..3 {
        let run = begin(&mut story, "a/1");
        lose(&mut story, run);
        assert_eq!(attempt(&story, "a/1"), 1);
    }
    let run = begin(&mut story, "a/1");
    lose(&mut story, run);
    assert_eq!(paid(&story, "a/1"), (2, json!(0), json!(1)));
    assert_eq!(at(&story, "a/1", "/losses"), json!(0));
    story
}

fn verifier() -> Story {
    let mut story = going(single(vec![judged("AC-001")]));
    work(&mut story, "a/1", &["AC-001"]);
    let run = story.begin_item("verifier", "a/1");
    lose(&mut story, run);
    assert_eq!(
        (status(&story, "a/1"), at(&story, "a/1", "/rounds")),
        ("VERIFYING".into(), json!(0))
    );
    verify(&mut story, "a/1", &["AC-001"], &[]);
    done(&story);
    story
}

fn side_by_side() -> Story {
    let units = ["a", "b", "c"].map(|id| unit(id, &[], vec![part("1")]));
    let mut story = going(mission(units.to_vec()));
    let runs = ["a/1", "b/1", "c/1"].map(|id| begin(&mut story, id));
    story.world.commit(&["b/x.rs"]);
    story.world.dirty.insert("c/x.rs".to_owned(), "d1".to_owned());
    story.recover(Recovery::Restart);
    for run in runs {
        let (outcome, usage) = (RunOutcome::Lost, Usage::default());
        let ended = RunEnded { effect: run, outcome, report: None, problem: None, usage };
        story.fact(Fact::RunEnded(ended));
    }
    story.settle();
    assert_eq!(status(&story, "b/1"), "COMPLETED");
    for id in ["a/1", "b/1", "c/1"] {
        assert_eq!(paid(&story, id), (1, json!(0), json!(0)), "{id}");
    }
    assert!(ordered(&story, "c/1").prompt.contains("not committed: c/x.rs"));
    story.world.dirty.clear();
    work(&mut story, "a/1", &[]);
    work(&mut story, "c/1", &[]);
    done(&story);
    story
}

/// The next command of this purpose goes with its driver.
fn lose_command(story: &mut Story) {
    let one = story.settle_until("run_command");
    let problem = endstate::vocab::error::Error::new(Code::RunLost, "run", "a result", "none");
    story.fact(Fact::HostRecovered(HostRecovered { from: Recovery::Restart, note: String::new() }));
    story.fact(Fact::CommandExited(CommandExited::unknown(one.effect.id, problem.diagnostic())));
}

fn ends(story: &mut Story, run: EffectId, sprint: &str) {
    let text = Some(report(says(sprint, "completed", &[])));
    let (outcome, problem, usage) = (RunOutcome::Success, None, Usage::default());
    story.fact(Fact::RunEnded(RunEnded { effect: run, outcome, report: text, problem, usage }));
}

fn command() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    story.world.commit(&["a/x.rs"]);
    ends(&mut story, run, "a/1");
    lose_command(&mut story);
    story.settle();
    assert_eq!(paid(&story, "a/1"), (1, json!(0), json!(0)));
    done(&story);
    story
}

fn at_a_gate() -> Story {
    let units = vec![
        unit("a", &[], vec![of("1", vec![shown("AC-001"), built("AC-002")])]),
        unit("b", &[], vec![part("1")]),
    ];
    let mut story = going(mission(units));
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    finish(&mut story, a, "a/1", says("a/1", "completed", &[]));
    story.world.commit(&["b/x.rs"]);
    ends(&mut story, b, "b/1");
    for _ in 0..20 {
        let one = story.settle_until("run_command");
        let Order::RunCommand(command) = &one.effect.order else { panic!("{one:?}") };
        if command.purpose.starts_with("gate ") {
            break;
        }
        let fact = story.world.perform(&story.engine, &one).unwrap();
        story.fact(fact);
    }
    lose_command(&mut story);
    story.settle();
    assert_eq!(paid(&story, "a/1"), (1, json!(0), json!(0)));
    done(&story);
    story
}

fn timed_out() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    let problem = endstate::vocab::error::Error::new(Code::RunTimedOut, "run", "an end", "none");
    let (outcome, usage) = (RunOutcome::Lost, Usage::default());
    let problem = Some(problem.diagnostic());
    story.fact(Fact::RunEnded(RunEnded { effect: run, outcome, report: None, problem, usage }));
    story.settle();
    assert_eq!(paid(&story, "a/1"), (2, json!(0), json!(1)));
    story
}

fn unreadable() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    story.world.commit(&["a/x.rs"]);
    exits(&mut story, "a/1", "AC-001", 1);
    let usage = Usage { turns_exhausted: true, ..Usage::default() };
    let (outcome, problem) = (RunOutcome::Success, None);
    let text = Some("I was about to".to_owned());
    story.fact(Fact::RunEnded(RunEnded { effect: run, outcome, report: text, problem, usage }));
    story.settle();
    assert_eq!((status(&story, "a/1"), attempt(&story, "a/1")), ("DISPATCHED".into(), 1));
    assert_eq!(at(&story, "a/1", "/continuations"), json!(1));
    assert!(!ordered(&story, "a/1").prompt.contains("could not be taken"));
    story
}
