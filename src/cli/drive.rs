//! Drives a mission and says how it came out: the common end of `init`, `run`, `adopt` and `demo`.

use super::begin::{self, Protocol, Settings};
use super::confine::Confining;
use super::exit::{Exit, Fault};
use super::proof::{self, Proof};
use super::screen::Screen;
use super::{Place, archive, init, plan, state};
use clap::Args;
use endstate::native::archive as records;
use endstate::native::git::Git;
use endstate::native::store::{self, Places};
use endstate::native::{Agent, Driver, HostError, Options, StopFlag, hosted, role_agent};
use endstate::protocols::{Mission, grid};
use endstate::snapshot::Control;
use endstate::vocab::budget::Counter;
use endstate::vocab::command::Command;
use endstate::vocab::effect::Order;
use endstate::vocab::text::one_line;
use endstate::{Config, Continuation};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a lock that is held is waited for, and the pause between two looks.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(50);

/// See the help.
#[derive(Debug, Default, Args)]
pub(crate) struct Run {
    /// The mission, in one sentence, or the document of its plan; needed only where none was begun.
    mission: Option<String>,
    /// How the mission is driven. `promise` reads a task document (Markdown) or a feature
    /// file (YAML), `iteration` an agent definition (JSON), `sprint` a plan (Markdown), `grid` a goal or a
    /// directory of plans.
    #[arg(long, value_enum, default_value = "completion")]
    protocol: Protocol,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    proof: Proof,
    /// Who plays the roles: `pi`, `claude`, `codex` or `opencode` (with arguments behind a colon),
    /// `acp:COMMAND`, `exec:COMMAND` or `script:FILE`.
    #[arg(long, required_unless_present = "begin")]
    agent: Option<String>,
    /// Only begin the mission: whoever drives it next starts it.
    #[arg(long)]
    begin: bool,
    /// Roles that an agent of yours plays itself, getting its work from `endstate mcp`; only roles
    /// that claim.
    #[arg(long, value_name = "ROLE,…", value_delimiter = ',')]
    hosted: Vec<String>,
    /// A limit other than the default, for a new mission, e.g. `role_runs=50`.
    #[arg(long = "budget", value_name = "COUNTER=N", value_parser = limit)]
    budgets: Vec<(Counter, u64)>,
    /// Go on with a mission that is paused, stopped or blocked.
    #[arg(long)]
    resume: bool,
    /// End a run of a role after this many seconds; it counts as lost. An hour without.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    role_timeout: Option<u64>,
    #[command(flatten)]
    confining: Confining,
}

fn limit(text: &str) -> Result<(Counter, u64), String> {
    let (word, number) = text.split_once('=').ok_or("expected COUNTER=N")?;
    let number = number.parse().map_err(|_| format!("`{number}` is no whole number"))?;
    Ok((super::counter(word)?, number))
}

/// See the help.
#[derive(Debug, Args)]
pub(crate) struct Refine {
    /// Who looks; everybody without it.
    #[arg(value_enum)]
    who: Option<Who>,
    /// Who plays the roles: see `run`.
    #[arg(long)]
    agent: String,
    /// How many may be at work at once.
    #[arg(long, value_name = "N")]
    parallel: Option<u32>,
    /// A limit other than the default, e.g. `role_runs=50`.
    #[arg(long = "budget", value_name = "COUNTER=N", value_parser = limit)]
    budgets: Vec<(Counter, u64)>,
    #[command(flatten)]
    proof: Proof,
    #[command(flatten)]
    confining: Confining,
    /// Go on with a refinement that is paused, stopped or blocked.
    #[arg(long)]
    resume: bool,
}

/// Who looks at what was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Who {
    /// One who looks at every screen.
    Visual,
    /// One who uses everything that can be used.
    E2e,
    /// Three to five people who may use it.
    Personas,
}

