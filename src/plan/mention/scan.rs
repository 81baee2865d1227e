//! Reads a text word by word: nouns with the labels behind them, short forms, ranges, whole names.

use super::super::label::is_label;
use super::super::phrases::is_word;
use super::calls::Numbers;
use super::{Mention, Named, Names, Speaker, Spot, bare_label, finished};
use std::ops::Range;

/// A word or a mark, and its byte.
type Word<'a> = (usize, &'a str);

fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let end = if letter.is_alphanumeric() {
            at + word_length(&text[at..])
        } else {
            at + letter.len_utf8()
        };
        if !letter.is_whitespace() {
            words.push((at, &text[at..end]));
        }
        at = end;
    }
    words
}

/// Letters and digits, and single marks between two of them.
fn word_length(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let joins = matches!(letter, '.' | '-' | '_' | '/')
            && letters.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if !letter.is_alphanumeric() && !joins {
            return at;
        }
    }
    text.len()
}

/// What the labels behind a noun are of.
#[derive(Clone, Copy)]
enum About<'a> {
    Sprints,
    Units(&'a Numbers),
    Tasks,
}

pub(super) struct Scan<'a> {
    pub(super) names: &'a Names,
    speaker: Speaker<'a>,
    pub(super) text: &'a str,
    pub(super) words: Vec<Word<'a>>,
    /// The unit that is named beside the labels that are read.
    pub(super) scope: Option<String>,
    /// Where such names stand behind their labels.
    pub(super) owners: Vec<Range<usize>>,
    about: About<'a>,
    pub(super) found: Vec<Mention>,
    pub(super) spots: Vec<Spot>,
}

impl<'a> Scan<'a> {
    pub(super) fn of(text: &'a str, names: &'a Names, speaker: Speaker<'a>) -> Scan<'a> {
        let words = words(text);
        let (about, found, spots) = (About::Sprints, Vec::new(), Vec::new());
        let (scope, owners) = (None, Vec::new());
        Scan { names, speaker, text, words, scope, owners, about, found, spots }
    }

    pub(super) fn run(&mut self) {
        let mut place = 0;
        if self.speaker.brief && self.lower(0) == "all" && self.words.len() == 1 {
            return self.all_before(0, false);
        }
        let first = usize::from(self.word(0) == "#");
        if self.speaker.brief && (self.resolve(self.word(first)).is_some() || self.is_range(first))
        {
            place = self.list(first, false);
        }
        while place < self.words.len() {
            place = self.step(place);
        }
    }

    fn word(&self, place: usize) -> &'a str {
        self.words.get(place).map_or("", |(_, word)| word)
    }

    fn lower(&self, place: usize) -> String {
        self.word(place).to_lowercase()
    }

    /// Whether a word is a range of labels: `2-3`.
    fn is_range(&self, place: usize) -> bool {
        let ends = self.word(place).split_once('-');
        ends.is_some_and(|(from, to)| self.resolve(from).is_some() && self.resolve(to).is_some())
    }

    fn is_noun(&self, place: usize) -> bool {
        let word = self.word(place);
        match self.about {
            About::Sprints => {
                let one = word.strip_suffix(['s', 'S']).unwrap_or(word);
                self.names.words.iter().any(|word| is_word(one, word))
            }
            About::Units(known) => {
                self.names.calls.numbers(word).is_some_and(|numbers| std::ptr::eq(numbers, known))
            }
            About::Tasks => is_task(word),
        }
    }

    /// Labels behind a word for units or tasks; the place behind them.
    fn others(&mut self, place: usize) -> Option<usize> {
        let word = self.word(place);
        let start = place + usize::from(is_word(word, "work"));
        let numbers = || self.names.calls.numbers(self.word(start));
        let about = match is_task(word) && self.names.calls.has_tasks() {
            true => About::Tasks,
            // What sprints are called as well is one of those.
            false if self.is_noun(place) => return None,
            false => About::Units(numbers()?),
        };
        self.about = about;
        let many = self.found.len();
        let behind = self.list(start + 1, false);
        self.about = About::Sprints;
        (self.found.len() > many).then_some(behind)
    }

