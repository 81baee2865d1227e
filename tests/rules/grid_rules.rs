//! The "never" sentences of the grid protocol: each is broken here by hand, and noticed when the snapshot
//! is opened.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use crate::grid_tales;
use crate::grid_tales::*;
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

const CORE: &str = "/mission/state/core";

fn at_block(place: usize, path: &str) -> String {
    format!("/mission/state/blocks/{place}{path}")
}

fn check_broken(story: &Story, pointer: &str, value: Value, code: &str) {
    assert_eq!(broken(story, &[]), "", "the story itself holds");
    assert_eq!(broken(story, &[(pointer, value)]), code, "{pointer}");
}

/// One block, verified and patrolled: done.
fn finished() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn two() -> Story {
    going(cluster(vec![plan("01", &[]), plan("02", &[])]))
}

#[test]
fn never_ends_over_an_open_must_have() {
    let story = finished();
    check_broken(
        &story,
        &at_block(0, "/criteria/0/state"),
        json!({"state": "open"}),
        "broken_must_have",
    );
    check_broken(&story, &at_block(0, "/status"), json!("executed"), "broken_must_have");
    let gap = json!([{"block": "01", "criterion": "AC-001", "reason": "gone"}]);
    check_broken(&story, &format!("{CORE}/gaps"), gap, "broken_must_have");
}

#[test]
fn never_closes_over_an_open_must_have() {
    let mut story = going(single());
    build(&mut story, "01");
    recognize(&mut story, &[]);
    check_broken(
        &story,
        &at_block(0, "/criteria/1/state"),
        json!({"state": "open"}),
        "broken_done",
    );
}

#[test]
fn never_ends_without_a_patrol() {
    check_broken(&finished(), &format!("{CORE}/patrol"), Value::Null, "broken_stop");
}

#[test]
fn never_goes_on_over_an_anomaly() {
    let anomaly = json!({"wave": 0, "text": "the tests delete the database"});
    check_broken(&finished(), &format!("{CORE}/anomaly"), anomaly, "broken_wave");
}

#[test]
fn never_begins_a_wave_over_an_open_one() {
    let mut story = going(cluster(vec![plan("01", &[]), plan("02", &["01"])]));
    build(&mut story, "01");
    recognize(&mut story, &[]);
    story.begin_item("executor", "02");
    check_broken(&story, &at_block(0, "/status"), json!("retry"), "broken_wave");
}

#[test]
fn never_runs_two_blocks_on_one_file() {
    let story = two();
    let files = json!(["src/shared.rs"]);
    let changes = [
        (&*at_block(0, "/plan/files_modified"), files.clone()),
        (&*at_block(1, "/plan/files_modified"), files),
    ];
    assert_eq!(broken(&story, &changes), "broken_overlap");
}

#[test]
fn never_lets_readers_meet_writers() {
    let mut story = two();
    story.begin_item("executor", "01");
    check_broken(&story, &format!("{CORE}/life/runs"), json!([]), "broken_topology");
    let role = "/head/outbox/1/effect/order/data/role";
    check_broken(&story, role, json!("grid-recognizer"), "broken_topology");
    check_broken(&story, &format!("{CORE}/settings/max_parallel"), json!(1), "broken_topology");
}

#[test]
fn never_verifies_what_is_not_executed() {
    let mut story = two();
    build(&mut story, "01");
    build(&mut story, "02");
    story.begin("recognizer");
    check_broken(&story, &at_block(0, "/status"), json!("retry"), "broken_order");
}

#[test]
fn never_dispatches_beside_the_table() {
    let story = going(single());
    check_broken(&story, "/head/control", json!("paused"), "broken_dispatch");
    check_broken(&story, &at_block(0, "/status"), json!("executed"), "broken_dispatch");
}

#[test]
fn never_lets_a_run_verify_its_own_claim() {
    let story = finished();
    let claimant = at(&story, "01", "/criteria/0/state/claimed_by/run");
    let pointer = at_block(0, "/criteria/0/state/verified_by");
    check_broken(&story, &pointer, json!([claimant]), "broken_separation");
}

#[test]
fn never_keeps_a_block_without_must_haves() {
    check_broken(&going(single()), &at_block(0, "/criteria"), json!([]), "broken_criteria");
}

