//! Words over commands, or behind them, that say something else of them than that they succeed, or where and with what
//! they are run. The commands alone would show another thing, so the verifier is given the words with them.

use super::super::super::classify;
use super::super::super::model::{Check, Expectation, PlanCriterion};
use super::super::super::outline::plain;
use super::super::super::wordlist::WordList;
use super::super::parts::{Part, is_part};
use super::Walk;
use super::neutral::{Bend, places, turns};

/// The rank of the label of a part: whatever is a group in it stands below.
pub(super) const PART: u8 = 0;
/// The rank of a paragraph, which is over what follows it until the next one.
pub(super) const WORDS: u8 = 8;

/// How many bytes of words go with each criterion below them.
const LONGEST: usize = 400;

/// Words that say of a command itself how it ends.
static ENDS: WordList = WordList::new(&[
    "pass", "passes", "passed", "passing", "succeed", "succeeds", "success", "exit", "exits",
    "green", "ok",
]);

/// What stands over commands, and is more than that they succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lead {
    words: String,
    bend: Bend,
    /// That of what opened it: [`PART`], the level of a heading, of a label, or [`WORDS`].
    rank: u8,
}

impl Lead {
    fn of(words: &str, rank: u8) -> Option<Lead> {
        let bend = Bend::of(words);
        let mut words = plain(words);
        if let Some((end, _)) = words.char_indices().find(|(at, _)| *at >= LONGEST) {
            words.truncate(end);
            words.push('…');
        }
        (bend != Bend::None).then_some(Lead { words, bend, rank })
    }

    /// The lead that the label of criteria is: beside what is known of it, or else by all of its words.
    fn of_label(label: &str) -> Option<Lead> {
        let (own, aside) = label.split_once('(').unwrap_or((label, ""));
        let aside = aside.split_once(')').map_or("", |(inside, _)| inside);
        Lead::of(aside, PART).or_else(|| if is_part(own) { None } else { Lead::of(own, PART) })
    }

    /// Whether it says of a criterion below it what that does not show.
    fn bends(&self, one: &PlanCriterion) -> bool {
        match (self.bend, &one.check) {
            (Bend::None, _) => false,
            (Bend::Placed, _) => true,
            (Bend::Turned, Check::Command { expect, .. }) => *expect == Expectation::Success,
            (Bend::Turned, _) => true,
            (Bend::Unknown, Check::Command { .. }) => !says_its_end(&one.text),
            (Bend::Unknown, _) => false,
        }
    }
}

/// Whether a criterion says itself how its command ends.
fn says_its_end(text: &str) -> bool {
    let words =
        text.split('`').step_by(2).flat_map(|part| part.split(|c: char| !c.is_alphanumeric()));
    words.into_iter().any(|word| ENDS.has_any_case(word))
}

/// How words with a command are checked: by the command if they say in what other way than success it ends.
fn with_words(text: &str, leads: &[Lead]) -> Check {
    let placed = leads.iter().any(|lead| lead.bend == Bend::Placed);
    match classify::check(text) {
        Check::Command { expect: Expectation::Success, .. } => classify::unshown(text),
        Check::Command { .. } if placed => classify::unshown(text),
        other => other,
    }
}

impl Walk<'_, '_> {
    /// The label of a known part is over what follows, and nothing before it is.
    pub(super) fn lead_part(&mut self, label: &str) {
        self.leads.clear();
        self.leads.extend(Lead::of_label(label));
    }

    /// Words of a rank are over what follows, in the place of those of the same rank and below.
    pub(super) fn lead(&mut self, words: &str, rank: u8) {
        self.leads.retain(|lead| lead.rank < rank);
        self.leads.extend(Lead::of(words, rank));
    }

    /// Words behind the label of a part are over what follows as the label is.
    pub(super) fn lead_on(&mut self, words: &str) {
        self.leads.extend(Lead::of(words, PART));
    }

    /// A criterion as the words over it have it.
    pub(super) fn led(&self, one: PlanCriterion) -> PlanCriterion {
        if !self.leads.iter().any(|lead| lead.bends(&one)) {
            return one;
        }
        let over: Vec<&str> = self.leads.iter().map(|lead| lead.words.as_str()).collect();
        let text = format!("{} {}", over.join(" "), one.text);
        PlanCriterion { check: with_words(&text, &self.leads), text, ..one }
    }

    /// Words right behind commands: "This must fail with exit code 2.", "Run these in `web/`."
    pub(super) fn doubt(&mut self, words: &str) {
        let Some((from, listed)) = self.before else { return };
        let bends = turns(words) || words.contains('`') || places(words) && is_of_commands(words);
        if !bends || listed && !points_back(words) {
            return;
        }
        let all = match self.part {
            Some(Part::Entry) => &mut self.body.entry,
            _ => &mut self.body.exit,
        };
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        for one in
            all.iter_mut().skip(from).filter(|one| matches!(one.check, Check::Command { .. }))
        {
            one.text = format!("{}: {words}", one.text);
            one.check = with_words(&one.text, &[]);
        }
    }
}

fn has_word(words: &str, list: &WordList) -> bool {
    words.split(|c: char| !c.is_alphanumeric()).any(|word| list.has_any_case(word))
}

/// Whether words speak of commands.
fn is_of_commands(words: &str) -> bool {
    static OF: WordList =
        WordList::new(&["run", "runs", "ran", "running", "command", "commands", "executed"]);
    has_word(words, &OF)
}

/// Whether words speak of what stands above them.
fn points_back(words: &str) -> bool {
    static BACK: WordList = WordList::new(&[
        "above", "these", "they", "those", "all", "each", "every", "both", "commands", "them",
    ]);
    has_word(words, &BACK)
}
