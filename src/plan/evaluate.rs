//! Mends the sprints of a plan: vague criteria become checks, missing ones are added, what is too large or
//! about two things is split, what is too small joins its neighbour, and numbers follow.
//!
//! One thing is changed at a time and the document is read again, so every change starts from what is
//! really there. What needs a judgement and has no answer stays as it is and is told.

use super::edit::{Edits, block, line_end, relabel};
use super::estimate::Fitness;
use super::judge::{Answers, PlanQuestion, said_words};
use super::model::{Check, Plan, PlanCriterion, Sprint, unit_of};
use super::outline::{Content, Outline};
use super::paths::Touched;
use super::prioritize::{front_end, is_numbered, renumbered, sound};
use super::quality::{SprintCheck, checks, concern, is_machine};
use super::recount::recount;
use super::vague::{is_vague, vague};
use crate::vocab::error::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The turns an agent has if nobody says otherwise.
pub const BUDGET: u32 = 50;

/// A plan that was checked and mended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evaluated {
    /// The document.
    pub text: String,
    /// What was found before anything was changed.
    pub before: Vec<SprintCheck>,
    /// What is found now.
    pub after: Vec<SprintCheck>,
    /// What was changed, in order.
    pub fixes: Vec<Fix>,
    /// What was left to judge.
    pub left: Vec<PlanQuestion>,
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fix {
    /// What was done.
    pub kind: FixKind,
    /// To which sprint, by its id at that time.
    pub sprint: String,
    /// In words.
    pub what: String,
}

/// The kinds of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FixKind {
    /// A vague criterion was worded anew.
    Reworded,
    /// A criterion was added.
    Added,
    /// A sprint became two.
    Split,
    /// Two sprints became one.
    Merged,
}

/// More changes of one document than this are none that help.
const MOST_FIXES: usize = 200;

/// Checks and mends a plan.
///
/// # Errors
/// The first fault of the plan: nothing is changed in what cannot be read.
pub fn evaluate(text: &str, budget: u32, answers: &Answers) -> Result<Evaluated> {
    let plan = sound(text)?;
    let (before, asked) = checks(&plan, budget, answers);
    let mut work = Work { text: text.to_owned(), budget, answers, fixes: Vec::new(), left: asked };
    work.words()?;
    work.while_changing(Work::split)?;
    work.while_changing(Work::merge)?;
    work.numbers(plan.sprints().all(is_numbered))?;
    work.text = recount(&plan, &work.text)?;
    let (after, _) = checks(&sound(&work.text)?, budget, answers);
    Ok(Evaluated { text: work.text, before, after, fixes: work.fixes, left: work.left })
}

struct Work<'a> {
    text: String,
    budget: u32,
    answers: &'a Answers,
    fixes: Vec<Fix>,
    left: Vec<PlanQuestion>,
}

