//! What a line may say about a new mission, and which protocol each word is for.

use crate::cli::Place;
use crate::cli::exit::Fault;
use clap::ValueEnum;
use serde_json::json;

/// The protocols a mission can be begun with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    /// A mission in a repository, one slice at a time, to a judged stop.
    #[default]
    Completion,
    /// A task document, or a feature file with several: a player claims, a coach verifies.
    Promise,
    /// An agent definition (agent.json): one agent, prompted until its completion handler says stop.
    Iteration,
    /// A written plan (EXECUTION_PLAN.md): work units side by side, sprints with exit criteria.
    Sprint,
    /// A goal, or a directory of plans: waves of parallel blocks, each wave verified, gaps closed.
    Grid,
}

/// How strong models are (grid).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Models {
    /// The strongest for everybody.
    Quality,
    /// The usual for everybody.
    Balanced,
    /// The usual for those who need to reason, else the cheap one.
    Budget,
}

/// What a line may say about a new mission beside its plan.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Settings {
    /// How many turns a task has (promise), or one run of a sprint (sprint).
    #[arg(long, value_name = "N")]
    pub(crate) max_turns: Option<u32>,
    /// How many players or coaches (promise), agents (sprint) or executors (grid) may be at work at once.
    #[arg(long, value_name = "N")]
    pub(crate) parallel: Option<u32>,
    /// A command that says at every turn whether the tests pass (promise).
    #[arg(long, value_name = "COMMAND")]
    pub(crate) test: Option<String>,
    /// End the turns of a task after this many seconds (promise).
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) task_timeout: Option<u64>,
    /// Match promises to criteria by similarity where nothing else does (promise).
    #[arg(long)]
    pub(crate) loose: bool,
    /// Confirm checkpoints of the type human-verify without asking; decisions and actions are still
    /// asked (grid).
    #[arg(long)]
    pub(crate) automatic: bool,
    /// How strong models are; without it `.grid/config.json` says so (grid).
    #[arg(long, value_enum)]
    pub(crate) models: Option<Models>,
    /// Refine what was built by the whole swarm (grid).
    #[arg(long)]
    pub(crate) refine: bool,
    /// An argument of the agent, e.g. `issue=12`; may be given again (iteration).
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = pair)]
    pub(crate) args: Vec<(String, String)>,
    /// Prompt templates, each a file `NAME.md`, in the place of ours (iteration).
    #[arg(long, value_name = "DIR")]
    pub(crate) templates: Option<String>,
    /// Run the commands of the plan as they are written, without being asked (sprint, grid).
    #[arg(long)]
    pub(crate) trust: bool,
    /// A command that builds and tests everything at a gate; may be given again (sprint).
    #[arg(long = "build", value_name = "COMMAND")]
    pub(crate) builds: Vec<String>,
    /// The attempt from which the strongest model is sent (sprint).
    #[arg(long, value_name = "N")]
    pub(crate) force_from_attempt: Option<u32>,
    /// Seconds between two looks at what runs and at what is waited for (sprint).
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) poll: Option<u64>,
    /// Host code for a custom handler, by the path it is consulted under: a program that reads the
    /// question on standard input and prints the answer, or `builtin:facilitator` (iteration).
    #[arg(long = "handler", value_name = "NAME=COMMAND", value_parser = pair)]
    pub(crate) handlers: Vec<(String, String)>,
}

impl Settings {
    /// The options that were given, each with the protocols it is of.
    fn given(&self) -> Vec<(&'static str, &'static [Protocol])> {
        use Protocol::{Grid, Iteration, Promise, Sprint};
        let all: [(bool, &str, &[Protocol]); 13] = [
            (self.max_turns.is_some(), "--max-turns", &[Promise, Sprint]),
            (self.parallel.is_some(), "--parallel", &[Promise, Sprint, Grid]),
            (self.test.is_some(), "--test", &[Promise]),
            (self.task_timeout.is_some(), "--task-timeout", &[Promise]),
            (self.loose, "--loose", &[Promise]),
            (self.automatic, "--automatic", &[Grid]),
            (self.models.is_some(), "--models", &[Grid]),
            (self.refine, "--refine", &[Grid]),
            (!self.args.is_empty(), "--arg", &[Iteration]),
            (self.templates.is_some(), "--templates", &[Iteration]),
            (self.trust, "--trust", &[Sprint, Grid]),
            (!self.builds.is_empty(), "--build", &[Sprint]),
            (self.poll.is_some(), "--poll", &[Sprint]),
        ];
        let given = all.into_iter().filter(|(given, ..)| *given);
        given.map(|(_, name, of)| (name, of)).collect()
    }

    /// An option that says nothing to this protocol is a mistake of whoever typed it.
    pub(crate) fn suit(&self, protocol: Protocol) -> Result<(), Fault> {
        let word = |one: &Protocol| format!("{one:?}").to_lowercase();
        match self.given().into_iter().find(|(_, of)| !of.contains(&protocol)) {
            None => Ok(()),
            Some((name, of)) => {
                let of: Vec<String> = of.iter().map(word).collect();
                let expected = format!("--protocol {}", of.join(" or "));
                Err(Fault::usage(name, &expected, &word(&protocol)))
            }
        }
    }

    /// A mission keeps the settings it was begun with: those on a later line change nothing, and it says so.
    pub(crate) fn tell_late(&self, place: &Place) {
        let names: Vec<&str> = self.given().into_iter().map(|(name, _)| name).collect();
        if !names.is_empty() {
            let text = format!(
                "{} {} nothing: the mission has begun, and keeps the settings of its start",
                names.join(", "),
                if names.len() == 1 { "changes" } else { "change" }
            );
            place.out.say(format!("note: {text}"));
            place.out.object(&json!({"note": {"path": "line", "text": text}}));
        }
    }
}

pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    match name.trim().is_empty() {
        true => Err("expected NAME=VALUE".to_owned()),
        false => Ok((name.to_owned(), value.to_owned())),
    }
}
