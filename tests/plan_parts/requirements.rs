//! What documents of many forms ask for; nothing of them is lost in silence.

use endstate::plan::requirements::*;

fn texts(text: &str) -> Vec<String> {
    let asked = detect(text).into_iter().filter(|one| one.confidence > Confidence::Context);
    asked.map(|one| one.text).collect()
}

/// Lines and words of what was not read.
fn named(text: &str) -> Vec<(u32, String)> {
    read(text).unread.into_iter().map(|one| (one.lines.first, one.what)).collect()
}

const PRD: &str = "\
# Notes app

## Functional requirements

| ID | Requirement | Priority | Acceptance |
|---|---|---|---|
| FR-1 | The app must store notes | P0 | `notes add x` writes notes.json |
| FR-2 | Users can search notes | — | |

## API
| Endpoint | Purpose |
|---|---|
| GET /notes | list notes |
| POST /notes | create a note |

## Commands
| Command | Does |
|---|---|
| `notes add` | adds |

### FR-3: Export
The export writes CSV.

#### FR-4 Import
Reads CSV files from a folder.

## Milestones
- v1: store
";

#[test]
fn rows_and_headings_with_ids_are_requirements() {
    let expected = [
        "FR-1: The app must store notes (Priority: P0)",
        "`notes add x` writes notes.json",
        "FR-2: Users can search notes",
        "GET /notes: list notes",
        "POST /notes: create a note",
        "`notes add`: adds",
        "FR-3: Export: The export writes CSV.",
        "FR-4 Import: Reads CSV files from a folder.",
    ];
    assert_eq!(texts(PRD), expected);
    assert_eq!(named(PRD), [(28, "an item below “Milestones”: v1: store".to_owned())]);
    let found = detect(PRD);
    assert_eq!(found[1].signal, Signal::Acceptance);
    assert_eq!((found[6].lines.first, found[6].lines.last), (21, 25));
}

#[test]
fn what_stands_below_an_id_stays_with_it() {
    let text = "\
# App

## REQ-3 Search
- by title
- by tag

**REQ-4: Rows**
- `a` and `b`

## Requirement 5
**User Story:** As a reader, I want rows.

#### Acceptance Criteria
1. WHEN a row is read THEN it is shown

## FR-6: Pages

| Route | Description |
|---|---|
| `/` | Start |
";
    let expected = [
        "REQ-3 Search\n- by title\n- by tag",
        "REQ-4: Rows: `a` and `b`",
        "Requirement 5: **User Story:** As a reader, I want rows.",
        "WHEN a row is read THEN it is shown",
        "`/`: Start",
    ];
    assert_eq!(texts(text), expected);
}

#[test]
fn headings_below_features_are_one_each() {
    let text = "\
# Product Requirements Document

It has a page. Status: draft.

## Features

The tool has fine features.

### Export
Users get a CSV. It has a header.

### Goal tracking
Shows how far one is.

### Import
- reads CSV
- reads JSON

### Undo

### Overview
Not asked for.

```json
{}
```

## Risks
- Rain

## Changelog
- Add a list, which must not crash

## License

THE SOFTWARE IS PROVIDED AS IS. IN NO EVENT SHALL THE AUTHORS BE LIABLE.
";
    let expected = [
        "Export: Users get a CSV. It has a header.",
        "Goal tracking: Shows how far one is.",
        "reads CSV",
        "reads JSON",
        "Undo",
    ];
    assert_eq!(texts(text), expected);
    let unread = read(text).unread;
    let places: Vec<_> = unread.iter().map(|one| (one.lines.first, one.shown)).collect();
    assert_eq!(places, [(7, false)], "{unread:?}");
    let text = "## Features\n\n- Export\n\n## Open Questions\n\n- Which format?\n\nAnd who pays?\n";
    assert_eq!(texts(text), ["Export"]);
    let open = named(text);
    assert_eq!(open.len(), 2, "{open:?}");
    assert_eq!(open[0], (7, "an open question, words: Which format?".to_owned()));
    let text = "## Requirements\n\n### Export\n\n```json\n{}\n```\n\n<p>Pages of all</p>\n";
    assert_eq!(texts(text), ["Export"]);
    let places = read(text).unread.into_iter().map(|one| (one.what, one.shown));
    let expected = [
        ("a listing (json)".to_owned(), true),
        ("HTML or a footnote: <p>Pages of all</p>".to_owned(), false),
    ];
    assert_eq!(places.collect::<Vec<_>>(), expected);
}

