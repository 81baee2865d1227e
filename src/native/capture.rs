//! Short commands that are waited for: what goes in is there at once, what comes out is read at the end.

use super::error::{HostError, HostResult};
use super::process::{GRACE, end_group};
use super::processes::TICK;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What a short command of our own said.
#[derive(Clone, Debug)]
pub struct Said {
    /// Its exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error, lossily.
    pub stderr: String,
}

/// Runs a short command of our own (git), with `input` on its standard input, and ends its group
/// after `timeout`.
///
/// # Errors
/// `io` if it cannot be started or waited for, or at the time limit.
pub fn capture(command: Command, input: &[u8], timeout: Duration) -> HostResult<Said> {
    said(command, input, timeout, None)
}

/// The same, until `stop` says so: then the group is ended as it is at the time limit. Nothing of the group outlives it,
/// however it ends.
///
/// # Errors
/// As of [`capture`]; what was stopped is `io`, too, of the kind `Interrupted`.
pub fn capture_until(
    command: Command,
    input: &[u8],
    timeout: Duration,
    stop: &dyn Fn() -> bool,
) -> HostResult<Said> {
    said(command, input, timeout, Some(stop))
}

fn said(
    mut command: Command,
    input: &[u8],
    timeout: Duration,
    stop: Option<&dyn Fn() -> bool>,
) -> HostResult<Said> {
    let name = command.get_program().to_owned();
    let fail = |doing, error| HostError::io(doing, &name, error);
    // Files and not pipes: what a hook leaves running cannot keep us waiting at the other end.
    let file = |bytes: &[u8]| -> std::io::Result<File> {
        let mut file = tempfile::tempfile()?;
        file.write_all(bytes)?;
        file.rewind()?;
        Ok(file)
    };
    let files = || -> std::io::Result<[File; 3]> { Ok([file(input)?, file(&[])?, file(&[])?]) };
    let [stdin, mut stdout, mut stderr] =
        files().map_err(|error| HostError::io("write", std::env::temp_dir(), error))?;
    let shared = |file: &File| file.try_clone().map_err(|error| fail("start", error));
    command.process_group(0).stdin(stdin).stdout(shared(&stdout)?).stderr(shared(&stderr)?);
    let mut child = command.spawn().map_err(|error| fail("start", error))?;
    let asked = || stop.is_some_and(|stop| stop());
    let status = wait_for(&mut child, timeout, &asked).map_err(|error| fail("wait for", error))?;
    if stop.is_some() {
        end_group(child.id(), GRACE);
    }
    let read = |file: &mut File| {
        let mut bytes = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map(|_| bytes)
    };
    let stdout = read(&mut stdout).map_err(|error| fail("read", error))?;
    let stderr = read(&mut stderr).map_err(|error| fail("read", error))?;
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    Ok(Said { status: status.code(), stdout, stderr })
}

/// Waits for a child; at the time limit its group is ended.
fn wait_for(
    child: &mut Child,
    timeout: Duration,
    stop: &dyn Fn() -> bool,
) -> std::io::Result<ExitStatus> {
    let began = Instant::now();
    let mut pause = Duration::from_micros(300);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        let why = match (began.elapsed() >= timeout, stop()) {
            (true, _) => std::io::ErrorKind::TimedOut,
            (_, true) => std::io::ErrorKind::Interrupted,
            (false, false) => {
                sleep(pause);
                pause = (pause * 2).min(TICK);
                continue;
            }
        };
        end_group(child.id(), GRACE);
        child.wait()?;
        return Err(why.into());
    }
}