/// Refines what is there: a mission of the grid protocol that builds nothing.
pub(crate) fn refine(place: &Place, refine: &Refine) -> Result<Exit, Fault> {
    let scope = match refine.who {
        None => grid::state::Scope::All,
        Some(Who::Visual) => grid::state::Scope::Visual,
        Some(Who::E2e) => grid::state::Scope::E2e,
        Some(Who::Personas) => grid::state::Scope::Personas,
    };
    let agent = agent(&refine.agent, &own_program()?, &place.root)?;
    let goal = format!("Refine {}", name_of(&place.root));
    let mut mission = grid::Config::new(goal, Vec::new());
    (mission.refine, mission.refine_only) = (Some(scope), true);
    mission.max_parallel = refine.parallel.unwrap_or(mission.max_parallel);
    let proof = refine.proof.config(&place.root)?;
    let config = |mission: grid::Config| Config {
        budget: refine.budgets.iter().copied().collect(),
        proof: proof.clone(),
        mission: endstate::protocols::ProtocolConfig::Grid(Box::new(mission)),
    };
    let begun = store::begun(&Places::of(&place.root))?;
    // What is there to be refined was often built by a mission that has come to its end.
    let confine = refine.confining.into();
    let options = Options { agent: Some(agent), confine, ..Options::default() };
    let new = if !begun || (!refine.resume && archive::done_aside(place)?) {
        let page = records::latest(&place.root, grid::files::STATE);
        mission.decided = page.map(|page| grid::decisions(&page)).unwrap_or_default();
        Some(begin::begin(place, config(mission))?)
    } else {
        begin::same(place, &config(mission))?;
        None
    };
    let mut driver = with_means(place, new, options)?;
    refine.proof.tell_late(&mut driver)?;
    set_out(place, "refine", refine.resume, driver)
}

/// Does it.
pub(crate) fn run(place: &Place, run: &Run) -> Result<Exit, Fault> {
    let agent = match &run.agent {
        Some(words) => Some(agent(words, &own_program()?, &place.root)?),
        None => None,
    };
    let (place, plan) = match run.protocol == Protocol::Sprint && run.mission.is_none() {
        true => &settled(place)?,
        false => &(place.clone(), None),
    };
    let begun = store::begun(&Places::of(&place.root))?;
    match begun {
        true => run.settings.tell_late(place),
        false => run.settings.suit(run.protocol)?,
    }
    let new = match (&run.mission, begun) {
        (Some(path), false) if run.protocol != Protocol::Completion => {
            Some(started(place, run, path)?)
        }
        (Some(mission), false) => {
            let new =
                init::Init::of(mission, run.proof.clone(), run.budgets.iter().copied().collect());
            match init::begin(place, &new, false)? {
                (Exit::Done, driver) => Some(driver),
                (exit, _) => return Ok(exit),
            }
        }
        (_, true) => {
            same(place, run)?;
            None
        }
        (None, false) if run.protocol == Protocol::Sprint => {
            Some(started(place, run, plan.as_deref().unwrap_or_default())?)
        }
        (None, false) => None,
    };
    drive(place, run, agent, new)
}

/// Drives the mission, with the driver that began it if it is a new one.
fn drive(
    place: &Place,
    run: &Run,
    agent: Option<Agent>,
    new: Option<Driver>,
) -> Result<Exit, Fault> {
    let role_timeout = run.role_timeout.map(Duration::from_secs);
    let consults = begin::handlers(place, &run.settings.handlers)?;
    let opened = store::peek(&Places::of(&place.root))?;
    if run.begin {
        let chain = &opened.position.chain;
        // Nobody drives, and what is told at the beginning is told now all the same.
        for one in opened.engine.pending() {
            if let Order::Notify(notice) = &one.effect.order {
                place.out.say(&notice.text);
                place.out.object(&json!({"note": notice.text}));
            }
        }
        place.out.object(&state::summary("run", &opened.engine, &place.root, chain));
        return Ok(Exit::Done);
    }
    let hosted = hosted::roles(&opened.engine, &run.hosted)?;
    let confine = run.confining.into();
    let options = Options { agent, hosted, role_timeout, consults, confine, ..Options::default() };
    let mut driver = with_means(place, new, options)?;
    run.proof.tell_late(&mut driver)?;
    set_out(place, "run", goes_on(run, &driver), driver)
}

/// The driver that began the mission, else one that opens it. Whoever only brings a word to a mission
/// (`answer`, the `next` of a server) holds its lock for a moment: that is waited for.
fn with_means(place: &Place, new: Option<Driver>, options: Options) -> Result<Driver, Fault> {
    if let Some(mut driver) = new {
        driver.equip(options)?;
        return Ok(driver);
    }
    let began = Instant::now();
    loop {
        match Driver::open(&place.root, options.clone()) {
            Err(HostError::Locked { .. }) if began.elapsed() < PATIENCE => sleep(PAUSE),
            opened => return Ok(opened?),
        }
    }
}

/// What is done without a command: the mission that is there goes on, else the nearest plan is started.
pub(crate) fn go_on(place: &Place, agent: Option<String>) -> Result<Exit, Fault> {
    let (_, plan) = settled(place)?;
    let next = match &plan {
        None => "goes on with the mission".to_owned(),
        Some(path) => format!("starts {path}"),
    };
    if agent.is_none() {
        let expected = format!("who plays the roles: `endstate --agent AGENT` {next}");
        return Err(Fault::usage("--agent", &expected, "none"));
    }
    let resume = plan.is_none();
    run(place, &Run { agent, protocol: Protocol::Sprint, resume, ..Run::default() })
}

