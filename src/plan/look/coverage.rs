//! What the plan covers, and what nobody needs.

use super::super::analyze::{Coverage, IssueKind, Severity, place};
use super::super::breakdown::parts;
use super::super::model::{Plan, Sprint, unit_of};
use super::super::outline::plain;
use super::super::paths::{Touched, paths};
use super::super::requirements::{Confidence, Requirement, Unread};
use super::super::words::{significant, words_of};
use super::Look;
use std::collections::{BTreeMap, BTreeSet};

impl Look<'_> {
    /// A requirement is addressed by a sprint that names its id or uses half of its words, at least two; or by those that have its
    /// tasks, where each of them is found, as `breakdown` makes them of it.
    pub(in super::super) fn coverage(&mut self, requirements: Vec<Requirement>) -> Vec<Coverage> {
        let asked = requirements.into_iter().filter(|one| one.confidence > Confidence::Context);
        let known = Known::of(self.plan);
        let mut rows = Vec::new();
        for requirement in asked {
            let sprints = known.addressing(&requirement.text);
            if sprints.is_empty() {
                let at = format!("requirement {}", requirement.place());
                self.issue(
                    Severity::Critical,
                    1,
                    IssueKind::Coverage,
                    at,
                    format!("No sprint addresses: {}", requirement.text),
                    "Add a task for it, or put it out of scope.",
                );
            }
            rows.push(Coverage { requirement, sprints });
        }
        rows
    }

    /// What could not be read as a requirement may be one all the same. A listing or a picture hardly is.
    pub(in super::super) fn unread(&mut self, unread: &[Unread]) {
        for one in unread {
            let severity = if one.shown { Severity::Optional } else { Severity::Recommended };
            let at = format!("requirements document, line {}", one.lines.first);
            let problem = format!("Not read as a requirement: {}", one.what);
            let advice = "If it asks for something, make it an item of a list, or give it an id.";
            self.issue(severity, 1, IssueKind::Coverage, at, problem, advice);
        }
    }

    /// Sprints that nobody waits for, and that make files which no later one speaks of.
    pub(in super::super) fn dead_ends(&mut self) -> Vec<String> {
        let all: Vec<&Sprint> = self.plan.sprints().filter(|one| !one.deferred).collect();
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, sprint) in all.iter().enumerate() {
            let tasks = sprint.tasks.iter().map(|task| &task.text);
            let checks = sprint.entry.iter().chain(&sprint.exit).map(|one| &one.text);
            let named = tasks.chain(checks).flat_map(|text| paths(text));
            last.extend(named.map(|(_, path)| (path, at)));
        }
        let waited: BTreeSet<&str> =
            self.plan.dependencies.iter().map(|one| one.from.as_str()).collect();
        let mut found = Vec::new();
        for (at, sprint) in all.iter().enumerate() {
            let mut touched = Touched::default();
            sprint.tasks.iter().for_each(|task| touched.task(&task.text));
            let used = |file: &String| last.get(file.as_str()).is_some_and(|place| *place > at);
            let needed =
                waited.contains(sprint.id.as_str()) || waited.contains(unit_of(&sprint.id));
            let makes = !touched.created.is_empty() && !touched.created.iter().any(used);
            // The last of a unit makes what the unit is for.
            let ends = all.get(at + 1).is_none_or(|next| unit_of(&next.id) != unit_of(&sprint.id));
            if !ends && makes && !needed {
                found.push(sprint.id.clone());
            }
        }
        for id in &found {
            self.issue(
                Severity::Optional,
                1,
                IssueKind::DeadEnd,
                format!("sprint {}", place(id)),
                "Nothing later uses what it makes.".to_owned(),
                "Say who needs it, or that it is a deliverable by itself.",
            );
        }
        found
    }
}

/// What the sprints of a plan say, to be found again.
struct Known<'p> {
    /// By its place in the plan: the id of the sprint, the words that carry it, the ids it names.
    sprints: Vec<(&'p str, BTreeSet<String>, BTreeSet<String>)>,
    /// By the same words as a task or criterion, the places of its sprints.
    lines: BTreeMap<String, BTreeSet<usize>>,
    /// By the place of its sprint: all it says.
    texts: Vec<String>,
    /// What the ids begin with that are named one by one, and not as ranges.
    kinds: BTreeSet<String>,
}

