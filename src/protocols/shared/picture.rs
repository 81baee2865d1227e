//! The parts of a picture that look alike in every protocol.

use crate::snapshot::Head;
use crate::view::{CriterionView, Lane, LiveRun, OpenQuestion, Progress, Spent};
use crate::vocab::criterion::{Criterion, CriterionState};
use crate::vocab::effect::{Delivery, Order};

/// Effects that are waited for.
pub(crate) fn waiting(head: &Head) -> Vec<String> {
    let name = |one: &std::sync::Arc<crate::vocab::effect::Outstanding>| {
        format!("{} {}", one.effect.id, one.effect.order.name())
    };
    head.outbox.iter().map(name).collect()
}

/// Live runs.
pub(crate) fn runs(head: &Head) -> Vec<LiveRun> {
    let live = head.live_runs().filter_map(|one| match (&one.effect.order, &one.delivery) {
        (Order::SpawnRole(spawn), Delivery::Started { last_line, .. }) => Some(LiveRun {
            run: one.effect.id.to_string(),
            role: spawn.role.clone(),
            item: spawn.item.clone(),
            last_line: last_line.clone(),
        }),
        _ => None,
    });
    live.collect()
}

/// Open questions.
pub(crate) fn questions(head: &Head) -> Vec<OpenQuestion> {
    let open = head.outbox.iter().filter_map(|one| match &one.effect.order {
        Order::AskUser(question) => Some(OpenQuestion {
            id: one.effect.id.to_string(),
            text: question.text.clone(),
            expected: question.kind.expected(),
        }),
        _ => None,
    });
    open.collect()
}

/// Counters that have been used.
pub(crate) fn spent(head: &Head) -> Vec<Spent> {
    let used = head.budget.iter().filter(|(_, account)| account.spent > 0);
    used.map(|(counter, account)| Spent {
        counter: counter.as_str().to_owned(),
        spent: account.spent,
        limit: account.limit,
    })
    .collect()
}

/// Criteria with the word of their state.
pub(crate) fn criteria(criteria: &[Criterion]) -> Vec<CriterionView> {
    let seen = |one: &Criterion| CriterionView {
        id: one.id.clone(),
        text: one.text.clone(),
        state: criterion_word(&one.state).to_owned(),
    };
    criteria.iter().map(seen).collect()
}

pub(crate) fn criterion_word(state: &CriterionState) -> &'static str {
    match state {
        CriterionState::Open => "open",
        CriterionState::Claimed { .. } => "claimed",
        CriterionState::Verified { .. } => "verified",
        CriterionState::Rejected { .. } => "rejected",
        CriterionState::Waived { .. } => "waived",
    }
}

/// Settled criteria of all.
pub(crate) fn progress(criteria: &[Criterion]) -> Progress {
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let settled = criteria.iter().filter(|one| one.settled()).count();
    Progress { settled: count(settled), total: count(criteria.len()) }
}

/// The sum of several progresses.
pub(crate) fn sum<'a>(parts: impl Iterator<Item = &'a Progress>) -> Progress {
    parts.fold(Progress::default(), |sum, part| Progress {
        settled: sum.settled + part.settled,
        total: sum.total + part.total,
    })
}

/// One lane per level of a graph.
pub(crate) fn level_lanes(highest: Option<u32>) -> Vec<Lane> {
    let lane = |lane: u32| {
        let title = match lane {
            0 => "waits for nothing".to_owned(),
            deep => format!("after {deep} other"),
        };
        Lane { lane, title }
    };
    highest.map(|highest| (0..=highest).map(lane).collect()).unwrap_or_default()
}
