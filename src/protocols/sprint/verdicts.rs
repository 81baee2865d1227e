//! After a verifier: its verdicts are entered, a round is used, and the work is completed, continued or failed.

use super::outcome::{complete, confirm};
use super::report::VerifierReport;
use super::setback::{fail, not_as_recorded, partial};
use super::state::{Check, Ended, Sprint, State};
use super::{baseline, gate};
use crate::vocab::criterion::CriterionState;
use crate::vocab::error::{Code, Diagnostic, Error};
use crate::vocab::evidence::{Evidence, Finding};
use crate::vocab::ledger::{self, Judgement};
use crate::vocab::time::Millis;

/// A verifier ended: its verdicts are entered, and one round is used.
pub(super) fn verified(
    state: &mut State,
    at: Millis,
    ended: &Ended,
    said: Result<&VerifierReport, Diagnostic>,
) {
    let id = ended.run.sprint.clone();
    state.core.counts.verified += 1;
    let commit = state.core.seen.as_ref().map_or("none", |seen| seen.head_word()).to_owned();
    let said = said.and_then(|report| match own(state, &id, ended) {
        Some(problem) => Err(problem),
        None => Ok(report),
    });
    let by = ended.run.by.clone();
    let must_fix = match said {
        Ok(report) => {
            let (verdicts, must_fix) = (report.verdicts.clone(), report.must_fix.clone());
            let judgement = Judgement { by, commit, verdicts, must_fix: must_fix.clone() };
            let ordinal = state.core.seen.as_ref().map_or(0, |seen| seen.ordinal);
            state.sprints.change(&id, |sprint| enter(sprint, &judgement, ordinal));
            must_fix
        }
        Err(problem) => {
            state.core.last_problem = Some(problem.clone());
            vec![format!("no verdict: {problem}")]
        }
    };
    round_over(state, at, &id, must_fix);
}

/// A verifier of the agent's session counts for nothing.
fn own(state: &State, id: &str, ended: &Ended) -> Option<Diagnostic> {
    let by = &ended.run.by;
    let claimed = |one: &crate::vocab::criterion::Criterion| match &one.state {
        CriterionState::Claimed { by: claimant, .. } => claimant.same_as(by),
        _ => false,
    };
    let own = state.sprints.get(id).is_some_and(|sprint| sprint.criteria.iter().any(claimed));
    own.then(|| {
        let got = format!("run {} judging its own claim", by.run);
        Error::new(Code::OwnVerdict, id, "a run of another session", got).diagnostic()
    })
}

fn enter(sprint: &mut Sprint, judgement: &Judgement, ordinal: u64) {
    let ids: Vec<String> = sprint
        .criteria
        .iter()
        .zip(&sprint.checks)
        .filter(|(one, check)| **check == Check::Verifier && !one.waived())
        .map(|(one, _)| one.id.clone())
        .collect();
    for id in ids {
        let verdict = judgement.verdicts.iter().find(|one| one.criterion == id);
        let method = verdict.map(|one| one.method.trim()).unwrap_or_default();
        let worded = !method.is_empty();
        match ledger::finding(judgement, &id) {
            Finding::Holds if worded => {
                let brought = verdict.map(|one| one.evidence.as_slice()).unwrap_or_default();
                let known = sprint.criteria.iter().find(|one| one.id == id);
                let grounds = known
                    .map(|one| baseline::of(&one.state, brought, ordinal, sprint.grounds.get(&id)));
                sprint.grounds.extend(grounds.map(|grounds| (id.clone(), grounds)));
                gate::shown(sprint, &id, judgement.by.run, method, &judgement.commit);
            }
            Finding::DoesNotHold => {
                let proof = verdict.map(|one| one.evidence.iter().map(Evidence::line).collect());
                let proof: Vec<String> = proof.unwrap_or_default();
                let why = format!("{method} {}", proof.join("; ")).trim().to_owned();
                set(sprint, &id, CriterionState::Rejected { run: judgement.by.run, why });
            }
            // What is not shown again is open again.
            Finding::Holds | Finding::NotShown if sprint.again => {
                set(sprint, &id, CriterionState::Open);
            }
            Finding::Holds | Finding::NotShown => {}
        }
    }
}

fn set(sprint: &mut Sprint, id: &str, to: CriterionState) {
    if let Some(one) = sprint.criteria.iter_mut().find(|one| one.id == id) {
        one.state = to;
    }
}

/// A round is over: everything is shown, or the agent is told what is not, or the attempt failed.
fn round_over(state: &mut State, at: Millis, id: &str, must_fix: Vec<String>) {
    let most = state.core.settings.max_verifier_rounds;
    let mut round = 0;
    state.sprints.change(id, |sprint| {
        sprint.rounds += 1;
        sprint.correction = None;
        round = sprint.rounds;
    });
    let Some(sprint) = state.sprints.get(id) else { return };
    let open: Vec<String> = sprint
        .criteria
        .iter()
        .zip(&sprint.checks)
        .filter(|(one, check)| **check == Check::Verifier && !one.settled())
        .map(|(one, _)| match &one.state {
            CriterionState::Rejected { why, .. } => format!("{}: {why}", one.id),
            _ => format!("{}: not shown", one.id),
        })
        .chain(must_fix)
        .collect();
    let (adopted, again) = (sprint.adopted, sprint.again);
    if open.is_empty() {
        state.log(at, id, &format!("Verifier PASS, round {round}/{most}"), "");
        return after_verifier(state, at, id);
    }
    let why = format!("verifier FAIL, round {round}/{most}: {}", open.join("; "));
    if adopted {
        return not_as_recorded(state, at, id, &why);
    }
    // The claimant is whoever did the work, in its session if it still has one.
    let continues = state.sprints.get(id).and_then(|sprint| sprint.last_run);
    if round < most && !again {
        return partial(state, at, id, &why, open, continues);
    }
    let problem = Error::new(Code::NotVerified, id, "every criterion shown", &why).diagnostic();
    fail(state, at, id, &problem, open);
}

/// What is left after a verifier is the user's.
fn after_verifier(state: &mut State, at: Millis, id: &str) {
    let Some(sprint) = state.sprints.get(id) else { return };
    let hands: Vec<String> = sprint
        .criteria
        .iter()
        .zip(&sprint.checks)
        .filter(|(one, check)| **check == Check::Person && !one.settled())
        .map(|(one, _)| one.id.clone())
        .collect();
    match hands.is_empty() {
        true => complete(state, at, id),
        false => confirm(state, at, id, hands, Vec::new()),
    }
}

/// A verifier that could not be sent has shown nothing.
pub(super) fn not_verified(state: &mut State, at: Millis, id: &str, problem: &Diagnostic) {
    state.core.counts.verified += 1;
    state.core.last_problem = Some(problem.clone());
    round_over(state, at, id, vec![format!("no verdict: {problem}")]);
}
