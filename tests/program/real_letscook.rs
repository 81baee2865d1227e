//! Real input: directories that the peer wrote, in the repository they belong to, adopted through the
//! command line and carried on by a small agent that works for real (`tests/letscook/agent.sh`).
//!
//! The corpus lies beside the repository and is no part of it; where it is absent nothing is tested,
//! and the output says so.

use crate::binary;
use crate::binary::{Said, copy, endstate, git, identity, json, lines, opened, said, write};
use endstate::native::store::Places;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const AGENT: &str = concat!("exec:sh ", env!("CARGO_MANIFEST_DIR"), "/tests/letscook/agent.sh");
const ANCHOR: &str = "Add a greeting file with a test for it.";
const INIT: &str = "f7d7ec0";
const GREETING: &str = "bbecb75";

fn corpus() -> Option<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/letscook");
    if !corpus.is_dir() {
        binary::say(&format!("SKIPPED: the corpus is absent ({})", corpus.display()));
        return None;
    }
    Some(corpus)
}

/// The peer's repository at `commit`, with one of its directories laid into it.
fn laid(corpus: &Path, phase: &str, commit: &str, root: &Path) {
    let mut clone = Command::new("git");
    clone.args(["clone", "-q"]).arg(corpus.join("repo.bundle")).arg(root);
    assert_eq!(said(&mut clone).status, Some(0));
    git(root, &["checkout", "-q", "-B", "work", commit]);
    identity(root);
    copy(&corpus.join("0.1.91-phases").join(phase).join(".agent"), root);
}

fn run(root: &Path) -> Said {
    endstate(root, &["run", "--agent", AGENT, "--json"])
}

/// The roles that were really played, in order.
fn played(root: &Path) -> Vec<String> {
    let text = fs::read_to_string(root.join(".git/played")).unwrap_or_default();
    let role = |line: &str| line.trim().trim_start_matches("completion-").to_owned();
    text.lines().map(role).collect()
}

/// A mission that is done, whole, and consistent everywhere one can look.
fn done(root: &Path, what: &str) {
    let mission = opened(root).engine;
    assert_eq!(mission.continuation(), endstate::Continuation::Done, "{what}");
    assert_eq!(git(root, &["status", "--porcelain"]), "", "{what}");
    let journal = fs::read(Places::of(root).journal()).unwrap();
    let replayed = endstate::replay(&journal).unwrap();
    assert!(replayed.divergence.is_none() && replayed.torn_bytes == 0, "{what}");
    let checked = endstate(root, &["check", "--json"]);
    assert_eq!(checked.status, Some(0), "{what}: {checked:#?}");
    let state = json(&root.join(".agent/state.json"));
    assert_eq!(state["project_done"], json!(true), "{what}");
}

#[test]
fn the_mission_of_the_peer_is_carried_to_its_end() {
    let Some(corpus) = corpus() else { return };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repo");
    laid(&corpus, "implement-completion-implementer-w0-h0", INIT, &root);
    let adopted = endstate(&root, &["adopt", "--json"]).expect(0).summary();
    assert_eq!(adopted["next_role"], json!("completion-implementer"));
    let last = run(&root).expect(0).summary();
    assert_eq!((&last["continuation"], &last["items_done"]), (&json!("done"), &json!(1)));
    done(&root, "the whole way");
    let roles = ["implementer S1", "reviewer S1", "auditor S1", "regrounder"];
    let judges = usize::try_from(judges(&root)).unwrap();
    let stops = vec!["stop-judge"; judges];
    assert_eq!(played(&root), [&roles[..], &stops, &["regrounder"]].concat());
    assert_eq!(fs::read_to_string(root.join("hello.txt")).unwrap(), "hello\n");
    // The contract files, and then the slice; nothing else was committed.
    let commits = git(&root, &["log", "--format=%s", &format!("{INIT}..HEAD")]);
    assert_eq!(
        commits.lines().collect::<Vec<_>>(),
        ["S1: greeting", "Add the completion contract files"]
    );
    assert_eq!(git(&root, &["diff", "--name-only", "HEAD~1", "HEAD"]), "hello.txt");
    histories(&root, judges);
    // What we do not know is kept.
    let state = json(&root.join(".agent/state.json"));
    assert_eq!(state["workflow_session_id"], json!("wf-mwpi8fgj-mfrso2"));
}

fn judges(root: &Path) -> u64 {
    json(&root.join(".agent/profile.json"))["required_stop_judges"].as_u64().unwrap()
}

/// Four records of one commit, and as many judgements of it as the profile asks for.
fn histories(root: &Path, judges: usize) {
    let head = json!(git(root, &["rev-parse", "HEAD"]));
    let records = lines(&root.join(".agent/slice-history.jsonl"));
    let kinds: Vec<&Value> = records.iter().map(|one| &one["type"]).collect();
    assert_eq!(kinds, ["implemented", "reviewed", "audited", "accepted"]);
    for record in &records {
        assert_eq!((&record["slice_id"], &record["commit_sha"]), (&json!("S1"), &head), "{record}");
    }
    let judgements = lines(&root.join(".agent/stop-check-history.jsonl"));
    assert_eq!(judgements.len(), judges);
    for one in judgements {
        assert_eq!((&one["head_sha"], &one["can_stop"]), (&head, &json!(true)), "{one}");
    }
}

