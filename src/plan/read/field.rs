//! The named fields and parts of a sprint. One table says how a field is read and how it is written.

use super::super::line;
use super::super::model::{Kind, Model, Sprint, Status};
use super::{Code, LineRange, Part, Reader, Remark, Weight};
use std::str::FromStr;

/// A field.
pub(in crate::plan) struct Field {
    /// Its name.
    pub(in crate::plan) name: &'static str,
    /// Takes its value; the error is what would have been right.
    read: fn(&mut Sprint, &str) -> Result<(), &'static str>,
    /// Its value; `None` if the sprint is as it would be without it.
    pub(in crate::plan) write: fn(&Sprint) -> Option<String>,
}

/// A field with the part of a sprint it is kept in, how its value is read, what would have been right, and how it is written.
macro_rules! field {
    ($name:literal, $own:ident, $read:expr, $expected:literal, $write:expr) => {
        Field {
            name: $name,
            read: |one, value| put(&mut one.$own, $read(value), $expected),
            write: |one| $write(&one.$own),
        }
    };
}

/// The fields in the order they are written.
pub(in crate::plan) const FIELDS: [Field; 11] = [
    field!("Status", status, Status::parse, "pending, done or deferred", said),
    field!("Depends on", depends_on, files, "", listed),
    field!("Kind", kind, Kind::parse, "code, command, background, deferred or manual", said),
    field!("Model", model, Model::parse, "small, standard or large", shown),
    field!("Timeout", timeout, line::duration, "a time like 45m", |one: &Option<u64>| one
        .map(line::shown)),
    field!("Reads", reads, files, "", paths),
    field!("Creates", creates, files, "", paths),
    field!("Changes", changes, files, "", paths),
    field!("Lines", lines_of_code, number::<u32>, "a whole number", shown),
    field!("Risk", risk, number::<u8>, "a number from 1 to 5", shown),
    field!("Priority", priority, words, "", shown),
];

/// Keeps a value; without one the error is what would have been right.
pub(super) fn put<T>(
    field: &mut T,
    value: Option<impl Into<T>>,
    expected: &'static str,
) -> Result<(), &'static str> {
    *field = value.ok_or(expected)?.into();
    Ok(())
}

fn number<T: FromStr>(value: &str) -> Option<T> {
    value.parse().ok()
}

/// No words are no fault.
fn words(value: &str) -> Option<Option<String>> {
    Some(Some(value.to_owned()).filter(|words| !words.is_empty()))
}

fn files(value: &str) -> Option<Vec<String>> {
    Some(line::list(value))
}

fn paths(paths: &[String]) -> Option<String> {
    let shown: Vec<String> = paths.iter().map(|path| line::code(path)).collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}

fn listed(references: &Option<Vec<String>>) -> Option<String> {
    references.as_deref().map(line::listed)
}

/// A value that is there.
fn shown<T: ToString>(value: &Option<T>) -> Option<String> {
    value.as_ref().map(T::to_string).filter(|words| !words.trim().is_empty())
}

/// The word for a value that is not the usual one.
fn said<T: Default + PartialEq + ToString>(value: &T) -> Option<String> {
    (*value != T::default()).then(|| value.to_string())
}

const PARTS: [(&str, Part); 4] = [
    ("Entry criteria", Part::Entry),
    ("Tasks", Part::Tasks),
    ("Exit criteria", Part::Exit),
    ("Notes", Part::Notes),
];

impl Reader {
    /// A line `**Name**: value`. What is not taken stays a note.
    pub(super) fn field(&mut self, name: &str, value: &str, text: &str) {
        if let Some((_, part)) = PARTS.iter().find(|(part, _)| *part == name) {
            self.part = *part;
            self.blanks = None;
            if !value.is_empty() {
                let expected = format!("nothing behind **{name}**: on its line");
                self.remark(Weight::Warning, Code::Syntax, &expected, value);
                self.note(text);
            }
            return;
        }
        let Some(Field { name, read, .. }) = FIELDS.iter().find(|field| field.name == name) else {
            let known =
                FIELDS.iter().map(|one| one.name).chain(PARTS.iter().map(|(name, _)| *name));
            let expected = format!("one of {}", known.collect::<Vec<_>>().join(", "));
            self.remark(Weight::Warning, Code::UnknownField, &expected, name);
            return self.note(text);
        };
        if !self.seen.insert(name) {
            self.remark(Weight::Fault, Code::DuplicateField, "each field once", name);
            return self.note(text);
        }
        let taken = self.sprint().map_or(Ok(()), |sprint| read(sprint, value));
        match taken {
            Ok(()) => self.blanks = None,
            Err(expected) => {
                let lines = LineRange::line(self.number);
                let fault = Remark::on(Weight::Fault, Code::InvalidValue, lines, expected, value);
                self.remarks.push(fault.about(text, text.rfind(value).unwrap_or(0), value));
                self.note(text);
            }
        }
    }
}
