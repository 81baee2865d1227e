//! The engine in WebAssembly: the same core behind text, bytes and numbers. How these are read and answered is told in
//! `js/boundary`.

use endstate::engine::{self, Applied, Decided};
use endstate::journal::{Divergence, Header, Position, Replayer as Lines, split};
use endstate::snapshot::{Control, Head, RULES, Snapshot};
use endstate::stream::Stream;
use endstate::vocab::effect::Effect;
use endstate::vocab::error::{Code, Error};
use endstate::vocab::event::{EffectId, Event};
use endstate::vocab::json;
use endstate_boundary::{Answer, busy, bytes, effect_id, given, moment, object, text, thrown};
use js_sys::Reflect;
use serde::Serialize;
use std::cell::RefCell;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

pub mod hosts;
mod look;
pub mod mcp;

/// Version of the engine.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Version of the rules.
#[wasm_bindgen]
pub fn rules() -> u32 {
    RULES
}

/// A mission held open.
///
/// An engine that knows its place in the journal also answers with the line to append.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine {
    held: RefCell<Held>,
}

#[derive(Debug)]
struct Held {
    journal: Lines,
    /// Whether its place in the journal is known.
    placed: bool,
    started: Option<Taken>,
}

/// What one event led to, with its journal line (without the newline).
#[derive(Clone, Debug, Serialize)]
struct Taken {
    effects: Vec<Arc<Effect>>,
    decided: Decided,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<String>,
}

/// See [`Engine::outbox`].
#[derive(Debug, Serialize)]
struct Outbox {
    seq: u64,
    control: Control,
    head: Option<String>,
    waiting: Vec<Brief>,
}

/// An outstanding effect in short.
#[derive(Debug, Serialize)]
struct Brief {
    id: EffectId,
    order: &'static str,
    live: bool,
}

fn brief(head: &Head) -> Vec<Brief> {
    let all = head.outbox.iter().map(|one| {
        let (id, order) = (one.effect.id, one.effect.order.name());
        Brief { id, order, live: one.live() }
    });
    all.collect()
}

/// See [`Engine::older`].
#[derive(Debug, Serialize)]
struct Older {
    rules: u32,
    aside: Vec<String>,
    continuation: Option<endstate::Continuation>,
}

/// What a batch of journal lines led to.
#[derive(Debug, Serialize)]
struct Batch {
    events: u64,
    torn_bytes: u64,
    position: Position,
    continuation: endstate::Continuation,
    divergence: Option<Divergence>,
}

#[wasm_bindgen]
impl Engine {
    /// Starts a mission; its place in the journal is behind line 0.
    ///
    /// # Errors
    /// As [`engine::start`].
    pub fn start(config: &JsValue, at: &JsValue) -> Answer<Engine> {
        let work = || {
            let (config, at) = (json::decode(&text(config, "config")?)?, moment(at, "at")?);
            let (engine, Applied { effects, decided }) = engine::Engine::start(&config, at)?;
            let mut position = Position::default();
            let line = position.write(&Header::new(config, at, decided.clone()));
            let started = Some(Taken { effects, decided, line: Some(line) });
            Ok(Held { journal: Lines::resume(engine, position), placed: true, started })
        };
        work().map(Held::handle).map_err(thrown)
    }

    /// Opens a journal from its first line on, which alone says what was begun; further lines may
    /// follow here or be given to [`Engine::apply_batch`].
    ///
    /// # Errors
    /// As [`Lines::line`]; `empty` if there is no whole line.
    #[wasm_bindgen(js_name = openJournal)]
    pub fn open_journal(lines: &JsValue) -> Answer<Engine> {
        let work = || {
            let bytes = bytes(lines, "lines")?;
            let mut journal = Lines::new();
            split(&bytes).0.try_for_each(|line| journal.line(line))?;
            // Of older rules the first lines may be unreadable, and a later one an upgrade.
            if journal.position().lines == 0 {
                journal.opened()?;
            }
            Ok(Held { journal, placed: true, started: None })
        };
        work().map(Held::handle).map_err(thrown)
    }

    /// The first event that was decided otherwise than recorded, if any was.
    pub fn divergence(&self) -> Answer {
        self.look(|held| Ok(held.journal.divergence().cloned()))
    }

