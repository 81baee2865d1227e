//! `structured`: done when the agent gives a fenced block whose language tag is exactly the signal,
//! and which holds what is required of it.

use super::{Answer, Criteria, Heard, given};
use crate::mission::prelude::*;
use crate::protocols::iteration::definition::{CompletionConfig, RequiredFields};
use crate::protocols::iteration::text;
use crate::vocab::json::{self, RawObject};
use serde_json::Value;

/// See [`super::Handler::Structured`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "StructuredHandler")]
pub struct Structured {
    /// The language tag of the block.
    pub signal: String,
    /// What it must hold.
    pub required: Option<RequiredFields>,
}

pub(super) fn make(config: &CompletionConfig, at: &str) -> Result<Structured> {
    let at = format!("{at}.signalType");
    let expected = "a word without spaces or backticks";
    let signal = given(&config.signal_type, at, expected, |signal| good(signal))?;
    Ok(Structured { signal: signal.clone(), required: config.required_fields.clone() })
}

/// Whether a language tag can be written behind a fence.
pub(super) fn good(signal: &str) -> bool {
    let bad = |one: char| one.is_whitespace() || one == '`' || one == '~' || one.is_control();
    !signal.is_empty() && !signal.contains(bad)
}

impl Structured {
    fn fields(&self) -> String {
        match &self.required {
            None => "none".to_owned(),
            Some(RequiredFields::Names(names)) if names.is_empty() => "none".to_owned(),
            Some(RequiredFields::Names(names)) => names.join(", "),
            Some(RequiredFields::Values(values)) => {
                let pairs = values.iter().map(|(name, value)| format!("{name} = {value}"));
                pairs.collect::<Vec<_>>().join(", ")
            }
        }
    }

    pub(super) fn criteria(&self) -> Criteria {
        let (signal, fields) = (&self.signal, self.fields());
        Criteria {
            short: format!("The agent gives the signal {signal}"),
            detailed: format!(
                "When, and only when, everything is done and you have checked it, give one fenced block \
                 whose language tag is `{signal}` and whose content is a JSON object. Fields it must have: \
                 {fields}."
            ),
        }
    }

    pub(super) fn variables(&self) -> Vec<(&'static str, String)> {
        vec![("signal_type", self.signal.clone()), ("required_fields", self.fields())]
    }

    /// What the blocks of a run say.
    pub fn hear(&self, heard: &Heard<'_>) -> Answer {
        let signal = &self.signal;
        let found = text::blocks(heard.text.unwrap_or_default());
        let mut blocks = found.filter(|block| block.tag == *signal).peekable();
        if blocks.peek().is_none() {
            return Answer::shown(false, format!("the signal \"{signal}\" was not given"));
        }
        match blocks.any(|block| self.holds(&block.content)) {
            true => Answer::shown(true, format!("the signal \"{signal}\" was given")),
            false => {
                let words = format!("the signal \"{signal}\" lacks what it must hold");
                Answer::shown(false, words)
            }
        }
    }

    fn holds(&self, content: &str) -> bool {
        let Ok(object) = RawObject::read(content) else { return false };
        let is = |name: &str, wanted: &str| {
            let (found, wanted) = (object.raw(name).map(value), value(wanted));
            found.flatten().is_some_and(|found| Some(found) == wanted)
        };
        match &self.required {
            None => true,
            Some(RequiredFields::Names(names)) => {
                names.iter().all(|name| object.raw(name).is_some())
            }
            Some(RequiredFields::Values(values)) => {
                values.iter().all(|(name, wanted)| is(name, wanted))
            }
        }
    }
}

fn value(text: &str) -> Option<Value> {
    json::decode_unguarded(text).ok()
}
