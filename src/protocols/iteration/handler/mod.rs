//! Completion handlers: when is the agent done? One file per family.
//!
//! A handler is data: it is made from the definition and the caller's arguments at the start and never
//! changes. It says what completion means ([`Handler::criteria`]), how many runs it may take at most
//! ([`Handler::ceiling`]), which templates its prompts come from and which variables it adds to them.
//! Some handlers judge by what a run said ([`Handler::hear`]); others need an answer of the world (a
//! command, host code), which the engine orders and gives to them. A composite joins several.

pub mod check;
pub mod composite;
pub mod custom;
pub mod issue;
pub mod iterate;
pub mod manual;
pub mod project;
pub mod structured;

use super::definition::{Behavior, Definition};
use crate::mission::prelude::*;
use crate::mission::settings;
use crate::view::ClosedBy;
use project::Phase;
use std::fmt::Debug;

/// The ceiling of runs, unless the definition or the config says otherwise.
pub const DEFAULT_CEILING: u64 = 100;
/// The ceiling of a `check`, unless the definition or the config says otherwise.
pub const DEFAULT_CHECKS: u64 = 10;
/// The most that a ceiling may ever be.
pub const MOST_ITERATIONS: u64 = 1_000_000;

/// The arguments of the caller, by name.
pub type Args = BTreeMap<String, String>;

/// When the agent is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "CompletionHandler")]
pub enum Handler {
    /// An issue is closed.
    Issue(issue::Issue),
    /// A project has come to its last phase.
    Project(project::Project),
    /// So many runs were made.
    Iterate(iterate::Iterate),
    /// The agent says a word.
    Manual(manual::Manual),
    /// Host code says so.
    Custom(custom::Custom),
    /// A command exits with status 0.
    Check(check::Check),
    /// The agent gives a fenced signal.
    Structured(structured::Structured),
    /// Several of these together.
    Composite(composite::Composite),
}

/// What completion means, for people and for the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "CompletionCriteria")]
pub struct Criteria {
    /// In a few words.
    pub short: String,
    /// As the agent is told.
    pub detailed: String,
}

/// What one condition came to after a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "HandlerAnswer")]
pub struct Answer {
    /// Shown to hold, not to hold, or not shown.
    pub finding: Finding,
    /// In words.
    pub words: String,
    /// Why nothing was shown, if so.
    pub problem: Option<Diagnostic>,
}

impl Answer {
    /// An answer that shows something.
    pub fn shown(holds: bool, words: impl Into<String>) -> Answer {
        let finding = if holds { Finding::Holds } else { Finding::DoesNotHold };
        Answer { finding, words: words.into(), problem: None }
    }

    /// An answer that shows nothing.
    pub fn not_shown(problem: Diagnostic) -> Answer {
        let words = format!("not shown: {problem}");
        Answer { finding: Finding::NotShown, words, problem: Some(problem) }
    }
}

/// What a run left for handlers that judge by it alone.
#[derive(Clone, Copy, Debug)]
pub struct Heard<'a> {
    /// What the run said; `None` if it did not end well.
    pub text: Option<&'a str>,
    /// Its number, the initial one being 1.
    pub iteration: u64,
    /// The phase after it.
    pub phase: Phase,
}

/// What a condition needs to be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask<'a> {
    /// A command is run.
    Command(Vec<String>),
    /// Host code is asked.
    Consult(&'a str),
}

/// The verdict of a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Shown to hold, not to hold, or not shown.
    pub finding: Finding,
    /// In words.
    pub words: String,
    /// How it was shown.
    pub closed_by: ClosedBy,
}

/// The verdict of a handler, as far as its conditions are answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Eval {
    /// It is known.
    Known(Verdict),
    /// The condition of this number must be answered first.
    Needs(usize),
}

/// The handler of a definition whose arguments are not known yet: finds what is wrong with the
/// definition itself.
///
/// # Errors
/// Kind `malformed` with the field.
pub fn of_definition(definition: &Definition, registered: &[String]) -> Result<()> {
    let made = Maker { definition, args: None, registered }.make(&definition.behavior, "behavior");
    made.map(|_| ())
}

/// The handler of a definition with the caller's arguments.
///
/// # Errors
/// Kind `malformed` with the field or the argument.
pub fn of_config(definition: &Definition, args: &Args, registered: &[String]) -> Result<Handler> {
    Maker { definition, args: Some(args), registered }.make(&definition.behavior, "behavior")
}

/// Makes handlers of behaviours.
struct Maker<'a> {
    definition: &'a Definition,
    args: Option<&'a Args>,
    registered: &'a [String],
}

/// Every completion type, for messages.
const TYPES: &str = "issue, project, iterate, manual, custom, check, structured or composite";

