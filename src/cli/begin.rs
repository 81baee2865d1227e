//! Begins a mission of a protocol whose plan is a document: reads it, puts the config together, and
//! writes line 0 of the journal. Nothing is dispatched yet.

use super::drive::Limits;
use super::exit::Fault;
use super::point::pointed;
use super::{Place, init};
use clap::ValueEnum;
use endstate::native::driver::Handler;
use endstate::native::process::capture;
use endstate::native::redact::printable;
use endstate::native::{Driver, HostError, facilitator};
use endstate::protocols::grid::role::ModelTier;
use endstate::protocols::promise::feature::{self, Feature, SmokeGates};
use endstate::protocols::promise::state::{SmokeGate, TaskConfig};
use endstate::protocols::promise::task::{self, TaskDocument};
use endstate::protocols::{ProtocolConfig, grid, iteration, promise, sprint};
use endstate::vocab::error::{Code, Error};
use endstate::{Config, vocab::json};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Read;
use std::path::{Component, Path};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// The longest document that is read, in bytes.
pub(crate) const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// The protocols a mission can be begun with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    /// A mission in a repository, one slice at a time, to a judged stop.
    #[default]
    Completion,
    /// A task document, or a feature file with several: a player claims, a coach verifies.
    Promise,
    /// An agent definition (agent.json): one agent, prompted until its completion handler says stop.
    Iteration,
    /// A written plan (EXECUTION_PLAN.md): work units side by side, sprints with exit criteria.
    Sprint,
    /// A goal, or a directory of plans: waves of parallel blocks, each wave verified, gaps closed.
    Grid,
}

/// How strong models are (grid).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Models {
    /// The strongest for everybody.
    Quality,
    /// The usual for everybody.
    Balanced,
    /// The usual for those who need to reason, else the cheap one.
    Budget,
}

/// What a line may say about a new mission beside its plan.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Settings {
    /// How many turns a task has (promise), or one run of a sprint (sprint).
    #[arg(long, value_name = "N")]
    pub(crate) max_turns: Option<u32>,
    /// How many players or coaches (promise), agents (sprint) or executors (grid) may be at work at once.
    #[arg(long, value_name = "N")]
    pub(crate) parallel: Option<u32>,
    /// A command that says at every turn whether the tests pass (promise).
    #[arg(long, value_name = "COMMAND")]
    pub(crate) test: Option<String>,
    /// End the turns of a task after this many seconds (promise).
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) task_timeout: Option<u64>,
    /// Match promises to criteria by similarity where nothing else does (promise).
    #[arg(long)]
    pub(crate) loose: bool,
    /// Confirm checkpoints of the type human-verify without asking; decisions and actions are still
    /// asked (grid).
    #[arg(long)]
    pub(crate) automatic: bool,
    /// How strong models are; without it `.grid/config.json` says so (grid).
    #[arg(long, value_enum)]
    pub(crate) models: Option<Models>,
    /// Refine what was built by the whole swarm (grid).
    #[arg(long)]
    pub(crate) refine: bool,
    /// An argument of the agent, e.g. `issue=12`; may be given again (iteration).
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = pair)]
    pub(crate) args: Vec<(String, String)>,
    /// Prompt templates, each a file `NAME.md`, in the place of ours (iteration).
    #[arg(long, value_name = "DIR")]
    pub(crate) templates: Option<String>,
    /// Run the commands of the plan as they are written, without being asked (sprint).
    #[arg(long)]
    pub(crate) trust: bool,
    /// A command that builds and tests everything at a gate; may be given again (sprint).
    #[arg(long = "build", value_name = "COMMAND")]
    pub(crate) builds: Vec<String>,
    /// The attempt from which the strongest model is sent (sprint).
    #[arg(long, value_name = "N")]
    pub(crate) force_from_attempt: Option<u32>,
    /// Seconds between two looks at what runs and at what is waited for (sprint).
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) poll: Option<u64>,
    /// Host code for a custom handler, by the path it is consulted under: a program that reads the
    /// question on standard input and prints the answer, or `builtin:facilitator` (iteration).
    #[arg(long = "handler", value_name = "NAME=COMMAND", value_parser = pair)]
    pub(crate) handlers: Vec<(String, String)>,
}

