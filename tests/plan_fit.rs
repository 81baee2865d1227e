//! What `plan lint` passes, `run` begins, and what it refuses, `run` refuses: over plans as people wrote them, and plans
//! that were changed at random.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

use endstate::plan::read::parse;
use endstate::protocols::{ProtocolConfig, sprint};
use endstate::vocab::error::Code;
use endstate::{Config, start};
use std::fs;
use std::path::{Path, PathBuf};

/// What beginning a mission with this plan comes to.
fn begins(text: &str) -> Result<(), Code> {
    let planned = sprint::plan::config("docs/EXECUTION_PLAN.md", text, "greeter");
    let mission = ProtocolConfig::Sprint(Box::new(planned.map_err(|error| error.code)?.config));
    let config = Config { budget: Default::default(), mission };
    start(&config, 0).map(|_| ()).map_err(|error| error.code)
}

/// Whether a plan is fit; lint and run say the same of it.
fn agreed(name: &str, text: &str) -> bool {
    let fault = parse(text).faults().next().map(|one| one.code);
    let begun = begins(text);
    assert_eq!(begun.err(), fault, "{name}:\n{text}");
    fault.is_none()
}

fn markdown(root: &Path) -> Vec<PathBuf> {
    let (mut open, mut found) = (vec![root.to_path_buf()], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false if path.extension().is_some_and(|ending| ending == "md") => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_sprint_that_waits_for_a_later_one_of_its_unit_is_refused_by_lint_and_run_alike() {
    let plan = |one: &str, two: &str| {
        format!(
            "# P\n\n## Core\n\n### Sprint 1: a\n\n{one}\n\n**Exit criteria**:\n- [ ] `make a` passes\n\n### Sprint 2: b\n\n\
             **Depends on**: none\n\n**Exit criteria**:\n- [ ] `make b` passes\n\n## Web\n\n### Sprint 3: c\n\n{two}\n\n\
             **Exit criteria**:\n- [ ] `make c` passes\n\n### Sprint 4: d\n\n**Depends on**: none\n\n**Exit criteria**:\n- [ ] `make d` passes\n"
        )
    };
    let fault = |text: &str| {
        assert!(!agreed("plan", text));
        let parsed = parse(text);
        let fault = parsed.faults().next().unwrap();
        (fault.code, fault.line, fault.got.clone())
    };
    let later = plan("**Depends on**: Sprint 2", "");
    assert_eq!(fault(&later), (Code::OutOfOrder, 7, "core/1 → core/2 → core/1".to_owned()));
    // Neither waits for itself, but each unit's second sprint comes behind its first.
    let crossed = plan("**Depends on**: Sprint 4", "**Depends on**: Sprint 2");
    assert_eq!(fault(&crossed).0, Code::OutOfOrder);
    let round = later.replace("**Depends on**: none", "**Depends on**: Sprint 1");
    assert_eq!(fault(&round).0, Code::DependencyCycle);
    assert!(agreed("plan", &plan("", "**Depends on**: Sprint 2")));
    // What only stands in the wrong order is put into the right one.
    let done = endstate::plan::prioritize::prioritize(&later, &Default::default()).unwrap();
    assert!(agreed("prioritized", &done.text));
}

#[test]
fn lint_and_run_say_the_same_of_plans_that_people_wrote() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !corpus.is_dir() {
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "SKIPPED: corpus is absent ({})", corpus.display());
        return;
    }
    let all = markdown(&corpus);
    let fit = all.iter().filter(|path| {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        agreed(&path.display().to_string(), &text)
    });
    assert!(fit.count() > 40);
}

/// Random numbers that are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most.max(1)
    }
}

/// Lines that people might add, and words that they might write instead.
const LINES: [&str; 14] = [
    "**Depends on**: Sprint 3",
    "**Depends on**: Sprint 1",
    "**Entry criteria**:",
    "- [ ] Sprint 2 complete",
    "- [x] Write `src/größe.rs`",
    "### Sprint 1b: More",
    "### Sprint Ä: Other letters",
    "## Work Unit: 日本語",
    "## Phase 2: Später",
    "**Total sprints**: 4",
    "| Work Unit | Sprints | Depends on |\n|--|--|--|\n| Core | 2 | Web |\n| Web | 1 | none |",
    "**Exit criteria**:",
    "- [ ] AC-1: \u{1b}[31m",
    "~~~",
];
const WORDS: [(&str, &str); 8] = [
    ("Sprint", "Sortie"),
    ("Sprint 2", "Sprint 2/3"),
    ("Core", "Größe & Co"),
    ("- [ ]", "- [x]"),
    ("- [ ] ", "- "),
    ("`", ""),
    (": ", " — "),
    ("1", "2"),
];

fn mutated(text: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=dice.below(4) {
        let (at, to) = (dice.below(lines.len()), dice.below(lines.len()));
        match dice.below(6) {
            0 => drop(lines.remove(at)),
            1 => lines.swap(at, to),
            2 => lines.insert(at, lines[to].clone()),
            3 => lines.insert(at, LINES[dice.below(LINES.len())].to_owned()),
            4 => {
                let (from, to) = WORDS[dice.below(WORDS.len())];
                lines[at] = lines[at].replacen(from, to, 1);
            }
            _ => {
                let (from, to) = WORDS[dice.below(WORDS.len())];
                lines.iter_mut().for_each(|line| *line = line.replace(from, to));
            }
        }
    }
    lines.join("\n")
}

#[test]
fn no_plan_passes_lint_and_is_refused_by_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut plans = vec![
        "# P\n\n| Work Unit | Directory | Sprints | Depends on |\n|--|--|--|--|\n| Core | core | 2 | none |\n| Web | web | 1 | Core |\n\n\
         ## Core\n\n### Sprint 1: a\n\n1. Write `a`\n\n**Exit criteria**:\n- [ ] `make a` passes\n\n### Sprint 2: b\n\n- [ ] Write `b`\n\n\
         ## Web\n\n### Sprint 3: c\n\n**Entry criteria**:\n- [ ] `test -f b`\n\n**Exit criteria**:\n- [ ] `make c` passes\n"
            .to_owned(),
    ];
    let demo = folder.join("src/cli/demo/sprint/EXECUTION_PLAN.md");
    plans.push(fs::read_to_string(demo).unwrap());
    let (mut dice, mut fit) = (Dice(24), 0);
    for text in &plans {
        assert!(agreed("as it was", text));
        for _ in 0..300 {
            fit += usize::from(agreed("mutated", &mutated(text, &mut dice)));
        }
    }
    assert!(fit > 100, "{fit} of {} are fit", plans.len() * 300);
}
