//! Joins sprints that are too small with a neighbour: the heading of the second goes, its lines stay.
//!
//! Who joins whom is decided on the plan as it was read, one after the other, as if each had been written down
//! before the next: the first that is too small takes the next of its unit, else the one before it takes it.

use super::super::document::LineRange;
use super::super::edit::{Edits, block, line_end, relabel};
use super::super::estimate::{Fitness, TurnEstimate};
use super::super::held::followed;
use super::super::mention::{Names, Speaker, Spot, mentions};
use super::super::model::{Dependency, Origin, Plan, PlanCriterion, Sprint, TaskKind, unit_of};
use super::super::outline::{Block, Content, Outline, spans};
use super::super::paths::paths;
use super::super::read::{names, parse};
use super::settle::{Changes, settle};
use super::{FixKind, Work};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Sprints that stand one after the other and become one.
struct Chain {
    /// What they are together; the id and label are those of the first.
    whole: Sprint,
    members: Vec<Sprint>,
    fitness: Fitness,
    /// No neighbour can be joined.
    stuck: bool,
    /// Each step: the sprint that was too small, and the labels of the two.
    steps: Vec<(String, String)>,
}

/// What an entry criterion says about the order of sprints that become one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// That, and nothing else.
    Inner,
    /// That, and more.
    Mixed,
    /// Nothing.
    Other,
}

/// All chains of a plan.
struct Joins<'a> {
    outline: Outline<'a>,
    plan: &'a Plan,
    names: Names,
    /// The labels that were read without a noun.
    brief: Vec<Spot>,
    budget: u32,
    refused: &'a BTreeSet<(FixKind, String)>,
    /// The sprints that wait for somebody.
    waiting: BTreeSet<&'a str>,
    list: Vec<Chain>,
}

impl Work<'_> {
    /// Joins every sprint that is too small; whether there was one.
    pub(super) fn merge(&mut self) -> bool {
        let mut joins = Joins {
            outline: self.outline(),
            plan: &self.plan,
            names: names(&self.plan),
            brief: Vec::new(),
            budget: self.budget,
            refused: &self.refused,
            waiting: self.plan.dependencies.iter().map(|edge| edge.to.as_str()).collect(),
            list: Vec::new(),
        };
        for unit in &self.plan.units {
            let mut chains: Vec<Chain> =
                unit.sprints.iter().map(|one| Chain::of(one, self.budget)).collect();
            joins.join(&mut chains);
            joins.list.extend(chains.into_iter().filter(|one| one.members.len() > 1));
        }
        if !joins.list.is_empty() {
            joins.brief = parse(&self.text).labels;
        }
        let (settled, strayed) = settle(&joins);
        let list = joins.list;
        let (tried, made) =
            (!list.is_empty(), settled.as_ref().map(|settled| settled.made.clone()));
        for (place, chain) in list.into_iter().enumerate() {
            if made.as_ref().is_some_and(|made| made.contains(&place)) {
                let steps = chain.steps.into_iter();
                steps.for_each(|(sprint, what)| self.fix(FixKind::Merged, &sprint, what));
            } else if let [one, other] = chain.members.as_slice() {
                if let Some(why) = strayed.get(&place) {
                    let what = format!("{} and {}, since {why}", one.label, other.label);
                    self.leave(FixKind::Merged, &one.id, what);
                }
                self.refused.insert((FixKind::Merged, other.id.clone()));
            } else {
                // From now on two by two, so that the one that cannot be joined is found.
                let unit = unit_of(&chain.whole.id).to_owned();
                self.refused.insert((FixKind::Merged, unit));
            }
        }
        if let Some(settled) = settled {
            (self.text, self.plan) = (settled.text, settled.plan);
        }
        tried
    }
}

impl Chain {
    fn of(one: &Sprint, budget: u32) -> Chain {
        Chain {
            whole: one.clone(),
            members: vec![one.clone()],
            fitness: TurnEstimate::of(one).fitness(budget),
            stuck: is_alone(one),
            steps: Vec::new(),
        }
    }

    fn has(&self, id: &str) -> bool {
        self.members.iter().any(|member| member.id == id)
    }
}

/// Whether a sprint is joined with no other: nobody is sent to what is waited for or what a person does.
fn is_alone(one: &Sprint) -> bool {
    one.deferred || matches!(one.kind, TaskKind::Deferred | TaskKind::Manual)
}

