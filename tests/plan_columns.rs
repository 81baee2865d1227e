//! Columns of tables: what a command of a row must do, criteria beside criteria, and who waits for whom.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

use endstate::plan::model::{Check, Dependency, Expectation, PlanCriterion, Weight};
use endstate::plan::read::{Parsed, parse};
use endstate::vocab::error::Code;

mod planning;
use planning::{dropped, read};

/// The criteria of the only row of a table below exit criteria.
fn row(heads: &str, cells: &str) -> (PlanCriterion, Vec<Code>) {
    let rule = "|--".repeat(heads.matches('|').count() - 1);
    let text = format!(
        "# P\n\n## Sprint 1: A\n\n**Tasks**:\n1. Do it\n\n**Exit criteria**:\n\n{heads}\n{rule}|\n{cells}\n"
    );
    let parsed = parse(&text);
    assert!(dropped(&text, &parsed).is_empty(), "{text}");
    let sprint = parsed.plan.sprints().next().unwrap();
    assert_eq!(sprint.exit.len(), 1, "{text}: {:?}", sprint.exit);
    (sprint.exit[0].clone(), parsed.remarks.iter().map(|one| one.code).collect())
}

fn command(check: &Check) -> Option<(&str, &Expectation)> {
    match check {
        Check::Command { command, expect } => Some((command, expect)),
        Check::Assertion | Check::Checklist => None,
    }
}

fn edges(parsed: &Parsed) -> String {
    let one = |edge: &Dependency| format!("{} > {}", edge.from, edge.to);
    parsed.plan.dependencies.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn what_a_row_says_that_its_command_must_do_goes_with_it() {
    for expected in ["exit 0", "passes", "pass", "success", "exits 0", "✅"] {
        let (one, codes) =
            row("| Check | Command | Expected |", &format!("| it runs | `sh d.sh` | {expected} |"));
        assert_eq!(
            command(&one.check),
            Some(("sh d.sh", &Expectation::Success)),
            "{expected}: {one:?}"
        );
        assert!(codes.is_empty(), "{expected}: {codes:?}");
    }
    let (one, _) = row("| Check | Command | Exit code |", "| it runs | sh d.sh | 0 |");
    assert_eq!(command(&one.check), Some(("sh d.sh", &Expectation::Success)));
    let (one, _) =
        row("| Check | Command | Expected |", "| rejects garbage | `sh d.sh --bad` | fails |");
    assert_eq!(command(&one.check), Some(("sh d.sh --bad", &Expectation::Failure)), "{one:?}");
    for (head, expected) in [
        ("Expected", "exit 2"),
        ("Expected", "exit code 2"),
        ("Expected", "exits with status 2"),
        ("Exit code", "2"),
        ("Exit code", "`2`"),
    ] {
        let heads = format!("| Check | Command | {head} |");
        let (one, _) = row(&heads, &format!("| rejects garbage | `sh d.sh --bad` | {expected} |"));
        let expect = Expectation::Status { code: 2 };
        assert_eq!(command(&one.check), Some(("sh d.sh --bad", &expect)), "{expected}: {one:?}");
    }
    // What is not understood whole is judged by somebody, and never by the status alone.
    for (head, expected) in [
        ("Expected", "exit 2 or 3"),
        ("Expected result", "error"),
        ("Expected output", "usage message"),
        ("Expected", "`2`"),
        ("Expected", "prints `usage`"),
    ] {
        let cells = format!("| it is read | `sh d.sh --bad` | {expected} |");
        let (one, codes) = row(&format!("| Check | Command | {head} |"), &cells);
        assert_eq!(command(&one.check), None, "{expected}: {one:?}");
        assert_eq!(codes, [Code::CommandNotRun], "{expected}");
        assert!(one.text.contains(expected) && one.text.contains("it is read"), "{one:?}");
    }
    let (one, _) =
        row("| Check | Command | Expected |", "| empty input is refused | `sh t.sh` | exit 0 |");
    assert_eq!(command(&one.check), Some(("sh t.sh", &Expectation::Success)), "{one:?}");
    let (one, _) =
        row("| Check | Command | Expected |", "| it fails on empty input | `sh t.sh` | exit 0 |");
    assert_eq!(command(&one.check), None, "{one:?}");
    // What came of it last time says nothing of what must come.
    for (last, code) in [("pending", Some("make test")), ("⏳", Some("make test")), ("fails", None)]
    {
        let (one, _) =
            row("| Check | Command | Result |", &format!("| it works | `make test` | {last} |"));
        assert_eq!(command(&one.check), code.map(|code| (code, &Expectation::Success)), "{last}");
    }
    let (one, codes) = row("| Command | Expected result |", "| `sh d.sh` | prints 3 lines |");
    assert_eq!((command(&one.check), codes), (None, vec![Code::CommandNotRun]), "{one:?}");
}

#[test]
fn a_row_that_says_what_a_status_does_not_show_is_judged_by_somebody() {
    for (words, code) in [
        ("bad input gives exit 2", "sh d.sh --bad"),
        ("empty input is refused", "sh d.sh --empty"),
        ("No TODO is left", "grep -rn TODO src"),
        ("bad input fails with a message", "cargo test bad_input"),
        ("the tool prints its version", "sh tool.sh --version"),
    ] {
        let (one, codes) = row("| Check | Verify |", &format!("| {words} | `{code}` |"));
        assert_eq!((command(&one.check), codes), (None, vec![Code::CommandNotRun]), "{words}");
    }
    for (words, code, expect) in [
        ("the schema is there", "sh schema.sh", Expectation::Success),
        ("garbage is rejected", "cargo test rejects_garbage", Expectation::Success),
        ("no type errors anywhere", "npx tsc --noEmit", Expectation::Success),
        ("nothing differs from before", "diff a.txt b.txt", Expectation::Success),
        ("No TODO is left", "! grep -rn TODO src", Expectation::Status { code: 1 }),
    ] {
        let (one, codes) = row("| Check | Verify |", &format!("| {words} | `{code}` |"));
        let bare = code.trim_start_matches("! ");
        assert_eq!(command(&one.check), Some((bare, &expect)), "{words}");
        assert!(codes.is_empty(), "{words}: {codes:?}");
    }
}

#[test]
fn a_task_of_a_table_is_shown_as_its_row_says() {
    let parsed = read(
        "# P\n\n## Sprint 1: A\n\n**Tasks**:\n\n| Task | Verify | Expected |\n|--|--|--|\n\
         | write d.sh | `sh d.sh --bad` | exit 2 |\n| write e.sh | `sh e.sh` | exit 0 |\n",
    );
    let exit = &parsed.plan.sprints().next().unwrap().exit;
    let texts: Vec<&str> = exit.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["`sh d.sh --bad` exits with status 2", "`sh e.sh` exits 0"]);
    let expect = Expectation::Status { code: 2 };
    assert_eq!(command(&exit[0].check), Some(("sh d.sh --bad", &expect)));
}

