//! What an entry of the scratchpad asks for does not end with its wave: it is handed on to those who plan, execute and
//! judge after it, until what lies on the block of its author is closed, and at least through the wave behind its own.

use super::files::{ARCHIVE, SCRATCHPAD};
use super::scratchpad::{Action, Category, Entry};
use super::state::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most entries of earlier waves that are handed on, and the most that one prompt lists of each kind.
pub(super) const MOST: usize = 40;

/// Entries of earlier waves that ask for something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridHanded")]
pub struct Handed {
    /// The latest, the latest last.
    pub entries: Vec<Entry>,
    /// How many there were before those.
    #[serde(default)]
    pub beyond: u32,
}

impl Handed {
    /// Nothing is handed on.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.beyond == 0
    }

    fn add(&mut self, entry: Entry) {
        self.entries.push(entry);
        let beyond = self.entries.len().saturating_sub(MOST);
        self.entries.drain(..beyond);
        self.beyond = self.beyond.saturating_add(u32::try_from(beyond).unwrap_or(u32::MAX));
    }
}

/// Whether an entry asks for more than to be known.
fn asks(entry: &Entry) -> bool {
    let action = matches!(entry.action, Some(Action::RequiresChange | Action::Blocker));
    action || entry.category == Category::Blocker
}

/// An entry leaves the scratchpad: what it asks for is handed on.
pub(super) fn leave(state: &mut State, entry: &Entry) {
    if asks(entry) {
        state.core.handed.add(entry.clone());
    }
}

/// A wave is closed: what was handed to it is done with, but what something still lies on.
pub(super) fn wave_closed(state: &mut State) {
    let blocks = &state.blocks;
    let waited_for = |entry: &Entry| {
        let author = entry.program.strip_prefix(super::block::SIGNS);
        author.is_some_and(|author| {
            let lies = |id: &String| id == author;
            blocks.iter().any(|one| !one.status.rests() && one.depends_on.iter().any(lies))
        })
    };
    let handed = &mut state.core.handed;
    handed.entries.retain(waited_for);
    if handed.entries.is_empty() {
        handed.beyond = 0;
    }
}

/// An entry in one line, with what its author wants done.
pub(super) fn line(entry: &Entry) -> String {
    let action = entry.action.map_or("no action said", Action::as_str);
    format!("{} [{action}] {}", entry.line(), entry.impact)
}

/// What was handed on, the newest first, in lines.
pub(super) fn before(state: &State) -> Vec<String> {
    let handed = &state.core.handed;
    let more = (handed.beyond > 0).then(|| format!("and {} more in {ARCHIVE}", handed.beyond));
    handed.entries.iter().rev().map(line).chain(more).collect()
}

/// What is asked for and not yet in the archive, the newest first, in lines: for those who are not told all entries.
pub(super) fn now(state: &State) -> Vec<String> {
    let asked: Vec<&Entry> = state.core.scratchpad.iter().rev().filter(|one| asks(one)).collect();
    let beyond = asked.len().saturating_sub(MOST);
    let more = (beyond > 0).then(|| format!("and {beyond} more in {SCRATCHPAD}"));
    asked.into_iter().take(MOST).map(line).chain(more).collect()
}
