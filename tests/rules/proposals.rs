//! What only words show is asked about before the work: a run that changes nothing proposes commands, the user says what is to count,
//! and what they took decides.

use crate::common::*;
use crate::{grid_tales, iterating, promise_tales, sprint_tales};
use endstate::Continuation;
use endstate::engine::{Config, Engine};
use endstate::mission::proof::{ProofConfig, Rooms};
use endstate::protocols::ProtocolConfig;
use endstate::snapshot::Snapshot;
use endstate::view::{How, Shown};
use endstate::vocab::budget::Counter;
use endstate::vocab::command::{Accept, Command};
use endstate::vocab::effect::{Order, SpawnRole};
use endstate::vocab::event::*;
use endstate::vocab::json;
use endstate::vocab::question::{Answer, QuestionKind};
use endstate::vocab::role::Access;
use serde_json::{Value, json};

/// The same mission, whose user is asked, up to where somebody may write.
fn asking(config: &Config, world: World, limits: &[(Counter, u64)]) -> Story {
    let proof = ProofConfig { accept: Accept::Ask, ..config.proof.clone() };
    let mut budget = config.budget.clone();
    budget.extend(limits.iter().copied());
    let mut story = Story::start(&Config { proof, budget, ..config.clone() }, world);
    story.go();
    if story.role().is_some_and(|(_, role)| plain(&role) == "regrounder") {
        story.plan(&["S1"]);
    }
    story
}

/// A mission of completion with two criteria in words.
fn within(limits: &[(Counter, u64)]) -> Story {
    let mission = ProtocolConfig::Completion(Story::small());
    asking(&Config::new(mission), World::new(), limits)
}

fn words() -> Story {
    within(&[])
}

fn spawn(story: &Story) -> SpawnRole {
    let all = story.engine.pending().into_iter();
    let mut spawns = all.filter_map(|one| match one.effect.order.clone() {
        Order::SpawnRole(spawn) => Some(spawn),
        _ => None,
    });
    let first = spawns.next().unwrap_or_else(|| panic!("{:#?}", story.engine.why()));
    assert_eq!(spawns.next(), None, "nobody else");
    first
}

fn row(at: usize, argv: &[&str]) -> Value {
    json!({"criterion": format!("WORDS-{at}"), "argv": argv, "reason": "it is\nso"})
}

fn rows(all: &[&[&str]]) -> Value {
    let rows = all.iter().enumerate().map(|(at, argv)| row(at + 1, argv));
    json!({"criteria": rows.collect::<Vec<_>>()})
}

/// `sh first.sh` is proposed for the first criterion, and nothing for the second.
fn proposed(limits: &[(Counter, u64)]) -> Story {
    let mut story = within(limits);
    story.run("proposer", rows(&[&["sh", "first.sh"], &[]]));
    story
}

/// The options that are offered, and the question.
fn asked(story: &Story) -> (Vec<String>, String) {
    let (_, question) = story.question().unwrap();
    assert_eq!(question.topic, "proof");
    assert_eq!(story.engine.continuation(), Continuation::AwaitUserInput);
    assert_eq!(story.role(), None, "nobody works meanwhile");
    let QuestionKind::Choice { options } = question.kind else { panic!("{question:?}") };
    (options.into_iter().map(|option| option.id).collect(), question.text)
}

/// To the end, and what it rests on; a snapshot goes on alike once it was written and read.
fn ended(mut story: Story) -> Vec<Shown> {
    let text = json::encode(story.engine.snapshot());
    story.engine = Engine::open(Snapshot::read(&text).unwrap()).unwrap();
    assert_eq!(json::encode(story.engine.snapshot()), text);
    story.implement("S1");
    story.verify("S1");
    story.reconcile("S1", None);
    story.judge_all();
    story.finish();
    story.settle();
    assert_eq!(story.engine.continuation(), Continuation::Done);
    story.engine.view().end.unwrap().shown
}

fn how(shown: &[Shown]) -> Vec<(How, bool)> {
    shown.iter().map(|one| (one.how, one.enough)).collect()
}

fn red_before(story: &mut Story) {
    story.world.exits.insert("proof 0".to_owned(), (Some(1), String::new()));
}

