//! What does not fit together in a plan that was read.

use super::super::breakdown::goals_in;
use super::super::called::called;
use super::super::classify::{command_in, is_command};
use super::super::document::{LineRange, unboxed, unmarked};
use super::super::mention::{Names, Speaker, spots};
use super::super::model::{
    Check, Counted, Origin, Plan, PlanCriterion, PlanTask, Sprint, Weight, unit_of,
};
use super::super::outline::{Content, whole_span};
use super::super::phrases::{Phrases, behind};
use super::super::shown::{self, Shown};
use super::super::wordlist::WordList;
use super::super::{order, vague, variables};
use super::Reader;
use crate::vocab::error::{Code, clip};
use std::collections::BTreeSet;
use std::ops::Range;

pub(super) fn check(reader: &mut Reader<'_>, plan: &Plan, names: &Names) {
    if plan.units.is_empty() {
        let end = reader.outline.text.len();
        let from = reader.front_end.min(end);
        let expected = "at least one sprint: a heading `### Sprint 1: name`";
        let at = from..reader.outline.text[from..].find('\n').map_or(end, |step| from + step);
        let (found, at) = instead(reader).unwrap_or_else(|| ("none".to_owned(), at));
        reader.remark(Weight::Fault, Code::EmptyPlan, at, expected, &found);
        return;
    }
    cycles(reader, plan);
    totals(reader, plan);
    for sprint in plan.sprints() {
        let at = heading(reader, sprint.lines);
        if sprint.exit.is_empty() && !sprint.deferred {
            let expected = "exit criteria that show when it is done";
            let got = format!("sprint {} has none", sprint.label);
            reader.remark(Weight::Warning, Code::EmptyCriteria, at.clone(), expected, &got);
        }
        if sprint.tasks.is_empty() && !sprint.deferred {
            let got = format!("sprint {} has none", sprint.label);
            reader.remark(Weight::Note, Code::MissingField, at, "a list of tasks", &got);
        }
        two_goals(reader, sprint);
        claims(reader, sprint);
        for criterion in &sprint.exit {
            vagueness(reader, criterion);
        }
        sprint.entry.iter().chain(&sprint.exit).for_each(|one| unrun(reader, one));
        order_of_priority(reader, sprint, names);
    }
    plan.rules.iter().for_each(|one| unrun(reader, one));
    unfilled(reader, plan);
}

/// What a document without sprints has that could be meant as some, and where: a heading with a number, a table with
/// a column of numbers.
fn instead(reader: &Reader<'_>) -> Option<(String, Range<usize>)> {
    let outline = &reader.outline;
    let headings =
        outline.blocks.iter().filter(|block| matches!(block.content, Content::Heading(_)));
    let mut headings = headings.map(|block| outline.heading(block));
    if let Some((words, at)) = headings.find(|(words, _)| called(words).is_some()) {
        let got = format!("none; `{}` is not read as one", clip(words, 80));
        return Some((got, at..at + words.len()));
    }
    let sheet = reader.sheets.iter().find(|sheet| sheet.rows().count() > 0)?;
    let got = format!(
        "none; the table of `{}` is not read as a list of them",
        sheet.heads().join("`, `")
    );
    let block = outline.blocks.get(sheet.place)?;
    let line = outline.source(&block.range).lines().next().unwrap_or_default();
    Some((got, block.range.start..block.range.start + line.trim_end().len()))
}

/// A task that is a criterion by its words, and none of the sprint: nobody would look whether it holds.
fn claims(reader: &mut Reader<'_>, sprint: &Sprint) {
    let mut known = None;
    for task in &sprint.tasks {
        let Some(words) = claim_in(reader, task) else { continue };
        let meets = |one: &PlanCriterion| {
            one.lines.first <= task.lines.last && task.lines.first <= one.lines.last
        };
        if sprint.exit.iter().any(meets) {
            continue;
        }
        let known = known.get_or_insert_with(|| commands(&sprint.exit));
        if !is_claim(words) && command_in(words).is_some_and(|(_, code)| known.contains(code)) {
            continue;
        }
        let at = heading(reader, task.lines);
        let expected = "what must hold below `Exit criteria`";
        let got = format!("a task `{}`: nobody will check this", clip(words, 80));
        reader.remark(Weight::Warning, Code::Overlooked, at, expected, &got);
    }
}

/// The line of a task that is a criterion by its words.
fn claim_in<'t>(reader: &Reader<'_>, task: &'t PlanTask) -> Option<&'t str> {
    let first = task.text.lines().next().unwrap_or_default();
    let long = task.lines.first < task.lines.last;
    if is_claim(first) || is_check(first) || long && expects_status(source(reader, task.lines)) {
        return Some(first);
    }
    // A box of its own below a task, over a command and nothing else, is no step.
    let open = |line: &&str| match unboxed(unmarked(line)) {
        (text, Some(false)) => whole_span(text.trim()).is_some_and(is_command) || is_claim(text),
        _ => false,
    };
    task.text.lines().skip(1).filter(|line| line.contains("[ ]")).find(open)
}

