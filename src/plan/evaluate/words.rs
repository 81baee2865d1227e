//! The words of exit criteria: vague ones become checks where they name one themselves, and sprints without
//! any check get the files they make.
//!
//! A new wording never says less than the old one. So nothing is taken from elsewhere: the tests of the whole
//! plan pass with or without one sprint, and a file that exists need not be complete. What the words of the
//! author do not decide is a question.

use super::super::classify;
use super::super::contents::{self, Labels};
use super::super::edit::{Edits, block, line_end, parting};
use super::super::judge::{PlanQuestion, said_words};
use super::super::model::{Check, Plan, PlanCriterion, Sprint};
use super::super::outline::{Content, Outline, spans};
use super::super::paths::paths;
use super::super::prioritize::sound;
use super::super::quality::is_machine;
use super::super::vague::{is_vague, vague, vague_in};
use super::commands::{Commands, criteria_for, is_gate};
use super::{Fix, FixKind, Work};
use crate::vocab::error::Result;
use std::collections::{BTreeMap, BTreeSet};

impl Work<'_> {
    /// Vague criteria.
    pub(super) fn words(&mut self) -> Result<()> {
        self.edited(|work, outline, sprint, edits| {
            for one in sprint.exit.iter().filter(|one| is_vague(&one.text)) {
                work.reword(outline, sprint, one, edits);
            }
        })
    }

    /// Sprints that nothing about their end can be checked of.
    pub(super) fn missing(&mut self) -> Result<()> {
        self.edited(|work, outline, sprint, edits| {
            if !sprint.exit.iter().any(|one| is_machine(&one.check, &one.text)) {
                work.add(outline, sprint, edits);
            }
        })
    }

    /// Changes something about each sprint that is to run, and reads the document again. Where that says something
    /// else than was meant, the changes of those sprints are taken back.
    fn edited(
        &mut self,
        change: impl Fn(&mut Self, &Outline<'_>, &Sprint, &mut Edits),
    ) -> Result<()> {
        let (text, plan) = (self.text.clone(), self.plan.clone());
        let outline = Outline::read(&text, super::front_end(&text, &plan));
        let mut barred: BTreeSet<String> = BTreeSet::new();
        for _ in 0..MOST_TRIES {
            let (many, asked) = (self.fixes.len(), self.left.len());
            let mut edits = Edits::default();
            let live = plan.sprints().filter(|one| !one.deferred && !barred.contains(&one.id));
            for sprint in live {
                change(self, &outline, sprint, &mut edits);
            }
            if edits.is_empty() {
                break;
            }
            let new = edits.apply(&text);
            match reread(&plan, &new, &self.fixes[many..]) {
                Ok(read) => {
                    (self.text, self.plan) = (new, read);
                    break;
                }
                Err(spoilt) => {
                    self.left.truncate(asked);
                    for fix in self.fixes.split_off(many) {
                        if spoilt.contains(&fix.sprint) {
                            let what =
                                format!("{}, since the sprint would read otherwise", fix.what);
                            self.leave(fix.kind, &fix.sprint, what);
                        }
                    }
                    barred.extend(spoilt);
                }
            }
        }
        Ok(())
    }

    /// Words a vague criterion anew: by an answer, or by what it names itself.
    fn reword(
        &mut self,
        outline: &Outline<'_>,
        sprint: &Sprint,
        one: &PlanCriterion,
        edits: &mut Edits,
    ) {
        let range = outline.bytes(one.lines);
        let source = outline.source(&range);
        let Some((at, words)) = vague_in(source, &one.text) else { return };
        let id = format!("wording:{}/{}", sprint.id, one.id);
        let answer = said_words(self.answers, &id).filter(|answer| is_as_strong(&one.text, answer));
        let why = format!("`{}`", words.split_whitespace().collect::<Vec<_>>().join(" "));
        let Some(check) = answer.or_else(|| measured(&one.text)) else {
            let text = format!(
                "Sprint {}: word this criterion so that a command or a look at files decides it: {}",
                sprint.label, one.text
            );
            return self.left.push(PlanQuestion::words(id, text));
        };
        // What stands behind it on its lines stays.
        let (start, end) = match source.find(&one.text) {
            Some(start) => (start, start + one.text.len()),
            None => (source.find(first_words(&one.text)).unwrap_or(at), source.trim_end().len()),
        };
        edits.replace(range.start + start..range.start + end, check.clone());
        self.fix(FixKind::Reworded, &sprint.id, format!("{}: {why} → {check}", one.id));
    }

    /// Adds what a machine can check: the files that are made. If there are none, somebody must say.
    fn add(&mut self, outline: &Outline<'_>, sprint: &Sprint, edits: &mut Edits) {
        let tasks = sprint.tasks.iter().map(|task| task.text.as_str());
        let added = criteria_for(tasks, &Commands::default());
        if !added.is_empty() {
            return self.put(outline, sprint, &added, edits);
        }
        let id = format!("exit:{}", sprint.id);
        if let Some(answer) = said_words(self.answers, &id).filter(|answer| !is_vague(answer)) {
            return self.put(outline, sprint, &[answer], edits);
        }
        let text = format!(
            "Which command or file shows that sprint {} ({}) is done? Tests of the whole pass without it, so none were put in.",
            sprint.label, sprint.name
        );
        self.left.push(PlanQuestion::words(id, text));
    }

    fn put(&mut self, outline: &Outline<'_>, sprint: &Sprint, added: &[String], edits: &mut Edits) {
        let end = line_end(outline.text);
        let items: String = added.iter().map(|text| format!("{end}- [ ] {text}")).collect();
        let heading = outline.block_at(sprint.lines.first);
        let heading = heading.is_some_and(|one| matches!(one.content, Content::Heading(_)));
        match sprint.exit.iter().rfind(|one| sprint.task_of(one).is_none()) {
            Some(last) if last.lines.first > sprint.lines.first => {
                let at = block(outline, last.lines).end;
                edits.replace(at..at, format!("{items}{}", behind(outline, at)));
            }
            _ if heading => {
                let at = block(outline, sprint.lines).end;
                let behind = parting(outline.text, at);
                edits.replace(at..at, format!("{end}{end}**Exit criteria**:{end}{items}{behind}"));
            }
            // A row of a table has no room.
            _ => return,
        }
        self.fix(FixKind::Added, &sprint.id, added.join("; "));
    }
}

