//! A plan document as the config of a mission.
//!
//! The document stays what it is; what the supervisor needs is taken out of it once. A plan that cannot
//! run is refused here, with line and column, for the faults that `plan lint` tells and for no other.

use super::config::{
    Begins, Check, Clarity, CommandLine, Config, CriterionConfig, Expect, PlanFile, SprintConfig,
    Structure, TaskKind, Traits, UnitConfig,
};
use super::start::MOST_READS;
use crate::engine::digest;
use crate::plan::estimate::TurnEstimate;
use crate::plan::judge::Answers;
use crate::plan::model::{self, Expectation, Plan, PlanCriterion, Sprint, WorkUnit};
use crate::plan::{document, read, score, vague};
use crate::vocab::error::{Error, Result, clip};
use crate::vocab::text::one_line;
use std::collections::BTreeSet;

/// A config, and what its author should know.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The config, with the defaults for everything that no plan says.
    pub config: Config,
    /// Remarks that are no fault.
    pub notes: Vec<model::Remark>,
}

/// Reads the plan at `path` (from the root of the repository) of the project `project`.
///
/// # Errors
/// The first fault of the document with its place.
pub fn config(path: &str, text: &str, project: &str) -> Result<Planned> {
    let parsed = read::parse(text);
    if let Some(fault) = parsed.faults().next() {
        let found = fault.diagnostic();
        return Err(Error::new(found.code, found.at, found.expected, found.got).within(path));
    }
    let plan = &parsed.plan;
    let root = path.rsplit_once('/').map(|(root, _)| root.to_owned()).unwrap_or_default();
    let title = plan.title.as_deref().map(one_line).filter(|title| !title.is_empty());
    let mission = clip(&title.unwrap_or_else(|| format!("The plan of {project}")), 200);
    // What a plan is put in order by says, too, which sprints others build on.
    let (scores, _) = score::scores(plan, &Answers::new());
    let bases = scores.iter().filter(|one| one.foundation).map(|one| one.sprint.as_str());
    let bases: BTreeSet<&str> = bases.collect();
    let foundation = |id: &str| bases.contains(id);
    let units = plan.units.iter().map(|unit| self::unit(plan, unit, &root, text, &foundation));
    let mut config = Config::new(&mission, &fit(project), units.collect());
    config.operation = plan.field("feature_name").map(one_line).filter(|name| !name.is_empty());
    config.plan = Some(PlanFile { path: path.to_owned(), digest: digest(text) });
    config.template = plan.template.as_ref().map(|template| template.text.clone());
    config.structure = match plan.structure() {
        model::Structure::Layers => Structure::Layers,
        model::Structure::Sequential => Structure::Sequential,
        model::Structure::Parallel => Structure::Parallel,
        model::Structure::None => Structure::None,
    };
    config.root = root;
    let warnings = parsed.remarks.iter().filter(|one| one.weight == model::Weight::Warning);
    let warnings =
        warnings.map(|one| format!("line {}: {} (expected: {})", one.line, one.got, one.expected));
    config.warnings = warnings.map(|one| clip(&one, 400)).collect();
    Ok(Planned { config, notes: parsed.remarks })
}

/// A name made fit for the name of a file and for an id.
fn fit(name: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || "-_.:".contains(c) { c } else { '-' };
    let made: String = name.trim().chars().map(fit).take(100).collect();
    let made = made.trim_matches(['-', '.']).to_owned();
    if made.is_empty() { "project".to_owned() } else { made }
}

fn below(root: &str, path: &str) -> String {
    match root {
        "" => path.to_owned(),
        root => format!("{root}/{path}"),
    }
}

/// A path of the plan from the root of the repository, if it stays below it.
fn inside(root: &str, path: &str) -> Option<String> {
    let path = path.trim_matches('`').trim().trim_start_matches("./").trim_matches('/');
    let spelled = |c: char| c.is_alphanumeric() || "_-./@+".contains(c);
    let fits = !path.is_empty()
        && path != "."
        && path.chars().all(spelled)
        && path.split('/').all(|part| part != ".." && !part.is_empty());
    fits.then(|| below(root, path))
}

