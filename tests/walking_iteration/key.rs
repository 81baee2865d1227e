//! When two states are the same for the walk.

use super::*;
use crate::common::fingerprint::Fingerprint;
use endstate::engine::digest;
use endstate::mission::life::Topic;
use endstate::vocab::budget::Budget;
use endstate::vocab::effect::{Delivery, Outstanding};
use std::sync::Arc;

/// Only what decisions depend on: no numbers of events, no times, no texts, no digests.
pub fn key(node: &Node, counted: Option<Counter>) -> u64 {
    let mut snapshot = node.engine.snapshot().clone();
    let files = &state(node).core.life.files.known;
    let world: Vec<bool> = files
        .iter()
        .map(|(path, known)| node.world.files.get(path).map(|text| digest(text)) == known.digest)
        .collect();
    let head = &mut snapshot.head;
    (head.seq, head.at) = (0, 0);
    head.command_ids.clear();
    // Told in prompts only.
    head.unreported = Default::default();
    let left = counted.map(|counter| (counter, head.budget.left(counter).min(20)));
    head.budget = Budget::with_limits(&left.into_iter().collect());
    head.outbox = head.outbox.iter().map(|one| Arc::new(plain(one))).collect();
    let Mission::Iteration(state) = &mut snapshot.mission else { panic!("another protocol") };
    plain_core(state);
    let mut print = Fingerprint::default();
    print.value(&snapshot);
    print.plain(&format!("{world:?} {:?}", node.fuel));
    print.finish()
}

pub fn plain(one: &Outstanding) -> Outstanding {
    let mut one = one.clone();
    match &mut Arc::make_mut(&mut one.effect).order {
        Order::SpawnRole(spawn) => spawn.prompt.clear(),
        Order::AskUser(question) => question.text.clear(),
        Order::Consult(consult) => consult.input.clear(),
        Order::Notify(notice) => notice.text.clear(),
        Order::AppendHistory(append) => {
            (append.offset, append.prefix_digest) = (0, None);
            append.text.clear();
        }
        Order::WriteFile(write) => {
            (write.revision, write.expected) = (0, None);
            write.aside = write.aside.as_ref().map(|_| String::new());
        }
        _ => {}
    }
    if let Delivery::Started { at, heard_at, last_line, .. } = &mut one.delivery {
        (*at, *heard_at, *last_line) = (0, 0, None);
    }
    one
}

pub fn plain_core(state: &mut State) {
    let core = &mut *state.core;
    core.facts = Default::default();
    core.unshown_answers = 0;
    let life = &mut core.life;
    (life.last_problem, life.counts) = (None, Default::default());
    // A tally: what the next visit is numbered by is the iteration.
    life.visits.clear();
    // No tree is judged here.
    life.runs.iter_mut().for_each(|run| run.tampered.clear());
    core.status.clear();
    core.summaries.iter_mut().for_each(|one| one.text.clear());
    // Only the last two say anything of the phase.
    let surplus = core.summaries.len().saturating_sub(2);
    core.summaries.drain(..surplus);
    core.next_prompt = core.next_prompt.as_ref().map(|_| String::new());
    core.note = core.note.as_ref().map(|_| String::new());
    let nothing = || Error::new(Code::RunFailed, "", "", "").diagnostic();
    core.life.blocked = core.life.blocked.as_ref().map(|_| nothing());
    core.life.files.unwritten.iter_mut().for_each(|line| line.text.clear());
    core.life.files.unwritten.dedup();
    core.life.files.notices.iter_mut().for_each(|notice| notice.text.clear());
    core.life.files.notices.dedup();
    for file in core.life.files.known.values_mut() {
        file.digest = file.digest.as_ref().map(|_| String::new());
        file.aside = file.aside.as_ref().map(|_| String::new());
        (file.length, file.wanted) = (0, u64::from(file.wanted > file.written));
        file.written = 0;
    }
    let answers = core.judging.iter_mut().flat_map(|one| &mut one.answers);
    for answer in answers.chain(core.last.iter_mut().flat_map(|one| &mut one.answers)).flatten() {
        (answer.words, answer.problem) = (String::new(), None);
    }
    if let Some(judging) = &mut core.judging {
        (judging.at, judging.input) = (0, None);
    }
    if let Some(last) = &mut core.last {
        last.words.clear();
    }
    if let Some(done) = &mut core.done {
        done.at = 0;
        done.description.clear();
    }
    core.life.asking.iter_mut().for_each(plain_topic);
}

pub fn plain_topic(topic: &mut Topic) {
    let nothing = || Error::new(Code::RunFailed, "", "", "").diagnostic();
    match topic {
        Topic::StepStuck { problem, .. } | Topic::EffectFailed { problem, .. } => {
            *problem = nothing()
        }
        Topic::Own { topic } => topic["problem"] = serde_json::to_value(nothing()).unwrap(),
        Topic::DirtyTree { .. } | Topic::EndWithDeferred => {}
    }
}
