//! The import of any document: a role labels places of it, the engine checks every label and builds the plan.
//!
//! A pure state machine: [`start`] gives the first prompt, [`Import::answer`] takes what the role said. A breach of a rule
//! goes back with the exact fault; what is left after the last attempt is a question with both texts. A requirement in
//! flowing prose that the role calls notes is shown to the user, not caught.

mod build;
mod built;
mod check;
mod outline;
mod prompt;
mod review;
mod spans;
mod view;

pub use check::MOST_FAULTS;
pub use prompt::MOST_PART;
pub use review::{Review, Shown, Why};
pub use spans::{Edge, EdgeKind, Kind, MOST_ANSWER, Span, Spans};

use crate::plan::{judge, model, write, yaml};
use crate::vocab::digest::digest;
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::text::one_line;
use crate::vocab::word::words;
use outline::Outline;
use schemars::JsonSchema;
use spans::Located;
use view::View;

/// The role that labels.
pub const ROLE: &str = "plan-import";
/// The name of the schema of its answers.
pub const SCHEMA: &str = "import-spans";
/// How often a part is asked for.
pub const MOST_ATTEMPTS: u32 = 3;
/// The longest source, in bytes.
pub const MOST_SOURCE: usize = 2 * 1024 * 1024;

words! {
    /// A rule an answer must keep.
    #[schemars(rename = "ImportRule")]
    Rule {
        Form "Form" "The answer can be read.";
        I1 "I1" "Spans are disjoint and cover what they touch; nothing is dropped.";
        I2 "I2" "Only labels and names are invented, and only where there is none.";
        I3 "I3" "Boxes, siblings and parents.";
        I4 "I4" "Commands are whole code spans or lines of a fence.";
        I5 "I5" "Edges name labels exactly.";
        I6 "I6" "Headings of one skeleton are of one kind; a sprint has a criterion.";
        Plan "Plan" "The plan that was built holds by itself.";
    }
}

/// A breach of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ImportFault")]
pub struct Fault {
    /// The rule.
    pub rule: Rule,
    /// The line of the source, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// What would have been right.
    pub expected: String,
    /// What came.
    pub got: String,
}

/// A prompt for the role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// What the role is told.
    pub prompt: String,
    /// Which part of the source it is about, from 1.
    pub part: usize,
    /// How many parts there are.
    pub parts: usize,
    /// Which attempt at this part it is, from 1 to [`MOST_ATTEMPTS`].
    pub attempt: u32,
}

/// What the rules and the role could not settle: the user decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ImportQuestion")]
pub struct Question {
    /// What is wrong.
    pub fault: Fault,
    /// What the source says there.
    pub source: String,
    /// The sprint that the plan makes of it; empty if it stands in none.
    pub plan: String,
}

/// A canonical plan, and what to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Imported")]
pub struct Imported {
    /// The text of the plan.
    pub plan: String,
    /// Counts, places and what is shown.
    pub review: Review,
}

/// What follows from an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The next part.
    Ask(Ask),
    /// The same part again, with what was wrong.
    Again(Ask, Vec<Fault>),
    /// The plan is ready if the user agrees to each of these.
    Question(Vec<Question>, Imported),
    /// The plan is ready.
    Done(Imported),
    /// No answer could be read: what was wrong with the last one.
    Failed(Vec<Fault>),
}

/// An import under way.
#[derive(Debug)]
pub struct Import {
    source: model::Source,
    outline: Outline,
    /// First and last lines, from 0.
    parts: Vec<(usize, usize)>,
    part: usize,
    attempt: u32,
    spans: Vec<Located>,
    /// Faults that stayed after the last attempt at a part.
    left: Vec<Fault>,
}

