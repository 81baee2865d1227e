//! A mission in a real git repository, played by any program:
//! `cargo run --example drive -- REPOSITORY COMMAND…`
//!
//! The repository has an agent definition, `agent.json`. The program reads its prompt on standard input and prints
//! its report. Ctrl-C once lets what runs come to its end, twice ends it; run the same line again to go on.

// A host touches files and the environment; the core does not.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use endstate::engine::Applied;
use endstate::native::{Agent, Driver, Observer, Options, StopFlag};
use endstate::protocols::{ProtocolConfig, iteration};
use endstate::vocab::command::Command;
use endstate::vocab::event::Event;
use endstate::{Config, Continuation, Engine};
use std::error::Error;
use std::path::Path;

/// Prints every event.
struct Told;

impl Observer for Told {
    fn event(&mut self, _engine: &Engine, event: &Event, _applied: &Applied) {
        println!("{}", event.fact.name());
    }
}

fn config(root: &Path) -> Result<Config, Box<dyn Error>> {
    let definition =
        iteration::definition::parse(&std::fs::read_to_string(root.join("agent.json"))?)?;
    let mission = iteration::Config::new("Do what the definition says", definition);
    let mission = ProtocolConfig::Iteration(Box::new(mission));
    Ok(Config::new(mission))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args_os().skip(1);
    let root = words.next().ok_or("drive REPOSITORY COMMAND…")?;
    let argv: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let options =
        || Options { agent: Some(Agent::Exec { argv: argv.clone() }), ..Options::default() };
    let root = std::fs::canonicalize(root)?;
    let begun = root.join(".agent/endstate/journal.jsonl").exists();
    let mut driver = match begun {
        true => Driver::open(&root, options())?,
        false => Driver::create(&root, config(&root)?, options())?,
    };
    match driver.engine().continuation() {
        Continuation::Paused if begun => drop(driver.command(Command::Resume)?),
        _ if begun => {}
        _ => drop(driver.command(Command::Start)?),
    }
    let stop = StopFlag::default();
    let raised = stop.clone();
    ctrlc::set_handler(move || raised.raise())?;
    driver.run(&mut Told, &stop)?;
    let view = driver.engine().view();
    println!("{}: {}", view.phase, view.reason);
    Ok(())
}
