//! What happened, in plain words: one line per thing. Compares the state before and after each event,
//! so that it says what an event led to and not only that it came.

use super::state;
use endstate::Engine;
use endstate::protocols::completion::files::words::Word;
use endstate::protocols::completion::state::State;
use endstate::vocab::effect::{Effect, Observe, Order};
use endstate::vocab::error::clip;
use endstate::vocab::event::{EffectId, Event, Fact, Outcome, RunOutcome};
use endstate::vocab::json;
use std::collections::BTreeMap;

/// One line.
pub(crate) struct Said {
    /// Worth a line while a mission runs; the others only stand in the journal.
    pub(crate) loud: bool,
    pub(crate) text: String,
}

/// Tells a mission event by event.
#[derive(Default)]
pub(crate) struct Narrator {
    orders: BTreeMap<EffectId, Order>,
    before: Tally,
}

/// What is compared.
#[derive(Clone, Default, PartialEq)]
struct Tally {
    refused: u64,
    adopted_edits: u64,
    rejected_edits: u64,
    judgements: usize,
    slices: BTreeMap<String, (String, bool)>,
    claim: Option<(String, String)>,
    review: Option<(String, bool)>,
    audit: Option<(String, bool)>,
    must_fix: Vec<String>,
    reground: Option<String>,
    grounds: Vec<String>,
    correcting: bool,
    verified_at: Option<String>,
    blocked: Option<String>,
    problem: Option<String>,
    done: bool,
}

impl Tally {
    fn of(state: &State) -> Tally {
        let core = &state.core;
        let active = core.active.as_ref();
        let acceptable = |one: &endstate::vocab::ledger::Judgement| {
            (one.by.run.to_string(), one.must_fix.is_empty())
        };
        Tally {
            refused: core.counts.refused_reports,
            adopted_edits: core.counts.adopted_edits,
            rejected_edits: core.counts.rejected_edits,
            judgements: core.wave.judgements.len(),
            slices: state
                .slices
                .iter()
                .map(|slice| {
                    let status = slice.status.as_str().to_owned();
                    (slice.slice_id.clone(), (status, slice.closed()))
                })
                .collect(),
            claim: active.and_then(|active| {
                active.claim.as_ref().map(|one| (active.slice_id.clone(), one.commit.clone()))
            }),
            review: active.and_then(|active| active.review.as_ref()).map(acceptable),
            audit: active.and_then(|active| active.audit.as_ref()).map(acceptable),
            must_fix: active.map(|active| active.must_fix.clone()).unwrap_or_default(),
            reground: core.reground.as_ref().map(|one| word(&one.reason)),
            grounds: core.reground.as_ref().map(|one| one.details.clone()).unwrap_or_default(),
            correcting: core.correction.is_some(),
            verified_at: core.wave.verified_at.clone(),
            blocked: core.blocked.as_ref().map(ToString::to_string),
            problem: core.last_problem.as_ref().map(ToString::to_string),
            done: core.done.is_some(),
        }
    }
}

fn word(value: &impl serde::Serialize) -> String {
    json::encode(value).trim_matches('"').replace('_', " ")
}

/// The first digits of a commit id.
pub(crate) fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

/// A role without its protocol's prefix.
pub(crate) fn plain_role(role: &str) -> &str {
    role.strip_prefix("completion-").unwrap_or(role)
}

/// Who does what, in words.
pub(crate) fn order(order: &Order) -> String {
    match order {
        Order::SpawnRole(spawn) => match &spawn.item {
            Some(item) => format!("the {} of {item}", plain_role(&spawn.role)),
            None => format!("the {}", plain_role(&spawn.role)),
        },
        Order::StopRole(stop) => format!("to stop run {}", stop.run),
        Order::AskUser(question) => format!("the question: {}", clip(&question.text, 300)),
        Order::AppendHistory(append) => format!("to append to {}", append.path),
        Order::WriteFile(write) => format!("to write {}", write.path),
        Order::CommitFiles(commit) => format!("to commit {}", commit.paths.join(", ")),
        Order::RunCommand(command) => {
            format!("the {} (`{}`)", command.purpose, command.argv.join(" "))
        }
        Order::Observe(Observe::Repository { .. }) => "a look at the repository".to_owned(),
        Order::Observe(Observe::Documents { .. }) => "a look at documents".to_owned(),
        Order::SetTimer(timer) => format!("the timer {}", timer.name),
        Order::Consult(consult) => format!("host code {}", consult.handler),
        Order::Notify(notice) => notice.text.clone(),
    }
}

