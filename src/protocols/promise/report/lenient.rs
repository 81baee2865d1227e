//! Reading objects that agents wrote: absent and `null` are the same, the place of a fault is its path,
//! and what is not known is named.

use crate::vocab::error::{Code, Diagnostic, Error, Result, clip, place};
use crate::vocab::evidence::{Evidence, Finding, cited, in_repository};
use crate::vocab::json::{self, RawObject, Readable, raw_list};
use crate::vocab::verdict::ClaimStatus;

/// An object and the path it is at.
pub(super) struct Object {
    fields: RawObject,
    at: String,
}

impl Object {
    pub(super) fn read(text: &str, at: impl Into<String>) -> Result<Self> {
        let at = at.into();
        let fields = RawObject::read(text).map_err(|error| error.within(&at))?;
        Ok(Object { fields, at })
    }

    pub(super) fn path(&self, name: &str) -> String {
        place(&self.at, name)
    }

    /// The raw text of a field that is there and not `null`.
    pub(super) fn raw(&self, name: &str) -> Option<&str> {
        self.fields.raw(name).filter(|raw| raw.trim() != "null")
    }

    /// Whether a field is there, be it `null`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.fields.raw(name).is_some()
    }

    pub(super) fn get<T: Readable>(&self, name: &str) -> Result<Option<T>> {
        match self.raw(name) {
            None => Ok(None),
            Some(_) => self.fields.field(name).map(Some).map_err(|error| error.within(&self.at)),
        }
    }

    /// The first of several names that holds a text which is not blank.
    pub(super) fn text(&self, names: &[&str]) -> Result<Option<String>> {
        for name in names {
            let text = self.get::<String>(name)?.map(|text| text.trim().to_owned());
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    pub(super) fn object(&self, name: &str) -> Result<Option<Object>> {
        self.raw(name).map(|raw| Object::read(raw, self.path(name))).transpose()
    }

    /// The raw texts of a list with the path of each; none if the field is absent.
    pub(super) fn list(&self, name: &str) -> Result<Vec<(String, String)>> {
        let path = self.path(name);
        let list =
            self.raw(name).map_or(Ok(Vec::new()), raw_list).map_err(|error| error.within(&path))?;
        let each = list.iter().enumerate();
        Ok(each.map(|(nth, raw)| (format!("{path}[{nth}]"), raw.get().to_owned())).collect())
    }

    /// A list of texts, or one text. Objects in it are kept as their JSON.
    pub(super) fn words(&self, name: &str) -> Result<Vec<String>> {
        if self.raw(name).is_some_and(is_text) {
            return Ok(self.text(&[name])?.into_iter().collect());
        }
        let list = self.list(name)?;
        list.into_iter().map(|(at, raw)| said(&raw, &at)).collect()
    }

    /// Notes on fields that are not among `known`.
    pub(super) fn notes(&self, known: &[&str]) -> Vec<String> {
        let others = self.fields.others(known).into_iter();
        others
            .map(|(name, raw)| {
                format!("field `{}` was not read: {}", self.path(&name), clip(&raw, 80))
            })
            .collect()
    }
}

pub(super) fn is_text(raw: &str) -> bool {
    raw.trim_start().starts_with('"')
}

/// A JSON string, as text.
pub(super) fn text_of(raw: &str, at: &str) -> Result<String> {
    serde_json::from_str(raw).map_err(|_| Error::new(Code::WrongType, at, "a text", raw))
}

/// What an entry of a list says: a text, or the description of an object, or its JSON.
fn said(raw: &str, at: &str) -> Result<String> {
    if is_text(raw) {
        return text_of(raw, at);
    }
    let object = Object::read(raw, at)?;
    let named = object.text(&["description", "message", "text", "summary"])?;
    Ok(named.unwrap_or_else(|| raw.to_owned()))
}

/// A word without regard to case, spaces and hyphens.
fn word(text: &str) -> String {
    text.trim().to_lowercase().replace([' ', '-'], "_")
}

/// How far a claim goes, in any spelling that means one thing.
pub(super) fn status(text: &str) -> Option<ClaimStatus> {
    match word(text).as_str() {
        "verified" | "complete" | "completed" | "done" | "finished" => Some(ClaimStatus::Complete),
        "partial" => Some(ClaimStatus::Partial),
        "blocked" => Some(ClaimStatus::Blocked),
        "not_started" | "incomplete" => Some(ClaimStatus::NotStarted),
        _ => None,
    }
}

/// What a verdict found, in any spelling that means one thing.
pub(super) fn result(text: &str) -> Option<Finding> {
    match word(text).as_str() {
        "verified" => Some(Finding::Holds),
        "rejected" => Some(Finding::DoesNotHold),
        "unverified" | "uncertain" | "pending" | "skipped" | "not_shown" => Some(Finding::NotShown),
        _ => None,
    }
}

/// Whether an issue of this severity keeps a task from being approved.
pub(super) fn blocks(severity: &str) -> Option<bool> {
    match word(severity).as_str() {
        "must_fix" | "critical" | "blocking" | "blocker" | "major" | "high" => Some(true),
        "should_fix" | "minor" | "low" | "info" | "suggestion" | "nit" => Some(false),
        _ => None,
    }
}

/// What two answers about tests show together: passing counts only if it is not said that nothing was
/// run.
pub(super) fn tests(run: Option<bool>, passed: Option<bool>) -> Finding {
    match (run, passed) {
        (Some(false), _) | (_, None) => Finding::NotShown,
        (_, Some(true)) => Finding::Holds,
        (_, Some(false)) => Finding::DoesNotHold,
    }
}

/// The evidence of a row: prose, or a list of typed pieces and prose. Entries that are no evidence are
/// faults.
pub(super) fn evidence(
    object: &Object,
    faults: &mut Vec<Diagnostic>,
) -> Result<(Vec<Evidence>, Option<String>)> {
    if object.raw("evidence").is_none_or(is_text) {
        let prose = object.text(&["evidence"])?;
        return Ok((prose.as_deref().map(cited).unwrap_or_default(), prose));
    }
    let (mut typed, mut prose) = (Vec::new(), Vec::new());
    for (at, raw) in object.list("evidence")? {
        if is_text(&raw) {
            let text = text_of(&raw, &at)?;
            add(&mut typed, cited(&text));
            prose.push(text);
        } else {
            match json::decode_noting::<Evidence>(&raw) {
                Ok((one, _)) => add(&mut typed, [one]),
                Err(error) => faults.push(error.within(&at).diagnostic()),
            }
        }
    }
    Ok((typed, (!prose.is_empty()).then(|| prose.join("; "))))
}

/// Adds evidence that is not in the list yet; a long list is not searched for duplicates.
pub(in super::super) fn add(known: &mut Vec<Evidence>, more: impl IntoIterator<Item = Evidence>) {
    for one in more {
        if known.len() > 64 || !known.contains(&one) {
            known.push(one);
        }
    }
}

/// The test that `test_file` names.
pub(super) fn test_file(object: &Object, faults: &mut Vec<Diagnostic>) -> Result<Option<Evidence>> {
    let Some(id) = object.text(&["test_file"])? else { return Ok(None) };
    let path = id.split("::").next().unwrap_or_default();
    if in_repository(path) {
        return Ok(Some(Evidence::Test { id }));
    }
    let expected = "a test file within the repository and outside the state directory";
    let fault = Error::new(Code::InvalidValue, object.path("test_file"), expected, id);
    faults.push(fault.diagnostic());
    Ok(None)
}

pub(super) fn unknown(at: String, expected: &str, got: &str) -> Diagnostic {
    Error::new(Code::UnknownValue, at, expected, format!("`{got}`")).diagnostic()
}
