//! `endstate mcp` with a real mission behind it.

use crate::client::{Client, facts, prompted};
use crate::common::{MISSION, Running, TEAM, endstate, git, repository, until};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn script() -> String {
    format!("script:{TEAM}")
}

/// What an implementer does, in this very process.
fn implement(root: &Path) -> Value {
    fs::write(root.join("greeting.txt"), "hello\n").unwrap();
    git(root, &["add", "greeting.txt"]);
    git(root, &["commit", "-q", "-m", "Greet"]);
    json!({
        "slice_id": "S1", "outcome": "implemented", "commit_sha": git(root, &["rev-parse", "HEAD"]),
        "claims": [{"criterion": "AC-001", "status": "complete",
            "evidence": [{"kind": "command", "command": "make test", "exit_status": 0}]}],
    })
}

#[test]
fn a_hosted_implementer_is_checked_by_others_to_the_end() {
    let dir = repository();
    let root = dir.path();
    endstate(root, &["init", MISSION]).expect(0);
    let mut client = Client::start(root, &["--agent", &script()]);
    let next = client.next();
    assert_eq!(next["run"]["role"], "completion-implementer", "{next}");
    assert!(next["run"]["prompt"].as_str().unwrap().contains("a file greets"), "{next}");
    let run = next["run"]["run"].as_str().unwrap().to_owned();
    // A report that cannot be read costs nothing but a look at its fault.
    let why = client.refused("report", &json!({"run": run, "report": "I am done, believe me."}));
    assert!(why.contains("block_missing"), "{why}");
    let why = client.refused("report", &json!({"run": run, "report": {"slice_id": "S1"}}));
    assert!(why.contains("missing_field") && why.contains("outcome"), "{why}");
    assert_eq!(facts(root, "run_ended"), 1);
    let report = implement(root);
    client.report(&run, &report);
    // While others check, the run is nobody's any more.
    let why = client.refused("report", &json!({"run": run, "report": report}));
    assert!(why.contains("stale_answer"), "{why}");
    let end = client.next();
    assert_eq!(
        (&end["turn"], &end["end"]["closed_by"]),
        (&json!("done"), &json!("verified")),
        "{end}"
    );
    assert_eq!(client.tool("status", &json!({}))["continuation"], "done");
    let history = client.request("resources/read", &json!({"uri": "endstate://history"}));
    let history = history["result"]["contents"][0]["text"].as_str().unwrap().to_owned();
    let events: Vec<Value> = serde_json::from_str(&history).unwrap();
    assert_eq!(events.last().unwrap()["continuation"], "done");
    client.close();
    let journal = root.join(".agent/endstate/journal.jsonl");
    endstate(root, &["replay", journal.to_str().unwrap()]).expect(0);
    assert!(!root.join(".agent/endstate/lock").exists());
}

#[test]
fn claims_without_work_come_back() {
    let dir = repository();
    let root = dir.path();
    endstate(root, &["init", MISSION]).expect(0);
    let mut client = Client::start(root, &["--agent", &script()]);
    let run = client.given();
    let head = git(root, &["rev-parse", "HEAD"]);
    client.report(
        &run,
        &json!({"slice_id": "S1", "outcome": "implemented", "commit_sha": head, "claims": [
            {"criterion": "AC-001", "status": "complete",
             "evidence": [{"kind": "command", "command": "make test", "exit_status": 0}]}]}),
    );
    let again = client.given();
    assert_ne!(run, again);
    assert_eq!(client.tool("status", &json!({}))["continuation"], "continue");
    client.close();
}

#[test]
fn a_run_survives_the_death_of_its_server() {
    let dir = prompted(2);
    let root = dir.path();
    let mut client = Client::start(root, &["--agent", "exec:false"]);
    let run = client.given();
    client.kill();
    assert!(root.join(".agent/endstate/lock").exists());
    // Nobody drives now: a letter is taken all the same, by whoever looks.
    let mut client = Client::start(root, &["--agent", "exec:false"]);
    assert_eq!(client.given(), run);
    client.report(&run, &json!("The first."));
    let second = client.given();
    assert_ne!(second, run);
    client.close();
    // A server that does not drive reports to no driver at all.
    let mut client = Client::start(root, &[]);
    assert_eq!(client.given(), second);
    client.report(&second, &json!("The second."));
    assert_eq!(client.next()["turn"], "done");
    client.close();
    assert_eq!((facts(root, "run_started"), facts(root, "run_ended")), (2, 2));
    assert_eq!(facts(root, "\"lost\""), 0);
}

#[test]
fn a_server_beside_a_driver_of_another_process() {
    let dir = repository();
    let root = dir.path();
    let line = ["run", MISSION, "--agent", &script(), "--hosted", "implementer", "--json"];
    let driver = Running::start(root, &line);
    let journal = root.join(".agent/endstate/journal.jsonl");
    until("a mission", || journal.exists());
    let mut client = Client::start(root, &[]);
    let run = client.given();
    client.report(&run, &implement(root));
    assert_eq!(client.next()["turn"], "done");
    client.close();
    assert_eq!(driver.end().expect(0).last()["continuation"], "done");
}

