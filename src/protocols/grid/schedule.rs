//! Waves by levels of dependency.
//!
//! A declared wave that disagrees is a note with both numbers, and the dependencies win. A dependency on
//! another phase is a note; one on an unknown plan, on itself or around a circle is an error.

use super::plan::{Plan, place};
use crate::mission::prelude::*;
use crate::plan::graph;

/// The order in which plans are executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Ids by wave.
    pub waves: Vec<Vec<String>>,
    /// For each plan, the plans it waits for.
    pub depends_on: BTreeMap<String, Vec<String>>,
    /// What is unusual.
    pub notes: Vec<Diagnostic>,
}

impl Schedule {
    /// The wave of a plan, from 1.
    pub fn wave(&self, id: &str) -> Option<u32> {
        let place = self.waves.iter().position(|wave| wave.iter().any(|one| one == id))?;
        u32::try_from(place + 1).ok()
    }
}

/// Puts plans into waves. `known` are plans of earlier waves, which may be waited for.
///
/// # Errors
/// `duplicate_id`, `dependency_unknown`, `dependency_cycle`; each with the place of the plan.
pub fn schedule(plans: &[Plan], known: &BTreeSet<String>) -> Result<Schedule> {
    let mut ids: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    for (nth, plan) in plans.iter().enumerate() {
        if !ids.insert(&plan.id) {
            let at = place(plan, nth, "id");
            return Err(Error::new(Code::DuplicateId, at, "an id of its own", &plan.id));
        }
    }
    let mut made = Schedule::default();
    for (nth, plan) in plans.iter().enumerate() {
        let mut waits = Vec::new();
        for written in &plan.depends_on {
            let at = place(plan, nth, "depends_on");
            match resolve(plan, written, &ids) {
                Found::Plan(id) if !waits.contains(&id) => waits.push(id),
                Found::Plan(_) => {}
                Found::Elsewhere => made.notes.push(Diagnostic {
                    code: Code::Overlooked,
                    at,
                    expected: format!("a plan of phase {}", plan.phase),
                    got: format!("`{written}` of another phase, ignored"),
                }),
                Found::Nobody => {
                    let expected = "the id of a plan";
                    return Err(Error::new(Code::DependencyUnknown, at, expected, written));
                }
            }
        }
        made.depends_on.insert(plan.id.clone(), waits);
    }
    no_circle(plans, &made)?;
    let own: BTreeSet<&str> = plans.iter().map(|plan| plan.id.as_str()).collect();
    let inner = edges(&made.depends_on).filter(|(from, _)| own.contains(from));
    let levels = graph::levels(own.iter().copied(), inner);
    for plan in plans {
        let level = levels.get(&plan.id).copied().unwrap_or(0);
        let nth = usize::try_from(level).unwrap_or(usize::MAX);
        if made.waves.len() <= nth {
            made.waves.resize(nth + 1, Vec::new());
        }
        made.waves[nth].push(plan.id.clone());
        if let Some(declared) = plan.declared_wave.filter(|wave| *wave != level + 1) {
            made.notes.push(Diagnostic {
                code: Code::Overlooked,
                at: match &plan.path {
                    Some(_) => place(plan, 0, "wave"),
                    None => format!("plan {}: wave", plan.id),
                },
                expected: format!("wave {}, by its dependencies", level + 1),
                got: format!("wave {declared}"),
            });
        }
    }
    Ok(made)
}

/// # Errors
/// `dependency_cycle` at the first plan of a circle.
fn no_circle(plans: &[Plan], made: &Schedule) -> Result<()> {
    let Some(circle) = graph::cycle(edges(&made.depends_on)) else { return Ok(()) };
    let (expected, got) = ("plans in an order", circle.join(" -> "));
    let on = |plan: &&Plan| circle.first().is_some_and(|id| *id == plan.id);
    let at = plans.iter().find(on).filter(|plan| plan.path.is_some());
    let at = at.map_or("plans".to_owned(), |plan| place(plan, 0, "depends_on"));
    Err(Error::new(Code::DependencyCycle, at, expected, got))
}

fn edges(depends_on: &BTreeMap<String, Vec<String>>) -> impl Iterator<Item = (&str, &str)> {
    depends_on
        .iter()
        .flat_map(|(to, froms)| froms.iter().map(move |from| (from.as_str(), to.as_str())))
}

enum Found {
    Plan(String),
    Elsewhere,
    Nobody,
}

/// Whom a written dependency means: an id, or the number of a plan in the same phase.
fn resolve(plan: &Plan, written: &str, ids: &BTreeSet<&str>) -> Found {
    let written = written.trim();
    let number = plan.phase.split('-').next().unwrap_or_default();
    // `1-01` means `01-01` where the phase is `01`.
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let bare = |text: &str| text.trim_start_matches('0').to_owned();
    let named = written.split_once('-').filter(|(phase, _)| digits(phase));
    let rest = named.filter(|(phase, _)| digits(number) && bare(phase) == bare(number));
    let spellings = [
        written.to_owned(),
        format!("{number}-{written}"),
        format!("{written:0>2}"),
        format!("{number}-{written:0>2}"),
        rest.map_or(String::new(), |(_, rest)| format!("{number}-{rest:0>2}")),
    ];
    if let Some(id) = spellings.iter().find(|id| ids.contains(id.as_str())) {
        return Found::Plan(id.clone());
    }
    if named.is_some() && rest.is_none() { Found::Elsewhere } else { Found::Nobody }
}
