//! Labels that say all on their own line, and words that only introduce the list behind them.

use super::super::super::classify;
use super::super::super::document::{unboxed, unmarked};
use super::super::super::model::Check;
use super::super::super::wordlist::WordList;
use super::super::beside::is_sample;
use super::super::groups;
use super::super::items::one_criterion;
use super::super::kept;
use super::super::parts::Part;
use super::{Walk, is_quiet};
use std::ops::Range;

/// What a step runs.
#[derive(Clone, Debug)]
pub(super) struct Run {
    code: Range<usize>,
    passes: bool,
    /// The place of the step.
    task: usize,
}

/// A list behind some words.
struct Listed {
    /// An empty line stands before it.
    apart: bool,
    /// Its first item has a number or a box, as work has.
    worked: bool,
}

/// Of an introduction, words that say that a list follows.
static LEADS: WordList =
    WordList::new(&["all", "each", "every", "both", "following", "below", "these", "this"]);

/// Beside them, words that say nothing of their own.
static FILLS: WordList = WordList::new(&[
    "of",
    "the",
    "item",
    "items",
    "one",
    "must",
    "should",
    "has",
    "have",
    "be",
    "been",
    "true",
    "hold",
    "holds",
    "pass",
    "passes",
    "met",
    "satisfied",
    "green",
    "done",
    "is",
    "are",
    "to",
    "when",
    "if",
    "only",
    "complete",
    "completed",
    "criteria",
    "criterion",
    "conditions",
    "condition",
    "checks",
    "check",
    "points",
    "steps",
    "tasks",
    "things",
    "in",
    "order",
    "and",
    "implement",
    "do",
    "make",
    "perform",
    "carry",
    "out",
    "as",
    "listed",
    "apply",
    "required",
    "verified",
    "shown",
    "before",
    "sprint",
    "listing",
    "list",
    "work",
    "through",
]);

/// Labels over what is only shown, or no more to be done, of which not even an open box is work.
static SHOWN: WordList =
    WordList::new(&["example", "examples", "template", "sample", "rollback", "deferred"]);

impl Walk<'_, '_> {
    /// Whether a label of preconditions or a goal says all in the words up to a byte: the list behind them is of the
    /// sprint then. Where tasks or criteria stand before it, the list has no better place.
    pub(super) fn is_told(
        &self,
        found: Part,
        text: &str,
        end: usize,
        before: Option<Part>,
    ) -> bool {
        let free = match before {
            None => !self.named,
            Some(Part::Other) => self.is_open_work(),
            Some(_) => false,
        };
        let single = matches!(found, Part::Entry | Part::Goal);
        let list = self.list_behind(end).filter(|_| single && free);
        list.is_some_and(|list| (list.apart || list.worked) && !leads(text))
    }

    /// Whether an open box here is work of the sprint: behind labels that said all on their lines, before any tasks.
    pub(super) fn is_open_work(&self) -> bool {
        self.said && !self.named && self.under.is_none()
    }

    /// Remembers whether the label of no known part that is open said all on its line.
    pub(super) fn said_on_line(&mut self, text: &str) {
        let words = groups::small(&self.label);
        self.said = !leads(text) && !is_no_work(&words);
    }

    /// Below a deeper heading of no known part, "Implementation for Story 1", open boxes are work as well.
    pub(super) fn said_by_heading(&mut self, words: &str) {
        let wished = is_no_work(&groups::small(words));
        self.said = !wished && !is_quiet(words) && !is_sample(words);
    }

    /// Whether words behind a label say nothing but that a list follows, and one does.
    pub(super) fn introduces(&self, text: &str, end: usize) -> bool {
        is_introduction(text) && self.leads_more(end)
    }

    /// Whether a list, a fence or a table begins behind a byte.
    pub(super) fn leads_more(&self, end: usize) -> bool {
        let behind = self.outline.text.get(end..).unwrap_or_default().trim_start();
        self.list_behind(end).is_some() || behind.starts_with("```") || behind.starts_with('|')
    }

    /// The list that begins right behind the line that ends at a byte.
    fn list_behind(&self, end: usize) -> Option<Listed> {
        let (before, rest) = self.outline.text.split_at_checked(end)?;
        let rest = match before.ends_with('\n') {
            true => rest,
            false => {
                let (tail, rest) = rest.split_once('\n')?;
                tail.trim().is_empty().then_some(rest)?
            }
        };
        let apart = rest.lines().next()?.trim().is_empty();
        let line = rest.trim_start().lines().next()?;
        let item = unmarked(line);
        let worked = line.starts_with(|c: char| c.is_ascii_digit()) || unboxed(item).1.is_some();
        (item != line).then_some(Listed { apart, worked })
    }

    /// Keeps "Run: `a`" and "Expected: PASS" below the steps of a task, which say how a step is done. Whether they are that.
    pub(super) fn step_runs(&mut self, source: &str, range: &Range<usize>) -> bool {
        let found = run_and_expected(source).filter(|_| self.stepped);
        let Some((code, passes)) = found else { return false };
        self.ends_run();
        let task = self.body.tasks.len().saturating_sub(1);
        self.run =
            Some(Run { task, code: range.start + code.start..range.start + code.end, passes });
        true
    }

    /// What the last step runs and is to pass shows that the sprint is done, if that can be read as any criterion.
    pub(super) fn run_last(&mut self) {
        let Some(Run { code, .. }) = self.run.clone().filter(|run| run.passes) else {
            return self.ends_run();
        };
        let text = format!("`{}` passes", self.outline.source(&code));
        let one = one_criterion(&text, self.outline.lines(&code));
        let known = self.body.exit.iter().any(|other| other.check == one.check);
        match one.check {
            Check::Command { .. } if !known => self.body.exit.push(one),
            _ => self.ends_run(),
        }
    }

