//! The proof of an end: what rests on commands is run once more where nothing is but the commit.
//!
//! Commands that were declared before the work decide, and only the engine runs them. While the work goes on they run in the
//! worktree, where much may lie that no clone has. When a mission has come to its end, each of them is run twice more, in rooms
//! made from nothing (see [`Room`]), with the files it names as they were when the work began. What this shows changes nothing
//! of the mission: it says what its end rests on ([`rests`]).

mod rest;

pub(crate) use rest::{Rest, Showing, Showings, by_runs, judged, rests};

use super::expectation;
use super::{Head, Intent};
use crate::vocab::budget::Counter;
use crate::vocab::command::{Accept, Command};
use crate::vocab::effect::{Order, Outstanding, Room, RunCommand};
use crate::vocab::error::{Code, Diagnostic, Error};
use crate::vocab::event::{CommandExited, Fact};
use crate::vocab::shown::CommandLine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How long a command has for which nobody said it: an hour.
const COMMAND_MS: u64 = 3_600_000;
/// How much of its output is kept, in bytes.
const OUTPUT_BYTES: u64 = 16_384;
/// How often a command must hold, each time in a room of its own: one that holds only sometimes shows nothing.
const PASSES: u32 = 2;
/// How often in a row a command may be ended from outside without a new host; its room is made again.
const MOST_LOST: u32 = 10;

/// What the user says of the proof, before the work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProofConfig")]
pub struct ProofConfig {
    /// What is enough for the end to count as shown.
    #[serde(default)]
    pub accept: Accept,
    /// Commands that make a checkout ready, each an argv, such as `["npm", "ci"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<Vec<String>>,
    /// Files, and directories with a slash at their end, that no work may change the proof by: they are as at the base.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protect: Vec<String>,
    /// Variables of the environment that commands are given beside the usual ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
}

impl ProofConfig {
    /// Nothing was said.
    pub(crate) fn is_plain(&self) -> bool {
        *self == ProofConfig::default()
    }
}

/// How far the proof is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MissionProof")]
pub struct Proof {
    /// What the user said of it.
    #[serde(default)]
    pub config: Arc<ProofConfig>,
    /// The commit that the work began at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// A repository was looked at.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub looked: bool,
    /// The runs of the commands, from the end of the mission on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<Trial>,
}

/// The deciding commands and what they came to in rooms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProofTrial")]
pub struct Trial {
    /// The commit; `None` for an unborn branch.
    pub commit: Option<String>,
    /// What is not committed belongs to the work.
    pub uncommitted: bool,
    /// The commands, each once, in the order they are run.
    pub tried: Vec<Tried>,
    /// The room, from 1.
    pub pass: u32,
    /// Something was run in this room.
    pub begun: bool,
    /// How many set-up commands were run in it.
    pub prepared: u32,
    /// Files that the next command names and the work changed: with them as at the base it failed, and it is run once more with
    /// what the work made of them.
    pub changed: Vec<String>,
    /// How often in a row a command was ended from outside since the host began.
    pub lost: u32,
    /// Nothing more is to be run.
    pub over: bool,
    /// Why nothing could be run in a room, if so.
    pub problem: Option<Diagnostic>,
}

/// A deciding command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProofTried")]
pub struct Tried {
    /// What is run, and what it must do.
    pub line: CommandLine,
    /// Where, from the root of the repository.
    pub directory: String,
    /// What came of it.
    pub came: Came,
}

/// What came of a deciding command in rooms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "came", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "ProofCame")]
pub enum Came {
    /// It was not run yet.
    #[default]
    Due,
    /// It held in the first room.
    Once,
    /// It held in every room.
    Held,
    /// It holds only with these files as the work changed them.
    Changed {
        /// The files that it names.
        paths: Vec<String>,
    },
    /// It did not hold.
    Failed {
        /// What was found.
        problem: Diagnostic,
    },
    /// It held in one room and not in the next.
    Flaky {
        /// What was found there.
        problem: Diagnostic,
    },
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

/// Whether an order is one of a proof.
pub(crate) fn is_ours(order: &Order) -> bool {
    matches!(order, Order::RunCommand(RunCommand { room: Some(_), .. }))
}

/// Takes what is about the proof. `false` for what the protocol is to hear.
pub(crate) fn take(head: &mut Head, subject: Option<&Arc<Outstanding>>, fact: &Fact) -> bool {
    if let Fact::RepositoryObserved(fact) = fact
        && !head.proof.looked
        && fact.repository.problem.is_none()
    {
        head.proof.looked = true;
        head.proof.base.clone_from(&fact.repository.head);
    }
    if let Fact::UserCommanded(fact) = fact
        && let Command::Accept { what } = fact.command
    {
        head.proof.config = Arc::new(ProofConfig { accept: what, ..(*head.proof.config).clone() });
        return true;
    }
    // What a host that died took with it says nothing of the command.
    if let (Fact::HostRecovered(_), Some(trial)) = (fact, &head.proof.trial)
        && trial.lost > 0
    {
        head.proof.trial.iter_mut().for_each(|trial| trial.lost = 0);
    }
    if !subject.is_some_and(|one| is_ours(&one.effect.order)) {
        return false;
    }
    let setup = head.proof.config.setup.len();
    let Some(trial) = head.proof.trial.as_mut() else { return true };
    match fact {
        Fact::CommandExited(fact) => trial.exited(fact, setup),
        Fact::EffectFailed(fact) => trial.give_up(fact.problem.clone()),
        _ => return false,
    }
    true
}

/// Before anything is decided: a mission that is open again, or asks about what failed at its end, proves nothing yet.
pub(crate) fn forget(head: &mut Head, over: bool) {
    if !over && head.proof.trial.is_some() {
        head.withdraw(is_ours);
        head.proof.trial = None;
    }
}

/// What the proof orders next, once a mission is over; one command at a time.
pub(crate) fn next(
    head: &mut Head,
    over: bool,
    showings: impl FnOnce() -> Showings,
) -> Option<Intent> {
    if !over {
        return None;
    }
    if head.proof.trial.is_none() {
        let commit = head.followed.head.clone();
        let looked = head.proof.looked;
        head.proof.trial = Some(Trial::new(commit, looked, showings()));
    }
    let trial = head.proof.trial.as_ref()?;
    if trial.over || head.awaits(is_ours) {
        return None;
    }
    if head.budget.left(Counter::Commands) == 0 {
        let none = Error::new(Code::BrokenBudget, "commands", "one more command", "none is left");
        head.proof.trial.as_mut()?.give_up(none.diagnostic());
        return None;
    }
    trial.order(&head.proof).map(|order| Order::RunCommand(order).into())
}

impl Trial {
    fn new(commit: Option<String>, looked: bool, showings: Showings) -> Trial {
        let Showings { criteria, uncommitted } = showings;
        let mut tried: Vec<Tried> = Vec::new();
        for Showing { commands, directory, .. } in criteria {
            for line in commands {
                if !tried.iter().any(|one| one.line == line && one.directory == directory) {
                    tried.push(Tried { line, directory: directory.clone(), came: Came::Due });
                }
            }
        }
        let over = tried.is_empty();
        let mut trial = Trial {
            commit,
            uncommitted,
            tried,
            pass: 1,
            begun: false,
            prepared: 0,
            changed: Vec::new(),
            lost: 0,
            over,
            problem: None,
        };
        if !looked && !over {
            let none = Error::new(Code::NotARepository, "repository", "a repository", "none");
            trial.give_up(none.diagnostic());
        }
        trial
    }

