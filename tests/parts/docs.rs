//! The list of error codes in the documentation is the list in the code.
//!
//! `ENDSTATE_WRITE_DOCS=1 cargo test --test parts docs` writes it anew.

use endstate::vocab::error::{Code, Kind};
use std::collections::BTreeSet;
use std::fmt::Write;

fn page() -> String {
    let mut text = String::from(
        "# Error codes\n\nOne list for errors and for diagnosed facts. An *error* changes nothing and is not \
         journaled; a *diagnosed fact*\nis something bad that happened in the world, is journaled, and carries \
         a code of the same list. The same words reach\nJavaScript as `error.code`.\n",
    );
    for (kind, title) in [
        (Kind::Malformed, "malformed: cannot be read"),
        (Kind::Refused, "refused: readable, not allowed now"),
        (
            Kind::Broken,
            "broken: a rule of the engine does not hold; a bug of ours, the step is not taken",
        ),
    ] {
        let _ = write!(text, "\n## {title}\n\n| code | meaning |\n|---|---|\n");
        for code in Code::ALL.iter().filter(|code| code.kind() == kind) {
            let _ = writeln!(text, "| `{code}` | {} |", code.sentence());
        }
    }
    text
}

#[test]
fn error_codes_are_documented() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/errors.md");
    if std::env::var_os("ENDSTATE_WRITE_DOCS").is_some() {
        std::fs::write(path, page()).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap();
    assert_eq!(written, page(), "docs/errors.md is old: ENDSTATE_WRITE_DOCS=1 writes it anew");
}

#[test]
fn codes_are_unique_and_have_a_sentence() {
    let words: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(words.len(), Code::ALL.len());
    for code in Code::ALL {
        assert!(code.sentence().ends_with('.'), "{code}");
        let word = serde_json::to_value(code).unwrap();
        assert_eq!(word, code.as_str());
    }
}
