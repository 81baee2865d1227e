//! The parts of a sprint by the words of their labels, and what is in no part: nothing that somebody would have to
//! look at stays without a warning.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

use endstate::plan::model::{Plan, Sprint, Weight};
use endstate::plan::read::{Parsed, parse};
use endstate::plan::write;
use endstate::vocab::error::Code;

mod planning;
use planning::{different, dropped};

/// A plan of two sprints, of which the second has these lines before or behind its criteria.
fn with(before: &str, behind: &str) -> Parsed {
    let text = format!(
        "# P\n\n## Sprint 1: First\n\n**Tasks**:\n1. Do one\n\n**Exit criteria**:\n- [ ] `make one` passes\n\n\
         ## Sprint 2: Second\n\n{before}\n\n**Tasks**:\n1. Do two\n\n**Exit criteria**:\n- [ ] `make two` passes\n\n\
         {behind}\n\n## Sprint 3: Third\n\n**Tasks**:\n1. Do three\n\n**Exit criteria**:\n- [ ] `make three` passes\n"
    );
    let parsed = parse(&text);
    assert!(dropped(&text, &parsed).is_empty(), "{before}{behind}");
    if parsed.faults().next().is_none() {
        let again = parse(&write::render(&parsed.plan));
        assert_eq!(different(&parsed.plan, &again.plan), None, "{before}{behind}");
    }
    parsed
}

fn second(plan: &Plan) -> &Sprint {
    plan.sprints().nth(1).unwrap()
}

/// The warnings that something is in no part of the plan.
fn warned(parsed: &Parsed) -> Vec<String> {
    let all = parsed.remarks.iter();
    let all = all.filter(|one| one.weight == Weight::Warning && one.code == Code::Overlooked);
    all.map(|one| one.got.clone()).collect()
}

#[test]
fn criteria_are_read_below_any_label_that_says_so() {
    for label in [
        "Acceptance tests",
        "Verification commands",
        "Verification steps",
        "How to verify",
        "How to test",
        "Quality gates",
        "Gate",
        "Test plan",
        "Checks",
        "Must pass",
        "DoD",
        "Acceptance checks",
        "Success metrics",
        "Validation steps",
        "Verified by",
        "Proof",
        "Sign-off criteria",
        "Test cases",
        "Done if",
        "Verify with",
    ] {
        let forms = [
            (format!("### {label}\n\n- [ ] `make more` passes"), 2),
            (format!("**{label}**:\n- [ ] `make more` passes"), 2),
            (format!("**{label}:**\n\n```sh\nmake more\n```"), 2),
            (format!("**{label}**: `make more` passes"), 2),
            (format!("- **{label}**:\n  - [ ] `make more` passes"), 2),
        ];
        for (form, many) in &forms {
            for parsed in [with("", form), with(form, "")] {
                let sprint = second(&parsed.plan);
                assert_eq!((sprint.exit.len(), sprint.tasks.len()), (*many, 1), "{form}");
                assert!(warned(&parsed).is_empty(), "{form}: {:?}", parsed.remarks);
            }
        }
    }
}

#[test]
fn entry_criteria_and_tasks_are_read_by_their_words_too() {
    for label in
        ["Entry gate", "Before you start", "Preflight", "Start conditions", "Pre-flight checks"]
    {
        let parsed = with(&format!("### {label}\n\n- [ ] `make ready` passes"), "");
        assert_eq!(second(&parsed.plan).entry.len(), 1, "{label}");
    }
    for label in ["Task breakdown", "What to do", "Plan of work", "Subtasks", "To-do"] {
        let parsed = with(&format!("### {label}\n\n- Create `src/a.rs`"), "");
        assert_eq!(second(&parsed.plan).tasks.len(), 2, "{label}");
    }
}

#[test]
fn tests_are_criteria_and_those_to_be_written_are_tasks() {
    let parsed = with("", "**Test cases**:\n- the parser rejects `a;b`\n- Add a test of `x`");
    let sprint = second(&parsed.plan);
    assert_eq!((sprint.exit.len(), sprint.tasks.len()), (2, 2));
}

