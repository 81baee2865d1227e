//! How people label sprints and units: `## Sprint 3:`, `### Sortie DC-2a — …`, `WU1: …`,
//! `Work Unit A — …`; and what only looks like it.

use super::called::in_words;
use super::document::{inside, unboxed, unwrapped};
use super::outline::plain;

/// What the words of a heading are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Headed<'a> {
    /// A sprint.
    Sprint {
        /// The word for it.
        word: &'a str,
        /// Its label.
        label: &'a str,
        /// Its name as written; may be empty.
        name: &'a str,
    },
    /// Speaks of sprints without being one: "Sprint Ordering".
    About,
    /// Begins like a sprint, and cannot be read as one.
    Odd,
    /// Something else.
    Other,
}

/// Words that are about sprints, not one.
const ABOUT: &[&str] = &[
    "ordering",
    "order",
    "dependencies",
    "dependency",
    "dispatch",
    "summary",
    "summaries",
    "sequencing",
    "sequence",
    "overview",
    "definitions",
    "definition",
    "template",
    "templates",
    "prompt",
    "prompts",
    "graph",
    "structure",
    "table",
    "schedule",
    "plan",
    "plans",
    "planning",
    "backlog",
    "goals",
    "goal",
    "details",
    "breakdown",
    "list",
    "index",
    "status",
    "states",
    "state",
    "rules",
    "criteria",
    "map",
    "priorities",
    "priority",
    "scores",
    "model",
    "models",
    "types",
    "type",
    "timeline",
    "estimates",
    "notes",
    "checklist",
    "agents",
    "agent",
    "phases",
    "layers",
    "log",
    "results",
    "review",
    "retrospective",
    "history",
    "boundaries",
    "flow",
];

/// Reads the words of a heading for one of `words` (small letters), the names of a sprint.
pub fn headed<'a>(heading: &'a str, words: &[&str]) -> Headed<'a> {
    if let Some(behind) = behind_section_number(heading)
        && let found @ Headed::Sprint { .. } = plainly_headed(behind, words)
    {
        return found;
    }
    plainly_headed(heading, words)
}

/// What stands behind the number of a section, as in "2. Sprint 1" and "2.1 Sprint 1: Index".
fn behind_section_number(heading: &str) -> Option<&str> {
    let whole = unwrapped(unboxed(heading).0).0;
    let bare = whole.trim_start_matches(|c: char| !c.is_alphanumeric());
    let behind = bare.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = &bare[..bare.len() - behind.len()];
    let behind = behind.strip_prefix(')').unwrap_or(behind);
    let parted = behind.starts_with(' ') && number.starts_with(|c: char| c.is_ascii_digit());
    parted.then(|| behind.trim_start())
}

fn plainly_headed<'a>(heading: &'a str, words: &[&str]) -> Headed<'a> {
    let whole = unwrapped(unboxed(heading).0).0;
    let bare = unboxed(whole.trim_start_matches(['*', '_', '~'])).0;
    let bare = bare.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = bare.find(|c: char| !c.is_alphabetic()).unwrap_or(bare.len());
    let (word, rest) = bare.split_at(end);
    if !words.contains(&word.to_lowercase().as_str()) {
        return Headed::Other;
    }
    // "Sprint: name" has a name, and no label.
    let parted = rest.trim_start_matches(['*', '_', ' ']).strip_prefix([':', '—', '–']);
    if parted.is_some_and(|name| name.contains(char::is_alphanumeric)) {
        return Headed::Odd;
    }
    let inner = rest.trim_start_matches([' ', '\t', '\u{a0}', '#', '-', '_', '*']);
    if inner.len() == rest.len() || inner.is_empty() {
        // "Sprint2: name"
        let glued = inner.starts_with(|c: char| c.is_ascii_digit());
        return if glued { Headed::Odd } else { Headed::About };
    }
    if let Some((label, tail)) = quoted_label(inner)
        && let Some(name) = name_behind(tail)
    {
        return Headed::Sprint { word, label, name };
    }
    let (label, tail) = split_label(inner);
    if !is_label(label) {
        let next = inner.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let about = ABOUT.contains(&next.to_lowercase().as_str());
        return if about { Headed::About } else { Headed::Odd };
    }
    match name_behind(tail) {
        Some(name) => Headed::Sprint { word, label, name },
        None => Headed::Odd,
    }
}

