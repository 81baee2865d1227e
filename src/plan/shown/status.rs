//! Whether the exit status of a command line tells how its commands went.
//!
//! The status of a line is the one of its last command, and only of that: what stands before a `;` or a `|` goes
//! lost, and behind `||` the alternative decides. There only what certainly ends with a failure keeps the failure
//! of what stands before; whatever else there is turns it into a success, or may. A line that cannot fail, or throws
//! away how one of its commands went, shows nothing.
//!
//! A pipe throws away how the programs before it went, unless `pipefail` is set; that matters of those which check or
//! build something, while of those that only tell, what they print is there to see.
//!
//! A `for` is followed, since what fails in it may end the shell. Other loops and choices are not: their status is the
//! one of the branch they took, or 0 for none.

use super::marks::{Mark, marks};
use super::part::{Lost, Part};
use super::program::{Shell, is_found, one, takes_checks, takes_piped};
use super::{MUTE, PIPED, WAYS};

/// Words that begin more than one command, and are not followed.
const COMPOUND: [&str; 7] = ["if", "while", "until", "case", "select", "function", "coproc"];
/// How deep groups and shells in shells are followed.
const DEEPEST: u8 = 8;

/// Why a line cannot tell by its status how its commands went, if so.
pub(super) fn mute(command: &str) -> Option<&'static str> {
    let all = read(command, &mut Shell::default(), DEEPEST);
    why(all.lost).or_else(|| (!all.fails || all.lost != Lost::Nothing).then_some(MUTE))
}

/// Whether a line cannot tell by its status how its commands went.
pub(super) fn is_mute(command: &str) -> bool {
    mute(command).is_some()
}

/// Why a line throws away how one of its programs went, so that what it prints says nothing, either.
pub(super) fn deaf(command: &str) -> Option<&'static str> {
    why(read(command, &mut Shell::default(), DEEPEST).lost)
}

fn why(lost: Lost) -> Option<&'static str> {
    match lost {
        Lost::Nothing | Lost::Told => None,
        Lost::Status => Some(MUTE),
        Lost::Way => Some(WAYS),
        Lost::Piped => Some(PIPED),
    }
}

/// A whole line in a shell.
pub(super) fn read(command: &str, shell: &mut Shell, deep: u8) -> Part {
    let Some(all) = marks(command) else { return Part::LOST };
    let mut line = Line { rest: &all, deep };
    let part = line.list(shell);
    let lost = part.lost.max(Lost::Status);
    if line.rest.is_empty() { part } else { Part { lost, ..Part::LOST } }
}

/// What is not read yet.
struct Line<'m> {
    rest: &'m [Mark],
    deep: u8,
}