impl Work<'_> {
    fn while_changing(&mut self, change: fn(&mut Self) -> Result<bool>) -> Result<()> {
        while self.fixes.len() < MOST_FIXES && change(self)? {}
        Ok(())
    }

    fn fix(&mut self, kind: FixKind, sprint: &str, what: String) {
        self.fixes.push(Fix { kind, sprint: sprint.to_owned(), what });
    }

    /// Vague and missing criteria.
    fn words(&mut self) -> Result<()> {
        let plan = sound(&self.text)?;
        let text = self.text.clone();
        let outline = Outline::read(&text, front_end(&text, &plan));
        let commands = Commands::of(&plan);
        let mut edits = Edits::default();
        for sprint in plan.sprints().filter(|sprint| !sprint.deferred) {
            let mut measured = false;
            for one in &sprint.exit {
                measured |= is_machine(&one.check, &one.text);
                if is_vague(&one.text) {
                    measured |= self.reword(&outline, sprint, one, &mut edits);
                }
            }
            if !measured {
                self.add(&outline, sprint, &commands, &mut edits);
            }
        }
        self.text = edits.apply(&text);
        Ok(())
    }

    /// Words a vague criterion anew: by an answer, or by what it names itself.
    fn reword(
        &mut self,
        outline: &Outline<'_>,
        sprint: &Sprint,
        one: &PlanCriterion,
        edits: &mut Edits,
    ) -> bool {
        let range = outline.bytes(one.lines);
        let source = outline.source(&range);
        let Some((at, words)) = vague(source) else { return false };
        let check = measured(&one.text);
        let id = format!("wording:{}/{}", sprint.id, one.id);
        if let Some(answer) = said_words(self.answers, &id).filter(|answer| !is_vague(answer)) {
            let start = source.find(first_words(&one.text)).unwrap_or(at);
            let end = source.trim_end().len();
            edits.replace(range.start + start..range.start + end, answer.clone());
            self.fix(FixKind::Reworded, &sprint.id, format!("{}: {answer}", one.id));
            return true;
        }
        match check {
            Some(check) => {
                let start = source.find(first_words(&one.text)).unwrap_or(at);
                let end = source.trim_end().len();
                edits.replace(range.start + start..range.start + end, check.clone());
                self.fix(
                    FixKind::Reworded,
                    &sprint.id,
                    format!("{}: `{}` → {check}", one.id, one_line(words)),
                );
                true
            }
            None => {
                let text = format!(
                    "Sprint {}: word this criterion so that a command or a look at files decides it: {}",
                    sprint.label, one.text
                );
                self.left.push(PlanQuestion::words(id, text));
                false
            }
        }
    }

    /// Adds what a machine can check: files that are made, the build, the tests.
    fn add(
        &mut self,
        outline: &Outline<'_>,
        sprint: &Sprint,
        commands: &Commands,
        edits: &mut Edits,
    ) {
        let added = criteria_for(
            sprint.tasks.iter().map(|task| task.text.as_str()),
            &created(sprint),
            commands,
        );
        if added.is_empty() {
            let id = format!("exit:{}", sprint.id);
            if let Some(answer) = said_words(self.answers, &id).filter(|answer| !is_vague(answer)) {
                return self.put(outline, sprint, &[answer], edits);
            }
            let text = format!(
                "Which command or file shows that sprint {} ({}) is done?",
                sprint.label, sprint.name
            );
            return self.left.push(PlanQuestion::words(id, text));
        }
        self.put(outline, sprint, &added, edits);
    }

    fn put(&mut self, outline: &Outline<'_>, sprint: &Sprint, added: &[String], edits: &mut Edits) {
        let end = line_end(outline.text);
        let items: String = added.iter().map(|text| format!("{end}- [ ] {text}")).collect();
        let heading = outline.blocks.iter().any(|one| {
            matches!(one.content, Content::Heading(_))
                && outline.line(one.range.start) == sprint.lines.first
        });
        match sprint.exit.last() {
            Some(last) if last.lines.first > sprint.lines.first => {
                let at = block(outline, last.lines).end;
                edits.replace(at..at, items);
            }
            _ if heading => {
                let at = block(outline, sprint.lines).end;
                edits.replace(at..at, format!("{end}{end}**Exit criteria**:{end}{items}"));
            }
            // A row of a table has no room.
            _ => return,
        }
        self.fix(FixKind::Added, &sprint.id, added.join("; "));
    }

    /// Splits the first sprint that is too large or about two things and can be split.
    fn split(&mut self) -> Result<bool> {
        let plan = sound(&self.text)?;
        let (found, _) = checks(&plan, self.budget, self.answers);
        for check in found.iter().filter(|one| !one.bounded_scope || !one.single_concern) {
            let Some(sprint) = plan.sprint(&check.sprint) else { continue };
            if let Some(text) = split(&self.text, &plan, sprint, check) {
                let why = if check.bounded_scope {
                    "two concerns".to_owned()
                } else {
                    format!("{} turns", check.turns)
                };
                self.fix(FixKind::Split, &sprint.id, format!("{}: {why}", sprint.name));
                self.text = text;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Joins the first sprint that is too small with the next of its unit, else with the one before.
    fn merge(&mut self) -> Result<bool> {
        let plan = sound(&self.text)?;
        let (found, _) = checks(&plan, self.budget, self.answers);
        for check in found.iter().filter(|one| one.fitness == Fitness::Undersized) {
            let Some(unit) = plan.unit(unit_of(&check.sprint)) else { continue };
            let Some(place) = unit.sprints.iter().position(|one| one.id == check.sprint) else {
                continue;
            };
            let pairs = [(place, place + 1), (place.wrapping_sub(1), place)];
            for (first, second) in pairs {
                let (Some(one), Some(other)) = (unit.sprints.get(first), unit.sprints.get(second))
                else {
                    continue;
                };
                let Some(text) = merge(&self.text, &plan, one, other) else { continue };
                let Ok(next) = sound(&text) else { continue };
                let (after, _) = checks(&next, self.budget, self.answers);
                if after.iter().any(|now| now.sprint == one.id && now.fitness == Fitness::Oversized)
                {
                    continue;
                }
                self.fix(
                    FixKind::Merged,
                    &check.sprint,
                    format!("{} and {}", one.label, other.label),
                );
                self.text = text;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Numbers in sequence, if the number of sprints changed.
    fn numbers(&mut self, numbered: bool) -> Result<()> {
        let changed =
            self.fixes.iter().any(|fix| matches!(fix.kind, FixKind::Split | FixKind::Merged));
        if changed {
            let plan = sound(&self.text)?;
            let text = self.text.clone();
            let outline = Outline::read(&text, front_end(&text, &plan));
            let order: Vec<String> = plan.sprints().map(|one| one.id.clone()).collect();
            let mut edits = Edits::default();
            forget_itself(&outline, &plan, &mut edits);
            relabel(&outline, &plan, &renumbered(&plan, &order, numbered), &mut edits);
            self.text = edits.apply(&text);
        }
        Ok(())
    }
}

/// The check that a vague criterion asks for in its own words: "`make test` works correctly" names a command,
/// "`src/a.rs` is complete" a file, and neither says anything else. What another criterion names, or another
/// sprint, has nothing to do with it.
fn measured(text: &str) -> Option<String> {
    let bare = text.trim().trim_end_matches('.');
    let named = bare.strip_prefix('`')?;
    let (code, said) = named.split_once('`')?;
    let (at, words) = vague(said)?;
    let whole = said[..at].trim().is_empty() && said[at + words.len()..].trim().is_empty();
    let ends = ["complete", "completed", "done", "finished", "ready"];
    let finished = words.split_whitespace().last().is_some_and(|word| ends.contains(&word));
    let path = code.contains('/') && super::paths::paths(code).any(|(_, path)| path == code);
    match (whole, super::classify::is_command(code)) {
        (true, true) if !finished => {
            let check = format!("`{code}` exits 0");
            matches!(super::classify::check(&check), Check::Command { .. }).then_some(check)
        }
        (true, false) if finished && path => Some(format!("File exists: `{code}`")),
        _ => None,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn first_words(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    line.char_indices().nth(12).map_or(line, |(at, _)| &line[..at])
}

/// The commands that a plan uses to build and to test.
#[derive(Clone, Debug, Default)]
pub(super) struct Commands {
    pub(super) build: Option<String>,
    pub(super) test: Option<String>,
}

impl Commands {
    /// The first of each among the criteria; the shortest first word that says so decides.
    pub(super) fn of(plan: &Plan) -> Commands {
        let all =
            plan.sprints().flat_map(|one| one.exit.iter().chain(&one.entry)).chain(&plan.rules);
        let commands = all.filter_map(|one| match &one.check {
            Check::Command { command, .. } if !command.contains('`') => Some(command.clone()),
            _ => None,
        });
        let commands: Vec<String> = commands.collect();
        let with = |word: &str| {
            let fits = commands.iter().filter(|command| runs(command, word));
            fits.min_by_key(|command| command.len()).cloned()
        };
        let named = plan
            .field("test_command")
            .filter(|command| !command.is_empty() && !command.contains('`'));
        Commands { build: with("build"), test: named.map(str::to_owned).or_else(|| with("test")) }
    }
}

/// Whether a command builds or tests a whole project: a build tool, and its own word for that. A command that
/// only has such a word somewhere (`gh workflow view tests.yml`) does not.
fn runs(command: &str, what: &str) -> bool {
    const TOOLS: [&str; 20] = [
        "cargo",
        "swift",
        "xcodebuild",
        "npm",
        "pnpm",
        "yarn",
        "bun",
        "make",
        "just",
        "go",
        "gradle",
        "./gradlew",
        "mvn",
        "dotnet",
        "bazel",
        "zig",
        "mix",
        "rake",
        "deno",
        "tox",
    ];
    const TESTERS: [&str; 4] = ["pytest", "jest", "vitest", "ctest"];
    if command.contains(['|', '<', '>', ';', '&']) {
        return false;
    }
    let mut words = command.split_whitespace().filter(|word| !word.contains('='));
    let Some(program) = words.next() else { return false };
    let verb = words.find(|word| !word.starts_with('-') && *word != "run").unwrap_or_default();
    let says = |verb: &str| {
        verb == what || verb.strip_prefix(what).is_some_and(|rest| rest.starts_with(['-', ':']))
    };
    // "cargo test types" tests a part of it.
    if program != "xcodebuild" && words.any(|word| !word.starts_with('-')) {
        return false;
    }
    TOOLS.contains(&program)
        && (says(verb) || program == "xcodebuild" && command.contains(&format!(" {what}")))
        || what == "test" && TESTERS.contains(&program)
}

/// Whether the tasks of a sprint make a file, not only speak of data of that name.
fn is_placed(path: &str) -> bool {
    path.contains('/')
}

fn created(sprint: &Sprint) -> BTreeSet<String> {
    let mut touched = Touched::default();
    sprint.tasks.iter().for_each(|task| touched.task(&task.text));
    touched.settle();
    touched.created
}

/// What a machine can check of some tasks.
pub(super) fn criteria_for<'t>(
    tasks: impl Iterator<Item = &'t str>,
    files: &BTreeSet<String>,
    commands: &Commands,
) -> Vec<String> {
    let mut criteria: Vec<String> = files
        .iter()
        .filter(|file| is_placed(file))
        .map(|file| format!("File exists: `{file}`"))
        .collect();
    let tested = tasks.into_iter().any(|text| text.to_lowercase().contains("test"));
    if let Some(build) = &commands.build {
        criteria.push(format!("`{build}` succeeds"));
    }
    if let Some(test) = commands.test.as_ref().filter(|_| tested || commands.build.is_none()) {
        criteria.push(format!("`{test}` passes"));
    }
    criteria
}

/// The labels of the two halves.
fn halves(label: &str) -> [String; 2] {
    let suffixed = label.ends_with(|c: char| c.is_ascii_lowercase());
    let marks = if suffixed { ["1", "2"] } else { ["a", "b"] };
    marks.map(|mark| format!("{label}{mark}"))
}

/// The document with a sprint in two: a heading, an end and a beginning are put between two tasks.
/// Everybody who waited for the whole now waits for the second half.
fn split(text: &str, plan: &Plan, sprint: &Sprint, check: &SprintCheck) -> Option<String> {
    let at = boundary(sprint, check)?;
    let outline = Outline::read(text, front_end(text, plan));
    let heading =
        outline.blocks.iter().find(|one| outline.line(one.range.start) == sprint.lines.first)?;
    let Content::Heading(level) = heading.content else { return None };
    let labels = halves(&sprint.label);
    if labels.iter().any(|label| {
        plan.sprint(&format!("{}/{label}", unit_of(&sprint.id))).is_some() || label.len() > 16
    }) {
        return None;
    }
    let (first, rest) = sprint.tasks.split_at(at);
    let mut touched = Touched::default();
    first.iter().for_each(|task| touched.task(&task.text));
    touched.settle();
    let end_of_first = criteria_for(
        first.iter().map(|task| task.text.as_str()),
        &touched.created,
        &Commands::of(plan),
    );
    let (last, next) = (first.last()?, rest.first()?);
    let (from, to) = (block(&outline, last.lines).end, outline.bytes(next.lines).start);
    if end_of_first.is_empty() || from >= to {
        return None;
    }
    let (words, words_at) = outline.heading(heading);
    let label_at = words_at + words.find(&sprint.label)?;
    let end = line_end(text);
    let items: String = end_of_first.iter().map(|text| format!("- [ ] {text}{end}")).collect();
    let marks = "#".repeat(level as usize);
    let (kept, first_part, second) = part_names(words, &sprint.name);
    let between = format!(
        "{end}{end}**Exit criteria**:{end}{end}{items}{end}---{end}{end}{marks} {} {}: {second}{end}{end}**Entry criteria**:{end}{end}- [ ] {} {} exit criteria met{end}{end}**Tasks**:{end}{end}",
        sprint.word, labels[1], sprint.word, labels[0],
    );
    let mut edits = Edits::default();
    edits.replace(label_at..label_at + sprint.label.len(), labels[0].clone());
    let behind = words_at + words.len();
    edits.replace(behind - kept..behind, first_part);
    edits.replace(from..to, between);
    relabel(&outline, plan, &BTreeMap::from([(sprint.id.clone(), labels[1].clone())]), &mut edits);
    let text = edits.apply(text);
    // What did not become two readable sprints is not worth it.
    let read = sound(&text).ok()?;
    let (one, other) = (
        format!("{}/{}", unit_of(&sprint.id), labels[0]),
        format!("{}/{}", unit_of(&sprint.id), labels[1]),
    );
    let tasks = read.sprint(&one)?.tasks.len() + read.sprint(&other)?.tasks.len();
    (tasks == sprint.tasks.len()).then_some(text)
}

/// Before which task a sprint is split: where its subsystem changes, the nearest to the middle; else in
/// the middle. Two concerns that alternate cannot be parted like this.
fn boundary(sprint: &Sprint, check: &SprintCheck) -> Option<usize> {
    let tasks = &sprint.tasks;
    let apart = tasks.windows(2).all(|pair| pair[0].lines.last < pair[1].lines.first);
    let before = sprint
        .exit
        .iter()
        .all(|one| tasks.last().is_some_and(|last| one.lines.first > last.lines.last));
    let numbered = tasks.iter().all(|task| task.label.bytes().all(|byte| byte.is_ascii_digit()));
    if tasks.len() < 2 || !apart || !before || !numbered {
        return None;
    }
    let concerns: Vec<Option<String>> = tasks.iter().map(concern).collect();
    let changes = (1..tasks.len()).filter(|at| {
        let before = concerns[..*at].iter().flatten().next_back();
        concerns[*at].as_ref().zip(before).is_some_and(|(now, before)| now != before)
    });
    let changes: Vec<usize> = changes.collect();
    let middle = tasks.len().div_ceil(2);
    match (check.single_concern, changes.as_slice()) {
        (false, [one]) => Some(*one),
        (false, _) => None,
        (true, _) => changes.into_iter().min_by_key(|at| at.abs_diff(middle)).or(Some(middle)),
    }
}

/// The document with the second sprint in the first: its heading goes, its lines stay.
fn merge(text: &str, plan: &Plan, one: &Sprint, other: &Sprint) -> Option<String> {
    if one.deferred || other.deferred || one.lines.last >= other.lines.first {
        return None;
    }
    let outline = Outline::read(text, front_end(text, plan));
    let head = |sprint: &Sprint| {
        let found = outline
            .blocks
            .iter()
            .find(|block| outline.line(block.range.start) == sprint.lines.first);
        found.filter(|block| matches!(block.content, Content::Heading(_)))
    };
    let (first, second) = (head(one)?, head(other)?);
    let between = outline.blocks.iter().filter(|block| {
        block.range.start > first.range.start && block.range.start < second.range.start
    });
    // Another section lies between the two.
    let inside = |at: usize| outline.line(at) <= one.lines.last;
    if between
        .clone()
        .any(|block| matches!(block.content, Content::Heading(_)) && !inside(block.range.start))
    {
        return None;
    }
    let end = line_end(text);
    let (words, at) = outline.heading(first);
    let mut edits = Edits::default();
    edits.replace(at + words.len()..at + words.len(), format!("; {}", other.name));
    let gone = outline.bytes(outline.lines(&second.range));
    edits.replace(block(&outline, one.lines).end..gone.end, end.to_owned());
    if let Some(known) =
        other.priority.as_ref().filter(|known| known.lines.first > other.lines.first)
    {
        edits.replace(outline.bytes(known.lines), "");
    }
    // The second no longer waits for the first, of which it is a part.
    let names = super::read::names(plan);
    for entry in &other.entry {
        let speaker =
            super::mention::Speaker { unit: Some(unit_of(&one.id)), ..Default::default() };
        let ids: Vec<_> = super::mention::mentions(&entry.text, &names, speaker)
            .into_iter()
            .filter_map(|found| found.id)
            .collect();
        if !ids.is_empty()
            && ids.iter().all(|id| *id == one.id)
            && entry.lines.first > other.lines.first
        {
            edits.replace(outline.bytes(entry.lines), "");
        }
    }
    relabel(&outline, plan, &BTreeMap::from([(other.id.clone(), one.label.clone())]), &mut edits);
    let text = edits.apply(text);
    let read = sound(&text).ok()?;
    let merged = read.sprint(&one.id)?;
    let whole = merged.tasks.len() == one.tasks.len() + other.tasks.len()
        && merged.exit.len() == one.exit.len() + other.exit.len();
    whole.then_some(text)
}

/// A sprint that two became does not wait for itself.
fn forget_itself(outline: &Outline<'_>, plan: &Plan, edits: &mut Edits) {
    let names = super::read::names(plan);
    for sprint in plan.sprints() {
        let speaker =
            super::mention::Speaker { unit: Some(unit_of(&sprint.id)), ..Default::default() };
        for entry in sprint.entry.iter().filter(|one| one.lines.first > sprint.lines.first) {
            let found = super::mention::mentions(&entry.text, &names, speaker);
            let itself = |one: &super::mention::Mention| one.id.as_ref() == Some(&sprint.id);
            if !found.is_empty() && found.iter().all(itself) {
                edits.replace(outline.bytes(entry.lines), "");
            }
        }
    }
}

/// The halves of a name: "X (part 1)" and "X (part 2)", of "X (part 2)" the parts 2.1 and 2.2. How many bytes
/// at the end of the heading give way to the first, and the whole of the second.
fn part_names(words: &str, name: &str) -> (usize, String, String) {
    let part = name.rsplit_once(" (part ").and_then(|(base, rest)| {
        let number = rest.strip_suffix(')')?;
        let fits = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        (fits && words.ends_with(rest)).then_some((base, number))
    });
    match part {
        Some((base, number)) => (
            name.len() - base.len(),
            format!(" (part {number}.1)"),
            format!("{base} (part {number}.2)"),
        ),
        None => (0, " (part 1)".to_owned(), format!("{name} (part 2)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sprint(label: &str, entry: &str, tasks: &str, exit: &str) -> String {
        format!(
            "## Sprint {label}: Name {label}\n\n**Entry criteria**:\n- [ ] {entry}\n\n**Tasks**:\n{tasks}\n**Exit criteria**:\n{exit}\n---\n\n"
        )
    }

    #[test]
    fn vague_and_missing_criteria_become_checks() {
        let one = sprint(
            "1",
            "no prerequisites",
            "1. Create `src/a.rs`\n",
            "- [ ] `make check` works correctly.\n- [ ] `src/a.rs` is complete\n- [ ] `make test` passes\n",
        );
        let two = sprint(
            "2",
            "Sprint 1 done",
            "1. Create `src/b.rs` and its tests\n",
            "- [ ] It looks nice\n",
        );
        let text = format!("# P\n\n{one}{two}");
        let done = evaluate(&text, 20, &Answers::new()).unwrap();
        let expected = text
            .replace("`make check` works correctly.", "`make check` exits 0")
            .replace("`src/a.rs` is complete", "File exists: `src/a.rs`")
            .replace(
                "- [ ] It looks nice\n",
                "- [ ] It looks nice\n- [ ] File exists: `src/b.rs`\n- [ ] `make test` passes\n",
            );
        assert_eq!(done.text, expected);
        assert_eq!(done.fixes.len(), 3);
        assert!(done.after.iter().all(|one| one.no_vague_words && one.machine_verifiable));
        assert_eq!(evaluate(&done.text, 20, &Answers::new()).unwrap().fixes, []);
    }

    /// Nothing is taken from elsewhere for a criterion that does not say it.
    #[test]
    fn what_a_criterion_does_not_name_is_left() {
        let one = sprint(
            "1",
            "none",
            "1. Create `src/a.rs`, which reads config.json\n",
            "- [ ] The logic works correctly\n- [ ] The module is complete\n- [ ] `src/a.rs` and its tests are complete\n\
             - [ ] `gh workflow view tests.yml` succeeds\n",
        );
        let done = evaluate(&one, 20, &Answers::new()).unwrap();
        assert_eq!((done.text.as_str(), done.fixes.len()), (one.as_str(), 0), "{:?}", done.fixes);
        assert_eq!(done.left.len(), 3, "{:?}", done.left);
        let data = sprint("1", "none", "1. Create config.json\n", "- [ ] It looks nice\n");
        assert_eq!(evaluate(&data, 20, &Answers::new()).unwrap().text, data);
    }

    #[test]
    fn what_cannot_be_computed_is_left_and_answers_are_used() {
        let text = sprint("1", "none", "1. Think about it\n", "- [ ] It works well\n");
        let done = evaluate(&text, 20, &Answers::new()).unwrap();
        assert_eq!((done.text.as_str(), done.fixes.len()), (text.as_str(), 0));
        let ids: Vec<_> = done.left.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["wording:plan/1/AC-001", "exit:plan/1"]);
        let answer =
            crate::vocab::question::Answer::Text { text: "`make check`\nexits 0".to_owned() };
        let done =
            evaluate(&text, 20, &[("wording:plan/1/AC-001".to_owned(), answer)].into()).unwrap();
        assert!(
            done.text.contains("- [ ] `make check` exits 0\n") && done.left.is_empty(),
            "{}",
            done.text
        );
    }

    #[test]
    fn large_sprints_become_two_and_all_that_waited_waits_for_the_second() {
        let tasks: String = (1..=8).map(|n| format!("{n}. Create `src/f{n}.rs`\n")).collect();
        let large = sprint("1", "no prerequisites", &tasks, "- [ ] `make build` succeeds\n");
        let next = sprint(
            "2",
            "Sprint 1 exit criteria met",
            "1. Create `src/x.rs`\n",
            "- [ ] `make build` succeeds\n",
        );
        let done = evaluate(&format!("# P\n\n{large}{next}"), 30, &Answers::new()).unwrap();
        let plan = sound(&done.text).unwrap();
        let rows: Vec<_> = plan
            .sprints()
            .map(|one| (one.label.as_str(), one.name.as_str(), one.tasks.len()))
            .collect();
        assert_eq!(
            rows,
            [("1", "Name 1 (part 1)", 4), ("2", "Name 1 (part 2)", 4), ("3", "Name 2", 1)]
        );
        let edges: Vec<_> =
            plan.dependencies.iter().map(|one| format!("{}>{}", one.from, one.to)).collect();
        assert_eq!(edges, ["plan/1>plan/2", "plan/2>plan/3"]);
        assert!(done.after.iter().all(|one| one.bounded_scope), "{:?}", done.after);
        assert_eq!(plan.sprint("plan/1").unwrap().exit.len(), 5);
    }

    #[test]
    fn small_sprints_join_the_next() {
        let one = sprint("1", "no prerequisites", "1. Say `a`\n", "- [ ] `make a` passes\n");
        let two = sprint("2", "Sprint 1 done", "1. Create `src/b.rs`\n", "- [ ] `make b` passes\n");
        let three = sprint(
            "3",
            "Sprint 2 done",
            "1. Create `src/c.rs`\n2. Create `src/d.rs`\n3. Create `src/e.rs`\n",
            "- [ ] `make c` passes\n",
        );
        let done = evaluate(&format!("# P\n\n{one}{two}{three}"), 60, &Answers::new()).unwrap();
        let plan = sound(&done.text).unwrap();
        let rows: Vec<_> = plan
            .sprints()
            .map(|one| (one.label.as_str(), one.name.as_str(), one.tasks.len(), one.exit.len()))
            .collect();
        assert_eq!(rows, [("1", "Name 1; Name 2", 2, 2), ("2", "Name 3", 3, 1)], "{}", done.text);
        assert_eq!(plan.dependencies.len(), 1);
    }
}