impl Joins<'_> {
    fn join(&self, chains: &mut Vec<Chain>) {
        let small = |one: &Chain| one.fitness == Fitness::Undersized && !one.stuck;
        while let Some(place) = chains.iter().position(small) {
            let pairs = [(place, place + 1), (place.wrapping_sub(1), place)];
            let found = pairs.into_iter().find_map(|(first, second)| {
                let whole = self.joined(chains.get(first)?, chains.get(second)?)?;
                Some((first, second, whole))
            });
            let Some((first, second, whole)) = found else {
                chains[place].stuck = true;
                continue;
            };
            let small = chains[place].whole.id.clone();
            let other = chains.remove(second);
            let one = &mut chains[first];
            one.steps.extend(other.steps);
            one.steps.push((small, format!("{} and {}", one.whole.label, other.whole.label)));
            one.members.extend(other.members);
            one.fitness = TurnEstimate::of(&whole).fitness(self.budget);
            one.whole = whole;
            for near in [first.wrapping_sub(1), first, first + 1] {
                if let Some(chain) = chains.get_mut(near) {
                    chain.stuck = is_alone(&chain.whole);
                }
            }
        }
    }

    /// What two chains are together, if they can be joined and are not too large then.
    fn joined(&self, one: &Chain, other: &Chain) -> Option<Sprint> {
        let (last, next) = (one.members.last()?, other.members.first()?);
        let refused = |id: &str| self.refused.contains(&(FixKind::Merged, id.to_owned()));
        let pair = one.members.len() + other.members.len() == 2;
        let refused = refused(&next.id) || !pair && refused(unit_of(&next.id));
        let alike = one.whole.kind == other.whole.kind;
        let alone = is_alone(&one.whole) || is_alone(&other.whole);
        if alone || !alike || refused || !self.is_next(last, next) {
            return None;
        }
        // What says that it waits for nobody may begin before all others, and would no longer.
        if !self.waiting.contains(next.id.as_str()) {
            return None;
        }
        let mut whole = one.whole.clone();
        whole.tasks.extend(other.whole.tasks.iter().cloned());
        whole.exit.extend(other.whole.exit.iter().cloned());
        let within = |id: &str| one.has(id) || other.has(id);
        for entry in &other.whole.entry {
            match self.order_of(entry, &next.id, within) {
                Order::Inner => {}
                Order::Mixed => return None,
                Order::Other => whole.entry.push(entry.clone()),
            }
        }
        let fitness = TurnEstimate::of(&whole).fitness(self.budget);
        (fitness != Fitness::Oversized).then_some(whole)
    }

    /// Whether nothing lies between two sprints.
    fn is_next(&self, one: &Sprint, other: &Sprint) -> bool {
        if one.lines.last >= other.lines.first || self.head(one).is_none() {
            return false;
        }
        let Some(second) = self.head(other) else { return false };
        let from = self.outline.bytes(one.lines).end;
        let blocks = &self.outline.blocks;
        let start = blocks.partition_point(|block| block.range.start < from);
        let between = blocks[start..].iter().take_while(|block| block.range != second.range);
        !between.into_iter().any(|block| matches!(block.content, Content::Heading(_)))
    }

    fn head(&self, sprint: &Sprint) -> Option<&Block> {
        let found = self.outline.block_at(sprint.lines.first);
        found.filter(|block| matches!(block.content, Content::Heading(_)))
    }

    /// What an entry criterion says about sprints that become a part of this one.
    fn order_of(&self, entry: &PlanCriterion, id: &str, within: impl Fn(&str) -> bool) -> Order {
        let speaker = Speaker { unit: Some(unit_of(id)), ..Speaker::default() };
        let found = mentions(&entry.text, &self.names, speaker);
        let inner = found.iter().filter(|one| one.id.as_deref().is_some_and(&within)).count();
        let names = !spans(&entry.text).is_empty() || paths(&entry.text).next().is_some();
        match inner {
            0 => Order::Other,
            all if all == found.len() && !names => Order::Inner,
            _ => Order::Mixed,
        }
    }

    /// The lines of an entry criterion that goes, with its label if that has no other.
    fn entry_lines(&self, entry: &PlanCriterion, alone: bool) -> Range<usize> {
        let own = self.outline.bytes(entry.lines);
        let before = &self.outline.text[..own.start];
        let label = before.trim_end().rsplit('\n').next().unwrap_or_default();
        let bare = label.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let start = before.trim_end().len() - label.trim_end().len();
        let labelled = bare.starts_with("entry") || bare.starts_with("precondition");
        if alone && labelled && label.trim_end().ends_with([':', '*']) {
            start..own.end
        } else {
            own
        }
    }

    /// The lines that say in a field of its own that a sprint waits for others of its chain, and else for nobody that
    /// the first of them does not wait for as well.
    fn fields(&self, chain: &Chain, id: &str) -> Vec<Range<usize>> {
        let inner =
            |one: &&Dependency| one.origin == Origin::Field && one.to == id && chain.has(&one.from);
        let lines = self.plan.dependencies.iter().filter(inner).map(|one| one.line);
        let lines: BTreeSet<u32> = lines.collect();
        let speaker = Speaker { unit: Some(unit_of(id)), brief: true, ..Speaker::default() };
        let ranges =
            lines.into_iter().map(|line| self.outline.bytes(LineRange { first: line, last: line }));
        let known = |id: &str| {
            let mut all = self.plan.dependencies.iter();
            all.any(|one| one.from == id && one.to == chain.whole.id)
        };
        let only = |range: &Range<usize>| {
            let said = self.outline.source(range).split_once(':').map_or("", |(_, said)| said);
            let said = said.trim_start_matches(['*', '_', ' ']);
            let found = mentions(said, &self.names, speaker);
            found.iter().all(|one| one.id.as_deref().is_some_and(|id| chain.has(id) || known(id)))
        };
        ranges.filter(only).collect()
    }

    fn edit(&self, chain: &Chain, edits: &mut Edits) -> Option<()> {
        let end = line_end(self.outline.text);
        let (words, at) = self.outline.heading(self.head(&chain.whole)?);
        let names = chain.members.iter().skip(1).map(|one| format!("; {}", one.name));
        edits.replace(at + words.len()..at + words.len(), names.collect::<String>());
        for pair in chain.members.windows(2) {
            let (one, other) = (&pair[0], &pair[1]);
            let head = self.head(other)?;
            let gone = self.outline.bytes(self.outline.lines(&head.range));
            edits.replace(block(&self.outline, one.lines).end..gone.end, end.to_owned());
            let below = |line: u32| line > other.lines.first;
            if let Some(known) = other.priority.as_ref().filter(|known| below(known.lines.first)) {
                edits.replace(self.outline.bytes(known.lines), "");
            }
            let inner = |entry: &&PlanCriterion| {
                let order = self.order_of(entry, &other.id, |id| chain.has(id));
                below(entry.lines.first) && order == Order::Inner
            };
            let gone = other.entry.iter().filter(inner).count();
            for entry in other.entry.iter().filter(inner) {
                let alone = gone == 1 && other.entry.len() == 1;
                edits.replace(self.entry_lines(entry, alone), "");
            }
            self.fields(chain, &other.id).into_iter().for_each(|range| edits.replace(range, ""));
        }
        Some(())
    }
}

