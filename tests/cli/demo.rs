//! The demo, from one end to the other, and its journal.

use crate::common::{endstate, git};
use endstate::stream::Stream;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn the_demo_comes_to_its_verified_end_and_can_be_replayed() {
    let dir = tempfile::tempdir().unwrap();
    let began = Instant::now();
    let said = endstate(dir.path(), &["demo", "--dir", "demo", "--json"]).expect(0);
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    let last = said.last();
    assert_eq!(last["continuation"], "done");
    assert_eq!(last["items_done"], 5);
    assert_eq!(last["worst_case_runs"], 60);
    assert!(last["runs"].as_u64().unwrap() < 60);
    assert!(last["reopened"].as_u64().unwrap() >= 1);
    assert!(last["refused_reports"].as_u64().unwrap() >= 3);
    let told: String = said.out.lines().collect();
    for code in ["truncated", "evidence_missing", "read_only_touched", "judge refused"] {
        assert!(told.contains(code), "{code}");
    }
    let (repo, journal) = (last["repo"].as_str().unwrap(), last["journal"].as_str().unwrap());
    let repo = Path::new(repo);
    history(repo);
    let replayed = endstate(dir.path(), &["replay", journal, "--json"]).expect(0).last();
    assert_eq!(replayed["chain"], last["chain"]);
    assert_eq!(replayed["continuation"], "done");
    endstate(repo, &["check"]).expect(0);
    let listed = endstate(repo, &["journal", "--json"]).expect(0);
    assert_eq!(listed.last()["chain"], last["chain"]);
    assert!(listed.out.contains("the stop verifier holds"), "{}", listed.out);
    damaged(dir.path(), Path::new(journal));
    let there = endstate(dir.path(), &["demo", "--dir", "demo", "--json"]).expect(2);
    assert_eq!(there.code(), "usage");
}

/// The slices are commits, the tree is clean, and the histories say what git says.
fn history(repo: &Path) {
    assert_eq!(git(repo, &["status", "--porcelain", "--untracked-files=all"]), "");
    let commits = git(repo, &["log", "--format=%s"]);
    assert_eq!(commits.lines().count(), 8, "{commits}");
    let text = fs::read_to_string(repo.join(".agent/slice-history.jsonl")).unwrap();
    let records: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |event: &str| -> Vec<&Value> {
        records.iter().filter(|one| one["type"] == event || one["event"] == event).collect()
    };
    let accepted = of("accepted");
    assert_eq!(accepted.len(), 5, "{text}");
    for record in accepted {
        let commit = record["commit_sha"].as_str().unwrap();
        git(repo, &["merge-base", "--is-ancestor", commit, "HEAD"]);
    }
    assert_eq!(of("reopened").len(), 2, "{text}");
    let judged = fs::read_to_string(repo.join(".agent/stop-check-history.jsonl")).unwrap();
    assert_eq!(judged.lines().count(), 4, "{judged}");
}

/// One changed byte, anywhere but the last newline, names its line.
fn damaged(dir: &Path, journal: &Path) {
    let whole = fs::read(journal).unwrap();
    let copy = dir.join("damaged.jsonl");
    let ends: Vec<usize> =
        whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
    let (mut start, mut before) = (0, Stream::new());
    for (line, end) in ends.iter().copied().enumerate() {
        let length = end - start;
        let mut places: Vec<usize> = (0..8).map(|part| start + length * part / 8).collect();
        places.extend([end - 1, end - 2]);
        places.extend((end + 1 < whole.len()).then_some(end));
        let expected = format!("line {}", line + 1);
        for place in &places {
            let mut bytes = whole.clone();
            bytes[*place] ^= 1;
            let error = before.clone().push(&bytes[start..]).unwrap_err();
            assert_eq!(error.at, expected, "byte {place}");
        }
        // The program itself, now and then.
        if line % 8 == 0 {
            let mut bytes = whole.clone();
            bytes[places[line / 8 % places.len()]] ^= 1;
            fs::write(&copy, &bytes).unwrap();
            let said = endstate(dir, &["replay", copy.to_str().unwrap(), "--json"]).expect(13);
            assert_eq!(said.last()["error"]["at"], expected);
        }
        before.push(&whole[start..=end]).unwrap();
        start = end + 1;
    }
}
