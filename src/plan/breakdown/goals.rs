//! Goals: which tasks of a unit make one sprint.
//!
//! Tasks on one subsystem, of one requirement or below one heading belong together. What is too little for a
//! sprint joins what it is most akin to, by the words they share, and then what stands next to it in the document,
//! up to three tasks; but never two subsystems, or what stands below two headings, since a sprint with two goals is
//! worse than a short one. What others build on comes first.

use super::super::paths::Touched;
use super::super::quality::subsystem;
use super::super::words::significant;
use super::Piece;
use std::collections::{BTreeMap, BTreeSet};

/// The most tasks of a sprint.
const MOST_TASKS: usize = 7;
/// The fewest tasks of a sprint, where there are as many that belong together.
const LEAST_TASKS: usize = 3;
/// More pieces than this are not compared each with each.
const MOST_COMPARED: usize = 400;

/// Tasks that serve one goal.
struct Goal<'p> {
    pieces: Vec<(usize, &'p Piece)>,
    words: BTreeSet<String>,
    folders: BTreeSet<String>,
    subjects: BTreeSet<String>,
}

impl Goal<'_> {
    fn take(&mut self, other: Self) {
        self.pieces.extend(other.pieces);
        self.pieces.sort_by_key(|(at, _)| *at);
        self.words.extend(other.words);
        self.folders.extend(other.folders);
        self.subjects.extend(other.subjects);
    }
}

/// The sprints of a unit, each as its tasks in order.
pub(super) fn goals<'p>(pieces: &[&'p Piece]) -> Vec<Vec<&'p Piece>> {
    let mut goals = filled(related(together(pieces)));
    goals
        .iter_mut()
        .for_each(|goal| goal.pieces.sort_by_key(|(at, piece)| (rank(&piece.text), *at)));
    let sorted = in_order(goals);
    let tasks = sorted.into_iter().map(|goal| goal.pieces.into_iter().map(|(_, piece)| piece));
    tasks.flat_map(|goal| chunks(goal.collect())).collect()
}

/// What a piece belongs to for certain.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Folder(String),
    Subject(String),
    Requirement(String),
}

fn together<'p>(pieces: &[&'p Piece]) -> Vec<Goal<'p>> {
    let mut folders: BTreeMap<&str, String> = BTreeMap::new();
    for piece in pieces {
        if let Some(folder) = subsystem(&piece.text) {
            folders.entry(&piece.requirement).or_insert(folder);
        }
    }
    let key = |piece: &Piece| {
        let folder =
            subsystem(&piece.text).or_else(|| folders.get(piece.requirement.as_str()).cloned());
        folder
            .map(Key::Folder)
            .or_else(|| piece.subject.clone().filter(|name| *name != piece.unit).map(Key::Subject))
            .unwrap_or_else(|| Key::Requirement(piece.requirement.clone()))
    };
    let common = common_words(pieces);
    let mut goals: BTreeMap<Key, Goal<'p>> = BTreeMap::new();
    for (at, piece) in pieces.iter().enumerate() {
        let goal = goals.entry(key(piece)).or_insert_with(|| Goal {
            pieces: Vec::new(),
            words: BTreeSet::new(),
            folders: BTreeSet::new(),
            subjects: BTreeSet::new(),
        });
        goal.pieces.push((at, piece));
        goal.words
            .extend(significant(&piece.text).into_iter().filter(|word| !common.contains(word)));
        goal.folders.extend(subsystem(&piece.text));
        goal.subjects.extend(piece.subject.clone());
    }
    let mut goals: Vec<Goal<'p>> = goals.into_values().collect();
    goals.sort_by_key(|goal| goal.pieces[0].0);
    goals
}

/// Words of more than half of the tasks tell none of them from the others.
fn common_words(pieces: &[&Piece]) -> BTreeSet<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let words = pieces.iter().flat_map(|piece| significant(&piece.text));
    words.for_each(|word| *counts.entry(word).or_default() += 1);
    let common = counts.into_iter().filter(|(_, count)| *count > 3 && count * 2 > pieces.len());
    common.map(|(word, _)| word).collect()
}

