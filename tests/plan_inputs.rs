//! Documents that are no plan, broken, hostile or huge: each is read without a panic, and what is wrong with it
//! is said at its place.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

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
    assert_eq!(place(&missing, Code::Overlooked), (16, 4));
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

#[test]
fn ragged_tables_are_read_as_far_as_they_go() {
    let text = "| Work Unit | Directory | Sprints | Layer | Dependencies |\n|--|--|--|--|--|\n| Core | src/ |\n| Docs | docs/ | 1 | 2 | Core | too | many |\n||\n| |\n\n## Core\n\n### Sprint \
                1: a\n\n- [ ] `true`\n\n## Docs\n\n### Sprint 2: b\n\n- [ ] `true`\n";
    let parsed = parse(text);
    let (line, _) = place(&parsed, Code::Overlooked);
    assert_eq!(line, 4, "{:?}", parsed.remarks);
    let Parsed { plan, remarks } = parsed;
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
             ## Core\n\n### Sprint 1: a\n\n- [ ] `make a`\n\n## Docs\n\n### Sprint 1: b\n\n{line}\n\n- [ ] x\n"
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
        let check = parse(&fenced).plan.sprints().next().unwrap().exit[0].check.clone();
        assert!(
            matches!(check, Check::Command { command: ref kept, .. } if *kept == command),
            "{check:?}"
        );
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