/// Where a line without a plan acts: at the mission that is there, else with the nearest plan, in the root of
/// its repository; with the plan's path if no mission was begun there either.
fn settled(place: &Place) -> Result<(Place, Option<String>), Fault> {
    if store::begun(&Places::of(&place.root))? {
        return Ok((place.clone(), None));
    }
    let (root, path) = nearest_plan(place)?;
    let begun = store::begun(&Places::of(&root))?;
    Ok((Place { root, ..place.clone() }, (!begun).then_some(path)))
}

/// The nearest plan, here or in a folder above: the root of its repository, and its path from there.
fn nearest_plan(place: &Place) -> Result<(PathBuf, String), Fault> {
    let found = endstate::native::plans::plan(&place.root, None)?;
    let folder = found.path.parent().unwrap_or(&place.root);
    // Without a repository the place itself is named as what is wrong.
    let top = Git::of(folder).top()?.unwrap_or_else(|| place.root.clone());
    let path = found.path.strip_prefix(&top).ok().and_then(Path::to_str);
    let outside = || {
        let got = found.path.display().to_string();
        Fault::usage("PLAN", "a plan inside the repository", &got)
    };
    path.map(|path| (top.clone(), path.to_owned())).ok_or_else(outside)
}

/// Starts or resumes, says what it may take, and drives to rest.
fn set_out(place: &Place, what: &str, resume: bool, mut driver: Driver) -> Result<Exit, Fault> {
    if let Some(exit) = set_off(place, what, resume, &mut driver)? {
        return Ok(exit);
    }
    state::say_bounds(place.out, driver.engine());
    proof::say_without_command(place.out, driver.engine());
    proof::say_dangerous(place.out, driver.engine());
    proof::say_uncommitted(place, driver.engine())?;
    if let Some(why) = driver.unconfined() {
        place.out.say(format!("agents are not confined: {why}"));
        place.out.object(&json!({"unconfined": why}));
    }
    for (program, shows) in driver.missing_programs() {
        let shows = shows.trim();
        place
            .out
            .say(format!("`{program}` is not found: a command that starts it is to show {shows}"));
        place.out.object(&json!({"missing_program": program, "shows": shows}));
    }
    let moved = proof::say_moved(place, driver.engine())?;
    let exit = to_rest(place, what, driver)?;
    Ok(if moved { Exit::Unproven } else { exit })
}

/// The path of this program.
pub(crate) fn own_program() -> Result<PathBuf, Fault> {
    std::env::current_exe().map_err(|error| {
        Fault::new(Exit::Unexpected, "io", "this program", "its path", &error.to_string())
    })
}

/// The agent that a line names; a scenario is read once to find its faults early.
pub(crate) fn agent(words: &str, program: &Path, root: &Path) -> Result<Agent, Fault> {
    let agent = Agent::parse(words, program)?;
    match &agent {
        Agent::Script { file, .. } => drop(endstate::native::script::Scenario::read(file)?),
        Agent::Real { name, .. } => role_agent::look_for(name, root)?,
        Agent::Exec { .. } => {}
    }
    Ok(agent)
}

/// Refuses another mission than the one that is there, and limits that are too late.
fn same(place: &Place, run: &Run) -> Result<(), Fault> {
    if !run.budgets.is_empty() {
        let expected = "a new mission; `endstate grant` raises the limits of this one";
        return Err(Fault::usage("--budget", expected, "a mission that has begun"));
    }
    let Some(mission) = &run.mission else { return Ok(()) };
    if run.protocol != Protocol::Completion {
        return begin::same(place, &document(place, run, mission)?);
    }
    let opened = store::peek(&Places::of(&place.root))?;
    let there = opened.engine.view().title;
    match one_line(mission) == one_line(&there) {
        true => Ok(()),
        false => Err(archive::another(&opened.engine, &there, mission)),
    }
}

/// The config that the line asks for.
fn document(place: &Place, run: &Run, path: &str) -> Result<Config, Fault> {
    let budget = run.budgets.iter().copied().collect();
    let config = begin::config(place, run.protocol, path, &run.settings, budget)?;
    Ok(Config { proof: run.proof.config(&place.root)?, ..config })
}

