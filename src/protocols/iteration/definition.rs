//! The agent definition: the `agent.json` that names an agent and says when it is complete.
//!
//! Two spellings are read. The older one has `behavior.completionType` and
//! `behavior.completionConfig`; the newer one `runner.verdict.type` and `runner.verdict.config`, with
//! the types called `poll:state`, `count:iteration`, `count:check`, `detect:keyword`,
//! `detect:structured`, `meta:composite` and `meta:custom`. Both become the same [`Definition`], in the
//! older spelling. Fields that say nothing about completion are passed over; what is wrong is named by
//! its place in the document.

use super::handler;
use crate::mission::prelude::*;
use crate::vocab::json::{self, RawObject};
use crate::vocab::table::map_of;
use serde_json::Value;

/// How deep conditions may stand in one another.
pub(super) const MOST_NESTING: usize = 4;
/// The most settings of one kind: labels, conditions of a composite, required fields.
const MOST_ENTRIES: usize = 64;
/// The keyword of the newer spelling, where none is named.
pub const DEFAULT_KEYWORD: &str = "TASK_COMPLETE";

/// An agent definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "AgentDefinition")]
pub struct Definition {
    /// Its name; also the name of its directory under `.agent/`.
    pub name: String,
    /// Its name for people.
    #[serde(default)]
    pub display_name: Option<String>,
    /// When it is complete.
    pub behavior: Behavior,
    /// Where its prompts are.
    #[serde(default)]
    pub prompts: Prompts,
    /// What it knows about GitHub.
    #[serde(default)]
    pub github: Github,
}

/// When an agent is complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "AgentBehavior")]
pub struct Behavior {
    /// `issue`, `project`, `iterate`, `manual`, `custom`, `check`, `structured`, `composite`, or a
    /// name that the host registered.
    pub completion_type: String,
    /// The settings of that type.
    #[serde(default)]
    pub completion_config: CompletionConfig,
}

/// The settings of a completion type. Each type reads its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(rename = "AgentCompletionConfig")]
pub struct CompletionConfig {
    /// `iterate`: how many runs, the initial one included. Others: the ceiling.
    pub max_iterations: Option<u64>,
    /// `manual`: the word that says that the work is done.
    pub completion_keyword: Option<String>,
    /// `manual` and `project`: where the words must stand.
    #[serde(rename = "match")]
    pub matching: Matching,
    /// `custom`: the handler module, under the agent's directory.
    pub handler_path: Option<String>,
    /// `issue`: the argument that holds the number.
    pub issue_param: Option<String>,
    /// `check`: program and arguments.
    pub command: Option<Vec<String>>,
    /// `check`: the ceiling.
    pub max_checks: Option<u64>,
    /// `structured`: the language tag of the block.
    pub signal_type: Option<String>,
    /// `structured`: what the block must hold.
    pub required_fields: Option<RequiredFields>,
    /// `composite`: how the conditions are joined.
    pub operator: Option<String>,
    /// `composite`: the conditions.
    pub conditions: Vec<Behavior>,
}

words! {
    /// Where words of an agent must stand to count.
    #[schemars(rename = "KeywordMatching")]
    Matching {
        Line "line" "Alone on a line, outside code.";
        Anywhere "anywhere" "Anywhere in the text.";
    }
}

/// What a structured signal must hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "type", content = "fields", rename_all = "snake_case")]
pub enum RequiredFields {
    /// Fields that must be there, whatever they hold.
    Names(Vec<String>),
    /// Fields with the values they must have, each as JSON text.
    Values(BTreeMap<String, String>),
}

/// Where an agent's prompts are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(rename = "AgentPrompts")]
pub struct Prompts {
    /// The registry of its prompts, under the agent's directory. The host reads it and hands over the
    /// templates by name.
    pub registry: Option<String>,
}

/// What an agent knows about GitHub.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(rename = "AgentGithub")]
pub struct Github {
    /// Labels by what they stand for.
    pub labels: BTreeMap<String, String>,
}

/// Reads an agent definition that needs nothing registered; see [`parse_with`].
///
/// # Errors
/// As [`parse_with`].
pub fn parse(text: &str) -> Result<Definition> {
    parse_with(text, &[])
}

/// Reads an agent definition; `registered` are the completion types that the host adds.
///
/// # Errors
/// Kind `malformed` with the field (`behavior.completionConfig.maxIterations`), what was expected and
/// what came.
pub fn parse_with(text: &str, registered: &[String]) -> Result<Definition> {
    let whole: Value = json::decode(text)?;
    ensure!(whole.is_object(), Code::NotAnObject, "", "a JSON object", kind(&whole))?;
    // A field twice is one too many, whichever of them would win.
    RawObject::read(text)?;
    let place = Place { value: Some(&whole), at: String::new() };
    let definition = read(&place)?;
    handler::of_definition(&definition, registered).map_err(|error| newer(&whole, error))?;
    Ok(definition)
}

