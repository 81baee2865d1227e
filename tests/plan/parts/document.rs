use endstate::plan::document::*;
use endstate::vocab::error::Code;

const PLAN: &str = "\
---
id: T-1
---
# Task: Greet

> - quoted

```
## Fenced
- fenced
```

## Work ##
- [ ] first
  goes on
  - nested
- second

1. third

Setext
------
* fourth
";

#[test]
fn headings_and_items_have_their_lines() {
    let document = read(PLAN).unwrap();
    assert_eq!(document.front["id"], "T-1");
    assert_eq!(document.front_lines, Some(LineRange { first: 1, last: 3 }));
    let headings: Vec<_> = document.headings.iter().map(|one| (one.level, &*one.text)).collect();
    assert_eq!(headings, [(1, "Task: Greet"), (2, "Work"), (2, "Setext")]);
    assert_eq!(document.headings[2].lines, LineRange { first: 21, last: 22 });
    let items: Vec<_> = document.items.iter().map(|one| (&*one.text, one.lines.first)).collect();
    let expected =
        [("[ ] first goes on\n- nested", 14), ("second", 17), ("third", 19), ("fourth", 23)];
    assert_eq!(items, expected);
    assert_eq!(document.items[0].lines.last, 16);
    let work = document.section(1).unwrap();
    assert_eq!(work, LineRange { first: 14, last: 20 });
    assert_eq!(document.items_in(work).count(), 3);
    assert_eq!(document.headed("work"), [1]);
}

#[test]
fn front_matter_is_only_at_the_start() {
    let open = read("---\nid: T-1\n# Title\n").unwrap_err();
    assert_eq!((open.code, open.at.as_str()), (Code::Truncated, "line 1"));
    let twice = read("---\nid: a\nid: b\n---\n").unwrap_err();
    assert_eq!(twice.code, Code::DuplicateField);
    assert!(twice.at.starts_with("line 3"), "{}", twice.at);
    let huge = read(&format!("---\na: {}\n---\n", "x".repeat(300 * 1024))).unwrap_err();
    assert_eq!(huge.code, Code::TooLarge);
    let nul = read("# a\n\nb\0c\n").unwrap_err();
    assert_eq!((nul.code, nul.at.as_str()), (Code::InvalidValue, "line 3"));
    let later = read("# a\n\n---\nid: fake\n---\n").unwrap();
    assert_eq!((later.front.len(), later.notes.len()), (0, 1));
    assert_eq!(later.notes[0].at, "line 3");
    assert_eq!(read("# a\n\n---\n\nb\n").unwrap().notes, []);
    assert_eq!(read("---\n---\n# a").unwrap().front.len(), 0);
    assert_eq!(read("").unwrap().headings, []);
}

#[test]
fn windows_line_ends_change_nothing() {
    let crlf = read(&PLAN.replace('\n', "\r\n")).unwrap();
    let plain = read(PLAN).unwrap();
    assert_eq!((crlf.headings, crlf.items), (plain.headings, plain.items));
}

#[test]
fn bullets_and_boxes_come_off() {
    for line in ["- x", "* x", "+ x", "1. x", "12) x", "  - x"] {
        assert_eq!(unmarked(line), "x", "{line}");
    }
    for line in ["-x", "1.x", "x", "**x**", "1", "3 x"] {
        assert_eq!(unmarked(line), line);
    }
    assert_eq!(unboxed("[ ] x"), ("x", Some(false)));
    assert_eq!(unboxed("[X] x"), ("x", Some(true)));
    assert_eq!(unboxed("[x]x"), ("[x]x", None));
    assert_eq!(unboxed("[AC-1] x"), ("[AC-1] x", None));
}
