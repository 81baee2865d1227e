//! `check --level files`, and the seed's smoke test in our terms.

use super::bad_inputs::{active, idle, no_plan, plan, profile, state};
use crate::protocols::completion::files::check::check_files;
use crate::protocols::completion::files::contract::{
    control_plane_script, mission_md, readme, stop_script,
};
use crate::protocols::completion::files::*;
use crate::vocab::error::Code;
use std::collections::BTreeMap;

type Files = BTreeMap<&'static str, Vec<u8>>;

fn fresh() -> Files {
    BTreeMap::from([
        (README, readme("demo").into()),
        (MISSION, mission_md("Greet.").into()),
        (PROFILE, render(&profile()).into()),
        (STOP_SCRIPT, stop_script(&[]).unwrap().into()),
        (CONTROL_PLANE_SCRIPT, control_plane_script().into()),
        (STATE, render(&state()).into()),
        (PLAN, render(&no_plan()).into()),
        (ACTIVE, render(&idle()).into()),
        (SLICE_HISTORY, vec![]),
        (JUDGEMENT_HISTORY, vec![]),
    ])
}

fn check(files: &Files) -> Vec<Finding> {
    check_files(|path| files.get(path).cloned())
}

fn faults(files: &Files) -> Vec<(String, Code)> {
    let faults = check(files).into_iter().filter(|found| found.severity == Severity::Fault);
    faults.map(|found| (found.path, found.diagnostic.code)).collect()
}

fn with(path: &'static str, bytes: impl Into<Vec<u8>>) -> Files {
    let mut files = fresh();
    files.insert(path, bytes.into());
    files
}

#[test]
fn fresh_files_hold_without_a_word() {
    assert_eq!(check(&fresh()), vec![]);
    assert_eq!(faults(&with(PLAN, render(&plan()))), vec![]);
    let mut without = fresh();
    without.remove(SLICE_HISTORY);
    without.remove(JUDGEMENT_HISTORY);
    assert_eq!(check(&without), vec![]);
}

#[test]
fn each_of_the_eight_files_is_wanted() {
    for path in CONTRACT.into_iter().chain(STATE_FILES) {
        let mut files = fresh();
        files.remove(path);
        assert_eq!(faults(&files), vec![(path.to_owned(), Code::FileMissing)]);
        assert_eq!(faults(&with(path, "")), vec![(path.to_owned(), Code::Empty)]);
        assert_eq!(faults(&with(path, b"\xff")), vec![(path.to_owned(), Code::NotUtf8)]);
    }
}

#[test]
fn the_smoke_test_of_the_seed() {
    // The slice is not in the plan, and its basis is no commit: not the business of this level.
    let smoke = ActiveFile {
        slice_id: Some("smoke-slice".into()),
        basis_commit: Some("deadbeef".into()),
        ..active()
    };
    let whole = render(&smoke);
    assert_eq!(faults(&with(ACTIVE, whole.clone())), vec![]);
    let notes = check(&with(ACTIVE, whole.clone()));
    assert_eq!((notes.len(), notes[0].diagnostic.code), (1, Code::Overlooked));
    let bare: String = whole
        .lines()
        .filter(|line| !line.contains("\"priority\"") && !line.contains("\"why_now\""))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(faults(&with(ACTIVE, bare)), vec![(ACTIVE.to_owned(), Code::MissingField)]);
}

#[test]
fn contract_files_say_what_they_must() {
    let found = faults(&with(MISSION, "# Mission\nDo it.\n"));
    assert_eq!(found, vec![(MISSION.to_owned(), Code::HeaderMissing)]);
    let found = faults(&with(STOP_SCRIPT, "exit 0\n"));
    assert_eq!(found, vec![(STOP_SCRIPT.to_owned(), Code::InvalidValue)]);
}

#[test]
fn histories_are_checked_line_by_line() {
    let found = check(&with(SLICE_HISTORY, "{}\ngarbage"));
    let told: Vec<_> = found.iter().map(|f| (f.severity, f.diagnostic.at.as_str())).collect();
    let expected = [
        (Severity::Fault, "line 1: schema_version"),
        (Severity::Fault, "line 2"),
        (Severity::Note, "line 2"),
    ];
    assert_eq!(told, expected);
    assert_eq!(faults(&with(JUDGEMENT_HISTORY, "[]\n")).len(), 1);
}
