//! Which sections of a plan are sprints, and that none of those that look like one is left out in silence.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

use endstate::plan::model::{Plan, Weight};
use endstate::plan::prioritize::prioritize;
use endstate::plan::read::parse;
use endstate::vocab::error::Code;

mod planning;
use planning::read;

/// A section with a task and a criterion that are called like it.
fn section(heading: &str, name: &str) -> String {
    format!(
        "{heading}\n\n**Tasks**:\n1. Write `src/{name}.rs`\n\n**Exit criteria**:\n- [ ] `make {name}` passes\n\n"
    )
}

fn document(parts: &[&str]) -> String {
    format!("# P\n\n{}", parts.concat())
}

/// `label name: tasks/criteria` of each sprint.
fn sprints(plan: &Plan) -> Vec<String> {
    let line = |one: &endstate::plan::model::Sprint| {
        format!("{} {}: {}/{}", one.id, one.name, one.tasks.len(), one.exit.len())
    };
    plan.sprints().map(line).collect()
}

/// What the faults are about.
fn faults(text: &str) -> Vec<String> {
    parse(text).faults().map(|one| one.got.clone()).collect()
}

const TABLE: &str = "| Sprint | Goal | Depends | Exit criteria |\n|---|---|---|---|\n\
    | S1 | Parser | - | `test -f parser.py` |\n| S2 | CLI | S1 | No panics |\n\n";

#[test]
fn rows_and_sections_of_one_sprint_are_joined() {
    for [first, second] in [
        ["## S1: Parser", "## S2: CLI"],
        ["### S1 — Parser", "### S2 — CLI"],
        ["## Parser", "## CLI"],
        ["## 2. Parser", "## 3. CLI"],
    ] {
        let text = document(&[TABLE, &section(first, "a"), &section(second, "b")]);
        let parsed = read(&text);
        assert_eq!(sprints(&parsed.plan), ["plan/1 Parser: 1/2", "plan/2 CLI: 1/2"], "{first}");
        assert_eq!(parsed.plan.dependencies.len(), 1, "{first}");
        assert!(parsed.remarks.is_empty(), "{first}: {:?}", parsed.remarks);
    }
}

#[test]
fn a_section_named_like_a_row_is_a_fault_where_not_all_rows_have_one() {
    for (section, fault) in [
        ("## CLI\n\n- write it\n- test it\n", "`CLI`, whose"),
        ("## S2: The commands\n\n**Exit criteria**:\n- `make b` passes\n", "`S2: The commands`"),
        ("## S3: Docs\n\n**Exit criteria**:\n- `make b` passes\n", "`S3: Docs`"),
        ("## Sprint 3: Docs\n\n- [ ] write\n", "S1 | Parser"),
        ("## Sprint 3 Docs\n\n- [ ] write\n", "`Sprint 3 Docs`"),
        ("## Sprint 1 exit criteria\n\n- No panics\n", "`Sprint 1 exit criteria`"),
    ] {
        let text = document(&[TABLE, section]);
        let found = faults(&text);
        assert!(found.iter().any(|one| one.contains(fault)), "{section}: {found:?}");
    }
    for plain in ["## CLI\n\nIt is small.\n", "## Notes\n\n- CLI is small\n", "## S1 is small\n"] {
        assert_eq!(faults(&document(&[TABLE, plain])), [""; 0], "{plain}");
    }
}

#[test]
fn joined_sections_get_new_numbers_with_their_rows() {
    let table = "| Sprint | Goal | Depends | Exit criteria |\n|---|---|---|---|\n\
        | S1 | Page | - | `test -f a` |\n| S2 | Core | - | `test -f b` |\n| S3 | Client | S2 | `test -f c` |\n\n";
    let work = |heading: &str, task: &str| format!("## {heading}\n\n**Tasks**:\n1. {task}\n\n");
    let text = document(&[
        table,
        &work("S1: Page", "Show a page"),
        &work("S2: Core", "Create `src/types.rs`"),
        &work("S3: Client", "Use `src/types.rs`"),
    ]);
    let done = prioritize(&text, &Default::default()).unwrap();
    let plan = parse(&done.text).plan;
    let read: Vec<_> = plan
        .sprints()
        .map(|one| (one.label.as_str(), one.name.as_str(), one.exit[0].text.as_str()))
        .collect();
    let expected = [
        ("1", "Core", "`test -f b`"),
        ("2", "Page", "`test -f a`"),
        ("3", "Client", "`test -f c`"),
    ];
    assert_eq!(read, expected, "{}", done.text);
}