    /// The control word, the effects that are to be performed in short, and the number of the last
    /// event: what a driver asks after every event, without the texts of the orders.
    pub fn outbox(&self) -> Answer {
        self.look(|held| {
            let head = &held.engine()?.snapshot().head;
            let followed = held.engine()?.followed_head().map(str::to_owned);
            let (seq, control, waiting) = (head.seq, head.control, brief(head));
            Ok(Outbox { seq, control, head: followed, waiting })
        })
    }

    /// One effect that has not been answered; `undefined` if it was answered or withdrawn.
    ///
    /// # Errors
    /// `invalid_value` for what is no id.
    pub fn find(&self, effect: &JsValue) -> Answer {
        let id = effect_id(effect).map_err(thrown)?;
        self.look(|held| Ok(held.engine()?.snapshot().head.find(id).cloned()))
    }

    /// Opens a snapshot, and the place in the journal it was taken at if that is given.
    ///
    /// # Errors
    /// As [`Snapshot::read`].
    pub fn open(snapshot: &JsValue, position: &JsValue) -> Answer<Engine> {
        let work = || {
            let engine = engine::Engine::open(Snapshot::read(&text(snapshot, "snapshot")?)?)?;
            let read = |position| {
                json::decode(&text(position, "position")?).map_err(|error| error.within("position"))
            };
            let position: Option<Position> = given(position).map(read).transpose()?;
            let placed = position.is_some();
            let journal = Lines::resume(engine, position.unwrap_or_default());
            Ok(Held { journal, placed, started: None })
        };
        work().map(Held::handle).map_err(thrown)
    }

    /// `{rules, aside, continuation}` of a journal of older rules that was not upgraded: which, what today's refuse
    /// of it, and where its last line says that the mission stands.
    pub fn older(&self) -> Answer {
        self.look(|held| {
            let (rules, aside) = held.journal.rules();
            let continuation = held.journal.found(0).ok().map(|found| found.continuation);
            let older = Older { rules, aside, continuation };
            Ok(held.journal.is_older().then_some(older))
        })
    }

    /// The line that upgrades a journal of older rules; `undefined` for any other. See [`Lines::upgrade`].
    ///
    /// # Errors
    /// As there.
    pub fn upgrade(&self, at: &JsValue) -> Answer {
        let at = moment(at, "at").map_err(thrown)?;
        let line = self.change(|held| match held.placed {
            true => held.journal.upgrade(at),
            false => Ok(None),
        })?;
        object(&line)
    }

    /// `{effects, decided, line}` of the start; `undefined` if the engine was opened.
    pub fn started(&self) -> Answer {
        self.look(|held| Ok(held.started.clone()))
    }

    /// Takes one event: `{effects, decided}`, and the journal `line` if the place is known.
    ///
    /// # Errors
    /// As [`engine::Engine::apply`].
    pub fn apply(&self, event: &JsValue) -> Answer {
        let event = text(event, "event").and_then(|text| json::decode::<Event>(&text));
        let event = event.map_err(thrown)?;
        let mut taken = self.change(|held| held.apply(event))?;
        // The line is JSON itself: as a text within a text its quotes would be escaped, and read back.
        let line = taken.line.take();
        let made = object(&taken)?;
        if let Some(line) = line {
            Reflect::set(&made, &"line".into(), &line.into())?;
        }
        Ok(made)
    }

    /// Takes journal lines, checking their chain and what they say was decided. Stops at the first
    /// line that does not hold, having taken those before it. A torn last line is left out.
    ///
    /// # Errors
    /// As [`Lines::line`]; `invalid_value` if the engine does not know its place.
    #[wasm_bindgen(js_name = applyBatch)]
    pub fn apply_batch(&self, lines: &JsValue) -> Answer {
        let lines = bytes(lines, "lines").map_err(thrown)?;
        let batch = self.change(|held| held.apply_batch(&lines))?;
        object(&batch)
    }

    /// The state as JSON text.
    pub fn snapshot(&self) -> Answer<String> {
        self.ask(|held| Ok(json::encode(held.engine()?.snapshot())))
    }

    /// Effects that have not been answered.
    pub fn pending(&self) -> Answer {
        self.look(|held| Ok(held.engine()?.pending()))
    }

    /// Why the next step is what it is.
    pub fn why(&self) -> Answer {
        self.look(|held| Ok(held.engine()?.why()))
    }

    /// The content of a canonical file.
    ///
    /// # Errors
    /// As [`engine::Engine::render`].
    pub fn render(&self, path: &JsValue) -> Answer<String> {
        let path = text(path, "path").map_err(thrown)?;
        self.ask(|held| held.engine()?.render(&path))
    }

