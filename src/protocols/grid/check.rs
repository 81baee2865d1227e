//! The checks of what must never happen: one function per "never" sentence of the protocol, with its name.
//!
//! After each event they look at what the event touched; on opening a snapshot, at everything. A breach is
//! an error of kind `broken` and the step is not taken.

use super::facts::FactName;
use super::failures::forbidden;
use super::queries::{Due, MOST_SAID, SHARED_OUT};
use super::report::{CheckpointType, Deviation};
use super::role::Role;
use super::scratchpad::MOST_ENTRIES;
use super::state::{Block, BlockStatus, State};
use super::wave::MOST_GAPS;
use super::{decide, handover, prompt};
use crate::mission::check::{self as every, Check, broken, spawns};
use crate::mission::prelude::*;
use crate::mission::table::NamedFact;
use crate::vocab::effect::SpawnRole;

type BlockCheck = fn(&Block) -> Result<()>;

/// Checks over the bounded part of the state.
const CORE: [Check<State>; 15] = [
    never_spends_beyond_an_unconfirmed_share,
    never_lets_readers_meet_writers,
    never_runs_two_blocks_on_one_file,
    never_dispatches_beside_the_table,
    never_verifies_what_is_not_executed,
    never_begins_a_wave_over_an_open_one,
    never_goes_on_over_an_anomaly,
    never_goes_beyond_a_round,
    never_retries_blind,
    never_continues_without_its_threads,
    never_keeps_more_than_its_bounds,
    never_starts_without_what_is_known,
    never_ends_over_an_open_must_have,
    never_ends_without_a_patrol,
    never_orders_what_is_not_its_own,
];

/// Checks over one block.
const BLOCKS: [BlockCheck; 4] = [
    never_waives_without_a_reason,
    never_decides_for_a_person,
    never_takes_an_architectural_change_unasked,
    never_waits_for_nobody,
];

/// The move `check`.
pub(super) fn check(state: &State, head: &Head, everything: bool) -> Result<()> {
    CORE.iter().try_for_each(|check| check(state, head))?;
    let block = |block: &Block| {
        every::item(&block.id, &block.criteria, block.status.satisfies())?;
        BLOCKS.iter().try_for_each(|check| check(block))
    };
    every::rows(&state.blocks, everything, block, |before, now| {
        every::never_weakens_a_criterion(&now.id, &before.criteria, &now.criteria)?;
        never_changes_a_symptom(before, now)?;
        never_begins_before_what_it_waits_for(state, before, now)
    })
}

/// A role is never sent when most of a budget is spent and the user has not confirmed that.
fn never_spends_beyond_an_unconfirmed_share(state: &State, head: &Head) -> Result<()> {
    if !spawns(head).any(|(_, one)| one.effect.id.seq == head.seq) {
        return Ok(());
    }
    let mut before = head.budget.clone();
    // The last one was sent when it had not been spent itself.
    before.refund(crate::vocab::budget::Counter::RoleRuns);
    ensure_none(SHARED_OUT.into_iter().find(|counter| state.beyond(&before, *counter)), |counter| {
        let expected = "a word of the user";
        Error::new(Code::BrokenThreshold, counter.as_str(), expected, "none")
    })
}

/// Readers are never at work while a writer is, there are never more runs at once than allowed, and never two for one
/// item.
fn never_lets_readers_meet_writers(state: &State, head: &Head) -> Result<()> {
    let roles: Vec<Option<Role>> =
        spawns(head).map(|(spawn, _)| Role::parse(&spawn.role)).collect();
    let items: BTreeSet<_> =
        spawns(head).map(|(spawn, _)| (&spawn.role, spawn.item.as_ref())).collect();
    let most = usize::try_from(state.core.settings.max_parallel).unwrap_or(usize::MAX);
    let all = |kind: fn(Role) -> bool| roles.iter().all(|role| role.is_some_and(kind));
    let alike = roles.len() <= 1 || all(|role| role == Role::Executor) || all(Role::swarms);
    let fits = alike && items.len() == roles.len() && roles.len() <= most.max(1);
    ensure(fits, || {
        let got = format!("{} runs", roles.len());
        Error::new(Code::BrokenTopology, "head.outbox", "runs of one kind, one an item", got)
    })
}

