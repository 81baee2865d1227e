//! Prompt templates: texts by name with variables written `{uv-name}`.
//!
//! The names are those of the definition's origin: `initial_<type>`, `continuation_<type>`, and for
//! projects `continuation_project_<phase>`. The caller may replace our texts with its own.
//! The value of a variable is put in once and not searched again, so no text of an agent is
//! ever taken for a variable. A variable that nothing resolves is found before the mission starts.

use super::handler::Handler;
use super::handler::project::Phase;
use crate::mission::prelude::*;
use crate::mission::template::{self, Fields, Marks};

/// Variables that every template may use.
pub(super) const EVERYWHERE: [&str; 6] =
    ["mission", "agent", "iteration", "max_iterations", "remaining", "completion_criteria"];
/// Variables that only the prompts after the first may use.
pub(super) const LATER: [&str; 1] = ["previous_summary"];
/// The variable that templates of projects may use.
pub(super) const PHASE: &str = "phase";
/// How a variable is written.
const MARKS: Marks = Marks { open: "{uv-", close: "}", also: "_-.", sections: false };
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
    template::names(text, &MARKS)
}

/// A template with its variables put in.
///
/// # Errors
/// `unresolved_variable` with the template and the variable.
pub(super) fn resolve(name: &str, text: &str, values: &Fields) -> Result<String> {
    match variables(text).into_iter().find(|variable| !values.names().any(|one| one == *variable)) {
        Some(variable) => Err(unresolved(name, variable, values.names())),
        None => Ok(template::fill_marked(text, &MARKS, values)),
    }
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
            return Err(unresolved(&name, variable, known.iter().map(String::as_str)));
        }
    }
    Ok(())
}

fn unresolved<'a>(template: &str, variable: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let known: Vec<String> = known.map(|name| format!("uv-{name}")).collect();
    let expected = format!("one of {}", clip(&known.join(", "), 400));
    let got = format!("{{uv-{variable}}}");
    Error::new(Code::UnresolvedVariable, format!("templates.{template}"), expected, got)
}

/// Our own texts.
fn ours(name: &str) -> &'static str {
    template::section(include_str!("prompts/task.md"), name).trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mission::template::fields;

    #[test]
    fn variables_are_put_in_once() {
        let known = fields! { a: "{uv-b}", b: "no" };
        let made = resolve("t", "x {uv-a} {uv-} {uv-a b} {uv-b}é{uv-a", &known).unwrap();
        assert_eq!(made, "x {uv-b} {uv-} {uv-a b} noé{uv-a");
        let error = resolve("t", "{uv-c}", &known).unwrap_err();
        assert_eq!((error.code, error.at.as_str()), (Code::UnresolvedVariable, "templates.t"));
        assert_eq!(error.got, "{uv-c}");
    }
}
