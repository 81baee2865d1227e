//! The reader of execution plans: each closed form of the seed, what is none, and that no line of a sprint is lost.

use endstate::plan::families::execution::{read, template};
use endstate::plan::model::*;
use endstate::plan::{check, line, write};
use endstate::vocab::error::Code;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// Plans of other trades, each with what must be read of it: the canonical text, and the remarks.
const FIXTURES: [(&str, &str, &str); 5] = [
    (
        "bakery",
        include_str!("../plans/execution/bakery.md"),
        include_str!("../plans/execution/bakery.expected.md"),
    ),
    (
        "orchard",
        include_str!("../plans/execution/orchard.md"),
        include_str!("../plans/execution/orchard.expected.md"),
    ),
    (
        "choir",
        include_str!("../plans/execution/choir.md"),
        include_str!("../plans/execution/choir.expected.md"),
    ),
    (
        "ferry",
        include_str!("../plans/execution/ferry.md"),
        include_str!("../plans/execution/ferry.expected.md"),
    ),
    (
        "mill",
        include_str!("../plans/execution/mill.md"),
        include_str!("../plans/execution/mill.expected.md"),
    ),
];

fn plan(text: &str) -> Read {
    read(text).expect("a sprint stands there")
}

fn sprint<'p>(read: &'p Read, unit: &str, label: &str) -> &'p Sprint {
    let mut all = read.plan.sprints().filter(|(of, one)| of.name == unit && one.label == label);
    all.next().unwrap_or_else(|| unreachable!("no sprint {unit}/{label}")).1
}

fn labels(text: &str) -> Vec<String> {
    read(text).map_or_else(Vec::new, |read| {
        read.plan.sprints().map(|(_, one)| one.label.clone()).collect()
    })
}

fn commands(criteria: &[Criterion]) -> Vec<(&str, &Expect)> {
    let all = criteria.iter().flat_map(|one| &one.commands);
    all.map(|command| (command.line.as_str(), &command.expect)).collect()
}

/// All of a reading as a text: places, the plan, the remarks.
fn shown(text: &str) -> String {
    let read = plan(text);
    let mut out = write::write(&read.plan);
    out.push_str("\n<!-- places and remarks\n");
    for (unit, one) in read.plan.sprints() {
        let (first, last) = (one.lines.first, one.lines.last);
        out.push_str(&format!("{} {first}-{last}\n", id(unit, one)));
    }
    for one in read.remarks.iter().chain(&check::located(&read.plan, text)) {
        let (weight, code) = (one.weight, one.code.as_str());
        let place = format!("{}:{}+{}", one.line, one.column, one.width);
        out.push_str(&format!("{weight:?} {code} {place} {} / {}\n", one.expected, one.got));
    }
    out.push_str("-->\n");
    out
}

