//! The "must not" list of the supervisor: each is broken here by hand, and noticed when the snapshot is
//! opened. (Arrows are seen in the event that takes them: `src/protocols/sprint/check.rs`.)
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use crate::sprint_tales;
use crate::sprint_tales::*;
use endstate::engine::Engine;
use endstate::snapshot::Snapshot;

/// Opens the story's snapshot with something changed; answers with the code, empty if nothing is broken.
fn broken(story: &Story, changes: &[(&str, Value)]) -> String {
    let mut snapshot = serde_json::to_value(story.engine.snapshot()).unwrap();
    for (pointer, value) in changes {
        *snapshot.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value.clone();
    }
    match Snapshot::read(&snapshot.to_string()) {
        Ok(_) => String::new(),
        Err(error) => error.code.to_string(),
    }
}

fn check_broken(story: &Story, pointer: &str, value: Value, code: &str) {
    assert_eq!(broken(story, &[]), "", "the story itself holds");
    assert_eq!(broken(story, &[(pointer, value)]), code, "{pointer}");
}

const SPRINT: &str = "/mission/state/sprints/0";

fn in_sprint(path: &str) -> String {
    format!("{SPRINT}{path}")
}

fn row() -> Story {
    going(mission(vec![unit("a", &[], vec![part("1"), part("2")])]))
}

#[test]
fn nobody_verifies_in_a_session_that_was_named_late() {
    let mut story = going(single(vec![judged("AC-001")]));
    let run = story.begin_in("agent", None);
    story.names(run, "late");
    finish(&mut story, run, "a/1", says("a/1", "completed", &["AC-001"]));
    let run = story.begin_in("verifier", Some("late"));
    story.end(run, report(verdicts_on("a/1", &["AC-001"], &[])));
    assert_eq!(story.problem(), "own_verdict");
}

/// Who may not write, did, and left no report that can be read, is not asked for one: nothing it says counts.
#[test]
fn a_verifier_that_touched_the_tree_is_not_asked_again() {
    let mut story = going(single(vec![judged("AC-001")]));
    work(&mut story, "a/1", &["AC-001"]);
    let run = story.begin_item("verifier", "a/1");
    story.world.commit(&["a/mended.rs"]);
    story.end(run, "nothing");
    let rounds = at(&story, "a/1", "/rounds");
    assert_eq!((story.problem().as_str(), rounds), ("read_only_touched", json!(1)));
    assert_eq!(story.due(), "agent");
}

/// Dispatch Sprint N+1 before Sprint N is confirmed complete.
#[test]
fn never_starts_before_the_one_before_it() {
    let mut story = row();
    work(&mut story, "a/1", &[]);
    check_broken(&story, &in_sprint("/status"), json!("PARTIAL"), "broken_order");
}

/// Start a dependent work unit before its prerequisites are verified; override the dependency graph.
#[test]
fn never_starts_before_what_it_waits_for() {
    let units = vec![unit("a", &[], vec![part("1")]), unit("b", &["a"], vec![part("1")])];
    let mut story = going(mission(units));
    work(&mut story, "a/1", &[]);
    assert_eq!(due(&story), ["b/1"]);
    check_broken(&story, &in_sprint("/awaits_gate"), json!(["*"]), "broken_order");
    let checks = json!([{"argv": ["make"], "expect": {"to": "succeed"}}]);
    check_broken(&story, "/mission/state/units/1/checks", checks, "broken_order");
}

/// Dispatch sprints for multiple work units in a single agent; more than one run of a unit.
#[test]
fn never_sends_two_runs_for_one_unit() {
    let mut story = row();
    begin(&mut story, "a/1");
    check_broken(&story, "/mission/state/core/life/runs", json!([]), "broken_topology");
    let mut both = serde_json::to_value(story.engine.snapshot()).unwrap();
    let mut second = both["head"]["outbox"][0].clone();
    second["effect"]["id"] = json!("1.7");
    second["effect"]["order"]["data"]["item"] = json!("a/2");
    second["delivery"] = json!({"phase": "ordered"});
    both["head"]["outbox"].as_array_mut().unwrap().push(second);
    assert_eq!(Snapshot::read(&both.to_string()).unwrap_err().code, Code::BrokenTopology);
}

