//! Commands that make or change a plan, or write a report on it.

use super::{How, Open, Place, judged, sound};
use crate::cli::exit::{Exit, Fault};
use endstate::native::plans::{self, OnDisk};
use endstate::native::redact::printable;
use endstate::plan::analyze::{self as analysis, Severity};
use endstate::plan::breakdown as make;
use endstate::plan::estimate::Fitness;
use endstate::plan::evaluate::{self as mend, FixKind};
use endstate::plan::judge::{Answers, spawn};
use endstate::plan::model::decimal;
use endstate::plan::naming::{self, Ritual};
use endstate::plan::quality::SprintCheck;
use endstate::plan::read::parse;
use endstate::plan::requirements::{Confidence, Requirement, Unread};
use endstate::plan::{prioritize as sort, report, write};
use endstate::vocab::error::clip;
use endstate::vocab::role::Tier;
use endstate::vocab::time::rfc3339;
use serde_json::json;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes the new text in the place of the old, or prints it.
fn replace(place: &Place, file: &OnDisk, text: &str, how: &How) -> Result<bool, Fault> {
    let changed = file.text != text;
    if how.dry_run && !place.out.json {
        place.out.say(text);
    } else if changed && !how.dry_run {
        plans::replace(file, text)?;
    }
    Ok(changed)
}

fn asks(one: &Requirement) -> bool {
    one.confidence > Confidence::Context
}

pub(super) fn breakdown(place: &Place, path: Option<&Path>, how: &How) -> Result<Exit, Fault> {
    let file = plans::requirements(&place.root, path)?;
    let to = file.root().join(plans::PLAN);
    if to.exists() && !how.dry_run {
        let at = to.display().to_string();
        return Err(Fault::new(
            Exit::Refused,
            "already_started",
            &at,
            "no plan yet, or --dry-run",
            "a plan",
        ));
    }
    let name = file.root().file_name().map_or("project".into(), |name| name.to_string_lossy());
    let first = make::breakdown(&file.text, &name, &Answers::new())?;
    let answers = judged::answers(place, how, &first.left, || {
        spawn(&first.left, &file.text, Tier::Standard)
    })?;
    let done = match answers.is_empty() {
        true => first,
        false => make::breakdown(&file.text, &name, &answers)?,
    };
    let text = write::render(&done.plan);
    match (how.dry_run, place.out.json) {
        (true, false) => place.out.say(&text),
        (true, true) => {}
        (false, _) => plans::write(&to, &text)?,
    }
    for one in &done.requirements {
        place.out.object(&json!({"requirement": one, "sprints": done.addressed.get(&one.id)}));
    }
    for one in done.requirements.iter().filter(|one| asks(one) && one.quoted) {
        let (at, words) = (one.place(), printable(&one.text));
        place.out.say(format!("{at}, is taken for a requirement: {}", clip(&words, 80)));
    }
    for one in &done.unread {
        place.out.object(&json!({"unread": one}));
        let words = printable(&one.what);
        place.out.say(format!("line {}, is not read as a requirement: {words}", one.lines.first));
    }
    judged::left(place, &done.left);
    let asked = done.requirements.iter().filter(|one| asks(one)).count();
    let (units, sprints) = (done.plan.units.len(), done.plan.sprints().count());
    place.out.say(format!("from {} to {}", file.path.display(), to.display()));
    place.out.say(format!(
        "{asked} requirements and {} context signals became {} tasks, {units} units, {sprints} sprints; next: plan prioritize",
        done.requirements.len() - asked, done.tasks
    ));
    place.out.object(&json!({
        "result": "breakdown", "source": file.path, "path": to, "requirements": asked, "unread": Unread::places(&done.unread), "tasks": done.tasks, "units": units,
        "sprints": sprints, "left": done.left.len(), "text": text,
    }));
    Ok(Exit::Done)
}

