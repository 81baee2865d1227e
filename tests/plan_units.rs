//! Who waits for whom between units: what they say below their headings, their numbers, tables and sentences about
//! them by whatever they are called. No unit begins early because nobody understood a line.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

use endstate::plan::model::{Check, Dependency, Expectation, Weight};
use endstate::plan::read::{Parsed, parse};
use endstate::plan::write;
use endstate::vocab::error::Code;

mod planning;
use planning::{different, dropped, read};

/// A plan of two units, with lines below the heading of the second and lines at the end.
fn plan(headings: [&str; 2], said: &str, end: &str) -> Parsed {
    let [one, two] = headings;
    let sprint = |label: u32| {
        format!(
            "### Sprint {label}: x\n\n**Tasks**:\n1. Do it\n\n**Exit criteria**:\n- [ ] `make test` passes\n\n"
        )
    };
    let text =
        format!("# P\n\n## {one}\n\n{}## {two}\n\n{said}\n\n{}{end}\n", sprint(1), sprint(2));
    let parsed = parse(&text);
    assert!(dropped(&text, &parsed).is_empty(), "{text}");
    if parsed.faults().next().is_none() {
        let again = parse(&write::render(&parsed.plan));
        assert_eq!(different(&parsed.plan, &again.plan), None, "{text}");
    }
    parsed
}

