//! The commands of a plan are shown to the user, each as it is run, before the first of them is.

use super::template::{Fields, fields};
use crate::vocab::error::{Code, Diagnostic, Error};
use crate::vocab::shown::CommandLine;
use crate::vocab::text::escaped;
use std::collections::BTreeSet;

/// What the question says of commands, each once.
pub(crate) fn told<'a>(lines: impl Iterator<Item = &'a CommandLine>) -> Fields {
    let mut seen = BTreeSet::new();
    let lines = lines.map(exactly).filter(|line| seen.insert(line.clone()));
    let shown: Vec<String> = lines.map(|line| format!("  {line}")).collect();
    fields! { count: shown.len(), commands: shown.join("\n") }
}

/// Why nothing goes on where the user wants neither an end with these commands nor one without.
pub(crate) fn refused() -> Diagnostic {
    let expected = "a plan whose commands may be run";
    Error::new(Code::InvalidValue, "plan", expected, "not trusted").diagnostic()
}

/// A command as it is run, whole and in one line: whoever reads it lets it run. What a terminal would not show as it
/// is, or a reader take for something else, is written out.
fn exactly(line: &CommandLine) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%".contains(c);
    let word = |word: &String| match !word.is_empty() && word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let text = match line.argv.as_slice() {
        [shell, flag, text] if shell == "sh" && flag == "-c" => text.clone(),
        argv => argv.iter().map(word).collect::<Vec<_>>().join(" "),
    };
    escaped(&text)
}
