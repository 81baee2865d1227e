//! What stands in and around the tasks of a sprint: tables without a label, groups, what a task says of its own end.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

use endstate::plan::model::{Check, Plan, PlanCriterion, Weight};
use endstate::plan::read::{Parsed, parse};
use endstate::plan::write;
use endstate::vocab::error::Code;

mod planning;
use planning::{different, dropped};

/// A plan of one sprint with these lines before its criteria.
fn with(body: &str) -> Parsed {
    let text = format!(
        "# P\n\n## Sprint 1: First\n\n{body}\n\n### Exit criteria\n\n- [ ] `make test` passes\n"
    );
    let parsed = parse(&text);
    assert!(dropped(&text, &parsed).is_empty(), "{body}");
    let again = parse(&write::render(&parsed.plan));
    assert_eq!(different(&parsed.plan, &again.plan), None, "{body}");
    parsed
}

/// The texts of all tasks, and those of the criteria but the last `make test`.
fn parts(plan: &Plan) -> (Vec<String>, Vec<String>) {
    let sprint = plan.sprints().next().unwrap();
    let exit = sprint.exit.iter().map(|one| one.text.clone());
    let tasks = sprint.tasks.iter().map(|one| one.text.lines().next().unwrap().to_owned());
    (tasks.collect(), exit.filter(|text| text != "`make test` passes").collect())
}

/// The remarks on what was overlooked or is text only.
fn said(parsed: &Parsed) -> Vec<String> {
    let of = |code| matches!(code, Code::Overlooked | Code::ReadAsText);
    parsed.remarks.iter().filter(|one| of(one.code)).map(|one| one.got.clone()).collect()
}

fn warnings(parsed: &Parsed) -> usize {
    parsed.remarks.iter().filter(|one| one.weight == Weight::Warning).count()
}

#[test]
fn tables_of_tasks_need_no_label() {
    for (table, tasks, exit) in [
        (
            "| # | Task | Acceptance |\n|--|--|--|\n| 1.1 | Make DB | tables exist |",
            vec!["Make DB"],
            vec!["tables exist"],
        ),
        ("| Task | Files |\n|--|--|\n| Make DB | `a.py` |", vec!["Make DB"], vec![]),
        (
            "**Goal**: keep it\n\n| # | Task | Done when |\n|--|--|--|\n| 1 | Make DB | tables exist |",
            vec!["Make DB"],
            vec!["tables exist"],
        ),
        (
            "Some words.\n\n| Deliverable | Verification |\n|--|--|\n| Page | it renders |",
            vec!["Page"],
            vec!["it renders"],
        ),
        (
            "**Tasks**:\n\n| ID | Description | Acceptance | Status |\n|--|--|--|--|\n| 2.1 | Make it | `make it` passes | ☐ |",
            vec!["Make it"],
            vec!["`make it` passes"],
        ),
    ] {
        let parsed = with(table);
        let (found, criteria) = parts(&parsed.plan);
        assert_eq!(
            (found, criteria),
            (
                tasks.iter().map(|one| (*one).to_owned()).collect(),
                exit.iter().map(|one| (*one).to_owned()).collect()
            ),
            "{table}"
        );
        assert_eq!(said(&parsed), [""; 0], "{table}");
    }
}

#[test]
fn tables_and_fences_in_no_part_of_a_sprint_are_named() {
    for (body, named) in [
        (
            "- Make it\n\n### Changes\n\n| File | Change |\n|--|--|\n| a.py | more |",
            "1 heading and 1 other block",
        ),
        ("| File | Change |\n|--|--|\n| a.py | more |", "1 other block"),
        (
            "### Tasks\n1. Make it\n2. Run it:\n\n```bash\nmake migrate\n```\n\n3. Publish",
            "1 other block",
        ),
        ("### Task 1.1: A\n\n```bash\nmake more\n```", "1 other block"),
        ("**Tasks**:\n\n| Task | Command |\n|--|--|\n| Make it | `make it` |", "1 other block"),
    ] {
        let parsed = with(body);
        let said = said(&parsed);
        assert!(said.len() == 1 && said[0].starts_with(named), "{body}: {said:?}");
        assert_eq!(warnings(&parsed), 0, "{body}");
    }
    let parsed = with("### Task 1.1: A\n\n| Check | Command |\n|--|--|\n| unit | `make unit` |");
    assert!(said(&parsed).iter().any(|one| one.starts_with("1 command in line")), "{parsed:?}");
}

