//! Links that show nothing: they would always hold, whatever the named files contain, or never.

use super::artifact::regex;
use super::plan::KeyLink;
use crate::vocab::error::{Code, Error, Result, clip};
use crate::vocab::evidence::normal;
use regex_lite::Regex;

/// Files that have nothing to do with each other: a pattern that finds something in each of them finds it anywhere.
const NEUTRAL: [&str; 4] = [
    "import os\n\nx = 1\n",
    "fn main() {\n    run();\n}\n",
    "# Notes\n\nSome words.\n",
    "name: 1\nlist:\n  - one item\n",
];
/// Code of several languages that has nothing in common but its signs.
const CODE: [&str; 4] = [
    "import os\n\nx = load(1)\n",
    "fn main() {\n    run();\n}\n",
    "const b = take(2);\n",
    "package p\n\nfunc init() { open() }\n",
];
/// Signs that stand together in any code.
const SIGNS: [&str; 16] = [
    "() => {",
    "({",
    "});",
    "})",
    "===",
    "!==",
    "&&=",
    "...",
    "///",
    "/**",
    "<!--",
    "-->",
    "\"\"\"",
    "'''",
    "```",
    "\n\n\n   \t\t\r\n",
];

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
        regex if [NEUTRAL, CODE].iter().any(|all| all.iter().all(|text| regex.is_match(text))) => {
            "a pattern that not any file matches"
        }
        regex if one_letter(&regex) => "a pattern of more than one letter",
        regex if only_signs(&regex) => "a pattern that blanks and signs alone do not match",
        _ => return None,
    };
    Some(("pattern", expected, pattern))
}

/// A single letter or sign is in all but any file.
fn one_letter(regex: &Regex) -> bool {
    ('!'..='~').any(|letter| regex.is_match(letter.encode_utf8(&mut [0; 4])))
}

/// Blanks and signs stand in any file: a pattern that some of them match speaks of none.
fn only_signs(regex: &Regex) -> bool {
    let sign = |letter: &char| !letter.is_ascii_alphanumeric();
    let signs: Vec<char> = (' '..='~').filter(sign).collect();
    // Each pair of them.
    let pairs = |one: &char| signs.iter().flat_map(|two| [*one, *two, '\n']).collect::<String>();
    let alone = |one: &char| regex.is_match(&pairs(one));
    SIGNS.iter().any(|text| regex.is_match(text)) || signs.iter().any(alone)
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
        for one in ["i", "[h]", "b|import", "@", "^q", "[0-9]"] {
            assert_eq!(idle_by(one), Some("a pattern of more than one letter"), "{one}");
        }
        for all in [
            ".",
            "[^q]",
            ".+",
            "\\w",
            "\\S",
            "[a-z]",
            "(?s).",
            "\\w+",
            "^.",
            "\\n",
            "\\w\\w",
            "[a-z]{2,}",
            "\\w+\\(",
        ] {
            assert_eq!(idle_by(all), Some("a pattern that not any file matches"), "{all}");
        }
        for signs in ["\\(\\)", "  ", "=>", "==+", "\\{\\s*\\n", "//", "\\$\\{"] {
            let expected = "a pattern that blanks and signs alone do not match";
            assert_eq!(idle_by(signs), Some(expected), "{signs}");
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
