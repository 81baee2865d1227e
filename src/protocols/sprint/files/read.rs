//! Reads a SUPERVISOR_STATE.md that another supervisor left, ours or a person's, to go on from there.
//!
//! Two tables list sprints one by one ("Sprints" of ours, "Active Agents"); the blocks of work units
//! name the current one: every sprint before it counts as recorded. State names that are not
//! ours are read by their meaning, if it is plain, and noted.

use super::super::config::{Begins, Config};
use super::super::status::SprintStatus;
use std::collections::BTreeMap;

/// What a state file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Rows of a table of sprints: unit, label, status, attempt.
    pub rows: Vec<(String, String, SprintStatus, u32)>,
    /// Blocks of work units: name, state, current sprint, its status, its attempt.
    pub blocks: Vec<Block>,
    /// The mission it tells of is done.
    pub over: bool,
    /// What could not be read, with its line.
    pub notes: Vec<String>,
}

/// What a file says about a work unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Its heading.
    pub name: String,
    /// Its id, if the file names one.
    pub id: Option<String>,
    /// Its state, as written.
    pub state: String,
    /// The label of its current sprint.
    pub current: Option<String>,
    /// That sprint's status.
    pub status: Option<SprintStatus>,
    /// That sprint's attempt.
    pub attempt: u32,
}

/// The status that a word means: our own names, and what supervisors wrote in their place.
fn status(text: &str) -> Option<SprintStatus> {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    let word: String =
        bare.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '_' || *c == '-').collect();
    let word = word.to_ascii_uppercase();
    SprintStatus::parse(&word).or(match word.as_str() {
        "DONE" | "COMPLETE" => Some(SprintStatus::Completed),
        "COMPLETED-PARTIAL" => Some(SprintStatus::Partial),
        "READY" | "NOT_STARTED" | "PAUSED" | "QUEUED" => Some(SprintStatus::Pending),
        "SPLIT" => Some(SprintStatus::Skipped),
        "FAILED" => Some(SprintStatus::Backoff),
        _ => None,
    })
}

fn number(text: &str) -> u32 {
    let digits: String = text
        .trim_matches(|c: char| !c.is_ascii_digit())
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap_or(0)
}

fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
    inner.replace("\\|", "\u{1}").split('|').map(|cell| plain(cell).replace('\u{1}', "|")).collect()
}

fn plain(text: &str) -> String {
    text.trim().trim_matches(|c| c == '*' || c == '`').trim().to_owned()
}

/// Reads a state file. What is no line of ours is left aside.
pub fn state(text: &str) -> Recorded {
    let mut found = Recorded::default();
    let mut columns: Option<Vec<String>> = None;
    for (place, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("### ") {
            columns = None;
            found.blocks.push(Block { name: plain(name), ..Block::default() });
        } else if line.starts_with('#') {
            columns = None;
        } else if line.starts_with('|') {
            let row = cells(line);
            match &columns {
                None => columns = Some(row.iter().map(|cell| cell.to_lowercase()).collect()),
                Some(columns) => found.row(columns, &row, place + 1),
            }
        } else {
            columns = None;
            found.field(line, place + 1);
        }
    }
    found.blocks.retain(|block| !block.state.is_empty() || block.current.is_some());
    found
}

impl Recorded {
    fn row(&mut self, columns: &[String], row: &[String], line: usize) {
        let cell = |names: &[&str]| {
            let place = columns.iter().position(|column| names.contains(&column.as_str()))?;
            row.get(place).filter(|cell| !cell.is_empty() && !cell.starts_with("---"))
        };
        let unit = cell(&["work unit", "unit"]);
        let label = cell(&["sprint", "sortie"]);
        let word = cell(&["sprint state", "sortie state", "state", "status"]);
        let (Some(unit), Some(label), Some(word)) = (unit, label, word) else { return };
        // The table of the status report counts sprints instead of naming them.
        if label.contains('/') {
            return;
        }
        let attempt = cell(&["attempt"]).map_or(0, |text| number(text));
        match status(word) {
            Some(status) => {
                let label = label.trim_start_matches(|c: char| !c.is_alphanumeric());
                self.rows.push((unit.clone(), label.to_owned(), status, attempt));
            }
            None => self.notes.push(format!("line {line}: `{word}` is no state of a sprint")),
        }
    }

    fn field(&mut self, line: &str, number_of_line: usize) {
        let Some((name, value)) = line.trim_start_matches(['-', '*', ' ']).split_once(':') else {
            return;
        };
        let (name, value) = (plain(name).to_lowercase(), plain(value));
        let Some(block) = self.blocks.last_mut() else {
            self.over |= name == "status" && value.eq_ignore_ascii_case("completed");
            return;
        };
        match name.as_str() {
            "work unit state" => block.state = value,
            "work unit id" => block.id = Some(value),
            "current sprint" | "current sortie" => {
                let label = value.split_whitespace().next().unwrap_or_default();
                block.current = Some(label.to_owned()).filter(|label| !label.is_empty());
            }
            "sprint state" | "sortie state" => {
                block.status = status(&value);
                if block.status.is_none() {
                    let note = format!("line {number_of_line}: `{value}` is no state of a sprint");
                    self.notes.push(note);
                }
            }
            "attempt" => block.attempt = number(&value),
            _ => {}
        }
    }

    /// Puts what was recorded into a config that was not started yet; answers with what to tell.
    pub fn adopt(&self, config: &mut Config) -> Vec<String> {
        let mut told = self.notes.clone();
        if self.over {
            told.push("it tells of a mission that is done; nothing of it is taken over".to_owned());
            return told;
        }
        let mut known: BTreeMap<(String, String), (SprintStatus, u32)> = BTreeMap::new();
        for unit in &config.units {
            let named = |name: &str| name == unit.id || name.eq_ignore_ascii_case(&unit.name);
            let block = self
                .blocks
                .iter()
                .find(|block| named(&block.name) || block.id.as_deref().is_some_and(&named));
            let current = block.and_then(|block| {
                let label = block.current.as_deref()?;
                unit.sprints.iter().position(|one| one.label == label)
            });
            for (place, sprint) in unit.sprints.iter().enumerate() {
                let row = self.rows.iter().rev();
                let row = row.into_iter().find(|row| named(&row.0) && row.1 == sprint.label);
                let found = match (row, block, current) {
                    (Some((_, _, status, attempt)), _, _) => Some((*status, *attempt)),
                    (None, Some(_), Some(current)) if place < current => {
                        Some((SprintStatus::Completed, 0))
                    }
                    (None, Some(block), Some(current)) if place == current => {
                        block.status.map(|status| (status, block.attempt))
                    }
                    _ => None,
                };
                if let Some(found) = found {
                    known.insert((unit.id.clone(), sprint.label.clone()), found);
                }
            }
        }
        for unit in config.units.iter_mut() {
            for sprint in unit.sprints.iter_mut() {
                let key = (unit.id.clone(), sprint.label.clone());
                let Some((status, attempt)) = known.get(&key).copied() else { continue };
                // Who lets work go says so to the mission that does without it.
                if status == SprintStatus::Skipped {
                    let name = format!("{}/{}", unit.id, sprint.label);
                    told.push(format!("{name} was SKIPPED; it is to be done unless you skip it"));
                    continue;
                }
                if status != SprintStatus::Pending || attempt > 1 {
                    sprint.begins = Begins::Adopted { status, attempt };
                    told.push(format!("{}/{} was {}", unit.id, sprint.label, status.as_str()));
                }
            }
        }
        told
    }
}
