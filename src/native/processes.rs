//! What the system shows of processes: when they were started, their groups, what they were started with.

use rustix::process::Pid;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often a process is looked at.
pub(super) const TICK: Duration = Duration::from_millis(10);
/// How long a process may be between two programs: the machine may be busy.
const MOST_EXEC: Duration = Duration::from_secs(1);

/// The id of a process or a group.
pub(super) fn pid(raw: u32) -> Option<Pid> {
    // Group 1 and below would mean "everybody": never ours.
    i32::try_from(raw).ok().filter(|raw| *raw > 1).and_then(Pid::from_raw)
}

/// Every process, each with its place in `/proc`; nothing where the system does not tell.
fn all() -> Option<impl Iterator<Item = (u32, PathBuf)>> {
    let entries = std::fs::read_dir("/proc").ok()?.flatten().map(|entry| entry.path());
    Some(entries.filter_map(|path| Some((path.file_name()?.to_str()?.parse().ok()?, path))))
}

/// Whether a group has a process that is more than an unreaped exit status.
pub(super) fn alive_in_group(group: u32) -> bool {
    let Some(processes) = all() else { return true };
    let mut stats = processes.filter_map(|(_, path)| stat(&path.join("stat")));
    stats.any(|fields| {
        let of = |nth: usize| fields.get(nth).map(String::as_str).unwrap_or_default();
        of(2) == group.to_string() && !matches!(of(0), "Z" | "X")
    })
}

/// The fields of `/proc/<pid>/stat` from the third (state) on.
fn stat(path: &Path) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
    // The second field is the program's name in parentheses and may hold anything.
    let (_, fields) = text.rsplit_once(") ")?;
    Some(fields.split_whitespace().map(str::to_owned).collect())
}

/// When a process was started, in the words of the system; `None` if there is no such process.
/// Together with the id it names one process for as long as the machine is up.
pub fn start_time(pid: u32) -> Option<String> {
    if Path::new("/proc/self/stat").exists() {
        let fields = stat(Path::new(&format!("/proc/{pid}/stat")))?;
        // An unreaped process does nothing any more.
        return fields.get(19).filter(|_| !matches!(fields[0].as_str(), "Z" | "X")).cloned();
    }
    let mut command = Command::new("ps");
    let output = command.args(["-o", "lstart=", "-p"]).arg(pid.to_string()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// The name of this machine.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Whether the process `pid` is the one that was started at `start` and writes into this file. (Where the system
/// does not show what a process writes into, its id and its start must do.)
pub fn is_ours(pid: u32, start: &str, stdout: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let file = |path: &Path| path.metadata().map(|meta| (meta.dev(), meta.ino())).ok();
    let shown = Path::new("/proc/self/fd/1").symlink_metadata().is_ok();
    let writes = || file(Path::new(&format!("/proc/{pid}/fd/1")));
    self::pid(pid).is_some()
        && start_time(pid).is_some_and(|now| now == start)
        && (!shown || writes().is_some_and(|one| Some(one) == file(stdout)))
}

/// The processes that this one was started by, from its parent up, as far as the system tells.
pub(super) fn ancestors() -> Vec<u32> {
    let mut ancestors = Vec::new();
    let mut at = "self".to_owned();
    while let Some(fields) = stat(Path::new(&format!("/proc/{at}/stat"))) {
        let parent = fields.get(1).and_then(|parent| parent.parse::<u32>().ok());
        let Some(parent) = parent else { break };
        ancestors.push(parent);
        at = parent.to_string();
    }
    ancestors
}

/// The group of a process, unless it is our own.
pub(super) fn group_of(pid: u32) -> Option<u32> {
    let fields = stat(Path::new(&format!("/proc/{pid}/stat")))?;
    let group = fields.get(2)?.parse().ok()?;
    let ours = stat(Path::new("/proc/self/stat"))?.get(2)?.parse::<u32>().ok()?;
    (group != ours).then_some(group)
}

/// Processes whose environment has all of `variables`, as far as the system tells. Between two programs (in `exec`) a process shows
/// none: it is asked again. A thread of the kernel, and what is only to be reaped, has no program.
pub(super) fn carrying(variables: &[(String, String)]) -> Vec<u32> {
    let wanted: Vec<Vec<u8>> =
        variables.iter().map(|(name, value)| format!("{name}={value}").into_bytes()).collect();
    let carries = |environment: &[u8]| {
        let has = |one: &Vec<u8>| environment.split(|byte| *byte == 0).any(|entry| entry == one);
        !wanted.is_empty() && wanted.iter().all(has)
    };
    let (began, mut found) = (Instant::now(), Vec::new());
    let mut asked: Vec<_> =
        all().into_iter().flatten().filter(|(pid, _)| *pid != std::process::id()).collect();
    loop {
        asked.retain(|(pid, path)| {
            let Ok(environment) = std::fs::read(path.join("environ")) else { return false };
            found.extend(carries(&environment).then_some(*pid));
            environment.is_empty() && std::fs::read_link(path.join("exe")).is_ok()
        });
        if asked.is_empty() || began.elapsed() > MOST_EXEC {
            return found;
        }
        sleep(TICK);
    }
}

/// Whether a git may be at work in one of these directories (given by their real paths) or below;
/// yes where the system does not tell.
pub(super) fn git_works_in(directories: &[PathBuf]) -> bool {
    let Some(processes) = all() else { return true };
    let mut working = processes.filter_map(|(_, path)| {
        let name = std::fs::read(path.join("comm")).ok().filter(|name| name.starts_with(b"git"));
        name.and_then(|_| stat(&path.join("stat")))
            .filter(|fields| !matches!(fields[0].as_str(), "Z" | "X"))?;
        Some(std::fs::read_link(path.join("cwd")))
    });
    // A git of another user does not say where it works.
    working.any(|place| match place {
        Ok(place) => directories.iter().any(|directory| place.starts_with(directory)),
        Err(error) => error.kind() == std::io::ErrorKind::PermissionDenied,
    })
}
