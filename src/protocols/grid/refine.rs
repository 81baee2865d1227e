//! The refinement swarm: inspectors and personas look at the work, in parallel; their findings are
//! merged by priority, and fixed in that order, each priority in a wave of its own.

use super::report::{Found, Persona, Priority, SwarmReport};
use super::role::Role;
use super::state::BlockStatus;
use crate::mission::prelude::*;
use std::fmt::Write;

/// The most findings that are kept of one refinement.
pub const MOST_FINDINGS: usize = 500;

words! {
    /// Who looks.
    #[schemars(rename = "GridRefineScope")]
    Scope {
        All "all" "Everybody.";
        Visual "visual" "The visual inspector.";
        E2e "e2e" "The exerciser.";
        Personas "personas" "The personas.";
    }
}

/// What is known of a refinement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridRefinement")]
pub struct Refinement {
    /// Who looks.
    pub scope: Scope,
    /// What kind of project it is.
    pub context: String,
    /// Who uses it, once that is inferred.
    pub personas: Vec<Persona>,
    /// Members whose findings are in.
    pub heard: BTreeSet<String>,
    /// Members that were never heard and are waited for no more, with what became of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped: BTreeMap<String, String>,
    /// Findings beyond what is kept.
    #[serde(default, skip_serializing_if = "none")]
    pub dropped: u64,
    /// Pictures that members took, below `.grid/refinement/`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pictures: BTreeMap<String, Vec<String>>,
    /// What was found, the worst first.
    pub findings: Vec<Merged>,
    /// Fixes were planned, or none were needed.
    pub planned: bool,
}

/// A finding with those who found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridMerged")]
pub struct Merged {
    /// How much it weighs: the worst anybody said.
    pub priority: Priority,
    /// What is wrong.
    pub title: String,
    /// Where.
    pub place: String,
    /// What would be right.
    pub expected: String,
    /// Who found it.
    pub found_by: BTreeSet<String>,
    /// Lesser priorities that others gave it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub lesser: BTreeSet<Priority>,
    /// What others said of it in other words, each once, with their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form serde asks for")]
fn none(count: &u64) -> bool {
    *count == 0
}

impl Merged {
    /// All that was said of it: what would be right, in everybody's words.
    pub(super) fn words(&self) -> String {
        let all = std::iter::once(&self.expected).chain(&self.also);
        all.map(String::as_str).collect::<Vec<_>>().join("; ")
    }
}

impl Refinement {
    /// Whether somebody must first say who uses the project.
    pub(super) fn needs_lead(&self) -> bool {
        matches!(self.scope, Scope::All | Scope::Personas) && self.personas.is_empty()
    }

    /// Everybody who looks, with the item each is sent for.
    pub(super) fn members(&self) -> Vec<(Role, String)> {
        let mut all = Vec::new();
        if matches!(self.scope, Scope::All | Scope::Visual) {
            all.push((Role::VisualInspector, "visual".to_owned()));
        }
        if matches!(self.scope, Scope::All | Scope::E2e) {
            all.push((Role::E2eExerciser, "e2e".to_owned()));
        }
        let numbers = 1..=self.personas.len();
        all.extend(numbers.map(|number| (Role::PersonaSimulator, format!("persona-{number}"))));
        all
    }

    /// The persona of a member.
    pub(super) fn persona(&self, item: &str) -> Option<&Persona> {
        let number: usize = item.strip_prefix("persona-")?.parse().ok()?;
        self.personas.get(number.checked_sub(1)?)
    }

    /// Members that have not been heard and are still waited for.
    pub(super) fn due(&self) -> impl Iterator<Item = (Role, String)> {
        let all = self.members().into_iter();
        let over = |item: &String| self.heard.contains(item) || self.skipped.contains_key(item);
        all.filter(|(_, item)| !over(item)).collect::<Vec<_>>().into_iter()
    }

    /// Takes what a member found.
    pub(super) fn hear(&mut self, item: &str, report: &SwarmReport) {
        self.heard.insert(item.to_owned());
        for found in &report.findings {
            merge(&mut self.findings, found, item);
        }
        let pictures = report.screenshots.iter().map(|path| one_line(path));
        let pictures: Vec<String> = pictures.filter(|path| !path.is_empty()).collect();
        if !pictures.is_empty() {
            self.pictures.insert(item.to_owned(), pictures);
        }
        self.findings.sort_by_key(|one| one.priority);
        let surplus = self.findings.len().saturating_sub(MOST_FINDINGS);
        self.dropped += u64::try_from(surplus).unwrap_or(u64::MAX);
        self.findings.truncate(MOST_FINDINGS);
    }

    /// The findings of a priority.
    pub(super) fn of(&self, priority: Priority) -> impl Iterator<Item = &Merged> {
        self.findings.iter().filter(move |one| one.priority == priority)
    }

