use super::*;
use crate::vocab::evidence::Evidence;
use std::slice::from_ref;

fn criteria() -> Vec<Criterion> {
    vec![
        Criterion::open("AC-001", "Users can log in with a password"),
        Criterion::open("AC-LOAD-01", "**AC-LOAD-01** — It loads"),
        Criterion::open("AC-003", "Invalid tokens return 401"),
    ]
}

fn proof() -> Vec<Evidence> {
    vec![Evidence::Test { id: "test_a".to_owned() }]
}

fn row(id: Option<&str>, text: Option<&str>, status: ClaimStatus) -> ClaimRow {
    ClaimRow {
        at: "row".to_owned(),
        id: id.map(str::to_owned),
        text: text.map(str::to_owned),
        status: Some(status),
        evidence: proof(),
        prose: None,
        implementation_files: Vec::new(),
    }
}

fn by(id: Option<&str>, text: Option<&str>, matching: Matching) -> Option<(String, MatchedBy)> {
    let matched = claims(&criteria(), &[row(id, text, ClaimStatus::Complete)], matching);
    assert_eq!(matched.claims.len() + matched.faults.len(), 1, "{matched:?}");
    assert!(matched.faults.iter().all(|fault| fault.code == Code::UnknownCriterion));
    matched.matched_by.into_iter().next()
}

#[test]
fn rows_find_their_criterion() {
    let found = |id: &str, by: MatchedBy| Some((id.to_owned(), by));
    let exact = Matching::Exact;
    assert_eq!(by(Some("AC-003"), Some("other words"), exact), found("AC-003", MatchedBy::Id));
    let labelled = Some("[ ] AC-LOAD-01: It loads");
    assert_eq!(by(Some("AC-9"), labelled, exact), found("AC-LOAD-01", MatchedBy::Label));
    let text = Some("- [x]  Invalid tokens\n return 401 ");
    assert_eq!(by(None, text, exact), found("AC-003", MatchedBy::Text));
    assert_eq!(by(None, Some("It loads"), exact), found("AC-LOAD-01", MatchedBy::Text));
    let close = Some("invalid tokens return 401.");
    assert_eq!(by(None, close, exact), None);
    assert_eq!(by(None, close, Matching::Loose), found("AC-003", MatchedBy::Similarity));
    assert_eq!(by(None, Some("Valid tokens return 200"), Matching::Loose), None);
    assert_eq!(by(Some("AC-1"), None, exact), None);
    assert_eq!(by(None, None, exact), None);
    assert_eq!(by(None, Some(" "), Matching::Loose), None);
}

#[test]
fn two_that_are_equally_close_are_neither() {
    let twins =
        vec![Criterion::open("a", "it loads fast now"), Criterion::open("b", "It loads fast now")];
    let rows = [row(None, Some("it  loads fast now!"), ClaimStatus::Complete)];
    let matched = claims(&twins, &rows, Matching::Loose);
    assert_eq!((matched.claims.len(), matched.faults.len()), (0, 1));
    let same = vec![Criterion::open("a", "x"), Criterion::open("b", "x")];
    let rows = [row(None, Some("x"), ClaimStatus::Complete)];
    assert_eq!(claims(&same, &rows, Matching::Exact).claims.len(), 0);
}

fn codes(faults: &[Diagnostic]) -> Vec<Code> {
    faults.iter().map(|fault| fault.code).collect()
}

