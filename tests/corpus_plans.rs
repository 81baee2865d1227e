//! Plans that people really wrote, and files made to break readers.
//!
//! The corpus lies beside the repository and is not part of it; where it is absent, nothing is tested
//! and the output says so.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

use endstate::plan::judge::Answers;
use endstate::plan::model::{Counted, Weight, unit_of};
use endstate::plan::prioritize::prioritize;
use endstate::plan::read::{Parsed, parse};
use endstate::plan::{order, write};
use endstate::vocab::error::Code;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

mod planning;
use planning::{different, dropped};

/// Past the test command, which swallows what tests that pass print.
fn say(words: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{words}");
}

fn corpus() -> Option<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !corpus.join("mission-supervisor").is_dir() {
        say(&format!("SKIPPED: corpus is absent ({})", corpus.display()));
        return None;
    }
    Some(corpus)
}

/// Every Markdown file below `root`, in the order of their paths, with its text.
fn documents(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false if path.extension().is_some_and(|ending| ending == "md") => {
                    let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                    found.push((path.file_name().unwrap().to_string_lossy().into_owned(), text));
                }
                false => {}
            }
        }
    }
    found.sort();
    found
}

/// Every document is read; nothing panics; every remark has a place; and what was understood of a plan is
/// written and read again as it was.
fn understood(name: &str, text: &str) -> Parsed {
    let parsed = parse(text);
    let lines = u32::try_from(text.lines().count()).unwrap() + 1;
    for remark in &parsed.remarks {
        assert!((1..=lines).contains(&remark.line), "{name}: {remark}");
        assert!(!remark.expected.is_empty() && !remark.got.is_empty(), "{name}: {remark}");
    }
    order::order(&parsed.plan);
    let empty = parsed.plan.units.is_empty();
    assert_eq!(empty, parsed.remarks.iter().any(|one| one.code == Code::EmptyPlan), "{name}");
    if parsed.faults().next().is_none() || parsed.plan.units.is_empty() {
        let again = parse(&write::render(&parsed.plan));
        let differ = different(&parsed.plan, &again.plan);
        assert_eq!(differ, None, "{name}: written and read again");
    }
    let faults = parsed.faults().filter(|fault| fault.code != Code::EmptyPlan);
    faults.for_each(|fault| say(&format!("{name}: {fault}")));
    let dropped = dropped(text, &parsed);
    let lines: Vec<_> = dropped.iter().map(|one| format!("{}: {}", one.line, one.words)).collect();
    assert_eq!(lines, [""; 0], "{name}: neither read nor named");
    parsed
}

#[test]
fn plans_that_people_wrote_are_understood() {
    let Some(corpus) = corpus() else { return };
    let (mut plans, mut sprints, mut faulty, mut agree, mut declared) = (0, 0, 0, 0, 0);
    for (name, text) in documents(&corpus.join("mission-supervisor/SwiftAcervo")) {
        let Parsed { plan, remarks, .. } = understood(&name, &text);
        if !name.ends_with("EXECUTION_PLAN.md") {
            continue;
        }
        plans += 1;
        let count = plan.sprints().count();
        sprints += count;
        assert!(count > 0, "{name}");
        assert!(plan.field("feature_name").is_none_or(|name| !name.is_empty()), "{name}");
        faulty += usize::from(remarks.iter().any(|one| one.weight == Weight::Fault));
        for total in plan.declared.iter().filter(|one| one.of == Counted::Sprints) {
            declared += 1;
            let live = plan.sprints().filter(|one| !one.deferred).count();
            agree += usize::from((live..=count).contains(&(total.count as usize)));
        }
        let ids: BTreeSet<&str> = plan.sprints().map(|one| one.id.as_str()).collect();
        assert_eq!(ids.len(), count, "{name}");
        for one in &plan.dependencies {
            let known = |id: &str| ids.contains(id) || plan.unit(id).is_some();
            assert!(
                known(&one.from) && known(&one.to) && unit_of(&one.from) != one.to,
                "{name}: {one:?}"
            );
        }
    }
    say(&format!(
        "{plans} plans, {sprints} sprints, {faulty} with faults, {agree} of {declared} declared totals agree"
    ));
    // One describes its work in phases, and has a single sortie in its archive: the others would be left out. Another
    // has a unit with one sprint less than its table declares.
    assert_eq!((plans, faulty), (16, 2));
    // One says "Sorties after refinement: 4" and has one that is headed as such: it is refused.
    assert_eq!((agree, declared), (14, 15));
}

