//! When two states are the same for the walk: everything that decisions depend on, and nothing else.
//!
//! Left out: sequence numbers, times, effect ids (renumbered in order of appearance), commit ids
//! (likewise), digests, texts for people, tallies, prompts, and the budget but for the one counter that
//! a walk is about.
//! Ordinals of heads are replaced by their rank. Of the world only the difference to what the
//! engine knows is kept.

use super::explore::Node;
use crate::common::World;
use crate::common::fingerprint::{Field, Fingerprint};
use endstate::engine::digest;
use endstate::mission::life::{Life, Topic};
use endstate::protocols::Mission;
use endstate::protocols::completion::State;
use endstate::protocols::completion::files as canonical;
use endstate::protocols::completion::state::{Core, Topic as OwnTopic};
use endstate::snapshot::{Head, Snapshot};
use endstate::vocab::budget::{Budget, Counter};
use endstate::vocab::effect::{Delivery, Observe, Order, Outstanding};
use endstate::vocab::error::{Code, Diagnostic, Error};
use endstate::vocab::event::EffectId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The key of a node.
pub fn key(node: &Node, counted: Option<Counter>) -> u64 {
    let mut snapshot = node.engine.snapshot().clone();
    let world = world_key(&node.world, &snapshot);
    plain_head(&mut snapshot.head, counted);
    let Mission::Completion(state) = &mut snapshot.mission else { panic!("another protocol") };
    plain_state(state);
    // What a run is told, and its number, stand in its order alone.
    let mut print = Fingerprint::by(|name| match name {
        "prompt" | "visit" => Field::Aside,
        _ => Field::Plain,
    });
    print.value(&snapshot);
    print.quoted(&format!("{world} {:?}", node.fuel));
    print.finish()
}

/// More than any limit of the walk, so that a path on which it runs out is a state apart.
const PLENTY: u64 = 20;

fn nothing() -> Diagnostic {
    Error::new(Code::RunFailed, "", "", "").diagnostic()
}

fn plain_head(head: &mut Head, counted: Option<Counter>) {
    head.seq = 0;
    head.at = 0;
    head.command_ids.clear();
    // Told in prompts only.
    head.unreported = Default::default();
    // Decisions ask what is left; the others never run out, and plenty of this one is plenty.
    let left = counted.map(|counter| (counter, head.budget.left(counter).min(PLENTY)));
    head.budget = Budget::with_limits(&left.into_iter().collect());
    head.outbox = head.outbox.iter().map(|one| Arc::new(plain_effect(one))).collect();
}

fn plain_effect(one: &Outstanding) -> Outstanding {
    let mut one = one.clone();
    if !matches!(one.effect.order, Order::SpawnRole(_)) {
        plain_order(&mut Arc::make_mut(&mut one.effect).order);
    }
    if let Delivery::Started { at, heard_at, last_line, .. } = &mut one.delivery {
        *at = 0;
        *heard_at = 0;
        *last_line = None;
    }
    one
}

fn plain_order(order: &mut Order) {
    match order {
        Order::AskUser(question) => question.text.clear(),
        Order::AppendHistory(append) => {
            append.offset = 0;
            append.prefix_digest = None;
            append.text.clear();
        }
        Order::WriteFile(write) => {
            write.revision = 0;
            write.expected = None;
            write.aside = write.aside.as_ref().map(|_| String::new());
        }
        Order::Observe(Observe::Repository { known, .. }) => known.clear(),
        _ => {}
    }
}

fn plain_state(state: &mut State) {
    ranks(state);
    let ids: Vec<String> = state.slices.iter().map(|slice| slice.slice_id.clone()).collect();
    for id in ids {
        state.slices.change(&id, |slice| slice.must_fix.clear());
    }
    state.slices.commit();
    plain_core(&mut state.core);
}

