//! Real plan documents against a key that somebody made by hand (`tests/key`): places and labels of sprints, edges and
//! commands. What is missed is named by file and line.
//!
//! Where the corpus is absent, nothing is tested and the output says so.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

mod keyed;

use endstate::plan::model::{Command, Criterion, Expect, Plan, Sprint, Unit};
use endstate::plan::{self, order};
use endstate::protocols::promise::feature::{self, Feature};
use endstate::protocols::promise::state::TaskConfig;
use endstate::protocols::{ProtocolConfig, grid, promise};
use endstate::plan::document::LineRange;
use endstate::protocols::promise::task::CriterionText;
use keyed::{begin, corpus, folder, run, say};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Found and labelled.
#[derive(Clone, Copy, Default)]
struct Share(usize, usize);

impl Share {
    fn add(&mut self, found: bool) {
        *self = Share(self.0 + usize::from(found), self.1 + 1);
    }

    fn reaches(self, percent: usize) -> bool {
        self.0 * 100 >= self.1 * percent
    }

    fn shown(self) -> String {
        let share = if self.1 == 0 { 100.0 } else { self.0 as f64 * 100.0 / self.1 as f64 };
        format!("{}/{} {share:.1}%", self.0, self.1)
    }
}

/// The figures of a family.
#[derive(Default)]
struct Tally {
    sprints: Share,
    edges: Share,
    criteria: Share,
    commands: Share,
    starts: Share,
    invented: Vec<String>,
    missed: Vec<String>,
    forbidden: Vec<String>,
    reversed: Vec<String>,
}

/// A key, and the document that it is of.
struct Key {
    file: String,
    json: Value,
    lines: Vec<String>,
}

impl Key {
    fn all(&self, part: &str) -> Vec<&Value> {
        self.json[part].as_array().into_iter().flatten().collect()
    }

    /// Those of which two careful people would not differ.
    fn firm(&self, part: &str) -> Vec<&Value> {
        self.all(part).into_iter().filter(|one| one["either"] != true).collect()
    }

    fn at(&self, line: &Value) -> String {
        format!("{}:{line}", self.file)
    }

    /// The text of a labelled span.
    fn text(&self, one: &Value) -> String {
        let number = |name: &str| usize::try_from(one[name].as_u64().unwrap()).unwrap();
        let line = self.lines[number("line") - 1].chars();
        line.skip(number("from") - 1).take(number("to") + 1 - number("from")).collect()
    }
}

fn number(line: &Value) -> u32 {
    u32::try_from(line.as_u64().unwrap()).unwrap()
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The label of a sprint without what tells it from those of other units.
fn bare(label: &str) -> &str {
    label.rsplit_once('/').map_or(label, |(_, label)| label)
}

/// Keys by family; those that are no plan are left out.
fn keys(corpus: &Path) -> BTreeMap<String, Vec<Key>> {
    let mut keys: BTreeMap<String, Vec<Key>> = BTreeMap::new();
    for path in keyed::below(Path::new("tests/key")) {
        if path.extension().is_some_and(|ending| ending == "json") {
            let json: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
            let file = word(&json["file"]);
            let text = fs::read_to_string(corpus.join(&file)).unwrap_or_default();
            let lines = text.lines().map(str::to_owned).collect();
            keys.entry(word(&json["family"])).or_default().push(Key { file, json, lines });
        }
    }
    keys.remove("none");
    keys
}

/// The sprints of a plan by the places that the key gives them. Labels may stand twice in a key; places do not.
fn places<'p>(key: &Key, plan: &'p Plan) -> BTreeMap<u32, (&'p Unit, &'p Sprint)> {
    let starts: BTreeSet<u32> = key.all("sprints").iter().map(|one| number(&one["line"])).collect();
    let all = plan.sprints().filter(|(_, one)| starts.contains(&one.lines.first));
    all.map(|(unit, one)| (one.lines.first, (unit, one))).collect()
}

