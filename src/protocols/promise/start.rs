//! The first state: the tasks as they were read, put into waves.
//!
//! Unknown predecessors and circles are refused here, before anything runs. If an earlier engine
//! says that a task was skipped or deferred, this is believed, and nothing else: a task that was `completed`
//! elsewhere is to be shown here.

use super::files;
use super::role::Role;
use super::state::{Config, Core, Settings, SmokeGate, State, Task, TaskConfig, TaskStatus};
use crate::mission::files::Files;
use crate::mission::prelude::*;
use crate::mission::role;
use crate::mission::settings;
use crate::plan::graph;
use crate::vocab::ledger;
use crate::vocab::table::map_of;
use crate::vocab::table::{Ledgered, Table};

const MOST: u32 = 1_000;

/// The state a config begins with.
///
/// # Errors
/// `missing_field`, `number_out_of_range`, `empty_criteria`, `duplicate_id`, `dependency_unknown`,
/// `dependency_cycle`, `unknown_item` or `dependency_open` for waves that do not fit the dependencies.
pub fn start(config: &Config) -> Result<State> {
    check(config).map_err(|error| error.within("mission.settings"))?;
    let waves = waves(config).map_err(|error| error.within("mission.settings"))?;
    let gates = gates(config, waves.len()).map_err(|error| error.within("mission.settings"))?;
    let numbered = waves.iter().zip(1_u32..);
    let numbers: BTreeMap<&str, u32> = map_of(
        numbered.flat_map(|(wave, number)| wave.iter().map(move |id| (id.as_str(), number))),
    );
    let wave = |id: &str| numbers.get(id).copied().unwrap_or(1);
    let tasks = config.tasks.iter().map(|one| task(one, wave(&one.id))).collect();
    let mut kept = Files::default();
    kept.touch(files::IGNORE);
    kept.touch(files::SCRATCH_IGNORE);
    kept.touch(files::PROGRESS);
    Ok(State {
        core: core(config, waves, gates, kept).into(),
        tasks: Table::from_rows(tasks),
        touches: Ledgered::default(),
    })
}

fn core(config: &Config, waves: Vec<Vec<String>>, gates: Vec<SmokeGate>, files: Files) -> Core {
    Core {
        settings: Arc::new(Settings {
            mission: one_line(&config.mission),
            max_turns: config.max_turns,
            max_parallel: config.max_parallel,
            task_timeout_ms: config.task_timeout_ms,
            test_command: config.test_command.clone(),
            matching: config.matching,
            attempts_per_step: config.attempts_per_step,
            gates,
            roles: config.roles.clone(),
        }),
        waves: Arc::new(waves),
        life: Life { files, ..Life::default() },
        ..Core::default()
    }
}

fn task(config: &TaskConfig, wave: u32) -> Task {
    let mut criteria: Vec<Criterion> =
        config.criteria.iter().map(|one| Criterion::open(&one.id, &one.text)).collect();
    let status = match config.status {
        kept @ (TaskStatus::Skipped | TaskStatus::Deferred) => kept,
        TaskStatus::Pending
        | TaskStatus::InProgress
        | TaskStatus::Completed
        | TaskStatus::Failed => TaskStatus::Pending,
    };
    if status == TaskStatus::Skipped {
        ledger::waive_open(&mut criteria, "user", "skipped in the feature file");
    }
    Task {
        id: config.id.clone(),
        title: one_line(&config.title),
        document: config.document.clone(),
        wave,
        dependencies: config.dependencies.clone(),
        status,
        lines: config.criteria.iter().map(|one| (one.lines.first, one.lines.last)).collect(),
        criteria,
        play: None,
        paths: BTreeSet::new(),
        verified_ordinal: 0,
        reopened: false,
    }
}

settings::roles!();

fn check(config: &Config) -> Result<()> {
    role::check(&config.roles, Role::as_str)?;
    settings::have_words([("mission", &config.mission)])?;
    settings::in_range([
        ("max_turns", config.max_turns, 1..=MOST),
        ("max_parallel", config.max_parallel, 1..=MOST),
        ("attempts_per_step", config.attempts_per_step, 1..=MOST),
    ])?;
    ensure!(!config.tasks.is_empty(), Code::MissingField, "tasks", "at least one task", "none")?;
    let mut ids = BTreeSet::new();
    for (place, task) in config.tasks.iter().enumerate() {
        check_task(task).map_err(|error| error.within(&format!("tasks[{place}]")))?;
        if !ids.insert(task.id.as_str()) {
            let at = format!("tasks[{place}].id");
            return Err(Error::new(Code::DuplicateId, at, "an id of its own", &task.id));
        }
    }
    for (place, task) in config.tasks.iter().enumerate() {
        if let Some(unknown) = task.dependencies.iter().find(|id| !ids.contains(id.as_str())) {
            let at = format!("tasks[{place}].dependencies");
            return Err(Error::new(Code::DependencyUnknown, at, "the id of a task", unknown));
        }
    }
    ensure_none(graph::cycle(edges(config)), |ids| {
        let (expected, got) = ("tasks in an order", ids.join(" -> "));
        Error::new(Code::DependencyCycle, "tasks", expected, got)
    })
}

