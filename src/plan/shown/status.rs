//! Whether the exit status of a command line tells how its commands went.
//!
//! The status of a line is the one of its last command, and only of that: what stands before a `;` or a `|` goes
//! lost, and `|| true` turns every failure into success. A line that cannot fail, or throws away how one of its
//! commands went, shows nothing.

use super::marks::{Mark, marks};

/// Programs that only hand on what they are fed.
const SINKS: [&str; 12] =
    ["tail", "head", "tee", "cat", "sort", "wc", "sed", "tr", "cut", "uniq", "less", "xcpretty"];
/// Programs that never fail.
const CALM: [&str; 4] = ["true", ":", "echo", "printf"];
/// Programs that prepare for others; how they went matters to nobody.
const READY: [&str; 15] = [
    "cd", "pushd", "popd", "export", "unset", "source", ".", "umask", "sleep", "mkdir", "rm", "cp",
    "mv", "touch", "local",
];
/// Programs that run the words behind them.
const RUNNERS: [&str; 5] = ["exec", "command", "time", "builtin", "nohup"];
const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];
/// Words that begin more than one command.
const COMPOUND: [&str; 7] = ["if", "for", "while", "until", "case", "select", "function"];
/// How deep groups and shells in shells are followed.
const DEEPEST: u8 = 8;

/// Whether a line cannot tell by its status how its commands went.
pub(super) fn is_mute(command: &str) -> bool {
    !tells(command, Shell::default(), DEEPEST)
}

fn tells(command: &str, mut shell: Shell, deep: u8) -> bool {
    let Some(mut all) = marks(command) else { return false };
    all.reverse();
    let mut line = Line { rest: all, deep };
    line.list(&mut shell).fails && line.rest.is_empty()
}

/// What `set` sets.
#[derive(Clone, Copy, Default)]
struct Shell {
    pipefail: bool,
    errexit: bool,
}

/// What is known of a part of a line.
#[derive(Clone, Copy)]
struct Part {
    /// It may fail.
    fails: bool,
    /// It only prepares for others.
    ready: bool,
    /// It hands on what it is fed.
    sink: bool,
}

const MUTE: Part = Part { fails: false, ready: false, sink: false };

/// What is not read yet, backwards.
struct Line {
    rest: Vec<Mark>,
    deep: u8,
}

impl Line {
    fn eat(&mut self, mark: &str) -> bool {
        self.rest.pop_if(|next| matches!(next, Mark::Between(one) if *one == mark)).is_some()
    }

    fn word(&self) -> Option<&str> {
        match self.rest.last()? {
            Mark::Word(word) => Some(word),
            Mark::Between(_) => None,
        }
    }

    /// Commands one after the other, up to the end or a closing mark.
    fn list(&mut self, shell: &mut Shell) -> Part {
        let (mut last, mut told, mut lost): (Option<Part>, _, _) = (None, false, false);
        loop {
            while self.eat(";") {}
            let closed = matches!(self.rest.last(), None | Some(Mark::Between(_)))
                && !matches!(self.rest.last(), Some(Mark::Between("(")));
            if closed || self.word() == Some("}") {
                break;
            }
            if let Some(before) = last.filter(|before| !before.ready) {
                told |= shell.errexit && before.fails;
                lost |= !(shell.errexit && before.fails);
            }
            let one = self.chain(shell);
            last = Some(if self.eat("&") { MUTE } else { one });
        }
        let last = last.unwrap_or(MUTE);
        Part { fails: !lost && (told || last.fails), ..last }
    }

    /// Commands between `&&` and `||`.
    fn chain(&mut self, shell: &mut Shell) -> Part {
        let mut all = self.pipeline(shell);
        loop {
            let and = self.eat("&&");
            if !and && !self.eat("||") {
                return all;
            }
            while self.eat(";") {}
            let next = self.pipeline(shell);
            let fails = if and { all.fails || next.fails } else { all.fails && next.fails };
            all = Part { fails, ready: all.ready && next.ready, sink: false };
        }
    }

