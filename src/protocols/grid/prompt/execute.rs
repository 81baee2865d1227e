//! What executors are told: the plan, what others wrote, and where and why those before them stopped.

use super::super::block::noted;
use super::super::dirt;
use super::super::files;
use super::super::handed;
use super::super::scratchpad::HEARTBEAT_MINUTES;
use super::super::state::{Block, State};
use super::failed::failures;
use super::{cell, data, must_haves, part, told};
use std::fmt::Write;

pub(super) fn executor(state: &State, id: &str, text: &mut String) {
    let Some(block) = state.blocks.get(id) else { return };
    let _ = write!(
        text,
        "\n## Block {id}, wave {}\n\n{}\n\n### Must-haves\n\n",
        block.wave, block.plan.objective
    );
    must_haves(block, text);
    let files = block.plan.files_modified.join(", ");
    if !files.is_empty() {
        let _ = write!(
            text,
            "\nFiles it changes: {files}. Others may be at work on other files; leave theirs alone.\n"
        );
    }
    let path = block.plan.path.clone().unwrap_or_else(|| files::plan_path(&block.plan));
    let _ = write!(text, "\nThe plan lies in `{path}`.\n");
    text.push_str(&part("The plan", &block.plan.content, 60_000, &path));
    text.push_str(EXECUTE);
    let _ = write!(
        text,
        "\n## Scratchpad\n\nWrite while you work, never only at the end: a pattern of the codebase you did not \
         expect, at once; a decision that affects others, before you commit; whatever is in the way, at once; and \
         every {HEARTBEAT_MINUTES} minutes how far you are. Print one line for each:\n\n\
         {{\"endstate\":\"progress\",\"kind\":\"scratchpad\",\"text\":\"{{\\\"category\\\":\\\"PATTERN|DECISION|BLOCKER|PROGRESS|CORRECTION\\\",\
         \\\"finding\\\":\\\"one sentence\\\",\\\"impact\\\":\\\"who needs to know\\\",\\\"action\\\":\\\"INFORM_ONLY|REQUIRES_CHANGE|BLOCKER\\\"}}\"}}\n\n\
         No entry at all is a finding of the verification.\n"
    );
    scratchpad(state, text);
    told::asked(&handed::before(state), HANDED, text);
    failures(block, text);
    resume(block, text);
    objections(block, text);
    told::to_do(state, block, text);
    for finding in noted(block) {
        let _ = writeln!(text, "\nNoted: {finding}");
    }
    for line in block.done_beside() {
        let _ = writeln!(text, "\nDone beside the plan so far: {line}");
    }
    if !block.prose.is_empty() {
        let title = "What those before you said around their reports";
        text.push_str(&data(title, &block.prose.join("\n\n"), usize::MAX));
    }
    if block.lost > 0 {
        text.push_str(
            "\nA run before you went without a word. What it left may be in the tree, committed or not: look first.\n",
        );
    }
    let (others, dirty) = dirt::seen_by(state, id);
    if !dirty.is_empty() {
        let paths: Vec<&str> = dirty.iter().map(String::as_str).collect();
        let _ = write!(
            text,
            "\nThe tree is not clean: {}. Finish and commit what is yours, or take it back.\n",
            paths.join(", ")
        );
    }
    if !others.is_empty() {
        text.push_str(
            "\nNot committed, and not yours: a person is to look at it as it is. Neither commit nor stash it, nor change it.\n\n",
        );
        for (path, owner) in others.iter().take(50) {
            let _ = writeln!(text, "- {path} (block {owner})");
        }
        if let Some(more @ 1..) = others.len().checked_sub(50) {
            let _ = writeln!(text, "- and {more} more: `git status` lists them");
        }
    }
}

fn scratchpad(state: &State, text: &mut String) {
    let lines = handed::all(state);
    if !lines.is_empty() {
        let title = "What others wrote so far, the gravest first and of those the newest";
        text.push_str(&data(title, &lines.join("\n"), usize::MAX));
    }
}

/// Where a fresh run goes on.
fn resume(block: &Block, text: &mut String) {
    let Some(resume) = &block.resume else { return };
    text.push_str("\n## You go on where another stopped\n\n| Thread | Name | Commit | Files |\n|---|---|---|---|\n");
    for one in &resume.threads {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            cell(one.thread.as_deref().unwrap_or_default()),
            cell(&one.name),
            cell(one.commit.as_deref().unwrap_or_default()),
            cell(&one.files.join(", "))
        );
    }
    let _ = write!(text, "\nThe answer: {}\n\nGo on at: {}\n", resume.answer, resume.point);
}

/// What a person found wrong is mended first, and shown to that person again.
fn objections(block: &Block, text: &mut String) {
    let lines: Vec<String> = block
        .objections()
        .map(|one| format!("- thread {}, {}: {}", one.thread, one.kind.as_str(), one.answer))
        .collect();
    if lines.is_empty() {
        return;
    }
    text.push_str(
        "\n## A person found it wrong\n\nMend this, then report CHECKPOINT of the same type with the same current_thread: \
         the person looks again before the block is done.\n",
    );
    text.push_str(&data("What the person said", &lines.join("\n"), usize::MAX));
}

const HANDED: &str = "Written in earlier waves, and not done with: heed what concerns this block.";

const EXECUTE: &str = "
## What to do

Do the plan. Commit everything you change on the branch that is checked out, and leave that branch checked out; the
tree must be clean when you report SUCCESS. If all of the work was there before you began say `already_there`, and
name no commit. Three words end your work: SUCCESS, when everything is done; CHECKPOINT, where only a person can confirm, decide or act; FAILURE, with
what you tried, why it failed, what to try next and what never to try again.

What the plan does not say, by rule: 1 a bug: mend it and go on. 2 something critical is missing: add it and go on.
3 something blocks you: mend it and go on. 4 an architectural change (a table, a layer, another library, another way
to authenticate): STOP and return a CHECKPOINT of the type `decision`. Rule 4 comes first. Record each with its rule.
";
