//! Changes of the plan that a mission follows: new criteria, waived criteria, new sprints. Nothing is reworded.

use super::ask::is_about;
use super::commands::{known, unordered, workable};
use super::config::CriterionConfig;
use super::entry;
use super::rows;
use super::start::{argv, by, sprint};
use super::state::{Sprint, SprintConfig, SprintStatus, State, TaskKind, UnitStatus};
use crate::mission::admission::{has_criterion, reasoned};
use crate::mission::prelude::*;
use crate::vocab::command::{NewItem, PlanChange};
use crate::vocab::criterion;
use crate::vocab::shown::ShownBy;

/// One change of the plan.
pub(super) fn change(state: &mut State, head: &mut Head, change: &PlanChange) -> Result<()> {
    let at = head.at;
    let item = match change {
        PlanChange::AddCriterion { item, text, shown_by } => {
            more(state, head, item, text, shown_by.as_ref())?;
            item
        }
        PlanChange::WaiveCriterion { item, criterion, reason }
            if entry::has(state, item, criterion) =>
        {
            entry::waive(state, head, item, criterion, reason)?;
            item
        }
        PlanChange::WaiveCriterion { item, criterion, reason } => {
            let sprint = open(state, head, item)?;
            has_criterion(&sprint.criteria, item, criterion)?;
            reasoned(reason)?;
            waive(state, at, item, criterion, reason);
            item
        }
        PlanChange::AddItem { item } => {
            add(state, item)?;
            &item.id
        }
        PlanChange::SetPriority { .. } | PlanChange::Reorder { .. } => {
            let expected = "a new sprint, a criterion more, or one let go";
            return Err(Error::new(Code::InvalidChange, "change", expected, "another order"));
        }
    };
    state.log(at, item, "Plan amended", crate::vocab::json::encode(change));
    state.core.life.moot(head, |topic| is_about(topic, "vague", item));
    unordered(head, item);
    // A plan that was proven wrong is another one now.
    if state.stands_at(item, SprintStatus::Replan) {
        let unit = state.sprints.get(item).map(|sprint| sprint.unit.clone()).unwrap_or_default();
        state.move_sprint(item, SprintStatus::Pending);
        if state.units.get(&unit).is_some_and(|unit| unit.status == UnitStatus::Blocked) {
            state.move_unit(&unit, UnitStatus::Running);
            state.units.change(&unit, |unit| unit.note = String::new());
        }
    }
    Ok(())
}

/// One more criterion of a sprint, or its rows.
fn more(
    state: &mut State,
    head: &mut Head,
    item: &str,
    text: &str,
    shown_by: Option<&ShownBy>,
) -> Result<()> {
    let sprint = open(state, head, item)?;
    let more = criterion::append_texts(&sprint.criteria, &[text.to_owned()])?;
    let shown = shown_by.cloned().unwrap_or_default();
    let told = told(state, sprint.plan.kind, &more, std::iter::once(shown))?;
    check_ids(sprint.criteria.iter().map(|one| &one.id), &told)?;
    state.sprints.change(item, |sprint| {
        for one in told {
            sprint.criteria.push(Criterion::open(one.id, one.text));
            sprint.checks.push(one.check);
            sprint.vague.push(one.vague);
            sprint.build.push(one.build);
        }
    });
    // The commands that were shown are not all any more.
    let trusted = state.core.trusted;
    let asked = |order: &Order| matches!(order, Order::AskUser(one) if one.topic == "trust");
    head.withdraw(|order| !trusted && asked(order));
    Ok(())
}

