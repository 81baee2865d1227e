//! What is rendered is read back as it was, whatever is in it.

use crate::protocols::completion::files::form::{self, Form, OnDisk, compact};
use crate::protocols::completion::files::history::{HistoryRecord, Judgement};
use crate::protocols::completion::files::kind::Kind;
use crate::protocols::completion::files::words::*;
use crate::protocols::completion::files::*;
use crate::vocab::json::MOST_INTEGER;
use crate::vocab::time::{LATEST, rfc3339};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Debug;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[ -~äß→\u{2028}\n\t\"\\\\]{0,20}"]
}

/// A text that is not blank.
fn said() -> impl Strategy<Value = String> {
    text().prop_map(|text| format!("x{text}"))
}

/// Raw JSON with odd spacing and numbers that would not survive a reader.
fn raw() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("1.50E+400".to_owned()),
        Just("123456789012345678901234567890".to_owned()),
        text().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(|members| format!("[ {} ]", members.join(" ,\r\n "))),
            (text(), inner).prop_map(|(name, value)| {
                format!("{{\n{} : {value}\t}}", serde_json::to_string(&name).unwrap())
            }),
        ]
    })
}

fn extras() -> impl Strategy<Value = Vec<Extra>> {
    vec((text(), raw()), 0..3).prop_map(|fields| {
        let named = fields.into_iter().enumerate();
        named.map(|(i, (name, raw))| Extra::new(format!("{i}{name}"), raw).unwrap()).collect()
    })
}

/// What a field of this kind may hold.
fn value(kind: Kind, live: bool) -> BoxedStrategy<Value> {
    fn any_of<T: Serialize>(values: impl Strategy<Value = T> + 'static) -> BoxedStrategy<Value> {
        values.prop_map(|value| serde_json::to_value(value).unwrap()).boxed()
    }
    match kind {
        Kind::Version | Kind::Constant(_) => Just(Value::Null).boxed(),
        Kind::Word(words) => any_of(select(words())),
        Kind::Status if live => any_of(select(&ActiveStatus::ALL[1..])),
        Kind::Status => any_of(Just(ActiveStatus::Idle)),
        Kind::Text => any_of(text()),
        Kind::Said => any_of(said()),
        Kind::Texts => any_of(vec(text(), 0..4)),
        Kind::Criteria => any_of(vec(said(), 1..4)),
        Kind::Flag => any_of(any::<bool>()),
        Kind::Count => any_of(0..=MOST_INTEGER),
        Kind::Judges => any_of(1..100_u32),
        Kind::Rank => any_of(1..=8_u8),
        Kind::Time => any_of((0..=LATEST).prop_map(rfc3339)),
        Kind::Moment => any_of(0..=LATEST),
        Kind::Commit => any_of(prop_oneof!["none", "[0-9a-f]{40}", "[0-9a-f]{64}"]),
        Kind::Objects(form) => any_of(vec(object(*form, live), 0..4)),
        Kind::OrNull(kind) => prop_oneof![Just(Value::Null), value(*kind, live)].boxed(),
        Kind::Optional(kind) => prop_oneof![Just(Value::Null), value(*kind, live)].boxed(),
        Kind::Live(kind, _) if live => value(*kind, live),
        Kind::Live(_, kind) => value(*kind, live),
    }
}

/// Any object of this form, as its type has it.
fn object(form: Form, live: bool) -> BoxedStrategy<Value> {
    let own: Vec<_> = form.seed.iter().filter(|(_, kind)| kind.constant().is_none()).collect();
    let values: Vec<_> = own.iter().map(|(_, kind)| value(*kind, live)).collect();
    let fields = (values, extras()).prop_map(move |(values, extra)| {
        let names = own.iter().map(|(name, _)| (*name).to_owned());
        let mut fields: Map<String, Value> = names.zip(values).collect();
        fields.insert("extra".to_owned(), serde_json::to_value(extra).unwrap());
        Value::Object(fields)
    });
    fields.boxed()
}

/// Any file of a type, as long as its fields need not fit together.
fn any_file<T: OnDisk + Debug>() -> impl Strategy<Value = T> {
    let fields = any::<bool>().prop_flat_map(|live| object(T::FORM, live));
    fields.prop_map(|fields| T::read((&fields).into()).unwrap())
}

/// Done is all or nothing.
fn states() -> impl Strategy<Value = StateFile> {
    any_file::<StateFile>().prop_map(|mut state| {
        state.project_done = state.current_phase == Phase::Done;
        state.continuation_policy = match (state.project_done, state.continuation_policy) {
            (true, _) => Policy::Done,
            (false, Policy::Done) => Policy::Continue,
            (false, other) => other,
        };
        state
    })
}

