//! Where in a document a fault lies: the file that people open, and the line where that is known.

use endstate::vocab::error::Error;

/// The same fault, with the path of its document in front and the line of the field it speaks of.
pub(crate) fn pointed(error: Error, path: &str, text: &str) -> Error {
    let field = error.at.strip_prefix("front matter.").unwrap_or(&error.at);
    let at = match (field.is_empty() || field.starts_with("line "), line_of(text, field)) {
        (false, Some(line)) => format!("{path}: line {line}: {field}"),
        _ if field.is_empty() => path.to_owned(),
        _ => format!("{path}: {field}"),
    };
    Error { at, ..error }
}

/// The line, from 1, of a field of the front matter: `depends_on`, `must_haves.artifacts[1].path`. Of a field
/// that is not written out, its nearest parent.
fn line_of(text: &str, field: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let end = lines.iter().skip(1).position(|line| line.trim_end() == "---").map(|at| at + 1)?;
    let (mut found, mut from, mut to) = (None, 1, end);
    for part in field.split('.') {
        let (name, nth) = match part.strip_suffix(']').and_then(|part| part.split_once('[')) {
            Some((name, nth)) => (name, nth.parse::<usize>().ok()),
            None => (part, None),
        };
        let named = |line: &str| {
            let rest = line.trim_start().trim_start_matches("- ").strip_prefix(name);
            rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
        };
        // A field of what is written deeper is another one.
        let depth = (from..to).map(|at| depth(lines[at])).min().unwrap_or(0);
        let own = |at: &usize| self::depth(lines[*at]) == depth && named(lines[*at]);
        let Some(at) = (from..to).find(own) else { break };
        let at = nth.and_then(|nth| item(&lines[..to], at + 1, nth)).unwrap_or(at);
        found = Some(at + 1);
        // The first field of an item stands on its line.
        let dashed = lines[at].trim_start().starts_with("- ") && nth.is_some();
        from = if dashed { at } else { at + 1 };
        let shallow = |next: &usize| below(lines[*next], lines[at]);
        to = (at + 1..to).find(shallow).unwrap_or(to);
    }
    found
}

/// How far in the words of a line begin, behind the sign of an item; a line without words is no field of anything.
fn depth(line: &str) -> usize {
    let words = line.trim_start().trim_start_matches("- ").trim_start();
    if words.is_empty() { usize::MAX } else { line.len() - words.len() }
}

/// Whether a line stands outside of what another one begins: the items of a list may stand as far in as its name.
fn below(line: &str, begin: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let dashed = |line: &str| line.trim_start().starts_with('-');
    let beside = indent(line) == indent(begin) && (dashed(begin) || !dashed(line));
    !line.trim().is_empty() && (indent(line) < indent(begin) || beside)
}

/// The line of the nth item of a list that begins at `from`; none if the list is not written line by line.
fn item(lines: &[&str], from: usize, nth: usize) -> Option<usize> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let first = lines.get(from).filter(|line| line.trim_start().starts_with('-'))?;
    let deep = indent(first);
    let places = (from..lines.len()).take_while(|at| indent(lines[*at]) >= deep);
    places
        .filter(|at| indent(lines[*at]) == deep && lines[*at].trim_start().starts_with('-'))
        .nth(nth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use endstate::vocab::error::Code;

    #[test]
    fn fields_have_lines() {
        let text = "---\nphase: 01-a\ndepends_on: [x]\nmust_haves:\n  truths:\n    - a\n    - b\n  artifacts:\n\
                    \x20   - path: a\n      exports:\n        - b\n    - path: ../x\n---\nphase: no\nwave: 3\n";
        for (field, line) in [
            ("depends_on", Some(3)),
            ("must_haves.truths[1]", Some(7)),
            ("must_haves.artifacts[1].path", Some(12)),
            ("must_haves.truths[9]", Some(5)),
            ("wave", None),
            ("", None),
        ] {
            assert_eq!(line_of(text, field), line, "{field}");
        }
        assert_eq!(line_of("no front matter", "phase"), None);
        let other = "---\nmust_haves:\n  artifacts:\n  - {path: a, min_lines: x}\n  - path: b\n    min_lines: 2\n  truths:\n\
                    \x20   - verify: x\nverify: maybe\nverify_reason: y\n---\n";
        for (field, line) in [
            ("verify", 9),
            ("must_haves.artifacts[0].min_lines", 4),
            ("must_haves.artifacts[1].path", 5),
            ("must_haves.artifacts[1].min_lines", 6),
            ("must_haves.truths[0]", 8),
            ("must_haves.key_links", 2),
            ("verify_reason", 10),
        ] {
            assert_eq!(line_of(other, field), Some(line), "{field}");
        }
        let error = Error::new(Code::InvalidValue, "front matter.depends_on", "a", "b");
        assert_eq!(pointed(error, "p.md", text).at, "p.md: line 3: depends_on");
        let error = Error::new(Code::Truncated, "line 4", "a", "b");
        assert_eq!(pointed(error, "p.md", text).at, "p.md: line 4");
    }
}