impl Maker<'_> {
    fn make(&self, behavior: &Behavior, at: &str) -> Result<Handler> {
        agent_name(&self.definition.name)?;
        let config = &behavior.completion_config;
        let inner = format!("{at}.completionConfig");
        bounded(config.max_iterations, &format!("{inner}.maxIterations"))?;
        bounded(config.max_checks, &format!("{inner}.maxChecks"))?;
        match behavior.completion_type.as_str() {
            "issue" => issue::make(config, self.args).map(Handler::Issue),
            "project" => {
                project::make(config, self.args, &self.definition.github).map(Handler::Project)
            }
            "iterate" => iterate::make(config, &inner).map(Handler::Iterate),
            "manual" => manual::make(config, &inner).map(Handler::Manual),
            "custom" => custom::make(&self.definition.name, config, &inner).map(Handler::Custom),
            "check" => check::make(config, &inner).map(Handler::Check),
            "structured" => structured::make(config, &inner).map(Handler::Structured),
            "composite" => {
                let make = |one: &Behavior, at: &str| self.make(one, at);
                composite::make(config, &inner, &make).map(Handler::Composite)
            }
            name if self.registered.iter().any(|known| known == name) => {
                Ok(Handler::Custom(custom::Custom { handler: name.to_owned() }))
            }
            other => {
                let at = format!("{at}.completionType");
                Err(Error::new(Code::UnknownValue, at, TYPES, other))
            }
        }
    }
}

/// The name of an agent names its directory, so it must be a plain one.
fn agent_name(name: &str) -> Result<()> {
    let plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '-' | '_' | '.');
    let good = !name.is_empty() && name.len() <= 100 && !name.starts_with('.');
    let expected = "letters, digits, `-`, `_` and `.`, at most 100, not led by a dot";
    ensure!(good && name.chars().all(plain), Code::InvalidValue, "name", expected, name)
}

/// What a field of the config holds, which must be there and fit.
fn given<'a, T: Debug>(
    field: &'a Option<T>,
    at: String,
    expected: &str,
    fits: impl Fn(&T) -> bool,
) -> Result<&'a T> {
    let Some(given) = field else {
        return Err(Error::new(Code::MissingField, at, expected, "no such field"));
    };
    ensure!(fits(given), Code::InvalidValue, at, expected, format!("{given:?}"))?;
    Ok(given)
}

/// A number of runs lies between 1 and [`MOST_ITERATIONS`].
pub(super) fn bounded(number: Option<u64>, at: &str) -> Result<()> {
    number.map_or(Ok(()), |number| settings::in_range([(at, number, 1..=MOST_ITERATIONS)]))
}

/// The argument of this name as a positive integer; `None` if arguments are not known yet.
fn number_argument(args: Option<&Args>, name: &str) -> Result<Option<u64>> {
    let Some(args) = args else { return Ok(None) };
    let at = format!("args.{name}");
    let expected = "a positive whole number";
    let Some(text) = args.get(name) else {
        return Err(Error::new(Code::MissingField, at, expected, "no such argument"));
    };
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number =
        text.parse::<u64>().ok().filter(|number| digits && (1..=MOST_NUMBER).contains(number));
    number.map(Some).ok_or_else(|| Error::new(Code::InvalidValue, at, expected, text))
}

/// The largest number of an issue or a project.
const MOST_NUMBER: u64 = 9_007_199_254_740_991;