#[test]
fn tasks_are_read_in_groups_as_criteria_are() {
    for body in [
        "### Tasks\n\n#### Backend\n- Make the table\n- Make the API\n\n#### Frontend\n- Make the page",
        "**Tasks**:\n\n**Backend**:\n- Make the table\n- Make the API\n\n**Frontend**:\n- Make the page",
        "### Tasks\n\n**Backend**\n1. Make the table\n2. Make the API\n\n**Frontend**\n- Make the page",
        "### Tasks\n\n#### Backend\n- Make the table\n- Make the API\n\n#### Frontend\n- Make the page\n\n#### Notes\n- no task",
    ] {
        let (tasks, exit) = parts(&with(body).plan);
        assert_eq!(tasks, ["Make the table", "Make the API", "Make the page"], "{body}");
        assert_eq!(exit, [""; 0], "{body}");
    }
    let parsed = with("### Tasks\n\n#### 1.1 Models\n- User\n- Order\n\n#### 1.2 Endpoints\n- GET");
    let sprint = parsed.plan.sprints().next().unwrap();
    let tasks: Vec<_> =
        sprint.tasks.iter().map(|one| (one.label.as_str(), one.text.as_str())).collect();
    assert_eq!(tasks, [("1.1", "Models\n- User\n- Order"), ("1.2", "Endpoints\n- GET")]);
    // What stands beside the tasks is no group of them.
    for body in [
        "### Tasks\n- Make it\n\n### Files\n- a.py",
        "**Tasks**:\n- Make it\n\n**Rollout**:\n- a step",
        "**Tasks**:\n- Make it\n\n### Context\n- an idea",
    ] {
        assert_eq!(parts(&with(body).plan).0, ["Make it"], "{body}");
    }
}

#[test]
fn what_a_task_says_of_its_end_is_a_criterion_too() {
    for (task, exit) in [
        ("- Make it\n  - Acceptance: `pytest a` passes", vec!["`pytest a` passes"]),
        ("- Make it\n  - Acceptance: `pytest a` exits 0", vec!["`pytest a` exits 0"]),
        ("- Make it\n  - **Acceptance**: it is blue", vec!["it is blue"]),
        ("- Make it\n  - acceptance: it is blue", vec!["it is blue"]),
        ("- [ ] Make it\n  - **Verify**: `cargo test x`", vec!["`cargo test x`"]),
        ("1. Make it. Verify with `cargo test x`.", vec!["Verify with `cargo test x`"]),
        ("1. Make it. Done when `cargo test x` passes. Use y.", vec!["`cargo test x` passes"]),
        ("1. Make it (AC: no panic on `x`)", vec!["no panic on `x`"]),
        (
            "- Make it\n  - **Acceptance criteria**:\n    - [ ] works on ARM\n    - [ ] `pytest b` passes\n  - Files: `b.py`",
            vec!["works on ARM", "`pytest b` passes"],
        ),
        ("### Task 1.1: Make it\n\n- Do so\n- Acceptance: it is blue", vec!["it is blue"]),
        (
            "1. **Make it**\n\n   Words of it.\n\n   *Acceptance criteria:*\n   - works on ARM\n   - `make arm` passes",
            vec!["works on ARM", "`make arm` passes"],
        ),
        // Lines that go on with it.
        ("1. Make it\n   Acceptance: `sh a.sh` passes", vec!["`sh a.sh` passes"]),
        ("- [ ] Make it\n  **Acceptance criteria**: it is blue\n- More", vec!["it is blue"]),
        ("- Make it\n  _Acceptance criteria:_ it is blue", vec!["it is blue"]),
        ("- Make it,\n  whole.\n  Done when it is blue\n  and dry", vec!["it is blue and dry"]),
        ("- Make it\n  **Verify:** `make it` passes", vec!["`make it` passes"]),
        ("- Make it\n\n  Acceptance Criteria:\n  - `make it` passes", vec!["`make it` passes"]),
        ("- Make it\n  and verify it\n  with a test", vec![]),
        // What is one already stays one.
        ("- Make it\n  - Acceptance: `make test` passes\n- More\n  - Verify: `make test`", vec![]),
        // What the code is to verify, what a test shows before its code, and what nobody wrote.
        ("- Write tests\n  - Verify: the file is replaced\n  - Validate: exactly one `/`", vec![]),
        ("- Write the test\n  - Verify: `pytest a` fails", vec![]),
        ("- Make it\n  - Acceptance: none", vec![]),
        ("- Make it (confirmed via git: 3 insertions)", vec![]),
        ("- Verify `make it` passes", vec![]),
        ("- Make it\n  - Tests: cover `a.py`", vec![]),
    ] {
        let parsed = with(&if task.starts_with('#') {
            task.to_owned()
        } else {
            format!("### Tasks\n\n{task}")
        });
        assert_eq!(parts(&parsed.plan).1, exit, "{task}");
        assert!(
            parsed.plan.sprints().next().unwrap().tasks[0].text.contains('\n')
                || !task.contains("\n  -"),
            "{task}"
        );
        assert_eq!(warnings(&parsed), 0, "{task}: {:?}", parsed.remarks);
    }
    let parsed = with("### Tasks\n\n- Make it\n  - Verify:\n    ```bash\n    make it\n    ```");
    assert!(said(&parsed)[0].starts_with("1 command in line"), "{:?}", said(&parsed));
}

