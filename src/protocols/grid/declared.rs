//! The commands that plans declare, in `<automated>`. The user is asked about each once, before anything is done by the plan
//! that has it; the proof at the end runs those that are trusted. A command that a run merely cites is none of them.

use super::plan::Plan;
use super::state::{Block, BlockStatus, State, Topic};
use super::threads::commands;
use crate::mission::prelude::*;
use crate::mission::proof::{Basis, Showing};
use crate::mission::trust;
use crate::vocab::shown::CommandLine;
use crate::vocab::text::escaped;

/// Commands that plans declare, each as its author wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridDeclared")]
pub struct Declared {
    /// Those that the user is to be asked about, as plans have them.
    pub due: Vec<String>,
    /// Those that the user was asked about, and whether they are run.
    pub told: BTreeMap<String, bool>,
}

impl Declared {
    /// Whether no plan declares any.
    pub fn is_none(&self) -> bool {
        *self == Declared::default()
    }
}

/// Takes the commands of a plan that was checked.
pub(super) fn enter(state: &mut State, plan: &Plan) {
    let mut new = commands(&plan.content).unwrap_or_default();
    new.retain(|command| !state.core.declared.told.contains_key(command));
    if !new.is_empty() {
        Arc::make_mut(&mut state.core.declared).due.append(&mut new);
    }
}

/// What the user is to be asked.
pub(super) fn to_ask(state: &State) -> Option<Topic> {
    let commands = state.core.declared.due.clone();
    (!commands.is_empty()).then_some(Topic::Trust { commands })
}

/// The user's word on commands, for good: other ones are asked about again. They stay due where the mission is to stop.
pub(super) fn answered(state: &mut State, commands: Vec<String>, option: &str) {
    if !["trust", "judges"].contains(&option) {
        state.core.life.blocked = Some(trust::refused());
        return;
    }
    let named: Vec<String> = commands.iter().map(|one| escaped(one)).collect();
    let run = option == "trust";
    let what = if run { "run at the end" } else { "are never run" };
    state.said(&format!("commands of plans that {what}: {}", clip(&named.join("; "), 2_000)));
    settle(state, commands, run);
}

/// From now on these commands are run at the end, or never.
pub(super) fn settle(state: &mut State, commands: Vec<String>, run: bool) {
    let declared = Arc::make_mut(&mut state.core.declared);
    declared.told.extend(commands.into_iter().map(|one| (one, run)));
    declared.due.retain(|one| !declared.told.contains_key(one));
}

/// The commands of a plan that are run at the end, each with its name among what the plan asks for.
fn trusted<'a>(state: &'a State, plan: &Plan) -> impl Iterator<Item = (String, String)> + use<'a> {
    let all = (1..).zip(commands(&plan.content).unwrap_or_default());
    all.filter(|(_, command)| state.core.declared.told.get(command) == Some(&true))
        .map(|(number, command): (u32, _)| (format!("VERIFY-{number:03}"), command))
}

/// What the end rests on beside what judges said. The commands of a block that is skipped, or whose must-haves are all
/// waived, are not run.
pub(super) fn showings<'a>(state: &'a State, block: &'a Block) -> impl Iterator<Item = Showing> {
    let waived = |one: &Criterion| match &one.state {
        CriterionState::Waived { by, .. } => Some(by.clone()),
        _ => None,
    };
    let all: Option<Vec<String>> = block.criteria.iter().map(waived).collect();
    let skipped = (block.status == BlockStatus::Skipped).then(|| "user".to_owned());
    let waived_by = all.and_then(|all| all.into_iter().next()).or(skipped);
    trusted(state, &block.plan).map(move |(name, command)| match &waived_by {
        Some(by) => Showing::of_item(&block.id, &name, Basis::Waived(by.clone())),
        None => Showing {
            commands: vec![CommandLine::of_shell(&command)],
            ..Showing::of_item(&block.id, &name, Basis::Nothing)
        },
    })
}

/// What those who work on a block or judge it are told of its commands, in one line.
pub(super) fn line(state: &State, block: &Block) -> Option<String> {
    let all: Vec<String> =
        trusted(state, &block.plan).map(|(_, one)| format!("`{}`", escaped(&one))).collect();
    (!all.is_empty()).then(|| clip(&all.join(", "), 2_000))
}
