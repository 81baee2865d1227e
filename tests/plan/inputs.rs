//! Documents that are no plan, broken, hostile or huge: each is read without a panic, and what is wrong with it
//! is said at its place. Everybody who reads a plan comes through the same door, so it is tried at that door.

use endstate::plan::families::Family;
use endstate::plan::model::{Plan, Read, Weight};
use endstate::plan::{self, MOST_PLAN, write};
use endstate::protocols::sprint::plan::config;
use endstate::vocab::error::{Code, Error, Result};
use proptest::prelude::*;
use std::collections::BTreeMap;

const PLAN: &str = "---\nplan: endstate/1\n---\n# Greeter\n\n### Sprint 1: Types\n\n**Tasks**:\n1. Create `src/types.rs`\n   - with a greeting\n2. Add \
                    tests\n\n**Exit criteria**:\n- [ ] `make test` passes\n\n### Sprint 2: Greeting\n\n**Depends on**: 1\n\n**Tasks**:\n1. Create \
                    `src/greet.rs`\n\n**Exit criteria**:\n- [ ] `src/greet.rs` greets\n";

fn open(text: &str) -> Result<(Family, Read)> {
    plan::open(&BTreeMap::from([("P.md".to_owned(), text.to_owned())]), "P.md")
}

fn read(text: &str) -> Read {
    open(text).unwrap().1
}

/// What nobody starts: read, and refused by whoever would run it.
fn refused(text: &str) -> Error {
    let files = BTreeMap::from([("P.md".to_owned(), text.to_owned())]);
    config("P.md", &files, "project").unwrap_err()
}

fn faults(read: &Read) -> Vec<(Code, u32, u32)> {
    let faults = read.remarks.iter().filter(|one| one.weight == Weight::Fault);
    faults.map(|one| (one.code, one.line, one.column)).collect()
}

fn labels(plan: &Plan) -> Vec<&str> {
    plan.sprints().map(|(_, one)| one.label.as_str()).collect()
}

/// A plan without the lines of its parts.
fn shown(plan: &Plan) -> String {
    write::write(plan)
}

#[test]
fn what_is_no_plan_is_sent_to_the_import() {
    for text in ["# Title\n", "Prose.\n\n- a list\n", "\0\u{1}\u{2}", "{}", "[1"] {
        let error = open(text).unwrap_err();
        assert_eq!((error.code, error.at.as_str()), (Code::UnknownFamily, "P.md"), "{text:?}");
        assert!(error.expected.contains("endstate plan import"), "{}", error.expected);
        assert_eq!(refused(text).code, Code::UnknownFamily, "{text:?}");
    }
    for text in ["", " \n\t\n", "\u{feff}"] {
        assert_eq!((open(text).unwrap_err().code, refused(text).code), (Code::Empty, Code::Empty));
    }
    let missing = plan::open(&BTreeMap::new(), "P.md").unwrap_err();
    assert_eq!(missing.code, Code::FileMissing);
    let empty = "---\nplan: endstate/1\n---\n";
    assert_eq!(faults(&read(empty)), [(Code::EmptyPlan, 1, 1)]);
    assert_eq!(refused(empty).code, Code::EmptyPlan);
}

#[test]
fn line_ends_tabs_and_marks_change_nothing() {
    let plain = shown(&read(PLAN).plan);
    let marked = format!("\u{feff}{PLAN}");
    for text in [marked, PLAN.replace('\n', "\r\n"), PLAN.trim_end().to_owned()] {
        let read = read(&text);
        assert_eq!((shown(&read.plan), faults(&read)), (plain.clone(), vec![]), "{text:?}");
    }
    let tabbed = read(&PLAN.replace("   - with", "\t- with"));
    assert_eq!((labels(&tabbed.plan), faults(&tabbed)), (vec!["1", "2"], vec![]));
    assert_eq!(tabbed.plan.units[0].sprints[0].tasks.len(), 2);
    let nul = PLAN.replace("Types", "Ty\0pes");
    assert_eq!(faults(&read(&nul)), [(Code::InvalidValue, 6, 1)]);
    assert_eq!(refused(&nul).at, "P.md.line 6 column 1");
}

