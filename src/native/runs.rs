//! Runs outlive hosts: what is known of a process is on disk before it runs and after it ends.
//!
//! `.agent/endstate/runs/<effect id>/` holds `record.json` (who, from when, what), `prompt.md`,
//! `stdout`, `stderr` (a command has both in `stdout`), and in the end `result.json`: the fact
//! itself. The record is durable before the child passes its gate, so **an effect id is never run
//! twice**: a host that comes back finds no record (nothing ran), a result (it is read), or a record
//! alone (what is left of the run is ended, and it counts as lost).

use super::agent::{self, Agent, Listener};
use super::durable;
use super::error::{HostError, HostResult, problem};
use super::files;
use super::left_locks;
use super::process::{self, End, Spec, Stop};
use super::redact::Redactor;
use super::regular;
use super::store::Places;
use crate::vocab::effect::{RunCommand, SpawnRole};
use crate::vocab::error::{Code, Diagnostic};
use crate::vocab::event::{
    CommandExited, EffectFailed, EffectId, Fact, ProgressEntry, RunEnded, RunOutcome,
    RunProgressed, RunStarted, SESSION,
};
use crate::vocab::json;
use crate::vocab::role::Usage;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The shortest time between two progress events of a run.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);
/// How long a silent run goes without a heartbeat.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(60);
/// How long the start of a run waits for its first line, which may name its session.
const SESSION_WAIT: Duration = Duration::from_millis(500);
/// The same for a real agent: it always has a session, and takes seconds to say which, on a busy machine
/// many.
const AGENT_WAIT: Duration = Duration::from_secs(120);
/// The most output of a command that is kept on disk; a command that says more is ended.
const MOST_COMMAND_OUTPUT: u64 = 256 * 1024 * 1024;
/// The most output of a command that goes into its fact.
const MOST_COMMAND_TAIL: u64 = 1024 * 1024;

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
}

/// What an earlier host left of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// Nothing ran.
    Nothing,
    /// It finished; this is its fact.
    Finished(Box<Fact>),
    /// It left no result; what was left of it has been ended.
    Lost,
}

/// Where runs live, and what they must not tell.
#[derive(Clone, Debug)]
pub struct Runs {
    /// The paths of the mission.
    pub places: Places,
    /// Takes secrets out of what is kept.
    pub redactor: Redactor,
}

