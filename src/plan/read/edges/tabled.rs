//! Columns "Dependencies" of tables of units and of sprints, and tables of layers.

use super::super::super::mention::{Speaker, mentions};
use super::super::super::model::{Origin, Plan, Weight};
use super::super::tables::{
    self, SprintRow, WaitingRow, holding_rows, layer_rows, sprint_rows, waiting_rows,
};
use super::Edges;
use crate::vocab::error::{Code, clip};
use std::collections::BTreeSet;
use std::ops::Range;

impl Edges<'_, '_> {
    /// Columns "Dependencies" of tables of units and of sprints.
    pub(super) fn tables(&mut self, plan: &mut Plan) {
        let sheets = self.reader.sheets.clone();
        for sheet in sheets.iter() {
            if tables::is_units(sheet) {
                self.units(waiting_rows(sheet), tables::is_of_units(sheet));
            } else if let Some(rows) = sprint_rows(sheet) {
                for row in rows {
                    self.row(plan, &row);
                }
            } else {
                self.units(waiting_rows(sheet), false);
            }
            for (name, range) in holding_rows(sheet) {
                if let Some(from) = self.names.unit(&name).map(str::to_owned) {
                    self.blocks(&range, &from);
                }
            }
            for (layer, range) in layer_rows(sheet) {
                self.layer_row(plan, layer, &range);
            }
        }
    }

    /// The rows of a table of units: what each is called, where, and the cell that says whom it waits for. Where none
    /// is a unit of the plan, the table is about something else, unless its head is `plain`.
    fn units(&mut self, rows: Vec<WaitingRow>, plain: bool) {
        let number = |name: &str| {
            let last = name.rsplit(' ').next()?;
            last.bytes().all(|byte| byte.is_ascii_digit()).then(|| self.names.unit(last))?
        };
        let known = |name: &str| self.names.unit(name).or_else(|| number(name)).map(str::to_owned);
        let rows: Vec<_> = rows.into_iter().map(|row| (known(&row.0), row)).collect();
        if !plain && rows.iter().all(|(id, _)| id.is_none()) {
            return;
        }
        for (id, (name, at, depends)) in rows {
            let Some(depends) = depends else { continue };
            let said = tables::said(self.reader.outline.source(&depends));
            match id {
                Some(id) => self.column(&depends, &id),
                None if (said || plain) && !self.is_listed(&at) && !tables::is_total(&name) => {
                    let expected = "the name of a unit of this plan";
                    let got = format!("`{}`, for which nobody waits", clip(&name, 80));
                    self.reader.remark(Weight::Warning, Code::PlanDisagrees, at, expected, &got);
                }
                None => {}
            }
        }
    }

    /// Whether a row was told to be a unit without sprints.
    fn is_listed(&self, at: &Range<usize>) -> bool {
        let (line, column) = self.reader.outline.place(at.start);
        let mut all = self.reader.remarks.iter();
        all.any(|one| (one.line, one.column) == (line, column) && one.code == Code::PlanDisagrees)
    }

    /// A row that adds to a sprint which is described elsewhere.
    fn row(&mut self, plan: &mut Plan, row: &SprintRow) {
        let speaker = Speaker { unit: None, sprint: None, brief: true };
        let found = mentions(&row.label, &self.names, speaker);
        let Some(id) = found.first().and_then(|one| one.id.clone()) else { return };
        if let Some(depends) = &row.depends {
            self.column(depends, &id);
        }
        let Some(range) = &row.priority else { return };
        let lines = self.reader.outline.lines(range);
        let mut sprints = plan.units.iter_mut().flat_map(|unit| &mut unit.sprints);
        if let Some(sprint) = sprints.find(|one| one.id == id) {
            let text = self.reader.outline.source(range);
            sprint.priority.get_or_insert_with(|| super::super::items::priority(text, lines));
        }
    }

    fn column(&mut self, range: &Range<usize>, to: &str) {
        self.text(range, to, Origin::Column);
        let said = self.reader.outline.source(range);
        if tables::said(said) || said.to_lowercase().contains("none") {
            self.spoken.insert(to.to_owned());
        }
    }

    fn layer_row(&mut self, plan: &mut Plan, layer: u32, range: &Range<usize>) {
        let text = self.reader.outline.source(range);
        let speaker = Speaker { unit: None, sprint: None, brief: true };
        let found = mentions(text, &self.names, speaker);
        self.remember(range, speaker, &found);
        let ids: BTreeSet<String> = found.into_iter().filter_map(|one| one.id).collect();
        let sprints = plan.units.iter_mut().flat_map(|unit| &mut unit.sprints);
        sprints
            .filter(|one| ids.contains(&one.id))
            .for_each(|one| one.layer = one.layer.or(Some(layer)));
    }
}
