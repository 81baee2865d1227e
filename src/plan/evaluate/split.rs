//! Splits sprints that are too large or about two things.
//!
//! A heading, an end and a beginning are put between two tasks. Everybody who waited for the whole waits for
//! the second part.

use super::super::contents::{self, Labels};
use super::super::edit::{Edits, block, line_end, relabel};
use super::super::mention::Spot;
use super::super::model::{Dependency, Origin, Plan, Sprint, TaskKind};
use super::super::outline::{Content, Outline};
use super::super::quality::{SprintCheck, checks, concern};
use super::super::read::parse;
use super::commands::{Commands, criteria_for};
use super::settle::{Changes, beside, settle};
use super::{FIXED, FixKind, Work};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The longest label that is given.
const MOST_LABEL: usize = 16;

/// A sprint that becomes two.
struct Cut {
    sprint: String,
    /// The labels of the parts.
    labels: [String; 2],
    edits: Vec<(Range<usize>, String)>,
    /// The names of the parts.
    names: [String; 2],
    /// What it was, and how many criteria its first part gets.
    whole: Sprint,
    added: usize,
    /// In words.
    what: String,
}

impl Cut {
    /// Whether both parts ask for all that the whole asked for, and for no more than their new end and beginning.
    fn holds(&self, one: &Sprint, other: &Sprint, labels: &Labels) -> bool {
        let mut now = contents::items(one, labels);
        now.extend(contents::items(other, labels));
        let entries = |sprint: &Sprint| contents::entries(sprint, labels).collect::<Vec<_>>();
        let was = contents::items(&self.whole, labels);
        contents::lost(&was, &now).is_empty()
            && now.len() == was.len() + self.added + 1
            && contents::same(&entries(&self.whole), &entries(one))
            && one.tasks.len() + other.tasks.len() == self.whole.tasks.len()
    }
}

struct Cuts<'a> {
    outline: Outline<'a>,
    plan: &'a Plan,
    /// The labels that were read without a noun.
    brief: Vec<Spot>,
    list: Vec<Cut>,
}

impl Changes for Cuts<'_> {
    fn many(&self) -> usize {
        self.list.len()
    }

    fn apply(&self, which: &[usize]) -> String {
        let mut edits = Edits::default();
        let mut labels = BTreeMap::new();
        for cut in which.iter().filter_map(|one| self.list.get(*one)) {
            cut.edits.iter().for_each(|(range, text)| edits.replace(range.clone(), text.clone()));
            labels.insert(cut.sprint.clone(), cut.labels[1].clone());
        }
        relabel(&self.outline, self.plan, &self.brief, &labels, &mut edits);
        edits.apply(self.outline.text)
    }

    fn is_good(&self, plan: &Plan, which: usize, labels: &Labels) -> bool {
        let Some(cut) = self.list.get(which) else { return false };
        let parts = cut.labels.each_ref().map(|label| plan.sprint(&beside(&cut.sprint, label)));
        match parts {
            [Some(one), Some(other)] => {
                // Nobody may be sent to a part of what is waited for or started; of what is written a part may be run.
                let kind = cut.whole.kind;
                let same = kind == TaskKind::Code || [one.kind, other.kind] == [kind; 2];
                same && cut.names.each_ref() == [&one.name, &other.name]
                    && cut.holds(one, other, labels)
            }
            _ => false,
        }
    }

    fn plan(&self) -> &Plan {
        self.plan
    }

    fn own(&self, which: &[usize]) -> BTreeSet<String> {
        let cuts = which.iter().filter_map(|one| self.list.get(*one));
        let parts = |cut: &Cut| cut.labels.each_ref().map(|label| beside(&cut.sprint, label));
        cuts.flat_map(|cut| parts(cut).into_iter().chain([cut.sprint.clone()])).collect()
    }

    fn expected(&self, which: &[usize]) -> Vec<Dependency> {
        let cuts = || which.iter().filter_map(|one| self.list.get(*one));
        let parts: BTreeMap<&str, [String; 2]> = cuts()
            .map(|cut| {
                (cut.sprint.as_str(), cut.labels.each_ref().map(|label| beside(&cut.sprint, label)))
            })
            .collect();
        let part =
            |id: &str, which: usize| parts.get(id).map_or(id, |both| &both[which]).to_owned();
        let follow = |one: &Dependency| Dependency {
            from: part(&one.from, 1),
            to: part(&one.to, 0),
            ..one.clone()
        };
        let mut all: Vec<Dependency> = self.plan.dependencies.iter().map(follow).collect();
        all.extend(parts.into_values().map(|[from, to]| Dependency {
            from,
            to,
            origin: Origin::Entry,
            line: 0,
        }));
        all
    }

    fn owns(&self, which: usize, sprint: &str) -> bool {
        let cut = self.list.get(which);
        cut.is_some_and(|cut| cut.labels.iter().any(|label| beside(&cut.sprint, label) == sprint))
    }
}

