//! What plans say in a way that no part of the reader knows: read, or told, and never dropped in silence.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

use endstate::plan::model::{Check, Expectation, Weight};
use endstate::plan::read::{Parsed, parse};

mod planning;
use planning::read;

const END: &str = "\n\nExit criteria:\n\n- `test -f last.txt` exits 0\n";

/// The exit criteria of the first sprint, commands behind a dollar sign.
fn criteria(parsed: &Parsed) -> Vec<String> {
    let all = parsed.plan.sprints().next().unwrap().exit.iter();
    let said = all.map(|one| match &one.check {
        Check::Command { command, expect: Expectation::Success } => format!("$ {command}"),
        Check::Command { command, expect } => format!("{expect:?} $ {command}"),
        Check::Assertion | Check::Checklist => one.text.clone(),
    });
    said.collect()
}

/// The lines of warnings.
fn warned(parsed: &Parsed) -> Vec<u32> {
    let all = parsed.remarks.iter().filter(|one| one.weight == Weight::Warning);
    all.map(|one| one.line).collect()
}

fn sprint(body: &str) -> String {
    format!("# P\n\n## Sprint 1: A\n\n{body}{END}")
}

/// The words behind the marks of a fence are none of a command.
#[test]
fn a_fence_that_is_an_item_is_read_as_one() {
    let below =
        |items: &str| read(&format!("# P\n\n## Sprint 1: A\n- [ ] b\n\nExit criteria:\n{items}"));
    for (items, expected) in [
        ("- ```bash\n  ./one.sh\n  ./two.sh\n  ```\n", vec!["$ ./one.sh", "$ ./two.sh"]),
        ("1. ~~~sh\n   make a\n   ~~~\n", vec!["$ make a"]),
        ("- [ ] ```sh\n      make a\n      ```\n- it is blue\n", vec!["$ make a", "it is blue"]),
    ] {
        assert_eq!(criteria(&below(items)), expected, "{items}");
    }
    let parsed = below("- This ends well: ```sh\n  make a\n  ``` passes\n");
    assert!(criteria(&parsed).iter().all(|one| !one.starts_with('$')), "{:?}", criteria(&parsed));
}

#[test]
fn a_column_of_states_that_says_what_must_come_is_read_as_that() {
    for (heads, cells, expected) in [
        ("| Command | Status |", "| `test -f x` | exit 1 |", "Status { code: 1 } $ test -f x"),
        ("| Command | Returns |", "| `test -f x` | 1 |", "Status { code: 1 } $ test -f x"),
        ("| Command | Code |", "| `test -f x` | 1 |", "Status { code: 1 } $ test -f x"),
        ("| Command | Status |", "| `test -f x` | done |", "$ test -f x"),
        ("| Command | Status |", "| `test -f x` | ⬜ |", "$ test -f x"),
        ("| Request | Status |", "| GET /x | 404 |", "GET /x: 404"),
    ] {
        let text = format!(
            "# P\n\n## Sprint 1: A\n- [ ] b\n\n### Exit criteria\n\n{heads}\n|---|---|\n{cells}\n"
        );
        assert_eq!(criteria(&read(&text)), [expected], "{text}");
    }
}

#[test]
fn labels_of_criteria_are_read_or_told_wherever_they_stand() {
    for (body, exit, warnings) in [
        ("Tasks:\n\n- write a\n\nSuccess looks like:\n\n- it is blue", vec!["it is blue"], vec![]),
        ("Tasks:\n\n- write a\n\nKPIs:\n\n- p99 below 1 ms", vec![], vec![11]),
        ("- [ ] write a\nAcceptance criteria\n1. it is blue", vec!["it is blue"], vec![]),
        ("- [ ] write a\n\n**Effort**: 2d · **Exit criteria**: it is blue", vec![], vec![7]),
        ("- [ ] write a\n\nGoal: build it. Acceptance: it is blue.", vec![], vec![7]),
        ("- [ ] write a\n\n> **Exit criteria**: it is blue", vec![], vec![7]),
        ("- [ ] write a\n\n**Security:** none\n**Also done when:** it is blue", vec![], vec![8]),
        ("- [ ] write a\n- [ ] `make j` must exit 0", vec![], vec![6]),
        ("- [ ] write a; must pass `make lint`", vec![], vec![5]),
        (
            "1. Write it. Done when all of:\n   - it is blue\n   - it is fast",
            vec!["it is blue", "it is fast"],
            vec![],
        ),
        ("- [ ] write a\n\nThe exit criteria are checked by all.", vec![], vec![]),
    ] {
        let parsed = read(&sprint(body));
        let mut expected = vec!["$ test -f last.txt".to_owned()];
        expected.extend(exit.iter().map(|one| (*one).to_owned()));
        expected.sort();
        let mut found = criteria(&parsed);
        found.sort();
        assert_eq!((found, warned(&parsed)), (expected, warnings), "{body}\n{:?}", parsed.remarks);
    }
}