fn edges(parsed: &Parsed) -> String {
    let one = |edge: &Dependency| format!("{} > {}", edge.from, edge.to);
    parsed.plan.dependencies.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Faults and warnings: the code, and what was found.
fn heavy(parsed: &Parsed) -> Vec<(Weight, Code, String)> {
    let all = parsed.remarks.iter().filter(|one| one.weight != Weight::Note);
    all.map(|one| (one.weight, one.code, one.got.clone())).collect()
}

const UNITS: [&str; 2] = ["Work Unit: Core", "Work Unit: Web"];
const PHASES: [&str; 2] = ["Phase 1: Foundations", "Phase 2: Release"];
const WAITS: &str = "phase-1-foundations > phase-2-release";

#[test]
fn what_a_unit_says_below_its_heading_is_read() {
    for said in [
        "**Depends on**: Core",
        "Depends on Core.",
        "- **Depends on**: Core",
        "**Prerequisites**: Core complete",
        "**Entry criteria:** Sprint 1 complete",
        "**Needs**: Core",
        "Core must be complete before this begins.",
        "### Dependencies\n\n- Core",
        "Some words.\n\n**Depends on**: the Core unit",
    ] {
        let parsed = plan(UNITS, said, "");
        let expected = if said.contains("Sprint 1") { "core/1 > web" } else { "core > web" };
        assert_eq!(edges(&parsed), expected, "{said}");
        assert_eq!(heavy(&parsed), [], "{said}");
    }
    assert_eq!(edges(&plan(UNITS, "**Blocks**: Core", "")), "web > core");
    assert_eq!(edges(&plan(UNITS, "**Depends on**: none", "")), "");
}

#[test]
fn what_cannot_be_read_below_a_unit_is_told_as_in_a_sprint() {
    use Weight::{Fault, Warning};
    for (said, weight, code, got) in [
        ("**Depends on**: Core, Gadget", Fault, Code::DependencyUnknown, "`Gadget`"),
        ("**Depends on**: Web", Fault, Code::DependencyCycle, "itself"),
        ("**Entry criteria**: Web complete", Fault, Code::DependencyCycle, "itself"),
        (
            "**Depends on**: Sprint 2",
            Warning,
            Code::DependencyUnknown,
            "`2`, a sprint of this unit",
        ),
        ("**Layer**: soon", Fault, Code::InvalidValue, "`soon`"),
        ("**Depends on**:", Warning, Code::Overlooked, "nothing, taken as `none`"),
        (
            "**Entry criteria**: the design is approved",
            Warning,
            Code::Overlooked,
            "`the design is approved`, which nobody checks",
        ),
    ] {
        let parsed = plan(UNITS, said, "");
        assert_eq!(heavy(&parsed), [(weight, code, got.to_owned())], "{said}");
    }
    let layers = "# P\n\n## Core\n\n**Layer**: 1\n\n### Sprint 1: x\n\n## Web\n\n**Layer**: 2\n\n### Sprint 2: y\n";
    assert_eq!(edges(&parse(layers)), "core > web");
}

/// A number in the name of a phase says what comes first; of a work unit it is a name.
#[test]
fn phases_are_in_order_unless_something_else_is_said() {
    let noted =
        |parsed: &Parsed| parsed.remarks.iter().any(|one| one.got.contains("by its number"));
    for (headings, expected) in [
        (PHASES, WAITS),
        (["Phase 2: Release", "Phase 1: Foundations"], WAITS),
        (["Stage I: a", "Stage II: b"], "stage-i-a > stage-ii-b"),
        (["Milestone One", "Milestone Two"], "milestone-one > milestone-two"),
    ] {
        let parsed = plan(headings, "", "");
        assert_eq!((edges(&parsed).as_str(), noted(&parsed)), (expected, true), "{headings:?}");
    }
    for headings in [["Work Unit 1: a", "Work Unit 2: b"], ["Core", "Web"], ["Phase 1", "Stage 2"]]
    {
        assert_eq!(edges(&plan(headings, "", "")), "", "{headings:?}");
    }
    for said in
        ["**Depends on**: none", "Can run in parallel with Phase 1.", "**Prerequisites**: none"]
    {
        assert_eq!(edges(&plan(PHASES, said, "")), "", "{said}");
    }
    assert!(!noted(&plan(PHASES, "**Depends on**: Phase 1", "")));
    // What is said of the first goes before the numbers.
    let turned = "## Dependencies\n\n- Phase 1 depends on Phase 2";
    assert_eq!(edges(&plan(PHASES, "", turned)), "phase-2-release > phase-1-foundations");
}

#[test]
fn units_are_known_by_what_people_call_them() {
    for said in [
        "Phase 1",
        "Foundations",
        "phase 1",
        "Phase 1: Foundations",
        "Phase 1 (Foundations)",
        "completion of Phase 1",
        "the Foundations phase",
        "Phase-1",
        "phase-1-foundations",
    ] {
        let parsed = plan(PHASES, &format!("**Depends on:** {said}"), "");
        assert_eq!((edges(&parsed).as_str(), heavy(&parsed)), (WAITS, Vec::new()), "{said}");
        // In a sprint, too.
        let text = format!(
            "# P\n\n## Phase 1: Foundations\n\n### Sprint 1: x\n\n## Phase 2: Release\n\n### Sprint 2: y\n\n\
             **Depends on:** {said}\n"
        );
        let again = parse(&text);
        assert!(again.faults().next().is_none(), "{said}: {:?}", heavy(&again));
        assert_eq!(edges(&again), "phase-1-foundations > phase-2-release/2", "{said}");
    }
    let entry = plan(PHASES, "**Entry criteria:** Phase 1 complete", "");
    assert_eq!((edges(&entry).as_str(), heavy(&entry)), (WAITS, Vec::new()));
}

#[test]
fn sentences_and_tables_speak_of_units_by_any_of_their_names() {
    let units = ["Work Unit 1: Core", "WU-2: Web Page"];
    for line in [
        "- Work Unit 2 depends on Work Unit 1",
        "- Web Page depends on Core",
        "- WU-2 depends on WU-1",
        "WU2 waits for WU1.",
        "- Work Unit 2: Web Page depends on Work Unit 1: Core",
        "| Work Unit | Depends on |\n|---|---|\n| Core | none |\n| Web Page | Core |",
        "| Work Unit | Depends on |\n|---|---|\n| Web Page | Core |",
        "| Unit | Dependencies |\n|---|---|\n| 2 | Work Unit 1 |",
        "| Unit | Dependencies |\n|---|---|\n| Web Page | Core |\n| Web Page | WU-1 |",
    ] {
        let parsed = plan(units, "", &format!("## Dependencies\n\n{line}"));
        assert_eq!((edges(&parsed).as_str(), heavy(&parsed)), ("wu1 > wu2", Vec::new()), "{line}");
    }
    for line in
        ["| Phase | Depends on |\n|---|---|\n| 2 | Phase 1 |", "- Release depends on Foundations"]
    {
        let parsed = plan(PHASES, "", &format!("## Dependencies\n\n{line}"));
        assert_eq!((edges(&parsed).as_str(), heavy(&parsed)), (WAITS, Vec::new()), "{line}");
    }
}

#[test]
fn tasks_of_two_sprints_order_these() {
    let text = |line: &str| {
        format!(
            "# P\n\n## Phase 1: Core\n\n### Task 1.1: a\n- [ ] write\n\n### Task 1.2: b\n- [ ] write\n\n\
             ## Phase 2: UI\n\n### Task 2.1: c\n- [ ] write\n\n## Dependencies\n\n- {line}\n"
        )
    };
    let parsed = parse(&text("Task 2.1 depends on Task 1.2"));
    assert_eq!(edges(&parsed), "phase-1-core/1 > phase-2-ui/2");
    assert_eq!(edges(&parse(&text("T2.1 after T1.1"))), "phase-1-core/1 > phase-2-ui/2");
    let inner = parse(&text("Task 1.2 depends on Task 1.1"));
    assert!(inner.faults().next().is_none(), "{:?}", heavy(&inner));
}

/// A table of units and headings that call them otherwise are about the same units.
#[test]
fn rows_and_headings_of_one_unit_are_found_to_be() {
    for heading in
        ["Work Unit 2: Web", "WU-2: Web", "2. Web", "Phase 2: Web", "Web (late)", "`Web`"]
    {
        let core = heading.replace("Web", "Core").replace('2', "1");
        let table = "| Work Unit | Sprints | Dependencies |\n|---|---|---|\n| Core | 1 | none |\n| Web | 1 | Core |";
        let text = format!(
            "# P\n\n{table}\n\n## {core}\n\n### Sprint 1: x\n\n**Exit criteria**:\n- [ ] `make a` passes\n\n\
             ## {heading}\n\n### Sprint 1: y\n\n**Exit criteria**:\n- [ ] `make b` passes\n"
        );
        let parsed = parse(&text);
        assert_eq!(
            (edges(&parsed).as_str(), heavy(&parsed)),
            ("core > web", Vec::new()),
            "{heading}"
        );
    }
}

#[test]
fn tasks_are_named_by_their_numbers_and_as_often_as_one_likes() {
    let text = |said: &str| {
        let task = |id: &str, said: &str| {
            format!(
                "### Task {id}: x\n\n{said}\n\n- [ ] write\n\n**Acceptance criteria:**\n- [ ] `true`\n\n"
            )
        };
        let (first, second) = (task("1.1", ""), task("1.2", "**Depends on:** 1.1"));
        format!(
            "# P\n\n## Phase 1: Core\n\n{first}{second}## Phase 2: Web\n\n{}",
            task("2.1", &format!("**Depends on:** {said}"))
        )
    };
    for said in [
        "1.2",
        "1.1, 1.2",
        "Task 1.1, Task 1.2",
        "T1.1 and T1.2",
        "Task 1.2, Task 1.2",
        "1.1, Task 1.2",
    ] {
        let parsed = parse(&text(said));
        assert_eq!(
            (edges(&parsed).as_str(), heavy(&parsed)),
            ("phase-1-core/1 > phase-2-web/2", Vec::new()),
            "{said}"
        );
    }
    let parsed = parse(&text("1.1, 1.7"));
    assert_eq!(heavy(&parsed), [(Weight::Fault, Code::DependencyUnknown, "`1.7`".to_owned())]);
}

#[test]
fn sentences_about_nobody_below_dependencies_are_told() {
    let parsed = plan(UNITS, "", "## Dependencies\n\n- Gadget depends on Widget");
    let got = "`Gadget depends on Widget`, not read as an order".to_owned();
    assert_eq!(heavy(&parsed), [(Weight::Warning, Code::DependencyUnknown, got)]);
    let prose = plan(
        UNITS,
        "",
        "## Dependencies\n\nThe time that the review takes depends on who is there.",
    );
    assert_eq!(heavy(&prose), []);
}

#[test]
fn sprints_that_are_put_off_are_known_by_their_status() {
    for (name, status, off) in [
        ("c (deferred)", "", true),
        ("c — deferred to v2", "", true),
        ("c", "**Status**: deferred", true),
        ("c", "- **Status**: Deferred until June", true),
        ("c", "**Status**: done", false),
        ("The (deferred) queue", "", false),
    ] {
        let parsed = parse(&format!("# P\n\n## Sprint 1: a\n\n## Sprint 2: {name}\n\n{status}\n"));
        assert_eq!(parsed.plan.sprints().nth(1).unwrap().deferred, off, "{name} {status}");
        let again = parse(&write::render(&parsed.plan));
        assert_eq!(again.plan.sprints().nth(1).unwrap().deferred, off, "{name} {status}");
    }
}

#[test]
fn a_document_without_sprints_is_told_what_it_has_instead() {
    for (text, got) in [
        ("# P\n\n## Story 1: a\n\nText.\n", "none; `Story 1: a` is not read as one"),
        (
            "# P\n\n| Phase | Work |\n|---|---|\n| 1 | Build |\n",
            "none; the table of `phase`, `work` is not read as a list of them",
        ),
        ("# P\n\nText.\n", "none"),
    ] {
        let parsed = parse(text);
        let fault = parsed.faults().find(|one| one.code == Code::EmptyPlan).unwrap();
        assert_eq!(fault.got, got);
    }
}

/// Four phases with a sprint each, the second and third of which say something in or below their headings.
fn phases(second: [&str; 2], third: [&str; 2]) -> String {
    let sprint = |label: u32| {
        format!("### Sprint {label}: x\n\n**Exit criteria**\n- `make x{label}` passes\n\n")
    };
    let [one, two, three, four] = [1, 2, 3, 4].map(sprint);
    let ([second, said], [third, told]) = (second, third);
    edges(&parse(&format!(
        "# P\n\n## Phase 1: Base\n\n{one}## Phase 2: Server{second}\n\n{said}\n\n{two}\
         ## Phase 3: Client{third}\n\n{told}\n\n{three}## Phase 4: Release\n\n{four}"
    )))
}

#[test]
fn phases_beside_each_other_wait_for_what_is_before_both() {
    let short = |edges: String| {
        let parts = edges.split(", ").map(|edge| {
            let sides = edge.split(" > ").map(|id| id.trim_start_matches("phase-").get(..1));
            sides.flatten().collect::<Vec<_>>().join(">")
        });
        parts.collect::<Vec<_>>().join(" ")
    };
    for (second, third) in [
        (["", ""], ["", "Can run in parallel with Phase 2."]),
        (["", "Can run in parallel with Phase 3."], ["", ""]),
        (["", "Runs alongside the Client phase."], ["", "Runs in parallel with Phase 2."]),
        ([" (parallel with Phase 3)", ""], [" (parallel with Phase 2)", ""]),
        ([" (can run in parallel with Phase 3)", ""], ["", ""]),
        (["", ""], ["", "Independent of Phase 2, after Phase 1."]),
    ] {
        let found = short(phases(second, third));
        assert_eq!(found, "1>2 1>3 2>4 3>4", "{second:?} {third:?}");
    }
    // Who names nobody waits for nobody.
    assert_eq!(short(phases(["", ""], ["", "Can begin at any time."])), "1>2 3>4");
    assert_eq!(short(phases(["", ""], ["", "In parallel with Phase 1."])), "1>2 2>4 3>4");
}

#[test]
fn a_sprint_of_another_unit_is_waited_for_by_its_units_name() {
    let plan = |said: &str| {
        let end = "**Exit criteria**\n- `make x` passes\n\n";
        let two = format!("### Sortie 1: a\n\n{end}### Sortie 2: b\n\n{end}");
        let parsed = parse(&format!(
            "# P\n\n## WU1: Kit\n\n{two}## WU2: Tool\n\n### Sortie 1: c\n\n{end}\
             ### Sortie 2: d\n\n**Entry criteria**\n- [ ] {said}\n\n{end}"
        ));
        let faults = parsed.faults().map(|one| one.got.clone()).collect::<Vec<_>>().join(" ");
        let all = parsed.plan.dependencies.iter().filter(|one| one.to == "wu2/2");
        all.map(|one| one.from.clone()).collect::<Vec<_>>().join(" ") + &faults
    };
    for (said, expected) in [
        ("Kit Sortie 1 complete", "wu1/1"),
        ("Kit: Sortie 2", "wu1/2"),
        ("`Kit` Sortie 2 is complete", "wu1/2"),
        ("Kit's Sortie 2 is merged", "wu1/2"),
        ("Kit Sorties 1-2", "wu1/1 wu1/2"),
        ("Kit Sorties 1 and 2 complete", "wu1/1 wu1/2"),
        ("WU1 Sortie 2 COMPLETED", "wu1/2"),
        ("Work Unit 1 Sortie 2 complete", "wu1/2"),
        ("WU1: Kit Sortie 2 complete", "wu1/2"),
        ("Sortie 2 of Kit complete", "wu1/2"),
        ("Sortie 2 of the Kit unit is done", "wu1/2"),
        ("wu1/1 complete", "wu1/1"),
        ("Kit/1 complete", "wu1/1"),
        ("Kit Sortie 1 complete, Tool Sortie 1 complete", "wu1/1 wu2/1"),
        ("WU1 Sortie 1, WU2 Sortie 1", "wu1/1 wu2/1"),
        ("Sortie 1 complete", "wu2/1"),
        ("Kit complete", "wu1"),
        // A fault; the order that is left is that of the document.
        ("Kit Sortie 7 complete", "wu2/1`7`"),
    ] {
        assert_eq!(plan(said), expected, "{said}");
    }
}

#[test]
fn a_unit_is_called_by_its_name_without_the_word_before_it() {
    for kind in ["Unit", "Module", "Component", "Track", "Epic", "Team", "Workstream"] {
        let headings = [format!("{kind}: Ingest"), format!("{kind}: Clean")];
        let graph = "## Dependencies\n\nClean depends on Ingest";
        let found = edges(&plan([&headings[0], &headings[1]], "", graph));
        assert_eq!(found.matches(" > ").count(), 1, "{kind}: {found}");
        let found = edges(&plan([&headings[0], &headings[1]], "**Depends on**: Ingest", ""));
        assert_eq!(found.matches(" > ").count(), 1, "{kind}: {found}");
    }
}

/// Labels and names of the sprints, and how many tasks and criteria each has.
fn counted(text: &str) -> Vec<(String, String, usize, usize)> {
    let plan = parse(text).plan;
    let all = plan.sprints();
    all.map(|one| (one.label.clone(), one.name.clone(), one.tasks.len(), one.exit.len())).collect()
}

/// Only "2. Loader" has boxes; the sections beside it that are headed alike are work as well.
#[test]
fn sections_headed_like_a_sprint_are_sprints() {
    const PARTS: [&str; 3] = [
        "Build the parser.\n\n- Handle quotes\n- Handle CRLF\n\n**Acceptance criteria:**\n- `make parser` exits 0\n",
        "- [ ] Bulk insert\n- [ ] Retry\n\n**Acceptance criteria:**\n- `make loader` exits 0\n",
        "1. Summary table\n2. Error list\n\n**Acceptance criteria:**\n- `make report` exits 0\n",
    ];
    for (form, labels) in [
        ("## N. ", ["1", "2", "3"]),
        ("### M-", ["M1", "M2", "M3"]),
        ("## Epic N: ", ["1", "2", "3"]),
    ] {
        let parts = (1..).zip(PARTS).map(|(number, part)| {
            let head =
                form.replace('N', &number.to_string()).replace("M-", &format!("M{number} – "));
            format!("{head}Part\n\n{part}\n")
        });
        let text = format!("# Plan\n\n{}", parts.collect::<String>());
        let parsed = parse(&text);
        assert_eq!(parsed.faults().count(), 0, "{:?}", parsed.remarks);
        let found = counted(&text);
        assert_eq!(found.len(), 3, "{found:?}");
        for ((label, name, tasks, exit), expected) in found.into_iter().zip(labels) {
            assert_eq!((tasks, exit), (2, 1), "{form}{label}");
            assert!(form.contains("Epic") || label == expected && name == "Part", "{label} {name}");
        }
    }
}

/// Where sections tell about the plan, a bare list in them is none of its work.
#[test]
fn sections_about_the_plan_are_no_sprints() {
    let text = "# Plan\n\n## 1. Overview\n\n- Fast\n\n## 2. Architecture\n\n- Two parts\n\n## 3. Tables\n\n\
                - users\n\n## 4. Loader\n\n- [ ] Bulk insert\n\n## 5. Risks\n\n- Slow\n";
    let found = counted(text);
    assert_eq!(found, [("4".to_owned(), "Loader".to_owned(), 1, 0)]);
    let labelled =
        text.replace("- users\n", "- users\n\n**Acceptance criteria:**\n- `make tables` passes\n");
    assert_eq!(counted(&labelled).len(), 2);
}

/// A section beside sprints with criteria of its own is a fault: a mission would end done without it.
#[test]
fn criteria_of_a_section_beside_sprints_are_a_fault() {
    let text = "# Plan\n\n## Sprint 1: A\n\n- Write a\n\n**Exit criteria:**\n- `make a` passes\n\n## Loader\n\n\
                - Write b\n\n**Acceptance criteria:**\n- `make b` passes\n";
    let parsed = parse(text);
    assert_eq!(parsed.faults().map(|one| one.line).collect::<Vec<_>>(), [10]);
    let about = parse(&text.replace("## Loader", "## Testing strategy"));
    assert_eq!(about.faults().count(), 0, "{:?}", about.remarks);
}

/// "Task 1" of an agent's plan has its own name, and its boxes are what is to be done.
#[test]
fn steps_of_a_task_are_its_tasks() {
    let text = "# Implementation Plan\n\n### Task 1: Config\n\n**Files:**\n- Create: `src/a.js`\n\n\
                - [ ] **Step 1: Write the failing test**\n\n```js\nx();\n```\n\n\
                - [ ] **Step 2: Run test to verify it fails**\n\nRun: `npx jest a`\nExpected: FAIL\n\n\
                - [ ] **Step 3: Run test to verify it passes**\n\nRun: `npx jest a`\nExpected: PASS\n\n\
                - [ ] **Step 4: Commit**\n\n```bash\ngit commit -m x\n```\n\n### Task 2: Routes\n\n\
                - [ ] **Step 1: Implement**\n\nRun: `npx jest`\nExpected: looks right\n\n### Task 3: Notes\n\nWrite them.\n";
    let found = counted(text);
    let said: Vec<_> = found.iter().map(|one| (one.1.as_str(), one.2, one.3)).collect();
    assert_eq!(said, [("Config", 4, 1), ("Routes", 1, 0), ("Notes", 1, 0)]);
    let parsed = parse(text);
    let first = parsed.plan.sprints().next().unwrap();
    let check = Check::Command { command: "npx jest a".to_owned(), expect: Expectation::Success };
    assert_eq!(first.exit[0].check, check);
    let overlooked = parsed.remarks.iter().filter(|one| one.code == Code::Overlooked);
    assert_eq!(overlooked.count(), 0, "{:?}", parsed.remarks);
}

/// The labels of the sprints of a plan, and the headings that are faults.
fn read_as(text: &str) -> (Vec<String>, Vec<String>) {
    let parsed = parse(text);
    let labels = parsed.plan.sprints().map(|one| one.label.clone()).collect();
    (labels, parsed.faults().map(|one| one.got.clone()).collect())
}

#[test]
fn words_that_begin_a_section_do_not_make_it_no_work() {
    let numbered = "# P\n\n## 1. Data model\n\n- write `src/model.py`\n\n## 2. API\n\n- [ ] write `src/api.py`\n\n\
                    **Done when:** `test -f src/api.py` exits 0\n\n## 3. Status page\n\n1. write `status.html`\n";
    assert_eq!(read_as(numbered), (["1", "2", "3"].map(String::from).to_vec(), Vec::new()));
    let named = "# P\n\n## Epic 1: Architecture\n\n**Tasks:**\n- write `src/model.py`\n\n## Epic 2: API\n\n- [ ] write\n";
    assert_eq!(read_as(named).0, ["epic-1-architecture", "epic-2-api"]);
}

#[test]
fn lists_beside_sections_with_boxes_are_work_unless_their_heading_says_otherwise() {
    let text = |heading: &str| {
        format!(
            "# P\n\n## {heading}\n\n- write `src/db.py`\n\n## Frontend\n\n- [ ] write `page.html`\n"
        )
    };
    for work in ["Backend", "Deploy"] {
        let (labels, faults) = read_as(&text(work));
        assert_eq!((labels, faults.len()), (vec!["frontend".to_owned()], 1), "{work}");
        assert!(
            faults[0].contains(&format!("`{work}`, whose work would be left out")),
            "{faults:?}"
        );
    }
    for told in ["Overview", "Goals and non-goals", "Key decisions", "Notes", "Risks"] {
        assert_eq!(read_as(&text(told)), (vec!["frontend".to_owned()], Vec::new()), "{told}");
    }
    let mixed = "# P\n\n## 1. Overview\n\n- it is small\n\n## 2. Cleanup\n\n- remove `old.py`\n\n## 3. API\n\n- [ ] write\n";
    let (labels, faults) = read_as(mixed);
    assert_eq!((labels, faults.len()), (vec!["3".to_owned()], 1), "{faults:?}");
}

#[test]
fn orders_of_units_are_read_in_further_words() {
    for section in [
        "CLI must wait for Core.",
        "The CLI depends on Core being complete.",
        "Core has to be done before CLI starts.",
        "- CLI: Core",
        "| Unit | Prerequisites |\n|---|---|\n| CLI | Core |",
        "| Unit | Blocks |\n|---|---|\n| Core | CLI |",
    ] {
        let unit = |name: &str| {
            format!(
                "## Work Unit: {name}\n\n### Sprint 1: A\n- [ ] a\n\n**Exit criteria**:\n- `make {name}` exits 0\n\n"
            )
        };
        let text = format!("# P\n\n{}{}## Dependencies\n\n{section}\n", unit("Core"), unit("CLI"));
        let parsed = read(&text);
        let edges: Vec<_> = parsed
            .plan
            .dependencies
            .iter()
            .map(|one| (one.from.as_str(), one.to.as_str()))
            .collect();
        assert_eq!(edges, [("core", "cli")], "{section}");
        let worst = parsed.remarks.iter().map(|one| one.weight).max();
        assert!(worst < Some(Weight::Warning), "{section} {:?}", parsed.remarks);
    }
}

#[test]
fn sprints_are_waited_for_by_their_names_and_numbers() {
    let sprint = |number: u32, name: &str, line: &str| {
        format!(
            "## Sprint {number}: {name}\n\n{line}\n\n- [ ] a\n\n**Exit criteria**:\n- `make a` exits 0\n\n"
        )
    };
    for line in [
        "**Depends on**: Parser",
        "**Depends on**: #1",
        "**Requires**: Parser",
        "- depends on: Sprint 1\n\n**Tasks**:",
    ] {
        let text = format!(
            "# P\n\n{}{}{}",
            sprint(1, "Parser", ""),
            sprint(2, "Lexer", ""),
            sprint(3, "Tool", line)
        );
        let parsed = read(&text);
        let waits = parsed.plan.dependencies.iter().filter(|one| one.to.ends_with("/3"));
        let from: Vec<_> = waits.map(|one| one.from.as_str()).collect();
        assert!(from.len() == 1 && from[0].ends_with("/1"), "{line} {from:?}");
        assert_eq!(parsed.faults().count(), 0, "{:?}", parsed.remarks);
    }
    let text = format!("# P\n\n{}", sprint(1, "Parser", "**Requires**: Node 20"));
    assert_eq!(read(&text).faults().count(), 0);
}

#[test]
fn remarks_in_parentheses_part_no_list_of_names() {
    let sprint = |number: u32, line: &str| {
        format!(
            "## Sprint {number}: A{number}\n\n{line}\n\n- [ ] a\n\n**Exit criteria**:\n- `make a` exits 0\n\n"
        )
    };
    let last = sprint(3, "Depends on: Sprints 1 (hard), 2");
    let parsed = read(&format!("# P\n\n{}{}{last}", sprint(1, ""), sprint(2, "")));
    let waits = parsed.plan.dependencies.iter().filter(|one| one.to.ends_with("/3"));
    assert_eq!((waits.count(), parsed.faults().count()), (2, 0), "{:?}", parsed.remarks);
}
