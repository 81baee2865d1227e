//! A table of files that must not be read, and what each reader says of them.

use crate::protocols::completion::files::fields::extra;
use crate::protocols::completion::files::words::{ActiveStatus, RoleName, SliceStatus};
use crate::protocols::completion::files::*;
use crate::vocab::error::{Code, Result};

const SHA: &str = "f7d7ec0c475214efce3c90fd94311a02f3e49efa";

pub(super) fn profile() -> ProfileFile {
    ProfileFile {
        project_name: "demo".into(),
        required_stop_judges: 3,
        docs_surfaces: vec!["README.md".into()],
        extra: vec![],
    }
}

pub(super) fn state() -> StateFile {
    StateFile {
        mission_anchor: "Greet.".into(),
        next_mandatory_role: Some(RoleName::Regrounder),
        ..StateFile::default()
    }
}

pub(super) fn no_plan() -> PlanFile {
    PlanFile { mission_anchor: "Greet.".into(), ..PlanFile::default() }
}

pub(super) fn idle() -> ActiveFile {
    ActiveFile { mission_anchor: "Greet.".into(), ..ActiveFile::default() }
}

pub(super) fn slice(id: &str, status: SliceStatus) -> SliceEntry {
    SliceEntry {
        slice_id: id.into(),
        goal: format!("goal of {id}"),
        acceptance_criteria: vec!["it works".into(), "it is told".into()],
        contract_ids: vec!["C-1".into()],
        priority: 1,
        status,
        why_now: "first".into(),
        blocked_on: vec![],
        evidence: vec![],
        extra: vec![],
    }
}

pub(super) fn plan() -> PlanFile {
    let slices = vec![slice("S1", SliceStatus::Selected), slice("S2", SliceStatus::Planned)];
    PlanFile { candidate_slices: slices, ..no_plan() }
}

pub(super) fn active() -> ActiveFile {
    ActiveFile {
        status: ActiveStatus::Selected,
        slice_id: Some("S1".into()),
        goal: Some("goal of S1".into()),
        contract_ids: vec!["C-1".into()],
        acceptance_criteria: vec!["it works".into(), "it is told".into()],
        priority: Some(1),
        why_now: Some("first".into()),
        basis_commit: Some(SHA.into()),
        remaining_contract_ids_before: vec!["C-1".into()],
        release_blocker_count_before: Some(1),
        high_value_gap_count_before: Some(0),
        ..idle()
    }
}

#[derive(Clone, Copy, Debug)]
enum File {
    Profile,
    State,
    Plan,
    Active,
}

impl File {
    const ALL: [File; 4] = [File::Profile, File::State, File::Plan, File::Active];

    fn good(self) -> String {
        match self {
            File::Profile => render(&profile()),
            File::State => render(&state()),
            File::Plan => render(&plan()),
            File::Active => render(&active()),
        }
    }

    fn read(self, text: &str, mode: Mode) -> Result<Vec<crate::vocab::error::Diagnostic>> {
        match self {
            File::Profile => read::<ProfileFile>(text, mode).map(|reading| reading.notes),
            File::State => read::<StateFile>(text, mode).map(|reading| reading.notes),
            File::Plan => read::<PlanFile>(text, mode).map(|reading| reading.notes),
            File::Active => read::<ActiveFile>(text, mode).map(|reading| reading.notes),
        }
    }

    /// The good text with `from` replaced by `to`, once.
    fn with(self, from: &str, to: &str) -> String {
        let good = self.good();
        assert!(good.contains(from), "{self:?} has no {from}");
        good.replacen(from, to, 1)
    }

    /// Whatever `text` is, both modes refuse it.
    #[track_caller]
    fn refuses(self, text: &str, code: Code, at: &str) {
        for mode in [Mode::Strict, Mode::Lenient] {
            let error = self.read(text, mode).expect_err(text);
            assert_eq!((error.code, error.at.as_str()), (code, at), "{error}");
            assert!(!error.expected.is_empty() && !error.got.is_empty(), "{error}");
        }
    }

