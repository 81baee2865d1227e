//! The first state: units and sprints as they were read.
//!
//! Unknown predecessors, circles and ids that occur twice are refused here, before anything runs.
//! If an earlier supervisor says that a sprint was skipped or deferred, this is believed, and nothing else:
//! a sprint that is recorded as completed is to be shown here.

use super::config::Begins;
use super::files;
use super::outcome;
use super::role::Role;
use super::state::{
    Check, Config, Core, Names, Sprint, SprintConfig, SprintStatus, State, TaskKind, Topic, Unit,
    UnitConfig,
};
use crate::mission::files::Files;
use crate::mission::prelude::*;
use crate::mission::role;
use crate::mission::settings;
use crate::plan::graph;
use crate::vocab::ledger;
use crate::vocab::table::{Ledgered, Table, ids_of};
use std::collections::VecDeque;

const MOST: u32 = 1_000;
/// The most files a sprint may have its agent read.
pub(super) const MOST_READS: usize = 25;
/// Dependents are counted up to here: the table of models asks for no more.
const MOST_DEPENDENTS: usize = 7;

/// The state a config begins with.
///
/// # Errors
/// `missing_field`, `number_out_of_range`, `invalid_value`, `empty_criteria`, `duplicate_id`,
/// `dependency_unknown`, `dependency_cycle`.
pub fn start(config: &Config) -> Result<State> {
    check(config).map_err(|error| error.within("mission.settings"))?;
    let edges = edges(config);
    let dependents = dependents(config, &edges);
    let (mut units, mut sprints) = (Vec::new(), Vec::new());
    for unit in &config.units {
        for one in &unit.sprints {
            let id = id_of(&unit.id, &one.label);
            let count = dependents.get(&id).copied().unwrap_or(0);
            sprints.push(sprint(config, &unit.id, one.clone(), count));
        }
        units.push(self::unit(unit));
    }
    let mut kept = Files::default();
    kept.touch(files::IGNORE);
    kept.touch(files::SCRATCH_IGNORE);
    kept.touch(&files::state_path(&config.root));
    let ticked = ids_of(sprints.iter().filter(|one: &&Sprint| one.is_recorded()));
    let mut core = core(config, kept);
    if !ticked.is_empty() {
        core.life.ask(&Topic::Ticked { sprints: ticked });
    }
    Ok(State {
        core: core.into(),
        units: Table::from_rows(units),
        sprints: Table::from_rows(sprints),
        decisions: Table::default(),
        touches: Ledgered::default(),
        moves: Vec::new(),
    })
}

/// The id of a sprint.
pub(super) fn id_of(unit: &str, label: &str) -> String {
    format!("{unit}/{label}")
}

/// More warnings of a plan are not kept: its author saw them all before the start.
const MOST_WARNINGS: usize = 50;

fn settings(config: &Config) -> Config {
    let mut settings = Config { units: Vec::new(), ..config.clone() };
    settings.warnings.truncate(MOST_WARNINGS);
    let Config { mission, operation, warnings, names, .. } = &mut settings;
    let Names { small, standard, large } = names;
    let texts = [mission, small, standard, large].into_iter().chain(operation).chain(warnings);
    texts.for_each(|text| *text = one_line(text));
    settings
}

fn core(config: &Config, files: Files) -> Core {
    Core {
        settings: Arc::new(settings(config)),
        trusted: config.trusted || commands(config).next().is_none(),
        life: Life { files, ..Life::default() },
        ..Core::default()
    }
}

/// Every command that the plan names.
fn commands(config: &Config) -> impl Iterator<Item = &super::state::CommandLine> {
    config.units.iter().flat_map(|unit| {
        let criteria = unit.sprints.iter().flat_map(|sprint| &sprint.criteria);
        let checks = criteria.filter_map(|one| one.check.line());
        let entry = unit.sprints.iter().flat_map(|sprint| &sprint.entry_checks);
        unit.checks.iter().chain(entry).chain(checks)
    })
}

fn unit(config: &UnitConfig) -> Unit {
    Unit {
        id: config.id.clone(),
        name: one_line(&config.name),
        directory: config.directory.trim_matches('/').to_owned(),
        after: config.after.clone(),
        checks: config.checks.clone(),
        progress_files: config.progress_files.clone(),
        sprints: config.sprints.iter().map(|one| id_of(&config.id, &one.label)).collect(),
        ..Unit::default()
    }
}

