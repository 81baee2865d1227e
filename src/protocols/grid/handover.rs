//! If an entry of the scratchpad asks for something, it does not end with its wave: planners, executors and
//! recognizers after it get it, until all blocks that depend on the author's block are closed, and at least through the
//! next wave.

use super::files::{ARCHIVE, SCRATCHPAD};
use super::scratchpad::{Action, Category, Entry};
use super::state::State;
use crate::mission::prelude::*;

/// The most entries of earlier waves that are passed on, and the most that one prompt lists of each kind.
pub(super) const MOST: usize = 40;

/// Entries of earlier waves that ask for something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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
    /// No entry is passed on.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.beyond == 0
    }

    /// Blockers are removed last.
    fn add(&mut self, entry: Entry) {
        self.entries.push(entry);
        if self.entries.len() > MOST {
            let light = self.entries.iter().position(|one| weight(one) > 0);
            self.entries.remove(light.unwrap_or(0));
            self.beyond = self.beyond.saturating_add(1);
        }
    }
}

/// How much an entry weighs, the gravest first: a blocker, a required change, information.
fn weight(entry: &Entry) -> u8 {
    match (entry.category, entry.action) {
        (Category::Blocker, _) | (_, Some(Action::Blocker)) => 0,
        (_, Some(Action::RequiresChange)) => 1,
        _ => 2,
    }
}

/// Whether an entry asks for more than to be known.
fn asks(entry: &Entry) -> bool {
    weight(entry) < 2
}

/// Entries, the latest last, in lines: the gravest first and of those the newest; of more than [`MOST`] it is said how
/// many there are, and where.
fn lines<'a>(entries: impl DoubleEndedIterator<Item = &'a Entry>, stands_in: &str) -> Vec<String> {
    let mut all: Vec<&Entry> = entries.rev().collect();
    all.sort_by_key(|one| weight(one));
    let beyond = all.len().saturating_sub(MOST);
    let more = (beyond > 0).then(|| format!("and {beyond} more in {stands_in}"));
    all.into_iter().take(MOST).map(line).chain(more).collect()
}

/// An entry leaves the scratchpad: if it asks for something, it is passed on.
pub(super) fn leave(state: &mut State, entry: &Entry) {
    if asks(entry) {
        state.core.handed.add(entry.clone());
    }
}

/// A wave is closed: the entries passed to it are removed, except those of blocks that an open block depends on.
pub(super) fn wave_closed(state: &mut State) {
    let awaited = awaited(state);
    let handed = &mut state.core.handed;
    handed.entries.retain(|entry| {
        let author = entry.program.strip_prefix(super::block::SIGNS);
        author.is_some_and(|author| awaited.contains(author))
    });
    if handed.entries.is_empty() {
        handed.beyond = 0;
    }
}

/// Blocks that an open block depends on, directly or through others, and blocks that close gaps of those. A deferred
/// block may be reopened, so it counts as open.
fn awaited(state: &State) -> BTreeSet<String> {
    let open = state.blocks.iter().filter(|one| !one.status.satisfies());
    let mut next: Vec<&String> = open.flat_map(|one| &one.depends_on).collect();
    let mut known = BTreeSet::new();
    while let Some(id) = next.pop() {
        if known.insert(id.clone()) {
            next.extend(state.blocks.get(id).into_iter().flat_map(|one| &one.depends_on));
        }
    }
    // What closes gaps comes behind what has them: one pass finds those of others that closed gaps as well.
    for block in state.blocks.iter().filter(|one| one.plan.gap_closure) {
        let of = |gap: &String| gap.rsplit_once('/').is_some_and(|(id, _)| known.contains(id));
        if block.plan.closes.iter().any(of) {
            known.insert(block.id.clone());
        }
    }
    known
}

/// An entry with what its author wants done, and all its details.
fn line(entry: &Entry) -> String {
    let action = entry.action.map_or("no action said", Action::as_str);
    let details = entry.details.lines().map(|line| format!("\n  {line}"));
    format!("{} [{action}] {}{}", entry.line(), entry.impact, details.collect::<String>())
}

/// All that was written in the wave, for who starts later in it.
pub(super) fn all(state: &State) -> Vec<String> {
    let entries = &state.core.scratchpad;
    let full = entries.len() >= super::scratchpad::MOST_ENTRIES;
    let earlier = full.then(|| format!("what was written in this wave before stands in {ARCHIVE}"));
    lines(entries.iter(), SCRATCHPAD).into_iter().chain(earlier).collect()
}

/// The entries that were passed on, in lines.
pub(super) fn before(state: &State) -> Vec<String> {
    let handed = &state.core.handed;
    let more = (handed.beyond > 0).then(|| format!("and {} more in {ARCHIVE}", handed.beyond));
    lines(handed.entries.iter(), ARCHIVE).into_iter().chain(more).collect()
}

/// What is asked for and not yet in the archive, in lines: for those who are not told all entries.
pub(super) fn now(state: &State) -> Vec<String> {
    lines(state.core.scratchpad.iter().filter(|one| asks(one)), SCRATCHPAD)
}
