//! Architectural changes that the user refused. Each stays on record with the user's words, and becomes a must-have
//! of its block: that the change was taken back is judged like all others. A success is not taken if the files that the
//! change named are unchanged, or if the head is the one at which the change was refused.

use super::commits::commit_name;
use super::report::{Deviation, ExecutorReport};
use super::state::{Block, Refusal, State};
use crate::mission::prelude::*;
use crate::vocab::ledger;

/// What a refused change is called among the must-haves.
const NAME: &str = "BACK-";

/// The most files of the success that came with a change that are kept.
const MOST_BESIDE: usize = 50;

/// The user allows changes, also what was refused before.
pub(super) fn allow(block: &mut Block, changes: &[String]) {
    let more = changes.iter().filter(|one| !block.allowed.contains(one));
    let more: Vec<String> = more.cloned().collect();
    block.allowed.extend(more);
    let gone = block.refused.iter().filter(|one| changes.contains(&one.change));
    let gone: Vec<String> = gone.map(|one| one.criterion.clone()).collect();
    block.refused.retain(|one| !changes.contains(&one.change));
    for criterion in block.criteria.iter_mut().filter(|one| gone.contains(&one.id)) {
        let why = "the change was allowed after all";
        ledger::waive_open(std::slice::from_mut(criterion), "user", why);
    }
}

/// The user wants changes taken back; those of a success that was held back are in the tree.
pub(super) fn refuse(
    state: &mut State,
    id: &str,
    changes: &[String],
    held: Option<&ExecutorReport>,
) {
    let paths: Vec<String> = held.map(|held| work(state, id, held)).unwrap_or_default();
    let head = state.head_word();
    let ordinal = state.core.life.ordinal();
    for change in changes {
        state.said(&format!("{id}: rule 4, refused, to be taken back: {change}"));
        let files = files(state, id, change);
        let beside = paths.iter().filter(|path| !files.contains(path)).cloned().collect();
        let (head, made, again) = (head.clone(), held.is_some(), false);
        state.blocks.change(id, |block| {
            let criterion = must_have(block, change);
            let change = change.clone();
            block.refused.retain(|one| one.change != change);
            let one = Refusal { change, files, beside, head, ordinal, made, criterion, again };
            block.refused.push(one);
        });
    }
}

/// Files of the success that came with a change: those it lists, those its commits were seen to touch, and those its plan
/// lists, as far as anybody touched them.
fn work(state: &State, id: &str, held: &ExecutorReport) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let listed = held.summary.iter().flat_map(|one| one.key_files.all());
    let block = state.blocks.get(id);
    let touched = block.into_iter().flat_map(|block| block.touched.iter().cloned());
    let planned = block.into_iter().flat_map(|block| &block.plan.files_modified);
    let planned = planned.map(|path| crate::vocab::evidence::normal(path));
    let planned = planned.filter(|path| state.touches.get(path).is_some());
    for path in listed.chain(touched).chain(planned) {
        if all.len() < MOST_BESIDE && !all.contains(&path) {
            all.push(path);
        }
    }
    all
}

/// What the commits that a success names were seen to change, while that is known.
pub(super) fn keep_touched(block: &mut Block, report: &ExecutorReport, repository: &Repository) {
    let commits = report.summary.iter().flat_map(|one| &one.commits);
    let change = repository.since.as_deref();
    let same = |id: &String, full: &String| commit_name(id) == commit_name(full);
    let touched = commits.flat_map(|id| {
        let full = change.and_then(|change| change.commits.iter().find(|full| same(id, full)));
        let paths = change.zip(full).and_then(|(change, full)| change.touched_by(full));
        paths.unwrap_or_default().to_vec()
    });
    block.touched = touched.take(MOST_BESIDE).collect();
}

/// Whether a file is unchanged since the user refused a change.
fn is_as_it_was(state: &State, one: &Refusal, path: &str) -> bool {
    state.touches.get(path).is_none_or(|at| at <= one.ordinal)
}

/// The files of the work that came with a change that names none, where all of them are as they were.
fn whole(state: &State, one: &Refusal) -> Option<String> {
    let bare = one.made && one.files.is_empty() && !one.beside.is_empty();
    let all = bare && one.beside.iter().all(|path| is_as_it_was(state, one, path));
    all.then(|| one.beside.join(", "))
}

/// What is known of a refused change, in one line: of its files those that are as they were when the user spoke.
pub(super) fn line(state: &State, one: &Refusal) -> String {
    let mut text = format!("{} ({})", one.change, one.criterion);
    if !one.files.is_empty() {
        text.push_str(&format!("; files: {}", one.files.join(", ")));
    }
    let still: Vec<&str> = one
        .files
        .iter()
        .chain(&one.beside)
        .filter(|path| is_as_it_was(state, one, path))
        .map(String::as_str)
        .collect();
    if !still.is_empty() {
        text.push_str(&format!("; as they were, of the work it came with: {}", still.join(", ")));
    }
    text
}

/// Files of a change that were seen to change while the cluster went on: those its report lists, or its words name.
fn files(state: &State, id: &str, change: &str) -> Vec<String> {
    let Some(block) = state.blocks.get(id) else { return Vec::new() };
    let same = |one: &&Deviation| one.rule == 4 && one.description == change;
    let listed = block.deviations.iter().filter(same).flat_map(|one| one.files.iter().cloned());
    let edge = |letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '/' | '-'));
    let words = change.split_whitespace().map(|word| word.trim_matches(edge));
    let words = words.filter(|word| word.contains(['.', '/'])).map(crate::vocab::evidence::normal);
    let all: BTreeSet<String> = listed.chain(words).collect();
    all.into_iter().filter(|path| state.touches.get(path).is_some()).collect()
}

/// That the change was taken back, as a must-have of its block; refused again, it is shown again.
fn must_have(block: &mut Block, change: &str) -> String {
    if let Some(known) = block.refused.iter().find(|one| one.change == change) {
        let id = known.criterion.clone();
        for criterion in block.criteria.iter_mut().filter(|one| one.id == id) {
            criterion.state = CriterionState::Open;
        }
        return id;
    }
    let known = block.criteria.iter().filter(|one| one.id.starts_with(NAME)).count();
    let id = format!("{NAME}{:03}", known + 1);
    let text = format!("The change of rule 4 that the user refused was taken back: {change}");
    block.criteria.push(Criterion::open(id.clone(), text));
    id
}

/// A report names again what was refused: the user is asked again.
pub(super) fn named_again(block: &mut Block, deviation: &Deviation) {
    let same = |one: &&mut Refusal| deviation.rule == 4 && one.change == deviation.description;
    block.refused.iter_mut().filter(same).for_each(|one| one.again = true);
}

/// A success has taken back what the user refused, as far as that can be seen.
///
/// # Errors
/// `change_stands` where nothing changed since.
pub(super) fn taken_back(state: &State, run: &Run) -> Result<()> {
    let Some(block) = state.blocks.get(&run.item) else { return Ok(()) };
    for one in block.to_take_back() {
        let still = one.made && state.head_word() == one.head;
        let got = match one.files.iter().find(|path| is_as_it_was(state, one, path)) {
            Some(path) => format!("{} as it was", clip(path, 200)),
            None if still => format!("no commit since {}", clip(&one.head, 12)),
            // Where it names no file, something of the work it came with is to differ.
            None => match whole(state, one) {
                Some(paths) => format!("nothing of {} changed", clip(&paths, 150)),
                None => continue,
            },
        };
        let expected = format!("a commit that takes back what the user refused: {}", one.change);
        return Err(Error::new(Code::ChangeStands, "repository", expected, got));
    }
    Ok(())
}