#[test]
fn never_waives_without_a_reason() {
    let story = finished();
    let pointer = at_block(0, "/criteria/0/state");
    let waived = |by: &str, why: &str| json!({"state": "waived", "by": by, "why": why});
    check_broken(&story, &pointer, waived("user", " "), "broken_waiver");
    check_broken(&story, &pointer, waived("grid-executor", "it is hard"), "broken_waiver");
    check_broken(&story, &pointer, waived("plan", "it did not opt out"), "broken_waiver");
}

#[test]
fn never_decides_for_a_person() {
    let mut story = going(single());
    execute(&mut story, "01", checkpoint("01", "decision"));
    story.choose("sqlite");
    build(&mut story, "01");
    check_broken(&story, &at_block(0, "/passed/0/automatic"), json!(true), "broken_checkpoint");
    check_broken(&story, &at_block(0, "/passed/0/answer"), json!(""), "broken_checkpoint");
}

#[test]
fn never_waits_for_nobody() {
    let mut story = going(single());
    execute(&mut story, "01", checkpoint("01", "decision"));
    check_broken(&story, &at_block(0, "/checkpoint"), Value::Null, "broken_checkpoint");
}

#[test]
fn never_continues_without_its_threads() {
    let mut story = going(single());
    execute(&mut story, "01", checkpoint("01", "decision"));
    story.choose("sqlite");
    let pointer = at_block(0, "/resume/answer");
    check_broken(
        &story,
        &pointer,
        json!("another answer than the prompt holds"),
        "broken_checkpoint",
    );
    let pointer = at_block(0, "/resume/threads/0/name");
    check_broken(&story, &pointer, json!("9.9"), "broken_checkpoint");
}

#[test]
fn never_starts_without_what_is_known() {
    let mut story = two();
    build(&mut story, "01");
    build(&mut story, "02");
    assert_eq!(story.due(), "recognizer");
    let learned = format!("{CORE}/warmth/gotchas");
    check_broken(&story, &learned, json!(["what nobody was told"]), "broken_knowledge");
    let mut story = going(single());
    execute(&mut story, "01", checkpoint("01", "decision"));
    story.choose("sqlite");
    let finding = format!("{CORE}/scratchpad/0/finding");
    check_broken(&story, &finding, json!("what nobody was told"), "broken_knowledge");
}

#[test]
fn never_retries_blind() {
    let mut story = going(single());
    execute(&mut story, "01", failure("01", "by hand", &["by hand"]));
    let pointer = at_block(0, "/failures/0/do_not_retry");
    check_broken(&story, &pointer, json!(["what the prompt does not say"]), "broken_retry");
}

#[test]
fn never_takes_an_architectural_change_unasked() {
    let story = finished();
    let four = json!([{"rule": 4, "description": "another database"}]);
    check_broken(&story, &at_block(0, "/deviations"), four, "broken_deviation");
}

#[test]
fn never_goes_beyond_a_round() {
    let story = going(single());
    check_broken(&story, &format!("{CORE}/gap_rounds"), json!(3), "broken_limit");
    check_broken(&story, &format!("{CORE}/patrol_rounds"), json!(3), "broken_limit");
}

#[test]
fn never_keeps_more_than_its_bounds() {
    let story = going(single());
    let many: Vec<String> = (0..41).map(|n| format!("trap {n}")).collect();
    check_broken(&story, &format!("{CORE}/warmth/gotchas"), json!(many), "broken_bounds");
    check_broken(&story, &format!("{CORE}/decisions"), json!(vec!["x"; 51]), "broken_bounds");
}

#[test]
fn never_spends_beyond_a_limit() {
    check_broken(&going(single()), "/head/budget/role_runs/limit", json!(0), "broken_budget");
}

#[test]
fn never_spends_beyond_an_unconfirmed_share() {
    let story = going(single());
    let tokens = json!({"limit": 100, "spent": 95});
    check_broken(&story, "/head/budget/tokens", tokens, "broken_threshold");
}

#[test]
fn never_waits_while_it_must_go_on() {
    check_broken(&going(single()), "/head/outbox", json!([]), "broken_continuation");
}

#[test]
fn never_orders_what_is_not_its_own() {
    let mut story = going(single());
    build(&mut story, "01");
    let order = json!({"type": "consult", "data": {"handler": "h", "input": "{}"}});
    check_broken(&story, "/head/outbox/0/effect/order", order, "broken_outbox");
}

