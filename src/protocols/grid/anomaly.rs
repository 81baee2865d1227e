//! Critical anomalies: a person decides, and until then no row of the report settles anything. The rows are still
//! kept: a doubt about a must-have is a gap that was told of it, and all who judge are told of the anomaly.

use super::gaps::{self, Offered};
use super::report::RecognizerReport;
use super::state::{BlockStatus, Gap, State, ToldAnomaly};
use super::wave::{MOST_GAPS, other_gaps, said, words};
use crate::mission::prelude::*;
use crate::mission::template::{Fields, fields};

/// The most anomalies that are kept.
const MOST_ANOMALIES: usize = 20;
/// The most gaps that are shown with the question.
const MOST_SHOWN: usize = 10;

/// Blocks of which a report may say something: those it judges, and those its gaps name.
pub(super) fn of(state: &State, report: &RecognizerReport, judged: &[String]) -> Vec<String> {
    let named = |id: &String| report.gaps.iter().any(|gap| gap.block.as_ref() == Some(id));
    let ids = state.blocks.iter().map(|block| &block.id);
    ids.filter(|id| judged.contains(id) || named(id)).cloned().collect()
}

/// What is so wrong, in words.
pub(super) fn text(report: &RecognizerReport) -> String {
    let text = report.anomaly.as_deref().map(one_line);
    text.or_else(|| report.gaps.first().map(words)).unwrap_or_default()
}

/// The other findings of an anomaly: must-haves that a row doubts or a gap names, then the gaps that are about none.
pub(super) fn gaps(state: &State, report: &RecognizerReport) -> Vec<Gap> {
    let mut found = Vec::new();
    for block in state.blocks.iter() {
        for criterion in block.criteria.iter().filter(|one| !one.waived()) {
            let doubt = report
                .verdicts
                .iter()
                .find(|row| row.block == block.id && row.criterion == criterion.id && row.doubts());
            let reason = said(report, &block.id, &criterion.id);
            let Some(reason) = reason.or_else(|| doubt.map(|row| one_line(&row.method))) else {
                continue;
            };
            found.push(Gap { block: block.id.clone(), criterion: criterion.id.clone(), reason });
        }
    }
    found.extend(other_gaps(report, &found));
    found
}

/// Keeps an anomaly, and its other findings, for all who judge.
pub(super) fn keep(
    state: &mut State,
    report: &RecognizerReport,
    offered: &BTreeMap<String, Offered>,
) {
    let (head, none, mut beside) = (state.head_word(), Offered::default(), Vec::new());
    for gap in gaps(state, report) {
        let open = |one: &Criterion| one.id == gap.criterion && !one.waived();
        let known = state.blocks.get(&gap.block);
        if !known.is_some_and(|block| block.criteria.iter().any(open)) {
            beside.push(format!("{}: {}", gap.name(), gap.reason));
            continue;
        }
        let one = offered.get(&gap.name()).unwrap_or(&none);
        state.blocks.change(&gap.block, |block| {
            gaps::enter(block, &gap.criterion, &gap.reason, one, &head);
        });
    }
    let (text, all) = (text(report), &mut state.core.anomalies);
    if let Some(place) = all.told.iter().position(|one| one.text == text) {
        let known = all.told.remove(place).beside;
        let older: Vec<String> = known.into_iter().filter(|one| !beside.contains(one)).collect();
        beside.splice(..0, older);
        beside.drain(..beside.len().saturating_sub(MOST_GAPS));
    }
    all.told.push(ToldAnomaly { text, beside, head });
    if all.told.len() > MOST_ANOMALIES {
        all.told.remove(0);
        all.dropped = all.dropped.saturating_add(1);
    }
}

/// The user has spoken: a must-have that was shown, and that the anomaly's report speaks against, is to be shown again.
pub(super) fn reopen(state: &mut State) {
    let all = state.blocks.iter().map(|block| (block.id.clone(), gaps::answered(block)));
    let all: Vec<(String, Vec<String>)> = all.filter(|(_, due)| !due.is_empty()).collect();
    for (id, due) in all {
        let closed = state.blocks.get(&id).is_some_and(|one| one.status == BlockStatus::Verified);
        state.blocks.change(&id, |block| {
            let by = block.executed_by.clone();
            for criterion in block.criteria.iter_mut().filter(|one| due.contains(&one.id)) {
                criterion.state = match &by {
                    Some(by) => CriterionState::Claimed { by: by.clone(), evidence: Vec::new() },
                    None => CriterionState::Open,
                };
            }
        });
        if closed {
            // Behind all waves it gets one of its own, with what closes it.
            if !state.is_behind() {
                state.join_wave(&id);
            }
            state.set_status(&id, BlockStatus::Executed);
        }
    }
}

/// What the question says of it.
pub(super) fn asked(state: &State, text: &str) -> Fields {
    let gaps = &state.core.gaps;
    let line = |gap: &Gap| format!("{}: {}", gap.name(), clip(&gap.reason, 300));
    let shown: Vec<String> = gaps.iter().take(MOST_SHOWN).map(line).collect();
    let more = gaps.len().saturating_sub(shown.len());
    fields! {
        text: text,
        beside: (!shown.is_empty()).then(|| fields! { gaps: shown.join("; ") }),
        more: (more > 0).then(|| fields! { number: more }),
    }
}

/// Anomalies that were told, in lines.
pub(super) fn lines(state: &State) -> Vec<String> {
    let all = &state.core.anomalies;
    let line = |one: &ToldAnomaly| {
        let head = clip(&one.head, 12);
        match one.beside.is_empty() {
            true => format!("{} (told at {head})", one.text),
            false => format!("{} (told at {head}); beside it: {}", one.text, one.beside.join("; ")),
        }
    };
    let more = (all.dropped > 0).then(|| format!("and {} more before", all.dropped));
    all.told.iter().rev().map(line).chain(more).collect()
}
