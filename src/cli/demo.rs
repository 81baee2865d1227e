//! The demo: a small real project in a new repository, carried to a verified end by the scripted team.

use super::begin::{self, Protocol, Settings};
use super::drive::{Limits, finish};
use super::exit::{Exit, Fault};
use super::out::Out;
use super::screen::Screen;
use super::{Place, drive, init, state};
use clap::Args;
use endstate::native::{Agent, Driver, HostError, Options, StopFlag};
use endstate::protocols::ProtocolConfig;
use endstate::protocols::completion;
use endstate::view::ClosedBy;
use endstate::vocab::command::{Accept, Command};
use endstate::vocab::json;
use endstate::{Config, Continuation};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process;

/// See the help.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Where the repository is made; must not exist or be empty. By default a new directory among
    /// the temporary ones, which is kept.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Which protocol is shown.
    #[arg(long, value_enum, default_value = "completion")]
    protocol: Protocol,
}

/// A small project, and the team that carries it to its end.
struct Kit {
    /// Its name, in messages and as the project's.
    name: &'static str,
    /// Path, text, and whether it is a program.
    project: &'static [(&'static str, &'static str, bool)],
    /// What the team does.
    scenario: &'static str,
    /// What its user answers, by the beginning of the question's topic.
    answers: &'static [(&'static str, &'static str)],
}

const TALLY: &str =
    "tally counts lines and words of files and of standard input, and says how it is used";

const COMPLETION: Kit = Kit {
    name: "tally",
    project: &[
        ("README.md", include_str!("demo/completion/README.md"), false),
        ("Makefile", include_str!("demo/completion/Makefile"), false),
        ("bin/tally", include_str!("demo/completion/tally.sh"), true),
        ("tests/run.sh", include_str!("demo/run.sh"), true),
    ],
    scenario: include_str!("demo/completion/team.yaml"),
    answers: &[],
};

/// The plan of the promise demo, in its project.
const FEATURE: &str = "tasks/feature.yaml";

const PROMISE: Kit = Kit {
    name: "slug",
    project: &[
        ("README.md", include_str!("demo/promise/README.md"), false),
        ("Makefile", include_str!("demo/promise/Makefile"), false),
        ("bin/slug", include_str!("demo/promise/slug.sh"), true),
        ("tests/run.sh", include_str!("demo/run.sh"), true),
        (FEATURE, include_str!("demo/promise/feature.yaml"), false),
        ("tasks/TASK-SLUG-001.md", include_str!("demo/promise/TASK-SLUG-001.md"), false),
        ("tasks/TASK-SLUG-002.md", include_str!("demo/promise/TASK-SLUG-002.md"), false),
        ("tasks/TASK-SLUG-003.md", include_str!("demo/promise/TASK-SLUG-003.md"), false),
    ],
    scenario: include_str!("demo/promise/team.yaml"),
    answers: &[],
};

/// The agent of the iteration demo, in its project.
const AGENT: &str = "greeter.json";

const ITERATION: Kit = Kit {
    name: "greet",
    project: &[
        ("README.md", include_str!("demo/iteration/README.md"), false),
        ("tests/run.sh", include_str!("demo/iteration/run.sh"), true),
        (AGENT, include_str!("demo/iteration/agent.json"), false),
    ],
    scenario: include_str!("demo/iteration/team.yaml"),
    answers: &[],
};

/// The plans of the grid demo, in its project.
const PHASE: &str = "plans";

const GRID: Kit = Kit {
    name: "bell",
    project: &[
        ("README.md", include_str!("demo/grid/README.md"), false),
        ("tests/run.sh", include_str!("demo/run.sh"), true),
        ("plans/01-01-PLAN.md", include_str!("demo/grid/01-01-PLAN.md"), false),
        ("plans/01-02-PLAN.md", include_str!("demo/grid/01-02-PLAN.md"), false),
        ("plans/01-03-PLAN.md", include_str!("demo/grid/01-03-PLAN.md"), false),
    ],
    scenario: include_str!("demo/grid/team.yaml"),
    answers: &[("checkpoint:decision", "plain"), ("architecture", "accept")],
};