fn spawn_place(story: &Story) -> String {
    let value = serde_json::to_value(story.engine.snapshot()).unwrap();
    let outbox = value["head"]["outbox"].as_array().unwrap();
    let place = outbox.iter().position(|one| one["effect"]["order"]["type"] == "spawn_role");
    format!("/head/outbox/{}/effect/order", place.unwrap())
}

/// Give an agent multiple goals; load it with what it does not need: the prompt is that of one sprint.
#[test]
fn never_gives_a_run_more_than_one_goal() {
    let mut story = Story::start(&wrap(single(vec![shown("AC-001")])), World::new());
    story.settle();
    story.command(Command::Start);
    story.settle_until("spawn_role");
    let prompt = format!("{}/data/prompt", spawn_place(&story));
    check_broken(&story, &prompt, json!("Do part 1 and part 2."), "broken_dispatch");
}

/// Load agents with unnecessary context.
#[test]
fn never_loads_what_the_sprint_does_not_need() {
    let mut story = row();
    begin(&mut story, "a/1");
    let many: Vec<String> = (0..26).map(|number| format!("f{number}")).collect();
    check_broken(&story, &in_sprint("/plan/reads"), json!(many), "broken_dispatch");
}

/// Dispatch vague exit criteria.
#[test]
fn never_dispatches_vague_criteria() {
    let mut story = going(single(vec![judged("AC-001")]));
    begin(&mut story, "a/1");
    check_broken(&story, &in_sprint("/vague"), json!([true]), "broken_dispatch");
}

/// Skip entry or exit criteria: none is dropped, none left open.
#[test]
fn never_completes_over_an_open_criterion() {
    let mut story = row();
    work(&mut story, "a/1", &[]);
    let state = in_sprint("/criteria/0/state");
    check_broken(&story, &state, json!({"state": "open"}), "broken_done");
    check_broken(&story, &in_sprint("/criteria"), json!([]), "broken_criteria");
    check_broken(&story, &in_sprint("/checks"), json!([]), "broken_criteria");
}

#[test]
fn never_lets_a_run_verify_its_own_work() {
    let mut story = going(single(vec![judged("AC-001")]));
    work(&mut story, "a/1", &["AC-001"]);
    verify(&mut story, "a/1", &["AC-001"], &[]);
    let claimant = at(&story, "a/1", "/criteria/0/state/claimed_by/run");
    let pointer = in_sprint("/criteria/0/state/verified_by");
    check_broken(&story, &pointer, json!([claimant]), "broken_separation");
}

#[test]
fn never_lets_a_verifier_and_a_writer_meet() {
    let units = vec![unit("a", &[], vec![part("1")]), unit("b", &[], vec![part("1")])];
    let mut story = going(mission(units));
    begin(&mut story, "a/1");
    let value = serde_json::to_value(story.engine.snapshot()).unwrap();
    let outbox = value["head"]["outbox"].as_array().unwrap();
    let place = outbox.iter().position(|one| one["effect"]["order"]["data"]["item"] == "b/1");
    let role = format!("/head/outbox/{}/effect/order/data/role", place.unwrap());
    check_broken(&story, &role, json!("sprint-verifier"), "broken_topology");
}

#[test]
fn never_builds_beside_others() {
    let units = vec![unit("a", &[], vec![part("1")]), unit("b", &[], vec![part("1")])];
    let mut story = going(mission(units));
    begin(&mut story, "a/1");
    check_broken(&story, &in_sprint("/alone"), json!(true), "broken_topology");
}

#[test]
fn never_tries_beyond_the_limit() {
    let story = row();
    for (field, value) in [("attempt", 4), ("attempt", 0), ("continuations", 4), ("rounds", 3)] {
        check_broken(&story, &in_sprint(&format!("/{field}")), json!(value), "broken_limit");
    }
}

