//! A remark as people read it: the line of the document, and carets under what it is about.

use endstate::native::redact::printable;
use endstate::plan::model::{Remark, Weight};
use endstate::vocab::error::clip;
use endstate::vocab::text::one_line;

/// The most characters of a line that are shown.
const MOST: usize = 96;
/// The most characters of a remark on one line.
const MOST_SAID: usize = 300;

/// The remark with its line, of all lines of the document.
pub(super) fn draw(name: &str, lines: &[&str], remark: &Remark) -> String {
    let weight = remark.weight;
    let (line, column) = (remark.line as usize, remark.column as usize);
    let source = lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
    // What a terminal would obey, or would draw wider or not at all, becomes one plain letter.
    let letters: Vec<char> = source.chars().map(shown).collect();
    let place = column.saturating_sub(1).min(letters.len());
    let from = if letters.len() > MOST { place.saturating_sub(MOST / 2) } else { 0 };
    let to = letters.len().min(from + MOST);
    let cut = |at: bool| if at { "…" } else { "" };
    let window: String = letters[from..to].iter().collect();
    let indent = place - from + usize::from(from > 0);
    let carets = (remark.width as usize).clamp(1, (to - place.min(to)).max(1));
    let gutter = " ".repeat(remark.line.to_string().len());
    format!(
        "{weight}[{}]: {}\n{gutter}--> {}:{}:{}\n{gutter} |\n{} | {}{window}{}\n{gutter} | {}{} expected {}, got {}\n",
        remark.code,
        remark.code.sentence(),
        printable(name),
        remark.line,
        remark.column,
        remark.line,
        cut(from > 0),
        cut(to < letters.len()),
        " ".repeat(indent),
        "^".repeat(carets),
        printable(&clip(&remark.expected, MOST_SAID)),
        printable(&clip(&remark.got, MOST_SAID)),
    )
}

/// The remark on one line; of a note only what is there.
pub(super) fn brief(name: &str, remark: &Remark) -> String {
    let Remark { weight, code, line, column, .. } = remark;
    let expected = match weight {
        Weight::Note => String::new(),
        _ => format!("expected {}, got ", remark.expected),
    };
    let said = clip(&one_line(&format!("{expected}{}", remark.got)), MOST_SAID);
    format!("{weight}[{code}]: {}:{line}:{column} {}", printable(name), printable(&said))
}

fn shown(letter: char) -> char {
    match letter {
        '\t' => ' ',
        letter if letter.is_control() => '\u{fffd}',
        '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => '\u{fffd}',
        letter => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use endstate::vocab::error::Code;

    #[test]
    fn carets_stand_under_the_words() {
        let remark = Remark {
            weight: Weight::Fault,
            code: Code::DependencyUnknown,
            line: 2,
            column: 17,
            width: 4,
            last: 2,
            expected: "a unit or sprint".to_owned(),
            got: "core".to_owned(),
        };
        let text = "# P\n**Depends on**: core\n";
        let drawn = draw("PLAN.md", &text.lines().collect::<Vec<_>>(), &remark);
        let expected = format!(
            "\
fault[dependency_unknown]: {}
 --> PLAN.md:2:17
  |
2 | **Depends on**: core
  |                 ^^^^ expected a unit or sprint, got core
",
            Code::DependencyUnknown.sentence()
        );
        assert_eq!(drawn, expected);
        let long = text.replace("**Depends", &format!("{}**Depends", "\u{1b}wide ".repeat(60)));
        let remark = Remark { column: 17 + 60 * 6, ..remark };
        let drawn = draw("PLAN.md", &long.lines().collect::<Vec<_>>(), &remark);
        let lines: Vec<&str> = drawn.lines().collect();
        assert!(lines[3].contains("…") && !drawn.contains('\u{1b}'), "{drawn}");
        let caret = lines[4].chars().position(|letter| letter == '^').unwrap();
        assert_eq!(lines[3].chars().skip(caret).take(4).collect::<String>(), "core");
    }
}
