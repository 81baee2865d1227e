//! Fact → state, as far as it is particular: what reports, looks, the stop verifier and the engine's own commits change.
//! Everything else is [`crate::mission::life`].

use super::files as canonical;
use super::report::{self, Report};
use super::role::Role;
use super::state::{ActiveStatus, RegroundReason, SliceStatus, State};
use super::{accept, answers, ask, commands, edits, observe, plan};
use crate::mission::citation::Cited;
use crate::mission::life::{self, Particular, Run, Understood};
use crate::mission::report::ignored;
use crate::mission::{Context, role};
use crate::vocab::effect::{CommitFiles, RunCommand};
use crate::vocab::error::{Code, Error, Result, clip};
use crate::vocab::event::CommandExited;
use crate::vocab::repository::{PathDigest, Repository};

/// All roles share one step: their failures are counted together.
pub(super) const STEP: &str = "";

impl Particular for State {
    life::lives!(attempts: |of: &State| of.core.settings.attempts_per_step);
    life::conversation!(plan: plan, deferred: plan);

    fn step(&self, _: &str, _: &str) -> String {
        STEP.to_owned()
    }

    fn understand(&self, role: &str, _: &str, text: &str) -> Result<Understood> {
        let known = role::known::<State, _>(Role::parse(role), role)?;
        let (report, unknown) = life::read(self, text, |block| report::read(known, block))?;
        Ok(Understood::of(report).noting(ignored(&unknown)))
    }

    fn started(&mut self, _: &Context<'_>, run: &Run) {
        let chosen = self.core.active.as_ref().map(|one| one.status);
        if Role::parse(&run.role) == Some(Role::Implementer)
            && chosen == Some(ActiveStatus::Selected)
        {
            if let Some(active) = self.core.active.as_mut() {
                active.status = ActiveStatus::InProgress;
            }
            self.slices.change(&run.item, |slice| slice.status = SliceStatus::InProgress);
        }
    }

    fn see(&mut self, _: &Context<'_>, repository: &Repository) {
        observe::look(self, repository);
    }

    /// Before the contract is committed, or when somebody took its lines out of `.gitignore`, nothing hides them.
    fn is_own(&self, path: &str) -> bool {
        canonical::STATE_FILES.contains(&path) || canonical::HISTORIES.contains(&path)
    }

    fn found(&mut self, context: &Context<'_>, repository: &Repository) -> Vec<String> {
        edits::files_seen(self, context.head, &repository.files)
    }

    /// The contract files are there, as they are in this commit.
    fn committed(&mut self, order: &CommitFiles, head: &str, files: &[PathDigest]) {
        // If nothing is claimed yet, the engine's own commit is the new basis of the work.
        let basis = order.expected_head.as_deref().unwrap_or("none");
        let unclaimed = self.core.active.as_mut().filter(|active| active.claim.is_none());
        if let Some(active) = unclaimed.filter(|active| active.basis_commit == basis) {
            active.basis_commit = head.to_owned();
        }
        let core = &mut *self.core;
        let contract = &mut core.contract;
        for PathDigest { path, digest } in files {
            match path.as_str() {
                canonical::GITIGNORE => {
                    contract.gitignore = canonical::gitignore::merge_gitignore(&contract.gitignore);
                }
                canonical::STOP_SCRIPT => contract.stop_script = Some(digest.clone()),
                _ => {}
            }
            core.life.files.at(path).digest = Some(digest.clone());
        }
        contract.needs.clear();
        contract.known = false;
        contract.commits.push(head.to_owned());
    }

    fn cited(&self, _: &Run, report: &Understood) -> Cited {
        report.get::<Report>().map(|read| Cited::of(read.evidence())).unwrap_or_default()
    }

    fn judge(
        &mut self,
        context: &mut Context<'_>,
        run: &Run,
        report: &Understood,
        repository: &Repository,
    ) -> Result<()> {
        let taken = accept::tentatively(self, context.head, run, report.get()?, repository);
        self.core.reopens_spent = matches!(&taken, Err(fault) if fault.code == Code::BudgetSpent);
        match taken {
            // Nothing is wrong with it: it comes again once the user has granted more.
            Err(fault) if fault.code == Code::BudgetSpent => {
                self.core.life.last_problem = Some(fault.diagnostic());
                Ok(())
            }
            taken => taken,
        }
    }

    /// A report that the repository contradicts cannot be corrected by other words.
    fn corrects(&self, _: &Error) -> bool {
        false
    }

    fn judged(&mut self, context: &Context<'_>) {
        observe::distrust_dirt(self, context.head);
    }

    /// The stop verifier's exit status is an observation like any other. Without one nothing is known.
    fn exited(
        &mut self,
        context: &mut Context<'_>,
        _: &RunCommand,
        fact: &CommandExited,
    ) -> Result<()> {
        let life = &mut self.core.life;
        life.stale();
        match fact.status {
            Some(0) => {
                life.step_done(STEP);
                self.core.wave.verified_at =
                    self.core.life.seen.as_ref().and_then(|seen| seen.head.clone());
            }
            Some(status) => {
                let code = Code::CommandFailed;
                let problem =
                    Error::new(code, "stop verifier", "exit status 0", status.to_string());
                life.last_problem = Some(problem.diagnostic());
                let details = vec![format!("exit status {status}"), clip(&fact.output, 2_000)];
                accept::distrust(self, RegroundReason::VerifierFailed, details);
            }
            None => {
                let lost = Error::new(Code::RunLost, "stop verifier", "an exit status", "none");
                let problem = fact.problem.clone().unwrap_or(lost.diagnostic());
                // No role failed: the question names this in the place of one.
                self.fail_step(context, "The present step", "", problem);
            }
        }
        Ok(())
    }
}