#[test]
fn a_label_with_nothing_behind_it_may_be_long() {
    let parsed = with("", "Acceptance criteria for this sprint:\n- [ ] `make more` passes");
    assert_eq!(second(&parsed.plan).exit.len(), 2);
}

#[test]
fn a_label_among_tasks_or_criteria_stays_what_it_was() {
    let parsed = with(
        "**Tasks**:\n1. Make it\n2. **Tests**: cover it\n3. **Checks**: add them\n\n**Tests**:\n\n4. Add more",
        "",
    );
    assert_eq!(second(&parsed.plan).tasks.len(), 5);
    let parsed = with("### Entry criteria\n\n**Checks**:\n- [ ] `a.txt` exists", "");
    assert_eq!((second(&parsed.plan).entry.len(), second(&parsed.plan).exit.len()), (1, 1));
}

#[test]
fn boxes_below_deliverables_say_what_must_be_there() {
    for label in ["**Deliverables**:", "### Deliverables\n", "### Outputs\n", "Deliverables:"] {
        let parsed = with(&format!("{label}\n- [ ] `src/store.rs`\n- [ ] the docs"), "");
        assert_eq!(second(&parsed.plan).exit.len(), 3, "{label}: {:?}", second(&parsed.plan).exit);
        let parsed = with(&format!("{label}\n- `src/store.rs`"), "");
        assert_eq!(second(&parsed.plan).exit.len(), 1, "{label}");
    }
}

#[test]
fn what_nobody_will_check_is_a_warning() {
    for (said, what) in [
        ("### Rollout\n\n- [ ] the flag is on\n- [ ] it works", "2 open check boxes"),
        ("### Rollout\n\n```sh\nmake rollout\nmake seen\n```", "2 commands"),
        ("### Rollout\n\n```\nmake rollout\n```", "1 command"),
        ("### Rollout\n\n- `make rollout` passes", "1 command"),
        ("### Rollout\n\n> - [ ] the flag is on", "1 open check box"),
        ("### Rollout\n\n| Command | Result |\n|--|--|\n| `make rollout` | passes |", "1 command"),
        ("**Rollout**:\n\n```bash\nmake rollout\n```", "1 command"),
    ] {
        let parsed = with(&format!("**Tasks**:\n1. Begin\n\n{said}"), "");
        let warned = warned(&parsed);
        assert_eq!(warned.len(), 1, "{said}: {:?}", parsed.remarks);
        assert!(warned[0].starts_with(&format!("{what} in line")), "{said}: {warned:?}");
        assert!(warned[0].ends_with("below `Rollout`: nobody will check this"), "{warned:?}");
    }
    for label in [
        "Setup",
        "Usage",
        "Example",
        "Context",
        "Notes",
        "Commit message",
        "Rollback",
        "Out of scope",
    ] {
        for body in ["```sh\nmake it\n```", "- `make it` passes"] {
            let parsed = with(&format!("**Tasks**:\n1. Begin\n\n### {label}\n\n{body}"), "");
            assert_eq!(warned(&parsed), [""; 0], "{label}");
        }
    }
}

#[test]
fn what_a_command_shows_behind_the_exit_list_is_a_criterion_below_any_label() {
    for label in ["Security", "Lint", "Performance", "Build", "CI", "Coverage", "Requirement"] {
        for said in [
            format!("**{label}**: `sh more.sh` exits 0"),
            format!("**{label}:**\n`sh more.sh` exits 0"),
            format!("**{label}**:\n\n`sh more.sh` exits 0"),
        ] {
            let parsed = with("", &said);
            assert_eq!(second(&parsed.plan).exit.len(), 2, "{said}: {:?}", parsed.remarks);
            assert_eq!(warned(&parsed), [""; 0], "{said}");
        }
    }
    // What is started need not end, and asides are none.
    for label in ["Run", "Note", "Usage"] {
        let parsed = with("", &format!("**{label}**: `sh more.sh`"));
        assert_eq!(second(&parsed.plan).exit.len(), 1, "{label}");
    }
}