/// A value with its place in the document.
struct Place<'a> {
    value: Option<&'a Value>,
    at: String,
}

impl<'a> Place<'a> {
    fn field(&self, name: &str) -> Place<'a> {
        let at = if self.at.is_empty() { name.to_owned() } else { format!("{}.{name}", self.at) };
        let value = self.value.and_then(|value| value.get(name)).filter(|value| !value.is_null());
        Place { value, at }
    }

    fn wrong(&self, expected: &str) -> Error {
        match self.value {
            None => Error::new(Code::MissingField, &self.at, expected, "no such field"),
            Some(value) => Error::new(Code::WrongType, &self.at, expected, kind(value)),
        }
    }

    fn object(&self) -> Result<Option<&'a serde_json::Map<String, Value>>> {
        match self.value {
            None => Ok(None),
            Some(Value::Object(fields)) if fields.len() <= MOST_ENTRIES => Ok(Some(fields)),
            Some(Value::Object(fields)) => Err(self.too_many(fields.len())),
            Some(_) => Err(self.wrong("an object")),
        }
    }

    fn list(&self) -> Result<Option<Vec<Place<'a>>>> {
        match self.value {
            None => Ok(None),
            Some(Value::Array(items)) if items.len() <= MOST_ENTRIES => {
                let item =
                    |(at, value)| Place { value: Some(value), at: format!("{}[{at}]", self.at) };
                Ok(Some(items.iter().enumerate().map(item).collect()))
            }
            Some(Value::Array(items)) => Err(self.too_many(items.len())),
            Some(_) => Err(self.wrong("a list")),
        }
    }

    fn too_many(&self, count: usize) -> Error {
        let expected = format!("at most {MOST_ENTRIES}");
        Error::new(Code::NumberOutOfRange, &self.at, expected, count.to_string())
    }

    fn text(&self) -> Result<Option<String>> {
        match self.value {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(self.wrong("a text")),
        }
    }

    fn needed_text(&self) -> Result<String> {
        self.text()?.ok_or_else(|| self.wrong("a text"))
    }

    fn number(&self) -> Result<Option<u64>> {
        let Some(value) = self.value else { return Ok(None) };
        match value.as_u64() {
            Some(number) => Ok(Some(number)),
            None if value.is_number() => {
                let expected = "a whole number from 1";
                Err(Error::new(Code::NumberOutOfRange, &self.at, expected, value.to_string()))
            }
            None => Err(self.wrong("a whole number")),
        }
    }

    fn texts(&self) -> Result<Option<Vec<String>>> {
        let Some(items) = self.list()? else { return Ok(None) };
        items.iter().map(Place::needed_text).collect::<Result<_>>().map(Some)
    }
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn read(place: &Place<'_>) -> Result<Definition> {
    let behavior = place.field("behavior");
    let runner = place.field("runner");
    let (behavior, prompts, github) = match (behavior.value, runner.value) {
        (None, Some(_)) => (
            read_behavior(&runner.field("verdict"), "type", "config", 0)?,
            runner.field("flow").field("prompts"),
            runner.field("integrations").field("github"),
        ),
        (Some(_), _) | (None, None) => (
            read_behavior(&behavior, "completionType", "completionConfig", 0)?,
            place.field("prompts"),
            place.field("github"),
        ),
    };
    Ok(Definition {
        name: place.field("name").needed_text()?,
        display_name: place.field("displayName").text()?,
        behavior,
        prompts: Prompts { registry: prompts.field("registry").text()? },
        github: Github { labels: labels(&github.field("labels"))? },
    })
}

/// One completion type with its settings; `kind` and `config` are the names of the two fields.
fn read_behavior(place: &Place<'_>, kind: &str, config: &str, depth: usize) -> Result<Behavior> {
    if depth > MOST_NESTING {
        let expected = format!("at most {MOST_NESTING} levels of conditions");
        return Err(Error::new(Code::TooDeep, &place.at, expected, "a deeper one"));
    }
    place.object()?;
    let word = place.field(kind).needed_text()?;
    let (completion_type, newer) = older_word(&word);
    let config = read_config(&place.field(config), depth)?;
    let mut behavior = Behavior { completion_type, completion_config: config };
    if newer {
        newer_defaults(&mut behavior);
    }
    Ok(behavior)
}

