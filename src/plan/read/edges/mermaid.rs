//! Graphs in mermaid: each arrow is a dependency, and each line of a graph is read or named.

use super::super::super::model::{Origin, Weight};
use super::super::super::phrases::Phrases;
use super::Edges;
use crate::vocab::error::{Code, clip};
use std::collections::BTreeMap;
use std::ops::Range;

/// With what a statement begins that says nothing of order.
const SILENT: &[&str] = &[
    "graph",
    "flowchart",
    "subgraph",
    "end",
    "direction",
    "classdef",
    "class",
    "style",
    "linkstyle",
    "click",
    "acctitle",
    "accdescr",
    "title",
];

impl Edges<'_, '_> {
    pub(super) fn mermaid(&mut self, range: &Range<usize>) {
        let source = self.reader.outline.source(range);
        let mut said: BTreeMap<String, String> = BTreeMap::new();
        for (_, one) in source.lines().flat_map(statements) {
            for (_, part) in split_arrows(one) {
                for (id, words) in part.split('&').filter_map(mermaid_node) {
                    if let Some(words) = words {
                        said.insert(id, words);
                    }
                }
            }
        }
        let mut at = range.start;
        // Other drawings than graphs have lines of other kinds.
        let mut graph = false;
        for line in source.split_inclusive('\n') {
            for (skip, one) in statements(line) {
                let first = first_word(one);
                graph |= matches!(first.as_str(), "graph" | "flowchart");
                let silent = one.trim().is_empty() || one.trim_start().starts_with(['%', '`', '~']);
                if !silent && !SILENT.contains(&first.as_str()) {
                    self.statement(at + skip, one, &said, graph);
                }
            }
            at += line.len();
        }
    }

    fn statement(&mut self, at: usize, one: &str, said: &BTreeMap<String, String>, graph: bool) {
        let parts = split_arrows(one);
        if parts.len() < 2 {
            if graph && (joined(one) || mermaid_node(one).is_none()) {
                self.unread(at, one);
            }
            return;
        }
        let nodes: Vec<Vec<String>> =
            parts.iter().map(|(skip, part)| self.mermaid_nodes(at + skip, part, said)).collect();
        let number = self.reader.outline.line(at);
        for pair in nodes.windows(2) {
            for (from, to) in
                pair[0].iter().flat_map(|from| pair[1].iter().map(move |to| (from, to)))
            {
                self.add(from, to, Origin::Mermaid, number);
            }
        }
    }

    fn unread(&mut self, at: usize, words: &str) {
        let skip = words.len() - words.trim_start().len();
        let words = words.trim();
        let range = at + skip..at + skip + words.len();
        let expected = "a line of a graph such as `S1 --> S2`";
        let got = format!("`{}`, not read", clip(words, 80));
        self.reader.remark(Weight::Warning, Code::Overlooked, range, expected, &got);
    }

    fn mermaid_nodes(
        &mut self,
        at: usize,
        part: &str,
        said: &BTreeMap<String, String>,
    ) -> Vec<String> {
        let mut found = Vec::new();
        let mut from = at;
        for piece in part.split('&') {
            let here = from;
            from += piece.len() + 1;
            let Some((id, _)) = mermaid_node(piece) else {
                self.unread(here, piece);
                continue;
            };
            let words = said.get(&id).map_or(id.as_str(), String::as_str);
            match self.node(words).or_else(|| self.node(&id)) {
                Some(known) => found.push(known),
                None => {
                    let skip = piece.find(&id).unwrap_or(0);
                    let range = here + skip..here + skip + id.len();
                    let expected = "a node that is a sprint or unit of this plan";
                    let (weight, code) = (Weight::Fault, Code::DependencyUnknown);
                    self.reader.remark(weight, code, range, expected, &format!("`{words}`"));
                }
            }
        }
        found
    }
}

fn first_word(text: &str) -> String {
    let word = text.trim_start().split(|c: char| !c.is_alphanumeric()).next();
    word.unwrap_or_default().to_lowercase()
}