    fn pipeline(&mut self, shell: &mut Shell) -> Part {
        if self.word() == Some("!") {
            self.rest.pop();
        }
        let mut last = self.command(shell);
        while self.eat("|") {
            // A command of a pipeline has a shell of its own.
            let next = self.command(&mut shell.clone());
            let own = next.fails && !next.sink;
            let fails = if shell.pipefail { last.fails || next.fails } else { own };
            last = Part { fails, ready: false, sink: false };
        }
        Part { sink: false, ..last }
    }

    fn command(&mut self, shell: &mut Shell) -> Part {
        let group = self.word() == Some("{");
        if self.deep == 0 || self.word().is_some_and(|word| COMPOUND.contains(&word)) {
            return self.compound(*shell);
        }
        if !group && !self.eat("(") {
            let words = self.words();
            return simple(&words, shell, self.deep);
        }
        if group {
            self.rest.pop();
        }
        self.deep -= 1;
        let inner = if group { self.list(shell) } else { self.list(&mut shell.clone()) };
        self.deep += 1;
        let closed = match group {
            true => self.rest.pop_if(|next| *next == Mark::Word("}".to_owned())).is_some(),
            false => self.eat(")"),
        };
        // What is behind it redirects.
        self.words();
        if closed { inner } else { MUTE }
    }

    fn words(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        while let Some(Mark::Word(word)) = self.rest.pop_if(|next| matches!(next, Mark::Word(_))) {
            words.push(word);
        }
        words
    }

    /// A loop has the status of its last round, a choice of the branch it took: they tell only if they leave.
    fn compound(&mut self, shell: Shell) -> Part {
        let mut leaves = shell.errexit;
        while let Some(mark) = self.rest.pop() {
            let exit = matches!(&mark, Mark::Word(word) if word == "exit" || word == "return");
            leaves |= exit && self.word().is_some_and(|code| code != "0");
        }
        Part { fails: leaves, ..MUTE }
    }
}

/// One program with its words.
fn simple(words: &[String], shell: &mut Shell, deep: u8) -> Part {
    let setting = |word: &&String| word.contains('=') && !word.starts_with(['-', '=']);
    let settings = words.iter().take_while(setting).count();
    let words = &words[settings..];
    let Some(first) = words.first().map(String::as_str) else {
        return Part { ready: true, ..MUTE };
    };
    match first {
        "set" => {
            shell.set(&words[1..]);
            Part { ready: true, ..MUTE }
        }
        "exit" | "return" => Part { fails: words.get(1).is_none_or(|code| code != "0"), ..MUTE },
        _ if CALM.contains(&first) => Part { ready: true, ..MUTE },
        _ if READY.contains(&first) => Part { fails: true, ready: true, sink: false },
        _ if RUNNERS.contains(&first) => simple(&words[1..], shell, deep),
        _ if SHELLS.contains(&first) => Part { fails: nested(words, deep), ..MUTE },
        _ => Part { fails: true, ready: false, sink: SINKS.contains(&first) },
    }
}

/// A shell that is given its line.
fn nested(words: &[String], deep: u8) -> bool {
    let letters = |word: &&String| word.starts_with('-') && !word.starts_with("--");
    let given = words.iter().position(|word| letters(&word) && word.contains('c'));
    let Some(given) = given else { return true };
    let mut shell = Shell::default();
    shell.set(&words[1..=given]);
    let line = words.get(given + 1).map(String::as_str).unwrap_or_default();
    deep > 0 && tells(line, shell, deep - 1)
}

impl Shell {
    /// `set -eo pipefail`, and the like.
    fn set(&mut self, words: &[String]) {
        for (place, word) in words.iter().enumerate() {
            let on = word.starts_with('-');
            if !on && !word.starts_with('+') {
                continue;
            }
            let named = word.contains('o').then(|| words.get(place + 1)).flatten();
            match named.map(String::as_str) {
                Some("pipefail") => self.pipefail = on,
                Some("errexit") => self.errexit = on,
                _ => {}
            }
            if word.contains('e') {
                self.errexit = on;
            }
        }
    }
}
