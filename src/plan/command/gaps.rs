//! The first pass: where the plan begins, where it ends, what it covers, what nobody needs, what is not decided (seed 18,
//! 17c to 17f there).

use super::super::document::unmarked;
use super::super::judge::{Answers, PlanQuestion, said_words, yes_or_ask};
use super::super::line::{criterion_label, leveled};
use super::super::model::{Plan, Sprint, id};
use super::analyze::{Coverage, Issue, IssueKind, OpenKind, OpenQuestion, Point, Severity};
use super::links::Links;
use super::requirements::Requirement;
use super::text::{files, is_within, line, says};
use super::words::{BEGINNING, DELIVERED, ENDING, FIRST, THERE, UNDECIDED, UNSAID, VAGUE};
use super::{live, place};
use crate::vocab::error::clip;
use std::collections::{BTreeMap, BTreeSet};

/// The risk of calls of systems outside (seed 6a).
const OUTSIDE: u8 = 5;

/// What an analysis looks at, and what it found so far.
pub(super) struct Look<'a> {
    pub(super) plan: &'a Plan,
    /// The sprints that are to run, by id.
    live: Vec<(String, &'a Sprint)>,
    dependents: BTreeMap<String, BTreeSet<String>>,
    before: BTreeMap<String, BTreeSet<String>>,
    pub(super) issues: Vec<Issue>,
    pub(super) questions: Vec<PlanQuestion>,
}

impl<'a> Look<'a> {
    pub(super) fn new(plan: &'a Plan, links: &Links, questions: Vec<PlanQuestion>) -> Self {
        let live = live(plan).map(|(unit, one)| (id(unit, one), one)).collect();
        let (dependents, before) = (links.dependents(), links.before());
        Look { plan, live, dependents, before, issues: Vec::new(), questions }
    }

    pub(super) fn issue(
        &mut self,
        severity: Severity,
        kind: IssueKind,
        at: impl Into<String>,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) {
        let (at, problem, advice) = (at.into(), problem.into(), advice.into());
        self.issues.push(Issue { severity, kind, at, problem, advice });
    }

