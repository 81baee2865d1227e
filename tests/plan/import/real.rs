//! Documents that people really wrote, of six kinds, chosen by rule: the first of each kind by path that are not too
//! long. A role that sees their structure labels them, honestly and then with one thing wrong at a time.
//!
//! They lie beside the repository and are no part of it; where they are absent, nothing is tested and the output says so.

use super::labeller::{Labelled, answer, place};
use super::shape::Shape;
use super::structure::spanned;
pub(crate) use super::structure::structured;
use super::told;
use endstate::plan::import::{self, Kind, Next, Span};
use endstate::plan::model::{Plan, Sprint, Weight};
use endstate::plan::{check, read, write};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The kinds by where their documents lie: a folder, and how the names of the files end.
const KINDS: [(&str, &str, &[&str]); 6] = [
    ("execution plan", "mission-supervisor/SwiftAcervo", &["EXECUTION_PLAN.md"]),
    ("superpowers", "families/superpowers", &[".md"]),
    ("spec-kit", "families/spec-kit", &["tasks.md", "spec.md"]),
    ("kiro", "families/kiro", &["tasks.md", "requirements.md"]),
    ("get-shit-done", "gsd", &["-PLAN.md"]),
    ("design", "families", &["/plan.md", "/design.md"]),
];
/// The most documents of a kind.
const MOST: usize = 4;
/// The longest document, in bytes: some have two parts.
const LONGEST: u64 = 40_000;

/// Past the test command, which swallows what tests that pass print.
pub(crate) fn say(words: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{words}");
}

fn below(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { below(&path, all) } else { all.push(path) }
    }
}

/// Kind, name and text of each document.
pub(crate) fn documents() -> Vec<(&'static str, String, String)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !corpus.join("families").is_dir() {
        say(&format!("SKIPPED: corpus is absent ({})", corpus.display()));
        return Vec::new();
    }
    let mut all = Vec::new();
    for (kind, folder, ends) in KINDS {
        let mut paths = Vec::new();
        below(&corpus.join(folder), &mut paths);
        paths.retain(|path| {
            let name = path.to_str().unwrap();
            ends.iter().any(|end| name.ends_with(end)) && path.metadata().unwrap().len() < LONGEST
        });
        paths.sort();
        for path in paths.into_iter().take(MOST) {
            let name = path.strip_prefix(&corpus).unwrap().display().to_string();
            all.push((kind, name, fs::read_to_string(path).unwrap().replace("\r\n", "\n")));
        }
    }
    all
}

/// The lines that a prompt is about.
fn lines(prompt: &str) -> (usize, usize) {
    let (_, rest) = prompt.split_once("of the document: lines ").unwrap();
    let (first, rest) = rest.split_once(" to ").unwrap();
    (first.parse().unwrap(), rest.split(',').next().unwrap().parse().unwrap())
}

/// The spans of some lines with numbers as a role knows them: `given` are those of earlier parts, in the order they were given.
fn part(spans: &[Span], (first, last): (usize, usize), given: &mut Vec<usize>) -> Vec<Span> {
    let line = |span: &Span| span.from.split(':').next().unwrap().parse::<usize>().unwrap();
    let own = (0..spans.len()).filter(|at| (first..=last).contains(&line(&spans[*at])));
    let own: Vec<usize> = own.collect();
    given.extend(&own);
    // Whom a later part names has no number yet: none that is known.
    let number = |old: u32| {
        let found = given.iter().position(|one| u32::try_from(*one).unwrap() == old);
        found.map_or(u32::MAX, |at| u32::try_from(at).unwrap())
    };
    let told = |at: usize| {
        let mut span = spans[at].clone();
        span.parent = span.parent.map(number);
        span.edges.iter_mut().for_each(|edge| edge.span = edge.span.map(number));
        span
    };
    own.into_iter().map(told).collect()
}

/// What the first answer to each part comes to.
pub(crate) fn played(text: &str, spans: &[Span]) -> Next {
    let (mut import, mut ask) = import::start("source.md", text).unwrap();
    let mut given = Vec::new();
    loop {
        match import.answer(&answer(&part(spans, lines(&ask.prompt), &mut given))) {
            Next::Ask(next) => ask = next,
            end => return end,
        }
    }
}

