//! What only words show, asked about before the work: a read-only run ([`consult`]) proposes a command for each such criterion, and
//! the user says once what is to count.
//!
//! Nothing that was proposed is run before the user took it. A command that was taken shows its criterion where it did not hold before
//! the work and holds at the end; one that held before shows nothing, and one that does not hold leaves the criterion claimed.

mod page;
mod read;

pub use read::{ProposalReport, ProposedCommand, SCHEMA};

use super::basis::{Showing, Showings};
use super::consult::{self, Consult};
use super::{Proof, ProofConfig, Rooms};
use crate::mission::guard::Guard;
use crate::mission::role::Cast;
use crate::mission::{Control, Head, Intent, Protocol, head_guard, report};
use crate::vocab::budget::Counter;
use crate::vocab::command::Accept;
use crate::vocab::effect::{Order, Outstanding};
use crate::vocab::error::Result;
use crate::vocab::event::Fact;
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::question::Answer;
use crate::vocab::role::{Access, Tier};
use crate::vocab::shown::CommandLine;
use crate::vocab::table::map_of;
use read::read;
use schemars::JsonSchema;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The role.
const PROPOSER: Cast =
    Cast { name: "check-proposer", schema: SCHEMA, access: Access::ReadOnly, tier: Tier::Large };
/// The topic of the question.
const TOPIC: &str = "proof";
/// How long a command that was proposed may take: ten minutes.
const LONGEST_MS: u64 = 600_000;
/// The most criteria that commands are proposed for.
const MOST_ASKED: usize = 40;

/// How far the question is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProofProposal")]
pub struct Proposal {
    /// How many criteria are declared.
    pub criteria: usize,
    /// How many of them only words show.
    pub words: usize,
    /// The first of these, each with what is proposed for it; after the answer, with what the user took.
    pub asked: Vec<Asked>,
    /// The run that proposes.
    pub consult: Consult<ProposalReport>,
    /// The user has said what is to count.
    pub answered: bool,
}

/// A criterion that only words show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProposalCriterion")]
pub struct Asked {
    /// Its item; blank for the mission.
    pub item: String,
    /// Its id.
    pub criterion: String,
    /// The command, as program and arguments; none where nobody proposed one, or the user did not take it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// Why it shows the criterion, or why no command does, in the words of the run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// Whether an order is that of the run that proposes.
pub(super) fn is_run(order: &Order) -> bool {
    matches!(order, Order::SpawnRole(spawn) if spawn.role == PROPOSER.name)
}

/// Whether an order is the question.
pub(super) fn is_question(order: &Order) -> bool {
    matches!(order, Order::AskUser(question) if question.topic == TOPIC)
}

/// Whether something that was ordered is the question, the run, or a look at the tree around it.
pub(super) fn is_ours(proof: &Proof, one: &Outstanding) -> bool {
    let order = &one.effect.order;
    let looks = || proof.proposal.as_ref().is_some_and(|proposal| proposal.consult.is_look(one));
    is_run(order) || is_question(order) || looks()
}

/// Whether the question is with the user.
pub(crate) fn asks(head: &Head) -> bool {
    head.awaits(is_question)
}

/// Whether an answer lets a judge's word count: it lowers what is enough, so nobody says it who may be at work.
pub(crate) fn accepts_judges(answer: &Answer) -> bool {
    matches!(answer, Answer::Choice { option } if ["take_and_judge", "judge"].contains(&option.as_str()))
}

/// How the criteria are named to the run.
fn names(asked: &[Asked]) -> Vec<String> {
    (1..=asked.len()).map(|at| format!("WORDS-{at}")).collect()
}

/// Whether the report of a run could be read; see [`crate::check_report`].
pub(super) fn check_report(proof: &Proof, mission: &str, text: &str) -> Result<Vec<String>> {
    let asked = proof.proposal.as_ref().map_or(&[][..], |proposal| &proposal.asked);
    let (_, unknown) = read(mission, text, &names(asked))?;
    Ok(report::notes(mission, text, report::ignored(&unknown)))
}

/// What is ordered in the place of the first run that may write, while the user is to say what is to count: nothing that works in
/// the tree. Answers with what held the orders back, if it held all of them.
pub(crate) fn hold(
    head: &mut Head,
    protocol: &dyn Protocol,
    orders: &mut Vec<Intent>,
) -> Option<&'static str> {
    let writes = |one: &Intent| matches!(&one.order, Order::SpawnRole(spawn) if spawn.access == Access::Write);
    let under_way = head.outbox.iter().any(|one| is_ours(&head.proof, one));
    if !orders.iter().any(writes) || !(under_way || begins(head, protocol)) {
        return None;
    }
    let asked = head.awaits(|order| matches!(order, Order::AskUser(_)));
    let next = if under_way { None } else { next(head, protocol, asked) };
    // Where nobody can be asked the work goes on.
    if next.is_none() && !under_way && !asked {
        return None;
    }
    head_guard::keep_quiet(orders);
    let held = orders.is_empty();
    orders.extend(next);
    let guard = match orders.last() {
        Some(Intent { order: Order::AskUser(_), .. }) => Guard::QuestionOpen,
        _ => Guard::WaitingForAnswer,
    };
    held.then(|| guard.name())
}

