//! The stop hook, without input or output: an agent that hosts roles wants to stop; may it?
//!
//! It is held while the mission goes on and it is its turn or others check its work, and let go when the
//! mission is done, blocked, paused or waits for the user. A hook cannot end a mission: if a host lets its
//! agent go against this answer, the mission simply is not done.
//!
//! Holding is bounded twice: every hosted run spends from the budget, and an agent that was held several
//! times in a row without anything happening in the mission is let go with that as the reason.

use super::turn::{Given, Turn, turn};
use crate::engine::Engine;
use crate::vocab::error::clip;
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::text::{one_line, printable};
use crate::vocab::time::Millis;
use serde_json::{Value, json};

/// An agent wants to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable)]
#[serde(deny_unknown_fields)]
pub struct Stopping {
    /// It was sent out by the agent that hosts.
    pub subagent: bool,
    /// Whether a driver is alive; asked for only where others are at work.
    pub driven: bool,
    /// How often in a row an agent is held without anything happening.
    pub patience: u32,
    /// What the hook has done so far.
    #[serde(default)]
    pub count: Count,
    /// Milliseconds since 1970.
    pub at: Millis,
}

/// What the hook has done so far in this mission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable)]
pub struct Count {
    /// The last event of the mission when an agent was last held.
    pub seq: u64,
    /// How often in a row it was held at this event.
    pub held: u32,
    /// When the hook was last heard of, in milliseconds since 1970.
    pub heard_at: u64,
    /// How often an agent was held in all.
    pub holds: u64,
}

/// What the hook answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The agent may stop; with something the user should hear.
    Go(Option<String>),
    /// The agent is held; this is what it hears.
    Hold(String),
}

impl Verdict {
    /// The answer as hosts of agents read it. Nothing to say is said by saying nothing.
    pub fn json(&self) -> Option<Value> {
        match self {
            Verdict::Go(None) => None,
            Verdict::Go(Some(note)) => Some(json!({"systemMessage": note})),
            Verdict::Hold(reason) => Some(json!({"decision": "block", "reason": reason})),
        }
    }

    /// The answer where what was decided cannot be kept: what cannot be counted cannot be bounded.
    pub fn uncounted(self, why: &str) -> Verdict {
        match self {
            Verdict::Hold(_) => {
                go(format!("the agent was let go, the hook cannot count: {}", one_line(why)))
            }
            go @ Verdict::Go(_) => go,
        }
    }

    /// The answer where the mission cannot be read.
    pub fn unreadable(why: &str) -> Verdict {
        go(format!("the mission cannot be read: {}", one_line(why)))
    }
}

fn go(note: String) -> Verdict {
    Verdict::Go(Some(format!("endstate: {note}")))
}

/// Whether others are at work: then a driver is looked for, and waited for a little, before the agent is told.
pub fn others(engine: &Engine) -> bool {
    matches!(turn(engine), Turn::Wait(_))
}

/// May the agent stop? Answers with what is to be kept for the next time, too.
pub fn may_stop(engine: &Engine, ask: &Stopping) -> (Verdict, Count) {
    let heard = Count { heard_at: ask.at, ..ask.count };
    match turn(engine) {
        Turn::Run(given) => hold(engine, ask, yours(&given)),
        // Whoever was sent by the agent need not wait for others.
        Turn::Wait(_) if ask.subagent => (Verdict::Go(None), heard),
        Turn::Wait(_) if !ask.driven => {
            let note =
                "nobody drives the mission, so the agent was let go; the mission is not done";
            (go(note.to_owned()), heard)
        }
        Turn::Wait(others) => {
            let others = clip(&one_line(&printable(&others.join("; "))), 500);
            let words = format!(
                "The mission is not done: others check your work ({others}). Change nothing; call the \
                 endstate tool `next`, which waits for them."
            );
            hold(engine, ask, words)
        }
        Turn::Ask(_) | Turn::Held | Turn::Paused | Turn::Blocked | Turn::Done(_) => {
            (Verdict::Go(None), heard)
        }
    }
}

fn yours(given: &Given) -> String {
    let item = given.item.as_deref().map(|item| format!(" of {}", one_line(item)));
    format!(
        "The mission is not done: run {} ({}{}) is yours. Call the endstate tool `next` and do what it says, \
         then `report`. Saying that it is done ends nothing; the mission ends when `next` says so.",
        given.run,
        given.role,
        item.unwrap_or_default()
    )
}

/// Holds the agent, unless nothing has come of it for too long.
fn hold(engine: &Engine, ask: &Stopping, words: String) -> (Verdict, Count) {
    let Count { seq: before, held, holds, .. } = ask.count;
    let seq = engine.snapshot().head.seq;
    let held = if holds > 0 && before == seq { held.saturating_add(1) } else { 1 };
    if held > ask.patience {
        let note = format!(
            "the agent was held {} times in a row and nothing happened, so it was let go; the mission is not \
             done",
            ask.patience
        );
        return (go(note), Count { seq, held: 0, heard_at: ask.at, holds });
    }
    (Verdict::Hold(words), Count { seq, held, heard_at: ask.at, holds: holds.saturating_add(1) })
}