impl Handler {
    /// The completion type in a word; also the name of its templates.
    pub fn word(&self) -> &'static str {
        match self {
            Handler::Issue(_) => "issue",
            Handler::Project(_) => "project",
            Handler::Iterate(_) => "iterate",
            Handler::Manual(_) => "manual",
            Handler::Custom(_) => "custom",
            Handler::Check(_) => "check",
            Handler::Structured(_) => "structured",
            Handler::Composite(_) => "composite",
        }
    }

    /// What completion means.
    pub fn criteria(&self) -> Criteria {
        match self {
            Handler::Issue(one) => one.criteria(),
            Handler::Project(one) => one.criteria(),
            Handler::Iterate(one) => one.criteria(),
            Handler::Manual(one) => one.criteria(),
            Handler::Custom(one) => one.criteria(),
            Handler::Check(one) => one.criteria(),
            Handler::Structured(one) => one.criteria(),
            Handler::Composite(one) => one.criteria(),
        }
    }

    /// How many runs it may take, from its own settings.
    pub fn ceiling(&self, config: &super::definition::CompletionConfig) -> u64 {
        match self {
            Handler::Iterate(one) => one.max,
            Handler::Check(_) => {
                config.max_checks.or(config.max_iterations).unwrap_or(DEFAULT_CHECKS)
            }
            Handler::Issue(_)
            | Handler::Project(_)
            | Handler::Manual(_)
            | Handler::Custom(_)
            | Handler::Structured(_)
            | Handler::Composite(_) => config.max_iterations.unwrap_or(DEFAULT_CEILING),
        }
    }

    /// How completion is shown if it is shown by this.
    pub fn closed_by(&self) -> ClosedBy {
        match self {
            Handler::Iterate(_) => ClosedBy::Counted,
            Handler::Issue(_) | Handler::Check(_) | Handler::Custom(_) => ClosedBy::Observed,
            Handler::Manual(_) | Handler::Structured(_) | Handler::Project(_) => ClosedBy::Claimed,
            Handler::Composite(one) => one.weakest(),
        }
    }

    /// Variables it adds to its templates, with their values.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        match self {
            Handler::Issue(one) => vec![("issue_number", one.number.to_string())],
            Handler::Project(one) => one.variables(),
            Handler::Iterate(_) | Handler::Custom(_) => Vec::new(),
            Handler::Manual(one) => vec![("completion_keyword", one.keyword.clone())],
            Handler::Check(one) => vec![("check_command", one.argv.join(" "))],
            Handler::Structured(one) => one.variables(),
            Handler::Composite(_) => {
                let own = std::iter::once(("conditions", self.criteria().detailed));
                let mut all: Vec<(&str, String)> =
                    own.chain(self.leaves().iter().flat_map(|leaf| leaf.variables())).collect();
                // Of two conditions with one variable, the first names it.
                let mut seen = std::collections::BTreeSet::new();
                all.retain(|(name, _)| seen.insert(*name));
                all
            }
        }
    }

    /// Arguments that it takes for itself.
    pub fn takes(&self) -> Vec<String> {
        match self {
            Handler::Issue(one) => vec![one.argument.clone()],
            Handler::Project(_) => vec![project::ARGUMENT.to_owned()],
            // Host code is given all of them.
            Handler::Custom(_) => vec!["*".to_owned()],
            Handler::Composite(one) => one.conditions.iter().flat_map(Handler::takes).collect(),
            Handler::Iterate(_)
            | Handler::Manual(_)
            | Handler::Check(_)
            | Handler::Structured(_) => Vec::new(),
        }
    }

    /// Whether it goes through phases.
    pub fn has_phases(&self) -> bool {
        self.leaves().iter().any(|leaf| matches!(leaf, Handler::Project(_)))
    }

    /// Its conditions, those of a composite one by one, in order.
    pub fn leaves(&self) -> Vec<&Handler> {
        match self {
            Handler::Composite(one) => one.conditions.iter().flat_map(Handler::leaves).collect(),
            one => vec![one],
        }
    }

    /// What a single condition finds in a run by itself; `None` if it needs an answer of the world.
    pub fn hear(&self, heard: &Heard<'_>) -> Option<Answer> {
        match self {
            Handler::Iterate(one) => Some(one.hear(heard)),
            Handler::Manual(one) => Some(one.hear(heard)),
            Handler::Structured(one) => Some(one.hear(heard)),
            Handler::Project(one) => Some(one.hear(heard)),
            Handler::Issue(_) | Handler::Check(_) | Handler::Custom(_) | Handler::Composite(_) => {
                None
            }
        }
    }

    /// What a single condition needs to be answered, if anything.
    pub fn asks(&self) -> Option<Ask<'_>> {
        match self {
            Handler::Issue(one) => Some(Ask::Command(one.argv())),
            Handler::Check(one) => Some(Ask::Command(one.argv.clone())),
            Handler::Custom(one) => Some(Ask::Consult(&one.handler)),
            Handler::Iterate(_)
            | Handler::Manual(_)
            | Handler::Structured(_)
            | Handler::Project(_)
            | Handler::Composite(_) => None,
        }
    }

    /// What it comes to with these answers, one per condition of [`Handler::leaves`].
    pub fn evaluate(&self, answers: &[Option<Answer>]) -> Eval {
        self.evaluate_from(answers, &mut 0)
    }

    fn evaluate_from(&self, answers: &[Option<Answer>], next: &mut usize) -> Eval {
        if let Handler::Composite(one) = self {
            return one.evaluate(answers, next);
        }
        let place = *next;
        *next += 1;
        match answers.get(place).cloned().flatten() {
            None => Eval::Needs(place),
            Some(Answer { finding, words, .. }) => {
                Eval::Known(Verdict { finding, words, closed_by: self.closed_by() })
            }
        }
    }

    /// Whether what it judges by is there; what is read from a snapshot may be anything.
    pub fn sound(&self) -> bool {
        match self {
            Handler::Issue(one) => one.number > 0,
            Handler::Project(one) => one.number > 0,
            Handler::Iterate(one) => one.max > 0,
            Handler::Manual(one) => manual::good(&one.keyword),
            Handler::Custom(one) => !one.handler.is_empty(),
            Handler::Check(one) => one.argv.first().is_some_and(|program| !program.is_empty()),
            Handler::Structured(one) => structured::good(&one.signal),
            Handler::Composite(one) => {
                !one.conditions.is_empty() && one.conditions.iter().all(Handler::sound)
            }
        }
    }
}
