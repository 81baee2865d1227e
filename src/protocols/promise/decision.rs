//! The decision of a turn: computed. The coach's own word can hold an approval back, never give one.

use crate::mission::prelude::*;
use crate::vocab::evidence::weigh;
use crate::vocab::verdict::Verdict;

/// What becomes of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TurnDecision")]
pub enum Decision {
    /// The task is done.
    Approve,
    /// The player goes on.
    Feedback,
}

/// A decision with its reasons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// What speaks against an approval, one line each; empty for an approval.
    pub against: Vec<String>,
    /// Why the coach's approval does not count, if it said so and it does not.
    pub overruled: Option<String>,
}

/// What a verdict shows: that a criterion holds only with typed evidence and a method, for the words
/// of a coach prove as little as those of a player.
pub fn shown(verdict: &Verdict) -> Finding {
    match (verdict.finding, verdict.method.trim().is_empty()) {
        (Finding::Holds, false) => weigh(&verdict.evidence),
        (Finding::Holds, true) => Finding::NotShown,
        (found, _) => found,
    }
}

/// Decides a turn: `criteria` as they stood before it, the coach's `verdicts` in it, the coach's word
/// and its blocking issues. Approval needs every criterion verified or waived, no blocking issue, and
/// the coach's word for it: silence is no yes.
pub fn decision(
    criteria: &[Criterion],
    verdicts: &[Verdict],
    said: Option<Decision>,
    blocking: &[String],
) -> Decided {
    let mut against: Vec<String> = Vec::new();
    if criteria.is_empty() {
        against.push("the task has no criterion".to_owned());
    }
    against.extend(criteria.iter().filter_map(|criterion| open(criterion, verdicts)));
    against.extend(blocking.iter().map(|issue| format!("blocking issue: {issue}")));
    let overruled = match said {
        Some(Decision::Approve) => against.first().cloned(),
        _ => None,
    };
    match said {
        Some(Decision::Feedback) if against.is_empty() => {
            against.push("the coach asks for changes".to_owned());
        }
        None if against.is_empty() => against.push("the coach did not approve".to_owned()),
        _ => {}
    }
    let decision = match against.is_empty() {
        true => Decision::Approve,
        false => Decision::Feedback,
    };
    Decided { decision, against, overruled }
}

/// Why a criterion keeps its task open, if it does.
fn open(criterion: &Criterion, verdicts: &[Verdict]) -> Option<String> {
    if criterion.waived() {
        return None;
    }
    let id = &criterion.id;
    let mut spoken =
        verdicts.iter().filter(|verdict| verdict.criterion == *id).map(shown).peekable();
    if spoken.peek().is_none() {
        return match &criterion.state {
            CriterionState::Verified { .. } | CriterionState::Waived { .. } => None,
            CriterionState::Rejected { .. } => Some(format!("{id} does not hold")),
            CriterionState::Claimed { .. } => Some(format!("{id} is not shown to hold")),
            CriterionState::Open => Some(format!("{id} was not promised as complete")),
        };
    }
    let mut worst = Finding::Holds;
    for found in spoken {
        worst = match (worst, found) {
            (Finding::DoesNotHold, _) | (_, Finding::DoesNotHold) => Finding::DoesNotHold,
            (Finding::NotShown, _) | (_, Finding::NotShown) => Finding::NotShown,
            (Finding::Holds, Finding::Holds) => Finding::Holds,
        };
    }
    match worst {
        Finding::Holds => None,
        Finding::DoesNotHold => Some(format!("{id} is rejected")),
        Finding::NotShown => Some(format!("{id} is not shown")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::evidence::Evidence;

    fn verdict(id: &str, finding: Finding) -> Verdict {
        let evidence = vec![Evidence::Test { id: "test_a".to_owned() }];
        Verdict { criterion: id.to_owned(), finding, method: "ran it".to_owned(), evidence }
    }

    fn two() -> [Criterion; 2] {
        [Criterion::open("a", "a"), Criterion::open("b", "b")]
    }

    #[test]
    fn only_shown_criteria_are_approved() {
        let both = [verdict("a", Finding::Holds), verdict("b", Finding::Holds)];
        let decided = decision(&two(), &both, Some(Decision::Approve), &[]);
        assert_eq!((decided.decision, decided.overruled), (Decision::Approve, None));
        let decided = decision(&two(), &both, None, &[]);
        assert_eq!((decided.decision, decided.overruled), (Decision::Feedback, None));
        assert_eq!(decided.against, ["the coach did not approve"]);
        let decided = decision(&two(), &both, Some(Decision::Feedback), &[]);
        assert_eq!((decided.decision, decided.overruled), (Decision::Feedback, None));
        assert_eq!(decided.against, ["the coach asks for changes"]);
        let decided = decision(&two(), &both, Some(Decision::Approve), &["typo".to_owned()]);
        assert_eq!(decided.decision, Decision::Feedback);
        assert_eq!(decided.overruled.as_deref(), Some("blocking issue: typo"));
        assert_eq!(decision(&[], &[], Some(Decision::Approve), &[]).decision, Decision::Feedback);
    }

    #[test]
    fn an_approval_over_an_open_criterion_is_overruled() {
        let holds = verdict("a", Finding::Holds);
        let unproved = Verdict { evidence: Vec::new(), ..verdict("b", Finding::Holds) };
        let wordless = Verdict { method: " ".to_owned(), ..verdict("b", Finding::Holds) };
        for (second, why) in [
            (Some(verdict("b", Finding::DoesNotHold)), "b is rejected"),
            (Some(verdict("b", Finding::NotShown)), "b is not shown"),
            (Some(unproved), "b is not shown"),
            (Some(wordless), "b is not shown"),
            (None, "b was not promised as complete"),
        ] {
            let verdicts: Vec<_> = std::iter::once(holds.clone()).chain(second).collect();
            let decided = decision(&two(), &verdicts, Some(Decision::Approve), &[]);
            assert_eq!(decided.decision, Decision::Feedback);
            assert_eq!(decided.overruled.as_deref(), Some(why));
        }
    }

    #[test]
    fn what_was_settled_before_stays_settled_until_it_is_rejected() {
        let mut criteria = two();
        criteria[0].state = CriterionState::Waived { by: "user".to_owned(), why: "w".to_owned() };
        criteria[1].state = CriterionState::Verified {
            claimed_by: None,
            verified_by: Vec::new(),
            method: "m".to_owned(),
            commit: "c".to_owned(),
            proof: Vec::new(),
        };
        let approve = Some(Decision::Approve);
        assert_eq!(decision(&criteria, &[], approve, &[]).decision, Decision::Approve);
        let against = [verdict("a", Finding::DoesNotHold), verdict("b", Finding::DoesNotHold)];
        let decided = decision(&criteria, &against, Some(Decision::Approve), &[]);
        assert_eq!(decided.against, ["b is rejected"]);
    }
}
