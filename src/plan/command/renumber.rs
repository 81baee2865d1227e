//! New labels for sprints, everywhere at once: the labels themselves, what depends on them, and exact tokens `Sprint N` in
//! the plan's text. Nothing else is changed, and nothing in code: a command that names a sprint is a command.

use super::super::line::{outside_fences, spans};
use super::super::model::{Criterion, Plan, Sprint};
use super::super::order::{Index, Target};
use std::collections::{BTreeMap, BTreeSet};

/// The word before a label that makes a token (seed 1560).
const WORD: &str = "Sprint ";

/// New labels by unit and label.
pub(super) type Labels = BTreeMap<(String, String), String>;

/// What parts the label of a half from that of the whole until numbers are given; no label has such a letter.
pub(super) const PART: char = '\u{2}';

/// Whether a label is a number, or that of a part of a sprint with one.
pub(super) fn is_number(label: &str) -> bool {
    let whole = label.split(PART).next().unwrap_or_default();
    !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit())
}

/// The label of a half whose label is no number: `DC-2` becomes `DC-2a` and `DC-2b`, and these `DC-2a1` and `DC-2a2`.
pub(super) fn key_label(label: &str) -> String {
    let mut parts = label.split(PART);
    let mut own = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let letter = !own.ends_with(|c: char| c.is_ascii_lowercase());
        own.push_str(match (letter, part) {
            (true, "1") => "a",
            (true, _) => "b",
            (false, other) => other,
        });
    }
    own
}

/// The label that each sprint gets. Sprints with numbers get those that were there, in the order of `plan`, and further ones
/// if they are more: through the whole plan if no number occurs twice there, else through each unit of `changed`.
pub(super) fn sequence(plan: &Plan, was: &Plan, changed: &BTreeSet<String>) -> Labels {
    let key = |unit: &str, label: &str| (unit.to_owned(), label.to_owned());
    let all =
        plan.sprints().map(|(unit, one)| (key(&unit.name, &one.label), key_label(&one.label)));
    let mut labels: Labels = all.collect();
    if changed.is_empty() {
        return labels;
    }
    let own = |unit: Option<&str>| -> Vec<u32> {
        let inside = was.sprints().filter(|(one, _)| unit.is_none_or(|name| one.name == name));
        let labels = inside.map(|(_, sprint)| &sprint.label).filter(|label| is_number(label));
        let mut all: Vec<u32> = labels.filter_map(|label| label.parse().ok()).collect();
        all.sort_unstable();
        all
    };
    let all = own(None);
    let whole = all.windows(2).all(|two| two[0] < two[1]);
    let mut numbers = in_order(all);
    for unit in plan.units.iter().filter(|unit| whole || changed.contains(&unit.name)) {
        if !whole {
            numbers = in_order(own(Some(&unit.name)));
        }
        for sprint in unit.sprints.iter().filter(|sprint| is_number(&sprint.label)) {
            let number = numbers.next().unwrap_or_default();
            labels.insert(key(&unit.name, &sprint.label), number.to_string());
        }
    }
    labels
}

/// Numbers, then those that follow the last.
fn in_order(numbers: Vec<u32>) -> impl Iterator<Item = u32> {
    let last = numbers.last().copied().unwrap_or(0);
    numbers.into_iter().chain(last.saturating_add(1)..=u32::MAX)
}

