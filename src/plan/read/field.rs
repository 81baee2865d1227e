//! The named fields and parts of a sprint. One table says how a field is read and how it is written.

use super::super::line;
use super::super::model::Sprint;
use super::{Code, Part, Reader, Weight};
use crate::vocab::word::Word;

/// A field.
pub(in crate::plan) struct Field {
    /// Its name.
    pub(in crate::plan) name: &'static str,
    /// Takes its value; the error is what would have been right.
    read: fn(&mut Sprint, &str) -> Result<(), &'static str>,
    /// Its value; `None` if the sprint is as it would be without it.
    pub(in crate::plan) write: fn(&Sprint) -> Option<String>,
}

/// The fields in the order they are written.
pub(in crate::plan) const FIELDS: [Field; 11] = [
    Field {
        name: "Status",
        read: |one, value| put(&mut one.status, Word::parse(value), "pending, done or deferred"),
        write: |one| said(one.status),
    },
    Field {
        name: "Depends on",
        read: |one, value| put(&mut one.depends_on, Some(Some(line::list(value))), ""),
        write: |one| one.depends_on.as_deref().map(line::listed),
    },
    Field {
        name: "Kind",
        read: |one, value| {
            let expected = "code, command, background, deferred or manual";
            put(&mut one.kind, Word::parse(value), expected)
        },
        write: |one| said(one.kind),
    },
    Field {
        name: "Model",
        read: |one, value| {
            put(&mut one.model, Word::parse(value).map(Some), "small, standard or large")
        },
        write: |one| one.model.map(|own| own.to_string()),
    },
    Field {
        name: "Timeout",
        read: |one, value| {
            put(&mut one.timeout, line::duration(value).map(Some), "a time like 45m")
        },
        write: |one| one.timeout.map(line::shown),
    },
    Field {
        name: "Reads",
        read: |one, value| put(&mut one.reads, Some(line::list(value)), ""),
        write: |one| files(&one.reads),
    },
    Field {
        name: "Creates",
        read: |one, value| put(&mut one.creates, Some(line::list(value)), ""),
        write: |one| files(&one.creates),
    },
    Field {
        name: "Changes",
        read: |one, value| put(&mut one.changes, Some(line::list(value)), ""),
        write: |one| files(&one.changes),
    },
    Field {
        name: "Lines",
        read: |one, value| {
            put(&mut one.lines_of_code, value.parse().ok().map(Some), "a whole number")
        },
        write: |one| one.lines_of_code.map(|lines| lines.to_string()),
    },
    Field {
        name: "Risk",
        read: |one, value| put(&mut one.risk, value.parse().ok().map(Some), "a number from 1 to 5"),
        write: |one| one.risk.map(|risk| risk.to_string()),
    },
    Field {
        name: "Priority",
        read: |one, value| {
            put(&mut one.priority, Some(Some(value.to_owned()).filter(|own| !own.is_empty())), "")
        },
        write: |one| one.priority.clone().filter(|words| !words.trim().is_empty()),
    },
];

/// Keeps a value; without one the error is what would have been right.
pub(super) fn put<T>(
    field: &mut T,
    value: Option<T>,
    expected: &'static str,
) -> Result<(), &'static str> {
    *field = value.ok_or(expected)?;
    Ok(())
}

fn files(paths: &[String]) -> Option<String> {
    let shown: Vec<String> = paths.iter().map(|path| line::code(path)).collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}

const PARTS: [(&str, Part); 4] = [
    ("Entry criteria", Part::Entry),
    ("Tasks", Part::Tasks),
    ("Exit criteria", Part::Exit),
    ("Notes", Part::Notes),
];

/// The word for a value that is not the usual one.
fn said<T: Default + PartialEq + ToString>(value: T) -> Option<String> {
    (value != T::default()).then(|| value.to_string())
}

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
                self.remark(Weight::Fault, Code::InvalidValue, expected, value);
                if let Some(remark) = self.remarks.last_mut() {
                    let before = text.rfind(value).unwrap_or(0);
                    remark.column = super::count(text[..before].chars().count() + 1);
                    remark.width = super::count(value.chars().count());
                }
                self.note(text);
            }
        }
    }
}
