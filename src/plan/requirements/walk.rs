//! One walk over a document: which headings are requirements, and what stands below the others.

use super::super::document::{LineRange, item_text, unboxed, unmarked, unwrapped};
use super::super::outline::{Block, Content, Outline, plain};
use super::super::yaml::count;
use super::net::Part;
use super::open::Open;
use super::rows::{Heads, Said};
use super::sections::{Meaning, is_holder, is_undecided, is_whole, meaning, of_title};
use super::signals::classify;
use super::{Asked, Confidence, MOST_REQUIREMENTS, Requirement, Signal, Unread, ids, prose};
use crate::vocab::error::clip;
use std::collections::BTreeMap;
use std::ops::Range;

/// The level of a paragraph that is a requirement with its id, below all headings.
pub(super) const WORDS: u8 = 7;
/// The level of a label above a list, below that.
pub(super) const LABEL: u8 = 8;

#[derive(Clone)]
pub(super) struct Head {
    pub(super) level: u8,
    pub(super) words: String,
    pub(super) means: Option<Meaning>,
    /// The title of a document: "Product Requirements of X" says nothing about its prose.
    pub(super) loose: bool,
}

pub(super) struct Found {
    pub(super) one: Requirement,
    /// Its id as its author gave it.
    key: Option<String>,
    /// Whether it is a heading with all below it.
    headed: bool,
    /// Whether nothing but its id makes it one.
    weak: bool,
}

pub(super) struct Walk<'o, 'a> {
    pub(super) outline: &'o Outline<'a>,
    pub(super) heads: Vec<Head>,
    pub(super) open: Vec<Open>,
    pub(super) found: Vec<Found>,
    pub(super) unread: Vec<Unread>,
    titled: bool,
}

impl<'o, 'a> Walk<'o, 'a> {
    /// Everything in a document.
    pub(super) fn over(outline: &'o Outline<'a>) -> Self {
        Walk::below(outline, Vec::new())
    }

    /// Everything in a document that stands below some headings.
    pub(super) fn below(outline: &'o Outline<'a>, heads: Vec<Head>) -> Self {
        let titled = !heads.is_empty();
        let (open, found, unread) = (Vec::new(), Vec::new(), Vec::new());
        let mut walk = Walk { outline, heads, open, found, unread, titled };
        outline.blocks.iter().for_each(|block| walk.block(block));
        walk.close(0);
        walk
    }

    fn block(&mut self, block: &Block) {
        match &block.content {
            Content::Heading(level) => self.heading(*level, block),
            Content::List(items) => items.iter().for_each(|item| self.item(item)),
            Content::Paragraph => self.paragraph(&block.range),
            Content::Table(rows) => self.table(rows),
            Content::Other => self.other(&block.range),
            Content::Code { info, .. } => {
                let info = info.split_whitespace().next().unwrap_or("text");
                self.pass_by(&block.range, &format!("a listing ({info})"), true);
            }
            Content::Rule => return,
        }
        let last = self.outline.lines(&block.range).last;
        self.open.iter_mut().for_each(|open| open.lines.last = last);
    }

    /// What the headings above mean; for running text the title does not count.
    pub(super) fn around(&self, prose: bool) -> Option<Meaning> {
        let mut heads = self.heads.iter().rev().filter(|head| !(prose && head.loose));
        heads.find_map(|head| head.means)
    }

    fn heading(&mut self, level: u8, block: &Block) {
        let source = self.outline.heading(block).0;
        let words = plain(source);
        self.close(level);
        self.heads.retain(|head| head.level < level);
        let title = !std::mem::replace(&mut self.titled, true) && level == 1;
        let above = self.around(true);
        // What stands below a heading that is struck out is not wanted.
        let gone = unwrapped(source).1;
        let known = !title && !gone && self.is_known(source);
        let own = match gone {
            true => Some(Meaning::Asks(Signal::OutOfScope, Confidence::Context)),
            false if title => of_title(&words),
            false => meaning(&words, above).filter(|_| !known),
        };
        let holder = self.heads.last().filter(|head| !head.loose && is_holder(&head.words));
        let held = holder.and_then(|head| head.means).is_some_and(Meaning::asks);
        let loose = title && !is_whole(&words);
        if known || !title && held && own.is_none() {
            let lines = self.outline.lines(&block.range);
            self.begin(level, source, known, lines);
            return;
        }
        if own.is_none()
            && let Some(open) = self.open.last_mut()
        {
            open.end();
            open.part = Some(words.clone());
        }
        self.heads.push(Head { level, words, means: own, loose });
    }

