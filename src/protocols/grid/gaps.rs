//! Gaps that were told. The finding, and the evidence that was not enough to disprove it, stay with the must-have:
//! those who close it and those who judge it are told, until the must-have is shown after that. A gap is not closed by
//! nothing: at the head at which a gap was told, a must-have holds only by evidence that was not there before. A report
//! that closes it without a commit has to bring such evidence.

use super::block::of;
use super::report::{ExecutorReport, Proof, RecognizerReport};
use super::state::{Block, Earlier, State, ToldGap};
use crate::mission::prelude::*;
use crate::vocab::evidence::weigh;
use crate::vocab::verdict::Verdict;

/// The most pieces of evidence that are kept with a gap, the latest.
const MOST_REFUSED: usize = 20;
/// The most that is kept of what was said of a gap before, in other words.
const MOST_EARLIER: usize = 10;
/// The prefix of the number of a must-have that says why a block was reopened.
const AGAIN: &str = "AGAIN-";
/// The prefix of the reason of a gap that was called closed.
const UNMOVED: &str = "nothing changed since it was told: ";

/// What was offered for a must-have when a gap was found.
#[derive(Default)]
pub(super) struct Offered {
    /// How it was found out.
    method: String,
    /// Evidence that was not enough, or that spoke against it.
    refused: Vec<String>,
}

/// What a piece of evidence rests on, however it came out.
fn rests_on(line: &str) -> String {
    let plain = line.strip_prefix("command `").and_then(|_| line.rsplit_once(" exited "));
    one_line(plain.map_or(line, |(command, _)| command))
}

/// The evidence that was offered for each must-have, before it is judged. Evidence that nobody contradicted was not
/// refused.
pub(super) fn offered(
    state: &State,
    report: &RecognizerReport,
    ids: &[String],
) -> BTreeMap<String, Offered> {
    let mut all = BTreeMap::new();
    for block in ids.iter().filter_map(|id| state.blocks.get(id)) {
        for criterion in &block.criteria {
            let name = format!("{}/{}", block.id, criterion.id);
            let row = report
                .verdicts
                .iter()
                .find(|row| row.block == block.id && row.criterion == criterion.id);
            let named = report.gaps.iter().any(|gap| {
                gap.block.as_deref() == Some(&block.id)
                    && gap.criterion.as_deref() == Some(&criterion.id)
            });
            let mut one = Offered::default();
            if let Some(row) = row {
                one.method = one_line(&row.method);
                one.refused.extend(row.evidence.iter().map(Evidence::line));
            }
            if named || row.is_some_and(|row| row.doubts()) {
                match &criterion.state {
                    CriterionState::Claimed { evidence, .. } => {
                        one.refused.extend(evidence.iter().map(Evidence::line));
                    }
                    CriterionState::Verified { proof, .. } => one.refused.extend(proof.clone()),
                    CriterionState::Open
                    | CriterionState::Rejected { .. }
                    | CriterionState::Waived { .. } => {}
                }
            }
            all.insert(name, one);
        }
    }
    all
}

/// Keeps the gaps that were found with what they are about.
pub(super) fn tell(state: &mut State, offered: &BTreeMap<String, Offered>) {
    let (head, none) = (state.head_word(), Offered::default());
    for gap in state.core.gaps.clone() {
        let one = offered.get(&gap.name()).unwrap_or(&none);
        state.blocks.change(&gap.block, |block| {
            if block.is_open(&gap.criterion) {
                enter(block, &gap.criterion, &gap.reason, one, &head);
            }
        });
    }
}

/// Keeps a gap with its must-have; told again, what is known of it grows.
pub(super) fn enter(
    block: &mut Block,
    criterion: &str,
    reason: &str,
    offered: &Offered,
    head: &str,
) {
    let known = block.gaps.iter().position(|one| one.criterion == criterion);
    let mut told = match known {
        Some(place) => block.gaps.remove(place),
        None => ToldGap { criterion: criterion.to_owned(), ..ToldGap::default() },
    };
    say(&mut told, reason, &offered.method);
    for line in offered.refused.iter().map(|line| rests_on(line)) {
        told.refused.retain(|one| *one != line);
        told.refused.push(line);
    }
    told.refused.drain(..told.refused.len().saturating_sub(MOST_REFUSED));
    (told.head, told.times, told.closed) = (head.to_owned(), told.times.saturating_add(1), None);
    block.gaps.push(told);
}