#[test]
fn a_wrong_row_claims_nothing() {
    let with = |rows: &[ClaimRow]| {
        let matched = claims(&criteria(), rows, Matching::Exact);
        (matched.claims.len(), codes(&matched.faults), matched.notes.len())
    };
    let whole = row(Some("AC-001"), None, ClaimStatus::Complete);
    let part = row(Some("AC-001"), None, ClaimStatus::Partial);
    assert_eq!(with(&[whole.clone(), whole.clone()]), (1, vec![], 1));
    assert_eq!(with(&[whole.clone(), part]), (0, vec![Code::DuplicateId], 0));
    let words = ClaimRow { evidence: Vec::new(), ..whole.clone() };
    assert_eq!(with(&[words]), (0, vec![Code::EvidenceMissing], 0));
    let failed = Evidence::Command { command: "make".to_owned(), exit_status: 1 };
    let failed = ClaimRow { evidence: vec![proof().remove(0), failed], ..whole.clone() };
    assert_eq!(with(&[failed]), (0, vec![Code::EvidenceContradicts], 0));
    let unread = ClaimRow { status: None, ..whole };
    assert_eq!(with(&[unread]), (0, vec![], 0));
    let blocked = ClaimRow { evidence: vec![], ..row(Some("AC-003"), None, ClaimStatus::Blocked) };
    assert_eq!(with(&[blocked]), (1, vec![], 0));
}

fn judge(id: &str, finding: Finding) -> VerdictRow {
    VerdictRow {
        at: "row".to_owned(),
        id: Some(id.to_owned()),
        text: None,
        player_status: None,
        finding,
        method: "ran it".to_owned(),
        evidence: proof(),
        discrepancy: None,
        blocked: false,
    }
}

fn judged(rows: &[VerdictRow]) -> (Vec<Finding>, Vec<Code>) {
    let claimed = [ClaimStatus::Complete, ClaimStatus::Complete, ClaimStatus::Partial];
    let claims: Vec<Claim> = (criteria().into_iter().zip(claimed))
        .map(|(one, status)| Claim { criterion: one.id, status, evidence: proof() })
        .collect();
    let judged = verdicts(&criteria(), rows, &claims);
    (judged.verdicts.iter().map(|one| one.finding).collect(), codes(&judged.faults))
}

#[test]
fn verdicts_are_checked_against_the_claims() {
    use Finding::{DoesNotHold, Holds, NotShown};
    let holds = judge("AC-001", Holds);
    let against = judge("AC-001", DoesNotHold);
    assert_eq!(judged(from_ref(&holds)), (vec![Holds], vec![]));
    assert_eq!(judged(from_ref(&against)), (vec![DoesNotHold], vec![Code::MissingField]));
    let explained = VerdictRow { discrepancy: Some("why".to_owned()), ..against.clone() };
    assert_eq!(judged(from_ref(&explained)), (vec![DoesNotHold], vec![]));
    assert_eq!(judged(&[judge("AC-7", Holds)]), (vec![], vec![Code::UnknownCriterion]));
    let twice = judged(&[explained.clone(), holds.clone()]);
    assert_eq!(twice, (vec![NotShown], vec![Code::DuplicateId]));
    let twice = judged(&[explained.clone(), explained]);
    assert_eq!(twice, (vec![DoesNotHold], vec![Code::DuplicateId]));
    let silent = VerdictRow { method: " ".to_owned(), ..holds.clone() };
    assert_eq!(judged(&[silent]), (vec![NotShown], vec![Code::MissingField]));
    let other = VerdictRow { player_status: Some(ClaimStatus::Partial), ..holds.clone() };
    assert_eq!(judged(&[other]), (vec![NotShown], vec![Code::InconsistentVerdict]));
    let words = VerdictRow { evidence: vec![], ..holds };
    assert_eq!(judged(&[words]), (vec![NotShown], vec![Code::EvidenceMissing]));
    let unclaimed = judge("AC-003", Holds);
    assert_eq!(judged(&[unclaimed]), (vec![NotShown], vec![Code::InconsistentVerdict]));
}

#[test]
fn what_goes_into_the_next_turn_is_kept() {
    let mut row = judge("AC-001", Finding::DoesNotHold);
    row.discrepancy = Some("one minute, not five".to_owned());
    row.blocked = true;
    let judged = verdicts(&criteria(), &[row], &[]);
    assert_eq!(judged.blocked, ["AC-001"]);
    assert_eq!(judged.discrepancies["AC-001"], "one minute, not five");
}
