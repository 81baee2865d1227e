//! The driver of a sprint mission is ended by SIGKILL at its durable steps, before and in the middle of the
//! write, and what it leaves is resumed: each time the same end.
//!
//! A run undisturbed is the reference. By default every other step is killed, in turn after the whole of it
//! and in the middle of it; `ENDSTATE_KILL_ALL=1` does both at each step.
//!
//! The parallel demo is killed by the clock, too: the driver alone, and the driver with all it started. It
//! comes to its end with the same tree, and no attempt is spent on a death that was the driver's.

use crate::binary;
use crate::binary::{Said, facts, git, opened, processes, said};
use endstate::Continuation;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

const THREADS: usize = 3;
const PLAN: &str = "---\nfeature_name: OPERATION NINE LIVES\n---\n\n# Two files\n\n## Sprint 1: One\n\n**Tasks**:\n1. Write \
    `one.txt`.\n\n**Exit criteria**:\n- [ ] `grep -q one one.txt` succeeds\n- [ ] The file says which it is\n\n## Sprint 2: \
    Two\n\n**Tasks**:\n1. Write `two.txt`.\n\n**Exit criteria**:\n- [ ] `grep -q two two.txt` succeeds\n";

/// Nothing here counts visits, so that it does the right thing again after any number of lost runs. Each commits
/// its own file only: the supervisor's files have times in them.
const TEAM: &str = r#"
runs:
  - when: {role: agent, item: plan/1}
    do:
      - progress: at work
      - sleep_ms: 100
      - write: {path: one.txt, text: "one\n"}
      - run: [sh, -c, "git add one.txt && (git diff --cached --quiet || git commit -q -m One)"]
    report:
      block:
        sprint: plan/1
        outcome: completed
        claims: [{criterion: AC-002, status: complete, evidence: [{kind: file, path: one.txt, line: 1}]}]
  - when: {role: verifier}
    report:
      block:
        sprint: plan/1
        verdicts: [{criterion: AC-002, finding: holds, method: read it, evidence: [{kind: file, path: one.txt, line: 1}]}]
  - when: {role: agent, item: plan/2}
    do:
      - write: {path: two.txt, text: "two\n"}
      - run: [sh, -c, "git add two.txt && (git diff --cached --quiet || git commit -q -m Two)"]
    report: {block: {sprint: plan/2, outcome: completed}}
"#;

fn made(root: &Path) {
    binary::repository(root, &[("README.md", "Two files.\n"), ("EXECUTION_PLAN.md", PLAN)]);
    binary::write(&root.join(".git/team.yaml"), TEAM);
}

/// Begins the mission if there is none, and drives it, resuming what rests.
fn start(root: &Path, crash: Option<&str>) -> Said {
    let line = [
        "run",
        "--protocol",
        "sprint",
        "--trust",
        "--poll",
        "1",
        "--agent",
        "script:.git/team.yaml",
        "--json",
    ];
    let mut command = binary::command(root, &line);
    command.current_dir(root);
    if let Some(crash) = crash {
        command.env("ENDSTATE_CRASH_AT", crash);
    }
    said(command.env("ENDSTATE_CRASH_LOG", root.join(".git/steps")))
}

/// What may not depend on how often a driver died.
#[derive(Debug, PartialEq)]
struct End {
    tree: String,
    commits: String,
    statuses: Vec<String>,
    criteria: u64,
}

fn end(root: &Path) -> End {
    let view = opened(root).engine.view();
    End {
        tree: git(root, &["rev-parse", "HEAD^{tree}"]),
        commits: git(root, &["log", "--format=%s"]),
        statuses: view.nodes.iter().map(|node| format!("{} {}", node.id, node.status)).collect(),
        criteria: view.progress.settled,
    }
}

fn check(root: &Path, reference: &End, crash: &str) {
    assert_eq!(&end(root), reference, "{crash}");
    binary::settled(root, crash);
    // Every decision stands in the log once.
    let log = fs::read_to_string(root.join(".agent/sprint/decisions.jsonl")).unwrap();
    let mut ids: Vec<&str> = log.lines().map(|line| line.split(',').next().unwrap()).collect();
    let all = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), all, "{crash}: {log}");
    // A run that ended was taken once.
    let ended = facts(root).into_iter().filter(|fact| fact["type"] == "run_ended");
    let mut runs: Vec<String> = ended.map(|fact| fact["data"]["effect"].to_string()).collect();
    let all = runs.len();
    runs.sort();
    runs.dedup();
    assert_eq!(runs.len(), all, "{crash}");
}

#[test]
fn a_sprint_driver_killed_at_any_step_comes_to_the_same_end() {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let root = folder.path().join("undisturbed");
    made(&root);
    start(&root, None).expect(0);
    let reference = end(&root);
    check(&root, &reference, "undisturbed");
    let steps = fs::read_to_string(root.join(".git/steps")).unwrap().lines().count();
    let points: Vec<String> = match std::env::var_os("ENDSTATE_KILL_ALL").is_some() {
        true => (1..=steps).flat_map(|step| [step.to_string(), format!("{step}:half")]).collect(),
        false => (1..=steps)
            .step_by(2)
            .map(|step| format!("{step}{}", if step % 4 == 1 { ":half" } else { "" }))
            .collect(),
    };
    let (left, kills) = (Mutex::new(points.clone()), Mutex::new(0));
    let work = || {
        loop {
            let Some(point) = left.lock().unwrap().pop() else { return };
            let root = folder.path().join(point.replace(':', "-"));
            made(&root);
            if start(&root, Some(&point)).signal == Some(9) {
                *kills.lock().unwrap() += 1;
            }
            let log = fs::read_to_string(root.join(".git/steps")).unwrap_or_default();
            let at = format!("step {point} ({})", log.lines().last().unwrap_or("none"));
            let again = start(&root, None);
            assert_eq!(again.status, Some(0), "{at}: {again:#?}");
            check(&root, &reference, &at);
            fs::remove_dir_all(&root).unwrap();
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().for_each(|one| one.join().unwrap());
    });
    let kills = kills.into_inner().unwrap();
    println!("{steps} steps, killed {kills} of {} times", points.len());
    assert!(kills >= points.len() * 8 / 10, "{kills} kills at {} points", points.len());
}

