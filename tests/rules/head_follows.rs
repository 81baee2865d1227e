//! The mission's head goes forward from its base, on its branch, whatever the protocol: what a run does to either is
//! asked about before anything is judged, and each answer leads on.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use crate::common::*;
use crate::{grid_tales, iterating, promise_tales, sprint_tales};
use endstate::Continuation;
use endstate::protocols::iteration;
use endstate::vocab::budget::Counter;
use endstate::vocab::command::Command;
use endstate::vocab::error::{Code, Error};
use endstate::vocab::event::{EffectId, Fact, QuestionAnswered, RunEnded, RunOutcome};
use endstate::vocab::question::Answer;

fn iteration(limits: &[(Counter, u64)]) -> Story {
    let config = iterating::config("iterate", serde_json::json!({"maxIterations": 2}));
    let mut story = iterating::held(iteration::Config { follow_head: true, ..config }, limits);
    story.go();
    story
}

/// A mission of each protocol, started: its first run is due.
fn all() -> [(&'static str, Story); 5] {
    use crate::sprint_tales::{mission, part, unit};
    [
        ("completion", Story::going()),
        ("promise", promise_tales::going(promise_tales::single())),
        ("iteration", iteration(&[])),
        ("sprint", sprint_tales::going(mission(vec![unit("a", &[], vec![part("1"), part("2")])]))),
        ("grid", grid_tales::going(grid_tales::single())),
    ]
}

/// Begins whatever is due.
fn begin(story: &mut Story) -> EffectId {
    let (_, role) = story.role().unwrap();
    story.begin(plain(&role))
}

/// During the first run something happens to the repository.
fn during_a_run(story: &mut Story, happens: fn(&mut World)) {
    let effect = begin(story);
    happens(&mut story.world);
    story.end(effect, "It is done.");
}

fn switched(world: &mut World) {
    world.branch = Some("feature".to_owned());
    world.commit(&["src/there.c"]);
}

/// Another branch without a past.
fn orphaned(world: &mut World) {
    world.branch = Some("empty".to_owned());
    world.gone.append(&mut world.commits);
}

/// The user's last commit is dropped.
fn reset(world: &mut World) {
    world.take_back();
}

/// What is asked, and that nothing else goes on.
fn asked(name: &str, story: &Story) -> String {
    let (_, question) =
        story.question().unwrap_or_else(|| panic!("{name}: {:#?}", story.engine.why()));
    assert_eq!((name, question.topic.as_str()), (name, "other_head"));
    assert_eq!(story.engine.continuation(), Continuation::AwaitUserInput, "{name}");
    assert!(story.role().is_none(), "{name}: nobody is sent there");
    assert!(!story.engine.is_over(), "{name}");
    question.text
}

#[test]
fn a_branch_that_was_switched_is_asked_about_in_every_protocol() {
    for (name, mut story) in all() {
        during_a_run(&mut story, switched);
        let text = asked(name, &story);
        assert!(text.contains("branch main, but branch feature"), "{text}");
        assert!(text.contains("`git switch main`"), "{text}");
    }
}

#[test]
fn an_orphan_branch_is_asked_about_in_every_protocol() {
    for (name, mut story) in all() {
        let commit = story.head();
        during_a_run(&mut story, orphaned);
        let text = asked(name, &story);
        assert!(text.contains("branch empty (no commit)"), "{text}");
        assert!(text.contains("`git switch main`") && text.contains(&commit[..12]), "{text}");
    }
}

#[test]
fn a_detached_head_is_asked_about_in_every_protocol() {
    for (name, mut story) in all() {
        during_a_run(&mut story, |world| world.detached = true);
        let text = asked(name, &story);
        assert!(text.contains("a detached head") && text.contains("`git switch main`"), "{text}");
    }
}

#[test]
fn a_commit_that_a_run_drops_is_named_in_every_protocol() {
    for (name, mut story) in all() {
        story.say(Command::Pause);
        story.world.commit(&["src/of_the_user.c"]);
        story.say(Command::Resume);
        // Whoever was sent before it came is sent again, and the commit is seen before or after its run.
        let commit = story.head();
        if story.engine.snapshot().head.followed.head.as_ref() != Some(&commit) {
            let effect = begin(&mut story);
            story.end(effect, "It is done.");
        }
        during_a_run(&mut story, reset);
        let text = asked(name, &story);
        assert!(text.contains(&format!("`git reset --keep {commit}`")), "{name}: {text}");
        assert!(text.contains(&format!("`git branch rescue {commit}`")), "{name}: {text}");
        assert!(text.contains(&format!("(1): {}", &commit[..12])), "{name}: {text}");
    }
}

/// No repository at all, where there was one: nothing can be judged, and nothing is done.
#[test]
fn a_repository_that_is_gone_blocks_every_protocol() {
    for (name, mut story) in all() {
        let commit = story.head();
        during_a_run(&mut story, |world| {
            let git = "fatal: not a git repository";
            let problem = Error::new(Code::NotARepository, "", "a git repository", git);
            world.problem = Some(problem.diagnostic());
        });
        assert_eq!(story.engine.continuation(), Continuation::Blocked, "{name}");
        assert_eq!(story.problem(), Code::NotARepository.as_str(), "{name}");
        let blocked = format!("{:#?}", story.engine.why());
        assert!(blocked.contains(&format!("branch main at {commit}")), "{name}: {blocked}");
        story.say(Command::Resume);
        assert_eq!(story.problem(), Code::NotARepository.as_str(), "{name}: it is still gone");
        story.world.problem = None;
        story.say(Command::Resume);
        goes_on(name, &story);
    }
}

#[test]
fn who_goes_back_goes_on_as_before() {
    for (name, mut story) in all() {
        let commits = story.world.commits.clone();
        during_a_run(&mut story, switched);
        story.choose("restored");
        asked(name, &story);
        (story.world.branch, story.world.commits) = (None, commits);
        story.choose("restored");
        goes_on(name, &story);
    }
}

#[test]
fn who_goes_on_there_moves_the_base() {
    for happens in [switched, reset] {
        for (name, mut story) in all() {
            story.world.commit(&["src/more.c"]);
            during_a_run(&mut story, |_| {});
            during_a_run(&mut story, happens);
            asked(name, &story);
            story.choose("accept");
            goes_on(name, &story);
            let followed = &story.engine.snapshot().head.followed;
            assert_eq!(followed.head, story.world.head(), "{name}");
            assert_eq!(followed.branch, story.world.branch.clone().or(Some("main".to_owned())));
        }
    }
}

/// A slice whose first run was lost behind its commit; the next one, which is told of it, drops it.
fn dropped() -> (Story, String) {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    let commit = story.world.commit(&["src/S1.c"]);
    story.failed(effect, RunOutcome::Lost);
    assert!(story.tells_of(Some("S1"), &commit), "{}", story.prompt());
    during_a_run(&mut story, reset);
    asked("completion", &story);
    (story, commit)
}

#[test]
fn who_goes_back_is_told_again_of_commits_that_nobody_reported() {
    let (mut story, commit) = dropped();
    let again = story.world.gone.pop().unwrap();
    story.world.commits.push(again);
    story.choose("restored");
    assert!(story.tells_of(Some("S1"), &commit), "{}", story.prompt());
}

#[test]
fn who_goes_on_without_a_commit_is_not_told_of_it_and_may_report() {
    let (mut story, commit) = dropped();
    story.choose("accept");
    assert!(!story.tells_of(Some("S1"), &commit), "{}", story.prompt());
    story.implement("S1");
    assert_eq!(story.due(), "reviewer", "{}", story.problem());
}

#[test]
fn the_report_of_a_run_that_failed_names_no_commit() {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    let commit = story.world.commit(&["src/S1.c"]);
    let said = Some(report(claim("S1", &commit)));
    let (outcome, usage) = (RunOutcome::Failed, Default::default());
    story.fact(Fact::RunEnded(RunEnded { effect, outcome, report: said, problem: None, usage }));
    story.settle();
    assert!(story.tells_of(Some("S1"), &commit), "{}", story.prompt());
}

fn goes_on(name: &str, story: &Story) {
    assert_ne!(story.topic(), "other_head", "{name}");
    assert_ne!(story.engine.continuation(), Continuation::Blocked, "{name}");
    assert!(story.engine.snapshot().head.followed.strayed.is_none(), "{name}");
}

#[test]
fn whoever_stops_there_is_asked_again_after_resuming() {
    for (name, mut story) in all() {
        during_a_run(&mut story, switched);
        story.choose("block");
        assert_eq!(story.engine.continuation(), Continuation::Blocked, "{name}");
        assert_eq!(story.problem(), Code::OtherBranch.as_str(), "{name}");
        story.say(Command::Resume);
        asked(name, &story);
    }
}

#[test]
fn a_pause_over_the_question_looks_again() {
    for (name, mut story) in all() {
        during_a_run(&mut story, switched);
        story.say(Command::Pause);
        story.say(Command::Resume);
        asked(name, &story);
        story.engine.check().unwrap();
    }
}

#[test]
fn without_a_question_left_the_mission_is_blocked() {
    let mut story = iteration(&[(Counter::Questions, 0)]);
    during_a_run(&mut story, switched);
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    assert_eq!(story.problem(), Code::OtherBranch.as_str());
}

#[test]
fn the_name_of_a_branch_is_one_word_of_the_command() {
    let mut world = World::new();
    world.branch = Some("a;$(reboot)'".to_owned());
    let mut story = Story::in_world(Story::small(), world);
    story.go();
    during_a_run(&mut story, |world| world.branch = None);
    let text = asked("completion", &story);
    assert!(text.contains(r#"`git switch 'a;$(reboot)'"'"`"#), "{text}");
}

/// The rollback that the user chose is the engine's own.
#[test]
fn a_rollback_that_was_agreed_is_not_asked_about() {
    use crate::promise_tales::{promise, single};
    let tests = vec!["make".to_owned(), "test".to_owned()];
    let mut story =
        promise_tales::going(promise::Config { max_turns: 9, test_command: tests, ..single() });
    let passing = promise_tales::ending::no_passing_checkpoint(&mut story);
    let (effect, _) = story.question().unwrap();
    let answer = Answer::Choice { option: "roll_back".to_owned() };
    story.fact(Fact::QuestionAnswered(QuestionAnswered { effect, answer }));
    let next = |story: &Story| {
        story
            .engine
            .pending()
            .into_iter()
            .find(|one| story.world.clone().perform(&story.engine, one).is_some())
    };
    while let Some(one) = next(&story) {
        if format!("{:?}", one.effect.order).contains("--hard") {
            while story.world.head().as_ref() != Some(&passing) {
                story.world.take_back();
            }
        }
        let fact = story.world.perform(&story.engine, &one).unwrap();
        story.fact(fact);
    }
    assert_eq!((story.topic(), story.due()), (String::new(), "player".to_owned()));
    assert_eq!(story.engine.snapshot().head.followed.head, Some(passing));
}

/// An iteration outside of git has no head to follow.
#[test]
fn an_iteration_that_follows_no_head_never_looks() {
    let mut story =
        iterating::going(iterating::config("iterate", serde_json::json!({"maxIterations": 1})));
    during_a_run(&mut story, switched);
    assert!(story.engine.is_over());
}
