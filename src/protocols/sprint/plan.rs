//! A plan document as the config of a mission.
//!
//! The document stays what it is; what the supervisor needs is taken out of it once. A plan that cannot run is refused
//! here, with line and column, for the faults that `plan lint` tells and for no other.

use super::config::{
    Begins, Clarity, CommandLine, Config, CriterionConfig, PlanFile, SprintConfig, Structure,
    TaskKind, Traits, UnitConfig,
};
use super::rows::rows;
use super::start::MOST_READS;
use crate::mission::prelude::*;
use crate::plan::families::Family;
use crate::plan::model::{self, Command, Criterion, Kind, Model, Plan, Sprint, Status, Unit};
use crate::plan::{self, order, write};
use crate::vocab::digest::digest;
use crate::vocab::shown::ShownBy;

/// A config, and what its author should know.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The config, with the defaults for everything that no plan says.
    pub config: Config,
    /// How the document was read.
    pub family: Family,
    /// Remarks that are no fault.
    pub notes: Vec<model::Remark>,
}

/// Makes the config of the document at `path` (from the root of the repository) for the project `project`; `files` are the
/// document and those that belong to it, by their paths.
///
/// # Errors
/// The first fault of the document with its place.
pub fn config(path: &str, files: &BTreeMap<String, String>, project: &str) -> Result<Planned> {
    let (family, read) = plan::open(files, path)?;
    if let Some(fault) = read.remarks.iter().find(|one| one.weight == model::Weight::Fault) {
        let found = fault.diagnostic();
        return Err(Error::new(found.code, found.at, found.expected, found.got).within(path));
    }
    let plan = &read.plan;
    let root = path.rsplit_once('/').map(|(root, _)| root.to_owned()).unwrap_or_default();
    let title = Some(one_line(&plan.title)).filter(|title| !title.is_empty());
    let mission = clip(&title.unwrap_or_else(|| format!("The plan of {project}")), 200);
    let index = order::Index::new(plan);
    let of = Making { ids: ids(plan), bases: bases(plan), plan, index, root: &root };
    let units = plan.units.iter().map(|one| of.unit(one)).collect();
    let mut config = Config::new(&mission, &fit(project), units);
    config.operation = plan.settings.feature_name.as_deref().map(one_line);
    let text = files.get(path).map_or("", String::as_str);
    config.plan = Some(PlanFile { path: path.to_owned(), digest: digest(text) });
    config.template = plan::families::template(family, text);
    config.structure = structure(plan);
    config.max_retries = plan.settings.attempts.unwrap_or(config.max_retries);
    let warnings = read.remarks.iter().filter(|one| one.weight == model::Weight::Warning);
    let warnings =
        warnings.map(|one| format!("line {}: {} (expected: {})", one.line, one.got, one.expected));
    config.warnings = warnings.map(|one| clip(&one, 400)).collect();
    config.root.clone_from(&root);
    Ok(Planned { config, family, notes: read.remarks })
}

/// A name made fit for the name of a file and for an id.
fn fit(name: &str) -> String {
    let fit = |c: char| if c.is_alphanumeric() || "-_.:".contains(c) { c } else { '-' };
    let made: String = name.trim().chars().map(fit).collect();
    let made = at_most(made.trim_matches(['-', '.']), 100).trim_end_matches(['-', '.']);
    if made.is_empty() { "project".to_owned() } else { made.to_owned() }
}

