//! Directories of the peer, whole and broken.

use super::bad_inputs::{active, idle, plan, profile, state};
use crate::protocols::completion::files::adopt::*;
use crate::protocols::completion::files::contract::mission_md;
use crate::protocols::completion::files::history::{HistorySummary, JudgementSummary};
use crate::protocols::completion::files::*;
use crate::vocab::error::Code;
use std::collections::BTreeMap;

type Files = BTreeMap<String, Vec<u8>>;

fn laid(layout: Layout) -> Files {
    let texts = [render(&state()), render(&plan()), render(&active())];
    let paths = layout.state_files().into_iter();
    paths.zip(texts).map(|(path, text)| (path.to_owned(), text.into_bytes())).collect()
}

fn take(files: &Files, mode: Mode) -> Adopted {
    let get = |path: &str| files.get(path).cloned();
    let layout = layout(|path| files.contains_key(path));
    adopt(layout, get, HistorySummary::none(), JudgementSummary::none(), mode)
}

fn faults(adopted: &Adopted) -> Vec<(&str, Code)> {
    let faults = adopted.faults.iter();
    faults.map(|found| (found.path.as_str(), found.diagnostic.code)).collect()
}

#[test]
fn both_layouts_are_read() {
    for layout in [Layout::Seed, Layout::Current] {
        let mut files = laid(layout);
        files.insert(PROFILE.into(), render(&profile()).into());
        let adopted = take(&files, Mode::Strict);
        assert_eq!((faults(&adopted), adopted.layout), (vec![], Some(layout)));
        assert_eq!(adopted.mission.as_deref(), Some("Greet."));
        assert_eq!(adopted.plan, Some(plan()));
        assert_eq!(adopted.profile, Some(profile()));
        assert_eq!(adopted.missing.len(), 4);
        assert_eq!(adopted.validate(), Ok(()));
        let text = crate::vocab::json::encode(&adopted);
        assert_eq!(crate::vocab::json::decode::<Adopted>(&text), Ok(adopted));
    }
}

#[test]
fn nothing_there_is_not_a_fault_but_a_broken_file_is() {
    let nothing = take(&Files::new(), Mode::Strict);
    assert_eq!((nothing.layout, nothing.faults.len()), (None, 0));
    let broken: [(&[u8], Code); 5] = [
        (b"", Code::Empty),
        (b"[]", Code::NotAnObject),
        (b"\xef\xbb\xbf{}", Code::ByteOrderMark),
        (b"{\"schema_version\": 1, \"mission_anch", Code::Truncated),
        (b"\xff{}", Code::NotUtf8),
    ];
    for layout in [Layout::Seed, Layout::Current] {
        for path in layout.state_files() {
            for (bytes, code) in broken {
                let mut files = laid(layout);
                files.insert(path.into(), bytes.into());
                for mode in [Mode::Strict, Mode::Lenient] {
                    let adopted = take(&files, mode);
                    assert_eq!(faults(&adopted), vec![(path, code)]);
                    assert_eq!(adopted.layout, Some(layout));
                }
            }
            let mut files = laid(layout);
            files.remove(path);
            assert_eq!(faults(&take(&files, Mode::Lenient)), vec![(path, Code::FileMissing)]);
        }
    }
}

#[test]
fn a_history_without_state_is_a_fault() {
    let mut reader = crate::protocols::completion::files::history::HistoryReader::new();
    reader.push_line("garbage");
    let history = reader.finish();
    let judgements = JudgementSummary::none();
    let found = layout(|path| path == SLICE_HISTORY);
    let strict = adopt(found, |_| None, history.clone(), judgements.clone(), Mode::Strict);
    let lost: Vec<_> = STATE_FILES.iter().map(|path| (*path, Code::FileMissing)).collect();
    let garbage = (SLICE_HISTORY, Code::NotAnObject);
    assert_eq!(faults(&strict), [lost.clone(), vec![garbage]].concat());
    let lenient = adopt(found, |_| None, history, judgements, Mode::Lenient);
    assert_eq!(faults(&lenient), lost);
    assert_eq!(lenient.notes[0].diagnostic.code, Code::Overlooked);
}

#[test]
fn missions_that_differ_are_named_both() {
    let others = [
        (STATE, render(&StateFile { mission_anchor: "Other.".into(), ..state() })),
        (PLAN, render(&PlanFile { mission_anchor: "Other.".into(), ..plan() })),
        (ACTIVE, render(&ActiveFile { mission_anchor: "Other.".into(), ..active() })),
        (MISSION, mission_md("Other.")),
    ];
    for (path, text) in others {
        let mut files = laid(Layout::Seed);
        files.insert(path.into(), text.into());
        let adopted = take(&files, Mode::Lenient);
        assert_eq!(adopted.mission, None);
        let said = adopted.faults[0].to_string();
        assert!(said.contains("`Greet.`") && said.contains("`Other.`"), "{said}");
        assert_eq!(adopted.faults[0].diagnostic.code, Code::AnchorMismatch);
    }
    let mut files = laid(Layout::Current);
    files.insert(BRIEF.into(), b"{\"schema_version\":1,\"mission\":\"Other.\"}".into());
    assert_eq!(faults(&take(&files, Mode::Strict)), vec![(BRIEF, Code::AnchorMismatch)]);
}

#[test]
fn an_active_slice_beside_the_plan_is_weighed() {
    let cases = [
        (ActiveFile { slice_id: Some("smoke".into()), ..active() }, Code::UnknownItem),
        (ActiveFile { slice_id: Some("S2".into()), ..active() }, Code::InvalidValue),
        (ActiveFile { acceptance_criteria: vec!["weaker".into()], ..active() }, Code::InvalidValue),
        (idle(), Code::InvalidValue),
        (ActiveFile { basis_commit: Some("deadbeef".into()), ..active() }, Code::InvalidValue),
    ];
    for (file, code) in cases {
        let mut files = laid(Layout::Seed);
        files.insert(ACTIVE.into(), render(&file).into());
        assert_eq!(faults(&take(&files, Mode::Strict)), vec![(ACTIVE, code)]);
        let lenient = take(&files, Mode::Lenient);
        assert_eq!(faults(&lenient), vec![]);
        assert_eq!(lenient.notes[0].diagnostic.code, Code::Overlooked);
    }
}

#[test]
fn an_older_state_beside_the_later_one_is_named() {
    let mut files = laid(Layout::Current);
    files.insert(STATE.into(), b"garbage".into());
    let adopted = take(&files, Mode::Strict);
    assert_eq!((adopted.layout, faults(&adopted)), (Some(Layout::Current), vec![]));
    assert_eq!(adopted.notes[0].path, STATE);
}

#[test]
fn a_value_from_elsewhere_is_validated() {
    let mut adopted = take(&laid(Layout::Seed), Mode::Strict);
    let plan = adopted.plan.as_mut().unwrap();
    plan.candidate_slices[1].slice_id = "S1".into();
    let error = adopted.validate().unwrap_err();
    assert_eq!(
        (error.code, error.at.as_str()),
        (Code::DuplicateId, "plan.candidate_slices[1].slice_id")
    );
}