/// What goes behind items that are put in at the end of a line: running text below would go on with the last of them.
fn behind(outline: &Outline<'_>, at: usize) -> &'static str {
    let below = outline.text.get(at..).and_then(|rest| rest.split_once('\n'));
    let next = below.map_or("", |(_, below)| below).trim_start_matches([' ', '\t']);
    match next.starts_with(['-', '*', '+']) {
        true => "",
        false => parting(outline.text, at),
    }
}

/// More often than this the changes of no kind are tried again.
const MOST_TRIES: u32 = 8;

/// The plan of a text with some changes; else the sprints that say something else than these. Of a sprint nothing may be
/// lost but the criteria that were worded anew, and nothing may be new but criteria.
fn reread(was: &Plan, text: &str, fixes: &[Fix]) -> std::result::Result<Plan, BTreeSet<String>> {
    let changed: BTreeSet<String> = fixes.iter().map(|fix| fix.sprint.clone()).collect();
    let Ok(now) = sound(text) else { return Err(changed) };
    let same = |id: &str| id.to_owned();
    if contents::astray(was, &now, same, &changed).is_some() {
        return Err(changed);
    }
    let labels = Labels::of(was, &now);
    let read: BTreeMap<&str, &Sprint> = now.sprints().map(|one| (one.id.as_str(), one)).collect();
    let mut worded: BTreeMap<&str, usize> = BTreeMap::new();
    let anew = fixes.iter().filter(|fix| fix.kind == FixKind::Reworded);
    anew.for_each(|fix| *worded.entry(&fix.sprint).or_default() += 1);
    let spoilt = was.sprints().filter(|one| changed.contains(&one.id)).filter(|one| {
        let before = contents::whole(one, &labels);
        let after = read.get(one.id.as_str()).map(|one| contents::whole(one, &labels));
        let after = after.unwrap_or_default();
        let (gone, more) = (contents::lost(&before, &after), contents::lost(&after, &before));
        let ends = |all: &[contents::Said]| all.iter().all(|(said, _)| said.starts_with("exit "));
        let most = worded.get(one.id.as_str()).copied().unwrap_or_default();
        gone.len() > most || !ends(&gone) || !ends(&more)
    });
    let spoilt: BTreeSet<String> = spoilt.map(|one| one.id.clone()).collect();
    if spoilt.is_empty() { Ok(now) } else { Err(spoilt) }
}

/// Whether an answer can be measured and still speaks of everything that the old words name.
fn is_as_strong(old: &str, new: &str) -> bool {
    let codes = spans(old).into_iter().map(|(_, code)| code);
    let mut named = codes.chain(paths(old).map(|(_, path)| path));
    !is_vague(new) && is_machine(&classify::check(new), new) && named.all(|one| new.contains(one))
}

/// The check that a vague criterion asks for in its own words: "`make test` works correctly" names a command
/// whose status is all that it claims, and says nothing else. "`src/a.rs` is complete" says more than that there
/// is such a file.
fn measured(text: &str) -> Option<String> {
    let bare = text.trim().trim_end_matches('.');
    let named = bare.strip_prefix('`')?;
    let (code, said) = named.split_once('`')?;
    let (at, words) = vague(said)?;
    let whole = said[..at].trim().is_empty() && said[at + words.len()..].trim().is_empty();
    let ends = ["complete", "completed", "done", "finished", "ready"];
    let finished = words.split_whitespace().last().is_some_and(|word| ends.contains(&word));
    let check = format!("`{code}` exits 0");
    let fits = whole && !finished && is_gate(code);
    (fits && matches!(classify::check(&check), Check::Command { .. })).then_some(check)
}

fn first_words(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    line.char_indices().nth(12).map_or(line, |(at, _)| &line[..at])
}