/// A heading that begins like a sprint with a number, and has nothing between the number and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loose<'a> {
    /// The word for a sprint.
    pub word: &'a str,
    /// Its label.
    pub label: &'a str,
    /// Its name as written; may be empty.
    pub name: &'a str,
    /// A mark stands before its name: "Sprint1: Lexer".
    pub parted: bool,
    /// It may as well speak of a sprint that stands elsewhere: "Sprint 1 review".
    pub about: bool,
    /// The number is not that of one sprint: "Sprint 2-3", "Sprint 2 and 3", "Sprint Three".
    pub odd: bool,
}

/// Reads a heading like "Sprint 1 Set up", "Sprint 1, set up" or "Sprint1: Set up".
pub fn loosely_headed<'a>(heading: &'a str, words: &[&str]) -> Option<Loose<'a>> {
    let bare = unboxed(unwrapped(heading).0).0.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = bare.find(|c: char| !c.is_alphabetic()).unwrap_or(bare.len());
    let (word, rest) = bare.split_at(end);
    if !words.contains(&word.to_lowercase().as_str()) {
        return None;
    }
    let inner = rest.trim_start_matches([' ', '\t', '\u{a0}', '#', '-', '_', '*']);
    let (label, tail) = split_label(inner);
    let range = label.contains('-') && label.bytes().all(|c| c.is_ascii_digit() || c == b'-');
    if !is_label(label) && !range && in_words(label).is_none() {
        return None;
    }
    // "Sprint 1/4" and "Sprint 1 of 4"
    let of = tail.strip_prefix('/').or_else(|| tail.trim_start().strip_prefix("of "));
    let tail = of.map_or(tail, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let name = tail.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '(');
    let first = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let last = name.rsplit(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    let is_about = |word: &str| ABOUT.contains(&word.to_lowercase().as_str());
    // A name behind a mark is one, whatever its words are.
    let parted = name_behind(tail).is_some();
    let about = !parted && (is_about(first) || last.is_some_and(is_about));
    let odd = !is_label(label) || is_range(tail) || names_another(tail);
    Some(Loose { word, label, name, parted, about, odd })
}

/// Whether a second number follows the first: "Sprint 2 and 3", "Sprint 2, 3".
fn names_another(tail: &str) -> bool {
    let bare = tail.trim_start().to_lowercase();
    let joins = ["and ", "or ", "to ", "through ", "& ", "+ ", "&", "+", ", "];
    let behind = joins.iter().find_map(|join| bare.strip_prefix(join));
    let number =
        |text: &str| split_label(text.strip_prefix("sprint ").unwrap_or(text)).0.to_owned();
    behind.is_some_and(|behind| is_label(&number(behind.trim_start())))
}

/// A label between ticks may be a word, too: "Sprint `clean-up`: …".
fn quoted_label(text: &str) -> Option<(&str, &str)> {
    let (label, tail) = text.strip_prefix('`')?.split_once('`')?;
    let within = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!label.is_empty() && label.chars().all(within)).then_some((label, tail))
}

/// A label as it is written in a heading or a text, so that it is read again.
pub fn written_label(label: &str) -> String {
    if is_label(label) { label.to_owned() } else { format!("`{label}`") }
}

/// A label, and what follows it.
pub fn split_label(text: &str) -> (&str, &str) {
    let within = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let end = text.find(|c: char| !within(c)).unwrap_or(text.len());
    let label = text[..end].trim_end_matches(['.', '-', '_']);
    text.split_at(label.len())
}

