//! Splits sprints that are too large or about two things.

use super::super::clause;
use super::super::model::{Criterion, Kind, Sprint, Status, id};
use super::checks::{SprintCheck, checks, concern};
use super::evaluate::{FixKind, Work, add, exists, exits, passes, turns};
use super::renumber::{Labels, PART, is_number, key_label, redirect};
use super::text::{commands, line, runs};
use super::words::MET;
use std::collections::BTreeMap;

impl Work<'_> {
    /// Splits every sprint that is too large or about two things and can be split; whether there was one.
    pub(super) fn split(&mut self) -> bool {
        let (found, _) = checks(&self.plan, self.budget, self.answers);
        let bad = |one: &&SprintCheck| {
            (one.bounded_scope() == Some(false) || one.single_concern == Some(false))
                && !self.refused.contains(&(FixKind::Split, one.sprint.clone()))
        };
        let bad: Vec<SprintCheck> = found.iter().filter(bad).cloned().collect();
        let mut any = false;
        for check in bad {
            match self.cut(&check) {
                true => any = true,
                false => _ = self.refused.insert((FixKind::Split, check.sprint)),
            }
        }
        any
    }

    fn cut(&mut self, check: &SprintCheck) -> bool {
        let found = self.plan.sprints().find(|(unit, sprint)| id(unit, sprint) == check.sprint);
        let Some((unit, sprint)) = found else { return false };
        let alone = !matches!(sprint.kind, Kind::Code | Kind::Command);
        let (unit, sprint) = (unit.name.clone(), sprint.clone());
        let Some(firsts) = firsts(&sprint, check).filter(|_| !alone) else { return false };
        let labels = ["1", "2"].map(|part| format!("{}{PART}{part}", sprint.label));
        let taken = |label: &String| {
            let mut all = self.plan.sprints().filter(|(own, _)| own.name == unit);
            all.any(|(_, one)| key_label(&one.label) == key_label(label))
        };
        if !is_number(&sprint.label) && labels.iter().any(taken) {
            return false;
        }
        let Some((mut first, mut second)) = self.halves(&sprint, &firsts, check) else {
            return false;
        };
        (first.label, second.label) = (labels[0].clone(), labels[1].clone());
        let entry = format!("Sprint {} {MET}", labels[0]);
        second.entry = vec![Criterion {
            added: true,
            ..clause::criterion("EC-001".to_owned(), &entry, false, Default::default())
        }];
        self.put(&unit, &[&sprint.label], vec![first, second]);
        let why = match check.bounded_scope() {
            Some(false) => turns(&check.estimate.turns()),
            _ => "two concerns".to_owned(),
        };
        let what = format!(
            "{}: {why}; its first part has {} of {} tasks",
            line(&sprint.name),
            firsts.iter().filter(|first| **first).count(),
            firsts.len()
        );
        self.fix(FixKind::Split, &check.sprint.replace(PART, "."), what);
        true
    }

    /// Puts sprints in the place of one or two others; who waited for one of these waits for the last of the new.
    pub(super) fn put(&mut self, unit: &str, was: &[&str], new: Vec<Sprint>) {
        let Some(last) = new.last().map(|one| one.label.clone()) else { return };
        let gone = was.iter().filter(|label| **label != last);
        let labels: Labels =
            gone.map(|label| ((unit.to_owned(), (*label).to_owned()), last.clone())).collect();
        redirect(&mut self.plan, &labels);
        for ((own, _), now) in self.became.iter_mut().filter(|((own, _), _)| own == unit) {
            let new = labels.get(&(own.clone(), now.clone()));
            new.into_iter().for_each(|new| now.clone_from(new));
        }
        self.became.extend(labels);
        for own in self.plan.units.iter_mut().filter(|one| one.name == unit) {
            let at = own.sprints.iter().position(|one| Some(&one.label.as_str()) == was.first());
            if let Some(at) = at {
                let end = own.sprints.len().min(at + was.len());
                own.sprints.splice(at..end, new);
                return;
            }
        }
    }

    /// The two halves of a sprint without labels; `None` if nothing shows the end of the first.
    fn halves(
        &mut self,
        sprint: &Sprint,
        firsts: &[bool],
        check: &SprintCheck,
    ) -> Option<(Sprint, Sprint)> {
        let (mut first, mut second) = (sprint.clone(), sprint.clone());
        let mut is_first = firsts.iter();
        first.tasks.retain(|_| is_first.next() == Some(&true));
        let mut is_first = firsts.iter();
        second.tasks.retain(|_| is_first.next() == Some(&false));
        // A file that no task names stays with the end of the whole.
        let early =
            |file: &String| first.tasks.iter().any(|task| task.text.contains(file.as_str()));
        let sort = |list: &[String]| list.iter().cloned().partition::<Vec<_>, _>(early);
        let (creates, changes) = (sort(&sprint.creates), sort(&sprint.changes));
        (first.creates, second.creates) = creates;
        (first.changes, second.changes) = changes;
        if let Some(lines) = sprint.lines_of_code {
            let many = firsts.iter().filter(|first| **first).count() as u64;
            let share = u64::from(lines) * many / firsts.len().max(1) as u64;
            let share = u32::try_from(share).unwrap_or(lines);
            (first.lines_of_code, second.lines_of_code) = (Some(share), Some(lines - share));
        }
        first.name.push_str(" (part 1)");
        second.name.push_str(" (part 2)");
        (second.added, second.depends_on, second.status) = (true, None, Status::Pending);
        first.exit = Vec::new();
        let builds = commands(sprint).filter(|one| passes(one) && runs(&one.line, "build"));
        let builds: Vec<Criterion> = builds.map(|one| exits(&one.line)).collect();
        let made = first.creates.iter().filter_map(|file| exists(file)).map(|line| exits(&line));
        let mut shown: Vec<Criterion> = made.chain(builds).collect();
        if shown.is_empty() {
            let text = format!(
                "Sprint {} ({}) becomes two. Which command shows that its first part is done? Write it as a criterion with a code span. The tasks of the first part: {}",
                sprint.label,
                sprint.name,
                first.tasks.iter().map(|task| line(&task.text)).collect::<Vec<_>>().join("; ")
            );
            shown = self.answered(format!("split:{}", check.sprint), text);
        }
        add(&mut first, shown);
        (!first.exit.is_empty()).then_some((first, second))
    }
}

/// For each task whether it is in the first half: those of the first concern, if there are two concerns; else those up
/// to where the subsystem changes, the nearest to the middle; else half of them.
fn firsts(sprint: &Sprint, check: &SprintCheck) -> Option<Vec<bool>> {
    let many = sprint.tasks.len();
    if many < 2 {
        return None;
    }
    // A task that names no file goes with the one before it.
    let mut last = None;
    let concerns = sprint.tasks.iter().map(|task| {
        last = concern(sprint, task).or(last);
        last
    });
    let concerns: Vec<Option<&str>> = concerns.collect();
    let mut counts: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    concerns.iter().for_each(|one| *counts.entry(*one).or_default() += 1);
    if check.single_concern == Some(false) && counts.len() > 1 {
        let first = concerns.iter().copied().find(|one| one.is_some()).flatten();
        return Some(concerns.iter().map(|one| *one == first || one.is_none()).collect());
    }
    let changes = concerns.windows(2).zip(1_usize..);
    let changes = changes.filter(|(pair, _)| pair[0].is_some() && pair[0] != pair[1]);
    let middle = many.div_ceil(2);
    let at = changes.map(|(_, at)| at).min_by_key(|at| at.abs_diff(middle)).unwrap_or(middle);
    Some((0..many).map(|place| place < at).collect())
}