    /// Strict refuses, lenient says that it overlooks.
    #[track_caller]
    fn overlooks(self, text: &str, code: Code, at: &str) {
        let error = self.read(text, Mode::Strict).expect_err(text);
        assert_eq!((error.code, error.at.as_str()), (code, at), "{error}");
        let notes = self.read(text, Mode::Lenient).expect(text);
        assert_eq!((notes[0].code, notes[0].at.as_str()), (Code::Overlooked, at));
        assert!(notes[0].got.contains(code.as_str()));
    }
}

/// The first field of this name has another value; its own goes into a field that nobody knows.
fn set(text: &str, name: &str, value: &str) -> String {
    let key = format!("\"{name}\":");
    assert!(text.contains(&key), "no {name}");
    text.replacen(&key, &format!("{key} {value}, \"aside\":"), 1)
}

#[test]
fn good_files_are_read_without_a_word() {
    for file in File::ALL {
        assert_eq!(file.read(&file.good(), Mode::Strict), Ok(vec![]));
    }
}

#[test]
fn texts_that_are_no_object() {
    for file in File::ALL {
        file.refuses("", Code::Empty, "");
        file.refuses(" \r\n\t", Code::Empty, "");
        file.refuses(&format!("\u{feff}{}", file.good()), Code::ByteOrderMark, "");
        file.refuses(&format!("[{}]", file.good()), Code::NotAnObject, "");
        file.refuses("null", Code::NotAnObject, "");
        file.refuses("\"text\"", Code::NotAnObject, "");
        file.refuses(&"[".repeat(100_000), Code::TooDeep, "byte 96");
        let deep = format!("{{\"x\":{}", "[".repeat(100_000));
        file.refuses(&deep, Code::TooDeep, "byte 100");
        file.refuses("{}", Code::MissingField, "schema_version");
        for mode in [Mode::Strict, Mode::Lenient] {
            let code = |text: &str| file.read(text, mode).expect_err(text).code;
            assert_eq!(code("not json"), Code::NotAnObject);
            assert_eq!(code("{\"a\" 1}"), Code::Syntax);
            assert_eq!(code(&format!("{}x", file.good())), Code::Syntax);
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    for file in File::ALL {
        let good = file.good();
        let whole = good.trim_end().len();
        for length in 1..whole {
            let error = file.read(&good[..length], Mode::Lenient).expect_err("cut");
            assert_eq!(error.code, Code::Truncated, "{file:?} cut at {length}: {error}");
        }
    }
}

#[test]
fn every_field_is_required_once_and_has_its_type() {
    let names: [(File, &[&str]); 4] = [
        (File::Profile, &names::PROFILE_FIELDS),
        (File::State, &names::STATE_FIELDS),
        (File::Plan, &names::PLAN_FIELDS),
        (File::Active, &names::ACTIVE_FIELDS),
    ];
    for (file, names) in names {
        for name in names {
            let other = file.with(&format!("\"{name}\":"), &format!("\"not_{name}\":"));
            file.refuses(&other, Code::MissingField, name);
            let twice = file.with("{", &format!("{{\"{name}\": null,"));
            file.refuses(&twice, Code::DuplicateField, name);
            file.refuses(&set(&file.good(), name, "{}"), Code::WrongType, name);
        }
    }
    for name in names::SLICE_FIELDS {
        let plan = File::Plan.good();
        let (head, tail) = plan.split_at(plan.find("candidate_slices").unwrap());
        let at = format!("candidate_slices[0].{name}");
        let without = tail.replacen(&format!("\"{name}\":"), "\"other\":", 1);
        File::Plan.refuses(&format!("{head}{without}"), Code::MissingField, &at);
        File::Plan.refuses(&format!("{head}{}", set(tail, name, "{}")), Code::WrongType, &at);
    }
}

#[test]
fn every_field_has_its_words_and_its_range() {
    use Code::{NumberOutOfRange, UnknownValue, WrongType};
    use File::{Active, Plan, Profile, State};
    for (file, name, value, code) in [
        (Profile, "protocol_id", "\"Completion\"", UnknownValue),
        (Profile, "required_stop_judges", "0", NumberOutOfRange),
        (Profile, "required_stop_judges", "-1", NumberOutOfRange),
        (Profile, "required_stop_judges", "100", NumberOutOfRange),
        (Profile, "required_stop_judges", "9007199254740992", NumberOutOfRange),
        (Profile, "required_stop_judges", "99999999999999999999", NumberOutOfRange),
        (Profile, "required_stop_judges", "2.5", WrongType),
        (Profile, "required_stop_judges", "1e3", WrongType),
        (Profile, "required_stop_judges", "\"3\"", WrongType),
        (Profile, "required_stop_judges", "null", WrongType),
        (Profile, "priority_policy_id", "\"other\"", UnknownValue),
        (State, "current_phase", "\"re-ground\"", UnknownValue),
        (State, "continuation_policy", "\"CONTINUE\"", UnknownValue),
        (State, "remaining_release_blockers", "-1", NumberOutOfRange),
        (State, "next_mandatory_role", "\"regrounder\"", UnknownValue),
        (State, "last_auditor_verdict", "1", WrongType),
        (Active, "status", "\"planned\"", UnknownValue),
        (Active, "priority", "1.5", WrongType),
    ] {
        file.refuses(&set(&file.good(), name, value), code, name);
    }
    for file in File::ALL {
        let version = |value: &str| set(&file.good(), "schema_version", value);
        file.refuses(&version("99"), Code::UnknownFormat, "schema_version");
        file.refuses(&version("\"1\""), WrongType, "schema_version");
    }
    let text = Active.with("\"C-1\"", "7");
    Active.refuses(&text, WrongType, "contract_ids[0]");
    let text = Plan.with("\"it is told\"", "null");
    Plan.refuses(&text, WrongType, "candidate_slices[0].acceptance_criteria[1]");
    let text = Plan.with("\"selected\"", "\"committed\"");
    Plan.refuses(&text, UnknownValue, "candidate_slices[0].status");
    for rank in ["0", "9", "-3"] {
        let text = Plan.with("\"priority\": 1", &format!("\"priority\": {rank}"));
        Plan.overlooks(&text, NumberOutOfRange, "candidate_slices[0].priority");
    }
}

#[test]
fn plans_that_contradict_themselves() {
    let text = File::Plan.with("\"S2\"", "\"S1\"");
    File::Plan.overlooks(&text, Code::DuplicateId, "candidate_slices[1].slice_id");
    let text = File::Plan.with("\"planned\"", "\"in_progress\"");
    File::Plan.overlooks(&text, Code::TwoSelected, "candidate_slices[1].status");
    let none = SliceEntry { acceptance_criteria: vec![], ..slice("S1", SliceStatus::Done) };
    let text = render(&PlanFile { candidate_slices: vec![none], ..plan() });
    File::Plan.refuses(&text, Code::EmptyCriteria, "candidate_slices[0].acceptance_criteria");
    let at = "candidate_slices[0].acceptance_criteria[1]";
    File::Plan.overlooks(&File::Plan.with("\"it is told\"", "\" \""), Code::EmptyCriteria, at);
    let labels = File::Plan.with("\"it works\"", "\"AC-7: a\"");
    let labels = labels.replacen("\"it is told\"", "\"AC-7: b\"", 1);
    File::Plan.overlooks(&labels, Code::DuplicateId, at);
    let text = File::Plan.with("\"S1\"", "\" \"");
    File::Plan.refuses(&text, Code::InvalidValue, "candidate_slices[0].slice_id");
}

#[test]
fn states_that_contradict_themselves() {
    for (from, to, at) in [
        ("\"reground\"", "\"done\"", "current_phase"),
        ("\"project_done\": false", "\"project_done\": true", "current_phase"),
        ("_reground_at\": null", "_reground_at\": \"yesterday\"", "last_reground_at"),
    ] {
        File::State.overlooks(&File::State.with(from, to), Code::InvalidValue, at);
    }
}

#[test]
fn a_live_slice_carries_its_hand_off() {
    let text = File::Active.with(SHA, "deadbeef");
    File::Active.overlooks(&text, Code::InvalidValue, "basis_commit");
    let unborn = File::Active.with(SHA, "none");
    assert_eq!(File::Active.read(&unborn, Mode::Strict), Ok(vec![]));
    for status in ActiveStatus::ALL.iter().filter(|status| status.live()) {
        let good = render(&ActiveFile { status: *status, ..active() });
        assert_eq!(File::Active.read(&good, Mode::Strict), Ok(vec![]));
        for name in ["priority", "why_now", "slice_id", "goal", "basis_commit"] {
            let without = good.replacen(&format!("\"{name}\":"), "\"aside\":", 1);
            File::Active.refuses(&without, Code::MissingField, name);
            File::Active.refuses(&set(&good, name, "null"), Code::WrongType, name);
        }
        for name in ["release_blocker_count_before", "high_value_gap_count_before"] {
            File::Active.refuses(&set(&good, name, "null"), Code::WrongType, name);
        }
        let none = ActiveFile { status: *status, acceptance_criteria: vec![], ..active() };
        File::Active.refuses(&render(&none), Code::EmptyCriteria, "acceptance_criteria");
    }
}

#[test]
fn an_idle_slice_may_lack_rank_and_reason() {
    let text = render(&idle());
    let bare = text.replace("  \"priority\": null,\n  \"why_now\": null,\n", "");
    assert_ne!(bare, text);
    let reading = read::<ActiveFile>(&bare, Mode::Strict).unwrap();
    assert_eq!((reading.value, reading.notes), (idle(), vec![]));
}

#[test]
fn unknown_fields_are_noted_and_kept_raw() {
    let raw = "[1.50,\n 99999999999999999999, {\"b\" : null}]";
    for file in File::ALL {
        let text = file.with("{", &format!("{{\"mine\": {raw},"));
        let notes = file.read(&text, Mode::Strict).unwrap();
        assert_eq!(
            (notes.len(), notes[0].code, notes[0].at.as_str()),
            (1, Code::UnknownField, "mine")
        );
    }
    let text = File::Plan.with("\"goal\"", &format!("\"mine\": {raw}, \"goal\""));
    let reading = read::<PlanFile>(&text, Mode::Strict).unwrap();
    assert_eq!(reading.notes[0].at, "candidate_slices[0].mine");
    let kept = extra(&reading.value.candidate_slices[0].extra, "mine").unwrap();
    assert_eq!(kept.raw(), raw);
    assert!(render(&reading.value).contains(&format!("\"mine\": {raw}")));
}

#[test]
fn fields_of_the_later_peer_are_kept_without_a_word() {
    let text = File::State.with("{", "{\"current_stop_wave_id\": 4,");
    let reading = read::<StateFile>(&text, Mode::Strict).unwrap();
    assert_eq!(reading.notes, vec![]);
    let kept = extra(&reading.value.extra, "current_stop_wave_id").unwrap();
    assert_eq!(kept.read::<u64>(), Ok(4));
}

#[test]
fn extras_hold_one_json_value() {
    for raw in ["", " 1", "1 2", "{", "nul", "\"\n\""] {
        assert!(Extra::new("x", raw).is_err(), "{raw}");
        let text = serde_json::json!({"name": "x", "raw": raw}).to_string();
        assert!(serde_json::from_str::<Extra>(&text).is_err(), "{raw}");
    }
}
