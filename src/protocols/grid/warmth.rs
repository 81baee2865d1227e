//! Warmth: the lessons of a run, kept for later runs. There are five categories, merged from every
//! report, each line once, and bounded: the oldest are removed first.

use super::form::words;
use crate::mission::prelude::*;
use std::fmt::Write;

/// The most lines of one category.
pub const MOST_LINES: usize = 40;
/// The most characters of one line.
pub const MOST_CHARS: usize = 1_000;

/// What was learned, by category.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(default)]
#[schemars(rename = "GridLessons")]
pub struct Lessons {
    /// How this codebase does things.
    #[serde(deserialize_with = "words")]
    pub codebase_patterns: Vec<String>,
    /// Traps.
    #[serde(deserialize_with = "words")]
    pub gotchas: Vec<String>,
    /// What the user seems to want.
    #[serde(deserialize_with = "words")]
    pub user_preferences: Vec<String>,
    /// What was considered and not done, with why.
    #[serde(deserialize_with = "words")]
    pub almost_did: Vec<String>,
    /// Code that breaks easily.
    #[serde(deserialize_with = "words")]
    pub fragile_areas: Vec<String>,
}

impl Lessons {
    /// Every category with its lines.
    pub fn categories(&self) -> [(&'static str, &Vec<String>); 5] {
        [
            ("codebase_patterns", &self.codebase_patterns),
            ("gotchas", &self.gotchas),
            ("user_preferences", &self.user_preferences),
            ("almost_did", &self.almost_did),
            ("fragile_areas", &self.fragile_areas),
        ]
    }

    /// Takes over what others learned.
    pub(super) fn merge(&mut self, more: &Lessons) {
        let Lessons { codebase_patterns, gotchas, user_preferences, almost_did, fragile_areas } =
            more;
        add(&mut self.codebase_patterns, codebase_patterns);
        add(&mut self.gotchas, gotchas);
        add(&mut self.user_preferences, user_preferences);
        add(&mut self.almost_did, almost_did);
        add(&mut self.fragile_areas, fragile_areas);
    }

    /// Whether nothing was learned.
    pub fn is_empty(&self) -> bool {
        self.categories().into_iter().all(|(_, lines)| lines.is_empty())
    }

    /// Whether it stays within its bounds.
    pub(super) fn within_bounds(&self) -> bool {
        let fits = |line: &String| line.chars().count() <= MOST_CHARS + 1;
        self.categories()
            .into_iter()
            .all(|(_, lines)| lines.len() <= MOST_LINES && lines.iter().all(fits))
    }

    /// As lines for a prompt or the front matter of a summary.
    pub(super) fn render(&self, indent: &str) -> String {
        let mut text = String::new();
        for (name, lines) in self.categories().into_iter().filter(|(_, lines)| !lines.is_empty()) {
            let _ = writeln!(text, "{indent}{name}:");
            for line in lines {
                let _ = writeln!(text, "{indent}  - {}", crate::vocab::json::encode(line));
            }
        }
        text
    }
}

fn add(known: &mut Vec<String>, more: &[String]) {
    for line in more {
        let line = clip(&one_line(line), MOST_CHARS);
        if !line.is_empty() && !known.iter().any(|one| one.eq_ignore_ascii_case(&line)) {
            known.push(line);
        }
    }
    let surplus = known.len().saturating_sub(MOST_LINES);
    known.drain(..surplus);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_kept_once_and_the_oldest_go_first() {
        let mut warmth = Lessons::default();
        let lines = |from: usize| (from..from + 30).map(|n| format!("trap {n}")).collect();
        warmth.merge(&Lessons { gotchas: lines(0), ..Lessons::default() });
        warmth.merge(&Lessons { gotchas: lines(20), ..Lessons::default() });
        assert_eq!((warmth.gotchas.len(), warmth.gotchas[0].as_str()), (MOST_LINES, "trap 10"));
        warmth.merge(&Lessons {
            gotchas: vec!["TRAP 10".to_owned(), "x".repeat(999)],
            ..Lessons::default()
        });
        assert!(warmth.within_bounds() && warmth.gotchas.len() == MOST_LINES);
        assert!(warmth.render("").starts_with("gotchas:\n  - \"trap 11\"\n"));
    }
}
