//! The commands on plans: the numbers of the seed's examples, and what holds of every plan.

use endstate::plan::clause;
use endstate::plan::command::analyze::analyze;
use endstate::plan::command::breakdown::{Breakdown, breakdown};
use endstate::plan::command::estimate::{Estimate, Fitness};
use endstate::plan::command::evaluate::{Evaluated, FixKind, evaluate};
use endstate::plan::command::prioritize::{Prioritized, prioritize};
use endstate::plan::command::requirements::{self, Signal};
use endstate::plan::command::score::decimal;
use endstate::plan::command::{Field, Number, checks, name, report};
use endstate::plan::judge::Answers;
use endstate::plan::model::{Criterion, Kind, Plan, Read, Sprint, Status, Task, Unit, id};
use endstate::plan::order::edges;
use endstate::vocab::error::Code;
use endstate::vocab::question::Answer;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn criterion(id: &str, text: &str) -> Criterion {
    clause::criterion(id.to_owned(), text, false, Default::default())
}

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|one| (*one).to_owned()).collect()
}

fn tasks(all: &[&str]) -> Vec<Task> {
    all.iter().map(|text| Task { text: (*text).to_owned(), ..Task::default() }).collect()
}

/// A sprint whose scores and turns are known: one task, one file, 60 lines, risk 1.
fn sprint(label: &str, file: &str) -> Sprint {
    Sprint {
        label: label.to_owned(),
        name: format!("Make {file}"),
        creates: texts(&[file]),
        lines_of_code: Some(60),
        risk: Some(1),
        tasks: tasks(&[&format!("Create `{file}`")]),
        exit: vec![criterion("AC-001", &format!("`test -f {file}` exits 0"))],
        ..Sprint::default()
    }
}

fn unit(name: &str, sprints: Vec<Sprint>) -> Unit {
    Unit { name: name.to_owned(), sprints, ..Unit::default() }
}

fn plan(units: Vec<Unit>) -> Plan {
    Plan { title: "Shop".to_owned(), units, ..Plan::default() }
}

fn said(id: &str, text: &str) -> Answers {
    Answers::from([(id.to_owned(), Answer::Text { text: text.to_owned() })])
}

fn labels(plan: &Plan) -> Vec<&str> {
    plan.sprints().map(|(_, sprint)| sprint.label.as_str()).collect()
}

fn names(plan: &Plan) -> Vec<&str> {
    plan.sprints().map(|(_, sprint)| sprint.name.as_str()).collect()
}

/// What the reader makes of what the writer writes, without places.
fn reread(plan: &Plan) -> Plan {
    let mut read = endstate::plan::read::read(&endstate::plan::write::write(plan)).plan;
    read.units.iter_mut().for_each(|unit| unit.lines = Default::default());
    for one in read.units.iter_mut().flat_map(|unit| &mut unit.sprints) {
        one.lines = Default::default();
        one.tasks.iter_mut().for_each(|one| one.lines = Default::default());
        one.entry.iter_mut().chain(&mut one.exit).for_each(|one| one.lines = Default::default());
    }
    read
}

fn sorted(plan: &Plan) -> Prioritized {
    prioritize(plan, &Answers::new()).unwrap()
}

fn mended(plan: &Plan) -> Evaluated {
    evaluate(plan, 50, &Answers::new())
}

#[test]
fn a_score_is_that_of_the_seed() {
    // Seed 18: 15.5, "blocks 4 downstream sprints, establishes core types".
    let mut sprints = vec![sprint("1", "src/types.rs")];
    sprints[0].exit = vec![criterion("AC-001", "The types are there")];
    for label in ["2", "3", "4", "5"] {
        let mut one = sprint(label, &format!("src/{label}.rs"));
        one.reads = texts(&["src/types.rs"]);
        sprints.push(one);
    }
    let done = sorted(&plan(vec![unit("core", sprints)]));
    let first = done.rows[0].score.as_ref().unwrap();
    assert_eq!((first.words().as_str(), first.depth, first.foundation), ("15.5", 4, Some(true)));
    let priority = done.plan.units[0].sprints[0].priority.as_deref();
    assert_eq!(
        priority,
        Some(
            "15.5 — blocks 4 downstream sprints, establishes what later sprints build on, low complexity"
        )
    );
    assert!(done.questions.is_empty(), "{:?}", done.questions);
}