/// A config that makes no sense is refused before anything runs, with the place of its fault.
#[test]
fn what_cannot_be_ordered_never_begins() {
    let refused = |config: grid::Config, code: Code| {
        let error = endstate::start(&of(config), 0).unwrap_err();
        assert_eq!(error.code, code, "{error}");
        assert!(error.at.starts_with("mission.settings"), "{error}");
    };
    refused(cluster(vec![plan("01", &["01"])]), Code::DependencyCycle);
    refused(cluster(vec![plan("01", &["02"]), plan("02", &["01"])]), Code::DependencyCycle);
    refused(cluster(vec![plan("01", &["09"])]), Code::DependencyUnknown);
    refused(cluster(vec![plan("01", &[]), plan("01", &[])]), Code::DuplicateId);
    refused(cluster(vec![plan("../01", &[])]), Code::InvalidValue);
    refused(grid::Config { max_parallel: 0, ..single() }, Code::NumberOutOfRange);
    refused(grid::Config { confirm_percent: 101, ..single() }, Code::NumberOutOfRange);
    refused(grid::Config { mission: " ".to_owned(), ..single() }, Code::MissingField);
    refused(grid::Config { refine_only: true, ..single() }, Code::InvalidValue);
    // A number that is no other phase's means nobody; another phase's is noted and ignored.
    for nobody in ["api-server", "1-09", "01-09"] {
        refused(cluster(vec![plan("01", &[nobody])]), Code::DependencyUnknown);
    }
    assert!(endstate::start(&of(cluster(vec![plan("01", &["02-09"])])), 0).is_ok());
    for outside in ["../../etc/passwd", "/etc/passwd", "a\n## Orders"] {
        let odd = Plan { files_modified: vec![outside.to_owned()], ..plan("01", &[]) };
        refused(cluster(vec![odd]), Code::InvalidValue);
    }
    let unexplained = Plan { verify: false, ..plan("01", &[]) };
    refused(cluster(vec![unexplained]), Code::MissingField);
}

/// Every dispatch lowers the budget: runs, questions, looks and writes are counted as they are ordered.
#[test]
fn every_dispatch_lowers_the_budget() {
    let story = finished();
    let spent = |counter: Counter| story.engine.snapshot().head.budget.account(counter).spent;
    let ordered = |name: &str| {
        let all = story.taken.iter().flat_map(|(_, applied)| &applied.effects);
        let later = all.filter(|effect| effect.order.name() == name).count();
        let first = story.began.1.effects.iter().filter(|one| one.order == name).count();
        u64::try_from(later + first).unwrap()
    };
    assert_eq!((spent(Counter::RoleRuns), ordered("spawn_role")), (3, 3));
    assert_eq!(spent(Counter::Observations), ordered("observe"));
    let writes = ordered("write_file") + ordered("append_history") + ordered("notify");
    assert_eq!(spent(Counter::Writes), writes);
}

/// A field of a planner's report that nobody reads is named while the planner is at work, and when it is taken.
#[test]
fn fields_of_a_planner_that_nobody_reads_are_named() {
    let mut story = going(cluster(Vec::new()));
    let mut one = planned("01", &[]);
    one["depend_on"] = json!(["00"]);
    one["frontmatter"]["must_haves"]["truth"] = json!(["x"]);
    one["frontmatter"]["wave"] = json!(1.5);
    one["wave"] = json!("two");
    let text = report(json!({"plans": [one], "mood": "fine"}));
    let run = story.begin("planner");
    let names = [
        "mood",
        "plans[0].depend_on",
        "plans[0].wave (no number)",
        "plans[0].frontmatter.must_haves.truth",
        "plans[0].frontmatter.wave (no number)",
    ];
    assert_eq!(
        endstate::engine::check_report(story.engine.snapshot(), run, &text).unwrap(),
        names.map(|name| format!("unknown field `{name}` was ignored"))
    );
    story.end(run, text);
    let problem = story.engine.view().problem.unwrap();
    assert_eq!((problem.code, problem.got), (Code::UnknownField, names.join(", ")));
    assert_eq!(items(&story), ["01"], "the plan is taken all the same");
}

