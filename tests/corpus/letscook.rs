//! Directories that the peer really wrote, each read and understood.
//!
//! The corpus lies beside the repository and is not part of it; where it is absent, nothing is
//! tested and the output says so.

use endstate::protocols::completion::files::adopt::{Adopted, Layout, adopt, layout};
use endstate::protocols::completion::files::check::check_file;
use endstate::protocols::completion::files::gitignore::{gitignore_lines, merge_gitignore};
use endstate::protocols::completion::files::history::{HistoryReader, JudgementReader};
use endstate::protocols::completion::files::words::{ActiveStatus, Phase, Policy, RoleName};
use endstate::protocols::completion::files::{
    ActiveFile, Mode, PlanFile, Severity, StateFile, read, render,
};
use std::path::{Path, PathBuf};

const ANCHOR: &str = "Add a greeting file with a test for it.";
const COMMIT: &str = "bbecb7550263738d9318234c61468efa125c49e3";

fn corpus() -> Option<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/letscook");
    if !corpus.is_dir() {
        // Past the test command, which swallows what tests that pass print.
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "SKIPPED: corpus is absent ({})", corpus.display());
        return None;
    }
    Some(corpus)
}

/// The directory as the host would hand it over; `strip` is what the corpus leaves out of paths.
fn take(root: &Path, strip: &str, mode: Mode) -> Adopted {
    let file = |path: &str| root.join(path.strip_prefix(strip).unwrap_or(path));
    let layout = layout(|path| file(path).is_file());
    let mut history = HistoryReader::new();
    let mut judgements = JudgementReader::new();
    if let Some(layout) = layout {
        let [slices, stops] = layout.histories();
        history.push(&std::fs::read(file(slices)).unwrap_or_default());
        judgements.push(&std::fs::read(file(stops)).unwrap_or_default());
    }
    let get = |path: &str| std::fs::read(file(path)).ok();
    adopt(layout, get, history.finish(), judgements.finish(), mode)
}

struct Expected {
    folder: &'static str,
    phase: Phase,
    role: Option<RoleName>,
    slices: usize,
    status: ActiveStatus,
    records: u64,
    judgements: u64,
}

#[rustfmt::skip]
const PHASES: [Expected; 8] = [
    Expected { folder: "reground-completion-regrounder-w0-h0", phase: Phase::Reground,
        role: Some(RoleName::Regrounder), slices: 0, status: ActiveStatus::Idle,
        records: 0, judgements: 0 },
    Expected { folder: "implement-completion-implementer-w0-h0", phase: Phase::Implement,
        role: Some(RoleName::Implementer), slices: 1, status: ActiveStatus::Selected,
        records: 0, judgements: 0 },
    Expected { folder: "post_commit_review-completion-reviewer-w0-h1", phase: Phase::PostCommitReview,
        role: Some(RoleName::Reviewer), slices: 1, status: ActiveStatus::Committed,
        records: 1, judgements: 0 },
    Expected { folder: "post_commit_audit-completion-auditor-w0-h2", phase: Phase::PostCommitAudit,
        role: Some(RoleName::Auditor), slices: 1, status: ActiveStatus::Committed,
        records: 2, judgements: 0 },
    Expected { folder: "post_commit_reconcile-completion-regrounder-w0-h3",
        phase: Phase::PostCommitReconcile, role: Some(RoleName::Regrounder), slices: 1,
        status: ActiveStatus::Committed, records: 3, judgements: 0 },
    Expected { folder: "stop_wave-completion-stop-judge-w1-h4", phase: Phase::StopWave,
        role: Some(RoleName::StopJudge), slices: 1, status: ActiveStatus::Committed,
        records: 4, judgements: 0 },
    Expected { folder: "stop_wave-completion-stop-judge-w1-h6", phase: Phase::StopWave,
        role: Some(RoleName::StopJudge), slices: 1, status: ActiveStatus::Committed,
        records: 4, judgements: 2 },
    Expected { folder: "done-none-w1-h6", phase: Phase::Done,
        role: None, slices: 1, status: ActiveStatus::Committed,
        records: 4, judgements: 2 },
];

#[test]
fn every_phase_of_a_run_is_understood() {
    let Some(corpus) = corpus() else { return };
    let phases = corpus.join("0.1.91-phases");
    assert_eq!(std::fs::read_dir(&phases).unwrap().count(), PHASES.len());
    for expected in &PHASES {
        for mode in [Mode::Strict, Mode::Lenient] {
            understood(expected, &take(&phases.join(expected.folder), "", mode));
        }
    }
}

fn understood(expected: &Expected, adopted: &Adopted) {
    let folder = expected.folder;
    assert_eq!((&adopted.faults, &adopted.notes), (&vec![], &vec![]), "{folder}");
    assert_eq!(adopted.layout, Some(Layout::Current), "{folder}");
    assert_eq!(adopted.mission.as_deref(), Some(ANCHOR), "{folder}");
    let state = adopted.state.as_ref().unwrap();
    assert_eq!((state.current_phase, state.next_mandatory_role), (expected.phase, expected.role));
    let done = expected.phase == Phase::Done;
    assert_eq!((state.continuation_policy == Policy::Done, state.project_done), (done, done));
    assert_eq!(state.extra.len(), 8);
    let plan = adopted.plan.as_ref().unwrap();
    assert_eq!(plan.candidate_slices.len(), expected.slices, "{folder}");
    assert_eq!(adopted.active.as_ref().unwrap().status, expected.status, "{folder}");
    let brief = adopted.brief.as_ref().unwrap();
    assert_eq!((brief.mission.as_str(), brief.scope.len()), (ANCHOR, 1), "{folder}");
    assert!(adopted.verification_evidence.is_some() && adopted.profile.is_none(), "{folder}");
    histories(expected, adopted);
    kept_when_rendered(adopted);
}

