//! What a repository tells roles: `.agent/prompts`.

use crate::common::{MISSION, Said, endstate, git, repository};
use std::fs;
use std::path::Path;

const TASK: &str = "---\nid: TASK-1\n---\n# Task: A greeting\n\n## Acceptance Criteria\n\n- hello.txt says hello\n";
const AGENT: &str = r#"{"name": "greeter", "behavior": {"completionType": "manual", "completionConfig": {"completionKeyword": "GREETED", "maxIterations": 2}}}"#;
const PLAN: &str = "# Plan\n\n### Sprint 1: Greet\n\n**Tasks:**\n1. Say hello.\n\n**Exit criteria:**\n- [ ] `test -f hello.txt` exits 0\n";

/// A repository whose roles are told this.
fn telling(texts: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = repository();
    let root = dir.path();
    fs::create_dir_all(root.join(".agent/prompts")).unwrap();
    for (role, text) in texts {
        fs::write(root.join(format!(".agent/prompts/{role}.md")), text).unwrap();
    }
    for (name, text) in [("TASK-1.md", TASK), ("agent.json", AGENT), ("PLAN.md", PLAN)] {
        fs::write(root.join(name), text).unwrap();
    }
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "what roles are told"]);
    dir
}

/// Runs with an agent that only listens; answers with what the program said, and with what the role was told.
fn told(root: &Path, role: &str, line: &[&str]) -> (Said, String) {
    let heard = tempfile::tempdir().unwrap();
    let agent = format!("exec:sh -c 'cat > {}/$ENDSTATE_ROLE; exit 1'", heard.path().display());
    let said = endstate(root, &[&["run"], line, &["--agent", &agent]].concat());
    let text = fs::read_to_string(heard.path().join(role));
    let text = text.unwrap_or_else(|_| panic!("{}{}", said.out, said.err));
    (said, text)
}

#[test]
fn a_text_is_added_to_what_a_role_is_told_in_every_protocol() {
    for (role, line) in [
        ("completion-regrounder", vec!["--protocol", "completion", MISSION]),
        ("promise-player", vec!["--protocol", "promise", "TASK-1.md"]),
        ("iteration-agent", vec!["--protocol", "iteration", "agent.json"]),
        ("sprint-agent", vec!["--protocol", "sprint", "--trust", "PLAN.md"]),
        ("grid-planner", vec!["--protocol", "grid", MISSION]),
    ] {
        let dir =
            telling(&[(role, "House rule {{x}} {{#y}}: no tabs.\n"), ("nobody", "Sing aloud.")]);
        let refused =
            endstate(dir.path(), &[&["run"], &line[..], &["--agent", "exec:true"]].concat());
        assert_eq!(refused.status, 13, "{role}: {} {}", refused.out, refused.err);
        assert!(refused.err.contains("unresolved_variable"), "{}", refused.err);
        assert!(!dir.path().join(".agent/endstate/journal.jsonl").exists());
        fs::write(dir.path().join(format!(".agent/prompts/{role}.md")), "House rule: no tabs.\n")
            .unwrap();
        git(dir.path(), &["commit", "-qam", "the rule"]);
        let (said, text) = told(dir.path(), role, &line);
        assert!(said.out.contains(&format!(".agent/prompts/{role}.md")), "{}", said.out);
        let rule = text.find("\n\nHouse rule: no tabs.\n").expect(&text);
        let report = text.find("## Your report").unwrap_or(usize::MAX);
        assert!(rule > 100 && rule < report, "{role}: {text}");
        assert!(!text.contains("Sing aloud."), "{text}");
        let journal = fs::read_to_string(dir.path().join(".agent/endstate/journal.jsonl")).unwrap();
        assert!(journal.lines().next().unwrap().contains("House rule: no tabs."), "{role}");
    }
}

#[test]
fn a_text_may_stand_around_what_the_engine_says_or_in_its_place() {
    for (text, first, whole) in [
        ("Be brief.\n\n{{prompt}}\n\nReport in Latin.", "Be brief.\n\nMISSION ANCHOR", true),
        (
            "Do it your way.\n\n{{report}}\n\nThat is all.",
            "Do it your way.\n\n## Your report",
            false,
        ),
    ] {
        let dir = telling(&[("promise-player", text)]);
        let (_, told) = told(dir.path(), "promise-player", &["--protocol", "promise", "TASK-1.md"]);
        assert!(told.starts_with(first), "{told}");
        assert_eq!(told.contains("hello.txt says hello"), whole, "{told}");
        assert_eq!(told.matches("## Your report\n").count(), 1, "{told}");
        assert!(told.contains("Report in Latin.") || told.ends_with("That is all.\n"), "{told}");
    }
}

#[test]
fn what_is_no_text_of_a_role_is_refused_and_nothing_begins() {
    let line = ["run", "--protocol", "promise", "TASK-1.md", "--agent", "exec:true"];
    let long = "x".repeat(65_537);
    for (role, text, code) in
        [("promise-couch", "Sit.", "unknown_value"), ("promise-coach", long.as_str(), "too_large")]
    {
        let dir = telling(&[(role, text)]);
        assert_eq!(
            endstate(dir.path(), &[&line[..], &["--json"]].concat()).expect(13).code(),
            code
        );
        assert!(!dir.path().join(".agent/endstate/journal.jsonl").exists());
    }
    let dir = telling(&[]);
    let outside = tempfile::NamedTempFile::new().unwrap();
    let link = dir.path().join(".agent/prompts/promise-coach.md");
    std::os::unix::fs::symlink(outside.path(), link).unwrap();
    assert_eq!(
        endstate(dir.path(), &[&line[..], &["--json"]].concat()).expect(13).code(),
        "file_missing"
    );
}

#[test]
fn what_roles_are_told_stays_when_a_mission_is_archived() {
    let dir = telling(&[("promise-player", "House rule: no tabs.")]);
    told(dir.path(), "promise-player", &["--protocol", "promise", "TASK-1.md"]);
    let said = endstate(dir.path(), &["archive", "--unfinished"]).expect(0);
    assert!(dir.path().join(".agent/prompts/promise-player.md").exists(), "{}", said.out);
    assert!(!dir.path().join(".agent/endstate/journal.jsonl").exists());
}
