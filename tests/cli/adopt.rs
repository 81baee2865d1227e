//! Taking over directories of the peer. The corpus lies beside the repository and is not part of it;
//! where it is absent, only the directory written here is taken over.

use crate::common::{MISSION, TEAM, endstate, git, repository};
use std::fs;
use std::path::{Path, PathBuf};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn corpus() -> Option<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/letscook");
    let there = corpus.is_dir();
    if !there {
        println!("SKIPPED: the corpus is absent ({})", corpus.display());
    }
    there.then_some(corpus)
}

#[test]
fn our_own_files_without_a_journal_are_taken_over_and_carried_to_the_end() {
    let dir = repository();
    let root = dir.path();
    endstate(root, &["init", MISSION, "--judges", "1"]).expect(0);
    fs::remove_dir_all(root.join(".agent/endstate")).unwrap();
    assert_eq!(endstate(root, &["init", MISSION, "--json"]).expect(13).code(), "foreign_mission");
    let last = endstate(root, &["adopt", "--json"]).expect(0).last();
    assert_eq!(last["next_role"], "completion-regrounder");
    assert_eq!(last["rule"], "reground_distrusted_state");
    assert_eq!(git(root, &["status", "--porcelain"]), "");
    endstate(root, &["check"]).expect(0);
    endstate(root, &["run", "--agent", &format!("script:{TEAM}")]).expect(0);
}

#[test]
fn every_phase_of_the_peer_names_its_next_role() {
    let Some(corpus) = corpus() else { return };
    for (phase, commit, role) in [
        ("reground-completion-regrounder-w0-h0", "f7d7ec0", "completion-regrounder"),
        ("implement-completion-implementer-w0-h0", "f7d7ec0", "completion-implementer"),
        ("post_commit_review-completion-reviewer-w0-h1", "bbecb75", "completion-reviewer"),
        ("post_commit_audit-completion-auditor-w0-h2", "bbecb75", "completion-auditor"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("repo");
        let bundle = corpus.join("repo.bundle");
        git(dir.path(), &["clone", "-q", bundle.to_str().unwrap(), "repo"]);
        git(&root, &["checkout", "-q", "-B", "main", commit]);
        git(&root, &["config", "user.name", "Test"]);
        git(&root, &["config", "user.email", "test@example.invalid"]);
        copy(&corpus.join("0.1.91-phases").join(phase), &root);
        let last = endstate(&root, &["adopt", "--json"]).expect(0).last();
        assert_eq!(last["next_role"], role, "{phase}: {last}");
        assert!(last["reasons"].is_array());
        assert_eq!(git(&root, &["status", "--porcelain"]), "", "{phase}");
    }
}
