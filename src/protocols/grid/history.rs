//! Whether the work of an executor lies on top of the head it was given. One that amended or took back what was
//! there is told so, and what is expected instead.

use super::role::Role;
use super::state::{Run, State};
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::repository::{Change, Repository};

/// Whether a run is to bring back the history that the one before it rewrote.
fn mends(state: &State, run: &Run) -> bool {
    let told = state.correction(run.role, &run.item).map(|one| one.fault.code);
    run.role == Role::Executor && told == Some(Code::NotDescendant)
}

/// The head from which a look is to tell what came: the one before history was rewritten, once somebody was to bring
/// it back.
pub(super) fn basis(state: &State) -> Option<String> {
    let ended = state.core.ended.iter().map(|ended| &ended.run);
    ended.filter(|run| mends(state, run)).find_map(|run| run.before.head.clone())
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

/// A success lies on top of the head that was given.
///
/// # Errors
/// `not_descendant` over a history that was rewritten.
pub(super) fn on_top(state: &State, run: &Run, repository: &Repository) -> Result<()> {
    let change = since_given(state, run, repository).or(repository.since.as_deref());
    match change {
        Some(change) if !change.descends => {
            let expected = format!("a new commit on top of {}", change.from);
            let head = repository.head.as_deref().unwrap_or("none");
            let got = format!("history was rewritten: {head} does not follow it");
            Err(Error::new(Code::NotDescendant, "repository", expected, got))
        }
        Some(_) | None => Ok(()),
    }
}
