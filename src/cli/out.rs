//! What is printed: plain lines for people, or one JSON object per line. Texts from outside are made
//! safe for a terminal on the way out. A reader that went away is no error.

use super::exit::Fault;
use endstate::native::redact::printable;
use serde_json::Value;
use std::io::Write;

/// Where a command prints to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Out {
    pub(crate) json: bool,
}

impl Out {
    /// A line for people.
    pub(crate) fn say(self, text: impl AsRef<str>) {
        if !self.json {
            line(&mut std::io::stdout().lock(), &printable(text.as_ref()));
        }
    }

    /// An object for programs.
    pub(crate) fn object(self, value: &Value) {
        if self.json {
            line(&mut std::io::stdout().lock(), &escaped(&value.to_string()));
        }
    }

    /// JSON text that is printed alike, whoever reads it.
    pub(crate) fn json_text(self, text: &str) {
        self.raw(&escaped(text));
    }

    /// Text that is printed alike, whoever reads it.
    pub(crate) fn raw(self, text: &str) {
        line(&mut std::io::stdout().lock(), text.trim_end_matches('\n'));
    }

    /// Why a command did nothing: on standard output as an object, or on standard error.
    pub(crate) fn fault(self, fault: &Fault) {
        match self.json {
            true => self.object(&fault.json()),
            false => line(&mut std::io::stderr().lock(), &printable(&fault.to_string())),
        }
    }
}

/// JSON text with what a terminal would obey, and JSON leaves as it is, written as escapes: the
/// control characters beyond ASCII, and the marks that reverse text. In JSON text they can only
/// stand inside of strings, so the value stays the same.
fn escaped(json: &str) -> String {
    let obeyed = |letter: char| matches!(letter, '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !json.contains(obeyed) {
        return json.to_owned();
    }
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        match obeyed(letter) {
            true => text.push_str(&format!("\\u{:04x}", u32::from(letter))),
            false => text.push(letter),
        }
    }
    text
}

fn line(to: &mut dyn Write, text: &str) {
    let _ = writeln!(to, "{text}").and_then(|()| to.flush());
}