#[test]
fn further_criteria_below_a_heading_of_their_own_are_told() {
    let text = "# P\n\n## Sprint 1: A\n\n- [ ] b\n\n### Exit criteria\n\n- it is blue\n\n### Rollout criteria\n\n- it is out\n";
    assert_eq!(warned(&read(text)), [13]);
    let table = "1. Write it\n\n   **Acceptance criteria**\n\n   | Check | How |\n   |---|---|\n   | lexes | `test -f l` |\n";
    assert_eq!(warned(&read(&sprint(table))), [5]);
}

/// A line right behind a criterion is no part of it where it begins with a label.
#[test]
fn a_dependency_right_behind_an_item_is_one() {
    let text =
        "# P\n\n## Sprint 1: A\n- [ ] b\n\nExit criteria:\n- it is blue\nDepends on: Sprint 9\n";
    let parsed = parse(text);
    assert_eq!(criteria(&parsed), ["it is blue"]);
    assert!(parsed.faults().any(|one| one.line == 8), "{:?}", parsed.remarks);
}

/// What stands over commands, or right behind them, counts for them.
#[test]
fn words_over_commands_are_not_lost() {
    for (body, expected) in [
        (
            "The following must return no results:\n\n- `grep -rn foo src`\n",
            "The following must return no results: `grep -rn foo src`",
        ),
        ("**Should fail:**\n- `sh bad.sh`\n", "Should fail: `sh bad.sh`"),
        (
            "These commands must exit non-zero:\n\n```sh\nsh bad.sh\n```\n",
            "These commands must exit non-zero: `sh bad.sh`",
        ),
        ("Expect exit code 1:\n\n```sh\nsh bad.sh\n```\n", "Expect exit code 1: `sh bad.sh`"),
        (
            "From the `web` directory:\n\n```sh\nsh check.sh\n```\n",
            "From the web directory: `sh check.sh`",
        ),
        ("In `web/`:\n\n- `make a` passes\n", "In web/: `make a` passes"),
        (
            "```sh\nsh bad.sh\n```\n\nThis must fail with exit code 2.\n",
            "`sh bad.sh`: This must fail with exit code 2.",
        ),
        ("Run these:\n\n```sh\nsh good.sh\n```\n", "$ sh good.sh"),
        ("**Functional:**\n- `sh good.sh`\n", "$ sh good.sh"),
        ("These must pass, and exit with 0:\n\n- `sh good.sh`\n", "$ sh good.sh"),
        ("**Auth:**\n- `sh good.sh` exits 0\n", "$ sh good.sh"),
        ("**Without network:**\n- `sh good.sh` exits 0\n", "Without network: `sh good.sh` exits 0"),
    ] {
        let parsed =
            read(&format!("# P\n\n## Sprint 1: A\n- [ ] b\n\n**Exit criteria**:\n\n{body}"));
        let found = criteria(&parsed);
        let said = found
            .iter()
            .any(|one| one == expected || one.starts_with("Status") || one.starts_with("Failure"));
        assert!(said && found.len() == 1, "{body} {found:?}");
    }
    let text = "# P\n\n## Sprint 1: A\n- [ ] b\n\n**Exit criteria** (run in `web/`):\n- `make a`\n\n### Exit criteria (from the web folder)\n\n- `make b`\n";
    assert_eq!(criteria(&read(text)), ["run in web/ `make a`", "from the web folder `make b`"]);
}

