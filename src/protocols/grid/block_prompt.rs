//! The prompt about a block for those who execute it, find out why it fails, or judge it: with the earlier words
//! of those who judged it and of people.

use super::prompt::{cell, data, fitting, given, list, listed, number, part, piece};
use super::report::{Failure, ThreadDone};
use super::scratchpad::HEARTBEAT_MINUTES;
use super::state::{Block, BlockStatus, Passed, Resume, State, ToldGap};
use super::{
    block::noted, declared, failures, files, gaps, handover, reverts, uncommitted, user_words,
};
use crate::mission::prelude::*;
use crate::mission::template::{Fields, Value, fields, lines, render, rows};

/// The most paths of others that are shown.
const MOST_PATHS: usize = 50;
/// The room for lines that judges wrote, in characters: one report fits.
const ROOM: usize = 99_000;

/// What everybody is told of a block.
pub(super) fn any(state: &State, block: &Block) -> Fields {
    let again = state.is_behind() && state.is_stale(block);
    let must_have = |one: &Criterion| {
        let name = format!("{}/{}", block.id, one.id);
        let look = state.core.verification.mechanical.get(&name);
        fields! {
            look: lines("seen", look.map(|look| look.line())),
            name: name,
            id: &one.id,
            line: one_line(&one.text),
            waived: one.waived(),
            shown: one.verified(),
            again: again,
        }
    };
    fields! {
        id: &block.id,
        wave: block.wave,
        objective: &block.plan.objective,
        must_haves: rows(block.criteria.iter().map(must_have)),
        noted: lines("line", noted(block)),
        beside: lines("line", block.done_beside()),
    }
}

/// What an executor is told.
pub(super) fn executor(state: &State, block: &Block) -> Fields {
    let path = plan_path(block);
    let (others, dirty) = uncommitted::seen_by(state, &block.id);
    let more = others.len().saturating_sub(MOST_PATHS);
    let other = |(path, owner): &(String, String)| fields! { path: path, owner: owner };
    let mut told = any(state, block);
    told.put("files", given(block.plan.files_modified.join(", ")));
    told.put("automated", lines("line", declared::line(state, block)));
    told.put("plan", part(&block.plan.content, 60_000, &path));
    told.put("path", path);
    told.put("minutes", HEARTBEAT_MINUTES);
    told.put("scratchpad", given(data(&handover::all(state).join("\n"))));
    told.put("asked", given(data(&handover::before(state).join("\n"))));
    told.put("failures", given(failures(block)));
    told.put("resume", block.resume.as_deref().map(resume));
    told.put("objections", given(objections(block)));
    told.put("gaps", given(of_gaps(state, gaps::to_close(state, block).into_iter())));
    told.put("refused", given(refused(state, block)));
    told.put("gone", given(gone(state, block)));
    told.put("said", given(said(block)));
    told.put("mended", of_mended(mended(state, block)));
    told.put("prose", given(data(&block.prose.join("\n\n"))));
    told.put("lost", block.lost > 0);
    told.put("dirty", given(dirty.join(", ")));
    told.put("of_others", !others.is_empty());
    told.put("others", rows(others.iter().take(MOST_PATHS).map(other)));
    told.put("more", number(more));
    told
}

/// What a debugger is told.
pub(super) fn debugger(state: &State, block: &Block) -> Fields {
    let mut told = any(state, block);
    let plan = Some(&block.plan.content).filter(|plan| !plan.trim().is_empty());
    let plan = plan.map(|plan| part(plan, 60_000, &plan_path(block)));
    told.put("plan", lines("text", plan));
    told.put("judged", given(before(state, block)));
    told.put("failures", given(failures(block)));
    // What failed is told with the session.
    let session = Some(session(block)).filter(|_| block.failures.is_empty());
    told.put("session", given(session.unwrap_or_default()));
    told
}

/// What a recognizer is told.
pub(super) fn judged(state: &State, block: &Block) -> Fields {
    let mut told = any(state, block);
    let path = files::summary_path(&block.plan);
    let words = block.summary.as_ref().and_then(|summary| summary.words.as_ref());
    let prose = Some(block.prose.join("\n\n")).filter(|prose| !prose.is_empty());
    told.put("automated", lines("line", declared::line(state, block)));
    told.put("judged", given(before(state, block)));
    told.put("objected", objected(block));
    told.put("summary", lines("text", words.map(|words| part(words, 2_000, &path))));
    told.put("prose", lines("text", prose.map(|prose| part(&prose, 4_000, &path))));
    told
}

/// What was said of it before.
fn before(state: &State, block: &Block) -> String {
    let told = fields! {
        gaps: given(of_gaps(state, block.gaps.iter().map(|gap| (block, gap)))),
        refused: given(refused(state, block)),
        gone: given(gone(state, block)),
        said: given(said(block)),
    };
    piece(include_str!("prompts/judged.md"), &told)
}

/// Its dependencies that the user skipped.
fn gone(state: &State, block: &Block) -> String {
    data(&user_words::gone_before(state, block).join("\n"))
}

/// What a person said at checkpoints, for who judges: what was found wrong is looked at, confirmed since or not.
fn objected(block: &Block) -> Value {
    let open: Vec<&Passed> = block.objections().collect();
    let row = |one: &Passed| {
        fields! { thread: &one.thread, answer: &one.answer, open: open.contains(&one) }
    };
    rows(block.passed.iter().filter(|one| one.objected).map(row))
}

