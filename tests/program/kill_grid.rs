//! The driver of the grid demo is ended by SIGKILL at durable steps, before and in the middle of the write,
//! and what it leaves is resumed: each time the same end, and everything recorded once.
//!
//! By default each kind of step is killed once, in turn after the whole of it and in the middle of it;
//! `ENDSTATE_KILL_ALL=1` does both at each step.

use crate::binary;
use crate::binary::{Said, facts, git, opened, processes, said};
use endstate::native::store::Places;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// A run waits more than it works.
const THREADS: usize = 4;
const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cli/demo");

fn demo(path: &str) -> String {
    fs::read_to_string(Path::new(DEMO).join(path)).unwrap()
}

/// The project of the demo.
fn project(root: &Path) {
    let files = [
        ("README.md", demo("grid/README.md")),
        ("tests/run.sh", demo("run.sh")),
        ("plans/01-01-PLAN.md", demo("grid/01-01-PLAN.md")),
        ("plans/01-02-PLAN.md", demo("grid/01-02-PLAN.md")),
        ("plans/01-03-PLAN.md", demo("grid/01-03-PLAN.md")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, &**text)).collect();
    binary::repository(root, &files);
}

/// The team of the demo. What it commits may be committed already, by a run that was lost.
fn team(folder: &Path) -> String {
    let mut text = String::new();
    for line in demo("grid/team.yaml").lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("- run: [git, add") {
            continue;
        }
        match trimmed.strip_prefix("- run: [git, commit, -q, -m, ") {
            Some(message) => {
                let indent = &line[..line.len() - trimmed.len()];
                text.push_str(&format!("{indent}- commit: {}\n", message.trim_end_matches(']')));
            }
            None => text.push_str(&format!("{line}\n")),
        }
    }
    let path = folder.join("team.yaml");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Drives until nothing is left but what the demo's user would not answer; a crash point counts steps of
/// all drivers together.
fn drive(root: &Path, team: &str, crash: Option<(u64, bool)>) -> Said {
    let log = root.join(".git/steps");
    let steps = || fs::read_to_string(&log).unwrap_or_default().lines().count() as u64;
    let agent = format!("script:{team}");
    let run = ["run", "--protocol", "grid", "plans", "--agent", &agent, "--json"];
    for _ in 0..12 {
        let mut command = binary::command(root, &run);
        let left = crash.map(|(step, half)| (step.saturating_sub(steps()), half));
        if let Some((step, half)) = left.filter(|(step, _)| *step > 0) {
            command.env("ENDSTATE_CRASH_AT", format!("{step}{}", if half { ":half" } else { "" }));
        }
        let ended = said(command.env("ENDSTATE_CRASH_LOG", &log));
        if ended.status != Some(10) {
            return ended;
        }
        let answered = ["plain", "accept", "retry"]
            .into_iter()
            .any(|words| binary::endstate(root, &["answer", words]).status == Some(0));
        assert!(answered, "nobody knows an answer: {ended:#?}");
    }
    panic!("asked again and again");
}

/// What may not depend on whether a driver died.
#[derive(Debug, PartialEq)]
struct End {
    /// Every file of the last commit, by content.
    tree: String,
    blocks: BTreeMap<String, String>,
    settled: (u64, u64),
    waves: Vec<String>,
}

fn end(root: &Path) -> End {
    let view = opened(root).engine.view();
    let state = fs::read_to_string(root.join(".grid/STATE.md")).unwrap();
    End {
        tree: git(root, &["rev-parse", "HEAD^{tree}"]),
        blocks: view.nodes.iter().map(|one| (one.id.clone(), format!("{:?}", one.state))).collect(),
        settled: (view.progress.settled, view.progress.total),
        waves: state.lines().filter(|line| line.contains("|--")).map(headless).collect(),
    }
}

/// A line of the tree without the commit it names.
fn headless(line: &str) -> String {
    line.split(" at ").next().unwrap_or_default().to_owned()
}

