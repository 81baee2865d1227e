//! Documents that are no plan, broken, hostile or huge: each is read without a panic, and what is wrong with it
//! is said at its place.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used, clippy::panic)]

use endstate::plan::model::{Check, Expectation, Plan, Weight};
use endstate::plan::read::{MOST_PLAN, Parsed, parse};
use endstate::plan::{order, write};
use endstate::vocab::error::Code;
use proptest::prelude::*;

mod planning;
use planning::{bare, different, dropped, says};

const PLAN: &str = "# Greeter\n\n## Sprint 1: Types\n\n**Entry criteria**:\n- [ ] First sprint, no prerequisites\n\n**Tasks**:\n1. Create `src/types.rs`\n   - with \
                    a greeting\n2. Add tests\n\n**Exit criteria**:\n- [ ] `make test` passes\n\n## Sprint 2: Greeting\n\n**Entry criteria**:\n- [ ] Sprint 1 exit criteria \
                    met\n\n**Tasks**:\n1. Create `src/greet.rs`\n\n**Exit criteria**:\n- [ ] `src/greet.rs` exists\n";

fn labels(plan: &Plan) -> String {
    plan.sprints().map(|one| one.label.as_str()).collect::<Vec<_>>().join(" ")
}

/// The line and column of the first remark of a code.
fn place(parsed: &Parsed, code: Code) -> (u32, u32) {
    let found = parsed.remarks.iter().find(|one| one.code == code);
    let one = found.unwrap_or_else(|| panic!("no {code} in {:?}", parsed.remarks));
    (one.line, one.column)
}

/// A remark of this code weighs enough for `plan lint --strict`.
fn warned(parsed: &Parsed, code: Code) {
    let heavy =
        |one: &endstate::plan::model::Remark| one.code == code && one.weight == Weight::Warning;
    assert!(parsed.remarks.iter().any(heavy), "{:?}", parsed.remarks);
}

/// The plan is refused, and told is what was declared, what was read, and where.
fn refused(parsed: &Parsed) -> Vec<(u32, String)> {
    let faults = parsed.faults().filter(|one| one.code == Code::PlanDisagrees);
    faults.map(|one| (one.line, format!("{}; {}", one.expected, one.got))).collect()
}

/// A plan that declares another size than what was read of it has lost something, and is refused.
#[test]
fn a_plan_whose_declared_count_is_not_what_was_read_is_refused() {
    let table =
        "| Work Unit | Directory | Sprints |\n|--|--|--|\n| Greeter | a | 3 |\n| Other | b | 1 |\n";
    let units = PLAN.replacen("# Greeter\n", &format!("# Plan\n\n{table}\n## Greeter\n"), 1);
    let parsed = parse(&units.replace("## Sprint", "### Sprint"));
    let read = "3 sprints of unit `Greeter`, as declared here; 2 were read".to_owned();
    let lost = "1 sprints, as declared here; no sprint of unit `Other` was found".to_owned();
    assert_eq!(refused(&parsed), [(5, read), (6, lost)]);
    let total =
        "## Metrics\n\n| Metric | Value |\n|--|--|\n| Total sprints | 58 |\n| Work units | 3 |\n";
    let said = refused(&parse(&format!("{PLAN}\n{total}")));
    let said: Vec<&str> = said.iter().map(|(_, said)| said.as_str()).collect();
    let whole = "58 sprints, as declared here; 2 were read";
    assert_eq!(said, [whole, "3 work units, as declared here; 1 were read"]);
    // A unit that says no number, and one that has none, have lost nothing.
    let none = units.replace("| 3 |", "| 2 |").replace("| 1 |", "| — |");
    assert_eq!(refused(&parse(&none.replace("## Sprint", "### Sprint"))), []);
}

/// What counts something else, or not exactly, or was true once, declares nothing.
#[test]
fn what_is_no_count_of_the_plan_declares_nothing() {
    let below = |unit: &str| {
        format!(
            "# P\n\n| Work Unit | Directory |\n|--|--|\n| Core | a |\n| Web | b |\n\n## Core\n\n{unit}\n\n### Sprint 1: x\n\n\
             **Exit criteria**:\n- [ ] `make a` passes\n\n## Web\n\n### Sprint 2: y\n\n**Exit criteria**:\n- [ ] `make b` passes\n"
        )
    };
    for said in [
        "**Total sprints**: 1",
        "Sprints: 1",
        "1 sprints in total.",
        "| Metric | Value |\n|--|--|\n| Sprints | 1 |",
    ] {
        let parsed = parse(&below(said));
        assert_eq!((refused(&parsed), parsed.plan.units[0].promised), (vec![], Some(1)), "{said}");
        let wrong = parse(&below(&said.replace('1', "7")));
        let got = "7 sprints of unit `Core`, as declared here; 1 were read";
        assert_eq!(
            refused(&wrong).iter().map(|(_, said)| said.as_str()).collect::<Vec<_>>(),
            [got]
        );
    }
    for said in [
        "- Total sprints: ~5",
        "- Sprints: 1, 2",
        "All 5 sprints are atomic.",
        "Critical path: 5 sprints",
    ] {
        let parsed = parse(&PLAN.replacen("# Greeter\n", &format!("# Greeter\n\n{said}\n"), 1));
        assert_eq!(refused(&parsed), [], "{said}");
    }
    let cells = "# P\n\n| Work Unit | Sprints |\n|--|--|\n| Core | 1, 2 |\n| Web | ~4 |\n";
    let core = "\n## Core\n\n### Sprint 1: x\n\n### Sprint 2: y\n\n## Web\n\n### Sprint 3: z\n";
    assert_eq!(refused(&parse(&format!("{cells}{core}"))), []);
    for head in ["Sprints (est.)", "Sprints done"] {
        let other = cells.replace("Sprints", head).replace("1, 2", "7");
        assert_eq!(refused(&parse(&format!("{other}{core}"))), [], "{head}");
    }
}

/// So they are where a line or a sentence says them.
#[test]
fn totals_in_words_are_read() {
    for said in [
        "**Sorties after refinement**: 5 (none split)",
        "- Total sprints: 5",
        "5 sprints in total.",
    ] {
        let parsed = parse(&PLAN.replacen("# Greeter\n", &format!("# Greeter\n\n{said}\n"), 1));
        assert_eq!(
            parsed.plan.declared.iter().map(|one| one.count).collect::<Vec<_>>(),
            [5],
            "{said}"
        );
        assert_eq!(refused(&parsed).len(), 1, "{said}");
    }
    for said in
        ["- Sprints done: 1/2", "All 5 sprints of layer 1 are small.", "- Total sprints: 1/2"]
    {
        let parsed = parse(&PLAN.replacen("# Greeter\n", &format!("# Greeter\n\n{said}\n"), 1));
        assert!(parsed.plan.declared.is_empty(), "{said}: {:?}", parsed.plan.declared);
    }
}

/// What an author said of a priority is named before it goes, and an order in it is not taken for one.
#[test]
fn words_of_priorities_are_named() {
    let words = "low, but must land before Sprint 2 merges";
    let text = PLAN.replacen("Types\n", &format!("Types\n\n**Priority**: 4.75 — {words}\n"), 1);
    let remark = parse(&text).remarks.into_iter().find(|one| one.code == Code::Overlooked).unwrap();
    assert_eq!((remark.line, remark.weight), (5, Weight::Note));
    assert!(remark.got.contains(words), "{}", remark.got);
    let done = endstate::plan::prioritize::prioritize(&text, &Default::default()).unwrap();
    assert!(!done.text.contains(words));
    let named = done.replaced.first().unwrap();
    assert_eq!((named.sprint.as_str(), named.line, named.text.as_str()), ("plan/1", 5, words));
}

#[test]
fn documents_without_a_sprint_say_so() {
    for text in [
        "",
        " \n\t\n",
        "\u{feff}",
        "# Title\n",
        "Prose.\n\n- a list\n- of things\n",
        "---\na: 1\n---\n",
        "```\n## Sprint 1: x\n```\n",
    ] {
        let parsed = parse(text);
        assert!(parsed.plan.units.is_empty(), "{text:?}");
        assert_eq!(
            parsed.faults().map(|one| one.code).collect::<Vec<_>>(),
            [Code::EmptyPlan],
            "{text:?}"
        );
        assert!(order::order(&parsed.plan).levels.is_empty());
    }
}

#[test]
fn ids_that_are_missing_or_twice_are_named() {
    let twice = parse(&format!("{PLAN}\n## Sprint 2: Again\n\n- [ ] lost\n"));
    assert_eq!(place(&twice, Code::DuplicateId), (27, 11));
    assert_eq!(labels(&twice.plan), "1 2");
    assert!(dropped(&format!("{PLAN}\n## Sprint 2: Again\n\n- [ ] lost\n"), &twice).is_empty());
    // Labels are the same without regard to case and leading zeros.
    let alike = parse(&PLAN.replace("Sprint 2: G", "Sprint 01: G"));
    assert!(says(&alike, Code::DuplicateId));
    let missing = parse(&PLAN.replace("Sprint 2: G", "Sprint without number: G"));
    assert_eq!(labels(&missing.plan), "1");
    assert_eq!(place(&missing, Code::MissingField), (16, 4));
    assert_eq!(missing.faults().count(), 1);
    let unit = "| Work Unit | Sprints |\n|---|---|\n| Core | 1 |\n| Core | 1 |\n\n## Core\n\n### Sprint 1: x\n";
    assert_eq!(place(&parse(unit), Code::DuplicateId), (4, 3));
}

