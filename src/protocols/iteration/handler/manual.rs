//! `manual`: done when the agent says a word. By default it must stand alone on a line, outside code:
//! "I will not say it yet" says that the work is not done.

use super::{Answer, Criteria, Heard};
use crate::protocols::iteration::definition::{CompletionConfig, Matching};
use crate::protocols::iteration::text;
use crate::vocab::error::{Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// See [`super::Handler::Manual`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ManualHandler")]
pub struct Manual {
    /// The word; upper and lower case differ.
    pub keyword: String,
    /// Where it must stand.
    pub matching: Matching,
}

pub(super) fn make(config: &CompletionConfig, at: &str) -> Result<Manual> {
    let at = format!("{at}.completionKeyword");
    let expected = "a word or words on one line";
    let Some(keyword) = &config.completion_keyword else {
        return Err(Error::new(Code::MissingField, at, expected, "no such field"));
    };
    match good(keyword) {
        true => Ok(Manual { keyword: keyword.clone(), matching: config.matching }),
        false => Err(Error::new(Code::InvalidValue, at, expected, format!("{keyword:?}"))),
    }
}

/// Whether a keyword can be found at all, and not in every text.
pub(super) fn good(keyword: &str) -> bool {
    !keyword.trim().is_empty() && !keyword.contains(['\n', '\r', '\0'])
}

impl Manual {
    pub(super) fn criteria(&self) -> Criteria {
        let keyword = &self.keyword;
        Criteria {
            short: format!("The agent says {keyword}"),
            detailed: format!(
                "When, and only when, everything is done and you have checked it, write {keyword} on a \
                 line of its own, outside any code block. Until then leave that line out."
            ),
        }
    }

    /// What the words of a run say.
    pub fn hear(&self, heard: &Heard<'_>) -> Answer {
        let keyword = &self.keyword;
        match heard.text.is_some_and(|text| self.said_in(text)) {
            true => Answer::shown(true, format!("the agent said \"{keyword}\"")),
            false => Answer::shown(false, format!("the agent has not said \"{keyword}\"")),
        }
    }

    fn said_in(&self, said: &str) -> bool {
        let keyword = self.keyword.trim();
        match self.matching {
            Matching::Anywhere => said.contains(&self.keyword),
            Matching::Line => text::open_lines(said).any(|line| line == keyword),
        }
    }
}