/// Joins what is too little with what it is most akin to.
fn related(mut goals: Vec<Goal<'_>>) -> Vec<Goal<'_>> {
    while goals.len() <= MOST_COMPARED {
        let small = |goal: &Goal<'_>| goal.pieces.len() < LEAST_TASKS;
        let pairs =
            (0..goals.len()).flat_map(|one| (one + 1..goals.len()).map(move |other| (one, other)));
        let fit = pairs.filter_map(|(one, other)| {
            let (a, b) = (&goals[one], &goals[other]);
            let many = a.pieces.len() + b.pieces.len();
            let kin = kinship(a, b);
            let fits = (small(a) || small(b)) && many <= MOST_TASKS && kin > 0;
            fits.then_some((std::cmp::Reverse(kin), many, other - one, one, other))
        });
        let Some((.., one, other)) = fit.min() else { break };
        let joined = goals.remove(other);
        goals[one].take(joined);
    }
    goals
}

/// Joins what is still too little with what stands next to it. A list of short wishes below one heading is a few
/// sprints, and not one for each.
fn filled(mut goals: Vec<Goal<'_>>) -> Vec<Goal<'_>> {
    goals.sort_by_key(|goal| goal.pieces.first().map(|(at, _)| *at));
    let mut made: Vec<Goal<'_>> = Vec::new();
    let mut goals = goals.into_iter().peekable();
    while let Some(goal) = goals.next() {
        let last = goals.peek().is_none();
        let fits = |open: &&mut Goal<'_>| {
            let small = open.pieces.len() < LEAST_TASKS || last && goal.pieces.len() < LEAST_TASKS;
            let many = open.pieces.len() + goal.pieces.len();
            small && many <= MOST_TASKS && is_near(open, &goal)
        };
        match made.last_mut().filter(fits) {
            Some(open) => open.take(goal),
            None => made.push(goal),
        }
    }
    made
}

/// Whether nothing says that two goals are about different things.
fn is_near(one: &Goal<'_>, other: &Goal<'_>) -> bool {
    let apart = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
        !one.is_empty() && !other.is_empty() && one.is_disjoint(other)
    };
    let headed = one.subjects.is_empty() == other.subjects.is_empty();
    headed && !apart(&one.subjects, &other.subjects) && !apart(&one.folders, &other.folders)
}

/// How much two goals have in common: words, a parent folder, a heading.
fn kinship(one: &Goal<'_>, other: &Goal<'_>) -> usize {
    let words = one.words.intersection(&other.words).count();
    let parents = |goal: &Goal<'_>| -> BTreeSet<String> {
        let parents = goal.folders.iter().filter_map(|folder| folder.rsplit_once('/'));
        parents.map(|(parent, _)| parent.to_owned()).filter(|parent| parent.contains('/')).collect()
    };
    let apart = !one.folders.is_empty() && !other.folders.is_empty();
    let near = !parents(one).is_disjoint(&parents(other));
    let headed = !one.subjects.is_disjoint(&other.subjects);
    // Two subsystems are two goals, unless a good deal speaks against it.
    match apart && !near && words < 2 {
        true => 0,
        false => words * 2 + usize::from(near) * 2 + usize::from(headed),
    }
}

/// What others build on first, what is about the whole last; never before the files it uses are made.
fn in_order(mut goals: Vec<Goal<'_>>) -> Vec<Goal<'_>> {
    goals.sort_by_key(|goal| {
        let least = goal.pieces.iter().map(|(_, piece)| rank(&piece.text)).min();
        (least, goal.pieces.iter().map(|(at, _)| *at).min())
    });
    let mut open: Vec<(Goal<'_>, Touched)> = goals
        .into_iter()
        .map(|goal| {
            let mut touched = Touched::default();
            goal.pieces.iter().for_each(|(_, piece)| touched.task(&piece.text));
            touched.settle();
            (goal, touched)
        })
        .collect();
    let mut sorted = Vec::new();
    while !open.is_empty() {
        let free = open.iter().position(|(_, own)| {
            let made = |(_, other): &(Goal<'_>, Touched)| {
                let uses = own.modified.iter().chain(&own.read);
                uses.into_iter()
                    .any(|file| other.created.contains(file) && !own.created.contains(file))
            };
            !open.iter().any(made)
        });
        sorted.push(open.remove(free.unwrap_or(0)).0);
    }
    sorted
}

/// Even parts of at most seven and, where there are as many, at least three.
fn chunks(pieces: Vec<&Piece>) -> Vec<Vec<&Piece>> {
    let parts = pieces.len().div_ceil(MOST_TASKS).max(1);
    let size = pieces.len().div_ceil(parts).max(LEAST_TASKS);
    pieces.chunks(size).map(<[&Piece]>::to_vec).collect()
}

/// How early a task must be: types and interfaces, then work, then what is about the whole.
fn rank(text: &str) -> u32 {
    let lower = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    match () {
        () if lower.starts_with("document")
            || says(&["write tests", "readme", "changelog", "release notes"]) =>
        {
            2
        }
        () if says(&[
            " type",
            "types",
            "interface",
            "schema",
            "data model",
            "scaffold",
            "protocol",
            "skeleton",
            "set up",
            "configuration",
        ]) =>
        {
            0
        }
        () => 1,
    }
}