#[test]
fn headings_in_fences_comments_and_quotations_are_none() {
    let hidden = "## Sprint 9: hidden";
    for (open, close) in [
        ("```\n", "\n```"),
        ("~~~~md\n```\n", "\n```\n~~~~"),
        ("<!--\n", "\n-->"),
        ("> ", ""),
        ("    ", ""),
        ("<div>\n", "\n</div>"),
        ("- x\n\n      ", ""),
    ] {
        let text = format!("{PLAN}\n{open}{hidden}{close}\n");
        let parsed = parse(&text);
        assert_eq!(labels(&parsed.plan), "1 2", "{text}");
        assert_eq!(parsed.faults().count(), 0, "{text}");
    }
    let unclosed = parse(&format!("{PLAN}\n```\n{hidden}\n"));
    assert_eq!(labels(&unclosed.plan), "1 2");
}

#[test]
fn line_ends_tabs_and_marks_change_nothing() {
    let plain = parse(PLAN);
    let marked = format!("\u{feff}{PLAN}");
    let windows = PLAN.replace('\n', "\r\n");
    let mixed = PLAN.replacen('\n', "\r\n", 7);
    let tabbed = PLAN
        .replace("   - with", "\t- with")
        .replace("## Sprint", "##\tSprint")
        .replace("- [ ] ", "-\t[ ] ");
    for text in [marked, windows, mixed, tabbed, PLAN.trim_end().to_owned()] {
        let parsed = parse(&text);
        assert_eq!(different(&plain.plan, &parsed.plan), None, "{text:?}");
        let lines =
            |parsed: &Parsed| parsed.plan.sprints().map(|one| one.lines).collect::<Vec<_>>();
        assert_eq!(lines(&parsed), lines(&plain), "{text:?}");
    }
    let nul = parse(&PLAN.replace("Types", "Ty\0pes"));
    assert_eq!(place(&nul, Code::InvalidValue), (3, 16));
}

/// A row that is too short is told, and the one behind it is left in peace.
#[test]
fn a_short_row_takes_nothing_from_the_next() {
    let text = "| Work Unit | Directory | Sprints |\n|--|--|--|\n| A | a |\n| B | b | 1 |\n\n## A\n\n### Sprint \
                1: a\n\n- [ ] `true`\n\n## B\n\n### Sprint 1: b\n\n- [ ] `true`\n";
    let remarks = parse(text).remarks;
    let ragged = remarks.iter().filter(|one| one.code == Code::Overlooked);
    let ragged: Vec<&str> = ragged.map(|one| one.got.as_str()).collect();
    assert_eq!(ragged, ["`A | a |`, with fewer"], "{remarks:?}");
}

#[test]
fn ragged_tables_are_read_as_far_as_they_go() {
    let text = "| Work Unit | Directory | Sprints | Layer | Dependencies |\n|--|--|--|--|--|\n| Core | src/ |\n| Docs | docs/ | 1 | 2 | Core | too | many |\n||\n| |\n\n## Core\n\n### Sprint \
                1: a\n\n- [ ] `true`\n\n## Docs\n\n### Sprint 2: b\n\n- [ ] `true`\n";
    let parsed = parse(text);
    let (line, _) = place(&parsed, Code::Overlooked);
    assert_eq!(line, 3, "{:?}", parsed.remarks);
    let Parsed { plan, remarks, .. } = parsed;
    let ragged = remarks.iter().filter(|one| one.code == Code::Overlooked);
    let ragged: Vec<&str> = ragged.map(|one| one.got.as_str()).collect();
    assert_eq!(ragged, ["`Core | src/ |`, with fewer", "`too | many |` more, not read"]);
    assert!(remarks.iter().any(|one| one.got == "`too | many |` more, not read"), "{remarks:?}");
    assert_eq!(labels(&plan), "1 2", "{remarks:?}");
    assert_eq!(
        plan.units.iter().map(|one| (one.promised, one.layer)).collect::<Vec<_>>(),
        [(None, None), (Some(1), Some(2))]
    );
    let edges: Vec<_> =
        plan.dependencies.iter().map(|one| format!("{}>{}", one.from, one.to)).collect();
    assert_eq!(edges, ["core>docs"]);
    for text in [
        "| a |\n|---|---|\n| Sprint 1 | x |\n",
        "|||\n|-|-|\n|||\n",
        "| Sprint | Name |\n|---|---|\n| | |\n| 1 |\n| 2 | b | c |\n",
    ] {
        parse(text);
    }
}

#[test]
fn dependencies_on_nothing_and_circles_are_named() {
    let unknown = parse(&PLAN.replace("Sprint 1 exit", "Sprint 7 exit"));
    assert_eq!(place(&unknown, Code::DependencyUnknown), (19, 14));
    let fault = unknown.faults().next().unwrap();
    assert_eq!((fault.got.as_str(), fault.width), ("`7`", 1));
    let circle = parse(&PLAN.replace("First sprint, no prerequisites", "Sprint 2 complete"));
    let fault = circle.faults().next().unwrap();
    assert_eq!(
        (fault.code, fault.got.as_str()),
        (Code::DependencyCycle, "plan/1 → plan/2 → plan/1")
    );
    let order = order::order(&circle.plan);
    assert_eq!(order.cycle.unwrap(), ["plan/1", "plan/2", "plan/1"]);
    let alone = parse(&PLAN.replace("Sprint 1 exit", "Sprint 2 exit"));
    assert!(
        alone.plan.dependencies.iter().all(|one| one.from != one.to),
        "{:?}",
        alone.plan.dependencies
    );
    let units = "| Work Unit | Sprints | Dependencies |\n|--|--|--|\n| A | 1 | B |\n| B | 1 | A |\n\n## A\n\n### Sprint 1: a\n\n## B\n\n### Sprint 2: b\n";
    let parsed = parse(units);
    assert!(says(&parsed, Code::DependencyCycle), "{:?}", parsed.remarks);
}

/// A label right below a list is a label, though CommonMark takes it for words of the last item.
#[test]
fn labels_without_a_blank_line_before_them_are_labels() {
    let tight = PLAN.replace("\n\n**", "\n**").replace(":\n\n", ":\n");
    assert!(tight.contains("prerequisites\n**Tasks**:\n1."), "{tight}");
    let (tight, loose) = (parse(&tight), parse(PLAN));
    let parts = |parsed: &Parsed| -> Vec<(usize, usize, usize)> {
        let each = parsed.plan.sprints();
        each.map(|one| (one.entry.len(), one.tasks.len(), one.exit.len())).collect()
    };
    assert_eq!(parts(&tight), [(1, 2, 1), (1, 1, 1)]);
    assert_eq!(parts(&tight), parts(&loose));
    let task = &tight.plan.sprints().next().unwrap().tasks[1];
    assert_eq!(task.text, "Add tests");
}

#[test]
fn what_nothing_closes_is_a_fault() {
    for (open, close) in [("```sh\n", "\n```\n"), ("~~~~\n", "\n~~~~\n"), ("<!--\n", "\n-->\n")] {
        let cut = PLAN.find("## Sprint 2").unwrap();
        let (head, tail) = PLAN.split_at(cut);
        let swallowed = parse(&format!("{head}{open}{tail}"));
        assert_eq!(place(&swallowed, Code::InvalidValue), (16, 1), "{open}");
        assert_eq!(swallowed.faults().count(), 1, "{open}: {:?}", swallowed.remarks);
        let closed = parse(&format!("{head}{open}x{close}\n{tail}"));
        assert_eq!((closed.faults().count(), labels(&closed.plan).as_str()), (0, "1 2"), "{open}");
    }
}