#[test]
fn each_fixture_is_read_as_expected() {
    for (name, text, expected) in FIXTURES {
        assert_eq!(shown(text), expected, "{name}");
        assert_eq!(shown(&text.replace('\n', "\r\n")).replace("\r\n", "\n"), expected, "{name}");
        assert_eq!(shown(&format!("\u{feff}{text}")), expected, "{name}");
        assert_eq!(lost(text, &plan(text)), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn a_heading_is_a_sprint_by_its_word_its_label_and_what_stands_behind_it() {
    let yes = [
        ("# Sprint 1: a", "1"),
        ("###### sortie 2a — b", "2a"),
        ("## **Sprint 1.2 – c**", "1.2"),
        ("## Sprint DC-2a - d", "DC-2a"),
        ("## Sprint B9", "B9"),
        ("## Sortie 3—e", "3"),
        ("## Sprint 七5: f", "七5"),
    ];
    for (text, label) in yes {
        assert_eq!(labels(text), [label], "{text}");
    }
    let no = [
        "## Sprint planning: a",
        "## Sprints 1-3: a",
        "## Sprint 1 to 3",
        "## The Sprint 1: a",
        "## Sprint (1): a",
        "#Sprint 1: a",
        "Sprint 1: a",
        "    # Sprint 1: a",
        "> ## Sprint 1: a",
        "```\n## Sprint 1: a\n```",
        "<!--\n## Sprint 1: a\n-->",
        "---\n# Sprint 1: a\n---",
        "## Tasks 1.1: a",
        "## Task 1: a",
        "| Sprint | Points |\n|---|---|\n| 1 | 2 |",
        "- [ ] a box without a heading",
    ];
    for text in no {
        assert!(read(text).is_none(), "{text}");
    }
}

#[test]
fn a_number_of_sprints_that_was_not_found_is_a_fault_at_its_row() {
    let text = "| Package | Sprints |\n|---|---|\n| a | 2 |\n| b | 1 |\n\n## a\n\n### Sprint 1: x\n\n## b\n\n\
                ### Sprint 1: y\n\n## Summary\n\n| Metric | Value |\n|---|---|\n| Work units | 2 |\n| Total sprints | 3 |\n";
    let faults: Vec<(u32, String)> = plan(text)
        .remarks
        .into_iter()
        .filter(|one| one.code == Code::PlanDisagrees && one.weight == Weight::Fault)
        .map(|one| (one.line, one.got))
        .collect();
    assert_eq!(faults, [(3, "1".to_owned()), (19, "2".to_owned())]);
    let right = text.replace("| a | 2 |", "| a | 1 (for now) |").replace("| 3 |", "| 2 |");
    assert_eq!(plan(&right).remarks.iter().filter(|one| one.weight == Weight::Fault).count(), 0);
}

#[test]
fn units_are_found_by_rows_numbers_or_sections() {
    let table = "## Work Units\n\n| Name | Sprints |\n|---|---|\n| Hen | 1 |\n| Cow | 2 |\n\n";
    let sprints = "## Sprint 1: a\n\n## Sprint 2: b\n\n## Sprint 3: c\n";
    let units = |text: &str| -> Vec<(String, usize)> {
        let all = plan(text).plan.units;
        all.into_iter().map(|unit| (unit.name, unit.sprints.len())).collect()
    };
    let pair = |name: &str, count| (name.to_owned(), count);
    assert_eq!(units(&format!("{table}{sprints}")), [pair("Hen", 1), pair("Cow", 2)]);
    assert_eq!(units(&format!("# T\n\n{sprints}")), [pair("plan", 3)]);
    let sections = "# T\n\n## Hen\n\n### Sprint 1: a\n\n## Cow\n\n### Sprint 2: b\n";
    assert_eq!(units(sections), [pair("Hen", 1), pair("Cow", 1)]);
    assert_eq!(units(&sections.replace("## Cow\n", "")), [pair("plan", 2)]);
    let unclear = format!("{table}{}", sprints.replace("## Sprint 3: c\n", ""));
    let faults = plan(&unclear).remarks;
    assert!(faults.iter().any(|one| one.code == Code::PlanDisagrees && one.line == 3));
    // Rows that are no units put nothing into layers.
    let layers = "| Module | Sprints | Layer |\n|---|---|---|\n| a | 1 | 1 |\n| b | 1 | 2 |\n| c | 1 | 3 |\n";
    let read = plan(&format!("{layers}\n## Sprint 1: x\n\n## Sprint 2: y\n"));
    assert_eq!((read.plan.units.len(), &read.plan.units[0].depends_on), (1, &Vec::new()));
}

#[test]
fn only_exact_labels_make_an_edge_and_entry_criteria_name_what_comes_before() {
    let text = |entry: &str| {
        format!(
            "## A\n\n### Sprint 1: a\n\n### Sprint 2: b\n\n### Sprint A3: c\n\n## B\n\n### Sprint 4: d\n\n\
             ### Sprint 5: e\n\n**Entry criteria**:\n- [ ] {entry}\n\n### Sprint 6: f\n"
        )
    };
    let edges = |entry: &str| sprint(&plan(&text(entry)), "B", "5").depends_on.clone();
    let some = |all: &[&str]| Some(all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>());
    let cases: [(&str, Option<Vec<String>>); 16] = [
        ("Sprint 4 is done", some(&["4"])),
        ("Sprints 1, 2 and 4 are done", some(&["A/1", "A/2", "4"])),
        ("sorties 1-2 are verified", some(&["4", "A/1", "A/2"])),
        ("A3 COMPLETED", some(&["4", "A/A3"])),
        ("`Sprint 4` is in code", None),
        ("the report (see Sprint 2) is there", None),
        ("Sprint 6 comes later", None),
        ("Sprint 9 is nowhere", None),
        ("the 4 winds are still", None),
        ("the S3 bucket is empty", None),
        ("A is done", None),
        ("Sprint 2, 4 files are there", some(&["4", "A/2"])),
        ("A Sprint 2 is verified", some(&["4", "A/2"])),
        ("`x` of **A**: Sprints 1 and 2", some(&["4", "A/1", "A/2"])),
        ("A Sprint 4 is nowhere", None),
        ("Sprint5 and A33", None),
    ];
    for (entry, expected) in cases {
        assert_eq!(edges(entry), expected, "{entry}");
    }
}

#[test]
fn a_name_that_is_nowhere_is_a_fault_in_a_list_and_a_warning_in_a_sentence() {
    let faults = |value: &str| {
        let text = format!("## Sprint 1: a\n\n## Sprint 2: b\n\n**Depends on**: {value}\n");
        let read = plan(&text);
        let faults: Vec<(u32, u32, String)> = read
            .remarks
            .iter()
            .filter(|one| one.code == Code::DependencyUnknown && one.weight == Weight::Fault)
            .map(|one| (one.line, one.column, one.got.clone()))
            .collect();
        (faults, sprint(&read, "plan", "2").depends_on.clone())
    };
    let list = |all: &[&str]| Some(all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>());
    assert_eq!(faults("Sprint 1"), (vec![], list(&["1"])));
    assert_eq!(faults("1, mill"), (vec![(5, 20, "mill".to_owned())], list(&["1"])));
    assert_eq!(faults("none (starts by itself)"), (vec![], list(&[])));
    assert_eq!(faults("—"), (vec![], list(&[])));
    assert_eq!(faults("Sprint 1 only, the old mill"), (vec![], list(&["1"])));
    assert_eq!(faults("all that was done before"), (vec![], None));
}

#[test]
fn units_wait_by_fields_below_their_headings_and_by_tables_without_counts() {
    let sections = "## Hen\n\n### Sprint 1: a\n\n## Cow\n\n@### Sprint 1: b\n";
    let waits = |text: &str| plan(text).plan.units[1].depends_on.clone();
    assert_eq!(waits(&sections.replace('@', "**Depends on**: Hen\n\n")), ["Hen"]);
    assert_eq!(waits(&sections.replace('@', "")), Vec::<String>::new());
    let table = "## Work Units\n\n| Name | Dependencies |\n|---|---|\n| Hen | none |\n| Cow | Hen Sprint 1 |\n\n";
    assert_eq!(waits(&format!("{table}{}", sections.replace('@', ""))), ["Hen/1"]);
    // What names nothing is told.
    let text = sections.replace('@', "**Depends on**: what the hen does\n\n");
    let told = plan(&text).remarks;
    let told: Vec<_> = told.iter().filter(|one| one.weight == Weight::Warning).collect();
    assert_eq!((told[0].code, told[0].line), (Code::DependencyUnknown, 7));
}

#[test]
fn rules_outside_of_sprints_are_criteria_of_each() {
    let text = "## Rules\n\n- No new dependency\n- `make lint` passes\n\n## Sprint 1: a\n\n**Exit criteria**:\n- [ ] AC-001: it is there\n\n## Sprint 2: b\n\n### Rules\n\n- Its own\n";
    let read = plan(text);
    let ids = |label: &str| -> Vec<String> {
        sprint(&read, "plan", label).exit.iter().map(|one| one.id.clone()).collect()
    };
    assert_eq!(ids("1"), ["AC-001", "RULE-001", "RULE-002"]);
    assert_eq!(ids("2"), ["AC-001", "RULE-001", "RULE-002"]);
    let exit = &sprint(&read, "plan", "2").exit;
    assert_eq!((exit[0].text.as_str(), exit[2].lines.first), ("Its own", 4));
    assert_eq!(commands(exit), [("make lint", &Expect::Succeed)]);
    assert!(!read.plan.notes.contains("No new dependency"));
    // Sprints that stand within such a section keep what is theirs.
    let within = "# Rules\n\n- No new dependency\n\n## Sprint 1: a\n\n**Tasks**:\n- Do it\n\n## Sprint 2: b\n";
    let read = plan(within);
    let exit = &sprint(&read, "plan", "1").exit;
    assert_eq!((exit.len(), exit[0].text.as_str()), (1, "No new dependency"));
    assert_eq!(sprint(&read, "plan", "1").tasks.len(), 1);
}

#[test]
fn what_a_field_says_besides_is_kept() {
    let text = "## Sprint 1: a\n\n## Sprint 2: b\n\n**Depends on**: none — but Bob must agree\n**Priority**: first\n**Priority**: second\n";
    let read = plan(text);
    let two = sprint(&read, "plan", "2");
    assert_eq!(
        (two.depends_on.as_deref(), two.priority.as_deref()),
        (Some(&[][..]), Some("first"))
    );
    assert!(
        two.notes.contains("but Bob must agree") && two.notes.contains("second"),
        "{}",
        two.notes
    );
    let row = plan("| Sprint | Name | Goal |\n|---|---|---|\n| 1 | Alpha | one | surplus |\n");
    assert!(sprint(&row, "plan", "1").notes.contains("surplus"));
}

#[test]
fn what_a_command_is_expected_to_do_in_words_is_judged() {
    let text = "## Sprint 1: a\n\n**Validate**:\n\n```sh\nmake\ngrep -rn TODO src\n```\n\n**Expected**: no output\n";
    let exit = sprint(&plan(text), "plan", "1").exit.clone();
    assert_eq!(commands(&exit), [("make", &Expect::Succeed)]);
    assert!(exit[1].judged && exit[1].text.contains("no output"), "{exit:?}");
}

#[test]
fn commands_of_another_folder_are_judged() {
    let text = "## Sprint 1: a\n\n**Exit criteria** (run in `web/`):\n- `make a` passes\n\n**Exit criteria** (all of them):\n- `make b` passes\n";
    let exit = sprint(&plan(text), "plan", "1").exit.clone();
    assert_eq!(commands(&exit), [("make b", &Expect::Succeed)]);
    assert!(exit[0].judged && exit[0].text == "(run in `web/`) `make a` passes", "{exit:?}");
}

#[test]
fn what_is_put_off_is_not_sent_and_may_be_left_out_of_the_count() {
    let text = "| Package | Sprints |\n|---|---|\n| a | 1 (one is put off) |\n\n## a\n\n### Sprint 1: x\n\n### Sprint 2: @\n";
    for name in
        ["~~y~~", "y — **DEFERRED**", "~~y~~ (DEFERRED)", "y\n\n**Status**: deferred until spring"]
    {
        let read = plan(&text.replace('@', name));
        assert_eq!(sprint(&read, "a", "2").status, Status::Deferred, "{name}");
        assert!(read.remarks.iter().all(|one| one.weight != Weight::Fault), "{:?}", read.remarks);
    }
    let read = plan(&text.replace('@', "what deferred work is"));
    assert_eq!(sprint(&read, "a", "2").status, Status::Pending);
    assert!(read.remarks.iter().any(|one| one.code == Code::PlanDisagrees));
}

#[test]
fn layers_make_a_unit_wait_for_the_layer_below_and_only_if_all_are_numbers() {
    let text = |layers: [&str; 3]| {
        let rows = ["a", "b", "c"].iter().zip(layers);
        let rows: String =
            rows.map(|(name, layer)| format!("| {name} | 1 | {layer} |\n")).collect();
        let sprints = "## a\n### Sprint 1: x\n## b\n### Sprint 1: x\n## c\n### Sprint 1: x\n";
        format!("| Module | Sprints | Layer |\n|---|---|---|\n{rows}\n{sprints}")
    };
    let waits = |layers| -> Vec<Vec<String>> {
        plan(&text(layers)).plan.units.into_iter().map(|unit| unit.depends_on).collect()
    };
    let none: Vec<String> = Vec::new();
    assert_eq!(waits(["1", "1", "3"]), [none.clone(), none.clone(), vec!["a".into(), "b".into()]]);
    assert_eq!(waits(["2", "1", "3"]), [vec!["b".into()], none.clone(), vec!["a".to_owned()]]);
    assert_eq!(waits(["1", "2 → 3", "3"]), [none.clone(), none.clone(), none]);
}

#[test]
fn commands_of_fences_are_those_under_validate_and_only_whole_lines() {
    let read = |fence: &str| {
        let read = plan(&format!("## Sprint 1: a\n\n**Validate**:\n\n{fence}\n"));
        let exit = sprint(&read, "plan", "1").exit.clone();
        commands(&exit)
            .into_iter()
            .map(|(line, expect)| (line.to_owned(), expect.clone()))
            .collect::<Vec<_>>()
    };
    let zero = Expect::Succeed;
    let only = |text: &str| Expect::PrintOnly { text: text.to_owned() };
    assert_eq!(
        read("```bash\nmake\n\nmake `x`\n```"),
        [("make".into(), zero.clone()), ("make `x`".into(), zero.clone())]
    );
    assert_eq!(
        read("```\nmake\n```\n\nExpected:\n```\n3\n```\n\nExpected:\n```\n4\n```"),
        [("make".into(), only("3"))]
    );
    assert_eq!(read("```\nmake\n```\n\n**Expected**:\n```\n3\n4\n```"), [("make".into(), zero)]);
    for other in [
        "```json\n{}\n```",
        "```\nmake \\\n  all\n```",
        "```\ncat <<X\nX\n```",
        "```\n$ make\nok\n```",
        "```\n# a\nmake\n```",
    ] {
        assert_eq!(read(other), [], "{other}");
    }
    let exit = plan("## Sprint 1: a\n\n**Exit criteria**:\n\n```\nmake\n```\n");
    assert!(sprint(&exit, "plan", "1").exit.is_empty());
}

#[test]
fn the_kind_is_told_by_a_field_or_by_what_name_and_tasks_begin_with() {
    let kind = |name: &str, body: &str| {
        sprint(&plan(&format!("## Sprint 1: {name}\n\n{body}\n")), "plan", "1").kind
    };
    assert_eq!(kind("Deploy the mill", ""), Kind::Command);
    assert_eq!(kind("Deploy the mill", "**Tasks**:\n1. Write a script"), Kind::Code);
    assert_eq!(kind("Deployment", ""), Kind::Code);
    assert_eq!(kind("x", "**Tasks**:\n1. Visit it\n2. Listen"), Kind::Manual);
    assert_eq!(kind("x", "**Tasks**:\n1. Visit it\n2. Then wait"), Kind::Code);
    assert_eq!(kind("Wait for rain", "**Kind**: background"), Kind::Background);
}

#[test]
fn the_template_is_that_of_its_section_or_of_the_settings() {
    let titled = "# P\n\n## Appendix D: Dispatch Template\n\nUse it.\n\n```\nDo {{X}}\n\nNow.\n```\n\n## Next\n";
    assert_eq!(template(titled).as_deref(), Some("Do {{X}}\n\nNow."));
    assert_eq!(template("## Agent Prompt\n\nDo it.\n\n# Next\n\nno").as_deref(), Some("Do it."));
    let settings = "## Supervisor config\n\n```yaml\nretries: 3\ntemplate: |\n  Do it.\n```\n";
    assert_eq!(template(settings).as_deref(), Some("Do it.\n"));
    assert_eq!(template("## Appendix D: Formats\n\nno\n"), None);
    assert_eq!(template("```\n## Agent Prompt\n```\n"), None);
}

/// Lines of a sprint that are neither in its definition nor what a field or label says.
fn lost(text: &str, read: &Read) -> Vec<String> {
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
    let outside = line::outside_fences(&lines);
    let mut lost = Vec::new();
    for (unit, one) in read.plan.sprints() {
        let written = write::sprint(unit, one);
        let (first, last) = (one.lines.first as usize, one.lines.last as usize);
        let row = lines[first - 1].starts_with('|');
        for at in first..last.min(if row { 0 } else { last }) {
            let said = said(lines[at], outside[at]);
            if !said.is_empty() && !said.iter().all(|part| written.contains(part.as_str())) {
                lost.push(format!("{}: {}", at + 1, lines[at]));
            }
        }
    }
    lost
}

/// What of a line must be in a definition: not its bullet, box and label; of a row each cell, of a fence's marks nothing.
fn said(source: &str, outside: bool) -> Vec<String> {
    let text = source.trim();
    if !outside && (text.starts_with("```") || text.starts_with("~~~")) || text.is_empty() {
        return Vec::new();
    }
    if let Some(cells) = line::cells(text).filter(|_| outside) {
        return cells.iter().map(|cell| cell.trim_matches('*').to_owned()).collect();
    }
    let heading = text.trim_start_matches('#').trim();
    let task = heading.strip_prefix("Task ").and_then(|rest| rest.split_once(": "));
    if let Some((_, name)) = task.filter(|_| text.starts_with('#')) {
        return vec![name.to_owned()];
    }
    let text = line::item(text).map_or(text, |item| item.text);
    let taken = ["Entry criteria", "Exit criteria", "Tasks", "Priority"];
    let named = ["Status", "Model", "Kind", "Type", "Depends on", "Dependencies"];
    let is = |name: &str, words: &[&str]| {
        words.iter().any(|word| name.trim_end_matches("**").eq_ignore_ascii_case(word))
    };
    match text.trim_start_matches("**").split_once(':') {
        Some((name, rest)) if is(name, &taken) => {
            vec![rest.trim_start_matches("**").trim().to_owned()]
        }
        Some((name, _)) if is(name, &named) => Vec::new(),
        _ => vec![text.trim().to_owned()],
    }
}

const HOSTILE: [&str; 45] = [
    "**Exit criteria**) (`a`:",
    "",
    "   ",
    "\t- x",
    "# T",
    "## Unit",
    "## Work Unit: a",
    "## Sprint 1: x",
    "### Sortie 2a — y",
    "#### Task 1.2: z",
    "## Task 3.1",
    "---",
    "...",
    "```",
    "```sh",
    "~~~~",
    "````mermaid",
    "A --> B",
    "Sprint 1 --> a",
    "a[Sprint 2a] -->|x| b & c",
    "<!--",
    "-->",
    "<!-- x -->",
    "> q",
    "| Sprint | Name | Depends on |",
    "| Work Unit | Sprints | Layer | Dependencies |",
    "|---|---|---|---|",
    "| a | 1 | 2 | 1, a |",
    "| 1 | x | `|` |",
    "|",
    "**Tasks**:",
    "**Exit criteria** (all):",
    "Entry criteria: Sprints 1-9, S1 and a/1",
    "**Validate**",
    "Expected:",
    "**Depends on**: 1, a (b, c) and Sprint 2a",
    "**Status**: done",
    "**Priority**: é",
    "- [x] AC-1: `make` exits 0",
    "  1. [ ] nested",
    "* **Kind**: command",
    "text: more",
    "**",
    "__x__:",
    "Ⅷ\u{301} é 漢",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]
    #[test]
    fn no_text_is_too_hostile(picked in prop::collection::vec(0..HOSTILE.len(), 0..40)) {
        let text = picked.iter().map(|at| HOSTILE[*at]).collect::<Vec<_>>().join("\n");
        let _ = template(&text);
        if let Some(found) = read(&text) {
            prop_assert_eq!(read(&text), Some(found.clone()));
            prop_assert!(found.plan.sprints().next().is_some());
            let lines = u32::try_from(text.lines().count()).unwrap();
            for (_, one) in found.plan.sprints() {
                prop_assert!(one.lines.first >= 1 && one.lines.first <= one.lines.last && one.lines.last <= lines);
            }
            check::located(&found.plan, &text);
            write::write(&found.plan);
        }
    }
}

fn corpus() -> Option<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/mission-supervisor");
    if !corpus.is_dir() {
        use std::io::Write;
        // Past the test command, which swallows what tests that pass print.
        let _ = writeln!(std::io::stderr(), "SKIPPED: corpus is absent ({})", corpus.display());
        return None;
    }
    Some(corpus)
}

#[test]
fn every_execution_plan_of_the_corpus_is_read_and_no_line_of_a_sprint_is_lost() {
    let Some(corpus) = corpus() else { return };
    let (mut plans, mut sprints, mut criteria) = (0, 0, 0);
    for folder in std::fs::read_dir(corpus).unwrap().map(|folder| folder.unwrap().path()) {
        for path in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
            if !path.to_string_lossy().ends_with("EXECUTION_PLAN.md") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let read = plan(&text);
            assert_eq!(lost(&text, &read), Vec::<String>::new(), "{}", path.display());
            plans += 1;
            sprints += read.plan.sprints().count();
            criteria += read.plan.sprints().map(|(_, one)| one.exit.len()).sum::<usize>();
        }
    }
    assert!(plans >= 16 && sprints >= 130 && criteria >= 700, "{plans} {sprints} {criteria}");
}
