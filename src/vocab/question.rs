//! Questions to the user: typed, and answered in kind.

use super::error::{Code, Error, Result};
use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;

/// What the user is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// What it is about, in a word of the protocol, e.g. `budget:role_runs`.
    pub topic: String,
    /// The question in plain words.
    pub text: String,
    /// What kind of answer it takes.
    pub kind: QuestionKind,
    /// What an answer sets free.
    pub unblocks: String,
}

/// The kinds of question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum QuestionKind {
    /// Any words.
    FreeText,
    /// One of several ways, each with what it costs.
    Choice {
        /// The ways, at least two.
        options: Vec<ChoiceOption>,
    },
    /// Yes or no.
    Confirmation,
    /// Something only a person can do.
    ManualStep {
        /// What to do.
        instructions: String,
        /// A command (an argv) that shows that it was done, if there is one.
        verification: Option<Vec<String>>,
    },
}

/// One way to answer a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChoiceOption {
    /// The word to answer with.
    pub id: String,
    /// What it means.
    pub label: String,
    /// What is gained and lost by it.
    pub trade_off: String,
}

/// An answer; its type must be that of the question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// To free text.
    Text {
        /// The words; not blank.
        text: String,
    },
    /// To a choice.
    Choice {
        /// The id of the option.
        option: String,
    },
    /// To a confirmation.
    Confirmation {
        /// Yes or no.
        yes: bool,
    },
    /// To a manual step.
    ManualStep {
        /// Whether it was done.
        done: bool,
        /// What was seen.
        note: String,
    },
}

impl Answer {
    /// What was answered, in the words of whoever did.
    fn said(&self) -> String {
        let words = match self {
            Answer::Text { text } => text,
            Answer::Choice { option } => option,
            Answer::Confirmation { yes: true } => "yes",
            Answer::Confirmation { yes: false } => "no",
            Answer::ManualStep { done: true, note } => return format!("done: {note}"),
            Answer::ManualStep { done: false, note } => return format!("not done: {note}"),
        };
        if words.trim().is_empty() { "nothing".to_owned() } else { words.to_owned() }
    }
}

impl QuestionKind {
    /// Checks an answer against the type of the question.
    ///
    /// # Errors
    /// [`Code::AnswerType`] with the kinds or words that would do.
    pub fn accepts(&self, answer: &Answer) -> Result<()> {
        let fits = match (self, answer) {
            (QuestionKind::FreeText, Answer::Text { text }) => !text.trim().is_empty(),
            (QuestionKind::Choice { options }, Answer::Choice { option }) => {
                options.iter().any(|known| known.id == *option)
            }
            (QuestionKind::Confirmation, Answer::Confirmation { .. }) => true,
            (QuestionKind::ManualStep { .. }, Answer::ManualStep { .. }) => true,
            _ => false,
        };
        if fits {
            return Ok(());
        }
        Err(Error::new(Code::AnswerType, "answer", self.expected(), answer.said()))
    }

    /// What an answer must look like, for people.
    pub fn expected(&self) -> String {
        match self {
            QuestionKind::FreeText => "some words".to_owned(),
            QuestionKind::Choice { options } => {
                let words: Vec<&str> = options.iter().map(|option| option.id.as_str()).collect();
                format!("one of {}", words.join(", "))
            }
            QuestionKind::Confirmation => "yes or no".to_owned(),
            QuestionKind::ManualStep { .. } => "done or not done, with a note".to_owned(),
        }
    }

    /// Reads the words a person typed as an answer of this kind.
    ///
    /// # Errors
    /// [`Code::AnswerType`] as [`QuestionKind::accepts`].
    pub fn read(&self, words: &str) -> Result<Answer> {
        let word = words.trim();
        let lower = word.to_lowercase();
        let answer = match self {
            QuestionKind::FreeText => Answer::Text { text: word.to_owned() },
            QuestionKind::Choice { .. } => Answer::Choice { option: word.to_owned() },
            QuestionKind::Confirmation => match lower.as_str() {
                "y" | "yes" | "true" => Answer::Confirmation { yes: true },
                "n" | "no" | "false" => Answer::Confirmation { yes: false },
                _ => return Err(Error::new(Code::AnswerType, "answer", self.expected(), word)),
            },
            QuestionKind::ManualStep { .. } => {
                // "doneish" is neither.
                let says = |words: &str| {
                    let rest = lower.strip_prefix(words);
                    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
                };
                let done = says("done");
                if !done && !says("not done") {
                    return Err(Error::new(Code::AnswerType, "answer", self.expected(), word));
                }
                Answer::ManualStep { done, note: word.to_owned() }
            }
        };
        self.accepts(&answer)?;
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_does_not_fit_is_told_in_its_own_words() {
        let kind = QuestionKind::Confirmation;
        for (answer, got) in [
            (Answer::Choice { option: "red".to_owned() }, "red"),
            (Answer::Text { text: " ".to_owned() }, "nothing"),
            (Answer::ManualStep { done: false, note: "no key".to_owned() }, "not done: no key"),
        ] {
            let error = kind.accepts(&answer).unwrap_err();
            assert_eq!((error.expected.as_str(), error.got.as_str()), ("yes or no", got));
        }
    }

    #[test]
    fn a_step_is_done_or_not_done_and_nothing_like_it() {
        let kind = QuestionKind::ManualStep { instructions: String::new(), verification: None };
        for (words, expected) in [
            ("done", Some(true)),
            ("Done: it runs", Some(true)),
            ("done, seen", Some(true)),
            ("not done", Some(false)),
            ("not done, no mail", Some(false)),
            ("doneish", None),
            ("done2", None),
            ("not doneish", None),
            ("not", None),
            ("", None),
        ] {
            let read = match kind.read(words) {
                Ok(Answer::ManualStep { done, .. }) => Some(done),
                _ => None,
            };
            assert_eq!(read, expected, "{words}");
        }
    }
}
