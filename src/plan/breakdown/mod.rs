//! Makes a plan of a requirements document: requirements, atomic tasks, units, sprints of three to seven
//! tasks. In natural order only; what is urgent is the business of [`prioritize`](super::prioritize).

mod accept;
mod goals;
mod parts;
mod shape;
mod units;

pub(in crate::plan) use parts::goals as goals_in;
pub use parts::parts;

use super::classify;
use super::evaluate::Commands;
use super::judge::{Answers, PlanQuestion};
use super::model::{Counted, DeclaredTotal, Plan, WHOLE, WorkUnit};
use super::outline::{Content, Outline, plain};
use super::requirements::{Confidence, Requirement, detect};
use crate::vocab::error::{Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shape::Draft;
use std::collections::BTreeMap;

/// A plan made of requirements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Breakdown {
    /// The plan.
    pub plan: Plan,
    /// Everything that was detected, context included.
    pub requirements: Vec<Requirement>,
    /// For each requirement that asks for something, the sprints that address it.
    pub addressed: BTreeMap<String, Vec<String>>,
    /// How many tasks there are.
    pub tasks: u32,
    /// What was left to judge.
    pub left: Vec<PlanQuestion>,
}

/// A task with the requirement it is of.
#[derive(Clone, Debug)]
struct Piece {
    text: String,
    requirement: String,
    unit: String,
    /// The innermost heading that says what it is about.
    subject: Option<String>,
}

/// Breaks a document down. `name` is that of the project, for a document without a title.
///
/// # Errors
/// `empty_plan` if nothing in it asks for anything.
pub fn breakdown(text: &str, name: &str, answers: &Answers) -> Result<Breakdown> {
    let requirements = detect(text);
    let asked = requirements.iter().filter(|one| one.confidence > Confidence::Context);
    let (mut conditions, mut work): (Vec<_>, Vec<_>) =
        asked.partition(|one| accept::is_condition(one));
    if work.is_empty() {
        work = std::mem::take(&mut conditions);
    }
    if work.is_empty() {
        let expected = "a list of requirements, features or tasks, or a sentence with MUST";
        return Err(Error::new(
            Code::EmptyPlan,
            "line 1",
            expected,
            "a document that asks for nothing",
        ));
    }
    let project = title(text).unwrap_or_else(|| name.to_owned());
    let in_unit = units::units(&work);
    let pieces = pieces(&work, &in_unit);
    let (mut made, mut drafts) = drafted(&pieces, &project);
    let given = accept::accept(&conditions, &work, &in_unit, &mut drafts);
    let (commands, mut left) = (commands_of(text), Vec::new());
    let mut addressed: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut tasks = 0;
    for (unit, draft) in &drafts {
        let sprint = shape::sprint(draft, &commands, answers, &mut left);
        tasks += sprint.tasks.len();
        for piece in &draft.pieces {
            let list = addressed.entry(piece.requirement.clone()).or_default();
            if !list.contains(&draft.id) {
                list.push(draft.id.clone());
            }
        }
        if let Some((_, unit)) = made.iter_mut().find(|(name, _)| name == unit) {
            unit.sprints.push(sprint);
        }
    }
    addressed.extend(given.into_iter().map(|(id, sprint)| (id, vec![sprint])));
    let plan = finished(&project, made.into_iter().map(|(_, unit)| unit).collect());
    Ok(Breakdown { plan, requirements, addressed, tasks: count(tasks), left })
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The tasks of all requirements.
fn pieces(work: &[&Requirement], in_unit: &BTreeMap<String, String>) -> Vec<Piece> {
    let each = work.iter().flat_map(|one| {
        let unit = in_unit.get(one.id.as_str()).cloned().unwrap_or_else(|| WHOLE.to_owned());
        let subject =
            one.headings.iter().rev().find(|heading| !units::is_generic(heading)).cloned();
        parts(&one.text).into_iter().map(move |text| Piece {
            text: unlabelled(&text),
            requirement: one.id.clone(),
            unit: unit.clone(),
            subject: subject.clone(),
        })
    });
    each.collect()
}

/// A text whose first words do not stand out as a label of a plan does: `**Tests**: of the cart`.
fn unlabelled(text: &str) -> String {
    let label = text.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    match label.filter(|(label, rest)| label.ends_with(':') || rest.trim_start().starts_with(':')) {
        Some((label, rest)) => format!("{label}{rest}"),
        None => text.to_owned(),
    }
}

/// Things with the section or folder of the unit that each is of.
type OfUnits<T> = Vec<(String, T)>;

/// The units by their sections or folders, and the sprints with the unit of each; numbers go on from unit to
/// unit.
fn drafted<'p>(pieces: &'p [Piece], project: &str) -> (OfUnits<WorkUnit>, OfUnits<Draft<'p>>) {
    let (mut made, mut drafts) = (Vec::new(), Vec::new());
    for unit in units::order(pieces) {
        let own: Vec<&Piece> = pieces.iter().filter(|piece| piece.unit == unit).collect();
        let id = shape::unit_id(&unit, project);
        made.push((unit.clone(), shape::work_unit(&unit, &id, project, &own)));
        let mut before = None;
        for pieces in goals::goals(&own) {
            let label = (drafts.len() + 1).to_string();
            let (id, accepted) = (format!("{id}/{label}"), Vec::new());
            drafts
                .push((unit.clone(), Draft { id, label: label.clone(), before, pieces, accepted }));
            before = Some(label);
        }
    }
    (made, drafts)
}

