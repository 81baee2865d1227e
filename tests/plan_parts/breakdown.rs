//! Plans that are made of documents.

use endstate::plan::analyze::analyze;
use endstate::plan::breakdown::*;
use endstate::plan::judge::Answers;
use endstate::plan::model::Plan;
use endstate::plan::model::Weight;
use endstate::plan::read::parse;
use endstate::plan::report::report;
use endstate::plan::requirements::Confidence;
use endstate::plan::write::render;
use endstate::vocab::error::Code;

const SHOP: &str = "\
# Shop

Build with `make build`, test with `make test`.

## Cart
- Create the types in `src/cart/types.rs`
- Create `src/cart/list.rs` and show the sum
- The cart MUST survive a restart
- Add a button

## Pay
- Support cards
- Create `src/pay/card.rs` that uses `src/cart/types.rs`
- Add a receipt
- Send a mail
- Show errors
- Add a page
- Add a log
- Add a retry
- Add a limit
";

#[test]
fn a_document_becomes_a_plan_that_can_be_read() {
    let done = breakdown(SHOP, "x", &Answers::new()).unwrap();
    let text = render(&done.plan);
    let parsed = parse(&text);
    assert_eq!(parsed.faults().next(), None, "{text}");
    let read = parsed.plan;
    let ids = |plan: &Plan| {
        plan.sprints()
            .map(|one| (one.id.clone(), one.tasks.len(), one.exit.len()))
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&read), ids(&done.plan), "{text}");
    assert!(read.sprints().all(|one| (3..=7).contains(&one.tasks.len())), "{text}");
    let units: Vec<_> = read.units.iter().map(|one| (one.id.as_str(), one.layer)).collect();
    assert_eq!(units, [("cart", Some(1)), ("pay", Some(2))]);
    assert!(read.dependencies.iter().any(|one| one.from == "cart" && one.to == "pay"));
    assert_eq!(read.title.as_deref(), Some("EXECUTION_PLAN.md — Shop"));
    let first = read.sprints().next().unwrap();
    assert_eq!(first.tasks[0].text, "Create the types in `src/cart/types.rs`");
    let asked = done.requirements.iter().filter(|one| one.confidence > Confidence::Context);
    assert!(asked.clone().all(|one| done.addressed.contains_key(&one.id)));
    assert_eq!(
        breakdown("# Nothing\n\nreally", "x", &Answers::new()).unwrap_err().code,
        Code::EmptyPlan
    );
}

const LEDGER: &str = "\
# PRD: Ledger — shared expenses

## Functional Requirements
1. Create the balances in `src/model/balance.rs`
2. Show the weather of tomorrow
3. Update `src/cli/main.rs` and `web/app/page.ts` to take a group

## User stories
- As a member, I want to add an expense by mail, so that I need no editor
  Acceptance criteria:
  - [ ] A mail without an amount is refused

## Acceptance criteria
- [ ] `cargo test` passes
- [ ] The balances of `src/model/balance.rs` add up to zero
- [ ] `docs/usage.md` exists
";

/// A list of short wishes is a few sprints of three to seven tasks, and what must be in running text is one of them.
#[test]
fn short_wishes_share_their_sprints() {
    let wishes = ["Log in by mail", "Export rows", "Dark colours", "Faster search", "Undo"];
    let list: String = wishes.iter().map(|wish| format!("- {wish}\n")).collect();
    let text = format!("# Shop\n\nOrders must survive a restart.\n\n## Features\n\n{list}");
    let done = breakdown(&text, "x", &Answers::new()).unwrap();
    let many: Vec<usize> = done.plan.sprints().map(|one| one.tasks.len()).collect();
    assert_eq!(many.iter().sum::<usize>(), 6);
    assert!(many.iter().all(|many| (3..=7).contains(many)), "{many:?}");
    let mut tasks = done.plan.sprints().flat_map(|one| &one.tasks);
    assert!(tasks.any(|task| task.text == "Orders must survive a restart"));
}

