//! Fact → state: one function per fact. Nothing is ordered here.
//!
//! A run that ended is judged only after a look at the repository, and never while another
//! run may still change it.

use super::report::{self, Report};
use super::role::{ModelTier, Role};
use super::scratchpad::{self, Entry, SILENCE};
use super::state::{BlockStatus, Correction, Ended, Run, State, Topic};
use super::{answers, artifact, block, commands, failures, files, observe};
use crate::mission::Context;
use crate::mission::admission::{foreign, spawned, subject};
use crate::mission::ask::{self, undone};
use crate::mission::files::is_file_work;
use crate::mission::report::unheaded;
use crate::mission::run::{as_error, failure, name_sessions, take};
use crate::mission::worktree::Before;
use crate::vocab::effect::{Level, Observe, Order, SpawnRole};
use crate::vocab::error::{Code, Diagnostic, Error, Result, clip};
use crate::vocab::event::{
    DocumentsObserved, EffectFailed, EffectId, EffectPerformed, Fact, RunEnded, RunOutcome,
    RunProgressed, RunStarted,
};
use crate::vocab::json;
use crate::vocab::repository::{DocumentSeen, Seen};
use crate::vocab::text::one_line;
use crate::vocab::verdict::Speaker;

/// The most fields that one line names.
const MOST_UNREAD: usize = 20;

/// The move `apply`.
pub(super) fn apply(state: &mut State, context: &mut Context<'_>, fact: &Fact) -> Result<()> {
    match fact {
        Fact::UserCommanded(fact) => commands::commanded(state, context, &fact.command)?,
        Fact::RunStarted(fact) => run_started(state, context, fact)?,
        Fact::RunProgressed(fact) => run_progressed(state, context, fact),
        Fact::RunEnded(fact) => run_ended(state, context, fact)?,
        Fact::RepositoryObserved(fact) => {
            let Order::Observe(Observe::Repository { known, .. }) = subject(context)?.clone()
            else {
                let got = "another order";
                return Err(Error::new(Code::BrokenOutbox, "outbox", "a look", got));
            };
            observe::observed(state, context, &fact.repository, &known);
        }
        Fact::DocumentsObserved(fact) => documents_observed(state, context, fact)?,
        Fact::QuestionAnswered(fact) => {
            answers::answered(state, context, &fact.answer)?;
            come_meanwhile(state);
        }
        Fact::TimerFired(_) => timer_fired(state, context),
        Fact::EffectPerformed(fact) => effect_performed(state, context, fact)?,
        Fact::EffectFailed(fact) => effect_failed(state, context, fact)?,
        Fact::HostRecovered(_) => host_recovered(state, context),
        Fact::CommandExited(_) | Fact::Consulted(_) => return Err(foreign("grid", fact.name())),
    }
    Ok(())
}

/// Commits that came while a person was asked came while no run was at work: the host looks at them before the next
/// run.
pub(super) fn come_meanwhile(state: &mut State) {
    if state.core.runs.is_empty() {
        state.stale_observation();
    }
}

/// The run that a fact speaks of: its role, order and item; blank for none.
fn ordered(context: &Context<'_>) -> Result<(Role, SpawnRole, String)> {
    let (role, spawn) = spawned(context, Role::of)?;
    let item = spawn.item.clone().unwrap_or_default();
    Ok((role, spawn, item))
}

fn run_started(state: &mut State, context: &Context<'_>, fact: &RunStarted) -> Result<()> {
    let (role, spawn, item) = ordered(context)?;
    let corrected = state.correction(role, &item).and_then(|one| one.before.clone());
    let before = corrected.filter(|_| spawn.corrects.is_some());
    let run = Run {
        role,
        by: Speaker::new(fact.effect, fact.session.clone()),
        corrects: spawn.corrects,
        before: before.unwrap_or_else(|| Before::of(state.core.seen.as_ref())),
        wrote_at: context.head.at,
        entries: 0,
        noticed: false,
        item,
    };
    if role == Role::Executor {
        state.blocks.change(&run.item, |block| {
            block.status = BlockStatus::Active;
            block.sessions.extend(fact.session.clone());
            block.reopened = false;
            block.asked.clear();
        });
        state.touch_programs();
        state.touch_state();
    }
    state.core.runs.push(run);
    *state.core.visits.entry(role).or_default() += 1;
    Ok(())
}

