//! Which row is about which criterion, and which part of it counts after the check.
//!
//! A row is matched by its id, else by the label in the text it repeats, else by that text, word for
//! word. What merely resembles a criterion is another one, unless the mission asks for a loose look.
//! A row that is wrong costs that row: its criterion is not claimed, or not shown.

use super::report::{ClaimRow, VerdictRow, add};
use super::task::bare;
use crate::mission::prelude::*;
use crate::vocab::criterion::{label, unlabelled};
use crate::vocab::json::encode;
use crate::vocab::ledger::{check_evidence, known};
use crate::vocab::verdict::{Claim, ClaimStatus, Verdict};

words! {
    /// How closely the text of a row must follow its criterion.
    #[schemars(rename = "PromiseMatching")]
    Matching {
        Exact "exact" "Word for word.";
        Loose "loose" "Seven of ten words, if no other criterion comes as close.";
    }
}

words! {
    /// What a row was matched by.
    MatchedBy {
        Id "id" "The id it names.";
        Label "label" "The label in the text it repeats.";
        Text "text" "The text it repeats.";
        Similarity "similarity" "A text that is close; see [`Matching::Loose`].";
    }
}

/// A player's rows, matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Matched {
    /// At most one claim per criterion, in the order of the criteria. A complete one has evidence.
    pub claims: Vec<Claim>,
    /// What each claimed criterion was matched by.
    pub matched_by: BTreeMap<String, MatchedBy>,
    /// What is wrong with single rows.
    pub faults: Vec<Diagnostic>,
    /// For people.
    pub notes: Vec<String>,
}

/// A coach's rows, matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// At most one verdict per criterion, in the order of the criteria.
    pub verdicts: Vec<Verdict>,
    /// What is wrong with single rows.
    pub faults: Vec<Diagnostic>,
    /// Criteria for which the coach confirms that something outside the task blocks them.
    pub blocked: Vec<String>,
    /// Where coach and player disagree, by criterion; for the next turn.
    pub discrepancies: BTreeMap<String, String>,
}

/// Matches and checks a player's rows.
pub fn claims(criteria: &[Criterion], rows: &[ClaimRow], matching: Matching) -> Matched {
    let mut matched = Matched {
        claims: Vec::new(),
        matched_by: BTreeMap::new(),
        faults: Vec::new(),
        notes: Vec::new(),
    };
    let mut by_criterion: BTreeMap<usize, Vec<(&ClaimRow, MatchedBy)>> = BTreeMap::new();
    for row in rows {
        match find(criteria, row.id.as_deref(), row.text.as_deref(), matching) {
            Some((place, by)) => by_criterion.entry(place).or_default().push((row, by)),
            None => matched.faults.push(stranger(criteria, &row.at, &row.id, &row.text)),
        }
    }
    for (place, rows) in by_criterion {
        if let (Some(criterion), Some((_, by))) = (criteria.get(place), rows.first()) {
            let rows: Vec<&ClaimRow> = rows.iter().map(|(row, _)| *row).collect();
            if let Some(claim) = claim(&criterion.id, &rows, &mut matched) {
                matched.claims.push(claim);
                matched.matched_by.insert(criterion.id.clone(), *by);
            }
        }
    }
    matched
}

/// The claim that the rows on one criterion make together.
fn claim(id: &str, rows: &[&ClaimRow], matched: &mut Matched) -> Option<Claim> {
    let first = rows.first()?;
    if let Some(again) = rows.iter().skip(1).find(|row| row.status != first.status) {
        let got = format!("{id} with another status at {}", first.at);
        let fault = Error::new(Code::DuplicateId, &again.at, "each criterion once", got);
        matched.faults.push(fault.diagnostic());
        return None;
    }
    for again in rows.iter().skip(1) {
        matched.notes.push(format!("{}: {id} is claimed at {} already", again.at, first.at));
    }
    let status = first.status?;
    let mut evidence = Vec::new();
    add(&mut evidence, rows.iter().flat_map(|row| row.evidence.iter().cloned()));
    if status == ClaimStatus::Complete
        && let Err(error) = check_evidence(&evidence, &first.at)
    {
        matched.faults.push(error.diagnostic());
        return None;
    }
    Some(Claim { criterion: id.to_owned(), status, evidence })
}

/// Matches and checks a coach's rows against what the player claimed.
pub fn verdicts(criteria: &[Criterion], rows: &[VerdictRow], claims: &[Claim]) -> Judged {
    let mut judged = Judged {
        verdicts: Vec::new(),
        faults: Vec::new(),
        blocked: Vec::new(),
        discrepancies: BTreeMap::new(),
    };
    let mut by_criterion: BTreeMap<usize, Vec<&VerdictRow>> = BTreeMap::new();
    for row in rows {
        match find(criteria, row.id.as_deref(), row.text.as_deref(), Matching::Exact) {
            Some((place, _)) => by_criterion.entry(place).or_default().push(row),
            None => judged.faults.push(stranger(criteria, &row.at, &row.id, &row.text)),
        }
    }
    for (place, rows) in by_criterion {
        if let (Some(criterion), Some(first)) = (criteria.get(place), rows.first()) {
            let claim = claims.iter().find(|claim| claim.criterion == criterion.id);
            let verdict = verdict(criterion, first, claim, &mut judged);
            judged.verdicts.push(only(verdict, &rows, &mut judged.faults));
        }
    }
    judged
}

