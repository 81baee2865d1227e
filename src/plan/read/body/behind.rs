//! What stands behind a label: on its own lines, or in paragraphs below it.

use super::super::super::classify;
use super::super::super::document::LineRange;
use super::super::super::model::Check;
use super::super::groups::LABEL;
use super::super::items::{one_criterion, priority, task};
use super::super::parts::{Part, bold, is_none, labelled};
use super::super::tables::{number, tidy};
use super::super::{kept, layers, wording};
use super::lead::WORDS;
use super::said::is_ids;
use super::{Open, Walk};
use std::ops::Range;

impl Walk<'_, '_> {
    /// What stands behind a label on its own lines.
    pub(super) fn close(&mut self, open: Option<Open>) {
        let Some(Open { part: found, at: range, before }) = open else { return };
        let end = range.end;
        let source = self.outline.source(&range);
        let start = range.start + (source.len() - source.trim_start().len());
        let range = start..start + source.trim().len();
        if range.is_empty() {
            if found == Part::Depends {
                let line = self.outline.line(range.start.saturating_sub(1));
                self.body.asked = Some(self.outline.bytes(LineRange { first: line, last: line }));
            }
            return;
        }
        match found {
            Part::Other => {
                self.shown_behind(&range);
                self.said_on_line(source);
            }
            _ => {
                self.inline(found, &range);
                self.lead_behind(found, &range);
            }
        }
        if is_said_whole(found, source.trim()) || self.is_told(found, source, end, before.0) {
            self.reopen(before);
        }
    }

    pub(super) fn inline(&mut self, found: Part, range: &Range<usize>) {
        let source = self.outline.source(range);
        let text = source.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines = self.outline.lines(range);
        let opens = matches!(found, Part::Entry | Part::Exit | Part::Tests | Part::Tasks);
        if opens && self.introduces(&text, range.end) {
            return self.body.kept.push(kept::block(self.reader, range));
        }
        let one = || self.led(one_criterion(&text, lines));
        match found {
            Part::Entry if !is_none(&text) => {
                let one = one();
                self.body.preconditions.push(range.clone());
                return self.body.entry.push(one);
            }
            Part::Exit if !is_none(&text) => {
                let one = one();
                return self.body.exit.push(one);
            }
            Part::Tests if !is_none(&text) && !wording::is_made(&text) => {
                let one = one();
                return self.body.exit.push(one);
            }
            _ => {}
        }
        let body = &mut self.body;
        match found {
            Part::Tasks if is_ids(&text) => self.referred.push(task(&text, 1, lines)),
            Part::Entry => body.preconditions.push(range.clone()),
            Part::Exit | Part::Tests if is_none(&text) => {}
            Part::Tasks | Part::Tests if !text.starts_with('(') => {
                body.tasks.push(task(&text, body.tasks.len() + 1, lines));
            }
            Part::Depends => body.depends.push(range.clone()),
            Part::Needs | Part::After if is_none(&text) => body.spoken = true,
            Part::Needs | Part::After => body.needs.push((range.clone(), true)),
            Part::Blocks if is_none(&text) => {}
            Part::Blocks => body.held.push(range.clone()),
            Part::Goal => body.goal = Some(text),
            Part::Layer => {
                body.layer = number(&text).or_else(|| layers::layer(&text));
                body.layer_unread = body.layer.is_none().then(|| range.clone());
                let lower = source.to_ascii_lowercase();
                let said = lower.find("depends on").filter(|_| !lower.contains("depends on this"));
                body.depends.extend(said.map(|at| range.start + at..range.end));
            }
            Part::Priority => body.priority = Some(priority(&text, lines)),
            Part::Model => body.model = Some(tidy(&text)),
            Part::Kind => body.kind = Some(text),
            Part::Turns => body.turns = number(&text),
            Part::Unit => body.unit = Some(tidy(&text)),
            Part::Expected => self.expect_words(&text),
            Part::Exit | Part::Tests | Part::Tasks | Part::Task | Part::Other => {}
        }
    }

    /// Words behind the label of criteria that are none which a command shows are over the list behind them.
    fn lead_behind(&mut self, found: Part, range: &Range<usize>) {
        let criteria = matches!(found, Part::Entry | Part::Exit | Part::Tests);
        let source = self.outline.source(range);
        if criteria
            && self.leads_more(range.end)
            && labelled(source).is_none()
            && !matches!(classify::check(source), Check::Command { .. })
        {
            self.lead_on(source);
        }
    }

    /// Words below a label of no known part behind exit criteria: what a command shows is one more of them, as it is
    /// without the label.
    fn shown_behind(&mut self, range: &Range<usize>) {
        let behind = self.under.is_some_and(|under| under.part == Part::Exit && !under.aside);
        let source = self.outline.source(range);
        if !behind || self.quiet.is_some() || !source.contains('`') || starts(&self.label) {
            return;
        }
        let text = source.split_whitespace().collect::<Vec<_>>().join(" ");
        let one = one_criterion(&text, self.outline.lines(range));
        if let Check::Command { .. } = one.check {
            let one = self.led(one);
            self.body.exit.push(one);
        }
    }

    /// A paragraph without a label: all that is said where a list could be. Behind a list of criteria only what a
    /// command shows is one more.
    pub(super) fn words(&mut self, range: &Range<usize>) {
        let source = self.outline.source(range).trim_end();
        let lead = source.ends_with(':');
        let shown = matches!(classify::check(source), Check::Command { .. });
        let over = self.among_criteria().is_some() && (lead || !shown);
        if over {
            if !lead {
                self.doubt(source);
            }
            self.lead("", WORDS);
        }
        self.before = None;
        self.said_in_words(range, lead, shown);
        if over && (lead || self.leads_more(range.end)) {
            // "**Build**" without a colon is a label beside the one before it.
            self.lead(source, if bold(source) { LABEL } else { WORDS });
        }
    }

    /// What a paragraph says where a list could be, if that is no lead to what follows.
    fn said_in_words(&mut self, range: &Range<usize>, lead: bool, shown: bool) {
        let source = self.outline.source(range).trim_end();
        let may = match self.part {
            Some(Part::Entry | Part::Exit) => {
                let listed = self.under.is_some_and(|under| under.listed);
                !listed || shown
            }
            Some(Part::Depends | Part::Needs | Part::Blocks) => true,
            Some(Part::Goal) => self.body.goal.is_none(),
            Some(Part::Other) => return self.shown_behind(range),
            _ => return,
        };
        match self.part {
            Some(found) if may && !lead => {
                self.inline(found, &(range.start..range.start + source.len()));
            }
            Some(Part::Entry | Part::Exit) if !lead => {
                self.body.kept.push(kept::block(self.reader, range));
            }
            _ => {}
        }
    }
}

/// Whether a label and the words on its line are all there is to say.
fn is_said_whole(found: Part, text: &str) -> bool {
    match found {
        Part::Priority | Part::Layer | Part::Model | Part::Kind | Part::Turns | Part::Unit => true,
        Part::Depends | Part::Needs => !text.ends_with(':'),
        Part::After => true,
        Part::Blocks => !text.ends_with(':'),
        Part::Entry => is_none(text),
        Part::Exit | Part::Tests | Part::Tasks | Part::Task => false,
        Part::Goal | Part::Expected | Part::Other => false,
    }
}

/// Whether a label is over what starts something, which need not end.
fn starts(label: &str) -> bool {
    let lower = label.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    first.is_some_and(|first| {
        ["run", "start", "serve", "launch", "command", "commands", "preview"].contains(&first)
    })
}
