//! What is not decided: places that put something off, leave a choice, do not say what, or speak of a system
//! whose interface nothing describes.

use super::super::analyze::{IssueKind, OpenKind, OpenQuestion, Severity};
use super::super::document::{LineRange, unboxed, unmarked};
use super::super::model::{Plan, PlanTask, Sprint};
use super::super::order;
use super::super::outline::{Content, plain};
use super::super::requirements::is_undecided;
use super::Look;
use crate::vocab::error::clip;
use std::collections::BTreeSet;
use std::ops::Range;

/// The sprint and the task that each line of a document is of; where there are several, the first.
struct Owners<'p> {
    sprints: Vec<Option<&'p Sprint>>,
    tasks: Vec<Option<&'p PlanTask>>,
}

impl<'p> Owners<'p> {
    fn of(plan: &'p Plan, lines: usize) -> Self {
        let mut owners = Owners { sprints: vec![None; lines + 1], tasks: vec![None; lines + 1] };
        for sprint in plan.sprints() {
            for place in owners.places(sprint.lines) {
                owners.sprints[place].get_or_insert(sprint);
            }
            for task in &sprint.tasks {
                for place in owners.places(task.lines) {
                    if owners.sprints[place].is_some_and(|one| one.id == sprint.id) {
                        owners.tasks[place].get_or_insert(task);
                    }
                }
            }
        }
        owners
    }

    fn places(&self, lines: LineRange) -> Range<usize> {
        let end = self.sprints.len().min(lines.last as usize + 1);
        (lines.first as usize).min(end)..end
    }

    fn at(&self, line: u32) -> (Option<&'p Sprint>, Option<&'p PlanTask>) {
        let place = line as usize;
        (self.sprints.get(place).copied().flatten(), self.tasks.get(place).copied().flatten())
    }
}

impl Look<'_> {
    /// All open questions, in the order of their lines.
    pub(in super::super) fn questions(&mut self) -> Vec<OpenQuestion> {
        let dependents = order::dependents(self.plan);
        let listed = self.listed();
        let mut found = Vec::new();
        let mut fenced = false;
        let owners = Owners::of(self.plan, self.outline.text.lines().count());
        for (line, number) in self.outline.text.lines().zip(1_u32..) {
            fenced ^= line.trim_start().starts_with("```");
            if fenced {
                continue;
            }
            let (sprint, task) = owners.at(number);
            let bare = bare(line);
            let below = || listed.contains(&number) && !is_settled(bare);
            let outside =
                || task.is_some() && sprint.is_some_and(|one| self.is_unknown_system(one, bare));
            let kind = open_kind(bare)
                .or_else(|| below().then_some(OpenKind::Undecided))
                .or_else(|| outside().then_some(OpenKind::External));
            let Some(kind) = kind else { continue };
            let mut blocks: Vec<String> = sprint.map(|one| one.id.clone()).into_iter().collect();
            blocks.extend(
                sprint.and_then(|one| dependents.get(&one.id)).into_iter().flatten().cloned(),
            );
            found.push(OpenQuestion {
                text: clip(&plain(bare), 160),
                line: number,
                sprint: sprint.map(|one| one.id.clone()),
                task: task.map(|task| task.label.clone()),
                kind,
                blocks,
            });
        }
        for one in &found {
            let put_off = one.sprint.is_some() && one.kind == OpenKind::Undecided;
            let severity = if put_off { Severity::Critical } else { Severity::Recommended };
            let problem = format!("Not decided: {}", one.text);
            self.issue(severity, 1, IssueKind::Question, one.at(), problem, one.advice());
        }
        found
    }

    /// The lines of items below a heading "Open questions".
    fn listed(&self) -> BTreeSet<u32> {
        let mut lines = BTreeSet::new();
        let mut open = false;
        for block in &self.outline.blocks {
            match &block.content {
                Content::Heading(_) => {
                    open = is_undecided(&plain(self.outline.heading(block).0));
                }
                Content::List(items) if open => {
                    lines.extend(items.iter().map(|item| self.outline.line(item.start)));
                }
                _ => {}
            }
        }
        lines
    }

    /// Whether a line of a sprint speaks of a system outside, and neither says where it is described.
    fn is_unknown_system(&self, sprint: &Sprint, bare: &str) -> bool {
        const SYSTEMS: [&str; 6] = [
            "external api",
            "external service",
            "external system",
            "third-party api",
            "third-party service",
            "third party api",
        ];
        const DESCRIBED: [&str; 5] = ["http:", "https:", "openapi", ".proto", "docs/"];
        let lower = bare.to_lowercase();
        if !SYSTEMS.iter().any(|name| lower.contains(name)) {
            return false;
        }
        let whole = self.outline.source(&self.outline.bytes(sprint.lines)).to_lowercase();
        !DESCRIBED.iter().any(|mark| whole.contains(mark))
    }
}

