//! What only a completion mission has to tell: claims, reviews, judgements, re-grounds.

use super::{short, word};
use endstate::Engine;
use endstate::protocols::Mission;
use endstate::protocols::completion::state::State;
use endstate::vocab::error::clip;
use endstate::vocab::ledger::Judgement;

/// What is compared; empty for other protocols.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Details {
    adopted_edits: u64,
    rejected_edits: u64,
    judgements: usize,
    judges: u32,
    claim: Option<(String, String)>,
    review: Option<(String, bool)>,
    audit: Option<(String, bool)>,
    must_fix: Option<(String, Vec<String>)>,
    reground: Option<String>,
    grounds: Vec<String>,
    verified_at: Option<String>,
}

impl Details {
    pub(super) fn of(engine: &Engine) -> Details {
        match &engine.snapshot().mission {
            Mission::Completion(state) => Details::of_state(state),
            #[allow(unreachable_patterns)]
            _ => Details::default(),
        }
    }

    fn of_state(state: &State) -> Details {
        let core = &state.core;
        let active = core.active.as_ref();
        let acceptable = |one: &Judgement| (one.by.run.to_string(), one.must_fix.is_empty());
        let open = active.filter(|active| active.claim.is_none() && !active.must_fix.is_empty());
        Details {
            adopted_edits: core.counts.adopted_edits,
            rejected_edits: core.counts.rejected_edits,
            judgements: core.wave.judgements.len(),
            judges: core.profile.required_stop_judges,
            claim: active.and_then(|active| {
                active.claim.as_ref().map(|one| (active.slice_id.clone(), one.commit.clone()))
            }),
            review: active.and_then(|active| active.review.as_ref()).map(acceptable),
            audit: active.and_then(|active| active.audit.as_ref()).map(acceptable),
            must_fix: open.map(|active| (active.slice_id.clone(), active.must_fix.clone())),
            reground: core.reground.as_ref().map(|one| word(&one.reason)),
            grounds: core.reground.as_ref().map(|one| one.details.clone()).unwrap_or_default(),
            verified_at: core.wave.verified_at.clone(),
        }
    }

    pub(super) fn changes(&self, now: &Details) -> Vec<String> {
        let mut lines = Vec::new();
        if now.adopted_edits > self.adopted_edits {
            lines.push("a hand edit was adopted".to_owned());
        }
        if now.rejected_edits > self.rejected_edits {
            lines.push("a hand edit was kept aside in .agent/tmp/".to_owned());
        }
        if let Some((id, commit)) = now.claim.as_ref().filter(|_| now.claim != self.claim) {
            lines.push(format!("{id} is claimed, with evidence, at {}", short(commit)));
        }
        for (what, was, is) in
            [("review", &self.review, &now.review), ("audit", &self.audit, &now.audit)]
        {
            if let Some((run, fine)) = is.as_ref().filter(|_| was != is) {
                let word = if *fine { "holds" } else { "does not hold" };
                lines.push(format!("the {what} (run {run}) finds that the slice {word}"));
            }
        }
        if now.judgements > self.judgements {
            lines.push(format!("a stop judge says yes ({} of {})", now.judgements, now.judges));
        }
        if let Some((id, findings)) =
            now.must_fix.as_ref().filter(|_| now.must_fix != self.must_fix)
        {
            let findings = clip(&findings.join("; "), 400);
            lines.push(format!("{id} is reopened; to be fixed: {findings}"));
        }
        if let Some(reason) = now.reground.as_ref().filter(|_| now.reground != self.reground) {
            let grounds = now.grounds.iter().take(3).cloned().collect::<Vec<_>>().join("; ");
            let grounds = clip(&grounds, 400);
            lines.push(format!("the plan must be grounded anew ({reason}): {grounds}"));
        }
        if now.verified_at.is_some() && now.verified_at != self.verified_at {
            lines.push("the stop verifier holds at this head".to_owned());
        }
        lines
    }
}
