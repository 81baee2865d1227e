//! The proof of an end: what rests on commands is run once more where nothing is but the commit.
//!
//! Commands that were declared before the work decide, and only the engine runs them. While the work goes on they run in the
//! worktree, where much may lie that no clone has. When a mission has come to its end, each of them is run three times more, in rooms
//! made from nothing (see [`crate::vocab::effect::Room`]): once of the commit that the work began at ([`baseline`]), then twice of the
//! work, with the files it runs as they were when it began ([`decider`]). A test that was run before must pass. What this
//! shows changes nothing of the mission: it says what its end rests on ([`basis`]). What holds only with its check as the work changed
//! it is judged by another run ([`review`]). Where only words show a criterion the user is asked before the work ([`proposal`]).

mod baseline;
mod basis;
mod consult;
mod decider;
mod proposal;
mod report;
mod rerun;
mod review;
mod runner;
mod trial;

pub use baseline::{Baseline, BaselineResult, Tested};
pub use consult::Consult;
pub use proposal::{Asked, Proposal, ProposalReport, ProposedCommand, SCHEMA as CHECK_PROPOSAL};
pub use report::read_tests;
pub use rerun::Rerun;
pub use review::{
    CheckFinding, CheckJudgement, CheckReport, CheckVerdict, Review, SCHEMA as CHECK_REPORT,
};
pub use trial::{Deciding, Outcome, Trial};

use crate::vocab::json::{Readable, Serialize};
pub(crate) use basis::{Basis, Showing, Showings, by_runs, judged, shown};
pub(crate) use proposal::{accepts_judges, asks, hold, showings, told};

use super::life::Life;
use super::{Head, Intent, Protocol, expectation};
use crate::vocab::budget::Counter;
use crate::vocab::command::{Accept, Command};
use crate::vocab::effect::{Order, Outstanding, RunCommand};
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::event::{CommandExited, EffectFailed, Fact};
use crate::vocab::repository::PathDigest;
use crate::vocab::role::Access;
use schemars::JsonSchema;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the user says of the proof, before the work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProofConfig")]
pub struct ProofConfig {
    /// What is enough for the end to count as shown.
    #[serde(default)]
    pub accept: Accept,
    /// Where the deciding commands are run at the end.
    #[serde(default, skip_serializing_if = "Rooms::are_fresh")]
    pub room: Rooms,
    /// Commands that make a checkout ready, each an argv, such as `["npm", "ci"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<Vec<String>>,
    /// Files, and directories with a slash at their end, that are as at the base while a command runs, whatever the work made
    /// of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protect: Vec<String>,
    /// Variables of the environment that commands are given beside the usual ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    /// Files that git ignores and these commands need, as they were before the work; the host keeps them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathDigest>,
    /// These commands have no network, but what makes their checkout ready has.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
    /// Commands that run at the end only, one time, after every other has held, each an argv such as `["make", "deploy"]`: each is
    /// a criterion of the mission.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub once: Vec<Vec<String>>,
}

/// Where the deciding commands are run at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ProofRooms")]
pub enum Rooms {
    /// In rooms made from nothing.
    #[default]
    Fresh,
    /// Nowhere: what was run in the worktree while the work went on is all there is, and shows nothing.
    InPlace,
}

impl Rooms {
    fn are_fresh(&self) -> bool {
        *self == Rooms::Fresh
    }
}

impl ProofConfig {
    /// Nothing was said.
    pub(crate) fn is_plain(&self) -> bool {
        *self == ProofConfig::default()
    }
}

/// How far the proof is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MissionProof")]
pub struct Proof {
    /// What the user said of it.
    #[serde(default)]
    pub config: Arc<ProofConfig>,
    /// The commit that the work began at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// What was not committed then: nobody can say afterwards what it was.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub uncommitted: BTreeSet<String>,
    /// A repository was looked at.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub looked: bool,
    /// What the user was asked of what only words show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Proposal>,
    /// The runs of the commands, from the end of the mission on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<Trial>,
    /// The sessions of runs that may have changed the work: none of them judges it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub sessions: BTreeSet<String>,
    /// How many runs were sent to judge changed checks.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reviews: u64,
}

