//! A second process beside a live driver, and a driver that is interrupted.

use crate::common::{MISSION, Running, TEAM, endstate, repository, until};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A mission whose regrounder waits for `.agent/tmp/go`, driven, with the run alive.
fn waiting() -> (tempfile::TempDir, Running) {
    let dir = repository();
    endstate(dir.path(), &["init", MISSION]).expect(0);
    fs::create_dir_all(dir.path().join(".agent/tmp")).unwrap();
    fs::write(dir.path().join(".agent/tmp/wait"), "").unwrap();
    let driver =
        Running::start(dir.path(), &["run", "--agent", &format!("script:{TEAM}"), "--json"]);
    let root = dir.path().to_owned();
    until("a live run", || {
        let view = view(&root);
        view["runs"].as_array().is_some_and(|runs| !runs.is_empty())
    });
    (dir, driver)
}

fn view(root: &Path) -> Value {
    serde_json::from_str(&endstate(root, &["view", "--print"]).out).unwrap_or_default()
}

fn go(root: &Path) {
    fs::write(root.join(".agent/tmp/go"), "").unwrap();
}

#[test]
fn commands_of_a_second_process_reach_the_driver() {
    let (dir, driver) = waiting();
    let root = dir.path();
    let agent = format!("script:{TEAM}");
    let second = endstate(root, &["run", "--agent", &agent, "--json"]).expect(14);
    let error = second.last()["error"].clone();
    assert_eq!(error["code"], "locked");
    assert!(error["got"].as_str().unwrap().contains(&driver.pid().to_string()), "{error}");
    let status = endstate(root, &["status", "--json"]).expect(0).last();
    assert_eq!(status["driver"]["pid"], driver.pid());
    until("its last line", || view(root)["runs"][0]["last_line"] == "waiting for the test");

    endstate(root, &["grant", "role_runs", "7", "--json"]).expect(0);
    let status = endstate(root, &["status", "--json"]).expect(0).last();
    assert_eq!(status["worst_case_runs"], 407);
    let unknown = endstate(root, &["skip", "S9", "--reason", "x", "--json"]).expect(13);
    assert_eq!(unknown.code(), "unknown_item");
    let none = endstate(root, &["answer", "yes", "--json"]).expect(13);
    assert_eq!(none.code(), "unknown_effect");
    endstate(root, &["pause"]).expect(0);
    assert_eq!(endstate(root, &["pause", "--json"]).expect(13).code(), "already_paused");
    go(root);
    assert_eq!(driver.end().expect(12).last()["continuation"], "paused");
    // Paused is paused, whoever asks; resumed, it goes on.
    endstate(root, &["run", "--agent", &agent]).expect(12);
    endstate(root, &["resume"]).expect(0);
    endstate(root, &["run", "--agent", &agent]).expect(0);
    endstate(root, &["check"]).expect(0);
}

#[test]
fn an_interrupt_drains_and_a_second_one_kills() {
    let agent = format!("script:{TEAM}");
    for twice in [false, true] {
        let (dir, driver) = waiting();
        driver.signal("INT");
        until("the stop", || view(dir.path())["continuation"] == "paused");
        if twice {
            driver.signal("INT");
        } else {
            go(dir.path());
        }
        let last = driver.end().expect(12).last();
        assert_eq!(last["continuation"], "paused");
        assert_eq!(last["runs"], 1);
        go(dir.path());
        let words = ["run", "--agent", &agent, "--resume", "--json"];
        let last = endstate(dir.path(), &words).expect(0).last();
        // A drained run counts; one that was killed is sent again.
        assert_eq!(last["runs"], 9 + u64::from(twice));
    }
}

#[test]
fn a_killed_driver_leaves_a_mission_that_goes_on() {
    let (dir, driver) = waiting();
    driver.signal("KILL");
    assert_eq!(driver.end().status, -1);
    go(dir.path());
    let said = endstate(dir.path(), &["run", "--agent", &format!("script:{TEAM}")]).expect(0);
    assert!(said.out.contains("did not end by itself"), "{}", said.out);
    endstate(dir.path(), &["check"]).expect(0);
}

#[test]
fn a_mission_that_only_lacks_a_driver_says_so_when_it_is_resumed() {
    let (dir, driver) = waiting();
    driver.signal("KILL");
    assert_eq!(driver.end().status, -1);
    go(dir.path());
    let resumed = endstate(dir.path(), &["resume", "--json"]).expect(13);
    assert_eq!(resumed.code(), "not_paused");
    let got = resumed.last()["error"]["got"].clone();
    assert!(got.as_str().unwrap().contains("`endstate run` drives it"), "{got}");
    endstate(dir.path(), &["run", "--agent", &format!("script:{TEAM}")]).expect(0);
}
