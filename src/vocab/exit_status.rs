//! What the exit status of a command line tells.

/// Programs that succeed whatever is the case.
const ALWAYS: [&str; 4] = ["true", ":", "echo", "printf"];

/// Whether the exit status of a command line says nothing about how it went: it is that of a part only, or no program
/// that could fail is run.
pub(crate) fn says_nothing(command: &str) -> bool {
    let program = |part: &str| part.split_whitespace().next().unwrap_or_default().to_owned();
    let mute =
        |name: String| name.is_empty() || name.starts_with('#') || ALWAYS.contains(&name.as_str());
    !has_one_status(command) || command.split("&&").all(|part| mute(program(part)))
}

/// Whether the exit status of a command line is that of all of it: one program, or several joined by `&&`. A program
/// before a `|`, `;`, `||`, `&` or a new line may have failed although the status is 0.
fn has_one_status(command: &str) -> bool {
    let mut quote = None;
    let mut letters = command.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => {
                letters.next();
            }
            (None, '\'' | '"') => quote = Some(letter),
            (None, '&') if letters.peek() == Some(&'&') => {
                letters.next();
            }
            // `2>&1` and `&>` only say where output goes.
            (None, '>') if letters.peek() == Some(&'&') => {
                letters.next();
            }
            (None, '&') if letters.peek() == Some(&'>') => {}
            (None, '|' | ';' | '&' | '\n' | '`') => return false,
            _ => {}
        }
    }
    true
}