/// A misspelt name never lets work start at once.
#[test]
fn names_of_nothing_are_refused_as_dependencies() {
    let plan = |cell: &str, line: &str| {
        parse(&format!(
            "| Work Unit | Sprints | Dependencies |\n|--|--|--|\n| Core | 1 | none |\n| Docs | 1 | {cell} |\n\n\
             ## Core\n\n### Sprint 1: a\n\n- [ ] `make a`\n\n## Docs\n\n### Sprint 1: b\n\n{line}\n\n**Exit criteria**:\n\n- [ ] x\n"
        ))
    };
    for cell in ["Coer", "Core, Coer", "WU9", "Core/9", "Coer Sprint 1", "Core Sprint 9"] {
        let parsed = plan(cell, "");
        assert_eq!(place(&parsed, Code::DependencyUnknown).0, 4, "{cell}");
        assert_eq!(parsed.faults().count(), 1, "{cell}: {:?}", parsed.remarks);
        let parsed = plan("none", &format!("**Depends on**: {cell}"));
        assert_eq!(place(&parsed, Code::DependencyUnknown).0, 16, "{cell}");
    }
    assert_eq!(place(&plan("-", "**Depends on**: Moon unit"), Code::DependencyUnknown), (16, 17));
    assert_eq!(place(&plan("-", "**Depends on**: Sprint 1"), Code::DependencyCycle), (16, 24));
    for cell in
        ["none", "None", "-", "", "nothing", "n/a", "None (first)", "Core", "core", "`Core`"]
    {
        let parsed = plan(cell, &format!("**Depends on**: {cell}"));
        assert_eq!(parsed.faults().count(), 0, "{cell}: {:?}", parsed.remarks);
    }
    for cell in ["Core/1", "Core Sprint 1"] {
        let parsed = plan(cell, "");
        let edges = parsed.plan.dependencies.iter().map(|one| format!("{}>{}", one.from, one.to));
        assert_eq!(edges.collect::<Vec<_>>(), ["core/1>docs"], "{cell}: {:?}", parsed.remarks);
    }
}

/// A plan of three units; `said` stands in the second, `above` before all of them.
fn units_with(above: &str, said: &str) -> Parsed {
    parse(&format!(
        "# P\n\n{above}\n\n## Core\n\n### Sprint 1: a\n\n- [ ] `make a`\n\n## Docs\n\n### Sprint 1: b\n\n{said}\n\n\
         **Exit criteria**:\n\n- [ ] x\n\n## Web\n\n### Sprint 1: c\n\n- [ ] y\n"
    ))
}

fn edges(parsed: &Parsed) -> String {
    let all = parsed.plan.dependencies.iter().map(|one| format!("{}>{}", one.from, one.to));
    all.collect::<Vec<_>>().join(" ")
}

/// Words about order become order, or the plan is refused with them.
#[test]
fn units_among_words_are_waited_for() {
    for (said, expected) in [
        ("completion of Core", "core>docs/1"),
        ("the Core unit", "core>docs/1"),
        ("all of core", "core>docs/1"),
        ("Sprint 1 of Core", "core/1>docs/1"),
        ("sprint 1 of the Core unit", "core/1>docs/1"),
        ("Core and Web", "core>docs/1 web>docs/1"),
    ] {
        let parsed = units_with("", &format!("**Depends on**: {said}"));
        assert_eq!(edges(&parsed), expected, "{said}: {:?}", parsed.remarks);
        assert_eq!(parsed.faults().count(), 0, "{said}: {:?}", parsed.remarks);
    }
    for said in [
        "the databse unit",
        "Sprint 1 of Coer",
        "Core and Coer",
        "none until Core is done",
        "not Core",
        "Sprint",
    ] {
        let parsed = units_with("", &format!("**Depends on**: {said}"));
        assert_eq!(place(&parsed, Code::DependencyUnknown).0, 15, "{said}");
        assert_eq!(parsed.faults().count(), 1, "{said}: {:?}", parsed.remarks);
    }
    let listed = units_with("", "**Depends on**:\n- the first sprint\n- the OPS team");
    assert_eq!(listed.faults().map(|one| one.line).collect::<Vec<_>>(), [16, 17]);
    assert_eq!(units_with("", "**Depends on**: nobody").faults().count(), 0);
    warned(&units_with("", "**Depends on**:"), Code::Overlooked);
    let joins = units_with("", "**Depends on**:\n- [ ] Core\n- [ ] Coer");
    assert_eq!((edges(&joins).as_str(), joins.faults().count()), ("core>docs/1", 1));
    let prose = "a release of the other product that is in the shops";
    warned(&units_with("", &format!("**Depends on**: {prose}")), Code::DependencyUnknown);
}

/// A layer is read in each form that holds one number; another one is a fault at its cell.
#[test]
fn layers_are_read_or_refused() {
    let table = |[one, two]: [&str; 2]| {
        units_with(
            &format!(
                "| Work Unit | Layer |\n|--|--|\n| Core | {one} |\n| Docs | {two} |\n| Web | {two} |"
            ),
            "",
        )
    };
    for cells in
        [["1", "2"], ["Layer 1", "Layer 2"], ["L1", "L2"], ["1st", "2nd"], ["Base (1)", "Top (2)"]]
    {
        let parsed = table(cells);
        assert_eq!(edges(&parsed), "core>docs core>web", "{cells:?}: {:?}", parsed.remarks);
        assert_eq!(parsed.faults().count(), 0, "{cells:?}: {:?}", parsed.remarks);
    }
    for cells in [["1", "II"], ["1", "Top"], ["1", "2a"], ["1", "1.5"]] {
        let faults: Vec<_> = table(cells).faults().map(|one| (one.code, one.line)).collect();
        assert_eq!(faults, [(Code::InvalidValue, 6), (Code::InvalidValue, 7)], "{cells:?}");
    }
    warned(&table(["0–4", "multi (see below)"]), Code::InvalidValue);
    assert_eq!(table(["—", "1"]).faults().count(), 0);
    let field = units_with("", "**Layer**: Foundation");
    assert_eq!(place(&field, Code::InvalidValue), (15, 12));
}

/// Sentences with names below "Dependencies" are order.
#[test]
fn stated_dependencies_are_read() {
    let stated = |line: &str| units_with(&format!("## Dependencies\n\n- {line}"), "");
    for line in
        ["Docs depends on Core", "Core before Docs", "Docs after Core", "`Docs` waits for `Core`"]
    {
        let parsed = stated(line);
        assert_eq!(edges(&parsed), "core>docs", "{line}: {:?}", parsed.remarks);
        assert_eq!(parsed.faults().count(), 0, "{line}: {:?}", parsed.remarks);
    }
    let both = stated("Docs depends on Core and Web");
    assert_eq!(edges(&both), "core>docs web>docs");
    assert_eq!(place(&stated("Docs depends on Coer"), Code::DependencyUnknown), (5, 3));
    warned(&stated("Docs before the great release"), Code::DependencyUnknown);
    assert!(says(&stated("Fish comes before the great release"), Code::ReadAsText));
}

/// Each line of a graph in mermaid is read or named.
#[test]
fn graphs_in_mermaid_are_read_whole() {
    let graph = |lines: &str| units_with(&format!("```mermaid\n{lines}\n```"), "");
    for lines in [
        "graph TD\n  Core == y ==> Docs\n  Docs -. x .-> Web",
        "graph TD\n  Core == y ==> Docs\n  Docs --then--> Web",
        "graph TD; Core-->Docs; Docs-->Web;",
        "flowchart LR\n  c[Core] --> Docs\n  Docs:::hot --> Web\n  classDef hot fill:#f00",
    ] {
        let parsed = graph(lines);
        assert_eq!(edges(&parsed), "core>docs docs>web", "{lines}: {:?}", parsed.remarks);
        assert!(!says(&parsed, Code::Overlooked), "{lines}: {:?}", parsed.remarks);
    }
    let open = graph("graph TD\n  Core --> Docs\n  Docs --- Web\n  Docs x y");
    let said = open.remarks.iter().filter(|one| one.code == Code::Overlooked).map(|one| one.line);
    assert_eq!(said.collect::<Vec<_>>(), [6, 7]);
}

/// Commands are words. Reading, checking, writing and mending them runs nothing and changes no letter.
#[test]
fn exit_criteria_that_are_injections_stay_data() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("ran");
    let mark = mark.display();
    for command in [
        format!("touch {mark}; true"),
        format!("$(touch {mark})"),
        format!("true && touch {mark} || rm -rf /nowhere"),
        format!("echo x | tee {mark}"),
        format!("test -f '; touch {mark} #'"),
        format!("make test > {mark}"),
    ] {
        let text = PLAN.replace("`make test` passes", &format!("`{command}` passes"));
        let parsed = parse(&text);
        let first = &parsed.plan.sprints().next().unwrap().exit[0];
        assert!(first.text.contains(&command), "{first:?}");
        if let Check::Command { command: kept, expect } = &first.check {
            assert_eq!((kept, expect), (&command, &Expectation::Success));
        }
        let again = parse(&write::render(&parsed.plan));
        assert_eq!(different(&parsed.plan, &again.plan), None, "{command}");
        let fenced = PLAN.replace("- [ ] `make test` passes", &format!("```sh\n{command}\n```"));
        let check = parse(&fenced).plan.sprints().next().unwrap().exit[0].clone();
        if let Check::Command { command: kept, .. } = &check.check {
            assert_eq!(kept, &command);
        }
        assert!(check.text.contains(&command), "{check:?}");
    }
    assert!(!folder.path().join("ran").exists(), "a command was run");
}

