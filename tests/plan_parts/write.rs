//! Reading what was written gives what was there; and no text is too strange to be read.

use endstate::plan::model::*;
use endstate::plan::read::{Parsed, parse};
use endstate::plan::write::*;
use proptest::prelude::*;

const NOWHERE: endstate::plan::document::LineRange =
    endstate::plan::document::LineRange { first: 0, last: 0 };

/// A plan without places.
pub(crate) fn bare(mut plan: Plan) -> Plan {
    plan.front.iter_mut().for_each(|one| one.lines = NOWHERE);
    plan.dependencies.iter_mut().for_each(|one| one.line = 0);
    plan.rules.iter_mut().for_each(|one| one.lines = NOWHERE);
    plan.template.iter_mut().for_each(|one| one.lines = NOWHERE);
    plan.references.iter_mut().for_each(|one| one.line = 0);
    plan.declared.iter_mut().for_each(|one| one.line = 0);
    for unit in &mut plan.units {
        unit.lines = NOWHERE;
        for one in &mut unit.sprints {
            one.lines = NOWHERE;
            one.priority.iter_mut().for_each(|one| one.lines = NOWHERE);
            one.tasks.iter_mut().for_each(|one| one.lines = NOWHERE);
            one.entry.iter_mut().chain(&mut one.exit).for_each(|one| one.lines = NOWHERE);
        }
    }
    plan
}

/// Writing and reading once brings any plan into the one layout; from then on nothing changes.
fn settles(text: &str) {
    let first = parse(&render(&parse(text).plan)).plan;
    let second = parse(&render(&first)).plan;
    assert_eq!(bare(second), bare(first), "{text}");
}

fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "[a-z]{2,8}",
        1 => "`[a-z]{1,6}\\.(rs|md)`",
        1 => Just("`make test`".to_owned()),
        1 => "\\*\\*[A-Z][a-z]{1,5}\\*\\*",
        1 => prop::sample::select(vec!["é", "→", "a|b", "(x)", "#", "12", "—", "Sprint", "[y]", "<b>", "*", "_", "~"]).prop_map(str::to_owned),
    ];
    let first = prop_oneof![
        "[A-Z][a-z]{1,7}",
        Just("Create".to_owned()),
        Just("`cargo test --all`".to_owned())
    ];
    (first, prop::collection::vec(word, 0..6))
        .prop_map(|(first, rest)| [vec![first], rest].concat().join(" "))
}

fn body() -> impl Strategy<Value = String> {
    let entry = prop_oneof![
        Just(String::new()),
        Just("**Entry criteria**: none\n\n".to_owned()),
        (1..5_u32).prop_map(|number| format!(
            "**Entry criteria**:\n- [ ] Sprint {number} exit criteria met\n\n"
        )),
        words().prop_map(|words| format!("**Entry criteria**:\n- [x] {words}\n\n")),
        (1..5_u32).prop_map(|number| format!("**Depends on**: Sprint {number}\n\n")),
    ];
    let items = |mark: &'static str| {
        prop::collection::vec((words(), prop::option::of(words())), 0..4).prop_map(move |items| {
            let each = items.iter().map(|(text, more)| {
                let more = more.as_ref().map(|more| format!("   - {more}\n")).unwrap_or_default();
                format!("{mark}{text}\n{more}")
            });
            each.collect::<String>()
        })
    };
    let fields = prop_oneof![
        Just(String::new()),
        (0..99_u32, words())
            .prop_map(|(score, words)| format!("**Priority**: {score}.5 — {words}\n\n")),
        words().prop_map(|words| format!("**Goal**: {words}\n**Model**: sonnet\n\n")),
        (0..4_u32).prop_map(|layer| format!("**Layer**: {layer}\n\n")),
    ];
    let check = prop_oneof![
        Just(String::new()),
        Just("\n**Validate**:\n\n```bash\nmake test\n# no\n$ ls -l \\\n  src\n```\n\n**Expected**:\n\n```\nok\n```\n".to_owned()),
    ];
    (fields, entry, items("1. "), items("- [ ] "), check).prop_map(
        |(fields, entry, tasks, exit, check)| {
            format!("{fields}{entry}**Tasks**:\n{tasks}\n**Exit criteria**:\n{exit}{check}\n")
        },
    )
}