/// A criterion that is judged twice is not shown, unless both rejected it.
fn only(mut verdict: Verdict, rows: &[&VerdictRow], faults: &mut Vec<Diagnostic>) -> Verdict {
    if let [first, again, ..] = rows {
        let got = format!("{} judged at {} already", verdict.criterion, first.at);
        let fault = Error::new(Code::DuplicateId, &again.at, "each criterion once", got);
        faults.push(fault.diagnostic());
        if rows.iter().any(|row| row.finding != Finding::DoesNotHold) {
            verdict.finding = Finding::NotShown;
        }
    }
    verdict
}

fn verdict(
    criterion: &Criterion,
    row: &VerdictRow,
    claim: Option<&Claim>,
    judged: &mut Judged,
) -> Verdict {
    let id = &criterion.id;
    let said = claim.map(|claim| claim.status);
    let mut fault = |code, name: &str, expected: &str, got: &str| {
        let at = format!("{}.{name}", row.at);
        judged.faults.push(Error::new(code, at, expected, got).diagnostic());
    };
    let misquoted = row.player_status.is_some_and(|status| Some(status) != said);
    if misquoted {
        let expected = said.map_or("no claim that counts".to_owned(), |said| encode(&said));
        let got = row.player_status.map(|status| encode(&status)).unwrap_or_default();
        fault(Code::InconsistentVerdict, "player_status", &expected, &got);
    }
    let mut finding = row.finding;
    if misquoted && finding == Finding::Holds {
        // A coach that misquotes the promise has verified another one.
        finding = Finding::NotShown;
    }
    if finding != Finding::NotShown && row.method.trim().is_empty() {
        fault(Code::MissingField, "verification_method", "how it was found out", "nothing");
        finding = Finding::NotShown;
    }
    let verified = criterion.verified();
    if finding == Finding::Holds && said != Some(ClaimStatus::Complete) && !verified {
        let got = format!("{id} verified without a claim that counts");
        fault(Code::InconsistentVerdict, "coach_verified", "a complete claim to verify", &got);
        finding = Finding::NotShown;
    }
    if finding == Finding::Holds && check_evidence(&row.evidence, &row.at).is_err() {
        let expected = "typed evidence of the coach's own, which speaks for it";
        let got = format!("{id} verified in words: {}", row.method);
        fault(Code::EvidenceMissing, "evidence", expected, &got);
        finding = Finding::NotShown;
    }
    let differs = said == Some(ClaimStatus::Complete) && finding == Finding::DoesNotHold;
    if differs && row.discrepancy.is_none() {
        fault(Code::MissingField, "discrepancy", "where player and coach disagree", "nothing");
    }
    if let Some(discrepancy) = &row.discrepancy {
        judged.discrepancies.insert(id.clone(), discrepancy.clone());
    }
    if row.blocked {
        judged.blocked.push(id.clone());
    }
    let (criterion, method) = (id.clone(), row.method.clone());
    Verdict { criterion, finding, method, evidence: row.evidence.clone() }
}

fn stranger(
    criteria: &[Criterion],
    at: &str,
    id: &Option<String>,
    text: &Option<String>,
) -> Diagnostic {
    let said = id.as_deref().or(text.as_deref()).unwrap_or("neither id nor text");
    let error = match known(criteria, said) {
        Err(error) => error,
        // Unreachable: what is known has been found.
        Ok(_) => Error::new(Code::UnknownCriterion, "criterion", "a criterion", said),
    };
    Error { at: String::new(), ..error }.within(at).diagnostic()
}

/// The criterion a row speaks of.
fn find(
    criteria: &[Criterion],
    id: Option<&str>,
    text: Option<&str>,
    matching: Matching,
) -> Option<(usize, MatchedBy)> {
    let place = |id: &str| criteria.iter().position(|one| one.id == id);
    let by_id = id.and_then(|id| place(id.trim()));
    let text = text.map(bare);
    let by_label = || text.and_then(label).and_then(|id| place(&id));
    let by_text = || {
        let folded = fold(text?);
        let same = |one: &Criterion| !folded.is_empty() && fold(bare(&one.text)) == folded;
        let mut all = criteria.iter().enumerate().filter(|(_, one)| same(one));
        // Two criteria of one text cannot be told apart by it.
        all.next().filter(|_| all.next().is_none()).map(|(place, _)| place)
    };
    let loosely =
        || text.filter(|_| matching == Matching::Loose).and_then(|text| near(criteria, text));
    by_id
        .map(|place| (place, MatchedBy::Id))
        .or_else(|| by_label().map(|place| (place, MatchedBy::Label)))
        .or_else(|| by_text().map(|place| (place, MatchedBy::Text)))
        .or_else(|| loosely().map(|place| (place, MatchedBy::Similarity)))
}

/// A text without label, its white space folded.
fn fold(text: &str) -> String {
    unlabelled(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The one criterion that shares the most words with a text, seven of ten at least.
fn near(criteria: &[Criterion], text: &str) -> Option<usize> {
    let words = |text: &str| -> BTreeSet<String> {
        let parts = unlabelled(text).split(|c: char| !c.is_alphanumeric() && c != '_');
        parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
    };
    let asked = words(text);
    // (shared, all): shared/all of both texts' words.
    let score = |one: &Criterion| {
        let own = words(bare(&one.text));
        (own.intersection(&asked).count(), own.union(&asked).count())
    };
    let scores = criteria.iter().map(score).enumerate();
    let mut close: Vec<(usize, (usize, usize))> =
        scores.filter(|(_, (shared, all))| *all > 0 && shared * 10 >= all * 7).collect();
    close.sort_by(|(_, one), (_, other)| (other.0 * one.1).cmp(&(one.0 * other.1)));
    match close[..] {
        [(place, _)] => Some(place),
        [(place, first), (_, second), ..] if first.0 * second.1 > second.0 * first.1 => Some(place),
        _ => None,
    }
}

#[cfg(test)]
#[path = "matching_tests.rs"]
mod tests;
