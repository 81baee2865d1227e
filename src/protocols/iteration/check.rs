//! The checks of what must never happen: one function per "never" sentence of the protocol, with its name. All of the
//! state is bounded, so each looks at everything; but prompts are made again only where other variables may be in them.

use super::facts::FactName;
use super::files::{GITIGNORE, STATUS, SUMMARIES};
use super::prompt;
use super::role::AGENT;
use super::state::{Core, State};
use super::template;
use crate::mission::check::{self as every, Check, broken, spawns};
use crate::mission::prelude::*;
use crate::mission::table::NamedFact;
use crate::view::ClosedBy;
use crate::vocab::effect::Observe;

const ALL: [Check<State>; 8] = [
    never_runs_two_agents,
    never_dispatches_beside_the_table,
    never_prompts_with_an_unresolved_variable,
    never_goes_beyond_the_ceiling,
    never_completes_without_the_handlers_answer,
    never_joins_nothing,
    never_goes_back_a_phase,
    never_orders_what_is_not_its_own,
];

/// The move `check`.
pub(super) fn check(state: &State, head: &Head, _: bool) -> Result<()> {
    ALL.iter().try_for_each(|check| check(state, head))
}

/// Never two runs at once, nor one while another is judged.
fn never_runs_two_agents(state: &State, head: &Head) -> Result<()> {
    let count = spawns(head).count();
    ensure(count <= 1 && !(count > 0 && state.core.judging.is_some()), || {
        let got = format!("{count} runs in the outbox");
        Error::new(Code::BrokenTopology, "head.outbox", "one run at a time", got)
    })
}

/// No run is ever sent but the agent's, with the next number, in a mission that goes on.
fn never_dispatches_beside_the_table(state: &State, head: &Head) -> Result<()> {
    let Some((spawn, _)) = spawns(head).find(|(_, one)| !one.live()) else { return Ok(()) };
    let free = [FactName::Started, FactName::NotPaused, FactName::NotDone, FactName::NotBlocked];
    let holds = free.into_iter().all(|fact| fact.holds(state, head));
    let next = state.core.iteration + 1;
    ensure(holds && spawn.role == AGENT && spawn.visit == next, || {
        let expected = format!("{AGENT}, iteration {next}, in a going mission");
        let got = format!("{}, iteration {}", spawn.role, spawn.visit);
        Error::new(Code::BrokenDispatch, "head.outbox", expected, got)
    })
}

/// Whether templates and variables are those of before the event: they hang on nothing but this.
fn prompts_as_before(state: &State) -> bool {
    let hangs_on = |core: &Core| (core.iteration > 0, core.phase, core.next_prompt.is_some());
    state.core.before().is_some_and(|before| {
        Arc::ptr_eq(&before.settings, &state.core.settings)
            && hangs_on(before) == hangs_on(&state.core)
    })
}

/// Never a prompt with an unresolved variable: every template that could be prompted resolves.
fn never_prompts_with_an_unresolved_variable(state: &State, _: &Head) -> Result<()> {
    if prompts_as_before(state) {
        return Ok(());
    }
    let settings = &state.core.settings;
    template::check(&settings.handler, &settings.templates, &settings.args)
        .and_then(|()| prompt::prompt(&state.core).map(|_| ()))
        .or_else(|error| broken(Code::BrokenPrompt, &error.at, error.expected, error.got))
}

/// Never a run beyond the ceiling.
fn never_goes_beyond_the_ceiling(state: &State, head: &Head) -> Result<()> {
    let core = &state.core;
    let ordered = spawns(head).filter(|(_, one)| !one.live()).count();
    let sent = core.iteration.saturating_add(u64::try_from(ordered).unwrap_or(u64::MAX));
    ensure(sent <= core.ceiling && core.ceiling > 0, || {
        let expected = format!("at most {} runs", core.ceiling);
        Error::new(Code::BrokenCeiling, "core.iteration", expected, sent.to_string())
    })
}

/// A mission is never complete without the handler's answer about its last run, unless the user skipped it.
fn never_completes_without_the_handlers_answer(state: &State, _: &Head) -> Result<()> {
    let core = &state.core;
    let Some(done) = &core.done else { return Ok(()) };
    let last = core.last.as_ref();
    let said =
        last.is_some_and(|last| last.finding == Finding::Holds && last.iteration == done.iteration);
    let shown =
        done.closed_by >= core.handler().closed_by() && done.closed_by != ClosedBy::Verified;
    ensure(
        core.judging.is_none()
            && core.life.runs.is_empty()
            && (!done.waived.is_empty() || (said && shown)),
        || {
            let got = last.map_or("no answer".to_owned(), |last| {
                format!("iteration {}: {:?}", last.iteration, last.finding)
            });
            let expected = format!("the handler's answer to iteration {}", done.iteration);
            Error::new(Code::BrokenStop, "core.done", expected, got)
        },
    )
}

/// Never a composite of nothing, nor a handler without what it judges by.
fn never_joins_nothing(state: &State, _: &Head) -> Result<()> {
    let core = &state.core;
    let places = core.handler().leaves().len();
    let judged = core.judging.as_ref().map(|judging| judging.answers.len());
    ensure(core.handler().sound() && judged.is_none_or(|count| count == places), || {
        let expected = "a handler with all that it judges by";
        Error::new(Code::BrokenHandler, "core.settings.handler", expected, core.handler().word())
    })
}

/// Never a phase backward: it is never behind what a kept summary named.
fn never_goes_back_a_phase(state: &State, _: &Head) -> Result<()> {
    let core = &state.core;
    let named = core.summaries.iter().filter_map(|one| one.phase).max();
    ensure(named.is_none_or(|named| core.phase >= named), || {
        let expected = named.map_or("", |named| named.as_str());
        Error::new(Code::BrokenPhase, "core.phase", expected, core.phase.as_str())
    })
}

/// The engine never writes outside its own folder, never commits, and orders no command and no host
/// code but those that the handler asks for.
fn never_orders_what_is_not_its_own(state: &State, head: &Head) -> Result<()> {
    use super::handler::Ask;
    let leaves = state.core.handler().leaves();
    let asked =
        |wanted: Ask<'_>| leaves.iter().filter_map(|leaf| leaf.asks()).any(|one| one == wanted);
    let own = |order: &Order| match order {
        Order::WriteFile(write) => [GITIGNORE, STATUS].contains(&write.path.as_str()),
        Order::AppendHistory(append) => append.path == SUMMARIES,
        Order::Observe(Observe::Documents { paths, .. }) => {
            paths.iter().all(|path| [GITIGNORE, STATUS, SUMMARIES].contains(&path.as_str()))
        }
        Order::RunCommand(command) => asked(Ask::Command(command.argv.clone())),
        Order::Consult(consult) => asked(Ask::Consult(&consult.handler)),
        Order::SpawnRole(_) | Order::StopRole(_) | Order::AskUser(_) | Order::Notify(_) => true,
        Order::Observe(Observe::Repository { .. }) => state.core.settings.follow_head,
        Order::CommitFiles(_) | Order::SetTimer(_) => false,
    };
    every::never_orders_what_is_not_its_own(head, own)
}
