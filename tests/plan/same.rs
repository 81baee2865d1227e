//! No document passes `lint` and is refused by `run`: neither one of the corpus, nor a plan of our own that was spoilt.
//!
//! `lint` takes its faults and its exit status from `plan::open`; `run` makes the config and starts the mission.

use crate::keyed::{Files, begin, below, corpus, folder, key, run, say};
use endstate::plan;
use endstate::plan::families::Family;
use endstate::plan::model::Weight;
use endstate::protocols::promise::feature;
use endstate::protocols::{ProtocolConfig, grid};
use endstate::vocab::error::Code;
use std::collections::BTreeMap;
use std::path::Path;

/// What `lint` says: the family, and the first fault; or why it is no plan.
fn lint(files: &Files, entry: &str) -> Result<(Family, Option<Code>), Code> {
    let (family, read) = plan::open(files, entry).map_err(|error| error.code)?;
    let fault = read.remarks.iter().find(|one| one.weight == Weight::Fault);
    Ok((family, fault.map(|one| one.code)))
}

/// How many documents were refused for each first reason, by family.
#[derive(Default)]
struct Refused(BTreeMap<(String, Code), usize>);

impl Refused {
    fn add(&mut self, found: Result<(Family, Option<Code>), Code>) {
        let (family, code) = match found {
            Ok((_, None)) => return,
            Ok((family, Some(code))) => (family.as_str().to_owned(), code),
            Err(code) => ("none".to_owned(), code),
        };
        *self.0.entry((family, code)).or_default() += 1;
    }

    fn say(&self, of: &str) {
        for ((family, code), many) in &self.0 {
            say(&format!("{of}, read as {family}: {many} refused first for {code}"));
        }
    }
}

/// Both on one document: whether it passes.
fn same(name: &str, files: &Files, entry: &str) -> bool {
    let (passes, started) =
        (lint(files, entry).is_ok_and(|(_, fault)| fault.is_none()), run(files, entry));
    let text = || files.get(entry).cloned().unwrap_or_default();
    assert!(!passes || started.is_ok(), "{name} passes, and {started:?}:\n{}", text());
    assert!(passes || started.is_err(), "{name} is refused, and starts:\n{}", text());
    passes
}

#[test]
fn every_document_of_the_corpus() {
    let Some(corpus) = corpus() else { return };
    let (mut all, mut passed, mut refused) = (0, 0, Refused::default());
    for path in below(&corpus) {
        // The entry may be any file: what is no text is refused before anybody reads it.
        let Some((entry, files)) = folder(&path) else { continue };
        all += 1;
        passed += usize::from(same(&path.display().to_string(), &files, &entry));
        refused.add(lint(&files, &entry));
    }
    refused.say("of the corpus");
    say(&format!("{passed} of {all} files of the corpus pass lint, and start"));
    // What the key says is a plan.
    let mut figures: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (family, keys) in key::keys(&corpus) {
        let plans = keys.iter().filter(|key| !key.all("sprints").is_empty());
        for key in plans.filter(|key| corpus.join(&key.file).is_file()) {
            let (text, name) = (key.lines.join("\n"), key.file.rsplit("__").next().unwrap());
            let (kind, passes) = match family.as_str() {
                // `lint` names the protocol, which reads them itself.
                "gsd" => (
                    "grid",
                    grid::plan::parse(name, &text).is_ok_and(|read| read.faults.is_empty()),
                ),
                "guardkit" => ("promise", feature::parse(&text).is_ok()),
                _ => {
                    let (entry, files) = folder(&corpus.join(&key.file)).unwrap();
                    ("sprint", same(&key.file, &files, &entry))
                }
            };
            if !passes {
                say(&format!("does not pass: {}", key.file));
            }
            let figure = figures.entry(kind).or_default();
            *figure = (figure.0 + usize::from(passes), figure.1 + 1);
        }
    }
    for (kind, (passed, all)) in &figures {
        say(&format!("{passed} of {all} plans for the {kind} protocol pass"));
        assert!(passed * 10 >= all * 6, "{kind}");
    }
}