/// The start of a text, in bytes.
fn at_most(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// The ids of units by their names: the name in small letters, and a number behind it where two are alike.
fn ids(plan: &Plan) -> BTreeMap<&str, String> {
    let mut taken = BTreeSet::new();
    let mut ids = BTreeMap::new();
    for unit in &plan.units {
        let word = fit(&unit.name.to_lowercase());
        let parts = at_most(&word, 60).split('-').filter(|part| !part.is_empty());
        let word = parts.collect::<Vec<_>>().join("-");
        let again = (2..).map(|number| format!("{word}-{number}"));
        let id = std::iter::once(word.clone()).chain(again).find(|id| !taken.contains(id));
        let id = id.unwrap_or(word);
        taken.insert(id.clone());
        ids.insert(unit.name.as_str(), id);
    }
    ids
}

/// Sprints that lay what two or more others build on: these wait for it by name, or read what it makes.
fn bases(plan: &Plan) -> BTreeSet<String> {
    let mut after: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in order::edges(plan) {
        after.entry(from).or_default().insert(to);
    }
    let mut makers: BTreeMap<&str, String> = BTreeMap::new();
    for (unit, sprint) in plan.sprints() {
        let id = model::id(unit, sprint);
        for path in sprint.reads.iter().chain(&sprint.changes) {
            if let Some(maker) = makers.get(path.as_str()).filter(|maker| **maker != id) {
                after.entry(maker.clone()).or_default().insert(id.clone());
            }
        }
        makers.extend(sprint.creates.iter().map(|path| (path.as_str(), id.clone())));
    }
    after.retain(|_, others| others.len() >= 2);
    after.into_keys().collect()
}

fn structure(plan: &Plan) -> Structure {
    match order::structure(plan.units.len(), &order::layers(plan)) {
        "layers" => Structure::Layers,
        "sequential" => Structure::Sequential,
        _ => Structure::Parallel,
    }
}

fn below(root: &str, path: &str) -> String {
    match root {
        "" => path.to_owned(),
        root => format!("{root}/{path}"),
    }
}

/// A path of the plan from the root of the repository, if it stays below it.
fn inside(root: &str, path: &str) -> Option<String> {
    let path = path.trim().trim_start_matches("./").trim_matches('/');
    let spelled = |c: char| c.is_alphanumeric() || "_-./@+".contains(c);
    let fits = !path.is_empty()
        && path != "."
        && path.chars().all(spelled)
        && path.split('/').all(|part| part != ".." && !part.is_empty());
    fits.then(|| below(root, path))
}

/// `PROGRESS.md`, `TODO.md`, `STATUS.md` (seed 002, line 228).
fn tells_progress(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    ["progress", "todo", "status"].iter().any(|word| name.starts_with(word))
        && name.ends_with(".md")
}

struct Making<'a> {
    ids: BTreeMap<&'a str, String>,
    bases: BTreeSet<String>,
    plan: &'a Plan,
    index: order::Index<'a>,
    root: &'a str,
}

impl Making<'_> {
    fn unit(&self, unit: &Unit) -> UnitConfig {
        let directory = inside(self.root, &unit.directory);
        let directory = directory.unwrap_or_else(|| self.root.to_owned());
        let reads = unit.sprints.iter().flat_map(|one| &one.reads);
        let progress: BTreeSet<String> = reads
            .filter(|path| tells_progress(path))
            .filter_map(|path| inside(self.root, path))
            .filter(|path| path.rsplit_once('/').map_or("", |(folder, _)| folder) == directory)
            .collect();
        let mut sprints: Vec<SprintConfig> =
            unit.sprints.iter().map(|one| self.sprint(unit, one)).collect();
        // What the first sprint needs keeps its unit from starting.
        let checks = sprints.first_mut().map(|first| std::mem::take(&mut first.entry_checks));
        UnitConfig {
            id: self.id(&unit.name),
            name: unit.name.clone(),
            directory,
            after: self.waits(unit, &unit.depends_on),
            checks: checks.unwrap_or_default(),
            progress_files: progress.into_iter().take(8).collect(),
            sprints,
        }
    }

    fn id(&self, name: &str) -> String {
        self.ids.get(name).cloned().unwrap_or_default()
    }

    /// Ids of what is waited for, but for sprints of the same unit: these run in order.
    fn waits(&self, unit: &Unit, references: &[String]) -> Vec<String> {
        let targets = references.iter().filter_map(|one| self.index.resolve(&unit.name, one));
        let ids = targets.filter_map(|target| match target {
            order::Target::Unit(other) => (other.name != unit.name).then(|| self.id(&other.name)),
            order::Target::Sprint(other, sprint) => (other.name != unit.name)
                .then(|| format!("{}/{}", self.id(&other.name), sprint.label)),
        });
        let mut seen = BTreeSet::new();
        ids.filter(|id| seen.insert(id.clone())).collect()
    }

    fn sprint(&self, unit: &Unit, one: &Sprint) -> SprintConfig {
        let definition = write::sprint(unit, one);
        let settings = &self.plan.settings;
        let reads = one.reads.iter().filter_map(|path| inside(self.root, path)).take(MOST_READS);
        let entry_checks = one.entry.iter().flat_map(|entry| {
            let lines = entry.commands.iter().map(|line| self.line(line));
            lines.map(|line| CommandLine { shows: Some(entry.id.clone()), ..line })
        });
        SprintConfig {
            label: one.label.clone(),
            name: one.name.clone(),
            kind: kind(one.kind),
            entry: one.entry.iter().map(|entry| entry.text.clone()).collect(),
            entry_ids: one.entry.iter().map(|entry| entry.id.clone()).collect(),
            entry_checks: entry_checks.collect(),
            criteria: self.criteria(one),
            after: self.waits(unit, one.depends_on.as_deref().unwrap_or_default()),
            reads: reads.collect(),
            traits: traits(
                one,
                &definition,
                self.bases.contains(&model::id(unit, one)),
                settings.model,
            ),
            timeout_ms: one.timeout.or(settings.timeout),
            begins: match one.status {
                Status::Deferred => Begins::PutOff,
                Status::Done => Begins::Ticked,
                Status::Pending if is_ticked(one) => Begins::Ticked,
                Status::Pending => Begins::Fresh,
            },
            definition,
        }
    }

    /// The exit criteria. A sprint without any has its tasks in their place, and one without tasks its name; the user is
    /// asked about those as about any vague criterion.
    fn criteria(&self, sprint: &Sprint) -> Vec<CriterionConfig> {
        let all: Vec<CriterionConfig> =
            sprint.exit.iter().flat_map(|one| self.criterion(one)).collect();
        if !all.is_empty() {
            return all;
        }
        let tasks = sprint.tasks.iter().map(|task| format!("Done: {}", one_line(&task.text)));
        let mut texts: Vec<String> = tasks.collect();
        if texts.is_empty() {
            texts.push(format!("{} is done", sprint.name));
        }
        let vague = |(number, text): (usize, String)| {
            let rows = rows(&format!("AC-{number:03}"), &text, &ShownBy::default());
            rows.into_iter().map(|row| CriterionConfig { vague: true, ..row })
        };
        (1..).zip(texts).flat_map(vague).collect()
    }

    fn criterion(&self, one: &Criterion) -> Vec<CriterionConfig> {
        let commands = one.commands.iter().map(|line| self.line(line)).collect();
        let shown = ShownBy { commands, judged: one.judged };
        rows(&one.id, &one_line(&one.text), &shown)
    }

    fn line(&self, command: &Command) -> CommandLine {
        let line = line(command);
        CommandLine { within_ms: line.within_ms.or(self.plan.settings.command_timeout), ..line }
    }
}

