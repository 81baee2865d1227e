//! The canonical files: twenty fields, the exact hand-off, histories, unknown fields.

use crate::common::*;
use endstate::engine::digest;
use endstate::protocols::completion::files::check::check_files;
use endstate::protocols::completion::files::names::{ACTIVE_FIELDS, PLAN_FIELDS, STATE_FIELDS};
use endstate::protocols::completion::files::{self as canonical, Severity};
use endstate::vocab::command::{Command, PlanChange};
use endstate::vocab::event::*;
use serde_json::{Value, json};

fn names(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[track_caller]
fn sorted(fields: &[&str], value: &Value) {
    let (mut expected, mut got) = (fields.to_vec(), names(value));
    expected.sort_unstable();
    got.sort_unstable();
    assert_eq!(got, expected);
}

#[test]
fn files_have_the_fields_of_the_seed_and_pass_its_check_at_every_step() {
    let stories =
        [Story::going(), Story::planned(), Story::committed(), Story::audited(), Story::closed()];
    for story in stories {
        sorted(&STATE_FIELDS, &story.file("state.json"));
        sorted(&PLAN_FIELDS, &story.file("plan.json"));
        sorted(&ACTIVE_FIELDS, &story.file("active-slice.json"));
        let get = |path: &str| story.world.files.get(path).map(|text| text.clone().into_bytes());
        let faults = check_files(get).into_iter().filter(|one| one.severity == Severity::Fault);
        assert_eq!(faults.count(), 0);
        for path in canonical::STATE_FILES {
            assert_eq!(story.engine.render(path).unwrap(), story.world.files[path], "{path}");
        }
    }
}

#[test]
fn the_handoff_is_exact_from_selection_to_done() {
    let mut story = Story::going();
    let first = slice("S1");
    let mut other = slice("S2");
    other["contract_ids"] = json!(["C-2"]);
    let block = json!({
        "plan_basis": "x", "slices": [first, other],
        "selected": {"slice_id": "S1", "locked_notes": ["use C99"]},
        "remaining_release_blockers": 2, "remaining_high_value_gaps": 3,
        "release_blocker_ids": ["C-1"],
    });
    story.run("regrounder", block);
    let expected = |story: &Story, status: &str| {
        json!({
            "schema_version": 1, "mission_anchor": MISSION, "status": status, "slice_id": "S1",
            "goal": "Do S1", "contract_ids": ["C-1"],
            "acceptance_criteria": ["S1 works", "S1 is tested"], "priority": 5,
            "why_now": "it is next", "blocked_on": [], "locked_notes": ["use C99"],
            "must_fix_findings": [], "basis_commit": story.world.commits[1].0,
            "remaining_contract_ids_before": ["C-1", "C-2"], "release_blocker_count_before": 2,
            "high_value_gap_count_before": 3,
        })
    };
    assert_eq!(story.file("active-slice.json"), expected(&story, "selected"));
    // The implementer is told the same, word for word.
    for part in
        ["Slice S1: Do S1", "Why now: it is next", "use C99", "AC-002: S1 is tested", "C-1, C-2"]
    {
        assert!(story.prompt().contains(part), "{part}");
    }
    let effect = story.begin("implementer");
    assert_eq!(story.file("active-slice.json"), expected(&story, "in_progress"));
    let commit = story.world.commit(&["src/S1.c"]);
    story.end(effect, report(claim("S1", &commit)));
    assert_eq!(story.file("active-slice.json"), expected(&story, "committed"));
    story.verify("S1");
    story.reconcile("S1", None);
    assert_eq!(story.file("active-slice.json"), expected(&story, "done"));
    let state = story.file("state.json");
    assert_eq!(state["unsatisfied_contract_ids"], json!(["C-2"]));
    assert_eq!(
        (&state["latest_completed_slice"], &state["latest_verified_slice"]),
        (&json!("S1"), &json!("S1"))
    );
}

#[test]
fn histories_are_a_faithful_transcription() {
    let mut story = Story::started();
    story.plan(&["S1"]);
    story.implement("S1");
    story.verify("S1");
    story.reconcile("S1", None);
    story.judge_all();
    let records = story.world.files[canonical::SLICE_HISTORY].clone();
    let commit = story.head();
    let mut runs = std::collections::BTreeSet::new();
    for (line, kind) in records.lines().zip(["implemented", "reviewed", "audited", "accepted"]) {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&record["type"], &record["commit_sha"]), (&json!(kind), &json!(commit)));
        assert_eq!(record["slice_id"], "S1");
        assert!(record["recorded_at"].as_str().unwrap().ends_with('Z'));
        runs.insert(record["run"].as_str().unwrap().to_owned());
    }
    assert_eq!(runs.len(), 4, "each by a run of its own");
    for line in story.world.files[canonical::JUDGEMENT_HISTORY].lines() {
        let judgement: Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (&judgement["type"], &judgement["head_sha"]),
            (&json!("judgment"), &json!(commit))
        );
    }
    // Nothing that was refused is ever recorded.
    let ends = story.taken.iter().filter(|(event, _)| matches!(event.fact, Fact::RunEnded(_)));
    assert_eq!(ends.count(), records.lines().count() + 3 + 1);
}