/// Everything that must hold at the end.
fn check(root: &Path, reference: &End, crash: &str) {
    assert_eq!(&end(root), reference, "{crash}");
    binary::settled(root, crash);
    assert_eq!(git(root, &["status", "--porcelain"]), "", "{crash}");
    let checked = binary::endstate(root, &["check", "--json"]);
    assert_eq!(checked.status, Some(0), "{crash}: {}", checked.stdout);
    let mut answered = BTreeSet::new();
    for fact in facts(root).iter().filter(|fact| fact["type"] == "run_ended") {
        let run = fact["data"]["effect"].as_str().unwrap().to_owned();
        assert!(answered.insert(run), "{crash}: a run was answered twice: {fact}");
    }
    once(root, crash);
}

/// Each entry of the scratchpad stands once in the archive for its run, and what was learned was learned
/// once.
fn once(root: &Path, crash: &str) {
    let learned = fs::read_to_string(root.join(".grid/LEARNINGS.md")).unwrap();
    assert_eq!(learned.matches("## Entry: ").count(), 1, "{crash}: {learned}");
    let archive = fs::read_to_string(root.join(".grid/SCRATCHPAD_ARCHIVE.md")).unwrap();
    let entries: Vec<&str> = archive.split("\n### ").skip(1).collect();
    let different: BTreeSet<&&str> = entries.iter().collect();
    assert_eq!(different.len(), entries.len(), "{crash}: {archive}");
    let waves = archive.lines().filter(|line| line.starts_with("wave: ")).count();
    assert_eq!(waves, 2, "{crash}: {archive}");
}

/// Where to kill: every step, or each kind of it once.
fn points(steps: &[String]) -> Vec<(u64, bool)> {
    let all = (1..).zip(steps);
    if std::env::var_os("ENDSTATE_KILL_ALL").is_some() {
        return all.flat_map(|(step, _)| [(step, false), (step, true)]).collect();
    }
    let mut kinds: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (step, line) in all {
        let kind: String = line.chars().filter(|one| !one.is_ascii_digit()).collect();
        let words: Vec<&str> = kind.split_whitespace().collect();
        let name = words.last().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
        let what = words.first().copied().unwrap_or_default();
        kinds.entry(format!("{what} {name}")).or_default().push(step);
    }
    let one = |(nth, at): (usize, &Vec<u64>)| (at[(nth * 7) % at.len()], nth % 2 == 1);
    kinds.values().enumerate().map(one).collect()
}

#[test]
fn a_grid_driver_killed_at_durable_steps_comes_to_the_same_end() {
    let began = Instant::now();
    // In memory where there is such a place: SIGKILL does not care, and it is faster.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let team = team(folder.path());
    let calm = folder.path().join("undisturbed");
    project(&calm);
    let whole = drive(&calm, &team, None).expect(0);
    assert_eq!(whole.summary()["continuation"], "done");
    let reference = end(&calm);
    assert_eq!((reference.blocks.len(), reference.settled), (4, (6, 6)), "{reference:#?}");
    check(&calm, &reference, "undisturbed");
    let log = fs::read_to_string(calm.join(".git/steps")).unwrap();
    let steps: Vec<String> = log.lines().map(str::to_owned).collect();
    let points = points(&steps);
    let (next, kills) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let kill_and_resume = || {
        while let Some((step, half)) = points.get(next.fetch_add(1, Ordering::SeqCst)) {
            let root = folder.path().join(format!("at {step} {half}"));
            project(&root);
            let dead = drive(&root, &team, Some((*step, *half)));
            if dead.signal == Some(9) {
                kills.fetch_add(1, Ordering::SeqCst);
            }
            let at = format!("step {step}, half: {half}");
            let again = drive(&root, &team, None);
            assert_eq!(again.status, Some(0), "{at}: {again:#?}");
            check(&root, &reference, &at);
            fs::remove_dir_all(&root).unwrap();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(kill_and_resume);
        }
    });
    let (kills, seconds) = (kills.into_inner(), began.elapsed().as_secs());
    binary::say(&format!(
        "grid: {} steps, killed {kills} of {} times, {seconds} s",
        steps.len(),
        points.len()
    ));
    // A few steps (a removal) write nothing that could be cut in half.
    assert!(kills >= points.len() * 7 / 10, "{kills} kills at {} points", points.len());
}