/// Begins the mission whose plan is the document at `path`. A written plan gets its name now.
fn started(place: &Place, run: &Run, path: &str) -> Result<Driver, Fault> {
    init::usable(&place.root)?;
    if let (Protocol::Sprint, Some(agent)) = (run.protocol, &run.agent) {
        plan::christen(place, path, agent);
    }
    begin::begin(place, document(place, run, path)?)
}

/// Whether a mission at rest goes on. A sprint mission does without being asked if no plan is named: there
/// is a state, so it is resumed.
fn goes_on(run: &Run, driver: &Driver) -> bool {
    let sprint = matches!(driver.engine().snapshot().mission, Mission::Sprint(_));
    run.resume || run.mission.is_none() && run.protocol == Protocol::Sprint && sprint
}

/// Starts or resumes the mission. The exit status if it cannot be driven now.
fn set_off(
    place: &Place,
    what: &str,
    resume: bool,
    driver: &mut Driver,
) -> Result<Option<Exit>, Fault> {
    let (control, at) = (driver.engine().snapshot().head.control, driver.engine().continuation());
    let resting =
        matches!(control, Control::Paused | Control::Stopped) || at == Continuation::Blocked;
    match (at, control) {
        (Continuation::Done, _) => {}
        (_, Control::Held) if at != Continuation::Blocked => {
            driver.command(Command::Start)?;
        }
        _ if resting && resume => {
            driver.command(Command::Resume)?;
            if driver.engine().snapshot().head.control == Control::Held {
                driver.command(Command::Start)?;
            }
        }
        _ if resting => {
            let view = driver.engine().view();
            let word = if at == Continuation::Blocked { "blocked" } else { "paused" };
            place.out.say(format!("the mission is {word}: {}", view.reason));
            let line =
                format!("nothing was dispatched; `endstate {what} --resume …` goes on with it");
            place.out.say(line);
            finish(place, what, driver);
            return Ok(Some(Exit::of(driver.engine())));
        }
        _ => {}
    }
    Ok(None)
}

/// Drives until nothing is left to do, and says how it came out.
fn to_rest(place: &Place, result: &str, driver: Driver) -> Result<Exit, Fault> {
    to_rest_with(place, driver, |driver| finish(place, result, driver))
}

/// What Ctrl-C raises, from the first call on: one flag for all that this process waits for.
pub(crate) fn interrupts() -> StopFlag {
    static FLAG: OnceLock<StopFlag> = OnceLock::new();
    let heeded = || {
        let stop = StopFlag::default();
        let raise = stop.clone();
        // A handler that cannot be set leaves Ctrl-C as hard as it is; the mission survives that, too.
        let _ = ctrlc::set_handler(move || raise.raise());
        stop
    };
    FLAG.get_or_init(heeded).clone()
}

/// Drives until nothing is left to do, with Ctrl-C heeded; then says the last words.
pub(crate) fn to_rest_with(
    place: &Place,
    mut driver: Driver,
    last_words: impl FnOnce(&Driver),
) -> Result<Exit, Fault> {
    let stop = interrupts();
    let mut screen = Screen::new(place.out, driver.engine());
    let ended = driver.run(&mut screen, &stop);
    drop(screen);
    let ended = ended?;
    last_words(&driver);
    let exit = Exit::of(driver.engine());
    Ok(match (ended.interrupted, exit) {
        (true, Exit::Done) if ended.continuation != Continuation::Done => Exit::Paused,
        _ => exit,
    })
}

/// The last words: where the mission stands, its questions, its files.
pub(crate) fn finish(place: &Place, result: &str, driver: &Driver) {
    let engine = driver.engine();
    let (view, chain) = (engine.view(), &driver.store().position().chain);
    place.out.say(format!("{}: {}", view.phase, view.reason));
    let tallies = view.tallies.iter().map(|one| format!(", {} {}", one.count, words(&one.name)));
    place.out.say(format!(
        "{} of {} items done, {} of {} criteria settled{}",
        state::closed(&view),
        view.nodes.len(),
        view.progress.settled,
        view.progress.total,
        tallies.collect::<String>()
    ));
    proof::lines(&view).iter().for_each(|line| place.out.say(line));
    state::let_go(&view).iter().for_each(|line| place.out.say(line));
    for (id, question) in state::questions(engine) {
        state::ask(id, &question).iter().for_each(|line| place.out.say(line));
    }
    place.out.say(format!("journal: {}", state::journal(&place.root).display()));
    place.out.object(&state::summary(result, engine, &place.root, chain));
}

/// A name of ours as words.
fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// The limits of a new mission.
pub(crate) type Limits = BTreeMap<Counter, u64>;

/// The name of a directory.
pub(crate) fn name_of(root: &Path) -> String {
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "project".to_owned())
}
