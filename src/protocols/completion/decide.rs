//! The dispatch table, as a table: nine rules in the order of the protocol, each a name, a
//! condition on named facts, and an action. The first rule that applies wins.
//!
//! Guards come before the rules and have names too. `decide` reads nothing but the snapshot, so
//! recovery after a crash or a compaction is `decide` again.

use super::apply::STEP;
use super::facts::FactName;
use super::files as canonical;
use super::files::words::Phase;
use super::prompt;
use super::role::Role;
use super::state::{ActiveStatus, RegroundReason, State, Topic};
use crate::mission::dispatch::Dispatch;
use crate::mission::life::{self, Life};
use crate::mission::standing;
use crate::mission::table::{NamedFact, rules};
use crate::mission::{Continuation, Head, Intent};
use crate::vocab::budget::Counter;
use crate::vocab::effect::{CommitFiles, Observe, Order};

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Send a role.
    Send(Role),
    /// Run the stop verifier, then send the regrounder to reconcile finally.
    Close,
}

rules! {
    /// The nine rules.
    Action;
    1 "bootstrap_contract_files" [ContractFilesPresent: false] => Action::Send(Role::Bootstrapper);
    2 "reground_distrusted_state" [StateTrusted: false] => Action::Send(Role::Regrounder);
    3 "reground_to_select" [SliceSelected: false, WorkOpen: true] => Action::Send(Role::Regrounder);
    4 "implement_slice" [SliceSelected: true, ClaimAccepted: false]
        => Action::Send(Role::Implementer);
    5 "review_commit" [ClaimAccepted: true, ReviewRecorded: false] => Action::Send(Role::Reviewer);
    6 "audit_commit" [ClaimAccepted: true, AuditRecorded: false] => Action::Send(Role::Auditor);
    7 "reground_to_reconcile" [ClaimAccepted: true, ReviewRecorded: true, AuditRecorded: true]
        => Action::Send(Role::Regrounder);
    8 "judge_stop" [WorkOpen: false, JudgementsComplete: false] => Action::Send(Role::StopJudge);
    9 "verify_and_reground_finally" [WorkOpen: false, JudgementsComplete: true] => Action::Close;
}

/// The rule whose turn it is. There always is one: a mission that is not done has something to do.
pub(super) fn rule(state: &State, head: &Head) -> &'static Rule {
    // Rules 8 and 9 cover every case that rules 3 to 7 leave.
    state.rule(head).unwrap_or(&RULES[8])
}

impl Dispatch for State {
    type Fact = FactName;
    type Action = Action;
    const RULES: &'static [Rule] = &RULES;

    /// The first look, contract files, canonical files, histories. Independent of start and pause.
    fn on_disk(&self, head: &Head) -> Option<(&'static str, Vec<Intent>)> {
        let Life { seen, files, blocked, .. } = &self.core.life;
        let busy = head.awaits(|order| !matches!(order, Order::AskUser(_) | Order::SpawnRole(_)));
        if busy || self.core.life.asks_of_failure() {
            return None;
        }
        let looks = head.budget.left(Counter::Observations) > 0;
        let look = |name| looks.then(|| (name, vec![self.look(head)]));
        if seen.is_none() {
            return look("first_look").filter(|_| blocked.is_none());
        }
        if !files.doubted.is_empty() {
            return look("look_at_foreign_content").filter(|_| blocked.is_none());
        }
        let fresh = FactName::ObservationFresh.holds(self, head);
        if contract_due(self) && !fresh {
            return look("look_before_contract_files");
        }
        let idle = !head.awaits(|order| matches!(order, Order::SpawnRole(_)));
        if contract_due(self) && idle && head.budget.left(Counter::Commands) > 0 {
            return Some(("write_contract_files", vec![commit(self)]));
        }
        let most = usize::try_from(head.budget.left(Counter::Writes)).unwrap_or(usize::MAX);
        let orders: Vec<Intent> = file_work(self).take(most).collect();
        (!orders.is_empty()).then_some(("write_canonical_files", orders))
    }