/// A check among the tasks is one that nobody makes: its author is told, unless a criterion says the same.
#[test]
fn tasks_that_are_checks_are_told() {
    for (tasks, told) in [
        ("1. Make it\n2. Verify with `sh q.sh`", true),
        ("1. Make it\n2. Verified by running `sh q.sh`", true),
        ("1. Make it\n2. Run `sh q.sh` and make sure it passes", true),
        ("1. Make it\n2. Run `sh q.sh` and confirm that it exits 0", true),
        ("1. Make it\n2. Make sure `make lint` is clean", true),
        ("- [ ] Make it\n  - [ ] `test -f a`", true),
        ("- [ ] Make it\n  - [ ] `sh q.sh` exits 0", true),
        ("1. Make it\n2. Check with `make test`", false),
        ("1. Make it\n2. Verify `make it` passes", false),
        ("1. Make it\n2. Run `sh q.sh` and make sure it fails", false),
        ("1. Make it\n2. Make sure that nobody waits", false),
        ("- [ ] Make it\n  - [x] `test -f a`", false),
        ("- [ ] Make it\n  - [ ] `src/a.rs`", false),
        ("- [ ] Make it\n  - [ ] `make test`", false),
        ("1. Make it\n\n| Check | Command |\n|--|--|\n| unit | `make unit` |", true),
        ("1. Make it\n\n| Step | Command |\n|--|--|\n| unit | `make unit` |", false),
        ("1. Make it\n\n**Demo**:\n- `sh proof.sh` exits 0", true),
    ] {
        let parsed = with(&format!("### Tasks\n\n{tasks}"));
        assert_eq!(warnings(&parsed), usize::from(told), "{tasks}: {:?}", parsed.remarks);
    }
}

#[test]
fn what_a_task_demands_in_numbers_is_a_criterion() {
    for (task, exit) in [
        ("- Make it (AC: 100 %)", vec!["100 %"]),
        ("- Make it (AC: ≥ 3)", vec!["≥ 3"]),
        ("- Make it\n   - Acceptance: < 200", vec!["< 200"]),
        ("- Make it (AC: 1, 2)", vec![]),
        ("- Make it (AC: #1)", vec![]),
    ] {
        let parsed = with(&format!("### Tasks\n\n{task}"));
        assert_eq!(parts(&parsed.plan).1, exit, "{task}");
    }
}

#[test]
fn a_folded_section_is_a_part_by_its_summary() {
    let text = "# P\n\n## Sprint 1: A\n\n<details>\n<summary>Exit criteria</summary>\n\n- [ ] `make a` passes\n\n</details>\n\n- Task A\n";
    let parsed = parse(text);
    let sprint = parsed.plan.sprints().next().unwrap();
    assert_eq!((sprint.exit.len(), sprint.tasks.len()), (1, 1), "{sprint:?}");
}