    pub(super) fn sprint(&self, own: &str) -> Option<&'a Sprint> {
        self.live.iter().find(|(id, _)| id == own).map(|(_, one)| *one)
    }

    /// Whether a sprint waits for others, and whether others wait for it.
    fn ends(&self, own: &str) -> (bool, bool) {
        let any = |all: &BTreeMap<String, BTreeSet<String>>| {
            all.get(own).is_some_and(|others| !others.is_empty())
        };
        (any(&self.before), any(&self.dependents))
    }

    fn notes(&self) -> impl Iterator<Item = &'a String> {
        std::iter::once(&self.plan.notes).chain(self.plan.units.iter().map(|one| &one.notes))
    }

    /// What stands below headings with one of these words, in the notes of the plan and of its units.
    fn sections(&self, titles: &[&'static str]) -> Vec<String> {
        let mut found = Vec::new();
        for text in self.notes() {
            let mut open: Option<usize> = None;
            for one in text.lines().filter(|one| !one.trim().is_empty()) {
                match leveled(one).filter(|(level, _)| open.is_none_or(|outer| *level <= outer)) {
                    Some((level, title)) => open = says(title, titles).map(|_| level),
                    None if open.is_some() => found.push(unmarked(&line(one)).to_owned()),
                    None => {}
                }
            }
        }
        found
    }

    pub(super) fn point_a(&mut self) -> Point {
        let mut point = Point { documented: self.sections(BEGINNING), ..Point::default() };
        for (own, sprint) in self.live.iter().filter(|(own, _)| !self.ends(own).0) {
            let said = sprint.entry.iter().filter(|one| one.text != FIRST);
            point.documented.extend(said.map(|one| line(&one.text)));
            if sprint.entry.is_empty() {
                let own = place(own);
                point.findings.push(format!("unclear: what sprint {own} starts from"));
            }
        }
        let assumed = self.undescribed();
        point.clear = !point.documented.is_empty() && assumed.is_empty();
        let (problem, advice) = match point.documented.is_empty() {
            true => (
                "The starting state is not documented.",
                "Add a section \"Prerequisites\", or say in the first entry criteria what must be there.",
            ),
            false => (
                "Entry criteria name files that nothing in the plan makes or describes.",
                "Describe them in a section \"Prerequisites\", or add the task that makes them.",
            ),
        };
        if !point.clear {
            self.issue(Severity::Recommended, IssueKind::Points, "the plan", problem, advice);
        }
        point.findings.extend(assumed);
        for (own, sprint) in &self.live {
            let there = sprint.tasks.iter().filter(|task| says(&task.text, THERE).is_some());
            let own = place(own);
            let words = |text: &str| format!("assumed: sprint {own} builds on: {}", line(text));
            point.findings.extend(there.map(|task| words(&task.text)));
        }
        point
    }

    /// Files that entry criteria take for granted, and nothing else in the plan names.
    fn undescribed(&self) -> Vec<String> {
        let mut known: BTreeSet<&str> = self.notes().flat_map(|text| files(text)).collect();
        for (_, one) in self.plan.sprints() {
            let fields = one.creates.iter().chain(&one.changes).chain(&one.reads);
            known.extend(fields.map(String::as_str));
            known.extend(one.tasks.iter().flat_map(|task| files(&task.text)));
            known.extend(one.exit.iter().flat_map(|exit| files(&exit.text)));
        }
        let mut found = Vec::new();
        for (own, sprint) in &self.live {
            let asked = sprint.entry.iter().flat_map(|entry| files(&entry.text));
            let own = place(own);
            let words = |file: &str| format!("assumed: `{file}` is there when sprint {own} starts");
            found.extend(asked.filter(|file| !known.contains(file)).map(words));
        }
        found
    }

    pub(super) fn point_b(&mut self) -> Point {
        let mut point = Point { documented: self.sections(ENDING), ..Point::default() };
        let delivered = self.sections(DELIVERED);
        let mut unclear = Vec::new();
        for (own, sprint) in self.live.iter().filter(|(own, _)| !self.ends(own).1) {
            if sprint.exit.is_empty() {
                let own = place(own);
                unclear.push(format!("sprint {own} is the last and has no exit criteria"));
            }
            point.documented.extend(sprint.exit.iter().map(|one| line(&one.text)));
        }
        let vague = point.documented.iter().filter(|text| says(text, VAGUE).is_some());
        unclear.extend(vague.map(|text| format!("nobody can measure: {text}")));
        if point.documented.is_empty() && delivered.is_empty() {
            unclear.push("the plan does not say what there is to be at its end".to_owned());
        }
        point.clear = unclear.is_empty();
        if !point.clear {
            let problem = format!("The target state is not clear: {}.", unclear.join("; "));
            let advice = "Give the last sprints exit criteria that a command decides, or add a section \"Success Criteria\".";
            self.issue(Severity::Recommended, IssueKind::Points, "the plan", problem, advice);
        }
        let made = self.live.iter().flat_map(|(_, one)| &one.creates);
        let all = delivered.into_iter().chain(made.map(|file| format!("`{file}`")));
        point.findings.extend(all.map(|what| format!("deliverable: {what}")));
        point.findings.extend(unclear.iter().map(|what| format!("unclear: {what}")));
        point
    }

    /// A requirement is addressed by the sprints that have its text, or name its id; else somebody must say.
    pub(super) fn coverage(
        &mut self,
        wanted: Vec<Requirement>,
        answers: &Answers,
    ) -> Vec<Coverage> {
        let sprints = self.plan.sprints();
        let said: Vec<_> = sprints.map(|(unit, one)| (id(unit, one), said(one))).collect();
        let mut rows = Vec::new();
        for requirement in wanted.into_iter().filter(Requirement::asks) {
            let text = line(&requirement.text);
            let label = criterion_label(&text).and_then(|end| text.get(..end));
            let has =
                |all: &str| all.contains(&text) || label.is_some_and(|label| is_within(all, label));
            let found = said.iter().filter(|(_, all)| has(all)).map(|(own, _)| own.clone());
            let mut sprints = Some(found.collect::<Vec<_>>()).filter(|found| !found.is_empty());
            let key = format!("covers:{}", requirement.id);
            let at = format!("requirement {}, line {}", requirement.id, requirement.lines.first);
            if sprints.is_none() {
                sprints = said_words(answers, &key).map(|words| {
                    let ids: BTreeSet<&str> = words.split(',').map(str::trim).collect();
                    let own = |id: &&String| ids.contains(id.as_str()) || ids.contains(place(id));
                    said.iter().map(|(id, _)| id).filter(own).cloned().collect()
                });
            }
            match &sprints {
                None => {
                    let text = format!(
                        "Which sprints address this ({at})? Their ids with commas between them, or `none`: {text}"
                    );
                    self.questions.push(PlanQuestion::words(key, text));
                }
                Some(sprints) if sprints.is_empty() => {
                    let problem = format!("No sprint addresses: {text}");
                    let advice = "Add a task for it, or put it out of scope.";
                    self.issue(Severity::Critical, IssueKind::Coverage, at, problem, advice);
                }
                Some(_) => {}
            }
            rows.push(Coverage { requirement, sprints });
        }
        rows
    }

    /// Sprints that nobody waits for, and that make files which no later one names. The last of a unit makes what the
    /// unit is for.
    pub(super) fn dead_ends(&mut self) {
        let last = |unit: &super::Unit| Some(id(unit, unit.sprints.last()?));
        let last: BTreeSet<String> = self.plan.units.iter().filter_map(last).collect();
        let texts: Vec<String> = self.live.iter().map(|(_, one)| said(one)).collect();
        for (at, (own, sprint)) in self.live.clone().into_iter().enumerate() {
            let uses = |file: &String| {
                let mut later = self.live.iter().zip(&texts).skip(at + 1);
                later.any(|((_, one), said)| {
                    one.reads.iter().chain(&one.changes).any(|other| other == file)
                        || said.contains(file.as_str())
                })
            };
            let used = sprint.creates.is_empty() || sprint.creates.iter().any(uses);
            if !used && !self.ends(&own).1 && !last.contains(&own) {
                let advice = "Say who needs it, or that it is a deliverable by itself.";
                let (at, problem) =
                    (format!("sprint {}", place(&own)), "Nothing later uses what it makes.");
                self.issue(Severity::Optional, IssueKind::DeadEnd, at, problem, advice);
            }
        }
    }

    /// All open questions, in the order of the plan.
    pub(super) fn open(&mut self) -> Vec<OpenQuestion> {
        let mut found = Vec::new();
        for text in self.notes() {
            found.extend(text.lines().filter_map(|one| question(one, "the plan", &[])));
        }
        for (own, sprint) in &self.live {
            let at = format!("sprint {}", place(own));
            let waits = self.dependents.get(own).into_iter().flatten();
            let blocks: Vec<String> = std::iter::once(own).chain(waits).cloned().collect();
            let tasks = sprint.tasks.iter().zip(1..);
            let tasks = tasks.map(|(task, number)| (format!("task {number}"), &task.text));
            let criteria = sprint.entry.iter().chain(&sprint.exit);
            let criteria = criteria.map(|one| (one.id.clone(), &one.text));
            let notes = [("notes".to_owned(), &sprint.notes)];
            for (part, text) in tasks.chain(criteria).chain(notes) {
                let at = format!("{at}, {part}");
                found.extend(text.lines().filter_map(|one| question(one, &at, &blocks)));
            }
            if sprint.risk == Some(OUTSIDE) && sprint.reads.is_empty() {
                let text = "It calls a system outside, and reads nothing that describes it";
                let (text, kind) = (text.to_owned(), OpenKind::External);
                found.push(OpenQuestion { text, at, kind, blocks });
            }
        }
        for one in &found {
            let put_off = one.kind == OpenKind::Undecided && !one.blocks.is_empty();
            let severity = if put_off { Severity::Critical } else { Severity::Recommended };
            let problem = format!("Not decided: {}", one.text);
            self.issue(severity, IssueKind::Question, one.at.clone(), problem, one.advice());
        }
        found
    }

    /// What only a judge can tell: is a step missing, do assumptions contradict each other?
    pub(super) fn judged(&mut self, answers: &Answers) {
        let rows = [
            (
                "bridges",
                "Is every step there that leads from the starting state to the target state, without a gap between sprints?",
                IssueKind::Bridge,
                "A judge misses work between sprints.",
                "Look where one sprint needs what none before it makes.",
            ),
            (
                "assumptions",
                "Do the assumptions and preconditions of the plan agree with each other?",
                IssueKind::Points,
                "A judge finds that assumptions contradict each other.",
                "Say which of them holds.",
            ),
        ];
        for (key, text, kind, problem, advice) in rows {
            let (key, text) = (key.to_owned(), text.to_owned());
            if yes_or_ask(answers, &mut self.questions, key, text) == Some(false) {
                self.issue(Severity::Recommended, kind, "the plan", problem, advice);
            }
        }
    }
}

impl OpenQuestion {
    /// What settles it.
    pub fn advice(&self) -> &'static str {
        match self.kind {
            OpenKind::Undecided => "Decide it in the plan before an agent has to.",
            OpenKind::Unsaid => "Name the one that is meant.",
            OpenKind::External => "Name what describes its interface in the field Reads.",
        }
    }
}

fn question(text: &str, at: &str, blocks: &[String]) -> Option<OpenQuestion> {
    let undecided = says(text, UNDECIDED).map(|_| OpenKind::Undecided);
    let kind = undecided.or_else(|| says(text, UNSAID).map(|_| OpenKind::Unsaid))?;
    let (text, at, blocks) = (clip(&line(text), 160), at.to_owned(), blocks.to_vec());
    Some(OpenQuestion { text, at, kind, blocks })
}

/// All that a sprint says, each text on one line.
fn said(sprint: &Sprint) -> String {
    let tasks = sprint.tasks.iter().map(|one| &one.text);
    let criteria = sprint.entry.iter().chain(&sprint.exit).map(|one| &one.text);
    let all = tasks.chain(criteria).chain([&sprint.name, &sprint.notes]);
    all.map(|text| line(text)).collect::<Vec<_>>().join("\n")
}