#[test]
fn names_in_any_script_are_names() {
    let text = "---\nplan: endstate/1\n---\n# 計画\n\n## Work Unit: 核\n\n### Sprint 一: 型\n\n**Tasks**:\n1. `src/型.rs` を作る\n\n\
                **Exit criteria**:\n- [ ] `make test` exits 0\n\n## Work Unit: 頁\n\n### Sprint 二: 文\n\n**Depends on**: 核/一\n\n\
                **Exit criteria**:\n- [ ] 文がある\n";
    let read = read(text);
    assert_eq!((labels(&read.plan), faults(&read)), (vec!["一", "二"], vec![]));
    assert_eq!(read.plan.units[0].sprints[0].exit[0].commands.len(), 1);
    assert!(read.plan.units[1].sprints[0].exit[0].judged);
    let files = BTreeMap::from([("P.md".to_owned(), text.to_owned())]);
    let units = config("P.md", &files, "project").unwrap().config.units;
    assert_eq!(units[1].sprints[0].after, ["核/一"]);
}

#[test]
fn circles_and_names_of_nobody_are_refused_at_their_place() {
    let unknown = PLAN.replace("**Depends on**: 1", "**Depends on**: 7");
    assert_eq!(faults(&read(&unknown)), [(Code::DependencyUnknown, 18, 17)]);
    let itself = PLAN.replace("**Depends on**: 1", "**Depends on**: 2");
    assert_eq!(faults(&read(&itself)), [(Code::DependencyCycle, 18, 17)]);
    let circle = PLAN.replace("**Depends on**: 1", "**Depends on**: plan");
    assert_eq!(refused(&circle).code, Code::DependencyCycle);
    // The same in a plan of another family, where it was passed over.
    for own in [
        "## Sprint 1: a\n\n**Depends on**: Sprint 1\n",
        "## Hen\n\n### Sprint 1: a\n\n## Cow\n\n**Depends on**: Cow\n\n### Sprint 1: b\n",
    ] {
        assert_eq!(refused(own).code, Code::DependencyCycle, "{own}");
    }
    for text in [unknown, itself] {
        let (error, found) = (refused(&text), faults(&read(&text)));
        assert_eq!((error.code, error.at.as_str()), (found[0].0, "P.md.line 18 column 17"));
    }
}

#[test]
fn tables_that_say_something_twice_or_otherwise_are_refused() {
    let table = |rows: &str| {
        let table = format!(
            "# Greeter\n\n## Work Units\n\n| Work Unit | Directory | Sprints | Layer | Dependencies |\n|---|---|---|---|---|\n{rows}\n"
        );
        PLAN.replace("# Greeter\n\n", &format!("{table}\n## Work Unit: Greeter\n\n"))
            .replace("**Depends on**: 1\n\n", "")
    };
    let row = "| Greeter | a | 2 | 1 | none |";
    assert_eq!(faults(&read(&table(row))), []);
    let twice = table(&format!("{row}\n{row}"));
    assert_eq!(faults(&read(&twice)), [(Code::DuplicateId, 11, 1)]);
    let second = format!("{}\n## Work Units\n\n| Work Unit |\n|---|\n{row}\n", table(row));
    assert!(!faults(&read(&second)).is_empty(), "{second}");
    let lost = table("| Greeter | a | 3 | 1 | none |");
    assert_eq!(faults(&read(&lost)), [(Code::PlanDisagrees, 10, 1)]);
    assert_eq!(refused(&lost).code, Code::PlanDisagrees);
}

#[test]
fn front_matter_that_is_hostile_is_a_fault() {
    let with =
        |line: &str| PLAN.replace("plan: endstate/1\n", &format!("plan: endstate/1\n{line}\n"));
    let level =
        |n: u32| format!("l{}: &l{} [{}]\n", n + 1, n + 1, vec![format!("*l{n}"); 9].join(", "));
    let bombs = format!("l0: &l0 [x]\n{}", (0..12).map(level).collect::<String>());
    for line in [
        "defaults: [",
        "feature_name: A\nfeature_name: B",
        "feature_name: !!binary x",
        "feature_name: 'x",
        "feature_name: |\n  A",
        "feature_name: *a",
        "defaults: &a {model: small}",
        "source: 7",
        "source: {file: a.md}",
    ] {
        let read = read(&with(line));
        assert!(!faults(&read).is_empty(), "{line}: {:?}", read.remarks);
        assert_eq!(labels(&read.plan), ["1", "2"], "{line}");
    }
    // What stands at other keys is not read: it cannot do anything, and it is kept.
    let deep = format!("a: {}", "[".repeat(100_000));
    for line in [bombs.trim_end(), &deep, "a: [", "a: 1\na: 2", "? [x]\n: y", "\ta: 1", "a: 'x"] {
        let read = read(&with(line));
        assert_eq!(faults(&read), [], "{line}");
        assert_eq!(read.plan.front, format!("plan: endstate/1\n{line}\n"));
    }
    let open = PLAN.replacen("---\n# Greeter", "# Greeter", 1);
    assert_eq!(faults(&read(&open))[0].0, Code::Syntax);
}

