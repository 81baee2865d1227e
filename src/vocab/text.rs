//! Texts of people and agents, made fit for a line, a terminal or a message.

/// `text` with every run of white space and control characters made one space.
pub fn one_line(text: &str) -> String {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    text.split(blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// `text` in one line with nothing left out: control characters, and marks that are not seen or turn the direction of
/// text, are written as what they are (`\n`, `\u{202e}`).
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        let unseen = matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        match unseen || letter.is_control() {
            true => shown.extend(letter.escape_default()),
            false => shown.push(letter),
        }
    }
    shown
}

/// `text` as it may be shown on a terminal: escape sequences and control characters taken out,
/// tabs and line ends kept, marks that reverse the direction of text too.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' | '\u{9b}' => skip_sequence(letter, &mut letters),
            '\n' | '\t' => shown.push(letter),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            letter if letter.is_control() => {}
            letter => shown.push(letter),
        }
    }
    shown
}

/// Skips the rest of an escape sequence: a control sequence up to its final letter, a string (a
/// title, a link) up to its terminator, or one letter.
fn skip_sequence(first: char, letters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let kind = match first {
        '\u{9b}' => Some('['),
        _ => letters.next_if(|next| !next.is_control()),
    };
    match kind {
        Some('[') => {
            while letters.next_if(|next| matches!(next, ' '..='?')).is_some() {}
            letters.next_if(|next| matches!(next, '@'..='~'));
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            // A string that never ends must not swallow the next line.
            while let Some(next) = letters.next_if(|next| *next != '\n') {
                match next {
                    '\u{7}' | '\u{9c}' => return,
                    '\u{1b}' => {
                        letters.next_if_eq(&'\\');
                        return;
                    }
                    _ => {}
                }
            }
        }
        Some(' '..='/') => {
            letters.next();
        }
        Some(_) | None => {}
    }
}