/// Lets everybody wait for the sprints with the new labels.
pub(super) fn redirect(plan: &mut Plan, labels: &Labels) {
    let index = Index::new(plan);
    let renamed = |unit: &str, list: &[String]| -> Vec<String> {
        let new = |reference: &String| {
            let Target::Sprint(of, sprint) = index.resolve(unit, reference)? else { return None };
            let new = labels.get(&(of.name.clone(), sprint.label.clone()))?;
            Some(format!("{}{new}", reference.strip_suffix(sprint.label.as_str())?))
        };
        list.iter().map(|one| new(one).unwrap_or_else(|| one.clone())).collect()
    };
    let lists = plan.units.iter().map(|unit| {
        let sprints = unit.sprints.iter();
        let own = sprints.map(|one| Some(renamed(&unit.name, one.depends_on.as_ref()?)));
        (renamed(&unit.name, &unit.depends_on), own.collect::<Vec<_>>())
    });
    let lists: Vec<_> = lists.collect();
    for (unit, (list, own)) in plan.units.iter_mut().zip(lists) {
        unit.depends_on = list;
        unit.sprints.iter_mut().zip(own).for_each(|(sprint, list)| sprint.depends_on = list);
    }
}

/// Gives a plan new labels. `text` are those that texts have, also of sprints that are no longer there.
pub(super) fn relabel(plan: &mut Plan, labels: &Labels, text: &Labels) {
    redirect(plan, labels);
    let whole = Tokens { unit: "", labels: text };
    tokens(&mut plan.title, &whole);
    tokens(&mut plan.notes, &whole);
    for unit in &mut plan.units {
        let own = Tokens { unit: &unit.name, labels: text };
        tokens(&mut unit.notes, &own);
        for sprint in &mut unit.sprints {
            if let Some(new) = labels.get(&(unit.name.clone(), sprint.label.clone())) {
                sprint.label.clone_from(new);
            }
            texts(sprint).for_each(|text| tokens(text, &own));
        }
    }
}

/// All texts of a sprint but its label.
pub(super) fn texts(sprint: &mut Sprint) -> impl Iterator<Item = &mut String> {
    let criteria = sprint.entry.iter_mut().chain(&mut sprint.exit);
    let criteria = criteria.map(|one: &mut Criterion| &mut one.text);
    let tasks = sprint.tasks.iter_mut().map(|one| &mut one.text);
    [&mut sprint.name, &mut sprint.notes]
        .into_iter()
        .chain(&mut sprint.priority)
        .chain(criteria)
        .chain(tasks)
}

/// What a token means in the text of a unit.
struct Tokens<'l> {
    unit: &'l str,
    labels: &'l Labels,
}

impl Tokens<'_> {
    /// The new label: of the unit the text is of, else of the only one that has it.
    fn now(&self, label: &str) -> Option<&str> {
        let key = (self.unit.to_owned(), label.to_owned());
        if let Some(new) = self.labels.get(&key) {
            return Some(new);
        }
        let mut all = self.labels.iter().filter(|((_, known), _)| known == label);
        let (_, new) = all.next()?;
        all.next().is_none().then_some(new)
    }
}

fn tokens(text: &mut String, labels: &Tokens<'_>) {
    if !text.contains(WORD) {
        return;
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut out = String::with_capacity(text.len());
    for (line, outside) in lines.iter().zip(outside_fences(&lines)) {
        match outside {
            true => one_line(line, labels, &mut out),
            false => out.push_str(line),
        }
    }
    *text = out;
}

fn one_line(line: &str, labels: &Tokens<'_>, out: &mut String) {
    let code = spans(line);
    let (mut at, mut from) = (0, 0);
    while let Some(step) = line.get(from..).and_then(|rest| rest.find(WORD)) {
        let start = from + step;
        let label = start + WORD.len();
        from = label;
        let free = !code.iter().any(|span| span.range.contains(&start));
        let apart = !line[..start].chars().next_back().is_some_and(char::is_alphanumeric);
        let end = label + token(&line[label..]).len();
        if let Some(new) = labels.now(&line[label..end]).filter(|_| free && apart) {
            out.push_str(&line[at..label]);
            out.push_str(new);
            at = end;
        }
    }
    out.push_str(&line[at..]);
}

/// The label that a text begins with, without a stop behind it.
fn token(text: &str) -> &str {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | PART);
    let end = text.find(|c: char| !inside(c)).unwrap_or(text.len());
    text[..end].trim_end_matches(['-', '_', '.'])
}
