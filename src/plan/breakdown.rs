//! Makes a plan of a requirements document: requirements, atomic tasks, units, sprints of three to seven
//! tasks. In natural order only; what is urgent is the business of [`prioritize`](super::prioritize).

use super::classify::{self, command_in};
use super::document::LineRange;
use super::evaluate::{Commands, criteria_for};
use super::judge::{Answers, PlanQuestion, said_words};
use super::label::{Headed, headed, slug, unit_key};
use super::model::{
    Counted, DeclaredTotal, Dependency, Origin, Plan, PlanCriterion, PlanTask, Sprint, WHOLE,
    WorkUnit,
};
use super::outline::{Content, Outline, plain};
use super::paths::{Touched, folder, paths};
use super::requirements::{Confidence, Requirement, detect};
use crate::vocab::error::{Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The most tasks of a sprint.
const MOST_TASKS: usize = 7;
/// The fewest tasks of a sprint, where there are as many.
const LEAST_TASKS: usize = 3;

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
}

const NOWHERE: LineRange = LineRange { first: 0, last: 0 };

/// Breaks a document down. `name` is that of the project, for a document without a title.
///
/// # Errors
/// `empty_plan` if nothing in it asks for anything.
pub fn breakdown(text: &str, name: &str, answers: &Answers) -> Result<Breakdown> {
    let requirements = detect(text);
    let asked: Vec<&Requirement> =
        requirements.iter().filter(|one| one.confidence > Confidence::Context).collect();
    if asked.is_empty() {
        let expected = "a list of requirements, features or tasks, or a sentence with MUST";
        return Err(Error::new(
            Code::EmptyPlan,
            "line 1",
            expected,
            "a document that asks for nothing",
        ));
    }
    let project = title(text).unwrap_or_else(|| name.to_owned());
    let units = units(&asked);
    let mut pieces: Vec<Piece> = Vec::new();
    for one in &asked {
        let unit = units.get(one.id.as_str()).cloned().unwrap_or_else(|| WHOLE.to_owned());
        let parts = parts(&one.text).into_iter();
        pieces.extend(parts.map(|text| Piece {
            text,
            requirement: one.id.clone(),
            unit: unit.clone(),
        }));
    }
    let commands = commands_of(text);
    let mut plan =
        Plan { title: Some(format!("EXECUTION_PLAN.md — {project}")), ..Plan::default() };
    let (mut addressed, mut left) = (BTreeMap::new(), Vec::new());
    let mut number = 1;
    for unit in order(&pieces) {
        let own: Vec<&Piece> = pieces.iter().filter(|piece| piece.unit == unit).collect();
        let made = work_unit(
            &unit,
            &project,
            &own,
            &commands,
            answers,
            &mut number,
            &mut addressed,
            &mut left,
        );
        plan.units.push(made);
    }
    dependencies(&mut plan);
    if let [only] = plan.units.as_mut_slice() {
        only.layer = Some(1);
    }
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    plan.declared = vec![
        DeclaredTotal { of: Counted::Units, count: count(plan.units.len()), line: 0 },
        DeclaredTotal { of: Counted::Sprints, count: count(plan.sprints().count()), line: 0 },
    ];
    let tasks = count(plan.sprints().map(|sprint| sprint.tasks.len()).sum());
    Ok(Breakdown { plan, requirements, addressed, tasks, left })
}

fn title(text: &str) -> Option<String> {
    let from = super::document::split(text).map_or(0, |(_, body)| text.len() - body.len());
    let outline = Outline::read(text, from);
    let first = outline.blocks.iter().find(|block| matches!(block.content, Content::Heading(1)))?;
    let words = plain(outline.heading(first).0);
    let bare = words.split(" — ").last().unwrap_or(&words).to_owned();
    (!bare.is_empty()).then_some(bare)
}