#[test]
fn whatever_looks_checkable_in_a_sprint_and_is_in_no_part_is_warned_of() {
    for (before, behind, what) in [
        ("**Security**: `sh scan.sh` exits 0", "", "1 command"),
        ("**Security**:\n\n`sh scan.sh` exits 0", "", "1 command"),
        ("`sh scan.sh` exits 0", "", "1 command"),
        ("", "**Speed**: `sh bench.sh` exits 0, p95 below 5 ms.", "1 command"),
        ("", "**Run**: `sh more.sh`", "1 command"),
        ("", "> **Exit criterion**: `sh sec.sh` exits 0", "1 command"),
        ("", "> `sh sec.sh` exits 0\n>\n> `sh two.sh` exits 0", "2 commands"),
        ("", "**KPI**:\n\n| Metric | Target |\n|---|---|\n| p95 | < 5 |", "1 requirement"),
        ("", "**KPI**:\n\np95 < 5", "1 requirement"),
        ("", "**Also required**: no password is in the log.", "1 requirement"),
    ] {
        let parsed = with(before, behind);
        let warned = warned(&parsed);
        assert_eq!(warned.len(), 1, "{before}{behind}: {:?}", parsed.remarks);
        assert!(warned[0].starts_with(&format!("{what} in line")), "{before}{behind}: {warned:?}");
    }
    for quiet in [
        "Small and safe. Uses `serde` of `Cargo.toml`.",
        "**Note**: `make it` passes on most machines.",
        "**Setup**:\n\nRun `npm install`",
        "> Uses `serde`",
        "**Entry criteria**:\n- [ ] None (the first sprint)",
    ] {
        assert_eq!(warned(&with(quiet, "")), [""; 0], "{quiet}");
    }
}

#[test]
fn what_must_hold_of_the_whole_plan_and_is_not_read_is_warned_of() {
    for (said, what) in [
        ("## Definition of Done\n\n```sh\nmake all\nmake docs\n```", "2 commands"),
        ("## Definition of Done\n\n### Docs\n\n```sh\nmake docs\n```", "1 command"),
        (
            "## Definition of Done\n\n| Check | Command |\n|--|--|\n| it builds | `make all` |",
            "1 command",
        ),
        ("## Definition of Done\n\n`make all` passes", "1 command"),
        ("## Global definition of done\n\n`make all` passes, and no TODO is left", "1 command"),
        ("**Global definition of done**: every test passes, and `make all` exits 0.", "1 command"),
        ("## Release\n\n`make all` exits 0", "1 command"),
    ] {
        for text in [format!("{ONE}\n{said}\n"), ONE.replace("# P\n", &format!("# P\n\n{said}\n"))]
        {
            let told = told(&text);
            assert_eq!(told.len(), 1, "{said}: {told:?}");
            assert!(told[0].contains(&format!("{what} in line")), "{said}: {told:?}");
        }
    }
    for quiet in [
        "## Overview\n\nRun `npm install` first. You must run `make` often.",
        "## Build\n\n```sh\nmake all\n```",
        "## Tools\n\n| Command | Purpose |\n|--|--|\n| `make all` | builds |",
        "## Notes\n\n`make all` exits 0",
        "## Release\n\n```md\n`make all` exits 0\n```",
    ] {
        assert_eq!(told(&format!("{ONE}\n{quiet}\n")), [""; 0], "{quiet}");
    }
}

#[test]
fn labels_are_read_however_they_stand_out() {
    let forms = |label: &str| {
        [
            format!("**{label}** for QA:"),
            format!("*{label}*"),
            format!("*{label}*:"),
            format!("✅ **{label}**:"),
            format!("***{label}***:"),
            format!("***{label}***"),
            format!("{label}\n"),
            label.to_owned(),
            format!("**{label}**."),
            format!("**{label}** —"),
            format!("{label} —"),
        ]
    };
    for (label, [entry, tasks, exit]) in [
        ("Exit criteria", [0, 1, 2]),
        ("Acceptance", [0, 1, 2]),
        ("Entry criteria", [1, 1, 1]),
        ("Tasks", [0, 2, 1]),
    ] {
        for form in forms(label) {
            for parsed in [
                with(&format!("{form}\n- [ ] `make more` passes"), ""),
                with("", &format!("{form}\n- [ ] `make more` passes")),
            ] {
                let one = second(&parsed.plan);
                let many = [one.entry.len(), one.tasks.len(), one.exit.len()];
                assert_eq!(many, [entry, tasks, exit], "{form}: {:?}", parsed.remarks);
            }
        }
    }
    let parsed = with("**Exit criteria** — `make more` passes", "");
    assert_eq!(second(&parsed.plan).exit.len(), 2);
    // Words that go on are none.
    let parsed = with("**Tasks** were split.\n\nAcceptance\n\nis later.", "");
    assert_eq!((second(&parsed.plan).tasks.len(), second(&parsed.plan).exit.len()), (1, 1));
}

