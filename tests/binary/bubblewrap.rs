//! The program that confines agents, for the tests.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Its path; where the machine has none, that is said, and the test has nothing to look at.
pub(crate) fn bubblewrap() -> Option<PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let look = || {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bubblewrap.mjs");
        let said = Command::new("node").arg(script).output().ok()?;
        let path = String::from_utf8(said.stdout).ok().filter(|path| !path.is_empty())?;
        Some(PathBuf::from(path))
    };
    let program = PROGRAM.get_or_init(look).clone();
    if program.is_none() {
        // Past the capture of the test's output: what is skipped is said.
        let _ = std::io::stderr().write_all(b"skipped: no bubblewrap (ENDSTATE_BWRAP names one)\n");
    }
    program
}
