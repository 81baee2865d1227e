//! A journal in pieces of any size: the same answer as [`replay`](crate::journal::replay), without
//! holding the whole file.
//!
//! Only the unfinished last line is kept between two pieces. A line longer than any that is read is
//! kept just as far as it takes to refuse it.

use crate::journal::{MOST_LINE_BYTES, Replay, Replayer};
use crate::vocab::error::Result;

/// The lines of a journal that comes in pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces {
    rest: Vec<u8>,
    /// Bytes behind the last newline.
    pub(crate) torn: u64,
}

impl Pieces {
    /// Gives every line that ends in this piece to `take`, as long as that takes them.
    pub(crate) fn push(
        &mut self,
        mut bytes: &[u8],
        mut take: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, tail) = (&bytes[..end], &bytes[end + 1..]);
            if self.rest.is_empty() {
                take(line)?;
            } else {
                self.keep(line);
                take(&self.rest)?;
                self.rest.clear();
            }
            self.torn = 0;
            bytes = tail;
        }
        self.keep(bytes);
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = (MOST_LINE_BYTES + 1).saturating_sub(self.rest.len());
        self.rest.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.torn = self.torn.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    }
}

/// A journal that is being replayed piece by piece.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    replayer: Replayer,
    pieces: Pieces,
}

impl Stream {
    /// Before the first byte.
    pub fn new() -> Self {
        Stream::default()
    }

    /// Takes the next piece. After an error the stream is of no more use.
    ///
    /// # Errors
    /// As [`Replayer::line`].
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.pieces.push(bytes, |line| self.replayer.line(line))
    }

    /// What the replay found. A last line without its newline is torn: left out and counted.
    ///
    /// # Errors
    /// As [`Replayer::found`].
    pub fn finish(&self) -> Result<Replay> {
        self.replayer.found(self.pieces.torn)
    }
}