/// What only the start of a mission could find wrong: each is one document, and whether it passes.
#[test]
fn at_the_limits() {
    let front = |more: &str| format!("---\nplan: endstate/1\n{more}---\n# A plan\n");
    let sprint = |head: &str, more: &str| {
        format!("\n### Sprint {head}: work\n{more}\n**Exit criteria**:\n- [ ] it holds\n")
    };
    let defaults = |what: &str| front(&format!("defaults: {{{what}}}\n")) + &sprint("1", "");
    let one = |head: &str, more: &str| front("") + &sprint(head, more);
    let unit = |name: &str| format!("{}\n## Work Unit: {name}\n{}", front(""), sprint("1", ""));
    let table = "\n## Work Units\n\n| Work Unit | Directory | Sprints | Layer | Dependencies |\n|---|---|---|---|---|\n";
    let two = |first: &str, second: &str, third: &str| {
        let a = format!("\n## Work Unit: a\n{}{}", sprint("1", first), sprint("2", second));
        let rows = "| a | . | 2 | 1 | none |\n| b | . | 1 | 1 | none |\n";
        format!("{}{table}{rows}{a}\n## Work Unit: b\n{}", front(""), sprint("1", third))
    };
    let cases = [
        (defaults("attempts: 1000"), true),
        (defaults("attempts: 1001"), false),
        (defaults("timeout: 9007199254740991ms"), true),
        (defaults("timeout: 9007199254740992ms"), false),
        (one("1", "\n**Timeout**: 104249991d\n"), true),
        (one("1", "\n**Timeout**: 104249992d\n"), false),
        (one(&"a".repeat(100), ""), true),
        (one(&"a".repeat(101), ""), false),
        (one(&"語".repeat(34), ""), false),
        (one("...", ""), false),
        (one("1", "\n**Risk**: 0\n"), false),
        (one("1", &format!("\n**Reads**: {}\n", ["a.md"; 30].join(", "))), true),
        (one("1", "- [ ] AC-001: `a b` prints at least 9007199254740992\n"), true),
        (unit(&"語".repeat(200)), true),
        (unit("***"), true),
        (unit("..."), true),
        (two("", "", ""), true),
        // The second waits for nobody, and yet runs behind the first.
        (
            two("\n**Depends on**: b\n", "\n**Depends on**: none\n", "\n**Depends on**: a/2\n"),
            false,
        ),
        (two("", "\n**Depends on**: none\n", "\n**Depends on**: a/2\n"), true),
    ];
    for (text, passes) in cases {
        let files = Files::from([("PLAN.md".to_owned(), text.clone())]);
        assert_eq!(
            same("a limit", &files, "PLAN.md"),
            passes,
            "{:?}: {text}",
            lint(&files, "PLAN.md")
        );
    }
    let path = "PLAN.md".to_owned();
    let files = Files::from([(path.clone(), one("1", ""))]);
    let long = endstate::protocols::sprint::plan::config(&path, &files, &"語".repeat(200)).unwrap();
    assert_eq!(begin(ProtocolConfig::Sprint(Box::new(long.config))), Ok(()));
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        // Steps of splitmix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut next = self.0;
        next = (next ^ (next >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        next = (next ^ (next >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((next ^ (next >> 31)) % u64::try_from(most.max(1)).unwrap()).unwrap()
    }
}

/// Plans of our own: those of the tests, and the example of the page.
fn plans() -> Vec<(String, Files)> {
    let page = include_str!("../../docs/plan-format.md");
    let example = page.split_once("````markdown\n").unwrap().1.split_once("````").unwrap().0;
    let entry = || "PLAN.md".to_owned();
    let mut plans = vec![(entry(), Files::from([(entry(), example.to_owned())]))];
    let beside = ["spec.md", "requirements.md", "design.md", "expected.json"];
    for path in below(Path::new("tests/plans")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !beside.contains(&name.as_str()) {
            plans.extend(folder(&path));
        }
    }
    plans
}

/// One thing is spoilt. `other`: the lines of another plan.
fn spoil(lines: &mut Vec<String>, other: &[String], dice: &mut Dice) {
    let (at, to) = (dice.below(lines.len()), dice.below(lines.len()));
    let Some(line) = lines.get(at).cloned() else { return };
    let first = line.find(|c: char| c.is_ascii_digit());
    let digits = |from: usize| line[from..].bytes().take_while(u8::is_ascii_digit).count();
    match dice.below(14) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(to, line),
        2 => lines.swap(at, to),
        3 | 4 => {
            // A number becomes another: of a label, a count, a limit, a place in an order.
            let Some(from) = first else { return };
            let number =
                ["0", "1", "2", "3", "7", "12", "-1", "1.5", "99999999999999999999", "2a", "x"];
            let number = number[dice.below(number.len())];
            lines[at] = format!("{}{number}{}", &line[..from], &line[from + digits(from)..]);
        }
        5 => lines[at] = line.replacen('|', "", 1),
        6 => lines[at] = line.replacen('|', "| x |", 1),
        7 => lines.truncate(at.max(1)),
        8 => {
            let cut =
                line.char_indices().nth(dice.below(line.chars().count())).map_or(0, |(cut, _)| cut);
            lines[at].truncate(cut);
        }
        9 => {
            let from = dice.below(other.len());
            let many = dice.below(12).min(other.len() - from);
            lines.splice(at..at, other[from..from + many].iter().cloned());
        }
        10 => drop(lines.drain(at.min(to)..(at.min(to) + dice.below(8)).min(lines.len()))),
        11 => {
            // A part of the plan occurs twice.
            let part: Vec<String> = lines.iter().skip(at).take(dice.below(15)).cloned().collect();
            lines.splice(to..to, part);
        }
        12 => {
            let marks = [
                "`", "**", "```", "- [x] ", "### ", "\t", "\\", "\u{feff}", "\0", ": ", "none",
                "../../a",
            ];
            lines[at].insert_str(0, marks[dice.below(marks.len())]);
        }
        _ => {
            // A name is told as another: that of whatever stands elsewhere.
            let word = |line: &str, place: usize| line.split(' ').nth(place % 7).map(str::to_owned);
            let (own, new) = (word(&line, dice.below(7)), word(&lines[to], dice.below(7)));
            if let (Some(own), Some(new)) = (own.filter(|own| !own.is_empty()), new) {
                lines[at] = line.replacen(&own, &new, 1);
            }
        }
    }
}

#[test]
fn plans_that_were_spoilt() {
    let plans = plans();
    for (entry, files) in &plans {
        same(entry, files, entry);
    }
    // One change: most plans bear it. Several: what they bear, they bear in both.
    let (passed, all) = spoilt(&plans, 0..2_000, 1);
    assert!(passed * 10 >= all * 6 && passed * 10 < all * 9, "{passed} of {all}");
    let (passed, all) = spoilt(&plans, 2_000..3_000, 4);
    assert!(passed * 10 > all && passed * 10 < all * 9, "{passed} of {all}");
}

/// How many plans pass, and start, after up to `most` changes each, and how many there are.
fn spoilt(plans: &[(String, Files)], seeds: std::ops::Range<u64>, most: usize) -> (usize, usize) {
    let split = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let mut figures: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut refused = Refused::default();
    for seed in seeds {
        let mut dice = Dice(seed);
        let (entry, files) = &plans[usize::try_from(seed).unwrap() % plans.len()];
        let (other_entry, other) = &plans[dice.below(plans.len())];
        let mut lines = split(&files[entry]);
        let other = split(&other[other_entry]);
        for _ in 0..=dice.below(most) {
            spoil(&mut lines, &other, &mut dice);
        }
        // One in twenty stands under the name of another family.
        let entry = if most > 1 && dice.below(20) == 0 { other_entry } else { entry };
        let ending = if dice.below(10) == 0 { "\r\n" } else { "\n" };
        let mut files = files.clone();
        files.insert(entry.clone(), lines.join(ending));
        let passed = same(&format!("seed {seed}"), &files, entry);
        let found = lint(&files, entry);
        let family = found.map_or("none".to_owned(), |(one, _)| one.as_str().to_owned());
        refused.add(found);
        let figure = figures.entry(family).or_default();
        *figure = (figure.0 + usize::from(passed), figure.1 + 1);
    }
    for (family, (passed, all)) in &figures {
        say(&format!("spoilt by {most}, read as {family}: {passed} of {all} pass, and start"));
    }
    refused.say(&format!("spoilt by {most}"));
    let total = figures.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    say(&format!("spoilt by {most}: {} of {} pass, and start", total.0, total.1));
    total
}