/// Escalate deferred sprints to FATAL just because the condition is not met yet.
#[test]
fn never_makes_a_wait_fatal_by_itself() {
    let sprint = kind(TaskKind::Deferred, part("1"));
    let units = vec![unit("a", &[], vec![sprint]), unit("b", &[], vec![part("1")])];
    let mut story = Story::start(&wrap(mission(units)), World::new());
    exits(&mut story, "a/1", "AC-001", 1);
    story.go();
    check_broken(&story, &in_sprint("/status"), json!("FATAL"), "broken_limit");
}

#[test]
fn never_dispatches_beside_the_table() {
    let story = row();
    check_broken(&story, "/head/control", json!("paused"), "broken_dispatch");
    check_broken(&story, &in_sprint("/choice"), Value::Null, "broken_dispatch");
    check_broken(&story, &in_sprint("/status"), json!("PENDING"), "broken_dispatch");
}

/// Modify the plan, write production code or tests: the engine writes its own files and commits nothing.
#[test]
fn never_writes_or_commits_what_is_not_its_own() {
    let story = row();
    let order = spawn_place(&story);
    let write = |path: &str| {
        json!({"type": "write_file", "data": {"path": path, "revision": 1, "expected": null,
            "aside": null, "executable": false}})
    };
    for path in ["src/main.rs", "EXECUTION_PLAN.md", "tests/a.rs"] {
        assert_eq!(broken(&story, &[(&order, write(path))]), "broken_outbox", "{path}");
    }
    let commit = json!({"type": "commit_files", "data": {"paths": [], "message": "m", "expected_head": null}});
    check_broken(&story, &order, commit, "broken_outbox");
}

/// Use state names that are not defined.
#[test]
fn never_uses_a_state_that_is_not_there() {
    let story = row();
    for word in ["WAITING", "in_progress", "✅ COMPLETED", "READY"] {
        check_broken(&story, &in_sprint("/status"), json!(word), "unknown_value");
        check_broken(&story, "/mission/state/units/0/status", json!(word), "unknown_value");
    }
}

#[test]
fn never_ends_over_open_work() {
    let mut story = going(single(vec![shown("AC-001")]));
    work(&mut story, "a/1", &[]);
    check_broken(&story, &in_sprint("/status"), json!("PENDING"), "broken_stop");
    check_broken(&story, &in_sprint("/awaits_gate"), json!(["*"]), "broken_stop");
    // What a command shows is shown at the final head, and everything is committed.
    check_broken(&story, &in_sprint("/verified_ordinal"), json!(1), "broken_stop");
    let dirty = json!([{"path": "a/x.rs", "digest": "d1"}]);
    check_broken(&story, "/mission/state/core/life/seen/dirty", dirty, "broken_stop");
}

#[test]
fn never_waits_while_it_must_go_on() {
    check_broken(&row(), "/head/outbox", json!([]), "broken_continuation");
}

#[test]
fn never_spends_beyond_a_limit() {
    check_broken(&row(), "/head/budget/role_runs/limit", json!(0), "broken_budget");
}

/// A config that makes no sense is refused before anything runs, with the place of its fault.
#[test]
fn what_cannot_be_ordered_never_begins() {
    let refused = |config: sprint::Config, code: Code, at: &str| {
        let error = endstate::start(&wrap(config), 0).unwrap_err();
        assert_eq!((error.code, error.at.as_str()), (code, at), "{error}");
    };
    let at = "mission.settings.units";
    refused(mission(Vec::new()), Code::MissingField, at);
    refused(
        mission(vec![unit("a", &[], Vec::new())]),
        Code::MissingField,
        &format!("{at}[0].sprints"),
    );
    refused(
        mission(vec![unit("a", &["z"], vec![part("1")])]),
        Code::DependencyUnknown,
        &format!("{at}[0].after"),
    );
    let (a, b) = (unit("a", &["b"], vec![part("1")]), unit("b", &["a"], vec![part("1")]));
    refused(mission(vec![a, b]), Code::DependencyCycle, at);
    let twice = vec![unit("a", &[], vec![part("1"), part("1")])];
    refused(mission(twice), Code::DuplicateId, &format!("{at}[0].sprints[1].label"));
    let twice = vec![unit("a", &[], vec![part("1")]), unit("a", &[], vec![part("1")])];
    refused(mission(twice), Code::DuplicateId, &format!("{at}[1].id"));
    let none = vec![unit("a", &[], vec![of("1", Vec::new())])];
    refused(mission(none), Code::EmptyCriteria, &format!("{at}[0].sprints[0].criteria"));
    let mut leaves = unit("a", &[], vec![part("1")]);
    leaves.directory = "../outside".to_owned();
    refused(mission(vec![leaves]), Code::InvalidValue, &format!("{at}[0].directory"));
    let config = mission(vec![unit("a", &[], vec![part("1")])]);
    refused(
        sprint::Config { max_retries: 0, ..config },
        Code::NumberOutOfRange,
        "mission.settings.max_retries",
    );
}