pub(super) fn prioritize(place: &Place, open: &Open, how: &How) -> Result<Exit, Fault> {
    sound(place, open)?;
    let text = &open.file.text;
    let first = sort::prioritize(text, &Answers::new())?;
    let answers =
        judged::answers(place, how, &first.left, || spawn(&first.left, text, Tier::Standard))?;
    let done = if answers.is_empty() { first } else { sort::prioritize(text, &answers)? };
    let changed = replace(place, &open.file, &done.text, how)?;
    let moved = done.rows.iter().filter(|row| row.place != row.place_was).count();
    for row in &done.rows {
        let change = if row.place == row.place_was {
            "unchanged".to_owned()
        } else {
            format!("was {} (place {})", row.was, row.place_was)
        };
        place.out.say(format!(
            "{:>3}. {:<8} {:<44} {:>6}  {change}",
            row.place,
            row.label,
            clip(&row.name, 42),
            decimal(row.score.thousandths())
        ));
        place.out.object(&json!({"sprint": row}));
    }
    for one in &done.layers {
        place.out.say(format!("layer of {}: {} → {}", one.unit, one.was, one.now));
    }
    for one in &done.replaced {
        let words = printable(&one.text);
        place.out.say(format!(
            "priority of {}, line {}: its words gave way: {words}",
            one.sprint, one.line
        ));
    }
    judged::left(place, &done.left);
    place.out.say(format!(
        "{moved} sprints reordered, {} layers adjusted; next: plan evaluate",
        done.layers.len()
    ));
    place.out.object(&json!({
        "result": "prioritize", "path": open.name(place), "changed": changed, "reordered": moved, "layers": done.layers,
        "replaced": done.replaced,
        "left": done.left.len(), "text": done.text,
    }));
    Ok(Exit::Done)
}

pub(super) fn evaluate(place: &Place, open: &Open, how: &How, budget: u32) -> Result<Exit, Fault> {
    sound(place, open)?;
    let text = &open.file.text;
    let first = mend::evaluate(text, budget, &Answers::new())?;
    let answers =
        judged::answers(place, how, &first.left, || spawn(&first.left, text, Tier::Standard))?;
    let done = if answers.is_empty() { first } else { mend::evaluate(text, budget, &answers)? };
    let changed = replace(place, &open.file, &done.text, how)?;
    for fix in &done.fixes {
        let what = match fix.kind {
            FixKind::Reworded => "reworded",
            FixKind::Added => "added",
            FixKind::Split => "split",
            FixKind::Merged => "merged",
        };
        place.out.say(format!("{what} {}: {}", fix.sprint, fix.what));
        place.out.object(&json!({"fix": fix}));
    }
    for one in &done.undone {
        place.out.say(format!("left as it is, {}: {}", one.sprint, one.what));
        place.out.object(&json!({"undone": one}));
    }
    judged::left(place, &done.left);
    type Test = fn(&SprintCheck) -> bool;
    let tests: [(&str, Test); 3] = [
        ("atomicity", SprintCheck::is_atomic),
        ("testability", SprintCheck::is_testable),
        ("context fitness", |one| one.fitness == Fitness::Right),
    ];
    for (name, good) in tests {
        let passed = |checks: &[SprintCheck]| checks.iter().filter(|one| good(one)).count();
        place.out.say(format!(
            "{name}: {} of {} passed before, {} of {} now",
            passed(&done.before),
            done.before.len(),
            passed(&done.after),
            done.after.len()
        ));
    }
    for one in &done.after {
        let rest = unmended(one);
        if !rest.is_empty() {
            place.out.say(format!("not mended by rule, {}: {}", one.sprint, rest.join("; ")));
        }
    }
    let many = |kind: FixKind| done.fixes.iter().filter(|fix| fix.kind == kind).count();
    let (splits, merges) = (many(FixKind::Split), many(FixKind::Merged));
    place.out.say(format!(
        "sprints: {} before, {} now; {splits} splits, {merges} merges; budget {budget} turns",
        done.before.len(),
        done.after.len()
    ));
    place.out.object(&json!({
        "result": "evaluate", "path": open.name(place), "changed": changed, "before": done.before, "after": done.after,
        "splits": splits, "merges": merges, "fixes": done.fixes.len(), "left": done.left.len(), "budget": budget, "text": done.text,
    }));
    Ok(Exit::Done)
}

