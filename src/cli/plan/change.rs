//! Plans made and changed: from requirements, put in order, mended, looked at, named.

use super::{How, Open, Place, judged, sound};
use crate::cli::exit::{Exit, Fault};
use endstate::native::plans::{self, OnDisk};
use endstate::plan::command::analyze::{self as analysis, Severity};
use endstate::plan::command::breakdown as make;
use endstate::plan::command::evaluate as mend;
use endstate::plan::command::name::{self as naming, Ritual};
use endstate::plan::command::{prioritize as sort, report};
use endstate::plan::judge::{Answers, PlanQuestion, spawn};
use endstate::plan::model::Source;
use endstate::plan::write;
use endstate::vocab::digest::digest;
use endstate::vocab::role::Tier;
use endstate::vocab::time::rfc3339;
use serde_json::json;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Puts a text in the place of a document, of which a copy is kept beside it.
pub(super) fn keep_and_replace(place: &Place, file: &OnDisk, text: &str) -> Result<(), Fault> {
    let kept = plans::keep_original(file)?;
    plans::replace(file, text)?;
    place.out.say(format!("kept what was there: {}", kept.display()));
    Ok(())
}

/// Writes the new text in the place of the old, or prints it.
fn replace(place: &Place, file: &OnDisk, text: &str, how: &How) -> Result<bool, Fault> {
    let changed = file.text != text;
    if how.dry_run && !place.out.json {
        place.out.say(text);
    } else if changed && !how.dry_run {
        keep_and_replace(place, file, text)?;
    }
    Ok(changed)
}

/// Does something without answers, asks for those it wants, and does it again with them.
fn with_answers<T>(
    place: &Place,
    how: &How,
    text: &str,
    questions: impl Fn(&T) -> &[PlanQuestion],
    run: impl Fn(&Answers) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let first = run(&Answers::new())?;
    let asked = questions(&first);
    let answers = judged::answers(place, how, asked, || spawn(asked, text, Tier::Standard))?;
    let done = if answers.is_empty() { first } else { run(&answers)? };
    judged::left(place, questions(&done));
    Ok(done)
}

pub(super) fn breakdown(place: &Place, path: Option<&Path>, how: &How) -> Result<Exit, Fault> {
    let file = plans::requirements(&place.root, path)?;
    let to = file.root().join(plans::PLAN);
    if to.exists() && !how.dry_run {
        let at = to.display().to_string();
        let expected = "no plan yet, or --dry-run";
        return Err(Fault::new(Exit::Refused, "already_started", &at, expected, "a plan"));
    }
    let name = file.root().file_name().map_or("project".into(), |name| name.to_string_lossy());
    let from = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let source = Source { file: from.clone(), sha256: digest(&file.text) };
    let done = with_answers(
        place,
        how,
        &file.text,
        |done: &make::Breakdown| &done.questions,
        |answers| Ok(make::breakdown(&file.text, &name, Some(source.clone()), answers)?),
    )?;
    let text = write::document(&done.plan);
    match (how.dry_run, place.out.json) {
        (true, false) => place.out.say(&text),
        (true, true) => {}
        (false, _) => plans::write(&to, &text)?,
    }
    for one in &done.requirements {
        place.out.object(&json!({"requirement": one}));
    }
    for one in &done.unread {
        place.out.object(&json!({"unread": one}));
        place.out.say(format!("line {}, is no requirement: {}", one.lines.first, one.what));
    }
    place.out.say(report::breakdown(&done, &from, &to.display().to_string()));
    place.out.object(&json!({
        "result": "breakdown", "source": file.path, "path": to, "requirements": done.requirements.iter().filter(|one| one.asks()).count(),
        "units": done.plan.units.len(), "sprints": done.plan.sprints().count(), "left": done.questions.len(), "text": text,
    }));
    Ok(Exit::Done)
}

