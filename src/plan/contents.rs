//! After a plan was rewritten: all that it asks for must still be asked for. What each sprint says is compared without
//! where it stands and which numbers sprints have, so that no line that came to stand beside another changes it.

use super::model::{Check, Plan, PlanCriterion, Sprint};
use std::collections::{BTreeMap, BTreeSet};

/// One thing that a sprint says, and its line.
pub(super) type Said = (String, u32);

/// The labels that numbers may have been given anew among, in small letters.
pub(super) struct Labels(BTreeSet<String>);

impl Labels {
    /// All labels of two plans.
    pub(super) fn of(one: &Plan, other: &Plan) -> Labels {
        Labels(one.sprints().chain(other.sprints()).map(|one| one.label.to_lowercase()).collect())
    }

    fn has(&self, word: &str) -> bool {
        let lower = word.to_lowercase();
        self.0.contains(&lower) || lower.strip_prefix('s').is_some_and(|bare| self.0.contains(bare))
    }

    /// A text without labels and what joins them: a range of them may have become a list.
    pub(super) fn bare(&self, text: &str) -> String {
        let mut kept = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let word = rest.len() - rest.trim_start_matches(char::is_alphanumeric).len();
            let (part, behind) = rest.split_at(word.max(letter.len_utf8()));
            let joins = matches!(part, "to" | "and" | "through" | "," | "-" | "–" | "—");
            if !joins && !letter.is_whitespace() && !self.has(part) {
                kept.push_str(part);
                kept.push(' ');
            }
            rest = behind;
        }
        kept
    }
}

/// The tasks and criteria of a sprint: what is to be done, and how each is checked.
pub(super) fn items(sprint: &Sprint, labels: &Labels) -> Vec<Said> {
    let tasks = sprint.tasks.iter().map(|one| {
        let said = format!("task {:?} {} {}", one.kind, one.ticked, labels.bare(&one.text));
        (said, one.lines.first)
    });
    tasks.chain(entries(sprint, labels)).chain(exits(sprint, labels)).collect()
}

/// What must hold before a sprint starts.
pub(super) fn entries<'s>(
    sprint: &'s Sprint,
    labels: &'s Labels,
) -> impl Iterator<Item = Said> + 's {
    sprint.entry.iter().map(|one| criterion("entry", one, labels))
}

/// What must hold before a sprint is done.
pub(super) fn exits<'s>(sprint: &'s Sprint, labels: &'s Labels) -> impl Iterator<Item = Said> + 's {
    sprint.exit.iter().map(|one| criterion("exit", one, labels))
}

/// A command is compared as it is: in it, a number is nobody's label.
fn criterion(kind: &str, one: &PlanCriterion, labels: &Labels) -> Said {
    let check = match &one.check {
        Check::Command { command, expect } => format!("command {command:?} {expect:?}"),
        other => format!("{other:?}"),
    };
    (format!("{kind} {check} {} {}", one.ticked, labels.bare(&one.text)), one.lines.first)
}

/// Everything that a sprint says.
pub(super) fn whole(sprint: &Sprint, labels: &Labels) -> Vec<Said> {
    let mut all = items(sprint, labels);
    let goal = sprint.goal.as_deref().map(|goal| labels.bare(goal));
    let facts = format!(
        "sprint {:?} {:?} {:?} {:?} {:?} {:?} {:?} {}",
        labels.bare(&sprint.name),
        sprint.word,
        goal,
        sprint.kind,
        sprint.layer,
        sprint.model,
        sprint.turns,
        sprint.deferred
    );
    all.push((facts, sprint.lines.first));
    all
}

/// What a plan says beside its sprints.
fn around(plan: &Plan, labels: &Labels) -> Vec<Said> {
    let rules = plan.rules.iter().map(|one| criterion("rule", one, labels));
    let template = plan.template.iter();
    let template = template.map(|one| (labels.bare(&one.text), one.lines.first));
    let units = plan.units.iter().map(|one| {
        let said = format!("unit {} {} {:?} {:?}", one.id, one.name, one.directory, one.layer);
        (said, one.lines.first)
    });
    let front = plan.front.iter().map(|one| (format!("{}: {}", one.name, one.value), 1));
    rules.chain(template).chain(units).chain(front).collect()
}