/// Begins an import. `path` is kept as the place of the source.
///
/// # Errors
/// `empty`, `too_large` (a line too), or `invalid_value` for a NUL byte.
pub fn start(path: &str, text: &str) -> Result<(Import, Ask)> {
    if text.len() > MOST_SOURCE {
        let expected = format!("at most {MOST_SOURCE} bytes");
        return Err(Error::new(Code::TooLarge, path, expected, format!("{} bytes", text.len())));
    }
    yaml::no_nul(text, 1)?;
    if !text.contains(char::is_alphanumeric) {
        return Err(Error::new(Code::Empty, path, "a document", "no word"));
    }
    let source = model::Source { file: path.to_owned(), sha256: digest(text) };
    let outline = Outline::new(text);
    if let Some(long) = (0..outline.lines()).find(|line| outline.line(*line).len() > MOST_PART) {
        let expected = format!("lines of at most {MOST_PART} bytes");
        let got = format!("{} bytes in line {}", outline.line(long).len(), long + 1);
        return Err(Error::new(Code::TooLarge, path, expected, got));
    }
    let parts = prompt::parts(&outline);
    let (spans, left) = Default::default();
    let import = Import { source, outline, parts, part: 0, attempt: 1, spans, left };
    let ask = prompt::ask(&import, &[], "");
    Ok((import, ask))
}

/// Whether a text is another than the one that a plan was made of: the plan is stale.
pub fn is_stale(source: &model::Source, text: &str) -> bool {
    digest(text) != source.sha256
}

impl Import {
    /// Takes an answer of the role. At the end the same result is given again.
    pub fn answer(&mut self, answer: &str) -> Next {
        let Some(part) = self.parts.get(self.part).copied() else { return self.finish() };
        let read = judge::block::<Spans>(answer, "answer", MOST_ANSWER);
        let (own, faults) = match &read {
            Ok(read) => self.judge(read.spans.clone(), part),
            Err(error) => (Vec::new(), vec![unread(error, part.0)]),
        };
        if !faults.is_empty() && self.attempt < MOST_ATTEMPTS {
            self.attempt += 1;
            return Next::Again(prompt::ask(self, &faults, answer), faults);
        }
        if read.is_err() {
            return Next::Failed(faults);
        }
        self.spans.extend(own);
        self.left.extend(faults);
        (self.part, self.attempt) = (self.part + 1, 1);
        match self.part < self.parts.len() {
            true => Next::Ask(prompt::ask(self, &[], "")),
            false => self.finish(),
        }
    }

    fn judge(&self, spans: Vec<Span>, part: (usize, usize)) -> (Vec<Located>, Vec<Fault>) {
        let (own, mut faults) = spans::locate(&self.outline, part, spans, &self.spans);
        if faults.is_empty() {
            let all: Vec<Located> = self.spans.iter().chain(&own).cloned().collect();
            faults = check::check(&View::new(&self.outline, &all), part);
        }
        faults.truncate(MOST_FAULTS);
        (own, faults)
    }

    fn finish(&self) -> Next {
        let view = View::new(&self.outline, &self.spans);
        let plan = build::build(&view, self.source.clone());
        let text = write::write(&plan);
        let late = check::check(&view, (0, self.outline.lines()));
        let mut faults = self.left.clone();
        faults.extend(late.into_iter().filter(|one| !self.left.contains(one)));
        faults.extend(built::faults(&self.outline, &plan, &text));
        let question = |fault| built::question(&self.outline, &plan, fault);
        let questions: Vec<Question> = faults.into_iter().map(question).collect();
        let imported = Imported { review: review::review(&view, &plan), plan: text };
        match questions.is_empty() {
            true => Next::Done(imported),
            false => Next::Question(questions, imported),
        }
    }
}

fn unread(error: &Error, first: usize) -> Fault {
    let (expected, got) = (error.expected.clone(), format!("{}: {}", error.at, error.got));
    Fault { rule: Rule::Form, line: yaml::count(first + 1), column: 1, expected, got }
}

impl Fault {
    /// The fault on one line.
    pub fn told(&self) -> String {
        let Fault { rule, line, column, expected, got } = self;
        one_line(&format!("{rule} at {line}:{column}: expected {expected}; got {got}"))
    }
}