    /// Reads what begins at a word; the place behind it.
    fn step(&mut self, place: usize) -> usize {
        if let Some(behind) = self.others(place) {
            return behind;
        }
        let says = |place: usize, words: &[&str]| {
            words.iter().any(|small| is_word(self.word(place), small))
        };
        let earlier = |place: usize| says(place, &["previous", "prior", "preceding", "earlier"]);
        if self.is_noun(place) {
            return self.labels(place);
        }
        if let Some(id) = self.short_task(place) {
            self.about = About::Tasks;
            self.push(place, Some(id));
            self.about = About::Sprints;
            return place + 1;
        }
        if says(place, &["all", "every"]) && earlier(place + 1) {
            self.all_before(place, self.lower(place + 2).starts_with("work"));
            return place + 2;
        }
        if earlier(place) && self.is_noun(place + 1) {
            self.one_before(place);
            return place + 2;
        }
        match self.short(place) {
            Some(id) => {
                self.spot(place, &id);
                self.push(place, Some(id));
                self.onward(place + 1, place)
            }
            None => place + 1,
        }
    }

    fn push(&mut self, place: usize, id: Option<String>) {
        if let Some((at, word)) = self.words.get(place) {
            let task = matches!(self.about, About::Tasks);
            self.found.push(Mention { id, at: *at, said: (*word).to_owned(), task });
        }
    }

    /// Labels behind "Sprints": `1`, `1–3`, `1, 2 and 3`.
    pub(super) fn list(&mut self, place: usize, named: bool) -> usize {
        let mut place = place;
        while matches!(self.word(place), "#" | "`" | "*" | "\"") {
            place += 1;
        }
        if self.begins_list(place) {
            return place;
        }
        let word = self.word(place);
        match (self.resolve(word), word.split_once('-')) {
            (Some(id), _) => {
                self.spot(place, &id);
                self.push(place, Some(id));
            }
            (None, Some((from, to))) => match (self.resolve(from), self.resolve(to)) {
                (Some(from), Some(to)) => {
                    self.glued(place, &from, &to);
                    self.range(place, &from, &to);
                }
                _ => self.unknown(place, named),
            },
            (None, None) => self.unknown(place, named),
        }
        self.onward(place + 1, place)
    }

    /// The number of a list that happens to follow the noun.
    fn begins_list(&self, place: usize) -> bool {
        let Some((at, word)) = self.words.get(place) else { return true };
        let before = self.words.get(place.wrapping_sub(1)).map_or(0, |(at, word)| at + word.len());
        let between = self.text.get(before..*at).unwrap_or_default();
        let behind = self.text.get(at + word.len()..).unwrap_or_default();
        let breaks = between.matches('\n').count();
        breaks > 1 || breaks == 1 && behind.starts_with(['.', ')'])
    }

    /// Remembers the label at a word: its last part, without a letter before the number.
    fn spot(&mut self, place: usize, id: &str) {
        let sprint = matches!(self.about, About::Sprints) && id.contains('/');
        if let (Some((at, word)), true) = (self.words.get(place), sprint) {
            let label = id.split_once('/').map_or(id, |(_, label)| label);
            let skip = word.to_lowercase().rfind(&label.to_lowercase()).unwrap_or(0);
            let range = at + skip..at + word.len();
            self.spots.push(Spot { range, id: id.to_owned(), opens: false });
        }
    }

    /// Both ends of a range in one word: `1-3`.
    fn glued(&mut self, place: usize, from: &str, to: &str) {
        let sprints = matches!(self.about, About::Sprints);
        if let Some((at, word)) = self.words.get(place).filter(|_| sprints) {
            let dash = word.find('-').unwrap_or(0);
            let (first, last) = (*at..at + dash, at + dash + 1..at + word.len());
            self.spots.push(Spot { range: first, id: from.to_owned(), opens: true });
            self.spots.push(Spot { range: last, id: to.to_owned(), opens: false });
        }
    }

    fn unknown(&mut self, place: usize, named: bool) {
        if named && is_label(self.word(place)) {
            self.push(place, None);
        }
    }

    /// What goes on behind a label: a range, or one more.
    fn onward(&mut self, place: usize, before: usize) -> usize {
        let mut ahead = place;
        let mut dashes = false;
        loop {
            match self.lower(ahead).as_str() {
                "-" | "–" | "—" | "‑" | "through" | "to" | "thru" => dashes = true,
                "," | "and" | "&" | "+" | "/" | "`" | "*" | "#" => {}
                // "1 (hard), 2"
                "(" if self.speaker.brief => match self.behind_aside(ahead) {
                    Some(behind) => ahead = behind,
                    None => break,
                },
                _ if ahead > place && self.is_noun(ahead) => {}
                _ => break,
            }
            ahead += 1;
        }
        if ahead == place {
            return place;
        }
        let word = self.word(ahead);
        let Some(id) = self.resolve(word).or_else(|| self.short_too(ahead)) else {
            let range = word
                .split_once('-')
                .and_then(|(from, to)| Some((self.resolve(from)?, self.resolve(to)?)));
            let Some((from, to)) = range else { return place };
            self.glued(ahead, &from, &to);
            self.range(ahead, &from, &to);
            return self.onward(ahead + 1, ahead);
        };
        match (dashes, self.found.last().and_then(|one| one.id.clone())) {
            (true, Some(from)) if before < ahead => {
                if let Some(last) = self.spots.last_mut() {
                    last.opens = last.id == from;
                }
                self.spot(ahead, &id);
                self.range(ahead, &from, &id);
            }
            _ => {
                self.spot(ahead, &id);
                self.push(ahead, Some(id));
            }
        }
        self.onward(ahead + 1, ahead)
    }