/// Without an agent, too, every sprint says what it is done by.
#[test]
fn what_a_document_accepts_ends_its_sprints() {
    let done = breakdown(LEDGER, "x", &Answers::new()).unwrap();
    assert_eq!(done.plan.title.as_deref(), Some("EXECUTION_PLAN.md — Ledger"));
    let rows: Vec<Vec<&str>> = done
        .plan
        .sprints()
        .map(|one| one.tasks.iter().map(|task| task.text.as_str()).collect())
        .collect();
    // Two folders are two tasks, and not one sprint with a third; what is small joins what stands beside it.
    assert_eq!(
        rows,
        [
            vec!["Create the balances in `src/model/balance.rs`", "Show the weather of tomorrow"],
            vec![
                "Update `src/cli/main.rs` to take a group",
                "Update `web/app/page.ts` to take a group",
                "Add an expense by mail"
            ],
        ]
    );
    let exit = |at: usize| -> Vec<&str> {
        let one = done.plan.sprints().nth(at).unwrap();
        one.exit.iter().map(|one| one.text.as_str()).collect()
    };
    assert_eq!(
        exit(0),
        [
            "The balances of `src/model/balance.rs` add up to zero",
            "File exists: `src/model/balance.rs`",
            "`cargo test` passes",
            "Shown by a test or a command: Show the weather of tomorrow"
        ]
    );
    assert_eq!(
        exit(1),
        [
            "A mail without an amount is refused",
            "`cargo test` passes",
            "`docs/usage.md` exists",
            "Shown by a test or a command: Update `src/cli/main.rs` to take a group",
            "Shown by a test or a command: Update `web/app/page.ts` to take a group",
            "Shown by a test or a command: Add an expense by mail"
        ]
    );
    let bare = LEDGER.replace("- [ ] `cargo test` passes\n", "");
    let bare = bare.replace("- [ ] `docs/usage.md` exists\n", "");
    let done = breakdown(&bare, "x", &Answers::new()).unwrap();
    assert!(done.plan.sprints().all(|one| !one.exit.is_empty()));
    let left: Vec<_> = done.left.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(left, ["exit:ledger/2"]);
    let asked = done.requirements.iter().filter(|one| one.confidence > Confidence::Context);
    assert!(asked.clone().all(|one| done.addressed.contains_key(&one.id)));
}
/// What stands below an item says more about it; and what a heading asks for is accepted by what stands below it.
#[test]
fn what_says_more_stays_with_what_it_is_about() {
    let text = "\
# Feature Specification: Notes

## Features

### Export
Users get a CSV of all notes.

**Acceptance criteria**:
- The page is green

### FR-2: Create and edit notes

- in place
- **Depends on**: US-1

## Requirements
1. **R1** Sync with server
   - retries 3 times
   - backs off
";
    let done = breakdown(text, "x", &Answers::new()).unwrap();
    let tasks: Vec<&str> =
        done.plan.sprints().flat_map(|one| &one.tasks).map(|one| one.text.as_str()).collect();
    let expected = [
        "Export: Users get a CSV of all notes",
        "FR-2: Create and edit notes\n- in place\n- Depends on: US-1",
        "**R1** Sync with server\n- retries 3 times\n- backs off",
    ];
    assert_eq!(tasks, expected);
    let first = done.plan.sprints().next().unwrap();
    assert!(first.exit.iter().any(|one| one.text == "The page is green"));
    let shown = "Shown by a test or a command, with each point of it: **R1** Sync with server";
    assert!(first.exit.iter().any(|one| one.text == shown), "{:?}", first.exit);
    let text = render(&done.plan);
    let parsed = parse(&text);
    assert_eq!(parsed.remarks.iter().find(|one| one.weight > Weight::Note), None, "{text}");
    let read: Vec<String> =
        parsed.plan.sprints().flat_map(|one| &one.tasks).map(|one| one.text.clone()).collect();
    assert_eq!(read, expected);
    assert_eq!(done.plan.title.as_deref(), Some("EXECUTION_PLAN.md — Notes"));
}

/// Nothing is complete while something could not be read.
#[test]
fn what_is_not_read_is_named() {
    let text = "# A\n\n## Requirements\n- Search by name\n\n## Features\n\nA fine page.\n";
    let done = breakdown(text, "x", &Answers::new()).unwrap();
    let unread: Vec<_> =
        done.unread.iter().map(|one| (one.lines.first, one.what.as_str())).collect();
    assert_eq!(unread, [(8, "words: A fine page.")]);
    let made = render(&done.plan);
    let found = analyze(&made, Some(text), 50, &Answers::new());
    let page = report(&found, &parse(&made).plan, "p", "now");
    assert!(page.contains("Status: PARTLY SHOWN (1 places"), "{page}");
    assert!(page.contains("**Not read as requirements**:\n\n- line 8: words: A fine page."));
    let error = breakdown("## Features\n\nA fine page.\n", "x", &Answers::new());
    assert!(error.unwrap_err().got.ends_with("not read, line 3: words: A fine page."));
}