/// A run said late in which session it is: whoever is in that never judges the block it works on.
fn name(state: &mut State, fact: &RunProgressed) {
    if fact.sessions().next().is_none() {
        return;
    }
    let run = state.core.runs.iter_mut().find(|run| run.by.run == fact.effect);
    let Some(run) = run else { return };
    name_sessions(Some(&mut run.by), fact);
    if run.role == Role::Executor {
        let (item, by) = (run.item.clone(), run.by.clone());
        state.blocks.change(&item, |block| block.sessions.extend(by.sessions().cloned()));
    }
}

/// Entries of the scratchpad are taken as they come; other signs of life are for those who watch.
fn run_progressed(state: &mut State, context: &Context<'_>, fact: &RunProgressed) {
    let at = context.head.at;
    name(state, fact);
    for said in fact.entries.iter().filter(|one| one.kind == "refused") {
        state.core.counts.bad_entries += 1;
        let text = format!("run {}: {}", fact.effect, clip(&said.text, 200));
        not_taken(state, fact.effect, &text);
        State::note(&mut state.core.concerns, text.clone());
        state.core.files.say(Level::Warning, text);
    }
    for said in fact.entries.iter().filter(|one| one.kind == "scratchpad") {
        let Some(run) = state.core.runs.iter_mut().find(|run| run.by.run == fact.effect) else {
            return;
        };
        match scratchpad::read(&said.text) {
            Ok(form) => {
                run.wrote_at = at;
                run.noticed = false;
                run.entries = run.entries.saturating_add(1);
                let program = match run.role {
                    Role::Executor => block::program(&run.item),
                    role => role.name().trim_start_matches("grid-").to_owned(),
                };
                let entry = Entry::of(&form, program, fact.effect, at);
                files::enter(state, entry);
            }
            Err(fault) => {
                state.core.counts.bad_entries += 1;
                state.core.last_problem = Some(fault.diagnostic());
                let said = one_line(&said.text);
                let text = format!("run {}: an entry was not taken: {fault}: {said}", fact.effect);
                not_taken(state, fact.effect, &text);
                State::note(&mut state.core.concerns, text.clone());
                state.core.files.say(Level::Warning, text);
            }
        }
    }
}

/// That an entry was not taken is found of the block at work: who works on it next and who judges it are told.
fn not_taken(state: &mut State, run: EffectId, text: &str) {
    let at_work = state.core.runs.iter().find(|one| one.by.run == run);
    let Some(id) = at_work.filter(|one| one.role == Role::Executor).map(|one| one.item.clone())
    else {
        return;
    };
    state.blocks.change(&id, |block| block::add_finding(block, text.to_owned()));
}

fn run_ended(state: &mut State, context: &mut Context<'_>, fact: &RunEnded) -> Result<()> {
    let (role, _, item) = ordered(context)?;
    let run = take(&mut state.core.runs, fact, |run| run.by.run)?;
    if super::queries::next_notice(state).is_none() {
        context.head.withdraw(|order| matches!(order, Order::SetTimer(_)));
    }
    state.stale_observation();
    match heard(state, &run, fact) {
        Ok((report, unread)) => {
            let anchor = &state.core.settings.mission;
            let note = fact.report.as_deref().and_then(|text| unheaded(anchor, text));
            state.core.last_problem = note.or(state.core.last_problem.take());
            tell_unread(state, role, unread);
            state.core.ended.push(Ended { run, report: Some(Box::new(report)) });
        }
        Err(Fault::Report(fault)) => {
            unfit(state, &run, &fault);
            state.core.ended.push(Ended { run, report: None });
        }
        Err(Fault::Run(problem)) => {
            state.core.counts.failed_runs += 1;
            let error = as_error(problem);
            match (role, fact.outcome) {
                (Role::Executor, RunOutcome::Lost) => {
                    state.step_done(role, &item);
                    failures::lost(state, &item, &error);
                }
                _ => failed(state, role, &item, &error),
            }
            state.core.ended.push(Ended { run, report: None });
        }
    }
    Ok(())
}

/// Reports the fields that the engine does not read: what their author meant by them does not happen.
fn tell_unread(state: &mut State, role: Role, mut unread: Vec<String>) {
    unread.retain(|at| !report::extra::is_kept(role, at));
    let Some(first) = unread.first() else { return };
    let beyond = unread.len().saturating_sub(MOST_UNREAD);
    let more = (beyond > 0).then(|| format!("and {beyond} more"));
    let names: Vec<String> = unread.iter().take(MOST_UNREAD).cloned().chain(more).collect();
    let names = names.join(", ");
    let expected = match role {
        Role::Recognizer => "a field of a verdict",
        Role::Planner => "a field of a plan",
        _ => "a field of the report",
    };
    let whose = role.name().trim_start_matches("grid-");
    let error = Error::new(Code::UnknownField, first, expected, &names);
    state.core.last_problem = Some(error.diagnostic());
    let text = format!("fields of the {whose}'s report that nobody reads: {names}");
    if role != Role::Planner {
        State::note(&mut state.core.concerns, text.clone());
    }
    state.core.files.say(Level::Warning, text);
}