#[test]
fn a_field_behind_a_dependency_is_no_part_of_it() {
    for field in ["Parallel with: Sprint 2", "Owner: Ann", "Estimate: 2 days", "Parallelizable: no"]
    {
        let sprint = |number: u32, line: &str| {
            format!(
                "## Sprint {number}: A{number}\n\n{line}\n\n- [ ] b\n\nExit criteria:\n- `make a{number}` passes\n\n"
            )
        };
        let last = sprint(3, &format!("Depends on: Sprint 1\n{field}"));
        let text =
            format!("# P\n\n{}{}{last}", sprint(1, "First."), sprint(2, "Depends on: Sprint 1"));
        let parsed = read(&text);
        let edges: Vec<_> =
            parsed.plan.dependencies.iter().map(|one| format!("{}<{}", one.from, one.to)).collect();
        assert!(parsed.faults().count() == 0, "{:?}", parsed.remarks);
        assert!(
            edges
                .iter()
                .any(|one| one.ends_with("/1<p/3") || one.contains("1<") && one.contains("/3")),
            "{edges:?}"
        );
    }
}

#[test]
fn what_must_hold_behind_a_list_or_below_a_task_is_read_or_told() {
    for (body, exit, warnings) in [
        ("- [ ] one\nDone: `make a` passes", vec!["$ make a"], vec![]),
        ("- [ ] one\n\n**Done**: 2026-01-03", vec![], vec![]),
        ("- [ ] Compile:\n\n  ```sh\n  make a\n  ```\n\n  Expected: exit code 0", vec![], vec![5]),
        ("- [ ] one\n\n**Notes**\n\nIn CI `make x` must pass.", vec![], vec![]),
        ("- [ ] one\n\nCurrently `make x` exits 1.", vec![], vec![]),
        ("- [ ] one\n\n**Problem**: `make x` exits 1.", vec![], vec![]),
    ] {
        let parsed = read(&sprint(body));
        let mut found = criteria(&parsed);
        found.retain(|one| one != "$ test -f last.txt");
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!((found, warned(&parsed)), (exit, warnings), "{body}\n{:?}", parsed.remarks);
    }
    for (line, told) in [
        ("Between sprints, run `make check`.", true),
        ("The gate for each sprint is `make check`.", true),
        ("`make check` must pass after every sprint.", true),
        ("The agent runs every sprint, as `make check` takes long.", false),
        ("Done means `make all` exits 0.", true),
        ("`make all` must exit 0 at the end.", true),
        ("It is small. The project is complete when `make all` passes.", true),
        ("- Ready once `make all` is green", true),
        ("Done: `make all` and `make more` pass.", true),
        ("`make all` must be run by hand.", false),
        ("`T.b` was added and declared complete after a single `make all` pass.", false),
        ("When an exit criterion is a `git grep x src`, say what must be found.", false),
        ("The old way was slow, and `make all` passes quickly.", false),
        ("The work is done when the `Widget` is blue.", false),
    ] {
        let text = format!("# P\n\n{line}\n\n## Sprint 1: A\n- [ ] b{END}");
        assert_eq!(!warned(&read(&text)).is_empty(), told, "{line}");
    }
}

#[test]
fn numbered_sections_that_say_when_they_are_done_are_sprints() {
    let section =
        |name: &str| format!("### {name}\n\nWrite it.\n\n**Done when**: `make a` exits 0\n\n");
    for (first, second, found) in [
        ("M1: The parser", "M2: The lexer", 2),
        ("1. The parser", "2. The lexer", 2),
        ("1. The parser", "2. Overview", 1),
        ("FR-1: Login", "FR-2: Logout", 0),
        ("The parser", "The lexer", 0),
    ] {
        let text = format!("# P\n\n{}{}", section(first), section(second));
        assert_eq!(read(&text).plan.sprints().count(), found, "{text}");
    }
}

/// Whatever words stand over commands: only those that are known to say no more leave them to be run as they are.
#[test]
fn unknown_words_over_commands_go_with_them() {
    let under = |over: &str| {
        let text = format!("# P\n\n## Sprint 1: A\n- [ ] b\n\n{over}\n\n- `sh app.sh`\n");
        let parsed = read(&text);
        let mut found = criteria(&parsed);
        found.retain(|one| one.contains("sh app.sh"));
        found
    };
    for over in [
        "**Tests that must fail:**",
        "**Exit criteria** (all must exit with an error):",
        "### Exit criteria (should error)",
        "**Exit criteria:** all fail",
        "**Exit criteria:** None of these passes:",
        "**Exit criteria of sprint 9:**",
        "### Exit criteria (one of)",
        "### Exit criteria\n\n**Must crash**",
        "### Exit criteria\n\nDenied:",
        "### Exit criteria\n\nThese are all rejected.",
        "### Exit criteria\n\n#### Unauthorized access",
        "### Exit criteria\n\n**Any of:**",
        "### Exit criteria\n\nAs root:",
    ] {
        let found = under(over);
        assert!(found.len() == 1 && !found[0].starts_with('$'), "{over}: {found:?}");
    }
    for over in [
        "**Exit criteria:**",
        "**Acceptance tests**:",
        "### Exit criteria (all must pass)",
        "**Entry criteria**: none\n\n**Exit criteria**: all of these exit with 0:",
        "### Exit criteria\n\n**Functional**",
        "### Exit criteria\n\nThe following checks must pass:",
        "### Exit criteria\n\n#### Non-functional requirements",
    ] {
        assert_eq!(under(over), ["$ sh app.sh"], "{over}");
    }
}