/// The unit of each requirement: its section of level 2 if there are several with two or more; else the
/// folder it names; else the whole.
fn units(asked: &[&Requirement]) -> BTreeMap<String, String> {
    let mut sections: BTreeMap<&str, usize> = BTreeMap::new();
    let generic = |heading: &str| {
        let lower = heading.to_lowercase();
        [
            "requirement",
            "feature",
            "deliverable",
            "scope",
            "task",
            "acceptance",
            "user stor",
            "to do",
            "todo",
        ]
        .iter()
        .any(|word| lower.contains(word))
    };
    // Below "Requirements" the next heading divides.
    let own = |one: &Requirement| -> Option<String> {
        one.headings.iter().find(|heading| !generic(heading)).cloned()
    };
    let named: Vec<(String, Option<String>)> =
        asked.iter().map(|one| (one.id.clone(), own(one))).collect();
    for (_, heading) in &named {
        if let Some(heading) = heading {
            *sections.entry(heading).or_insert(0) += 1;
        }
    }
    let several = sections.len() > 1;
    let folders: BTreeSet<&str> =
        asked.iter().filter_map(|one| paths(&one.text).next()).map(|(_, path)| top(path)).collect();
    let each = asked.iter().zip(&named).filter_map(|(one, (id, heading))| {
        let unit = match heading {
            Some(heading) if several => heading.clone(),
            _ if folders.len() > 1 && !several => top(paths(&one.text).next()?.1).to_owned(),
            _ => return None,
        };
        Some((id.clone(), unit))
    });
    each.filter(|(_, unit)| !unit.is_empty()).collect()
}

/// The first step of a path's folder.
fn top(path: &str) -> &str {
    folder(path).split('/').next().unwrap_or_default()
}

/// The units in the order they are first asked for; what is of none comes first.
fn order(pieces: &[Piece]) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    for piece in pieces {
        if !order.contains(&piece.unit) {
            order.push(piece.unit.clone());
        }
    }
    order
}

/// The atomic tasks of a requirement, by the rules for splitting.
pub fn parts(text: &str) -> Vec<String> {
    let line =
        text.lines().map(|line| line.trim_start_matches(['-', '*', '+', ' '])).collect::<Vec<_>>();
    // Nested bullets are parts by themselves; the first line is their heading if it ends with a colon.
    if line.len() > 1 {
        let head = line[0].trim_end_matches(':');
        let rest = line[1..].iter().flat_map(|part| parts(part));
        return match line[0].ends_with(':') {
            true => rest.collect(),
            false => parts(head).into_iter().chain(rest).collect(),
        };
    }
    let text = text.trim().trim_end_matches('.');
    let text = wanted(text);
    let mut found = enumerated(&text)
        .or_else(|| integrated(&text))
        .or_else(|| joined(&text))
        .unwrap_or_else(|| vec![text.clone()]);
    let tested = found.iter().any(|part| part.to_lowercase().contains("test"));
    let files: BTreeSet<&str> = paths(&text).map(|(_, path)| path).collect();
    if files.len() > 3 || !tested && is_large(&text) {
        let files: BTreeMap<&str, Vec<&str>> =
            files.iter().fold(BTreeMap::new(), |mut all, file| {
                all.entry(folder(file)).or_insert_with(Vec::new).push(*file);
                all
            });
        if files.len() > 1 {
            found = files
                .values()
                .map(|files| {
                    format!(
                        "{text}: {}",
                        files.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>().join(", ")
                    )
                })
                .collect();
        }
        if !tested {
            found.push(format!("Write tests for: {text}"));
        }
    }
    found.into_iter().map(|part| capital(&part)).collect()
}

/// What a user story or a keyword wants, without the words around it.
fn wanted(text: &str) -> String {
    let lower = text.to_lowercase();
    if lower.starts_with("as a")
        && let Some((_, rest)) = text.split_once("I want ")
    {
        let goal = rest
            .split(", so that")
            .next()
            .unwrap_or(rest)
            .split(" so that ")
            .next()
            .unwrap_or(rest);
        let goal = goal.strip_prefix("to ").unwrap_or(goal);
        return goal.trim().to_owned();
    }
    text.to_owned()
}

