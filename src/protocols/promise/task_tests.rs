use super::*;

fn read(text: &str) -> Vec<(String, String, u32)> {
    let task = parse(text).unwrap();
    task.criteria.into_iter().map(|one| (one.id, one.text, one.lines.first)).collect()
}

fn fault(text: &str) -> (Code, String) {
    let error = parse(text).unwrap_err();
    (error.code, error.at)
}

fn owned(rows: &[(&str, &str, u32)]) -> Vec<(String, String, u32)> {
    rows.iter().map(|(id, text, line)| ((*id).to_owned(), (*text).to_owned(), *line)).collect()
}

#[test]
fn the_section_gives_the_criteria() {
    let text = "\
---
id: TASK-1
---
# Task: Greet visitors

- not this

### ACCEPTANCE criteria:

- [x] A greeting is shown
  - in every language
- **AC-LOAD-01** — It loads
```
- an example
```
#### Details
1. numbered

### Next
- not this either
";
    let expected = [
        ("AC-001", "A greeting is shown\n- in every language", 10),
        ("AC-LOAD-01", "**AC-LOAD-01** — It loads", 12),
        ("AC-003", "numbered", 17),
    ];
    assert_eq!(read(text), owned(&expected));
    let task = parse(text).unwrap();
    assert_eq!(
        (task.id.as_deref(), task.title.as_deref()),
        (Some("TASK-1"), Some("Greet visitors"))
    );
    assert_eq!((task.notes.len(), task.criteria.len()), (0, 3));
}

#[test]
fn front_matter_comes_before_the_section() {
    let text = "\
---
title: A title
test_command: cargo test
acceptance_criteria:
  - \"- [ ] first\"
  - id: AC-X
    description: second
  - 42
next: 1
---
# Other
## Acceptance Criteria
- never read
";
    let expected = [("AC-001", "first", 5), ("AC-X", "second", 6), ("AC-003", "42", 8)];
    assert_eq!(read(text), owned(&expected));
    let task = parse(text).unwrap();
    assert_eq!(task.criteria[1].lines, LineRange { first: 6, last: 7 });
    let flow = parse("---\nacceptance_criteria: [one, two]\n---\n").unwrap();
    assert_eq!(flow.criteria[1].lines, LineRange { first: 2, last: 2 });
    assert_eq!(task.title.as_deref(), Some("A title"));
    assert_eq!(task.test_command.unwrap(), ["sh", "-c", "cargo test"]);
    assert_eq!(task.notes[0].at, "line 12");
}

#[test]
fn what_is_wrong_has_a_line() {
    let section = |list: &str| format!("# T\n## Acceptance Criteria\n{list}");
    let empty = Code::EmptyCriteria;
    assert_eq!(fault("# T\n- a\n"), (empty, FIELD.to_owned()));
    assert_eq!(fault(&section("prose\n")), (empty, "line 2".to_owned()));
    assert_eq!(fault(&section("- a\n- [ ]\n")), (empty, "line 4, criterion 2".to_owned()));
    assert_eq!(fault(&section("- AC-1: a\n- AC-1: b\n")).0, Code::DuplicateId);
    assert_eq!(
        fault(&section("- AC-002: a\n- b\n")),
        (Code::DuplicateId, "line 4, criterion 2".to_owned())
    );
    let front = |field: &str| format!("---\nid: a\n{field}\n---\n");
    assert_eq!(fault(&front("acceptance_criteria: words")).0, Code::WrongType);
    assert_eq!(fault(&front("acceptance_criteria: []")).0, empty);
    let (code, at) = fault(&front("acceptance_criteria: [a, [b]]"));
    assert_eq!((code, at.as_str()), (Code::WrongType, "line 3, acceptance_criteria[1]"));
    assert_eq!(fault(&front("acceptance_criteria: [{id: a}]")).0, Code::MissingField);
    assert_eq!(fault(&front("acceptance_criteria: [a, ' ']")).0, empty);
    assert_eq!(fault(&front("acceptance_criteria: [a]\ntest_command: []")).0, Code::InvalidValue);
    assert_eq!(fault(&front("acceptance_criteria: [a]\nid: b")).0, Code::DuplicateField);
}

#[test]
fn a_second_section_is_noted() {
    let text = "## Acceptance Criteria\n- a\n## Acceptance Criteria\n- b\n";
    assert_eq!(read(text), owned(&[("AC-001", "a", 2)]));
    assert_eq!(parse(text).unwrap().notes[0].at, "line 3");
}