/// The plan of the sprint demo, in its project.
const PLAN: &str = "EXECUTION_PLAN.md";

const SPRINT: Kit = Kit {
    name: "greeter",
    project: &[
        ("README.md", include_str!("demo/sprint/README.md"), false),
        ("Makefile", include_str!("demo/sprint/Makefile"), false),
        ("ops/mirrored.sh", include_str!("demo/sprint/mirrored.sh"), true),
        (PLAN, include_str!("demo/sprint/EXECUTION_PLAN.md"), false),
    ],
    scenario: include_str!("demo/sprint/team.yaml"),
    answers: &[("confirm", "done, seen")],
};

/// How often the user of a demo is looked for.
const MOST_ROUNDS: usize = 8;

const DATE: &str = "2030-01-01T00:00:00Z";

/// Does it.
pub(crate) fn demo(out: Out, here: &Path, demo: &Demo) -> Result<Exit, Fault> {
    let root = directory(here, demo)?;
    let kit = match demo.protocol {
        Protocol::Completion => COMPLETION,
        Protocol::Promise => PROMISE,
        Protocol::Iteration => ITERATION,
        Protocol::Grid => GRID,
        Protocol::Sprint => SPRINT,
    };
    let place = Place { root: project(&root, &kit)?, out };
    out.say(format!("a small project, {}, in {}", kit.name, place.root.display()));
    let ready = match demo.protocol {
        Protocol::Completion => completion(&place)?,
        Protocol::Promise => {
            let test = Some("make test".to_owned());
            document(&place, demo, FEATURE, &Settings { test, ..Settings::default() })?
        }
        Protocol::Iteration => document(&place, demo, AGENT, &Settings::default())?,
        Protocol::Grid => document(&place, demo, PHASE, &Settings::default())?,
        Protocol::Sprint => {
            let builds = vec!["make test".to_owned()];
            let settings = Settings { trust: true, poll: Some(1), builds, ..Settings::default() };
            document(&place, demo, PLAN, &settings)?
        }
    };
    if !ready {
        return Ok(Exit::Waiting);
    }
    let file = place.root.join(".agent/endstate/team.yaml");
    fs::write(&file, kit.scenario).map_err(|error| HostError::io("write", &file, error))?;
    let agent = Some(Agent::Script { file, program: process_path()? });
    let mut driver = Driver::open(&place.root, Options { agent, ..Options::default() })?;
    driver.command(Command::Start)?;
    state::say_bounds(out, driver.engine());
    answered(&place, &kit, &mut driver)?;
    play(&place, driver)
}

/// Drives on as long as the user of the demo has an answer; a mission that is blocked is mended and resumed.
fn answered(place: &Place, kit: &Kit, driver: &mut Driver) -> Result<(), Fault> {
    let rounds = if kit.answers.is_empty() { 0 } else { MOST_ROUNDS };
    for _ in 0..rounds {
        let mut screen = Screen::new(place.out, driver.engine());
        let ended = driver.run(&mut screen, &StopFlag::default());
        drop(screen);
        ended?;
        match driver.engine().continuation() {
            Continuation::Blocked => {
                place.out.say(format!("blocked: {}", driver.engine().view().reason));
                place.out.say("the user mends what is missing, and resumes");
                driver.command(Command::Resume)?;
            }
            Continuation::AwaitUserInput => {}
            _ => return Ok(()),
        }
        for (id, question) in state::questions(driver.engine()) {
            let known = kit.answers.iter().find(|(topic, _)| question.topic.starts_with(topic));
            let Some((_, words)) = known else { return Ok(()) };
            place.out.say(format!("the user of the demo answers: {words}"));
            driver.answer(id, question.kind.read(words)?)?;
        }
    }
    Ok(())
}

/// Begins a mission whose plan is a document of its project.
fn document(place: &Place, demo: &Demo, path: &str, settings: &Settings) -> Result<bool, Fault> {
    let config = begin::config(place, demo.protocol, path, settings, limits())?;
    begin::begin(place, accepting(place, config)).map(drop)?;
    Ok(true)
}