/// What still stands against a sprint.
fn unmended(one: &SprintCheck) -> Vec<String> {
    let size = match one.fitness {
        Fitness::Oversized => {
            Some(format!("about {} turns, more than 80 % of the budget", one.turns))
        }
        Fitness::Undersized => {
            Some(format!("about {} turns, less than 15 % of the budget", one.turns))
        }
        Fitness::Right => None,
    };
    let tests = [
        (one.single_concern, "its tasks are of several subsystems"),
        (one.clear_artifact, "it names nothing that it makes"),
        (one.explicit_io, "its beginning or end names nothing that can be looked up"),
        (one.machine_verifiable, "nothing about its end can be checked by a program"),
        (one.no_vague_words, "a criterion uses words that nobody can measure"),
        (one.coverage, "a task has no criterion that would miss it"),
    ];
    let bad = tests.into_iter().filter(|(good, _)| !good).map(|(_, words)| words.to_owned());
    size.into_iter().chain(bad).collect()
}

pub(super) fn analyze(
    place: &Place,
    open: &Open,
    how: &How,
    budget: u32,
    requirements: Option<&Path>,
) -> Result<Exit, Fault> {
    let text = &open.file.text;
    let asked = match requirements {
        Some(path) => Some(plans::read(&place.root.join(path))?),
        // A README is no sign that the plan was made of it.
        None => plans::REQUIREMENTS[..3]
            .iter()
            .find_map(|name| plans::read(&open.file.root().join(name)).ok()),
    };
    let asked = asked.as_ref().map(|file| file.text.as_str());
    let first = analysis::analyze(text, asked, budget, &Answers::new());
    let answers =
        judged::answers(place, how, &first.left, || spawn(&first.left, text, Tier::Standard))?;
    let found = match answers.is_empty() {
        true => first,
        false => analysis::analyze(text, asked, budget, &answers),
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_millis());
    let at = rfc3339(u64::try_from(now).unwrap_or(u64::MAX));
    let page = report::report(&found, &open.parsed.plan, &open.name(place), &at);
    let to = open.file.root().join(plans::REPORT);
    match (how.dry_run, place.out.json) {
        (true, false) => place.out.say(&page),
        (true, true) => {}
        (false, _) => {
            if let Some(kept) = plans::keep_other(&to, report::is_report)? {
                place.out.say(format!("kept what was there: {}", kept.display()));
            }
            plans::write(&to, &page)?;
        }
    }
    if !how.dry_run {
        place.out.say(format!("report: {}", to.display()));
    }
    place.out.say(report::summary(&found));
    let critical: Vec<_> =
        found.issues.iter().filter(|one| one.severity == Severity::Critical).collect();
    for one in &critical {
        place.out.say(format!("critical, {}: {}", one.at, one.problem));
    }
    judged::left(place, &found.left);
    place.out.object(&json!({
        "result": "analyze", "path": open.name(place), "report": to, "critical": critical.len(), "issues": found.issues.len(),
        "left": found.left.len(), "analysis": found,
    }));
    Ok(if critical.is_empty() { Exit::Done } else { Exit::Refused })
}

/// Too early is told with a smile and refused; without an agent the question stays open.
pub(super) fn name(place: &Place, open: &Open, how: &How) -> Result<Exit, Fault> {
    let plan = &open.parsed.plan;
    let state = open.file.root().join(plans::STATE).is_file();
    let ritual = Ritual::of(plan, false, state);
    if ritual == Ritual::TooEarly {
        let words = ritual.words("");
        place.out.say(&words);
        place.out.object(&json!({"result": "name-feature", "named": false, "says": words}));
        return Ok(Exit::Refused);
    }
    let question = naming::question(plan);
    let answers =
        judged::answers(place, how, std::slice::from_ref(&question), || naming::order(plan))?;
    if answers.is_empty() {
        judged::left(place, &[question]);
        place.out.object(&json!({"result": "name-feature", "named": false, "left": 1}));
        return Ok(Exit::Waiting);
    }
    let name = naming::name(&answers)?;
    let text = naming::with_name(&open.file.text, &name)?;
    debug_assert_eq!(parse(&text).plan.field(naming::FIELD), Some(name.as_str()));
    replace(place, &open.file, &text, how)?;
    place.out.say(ritual.words(&name));
    place.out.object(&json!({"result": "name-feature", "named": true, "name": name}));
    Ok(Exit::Done)
}