#[test]
fn large_documents_are_read_whole() {
    let items: String = (0..100_000).map(|n| format!("{}. Do thing {n}\n", n + 1)).collect();
    let text = PLAN.replace("2. Add tests\n", &format!("\n{items}"));
    let parsed = parse(&text);
    let first = parsed.plan.sprints().next().unwrap();
    assert!(first.tasks.len() >= 100_000, "{}", first.tasks.len());
    assert_eq!(parsed.faults().count(), 0);
    let loose = parse(&format!("{PLAN}\n## Notes\n\n{}", "- a\n".repeat(100_000)));
    assert!(
        loose
            .remarks
            .iter()
            .any(|one| one.code == Code::ReadAsText && one.got.contains("100000 list items")),
        "{:?}",
        loose.remarks.last()
    );
    let mut big = PLAN.to_owned();
    while big.len() < 10_000_000 {
        big.push_str("\nA paragraph of `src/types.rs` and others, as long as people write them. |\n\n- a list\n  - in a list\n");
    }
    let parsed = parse(&big);
    assert_eq!((labels(&parsed.plan).as_str(), parsed.faults().count()), ("1 2", 0));
    let over = "x".repeat(MOST_PLAN + 1);
    assert_eq!(parse(&over).remarks[0].code, Code::TooLarge);
}

#[test]
fn deep_documents_are_read() {
    let nested = |open: &str, depth: usize| {
        (0..depth).map(|n| format!("{}{open}x\n", "  ".repeat(n))).collect::<String>()
    };
    for text in [
        format!("{PLAN}\n{}", nested("- ", 1_000)),
        PLAN.replace("2. Add tests\n", &format!("2. Add tests\n{}", nested("   - ", 1_000))),
        format!("{PLAN}\n{}x\n", "> ".repeat(1_000)),
        format!("{PLAN}\n{}x{}\n", "[".repeat(1_000), "](y)".repeat(1_000)),
        format!("{PLAN}\n{}x\n", "- ".repeat(1_000)),
        format!("{PLAN}\n{}", "*".repeat(10_000)),
        format!("---\na: {}\n---\n{PLAN}", "[".repeat(1_000)),
    ] {
        let parsed = parse(&text);
        assert_eq!(labels(&parsed.plan), "1 2");
        parse(&write::render(&parsed.plan));
    }
}

#[test]
fn more_sprints_or_remarks_than_are_kept_are_counted() {
    let many: String =
        (1..=2_100).map(|n| format!("## Sprint {n}: x\n\n- [ ] `true`\n\n")).collect();
    let parsed = parse(&many);
    let fault = parsed.faults().next().unwrap();
    assert_eq!(fault.code, Code::TooLarge);
    assert!(dropped(&many, &parsed).is_empty());
    let vague: String = (1..=1_500)
        .map(|n| format!("## Sprint {n}: x\n\n**Exit criteria**:\n- [ ] It works correctly\n\n"))
        .collect();
    let parsed = parse(&vague);
    assert!(
        parsed.remarks.iter().any(|one| one.weight == Weight::Note && one.code == Code::TooLarge),
        "the rest is counted"
    );
}

/// Ids are made of what stands at the thing itself.
#[test]
fn ids_stay_when_something_else_is_edited() {
    let ids = |text: &str| {
        let plan = parse(text).plan;
        let each = plan.sprints().flat_map(|one| {
            let own =
                one.entry.iter().chain(&one.exit).map(|part| format!("{}:{}", one.id, part.id));
            std::iter::once(one.id.clone()).chain(own).collect::<Vec<_>>()
        });
        each.collect::<Vec<_>>()
    };
    let before = ids(PLAN);
    for text in [
        PLAN.replacen("# Greeter", "# Another title", 1),
        PLAN.replacen(
            "# Greeter\n",
            "# Greeter\n\nA long introduction.\n\n## Notes\n\n- one\n- two\n",
            1,
        ),
        format!("---\nfeature_name: OPERATION X\n---\n\n{PLAN}"),
        PLAN.replacen("Types", "Kinds", 1),
        PLAN.replacen("2. Add tests\n", "2. Add tests\n3. More\n", 1),
    ] {
        assert_eq!(ids(&text), before, "{text}");
    }
    let longer = format!("{PLAN}\n## Sprint 3: More\n\n**Exit criteria**:\n- [ ] `true`\n");
    assert_eq!(ids(&longer)[..before.len()], before);
    let shorter = PLAN[..PLAN.find("## Sprint 2").unwrap()].to_owned();
    assert!(ids(&shorter).iter().all(|id| before.contains(id)));
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => "[a-zA-Z ]{0,20}",
        1 => Just("- a list item".to_owned()),
        1 => Just("  - deeper".to_owned()),
        1 => Just("  - Acceptance: it holds".to_owned()),
        1 => Just("1. first".to_owned()),
        1 => Just("- [ ] a box".to_owned()),
        1 => Just("> - quoted".to_owned()),
        1 => Just("#### A heading".to_owned()),
        1 => Just("## Notes".to_owned()),
        1 => Just("**Tasks**:".to_owned()),
        1 => Just("**Exit criteria**:".to_owned()),
        1 => Just("- **Goal**: x".to_owned()),
        1 => Just("**Rationale**: y".to_owned()),
        1 => (1..6_u32).prop_map(|n| format!("## Sprint {n}: s{n}")),
        1 => Just("## Rules".to_owned()),
        1 => Just("```".to_owned()),
        2 => Just(String::new()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// No heading and no item of any document is lost in silence.
    #[test]
    fn nothing_is_dropped_in_silence(lines in prop::collection::vec(line(), 0..30)) {
        let text = lines.join("\n");
        let parsed = parse(&text);
        let lost: Vec<_> = dropped(&text, &parsed).into_iter().map(|one| (one.line, one.words)).collect();
        prop_assert_eq!(lost, vec![], "{}", text);
    }

    /// What was understood of any document is written and read again as it was.
    #[test]
    fn what_was_read_is_written_and_read_again(lines in prop::collection::vec(line(), 0..30)) {
        let text = lines.join("\n");
        let parsed = parse(&text);
        if parsed.faults().next().is_none() {
            let again = parse(&write::render(&parsed.plan));
            prop_assert_eq!(bare(&again.plan), bare(&parsed.plan), "{}", text);
        }
    }
}

/// A plan of many sprints, of which every third is too large and every third too small.
fn long_plan(sprints: u32) -> String {
    let mut text = String::from("# Long\n");
    for number in 1..=sprints {
        let tasks: String = match number % 3 {
            0 => (1..=8).map(|n| format!("{n}. Create `src/p{number}/f{n}.rs`\n")).collect(),
            1 => (1..=3).map(|n| format!("{n}. Create `src/p{number}/f{n}.rs`\n")).collect(),
            _ => format!("1. Say `p{number}`\n"),
        };
        let entry =
            if number == 1 { "none".to_owned() } else { format!("Sprint {} complete", number - 1) };
        text.push_str(&format!(
            "\n## Sprint {number}: P{number}\n\n**Entry criteria**:\n- [ ] {entry}\n\n**Tasks**:\n{tasks}\n**Exit criteria**:\n- [ ] `make p{number}` passes\n"
        ));
    }
    text
}

/// All splits and joints of a long plan are made in a few readings, not in one for each.
#[test]
fn long_plans_are_mended_and_analysed_in_seconds() {
    use endstate::plan::analyze::analyze;
    use endstate::plan::evaluate::{FixKind, evaluate};
    use endstate::plan::judge::Answers;
    let begun = std::time::Instant::now();
    let done = evaluate(&long_plan(200), 60, &Answers::new()).unwrap();
    let many = |kind: FixKind| done.fixes.iter().filter(|fix| fix.kind == kind).count();
    assert_eq!((many(FixKind::Split), many(FixKind::Merged)), (0, 67), "{:?}", done.fixes.len());
    let split = evaluate(&long_plan(200), 30, &Answers::new()).unwrap();
    assert_eq!(split.fixes.iter().filter(|fix| fix.kind == FixKind::Split).count(), 66);
    assert_eq!(analyze(&split.text, None, 30, &Answers::new()).checks.len(), 266);
    // One after the other it takes minutes; the rest is room for a busy machine.
    assert!(begun.elapsed().as_secs() < 40, "{:?}", begun.elapsed());
}

/// Who waits for itself does not start, by whatever words it says so.
#[test]
fn a_sprint_that_waits_for_itself_is_refused_at_the_start() {
    let text = PLAN.replace("Sprint 1 exit criteria met", "Sprint 2 exit criteria met");
    let refused = endstate::protocols::sprint::plan::config("P.md", &text, "p").unwrap_err();
    assert_eq!(
        (refused.code, refused.at.as_str()),
        (Code::DependencyCycle, "P.md.line 19 column 14")
    );
}

/// The exit criteria of the first sprint with this body: its text, and the command that shows it.
fn exit_of(body: &str) -> (Vec<(String, Option<String>)>, Parsed) {
    let text = format!("# P\n\n## Sprint 1: A\n\n**Tasks**:\n1. Create `a.sh`.\n\n{body}\n");
    let parsed = parse(&text);
    assert!(dropped(&text, &parsed).is_empty(), "{body}");
    let again = parse(&write::render(&parsed.plan));
    assert_eq!(different(&parsed.plan, &again.plan), None, "{body}");
    let shown = |check: &Check| match check {
        Check::Command { command, .. } => Some(command.clone()),
        Check::Assertion | Check::Checklist => None,
    };
    let exit = &parsed.plan.sprints().next().unwrap().exit;
    (exit.iter().map(|one| (one.text.clone(), shown(&one.check))).collect(), parsed)
}

/// Criteria are written as paragraphs, in tables, in groups below a heading or a label, and with "none" as their
/// first word; each of them is one.
#[test]
fn criteria_are_read_however_they_are_written() {
    for (body, expected) in [
        (
            "**Exit criteria**:\n\n`make test` passes.\n\n`make lint` passes.\n\nThe page has 3 colours.\n",
            vec!["`make test` passes.", "`make lint` passes.", "The page has 3 colours."],
        ),
        (
            "**Exit criteria**:\n- [ ] `make test` passes\n\nAlso `make lint` passes.\n\n`make doc` passes.\n",
            vec!["`make test` passes", "`make doc` passes."],
        ),
        (
            "**Exit criteria**:\n\n| # | Criterion | Command | Status |\n|---|---|---|---|\n| 1 | Builds | `make build` | ☐ |\n\
             | 2 | Tests pass | make test | ✓ |\n| 3 | The lead has looked | | |\n",
            vec!["Builds: `make build`", "Tests pass: `make test`", "The lead has looked"],
        ),
        (
            "**Exit criteria**:\n- [ ] x\n\n| Check | Command |\n|---|---|\n| runs | `sh d.sh` exits 0 |\n",
            vec!["x", "runs: `sh d.sh` exits 0"],
        ),
        (
            "**Exit criteria**:\n\n**Functional:**\n- [ ] `make test` passes\n- it prints the date\n\n**Quality:**\n- `make lint` passes\n\n\
             **Speed:** under 3 seconds\n\n**Notes:**\n- keep it small\n",
            vec![
                "`make test` passes",
                "it prints the date",
                "`make lint` passes",
                "**Speed:** under 3 seconds",
            ],
        ),
        (
            "**Exit criteria**:\n- [ ] `make test` passes\n\n**Quality**:\n- [ ] `make lint` passes\n",
            vec!["`make test` passes", "`make lint` passes"],
        ),
        (
            "### Exit Criteria\n\n- a\n\n#### Must\n\n- `make test` passes\n\n#### Notes\n\n- keep it small\n\n#### Should\n\n\
             - `make lint` passes\n\n### Remarks\n\n- none of it\n",
            vec!["a", "`make test` passes", "`make lint` passes"],
        ),
        (
            "**Exit criteria**: None of the old names is left in `src/`.\n",
            vec!["None of the old names is left in `src/`."],
        ),
        ("**Exit criteria**: None — it is a spike.\n", vec![]),
        ("**Exit criteria**: none required\n", vec![]),
    ] {
        let (exit, parsed) = exit_of(body);
        let texts: Vec<&str> = exit.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, expected, "{body} {:?}", parsed.remarks);
    }
    let (exit, _) = exit_of(
        "**Exit criteria**:\n\n| Criterion | Command |\n|---|---|\n| Builds | `make build` |\n",
    );
    assert_eq!(exit[0].1.as_deref(), Some("make build"));
    // What stands among criteria and is none is named.
    let (_, parsed) = exit_of(
        "**Exit criteria**:\n- [ ] `make test` passes\n\nThis is why.\n\n```json\n{}\n```\n",
    );
    let said = |got: &str| parsed.remarks.iter().any(|one| one.got.contains(got));
    assert!(said("2 other blocks in lines 11–15, from `This is why.` on"), "{:?}", parsed.remarks);
}

