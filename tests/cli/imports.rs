//! What is no plan yet: imported by what an agent labels, and written in the canonical grammar.

use crate::common::{endstate, tree};
use std::fs;
use std::path::Path;

const NOTES: &str = "# Kite\n\nA tool that flies.\n\n## Wind reader\n\nRead wind files.\n\n- [ ] `test -f wind.rs` exits 0\n- [ ] A bad line is named\n";

/// Every element of the notes, at its place.
const RIGHT: &str = r#"{"spans": [
    {"kind": "title", "from": "1", "to": "1"},
    {"kind": "sprint", "from": "5", "to": "5", "label": "wind"},
    {"kind": "task", "parent": 1, "from": "7", "to": "7"},
    {"kind": "exit_criterion", "parent": 1, "from": "9", "to": "9"},
    {"kind": "exit_criterion", "parent": 1, "from": "10", "to": "10"}]}"#;

/// A folder with the notes, and an agent that always gives this answer.
fn labelled_by(spans: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("TODO.md"), NOTES).unwrap();
    let said = dir.path().join("said.txt");
    fs::write(&said, format!("Here it is.\n\n```json\n{spans}\n```\n")).unwrap();
    (dir, format!("exec:cat {}", said.display()))
}

fn read(root: &Path, name: &str) -> String {
    fs::read_to_string(root.join(name)).unwrap()
}

#[test]
fn a_document_is_labelled_by_an_agent_and_becomes_a_canonical_plan() {
    let (dir, agent) = labelled_by(RIGHT);
    let root = dir.path();
    let import = ["plan", "import", "TODO.md", "--agent", &agent, "--json"];
    let dry = endstate(root, &[&import[..], &["--dry-run"]].concat()).expect(0).last();
    assert_eq!((&dry["written"], root.join("EXECUTION_PLAN.md").exists()), (&false.into(), false));
    let last = endstate(root, &import).expect(0).last();
    assert_eq!(last["written"], true, "{last}");
    let plan = read(root, "EXECUTION_PLAN.md");
    assert_eq!(plan, last["text"], "{plan}");
    for words in [
        "plan: endstate/1",
        "### Sprint wind (added): Wind reader",
        "1. Read wind files.",
        "A tool that flies.",
    ] {
        assert!(plan.contains(words), "{words}: {plan}");
    }
    let linted = endstate(root, &["plan", "lint", "--json"]).expect(0).last();
    assert_eq!(
        (&linted["family"], &linted["commands"], &linted["judged"]),
        (&"canonical".into(), &1.into(), &1.into())
    );
    endstate(root, &["plan", "fmt", "--check"]).expect(0);
    // What is there is not written over, and nothing of the source was changed.
    let again = endstate(root, &import).expect(13);
    assert_eq!((again.code().as_str(), read(root, "TODO.md").as_str()), ("file_exists", NOTES));
    // A source that was changed since is told.
    fs::write(root.join("TODO.md"), format!("{NOTES}- [ ] One more\n")).unwrap();
    let stale = endstate(root, &["plan", "lint"]).expect(0).out;
    assert!(stale.contains("TODO.md changed since this plan was made of it"), "{stale}");
    endstate(root, &["plan", "lint", "--strict"]).expect(13);
    fs::remove_file(root.join("TODO.md")).unwrap();
    endstate(root, &["plan", "lint"]).expect(0);
    let missing = endstate(root, &["plan", "lint", "--strict"]).expect(13).out;
    assert!(missing.contains("TODO.md cannot be read"), "{missing}");
}