    /// What a step runs on the way stays text of the step.
    fn ends_run(&mut self) {
        let Some(Run { code, task, .. }) = self.run.take() else { return };
        if let Some(last) = self.body.tasks.get_mut(task) {
            let line = self.outline.lines(&code).last.saturating_add(1);
            last.lines.last = last.lines.last.max(line);
        }
        self.body.kept.push(kept::block(self.reader, &code));
    }

    /// Gives the ids of requirements to the first task, so that who looks for them finds them; without any task they
    /// are what is to be done.
    pub(super) fn refer_all(&mut self) {
        let referred = std::mem::take(&mut self.referred);
        match self.body.tasks.first_mut() {
            Some(first) => {
                referred.iter().for_each(|one| first.text.push_str(&format!("\n- {}", one.text)));
            }
            None => self.body.tasks = referred,
        }
    }
}

/// Whether a label says that nothing below it is to be done.
fn is_no_work(words: &str) -> bool {
    groups::begins_with(&groups::WISHED, words) || groups::begins_with(&SHOWN, words)
}

/// Whether words lead to what stands behind them.
fn leads(text: &str) -> bool {
    text.trim_end().ends_with(':') || is_introduction(text)
}

/// "All of the following must be true:", "every item below", "(run from the repo root)".
fn is_introduction(text: &str) -> bool {
    let bare = text.trim().trim_end_matches([':', '.', '…', '—', '–', ' ']);
    let inner = bare.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    if let Some(inner) = inner.filter(|inner| !inner.contains(['(', ')'])) {
        return !matches!(classify::check(inner), Check::Command { .. });
    }
    let lower = bare.to_lowercase();
    let mut words = lower
        .split(|c: char| c.is_whitespace() || ",()*_".contains(c))
        .filter(|word| !word.is_empty());
    let known = words.clone().all(|word| LEADS.has(word) || FILLS.has(word));
    known && words.any(|word| LEADS.has(word))
}

/// Whether a text is nothing but ids of requirements: "FR-1, FR-2".
pub(super) fn is_ids(text: &str) -> bool {
    let mut pieces = text
        .split(|c: char| c.is_whitespace() || ",;/&`".contains(c))
        .filter(|one| !one.is_empty());
    let is_id = |one: &str| {
        let (kind, number) = one.trim_end_matches('.').rsplit_once('-').unwrap_or_default();
        let upper = |c: char| c.is_ascii_uppercase() || c == '-' || c.is_ascii_digit();
        kind.starts_with(|c: char| c.is_ascii_uppercase())
            && kind.chars().all(upper)
            && number.starts_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    pieces.clone().any(is_id) && pieces.all(|one| is_id(one) || one == "and")
}

/// Whether an item is a step of a task as agents' plans write them: "**Step 2: Run it**".
pub(super) fn is_step(text: &str) -> bool {
    let rest = text.trim_start_matches(['*', '_']).strip_prefix("Step ");
    rest.is_some_and(|rest| {
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        behind.len() < rest.len() && behind.starts_with([':', '.', ' ', '*', ')'])
    })
}

/// The command of "Run: `a`", and whether the line behind it says that it passes: "Expected: PASS".
pub(super) fn run_and_expected(source: &str) -> Option<(Range<usize>, bool)> {
    let mut lines = source.lines().map(|line| line.trim().trim_matches(['*', '_']));
    let first = lines.next()?.strip_prefix("Run:")?;
    let code = first.trim_start_matches(['*', ' ']).strip_prefix('`')?.strip_suffix('`')?;
    let said = lines.next()?.strip_prefix("Expected:")?.trim_matches(|c: char| "* `.".contains(c));
    let passes = ["pass", "passes", "exit 0", "exits 0", "all pass", "all tests pass", "success"];
    let start = source.find(code)?;
    let one = !code.is_empty() && !code.contains('`') && lines.next().is_none();
    one.then(|| (start..start + code.len(), passes.contains(&said.to_lowercase().as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn introductions_say_nothing_of_their_own() {
        for text in [
            "All of the following must be true:",
            "all of",
            "Every item below:",
            "(run from the repo root)",
            "implement the following",
        ] {
            assert!(is_introduction(text), "{text}");
        }
        for text in [
            "all tests pass",
            "any of the following",
            "The server starts:",
            "`make test` passes",
            "(`make test` passes)",
            "done",
        ] {
            assert!(!is_introduction(text), "{text}");
        }
        assert!(is_ids("FR-1, FR-2") && is_ids("NFR-PERF-2.1 and FR-1"));
        assert!(!is_ids("and") && !is_ids("FR-1 login") && !is_ids("utf-8"));
        assert!(is_step("**Step 2: Run it**") && !is_step("Step back") && !is_step("Steps"));
    }

    #[test]
    fn what_a_step_runs_is_found_with_what_it_prints() {
        let read =
            |text: &str| run_and_expected(text).map(|(at, passes)| (text[at].to_owned(), passes));
        let found = Some(("make a".to_owned(), true));
        assert_eq!(read("Run: `make a`\nExpected: PASS\n"), found);
        assert_eq!(read("**Run:** `make a`\n**Expected:** exit 0"), found);
        assert_eq!(read("Run: `make a`\nExpected: FAIL"), Some(("make a".to_owned(), false)));
        assert_eq!(read("Run: `make a`"), None);
    }
}