impl Runs {
    /// Looks for an earlier run of this effect, and ends what is left of it.
    ///
    /// # Errors
    /// What the system says.
    pub fn earlier(&self, id: EffectId) -> HostResult<Earlier> {
        let folder = self.places.run(&id.to_string());
        let record = match regular::read(&folder.join("record.json")) {
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
        let marks = self.marks(id);
        let (pid, start) = match serde_json::from_slice::<Record>(&record) {
            Ok(record) => (record.pid, record.start),
            Err(_) => (0, String::new()),
        };
        process::end_leftovers(pid, &start, &marks);
        Ok(Earlier::Lost)
    }

    /// Takes away what stands in the place of a run that has not begun. Whether there was anything.
    pub fn clear(&self, id: EffectId) -> bool {
        let folder = self.places.run(&id.to_string());
        let there = folder.symlink_metadata().is_ok();
        // A link goes as itself. Where this fails, the run cannot begin there either, and says so.
        let _ = fs::remove_dir_all(&folder).or_else(|_| fs::remove_file(&folder));
        there
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

    /// Ends whatever an earlier host left running, also of effects that nobody waits for any more.
    /// Answers with the locks of git that were left by it and taken away.
    pub fn end_leftovers(&self) -> Vec<String> {
        let folders = fs::read_dir(self.places.engine.join("runs")).into_iter().flatten().flatten();
        for folder in folders {
            let id = folder.file_name().to_str().and_then(|name| name.parse().ok());
            if let Some(id) = id.filter(|_| !folder.path().join("result.json").exists()) {
                // A record that cannot be read now is looked at again when its effect is.
                let _ = self.earlier(id);
            }
        }
        left_locks::release(&self.places.root)
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
        let spec = Spec {
            argv: agent.argv(&folder.join("prompt.md")),
            directory: self.places.root.clone(),
            variables: [
                agent::variables(spawn, id, mission, &self.places.root),
                self.corrected(spawn),
                own_program(),
            ]
            .concat(),
            input: folder.join("prompt.md"),
            stdout: folder.join("stdout"),
            stderr: folder.join("stderr"),
            timeout: Duration::from_millis(spawn.limits.timeout_ms),
            output_bytes: spawn.limits.output_bytes,
        };
        let gated = match self.begin(id, &folder, spec, &spawn.prompt) {
            Ok(gated) => gated,
            Err(error) => return tell(failed(id, &error)),
        };
        let began = Instant::now();
        let mut teller = Teller::new(id, tell, matches!(agent, Agent::Real { .. }));
        let end = gated.run(stop, &mut |stdout, bytes| teller.hear(stdout, bytes));
        // Agents start their tools in groups of their own, which the end of theirs does not reach.
        process::end_leftovers(0, "", &self.marks(id));
        self.tidy(&end);
        teller.finish();
        let limit = spawn.limits.output_bytes;
        let stdout = self.keep(&folder.join("stdout"), limit);
        let stderr = self.keep(&folder.join("stderr"), limit);
        let spent = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
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
        let root = self.places.root.display().to_string();
        let directory = match files::directory(&self.places.root, &order.directory) {
            Ok(directory) => directory,
            Err(problem) => return tell(failed(id, &problem.into())),
        };
        let spec = Spec {
            argv: order.argv.clone(),
            directory,
            variables: [
                vec![
                    ("ENDSTATE_RUN".to_owned(), id.to_string()),
                    ("ENDSTATE_ROOT".to_owned(), root),
                ],
                own_program(),
            ]
            .concat(),
            input: PathBuf::from("/dev/null"),
            stdout: folder.join("stdout"),
            stderr: folder.join("stdout"),
            timeout: Duration::from_millis(order.timeout_ms),
            output_bytes: MOST_COMMAND_OUTPUT,
        };
        let gated = match self.begin(id, &folder, spec, &order.purpose) {
            Ok(gated) => gated,
            Err(error) => return tell(failed(id, &error)),
        };
        let end = gated.run(stop, &mut |_, _| {});
        self.tidy(&end);
        self.keep(&folder.join("stdout"), MOST_COMMAND_OUTPUT);
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
        let fact = Fact::CommandExited(CommandExited { effect: id, status, output, problem });
        self.finish(&folder, fact, tell);
    }

    /// A run that did not end by itself may have left a git in the middle of its work.
    fn tidy(&self, end: &HostResult<End>) {
        if !matches!(end, Ok(End::Exited(_))) {
            left_locks::release(&self.places.root);
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
        let gated = process::spawn(spec)?;
        let record = Record { effect: id, pid: gated.pid, start: gated.start.clone(), argv };
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

/// Turns what a run says into facts, at most one a second.
struct Teller<'a> {
    id: EffectId,
    tell: &'a dyn Fn(Fact),
    listener: Listener,
    began: Instant,
    /// It will name its session, whatever it says before that.
    names: bool,
    started: bool,
    /// The session it started in.
    session: Option<String>,
    told: Instant,
}

impl<'a> Teller<'a> {
    fn new(id: EffectId, tell: &'a dyn Fn(Fact), names: bool) -> Self {
        let now = Instant::now();
        let listener = Listener::default();
        Teller { id, tell, listener, began: now, names, started: false, session: None, told: now }
    }

    fn hear(&mut self, stdout: bool, bytes: &[u8]) {
        self.listener.hear(stdout, bytes);
        let (enough, wait) = match self.names {
            true => (false, AGENT_WAIT),
            false => (self.listener.has_entries(), SESSION_WAIT),
        };
        if enough || self.listener.session().is_some() || self.began.elapsed() >= wait {
            self.start();
        }
        if !self.started {
            return;
        }
        let silent = self.told.elapsed();
        if self.listener.has_entries() && silent >= PROGRESS_EVERY {
            self.told = Instant::now();
            while self.listener.has_entries() {
                let entries = self.news();
                if !entries.is_empty() {
                    self.progress(entries);
                }
            }
        } else if silent >= HEARTBEAT_EVERY {
            let text = format!("running for {} s", self.began.elapsed().as_secs());
            self.progress(vec![ProgressEntry { kind: "heartbeat".to_owned(), text }]);
        }
    }

    fn start(&mut self) {
        if !std::mem::replace(&mut self.started, true) {
            let session = self.listener.session().map(str::to_owned);
            self.session.clone_from(&session);
            (self.tell)(Fact::RunStarted(RunStarted { effect: self.id, session }));
        }
    }

    /// Structured signs of life are not lost, however short the run; the rest is in its report.
    fn finish(&mut self) {
        self.start();
        self.listener.close();
        while self.listener.has_entries() {
            let entries = self.news();
            if entries.iter().any(|entry| entry.kind != "activity") {
                self.progress(entries);
            }
        }
    }

    /// What was heard since the last time, but for the session that its start told.
    fn news(&mut self) -> Vec<ProgressEntry> {
        let mut entries = self.listener.entries();
        entries.retain(|one| one.kind != SESSION || Some(&one.text) != self.session.as_ref());
        entries
    }

    fn progress(&mut self, entries: Vec<ProgressEntry>) {
        self.told = Instant::now();
        (self.tell)(Fact::RunProgressed(RunProgressed { effect: self.id, entries }));
    }
}