    /// It begins at what the work is compared with.
    fn look(&self, _: &Head) -> Intent {
        let Life { seen, files, .. } = &self.core.life;
        Order::Observe(Observe::Repository {
            since: seen.as_ref().map(|seen| seen.head_word().to_owned()),
            basis: self.core.active.as_ref().map(|active| active.basis_commit.clone()),
            known: canonical::ALL.iter().map(|path| files.digest(path)).collect(),
            within: Vec::new(),
            without: Vec::new(),
        })
        .into()
    }

    /// What is due on disk, and then the step.
    fn needs(&self, _: &Head, rule: &Rule) -> Vec<Counter> {
        let writes = file_work(self).next().map(|_| Counter::Writes);
        writes.into_iter().chain(needs(self, rule)).collect()
    }

    fn act(&self, head: &Head, rule: &Rule) -> Vec<Intent> {
        match rule.action {
            Action::Close if !self.verifier_passed() => {
                let argv = ["bash", canonical::STOP_SCRIPT].map(str::to_owned);
                vec![self.core.life.command(&argv, "stop verifier", 3_600_000)]
            }
            action => vec![spawn(self, head, sent(action))],
        }
    }

    fn next_action(&self, head: &Head) -> String {
        next_action(self, head).unwrap_or_default()
    }
}

/// Whether contract files are to be written now: what they say is known, and nothing is in the way.
fn contract_due(state: &State) -> bool {
    let (contract, life) = (&state.core.contract, &state.core.life);
    let free = life.runs.is_empty() && life.blocked.is_none() && life.done.is_none();
    contract.known && !contract.needs.is_empty() && free && life.asking.is_empty()
}

/// The counters that a rule's step spends from, and the contract files before it.
fn needs(state: &State, rule: &Rule) -> Vec<Counter> {
    let mut needs = Vec::new();
    if state.core.contract.known && !state.core.contract.needs.is_empty() {
        needs.push(Counter::Commands);
    }
    if rule.action == Action::Close && !state.verifier_passed() {
        needs.push(Counter::Commands);
        return needs;
    }
    let role = sent(rule.action);
    needs.push(Counter::RoleRuns);
    needs.extend(also(state, role));
    if role == Role::Regrounder && state.core.reopens_spent {
        needs.push(Counter::Reopens);
    }
    needs.extend([Counter::Tokens, Counter::CostMicros]);
    needs
}

/// The role that an action sends in the end.
fn sent(action: Action) -> Role {
    match action {
        Action::Close => Role::Regrounder,
        Action::Send(role) => role,
    }
}

fn spawn(state: &State, head: &Head, role: Role) -> Intent {
    let core = &state.core;
    let item = match role {
        Role::Implementer | Role::Reviewer | Role::Auditor => {
            core.active.as_ref().map(|active| active.slice_id.as_str())
        }
        Role::Bootstrapper | Role::Regrounder | Role::StopJudge => None,
    };
    let (settings, prompt) = (core.settings.roles.get(&role), prompt::prompt(state, head, role));
    let order = core.life.spawn(&role.cast(), (item, STEP), settings, prompt);
    Intent { order: Order::SpawnRole(order), also: also(state, role) }
}

/// What a run spends in addition to itself.
fn also(state: &State, role: Role) -> Option<Counter> {
    match (state.core.life.correction(role.as_str(), STEP), role) {
        (Some(_), _) => Some(Counter::MalformedReports),
        (None, Role::Regrounder) => Some(Counter::Regrounds),
        (None, _) => None,
    }
}

fn commit(state: &State) -> Intent {
    let mut paths = state.core.contract.needs.clone();
    paths.sort();
    Order::CommitFiles(CommitFiles {
        paths,
        message: "Add the completion contract files".to_owned(),
        expected_head: state.core.life.seen.as_ref().and_then(|seen| seen.head.clone()),
    })
    .into()
}