#[test]
fn turns_and_their_fitness_are_those_of_the_seed() {
    let of = |checks: u32, lines| Estimate {
        read: 0,
        created: Some(0),
        changed: Some(0),
        builds: 0,
        lines,
        checks,
    };
    let rows = [
        (of(20, Some(0)), 25, Some(Fitness::Right)),
        (of(40, Some(0)), 45, Some(Fitness::Oversized)),
        (of(0, Some(0)), 5, Some(Fitness::Undersized)),
        (of(2, Some(0)), 7, Some(Fitness::Undersized)),
        (of(3, Some(0)), 8, Some(Fitness::Right)),
        (of(35, Some(0)), 40, Some(Fitness::Right)),
        (
            Estimate { read: 2, created: Some(1), changed: Some(3), builds: 1, ..of(4, Some(76)) },
            22,
            Some(Fitness::Right),
        ),
    ];
    for (estimate, turns, fitness) in rows {
        assert_eq!((estimate.turns(), estimate.fitness(50)), (Number::Known(turns), fitness));
    }
    assert_eq!(of(9, None).turns(), Number::Unknown { missing: vec![Field::Lines] });
    assert_eq!(of(9, None).fitness(50), None);
    let unread = Estimate { created: None, changed: None, ..of(9, Some(0)) };
    assert_eq!(unread.turns(), Number::Unknown { missing: vec![Field::Files] });
    assert_eq!((unread.fitness(50), unread.least()), (None, 14));
    assert_eq!(of(41, None).fitness(50), Some(Fitness::Oversized));
    assert_eq!(of(u32::MAX, Some(9)).turns(), Number::Known(u32::MAX));
}

#[test]
fn what_a_plan_does_not_say_is_asked_and_never_zero() {
    let bare = Sprint {
        label: "1".to_owned(),
        name: "Work".to_owned(),
        tasks: tasks(&["Do it"]),
        ..Sprint::default()
    };
    let given = plan(vec![unit("core", vec![bare])]);
    let done = sorted(&given);
    let score = done.rows[0].score.as_ref().unwrap();
    assert_eq!(score.number(), Number::Unknown { missing: vec![Field::Files, Field::Risk] });
    assert_eq!(score.words(), "1.5 to 4.0 (files, risk unknown)");
    assert_eq!(done.plan, given, "nothing is written of what is not known");
    let asked: Vec<&str> = done.questions.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(asked, ["creates:core/1", "changes:core/1", "risk:core/1"]);
    let mut answers = said("creates:core/1", "`src/a.rs`, src/b.rs");
    answers.extend(said("changes:core/1", "none"));
    answers.insert("risk:core/1".to_owned(), Answer::Choice { option: "5".to_owned() });
    let done = prioritize(&given, &answers).unwrap();
    let score = done.rows[0].score.as_ref().unwrap();
    assert_eq!((score.words().as_str(), score.risk), ("3.5", Some(3)));
    assert_eq!((done.filled.len(), done.questions.len()), (2, 0));
    assert_eq!(done.plan.units[0].sprints[0].creates, ["src/a.rs", "src/b.rs"]);
    let open: Vec<String> = mended(&given).questions.into_iter().map(|one| one.id).collect();
    assert_eq!(open, ["creates:core/1", "changes:core/1", "lines:core/1", "exit:core/1"]);
}

#[test]
fn the_urgent_comes_first_and_everything_follows() {
    let mut sprints: Vec<Sprint> =
        ["1", "2", "3"].iter().map(|label| sprint(label, &format!("src/{label}.rs"))).collect();
    sprints[1].depends_on = Some(Vec::new());
    sprints[2].entry = vec![criterion(
        "EC-001",
        "Sprint 2 exit criteria met; see `Sprint 2`, Sprint 2a and Sprint 22.",
    )];
    let mut web = sprint("4", "web/a.js");
    web.depends_on = Some(texts(&["core/3", "core/1"]));
    let mut given = plan(vec![unit("core", sprints), unit("web", vec![web])]);
    given.notes = "Sprint 1, Sprints 2 and Sprint 3.".to_owned();
    let done = sorted(&given);
    let files = ["Make src/2.rs", "Make src/1.rs", "Make src/3.rs", "Make web/a.js"];
    assert_eq!((names(&done.plan), labels(&done.plan)), (files.to_vec(), vec!["1", "2", "3", "4"]));
    let core = &done.plan.units[0].sprints;
    let entry = "Sprint 1 exit criteria met; see `Sprint 2`, Sprint 2a and Sprint 22.";
    assert_eq!(core[2].entry[0].text, entry);
    // The first said nothing and waited for nobody, the third for the second: now they say so.
    let waits: Vec<_> = core.iter().map(|one| one.depends_on.clone()).collect();
    assert_eq!(waits, [Some(Vec::new()), Some(Vec::new()), Some(texts(&["1"]))]);
    assert_eq!(done.plan.units[1].sprints[0].depends_on, Some(texts(&["core/3", "core/2"])));
    assert_eq!(done.plan.notes, "Sprint 2, Sprints 2 and Sprint 3.");
    let page = report::prioritized(&done);
    assert!(page.contains("| 1 | Make src/2.rs | 7.7 | was Sprint 2 |"), "{page}");
    assert!(page.contains("Sprints reordered: 2\nLayer adjustments: none ("), "{page}");
}

