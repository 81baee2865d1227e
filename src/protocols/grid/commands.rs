//! The meaning of the user's commands here, in addition to their meaning everywhere.

use super::answers::{let_go, rejoin, reopen_into_waves};
use super::plan::{Front, MustHaves, Plan, of_front};
use super::queries::Due;
use super::role::Role;
use super::start::enter;
use super::state::{Block, BlockStatus, State, Topic};
use super::user_words;
use crate::mission::admission::{has_criterion, reasoned};
use crate::mission::life::{self, Ended};
use crate::mission::prelude::*;
use crate::vocab::command::{Command, NewItem, PlanChange};
use crate::vocab::criterion;
use crate::vocab::ledger;

/// Takes a command that means something of its own here.
pub(super) fn commanded(state: &mut State, head: &mut Head, command: &Command) -> Result<()> {
    match command {
        Command::Reopen { item, reason } => reopen(state, head, item, reason)?,
        Command::Grant { counter, .. } => forget(state, head, |topic| {
            let own = topic.particular();
            matches!(own, Some(Topic::Threshold { counter: one, .. }) if one == *counter)
        }),
        Command::Skip { item, reason } => {
            let_go_of(state, head, item, reason)?;
            let_go(state, item, reason);
        }
        Command::Defer { item, reason } => {
            let_go_of(state, head, item, reason)?;
            state.core.gaps.retain(|gap| gap.block != *item);
            state.said(&format!("{item} was put off: {}", one_line(reason)));
            user_words::keep(state, item, "The user put it off", reason);
            state.blocks.change(item, |block| block.put_off_with = false);
            state.set_status(item, BlockStatus::Deferred);
        }
        Command::Amend { .. } => {
            head.withdraw(|order| matches!(order, Order::SpawnRole(_)));
            state.touch_state();
        }
        Command::SkipVerification { reason } => skip_verification(state, head, reason)?,
        Command::Start
        | Command::Pause
        | Command::Resume
        | Command::Stop { .. }
        | Command::Kill
        | Command::Accept { .. } => {}
    }
    forget_moot(state, head);
    Ok(())
}

/// An open block is skipped or deferred.
fn let_go_of(state: &mut State, head: &mut Head, item: &str, reason: &str) -> Result<()> {
    workable(state, head, item, reason)?;
    let rests = rests(state);
    replan(state, head, item);
    drop_ended(state, item, rests);
    state.come_meanwhile();
    Ok(())
}

fn known<'a>(state: &'a State, item: &str) -> Result<&'a Block> {
    let unknown = || Error::new(Code::UnknownItem, "item", "the id of a block", item);
    state.blocks.get(item).ok_or_else(unknown)
}

/// An open block that no run is working on, and a reason.
fn workable(state: &State, head: &Head, item: &str, reason: &str) -> Result<()> {
    let block = known(state, item)?;
    if block.status.satisfies() {
        return Err(Error::new(Code::ItemClosed, "item", "an open block", block.status.as_str()));
    }
    reasoned(reason)?;
    user_words::fit("reason", reason)?;
    // Those who judge a wave judge all of it.
    let live = head.live_items().any(|on| on.is_none_or(|on| on == item));
    // Of a run that ended without a report nothing is to come, whoever drives. Where one is left to be judged it speaks of
    // its block; that of a reader, of all.
    let speaks = |run: &Run| run.access == Access::ReadOnly || run.item == item;
    let waits = |one: &Ended| one.report.is_some() && speaks(&one.run);
    let unread = state.core.life.ended.iter().any(waits);
    ensure!(!(live || unread), Code::ItemActive, "item", UNSPOKEN, item)
}

/// What a command needs that lets something go. Where a driver was cut off, what it left is judged when the next one
/// drives.
const UNSPOKEN: &str = "a block no run speaks of, and no report that waits to be judged (`run --resume` has it judged)";

/// Whether a question is open or nothing goes on: no look is to come, then.
fn rests(state: &State) -> bool {
    !state.core.life.asking.is_empty() || state.core.life.blocked.is_some()
}

/// A run that ended without a report is dropped with the block that is skipped or deferred, if no look is to come: the
/// next look still tells what that run left.
fn drop_ended(state: &mut State, item: &str, rests: bool) {
    let stays = |one: &Ended| !rests && one.run.access == Access::Write;
    state.core.life.ended.retain(|one| one.run.item != item || stays(one));
    state.step_done(Role::Debugger, item);
}