#[test]
fn what_an_agent_leaves_open_is_sent_back_and_then_asked() {
    let (dir, agent) = labelled_by(r#"{"spans": [{"kind": "title", "from": "1", "to": "1"}]}"#);
    let root = dir.path();
    let import = ["plan", "import", "TODO.md", "--agent", &agent];
    let said = endstate(root, &import).expect(10).out;
    assert_eq!(said.matches("attempt ").count(), 3, "{said}");
    assert!(said.contains("sent back: "), "{said}");
    // A question has both texts: what the document says, and what would become of it.
    for words in
        ["question: ", "the document: ", "the plan: ", "questions are left and nothing is written"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!root.join("EXECUTION_PLAN.md").exists());
    let last = endstate(root, &[&import[..], &["--json"]].concat()).expect(10).last();
    assert!(!last["questions"].as_array().unwrap().is_empty(), "{last}");
    // The user may take it as it is.
    endstate(root, &[&import[..], &["--accept"]].concat()).expect(0);
    assert!(read(root, "EXECUTION_PLAN.md").contains("`test -f wind.rs` exits 0"));
}

#[test]
fn what_is_no_plan_is_not_written_whoever_takes_it() {
    for label in ["a b", "x: y\\n\\nz", "1\\r\\n## Work Unit: x"] {
        let (dir, agent) = labelled_by(&RIGHT.replace("\"wind\"", &format!("\"{label}\"")));
        let before = tree(dir.path());
        let line = ["plan", "import", "TODO.md", "--agent", &agent, "--accept"];
        endstate(dir.path(), &line).expect(13);
        assert!(tree(dir.path()) == before, "{label} left something behind");
    }
}

#[test]
fn what_is_no_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (root, pipe) = (dir.path(), dir.path().join("pipe"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for line in [["lint", "pipe"], ["fmt", "pipe"], ["import", "pipe"], ["import", "."]] {
        let agent: &[&str] = if line[0] == "import" { &["--agent", "exec:true"] } else { &[] };
        let said = endstate(root, &[&["plan"], &line[..], agent, &["--json"]].concat()).expect(13);
        assert_eq!(said.code(), "file_missing", "{line:?}");
    }
}

#[test]
fn an_answer_that_is_none_makes_no_plan() {
    for answer in
        ["prose", r#"{"spans": [{"kind": "dance", "from": "1", "to": "1"}]}"#, r#"{"spans": 7}"#]
    {
        let (dir, agent) = labelled_by(answer);
        let before = tree(dir.path());
        let line = ["plan", "import", "TODO.md", "--agent", &agent, "--json"];
        let said = endstate(dir.path(), &line);
        assert!(said.status != 0, "{}", said.out);
        assert!(tree(dir.path()) == before, "{answer} left something behind");
    }
}

const PLAN: &str = "---\nplan: endstate/1\n---\n# Kite\n\n## Work Units\n\n| Work Unit | Directory | Sprints | Layer | Dependencies |\n|---|---|---|---|---|\n\
    | kite | . | 2 | 7 | none |\n\n## Work Unit: kite\n\n### Sprint 1: Reader\n\n**Exit criteria**:\n- [ ] `test -f wind.rs`\n\n\
    ### Sprint 2: Page\n**Exit criteria**:\n- [ ] It flies\n";

#[test]
fn a_plan_is_written_as_the_grammar_has_it() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fs::write(root.join("EXECUTION_PLAN.md"), PLAN).unwrap();
    let linted = endstate(root, &["plan", "lint", "--json"]).expect(13);
    assert!(linted.out.contains("plan_disagrees"), "{}", linted.out);
    let check = endstate(root, &["plan", "fmt", "--check"]).expect(13).out;
    assert!(check.contains("EXECUTION_PLAN.md: not canonical"), "{check}");
    let shown = endstate(root, &["plan", "fmt", "--dry-run"]).expect(0).out;
    assert_eq!(read(root, "EXECUTION_PLAN.md"), PLAN);
    let said = endstate(root, &["plan", "fmt"]).expect(0).out;
    let kept = said.lines().find_map(|line| line.strip_prefix("kept what was there: ")).unwrap();
    assert_eq!(read(root, kept), PLAN);
    let text = read(root, "EXECUTION_PLAN.md");
    assert_eq!(text.trim_end(), shown.trim_end());
    for words in
        ["- [ ] AC-001: `test -f wind.rs`", "| kite | . | 2 | 1 | none |", "| Total sprints | 2 |"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    // Layer and summary were all that was wrong, and what is canonical stays as it is.
    endstate(root, &["plan", "lint"]).expect(0);
    endstate(root, &["plan", "fmt", "--check"]).expect(0);
    endstate(root, &["plan", "fmt"]).expect(0);
    assert_eq!(read(root, "EXECUTION_PLAN.md"), text);
    // With another fault nothing is written: a heading that is none would be lost among the notes.
    let bad = PLAN.replace("### Sprint 2: Page", "### Sprint two pages");
    fs::write(root.join("EXECUTION_PLAN.md"), &bad).unwrap();
    for line in [&["plan", "fmt"][..], &["plan", "fmt", "--check"], &["plan", "fmt", "--dry-run"]] {
        let said = endstate(root, line).expect(13).out;
        assert!(said.contains("Sprint two pages"), "{said}");
    }
    assert_eq!(read(root, "EXECUTION_PLAN.md"), bad);
}
