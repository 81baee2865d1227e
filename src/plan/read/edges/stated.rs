//! Sentences about order below a heading about dependencies: "B depends on A", "A before B", "B after A".

use super::super::super::document::unmarked;
use super::super::super::mention::{Mention, Speaker, mentions};
use super::super::super::model::{Origin, Weight};
use super::super::super::wordlist::WordList;
use super::Edges;
use crate::vocab::error::{Code, clip};

/// What stands between two names, and whether the first of them waits for the second.
const BETWEEN: &[(&str, bool)] = &[
    (" depends on ", true),
    (" depend on ", true),
    (" waits for ", true),
    (" wait for ", true),
    (" waits on ", true),
    (" is blocked by ", true),
    (" needs ", true),
    (" need ", true),
    (" relies on ", true),
    (" builds on ", true),
    (" runs after ", true),
    (" starts after ", true),
    (" requires ", true),
    (" comes after ", true),
    (" follows ", true),
    (" comes before ", false),
    (" must land before ", false),
    (" runs before ", false),
    (" precedes ", false),
    (" blocks ", false),
    (" unblocks ", false),
    (" after ", true),
    (" before ", false),
];

/// Words between a name and those of [`BETWEEN`] that change nothing: "CLI must only start after Core is done".
static AROUND: WordList = WordList::new(&[
    "must",
    "has",
    "have",
    "had",
    "to",
    "should",
    "shall",
    "can",
    "only",
    "will",
    "come",
    "comes",
    "run",
    "runs",
    "start",
    "starts",
    "begin",
    "begins",
    "go",
    "goes",
    "land",
    "lands",
    "be",
    "being",
    "been",
    "is",
    "are",
    "done",
    "complete",
    "completed",
    "completion",
    "finish",
    "finished",
    "first",
    "merged",
    "itself",
    "always",
]);

/// Bytes between two names that list them.
const LISTED: [&str; 4] = [",", ";", "&", "+"];

impl Edges<'_, '_> {
    /// Reads a line that says who waits for whom, if it names them and says nothing else. Whether it was read, or named.
    pub(super) fn stated(&mut self, line: &str, start: usize) -> bool {
        let text = unmarked(line).trim();
        let skip = line.find(text).unwrap_or(0);
        // No letter changes its length, so that the places are the same in both.
        let lower = text.to_ascii_lowercase();
        let found = BETWEEN
            .iter()
            .find_map(|(words, first)| lower.find(words).map(|at| (at, at + words.len(), *first)));
        let Some((end, from, first)) = found else { return self.listed_with(text, start) };
        let (left, right) = (self.named(&text[..end]), self.named(&text[from..]));
        let (Ok(left), Ok(right)) = (&left, &right) else {
            let plain = lower[end..from].contains("depend") || lower[end..from].contains("wait");
            return self.misnamed(text, start + skip, [&left, &right], plain);
        };
        let (to, from) = if first { (left, right) } else { (right, left) };
        let number = self.reader.outline.line(start);
        for (from, to) in from.iter().flat_map(|from| to.iter().map(move |to| (from, to))) {
            self.add(from, to, Origin::Sentence, number);
        }
        true
    }

    /// Reads "CLI: Core", which says of the first whom it waits for.
    fn listed_with(&mut self, text: &str, start: usize) -> bool {
        let Some((to, from)) = text.split_once(": ") else { return false };
        let (Ok(to), Ok(from)) = (self.listed(to), self.listed(from)) else { return false };
        let [to] = to.as_slice() else { return false };
        let number = self.reader.outline.line(start);
        from.iter().for_each(|from| self.add(from, to, Origin::Sentence, number));
        true
    }

    /// A misspelt name beside a known one is a fault where the words are `plain`; what is rather prose is named.
    fn misnamed(
        &mut self,
        text: &str,
        at: usize,
        sides: [&Result<Vec<String>, String>; 2],
        plain: bool,
    ) -> bool {
        if sides.iter().all(|side| side.is_err()) {
            // Prose; an item of a list is named as such.
            return plain && self.strangers(text, at, sides);
        }
        let brief = |side: &&&Result<Vec<String>, String>| match side {
            Ok(_) => true,
            Err(words) => words.split_whitespace().count() <= 2,
        };
        let name = plain && sides.iter().filter(brief).count() == 2;
        let (weight, expected) = match name {
            true => (Weight::Fault, "names of units or sprints of this plan"),
            false => (Weight::Warning, "two names of this plan, as in `B depends on A`"),
        };
        let words = sides.iter().find_map(|side| side.as_ref().err());
        let got = match words.filter(|_| name) {
            Some(words) => format!("`{words}`"),
            None => format!("`{}`, not read as an order", clip(text, 80)),
        };
        let range = at..at + text.len();
        self.reader.remark(weight, Code::DependencyUnknown, range, expected, &got);
        true
    }

