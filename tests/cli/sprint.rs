//! Sprint from the command line: the demo, a plan of one's own, plans that make no sense, and every way
//! of stopping.

use crate::common::{Running, Said, endstate, git, repository, until};
use crate::protocols::{asked, demo};
use serde_json::Value;
use std::fs;
use std::path::Path;

const PLAN: &str = "# Greeting\n\n## Sprint 1: Say hello\n\n**Tasks**:\n1. Write `hello.txt`.\n\n**Exit criteria**:\n\
    - [ ] `grep -q hello hello.txt` succeeds\n\n## Sprint 2: Say goodbye\n\n**Tasks**:\n1. Write `bye.txt`.\n\n\
    **Exit criteria**:\n- [ ] `grep -q bye bye.txt` succeeds\n";

/// The first sprint waits for `.agent/tmp/go` when `.agent/tmp/wait` is there.
const TEAM: &str = r#"
commit_date: 2030-01-01T00:00:00Z
runs:
  - when: {role: plan-namer}
    report: {block: {answers: [{id: name, answer: {type: text, text: OPERATION TIN WHISTLE}}]}}
  - when: {role: agent, item: plan/1, exists: .agent/tmp/wait}
    do:
      - write: {path: hello.txt, text: "hel"}
      - say: waiting for the test
      - wait_for: .agent/tmp/go
      - write: &hello {path: hello.txt, text: "hello\n"}
      - commit: Say hello
    report: &first {block: {sprint: plan/1, outcome: completed}}
  - when: {role: agent, item: plan/1}
    do:
      - write: *hello
      - commit: Say hello
    report: *first
  - when: {role: agent, item: plan/2}
    do:
      - write: {path: bye.txt, text: "bye\n"}
      - commit: Say goodbye
    report: {block: {sprint: plan/2, outcome: completed}}
"#;

const DRIVE: [&str; 8] =
    ["run", "--protocol", "sprint", "--agent", "script:.git/team.yaml", "--poll", "1", "--json"];

/// A repository with this plan; the team lies where it dirties nothing.
fn planned(plan: &str) -> tempfile::TempDir {
    let dir = repository();
    fs::write(dir.path().join("EXECUTION_PLAN.md"), plan).unwrap();
    fs::write(dir.path().join(".git/team.yaml"), TEAM).unwrap();
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-q", "-m", "a plan"]);
    dir
}

fn run(root: &Path, more: &[&str]) -> Said {
    endstate(root, &[&DRIVE[..], more].concat())
}

fn view(root: &Path) -> Value {
    serde_json::from_str(&endstate(root, &["view", "--print"]).out).unwrap_or_default()
}

fn state(root: &Path) -> String {
    fs::read_to_string(root.join("SUPERVISOR_STATE.md")).unwrap()
}

