//! Files of a mission are files: what an agent may have put in the place of one, a pipe that nobody
//! writes to or a device without an end, would be waited for or read for ever.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a regular file to be read.
///
/// # Errors
/// What the system says; `InvalidInput` for anything else than a file.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(path, OpenOptions::new().read(true))
}

/// Opens a regular file in the way the options say.
///
/// # Errors
/// As [`open`].
pub fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Without waiting for the other end of a pipe; that means nothing where there is a file.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = options.custom_flags(flags).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file")),
    }
}

/// Reads a regular file whole.
///
/// # Errors
/// As [`open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_and_nothing_else_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        assert_eq!(read(&at("file")).unwrap(), b"text");
        assert_eq!(open(&at("none")).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(open(dir.path()).unwrap_err().kind(), ErrorKind::InvalidInput);
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(made.success());
        assert_eq!(open(&at("pipe")).unwrap_err().kind(), ErrorKind::InvalidInput);
        // Nobody reads from it: the system refuses, and does not wait for somebody who does.
        assert!(open_with(&at("pipe"), OpenOptions::new().append(true)).is_err());
        assert_eq!(open(Path::new("/dev/zero")).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}