/// Takes the events of a story again, and shows after each the state file as the host last wrote it.
fn replayed(story: &Story, mut after: impl FnMut(&Engine, &str)) {
    let path = sprint::files::state_path("");
    let (mut engine, _) = Engine::start(&story.config, story.began.0).unwrap();
    let mut written = String::new();
    for (event, _) in &story.taken {
        let is_written = engine.pending().iter().any(|one| {
            let ours = matches!(&one.effect.order, Order::WriteFile(write) if write.path == path);
            ours && matches!(&event.fact, Fact::EffectPerformed(fact) if fact.effect == one.effect.id)
        });
        if is_written {
            written = engine.render(&path).unwrap();
        }
        engine.apply(event).unwrap();
        after(&engine, &written);
    }
}

/// Nobody who reads the state file is told that it runs while it waits, or the other way round.
#[test]
fn the_state_file_says_where_the_mission_stands() {
    let mut seen = std::collections::BTreeMap::<&str, usize>::new();
    let mut wrong = Vec::new();
    for tale in sprint_tales::all() {
        let story = (tale.tell)();
        replayed(&story, |engine, page| {
            let word = match engine.continuation() {
                Continuation::Blocked => "- Status: blocked\n",
                Continuation::AwaitUserInput => "- Status: awaiting the user\n",
                Continuation::Continue | Continuation::Paused | Continuation::Done => return,
            };
            *seen.entry(word).or_default() += 1;
            if !page.contains(word) {
                let said = page.lines().find(|line| line.starts_with("- Status")).unwrap_or("");
                wrong.push(format!("{}: {said} for {word}", tale.name));
            }
        });
    }
    // Where the file itself cannot be written.
    assert_eq!(wrong, ["full-disk: - Status: not started for - Status: awaiting the user\n"]);
    assert!(seen.len() == 2 && seen.values().all(|count| *count > 10), "{seen:?}");
}

/// What one supervisor writes another reads: the state file says of every sprint where it stands.
#[test]
fn a_state_file_is_read_back() {
    let config = || mission(vec![unit("a", &[], vec![part("1"), part("2"), part("3")])]);
    let mut story = going(config());
    work(&mut story, "a/1", &[]);
    fails(&mut story, "a/2");
    let page = page(&story, "SUPERVISOR_STATE.md");
    let recorded = sprint::files::read::state(&page);
    assert_eq!(recorded.notes, Vec::<String>::new());
    let mut again = config();
    recorded.adopt(&mut again);
    let begins: Vec<Begins> = again.units[0].sprints.iter().map(|one| one.begins).collect();
    use sprint::status::SprintStatus;
    assert_eq!(begins[0], Begins::Adopted { status: SprintStatus::Completed, attempt: 1 });
    assert_eq!(begins[1], Begins::Adopted { status: SprintStatus::Dispatched, attempt: 2 });
    assert_eq!(begins[2], Begins::Fresh);
    let mut story = going(again);
    assert_eq!((due(&story), attempt(&story, "a/2")), (vec!["a/2".to_owned()], 2));
    work(&mut story, "a/2", &[]);
    work(&mut story, "a/3", &[]);
    done(&story);
}