#[test]
fn other_words_for_whom_a_sprint_waits() {
    for said in [
        "**Deps**: Sprint 1",
        "**Dep**: 1",
        "**Predecessor**: Sprint 1",
        "**Predecessors**: 1",
        "**Order**: after Sprint 1",
        "Do not start before Sprint 1 is done.",
    ] {
        let text = format!(
            "{ONE}\n{}\n{}",
            ONE[4..].replace("Sprint 1: A", "Sprint 2: B"),
            ONE[4..].replace("Sprint 1: A", &format!("Sprint 3: C\n\n{said}"))
        );
        let plan = parse(&text).plan;
        let waits = plan.dependencies.iter().map(|one| {
            let end = |id: &str| id.rsplit('/').next().unwrap().to_owned();
            format!("{}-{}", end(&one.from), end(&one.to))
        });
        // The third waits for the first only, be it written from or to.
        let mut waits: Vec<String> = waits.collect();
        waits.iter_mut().for_each(|one| {
            let mut ends: Vec<&str> = one.split('-').collect();
            ends.sort_unstable();
            *one = ends.join("-");
        });
        waits.sort();
        assert_eq!(waits, ["1-2", "1-3"], "{said}");
    }
}

/// What weighs as a fault or a warning, as `fault: what was got`.
fn told(text: &str) -> Vec<String> {
    let parsed = parse(text);
    let heavy = parsed.remarks.iter().filter(|one| one.weight > Weight::Note);
    heavy.map(|one| format!("{}: {}", one.weight.word(), one.got)).collect()
}

const ONE: &str = "# P\n\n## Sprint 1: A\n\n**Tasks**:\n1. Do one\n\n**Exit criteria**:\n- [ ] `make one` passes\n";

#[test]
fn sprints_in_other_words_are_faults() {
    let body = "**Exit criteria**:\n- [ ] `make more` passes";
    for (heading, got) in [
        ("## Sprints 2-3: Polish", "`Sprints 2-3: Polish`, whose work would be left out"),
        ("## 3. Sprint Three", "`3. Sprint Three`, whose work would be left out"),
        ("## Sprint Three", "`Sprint Three`, which has none"),
        ("## Third Sprint", "`Third Sprint`, whose work would be left out"),
        (
            "**Sprint 3: Polish**",
            "`**Sprint 3: Polish**`, which is no heading: its work is taken for another's",
        ),
        (
            "**Sprint 3**: Polish",
            "`**Sprint 3**: Polish`, which is no heading: its work is taken for another's",
        ),
    ] {
        let told = told(&format!("{ONE}\n{heading}\n\n{body}\n"));
        assert_eq!(told, [format!("fault: {got}")], "{heading}");
    }
    for said in ["**Sprint 1**: see above.", "Sprint 3 is for later.", "**Sprint 3 comes later**"] {
        assert_eq!(told(&format!("{ONE}\n**Notes**:\n\n{said}\n")), [""; 0], "{said}");
    }
}

#[test]
fn boxes_above_the_sprints_are_warned_of() {
    let above = |said: &str| told(&ONE.replacen("# P\n", &format!("# P\n\n{said}\n"), 1));
    assert_eq!(
        above("- [ ] the docs are there"),
        ["warning: `P`, whose work or criteria are of none"]
    );
    assert_eq!(
        above("## Acceptance\n\n- [ ] the docs are there"),
        ["warning: `Acceptance`, whose work or criteria are of none"]
    );
    assert_eq!(
        told(&format!("{ONE}\n## Exit gate\n\n- `make gate` passes\n")),
        ["warning: `Exit gate`, whose work or criteria are of none"]
    );
    for said in ["- the docs", "- [x] the docs", "- [ ] Sprint 1", "## Tasks\n\nSee below."] {
        assert_eq!(above(said), [""; 0], "{said}");
    }
    let bare = ONE.replacen("# P\n", "- [ ] the docs are there\n", 1);
    assert_eq!(told(&bare).len(), 1, "{:?}", told(&bare));
}

