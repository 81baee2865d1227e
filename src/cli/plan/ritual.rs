//! The christening: a plan that starts gets the name of its operation. The name comes from a small role,
//! before the mission begins, is the one thing that is ever written into a plan, and is committed where the plan was.

use super::{How, Place, judged};
use crate::cli::exit::Fault;
use endstate::native::plans;
use endstate::native::redact::printable;
use endstate::plan::command::name::{self as naming, Ritual};
use endstate::plan::model::Weight;
use serde_json::json;
use std::path::Path;

/// Names the plan at `path` if it has no name yet. A missing name is no reason not to start: what was in
/// the way is told, and the mission begins without.
pub(crate) fn christen(place: &Place, path: &str, agent: &str) {
    if let Err(fault) = named(place, path, agent) {
        let Fault { code, expected, got, .. } = fault;
        let text = format!("no name of an operation: {code}; expected {expected}, got {got}");
        place.out.say(printable(&format!("note: {path}: {text}")));
        place.out.object(&json!({"note": {"path": path, "text": text}}));
    }
}

fn named(place: &Place, path: &str, agent: &str) -> Result<(), Fault> {
    let file = plans::plan(&place.root, Some(Path::new(path)))?;
    let open = super::read(file)?;
    let plan = &open.read.plan;
    let there = plan.settings.feature_name.as_ref().is_some_and(|name| !name.trim().is_empty());
    // A plan that cannot run is refused by whoever begins it, and a name has a place in Markdown alone.
    let runs = open.many(Weight::Fault) == 0 && open.file.path.starts_with(&place.root);
    let markdown = open.file.path.extension().is_some_and(|ending| ending == "md");
    if there || !runs || !markdown {
        return Ok(());
    }
    let file = &open.file;
    let how = How { agent: Some(agent.to_owned()), answers: None, dry_run: false };
    let question = naming::question(plan);
    let answers =
        judged::answers(place, &how, std::slice::from_ref(&question), || naming::order(plan))?;
    let name = naming::name(&answers)?;
    let was_committed = plans::is_committed(&place.root, &file.path)?;
    plans::replace(file, &naming::with_name(&file.text, &name)?)?;
    // The mission begins in a tree as clean as it was.
    if was_committed {
        plans::commit(&place.root, &file.path, &format!("Name the operation: {name}"))?;
    }
    place.out.say(Ritual::of(plan, true, false).words(&name));
    place.out.object(&json!({"result": "name-feature", "named": true, "name": name}));
    Ok(())
}
