//! What was said of a block before, by those who judged it and by people: for who works on it next, and for all who
//! judge it.

use super::super::state::{Block, BlockStatus, Passed, State, ToldGap};
use super::super::{back, gaps as told};
use super::{data, fitting, given, list, listed, piece};
use crate::mission::template::{Fields, Value, fields, lines, render, rows};
use crate::vocab::error::clip;
use crate::vocab::text::one_line;

/// The room for lines that judges wrote, in characters: one report fits.
const ROOM: usize = 99_000;

/// What people said of blocks that somebody plans to mend, or mends.
pub(super) fn of_mended<'a>(blocks: impl Iterator<Item = &'a Block>) -> Value {
    let all = blocks.map(|block| (block, said(block))).filter(|(_, said)| !said.is_empty());
    rows(all.map(|(block, said)| fields! { id: &block.id, said: said }))
}

/// Other blocks whose gaps a block is for.
pub(super) fn mended<'a>(state: &'a State, block: &'a Block) -> impl Iterator<Item = &'a Block> {
    let closes = &block.plan.closes;
    let named = |other: &Block| {
        let of = |name: &String| name.split_once('/').is_some_and(|(id, _)| id == other.id);
        match closes.is_empty() {
            true => other.status == BlockStatus::Executed,
            false => closes.iter().any(of),
        }
    };
    let others = state.blocks.iter().filter(|one| block.plan.gap_closure && one.id != block.id);
    others.filter(move |one| named(one))
}

/// Changes that the user refused.
pub(super) fn refused(state: &State, block: &Block) -> String {
    listed(&block.to_take_back().map(|one| back::line(state, one)).collect::<Vec<_>>())
}

/// Text as far as there is room, none of its lines cut; how many are left out is said, and where they stand.
pub(super) fn whole(text: &str) -> String {
    let kept = fitting(text.lines(), ROOM, 1);
    data(&list(0, text.lines().take(kept), text.lines().count() - kept))
}

/// Gaps with all that was said of them.
pub(super) fn gaps<'a>(
    state: &State,
    all: impl Iterator<Item = (&'a Block, &'a ToldGap)>,
) -> String {
    let all = fields! { gaps: rows(all.map(|(block, one)| gap(state, block, one))) };
    whole(&piece(include_str!("../prompts/gaps.md"), &all))
}

fn gap(state: &State, block: &Block, gap: &ToldGap) -> Fields {
    let criterion = block.criteria.iter().find(|one| one.id == gap.criterion);
    fields! {
        name: format!("{}/{}", block.id, gap.criterion),
        must: criterion.map(|one| one_line(&one.text)).unwrap_or_default(),
        reason: &gap.reason,
        method: given(gap.method.clone()),
        refused: given(gap.refused.join("; ")),
        before: lines("line", told::before(gap)),
        times: gap.times,
        head: clip(&gap.head, 12),
        still: gap.head == state.head_word() && told::open(block).any(|one| one == gap),
        stands: told::stands(block, gap),
    }
}

/// What people were asked at the checkpoints of a block, and all they said of it: nothing of it is cut here.
pub(super) fn said(block: &Block) -> String {
    let all = fields! { all: rows(block.passed.iter().map(answered)) };
    let told = fields! {
        asked: given(data(&render(include_str!("../prompts/answered.md"), &all))),
        words: given(listed(&block.words)),
    };
    piece(include_str!("../prompts/said.md"), &told)
}

fn answered(one: &Passed) -> Fields {
    fields! {
        kind: one.kind.as_str(),
        thread: &one.thread,
        asked: given(one.asked.clone()),
        options: given(one.options.join("; ")),
        answer: &one.answer,
        verified: lines("text", &one.verify_after),
        also: lines("line", &one.also),
    }
}
