//! Plan documents on the command line.

use crate::common::endstate;
use std::fs;

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
    assert!(said.out.contains("core · Core, layer 1"), "{}", said.out);
    assert!(said.out.contains("after core/1"), "{}", said.out);
    let said = endstate(dir.path(), &["plan", "parse", "--json"]).expect(0);
    assert_eq!(said.last()["sprints"], 3);
    let first: serde_json::Value = serde_json::from_str(said.out.lines().next().unwrap()).unwrap();
    assert_eq!(first["plan"]["units"][1]["sprints"][0]["id"], "docs/3");
    assert_eq!(first["plan"]["front"][0]["value"], "execution-plan");
}

#[test]
fn faults_are_shown_where_they_are() {
    let dir = with(&[("EXECUTION_PLAN.md", PLAN)]);
    let said = endstate(dir.path(), &["plan", "lint"]).expect(0);
    assert!(said.out.contains("--> EXECUTION_PLAN.md:50:17"), "{}", said.out);
    assert!(said.out.contains("|                 ^^^^^^^^^^^^^^^ expected"), "{}", said.out);
    endstate(dir.path(), &["plan", "lint", "--strict"]).expect(13);
    let bad = PLAN
        .replace("Sprint 1 exit", "Sprint 9 exit")
        .replace("## Docs\n", "## Docs\n\n### Sprint 3: Twice\n");
    fs::write(dir.path().join("other.md"), bad).unwrap();
    let said = endstate(dir.path(), &["plan", "lint", "other.md", "--json"]).expect(13);
    assert_eq!(said.last()["faults"], 2, "{}", said.out);
    for code in ["dependency_unknown", "duplicate_id"] {
        assert!(said.out.contains(code), "{}", said.out);
    }
}

#[test]
fn what_is_no_plan_is_named() {
    let dir = with(&[("a.md", "# nothing\n"), ("b.md", "---\nopen: 1\n# x\n")]);
    let said = endstate(dir.path(), &["plan", "parse", "--json"]).expect(13);
    assert_eq!(said.code(), "file_missing");
    assert!(said.out.contains("EXECUTION_PLAN.md"), "{}", said.out);
    for (name, code) in [("a.md", "empty_plan"), ("b.md", "truncated")] {
        let said = endstate(dir.path(), &["plan", "lint", name, "--json"]).expect(13);
        assert!(said.out.contains(code), "{}", said.out);
    }
    fs::write(dir.path().join("c.md"), [0xff, 0xfe]).unwrap();
    let said = endstate(dir.path(), &["plan", "parse", "c.md", "--json"]).expect(13);
    assert_eq!(said.code(), "not_utf8");
}

#[test]
fn the_order_of_a_plan_is_drawn() {
    let dir = with(&[("EXECUTION_PLAN.md", PLAN)]);
    let said = endstate(dir.path(), &["plan", "graph", "--json"]).expect(0);
    let order = said.last()["order"].clone();
    assert_eq!(order["critical_path"], serde_json::json!(["core/1", "core/2", "docs/3"]));
    assert_eq!(order["parallelism"], 1);
    let said = endstate(dir.path(), &["plan", "graph", "--mermaid"]).expect(0);
    assert!(said.out.contains("n_core --> n_docs"), "{}", said.out);
    let circle = PLAN.replace("First sprint, no prerequisites", "Sprint 2 complete");
    fs::write(dir.path().join("EXECUTION_PLAN.md"), circle).unwrap();
    let said = endstate(dir.path(), &["plan", "graph"]).expect(13);
    assert!(said.out.contains("circle: core/"), "{}", said.out);
}
