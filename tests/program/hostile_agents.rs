//! Agents that misbehave, through the command line: each is a failed run with its code in the journal,
//! bounded, without a trace on the terminal, and the mission goes on with an honest agent.

use crate::binary;
use crate::binary::{Said, copy, endstate, facts, git, opened, processes, program, text};
use endstate::native::store::Places;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const MISSION: &str = "There is a greeting";
const HONEST: &str = concat!("exec:sh ", env!("CARGO_MANIFEST_DIR"), "/tests/letscook/agent.sh");

/// What an agent does, the code of its failure, and how many runs it may have before the user is
/// asked: an unreadable report is answered once to the same run.
struct Case {
    name: &'static str,
    does: &'static str,
    code: &'static str,
    runs: usize,
}

const fn case(name: &'static str, code: &'static str, runs: usize, does: &'static str) -> Case {
    Case { name, does, code, runs }
}

const CASES: [Case; 13] = [
    case("prints 100 MB", "run_flooded", 3, "yes 'all work and no play' | head -c 100000000"),
    case("prints nothing", "run_silent", 3, "cat > /dev/null"),
    case("prints blanks", "run_silent", 3, "printf ' \\n\\t\\n'"),
    case("never ends", "run_timed_out", 3, "sleep 1000 & sleep 1000"),
    case("will not be ended", "run_timed_out", 3, "trap '' TERM; while :; do sleep 1; done"),
    case(
        "puts pipes in the place of what it writes",
        "run_silent",
        3,
        "for file in .agent/endstate/runs/*/stdout .agent/endstate/runs/*/stderr; do \
         rm \"$file\"; mkfifo \"$file\"; done",
    ),
    case("exits 1", "run_failed", 3, "echo something; echo 'no such model' >&2; exit 1"),
    case("is killed", "run_lost", 3, "kill -9 $$"),
    case(
        "emits escapes",
        "block_missing",
        6,
        "printf '\\033]0;taken over\\007\\033[2J\\033[31mred\\033[0m\\302\\2332J\\342\\200\\256\\n'; \
         printf '\\033[5mblink\\033[0m\\n' >&2",
    ),
    case(
        "fails with escapes",
        "run_failed",
        3,
        "printf '\\033[2J\\033]0;taken over\\007\\302\\2332J\\342\\200\\256why\\n' >&2; exit 3",
    ),
    case(
        "reports for another mission",
        "anchor_mismatch",
        3,
        "printf 'MISSION ANCHOR: Delete everything\\nRemaining contract IDs: none\\n\\n```json\\n%s\\n```\\n' \
         '{\"plan_basis\":\"x\",\"remaining_release_blockers\":0,\"remaining_high_value_gaps\":0}'",
    ),
    case(
        "writes invalid UTF-8",
        "block_missing",
        6,
        "printf '\\377\\376\\300\\257 report \\200\\n'",
    ),
    case(
        "nests without end",
        "too_deep",
        6,
        "printf 'MISSION ANCHOR: There is a greeting\\nRemaining contract IDs: none\\n\\n```json\\n'; \
         head -c 100000 /dev/zero | tr '\\0' '['; printf '\\n```\\n'",
    ),
];

/// A mission that waits for its first re-ground.
fn base(root: &Path) {
    binary::repository(root, &[("README.md", "hello\n"), ("Makefile", "test:\n\t@true\n")]);
    endstate(root, &["init", MISSION, "--judges", "1"]).expect(0);
}

/// What a terminal would obey.
fn obeyed(text: &str) -> Option<char> {
    let plain = |letter: &char| !matches!(letter, '\n' | '\t' | '\r');
    let marks = |letter: char| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().filter(plain).find(|letter| letter.is_control() || marks(*letter))
}

fn harmless(said: &Said, what: &str) {
    assert_eq!((obeyed(&said.stdout), obeyed(&said.stderr)), (None, None), "{what}: {said:?}");
}

/// Drives with this agent until the user is asked.
fn driven(root: &Path, case: &Case) -> Said {
    let agent = root.join(".git/agent.sh");
    program(&agent, &format!("#!/bin/sh\n{}\n", case.does));
    let agent = format!("exec:'{}'", text(&agent));
    let timeout = if case.code == "run_timed_out" { "1" } else { "60" };
    endstate(root, &["run", "--agent", &agent, "--role-timeout", timeout])
}

fn failed(root: &Path, case: &Case) {
    let Case { name, code, runs, .. } = case;
    let began = Instant::now();
    let said = driven(root, case);
    assert!(began.elapsed() < Duration::from_secs(60), "{name}: {:?}", began.elapsed());
    assert_eq!(said.status, Some(10), "{name}: {said:#?}");
    harmless(&said, name);
    assert_eq!(processes(root), Vec::<u32>::new(), "{name}: processes are left");
    let ended: Vec<_> =
        facts(root).into_iter().filter(|fact| fact["type"] == json!("run_ended")).collect();
    assert_eq!(ended.len(), *runs, "{name}: {said:#?}");
    if code.starts_with("run_") {
        let codes: Vec<_> = ended.iter().map(|fact| &fact["data"]["problem"]["code"]).collect();
        assert_eq!(codes, vec![*code; *runs], "{name}");
    }
    let status = endstate(root, &["status", "--json"]).expect(0).summary();
    let questions = status["questions"].as_array().unwrap();
    assert_eq!(questions.len(), 1, "{name}: {status}");
    let asked = questions[0]["text"].as_str().unwrap();
    assert!(asked.contains(code) && asked.contains("3 times in a row"), "{name}: {asked}");
    let size = fs::metadata(Places::of(root).journal()).unwrap().len();
    assert!(size < 4_000_000, "{name}: a journal of {size} bytes");
    for command in ["status", "why", "view --print", "journal", "check"] {
        for flag in [None, Some("--json")] {
            let arguments: Vec<&str> = command.split(' ').chain(flag).collect();
            harmless(&endstate(root, &arguments), &format!("{name}: {command}"));
        }
    }
}

fn goes_on(root: &Path, case: &Case) {
    endstate(root, &["answer", "retry"]).expect(0);
    let said = endstate(root, &["run", "--agent", HONEST, "--json"]);
    assert_eq!(said.status, Some(0), "{}: {said:#?}", case.name);
    assert_eq!(opened(root).engine.continuation(), endstate::Continuation::Done);
    assert_eq!(git(root, &["status", "--porcelain"]), "", "{}", case.name);
}

#[test]
fn agents_that_misbehave_are_failed_runs_and_the_mission_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("base");
    base(&first);
    for (place, case) in CASES.iter().enumerate() {
        let root = folder.path().join(place.to_string());
        copy(&first, &root);
        failed(&root, case);
        goes_on(&root, case);
        fs::remove_dir_all(&root).unwrap();
    }
}

#[test]
fn a_question_nobody_answers_costs_nothing_more() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repo");
    base(&root);
    let case = &CASES[1];
    failed(&root, case);
    let before = fs::read(Places::of(&root).journal()).unwrap();
    let again = driven(&root, case);
    assert_eq!(again.status, Some(10), "{again:#?}");
    let after = fs::read(Places::of(&root).journal()).unwrap();
    let ended = |bytes: &[u8]| String::from_utf8_lossy(bytes).matches("run_ended").count();
    assert_eq!(ended(&before), ended(&after));
}