/// The project of the demo as it stands in the sources.
const DEMO: [(&str, &str); 4] = [
    ("README.md", include_str!("../../src/cli/demo/sprint/README.md")),
    ("Makefile", include_str!("../../src/cli/demo/sprint/Makefile")),
    ("ops/mirrored.sh", include_str!("../../src/cli/demo/sprint/mirrored.sh")),
    ("EXECUTION_PLAN.md", include_str!("../../src/cli/demo/sprint/EXECUTION_PLAN.md")),
];

fn demo(root: &Path) {
    binary::repository(root, &DEMO);
    binary::write(
        &root.join(".git/team.yaml"),
        include_str!("../../src/cli/demo/sprint/team.yaml"),
    );
}

fn drive(root: &Path) -> Command {
    let line = ["run", "--protocol", "sprint", "--trust", "--poll", "1", "--build", "make test"];
    let more = ["--agent", "script:.git/team.yaml", "--json"];
    let mut command = binary::command(root, &[&line[..], &more[..]].concat());
    command.current_dir(root);
    command
}

/// Ends the driver with all that it started: what it started carries the root in its environment.
fn kill(root: &Path, driver: &mut std::process::Child, all: bool) {
    driver.kill().unwrap();
    driver.wait().unwrap();
    if all {
        for pid in processes(root) {
            let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
    }
}

/// Drives the demo to its end as its user does: what is blocked is resumed, what is asked is answered.
fn carried(root: &Path, at: &str) {
    for _ in 0..12 {
        let ended = said(&mut drive(root));
        let opened = opened(root);
        match opened.engine.continuation() {
            Continuation::Done => return,
            Continuation::AwaitUserInput => {
                binary::endstate(root, &["answer", "--json", "done, seen"]);
            }
            Continuation::Blocked | Continuation::Paused => {}
            Continuation::Continue => panic!("{at}: {ended:#?}"),
        }
    }
    panic!("{at}: {:#?}", opened(root).engine.view());
}

/// The tree of what was made; and whether an attempt was spent beyond those that the team itself fails.
fn outcome(root: &Path, at: &str) -> (String, String) {
    let opened = opened(root);
    assert_eq!(opened.engine.continuation(), Continuation::Done, "{at}");
    assert_eq!(processes(root), Vec::<u32>::new(), "{at}: processes are left");
    let state = serde_json::to_value(opened.engine.snapshot()).unwrap();
    let sprints = state["mission"]["state"]["sprints"].as_array().unwrap().clone();
    for (id, most) in [("words/1", 2), ("words/2", 0), ("page/1", 3), ("page/2", 0)] {
        let found = sprints.iter().find(|sprint| sprint["id"] == id).unwrap();
        let failures = found["failures"].as_u64().unwrap();
        assert!(failures <= most, "{at}: {id} failed {failures} times: {:#}", found["tries"]);
    }
    (git(root, &["rev-parse", "HEAD:words"]), git(root, &["rev-parse", "HEAD:page"]))
}

#[test]
fn the_parallel_demo_killed_at_any_moment_comes_to_the_same_end() {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let root = folder.path().join("undisturbed");
    demo(&root);
    // The first driver ends where the demo's user must resume.
    let began = Instant::now();
    said(&mut drive(&root));
    let whole = began.elapsed();
    carried(&root, "undisturbed");
    let reference = outcome(&root, "undisturbed");
    let count = if std::env::var_os("ENDSTATE_KILL_ALL").is_some() { 60 } else { 6 };
    let (next, kills) = (Mutex::new(0), Mutex::new(0));
    let work = || {
        loop {
            let place = {
                let mut next = next.lock().unwrap();
                if *next == count {
                    return;
                }
                *next += 1;
                *next
            };
            let root = folder.path().join(format!("moment-{place}"));
            demo(&root);
            let moment = whole * place / (count + 1);
            let all = place % 2 == 0;
            let at = format!("killed after {moment:?}, all {all}");
            let mut command = drive(&root);
            command.stdout(Stdio::null()).stderr(Stdio::null());
            let mut driver = command.spawn().unwrap();
            // The moment is what is tried here, so that nothing can be waited for but the clock.
            std::thread::sleep(moment);
            if driver.try_wait().unwrap().is_none() {
                *kills.lock().unwrap() += 1;
            }
            kill(&root, &mut driver, all);
            carried(&root, &at);
            assert_eq!(outcome(&root, &at), reference, "{at}");
            fs::remove_dir_all(&root).unwrap();
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().for_each(|one| one.join().unwrap());
    });
    let kills = kills.into_inner().unwrap();
    binary::say(&format!("the demo takes {whole:?}; killed {kills} of {count} times"));
    assert!(kills > 0, "no driver was alive when it was to be killed");
}