#[test]
fn a_name_behind_a_mark_is_one_and_work_is_never_about_a_sprint() {
    for (third, read) in [
        ("Sprint3: Review", true),
        ("Sprint3: Test plan", true),
        ("Sprint 3 Review", true),
        ("Sprint 3 Write plan overview", true),
        ("Sprint 2-3 Parser", false),
        ("Sprint 2 and 3 Parser", false),
        ("Sprint Three Set up", false),
        ("Sprint Three: Set up", false),
        ("Sprint: Review", false),
        ("Sprint 1 Summary", false),
    ] {
        let third_section = section(&format!("## {third}"), "c");
        let text = document(&[
            &section("## Sprint 1 Set up", "a"),
            &section("## Sprint 2 Parser", "b"),
            &third_section,
        ]);
        let parsed = parse(&text);
        assert_eq!(parsed.plan.sprints().count(), if read { 3 } else { 2 }, "{third}");
        assert_eq!(parsed.faults().count(), usize::from(!read), "{third}: {:?}", parsed.remarks);
    }
    let prose = "## Sprint 1 Summary\n\nAll is well.\n";
    let text = document(&[
        &section("## Sprint 1 Set up", "a"),
        &section("## Sprint 2 Parser", "b"),
        prose,
    ]);
    let parsed = parse(&text);
    assert_eq!((parsed.plan.sprints().count(), parsed.faults().count()), (2, 0));
}

#[test]
fn loose_headings_go_before_what_they_say_all_of() {
    let [one, two, three] = [("Set up", "a"), ("Parser", "b"), ("Release", "c")];
    let loose = |number: u32, (name, short): (&str, &str), level: &str| {
        section(&format!("{level} Sprint {number} {name}"), short)
    };
    let all = [loose(1, one, "##"), loose(2, two, "##"), loose(3, three, "##")].concat();
    let rows = "| Sprint | Goal | Exit criteria |\n|---|---|---|\n| 1 | Set up | No panics |\n| 2 | Parser | - |\n\n";
    let tasks = "## Sprint 2 Parser\n\n### Task 2.1: foo\n- [ ] x\n- [ ] y\n\n";
    let tasked = [loose(1, one, "##"), tasks.to_owned(), loose(3, three, "##")].concat();
    let phases = [
        "## Phase 1: Core\n\n".to_owned(),
        loose(1, one, "###"),
        loose(2, two, "###"),
        "## Phase 2: Web\n\n".to_owned(),
        loose(3, three, "###"),
    ]
    .concat();
    let again = [
        "## Work Unit: Core\n\n".to_owned(),
        loose(1, one, "###"),
        "## Work Unit: Web\n\n".to_owned(),
        loose(1, three, "###"),
    ]
    .concat();
    for (text, expected) in [
        (
            [rows, &all].concat(),
            vec!["plan/1 Set up: 1/2", "plan/2 Parser: 1/1", "plan/3 Release: 1/1"],
        ),
        (tasked, vec!["plan/1 Set up: 1/1", "plan/2 Parser: 1/0", "plan/3 Release: 1/1"]),
        (
            phases,
            vec![
                "phase-1-core/1 Set up: 1/1",
                "phase-1-core/2 Parser: 1/1",
                "phase-2-web/3 Release: 1/1",
            ],
        ),
        (again, vec!["core/1 Set up: 1/1", "web/1 Release: 1/1"]),
    ] {
        let parsed = read(&document(&[&text]));
        assert_eq!(sprints(&parsed.plan), expected);
        assert_eq!(parsed.faults().count(), 0, "{:?}", parsed.remarks);
    }
    // Where a row or a phase says more, it stays, and the heading is a fault.
    let phase = "## Phase 1: Core\n\n**Tasks**:\n1. Do it\n\n### Sprint 1 Set up\n\n- [ ] look\n\n";
    for text in [[rows, &loose(1, one, "##")].concat(), phase.to_owned()] {
        assert_eq!(faults(&document(&[&text])), ["`Sprint 1 Set up`, which has none"]);
    }
}

#[test]
fn a_unit_without_sprints_beside_its_like_is_a_fault() {
    let sprint = |number: u32| section(&format!("### Sprint {number}: x"), "a");
    for (first, second, last, fault) in [
        ("Phase 1", "Phase 3", "Phase 2: Build", true),
        ("Phase A", "Phase B", "Phase C", true),
        ("Work Unit: Core", "Work Unit: Web", "Work Unit: Build", true),
        ("Phase 1", "Phase 3", "Phase 4: Out of scope", false),
        ("Phase 1", "Phase 3", "Phase 2 (done)", false),
        ("Section 1: Core", "Section 2: Web", "Section 3: People", false),
        ("Core", "Web", "Notes", false),
    ] {
        let text = format!(
            "# P\n\n## {first}\n\n{}## {second}\n\n{}## {last}\n\n1. Build the binary\n2. Sign it\n",
            sprint(1),
            sprint(2)
        );
        let expected: Vec<String> =
            fault.then(|| format!("`{last}`, whose work would be left out")).into_iter().collect();
        assert_eq!(faults(&text), expected, "{last}");
    }
}