#[test]
fn every_column_of_criteria_of_a_table_of_sprints_is_read() {
    for head in ["Verify", "Tests", "Acceptance", "Definition of done", "Success criteria"] {
        for label in ["#", "ID", "Sprint"] {
            let name = if label == "Sprint" { "Name" } else { "Sprint" };
            let parsed = read(&format!(
                "# P\n\n| {label} | {name} | Exit criteria | {head} |\n|--|--|--|--|\n\
                 | 1 | Schema | a.txt exists | `sh schema.sh` exits 0 |\n| 2 | Load | b.txt exists | `sh load.sh` exits 0 |\n"
            ));
            let all: Vec<usize> = parsed.plan.sprints().map(|one| one.exit.len()).collect();
            assert_eq!(all, [2, 2], "{label} {head}");
        }
    }
    for cell in ["`sh schema.sh`", "sh schema.sh"] {
        let parsed = read(&format!(
            "# P\n\n| Sprint | Name | Exit criteria | Command |\n|--|--|--|--|\n| 1 | Schema | a.txt exists | {cell} |\n"
        ));
        let warned = parsed.remarks.iter().find(|one| one.weight == Weight::Warning).unwrap();
        assert!(warned.got.starts_with("1 command in line"), "{}", warned.got);
    }
    // What one cell says of the command in the next is said of it.
    let parsed = read(
        "# P\n\n| Sprint | Name | Exit criteria | Verification |\n|--|--|--|--|\n\
         | 1 | Args | bad input gives exit 2 | `sh d.sh --bad` |\n",
    );
    let exit = &parsed.plan.sprints().next().unwrap().exit;
    assert_eq!((exit.len(), command(&exit[0].check)), (1, None), "{exit:?}");
}

#[test]
fn a_column_of_who_waits_for_whom_has_many_names() {
    for head in ["Depends on", "Needs", "After", "Waits for", "Predecessors", "Blocked by"] {
        let parsed = read(&format!(
            "# P\n\n| Sprint | Name | Exit criteria | {head} |\n|--|--|--|--|\n\
             | 1 | Schema | `sh a.sh` exits 0 | 2 |\n| 2 | Load | `sh b.sh` exits 0 | - |\n"
        ));
        assert_eq!(edges(&parsed), "plan/2 > plan/1", "{head}");
        let parsed = parse(&format!(
            "# P\n\n| Work unit | Directory | Sprints | {head} |\n|--|--|--|--|\n| Core | core | 1 | - |\n| Web | web | 1 | Core |\n\n\
             ## Core\n\n### Sprint 1: A\n\n**Exit criteria**:\n- `sh a.sh` exits 0\n\n\
             ## Web\n\n### Sprint 1: B\n\n**Exit criteria**:\n- `sh b.sh` exits 0\n"
        ));
        assert_eq!(edges(&parsed), "core > web", "{head}");
    }
}
