//! The trial once more, elsewhere: by somebody who doubts what was certified.

use super::trial::{Deciding, Trial};
use super::{Proof, ProofConfig, heard};
use crate::vocab::effect::RunCommand;
use crate::vocab::event::Fact;
use std::sync::Arc;

/// The deciding commands of a mission, run again in rooms made from nothing.
pub struct Rerun {
    proof: Proof,
}

impl Rerun {
    /// Of what was certified: these commands, at a commit, of work that began at `base`. What runs once is not run again.
    pub fn new(
        config: &ProofConfig,
        base: Option<String>,
        commit: &str,
        commands: &[Deciding],
    ) -> Rerun {
        let due = |one: &Deciding| Deciding::due(one.line.clone(), one.directory.clone(), config);
        let commands = commands.iter().filter(|one| !one.once).map(due).collect();
        let config = Arc::new(config.clone());
        let mut proof = Proof { config, base, looked: true, ..Proof::default() };
        proof.trial = Some(Trial::of(&proof, Some(commit.to_owned()), false, commands));
        Rerun { proof }
    }

    /// What is to be run next.
    pub fn next(&self) -> Option<RunCommand> {
        let trial = self.proof.trial.as_ref().filter(|trial| !trial.over)?;
        trial.order(&self.proof)
    }

    /// Takes what came of it: `command_exited` or `effect_failed`.
    pub fn took(&mut self, fact: &Fact) {
        let setup = self.proof.config.setup.len();
        if let Some(trial) = &mut self.proof.trial {
            heard(trial, fact, setup);
        }
    }

    /// What came of all.
    pub fn trial(&self) -> Option<&Trial> {
        self.proof.trial.as_ref()
    }
}
