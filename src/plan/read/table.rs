//! The two tables of a plan. What they say but for names, directories and dependencies is derived, and compared.

use super::super::{line, order, write};
use super::{Code, LineRange, Reader, Remark, Weight};

/// A table, and what its next row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Table {
    Units,
    Summary,
}

impl Reader {
    pub(super) fn row(&mut self, table: Table, text: &str) {
        self.blanks = None;
        let cells = line::cells(text).unwrap_or_default();
        let columns: &[&str] = match table {
            Table::Units => &write::UNITS,
            Table::Summary => &write::SUMMARY,
        };
        let is_rule =
            |cell: &String| cell.contains('-') && cell.trim_matches([':', '-']).is_empty();
        if cells.iter().map(String::as_str).eq(columns.iter().copied()) {
            self.tables.insert(table);
        } else if cells.len() != columns.len() || !self.tables.contains(&table) {
            let expected = format!("a row of the table | {} |", columns.join(" | "));
            self.remark(Weight::Fault, Code::Syntax, &expected, text);
            self.note(text);
        } else if !cells.iter().all(is_rule) {
            match table {
                Table::Units => self.unit_row(&cells, text),
                Table::Summary => self.metric(&cells, text),
            }
        }
    }

    fn unit_row(&mut self, cells: &[String], text: &str) {
        let [name, directory, _, _, dependencies] = cells else { return };
        let known = self.names.get(name).copied();
        if known.is_some_and(|at| self.rows.contains_key(&at)) {
            self.remark(Weight::Fault, Code::DuplicateId, "one row for each work unit", name);
            return self.note(text);
        }
        let at = known.unwrap_or_else(|| self.unit(name));
        if let Some(unit) = self.plan.units.get_mut(at) {
            unit.directory = match directory.as_str() {
                "." => String::new(),
                other => line::unquoted(other),
            };
            unit.depends_on = line::list(dependencies);
        }
        self.rows.insert(at, (self.number, cells.to_vec()));
    }

    fn metric(&mut self, cells: &[String], text: &str) {
        let [metric, value] = cells else { return };
        if ["Work units", "Total sprints", "Dependency structure"].contains(&metric.as_str()) {
            self.metrics.push((self.number, metric.clone(), value.clone()));
        } else {
            self.note(text);
        }
    }

    /// Compares what the tables say with what the plan is.
    pub(super) fn compare(&mut self) {
        let mut differ = Vec::new();
        for (place, (unit, is)) in self.plan.units.iter().zip(write::rows(&self.plan)).enumerate() {
            let name = &unit.name;
            match self.rows.get(&place) {
                Some((number, said)) => {
                    let parts =
                        [(2, format!("{} sprints", is[2])), (3, format!("layer {}", is[3]))];
                    for (column, expected) in parts.iter().filter(|one| said[one.0] != is[one.0]) {
                        let got = said[*column].clone();
                        differ.push((*number, format!("{expected} of `{name}`"), got));
                    }
                }
                None if self.tables.contains(&Table::Units) => {
                    let expected = "a row in the table of work units".to_owned();
                    differ.push((unit.lines.first, expected, format!("no row for `{name}`")));
                }
                None => {}
            }
        }
        let is = write::summary(&self.plan, &order::layers(&self.plan));
        for (number, metric, said) in &self.metrics {
            let other = is.iter().filter(|(name, value)| name == metric && value != said);
            let told =
                other.map(|(_, value)| (*number, format!("{metric}: {value}"), said.clone()));
            differ.extend(told);
        }
        self.remarks.extend(differ.into_iter().map(|(line, expected, got)| {
            Remark::on(Weight::Fault, Code::PlanDisagrees, LineRange::line(line), expected, got)
        }));
    }
}
