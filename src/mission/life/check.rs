//! What must never be in any life.

use super::{Particular, Topic};
use crate::mission::Head;
use crate::mission::check::spawns;
use crate::vocab::error::{Code, Error, Result, ensure, ensure_none};
use crate::vocab::event::EffectId;
use std::collections::BTreeSet;

/// Over what is bounded by live work.
pub(crate) fn check(mission: &dyn Particular, head: &Head) -> Result<()> {
    never_loses_a_run(mission, head)?;
    never_asks_what_it_cannot_say(mission)
}

/// The runs on record are those that are alive.
fn never_loses_a_run(mission: &dyn Particular, head: &Head) -> Result<()> {
    let live = spawns(head).filter(|(_, one)| one.live()).map(|(_, one)| one.effect.id);
    let live: BTreeSet<EffectId> = live.collect();
    let known: BTreeSet<EffectId> = mission.life().runs.iter().map(|run| run.by.run).collect();
    ensure(live == known && known.len() == mission.life().runs.len(), || {
        let (expected, got) = (format!("runs {live:?}"), format!("{known:?} on record"));
        Error::new(Code::BrokenTopology, "head.outbox", expected, got)
    })
}

/// Every topic of the protocol's own has a question.
fn never_asks_what_it_cannot_say(mission: &dyn Particular) -> Result<()> {
    let own = |topic: &&Topic| matches!(topic, Topic::Own { .. });
    let mut own = mission.life().asking.iter().filter(own);
    ensure_none(own.find(|topic| mission.question(topic).is_none()), |topic| {
        let got = crate::vocab::json::encode(topic);
        Error::new(Code::BrokenTopology, "core.life.asking", "a topic of this protocol", got)
    })
}