/// Where the peer stood, at which commit, whose turn it is by our rules, and by which.
const PHASES: [(&str, &str, &str, &str); 8] = [
    ("reground-completion-regrounder-w0-h0", INIT, "regrounder", "reground_distrusted_state"),
    ("implement-completion-implementer-w0-h0", INIT, "implementer", "implement_slice"),
    ("post_commit_review-completion-reviewer-w0-h1", GREETING, "reviewer", "review_commit"),
    ("post_commit_audit-completion-auditor-w0-h2", GREETING, "auditor", "audit_commit"),
    (
        "post_commit_reconcile-completion-regrounder-w0-h3",
        GREETING,
        "regrounder",
        "reground_to_reconcile",
    ),
    ("stop_wave-completion-stop-judge-w1-h4", GREETING, "stop-judge", "judge_stop"),
    // Judgements of others count for nothing, so the two of these are asked again; and a mission
    // that the peer called done goes to the stop judges.
    ("stop_wave-completion-stop-judge-w1-h6", GREETING, "stop-judge", "judge_stop"),
    ("done-none-w1-h6", GREETING, "stop-judge", "judge_stop"),
];

/// Whose turn it is, said by `adopt`, by `why`, and by the state file.
fn turn(root: &Path, phase: &str, role: &str, rule: &str) {
    let adopted = endstate(root, &["adopt", "--json"]);
    assert_eq!(adopted.status, Some(0), "{phase}: {adopted:#?}");
    let said = adopted.summary();
    let role = format!("completion-{role}");
    assert_eq!((&said["next_role"], &said["rule"]), (&json!(role), &json!(rule)), "{phase}");
    let why = endstate(root, &["why", "--json"]).expect(0).summary();
    assert_eq!(why["unblock"]["rule"], json!(rule), "{phase}: {why}");
    assert_eq!(why["unblock"]["hint"], json!("start the mission"), "{phase}: {why}");
    let chosen = why["others"].as_array().unwrap().iter().find(|one| one["name"] == json!(rule));
    assert_eq!(chosen.unwrap()["against"], Value::Null, "{phase}: {why}");
    for other in why["others"].as_array().unwrap() {
        let before = other["rule"].as_u64() < chosen.unwrap()["rule"].as_u64();
        assert!(!before || other["against"].is_object(), "{phase}: {other}");
    }
    let state = json(&root.join(".agent/state.json"));
    assert_eq!(state["next_mandatory_role"], json!(role), "{phase}");
    let checked = endstate(root, &["check", "--json"]);
    assert_eq!(checked.status, Some(0), "{phase}: {checked:#?}");
}

#[test]
fn every_phase_of_the_peer_goes_on_where_it_stood() {
    let Some(corpus) = corpus() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (phase, commit, role, rule) in PHASES {
        let root = folder.path().join(phase);
        laid(&corpus, phase, commit, &root);
        turn(&root, phase, role, rule);
        let slices = opened(&root).engine;
        assert_eq!(slices.view().title, ANCHOR);
        let last = run(&root);
        // What the peer recorded as shown is a claim here.
        let ended = matches!(last.status, Some(0 | 4));
        assert!(ended, "{phase}: {last:#?}\nplayed {:?}", played(&root));
        assert_eq!(played(&root)[0].split(' ').next(), Some(role), "{phase}");
        done(&root, phase);
        let judged = played(&root).iter().filter(|one| *one == "stop-judge").count() as u64;
        assert_eq!(judged, judges(&root), "{phase}");
    }
}

#[test]
fn a_done_slice_whose_records_name_no_ancestor_is_done_no_more() {
    let Some(corpus) = corpus() else { return };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repo");
    // The peer's last state, in a repository that never had the commit it speaks of.
    laid(&corpus, "done-none-w1-h6", INIT, &root);
    let said = endstate(&root, &["adopt", "--json"]).expect(0).summary();
    assert_eq!(said["items_done"], json!(0), "{said}");
    assert_ne!(said["next_role"], json!("completion-stop-judge"), "{said}");
    run(&root).expect(0);
    done(&root, "from no ancestor");
    assert!(played(&root).contains(&"implementer S1".to_owned()), "{:?}", played(&root));
}

#[test]
fn a_fresh_directory_and_one_of_the_seed_begin_with_a_reground() {
    let Some(corpus) = corpus() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (name, from, to) in
        [("fresh", "0.1.91-fresh/current", ".agent"), ("seed", "seed-era/.agent", "")]
    {
        let root = folder.path().join(name);
        binary::repository(&root, &[("README.md", "new\n")]);
        fs::create_dir_all(root.join(to)).unwrap();
        copy(&corpus.join(from), &root.join(to));
        if name == "seed" {
            write(&root.join(".gitignore"), fs::read(corpus.join("seed-era/.gitignore")).unwrap());
            git(&root, &["add", "-A"]);
            git(&root, &["commit", "-q", "-m", "the contract files of the seed"]);
        }
        turn(&root, name, "regrounder", "reground_distrusted_state");
        let judges = if name == "seed" { 3 } else { judges(&root) };
        assert_eq!(json(&root.join(".agent/state.json"))["remaining_stop_judges"], json!(judges));
        assert_eq!(git(&root, &["status", "--porcelain"]), "", "{name}");
        let tracked = git(&root, &["ls-files", ".agent"]);
        assert_eq!(tracked.lines().count(), 5, "{name}: {tracked}");
    }
}