impl Work<'_> {
    /// Splits every sprint that is too large or about two things and can be split; whether there was one.
    pub(super) fn split(&mut self) -> bool {
        let (found, _) = checks(&self.plan, self.budget, self.answers);
        let (brief, list) = (Vec::new(), Vec::new());
        let mut cuts = Cuts { outline: self.outline(), plan: &self.plan, brief, list };
        let bad = found.iter().filter(|one| !one.bounded_scope || !one.single_concern);
        let fresh =
            |one: &&SprintCheck| !self.refused.contains(&(FixKind::Split, one.sprint.clone()));
        let fixed = self.fixed();
        let mut stay = Vec::new();
        for check in bad.filter(fresh) {
            if fixed.contains(&check.sprint) {
                stay.push((check.sprint.clone(), check.label.clone()));
                continue;
            }
            let cut = self.plan.sprint(&check.sprint).and_then(|one| cuts.cut(one, check));
            cuts.list.extend(cut);
        }
        if !cuts.list.is_empty() {
            cuts.brief = parse(&self.text).labels;
        }
        let (settled, strayed) = settle(&cuts);
        let list = cuts.list;
        for (sprint, label) in stay {
            self.leave(FixKind::Split, &sprint, format!("{label}, since {FIXED}"));
            self.refused.insert((FixKind::Split, sprint));
        }
        let (tried, made) =
            (!list.is_empty(), settled.as_ref().map(|settled| settled.made.clone()));
        for (place, cut) in list.into_iter().enumerate() {
            if made.as_ref().is_some_and(|made| made.contains(&place)) {
                self.fix(FixKind::Split, &cut.sprint, cut.what);
            } else {
                if let Some(why) = strayed.get(&place) {
                    self.leave(FixKind::Split, &cut.sprint, format!("{}, since {why}", cut.what));
                }
                self.refused.insert((FixKind::Split, cut.sprint));
            }
        }
        if let Some(settled) = settled {
            (self.text, self.plan) = (settled.text, settled.plan);
        }
        tried
    }
}

