//! Running text: labels, paragraphs that are requirements by their id, sentences, quotations.

use super::super::document::{LineRange, unwrapped};
use super::super::outline::{Outline, plain};
use super::net::Part;
use super::sections::{Meaning, meaning};
use super::signals::classify;
use super::sorted::is_bare;
use super::walk::{Head, LABEL, WORDS, Walk};
use super::{Requirement, Signal, ids};
use crate::vocab::error::clip;
use std::ops::Range;

impl Walk<'_, '_> {
    pub(super) fn paragraph(&mut self, range: &Range<usize>) {
        self.heads.retain(|head| head.level < LABEL);
        let source = self.outline.source(range);
        if unwrapped(source).1 {
            return;
        }
        let kept = self.keeper().is_some_and(|open| open.known);
        if let Some((words, means)) = label(source, self.around(true), kept) {
            self.heads.push(Head { level: LABEL, words, means: Some(means), loose: false });
            return;
        }
        if self.lines_with_ids(source, range) {
            return;
        }
        match self.keeper().map(|open| open.known) {
            Some(true) => self.keep(&one_line(source), range),
            Some(false) if !self.asks(source) => self.keep(&one_line(source), range),
            _ => self.sentences(range),
        }
    }

    /// A paragraph whose lines begin with ids that stand out: each begins a requirement.
    fn lines_with_ids(&mut self, source: &str, range: &Range<usize>) -> bool {
        let marked = |line: &str| {
            let id = ids::id_of(line)?;
            let behind = line.find(id).and_then(|at| line.get(at + id.len()..))?;
            let bold = line.starts_with("**") && (behind.starts_with("**") || line.ends_with("**"));
            let said = behind.trim_start_matches(['*', '_', ']', ')']).starts_with(':');
            (bold || said).then_some(())
        };
        if marked(source.trim_start()).is_none() || !self.is_known(source) {
            return false;
        }
        let mut at = range.start;
        for line in source.split_inclusive('\n') {
            let place = at..at + line.len();
            at = place.end;
            match marked(line.trim()) {
                Some(()) => {
                    let lines: LineRange = self.outline.lines(&place);
                    self.begin(WORDS, line.trim(), true, lines);
                }
                None if line.trim().is_empty() => {}
                None => self.keep(line.trim(), &place),
            }
        }
        true
    }

    /// Whether a sentence of a text asks by its own words.
    fn asks(&self, source: &str) -> bool {
        let own = |range: Range<usize>| {
            let text = one_line(source.get(range).unwrap_or_default());
            classify(&text, None, false, false).is_some()
        };
        parts(source).into_iter().any(own)
    }

    /// Sentences of running text count by their own words only; a section gives context.
    fn sentences(&mut self, range: &Range<usize>) {
        let source = self.outline.source(range);
        let around = self.around(true);
        let mut left: Option<Range<usize>> = None;
        for part in parts(source) {
            let text = one_line(source.get(part.clone()).unwrap_or_default());
            let place = range.start + part.start..range.start + part.end;
            if text.is_empty() {
                continue;
            }
            match classify(&text, around, false, false) {
                Some(found) => self.made(&text, &place, found, false),
                None if text.trim_end_matches(['*', '_', ' ']).ends_with(':') => {}
                None => left = Some(left.map_or(place.start, |left| left.start)..place.end),
            }
        }
        if let Some(left) = left {
            let words = one_line(self.outline.source(&left));
            self.pass_by(&left, &format!("words: {}", clip(&words, 80)), false);
        }
    }

    pub(super) fn other(&mut self, range: &Range<usize>) {
        let source = self.outline.source(range);
        if !source.trim_start().starts_with('>') {
            let said = source.split('<').map(|part| part.rsplit('>').next().unwrap_or_default());
            let comment = source.trim_start().starts_with("<!--");
            if !comment && said.into_iter().any(|part| part.contains(char::is_alphabetic)) {
                let what = format!("HTML or a footnote: {}", clip(&one_line(source), 60));
                match self.around(true).is_some_and(Meaning::asks) || !is_list(source) {
                    true => self.pass_by(range, &what, false),
                    false => self.catch(&one_line(source), range, Part::Markup),
                }
            }
            return;
        }
        let bare: String = source.lines().map(|line| unquoted(line) + "\n").collect();
        match self.keeper().is_some_and(|open| open.known) {
            true => self.keep(&one_line(&bare), range),
            false => self.quotation(&bare, range),
        }
    }

