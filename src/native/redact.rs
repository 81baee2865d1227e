//! Secrets leave no trace: they are taken out of every text before the engine sees it.
//!
//! A secret is the value of an environment variable whose name says so. Each occurrence becomes
//! `[redacted:NAME]`. Values of several lines are also looked for line by line, since output is
//! read in lines.

use crate::vocab::event::Fact;
pub use crate::vocab::text::printable;
use serde_json::Value;

/// Shorter values are too likely to be ordinary words.
const LEAST_LENGTH: usize = 8;
/// Shorter lines of a secret of several lines are too likely to be ordinary.
const LEAST_LINE: usize = 16;
/// What a secret's name ends with, in one of its words.
const WORDS: [&str; 9] = [
    "TOKEN",
    "SECRET",
    "KEY",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "SECRETS",
];

/// Knows the secrets of this process.
#[derive(Clone, Default)]
pub struct Redactor {
    /// What to look for and what to put there, the longest first.
    secrets: Vec<(String, String)>,
}

// The secrets themselves are never printed.
impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} secrets)", self.secrets.len())
    }
}

impl Redactor {
    /// Of the environment of this process.
    pub fn of_environment() -> Redactor {
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        Redactor::of(std::env::vars_os().map(|(name, value)| (text(name), text(value))))
    }

    /// Of these variables.
    pub fn of(variables: impl IntoIterator<Item = (String, String)>) -> Redactor {
        let mut secrets = Vec::new();
        for (name, value) in variables.into_iter().filter(|(name, _)| looks_secret(name)) {
            let put = format!("[redacted:{name}]");
            let value = value.trim();
            let lines = value.lines().map(str::trim).filter(|line| line.len() >= LEAST_LINE);
            let lines: Vec<String> = lines.map(str::to_owned).collect();
            let parts = lines.into_iter().chain([value.to_owned()]);
            let parts = parts.filter(|part| part.len() >= LEAST_LENGTH);
            secrets.extend(parts.map(|part| (part, put.clone())));
        }
        secrets.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        secrets.dedup_by(|a, b| a.0 == b.0);
        Redactor { secrets }
    }

    /// `text` without secrets.
    pub fn text(&self, text: String) -> String {
        self.secrets.iter().fold(text, |text, (secret, put)| match text.contains(secret.as_str()) {
            true => text.replace(secret.as_str(), put),
            false => text,
        })
    }

    /// Whether `text` holds a secret.
    pub fn finds(&self, text: &str) -> bool {
        self.secrets.iter().any(|(secret, _)| text.contains(secret.as_str()))
    }

    /// The fact without secrets in any of its texts.
    pub fn fact(&self, fact: Fact) -> Fact {
        if self.secrets.is_empty() {
            return fact;
        }
        let Ok(mut value) = serde_json::to_value(&fact) else { return fact };
        match self.value(&mut value) {
            // Every text field takes every text, but an id or digest that was hit would not read.
            true => serde_json::from_value(value).unwrap_or(fact),
            false => fact,
        }
    }

    fn value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) if self.finds(text) => {
                *text = self.text(std::mem::take(text));
                true
            }
            // Counted, since every value must be looked at.
            Value::Array(values) => values.iter_mut().filter_map(|one| self.hit(one)).count() > 0,
            Value::Object(fields) => {
                fields.values_mut().filter_map(|one| self.hit(one)).count() > 0
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    fn hit(&self, value: &mut Value) -> Option<()> {
        self.value(value).then_some(())
    }
}

fn looks_secret(name: &str) -> bool {
    let name = name.to_uppercase();
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| WORDS.iter().any(|secret| word.ends_with(secret)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::event::{EffectId, RunEnded, RunOutcome};
    use crate::vocab::role::Usage;

    fn redactor() -> Redactor {
        let of = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        Redactor::of([
            of("MY_API_KEY", "abcdefgh"),
            of("GITHUB_TOKEN", "abcdefgh-longer"),
            of("KEYBOARD", "qwertyuiop"),
            of("SHORT_KEY", "abc"),
            of("PEM_KEY", "-----BEGIN-----\nMIIEvQIBADANBgkqhkiG\n"),
        ])
    }

    #[test]
    fn secrets_are_named_and_gone() {
        let text = redactor().text("x abcdefgh-longer abcdefgh qwertyuiop abc".to_owned());
        assert_eq!(text, "x [redacted:GITHUB_TOKEN] [redacted:MY_API_KEY] qwertyuiop abc");
        assert!(redactor().finds("> MIIEvQIBADANBgkqhkiG"));
    }

    #[test]
    fn facts_are_redacted_everywhere() {
        let fact = Fact::RunEnded(RunEnded {
            effect: EffectId { seq: 1, n: 1 },
            outcome: RunOutcome::Success,
            report: Some("key: \"abcdefgh\"\n".to_owned()),
            problem: None,
            usage: Usage::default(),
        });
        let Fact::RunEnded(ended) = redactor().fact(fact) else { panic!("another fact") };
        assert_eq!(ended.report.as_deref(), Some("key: \"[redacted:MY_API_KEY]\"\n"));
    }

    #[test]
    fn terminals_see_text_only() {
        let cases = [
            ("plain\tü\n", "plain\tü\n"),
            ("\u{1b}[31;1mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]never ends\nnext", "\nnext"),
            ("\u{1b}(Bx\u{1b}cy\u{8}\r\u{0}", "xy"),
            ("\u{9b}2Jx\u{202e}y", "xy"),
        ];
        for (text, shown) in cases {
            assert_eq!(printable(text), shown, "{text:?}");
        }
    }
}