#[test]
fn the_first_run_that_writes_waits_in_every_protocol() {
    let iteration = || {
        let config = iterating::config("iterate", json!({"maxIterations": 2}));
        iterating::held(config, &[])
    };
    let sprint = || {
        use sprint_tales::{judged, single};
        sprint_tales::going(single(vec![judged("AC-001"), judged("AC-002")]))
    };
    for (name, known) in [
        ("completion", Story::going()),
        ("promise", promise_tales::going(promise_tales::single())),
        ("iteration", iteration()),
        ("sprint", sprint()),
        ("grid", grid_tales::going(grid_tales::single())),
    ] {
        let mut story = asking(&known.config, World::new(), &[]);
        let sent = spawn(&story);
        assert_eq!((name, sent.role.as_str()), (name, "check-proposer"), "{:?}", sent.role);
        assert_eq!(sent.access, Access::ReadOnly);
        assert_eq!(story.engine.continuation(), Continuation::Continue, "{name}");
        let count = sent.prompt.matches("\n### WORDS-").count();
        assert!(count > 0, "{}", sent.prompt);
        let none = vec![&[][..]; count - 1];
        let all = [&[&["sh", "first.sh"][..]][..], &none].concat();
        let run = story.begin("proposer");
        let anchor = story.engine.mission().to_owned();
        story.end(run, report_for(&anchor, rows(&all)));
        assert!(asked(&story).1.contains("    $ sh first.sh\n"), "{name}");
        story.choose("take_and_judge");
        let worker = spawn(&story);
        assert_eq!((name, worker.access), (name, Access::Write), "{}", worker.role);
        assert!(worker.prompt.contains("`sh first.sh`"), "{name}: {}", worker.prompt);
        let accept = story.engine.snapshot().head.proof.config.accept;
        assert_eq!((name, accept), (name, Accept::Judged));
        story.engine.check().unwrap();
    }
}

#[test]
fn who_is_sent_hears_what_is_to_be_shown() {
    let sent = spawn(&words());
    assert_eq!((sent.visit, sent.corrects, sent.item), (1, None, None));
    for part in [
        &format!("MISSION ANCHOR: {MISSION}\n"),
        "### WORDS-1\n\nS1 AC-001: S1 works\n",
        "### WORDS-2\n\nS1 AC-002: S1 is tested\n",
        "Remaining contract IDs: WORDS-1, WORDS-2\n",
        "`report-check-proposer`",
    ] {
        assert!(sent.prompt.contains(part), "no {part:?} in {}", sent.prompt);
    }
}

#[test]
fn what_was_taken_shows_its_criterion_where_it_was_red() {
    let mut story = proposed(&[]);
    let (options, text) = asked(&story);
    assert_eq!(options, ["take_and_judge", "take", "judge", "observe"]);
    assert!(text.starts_with("No declared command shows 2 of 2 criteria. What a run "), "{text}");
    assert!(text.contains("\n- S1 AC-001: S1 works\n    $ sh first.sh\n    it is so\n"), "{text}");
    assert!(text.ends_with("\n- S1 AC-002: S1 is tested\n    no command: it is so"), "{text}");
    red_before(&mut story);
    story.choose("take");
    assert_eq!(how(&ended(story.clone())), [(How::Observed, true), (How::Judged, false)]);
    // At the end it does not hold.
    story.world.exits.insert("proof 1".to_owned(), (Some(1), String::new()));
    assert_eq!(how(&ended(story)), [(How::Claimed, false), (How::Judged, false)]);
}

#[test]
fn what_held_before_the_work_shows_nothing() {
    let mut story = proposed(&[]);
    story.choose("take_and_judge");
    let shown = ended(story);
    assert_eq!(how(&shown), [(How::Judged, true), (How::Judged, true)]);
    let told = "; `sh first.sh` (before the work it held, too; proposed by a run, taken by the user) shows nothing of it";
    assert!(shown[0].by.ends_with(told), "{shown:?}");
}

#[test]
fn what_was_not_taken_is_never_run() {
    for (option, enough) in [("judge", true), ("observe", false)] {
        let mut story = proposed(&[]);
        red_before(&mut story);
        story.choose(option);
        assert!(!spawn(&story).prompt.contains("first.sh"));
        let shown = ended(story);
        assert_eq!(how(&shown), [(How::Judged, enough), (How::Judged, enough)], "{shown:?}");
    }
}

#[test]
fn a_command_is_shown_to_the_user_as_it_would_run() {
    let mut story = words();
    let argv = ["sh", "-c", "echo `id`\\n 'x'; true", ""];
    story.run("proposer", rows(&[&argv, &[]]));
    let text = asked(&story).1;
    let line = text.lines().find_map(|line| line.strip_prefix("    $ ")).unwrap();
    assert_eq!(shlex::split(line).unwrap(), argv, "{text}");
}

