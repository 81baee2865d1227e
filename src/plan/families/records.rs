//! JSON that other tools write: objects with the lines they stand in, read field by field. A value of another type than
//! its field has is a fault at its line; what nobody read is kept as text, and what is no text as its JSON.

use crate::plan::document::LineRange;
use crate::plan::model::{Remark, Status, Task, Weight};
use crate::vocab::error::Code;
use crate::vocab::json::{self, RawObject};
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The most characters of a value that a remark shows.
const MOST_SHOWN: usize = 40;

/// A text with JSON values in it, and what was told of them.
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    starts: Vec<usize>,
    remarks: RefCell<Vec<Remark>>,
}

/// An object: its fields in order, and where it stands.
pub(super) struct Record<'s, 'a> {
    source: &'s Source<'a>,
    names: Vec<String>,
    fields: BTreeMap<String, &'a RawValue>,
    pub(super) lines: LineRange,
}

impl<'a> Source<'a> {
    /// A text that is small and flat enough to be read; a byte order mark is passed over.
    pub(super) fn new(text: &'a str) -> Option<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_end();
        json::guard_shape(text).ok()?;
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        Some(Source { text, starts, remarks: RefCell::default() })
    }

    /// An object of the text; `None`, told, if it is none.
    pub(super) fn object(&self, value: &'a str) -> Option<Record<'_, 'a>> {
        let known = RawObject::read(value);
        let fields: Option<BTreeMap<String, &RawValue>> = serde_json::from_str(value).ok();
        if let Err(error) = &known {
            let twice = fields.as_ref().and_then(|fields| fields.get(&error.at));
            let place = twice.map_or(value, |value| value.get());
            self.tell(Weight::Fault, error.code, place, &error.expected);
        }
        let names = known.map(|known| known.names().map(str::to_owned).collect());
        Some(Record {
            source: self,
            names: names.unwrap_or_default(),
            fields: fields?,
            lines: self.lines(value),
        })
    }

    /// The lines of a part of the text.
    fn lines(&self, part: &str) -> LineRange {
        let line = |at: usize| u32::try_from(self.starts.partition_point(|start| *start <= at));
        let at = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let [first, last] =
            [at, at + part.len().saturating_sub(1)].map(|at| line(at).unwrap_or(u32::MAX));
        LineRange { first, last }
    }

    /// Tells something of a part of the text.
    fn tell(&self, weight: Weight, code: Code, part: &str, expected: &str) {
        let got: String = part.chars().take(MOST_SHOWN).collect();
        let told = Remark::on(weight, code, self.lines(part), expected, got);
        self.remarks.borrow_mut().push(told);
    }

    /// All that was told, each once, in the order of lines.
    pub(super) fn told(&self) -> Vec<Remark> {
        let mut told = self.remarks.take();
        told.sort_by(|one, other| {
            (one.line, one.code, &one.got).cmp(&(other.line, other.code, &other.got))
        });
        told.dedup();
        told
    }

    /// A text, or a number as it is written.
    fn plain(&self, name: &str, value: &'a str) -> String {
        match serde_json::from_str::<String>(value) {
            Ok(text) => text.replace("\r\n", "\n"),
            Err(_) if value.starts_with(|first: char| first == '-' || first.is_ascii_digit()) => {
                value.to_owned()
            }
            Err(_) => {
                let expected = format!("a text or a number in `{name}`");
                self.tell(Weight::Fault, Code::WrongType, value, &expected);
                String::new()
            }
        }
    }
}

impl<'s, 'a> Record<'s, 'a> {
    /// The raw value of a field that is there and not `null`.
    pub(super) fn raw(&self, name: &str) -> Option<&'a str> {
        self.fields.get(name).map(|value| value.get()).filter(|value| *value != "null")
    }

    /// The names of its fields, in order.
    pub(super) fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// A text, or a number as it is written; empty if there is none.
    pub(super) fn text(&self, name: &str) -> String {
        self.raw(name).map(|value| self.source.plain(name, value)).unwrap_or_default()
    }

    /// A text with its place.
    pub(super) fn placed(&self, name: &str) -> Task {
        let lines = self.raw(name).map_or(self.lines, |value| self.source.lines(value));
        Task { text: self.text(name), lines, ..Task::default() }
    }

    fn list(&self, name: &str) -> Vec<&'a str> {
        let Some(value) = self.raw(name) else { return Vec::new() };
        let Ok(list) = serde_json::from_str::<Vec<&RawValue>>(value) else {
            self.source.tell(Weight::Fault, Code::WrongType, value, &format!("a list in `{name}`"));
            return Vec::new();
        };
        list.into_iter().map(RawValue::get).collect()
    }

    /// The texts and numbers of a list.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        self.list(name).into_iter().map(|value| self.source.plain(name, value)).collect()
    }

    /// The objects of a list.
    pub(super) fn records(&self, name: &str) -> Vec<Record<'s, 'a>> {
        self.list(name).into_iter().filter_map(|value| self.source.object(value)).collect()
    }

    /// Its `status`, by the words of a tool for each; another word is told and taken as pending.
    pub(super) fn status(&self, done: &[&str], deferred: &[&str], pending: &[&str]) -> Status {
        let word = self.text("status");
        let is = |words: &[&str]| words.contains(&word.as_str());
        if !(word.is_empty() || is(done) || is(deferred) || is(pending)) {
            let expected = [done, deferred, pending].concat().join(", ") + "; taken as pending";
            let value = self.raw("status").unwrap_or_default();
            self.source.tell(Weight::Warning, Code::UnknownValue, value, &expected);
        }
        match () {
            () if is(done) => Status::Done,
            () if is(deferred) => Status::Deferred,
            () => Status::Pending,
        }
    }

    /// Every field that is not among `known`, a line or more each: texts as they are, other values as JSON.
    pub(super) fn rest(&self, known: &[&str]) -> String {
        let others = self.names.iter().filter(|name| !known.contains(&name.as_str()));
        let each =
            others.filter_map(|name| Some((name, self.fields.get(name)?))).map(|(name, value)| {
                let said =
                    serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned());
                (name, said.replace("\r\n", "\n"))
            });
        let said = each.filter(|(_, said)| !said.trim().is_empty()).map(|(name, said)| {
            format!("{name}:{}{}", if said.contains('\n') { "\n" } else { " " }, said.trim_end())
        });
        said.collect::<Vec<_>>().join("\n")
    }
}
