//! Runs outlive hosts: what is known of a process is on disk before it runs and after it ends.
//!
//! `.agent/endstate/runs/<effect id>/` holds `record.json` (who, from when, what), `prompt.md`,
//! `stdout`, `stderr` (a command has both in `stdout`), of a role `status` (its exit status), and in
//! the end `result.json`: the fact itself. The record is durable before the child passes its gate, so **an
//! effect id is never run twice**: a host that comes back finds no record (nothing ran), a result (it is
//! read), or a record alone. Of a role it then looks on where the host before it did: it waits for a process
//! that provably is the one of the record, and takes what one that ended meanwhile has written. How a role
//! ended is known by its status and by nothing else: one that left none counts as lost, whatever it has said.
//! What is left of a command is ended; it can be run again.

use super::agent::{self, Agent};
use super::confine::Confinement;
use super::durable;
use super::error::{HostError, HostResult, problem};
use super::files;
use super::process::{self, End, Spec, Stop};
use super::processes;
use super::redact::Redactor;
use super::regular;
use super::room::{self, Entered};
use super::stale_locks;
use super::store::Places;
use super::teller::Teller;
use crate::mission::proof::read_tests;
use crate::vocab::effect::{RunCommand, SpawnRole};
use crate::vocab::error::{Code, Diagnostic};
use crate::vocab::event::{CommandExited, EffectFailed, EffectId, Fact, RunEnded, RunOutcome};
use crate::vocab::json;
use crate::vocab::role::Usage;
use crate::vocab::test_report::{TestFormat, TestReport};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The most output of a command that is kept on disk; a command that says more is ended.
const MOST_COMMAND_OUTPUT: u64 = 256 * 1024 * 1024;
/// The most output of a command that goes into its fact.
const MOST_COMMAND_TAIL: u64 = 1024 * 1024;

/// The most that is read of what a test runner reports, in bytes; what is cut is no XML, and reports nothing.
const MOST_TEST_REPORT: u64 = 64 * 1024 * 1024;

/// What is known of a process from before it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The effect it performs.
    pub effect: EffectId,
    /// Its process id, which is also its group's.
    pub pid: u32,
    /// When it was started, in the words of the system.
    pub start: String,
    /// Program and arguments.
    pub argv: Vec<String>,
    /// It is kept from what the engine keeps.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confined: bool,
}

/// What an earlier host left of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// Nothing ran.
    Nothing,
    /// It finished; this is its fact.
    Finished(Box<Fact>),
    /// It was begun and left no result: it runs still, or ended while nobody looked.
    Begun(Begun),
}

/// What is known of a run whose host died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    pid: u32,
    start: String,
    age: Duration,
    /// The process is there, and provably the one that was started.
    pub lives: bool,
    /// Its exit status is known.
    pub ended: bool,
}

/// Where runs live, and what they must not tell.
#[derive(Clone, Debug)]
pub struct Runs {
    /// The paths of the mission.
    pub places: Places,
    /// Takes secrets out of what is kept.
    pub redactor: Redactor,
    /// How they are confined.
    pub confinement: Confinement,
}