/// Ids of the sprints that a name of the key means, as the plan names them; none if one of them was not read.
fn meant(key: &Key, read: &BTreeMap<u32, (&Unit, &Sprint)>, name: &str) -> Option<Vec<String>> {
    let unit = name.strip_prefix("unit:");
    let full = |one: &Value| match one["unit"].as_str() {
        Some(unit) => format!("{unit}/{}", bare(&word(&one["label"]))),
        None => word(&one["label"]),
    };
    let named = |one: &&&Value| match unit {
        Some(unit) => one["unit"] == unit,
        None => one["label"] == name || full(one) == name,
    };
    let all = key.all("sprints");
    let all: Vec<_> = all.iter().filter(named).collect();
    let ids = all.iter().map(|one| {
        let (unit, sprint) = read.get(&number(&one["line"]))?;
        Some(plan::model::id(unit, sprint))
    });
    let ids: Option<Vec<String>> = ids.collect();
    ids.filter(|ids| !ids.is_empty())
}

/// Who waits for whom, sprint by sprint: what is written, with units as all of their sprints, and the order in a unit.
fn waits(plan: &Plan) -> BTreeSet<(String, String)> {
    let sprints = |unit: &Unit| -> Vec<String> {
        unit.sprints.iter().map(|one| plan::model::id(unit, one)).collect()
    };
    let names: BTreeMap<&str, Vec<String>> =
        plan.units.iter().map(|unit| (unit.name.as_str(), sprints(unit))).collect();
    let all = |id: String| names.get(id.as_str()).cloned().unwrap_or_else(|| vec![id]);
    let mut pairs = BTreeSet::new();
    for (from, to) in order::edges(plan) {
        let (from, to) = (all(from), all(to));
        pairs.extend(from.iter().flat_map(|a| to.iter().map(move |b| (a.clone(), b.clone()))));
    }
    for ids in names.values() {
        for (place, id) in ids.iter().enumerate() {
            pairs.extend(ids[..place].iter().map(|before| (before.clone(), id.clone())));
        }
    }
    pairs
}

/// Whether a command asks what its label says. What nobody but a verifier can tell is run and judged.
fn agrees(label: &str, ours: &Expect, judged: bool) -> bool {
    let (kind, text) = label.split_once(' ').unwrap_or((label, ""));
    match (kind, ours) {
        ("success" | "matches", Expect::Exit { status: 0 }) => true,
        ("matches", Expect::PrintAtLeast { number: 1 }) => true,
        ("judged" | "lacks" | "lines", Expect::Exit { status: 0 }) => judged,
        ("failure", Expect::Fail) => true,
        ("failure", Expect::Exit { status }) => *status != 0,
        ("no_match", Expect::FindNothing) | ("silence", Expect::PrintNothing) => true,
        ("prints", Expect::PrintOnly { text: said } | Expect::Print { text: said }) => {
            text.is_empty() || text == said
        }
        ("at_least", Expect::PrintAtLeast { number }) => number.to_string() == text,
        _ => false,
    }
}

/// Whether a command is held to the opposite of what its label says.
fn reverses(label: &str, ours: &Expect) -> bool {
    let none = matches!(label, "no_match" | "failure" | "prints 0" | "silence");
    match ours {
        Expect::Exit { status: 0 } => none,
        Expect::PrintAtLeast { number } => none && *number > 0,
        Expect::Exit { .. } | Expect::Fail | Expect::FindNothing | Expect::PrintNothing => {
            !none && !matches!(label, "judged" | "lacks" | "unsure")
        }
        Expect::PrintOnly { text } if text == "0" => !none,
        _ => false,
    }
}

