//! Missions that are driven: to the end, to a question, to a block, with waivers.

use crate::common::{MISSION, TEAM, endstate, git, repository};
use std::fs;
use std::path::Path;

fn agent() -> String {
    format!("script:{TEAM}")
}

fn mark(root: &Path, name: &str) {
    fs::create_dir_all(root.join(".agent/tmp")).unwrap();
    fs::write(root.join(".agent/tmp").join(name), "").unwrap();
}

#[test]
fn a_run_says_in_one_line_what_is_expected_and_what_is_the_most() {
    let dir = repository();
    let budgets = ["--budget", "role_runs=40", "--budget", "cost_micros=25000000"];
    let line = ["run", MISSION, "--agent", &agent()];
    let said = endstate(dir.path(), &[&line[..], &budgets].concat()).expect(0).out;
    let bounds: Vec<&str> = said.lines().filter(|line| line.contains("at most 40 runs")).collect();
    let [line] = bounds[..] else { panic!("{said}") };
    assert!(line.starts_with("expects about 9 runs; at most 40 runs, "), "{line}");
    assert!(line.contains(" 200 M tokens and $ 25 "), "{line}");
    assert!(!said.contains("millionths"), "{said}");
}

#[test]
fn run_begins_a_mission_and_carries_it_to_its_end() {
    let dir = repository();
    let said = endstate(
        dir.path(),
        &["run", MISSION, "--agent", &agent(), "--budget", "role_runs=20", "--json"],
    )
    .expect(0);
    let last = said.last();
    assert_eq!((&last["result"], &last["continuation"]), (&"run".into(), &"done".into()));
    assert_eq!(last["worst_case_runs"], 20);
    let worst = said.out.lines().find(|line| line.contains("worst_case\":{")).unwrap();
    assert!(worst.contains("\"role_runs\":20"), "{worst}");
    assert!(worst.contains("\"expected_runs\":9"), "{worst}");
    assert_eq!(git(dir.path(), &["show", "HEAD:greeting.txt"]), "hello");
    endstate(dir.path(), &["check"]).expect(0);
    // Once more: done is done.
    endstate(dir.path(), &["run", MISSION, "--agent", &agent()]).expect(0);
    let other = endstate(dir.path(), &["run", "Another", "--agent", &agent(), "--json"]).expect(13);
    assert_eq!(other.code(), "anchor_mismatch");
    let late = ["run", "--agent", &agent(), "--budget", "role_runs=9", "--json"];
    assert_eq!(endstate(dir.path(), &late).expect(2).code(), "usage");
    assert_eq!(endstate(dir.path(), &["pause", "--json"]).expect(13).code(), "mission_done");
}

/// A snapshot is a file that anybody may write to: what it says is not done by the journal is not done.
#[test]
fn nothing_is_done_that_its_journal_does_not_say() {
    let dir = repository();
    let root = dir.path();
    endstate(root, &["init", MISSION]).expect(0);
    let engine = root.join(".agent/endstate");
    let snapshots = || {
        let names = fs::read_dir(&engine).unwrap().map(|entry| entry.unwrap().path());
        names.filter(|path| path.to_string_lossy().contains("snapshot-")).collect::<Vec<_>>()
    };
    for snapshot in snapshots() {
        let text = fs::read_to_string(&snapshot).unwrap();
        let other = text.replace("\"required_stop_judges\":3", "\"required_stop_judges\":1");
        assert_ne!(text, other);
        fs::write(snapshot, other).unwrap();
    }
    let said = endstate(root, &["run", "--agent", &agent(), "--json"]).expect(13);
    assert_eq!(said.code(), "journal_damaged");
    assert_eq!(snapshots(), [] as [std::path::PathBuf; 0]);
    assert_eq!(endstate(root, &["status", "--json"]).expect(13).code(), "journal_damaged");
    assert_eq!(endstate(root, &["archive", "--json"]).expect(13).code(), "journal_damaged");
    let said = endstate(root, &["archive", "--unfinished"]).expect(0);
    assert!(said.out.contains("a journal that does not hold"), "{}", said.out);
    // There is room for the next one; its work is done already, so its agent claims in vain.
    endstate(root, &["run", MISSION, "--agent", &agent()]).expect(10);
    // The state of a mission that is done, at the place where the journal of one that is not ends.
    let (done, begun) = (repository(), repository());
    endstate(done.path(), &["run", MISSION, "--agent", &agent()]).expect(0);
    endstate(begun.path(), &["init", MISSION]).expect(0);
    let newest = |root: &Path| {
        let names = fs::read_dir(root.join(".agent/endstate")).unwrap();
        let names = names.map(|entry| entry.unwrap().path());
        let mut all: Vec<_> =
            names.filter(|path| path.to_string_lossy().contains("snapshot-")).collect();
        let seq = |path: &std::path::PathBuf| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            name.rsplit('-').next().unwrap().parse::<u64>().unwrap()
        };
        all.sort_by_key(seq);
        all.pop().unwrap()
    };
    let read = |path: &Path| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let (theirs, place) = (read(&newest(done.path())), newest(begun.path()));
    let text = fs::read_to_string(&place).unwrap();
    let mut grafted = theirs["snapshot"].clone();
    grafted["head"]["seq"] = read(&place)["snapshot"]["head"]["seq"].clone();
    let state = text.find("\"snapshot\":").unwrap();
    fs::write(&place, format!("{}\"snapshot\":{grafted}}}\n", &text[..state])).unwrap();
    assert_eq!(
        endstate(begun.path(), &["status", "--json"]).expect(0).last()["continuation"],
        "done"
    );
    let line = ["run", "--agent", &agent(), "--json"];
    assert_eq!(endstate(begun.path(), &line).expect(13).code(), "journal_damaged");
    assert_ne!(
        endstate(begun.path(), &["status", "--json"]).expect(0).last()["continuation"],
        "done"
    );
    // A line that was read before it was changed is read once more, too.
    let dir = repository();
    let root = dir.path();
    endstate(root, &["run", MISSION, "--agent", &agent()]).expect(0);
    let journal = root.join(".agent/endstate/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.replacen("run_started", "run_starred", 1)).unwrap();
    let said = endstate(root, &["run", "--agent", &agent(), "--json"]).expect(13);
    assert_eq!(said.code(), "journal_damaged");
}

