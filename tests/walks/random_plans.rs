//! Random plans, played by honest agents: each mission ends done, and none ever in a broken invariant. What a plan
//! looks like and who moves next is told by a seed, which a failure names.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use crate::sprint_tales::honest::{Dice, Honest};
use crate::sprint_tales::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A plan, and which files the runs of each sprint change.
struct Plan {
    config: sprint::Config,
    files: Vec<(String, Vec<String>)>,
}

/// One to four units and one to six sprints; units share directories, sprints share files.
fn plan(dice: &mut Dice) -> Plan {
    let many = 1 + dice.roll(4);
    let mut sizes = vec![1; many];
    for _ in 0..dice.roll(7 - many) {
        let at = dice.roll(many);
        sizes[at] += 1;
    }
    let (mut units, mut files): (Vec<UnitConfig>, Vec<(String, Vec<String>)>) = Default::default();
    let names = ["a", "b", "c", "d"];
    for (nth, size) in sizes.into_iter().enumerate() {
        let id = names[nth];
        let waits: Vec<&str> = names[..nth].iter().copied().filter(|_| dice.one_in(4)).collect();
        let labels: Vec<String> = (1..=size).map(|label: usize| label.to_string()).collect();
        let mut sprints: Vec<SprintConfig> =
            labels.iter().map(|label| of(label, criteria(dice))).collect();
        // Sometimes a sprint waits for one of another unit.
        if let (true, Some(other)) = (dice.one_in(5), units.last()) {
            let after =
                format!("{}/{}", other.id, other.sprints[dice.roll(other.sprints.len())].label);
            let at = dice.roll(sprints.len());
            sprints[at].after = vec![after];
        }
        let mut unit = unit(id, &waits, sprints);
        unit.directory = (*dice.pick(&[id, id, "shared", ""])).to_owned();
        for label in labels {
            let own = match unit.directory.as_str() {
                "" => format!("{id}{label}.rs"),
                directory => format!("{directory}/{id}{label}.rs"),
            };
            let shared = match unit.directory.as_str() {
                "" => "all.rs".to_owned(),
                directory => format!("{directory}/all.rs"),
            };
            let choices =
                [vec![own.clone()], vec![shared.clone()], vec![own, shared], vec!["top.rs".into()]];
            files.push((format!("{id}/{label}"), dice.pick(&choices).clone()));
        }
        units.push(unit);
    }
    let mut config = mission(units);
    if dice.one_in(3) {
        config.build = vec![line("make all")];
    }
    config.max_parallel = u32::try_from(1 + dice.roll(4)).unwrap();
    Plan { config, files }
}

/// One to three, by command and in prose; some commands build, and some show something of several sprints.
fn criteria(dice: &mut Dice) -> Vec<CriterionConfig> {
    let many = 1 + dice.roll(3);
    let one = |nth: usize| {
        let id = format!("AC-00{nth}");
        match dice.roll(5) {
            0 | 1 => judged(&id),
            2 => built(&id),
            3 => CriterionConfig { check: Check::Command(line("make test")), ..built(&id) },
            _ => shown(&id),
        }
    };
    (1..=many).map(one).collect()
}

/// Plays the plan of a seed; answers with the story, and whether several sprints of a unit were to be judged at once.
fn played(seed: u64, hiccups: usize) -> (Story, bool) {
    let mut dice = Dice::new(seed);
    let Plan { config, files } = plan(&mut dice);
    let mut story = going(config);
    let mut honest = Honest::new(seed);
    honest.hiccups = hiccups;
    honest.files = files.into_iter().collect();
    honest.play(&mut story);
    for _ in 0..hiccups {
        if !honest.answer(&mut story) {
            honest.user(&mut story);
        }
        honest.play(&mut story);
    }
    (story, honest.together)
}

fn all(seeds: std::ops::Range<u64>, one: impl Fn(u64) + Sync) {
    let each = |seed| {
        if let Err(why) = catch_unwind(AssertUnwindSafe(|| one(seed))) {
            eprintln!("the plan of seed {seed}");
            resume_unwind(why);
        }
    };
    let half = seeds.start + (seeds.end - seeds.start) / 2;
    std::thread::scope(|scope| {
        scope.spawn(|| (seeds.start..half).for_each(each));
        (half..seeds.end).for_each(each);
    });
}

#[test]
fn every_random_plan_ends_done_with_honest_agents() {
    let again = AtomicUsize::new(0);
    all(0..500, |seed| {
        let (story, together) = played(seed, 0);
        done(&story);
        again.fetch_add(usize::from(together), Relaxed);
    });
    // What once ended in a broken invariant is among them.
    let again = again.into_inner();
    assert!(again >= 5, "several sprints of one unit are judged again at once in {again} missions");
}

/// Runs are lost, reports cannot be read, commands fail, verifiers find fault, the user reopens, skips, pauses and kills:
/// the mission ends, or asks, or stands blocked and says why. No event of the host is refused.
#[test]
fn no_random_plan_comes_to_a_broken_state_where_things_go_wrong() {
    all(1_000..1_150, |seed| {
        let (story, _) = played(seed, 6);
        let view = story.engine.view();
        let rests = [Continuation::Done, Continuation::Blocked, Continuation::AwaitUserInput];
        assert!(rests.contains(&view.continuation), "{:?} {}", view.continuation, view.reason);
        story.engine.check().unwrap();
    });
}