#[test]
fn a_circle_is_refused() {
    let mut sprints = vec![sprint("1", "a.rs"), sprint("2", "b.rs")];
    sprints[0].depends_on = Some(texts(&["2"]));
    let error = prioritize(&plan(vec![unit("core", sprints)]), &Answers::new()).unwrap_err();
    assert_eq!(error.code, Code::DependencyCycle);
}

#[test]
fn what_is_too_large_is_split_and_who_waited_waits_for_the_end() {
    let files: Vec<String> = (0..8).map(|number| format!("src/{number}.rs")).collect();
    let large = Sprint {
        tasks: files
            .iter()
            .map(|file| Task { text: format!("Create `{file}`"), ..Task::default() })
            .collect(),
        creates: files.clone(),
        lines_of_code: Some(1_500),
        notes: "Keep it small.".to_owned(),
        ..sprint("2", "src/0.rs")
    };
    let mut last = sprint("3", "src/end.rs");
    last.depends_on = Some(texts(&["2"]));
    last.entry = vec![criterion("EC-001", "Sprint 2 exit criteria met")];
    last.lines_of_code = Some(600);
    let mut first = sprint("1", "src/begin.rs");
    first.lines_of_code = Some(600);
    let done = mended(&plan(vec![unit("core", vec![first, large, last])]));
    assert_eq!(labels(&done.plan), ["1", "2", "3", "4"]);
    let core = &done.plan.units[0].sprints;
    assert_eq!(
        (core[1].name.as_str(), core[2].name.as_str()),
        ("Make src/0.rs (part 1)", "Make src/0.rs (part 2)")
    );
    assert_eq!(
        (core[1].tasks.len(), core[2].tasks.len(), core[1].lines_of_code),
        (4, 4, Some(750))
    );
    assert_eq!(core[1].creates, files[..4]);
    assert_eq!(core[2].entry[0].text, "Sprint 2 exit criteria met");
    assert_eq!(
        (&core[3].depends_on, core[3].entry[0].text.as_str()),
        (&Some(texts(&["3"])), "Sprint 3 exit criteria met")
    );
    assert!(core[1].exit.iter().all(|one| one.added && one.text.starts_with("`test -f src/")));
    assert_eq!(
        (core[1].notes.as_str(), core[2].notes.as_str()),
        ("Keep it small.", "Keep it small.")
    );
    assert_eq!(done.fixes.iter().map(|fix| fix.kind).collect::<Vec<_>>(), [FixKind::Split]);
    assert!(done.after.iter().all(|one| one.bounded_scope() == Some(true)), "{:?}", done.after);
    assert!(report::evaluated(&done, 50).contains("| Context Fitness | 2 | 1 | 1 | 0 |"));
}

