//! Promise and iteration from the command line: both demos, missions of one's own, and bad documents.

use crate::common::{Said, endstate, git, repository};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Plays a demo; answers with its last words and its repository.
pub(crate) fn demo(protocol: &str) -> (Value, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let began = Instant::now();
    let line = ["demo", "--protocol", protocol, "--dir", "demo", "--json"];
    // The keyword of an agent is a claim, and the mirror that a sprint waits for is in no commit.
    let status = if ["iteration", "sprint"].contains(&protocol) { 4 } else { 0 };
    let said = endstate(dir.path(), &line).expect(status);
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    let last = said.last();
    assert_eq!((&last["continuation"], &last["protocol"]), (&"done".into(), &protocol.into()));
    (last, dir)
}

/// What can be asked of every mission, whatever its protocol.
pub(crate) fn asked(last: &Value) {
    let (repo, journal) = (last["repo"].as_str().unwrap(), last["journal"].as_str().unwrap());
    let repo = Path::new(repo);
    assert_eq!(git(repo, &["status", "--porcelain", "--untracked-files=all"]), "");
    let replayed = endstate(repo, &["replay", journal, "--json"]).expect(0).last();
    assert_eq!(
        (&replayed["chain"], &replayed["continuation"]),
        (&last["chain"], &last["continuation"])
    );
    for level in ["mission", "files"] {
        endstate(repo, &["check", "--level", level]).expect(0);
    }
    let why = endstate(repo, &["why", "--json"]).expect(0).last();
    assert_eq!(why["chosen"]["name"], "done");
    let status = endstate(repo, &["status", "--json"]).expect(0).last();
    assert_eq!(
        (&status["continuation"], &status["chain"]),
        (&last["continuation"], &last["chain"])
    );
    let view: Value =
        serde_json::from_str(&endstate(repo, &["view", "--print"]).expect(0).out).unwrap();
    assert_eq!(view["protocol"], last["protocol"]);
    let listed = endstate(repo, &["journal", "--json"]).expect(0);
    assert_eq!(listed.last()["chain"], last["chain"]);
}

#[test]
fn the_promise_demo_comes_to_its_verified_end() {
    let (last, _dir) = demo("promise");
    assert_eq!((&last["items"], &last["items_done"]), (&3.into(), &3.into()));
    assert_eq!((&last["closed_by"], &last["overruled"]), (&"verified".into(), &1.into()));
    asked(&last);
    let repo = Path::new(last["repo"].as_str().unwrap());
    let turns = fs::read_to_string(repo.join(".agent/promise/turns.jsonl")).unwrap();
    let turns: Vec<Value> = turns.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(turns.len(), 6);
    assert!(turns[0]["overruled"].is_string() && turns[0]["decision"] == "feedback");
    let page = fs::read_to_string(repo.join(".agent/promise/progress.md")).unwrap();
    assert!(page.contains("TASK-SLUG-003 · completed · 2/2 verified, 100 %"), "{page}");
    fs::write(repo.join(".agent/promise/turns.jsonl"), "{}\n").unwrap();
    endstate(repo, &["check", "--level", "files"]).expect(13);
}

#[test]
fn the_iteration_demo_comes_to_its_end() {
    let (last, _dir) = demo("iteration");
    assert_eq!((&last["closed_by"], &last["runs"]), (&"claimed".into(), &4.into()));
    asked(&last);
}

const TASK: &str = "---\nid: TASK-1\n---\n# Task: A greeting\n\n## Acceptance Criteria\n\n- hello.txt says hello\n";

const TEAM: &str = r#"
runs:
  - when: {role: player}
    do:
      - write: {path: hello.txt, text: "hello\n"}
      - commit: Say hello
    report:
      block:
        task_id: TASK-1
        completion_promise:
          statement: it does
          criteria: [{criterion_id: AC-001, status: verified, evidence: "hello.txt:1 says it"}]
  - when: {role: coach, visit: [1, 2]}
    report:
      block:
        task_id: TASK-1
        decision: feedback
        criteria_verification:
          - {criterion_id: AC-001, player_status: verified, coach_verified: false, verification_method: read it,
             evidence: [], discrepancy: it does not say it loudly}
  - when: {role: coach}
    report:
      block:
        task_id: TASK-1
        decision: approve
        criteria_verification:
          - {criterion_id: AC-001, player_status: verified, coach_verified: true, verification_method: read it,
             evidence: [{kind: file, path: hello.txt, line: 1}]}
