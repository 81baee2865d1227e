//! What the run that proposes hears, what the user is asked, and what others are told of what was taken.

use super::{Asked, PROPOSER, Proposal, names};
use crate::mission::proof::basis;
use crate::mission::template::{Fields, fields, pages, render, rows};
use crate::mission::{Protocol, ask};
use crate::vocab::question::Question;
use crate::vocab::text::{escaped, one_line};

pub(super) fn prompt(proposal: &Proposal, protocol: &dyn Protocol, base: Option<&str>) -> String {
    let names = names(&proposal.asked);
    let criteria = names.iter().zip(&proposal.asked).map(|(id, one)| {
        fields! { id: id.as_str(), name: basis::titled(protocol, &one.item, &one.criterion) }
    });
    let told = fields! {
        anchor: protocol.mission(),
        base: base.unwrap_or("none"),
        criteria: rows(criteria.collect::<Vec<_>>()),
    };
    let example = include_str!("prompts/check-proposer.json");
    let form = proposal.consult.form(&PROPOSER, protocol.mission(), &names, example);
    render(pages!("check-proposer"), &told) + &form
}

pub(super) fn question(proposal: &Proposal, protocol: &dyn Protocol) -> Question {
    let said = proposal.asked.iter().filter(|one| !one.reason.is_empty());
    let rows_said: Vec<Fields> = said.map(|one| row(protocol, one)).collect();
    let problem = proposal.consult.problem.as_ref().map(|one| fields! { what: one.to_string() });
    let beyond = proposal.words.saturating_sub(proposal.asked.len());
    let mut question = ask::proof(&fields! {
        words: proposal.words,
        criteria: proposal.criteria,
        problem: problem,
        asked: !rows_said.is_empty(),
        rows: rows(rows_said),
        more: (beyond > 0).then(|| fields! { number: beyond }),
        proposed: proposal.asked.iter().any(|one| !one.argv.is_empty()),
    });
    // The last line may be the end of a list.
    question.text.truncate(question.text.trim_end().len());
    question
}

/// A criterion with what is proposed for it, each on a line of its own, so that none can be taken for another.
fn row(protocol: &dyn Protocol, one: &Asked) -> Fields {
    let proposed = Some(one).filter(|one| !one.argv.is_empty());
    fields! {
        name: basis::titled(protocol, &one.item, &one.criterion),
        command: proposed.map(|one| fields! { line: command(one) }),
        reason: escaped(&one_line(&one.reason)),
    }
}

pub(super) fn told(taken: &[&Asked]) -> String {
    let commands = taken.iter().map(|one| {
        let name = [one.item.as_str(), &one.criterion].join(" ");
        fields! { name: name.trim().to_owned(), command: command(one) }
    });
    render(pages!("told"), &fields! { commands: rows(commands.collect::<Vec<_>>()) })
}

/// Every word of it, as a shell would have to be told it.
fn command(one: &Asked) -> String {
    let words = one.argv.iter().map(String::as_str);
    shlex::try_join(words).unwrap_or_else(|_| one.argv.join(" "))
}