/// So are those of a recognizer: what it meant by them does not come about.
#[test]
fn fields_of_a_recognizer_that_nobody_reads_are_named() {
    let mut story = going(single());
    build(&mut story, "01");
    let mut block = verdict(&story, "GAPS_FOUND", &["01/AC-001"]);
    block["verdicts"][1]["severity"] = json!("critical");
    block["gaps"][0]["how"] = json!("by hand");
    block["warning"] = json!("the licence forbids it");
    let names = ["warning", "verdicts[1].severity", "gaps[0].how"];
    let (run, text) = (story.begin("recognizer"), report(block));
    assert_eq!(
        endstate::engine::check_report(story.engine.snapshot(), run, &text).unwrap(),
        names.map(|name| format!("unknown field `{name}` was ignored"))
    );
    story.end(run, text);
    let told = format!("fields of the recognizer's report that nobody reads: {}", names.join(", "));
    assert_eq!(story.core("/concerns").as_array().unwrap().last().unwrap(), &json!(told));
    assert_eq!(story.due(), "planner", "the verdict is taken all the same");
}

/// Files of the mission are no work of a plan.
#[test]
fn an_artifact_is_none_of_the_missions_own_files() {
    let mut story = going(cluster(Vec::new()));
    let mut one = planned("01", &[]);
    one["frontmatter"]["must_haves"]["artifacts"] = json!([{"path": "./.Grid/STATE.md"}]);
    story.run("planner", json!({"plans": [one]}));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("invalid_value", "planner"));
    assert!(story.prompt().contains("none of `.git`, `.agent` or `.grid`"), "{}", story.prompt());
}

/// Plans as documents: hostile front matter is refused with its place; a plan that is written is read again.
#[test]
fn plan_documents_are_read_and_written() {
    let code = |text: &str| grid::plan::parse("01-01-PLAN.md", text).unwrap_err().code;
    assert_eq!(code("no front matter\n"), Code::MissingField);
    assert_eq!(code("---\nphase: 01-x\n"), Code::Truncated);
    assert_eq!(code("---\nphase: a\nphase: b\n---\n"), Code::DuplicateField);
    assert_eq!(code("---\nphase: a\0b\n---\n"), Code::InvalidValue);
    assert_eq!(code("---\nplan: 1\n---\n"), Code::MissingField);
    assert_eq!(code("---\nphase: ../x\nplan: 1\n---\n"), Code::InvalidValue);
    assert_eq!(code("---\nphase: x\nplan: 1\nverify: false\n---\n"), Code::MissingField);
    let huge = format!("---\nphase: x\nplan: 1\nlist: [{}]\n---\n", "item, ".repeat(60_000));
    assert_eq!(code(&huge), Code::TooLarge);
    let text = "---\r\nphase: 01-x\r\nplan: 01\r\nwave: soon\r\ndepends_on: \"02\"\r\nautonomous: \"false\"\r\n---\r\n\r\n<objective>\r\nGo\r\n</objective>\r\n";
    let read = grid::plan::parse("01-01-PLAN.md", text).unwrap().plan;
    assert_eq!((read.objective.as_str(), read.autonomous, read.declared_wave), ("Go", false, None));
    assert_eq!(read.depends_on, ["02"]);
    // An objective that is the must-have is kept whole: no line of it is left out.
    let end = format!("{}END", "words ".repeat(230));
    let text = format!(
        "---\nphase: 01-x\nplan: 1\n---\n\n<objective>\nGreet\nby name: {end}\n</objective>\n"
    );
    let objective = grid::plan::parse("01-01-PLAN.md", &text).unwrap().plan.objective;
    assert_eq!(objective, format!("Greet by name: {end}"));
    let over = text.replace("END", &"words ".repeat(4_000));
    assert_eq!(code(&over), Code::TooLarge);
    let text = "---\nphase: 02\nplan: 1\ndepends_on: [01, 08]\nfiles_modified: [y]\n---\n";
    let plain = grid::plan::parse("02-09-PLAN.md", text).unwrap().plan;
    assert_eq!((plain.phase.as_str(), plain.depends_on.join(" ")), ("02", "01 08".to_owned()));
    assert_eq!(plain.files_modified, ["y"]);
    for plan in [read, plan("07", &["06"]), Plan { content: String::new(), ..plan("08", &[]) }] {
        let name = format!("{}-PLAN.md", plan.id);
        let again = grid::plan::parse(&name, &grid::plan::render(&plan, 3)).unwrap().plan;
        let content =
            if plan.content.is_empty() { again.content.clone() } else { plan.content.clone() };
        assert_eq!(again, Plan { declared_wave: Some(3), content, ..plan });
    }
    let more = "---\nphase: x\nplan: 1\nverfy: false\nmust_haves: {truth: [a], key_links: [{from: a, to: b, patern: c}]}\n---\n";
    let notes = grid::plan::parse("x-PLAN.md", more).unwrap().notes;
    let unread: Vec<_> = notes
        .iter()
        .filter(|one| one.code == Code::UnknownField)
        .map(|one| one.at.as_str())
        .collect();
    assert_eq!(
        unread,
        [
            "front matter.verfy",
            "front matter.must_haves.truth",
            "front matter.must_haves.key_links[0].patern"
        ]
    );
    for wave in ["-1", "two", "1.5", "99999999999", "[1]"] {
        let text = format!("---\nphase: x\nplan: 1\nwave: {wave}\n---\n");
        let read = grid::plan::parse("x-PLAN.md", &text).unwrap();
        let note = read.notes.iter().find(|one| one.at == "front matter.wave").unwrap();
        assert_eq!((note.code, read.plan.declared_wave), (Code::InvalidValue, None), "{wave}");
    }
    let plain = "---\nphase: x\nplan: 1\nwave: \"2\"\n---\n";
    assert!(grid::plan::parse("x-PLAN.md", plain).unwrap().notes.is_empty());
    let checkpointed = "---\nphase: x\nplan: 1\n---\n<task type=\"checkpoint:decision\"><name>a</name><action>b</action></task>\n";
    let read = grid::plan::parse("x-PLAN.md", checkpointed).unwrap();
    assert_eq!((read.threads.len(), read.faults.len(), read.notes.len()), (1, 1, 3));
}