    /// The last word of a short remark in parentheses that begins at a word, if the list goes on behind it.
    fn behind_aside(&self, open: usize) -> Option<usize> {
        const LONGEST: usize = 6;
        let close = (open + 1..open + LONGEST).find(|place| self.word(*place) == ")")?;
        let goes_on =
            matches!(self.word(close + 1), "," | "&" | "+") || self.lower(close + 1) == "and";
        goes_on.then_some(close)
    }

    /// All from one to another, in the order of the document.
    fn range(&mut self, place: usize, from: &str, to: &str) {
        let ids: Vec<&String> = match from.contains('/') {
            true => self.names.sprints.iter().map(|one| &one.id).collect(),
            false => self.names.units.iter().map(|(id, _)| id).collect(),
        };
        let at = |id: &str| ids.iter().position(|one| *one == id);
        if let (Some(first), Some(last)) = (at(from), at(to)) {
            let between: Vec<String> =
                ids.get(first..=last).unwrap_or_default().iter().map(|id| (*id).clone()).collect();
            between.into_iter().for_each(|id| self.push(place, Some(id)));
        }
    }

    /// The sprint of a label: in the unit of the speaker, else the only one.
    fn resolve(&self, label: &str) -> Option<String> {
        if label.is_empty() {
            return None;
        }
        let sprint = |place: usize| self.names.sprints.get(place).map(|one| one.id.clone());
        match self.about {
            About::Sprints => {}
            About::Units(numbers) => {
                let place = (*numbers.get(&bare_label(label))?)?;
                return self.names.units.get(place).map(|(id, _)| id.clone());
            }
            About::Tasks => return self.names.calls.sprint_of(label).and_then(sprint),
        }
        self.by_label(label).or_else(|| {
            let bare = label.strip_prefix(['S', 's'])?;
            bare.starts_with(|c: char| c.is_ascii_digit()).then(|| self.by_label(bare))?
        })
    }

    fn by_label(&self, label: &str) -> Option<String> {
        let all = self.names.same.get(&bare_label(label))?;
        let sprint = |place: &usize| self.names.sprints.get(*place);
        let near = self.scope.as_deref().or(self.speaker.unit);
        let is_near = |one: &&Named| Some(one.unit.as_str()) == near;
        let only = || if let [one] = all.as_slice() { sprint(one) } else { None };
        let one = all.iter().filter_map(sprint).find(is_near).or_else(only);
        one.map(|one| one.id.clone()).filter(|id| self.in_scope(id))
    }

    /// A sprint or unit by a short form that stands alone: `A2`, `WU1`, `WU1.S2`, `S3`.
    fn short(&self, place: usize) -> Option<String> {
        let word = self.word(place);
        let near = word.starts_with(['w', 'W']) || word.contains(|c: char| c.is_ascii_digit());
        if !near {
            return None;
        }
        let labelled = word.starts_with(char::is_alphabetic) && is_label(word);
        let exact = || self.names.labels.get(word).copied().filter(|_| labelled);
        let known = self.names.place(word).or_else(exact);
        if let Some(one) = known.and_then(|known| self.names.sprints.get(known)) {
            return Some(one.id.clone());
        }
        if let Some(unit) = self.unit_by_key(word) {
            return Some(unit);
        }
        if let Some((unit, label)) = word.split_once(['.', '/']) {
            let named = || {
                let own = word.contains('/') || self.speaker.brief;
                let known = own.then(|| self.names.unit(unit))?;
                known.map(str::to_owned)
            };
            let unit = self.unit_by_key(unit).or_else(named)?;
            let inside = Scan {
                speaker: Speaker { unit: Some(&unit), ..self.speaker },
                names: self.names,
                text: self.text,
                words: Vec::new(),
                scope: Some(unit.clone()),
                owners: Vec::new(),
                about: About::Sprints,
                found: Vec::new(),
                spots: Vec::new(),
            };
            return inside.resolve(label);
        }
        let numbered = word.strip_prefix('S')?.starts_with(|c: char| c.is_ascii_digit());
        let said = self.text.get(self.words[place].0 + word.len()..).unwrap_or_default();
        (numbered && (self.speaker.brief || finished(said))).then(|| self.resolve(word))?
    }

