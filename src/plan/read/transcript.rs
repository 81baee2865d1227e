//! Fences with what somebody saw on a terminal: what was typed behind a prompt, and what was printed.

use std::borrow::Cow;

/// Whether a fence may hold commands: one of the shell, or one with prompts.
pub(super) fn holds_commands(info: &str, body: &str) -> bool {
    let mut words = info.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let language = words.next().unwrap_or_default().to_lowercase();
    let next = words.next().unwrap_or_default().to_lowercase();
    match language.as_str() {
        "" | "bash" | "sh" | "shell" | "zsh" | "console" | "fish" | "shellsession" | "terminal" => {
            !matches!(next.as_str(), "output" | "result" | "log") || has_prompt(body)
        }
        "text" | "txt" | "output" | "plaintext" | "plain" => has_prompt(body),
        _ => false,
    }
}

/// What was typed: with prompts before the first command, only what stands behind one was. Lines stay where they are.
/// A number alone that a command printed stays as a comment on it.
pub(super) fn typed(body: &str) -> Cow<'_, str> {
    if !has_prompt(body) {
        return Cow::Borrowed(body);
    }
    let mut lines =
        body.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    // What stands before the first prompt may be typed as well.
    if lines.next().is_none_or(|line| behind_prompt(line).is_none()) {
        let bare = body.lines().map(|line| behind_prompt(line.trim()).unwrap_or(line));
        return Cow::Owned(bare.collect::<Vec<_>>().join("\n"));
    }
    let mut kept: Vec<Cow<'_, str>> = Vec::new();
    let (mut open, mut after) = (false, false);
    let mut rest = body.lines().peekable();
    while let Some(line) = rest.next() {
        let typed = match behind_prompt(line.trim()) {
            Some(typed) => Some(typed),
            None if open => Some(line.trim_start().strip_prefix("> ").unwrap_or(line)),
            None => None,
        };
        open = typed.is_some_and(|typed| typed.trim_end().ends_with(['\\', '|']));
        let alone =
            rest.peek().is_none_or(|next| is_blank(next) || behind_prompt(next.trim()).is_some());
        if typed.is_none()
            && after
            && alone
            && is_number(line)
            && let Some(command) = kept.last_mut()
        {
            match command.trim() == ASKS {
                true => {
                    *command = Cow::Borrowed("");
                    ended(&mut kept, line.trim());
                }
                false => *command = Cow::Owned(format!("{command}  # {}", line.trim())),
            }
        }
        after = typed.is_some() && !open;
        kept.push(Cow::Borrowed(typed.unwrap_or_default()));
    }
    Cow::Owned(kept.join("\n"))
}

/// What somebody types to see how the command before it ended.
const ASKS: &str = "echo $?";

/// Says of the last command with which status it ended.
fn ended(kept: &mut [Cow<'_, str>], status: &str) {
    if let Some(command) = kept.iter_mut().rev().find(|line| !line.trim().is_empty()) {
        *command = Cow::Owned(format!("{command}  # exits {status}"));
    }
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn is_number(line: &str) -> bool {
    let bare = line.trim();
    !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit())
}

fn has_prompt(body: &str) -> bool {
    body.lines().any(|line| behind_prompt(line.trim()).is_some())
}

/// What stands behind `$ `, `% ` or `user@host:~$ `.
fn behind_prompt(line: &str) -> Option<&str> {
    let (prompt, typed) = line.split_once(' ')?;
    let named = prompt.contains('@') && prompt.ends_with(['$', '#', '%']);
    (matches!(prompt, "$" | "%") || named).then(|| typed.trim_start())
}
