//! Plans, for JavaScript: a document as people write it, understood, and the order of its sprints.
//!
//! The same readers as natively. A plan that cannot run is an answer with faults among its remarks, never an
//! error; only an argument that is no text, or too long a one, is thrown.

use super::values::{Answer, object, text, thrown};
use crate::plan::model::{Plan, Remark};
use crate::plan::{order, read};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// A plan, and what its author should know about it.
#[derive(Serialize)]
struct Understood {
    plan: Plan,
    remarks: Vec<Remark>,
}

/// `{plan, remarks}` of a document in Markdown; see [`read::parse`].
///
/// # Errors
/// `wrong_type`, `too_large` or `not_utf8` for the argument.
#[wasm_bindgen(js_name = planParse)]
pub fn plan_parse(document: &JsValue) -> Answer {
    let read::Parsed { plan, remarks, .. } = parsed(document)?;
    object(&Understood { plan, remarks })
}

/// The order of the plan in a document: a circle, levels, the longest chain, bottlenecks; see
/// [`order::order`].
///
/// # Errors
/// As [`plan_parse`].
#[wasm_bindgen(js_name = planGraph)]
pub fn plan_graph(document: &JsValue) -> Answer {
    object(&order::order(&parsed(document)?.plan))
}

fn parsed(document: &JsValue) -> Answer<read::Parsed> {
    let document = text(document, "text").map_err(thrown)?;
    Ok(read::parse(&document))
}