/// Putting in order what is in order changes nothing.
#[test]
fn plans_are_put_in_order_once() {
    let Some(corpus) = corpus() else { return };
    let mut ordered = 0;
    for (name, text) in documents(&corpus.join("mission-supervisor/SwiftAcervo")) {
        if !name.ends_with("EXECUTION_PLAN.md") {
            continue;
        }
        if parse(&text).unreadable().next().is_some() {
            continue;
        }
        let once = prioritize(&text, &Answers::new()).unwrap();
        let twice = prioritize(&once.text, &Answers::new()).unwrap();
        let differ = once.text.lines().zip(twice.text.lines()).find(|(one, two)| one != two);
        assert_eq!((differ, once.text.len()), (None, twice.text.len()), "{name}");
        ordered += 1;
    }
    say(&format!("{ordered} plans put in order twice"));
    assert_eq!(ordered, 15);
}

#[test]
fn documents_of_other_kinds_are_understood_or_diagnosed() {
    let Some(corpus) = corpus() else { return };
    let mut tally = (0, 0);
    for folder in ["mission-supervisor/traces", "gsd", "adversarial", "guardkit"] {
        for (name, text) in documents(&corpus.join(folder)) {
            let parsed = understood(&name, &text);
            tally.0 += 1;
            tally.1 += usize::from(!parsed.plan.units.is_empty());
        }
    }
    say(&format!("{} documents of other kinds, {} read as plans", tally.0, tally.1));
    assert!(tally.0 > 100);
}

/// What the adversarial files were made to break.
#[test]
fn hostile_documents_are_not_believed() {
    let Some(corpus) = corpus() else { return };
    let labels = |name: &str| {
        let text = fs::read_to_string(corpus.join("adversarial/gsd").join(name)).unwrap();
        parse(&text).plan.sprints().map(|one| one.label.clone()).collect::<Vec<_>>().join(" ")
    };
    for (name, expected) in [
        ("roadmap/decimal-phase-mixed.md", "2 2.1 2.10 21"),
        ("roadmap/markdown-headings-inside-html-comment.md", "1"),
        ("roadmap/nested-fenced-code.md", "1"),
        ("roadmap/phase-heading-inside-fenced-code.md", "1 2"),
        ("roadmap/repeated-phase-ids.md", "1 2"),
        ("roadmap/unicode-phase-titles.md", "1 2 3"),
    ] {
        assert_eq!(labels(name), expected, "{name}");
    }
    for (name, code) in [
        ("frontmatter/duplicate-keys.md", Code::DuplicateField),
        ("frontmatter/null-byte-value.md", Code::InvalidValue),
        ("frontmatter/unclosed-block.md", Code::Truncated),
        ("security/plan-fake-frontmatter.md", Code::Overlooked),
    ] {
        let text = fs::read_to_string(corpus.join("adversarial/gsd").join(name)).unwrap();
        let parsed = parse(&text);
        assert!(parsed.remarks.iter().any(|one| one.code == code), "{name}: {:?}", parsed.remarks);
        if name.starts_with("security") {
            assert_eq!(parsed.plan.front, [], "{name}");
        }
    }
}

/// The real mission of the oracle had one unit and six sorties; its plan is of the kind that is read.
#[test]
fn the_oracle_of_a_mission_is_of_a_plan() {
    let Some(corpus) = corpus() else { return };
    let text =
        fs::read_to_string(corpus.join("oracles/mission_trace_speaking_roster.json")).unwrap();
    let oracle: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = oracle["events"].as_array().unwrap();
    let sorties: BTreeSet<u64> = events.iter().filter_map(|event| event[0].as_u64()).collect();
    let unit = oracle["work_unit"].as_str().unwrap();
    let mut written = format!(
        "# {unit}\n\n| Work Unit | Sorties | Layer |\n|--|--|--|\n| {unit} | {} | 1 |\n\n",
        oracle["sorties"]
    );
    for sortie in &sorties {
        written.push_str(&format!(
            "### Sortie {sortie}: part {sortie}\n\n**Exit criteria**:\n- [ ] `make test` passes\n\n"
        ));
    }
    let parsed = parse(&written);
    assert_eq!(parsed.faults().count(), 0);
    assert_eq!(parsed.plan.sprints().count() as u64, oracle["sorties"].as_u64().unwrap());
    let order = order::order(&parsed.plan);
    assert_eq!((order.critical_path.len(), order.parallelism), (6, 1));
}