/// The most paths that are kept of what was not committed.
const MOST_UNCOMMITTED: usize = 1_000;
/// The most sessions that are kept.
const MOST_SESSIONS: usize = 1_000;

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Proof {
    /// Of a new mission.
    pub(crate) fn new(config: &ProofConfig) -> Proof {
        Proof { config: Arc::new(config.clone()), ..Proof::default() }
    }

    /// Nothing differs from what every mission begins with.
    pub(crate) fn is_new(&self) -> bool {
        *self == Proof::default()
    }
}

/// The programs that deciding commands start, each with the first thing it is to show.
pub(crate) fn programs(showings: &Showings) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for Showing { item, criterion, commands, .. } in &showings.criteria {
        for name in commands.iter().filter_map(|line| decider::program(&line.argv)) {
            all.entry(name.to_owned()).or_insert_with(|| format!("{item} {criterion}"));
        }
    }
    all
}

/// The files that say what deciding commands do: programs of the repository, and what interpreters run.
pub(crate) fn files(showings: &Showings) -> impl Iterator<Item = String> {
    let all = showings.criteria.iter();
    let all = all.flat_map(|one| one.commands.iter().map(move |line| (line, &one.directory)));
    all.flat_map(|(line, directory)| decider::of(&line.argv, directory).files).flatten()
}

/// The commit that an end was proved at.
pub(crate) fn proved_at(proof: &Proof) -> Option<String> {
    proof.trial.as_ref().filter(|trial| trial.over)?.commit.clone()
}

/// Deciding commands, told as they are, that may change more than a room, and run again and again all the same.
pub(crate) fn dangerous(config: &ProofConfig, showings: &Showings) -> BTreeSet<String> {
    let commands = showings.criteria.iter().flat_map(|one| &one.commands);
    let often = commands.filter(|line| !config.once.contains(&line.argv));
    often.filter(|line| decider::is_dangerous(&line.argv)).map(expectation::words).collect()
}

/// Whether an order is one of a proof.
pub(crate) fn is_ours(order: &Order) -> bool {
    let room = matches!(order, Order::RunCommand(RunCommand { room: Some(_), .. }));
    room || review::is_run(order) || proposal::is_run(order) || proposal::is_question(order)
}

/// Whether something that was ordered is of a proof, or is a look for one.
pub(crate) fn is_part(proof: &Proof, one: &Outstanding) -> bool {
    let consults = review::is_ours(proof, one) || proposal::is_ours(proof, one);
    consults || is_ours(&one.effect.order)
}

/// Whether the report of a run of this order, one of ours, could be read; see [`crate::check_report`].
pub(crate) fn check_report(
    proof: &Proof,
    order: &Order,
    mission: &str,
    text: &str,
) -> Result<Vec<String>> {
    match proposal::is_run(order) {
        true => proposal::check_report(proof, mission, text),
        false => review::check_report(proof, mission, text),
    }
}

/// Takes what is about the proof of this mission. `false` for what the protocol is to hear.
pub(crate) fn take(
    head: &mut Head,
    subject: Option<&Arc<Outstanding>>,
    fact: &Fact,
    mission: &str,
) -> bool {
    if let Fact::UserCommanded(fact) = fact
        && let Command::Accept { what } = fact.command
    {
        head.proof.config = Arc::new(ProofConfig { accept: what, ..(*head.proof.config).clone() });
        head.withdraw(proposal::is_question);
        return true;
    }
    let order = subject.map(|one| &one.effect.order);
    note(head, order, fact);
    if subject.is_some_and(|one| proposal::is_ours(&head.proof, one)) {
        proposal::take(head, fact, mission);
        // What it finds in the tree is there for the protocol, too.
        return !matches!(fact, Fact::RepositoryObserved(_));
    }
    if subject.is_some_and(|one| review::is_ours(&head.proof, one)) {
        review::take(&mut head.proof, fact, mission);
        return true;
    }
    if !order.is_some_and(is_ours) {
        return false;
    }
    let setup = head.proof.config.setup.len();
    head.proof.trial.as_mut().is_none_or(|trial| heard(trial, fact, setup))
}