/// Nobody is sent over a sprint of which only its name, or its tasks, say what it is: none says how it is shown.
#[test]
fn a_sprint_without_criteria_is_asked_about() {
    let text = "# P\n\n## Sprint 1: Loader\n\nWords.\n\n## Sprint 2: Page\n\n**Tasks**:\n- Draw `page.rs`\n\n## Sprint 3: \
                End\n\n**Exit criteria**:\n- [ ] `end.rs` exists\n";
    let config = of_plan("P.md", text).unwrap().config;
    let vague: Vec<bool> = config.units[0]
        .sprints
        .iter()
        .map(|one| one.criteria.iter().any(|one| one.vague))
        .collect();
    assert_eq!(vague, [true, true, false]);
}

/// A plan as people write it becomes a config that begins.
#[test]
fn a_plan_becomes_a_mission() {
    let text = include_str!("../../src/cli/demo/sprint/EXECUTION_PLAN.md");
    let files = BTreeMap::from([("EXECUTION_PLAN.md".to_owned(), text.to_owned())]);
    let planned = sprint::plan::config("EXECUTION_PLAN.md", &files, "My Greeter").unwrap();
    let config = planned.config;
    assert_eq!((config.project.as_str(), config.units.len()), ("My-Greeter", 3));
    assert_eq!(config.operation.as_deref(), Some("OPERATION POLITE PIGEON"));
    let release = &config.units[2];
    assert_eq!(release.after, ["words", "page"]);
    let kinds: Vec<TaskKind> = release.sprints.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [TaskKind::Deferred, TaskKind::Manual]);
    endstate::start(&wrap(config), 0).unwrap();
    let error = of_plan("P.md", "# Nothing\n").unwrap_err();
    assert_eq!((error.code, error.at.as_str()), (Code::UnknownFamily, "P.md"));
}

#[test]
fn pages_count_within_a_unit_and_say_nothing_twice() {
    let units = vec![
        unit("a", &[], vec![part("1"), part("2")]),
        unit("b", &["a"], vec![part("3"), part("4")]),
    ];
    let mut story = going(mission(units));
    exits(&mut story, "a/1", "AC-001", 1);
    work(&mut story, "a/1", &[]);
    story.world.exits.clear();
    for sprint in ["a/1", "a/2", "b/3", "b/4"] {
        work(&mut story, sprint, &[]);
    }
    done(&story);
    let state = page(&story, "SUPERVISOR_STATE.md");
    for line in [
        "- Current sprint: 2 of 2\n",
        "- Current sprint: 4 (2 of 2)\n",
        "- Last verified: sprint 4: every criterion is shown\n",
    ] {
        assert!(state.contains(line), "{line}{state}");
    }
    let failed = state.lines().find(|line| line.contains("BACKOFF")).unwrap();
    let sentence = "A command exited with a status other than zero.";
    assert_eq!(failed.matches(sentence).count(), 1, "{failed}");
    let log = page(&story, "COMPLETE_Greeter.md");
    assert!(log.contains("**Parallelism gain**: none"), "{log}");
    assert!(!log.contains(" 0.0 "), "{log}");
}

/// A mission of the build that sent all verifiers of a unit together and refused itself the step: what is taken of its
/// journal comes to a mission that goes on, and ends.
#[test]
fn a_mission_that_stood_before_several_verifiers_of_a_unit_goes_on() {
    let old = |name: &str| {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/old/sprint_topology");
        std::fs::read_to_string(format!("{path}/{name}")).unwrap()
    };
    let mut replayer = endstate::journal::Replayer::new();
    old("journal.jsonl").lines().for_each(|line| replayer.line(line.as_bytes()).unwrap());
    replayer.upgrade(1_900_000_000_000).unwrap().unwrap();
    let (engine, _) = replayer.into_parts().unwrap();
    let mut story = row();
    story.at = engine.snapshot().head.at;
    (story.engine, story.world) = (engine, World::new());
    (0..3).for_each(|_| drop(story.world.commit(&["a/shared.rs"])));
    *story.world.files = serde_json::from_str(&old("files.json")).unwrap();
    honest::Honest::new(1).play(&mut story);
    done(&story);
}