fn unit(
    plan: &Plan,
    unit: &WorkUnit,
    root: &str,
    text: &str,
    foundation: &dyn Fn(&str) -> bool,
) -> UnitConfig {
    let directory = unit.directory.as_deref().and_then(|path| inside(root, path));
    let after = plan.dependencies.iter().filter(|edge| edge.to == unit.id && edge.from != unit.id);
    let mut after: Vec<String> = after.map(|edge| edge.from.clone()).collect();
    after.dedup();
    let progress = plan.references.iter().filter(|one| !one.outside && tells_progress(&one.path));
    let progress = progress.filter_map(|one| inside(root, &one.path));
    let own = |path: &String| {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        directory.as_deref().unwrap_or(root) == folder
    };
    let sprints = unit.sprints.iter().enumerate().map(|(place, one)| {
        let entry_checks = match place {
            0 => Vec::new(),
            _ => one.entry.iter().filter_map(|entry| command(&entry.check)).collect(),
        };
        SprintConfig { entry_checks, ..sprint(plan, one, root, text, foundation(&one.id)) }
    });
    UnitConfig {
        id: unit.id.clone(),
        name: unit.name.clone(),
        checks: entry_commands(unit),
        after,
        progress_files: progress.filter(own).take(8).collect(),
        sprints: sprints.collect(),
        directory: directory.unwrap_or_else(|| root.to_owned()),
    }
}

/// The commands among the entry criteria of a unit's first sprint: what must hold before the unit starts.
/// Those of its other sprints are theirs.
fn entry_commands(unit: &WorkUnit) -> Vec<CommandLine> {
    let entry = unit.sprints.first().into_iter().flat_map(|first| &first.entry);
    entry.filter_map(|one| command(&one.check)).collect()
}

/// `PROGRESS.md`, `TODO.md`, `STATUS.md`.
fn tells_progress(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    ["progress", "todo", "status"].iter().any(|word| name.starts_with(word))
        && name.ends_with(".md")
}

fn sprint(plan: &Plan, one: &Sprint, root: &str, text: &str, foundation: bool) -> SprintConfig {
    let kind = kind(one.kind);
    let inner = |id: &str| model::unit_of(id) == model::unit_of(&one.id);
    let after = plan.dependencies.iter().filter(|edge| edge.to == one.id && !inner(&edge.from));
    let after: BTreeSet<String> = after.map(|edge| edge.from.clone()).collect();
    let named = plan.references.iter();
    let named = named.filter(|file| !file.outside && file.sprints.contains(&one.id));
    let reads: Vec<String> =
        named.filter_map(|file| inside(root, &file.path)).take(MOST_READS).collect();
    let criteria = criteria(plan, one);
    let definition = lines(text, one.lines.first, one.lines.last);
    SprintConfig {
        label: one.label.clone(),
        name: one.name.clone(),
        kind,
        entry: one.entry.iter().map(|criterion| criterion.text.clone()).collect(),
        entry_checks: Vec::new(),
        after: after.into_iter().collect(),
        traits: traits(one, &definition, reads.is_empty(), foundation),
        begins: match one.deferred {
            true => Begins::PutOff,
            false if is_ticked(one, &definition) => Begins::Ticked,
            false => Begins::Fresh,
        },
        definition,
        criteria,
        reads,
    }
}

/// Whether a sprint has boxes and all of them are ticked. Those of its entry criteria say nothing of its work.
fn is_ticked(sprint: &Sprint, definition: &str) -> bool {
    let before = |line: u32| {
        sprint.entry.iter().any(|one| (one.lines.first..=one.lines.last).contains(&line))
    };
    let lines = definition.lines().zip(sprint.lines.first..).filter(|(_, line)| !before(*line));
    let boxes = lines.filter_map(|(text, _)| document::unboxed(document::unmarked(text)).1);
    let mut boxes = boxes.peekable();
    boxes.peek().is_some() && boxes.all(|ticked| ticked)
}

fn kind(kind: model::TaskKind) -> TaskKind {
    match kind {
        model::TaskKind::Code => TaskKind::Code,
        model::TaskKind::Command => TaskKind::Command,
        model::TaskKind::Background => TaskKind::Background,
        model::TaskKind::Deferred => TaskKind::Deferred,
        model::TaskKind::Manual => TaskKind::Manual,
    }
}

/// Lines of a document, from 1, both ends included.
fn lines(text: &str, first: u32, last: u32) -> String {
    let count = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
    let skipped = count(first).saturating_sub(1);
    let taken = count(last).saturating_sub(skipped);
    text.lines().skip(skipped).take(taken).collect::<Vec<_>>().join("\n")
}

