//! The promise ledger: claims of one run joined with verdicts of others, criterion by criterion.
//!
//! The run that claims a criterion never verifies it, nor does a run of the same session. An
//! absent claim or verdict is *not shown*, never a quiet yes.

use super::criterion::{Criterion, CriterionState};
use super::error::{Code, Error, Result};
use super::evidence::{Evidence, Finding, weigh};
use super::verdict::{Claim, ClaimStatus, Speaker, Verdict};
use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;
use std::collections::BTreeSet;

/// One run's verdicts on an item at a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// Who judged.
    pub by: Speaker,
    /// At which commit.
    pub commit: String,
    /// One verdict per criterion it spoke of.
    pub verdicts: Vec<Verdict>,
    /// What must be mended before the item can be accepted.
    pub must_fix: Vec<String>,
}

/// Checks that every unsettled criterion is claimed complete, once, with typed evidence.
///
/// # Errors
/// `unknown_criterion`, `duplicate_id`, `criterion_missing`, `evidence_missing`,
/// `evidence_contradicts`, each with the place in the report.
pub fn check_claims(criteria: &[Criterion], claims: &[Claim]) -> Result<()> {
    let mut spoken = BTreeSet::new();
    for (place, claim) in claims.iter().enumerate() {
        let at = format!("claims[{place}]");
        known(criteria, &claim.criterion).map_err(|error| error.within(&at))?;
        if !spoken.insert(claim.criterion.as_str()) {
            return Err(Error::new(Code::DuplicateId, at, "each criterion once", &claim.criterion));
        }
        if claim.status != ClaimStatus::Complete {
            let got = super::json::encode(&claim.status);
            let expected = "status complete for every criterion of a finished item";
            return Err(Error::new(Code::CriterionMissing, at, expected, got));
        }
        check_evidence(&claim.evidence, &at)?;
    }
    match criteria.iter().find(|one| !one.settled() && !spoken.contains(one.id.as_str())) {
        Some(unclaimed) => Err(Error::new(
            Code::CriterionMissing,
            "claims",
            format!("a claim for {}", unclaimed.id),
            "none",
        )),
        None => Ok(()),
    }
}

/// Checks that evidence shows something, and nothing against it.
///
/// # Errors
/// `evidence_missing` or `evidence_contradicts`, at `<at>.evidence`.
pub fn check_evidence(evidence: &[Evidence], at: &str) -> Result<()> {
    let code = match weigh(evidence) {
        Finding::Holds => return Ok(()),
        Finding::NotShown => Code::EvidenceMissing,
        Finding::DoesNotHold => Code::EvidenceContradicts,
    };
    let got = match evidence.is_empty() {
        true => "no evidence".to_owned(),
        false => super::json::encode(evidence),
    };
    let expected =
        "a passing test, a command with exit status 0, a file and line, or what was seen";
    Err(Error::new(code, format!("{at}.evidence"), expected, got))
}

/// The criterion of this id.
///
/// # Errors
/// `unknown_criterion`, with the ids there are.
pub fn known<'a>(criteria: &'a [Criterion], id: &str) -> Result<&'a Criterion> {
    criteria.iter().find(|one| one.id == id).ok_or_else(|| {
        let ids: Vec<&str> = criteria.iter().map(|one| one.id.as_str()).collect();
        let expected = format!("one of {}", ids.join(", "));
        Error::new(Code::UnknownCriterion, "criterion", expected, id)
    })
}

/// Enters checked claims; waived criteria stay waived.
pub fn enter_claims(criteria: &mut [Criterion], claims: &[Claim], by: &Speaker) {
    for criterion in criteria.iter_mut().filter(|one| !one.waived()) {
        if let Some(claim) = claims.iter().find(|claim| claim.criterion == criterion.id) {
            criterion.state =
                CriterionState::Claimed { by: by.clone(), evidence: claim.evidence.clone() };
        }
    }
}

/// Checks a judge's verdicts: known criteria, each once, and never on what the judge claimed.
///
/// # Errors
/// `unknown_criterion`, `duplicate_id`, `own_verdict`, `missing_field` for a blank method.
pub fn check_verdicts(criteria: &[Criterion], verdicts: &[Verdict], by: &Speaker) -> Result<()> {
    let mut spoken = BTreeSet::new();
    for (place, verdict) in verdicts.iter().enumerate() {
        let at = format!("verdicts[{place}]");
        let criterion = known(criteria, &verdict.criterion).map_err(|error| error.within(&at))?;
        if !spoken.insert(verdict.criterion.as_str()) {
            return Err(Error::new(
                Code::DuplicateId,
                at,
                "each criterion once",
                &verdict.criterion,
            ));
        }
        if verdict.method.trim().is_empty() {
            let at = format!("{at}.method");
            return Err(Error::new(Code::MissingField, at, "how it was found out", "nothing"));
        }
        if claimant(criterion).is_some_and(|claimant| claimant.same_as(by)) {
            let got = format!("run {} of the session that claimed {}", by.run, criterion.id);
            return Err(Error::new(Code::OwnVerdict, at, "a run of another session", got));
        }
    }
    Ok(())
}