/// "Add support for A, B and C": one task each, where the items are short and so do not share sentences.
fn enumerated(text: &str) -> Option<Vec<String>> {
    let (head, list) = ["support for ", "commands for ", "endpoints for ", "handlers for "]
        .iter()
        .find_map(|mark| {
            let at = text.find(mark)?;
            Some(text.split_at(at + mark.len()))
        })?;
    let items: Vec<&str> = list
        .split(',')
        .flat_map(|part| part.split(" and "))
        .map(|part| part.trim().trim_start_matches("and "))
        .filter(|part| !part.is_empty())
        .collect();
    let short = items.iter().all(|item| item.split_whitespace().count() <= 4);
    (items.len() > 1 && short).then(|| items.iter().map(|item| format!("{head}{item}")).collect())
}

/// "Create X and integrate with Y".
fn integrated(text: &str) -> Option<Vec<String>> {
    let lower = text.to_lowercase();
    let at = lower.find(" and integrate ")?;
    let (first, rest) = (text.get(..at)?, text.get(at + " and integrate ".len()..)?);
    let subject = first.split_once(' ').map_or(first, |(_, subject)| subject);
    let rest = rest.trim_start_matches("it ");
    Some(vec![first.to_owned(), format!("Integrate {subject} {rest}")])
}

/// Two verbs joined by "and": distinct work.
fn joined(text: &str) -> Option<Vec<String>> {
    const VERBS: &[&str] = &[
        "add",
        "allow",
        "build",
        "check",
        "create",
        "delete",
        "document",
        "edit",
        "emit",
        "enable",
        "export",
        "expose",
        "generate",
        "handle",
        "implement",
        "import",
        "log",
        "notify",
        "parse",
        "persist",
        "print",
        "read",
        "reject",
        "remove",
        "render",
        "report",
        "retry",
        "run",
        "save",
        "send",
        "show",
        "sort",
        "store",
        "support",
        "test",
        "update",
        "validate",
        "verify",
        "write",
    ];
    let mut parts: Vec<String> = Vec::new();
    for part in text.split(" and ") {
        let first = part
            .trim_start_matches(['`', '*'])
            .split(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or_default()
            .to_lowercase();
        match parts.last_mut() {
            Some(last) if !VERBS.contains(&first.as_str()) => *last = format!("{last} and {part}"),
            _ => parts.push(part.to_owned()),
        }
    }
    (parts.len() > 1).then_some(parts)
}

/// Something that is built and says nothing about its tests.
fn is_large(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["implement ", "engine", "protocol", "parser", "service", "algorithm"]
        .iter()
        .any(|word| lower.contains(word))
        && text.split_whitespace().count() > 6
}

fn capital(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The commands a document uses to build and test, from its code spans.
fn commands_of(text: &str) -> Commands {
    let all = super::outline::spans(text)
        .into_iter()
        .map(|(_, code)| code)
        .filter(|code| !code.contains('\n'));
    let commands: Vec<&str> =
        all.filter(|code| classify::is_command(code) && !code.contains('|')).collect();
    let with = |word: &str| {
        commands.iter().find(|code| code.contains(word)).map(|code| (*code).to_owned())
    };
    Commands { build: with("build"), test: with("test") }
}

/// How early a task must be: types and interfaces, then work, then what is about the whole.
fn rank(text: &str) -> u32 {
    let lower = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    match () {
        () if says(&["write tests", "document", "readme", "changelog", "release"]) => 2,
        () if says(&[
            "type",
            "interface",
            "schema",
            "model",
            "scaffold",
            "protocol",
            "skeleton",
            "set up",
            "setup",
            "config",
        ]) =>
        {
            0
        }
        () => 1,
    }
}

/// The id of the unit that is the whole project; `plan`, unwritten, if its name would be read as something else.
fn whole_id(project: &str) -> String {
    let id = unit_key(project);
    let other = headed(project, &["sprint", "sortie", "task", "phase"]) == Headed::Other;
    if id.is_empty() || !other { WHOLE.to_owned() } else { id }
}

#[allow(clippy::too_many_arguments)]
fn work_unit(
    unit: &str,
    project: &str,
    pieces: &[&Piece],
    commands: &Commands,
    answers: &Answers,
    number: &mut u32,
    addressed: &mut BTreeMap<String, Vec<String>>,
    left: &mut Vec<PlanQuestion>,
) -> WorkUnit {
    let id = if unit == WHOLE { whole_id(project) } else { slug(unit) };
    let mut sorted: Vec<&Piece> = pieces.to_vec();
    sorted.sort_by_key(|piece| rank(&piece.text));
    let folders: BTreeSet<&str> =
        pieces.iter().flat_map(|piece| paths(&piece.text)).map(|(_, path)| folder(path)).collect();
    let mut made = WorkUnit {
        id: id.clone(),
        name: if unit == WHOLE { project.to_owned() } else { unit.to_owned() },
        directory: folders
            .iter()
            .next()
            .filter(|_| folders.len() == 1)
            .map(|folder| format!("{folder}/")),
        layer: None,
        promised: None,
        lines: NOWHERE,
        sprints: Vec::new(),
    };
    for chunk in chunks(&sorted) {
        let label = number.to_string();
        *number += 1;
        let sprint_id = format!("{id}/{label}");
        for piece in chunk {
            let list = addressed.entry(piece.requirement.clone()).or_default();
            if !list.contains(&sprint_id) {
                list.push(sprint_id.clone());
            }
        }
        let before = made.sprints.last().map(|one: &Sprint| one.label.clone());
        made.sprints.push(sprint(&sprint_id, label, before, chunk, commands, answers, left));
    }
    made.promised = u32::try_from(made.sprints.len()).ok();
    made
}

/// Even parts of at most seven and, where there are as many, at least three.
fn chunks<'p, 't>(pieces: &'p [&'t Piece]) -> impl Iterator<Item = &'p [&'t Piece]> {
    let parts = pieces.len().div_ceil(MOST_TASKS).max(1);
    let size = pieces.len().div_ceil(parts).max(LEAST_TASKS);
    pieces.chunks(size)
}

