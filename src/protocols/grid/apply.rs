//! Fact → state, as far as it is particular: what runs, reports, entries of the scratchpad and documents change.
//! Everything else is [`crate::mission::life`].
//!
//! Runs of a wave are at work side by side, so what they left is weighed together before any of them is judged.

use super::report::{Read, extra};
use super::role::Role;
use super::state::{BlockStatus, State, Writing};
use super::{answers, artifact, ask, commands, failures, files, memory, observe, report};
use super::{run_result, signs, unattributed, user_words};
use crate::mission::citation::Cited;
use crate::mission::life::{self, Ended, JudgedBy, Said, Topic, Understood, Unsaid};
use crate::mission::prelude::*;
use crate::mission::role;
use crate::vocab::effect::Observe;
use crate::vocab::event::{Fact, RunEnded};
use crate::vocab::question::Answer;

impl Particular for State {
    life::lives!(attempts: |of: &State| of.core.settings.attempts_per_step);
    life::conversation!(plan: commands, deferred: answers);

    fn step(&self, role: &str, item: &str) -> String {
        match item.is_empty() {
            true => role.to_owned(),
            false => format!("{role}:{item}"),
        }
    }

    fn understand(&self, role: &str, _: &str, text: &str) -> Result<Understood> {
        let known = role::known::<State, _>(Role::parse(role), role)?;
        let read = report::read(known, self.anchor(), text)?;
        let line = |name: &String| match extra::is_kept(known, name) {
            true => format!("unknown field `{name}` was kept as words beside the form"),
            false => format!("unknown field `{name}` was ignored"),
        };
        let notes: Vec<String> = read.1.iter().map(line).collect();
        Ok(Understood::of(read).noting(notes))
    }

    fn said(&self, run: &Run, fact: &RunEnded) -> Result<Said, Unsaid> {
        run_result::said(self, run, fact)
    }

    fn started(&mut self, context: &Context<'_>, run: &Run) {
        if run.access != Access::Write {
            return;
        }
        let (at, session) = (context.head.at, run.by.session.clone());
        self.blocks.change(&run.item, |block| {
            block.status = BlockStatus::Active;
            block.sessions.extend(session);
            block.reopened = false;
            block.asked.clear();
            block.writing = Some(Writing { at, entries: 0, noticed: false });
        });
        self.touch_programs();
        self.touch_state();
    }

    fn heard(
        &mut self,
        _: &Context<'_>,
        run: &Run,
        fact: &RunEnded,
        said: Result<&Said, &Error>,
    ) -> JudgedBy {
        run_result::heard(self, run, fact, said)
    }

    fn see(&mut self, _: &Context<'_>, repository: &Repository) {
        observe::see(self, repository);
    }

    fn is_own(&self, path: &str) -> bool {
        path.starts_with(files::DIRECTORY)
    }

    fn found(&mut self, _: &Context<'_>, repository: &Repository) -> Vec<String> {
        observe::found(self, repository)
    }

    fn weigh(&mut self, _: &Context<'_>, ended: &mut Vec<Ended>, repository: &Repository) {
        observe::weigh(self, ended, repository);
    }

    fn cited(&self, _: &Run, report: &Understood) -> Cited {
        let cited = report.get::<Read>().map(|(report, _)| Cited::of(report.evidence()));
        let plans = self.blocks.iter().filter_map(|block| block.plan.path.as_ref());
        cited.unwrap_or_default().without(plans)
    }

    fn judge(
        &mut self,
        context: &mut Context<'_>,
        run: &Run,
        report: &Understood,
        repository: &Repository,
    ) -> Result<()> {
        let (report, _) = report.get::<Read>()?;
        observe::judge(self, context.head.at, run, report.clone(), repository)
    }

    fn judged(&mut self, _: &Context<'_>) {
        self.core.others.clear();
        if self.core.life.at_rest() {
            unattributed::tell(self);
        }
    }

    /// An execution that came to nothing is a failure of its block.
    fn fail_step(&mut self, _: &Context<'_>, role: &str, item: &str, problem: Diagnostic) {
        if Role::parse(role) == Some(Role::Executor) {
            return failures::without_report(self, item, problem);
        }
        let (step, most) = (self.step(role, item), self.most_attempts());
        self.core.life.failed(step, most, role, item, problem);
    }

    fn fired(&mut self, context: &mut Context<'_>, _: &str) -> Result<()> {
        signs::tell_silence(self, context.head.at);
        Ok(())
    }

    fn told(&mut self, topic: &Topic, answer: &Answer) -> Result<()> {
        user_words::told(self, topic, answer)
    }

    fn taken(&mut self, context: &mut Context<'_>, fact: &Fact) {
        let order = context.subject.as_ref().map(|subject| &subject.effect.order);
        match (fact, order) {
            (Fact::RunProgressed(fact), _) => signs::heard(self, context.head.at, fact),
            (Fact::RunEnded(_), _) => {
                run_result::goes_on(self);
                if signs::next_notice(self).is_none() {
                    context.head.withdraw(|order| matches!(order, Order::SetTimer(_)));
                }
            }
            (Fact::RepositoryObserved(_), _) => run_result::goes_on(self),
            (
                Fact::DocumentsObserved(fact),
                Some(Order::Observe(Observe::Documents { paths, tracked })),
            ) => match self.core.learnings {
                _ if *tracked => artifact::observed(self, &fact.documents),
                None if paths.iter().any(|path| path == files::LEARNINGS) => {
                    memory::observed(self, &fact.documents);
                }
                // Files of ours that somebody else wrote to.
                _ => {}
            },
            (Fact::QuestionAnswered(_), _) => self.come_meanwhile(),
            _ => {}
        }
    }
}

impl State {
    /// Commits that came while a person was asked came while no run was at work: the host looks at them before the next
    /// run.
    pub(super) fn come_meanwhile(&mut self) {
        if self.core.life.runs.is_empty() {
            self.core.life.stale();
        }
    }
}