#[test]
fn a_report_that_does_not_fit_is_given_once_more() {
    let long = "x".repeat(600);
    let other = json!({"criteria": [row(1, &["true"]), row(3, &["true"])]});
    let mute = json!({"criteria": [{"criterion": "WORDS-1", "reason": " "}, row(2, &[])]});
    for (bad, code) in [
        (other, "wrong_subject"),
        (mute, "missing_field"),
        (rows(&[&["true"]]), "wrong_subject"),
        (rows(&[&[" "], &[]]), "invalid_value"),
        (rows(&[&["echo", "a\0b"], &[]]), "invalid_value"),
        (rows(&[&["echo", "true #\nrm -rf x"], &[]]), "invalid_value"),
        (rows(&[&["echo", "\u{202e}"], &[]]), "invalid_value"),
        (rows(&[&["\u{2800}"], &[]]), "invalid_value"),
        (rows(&[&["echo", &long], &[]]), "too_large"),
        (json!({"criteria": "none"}), "wrong_type"),
    ] {
        let mut story = words();
        let run = story.begin("proposer");
        let fault = endstate::check_report(story.engine.snapshot(), run, &report(bad.clone()));
        assert_eq!(fault.unwrap_err().code.as_str(), code, "{bad}");
        story.end(run, report(bad.clone()));
        let sent = spawn(&story);
        assert_eq!((sent.visit, sent.corrects), (2, Some(run)));
        assert!(sent.prompt.contains(&format!("Run {run} reported, but:")), "{}", sent.prompt);
        let mut mended = story.clone();
        mended.run("proposer", rows(&[&["true"], &[]]));
        assert!(asked(&mended).1.contains("    $ true\n"));
        // A second one that cannot be read: the user is asked without it.
        let run = story.begin("proposer");
        story.end(run, report(bad));
        let (options, text) = asked(&story);
        assert_eq!(options, ["judge", "observe"]);
        assert!(text.contains("Nothing could be proposed: ") && text.contains(code), "{text}");
    }
}

#[test]
fn who_changes_the_tree_proposes_nothing() {
    let mut story = words();
    let run = story.begin("proposer");
    story.world.dirty.insert("left.txt".to_owned(), "left".to_owned());
    story.end(run, report(rows(&[&["true"], &[]])));
    let (options, text) = asked(&story);
    assert_eq!(options, ["judge", "observe"]);
    assert!(text.contains("left.txt"), "{text}");
}

#[test]
fn what_it_leaves_is_there_for_the_protocol_too() {
    for known in
        [promise_tales::going(promise_tales::single()), grid_tales::going(grid_tales::single())]
    {
        let mut story = asking(&known.config, World::new(), &[]);
        let count = spawn(&story).prompt.matches("\n### WORDS-").count();
        let run = story.begin("proposer");
        let anchor = story.engine.mission().to_owned();
        story.world.dirty.insert("left.txt".to_owned(), "left".to_owned());
        story.end(run, report_for(&anchor, rows(&vec![&["true"][..]; count])));
        assert_eq!(story.topic(), "dirty_tree", "{anchor}");
        story.world.dirty.clear();
        story.answer(Answer::ManualStep { done: true, note: String::new() });
        assert!(asked(&story).1.contains("left.txt"));
    }
}

/// What the host saw at the end does not take the place of what the user took.
#[test]
fn what_was_taken_decides_whatever_else_is_seen() {
    let by_hand = sprint_tales::CriterionConfig {
        check: sprint_tales::Check::Person,
        ..sprint_tales::shown("AC-002")
    };
    let sprint = sprint_tales::single(vec![sprint_tales::judged("AC-001"), by_hand]);
    let story = asking(&sprint_tales::wrap(sprint), World::new(), &[]);
    let prompt = spawn(&story).prompt;
    assert!(prompt.contains("AC-001") && !prompt.contains("AC-002"), "{prompt}");
    let code = iterating::config("custom", json!({"handlerPath": "a.ts"}));
    let story = asking(&iterating::held(code, &[]).config, World::new(), &[]);
    assert_eq!(spawn(&story).access, Access::Write, "the host will see it");
}

#[test]
fn a_run_that_the_user_stopped_is_sent_again() {
    let mut story = words();
    for _ in 0..3 {
        let run = story.begin("proposer");
        story.say(Command::Kill);
        story.failed(run, RunOutcome::Lost);
        story.say(Command::Resume);
        story.settle();
        assert_eq!(spawn(&story).visit, 1);
    }
    story.run("proposer", rows(&[&["true"], &[]]));
    assert_eq!(asked(&story).0.len(), 4);
}