#[test]
fn two_families_in_one_document_are_named() {
    let spec_kit = "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Create the folder in src/\n- [ ] T002 Add a test in tests/\n\n";
    let superpowers = "### Task 1: Parser\n\n**Files:**\n- Create: `src/a.rs`\n\n- [ ] **Step 1: Write the test**\n";
    let read = read(&format!("{spec_kit}{superpowers}"));
    let found = read.remarks.iter().find(|one| one.weight == Weight::Fault).unwrap();
    assert!(found.got.contains("spec-kit and superpowers"), "{found:?}");
}

/// Commands are words. Reading and writing them runs nothing and changes no letter.
#[test]
fn criteria_that_are_injections_stay_data() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("ran").display().to_string();
    for command in [
        format!("touch {mark}; true"),
        format!("$(touch {mark})"),
        format!("true && touch {mark} || rm -rf /nowhere"),
        format!("test -f '; touch {mark} #'"),
    ] {
        let text = PLAN.replace("`make test` passes", &format!("`{command}` passes"));
        let read = read(&text);
        let first = &read.plan.units[0].sprints[0].exit[0];
        assert!(first.text.contains(&command), "{first:?}");
        assert!(first.commands.iter().all(|one| one.line == command), "{first:?}");
        assert!(shown(&read.plan).contains(&command));
    }
    assert!(!folder.path().join("ran").exists(), "a command was run");
}

#[test]
fn size_and_depth_are_read_whole() {
    let sprint = |number: u32| format!("### Sprint {number}: x\n\n**Exit criteria**:\n- [ ] y\n\n");
    let many: String = (0..100_000).map(sprint).collect();
    let many = read(&format!("---\nplan: endstate/1\n---\n# P\n\n{many}"));
    assert_eq!((many.plan.sprints().count(), faults(&many)), (100_000, vec![]));
    let nested: String = (0..1_000).map(|depth| format!("{}- x\n", "  ".repeat(depth))).collect();
    for more in [nested, "> ".repeat(1_000), format!("{}x", "- ".repeat(1_000)), "*".repeat(10_000)]
    {
        let read = read(&format!("{PLAN}\n{more}"));
        assert_eq!((labels(&read.plan), faults(&read)), (vec!["1", "2"], vec![]));
        shown(&read.plan);
    }
    let huge = "x".repeat(MOST_PLAN + 1);
    assert_eq!(open(&huge).unwrap_err().code, Code::TooLarge);
}

/// Lines of every family and of none.
fn line() -> impl Strategy<Value = String> {
    const LINES: &[&str] = &[
        "---",
        "plan: endstate/1",
        "# P",
        "## Work Units",
        "| Work Unit | Sprints |",
        "|---|---|",
        "| a | 1 |",
        "## Work Unit: a",
        "### Sprint 1: x",
        "### Sprint 2: y",
        "**Depends on**: 1",
        "**Tasks**:",
        "1. do it",
        "**Exit criteria**:",
        "- [ ] `make test` passes",
        "  - `a b` exits 0",
        "- [x] T001 write it",
        "### Task 1: z",
        "**Files:**",
        "- [ ] 1. Set up",
        "_Requirements: 1.1_",
        "{\"tasks\": []}",
        "```",
        "> q",
        "\t- x",
        "",
    ];
    prop_oneof![4 => prop::sample::select(LINES).prop_map(str::to_owned), 1 => "\\PC{0,20}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// No mixture of lines is a danger; each remark has a place, and what has no fault starts.
    #[test]
    fn any_lines_are_read_or_named(lines in prop::collection::vec(line(), 0..30)) {
        let text = lines.join("\n");
        let files = BTreeMap::from([("P.md".to_owned(), text.clone())]);
        let started = config("P.md", &files, "project");
        if let Ok((_, read)) = open(&text) {
            let last = u32::try_from(text.lines().count()).unwrap() + 1;
            for one in &read.remarks {
                prop_assert!((1..=last).contains(&one.line) && one.column > 0, "{one:?}");
                prop_assert!(!one.expected.is_empty() && !one.got.is_empty(), "{one:?}");
            }
            prop_assert_eq!(faults(&read).is_empty(), started.is_ok(), "{:?}", started);
        } else {
            prop_assert!(started.is_err());
        }
    }
}
