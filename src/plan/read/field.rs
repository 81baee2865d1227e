//! The named fields and parts of a sprint.

use super::super::line;
use super::super::model::{Kind, Model, Sprint, Status};
use super::{Code, Part, Reader, Weight};

/// What a field does with its value; the error is what would have been right.
type Set = fn(&mut Sprint, &str) -> Result<(), &'static str>;

const FIELDS: [(&str, Set); 11] = [
    ("Status", |sprint, value| {
        let words =
            [("pending", Status::Pending), ("done", Status::Done), ("deferred", Status::Deferred)];
        sprint.status = word(&words, value).ok_or("pending, done or deferred")?;
        Ok(())
    }),
    ("Depends on", |sprint, value| {
        sprint.depends_on = Some(line::list(value));
        Ok(())
    }),
    ("Kind", |sprint, value| {
        let words = [
            ("code", Kind::Code),
            ("command", Kind::Command),
            ("background", Kind::Background),
            ("deferred", Kind::Deferred),
            ("manual", Kind::Manual),
        ];
        let expected = "code, command, background, deferred or manual";
        sprint.kind = word(&words, value).ok_or(expected)?;
        Ok(())
    }),
    ("Model", |sprint, value| {
        sprint.model = Some(model(value).ok_or("small, standard or large")?);
        Ok(())
    }),
    ("Timeout", |sprint, value| {
        sprint.timeout = Some(line::duration(value).ok_or("a time like 45m")?);
        Ok(())
    }),
    ("Reads", |sprint, value| {
        sprint.reads = line::list(value);
        Ok(())
    }),
    ("Creates", |sprint, value| {
        sprint.creates = line::list(value);
        Ok(())
    }),
    ("Changes", |sprint, value| {
        sprint.changes = line::list(value);
        Ok(())
    }),
    ("Lines", |sprint, value| {
        sprint.lines_of_code = Some(value.parse().map_err(|_| "a whole number")?);
        Ok(())
    }),
    ("Risk", |sprint, value| {
        sprint.risk = Some(value.parse().map_err(|_| "a number from 1 to 5")?);
        Ok(())
    }),
    ("Priority", |sprint, value| {
        sprint.priority = Some(value.to_owned()).filter(|words| !words.is_empty());
        Ok(())
    }),
];

const PARTS: [(&str, Part); 4] = [
    ("Entry criteria", Part::Entry),
    ("Tasks", Part::Tasks),
    ("Exit criteria", Part::Exit),
    ("Notes", Part::Notes),
];

fn word<T: Copy>(words: &[(&str, T)], value: &str) -> Option<T> {
    words.iter().find(|(word, _)| *word == value).map(|(_, meaning)| *meaning)
}

/// A tier of models by its name.
pub(super) fn model(value: &str) -> Option<Model> {
    let words = [("small", Model::Small), ("standard", Model::Standard), ("large", Model::Large)];
    word(&words, value)
}

impl Reader {
    /// A line `**Name**: value`. What is not taken stays a note.
    pub(super) fn field(&mut self, name: &str, value: &str, text: &str) {
        if let Some(part) = word(&PARTS, name) {
            self.part = part;
            self.blanks = None;
            if !value.is_empty() {
                let expected = format!("nothing behind **{name}**: on its line");
                self.remark(Weight::Warning, Code::Syntax, &expected, value);
                self.note(text);
            }
            return;
        }
        let Some((name, set)) = FIELDS.iter().find(|(field, _)| *field == name) else {
            let known =
                FIELDS.iter().map(|(name, _)| *name).chain(PARTS.iter().map(|(name, _)| *name));
            let expected = format!("one of {}", known.collect::<Vec<_>>().join(", "));
            self.remark(Weight::Warning, Code::UnknownField, &expected, name);
            return self.note(text);
        };
        if !self.seen.insert(name) {
            self.remark(Weight::Fault, Code::DuplicateField, "each field once", name);
            return self.note(text);
        }
        let set = self.sprint().map_or(Ok(()), |sprint| set(sprint, value));
        match set {
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
