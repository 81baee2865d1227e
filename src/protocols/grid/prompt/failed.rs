//! What those are told who go on after a failure: what was tried, and what must not be tried again.

use super::super::failing::forbidden;
use super::super::files;
use super::super::report::Failure;
use super::super::state::{Block, State};
use super::{data, must_haves, part, told};
use std::fmt::Write;

/// Everything that is known about why it failed, the newest first, and what must not be tried again.
pub(super) fn failures(block: &Block, text: &mut String) {
    if block.failures.is_empty() {
        return;
    }
    text.push_str("\n## It failed before\n\nTry what is suggested, or something new.\n");
    let all = block.failures.iter().enumerate().rev();
    let before = usize::try_from(block.forgotten).unwrap_or(usize::MAX);
    let told = all.map(|(place, failure)| failed(before.saturating_add(place + 1), failure));
    let more = (before > 0).then(|| {
        format!(
            "and {before} failures before those: what they say must not be tried again stands below"
        )
    });
    let told: Vec<String> = told.chain(more).collect();
    text.push_str(&data("What those who failed say", &told.join("\n"), usize::MAX));
    let lines: Vec<String> = forbidden(block).iter().map(|line| format!("- {line}")).collect();
    if !lines.is_empty() {
        text.push_str(&data("Do NOT try again", &lines.join("\n"), usize::MAX));
    }
    if !block.approaches.is_empty() {
        let lines: Vec<String> = block.approaches.iter().map(|line| format!("- {line}")).collect();
        text.push_str(&data("Tried so far, whatever came of it", &lines.join("\n"), usize::MAX));
    }
    if let Some(session) = &block.debug {
        text.push_str(&data("What the investigation found", &session.render(), usize::MAX));
    }
}

/// One failure in lines.
fn failed(number: usize, failure: &Failure) -> String {
    let mut text = format!("Failure {number}");
    if let Some(thread) = &failure.thread {
        let _ = write!(text, " (thread {})", thread);
    }
    text.push('\n');
    for one in &failure.tried {
        let _ = writeln!(text, "- tried: {} - failed because: {}", one.approach, one.reason);
    }
    if !failure.created.is_empty() || !failure.commits.is_empty() {
        let (files, commits) = (failure.created.join(", "), failure.commits.join(", "));
        let _ = writeln!(text, "- left behind: {files} {commits}");
    }
    if let Some(why) = &failure.hypothesis {
        let _ = writeln!(text, "- hypothesis: {why}");
    }
    if let Some(next) = &failure.suggested_retry {
        let _ = writeln!(text, "- suggested: {next}");
    }
    text
}

pub(super) fn debugger(state: &State, id: &str, text: &mut String) {
    let Some(block) = state.blocks.get(id) else { return };
    let _ = write!(
        text,
        "\n## What to do\n\nFind out why block {id} ({}) fails. Work with hypotheses: state one, test it, keep what \
         you find. Add to what is known; never try what is ruled out. Change nothing in the tree. You are resolved \
         when you can say what is wrong and how it is mended.\n",
        block.plan.objective
    );
    text.push_str("\nIts must-haves:\n\n");
    must_haves(block, text);
    if !block.plan.content.trim().is_empty() {
        let path = block.plan.path.clone().unwrap_or_else(|| files::plan_path(&block.plan));
        text.push_str(&part("Its plan", &block.plan.content, 60_000, &path));
    }
    told::judged(state, block, text);
    failures(block, text);
    if block.failures.is_empty()
        && let Some(session) = &block.debug
    {
        text.push_str(&data("The session so far", &session.render(), usize::MAX));
    }
}
