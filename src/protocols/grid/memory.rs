//! What is read before anything is planned: what earlier clusters learned, and how strong a person wants models to be.

use super::files;
use super::role::ModelTier;
use super::run_result::MOST_UNREAD;
use super::state::State;
use crate::mission::prelude::*;
use crate::vocab::json;
use crate::vocab::repository::{DocumentSeen, Seen};

/// What earlier clusters learned, and how strong a person wants models to be.
pub(super) fn observed(state: &mut State, documents: &[DocumentSeen]) {
    state.core.learnings = Some(String::new());
    for document in documents {
        let Seen::Text { text, .. } = &document.seen else { continue };
        if document.path == files::LEARNINGS {
            // The newest entries stand at the end.
            let skip = text.chars().count().saturating_sub(files::MOST_LEARNINGS);
            let kept: String = text.chars().skip(skip).collect();
            let before = format!("({skip} characters before this stand in {})\n", files::LEARNINGS);
            state.core.learnings = Some(if skip > 0 { before + &kept } else { kept });
        } else if document.path == files::CONFIG && state.core.settings.model_tier.is_none() {
            match model_tier(text) {
                Ok((tier, unread)) => {
                    state.core.tier = tier.unwrap_or_default();
                    if !unread.is_empty() {
                        let text = format!("{}: nobody reads {}", files::CONFIG, unread.join(", "));
                        state.core.life.files.say(Level::Warning, text);
                    }
                }
                Err(fault) => {
                    let fault = fault.within(files::CONFIG);
                    state.core.life.files.say(Level::Warning, fault.to_string());
                    state.core.life.last_problem = Some(fault.diagnostic());
                }
            }
        }
    }
    let known = documents.iter().filter(|document| document.path == files::LEARNINGS);
    for document in known {
        if let Seen::Text { digest, text } = &document.seen {
            let file = state.core.life.files.known.entry(files::LEARNINGS.to_owned()).or_default();
            file.digest = Some(digest.clone());
            file.length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        }
    }
}

/// How strong models are, if it is said, and the fields that nobody reads.
fn model_tier(text: &str) -> Result<(Option<ModelTier>, Vec<String>)> {
    let object = json::RawObject::read(text)?;
    let others = object.names().filter(|name| *name != "model_tier");
    let unread = others.take(MOST_UNREAD).map(|name| clip(&one_line(name), 80)).collect();
    if object.raw("model_tier").is_none() {
        return Ok((None, unread));
    }
    let word: String = object.field("model_tier")?;
    let tier = json::choice(&word).ok_or_else(|| {
        Error::new(Code::UnknownValue, "model_tier", "quality, balanced or budget", clip(&word, 40))
    })?;
    Ok((Some(tier), unread))
}