fn sprint(
    id: &str,
    label: String,
    before: Option<String>,
    pieces: &[&Piece],
    commands: &Commands,
    answers: &Answers,
    left: &mut Vec<PlanQuestion>,
) -> Sprint {
    let tasks = pieces.iter().zip(1_u32..).map(|(piece, number)| PlanTask {
        label: number.to_string(),
        text: piece.text.clone(),
        kind: classify::task_kind(&piece.text),
        ticked: false,
        lines: NOWHERE,
    });
    let tasks: Vec<PlanTask> = tasks.collect();
    let mut touched = Touched::default();
    tasks.iter().for_each(|task| touched.task(&task.text));
    touched.settle();
    let texts = || tasks.iter().map(|task| task.text.as_str());
    let mut checks = criteria_for(texts(), &touched.created, commands);
    checks
        .extend(texts().filter_map(command_in).map(|(_, command)| format!("`{command}` exits 0")));
    checks.dedup();
    let question = format!("exit:{id}");
    if checks.is_empty() {
        match said_words(answers, &question) {
            Some(answer) => checks.push(answer),
            None => {
                let text = format!(
                    "Which command or file shows that sprint {label} is done? Its tasks: {}",
                    texts().collect::<Vec<_>>().join("; ")
                );
                left.push(PlanQuestion::words(question, text));
            }
        }
    }
    let entry = match &before {
        Some(before) => format!("Sprint {before} exit criteria met"),
        None => "First sprint — no prerequisites".to_owned(),
    };
    let name = said_words(answers, &format!("name:{id}")).unwrap_or_else(|| name_of(pieces));
    Sprint {
        id: id.to_owned(),
        label,
        word: "Sprint".to_owned(),
        kind: classify::sprint_kind(None, &name, tasks.iter().map(|task| &task.kind)),
        deferred: super::label::is_deferred(&name),
        name,
        goal: None,
        layer: None,
        priority: None,
        model: None,
        turns: None,
        entry: criteria(&[entry], "EC"),
        exit: criteria(&checks, "AC"),
        tasks,
        lines: NOWHERE,
    }
}