#[test]
fn an_id_is_one_requirement_however_often_it_is_named() {
    let text = "\
## Requirements

| ID | Name | Phase |
|---|---|---|
| FR-1 | Export | 2 |

### FR-1: Export
Writes CSV.

## Plan
- FR-1 comes first
- FR-9: Print
";
    let expected = ["FR-1: Export: Writes CSV.\n- FR-1: Export (Phase: 2)", "FR-9: Print"];
    assert_eq!(texts(text), expected);
}

#[test]
fn what_is_too_much_is_told() {
    let long = "word ".repeat(MOST_WORDS / 5);
    let text = format!("## FR-1: A\n\nshort\n\n{long}\n\nlast\n");
    let asked = read(&text);
    assert_eq!(asked.requirements[0].text, "FR-1: A\n- short\n- last");
    assert_eq!((asked.unread.len(), asked.unread[0].lines.first), (1, 5));
    let text = format!("## Requirements\n{}", "- x\n".repeat(MOST_REQUIREMENTS + 2));
    let asked = read(&text);
    assert_eq!(asked.requirements.len(), MOST_REQUIREMENTS);
    let lines = asked.unread.iter().map(|one| (one.lines.first, one.lines.last));
    assert_eq!(lines.collect::<Vec<_>>(), [(2_002, 2_003)]);
    let text = format!("## Features\n{}", "some words\n\n".repeat(MOST_REQUIREMENTS + 2));
    let unread = read(&text).unread;
    assert_eq!(unread.len(), MOST_REQUIREMENTS);
    assert!(unread.last().unwrap().what.ends_with(" and 2 more"));
}

