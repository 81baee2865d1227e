//! The verification cascade, as a pure function: what a run said, what the tree shows, what progress
//! files say and what commands found, weighed in this order of trust from the back.
//!
//! Words never complete anything: they can only turn a case that all else leaves open into partial
//! work. What no command shows must be claimed with typed proof and goes to a verifier, or to the user.

use super::report::Outcome;
use super::state::{Check, Checking, Left, Progress, Sprint, TaskKind};
use crate::mission::prelude::*;

/// What comes of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every criterion is shown, or waits for a gate.
    Complete,
    /// A verifier is to judge what was claimed.
    Verify,
    /// The user is to say whether these hold.
    Confirm(Vec<String>),
    /// Some of it is done.
    Partial {
        /// Why it is not all.
        why: String,
        /// What is left.
        remaining: Vec<String>,
    },
    /// The attempt failed.
    Failure {
        /// The code of what went wrong.
        code: Code,
        /// In words.
        why: String,
    },
}

/// Weighs it all. Every due command has been run.
pub fn verdict(sprint: &Sprint, checking: &Checking) -> Verdict {
    let said = checking.said.as_ref().map(|report| report.outcome);
    let remaining = || remaining(sprint, checking);
    let partial = |why: &str| Verdict::Partial { why: why.to_owned(), remaining: remaining() };
    let against = |shown: bool| checking.against.iter().filter(move |one| one.shown == shown);
    if let Some(first) = against(true).next() {
        // A run that called it done and is not believed has failed; one that did not may go on.
        let why = format!("{}: {}", first.criterion, first.why);
        return match checking.moved && said != Some(Outcome::Completed) {
            true => partial(&why),
            false => Verdict::Failure { code: Code::CommandFailed, why },
        };
    }
    if let Some(first) = against(false).next() {
        let why = format!("{} is not shown: {}", first.criterion, first.why);
        return match checking.moved {
            true => partial(&why),
            false => Verdict::Failure { code: Code::NotShown, why },
        };
    }
    if sprint.plan.kind == TaskKind::Code && checking.by.is_some() {
        if !checking.dirty.is_empty() {
            return partial(&format!("not committed: {}", checking.dirty.join(", ")));
        }
        if sprint.paths.is_empty() {
            let why = "no commit of its work was seen".to_owned();
            return Verdict::Failure { code: Code::NoCommit, why };
        }
    }
    if let Some(Left::Unsaid(problem) | Left::Lost(problem)) = &checking.left
        && !checking.moved
    {
        // Who neither said nor did anything completes nothing, whatever holds.
        return Verdict::Failure { code: problem.code, why: problem.to_string() };
    }
    match said {
        Some(Outcome::Partial) if sprint.plan.kind != TaskKind::Manual => {
            return partial("its agent says that some is left");
        }
        Some(Outcome::Failed) => return partial("its agent says that it failed"),
        _ => {}
    }
    if checking.progress == Some(Progress::Unfinished) {
        return partial("its progress file says that it is not done");
    }
    judged(sprint, checking, partial)
}

/// What no command shows: claimed and to be judged, not claimed, or the user's.
fn judged(sprint: &Sprint, checking: &Checking, partial: impl Fn(&str) -> Verdict) -> Verdict {
    let claimed = |state: &CriterionState| {
        matches!(state, CriterionState::Claimed { .. } | CriterionState::Verified { .. })
    };
    let recorded = checking.by.is_none();
    if let Some(open) =
        sprint.left_to(Check::Verifier).find(|one| !claimed(&one.state) && !recorded)
    {
        return partial(&format!("{} is not claimed with proof", open.id));
    }
    if sprint.left_to(Check::Verifier).any(|one| !one.settled()) {
        return Verdict::Verify;
    }
    let hands = sprint.open_to(Check::Person);
    match hands.is_empty() {
        true => Verdict::Complete,
        false => Verdict::Confirm(hands),
    }
}

/// The work that is left: what did not hold, what its agent named, what no run claimed.
fn remaining(sprint: &Sprint, checking: &Checking) -> Vec<String> {
    let mut left: Vec<String> =
        checking.against.iter().map(|one| format!("{}: {}", one.criterion, one.why)).collect();
    left.extend(checking.said.iter().flat_map(|report| report.remaining.iter().cloned()));
    left.extend(checking.left.iter().map(|left| left.problem().to_string()));
    let open = |state: &CriterionState| {
        matches!(state, CriterionState::Open | CriterionState::Rejected { .. })
    };
    let named = |id: &str| checking.against.iter().any(|one| one.criterion == id);
    let judged = sprint.left_to(Check::Verifier);
    let unclaimed = judged.filter(|one| open(&one.state) && !named(&one.id));
    left.extend(unclaimed.map(|one| format!("{}: {}", one.id, one.text.trim())));
    left
}

/// What a progress file says about a sprint: the words on the lines that name it, or on the whole page
/// where none does. Words of doubt beat words of success.
pub fn progress(text: &str, label: &str, name: &str) -> Option<Progress> {
    let lower = text.to_lowercase();
    let marks = [format!("sprint {label}"), format!("sortie {label}"), name.to_lowercase()];
    let marks: Vec<String> =
        marks.iter().map(|mark| mark.to_lowercase()).filter(|mark| mark.len() > 3).collect();
    let names = |line: &&str| marks.iter().any(|mark| mentions(line, mark));
    let lines: Vec<&str> = lower.lines().filter(names).collect();
    let has =
        |words: &[&str]| lines.iter().any(|line| words.iter().any(|word| line.contains(word)));
    if has(&["partial", "incomplete", "in progress", "not done", "todo", "- [ ]"]) {
        Some(Progress::Unfinished)
    } else if has(&["complete", "done", "passing", "- [x]"]) {
        Some(Progress::Done)
    } else {
        None
    }
}

/// Whether a line names a mark as a word of its own: `sprint 1` is not named by `sprint 12`.
fn mentions(line: &str, mark: &str) -> bool {
    line.match_indices(mark).any(|(at, _)| {
        let behind = line[at + mark.len()..].chars().next();
        behind.is_none_or(|c| !c.is_alphanumeric())
    })
}
