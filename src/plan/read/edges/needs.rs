//! What a sprint needs, where that may be somebody of the plan or something else: "Needs: Core", "Needs: 2 hours".

use super::super::super::mention::{Speaker, mentions};
use super::super::super::model::{Origin, Plan, Weight, unit_of};
use super::super::body::Body;
use super::super::units::Own;
use super::super::waits;
use super::Edges;
use crate::vocab::error::{Code, clip};
use std::ops::Range;

impl Edges<'_, '_> {
    /// "Blocks: Web sprint 1": the edge turned round. Read last, since a sprint that others name says nothing by that.
    pub(super) fn turned(&mut self, plan: &Plan, bodies: &[Body], own: &[Own]) {
        for one in own {
            one.body.held.iter().for_each(|range| self.blocks(range, &one.id));
        }
        for (sprint, body) in self.paired(plan, bodies) {
            for range in &body.held {
                self.blocks(range, &sprint.id);
            }
        }
    }

    /// Reads a text that says who waits for `from`.
    pub(super) fn blocks(&mut self, range: &Range<usize>, from: &str) {
        let text = self.reader.outline.source(range);
        let sprint = self.names.place(from);
        let speaker = Speaker { unit: Some(unit_of(from)), sprint, brief: true };
        let mut found = mentions(text, &self.names, speaker);
        self.within_units(text, &mut found);
        let worded = waits::worded(text, &found, &self.names);
        found.extend(worded);
        self.remember(range, speaker, &found);
        let line = self.reader.outline.line(range.start);
        for one in &found {
            match &one.id {
                Some(to) => self.add(from, to, Origin::Field, line),
                None => self.mention(one, range.start, from, Origin::Field),
            }
        }
        if found.is_empty() && !waits::is_free(text) {
            let expected = "the name of a unit or sprint of this plan, or `none`";
            let got = format!("`{}`, which waits for nothing", clip(text.trim(), 80));
            let (weight, code) = (Weight::Warning, Code::DependencyUnknown);
            self.reader.remark(weight, code, range.clone(), expected, &got);
        }
    }

    /// Reads a text that may name whom `to` waits for. `order` is that the words before it say nothing else.
    pub(super) fn needs(&mut self, range: &Range<usize>, to: &str, order: bool) {
        let text = self.reader.outline.source(range);
        if waits::only_names(text, &self.names) {
            self.text(range, to, Origin::Field);
            return;
        }
        let sprint = self.names.place(to);
        let speaker = Speaker { unit: Some(unit_of(to)), sprint, brief: false };
        let mut found = mentions(text, &self.names, speaker);
        self.within_units(text, &mut found);
        let worded = waits::worded(text, &found, &self.names);
        found.extend(worded);
        for one in &found {
            self.mention(one, range.start, to, Origin::Field);
        }
        if found.is_empty() && order && !waits::is_free(text) {
            let expected = "the name of a unit or sprint of this plan, or `none`";
            let got = format!("`{}`, not waited for", clip(text.trim(), 80));
            let (weight, code) = (Weight::Warning, Code::DependencyUnknown);
            self.reader.remark(weight, code, range.clone(), expected, &got);
        }
    }
}