fn claimant(criterion: &Criterion) -> Option<&Speaker> {
    match &criterion.state {
        CriterionState::Claimed { by, .. } => Some(by),
        CriterionState::Verified { claimed_by, .. } => claimed_by.as_ref(),
        CriterionState::Open | CriterionState::Rejected { .. } | CriterionState::Waived { .. } => {
            None
        }
    }
}

/// What one judgement found about a criterion. That it holds needs typed evidence of the verifier's
/// own; evidence that speaks against it shows that it does not.
pub fn finding(judgement: &Judgement, criterion: &str) -> Finding {
    let verdict = judgement.verdicts.iter().find(|verdict| verdict.criterion == criterion);
    match verdict {
        None => Finding::NotShown,
        Some(verdict) => match verdict.finding {
            // Prose alone shows nothing, a verifier's as little as a claimant's.
            Finding::Holds => weigh(&verdict.evidence),
            found => found,
        },
    }
}

/// What several judgements found together: one against decides; all must show it.
pub fn joint_finding(judgements: &[&Judgement], criterion: &str) -> Finding {
    let findings = || judgements.iter().map(|judgement| finding(judgement, criterion));
    if findings().any(|found| found == Finding::DoesNotHold) {
        Finding::DoesNotHold
    } else if !judgements.is_empty() && findings().all(|found| found == Finding::Holds) {
        Finding::Holds
    } else {
        Finding::NotShown
    }
}

/// Turns claims into verified or rejected criteria by the joint finding of `judgements`.
pub fn settle(criteria: &mut [Criterion], judgements: &[&Judgement], commit: &str) {
    for criterion in criteria.iter_mut() {
        let (claimed_by, evidence) = match &criterion.state {
            CriterionState::Claimed { by, evidence } => (Some(by.clone()), evidence.clone()),
            CriterionState::Open
            | CriterionState::Verified { .. }
            | CriterionState::Rejected { .. }
            | CriterionState::Waived { .. } => continue,
        };
        let last = judgements.iter().rev().find_map(|judgement| {
            let verdict = judgement.verdicts.iter().find(|one| one.criterion == criterion.id)?;
            Some((judgement.by.run, verdict.method.clone()))
        });
        let against = judgements
            .iter()
            .find(|judgement| finding(judgement, &criterion.id) == Finding::DoesNotHold);
        criterion.state = match (joint_finding(judgements, &criterion.id), last) {
            (Finding::Holds, Some((_, method))) => CriterionState::Verified {
                claimed_by,
                verified_by: judgements.iter().map(|judgement| judgement.by.run).collect(),
                method,
                commit: commit.to_owned(),
                proof: evidence.iter().map(Evidence::line).collect(),
            },
            (Finding::DoesNotHold, Some((run, method))) => CriterionState::Rejected {
                run: against.map_or(run, |judgement| judgement.by.run),
                why: method,
            },
            _ => continue,
        };
    }
}

/// Shows verified criteria again at a later commit. Answers with the ids that were not shown; if there
/// is one, nothing has changed.
pub fn renew(criteria: &mut [Criterion], judgements: &[&Judgement], commit: &str) -> Vec<String> {
    let holds = |one: &&Criterion| joint_finding(judgements, &one.id) == Finding::Holds;
    let lost = criteria.iter().filter(|one| one.verified()).filter(|one| !holds(one));
    let lost: Vec<String> = lost.map(|one| one.id.clone()).collect();
    if !lost.is_empty() {
        return lost;
    }
    for criterion in criteria.iter_mut() {
        let id = &criterion.id;
        let last = judgements.iter().rev();
        let how = last.flat_map(|judgement| &judgement.verdicts).find(|one| one.criterion == *id);
        if let CriterionState::Verified { verified_by, method, commit: at, .. } =
            &mut criterion.state
        {
            *verified_by = judgements.iter().map(|judgement| judgement.by.run).collect();
            *at = commit.to_owned();
            if let Some(verdict) = how {
                method.clone_from(&verdict.method);
            }
        }
    }
    Vec::new()
}

/// Opens everything but waived criteria again.
pub fn reopen(criteria: &mut [Criterion]) {
    for criterion in criteria.iter_mut().filter(|one| !one.waived()) {
        criterion.state = CriterionState::Open;
    }
}

/// Opens everything again, also what was waived.
pub(crate) fn begin_anew(criteria: &mut [Criterion]) {
    criteria.iter_mut().for_each(|criterion| criterion.state = CriterionState::Open);
}

/// `item/criterion` of each that was waived.
pub(crate) fn waived<'a>(
    item: &'a str,
    criteria: &'a [Criterion],
) -> impl Iterator<Item = String> + 'a {
    criteria.iter().filter(|one| one.waived()).map(move |one| format!("{item}/{}", one.id))
}

/// Waives one criterion, unless it is settled.
pub(crate) fn waive(criteria: &mut [Criterion], id: &str, by: &str, why: &str) {
    if let Some(criterion) = criteria.iter_mut().find(|one| one.id == id) {
        waive_open(std::slice::from_mut(criterion), by, why);
    }
}

/// Waives everything that is not settled.
pub fn waive_open(criteria: &mut [Criterion], by: &str, why: &str) {
    for criterion in criteria.iter_mut().filter(|one| !one.settled()) {
        criterion.state = CriterionState::Waived { by: by.to_owned(), why: why.to_owned() };
    }
}
