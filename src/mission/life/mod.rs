//! The life that every mission has, whatever its protocol, in the order it happens.
//!
//! A role is ordered; its run starts and is entered ([`run`]). When it ends, its text is kept if it can be read; if not,
//! the same run is asked once to correct it. Then the repository is looked at ([`look`]), and only after that look is the
//! run judged: by its report and by what was seen. What fails again and again becomes a question ([`topic`]), and so does
//! what the host could not do. The user answers, and gives commands ([`command`]). [`apply`] takes each fact to its place.
//!
//! What all protocols do to a [`Life`] is done here (`fact` takes each fact to its place, `check` looks at the whole). A
//! protocol says what is particular by [`Particular`]. At a run: `started`, `said` and `heard` when it ends, then the look:
//! `looked`, `see`, `found`, `weigh` before any run is judged, `judge` for each with a report, `unsaid` for each without,
//! `judged` after all. At an answer: `told`, whatever follows from it, and `answered` for a question of its own.

mod check;
mod command;
mod fact;
mod look;
mod run;
mod said;
mod topic;

use crate::vocab::json::{Readable, Serialize};
pub(crate) use check::check;
pub(crate) use fact::apply;
pub(crate) use look::{committed, with_citations};
pub use run::{Correction, Ended, Run, Step};
pub(crate) use run::{JudgedBy, Unsaid, failure, form, form_of, read, silent, unfinished, words};
pub use said::Said;
pub(crate) use said::Understood;
pub use topic::Topic;
pub(crate) use topic::question;

use super::admission::foreign;
use super::ask::unfit;
use super::citation::Cited;
use super::files::Files;
use super::report;
use super::repository::{self, Seen};
use super::{Context, Intent};
use crate::vocab::command::{Command, PlanChange};
use crate::vocab::effect::{CommitFiles, Level, Order, RunCommand};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::event::{CommandExited, Consulted, Fact, RunEnded};
use crate::vocab::question::{Answer, Question};
use crate::vocab::repository::{PathDigest, Repository};
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// What every mission knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MissionLife")]
pub struct Life {
    /// The repository as last seen.
    pub seen: Option<Seen>,
    /// Runs that are alive.
    pub runs: Vec<Run>,
    /// Runs that ended and whose effect on the tree has not been looked at.
    pub ended: Vec<Ended>,
    /// How often each role was started.
    pub visits: BTreeMap<String, u64>,
    /// What failed since a step last succeeded, by step; see [`Particular::step`].
    pub steps: BTreeMap<String, Step>,
    /// What is uncommitted, if anything, was left by a run that may write.
    pub left_by_a_run: bool,
    /// What the user must be asked, in this order.
    pub asking: Vec<Topic>,
    /// Why nothing can go on.
    pub blocked: Option<Diagnostic>,
    /// The user wants nothing more to be written: that is what failed.
    pub halted: bool,
    /// Why verification is skipped, if it is.
    pub skip_verification: Option<String>,
    /// The user agreed to end with deferred work left.
    pub end_with_deferred: bool,
    /// The end, once reached.
    pub done: Option<Done>,
    /// Tallies for people.
    pub counts: Counts,
    /// The files of this protocol.
    pub files: Files,
    /// The last thing that went wrong.
    pub last_problem: Option<Diagnostic>,
}

/// The end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MissionDone")]
pub struct Done {
    /// The head.
    pub head: String,
    /// What was waived.
    pub waived: Vec<String>,
    /// Items that were deferred.
    pub deferred: Vec<String>,
}

/// What is counted in every mission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MissionCounts")]
pub struct Counts {
    /// Runs that ended without success.
    pub failed_runs: u64,
    /// Reports that were refused or could not be read; from the second on a prompt shows a whole one.
    pub refused_reports: u64,
}

impl Life {
    /// The head as last seen; `none` if there is none.
    pub(crate) fn head_word(&self) -> &str {
        self.seen.as_ref().map_or("none", Seen::head_word)
    }

    /// Counts the heads that were seen.
    pub(crate) fn ordinal(&self) -> u64 {
        self.seen.as_ref().map_or(0, |seen| seen.ordinal)
    }