fn plain_core(core: &mut Core) {
    core.facts = Default::default();
    core.counts = Default::default();
    plain_life(&mut core.life);
    core.notes.clear();
    core.grounding.at = core.grounding.at.map(|_| 0);
    core.grounding.plan_revision = 0;
    core.grounding.slices_since = 0;
    core.grounding.plan_basis.clear();
    core.grounding.auditor_verdict = None;
    // Counted for the files and the prompts only.
    core.grounding.release_blockers = None;
    core.grounding.high_value_gaps = None;
    core.wave.number = 0;
    if let Some(reground) = &mut core.reground {
        reground.details.clear();
    }
    if let Some(active) = &mut core.active {
        active.must_fix.clear();
        active.locked_notes.clear();
        active.release_blocker_count_before = 0;
        active.high_value_gap_count_before = 0;
    }
    let head = core.life.seen.as_ref().and_then(|seen| seen.head.clone());
    core.contract.commits.retain(|commit| Some(commit) == head.as_ref());
    core.contract.gitignore.clear();
    core.contract.stop_script_text = None;
    core.contract.stop_script = core.contract.stop_script.as_ref().map(|_| String::new());
    core.keys.clear();
}

fn plain_life(life: &mut Life) {
    life.counts = Default::default();
    life.visits.clear();
    life.last_problem = None;
    life.blocked = life.blocked.as_ref().map(|_| nothing());
    // What decides nothing here.
    (life.halted, life.left_by_a_run) = (false, false);
    life.steps.retain(|_, step| step.attempts > 0 || step.correction.is_some());
    life.steps.values_mut().filter_map(|step| step.correction.as_mut()).for_each(|correction| {
        correction.fault = nothing();
    });
    // Only whether it corrects another counts, not which.
    let first = EffectId { seq: 0, n: 0 };
    let ended = life.ended.iter_mut().map(|ended| &mut ended.run);
    for run in life.runs.iter_mut().chain(ended) {
        run.tampered.dedup();
        run.corrects = run.corrects.map(|_| first);
        run.ending = false;
    }
    life.files.unwritten.dedup_by(|a, b| a.path == b.path);
    life.files.unwritten.iter_mut().for_each(|line| line.text.clear());
    for file in life.files.known.values_mut() {
        file.digest = file.digest.as_ref().map(|_| String::new());
        file.aside = file.aside.as_ref().map(|_| String::new());
        file.length = 0;
        file.wanted = u64::from(file.wanted > file.written);
        file.written = 0;
    }
    // Only whether one is doubted counts, not which.
    life.files.doubted = life.files.doubted.first().map(|_| String::new()).into_iter().collect();
    life.asking.iter_mut().for_each(plain_topic);
}

fn plain_topic(topic: &mut Topic) {
    match topic {
        Topic::StepStuck { role, problem, .. } => {
            role.clear();
            *problem = nothing();
        }
        Topic::EffectFailed { problem, .. } => *problem = nothing(),
        Topic::Own { topic: own } => {
            let mut said = serde_json::from_value(own.clone()).unwrap();
            match &mut said {
                OwnTopic::HistoryChanged { digest, length, .. } => {
                    *digest = digest.as_ref().map(|_| String::new());
                    *length = u64::from(*length > 0);
                }
                OwnTopic::StopScript { digest, text } => {
                    digest.clear();
                    text.clear();
                }
                _ => {}
            }
            *own = serde_json::to_value(said).unwrap();
        }
        Topic::DirtyTree { .. } | Topic::EndWithDeferred => {}
    }
}

