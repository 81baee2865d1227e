//! PlanAnswers: asked of an agent, read from a file, or left open and told.

use super::{How, Place};
use crate::cli::drive::interrupts;
use crate::cli::exit::Fault;
use endstate::native::agent::Agent;
use endstate::native::{HostError, consult, plans};
use endstate::plan::judge::{Answers, PlanQuestion, read};
use endstate::vocab::effect::SpawnRole;
use serde_json::json;

/// The answers to some questions; none without an agent or a file. `order` is what an agent is told.
pub(super) fn answers(
    place: &Place,
    how: &How,
    questions: &[PlanQuestion],
    order: impl FnOnce() -> SpawnRole,
) -> Result<Answers, Fault> {
    if questions.is_empty() {
        return Ok(Answers::new());
    }
    if let Some(path) = &how.answers {
        let file = plans::read(&place.root.join(path))?;
        return Ok(read(&file.text, questions)?);
    }
    let Some(agent) = &how.agent else { return Ok(Answers::new()) };
    let program =
        std::env::current_exe().map_err(|error| HostError::io("find", "this program", error))?;
    let agent = Agent::parse(agent, &program)?;
    let order = order();
    if !how.dry_run {
        let seconds = order.limits.timeout_ms / 1_000;
        place.out.say(format!("asking the agent ({}; at most {seconds} s) …", order.role));
    }
    let stop = interrupts();
    let report = consult::consult(&agent, &order, &place.root, &place.root, &|| stop.is_raised())?;
    Ok(read(&report, questions)?)
}

/// Says what was left to judge.
pub(super) fn left(place: &Place, questions: &[PlanQuestion]) {
    for one in questions {
        place.out.say(format!("left to judge: {} ({})", one.text, one.id));
        place.out.object(&json!({"left": one}));
    }
}
