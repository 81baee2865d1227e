//! What the agent is told: a frame of ours, the template of its handler with the variables put in, and
//! what the runs before it said.

use super::handler::Handler;
use super::state::Core;
use super::template;
use crate::mission::role::compose;
use crate::mission::template::{Fields, fields, render, rows};
use crate::vocab::error::Result;

/// Everything the next run is told.
///
/// # Errors
/// `unresolved_variable`; found at the start, so a mission that runs has none.
pub(super) fn prompt(core: &Core) -> Result<String> {
    let settings = &core.settings;
    let (number, ceiling) = (core.iteration + 1, core.ceiling);
    let agent = settings.definition.display_name.as_ref().unwrap_or(&settings.definition.name);
    let projects = settings.handler.leaves().into_iter().filter_map(project);
    let told = fields! {
        agent: agent,
        number: number,
        ceiling: ceiling,
        mission: &settings.mission,
        task: task(core)?,
        criteria: settings.handler.criteria().detailed,
        projects: rows(projects),
        reopened: core.note.as_ref().map(|note| fields! { note: note }),
    };
    Ok(compose(Some(&settings.role), render(include_str!("prompts/agent.md"), &told), ""))
}

/// The template, or what host code wants to be said in its place; and the last summaries, unless the
/// template has them.
fn task(core: &Core) -> Result<String> {
    let settings = &core.settings;
    let handler = &settings.handler;
    let first = core.iteration == 0;
    let name = match first {
        true => template::initial(handler),
        false => template::continuation(handler, core.phase),
    };
    let template = template::text(&name, &settings.templates);
    let (mut made, told) = match &core.next_prompt {
        Some(prompt) if !first => (prompt.clone(), false),
        _ => {
            let told = template::variables(template).contains(&"previous_summary");
            (template::resolve(&name, template, &values(core))?, told)
        }
    };
    if !first && !told {
        made = format!("{made}\n\nThe runs before you said:\n{}", summaries(core));
    }
    Ok(made)
}

/// Every variable with its value. Ours go before arguments of the same name.
fn values(core: &Core) -> Fields {
    let settings = &core.settings;
    let number = core.iteration + 1;
    let mut all = fields! {};
    for (name, value) in &settings.args {
        all.put(name.clone(), value);
    }
    let mut put = |name: &'static str, value: String| all.put(name, value);
    put("mission", settings.mission.clone());
    put("agent", settings.definition.name.clone());
    put("iteration", number.to_string());
    put("max_iterations", core.ceiling.to_string());
    put("remaining", core.ceiling.saturating_sub(number).to_string());
    put("completion_criteria", settings.handler.criteria().detailed);
    if core.iteration > 0 {
        put("previous_summary", summaries(core));
    }
    if settings.handler.has_phases() {
        put(template::PHASE, core.phase.as_str().to_owned());
    }
    for (name, value) in settings.handler.variables() {
        put(name, value);
    }
    all
}

/// The last runs in short, one line each; `...` for none.
fn summaries(core: &Core) -> String {
    let most = usize::try_from(core.settings.summaries).unwrap_or(usize::MAX);
    let from = core.summaries.len().saturating_sub(most);
    let Some(last) = core.summaries.get(from..).filter(|last| !last.is_empty()) else {
        return "...".to_owned();
    };
    let line = |one: &super::state::Summary| {
        let text = one.text.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("- iteration {}: {text}", one.iteration)
    };
    last.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Labels of a project, in whatever phase it is.
fn project(leaf: &Handler) -> Option<Fields> {
    let Handler::Project(project) = leaf else { return None };
    Some(fields! { project: project.number, labels: project.labels() })
}