#[test]
fn a_row_that_says_more_than_its_command_goes_whole() {
    for (heads, cells, expected) in [
        ("Command | Exit", "`sh a.sh` | 1", "Status { code: 1 } $ sh a.sh"),
        ("Command | Exit", "`sh a.sh` | 0", "$ sh a.sh"),
        ("Command | Result", "`sh a.sh` | 2", "`sh a.sh` → 2"),
        ("Command | Result", "`sh a.sh` | pass", "$ sh a.sh"),
        ("Command | Result", "`sh a.sh` | 3 failures", "`sh a.sh`, result: 3 failures"),
        ("Command | Exit", "`sh a.sh` | != 0", "`sh a.sh`, exit: != 0"),
        ("Command | Pass criteria", "`sh a.sh` | exit 0", "$ sh a.sh"),
        ("Command | Outcome", "`sh a.sh` | exit 2", "Status { code: 2 } $ sh a.sh"),
        (
            "Command | Passes when",
            "`sh a.sh` | exit 0 and prints x",
            "`sh a.sh`, passes when: exit 0 and prints x",
        ),
        ("Command | Automated?", "`sh a.sh` | yes", "$ sh a.sh"),
        ("Command | Fails?", "`sh a.sh` | yes", "`sh a.sh`, fails?: yes"),
        ("Command | Should fail", "`sh a.sh` | ✓", "`sh a.sh`, should fail: ✓"),
        ("Package | Command", "web | `npm test`", "`npm test` (package: web)"),
        ("Command | When", "`sh a.sh` | after seeding", "`sh a.sh` (when: after seeding)"),
        ("Command | Notes", "`sh a.sh` | run in `web/`", "`sh a.sh`, notes: run in `web/`"),
        ("Check | Command", "Works in `web/` | `sh a.sh`", "Works in `web/`: `sh a.sh`"),
        ("Check | Command", "three files | `ls out`", "three files: `ls out`"),
        ("Check | Verified by", "Reads names | `sh a.sh`", "$ sh a.sh"),
        ("Directory | Command", "web | `sh a.sh`", "`sh a.sh` (directory: web)"),
        ("Command | In", "`sh a.sh` | .", "$ sh a.sh"),
        ("Check | Command", "Must break | `sh a.sh`", "Must break: `sh a.sh`"),
        ("Check | Command", "Reads names | `sh a.sh`", "$ sh a.sh"),
    ] {
        let text = format!(
            "# P\n\n## Sprint 1: A\n- [ ] b\n\n### Exit criteria\n\n| {heads} |\n|---|---|\n| {cells} |\n"
        );
        assert_eq!(criteria(&read(&text)), [expected], "{text}");
    }
}

#[test]
fn rows_of_different_names_are_not_shown_by_one_command() {
    let under = |rows: &str| {
        let text = format!(
            "# P\n\n## Sprint 1: A\n- [ ] b\n\n### Exit criteria\n\n| Check | Command | Exit code | Output |\n|--|--|--|--|\n{rows}"
        );
        criteria(&read(&text))
    };
    let same = under("| Web | `npm test` | | |\n| API | `npm test` | | |\n");
    assert_eq!(same, ["Web: `npm test`", "API: `npm test`"]);
    let other = under("| Web | `npm test` | | |\n| API | `make test` | | |\n");
    assert_eq!(other, ["$ npm test", "$ make test"]);
    let both = under("| App | `./app` | 0 | hello |\n");
    assert!(both.len() == 1 && both[0].contains("hello") && !both[0].starts_with('$'), "{both:?}");
}