#[test]
fn a_bare_fence_of_items_is_a_list() {
    let text = "# P\n\n## Sprint 1: A\n\n- Make it\n\n**Exit criteria**:\n\n```\n- `make a` passes\n- [ ] the page is blue\n```\n";
    let parsed = parse(text);
    let exit = &parsed.plan.sprints().next().unwrap().exit;
    assert_eq!(exit.len(), 2, "{exit:?}");
    assert!(
        matches!(&exit[0].check, Check::Command { command, .. } if command == "make a"),
        "{exit:?}"
    );
    assert_eq!((exit[1].text.as_str(), &exit[1].check), ("the page is blue", &Check::Checklist));
}

#[test]
fn a_place_kept_for_a_criterion_is_vague() {
    for text in
        ["TBD", "TODO", "to be defined", "...", "tbd later", "see above", "same as sprint 1"]
    {
        let parsed =
            parse(&format!("# P\n\n## Sprint 1: A\n\n- Make it\n\n**Exit criteria:** {text}\n"));
        let vague = parsed.remarks.iter().filter(|one| one.code == Code::VagueWords);
        assert_eq!(vague.count(), 1, "{text}: {:?}", parsed.remarks);
    }
}

#[test]
fn a_line_over_criteria_of_the_whole_hides_no_others() {
    let said = |first: &str| {
        let text = format!(
            "# P\n\n{first}\n\n## Work Unit: Core\n\n**Exit criteria for this unit:**\n- `make core` passes\n\n### Sprint 1: one\n**Exit criteria:**\n- `make test` passes\n\n## Done means\n\n- `make done` passes\n"
        );
        let parsed = parse(&text);
        let heavy = parsed.remarks.iter().filter(|one| one.weight == Weight::Warning);
        heavy.map(|one| one.line).collect::<Vec<_>>()
    };
    assert_eq!(said("Words."), [8, 16]);
    assert_eq!(
        said("**Overall success criteria:** `make overall` passes and it loads."),
        [1, 8, 16]
    );
}

#[test]
fn what_holds_after_every_sprint_is_warned_of() {
    for rule in [
        "`make lint` must pass after every sprint.",
        "All sprints must keep `make lint` green.",
        "Every commit must pass `make lint`.",
        "## Ground rules\n\n- `make lint` passes after each sprint",
    ] {
        let parsed = parse(&format!(
            "# P\n\n{rule}\n\n## Sprint 1: A\n\n- Make it\n\n**Exit criteria**:\n- `make a` passes\n"
        ));
        assert_eq!(warnings(&parsed), 1, "{rule}: {:?}", parsed.remarks);
    }
}

/// Where only tasks say how they end, the others stand for themselves: the user is asked about them before the dispatch, as
/// about a place kept for a criterion.
#[test]
fn what_says_nothing_of_the_end_is_asked_about() {
    let criteria = |body: &str| {
        let text = format!("# P\n\n## Sprint 1: A\n\n{body}\n");
        let config = endstate::protocols::sprint::plan::config("P.md", &text, "p").unwrap().config;
        let all = &config.units[0].sprints[0].criteria;
        all.iter().map(|one| (one.text.clone(), one.vague)).collect::<Vec<_>>()
    };
    let tasks = "- Make it\n  - Acceptance: `make a` passes\n- Write the docs";
    let shown = ("`make a` passes".to_owned(), false);
    assert_eq!(criteria(tasks), [shown.clone(), ("Done: Write the docs".to_owned(), true)]);
    let whole = format!("{tasks}\n\n**Exit criteria**:\n- `make b` passes");
    assert_eq!(criteria(&whole), [("`make b` passes".to_owned(), false), shown]);
    let open = "- Make it\n\n**Exit criteria:** TBD";
    assert_eq!(criteria(open), [("TBD".to_owned(), true)]);
}

#[test]
fn what_is_struck_out_is_none_and_named() {
    let parsed = with(
        "### Tasks\n\n- Make it\n- ~~Make that~~\n- ~~a~~ b\n\n### Checks\n\n- [ ] ~~`make old` passes~~\n- `make new` passes",
    );
    assert_eq!(parts(&parsed.plan).0, ["Make it", "~~a~~ b"]);
    assert_eq!(parts(&parsed.plan).1, ["`make new` passes"]);
    let said = said(&parsed);
    assert_eq!(said.iter().filter(|one| one.starts_with("1 list item")).count(), 2, "{said:?}");
}