impl Cuts<'_> {
    fn cut(&self, sprint: &Sprint, check: &SprintCheck) -> Option<Cut> {
        let at = boundary(sprint, check)?;
        let heading = self.outline.block_at(sprint.lines.first)?;
        let Content::Heading(level) = heading.content else { return None };
        let labels = halves(&sprint.label);
        if labels.iter().any(|label| {
            self.plan.sprint(&beside(&sprint.id, label)).is_some() || label.len() > MOST_LABEL
        }) {
            return None;
        }
        let (first, rest) = sprint.tasks.split_at(at);
        let texts = || first.iter().map(|task| task.text.as_str());
        // A build of everything says something about a part only if the sprint itself asks for it.
        let own = Commands::of(sprint.exit.iter());
        let end_of_first = criteria_for(texts(), &own);
        let (last, next) = (first.last()?, rest.first()?);
        let (from, to) =
            (block(&self.outline, last.lines).end, self.outline.bytes(next.lines).start);
        if end_of_first.is_empty() || from >= to {
            return None;
        }
        let (words, words_at) = self.outline.heading(heading);
        let label_at = words_at + words.find(&sprint.label)?;
        let end = line_end(self.outline.text);
        let items: String = end_of_first.iter().map(|text| format!("- [ ] {text}{end}")).collect();
        let marks = "#".repeat(level as usize);
        let (kept, first_part, second) = part_names(&sprint.name);
        let between = format!(
            "{end}{end}**Exit criteria**:{end}{end}{items}{end}---{end}{end}{marks} {} {}: {second}{end}{end}**Entry criteria**:{end}{end}- [ ] {} {} exit criteria met{end}{end}**Tasks**:{end}{end}",
            sprint.word, labels[1], sprint.word, labels[0],
        );
        let name_at = words.rfind(&sprint.name)?;
        let behind = words_at + name_at + sprint.name.len();
        let kept_name = &sprint.name[..sprint.name.len() - kept];
        let names = [format!("{kept_name}{first_part}"), second.clone()];
        let mut edits = vec![
            (label_at..label_at + sprint.label.len(), labels[0].clone()),
            (behind - kept..behind, first_part),
            (from..to, between),
        ];
        edits.extend((1..).zip(rest).filter_map(|(number, task)| {
            let start = self.outline.bytes(task.lines).start;
            let written = self.outline.source(&(start..start + task.label.len()));
            (written == task.label).then(|| (start..start + written.len(), number.to_string()))
        }));
        let why = match check.bounded_scope {
            true => "two concerns".to_owned(),
            false => format!("{} turns", check.turns),
        };
        let what = format!("{}: {why}; from task {} on", sprint.name, next.label);
        let (whole, added) = (sprint.clone(), end_of_first.len());
        Some(Cut { sprint: sprint.id.clone(), labels, edits, names, whole, added, what })
    }
}

/// The labels of the two halves.
fn halves(label: &str) -> [String; 2] {
    let suffixed = label.ends_with(|c: char| c.is_ascii_lowercase());
    let marks = if suffixed { ["1", "2"] } else { ["a", "b"] };
    marks.map(|mark| format!("{label}{mark}"))
}

/// Before which task a sprint is split: where its subsystem changes, the nearest to the middle; else in
/// the middle. Two concerns that alternate cannot be parted like this.
fn boundary(sprint: &Sprint, check: &SprintCheck) -> Option<usize> {
    let tasks = &sprint.tasks;
    let apart = tasks.windows(2).all(|pair| pair[0].lines.last < pair[1].lines.first);
    let before = sprint.exit.iter().all(|one| {
        sprint.task_of(one).is_some()
            || tasks.last().is_some_and(|last| one.lines.first > last.lines.last)
    });
    let numbered = tasks.iter().all(|task| task.label.bytes().all(|byte| byte.is_ascii_digit()));
    if tasks.len() < 2 || !apart || !before || !numbered {
        return None;
    }
    let concerns: Vec<Option<String>> = tasks.iter().map(concern).collect();
    let changes = (1..tasks.len()).filter(|at| {
        let before = concerns[..*at].iter().flatten().next_back();
        concerns[*at].as_ref().zip(before).is_some_and(|(now, before)| now != before)
    });
    let changes: Vec<usize> = changes.collect();
    let middle = tasks.len().div_ceil(2);
    match (check.single_concern, changes.as_slice()) {
        (false, [one]) => Some(*one),
        (false, _) => None,
        (true, _) => changes.into_iter().min_by_key(|at| at.abs_diff(middle)).or(Some(middle)),
    }
}

/// The halves of a name: "X (part 1)" and "X (part 2)", of "X (part 2)" the parts 2.1 and 2.2. How many bytes
/// at the end of the heading give way to the first, and the whole of the second.
fn part_names(name: &str) -> (usize, String, String) {
    let part = name.rsplit_once(" (part ").and_then(|(base, rest)| {
        let number = rest.strip_suffix(')')?;
        let fits = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        fits.then_some((base, number))
    });
    match part {
        Some((base, number)) => (
            name.len() - base.len(),
            format!(" (part {number}.1)"),
            format!("{base} (part {number}.2)"),
        ),
        None => (0, " (part 1)".to_owned(), format!("{name} (part 2)")),
    }
}