/// Criteria of the user as rows of a sprint, each with how it is shown: no command where the user let none be run.
fn told(
    state: &State,
    kind: TaskKind,
    criteria: &[Criterion],
    shown: impl Iterator<Item = ShownBy>,
) -> Result<Vec<CriterionConfig>> {
    let hands = matches!(kind, TaskKind::Deferred | TaskKind::Manual);
    let person = hands || state.core.settings.max_verifier_rounds == 0;
    let barred = state.core.commands_barred;
    let mut all = Vec::new();
    for (one, shown) in criteria.iter().zip(shown) {
        shown.commands.iter().try_for_each(|line| argv("shown_by.commands", &line.argv))?;
        let shown = if barred { ShownBy::default() } else { shown };
        all.extend(rows::rows(&one.id, &one.text, &shown).into_iter().map(|row| CriterionConfig {
            check: by(&row.check, person),
            vague: row.vague && !person,
            ..row
        }));
    }
    Ok(all)
}

fn check_ids<'a>(known: impl Iterator<Item = &'a String>, more: &[CriterionConfig]) -> Result<()> {
    let mut taken: BTreeSet<&str> = known.map(String::as_str).collect();
    ensure_none(more.iter().find(|one| !taken.insert(&one.id)), |twice| {
        Error::new(Code::DuplicateId, "text", "an id of its own", &twice.id)
    })
}

/// The user waives one criterion, whatever its state: the user is asked about one that showed an earlier supervisor's
/// work like about any other. A sprint that has no other criterion left is skipped.
pub(super) fn waive(state: &mut State, at: Millis, item: &str, criterion: &str, why: &str) {
    state.sprints.change(item, |sprint| {
        let found = sprint.criteria.iter_mut().find(|one| one.id == criterion && !one.waived());
        if let Some(one) = found {
            let (by, why) = ("user".to_owned(), why.to_owned());
            one.state = criterion::CriterionState::Waived { by, why };
        }
    });
    let all =
        state.sprints.get(item).is_some_and(|one| one.criteria.iter().all(|one| one.waived()));
    if all {
        state.move_sprint(item, SprintStatus::Skipped);
        state.log(at, item, "SKIPPED", "every criterion is let go");
        state.touch_complete();
    }
}

fn open<'a>(state: &'a State, head: &Head, item: &str) -> Result<&'a Sprint> {
    workable(state, head, item, "amended")?;
    known(state, item)
}

/// A new sprint at the end of its unit.
fn add(state: &mut State, item: &NewItem) -> Result<()> {
    if state.sprints.get(&item.id).is_some() {
        return Err(Error::new(Code::DuplicateId, "item.id", "an id of its own", &item.id));
    }
    let unknown =
        || Error::new(Code::UnknownItem, "item.id", "unit/label of a known unit", &item.id);
    let (unit, label) = item.id.split_once('/').ok_or_else(unknown)?;
    let known = state.units.get(unit).filter(|_| !label.is_empty()).ok_or_else(unknown)?;
    if known.status == UnitStatus::Completed {
        return Err(Error::new(Code::ItemClosed, "item.id", "an open work unit", unit));
    }
    if let Some(from) = item
        .blocked_on
        .iter()
        .find(|id| state.sprints.get(id).is_none() && state.units.get(id).is_none())
    {
        let at = "item.blocked_on";
        return Err(Error::new(Code::DependencyUnknown, at, "the id of a sprint or unit", from));
    }
    if item.blocked_on.iter().any(|id| id == unit) {
        return Err(Error::new(Code::DependencyCycle, "item.blocked_on", "another unit", unit));
    }
    let criteria = criterion::from_texts(&item.acceptance_criteria)?;
    let shown = item.shown_by.iter().cloned().chain(std::iter::repeat(ShownBy::default()));
    let told = told(state, TaskKind::Code, &criteria, shown)?;
    check_ids([].iter(), &told)?;
    let plan = SprintConfig {
        label: label.to_owned(),
        name: item.goal.clone(),
        definition: format!("{}\n\n{}", item.goal, item.why_now),
        criteria: told,
        after: item.blocked_on.clone(),
        ..SprintConfig::default()
    };
    let sprint = sprint(&state.core.settings, unit, plan, 0);
    let (id, unit) = (item.id.clone(), unit.to_owned());
    state.sprints.push(sprint);
    state.units.change(&unit, |unit| unit.sprints.push(id));
    Ok(())
}
