//! Old missions on disk: looked at without a change, upgraded by the first driver, driven to their end.

use crate::old::{
    LATER, PROTOCOLS, bodies, chained, endstate, git, journal, path, read, replayed, repository,
    taken, upgrades,
};
use endstate::Continuation;
use endstate::native::store::{self, Places};
use endstate::native::{Driver, HostError, Options, Report, archive};
use endstate::vocab::error::Code;
use std::fs;
use std::path::Path;

fn team(protocol: &str) -> String {
    format!("script:{}/src/cli/demo/{protocol}/team.yaml", env!("CARGO_MANIFEST_DIR"))
}

/// Carries a mission to its end.
fn end(root: &Path, protocol: &str) -> Option<i32> {
    let line = ["run", "--accept", "judged", "--agent", &team(protocol)];
    endstate(root, &line).status.code()
}

fn held() -> Options {
    Options { hold_roles: true, ..Options::default() }
}

fn damaged(error: &HostError) -> bool {
    matches!(error, HostError::Core(error) if error.code == Code::JournalDamaged)
}

#[test]
fn who_only_looks_at_an_old_mission_writes_nothing() {
    for protocol in PROTOCOLS {
        let dir = repository(protocol);
        let old = journal(protocol);
        let first: [&[&str]; 6] = [
            &["status"],
            &["why"],
            &["check"],
            &["view", "--print"],
            &["journal"],
            &["replay", ".agent/endstate/journal.jsonl"],
        ];
        for arguments in first {
            let said = endstate(dir.path(), arguments);
            // The state of sprint has another layout since, and what of its journal is taken leads to other files.
            let elsewhere = protocol == "sprint" && arguments == ["check"];
            assert!(said.status.success() != elsewhere, "{protocol} {arguments:?}: {said:?}");
        }
        let opened = store::peek(&Places::of(dir.path())).unwrap();
        assert!(
            opened.reports.iter().any(|one| matches!(one, Report::OlderRules { rules: 1, .. }))
        );
        assert_eq!(read(dir.path()), old, "{protocol}");
    }
}

#[test]
fn the_first_driver_upgrades_an_old_mission_once() {
    for protocol in PROTOCOLS {
        let dir = repository(protocol);
        let lines = journal(protocol).lines().count();
        drop(Driver::open(dir.path(), held()).unwrap());
        let first = read(dir.path());
        assert!(first.starts_with(&journal(protocol)), "{protocol}: nothing is lost");
        assert_eq!(upgrades(&first), [lines], "{protocol}");
        let driver = Driver::open(dir.path(), held()).unwrap();
        assert_ne!(driver.engine().continuation(), Continuation::Done, "{protocol}");
        drop(driver);
        assert_eq!(upgrades(&read(dir.path())), [lines], "{protocol}");
        let found = replayed(&read(dir.path()));
        assert_eq!((found.older_lines as usize, found.divergence), (lines, None), "{protocol}");
    }
}

#[test]
fn an_old_mission_is_driven_to_its_end() {
    for protocol in ["promise", "iteration"] {
        let dir = repository(protocol);
        // What the agent of an iteration said is a claim.
        let status = if protocol == "iteration" { 4 } else { 0 };
        assert_eq!(end(dir.path(), protocol), Some(status), "{protocol}");
        let found = replayed(&read(dir.path()));
        assert_eq!(
            (found.continuation, found.divergence),
            (Continuation::Done, None),
            "{protocol}"
        );
        assert!(endstate(dir.path(), &["check"]).status.success(), "{protocol}");
        let said = endstate(dir.path(), &["replay", ".agent/endstate/journal.jsonl"]);
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let last = journal(protocol).lines().count() - 1;
        let words = format!("lines 0–{last} were made under older rules: chain verified");
        assert!(said.contains(&words), "{said}");
    }
}

#[test]
fn an_old_mission_without_a_snapshot_is_decided_from_its_first_line() {
    for protocol in PROTOCOLS {
        let dir = repository(protocol);
        clear(dir.path());
        drop(Driver::open(dir.path(), held()).unwrap());
        assert_eq!(replayed(&read(dir.path())).divergence, None, "{protocol}");
    }
}