    /// "Gadget depends on Widget", where the plan has neither: names rather than prose.
    fn strangers(
        &mut self,
        text: &str,
        at: usize,
        sides: [&Result<Vec<String>, String>; 2],
    ) -> bool {
        let name = |side: &Result<Vec<String>, String>| {
            let words = side.as_ref().err().map(String::as_str).unwrap_or_default();
            let capital = words.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
            capital && words.split_whitespace().count() <= 3
        };
        if !sides.into_iter().all(name) {
            return false;
        }
        let expected = "two names of this plan, as in `B depends on A`";
        let got = format!("`{}`, not read as an order", clip(text, 80));
        let (weight, code) = (Weight::Warning, Code::DependencyUnknown);
        self.reader.remark(weight, code, at..at + text.len(), expected, &got);
        true
    }

    /// The same as [`Edges::listed`], with or without words behind that are around any name.
    fn named(&self, text: &str) -> Result<Vec<String>, String> {
        let whole = self.listed(text);
        if whole.is_ok() {
            return whole;
        }
        let mut bare = text.trim().trim_end_matches('.');
        while let Some((before, last)) = bare.rsplit_once(' ')
            && AROUND.has_any_case(last)
        {
            bare = before.trim_end();
        }
        self.listed(bare).or(whole)
    }

    /// The units and sprints of a list that holds nothing else; else the words that name none.
    fn listed(&self, text: &str) -> Result<Vec<String>, String> {
        let ids = |found: Vec<Mention>| found.into_iter().filter_map(|one| one.id);
        let whole = self.alone(text);
        if !whole.is_empty() {
            return Ok(ids(whole).collect());
        }
        let text = LISTED.iter().fold(text.to_owned(), |text, mark| text.replace(mark, " and "));
        let mut all = Vec::new();
        for part in text.split(" and ").map(str::trim).filter(|part| !part.is_empty()) {
            let found = self.alone(part);
            if found.is_empty() {
                return Err(part.to_owned());
            }
            all.extend(ids(found));
        }
        if all.is_empty() { Err(text.trim().to_owned()) } else { Ok(all) }
    }

    /// The units or sprints that a text is the name of, and nothing more.
    pub(super) fn alone(&self, text: &str) -> Vec<Mention> {
        let bare = unmarked(text).split('(').next().unwrap_or_default();
        let bare = bare.trim_matches(|c: char| c.is_whitespace() || "`*_.:\"".contains(c));
        let bare = ["the ", "The "].iter().find_map(|the| bare.strip_prefix(the)).unwrap_or(bare);
        let bare = bare.strip_suffix(" unit").unwrap_or(bare);
        let one = |id: &str| Mention {
            id: Some(id.to_owned()),
            at: 0,
            said: bare.to_owned(),
            task: false,
        };
        if let Some(id) = self.names.unit(bare) {
            return vec![one(id)];
        }
        if bare.is_empty() || bare.split_whitespace().count() > 3 {
            return Vec::new();
        }
        let found = mentions(bare, &self.names, Speaker { brief: true, ..Speaker::default() });
        match found.is_empty() {
            true => self.node(bare).map(|id| one(&id)).into_iter().collect(),
            false if found.iter().all(|one| one.id.is_some()) => found,
            false => Vec::new(),
        }
    }

    /// A node by its words: `Sprint 2`, `S2`, `Sprint2`, `2`, `Core API`.
    pub(super) fn node(&self, words: &str) -> Option<String> {
        let speaker = Speaker { unit: None, sprint: None, brief: true };
        let first =
            |text: &str| mentions(text, &self.names, speaker).into_iter().find_map(|one| one.id);
        let spaced = || {
            let lower = words.to_lowercase();
            let word = self.names.words.iter().find(|word| lower.starts_with(word.as_str()))?;
            first(&format!(
                "{word} {}",
                words.get(word.len()..)?.trim_start_matches(['_', '-', ' '])
            ))
        };
        first(words).or_else(spaced)
    }
}
