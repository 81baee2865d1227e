//! A real mission, sortie by sortie, as its decisions log tells it: six sorties of one unit, the strongest
//! model forced from the second attempt, two verifier rounds, three watchdog strikes.

use super::*;

pub const TALES: &[Tale] = &[tale(
    "speaking-roster",
    "The decisions of a real mission lead to the states it lists",
    speaking_roster,
)];

fn config() -> sprint::Config {
    let sprints =
        (1..=6).map(|number| of(&number.to_string(), vec![shown("AC-001"), judged("AC-002")]));
    let mut unit = unit("SwiftCompartido", &[], sprints.collect());
    let traits = [(60, 12, 1), (36, 11, 2), (21, 3, 3), (36, 3, 2), (21, 2, 3), (10, 2, 2)];
    for (sprint, (turns, files, risk)) in unit.sprints.iter_mut().zip(traits) {
        sprint.traits = Traits { turns, files, risk, ..Traits::default() };
    }
    sprint::Config { force_from_attempt: 2, ..mission(vec![unit]) }
}

fn id(number: u32) -> String {
    format!("SwiftCompartido/{number}")
}

fn done_work(story: &mut Story, number: u32) {
    work(story, &id(number), &["AC-002"]);
}

fn judge(story: &mut Story, number: u32, holds: bool) {
    let bad: &[&str] = if holds { &[] } else { &["AC-002"] };
    verify(story, &id(number), &["AC-002"], bad);
}

/// A verifier that fails at round one: continued by the same agent, no attempt used.
fn one_round(story: &mut Story, number: u32) {
    done_work(story, number);
    judge(story, number, false);
    assert_eq!((attempt(story, &id(number)), at(story, &id(number), "/rounds")), (1, json!(1)));
    assert!(ordered(story, &id(number)).corrects.is_some(), "the same agent continues");
}

fn speaking_roster() -> Story {
    let mut story = going(config());
    let unit = "SwiftCompartido";
    // Sortie 1: a replan is accepted, the plan amended, a strike, then done.
    assert_eq!(ordered(&story, &id(1)).tier, Tier::Large);
    let run = begin(&mut story, &id(1));
    let mut block = says(&id(1), "replan", &[]);
    block["reasons"] = json!(["the plan names a type that does not exist"]);
    story.end(run, report(block));
    assert_eq!((status(&story, &id(1)), attempt(&story, &id(1))), ("REPLAN".into(), 1));
    assert_eq!(unit_status(&story, unit), "BLOCKED");
    let (item, criterion) = (id(1), "AC-001".to_owned());
    let change = PlanChange::WaiveCriterion { item, criterion, reason: "named wrongly".to_owned() };
    story.say(Command::Amend { changes: vec![change] });
    assert_eq!(attempt(&story, &id(1)), 1);
    let run = begin(&mut story, &id(1));
    fire(&mut story, "watchdog");
    assert!(logged(&story, "Watchdog: no progress, strike 1/3"));
    finish(&mut story, run, &id(1), says(&id(1), "completed", &["AC-002"]));
    judge(&mut story, 1, true);
    assert_eq!(status(&story, &id(1)), "COMPLETED");
    // Sortie 2: the watchdog sees progress.
    let run = begin(&mut story, &id(2));
    story.world.dirty.insert(format!("{unit}/x.swift"), "d1".to_owned());
    fire(&mut story, "watchdog");
    assert!(logged(&story, "strikes 0/3"));
    story.world.dirty.clear();
    finish(&mut story, run, &id(2), says(&id(2), "completed", &["AC-002"]));
    judge(&mut story, 2, true);
    // Sortie 3: two rounds fail, the next attempt has the strongest model and a fresh agent.
    one_round(&mut story, 3);
    done_work(&mut story, 3);
    judge(&mut story, 3, false);
    assert_eq!(attempt(&story, &id(3)), 2);
    let order = ordered(&story, &id(3));
    assert_eq!((order.tier, order.corrects), (Tier::Large, None));
    done_work(&mut story, 3);
    judge(&mut story, 3, true);
    assert_eq!((status(&story, &id(3)), attempt(&story, &id(3))), ("COMPLETED".into(), 2));
    // Sorties 4 to 6: one round fails, the second passes.
    for number in 4..=6 {
        one_round(&mut story, number);
        done_work(&mut story, number);
        judge(&mut story, number, true);
        assert_eq!(
            (status(&story, &id(number)), attempt(&story, &id(number))),
            ("COMPLETED".into(), 1)
        );
    }
    assert_eq!(unit_status(&story, unit), "COMPLETED");
    done(&story);
    story
}
