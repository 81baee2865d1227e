//! A GitHub issue as `gh issue view N --json title,body,number,…` prints it.
//!
//! ```text
//! {"number": 12, "title": "…", "state": "OPEN", "body": "<Markdown>", …}
//! ```
//!
//! Signature: an object with the texts `title` and `body`. The body is read as a check list, however much of it is
//! boxes; a body without boxes is one sprint: its label is the number, its name the title. What is left of the body,
//! and all other fields, are notes of the one sprint, or of the plan if there are several. A closed issue is done. The
//! body is one line of the file, so all places are that line.

use super::outline::Outline;
use super::records::Source;
use super::{Files, checklist, sprint, whole};
use crate::plan::model::{Plan, Read, Remark, Status};

/// Reads an issue.
pub(super) fn read(files: &Files, entry: &str) -> Option<Read> {
    let source = Source::new(files.get(entry)?)?;
    let issue = source.object(source.text)?;
    let is_text = |name: &str| issue.raw(name).is_some_and(|value| value.starts_with('"'));
    (is_text("title") && is_text("body")).then_some(())?;
    let (title, body) = (issue.text("title"), issue.placed("body"));
    let at = body.lines;
    let mut outline = Outline::new(&body.text);
    let (_, mut sprints) = checklist::sprints(&mut outline, &title);
    if sprints.is_empty() {
        sprints.push(sprint("1", &title, at));
    }
    for one in &mut sprints {
        one.lines = at;
        one.tasks.iter_mut().for_each(|task| task.lines = at);
        one.exit.iter_mut().for_each(|criterion| criterion.lines = at);
        if issue.text("state") == "CLOSED" {
            one.status = Status::Done;
        }
    }
    let left = outline.notes(outline.all());
    let rest = issue.rest(&["title", "body", "number", "state"]);
    let mut notes = format!("{left}\n\n{rest}").trim().to_owned();
    if let [only] = sprints.as_mut_slice() {
        only.notes = format!("{}\n\n{}", only.notes, std::mem::take(&mut notes)).trim().to_owned();
        only.name = sprint("", &title, at).name;
        let number = issue.text("number");
        only.label = if number.is_empty() { "1".to_owned() } else { number };
    }
    let told = outline.summary().map(|told| Remark { line: at.first, last: at.last, ..told });
    let remarks = source.told().into_iter().chain(told).collect();
    Some(Read {
        plan: Plan { title, notes, units: whole(sprints, at), ..Plan::default() },
        remarks,
    })
}