fn plan_path(block: &Block) -> String {
    block.plan.path.clone().unwrap_or_else(|| files::plan_path(&block.plan))
}

/// Where a fresh run goes on.
fn resume(resume: &Resume) -> Fields {
    let thread = |one: &ThreadDone| {
        fields! {
            thread: cell(one.thread.as_deref().unwrap_or_default()),
            name: cell(&one.name),
            commit: cell(one.commit.as_deref().unwrap_or_default()),
            files: cell(&one.files.join(", ")),
        }
    };
    let threads = rows(resume.threads.iter().map(thread));
    fields! { threads: threads, answer: &resume.answer, point: &resume.point }
}

/// Faults that a person found are fixed first, and shown to that person again.
fn objections(block: &Block) -> String {
    let line =
        |one: &Passed| format!("thread {}, {}: {}", one.thread, one.kind.as_str(), one.answer);
    listed(&block.objections().map(line).collect::<Vec<_>>())
}

/// Everything that is known about why it failed, the newest first, and what must not be tried again.
fn failures(block: &Block) -> String {
    if block.failures.is_empty() {
        return String::new();
    }
    let before = usize::try_from(block.forgotten).unwrap_or(usize::MAX);
    let all = block.failures.iter().enumerate().rev();
    let all = all.map(|(place, one)| failed(before.saturating_add(place + 1), one));
    let failures = fields! { failures: rows(all), before: number(before) };
    let told = fields! {
        failures: data(&render(include_str!("prompts/failed.md"), &failures)),
        forbidden: given(listed(&failures::forbidden(block))),
        approaches: given(listed(&block.approaches)),
        session: given(session(block)),
    };
    piece(include_str!("prompts/failures.md"), &told)
}

fn failed(number: usize, failure: &Failure) -> Fields {
    let left = !failure.created.is_empty() || !failure.commits.is_empty();
    let tried = failure.tried.iter();
    fields! {
        number: number,
        at: lines("thread", &failure.thread),
        tried: rows(tried.map(|one| fields! { approach: &one.approach, reason: &one.reason })),
        left: left,
        files: failure.created.join(", "),
        commits: failure.commits.join(", "),
        hypothesis: lines("text", &failure.hypothesis),
        next: lines("text", &failure.suggested_retry),
    }
}

fn session(block: &Block) -> String {
    block.debug.as_ref().map(|session| data(&session.render())).unwrap_or_default()
}

/// People's words about blocks that a planner plans to fix, or that an executor fixes.
pub(super) fn of_mended<'a>(blocks: impl Iterator<Item = &'a Block>) -> Value {
    let all = blocks.map(|block| (block, said(block))).filter(|(_, said)| !said.is_empty());
    rows(all.map(|(block, said)| fields! { id: &block.id, said: said }))
}

/// Other blocks whose gaps a block is for.
fn mended<'a>(state: &'a State, block: &'a Block) -> impl Iterator<Item = &'a Block> {
    let closes = &block.plan.closes;
    let named = |other: &&Block| {
        let of = |name: &String| name.split_once('/').is_some_and(|(id, _)| id == other.id);
        let executed = closes.is_empty() && other.status == BlockStatus::Executed;
        executed || closes.iter().any(of)
    };
    let others = state.blocks.iter().filter(|one| block.plan.gap_closure && one.id != block.id);
    others.filter(named)
}

/// Changes that the user refused.
fn refused(state: &State, block: &Block) -> String {
    listed(&block.to_take_back().map(|one| reverts::line(state, one)).collect::<Vec<_>>())
}

/// Text as far as there is room, none of its lines cut; how many are left out is said, and where they stand.
pub(super) fn whole(text: &str) -> String {
    let kept = fitting(text.lines(), ROOM, 1);
    data(&list(0, text.lines().take(kept), text.lines().count() - kept))
}

/// Gaps with all that was said of them.
fn of_gaps<'a>(state: &State, all: impl Iterator<Item = (&'a Block, &'a ToldGap)>) -> String {
    let all = fields! { gaps: rows(all.map(|(block, one)| gap(state, block, one))) };
    whole(&piece(include_str!("prompts/gaps.md"), &all))
}

fn gap(state: &State, block: &Block, gap: &ToldGap) -> Fields {
    let criterion = block.criteria.iter().find(|one| one.id == gap.criterion);
    fields! {
        name: format!("{}/{}", block.id, gap.criterion),
        must: criterion.map(|one| one_line(&one.text)).unwrap_or_default(),
        reason: &gap.reason,
        method: given(gap.method.clone()),
        refused: given(gap.refused.join("; ")),
        before: lines("line", gaps::before(gap)),
        times: gap.times,
        head: clip(&gap.head, 12),
        still: gap.head == state.head_word() && gaps::open(block).any(|one| one == gap),
        stands: gaps::stands(block, gap),
    }
}

/// What people were asked at the checkpoints of a block, and all they said of it: nothing of it is cut here.
fn said(block: &Block) -> String {
    let all = fields! { all: rows(block.passed.iter().map(answered)) };
    let told = fields! {
        asked: given(data(&render(include_str!("prompts/answered.md"), &all))),
        words: given(listed(&block.words)),
    };
    piece(include_str!("prompts/said.md"), &told)
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
