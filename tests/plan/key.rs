//! Real plan documents against a key that somebody made by hand (`tests/key`): places and labels of sprints, edges and
//! commands. What is missed is named by file and line.
//!
//! Where the corpus is absent, nothing is tested and the output says so.

use crate::keyed::key::{Key, keys, labelled, meant, number, piece, pieces, waits, word};
use crate::keyed::{begin, corpus, folder, run, say};
use endstate::plan;
use endstate::plan::document::LineRange;
use endstate::plan::model::{Command, Criterion, Expect, Plan, Sprint};
use endstate::protocols::promise::feature::{self, Feature};
use endstate::protocols::promise::state::TaskConfig;
use endstate::protocols::promise::task::CriterionText;
use endstate::protocols::{ProtocolConfig, grid, promise};
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
        let share = (self.0 * 1000).checked_div(self.1).unwrap_or(1000);
        format!("{}/{} {}.{}%", self.0, self.1, share / 10, share % 10)
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
    added: Vec<String>,
    missed: Vec<String>,
    forbidden: Vec<String>,
    traps: Vec<String>,
    reversed: Vec<String>,
}

/// Whether a command asks what its label says. What nobody but a verifier can tell is run and judged.
fn agrees(label: &str, ours: &Expect, judged: bool) -> bool {
    let (kind, text) = label.split_once(' ').unwrap_or((label, ""));
    match (kind, ours) {
        ("success" | "matches", Expect::Succeed) => true,
        ("matches", Expect::PrintAtLeast { number: 1 }) => true,
        ("judged" | "lacks" | "lines", Expect::Succeed | Expect::Exit) => judged,
        ("failure", Expect::Fail) => true,
        ("failure", Expect::ExitWith { status }) => *status != 0,
        ("no_match", Expect::FindNothing) | ("silence", Expect::BeSilent) => true,
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
        Expect::Succeed => none,
        Expect::PrintAtLeast { number } => none && *number > 0,
        Expect::ExitWith { .. } | Expect::Fail | Expect::FindNothing | Expect::BeSilent => {
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
            // A path, a symbol, a value or a tool is no command; of the others the author meant one, but not this, or told
            // what one of his product does.
            (false, Some((command, _))) => match (one["doubt"].as_str(), &command.expect) {
                (None, Expect::Exit) => tally.traps.push(format!("{} told of the product", at())),
                (None | Some("tool_name"), _) => tally.forbidden.push(at()),
                (Some(doubt), _) => tally.traps.push(format!("{} {doubt}", at())),
            },
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
        let other =
            all.iter().flat_map(|one| one.commands.iter().map(|line| (one.lines.first, line)));
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
        started
            .err()
            .into_iter()
            .for_each(|why| tally.missed.push(format!("start {}: {why}", key.file)));
    }
    let read = plan::open(&files, &entry).map(|(_, read)| read).unwrap_or_default();
    let at = pieces(&read.plan);
    for one in key.firm("sprints") {
        let good = piece(key, &at, one).is_some();
        tally.sprints.add(good);
        if !good {
            tally.missed.push(format!("sprint {} {}", key.at(&one["line"]), one["label"]));
        }
    }
    let known: BTreeSet<&str> = ["sprints", "units"]
        .iter()
        .flat_map(|part| key.all(part))
        .filter_map(|one| piece(key, &at, one))
        .map(|one| one.sprint.as_str())
        .collect();
    let other = at.iter().filter(|(_, one)| one.task == 0 && !known.contains(one.sprint.as_str()));
    tally.invented.extend(other.map(|(line, _)| format!("{}:{line}", key.file)));
    let pairs = waits(&read.plan);
    let other: Vec<_> = pairs.difference(&labelled(key, &read.plan)).cloned().collect();
    tally.added.extend(other.iter().map(|(from, to)| format!("{}: {from} -> {to}", key.file)));
    for one in key.firm("dependencies") {
        let (from, to) = (word(&one["from"]), word(&one["to"]));
        let ends = meant(key, &at, &from).zip(meant(key, &at, &to));
        let good = ends.is_some_and(|(from, to)| {
            let mut all = from.iter().flat_map(|a| to.iter().map(move |b| (a, b)));
            all.all(|(a, b)| match a.sprint == b.sprint {
                true => a.task < b.task,
                false => pairs.contains(&(a.sprint.clone(), b.sprint.clone())),
            })
        });
        tally.edges.add(good);
        if !good {
            tally.missed.push(format!("edge {} {from} -> {to}", key.at(&one["line"])));
        }
    }
    let criteria =
        |one: &Sprint| one.entry.iter().chain(&one.exit).map(|one| one.lines).collect::<Vec<_>>();
    let criteria: Vec<_> = read.plan.sprints().flat_map(|(_, one)| criteria(one)).collect();
    for one in key.firm("criteria").into_iter().filter(|one| one["none"] != true) {
        let line = number(&one["line"]);
        let good = criteria.iter().any(|lines| (lines.first..=lines.last).contains(&line));
        tally.criteria.add(good);
        if !good {
            tally.missed.push(format!("criterion {}", key.at(&one["line"])));
        }
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
        let named =
            |task: &feature::FeatureTask| task.id == to && task.dependencies.contains(&from);
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
    started
        .err()
        .into_iter()
        .for_each(|why| tally.missed.push(format!("start {}: {why}", key.file)));
}

/// The plans of a folder: the grid protocol reads them, a phase at a time.
fn compare_folder(keys: &[Key], corpus: &Path, tally: &mut Tally) {
    let mut phases: BTreeMap<String, Vec<grid::plan::Plan>> = BTreeMap::new();
    for key in keys.iter().filter(|key| key.json["plan"].is_object()) {
        let text = fs::read_to_string(corpus.join(&key.file)).unwrap();
        let name = key.file.rsplit("__").next().unwrap();
        match grid::plan::parse(name, &text) {
            Ok(read) => {
                // A thread has no place: they are counted.
                let tasks = key.firm("sprints").len();
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

/// One counts in a file that its author names elsewhere: what a program reads, no grammar of plans can know. One tells what a
/// command of the product shows: it is run, and judged.
const TRAPS: [(&str, usize); 2] = [("execution", 1), ("spec_kit", 1)];
/// One heading of an archive that nothing stands below, in a document that the key says nobody can start.
const INVENTED: [(&str, usize); 1] = [("execution", 1)];
/// Sprints of units that wait for a whole layer wait for more than the key says of each.
const ADDED: [(&str, usize); 1] = [("execution", 15)];

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
            ("run, but meant otherwise", &one.traps),
            ("reversed", &one.reversed),
            ("sprint that is none", &one.invented),
            ("edge that is none", &one.added),
        ];
        for (name, list) in lists {
            list.iter().for_each(|line| say(&format!("{family} {name}: {line}")));
        }
    }
    say(
        "family        sprints            edges              criteria           commands           start",
    );
    for (family, one) in &figures {
        let shares = [one.sprints, one.edges, one.criteria, one.commands, one.starts];
        let cells: String = shares.iter().map(|share| format!("{:<19}", share.shown())).collect();
        say(&format!("{family:<14}{cells}"));
    }
    for (family, one) in &figures {
        assert_eq!((&one.forbidden, &one.reversed), (&vec![], &vec![]), "{family}");
        assert!(one.sprints.reaches(95) && one.edges.reaches(97), "{family}");
        if family == "execution" {
            assert!(one.commands.reaches(75) && one.starts.reaches(90));
        }
        let of =
            |all: &[(&str, usize)]| all.iter().find(|one| one.0 == family).map_or(0, |one| one.1);
        let more = (one.traps.len(), one.invented.len(), one.added.len());
        assert_eq!(more, (of(&TRAPS), of(&INVENTED), of(&ADDED)), "{family}");
        assert_eq!(one.starts.0, one.starts.1, "{family}");
    }
}