/// Two blocks that change one file are never at work at once.
fn never_runs_two_blocks_on_one_file(state: &State, head: &Head) -> Result<()> {
    let items = spawns(head).filter_map(|(spawn, _)| spawn.item.as_deref());
    let busy: Vec<&Block> = items.filter_map(|id| state.blocks.get(id)).collect();
    for (place, one) in busy.iter().enumerate() {
        if let Some(other) = busy[place + 1..].iter().find(|other| State::overlap(one, other)) {
            let got = format!("{} and {}", one.id, other.id);
            return broken(Code::BrokenOverlap, "head.outbox", "blocks that share no file", got);
        }
    }
    Ok(())
}

/// No run is ever sent but the one whose turn it is, in a mission that goes on, over a fresh look.
fn never_dispatches_beside_the_table(state: &State, head: &Head) -> Result<()> {
    let holds = |fact: FactName| fact.holds(state, head);
    let free = [FactName::Started, FactName::NotPaused, FactName::NotDone, FactName::NotBlocked];
    // While others are at work, or about to be, there is no look first.
    let beside = spawns(head).any(|(_, one)| one.live() || one.effect.id.seq != head.seq);
    for (spawn, one) in spawns(head).filter(|(_, one)| !one.live()) {
        let item = spawn.item.as_deref().unwrap_or_default();
        let due = match (Role::parse(&spawn.role), state.due()) {
            (Some(Role::Executor), _) => state.ready().any(|block| block.id == item),
            (Some(Role::Debugger), Due::Debug) => {
                decide::debugged(state).is_some_and(|block| block.id == item)
            }
            (Some(role), Due::Swarm) => {
                let refinement = state.core.refinement.as_ref();
                refinement.is_some_and(|one| one.due().any(|due| due == (role, item.to_owned())))
            }
            (role, due) => role.is_some() && role == due.role(),
        };
        // Later events may make the look an old one; the role was sent over a fresh one all the same.
        let fresh = one.effect.id.seq != head.seq || beside || holds(FactName::ObservationFresh);
        if !(due && fresh && free.into_iter().all(holds)) {
            let got = format!("{} for `{item}`", spawn.role);
            return broken(Code::BrokenDispatch, "head.outbox", "a run whose turn it is", got);
        }
    }
    Ok(())
}

/// A wave is never verified over a block that stopped at a checkpoint, failed, or was not executed.
fn never_verifies_what_is_not_executed(state: &State, head: &Head) -> Result<()> {
    let judged = spawns(head).any(|(spawn, _)| Role::parse(&spawn.role) == Some(Role::Recognizer));
    // What waits for something that is executed is begun when that was judged.
    let incomplete = |block: &&Block| {
        !(block.status.rests() || block.status == BlockStatus::Executed || state.waits(block))
    };
    ensure_none(state.wave_blocks().find(incomplete).filter(|_| judged), |block| {
        let got = block.status.as_str();
        Error::new(Code::BrokenOrder, &block.id, "an executed block", got)
    })
}

/// A wave is never begun before everything in the one before it is closed.
fn never_begins_a_wave_over_an_open_one(state: &State, _: &Head) -> Result<()> {
    let place = state.core.wave.checked_sub(1);
    let last = place.and_then(|place| state.core.waves.get(place));
    let last = last.map(Vec::as_slice).unwrap_or_default();
    let behind = state.is_behind();
    // Behind all waves a patrol may have opened something again: it is closed in a wave of its own.
    let open = last.iter().filter_map(|id| state.blocks.get(id)).find(|block| {
        let mended = behind && block.status == BlockStatus::Executed;
        !(block.status.rests() || mended)
    });
    ensure_none(open, |block| {
        Error::new(Code::BrokenWave, &block.id, "a closed block", block.status.as_str())
    })
}

/// A wave is never closed over a critical anomaly that the user has not answered, and the cluster never done.
fn never_goes_on_over_an_anomaly(state: &State, head: &Head) -> Result<()> {
    let core = &state.core;
    let Some(anomaly) = &core.anomaly else { return Ok(()) };
    let sent = spawns(head).next().is_some();
    ensure(anomaly.wave == core.wave && core.life.done.is_none() && !sent, || {
        let (expected, got) = ("a word of the user", "an anomaly nobody answered");
        Error::new(Code::BrokenWave, "core.anomaly", expected, got)
    })
}

/// Gaps are never closed in more rounds than allowed.
fn never_goes_beyond_a_round(state: &State, _: &Head) -> Result<()> {
    let core = &state.core;
    for (rounds, limit) in
        [(core.gap_rounds, core.gap_limit), (core.patrol_rounds, core.patrol_limit)]
    {
        if rounds > limit {
            let expected = format!("at most {limit} rounds");
            return broken(Code::BrokenLimit, "core.gap_rounds", expected, rounds.to_string());
        }
    }
    Ok(())
}