/// The status of both sprints.
fn statuses(root: &Path) -> Vec<String> {
    let view = view(root);
    let nodes = view["nodes"].as_array().unwrap();
    nodes.iter().map(|node| node["status"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_sprint_demo_comes_to_its_end_after_its_incidents() {
    let (last, _dir) = demo("sprint");
    assert_eq!((&last["items"], &last["items_done"]), (&6.into(), &6.into()));
    assert_eq!((&last["failed_attempts"], &last["closed_by"]), (&5.into(), &"verified".into()));
    let repo = Path::new(last["repo"].as_str().unwrap());
    let state = state(repo);
    for word in ["Resumed", "large", "attempt 3"] {
        assert!(state.to_lowercase().contains(&word.to_lowercase()), "{word}: {state}");
    }
    let log = fs::read_to_string(repo.join("COMPLETE_demo.md")).unwrap();
    assert!(log.contains("- Total sprints completed: 6"), "{log}");
    // The two files of the supervisor are in nobody's way, and whoever wants them in the history adds them by name.
    let left = git(repo, &["status", "--porcelain", "--untracked-files=all"]);
    assert_eq!(left, "");
    git(repo, &["add", "-f", "COMPLETE_demo.md", "SUPERVISOR_STATE.md"]);
    git(repo, &["commit", "-q", "-m", "What the supervisor wrote"]);
    asked(&last);
}

#[test]
fn check_takes_no_file_of_the_mission_for_a_change() {
    let dir = planned(PLAN);
    let root = dir.path();
    run(root, &["--trust"]).expect(0);
    assert!(root.join("SUPERVISOR_STATE.md").exists());
    let said = endstate(root, &["check"]).expect(0).out;
    assert!(said.contains(", clean") && said.contains("0 faults, 0 notes"), "{said}");
    fs::write(root.join("hello.txt"), "hello, changed").unwrap();
    let said = endstate(root, &["check"]).expect(0).out;
    assert!(said.contains(", dirty") && said.contains("0 faults, 1 notes"), "{said}");
    // What somebody did to them is told as what it is.
    fs::write(root.join("SUPERVISOR_STATE.md"), "another").unwrap();
    let said = endstate(root, &["check"]).expect(13).out;
    assert!(said.contains("SUPERVISOR_STATE.md: fault"), "{said}");
}

/// What a mission wrote beside its plan and kept from git is no change to the next mission either, whose journal does not
/// know it.
#[test]
fn what_an_earlier_mission_left_beside_its_plan_is_no_change() {
    let dir = planned(PLAN);
    let root = dir.path();
    run(root, &["--trust"]).expect(0);
    endstate(root, &["archive"]).expect(0);
    let left = git(root, &["status", "--short", "--ignored"]);
    assert!(left.contains("!! COMPLETE_"), "{left}");
    let task = "---\nid: TASK-1\n---\n# Task: A greeting\n\n## Acceptance Criteria\n\n- hello.txt says hello\n";
    fs::write(root.join("TASK-1.md"), task).unwrap();
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "a task"]);
    let line = ["run", "--protocol", "promise", "TASK-1.md", "--agent", "exec:false", "--json"];
    let said = endstate(root, &line).out;
    assert!(said.contains("play_turn") && !said.contains("dirty_tree"), "{said}");
    let said = endstate(root, &["check"]).expect(0).out;
    assert!(said.contains(", clean") && said.contains("0 faults, 0 notes"), "{said}");
}

#[test]
fn a_plan_is_found_named_shown_and_carried_out() {
    let dir = planned(PLAN);
    let root = dir.path();
    let said = run(root, &[]).expect(10);
    let plan = fs::read_to_string(root.join("EXECUTION_PLAN.md")).unwrap();
    assert_eq!(plan, format!("---\nfeature_name: OPERATION TIN WHISTLE\n---\n\n{PLAN}"));
    // Nothing of the plan runs before its commands were shown as they are.
    assert!(said.out.contains("grep -q hello hello.txt"), "{}", said.out);
    assert_eq!(said.last()["runs"], 0);
    assert!(state(root).contains("OPERATION TIN WHISTLE"), "{}", state(root));
    // Edited by hand: kept aside, and written anew.
    fs::write(root.join("SUPERVISOR_STATE.md"), "Everything is COMPLETED.\n").unwrap();
    endstate(root, &["answer", "trust"]).expect(0);
    let last = run(root, &["./EXECUTION_PLAN.md"]).expect(0).last();
    assert_eq!((&last["items_done"], &last["runs"]), (&2.into(), &2.into()));
    assert!(state(root).contains("| Work Unit |"), "{}", state(root));
    let kept = fs::read_dir(root.join(".agent/tmp")).unwrap().map(|one| one.unwrap().path());
    let kept = kept.filter_map(|path| fs::read_to_string(path).ok()).collect::<String>();
    assert!(kept.contains("Everything is COMPLETED."), "{kept}");
    let status = endstate(root, &["status"]).expect(0).out;
    assert!(status.contains("| COMPLETED | 2/2 | COMPLETED |"), "{status}");
    // Done is done, whoever asks.
    assert_eq!(run(root, &[]).expect(0).last()["runs"], 2);
}

/// What naming a plan changes is committed, alone; where the plan was not as committed, or git does not track it, it is
/// only written.
#[test]
fn the_name_of_a_plan_leaves_the_tree_as_clean_as_it_was() {
    let dir = planned(PLAN);
    let root = dir.path();
    fs::write(root.join("other.txt"), "staged\n").unwrap();
    git(root, &["add", "other.txt"]);
    run(root, &[]).expect(10);
    assert_eq!(git(root, &["status", "--porcelain"]), "A  other.txt");
    let shown = git(root, &["show", "--format=%s", "--name-only", "HEAD"]);
    assert_eq!(shown, "Name the operation: OPERATION TIN WHISTLE\n\nEXECUTION_PLAN.md");

    let dir = planned(PLAN);
    let root = dir.path();
    fs::write(root.join("EXECUTION_PLAN.md"), format!("{PLAN}\nSome more words.\n")).unwrap();
    run(root, &[]).expect(10);
    assert_eq!(git(root, &["status", "--porcelain"]), " M EXECUTION_PLAN.md");
    assert_eq!(git(root, &["log", "-1", "--format=%s"]), "a plan");
}

/// A plan whose boxes are all ticked is asked about, once, and with `take` nobody is sent for it.
#[test]
fn a_plan_that_is_ticked_off_is_asked_about_and_not_done_again() {
    let dir = planned(&PLAN.replace("- [ ]", "- [x]"));
    let root = dir.path();
    for file in ["hello.txt", "bye.txt"] {
        fs::write(root.join(file), "hello\nbye\n").unwrap();
    }
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "Done"]);
    let said = run(root, &["--trust"]).expect(10);
    assert!(said.out.contains("All boxes of 2 sprints are ticked"), "{}", said.out);
    endstate(root, &["answer", "take"]).expect(0);
    let said = run(root, &[]).expect(0);
    let last = said.last();
    assert_eq!((&last["items_done"], &last["runs"]), (&2.into(), &0.into()));
    let words = "✓ Git commits: 0/0 code sprints have commits, 2 done before the mission";
    assert!(said.out.contains(words), "{}", said.out);
}

