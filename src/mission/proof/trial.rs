//! The trial of the deciding commands: each in the first room, and what held there once more in the second.

use super::basis::{self, Showing, Showings};
use super::{Proof, ProofConfig, decider};
use crate::mission::expectation;
use crate::vocab::effect::{Room, RunCommand};
use crate::vocab::error::{Code, Diagnostic, Error};
use crate::vocab::event::CommandExited;
use crate::vocab::shown::CommandLine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How long a command has for which nobody said it: an hour.
const COMMAND_MS: u64 = 3_600_000;
/// How much of its output is kept, in bytes.
const OUTPUT_BYTES: u64 = 16_384;
/// How often a command must hold, each time in a room of its own: one that holds only sometimes shows nothing.
const PASSES: u32 = 2;
/// How often in a row a command may be ended from outside without a new host; its room is made again.
const MOST_LOST: u32 = 10;

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
    pub commands: Vec<Deciding>,
    /// The pass, from 1; each has a room of its own.
    pub pass: u32,
    /// Something was run in this room.
    pub begun: bool,
    /// How many set-up commands were run in it.
    pub prepared: u32,
    /// Files that the next command runs and the work changed: with them as at the base it failed, and it is run once more with
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
#[schemars(rename = "ProofCommand")]
pub struct Deciding {
    /// What is run, and what it must do.
    pub line: CommandLine,
    /// Where, from the root of the repository.
    pub directory: String,
    /// What came of it in rooms.
    pub outcome: Outcome,
}

/// What came of a deciding command in rooms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "ProofOutcome")]
pub enum Outcome {
    /// It was not run yet.
    #[default]
    Due,
    /// It held in the first room.
    Once,
    /// It held in every room.
    Held,
    /// It holds only with these files as the work changed them.
    Changed {
        /// The files that it runs.
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

impl Trial {
    pub(super) fn new(commit: Option<String>, looked: bool, showings: Showings) -> Trial {
        let Showings { criteria, uncommitted } = showings;
        let (mut known, mut commands) = (BTreeSet::new(), Vec::new());
        for Showing { commands: lines, directory, .. } in criteria {
            for line in lines {
                if known.insert(basis::key(&line, &directory)) {
                    let (directory, outcome) = (directory.clone(), Outcome::Due);
                    commands.push(Deciding { line, directory, outcome });
                }
            }
        }
        let mut trial = Trial::of(commit, uncommitted, commands);
        if !looked && !trial.over {
            let none = Error::new(Code::NotARepository, "repository", "a repository", "none");
            trial.give_up(none.diagnostic());
        }
        trial
    }

    /// Of commands that are due.
    pub(super) fn of(commit: Option<String>, uncommitted: bool, commands: Vec<Deciding>) -> Trial {
        let over = commands.is_empty();
        let (begun, prepared, changed, lost, problem) = Default::default();
        Trial {
            commit,
            uncommitted,
            commands,
            pass: 1,
            begun,
            prepared,
            changed,
            lost,
            over,
            problem,
        }
    }

    /// The place of the command that is due: in later rooms only of what held in the first.
    fn due(&self) -> Option<usize> {
        let due = if self.pass == 1 { Outcome::Due } else { Outcome::Once };
        self.commands.iter().position(|one| one.outcome == due)
    }

    pub(super) fn order(&self, proof: &Proof) -> Option<RunCommand> {
        let ProofConfig { setup, variables, protect, .. } = &*proof.config;
        let setup = setup.get(usize::try_from(self.prepared).ok()?);
        let one = self.commands.get(self.due()?)?;
        let held = match setup.is_none() && self.changed.is_empty() {
            true => {
                let deciders = decider::of(&one.line.argv, &one.directory).into_iter();
                deciders.chain(protect.iter().map(|path| vec![path.clone()])).collect()
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

    pub(super) fn exited(&mut self, fact: &CommandExited, setup: usize) {
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
        let Some(one) = self.due().and_then(|at| self.commands.get_mut(at)) else { return };
        one.outcome = match expectation::outcome(&one.line, fact) {
            Ok(()) if !changed.is_empty() => Outcome::Changed { paths: changed },
            Ok(()) if pass < PASSES => Outcome::Once,
            Ok(()) => Outcome::Held,
            Err(_) if pass == 1 && changed.is_empty() && !fact.held.is_empty() => {
                self.changed.clone_from(&fact.held);
                return;
            }
            Err(problem) if pass == 1 => Outcome::Failed { problem },
            Err(problem) => Outcome::Flaky { problem },
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
        let undone = |one: &mut Deciding| match one.outcome {
            Outcome::Once if self.pass == 1 => one.outcome = Outcome::Due,
            Outcome::Held => one.outcome = Outcome::Once,
            _ => {}
        };
        self.commands.iter_mut().for_each(undone);
    }

    /// Nothing more can be shown.
    pub(super) fn give_up(&mut self, problem: Diagnostic) {
        self.over = true;
        self.problem = Some(problem);
    }
}