fn document() -> impl Strategy<Value = String> {
    let label = prop::sample::select(vec!["1", "2", "2a", "3", "B9", "DC-2", "1.2", "10"]);
    let heading =
        prop::sample::select(vec!["## Sprint", "### Sprint", "### Sortie", "#### sprint"]);
    let sprint = (heading, label, prop::sample::select(vec![":", " —", " –"]), words(), body())
        .prop_map(|(heading, label, mark, name, body)| {
            format!("{heading} {label}{mark} {name}\n\n{body}")
        });
    let front = prop::option::of((words(), words())).prop_map(|front| {
        front.map_or(String::new(), |(one, other)| {
            format!(
                "---\nname: \"{}\"\nother: {}\n---\n\n",
                one.replace('"', ""),
                other.replace(['`', '*', ':', '[', '#', '|'], "")
            )
        })
    });
    let table = prop::option::of((words(), words(), 0..3_u32)).prop_map(|table| {
        table.map_or(String::new(), |(one, other, layer)| {
            let [one, other] = [one, other].map(|name| name.replace('|', ""));
            format!("| Work Unit | Directory | Sprints | Layer | Dependencies |\n|--|--|--|--|--|\n| A {one} | src | 2 | 1 | none |\n| B {other} | lib | 1 | {layer} | none |\n\n")
        })
    });
    (front, words(), table, prop::collection::vec(sprint, 0..6)).prop_map(
        |(front, title, table, sprints)| format!("{front}# {title}\n\n{table}{}", sprints.concat()),
    )
}

/// Text of the letters that Markdown and plans care about.
fn strange() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "# ",
        "## Sprint 1: ",
        "### Sortie 2a — ",
        "---\n",
        "```\n",
        "~~~\n",
        "- [ ] ",
        "1. ",
        "| a | b |\n|---|---|\n",
        "| 1 | Sprint 1 |\n",
        "**Tasks**:",
        "**Exit criteria**:\n",
        "**Entry criteria**: ",
        "Sprint 1",
        "Sprints 1-",
        "→",
        "-->",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        "    ",
        "\u{0}",
        "\u{feff}",
        "é",
        "`",
        "``",
        "**",
        "__",
        "<!--",
        "-->",
        ">",
        "[",
        "](",
        "|",
        ":",
        "a: b\n",
        "word ",
        "…",
        "\u{202e}",
        "```mermaid\ngraph TD\nA-->B\n",
        "- **Exit criteria**: x\n    - y\n",
        "| Work Unit | Sprints | Layer |\n|--|--|--|\n| A | 3 | 0–4 |\n",
        "S1",
        "WU1.S2",
        "all previous sprints",
        "99999999999999999999",
    ]);
    prop::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn reading_what_was_written_changes_nothing(text in document()) {
        settles(&text);
    }

    #[test]
    fn every_text_can_be_read(text in prop_oneof![strange(), any::<String>()]) {
        let Parsed { plan, remarks, .. } = parse(&text);
        let lines = u32::try_from(text.lines().count()).unwrap().max(1) + 1;
        for remark in &remarks {
            prop_assert!((1..=lines).contains(&remark.line) && remark.column >= 1 && remark.width >= 1);
            prop_assert!(!remark.expected.is_empty() && !remark.got.is_empty());
        }
        for sprint in plan.sprints() {
            prop_assert!(sprint.lines.first >= 1 && sprint.lines.first <= sprint.lines.last && sprint.lines.last <= lines);
        }
        prop_assert!(plan.units.iter().all(|unit| !unit.sprints.is_empty()));
        endstate::plan::order::order(&plan);
        parse(&render(&plan));
    }
}

#[test]
fn hostile_texts_are_read() {
    for text in [
        "---\nid: 1\n# Sprint\n",
        &"> ".repeat(20_000),
        &"- ".repeat(5_000),
        &"#".repeat(10_000),
        &"| a ".repeat(5_000),
        &"**Tasks**:\n".repeat(5_000),
        &format!("# p\n\n{}", "## Sprint 1: x\n\n".repeat(3_000)),
        &(0..600)
            .map(|n| format!("## Sprint {n}: x\n\n**Depends on**: all previous sprints\n\n"))
            .collect::<String>(),
        &format!("## Sprint 1: x\n\n{}", "[".repeat(20_000)),
        "\u{0}\u{0}\u{0}",
        "\u{feff}---\na: 1\n---\n## Sprint 1: x\n",
    ] {
        let parsed = parse(text);
        endstate::plan::order::order(&parsed.plan);
    }
    let huge = "x".repeat(endstate::plan::read::MOST_PLAN + 1);
    assert_eq!(parse(&huge).remarks[0].code, endstate::vocab::error::Code::TooLarge);
}
