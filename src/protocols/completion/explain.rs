//! `why` and `view`: computed on request from the same table and facts that decide.

use super::decide::{self, Guard, RULES, Rule};
use super::facts::FactName;
use super::files::words::{SliceStatus, Word};
use super::state::{ActiveStatus, Slice, State};
use crate::plan::graph;
use crate::snapshot::{Continuation, Head};
use crate::view::{
    CriterionView, Edge, Lane, LiveRun, Node, NodeState, OpenQuestion, Progress, Spent, View,
};
use crate::vocab::criterion::CriterionState;
use crate::vocab::effect::{Delivery, Order};
use crate::why::{Choice, FactSeen, Other, Unblock, Why};

fn seen(state: &State, head: &Head, fact: FactName) -> FactSeen {
    let value = fact.holds(state, head);
    FactSeen {
        fact: fact.word().to_owned(),
        value,
        since: state.core.facts.since(fact, value, head.seq),
        detail: fact.detail(state, head),
    }
}

/// Why the next step is what it is.
pub(super) fn why(state: &State, head: &Head) -> Why {
    let rule = decide::rule(state, head);
    let needs = decide::needs(state, rule);
    let guard = decide::guard(state, head, &needs);
    let (chosen, because) = match guard {
        None => (choice(state, head, rule), facts(state, head, rule)),
        Some(guard) => (guarded(guard, rule), guard_facts(state, head, guard)),
    };
    let stopped = decide::continuation(state, head) != Continuation::Continue;
    Why {
        others: others(state, head, rule, guard.is_none()),
        unblock: stopped.then(|| unblock(state, head, guard)).flatten(),
        waiting_for: head
            .outbox
            .iter()
            .map(|one| format!("{} {}", one.effect.id, one.effect.order.name()))
            .collect(),
        seq: head.seq,
        at: head.at,
        chosen,
        because,
    }
}

fn choice(state: &State, head: &Head, rule: &Rule) -> Choice {
    Choice {
        name: rule.name.to_owned(),
        rule: Some(rule.number),
        action: decide::next_action(state, head).unwrap_or_default(),
    }
}

fn facts(state: &State, head: &Head, rule: &Rule) -> Vec<FactSeen> {
    rule.when.iter().map(|(fact, _)| seen(state, head, *fact)).collect()
}

fn guarded(guard: Guard, rule: &Rule) -> Choice {
    let action = match guard {
        Guard::WaitingForAnswer => "Effects are under way; their answers come first".to_owned(),
        Guard::RunLive => "A role is at work".to_owned(),
        Guard::NotStarted => "The mission waits for its start".to_owned(),
        Guard::Paused => "The user has paused or stopped the mission".to_owned(),
        Guard::Done => "The mission is done".to_owned(),
        Guard::Blocked => "Something outside the mission is in the way".to_owned(),
        Guard::QuestionOpen => "A question waits for the user".to_owned(),
        Guard::ObservationMissing => "The repository must be looked at first".to_owned(),
        Guard::BudgetSpent(counter) => format!("The budget {} is spent", counter.as_str()),
    };
    Choice {
        name: guard.name().to_owned(),
        rule: None,
        action: format!("{action}; then {}", rule.name),
    }
}

fn guard_facts(state: &State, head: &Head, guard: Guard) -> Vec<FactSeen> {
    let fact = match guard {
        Guard::WaitingForAnswer | Guard::RunLive => FactName::NothingOutstanding,
        Guard::NotStarted => FactName::Started,
        Guard::Paused => FactName::NotPaused,
        Guard::Done => FactName::NotDone,
        Guard::Blocked => FactName::NotBlocked,
        Guard::QuestionOpen => FactName::NoQuestionOpen,
        Guard::ObservationMissing => FactName::ObservationFresh,
        Guard::BudgetSpent(counter) => {
            let account = head.budget.account(counter);
            return vec![FactSeen {
                fact: format!("budget_left:{}", counter.as_str()),
                value: false,
                since: head.seq,
                detail: format!("{} of {} spent", account.spent, account.limit),
            }];
        }
    };
    vec![seen(state, head, fact)]
}

/// Every rule but the one that acts, with the first fact against it.
fn others(state: &State, head: &Head, chosen: &Rule, acts: bool) -> Vec<Other> {
    let others = RULES.iter().filter(|rule| !(acts && rule.number == chosen.number));
    others
        .map(|rule| {
            let against = rule.when.iter().find(|(fact, value)| fact.holds(state, head) != *value);
            Other {
                rule: rule.number,
                name: rule.name.to_owned(),
                against: against.map(|(fact, _)| seen(state, head, *fact)),
            }
        })
        .collect()
}