/// The statements of a line, which `;` ends outside of what a node says.
fn statements(line: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut from, mut depth, mut quoted) = (0, 0_u32, false);
    for (at, letter) in line.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '[' | '(' | '{' => depth = depth.saturating_add(1),
            ']' | ')' | '}' => depth = depth.saturating_sub(1),
            ';' if depth == 0 && !quoted => {
                found.push((from, &line[from..at]));
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push((from, &line[from..]));
    found
}

/// How a line between nodes begins: `A -- words -->`, `A == words ==>`, `A -. words .->`, `A --- B`.
static LINES: Phrases = Phrases::new(&["--", "==", "-.", "~~~"]);

/// Whether two nodes are joined by a line without a head.
fn joined(part: &str) -> bool {
    node_end(part) < part.trim_end().len()
}

/// Where a node ends and a line from it begins.
fn node_end(part: &str) -> usize {
    let close = part.rfind([']', ')', '}']).unwrap_or(0);
    let open = part.find(['[', '(', '{']).unwrap_or(part.len());
    let line = LINES.spots(part).map(|spot| spot.start);
    line.filter(|at| *at < open || *at > close).min().unwrap_or(part.len())
}

/// A node `A[words]`, `A("words")`, `A`: its id, and its words.
fn mermaid_node(part: &str) -> Option<(String, Option<String>)> {
    // What is left of `A -- words -->` before the arrow.
    let part = part.get(..node_end(part))?.trim();
    let end = part.find(['[', '(', '{', '>']).unwrap_or(part.len());
    let (id, words) = part.split_at(end);
    // `A:::important` has the look of its node behind it.
    let id = id.split(":::").next().unwrap_or_default().trim();
    let words = words.split(":::").next().unwrap_or_default().trim();
    let words = words
        .trim_matches(|c: char| matches!(c, '[' | ']' | '(' | ')' | '{' | '}' | '"' | '>' | '/'));
    let words = words.split("<br").next().unwrap_or_default().trim();
    let fits = !id.is_empty() && !id.contains(char::is_whitespace) && !id.starts_with('%');
    fits.then(|| (id.to_owned(), (!words.is_empty()).then(|| words.to_owned())))
}

/// A line at its arrows: the parts with their bytes.
fn split_arrows(line: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (0, 0);
    while at < line.len() {
        let rest = &line[at..];
        match arrow(rest) {
            Some(length) => {
                parts.push((from, &line[from..at]));
                at += length;
                from = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    parts.push((from, &line[from..]));
    parts
}

/// The length of the arrow that a text begins with: `-->`, `==>`, `-.->`, `--o`, `-->|words|`.
fn arrow(text: &str) -> Option<usize> {
    let shaft =
        text.find(|c: char| !matches!(c, '-' | '=' | '─' | '━' | '.')).unwrap_or(text.len());
    let head = text[shaft..].chars().next()?;
    // `A --o B` of mermaid has another head.
    let round = head == 'o'
        && (text.starts_with("--") || text.starts_with("=="))
        && text[shaft + 1..].starts_with([' ', '|']);
    let drawn = matches!(head, '→' | '►' | '▶' | '➜' | '⟶') || head == '>' && shaft > 0 || round;
    if !drawn {
        return None;
    }
    let mut end = shaft + head.len_utf8();
    if let Some(words) = text[end..].strip_prefix('|')
        && let Some(close) = words.find('|')
    {
        end += close + 2;
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_read_up_to_their_line() {
        let node = |text: &str| {
            mermaid_node(text).map(|(id, words)| format!("{id}={}", words.unwrap_or_default()))
        };
        for (text, expected) in [
            ("S1[\"Sprint 1: x\"]", Some("S1=Sprint 1: x")),
            (" S2 ", Some("S2=")),
            ("S2 == y ", Some("S2=")),
            ("S2 -. x .", Some("S2=")),
            ("S2 --y", Some("S2=")),
            ("S1[a -- b] -- c", Some("S1=a -- b")),
            ("S2:::hot", Some("S2=")),
            ("graph TD", None),
        ] {
            assert_eq!(node(text).as_deref(), expected, "{text}");
        }
        let said = |line| statements(line).into_iter().map(|(_, one)| one).collect::<Vec<_>>();
        assert_eq!(said("graph TD; A[x; y]-->B;"), ["graph TD", " A[x; y]-->B", ""]);
    }
}
