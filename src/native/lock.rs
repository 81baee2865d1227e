//! One writer: the lock file of a mission.
//!
//! `.agent/endstate/lock` comes into being whole and only if it is not there. It names the process
//! by id *and* start time, so that a reused id is not mistaken for the holder. The lock of a dead
//! holder is taken over by whoever has the right to: a lock of the system on `lock.right` beside it.
//! Who has it looks once more that the lock still is that of the dead, and removes it, so two
//! processes that take over at once cannot remove each other's fresh lock.

use super::durable;
use super::error::{HostError, HostResult};
use super::processes;
use super::regular;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How often an attempt is repeated while locks come and go.
const MOST_ATTEMPTS: u32 = 200;
/// How often an unreadable lock is looked at before it counts as left by a crash.
const UNREADABLE_LOOKS: u32 = 20;
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// What stands in the lock file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// When that process was started, in the words of the system (field 22 of `/proc/<pid>/stat`).
    pub start: String,
    /// The machine.
    pub host: String,
    /// A text no other lock has.
    pub token: String,
}

/// The lock, held until dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    holder: Holder,
    /// Whether a dead holder's lock was taken over: that driver did not end cleanly.
    pub took_over: bool,
}

impl Lock {
    /// Takes the lock at `path`; `staging` is a directory beside it.
    ///
    /// # Errors
    /// `locked` with the process that holds it, or what the system says.
    pub fn acquire(path: &Path, staging: &Path) -> HostResult<Lock> {
        let holder = Holder::this();
        let mut took_over = false;
        let mut unreadable = 0;
        for _ in 0..MOST_ATTEMPTS {
            let text = crate::vocab::json::encode(&holder);
            match durable::create_whole(path, staging, &holder.token, text.as_bytes()) {
                Ok(()) => return Ok(Lock { path: path.to_owned(), holder, took_over }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                // Somebody swept the staging directory between two steps of ours.
                Err(error) if error.kind() == ErrorKind::NotFound && staging.is_dir() => continue,
                Err(error) => return Err(HostError::io("create", path, error)),
            }
            match look(path)? {
                Found::Gone => {}
                Found::Unreadable(token) => {
                    unreadable += 1;
                    match unreadable < UNREADABLE_LOOKS {
                        true => sleep(PAUSE),
                        false => took_over |= clear(path, &token)?,
                    }
                }
                Found::Held(other) if other.dead() => {
                    took_over |= clear(path, &other.token)?;
                }
                Found::Held(Holder { pid, host, .. }) => {
                    return Err(HostError::Locked { pid, host, path: path.to_owned() });
                }
            }
        }
        Err(HostError::io("lock", path, std::io::Error::from(ErrorKind::WouldBlock)))
    }

    /// Who holds the lock at `path`, if somebody alive does.
    pub fn held_by(path: &Path) -> Option<Holder> {
        match look(path) {
            Ok(Found::Held(holder)) if !holder.dead() => Some(holder),
            _ => None,
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Only ours: if somebody removed it by hand and another driver came, it is not ours any more.
        if matches!(look(&self.path), Ok(Found::Held(now)) if now.token == self.holder.token) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Holder {
    fn this() -> Holder {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let pid = std::process::id();
        let start = processes::start_time(pid).unwrap_or_default();
        let host = processes::host_name();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let count = COUNT.fetch_add(1, Ordering::SeqCst);
        let seed = format!("{host} {pid} {start} {now} {count}");
        let mut token = crate::engine::hex(&Sha256::digest(seed.as_bytes()));
        token.truncate(24);
        Holder { pid, start, host, token }
    }

    /// Whether the holder is known to be dead. A holder on another machine never is.
    fn dead(&self) -> bool {
        self.host == processes::host_name()
            && processes::start_time(self.pid).is_none_or(|start| start != self.start)
    }
}

enum Found {
    Gone,
    Held(Holder),
    /// Not a lock of ours; a name made of its bytes stands for its token.
    Unreadable(String),
}

fn look(path: &Path) -> HostResult<Found> {
    match regular::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Found::Gone),
        Err(error) => Err(HostError::io("read", path, error)),
        Ok(bytes) => Ok(match serde_json::from_slice::<Holder>(&bytes) {
            Ok(holder) if holder.token.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                Found::Held(holder)
            }
            _ => {
                let mut token = crate::engine::hex(&Sha256::digest(&bytes));
                token.truncate(24);
                Found::Unreadable(token)
            }
        }),
    }
}

/// Removes the lock of the dead `token`; `false` if somebody else has the right to, or did.
///
/// The right is a lock of the system on a file beside it, which goes with the process that holds it:
/// however often drivers die while they take over, nothing is left that must be taken over itself.
fn clear(path: &Path, token: &str) -> HostResult<bool> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".right");
    let right = path.with_file_name(name);
    let fail = |error| HostError::io("lock", &right, error);
    let file = File::options().create(true).append(true).open(&right).map_err(fail)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            sleep(PAUSE);
            return Ok(false);
        }
        Err(TryLockError::Error(error)) => return Err(fail(error)),
    }
    let still = match look(path)? {
        Found::Gone => false,
        Found::Held(now) => now.token == token,
        Found::Unreadable(now) => now == token,
    };
    if still {
        std::fs::remove_file(path).map_err(|error| HostError::io("remove", path, error))?;
    }
    Ok(still)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn place() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        (dir, path)
    }

    fn dead() -> Holder {
        // Process 1 exists, but was not started then.
        Holder {
            pid: 1,
            start: "never".to_owned(),
            host: processes::host_name(),
            token: "d0".into(),
        }
    }

    #[test]
    fn a_second_holder_is_told_the_first() {
        let (dir, path) = place();
        let lock = Lock::acquire(&path, dir.path()).unwrap();
        assert!(!lock.took_over);
        match Lock::acquire(&path, dir.path()).unwrap_err() {
            HostError::Locked { pid, .. } => assert_eq!(pid, std::process::id()),
            other => panic!("{other}"),
        }
        assert_eq!(Lock::held_by(&path).unwrap().pid, std::process::id());
        drop(lock);
        assert!(Lock::held_by(&path).is_none());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_dead_holder_is_replaced_and_a_distant_one_is_not() {
        let (dir, path) = place();
        fs::write(&path, crate::vocab::json::encode(&dead())).unwrap();
        let lock = Lock::acquire(&path, dir.path()).unwrap();
        assert!(lock.took_over);
        drop(lock);
        let distant = Holder { host: "elsewhere.invalid".to_owned(), ..dead() };
        fs::write(&path, crate::vocab::json::encode(&distant)).unwrap();
        assert_eq!(Lock::acquire(&path, dir.path()).unwrap_err().code(), "locked");
    }

    #[test]
    fn a_lock_that_a_crash_cut_in_half_is_replaced() {
        let (dir, path) = place();
        fs::write(&path, "{\"pid\":").unwrap();
        assert!(Lock::acquire(&path, dir.path()).unwrap().took_over);
    }

    #[test]
    fn of_many_that_take_over_at_once_one_holds() {
        for _ in 0..20 {
            let (dir, path) = place();
            fs::write(&path, crate::vocab::json::encode(&dead())).unwrap();
            let barrier = std::sync::Barrier::new(8);
            let held = std::thread::scope(|scope| {
                let tries: Vec<_> = (0..8)
                    .map(|_| {
                        scope.spawn(|| {
                            barrier.wait();
                            Lock::acquire(&path, dir.path())
                        })
                    })
                    .collect();
                // All results are kept alive until every thread has tried.
                let results: Vec<_> = tries.into_iter().map(|one| one.join().unwrap()).collect();
                results.iter().filter(|result| result.is_ok()).count()
            });
            assert_eq!(held, 1);
        }
    }
}
