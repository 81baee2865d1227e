//! The sessions of real agents in WebAssembly, without the engine. How arguments are read is told in `js/boundary`.

use endstate::agents::Bridge;
use endstate::vocab::json;
use endstate_boundary::{Answer, busy, bytes, given, moment, object, text, thrown};
use serde::Serialize;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// One run of a role by a real agent; see [`endstate::agents`].
#[wasm_bindgen]
#[derive(Debug)]
pub struct AgentBridge {
    bridge: RefCell<Bridge>,
}

#[wasm_bindgen]
impl AgentBridge {
    /// For one run.
    ///
    /// # Errors
    /// As [`Bridge::new`].
    #[wasm_bindgen(constructor)]
    pub fn new(request: &JsValue) -> Answer<AgentBridge> {
        let work = || Bridge::new(json::decode(&text(request, "request")?)?);
        let bridge = RefCell::new(work().map_err(thrown)?);
        Ok(AgentBridge { bridge })
    }

    /// What to start.
    pub fn launch(&self) -> Answer {
        self.with(|bridge| bridge.launch())
    }

    /// Takes a piece of the agent's standard output.
    ///
    /// # Errors
    /// `wrong_type` for what is no bytes.
    pub fn hear(&self, piece: &JsValue) -> Answer {
        let piece = bytes(piece, "piece").map_err(thrown)?;
        self.with(|bridge| bridge.hear(&piece))
    }

    /// Takes a piece of the agent's standard error.
    ///
    /// # Errors
    /// `wrong_type` for what is no bytes.
    pub fn overhear(&self, piece: &JsValue) -> Answer {
        let piece = bytes(piece, "piece").map_err(thrown)?;
        self.with(|bridge| bridge.overhear(&piece))
    }

    /// So many milliseconds have gone by since the start.
    ///
    /// # Errors
    /// `wrong_type` for what is no number.
    pub fn waited(&self, ms: &JsValue) -> Answer {
        let ms = moment(ms, "ms").map_err(thrown)?;
        self.with(|bridge| bridge.waited(ms))
    }

    /// The agent has left, with this status if it left by itself.
    ///
    /// # Errors
    /// `wrong_type` for what is no number.
    pub fn end(&self, status: &JsValue) -> Answer {
        let status = given(status).map(|status| moment(status, "status")).transpose();
        let status = status.map_err(thrown)?.map(|status| i32::try_from(status).unwrap_or(-1));
        self.with(|bridge| bridge.end(status))
    }

    fn with<T: Serialize>(&self, work: impl FnOnce(&mut Bridge) -> T) -> Answer {
        let mut bridge = self.bridge.try_borrow_mut().map_err(|_| thrown(busy()))?;
        let answer = work(&mut bridge);
        object(&answer)
    }
}