fn histories(expected: &Expected, adopted: &Adopted) {
    let folder = expected.folder;
    assert_eq!(adopted.history.extent.records, expected.records, "{folder}");
    assert_eq!(adopted.judgements.extent.records, expected.judgements, "{folder}");
    assert!(!adopted.history.extent.unterminated, "{folder}");
    let accepted = adopted.history.slice("S1").and_then(|slice| slice.accepted_commit());
    assert_eq!(accepted, (expected.records == 4).then_some(COMMIT), "{folder}");
    if let Some(review) = adopted.history.slice("S1").and_then(|slice| slice.reviewed.as_ref()) {
        assert_eq!(review.acceptable, Some(true), "{folder}");
    }
    if let Some(wave) = adopted.judgements.waves.last() {
        assert_eq!((wave.head_sha.as_str(), wave.stop_wave_id), (COMMIT, Some(1)), "{folder}");
        assert_eq!((wave.can_stop, wave.cannot_stop, wave.repeated), (2, 0, 0), "{folder}");
    }
}

/// What we write in its place says the same, unknown fields included.
fn kept_when_rendered(adopted: &Adopted) {
    let state = adopted.state.as_ref().unwrap();
    let again = read::<StateFile>(&render(state), Mode::Strict).unwrap();
    assert_eq!((&again.value, again.notes.len()), (state, 0));
    let plan = adopted.plan.as_ref().unwrap();
    let again = read::<PlanFile>(&render(plan), Mode::Strict).unwrap();
    assert_eq!((&again.value, again.notes.len()), (plan, 0));
    let active = adopted.active.as_ref().unwrap();
    let again = read::<ActiveFile>(&render(active), Mode::Strict).unwrap();
    assert_eq!((&again.value, again.notes.len()), (active, 0));
    assert_eq!(adopted.validate(), Ok(()));
    let text = serde_json::to_string(adopted).unwrap();
    assert_eq!(&serde_json::from_str::<Adopted>(&text).unwrap(), adopted);
}

#[test]
fn a_fresh_directory_is_understood() {
    let Some(corpus) = corpus() else { return };
    let adopted = take(&corpus.join("0.1.91-fresh"), ".agent/", Mode::Strict);
    assert_eq!((&adopted.faults, &adopted.notes), (&vec![], &vec![]));
    assert_eq!(adopted.mission.as_deref(), Some("Upgrade seed-era workflow mission."));
    let state = adopted.state.as_ref().unwrap();
    let next = (state.current_phase, state.next_mandatory_role);
    assert_eq!(next, (Phase::Reground, Some(RoleName::Regrounder)));
    assert_eq!(state.remaining_stop_judges, 2);
    assert_eq!(adopted.plan.as_ref().unwrap().candidate_slices.len(), 0);
    assert_eq!(adopted.history.extent.lines, 0);
    assert_eq!(adopted.missing.len(), 5);
    kept_when_rendered(&adopted);
}

#[test]
fn the_layout_of_the_seed_is_understood() {
    let Some(corpus) = corpus() else { return };
    let root = corpus.join("seed-era");
    let adopted = take(&root, "", Mode::Strict);
    assert_eq!((&adopted.faults, &adopted.notes), (&vec![], &vec![]));
    assert_eq!(adopted.layout, Some(Layout::Seed));
    assert_eq!(adopted.mission.as_deref(), Some("Smoke-test mission."));
    let profile = adopted.profile.as_ref().unwrap();
    assert_eq!(profile.required_stop_judges, 3);
    assert_eq!(profile.docs_surfaces, ["README.md"]);
    let scripts = adopted.missing.iter().all(|path| path.ends_with(".sh"));
    assert!(scripts && adopted.missing.len() == 2, "{:?}", adopted.missing);
    assert!(adopted.state.is_none() && adopted.plan.is_none() && adopted.active.is_none());
    let written = std::fs::read_to_string(root.join(".agent/profile.json")).unwrap();
    assert_eq!(render(profile).trim_end(), written.trim_end());
    for path in [".agent/README.md", ".agent/mission.md", ".agent/profile.json"] {
        let found = check_file(path, &std::fs::read(root.join(path)).unwrap());
        assert!(found.iter().all(|finding| finding.severity == Severity::Note), "{found:?}");
    }
}

#[test]
fn the_ignore_lines_are_those_of_the_peer() {
    let Some(corpus) = corpus() else { return };
    let written = std::fs::read_to_string(corpus.join("seed-era/.gitignore")).unwrap();
    assert_eq!(gitignore_lines().to_vec(), written.lines().collect::<Vec<_>>());
    assert_eq!(merge_gitignore(&written), written);
}
