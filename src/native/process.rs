//! Processes in groups of their own: started behind a gate, watched, and ended whole.
//!
//! A child is first held at a gate: a `/bin/sh` that waits for one line on its standard input and
//! then runs the program (`exec "$@"`; the arguments are never read as shell text). So the
//! process id is known, and can be made durable, before the program runs; if the host dies first,
//! the gate sees the end of its input and exits without running anything.
//!
//! Output goes to files, which outlive the host, and is read from there while it grows; the gate of a role
//! stays, and writes the exit status into a file when the program has ended. So a host that comes back looks on
//! where the one before it did. The end of a child is the end of its group: what it left behind is ended too.

use super::durable::CRASH_VARIABLES;
use super::error::{HostError, HostResult};
use super::processes::{TICK, alive_in_group, carrying, group_of, is_ours, pid, start_time};
use super::program::find_along;
use super::regular;
use rustix::process::{Signal, WaitId, WaitIdOptions};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a group has between TERM and KILL.
pub const GRACE: Duration = Duration::from_millis(1_500);
/// How long a program that says nothing takes until it can hear that it is asked to wind up.
const SETS_OUT: Duration = Duration::from_millis(500);
/// How often what is left of a run is looked for, while some is found.
const MOST_ROUNDS: usize = 10;
/// How many pieces of a growing file are read in one go.
const PIECES: usize = 8;
/// Variables of git that would send it, or a child, to another repository.
const GIT_VARIABLES: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];
/// Waits for a line, then becomes the program, which reads from one file. Where another is to have its exit status, it
/// stays and runs it: TERM is for the program then, and what a shell says of a signal is not the program's to have said.
const GATE: &str = "IFS= read -r go || exit 125; status=$1 input=$2; shift 2; \
    [ -n \"$status\" ] || exec \"$@\" <\"$input\"; trap : HUP INT TERM; \
    exec 3>&2 2>/dev/null; (exec \"$@\" 2>&3 3>&- <\"$input\"); s=$?; echo $s >\"$status\"; exit $s";

/// What to start.
#[derive(Clone, Debug)]
pub struct Spec {
    /// What starts the program, where it is confined.
    pub before: Vec<String>,
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Where.
    pub directory: PathBuf,
    /// What it is given instead of the environment of the host.
    pub environment: Option<Vec<(String, String)>>,
    /// Variables beside those.
    pub variables: Vec<(String, String)>,
    /// The file it reads.
    pub input: PathBuf,
    /// The file its standard output is appended to.
    pub stdout: PathBuf,
    /// The file its standard error is appended to; may be the same.
    pub stderr: PathBuf,
    /// The file its exit status is written to, in the words of a shell; blank for none, and so that a signal is known
    /// from a status.
    pub status: PathBuf,
    /// Wall time it has.
    pub timeout: Duration,
    /// Bytes both files together may have.
    pub output_bytes: u64,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It exited by itself with this status.
    Exited(i32),
    /// A signal ended it that we did not send.
    Signalled(i32),
    /// It was ended at its time limit.
    TimedOut,
    /// It was ended at its output limit.
    Flooded,
    /// It was ended because somebody wanted it to.
    Stopped,
}

/// Asks a running process to wind up, or ends it. Cloned freely; never taken back.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicU8>);

impl Stop {
    /// Asks it to wind up (TERM); it may still finish in its own way.
    pub fn wind_up(&self) {
        self.0.fetch_max(1, Ordering::SeqCst);
    }

    /// Ends it.
    pub fn kill(&self) {
        self.0.fetch_max(2, Ordering::SeqCst);
    }

    /// Whether anything was asked for.
    pub fn asked(&self) -> bool {
        self.level() > 0
    }

