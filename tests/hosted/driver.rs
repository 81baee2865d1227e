//! The driver itself: what is waited for, for how long, and what is never taken.

use crate::client::{facts, prompted};
use crate::common::until;
use endstate::Continuation;
use endstate::native::hosted::HostedReport;
use endstate::native::inbox::{Inbox, Letter, Says};
use endstate::native::store::{self, Places};
use endstate::native::{Driver, HostError, Options, Quiet, StopFlag};
use endstate::vocab::command::Command;
use endstate::vocab::event::EffectId;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

fn hosting() -> Options {
    Options { hosted: BTreeSet::from(["iteration-agent".to_owned()]), ..Options::default() }
}

fn live(root: &Path) -> Option<EffectId> {
    let opened = store::peek(&Places::of(root)).unwrap();
    opened.engine.snapshot().head.live_runs().next().map(|one| one.effect.id)
}

/// Runs a driver in a thread until `work` leaves it.
fn beside<T>(mut driver: Driver, work: impl FnOnce(&StopFlag) -> T) -> T {
    let stop = StopFlag::default();
    let raise = stop.clone();
    let thread = std::thread::spawn(move || {
        driver.run(&mut Quiet, &stop).unwrap();
    });
    let result = work(&raise);
    raise.leave();
    thread.join().unwrap();
    result
}

fn letter(root: &Path, name: &str, run: EffectId, text: &str) {
    let says = Says::Report(HostedReport { run, text: text.to_owned() });
    let inbox = Inbox::of(&root.join(".agent/endstate"));
    inbox.send(&Letter { id: name.to_owned(), says }).unwrap();
}

fn refused(root: &Path, name: &str) -> Option<String> {
    let note = root.join(format!(".agent/endstate/inbox/refused/{name}.json.why"));
    fs::read_to_string(note).ok()
}

#[test]
fn a_report_is_taken_once_and_only_for_the_run_that_waits() {
    let dir = prompted(2);
    let root = dir.path();
    let mut driver = Driver::open(root, hosting()).unwrap();
    driver.command(Command::Start).unwrap();
    beside(driver, |_| {
        until("the first run", || live(root).is_some());
        let first = live(root).unwrap();
        letter(root, "a", EffectId { seq: 999, n: 1 }, "of no run");
        letter(root, "b", first, " \n");
        letter(root, "c", first, "It is written.");
        letter(root, "d", first, "It is written again.");
        until("all letters", || refused(root, "d").is_some());
        for (name, code) in [("a", "unknown_effect"), ("b", "run_silent"), ("d", "stale_answer")] {
            let why = refused(root, name).unwrap();
            assert!(why.starts_with(code), "{name}: {why}");
        }
        assert_eq!(refused(root, "c"), None);
        until("the second run", || live(root).is_some_and(|run| run != first));
    });
    assert_eq!((facts(root, "run_started"), facts(root, "run_ended")), (2, 1));
}

#[test]
fn a_driver_that_hosts_nothing_leaves_the_run_or_plays_it_itself() {
    let dir = prompted(2);
    let root = dir.path();
    let mut driver = Driver::open(root, hosting()).unwrap();
    driver.command(Command::Start).unwrap();
    beside(driver, |_| until("the run", || live(root).is_some()));
    // One that starts no roles comes to rest and leaves it where it is.
    let held = Options { hold_roles: true, ..Options::default() };
    let mut driver = Driver::open(root, held).unwrap();
    let ended = driver.run(&mut Quiet, &StopFlag::default()).unwrap();
    assert_eq!(ended.continuation, Continuation::Continue);
    assert!(live(root).is_some());
    assert_eq!(facts(root, "host_recovered"), 0);
    drop(driver);
    // One that has an agent of its own gives it up and sends the role again.
    let argv = ["sh", "-c", "echo done"].map(str::to_owned).to_vec();
    let agent = Some(endstate::native::Agent::Exec { argv });
    let mut driver = Driver::open(root, Options { agent, ..Options::default() }).unwrap();
    let ended = driver.run(&mut Quiet, &StopFlag::default()).unwrap();
    assert_eq!(ended.continuation, Continuation::Done);
    assert_eq!((facts(root, "run_started"), facts(root, "run_ended")), (2, 2));
}

#[test]
fn a_hosted_run_has_its_time_also_while_nobody_drives() {
    let dir = prompted(1);
    let root = dir.path();
    let mut driver = Driver::open(root, hosting()).unwrap();
    driver.command(Command::Start).unwrap();
    beside(driver, |_| until("the run", || live(root).is_some()));
    let first = live(root).unwrap();
    // The time was up before this driver came.
    let options = Options { role_timeout: Some(Duration::from_millis(1)), ..hosting() };
    let driver = Driver::open(root, options).unwrap();
    beside(driver, |_| until("the end", || facts(root, "run_ended") > 0));
    let journal = fs::read_to_string(root.join(".agent/endstate/journal.jsonl")).unwrap();
    assert!(journal.contains("run_timed_out"));
    assert_ne!(live(root), Some(first));
}

#[test]
fn a_hosted_run_is_stopped_like_any_other() {
    let dir = prompted(2);
    let root = dir.path();
    let mut driver = Driver::open(root, hosting()).unwrap();
    driver.command(Command::Start).unwrap();
    let ended = beside(driver, |_| {
        until("the run", || live(root).is_some());
        crate::common::endstate(root, &["kill"]).expect(0);
        until("the end", || facts(root, "run_ended") == 1);
        store::peek(&Places::of(root)).unwrap().engine.continuation()
    });
    assert_eq!(ended, Continuation::Paused);
    assert_eq!(live(root), None);
}

#[test]
fn whoever_gives_verdicts_is_never_hosted() {
    let dir = prompted(1);
    for role in ["completion-reviewer", "iteration-judge", "anything"] {
        let hosted = BTreeSet::from([role.to_owned()]);
        let options = Options { hosted, ..Options::default() };
        match Driver::open(dir.path(), options).err().unwrap() {
            HostError::Usage { at, expected, .. } => {
                assert_eq!(at, "hosted");
                assert!(expected.contains("iteration-agent"), "{expected}");
            }
            other => panic!("{other}"),
        }
    }
}
