//! What a command is to print or do, where the document says it behind the command.

use super::super::super::classify;
use super::super::super::model::{Check, Expectation, PlanCriterion};
use super::super::super::outline::spans;
use super::super::tables::tidy;
use super::Walk;

impl Walk<'_, '_> {
    /// What the last command is to do.
    pub(super) fn expect(&mut self, output: &str) {
        if let Some(Check::Command { expect, .. }) = self.last_command().map(|one| &mut one.check)
            && !output.is_empty()
        {
            let text = output.to_owned();
            *expect = match text.bytes().all(|byte| byte.is_ascii_digit()) {
                true => Expectation::Exactly { text },
                false => Expectation::Output { text },
            };
        }
    }

    /// The same in words: a number, a code span, or what the sentence about a command could say. Others
    /// are left with the command to whoever judges.
    pub(super) fn expect_words(&mut self, words: &str) {
        let bare = tidy(words);
        let whole =
            matches!(spans(words).as_slice(), [(1, code)] if code.len() + 2 == words.trim().len());
        if whole || !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit()) {
            return self.expect(&bare);
        }
        let Some(one) = self.last_command() else { return };
        let text = format!("{} {words}", one.text);
        one.check = match classify::check(&text) {
            check @ Check::Command { .. } => check,
            _ => classify::check(&format!("{} → {words}", one.text)),
        };
        one.text = match &one.check {
            Check::Command { .. } => text,
            _ => format!("{} → {words}", one.text),
        };
    }

    fn last_command(&mut self) -> Option<&mut PlanCriterion> {
        let mut all = self.body.exit.iter_mut().rev();
        all.find(|one| matches!(one.check, Check::Command { .. }))
    }
}