    fn level(&self) -> u8 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A child behind its gate, or one that an earlier host let through it.
#[derive(Debug)]
pub struct Gated {
    /// None of our own where an earlier host started it.
    child: Option<Child>,
    spec: Spec,
    /// How long it had been running when it was found.
    pub age: Duration,
    /// Its process id, which is also its group's.
    pub pid: u32,
    /// When it was started, in the words of the system.
    pub start: String,
}

/// Starts a child and holds it at the gate.
///
/// # Errors
/// `io` with the program's name if there is no such program, or with the file that cannot be opened.
pub fn spawn(spec: Spec) -> HostResult<Gated> {
    let program = spec.argv.first().cloned().unwrap_or_default();
    let search = match &spec.environment {
        Some(only) => only.iter().find(|one| one.0 == "PATH").map(|one| one.1.clone().into()),
        None => std::env::var_os("PATH"),
    };
    let program = find_along(&program, &spec.directory, search.unwrap_or_default())?;
    let output = |path: &Path| {
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.map_err(|error| HostError::io("write", path, error))
    };
    // Confined, it has a session of its own, and so a group: it is not to type into the user's terminal.
    let mut command = Command::new(if spec.before.is_empty() { "/bin/sh" } else { "setsid" });
    if spec.before.is_empty() {
        command.process_group(0);
    } else {
        command.arg("/bin/sh");
    }
    command.args(["-c", GATE, "gate"]).arg(&spec.status).arg(&spec.input);
    command.args(&spec.before).arg(program).args(&spec.argv[1..]);
    command.current_dir(&spec.directory);
    command.stdin(Stdio::piped()).stdout(output(&spec.stdout)?).stderr(output(&spec.stderr)?);
    if let Some(only) = &spec.environment {
        command.env_clear().envs(only.iter().map(|(name, value)| (name, value)));
    }
    clean_environment(&mut command);
    command.envs(spec.variables.iter().map(|(name, value)| (name, value)));
    let child = command.spawn().map_err(|error| HostError::io("start", "/bin/sh", error))?;
    let pid = child.id();
    let start = start_time(pid).unwrap_or_default();
    Ok(Gated { child: Some(child), spec, age: Duration::ZERO, pid, start })
}

/// What an earlier host started `age` ago, whether or not it is still there.
pub fn found(spec: Spec, pid: u32, start: String, age: Duration) -> Gated {
    Gated { child: None, spec, age, pid, start }
}

/// Takes out what must not reach a child: variables that point git elsewhere and crash points.
pub fn clean_environment(command: &mut Command) {
    for name in GIT_VARIABLES.iter().chain(&CRASH_VARIABLES) {
        command.env_remove(name);
    }
}

impl Gated {
    /// Lets the child go without ever running its program.
    pub fn cancel(mut self) {
        drop(self.child.as_mut().and_then(|child| child.stdin.take()));
        end_group(self.pid, GRACE);
        // Nothing depends on how the gate ended.
        let _ = self.child.map(|mut child| child.wait());
    }

    /// Opens the gate, watches the program to its end, and ends its group. `heard` is given every
    /// piece of output (`true` for standard output) soon after it was written, and an empty one at
    /// least every few seconds.
    ///
    /// # Errors
    /// `io` if the gate cannot be opened or the child not be waited for, or if nobody knows how it ended; its
    /// group is ended then.
    pub fn run(mut self, stop: &Stop, heard: &mut dyn FnMut(bool, &[u8])) -> HostResult<End> {
        let gate = self.child.as_mut().and_then(|child| child.stdin.take());
        let watched = self.watch(gate, stop, heard);
        let there = self.child.is_some() || self.is_ours();
        if there {
            end_group(self.pid, GRACE);
        }
        let status = self.child.as_mut().map(Child::wait);
        if there {
            wait_until_gone(self.pid);
        }
        match (watched?, status) {
            (Some(ended), _) => Ok(ended),
            (None, None) => self.noted(stop),
            (None, Some(Ok(status))) => {
                let (code, signal) = (status.code(), status.signal());
                // Who killed the gate behind its note did not end the program.
                let noted = signal.and_then(|_| self.noted(stop).ok());
                Ok(noted.unwrap_or_else(|| self.by_itself(code, signal, stop)))
            }
            (None, Some(Err(error))) => Err(HostError::io("wait for", &self.spec.argv[0], error)),
        }
    }

    /// Whether the process is there and provably the one that was started: its id, its start, and its output.
    pub fn is_ours(&self) -> bool {
        is_ours(self.pid, &self.start, &self.spec.stdout)
    }

    /// How it ended, as its gate noted.
    fn noted(&self, stop: &Stop) -> HostResult<End> {
        let fail = |error| HostError::io("read", &self.spec.status, error);
        let text = regular::read(&self.spec.status).map_err(fail)?;
        let code = String::from_utf8_lossy(&text).strip_suffix('\n').and_then(|it| it.parse().ok());
        let code = code.ok_or_else(|| fail(std::io::ErrorKind::InvalidData.into()))?;
        Ok(self.by_itself(Some(code), None, stop))
    }

    /// A gate that stays adds 128 to a signal, as shells do. So does what confines, but it is not the only one that may have:
    /// there only the two signals count that come from outside.
    fn by_itself(&self, code: Option<i32>, signal: Option<i32>, stop: &Stop) -> End {
        let stays = !self.spec.status.as_os_str().is_empty();
        let confined = |code: &i32| !self.spec.before.is_empty() && matches!(code, 137 | 143);
        let ours = |code: &i32| stays && (129..=192).contains(code) || confined(code);
        let noted = code.filter(ours).map(|code| code - 128);
        match (code, noted.or(signal)) {
            (Some(code), None) => End::Exited(code),
            (_, Some(_)) if stop.asked() => End::Stopped,
            (_, signal) => End::Signalled(signal.unwrap_or(0)),
        }
    }