impl Changes for Joins<'_> {
    fn many(&self) -> usize {
        self.list.len()
    }

    fn apply(&self, which: &[usize]) -> String {
        let mut edits = Edits::default();
        let mut labels = BTreeMap::new();
        for chain in which.iter().filter_map(|one| self.list.get(*one)) {
            self.edit(chain, &mut edits);
            let others = chain.members.iter().skip(1);
            labels.extend(others.map(|one| (one.id.clone(), chain.whole.label.clone())));
        }
        relabel(&self.outline, self.plan, &self.brief, &labels, &mut edits);
        edits.apply(self.outline.text)
    }

    fn is_good(&self, plan: &Plan, which: usize) -> bool {
        let Some(chain) = self.list.get(which) else { return false };
        plan.sprint(&chain.whole.id).is_some_and(|read| {
            read.tasks.len() == chain.whole.tasks.len()
                && read.exit.len() == chain.whole.exit.len()
                && read.kind == chain.whole.kind
        })
    }

    fn expected(&self, which: &[usize]) -> Vec<Dependency> {
        let chains = which.iter().filter_map(|one| self.list.get(*one));
        let whole = |chain: &Chain| chain.whole.label.clone();
        let labels = chains.flat_map(|chain| {
            chain.members.iter().skip(1).map(move |one| (one.id.clone(), whole(chain)))
        });
        followed(self.plan, &labels.collect())
    }

    fn owns(&self, which: usize, sprint: &str) -> bool {
        self.list.get(which).is_some_and(|chain| chain.has(sprint))
    }
}
