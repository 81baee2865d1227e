//! Marked documents: `⟦kind attributes:text⟧` around each element. Without the marks they are the source, and the marks are
//! the key that a scripted role labels by.

use endstate::plan::import::{Edge, EdgeKind, Kind, Span, Spans};

/// A source and what an honest role says of it.
#[derive(Clone, Debug)]
pub(crate) struct Labelled {
    pub(crate) text: String,
    pub(crate) spans: Vec<Span>,
}

/// The kinds by the short names of the key.
pub(crate) const KINDS: [(&str, Kind); 12] = [
    ("t", Kind::Title),
    ("u", Kind::Unit),
    ("s", Kind::Sprint),
    ("k", Kind::Task),
    ("x", Kind::ExitCriterion),
    ("e", Kind::EntryCriterion),
    ("c", Kind::Command),
    ("d", Kind::DependsOn),
    ("dir", Kind::Directory),
    ("f", Kind::Done),
    ("p", Kind::Deferred),
    ("n", Kind::Notes),
];

pub(crate) fn answer(spans: &[Span]) -> String {
    let json = serde_json::to_string(&Spans { spans: spans.to_vec() }).unwrap();
    format!("Here it is.\n\n```json\n{json}\n```\n")
}

/// Reads a marked document. Attributes: `=label`, `@unit` (the parent), `>label` (after), `~label` (mention), `!word` (nothing).
pub(crate) fn labelled(marked: &str) -> Labelled {
    let (mut text, mut spans, mut heads, mut open) =
        (String::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut line, mut column, mut rest) = (1, 1, marked);
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            '⟦' => {
                let (head, tail) = rest.split_once(':').unwrap();
                rest = tail;
                open.push(spans.len());
                let end = head.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(head.len());
                let kind = KINDS.iter().find(|one| one.0 == &head[..end]).unwrap().1;
                heads.push(head[end..].to_owned());
                let (from, to) = (format!("{line}:{column}"), String::new());
                spans.push(Span {
                    kind,
                    parent: None,
                    from,
                    to,
                    edges: Vec::new(),
                    label: None,
                    name: None,
                });
            }
            '⟧' => spans[open.pop().unwrap()].to = format!("{line}:{}", column - 1),
            _ => {
                text.push(letter);
                (line, column) = if letter == '\n' { (line + 1, 1) } else { (line, column + 1) };
            }
        }
    }
    let names: Vec<String> = spans.iter().map(|span: &Span| said(&text, span)).collect();
    for (place, head) in heads.iter().enumerate() {
        spans[place].label = head.strip_prefix('=').map(str::to_owned);
    }
    for place in 0..spans.len() {
        let (parent, edges) =
            (parent(&spans, &heads, &names, place), edges(&spans, &names, &heads[place]));
        (spans[place].parent, spans[place].edges) = (parent, edges);
    }
    Labelled { text, spans }
}

/// The text of a span that lies on one line; of others, its first line.
pub(crate) fn said(text: &str, span: &Span) -> String {
    let (line, column) = place(&span.from);
    let (last, end) = place(&span.to);
    let letters = text.lines().nth(line - 1).unwrap().chars();
    let most = if line == last { end + 1 - column } else { usize::MAX };
    letters.skip(column - 1).take(most).collect()
}

/// `line:column` as numbers.
pub(crate) fn place(place: &str) -> (usize, usize) {
    let (line, column) = place.split_once(':').unwrap();
    (line.parse().unwrap(), column.parse().unwrap())
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap()
}

fn parent(spans: &[Span], heads: &[String], names: &[String], place: usize) -> Option<u32> {
    let before = |kinds: &[Kind]| {
        spans[..place].iter().rposition(|one| kinds.contains(&one.kind)).map(number)
    };
    let named = heads[place].strip_prefix('@').map(|rest| rest.split(['>', ' ']).next().unwrap());
    if let Some(name) = named {
        let unit = |at: &usize| spans[*at].kind == Kind::Unit && names[*at] == name;
        return (0..spans.len()).find(unit).map(number);
    }
    match spans[place].kind {
        Kind::Title | Kind::Unit | Kind::Notes => None,
        Kind::Sprint | Kind::Directory => before(&[Kind::Unit]),
        Kind::Command => before(&[Kind::ExitCriterion, Kind::EntryCriterion]),
        _ => before(&[Kind::Sprint]),
    }
}

fn edges(spans: &[Span], names: &[String], head: &str) -> Vec<Edge> {
    let mut all = Vec::new();
    for (at, mark) in head.char_indices().filter(|one| ">~!".contains(one.1)) {
        let rest = &head[at + 1..];
        let label = rest.split([' ', '>', '~', '!']).next().unwrap().to_owned();
        let called = |at: &usize| {
            spans[*at].label.as_ref() == Some(&label)
                || spans[*at].kind == Kind::Unit && names[*at] == label
        };
        let span = (0..spans.len()).find(called).map(number);
        let kind = match mark {
            '>' => EdgeKind::After,
            '~' => EdgeKind::Mention,
            _ => EdgeKind::Nothing,
        };
        all.push(Edge { kind, span: span.filter(|_| mark != '!'), label });
    }
    all
}
