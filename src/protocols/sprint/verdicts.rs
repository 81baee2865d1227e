//! After a verifier: its verdicts are entered, a round is used, and the work is completed, continued or failed.

use super::outcome::{complete, confirm};
use super::report::VerifierReport;
use super::setback::{fail, lost, may_be_lost, not_as_recorded, partial};
use super::state::{Check, Sprint, State};
use super::{baseline, gate};
use crate::mission::prelude::*;
use crate::vocab::ledger::{self, Judgement};

/// A verifier reported: its verdicts are entered, and one round is used.
pub(super) fn verified(
    state: &mut State,
    at: Millis,
    run: &Run,
    report: &VerifierReport,
) -> Result<()> {
    let id = &run.item;
    not_its_own(state, run)?;
    state.core.counts.verified += 1;
    let (by, verdicts) = (run.by.clone(), report.verdicts.clone());
    let must_fix = report.must_fix.clone();
    let commit = state.core.life.head_word().to_owned();
    let judgement = Judgement { by, commit, verdicts, must_fix: must_fix.clone() };
    let ordinal = state.core.life.ordinal();
    state.sprints.change(id, |sprint| enter(sprint, &judgement, ordinal));
    round_over(state, at, id, must_fix);
    Ok(())
}

/// A verifier has shown nothing: that uses one round, unless it was lost.
pub(super) fn no_verdict(state: &mut State, at: Millis, id: &str, problem: &Diagnostic) {
    if problem.code == Code::RunLost && may_be_lost(state, id) {
        return lost(state, at, id, &problem.to_string());
    }
    state.core.counts.verified += 1;
    state.core.life.last_problem = Some(problem.clone());
    round_over(state, at, id, vec![format!("no verdict: {problem}")]);
}

/// A verifier of the agent's session counts for nothing.
fn not_its_own(state: &State, run: &Run) -> Result<()> {
    let claimed = |one: &Criterion| match &one.state {
        CriterionState::Claimed { by: claimant, .. } => claimant.same_as(&run.by),
        _ => false,
    };
    let own = state.sprints.get(&run.item).is_some_and(|one| one.criteria.iter().any(claimed));
    ensure(!own, || {
        let got = format!("run {} judging its own claim", run.by.run);
        Error::new(Code::OwnVerdict, &run.item, "a run of another session", got)
    })
}

fn enter(sprint: &mut Sprint, judgement: &Judgement, ordinal: u64) {
    let ids = sprint.left_to(Check::Verifier).map(|one| one.id.clone());
    let ids: Vec<String> = ids.collect();
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
        round = sprint.rounds;
    });
    state.core.life.step_done(id);
    let Some(sprint) = state.sprints.get(id) else { return };
    let told = |one: &Criterion| match &one.state {
        CriterionState::Rejected { why, .. } => format!("{}: {why}", one.id),
        _ => format!("{}: not shown", one.id),
    };
    let open = sprint.left_to(Check::Verifier).filter(|one| !one.settled());
    let open: Vec<String> = open.map(told).chain(must_fix).collect();
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
    let hands = sprint.open_to(Check::Person);
    match hands.is_empty() {
        true => complete(state, at, id),
        false => confirm(state, at, id, hands, Vec::new()),
    }
}
