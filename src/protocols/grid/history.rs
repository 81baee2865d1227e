//! The history behind the head. Who works puts commits on top of the head that was given; whoever took something
//! out of the history, and be it a reader that is refused anyway, has taken it from the branch for good. An executor is
//! told once to bring it back; when nobody is about to, nothing goes on before the user was told. What rested on
//! commits that the user then goes on without is judged anew.

use super::role::Role;
use super::state::{Block, BlockStatus, Lost, Run, State};
use crate::protocols::shared::seen;
use crate::vocab::criterion::CriterionState;
use crate::vocab::effect::Level;
use crate::vocab::error::{Code, Error, Result, clip};
use crate::vocab::repository::{Change, Repository};

/// The most lost heads that are remembered.
const MOST_GONE: usize = 40;
/// The most paths that one line names.
const MOST_SHOWN: usize = 10;

/// Whether a run is to bring back the history that the one before it rewrote.
fn mends(state: &State, run: &Run) -> bool {
    let told = state.correction(run.role, &run.item).map(|one| one.fault.code);
    run.role == Role::Executor && told == Some(Code::NotDescendant)
}

/// The head from which a look is to tell what came: the one before history was rewritten, which somebody was to bring
/// back.
pub(super) fn basis(state: &State) -> Option<String> {
    let ended = state.core.ended.iter().map(|ended| &ended.run);
    let given = ended.filter(|run| mends(state, run)).find_map(|run| run.before.head.clone());
    let lost = state.core.history.lost.as_ref();
    let accepted = lost.filter(|lost| lost.accepted).map(|lost| lost.head.clone());
    accepted.or(given).or_else(|| lost.map(|lost| lost.head.clone()))
}

/// What came since the head that a run was given, where it is to bring that back.
pub(super) fn since_given<'a>(
    state: &State,
    run: &Run,
    repository: &'a Repository,
) -> Option<&'a Change> {
    let basis = repository.basis.as_deref().filter(|_| mends(state, run))?;
    (run.before.head.as_ref() == Some(&basis.from)).then_some(basis)
}

/// A success lies on top of all that was there.
///
/// # Errors
/// `not_descendant` over a history that was rewritten.
pub(super) fn on_top(state: &State) -> Result<()> {
    let Some(lost) = &state.core.history.lost else { return Ok(()) };
    let expected = format!("a new commit on top of {}", lost.head);
    let got = format!("history was rewritten: {} does not follow it", state.head_word());
    Err(Error::new(Code::NotDescendant, "repository", expected, got))
}

/// Enters whether the head follows the one before it; before that one is forgotten.
pub(super) fn look(state: &mut State, repository: &Repository) {
    let core = &mut state.core;
    let Some(lost) = core.history.lost.clone() else {
        let head = seen::left_behind(core.seen.as_ref(), repository);
        core.history.lost = head.map(|head| Lost { head, accepted: false });
        return;
    };
    let Some(basis) = repository.basis.as_deref() else { return };
    if seen::holds(basis, &lost.head) {
        core.history.lost = None;
    } else if lost.accepted && basis.from == lost.head {
        core.history.lost = None;
        without(state, &lost.head, repository, basis);
    }
}

/// The user goes on with the history as it is, unless the next look finds again what was lost. So it is when the user
/// has the cluster go on on another branch.
pub(super) fn accept(state: &mut State, head: Option<String>) {
    let head = state.core.history.lost.take().map(|lost| lost.head).or(head);
    state.core.history.lost = head.map(|head| Lost { head, accepted: true });
}

/// Goes on without what a head held: it is named, nobody is to bring it back, and what rested on it is judged anew.
fn without(state: &mut State, lost: &str, repository: &Repository, basis: &Change) {
    let now = repository.head.as_deref().unwrap_or("none");
    let line = format!("{lost}, in whose place is {now}");
    let text = format!("Commits are gone from the branch: the head was {line}");
    State::note(&mut state.core.concerns, text.clone());
    state.core.files.say(Level::Warning, text);
    if state.core.history.gone.len() < MOST_GONE {
        state.core.history.gone.push(line);
    }
    for tries in state.core.tries.values_mut() {
        tries.correction.take_if(|one| one.fault.code == Code::NotDescendant);
    }
    let rests: Vec<(String, String)> = state
        .blocks
        .iter()
        .filter_map(|block| Some((block.id.clone(), rested(block, basis)?)))
        .collect();
    for (id, why) in rests {
        judge_anew(state, &id, why);
    }
}

/// What of a block is not as it was at the head that is lost.
fn rested(block: &Block, change: &Change) -> Option<String> {
    let (from, begun) = (clip(&change.from, 12), block.executed_by.is_some());
    let differs: Vec<&str> =
        block.paths.iter().filter(|one| change.paths.contains(one)).map(String::as_str).collect();
    let shown = differs.get(..MOST_SHOWN).unwrap_or(&differs).join(", ");
    match (begun, differs.is_empty(), change.truncated) {
        (false, ..) | (true, true, false) => None,
        (true, true, true) => Some(format!("{from} is gone from the branch, and what it held")),
        (true, false, _) => Some(format!("{from} is gone from the branch, and with it: {shown}")),
    }
}

/// What was shown of a block counts no more: it is claimed as it was, and judged with the present wave, or in one of
/// its own.
fn judge_anew(state: &mut State, id: &str, why: String) {
    let closed = state.blocks.get(id).is_some_and(|one| one.status == BlockStatus::Verified);
    let mut again = false;
    state.blocks.change(id, |block| {
        super::block::add_finding(block, why);
        let Some(by) = block.executed_by.clone() else { return };
        let shown = |state: &CriterionState| matches!(state, CriterionState::Verified { .. });
        for criterion in block.criteria.iter_mut().filter(|one| shown(&one.state)) {
            criterion.state = CriterionState::Claimed { by: by.clone(), evidence: Vec::new() };
            again = true;
        }
        super::gaps::again(block);
    });
    if !(again && closed) {
        return;
    }
    match state.core.wave < state.core.waves.len() {
        true => state.join_wave(id),
        false => state.append_wave(&[id.to_owned()]),
    }
    state.set_status(id, BlockStatus::Executed);
}

/// Whether something is lost that nobody is about to bring back, and that the user was not told of.
fn untold(state: &State) -> Option<&Lost> {
    let core = &state.core;
    let rest = core.runs.is_empty() && core.ended.is_empty();
    let told = |block: &Block| {
        let fault = state.correction(Role::Executor, &block.id).map(|one| one.fault.code);
        fault == Some(Code::NotDescendant)
    };
    let lost = core.history.lost.as_ref().filter(|lost| rest && !lost.accepted)?;
    (!state.ready().any(told)).then_some(lost)
}

/// Nothing goes on over a history that was rewritten before the user was told; `true` where that is so now.
pub(super) fn stops(state: &mut State) -> bool {
    let Some(lost) = untold(state) else { return false };
    let problem = seen::rewritten(&lost.head, &state.head_word());
    state.core.last_problem = Some(problem.clone());
    state.core.blocked = Some(problem);
    true
}
