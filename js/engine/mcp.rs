//! The mission as a server, and whether an agent that hosts roles may stop; see [`endstate::mcp`].

use super::Engine;
use endstate::mcp;
use endstate::vocab::error::Error;
use endstate::vocab::json;
use endstate::vocab::time::Millis;
use endstate_boundary::{Answer, busy, given, moment, object, text, thrown};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl Engine {
    /// May an agent that hosts roles stop? `stopping` is a [`mcp::Stopping`]; the answer
    /// `{others, answer, count}`: whether others are at work, what the hook answers (or nothing), and what is
    /// to be kept for the next time.
    ///
    /// # Errors
    /// The exact fault of the argument.
    #[wasm_bindgen(js_name = mayStop)]
    pub fn may_stop(&self, stopping: &JsValue) -> Answer {
        let stopping = text(stopping, "stopping").map_err(thrown)?;
        self.look(|held| {
            let engine = held.engine()?;
            let (verdict, count) = mcp::may_stop(engine, &json::decode(&stopping)?);
            let others = mcp::others(engine);
            Ok(serde_json::json!({"others": others, "answer": verdict.json(), "count": count}))
        })
    }
}

/// One session of an agent that hosts roles; see [`mcp`].
#[wasm_bindgen]
#[derive(Debug)]
pub struct McpServer {
    server: RefCell<mcp::Server>,
}

#[wasm_bindgen]
impl McpServer {
    /// A session that has not begun. `policy` is `{wait_seconds, answers, only_look}`, or nothing.
    ///
    /// # Errors
    /// The exact fault of the policy.
    #[wasm_bindgen(constructor)]
    pub fn new(policy: &JsValue) -> Answer<McpServer> {
        let read = |policy: &JsValue| json::decode::<mcp::Policy>(&text(policy, "policy")?);
        let policy = given(policy).map(read).transpose().map_err(thrown)?.unwrap_or_default();
        Ok(McpServer { server: RefCell::new(mcp::Server::new(policy)) })
    }

    /// Tells the server something (see [`mcp::In`]) beside a mission; answers with what it wants.
    ///
    /// # Errors
    /// The exact fault of the arguments. What a client says is never one.
    pub fn hear(&self, engine: &Engine, what: &JsValue, now: &JsValue, driven: &JsValue) -> Answer {
        let held = engine.held.try_borrow().map_err(|_| thrown(busy()))?;
        let driven = driven.as_bool().unwrap_or_default();
        self.told(what, now, |now| {
            let engine = Ok(held.engine()?);
            Ok(mcp::Scene { engine, driven, now })
        })
    }

    /// As [`McpServer::hear`], where no mission can be read, and why.
    ///
    /// # Errors
    /// As there.
    #[wasm_bindgen(js_name = hearAlone)]
    pub fn hear_alone(&self, why: &JsValue, what: &JsValue, now: &JsValue) -> Answer {
        let why = text(why, "why").map_err(thrown)?;
        let scene = |now| Ok(mcp::Scene { engine: Err(why.as_str()), driven: false, now });
        self.told(what, now, scene)
    }

    /// Whether somebody waits to be told that the mission moved.
    pub fn waits(&self) -> Answer<bool> {
        self.server.try_borrow().map(|server| server.waits()).map_err(|_| thrown(busy()))
    }

    fn told<'a>(
        &self,
        what: &JsValue,
        now: &JsValue,
        scene: impl FnOnce(Millis) -> Result<mcp::Scene<'a>, Error>,
    ) -> Answer {
        let read = || Ok((json::decode::<mcp::In>(&text(what, "in")?)?, moment(now, "now")?));
        let (what, now) = read().map_err(thrown)?;
        let scene = scene(now).map_err(thrown)?;
        let mut server = self.server.try_borrow_mut().map_err(|_| thrown(busy()))?;
        object(&server.hear(what, scene))
    }
}