/// An executor that says something, is told when its driver is dead, says more, and never ends by itself.
const TALKER: &str = r#"#!/bin/sh
cat > /dev/null
[ "$ENDSTATE_VISIT" = 1 ] || exit 1
say() {
  printf '{"endstate":"progress","kind":"scratchpad","text":"{\\"category\\":\\"PROGRESS\\",\\"finding\\":\\"%s\\"}"}\n' "$1"
}
say 'early one'; say 'early two'; say 'twice'; say 'twice'; echo 'only a line'
until [ -e .git/more ]; do sleep 0.05; done
say 'late one'; say 'late two'; printf '{"endstate":"progress","kind":"scratchpad","text":"half of'
touch .git/said
sleep 600
"#;

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed().as_secs() < 60, "never: {what}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn what_a_lost_run_wrote_to_the_scratchpad_is_journaled_once() {
    let folder = tempfile::tempdir().unwrap();
    let (root, talker) = (folder.path().join("project"), folder.path().join("talker"));
    binary::repository(&root, &[("plans/01-01-PLAN.md", &demo("grid/01-01-PLAN.md"))]);
    fs::write(&talker, TALKER).unwrap();
    let agent = format!("exec:sh {}", talker.display());
    let run = ["run", "--protocol", "grid", "plans", "--agent", &agent, "--json"];
    let mut driver =
        binary::command(&root, &run).stdout(std::process::Stdio::null()).spawn().unwrap();
    let journal = Places::of(&root).journal();
    let heard = || fs::read_to_string(&journal).unwrap_or_default().contains("early two");
    until("the first entries are journaled", heard);
    driver.kill().unwrap();
    driver.wait().unwrap();
    fs::write(root.join(".git/more"), "").unwrap();
    until("the run has said more", || root.join(".git/said").exists());
    processes(&root).into_iter().for_each(binary::kill);
    let asked = binary::endstate(&root, &["run", "--agent", &agent, "--json"]).expect(10);
    assert_eq!(asked.summary()["scratchpad_entries"], 5, "{}", asked.stdout);
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for fact in facts(&root).iter().filter(|fact| fact["type"] == "run_progressed") {
        for entry in fact["data"]["entries"].as_array().unwrap() {
            let text = entry["text"].as_str().unwrap();
            let said: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
            if let Some(finding) = said["finding"].as_str() {
                *times.entry(finding.to_owned()).or_default() += 1;
            }
        }
    }
    let all = [("early one", 1), ("early two", 1), ("late one", 1), ("late two", 1), ("twice", 2)];
    assert_eq!(times, all.map(|(finding, count)| (finding.to_owned(), count)).into());
    let page = fs::read_to_string(root.join(".grid/SCRATCHPAD.md")).unwrap();
    assert_eq!((page.matches("late two").count(), page.matches("twice").count()), (1, 1), "{page}");
    assert_eq!(processes(&root), Vec::<u32>::new());
}

#[test]
fn what_a_dead_driver_left_at_work_keeps_no_command_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    binary::repository(&root, &[("plans/01-01-PLAN.md", &demo("grid/01-01-PLAN.md"))]);
    let agent = "exec:sleep 600";
    let run = ["run", "--protocol", "grid", "plans", "--agent", agent, "--json"];
    let mut driver =
        binary::command(&root, &run).stdout(std::process::Stdio::null()).spawn().unwrap();
    let journal = Places::of(&root).journal();
    let begun = || fs::read_to_string(&journal).unwrap_or_default().contains("run_started");
    until("the run begins", begun);
    driver.kill().unwrap();
    driver.wait().unwrap();
    let skip = ["skip", "01-01", "--reason", "not needed", "--json"];
    // The run lives on, and is the next driver's: only the user's word ends it.
    let refused = binary::endstate(&root, &skip).expect(13);
    assert_eq!(refused.summary()["error"]["code"], "item_active");
    assert_ne!(processes(&root), Vec::<u32>::new());
    binary::endstate(&root, &["kill", "--json"]).expect(0);
    assert_eq!(processes(&root), Vec::<u32>::new());
    binary::endstate(&root, &skip).expect(0);
    let status = binary::endstate(&root, &["status"]).expect(0);
    assert!(status.stdout.contains("skipped"), "{}", status.stdout);
    assert_eq!(processes(&root), Vec::<u32>::new());
}