/// Executors that were sent and have not begun, with their blocks.
fn sent<'a>(state: &'a State, head: &'a Head) -> impl Iterator<Item = (&'a SpawnRole, &'a Block)> {
    let writers = spawns(head).filter(|(spawn, _)| spawn.access == Access::Write);
    let sent = writers.filter(|(_, one)| !one.live());
    sent.filter_map(|(spawn, _)| Some((spawn, state.blocks.get(spawn.item.as_deref()?)?)))
}

/// A block is never retried without what its failures forbid.
fn never_retries_blind(state: &State, head: &Head) -> Result<()> {
    for (spawn, block) in sent(state, head) {
        if let Some(line) = forbidden(block).into_iter().find(|line| !spawn.prompt.contains(line)) {
            return broken(Code::BrokenRetry, &block.id, line, "a prompt that does not say so");
        }
    }
    Ok(())
}

/// A continuation never goes without the answer it waited for and the point where it goes on.
fn never_continues_without_its_threads(state: &State, head: &Head) -> Result<()> {
    for (spawn, block) in sent(state, head) {
        let Some(resume) = &block.resume else { continue };
        let said = |words: &str| spawn.prompt.contains(words);
        let threads = resume.threads.iter().all(|one| said(&prompt::cell(&one.name)));
        if !threads || !said(&resume.answer) || !said(&resume.point) {
            let expected = "the threads, the answer and the point to go on from";
            return broken(Code::BrokenCheckpoint, &block.id, expected, "a prompt without them");
        }
    }
    Ok(())
}

/// No run ever begins without the lessons of the runs before it, and no executor without the latest entries.
fn never_starts_without_what_is_known(state: &State, head: &Head) -> Result<()> {
    let core = &state.core;
    let last = core.scratchpad.last().map(|entry| entry.line());
    // A run that was sent earlier could not be told what came since.
    for (spawn, _) in spawns(head).filter(|(_, one)| one.effect.id.seq == head.seq) {
        let executes = Role::parse(&spawn.role) == Some(Role::Executor);
        let lacks = |line: &&String| !spawn.prompt.contains(line.as_str());
        let warmth = Some(core.warmth.render("")).filter(|text| !text.is_empty());
        let known = warmth.iter().chain(last.iter().filter(|_| executes));
        if let Some(line) = { known }.find(lacks) {
            let expected = clip(line, 200);
            return broken(Code::BrokenKnowledge, &spawn.role, expected, "a prompt without it");
        }
    }
    Ok(())
}

/// Warmth, scratchpad and gaps never grow beyond their bounds.
fn never_keeps_more_than_its_bounds(state: &State, _: &Head) -> Result<()> {
    let core = &state.core;
    let fits = core.warmth.within_bounds()
        && core.scratchpad.len() <= MOST_ENTRIES
        && core.handed.entries.len() <= handover::MOST
        && core.gaps.len() <= MOST_GAPS
        && core.decisions.len() <= 50
        && core.said.len() <= MOST_SAID
        && core.concerns.len() <= 50;
    ensure!(fits, Code::BrokenBounds, "core", "bounded lists", "more")
}

/// The cluster is never done while a must-have is neither shown nor waived, or while a block is open.
fn never_ends_over_an_open_must_have(state: &State, _: &Head) -> Result<()> {
    if state.core.life.done.is_none() {
        return Ok(());
    }
    let open = state.blocks.iter().find(|block| {
        let closed = block.status.satisfies() && block.criteria.iter().all(|one| one.settled());
        !closed && block.status != BlockStatus::Deferred
    });
    let rest = state.core.life.runs.is_empty() && state.core.gaps.is_empty();
    match (open, rest) {
        (None, true) => Ok(()),
        (None, false) => broken(Code::BrokenMustHave, "core.life.done", "no gap and no run", "one"),
        (Some(block), _) => {
            let open = block.criteria.iter().find(|one| !one.settled());
            let got = open.map_or(block.status.as_str(), |one| one.id.as_str());
            broken(Code::BrokenMustHave, &block.id, "every must-have shown or let go", got)
        }
    }
}

/// The cluster is never done before everything was shown at its head.
fn never_ends_without_a_patrol(state: &State, _: &Head) -> Result<()> {
    let core = &state.core;
    let Some(done) = &core.life.done else { return Ok(()) };
    let shown = core.patrol.as_ref().is_some_and(|patrol| patrol.head == done.head);
    let needs = core.life.skip_verification.is_none() && state.to_patrol().next().is_some();
    ensure!(shown || !needs, Code::BrokenStop, "core.life.done", "a patrol at the head", "none")
}

