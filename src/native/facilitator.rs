//! A custom completion handler that works: a facilitated session is done when enough decisions were
//! made.
//!
//! It shows what host code for [`crate::protocols::iteration`] looks like. It is a function of what it
//! is given: the count so far comes back as its own memory, so a host that was restarted, or asked
//! twice, counts nothing twice. Registered under the name that the definition consults:
//!
//! ```
//! use endstate::native::{Options, facilitator};
//!
//! let mut options = Options::default();
//! let name = ".agent/facilitator/completion/custom-handler.ts".to_owned();
//! options.consults.insert(name, facilitator::handler());
//! ```

use super::driver::Handler;
use crate::protocols::iteration::report::{ConsultAnswer, ConsultInput};
use crate::vocab::json;
use serde_json::Value;
use std::sync::Arc;

/// How many decisions are wanted unless the argument `targetDecisions` says so.
pub const DEFAULT_TARGET: u64 = 3;

/// The handler, to be registered in [`super::Options::consults`].
pub fn handler() -> Handler {
    Arc::new(|input: &str| {
        let input = json::decode::<ConsultInput>(input).map_err(|error| error.to_string())?;
        judge(&input).map(|answer| json::encode(&answer))
    })
}

/// Counts the decisions of this run to those before it.
///
/// # Errors
/// A number that cannot be read, in words.
pub fn judge(input: &ConsultInput) -> Result<ConsultAnswer, String> {
    let number = |name: &str, text: &str| {
        text.parse::<u64>().map_err(|_| format!("{name} is no whole number: {text}"))
    };
    let target = match input.args.get("targetDecisions") {
        Some(text) => number("targetDecisions", text)?,
        None => DEFAULT_TARGET,
    };
    let before = input.memory.as_deref().map_or(Ok(0), |memory| number("memory", memory))?;
    let made = input.detected_actions.iter().filter(|action| is_decision(action)).count();
    let made = before.saturating_add(u64::try_from(made).unwrap_or(u64::MAX));
    let topic = input.args.get("topic").map_or("the topic", String::as_str);
    Ok(ConsultAnswer {
        complete: made >= target,
        description: Some(format!("{made} of {target} decisions were made")),
        prompt: Some(format!(
            "The session on {topic} goes on: {made} of {target} decisions are made. Lead it to the next \
             one, and announce it."
        )),
        memory: Some(made.to_string()),
    })
}

fn is_decision(action: &Value) -> bool {
    action.get("type").and_then(Value::as_str) == Some("decision")
}
