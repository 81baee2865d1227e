//! What a field of a machine file may hold, and how each kind is checked.

use super::form::{Form, Found};
use super::shapes::{MOST_JUDGES, RANKS};
use super::words::{ActiveStatus, Word};
use crate::vocab::criterion;
use crate::vocab::error::{Code, Error, Result, clip, ensure};
use crate::vocab::json::{MOST_INTEGER, RawObject, Readable, out_of_range, raw_list};
use crate::vocab::time::{LATEST, parse_rfc3339};
use serde_json::Value;

/// What a field holds.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// 1, in every file.
    Version,
    /// Always this text.
    Constant(&'static str),
    /// One of the words of a list.
    Word(fn() -> Vec<&'static str>),
    /// The status of the active slice, by which its other fields are checked.
    Status,
    /// Any text.
    Text,
    /// A text that says something.
    Said,
    /// A list of texts.
    Texts,
    /// Criteria that are there at all and, in strict mode, can each be told from the others.
    Criteria,
    /// Yes or no.
    Flag,
    /// A count from nothing on.
    Count,
    /// How many stop judges must agree.
    Judges,
    /// A rank of the priority policy.
    Rank,
    /// An RFC 3339 time, kept as it is written.
    Time,
    /// Milliseconds in some lines of the peer and RFC 3339 in others.
    Moment,
    /// The full name of a git object, or `none`.
    Commit,
    /// A list of objects.
    Objects(&'static Form),
    /// This or `null`.
    OrNull(&'static Kind),
    /// This, `null` or no such field.
    Optional(&'static Kind),
    /// The first in a live slice, the second in an idle one.
    Live(&'static Kind, &'static Kind),
}

/// The kind of a field that holds one of these words.
pub(super) const fn word<W: Word>() -> Kind {
    Kind::Word(|| W::ALL.iter().map(|word| word.as_str()).collect())
}

/// A field of an object.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) object: &'a RawObject,
    pub(super) name: &'a str,
}

impl Kind {
    /// When such a field is looked at: first whether the file is one of ours at all.
    pub(super) fn turn(&self) -> u8 {
        match self {
            Kind::Version | Kind::Constant(_) | Kind::Status => 0,
            Kind::Judges => 1,
            _ => 2,
        }
    }

    /// What the field holds always, if it does.
    pub(super) fn constant(self) -> Option<Value> {
        match self {
            Kind::Version => Some(Value::from(1)),
            Kind::Constant(only) => Some(Value::from(only)),
            _ => None,
        }
    }

    /// The field as its type reads it: its own text, mostly.
    ///
    /// # Errors
    /// Kind `malformed`, placed at the field.
    pub(super) fn read(self, field: Field<'_>, found: &mut Found) -> Result<String> {
        let raw = field.object.raw(field.name);
        match self {
            Kind::Live(live, _) if found.live => return live.read(field, found),
            Kind::Live(_, idle) => return idle.read(field, found),
            Kind::OrNull(_) if raw == Some("null") => return Ok("null".to_owned()),
            Kind::Optional(kind) if matches!(raw, None | Some("null")) => {
                let nothing = if matches!(kind, Kind::Texts) { "[]" } else { "null" };
                return Ok(nothing.to_owned());
            }
            Kind::OrNull(kind) | Kind::Optional(kind) => return kind.read(field, found),
            Kind::Version => field.version()?,
            Kind::Constant(only) => field.constant(only)?,
            Kind::Word(words) => field.word(&words())?,
            Kind::Status => {
                word::<ActiveStatus>().read(field, found)?;
                found.live = field.get::<ActiveStatus>()?.live();
            }
            Kind::Text => drop(field.get::<String>()?),
            Kind::Said => drop(field.said()?),
            Kind::Texts => drop(field.get::<Vec<String>>()?),
            Kind::Criteria => field.criteria(found)?,
            Kind::Flag => drop(field.get::<bool>()?),
            Kind::Count => return field.count().map(|count| count.to_string()),
            Kind::Judges => return field.judges(),
            Kind::Rank => return field.rank(found),
            Kind::Time => field.time(found)?,
            Kind::Moment => return field.moment(),
            Kind::Commit => field.commit(found)?,
            Kind::Objects(form) => return field.objects(form, found),
        }
        Ok(raw.unwrap_or_default().to_owned())
    }
}

impl Field<'_> {
    fn get<T: Readable>(self) -> Result<T> {
        self.object.field(self.name)
    }

    fn fault(self, code: Code, expected: impl Into<String>, got: impl Into<String>) -> Error {
        Error::new(code, self.name, expected, got)
    }

    fn version(self) -> Result<()> {
        let version = self.integer()?;
        ensure(version == 1, || self.fault(Code::UnknownFormat, "1", version.to_string()))
    }

    fn constant(self, only: &str) -> Result<()> {
        let text: String = self.get()?;
        ensure(text == only, || {
            self.fault(Code::UnknownValue, format!("`{only}`"), format!("`{text}`"))
        })
    }

    fn word(self, words: &[&str]) -> Result<()> {
        let choices = || format!("one of `{}`", words.join("`, `"));
        let text = self.get::<String>();
        let text = text.map_err(|error| Error { expected: choices(), ..error })?;
        ensure(words.contains(&text.as_str()), || {
            self.fault(Code::UnknownValue, choices(), format!("`{text}`"))
        })
    }

    fn said(self) -> Result<String> {
        let text: String = self.get()?;
        match text.trim().is_empty() {
            true => Err(self.fault(Code::InvalidValue, "a text that is not blank", text)),
            false => Ok(text),
        }
    }

    fn criteria(self, found: &mut Found) -> Result<()> {
        let texts: Vec<String> = self.get()?;
        match criterion::from_texts(&texts) {
            Err(error) if texts.is_empty() => Err(error),
            Err(error) => found.weigh(error),
            Ok(_) => Ok(()),
        }
    }

    /// An integer that every reader keeps exactly.
    fn integer(self) -> Result<i64> {
        let Some(raw) = self.object.raw(self.name) else {
            return self.get();
        };
        let digits = raw.strip_prefix('-').unwrap_or(raw);
        ensure(digits.bytes().all(|byte| byte.is_ascii_digit()), || {
            self.fault(Code::WrongType, "an integer", clip(raw, 80))
        })?;
        let value = raw.parse::<i64>().ok();
        let exact = value.filter(|value| value.unsigned_abs() <= MOST_INTEGER);
        exact.ok_or_else(|| out_of_range(self.name, raw))
    }

    fn count(self) -> Result<u64> {
        let value = self.integer()?;
        u64::try_from(value)
            .map_err(|_| self.fault(Code::NumberOutOfRange, "a count from 0 on", value.to_string()))
    }

    fn judges(self) -> Result<String> {
        let judges = self.integer()?;
        ensure((1..=MOST_JUDGES).contains(&judges), || {
            let expected = format!("an integer from 1 to {MOST_JUDGES}");
            self.fault(Code::NumberOutOfRange, expected, judges.to_string())
        })?;
        Ok(judges.to_string())
    }

    fn rank(self, found: &mut Found) -> Result<String> {
        let rank = self.integer()?;
        if !RANKS.contains(&rank) {
            let expected = format!("a rank from {} to {}", RANKS.start(), RANKS.end());
            found.weigh(self.fault(Code::NumberOutOfRange, expected, rank.to_string()))?;
        }
        Ok(rank.to_string())
    }

    fn time(self, found: &mut Found) -> Result<()> {
        let time = parse_rfc3339(&self.get::<String>()?);
        time.map(drop).or_else(|error| found.weigh(error.within(self.name)))
    }

    fn moment(self) -> Result<String> {
        if let Ok(text) = self.get::<String>() {
            let at = parse_rfc3339(&text).map_err(|error| error.within(self.name));
            return at.map(|at| at.to_string());
        }
        let at = self.count().map_err(|error| match error.code {
            Code::WrongType => {
                Error { expected: "milliseconds or an RFC 3339 time".to_owned(), ..error }
            }
            _ => error,
        })?;
        ensure(at <= LATEST, || {
            let expected = format!("milliseconds up to {LATEST}");
            self.fault(Code::NumberOutOfRange, expected, at.to_string())
        })?;
        Ok(at.to_string())
    }

    fn commit(self, found: &mut Found) -> Result<()> {
        let name: String = if found.live { self.said()? } else { self.get()? };
        let hex = name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if name == "none" || (hex && matches!(name.len(), 40 | 64)) {
            return Ok(());
        }
        let expected = "a full object name of 40 or 64 hex digits, or `none`";
        found.weigh(self.fault(Code::InvalidValue, expected, name))
    }

    fn objects(self, form: &Form, found: &mut Found) -> Result<String> {
        // Not through `get`, which would refuse numbers inside unknown fields.
        let raw = self.object.required(self.name)?;
        let members = raw_list(raw).map_err(|error| error.within(self.name))?;
        let members = members.iter().enumerate().map(|(position, member)| {
            let place = format!("{}[{position}]", self.name);
            found.within(&place, |found| form.gather(member.get(), found))
        });
        Ok(format!("[{}]", members.collect::<Result<Vec<_>>>()?.join(",")))
    }
}
