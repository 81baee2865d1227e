//! What the exit status of a command line tells.

/// Programs that succeed whatever is the case.
const ALWAYS: [&str; 4] = ["true", ":", "echo", "printf"];
/// Programs that succeed at the end of a pipeline, whatever comes in.
const PASSING: [&str; 4] = ["cat", "head", "tail", "tee"];

/// Whether the exit status of a command line says nothing about how it went: it is that of a part only, or no program
/// that could fail is run. The status of a pipeline is that of its last program.
pub(crate) fn says_nothing(command: &str) -> bool {
    let mute = |part: &str| {
        let (piped, last) = part.rsplit_once('|').map_or((false, part), |(_, last)| (true, last));
        let program = last.split_whitespace().next().unwrap_or_default();
        let passes = piped && PASSING.contains(&program);
        passes || program.is_empty() || program.starts_with('#') || ALWAYS.contains(&program)
    };
    !has_one_status(command) || command.split("&&").all(mute)
}

/// Whether the exit status of a command line is that of all of it: one program or pipeline, or several joined by `&&`. One
/// before a `;`, `||`, `&` or a new line may have failed although the status is 0.
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
            (None, '|') if letters.peek() != Some(&'|') => {}
            (None, '|' | ';' | '&' | '\n' | '`') => return false,
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_fail_decides() {
        for command in [
            "true",
            "",
            " ",
            "# make test",
            "echo ok && true",
            "make test || true",
            "make test; echo",
            "make test &",
            "make test 2>&1 | tail -1",
            "make test | tee log",
            "a `b`",
        ] {
            assert!(says_nothing(command), "{command}");
        }
        for command in [
            "make test",
            "make test && echo ok",
            "make test 2>&1",
            "cat README.md",
            "bin/slug --help | grep -q -- -n",
            "grep 'a|b' file",
            "sh -c 'a; b || c'",
        ] {
            assert!(!says_nothing(command), "{command}");
        }
    }
}
