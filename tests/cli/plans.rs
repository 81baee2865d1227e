//! Plan documents on the command line.

use crate::common::endstate;
use std::fs;
use std::path::Path;

const PLAN: &str = "\
---
type: execution-plan
---
# Greeter

| Work Unit | Directory | Sprints | Layer | Dependencies |
|-----------|-----------|---------|-------|--------------|
| Core | src/ | 2 | 1 | none |
| Docs | docs/ | 1 | 2 | Core |

## Core

### Sprint 1: Types

**Entry criteria**:
- [ ] First sprint, no prerequisites

**Tasks**:
1. Create `src/types.rs` with the greeting
2. Create `src/lib.rs` that exports it
3. Add tests to `src/types.rs`

**Exit criteria**:
- [ ] `cargo build --all` succeeds
- [ ] `cargo test types` passes

### Sprint 2: Greeting

**Entry criteria**:
- [ ] Sprint 1 exit criteria met

**Tasks**:
1. Create `src/greet.rs`
2. Wire it into `src/lib.rs`
3. Add tests to `src/greet.rs`

**Exit criteria**:
- [ ] `cargo test greet` passes

## Docs

### Sprint 3: Guide

**Tasks**:
1. Create `docs/guide.md`
2. Add an example to `README.md`
3. Run `cargo test --doc`

**Exit criteria**:
- [ ] The guide works correctly
";

fn with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

#[test]
fn a_plan_is_found_above_and_read() {
    let dir = with(&[("EXECUTION_PLAN.md", PLAN), ("src/deep/x", "")]);
    let said = endstate(&dir.path().join("src/deep"), &["plan", "parse"]).expect(0);
    assert!(said.out.contains("Core, layer 1"), "{}", said.out);
    assert!(said.out.contains("Docs, layer 2 · after Core"), "{}", said.out);
    let said = endstate(dir.path(), &["plan", "parse", "--json"]).expect(0);
    assert_eq!(said.last()["sprints"], 3);
    let first: serde_json::Value = serde_json::from_str(said.out.lines().next().unwrap()).unwrap();
    assert_eq!(first["plan"]["units"][1]["sprints"][0]["label"], "3");
    assert_eq!(first["plan"]["front"], "type: execution-plan\n");
}

#[test]
fn faults_are_shown_where_they_are() {
    let dir = with(&[("EXECUTION_PLAN.md", PLAN)]);
    let said = endstate(dir.path(), &["plan", "lint"]).expect(0);
    // Counts, and the kind of each sprint; what is run and what is judged is said on demand.
    for words in ["kinds: code 1 2 3", "3 commands are run, 3 are judged", "2 units, 3 sprints"] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    let said = endstate(dir.path(), &["plan", "lint", "--criteria"]).expect(0);
    for words in [
        "exit AC-002 run   `cargo test types` exits 0",
        "exit AC-001 judge The guide works correctly",
    ] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    let open = PLAN.replace("**Exit criteria**:\n- [ ] The guide works correctly\n", "");
    fs::write(dir.path().join("open.md"), open).unwrap();
    let said = endstate(dir.path(), &["plan", "lint", "open.md"]).expect(0);
    assert!(said.out.lines().count() <= 10, "{}", said.out);
    let said = endstate(dir.path(), &["plan", "lint", "open.md", "--all"]).expect(0);
    assert!(said.out.contains("--> open.md:42:12"), "{}", said.out);
    assert!(said.out.contains("|            ^ expected"), "{}", said.out);
    // The exit status does not depend on what is printed.
    endstate(dir.path(), &["plan", "lint", "open.md", "--strict"]).expect(13);
    endstate(dir.path(), &["plan", "lint", "open.md", "--strict", "--criteria"]).expect(13);
    let bad = PLAN
        .replace("| 2 | Core |", "| 2 | Core/9 |")
        .replace("## Docs\n", "## Docs\n\n### Sprint 3: Twice\n");
    fs::write(dir.path().join("other.md"), bad).unwrap();
    let said = endstate(dir.path(), &["plan", "lint", "other.md", "--json"]).expect(13);
    assert_eq!(said.last()["faults"], 3, "{}", said.out);
    for code in ["plan_disagrees", "dependency_unknown", "duplicate_id"] {
        assert!(said.out.contains(code), "{}", said.out);
    }
}