/// What is said of a gap counts; what was said of it before in other words is kept, each once.
fn say(told: &mut ToldGap, reason: &str, method: &str) {
    let method = if method.is_empty() { told.method.clone() } else { method.to_owned() };
    let now = Earlier { reason: reason.to_owned(), method };
    let before = Earlier { reason: told.reason.clone(), method: told.method.clone() };
    // A gap that is told for the first time has nothing before it.
    if told.times > 0 && before != now {
        told.earlier.push(before);
    }
    told.earlier.retain(|one| *one != now);
    let beyond = told.earlier.len().saturating_sub(MOST_EARLIER);
    told.earlier.drain(..beyond);
    told.dropped = told.dropped.saturating_add(u32::try_from(beyond).unwrap_or(u32::MAX));
    (told.reason, told.method) = (now.reason, now.method);
}

/// What was said of a gap before, each in words.
pub(super) fn before(gap: &ToldGap) -> Vec<String> {
    let line = |one: &Earlier| match one.method.is_empty() {
        true => one.reason.clone(),
        false => format!("{} (found out by: {})", one.reason, one.method),
    };
    let more = (gap.dropped > 0).then(|| format!("and {} more before", gap.dropped));
    gap.earlier.iter().map(line).chain(more).collect()
}

/// Gaps of a block that are not shown to be closed.
pub(super) fn open(block: &Block) -> impl Iterator<Item = &ToldGap> {
    block.gaps.iter().filter(|one| one.closed.is_none() && block.is_open(&one.criterion))
}

/// Open gaps that a block is to close: its own, and those its plan is for.
pub(super) fn to_close<'a>(state: &'a State, block: &'a Block) -> Vec<(&'a Block, &'a ToldGap)> {
    let plan = &block.plan;
    let named = |other: &Block, gap: &ToldGap| {
        plan.closes.is_empty() || plan.closes.contains(&format!("{}/{}", other.id, gap.criterion))
    };
    let others = state.blocks.live().filter(|one| plan.gap_closure && one.id != block.id);
    let others = others.flat_map(|one| open(one).map(move |gap| (one, gap)));
    let others = others.filter(|(one, gap)| named(one, gap));
    open(block).map(|gap| (block, gap)).chain(others).collect()
}

/// A success closes gaps by a commit, or shows that there is none.
///
/// # Errors
/// `gap_unchanged` for a gap that is closed by nothing.
pub(super) fn by_something(state: &State, run: &Run, report: &ExecutorReport) -> Result<()> {
    let Some((block, summary)) = state.blocks.get(&run.item).zip(report.summary.as_ref()) else {
        return Ok(());
    };
    let idle = summary.commits.is_empty() && block.is_new();
    let head = state.head_word();
    for (other, gap) in to_close(state, block) {
        let shows =
            |one: &Proof| about(block, other, gap, one) && weigh(&one.evidence) == Finding::Holds;
        if (idle || gap.head == head) && !report.claims.iter().any(shows) {
            let name = format!("{}/{}", other.id, gap.criterion);
            let expected =
                format!("a commit that closes {name}, or typed evidence for {name} in `claims`");
            let got = format!("neither: {}", clip(&gap.reason, 300));
            return Err(Error::new(Code::GapUnchanged, "summary.commits", expected, got));
        }
    }
    Ok(())
}

/// Whether a claim of a block is about a gap of its own, or of another that it closes.
fn about(block: &Block, other: &Block, gap: &ToldGap, claim: &Proof) -> bool {
    let must = &block.plan.must_haves;
    let own = other.id == block.id;
    // The only must-have of such a plan is that its gaps are closed.
    let bare = must.truths.is_empty() && must.artifacts.is_empty() && must.key_links.is_empty();
    let known = |id: &str| block.criteria.iter().any(|one| one.id == id);
    claim.criterion.trim() == format!("{}/{}", other.id, gap.criterion)
        || (own && of(&block.id, claim) == gap.criterion)
        || (!own && bare && known(of(&block.id, claim)))
}

/// Takes out what is called closed although nothing changed since its gap was told, by what was known then; answers with
/// the must-haves.
pub(super) fn by_nothing(state: &State, id: &str, verdicts: &mut [Verdict]) -> Vec<String> {
    let Some(block) = state.blocks.get(id) else { return Vec::new() };
    let head = state.head_word();
    let mut idle = Vec::new();
    for gap in open(block).filter(|gap| gap.head == head) {
        let beside = beside(gap, verdicts);
        let row = verdicts.iter_mut().find(|row| row.criterion == gap.criterion);
        let holds = |row: &&mut Verdict| {
            row.finding == Finding::Holds && weigh(&row.evidence) == Finding::Holds
        };
        let Some(row) = row.filter(holds) else { continue };
        let other = |one: &Evidence| {
            let line = rests_on(&one.line());
            one.finding() == Finding::Holds
                && !gap.refused.contains(&line)
                && !beside.contains(&line)
        };
        if !row.evidence.iter().any(other) {
            row.finding = Finding::NotShown;
            idle.push(format!("{id}/{}", gap.criterion));
        }
    }
    idle
}