#[test]
fn a_path_of_a_plan_may_be_written_in_more_ways_than_one() {
    let dir = planned(PLAN);
    let last = run(dir.path(), &[".//./EXECUTION_PLAN.md", "--trust"]).expect(0).last();
    assert_eq!((&last["items_done"], &last["failed_attempts"]), (&2.into(), &0.into()));
    assert!(state(dir.path()).contains("EXECUTION_PLAN.md"), "{}", state(dir.path()));
}

#[test]
fn without_a_command_a_plan_is_started_and_what_is_there_goes_on() {
    let empty = repository();
    assert_eq!(endstate(empty.path(), &["--json"]).expect(13).code(), "file_missing");
    let dir = planned(PLAN);
    let root = dir.path();
    // Nobody to play the roles: what would be done is said, and nothing is begun.
    let said = endstate(root, &["--json"]).expect(2);
    assert_eq!((said.code().as_str(), root.join(".agent").exists()), ("usage", false));
    let agent = ["--agent", "script:.git/team.yaml", "--json"];
    assert_eq!(endstate(root, &agent).expect(10).last()["protocol"], "sprint");
    endstate(root, &["answer", "block"]).expect(0);
    // What is blocked is asked about again, since it is resumed.
    assert_eq!(endstate(root, &agent).expect(10).last()["continuation"], "await_user_input");
    endstate(root, &["answer", "trust"]).expect(0);
    assert_eq!(endstate(root, &agent).expect(0).last()["items_done"], 2);
    assert_eq!(endstate(root, &["--json", "--agent", "pi", "status"]).expect(2).code(), "usage");
}

