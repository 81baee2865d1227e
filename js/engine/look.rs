//! What the viewer asks beyond the surface for hosts: a journal as a [`Tape`], any moment of it as an
//! engine, copies of engines, and pictures small enough to be drawn at every move of a slider.

use super::{Engine, Held};
use endstate::view::Node;
use endstate::vocab::criterion::Criterion;
use endstate::vocab::error::{Code, Error};
use endstate::vocab::json;
use endstate::{layout, picture, tape};
use endstate_boundary::{Answer, busy, bytes, moment, object, text, thrown};
use serde::Serialize;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// A journal that is read for looking at it; see [`tape::Tape`].
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Tape {
    tape: RefCell<tape::Tape>,
}

#[wasm_bindgen]
impl Tape {
    /// Before the first byte.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Tape::default()
    }

    /// Takes the next piece. A line that does not hold is told by [`Tape::state`].
    ///
    /// # Errors
    /// `wrong_type` for what are no bytes.
    pub fn push(&self, piece: &JsValue) -> Answer<()> {
        let piece = bytes(piece, "journal").map_err(thrown)?;
        self.tape.try_borrow_mut().map_err(|_| thrown(busy()))?.push(&piece);
        Ok(())
    }

    /// What was found so far.
    pub fn state(&self) -> Answer {
        object(&self.tape.try_borrow().map_err(|_| thrown(busy()))?.state())
    }

    /// The runs and questions so far, as JSON text.
    pub fn chronicle(&self) -> Answer<String> {
        let tape = self.tape.try_borrow().map_err(|_| thrown(busy()))?;
        Ok(json::encode(tape.chronicle()))
    }

    /// An engine at event `seq` or a little before: its `position()` says where. The journal lines
    /// from there on, given to its `applyBatch`, lead to the moment itself.
    ///
    /// # Errors
    /// `empty` before line 0.
    pub fn before(&self, seq: &JsValue) -> Answer<Engine> {
        let seq = moment(seq, "seq").map_err(thrown)?;
        let tape = self.tape.try_borrow().map_err(|_| thrown(busy()))?;
        let Some(journal) = tape.before(seq) else {
            return Err(thrown(Error::new(Code::Empty, "line 1", "a journal", "no whole line")));
        };
        Ok(Held { journal, placed: true, started: None }.handle())
    }
}

/// One item with all that is known about its criteria.
#[derive(Serialize)]
struct Item<'a> {
    node: Node,
    criteria: Option<&'a [Criterion]>,
}

#[wasm_bindgen]
impl Engine {
    /// A copy that goes its own way.
    pub fn fork(&self) -> Answer<Engine> {
        self.ask(|held| {
            let (journal, placed) = (held.journal.clone(), held.placed);
            Ok(Held { journal, placed, started: None }.handle())
        })
    }

    /// Where each item is drawn, as JSON text; see [`layout::Scene`].
    pub fn scene(&self) -> Answer<String> {
        self.ask(|held| Ok(json::encode(&layout::scene(held.engine()?))))
    }

    /// The state to colour the scene with, as JSON text; see [`picture::Picture`].
    pub fn picture(&self) -> Answer<String> {
        self.ask(|held| Ok(json::encode(&picture::picture(held.engine()?))))
    }

    /// One item with its criteria, claims, evidence and verdicts, as JSON text.
    ///
    /// # Errors
    /// `unknown_item` if there is none of this id.
    pub fn item(&self, id: &JsValue) -> Answer<String> {
        let id = text(id, "item").map_err(thrown)?;
        self.ask(|held| {
            let engine = held.engine()?;
            let node = engine.view().nodes.into_iter().find(|node| node.id == id);
            let node = node
                .ok_or_else(|| Error::new(Code::UnknownItem, "item", "an item of the plan", &id))?;
            Ok(json::encode(&Item { node, criteria: engine.criteria(&id) }))
        })
    }
}
