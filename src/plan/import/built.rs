//! What must hold of the plan that was built, whatever was labelled.

use super::check::MOST_FAULTS;
use super::outline::{Form, Outline};
use super::{Fault, Question, Rule};
use crate::plan::model::{self, Plan, Weight};
use crate::plan::yaml::count;
use crate::plan::{check, read, write};
use std::collections::BTreeMap;

/// What is wrong with a plan and its text, or is for the user to decide.
pub(super) fn faults(outline: &Outline, plan: &Plan, text: &str) -> Vec<Fault> {
    let mut faults: Vec<Fault> = open(plan).chain(lost(outline, text)).collect();
    let back = read::read(text);
    let own = check::check(&back.plan).into_iter().chain(back.remarks);
    for one in own.filter(|one| one.weight == Weight::Fault) {
        let got = format!("{} (line {} of the plan)", one.got, one.line);
        faults.push(fault(Rule::Plan, 1, one.expected, got));
    }
    let name = |one: (&model::Unit, &model::Sprint)| (one.1.label.clone(), one.1.name.clone());
    let other = back.plan.sprints().map(name).ne(plan.sprints().map(name));
    if write::write(&back.plan) != text || other {
        let expected = "a plan that reads as it was made".to_owned();
        faults.push(fault(Rule::Plan, 1, expected, "another one".to_owned()));
    }
    faults
}

fn fault(rule: Rule, line: u32, expected: String, got: String) -> Fault {
    Fault { rule, line, column: 1, expected, got }
}

/// I6: a sprint without an exit criterion is a question.
fn open(plan: &Plan) -> impl Iterator<Item = Fault> {
    plan.sprints().filter(|(_, sprint)| sprint.exit.is_empty()).map(|(unit, sprint)| {
        let got = format!("{} without one", model::id(unit, sprint));
        fault(Rule::I6, sprint.lines.first, "a sprint with an exit criterion".to_owned(), got)
    })
}

/// I1: every word of the source is in what was built, as often as there.
fn lost<'a>(outline: &'a Outline, built: &'a str) -> impl Iterator<Item = Fault> + 'a {
    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
    }
    let mut there: BTreeMap<&str, usize> = BTreeMap::new();
    words(built).for_each(|word| *there.entry(word).or_default() += 1);
    let fence = |at: usize| outline.within(at, Form::Fence).is_some_and(|one| one.start >= at);
    let lines = (0..outline.lines()).filter(move |line| !fence(outline.line(*line).start));
    let all = lines.flat_map(|line| {
        let at = outline.text_start(line, true)..outline.line(line).end;
        words(outline.slice(at)).map(move |word| (line, word))
    });
    let lost = all.filter(move |(_, word)| match there.get_mut(word).filter(|left| **left > 0) {
        Some(left) => {
            *left -= 1;
            false
        }
        None => true,
    });
    lost.take(MOST_FAULTS).map(|(line, word)| {
        let expected = format!("`{word}` in the plan");
        fault(Rule::I1, count(line + 1), expected, "it is not there".to_owned())
    })
}

/// A fault with both texts.
pub(super) fn question(outline: &Outline, plan: &Plan, fault: Fault) -> Question {
    let line = usize::try_from(fault.line).unwrap_or(usize::MAX).saturating_sub(1);
    let within = |at: &model::Sprint| (at.lines.first..=at.lines.last).contains(&fault.line);
    let owner = plan.sprints().find(|(_, sprint)| within(sprint));
    let plan = owner.map_or(String::new(), |(unit, sprint)| write::sprint(unit, sprint));
    Question { source: outline.slice(outline.line(line)).to_owned(), plan, fault }
}