impl Narrator {
    /// For a mission as it stands.
    pub(crate) fn of(engine: &Engine) -> Narrator {
        let pending = engine.pending().into_iter();
        Narrator {
            orders: pending.map(|one| (one.effect.id, one.effect.order)).collect(),
            before: Tally::of(state::of(engine)),
        }
    }

    /// The event that led to this engine, and what it changed.
    pub(crate) fn tell(&mut self, engine: &Engine, event: &Event, effects: &[Effect]) -> Vec<Said> {
        let mut said = vec![self.fact(&event.fact)];
        for effect in effects {
            self.orders.insert(effect.id, effect.order.clone());
        }
        let now = Tally::of(state::of(engine));
        let loud = |text: String| Said { loud: true, text };
        said.extend(self.changes(&now, engine).into_iter().map(loud));
        for effect in effects {
            match &effect.order {
                Order::AskUser(question) => {
                    said.extend(state::ask(effect.id, question).into_iter().map(loud));
                }
                Order::Notify(notice) => said.push(loud(notice.text.clone())),
                _ => {}
            }
        }
        self.before = now;
        said
    }

    fn subject(&self, id: EffectId) -> String {
        self.orders.get(&id).map_or_else(|| format!("effect {id}"), order)
    }

    fn fact(&self, fact: &Fact) -> Said {
        let (loud, text) = match fact {
            Fact::UserCommanded(fact) => (true, format!("you: {}", json::encode(&fact.command))),
            Fact::RunStarted(fact) => {
                (true, format!("{} starts (run {})", self.subject(fact.effect), fact.effect))
            }
            Fact::RunProgressed(fact) => {
                let last = fact.entries.last().map(|entry| entry.text.as_str()).unwrap_or_default();
                (false, format!("{}: {}", self.subject(fact.effect), clip(last, 200)))
            }
            Fact::RunEnded(fact) => self.ended(fact),
            Fact::CommandExited(fact) => {
                let how = match (fact.status, &fact.problem) {
                    (Some(status), _) => format!("exited with {status}"),
                    (None, Some(problem)) => format!("gave no status: {problem}"),
                    (None, None) => "gave no status".to_owned(),
                };
                (true, format!("{} {how}", self.subject(fact.effect)))
            }
            Fact::RepositoryObserved(fact) => {
                let seen = &fact.repository;
                let head = seen.head.as_deref().map_or("no commit", short);
                let dirty = match seen.dirty.len() {
                    0 => "clean".to_owned(),
                    count => format!("{count} dirty paths"),
                };
                (false, format!("looked at the repository: {head}, {dirty}"))
            }
            Fact::DocumentsObserved(_) => (false, "looked at documents".to_owned()),
            Fact::QuestionAnswered(fact) => {
                (true, format!("you answer {}: {}", fact.effect, json::encode(&fact.answer)))
            }
            Fact::Consulted(fact) => (false, format!("{} answered", self.subject(fact.effect))),
            Fact::TimerFired(fact) => (false, format!("{} came due", self.subject(fact.effect))),
            Fact::EffectPerformed(fact) => match &fact.outcome {
                Outcome::Commit { head, files } => {
                    let text =
                        format!("{} contract files committed as {}", files.len(), short(head));
                    (true, text)
                }
                Outcome::File { .. } | Outcome::Nothing => {
                    (false, format!("done: {}", self.subject(fact.effect)))
                }
            },
            Fact::EffectFailed(fact) => {
                (true, format!("failed: {}. {}", self.subject(fact.effect), fact.problem))
            }
            Fact::HostRecovered(fact) => (true, format!("the driver came back: {}", fact.note)),
        };
        Said { loud, text }
    }