#[test]
fn signals_have_a_place_and_a_confidence() {
    let text = "\
# Shop

The shop sells things. It MUST accept cards. It is nice.
Orders must survive a restart. You must install it first. Today people must call.

## Requirements
1. Show the cart
2. Empty the cart

## Features
- Search by name
- [ ] Sort by price

## Notes
- Add a page for errors
- blue is fine
- As a visitor, I want to pay, so that it is mine

## Goals
- Sell more

## Out of scope
- Implement refunds
";
    let found = detect(text);
    let rows: Vec<_> = found
        .iter()
        .map(|one| {
            (one.id.as_str(), one.text.as_str(), one.signal, one.confidence, one.lines.first)
        })
        .collect();
    use Confidence::{Context, High, Medium};
    let expected = [
        ("R-001", "It MUST accept cards.", Signal::Keyword, High, 3),
        ("R-002", "Orders must survive a restart.", Signal::Keyword, Medium, 4),
        ("R-003", "Show the cart", Signal::Section, High, 7),
        ("R-004", "Empty the cart", Signal::Section, High, 8),
        ("R-005", "Search by name", Signal::Feature, Medium, 11),
        ("R-006", "Sort by price", Signal::Checkbox, Medium, 12),
        ("R-007", "Add a page for errors", Signal::Verb, Medium, 15),
        ("R-008", "As a visitor, I want to pay, so that it is mine", Signal::Story, High, 17),
        ("R-009", "Sell more", Signal::Goal, Context, 20),
        ("R-010", "Implement refunds", Signal::OutOfScope, Context, 23),
    ];
    assert_eq!(rows, expected);
    assert_eq!(found[2].headings, ["Requirements"]);
}
/// A quotation asks like running text, with its own lines, whatever stands in it.
#[test]
fn what_is_quoted_is_asked_for() {
    let text = "\
# Shop

> [!NOTE]
> The tool MUST print its
> version. It is nice.
>
> > ## Features
> > - Search by name

- Not quoted: it MUST be fast

> [!
";
    let found = detect(text);
    let rows: Vec<_> = found
        .iter()
        .map(|one| (one.text.as_str(), one.signal, one.lines.first, one.lines.last, one.quoted))
        .collect();
    let expected = [
        ("The tool MUST print its version.", Signal::Keyword, 4, 5, true),
        ("Search by name", Signal::Feature, 8, 8, true),
        ("Not quoted: it MUST be fast", Signal::Keyword, 10, 10, false),
    ];
    assert_eq!(rows, expected);
    assert_eq!(found[1].headings, ["Features"]);
    assert!(found[2].headings.is_empty(), "a heading in a quotation ends with it");
}

#[test]
fn stories_between_marks_have_somebody_who_speaks() {
    let text = "## Notes\n- **As a library** it is small\n- *As a reader, I can sort*\n- As a reader, sort\n";
    assert_eq!(texts(text), ["*As a reader, I can sort*", "As a reader, sort"]);
}

const SORTED: &str = "\
# Shop

## Must have
- Login

## Should have
- RSS feed

## Phase 2
- Payments

## MVP
- Cart

## User can
- pay by card

## We need
* audit log

## Rules
1. One cart for each user

## Use cases
- Buying

## Epics
### Search
- by name

## P0
- Speed

## Behaviour
The cart is emptied.

- Orders are kept

## Won't have
- Chat
";

#[test]
fn headings_that_sort_wishes_are_over_requirements() {
    let expected = [
        "Login",
        "RSS feed",
        "Payments",
        "Cart",
        "pay by card",
        "audit log",
        "One cart for each user",
        "Buying",
        "by name",
        "Speed",
        "Orders are kept",
    ];
    assert_eq!(texts(SORTED), expected);
    assert_eq!(named(SORTED), [(35, "words: The cart is emptied.".to_owned())]);
    let found = detect(SORTED);
    let sure = |at: usize| (found[at].signal, found[at].confidence);
    assert_eq!(sure(0), (Signal::Section, Confidence::High));
    assert_eq!(sure(1), sure(0));
    assert_eq!(sure(2), (Signal::Feature, Confidence::Medium));
    assert_eq!(sure(11), (Signal::OutOfScope, Confidence::Context));
    // Below what is not wanted, and where it is told when, nothing of it is.
    let text = "## Out of scope\n### Phase 2\n- Chat\n\n## Roadmap\n### Phase 3\n- Mail\n";
    assert_eq!(texts(text), Vec::<String>::new());
    assert_eq!(named(text), [(7, "an item below “Phase 3”: Mail".to_owned())]);
}

#[test]
fn what_a_heading_calls_its_items_counts_more_than_how_it_sorts_them() {
    let text = "\
# Phase 2 of the shop

## MVP success criteria
- Orders are kept

## Phase 3: Platform support
- Linux

## Phase 3 goals
- Sell more

## Post-MVP
- Chat

## Thoughts

**Must have:**
- Login

**Could have**
- Stamps

Won't have:
- Games

Well:
- Candles

<ul><li>Lamps</li></ul>
";
    let found = detect(text);
    let rows: Vec<_> = found.iter().map(|one| (one.text.as_str(), one.signal)).collect();
    let expected = [
        ("Orders are kept", Signal::Acceptance),
        ("Linux", Signal::Feature),
        ("Sell more", Signal::Goal),
        ("Login", Signal::Section),
        ("Stamps", Signal::Feature),
        ("Games", Signal::OutOfScope),
    ];
    assert_eq!(rows, expected);
    let expected = [
        (13, "an item below “Post-MVP”: Chat"),
        (27, "an item below “Thoughts”: Candles"),
        (29, "HTML below “Thoughts”: <ul><li>Lamps</li></ul>"),
    ];
    let all = named(text);
    let all: Vec<_> = all.iter().map(|(line, what)| (*line, what.as_str())).collect();
    assert_eq!(all, expected);
}

/// Whatever its heading is called: an item or a row is a requirement, or informs, or is named.
#[test]
fn nothing_is_lost_in_silence() {
    let text = "\
# Shop

- **Status**: Draft
- [Backend](#backend)

- Stamps

## Backend
- The API returns JSON
1. Rows\n   - sorted

| Field | Type |
|---|---|
| name | text |
| 1 | 2 |

> - Quoted

## Glossary
- Cart: a thing

## Changelog
- 1.0: begun

## Stakeholders
- Ann

## Goals
- Sell more
";
    let expected = [
        (6, "an item: Stamps"),
        (9, "an item below “Backend”: The API returns JSON"),
        (10, "an item below “Backend”: Rows\n- sorted"),
        (15, "a row below “Backend”: name: text"),
        (18, "an item below “Backend”: Quoted"),
    ];
    let all = named(text);
    let named: Vec<_> = all.iter().map(|(line, what)| (*line, what.as_str())).collect();
    assert_eq!(named, expected);
    assert_eq!(texts(text), Vec::<String>::new());
    let many = format!("## Backend\n{}", "- x\n".repeat(MOST_REQUIREMENTS + 5));
    let unread = read(&many).unread;
    assert_eq!((unread.len(), Unread::places(&unread)), (MOST_REQUIREMENTS, 2_005));
    assert!(unread.last().unwrap().what.ends_with(" and 5 more"));
}

#[test]
fn what_is_struck_out_is_not_wanted() {
    let text = "\
## Features
- ~~Dark mode~~
- [ ] ~~Light mode~~
- **~~Themes~~**
- Colours
  - ~~red~~
  - green
- ~~Sounds~~
  - beeps
- ~~Big~~ small letters

| ID | Feature |
|---|---|
| FR-1 | ~~Export~~ |
| FR-2 | Import |

~~The shop MUST sing.~~

### ~~FR-3: Print~~
- on paper
";
    let expected = ["Colours\n- green", "~~Big~~ small letters", "FR-2: Import"];
    assert_eq!(texts(text), expected);
    assert_eq!(named(text), [(8, "below what is struck out: - beeps".to_owned())]);
}