/// Whether there is something to be asked that the user has not said yet. Without any criterion it is too early to know.
fn begins(head: &mut Head, protocol: &dyn Protocol) -> bool {
    if head.proof.config.accept != Accept::Ask || head.budget.left(Counter::Questions) == 0 {
        return false;
    }
    if head.proof.proposal.is_none() {
        let Showings { criteria, .. } = protocol.showings();
        if criteria.is_empty() {
            return false;
        }
        let words = criteria.iter().filter(|one| one.is_words());
        let asked = words.clone().take(MOST_ASKED).map(Asked::new).collect();
        let (criteria, words) = (criteria.len(), words.count());
        // Where no command shows anything none is proposed.
        let over = head.proof.config.room == Rooms::InPlace;
        let (consult, answered) = (Consult { over, ..Consult::default() }, words == 0);
        head.proof.proposal = Some(Proposal { criteria, words, asked, consult, answered });
    }
    head.proof.proposal.as_ref().is_some_and(|proposal| !proposal.answered)
}

/// A look, the run, a look, and the question, unless the user is asked something else just now.
fn next(head: &mut Head, protocol: &dyn Protocol, asked: bool) -> Option<Intent> {
    let Head { proof, budget, seq, followed, .. } = head;
    let proposal = proof.proposal.as_ref()?;
    let Consult { over, failed, corrects, .. } = proposal.consult;
    if !over {
        let intent = match proposal.consult.looks_next() {
            true => consult::look(followed.head.clone(), None),
            false => {
                let prompt = page::prompt(proposal, protocol, followed.head.as_deref());
                consult::send(&PROPOSER, u64::from(failed) + 1, corrects, prompt)
            }
        };
        let intent = proof.proposal.as_mut()?.consult.order(*seq, budget, intent);
        if intent.is_some() {
            return intent;
        }
    }
    let may = !asked && budget.left(Counter::Questions) > 0;
    let proposal = proof.proposal.as_ref()?;
    may.then(|| Order::AskUser(page::question(proposal, protocol)).into())
}

/// Takes what came of the question, the run or a look around it.
pub(super) fn take(head: &mut Head, fact: &Fact, mission: &str) {
    let running = head.control == Control::Running;
    let Proof { proposal: Some(proposal), sessions, config, .. } = &mut *head.proof else { return };
    match fact {
        Fact::QuestionAnswered(fact) => return proposal.settle(config, &fact.answer),
        // The user stopped it, and it is sent again when they go on.
        Fact::RunEnded(fact) if !running && fact.report.is_none() => return,
        _ => {}
    }
    let names = names(&proposal.asked);
    let said = proposal.consult.take(fact, sessions, |text| Ok(read(mission, text, &names)?.0));
    for (name, one) in names.iter().zip(&mut proposal.asked) {
        let row = said.iter().flat_map(|said| &said.criteria).find(|row| row.criterion == *name);
        if let Some(row) = row {
            (one.argv, one.reason) = (row.argv.clone(), row.reason.clone());
        }
    }
}

impl Proposal {
    fn settle(&mut self, config: &mut Arc<ProofConfig>, answer: &Answer) {
        let Answer::Choice { option } = answer else { return };
        let accept = match accepts_judges(answer) {
            true => Accept::Judged,
            false => Accept::Observed,
        };
        *config = Arc::new(ProofConfig { accept, ..(**config).clone() });
        self.answered = true;
        if !option.starts_with("take") {
            self.asked.iter_mut().for_each(|one| one.argv.clear());
        }
    }

    /// What the user took.
    fn taken(&self) -> impl Iterator<Item = &Asked> {
        self.asked.iter().filter(|one| self.answered && !one.argv.is_empty())
    }
}

impl Asked {
    fn new(showing: &Showing) -> Asked {
        let (argv, reason) = Default::default();
        let Showing { item, criterion, .. } = showing;
        Asked { item: item.clone(), criterion: criterion.clone(), argv, reason }
    }
}

/// What a mission rests on, with the commands that the user took, and those that run once.
pub(crate) fn showings(proof: &Proof, protocol: &dyn Protocol) -> Showings {
    let mut all = protocol.showings();
    let once = proof.config.once.iter().enumerate();
    all.criteria
        .extend(once.map(|(at, argv)| Showing::of_mission(&format!("once {}", at + 1), argv)));
    let taken = proof.proposal.iter().flat_map(Proposal::taken);
    let taken: BTreeMap<(&str, &str), &Asked> =
        map_of(taken.map(|one| ((one.item.as_str(), one.criterion.as_str()), one)));
    if taken.is_empty() {
        return all;
    }
    for one in all.criteria.iter_mut().filter(|one| one.may_be_shown()) {
        if let Some(asked) = taken.get(&(one.item.as_str(), one.criterion.as_str())) {
            let (argv, within_ms) = (asked.argv.clone(), Some(LONGEST_MS));
            one.commands.push(CommandLine { argv, within_ms, ..CommandLine::default() });
            one.directory.clear();
            one.proposed = true;
        }
    }
    all
}

/// What a run is told of the commands that the user took for its item.
pub(crate) fn told(proof: &Proof, item: Option<&str>) -> Option<String> {
    let about = |one: &&Asked| item.is_none_or(|item| one.item.is_empty() || one.item == item);
    let taken: Vec<&Asked> =
        proof.proposal.iter().flat_map(Proposal::taken).filter(about).collect();
    (!taken.is_empty()).then(|| page::told(&taken))
}