    /// The place of the command that is due: in later rooms only of what held in the first.
    fn due(&self) -> Option<usize> {
        let due = if self.pass == 1 { Came::Due } else { Came::Once };
        self.tried.iter().position(|one| one.came == due)
    }

    fn order(&self, proof: &Proof) -> Option<RunCommand> {
        let ProofConfig { setup, variables, protect, .. } = &*proof.config;
        let setup = setup.get(usize::try_from(self.prepared).ok()?);
        let one = self.tried.get(self.due()?)?;
        let held = match setup.is_none() && self.changed.is_empty() {
            true => {
                let protected = protect.iter().map(|path| vec![path.clone()]);
                rest::named(&one.line.argv, &one.directory).into_iter().chain(protected).collect()
            }
            false => Vec::new(),
        };
        let room = Room {
            name: self.pass.to_string(),
            fresh: !self.begun,
            commit: self.commit.clone(),
            uncommitted: self.uncommitted,
            base: proof.base.clone(),
            held,
            variables: variables.clone(),
        };
        Some(RunCommand {
            argv: setup.unwrap_or(&one.line.argv).clone(),
            directory: setup.map_or(one.directory.as_str(), |_| "").to_owned(),
            purpose: format!("proof {}", self.pass),
            timeout_ms: one.line.within_ms.filter(|_| setup.is_none()).unwrap_or(COMMAND_MS),
            output_bytes: OUTPUT_BYTES,
            expected_head: None,
            room: Some(room),
        })
    }

    fn exited(&mut self, fact: &CommandExited, setup: usize) {
        if let Some(problem) = fact.problem.as_ref().filter(|one| one.code == Code::RunLost) {
            return self.again(problem);
        }
        (self.begun, self.lost) = (true, 0);
        if usize::try_from(self.prepared).is_ok_and(|prepared| prepared < setup) {
            match expectation::outcome(&CommandLine::default(), fact) {
                Ok(()) => self.prepared += 1,
                Err(problem) => self.give_up(problem),
            }
            return;
        }
        let (pass, changed) = (self.pass, std::mem::take(&mut self.changed));
        let Some(one) = self.due().and_then(|at| self.tried.get_mut(at)) else { return };
        one.came = match expectation::outcome(&one.line, fact) {
            Ok(()) if !changed.is_empty() => Came::Changed { paths: changed },
            Ok(()) if pass < PASSES => Came::Once,
            Ok(()) => Came::Held,
            Err(_) if pass == 1 && changed.is_empty() && !fact.held.is_empty() => {
                self.changed.clone_from(&fact.held);
                return;
            }
            Err(problem) if pass == 1 => Came::Failed { problem },
            Err(problem) => Came::Flaky { problem },
        };
        if self.due().is_none() {
            (self.pass, self.begun, self.prepared) = (pass + 1, false, 0);
            self.over = self.due().is_none() || pass == PASSES;
        }
    }

    /// What ran was lost, and the room with it: all of the room is done again. That says nothing of the work, so only one that is
    /// lost again and again under one host is given up.
    fn again(&mut self, problem: &Diagnostic) {
        self.lost += 1;
        if self.lost > MOST_LOST {
            return self.give_up(problem.clone());
        }
        (self.begun, self.prepared) = (false, 0);
        let undone = |one: &mut Tried| match one.came {
            Came::Once if self.pass == 1 => one.came = Came::Due,
            Came::Held => one.came = Came::Once,
            _ => {}
        };
        self.tried.iter_mut().for_each(undone);
    }

    /// Nothing more can be shown.
    fn give_up(&mut self, problem: Diagnostic) {
        self.over = true;
        self.problem = Some(problem);
    }
}