#[test]
fn two_goals_are_parted_only_if_somebody_says_so() {
    let mut both = sprint("DC-2", "src/auth/a.rs");
    both.creates = texts(&["src/auth/a.rs", "src/auth/b.rs", "web/a.js", "web/b.js"]);
    both.tasks = tasks(&[
        "Create `src/auth/a.rs`",
        "Create `web/a.js`",
        "Create `src/auth/b.rs`",
        "Create `web/b.js`",
    ]);
    both.lines_of_code = Some(600);
    let given = plan(vec![unit("core", vec![both])]);
    let done = mended(&given);
    assert_eq!((done.before[0].single_concern, done.fixes.len()), (None, 0));
    assert_eq!(done.questions[0].id, "concern:core/DC-2");
    let no = Answers::from([("concern:core/DC-2".to_owned(), Answer::Confirmation { yes: false })]);
    let done = evaluate(&given, 50, &no);
    assert_eq!(labels(&done.plan), ["DC-2a", "DC-2b"]);
    assert_eq!(done.plan.units[0].sprints[0].creates, ["src/auth/a.rs", "src/auth/b.rs"]);
    assert_eq!(done.plan.units[0].sprints[1].entry[0].text, "Sprint DC-2a exit criteria met");
}

#[test]
fn what_is_too_small_joins_the_next() {
    let small = |label: &str| Sprint {
        lines_of_code: Some(0),
        creates: Vec::new(),
        kind: Kind::Command,
        ..sprint(label, "a.txt")
    };
    let mut next = small("2");
    next.entry = vec![
        criterion("EC-001", "Sprint 1 exit criteria met"),
        criterion("EC-002", "A key is there"),
    ];
    let mut last = sprint("3", "src/end.rs");
    last.depends_on = Some(texts(&["1", "2"]));
    last.lines_of_code = Some(600);
    let given = plan(vec![unit("core", vec![small("1"), next, last])]);
    let done = mended(&given);
    let core = &done.plan.units[0].sprints;
    assert_eq!(
        (labels(&done.plan), core[0].name.as_str()),
        (vec!["1", "2"], "Make a.txt; Make a.txt")
    );
    let ids: Vec<&str> =
        core[0].exit.iter().chain(&core[0].entry).map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["AC-001", "AC-002", "EC-002"]);
    assert_eq!(core[1].depends_on, Some(texts(&["1"])));
}

#[test]
fn criteria_are_added_and_none_is_worded_anew() {
    let mut one = sprint("1", "src/a.rs");
    one.exit = vec![
        criterion("AC-001", "The parser works correctly"),
        criterion("AC-002", "The page looks good"),
    ];
    let mut other = sprint("2", "src/b.rs");
    other.exit = vec![criterion("AC-001", "`cargo test` passes")];
    let given = plan(vec![unit("core", vec![one, other])]);
    let done = mended(&given);
    let exit: Vec<(&str, &str, bool)> = done.plan.units[0].sprints[0]
        .exit
        .iter()
        .map(|one| (one.id.as_str(), one.text.as_str(), one.added))
        .collect();
    assert_eq!(
        exit,
        [
            ("AC-001", "The parser works correctly", false),
            ("AC-002", "The page looks good", false),
            ("AC-003", "`test -f src/a.rs` exits 0", true),
            ("AC-004", "`cargo test` exits 0", true),
        ]
    );
    assert!(done.questions.iter().any(|one| one.id == "wording:core/1/AC-002"));
    let answered = evaluate(&given, 50, &said("wording:core/1/AC-002", "`npm run shots` exits 0"));
    assert!(
        answered.plan.units[0].sprints[0]
            .exit
            .iter()
            .any(|one| one.added && one.text == "`npm run shots` exits 0")
    );
    let worse = evaluate(&given, 50, &said("wording:core/1/AC-002", "It looks fine"));
    assert!(worse.questions.iter().any(|one| one.id == "wording:core/1/AC-002"));
}

#[test]
fn scores_are_shown_half_up() {
    let shown = [0, 1, 25, 27, 75, 18, 21].map(decimal);
    assert_eq!(shown, ["0.0", "0.2", "4.2", "4.5", "12.5", "3.0", "3.5"]);
}

#[test]
fn commands_say_what_they_are_and_code_is_no_word() {
    let rows = [
        ("`cargo test --test integration_api` passes", 4, 0),
        ("`CI=1 ./scripts/build && pytest -q` passes", 3, 1),
        ("`cargo build` passes", 2, 1),
        ("`grep -c x tests/out.txt` prints 1", 2, 0),
        ("`test -f src/build.rs` exits 0", 2, 0),
        ("Tests of the whole build", 1, 0),
    ];
    for (text, verification, builds) in rows {
        let mut one = sprint("1", "src/a.rs");
        one.exit = vec![criterion("AC-001", text)];
        assert_eq!(Estimate::of(&one).builds, builds, "{text}");
        let done = sorted(&plan(vec![unit("core", vec![one])]));
        assert_eq!(done.rows[0].score.as_ref().unwrap().verification, verification, "{text}");
    }
    for (text, good) in [
        ("`x y` is complete", false),
        ("It Is Complete.", false),
        ("`is complete` is said", true),
        ("is completed", true),
    ] {
        let mut one = sprint("1", "src/a.rs");
        one.exit.push(criterion("AC-002", text));
        let (found, _) = checks(&plan(vec![unit("core", vec![one])]), 50, &Answers::new());
        assert_eq!(found[0].no_vague_words, good, "{text}");
    }
}