    /// Whether a text begins with the id of a requirement, and stands where there may be some.
    pub(super) fn is_known(&self, text: &str) -> bool {
        let here = match self.around(true) {
            Some(Meaning::Silent) => false,
            Some(Meaning::Asks(Signal::OutOfScope, _)) => false,
            Some(Meaning::Asks(_, Confidence::Context)) => ids::is_usual(text),
            _ => true,
        };
        here && ids::id_of(text).is_some()
    }

    /// A heading, or a paragraph with an id, that is a requirement with what stands below it.
    pub(super) fn begin(&mut self, level: u8, source: &str, known: bool, lines: LineRange) {
        self.close(level);
        self.heads.retain(|head| head.level < level);
        self.open.iter_mut().for_each(|open| open.own += 1);
        let means = known.then_some(Meaning::Asks(Signal::Section, Confidence::High));
        self.heads.push(Head { level, words: plain(source), means, loose: false });
        let depth = self.heads.len();
        let inner = source.trim().strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
        let bare = inner.filter(|inner| !inner.contains("**")).unwrap_or(source.trim());
        self.open.push(Open::new(level, depth, bare.to_owned(), known, lines));
    }

    /// Ends the requirements whose headings are not above `level`.
    fn close(&mut self, level: u8) {
        while self.open.last().is_some_and(|open| open.level >= level) {
            let Some(mut open) = self.open.pop() else { break };
            open.end();
            if open.is_group() {
                continue;
            }
            let inner = usize::from(open.own == 0);
            let heads = self.heads.get(..open.depth - inner).unwrap_or_default();
            let above = heads.iter().take(open.depth - 1).rev().find_map(|head| head.means);
            let said = classify(&open.head, above, false, true)
                .filter(|(signal, _)| !open.known || *signal == Signal::OutOfScope);
            let (signal, confidence) = said.unwrap_or((Signal::Section, Confidence::High));
            let one = Requirement {
                id: String::new(),
                text: open.text(),
                headings: names(heads),
                lines: open.lines,
                confidence,
                signal,
                quoted: false,
            };
            let key = ids::key(&open.head);
            self.found.push(Found { one, key, headed: true, weak: false });
        }
    }

    /// The requirement that keeps what stands here: one with an id everything, another its prose; nothing that stands
    /// below a heading with a meaning of its own.
    pub(super) fn keeper(&mut self) -> Option<&mut Open> {
        let open = self.open.last()?;
        let inner = self.heads.get(open.depth..).unwrap_or_default();
        let other = inner.iter().rev().find_map(|head| head.means).is_some_and(|means| {
            means.asks() || matches!(means, Meaning::Asks(Signal::OutOfScope, _))
        });
        if other { None } else { self.open.last_mut() }
    }

    /// Keeps a text below its requirement, or names it if there is no room.
    pub(super) fn keep(&mut self, text: &str, range: &Range<usize>) {
        let kept = self.keeper().is_none_or(|open| open.keep(text));
        if !kept {
            let what = format!("more than one requirement can hold: {}", clip(text, 60));
            self.name(range, what, false);
        }
    }

    fn item(&mut self, range: &Range<usize>) {
        let text = item_text(self.outline.source(range));
        let (text, boxed) = unboxed(unmarked(&text));
        let text = self.standing(text, range);
        let (text, accepted) = prose::with_acceptance(&text);
        let held = self.keeper().is_some_and(|open| open.known);
        let bare = text.trim_end_matches(['*', '_', ' ']);
        let empty = bare.is_empty() || bare.ends_with(':') && !bare.contains('\n');
        let lower = text.get(..6).unwrap_or_default().to_lowercase();
        let story = lower.starts_with("as a ") || lower.starts_with("as an ");
        let by_itself = story || ids::key(&text).is_some();
        match held && !by_itself {
            true if bare.is_empty() => {}
            true => self.keep(&text, range),
            false if empty => {}
            false => self.one(&text, range, boxed.is_some(), Part::Item),
        }
        self.accept(accepted.into_iter(), range);
    }

