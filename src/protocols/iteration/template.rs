//! Prompt templates: texts by name with variables written `{uv-name}`.
//!
//! The names are those the definition's world knows: `initial_<type>`, `continuation_<type>`, and for
//! projects `continuation_project_<phase>`. The caller may put texts of its own in the place of ours.
//! What a variable stands for is put in once and not looked through again, so nothing an agent said is
//! ever taken for a variable. A variable that nothing resolves is found before the mission starts.

use super::handler::Handler;
use super::handler::project::Phase;
use crate::vocab::error::{Code, Error, Result, clip};
use std::collections::{BTreeMap, BTreeSet};

/// Variables that every template may use.
pub(super) const EVERYWHERE: [&str; 6] =
    ["mission", "agent", "iteration", "max_iterations", "remaining", "completion_criteria"];
/// Variables that only the prompts after the first may use.
pub(super) const LATER: [&str; 1] = ["previous_summary"];
/// The variable that templates of projects may use.
pub(super) const PHASE: &str = "phase";
/// The longest template, in bytes.
const MOST_BYTES: usize = 262_144;

/// The template of the first prompt.
pub fn initial(handler: &Handler) -> String {
    format!("initial_{}", handler.word())
}

/// The template of a later prompt.
pub fn continuation(handler: &Handler, phase: Phase) -> String {
    match handler {
        Handler::Project(_) => format!("continuation_project_{}", phase.as_str()),
        other => format!("continuation_{}", other.word()),
    }
}

/// Every template of a handler, and whether it is the first one's.
pub fn names(handler: &Handler) -> Vec<(String, bool)> {
    let mut later: Vec<String> =
        Phase::ALL.into_iter().map(|phase| continuation(handler, phase)).collect();
    later.dedup();
    let later = later.into_iter().map(|name| (name, false));
    std::iter::once((initial(handler), true)).chain(later).collect()
}

/// The text of a template: the caller's, or ours.
pub fn text<'a>(name: &str, overrides: &'a BTreeMap<String, String>) -> &'a str {
    overrides.get(name).map_or_else(|| ours(name), String::as_str)
}

/// The variables a template uses, without `uv-`, in order.
pub fn variables(text: &str) -> Vec<&str> {
    pieces(text)
        .filter_map(|piece| match piece {
            Piece::Variable(name) => Some(name),
            Piece::Plain(_) => None,
        })
        .collect()
}

/// A template with its variables put in.
///
/// # Errors
/// `unresolved_variable` with the template and the variable.
pub fn resolve(name: &str, text: &str, values: &BTreeMap<String, String>) -> Result<String> {
    let mut made = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Plain(part) => made.push_str(part),
            Piece::Variable(variable) => match values.get(variable) {
                Some(value) => made.push_str(value),
                None => return Err(unresolved(name, variable, values.keys())),
            },
        }
    }
    Ok(made)
}

/// Looks at every template of a handler before anything is prompted.
///
/// # Errors
/// `unresolved_variable`, or `too_large` for a text that is no template.
pub fn check(
    handler: &Handler,
    overrides: &BTreeMap<String, String>,
    args: &BTreeMap<String, String>,
) -> Result<()> {
    let own = handler.variables();
    let known = |first: bool| -> BTreeSet<String> {
        let phase = handler.has_phases().then_some(PHASE);
        let later = LATER.into_iter().filter(|_| !first);
        let ours = EVERYWHERE.into_iter().chain(later).chain(phase);
        let names = ours.chain(own.iter().map(|(name, _)| *name)).map(str::to_owned);
        names.chain(args.keys().cloned()).collect()
    };
    for (name, first) in names(handler) {
        let text = text(&name, overrides);
        if text.len() > MOST_BYTES {
            let (expected, got) =
                (format!("at most {MOST_BYTES} bytes"), format!("{} bytes", text.len()));
            return Err(Error::new(Code::TooLarge, format!("templates.{name}"), expected, got));
        }
        let known = known(first);
        if let Some(variable) = variables(text).into_iter().find(|one| !known.contains(*one)) {
            return Err(unresolved(&name, variable, known.iter()));
        }
    }
    Ok(())
}

fn unresolved<'a>(
    template: &str,
    variable: &str,
    known: impl Iterator<Item = &'a String>,
) -> Error {
    let known: Vec<String> = known.map(|name| format!("uv-{name}")).collect();
    let expected = format!("one of {}", clip(&known.join(", "), 400));
    let got = format!("{{uv-{variable}}}");
    Error::new(Code::UnresolvedVariable, format!("templates.{template}"), expected, got)
}