/// The continuing rule with the fewest failed facts, ties in table order; what the guard lacks comes
/// first.
fn unblock(state: &State, head: &Head, guard: Option<Guard>) -> Option<Unblock> {
    let guard = guard?;
    let lacks = |rule: &Rule| -> Vec<FactName> {
        let failed = rule.when.iter().filter(|(fact, value)| fact.holds(state, head) != *value);
        failed.map(|(fact, _)| *fact).collect()
    };
    let rule = RULES.iter().min_by_key(|rule| lacks(rule).len())?;
    let mut facts = guard_facts(state, head, guard);
    facts.extend(lacks(rule).into_iter().map(|fact| seen(state, head, fact)));
    let hint = match guard {
        Guard::QuestionOpen | Guard::BudgetSpent(_) => "answer the open question, or grant more",
        Guard::Paused | Guard::Blocked => "mend what is named, then resume",
        Guard::NotStarted => "start the mission",
        Guard::Done => "reopen a slice, if something is missing",
        Guard::WaitingForAnswer | Guard::RunLive | Guard::ObservationMissing => {
            "let the driver perform what is under way"
        }
    };
    Some(Unblock { rule: rule.name.to_owned(), lacks: facts, hint: hint.to_owned() })
}

/// The mission as nodes, edges, lanes and progress.
pub(super) fn view(state: &State, head: &Head) -> View {
    let levels = levels(state);
    let nodes: Vec<Node> = state.slices.iter().map(|slice| node(state, slice, &levels)).collect();
    let total = |of: fn(&Progress) -> u64| nodes.iter().map(|node| of(&node.progress)).sum();
    let highest = nodes.iter().map(|node| node.lane).max();
    View {
        title: state.core.settings.mission.clone(),
        protocol: "completion".to_owned(),
        phase: state.phase(head).to_string(),
        continuation: decide::continuation(state, head),
        reason: state.reason(head),
        progress: Progress {
            settled: total(|progress| progress.settled),
            total: total(|progress| progress.total),
        },
        edges: edges(state)
            .map(|(from, to)| Edge { from: from.to_owned(), to: to.to_owned() })
            .collect(),
        lanes: highest.map(|highest| (0..=highest).map(lane).collect()).unwrap_or_default(),
        nodes,
        runs: runs(head),
        questions: questions(head),
        budget: spent(head),
    }
}

fn lane(lane: u32) -> Lane {
    let title = match lane {
        0 => "waits for nothing".to_owned(),
        deep => format!("after {deep} other"),
    };
    Lane { lane, title }
}

fn edges(state: &State) -> impl Iterator<Item = (&str, &str)> {
    state.slices.iter().flat_map(|slice| {
        let after = slice.blocked_on.iter().filter(|id| state.slices.get(id).is_some());
        after.map(|id| (id.as_str(), slice.slice_id.as_str()))
    })
}

fn levels(state: &State) -> std::collections::BTreeMap<String, u32> {
    graph::levels(state.slices.iter().map(|slice| slice.slice_id.as_str()), edges(state))
}

fn node(state: &State, slice: &Slice, levels: &std::collections::BTreeMap<String, u32>) -> Node {
    let settled = slice.criteria.iter().filter(|one| one.settled()).count();
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    Node {
        id: slice.slice_id.clone(),
        label: slice.goal.clone(),
        status: slice.status.as_str().to_owned(),
        state: node_state(state, slice),
        lane: levels.get(&slice.slice_id).copied().unwrap_or(0),
        progress: Progress { settled: count(settled), total: count(slice.criteria.len()) },
        criteria: slice
            .criteria
            .iter()
            .map(|one| CriterionView {
                id: one.id.clone(),
                text: one.text.clone(),
                state: criterion_word(&one.state).to_owned(),
            })
            .collect(),
    }
}

fn criterion_word(state: &CriterionState) -> &'static str {
    match state {
        CriterionState::Open => "open",
        CriterionState::Claimed { .. } => "claimed",
        CriterionState::Verified { .. } => "verified",
        CriterionState::Rejected { .. } => "rejected",
        CriterionState::Waived { .. } => "waived",
    }
}

fn node_state(state: &State, slice: &Slice) -> NodeState {
    let active = state.core.active.as_ref().filter(|active| active.slice_id == slice.slice_id);
    let waived = slice.criteria.iter().any(|one| one.waived());
    match slice.status {
        _ if slice.deferred() => NodeState::Deferred,
        SliceStatus::Planned => NodeState::Waiting,
        SliceStatus::Selected => NodeState::Active,
        SliceStatus::InProgress => match active.map(|active| active.status) {
            Some(ActiveStatus::Committed) => NodeState::Verifying,
            _ => NodeState::Active,
        },
        SliceStatus::Blocked => NodeState::Blocked,
        SliceStatus::Done | SliceStatus::Cancelled if waived => NodeState::Waived,
        SliceStatus::Done | SliceStatus::Cancelled => NodeState::Done,
    }
}

fn runs(head: &Head) -> Vec<LiveRun> {
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

fn questions(head: &Head) -> Vec<OpenQuestion> {
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

fn spent(head: &Head) -> Vec<Spent> {
    let used = head.budget.iter().filter(|(_, account)| account.spent > 0);
    used.map(|(counter, account)| Spent {
        counter: counter.as_str().to_owned(),
        spent: account.spent,
        limit: account.limit,
    })
    .collect()
}
