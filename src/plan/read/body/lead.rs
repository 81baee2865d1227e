//! Words over commands, or behind them, that say something else of them than that they succeed, or where and with what
//! they are run. The commands alone would show another thing, so the verifier is given the words with them.

use super::super::super::classify;
use super::super::super::model::{Check, PlanCriterion};
use super::super::super::outline::{plain, whole_span};
use super::super::super::wordlist::WordList;
use super::super::parts::Part;
use super::Walk;

/// Words that turn around what is said.
static TURNED: WordList = WordList::new(&[
    "no", "not", "none", "nothing", "never", "neither", "nowhere", "without", "fail", "fails",
    "failing", "failed", "failure", "failures", "non", "nonzero", "silent", "silently", "empty",
    "absent", "unless", "except", "refuse", "refused", "reject", "rejected", "cannot",
]);
/// Words about the place where something is run.
static PLACES: WordList = WordList::new(&[
    "directory",
    "directories",
    "dir",
    "folder",
    "folders",
    "subdirectory",
    "subfolder",
    "container",
    "host",
    "remote",
]);

/// What stands over commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lead {
    words: String,
    /// It counts also where a criterion says itself how its command ends.
    places: bool,
}

impl Lead {
    /// The lead that words over commands are, if these cannot be taken for themselves below it.
    pub(super) fn of(words: &str) -> Option<Lead> {
        let places = places(words);
        (places || turns(words)).then(|| Lead { words: plain(words), places })
    }

    /// A criterion below it.
    fn over(&self, one: PlanCriterion) -> PlanCriterion {
        let bare = whole_span(&one.text).is_some();
        match &one.check {
            Check::Command { .. } if bare || self.places => {
                let text = format!("{} {}", self.words, one.text);
                PlanCriterion { check: classify::check(&text), text, ..one }
            }
            _ => one,
        }
    }
}

fn turns(words: &str) -> bool {
    let small = words.to_lowercase().replace('’', "'");
    let all: Vec<&str> = small
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .collect();
    let status = |pair: &[&str]| {
        ["exit", "exits", "code", "status"].contains(&pair[0])
            && pair[1] != "0"
            && pair[1].bytes().all(|byte| byte.is_ascii_digit())
    };
    all.iter().any(|word| TURNED.has(word) || word.ends_with("n't")) || all.windows(2).any(status)
}

fn places(words: &str) -> bool {
    let small = words.to_lowercase();
    small.contains(['`', '='])
        || small.split(|c: char| !c.is_alphanumeric()).any(|word| PLACES.has(word))
}

/// What stands in parentheses in a label.
pub(super) fn aside(label: &str) -> &str {
    label
        .split_once('(')
        .and_then(|(_, rest)| rest.split_once(')'))
        .map_or("", |(inside, _)| inside)
}

impl Walk<'_, '_> {
    /// A criterion as the words over it have it.
    pub(super) fn led(&self, one: PlanCriterion) -> PlanCriterion {
        match &self.lead {
            Some(lead) => lead.over(one),
            None => one,
        }
    }

    /// Words right behind a fence of commands: "This must fail with exit code 2."
    pub(super) fn doubt(&mut self, words: &str) {
        let (Some(from), true) = (self.fenced, turns(words) || places(words)) else { return };
        let all = match self.part {
            Some(Part::Entry) => &mut self.body.entry,
            _ => &mut self.body.exit,
        };
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        for one in
            all.iter_mut().skip(from).filter(|one| matches!(one.check, Check::Command { .. }))
        {
            one.text = format!("{}: {words}", one.text);
            one.check = classify::check(&one.text);
        }
    }
}
