//! A journal held for looking at it: replayed once from the first line, with engines kept from time
//! to time, so that any moment is a short replay away.
//!
//! What is wrong is not thrown: what came before a damaged line can still be shown, so the tape
//! stops there and says why. The tape keeps no bytes; its owner has the journal and gives the
//! lines between a kept moment and the wanted one to the engine it asks for.

use crate::chronicle::{Chronicle, Moment};
use crate::engine::Engine;
use crate::journal::{Divergence, MOST_LINE_BYTES, Position, Replayer};
use crate::snapshot::Continuation;
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
    /// Behind the last line that holds. A line that fails may have moved the replayer on.
    position: Position,
    frames: Vec<(Position, Engine)>,
    gap: u64,
    most: usize,
    chronicle: Chronicle,
    rest: Vec<u8>,
    torn: u64,
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
    /// Whether and why the mission goes on; `None` before line 0.
    pub continuation: Option<Continuation>,
}

impl Default for Tape {
    fn default() -> Self {
        Tape {
            replayer: Replayer::new(),
            position: Position::default(),
            frames: Vec::new(),
            gap: LINES_PER_FRAME,
            most: MOST_FRAMES,
            chronicle: Chronicle::default(),
            rest: Vec::new(),
            torn: 0,
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
    pub fn push(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, tail) = (&bytes[..end], &bytes[end + 1..]);
            if self.rest.is_empty() {
                self.line(line);
            } else {
                self.keep(line);
                let whole = std::mem::take(&mut self.rest);
                self.line(&whole);
            }
            self.torn = 0;
            bytes = tail;
        }
        self.keep(bytes);
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = (MOST_LINE_BYTES + 1).saturating_sub(self.rest.len());
        self.rest.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.torn = self.torn.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    }

    fn line(&mut self, line: &[u8]) {
        if self.fault.is_some() {
            return;
        }
        match self.replayer.take(line) {
            Err(error) => self.fault = Some(error),
            Ok(told) => {
                self.position.clone_from(self.replayer.position());
                let seq = self.position.lines - 1;
                let Some(engine) = self.replayer.engine() else { return };
                let at = told.event.as_ref().map_or(engine.snapshot().head.at, |event| event.at);
                self.chronicle.tell(Moment { seq, at }, told.event.as_ref(), &told.effects);
                self.frame(seq);
            }
        }
    }

    fn frame(&mut self, seq: u64) {
        let Some(engine) = self.replayer.engine() else { return };
        if !seq.is_multiple_of(self.gap) || self.replayer.divergence().is_some() {
            return;
        }
        self.frames.push((self.position.clone(), engine.clone()));
        if self.frames.len().is_power_of_two() {
            let items =
                engine.outline().map_or_else(|| engine.view().nodes.len(), |one| one.nodes.len());
            self.most = (MOST_ITEMS / items.max(1)).clamp(FEWEST_FRAMES, MOST_FRAMES);
        }
        if self.frames.len() > self.most {
            self.gap *= 2;
            let gap = self.gap;
            self.frames.retain(|(position, _)| (position.lines - 1).is_multiple_of(gap));
        }
    }

    /// What was found so far.
    pub fn state(&self) -> TapeState {
        TapeState {
            lines: self.position.lines,
            chain: self.position.chain.clone(),
            torn_bytes: self.torn,
            fault: self.fault.clone(),
            divergence: self.replayer.divergence().cloned(),
            continuation: self.replayer.engine().map(Engine::continuation),
        }
    }

    /// The runs and questions so far.
    pub fn chronicle(&self) -> &Chronicle {
        &self.chronicle
    }

    /// The newest kept engine that has not gone beyond event `seq`, and its place; `None` before
    /// line 0.
    pub fn before(&self, seq: u64) -> Option<(Position, Engine)> {
        if let Some(engine) = self.replayer.engine()
            && self.replayer.divergence().is_none()
            && self.position.lines <= seq.saturating_add(1)
        {
            return Some((self.position.clone(), engine.clone()));
        }
        let behind =
            self.frames.partition_point(|(position, _)| position.lines <= seq.saturating_add(1));
        self.frames.get(behind.checked_sub(1)?).cloned()
    }
}
