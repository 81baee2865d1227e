//! The ritual of naming: a plan gets its operation name when it starts, and not a moment earlier. The name comes from a
//! small role; what a name is, when there is one, and where it is kept, is decided here.

use super::super::document::split;
use super::super::judge::{Answers, PlanQuestion, said_words, spawn};
use super::super::model::Plan;
use super::super::yaml;
use crate::vocab::effect::SpawnRole;
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::role::{Limits, Tier};

/// The field of the front matter that keeps the name.
pub const FIELD: &str = "feature_name";
/// The id of the question for it.
pub const QUESTION: &str = "name";
/// How long a role may think about a name, in milliseconds.
const MOST_MS: u64 = 120_000;
/// The most letters of a name.
const MOST: usize = 60;

/// What the ritual allows now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ritual {
    /// Nothing has begun: a reproach, and nothing else.
    TooEarly,
    /// The plan starts: the name is announced.
    Ceremony,
    /// It has begun: a new name, quietly.
    Renaming,
}

impl Ritual {
    /// `starting` if the plan is being started; `state` if there is a state of its execution.
    pub fn of(plan: &Plan, starting: bool, state: bool) -> Ritual {
        let named = plan.settings.feature_name.as_deref().is_some_and(|name| !name.is_empty());
        match (starting, state || named) {
            (true, _) => Ritual::Ceremony,
            (false, true) => Ritual::Renaming,
            (false, false) => Ritual::TooEarly,
        }
    }

    /// What is said to the user, with the name if there is one.
    pub fn words(self, name: &str) -> String {
        match self {
            Ritual::TooEarly => "You would name a ship that is not in the water. Names are given when a plan starts: \
                start it, and the christening comes by itself."
                .to_owned(),
            Ritual::Ceremony => format!("Attention on deck: from this hour on, this is {name}."),
            Ritual::Renaming => format!("From now on: {name}."),
        }
    }
}

/// The question, with the type of its answer.
pub fn question(plan: &Plan) -> PlanQuestion {
    let about = if plan.title.is_empty() { "the plan below" } else { &plan.title };
    let text = format!(
        "Invent a name for \"{about}\" as a humorous military operation: `OPERATION` and one to four words, all in capitals, that wink at what \
         the plan does; at most {MOST} letters. Only the name."
    );
    PlanQuestion::words(QUESTION.to_owned(), text)
}

/// The order for the name: the cheapest role that can joke, and nobody waits long for a joke.
pub fn order(plan: &Plan) -> SpawnRole {
    let sprints = plan.sprints().map(|(_, one)| format!("- {}\n", one.name)).collect::<String>();
    let asked = spawn(&[question(plan)], &sprints, Tier::Small);
    let limits = Limits { timeout_ms: MOST_MS, ..asked.limits };
    SpawnRole { role: "plan-namer".to_owned(), limits, ..asked }
}

/// The name among the answers.
///
/// # Errors
/// `missing_field` if there is none, `invalid_value` if it is no name of an operation.
pub fn name(answers: &Answers) -> Result<String> {
    let Some(said) = said_words(answers, QUESTION) else {
        return Err(Error::new(Code::MissingField, QUESTION, "a name", "no answer"));
    };
    let name = said.trim_matches(['"', '\'', '*', '`', '.', ' ']).to_owned();
    let words = name.split(' ').count();
    let letters = name
        .chars()
        .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, ' ' | '-' | '\''));
    if name.starts_with("OPERATION ") && (2..=5).contains(&words) && letters && name.len() <= MOST {
        return Ok(name);
    }
    let expected = format!("`OPERATION` and one to four words in capitals, at most {MOST} letters");
    Err(Error::new(Code::InvalidValue, QUESTION, expected, said))
}

/// The document with the name in its front matter: one line is put in or replaced, and every other byte stays.
///
/// # Errors
/// The fault of the front matter if it cannot be read; `invalid_value` if the name in it takes several lines.
pub fn with_name(text: &str, name: &str) -> Result<String> {
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    let (front, _) = split(&text[mark..])?;
    let end = if text.lines().next().is_some() && text.contains("\r\n") { "\r\n" } else { "\n" };
    let field = format!("{FIELD}: {name}{end}");
    let Some(front) = front else {
        let (before, rest) = text.split_at(mark);
        return Ok(format!("{before}---{end}{field}---{end}{end}{rest}"));
    };
    let begin = mark + text[mark..].find('\n').map_or(0, |at| at + 1);
    let (mut at, mut old) = (begin, None);
    for line in front.split_inclusive('\n') {
        let key = line.trim_end().strip_prefix(FIELD);
        if old.is_none() && key.is_some_and(|rest| rest.trim_start().starts_with(':')) {
            old = Some(at..at + line.len());
        }
        at += line.len();
    }
    let place = old.unwrap_or(at..at);
    let new = format!("{}{field}{}", &text[..place.start], &text[place.end..]);
    // A value of several lines would leave its rest behind.
    let (front, _) = split(&new[mark..])?;
    let fields = yaml::mapping(front.unwrap_or_default(), 2)?;
    match fields.get(FIELD).and_then(|value| value.as_str()) == Some(name) {
        true => Ok(new),
        false => Err(Error::new(Code::InvalidValue, FIELD, "a name on one line", "another value")),
    }
}
