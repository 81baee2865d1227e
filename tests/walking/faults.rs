//! One seeded fault per check: a snapshot that no event leads to, and the code it is refused with.

use crate::common::Story;
use endstate::engine::Engine;
use endstate::snapshot::Snapshot;
use endstate::vocab::error::{Code, Kind};
use serde_json::{Value, json};

/// How far the mission is before the fault is put in.
#[derive(Clone, Copy)]
enum At {
    /// A regrounder is ordered.
    Start,
    /// S1 is selected, the implementer ordered, S2 planned.
    Selected,
    /// The implementer is alive.
    Working,
    /// S1 is committed, the reviewer ordered.
    Committed,
    /// S1 is accepted, S2 selected.
    Accepted,
    /// The mission is done.
    Done,
}

fn story(at: At) -> Story {
    let mut story = Story::started();
    if matches!(at, At::Start) {
        return story;
    }
    story.plan(&["S1", "S2"]);
    match at {
        At::Start | At::Selected => return story,
        At::Working => {
            story.begin("implementer");
            return story;
        }
        At::Committed | At::Accepted | At::Done => story.implement("S1"),
    }
    if matches!(at, At::Committed) {
        return story;
    }
    story.verify("S1");
    story.reconcile("S1", Some("S2"));
    if matches!(at, At::Accepted) {
        return story;
    }
    story.implement("S2");
    story.verify("S2");
    story.reconcile("S2", None);
    story.judge_all();
    story.finish();
    story
}

type Fault = (Code, &'static str, At, fn(&mut Value));

fn core(snapshot: &mut Value) -> &mut Value {
    &mut snapshot["mission"]["state"]["core"]
}

fn slice(snapshot: &mut Value, place: usize) -> &mut Value {
    &mut snapshot["mission"]["state"]["slices"][place]
}

fn outbox(snapshot: &mut Value) -> &mut Vec<Value> {
    snapshot["head"]["outbox"].as_array_mut().unwrap()
}

const FAULTS: [Fault; 22] = [
    (Code::BrokenBudget, "a counter beyond its limit", At::Start, |snapshot| {
        snapshot["head"]["budget"]["role_runs"]["spent"] = json!(401);
    }),
    (Code::BrokenTopology, "two roles ordered", At::Start, |snapshot| {
        let mut again = outbox(snapshot)[0].clone();
        again["effect"]["id"] = json!("1.9");
        outbox(snapshot).push(again);
    }),
    (Code::BrokenTopology, "a live run nobody recorded", At::Working, |snapshot| {
        core(snapshot)["life"]["runs"] = json!([]);
    }),
    (Code::BrokenOneSlice, "two slices in progress", At::Working, |snapshot| {
        slice(snapshot, 1)["status"] = json!("in_progress");
    }),
    (Code::BrokenDispatch, "another role than the table names", At::Selected, |snapshot| {
        outbox(snapshot)[0]["effect"]["order"]["data"]["role"] = json!("completion-auditor");
    }),
    (Code::BrokenDispatch, "a role in a paused mission", At::Selected, |snapshot| {
        snapshot["head"]["control"] = json!("paused");
    }),
    (Code::BrokenContinuation, "nothing under way", At::Selected, |snapshot| {
        outbox(snapshot).clear();
    }),
    (Code::BrokenHandoff, "no basis commit", At::Selected, |snapshot| {
        core(snapshot)["active"]["basis_commit"] = json!("");
    }),
    (Code::BrokenPlan, "the cursor is ahead of the plan", At::Selected, |snapshot| {
        core(snapshot)["active"]["status"] = json!("in_progress");
    }),
    (Code::BrokenCommit, "committed without a claim", At::Committed, |snapshot| {
        // Paused with nobody sent, or the wrong dispatch would be met first.
        snapshot["head"]["control"] = json!("paused");
        outbox(snapshot).clear();
        core(snapshot)["active"]["claim"] = Value::Null;
    }),
    (Code::BrokenCommit, "a review of another commit", At::Accepted, |snapshot| {
        let review = json!({"by": {"run": "1.1", "session": null}, "commit": "0", "verdicts": [], "must_fix": []});
        core(snapshot)["active"]["review"] = review;
    }),
    (Code::BrokenStop, "done without judgements", At::Done, |snapshot| {
        core(snapshot)["wave"]["judgements"] = json!([]);
    }),
    (Code::BrokenStop, "done without the verifier", At::Done, |snapshot| {
        core(snapshot)["wave"]["verified_at"] = Value::Null;
    }),
    (Code::BrokenStop, "one judge three times", At::Done, |snapshot| {
        let judgements = &mut core(snapshot)["wave"]["judgements"];
        judgements[1] = judgements[0].clone();
    }),
    (Code::BrokenRecord, "a line of nobody", At::Start, |snapshot| {
        let line =
            json!({"path": ".agent/slice-history.jsonl", "text": "{\"type\":\"accepted\"}\n"});
        core(snapshot)["life"]["files"]["unwritten"] = json!([line]);
    }),
    (Code::BrokenOutbox, "a timer in a protocol without timers", At::Selected, |snapshot| {
        let order = json!({"type": "set_timer", "data": {"name": "x", "due_at": 1}});
        let effect = json!({"id": "1.9", "order": order});
        outbox(snapshot).push(json!({"effect": effect, "delivery": {"phase": "ordered"}}));
    }),
    (Code::BrokenOutbox, "a write beside the canonical files", At::Selected, |snapshot| {
        let data = json!({"path": "src/main.c", "revision": 1, "expected": null, "aside": null, "executable": false});
        let effect = json!({"id": "1.9", "order": {"type": "write_file", "data": data}});
        outbox(snapshot).push(json!({"effect": effect, "delivery": {"phase": "ordered"}}));
    }),
    (Code::BrokenCriteria, "a slice without criteria", At::Selected, |snapshot| {
        slice(snapshot, 1)["criteria"] = json!([]);
    }),
    (Code::BrokenDone, "done over an open criterion", At::Selected, |snapshot| {
        slice(snapshot, 1)["status"] = json!("done");
    }),
    (Code::BrokenSeparation, "verified by the claimant", At::Accepted, |snapshot| {
        let state = &mut slice(snapshot, 0)["criteria"][0]["state"];
        state["verified_by"][0] = state["claimed_by"]["run"].clone();
    }),
    (Code::BrokenSeparation, "verified by one run", At::Accepted, |snapshot| {
        let state = &mut slice(snapshot, 0)["criteria"][0]["state"];
        state["verified_by"][1] = state["verified_by"][0].clone();
    }),
    (Code::BrokenContract, "a contract id nobody counts", At::Selected, |snapshot| {
        slice(snapshot, 1)["contract_ids"] = json!(["C-1", "C-2"]);
    }),
];

/// Puts each fault in and answers with the codes that were met.
pub fn seed() -> Vec<Code> {
    FAULTS
        .iter()
        .map(|(code, name, at, fault)| {
            let mut snapshot = serde_json::to_value(story(*at).engine.snapshot()).unwrap();
            fault(&mut snapshot);
            let error = Snapshot::read(&snapshot.to_string()).expect_err(name);
            assert_eq!((error.kind, error.code), (Kind::Broken, *code), "{name}: {error}");
            let unchecked: Snapshot = serde_json::from_value(snapshot).unwrap();
            assert_eq!(Engine::open(unchecked).expect_err(name).code, *code, "{name}");
            *code
        })
        .collect()
}