#[test]
fn files_of_the_state_directory_are_written_only_as_they_are_expected() {
    let story = Story::audited();
    for (_, applied) in &story.taken {
        for effect in &applied.effects {
            let value = serde_json::to_value(&effect.order).unwrap();
            if let Some(path) = value.pointer("/data/path").and_then(Value::as_str) {
                assert!(path.starts_with(".agent/"), "{path}");
            }
            if value["type"] == "write_file" {
                assert!(value["data"].get("text").is_none(), "no plan in the journal");
            }
        }
    }
}

#[test]
fn an_edit_is_adopted_only_with_nobody_at_work() {
    // The same edit: by hand it adds a slice, during a run it is the run's.
    let add = |story: &mut Story| {
        let mut plan = story.file("plan.json");
        let mut slice = slice("S2");
        slice["status"] = json!("planned");
        slice["evidence"] = json!([]);
        plan["candidate_slices"].as_array_mut().unwrap().push(slice);
        story.world.files.insert(canonical::PLAN.to_owned(), plan.to_string());
    };
    let mut by_hand = Story::planned();
    by_hand.say(Command::Pause);
    add(&mut by_hand);
    by_hand.say(Command::Resume);
    assert_eq!(by_hand.state()["slices"].as_array().unwrap().len(), 2);
    let mut by_run = Story::planned();
    let effect = by_run.begin("implementer");
    add(&mut by_run);
    let edited = by_run.world.files[canonical::PLAN].clone();
    let commit = by_run.world.commit(&["src/S1.c"]);
    by_run.end(effect, report(claim("S1", &commit)));
    assert_eq!(by_run.state()["slices"].as_array().unwrap().len(), 1);
    assert_eq!(by_run.core("/active/claim"), Value::Null);
    let kept = format!(".agent/tmp/rejected-{}.json", digest(&edited));
    assert_eq!(by_run.world.files[&kept], edited, "nothing is lost either way");
}

#[test]
fn no_edit_creates_claims_verdicts_or_an_end() {
    type Edit = fn(&mut Value);
    let plan: [Edit; 5] = [
        |plan| plan["candidate_slices"][0]["status"] = json!("done"),
        |plan| plan["candidate_slices"][0]["evidence"] = json!(["AC-001: trust me"]),
        |plan| plan["candidate_slices"][0]["goal"] = json!("Do less"),
        |plan| plan["candidate_slices"][0]["contract_ids"] = json!([]),
        |plan| plan["candidate_slices"] = json!([]),
    ];
    let active: [Edit; 3] = [
        |active| active["status"] = json!("committed"),
        |active| active["basis_commit"] = json!("0123456789012345678901234567890123456789"),
        |active| active["must_fix_findings"] = json!(["nothing"]),
    ];
    let state: [Edit; 3] = [
        |state| state["remaining_stop_judges"] = json!(0),
        |state| state["next_mandatory_role"] = json!("completion-stop-judge"),
        |state| state["requires_reground"] = json!(true),
    ];
    let files =
        [(canonical::PLAN, &plan[..]), (canonical::ACTIVE, &active), (canonical::STATE, &state)];
    for (path, edits) in files {
        for (place, edit) in edits.iter().enumerate() {
            let mut story = Story::planned();
            let slices = story.state()["slices"].clone();
            story.say(Command::Pause);
            let mut value: Value = serde_json::from_str(&story.world.files[path]).unwrap();
            edit(&mut value);
            story.world.files.insert(path.to_owned(), value.to_string());
            story.say(Command::Resume);
            assert_eq!(story.core("/counts/rejected_edits"), 1, "{path} {place}");
            assert_eq!(story.core("/counts/adopted_edits"), 0, "{path} {place}");
            assert_eq!(story.state()["slices"], slices);
            assert_eq!(story.core("/reground/reason"), "files_distrusted");
        }
    }
}

#[test]
fn a_contract_file_that_is_not_ours_is_repaired() {
    for (path, text) in [
        (canonical::PROFILE, "{\"schema_version\": 1}"),
        (canonical::PROFILE, ""),
        (canonical::MISSION, "# Mission\n\nMission anchor:\nSell everything.\n"),
    ] {
        let mut story = Story::planned();
        let before = story.world.files[path].clone();
        story.say(Command::Pause);
        story.world.files.insert(path.to_owned(), text.to_owned());
        story.say(Command::Resume);
        assert_eq!(story.world.files[path], before, "{path}");
        assert_eq!(story.world.commits.last().unwrap().1, [path]);
        assert_eq!(story.due(), "implementer");
    }
    // A profile that is valid is the user's to change.
    let mut story = Story::planned();
    story.say(Command::Pause);
    let text = &story.world.files[canonical::PROFILE];
    let more = text.replace("\"required_stop_judges\": 1", "\"required_stop_judges\": 2");
    story.world.files.insert(canonical::PROFILE.to_owned(), more);
    story.say(Command::Resume);
    assert_eq!(story.file("state.json")["remaining_stop_judges"], 2);
}

#[test]
fn an_amended_plan_reaches_the_files() {
    let mut story = Story::planned();
    let text = "it is polite".to_owned();
    let changes = vec![PlanChange::AddCriterion { item: "S1".to_owned(), text, shown_by: None }];
    story.say(Command::Amend { changes });
    for file in ["plan.json", "active-slice.json"] {
        assert!(story.file(file).to_string().contains("it is polite"), "{file}");
    }
    let effect = story.begin("implementer");
    let commit = story.world.commit(&["src/S1.c"]);
    story.end(effect, report(claim("S1", &commit)));
    assert_eq!(story.problem(), "criterion_missing", "the new one is locked as well");
}