#[test]
fn links_that_hold_by_themselves_are_refused() {
    let refused = |links: &str| {
        let text = format!("---\nphase: x\nplan: 1\nmust_haves:\n  key_links: [{links}]\n---\n");
        match grid::plan::parse("x-PLAN.md", &text) {
            Ok(_) => String::new(),
            Err(error) => format!("{} {}", error.code, error.at),
        }
    };
    let good = "{from: a.py, to: b.py, pattern: \"b\\\\.x+\"}";
    assert_eq!(refused(good), "");
    for pattern in ["x*", "(a|)", "^", ".*", ".", "[^q]", "("] {
        let idle = format!("{good}, {{from: a.py, to: b.py, pattern: \"{pattern}\"}}");
        assert_eq!(refused(&idle), "invalid_value must_haves.key_links[1].pattern", "{pattern}");
    }
    for to in ["a.py", "./a.py"] {
        let own = format!("{{from: a.py, to: {to}, via: call}}");
        assert_eq!(refused(&own), "invalid_value must_haves.key_links[0].to", "{to}");
    }
}

/// Whatever happened, each file that was written last shows the state as it is.
#[test]
fn no_file_lags_behind_the_state() {
    let mut seen = 0;
    for tale in grid_tales::all() {
        let story = (tale.tell)();
        let known = &serde_json::to_value(story.engine.snapshot()).unwrap()["mission"]["state"]["core"]
            ["life"]["files"]["known"];
        for file in story.engine.files().into_iter().filter(|file| file.projection) {
            if known[&file.path]["written"] != known[&file.path]["wanted"] {
                continue;
            }
            let text = story.engine.render(&file.path).unwrap();
            let digest = endstate::engine::digest(&text);
            assert_eq!(file.digest, Some(digest), "{}: {} now is\n{text}", tale.name, file.path);
            seen += 1;
        }
    }
    assert!(seen > 500, "{seen}");
}

/// The front matter names the phase at every moment, and the page which of them it is, as in the method's own.
#[test]
fn the_state_file_names_the_phase_and_which_of_them_it_is() {
    let mut second = plan("02", &["01"]);
    second.phase = "02-walls".to_owned();
    let mut story = going(cluster(vec![plan("01", &[]), second]));
    let page = |story: &Story| story.world.files[".grid/STATE.md"].clone();
    let at = |story: &Story, name: &str, line: &str| {
        let page = page(story);
        assert!(page.contains(&format!("current_phase: \"{name}\"\n")), "{page}");
        assert!(page.contains(&format!("## Current Position\nPhase: {line}\nWave: ")), "{page}");
    };
    at(&story, "01-base", "1 of 2 (01-base)");
    build(&mut story, "01");
    recognize(&mut story, &[]);
    at(&story, "02-walls", "2 of 2 (02-walls)");
    build(&mut story, "02");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    at(&story, "02-walls", "2 of 2 (02-walls)");
    let unplanned = going(cluster(Vec::new()));
    assert!(page(&unplanned).contains("current_phase: null\n"), "{}", page(&unplanned));
}
