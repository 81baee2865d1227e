//! People's words about a block, apart from the answers that pass its checkpoints: kept whole and in order, separate
//! from the findings about the block, and told to all who work on it and judge it.

use super::state::{Block, State};
use crate::mission::life::Topic;
use crate::mission::prelude::*;
use crate::vocab::question::Answer;

/// The most characters of one note or reason of a person; docs/grid.md says so.
const MOST_WORDS: usize = 4_000;

/// Whether words of a person can be kept whole: what cannot is refused, never cut.
///
/// # Errors
/// `too_large` beyond [`MOST_WORDS`].
pub(super) fn fit(at: &str, words: &str) -> Result<()> {
    match words.chars().count() {
        count if count > MOST_WORDS => {
            let expected = format!("at most {MOST_WORDS} characters");
            Err(Error::new(Code::TooLarge, at, expected, count.to_string()))
        }
        _ => Ok(()),
    }
}

/// Takes what a person says with an answer, to be told to those whom it concerns.
///
/// # Errors
/// As [`fit`].
pub(super) fn told(state: &mut State, topic: &Topic, answer: &Answer) -> Result<()> {
    match (topic, answer) {
        (Topic::DirtyTree { paths }, Answer::ManualStep { done, note }) => {
            fit("answer.note", note)?;
            cleaned(state, paths, *done, note);
        }
        (_, Answer::ManualStep { note, .. }) => fit("answer.note", note)?,
        (Topic::EndWithDeferred, Answer::Confirmation { yes: true }) => {
            state.said("the cluster ends without what was put off");
        }
        _ => {}
    }
    Ok(())
}

fn cleaned(state: &mut State, paths: &[String], done: bool, note: &str) {
    let left = super::uncommitted::who_left(state, paths);
    let paths = paths.join(", ");
    let word = if done { "done" } else { "not done" };
    let what = format!(
        "Asked to commit or stash what was not committed ({}), a person said {word}",
        clip(&paths, 2_000)
    );
    for id in left {
        keep(state, &id, &what, note);
    }
    state.said(&format!("the tree was not clean ({}): {word}: {note}", clip(&paths, 300)));
}

/// Keeps what a person said of a block, behind what was said before.
pub(super) fn keep(state: &mut State, id: &str, what: &str, words: &str) {
    let line = format!("{what}: {}", one_line(words));
    state.blocks.change(id, |block| block.words.push(line));
}

/// Dependencies of a block that the user skipped: each with the user's words on it, in lines.
pub(super) fn gone_before(state: &State, block: &Block) -> Vec<String> {
    let before = block.depends_on.iter().filter_map(|id| state.blocks.get(id));
    let gone = before.filter(|one| one.status == super::state::BlockStatus::Skipped);
    gone.map(|one| {
        let said = one.words.last().map_or("The user let it go", String::as_str);
        format!("{} ({}): {said}", one.id, one_line(&one.plan.objective))
    })
    .collect()
}