/// What a table of entry criteria names is waited for.
/// What an author says of a command is checked by it, or the author is told that it is not.
#[test]
fn commands_of_any_program_are_run_or_named() {
    let (found, parsed) = exit_of(
        "**Exit criteria**:\n- [ ] `bin/check all` exits 0\n- [ ] `just test` passes\n- [ ] `mytool check`\n- [ ] `true` passes\n- [ ] `Foo` passes\n",
    );
    let commands: Vec<_> = found.iter().map(|(_, command)| command.as_deref()).collect();
    assert_eq!(commands, [Some("bin/check all"), Some("just test"), None, None, None]);
    let named: Vec<_> = parsed
        .remarks
        .iter()
        .filter(|one| one.code == Code::CommandNotRun)
        .map(|one| (one.column, one.width))
        .collect();
    assert_eq!(named, [(8, 12), (8, 4)], "{:?}", parsed.remarks);
}

/// A list below a label of another name, or below a field that said all on its line, joins nothing before it.
#[test]
fn lists_below_other_labels_are_no_criteria() {
    for label in [
        "**Out of scope**",
        "**Notes**",
        "**Non-goals**",
        "**Future work**",
        "**Something of the kind**",
        "Out of scope:",
        "Also of interest:",
        "**Type**: code",
        "**Priority**: 3",
        "**Depends on**: none",
        "**Entry criteria**: none",
    ] {
        for mark in ["- ", "- [ ] ", "1. "] {
            for between in ["", "\n"] {
                let body = format!(
                    "**Exit criteria**:\n- [ ] `test -f a` succeeds\n\n{label}\n{between}{mark}Build the zeppelin\n"
                );
                let (found, parsed) = exit_of(&body);
                let unknown = ["**Something of the kind**", "Also of interest:"].contains(&label);
                let joins = unknown;
                assert_eq!(found.len(), 1 + usize::from(joins), "{body}: {found:?}");
                assert!(!write::render(&parsed.plan).contains("zeppelin") || joins, "{body}");
                assert!(joins || says(&parsed, Code::ReadAsText), "{body}");
            }
        }
    }
    // A label without a blank line before it, too.
    let body = "**Exit criteria**:\n- [ ] `test -f a` succeeds\nOut of scope:\n- The zeppelin\n";
    assert_eq!(exit_of(body).0.len(), 1);
    let body = "**Exit criteria**:\n- [ ] `test -f a` succeeds\n**Future work**\n- The zeppelin\n";
    assert_eq!(exit_of(body).0.len(), 1);
    // Bold words that lead to no list are words of the item.
    let body = "**Exit criteria**:\n- [ ] The page is there and\n**blue all over**\n";
    assert_eq!(exit_of(body).0[0].0, "The page is there and **blue all over**");
    // What leads to the list itself ends nothing.
    for lead in ["All of this holds:", "**Functional**", "**Priority**: 3"] {
        let body = format!("**Exit criteria**:\n\n{lead}\n\n- [ ] `test -f a` succeeds\n");
        assert_eq!(exit_of(&body).0.len(), 1, "{body}");
    }
}

/// Whatever the order of labels and lists, each item is in the model or named.
#[test]
fn no_item_is_dropped_below_any_two_labels() {
    const LABELS: [&str; 16] = [
        "**Exit criteria**:",
        "**Tasks**:",
        "**Entry criteria**:",
        "**Entry criteria**: none",
        "**Depends on**: none",
        "**Type**: code",
        "**Priority**: 3",
        "**Files**:",
        "**Out of scope**",
        "**Later on**",
        "Note:",
        "Then this:",
        "#### Verification",
        "#### Thoughts",
        "**Goal**: be there",
        "**Model**: small",
    ];
    for first in LABELS {
        for second in LABELS {
            for mark in ["- ", "- [ ] ", "1. "] {
                let text = format!(
                    "# P\n\n## Sprint 1: A\n\n{first}\n\n{mark}UNIQ1 is there\n\n{second}\n\n{mark}UNIQ2 is there\n"
                );
                let parsed = parse(&text);
                let rendered = write::render(&parsed.plan);
                for (word, line) in [("UNIQ1", 7), ("UNIQ2", 11)] {
                    let named = parsed.remarks.iter().any(|one| {
                        one.code == Code::ReadAsText && (one.line..=one.last).contains(&line)
                    });
                    assert!(rendered.contains(word) || named, "{text}\n{:?}", parsed.remarks);
                }
            }
        }
    }
}

/// A sprint that nobody can name would be left out while the rest is called done.
#[test]
fn a_sprint_without_an_id_beside_others_is_a_fault() {
    for heading in ["Sprint: b", "Sprint X: c", "**Sprint**: b", "Sprint — b", "Sprint 2-3: c"] {
        for body in ["**Exit criteria**:\n- [ ] `test -f b` succeeds\n", "**Tasks**:\n1. Write b\n"]
        {
            let parsed = parse(&format!("{PLAN}\n## {heading}\n\n{body}"));
            let faults: Vec<_> = parsed.faults().map(|one| (one.code, one.line)).collect();
            assert_eq!(faults, [(Code::MissingField, 27)], "{heading}");
        }
        let parsed = parse(&format!("{PLAN}\n## {heading}\n\nOnly words.\n"));
        assert_eq!(parsed.faults().count(), 0, "{heading}");
        warned(&parsed, Code::Overlooked);
    }
    let parsed = parse(&PLAN.replace("Sprint 2: G", "Sprint 2–3: G"));
    assert_eq!((labels(&parsed.plan).as_str(), parsed.faults().count()), ("1 2", 0));
    warned(&parsed, Code::Overlooked);
}

