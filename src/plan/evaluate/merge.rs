//! Joins sprints that are too small with a neighbour: the heading of the second goes, its lines stay.
//!
//! Who joins whom is decided on the plan as it was read, one after the other, as if each had been written down
//! before the next: the first that is too small takes the next of its unit, else the one before it takes it.

use super::super::annotate::own;
use super::super::contents::{self, Labels};
use super::super::document::LineRange;
use super::super::edit::{Edits, block, line_end, parting, relabel};
use super::super::estimate::{Fitness, TurnEstimate};
use super::super::held::followed;
use super::super::mention::{Names, Speaker, Spot, mentions};
use super::super::model::{Dependency, Origin, Plan, PlanCriterion, Sprint, TaskKind, unit_of};
use super::super::outline::{Block, Content, Outline, spans};
use super::super::paths::paths;
use super::super::quality::heavy;
use super::super::read::{names, parse};
use super::settle::{Changes, settle};
use super::{FIXED, FixKind, Work};
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

/// All chains of a plan.
struct Joins<'a> {
    outline: Outline<'a>,
    plan: &'a Plan,
    names: Names,
    /// The labels that were read without a noun.
    brief: Vec<Spot>,
    budget: u32,
    refused: &'a BTreeSet<(FixKind, String)>,
    /// The sprints whose numbers must stay.
    fixed: BTreeSet<String>,
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
            fixed: self.fixed(),
            waiting: self.plan.dependencies.iter().map(|edge| edge.to.as_str()).collect(),
            list: Vec::new(),
        };
        let mut stay = Vec::new();
        for unit in &self.plan.units {
            let mut chains: Vec<Chain> =
                unit.sprints.iter().map(|one| Chain::of(one, self.budget)).collect();
            stay.extend(joins.join(&mut chains));
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
        for (sprint, labels) in stay {
            self.leave(FixKind::Merged, &sprint, format!("{labels}, since {FIXED}"));
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

    /// The names of its members, where they have one.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|one| one.name.as_str()).filter(|name| !name.is_empty())
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
    /// Joins what can be joined; what could be but for numbers that must stay, with the labels of both.
    fn join(&self, chains: &mut Vec<Chain>) -> Vec<(String, String)> {
        let mut stay = Vec::new();
        let small = |one: &Chain| one.fitness == Fitness::Undersized && !one.stuck;
        while let Some(place) = chains.iter().position(small) {
            let pairs = [(place, place + 1), (place.wrapping_sub(1), place)];
            let found = pairs.into_iter().filter_map(|(first, second)| {
                let whole = self.joined(chains.get(first)?, chains.get(second)?)?;
                Some((first, second, whole))
            });
            let fixed = |second: usize| {
                let next = chains.get(second).and_then(|next| next.members.first());
                next.is_some_and(|next| self.fixed.contains(&next.id))
            };
            let (held, free): (Vec<_>, Vec<_>) = found.partition(|(_, second, _)| fixed(*second));
            let Some((first, second, whole)) = free.into_iter().next() else {
                let labels = |(first, second, _): &(usize, usize, Sprint)| {
                    let [one, other] = [*first, *second].map(|at| &chains[at].whole);
                    (one.id.clone(), format!("{} and {}", one.label, other.label))
                };
                stay.extend(held.first().map(labels));
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
        stay
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
        // Anything else that is asked for before the second begins may be what the first makes.
        if !other.whole.entry.iter().all(|entry| self.is_inner(entry, &next.id, within)) {
            return None;
        }
        let fitness = TurnEstimate::of(&whole).fitness(self.budget);
        let concerns = heavy(&one.whole).max(heavy(&other.whole)).max(1);
        // What is about two things would only be split again.
        (fitness != Fitness::Oversized && heavy(&whole) <= concerns).then_some(whole)
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
        // What stands there goes, so it may be nothing but a rule.
        between.into_iter().all(|block| matches!(block.content, Content::Rule))
    }

    fn head(&self, sprint: &Sprint) -> Option<&Block> {
        let found = self.outline.block_at(sprint.lines.first);
        found.filter(|block| matches!(block.content, Content::Heading(_)))
    }

    /// Whether an entry criterion says that sprints that become a part of this one are complete, and nothing else.
    fn is_inner(&self, entry: &PlanCriterion, id: &str, within: impl Fn(&str) -> bool) -> bool {
        let speaker = Speaker { unit: Some(unit_of(id)), ..Speaker::default() };
        let found = mentions(&entry.text, &self.names, speaker);
        let inner = found.iter().all(|one| one.id.as_deref().is_some_and(&within));
        let names = !spans(&entry.text).is_empty() || paths(&entry.text).next().is_some();
        inner && !found.is_empty() && !names
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
        // Behind the name, whatever marks are around it or behind it.
        let name = &chain.whole.name;
        let behind = at + words.rfind(name.as_str())? + name.len();
        let names: Vec<&str> = chain.names().skip(usize::from(!name.is_empty())).collect();
        let lead = if name.is_empty() { ": " } else { "; " };
        if !names.is_empty() {
            edits.replace(behind..behind, format!("{lead}{}", names.join("; ")));
        }
        for pair in chain.members.windows(2) {
            let (one, other) = (&pair[0], &pair[1]);
            let head = self.head(other)?;
            let gone = self.outline.bytes(self.outline.lines(&head.range));
            // Nothing of one part may become a part of a line of the other.
            let last = gone.start + self.outline.source(&gone).trim_end_matches(['\r', '\n']).len();
            let between = format!("{end}{}", parting(self.outline.text, last));
            edits.replace(block(&self.outline, one.lines).end..gone.end, between);
            let below = |line: u32| line > other.lines.first;
            if let Some((known, _)) = own(&self.outline, other) {
                let line = LineRange { first: known.lines.first, last: known.lines.first };
                edits.replace(self.outline.bytes(line), "");
            }
            let inner = |entry: &&PlanCriterion| {
                let own = self.is_inner(entry, &other.id, |id| chain.has(id));
                below(entry.lines.first) && own
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

    fn is_good(&self, plan: &Plan, which: usize, labels: &Labels) -> bool {
        let Some(chain) = self.list.get(which) else { return false };
        let whole = &chain.whole;
        plan.sprint(&whole.id).is_some_and(|read| {
            contents::same(&contents::items(whole, labels), &contents::items(read, labels))
                && read.name == chain.names().collect::<Vec<_>>().join("; ")
                && (read.kind, read.deferred) == (whole.kind, whole.deferred)
                && (&read.model, read.layer) == (&whole.model, whole.layer)
        })
    }

    fn plan(&self) -> &Plan {
        self.plan
    }

    fn own(&self, which: &[usize]) -> BTreeSet<String> {
        let chains = which.iter().filter_map(|one| self.list.get(*one));
        chains.flat_map(|chain| chain.members.iter().map(|one| one.id.clone())).collect()
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
