//! `manual`: done when the agent says a word. By default it must stand alone on a line, outside code and
//! comments, and no sentence may run through it or take it back: "I will not say it yet" says that the
//! work is not done, on however many lines.

use super::{Answer, Criteria, Heard, given};
use crate::mission::prelude::*;
use crate::protocols::iteration::definition::{CompletionConfig, Matching};
use crate::protocols::iteration::text;

/// See [`super::Handler::Manual`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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
    let keyword = given(&config.completion_keyword, at, expected, |keyword| good(keyword))?;
    Ok(Manual { keyword: keyword.clone(), matching: config.matching })
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
                 line of its own, with an empty line before and behind it, outside any code block. Until \
                 then leave that line out."
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
            Matching::Line => text::open_paragraphs(said).iter().any(|lines| alone(lines, keyword)),
        }
    }
}

/// Whether the last line of a paragraph is the word, and the sentence before, if it runs into it, does
/// not take it back.
fn alone(lines: &[&str], keyword: &str) -> bool {
    let Some((last, before)) = lines.split_last() else { return false };
    let quoted = before.last().is_some_and(|line| line.starts_with('>'));
    let text = before.join(" ");
    let ends = |one: char| matches!(one, '.' | '!' | '?' | ';' | '。' | '！' | '？' | '…');
    let sentence = text.rsplit(ends).next().unwrap_or_default().to_lowercase();
    let mut words = sentence.split(|one: char| !one.is_alphanumeric() && one != '\'' && one != '’');
    let taken_back = words
        .any(|word| TAKES_BACK.contains(&word) || word.ends_with("n't") || word.ends_with("n’t"));
    *last == keyword && !quoted && !taken_back
}

/// Words that make of a word what is not, or not yet, said.
const TAKES_BACK: [&str; 18] = [
    "not", "never", "no", "nor", "neither", "without", "before", "until", "till", "unless", "when",
    "once", "if", "after", "cannot", "will", "would", "should",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_around_the_word_takes_it_back() {
        let word = Manual { keyword: "ALL DONE".to_owned(), matching: Matching::Line };
        for said in [
            "ALL DONE",
            "The rest.\nALL DONE",
            "all done\nALL DONE",
            "It does not fail any more.\nALL DONE",
            "- the last item\nALL DONE\n",
            "All is there\n\n  ALL DONE  \n\nBye.",
            "# Result\nALL DONE",
            "<!-- a note -->\n\nALL DONE",
        ] {
            assert!(word.said_in(said), "{said}");
        }
        for said in [
            "Do not write\nALL DONE\nyet.",
            "I will not say\nALL DONE",
            "I write this word once the tests pass:\nALL DONE",
            "It isn't time for\nALL DONE",
            "ALL DONE\nis what I will say at the end.",
            "<!--\nALL DONE\n-->",
            "<!-- ALL DONE\n\nALL DONE",
            "not ALL DONE",
            "```\nALL DONE\n```",
            "> quoted, not said\n> ALL DONE",
        ] {
            assert!(!word.said_in(said), "{said}");
        }
    }
}