/// The older word of a newer one, and whether it was one.
fn older_word(word: &str) -> (String, bool) {
    let older = match word {
        "poll:state" => "issue",
        "count:iteration" => "iterate",
        "count:check" => "check",
        "detect:keyword" => "manual",
        "detect:structured" => "structured",
        "meta:composite" => "composite",
        "meta:custom" => "custom",
        other => return (other.to_owned(), false),
    };
    (older.to_owned(), true)
}

/// What the newer spelling may leave out.
fn newer_defaults(behavior: &mut Behavior) {
    let config = &mut behavior.completion_config;
    match behavior.completion_type.as_str() {
        "iterate" => {
            config.max_iterations.get_or_insert(handler::DEFAULT_CEILING);
        }
        "manual" => {
            config.completion_keyword.get_or_insert_with(|| DEFAULT_KEYWORD.to_owned());
        }
        _ => {}
    }
}

fn read_config(place: &Place<'_>, depth: usize) -> Result<CompletionConfig> {
    place.object()?;
    let keyword = place.field("completionKeyword").text()?;
    Ok(CompletionConfig {
        max_iterations: place.field("maxIterations").number()?,
        completion_keyword: match keyword {
            Some(keyword) => Some(keyword),
            None => place.field("verdictKeyword").text()?,
        },
        matching: matching(&place.field("match"))?,
        handler_path: place.field("handlerPath").text()?,
        issue_param: place.field("issueParam").text()?,
        command: place.field("command").texts()?,
        max_checks: place.field("maxChecks").number()?,
        signal_type: place.field("signalType").text()?,
        required_fields: required(&place.field("requiredFields"))?,
        operator: place.field("operator").text()?,
        conditions: conditions(&place.field("conditions"), depth)?,
    })
}

fn matching(place: &Place<'_>) -> Result<Matching> {
    match place.text()?.as_deref() {
        None | Some("line") => Ok(Matching::Line),
        Some("anywhere") => Ok(Matching::Anywhere),
        Some(other) => {
            Err(Error::new(Code::UnknownValue, &place.at, "`line` or `anywhere`", other))
        }
    }
}

fn required(place: &Place<'_>) -> Result<Option<RequiredFields>> {
    match place.value {
        None => Ok(None),
        Some(Value::Array(_)) => Ok(place.texts()?.map(RequiredFields::Names)),
        Some(Value::Object(_)) => {
            let fields = place.object()?.into_iter().flatten();
            let values = fields.map(|(name, value)| (name.clone(), value.to_string()));
            Ok(Some(RequiredFields::Values(map_of(values))))
        }
        Some(_) => Err(place.wrong("a list of names, or an object of values")),
    }
}

fn conditions(place: &Place<'_>, depth: usize) -> Result<Vec<Behavior>> {
    let Some(items) = place.list()? else { return Ok(Vec::new()) };
    let read = |item: &Place<'_>| match item.field("completionType").value {
        Some(_) => read_behavior(item, "completionType", "completionConfig", depth + 1),
        None => read_behavior(item, "type", "config", depth + 1),
    };
    items.iter().map(read).collect()
}

/// Labels as they are; lists and groups of labels become one entry each, named by their place.
fn labels(place: &Place<'_>) -> Result<BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    for name in place.object()?.into_iter().flat_map(serde_json::Map::keys) {
        let one = place.field(name);
        match one.value {
            None => {}
            Some(Value::Object(group)) => {
                for inner in group.keys() {
                    if let Some(text) = words(&one.field(inner))? {
                        all.insert(format!("{name}.{inner}"), text);
                    }
                }
            }
            Some(_) => all.extend(words(&one)?.map(|text| (name.clone(), text))),
        }
    }
    Ok(all)
}

/// A text, or a list of texts with commas between; `None` for an empty list.
fn words(place: &Place<'_>) -> Result<Option<String>> {
    match place.value {
        Some(Value::Array(_)) => {
            let texts = place.texts()?.unwrap_or_default();
            Ok((!texts.is_empty()).then(|| texts.join(", ")))
        }
        _ => place.text(),
    }
}

/// An error about the older spelling, placed in the newer one if that is what was written.
fn newer(whole: &Value, mut error: Error) -> Error {
    if whole.get("behavior").is_none() && whole.get("runner").is_some() {
        for (older, newer) in [
            ("behavior.completionConfig", "runner.verdict.config"),
            ("behavior.completionType", "runner.verdict.type"),
        ] {
            if let Some(rest) = error.at.strip_prefix(older) {
                error.at = format!("{newer}{rest}");
            }
        }
    }
    error
}
