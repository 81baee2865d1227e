//! A file of lines that may be longer than memory: cut, counted and digested piece by piece.

use crate::mission::prelude::*;
use crate::vocab::digest::hex;
use crate::vocab::json::utf8;
use sha2::{Digest, Sha256};

/// The most faults that are kept; more are counted.
pub const MOST_FAULTS: usize = 50;
/// The longest line that is read, in bytes; a longer one is a fault.
pub const MOST_LINE: usize = 4 * 1024 * 1024;

/// What is known of the bytes and lines of a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Extent {
    /// Lines, blank and faulty ones included.
    pub lines: u64,
    /// Lines that are records.
    pub records: u64,
    /// Bytes.
    pub length: u64,
    /// SHA-256 of all bytes in hex.
    pub digest: String,
    /// The last line has no newline: an append would run into it.
    pub unterminated: bool,
    /// The first [`MOST_FAULTS`] faults; `at` begins with the line.
    pub faults: Vec<Diagnostic>,
    /// How many faults there are.
    pub faults_total: u64,
}

/// Cuts bytes into lines, counts and digests them.
#[derive(Default)]
pub(super) struct Lines {
    hash: Sha256,
    length: u64,
    lines: u64,
    records: u64,
    /// The line that has not ended yet, as far as it is kept.
    open: Vec<u8>,
    /// Bytes of that line, kept or not.
    open_length: u64,
    faults: Vec<Diagnostic>,
    faults_total: u64,
}

/// What becomes of a line: its number from 1, and its text.
pub(super) type Take<'a> = &'a mut dyn FnMut(u64, &str) -> Result<()>;

impl Lines {
    pub(super) fn push(&mut self, bytes: &[u8], take: Take<'_>) {
        self.hash.update(bytes);
        self.length += bytes.len() as u64;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let ended = piece.ends_with(b"\n");
            let text = if ended { &piece[..piece.len() - 1] } else { piece };
            let room = MOST_LINE.saturating_sub(self.open.len()).min(text.len());
            self.open.extend_from_slice(&text[..room]);
            self.open_length += text.len() as u64;
            if ended {
                self.end_line(take);
            }
        }
    }

    fn end_line(&mut self, take: Take<'_>) {
        self.lines += 1;
        let (line, length) = (self.lines, self.open_length);
        let bytes = std::mem::take(&mut self.open);
        self.open_length = 0;
        match read_line(&bytes, length).and_then(|text| take(line, text)) {
            Ok(()) => self.records += 1,
            Err(error) => self.fault(line, error),
        }
    }

    fn fault(&mut self, line: u64, error: Error) {
        self.faults_total += 1;
        if self.faults.len() < MOST_FAULTS {
            let place = format!("line {line}");
            // The JSON reader says "line 1" of every single line.
            let inner = error.at.strip_prefix("line 1 ").unwrap_or(&error.at).to_owned();
            let at = if inner.is_empty() { place } else { format!("{place}: {inner}") };
            self.faults.push(Diagnostic { at, ..error.diagnostic() });
        }
    }

    pub(super) fn finish(mut self, take: Take<'_>) -> Extent {
        let unterminated = self.open_length > 0;
        if unterminated {
            self.end_line(take);
        }
        Extent {
            lines: self.lines,
            records: self.records,
            length: self.length,
            digest: hex(&self.hash.finalize()),
            unterminated,
            faults: self.faults,
            faults_total: self.faults_total,
        }
    }
}

fn read_line(bytes: &[u8], length: u64) -> Result<&str> {
    if length > MOST_LINE as u64 {
        let expected = format!("a line of at most {MOST_LINE} bytes");
        return Err(Error::new(Code::TooLarge, "", expected, format!("{length} bytes")));
    }
    utf8(bytes)
}
