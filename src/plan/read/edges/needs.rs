//! What a sprint needs, where that may be somebody of the plan or something else: "Needs: Core", "Needs: 2 hours".

use super::super::super::mention::{Speaker, mentions};
use super::super::super::model::{Origin, Weight, unit_of};
use super::super::waits;
use super::Edges;
use crate::vocab::error::{Code, clip};
use std::ops::Range;

impl Edges<'_, '_> {
    /// Reads a text that may name whom `to` waits for. `order` is that the words before it say nothing else.
    pub(super) fn needs(&mut self, range: &Range<usize>, to: &str, order: bool) {
        let text = self.reader.outline.source(range);
        if waits::only_names(text, &self.names) {
            return self.text(range, to, Origin::Field);
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