#[test]
fn units_with_letters_are_in_order_too() {
    let text = document(&[
        "## Phase A\n\n",
        &section("### Sprint 1: x", "a"),
        "## Phase B\n\n",
        &section("### Sprint 2: y", "b"),
    ]);
    let parsed = read(&text);
    let edges: Vec<_> =
        parsed.plan.dependencies.iter().map(|one| (one.from.as_str(), one.to.as_str())).collect();
    assert_eq!(edges, [("phase-a", "phase-b")]);
    assert!(parsed.remarks.iter().any(|one| one.got.contains("by its number")));
}

#[test]
fn numbered_groups_of_criteria_are_no_tasks() {
    let text = "# P\n\n## Sprint 1: Parser\n\n**Tasks**:\n1. Write `src/a.rs`\n\n**Exit criteria**:\n- `make a` passes\n\n\
        **1. Build:**\n- `make test`\n\n**2. Quality**\n- No panics\n\n**3. Docs:** all is written\nand read\n";
    let parsed = read(text);
    let sprint = parsed.plan.sprints().next().unwrap();
    let exit: Vec<_> = sprint.exit.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(sprint.tasks.len(), 1);
    assert_eq!(
        exit,
        ["`make a` passes", "`make test`", "No panics", "**3. Docs:** all is written and read"]
    );
    // Where the tasks have no label, they are what is numbered so.
    let tasks = "# P\n\n## Sprint 1: Parser\n\n**Exit criteria**:\n- `make a` passes\n\n**1. Build:**\n- write it\n";
    assert_eq!(parse(tasks).plan.sprints().next().unwrap().tasks.len(), 1);
}

#[test]
fn the_number_behind_the_word_is_that_of_the_sprint() {
    let third = "## 3. Sprint 2\n\n**Depends on**: Sprint 1\n\n**Tasks**:\n1. Write it\n\n";
    let text = document(&[&section("## 1. Sprint 0", "a"), &section("## 2. Sprint 1", "b"), third]);
    let plan = read(&text).plan;
    assert_eq!(sprints(&plan), ["plan/0 : 1/1", "plan/1 : 1/1", "plan/2 : 1/0"]);
    assert!(plan.dependencies.iter().any(|one| one.from == "plan/1" && one.to == "plan/2"));
    let text = document(&["## 2 Core\n\n", &section("### 2.1 Sprint 1: Index", "a")]);
    assert_eq!(sprints(&parse(&text).plan), ["plan/1 Index: 1/1"]);
}

#[test]
fn empty_items_are_named() {
    let text = "# P\n\n## Sprint 1: Parser\n\n**Tasks**:\n1. Write `src/a.rs`\n2.\n- [ ]\n\n**Exit criteria**:\n- [ ] `make a` passes\n-\n";
    let parsed = parse(text);
    let named: Vec<_> = parsed
        .remarks
        .iter()
        .filter(|one| one.code == Code::ReadAsText)
        .map(|one| one.line)
        .collect();
    assert_eq!(named, [7, 12], "{:?}", parsed.remarks);
}

#[test]
fn headings_that_are_read_after_all_are_not_warned_of() {
    let text =
        document(&[&section("## Sprint One: Set up", "a"), &section("## Sprint Two: Parser", "b")]);
    let parsed = parse(&text);
    assert_eq!(parsed.plan.sprints().count(), 2);
    assert!(parsed.remarks.iter().all(|one| one.weight == Weight::Note), "{:?}", parsed.remarks);
}

#[test]
fn criteria_of_an_overview_beside_the_sprints_are_warned_of() {
    let sprints = [section("## Sprint 1: Parser", "a"), section("## Sprint 2: CLI", "b")].concat();
    for (heads, cells, many) in [
        ("Depends | Exit criteria", ["- | No panics", "1 | it is fast"], "2 requirements"),
        ("Owner | Exit criteria", ["Ann | No panics", "Bob | -"], "1 requirement"),
        ("Depends | Exit criteria", ["- | `make x` passes", "1 | `make y` passes"], "2 commands"),
    ] {
        let table = format!(
            "| Sprint | Goal | {heads} |\n|---|---|---|---|\n| 1 | Parser | {} |\n| 2 | CLI | {} |\n\n",
            cells[0], cells[1]
        );
        let parsed = parse(&document(&[&table, &sprints]));
        let told: Vec<_> =
            parsed.remarks.iter().filter(|one| one.weight == Weight::Warning).collect();
        assert_eq!(told.len(), 1, "{cells:?}");
        assert!(told[0].got.starts_with(many), "{}", told[0].got);
    }
}