/// The first task, and how many more.
fn name_of(pieces: &[&Piece]) -> String {
    let first = pieces.first().map_or("", |piece| piece.text.as_str());
    let short = crate::vocab::error::clip(first.lines().next().unwrap_or_default(), 60);
    match pieces.len() {
        0 | 1 => short,
        many => format!("{short} (+{})", many - 1),
    }
}

fn criteria(texts: &[String], prefix: &str) -> Vec<PlanCriterion> {
    let each = texts.iter().zip(1_u32..).map(|(text, number)| PlanCriterion {
        id: format!("{prefix}-{number:03}"),
        text: text.clone(),
        check: classify::check(text),
        ticked: false,
        lines: NOWHERE,
    });
    each.collect()
}

/// Within a unit one sprint after the other. A unit that uses files another makes waits for it and lies in
/// a higher layer.
fn dependencies(plan: &mut Plan) {
    let made: Vec<(String, BTreeSet<String>, BTreeSet<String>)> = plan
        .units
        .iter()
        .map(|unit| {
            let mut touched = Touched::default();
            unit.sprints
                .iter()
                .flat_map(|one| &one.tasks)
                .for_each(|task| touched.task(&task.text));
            touched.settle();
            let used = touched.modified.into_iter().chain(touched.read).collect();
            (unit.id.clone(), touched.created, used)
        })
        .collect();
    let mut layers: BTreeMap<String, u32> = BTreeMap::new();
    for (place, (id, _, used)) in made.iter().enumerate() {
        let before: Vec<&String> = made[..place]
            .iter()
            .filter(|(_, made, _)| !made.is_disjoint(used))
            .map(|(id, ..)| id)
            .collect();
        let layer =
            before.iter().filter_map(|id| layers.get(*id)).max().map_or(1, |layer| layer + 1);
        layers.insert(id.clone(), layer);
        plan.dependencies.extend(before.into_iter().map(|from| Dependency {
            from: from.clone(),
            to: id.clone(),
            origin: Origin::Column,
            line: 0,
        }));
    }
    for unit in &mut plan.units {
        unit.layer = layers.get(&unit.id).copied();
        let pairs = unit.sprints.windows(2);
        plan.dependencies.extend(pairs.map(|pair| Dependency {
            from: pair[0].id.clone(),
            to: pair[1].id.clone(),
            origin: Origin::Entry,
            line: 0,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::read::parse;
    use crate::plan::write::render;

    #[test]
    fn requirements_are_split_by_the_rules() {
        for (text, expected) in [
            (
                "Add support for JSON, CSV and XML",
                "Add support for JSON | Add support for CSV | Add support for XML",
            ),
            (
                "Create a client and integrate with the queue",
                "Create a client | Integrate a client with the queue",
            ),
            ("Parse the file and report errors", "Parse the file | Report errors"),
            ("Show bread and butter", "Show bread and butter"),
            ("As a user, I want to log in, so that it is mine", "Log in"),
            ("Commands:\n- add one\n- remove one", "Add one | Remove one"),
            (
                "Implement the whole parser of plan documents",
                "Implement the whole parser of plan documents | Write tests for: Implement the whole parser of plan documents",
            ),
        ] {
            assert_eq!(parts(text).join(" | "), expected, "{text}");
        }
    }

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
}
