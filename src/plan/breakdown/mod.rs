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
use super::requirements::{Asked, Confidence, Requirement, Unread, read};
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
    /// What stands where requirements stand, and was not read as one.
    #[serde(default)]
    pub unread: Vec<Unread>,
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
    let Asked { requirements, unread } = read(text);
    let asked = requirements.iter().filter(|one| one.confidence > Confidence::Context);
    let (mut conditions, mut work): (Vec<_>, Vec<_>) =
        asked.partition(|one| accept::is_condition(one));
    if work.is_empty() {
        work = std::mem::take(&mut conditions);
    }
    if work.is_empty() {
        let expected = "a list of requirements, features or tasks, or a sentence with MUST";
        let got = "a document that asks for nothing".to_owned();
        let got = match unread.first() {
            Some(one) => format!("{got}; not read, line {}: {}", one.lines.first, one.what),
            None => got,
        };
        return Err(Error::new(Code::EmptyPlan, "line 1", expected, got));
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
    Ok(Breakdown { plan, requirements, unread, addressed, tasks: count(tasks), left })
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
            text: text.lines().map(unlabelled).collect::<Vec<_>>().join("\n"),
            requirement: one.id.clone(),
            unit: unit.clone(),
            subject: subject.clone(),
        })
    });
    each.collect()
}

/// A text whose first words do not stand out as a label of a plan does: `**Tests**: of the cart`.
fn unlabelled(text: &str) -> String {
    let (mark, bare) = text.strip_prefix("- ").map_or(("", text), |bare| ("- ", bare));
    let label = bare.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    match label.filter(|(label, rest)| label.ends_with(':') || rest.trim_start().starts_with(':')) {
        Some((label, rest)) => format!("{mark}{label}{rest}"),
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
        let names = [
            "prd",
            "spec",
            "specification",
            "feature specification",
            "requirements",
            "product requirements",
            "product requirements document",
            "rfc",
        ];
        let bare = bare.trim_end_matches("(prd)").trim_end().trim_end_matches(".md");
        names.contains(&bare) || bare == "execution_plan"
    };
    let mut rest = words.as_str();
    for mark in [":", " — ", " – ", " - "] {
        if let Some((_, behind)) = rest.split_once(mark).filter(|(word, _)| kind(word)) {
            rest = behind.trim();
        }
    }
    let bare = rest.split(" — ").next().unwrap_or(rest).trim().to_owned();
    (!bare.is_empty() && !kind(&bare)).then_some(bare)
}

/// The commands a document builds and tests everything with, from its code spans.
fn commands_of(text: &str) -> Commands {
    let all = super::outline::spans(text).into_iter().map(|(_, code)| code);
    let commands = all.filter(|code| !code.contains('\n') && classify::is_command(code));
    Commands::among(&commands.map(str::to_owned).collect::<Vec<_>>())
}
