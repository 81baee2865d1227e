//! The canonical reader: one pass over the lines of a plan (`docs/plan-format.md`). It never fails. What is wrong is a
//! remark with its place, and a line that is no element is a note of the place it stands in, so that nothing is lost.

mod field;
mod front;
mod item;
mod table;

use super::clause;
use super::document::{self, LineRange};
use super::line::{self, Fence, Heading, Within};
use super::model::{Plan, Read, Remark, Sprint, Unit, WHOLE, Weight};
use super::yaml::{self, count};
use crate::vocab::error::Code;
pub(super) use field::{FIELDS, Field};
use item::Open;
use std::collections::{BTreeMap, BTreeSet};
use table::Table;

/// Reads a plan in the canonical grammar, of any size. Faults of its meaning, as unknown references, are found by
/// [`super::check::check`].
pub fn read(text: &str) -> Read {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::default();
    if let Err(error) = yaml::no_nul(text, 1) {
        reader.remarks.push(front::remark(&error, 1));
    }
    let (source, body) = match document::split(text) {
        Ok(parts) => parts,
        Err(error) => {
            reader.remarks.push(Remark { code: Code::Syntax, ..front::remark(&error, 1) });
            (None, text)
        }
    };
    if let Some(source) = source {
        front::read(source, &mut reader.plan, &mut reader.remarks);
    }
    let before = count(text[..text.len() - body.len()].matches('\n').count());
    for (number, line) in (before.saturating_add(1)..).zip(body.split('\n')) {
        reader.number = number;
        reader.line(line.trim_end_matches('\r'));
    }
    reader.finish()
}

/// Where the reader is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Plan,
    Table(Table),
    Unit(usize),
    Sprint(usize),
}

/// The part of a sprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Fields,
    Entry,
    Tasks,
    Exit,
    Notes,
}