    fn accept<'t>(&mut self, accepted: impl Iterator<Item = &'t str>, range: &Range<usize>) {
        for line in accepted {
            let (text, _) = unboxed(unmarked(line));
            self.made(text, range, (Signal::Acceptance, Confidence::High), false);
        }
    }

    fn table(&mut self, rows: &[Vec<Range<usize>>]) {
        let Some((heads, rows)) = rows.split_first() else { return };
        let heads = Heads::of(self.outline, heads);
        let asks = self.around(true).is_some_and(Meaning::asks);
        for row in rows {
            let (Some(first), Some(last)) = (row.first(), row.last()) else { continue };
            let range = first.start..last.end;
            if heads.is_about() {
                self.pass_by(&range, "a row of versions or terms", false);
                continue;
            }
            let Said { text, accepted, struck } = heads.row(self.outline, row);
            if struck {
                continue;
            }
            if text.contains(char::is_alphabetic) {
                self.one(&text, &range, false, Part::Row { asked: asks });
            }
            self.accept(accepted.iter().map(String::as_str), &range);
        }
    }

    /// A text that stands by itself, as one requirement if it is one.
    fn one(&mut self, text: &str, range: &Range<usize>, boxed: bool, part: Part) {
        let around = self.around(false);
        let item = part != Part::Row { asked: false };
        if let Some(found) = classify(text, around, boxed, item) {
            self.made(text, range, found, false);
        } else if ids::key(text).is_some() && self.is_known(text) {
            self.made(text, range, (Signal::Section, Confidence::High), true);
        } else {
            self.catch(text, range, part);
        }
    }

    pub(super) fn made(
        &mut self,
        text: &str,
        range: &Range<usize>,
        (signal, confidence): (Signal, Confidence),
        weak: bool,
    ) {
        let one = Requirement {
            id: String::new(),
            text: text.trim().to_owned(),
            headings: names(&self.heads),
            lines: self.outline.lines(range),
            confidence,
            signal,
            quoted: false,
        };
        let own = usize::from(one.is_work());
        self.open.iter_mut().for_each(|open| open.own += own);
        self.found.push(Found { one, key: ids::key(text), headed: false, weak });
    }

    /// Names what nothing was made of, where requirements stand, and what the author has not decided.
    pub(super) fn pass_by(&mut self, range: &Range<usize>, what: &str, shown: bool) {
        if self.heads.iter().any(|head| is_undecided(&head.words)) && !shown {
            self.name(range, format!("an open question, {what}"), shown);
        } else if self.around(true).is_some_and(Meaning::asks) {
            self.name(range, what.to_owned(), shown);
        }
    }

    pub(super) fn name(&mut self, range: &Range<usize>, what: String, shown: bool) {
        self.unread.push(Unread { lines: self.outline.lines(range), what, shown, more: 0 });
    }

    /// What was found, in the order of the document.
    pub(super) fn asked(mut self) -> Asked {
        self.found.sort_by_key(|found| found.one.lines.first);
        let mut requirements = once(self.found);
        let all = requirements.len();
        let ends = requirements.get(MOST_REQUIREMENTS).zip(requirements.last());
        if let Some((next, last)) = ends {
            let lines = LineRange { first: next.lines.first, last: last.lines.last };
            let what = format!("{all} requirements; the first {MOST_REQUIREMENTS} are read");
            self.unread.insert(0, Unread { lines, what, shown: false, more: 0 });
            requirements.truncate(MOST_REQUIREMENTS);
        }
        let all = self.unread.len();
        if let Some(last) = self.unread.get_mut(MOST_REQUIREMENTS - 1) {
            last.what = format!("{} and {} more", last.what, all - MOST_REQUIREMENTS);
            last.more = count(all - MOST_REQUIREMENTS);
            self.unread.truncate(MOST_REQUIREMENTS);
        }
        for (place, one) in requirements.iter_mut().enumerate() {
            one.id = format!("R-{:03}", place + 1);
        }
        Asked { requirements, unread: self.unread }
    }
}

fn names(heads: &[Head]) -> Vec<String> {
    heads.iter().filter(|head| head.level > 1).map(|head| head.words.clone()).collect()
}

/// Each id once: a row or item with the id of a heading belongs to that, and one that only its id makes a requirement
/// is a mention of the one with the same id.
fn once(found: Vec<Found>) -> Vec<Requirement> {
    let mut headed: BTreeMap<String, usize> = BTreeMap::new();
    let mut strong: BTreeMap<String, ()> = BTreeMap::new();
    for (at, one) in found.iter().enumerate() {
        let Some(key) = &one.key else { continue };
        if one.headed {
            headed.entry(key.clone()).or_insert(at);
        }
        if !one.weak {
            strong.insert(key.clone(), ());
        }
    }
    let mut more: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut kept = Vec::new();
    for (at, one) in found.into_iter().enumerate() {
        let key = one.key.as_ref();
        let home = key.and_then(|key| headed.get(key)).filter(|home| !one.headed && **home != at);
        match home {
            Some(_) if one.weak => {}
            Some(home) => more.entry(*home).or_default().push(one.one.text),
            None if one.weak && key.is_some_and(|key| strong.contains_key(key)) => {}
            None => kept.push((at, one.one)),
        }
    }
    for (at, one) in &mut kept {
        for text in more.remove(at).unwrap_or_default() {
            one.text = format!("{}\n- {text}", one.text);
        }
    }
    kept.into_iter().map(|(_, one)| one).collect()
}
