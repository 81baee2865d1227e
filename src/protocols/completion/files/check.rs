//! `check --level files`: every file by itself.
//!
//! No git, no lock, no file against another: that the active slice is in the plan and that its
//! basis is a commit is the business of `check --level mission`. What the seed's verifier wants is
//! wanted here: eight files are there, with their fields and their words, and a live slice carries
//! its exact hand-off. Histories may be absent or empty; every line that is there must hold.

use super::contract::{ANCHOR_LINE, anchor_of};
use super::fields::Mode;
use super::form;
use super::history::{Extent, Reader, Slices, Told, Waves};
use super::shapes::{ActiveFile, PlanFile, ProfileFile, StateFile};
use super::{
    ACTIVE, CONTRACT, CONTROL_PLANE_SCRIPT, Finding, JUDGEMENT_HISTORY, MISSION, PLAN, PROFILE,
    README, SLICE_HISTORY, STATE, STATE_FILES, STOP_SCRIPT,
};
use crate::vocab::error::{Code, Diagnostic, Error, Result, ensure};
use crate::vocab::json::utf8;

/// What is found in the canonical files, in the order of [`CONTRACT`], [`STATE_FILES`] and the
/// histories. The mission passes if no finding is a fault.
///
/// `get` gives the bytes at a path, or nothing if no file is there. A history too long for memory
/// is streamed through its reader instead and its [`Extent`] given to [`check_extent`]; `get` then
/// answers nothing for it.
pub fn check_files(get: impl Fn(&str) -> Option<Vec<u8>>) -> Vec<Finding> {
    let one = |path| check_one(path, get(path).as_deref()).unwrap_or_default();
    CHECKED.into_iter().flat_map(one).collect()
}

/// Every path that [`check_one`] knows.
pub const CHECKED: [&str; 10] = {
    let [readme, mission, profile, stop, plane] = CONTRACT;
    let [state, plan, active] = STATE_FILES;
    [readme, mission, profile, stop, plane, state, plan, active, SLICE_HISTORY, JUDGEMENT_HISTORY]
};

/// What is found in one canonical file; `None` for one that is not there, which histories may be.
///
/// # Errors
/// `unknown_file` for another path.
pub fn check_one(path: &str, content: Option<&[u8]>) -> Result<Vec<Finding>> {
    ensure!(CHECKED.contains(&path), Code::UnknownFile, path, "a canonical file", "another")?;
    let Some(content) = content else {
        let history = [SLICE_HISTORY, JUDGEMENT_HISTORY].contains(&path);
        return Ok(if history { Vec::new() } else { vec![Finding::fault(path, &missing())] });
    };
    Ok(match path {
        SLICE_HISTORY => check_extent(path, &whole::<Slices>(content).extent),
        JUDGEMENT_HISTORY => check_extent(path, &whole::<Waves>(content).extent),
        other => check_file(other, content),
    })
}

/// A history that is there in one piece.
fn whole<T: Told>(content: &[u8]) -> T::Summary {
    let mut reader = Reader::<T>::new();
    reader.push(content);
    reader.finish()
}

/// The error of a file that is not there.
pub(super) fn missing() -> Error {
    Error::new(Code::FileMissing, "", "a file", "nothing")
}

/// What is found in one contract or state file.
pub fn check_file(path: &str, bytes: &[u8]) -> Vec<Finding> {
    match utf8(bytes).and_then(|text| notes(path, text)) {
        Ok(notes) => notes.into_iter().map(|note| Finding::note(path, note)).collect(),
        Err(error) => vec![Finding::fault(path, &error)],
    }
}

fn notes(path: &str, text: &str) -> Result<Vec<Diagnostic>> {
    let nothing = |()| Vec::new();
    match path {
        README => not_blank(text).map(nothing),
        MISSION => anchored(text).map(|_| Vec::new()),
        STOP_SCRIPT | CONTROL_PLANE_SCRIPT => script(text).map(nothing),
        PROFILE => form::read::<ProfileFile>(text, Mode::Strict).map(|read| read.notes),
        STATE => form::read::<StateFile>(text, Mode::Strict).map(|read| read.notes),
        PLAN => form::read::<PlanFile>(text, Mode::Strict).map(|read| read.notes),
        // Leniently, because whether its basis is a commit is a question to git.
        ACTIVE => form::read::<ActiveFile>(text, Mode::Lenient).map(|read| read.notes),
        other => Err(Error::new(Code::UnknownFile, "", "a canonical file", other)),
    }
}

fn not_blank(text: &str) -> Result<()> {
    ensure(!text.trim().is_empty(), || Error::new(Code::Empty, "", "a text", "nothing"))
}

/// The anchor of a mission file, which must have one.
pub(super) fn anchored(text: &str) -> Result<String> {
    not_blank(text)?;
    anchor_of(text).ok_or_else(|| {
        let expected = format!("a line `{ANCHOR_LINE}` and the mission after it");
        Error::new(Code::HeaderMissing, "", expected, "none")
    })
}

fn script(text: &str) -> Result<()> {
    not_blank(text)?;
    let first = text.lines().next().unwrap_or_default();
    ensure(first.starts_with("#!"), || {
        Error::new(Code::InvalidValue, "line 1", "a script that begins with `#!`", first)
    })
}

/// What is found in a history.
pub fn check_extent(path: &str, extent: &Extent) -> Vec<Finding> {
    let severity = super::Severity::Fault;
    let as_finding = |diagnostic| Finding { path: path.to_owned(), severity, diagnostic };
    let mut findings: Vec<Finding> = extent.faults.iter().cloned().map(as_finding).collect();
    let more = extent.faults_total.saturating_sub(extent.faults.len() as u64);
    if more > 0 {
        let got = format!("{more} more faulty lines");
        findings.push(Finding::fault(
            path,
            &Error::new(Code::InvalidValue, "", "records in every line", got),
        ));
    }
    if extent.unterminated {
        let at = format!("line {}", extent.lines);
        let error = Error::new(Code::Truncated, at, "a newline at the end of the file", "none");
        findings.push(Finding::note(path, error.diagnostic()));
    }
    findings
}