impl<'p> Known<'p> {
    fn of(plan: &'p Plan) -> Known<'p> {
        let (mut sprints, mut lines) = (Vec::new(), BTreeMap::<String, BTreeSet<usize>>::new());
        let (mut ranged, mut texts) = (BTreeSet::<String>::new(), Vec::new());
        for (at, sprint) in plan.sprints().enumerate() {
            let tasks = sprint.tasks.iter().map(|one| one.text.as_str());
            let all = tasks.chain(sprint.exit.iter().map(|one| one.text.as_str()));
            let mut named: BTreeSet<String> = ids(&sprint.name).collect();
            let mut text = sprint.name.clone();
            for line in all {
                text.push('\n');
                text.push_str(line);
                lines.entry(same(line)).or_default().insert(at);
                named.extend(ids(line));
                ranged.extend(ids(line).filter(|id| is_range(line, id)).map(|id| kind(&id)));
            }
            texts.push(text);
            sprints.push((sprint.id.as_str(), words_of(sprint), named));
        }
        let named = sprints.iter().flat_map(|(_, _, named)| named);
        let kinds: BTreeSet<String> = named.map(|id| kind(id)).collect();
        let kinds = kinds.difference(&ranged).cloned().collect();
        Known { sprints, lines, texts, kinds }
    }

    fn addressing(&self, text: &str) -> Vec<String> {
        let own = ids(text.lines().next().unwrap_or_default()).next();
        let own = own.filter(|id| text.trim_start_matches(['*', '`', '[', '(']).starts_with(id));
        // A plan that names the others by their ids would name this one, too.
        let strict = own.as_ref().is_some_and(|id| self.kinds.contains(&kind(id)));
        let mut found = if strict { BTreeSet::new() } else { self.by_words(text) };
        let names = |id: &String| self.places(|(_, _, named)| named.contains(id));
        found.extend(own.iter().flat_map(names));
        if found.is_empty() {
            let pieces: Vec<BTreeSet<usize>> =
                parts(text).iter().map(|piece| self.having(piece, strict)).collect();
            if pieces.iter().all(|piece| !piece.is_empty()) {
                found.extend(pieces.into_iter().flatten());
            }
        }
        let ids = found.iter().filter_map(|at| self.sprints.get(*at));
        ids.map(|(id, ..)| (*id).to_owned()).collect()
    }

    /// The sprints with this very task or criterion, else those with half of its words.
    fn having(&self, piece: &str, strict: bool) -> BTreeSet<usize> {
        let known = self.lines.get(&same(piece)).cloned();
        known.unwrap_or_else(|| if strict { BTreeSet::new() } else { self.by_words(piece) })
    }

    fn by_words(&self, text: &str) -> BTreeSet<usize> {
        let wanted = significant(text);
        let hits =
            |words: &BTreeSet<String>| wanted.iter().filter(|word| words.contains(*word)).count();
        // One word of two is about something else as well as not.
        let least = wanted.len().div_ceil(2).max(wanted.len().min(2));
        let mut found = self.places(|(_, words, _)| !wanted.is_empty() && hits(words) >= least);
        // "GET /notes" is not there where other things are said about notes.
        let ways: Vec<&str> = ways(text).collect();
        found.retain(|at| {
            let said = self.texts.get(*at).map_or("", String::as_str);
            ways.is_empty() || ways.iter().any(|way| said.contains(way))
        });
        found
    }

    fn places(
        &self,
        is: impl Fn(&(&'p str, BTreeSet<String>, BTreeSet<String>)) -> bool,
    ) -> BTreeSet<usize> {
        self.sprints.iter().enumerate().filter(|(_, one)| is(one)).map(|(at, _)| at).collect()
    }
}

/// A text by which it is known again: without marks, and whatever its case and its last stop.
fn same(text: &str) -> String {
    plain(text).trim_end_matches(['.', ':']).to_lowercase()
}

/// The addresses that a text names: `/notes`.
fn ways(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '`' | ':' | ',' | '(' | ')'));
    words.filter(|word| word.len() > 2 && word.starts_with('/') && !word.ends_with('/'))
}

/// What an id begins with: `FR` of `FR-12`.
fn kind(id: &str) -> String {
    id.rsplit_once('-').map_or("", |(kind, _)| kind).to_owned()
}

/// Whether an id begins a range: `FR-1 to FR-4`, `FR-1–4`.
fn is_range(line: &str, id: &str) -> bool {
    let behind =
        line.split_once(id).map_or("", |(_, behind)| behind.trim_start_matches(['*', '`']));
    let to = ["to ", "through ", "until ", "–", "—", "..", "- "].iter();
    let mut rest = to.filter_map(|mark| behind.trim_start().strip_prefix(mark));
    let number = |rest: &str| rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
    rest.any(|rest| {
        number(rest) || ids(rest).next().is_some_and(|id| rest.trim_start().starts_with(&id))
    })
}

/// Ids of requirements that a text names: `FR-12`, `US-3.1`.
fn ids(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.')));
    words.map(|word| word.trim_end_matches('.')).filter_map(|word| {
        let (name, number) = word.rsplit_once('-')?;
        let named = !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '-');
        let number = number.starts_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_digit() || c == '.');
        (named && number).then(|| word.to_owned())
    })
}