impl Line<'_> {
    fn is_at(&self, mark: &str) -> bool {
        matches!(self.rest.first(), Some(Mark::Between(one)) if *one == mark)
    }

    fn step(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
    }

    fn eat(&mut self, mark: &str) -> bool {
        let here = self.is_at(mark);
        if here {
            self.step();
        }
        here
    }

    fn word(&self) -> Option<&str> {
        match self.rest.first()? {
            Mark::Word(word) => Some(word),
            Mark::Between(_) => None,
        }
    }

    fn lines(&mut self) {
        while self.eat(";") {}
    }

    /// Commands one after the other, up to the end or a closing mark.
    fn list(&mut self, shell: &mut Shell) -> Part {
        let mut last: Option<Part> = None;
        let mut before = Part::EMPTY;
        loop {
            self.lines();
            let closed = self.word().is_none() && !self.is_at("(");
            if closed || matches!(self.word(), Some("}" | "done")) {
                break;
            }
            if let Some(one) = last {
                before = before.then(one);
            }
            let one = self.chain(shell);
            last = Some(if self.eat("&") { Part::LOST } else { one });
        }
        before.ended(last.unwrap_or(Part::LOST))
    }

    /// Commands between `&&` and `||`.
    fn chain(&mut self, shell: &mut Shell) -> Part {
        let mut all = self.link(shell);
        loop {
            let and = self.eat("&&");
            if !and && !self.eat("||") {
                return all;
            }
            self.lines();
            let own = !and && self.is_own_status();
            let next = self.link(shell);
            all = if and { all.and(next) } else { all.or(next, own) };
        }
    }

    /// A part of a chain. What is not its last ends no shell by failing, whatever `set -e` says.
    fn link(&mut self, shell: &mut Shell) -> Part {
        let (start, before) = (self.rest, *shell);
        let part = self.pipeline(shell);
        if !self.is_at("&&") && !self.is_at("||") {
            return part;
        }
        self.rest = start;
        *shell = Shell { deaf: true, ..before };
        let part = self.pipeline(shell);
        shell.deaf = before.deaf;
        part
    }

    /// Whether an `exit` stands here that keeps the status of what failed before it.
    fn is_own_status(&self) -> bool {
        let word = |place: usize| match self.rest.get(place) {
            Some(Mark::Word(word)) => Some(word.as_str()),
            _ => None,
        };
        matches!(word(0), Some("exit" | "return")) && matches!(word(1), None | Some("$?"))
    }

    fn pipeline(&mut self, shell: &mut Shell) -> Part {
        if self.word() != Some("!") {
            return self.piped(shell);
        }
        while self.word() == Some("!") {
            self.step();
        }
        let found = self.word().is_some_and(is_found);
        // What is turned round ends no shell by failing, either.
        let deaf = std::mem::replace(&mut shell.deaf, true);
        let start = self.rest;
        let part = self.piped(shell);
        let taken = start.get(..start.len() - self.rest.len()).unwrap_or_default();
        let piped = taken.contains(&Mark::Between("|"));
        shell.deaf = deaf;
        // What is not there, or reads what another prints, fails for other reasons than its own.
        let own = if found && !piped { Lost::Nothing } else { Lost::Status };
        let lost = part.lost.max(own);
        Part { sure: false, leaves: false, stops: false, lost, tells: false, ..part }
    }

    fn piped(&mut self, shell: &mut Shell) -> Part {
        let mut last = self.command(shell);
        while self.eat("|") {
            self.lines();
            // A command of a pipeline has a shell of its own.
            let next = self.command(&mut shell.clone());
            last = last.piped(next, shell);
        }
        Part { sink: false, ..last }
    }

    fn command(&mut self, shell: &mut Shell) -> Part {
        let group = self.word() == Some("{");
        if self.deep == 0 || self.word().is_some_and(|word| COMPOUND.contains(&word)) {
            self.rest = &[];
            return Part { lost: Lost::Way, ..Part::LOST };
        }
        if self.word() == Some("for") {
            return self.rounds(shell);
        }
        if self.word() == Some("[[") {
            return self.condition(shell);
        }
        if !group && !self.is_at("(") {
            return one(&self.words(), shell, self.deep);
        }
        self.step();
        self.deep -= 1;
        let inner = if group { self.list(shell) } else { self.list(&mut shell.clone()) };
        self.deep += 1;
        let closed = if group { self.word() == Some("}") } else { self.is_at(")") };
        self.step();
        // What is behind it redirects.
        self.words();
        if !closed {
            return Part::LOST;
        }
        let stops = group && inner.stops || shell.ends();
        Part { leaves: group && inner.leaves, slips: group && inner.slips, stops, ..inner }
    }

    /// `for x in …; do …; done`. No round at all is as good as rounds that all went well.
    fn rounds(&mut self, shell: &mut Shell) -> Part {
        let words = self.words();
        self.lines();
        let listed = words.get(2).is_some_and(|word| word == "in");
        if !listed || self.word() != Some("do") {
            self.rest = &[];
            return Part { lost: Lost::Way, ..Part::LOST };
        }
        self.step();
        self.deep -= 1;
        let body = self.list(shell).repeated();
        self.deep += 1;
        let closed = self.word() == Some("done");
        // What is behind it redirects.
        self.words();
        let taken = words.iter().any(|word| takes_checks(word, self.deep));
        match (closed, taken) {
            (false, _) => Part::LOST,
            (true, true) => Part { lost: body.lost.max(Lost::Status), ..body },
            (true, false) => body,
        }
    }

    /// `[[ … ]]`, in which marks are no marks of the line.
    fn condition(&mut self, shell: &Shell) -> Part {
        let end = self.rest.iter().position(|mark| *mark == Mark::Word("]]".to_owned()));
        let inside = end.and_then(|end| self.rest.get(..end)).unwrap_or_default();
        self.rest = end.and_then(|end| self.rest.get(end + 1..)).unwrap_or_default();
        let piped = inside.iter().any(|mark| match mark {
            Mark::Word(word) => takes_piped(word, self.deep),
            Mark::Between(_) => false,
        });
        let lost = if piped { Lost::Piped } else { Lost::Nothing };
        match end {
            Some(2) | None => Part::LOST,
            Some(_) => Part { fails: true, stops: shell.ends(), lost, ..Part::default() },
        }
    }

    fn words(&mut self) -> Vec<String> {
        let many = self.rest.iter().take_while(|mark| matches!(mark, Mark::Word(_))).count();
        let (words, rest) = self.rest.split_at(many);
        self.rest = rest;
        let text = |mark: &Mark| match mark {
            Mark::Word(word) => word.clone(),
            Mark::Between(_) => String::new(),
        };
        words.iter().map(text).collect()
    }
}
