//! One rule for all protocols: the next run of an item is told of each commit that no report names. A lost run
//! may have done its work; a run that is not told does it twice. The engine keeps and tells these commits, outside the
//! protocols.

use crate::mission::Head;
use crate::mission::Intent;
use crate::mission::proof;
use crate::vocab::effect::{Order, Outstanding, SpawnRole};
use crate::vocab::event::Fact;
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::repository::Change;
use crate::vocab::role::Access;
use schemars::JsonSchema;
use std::collections::BTreeSet;

/// The most commits that are kept of an item, and the most items.
const MOST: usize = 20;
/// The most names of commits that are kept.
const MOST_NAMED: usize = 1_000;
/// Letters of a commit's id that name it, and that are told.
const NAMED: usize = 7;
const TOLD: usize = 12;

/// Commits that came while somebody wrote, and that nobody has reported yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unreported {
    /// By what was worked on then.
    pub left: Vec<Left>,
    /// How the commits begin that reports have named, while any are kept or somebody writes.
    pub named: BTreeSet<String>,
}

/// What runs for one item may have left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Left {
    /// The item; `None` for the whole mission.
    pub item: Option<String>,
    /// The commits, the oldest first.
    pub commits: Vec<String>,
}

/// Takes what commits and reports a fact speaks of; `taken`: the report was.
pub(crate) fn take(head: &mut Head, subject: Option<&Outstanding>, fact: &Fact, taken: bool) {
    match (fact, subject.and_then(writer)) {
        (Fact::RunEnded(fact), Some(spawn)) => {
            let report = fact.report.as_deref().filter(|text| taken && !text.trim().is_empty());
            head.unreported.ended(&spawn.item, report);
        }
        (Fact::RepositoryObserved(fact), _) => {
            let writes: Vec<_> = writers(head).map(|spawn| spawn.item.clone()).collect();
            let since = fact.repository.since.as_deref();
            since.into_iter().for_each(|since| head.unreported.seen(since, &writes));
        }
        _ => return,
    }
    let named = !head.unreported.named.is_empty();
    if named && head.unreported.left.is_empty() && writers(head).next().is_none() {
        head.unreported.named.clear();
    }
}

/// Tells those who are to write what is there already.
pub(crate) fn tell(head: &Head, intents: &mut [Intent]) {
    for intent in intents {
        if let Order::SpawnRole(spawn) = &mut intent.order {
            let made = std::mem::take(&mut spawn.prompt);
            spawn.prompt = prompt(head, spawn, made);
        }
    }
}

/// What a run is told, made of the prompt of its protocol.
pub(crate) fn prompt(head: &Head, spawn: &SpawnRole, mut prompt: String) -> String {
    let opening = prompt.find("\n\n").map_or(0, |end| end + 2);
    if let Some(commands) = proof::told(&head.proof, spawn.item.as_deref()) {
        prompt.insert_str(opening, &commands);
    }
    let left = head.unreported.left.iter().find(|one| one.item == spawn.item);
    let commits = left.filter(|_| spawn.access == Access::Write).map(|one| &one.commits);
    if let Some(commits) = commits.filter(|commits| !commits.is_empty()) {
        let ids: Vec<&str> = commits.iter().map(|id| id.get(..TOLD).unwrap_or(id)).collect();
        prompt.insert_str(opening, &told(&ids.join(", ")));
    }
    prompt
}

fn told(ids: &str) -> String {
    format!(
        "## Commits of a run that did not report\n\nA run ended without a report that could be read. These commits came meanwhile, \
         the oldest first: {ids}. Look at each (`git show`) before you begin. What is done there is not done again: go on \
         from it, and report it as yours. Leave alone what belongs to other work.\n\n"
    )
}

fn writer(one: &Outstanding) -> Option<&SpawnRole> {
    match &one.effect.order {
        Order::SpawnRole(spawn) if spawn.access == Access::Write => Some(spawn),
        _ => None,
    }
}

/// Who was sent writes, also before the host has said that it started.
fn writers(head: &Head) -> impl Iterator<Item = &SpawnRole> {
    head.outbox.iter().filter_map(|one| writer(one))
}

impl Unreported {
    /// Nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.left.is_empty() && self.named.is_empty()
    }

    /// From now on what comes is kept for this item, too.
    fn keep(&mut self, item: &Option<String>) {
        if self.left.iter().all(|one| one.item != *item) {
            self.left.drain(..self.left.len().saturating_sub(MOST - 1));
            self.left.push(Left { item: item.clone(), commits: Vec::new() });
        }
    }

    /// `report`: the one that was taken. Any other names nothing.
    fn ended(&mut self, item: &Option<String>, report: Option<&str>) {
        let Some(report) = report else { return self.keep(item) };
        self.left.retain(|one| one.item != *item);
        let words = report.split(|c: char| !c.is_ascii_hexdigit());
        let names = words.filter_map(|word| word.get(..NAMED)).map(str::to_ascii_lowercase);
        self.named.extend(names.take(MOST_NAMED.saturating_sub(self.named.len())));
        let Unreported { left, named } = self;
        left.iter_mut().for_each(|one| one.commits.retain(|id| !is_named(named, id)));
    }

    /// What came may be of each who writes, and of each whose run ended without a report.
    fn seen(&mut self, since: &Change, writes: &[Option<String>]) {
        if !since.descends {
            // The user is asked, and may go back to what was before.
            return;
        }
        let new = since.commits.iter().rev().filter(|id| !is_named(&self.named, id));
        let new: Vec<String> = new.cloned().collect();
        if new.is_empty() {
            return;
        }
        writes.iter().for_each(|item| self.keep(item));
        for one in &mut self.left {
            one.commits.extend(new.iter().cloned());
            one.commits.drain(..one.commits.len().saturating_sub(MOST));
        }
    }
}

/// The mission goes on at a head without these commits.
pub(crate) fn dropped(head: &mut Head, lost: &[String]) {
    head.unreported.left.iter_mut().for_each(|one| one.commits.retain(|id| !lost.contains(id)));
}

fn is_named(named: &BTreeSet<String>, id: &str) -> bool {
    id.get(..NAMED).is_some_and(|name| named.contains(name))
}