impl Runs {
    /// Looks for an earlier run of this effect.
    ///
    /// # Errors
    /// What the system says.
    pub fn earlier(&self, id: EffectId) -> HostResult<Earlier> {
        let folder = self.places.run(&id.to_string());
        let path = folder.join("record.json");
        let record = match regular::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Earlier::Nothing);
            }
            Err(error) => return Err(HostError::io("read", folder, error)),
        };
        let result = regular::read(&folder.join("result.json")).unwrap_or_default();
        let fact = json::utf8(&result).and_then(json::decode::<Fact>);
        if let Some(fact) = fact.ok().filter(|fact| fact.effect() == Some(id)) {
            return Ok(Earlier::Finished(Box::new(fact)));
        }
        let (pid, start) = match serde_json::from_slice::<Record>(&record) {
            Ok(record) => (record.pid, record.start),
            Err(_) => (0, String::new()),
        };
        // The gate is opened when the record is there.
        let age = path.metadata().and_then(|meta| meta.modified()).ok();
        let age = age.and_then(|since| since.elapsed().ok()).unwrap_or_default();
        let lives = processes::is_ours(pid, &start, &folder.join("stdout"));
        let ended = folder.join("status").exists();
        Ok(Earlier::Begun(Begun { pid, start, age, lives, ended }))
    }

    /// Takes away what stands in the place of a run that has not begun. Whether there was anything.
    pub fn clear(&self, id: EffectId) -> bool {
        let folder = self.places.run(&id.to_string());
        let there = folder.symlink_metadata().is_ok();
        // A link goes as itself. Where this fails, the run cannot begin there either, and says so.
        let _ = fs::remove_dir_all(&folder).or_else(|_| fs::remove_file(&folder));
        there
    }

    /// Whether the record of a run says that it is confined.
    pub fn confined(&self, id: EffectId) -> bool {
        let record = regular::read(&self.places.run(&id.to_string()).join("record.json"));
        let record = record.ok().and_then(|text| serde_json::from_slice::<Record>(&text).ok());
        record.is_some_and(|record| record.confined)
    }

    /// What is known of the run that this one corrects, so that an agent can go on where it was.
    fn corrected(&self, spawn: &SpawnRole) -> Vec<(String, String)> {
        let output =
            |run: EffectId| regular::read(&self.places.run(&run.to_string()).join("stdout"));
        let output = spawn.corrects.and_then(|run| output(run).ok());
        output.map(|bytes| agent::corrected(&bytes)).unwrap_or_default()
    }

    /// What every process of a run carries in its environment.
    fn marks(&self, id: EffectId) -> [(String, String); 2] {
        let root = self.places.root.display().to_string();
        [("ENDSTATE_RUN".to_owned(), id.to_string()), ("ENDSTATE_ROOT".to_owned(), root)]
    }

    /// Ends whatever an earlier host left running for effects that nobody waits for any more. Answers with the
    /// locks of git that were left by it and taken away.
    pub fn end_leftovers(&self, awaited: impl Fn(EffectId) -> bool) -> Vec<String> {
        let folders = fs::read_dir(self.places.engine.join("runs")).into_iter().flatten().flatten();
        for folder in folders {
            let id = folder.file_name().to_str().and_then(|name| name.parse().ok());
            let open = |id: &EffectId| !folder.path().join("result.json").exists() && !awaited(*id);
            if let Some(id) = id.filter(open) {
                // A record that cannot be read now is looked at again by the next driver.
                if let Ok(Earlier::Begun(begun)) = self.earlier(id) {
                    self.end(id, &begun);
                }
            }
        }
        stale_locks::release(&self.places.root)
    }

    /// Ends what is left of an earlier run.
    pub fn end(&self, id: EffectId, begun: &Begun) {
        if begun.lives {
            process::end_group(begun.pid, process::GRACE);
        }
        process::end_leftovers(&self.marks(id));
    }

    /// Plays a role to its end. `tell` is given `run_started`, `run_progressed`, `run_ended`; or
    /// `effect_failed` alone, if the agent cannot be started.
    pub fn role(
        &self,
        id: EffectId,
        spawn: &SpawnRole,
        agent: &Agent,
        mission: &str,
        stop: &Stop,
        tell: &dyn Fn(Fact),
    ) {
        let folder = self.places.run(&id.to_string());
        let mut spec = self.role_spec(id, spawn);
        spec.before = match self.confinement.words(&self.places, &[], false) {
            Ok(words) => words,
            Err(error) => return tell(failed(id, &error)),
        };
        let confined = !spec.before.is_empty();
        spec.argv = agent.argv(&folder.join("prompt.md"));
        spec.variables = [
            agent::variables(spawn, id, mission, &self.places.root),
            self.corrected(spawn),
            own_program(),
        ]
        .concat();
        let gated = match self.begin(id, &folder, spec, &spawn.prompt) {
            Ok(gated) => gated,
            Err(error) => return tell(failed(id, &error)),
        };
        self.follow_role(id, spawn, gated, Teller::new(id, tell, confined), stop);
    }

    /// Looks on at a role that an earlier host started, to its end. `tell` is given what its journal does not
    /// have: `run_progressed` and `run_ended`.
    pub fn role_again(
        &self,
        id: EffectId,
        spawn: &SpawnRole,
        begun: Begun,
        stop: &Stop,
        tell: &dyn Fn(Fact),
    ) {
        let gated = process::found(self.role_spec(id, spawn), begun.pid, begun.start, begun.age);
        let teller = Teller::again(id, tell, self.told(id));
        self.follow_role(id, spawn, gated, teller, stop);
    }

    fn role_spec(&self, id: EffectId, spawn: &SpawnRole) -> Spec {
        let folder = self.places.run(&id.to_string());
        Spec {
            before: Vec::new(),
            argv: vec![spawn.role.clone()],
            directory: self.places.root.clone(),
            environment: None,
            variables: Vec::new(),
            input: folder.join("prompt.md"),
            stdout: folder.join("stdout"),
            stderr: folder.join("stderr"),
            status: folder.join("status"),
            timeout: Duration::from_millis(spawn.limits.timeout_ms),
            output_bytes: spawn.limits.output_bytes,
        }
    }

    fn follow_role(
        &self,
        id: EffectId,
        spawn: &SpawnRole,
        gated: process::Gated,
        mut teller: Teller<'_>,
        stop: &Stop,
    ) {
        let folder = self.places.run(&id.to_string());
        let (began, age, tell) = (Instant::now(), gated.age, teller.tell);
        let end = gated.run(stop, &mut |stdout, bytes| teller.hear(stdout, bytes));
        // Agents start their tools in groups of their own, which the end of theirs does not reach.
        process::end_leftovers(&self.marks(id));
        self.tidy(&end);
        teller.finish();
        let limit = spawn.limits.output_bytes;
        let stdout = self.keep(&folder.join("stdout"), limit);
        let stderr = self.keep(&folder.join("stderr"), limit);
        let spent = u64::try_from((age + began.elapsed()).as_millis()).unwrap_or(u64::MAX);
        let fact = match end {
            Ok(end) => agent::ended(id, end, &stdout, &stderr, spent, &spawn.limits),
            Err(error) => lost(id, error.diagnostic(Code::RunLost)),
        };
        self.finish(&folder, Fact::RunEnded(fact), tell);
    }

    /// Runs a command to its end. `tell` is given `command_exited`, or `effect_failed` if it cannot
    /// be started.
    pub fn command(&self, id: EffectId, order: &RunCommand, stop: &Stop, tell: &dyn Fn(Fact)) {
        let folder = self.places.run(&id.to_string());
        let (room, directory) = match self.place(order) {
            Ok(place) => place,
            Err(error) => return tell(failed(id, &error)),
        };
        let report = folder.join("tests.xml");
        let offline = order.room.as_ref().is_some_and(|room| room.offline);
        let own: Vec<&Path> = room.iter().flat_map(|room| [&*room.path, &report]).collect();
        let before = match self.confinement.words(&self.places, &own, offline) {
            Ok(words) => words,
            Err(error) => return tell(failed(id, &error)),
        };
        let spec = Spec {
            before,
            argv: told(order, &report),
            directory,
            environment: room.as_ref().map(|room| room.environment.clone()),
            variables: [self.marks(id).to_vec(), own_program()].concat(),
            input: PathBuf::from("/dev/null"),
            stdout: folder.join("stdout"),
            stderr: folder.join("stdout"),
            status: PathBuf::new(),
            timeout: Duration::from_millis(order.timeout_ms),
            output_bytes: MOST_COMMAND_OUTPUT,
        };
        let gated = match self.begin(id, &folder, spec, &order.purpose) {
            Ok(gated) => gated,
            Err(error) => return tell(failed(id, &error)),
        };
        // What is not there cannot be made writable. Where this fails, nothing is reported.
        let _ = File::create(&report);
        let end = gated.run(stop, &mut |_, _| {});
        self.tidy(&end);
        let said = self.keep(&folder.join("stdout"), MOST_COMMAND_OUTPUT);
        let tail = tail(&folder.join("stdout"), order.output_bytes.min(MOST_COMMAND_TAIL));
        let at = order.argv.join(" ");
        let fault = |code, expected: &str, got: &str| {
            (None, Some(problem(code, at.as_str(), expected, got)))
        };
        let (status, problem) = match end {
            Ok(End::Exited(status)) => (Some(status), None),
            Ok(End::Signalled(signal)) => {
                fault(Code::RunLost, "to exit by itself", &format!("ended by signal {signal}"))
            }
            Ok(End::Stopped) => fault(Code::RunLost, "to exit by itself", "stopped"),
            Ok(End::TimedOut) => {
                fault(Code::RunTimedOut, &format!("at most {} ms", order.timeout_ms), "more")
            }
            Ok(End::Flooded) => {
                fault(Code::RunFlooded, &format!("at most {MOST_COMMAND_OUTPUT} bytes"), "more")
            }
            Err(error) => (None, Some(error.diagnostic(Code::RunLost))),
        };
        let output = self.redactor.text(tail);
        let tests = room.as_ref().and_then(|room| self.tests(order, &room.path, &report, &said));
        let held = room.map(|room| room::give_back(&room).map(|()| (room.held, room.diff)));
        let (held, diff) = match held.transpose() {
            Ok(held) => held.unwrap_or_default(),
            Err(error) => return tell(failed(id, &error)),
        };
        // A secret that is cut would not be found.
        let diff = room::told(self.redactor.text(diff), held.len());
        let said = CommandExited { effect: id, status, output, problem, held, diff, tests };
        self.finish(&folder, Fact::CommandExited(said), tell);
    }

    /// What became of the tests of a command that reports them.
    fn tests(
        &self,
        order: &RunCommand,
        room: &Path,
        report: &Path,
        said: &[u8],
    ) -> Option<TestReport> {
        let format = order.room.as_ref()?.tests?;
        // A name with a path in it is the same test in every room.
        let room = room.display().to_string();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&room, "/room");
        read_tests(format, &text(&self.keep(report, MOST_TEST_REPORT)), &text(said))
    }

    /// Where a command runs: its directory, and the room that is in, if it has one.
    fn place(&self, order: &RunCommand) -> HostResult<(Option<Entered>, PathBuf)> {
        let root = &self.places.root;
        let room = order.room.as_ref().map(|room| room::enter(root, room)).transpose()?;
        let within = room.as_ref().map_or(root, |room| &room.path);
        let directory = files::directory(within, &order.directory)?;
        Ok((room, directory))
    }

    /// A run that did not end by itself may have left a git in the middle of its work.
    fn tidy(&self, end: &HostResult<End>) {
        if !matches!(end, Ok(End::Exited(_))) {
            stale_locks::release(&self.places.root);
        }
    }

    /// Writes what is needed, starts the child behind its gate, and makes its record durable.
    fn begin(
        &self,
        id: EffectId,
        folder: &Path,
        spec: Spec,
        prompt: &str,
    ) -> HostResult<process::Gated> {
        let fail = |error| HostError::io("write", folder, error);
        // Without a record nothing ran, so whatever is there is of an attempt that did not begin.
        self.clear(id);
        fs::create_dir_all(folder).map_err(fail)?;
        fs::write(folder.join("prompt.md"), prompt).map_err(fail)?;
        let argv = spec.argv.iter().map(|word| self.redactor.text(word.clone())).collect();
        let confined = !spec.before.is_empty();
        let gated = process::spawn(spec)?;
        let (pid, start) = (gated.pid, gated.start.clone());
        let record = Record { effect: id, pid, start, argv, confined };
        let text = json::encode(&record);
        let path = folder.join("record.json");
        match durable::replace(&path, folder, text.as_bytes(), false) {
            Ok(()) => Ok(gated),
            Err(error) => {
                gated.cancel();
                Err(HostError::io("write", path, error))
            }
        }
    }

    /// Keeps the result for a host that comes back, then tells it to this one.
    fn finish(&self, folder: &Path, fact: Fact, tell: &dyn Fn(Fact)) {
        let fact = self.redactor.fact(fact);
        let text = json::encode(&fact);
        // If this cannot be written the result is only lost if this host dies, too.
        let _ = durable::replace(&folder.join("result.json"), folder, text.as_bytes(), false);
        tell(fact);
    }

    /// Cuts an output file to `limit`, takes secrets out of it, and answers with its content.
    fn keep(&self, path: &Path, limit: u64) -> Vec<u8> {
        let cut = || -> std::io::Result<Vec<u8>> {
            let file = regular::open_with(path, File::options().read(true).write(true))?;
            if file.metadata()?.len() > limit {
                file.set_len(limit)?;
            }
            let mut bytes = Vec::new();
            (&file).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = cut().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        if !self.redactor.finds(&text) {
            return bytes;
        }
        let clean = self.redactor.text(text.into_owned()).into_bytes();
        // What cannot be rewritten must not stay.
        if fs::write(path, &clean).is_err() {
            let _ = fs::remove_file(path);
        }
        clean
    }
}