/// The plan of an honest answer: it has no fault, and reads as it was written.
fn imported(name: &str, honest: &Labelled) -> Plan {
    let end = played(&honest.text, &honest.spans);
    let Next::Done(imported) = &end else { unreachable!("{name}:\n{}", told(&end)) };
    let back = read::read(&imported.plan);
    let own = check::check(&back.plan);
    let fault = back.remarks.iter().chain(&own).find(|one| one.weight == Weight::Fault);
    assert_eq!(fault, None, "{name}");
    let again = write::write(&back.plan);
    assert_eq!(again, imported.plan, "{name}");
    assert_eq!(read::read(&again).plan, back.plan, "{name}");
    back.plan
}

#[test]
fn an_honest_role_gets_a_plan_of_each_real_document() {
    let documents = documents();
    let mut figures: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (kind, name, text) in &documents {
        let honest = structured(text);
        let plan = imported(name, &honest);
        once(name, &honest, &plan);
        copied(name, text, &plan);
        let sprints = honest.spans.iter().filter(|one| one.kind == Kind::Sprint).count().max(1);
        assert_eq!(plan.sprints().count(), sprints, "{name}");
        let sums = figures.entry(kind).or_default();
        *sums = [sums[0] + 1, sums[1] + honest.spans.len(), sums[2] + sprints];
    }
    for (kind, [documents, spans, sprints]) in &figures {
        let counts = format!("{documents} documents, {spans} spans, {sprints} sprints");
        say(&format!("import of real documents, {kind}: {counts}"));
    }
    assert!(documents.is_empty() || documents.len() >= 10 && figures.len() >= 4, "{figures:?}");
}

/// Each character stands in one span, or its line in the notes; but for marks.
fn once(name: &str, honest: &Labelled, plan: &Plan) {
    let shape = Shape::new(&honest.text);
    let (covered, notes) = (covered(name, &shape, &honest.spans), notes(plan));
    for (number, line) in shape.lines.iter().enumerate() {
        let kept = notes.contains(line.trim());
        let marks = line[..shape.marks(number)].chars().count();
        for (at, letter) in line.chars().enumerate().skip(marks) {
            let silent = letter.is_whitespace() || "|*_:,".contains(letter);
            let there = kept || covered.contains(&(number + 1, at + 1));
            let fence = shape.fenced.contains(&number) && letter == '`';
            assert!(silent || fence || there, "{name}:{}:{}: {line}", number + 1, at + 1);
        }
    }
}

/// The lines and columns that spans cover, none twice.
fn covered(name: &str, shape: &Shape, spans: &[Span]) -> BTreeSet<(usize, usize)> {
    let mut covered = BTreeSet::new();
    for span in spans {
        let (mut line, mut column) = place(&span.from);
        for letter in spanned(shape, span).chars() {
            assert!(covered.insert((line, column)), "{name}:{line}:{column}: twice");
            (line, column) = if letter == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
    }
    covered
}

/// The lines of all notes of a plan.
fn notes(plan: &Plan) -> BTreeSet<&str> {
    let sprints = plan.sprints().map(|(_, sprint)| &sprint.notes);
    let all = sprints.chain(plan.units.iter().map(|unit| &unit.notes)).chain([&plan.notes]);
    all.flat_map(|one| one.lines()).map(str::trim).collect()
}

/// What the plan says stands in the source, but for indentation.
fn copied(name: &str, source: &str, plan: &Plan) {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let source = flat(source);
    let texts = |sprint: &Sprint| {
        let criteria = sprint.entry.iter().chain(&sprint.exit);
        let said = criteria.map(|one| match one.commands.as_slice() {
            [command] if one.text == format!("`{}` exits 0", command.line) => command.line.clone(),
            _ => one.text.clone(),
        });
        said.chain(sprint.tasks.iter().map(|one| one.text.clone())).collect::<Vec<_>>()
    };
    for text in plan.sprints().flat_map(|(_, sprint)| texts(sprint)) {
        assert!(source.contains(&flat(&text)), "{name}: {text}");
    }
}