/// A line without what marks it as an item or a row.
fn bare(line: &str) -> &str {
    let bare = line.trim_start_matches(['#', '|', '>', ' ', '\t']);
    unboxed(unmarked(bare)).0.trim_end_matches([' ', '|'])
}

/// An item that has its answer, or is none.
fn is_settled(bare: &str) -> bool {
    let lower = bare.to_lowercase();
    let begins = ["none", "[x]", "~~", "✓", "✅"].iter().any(|mark| lower.starts_with(mark));
    bare.is_empty()
        || begins
        || ["resolved", "decided:", "answer:"].iter().any(|word| lower.contains(word))
}

/// Whether a line leaves something open. What is quoted or resolved is not open, and neither is a line that says
/// that nothing is.
fn open_kind(line: &str) -> Option<OpenKind> {
    let code: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let free = code.split(['"', '“', '”']).step_by(2).collect::<Vec<_>>().join(" ");
    let lower = free.to_lowercase();
    if lower.contains("resolved") || lower.contains("decided:") {
        return None;
    }
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let begins =
        |phrases: &[&str]| phrases.iter().any(|phrase| lower.trim_start().starts_with(phrase));
    if is_marked(&free)
        || begins(&["decide which", "decide whether", "decide between", "decide on", "clarify "])
        || says(&[
            "determine later",
            "decide later",
            "to be decided",
            "to be determined",
            "to be clarified",
            "needs clarification",
            "???",
        ])
    {
        return Some(OpenKind::Undecided);
    }
    if says(&[
        "option a or option b",
        "either option",
        "pick whichever",
        "one of the following approaches",
        "or alternatively",
    ]) {
        return Some(OpenKind::Alternative);
    }
    says(&[
        "appropriate library",
        "suitable library",
        "suitable approach",
        "appropriate approach",
        "standard method",
        "some kind of",
    ])
    .then_some(OpenKind::Unspecific)
}

/// Whether a mark such as TBD stands for something that is missing. "No remaining TBD" and "all TODOs are removed"
/// speak of marks; `TODO.md` and a TODO list are things.
fn is_marked(free: &str) -> bool {
    const NONE: [&str; 16] = [
        "no", "zero", "0", "without", "none", "not", "never", "remove", "removes", "resolve",
        "resolves", "replace", "settle", "grep", "every", "all",
    ];
    const GONE: [&str; 6] = ["removed", "resolved", "replaced", "settled", "gone", "left"];
    let words: Vec<(usize, &str)> = free
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - free.as_ptr() as usize, word))
        .collect();
    (0..words.len()).any(|place| {
        let (at, word) = words[place];
        let behind = &free[at + word.len()..];
        let marks = match word {
            "TBD" | "TBC" => true,
            "TODO" => at == 0 || behind.is_empty() || behind.starts_with([':', '(', ')', ']', '?']),
            _ => false,
        };
        let near = |words: &[(usize, &str)], list: &[&str]| {
            words.iter().any(|(_, word)| list.contains(&word.to_lowercase().as_str()))
        };
        let file =
            behind.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
        let none = near(&words[place.saturating_sub(4)..place], &NONE);
        let gone = near(&words[place + 1..words.len().min(place + 5)], &GONE);
        marks && !file && !none && !gone
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_open_is_a_question() {
        for line in [
            "- [ ] No remaining TBD",
            "- No TBDs",
            "1. Remove every TODO: they are old",
            "- [ ] All TBD markers are removed",
            "- Keep notes in TODO.md",
            "- Create the TODO list page",
            "- `TBD` is a word",
            "- The router must decide which handler runs",
            "- No remaining \"TBD\", \"TODO\", \"decide later\" or \"either-or\" markers in the plan.",
        ] {
            assert_eq!(open_kind(bare(line)), None, "{line}");
        }
        for line in [
            "- [ ] TBD",
            "| 3 | TBD |",
            "1. TODO: choose one",
            "- The size (TBD) of it",
            "2. Decide which database",
        ] {
            assert_eq!(open_kind(bare(line)), Some(OpenKind::Undecided), "{line}");
        }
        assert_eq!(open_kind("Use an appropriate library"), Some(OpenKind::Unspecific));
    }
}