#[test]
fn words_over_criteria_lead_them_however_these_are_written() {
    let under = |body: &str| {
        let text = format!("# P\n\n## Sprint 1: A\n- [ ] b\n\n{body}\n");
        // The second look knows no headings right over tables and paragraphs.
        let parsed =
            if body.contains("####") { endstate::plan::read::parse(&text) } else { read(&text) };
        let mut found = criteria(&parsed);
        found.retain(|one| one.contains("make") || one.contains("old.rs"));
        found
    };
    for body in [
        "**Exit criteria**:\n\n**Must fail**:\n\n| Check | Command |\n|--|--|\n| old | `make old` |",
        "### Exit criteria\n\n**On the staging server**\n\n| Check | Command |\n|--|--|\n| old | `make old` |",
        "**Exit criteria (must fail)**:\n\n| Check | Command |\n|--|--|\n| old | `make old` |",
        "**Exit criteria** on staging:\n\n| Check | Command |\n|--|--|\n| old | `make old` |",
        "**Exit criteria**:\n\nThese must fail:\n\n| Check | Command |\n|--|--|\n| old | `make old` |",
        "**Exit criteria**:\n\n**Must fail**:\n\n`make old`",
        "**Exit criteria**:\n\nEach must fail:\n\n`make old`\n\n`make older`",
        "### Exit criteria\n\n#### Must fail\n\n`make old`",
        "### Exit criteria\n\n#### Must fail\n\nThe commands:\n- `make old`",
        "### Exit criteria\n\n#### Must fail\n\n**Build**:\n- `make old`",
        "**Exit criteria**:\n\n**Must fail**:\n- [ ] Run `make old`\n- [ ] Verify with `make old`",
        "**Exit criteria**:\n\n**On staging**:\n- `make smoke` passes",
        "**Exit criteria**:\n\n**With the feature flag off**:\n- `make test` exits 0",
        "### Exit criteria\n\n#### In every crate\n- `make test` passes",
        "**Exit criteria**: run in `web/`\n- `make test`",
        "**Exit criteria**: with `RUST_LOG=off`, these must fail\n- `make test`",
        "**Exit criteria**:\n\n**For each package:**\n- `make test`",
        "**Exit criteria**:\n\n**❌ These commands:**\n- `make test`",
        "**Exit criteria**:\n\n**Before the migration:**\n- `make test`",
        "**Exit criteria**:\n- `make test` passes on CI",
        "**Exit criteria**:\n- `make test`\n\nAll of the above must fail.",
        "**Exit criteria**:\n- `make test`\n\nRun these in `web/`.",
        "**Exit criteria**:\n```sh\nmake test\n```\nThe command is run on staging.",
        "**Exit criteria**:\n\n**Files that must not exist**:\n- `src/old.rs`\n- `src/old.rs` exists",
    ] {
        let found = under(body);
        let whole = |one: &String| {
            !one.starts_with(['$', '`']) || !one.ends_with(['`', '$']) && one.starts_with('`')
        };
        let failing = |one: &String| one.starts_with("Failure");
        assert!(
            !found.is_empty() && found.iter().all(|one| whole(one) || failing(one)),
            "{body}\n{found:?}"
        );
    }
    for body in [
        "**Exit criteria (machine-verifiable)**:\n- `make old`",
        "**Exit criteria**:\n\nAt the end, all of these must pass:\n- `make old`",
        "**Exit criteria**:\n\nRun from the repo root:\n- `make old`",
        "**Exit criteria**:\n\nVerify with:\n```sh\nmake old\n```",
        "**Exit criteria**:\n\nThe sprint is complete when all of the following hold:\n- `make old`",
        "The sprint is complete when all of the following hold:\n\n- `make old`",
        "Sprint is done when:\n\n- `make old`",
        "**Exit criteria — all must pass:**\n- `make old`",
        "**Exit criteria**: all of the following\n- `make old`",
        "### Exit criteria\n\n**Must fail**\n- `false`\n\n**Build**\n- `make old`",
        "**Exit criteria**:\n\n**CLI works**\n- `./cli`\n\n**Build**\n- `make old`",
        "**Exit criteria** (run from repo root):\n- `make old`",
        "**Exit criteria**:\n\n**Must fail**:\n- `false`\n\n**Python:**\n- `make old`",
        "**Exit criteria**:\n\nMust fail:\n- `false`\n\nMust pass:\n- `make old`",
        "**Exit criteria**:\n- `make old`\n\nThese take a minute.",
    ] {
        assert_eq!(under(body), ["$ make old"], "{body}");
    }
}