#[test]
fn in_place_nothing_is_proposed() {
    let mission = ProtocolConfig::Completion(Story::small());
    let proof = ProofConfig { room: Rooms::InPlace, ..ProofConfig::default() };
    let story = asking(&Config { proof, ..Config::new(mission) }, World::new(), &[]);
    assert_eq!(
        asked(&story),
        (
            vec!["judge".to_owned(), "observe".to_owned()],
            "No declared command shows 2 of 2 criteria.".to_owned()
        )
    );
}

/// A program that the work is to add is missing before it, a tool is missing for good.
#[test]
fn a_missing_program_of_the_repository_is_what_the_work_adds() {
    for (program, expected) in [("./greet", How::Observed), ("greet", How::Judged)] {
        let mut story = words();
        story.run("proposer", rows(&[&[program], &[]]));
        story.world.exits.insert("proof 0".to_owned(), (Some(127), String::new()));
        story.choose("take_and_judge");
        assert_eq!(how(&ended(story)), [(expected, true), (How::Judged, true)], "{program}");
    }
}

#[test]
fn lost_runs_pauses_and_restarts_lose_no_question() {
    let mut story = words();
    story.fail("proposer", RunOutcome::Lost);
    assert_eq!((spawn(&story).visit, spawn(&story).corrects), (2, None));
    story.recover(Recovery::Restart);
    story.say(Command::Pause);
    assert_eq!(story.engine.continuation(), Continuation::Paused);
    assert_eq!(story.role(), None);
    story.say(Command::Resume);
    story.settle();
    story.run("proposer", rows(&[&["true"], &[]]));
    assert_eq!(asked(&story).0.len(), 4);
    story.recover(Recovery::Restart);
    story.settle();
    story.choose("take");
    assert_eq!(spawn(&story).access, Access::Write);
}

#[test]
fn a_user_who_says_it_is_not_asked() {
    for at_once in [true, false] {
        let mut story = if at_once { words() } else { proposed(&[]) };
        story.say(Command::Accept { what: Accept::Judged });
        story.settle();
        assert_eq!(story.question(), None);
        if at_once {
            // The run that was ordered ends, and nothing it says is asked about.
            story.run("proposer", rows(&[&["true"], &[]]));
            assert_eq!(story.question(), None);
        }
        assert_eq!(spawn(&story).access, Access::Write);
        assert_eq!(how(&ended(story)), [(How::Judged, true), (How::Judged, true)]);
    }
}

#[test]
fn where_every_criterion_has_a_command_nobody_is_asked() {
    let check = iterating::config("check", json!({"command": ["make", "test"], "maxChecks": 2}));
    let known = iterating::held(check, &[]);
    let story = asking(&known.config, World::new(), &[]);
    assert_eq!(spawn(&story).access, Access::Write);
}

#[test]
fn a_budget_that_is_spent_holds_nothing_up() {
    // No run can be sent again, or looked behind: the user is asked all the same.
    let mut once = within(&[(Counter::MalformedReports, 0)]);
    let run = once.begin("proposer");
    once.end(run, "I propose nothing.");
    assert_eq!(asked(&once).0, ["judge", "observe"]);
    let spent = words().engine.snapshot().head.budget.account(Counter::Observations).spent;
    let looks = proposed(&[(Counter::Observations, spent)]);
    assert_eq!(asked(&looks).0, ["judge", "observe"]);
    // The user cannot be asked: nothing is proposed, the work goes on, and only what is seen counts.
    let silent = within(&[(Counter::Questions, 0)]);
    assert_eq!(spawn(&silent).access, Access::Write);
    assert_eq!(how(&ended(silent)), [(How::Judged, false), (How::Judged, false)]);
}

#[test]
fn a_snapshot_with_other_counts_is_asked_about_all_the_same() {
    let mut story = words();
    let text = json::encode(story.engine.snapshot()).replace("\"words\":2", "\"words\":0");
    story.engine = Engine::open(Snapshot::read(&text).unwrap()).unwrap();
    assert_eq!(story.engine.snapshot().head.proof.proposal.as_ref().unwrap().words, 0);
    story.run("proposer", rows(&[&["true"], &[]]));
    assert!(asked(&story).1.starts_with("No declared command shows 0 of 2 criteria."));
}
