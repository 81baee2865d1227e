//! `custom`: done when host code says so. It is called by name, is given what the run said, and gives
//! a typed answer; anything else shows nothing.

use super::{Criteria, given};
use crate::mission::prelude::*;
use crate::protocols::iteration::definition::{CompletionConfig, Definition};
use crate::protocols::iteration::text;
use crate::vocab::json;
use serde_json::Value;

/// The most characters of a response that host code is given, from its end.
const MOST_RESPONSE: usize = 200_000;
/// The most actions that are read from one run.
const MOST_ACTIONS: usize = 1_000;
/// The most characters of the prompt that host code may give.
const MOST_PROMPT: usize = 65_536;
/// The most characters that are kept for host code, and of its description.
const MOST_MEMORY: usize = 4_096;

/// See [`super::Handler::Custom`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "CustomHandler")]
pub struct Custom {
    /// The name that the host registered: that of a type, or the path of the handler module from the
    /// root of the repository.
    pub handler: String,
}

/// What host code is given.
#[derive(Clone, Debug, PartialEq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ConsultInput")]
pub struct ConsultInput {
    /// The number of the run, the initial one being 1.
    pub iteration: u64,
    /// What the run said; empty if it did not end well.
    pub assistant_responses: Vec<String>,
    /// What it announced in blocks marked `action` or `json`: objects with a `type`.
    pub detected_actions: Vec<Value>,
    /// The definition of the agent.
    pub definition: Definition,
    /// The arguments of the caller.
    pub args: BTreeMap<String, String>,
    /// What the last answer asked to be kept.
    pub memory: Option<String>,
}

/// What host code answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ConsultAnswer")]
pub struct ConsultAnswer {
    /// Whether the agent is done.
    pub complete: bool,
    /// Why, in words.
    #[serde(default)]
    pub description: Option<String>,
    /// What the next run is told instead of the continuation template, word for word.
    #[serde(default)]
    pub prompt: Option<String>,
    /// What is given back with the next consult: host code needs no memory of its own.
    #[serde(default)]
    pub memory: Option<String>,
}

pub(super) fn make(agent: &str, config: &CompletionConfig, at: &str) -> Result<Custom> {
    let at = format!("{at}.handlerPath");
    let expected = "a path of a file under the agent's directory";
    let path = given(&config.handler_path, at, expected, |path| is_plain_path(path))?;
    Ok(Custom { handler: format!(".agent/{agent}/{path}") })
}

/// Whether a path names a file below where it starts, however it is read: each part a plain name. What
/// the file system makes of it (links) is for the host to look at when it loads the module.
fn is_plain_path(path: &str) -> bool {
    let plain = |part: &str| {
        let dots = part.chars().all(|one| one == '.');
        !part.is_empty() && !dots && part.trim() == part
    };
    let bad = |one: char| one.is_control() || matches!(one, '\\' | ':' | '~' | '%');
    path.len() <= 1_000 && !path.contains(bad) && path.split('/').all(plain)
}

impl Custom {
    pub(super) fn criteria(&self) -> Criteria {
        let name = &self.handler;
        Criteria {
            short: format!("{name} says that it is complete"),
            detailed: format!(
                "Whether you are done is decided by the handler {name} after each of your runs, from what \
                 you say. Announce each decision or action in a fenced block marked `action`, as a JSON \
                 object with a `type`, for example {{\"type\": \"decision\", \"text\": \"…\"}}."
            ),
        }
    }
}

/// The text that host code is given for a run.
pub(in crate::protocols::iteration) fn input(
    definition: &Definition,
    args: &BTreeMap<String, String>,
    iteration: u64,
    said: Option<&str>,
    memory: Option<&str>,
) -> String {
    json::encode(&ConsultInput {
        iteration,
        assistant_responses: said.map(last_part).into_iter().collect(),
        detected_actions: said.map(actions).unwrap_or_default(),
        definition: definition.clone(),
        args: args.clone(),
        memory: memory.map(str::to_owned),
    })
}

fn last_part(said: &str) -> String {
    let from = said.char_indices().rev().nth(MOST_RESPONSE - 1).map_or(0, |(at, _)| at);
    said.get(from..).unwrap_or_default().to_owned()
}

/// The actions that a run announced: blocks marked `action` or `json` that hold an object with a `type`,
/// or a list of such. What cannot be read is none.
fn actions(said: &str) -> Vec<Value> {
    let found = text::blocks(said).filter(|block| matches!(block.tag.as_str(), "action" | "json"));
    let values = found.filter_map(|block| {
        json::guard(&block.content).ok()?;
        serde_json::from_str::<Value>(&block.content).ok()
    });
    let each = values.flat_map(|value| match value {
        Value::Array(items) => items,
        one => vec![one],
    });
    each.filter(|one| one.get("type").is_some_and(Value::is_string)).take(MOST_ACTIONS).collect()
}

/// Reads an answer of host code.
///
/// # Errors
/// The exact fault, with its place.
pub fn read(text: &str) -> Result<ConsultAnswer> {
    let answer: ConsultAnswer = json::decode(text)?;
    let fields = [
        ("description", &answer.description, MOST_MEMORY),
        ("prompt", &answer.prompt, MOST_PROMPT),
        ("memory", &answer.memory, MOST_MEMORY),
    ];
    for (name, text, most) in fields {
        let long = text.as_ref().map_or(0, |text| text.chars().count());
        if long > most {
            let expected = format!("at most {most} characters");
            return Err(Error::new(Code::TooLarge, name, expected, format!("{long} characters")));
        }
    }
    Ok(answer)
}
