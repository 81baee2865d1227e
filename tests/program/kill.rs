//! The driver is ended by SIGKILL at every durable step, before and in the middle of the write, and
//! what it leaves is resumed: each time the same end, and every fact recorded once.
//!
//! A run undisturbed is the reference. Then, for every step of it: a fresh repository is driven until
//! the kill; a copy of what is left is resumed (after a whole step), or the very directory (after half
//! of one, with whatever the dead driver left running). At last one mission is killed again and again
//! until it is done. Runs, times and what lost runs cost aside, nothing may differ.
//!
//! By default each step is killed once, in turn after the whole of it and in the middle of it;
//! `ENDSTATE_KILL_ALL=1` does both at each step.

use crate::binary;
use crate::binary::{Said, copy, facts, git, json, lines, said, text};
use endstate::native::store::{self, Places};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// A run waits more than it works.
const THREADS: usize = 4;
const MISSION: &str = "Two files say which they are";
const TEAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kill/team.yaml");
const PROJECT: [(&str, &str); 2] = [
    ("README.md", "Files that say which they are.\n"),
    ("Makefile", "test:\n\t@for f in *.txt; do test ! -e $$f || grep -q . $$f || exit 1; done\n"),
];

/// Begins the mission if there is none, and drives it. A crash point is counted through both.
fn start(root: &Path, crash: Option<(u64, bool)>) -> Said {
    let log = root.join(".git/steps");
    let steps = || fs::read_to_string(&log).unwrap_or_default().lines().count() as u64;
    let before = steps();
    let go = |arguments: &[&str]| {
        let mut command = binary::command(root, arguments);
        let left = crash.map(|(step, half)| (step.saturating_sub(steps() - before), half));
        if let Some((step, half)) = left.filter(|(step, _)| *step > 0) {
            command.env("ENDSTATE_CRASH_AT", format!("{step}{}", if half { ":half" } else { "" }));
        }
        said(command.env("ENDSTATE_CRASH_LOG", &log))
    };
    if !store::begun(&Places::of(root)).unwrap() {
        let begun = go(&["init", MISSION, "--judges", "1", "--name", "two files", "--json"]);
        if begun.status != Some(0) {
            return begun;
        }
    }
    let agent = format!("script:{TEAM}");
    go(&["run", MISSION, "--agent", &agent, "--json"])
}

/// The last step that the drivers of this repository came to, in the words of the log.
fn last_step(root: &Path) -> String {
    let log = fs::read_to_string(root.join(".git/steps")).unwrap_or_default();
    log.lines().last().unwrap_or("none").replace(text(root), "")
}

/// What may not depend on how often a driver died.
#[derive(Debug, PartialEq)]
struct End {
    /// Of the whole repository: every file of every commit, by content.
    tree: String,
    commits: Vec<String>,
    slices: Value,
    state: Value,
    records: Vec<Value>,
    judgements: Vec<Value>,
}

fn end(root: &Path) -> End {
    let agent = root.join(".agent");
    let mut state = json(&agent.join("state.json"));
    state["last_reground_at"] = Value::Null;
    End {
        tree: git(root, &["rev-parse", "HEAD^{tree}"]),
        commits: git(root, &["log", "--format=%H %s"]).lines().map(str::to_owned).collect(),
        slices: slices(&agent.join("plan.json")),
        state,
        records: timeless(&agent.join("slice-history.jsonl")),
        judgements: timeless(&agent.join("stop-check-history.jsonl")),
    }
}

/// The plan's slices; which runs proved them aside.
fn slices(path: &Path) -> Value {
    let mut slices = json(path)["candidate_slices"].clone();
    for slice in slices.as_array_mut().unwrap() {
        for evidence in slice["evidence"].as_array_mut().unwrap() {
            let text = evidence.as_str().unwrap();
            let (proof, rest) = text.split_once(" by runs ").unwrap();
            *evidence = json!(format!("{proof}: {}", rest.split_once(": ").unwrap().1));
        }
    }
    slices
}

/// The lines of a history without their times and runs; every run may stand in it once.
fn timeless(path: &Path) -> Vec<Value> {
    let mut runs = BTreeSet::new();
    let mut records = lines(path);
    for record in &mut records {
        let fields = record.as_object_mut().unwrap();
        fields.remove("recorded_at");
        if let Some(run) = fields.remove("run") {
            let role = fields.get("type").cloned().unwrap_or_default();
            assert!(
                runs.insert(format!("{run} {role}")),
                "{run} stands twice in {}",
                path.display()
            );
        }
    }
    records
}

/// Everything that must hold at the end, compared with the run that nobody disturbed.
fn check(root: &Path, reference: &End, crash: &str) {
    let found = end(root);
    assert_eq!(&found, reference, "{crash}");
    binary::settled(root, crash);
    assert_eq!(git(root, &["status", "--porcelain"]), "", "{crash}");
    assert_eq!(git(root, &["fsck", "--no-dangling", "--no-progress"]), "", "{crash}");
    accepted_once(root, crash);
}

/// Each fact has been recorded once: four for each slice, one for each judge.
fn accepted_once(root: &Path, crash: &str) {
    let records = lines(&root.join(".agent/slice-history.jsonl"));
    let kinds = records.iter().map(|one| (&one["slice_id"], &one["type"]));
    let mut seen = BTreeSet::new();
    for (slice, kind) in kinds {
        assert!(seen.insert(format!("{slice} {kind}")), "{crash}: {slice} {kind} twice");
    }
    assert_eq!(seen.len(), 8, "{crash}: {seen:?}");
}