fn check_task(task: &TaskConfig) -> Result<()> {
    let fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    if task.id.is_empty() || task.id.len() > 100 || !task.id.chars().all(fit) {
        let expected = "letters, digits, `-`, `_`, `.` or `:`";
        return Err(Error::new(Code::InvalidValue, "id", expected, &task.id));
    }
    ensure!(!task.criteria.is_empty(), Code::EmptyCriteria, "criteria", "at least one", "none")?;
    let mut ids = BTreeSet::new();
    for (place, criterion) in task.criteria.iter().enumerate() {
        let at = format!("criteria[{place}]");
        if criterion.text.trim().is_empty() || criterion.id.trim().is_empty() {
            return Err(Error::new(Code::EmptyCriteria, at, "an id and a condition", "blank text"));
        }
        if !ids.insert(criterion.id.as_str()) {
            return Err(Error::new(Code::DuplicateId, at, "an id of its own", &criterion.id));
        }
    }
    Ok(())
}

fn edges(config: &Config) -> impl Iterator<Item = (&str, &str)> {
    config
        .tasks
        .iter()
        .flat_map(|task| task.dependencies.iter().map(|from| (from.as_str(), task.id.as_str())))
}

/// The declared waves, which must name each task once and after what it depends on; else the levels
/// of the graph.
fn waves(config: &Config) -> Result<Vec<Vec<String>>> {
    let ids = || config.tasks.iter().map(|task| task.id.as_str());
    if config.waves.is_empty() {
        let levels = graph::levels(ids(), edges(config));
        let level = |id: &str| levels.get(id).copied().unwrap_or(0);
        let deepest = levels.values().max().copied().unwrap_or(0);
        let wave = |deep| ids().filter(|id| level(id) == deep).map(str::to_owned).collect();
        return Ok((0..=deepest).map(wave).collect());
    }
    let mut place: BTreeMap<&str, usize> = BTreeMap::new();
    let known: BTreeSet<&str> = ids().collect();
    for (number, wave) in config.waves.iter().enumerate() {
        let at = format!("waves[{number}]");
        ensure!(!wave.is_empty(), Code::MissingField, &at, "at least one task", "none")?;
        for id in wave {
            ensure!(known.contains(id.as_str()), Code::UnknownItem, &at, "the id of a task", id)?;
            if place.insert(id, number).is_some() {
                return Err(Error::new(Code::DuplicateId, &at, "each task once", id));
            }
        }
    }
    if let Some(left) = ids().find(|id| !place.contains_key(id)) {
        return Err(Error::new(Code::UnknownItem, "waves", "a wave for every task", left));
    }
    for (from, to) in edges(config) {
        if place.get(from) >= place.get(to) {
            let expected = format!("{to} in a later wave than {from}");
            return Err(Error::new(Code::DependencyOpen, "waves", expected, "the same or earlier"));
        }
    }
    Ok(config.waves.clone())
}

/// The gates, in the order of the waves they stand behind.
fn gates(config: &Config, waves: usize) -> Result<Vec<SmokeGate>> {
    let mut gates = BTreeMap::new();
    for (place, gate) in config.smoke_gates.iter().enumerate() {
        let at = format!("smoke_gates[{place}]");
        let wave = usize::try_from(gate.after_wave).unwrap_or(usize::MAX);
        if wave == 0 || wave > waves {
            let (expected, got) = (format!("a wave from 1 to {waves}"), gate.after_wave);
            let at = format!("{at}.after_wave");
            return Err(Error::new(Code::NumberOutOfRange, at, expected, got.to_string()));
        }
        let argv = format!("{at}.argv");
        ensure!(!gate.argv.is_empty(), Code::MissingField, argv, "a program", "none")?;
        if gates.insert(gate.after_wave, gate.clone()).is_some() {
            let got = format!("two behind wave {}", gate.after_wave);
            return Err(Error::new(Code::DuplicateId, at, "one gate behind a wave", got));
        }
    }
    Ok(gates.into_values().collect())
}
