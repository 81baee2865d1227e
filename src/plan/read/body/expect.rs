//! What a command is to print or do, where the document says it behind the command.

use super::super::super::classify;
use super::super::super::model::{Check, PlanCriterion};
use super::super::super::outline::{spans, whole_span};
use super::super::super::shown::{self, Shown};
use super::super::tables::tidy;
use super::Walk;

impl Walk<'_, '_> {
    /// What the last command is to do. Where no output shows that, the verifier judges it with the command.
    pub(super) fn expect(&mut self, output: &str) {
        let Some(one) = self.last_command().filter(|_| !output.is_empty()) else { return };
        let code = match &one.check {
            Check::Command { command, .. } => Some(command.clone()),
            _ => whole_span(&one.text).filter(|code| classify::is_command(code)).map(str::to_owned),
        };
        match code.map(|code| shown::printing(&code, output)) {
            Some(Shown::By { command, expect }) => one.check = Check::Command { command, expect },
            Some(Shown::NotBy(_)) | None => {
                let output = output.split_whitespace().collect::<Vec<_>>().join(" ");
                one.text = format!("{} → {output}", one.text);
                one.check = classify::unshown(&one.text);
            }
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

    /// The last criterion that is a command, or a line of a fence that shows nothing by itself.
    fn last_command(&mut self) -> Option<&mut PlanCriterion> {
        let mut all = self.body.exit.iter_mut().rev();
        all.find(|one| {
            matches!(one.check, Check::Command { .. }) || whole_span(&one.text).is_some()
        })
    }
}