/// A server that asks all the time begins the mission at the first moment it can; whoever made it still
/// drives it, for the lock goes over from the beginning to the driving.
#[test]
fn a_server_that_was_there_first_leaves_the_mission_to_its_driver() {
    for _ in 0..4 {
        let dir = repository();
        let root = dir.path();
        let mut client = Client::start(root, &[]);
        let line = ["run", MISSION, "--agent", &script(), "--hosted", "implementer", "--json"];
        let driver = Running::start(root, &line);
        let now = json!({"wait_seconds": 0});
        until("a mission", || client.tool("next", &now)["turn"] != "no_mission");
        let run = client.given();
        client.report(&run, &implement(root));
        assert_eq!(client.next()["turn"], "done");
        client.close();
        assert_eq!(driver.end().expect(0).last()["continuation"], "done");
    }
}

#[test]
fn a_question_is_put_before_the_user_and_only_its_own_answers_are_taken() {
    let dir = repository();
    let root = dir.path();
    endstate(root, &["init", MISSION]).expect(0);
    fs::create_dir_all(root.join(".agent/tmp")).unwrap();
    fs::write(root.join(".agent/tmp/ask"), "").unwrap();
    let mut client = Client::start(root, &["--agent", &script()]);
    let next = client.next();
    assert_eq!(next["turn"], "ask", "{next}");
    let asked = client.tool("ask", &json!({}));
    let id = asked["questions"][0]["id"].as_str().unwrap().to_owned();
    let text = client.request("tools/call", &json!({"name": "ask"}));
    let text = text["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.contains("Which greeting?") && !text.contains('\u{1b}'), "{text:?}");
    let why = client.refused("ask", &json!({"question": id, "answer": "  "}));
    assert!(why.contains("answer_type"), "{why}");
    let why = client.refused("ask", &json!({"question": "999.1", "answer": "hello"}));
    assert!(why.contains("unknown_effect"), "{why}");
    let taken = client.tool("ask", &json!({"question": id, "answer": "hello"}));
    assert_eq!(taken, json!({"taken": true, "questions": []}));
    // The team has nothing to do after that: its judges agree at once.
    assert_eq!(client.next()["turn"], "done");
    client.close();
    // Where the user answers elsewhere, nobody answers here.
    let mut client = Client::start(root, &["--no-answers"]);
    assert_eq!(client.tool("ask", &json!({}))["questions"], json!([]));
    client.close();
}

#[test]
fn the_plan_grows_on_the_users_word_and_a_run_may_only_look() {
    let dir = repository();
    let root = dir.path();
    endstate(root, &["init", MISSION]).expect(0);
    let mut client = Client::start(root, &["--agent", &script()]);
    client.given();
    let change = json!({"change": "add_criterion", "item": "S1", "text": "in two languages"});
    let amend = json!({"on_the_users_word": true, "changes": [change]});
    assert_eq!(client.tool("amend", &amend)["taken"], true);
    let missing = json!({"change": "add_criterion", "item": "S9", "text": "x"});
    let why = client.refused("amend", &json!({"on_the_users_word": true, "changes": [missing]}));
    assert!(why.contains("unknown_item"), "{why}");
    let item = client.request("resources/read", &json!({"uri": "endstate://item/S1"}));
    assert!(item["result"]["contents"][0]["text"].as_str().unwrap().contains("in two languages"));
    // Inside of a run of the mission the server neither drives nor gives out work.
    let inside = [("ENDSTATE_RUN", "9.1")];
    let mut run = Client::start_with(root, &["--agent", &script()], &inside);
    assert!(run.refused("next", &json!({})).contains("not_hosted"));
    assert_eq!(run.tool("status", &json!({}))["protocol"], "completion");
    run.close();
    client.close();
}

/// A server that dies at its `step`-th durable step, and the agent that goes on with the next one.
fn dying(root: &Path, step: &str) -> bool {
    let crash = [("ENDSTATE_CRASH_AT", step)];
    let client = Client::start_mortal(root, &["--agent", "exec:false"], &crash);
    client.is_some_and(|mut client| client.play_until_death())
}

#[test]
fn whenever_the_server_dies_every_report_counts_once() {
    for step in 1.. {
        let mut died = false;
        for how in ["", ":half"] {
            let dir = prompted(2);
            let root = dir.path();
            died |= !dying(root, &format!("{step}{how}"));
            let mut client = Client::start(root, &["--agent", "exec:false"]);
            assert!(client.play_until_death(), "{step}{how}");
            client.close();
            // The session may have ended before the last file was written; whoever drives next does it.
            endstate(root, &["run", "--agent", "exec:false"]).expect(4);
            // Runs may be sent anew where they had not begun; none is counted twice or lost.
            assert_eq!(facts(root, "run_ended"), 2, "{step}{how}");
            assert_eq!(facts(root, "run_started"), 2, "{step}{how}");
            let summaries = root.join(".agent/iteration/summaries.jsonl");
            let summaries = fs::read_to_string(summaries).unwrap();
            assert_eq!(summaries.lines().count(), 2, "{step}{how}: {summaries}");
            let journal = root.join(".agent/endstate/journal.jsonl");
            endstate(root, &["replay", journal.to_str().unwrap()]).expect(0);
        }
        if !died {
            assert!(step > 10, "only {step} steps");
            return;
        }
    }
}
