//! What those are told who judge: must-haves with what the host saw, and all that is noteworthy beside them.

use super::super::anomaly;
use super::super::block::noted;
use super::super::files;
use super::super::handed;
use super::super::outcome;
use super::super::state::{Block, Passed, State};
use super::super::unnamed;
use super::{data, part, told};
use crate::vocab::criterion::CriterionState;
use std::fmt::Write;

pub(super) fn recognizer(state: &State, text: &mut String) {
    let patrol = state.core.wave >= state.core.waves.len();
    let what = match patrol {
        true => {
            "PATROL: look at everything that was built, at this head. Verify that the goal is reached, not that \
                 tasks were ticked off."
        }
        false => "Verify this wave: does each must-have hold? Not whether tasks were ticked off.",
    };
    let _ = write!(
        text,
        "\n## What to do\n\n{what}\n\nThree levels for files: they are there; they are real and no stubs; they are \
         wired into the system. Read the code, run the test or the command, look yourself; the words of those who did \
         the work show nothing. Change nothing in the tree. Return CLEAR, GAPS_FOUND or CRITICAL_ANOMALY, and a row \
         for each must-have with what you ran or read: a line of a file that git tracks, or a command whose exit \
         status tells how it went (one that ends in `|| true` or `| tail` shows nothing).\n"
    );
    for block in state.judged() {
        let _ = write!(text, "\n## Block {}: {}\n\n", block.id, block.plan.objective);
        for criterion in &block.criteria {
            let line = crate::vocab::text::one_line(&criterion.text);
            let stand = match &criterion.state {
                CriterionState::Verified { .. } if patrol && state.is_stale(block) => {
                    "shown before, show it again"
                }
                CriterionState::Verified { .. } => "shown",
                CriterionState::Waived { .. } => "let go",
                CriterionState::Open
                | CriterionState::Claimed { .. }
                | CriterionState::Rejected { .. } => "to be shown",
            };
            let _ = writeln!(text, "- {}/{}: {line} ({stand})", block.id, criterion.id);
            if let Some(look) =
                state.core.verification.mechanical.get(&format!("{}/{}", block.id, criterion.id))
            {
                let _ = writeln!(text, "  the host looked: {}", look.line());
            }
        }
        objected(block, text);
        for finding in noted(block) {
            let _ = writeln!(text, "- noted: {finding}");
        }
        for line in block.done_beside() {
            let _ = writeln!(text, "- {line}");
        }
        told::judged(state, block, text);
        if let Some(words) = block.summary.as_ref().and_then(|summary| summary.words.clone()) {
            text.push_str(&part("Its summary", &words, 2_000, &files::summary_path(&block.plan)));
        }
        if !block.prose.is_empty() {
            let (said, path) = (block.prose.join("\n\n"), files::summary_path(&block.plan));
            text.push_str(&part("Said around its reports", &said, 4_000, &path));
        }
    }
    let gone = outcome::let_go_lines(state);
    if !gone.is_empty() {
        text.push_str(
            "\n## What was let go\n\nIt was not shown, and need not be: it is no row and no gap of yours, and named as one it is \
             noted and stays let go.\n",
        );
        text.push_str(&data("What was let go, by whom and why", &told::whole(&gone), told::MOST));
    }
    anomalies(state, text);
    let asked: Vec<String> = handed::now(state).into_iter().chain(handed::before(state)).collect();
    told::asked(&asked, ASKED, text);
    over(state, text);
    let commits = unnamed::lines(&state.core.unnamed, None);
    if !commits.is_empty() {
        text.push_str(
            "\n## Commits that no report names\n\nNobody said what they are for. Look at what each changes, and whether it \
             belongs there; what does not is a gap.\n\n",
        );
        for line in commits {
            let _ = writeln!(text, "- {line}");
        }
    }
}

const ASKED: &str = "Those who worked and judged wrote that something must change, or is in the way. Look whether it was \
                     heeded in what you judge; what was not is a gap.";

/// What a person said at checkpoints, for who judges: what was found wrong is looked at, confirmed since or not.
fn objected(block: &Block, text: &mut String) {
    let open: Vec<&Passed> = block.objections().collect();
    for one in block.passed.iter().filter(|one| one.objected) {
        let stand = match open.contains(&one) {
            true => "open",
            false => "the person confirmed it since",
        };
        let _ =
            writeln!(text, "- a person found at thread {} {} ({stand})", one.thread, one.answer);
    }
}

/// Critical anomalies that were told before: whoever judges finds out whether they are gone.
fn anomalies(state: &State, text: &mut String) {
    let lines = anomaly::lines(state);
    if lines.is_empty() {
        return;
    }
    text.push_str(
        "\n## Critical anomalies that were told\n\nA person was asked about each. Look whether it is gone, at this head; what is \
         left of it is a gap, or an anomaly still.\n",
    );
    text.push_str(&data("What was told", &told::whole(&lines), told::MOST));
}

/// What was verified before and changed since: whoever judges the wave that changed it is told.
fn over(state: &State, text: &mut String) {
    let all = state.written_over();
    if all.is_empty() {
        return;
    }
    text.push_str(
        "\n## Verified before, and changed since\n\nIt is no row of yours: everything is judged once more at the end. What does \
         not hold any more is a gap, with the block and the must-have named.\n",
    );
    for (block, paths) in all {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let _ = writeln!(text, "\nBlock {}, changed: {}", block.id, paths.join(", "));
        for criterion in block.criteria.iter().filter(|one| !one.waived()) {
            let (id, line) = (&criterion.id, crate::vocab::text::one_line(&criterion.text));
            let _ = writeln!(text, "- {id}: {line}");
            let look = state.core.verification.mechanical.get(&format!("{}/{id}", block.id));
            if let Some(look) = look {
                let _ = writeln!(text, "  the host looked: {}", look.line());
            }
        }
    }
}
