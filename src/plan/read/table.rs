//! The two tables of a plan. What they say but for names, directories and dependencies is derived, and compared.

use super::super::{line, order, write};
use super::{Code, LineRange, Reader, Remark, Weight};

/// A table, and what its next row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Table {
    Units,
    Summary,
}

/// What a row of the table of work units says that is derived.
#[derive(Debug)]
pub(super) struct Row {
    number: u32,
    sprints: String,
    layer: String,
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
        let [name, directory, sprints, layer, dependencies] = cells else { return };
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
        let (sprints, layer) = (sprints.clone(), layer.clone());
        self.rows.insert(at, Row { number: self.number, sprints, layer });
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
        let layers = order::layers(&self.plan);
        let mut differ = Vec::new();
        for (place, unit) in self.plan.units.iter().enumerate() {
            let Some(row) = self.rows.get(&place) else {
                if self.tables.contains(&Table::Units) {
                    let got = format!("no row for `{}`", unit.name);
                    differ.push((
                        unit.lines.first,
                        "a row in the table of work units".to_owned(),
                        got,
                    ));
                }
                continue;
            };
            let layer = layers.get(&unit.name).copied().unwrap_or(1);
            let counted = unit.sprints.len();
            if row.sprints != counted.to_string() {
                let expected = format!("{counted} sprints of `{}`", unit.name);
                differ.push((row.number, expected, row.sprints.clone()));
            }
            if row.layer != layer.to_string() {
                let expected = format!("layer {layer} of `{}`", unit.name);
                differ.push((row.number, expected, row.layer.clone()));
            }
        }
        for (metric, value) in write::summary(&self.plan, &layers) {
            let said = self.metrics.iter().filter(|(_, name, got)| name == metric && *got != value);
            differ.extend(
                said.map(|(number, name, got)| (*number, format!("{name}: {value}"), got.clone())),
            );
        }
        self.remarks.extend(differ.into_iter().map(|(line, expected, got)| {
            let lines = LineRange { first: line, last: line };
            Remark::on(Weight::Fault, Code::PlanDisagrees, lines, expected, got)
        }));
    }
}