    /// No run is at work, and none waits to be judged.
    pub(crate) fn at_rest(&self) -> bool {
        self.runs.is_empty() && self.ended.is_empty()
    }

    /// The mission comes to its end at the present head.
    pub(crate) fn end(&mut self, waived: Vec<String>, deferred: Vec<String>) {
        self.done = Some(Done { head: self.head_word().to_owned(), waived, deferred });
    }

    /// A look must come before anything is decided.
    pub(crate) fn stale(&mut self) {
        repository::stale(&mut self.seen);
    }

    /// Nothing goes on before the user resumes.
    pub(crate) fn block(&mut self, problem: Diagnostic) {
        self.last_problem = Some(problem.clone());
        self.blocked = Some(problem);
    }

    /// The order of a command that is to run at the present head.
    pub(crate) fn command(&self, argv: &[String], purpose: &str, timeout_ms: u64) -> Intent {
        Order::RunCommand(RunCommand {
            argv: argv.to_vec(),
            directory: String::new(),
            purpose: purpose.to_owned(),
            timeout_ms,
            output_bytes: 16_384,
            expected_head: self.seen.as_ref().and_then(|seen| seen.head.clone()),
            room: None,
        })
        .into()
    }

    /// Failed runs in a row of a step.
    pub(crate) fn attempts(&self, step: &str) -> u32 {
        self.steps.get(step).map_or(0, |one| one.attempts)
    }

    /// The fault that the next run of this role is to correct in this step.
    pub(crate) fn correction(&self, role: &str, step: &str) -> Option<&Correction> {
        self.steps.get(step)?.correction.as_ref().filter(|one| one.role == role)
    }

    /// A step succeeded, or is given up: its failures count no more.
    pub(crate) fn step_done(&mut self, step: &str) {
        self.steps.remove(step);
    }
}