    fn ended(&self, fact: &endstate::vocab::event::RunEnded) -> (bool, String) {
        let who = self.subject(fact.effect);
        match (&fact.problem, fact.outcome) {
            (Some(problem), _) => (true, format!("{who} failed. {problem}")),
            (None, RunOutcome::Success) => (false, format!("{who} has reported")),
            (None, outcome) => (true, format!("{who} ended: {}", word(&outcome))),
        }
    }

    fn changes(&self, now: &Tally, engine: &Engine) -> Vec<String> {
        let before = &self.before;
        let mut lines = Vec::new();
        if now.refused > before.refused {
            let how = match now.correcting && !before.correcting {
                true => "malformed; the same role is asked to mend it",
                false => "refused",
            };
            let why = now.problem.clone().unwrap_or_default();
            lines.push(format!("a report was {how}. {why}"));
        }
        if now.adopted_edits > before.adopted_edits {
            lines.push("a hand edit was adopted".to_owned());
        }
        if now.rejected_edits > before.rejected_edits {
            lines.push("a hand edit was kept aside in .agent/tmp/".to_owned());
        }
        self.slices(now, engine, &mut lines);
        if let Some((id, commit)) = now.claim.as_ref().filter(|_| now.claim != before.claim) {
            lines.push(format!("{id} is claimed, with evidence, at {}", short(commit)));
        }
        for (what, was, is) in
            [("review", &before.review, &now.review), ("audit", &before.audit, &now.audit)]
        {
            if let Some((run, fine)) = is.as_ref().filter(|_| was != is) {
                let word = if *fine { "holds" } else { "does not hold" };
                lines.push(format!("the {what} (run {run}) finds that the slice {word}"));
            }
        }
        if now.judgements > before.judgements {
            let needed = state::of(engine).core.profile.required_stop_judges;
            lines.push(format!("a stop judge says yes ({} of {needed})", now.judgements));
        }
        if let Some(reason) = now.reground.as_ref().filter(|_| now.reground != before.reground) {
            let grounds = now.grounds.iter().take(3).cloned().collect::<Vec<_>>().join("; ");
            lines.push(format!(
                "the plan must be grounded anew ({reason}): {}",
                clip(&grounds, 400)
            ));
        }
        if now.verified_at.is_some() && now.verified_at != before.verified_at {
            lines.push("the stop verifier holds at this head".to_owned());
        }
        if let Some(why) = now.blocked.as_ref().filter(|_| now.blocked != before.blocked) {
            lines.push(format!("blocked. {why}"));
        }
        if now.done && !before.done {
            lines.push("the mission is done".to_owned());
        }
        lines
    }

    fn slices(&self, now: &Tally, engine: &Engine, lines: &mut Vec<String>) {
        for (id, (status, closed)) in &now.slices {
            let slice = state::of(engine).slices.get(id);
            let goal = slice.map(|slice| slice.goal.clone()).unwrap_or_default();
            match self.before.slices.get(id) {
                None => lines.push(format!("{id} is planned: {}", clip(&goal, 200))),
                Some((_, true)) if !closed => lines.push(format!("{id} is open again")),
                Some((_, false)) if *closed => {
                    let commit = slice.and_then(|slice| slice.closed.as_ref());
                    let at =
                        commit.map_or(String::new(), |one| format!(" at {}", short(&one.commit)));
                    lines.push(format!("{id} is {status}{at}"));
                }
                Some((was, _)) if was != status && status != "in_progress" => {
                    lines.push(format!("{id} is {status}"));
                }
                Some(_) => {}
            }
        }
        let reopened = now.claim.is_none() && self.before.claim.is_some();
        let (id, _) = self.before.claim.clone().unwrap_or_default();
        let still_open = now.slices.get(&id).is_some_and(|(_, closed)| !closed);
        if reopened && still_open && !now.must_fix.is_empty() {
            let findings = clip(&now.must_fix.join("; "), 400);
            lines.push(format!("{id} is reopened; to be fixed: {findings}"));
        }
    }
}