fn commands(key: &Key, plan: &Plan, tally: &mut Tally) {
    let all: Vec<&Criterion> =
        plan.sprints().flat_map(|(_, one)| one.entry.iter().chain(&one.exit)).collect();
    let found = |one: &Value| -> Option<(&Command, bool)> {
        let (line, text) = (number(&one["line"]), key.text(one));
        let here = all.iter().filter(|all| (all.lines.first..=all.lines.last).contains(&line));
        let mut commands = here.flat_map(|one| one.commands.iter().map(|line| (line, one.judged)));
        commands.find(|(command, _)| command.line == text)
    };
    for one in key.firm("commands") {
        let at = || format!("{}:{}", key.at(&one["line"]), one["from"]);
        let label = word(&one["expect"]);
        match (one["run"] == true && one["part"] != "task", found(one)) {
            (false, Some(_)) => tally.forbidden.push(format!("{} {}", at(), one["doubt"])),
            (false, None) => {}
            (true, ours) => {
                let good = ours.is_some_and(|(line, judged)| agrees(&label, &line.expect, judged));
                tally.commands.add(good);
                let other = ours.filter(|_| !good).map(|(line, _)| &line.expect);
                if !good {
                    let line = format!("command {} {label} {} {other:?}", at(), one["doubt"]);
                    tally.missed.push(line);
                }
                if ours.is_some_and(|(line, _)| reverses(&label, &line.expect)) {
                    tally.reversed.push(at());
                }
            }
        }
    }
    // What is run and stands in no label is nobody's command.
    let labelled: BTreeSet<String> = key.all("commands").iter().map(|one| key.text(one)).collect();
    if !labelled.is_empty() {
        let other = all.iter().flat_map(|one| one.commands.iter().map(|line| (one.lines.first, line)));
        let other = other.filter(|(_, command)| !labelled.contains(&command.line));
        tally.forbidden.extend(other.map(|(line, _)| format!("{}:{line} no label", key.file)));
    }
}

/// A document of a family that the plan module reads.
fn compare(key: &Key, corpus: &Path, tally: &mut Tally) {
    let (entry, files) = folder(&corpus.join(&key.file)).unwrap();
    let started = run(&files, &entry);
    if key.json["starts"] == true {
        tally.starts.add(started.is_ok());
        started.err().into_iter().for_each(|why| tally.missed.push(format!("start {}: {why}", key.file)));
    }
    let read = plan::open(&files, &entry).map(|(_, read)| read).unwrap_or_default();
    let at = places(key, &read.plan);
    for one in key.firm("sprints") {
        let label = word(&one["label"]);
        let good = at.get(&number(&one["line"])).is_some_and(|(_, sprint)| sprint.label == bare(&label));
        tally.sprints.add(good);
        if !good {
            tally.missed.push(format!("sprint {} {label}", key.at(&one["line"])));
        }
    }
    let other = read.plan.sprints().filter(|(_, one)| !at.contains_key(&one.lines.first));
    tally.invented.extend(other.map(|(_, one)| format!("{}:{}", key.file, one.lines.first)));
    let pairs = waits(&read.plan);
    for one in key.firm("dependencies") {
        let (from, to) = (word(&one["from"]), word(&one["to"]));
        let ends = meant(key, &at, &from).zip(meant(key, &at, &to));
        let good = ends.is_some_and(|(from, to)| {
            let mut all = from.iter().flat_map(|a| to.iter().map(move |b| (a.clone(), b.clone())));
            all.all(|pair| pairs.contains(&pair))
        });
        tally.edges.add(good);
        if !good {
            tally.missed.push(format!("edge {} {from} -> {to}", key.at(&one["line"])));
        }
    }
    let criteria = |one: &Sprint| one.entry.iter().chain(&one.exit).map(|one| one.lines).collect::<Vec<_>>();
    let criteria: Vec<_> = read.plan.sprints().flat_map(|(_, one)| criteria(one)).collect();
    for one in key.firm("criteria").into_iter().filter(|one| one["none"] != true) {
        let line = number(&one["line"]);
        tally.criteria.add(criteria.iter().any(|lines| (lines.first..=lines.last).contains(&line)));
    }
    commands(key, &read.plan, tally);
}