"#;

fn run(root: &Path, more: &[&str]) -> Said {
    let mut line =
        vec!["run", "--protocol", "promise", "TASK-1.md", "--agent", "script:team.yaml", "--json"];
    line.extend(more);
    endstate(root, &line)
}

fn with_task(text: &str) -> tempfile::TempDir {
    let dir = repository();
    fs::write(dir.path().join("TASK-1.md"), text).unwrap();
    fs::write(dir.path().join("team.yaml"), TEAM).unwrap();
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-q", "-m", "a task"]);
    dir
}

#[test]
fn a_deciding_command_that_may_change_more_than_a_room_is_named_before_the_work() {
    for (more, named) in [(&[][..], true), (&["--once", "make deploy"], false)] {
        let dir = with_task(TASK);
        let line = ["--max-turns", "1", "--test", "make deploy"];
        let said = run(dir.path(), &[&line[..], more].concat()).out;
        let told = said.lines().any(|line| line == r#"{"dangerous_command":"make deploy"}"#);
        assert_eq!(told, named, "{said}");
    }
}

#[test]
fn a_program_that_a_deciding_command_starts_and_that_is_not_here_is_named_before_the_work() {
    for (test, missing) in [
        ("no-such-tool --now", true),
        ("bash -c 'CI=1 no-such-tool --now'", true),
        ("bash -c 'cd . && make test'", false),
        ("./no-such-tool --now", false),
    ] {
        let dir = with_task(TASK);
        let said = run(dir.path(), &["--max-turns", "1", "--test", test]).out;
        let mut lines = said.lines();
        let named =
            lines.find(|line| line.contains("missing_program") || line.contains("run_started"));
        let told = r#"{"missing_program":"no-such-tool","shows":"test command"}"#;
        assert_eq!(named == Some(told), missing, "{said}");
    }
}

#[test]
fn a_sprint_and_an_agent_name_the_programs_that_what_is_open_starts_and_what_no_command_shows() {
    let plan = "# EXECUTION_PLAN.md — Small\n\n### Sprint 1: One\n\n**Exit criteria**:\n- [ ] AC-001: `no-such-tool --all` passes; so it is.\n";
    let agent = r#"{"name": "a", "displayName": "A", "description": "Answers", "behavior":
        {"completionType": "check", "completionConfig": {"command": ["no-such-tool", "--all"]}}}"#;
    let left = Some(r#"{"criteria":2,"without_command":1}"#);
    for (protocol, document, text, shows, more, left) in [
        ("sprint", "PLAN.md", plan, "plan/1 AC-001.1", "--trust --accept observed", left),
        ("sprint", "PLAN.md", plan, "plan/1 AC-001.1", "--trust --accept judged", None),
        ("iteration", "agent.json", agent, "completion", "", None),
    ] {
        let dir = repository();
        fs::write(dir.path().join(document), text).unwrap();
        git(dir.path(), &["add", "."]);
        git(dir.path(), &["commit", "-q", "-m", "what is to be done"]);
        let line = ["run", "--protocol", protocol, document, "--agent", "exec:false", "--json"];
        let more: Vec<&str> = more.split_whitespace().collect();
        let line = [&line[..], &["--budget", "role_runs=1"], &more].concat();
        let said = endstate(dir.path(), &line).out;
        let told = format!(r#"{{"missing_program":"no-such-tool","shows":"{shows}"}}"#);
        assert!(said.lines().any(|line| line == told), "{said}");
        assert_eq!(said.lines().find(|line| line.contains("without_command")), left, "{said}");
    }
}

/// What a run drops that came after the last look is missed as well: it is looked at before the run begins.
#[test]
fn a_commit_of_the_user_made_while_a_question_was_open_is_missed_when_the_next_run_drops_it() {
    let plan = "# EXECUTION_PLAN.md — Small\n\n### Sprint 1: One\n\n**Exit criteria**:\n- [ ] AC-001: `true --all` passes\n";
    let agent = r#"{"name": "a", "displayName": "A", "description": "Answers", "behavior": {"completionType": "manual",
        "completionConfig": {"completionKeyword": "READY", "maxIterations": 1}}}"#;
    for (protocol, document, text, answer) in
        [("sprint", "PLAN.md", plan, "trust"), ("iteration", "agent.json", agent, "more")]
    {
        let dir = repository();
        fs::write(dir.path().join(document), text).unwrap();
        git(dir.path(), &["add", "."]);
        git(dir.path(), &["commit", "-q", "-m", "what is to be done"]);
        let line = ["run", "--protocol", protocol, document, "--agent", "exec:echo not yet"];
        endstate(dir.path(), &line).expect(10);
        git(dir.path(), &["commit", "-q", "--allow-empty", "-m", "of the user"]);
        let users = git(dir.path(), &["rev-parse", "HEAD"]);
        endstate(dir.path(), &["answer", answer]).expect(0);
        let drops = "exec:sh -c 'git reset -q --hard HEAD~1; echo READY'";
        let said = endstate(dir.path(), &["run", "--agent", drops]).expect(10).out;
        assert!(said.contains("the head moved from"), "{said}");
        assert!(said.contains(&format!("git reset --keep {}", users.trim())), "{said}");
    }
}