/// `ENDSTATE_BIN` for a child, so that the generated scripts find this very program even where it is
/// not installed. A caller's own choice is left alone.
fn own_program() -> Vec<(String, String)> {
    const NAME: &str = "ENDSTATE_BIN";
    let program = std::env::current_exe().ok().filter(|_| std::env::var_os(NAME).is_none());
    program.map(|path| (NAME.to_owned(), path.display().to_string())).into_iter().collect()
}

/// The fact of a run that left no result.
pub fn lost(id: EffectId, problem: Diagnostic) -> RunEnded {
    RunEnded {
        effect: id,
        outcome: RunOutcome::Lost,
        report: None,
        problem: Some(problem),
        usage: Usage::default(),
    }
}

/// The fact of an effect that the host could not perform.
pub fn failed(id: EffectId, error: &HostError) -> Fact {
    let problem = match error {
        HostError::Io { doing: "start", path, source } => {
            let at = path.display().to_string();
            problem(Code::HostFailed, at, "a program that can be started", &source.to_string())
        }
        other => other.diagnostic(Code::HostFailed),
    };
    Fact::EffectFailed(EffectFailed { effect: id, problem })
}

/// The last `most` bytes of a file as text.
/// The words of a command, with the place where its tests are to be reported.
fn told(order: &RunCommand, report: &Path) -> Vec<String> {
    let reports = order.room.as_ref().is_some_and(|room| room.tests.is_some());
    let word = |word: &String| match reports {
        true => word.replace(TestFormat::PLACE, &report.display().to_string()),
        false => word.clone(),
    };
    order.argv.iter().map(word).collect()
}

fn tail(path: &Path, most: u64) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = regular::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}