/// Takes what came of a command. `false` for any other fact.
fn heard(trial: &mut Trial, fact: &Fact, setup: usize) -> bool {
    match fact {
        Fact::CommandExited(fact) => trial.exited(fact, setup),
        // A command that cannot be run shows nothing, like one without a status.
        Fact::EffectFailed(EffectFailed { effect, problem }) => {
            trial.exited(&CommandExited::unknown(*effect, problem.clone()), setup);
        }
        _ => return false,
    }
    true
}

/// What a proof keeps of facts that others are to hear, too.
fn note(head: &mut Head, order: Option<&Order>, fact: &Fact) {
    note_sessions(head, order, fact);
    let lost = head.proof.trial.as_ref().is_some_and(|trial| trial.lost > 0);
    match fact {
        Fact::RepositoryObserved(fact)
            if !head.proof.looked && fact.repository.problem.is_none() =>
        {
            head.proof.looked = true;
            head.proof.base.clone_from(&fact.repository.head);
            let dirty = fact.repository.dirty.iter().take(MOST_UNCOMMITTED);
            head.proof.uncommitted = dirty.map(|one| one.path.clone()).collect();
        }
        // What a host that died took with it says nothing of the command.
        Fact::HostRecovered(_) if lost => {
            head.proof.trial.iter_mut().for_each(|trial| trial.lost = 0);
        }
        _ => {}
    }
}

/// Keeps the sessions of a run that may write.
fn note_sessions(head: &mut Head, order: Option<&Order>, fact: &Fact) {
    if !matches!(order, Some(Order::SpawnRole(spawn)) if spawn.access == Access::Write) {
        return;
    }
    let named: Vec<&str> = match fact {
        Fact::RunStarted(fact) => fact.session.as_deref().into_iter().collect(),
        Fact::RunProgressed(fact) => fact.sessions().collect(),
        _ => return,
    };
    for session in named {
        let known = &head.proof.sessions;
        if known.len() < MOST_SESSIONS && !known.contains(session) {
            head.proof.sessions.insert(session.to_owned());
        }
    }
}

/// Before anything is decided: a mission that is open again, or asks about what failed at its end, proves nothing yet. Answers with
/// the stop of a run that is at work for it.
pub(crate) fn forget(head: &mut Head, over: bool) -> Vec<Intent> {
    if over || head.proof.trial.is_none() {
        return Vec::new();
    }
    head.withdraw(is_ours);
    head.proof.trial = None;
    let ours = head.live_runs().filter(|one| is_ours(&one.effect.order));
    Life::end_all(head, ours.map(|one| one.effect.id))
}

/// What the proof orders next, once a mission is over and all that it ordered at its end is answered; one thing at a time.
pub(crate) fn next(head: &mut Head, over: bool, protocol: &dyn Protocol) -> Option<Intent> {
    if !over || head.awaits(Order::is_answered_soon) {
        return None;
    }
    if head.proof.trial.is_none() {
        let showings = showings(&head.proof, protocol);
        let mut trial = Trial::new(&head.proof, head.followed.head.clone(), showings);
        trial.over |= head.proof.config.room == Rooms::InPlace;
        head.proof.trial = Some(trial);
    }
    if !head.proof.trial.as_ref()?.over && head.budget.left(Counter::Commands) == 0 {
        let none = Error::new(Code::BrokenBudget, "commands", "one more command", "none is left");
        head.proof.trial.as_mut()?.give_up(none.diagnostic());
    }
    let trial = head.proof.trial.as_ref()?;
    match trial.over {
        true => review::next(head, protocol),
        false => trial.order(&head.proof).map(|order| Order::RunCommand(order).into()),
    }
}
