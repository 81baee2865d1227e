//! The trial of the deciding commands: each in a room of the commit that the work began at, then in the first room of the work,
//! and what held there once more in the second.

use super::baseline::{self, Baseline, BaselineResult, Tested};
use super::basis::{self, Showing, Showings};
use super::review::{CheckJudgement, Review};
use super::{Proof, ProofConfig, decider, runner};
use crate::mission::expectation;
use crate::vocab::effect::{Room, RunCommand};
use crate::vocab::error::{Code, Diagnostic, Error};
use crate::vocab::event::CommandExited;
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::shown::CommandLine;
use schemars::JsonSchema;
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProofTrial")]
pub struct Trial {
    /// The commit; `None` for an unborn branch.
    pub commit: Option<String>,
    /// What is not committed belongs to the work.
    pub uncommitted: bool,
    /// The commands, each once, in the order they are run.
    pub commands: Vec<Deciding>,
    /// The pass, from 1, or 0 for what was before the work; each has a room of its own.
    pub pass: u32,
    /// Something was run in this room.
    pub begun: bool,
    /// How many set-up commands were run in it.
    pub prepared: u32,
    /// Files that the next command runs and the work changed: with them as at the base it failed, and it is run once more with
    /// what the work made of them.
    pub changed: Vec<String>,
    /// How these differ.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// How often in a row a command was ended from outside since the host began.
    pub lost: u32,
    /// Nothing more is to be run.
    pub over: bool,
    /// Why nothing could be run in a room, if so.
    pub problem: Option<Diagnostic>,
    /// What another run is asked of changed checks.
    #[serde(default, skip_serializing_if = "Review::is_new")]
    pub review: Review,
}

/// A deciding command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProofCommand")]
pub struct Deciding {
    /// What is run, and what it must do.
    pub line: CommandLine,
    /// Where, from the root of the repository.
    pub directory: String,
    /// It runs one time, after all others have held.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub once: bool,
    /// What it came to before the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    /// What came of it in rooms.
    pub outcome: Outcome,
    /// Its tests, where it held and tells them by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Tested>,
}

impl Deciding {
    /// A command that was not run yet.
    pub(super) fn due(line: CommandLine, directory: String, config: &ProofConfig) -> Deciding {
        let once = config.once.contains(&line.argv);
        Deciding { line, directory, once, baseline: None, outcome: Outcome::Due, tests: None }
    }

    /// What speaks against it where a file that says what it does was not committed before the work.
    fn not_committed(&self, uncommitted: &BTreeSet<String>) -> Option<Diagnostic> {
        let mut files = decider::of(&self.line.argv, &self.directory).files.into_iter().flatten();
        let file = files.find(|file| uncommitted.contains(file))?;
        let expected = "to be committed before the work";
        Some(Error::new(Code::NotShown, file, expected, "not committed").diagnostic())
    }

    /// Whether it told, before the work, that something was to be done.
    pub(super) fn was_red(&self) -> bool {
        use BaselineResult::{Absent, Red, Unloaded};
        self.baseline.as_ref().is_some_and(|one| matches!(one.result, Red | Absent | Unloaded))
    }

    /// Whether the tests that it runs may have been there before the work.
    fn has_tests(&self) -> bool {
        self.baseline.as_ref().is_none_or(|one| one.result != BaselineResult::Absent)
    }
}