impl Settings {
    /// The options that were given, each with the protocols it is of.
    fn given(&self) -> Vec<(&'static str, &'static [Protocol])> {
        use Protocol::{Grid, Iteration, Promise, Sprint};
        let all: [(bool, &str, &[Protocol]); 13] = [
            (self.max_turns.is_some(), "--max-turns", &[Promise, Sprint]),
            (self.parallel.is_some(), "--parallel", &[Promise, Sprint, Grid]),
            (self.test.is_some(), "--test", &[Promise]),
            (self.task_timeout.is_some(), "--task-timeout", &[Promise]),
            (self.loose, "--loose", &[Promise]),
            (self.automatic, "--automatic", &[Grid]),
            (self.models.is_some(), "--models", &[Grid]),
            (self.refine, "--refine", &[Grid]),
            (!self.args.is_empty(), "--arg", &[Iteration]),
            (self.templates.is_some(), "--templates", &[Iteration]),
            (self.trust, "--trust", &[Sprint]),
            (!self.builds.is_empty(), "--build", &[Sprint]),
            (self.poll.is_some(), "--poll", &[Sprint]),
        ];
        let given = all.into_iter().filter(|(given, ..)| *given);
        given.map(|(_, name, of)| (name, of)).collect()
    }

    /// An option that says nothing to this protocol is a mistake of whoever typed it.
    pub(crate) fn suit(&self, protocol: Protocol) -> Result<(), Fault> {
        let word = |one: &Protocol| format!("{one:?}").to_lowercase();
        match self.given().into_iter().find(|(_, of)| !of.contains(&protocol)) {
            None => Ok(()),
            Some((name, of)) => {
                let of: Vec<String> = of.iter().map(word).collect();
                let expected = format!("--protocol {}", of.join(" or "));
                Err(Fault::usage(name, &expected, &word(&protocol)))
            }
        }
    }

    /// A mission keeps the settings it was begun with: those on a later line change nothing, and it says so.
    pub(crate) fn tell_late(&self, place: &Place) {
        let names: Vec<&str> = self.given().into_iter().map(|(name, _)| name).collect();
        if !names.is_empty() {
            let text = format!(
                "{} {} nothing: the mission has begun, and keeps the settings of its start",
                names.join(", "),
                if names.len() == 1 { "changes" } else { "change" }
            );
            place.out.say(format!("note: {text}"));
            place.out.object(&json!({"note": {"path": "line", "text": text}}));
        }
    }
}

pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    match name.trim().is_empty() {
        true => Err("expected NAME=VALUE".to_owned()),
        false => Ok((name.to_owned(), value.to_owned())),
    }
}

/// How long a program of a custom handler may take for one answer.
const HANDLER_TIMEOUT: Duration = Duration::from_secs(50);

/// The host code that a line names.
pub(crate) fn handlers(
    place: &Place,
    handlers: &[(String, String)],
) -> Result<HashMap<String, Handler>, Fault> {
    let mut all = HashMap::new();
    for (name, command) in handlers {
        let handler = match command.as_str() {
            "builtin:facilitator" => facilitator::handler(),
            command => match shlex::split(command) {
                Some(argv) if !argv.is_empty() => program(&place.root, argv),
                _ => return Err(Fault::usage("--handler", "NAME=COMMAND", command)),
            },
        };
        all.insert(name.clone(), handler);
    }
    Ok(all)
}

/// A program as host code.
fn program(root: &Path, argv: Vec<String>) -> Handler {
    let root = root.to_owned();
    Arc::new(move |input: &str| {
        let mut command = Command::new(&argv[0]);
        command.args(&argv[1..]).current_dir(&root);
        let said = capture(command, input.as_bytes(), HANDLER_TIMEOUT);
        let said = said.map_err(|error| error.to_string())?;
        match said.status {
            Some(0) => String::from_utf8(said.stdout).map_err(|error| error.to_string()),
            Some(status) => Err(format!("exit status {status}: {}", said.stderr.trim())),
            None => Err(format!("ended by a signal: {}", said.stderr.trim())),
        }
    })
}

/// The config of a mission whose plan is the document at `path`, from the root of the repository.
pub(crate) fn config(
    place: &Place,
    protocol: Protocol,
    path: &str,
    settings: &Settings,
    budget: Limits,
) -> Result<Config, Fault> {
    let mission = match protocol {
        Protocol::Completion => {
            let expected = "a protocol whose plan is a document";
            return Err(Fault::usage("--protocol", expected, "completion"));
        }
        Protocol::Promise => ProtocolConfig::Promise(promise_config(place, path, settings)?),
        Protocol::Iteration => {
            let config = iteration_config(place, path, settings)?;
            ProtocolConfig::Iteration(Box::new(config))
        }
        Protocol::Sprint => ProtocolConfig::Sprint(Box::new(sprint_config(place, path, settings)?)),
        Protocol::Grid => ProtocolConfig::Grid(Box::new(grid_config(place, path, settings)?)),
    };
    let config = Config { budget, mission };
    // Checked before anything is made: a config that makes no sense leaves nothing behind.
    endstate::start(&config, 0)?;
    Ok(config)
}

