//! Vote: one proposes, three vote, and two that accept it end the mission. What a protocol takes, and no more.

pub mod decide;
pub mod report;
mod role;
#[cfg(test)]
mod tests;

use crate::mission::dispatch::Dispatch;
use crate::mission::life::{self, Life, Particular, Run, Understood};
use crate::mission::role::{Cast, Roles};
use crate::mission::template::{fields, render};
use crate::mission::{Context, Head, Protocol, moves, picture, table};
use crate::view::{Node, NodeState, Progress, View};
use crate::vocab::effect::Order;
use crate::vocab::error::{Code, Error, Result, ensure};
use crate::vocab::json::{self, Readable, Serialize};
use crate::vocab::on_write::OnWrite;
use crate::vocab::repository::Repository;
use crate::vocab::table::Ledgered;
use report::{Proposal, Vote};
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// How many of three decide.
const ENOUGH: usize = 2;

/// What a mission is started with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "VoteConfig")]
pub struct Config {
    /// The mission anchor: what is to be answered.
    pub mission: String,
}

impl Roles for Config {}

/// The state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "VoteState")]
pub struct State {
    core: OnWrite<Core>,
    touches: Ledgered,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "VoteCore")]
struct Core {
    life: Life,
    settings: Config,
    proposal: Option<String>,
    votes: BTreeMap<String, Vote>,
    against: Option<String>,
    facts: table::FactTable<decide::FactName>,
}

/// The state a config begins with.
///
/// # Errors
/// `missing_field` without a question.
pub fn start(config: &Config) -> Result<State> {
    if config.mission.trim().is_empty() {
        return Err(Error::new(Code::MissingField, "mission.settings", "words", "blank text"));
    }
    let core = Core { settings: config.clone(), ..Core::default() };
    Ok(State { core: core.into(), touches: Ledgered::default() })
}

impl Protocol for State {
    moves::kept_aside!(touches);
    moves::same_moves!();

    /// When nobody votes any more, two decide; a proposal that is turned down is followed by another.
    fn settle(&mut self, head: &Head) {
        let core = &mut self.core;
        let (yes, no): (Vec<&Vote>, Vec<&Vote>) = core.votes.values().partition(|one| one.accept);
        let voted = !head.awaits(|order| matches!(order, Order::SpawnRole(_)));
        if voted && no.len() >= ENOUGH {
            core.against =
                Some(no.iter().map(|one| one.why.as_str()).collect::<Vec<_>>().join("; "));
            core.proposal = None;
            core.votes.clear();
            // Nobody corrects a report on the old one.
            role::VOTERS.iter().for_each(|cast| core.life.step_done(cast.name));
        } else if voted && yes.len() >= ENOUGH && core.life.at_rest() {
            core.life.end(Vec::new(), Vec::new());
        }
        table::note_all::<_, decide::FactName>(self, head);
    }

    fn expected_runs(&self) -> usize {
        1 + role::VOTERS.len()
    }
}

impl Particular for State {
    life::lives!(attempts: |_: &State| 3, touched: touches);

    /// Each role is a step of its own.
    fn step(&self, role: &str, _: &str) -> String {
        role.to_owned()
    }

    fn understand(&self, role: &str, _: &str, text: &str) -> Result<Understood> {
        Ok(match role == role::PROPOSER.name {
            true => Understood::of(life::read(self, text, json::decode::<Proposal>)?),
            false => Understood::of(life::read(self, text, json::decode::<Vote>)?),
        })
    }

    fn judge(
        &mut self,
        _: &mut Context<'_>,
        run: &Run,
        report: &Understood,
        _: &Repository,
    ) -> Result<()> {
        if run.role == role::PROPOSER.name {
            self.core.proposal = Some(report.get::<Proposal>()?.proposal.clone());
        } else {
            self.core.votes.insert(run.role.clone(), report.get::<Vote>()?.clone());
        }
        Ok(())
    }
}

impl State {
    fn accepted(&self) -> usize {
        self.core.votes.values().filter(|vote| vote.accept).count()
    }

    fn prompt(&self, cast: &Cast) -> String {
        let told = fields! {
            anchor: self.anchor(),
            role: cast.name,
            proposal: self.core.proposal.as_ref().map(|text| fields! { text: text }),
            against: self.core.against.as_ref().map(|why| fields! { why: why }),
        };
        let example = match self.core.proposal {
            None => r#"{"proposal": "…"}"#,
            Some(_) => r#"{"accept": true, "why": "…"}"#,
        };
        render(include_str!("prompts/vote.md"), &told) + &life::form(self, cast, "", "", example)
    }
}

mod check {
    use super::*;

    pub(super) fn check(state: &State, _: &Head, _: bool) -> Result<()> {
        let shown = state.core.life.done.is_none() || state.accepted() >= ENOUGH;
        ensure(shown, || Error::new(Code::BrokenStop, "core.done", "two that accept", "fewer"))
    }
}

/// The picture: one node.
mod explain {
    use super::*;

    pub(super) fn view(state: &State, head: &Head) -> View {
        let over = state.core.life.done.is_some();
        let node = Node {
            id: "proposal".to_owned(),
            label: state.core.proposal.clone().unwrap_or_default(),
            status: format!("{} of {} accept", state.accepted(), role::VOTERS.len()),
            state: if over { NodeState::Done } else { NodeState::Active },
            lane: 0,
            progress: Progress { settled: u64::from(over), total: 1 },
            criteria: Vec::new(),
        };
        let action = state.next_action(head);
        let drawing = picture::Drawing {
            phase: action.to_lowercase(),
            reason: node.status.clone(),
            nodes: vec![node],
            lanes: picture::wave_lanes(1),
            ..picture::Drawing::default()
        };
        picture::view(state, head, drawing)
    }
}