    /// Watches until the leader has exited by itself (`None`) or must be ended.
    fn watch(
        &self,
        gate: Option<ChildStdin>,
        stop: &Stop,
        heard: &mut dyn FnMut(bool, &[u8]),
    ) -> HostResult<Option<End>> {
        let began = Instant::now();
        let same = self.spec.stdout == self.spec.stderr;
        let mut out = Tail::open(&self.spec.stdout)?;
        let mut err = if same { None } else { Some(Tail::open(&self.spec.stderr)?) };
        // What it writes to is read from before it can put anything else in its place.
        let opened = gate.map_or(Ok(()), |mut gate| gate.write_all(b"go\n"));
        opened.map_err(|error| HostError::io("start", &self.spec.argv[0], error))?;
        let mut asked = false;
        loop {
            let exited = self.exited()?;
            // Its files count, not what was read of them: a program may say much and be gone.
            let said = out.length()? + err.as_ref().map_or(Ok(0), Tail::length)?;
            if said > self.spec.output_bytes {
                // What floods is ended before a word more of it is read, and is not asked: it would write on meanwhile.
                signal_group(self.pid, Signal::KILL);
                return Ok(Some(End::Flooded));
            }
            while out.read(&mut |bytes| heard(true, bytes))? && exited {}
            if let Some(err) = err.as_mut() {
                while err.read(&mut |bytes| heard(false, bytes))? && exited {}
            }
            heard(true, &[]);
            if exited {
                return Ok(None);
            }
            if self.age + began.elapsed() >= self.spec.timeout {
                return Ok(Some(End::TimedOut));
            }
            match stop.level() {
                0 => {}
                // Who has not set out yet would not hear it.
                1 if !asked && (said > 0 || self.age + began.elapsed() >= SETS_OUT) => {
                    asked = true;
                    signal_group(self.pid, Signal::TERM);
                }
                1 => {}
                _ => return Ok(Some(End::Stopped)),
            }
            sleep(TICK);
        }
    }

    /// Whether the leader has exited. It is left unreaped, so that its id stays its own until the
    /// group is ended.
    fn exited(&self) -> HostResult<bool> {
        if self.child.is_none() {
            return Ok(!self.is_ours());
        }
        let Some(pid) = pid(self.pid) else { return Ok(true) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match rustix::process::waitid(WaitId::Pid(pid), options) {
            Ok(status) => Ok(status.is_some()),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(HostError::io("wait for", &self.spec.argv[0], error.into())),
        }
    }
}

/// A file that is read while it grows.
struct Tail {
    file: File,
    path: PathBuf,
    offset: u64,
}

impl Tail {
    fn open(path: &Path) -> HostResult<Tail> {
        let file = regular::open(path).map_err(|error| HostError::io("read", path, error))?;
        Ok(Tail { file, path: path.to_owned(), offset: 0 })
    }

    /// The length of the file.
    fn length(&self) -> HostResult<u64> {
        let meta = self.file.metadata();
        meta.map(|meta| meta.len()).map_err(|error| HostError::io("read", &self.path, error))
    }

    /// Whether there may be more: a writer that is faster than we are must not keep us here.
    fn read(&mut self, heard: &mut dyn FnMut(&[u8])) -> HostResult<bool> {
        let mut buffer = [0_u8; 64 * 1024];
        for _ in 0..PIECES {
            let count = self.file.read(&mut buffer);
            let count = count.map_err(|error| HostError::io("read", &self.path, error))?;
            if count == 0 {
                return Ok(false);
            }
            self.offset += count as u64;
            heard(&buffer[..count]);
        }
        Ok(true)
    }
}

/// Ends a process group: TERM, then KILL for what is left after `grace`.
pub fn end_group(group: u32, grace: Duration) {
    if !signal_group(group, Signal::TERM) {
        return;
    }
    let began = Instant::now();
    while began.elapsed() < grace && alive_in_group(group) {
        sleep(TICK);
    }
    signal_group(group, Signal::KILL);
}

/// Waits (for at most two seconds, as KILL cannot be refused) until a group has no process left. What only waits to be reaped, by
/// whom we do not know, is gone.
fn wait_until_gone(group: u32) {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(2) {
        let Some(id) = pid(group) else { return };
        if rustix::process::test_kill_process_group(id).is_err() || !alive_in_group(group) {
            return;
        }
        sleep(TICK);
    }
}

fn signal_group(group: u32, signal: Signal) -> bool {
    pid(group).is_some_and(|group| rustix::process::kill_process_group(group, signal).is_ok())
}

/// Ends every process that carries these variables in its environment, and what it starts meanwhile.
pub fn end_leftovers(variables: &[(String, String)]) {
    for _ in 0..MOST_ROUNDS {
        let left = carrying(variables);
        if left.is_empty() {
            return;
        }
        for pid in left {
            end_group(group_of(pid).unwrap_or(pid), GRACE);
            if let Some(pid) = self::pid(pid) {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
        }
    }
}