#[test]
fn the_name_is_one_line_and_every_other_byte_stays() {
    let given = "OPERATION PATIENT HERON";
    let rows = [
        ("# P\n", "---\nfeature_name: @\n---\n\n# P\n"),
        ("\u{feff}# P\r\n", "\u{feff}---\r\nfeature_name: @\r\n---\r\n\r\n# P\r\n"),
        ("---\nplan: x # y\n---\n# P", "---\nplan: x # y\nfeature_name: @\n---\n# P"),
        ("---\nfeature_name: OLD\na:  1\n---\n", "---\nfeature_name: @\na:  1\n---\n"),
        (
            "---\r\na: 1\r\nfeature_name: 'O'\r\n---\r\n",
            "---\r\na: 1\r\nfeature_name: @\r\n---\r\n",
        ),
    ];
    for (was, now) in rows {
        assert_eq!(name::with_name(was, given).unwrap(), now.replace('@', given));
    }
    for bad in
        ["---\nfeature_name: |\n  A\n  B\n---\n", "---\na: 1\n", "---\n\"feature_name\": x\n---\n"]
    {
        assert!(name::with_name(bad, given).is_err(), "{bad}");
    }
    for (text, good) in [
        (given, true),
        ("`OPERATION X`", true),
        ("Operation X", false),
        ("OPERATION", false),
        ("OPERATION A B C D E", false),
    ] {
        assert_eq!(name::name(&said(name::QUESTION, text)).is_ok(), good, "{text}");
    }
    let none = Plan::default();
    assert_eq!(name::Ritual::of(&none, false, false), name::Ritual::TooEarly);
    assert_eq!(name::Ritual::of(&none, false, true), name::Ritual::Renaming);
    assert_eq!(name::Ritual::of(&none, true, false), name::Ritual::Ceremony);
}

#[test]
fn requirements_are_found_by_heading_list_and_word() {
    let text = "# Shop requirements\n\nSome prose.\n\n## Functional Requirements\n\n1. Carts keep their items\n   - for a day\n\n\
## Cart\n\nThe cart MUST be empty at first.\n\n- [x] Totals\n- Build the page\n- Blue\n\n## Out of Scope\n\n- Support for coupons\n\n\
## Goals\n\nSell more.\n\n## Acceptance Criteria\n\n- It sells\n\n| a | MUST |\n";
    let wanted = requirements::read(text).unwrap();
    let got: Vec<(&str, Signal, u32)> = wanted
        .requirements
        .iter()
        .map(|one| (one.text.as_str(), one.signal, one.lines.first))
        .collect();
    assert_eq!(
        got,
        [
            ("Carts keep their items\n- for a day", Signal::Section, 7),
            ("The cart MUST be empty at first.", Signal::Keyword, 12),
            ("Totals", Signal::Checkbox, 14),
            ("Build the page", Signal::Verb, 15),
            ("Support for coupons", Signal::OutOfScope, 20),
            ("Sell more.", Signal::Context, 24),
            ("It sells", Signal::Acceptance, 28),
        ]
    );
    let unread: Vec<&str> = wanted.unread.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(unread, ["Some prose.", "Blue", "| a | MUST |"]);
}

const WANTED: &str = "# Ledger\n\n## Types\n\n- Create the types in `src/types.rs`\n\n## Requirements\n\n1. Create a page and integrate with the bank\n\
2. FR-2: Bills MUST be kept for ten years\n3. Add support for euro, dollar, and yen\n4. [x] Totals and sums\n\n## Out of Scope\n\n- Taxes\n\n\
## Acceptance Criteria\n\n- `cargo test` passes\n\nFree words.\n";

fn broken_down(answers: &Answers) -> Breakdown {
    breakdown(WANTED, "x", None, answers).unwrap()
}

