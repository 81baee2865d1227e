//! Ids that authors give to requirements: `FR-1`, `NFR-PERF-002`, `US-3.1`, `R1`, `User Story 2`.

use super::super::outline::plain;

/// What ids of requirements begin with; these need no mark behind them, and no dash before their number.
const KNOWN: &[&str] = &[
    "FR", "NFR", "REQ", "US", "UC", "R", "F", "UR", "SR", "BR", "TR", "PR", "QR", "FEAT", "STORY",
];

/// What other ids begin with: decisions, risks, questions, tests, standards, sprints.
const OTHERS: &[&str] = &[
    "ADR", "RISK", "OQ", "CVE", "CWE", "RFC", "ISO", "IEEE", "UTF", "SHA", "AES", "TC", "TEST",
    "WU", "UTC", "DEC", "BUG", "PEP", "WCAG", "ES", "HTTP", "MD",
];

/// Words that a number makes an id of, or a colon with a name behind it.
const WORDS: &[&str] = &["user story", "story", "requirement", "feature", "use case"];

/// The id that a text begins with, as it is written, if it is one of a requirement.
pub(in crate::plan) fn id_of(text: &str) -> Option<&str> {
    let bare = bare(text);
    let end = bare.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_')));
    let (word, rest) = bare.split_at(end.unwrap_or(bare.len()));
    let id = word.trim_end_matches(['.', '-']);
    let first = id.split(['-', '_']).next().unwrap_or_default();
    let letters = first.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let known = KNOWN.contains(&letters);
    let rest = rest.trim_start_matches(['*', '`', '_', ']', ')']);
    let parted = id.len() < word.len()
        || rest.trim().is_empty()
        || rest.trim_start().starts_with([':', '—', '–', '-', '|', '.', ')']);
    let last = id.rsplit(['-', '_']).next().unwrap_or_default();
    let joined = id.len() > first.len() && is_number(last) && is_name(first);
    let short = known && is_number(first.get(letters.len()..).unwrap_or_default());
    let is = (joined && (known || parted && !OTHERS.contains(&first))) || short;
    if is { Some(id) } else { worded(bare) }
}

/// Whether a text begins with an id that is one of a requirement wherever it stands.
pub(super) fn is_usual(text: &str) -> bool {
    let letters = id_of(text).map(|id| id.split(|c: char| !c.is_ascii_uppercase()).next());
    letters.flatten().is_some_and(|letters| KNOWN.contains(&letters))
}

/// "User Story 2 - Search", "Feature: Search".
fn worded(bare: &str) -> Option<&str> {
    let lower = bare.get(..24.min(bare.len())).unwrap_or(bare).to_ascii_lowercase();
    let word = WORDS.iter().find(|word| lower.starts_with(*word))?;
    let rest = bare.get(word.len()..)?;
    if let Some(name) = rest.strip_prefix(':') {
        return (!name.trim().is_empty()).then_some(bare);
    }
    let number = rest.strip_prefix(' ')?.trim_start_matches('#');
    let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let behind = number.get(digits..)?;
    let ends = behind.is_empty() || !behind.starts_with(char::is_alphanumeric);
    (digits > 0 && ends).then(|| bare.get(..bare.len() - behind.len())).flatten()
}

/// A text without what stands before its first word: marks, signs, and the number of a section.
fn bare(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = number.trim_start_matches([')', ' ']);
    match number.len() < text.len() && rest.len() < number.len() {
        true => rest.trim_start_matches(|c: char| !c.is_alphanumeric()),
        false => text,
    }
}

/// `12`, `3.1`, `1a`.
fn is_number(text: &str) -> bool {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    digits.starts_with(|c: char| c.is_ascii_digit())
        && text.len() - digits.len() < 2
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn is_name(text: &str) -> bool {
    (1..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// The same id in the same letters, however it is marked.
pub(super) fn key(text: &str) -> Option<String> {
    let id = id_of(text)?;
    let named = id.contains(|c: char| c.is_ascii_digit());
    named.then(|| plain(id).to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_requirements_are_known() {
        for (text, id) in [
            ("FR-1: Export", "FR-1"),
            ("FR-4 Import", "FR-4"),
            ("**R1** Sync", "R1"),
            ("**FR-001**: The app", "FR-001"),
            ("3.1 [NFR-PERF-002] Fast", "NFR-PERF-002"),
            ("✅ US-3.1 — Log in", "US-3.1"),
            ("FR-1a", "FR-1a"),
            ("PAY-12: Refunds", "PAY-12"),
            ("User Story 2 - Search (P1)", "User Story 2"),
            ("Requirement 3", "Requirement 3"),
        ] {
            assert_eq!(id_of(text), Some(id), "{text}");
        }
        for text in [
            "UTF-8: encoding",
            "SHA-256 sums",
            "RFC-2119",
            "Features: overview",
            "S3 storage",
            "H2 database",
            "Feature flags",
            "2024-01-02",
            "Export",
            "A-record",
            "",
            "ADR-001: Choose",
            "Requirements 2024",
        ] {
            assert_eq!(id_of(text), None, "{text}");
        }
    }
}
