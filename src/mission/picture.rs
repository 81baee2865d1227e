//! The parts of a picture that look alike in every protocol.

use super::dispatch::Dispatch;
use super::files::is_file_work;
use super::guard::Guard;
use crate::mission::{Continuation, Control, Head};
use crate::view::{
    CriterionView, Edge, Lane, LiveRun, Next, Node, OpenQuestion, Progress, Spent, Tally, View,
};
use crate::vocab::budget::Counter;
use crate::vocab::criterion::{Criterion, CriterionState};
use crate::vocab::effect::{Delivery, Observe, Order};

/// What a protocol draws of itself.
#[derive(Default)]
pub(crate) struct Drawing {
    /// Its state, in a word.
    pub(crate) phase: String,
    /// And in a sentence.
    pub(crate) reason: String,
    /// Whose turn it is.
    pub(crate) role: Option<&'static str>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) tallies: Vec<Tally>,
}

/// The drawing with what all pictures show alike.
pub(crate) fn view<S: Dispatch>(state: &S, head: &Head, drawing: Drawing) -> View {
    let Drawing { phase, mut reason, role, nodes, edges, lanes, tallies } = drawing;
    let mut next = Next { role: role.map(str::to_owned), action: state.next_action(head) };
    if cannot_ask(state, head) {
        let words = "Something is to be asked and no question is left";
        reason = format!("{words} (budget questions); {reason}");
        next = Next { role: None, action: "Grant more of the budget questions".to_owned() };
    }
    let life = state.life();
    View {
        title: state.anchor().to_owned(),
        protocol: S::PROTOCOL.to_owned(),
        continuation: state.goes_on(head),
        agents: head.confined.into(),
        end: state.end(),
        problem: life.blocked.as_ref().or(life.last_problem.as_ref()).cloned(),
        progress: sum(nodes.iter().map(|node| &node.progress)),
        runs: runs(head),
        questions: questions(head),
        budget: spent(head),
        phase,
        reason,
        next,
        nodes,
        edges,
        lanes,
        tallies,
    }
}

/// Blocked, and by nothing but the budget that questions are asked from.
fn cannot_ask(state: &impl Dispatch, head: &Head) -> bool {
    state.goes_on(head) == Continuation::Blocked
        && state.life().blocked.is_none()
        && head.budget.left(Counter::Questions) == 0
}

/// Tallies for people.
pub(crate) fn tallies<const N: usize>(of: [(&str, u64); N]) -> Vec<Tally> {
    of.into_iter().map(|(name, count)| Tally { name: name.to_owned(), count }).collect()
}

/// An edge to each that waits for another.
pub(crate) fn edges<'a>(to: &'a str, from: &'a [String]) -> impl Iterator<Item = Edge> + 'a {
    from.iter().map(move |from| Edge { from: from.clone(), to: to.to_owned() })
}

/// One lane per wave.
pub(crate) fn wave_lanes(waves: usize) -> Vec<Lane> {
    let lane = |lane: u32| Lane { lane, title: format!("wave {}", lane.saturating_add(1)) };
    (0..u32::try_from(waves).unwrap_or(u32::MAX)).map(lane).collect()
}

/// What is with the user, in words.
pub(crate) fn asked(head: &Head) -> Option<String> {
    head.outbox.iter().find_map(|one| match &one.effect.order {
        Order::AskUser(question) => question.text.lines().next().map(str::to_owned),
        _ => None,
    })
}

/// Why the mission does not move by itself, in words: what blocks it, or what is with the user.
pub(crate) fn halted(state: &impl Dispatch, head: &Head) -> Option<String> {
    state.life().blocked.as_ref().map(ToString::to_string).or_else(|| asked(head))
}

/// What comes before any rule, in words: what is to be written or looked at, and the user's own word.
pub(crate) fn before_rules(state: &impl Dispatch, head: &Head) -> Option<String> {
    let (life, guard) = (state.life(), state.guard(head));
    let looks = head.awaits(Order::is_look);
    let writes = head.awaits(|order| is_file_work(order) && !matches!(order, Order::Observe(_)));
    let documents = head.awaits(|order| matches!(order, Order::Observe(Observe::Documents { .. })));
    let words = match head.control {
        _ if looks => "Look at the repository",
        _ if documents && life.files.needs() == Some(Counter::Observations) => {
            "Look at the files that may have been changed"
        }
        _ if writes => "Write what changed to its files",
        Control::Held => "Start the mission",
        Control::Paused => "Resume the mission",
        _ if asked(head).is_some() => "Answer the open question",
        _ if guard == Some(Guard::Paused) => "Resume the mission",
        _ if life.blocked.is_some() || guard == Some(Guard::Blocked) => {
            "Mend what is in the way, then resume"
        }
        _ if guard == Some(Guard::ObservationMissing) => "Look at the repository",
        Control::Running | Control::Stopped => return None,
    };
    Some(words.to_owned())
}

/// Effects that are waited for.
pub(crate) fn waiting(head: &Head) -> Vec<String> {
    let name = |one: &std::sync::Arc<crate::vocab::effect::Outstanding>| {
        format!("{} {}", one.effect.id, one.effect.order.name())
    };
    head.outbox.iter().map(name).collect()
}

/// The same in words.
pub(crate) fn waiting_words(head: &Head) -> String {
    let names = waiting(head);
    if names.is_empty() { "the outbox is empty".to_owned() } else { names.join(", ") }
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
