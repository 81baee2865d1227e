//! A promise mission from its documents: one task, or a feature file with several.

use super::{Settings, read, tell};
use crate::cli::Place;
use crate::cli::exit::Fault;
use endstate::protocols::promise;
use endstate::protocols::promise::feature::{self, Feature, SmokeGates};
use endstate::protocols::promise::state::{SmokeGate, TaskConfig};
use endstate::protocols::promise::task::{self, TaskDocument};
use endstate::vocab::error::{Code, Error};
use std::path::Path;

/// The task document or the feature file at `path`.
pub(super) fn config(
    place: &Place,
    path: &str,
    settings: &Settings,
) -> Result<promise::Config, Fault> {
    let text = read(&place.root, path)?;
    let yaml = [".yaml", ".yml"].iter().any(|end| path.ends_with(end));
    let mut config = match yaml {
        true => feature_config(place, path, &text)?,
        false => {
            let Task { config, mission, test } = task_config(place, path, &text, None)?;
            let test_command = test.unwrap_or_default();
            promise::Config { test_command, ..promise::Config::new(mission, vec![config]) }
        }
    };
    config.max_turns = settings.max_turns.unwrap_or(config.max_turns);
    config.max_parallel = settings.parallel.unwrap_or(config.max_parallel);
    config.task_timeout_ms = settings.task_timeout.map(|seconds| seconds.saturating_mul(1_000));
    if settings.loose {
        config.matching = promise::matching::Matching::Loose;
    }
    if let Some(test) = &settings.test {
        config.test_command = match shlex::split(test) {
            Some(argv) if !argv.is_empty() => argv,
            _ => return Err(Fault::usage("--test", "a program with its arguments", test)),
        };
    }
    Ok(config)
}

/// A feature file, with the document of each task.
fn feature_config(place: &Place, path: &str, text: &str) -> Result<promise::Config, Fault> {
    let Feature { id, name, tasks, waves, smoke_gates, notes, .. } =
        feature::parse(text).map_err(|error| error.within(path))?;
    let unread = notes.iter().map(|field| format!("{field} is not read"));
    tell(place, path, unread);
    let (mut configs, mut test_command) = (Vec::new(), None);
    for one in tasks {
        let Some(file) = one.file_path.clone() else {
            let error = Error::new(Code::MissingField, &one.id, "the path of its document", "none");
            return Err(error.within(path).into());
        };
        let text = read(&place.root, &file)?;
        let Task { mut config, test, .. } = task_config(place, &file, &text, Some(&one.id))?;
        // One tree, one verdict on it: the first task that names a command names it for all.
        test_command = test_command.or(test);
        if let Some(name) = one.name {
            config.title = name;
        }
        config.dependencies = one.dependencies;
        config.status = one.status;
        configs.push(config);
    }
    let gates = smoke_gates.map(gates).unwrap_or_default();
    let title = format!("{id}: {name}");
    let test_command = test_command.unwrap_or_default();
    let config = promise::Config::new(title, configs);
    Ok(promise::Config { waves, smoke_gates: gates, test_command, ..config })
}

/// One gate behind each wave that the feature names. Its author wrote the command for a shell.
fn gates(gates: SmokeGates) -> Vec<SmokeGate> {
    let gate = |after_wave: &u32| SmokeGate {
        after_wave: *after_wave,
        argv: ["bash", "-c", &gates.command].map(str::to_owned).to_vec(),
        expected_exit: gates.expected_exit,
        timeout_ms: gates.timeout_seconds.unwrap_or(600).saturating_mul(1_000),
    };
    gates.after_waves.iter().map(gate).collect()
}

/// A task document as it was read.
struct Task {
    config: TaskConfig,
    /// What a mission of it alone is called.
    mission: String,
    /// How its tests are run.
    test: Option<Vec<String>>,
}

/// Reads a task document.
fn task_config(place: &Place, path: &str, text: &str, id: Option<&str>) -> Result<Task, Fault> {
    let TaskDocument { id: own, title, criteria, test_command: test, notes } =
        task::parse(text).map_err(|error| error.within(path))?;
    tell(place, path, notes.iter().map(ToString::to_string));
    let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let id = id.map(str::to_owned).or(own).unwrap_or(stem);
    let title = title.unwrap_or_else(|| id.clone());
    let mission = format!("{id}: {title}");
    let document = Some(path.to_owned());
    let (dependencies, status) = (Vec::new(), Default::default());
    let config = TaskConfig { id, title, document, criteria, dependencies, status };
    Ok(Task { config, mission, test })
}