/// A sprint of which nothing has happened here.
pub(super) fn sprint(config: &Config, unit: &str, one: SprintConfig, dependents: u32) -> Sprint {
    let waits = matches!(one.kind, TaskKind::Deferred | TaskKind::Manual);
    let person = config.max_verifier_rounds == 0 || waits;
    let (status, attempt) = begins(one.begins, config.max_retries);
    let mut plan = SprintConfig { name: one_line(&one.name), ..one };
    let criteria = std::mem::take(&mut plan.criteria);
    let mut sprint = Sprint {
        id: id_of(unit, &plan.label),
        unit: unit.to_owned(),
        dependents,
        status,
        criteria: criteria.iter().map(|one| Criterion::open(&one.id, &one.text)).collect(),
        checks: criteria.iter().map(|one| by(&one.check, person)).collect(),
        vague: criteria.iter().map(|one| one.vague).collect(),
        build: criteria.iter().map(|one| one.build).collect(),
        entry_checks: std::mem::take(&mut plan.entry_checks),
        attempt,
        failures: attempt.saturating_sub(1),
        adopted: status == SprintStatus::Verifying,
        plan: Arc::new(plan),
        ..Sprint::default()
    };
    if status == SprintStatus::Skipped {
        ledger::waive_open(&mut sprint.criteria, "user", "skipped before");
    }
    // Before what the boxes say is looked at, the user is asked.
    if sprint.adopted && sprint.plan.begins != Begins::Ticked {
        sprint.checking = Some(Box::new(outcome::every_command(&sprint)));
    }
    sprint
}

/// What somebody must judge although no verifier is sent is the user's.
pub(super) fn by(check: &Check, person: bool) -> Check {
    match check {
        Check::Verifier if person => Check::Person,
        other => other.clone(),
    }
}

fn begins(begins: Begins, most: u32) -> (SprintStatus, u32) {
    match begins {
        Begins::Fresh => (SprintStatus::Pending, 1),
        Begins::PutOff => (SprintStatus::Deferred, 1),
        Begins::Ticked => (SprintStatus::Verifying, 1),
        Begins::Adopted { status, attempt } => {
            let attempt = attempt.clamp(1, most);
            match status {
                SprintStatus::Completed => (SprintStatus::Verifying, attempt),
                SprintStatus::Skipped | SprintStatus::Deferred => (status, attempt),
                // Every attempt was used: only the user starts it again.
                SprintStatus::Fatal => (SprintStatus::Fatal, most),
                SprintStatus::Pending
                | SprintStatus::Dispatched
                | SprintStatus::Running
                | SprintStatus::Verifying
                | SprintStatus::Partial
                | SprintStatus::Backoff
                | SprintStatus::Replan => (SprintStatus::Pending, attempt),
            }
        }
    }
}

settings::roles!();

fn check(config: &Config) -> Result<()> {
    role::check(&config.roles, Role::as_str)?;
    settings::have_words([("mission", &config.mission), ("project", &config.project)])?;
    named("project", &config.project)?;
    numbers(config)?;
    if config.units.is_empty() {
        return Err(Error::new(Code::MissingField, "units", "at least one work unit", "none"));
    }
    paths("root", &config.root)?;
    config.build.iter().try_for_each(|line| argv("build", &line.argv))?;
    let mut ids = BTreeSet::new();
    for (place, unit) in config.units.iter().enumerate() {
        let at = format!("units[{place}]");
        check_unit(unit).map_err(|error| error.within(&at))?;
        if !ids.insert(unit.id.clone()) {
            let at = format!("{at}.id");
            return Err(Error::new(Code::DuplicateId, at, "an id of its own", &unit.id));
        }
    }
    let sprints = config.units.iter();
    let sprints =
        sprints.flat_map(|unit| unit.sprints.iter().map(|one| id_of(&unit.id, &one.label)));
    ids.extend(sprints);
    for (place, unit) in config.units.iter().enumerate() {
        let at = format!("units[{place}]");
        known(&ids, &unit.after, &at)?;
        for (number, one) in unit.sprints.iter().enumerate() {
            known(&ids, &one.after, &format!("{at}.sprints[{number}]"))?;
        }
    }
    let edges = edges(config);
    ensure_none(graph::cycle(edges.iter().map(|(from, to)| (from.as_str(), to.as_str()))), |ids| {
        let (expected, got) = ("sprints in an order", ids.join(" -> "));
        Error::new(Code::DependencyCycle, "units", expected, got)
    })
}

fn numbers(config: &Config) -> Result<()> {
    settings::in_range([
        ("max_retries", config.max_retries, 1..=MOST),
        ("max_continuations", config.max_continuations, 0..=MOST),
        ("max_verifier_rounds", config.max_verifier_rounds, 0..=MOST),
        ("max_turns", config.max_turns, 1..=MOST),
        ("force_from_attempt", config.force_from_attempt, 2..=MOST),
        ("max_parallel", config.max_parallel, 1..=MOST),
        ("watchdog_max_strikes", config.watchdog_max_strikes, 1..=MOST),
    ])?;
    ensure(config.poll_interval_ms >= 10, || {
        let got = config.poll_interval_ms.to_string();
        Error::new(Code::NumberOutOfRange, "poll_interval_ms", "at least 10", got)
    })
}

fn named(at: &str, id: &str) -> Result<()> {
    let fit = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    let dots = id.chars().all(|c| c == '.');
    let expected = "letters, digits, `-`, `_`, `.` or `:`";
    ensure!(!(dots || id.len() > 100 || !id.chars().all(fit)), Code::InvalidValue, at, expected, id)
}

