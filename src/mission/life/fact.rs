//! Fact → state: where each fact goes. Nothing is ordered here.

use super::{Particular, command, look, run, topic};
use crate::mission::Context;
use crate::mission::admission::{foreign, subject};
use crate::mission::ask::undone;
use crate::mission::files::is_file_work;
use crate::vocab::effect::Order;
use crate::vocab::error::Result;
use crate::vocab::event::{EffectFailed, EffectPerformed, Fact, Outcome};

/// The move `apply`.
pub(crate) fn apply(
    mission: &mut dyn Particular,
    context: &mut Context<'_>,
    fact: &Fact,
) -> Result<()> {
    place(mission, context, fact)?;
    mission.taken(context, fact);
    Ok(())
}

fn place(mission: &mut dyn Particular, context: &mut Context<'_>, fact: &Fact) -> Result<()> {
    let answered = context.subject.clone();
    let order = answered.as_ref().map(|one| &one.effect.order);
    match (fact, order) {
        (Fact::UserCommanded(fact), _) => command::commanded(mission, context, &fact.command),
        (Fact::RunStarted(fact), _) => run::started(mission, context, fact),
        // A sign of life alone writes nothing.
        (Fact::RunProgressed(fact), _) if fact.sessions().next().is_none() => Ok(()),
        (Fact::RunProgressed(fact), _) => {
            mission.life_mut().progressed(fact);
            Ok(())
        }
        (Fact::RunEnded(fact), _) => run::ended(mission, context, fact),
        (Fact::CommandExited(fact), Some(Order::RunCommand(command))) => {
            mission.exited(context, command, fact)
        }
        (Fact::TimerFired(_), Some(Order::SetTimer(timer))) => mission.fired(context, &timer.name),
        (Fact::RepositoryObserved(fact), _) => {
            look::observed(mission, context, &fact.repository);
            Ok(())
        }
        (Fact::DocumentsObserved(fact), _) => {
            mission.life_mut().files.observed(&fact.documents);
            Ok(())
        }
        (Fact::QuestionAnswered(fact), _) => topic::answered(mission, context, &fact.answer),
        (Fact::Consulted(fact), _) => mission.consulted(context, fact),
        (Fact::EffectPerformed(fact), _) => performed(mission, context, fact),
        (Fact::EffectFailed(fact), _) => failed(mission, context, fact),
        (Fact::HostRecovered(_), _) => {
            // Whatever the host recovered from, the tree may have changed unseen: look again. Roles that were ordered
            // but never started are withdrawn and decided anew after the look.
            context.head.withdraw(|order| matches!(order, Order::SpawnRole(_)));
            mission.life_mut().stale();
            Ok(())
        }
        (Fact::CommandExited(_) | Fact::TimerFired(_), _) => {
            Err(foreign(mission.name(), fact.name()))
        }
    }
}

fn performed(
    mission: &mut dyn Particular,
    context: &Context<'_>,
    fact: &EffectPerformed,
) -> Result<()> {
    match (subject(context)?, &fact.outcome) {
        (Order::StopRole(stop), _) => mission.life_mut().told_to_end(stop.run),
        (Order::CommitFiles(order), Outcome::Commit { head, files }) => {
            mission.life_mut().stale();
            mission.committed(order, head, files);
        }
        (order, outcome) => mission.life_mut().files.performed(order, outcome)?,
    }
    Ok(())
}

fn failed(
    mission: &mut dyn Particular,
    context: &mut Context<'_>,
    fact: &EffectFailed,
) -> Result<()> {
    let problem = fact.problem.clone();
    let order = &subject(context)?.clone();
    let what = match order {
        Order::SpawnRole(spawn) => {
            mission.life_mut().counts.failed_runs += 1;
            let item = spawn.item.as_deref().unwrap_or_default();
            mission.fail_step(context, &spawn.role, item, problem);
            return Ok(());
        }
        // It is not told twice: who cannot be stopped ends by its own limits.
        Order::StopRole(stop) => {
            mission.life_mut().told_to_end(stop.run);
            return Ok(());
        }
        order if is_file_work(order) && mission.life_mut().files.failed(order, &problem) => {
            let life = mission.life_mut();
            if let Order::WriteFile(write) = order {
                life.found_touched(std::slice::from_ref(&write.path));
            }
            life.last_problem = Some(problem);
            return Ok(());
        }
        order if mission.not_performed(context, order, &problem) => return Ok(()),
        order => undone(order)?,
    };
    mission.life_mut().ask_of_failure(context.head, what, problem);
    Ok(())
}