/// What must be on disk: first what happened, and histories that are not there yet, then the state it led to.
/// A history that the user is asked about waits for the answer.
fn file_work(state: &State) -> impl Iterator<Item = Intent> + '_ {
    let Life { files, asking, .. } = &state.core.life;
    let changed = |topic: &life::Topic| match topic.particular() {
        Some(Topic::HistoryChanged { path, .. }) => Some(path),
        _ => None,
    };
    let asked: Vec<String> = asking.iter().filter_map(changed).collect();
    let asked = move |path: &str| asked.iter().any(|one| one == path);
    let due = |path: &str| files.waiting(path).next().is_some() || files.there(path).is_none();
    let histories = canonical::HISTORIES.into_iter().filter(move |path| !asked(path) && due(path));
    let appends = histories.map(|path| files.append_to(path));
    appends.chain(canonical::STATE_FILES.into_iter().filter_map(|path| files.write_due(path)))
}

/// The state of the mission once the canonical files are written. A question is asked after the
/// writes, so the file that says that the mission waits for the user is written before it waits.
pub(super) fn standing(state: &State, head: &Head) -> Continuation {
    let now = state.goes_on(head);
    let asks = now == Continuation::Continue && will_ask(state, head);
    match (asks, head.budget.left(Counter::Questions)) {
        (true, 0) => Continuation::Blocked,
        (true, _) => Continuation::AwaitUserInput,
        (false, _) => now,
    }
}

/// Whether the next thing, writes aside, is a question.
fn will_ask(state: &State, head: &Head) -> bool {
    let life = &state.core.life;
    let busy = head.awaits(|order| {
        !matches!(order, Order::AskUser(_) | Order::WriteFile(_) | Order::AppendHistory(_))
    });
    if busy || !life.runs.is_empty() || !life.files.doubted.is_empty() {
        return false;
    }
    let guard = standing::holds_back::<_, FactName>(state, head)
        .or_else(|| standing::unseen::<_, FactName>(state, head))
        .or_else(|| standing::spent(head, needs(state, rule(state, head))));
    standing::asks(guard)
}

/// The phase in the words of `state.json`, for a mission that stands so.
pub(super) fn phase(state: &State, head: &Head, stands: Continuation) -> Phase {
    match stands {
        Continuation::Done => Phase::Done,
        Continuation::Blocked => Phase::Blocked,
        Continuation::AwaitUserInput => Phase::AwaitingUser,
        Continuation::Continue | Continuation::Paused => match rule(state, head).number {
            4 => Phase::Implement,
            5 => Phase::PostCommitReview,
            6 => Phase::PostCommitAudit,
            7 => Phase::PostCommitReconcile,
            8 | 9 => Phase::StopWave,
            2 if after_commit(state) => Phase::PostCommitReconcile,
            _ => Phase::Reground,
        },
    }
}

/// Whether the distrust is about a slice that is committed but not reconciled.
fn after_commit(state: &State) -> bool {
    let committed = |status| status == ActiveStatus::Committed;
    let active = state.core.active.as_ref().is_some_and(|active| committed(active.status));
    let reason = state.core.reground.as_ref().map(|reground| reground.reason);
    active && matches!(reason, Some(RegroundReason::DirtyTree | RegroundReason::HeadMoved))
}

/// The role the rule names, if the mission goes on.
pub(super) fn next_role(state: &State, head: &Head) -> Option<Role> {
    state.core.life.done.is_none().then(|| sent(rule(state, head).action))
}

/// What is to be done next, in words.
pub(super) fn next_action(state: &State, head: &Head) -> Option<String> {
    let slice = || state.core.active.as_ref().map_or("", |active| active.slice_id.as_str());
    let words = match rule(state, head).number {
        1 => "Set up or repair the tracked contract files".to_owned(),
        2 => "Ground the canonical state in the repository".to_owned(),
        3 => "Ground the plan and select the next slice".to_owned(),
        4 => format!("Implement {}", slice()),
        5 => format!("Review {}", slice()),
        6 => format!("Audit {}", slice()),
        7 => format!("Reconcile {}", slice()),
        8 => format!("Judge whether to stop ({} judges left)", state.judges_left()),
        _ => "Run the stop verifier and reconcile finally".to_owned(),
    };
    (state.core.life.done.is_none()).then_some(words)
}
