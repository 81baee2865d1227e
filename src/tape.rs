//! A journal held for looking at it: replayed once from the first line, with engines kept from time
//! to time, so that any moment is a short replay away.
//!
//! What is wrong is not thrown: what came before a damaged line can still be shown, so the tape
//! stops there and says why. The tape keeps no bytes; its owner has the journal and gives the
//! lines between a kept moment and the wanted one to the engine it asks for.

use crate::chronicle::{Chronicle, Moment};
use crate::journal::{Divergence, Replayer};
use crate::snapshot::Continuation;
use crate::stream::Pieces;
use crate::vocab::error::Error;
use serde::Serialize;

/// How many lines lie between two kept engines at first.
const LINES_PER_FRAME: u64 = 64;
/// How many engines are kept at most; then every second is let go and the gaps double. They share what
/// did not change between them, but each has a list of all items: fewer are kept of a large plan.
const MOST_FRAMES: usize = 480;
const FEWEST_FRAMES: usize = 48;
/// How many items all kept engines may list together.
const MOST_ITEMS: usize = 6_000_000;

/// A journal that is being read for looking at it.
#[derive(Clone, Debug)]
pub struct Tape {
    replayer: Replayer,
    frames: Vec<Replayer>,
    gap: u64,
    most: usize,
    chronicle: Chronicle,
    pieces: Pieces,
    fault: Option<Error>,
}

/// What was found so far.
#[derive(Clone, Debug, Serialize)]
pub struct TapeState {
    /// Lines that hold.
    pub lines: u64,
    /// Chain of the last of them.
    pub chain: String,
    /// Bytes behind the last newline.
    pub torn_bytes: u64,
    /// Why the line behind them does not hold, if it does not.
    pub fault: Option<Error>,
    /// The first event that was decided otherwise than recorded. What comes after it is only
    /// checked for its chain and cannot be shown.
    pub divergence: Option<Divergence>,
    /// How many of the first lines were made under older rules. Of these only the chain is proven; they are
    /// shown as today's rules take them.
    pub older_lines: u64,
    /// Whether and why the mission goes on; `None` before line 0.
    pub continuation: Option<Continuation>,
}

impl Default for Tape {
    fn default() -> Self {
        Tape {
            replayer: Replayer::new(),
            frames: Vec::new(),
            gap: LINES_PER_FRAME,
            most: MOST_FRAMES,
            chronicle: Chronicle::default(),
            pieces: Pieces::default(),
            fault: None,
        }
    }
}

impl Tape {
    /// Before the first byte.
    pub fn new() -> Self {
        Tape::default()
    }

    /// Takes the next piece of the journal, of any size.
    pub fn push(&mut self, bytes: &[u8]) {
        let mut pieces = std::mem::take(&mut self.pieces);
        let taken = pieces.push(bytes, |line| {
            if self.fault.is_none() {
                self.line(line);
            }
            Ok(())
        });
        (self.pieces, self.fault) = (pieces, self.fault.take().or(taken.err()));
    }

    fn line(&mut self, line: &[u8]) {
        match self.replayer.take(line) {
            Err(error) => self.fault = Some(error),
            Ok(told) => {
                let seq = self.replayer.position().lines - 1;
                let now = Moment { seq, at: told.at };
                self.chronicle.tell(now, told.event.as_ref(), &told.effects);
                self.frame(seq);
            }
        }
    }

    fn frame(&mut self, seq: u64) {
        let Some(engine) = self.replayer.engine() else { return };
        let due = self.frames.is_empty() || seq.is_multiple_of(self.gap);
        if !due || self.replayer.divergence().is_some() {
            return;
        }
        self.frames.push(self.replayer.clone());
        if self.frames.len().is_power_of_two() {
            let items =
                engine.outline().map_or_else(|| engine.view().nodes.len(), |one| one.nodes.len());
            self.most = (MOST_ITEMS / items.max(1)).clamp(FEWEST_FRAMES, MOST_FRAMES);
        }
        if self.frames.len() > self.most {
            self.gap *= 2;
            let gap = self.gap;
            self.frames.retain(|frame| (frame.position().lines - 1).is_multiple_of(gap));
        }
    }

    /// What was found so far.
    pub fn state(&self) -> TapeState {
        let position = self.replayer.position();
        TapeState {
            lines: position.lines,
            chain: position.chain.clone(),
            torn_bytes: self.pieces.torn,
            fault: self.fault.clone(),
            divergence: self.replayer.divergence().cloned(),
            older_lines: self.replayer.older_lines(),
            continuation: self.replayer.found(0).ok().map(|found| found.continuation),
        }
    }

    /// The runs and questions so far.
    pub fn chronicle(&self) -> &Chronicle {
        &self.chronicle
    }

    /// The newest kept moment that is not beyond event `seq`, or the first of all; `None` where there is none.
    pub fn before(&self, seq: u64) -> Option<Replayer> {
        let lines = seq.saturating_add(1);
        let now = &self.replayer;
        if now.engine().is_some() && now.divergence().is_none() && now.position().lines <= lines {
            return Some(now.clone());
        }
        let behind = self.frames.partition_point(|frame| frame.position().lines <= lines);
        self.frames.get(behind.saturating_sub(1)).cloned()
    }
}
