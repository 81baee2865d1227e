//! Criteria: what "done" means for one item, and how far each is shown.

use super::error::{Code, Error, Result};
use super::event::EffectId;
use super::evidence::Evidence;
use super::verdict::Speaker;
use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;
use std::collections::BTreeSet;

/// One acceptance criterion. Its text is never worded anew once an accepted report introduced it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// `AC-001` by position, or the label its author wrote, e.g. `AC-LOAD-01`.
    pub id: String,
    /// The author's text, whole.
    pub text: String,
    /// How far it is shown.
    pub state: CriterionState,
}

/// The life of a criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case", deny_unknown_fields)]
pub enum CriterionState {
    /// Nobody has claimed it.
    Open,
    /// A run claims it, with evidence.
    Claimed {
        /// The claiming run.
        by: Speaker,
        /// What the run offers as proof.
        evidence: Vec<Evidence>,
    },
    /// Other runs have shown it to hold.
    Verified {
        /// Who claimed it, if anyone.
        claimed_by: Option<Speaker>,
        /// The runs that verified it.
        verified_by: Vec<EffectId>,
        /// How, in the words of the last verifier.
        method: String,
        /// The commit it was shown at.
        commit: String,
        /// The proof the claiming run gave, one line each.
        proof: Vec<String>,
    },
    /// A run has shown that it does not hold, or found the claim wanting.
    Rejected {
        /// The rejecting run.
        run: EffectId,
        /// Why.
        why: String,
    },
    /// The user, or a verdict, has let it go.
    Waived {
        /// Who: `user`, or a run id.
        by: String,
        /// Why.
        why: String,
    },
}

impl Criterion {
    /// A new, open criterion.
    pub fn open(id: impl Into<String>, text: impl Into<String>) -> Self {
        Criterion { id: id.into(), text: text.into(), state: CriterionState::Open }
    }

    /// Whether the criterion no longer keeps its item from closing.
    pub fn settled(&self) -> bool {
        matches!(self.state, CriterionState::Verified { .. } | CriterionState::Waived { .. })
    }

    /// Whether it was shown.
    pub fn verified(&self) -> bool {
        matches!(self.state, CriterionState::Verified { .. })
    }

    /// Whether it was let go rather than shown.
    pub fn waived(&self) -> bool {
        matches!(self.state, CriterionState::Waived { .. })
    }
}

/// Criteria with ids from their authors' texts: labels are kept, the others numbered by position.
///
/// # Errors
/// [`Code::EmptyCriteria`] for none or a blank one, [`Code::DuplicateId`] for one id twice.
pub fn from_texts(texts: &[String]) -> Result<Vec<Criterion>> {
    append_texts(&[], texts)
}

/// `texts` as criteria that follow `existing`; see [`from_texts`].
///
/// # Errors
/// As [`from_texts`].
pub fn append_texts(existing: &[Criterion], texts: &[String]) -> Result<Vec<Criterion>> {
    if existing.is_empty() && texts.is_empty() {
        return Err(Error::new(Code::EmptyCriteria, "acceptance_criteria", "at least one", "none"));
    }
    let mut taken: BTreeSet<String> = existing.iter().map(|known| known.id.clone()).collect();
    // What nobody labelled never takes the label that somebody gave.
    let given: BTreeSet<String> = texts.iter().filter_map(|text| label(text)).collect();
    let mut made = Vec::with_capacity(texts.len());
    for (position, text) in texts.iter().enumerate() {
        let at = format!("acceptance_criteria[{position}]");
        if text.trim().is_empty() {
            return Err(Error::new(Code::EmptyCriteria, at, "a condition", "blank text"));
        }
        let id = label(text).unwrap_or_else(|| {
            let mut number = existing.len() + position + 1;
            let id = |number: usize| format!("AC-{number:03}");
            while given.contains(&id(number)) || taken.contains(&id(number)) {
                number += 1;
            }
            id(number)
        });
        if !taken.insert(id.clone()) {
            return Err(Error::new(Code::DuplicateId, at, "an id of its own", id));
        }
        made.push(Criterion::open(id, text.clone()));
    }
    Ok(made)
}

/// The label an author put before a criterion: `AC-LOAD-01: …`, `[AC-2] …`, `**AC-3** …`.
pub fn label(text: &str) -> Option<String> {
    let bare =
        text.trim_start_matches(|c: char| c == '[' || c == '*' || c == '`' || c.is_whitespace());
    let end = bare
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
        .unwrap_or(bare.len());
    let word = &bare[..end];
    let labelled = word.len() > 3 && word.starts_with("AC-") && !word.ends_with('-');
    labelled.then(|| word.to_owned())
}

/// A criterion without the label before it: `AC-1: text`, `**AC-1** — text`. A label that nothing sets
/// off from the sentence is a word of it and stays.
pub fn unlabelled(text: &str) -> &str {
    let text = text.trim();
    let Some(label) = label(text) else { return text };
    let rest = text.find(&label).and_then(|at| text.get(at + label.len()..)).unwrap_or(text);
    let bare = rest.trim_start_matches([']', '*', '`']).trim_start();
    let tail = bare.strip_prefix([':', '—', '–', '-']);
    match (tail, rest.starts_with([']', '*', '`'])) {
        (Some(tail), _) => tail.strip_prefix("**").unwrap_or(tail).trim_start(),
        (None, true) => bare,
        (None, false) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_label_never_takes_a_given_one() {
        let texts = ["AC-002: one", "two", "AC-003: three", "four"].map(str::to_owned);
        let made = from_texts(&texts).unwrap();
        let ids: Vec<&str> = made.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["AC-002", "AC-004", "AC-003", "AC-005"]);
        let more = append_texts(&made, &["five".to_owned()]).unwrap();
        assert_eq!(more[0].id, "AC-006");
        assert!(from_texts(&["AC-1: a".to_owned(), "AC-1: b".to_owned()]).is_err());
    }

    #[test]
    fn labels_are_set_off_from_their_text() {
        for (text, bare) in [
            ("AC-001: text", "text"),
            ("AC-1 : text", "text"),
            ("AC-001:no space", "no space"),
            ("**AC-LOAD-01** — text", "text"),
            ("**AC-2:** text", "text"),
            ("[AC-2] `run` it", "`run` it"),
            ("AC-001: `run` it", "`run` it"),
            ("AC-001 is met", "AC-001 is met"),
            (" plain ", "plain"),
            ("ac-001: lower", "ac-001: lower"),
        ] {
            assert_eq!(unlabelled(text), bare, "{text}");
        }
    }
}