/// A scripted team judges as it is told, so its user can accept that.
fn accepting(place: &Place, mut config: Config) -> Config {
    place.out.say("the user of the demo accepts what another run judged (`--accept judged`)");
    config.proof.accept = Accept::Judged;
    config
}

fn limits() -> Limits {
    Limits::from([(super::Counter::RoleRuns, 60)])
}

/// Writes and commits the contract files; `false` if something is in the way.
fn completion(place: &Place) -> Result<bool, Fault> {
    let mut settings = completion::Config::new(TALLY, "tally");
    settings.verification_commands = init::verification(place, &[])?;
    settings.docs_surfaces = super::detect::docs(&place.root);
    settings.onboard = true;
    let mission = ProtocolConfig::Completion(settings);
    let config = accepting(place, Config { budget: limits(), ..Config::new(mission) });
    let driver = begin::create(place, config)?;
    Ok(init::onboard(place, "demo", driver, false)?.0 == Exit::Done)
}

fn play(place: &Place, driver: Driver) -> Result<Exit, Fault> {
    drive::to_rest_with(place, driver, |driver| {
        let root = place.root.display();
        place.out.say("");
        finish_words(place, driver);
        place.out.say(format!("look at it: git -C {root} log --stat"));
        let journal = state::journal(&place.root);
        place.out.say(format!("replay it:  endstate replay {}", journal.display()));
        finish(place, "demo", driver);
    })
}

fn finish_words(place: &Place, driver: &Driver) {
    let word = match driver.engine().view().end.map(|end| end.closed_by) {
        Some(ClosedBy::Verified) => "the mission came to its verified end".to_owned(),
        Some(other) => format!("the mission came to its end, closed as {}", json::encode(&other)),
        None => "the mission did not come to its end".to_owned(),
    };
    place.out.say(word);
}

fn process_path() -> Result<PathBuf, Fault> {
    std::env::current_exe().map_err(|error| HostError::io("find", "this program", error).into())
}

fn directory(here: &Path, demo: &Demo) -> Result<PathBuf, Fault> {
    let Some(dir) = &demo.dir else {
        let made = tempfile::Builder::new().prefix("endstate-demo-").tempdir();
        let made = made.map_err(|error| HostError::io("create", std::env::temp_dir(), error))?;
        return Ok(made.keep());
    };
    let dir = here.join(dir);
    fs::create_dir_all(&dir).map_err(|error| HostError::io("create", &dir, error))?;
    let mut entries = fs::read_dir(&dir).map_err(|error| HostError::io("read", &dir, error))?;
    match entries.next() {
        None => Ok(dir),
        Some(_) => {
            let at = dir.display().to_string();
            Err(Fault::usage(&at, "a directory that is empty or not there", "files in it"))
        }
    }
}

/// The project and its first commit. The identity is the repository's own, so that the demo works on
/// a machine where git knows nobody.
fn project(root: &Path, kit: &Kit) -> Result<PathBuf, Fault> {
    for (path, text, program) in kit.project {
        let path = root.join(path);
        let parent = path.parent().unwrap_or(root);
        let mode = if *program { 0o755 } else { 0o644 };
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(mode)))
            .map_err(|error| HostError::io("write", &path, error))?;
    }
    for words in [
        &["init", "-q", "-b", "main"][..],
        &["config", "user.name", "Scripted Team"],
        &["config", "user.email", "team@example.invalid"],
        &["config", "commit.gpgsign", "false"],
        &["add", "-A"],
        &["commit", "-q", "-m", &format!("A skeleton of {}", kit.name)],
    ] {
        git(root, words)?;
    }
    fs::canonicalize(root).map_err(|error| HostError::io("open", root, error).into())
}

fn git(root: &Path, words: &[&str]) -> Result<(), Fault> {
    let mut command = process::Command::new("git");
    command.args(words).current_dir(root);
    endstate::native::process::clean_environment(&mut command);
    command.env("GIT_AUTHOR_DATE", DATE).env("GIT_COMMITTER_DATE", DATE);
    let output = command.output().map_err(|error| HostError::io("start", "git", error))?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            let line = format!("git {}", words.join(" "));
            Err(Fault::new(Exit::Unexpected, "io", &line, "exit status 0", &said))
        }
    }
}
