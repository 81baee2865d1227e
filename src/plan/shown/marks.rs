//! A command line as the shell takes it apart: words, and the marks between commands.

/// A piece of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// A word, without its quotes.
    Word(String),
    /// `;` (or the end of a line), `&`, `&&`, `||`, `|`, `(` or `)`, where nothing quotes it.
    Between(&'static str),
}

/// How deep substitutions stand in each other before a line is not understood: each costs room on the stack.
const DEEPEST: u8 = 32;

/// The pieces of a line; `None` if a quotation or a substitution stays open.
pub(super) fn marks(command: &str) -> Option<Vec<Mark>> {
    // Most lines are words and nothing else.
    if is_words(command) {
        return Some(command.split_whitespace().map(|word| Mark::Word(word.to_owned())).collect());
    }
    let all: Vec<char> = command.chars().rev().collect();
    let mut reader = Reader { rest: all.clone(), all, ..Reader::default() };
    while let Some(letter) = reader.rest.pop() {
        reader.take(letter)?;
    }
    reader.flush();
    // What a text below the line is still awaited for is none.
    reader.below.is_empty().then_some(reader.found)
}

/// Whether a line is words and nothing else: no letter of it means something to the shell.
pub(super) fn is_words(command: &str) -> bool {
    !command.contains(is_special)
}

/// Letters that may mean something to the shell.
fn is_special(letter: char) -> bool {
    matches!(
        letter,
        '\\' | '\'' | '"' | '`' | '$' | '(' | ')' | '#' | ';' | '&' | '|' | '<' | '>' | '\n'
    )
}

/// Reads letter by letter; what is not read yet stands backwards.
#[derive(Default)]
struct Reader {
    rest: Vec<char>,
    /// The whole line, backwards, too.
    all: Vec<char>,
    word: String,
    begun: bool,
    found: Vec<Mark>,
    /// How many substitutions are open.
    inside: u8,
    /// `<<` stands in the word, and no quotes around it.
    arrow: bool,
    /// The next word ends a text that stands below the line.
    awaited: bool,
    /// Where the texts go that stand below the line, and the words that end them.
    below: Vec<(usize, String)>,
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
            '\'' | '"' => self.quoted(letter)?,
            // An older way to write `$(…)`.
            '`' => {
                self.word.push_str("$(");
                self.quoted(letter)?;
                self.push(')');
            }
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
            '\n' => {
                self.between(";");
                self.texts()?;
            }
            ';' => self.between(";"),
            '(' => self.between("("),
            ')' => self.between(")"),
            // `2>&1` and `>|` are parts of a redirection.
            '<' => {
                self.arrow |= self.word.ends_with('<');
                self.push(letter);
            }
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
            let word = std::mem::take(&mut self.word);
            self.awaits(&word);
            self.found.push(Mark::Word(word));
        }
    }

    /// `<<END`, `<<-END` and `<< END` announce a text below the line.
    fn awaits(&mut self, word: &str) {
        let arrow = std::mem::take(&mut self.arrow);
        let behind = word.split_once("<<").map(|(_, behind)| behind).filter(|_| arrow);
        let end = match behind.map(|behind| behind.strip_prefix('-').unwrap_or(behind)) {
            _ if std::mem::take(&mut self.awaited) => word,
            // `<<<` takes a word.
            Some(end) if end.starts_with('<') => return,
            Some("") => {
                self.awaited = true;
                return;
            }
            Some(end) => end,
            None => return,
        };
        self.below.push((self.found.len(), end.to_owned()));
    }

    /// The texts that the line before announced; each becomes the word that announced it.
    fn texts(&mut self) -> Option<()> {
        for (place, end) in std::mem::take(&mut self.below) {
            let mut text = "<<".to_owned();
            loop {
                let line = self.line()?;
                if line.trim_start_matches('\t') == end {
                    break;
                }
                text.push_str(&line);
                text.push('\n');
            }
            if let Some(word) = self.found.get_mut(place) {
                *word = Mark::Word(text);
            }
        }
        Some(())
    }

    /// The next line as it is written, if there is one.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.rest.last()?;
        while let Some(letter) = self.rest.pop().filter(|letter| *letter != '\n') {
            line.push(letter);
        }
        Some(line)
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
        let (kept, start) = (self.word.len(), self.rest.len());
        self.inside += 1;
        if self.inside > DEEPEST {
            return None;
        }
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
            if depth == 0 {
                // Whoever reads it as a line needs its quotes, and those of what stands within are among them.
                self.inside -= 1;
                if self.inside == 0 {
                    self.word.truncate(kept);
                    self.word.extend(self.all.get(self.rest.len()..start)?.iter().rev());
                }
                return Some(());
            }
        }
    }
}
