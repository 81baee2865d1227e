//! Begins a mission of a protocol whose plan is a document: reads it, puts the config together, and
//! writes line 0 of the journal. Nothing is dispatched yet.

mod grid;
mod handlers;
mod iteration;
mod promise;
mod prompts;
mod settings;
mod sprint;

pub(crate) use handlers::handlers;
pub(crate) use settings::{Protocol, Settings, pair};

use super::drive::Limits;
use super::exit::Fault;
use super::{Place, archive, init};
use endstate::native::redact::printable;
use endstate::native::store::{self, Places};
use endstate::native::{Driver, plans};
use endstate::protocols::ProtocolConfig;
use endstate::vocab::error::{Code, Error};
use endstate::{Config, Engine};
use serde_json::json;
use std::path::{Component, Path};

/// The longest document that is read, in bytes.
pub(crate) const MOST_BYTES: u64 = 4 * 1024 * 1024;

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
        Protocol::Promise => {
            ProtocolConfig::Promise(promise::config(place, &plain(path), settings)?)
        }
        Protocol::Iteration => {
            let config = iteration::config(place, path, settings)?;
            ProtocolConfig::Iteration(Box::new(config))
        }
        Protocol::Sprint => {
            ProtocolConfig::Sprint(Box::new(sprint::config(place, &plain(path), settings)?))
        }
        Protocol::Grid => ProtocolConfig::Grid(Box::new(grid::config(place, path, settings)?)),
    };
    let config = Config { budget, ..Config::new(mission) };
    // Checked before anything is made: a config that makes no sense leaves nothing behind.
    endstate::start(&config, 0)?;
    Ok(config)
}

/// Begins the mission; its driver holds the lock.
pub(crate) fn begin(place: &Place, config: Config) -> Result<Driver, Fault> {
    init::usable(&place.root)?;
    let driver = create(place, config)?;
    place.out.say(format!("mission: {}", driver.engine().mission()));
    Ok(driver)
}

/// Writes line 0 of the journal. Roles stay where they are.
pub(crate) fn create(place: &Place, mut config: Config) -> Result<Driver, Fault> {
    prompts::tell_roles(place, &mut config.mission)?;
    // Checked before anything is made: a config that makes no sense leaves nothing behind.
    endstate::start(&config, 0)?;
    Ok(Driver::create(&place.root, config, init::held())?)
}

/// How many notes are told to people.
const MOST_TOLD: usize = 5;

fn tell(place: &Place, path: &str, notes: impl Iterator<Item = String>) {
    tell_as(place, path, notes.map(|note| ("note", note)));
}

/// Tells notes and warnings; to people the first of them, and how many there are.
fn tell_as<'w>(place: &Place, path: &str, all: impl Iterator<Item = (&'w str, String)>) {
    let mut more: usize = 0;
    for (at, (weight, text)) in all.enumerate() {
        match at < MOST_TOLD {
            true => place.out.say(printable(&format!("{weight}: {path}: {text}"))),
            false => more += 1,
        }
        place.out.object(&json!({"note": {"path": path, "text": text, "severity": weight}}));
    }
    if more > 0 {
        place.out.say(printable(&format!("{path}: {more} notes more, which --json says")));
    }
}

/// A path as missions keep it: `./a//b` is `a/b`. What leaves the repository stays as it is, and is refused.
fn plain(path: &str) -> String {
    let parts = Path::new(path).components().filter(|part| *part != Component::CurDir);
    let parts: Option<Vec<&str>> = parts
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    parts.map_or_else(|| path.to_owned(), |parts| parts.join("/"))
}

/// A text file of the repository.
fn read(root: &Path, path: &str) -> Result<String, Fault> {
    let relative = Path::new(path);
    let inside =
        relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !inside || path.is_empty() {
        return Err(Fault::usage(path, "a path inside the repository", "one that leaves it"));
    }
    let text = plans::read(&root.join(relative))?.text;
    if text.len() as u64 > MOST_BYTES {
        let expected = format!("at most {MOST_BYTES} bytes");
        return Err(Error::new(Code::TooLarge, path, expected, "more").into());
    }
    Ok(text)
}

/// Whether a mission that was begun is the one this config would begin.
pub(crate) fn same(place: &Place, config: &Config) -> Result<(), Fault> {
    let (engine, _) = Engine::start(config, 0)?;
    let there = store::peek(&Places::of(&place.root))?;
    let there = there.engine;
    match engine.mission() == there.mission() {
        true => Ok(()),
        false => Err(archive::another(&there, there.mission(), engine.mission())),
    }
}
