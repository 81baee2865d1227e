//! Links that show nothing: they would always hold, whatever the named files contain, or never.

use super::artifact::regex;
use super::plan::KeyLink;
use crate::vocab::error::{Code, Error, Result, clip};
use crate::vocab::evidence::normal;
use regex_lite::Regex;

/// Refuses links that always hold, and those that could never be found.
///
/// # Errors
/// `invalid_value`, with the place of the link.
pub(super) fn check(links: &[KeyLink]) -> Result<()> {
    for (place, link) in links.iter().enumerate() {
        if let Some((field, expected, got)) = idle(link).or_else(|| odd(link)) {
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
    let expected = match regex(pattern)? {
        regex if regex.is_match("") => "a pattern that does not match the empty text",
        regex if one_letter(&regex) => "a pattern of more than one letter",
        _ => return None,
    };
    Some(("pattern", expected, pattern))
}

/// A single letter or sign is in all but any file.
fn one_letter(regex: &Regex) -> bool {
    ('!'..='~').any(|letter| regex.is_match(letter.encode_utf8(&mut [0; 4])))
}

/// A pattern that is no regular expression. In clusters that began with one it is looked for literally.
fn odd(link: &KeyLink) -> Option<(&'static str, &'static str, &str)> {
    let pattern = link.pattern.as_deref().filter(|pattern| regex(pattern).is_none())?;
    let expected = "a regular expression, at most 400 bytes, without look-around and references";
    Some(("pattern", expected, pattern))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn idle_by(pattern: &str) -> Option<&'static str> {
        let link = KeyLink {
            from: "a.py".to_owned(),
            to: "b.py".to_owned(),
            via: None,
            pattern: Some(pattern.to_owned()),
        };
        idle(&link).or_else(|| odd(&link)).map(|(_, expected, _)| expected)
    }

    #[test]
    fn a_pattern_says_something() {
        for one in ["i", "[h]", "b|import", "@", "^q", "[0-9]", ".", "[^q]", "\\w+", "(?s)."] {
            assert_eq!(idle_by(one), Some("a pattern of more than one letter"), "{one}");
        }
        for empty in [".*", "a*", "^", "x?"] {
            let expected = "a pattern that does not match the empty text";
            assert_eq!(idle_by(empty), Some(expected), "{empty}");
        }
        for odd in ["(", "[a", "a{2,1}", "(?=a)", &"a".repeat(401)] {
            assert!(idle_by(odd).unwrap().starts_with("a regular expression"), "{odd}");
        }
        for good in ["import", "from b", "bell\\.md", "x = \\d", "use b::", "main\\("] {
            assert_eq!(idle_by(good), None, "{good}");
        }
    }
}
