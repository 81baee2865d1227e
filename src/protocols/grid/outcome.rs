//! The outcome of a block, a wave and the cluster, in one word each, and how many must-haves are shown. Every file, the
//! picture and the log of a run take it from here, so that all say the same.

use super::block::add_finding;
use super::closures;
use super::pages::let_go;
use super::planning::gap_text;
use super::report::WaveVerdict;
use super::state::{Block, BlockStatus, Gap, State, WaveRecord};
use crate::mission::prelude::*;

/// The verdict if gaps were waived.
const WAIVED: &str = "GAPS_WAIVED";
/// The word if nobody judged.
const UNJUDGED: &str = "not verified";
/// A block that closed not all it was for.
const NOT_CLOSED: &str = "executed; not all of its gaps are closed";

/// How many must-haves there are, and how far they are shown.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    /// Shown or waived.
    pub settled: usize,
    /// Waived.
    pub let_go: usize,
    /// All of them.
    pub total: usize,
}

impl Counts {
    /// Those that somebody showed.
    pub(super) fn shown(&self) -> usize {
        self.settled.saturating_sub(self.let_go)
    }
}

/// The counts of the cluster.
pub(super) fn counts(state: &State) -> Counts {
    let of = |sum: Counts, block: &Block| Counts {
        settled: sum.settled + settled(state, block),
        let_go: sum.let_go + block.criteria.iter().filter(|one| one.waived()).count(),
        total: sum.total + block.criteria.len(),
    };
    state.blocks.iter().fold(Counts::default(), of)
}

/// Must-haves of a block that are shown or waived. "The gaps are closed" is not shown while one of them is open.
pub(super) fn settled(state: &State, block: &Block) -> usize {
    let all = block.criteria.iter().filter(|one| one.settled());
    all.filter(|one| one.waived() || closures::still(state, block, one).is_empty()).count()
}

/// The state of a block, in a word.
pub(super) fn word(state: &State, block: &Block) -> &'static str {
    let left = |one: &Criterion| !closures::still(state, block, one).is_empty();
    match block.status == BlockStatus::Verified {
        true if block.unjudged().is_some() => UNJUDGED,
        true if block.criteria.iter().any(|one| !one.waived() && left(one)) => NOT_CLOSED,
        _ => block.status.as_str(),
    }
}

/// The state of a block, for people: with the reason, if nobody judged it.
pub(super) fn stands(state: &State, block: &Block) -> String {
    match block.unjudged() {
        Some(why) => format!("{UNJUDGED}: {why}"),
        None => word(state, block).to_owned(),
    }
}

/// The current verdict: waived gaps do not count as gaps, and no verdict shows them.
pub(super) fn verdict(state: &State) -> &'static str {
    let core = &state.core;
    if core.anomaly.is_some() {
        return WaveVerdict::CriticalAnomaly.as_str();
    }
    match core.gaps.is_empty() {
        false => WaveVerdict::GapsFound.as_str(),
        true => {
            // What a later wave has only begun says nothing about those that were judged.
            let last = core.records.last();
            let judged = last.and_then(|one| usize::try_from(one.wave).ok()).unwrap_or_default();
            let ids = core.waves.iter().take(judged).flatten();
            of(last.and_then(|one| one.verdict), ids.filter_map(|id| state.blocks.get(id)))
        }
    }
}

/// The current verdict on a wave.
pub(super) fn of_wave(state: &State, record: Option<&WaveRecord>) -> &'static str {
    let place = record.and_then(|one| usize::try_from(one.wave).ok()?.checked_sub(1));
    let ids = place.and_then(|place| state.core.waves.get(place)).into_iter().flatten();
    let blocks = ids.filter_map(|id| state.blocks.get(id));
    of(record.and_then(|record| record.verdict), blocks)
}