#[test]
fn a_kill_at_any_byte_of_the_upgrade_loses_nothing() {
    let dir = repository("sprint");
    let old = journal("sprint");
    let line = taken(&old).upgrade(LATER).unwrap().unwrap() + "\n";
    for cut in (0..=line.len()).step_by(line.len() / 7) {
        fs::write(path(dir.path()), format!("{old}{}", &line[..cut])).unwrap();
        drop(Driver::open(dir.path(), held()).unwrap());
        let whole = read(dir.path());
        assert!(whole.starts_with(&old), "cut at {cut}");
        assert_eq!(upgrades(&whole), [old.lines().count()], "cut at {cut}");
        assert_eq!(replayed(&whole).divergence, None, "cut at {cut}");
        clear(dir.path());
    }
}

#[test]
fn a_damaged_line_before_the_snapshot_is_found_before_the_upgrade() {
    let dir = repository("grid");
    let changed = journal("grid").replacen("\"chain\":\"", "\"chain\":\"0", 1);
    fs::write(path(dir.path()), &changed[..changed.len() - 1]).unwrap();
    // The snapshot's own place moved by the byte that came in; so it is not used, either way nothing is upgraded.
    assert!(damaged(&Driver::open(dir.path(), held()).err().unwrap()));
    // In the layout of its day it would be passed over.
    let kept = dir.path().join(".agent/endstate/snapshot-76.json");
    let mut snapshot: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&kept).unwrap()).unwrap();
    let lines: Vec<String> = journal("grid").lines().take(77).map(str::to_owned).collect();
    let (engine, _) = taken(&lines.join("\n")).into_parts().unwrap();
    snapshot["snapshot"] = serde_json::to_value(engine.snapshot()).unwrap();
    fs::write(&kept, snapshot.to_string()).unwrap();
    let mut bytes = journal("grid").into_bytes();
    bytes[200] ^= 1;
    fs::write(path(dir.path()), &bytes).unwrap();
    assert!(store::peek(&Places::of(dir.path())).is_ok(), "who looks reads from the snapshot on");
    assert!(damaged(&Driver::open(dir.path(), held()).err().unwrap()));
    assert_eq!(fs::read(path(dir.path())).unwrap(), bytes);
}

#[test]
fn an_event_behind_the_snapshot_that_is_refused_now_stops_nobody() {
    let dir = repository("sprint");
    let mut all = bodies(&journal("sprint"));
    let late = all.iter().find(|body| body.contains("\"type\":\"run_started\"")).unwrap().clone();
    all.push(late);
    fs::write(path(dir.path()), chained(&all)).unwrap();
    let said = endstate(dir.path(), &["status"]);
    let words = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(words.contains("set aside: event"), "{words}");
    drop(Driver::open(dir.path(), held()).unwrap());
    let whole = read(dir.path());
    assert_eq!(replayed(&whole).divergence, None);
    assert!(bodies(&whole)[all.len()].contains("set aside: event"));
}

#[test]
fn rules_of_the_future_and_a_second_driver_are_refused() {
    let dir = repository("promise");
    let driver = Driver::open(dir.path(), held()).unwrap();
    assert!(matches!(Driver::open(dir.path(), held()), Err(HostError::Locked { .. })));
    drop(driver);
    let mut all = bodies(&journal("promise"));
    all[0] = all[0].replacen("\"rules\":1", "\"rules\":99", 1);
    fs::write(path(dir.path()), chained(&all)).unwrap();
    let error = Driver::open(dir.path(), held()).err().unwrap();
    assert_eq!(error.code(), "other_rules");
}

#[test]
fn an_old_mission_is_archived_as_it_is() {
    let dir = repository("promise");
    // Brought to its end by the team, then back to rules 1 as if the old engine had done it.
    assert_eq!(end(dir.path(), "promise"), Some(0));
    let at = upgrades(&read(dir.path()))[0];
    let mut all = bodies(&read(dir.path()));
    let line: serde_json::Value = serde_json::from_str(&all[at]).unwrap();
    all[at] = format!("{{\"event\":{},\"decided\":{}}}", line["event"], line["decided"]);
    clear(dir.path());
    fs::write(path(dir.path()), chained(&all)).unwrap();
    assert!(archive::resting(dir.path()).unwrap().archive().is_ok());
    git(dir.path(), &["status", "--short"]);
}

/// Without snapshots: they belong to another journal.
fn clear(root: &Path) {
    for entry in fs::read_dir(root.join(".agent/endstate")).unwrap().flatten() {
        if entry.file_name().to_string_lossy().starts_with("snapshot-") {
            fs::remove_file(entry.path()).unwrap();
        }
    }
}