/// Lines that end as on very old systems are refused, not joined.
#[test]
fn carriage_returns_alone_are_refused() {
    for (text, at) in
        [(PLAN.replace('\n', "\r"), (1, 11)), (PLAN.replacen("\n\n##", "\n\r##", 1), (2, 1))]
    {
        let parsed = parse(&text);
        assert_eq!(parsed.faults().count(), 1);
        assert_eq!(place(&parsed, Code::InvalidValue), at);
    }
    assert_eq!(parse(&PLAN.replace('\n', "\r\n")).faults().count(), 0);
}

#[test]
fn preconditions_in_tables_are_dependencies() {
    let parsed = parse(
        "# P\n\n## Sprint 1: A\n\n**Exit criteria**:\n- [ ] `make a`\n\n## Sprint 2: B\n\n**Exit criteria**:\n- [ ] `make b`\n\n\
         ## Sprint 3: C\n\n**Entry criteria**:\n\n| # | Precondition |\n|---|---|\n| 1 | Sprint 1 complete |\n\n**Exit criteria**:\n- [ ] `make c`\n",
    );
    let to_third = parsed.plan.dependencies.iter().filter(|one| one.to == "plan/3");
    assert_eq!(to_third.map(|one| one.from.as_str()).collect::<Vec<_>>(), ["plan/1"]);
    assert_eq!(parsed.plan.sprint("plan/3").unwrap().entry[0].text, "Sprint 1 complete");
}

/// A fence whose lines belong together is one script in which every command must succeed.
#[test]
fn a_fence_that_is_a_script_is_one_criterion() {
    let (exit, parsed) = exit_of(
        "**Validate**:\n\n```bash\ncd app\nfor f in *.sh; do\n  sh -n \"$f\"\ndone\ncat <<EOF | grep -q x\nx\nEOF\n```\n",
    );
    let script =
        "set -e\ncd app\nfor f in *.sh; do\n  sh -n \"$f\"\ndone\ncat <<EOF | grep -q x\nx\nEOF";
    let shown: Vec<_> = exit.iter().filter_map(|(_, command)| command.as_deref()).collect();
    assert_eq!(shown, [script]);
    let lines = parsed.plan.sprints().next().unwrap().exit[0].lines;
    assert_eq!((lines.first, lines.last), (11, 17));
    let (exit, _) =
        exit_of("**Validate**:\n\n```bash\nmake a\n\n# then\nmake b \\\n  --all\n```\n");
    let shown: Vec<_> = exit.iter().filter_map(|(_, command)| command.as_deref()).collect();
    assert_eq!(shown, ["make a", "make b --all"]);
}

/// What the commands of a fence show, and which of them are named as not run.
fn fence_of(fence: &str) -> (Vec<String>, Vec<String>) {
    let (exit, parsed) = exit_of(&format!("**Exit criteria**:\n\n{fence}\n"));
    let again = parse(&write::render(&parsed.plan));
    assert_eq!(different(&parsed.plan, &again.plan), None, "{fence}: written and read again");
    let unrun = parsed.remarks.iter().filter(|one| one.code == Code::CommandNotRun);
    let unrun: Vec<_> = unrun.map(|one| format!("{}: {}", one.line, one.got)).collect();
    let refused = exit.iter().filter(|(_, command)| command.is_none()).count();
    assert_eq!(unrun.len(), refused, "{fence}: {unrun:?} {exit:?}");
    (exit.into_iter().filter_map(|(_, command)| command).collect(), unrun)
}

/// A fence is no way round the rule that a command must tell by its status how it went.
#[test]
fn commands_of_fences_that_cannot_fail_are_not_run() {
    let (run, unrun) = fence_of(
        "```bash\nmake test 2>&1 | tail -20\nmake lint || true\nnpm test | tail -5\nmake test | tee log\n\
         mytool x | tail -1\nmake ok\n```",
    );
    assert_eq!(run, ["make ok"]);
    assert_eq!(unrun.len(), 5, "{unrun:?}");
    assert!(unrun[0].starts_with("11: ") && unrun[0].contains("set -o pipefail"), "{unrun:?}");
    for fence in [
        "```bash\ncd src\n! grep -rn old_name .\ntest -f new.txt && test -f README\nls\n```",
        "```sh\ncd app\nmake test 2>&1 | tail -5\n```",
        "```\nif make test; then echo ok; fi\n```",
        "```\ngrep -rn TODO Makefile EXECUTION_PLAN.md | wc -l   # 0\n```",
        "```sh\nX=`make test | tail -1`\ntest -n \"$X\"\n```",
    ] {
        let (run, unrun) = fence_of(fence);
        assert_eq!((run.len(), unrun.len()), (0, 1), "{fence}: {run:?} {unrun:?}");
    }
}

#[test]
fn usual_commands_of_fences_are_run() {
    for (fence, commands) in [
        ("```bash\nmake a\nmake b\n```", "make a~make b"),
        ("```\nmytool check\n[ -f x ]\n```", "mytool check~[ -f x ]"),
        ("```sh\ngrep -c TODO a # 0\n```", "grep -c TODO a"),
        ("```sh\nmytool x # prints exactly `ok`\n```", "mytool x"),
        ("```sh\n! mytool x\n```", "mytool x"),
        ("```sh\nmake a # the unit tests\n```", "make a"),
        ("```sh\ncat f | grep -q x\n```", "cat f | grep -q x"),
        ("```sh\nexport X=1\nmake a\n```", "set -e\nexport X=1\nmake a"),
        ("```sh\nX=$(cat f)\ntest -n \"$X\"\n```", "set -e\nX=$(cat f)\ntest -n \"$X\""),
        ("```sh\nset -euo pipefail\nmake a | tee log\n```", "set -euo pipefail\nmake a | tee log"),
    ] {
        let (run, unrun) = fence_of(fence);
        assert_eq!(run, commands.split('~').collect::<Vec<_>>(), "{fence}");
        assert_eq!(unrun, [""; 0], "{fence}");
    }
}

/// Commands within commands are read once, however deep they stand.
#[test]
fn substitutions_within_substitutions_are_read_at_once() {
    let deep = format!("test {}x{}", "\"$(".repeat(20_000), ")\"".repeat(20_000));
    let (exit, _) = exit_of(&format!("**Exit criteria**:\n- `{deep}` passes\n"));
    assert_eq!(exit.len(), 1);
}

/// A fence of entry criteria is written as one again.
#[test]
fn fences_of_entry_criteria_stay_fences() {
    for fence in ["cd app\nmake a", "mytool x", "make a | tail -5", "cd app\nmake a | tail -5"] {
        let text = PLAN.replacen(
            "- [ ] First sprint, no prerequisites\n",
            &format!("\n```sh\n{fence}\n```\n"),
            1,
        );
        let parsed = parse(&text);
        assert_eq!(parsed.plan.sprints().next().unwrap().entry.len(), 1, "{fence}");
        let again = parse(&write::render(&parsed.plan));
        assert_eq!(different(&parsed.plan, &again.plan), None, "{fence}");
    }
}

/// What a program printed is no command, and neither is a file of another language.
#[test]
fn what_a_terminal_shows_is_no_command() {
    for (fence, commands) in [
        ("```\n$ make a\nok: 12 tests\n$ make b\n```", "make a~make b"),
        ("```console\n$ make a \\\n    --all\nok\n```", "make a --all"),
        ("```text\n$ make a\nok\n```", "make a"),
        ("```console output\n$ make a\nok\n```", "make a"),
        ("```\n# build\n$ make a\nrm -rf x\n```", "make a"),
        ("```\n$ cd app\n$ make a\nok\n```", "set -e\ncd app\nmake a"),
        ("```\n$ grep -c x f\n0\n```", "grep -c x f"),
        ("```console\nroot@host:~# make a\nok\nroot@host:~# make b\n```", "make a~make b"),
        ("```\nmake a\n$ make b\n```", "make a~make b"),
    ] {
        let (run, unrun) = fence_of(fence);
        assert_eq!(run, commands.split('~').collect::<Vec<_>>(), "{fence}");
        assert_eq!(unrun, [""; 0], "{fence}");
    }
    for tag in ["json", "yaml", "text", "output", "console output", "diff", "rust", "swift", "toml"]
    {
        let (exit, parsed) = exit_of(&format!("**Exit criteria**:\n\n```{tag}\nmake a\n```\n"));
        assert!(exit.is_empty(), "{tag}: {exit:?}");
        assert!(parsed.remarks.iter().any(|one| one.code == Code::ReadAsText), "{tag}");
    }
}