/// What is said in one and not as often in the other.
pub(super) fn lost(was: &[Said], now: &[Said]) -> Vec<Said> {
    let mut many: BTreeMap<&str, usize> = BTreeMap::new();
    now.iter().for_each(|(said, _)| *many.entry(said).or_default() += 1);
    let gone = was.iter().filter(|(said, _)| match many.get_mut(said.as_str()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    });
    gone.cloned().collect()
}

/// Whether the same is said, in whatever order.
pub(super) fn same(one: &[Said], other: &[Said]) -> bool {
    one.len() == other.len() && lost(one, other).is_empty()
}

/// The first thing that is said in one and not in the other: what is lost before what is new, and whether it is lost.
fn differs(was: &[Said], now: &[Said]) -> Option<(Said, bool)> {
    let gone = lost(was, now).into_iter().next().map(|said| (said, true));
    gone.or_else(|| Some((lost(now, was).into_iter().next()?, false)))
}

/// The first difference between two plans that is not one of places and numbers, where `now_of` is what the id of a
/// sprint is now; and the sprint it is of, by the id it had. Those that are changed on purpose (`aside`) are looked at
/// elsewhere.
pub(super) fn astray(
    was: &Plan,
    now: &Plan,
    now_of: impl Fn(&str) -> String,
    aside: &BTreeSet<String>,
) -> Option<(Option<String>, Said, bool)> {
    let labels = Labels::of(was, now);
    let open = now.sprints().filter(|one| !aside.contains(&one.id));
    let mut open: BTreeMap<&str, &Sprint> = open.map(|one| (one.id.as_str(), one)).collect();
    for sprint in was.sprints().filter(|one| !aside.contains(&one.id)) {
        let read = open.remove(now_of(&sprint.id).as_str());
        let found = read.map(|one| whole(one, &labels)).unwrap_or_default();
        if let Some((said, lost)) = differs(&whole(sprint, &labels), &found) {
            return Some((Some(sprint.id.clone()), said, lost));
        }
    }
    if let Some((_, more)) = open.pop_first() {
        return Some((None, (format!("sprint {}", more.label), more.lines.first), false));
    }
    differs(&around(was, &labels), &around(now, &labels)).map(|(said, lost)| (None, said, lost))
}

#[cfg(test)]
mod tests {
    use super::super::read::parse;
    use super::*;

    fn plan(more: &str) -> Plan {
        parse(&format!(
            "# P\n\n## Sprint 1: A\n\n**Tasks**:\n1. Do `a.py` as Sprints 1-2 say\n\n**Exit criteria**:\n\
             - [ ] `test ! -d tmp`\n{more}\n## Sprint 2: B\n\n**Tasks**:\n1. Do `b.py`\n"
        ))
        .plan
    }

    #[test]
    fn only_places_and_numbers_may_differ() {
        let id = |id: &str| id.to_owned();
        let was = plan("");
        assert_eq!(astray(&was, &plan("\n\n"), id, &BTreeSet::new()), None);
        let other = |text: &str| text.replace("Sprints 1-2", "Sprints 2, 1");
        let mut now = was.clone();
        let task = &mut now.units[0].sprints[0].tasks[0];
        task.text = other(&task.text);
        assert_eq!(astray(&was, &now, id, &BTreeSet::new()), None);
        // The line below becomes a part of the criterion, and its command is not run any more.
        let (sprint, said, lost) =
            astray(&was, &plan("Remove the rest.\n"), id, &BTreeSet::new()).unwrap();
        assert_eq!((sprint.as_deref(), lost), (Some("plan/1"), true), "{said:?}");
        assert!(said.0.starts_with("exit command \"test ! -d tmp\"") && said.1 == 9, "{said:?}");
        now.units[0].sprints.pop();
        assert!(
            astray(&now, &was, id, &BTreeSet::new()).is_some()
                && astray(&was, &now, id, &BTreeSet::new()).is_some()
        );
    }
}