#[test]
fn requirements_become_tasks_and_keep_their_text() {
    let done = broken_down(&Answers::new());
    assert_eq!(done.plan.title, "EXECUTION_PLAN.md — Ledger");
    let rows: Vec<(&str, bool)> = done
        .plan
        .sprints()
        .flat_map(|(_, one)| &one.tasks)
        .map(|task| (task.text.as_str(), task.added))
        .collect();
    assert_eq!(
        rows,
        [
            ("Create the types in `src/types.rs`", false),
            ("Create a page", true),
            ("Integrate a page with the bank", true),
            ("FR-2: Bills MUST be kept for ten years", false),
            ("Add support for euro, dollar, and yen", false),
            ("Totals and sums", false),
            ("Write tests for Create the types in `src/types.rs`", true),
        ]
    );
    let exit: Vec<(&str, bool)> = done
        .plan
        .sprints()
        .flat_map(|(_, one)| &one.exit)
        .map(|one| (one.text.as_str(), one.added))
        .collect();
    assert_eq!(exit[1], ("Create a page and integrate with the bank", false));
    assert_eq!(
        exit[5..],
        [("`cargo test` passes", false), ("`test -f src/types.rs` exits 0", true)]
    );
    let asked: Vec<&str> = done.questions.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(asked, ["tasks:R-004", "tasks:R-005"]);
    assert_eq!(
        done.unread.iter().map(|one| one.what.as_str()).collect::<Vec<_>>(),
        ["Free words."]
    );
    assert_eq!(reread(&done.plan), done.plan);
    let page = report::breakdown(&done, "PRD.md", "EXECUTION_PLAN.md");
    assert!(
        page.contains("| Requirements detected | 6 |") && page.contains("| Atomic tasks | 7 |"),
        "{page}"
    );
}

#[test]
fn answers_part_what_no_rule_can() {
    let mut answers = said("tasks:R-005", "Write totals; Write sums");
    answers.extend(said("tasks:R-004", "Add support for euro; Add support for yen"));
    let done = broken_down(&answers);
    let all: Vec<&str> =
        done.plan.sprints().flat_map(|(_, one)| &one.tasks).map(|one| one.text.as_str()).collect();
    for task in ["Write totals", "Write sums", "Add support for euro", "Add support for yen"] {
        assert!(all.contains(&task), "{task}: {all:?}");
    }
    assert!(done.questions.is_empty());
}

#[test]
fn an_analysis_covers_what_a_breakdown_made() {
    let done = broken_down(&Answers::new());
    let read = Read { plan: done.plan.clone(), remarks: Vec::new() };
    let found = analyze(&read, Some(WANTED), 50, &Answers::new()).unwrap();
    assert!(
        found.coverage.iter().all(|one| one.sprints.as_ref().is_some_and(|all| !all.is_empty()))
    );
    let page = report::report(&found, &read.plan, "EXECUTION_PLAN.md", "now");
    assert!(
        report::is_report(&page) && page.contains("### Coverage Analysis\n\nStatus: COMPLETE\n"),
        "{page}"
    );
    let other = "# Other\n\n## Requirements\n\n- Nobody does this\n";
    let found = analyze(&read, Some(other), 50, &Answers::new()).unwrap();
    assert_eq!(found.coverage[0].sprints, None);
    let found = analyze(&read, Some(other), 50, &said("covers:R-001", "none")).unwrap();
    assert_eq!(found.coverage[0].sprints, Some(Vec::new()));
    assert!(report::summary(&found).contains("| Completeness | NEEDS_WORK | 1 |"));
}

#[test]
fn an_analysis_names_what_is_open_and_what_is_late() {
    let mut sprints: Vec<Sprint> =
        ["1", "2", "3"].iter().map(|label| sprint(label, &format!("src/{label}.rs"))).collect();
    sprints[1].depends_on = Some(Vec::new());
    sprints[1].tasks[0].text = "TODO: decide which store".to_owned();
    sprints[0].risk = Some(5);
    let read = Read { plan: plan(vec![unit("core", sprints)]), remarks: Vec::new() };
    let found = analyze(&read, None, 50, &Answers::new()).unwrap();
    let open: Vec<(&str, usize)> =
        found.open.iter().map(|one| (one.at.as_str(), one.blocks.len())).collect();
    assert_eq!(open, [("sprint core/1", 1), ("sprint core/2, task 1", 2)]);
    assert_eq!((found.rows[0].was.as_str(), found.rows[0].place_was), ("2", 2));
    assert_eq!((found.order.critical_path.len(), found.order.parallelism), (2, 2));
    let page = report::report(&found, &read.plan, "PLAN.md", "now");
    assert!(page.contains("| 2 | 1 | core/2 Make src/2.rs |"), "{page}");
}