/// Takes topics back, with the question about them.
fn forget(state: &mut State, head: &mut Head, about: impl Fn(&life::Topic) -> bool) {
    if state.core.life.asking.iter().any(&about) {
        state.core.life.moot(head, about);
    }
}

/// Whether a question is about something that is not to be done any more.
fn moot(state: &State, topic: &life::Topic) -> bool {
    let unjudged = state.core.life.skip_verification.is_some();
    let due = state.due();
    if let life::Topic::StepStuck { role, .. } = topic {
        return match Role::parse(role) {
            Some(Role::Recognizer) => {
                unjudged || !matches!(due, Due::Look | Due::Verify | Due::Patrol)
            }
            Some(Role::Planner) => !matches!(due, Due::Plan | Due::Gaps),
            Some(Role::Learner) => due != Due::Capture,
            _ => false,
        };
    }
    match topic.particular() {
        Some(Topic::GapsRemain { .. }) => state.core.gaps.is_empty(),
        Some(Topic::Anomaly { .. }) => state.core.anomaly.is_none(),
        // It is asked again where somebody is still to be sent.
        Some(Topic::Threshold { .. }) => unjudged || due == Due::Nothing,
        Some(
            Topic::Checkpoint { .. }
            | Topic::Architecture { .. }
            | Topic::BlockFailed { .. }
            | Topic::Trust { .. },
        )
        | None => false,
    }
}

/// What a command made moot is taken back, and a step that is due again later begins with a fresh count.
fn forget_moot(state: &mut State, head: &mut Head) {
    let asked = state.core.life.asking.iter().filter(|topic| moot(state, topic));
    let all: Vec<life::Topic> = asked.cloned().collect();
    for topic in &all {
        if let life::Topic::StepStuck { role, item, .. } = topic {
            let step = state.step(role, item);
            state.core.life.step_done(&step);
        }
    }
    forget(state, head, |topic| all.contains(topic));
}

/// What is not started is decided anew, and what was asked about the block needs no answer.
fn replan(state: &mut State, head: &mut Head, item: &str) {
    let about = |topic: &life::Topic| match topic {
        life::Topic::StepStuck { item: known, .. } => known == item,
        life::Topic::EndWithDeferred => true,
        topic => match topic.particular() {
            Some(Topic::GapsRemain { .. }) => true,
            _ => topic.names("block") == Some(item),
        },
    };
    state.core.life.moot(head, about);
    head.withdraw(|order| matches!(order, Order::SpawnRole(_)));
}

/// A closed block is reopened: in the present wave, since what waits for it may lie there or behind;
/// behind all waves, in one of its own.
fn reopen(state: &mut State, head: &mut Head, item: &str, reason: &str) -> Result<()> {
    let block = known(state, item)?;
    let expected = "a closed block";
    ensure!(block.status.rests(), Code::ItemNotClosed, "item", expected, block.status.as_str())?;
    reasoned(reason)?;
    user_words::fit("reason", reason)?;
    let expected = "no run at work, nor one that waits to be judged";
    ensure!(state.core.life.at_rest(), Code::ItemActive, "item", expected, item)?;
    replan(state, head, item);
    state.core.life.done = None;
    state.core.counts.reopened += 1;
    state.said(&format!("{item} was opened again: {}", one_line(reason)));
    user_words::keep(state, item, "The user opened it again", reason);
    let head = state.head_word();
    state.blocks.change(item, |block| {
        if block.status == BlockStatus::Verified {
            super::gaps::opened_again(block, reason, &head);
        }
        ledger::begin_anew(&mut block.criteria);
        super::gaps::again(block);
        block.reopened = true;
        block.summary = None;
        block.executed_by = None;
    });
    // What a patrol opened comes first: it gets its wave before another is begun.
    rejoin(state);
    let mut ids = vec![item.to_owned()];
    ids.extend(put_off_with(state, item));
    for id in ids.iter().skip(1) {
        let text = format!("{id} was put off only because of {item}, and is taken up with it");
        state.core.life.files.say(Level::Info, text);
    }
    match !state.is_behind() {
        true => ids.iter().for_each(|id| take_up(state, id)),
        false => reopen_into_waves(state, &ids),
    }
    state.core.life.stale();
    Ok(())
}

/// A block that is taken up while waves are left: in its own if that is still to come, and so may be what it waits for;
/// else in the present one.
fn take_up(state: &mut State, id: &str) {
    let later = state.blocks.get(id).is_some_and(|block| block.wave > state.wave_number());
    match later {
        true => {
            state.blocks.change(id, |block| (block.attempts, block.put_off_with) = (0, false));
            state.set_status(id, BlockStatus::Pending);
        }
        false => state.join_wave(id),
    }
}

