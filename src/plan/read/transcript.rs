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
    // The last line of a command whose end nobody asked for yet.
    let mut command = None;
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
        if typed.is_none() && after && alone && is_number(line) {
            printed(&mut kept, &mut command, line.trim());
        }
        after = typed.is_some() && !open;
        if typed.is_some_and(|typed| !is_blank(typed) && typed.trim() != ASKS) {
            command = Some(kept.len());
        }
        kept.push(Cow::Borrowed(typed.unwrap_or_default()));
    }
    Cow::Owned(kept.join("\n"))
}

/// What somebody types to see how the command before it ended.
const ASKS: &str = "echo $?";

/// Says of the last line what it printed, or of the command before it with which status that ended. What is asked
/// twice, or before any command, stays as it is.
fn printed(kept: &mut [Cow<'_, str>], command: &mut Option<usize>, number: &str) {
    let asks = kept.last().is_some_and(|line| line.trim() == ASKS);
    let place = if asks { command.take() } else { kept.len().checked_sub(1) };
    if let Some(line) = place.and_then(|place| kept.get_mut(place)) {
        let says = if asks { "exits " } else { "" };
        *line = Cow::Owned(format!("{line}  # {says}{number}"));
        if let Some(last) = kept.last_mut().filter(|_| asks) {
            *last = Cow::Borrowed("");
        }
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