#[test]
fn a_sprint_with_a_struck_heading_is_put_off() {
    for (heading, name, off) in [
        ("~~Sprint 2: Redis~~", "Redis", true),
        ("**~~Sprint 2: Redis~~**", "Redis", true),
        ("[ ] ~~Sprint 2: Redis~~", "Redis", true),
        ("Sprint 2: ~~Redis~~", "~~Redis~~", true),
        ("**Sprint 2: Redis**", "Redis", false),
        ("~~Sprint 2: Redis~~ Sprint 2: ~~Files~~", "Redis~~ Sprint 2: ~~Files~~", false),
    ] {
        let text = format!(
            "# P\n\n## Sprint 1: A\n\n- [ ] a\n\n### Exit criteria\n\n- `make test` passes\n\n\
             ## {heading}\n\n**Status**: open\n\n### Tasks\n\n- b\n\n### Exit criteria\n\n- `make redis` passes\n"
        );
        let parsed = parse(&text);
        let last = parsed.plan.sprints().last().unwrap();
        assert_eq!((last.label.as_str(), last.name.as_str(), last.deferred), ("2", name, off));
        let again = parse(&write::render(&parsed.plan));
        assert_eq!(different(&parsed.plan, &again.plan), None, "{heading}");
    }
}

#[test]
fn a_struck_row_is_no_task_and_no_criterion_and_named() {
    let parsed = with(
        "| ID | Task | Acceptance criteria |\n|--|--|--|\n| T1 | Add it | `make a` passes |\n\
         | ~~T2~~ | ~~Redis~~ | ~~`make redis` passes~~ |\n| T3 | Move it | ~~`make b` passes~~ |\n\n\
         ### Checks\n\n| # | Check | Command |\n|--|--|--|\n| 1 | lint | `make lint` |\n| 2 | ~~e2e~~ | ~~`make e2e`~~ |",
    );
    assert_eq!(parts(&parsed.plan).0, ["Add it", "Move it"]);
    assert_eq!(parts(&parsed.plan).1, ["`make a` passes", "lint: `make lint`"]);
    let said = said(&parsed).join("\n");
    assert!(said.contains("2 other blocks") && said.contains("T2"), "{said}");
    assert!(said.contains("1 other block:") && said.contains("e2e"), "{said}");
    assert_eq!(warnings(&parsed), 0, "{said}");
}

#[test]
fn a_struck_box_is_not_open() {
    let parsed = with(
        "### Tasks\n\n- Make it\n\n### Checks\n\n- [ ] ~~make old passes~~\n- `make new` passes\n\n### More\n\n- [ ] ~~`make older` passes~~",
    );
    assert_eq!(parts(&parsed.plan).1, ["`make new` passes"]);
    assert_eq!(warnings(&parsed), 0, "{:?}", said(&parsed));
}

/// A sprint with these lines between its heading and its criteria: its entry criteria, tasks and exit criteria.
fn told(before: &str, exit: &str) -> [Vec<String>; 3] {
    let text =
        format!("# P\n\n## Sprint 1: Z\n\n- Do it\n\n## Sprint 2: A\n\n{before}\n\n{exit}\n");
    let plan = parse(&text).plan;
    let one = plan.sprints().nth(1).unwrap();
    let texts = |all: &[PlanCriterion]| all.iter().map(|one| one.text.clone()).collect();
    [texts(&one.entry), one.tasks.iter().map(|one| one.text.clone()).collect(), texts(&one.exit)]
}

/// A label with its words on its line is complete: the list behind is what the sprint does.
#[test]
fn a_list_behind_a_label_that_says_all_is_work() {
    const EXIT: &str = "**Exit criteria:**\n- `make a` passes";
    for (label, entry) in [
        ("**Prerequisites:** Sprint 1 done", 1),
        ("**Entry criteria:** Sprint 1 is COMPLETED", 1),
        ("**Prerequisites:** none", 0),
        ("**Goal:** Build it.", 0),
        ("**Description:** Build it.", 0),
    ] {
        for list in
            ["1. Write b\n2. Write c", "- [ ] Write b\n- [ ] Write c", "- Write b\n- Write c"]
        {
            let [before, tasks, exit] = told(&format!("{label}\n\n{list}"), EXIT);
            assert_eq!((before.len(), tasks.len(), exit.len()), (entry, 2, 1), "{label} {list}");
        }
    }
    for (text, entry, tasks) in [
        ("**Entry criteria:** Sprint 1 done\n- x is there", 2, 0),
        ("**Entry criteria:** Sprint 1 done\n- [ ] Write x", 1, 1),
        ("**Entry criteria:** Sprint 1 done, and:\n\n- x is there", 2, 0),
        ("**Entry criteria:** all of\n\n- x is there", 1, 0),
        ("**Entry criteria:**\n\n- x is there", 1, 0),
        ("**Tasks:**\n1. a\n\n**Entry criteria:** Sprint 1 done\n\n- x is there", 2, 1),
    ] {
        let [before, work, _] = told(text, EXIT);
        assert_eq!((before.len(), work.len()), (entry, tasks), "{text}");
    }
}