    /// Pictures of those who found anything of a priority, in lines.
    pub(super) fn pictured(&self, priority: Priority) -> Vec<String> {
        let found = |item: &&String| self.of(priority).any(|one| one.found_by.contains(*item));
        self.shots(found)
    }

    fn shots(&self, of: impl Fn(&&String) -> bool) -> Vec<String> {
        let mine = self.pictures.iter().filter(|(item, _)| of(item));
        mine.map(|(item, paths)| format!("- {item}: {}", paths.join(", "))).collect()
    }

    /// The plan of the fixes, for people. `blocks` gives the state of the blocks that fix a priority.
    pub(super) fn render(&self, blocks: impl Fn(&str) -> Vec<String>) -> String {
        let mut text = format!(
            "---\nfindings: {}\nmembers: {}\n{}---\n\n# Refinement plan\n\n{}\n{}",
            self.findings.len(),
            self.heard.len(),
            self.skipped_list(),
            self.context,
            self.unseen()
        );
        for priority in [Priority::P0, Priority::P1, Priority::P2, Priority::P3] {
            let found = self.of(priority).next().is_some();
            let stands = blocks(&mends(priority));
            let open = stands.iter().find(|word| *word != BlockStatus::Verified.as_str());
            let stand = match (priority, open) {
                _ if !found && self.findings.iter().any(|one| one.lesser.contains(&priority)) => {
                    "what was found stands above: others gave it a worse priority"
                }
                _ if !found && self.skipped.is_empty() => "nothing found",
                _ if !found => "nothing found by those who looked",
                (Priority::P3, _) => "written down only",
                (_, Some(word)) => word.as_str(),
                (_, None) if stands.is_empty() => "to be mended",
                (_, None) => "mended",
            };
            let _ = write!(text, "\n## {} ({stand})\n\n", priority.as_str());
            for one in self.of(priority) {
                let by: Vec<&str> = one.found_by.iter().map(String::as_str).collect();
                let _ = writeln!(
                    text,
                    "- {} ({}): {}. Found by {}.",
                    one.title,
                    one.place,
                    one.words(),
                    by.join(", ")
                );
            }
        }
        let pictures = self.shots(|_| true);
        if !pictures.is_empty() {
            let _ = write!(text, "\n## Pictures that were taken\n\n{}\n", pictures.join("\n"));
        }
        text
    }

    /// The members that never reported, for programs; blank if none.
    fn skipped_list(&self) -> String {
        match self.skipped.is_empty() {
            true => String::new(),
            false => format!("skipped: {}\n", crate::vocab::json::encode(&self.skipped)),
        }
    }

    /// What no member looked at, and what was found beyond all bounds, for people.
    fn unseen(&self) -> String {
        let mut text = String::new();
        for (item, why) in &self.skipped {
            let _ = write!(text, "\nNot verified: what {item} would have looked at. {why}\n");
        }
        if self.dropped > 0 {
            let _ = write!(text, "\n{} further findings are not kept.\n", self.dropped);
        }
        text
    }
}

/// The id of the block that fixes the findings of a priority; further ones have this id and a number.
pub(super) fn mends(priority: Priority) -> String {
    format!("refine-{}", priority.as_str().to_lowercase())
}

fn merge(known: &mut Vec<Merged>, found: &Found, item: &str) {
    let (title, place) = (one_line(&found.title), one_line(&found.place));
    let expected = one_line(&found.expected);
    if title.is_empty() || expected.is_empty() {
        return;
    }
    let same = |one: &&mut Merged| {
        one.title.eq_ignore_ascii_case(&title) && one.place.eq_ignore_ascii_case(&place)
    };
    match known.iter_mut().find(same) {
        Some(one) => {
            one.lesser.extend([one.priority, found.priority]);
            one.priority = one.priority.min(found.priority);
            one.lesser.remove(&one.priority);
            one.found_by.insert(item.to_owned());
            let differs = one.expected != expected || one.title != title || one.place != place;
            let said = differs.then(|| format!("{item} says: {title} ({place}): {expected}"));
            for said in said.into_iter().chain(beside(found, item)) {
                if !one.also.contains(&said) {
                    one.also.push(said);
                }
            }
        }
        None => known.push(Merged {
            priority: found.priority,
            title,
            place,
            expected,
            found_by: BTreeSet::from([item.to_owned()]),
            lesser: BTreeSet::new(),
            also: beside(found, item).collect(),
        }),
    }
}

/// Extra fields of a finding, with the name of the role that gave them.
fn beside<'a>(found: &'a Found, item: &'a str) -> impl Iterator<Item = String> + 'a {
    found.beside.iter().map(move |line| format!("{item} says: {line}"))
}