/// The commands of criteria.
fn commands(all: &[PlanCriterion]) -> BTreeSet<&str> {
    let shown = all.iter().filter_map(|one| match &one.check {
        Check::Command { command, .. } => Some(command.as_str()),
        _ => None,
    });
    shown.chain(all.iter().filter_map(|one| Some(command_in(&one.text)?.1))).collect()
}

/// Whether a task is to check something with a command and does nothing else: "Verify with `a`", "Run `a` and make sure
/// that it passes".
fn is_check(line: &str) -> bool {
    static VERBS: WordList = WordList::new(&[
        "verify",
        "verified",
        "validate",
        "validated",
        "check",
        "checked",
        "confirm",
        "test",
    ]);
    static BY: WordList = WordList::new(&["with", "by", "via", "using"]);
    static SURE: Phrases = Phrases::new(&[
        "make sure",
        "making sure",
        "and confirm",
        "and verify",
        "and check that",
        "and ensure",
    ]);
    static ENDS: WordList = WordList::new(&[
        "pass", "passes", "passing", "exit", "exits", "succeed", "succeeds", "green", "clean",
    ]);
    if !line.contains('`') {
        return false;
    }
    let bare = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let mut first = bare.split(|c: char| !c.is_alphanumeric());
    let by = first.next().is_some_and(|word| VERBS.has_any_case(word))
        && first.next().is_some_and(|word| BY.has_any_case(word));
    let sure = || {
        let outside = line.split('`').step_by(2);
        let mut words = outside.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
        SURE.within(line) && words.any(|word| ENDS.has_any_case(word))
    };
    (by || sure()) && command_in(line).is_some()
}

/// Whether a line says of a command how it ends.
fn is_claim(line: &str) -> bool {
    static MUST: Phrases = Phrases::new(&[
        "must pass",
        "must succeed",
        "must exit",
        "should pass",
        "should exit",
        "exits 0",
        "exit 0",
    ]);
    static ENDS: WordList =
        WordList::new(&["pass", "passes", "exits", "succeeds", "green", "passing"]);
    // In each of them there is one of these: hardly any task has it.
    static HINTS: Phrases = Phrases::new(&["pass", "exit", "succe", "green"]);
    if !HINTS.within(line) {
        return false;
    }
    let outside = line.split('`').step_by(2);
    let mut words = outside.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    // "Verify `x` passes" is what is to be done.
    let told = ["verify", "check", "confirm", "ensure", "run"];
    let told = told.iter().any(|verb| behind(line, verb).is_some_and(|rest| rest.starts_with(' ')));
    let must = MUST.within(line);
    let claims = !told && words.any(|word| ENDS.has_any_case(word)) || must;
    let by = || matches!(shown::shown(line), Some(Shown::By { .. }));
    claims && (by() || must && command_in(line).is_some())
}

fn source<'a>(reader: &Reader<'a>, lines: LineRange) -> &'a str {
    reader.outline.source(&reader.outline.bytes(lines))
}

/// Whether a task says below its commands with which status they end: "Expected: exit code 0".
fn expects_status(text: &str) -> bool {
    static EXPECT: Phrases = Phrases::new(&["expect"]);
    let said = |line: &str| {
        let bare = unmarked(line).trim_start_matches(['*', '_']);
        behind(bare, "expect").is_some_and(|rest| rest.contains("exit"))
    };
    EXPECT.within(text)
        && (text.contains('`') || text.contains("~~~"))
        && text.lines().skip(1).any(said)
}

/// A sprint has one goal; a name or goal with two verbs joined by "and" has two.
fn two_goals(reader: &mut Reader<'_>, sprint: &Sprint) {
    let said = [Some(sprint.name.as_str()), sprint.goal.as_deref()];
    let Some(words) = said.into_iter().flatten().find(|words| goals_in(words).is_some()) else {
        return;
    };
    let at = heading(reader, sprint.lines);
    let got = format!("`{}`, which are several", clip(words, 80));
    reader.remark(Weight::Warning, Code::InvalidValue, at, "one goal for a sprint", &got);
}

/// Variables of the dispatch template that nothing fills in: they are sent as they are written.
fn unfilled(reader: &mut Reader<'_>, plan: &Plan) {
    let Some(template) = &plan.template else { return };
    let lines = reader.outline.bytes(template.lines);
    let source = reader.outline.source(&lines);
    for name in template.variables.iter().filter(|name| !variables::is_known(name)) {
        let Some(at) = source.find(name.as_str()).map(|at| lines.start + at) else { continue };
        let expected = "a variable that is filled in, such as `<SPRINT_NAME>`";
        let got = format!("`{name}`, sent as it is");
        // `<T>` and `<br>` may be no variables.
        let bare = name.trim_matches(|c: char| "<>{}$".contains(c));
        let named = bare.contains(['_', ' ', '-']) || bare.len() > 1 && bare.to_uppercase() == bare;
        let weight = if named || name.starts_with("{{") { Weight::Warning } else { Weight::Note };
        let code = Code::UnresolvedVariable;
        reader.remark(weight, code, at..at + name.len(), expected, &got);
    }
}