/// Blocks that were deferred only because of one that is reopened, and because of no other deferred block.
fn put_off_with(state: &State, item: &str) -> Vec<String> {
    let mut up = vec![item.to_owned()];
    let off = |id: &String| {
        state.blocks.get(id).is_some_and(|block| block.status == BlockStatus::Deferred)
    };
    loop {
        let freed = |block: &&Block| {
            let mut before =
                block.depends_on.iter().filter(|id| off(id) || up.contains(id)).peekable();
            let only = block.put_off_with && off(&block.id) && !up.contains(&block.id);
            only && before.peek().is_some() && before.all(|id| up.contains(id))
        };
        let Some(next) = state.blocks.iter().find(freed).map(|block| block.id.clone()) else {
            break;
        };
        up.push(next);
    }
    up.split_off(1)
}

/// For the rest of the session nothing is verified; what is not shown counts as waived by the user.
fn skip_verification(state: &mut State, head: &mut Head, reason: &str) -> Result<()> {
    user_words::fit("reason", reason)?;
    head.withdraw(|order| match order {
        Order::SpawnRole(_) => true,
        Order::AskUser(question) => question.topic.starts_with("budget:"),
        _ => false,
    });
    state.core.life.skip_verification = Some(one_line(reason));
    state.said(&format!("nothing more is verified: {}", one_line(reason)));
    state.core.gaps.clear();
    state.core.anomaly = None;
    rejoin(state);
    Ok(())
}

/// Changes the plan.
pub(super) fn change(state: &mut State, head: &Head, change: &PlanChange) -> Result<()> {
    match change {
        PlanChange::AddCriterion { item, text, shown_by: _ } => {
            let block = known(state, item)?;
            workable(state, head, item, "a criterion more")?;
            user_words::fit("text", text)?;
            let more = criterion::append_texts(&block.criteria, std::slice::from_ref(text))?;
            let executed = block.status == BlockStatus::Executed;
            state.blocks.change(item, |block| {
                block.criteria.extend(more);
                if executed {
                    block.status = BlockStatus::Retry;
                }
            });
            rejoin(state);
            Ok(())
        }
        PlanChange::WaiveCriterion { item, criterion, reason } => {
            let block = known(state, item)?;
            has_criterion(&block.criteria, item, criterion)?;
            workable(state, head, item, reason)?;
            state.blocks.change(item, |block| {
                ledger::waive(&mut block.criteria, criterion, "user", reason);
            });
            state.core.gaps.retain(|gap| gap.block != *item || gap.criterion != *criterion);
            state.said(&format!("{item}/{criterion} was let go: {}", one_line(reason)));
            user_words::keep(state, item, &format!("The user let {criterion} go"), reason);
            rejoin(state);
            Ok(())
        }
        PlanChange::AddItem { item } => add(state, item),
        PlanChange::SetPriority { .. } | PlanChange::Reorder { .. } => {
            let expected = "a new block, a criterion more, or one let go";
            Err(Error::new(Code::InvalidChange, "change", expected, "another order"))
        }
    }
}

/// A new block gets a wave of its own behind all others.
fn add(state: &mut State, item: &NewItem) -> Result<()> {
    let got = "one that is not";
    ensure!(state.core.planned, Code::InvalidChange, "change", "a cluster that is planned", got)?;
    for text in item.acceptance_criteria.iter().chain([&item.goal, &item.why_now]) {
        user_words::fit("item", text)?;
    }
    let truths = item.acceptance_criteria.clone();
    let front = Front {
        depends_on: item.blocked_on.clone(),
        must_haves: Some(MustHaves { truths, ..MustHaves::default() }),
        ..Front::default()
    };
    let (id, phase) = (item.id.clone(), "added".to_owned());
    let plan = Plan {
        objective: one_line(&item.goal),
        ..of_front(id, phase, &front, String::new(), String::new())
    };
    enter(state, vec![plan]).map_err(|error| error.within("item"))?;
    let (goal, why) = (one_line(&item.goal), one_line(&item.why_now));
    state.said(&format!("{} was added: {goal}: {why}", item.id));
    if !why.is_empty() {
        user_words::keep(state, &item.id, "The user added it", &why);
    }
    rejoin(state);
    state.append_wave(std::slice::from_ref(&item.id));
    Ok(())
}