/// What came of a deciding command in rooms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "ProofOutcome")]
pub enum Outcome {
    /// It was not run yet.
    Due,
    /// It held in the first room.
    Once,
    /// It held in every room.
    Held,
    /// It holds only with these files as the work changed them.
    Changed {
        /// The files that it runs.
        paths: Vec<String>,
        /// How they differ from before the work, until that is judged.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        diff: String,
        /// What another run says of that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        judged: Option<CheckJudgement>,
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
    pub(super) fn new(proof: &Proof, commit: Option<String>, showings: Showings) -> Trial {
        let Showings { criteria, uncommitted } = showings;
        let (mut known, mut commands) = (BTreeSet::new(), Vec::new());
        for Showing { commands: lines, directory, .. } in criteria {
            for line in lines {
                if known.insert(basis::key(&line, &directory)) {
                    let mut one = Deciding::due(line, directory.clone(), &proof.config);
                    if let Some(problem) = one.not_committed(&proof.uncommitted) {
                        one.outcome = Outcome::Failed { problem };
                    }
                    commands.push(one);
                }
            }
        }
        let mut trial = Trial::of(proof, commit, uncommitted, commands);
        if !proof.looked && !trial.over {
            let none = Error::new(Code::NotARepository, "repository", "a repository", "none");
            trial.give_up(none.diagnostic());
        }
        trial
    }

    /// Of commands that are due.
    pub(super) fn of(
        proof: &Proof,
        commit: Option<String>,
        uncommitted: bool,
        commands: Vec<Deciding>,
    ) -> Trial {
        let over = commands.is_empty();
        let pass = match !over && commands.iter().all(|one| one.once) {
            true => PASSES,
            false => u32::from(proof.base.is_none()),
        };
        let (begun, prepared, lost, problem) = Default::default();
        let (changed, diff, review) = Default::default();
        Trial {
            commit,
            uncommitted,
            commands,
            pass,
            begun,
            prepared,
            changed,
            diff,
            lost,
            over,
            problem,
            review,
        }
    }

    /// The place of the command that is due: in later rooms only of what held in the first, and at last of what runs once.
    fn due(&self) -> Option<usize> {
        let due = |one: &Deciding| match self.pass {
            0 => one.baseline.is_none() && !one.once,
            1 => one.outcome == Outcome::Due && !one.once,
            _ => one.outcome == Outcome::Once,
        };
        self.commands.iter().position(due).or_else(|| self.due_once())
    }

    /// The first of those that run once, where all others have held, and those of them before it.
    fn due_once(&self) -> Option<usize> {
        let due = |one: &Deciding| one.once && one.outcome == Outcome::Due;
        let place = self.commands.iter().position(due).filter(|_| self.pass == PASSES)?;
        let held = |one: &Deciding| one.outcome == Outcome::Held || due(one);
        self.commands.iter().all(held).then_some(place)
    }

    pub(super) fn order(&self, proof: &Proof) -> Option<RunCommand> {
        let ProofConfig { setup, variables, protect, files, offline, .. } = &*proof.config;
        let setup = setup.get(usize::try_from(self.prepared).ok()?);
        let one = self.commands.get(self.due()?)?;
        let work = self.pass > 0;
        let held = match work && setup.is_none() && self.changed.is_empty() {
            true => {
                let decider::Held { files, settings, tests } =
                    decider::of(&one.line.argv, &one.directory);
                let protect = protect.iter().map(|path| vec![path.clone()]);
                let tests = tests.into_iter().filter(|_| one.has_tests());
                let settings = (!settings.is_empty()).then_some(settings);
                files.into_iter().chain(protect).chain(tests).chain(settings).collect()
            }
            false => Vec::new(),
        };
        let (argv, tests) = match (setup, runner::reporting(&one.line)) {
            (Some(setup), _) => (setup.clone(), None),
            (None, Some((argv, format))) => (argv, Some(format)),
            (None, None) => (one.line.argv.clone(), None),
        };
        let room = Room {
            name: self.pass.to_string(),
            fresh: !self.begun,
            commit: if work { self.commit.clone() } else { proof.base.clone() },
            uncommitted: work && self.uncommitted,
            base: proof.base.clone(),
            held,
            variables: variables.clone(),
            files: files.clone(),
            offline: *offline && setup.is_none(),
            tests,
        };
        Some(RunCommand {
            argv,
            directory: setup.map_or(one.directory.as_str(), |_| "").to_owned(),
            purpose: format!("proof {}", self.pass),
            timeout_ms: one.line.within_ms.filter(|_| setup.is_none()).unwrap_or(COMMAND_MS),
            output_bytes: OUTPUT_BYTES,
            expected_head: None,
            room: Some(room),
        })
    }

    pub(super) fn exited(&mut self, fact: &CommandExited, setup: usize) {
        let lost = fact.problem.as_ref().is_some_and(|one| one.code == Code::RunLost);
        let prepares = usize::try_from(self.prepared).is_ok_and(|prepared| prepared < setup);
        // What runs once may have done its work before it was lost.
        let due = self.due().and_then(|at| self.commands.get(at));
        let once = !prepares && due.is_some_and(|one| one.once);
        if lost && !once && self.lost < MOST_LOST {
            return self.again();
        }
        (self.begun, self.lost) = (true, 0);
        if prepares {
            match expectation::outcome(&CommandLine::default(), fact) {
                Err(problem) if self.pass > 0 => return self.give_up(problem),
                Err(problem) => {
                    let due =
                        self.commands.iter_mut().filter(|one| one.baseline.is_none() && !one.once);
                    due.for_each(|one| one.baseline = Some(Baseline::unknown(problem.clone())));
                }
                Ok(()) => self.prepared += 1,
            }
            return self.next_pass();
        }
        let (pass, changed) = (self.pass, std::mem::take(&mut self.changed));
        let diff = std::mem::take(&mut self.diff);
        let Some(one) = self.due().and_then(|at| self.commands.get_mut(at)) else { return };
        if pass == 0 {
            one.baseline = Some(Baseline::of(&one.line, fact));
            return self.next_pass();
        }
        let judged = baseline::judge(&one.line, fact, one.baseline.as_ref());
        one.tests = judged.as_ref().ok().copied().flatten();
        one.outcome = match judged {
            Ok(_) if !changed.is_empty() => Outcome::Changed { paths: changed, diff, judged: None },
            Ok(_) if pass < PASSES => Outcome::Once,
            Ok(_) => Outcome::Held,
            Err(problem) if one.once => Outcome::Failed { problem },
            Err(_) if pass == 1 && changed.is_empty() && !fact.held.is_empty() => {
                self.changed.clone_from(&fact.held);
                self.diff.clone_from(&fact.diff);
                return;
            }
            Err(problem) if pass == 1 => Outcome::Failed { problem },
            Err(problem) => Outcome::Flaky { problem },
        };
        self.next_pass();
    }

    /// Goes on to the next room where nothing is due in this one.
    fn next_pass(&mut self) {
        if self.due().is_some() {
            return;
        }
        let pass = self.pass;
        (self.pass, self.begun, self.prepared) = (pass + 1, false, 0);
        if pass > 0 && (self.due().is_none() || pass == PASSES) {
            self.over = true;
            let baselines = self.commands.iter_mut().filter_map(|one| one.baseline.as_mut());
            baselines.for_each(|baseline| baseline.known.clear());
        }
    }

    /// What ran was lost, and the room with it: all of the room is done again. That says nothing of the work; one that is lost again
    /// and again under one host ends so by itself, and does not hold.
    fn again(&mut self) {
        self.lost += 1;
        (self.begun, self.prepared) = (false, 0);
        let undone = |one: &mut Deciding| match one.outcome {
            Outcome::Once if self.pass == 1 => one.outcome = Outcome::Due,
            Outcome::Held if !one.once => one.outcome = Outcome::Once,
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