#[test]
fn what_is_no_plan_is_named() {
    let dir = with(&[("a.md", "# nothing\n"), ("b.md", "---\nopen: 1\n# x\n")]);
    let said = endstate(dir.path(), &["plan", "parse", "--json"]).expect(13);
    assert_eq!(said.code(), "file_missing");
    assert!(said.out.contains("EXECUTION_PLAN.md"), "{}", said.out);
    for (name, code) in [("a.md", "unknown_family"), ("b.md", "unknown_family")] {
        let said = endstate(dir.path(), &["plan", "lint", name, "--json"]).expect(13);
        assert!(said.out.contains(code), "{}", said.out);
    }
    fs::write(dir.path().join("c.md"), [0xff, 0xfe]).unwrap();
    let said = endstate(dir.path(), &["plan", "parse", "c.md", "--json"]).expect(13);
    assert_eq!(said.code(), "not_utf8");
}

#[test]
fn a_folder_of_plans_is_a_table_of_what_they_declare() {
    let promised = PLAN.replace("| Core | src/ | 2 |", "| Core | src/ | 4 |");
    let dir = with(&[
        ("plans/good.md", PLAN),
        ("plans/deep/odd.md", &promised),
        ("plans/notes.md", "# Notes\n"),
        ("plans/\u{1b}[31mred.md", PLAN),
        ("plans/.hidden/x.md", PLAN),
        ("plans/readme.txt", PLAN),
    ]);
    fs::write(dir.path().join("plans/bytes.md"), [0xff]).unwrap();
    let said = endstate(dir.path(), &["plan", "parse", "plans"]).expect(0);
    assert!(!said.out.contains('\u{1b}'), "{}", said.out);
    let row = |name: &str| said.out.lines().find(|line| line.contains(name)).unwrap().to_owned();
    let words = |name: &str| {
        let row = row(name);
        row.split_whitespace().skip(1).take(4).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(words("good.md"), "execution 3 0 faults,");
    assert_eq!(words("odd.md"), "execution 3 1 faults,");
    assert!(row("bytes.md").contains("not_utf8"), "{}", said.out);
    let said = endstate(dir.path(), &["plan", "parse", "plans", "--json"]).expect(0);
    let last = said.last();
    assert_eq!(
        (&last["plans"], &last["faulty"], &last["others"], &last["unread"]),
        (&3.into(), &1.into(), &1.into(), &1.into())
    );
}

#[test]
fn what_is_kept_as_text_is_said_in_one_line() {
    let text = format!("{PLAN}\n## Notes\n\n- \u{1b}[2Jone\n- two\n");
    let dir = with(&[("EXECUTION_PLAN.md", &text)]);
    let said = endstate(dir.path(), &["plan", "lint"]).expect(0);
    let line = said.out.lines().find(|line| line.contains("read_as_text")).unwrap();
    assert!(line.contains("`Notes` (line 52): 3"), "{line}");
    assert!(!said.out.contains('\u{1b}'), "{}", said.out);
}

#[test]
fn the_order_of_a_plan_is_drawn() {
    let dir = with(&[("EXECUTION_PLAN.md", PLAN)]);
    let said = endstate(dir.path(), &["plan", "graph", "--json"]).expect(0);
    let order = said.last()["order"].clone();
    assert_eq!(order["critical_path"], serde_json::json!(["Core/1", "Core/2", "Docs/3"]));
    assert_eq!(order["parallelism"], 1);
    let said = endstate(dir.path(), &["plan", "graph", "--mermaid"]).expect(0);
    assert!(said.out.contains("u0 --> u3"), "{}", said.out);
    let circle = PLAN.replace("| 1 | none |", "| 1 | Docs |");
    fs::write(dir.path().join("EXECUTION_PLAN.md"), circle).unwrap();
    let said = endstate(dir.path(), &["plan", "graph"]).expect(13);
    let circle = said.out.lines().find(|line| line.starts_with("circle: ")).unwrap();
    assert!(circle.contains("Core/2 → ") && circle.contains("Docs"), "{circle}");
}

fn read(root: &Path, name: &str) -> String {
    fs::read_to_string(root.join(name)).unwrap()
}

const REQUIREMENTS: &str = "\
# Greeter

Test with `make test`.

## Requirements
- Create `src/greet.rs` with the greeting
- The greeting MUST name the visitor
- Add support for German, French and Dutch
";

#[test]
fn requirements_become_a_plan() {
    let dir = with(&[("README.md", "# no\n"), ("PRD.md", REQUIREMENTS)]);
    endstate(dir.path(), &["plan", "breakdown", "--dry-run"]).expect(0);
    assert!(!dir.path().join("EXECUTION_PLAN.md").exists());
    let said = endstate(dir.path(), &["plan", "breakdown", "--json"]).expect(0);
    let last = said.last();
    assert_eq!(
        (&last["requirements"], &last["units"], &last["sprints"]),
        (&3.into(), &1.into(), &1.into())
    );
    let made = read(dir.path(), "EXECUTION_PLAN.md");
    // What was added is marked as its own.
    assert!(made.contains("- [ ] AC-004 (added): `test -f src/greet.rs` exits 0"), "{made}");
    assert!(made.contains("plan: endstate/1\nsource: {file: \"PRD.md\""), "{made}");
    endstate(dir.path(), &["plan", "lint", "--strict"]).expect(0);
    let said = endstate(dir.path(), &["plan", "breakdown", "--json"]).expect(13);
    assert_eq!(said.code(), "already_started");
    let said =
        endstate(&dir.path().join("."), &["plan", "breakdown", "none.md", "--json"]).expect(13);
    assert_eq!(said.code(), "file_missing");
}

#[test]
fn plans_are_put_in_order_and_mended() {
    let dir = with(&[("EXECUTION_PLAN.md", PLAN)]);
    let said = endstate(dir.path(), &["plan", "prioritize", "--json"]).expect(0);
    // Nobody said how risky it is or what it changes: that is asked, and counts as unknown, never as nothing.
    assert!(
        said.out.contains(r#""risk":null"#) && said.out.contains("risk:Core/1"),
        "{}",
        said.out
    );
    let sorted = read(dir.path(), "EXECUTION_PLAN.md");
    assert!(sorted.contains("plan: endstate/1\ntype: execution-plan\n"), "{sorted}");
    assert!(sorted.contains("1. Create `src/types.rs` with the greeting\n"), "{sorted}");
    assert_eq!(read(dir.path(), "EXECUTION_PLAN.orig.md"), PLAN);
    // What was put in order once stays so.
    let again = endstate(dir.path(), &["plan", "prioritize", "--json"]).expect(0);
    assert_eq!(again.last()["changed"], false);
    let said = endstate(dir.path(), &["plan", "evaluate"]).expect(0);
    assert!(said.out.contains("Sprints with added criteria | 1 |"), "{}", said.out);
    assert!(said.out.contains("left to judge: "), "{}", said.out);
    let mended = read(dir.path(), "EXECUTION_PLAN.md");
    assert!(mended.contains("- [ ] AC-001: The guide works correctly\n"), "{mended}");
    assert!(mended.contains("- [ ] AC-002 (added): `cargo "), "{mended}");
    let broken = mended.replace("**Depends on**: 1\n", "**Depends on**: 7\n");
    fs::write(dir.path().join("EXECUTION_PLAN.md"), &broken).unwrap();
    let said = endstate(dir.path(), &["plan", "prioritize", "--json"]).expect(13);
    assert_eq!(said.code(), "dependency_unknown");
    assert_eq!(read(dir.path(), "EXECUTION_PLAN.md"), broken);
}

#[test]
fn a_plan_that_is_not_there_is_refused() {
    let dir = crate::common::repository();
    let agent = ["--agent", "exec:true"];
    let line = [&["run", "--protocol", "sprint", "nope.md", "--json"], agent.as_slice()].concat();
    let said = endstate(dir.path(), &line).expect(13);
    assert_eq!(said.code(), "file_missing");
}

#[test]
fn an_analysis_writes_a_report_and_nothing_else() {
    let none =
        r#"{"answers": [{"id": "covers:R-001", "answer": {"type": "text", "text": "none"}}]}"#;
    let prd = "## Requirements\n- Send a newsletter\n";
    let dir = with(&[("EXECUTION_PLAN.md", PLAN), ("PRD.md", prd), ("none.json", none)]);
    // That no sprint names it is no proof that none addresses it: that is asked.
    let said = endstate(dir.path(), &["plan", "analyze", "--json"]).expect(0);
    assert_eq!(said.last()["critical"], 0);
    assert!(said.out.contains("covers:R-001"), "{}", said.out);
    assert!(read(dir.path(), "ANALYSIS_REPORT.md").contains("Status: NOT SHOWN"));
    let line = ["plan", "analyze", "--json", "--answers", "none.json"];
    assert_eq!(endstate(dir.path(), &line).expect(13).last()["critical"], 1);
    let report = read(dir.path(), "ANALYSIS_REPORT.md");
    for words in ["Status: INCOMPLETE", "Send a newsletter", "(length: 3 sprints)", "## Pass 3"] {
        assert!(report.contains(words), "{words}: {report}");
    }
    assert_eq!(read(dir.path(), "EXECUTION_PLAN.md"), PLAN);
}

#[test]
fn judgements_come_from_a_file_or_an_agent() {
    let answers =
        r#"{"answers": [{"id": "risk:Core/2", "answer": {"type": "choice", "option": "4"}}]}"#;
    let dir = with(&[("EXECUTION_PLAN.md", PLAN), ("answers.json", answers)]);
    let left = |said: &crate::common::Said| said.last()["left"].as_u64().unwrap();
    let open =
        left(&endstate(dir.path(), &["plan", "prioritize", "--dry-run", "--json"]).expect(0));
    let said = endstate(
        dir.path(),
        &["plan", "prioritize", "--dry-run", "--json", "--answers", "answers.json"],
    )
    .expect(0);
    assert_eq!(left(&said) + 1, open);
    assert_eq!(said.last()["filled"][0]["value"], "4");
    let agent = format!("exec:cat {}", dir.path().join("answers.json").display());
    let said =
        endstate(dir.path(), &["plan", "prioritize", "--dry-run", "--json", "--agent", &agent])
            .expect(0);
    assert_eq!(left(&said) + 1, open);
    let said =
        endstate(dir.path(), &["plan", "prioritize", "--json", "--agent", "exec:echo nothing"])
            .expect(13);
    assert_eq!(said.code(), "block_missing");
    let said =
        endstate(dir.path(), &["plan", "prioritize", "--json", "--agent", "exec:false"]).expect(13);
    assert_eq!(said.code(), "run_failed");
    assert_eq!(read(dir.path(), "EXECUTION_PLAN.md"), PLAN);
}

#[test]
fn names_are_given_when_a_plan_runs_and_not_before() {
    let name = r#"{"answers": [{"id": "name", "answer": {"type": "text", "text": "OPERATION PAPER TIGER"}}]}"#;
    let dir = with(&[("EXECUTION_PLAN.md", PLAN), ("name.json", name)]);
    let said = endstate(dir.path(), &["plan", "name-feature", "--answers", "name.json"]).expect(13);
    assert!(said.out.contains("when a plan starts"), "{}", said.out);
    assert_eq!(read(dir.path(), "EXECUTION_PLAN.md"), PLAN);
    fs::write(dir.path().join("SUPERVISOR_STATE.md"), "").unwrap();
    endstate(dir.path(), &["plan", "name-feature"]).expect(10);
    endstate(dir.path(), &["plan", "name-feature", "--answers", "name.json"]).expect(0);
    let expected =
        PLAN.replace("execution-plan\n", "execution-plan\nfeature_name: OPERATION PAPER TIGER\n");
    assert_eq!(read(dir.path(), "EXECUTION_PLAN.md"), expected);
    fs::write(dir.path().join("name.json"), name.replace("PAPER TIGER", "x: [evil]")).unwrap();
    let said = endstate(dir.path(), &["plan", "name-feature", "--json", "--answers", "name.json"])
        .expect(13);
    assert_eq!(said.code(), "invalid_value");
    assert_eq!(read(dir.path(), "EXECUTION_PLAN.md"), expected);
}

#[test]
fn lines_for_the_host_are_no_part_of_a_name_that_an_agent_gives() {
    let name = r#"{"answers": [{"id": "name", "answer": {"type": "text", "text": "OPERATION PAPER TIGER"}}]}"#;
    let aside = r#"{"endstate":"result","session":"s1","tokens":1200,"cost_micros":340}"#;
    let said = format!("{aside}\n{name}\n{aside}\n");
    let failed = said.replace("1200", "1,\"outcome\":\"failed\"");
    let files = [("EXECUTION_PLAN.md", PLAN), ("SUPERVISOR_STATE.md", "")];
    let dir = with(&[&files[..], &[("said.txt", &said), ("failed.txt", &failed)]].concat());
    let names = |file: &str| {
        let agent = format!("exec:cat {}", dir.path().join(file).display());
        endstate(dir.path(), &["plan", "name-feature", "--json", "--agent", &agent])
    };
    assert_eq!(names("failed.txt").expect(13).code(), "run_failed");
    assert_eq!(read(dir.path(), "EXECUTION_PLAN.md"), PLAN);
    names("said.txt").expect(0);
    let text = read(dir.path(), "EXECUTION_PLAN.md");
    assert!(text.contains("feature_name: OPERATION PAPER TIGER\n"), "{text}");
}