/// A unit of random sprints: what each depends on, how large it is, and what it says of others.
fn random() -> impl Strategy<Value = Plan> {
    let one = (0..4_usize, 0..9_usize, 0..7_usize, 0..1_800_u32, 0..7_u8);
    proptest::collection::vec(proptest::collection::vec(one, 1..6), 1..3).prop_map(|units| {
        let mut number = 0;
        let units = units.into_iter().enumerate().map(|(place, rows)| {
            let first = number + 1;
            let sprints = rows.into_iter().map(|(waits, to, many, lines, risk)| {
                number += 1;
                let to = first + to % (number - first + 1);
                let files: Vec<String> =
                    (0..many).map(|at| format!("src/u{place}/{number}_{at}.rs")).collect();
                let label = if risk == 6 { format!("K-{number}") } else { number.to_string() };
                Sprint {
                    label,
                    name: format!("Name {number}"),
                    depends_on: match waits {
                        0 => Some(Vec::new()),
                        1 if to < number => Some(vec![to.to_string()]),
                        _ => None,
                    },
                    status: if waits == 3 && to % 4 == 0 { Status::Done } else { Status::Pending },
                    tasks: (0..many)
                        .map(|at| Task {
                            text: format!(
                                "Create `src/u{place}/{number}_{at}.rs` after Sprint {to}"
                            ),
                            ..Task::default()
                        })
                        .collect(),
                    creates: files,
                    lines_of_code: (lines % 3 > 0).then_some(lines),
                    risk: (1..6).contains(&risk).then_some(risk),
                    entry: vec![criterion(
                        "EC-001",
                        &format!("Sprint {to} is there and `Sprint {to}` too"),
                    )],
                    exit: vec![criterion(
                        "AC-001",
                        if lines % 2 == 0 { "It is complete" } else { "`cargo build` exits 0" },
                    )],
                    notes: format!("Note {number}: Sprint {to}, Sprint {to}.5"),
                    ..Sprint::default()
                }
            });
            Unit { name: format!("unit{place}"), sprints: sprints.collect(), ..Unit::default() }
        });
        let mut made = Plan { title: "P".to_owned(), units: units.collect(), ..Plan::default() };
        // A number that became a key is nobody's label any more.
        let known: BTreeSet<String> = made.sprints().map(|(_, one)| one.label.clone()).collect();
        for one in made.units.iter_mut().flat_map(|unit| &mut unit.sprints) {
            one.depends_on.iter_mut().for_each(|list| list.retain(|label| known.contains(label)));
        }
        made
    })
}

/// Who waits for whom, by names instead of labels.
fn waits(plan: &Plan) -> BTreeSet<(String, String)> {
    let names: BTreeMap<String, String> =
        plan.sprints().map(|(unit, one)| (id(unit, one), one.name.clone())).collect();
    let name = |id: &String| names.get(id).unwrap_or(id).clone();
    edges(plan).iter().map(|(from, to)| (name(from), name(to))).collect()
}

/// A text without the labels of its tokens.
fn skeleton(text: &str) -> String {
    let mut parts = text.split("Sprint ");
    let first = parts.next().unwrap_or_default().to_owned();
    let bare = |part: &str| {
        let part = part.strip_prefix("K-").unwrap_or(part);
        format!("Sprint #{}", part.trim_start_matches(|c: char| c.is_ascii_digit()))
    };
    parts.fold(first, |all, part| all + &bare(part))
}

/// All that authors wrote: tasks, criteria and lines of notes, without numbers of sprints.
fn content(plan: &Plan) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for (_, one) in plan.sprints() {
        let tasks = one
            .tasks
            .iter()
            .filter(|task| !task.added)
            .map(|task| format!("task {}", skeleton(&task.text)));
        let entry = one
            .entry
            .iter()
            .filter(|one| !one.added)
            .map(|one| format!("entry {}", skeleton(&one.text)));
        let exit = one
            .exit
            .iter()
            .filter(|one| !one.added)
            .map(|one| format!("exit {}", skeleton(&one.text)));
        tasks.chain(entry).chain(exit).for_each(|text| *all.entry(text).or_default() += 1);
    }
    all
}