/// Ordinals are only ever compared: their rank says all.
fn ranks(state: &mut State) {
    let mut known = BTreeSet::from([0]);
    let core = &state.core;
    known.extend(core.life.seen.iter().flat_map(|seen| [seen.ordinal, seen.stale_before]));
    let claim = core.active.iter().filter_map(|active| active.claim.as_ref());
    known.extend(claim.map(|claim| claim.ordinal));
    known.extend(state.slices.iter().filter_map(|slice| Some(slice.closed.as_ref()?.ordinal)));
    let claimed = |path: &str| {
        let live = core.active.iter().filter_map(|active| active.claim.as_ref());
        let paths = live.flat_map(|claim| &claim.paths);
        let closed = state.slices.iter().filter_map(|slice| slice.closed.as_ref());
        paths.chain(closed.flat_map(|closed| &closed.paths)).any(|known| known == path)
    };
    let touches: BTreeMap<String, u64> = state
        .touches
        .iter()
        .filter(|(path, _)| claimed(path))
        .map(|(path, at)| (path.to_owned(), at))
        .collect();
    known.extend(touches.values());
    let rank = |at: u64| known.range(..at).count() as u64;
    let mut plain = endstate::vocab::table::Ledgered::default();
    touches.iter().for_each(|(path, at)| plain.set(path, rank(*at)));
    plain.commit();
    state.touches = plain;
    if let Some(seen) = &mut state.core.life.seen {
        seen.ordinal = rank(seen.ordinal);
        seen.stale_before = rank(seen.stale_before);
    }
    if let Some(claim) = state.core.active.as_mut().and_then(|active| active.claim.as_mut()) {
        claim.ordinal = rank(claim.ordinal);
    }
    let ids: Vec<String> = state.slices.iter().map(|slice| slice.slice_id.clone()).collect();
    for id in ids {
        state.slices.change(&id, |slice| {
            if let Some(closed) = &mut slice.closed {
                closed.ordinal = rank(closed.ordinal);
            }
        });
    }
}

fn world_key(world: &World, snapshot: &Snapshot) -> String {
    let Mission::Completion(state) = &snapshot.mission else { panic!("another protocol") };
    let core = &state.core;
    let mut wanted: Vec<&str> = Vec::new();
    wanted.extend(core.life.seen.iter().map(|seen| seen.head_word()));
    wanted.extend(core.active.iter().map(|active| active.basis_commit.as_str()));
    let closed = state.slices.iter().filter_map(|slice| slice.closed.as_ref());
    wanted.extend(closed.map(|closed| closed.basis.as_str()));
    wanted.extend(core.work.as_deref());
    let active = core.active.iter().map(|active| active.basis_commit.as_str());
    let read = core.life.seen.iter().map(|seen| seen.head_word()).chain(active);
    let commits = stretches(world, &wanted, read.collect());
    let differs: Vec<(&str, Option<String>)> = canonical::ALL
        .iter()
        .filter_map(|path| {
            let known = core.life.files.known.get(*path).and_then(|file| file.digest.clone());
            let now = world.files.get(*path).map(|text| digest(text));
            (known != now).then(|| (*path, world.files.get(*path).map(|text| content(path, text))))
        })
        .collect();
    let dirty: Vec<&String> = world.dirty.keys().collect();
    let problem = world.problem.as_ref().map(|problem| problem.code);
    format!(
        "{commits:?} {dirty:?} {} {problem:?} {} {differs:?} {}",
        world.refs, world.detached, world.verifier
    )
}

/// What an edited file would be taken for; one that is written whole by the engine is just another.
fn content(path: &str, text: &str) -> String {
    if path != canonical::PLAN {
        return String::new();
    }
    match canonical::read::<canonical::PlanFile>(text, canonical::Mode::Strict) {
        Err(error) => error.code.as_str().to_owned(),
        Ok(plan) => {
            let slices = &plan.value.candidate_slices;
            slices.iter().map(|slice| format!("{:?} {} ", slice.status, slice.why_now)).collect()
        }
    }
}

/// The commits the engine knows and the head, each with the paths changed since the one before it:
/// how many commits lie between, and in which order, decides nothing. Nor do the paths that came before
/// all of `read`, from where the changes are asked for.
fn stretches<'a>(
    world: &'a World,
    wanted: &[&str],
    read: Vec<&str>,
) -> Vec<(&'a str, BTreeSet<&'a str>)> {
    let place = |wanted: &[&str]| world.commits.iter().position(|(id, _)| wanted.contains(&&**id));
    let (from, read) = (place(wanted).unwrap_or(0), place(&read));
    let mut all = Vec::new();
    let mut paths = BTreeSet::new();
    for (place, (id, changed)) in world.commits.iter().enumerate().skip(from) {
        if read.is_none_or(|read| place > read) {
            paths.extend(changed.iter().map(String::as_str));
        }
        if wanted.contains(&id.as_str()) || place + 1 == world.commits.len() {
            all.push((id.as_str(), std::mem::take(&mut paths)));
        }
    }
    all
}