/// `3`, `2a`, `1.2`, `B9`, `DC-2a`; not `1-3`, not a word.
pub fn is_label(text: &str) -> bool {
    let letters = text.chars().filter(char::is_ascii_alphabetic).count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let range = letters == 0 && text.contains('-');
    digits > 0
        && text.len() <= 16
        && !range
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Whether what follows a label makes a range of it: "14–15: x".
pub fn is_range(tail: &str) -> bool {
    let dash = |text: &'_ str| text.starts_with(['–', '—', '-']);
    let bare = tail.trim_start();
    let rest = bare.trim_start_matches(['–', '—', '-']).trim_start();
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let joined = dash(tail) && !bare.starts_with("--");
    let ends = behind.is_empty() || behind.starts_with([':', ')']);
    dash(bare) && behind.len() < rest.len() && (ends || joined && behind.starts_with(' '))
}

/// The name behind a label, if something separates the two.
pub(super) fn name_behind(tail: &str) -> Option<&str> {
    let tail = tail.trim_start_matches(['*', '_', '`']).trim_start();
    let Some(first) = tail.chars().next() else { return Some("") };
    match first {
        ':' | '—' | '–' | '.' | ')' | '·' | '|' | '-' | '→' => {
            let rest = &tail[first.len_utf8()..];
            let dashes = rest.trim_start_matches(['-', ':']);
            let rest = dashes.strip_prefix("**").unwrap_or(dashes);
            Some(inside(dashes.trim(), "**").unwrap_or(rest.trim()))
        }
        '(' | '[' | '~' => Some(tail),
        _ => None,
    }
}

/// Words for what is put off, in small letters.
const OFF: [&str; 6] = ["deferred", "skipped", "removed", "canceled", "cancelled", "dropped"];

/// Whether the author crossed it out or put it off: "DEFERRED" anywhere, "(deferred)" and "— deferred to v2" at the end.
pub fn is_deferred(name: &str) -> bool {
    let shouted = |word: &str| {
        OFF.iter().any(|off| word.eq_ignore_ascii_case(off))
            && !word.contains(|c: char| c.is_lowercase())
    };
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    name.starts_with("~~") || words.any(shouted) || is_put_off(ending(name))
}

/// What stands in parentheses or behind a dash at the end of a name.
fn ending(name: &str) -> &str {
    let bare = name.trim_end_matches(|c: char| c.is_whitespace() || "*_`".contains(c));
    let dash = [" — ", " – ", " - "].iter().filter_map(|dash| bare.rsplit_once(dash));
    let open = match bare.chars().next_back() {
        Some(')') => bare.rsplit_once('('),
        Some(']') => bare.rsplit_once('['),
        _ => None,
    };
    let all = dash.chain(open).map(|(_, behind)| behind);
    all.min_by_key(|behind| behind.len()).unwrap_or_default()
}

/// Whether a remark says of something that it is put off, and no more than until when.
pub fn is_put_off(remark: &str) -> bool {
    let mut words = remark.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let off = words.next().is_some_and(|word| OFF.iter().any(|off| word.eq_ignore_ascii_case(off)));
    let until = ["to", "until", "till", "for", "by", "from", "in", "after"];
    off && words.next().is_none_or(|word| until.contains(&word.to_lowercase().as_str()))
}

/// The id of a unit: `wu1` of "WU-1: …" and "Work Unit 1 — …", else its name in small letters.
pub fn unit_key(name: &str) -> String {
    let name = plain(name);
    let lower = name.to_lowercase();
    for prefix in ["work unit", "workunit", "wu", "unit"] {
        let Some(rest) = lower.strip_prefix(prefix) else { continue };
        let glued = rest.trim_start_matches([' ', '-', '_', '#']);
        let end = glued.find(|c: char| !c.is_alphanumeric()).unwrap_or(glued.len());
        let key = &glued[..end];
        let short = key.len() == 1 || key.len() <= 4 && key.contains(|c: char| c.is_ascii_digit());
        if short && glued[end..].chars().next().is_none_or(|c| !c.is_alphanumeric()) {
            return format!("wu{key}");
        }
        if prefix == "work unit" && rest.starts_with([':', ' ']) {
            return slug(rest);
        }
    }
    slug(&lower)
}

/// A name without the prefix "Work Unit:".
pub fn unit_name(name: &str) -> &str {
    let prefix = name.get(..10).filter(|head| head.eq_ignore_ascii_case("work unit:"));
    prefix.map_or(name, |_| name[10..].trim_start())
}

/// Small letters, digits and hyphens; what is in parentheses does not count.
pub fn slug(name: &str) -> String {
    let mut key = String::new();
    let mut depth = 0_u32;
    for letter in name.chars().flat_map(char::to_lowercase) {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            _ if letter.is_alphanumeric() => key.push(letter),
            _ if !key.is_empty() && !key.ends_with('-') => key.push('-'),
            _ => {}
        }
        if key.len() >= 60 {
            break;
        }
    }
    let key = key.trim_end_matches('-');
    if key.is_empty() { "unit".to_owned() } else { key.to_owned() }
}