/// The exit criteria, and the rules that hold for every sprint. A sprint without any but those that stand in a task has
/// its other tasks in their place, each of them, and one without tasks its name; the user is asked about those as about any vague criterion.
fn criteria(plan: &Plan, sprint: &Sprint) -> Vec<CriterionConfig> {
    let mut taken = BTreeSet::new();
    let mut all: Vec<CriterionConfig> = Vec::new();
    let mut add = |id: &str, one: CriterionConfig| {
        let mut id = one_line(id).replace(' ', "-");
        while id.is_empty() || !taken.insert(id.clone()) {
            id.push('+');
        }
        all.push(CriterionConfig { id, ..one });
    };
    for one in sprint.exit.iter().filter(|one| !one.text.trim().is_empty()) {
        add(&one.id, criterion(one));
    }
    let shown: BTreeSet<u32> =
        sprint.exit.iter().filter_map(|one| Some(sprint.task_of(one)?.lines.first)).collect();
    if sprint.exit.iter().all(|one| sprint.task_of(one).is_some()) {
        let tasks = sprint.tasks.iter().filter(|task| !shown.contains(&task.lines.first));
        let tasks = tasks.filter(|task| !task.text.trim().is_empty());
        let texts: Vec<String> = match sprint.tasks.is_empty() {
            true => vec![format!("{} is done", sprint.name)],
            false => tasks.map(|task| format!("Done: {}", one_line(&task.text))).collect(),
        };
        for (place, text) in texts.into_iter().enumerate() {
            // What is to be made does not say how it is shown: the user is asked before anybody is sent.
            let (check, build, id) = (Check::Verifier, false, String::new());
            let one = CriterionConfig { id, text, check, vague: true, build };
            add(&format!("AC-{:03}", sprint.exit.len() + place + 1), one);
        }
    }
    for one in plan.rules.iter().filter(|one| !one.text.trim().is_empty()) {
        add(&one.id, criterion(one));
    }
    all
}

/// A criterion with how it is shown.
pub(super) fn criterion(one: &PlanCriterion) -> CriterionConfig {
    let check = command(&one.check).map_or(Check::Verifier, Check::Command);
    let build = matches!(&one.check, model::Check::Command { command, .. } if builds(command));
    let vague = check == Check::Verifier && vague::is_vague(&one.text);
    CriterionConfig { id: one.id.clone(), text: one_line(&one.text), check, vague, build }
}

/// A command of the plan; its author wrote it for a shell.
pub(super) fn command(check: &model::Check) -> Option<CommandLine> {
    let model::Check::Command { command, expect } = check else { return None };
    let argv = ["bash", "-c", command].map(str::to_owned).to_vec();
    Some(CommandLine { argv, expect: self::expect(expect) })
}

fn expect(expect: &Expectation) -> Expect {
    match expect {
        Expectation::Success => Expect::Succeed,
        Expectation::Failure => Expect::Fail,
        Expectation::Status { code } => Expect::ExitWith { status: *code },
        Expectation::Silence => Expect::BeSilent,
        Expectation::Output { text } => Expect::Print { text: text.clone() },
        Expectation::Exactly { text } => Expect::PrintOnly { text: text.clone() },
    }
}

/// Programs that build or test a whole project.
const BUILDERS: [&str; 24] = [
    "cargo",
    "swift",
    "xcodebuild",
    "npm",
    "npx",
    "yarn",
    "pnpm",
    "bun",
    "make",
    "cmake",
    "ninja",
    "gradle",
    "./gradlew",
    "mvn",
    "go",
    "pytest",
    "tox",
    "dotnet",
    "bazel",
    "tsc",
    "jest",
    "vitest",
    "zig",
    "rake",
];

/// Whether a command builds or tests the whole project.
fn builds(command: &str) -> bool {
    let parts = command.split(['|', ';', '&', '\n']);
    parts.into_iter().any(|part| {
        let mut words = part.split_whitespace().filter(|word| !word.contains('='));
        words.next().is_some_and(|word| BUILDERS.contains(&word))
    })
}

/// What the model is chosen by, as far as the document tells.
fn traits(sprint: &Sprint, definition: &str, reads_nothing: bool, foundation: bool) -> Traits {
    let lower = definition.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let estimate = TurnEstimate::of(sprint);
    let risk = match () {
        () if has(&["http", "api call", "external api", "webhook", "integration with"]) => 5,
        () if has(&["new technology", "unfamiliar", "prototype", "migrate"]) => 4,
        () if has(&["algorithm", "concurren", "crypto", "parser"]) => 3,
        () if has(&["file", "disk", "process", "shell"]) => 2,
        () => 1,
    };
    let clarity = match () {
        () if has(&["improve", "optimize", "optimise", "enhance"]) => Clarity::OpenEnded,
        () if reads_nothing && !definition.contains('`') => Clarity::HighLevel,
        () => Clarity::Explicit,
    };
    Traits {
        turns: sprint.turns.unwrap_or_else(|| estimate.turns()),
        files: estimate.created.saturating_add(estimate.modified),
        clarity,
        foundation,
        risk,
        open_questions: has(&["tbd", "to be decided", "determine later", "open question"]),
    }
}
