//! A journal in pieces of any size: the same answer as [`replay`](crate::journal::replay), without
//! holding the whole file.
//!
//! Only the unfinished last line is kept between two pieces. A line longer than any that is read is
//! kept just as far as it takes to refuse it.

use crate::journal::{MOST_LINE_BYTES, Replay, Replayer};
use crate::vocab::error::{Code, Error, Result};

/// A journal that is being replayed piece by piece.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    replayer: Replayer,
    rest: Vec<u8>,
    torn: u64,
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
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<()> {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, tail) = (&bytes[..end], &bytes[end + 1..]);
            if self.rest.is_empty() {
                self.replayer.line(line)?;
            } else {
                self.keep(line);
                self.replayer.line(&self.rest)?;
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

    /// What the replay found. A last line without its newline is torn: left out and counted.
    ///
    /// # Errors
    /// `empty` if there was no whole line.
    pub fn finish(&self) -> Result<Replay> {
        let Some(engine) = self.replayer.engine() else {
            return Err(Error::new(Code::Empty, "line 1", "a journal", "no whole line"));
        };
        let position = self.replayer.position();
        Ok(Replay {
            events: position.lines.saturating_sub(1),
            chain: position.chain.clone(),
            torn_bytes: self.torn,
            continuation: engine.continuation(),
            divergence: self.replayer.divergence().cloned(),
        })
    }

    /// The replay so far, to go on from.
    pub fn into_replayer(self) -> Replayer {
        self.replayer
    }
}
