//! Links that say nothing: they would hold whatever is in the files they name.

use super::artifact::regex;
use super::plan::{KeyLink, normal};
use crate::vocab::error::{Code, Error, Result, clip};

/// Refuses links that hold by themselves.
///
/// # Errors
/// `invalid_value`, with the place of the link.
pub(super) fn check(links: &[KeyLink]) -> Result<()> {
    for (place, link) in links.iter().enumerate() {
        if let Some((field, expected, got)) = idle(link) {
            let at = format!("must_haves.key_links[{place}].{field}");
            return Err(Error::new(Code::InvalidValue, at, expected, clip(got, 200)));
        }
    }
    Ok(())
}

/// Why a link holds whatever is there: its field, what that should be, what it is.
pub(super) fn idle(link: &KeyLink) -> Option<(&'static str, &'static str, &str)> {
    if normal(&link.from) == normal(&link.to) {
        return Some(("to", "another file than the one it starts in", &link.to));
    }
    let pattern = link.pattern.as_deref()?;
    let matches_nothing = regex(pattern).is_some_and(|regex| regex.is_match(""));
    matches_nothing.then_some(("pattern", "a pattern that does not match the empty text", pattern))
}