/// A path below the root of the repository, or nothing.
fn paths(at: &str, path: &str) -> Result<()> {
    let leaves =
        path.starts_with('/') || path.contains('\\') || path.split('/').any(|part| part == "..");
    let expected = "a path inside the repository";
    ensure!(!(leaves || path.chars().any(char::is_control)), Code::InvalidValue, at, expected, path)
}

pub(super) fn argv(at: &str, argv: &[String]) -> Result<()> {
    match argv.first() {
        Some(program) if !program.is_empty() => Ok(()),
        _ => Err(Error::new(Code::MissingField, at, "a program with its arguments", "none")),
    }
}

fn check_unit(unit: &UnitConfig) -> Result<()> {
    named("id", &unit.id)?;
    paths("directory", &unit.directory)?;
    unit.progress_files.iter().try_for_each(|path| paths("progress_files", path))?;
    unit.checks.iter().try_for_each(|line| argv("checks", &line.argv))?;
    if unit.sprints.is_empty() {
        return Err(Error::new(Code::MissingField, "sprints", "at least one sprint", "none"));
    }
    let mut labels = BTreeSet::new();
    for (place, sprint) in unit.sprints.iter().enumerate() {
        let at = format!("sprints[{place}]");
        check_sprint(sprint).map_err(|error| error.within(&at))?;
        if !labels.insert(sprint.label.as_str()) {
            let at = format!("{at}.label");
            return Err(Error::new(Code::DuplicateId, at, "a label of its own", &sprint.label));
        }
    }
    Ok(())
}

fn check_sprint(sprint: &SprintConfig) -> Result<()> {
    named("label", &sprint.label)?;
    sprint.reads.iter().try_for_each(|path| paths("reads", path))?;
    sprint.entry_checks.iter().try_for_each(|line| argv("entry_checks", &line.argv))?;
    if sprint.reads.len() > MOST_READS {
        let (expected, got) = (format!("at most {MOST_READS} files"), sprint.reads.len());
        return Err(Error::new(Code::NumberOutOfRange, "reads", expected, got.to_string()));
    }
    settings::in_range([("traits.risk", sprint.traits.risk, 1..=5)])?;
    ensure!(!sprint.criteria.is_empty(), Code::EmptyCriteria, "criteria", "at least one", "none")?;
    let mut ids = BTreeSet::new();
    for (place, criterion) in sprint.criteria.iter().enumerate() {
        let at = format!("criteria[{place}]");
        if criterion.text.trim().is_empty() || criterion.id.trim().is_empty() {
            return Err(Error::new(Code::EmptyCriteria, at, "an id and a condition", "blank text"));
        }
        if let Some(line) = criterion.check.line() {
            argv(&at, &line.argv)?;
        }
        if !ids.insert(criterion.id.as_str()) {
            return Err(Error::new(Code::DuplicateId, at, "an id of its own", &criterion.id));
        }
    }
    Ok(())
}

fn known(ids: &BTreeSet<String>, after: &[String], at: &str) -> Result<()> {
    ensure_none(after.iter().find(|id| !ids.contains(*id)), |unknown| {
        let at = format!("{at}.after");
        let expected = "the id of a work unit or a sprint";
        Error::new(Code::DependencyUnknown, at, expected, unknown)
    })
}

/// Who waits for whom, sprint by sprint: each for the one before it in its unit, the first of a unit for
/// all that its unit waits for.
fn edges(config: &Config) -> Vec<(String, String)> {
    let last = |id: &String| match config.units.iter().find(|unit| unit.id == *id) {
        Some(unit) => unit.sprints.last().map(|one| id_of(&unit.id, &one.label)),
        None => Some(id.clone()),
    };
    let mut edges = Vec::new();
    for unit in &config.units {
        let ids: Vec<String> = unit.sprints.iter().map(|one| id_of(&unit.id, &one.label)).collect();
        let first = ids.first().cloned().unwrap_or_default();
        edges.extend(unit.after.iter().filter_map(last).map(|from| (from, first.clone())));
        edges.extend(ids.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())));
        for (sprint, id) in unit.sprints.iter().zip(&ids) {
            edges.extend(sprint.after.iter().filter_map(last).map(|from| (from, id.clone())));
        }
    }
    edges
}

/// How many sprints wait for each, directly or not, counted up to [`MOST_DEPENDENTS`].
fn dependents(config: &Config, edges: &[(String, String)]) -> BTreeMap<String, u32> {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(from).or_default().push(to);
    }
    let mut counts = BTreeMap::new();
    for unit in &config.units {
        for sprint in &unit.sprints {
            let id = id_of(&unit.id, &sprint.label);
            let count = reached(&next, &id);
            counts.insert(id, u32::try_from(count).unwrap_or(u32::MAX));
        }
    }
    counts
}

fn reached(next: &BTreeMap<&str, Vec<&str>>, from: &str) -> usize {
    let (mut seen, mut queue) = (BTreeSet::new(), VecDeque::from([from]));
    while let Some(id) = queue.pop_front() {
        for to in next.get(id).into_iter().flatten() {
            if seen.len() < MOST_DEPENDENTS && seen.insert(*to) {
                queue.push_back(to);
            }
        }
    }
    seen.len()
}
