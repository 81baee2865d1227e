//! Documents in WebAssembly, without the engine: a plan as people write it, understood, and the order of its sprints; and what
//! the other protocols begin with ([`document`]).
//!
//! The same readers as natively. A plan that cannot run is an answer with faults among its remarks; what is no plan of a
//! known family is thrown. How arguments are read is told in `js/boundary`.

pub mod document;

use endstate::plan::command::PlanOrder;
use endstate::plan::document::LineRange;
use endstate::plan::model::{Plan, Read, Remark};
use endstate::plan::{self, clause, families::Family, write};
use endstate::protocols::sprint;
use endstate::vocab::shown::ShownBy;
use endstate_boundary::{Answer, object, text, thrown, word};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// A plan, how it was read, and what its author should know about it.
#[derive(Serialize)]
struct Understood {
    family: &'static str,
    plan: Plan,
    remarks: Vec<Remark>,
}

/// `{family, plan, remarks}` of a document.
///
/// # Errors
/// `wrong_type`, `too_large` or `not_utf8` for the argument; `unknown_family`.
#[wasm_bindgen(js_name = planParse)]
pub fn plan_parse(document: &JsValue, name: &JsValue) -> Answer {
    let (family, Read { plan, remarks }) = read(document, name)?;
    object(&Understood { family: family.as_str(), plan, remarks })
}

/// The order of the plan in a document: a circle, levels, the longest chain, bottlenecks.
///
/// # Errors
/// As [`plan_parse`].
#[wasm_bindgen(js_name = planGraph)]
pub fn plan_graph(document: &JsValue, name: &JsValue) -> Answer {
    object(&PlanOrder::of(&read(document, name)?.1.plan))
}

/// The text of a document in the canonical grammar.
///
/// # Errors
/// As [`plan_parse`].
#[wasm_bindgen(js_name = planFormat)]
pub fn plan_format(document: &JsValue, name: &JsValue) -> Answer {
    Ok(JsValue::from_str(&write::document(&read(document, name)?.1.plan)))
}

/// How a criterion in words is shown, for a change of a sprint's plan: `{commands, judged}`.
///
/// # Errors
/// `wrong_type`, `too_large` or `not_utf8` for the argument.
#[wasm_bindgen(js_name = planCriterion)]
pub fn plan_criterion(words: &JsValue) -> Answer {
    let words = text(words, "text").map_err(thrown)?;
    let read = clause::criterion(String::new(), &words, false, LineRange::default());
    let commands = read.commands.iter().map(sprint::plan::line).collect();
    object(&ShownBy { commands, judged: read.judged })
}

fn read(document: &JsValue, name: &JsValue) -> Answer<(Family, Read)> {
    let document = text(document, "text").map_err(thrown)?;
    let name = word(name, "path", "EXECUTION_PLAN.md").map_err(thrown)?;
    plan::open(&[(name.clone(), document)].into(), &name).map_err(thrown)
}