/// The plan of some units, with who waits for whom and what it says about its size.
fn finished(project: &str, units: Vec<WorkUnit>) -> Plan {
    let title = Some(format!("EXECUTION_PLAN.md — {project}"));
    let mut plan = Plan { title, units, ..Plan::default() };
    plan.units.iter_mut().for_each(|unit| unit.promised = u32::try_from(unit.sprints.len()).ok());
    units::dependencies(&mut plan);
    if let [only] = plan.units.as_mut_slice() {
        only.layer = Some(1);
    }
    plan.declared = vec![
        DeclaredTotal { of: Counted::Units, count: count(plan.units.len()), line: 0 },
        DeclaredTotal { of: Counted::Sprints, count: count(plan.sprints().count()), line: 0 },
    ];
    plan
}

fn title(text: &str) -> Option<String> {
    let from = super::document::split(text).map_or(0, |(_, body)| text.len() - body.len());
    let outline = Outline::read(text, from);
    let first = outline.blocks.iter().find(|block| matches!(block.content, Content::Heading(1)))?;
    let words = plain(outline.heading(first).0);
    // "PRD: Ledger — shared expenses" is about the ledger.
    let kind = |word: &str| {
        let bare = word.trim().to_lowercase();
        let names = ["prd", "spec", "specification", "requirements", "product requirements", "rfc"];
        names.contains(&bare.trim_end_matches(".md")) || bare == "execution_plan.md"
    };
    let mut rest = words.as_str();
    for mark in [":", " — ", " – ", " - "] {
        if let Some((_, behind)) = rest.split_once(mark).filter(|(word, _)| kind(word)) {
            rest = behind.trim();
        }
    }
    let bare = rest.split(" — ").next().unwrap_or(rest).trim().to_owned();
    (!bare.is_empty()).then_some(bare)
}

/// The commands a document builds and tests everything with, from its code spans.
fn commands_of(text: &str) -> Commands {
    let all = super::outline::spans(text).into_iter().map(|(_, code)| code);
    let commands = all.filter(|code| !code.contains('\n') && classify::is_command(code));
    Commands::among(&commands.map(str::to_owned).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::analyze::analyze;
    use crate::plan::read::parse;
    use crate::plan::write::render;

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
                vec![
                    "Create the balances in `src/model/balance.rs`",
                    "Show the weather of tomorrow"
                ],
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
        let asked =
            "# A\n\n## Requirements\n- FR-12: Look for something\n- FR-1: Look for nothing\n";
        assert_eq!(found(by_id, asked), ["FR-1: Look for nothing"]);
    }
}