/// A command of a plan; its author wrote it for a shell.
pub fn line(command: &Command) -> CommandLine {
    let (expect, within_ms) = (command.expect.clone(), command.within);
    CommandLine { expect, within_ms, ..CommandLine::of_shell(&command.line) }
}

/// Whether all boxes of a sprint are ticked: those of its criteria, and of its tasks where they have any.
fn is_ticked(sprint: &Sprint) -> bool {
    let criteria = !sprint.exit.is_empty() && sprint.exit.iter().all(|one| one.ticked);
    criteria && sprint.tasks.iter().all(|task| task.ticked != Some(false))
}

fn kind(kind: Kind) -> TaskKind {
    match kind {
        Kind::Code => TaskKind::Code,
        Kind::Command => TaskKind::Command,
        Kind::Background => TaskKind::Background,
        Kind::Deferred => TaskKind::Deferred,
        Kind::Manual => TaskKind::Manual,
    }
}

fn tier(model: Model) -> Tier {
    match model {
        Model::Small => Tier::Small,
        Model::Standard => Tier::Standard,
        Model::Large => Tier::Large,
    }
}

/// What the model is chosen by, as far as the plan tells (seed 002, 6a). What it does not tell is no reason for a
/// stronger one.
fn traits(sprint: &Sprint, definition: &str, foundation: bool, least: Option<Model>) -> Traits {
    let count = |many: usize| u32::try_from(many).unwrap_or(u32::MAX);
    let files = count(sprint.creates.len()).saturating_add(count(sprint.changes.len()));
    let builds = sprint.exit.iter().map(|one| one.commands.len()).sum();
    let lines = sprint.lines_of_code.map_or(0, |lines| lines.div_ceil(75));
    // Section 17e.
    let turns = [files.saturating_mul(2), count(sprint.reads.len()), count(builds), lines]
        .into_iter()
        .fold(count(sprint.exit.len()).saturating_add(5), u32::saturating_add);
    let clarity = match definition.contains('`') {
        true => Clarity::Explicit,
        false => Clarity::HighLevel,
    };
    Traits {
        turns: turns.max(10),
        files: files.max(1),
        clarity,
        foundation,
        risk: sprint.risk.unwrap_or(1),
        open_questions: definition.contains("TBD"),
        floor: sprint.model.max(least).map(tier),
    }
}