/// What is particular to a protocol: what the life of its missions asks it.
pub(crate) trait Particular {
    /// The protocol.
    fn name(&self) -> &'static str;
    /// The life.
    fn life(&self) -> &Life;
    /// The life, to be changed.
    fn life_mut(&mut self) -> &mut Life;
    /// Enters head, dirt and touched paths of a look into what was seen.
    fn see(&mut self, _: &Context<'_>, _: &Repository) {}
    /// The mission in words, as reports name it.
    fn anchor(&self) -> &str;
    /// How many failed runs in a row of one step lead to a question.
    fn most_attempts(&self) -> u32;

    /// The step that the runs of a role on an item are counted under.
    fn step(&self, _role: &str, item: &str) -> String {
        item.to_owned()
    }

    /// Reads the report of a role on an item; blank for whatever item it names.
    ///
    /// # Errors
    /// The fault that the same run is to correct.
    fn understand(&self, role: &str, item: &str, report: &str) -> Result<Understood>;

    /// What is unusual in a report that can be read.
    ///
    /// # Errors
    /// As [`Particular::understand`].
    fn notes(&self, role: &str, report: &str) -> Result<Vec<String>> {
        let read = self.understand(role, "", report)?;
        Ok(report::notes(self.anchor(), report, read.notes))
    }

    /// The places that a report which can be read names: each is looked at before it is judged.
    fn cited(&self, _: &Run, _report: &Understood) -> Cited {
        Cited::default()
    }

    /// Nothing that this run says counts any more.
    fn dropped(&self, _: &Run) -> bool {
        false
    }

    /// Whether a run on this item may correct its report.
    fn correctable(&self, _item: &str) -> bool {
        true
    }

    /// Whether the mission has come to its end.
    fn is_done(&self) -> bool {
        self.life().done.is_some()
    }

    /// What a run says that ended, if that counts.
    ///
    /// # Errors
    /// Why it says nothing that does.
    fn said(&self, run: &Run, fact: &RunEnded) -> Result<Said, Unsaid> {
        run::said(fact, |text| self.understand(&run.role, &run.item, text))
    }

    /// A run began.
    fn started(&mut self, _: &Context<'_>, _: &Run) {}

    /// A run ended; with a fault it has no report that can be read.
    fn heard(
        &mut self,
        _: &Context<'_>,
        _: &Run,
        _: &RunEnded,
        _said: Result<&Said, &Error>,
    ) -> JudgedBy {
        JudgedBy::Report
    }

    /// The repository was looked at. `true` where no tree is judged.
    fn looked(&mut self, _: &Context<'_>, _: &Repository) -> bool {
        false
    }

    /// Somebody is at work, and a judgement would read a moving tree.
    fn in_motion(&self) -> bool {
        !self.life().runs.is_empty()
    }

    /// A path that is the engine's own to write and no dirt, also where nothing hides it from git.
    fn is_own(&self, _path: &str) -> bool {
        false
    }

    /// A look found files of this protocol not as they were left. Answers with those that
    /// the runs at work are blamed for.
    fn found(&mut self, _: &Context<'_>, repository: &Repository) -> Vec<String> {
        let kept = &mut self.life_mut().files;
        let touched = kept.found_changed(&repository.files);
        if !touched.is_empty() {
            kept.say(Level::Warning, format!("changed from outside: {}", touched.join(", ")));
        }
        touched
    }

    /// The engine's own commit was made.
    fn committed(&mut self, _: &CommitFiles, _head: &str, _files: &[PathDigest]) {}

    /// The host could not run a command or ask host code. `true` where that is an answer like another.
    fn not_performed(&mut self, _: &Context<'_>, _: &Order, _: &Diagnostic) -> bool {
        false
    }

    /// Whether a command has a use here at all.
    ///
    /// # Errors
    /// `invalid_change` if it has none.
    fn allows(&self, _: &Command) -> Result<()> {
        Ok(())
    }

    /// The answer to a question that follows from the state, and is not kept in it. `false` for any other.
    fn follows(&mut self, _topic: &str, _: &Answer) -> bool {
        false
    }

    /// The repository was looked at after these runs; each that is left is judged next.
    fn weigh(&mut self, _: &Context<'_>, _: &mut Vec<Ended>, _: &Repository) {}

    /// What a readable report does to the items, by what was seen after it.
    ///
    /// # Errors
    /// Why it is refused.
    fn judge(
        &mut self,
        context: &mut Context<'_>,
        run: &Run,
        report: &Understood,
        repository: &Repository,
    ) -> Result<()>;

    /// What the tree says of a run without a report that counts.
    fn unsaid(&mut self, _: &mut Context<'_>, _: &Run, _: &Repository) {}

    /// Whether the same run is to correct a report that was refused for this.
    fn corrects(&self, fault: &Error) -> bool {
        fault.code != Code::OwnVerdict
    }

    /// Every run that ended before a look is judged.
    fn judged(&mut self, _: &Context<'_>) {}

    /// A command exited.
    ///
    /// # Errors
    /// `broken_outbox` where the protocol runs none.
    fn exited(&mut self, _: &mut Context<'_>, _: &RunCommand, _: &CommandExited) -> Result<()> {
        Err(foreign(self.name(), "command_exited"))
    }

    /// A timer fired.
    ///
    /// # Errors
    /// `broken_outbox` where the protocol sets none.
    fn fired(&mut self, _: &mut Context<'_>, _timer: &str) -> Result<()> {
        Err(foreign(self.name(), "timer_fired"))
    }

    /// Host code answered.
    ///
    /// # Errors
    /// `broken_outbox` where the protocol consults none.
    fn consulted(&mut self, _: &mut Context<'_>, _: &Consulted) -> Result<()> {
        Err(foreign(self.name(), "consulted"))
    }

    /// The protocol's own question for a topic; with `None` the common one is asked.
    fn question(&self, _: &Topic) -> Option<Question> {
        None
    }

    /// How many items are deferred, and what they are called.
    fn deferred(&self) -> (usize, &'static str) {
        (0, "items")
    }

    /// What a person says with an answer, whatever follows from it.
    ///
    /// # Errors
    /// Why it cannot be kept.
    fn told(&mut self, _: &Topic, _: &Answer) -> Result<()> {
        Ok(())
    }

    /// What an answer to a question of its own means, or an option of its own.
    ///
    /// # Errors
    /// `answer_type` if it does not fit.
    fn answered(&mut self, _: &mut Context<'_>, topic: &Topic, answer: &Answer) -> Result<()> {
        Err(unfit(topic, answer))
    }

    /// Deferred items are open again.
    fn take_up_deferred(&mut self, _: &Context<'_>) {}

    /// What a command means of its own; whether it may be given was checked.
    ///
    /// # Errors
    /// Why it is refused; without items to change, none is changed.
    fn commanded(&mut self, _: &mut Context<'_>, command: &Command) -> Result<()> {
        match command {
            Command::Skip { .. } | Command::Defer { .. } | Command::Reopen { .. } => {
                Err(no_such_change(self.name()))
            }
            Command::Start
            | Command::Pause
            | Command::Resume
            | Command::Stop { .. }
            | Command::Kill
            | Command::Amend { .. }
            | Command::Grant { .. }
            | Command::Accept { .. }
            | Command::SkipVerification { .. } => Ok(()),
        }
    }

    /// One change of the plan.
    ///
    /// # Errors
    /// Why it is refused.
    fn change(&mut self, _: &mut Context<'_>, _: &PlanChange) -> Result<()> {
        Err(no_such_change(self.name()))
    }

    /// A fact was taken to its place; what it means besides.
    fn taken(&mut self, _: &mut Context<'_>, _: &Fact) {}

    /// Counts one more failure of a step; at the limit the user is asked.
    fn fail_step(&mut self, _: &Context<'_>, role: &str, item: &str, problem: Diagnostic) {
        let (step, most) = (self.step(role, item), self.most_attempts());
        self.life_mut().failed(step, most, role, item, problem);
    }
}

fn no_such_change(protocol: &str) -> Error {
    let expected = format!("a command that the {protocol} protocol has a use for");
    Error::new(Code::InvalidChange, "command", expected, "a change of its plan")
}

/// Where a state keeps its life, its settings and, where a look means no more, what was touched. `$attempts` is asked of the
/// state.
macro_rules! lives {
    (attempts: $attempts:expr $(, touched: $touches:ident)?) => {
        fn name(&self) -> &'static str {
            <Self as $crate::mission::standing::Stands>::PROTOCOL
        }

        fn life(&self) -> &$crate::mission::life::Life {
            &self.core.life
        }

        fn life_mut(&mut self) -> &mut $crate::mission::life::Life {
            &mut self.core.life
        }

        $(
            fn see(
                &mut self,
                _: &$crate::mission::Context<'_>,
                repository: &$crate::vocab::repository::Repository,
            ) {
                let seen = &mut self.core.life.seen;
                $crate::mission::repository::look(seen, &mut self.$touches, repository);
            }
        )?

        fn anchor(&self) -> &str {
            &self.core.settings.mission
        }

        fn most_attempts(&self) -> u32 {
            ($attempts)(self)
        }
    };
}

/// What a person is asked, answers and commands goes to the modules `ask`, `answers` and `commands` of the protocol. Where it has a
/// plan, changes of it go to `$plan`, and taking up what was deferred to `$deferred`.
macro_rules! conversation {
    ($(plan: $plan:ident, deferred: $deferred:ident)?) => {
        fn question(
            &self,
            topic: &$crate::mission::life::Topic,
        ) -> Option<$crate::vocab::question::Question> {
            ask::question(self, topic)
        }

        fn answered(
            &mut self,
            context: &mut $crate::mission::Context<'_>,
            topic: &$crate::mission::life::Topic,
            answer: &$crate::vocab::question::Answer,
        ) -> $crate::vocab::error::Result<()> {
            answers::answered(self, context, topic, answer)
        }

        fn commanded(
            &mut self,
            context: &mut $crate::mission::Context<'_>,
            command: &$crate::vocab::command::Command,
        ) -> $crate::vocab::error::Result<()> {
            commands::commanded(self, context.head, command)
        }

        $(
            fn take_up_deferred(&mut self, context: &$crate::mission::Context<'_>) {
                $deferred::take_up_deferred(self, context.head);
            }

            fn change(
                &mut self,
                context: &mut $crate::mission::Context<'_>,
                change: &$crate::vocab::command::PlanChange,
            ) -> $crate::vocab::error::Result<()> {
                $plan::change(self, context.head, change)
            }
        )?
    };
}

pub(crate) use {conversation, lives};