/// What shows the other must-haves says nothing of why the user opened a block again: it held before, too.
fn beside(gap: &ToldGap, verdicts: &[Verdict]) -> BTreeSet<String> {
    let others = verdicts.iter().filter(|one| !one.criterion.starts_with(AGAIN));
    let others = others.filter(|_| gap.criterion.starts_with(AGAIN));
    others.flat_map(|one| &one.evidence).map(|one| rests_on(&one.line())).collect()
}

/// What was called closed by nothing is told as that, to all who come after.
pub(super) fn unmoved(state: &mut State, names: &[String]) {
    let Some(first) = names.first() else { return };
    for gap in state.core.gaps.iter_mut().filter(|gap| names.contains(&gap.name())) {
        gap.reason = format!("{UNMOVED}{}", gap.reason);
    }
    let expected = "a commit since the gap was told, or evidence other than before";
    let got = format!("the same head, and no other evidence for {}", names.join(", "));
    let error = Error::new(Code::GapUnchanged, first, expected, clip(&got, 500));
    state.core.life.last_problem = Some(error.diagnostic());
    state.concern(error.to_string());
}

/// Must-haves that are shown although their gap was not closed.
pub(super) fn answered(block: &Block) -> Vec<String> {
    let verified = |id: &str| block.criteria.iter().any(|one| one.id == id && one.verified());
    let open = block.gaps.iter().filter(|gap| gap.closed.is_none() && verified(&gap.criterion));
    open.map(|gap| gap.criterion.clone()).collect()
}

/// What was shown after its gap was told is closed.
pub(super) fn shown(state: &mut State, ids: &[String], run: &Run) {
    let words = format!("shown at {} by run {}", clip(&state.head_word(), 12), run.by.run);
    for id in ids {
        let due = state.blocks.get(id).map(answered).unwrap_or_default();
        if due.is_empty() {
            continue;
        }
        state.blocks.change(id, |block| {
            for gap in block.gaps.iter_mut().filter(|gap| due.contains(&gap.criterion)) {
                gap.closed = Some(words.clone());
            }
        });
    }
}

/// What was shown counts no more: a gap of it is open again, until it is shown again.
pub(super) fn again(block: &mut Block) {
    let shown: Vec<&Criterion> = block.criteria.iter().filter(|one| one.verified()).collect();
    let holds = |gap: &ToldGap| shown.iter().any(|one| one.id == gap.criterion);
    block.gaps.iter_mut().filter(|gap| !holds(gap)).for_each(|gap| gap.closed = None);
}

/// Why the user opened a closed block again is a must-have of it, and a gap that was told: what closed the block then
/// answers nothing.
pub(super) fn opened_again(block: &mut Block, reason: &str, head: &str) {
    let known = block.criteria.iter().filter(|one| one.id.starts_with(AGAIN)).count();
    let id = format!("{AGAIN}{:03}", known + 1);
    let proofs = block.criteria.iter().flat_map(|one| match &one.state {
        CriterionState::Verified { proof, .. } => proof.clone(),
        _ => Vec::new(),
    });
    let offered = Offered { method: String::new(), refused: proofs.collect() };
    let reason = one_line(reason);
    let text = format!("What the user said when opening it again is met: {reason}");
    block.criteria.push(Criterion::open(id.clone(), text));
    enter(block, &id, &reason, &offered, head);
}

/// The state of a gap, in words.
pub(super) fn stands(block: &Block, gap: &ToldGap) -> String {
    let criterion = block.criteria.iter().find(|one| one.id == gap.criterion);
    match (&gap.closed, criterion.map(|one| &one.state)) {
        (Some(how), _) => how.clone(),
        (None, Some(CriterionState::Waived { by, why })) => {
            format!("let go by the {by}: {}", one_line(why))
        }
        (None, _) => "open".to_owned(),
    }
}

/// A gap in one line, with all that was said of it.
pub(super) fn line(block: &Block, gap: &ToldGap) -> String {
    let mut text = format!("{}: {} ({})", gap.criterion, one_line(&gap.reason), stands(block, gap));
    for (word, said) in [
        ("found out by", gap.method.clone()),
        ("not enough, or against it", gap.refused.join("; ")),
        ("told before", before(gap).join("; ")),
    ] {
        if !said.is_empty() {
            text.push_str(&format!("; {word}: {said}"));
        }
    }
    text
}
