//! Whether commands that hold here hold in a fresh checkout, too, and what they need there if not: looked at before a mission begins.

use super::HostResult;
use super::confine::{self, Confine, Confinement};
use super::git::Git;
use super::kept;
use super::process::Stop;
use super::redact::Redactor;
use super::room;
use super::runs::Runs;
use super::store::Places;
use crate::mission::expectation;
use crate::mission::proof::ProofConfig;
use crate::vocab::effect::{Room, RunCommand};
use crate::vocab::error::{Code, Diagnostic, Error};
use crate::vocab::event::{EffectId, Fact};
use crate::vocab::shown::CommandLine;
use std::cell::RefCell;
use std::path::Path;

/// How long a command has.
const COMMAND_MS: u64 = 600_000;
/// How much of its output is told, in bytes.
const OUTPUT_BYTES: u64 = 4_096;
/// The most ignored files that are tried at once.
const MOST_FILES: usize = 50;

/// Lists what git ignores; a directory without its files, and with a slash at its end.
const IGNORED: [&str; 6] = ["ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z"];

/// Runs commands outside of any mission.
pub(super) struct CommandRunner {
    runs: Runs,
    seq: u64,
}

impl CommandRunner {
    /// In these places, with the bubblewrap that the environment names where they are confined.
    pub(super) fn of(places: Places, how: Confine) -> CommandRunner {
        let confinement = Confinement::new(how, confine::named());
        CommandRunner {
            runs: Runs { places, redactor: Redactor::of_environment(), confinement },
            seq: 0,
        }
    }

    /// `command_exited`, or `effect_failed`.
    pub(super) fn run(&mut self, order: &RunCommand) -> Option<Fact> {
        self.seq += 1;
        let said = RefCell::new(None);
        let id = EffectId { seq: self.seq, n: 1 };
        self.runs.command(id, order, &Stop::default(), &|fact| {
            said.replace(Some(fact));
        });
        said.into_inner()
    }
}

/// What a command needs beside the files of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Needs {
    /// What makes a checkout ready.
    pub setup: Vec<Vec<String>>,
    /// Files that git ignores.
    pub files: Vec<String>,
}

/// A command that holds here and not in a fresh checkout.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The command.
    pub argv: Vec<String>,
    /// What came of it there.
    pub problem: Diagnostic,
    /// With what it holds there, too, if that was found.
    pub needs: Option<Needs>,
}

/// Runs each command here, and, where it holds, in a room as the mission would make it. Where it does not hold there, the room is
/// made with the `setups`, with the files that git ignores, and with both.
///
/// # Errors
/// What git or the system says.
pub fn compare(
    root: &Path,
    commands: &[Vec<String>],
    proof: &ProofConfig,
    setups: &[Vec<String>],
) -> HostResult<Vec<Difference>> {
    let Some(head) = Git::of(root).head()? else { return Ok(Vec::new()) };
    let folder = tempfile::tempdir().map_err(|error| super::HostError::io("make", root, error))?;
    let (engine, staging) = (folder.path().to_owned(), folder.path().join("tmp"));
    let places = Places { root: root.to_owned(), engine, staging };
    let runner = CommandRunner::of(places, Confine::Auto);
    let mut compared = Comparison { runner, root, head, proof };
    let mut differ = Vec::new();
    for argv in commands {
        if compared.run(argv, None).is_err() {
            continue;
        }
        if let Err(problem) = compared.in_room(argv, &Needs::default())? {
            let needs = compared.needs(argv, setups)?;
            differ.push(Difference { argv: argv.clone(), problem, needs });
        }
    }
    room::leave(root);
    Ok(differ)
}

struct Comparison<'a> {
    runner: CommandRunner,
    root: &'a Path,
    head: String,
    proof: &'a ProofConfig,
}

impl Comparison<'_> {
    /// The first of what may help that does.
    fn needs(&mut self, argv: &[String], setups: &[Vec<String>]) -> HostResult<Option<Needs>> {
        let said = Git::of(self.root).read(&IGNORED)?.stdout;
        let names = said.split(|byte| *byte == 0).filter_map(|name| str::from_utf8(name).ok());
        let ours =
            |name: &str| name.is_empty() || name.ends_with('/') || name.starts_with(".agent/");
        let names = names.filter(|name| !ours(name)).take(MOST_FILES).map(str::to_owned);
        let can = |name: &String| kept::room_files(self.root, std::slice::from_ref(name)).is_ok();
        let (files, setup): (Vec<String>, _) = (names.filter(can).collect(), setups.to_vec());
        let none = Needs::default();
        let tries = [
            Needs { files: files.clone(), ..none.clone() },
            Needs { setup: setup.clone(), ..none.clone() },
            Needs { setup, files },
        ];
        for needs in tries.into_iter().filter(|needs| *needs != none) {
            if self.in_room(argv, &needs)?.is_ok() {
                return Ok(Some(needs));
            }
        }
        Ok(None)
    }

    fn in_room(&mut self, argv: &[String], needs: &Needs) -> HostResult<Result<(), Diagnostic>> {
        let ProofConfig { setup, variables, files, .. } = self.proof;
        let more = kept::room_files(self.root, &needs.files)?;
        let mut room = Room {
            name: "before".to_owned(),
            fresh: true,
            commit: Some(self.head.clone()),
            uncommitted: true,
            base: None,
            held: Vec::new(),
            variables: variables.clone(),
            files: [&files[..], &more].concat(),
            offline: false,
            tests: None,
        };
        let ready = setup.len() + needs.setup.len();
        let setup = setup.iter().chain(&needs.setup).map(Vec::as_slice);
        for (at, argv) in setup.chain([argv]).enumerate() {
            room.offline = self.proof.offline && at == ready;
            if let Err(problem) = self.run(argv, Some(&room)) {
                return Ok(Err(problem));
            }
            room.fresh = false;
        }
        Ok(Ok(()))
    }

    fn run(&mut self, argv: &[String], room: Option<&Room>) -> Result<(), Diagnostic> {
        let order = RunCommand {
            argv: argv.to_vec(),
            directory: String::new(),
            purpose: "before".to_owned(),
            timeout_ms: COMMAND_MS,
            output_bytes: OUTPUT_BYTES,
            expected_head: None,
            room: room.cloned(),
        };
        match self.runner.run(&order) {
            Some(Fact::CommandExited(fact)) => {
                let line = CommandLine { argv: order.argv, ..CommandLine::default() };
                expectation::outcome(&line, &fact)
            }
            Some(Fact::EffectFailed(fact)) => Err(fact.problem),
            _ => Err(Error::new(Code::NotShown, argv.join(" "), "a result", "none").diagnostic()),
        }
    }
}