/// A verdict on blocks, with regard to what was waived since.
pub(super) fn of<'a>(
    verdict: Option<WaveVerdict>,
    blocks: impl Iterator<Item = &'a Block> + Clone,
) -> &'static str {
    let begun = || blocks.clone().filter(|block| block.status != BlockStatus::Pending);
    let settled = || begun().flat_map(|block| &block.criteria).all(Criterion::settled);
    let waived = || begun().any(has_waived_gap);
    match verdict {
        Some(WaveVerdict::GapsFound) if waived() && settled() => WAIVED,
        Some(WaveVerdict::Clear) if waived() => WAIVED,
        Some(verdict) => verdict.as_str(),
        None => UNJUDGED,
    }
}

/// Whether a gap of a block was waived.
fn has_waived_gap(block: &Block) -> bool {
    let told = |one: &Criterion| {
        let open = block.gaps.iter().filter(|gap| gap.closed.is_none());
        one.id.starts_with("GAP-") || open.into_iter().any(|gap| gap.criterion == one.id)
    };
    block.criteria.iter().any(|one| one.waived() && told(one))
}

/// A must-have that says that gaps are closed is waived with these gaps: a gap that nobody closes
/// cannot be shown to be closed.
pub(super) fn let_go_with_gaps(state: &mut State) {
    let moot = |block: &Block, one: &Criterion| {
        let claimed = one.verified() || matches!(one.state, CriterionState::Claimed { .. });
        let rests = matches!(block.status, BlockStatus::Executed | BlockStatus::Verified);
        (claimed && rests).then(|| closures::gone(state, block, one)).flatten()
    };
    let of = |block: &Block| {
        let all = block.criteria.iter();
        all.filter_map(|one| Some((one.id.clone(), moot(block, one)?))).collect::<Vec<_>>()
    };
    let closing = state.blocks.iter().filter(|block| !block.plan.closes.is_empty());
    let due: Vec<(String, Vec<(String, String)>)> = closing
        .map(|block| (block.id.clone(), of(block)))
        .filter(|(_, of)| !of.is_empty())
        .collect();
    for (id, moot) in due {
        state.blocks.change(&id, |block| {
            for (criterion, why) in moot {
                let named = block.criteria.iter_mut().filter(|one| one.id == criterion);
                let by = "user".to_owned();
                named.for_each(|one| {
                    one.state = CriterionState::Waived { by: by.clone(), why: why.clone() };
                });
            }
        });
    }
}

/// Whether a gap is about something that a person waived: no role reopens that.
pub(super) fn has_let_go(state: &State, gap: &Gap) -> bool {
    let by_user =
        |one: &&Criterion| matches!(&one.state, CriterionState::Waived { by, .. } if by == "user");
    let told = gap_text(gap);
    let same = |block: &Block, one: &Criterion| {
        (block.id == gap.block && one.id == gap.criterion) || one.text == told
    };
    state
        .blocks
        .iter()
        .any(|block| block.criteria.iter().filter(by_user).any(|one| same(block, one)))
}

/// A waived must-have that is named again stays waived; that it was seen again is noted.
pub(super) fn seen_again(state: &mut State, gap: &Gap, run: EffectId) {
    let name = gap.name();
    let line = format!("{name} was let go, and seen again by run {run}: {}", gap.reason);
    state.concern(line.clone());
    state.blocks.change(&gap.block, |block| add_finding(block, line));
}

/// All that a person waived, in lines for those who judge; for each the must-have, by whom, and why.
pub(super) fn let_go_lines(state: &State) -> Vec<String> {
    let text = |block: &str, id: &str| {
        let all = state.blocks.get(block).into_iter().flat_map(|one| &one.criteria);
        all.filter(|one| one.id == id).map(|one| one.text.clone()).collect::<String>()
    };
    let line = |(block, id, by, why): (&str, &str, &str, &str)| {
        let line = crate::vocab::text::one_line;
        format!("- {block}/{id} ({}), let go by the {by}: {}", line(&text(block, id)), line(why))
    };
    let_go(state.blocks.iter()).map(line).collect()
}