/// Ids are unique, and one slice at most is current.
fn plans() -> impl Strategy<Value = PlanFile> {
    any_file::<PlanFile>().prop_map(|mut plan| {
        let mut current = false;
        for (position, slice) in plan.candidate_slices.iter_mut().enumerate() {
            slice.slice_id = format!("{position}{}", slice.slice_id);
            if slice.status.current() && std::mem::replace(&mut current, true) {
                slice.status = SliceStatus::Planned;
            }
        }
        plan
    })
}

/// Extras of a line lose the space between their tokens, because a line has no line breaks.
fn compacted(extras: &[Extra]) -> Vec<Extra> {
    extras.iter().map(|e| Extra::new(e.name(), compact(e.raw())).unwrap()).collect()
}

/// Reading what was rendered gives the same value, with a note on each of its own unknown fields. Serde
/// keeps it too: it lies in the mission's config.
fn comes_back<T: OnDisk + Debug>(file: &T) -> usize {
    let reading = form::read::<T>(&form::render(file), Mode::Strict).unwrap();
    assert_eq!(&reading.value, file);
    let again: T = crate::vocab::json::decode(&crate::vocab::json::encode(file)).unwrap();
    assert_eq!(&again, file);
    reading.notes.len()
}

/// As `compacted`, and in one line.
fn line_comes_back<T: OnDisk + Debug>(record: &T, compacted: &T) {
    let line = form::line(record);
    assert_eq!(line.matches('\n').count(), 0);
    assert_eq!(&form::read::<T>(&line, Mode::Strict).unwrap().value, compacted);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn files_come_back(
        profile in any_file::<ProfileFile>(), state in states(), plan in plans(),
        active in any_file::<ActiveFile>(),
    ) {
        prop_assert_eq!(comes_back(&profile), profile.extra.len());
        prop_assert_eq!(comes_back(&state), state.extra.len());
        prop_assert_eq!(comes_back(&active), active.extra.len());
        let slices = plan.candidate_slices.iter().map(|slice| slice.extra.len());
        prop_assert_eq!(comes_back(&plan), plan.extra.len() + slices.sum::<usize>());
    }

    #[test]
    fn lines_of_histories_come_back(
        record in any_file::<HistoryRecord>(), judgement in any_file::<Judgement>(),
    ) {
        let extra = compacted(&record.extra);
        line_comes_back(&record, &HistoryRecord { extra, ..record.clone() });
        let extra = compacted(&judgement.extra);
        line_comes_back(&judgement, &Judgement { extra, ..judgement.clone() });
    }

    #[test]
    fn readers_never_panic(text in any::<String>(), cut in 0..400_usize, put in any::<char>()) {
        let mut broken = render(&super::bad_inputs::active());
        let at = (0..=cut.min(broken.len())).rev().find(|at| broken.is_char_boundary(*at)).unwrap();
        broken.insert(at, put);
        for text in [text, broken] {
            let _ = read::<ProfileFile>(&text, Mode::Lenient);
            let _ = read::<StateFile>(&text, Mode::Lenient);
            let _ = read::<PlanFile>(&text, Mode::Lenient);
            let _ = read::<ActiveFile>(&text, Mode::Lenient);
            let _ = (read::<HistoryRecord>(&text, Mode::Strict), read::<Judgement>(&text, Mode::Strict));
            let merged = gitignore::merge_gitignore(&text);
            prop_assert_eq!(gitignore::merge_gitignore(&merged), merged);
            let anchor = contract::one_line(&text);
            let back = contract::anchor_of(&contract::mission_md(&text)).unwrap_or_default();
            prop_assert_eq!(back, anchor);
        }
    }
}

#[test]
fn the_idle_file_has_the_shape_of_the_seed() {
    let expected = r#"{
  "schema_version": 1,
  "mission_anchor": "Greet.",
  "status": "idle",
  "slice_id": null,
  "goal": null,
  "contract_ids": [],
  "acceptance_criteria": [],
  "priority": null,
  "why_now": null,
  "blocked_on": [],
  "locked_notes": [],
  "must_fix_findings": [],
  "basis_commit": null,
  "remaining_contract_ids_before": [],
  "release_blocker_count_before": null,
  "high_value_gap_count_before": null
}
"#;
    assert_eq!(render(&super::bad_inputs::idle()), expected);
}