    /// The sprint of the task `T1.2` or `1.2`, unless a sprint is called so.
    fn short_task(&self, place: usize) -> Option<String> {
        let word = self.word(place);
        let bare =
            word.contains('.') && word.bytes().all(|one| one == b'.' || one.is_ascii_digit());
        let label = word.strip_prefix(['T', 't']).or(bare.then_some(word))?;
        let free = self.speaker.brief && self.resolve(word).is_none();
        let sprint = self.names.calls.sprint_of(label).filter(|_| free)?;
        self.names.sprints.get(sprint).map(|one| one.id.clone())
    }

    /// A short form goes on after labels of sprints only.
    fn short_too(&self, place: usize) -> Option<String> {
        matches!(self.about, About::Sprints).then(|| self.short(place))?
    }

    fn unit_by_key(&self, word: &str) -> Option<String> {
        let key: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
        let key = key.to_lowercase();
        let known = self.names.units.iter().find(|(id, _)| id.starts_with("wu") && *id == key);
        let called = || self.names.calls.glued(word).and_then(|place| self.names.units.get(place));
        known.or_else(called).map(|(id, _)| id.clone())
    }

    fn all_before(&mut self, place: usize, units: bool) {
        let of = |index: usize| self.names.sprints.get(index).map(|one| one.unit.clone());
        let unit = self.speaker.unit.map(str::to_owned).or_else(|| of(self.speaker.sprint?));
        let ids: Vec<String> = match self.speaker.sprint {
            Some(index) if !units => {
                self.names.sprints[..index].iter().map(|one| one.id.clone()).collect()
            }
            _ => {
                let all = self.names.units.iter().map(|(id, _)| id.clone());
                all.take_while(|id| Some(id) != unit.as_ref()).collect()
            }
        };
        ids.into_iter().for_each(|id| self.push(place, Some(id)));
    }

    fn one_before(&mut self, place: usize) {
        let Some(index) = self.speaker.sprint.filter(|index| *index > 0) else { return };
        let (one, before) = (&self.names.sprints[index], &self.names.sprints[index - 1]);
        if one.unit == before.unit {
            self.push(place, Some(before.id.clone()));
        }
    }

    /// Units by their whole name.
    pub(super) fn unit_names(&mut self) {
        if self.speaker.brief {
            let mut from = 0;
            for part in self.text.split([',', ';', '+', '&', '\n']) {
                let bare = part.split('(').next().unwrap_or_default().trim();
                let bare = bare.trim_matches(|c: char| matches!(c, '`' | '*' | '.'));
                if let Some(id) = self.names.unit(bare).filter(|_| !bare.is_empty()) {
                    self.named(id.to_owned(), from, bare);
                }
                from += part.len() + 1;
            }
            // A name may have one of those marks in itself.
            let marked = |name: &str| name.len() >= 4 && name.contains([',', ';', '+', '&']);
            for (id, name) in self.names.units.iter().filter(|(_, name)| marked(name)) {
                if let Some(at) = self.text.find(name.as_str()) {
                    self.named(id.clone(), at, name);
                }
            }
            return;
        }
        let whole = self.names.units.iter().map(|(id, name)| (id.as_str(), name.as_str()));
        let all = whole.chain(self.names.parts());
        let begins = beginnings(self.text);
        let may = |name: &str| {
            let first = name.bytes().next().unwrap_or_default();
            name.len() >= 2 && begins[usize::from(first)]
        };
        for (id, name) in all.filter(|(_, name)| may(name)) {
            let free = |at: usize| {
                let whole = !self.owners.iter().any(|owner| owner.contains(&at));
                whole && !self.text[..at].ends_with(char::is_alphanumeric)
            };
            let at = self
                .text
                .match_indices(name)
                .find(|(at, _)| free(*at) && finished(&self.text[at + name.len()..]));
            if let Some((at, _)) = at {
                self.named(id.to_owned(), at, name);
            }
        }
    }

    fn named(&mut self, id: String, at: usize, said: &str) {
        self.found.push(Mention { id: Some(id), at, said: said.to_owned(), task: false });
    }
}

/// Which bytes words begin with, so that most names need not be looked for.
fn beginnings(text: &str) -> [bool; 256] {
    let mut begins = [false; 256];
    let mut inside = false;
    for byte in text.bytes() {
        begins[usize::from(byte)] |= !inside || !byte.is_ascii();
        inside = byte.is_ascii_alphanumeric();
    }
    begins
}

fn is_task(word: &str) -> bool {
    is_word(word.strip_suffix(['s', 'S']).unwrap_or(word), "task")
}
