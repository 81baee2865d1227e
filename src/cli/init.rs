//! Begins a mission: looks at the repository before anything is written, finds out how it tests
//! itself, starts the engine, and drives it with roles held back until the contract is committed.

use super::begin;
use super::drive::{Limits, finish, name_of};
use super::exit::{Exit, Fault};
use super::proof::Proof;
use super::screen::Screen;
use super::{Place, detect, state};
use clap::Args;
use endstate::mission::proof::{ProofConfig, Rooms};
use endstate::native::compare::{self, Difference};
use endstate::native::git::Git;
use endstate::native::redact::printable;
use endstate::native::store::{self, Places};
use endstate::native::{Driver, HostError, Options, StopFlag, adoption};
use endstate::protocols::ProtocolConfig;
use endstate::protocols::completion;
use endstate::{Config, Continuation};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;

/// See the help.
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The mission, in one sentence.
    mission: String,
    /// How many stop judges must agree at one head.
    #[arg(long, value_name = "N")]
    judges: Option<u32>,
    /// The project's name; by default that of the directory.
    #[arg(long)]
    name: Option<String>,
    /// A command that verifies the repository; may be given again. By default it is detected.
    #[arg(long, value_name = "COMMAND")]
    verify: Vec<String>,
    #[command(flatten)]
    proof: Proof,
    /// A limit other than the default, e.g. `role_runs=50`.
    #[arg(skip)]
    budget: Limits,
}

impl Init {
    /// A mission with defaults.
    pub(crate) fn of(mission: &str, proof: Proof, budget: Limits) -> Init {
        let (judges, name, verify) = (None, None, Vec::new());
        Init { mission: mission.to_owned(), judges, name, verify, proof, budget }
    }
}

/// Does it.
pub(crate) fn init(place: &Place, init: &Init) -> Result<Exit, Fault> {
    begin(place, init, true).map(|(exit, _)| exit)
}

/// Does it; `alone` if nothing follows, so that the last words are due. The driver that comes back holds
/// the lock.
pub(crate) fn begin(place: &Place, init: &Init, alone: bool) -> Result<(Exit, Driver), Fault> {
    usable(&place.root)?;
    if let Some(layout) = adoption::found(&place.root) {
        let got = format!("files of one ({layout:?} layout), without a journal");
        let expected = "no directory of a mission; `endstate adopt` takes this one over";
        return Err(Fault::new(Exit::Refused, "foreign_mission", ".agent", expected, &got));
    }
    let mut settings = completion::Config::new(
        &init.mission,
        init.name.clone().unwrap_or_else(|| name_of(&place.root)),
    );
    settings.required_stop_judges = init.judges.unwrap_or(settings.required_stop_judges);
    settings.verification_commands = verification(place, &init.verify)?;
    settings.docs_surfaces = detect::docs(&place.root);
    // Where roles follow and nothing tells how the repository is verified, the bootstrapper finds out.
    settings.onboard = alone || !settings.verification_commands.is_empty();
    let proof = init.proof.config(&place.root)?;
    if alone && proof.room == Rooms::Fresh {
        differ(place, &settings.verification_commands, &proof)?;
    }
    let config = Config {
        budget: init.budget.clone(),
        proof,
        mission: ProtocolConfig::Completion(settings),
    };
    let driver = begin::create(place, config)?;
    onboard(place, "init", driver, alone)
}

/// Refuses what holds here and would not in the rooms that the end is shown in, with what it needs there.
fn differ(place: &Place, commands: &[Vec<String>], proof: &ProofConfig) -> Result<(), Fault> {
    for argv in commands {
        let words = printable(&argv.join(" "));
        place.out.say(format!(
            "looking whether `{words}` comes to the same here and in a fresh checkout"
        ));
    }
    let all = compare::compare(&place.root, commands, proof, &detect::setups(&place.root))?;
    let Some(first) = all.first() else { return Ok(()) };
    let join =
        |argv: &[String]| shlex::try_join(argv.iter().map(String::as_str)).unwrap_or_default();
    for Difference { argv, problem, needs } in &all {
        place.out.object(&json!({"differs": argv, "problem": problem, "needs": needs}));
    }
    let needs = all.iter().filter_map(|one| one.needs.as_ref());
    let files = needs.clone().flat_map(|one| &one.files).map(|path| ("--room-file", path.clone()));
    let setups = needs.flat_map(|one| &one.setup).map(|argv| ("--room-setup", join(argv)));
    let options: BTreeSet<String> =
        files.chain(setups).map(|(name, value)| join(&[name.to_owned(), value])).collect();
    let expected = match options.is_empty() {
        true => "a command that holds in a fresh checkout, too; --room-setup, --room-file and --room-env give it what git does not have, --in-place goes without".to_owned(),
        false => format!("the same line with {}", options.into_iter().collect::<Vec<_>>().join(" ")),
    };
    let got = printable(&format!("it holds here and not there: {}", first.problem.got));
    Err(Fault::new(Exit::Refused, "room_differs", &printable(&join(&first.argv)), &expected, &got))
}

/// Roles stay where they are.
pub(crate) fn held() -> Options {
    Options { hold_roles: true, ..Options::default() }
}

/// Drives with roles held back until the contract files are committed, and says how it went.
pub(crate) fn onboard(
    place: &Place,
    result: &str,
    mut driver: Driver,
    alone: bool,
) -> Result<(Exit, Driver), Fault> {
    let mut screen = Screen::new(place.out, driver.engine());
    let ended = driver.run(&mut screen, &StopFlag::default());
    drop(screen);
    ended?;
    let engine = driver.engine();
    let waits =
        matches!(engine.continuation(), Continuation::AwaitUserInput | Continuation::Blocked);
    if alone || waits {
        finish(place, result, &driver);
    }
    if alone && !waits {
        place.out.say("ready: `endstate run --agent …` starts it");
    }
    let exit = if waits { Exit::of(driver.engine()) } else { Exit::Done };
    Ok((exit, driver))
}

/// Whether a mission may begin here; says what is in the way.
pub(crate) fn usable(root: &Path) -> Result<(), Fault> {
    let places = Places::of(root);
    places.check()?;
    if store::begun(&places)? {
        return Err(HostError::MissionExists { path: places.journal() }.into());
    }
    match Git::of(root).probe()?.problem {
        Some(problem) => Err(Fault { at: state::at(&problem.at, root), ..Fault::from(problem) }),
        None => Ok(()),
    }
}

/// The commands that verify the repository: as given, else as found.
pub(crate) fn verification(place: &Place, given: &[String]) -> Result<Vec<Vec<String>>, Fault> {
    if given.is_empty() {
        let found = detect::test_commands(&place.root);
        for one in &found {
            place.out.say(format!("verified by `{}` (from {})", one.argv.join(" "), one.by));
            place.out.object(&json!({"verification": one.argv, "from": one.by}));
        }
        if found.is_empty() {
            place.out.say(
                "no test command was found (Cargo.toml, package.json, pytest, go.mod, a make target \
                 `test`): use --verify to name one. Else the bootstrapper is asked where a mission begins with \
                 its roles; where it does not, the stop verifier checks the canonical files only.",
            );
            place.out.object(&json!({"verification": null}));
        }
        return Ok(found.into_iter().map(|one| one.argv).collect());
    }
    let split = |text: &String| match shlex::split(text) {
        Some(argv) if !argv.is_empty() => Ok(argv),
        _ => Err(Fault::usage("--verify", "a program with its arguments", text)),
    };
    given.iter().map(split).collect()
}