/// What a fence below "Expected" says is said of the command right before it, and of no other.
#[test]
fn expected_output_belongs_to_the_last_command() {
    let check = |fence: &str, output: &str| {
        let body = format!(
            "**Validate**:\n\n```sh\nmake a\n{fence}\n```\n\n**Expected**:\n\n```\n{output}\n```\n"
        );
        let (_, parsed) = exit_of(&body);
        let again = parse(&write::render(&parsed.plan));
        assert_eq!(different(&parsed.plan, &again.plan), None, "{fence}");
        let exit = parsed.plan.sprints().next().unwrap().exit.clone();
        let first = Check::Command { command: "make a".to_owned(), expect: Expectation::Success };
        assert_eq!(exit[0].check, first, "{fence}");
        (exit[1].text.clone(), exit[1].check.clone())
    };
    for (command, output) in
        [("ls src | wc -l", "4"), ("cat f | grep -c x", "3"), ("mytool x", "5")]
    {
        let expect = Expectation::Exactly { text: output.to_owned() };
        let wanted = Check::Command { command: command.to_owned(), expect };
        assert_eq!(check(command, output).1, wanted, "{command}");
    }
    for (command, output) in [
        ("make test | grep -c FAIL", "0"),
        ("make test | tail -1", "ok"),
        ("cat f | wc -l", "0"),
        ("mytool x | tail -1", "a b"),
    ] {
        let (text, check) = check(command, output);
        assert!(!matches!(check, Check::Command { .. }), "{command}: {check:?}");
        assert_eq!(text, format!("`{command}` → {output}"));
    }
}

/// Qualities below a heading of their own are conditions, and none is lost.
#[test]
fn qualities_of_the_whole_become_criteria() {
    for heading in [
        "Non-functional",
        "Non\u{2011}functional",
        "Performance",
        "3. Security:",
        "Quality attributes",
    ] {
        let text = format!(
            "# Pay\n\n## Features\n\n- Create a command that charges a card\n\n## {heading}\n\n\
             - A charge takes less than 2 seconds at the 99th percentile.\n"
        );
        let answers = endstate::plan::judge::Answers::new();
        let made = endstate::plan::breakdown::breakdown(&text, "Pay", &answers).unwrap();
        let exit = made.plan.sprints().flat_map(|one| &one.exit);
        let kept = exit.into_iter().any(|one| one.text.contains("less than 2 seconds"));
        assert!(kept, "{heading}: {:?}", made.plan);
    }
}

/// What carries work and is no sprint by its heading would be left out, and the mission end without it.
#[test]
fn work_beside_the_sprints_stops_the_start() {
    let body = "**Tasks**:\n1. Tag it\n\n**Exit criteria**:\n- [ ] `make tag` passes\n";
    let list = "- [ ] Tag it\n- [ ] Push it\n";
    let faults = |tail: &str| {
        let parsed = parse(&format!("{PLAN}\n{tail}"));
        parsed.faults().map(|one| (one.code, one.line)).collect::<Vec<_>>()
    };
    let line = u32::try_from(PLAN.lines().count()).unwrap() + 2;
    for heading in
        ["Final sprint: x", "2nd Sprint", "Phase: release", "Step 2", "Last phase", "Release"]
    {
        let found = faults(&format!("## {heading}\n\n{body}"));
        assert_eq!(found, [(Code::MissingField, line)], "{heading}");
    }
    for heading in ["Final sprint: x", "2nd Sprint", "Phase: release", "Step 2", "Sprint Two: x"] {
        let found = faults(&format!("## {heading}\n\n{list}"));
        assert_eq!(found, [(Code::MissingField, line)], "{heading}");
    }
    for tail in [
        format!("## Future work\n\n{body}"),
        format!("## Sprint template\n\n{body}"),
        "## Phase 1: types\n\n- Sprint 1\n- Sprint 2\n".to_owned(),
        "## Goals\n\n**Success criteria**:\n- all is well\n".to_owned(),
        "## Phases\n\nSprint 1, then Sprint 2.\n".to_owned(),
    ] {
        assert_eq!(faults(&tail), [], "{tail}");
    }
    for heading in ["Release", "Definition of Done"] {
        let parsed = parse(&format!("{PLAN}\n## {heading}\n\n{list}"));
        warned(&parsed, Code::Overlooked);
    }
    let phases = "# P\n\n## Phase 1: A\n\n- [ ] Make it\n\n## Phase: release\n\n- [ ] Tag it\n";
    assert_eq!(parse(phases).faults().count(), 1);
}

/// A plan of two units whose second sprint, of the second unit, says something.
fn two(said: &str) -> Parsed {
    parse(&format!(
        "# P\n\n## Core\n\n### Sprint 1: A\n\n**Exit criteria**:\n- [ ] `make a` passes\n\n## Page\n\n### Sprint 2: \
         B\n\n{said}\n\n**Exit criteria**:\n- [ ] `make b` passes\n"
    ))
}

/// However people say who is waited for, it is read; and what is not read is named.
#[test]
fn whoever_is_waited_for_is_read_or_named() {
    let edges = |parsed: &Parsed| {
        let all = parsed.plan.dependencies.iter();
        all.map(|one| format!("{}>{}", one.from, one.to)).collect::<Vec<_>>().join(" ")
    };
    for said in [
        "**Needs**: Core",
        "**After**: Core",
        "_Depends on_: Core",
        "*Depends on:* Core",
        "**Waits for**: Core",
        "Depends on Core.",
        "This sprint waits for Core.",
        "- Depends on Core",
        "**Needs**:\n- Core",
        "**Needs**: the output of the Core unit",
    ] {
        let parsed = two(said);
        assert_eq!(edges(&parsed), "core>page/2", "{said}: {:?}", parsed.remarks);
        assert_eq!(parsed.faults().count(), 0, "{said}");
    }
    for said in ["**Needs**: Sprint 1", "**After**: 1", "Depends on Sprint 1 of Core."] {
        assert_eq!(edges(&two(said)), "core/1>page/2", "{said}");
    }
    // What is no name of the plan is said aloud.
    for said in ["**Needs**: PostgreSQL 14", "**After**: 2 hours", "Depends on PostgreSQL."] {
        let parsed = two(said);
        assert_eq!(edges(&parsed), "", "{said}");
        assert_eq!(parsed.faults().count(), 0, "{said}");
        warned(&parsed, Code::DependencyUnknown);
    }
    for said in ["**Needs**: none", "**After**:\n- the sun\n", "Needs 2 hours.", "Requires care."] {
        let parsed = two(said);
        assert_eq!((edges(&parsed).as_str(), parsed.faults().count()), ("", 0), "{said}");
    }
    let text = "**Exit criteria**:\n\n**Before**: x is 3\n**After**: x is 4\n- [ ] y is 5";
    let parsed = parse(&format!("# P\n\n## Sprint 1: A\n\n{text}\n"));
    let exit: usize = parsed.plan.sprints().map(|one| one.exit.len()).sum();
    assert_eq!((exit, parsed.remarks.len()), (3, 1), "{:?}", parsed.remarks);
    let parsed = two("**Depends on**: approval by the core team");
    assert_eq!((edges(&parsed).as_str(), parsed.faults().count()), ("", 0));
    warned(&parsed, Code::DependencyUnknown);
}

/// The same below a heading about dependencies.
#[test]
fn lines_of_graphs_are_read_or_named() {
    let graph = |lines: &str| {
        let units = ["A", "B"].map(|unit| {
            format!("## {unit}\n\n### Sprint {unit}1: x\n\n**Exit criteria**:\n- [ ] `make a` passes\n\n")
        });
        parse(&format!("# P\n\n{}## Dependencies\n\n{lines}\n", units.concat()))
    };
    for lines in [
        "B needs A",
        "- B relies on A",
        "B is blocked by A",
        "```mermaid\ngraph TD\nB1 --o A1\n```",
    ] {
        let parsed = graph(lines);
        assert_eq!(parsed.plan.dependencies.len(), 1, "{lines}: {:?}", parsed.remarks);
    }
    let parsed = graph("B needs A");
    assert_eq!((parsed.plan.dependencies[0].from.as_str()), "a");
    for lines in ["Sprint A1 beats Sprint B1", "A1 <-> B1", "```\nA1 and then B1\n```"] {
        let parsed = graph(lines);
        assert_eq!(parsed.plan.dependencies.len(), 0, "{lines}");
        warned(&parsed, Code::Overlooked);
    }
}

