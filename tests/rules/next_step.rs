//! What is said to come next, and why, at every event of every story of sprint and grid: no rule is named
//! as chosen whose conditions do not hold, and who waits for an answer says so. And how many runs are said to come
//! before the first of them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use crate::common::Tale;
use crate::{grid_tales, iterating, promise_tales, sprint_tales, stories};
use endstate::Continuation;
use endstate::engine::Engine;
use endstate::vocab::event::Fact;

/// Facts that a rule needs not to hold.
const AGAINST: [(&str, &str); 4] = [
    ("check_criterion", "gate_due"),
    ("verify_dependency", "gate_due"),
    ("verify_dependency", "check_due"),
    ("dispatch_sprints", "verifier_due"),
];

/// What is wrong with what is said of one moment.
fn wrong(engine: &Engine) -> Vec<String> {
    let (why, view) = (engine.why(), engine.view());
    let (chosen, next) = (&why.chosen, &view.next);
    let mut wrong = Vec::new();
    for fact in why.because.iter().filter(|_| chosen.rule.is_some()) {
        let wanted = !AGAINST.contains(&(chosen.name.as_str(), fact.fact.as_str()));
        if fact.value != wanted {
            wrong.push(format!("{} although {} is {}", chosen.name, fact.fact, fact.value));
        }
    }
    if let Some((_, then)) = chosen.action.split_once("; then ") {
        let named = why.others.iter().find(|other| other.name == then);
        if named.is_none_or(|named| named.against.is_some()) {
            wrong.push(format!("`{}` although {then} does not apply", chosen.action));
        }
    }
    let asks = view.continuation == Continuation::AwaitUserInput;
    let idle = why.waiting_for.iter().all(|one| one.ends_with("ask_user"));
    if asks && idle && (next.action != "Answer the open question" || next.role.is_some()) {
        wrong.push(format!("{next:?} although a question waits"));
    }
    if next.action.contains("or ask") || (next.action == "Come to the end" && idle) {
        wrong.push(format!("{next:?} is nobody's next step"));
    }
    wrong
}

fn look(tales: impl Iterator<Item = &'static Tale>) {
    let mut faults = Vec::new();
    for tale in tales {
        let story = (tale.tell)();
        let mut engine = Engine::start(&story.config, story.began.0).unwrap().0;
        for (event, _) in &story.taken {
            engine.apply(event).unwrap();
            let seq = engine.snapshot().head.seq;
            faults
                .extend(wrong(&engine).iter().map(|fault| format!("{} {seq}: {fault}", tale.name)));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn sprint_names_what_comes_next() {
    look(sprint_tales::all());
}

#[test]
fn grid_names_what_comes_next() {
    look(grid_tales::all());
}

/// Missions of every protocol in which nothing fails take as many runs as were expected before the first.
#[test]
fn a_mission_without_a_failure_takes_the_runs_that_were_expected() {
    let honest = [
        "small-mission-to-its-verified-end",
        "approved-at-the-first-turn",
        "iterate-completes-at-its-maximum",
        "iterate-of-one-run",
        "one-sprint",
        "unit-after-unit",
        "verifier-passes",
        "one-block",
        "two-waves",
        "refine-visual",
    ];
    let tales = stories::all()
        .chain(promise_tales::all())
        .chain(iterating::all())
        .chain(sprint_tales::all())
        .chain(grid_tales::all());
    let mut seen = 0;
    for tale in tales.filter(|tale| honest.contains(&tale.name)) {
        let story = (tale.tell)();
        let engine = Engine::start(&story.config, story.began.0).unwrap().0;
        let ended = |fact: &Fact| matches!(fact, Fact::RunEnded(_));
        let runs = story.taken.iter().filter(|(event, _)| ended(&event.fact)).count();
        assert_eq!(
            (engine.expected_runs(), story.engine.expected_runs()),
            (runs, 0),
            "{}",
            tale.name
        );
        seen += 1;
    }
    assert_eq!(seen, honest.len());
}
