//! Taking over a directory of the peer, in the layout of the seed and in that of release 0.1.91.

use super::*;
use endstate::protocols::ProtocolConfig;
use endstate::protocols::completion::files::adopt::{Adopted, Layout, adopt, layout};
use endstate::protocols::completion::files::history::{HistoryReader, JudgementReader};
use endstate::protocols::completion::files::{Extra, Mode};
use endstate::protocols::completion::state::Adoption;
use endstate::vocab::repository::PathDigest;

pub const TALES: &[Tale] = &[
    tale(
        "adopt-seed-era-before-the-first-plan",
        "A fresh directory of the seed's layout: contract files first, then the regrounder",
        fresh,
    ),
    tale(
        "adopt-0-1-91-at-implement",
        "A selected slice of release 0.1.91 goes to the implementer; its extra fields are kept",
        implement,
    ),
    tale(
        "adopt-at-post-commit-review",
        "A committed slice without a review goes to the reviewer",
        reviewing,
    ),
    tale("adopt-at-post-commit-audit", "A reviewed slice goes to the auditor", auditing),
    tale(
        "adopt-at-post-commit-reconcile",
        "Verdicts that name no criterion show none: the slice may only be reopened",
        reconciling,
    ),
    tale(
        "adopt-at-stop-wave",
        "A slice with its four records at one ancestor stays done, but is shown again by the judges",
        judging,
    ),
    tale(
        "adopt-done-without-records-is-open-again",
        "A slice that only says done, without its records, is open again",
        unproven,
    ),
    tale(
        "adopt-a-broken-state-distrusts-it",
        "A cut state file is no fresh start: plan and histories stay, the state is grounded anew",
        broken,
    ),
];

/// Where the adopted mission stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Fresh,
    Implement,
    Review,
    Audit,
    Reconcile,
    StopWave,
    /// Called done everywhere, but without any record.
    Unproven,
}

impl Phase {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Phase::Fresh => ("reground", "completion-regrounder"),
            Phase::Implement => ("implement", "completion-implementer"),
            Phase::Review => ("post_commit_review", "completion-reviewer"),
            Phase::Audit => ("post_commit_audit", "completion-auditor"),
            Phase::Reconcile => ("post_commit_reconcile", "completion-regrounder"),
            Phase::StopWave | Phase::Unproven => ("stop_wave", "completion-stop-judge"),
        }
    }

    fn records(self) -> &'static [&'static str] {
        match self {
            Phase::Fresh | Phase::Implement | Phase::Unproven => &[],
            Phase::Review => &["implemented"],
            Phase::Audit => &["implemented", "reviewed"],
            Phase::Reconcile => &["implemented", "reviewed", "audited"],
            Phase::StopWave => &["implemented", "reviewed", "audited", "accepted"],
        }
    }

    fn closed(self) -> bool {
        matches!(self, Phase::StopWave | Phase::Unproven)
    }
}

fn state(phase: Phase, later: bool) -> Value {
    let (word, role) = phase.words();
    let fresh = phase == Phase::Fresh;
    let mut state = json!({
        "schema_version": 1, "mission_anchor": MISSION, "current_phase": word,
        "continuation_policy": "continue", "continuation_reason": "more to do", "project_done": false,
        "requires_reground": fresh, "slices_since_last_reground": 0,
        "remaining_release_blockers": null, "remaining_high_value_gaps": null,
        "unsatisfied_contract_ids": [], "release_blocker_ids": [],
        "next_mandatory_action": "go on", "next_mandatory_role": role, "remaining_stop_judges": 1,
        "last_reground_at": if fresh { Value::Null } else { json!("2026-01-02T03:04:05.000Z") },
        "last_auditor_verdict": null, "contract_status": "unknown",
        "latest_completed_slice": null, "latest_verified_slice": null,
    });
    if later {
        state["workflow_entry_status"] = json!("active");
        state["current_stop_wave_id"] = json!(0);
    }
    state
}

