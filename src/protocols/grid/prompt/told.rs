//! What was said of a block before, by those who judged it and by people: for who works on it next, and for all who
//! judge it.

use super::super::back;
use super::super::files;
use super::super::gaps::{self, stands};
use super::super::state::{Block, BlockStatus, Passed, State, ToldGap};
use super::super::words;
use super::data;
use crate::vocab::error::clip;
use crate::vocab::text::one_line;
use std::fmt::Write;

/// The most characters of such a list.
pub(super) const MOST: usize = 100_000;
/// The room for its lines: one report fits.
const ROOM: usize = 99_000;

/// What an executor is told: gaps it closes, changes it takes back, and what people said.
pub(super) fn to_do(state: &State, block: &Block, text: &mut String) {
    let gaps = gaps::to_close(state, block);
    if !gaps.is_empty() {
        text.push_str(
            "\n## Gaps that were found\n\nMend them with a commit. Where the work is there all the same, say so, and claim \
             each must-have by its whole name with typed evidence other than what was not enough: a gap that is closed by \
             neither is refused.\n",
        );
        let lines: Vec<String> = gaps.iter().map(|(of, gap)| told(state, of, gap)).collect();
        text.push_str(&data("What was found", &whole(&lines), MOST));
    }
    let refused = refused(state, block);
    if !refused.is_empty() {
        text.push_str(
            "\n## The user refused an architectural change\n\nTake it back in a new commit, and do without. That it was \
             taken back is a must-have of this block; a SUCCESS over it as it was is refused.\n",
        );
        text.push_str(&data("What is taken back", &refused, usize::MAX));
    }
    let gone = words::gone_before(state, block);
    if !gone.is_empty() {
        text.push_str(
            "\n## What you wait for was let go\n\nIt was not done: do not count on it.\n",
        );
        text.push_str(&data("What was let go, and why", &gone.join("\n"), usize::MAX));
    }
    of_mended(mended(state, block), text);
    if spoken(block) {
        text.push_str("\n## What people decided and did\n\nThe work is judged against it.\n");
        text.push_str(&said(block));
    }
}

/// What entries of the scratchpad ask for, to those who are told how to take it.
pub(super) fn asked(lines: &[String], how: &str, text: &mut String) {
    if !lines.is_empty() {
        let _ = write!(text, "\n## What others asked for\n\n{how}\n");
        text.push_str(&data(
            "What was written, the gravest first and of those the newest",
            &lines.join("\n"),
            usize::MAX,
        ));
    }
}

/// What people said of blocks that somebody plans to mend, or mends.
pub(super) fn of_mended<'a>(blocks: impl Iterator<Item = &'a Block>, text: &mut String) {
    for block in blocks.filter(|block| spoken(block)) {
        let id = &block.id;
        let _ = write!(
            text,
            "\n## What people said of block {id}\n\nWhat is mended of it is judged against it.\n"
        );
        text.push_str(&said(block));
    }
}

/// Other blocks whose gaps a block is for.
fn mended<'a>(state: &'a State, block: &'a Block) -> impl Iterator<Item = &'a Block> {
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

/// Whether people said anything of a block.
fn spoken(block: &Block) -> bool {
    !block.passed.is_empty() || !block.words.is_empty()
}

/// What those are told who judge: every gap with how it stands, and what people said.
pub(super) fn judged(state: &State, block: &Block, text: &mut String) {
    if !block.gaps.is_empty() {
        text.push_str(
            "\nGaps were told of it. That one is closed needs evidence that was not there when it was told; where nothing \
             changed since, what was not enough then shows nothing. Look at each by itself.\n",
        );
        let lines: Vec<String> = block.gaps.iter().map(|gap| told(state, block, gap)).collect();
        text.push_str(&data("Gaps", &whole(&lines), MOST));
    }
    let refused = refused(state, block);
    if !refused.is_empty() {
        text.push_str(
            "\nThe user refused an architectural change. Look whether everything it made is gone: what is left of it does \
             not hold, whatever was committed since.\n",
        );
        text.push_str(&data("What was to be taken back", &refused, usize::MAX));
    }
    let gone = words::gone_before(state, block);
    if !gone.is_empty() {
        text.push_str("\nWhat it waits for was let go, and was not done.\n");
        text.push_str(&data("What was let go, and why", &gone.join("\n"), usize::MAX));
    }
    if spoken(block) {
        text.push_str(
            "\nPeople were asked. Judge the result against what was said, chosen and done; what contradicts it is a gap.\n",
        );
        text.push_str(&said(block));
    }
}

fn refused(state: &State, block: &Block) -> String {
    let lines = block.to_take_back().map(|one| format!("- {}\n", back::line(state, one)));
    lines.collect()
}

/// Lines as far as there is room, none of them cut; how many are left out is said, and where they stand.
pub(super) fn whole(parts: &[String]) -> String {
    let all = parts.join("\n");
    let (mut text, mut room, mut more) = (String::new(), ROOM, 0_usize);
    for line in all.lines() {
        match room.checked_sub(line.chars().count() + 1).filter(|_| more == 0) {
            Some(left) => {
                let _ = writeln!(text, "{line}");
                room = left;
            }
            None => more += 1,
        }
    }
    if more > 0 {
        let _ = writeln!(text, "- and {more} more lines: read them in {}", files::VERIFICATION);
    }
    text
}

/// A gap in lines.
fn told(state: &State, block: &Block, gap: &ToldGap) -> String {
    let criterion = block.criteria.iter().find(|one| one.id == gap.criterion);
    let must = criterion.map(|one| one_line(&one.text)).unwrap_or_default();
    let mut text = format!("{}/{}: {must}\n- gap: {}\n", block.id, gap.criterion, gap.reason);
    if !gap.method.is_empty() {
        let _ = writeln!(text, "- found out by: {}", gap.method);
    }
    if !gap.refused.is_empty() {
        let _ = writeln!(text, "- not enough, or against it: {}", gap.refused.join("; "));
    }
    for line in gaps::before(gap) {
        let _ = writeln!(text, "- told before: {line}");
    }
    let still = gap.head == state.head_word() && gaps::open(block).any(|one| one == gap);
    let since = if still { "; nothing changed since" } else { "" };
    let (head, times) = (clip(&gap.head, 12), gap.times);
    let _ = writeln!(text, "- told {times} times, last at {head}{since}; {}", stands(block, gap));
    text
}

/// What people were asked at the checkpoints of a block, and all they said of it: nothing of it is cut here.
fn said(block: &Block) -> String {
    let mut text = String::new();
    if !block.passed.is_empty() {
        let lines: Vec<String> = block.passed.iter().map(answered).collect();
        text.push_str(&data("What was asked and answered", &lines.join("\n"), usize::MAX));
    }
    if !block.words.is_empty() {
        let lines: Vec<String> = block.words.iter().map(|line| format!("- {line}")).collect();
        text.push_str(&data("What people said, the latest last", &lines.join("\n"), usize::MAX));
    }
    text
}

fn answered(one: &Passed) -> String {
    let mut text = format!("- {} at thread {}", one.kind.as_str(), one.thread);
    if !one.asked.is_empty() {
        let _ = write!(text, ": {}", one.asked);
    }
    if !one.options.is_empty() {
        let _ = write!(text, "\n  options: {}", one.options.join("; "));
    }
    let _ = write!(text, "\n  answer: {}", one.answer);
    if let Some(how) = &one.verify_after {
        let _ = write!(text, "\n  verified afterwards by: {how}");
    }
    for line in &one.also {
        let _ = write!(text, "\n  {line}");
    }
    text
}
