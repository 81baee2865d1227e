//! The front matter: its text is kept as it is, its known keys are read.

use super::super::document::LineRange;
use super::super::line;
use super::super::model::{FORMAT, Plan, Remark, Source, Weight};
use super::super::yaml::{self, Fields};
use super::field::model;
use crate::vocab::error::{Code, Error, Result};
use serde_json::{Map, Value};

/// Reads what stands between the two `---` lines; it begins at line 2.
pub(super) fn read(source: &str, plan: &mut Plan, remarks: &mut Vec<Remark>) {
    for line in source.lines() {
        plan.front.push_str(line.trim_end_matches('\r'));
        plan.front.push('\n');
    }
    match yaml::mapping(&plan.front, 2) {
        Ok(values) => {
            let front = plan.front.clone();
            let mut keep = |error: Error| remarks.push(placed(&error, &front));
            settings(&values, plan, &mut keep);
        }
        Err(error) => remarks.push(remark(&error, 2)),
    }
}

fn settings(values: &Map<String, Value>, plan: &mut Plan, keep: &mut impl FnMut(Error)) {
    let top = Fields::new(values, "");
    let settings = &mut plan.settings;
    if let Some(format) = kept(top.text("plan"), keep).filter(|format| format != FORMAT) {
        keep(Error::new(Code::UnknownFormat, "plan", FORMAT, format));
    }
    settings.feature_name = kept(top.text("feature_name"), keep);
    let nested = |name: &'static str| match top.get(name) {
        Some(value) => Fields::of(value, name).map(Some),
        None => Ok(None),
    };
    if let Some(fields) = kept(nested("source"), keep) {
        settings.source = kept(source(fields).map(Some), keep);
    }
    let Some(fields) = kept(nested("defaults"), keep) else { return };
    let time = |name: &str| one(fields, name, "a time like 45m", line::duration);
    settings.model = kept(one(fields, "model", "small, standard or large", model), keep);
    settings.timeout = kept(time("timeout"), keep);
    settings.command_timeout = kept(time("command_timeout"), keep);
    let attempts = kept(fields.number("attempts", 1, 1_000), keep);
    settings.attempts = attempts.and_then(|number| u32::try_from(number).ok());
}

fn kept<T>(read: Result<Option<T>>, keep: &mut impl FnMut(Error)) -> Option<T> {
    read.unwrap_or_else(|error| {
        keep(error);
        None
    })
}

fn source(fields: Fields<'_>) -> Result<Source> {
    Ok(Source { file: fields.required("file")?, sha256: fields.required("sha256")? })
}

fn one<T>(
    fields: Fields<'_>,
    name: &str,
    expected: &str,
    meaning: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>> {
    let Some(text) = fields.text(name)? else { return Ok(None) };
    let wrong = || Error::new(Code::InvalidValue, fields.path(name), expected, text.clone());
    meaning(&text).map(Some).ok_or_else(wrong)
}

/// A fault of a value, at the line that has its key.
fn placed(error: &Error, front: &str) -> Remark {
    let key = error.at.rsplit('.').next().unwrap_or_default();
    let outer = error.at.split('.').next().unwrap_or_default();
    let has = |line: &str, key: &str| line.contains(key) && line.contains(':');
    let lines = || (2..).zip(front.lines());
    let section = lines().find(|(_, line)| line.starts_with(outer));
    let from = section.map_or(2, |(number, _)| number);
    let found = lines().find(|(number, line)| *number >= from && has(line, key));
    let mut remark = remark(error, found.map_or(from, |(number, _)| number));
    if let Some((_, line)) = found {
        let before = line.find(key).unwrap_or(0);
        remark.column = yaml::count(line[..before].chars().count() + 1);
        remark.width = yaml::count(key.chars().count());
    }
    remark
}

/// A fault as a remark: at the line and column its place names, else at `line`.
pub(super) fn remark(error: &Error, line: u32) -> Remark {
    let mut words = error.at.split(' ');
    let mut number = |name: &str| {
        words.next().filter(|word| *word == name)?;
        words.next()?.parse::<u32>().ok()
    };
    let line = number("line").unwrap_or(line);
    let column = number("column").unwrap_or(1);
    let lines = LineRange { first: line, last: line };
    let (expected, got) = (error.expected.as_str(), error.got.as_str());
    Remark { column, ..Remark::on(Weight::Fault, error.code, lines, expected, got) }
}
