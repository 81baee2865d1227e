//! Agents are confined where the system can: bubblewrap starts a run, and with it everything that the run starts, in a mount
//! and a process namespace of its own. The engine's directory and the rooms are read-only there, the folder with the user's key
//! is empty, and whatever is left when the run ends is ended with its namespace. All else is as it is outside.
//!
//! - Every folder above a read-only one is a mount, too: a mount cannot be renamed, so nobody moves the engine's directory away and
//!   puts another in its place.
//! - `TERM` would end bubblewrap at once and leave the agent no time, so it is started by a shell that ignores it, and
//!   `env` gives the agent its signals back.
//! - Whether the system can is tried once for each driver, with the same words and the program `true`.
//!
//! Commands are confined as agents are, since they execute what agents wrote; a command's own room is writable for it. So is the
//! driver's own git, which runs the hooks and filters that an agent may have left in the repository.

use super::capture::capture;
use super::certificate::own_key;
use super::error::{HostError, HostResult};
use super::program::find_program;
use super::room;
use super::store::Places;
use crate::vocab::error::{Code, Error};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// The variable that names the program, where it is not `bwrap` in PATH.
pub const PROGRAM: &str = "ENDSTATE_BWRAP";
/// How long the trial may take.
const TRIAL: Duration = Duration::from_secs(10);
/// Becomes the program with the signals ignored that a group is ended by.
const IGNORES_SIGNALS: [&str; 4] =
    ["/bin/sh", "-c", "trap '' HUP INT TERM; exec \"$@\"", "confine"];
/// Gives them back.
const HEARS_SIGNALS: [&str; 3] = ["--", "env", "--default-signal=HUP,INT,TERM"];
/// The new namespaces. Without this capability root cannot change its mounts; other users have none.
const NAMESPACES: [&str; 5] = ["--unshare-pid", "--proc", "/proc", "--cap-drop", "CAP_SYS_ADMIN"];

/// Whether agents are to be confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Confine {
    /// Where the system can.
    #[default]
    Auto,
    /// No run is started where it cannot.
    Required,
    /// No.
    Never,
}

/// How the runs of one driver are confined.
#[derive(Clone, Debug, Default)]
pub struct Confinement {
    how: Confine,
    program: Option<PathBuf>,
    tried: OnceLock<Result<PathBuf, String>>,
}

impl Confinement {
    /// With this program; without one, with `bwrap` in PATH.
    pub fn new(how: Confine, program: Option<PathBuf>) -> Confinement {
        Confinement { how, program, tried: OnceLock::new() }
    }

    /// What comes before the words of a program, to which `writable` is left of what is read-only for it. Nothing where it is not
    /// confined. What is to be `offline` is confined in any case, and reaches nothing but itself.
    ///
    /// # Errors
    /// `not_confined` where it must be and cannot; `io` if a folder cannot be made.
    pub fn words(
        &self,
        places: &Places,
        writable: &[&Path],
        offline: bool,
    ) -> HostResult<Vec<String>> {
        if self.how == Confine::Never && !offline {
            return Ok(Vec::new());
        }
        match self.tried.get_or_init(|| self.tried(places)) {
            Ok(program) => {
                let net: &[&str] = if offline { &["--unshare-net"] } else { &[] };
                Ok(words(program, "--ro-bind", &read_only(places)?, writable, net))
            }
            Err(why) if self.how == Confine::Required || offline => {
                let expected =
                    format!("bubblewrap (`bwrap` in PATH, or {PROGRAM}) that works here");
                Err(Error::new(Code::NotConfined, "agents", expected, why).into())
            }
            Err(_) => Ok(Vec::new()),
        }
    }

    /// Why they are not, where that was found out.
    pub fn why_not(&self) -> Option<&str> {
        self.tried.get()?.as_ref().err().map(String::as_str)
    }

    /// The program, if it can do it; else why not.
    fn tried(&self, places: &Places) -> Result<PathBuf, String> {
        find_program("setsid", &places.root).map_err(|error| error.to_string())?;
        let program = match &self.program {
            Some(program) => program.clone(),
            None => find_program("bwrap", &places.root).map_err(|_| "no `bwrap` in PATH")?,
        };
        if program.starts_with(&places.root) {
            return Err(format!("{}, which agents can write", program.display()));
        }
        let kept = read_only(places).map_err(|error| error.to_string())?;
        match capture(started(&words(&program, "--ro-bind", &kept, &[], &[]), "true"), &[], TRIAL) {
            Ok(said) if said.status == Some(0) => {
                // At the end of the mission its rooms are away.
                let words = words(&program, "--ro-bind-try", &kept[..1], &[], &[]);
                gits().insert(places.root.clone(), words);
                Ok(program)
            }
            Ok(said) => Err(format!("{}: {}", program.display(), said.stderr.trim())),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// What the driver's own git is started by, by the root of its mission.
static GITS: Mutex<BTreeMap<PathBuf, Vec<String>>> = Mutex::new(BTreeMap::new());

fn gits() -> MutexGuard<'static, BTreeMap<PathBuf, Vec<String>>> {
    GITS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Git in the worktree at `root`: confined, where this process drives a mission there with agents that are.
pub(super) fn git(root: &Path) -> Command {
    let words = gits().get(root).cloned().unwrap_or_default();
    started(&words, "git")
}

fn started(words: &[String], program: &str) -> Command {
    let mut all = words.iter().map(String::as_str).chain([program]);
    let mut command = Command::new(all.next().unwrap_or(program));
    command.args(all);
    command
}

/// What is read-only, by its real path, and is there.
fn read_only(places: &Places) -> HostResult<[PathBuf; 2]> {
    let fail = |error| HostError::io("make", &places.engine, error);
    fs::create_dir_all(&places.engine).map_err(fail)?;
    Ok([fs::canonicalize(&places.engine).map_err(fail)?, room::make_folder(&places.root)?])
}

fn words(
    program: &Path,
    bind: &str,
    kept: &[PathBuf],
    writable: &[&Path],
    more: &[&str],
) -> Vec<String> {
    let mut all: Vec<String> = IGNORES_SIGNALS.map(str::to_owned).to_vec();
    all.push(program.display().to_string());
    let mut mount = |how: &str, place: &Path| {
        let place = place.display().to_string();
        all.extend([how.to_owned(), place.clone(), place]);
    };
    // In the order of their names a folder comes before what is in it.
    let above: BTreeSet<&Path> = kept.iter().flat_map(|kept| kept.ancestors().skip(1)).collect();
    above.into_iter().for_each(|folder| mount("--dev-bind", folder));
    kept.iter().for_each(|kept| mount(bind, kept));
    writable.iter().for_each(|place| mount("--bind", place));
    if let Some(keys) = own_key().as_deref().and_then(Path::parent).filter(|keys| keys.is_dir()) {
        let keys = keys.display().to_string();
        all.extend(["--tmpfs", &keys, "--remount-ro", &keys].map(str::to_owned));
    }
    let rest = more.iter().copied().chain(NAMESPACES).chain(HEARS_SIGNALS);
    all.extend(rest.map(str::to_owned));
    all
}

/// The program that the environment names.
pub fn named() -> Option<PathBuf> {
    std::env::var_os(PROGRAM).filter(|path| path != OsStr::new("")).map(PathBuf::from)
}