    /// What a quotation asks for is asked for like anything else. Its marks are taken off and it is read as a document,
    /// so that its lists and headings are what they are; nothing that is left of it is a quotation again.
    fn quotation(&mut self, bare: &str, range: &Range<usize>) {
        let inner = Outline::read(bare, 0);
        let Walk { found, unread, .. } = Walk::below(&inner, self.heads.clone());
        let above = self.outline.line(range.start).saturating_sub(1);
        let lines =
            |lines: LineRange| LineRange { first: lines.first + above, last: lines.last + above };
        let own = found.iter().filter(|found| found.one.is_work()).count();
        self.open.iter_mut().for_each(|open| open.own += own);
        self.found.extend(found.into_iter().map(|mut found| {
            let lines = lines(found.one.lines);
            found.one = Requirement { lines, quoted: true, ..found.one };
            found
        }));
        self.unread.extend(unread.into_iter().map(|mut one| {
            one.lines = lines(one.lines);
            one
        }));
    }
}

/// A line without the marks of a quotation, and nothing of one that only says of what sort it is (`[!NOTE]`).
fn unquoted(line: &str) -> String {
    let mut bare = line;
    while let Some(rest) = bare.trim_start().strip_prefix('>') {
        bare = rest.strip_prefix(' ').unwrap_or(rest);
    }
    let sort = bare.trim().strip_prefix("[!").and_then(|rest| rest.strip_suffix(']'));
    let sort = sort.is_some_and(|sort| sort.chars().all(char::is_alphabetic));
    if sort { String::new() } else { bare.to_owned() }
}

/// Whether some HTML is a list or a table.
fn is_list(source: &str) -> bool {
    let lower = source.to_ascii_lowercase();
    lower.contains("<li") || lower.contains("<td")
}

/// A line "Acceptance criteria:" above a list; and "Must have:", unless what stands there is kept by a requirement.
fn label(text: &str, above: Option<Meaning>, kept: bool) -> Option<(String, Meaning)> {
    let words = plain(text);
    let bare = words.strip_suffix(':');
    let bare = bare.or_else(|| (unwrapped(text).0.len() < text.trim().len()).then_some(&words))?;
    let means = match meaning(bare, None)? {
        means @ Meaning::Asks(Signal::Acceptance, _) if words.ends_with(':') => Some(means),
        _ if !kept && is_bare(bare) => meaning(bare, above),
        _ => None,
    };
    means.filter(|_| bare.split_whitespace().count() <= 4).map(|means| (bare.to_owned(), means))
}

/// A story and its own acceptance criteria, which may be listed below it.
pub(super) fn with_acceptance(text: &str) -> (String, Vec<&str>) {
    const LABELS: [&str; 2] = ["acceptance criteria:", "acceptance criteria**:"];
    let mut lines = text.lines();
    let mut story: Vec<&str> = Vec::new();
    for line in lines.by_ref() {
        let lower = line.to_ascii_lowercase();
        if let Some(label) = LABELS.iter().find(|label| lower.trim_end().ends_with(*label)) {
            let words = &line[..lower.trim_end().len() - label.len()];
            story.push(words.trim_end_matches(['*', ' ', '-', '_']));
            break;
        }
        story.push(line);
    }
    (story.join("\n").trim_end().to_owned(), lines.collect())
}

/// A text on one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The bytes of the sentences of a text.
fn parts(source: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let rest = source.get(at..).unwrap_or_default();
        let mut ends = rest.match_indices('.').map(|(step, _)| at + step + 1);
        let ended = |end: &usize| {
            source.get(*end..).is_some_and(|rest| rest.starts_with(char::is_whitespace))
        };
        let end = ends.find(ended).unwrap_or(source.len());
        let whole = source.get(at..end).unwrap_or_default();
        let part = whole.trim();
        let start = at + (whole.len() - whole.trim_start().len());
        found.push(start..start + part.len());
        at = end;
    }
    found
}
