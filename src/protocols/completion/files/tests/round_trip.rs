//! What is rendered is read back as it was, whatever is in it.

use crate::protocols::completion::files::form::{self, OnDisk, compact};
use crate::protocols::completion::files::history::{
    HistoryRecord, Judgement, read_judgement, read_record,
};
use crate::protocols::completion::files::read::{read_active, read_plan, read_profile, read_state};
use crate::protocols::completion::files::render::*;
use crate::protocols::completion::files::words::*;
use crate::protocols::completion::files::*;
use crate::vocab::json::MOST_INTEGER;
use crate::vocab::time::{LATEST, rfc3339};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use std::fmt::Debug;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[ -~äß→\u{2028}\n\t\"\\\\]{0,20}"]
}

/// A text that is not blank.
fn said() -> impl Strategy<Value = String> {
    text().prop_map(|text| format!("x{text}"))
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..4)
}

fn criteria() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(said(), 1..4)
}

fn word<W: Word + Debug>() -> impl Strategy<Value = W> {
    select(W::ALL)
}

fn count() -> impl Strategy<Value = u64> {
    0..=MOST_INTEGER
}

fn time() -> impl Strategy<Value = String> {
    (0..=LATEST).prop_map(rfc3339)
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
            prop::collection::vec(inner.clone(), 0..3)
                .prop_map(|members| format!("[ {} ]", members.join(" ,\r\n "))),
            (text(), inner).prop_map(|(name, value)| {
                format!("{{\n{} : {value}\t}}", serde_json::to_string(&name).unwrap())
            }),
        ]
    })
}

fn extras() -> impl Strategy<Value = Vec<Extra>> {
    prop::collection::vec((text(), raw()), 0..3).prop_map(|fields| {
        let named = fields.into_iter().enumerate();
        named.map(|(i, (name, raw))| Extra::new(format!("{i}{name}"), raw).unwrap()).collect()
    })
}

fn profiles() -> impl Strategy<Value = ProfileFile> {
    (said(), 1..100_u32, texts(), extras()).prop_map(
        |(project_name, required_stop_judges, docs_surfaces, extra)| ProfileFile {
            project_name,
            required_stop_judges,
            docs_surfaces,
            extra,
        },
    )
}

prop_compose! {
    fn states()(
        mission_anchor in said(),
        current_phase in word::<Phase>().prop_filter("done is all or nothing", |p| *p != Phase::Done),
        continuation_policy in word::<Policy>().prop_filter("as above", |p| *p != Policy::Done),
        (continuation_reason, contract_status) in (text(), text()),
        (project_done, requires_reground) in (any::<bool>(), any::<bool>()),
        (slices_since_last_reground, remaining_stop_judges) in (count(), count()),
        (remaining_release_blockers, remaining_high_value_gaps) in (of(count()), of(count())),
        (unsatisfied_contract_ids, release_blocker_ids) in (texts(), texts()),
        next_mandatory_action in of(text()),
        next_mandatory_role in of(word::<RoleName>()),
        last_reground_at in of(time()),
        last_auditor_verdict in of(text()),
        (latest_completed_slice, latest_verified_slice) in (of(text()), of(text())),
        extra in extras(),
    ) -> StateFile {
        let (current_phase, continuation_policy) = match project_done {
            true => (Phase::Done, Policy::Done),
            false => (current_phase, continuation_policy),
        };
        StateFile {
            mission_anchor, current_phase, continuation_policy, continuation_reason, project_done,
            requires_reground, slices_since_last_reground, remaining_release_blockers,
            remaining_high_value_gaps, unsatisfied_contract_ids, release_blocker_ids,
            next_mandatory_action, next_mandatory_role, remaining_stop_judges, last_reground_at,
            last_auditor_verdict, contract_status, latest_completed_slice, latest_verified_slice,
            extra,
        }
    }
}

prop_compose! {
    fn slices()(
        slice_id in said(),
        goal in said(),
        acceptance_criteria in criteria(),
        contract_ids in texts(),
        priority in 1..=8_i64,
        status in select(vec![
            SliceStatus::Planned, SliceStatus::Blocked, SliceStatus::Done, SliceStatus::Cancelled,
        ]),
        why_now in text(),
        (blocked_on, evidence) in (texts(), texts()),
        extra in extras(),
    ) -> SliceEntry {
        SliceEntry {
            slice_id, goal, acceptance_criteria, contract_ids, priority, status, why_now,
            blocked_on, evidence, extra,
        }
    }
}