/// This protocol commits nothing, runs no commands and asks no host code.
fn never_orders_what_is_not_its_own(_: &State, head: &Head) -> Result<()> {
    let foreign = |order: &Order| {
        matches!(order, Order::CommitFiles(_) | Order::Consult(_) | Order::RunCommand(_))
    };
    every::never_orders_what_is_not_its_own(head, |order| !foreign(order))
}

/// A must-have is waived only by the user or by the plan, and never without a reason.
fn never_waives_without_a_reason(block: &Block) -> Result<()> {
    let odd = block.criteria.iter().find(|one| match &one.state {
        CriterionState::Waived { by, why } => {
            let may = by == "user" || (by == "plan" && !block.plan.verify);
            why.trim().is_empty() || !may
        }
        _ => false,
    });
    ensure_none(odd, |one| Error::new(Code::BrokenWaiver, &block.id, "who and why", &one.id))
}

/// What only a person can decide or do is never confirmed automatically.
fn never_decides_for_a_person(block: &Block) -> Result<()> {
    let odd = |one: &&super::state::Passed| {
        one.answer.trim().is_empty() || (one.automatic && one.kind != CheckpointType::HumanVerify)
    };
    ensure_none(block.passed.iter().find(odd), |one| {
        let got = format!("thread {} passed automatically", one.thread);
        Error::new(Code::BrokenCheckpoint, &block.id, "the answer of a person", got)
    })
}

/// An architectural change is never taken without a word of the user.
fn never_takes_an_architectural_change_unasked(block: &Block) -> Result<()> {
    let taken = matches!(block.status, BlockStatus::Executed | BlockStatus::Verified);
    let refused = |one: &Deviation| block.to_take_back().any(|it| it.change == one.description);
    let four = block
        .deviations
        .iter()
        .find(|one| one.rule == 4 && !block.allowed.contains(&one.description) && !refused(one));
    ensure_none(four.filter(|_| taken), |one| {
        Error::new(Code::BrokenDeviation, &block.id, "a decision", one.cited())
    })
}

/// A block at a checkpoint has one.
fn never_waits_for_nobody(block: &Block) -> Result<()> {
    let holds = !(block.status == BlockStatus::Checkpoint && block.checkpoint.is_none());
    ensure!(holds, Code::BrokenCheckpoint, &block.id, "what a person must do", "nothing")
}

/// Never another symptom in a debug session.
fn never_changes_a_symptom(before: &Block, now: &Block) -> Result<()> {
    let symptoms = |block: &Block| block.debug.as_ref().map(|session| session.symptoms.clone());
    let holds = symptoms(before).is_none_or(|was| symptoms(now) == Some(was));
    ensure!(holds, Code::BrokenDebug, &now.id, "the symptoms as they were", "others")
}

/// Never a block before those it waits for, nor a further try of it while one of them is open again.
fn never_begins_before_what_it_waits_for(state: &State, before: &Block, now: &Block) -> Result<()> {
    let begins = matches!(before.status, BlockStatus::Pending | BlockStatus::Retry)
        && now.status == BlockStatus::Active;
    let (expected, got) = ("everything it waits for", "something open");
    ensure!(!begins || state.may_begin(now), Code::BrokenOrder, &now.id, expected, got)
}

#[cfg(test)]
mod tests {
    use super::super::debug::DebugSession;
    use super::super::plan;
    use super::super::state::Config;
    use super::*;

    fn block() -> Block {
        let text = "---\nphase: 01-x\nplan: 1\nmust_haves: {truths: [it works]}\n---\n";
        let plan = plan::parse("01-01-PLAN.md", text).unwrap().plan;
        let state = super::super::start(&Config::new("m", vec![plan])).unwrap();
        state.blocks.iter().next().cloned().unwrap()
    }

    /// What only a change can break is seeded here, for no snapshot shows it.
    #[test]
    fn changes_that_must_never_be_are_noticed() {
        let before = block();
        let mut now = before.clone();
        now.criteria[0].text = "something easier".to_owned();
        let weaker = every::never_weakens_a_criterion("01-01", &before.criteria, &now.criteria);
        assert_eq!(weaker.unwrap_err().code, Code::BrokenContract);
        let mut before = before;
        before.debug = Some(Box::new(DebugSession::open("01-01", &[], 1)));
        let mut now = before.clone();
        assert!(never_changes_a_symptom(&before, &now).is_ok());
        now.debug = None;
        assert_eq!(never_changes_a_symptom(&before, &now).unwrap_err().code, Code::BrokenDebug);
    }
}