/// A feature: the promise protocol reads it. The documents of its tasks are not in the corpus.
fn compare_feature(key: &Key, tally: &mut Tally) {
    let read = feature::parse(&key.lines.join("\n"));
    let tasks = read.as_ref().map(|read| read.tasks.clone()).unwrap_or_default();
    for one in key.firm("sprints") {
        tally.sprints.add(tasks.iter().any(|task| one["label"] == task.id.as_str()));
    }
    for one in key.firm("dependencies") {
        let (from, to) = (word(&one["from"]), word(&one["to"]));
        let named = |task: &feature::FeatureTask| task.id == to && task.dependencies.contains(&from);
        tally.edges.add(tasks.iter().any(named));
    }
    let started = read.map_err(|error| error.to_string()).and_then(|read| {
        let Feature { name, tasks, waves, .. } = read;
        let (id, text) = ("AC-001".to_owned(), "It is there.".to_owned());
        let shown = CriterionText { id, text, lines: LineRange { first: 1, last: 1 } };
        let task = |one: feature::FeatureTask| TaskConfig {
            title: one.name.unwrap_or_else(|| one.id.clone()),
            id: one.id,
            document: one.file_path,
            criteria: vec![shown.clone()],
            dependencies: one.dependencies,
            status: one.status,
        };
        let config = promise::Config::new(name, tasks.into_iter().map(task).collect());
        begin(ProtocolConfig::Promise(promise::Config { waves, ..config }))
    });
    tally.starts.add(started.is_ok());
    started.err().into_iter().for_each(|why| tally.missed.push(format!("start {}: {why}", key.file)));
}

/// The plans of a folder: the grid protocol reads them, a phase at a time.
fn compare_folder(keys: &[Key], corpus: &Path, tally: &mut Tally) {
    let mut phases: BTreeMap<String, Vec<grid::plan::Plan>> = BTreeMap::new();
    for key in keys.iter().filter(|key| key.json["plan"].is_object()) {
        let text = fs::read_to_string(corpus.join(&key.file)).unwrap();
        let name = key.file.rsplit("__").next().unwrap();
        match grid::plan::parse(name, &text) {
            Ok(read) => {
                let of_people = |one: &&Value| one["part"] != "none";
                let tasks = key.firm("sprints").into_iter().filter(of_people).count();
                (0..tasks).for_each(|place| tally.sprints.add(place < read.threads.len()));
                for one in key.firm("dependencies") {
                    let from = word(&one["from"]);
                    tally.edges.add(read.plan.depends_on.contains(&from));
                }
                phases.entry(read.plan.phase.clone()).or_default().push(read.plan);
            }
            Err(error) => tally.missed.push(format!("plan {}: {error}", key.file)),
        }
        tally.starts.1 += 1;
    }
    for (phase, plans) in phases {
        let many = plans.len();
        let config = grid::Config::new(format!("Phase {phase}"), plans);
        match begin(ProtocolConfig::Grid(Box::new(config))) {
            Ok(()) => tally.starts.0 += many,
            Err(why) => tally.missed.push(format!("start {phase}: {why}")),
        }
    }
}

#[test]
fn the_key_is_met() {
    let Some(corpus) = corpus() else { return };
    let mut figures: BTreeMap<String, Tally> = BTreeMap::new();
    for (family, keys) in keys(&corpus) {
        let tally = figures.entry(family.clone()).or_default();
        match family.as_str() {
            "guardkit" => keys.iter().for_each(|key| compare_feature(key, tally)),
            "gsd" => compare_folder(&keys, &corpus, tally),
            _ => keys.iter().for_each(|key| compare(key, &corpus, tally)),
        }
    }
    for (family, one) in &figures {
        let lists = [
            ("missed", &one.missed),
            ("run, but forbidden", &one.forbidden),
            ("reversed", &one.reversed),
            ("invented", &one.invented),
        ];
        for (name, list) in lists {
            list.iter().for_each(|line| say(&format!("{family} {name}: {line}")));
        }
    }
    say("family        sprints            edges              criteria           commands           start");
    for (family, one) in &figures {
        let shares = [one.sprints, one.edges, one.criteria, one.commands, one.starts];
        let cells: String = shares.iter().map(|share| format!("{:<19}", share.shown())).collect();
        say(&format!("{family:<14}{cells}"));
    }
    for (family, one) in &figures {
        assert_eq!((one.forbidden.len(), one.reversed.len()), (0, 0), "{family}");
        assert!(one.sprints.reaches(95) && one.edges.reaches(97), "{family}");
        let (commands, starts) = if family == "execution" { (75, 90) } else { (0, 100) };
        assert!(one.commands.reaches(commands) && one.starts.reaches(starts), "{family}");
    }
}
