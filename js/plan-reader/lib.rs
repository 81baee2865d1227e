//! The canonical plan alone in WebAssembly, for a page or a tool that needs nothing else: no families, commands or engine.
//!
//! What of the library is not used here is no code of the module.

use endstate::plan::{canonical, write};
use wasm_bindgen::prelude::wasm_bindgen;

/// `[plan, remarks]` as JSON (the schemas `plan` and `plan-remark`); nothing if the text does not say that it is a plan.
#[wasm_bindgen(js_name = planRead)]
pub fn read(text: &str) -> Option<String> {
    let read = canonical(text)?;
    serde_json::to_string(&(read.plan, read.remarks)).ok()
}

/// The same plan in its canonical text.
#[wasm_bindgen(js_name = planWrite)]
pub fn format(text: &str) -> Option<String> {
    canonical(text).map(|read| write::write(&read.plan))
}
