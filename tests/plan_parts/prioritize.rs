use endstate::plan::judge::Answers;
use endstate::plan::prioritize::*;
use endstate::plan::read::parse;
use endstate::vocab::error::Code;

const PLAN: &str = "\
---
feature_name: A
---
# P

Sprints 1-3 are all. See Sprint 2.

## Sprint 1: Page

**Entry criteria**: none

**Tasks**:
1. Show a page

**Exit criteria**:
- [ ] `make test` passes

text of the author   \n
---

## Sprint 2: Core types

**Priority**: 1.0 — old

**Entry criteria**:
- [ ] First sprint, no prerequisites

**Tasks**:
1. Create `src/types.rs`

---

## Sprint 3: Client

**Entry criteria**:
- [ ] Sprint 2 exit criteria met

**Tasks**:
1. Use `src/types.rs`

## Summary

done after Sprint 3
";

#[test]
fn the_urgent_comes_first_and_numbers_follow() {
    let done = prioritize(PLAN, &Answers::new()).unwrap();
    let expected = "\
---
feature_name: A
---
# P

Sprints 1-3 are all. See Sprint 1.

## Sprint 1: Core types

**Priority**: 4.5 — blocks 1 downstream sprint, low complexity

**Entry criteria**:
- [ ] First sprint, no prerequisites

**Tasks**:
1. Create `src/types.rs`

---

## Sprint 2: Page

**Priority**: 1.8 — leaf sprint, no dependents

**Entry criteria**: none

**Tasks**:
1. Show a page

**Exit criteria**:
- [ ] `make test` passes

text of the author   \n
---

## Sprint 3: Client

**Priority**: 1.5 — leaf sprint, no dependents, low complexity

**Entry criteria**:
- [ ] Sprint 1 exit criteria met

**Tasks**:
1. Use `src/types.rs`

## Summary

done after Sprint 3
";
    assert_eq!(done.text, expected);
    let rows: Vec<_> = done.rows.iter().map(|row| (row.label.as_str(), row.was.as_str())).collect();
    assert_eq!(rows, [("1", "2"), ("2", "1"), ("3", "3")]);
    // Once in order, nothing moves any more.
    let again = prioritize(&done.text, &Answers::new()).unwrap();
    assert!(again.replaced.is_empty(), "{:?}", again.replaced);
    assert_eq!(again.text, done.text);
}

#[test]
fn keys_stay_and_dependencies_hold() {
    let text = PLAN
        .replace("Sprint 1", "Sprint A1")
        .replace("Sprint 2", "Sprint A2")
        .replace("Sprint 3", "Sprint B1");
    let done = prioritize(&text, &Answers::new()).unwrap();
    let labels: Vec<_> = parse(&done.text).plan.sprints().map(|one| one.label.clone()).collect();
    assert_eq!(labels, ["A2", "A1", "B1"]);
    assert!(done.text.contains("- [ ] Sprint A2 exit criteria met"));
    assert_eq!(prioritize("# x", &Answers::new()).unwrap_err().code, Code::EmptyPlan);
}

#[test]
fn layers_that_nothing_asks_for_are_lowered() {
    let text = "| Work Unit | Layer | Dependencies |\n|--|--|--|\n| A | 1 | none |\n| B | 2 | A |\n| C | 3 | A |\n| D | 4 | C |\n\n\
        ## A\n\n### Sprint 1: a\n\n## B\n\n### Sprint 2: b\n\n## C\n\n### Sprint 3: c\n\n## D\n\n### Sprint 4: d\n";
    let done = prioritize(text, &Answers::new()).unwrap();
    let changes: Vec<_> =
        done.layers.iter().map(|one| (one.unit.as_str(), one.was, one.now)).collect();
    assert_eq!(changes, [("c", 3, 2), ("d", 4, 3)]);
    assert!(done.text.contains("| C | 2 | A |\n| D | 3 | C |"), "{}", done.text);
    // Scores are those of the new layers.
    assert_eq!(prioritize(&done.text, &Answers::new()).unwrap().text, done.text);
}

/// Also in documents that were not written as plans, where a line more must not change what is read.
#[test]
fn a_second_time_nothing_changes() {
    let boxes = "# Site\n\n## Pages\n- [ ] Write a `Dockerfile` for the external network\n- [ ] Document it in `docs/x.md`\n\n## Later\n\n- [ ] Use `docs/x.md`\n";
    let bare = "# P\n\n## Sprint 1: A\n- Call the external API\n- Create `src/a.rs`\n\n## Sprint 2: B\n\n1. Use `src/a.rs`\n";
    for text in [PLAN, boxes, bare] {
        let tasks =
            |text: &str| parse(text).plan.sprints().map(|one| one.tasks.len()).sum::<usize>();
        let once = prioritize(text, &Answers::new()).unwrap().text;
        let twice = prioritize(&once, &Answers::new()).unwrap().text;
        assert_eq!(once, twice);
        assert_eq!(tasks(&once), tasks(text), "{once}");
    }
}