#[test]
fn an_agent_may_be_any_program() {
    let dir = repository();
    let agent = format!("exec:'{}' role-script '{TEAM}'", env!("CARGO_BIN_EXE_endstate"));
    let said = endstate(dir.path(), &["run", MISSION, "--agent", &agent]).expect(0);
    assert!(said.out.contains("S1 is done"), "{}", said.out);
    assert!(said.out.contains("at most 400 runs, "), "{}", said.out);
}

#[test]
fn a_question_ends_with_ten_and_its_answer_goes_on() {
    let dir = repository();
    endstate(dir.path(), &["init", MISSION]).expect(0);
    mark(dir.path(), "ask");
    let said = endstate(dir.path(), &["run", "--agent", &agent()]).expect(10);
    assert!(said.out.contains("Which greeting?"), "{}", said.out);
    assert!(!said.out.contains('\u{1b}'), "an escape of a role reached the terminal");
    let status = endstate(dir.path(), &["status", "--json"]).expect(0).last();
    let id = status["questions"][0]["id"].as_str().unwrap().to_owned();
    let wrong = endstate(dir.path(), &["answer", "99.1", "hello", "--json"]).expect(13);
    assert_eq!(wrong.code(), "unknown_effect");
    endstate(dir.path(), &["answer", &id, "say", "hello"]).expect(0);
    endstate(dir.path(), &["answer", "hello", "--json"]).expect(13);
    endstate(dir.path(), &["run", "--agent", &agent()]).expect(0);
}

#[test]
fn a_blocked_mission_says_why_and_wants_to_be_resumed() {
    let dir = repository();
    endstate(dir.path(), &["init", MISSION]).expect(0);
    mark(dir.path(), "stuck");
    let said = endstate(dir.path(), &["run", "--agent", &agent()]).expect(11);
    assert!(said.out.contains("the supplier is silent"), "{}", said.out);
    let again = endstate(dir.path(), &["run", "--agent", &agent()]).expect(11);
    assert!(again.out.contains("--resume"), "{}", again.out);
    fs::remove_file(dir.path().join(".agent/tmp/stuck")).unwrap();
    endstate(dir.path(), &["run", "--agent", &agent(), "--resume"]).expect(0);
}

#[test]
fn what_was_waived_ends_with_three() {
    let dir = repository();
    endstate(dir.path(), &["init", MISSION]).expect(0);
    endstate(dir.path(), &["skip-verification", "--reason", "a prototype"]).expect(0);
    let last = endstate(dir.path(), &["run", "--agent", &agent(), "--json"]).expect(3).last();
    assert_eq!(last["continuation"], "done");
    assert_ne!(last["waived"].as_array().unwrap().len(), 0, "{last}");
}

#[test]
fn a_spent_budget_is_a_question_and_a_grant_goes_on() {
    let dir = repository();
    let words = ["run", MISSION, "--agent", &agent(), "--budget", "role_runs=3", "--json"];
    let last = endstate(dir.path(), &words).expect(10).last();
    assert_eq!((&last["runs"], &last["worst_case_runs"]), (&3.into(), &3.into()));
    endstate(dir.path(), &["grant", "role_runs", "10"]).expect(0);
    endstate(dir.path(), &["run", "--agent", &agent()]).expect(0);
}

#[test]
fn schemas_and_views_are_json() {
    let dir = repository();
    endstate(dir.path(), &["init", MISSION]).expect(0);
    let last = endstate(dir.path(), &["schema", "--out", "schemas", "--json"]).expect(0).last();
    assert!(last["schemas"].as_u64().unwrap() >= 17);
    for name in ["event", "report-implementer", "scenario", "snapshot"] {
        let path = dir.path().join(format!("schemas/{name}.schema.json"));
        let text = fs::read_to_string(path).unwrap();
        let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(schema["$schema"].as_str().unwrap().contains("2020-12"), "{name}");
    }
    let view: serde_json::Value =
        serde_json::from_str(&endstate(dir.path(), &["view", "--print"]).expect(0).out).unwrap();
    assert_eq!(view["title"], MISSION);
    let why = endstate(dir.path(), &["why", "--json"]).expect(0).last();
    assert_eq!(why["chosen"]["name"], "not_started");
}
