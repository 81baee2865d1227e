//! Whether the exit status of a command line tells how its commands went.
//!
//! The status of a line is the one of its last command, and only of that: what stands before a `;` or a `|` goes
//! lost, and behind `||` the alternative decides. There only what certainly ends with a failure keeps the failure
//! of what stands before; whatever else there is turns it into a success, or may. A line that cannot fail, or throws
//! away how one of its commands went, shows nothing.
//!
//! Loops and choices are not followed: their status is the one of the branch they took, or 0 for none.

use super::marks::{Mark, marks};
use super::program::{Shell, is_found, one};

/// Words that begin more than one command.
const COMPOUND: [&str; 7] = ["if", "for", "while", "until", "case", "select", "function"];
/// How deep groups and shells in shells are followed.
const DEEPEST: u8 = 8;

/// Whether a line cannot tell by its status how its commands went.
pub(super) fn is_mute(command: &str) -> bool {
    let all = read(command, &mut Shell::default(), DEEPEST);
    !all.fails || all.lost
}

/// What is known of a part of a line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    /// It may fail.
    pub fails: bool,
    /// It throws away how one of its commands went.
    pub lost: bool,
    /// It ends, and certainly not with 0.
    pub sure: bool,
    /// It certainly ends the shell it is in.
    pub leaves: bool,
    /// It may end the shell it is in with 0.
    pub slips: bool,
    /// Whatever fails in it ends the shell it is in, with a failure.
    pub stops: bool,
    /// It only prepares for others.
    pub ready: bool,
    /// It hands on what it is fed.
    pub sink: bool,
}

impl Part {
    pub(super) const LOST: Part = Part {
        fails: false,
        lost: true,
        sure: false,
        leaves: false,
        slips: false,
        stops: false,
        ready: false,
        sink: false,
    };
}

/// A whole line in a shell.
pub(super) fn read(command: &str, shell: &mut Shell, deep: u8) -> Part {
    let Some(all) = marks(command) else { return Part::LOST };
    let mut line = Line { rest: &all, deep };
    let part = line.list(shell);
    if line.rest.is_empty() { part } else { Part::LOST }
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
        let mut before = Part { ready: true, ..Part::default() };
        loop {
            self.lines();
            let closed = self.word().is_none() && !self.is_at("(");
            if closed || self.word() == Some("}") {
                break;
            }
            if let Some(one) = last {
                before = before.then(one);
            }
            let one = self.chain(shell);
            last = Some(if self.eat("&") { Part::LOST } else { one });
        }
        let last = last.unwrap_or(Part::LOST);
        Part {
            fails: before.fails || last.fails,
            lost: before.lost || last.lost,
            sure: last.sure && !before.slips,
            slips: before.slips || last.slips,
            ready: before.ready && last.ready,
            sink: false,
            ..last
        }
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
        let lost = part.lost || !found || piped;
        Part { sure: false, leaves: false, stops: false, lost, ..part }
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
            return Part::LOST;
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

    /// `[[ … ]]`, in which marks are no marks of the line.
    fn condition(&mut self, shell: &Shell) -> Part {
        let end = self.rest.iter().position(|mark| *mark == Mark::Word("]]".to_owned()));
        self.rest = end.and_then(|end| self.rest.get(end + 1..)).unwrap_or_default();
        match end {
            Some(2) | None => Part::LOST,
            Some(_) => Part { fails: true, stops: shell.ends(), ..Part::default() },
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

impl Part {
    /// What is known once another command of a list follows.
    fn then(self, one: Part) -> Part {
        Part {
            fails: self.fails || one.stops && one.fails,
            lost: self.lost || one.lost || one.slips || !one.ready && !one.stops,
            slips: self.slips || one.slips,
            ready: self.ready && one.ready,
            ..self
        }
    }

    fn and(self, next: Part) -> Part {
        let slips = self.slips || next.slips;
        Part {
            fails: self.fails || next.fails,
            lost: self.lost || next.lost || self.slips,
            sure: (self.sure || next.sure) && !slips,
            leaves: self.leaves || next.leaves && !self.fails,
            slips,
            stops: (self.stops || !self.fails) && next.stops,
            ready: self.ready && next.ready,
            sink: false,
        }
    }

    /// What an alternative loses on its way to a certain failure matters to nobody; nor how what prepares went.
    fn or(self, next: Part, own: bool) -> Part {
        let sure = next.sure || own;
        let ready = self.ready && (next.ready || sure);
        Part {
            fails: self.fails && sure,
            lost: self.lost || !sure && !ready,
            sure: self.sure && sure,
            leaves: self.leaves,
            slips: self.slips || next.slips && !own,
            stops: sure && next.leaves,
            ready,
            sink: false,
        }
    }

    fn piped(self, next: Part, shell: &Shell) -> Part {
        let hands_on = next.sink || !next.fails;
        Part {
            fails: next.fails && !next.sink || shell.pipefail && self.fails,
            lost: next.lost || hands_on && (!shell.pipefail || self.lost),
            sure: next.sure,
            stops: shell.ends(),
            ..Part::default()
        }
    }
}