fn plan(phase: Phase) -> Value {
    let status = match phase {
        Phase::Implement => "selected",
        _ if phase.closed() => "done",
        _ => "in_progress",
    };
    let slice = with(slice("S1"), "/status", json!(status));
    let evidence = if phase.closed() { json!(["it was seen"]) } else { json!([]) };
    let slices = match phase {
        Phase::Fresh => vec![],
        _ => vec![with(slice, "/evidence", evidence)],
    };
    json!({
        "schema_version": 1, "mission_anchor": MISSION, "last_reground_at": null,
        "plan_basis": "bootstrap", "candidate_slices": slices,
    })
}

fn active(phase: Phase, basis: &str, later: bool) -> Value {
    let idle = phase == Phase::Fresh;
    let status = match phase {
        Phase::Fresh => "idle",
        Phase::Implement => "selected",
        _ => "committed",
    };
    let slice = slice("S1");
    let or_null = |value: Value| if idle { Value::Null } else { value };
    let or_none = |value: &Value| if idle { json!([]) } else { value.clone() };
    let mut active = json!({
        "schema_version": 1, "mission_anchor": MISSION, "status": status,
        "slice_id": or_null(json!("S1")), "goal": or_null(slice["goal"].clone()),
        "contract_ids": or_none(&slice["contract_ids"]),
        "acceptance_criteria": or_none(&slice["acceptance_criteria"]),
        "priority": or_null(json!(5)), "why_now": or_null(json!("it is next")), "blocked_on": [],
        "locked_notes": [], "must_fix_findings": [], "basis_commit": or_null(json!(basis)),
        "remaining_contract_ids_before": [], "release_blocker_count_before": or_null(json!(0)),
        "high_value_gap_count_before": or_null(json!(0)),
    });
    if later {
        active["implementation_surfaces"] = json!(["src/S1.c"]);
    }
    active
}

/// A directory of the peer in a repository, and the config that takes it over.
pub fn directory(found: Layout, phase: Phase) -> (World, completion::Config) {
    let mut world = World::new();
    let basis = world.head().unwrap();
    let commit = match phase {
        Phase::Fresh | Phase::Implement => basis.clone(),
        _ => world.commit(&["src/S1.c"]),
    };
    let later = found == Layout::Current;
    let [state_path, plan_path, active_path] = found.state_files();
    let [slices, stops] = found.histories();
    let put = |world: &mut World, path: &str, value: &Value| {
        world.files.insert(path.to_owned(), serde_json::to_string_pretty(value).unwrap() + "\n");
    };
    put(&mut world, state_path, &state(phase, later));
    put(&mut world, plan_path, &plan(phase));
    put(&mut world, active_path, &active(phase, &basis, later));
    let record = |kind: &&str| {
        let record = json!({
            "schema_version": 1, "type": kind, "recorded_at": "2026-01-02T03:04:05Z",
            "slice_id": "S1", "commit_sha": commit, "head_sha": commit,
        });
        format!("{record}\n")
    };
    world.files.insert(slices.to_owned(), phase.records().iter().map(record).collect());
    world.files.insert(stops.to_owned(), String::new());
    let config = take(&world);
    (world, config)
}

/// Reads the world's directory as a host would.
pub fn take(world: &World) -> completion::Config {
    let found = layout(|path| world.files.contains_key(path));
    let [slices, stops] = found.unwrap().histories();
    let text = |path: &str| world.files.get(path).cloned().unwrap_or_default();
    let (mut history, mut judgements) = (HistoryReader::new(), JudgementReader::new());
    history.push(text(slices).as_bytes());
    judgements.push(text(stops).as_bytes());
    let get = |path: &str| world.files.get(path).map(|text| text.clone().into_bytes());
    let directory: Adopted = adopt(found, get, history.finish(), judgements.finish(), Mode::Strict);
    let files = canonical::ALL.iter().filter_map(|path| {
        let digest = digest(world.files.get(*path)?);
        Some(PathDigest { path: (*path).to_owned(), digest })
    });
    let adoption = Adoption {
        files: files.collect(),
        ancestors: world.commits.iter().map(|(id, _)| id.clone()).collect(),
        directory,
    };
    completion::Config { adopted: Some(Box::new(adoption)), ..Story::small() }
}