#[test]
fn the_plan_is_found_from_a_folder_below_and_changed_on_the_line() {
    let dir = planned(PLAN);
    let root = dir.path();
    fs::create_dir_all(root.join("deep/er")).unwrap();
    let agent = format!("script:{}", root.join(".git/team.yaml").display());
    let words = ["-C", "deep/er", "--agent", agent.as_str(), "--json"];
    assert_eq!(endstate(root, &words).expect(10).last()["protocol"], "sprint");
    assert!(root.join(".agent/endstate/journal.jsonl").is_file());
    // Nor need the plan lie in the root of its repository.
    let other = planned("Nothing yet.\n");
    let below = other.path().join("docs");
    fs::create_dir(&below).unwrap();
    fs::rename(other.path().join("EXECUTION_PLAN.md"), below.join("EXECUTION_PLAN.md")).unwrap();
    fs::write(below.join("EXECUTION_PLAN.md"), PLAN).unwrap();
    git(other.path(), &["add", "."]);
    git(other.path(), &["commit", "-q", "-m", "a plan below"]);
    let words = ["-C", "docs", "--agent", agent.as_str(), "--json"];
    assert_eq!(endstate(other.path(), &words).expect(10).last()["protocol"], "sprint");
    assert!(other.path().join(".agent/endstate/journal.jsonl").is_file());
    // Its commands and paths are said from where it lies.
    let team = TEAM.replace("path: hello.txt", "path: docs/hello.txt");
    let team = team.replace("path: bye.txt", "path: docs/bye.txt");
    fs::write(root.join(".git/team.yaml"), team).unwrap();
    endstate(other.path(), &["answer", "trust"]).expect(0);
    let ended = endstate(other.path(), &["--agent", agent.as_str(), "--json"]).expect(0).last();
    assert_eq!((&ended["items_done"], &ended["closed_by"]), (&2.into(), &"verified".into()));
    // All changes or none.
    let change = |words: &[&str]| endstate(root, &[&["amend", "--json"], words].concat());
    let both = ["--criterion", "plan/2=It is polite", "--criterion", "plan/9=Nothing"];
    assert_eq!(change(&both).expect(13).code(), "unknown_item");
    assert_eq!(change(&["--waive", "plan/2=AC-001"]).expect(2).code(), "usage");
    fs::write(root.join(".git/changes.json"), r#"{"changes": [{"change": "fly"}]}"#).unwrap();
    assert_eq!(change(&[".git/changes.json"]).expect(13).code(), "unknown_value");
    change(&["--waive", "plan/2=AC-001", "--reason", "said already"]).expect(0);
    let nodes = view(root)["nodes"].clone();
    assert_eq!(nodes[1]["criteria"].as_array().unwrap().len(), 1);
    assert_eq!(nodes[1]["criteria"][0]["state"], "waived");
}

#[test]
fn trust_and_turns_are_said_on_the_line_and_a_missing_name_stops_nothing() {
    let dir = planned(PLAN);
    let root = dir.path();
    let team = TEAM.replace("OPERATION TIN WHISTLE", "a silly name");
    fs::write(root.join(".git/team.yaml"), team).unwrap();
    let said = run(root, &["--trust", "--max-turns", "7"]).expect(0);
    assert!(said.out.contains("no name of an operation"), "{}", said.out);
    assert_eq!(fs::read_to_string(root.join("EXECUTION_PLAN.md")).unwrap(), PLAN);
    let journal = fs::read_to_string(root.join(".agent/endstate/journal.jsonl")).unwrap();
    assert!(journal.lines().next().unwrap().contains("\"max_turns\":7"));
}

/// What nobody will check is told before anything is done, and once more with the question of trust.
#[test]
fn what_nobody_will_check_is_told_before_the_start() {
    let more = "### Rollout\n\n- [ ] the flag is on\n\n## Sprint 2";
    let dir = planned(&PLAN.replace("## Sprint 2", more));
    let said = run(dir.path(), &[]).expect(10);
    let warning = "1 open check box in line 17: nobody will check this";
    let told = said.out.find(warning).unwrap_or_else(|| panic!("{}", said.out));
    assert!(told < said.out.find("\"rule\"").unwrap_or(usize::MAX), "{}", said.out);
    let questions = view(dir.path())["questions"].to_string();
    assert!(questions.contains("hello.txt") && questions.contains(warning), "{questions}");
}

#[test]
fn plans_that_make_no_sense_begin_nothing() {
    let behind = PLAN.replacen("**Tasks**", "**Depends on**: Sprint 2\n\n**Tasks**", 1);
    let circle = format!(
        "{}\n## Dependencies\n\n```mermaid\ngraph TD\n  Hello --> Bye\n  Bye --> Hello\n```\n",
        PLAN.replace("## Sprint", "### Sprint")
            .replacen("### Sprint 1", "## Hello\n\n### Sprint 1", 1)
            .replacen("### Sprint 2", "## Bye\n\n### Sprint 2", 1)
    );
    for (name, plan, code) in [
        ("empty", String::new(), "empty"),
        ("no sprint", "# Greeting\n\nLater.\n".to_owned(), "unknown_family"),
        ("circle", circle, "dependency_cycle"),
        ("behind", behind, "out_of_order"),
        ("twice", PLAN.replace("Sprint 2", "Sprint 1"), "duplicate_id"),
    ] {
        let dir = planned(&plan);
        assert_eq!(run(dir.path(), &[]).expect(13).code(), code, "{name}");
        assert!(!dir.path().join(".agent").exists(), "{name} left something behind");
        let text = fs::read_to_string(dir.path().join("EXECUTION_PLAN.md")).unwrap();
        assert_eq!(text, plan, "{name} was written to");
    }
    let dir = planned(PLAN);
    fs::remove_file(dir.path().join("EXECUTION_PLAN.md")).unwrap();
    let said = run(dir.path(), &[]).expect(13);
    assert_eq!(said.code(), "file_missing");
    assert!(said.out.contains("EXECUTION_PLAN.md here or in a folder above"), "{}", said.out);
    assert!(!dir.path().join(".agent").exists());
}

/// A mission whose first sprint is at work and waits for a file.
fn waiting() -> (tempfile::TempDir, Running) {
    let dir = planned(PLAN);
    fs::create_dir_all(dir.path().join(".agent/tmp")).unwrap();
    fs::write(dir.path().join(".agent/tmp/wait"), "").unwrap();
    let driver = Running::start(dir.path(), &[&DRIVE[..], &["--trust"]].concat());
    let root = dir.path().to_owned();
    until("a live run", || view(&root)["runs"][0]["last_line"] == "waiting for the test");
    (dir, driver)
}

fn go(root: &Path) {
    fs::write(root.join(".agent/tmp/go"), "").unwrap();
}

#[test]
fn a_stop_waits_for_what_runs_and_counts_it() {
    let (dir, driver) = waiting();
    endstate(dir.path(), &["stop"]).expect(0);
    until("the stop", || state(dir.path()).contains("| STOPPING |"));
    go(dir.path());
    assert_eq!(driver.end().expect(12).last()["continuation"], "paused");
    assert_eq!(statuses(dir.path()), ["COMPLETED", "PENDING"]);
    assert!(state(dir.path()).contains("| STOPPED |"), "{}", state(dir.path()));
    // Without a plan on the line: there is a state, so it is resumed.
    assert_eq!(run(dir.path(), &[]).expect(0).last()["runs"], 2);
}

#[test]
fn a_stop_ends_what_does_not_end_by_itself() {
    let (dir, driver) = waiting();
    endstate(dir.path(), &["stop"]).expect(0);
    assert_eq!(driver.end().expect(12).last()["continuation"], "paused");
    let log = fs::read_to_string(dir.path().join(".agent/sprint/decisions.jsonl")).unwrap();
    assert!(log.contains("force-terminated during graceful shutdown"), "{log}");
    killed(dir.path());
}

#[test]
fn killall_ends_everything_and_keeps_what_was_left() {
    let (dir, driver) = waiting();
    endstate(dir.path(), &["killall"]).expect(0);
    assert_eq!(driver.end().expect(12).last()["continuation"], "paused");
    let state = state(dir.path());
    assert!(state.contains("Status: killed"), "{state}");
    killed(dir.path());
}

/// What the ended run left is neither committed nor thrown away, is named, and is gone on from.
fn killed(root: &Path) {
    assert_eq!(fs::read_to_string(root.join("hello.txt")).unwrap(), "hel");
    assert!(git(root, &["status", "--porcelain"]).contains("?? hello.txt"));
    let words = "has uncommitted work from killed sprint 1";
    assert!(state(root).contains(words), "{}", state(root));
    assert!(state(root).contains("| KILLED |"), "{}", state(root));
    go(root);
    let last = run(root, &[]).expect(0).last();
    assert_eq!((&last["continuation"], &last["items_done"]), (&"done".into(), &2.into()));
}

/// An agent that changes what the journal says of the past: the end it comes to is written nowhere.
#[test]
fn an_end_that_the_journal_does_not_lead_to_is_not_written() {
    let dir = planned(PLAN.split("## Sprint 2").next().unwrap());
    let root = dir.path();
    let agent = "A=$(sed -n 's/^MISSION ANCHOR: //p' | head -1)\n\
        case $ENDSTATE_ROLE in *namer*) printf 'MISSION ANCHOR: %s\\nRemaining contract IDs: none\\n\\n```json\\n\
        {\"answers\":[{\"id\":\"name\",\"answer\":{\"type\":\"text\",\"text\":\"OPERATION TIN WHISTLE\"}}]}\\n```\\n' \"$A\"; exit;; esac\n\
        echo hello > hello.txt; git add hello.txt; git commit -qm hello\n\
        J=.agent/endstate/journal.jsonl\n\
        at=$(grep -bo effect_performed $J | head -1 | cut -d: -f1)\n\
        printf E | dd of=$J bs=1 seek=$at conv=notrunc 2>/dev/null\n\
        printf 'MISSION ANCHOR: %s\\nRemaining contract IDs: AC-001\\n\\n```json\\n\
        {\"sprint\":\"plan/1\",\"outcome\":\"completed\"}\\n```\\n' \"$A\"\n";
    fs::write(root.join(".git/agent.sh"), agent).unwrap();
    let line =
        ["run", "--protocol", "sprint", "--agent", "exec:sh .git/agent.sh", "--trust", "--json"];
    let said = endstate(root, &line).expect(13);
    assert_eq!(said.code(), "journal_damaged");
    assert!(!state(root).contains("- Status: completed"), "{}", state(root));
    let names = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let complete = names.filter(|path| path.to_string_lossy().contains("COMPLETE_"));
    for page in complete.map(|path| fs::read_to_string(path).unwrap()) {
        assert!(!page.contains("## Verdict"), "{page}");
    }
}

/// What the author of a plan is warned of is told as a warning at its start, too.
#[test]
fn remarks_on_a_plan_are_told_by_their_weight() {
    let open = PLAN.replace("- [ ] `grep -q bye bye.txt` succeeds\n", "");
    let dir = planned(&format!("{open}\n## Notes\n\n- nothing\n"));
    let said = endstate(dir.path(), &DRIVE[..7]).expect(10);
    let line = |weight: &str| format!("{weight}: EXECUTION_PLAN.md: ");
    assert!(said.out.contains(&format!("{}empty_criteria", line("warning"))), "{}", said.out);
    assert!(said.out.contains(&format!("{}read_as_text", line("note"))), "{}", said.out);
    // Work that is in no sprint is told before anything begins.
    let dir = planned(&format!("{PLAN}\n## Final sprint: Wave\n\n- [ ] Wave\n"));
    let said = run(dir.path(), &[]).expect(10);
    assert!(
        said.out.contains("overlooked: ") && said.out.contains("1 open check box"),
        "{}",
        said.out
    );
    assert_eq!(said.last()["runs"], 0);
}