    /// Whether and why the mission goes on.
    pub fn continuation(&self) -> Answer {
        self.look(|held| Ok(held.engine()?.continuation()))
    }

    /// As [`engine::Engine::is_over`].
    #[wasm_bindgen(js_name = isOver)]
    pub fn is_over(&self) -> Answer<bool> {
        self.ask(|held| Ok(held.engine()?.is_over()))
    }

    /// The programs that the deciding commands start, each with the first thing it is to show.
    pub fn programs(&self) -> Answer {
        self.look(|held| Ok(held.engine()?.programs()))
    }

    /// As [`engine::Engine::dangerous_commands`].
    #[wasm_bindgen(js_name = dangerousCommands)]
    pub fn dangerous_commands(&self) -> Answer {
        self.look(|held| Ok(held.engine()?.dangerous_commands()))
    }

    /// The place in the journal, if it is known.
    pub fn position(&self) -> Answer {
        self.look(|held| Ok(held.placed.then(|| held.journal.position().clone())))
    }

    fn ask<T>(&self, question: impl FnOnce(&Held) -> Result<T, Error>) -> Answer<T> {
        let held = self.held.try_borrow().map_err(|_| thrown(busy()))?;
        question(&held).map_err(thrown)
    }

    fn look<T: Serialize>(&self, question: impl FnOnce(&Held) -> Result<T, Error>) -> Answer {
        let answer = self.ask(question)?;
        object(&answer)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Held) -> Result<T, Error>) -> Answer<T> {
        let mut held = self.held.try_borrow_mut().map_err(|_| thrown(busy()))?;
        change(&mut held).map_err(thrown)
    }
}

impl Held {
    fn handle(self) -> Engine {
        Engine { held: RefCell::new(self) }
    }

    fn engine(&self) -> Result<&engine::Engine, Error> {
        self.journal.opened()
    }

    /// An engine whose journal says otherwise than it decided must not go on from there.
    fn agrees(&self) -> Result<(), Error> {
        match self.journal.divergence() {
            None => Ok(()),
            Some(at) => {
                let place = format!("line {}.{}", at.seq.saturating_add(1), at.path);
                Err(Error::new(Code::OtherRules, place, &at.recorded, &at.decided))
            }
        }
    }

    /// A journal of older rules gets no line before it is upgraded.
    fn apply(&mut self, event: Event) -> Result<Taken, Error> {
        self.agrees()?;
        let lined = self.placed && !self.journal.is_older();
        let (Applied { effects, decided }, line) = self.journal.append(event)?;
        Ok(Taken { effects, decided, line: lined.then_some(line) })
    }

    fn apply_batch(&mut self, bytes: &[u8]) -> Result<Batch, Error> {
        self.agrees()?;
        if !self.placed {
            let expected = "an engine opened with its place in the journal";
            return Err(Error::new(Code::InvalidValue, "position", expected, "none"));
        }
        let (lines, torn) = split(bytes);
        let first = self.journal.position().lines;
        for line in lines {
            self.journal.line(line)?;
        }
        let position = self.journal.position().clone();
        Ok(Batch {
            events: position.lines - first,
            torn_bytes: u64::try_from(torn).unwrap_or(u64::MAX),
            position,
            continuation: self.journal.found(0)?.continuation,
            divergence: self.journal.divergence().cloned(),
        })
    }
}

/// A journal that is replayed in pieces of any size; see [`Stream`].
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Replayer {
    stream: RefCell<Stream>,
}

#[wasm_bindgen]
impl Replayer {
    /// Before the first byte.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Replayer::default()
    }

    /// Takes the next piece.
    ///
    /// # Errors
    /// As [`Stream::push`].
    pub fn push(&self, piece: &JsValue) -> Answer<()> {
        let piece = bytes(piece, "journal").map_err(thrown)?;
        let mut stream = self.stream.try_borrow_mut().map_err(|_| thrown(busy()))?;
        stream.push(&piece).map_err(thrown)
    }

    /// What was found so far.
    ///
    /// # Errors
    /// As [`Stream::finish`].
    pub fn finish(&self) -> Answer {
        let stream = self.stream.try_borrow().map_err(|_| thrown(busy()))?;
        let found = stream.finish().map_err(thrown)?;
        object(&found)
    }
}