/// A priority may say who comes first; only dependencies are read for that.
fn order_of_priority(reader: &mut Reader<'_>, sprint: &Sprint, names: &Names) {
    static ORDER: Phrases =
        Phrases::new(&["must land", "before ", "after ", " first", "depends on", "waits for"]);
    let Some(known) = sprint.priority.as_ref().filter(|one| ORDER.within(&one.reason)) else {
        return;
    };
    let speaker = Speaker { unit: Some(unit_of(&sprint.id)), ..Speaker::default() };
    if !spots(&known.reason, names, speaker).is_empty() {
        let at = heading(reader, known.lines);
        let expected = "an order as a line `Depends on`";
        let got = format!("`{}`, not read as an order", clip(&known.reason, 120));
        reader.remark(Weight::Note, Code::Overlooked, at, expected, &got);
    }
}

fn heading(reader: &Reader<'_>, lines: LineRange) -> Range<usize> {
    let range = reader.outline.bytes(LineRange { first: lines.first, last: lines.first });
    range.start..range.start + reader.outline.source(&range).trim_end().len()
}

/// Dependencies that go round, or against the order in which the sprints of each unit stand and run.
fn cycles(reader: &mut Reader<'_>, plan: &Plan) {
    let round = order::cycle(plan);
    let (code, expected) = match round {
        Some(_) => (Code::DependencyCycle, "dependencies without a circle"),
        None => {
            (Code::OutOfOrder, "sprints of a unit in the order in which they wait for each other")
        }
    };
    let Some(cycle) = round.or_else(|| order::cycle_in_sequence(plan)) else { return };
    let inside = |id: &str| cycle.iter().any(|one| one == id || unit_of(one) == id);
    let mut edges = plan.dependencies.iter().filter(|one| inside(&one.from) && inside(&one.to));
    let said = edges.clone().find(|one| one.origin != Origin::Order).or_else(|| edges.next());
    let line = said.map_or(1, |edge| edge.line);
    let at = heading(reader, LineRange { first: line, last: line });
    reader.remark(Weight::Fault, code, at, expected, &cycle.join(" → "));
}

/// What the plan declares of its size must be what was read: else something of it was not. Deferred sprints may count
/// or not.
fn totals(reader: &mut Reader<'_>, plan: &Plan) {
    let live = |sprints: &[Sprint]| sprints.iter().filter(|one| !one.deferred).count();
    let all = plan.units.iter().map(|unit| (live(&unit.sprints), unit.sprints.len()));
    let all = all.fold((0, 0), |(least, most), (live, all)| (least + live, most + all));
    let mut found = Vec::new();
    for one in &plan.declared {
        let (read, what) = match one.of {
            Counted::Sprints => (all, "sprints".to_owned()),
            Counted::Units => ((plan.units.len(), plan.units.len()), "work units".to_owned()),
        };
        found.push((one.count, read, what, one.line));
    }
    for unit in &plan.units {
        let read = (live(&unit.sprints), unit.sprints.len());
        let what = format!("sprints of unit `{}`", unit.name);
        found.extend(unit.promised.map(|count| (count, read, what, unit.lines.first)));
    }
    for (count, (least, most), what, line) in found {
        if !(least..=most).contains(&(count as usize)) {
            let at = heading(reader, LineRange { first: line, last: line });
            let (expected, got) =
                (format!("{count} {what}, as declared here"), format!("{most} were read"));
            reader.remark(Weight::Fault, Code::PlanDisagrees, at, &expected, &got);
        }
    }
}

/// A command that looks like the check of its criterion and is none.
fn unrun(reader: &mut Reader<'_>, one: &PlanCriterion) {
    let (Check::Assertion | Check::Checklist) = one.check else { return };
    let range = reader.outline.bytes(one.lines);
    let source = reader.outline.source(&range);
    // A line of a fence has no ticks around it, and is a command beyond doubt.
    let fenced = whole_span(&one.text).filter(|_| !source.contains(&one.text));
    let why = match fenced {
        Some(code) => match shown::line(code).shown {
            Shown::NotBy(why) => Some(why),
            Shown::By { .. } => None,
        },
        None => shown::unshown(&one.text),
    };
    let Some(why) = why else { return };
    let code = shown::unrun(&one.text).filter(|code| source.contains(code));
    let code = code.unwrap_or(source.trim_end());
    let at = source.find(code).unwrap_or(0);
    let place = range.start + at..range.start + at + code.len();
    let expected = "one sentence that says whole what the command must do, such as `…` exits 0";
    let got = format!("the command is not run, the verifier judges: {why}");
    reader.remark(Weight::Note, Code::CommandNotRun, place, expected, &got);
}

fn vagueness(reader: &mut Reader<'_>, one: &PlanCriterion) {
    let range = reader.outline.bytes(one.lines);
    let source = reader.outline.source(&range);
    if let Some((at, words)) = vague::vague_in(source, &one.text) {
        let place = range.start + at..range.start + at + words.len();
        let got = format!("`{}`", words.split_whitespace().collect::<Vec<_>>().join(" "));
        let expected = "words that can be measured";
        reader.remark(Weight::Warning, Code::VagueWords, place, expected, &got);
    }
}