fn notes(plan: &Plan) -> BTreeSet<String> {
    plan.sprints().flat_map(|(_, one)| one.notes.lines()).map(skeleton).collect()
}

proptest! {
    #[test]
    fn prioritize_keeps_what_everybody_waits_for_and_comes_to_rest(given in random()) {
        let Ok(done) = prioritize(&given, &Answers::new()) else { return Ok(()) };
        prop_assert_eq!(waits(&done.plan), waits(&given));
        prop_assert_eq!(content(&done.plan), content(&given));
        prop_assert_eq!(notes(&done.plan), notes(&given));
        let known = |plan: &Plan| plan.sprints().map(|(unit, one)| id(unit, one)).collect::<BTreeSet<_>>();
        prop_assert_eq!(known(&done.plan).len(), given.sprints().count(), "labels stay unique");
        // Keys stay at their sprints; numbers are given in sequence.
        let keys = |plan: &Plan| plan.sprints().filter(|(_, one)| one.label.starts_with('K')).map(|(_, one)| (one.name.clone(), one.label.clone())).collect::<BTreeSet<_>>();
        prop_assert_eq!(keys(&done.plan), keys(&given));
        // What a token names is the same sprint as before.
        let by_label: BTreeMap<&str, &str> = done.plan.sprints().map(|(_, one)| (one.label.as_str(), one.name.as_str())).collect();
        let was: BTreeMap<&str, &str> = given.sprints().map(|(_, one)| (one.label.as_str(), one.name.as_str())).collect();
        let before: BTreeMap<&str, &Sprint> = given.sprints().map(|(_, one)| (one.name.as_str(), one)).collect();
        for (_, one) in done.plan.sprints() {
            let word = |sprint: &Sprint| sprint.entry[0].text.split(' ').nth(1).unwrap().to_owned();
            let (now, old) = (word(one), word(before[one.name.as_str()]));
            prop_assert_eq!(by_label.get(now.as_str()), was.get(old.as_str()));
            let kept = format!("`Sprint {old}` too");
            prop_assert!(one.entry[0].text.ends_with(&kept));
        }
        prop_assert_eq!(&reread(&done.plan), &done.plan);
        let again = prioritize(&done.plan, &Answers::new()).unwrap();
        prop_assert_eq!(again.plan, done.plan);
    }

    #[test]
    fn evaluate_keeps_all_content_and_comes_to_rest(given in random(), budget in 20_u32..90) {
        let done = evaluate(&given, budget, &Answers::new());
        prop_assert_eq!(content(&done.plan), content(&given));
        prop_assert_eq!(notes(&done.plan), notes(&given));
        let ids: BTreeSet<String> = done.plan.sprints().map(|(unit, one)| id(unit, one)).collect();
        prop_assert_eq!(ids.len(), done.plan.sprints().count());
        let clean = ids.iter().all(|id| id.chars().all(|c| !c.is_control()));
        prop_assert!(clean);
        let unknown = done.plan.sprints().filter_map(|(unit, one)| {
            let list = one.depends_on.as_ref()?;
            list.iter().find(|one| !ids.contains(&format!("{}/{one}", unit.name)))
        }).next();
        prop_assert_eq!(unknown, None);
        prop_assert_eq!(&reread(&done.plan), &done.plan);
        let again = evaluate(&done.plan, budget, &Answers::new());
        prop_assert_eq!(&again.plan, &done.plan);
        prop_assert!(again.fixes.is_empty());
    }

    #[test]
    fn any_text_is_broken_down_or_refused(text in "([#*-] |[0-9]\\. |MUST|add |and |`src/[ab]\\.rs`|[A-Za-zé ,;|]{1,9}|\n){0,60}") {
        if let Ok(done) = breakdown(&text, "x", None, &Answers::new()) {
            let said: Vec<String> = done.plan.sprints().flat_map(|(_, one)| one.exit.iter().map(|one| one.text.clone()).chain(one.tasks.iter().map(|one| one.text.clone()))).collect();
            for one in done.requirements.iter().filter(|one| one.asks()) {
                prop_assert!(said.contains(&one.text), "{}", one.text);
            }
        }
    }
}
