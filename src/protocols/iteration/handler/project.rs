//! `project`: done when the project has come to its last phase. Phases go forward only; which one it
//! is, is read from what the last two runs said.

use super::{Answer, Args, Criteria, Heard, number_argument};
use crate::mission::prelude::*;
use crate::protocols::iteration::definition::{CompletionConfig, Github, Matching};
use crate::protocols::iteration::text;

/// The argument that holds the number.
pub(super) const ARGUMENT: &str = "project";

/// See [`super::Handler::Project`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "ProjectHandler")]
pub struct Project {
    /// The number of the project.
    pub number: u64,
    /// Labels by what they stand for.
    pub labels: BTreeMap<String, String>,
    /// Where a phase must be named.
    pub matching: Matching,
}

words! {
    /// The phases of a project, in order.
    #[schemars(rename = "ProjectPhase")]
    Phase {
        Preparation "preparation" "What is wanted is gathered.";
        Processing "processing" "The work is done.";
        Review "review" "The work is looked at.";
        Complete "complete" "Nothing is left.";
    }
}

impl Phase {
    /// Words that the older reader took for a change of phase.
    fn phrase(self) -> Option<&'static str> {
        match self {
            Phase::Preparation => None,
            Phase::Processing => Some("starting implementation"),
            Phase::Review => Some("moving to review"),
            Phase::Complete => Some("project complete"),
        }
    }

    fn task(self) -> &'static str {
        match self {
            Phase::Preparation => "find out what is wanted and set up what the work needs",
            Phase::Processing => "do the work",
            Phase::Review => "look at what was done and mend it",
            Phase::Complete => "finish and close what is left open",
        }
    }
}

pub(super) fn make(
    config: &CompletionConfig,
    args: Option<&Args>,
    github: &Github,
) -> Result<Project> {
    let number = number_argument(args, ARGUMENT)?.unwrap_or(1);
    Ok(Project { number, labels: github.labels.clone(), matching: config.matching })
}

impl Project {
    pub(super) fn criteria(&self) -> Criteria {
        let lines = Phase::ALL.iter().map(|one| format!("- {}: {}", one.as_str(), one.task()));
        Criteria {
            short: format!("Project #{} is complete", self.number),
            detailed: format!(
                "Take project #{} through its phases, in this order:\n{}\nWhen a phase is behind you, \
                 name the one you enter on a line of its own, for example `phase: review`. There is no \
                 way back to an earlier phase. You are done when you enter `phase: complete`.",
                self.number,
                lines.collect::<Vec<_>>().join("\n")
            ),
        }
    }

    pub(super) fn variables(&self) -> Vec<(&'static str, String)> {
        vec![("project_number", self.number.to_string()), ("labels", self.labels())]
    }

    /// The labels in words; `none` for none.
    pub fn labels(&self) -> String {
        let pairs: Vec<String> =
            self.labels.iter().map(|(name, label)| format!("{name}: {label}")).collect();
        if pairs.is_empty() { "none".to_owned() } else { pairs.join("; ") }
    }

    /// The furthest phase that a text names, if it names one.
    pub fn phase_in(&self, said: &str) -> Option<Phase> {
        let lower = said.to_lowercase();
        let named = |phase: &Phase| match self.matching {
            Matching::Line => text::open_lines(&lower).any(|line| names(line, *phase)),
            Matching::Anywhere => {
                lower.contains(&format!("phase: {}", phase.as_str()))
                    || phase.phrase().is_some_and(|phrase| lower.contains(phrase))
            }
        };
        Phase::ALL.into_iter().rev().find(named)
    }

    /// What the phase says.
    pub fn hear(&self, heard: &Heard<'_>) -> Answer {
        let (number, phase) = (self.number, heard.phase.as_str());
        let done = heard.phase == Phase::Complete;
        Answer::shown(done, format!("project #{number} is in phase {phase}"))
    }
}

/// Whether a line says nothing but that it is this phase.
fn names(line: &str, phase: Phase) -> bool {
    let rest = line.strip_prefix("phase").map(str::trim_start);
    rest.and_then(|rest| rest.strip_prefix(':')).is_some_and(|rest| rest.trim() == phase.as_str())
}