/// Begins the mission; its driver holds the lock.
pub(crate) fn begin(place: &Place, config: Config) -> Result<Driver, Fault> {
    init::usable(&place.root)?;
    let driver = Driver::create(&place.root, config, init::held())?;
    place.out.say(format!("mission: {}", driver.engine().mission()));
    Ok(driver)
}

fn promise_config(
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

/// A written plan, and what an earlier supervisor recorded beside it.
fn sprint_config(place: &Place, path: &str, settings: &Settings) -> Result<sprint::Config, Fault> {
    let text = read(&place.root, path)?;
    let project = super::drive::name_of(&place.root);
    let sprint::plan::Planned { mut config, notes } = sprint::plan::config(path, &text, &project)?;
    tell(place, path, notes.into_iter());
    config.trusted = settings.trust;
    config.max_turns = settings.max_turns.unwrap_or(config.max_turns);
    config.max_parallel = settings.parallel.unwrap_or(config.max_parallel);
    config.force_from_attempt = settings.force_from_attempt.unwrap_or(config.force_from_attempt);
    config.poll_interval_ms =
        settings.poll.map_or(config.poll_interval_ms, |s| s.saturating_mul(1_000));
    for build in &settings.builds {
        let argv = shlex::split(build).filter(|argv| !argv.is_empty());
        let argv =
            argv.ok_or_else(|| Fault::usage("--build", "a program with its arguments", build))?;
        config.build.push(sprint::config::CommandLine { argv, expect: Default::default() });
    }
    let state = sprint::files::state_path(&config.root);
    if place.root.join(&state).is_file() {
        let recorded = sprint::files::read::state(&read(&place.root, &state)?);
        let told = recorded.adopt(&mut config);
        tell(place, &state, told.into_iter());
    }
    Ok(config)
}

/// An agent definition, with the templates of its caller.
fn iteration_config(
    place: &Place,
    path: &str,
    settings: &Settings,
) -> Result<iteration::Config, Fault> {
    let text = read(&place.root, path)?;
    let registered: Vec<String> = settings.handlers.iter().map(|(name, _)| name.clone()).collect();
    let definition = iteration::definition::parse_with(&text, &registered)
        .map_err(|error| error.within(path))?;
    let name = definition.display_name.clone().unwrap_or_else(|| definition.name.clone());
    let mut config = iteration::Config::new(name, definition);
    config.registered = registered;
    config.args = settings.args.iter().cloned().collect();
    if let Some(directory) = &settings.templates {
        config.templates = templates(place, directory)?;
    }
    Ok(config)
}

/// A goal, or a directory with the plans of one phase.
fn grid_config(place: &Place, goal: &str, settings: &Settings) -> Result<grid::Config, Fault> {
    let mut config = match place.root.join(goal).is_dir() {
        false if looks_like_a_path(goal) => {
            let expected = "a directory that holds the plans of one phase, or a goal in words";
            let got = match place.root.join(goal).exists() {
                true => format!("{goal}, a file"),
                false => format!("{goal}, which is not there"),
            };
            return Err(Error::new(Code::InvalidValue, "GOAL", expected, got).into());
        }
        false => grid::Config::new(goal, Vec::new()),
        true => {
            let plans = plans(place, goal)?;
            let phase = plans.first().map(|plan| plan.phase.clone()).unwrap_or_default();
            if let Some(other) = plans.iter().find(|plan| plan.phase != phase) {
                let (expected, got) =
                    (format!("plans of one phase, {phase}"), other.phase.as_str());
                let at = other.path.clone().unwrap_or_default() + ": phase";
                let error = Error::new(Code::InvalidValue, at, expected, got);
                return Err(in_its_file(place, &plans, error).into());
            }
            let config =
                grid::Config::new(format!("Phase {phase}, as planned in {goal}"), plans.clone());
            grid::start(&config).map_err(|error| in_its_file(place, &plans, error))?;
            config
        }
    };
    config.max_parallel = settings.parallel.unwrap_or(config.max_parallel);
    config.automatic = settings.automatic;
    config.refine = settings.refine.then_some(grid::state::Scope::All);
    config.model_tier = settings.models.map(|models| match models {
        Models::Quality => ModelTier::Quality,
        Models::Balanced => ModelTier::Balanced,
        Models::Budget => ModelTier::Budget,
    });
    Ok(config)
}

/// A fault of plans taken together, with its line in the document of the plan it speaks of.
fn in_its_file(place: &Place, plans: &[grid::plan::Plan], error: Error) -> Error {
    let mut paths = plans.iter().filter_map(|plan| plan.path.as_deref());
    let of = |path: &&str| error.at.strip_prefix(*path).is_some_and(|rest| rest.starts_with(": "));
    let Some(path) = paths.find(of) else { return error };
    let text = read(&place.root, path).unwrap_or_default();
    let at = error.at[path.len() + 2..].to_owned();
    pointed(Error { at, ..error }, path, &text)
}

/// One word with a slash in it, or the name of a document: nobody words a goal like that.
fn looks_like_a_path(goal: &str) -> bool {
    let goal = goal.trim();
    let word = !goal.contains(char::is_whitespace);
    word && (goal.contains('/') || goal.ends_with(".md"))
}

/// Every `*-PLAN.md` of a directory, in the order of their names.
fn plans(place: &Place, directory: &str) -> Result<Vec<grid::plan::Plan>, Fault> {
    let directory = directory.trim_end_matches('/');
    let full = place.root.join(directory);
    let fail = |error| HostError::io("read", &full, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(&full).map_err(fail)? {
        names.push(entry.map_err(fail)?.file_name().to_string_lossy().into_owned());
    }
    names.retain(|name| name.ends_with("-PLAN.md"));
    names.sort();
    let mut plans = Vec::new();
    for name in names {
        let path = format!("{directory}/{name}");
        let text = read(&place.root, &path)?;
        let read = grid::plan::parse(&name, &text).map_err(|error| pointed(error, &path, &text))?;
        tell(place, &path, read.faults.iter().chain(&read.notes).map(ToString::to_string));
        plans.push(grid::plan::Plan { path: Some(path), ..read.plan });
    }
    match plans.is_empty() {
        false => Ok(plans),
        true => Err(Fault::usage(directory, "a directory with *-PLAN.md files", "none in it")),
    }
}

/// Every `NAME.md` of a directory of the repository.
fn templates(place: &Place, directory: &str) -> Result<BTreeMap<String, String>, Fault> {
    let full = place.root.join(directory);
    let fail = |error| HostError::io("read", &full, error);
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(&full).map_err(fail)? {
        let name = entry.map_err(fail)?.file_name().to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix(".md") {
            all.insert(stem.to_owned(), read(&place.root, &format!("{directory}/{name}"))?);
        }
    }
    Ok(all)
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

fn tell(place: &Place, path: &str, notes: impl Iterator<Item = String>) {
    for note in notes {
        place.out.say(printable(&format!("note: {path}: {note}")));
        place.out.object(&json!({"note": {"path": path, "text": note}}));
    }
}

/// A text file of the repository.
fn read(root: &Path, path: &str) -> Result<String, Fault> {
    let relative = Path::new(path);
    let inside =
        relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !inside || path.is_empty() {
        return Err(Fault::usage(path, "a path inside the repository", "one that leaves it"));
    }
    let full = root.join(relative);
    let fail = |error| HostError::io("read", &full, error);
    let missing = |got: &str| Err(Error::new(Code::FileMissing, path, "a file", got).into());
    match fs::metadata(&full) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return missing("nothing"),
        // A pipe that nobody writes to would be read for ever.
        Ok(kind) if !kind.is_file() => return missing("something that is no file"),
        _ => {}
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(&full).map_err(fail)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MOST_BYTES {
        let expected = format!("at most {MOST_BYTES} bytes");
        return Err(Error::new(Code::TooLarge, path, expected, "more").into());
    }
    Ok(json::utf8(&bytes).map_err(|error| error.within(path))?.to_owned())
}

/// Whether a mission that was begun is the one this config would begin.
pub(crate) fn same(place: &Place, config: &Config) -> Result<(), Fault> {
    let (engine, _) = endstate::Engine::start(config, 0)?;
    let there = endstate::native::store::peek(&endstate::native::store::Places::of(&place.root))?;
    let there = there.engine;
    match engine.mission() == there.mission() {
        true => Ok(()),
        false => Err(super::archive::another(&there, there.mission(), engine.mission())),
    }
}