/// Why a run left nothing that can be taken.
enum Fault {
    /// Its report is not what it should be; the same run may correct it.
    Report(Error),
    /// It did not come to a report.
    Run(Diagnostic),
}

/// The report of a run, and its fields that the engine does not read. An executor's report counts whichever way its run
/// ended, if it can be read and does not contradict that.
fn heard(state: &State, run: &Run, fact: &RunEnded) -> Result<(Report, Vec<String>), Fault> {
    let ended = || Fault::Run(fact.problem.clone().unwrap_or_else(|| failure(fact)));
    let speaks = match fact.outcome {
        RunOutcome::Success => true,
        RunOutcome::Partial | RunOutcome::Checkpoint | RunOutcome::Failed => {
            run.role == Role::Executor
        }
        RunOutcome::Lost => false,
    };
    if !speaks {
        return Err(ended());
    }
    let Some(text) = fact.report.as_deref().filter(|text| !text.trim().is_empty()) else {
        return Err(match fact.outcome {
            RunOutcome::Success => {
                Fault::Report(Error::new(Code::RunSilent, "report", "a report", "none"))
            }
            _ => ended(),
        });
    };
    let read = report::read(run.role, &state.core.settings.mission, text);
    match (read, fact.outcome) {
        (Ok((Report::Executor(report), unread)), outcome) => {
            let fits = block::fits(run, outcome, &report);
            fits.map(|()| (Report::Executor(report), unread)).map_err(Fault::Report)
        }
        (Ok(read), _) => Ok(read),
        // A run that failed need not have found its words.
        (Err(_), RunOutcome::Failed) => Err(ended()),
        (Err(fault), _) => Err(Fault::Report(fault)),
    }
}

/// A report that cannot be taken is answered once to the same run with its fault; twice bad is a failed
/// run. Another mission's anchor is drift and gets no second chance.
pub(super) fn unfit(state: &mut State, run: &Run, fault: &Error) {
    state.core.counts.refused_reports += 1;
    if run.corrects.is_some() || fault.code == Code::AnchorMismatch {
        return failed(state, run.role, &run.item, fault);
    }
    state.core.last_problem = Some(fault.diagnostic());
    let before = Some(run.before.clone()).filter(|_| run.role == Role::Executor);
    let correction = Correction { of: run.by.run, fault: fault.diagnostic(), before };
    let tries = state.core.tries.entry(State::step(run.role, &run.item)).or_default();
    tries.correction = Some(correction);
    if run.role == Role::Executor {
        state.set_status(&run.item, BlockStatus::Retry);
    }
}

/// A run came to nothing: a failure of its block, or of its step.
pub(super) fn failed(state: &mut State, role: Role, item: &str, error: &Error) {
    match role {
        Role::Executor => {
            state.step_done(role, item);
            failures::fail(state, item, failures::silent_failure(error), None);
            state.core.last_problem = Some(error.diagnostic());
        }
        _ => state.fail_step(role, item, error),
    }
}

/// Documents are looked at for three reasons: what earlier clusters learned, artifacts, and files of ours
/// that somebody else wrote to.
fn documents_observed(
    state: &mut State,
    context: &Context<'_>,
    fact: &DocumentsObserved,
) -> Result<()> {
    let Order::Observe(Observe::Documents { paths, .. }) = subject(context)? else {
        return Err(Error::new(
            Code::BrokenOutbox,
            "outbox",
            "a look at documents",
            "another order",
        ));
    };
    if state.core.learnings.is_none() && paths.iter().any(|path| path == files::LEARNINGS) {
        remember(state, &fact.documents);
    } else if paths.iter().any(|path| state.core.files.doubted.contains(path)) {
        state.core.files.observed(&fact.documents);
    } else {
        artifact::observed(state, &fact.documents);
    }
    Ok(())
}