#[test]
fn what_a_terminal_said_of_the_status_is_what_must_come() {
    let text = "# P\n\n## Sprint 1: A\n- [ ] b\n\n### Exit criteria\n\n```console\n$ make p\nerror: no\n$ echo $?\n2\n```\n";
    assert_eq!(criteria(&read(text)), ["Status { code: 2 } $ make p"]);
    let several = text.replace("$ make p\n", "$ make o\n$ make p\n");
    assert_eq!(criteria(&read(&several)), ["$ make o", "Status { code: 2 } $ make p"]);
}

/// A fence that asks for a status in another way is run in no part: what is to fail there would have to succeed.
#[test]
fn a_fence_that_asks_for_a_status_is_understood_whole_or_judged_whole() {
    for fence in [
        "console\n$ cd web\n$ make old\n$ echo $?\n1",
        "console\n$ export A=1\n$ make old\n$ echo $?\n1",
        "console\n$ make old\n$ echo \"$?\"\n1",
        "console\n$ make old\n$ echo $?  # must be non-zero",
        "console\n$ make old\n$ echo exit=$?\nexit=2",
        "console\n$ make old\n$ echo $?\n\n1",
        "console\n$ make old\n$ echo $?",
        "console\n$ make old\n$ echo $?\n2\n$ echo $?\n0",
        "console\n$ echo $?\n0\n$ make old",
        "console\n$ make old\n$ test $? -eq 2",
        "bash\nmake old\necho $?  # 2",
        "bash\nmake old  # $? is 2",
        "bash\nmake old\n# $? is 2 now",
        "bash\nmake old\nrc=$?\ntest $rc -eq 2",
        "fish\nmake old\ntest $status -eq 2",
        "\n> make old\n> echo $?\n2",
    ] {
        let text = format!(
            "# P\n\n## Sprint 1: A\n- [ ] b\n\n### Exit criteria\n\n- it is blue\n\n```{fence}\n```\n"
        );
        let parsed = read(&text);
        let all = criteria(&parsed);
        assert!(all.len() <= 2 && all.iter().all(|one| !one.starts_with(['$', 'S'])), "{all:?}");
        let run = parsed.plan.sprints().flat_map(|one| &one.exit);
        assert!(
            run.map(|one| &one.check).all(|one| !matches!(one, Check::Command { .. })),
            "{all:?}"
        );
        let again = read(&endstate::plan::write::render(&parsed.plan));
        assert_eq!(criteria(&again), all, "{fence}");
    }
    let handed = "# P\n\n## Sprint 1: A\n- [ ] b\n\n### Exit criteria\n\n```sh\nmake a || exit $?\nmake b\n```\n";
    assert_eq!(criteria(&read(handed)), ["$ make a || exit $?", "$ make b"]);
}

#[test]
fn groups_that_demand_are_none_of_asides() {
    let text = "# P\n\n## Sprint 1: A\n- [ ] b\n\n### Exit criteria\n\n**Files must exist:**\n\n- the map\n\n**Files:**\n\n- a.txt\n";
    assert_eq!(criteria(&read(text)), ["the map"]);
    let story = "# P\n\n## Sprint 1: A\n\n- [ ] Task 1 (AC: 1, 2)\n- [ ] Task 2. AC: it is blue\n";
    assert_eq!(criteria(&read(story)), ["it is blue"]);
}

#[test]
fn headings_without_a_mark_behind_their_number_are_sprints_where_none_has_one() {
    let sprint = |heading: &str| {
        format!("## {heading}\n\n- [ ] a\n\n**Exit criteria**:\n- `make a` exits 0\n\n")
    };
    for (first, second, names) in [
        ("Sprint 1 Set up", "Sprint 2 Build", "Set up, Build"),
        ("Sprint1: Set up", "Sprint2: Build", "Set up, Build"),
        ("Sprint 1 of 2: Set up", "Sprint 2/2 Build", "Set up, Build"),
    ] {
        let parsed = read(&format!("# P\n\n{}{}", sprint(first), sprint(second)));
        let found: Vec<_> = parsed.plan.sprints().map(|one| one.name.as_str()).collect();
        assert_eq!((found.join(", ").as_str(), warned(&parsed).len()), (names, 0), "{first}");
    }
    let beside = parse(&format!("# P\n\n{}{}", sprint("Sprint 1: A"), sprint("Sprint2: B")));
    assert_eq!(beside.faults().count(), 1, "{:?}", beside.remarks);
}