pub(super) fn prioritize(place: &Place, open: &Open, how: &How) -> Result<Exit, Fault> {
    sound(place, open, false)?;
    let done = with_answers(
        place,
        how,
        &open.file.text,
        |done: &sort::Prioritized| &done.questions,
        |answers| Ok(sort::prioritize(&open.read.plan, answers)?),
    )?;
    let text = write::document(&done.plan);
    let changed = replace(place, &open.file, &text, how)?;
    done.rows.iter().for_each(|row| place.out.object(&json!({"sprint": row})));
    place.out.say(report::prioritized(&done));
    place.out.object(&json!({
        "result": "prioritize", "path": open.name(place), "changed": changed, "filled": done.filled,
        "left": done.questions.len(), "text": text,
    }));
    Ok(Exit::Done)
}

pub(super) fn evaluate(place: &Place, open: &Open, how: &How, budget: u32) -> Result<Exit, Fault> {
    sound(place, open, false)?;
    let done = with_answers(
        place,
        how,
        &open.file.text,
        |done: &mend::Evaluated| &done.questions,
        |answers| Ok(mend::evaluate(&open.read.plan, budget, answers)),
    )?;
    let text = write::document(&done.plan);
    let changed = replace(place, &open.file, &text, how)?;
    for fix in &done.fixes {
        place.out.say(format!("{}: {}", fix.sprint, fix.what));
        place.out.object(&json!({"fix": fix}));
    }
    place.out.say(report::evaluated(&done, budget));
    place.out.object(&json!({
        "result": "evaluate", "path": open.name(place), "changed": changed, "before": done.before, "after": done.after,
        "fixes": done.fixes.len(), "left": done.questions.len(), "budget": budget, "text": text,
    }));
    Ok(Exit::Done)
}

pub(super) fn analyze(
    place: &Place,
    open: &Open,
    how: &How,
    budget: u32,
    requirements: Option<&Path>,
) -> Result<Exit, Fault> {
    let asked = match requirements {
        Some(path) => Some(plans::read(&place.root.join(path))?),
        // A README is no sign that the plan was made of it.
        None => plans::REQUIREMENTS[..3]
            .iter()
            .find_map(|name| plans::read(&open.file.root().join(name)).ok()),
    };
    let asked = asked.as_ref().map(|file| file.text.as_str());
    let found = with_answers(
        place,
        how,
        &open.file.text,
        |found: &analysis::Analysis| &found.questions,
        |answers| Ok(analysis::analyze(&open.read, asked, budget, answers)?),
    )?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_millis());
    let at = rfc3339(u64::try_from(now).unwrap_or(u64::MAX));
    let page = report::report(&found, &open.read.plan, &open.name(place), &at);
    let to = open.file.root().join(plans::REPORT);
    match (how.dry_run, place.out.json) {
        (true, false) => place.out.say(&page),
        (true, true) => {}
        (false, _) => {
            if let Some(kept) = plans::keep_other(&to, report::is_report)? {
                place.out.say(format!("kept what was there: {}", kept.display()));
            }
            plans::write(&to, &page)?;
            place.out.say(format!("report: {}", to.display()));
        }
    }
    place.out.say(report::summary(&found));
    let critical = found.issues.iter().filter(|one| one.severity == Severity::Critical).count();
    place.out.object(&json!({
        "result": "analyze", "path": open.name(place), "report": to, "critical": critical, "issues": found.issues.len(),
        "left": found.questions.len(), "analysis": found,
    }));
    Ok(if critical == 0 { Exit::Done } else { Exit::Refused })
}

/// Too early is told with a smile and refused; without an agent the question stays open.
pub(super) fn name(place: &Place, open: &Open, how: &How) -> Result<Exit, Fault> {
    let plan = &open.read.plan;
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
    match (how.dry_run, place.out.json) {
        (true, false) => place.out.say(&text),
        (true, true) => {}
        (false, _) => plans::replace(&open.file, &text)?,
    }
    place.out.say(ritual.words(&name));
    place.out.object(&json!({"result": "name-feature", "named": true, "name": name}));
    Ok(Exit::Done)
}