fn undisturbed(root: &Path) -> (End, u64) {
    binary::repository(root, &PROJECT);
    let whole = start(root, None).expect(0);
    assert_eq!(whole.summary()["continuation"], json!("done"));
    let end = end(root);
    assert_eq!((end.records.len(), end.judgements.len()), (8, 1), "{end:#?}");
    check(root, &end, "undisturbed");
    let steps = fs::read_to_string(root.join(".git/steps")).unwrap();
    (end, steps.lines().count() as u64)
}

/// Drives a new mission until it is killed at `crash`, and resumes what is left. `false` if it was
/// done before it came to that step.
fn killed_at(folder: &Path, reference: &End, step: u64, half: bool) -> bool {
    let root = folder.join(format!("at {step}{}", if half { " half" } else { "" }));
    binary::repository(&root, &PROJECT);
    let dead = start(&root, Some((step, half)));
    let was_killed = dead.signal == Some(9);
    let at = format!("step {step}, half: {half} ({})", last_step(&root));
    let resumed = match half {
        true => root.clone(),
        false => {
            let resumed = folder.join(format!("after {step}"));
            copy(&root, &resumed);
            resumed
        }
    };
    let again = start(&resumed, None);
    assert_eq!(again.status, Some(0), "{at}: {again:#?}");
    check(&resumed, reference, &at);
    fs::remove_dir_all(&root).unwrap();
    let _ = fs::remove_dir_all(&resumed);
    was_killed
}

/// In memory where there is such a place: SIGKILL does not care, and it is faster.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

#[test]
fn a_driver_killed_at_any_step_comes_to_the_same_end() {
    let began = Instant::now();
    let folder = folder();
    let (reference, steps) = undisturbed(&folder.path().join("undisturbed"));
    let all = std::env::var_os("ENDSTATE_KILL_ALL").is_some();
    let points = (1..=steps).flat_map(|step| {
        let both = [(step, false), (step, true)];
        both.into_iter().filter(move |(_, half)| all || *half == (step % 2 == 0))
    });
    let points: Vec<(u64, bool)> = points.collect();
    let (next, kills) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let kill_and_resume = || {
        while let Some((step, half)) = points.get(next.fetch_add(1, Ordering::SeqCst)) {
            if killed_at(folder.path(), &reference, *step, *half) {
                kills.fetch_add(1, Ordering::SeqCst);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(kill_and_resume);
        }
    });
    let (kills, seconds) = (kills.into_inner(), began.elapsed().as_secs());
    println!("{steps} steps, killed {kills} of {} times, {seconds} s", points.len());
    // A few steps (a commit, a removal) write nothing that could be cut in half.
    assert!(kills >= points.len() * 8 / 10, "{kills} kills at {} points", points.len());
}

/// Kills one mission again and again until it is done: a driver that got no further than the one before
/// it is followed by one that lives a step longer, one that did by one that lives shorter. Answers with
/// how often, and with the most steps that one had to live.
fn chain(root: &Path, half: bool) -> (u64, u64) {
    // Finding the lock of the dead is the first step, and never ends.
    let (mut kills, mut longest, mut step) = (0, 0, 2);
    let mut size = 0;
    loop {
        let dead = start(root, Some((step, half)));
        match (dead.status, dead.signal) {
            (Some(0), None) => return (kills, longest),
            (None, Some(9)) => kills += 1,
            // Lost runs in a row are brought to the user, who says: once more.
            (Some(10), None) => drop(binary::endstate(root, &["answer", "retry"]).expect(0)),
            _ => panic!("step {step}, half: {half}: {dead:#?}"),
        }
        let grown = finished(root);
        longest = longest.max(step);
        step = if grown > size { step.saturating_sub(3).max(2) } else { step + 1 };
        size = size.max(grown);
        assert!(step < 60, "no progress, last at {}", last_step(root));
    }
}

/// How far the mission itself has come: runs and commands that ended. (Every driver that comes back
/// looks and writes again; that alone gets nobody further.)
fn finished(root: &Path) -> usize {
    if !store::begun(&Places::of(root)).unwrap() {
        return 0;
    }
    let answers = ["run_ended", "command_exited"];
    let good = |fact: &Value| {
        let data = &fact["data"];
        data["outcome"] != json!("lost") && data["problem"]["code"] != json!("run_lost")
    };
    let facts = facts(root);
    let of = |fact: &&Value| answers.contains(&fact["type"].as_str().unwrap()) && good(fact);
    facts.iter().filter(of).count()
}

#[test]
fn one_mission_killed_again_and_again_comes_to_the_same_end() {
    let began = Instant::now();
    let folder = folder();
    let (reference, steps) = undisturbed(&folder.path().join("undisturbed"));
    for half in [false, true] {
        let root: PathBuf = folder.path().join(format!("chain {half}"));
        binary::repository(&root, &PROJECT);
        let (kills, longest) = chain(&root, half);
        check(&root, &reference, "chain");
        let seconds = began.elapsed().as_secs();
        println!(
            "half: {half}, killed {kills} times, at step {longest} at the latest, {seconds} s"
        );
        assert!(kills > steps / 8, "{kills} kills, {steps} steps");
    }
}