prop_compose! {
    fn plans()(
        mission_anchor in said(),
        last_reground_at in of(time()),
        plan_basis in text(),
        mut candidate_slices in prop::collection::vec(slices(), 0..4),
        current in of(select(vec![SliceStatus::Selected, SliceStatus::InProgress])),
        extra in extras(),
    ) -> PlanFile {
        for (position, slice) in candidate_slices.iter_mut().enumerate() {
            slice.slice_id = format!("{position}{}", slice.slice_id);
        }
        if let (Some(slice), Some(status)) = (candidate_slices.last_mut(), current) {
            slice.status = status;
        }
        PlanFile { mission_anchor, last_reground_at, plan_basis, candidate_slices, extra }
    }
}

prop_compose! {
    fn actives()(
        mission_anchor in said(),
        status in word::<ActiveStatus>(),
        (slice_id, goal, why_now) in (said(), said(), text()),
        (contract_ids, acceptance_criteria) in (texts(), criteria()),
        priority in 1..=8_i64,
        (blocked_on, locked_notes, must_fix_findings) in (texts(), texts(), texts()),
        basis_commit in prop_oneof![Just("none".to_owned()), "[0-9a-f]{40}", "[0-9a-f]{64}"],
        remaining_contract_ids_before in texts(),
        (release_blocker_count_before, high_value_gap_count_before) in (count(), count()),
        kept in any::<bool>(),
        extra in extras(),
    ) -> ActiveFile {
        let keep = kept || status.live();
        ActiveFile {
            mission_anchor, status, contract_ids, acceptance_criteria, blocked_on, locked_notes,
            must_fix_findings, remaining_contract_ids_before, extra,
            slice_id: keep.then_some(slice_id),
            goal: keep.then_some(goal),
            priority: keep.then_some(priority),
            why_now: keep.then_some(why_now),
            basis_commit: keep.then_some(basis_commit),
            release_blocker_count_before: keep.then_some(release_blocker_count_before),
            high_value_gap_count_before: keep.then_some(high_value_gap_count_before),
        }
    }
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
    assert_eq!(line.matches('\n').count(), 1);
    assert_eq!(&form::read::<T>(&line, Mode::Strict).unwrap().value, compacted);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn files_come_back(profile in profiles(), state in states(), plan in plans(), active in actives()) {
        prop_assert_eq!(comes_back(&profile), profile.extra.len());
        prop_assert_eq!(comes_back(&state), state.extra.len());
        prop_assert_eq!(comes_back(&active), active.extra.len());
        let slices = plan.candidate_slices.iter().map(|slice| slice.extra.len());
        prop_assert_eq!(comes_back(&plan), plan.extra.len() + slices.sum::<usize>());
    }

    #[test]
    fn lines_of_histories_come_back(
        kind in word::<RecordKind>(), at in 0..=LATEST, extra in extras(),
        (slice_id, commit_sha, head_sha) in (said(), said(), said()),
        can_stop in any::<bool>(), (blocker_count, high_value_gap_count) in (count(), count()),
    ) {
        let compacted = compacted(&extra);
        let judgement = Judgement {
            at, head_sha: head_sha.clone(), can_stop, blocker_count, high_value_gap_count,
            extra: extra.clone(),
        };
        line_comes_back(&judgement, &Judgement { extra: compacted.clone(), ..judgement.clone() });
        let record = HistoryRecord { kind, at, slice_id, commit_sha, head_sha, extra };
        line_comes_back(&record, &HistoryRecord { extra: compacted, ..record.clone() });
    }

    #[test]
    fn readers_never_panic(text in any::<String>(), cut in 0..400_usize, put in any::<char>()) {
        let mut broken = render_active(&super::bad_inputs::active());
        let at = (0..=cut.min(broken.len())).rev().find(|at| broken.is_char_boundary(*at)).unwrap();
        broken.insert(at, put);
        for text in [text, broken] {
            let _ = read_profile(&text, Mode::Lenient);
            let _ = read_state(&text, Mode::Lenient);
            let _ = read_plan(&text, Mode::Lenient);
            let _ = read_active(&text, Mode::Lenient);
            let _ = (read_record(&text), read_judgement(&text));
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
    assert_eq!(render_active(&super::bad_inputs::idle()), expected);
}