/// A plan that leaves something out does not cover its document, whatever the heading above that is called.
#[test]
fn a_plan_that_leaves_items_out_is_not_complete() {
    let text = "# A\n\n## Requirements\n- Search by name\n\n## Backend\n- The API returns JSON\n";
    let done = breakdown(text, "x", &Answers::new()).unwrap();
    let left = "an item below “Backend”: The API returns JSON";
    assert_eq!(done.unread.iter().map(|one| one.what.as_str()).collect::<Vec<_>>(), [left]);
    let made = render(&done.plan);
    let page = |text: &str| {
        let found = analyze(&made, Some(text), 50, &Answers::new());
        report(&found, &parse(&made).plan, "p", "now")
    };
    let said = page(text);
    assert!(said.contains("Status: PARTLY SHOWN (1 places"), "{said}");
    assert!(said.contains(&format!("- line 7: {left}")), "{said}");
    assert!(page(&text.replace("## Backend", "## Glossary")).contains("Status: COMPLETE"));
    let many = format!("{text}{}", "- more\n".repeat(3_000));
    assert!(page(&many).contains("Status: PARTLY SHOWN (3001 places"));
}

/// What breakdown made of a document is what analyze finds of it.
#[test]
fn an_analysis_finds_what_was_made_of_a_document() {
    let text = "\
# Shop

## User stories
- As a buyer, I want to see my orders so that I can reorder.
- As an admin, I want to undo, so that nothing of what I do is lost for good.

## Features
- Undo
- Create `src/cart/types.rs`, `web/pay/page.ts` and `docs/use/start.md`
- Settings:
  - Colours of the page
  - Language
- FR-12: Search by name

## Sprint 1: Speed of it
- **Tasks**:
- **Acceptance criteria**: pages MUST come within a second
- **Tests**: the tool MUST be tested
- Show how long it took
";
    let made = render(&breakdown(text, "x", &Answers::new()).unwrap().plan);
    assert_eq!(parse(&made).faults().next(), None, "{made}");
    let found = |plan: &str, asked: &str| -> Vec<String> {
        let rows = analyze(plan, Some(asked), 50, &Answers::new()).coverage;
        let open = rows.into_iter().filter(|row| row.sprints.is_empty());
        open.map(|row| row.requirement.text).collect()
    };
    assert_eq!(found(&made, text), Vec::<String>::new(), "{made}");
    let by_id = "## Sprint 1: A\n\n**Tasks**:\n- Do FR-12\n\n**Exit criteria**:\n- [ ] `make test` passes\n";
    let asked = "# A\n\n## Requirements\n- FR-12: Look for something\n- FR-1: Look for nothing\n";
    assert_eq!(found(by_id, asked), ["FR-1: Look for nothing"]);
    // Words that others use, too, are no sign where ids are named.
    let words = by_id.replace("Do FR-12", "FR-12: Look for nothing");
    assert_eq!(found(&words, asked), ["FR-1: Look for nothing"]);
    let range = by_id.replace("Do FR-12", "FR-1 to FR-12: look for something or nothing");
    assert_eq!(found(&range, asked), Vec::<String>::new());
    let ways = "## API\n\n| Endpoint | Purpose |\n|---|---|\n| GET /items | list items |\n";
    let about = by_id.replace("Do FR-12", "Users can list items");
    assert_eq!(found(&about, ways), ["GET /items: list items"]);
    assert_eq!(found(&about.replace("Users", "`/items`: users"), ways), Vec::<String>::new());
}

/// What nobody can compute is a criterion for a verifier, and a question where a sprint has nothing else.
#[test]
fn a_criterion_that_no_machine_can_check_is_a_listed_deviation() {
    let done =
        breakdown("# Notes\n\n- FR-1: Users can rename a note\n", "x", &Answers::new()).unwrap();
    let sprint = done.plan.sprints().next().unwrap();
    let exit: Vec<&str> = sprint.exit.iter().map(|one| one.text.as_str()).collect();
    assert!(exit.iter().any(|text| text.starts_with("Shown by a test or a command: ")), "{exit:?}");
    assert!(!done.left.is_empty());
    let page = include_str!("../../docs/deviations.md");
    let row = page.lines().find(|line| line.contains("Shown by a test or a command: …")).unwrap();
    assert!(row.contains("no machine can check"), "{row}");
}
