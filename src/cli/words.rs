//! What happened, in plain words: one line per thing. Compares the state before and after each event,
//! so that it says what an event led to and not only that it came.

mod completion;

use super::state;
use completion::Details;
use endstate::view::{Node, NodeState, View};
use endstate::vocab::effect::{Effect, Notify, Observe, Order};
use endstate::vocab::error::{Code, clip};
use endstate::vocab::event::{EffectId, Event, Fact, Outcome, Recovery, RunOutcome};
use endstate::vocab::json;
use endstate::{Continuation, Engine};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One line.
pub(crate) struct Said {
    /// Worth a line while a mission runs; the others only stand in the journal.
    pub(crate) loud: bool,
    pub(crate) text: String,
}

/// Tells a mission event by event.
pub(crate) struct Narrator {
    orders: BTreeMap<EffectId, Order>,
    before: View,
    details: Details,
    /// Notices that were ordered before anybody listened.
    unsaid: Vec<Notify>,
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
    role.split_once('-').map_or(role, |(_, name)| name)
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
        let pending = engine.pending();
        let notice = |order: &Order| match order {
            Order::Notify(notice) => Some(notice.clone()),
            _ => None,
        };
        Narrator {
            unsaid: pending.iter().filter_map(|one| notice(&one.effect.order)).collect(),
            orders: pending.iter().map(|one| (one.effect.id, one.effect.order.clone())).collect(),
            before: engine.view(),
            details: Details::of(engine),
        }
    }

    /// Whether a notice has not been said yet: most are, with the event that ordered them.
    pub(crate) fn unsaid(&mut self, notice: &Notify) -> bool {
        let place = self.unsaid.iter().position(|one| one == notice);
        place.map(|place| self.unsaid.remove(place)).is_some()
    }

    /// The event that led to this engine, and what it changed.
    pub(crate) fn tell(
        &mut self,
        engine: &Engine,
        event: &Event,
        effects: &[Arc<Effect>],
    ) -> Vec<Said> {
        let mut said = vec![self.fact(&event.fact)];
        for effect in effects {
            self.orders.insert(effect.id, effect.order.clone());
        }
        let now = engine.view();
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
        // Behind what led to it.
        if now.end.is_some() && self.before.end.is_none() {
            said.push(loud("the mission is done".to_owned()));
        }
        self.before = now;
        self.details = Details::of(engine);
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
            // Not a fault: what is there is looked at, kept aside, and only then replaced.
            Fact::EffectFailed(fact)
                if matches!(fact.problem.code, Code::ForeignWrite | Code::ForeignAppend) =>
            {
                let path = &fact.problem.at;
                let text = match fact.problem.code {
                    // An earlier mission may have written it as well: nothing of it goes.
                    Code::ForeignAppend => {
                        "holds what an earlier mission or somebody else wrote; it is read first, and stays where it is"
                    }
                    _ => "holds what somebody else wrote; it is read and kept aside first",
                };
                (true, format!("{path} {text}"))
            }
            Fact::EffectFailed(fact) => {
                (true, format!("failed: {}. {}", self.subject(fact.effect), fact.problem))
            }
            Fact::HostRecovered(fact) if fact.from == Recovery::Moved => (true, fact.note.clone()),
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

    /// What is different, in the words all protocols share, then in the protocol's own.
    fn changes(&self, now: &View, engine: &Engine) -> Vec<String> {
        let before = &self.before;
        let mut lines = Vec::new();
        let problem = now.problem.as_ref().map(ToString::to_string).unwrap_or_default();
        if tally(now, "refused_reports") > tally(before, "refused_reports") {
            lines.push(format!("a report was refused. {problem}"));
        }
        for node in &now.nodes {
            let was = before.nodes.iter().find(|was| was.id == node.id);
            lines.extend(item(was, node));
        }
        lines.extend(self.details.changes(&Details::of(engine)));
        let blocked = |view: &View| view.continuation == Continuation::Blocked;
        if blocked(now) && !blocked(before) {
            lines.push(format!("blocked: {}", now.reason));
        }
        lines
    }
}

fn tally(view: &View, name: &str) -> u64 {
    view.tallies.iter().find(|one| one.name == name).map_or(0, |one| one.count)
}

/// What happened to an item.
fn item(was: Option<&Node>, now: &Node) -> Option<String> {
    let id = &now.id;
    match was {
        None => Some(format!("{id} is planned: {}", clip(&now.label, 200))),
        Some(was) if was.closed() && now.state == NodeState::Verifying => {
            Some(format!("{id} is judged once more"))
        }
        Some(was) if was.closed() && !now.closed() => Some(format!("{id} is open again")),
        Some(was) if was.status != now.status && (now.closed() || now.status != "in_progress") => {
            Some(format!("{id} is {}", now.status))
        }
        Some(_) => None,
    }
}