/// What earlier clusters learned, and how strong a person wants models to be.
fn remember(state: &mut State, documents: &[DocumentSeen]) {
    state.core.learnings = Some(String::new());
    for document in documents {
        let Seen::Text { text, .. } = &document.seen else { continue };
        if document.path == files::LEARNINGS {
            // The newest entries stand at the end.
            let skip = text.chars().count().saturating_sub(files::MOST_LEARNINGS);
            let kept: String = text.chars().skip(skip).collect();
            let before = format!("({skip} characters before this stand in {})\n", files::LEARNINGS);
            state.core.learnings = Some(if skip > 0 { before + &kept } else { kept });
        } else if document.path == files::CONFIG && state.core.settings.model_tier.is_none() {
            match model_tier(text) {
                Ok((tier, unread)) => {
                    state.core.tier = tier.unwrap_or_default();
                    if !unread.is_empty() {
                        let text = format!("{}: nobody reads {}", files::CONFIG, unread.join(", "));
                        state.core.files.say(Level::Warning, text);
                    }
                }
                Err(fault) => {
                    let fault = fault.within(files::CONFIG);
                    state.core.files.say(Level::Warning, fault.to_string());
                    state.core.last_problem = Some(fault.diagnostic());
                }
            }
        }
    }
    let known = documents.iter().filter(|document| document.path == files::LEARNINGS);
    for document in known {
        if let Seen::Text { digest, text } = &document.seen {
            let file = state.core.files.known.entry(files::LEARNINGS.to_owned()).or_default();
            file.digest = Some(digest.clone());
            file.length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        }
    }
}

/// How strong models are, if it is said, and the fields that nobody reads.
fn model_tier(text: &str) -> Result<(Option<ModelTier>, Vec<String>)> {
    let object = json::RawObject::read(text)?;
    let others = object.names().filter(|name| *name != "model_tier");
    let unread = others.take(MOST_UNREAD).map(|name| clip(&one_line(name), 80)).collect();
    if object.raw("model_tier").is_none() {
        return Ok((None, unread));
    }
    let word: String = object.field("model_tier")?;
    let tier = json::choice(&word).ok_or_else(|| {
        Error::new(Code::UnknownValue, "model_tier", "quality, balanced or budget", clip(&word, 40))
    })?;
    Ok((Some(tier), unread))
}

/// Ten minutes without a word to the scratchpad are told once.
fn timer_fired(state: &mut State, context: &Context<'_>) {
    let at = context.head.at;
    let mut silent = Vec::new();
    for run in state.core.runs.iter_mut().filter(|run| run.role == Role::Executor && !run.noticed) {
        if at.saturating_sub(run.wrote_at) >= SILENCE {
            run.noticed = true;
            silent.push(block::program(&run.item));
        }
    }
    for program in silent {
        let text = format!("{program} has not written to the scratchpad for ten minutes");
        State::note(&mut state.core.concerns, text.clone());
        state.core.files.say(Level::Warning, text);
    }
}

fn effect_performed(
    state: &mut State,
    context: &Context<'_>,
    fact: &EffectPerformed,
) -> Result<()> {
    match subject(context)? {
        Order::StopRole(_) => Ok(()),
        order => state.core.files.performed(order, &fact.outcome),
    }
}

fn effect_failed(state: &mut State, context: &mut Context<'_>, fact: &EffectFailed) -> Result<()> {
    let (problem, order) = (fact.problem.clone(), subject(context)?);
    let what = match order {
        Order::SpawnRole(spawn) => {
            state.core.counts.failed_runs += 1;
            let item = spawn.item.clone().unwrap_or_default();
            let Some(role) = Role::of(&spawn.role) else { return Ok(()) };
            failed(state, role, &item, &as_error(problem));
            return Ok(());
        }
        Order::StopRole(_) => return Ok(()),
        order if is_file_work(order) && state.core.files.failed(order, &problem) => {
            state.core.last_problem = Some(problem);
            return Ok(());
        }
        Order::Notify(_) => return Ok(()),
        Order::RunCommand(_) | Order::CommitFiles(_) | Order::AskUser(_) | Order::Consult(_) => {
            return Err(Error::new(Code::BrokenOutbox, "outbox", "a host effect", "none"));
        }
        order @ (Order::WriteFile(_)
        | Order::AppendHistory(_)
        | Order::Observe(_)
        | Order::SetTimer(_)) => undone(order)?,
    };
    state.core.last_problem = Some(problem.clone());
    ask::first(context.head, &mut state.core.asking, Topic::EffectFailed { what, problem });
    Ok(())
}

/// Whatever the host came back from, the tree may have changed and nobody remembers: look again. Roles
/// that were ordered but never started are taken back and decided anew over it.
fn host_recovered(state: &mut State, context: &mut Context<'_>) {
    context.head.withdraw(|order| matches!(order, Order::SpawnRole(_)));
    state.stale_observation();
}