/// The mission, taken over and started.
pub fn taken(found: Layout, phase: Phase) -> Story {
    let (world, config) = directory(found, phase);
    let mut story = Story::in_world(config, world);
    story.go();
    story
}

fn fresh() -> Story {
    let story = taken(Layout::Seed, Phase::Fresh);
    assert_eq!(story.rule(), "reground_distrusted_state");
    assert!(story.world.files.contains_key(canonical::STOP_SCRIPT));
    story
}

fn implement() -> Story {
    let mut story = taken(Layout::Current, Phase::Implement);
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("implement_slice", "implementer"));
    assert_eq!(story.file("state.json")["workflow_entry_status"], "active");
    assert_eq!(story.file("active-slice.json")["implementation_surfaces"], json!(["src/S1.c"]));
    story.implement("S1");
    assert_eq!(story.due(), "reviewer");
    story
}

fn reviewing() -> Story {
    let mut story = taken(Layout::Current, Phase::Review);
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("review_commit", "reviewer"));
    let commit = story.core("/active/claim/commit").as_str().unwrap().to_owned();
    story.run("reviewer", review("S1", &commit));
    story.run("auditor", audit("S1", &commit));
    story.reconcile("S1", None);
    assert_eq!(story.due(), "stop-judge");
    story
}

fn auditing() -> Story {
    let story = taken(Layout::Seed, Phase::Audit);
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("audit_commit", "auditor"));
    story
}

fn reconciling() -> Story {
    let mut story = taken(Layout::Current, Phase::Reconcile);
    assert_eq!(
        (story.rule().as_str(), story.due().as_str()),
        ("reground_to_reconcile", "regrounder")
    );
    story.reconcile("S1", None);
    assert_eq!(story.problem(), "not_verified");
    story.reopen_now("S1");
    assert_eq!(story.due(), "implementer");
    story
}

fn judging() -> Story {
    let mut story = taken(Layout::Seed, Phase::StopWave);
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("judge_stop", "stop-judge"));
    assert!(story.prompt().contains("slice S1, criterion AC-001"));
    let head = story.head();
    story.run("stop-judge", judge(&head, true));
    assert_eq!(story.problem(), "inconsistent_verdict");
    story
}

fn unproven() -> Story {
    let story = taken(Layout::Seed, Phase::Unproven);
    assert_eq!(story.state()["slices"][0]["status"], "in_progress");
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("implement_slice", "implementer"));
    assert!(story.core("/notes/0").as_str().unwrap().contains("S1 was called done"));
    story
}

fn broken() -> Story {
    let (mut world, _) = directory(Layout::Seed, Phase::Review);
    let text = world.files.get_mut(canonical::STATE).unwrap();
    text.truncate(100);
    let config = take(&world);
    let mut story = Story::in_world(config, world);
    story.go();
    assert_eq!(story.core("/reground/reason"), "files_distrusted");
    assert!(story.prompt().contains("truncated"));
    assert_eq!(story.state()["slices"][0]["slice_id"], "S1");
    assert_eq!(story.world.files[canonical::SLICE_HISTORY].lines().count(), 1);
    assert_eq!(story.due(), "regrounder");
    story
}

/// Unknown fields of the peer, as they were read.
pub fn extras(story: &Story) -> Vec<Extra> {
    let ProtocolConfig::Completion(config) = &story.config.mission else {
        panic!("another protocol")
    };
    let adopted = config.adopted.as_ref().unwrap();
    adopted.directory.state.as_ref().map(|state| state.extra.clone()).unwrap_or_default()
}