/// As a run may: the head that it leaves is looked at before anything follows from its answer.
#[test]
fn a_command_that_decides_and_drops_a_commit_of_the_user_is_asked_about() {
    let agent = r#"{"name": "a", "displayName": "A", "description": "Answers", "behavior": {"completionType": "check",
        "completionConfig": {"command": ["sh", "check.sh"], "maxIterations": 3}}}"#;
    let dir = repository();
    fs::write(dir.path().join("agent.json"), agent).unwrap();
    fs::write(dir.path().join("check.sh"), "git reset -q --hard HEAD~1\n").unwrap();
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-q", "-m", "what is to be done"]);
    git(dir.path(), &["commit", "-q", "--allow-empty", "-m", "of the user"]);
    let users = git(dir.path(), &["rev-parse", "HEAD"]);
    let line = ["run", "--protocol", "iteration", "agent.json", "--agent", "exec:echo worked"];
    let said = endstate(dir.path(), &line).expect(10).out;
    assert!(said.contains(&format!("git reset --keep {}", users.trim())), "{said}");
}

#[test]
fn a_task_that_runs_out_of_turns_asks_and_its_answer_goes_on() {
    let dir = with_task(TASK);
    let said = run(dir.path(), &["--max-turns", "2", "--test", "make test"]).expect(10);
    assert!(
        said.out.contains("turn_limit")
            || said.last()["reason"].as_str().unwrap().contains("no turn is left")
    );
    let status = endstate(dir.path(), &["status"]).expect(0);
    assert!(status.out.contains("0/1") && status.out.contains("endstate answer"), "{}", status.out);
    endstate(dir.path(), &["answer", "more"]).expect(0);
    let last = run(dir.path(), &[]).expect(0).last();
    assert_eq!((&last["continuation"], &last["closed_by"]), (&"done".into(), &"verified".into()));
    // Another document is another mission.
    fs::write(dir.path().join("TASK-2.md"), TASK.replace("TASK-1", "TASK-2")).unwrap();
    let line =
        ["run", "--protocol", "promise", "TASK-2.md", "--agent", "script:team.yaml", "--json"];
    assert_eq!(endstate(dir.path(), &line).expect(13).code(), "anchor_mismatch");
}