/// A part of a template.
enum Piece<'a> {
    Plain(&'a str),
    Variable(&'a str),
}

const OPEN: &str = "{uv-";

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, behind)) = variable_at(rest) {
            rest = behind;
            return Some(Piece::Variable(name));
        }
        // What only looks like the start of a variable is plain text.
        let from = rest.char_indices().nth(1).map_or(rest.len(), |(at, _)| at);
        let next = (from..rest.len()).find(|at| {
            rest.is_char_boundary(*at)
                && rest[*at..].starts_with(OPEN)
                && variable_at(&rest[*at..]).is_some()
        });
        let (plain, behind) = rest.split_at(next.unwrap_or(rest.len()));
        rest = behind;
        Some(Piece::Plain(plain))
    })
}

/// The variable that a text begins with, and what follows it.
fn variable_at(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix(OPEN)?;
    let (name, behind) = inner.split_once('}')?;
    let plain = |one: char| one.is_alphanumeric() || matches!(one, '_' | '-' | '.');
    (!name.is_empty() && name.chars().all(plain)).then_some((name, behind))
}

/// Our own texts.
fn ours(name: &str) -> &'static str {
    match name {
        "initial_issue" => {
            "Begin with issue #{uv-issue_number}: read it with `gh issue view {uv-issue_number}`, find out \
             what it asks for, and start."
        }
        "continuation_issue" => {
            "Issue #{uv-issue_number} is still open. Go on where the runs before you stopped:\n\
             {uv-previous_summary}"
        }
        "initial_project" => {
            "Begin with project #{uv-project_number}. It is in phase {uv-phase}. Its labels: {uv-labels}."
        }
        "continuation_project_preparation" => {
            "Project #{uv-project_number} is still in phase {uv-phase}: finish gathering what is wanted, \
             then enter the next phase.\nThe runs before you said:\n{uv-previous_summary}"
        }
        "continuation_project_processing" => {
            "Project #{uv-project_number} is in phase {uv-phase}: work on what is open.\nThe runs before \
             you said:\n{uv-previous_summary}"
        }
        "continuation_project_review" => {
            "Project #{uv-project_number} is in phase {uv-phase}: look at what was done as if somebody else \
             had done it, and mend what is wrong.\nThe runs before you said:\n{uv-previous_summary}"
        }
        "continuation_project_complete" => {
            "Project #{uv-project_number} is in phase {uv-phase}: only what finishes it is left.\nThe runs \
             before you said:\n{uv-previous_summary}"
        }
        "initial_iterate" => "Begin. This is the first of {uv-max_iterations} iterations.",
        "continuation_iterate" => {
            "This is iteration {uv-iteration} of {uv-max_iterations}; {uv-remaining} follow it.\nThe runs \
             before you said:\n{uv-previous_summary}"
        }
        "initial_manual" => {
            "Begin with the work. The word that ends it is {uv-completion_keyword}."
        }
        "continuation_manual" => {
            "The word {uv-completion_keyword} was not given yet, so the work is not done. This is iteration \
             {uv-iteration}.\nThe runs before you said:\n{uv-previous_summary}"
        }
        "initial_custom" => "Begin with the work.",
        "continuation_custom" => {
            "The handler finds that you are not done. This is iteration {uv-iteration}.\nThe runs before \
             you said:\n{uv-previous_summary}"
        }
        "initial_check" => "Begin with the work. It is done when `{uv-check_command}` succeeds.",
        "continuation_check" => {
            "`{uv-check_command}` does not succeed yet. Run it, find out why, and mend that.\nThe runs \
             before you said:\n{uv-previous_summary}"
        }
        "initial_structured" => {
            "Begin with the work. The block that ends it is marked `{uv-signal_type}` and holds these \
             fields: {uv-required_fields}."
        }
        "continuation_structured" => {
            "The block marked `{uv-signal_type}` was not given yet, or lacked a field. This is iteration \
             {uv-iteration}.\nThe runs before you said:\n{uv-previous_summary}"
        }
        "initial_composite" => {
            "Begin with the work. Several conditions say together when it is done."
        }
        "continuation_composite" => {
            "The conditions do not hold together yet. This is iteration {uv-iteration}.\nThe runs before \
             you said:\n{uv-previous_summary}"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn variables_are_put_in_once() {
        let known = values(&[("a", "{uv-b}"), ("b", "no")]);
        let made = resolve("t", "x {uv-a} {uv-} {uv-a b} {uv-b}é{uv-a", &known).unwrap();
        assert_eq!(made, "x {uv-b} {uv-} {uv-a b} noé{uv-a");
        let error = resolve("t", "{uv-c}", &known).unwrap_err();
        assert_eq!((error.code, error.at.as_str()), (Code::UnresolvedVariable, "templates.t"));
        assert_eq!(error.got, "{uv-c}");
    }
}
