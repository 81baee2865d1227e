//! Documents of the protocols, read.

use endstate::plan::yaml;
use endstate::protocols::{grid, iteration, promise, sprint};
use endstate::vocab::error::{Code, Error};
use endstate_boundary::{Answer, object, text, thrown, word};
use wasm_bindgen::prelude::*;

/// A plan as people write it, understood: a `task` (Markdown), a `feature` (YAML), an `agent`
/// definition (JSON) or a `plan` of a cluster (Markdown), which the name of its file names. Of a
/// `sprint` plan (Markdown) it makes the settings of its mission; its path from the root of the
/// repository and the project's name may be given. `yaml` is any YAML as a plain value, read with the
/// same limits.
///
/// # Errors
/// The exact fault of the document; `unknown_value` for another kind.
#[wasm_bindgen(js_name = readDocument)]
pub fn read_document(
    kind: &JsValue,
    document: &JsValue,
    path: &JsValue,
    project: &JsValue,
) -> Answer {
    let kind = text(kind, "kind").map_err(thrown)?;
    let document = text(document, "text").map_err(thrown)?;
    match kind.as_str() {
        "task" => object(&promise::task::parse(&document).map_err(thrown)?),
        "feature" => object(&promise::feature::parse(&document).map_err(thrown)?),
        "agent" => object(&iteration::definition::parse(&document).map_err(thrown)?),
        "plan" => {
            let path = word(path, "path", "").map_err(thrown)?;
            let name = path.rsplit('/').next().unwrap_or_default();
            object(&grid::plan::parse(name, &document).map_err(thrown)?)
        }
        "sprint" => {
            let path = word(path, "path", "EXECUTION_PLAN.md").map_err(thrown)?;
            let project = word(project, "project", "project").map_err(thrown)?;
            let planned = sprint::plan::config(&path, &[(path.clone(), document)].into(), &project);
            object(&planned.map_err(thrown)?.config)
        }
        "yaml" => object(&yaml::mapping(&document, 1).map_err(thrown)?),
        other => {
            let expected = "task, feature, agent, plan, sprint or yaml";
            Err(thrown(Error::new(Code::UnknownValue, "kind", expected, other)))
        }
    }
}