#[test]
fn documents_that_make_no_sense_begin_nothing() {
    let feature = |tasks: &str| format!("id: F\nname: x\ntasks:\n{tasks}");
    let one = |id: &str, after: &str| {
        format!(
            "  - {{id: {id}, name: x, file_path: TASK-1.md, dependencies: [{after}], status: pending}}\n"
        )
    };
    for (name, text, code) in [
        ("empty.md", "# Nothing\n".to_owned(), "empty_criteria"),
        ("twice.md", TASK.replace("- hello", "- AC-1: a\n- AC-1: b\n- hello"), "duplicate_id"),
        ("unclosed.md", "---\nid: x\n# no end\n".to_owned(), "truncated"),
        ("unknown.yaml", feature(&one("A", "B")), "dependency_unknown"),
        ("circle.yaml", feature(&(one("A", "B") + &one("B", "A"))), "dependency_cycle"),
    ] {
        let dir = with_task(TASK);
        fs::write(dir.path().join(name), text).unwrap();
        let line = ["run", "--protocol", "promise", name, "--agent", "script:team.yaml", "--json"];
        let said = endstate(dir.path(), &line).expect(13);
        let at = said.last()["error"]["at"].as_str().unwrap_or_default().to_owned();
        assert_eq!(said.code(), code, "{name}: {}", said.out);
        assert!(at.starts_with(name), "{name}: {at}");
        assert!(!dir.path().join(".agent").exists(), "{name} left something behind");
    }
    let dir = with_task(TASK);
    for path in ["../TASK-1.md", "/etc/hostname"] {
        let line = ["run", "--protocol", "promise", path, "--agent", "script:team.yaml", "--json"];
        assert_eq!(endstate(dir.path(), &line).expect(2).code(), "usage");
    }
}

const AGENT: &str = r#"{"name": "facilitator", "behavior": {"completionType": "custom",
    "completionConfig": {"handlerPath": "completion/handler.ts"}}}"#;

const SESSION: &str = r#"
runs:
  - when: {role: agent}
    raw: |
      We agreed.

      ```action
      {"type": "decision", "text": "${visit}"}
      ```
"#;

#[test]
fn a_custom_handler_is_a_builtin_or_a_program() {
    let name = ".agent/facilitator/completion/handler.ts";
    let program = "sh -c 'read -r line; case $line in *\\\"iteration\\\":2*) echo {\\\"complete\\\":true} ;; *) echo {\\\"complete\\\":false} ;; esac'";
    for (handler, runs) in [("builtin:facilitator", 3), (program, 2)] {
        let dir = with_task(TASK);
        fs::write(dir.path().join("agent.json"), AGENT).unwrap();
        fs::write(dir.path().join("team.yaml"), SESSION).unwrap();
        let handler = format!("{name}={handler}");
        let line = [
            "run",
            "--protocol",
            "iteration",
            "agent.json",
            "--agent",
            "script:team.yaml",
            "--json",
            "--arg",
            "topic=names",
            "--handler",
            &handler,
        ];
        let last = endstate(dir.path(), &line).expect(0).last();
        assert_eq!(
            (&last["closed_by"], &last["runs"]),
            (&"observed".into(), &runs.into()),
            "{last}"
        );
    }
}

#[test]
fn definitions_that_make_no_sense_begin_nothing() {
    let definition = |kind: &str, config: &str| {
        format!(
            r#"{{"name": "a", "behavior": {{"completionType": "{kind}", "completionConfig": {config}}}}}"#
        )
    };
    for (text, field) in [
        (definition("manual", r#"{"completionKeyword": ""}"#), "completionKeyword"),
        (definition("iterate", r#"{"maxIterations": 0}"#), "maxIterations"),
        (definition("custom", r#"{"handlerPath": "../../etc/passwd"}"#), "handlerPath"),
        (definition("composite", r#"{"operator": "and", "conditions": []}"#), "conditions"),
        (definition("whenever", "{}"), "completionType"),
        (definition("issue", "{}"), "issue"),
    ] {
        let dir = with_task(TASK);
        fs::write(dir.path().join("agent.json"), &text).unwrap();
        let line = [
            "run",
            "--protocol",
            "iteration",
            "agent.json",
            "--agent",
            "script:team.yaml",
            "--json",
        ];
        let said = endstate(dir.path(), &line).expect(13);
        let at = said.last()["error"].to_string();
        assert!(at.contains(field), "{text}: {at}");
        assert!(!dir.path().join(".agent").exists(), "{text} left something behind");
    }
}