/// A drawing makes no order, no circle and no fault; an order that is nowhere else is told.
#[test]
fn drawings_of_an_order_are_told_and_not_read() {
    let units = ["A", "B"].map(|unit| {
        format!(
            "## {unit}\n\n### Sprint {unit}1: x\n\n**Exit criteria**:\n- [ ] `make a` passes\n\n"
        )
    });
    let plan = |said: &str, drawn: &str| {
        let units = units.concat().replace("B1: x\n", &format!("B1: x\n\n{said}\n"));
        parse(&format!("# P\n\n{units}## Dependencies\n\n{drawn}\n"))
    };
    let told = |parsed: &Parsed| {
        let all = parsed.remarks.iter().filter(|one| one.got.contains("not read as an order"));
        all.map(|one| one.weight).collect::<Vec<_>>()
    };
    for drawn in [
        "A1 → B1",
        "```\nA1 ──► B1\n```",
        "```\nA1\n │\n ▼\nB1\n```",
        "```\nA1 → B1 → A1\n```",
        "Sprint A1 <- Sprint B1",
    ] {
        let alone = plan("", drawn);
        assert_eq!((alone.plan.dependencies.len(), alone.faults().count()), (0, 0), "{drawn}");
        assert_eq!(told(&alone), [Weight::Warning], "{drawn}");
        // What it says is said where it is read.
        let also = plan("**Depends on**: A1", drawn);
        assert_eq!(
            (edges(&also).as_str(), told(&also)),
            ("a/A1>b/B1", vec![Weight::Note]),
            "{drawn}"
        );
    }
    let row = parse(&format!("{PLAN}\n## Dependency graph\n\n```\nSprint 2 ─► Sprint 1\n```\n"));
    assert_eq!((row.faults().count(), told(&row)), (0, vec![Weight::Note]));
}

/// A row of a table says its layer out of how many.
#[test]
fn layers_are_numbers_out_of_a_number() {
    let table =
        "| Work Unit | Layer | Sprints |\n|--|--|--|\n| A | 1 of 2 | 1 |\n| B | 2 of 2 | 1 |\n";
    let unit = |name: &str| {
        format!(
            "\n## {name}\n\n### Sprint {name}1: x\n\n**Exit criteria**:\n- [ ] `make a` passes\n"
        )
    };
    let parsed = parse(&format!("# P\n\n{table}{}{}", unit("A"), unit("B")));
    assert_eq!(parsed.plan.dependencies.len(), 1, "{:?}", parsed.remarks);
    assert!(parsed.remarks.iter().all(|one| one.weight == Weight::Note), "{:?}", parsed.remarks);
}

/// What is wished for is no criterion, and what stands in HTML or in a footnote is none either; each is named.
#[test]
fn what_is_no_part_of_the_plan_is_named() {
    let named = |text: &str| {
        let parsed = parse(text);
        let all = parsed.remarks.iter().filter(|one| one.code == Code::ReadAsText);
        (parsed.plan.sprints().map(|one| one.exit.len()).sum::<usize>(), all.count())
    };
    for label in ["Stretch goals", "Optional", "Nice to have"] {
        let text = format!("{PLAN}\n**{label}**:\n- [ ] `make fast` passes\n- [ ] it shines\n");
        assert_eq!(named(&text), (2, 1), "{label}");
    }
    for tail in [
        "<ul>\n<li>Do more</li>\n</ul>\n",
        "[^1]: - [ ] Do more\n",
        "## Notes\n\n<ol><li>Do more</li></ol>\n",
        "[^a]:\n    - Do more\n    - And more\n",
    ] {
        assert_eq!(named(&format!("{PLAN}\n{tail}")).0, 2, "{tail}");
        assert!(named(&format!("{PLAN}\n{tail}")).1 > 0, "{tail}");
    }
    assert_eq!(named(&format!("{PLAN}\n<!-- <li>no</li> -->\n")), (2, 0));
}

/// A list behind a label that says all on its line is the tasks, where no others are named as such.
#[test]
fn lists_behind_a_label_are_tasks_or_named() {
    let exit = "\n**Exit criteria**:\n- [ ] `make a` passes\n";
    for label in ["**Type**: code", "**Priority**: 3", "**Model**: small"] {
        for gap in ["\n", "\n\n"] {
            let parsed = parse(&format!(
                "# P\n\n## Sprint 1: A\n\n{label}{gap}- Create it\n- Use it\n{exit}"
            ));
            let tasks: usize = parsed.plan.sprints().map(|one| one.tasks.len()).sum();
            let named = parsed.remarks.iter().any(|one| one.code == Code::ReadAsText);
            assert!(tasks == 2 || named, "{label}{gap}: {tasks} {:?}", parsed.remarks);
        }
    }
}

/// A variable that nothing fills in is sent as it is written; its author is told.
#[test]
fn variables_that_nothing_fills_in_are_named() {
    let template = "\n## Dispatch Template\n\n```\nDo <SPRINT_NAME> for <TICKET>.\n```\n";
    let parsed = parse(&format!("{PLAN}{template}"));
    let found: Vec<_> =
        parsed.remarks.iter().filter(|one| one.code == Code::UnresolvedVariable).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].column, found[0].weight), (22, Weight::Warning));
}

/// One sprint has one goal; a name with two is objected to, at `plan lint` and at the start.
#[test]
fn two_goals_in_one_sprint_are_warned_of() {
    for (name, many) in [
        ("Add the parser and export the report", 1),
        ("Bread and butter", 0),
        ("Add the parser and write tests", 0),
        ("Parse and validate", 0),
    ] {
        let parsed = parse(&PLAN.replacen("Sprint 2: Greeting", &format!("Sprint 2: {name}"), 1));
        let found = parsed.remarks.iter().filter(|one| one.code == Code::InvalidValue);
        assert_eq!(found.map(|one| one.line).collect::<Vec<_>>(), vec![16; many], "{name}");
    }
}

/// A row of a table of sprints that names none would be left out, and the rest called done.
#[test]
fn rows_of_a_sprint_table_without_a_number_are_faults() {
    let plan = |row: &str| {
        format!(
            "# Plan\n\n| Sprint | Goal | Exit criteria |\n|--|--|--|\n| 1 | Types | `make a` passes |\n{row}\n"
        )
    };
    for first in ["Final", "", "two", "2-4", "Phase 2", "Release", "…"] {
        let parsed = parse(&plan(&format!("| {first} | Ship it | `make b` passes |")));
        let faults: Vec<u32> = parsed.faults().map(|one| one.line).collect();
        assert_eq!(faults, [6], "{first}: {:?}", parsed.remarks);
    }
    for row in [
        "| Total | 1 sprint | one check |",
        "| - | - | — |",
        "|  | 12 | |",
        "| 2 | Rest | `make b` passes |",
    ] {
        assert_eq!(parse(&plan(row)).faults().count(), 0, "{row}");
    }
}

/// Tables about sprints that stand elsewhere, or nowhere.
#[test]
fn tables_about_other_sprints_are_told() {
    let weights = |text: &str| {
        let parsed = parse(text);
        let told = parsed.remarks.iter().filter(|one| one.weight > Weight::Note);
        told.map(|one| (one.weight, one.line)).collect::<Vec<_>>()
    };
    let table = "| Sprint | Goal | Exit criteria |\n|--|--|--|\n| 1 | Types | `make a` passes |\n";
    let second = "\n## More\n\n| Sprint | Goal | Exit criteria |\n|--|--|--|\n| 2 | Web | `make b` passes |\n";
    assert_eq!(weights(&format!("# Plan\n\n{table}{second}")), [(Weight::Fault, 11)]);
    let sprint = "# Plan\n\n## Sprint 1: Types\n\n**Tasks**:\n- Write it\n\n**Exit criteria**:\n- [ ] `make a` passes\n";
    let overview = |rows: &str| format!("{sprint}\n## Overview\n\n{rows}");
    let rows = |head: &str, rows: &str| {
        let bars = "|--".repeat(head.matches('|').count() - 1);
        weights(&overview(&format!("{head}\n{bars}|\n{rows}")))
    };
    assert_eq!(rows("| Sprint | Goal |", "| 1 | Types |\n"), []);
    assert_eq!(rows("| Sprint | Goal |", "| 1 | Types |\n| 2 | Web |\n"), [(Weight::Warning, 16)]);
    assert_eq!(rows("| Sprint | Status |", "| Total | 1 of 1 |\n| All | ok |\n"), []);
    let work = rows("| Sprint | Exit criteria |", "| 1 | none |\n| 2 | `sh web.sh` exits 0 |\n");
    assert_eq!(work, [(Weight::Fault, 16)]);
    let twice = rows("| Sprint | Goal | Verification |", "| 1 | Types | `sh x.sh` exits 0 |\n");
    assert_eq!(twice, [(Weight::Warning, 13)]);
}

/// Every column of criteria counts.
#[test]
fn all_columns_of_criteria_are_read() {
    let text = "# Plan\n\n| Sprint | Goal | Exit criteria | Verification | Done when | Tests | Security |\n|--|--|--|--|--|--|--|\n\
                | 1 | Types | `make a` passes | `make b` passes | `make c` passes | 12 | `make d` passes |\n";
    let parsed = parse(text);
    let sprint = parsed.plan.sprints().next().unwrap();
    assert_eq!(sprint.exit.len(), 3, "{:?}", sprint.exit);
    assert!(parsed.remarks.iter().any(|one| one.code == Code::Overlooked), "{:?}", parsed.remarks);
    let only = parse(
        "# Plan\n\n| Sprint | Tasks | Acceptance |\n|--|--|--|\n| 1 | Do it | `make a` passes |\n",
    );
    let sprint = only.plan.sprints().next().unwrap();
    assert_eq!((sprint.tasks.len(), sprint.exit.len()), (1, 1));
}