/// A plan of two units of three sprints and one, of which the first of Core says something.
fn units(said: &str) -> Parsed {
    let sprint = |number: u32, said: &str| {
        format!(
            "### Sprint {number}: x\n\n{said}\n\n**Tasks**:\n1. Do\n\n**Exit criteria**:\n- [ ] `make x` passes\n\n"
        )
    };
    let core = format!("{}{}{}", sprint(1, said), sprint(2, ""), sprint(3, ""));
    parse(&format!("# P\n\n## Core\n\n{core}## Web\n\n{}", sprint(1, "")))
}

fn edges(parsed: &Parsed) -> String {
    let all = parsed.plan.dependencies.iter().map(|one| format!("{}<{}", one.from, one.to));
    all.collect::<Vec<_>>().join(" ")
}

#[test]
fn who_is_blocked_waits() {
    let order = "core/1<core/2 core/2<core/3";
    for said in [
        "**Blocks**: Web sprint 1",
        "**Blocks**: Sprint 1 of Web",
        "- **Blocks**: Web sprint 1",
        "**Blocks**:\n- Web sprint 1",
        "**Must come before**: Web sprint 1",
    ] {
        let parsed = units(said);
        assert_eq!(edges(&parsed), format!("{order} core/1<web/1"), "{said}: {:?}", parsed.remarks);
    }
    assert_eq!(edges(&units("**Blocks**: Web")), format!("{order} core/1<web"));
    assert_eq!(edges(&units("- **Must come after**: Web")), format!("web<core/1 {order}"));
    for (said, many) in
        [("**Blocks**: the release", 1), ("**Blocks**: none", 0), ("**Blocks**: nothing", 0)]
    {
        let parsed = units(said);
        let named = parsed.remarks.iter().filter(|one| one.code == Code::DependencyUnknown);
        assert_eq!((edges(&parsed), named.count()), (order.to_owned(), many), "{said}");
    }
}

#[test]
fn ranges_in_a_column_are_the_sprints_of_the_range() {
    for (said, expected) in [
        ("2-3", "2<5 3<5"),
        ("2–3", "2<5 3<5"),
        ("1, 3-4", "1<5 3<5 4<5"),
        ("Sprints 2-3", "2<5 3<5"),
        ("2 to 3", "2<5 3<5"),
        ("2-9", "fault"),
        ("7-9", "fault"),
    ] {
        let rows: String =
            (1..=4).map(|number| format!("| {number} | Part {number} | none |\n")).collect();
        let table =
            format!("| Sprint | Name | Depends on |\n|--|--|--|\n{rows}| 5 | Last | {said} |\n");
        let parsed = parse(&format!("# P\n\n{table}"));
        let found: Vec<_> =
            parsed.plan.dependencies.iter().filter(|one| one.to == "plan/5").collect();
        let found: Vec<_> =
            found.iter().map(|one| format!("{}<5", &one.from["plan/".len()..])).collect();
        match expected {
            "fault" => assert!(parsed.faults().next().is_some(), "{said}: {:?}", parsed.remarks),
            expected => assert_eq!(found.join(" "), expected, "{said}: {:?}", parsed.remarks),
        }
    }
}

#[test]
fn two_goals_are_warned_of_whatever_their_verbs() {
    for (name, many) in [
        ("Refactor the parser and tune the cache", 1),
        ("Migrate the store and simplify the page", 1),
        ("Rename the types and replace the reader", 1),
        ("Refactor the parser and its tests", 0),
        ("Search and filter of books", 0),
        ("Store and cache", 0),
    ] {
        let told = told(&ONE.replace("Sprint 1: A", &format!("Sprint 1: {name}")));
        assert_eq!(
            told.iter().filter(|one| one.contains("which are several")).count(),
            many,
            "{name}"
        );
    }
}
