//! A command line as the shell takes it apart: words, and the marks between commands.

/// A piece of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// A word, without its quotes.
    Word(String),
    /// `;` (or the end of a line), `&`, `&&`, `||`, `|`, `(` or `)`, where nothing quotes it.
    Between(&'static str),
}

/// The pieces of a line; `None` if a quotation or a substitution stays open.
pub(super) fn marks(command: &str) -> Option<Vec<Mark>> {
    let mut reader = Reader { rest: command.chars().collect(), ..Reader::default() };
    reader.rest.reverse();
    while let Some(letter) = reader.rest.pop() {
        reader.take(letter)?;
    }
    reader.flush();
    Some(reader.found)
}

/// Reads letter by letter; what is not read yet stands backwards.
#[derive(Default)]
struct Reader {
    rest: Vec<char>,
    word: String,
    begun: bool,
    found: Vec<Mark>,
}

impl Reader {
    fn take(&mut self, letter: char) -> Option<()> {
        match letter {
            '\\' => {
                // A line that goes on is one line.
                let next = self.rest.pop()?;
                if next != '\n' {
                    self.push(next);
                }
            }
            '\'' | '"' | '`' => self.quoted(letter)?,
            '$' if self.is_next('(') => self.substituted(letter)?,
            '(' if self.begun => {
                self.rest.push('(');
                self.substituted(' ')?;
            }
            '#' if !self.begun => {
                while self.rest.last().is_some_and(|next| *next != '\n') {
                    self.rest.pop();
                }
            }
            ';' | '\n' => self.between(";"),
            '(' => self.between("("),
            ')' => self.between(")"),
            // `2>&1` and `>|` are parts of a redirection.
            '&' | '|' if self.word.ends_with(['>', '<']) => self.push(letter),
            '&' if self.is_next('>') => self.push(letter),
            '&' if self.eat('&') => self.between("&&"),
            '&' => self.between("&"),
            '|' if self.eat('|') => self.between("||"),
            '|' => {
                // `|&` takes what is said aside, too.
                self.eat('&');
                self.between("|");
            }
            space if space.is_whitespace() => self.flush(),
            _ => self.push(letter),
        }
        Some(())
    }

    fn is_next(&self, letter: char) -> bool {
        self.rest.last() == Some(&letter)
    }

    fn eat(&mut self, letter: char) -> bool {
        self.rest.pop_if(|next| *next == letter).is_some()
    }

    fn push(&mut self, letter: char) {
        self.word.push(letter);
        self.begun = true;
    }

    fn flush(&mut self) {
        if std::mem::take(&mut self.begun) {
            self.found.push(Mark::Word(std::mem::take(&mut self.word)));
        }
    }

    fn between(&mut self, mark: &'static str) {
        self.flush();
        self.found.push(Mark::Between(mark));
    }

    /// All up to the closing quote; without the quotes, which say nothing.
    fn quoted(&mut self, open: char) -> Option<()> {
        self.begun = true;
        loop {
            match self.rest.pop()? {
                mark if mark == open => return Some(()),
                '\\' if open != '\'' => {
                    let next = self.rest.pop()?;
                    self.word.push(next);
                }
                '$' if open == '"' && self.is_next('(') => self.substituted('$')?,
                letter => self.word.push(letter),
            }
        }
    }

    /// `$(…)` up to where it closes. What it comes to is not known, and no mark in it is one of the line's.
    fn substituted(&mut self, before: char) -> Option<()> {
        let mut depth = 0_usize;
        self.push(before);
        loop {
            let letter = self.rest.pop()?;
            match letter {
                '\\' => {
                    self.rest.pop()?;
                }
                '\'' | '"' => self.quoted(letter)?,
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            self.word.push(letter);
            if depth == 0 {
                return Some(());
            }
        }
    }
}