/// Words that only lead to the list behind them are no criterion and no task.
#[test]
fn introductions_are_no_criteria_and_no_tasks() {
    for lead in [
        "All of the following must be true:",
        "all of",
        "Every item below:",
        "(run from the repo root)",
    ] {
        let [_, _, exit] =
            told("- Write a", &format!("**Exit criteria:** {lead}\n- `make a` passes"));
        assert_eq!(exit, ["`make a` passes"], "{lead}");
    }
    // Without a list it is all there is, and what says something is one.
    let [_, _, exit] = told("- Write a", "**Exit criteria:** all of the checks pass");
    assert_eq!(exit, ["all of the checks pass"]);
    let [_, _, exit] =
        told("- Write a", "**Exit criteria:** The server starts:\n- `make a` passes");
    assert_eq!(exit.len(), 2);
    let [_, tasks, _] = told("**Tasks:** implement the following\n1. Write a", "");
    assert_eq!(tasks, ["Write a"]);
    let [_, tasks, _] = told("**Requirements:** FR-1, FR-2\n\n- [ ] Write a", "");
    assert_eq!(tasks, ["Write a\n- FR-1, FR-2"]);
    let [_, tasks, _] = told("**Requirements:** FR-1, FR-2", "");
    assert_eq!(tasks, ["FR-1, FR-2"]);
}

/// An open box is work, whatever label says something on its line before it.
#[test]
fn open_boxes_behind_labels_of_one_line_are_tasks() {
    const EXIT: &str = "**Exit criteria:**\n- `make a` passes";
    for label in [
        "**Files:** `a.py`, `b.py`",
        "**Context:** see docs/x.md",
        "**Notes:** careful",
        "**Owner:** Ada\n**Priority:** High",
        "**Priority:** High\n**Estimated effort:** 2 hours",
    ] {
        let [_, tasks, exit] = told(&format!("{label}\n\n- [ ] Write a\n- [ ] Write b"), EXIT);
        assert_eq!((tasks.len(), exit.len()), (2, 1), "{label}");
    }
    for text in [
        "**Out of scope:** a\n\n- [ ] Write a",
        "**Notes:**\n\n- [ ] Write a",
        "**Stretch goals:** if there is time\n\n- [ ] Write a",
        "**Tasks:**\n1. b\n\n**Notes:** careful\n\n- [ ] Write a",
    ] {
        let [_, tasks, _] = told(text, EXIT);
        assert!(!tasks.iter().any(|task| task == "Write a"), "{text}");
    }
}

#[test]
fn open_boxes_below_deeper_headings_are_tasks_where_no_tasks_are_named() {
    let text = |heading: &str, before: &str| {
        format!(
            "# P\n\n## Phase 1: Search\n\n**Goal**: users search\n\n{before}### {heading}\n\n- [ ] T004 write the page\n\n\
             **Checkpoint**: it works\n"
        )
    };
    let tasks = |text: &str| {
        let parsed = parse(text);
        let first = parsed.plan.sprints().next().unwrap().clone();
        first.tasks.into_iter().map(|one| one.text).collect::<Vec<_>>()
    };
    for heading in ["Implementation for User Story 1", "Tests for User Story 1", "Backend"] {
        assert_eq!(tasks(&text(heading, "")), ["T004 write the page"], "{heading}");
    }
    for heading in ["Out of scope", "Notes", "Example"] {
        assert_eq!(tasks(&text(heading, "")), Vec::<String>::new(), "{heading}");
    }
    let named = text("Backend", "**Tasks**:\n\n- write\n\n");
    assert_eq!(tasks(&named), ["write"]);
}