#[derive(Default)]
struct Reader {
    plan: Plan,
    remarks: Vec<Remark>,
    number: u32,
    at: At,
    part: Part,
    open: Option<Open>,
    fence: Option<(Fence, u32)>,
    /// Blank lines since the last line of notes; `None` if something else stood between.
    blanks: Option<String>,
    titled: bool,
    /// Units by name; those that have a section, and their rows in the table.
    names: BTreeMap<String, usize>,
    sections: BTreeSet<usize>,
    rows: BTreeMap<usize, (u32, Vec<String>)>,
    tables: BTreeSet<Table>,
    metrics: Vec<(u32, String, String)>,
    seen: BTreeSet<&'static str>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some((fence, _)) = self.fence {
            self.within_fence(line);
            if line::closes(line, fence) {
                self.fence = None;
            }
        } else if line.trim().is_empty() {
            self.blank(line);
        } else if !self.goes_on(line) {
            self.close();
            self.element(line);
        }
        let number = self.number;
        if let Some(sprint) = self.sprint().filter(|_| !line.trim().is_empty()) {
            sprint.lines.last = number;
        }
    }

    fn element(&mut self, line: &str) {
        match line::heading(line) {
            Some(Heading::Sprint(label, name, added)) => self.begin(label, name, added),
            Some(Heading::Unit(name)) => self.section(name),
            Some(Heading::Units) => self.enter(At::Table(Table::Units)),
            Some(Heading::Summary) => self.enter(At::Table(Table::Summary)),
            Some(Heading::Bad(level)) => {
                let expected = "`### Sprint <label>: <name>` or `## Work Unit: <name>`";
                self.remark(Weight::Fault, Code::Syntax, expected, line);
                self.other_heading(level, line);
            }
            Some(Heading::Other(1, title))
                if !self.titled && self.at == At::Plan && self.plan.units.is_empty() =>
            {
                self.titled = true;
                self.plan.title = title.to_owned();
                self.blanks = None;
            }
            Some(Heading::Other(level, _)) => self.other_heading(level, line),
            None => match self.at {
                At::Table(table) if line.trim_start().starts_with('|') => self.row(table, line),
                At::Sprint(_) if self.part != Part::Notes => self.of_sprint(line),
                _ => self.note(line),
            },
        }
    }

    fn of_sprint(&mut self, line: &str) {
        if let Some((name, value)) = line::field(line) {
            return self.field(name, value, line);
        }
        match line::item(line).filter(|_| self.part != Part::Fields) {
            Some(item) => self.item(line, item),
            None => self.note(line),
        }
    }

    /// A heading of level 1 or 2 ends a unit.
    fn other_heading(&mut self, level: usize, line: &str) {
        if level <= 2 && self.at != At::Plan {
            self.enter(At::Plan);
        }
        self.note(line);
    }

    fn enter(&mut self, at: At) {
        self.close();
        self.sprint().into_iter().for_each(clause::number);
        self.at = at;
        self.part = Part::Fields;
        self.blanks = None;
        self.seen.clear();
    }

    fn section(&mut self, name: &str) {
        let unit = self.names.get(name).copied().unwrap_or_else(|| self.unit(name));
        if !self.sections.insert(unit) {
            self.remark(Weight::Fault, Code::DuplicateId, "one section for each work unit", name);
        } else if let Some(unit) = self.plan.units.get_mut(unit) {
            unit.lines = LineRange::line(self.number);
        }
        self.enter(At::Unit(unit));
    }

    /// A new unit.
    fn unit(&mut self, name: &str) -> usize {
        let lines = LineRange::line(self.number);
        let at = self.plan.units.len();
        self.plan.units.push(Unit { name: name.to_owned(), lines, ..Unit::default() });
        self.names.entry(name.to_owned()).or_insert(at);
        at
    }

    fn begin(&mut self, label: &str, name: &str, added: bool) {
        let unit = match self.at {
            At::Unit(unit) | At::Sprint(unit) => unit,
            At::Plan | At::Table(_) => match self.plan.units.len() {
                1 if self.rows.len() == 1 => 0,
                _ => self.names.get(WHOLE).copied().unwrap_or_else(|| self.unit(WHOLE)),
            },
        };
        self.enter(At::Sprint(unit));
        let lines = LineRange::line(self.number);
        let (label, name) = (label.to_owned(), name.to_owned());
        if let Some(unit) = self.plan.units.get_mut(unit) {
            unit.sprints.push(Sprint { label, name, added, lines, ..Sprint::default() });
        }
    }

    fn sprint(&mut self) -> Option<&mut Sprint> {
        match self.at {
            At::Sprint(unit) => self.plan.units.get_mut(unit)?.sprints.last_mut(),
            At::Plan | At::Table(_) | At::Unit(_) => None,
        }
    }

    fn within_fence(&mut self, line: &str) {
        match &self.open {
            _ if line.trim().is_empty() => self.blank(line),
            Some(open) => {
                let columns = open.base + open.width;
                self.push(&line::dedent(line, columns));
            }
            None => self.add_note(line),
        }
    }

    fn blank(&mut self, line: &str) {
        match (&mut self.open, &mut self.blanks) {
            (Some(open), _) => open.blanks += 1,
            (None, Some(blanks)) => {
                blanks.push_str(line);
                blanks.push('\n');
            }
            (None, None) => {}
        }
    }

    fn note(&mut self, line: &str) {
        let within = match self.at {
            At::Plan | At::Table(_) => Within::Plan,
            At::Unit(_) | At::Sprint(_) => Within::Unit,
        };
        match line::unguarded(line, within) {
            Some(bare) => self.add_note(&bare),
            None => {
                self.fence = line::opens(line).map(|fence| (fence, self.number));
                self.add_note(line);
            }
        }
    }

    fn add_note(&mut self, line: &str) {
        let blanks = self.blanks.replace(String::new());
        let notes = match self.at {
            At::Plan | At::Table(_) => Some(&mut self.plan.notes),
            At::Unit(unit) => self.plan.units.get_mut(unit).map(|unit| &mut unit.notes),
            At::Sprint(_) => self.sprint().map(|sprint| &mut sprint.notes),
        };
        let Some(notes) = notes else { return };
        if !notes.is_empty() {
            notes.push('\n');
            notes.push_str(blanks.as_deref().unwrap_or("\n"));
        }
        notes.push_str(line);
    }

    fn remark(&mut self, weight: Weight, code: Code, expected: &str, got: &str) {
        let lines = LineRange::line(self.number);
        self.remarks.push(Remark::on(weight, code, lines, expected, got.trim()));
    }

    fn finish(mut self) -> Read {
        if let Some(((mark, count), line)) = self.fence {
            self.number = line;
            let mark = String::from(char::from(mark)).repeat(count);
            let expected = format!("a line `{mark}` that closes the fence");
            self.remark(Weight::Fault, Code::Syntax, &expected, "the end of the document");
        }
        self.enter(At::Plan);
        self.compare();
        self.remarks.sort_by_key(Remark::place);
        Read { plan: self.plan, remarks: self.remarks }
    }
}
