//! The engine: a pure function from a snapshot and an event to a new snapshot and effects.
//!
//! Every step is four moves, in this order: **admit** (match the answer to the outbox), **apply**
//! (fact → state), **decide** (state → effects), **check** (the protocol's invariants). An error in
//! any of them leaves the state exactly as it was.

use crate::admit;
use crate::mission::envelope;
use crate::mission::head_guard::{self, Taken};
use crate::mission::proof::{self, Proof, ProofConfig, Showings};
use crate::mission::unreported;
use crate::mission::{Context, Intent, KnownFile};
use crate::protocols::{Mission, ProtocolConfig};
use crate::snapshot::{Continuation, FORMAT, Head, RULES, Snapshot};
use crate::view::{Outline, View};
use crate::vocab::budget::{Budget, Counter};
use crate::vocab::command::Command;
use crate::vocab::criterion::Criterion;
pub use crate::vocab::digest::{digest, hex};
use crate::vocab::effect::{Delivery, Effect, Order, Outstanding};
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::event::{EffectId, Event, Fact};
use crate::vocab::json::{self, Readable, Serialize};
use crate::vocab::time::{LATEST, Millis};
use crate::why::Why;
use schemars::JsonSchema;
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a mission is started with; stands in line 0 of its journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Limits other than the defaults.
    #[serde(default)]
    pub budget: BTreeMap<Counter, u64>,
    /// What is enough for the end, and what a checkout needs for its proof.
    #[serde(default, skip_serializing_if = "ProofConfig::is_plain")]
    pub proof: ProofConfig,
    /// The protocol with its settings.
    pub mission: ProtocolConfig,
}

impl Config {
    /// With the default limits, and nothing said of the proof.
    pub fn new(mission: ProtocolConfig) -> Config {
        Config { budget: BTreeMap::new(), proof: ProofConfig::default(), mission }
    }
}

/// The answer of [`start`] and [`step`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Step {
    /// The new state.
    pub snapshot: Snapshot,
    /// What the host must do, in order.
    pub effects: Vec<Arc<Effect>>,
    /// Whether and why the mission goes on.
    pub continuation: Continuation,
    /// What was decided, for the journal.
    pub decided: Decided,
}

/// What one event led to, short enough to stand beside it in the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decided {
    /// The rule or guard that decided.
    pub rule: String,
    /// Whether and why the mission goes on.
    pub continuation: Continuation,
    /// The effects that were ordered.
    pub effects: Vec<Ordered>,
    /// Effects that left the outbox unanswered.
    pub withdrawn: Vec<EffectId>,
}

/// One ordered effect in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ordered {
    /// Its id.
    pub id: EffectId,
    /// The word of its order.
    pub order: String,
    /// What tells it from another order.
    #[schemars(with = "String")]
    pub digest: OrderDigest,
}

/// The first 16 hex digits of the SHA-256 of an order's JSON text: as a journal has it, or to be taken when it is asked for.
#[derive(Clone, Debug, Serialize, Readable)]
#[serde(from = "String", into = "String")]
pub enum OrderDigest {
    /// As it was written.
    Written(String),
    /// That of this effect's order.
    Of(Arc<Effect>),
}

impl From<String> for OrderDigest {
    fn from(digest: String) -> Self {
        OrderDigest::Written(digest)
    }
}

impl From<OrderDigest> for String {
    fn from(digest: OrderDigest) -> Self {
        match digest {
            OrderDigest::Written(digest) => digest,
            OrderDigest::Of(effect) => {
                hex(&Sha256::digest(json::encode(&effect.order).as_bytes())[..8])
            }
        }
    }
}

impl PartialEq for OrderDigest {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (OrderDigest::Of(one), OrderDigest::Of(other)) => one.order == other.order,
            _ => String::from(self.clone()) == String::from(other.clone()),
        }
    }
}

impl Eq for OrderDigest {}

/// What [`Engine::apply`] answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// What the host must do, in order.
    pub effects: Vec<Arc<Effect>>,
    /// What was decided, for the journal.
    pub decided: Decided,
}

/// Starts a mission.
///
/// # Errors
/// `malformed` for a config that says too little or too much.
pub fn start(config: &Config, at: Millis) -> Result<Step> {
    let (engine, applied) = Engine::start(config, at)?;
    Ok(engine.into_step(applied))
}

/// Takes one event. The snapshot that is passed in is never changed.
///
/// # Errors
/// `malformed`, `refused` or `broken`; see [`Error`].
pub fn step(snapshot: &Snapshot, event: &Event) -> Result<Step> {
    let mut engine = Engine { snapshot: snapshot.clone(), settled: false };
    let applied = engine.apply(event)?;
    Ok(engine.into_step(applied))
}

/// A snapshot held open: the same steps, without copying the state.
#[derive(Clone, Debug)]
pub struct Engine {
    snapshot: Snapshot,
    /// The last event was a sign of life that changed nothing of the protocol and ordered nothing, so what follows from
    /// the state has followed: another one settles nothing. It changes the head only by its number, its time and what the
    /// run said, by which settling no more than dates what it changes.
    settled: bool,
}

impl Engine {
    /// Starts a mission and holds it open.
    ///
    /// # Errors
    /// As [`start`].
    pub fn start(config: &Config, at: Millis) -> Result<(Engine, Applied)> {
        check_time(at)?;
        let budget = Budget::with_limits(&config.budget);
        let mission = Mission::start(&config.mission)?;
        json::readable(config)?;
        let mut head = Head::new(at, budget);
        head.proof = Proof::new(&config.proof).into();
        let snapshot = Snapshot { format: FORMAT, rules: RULES, head, mission };
        let mut engine = Engine { snapshot, settled: false };
        engine.snapshot.mission.protocol_mut().settle(&engine.snapshot.head);
        let applied = engine.decide_with(Vec::new())?;
        engine.snapshot.mission.protocol_mut().commit();
        Ok((engine, applied))
    }

    /// Opens a snapshot, checking it whole. One of older rules is taken over.
    ///
    /// # Errors
    /// `broken` if the snapshot breaks a rule, `unknown_format` or `other_rules` if it is none of ours.
    pub fn open(snapshot: Snapshot) -> Result<Engine> {
        Ok(Engine { snapshot: snapshot.checked()?, settled: false })
    }

    /// Says which rules the journal of this mission is held to.
    pub(crate) fn hold_to(&mut self, rules: u32) {
        self.snapshot.rules = rules;
    }

    /// Passes over an event of the journal that older rules took and these do not.
    pub(crate) fn pass(&mut self) {
        self.snapshot.head.seq += 1;
    }

    /// Takes one event. On an error the engine is exactly as before.
    ///
    /// # Errors
    /// As [`step`].
    pub fn apply(&mut self, event: &Event) -> Result<Applied> {
        check_time(event.at)?;
        let before = self.snapshot.head.clone();
        self.snapshot.mission.protocol_mut().begin();
        match self.moves(event, &before.outbox) {
            Ok(applied) => {
                self.snapshot.mission.protocol_mut().commit();
                Ok(applied)
            }
            Err(error) => {
                self.snapshot.head = before;
                self.snapshot.mission.protocol_mut().rollback();
                Err(error)
            }
        }
    }

    fn moves(&mut self, event: &Event, outbox: &[Arc<Outstanding>]) -> Result<Applied> {
        let subject = admit::admit(&self.snapshot.head, &event.fact)?;
        let resumes =
            matches!(&event.fact, Fact::UserCommanded(fact) if fact.command == Command::Resume);
        let blocked = resumes && self.continuation() == Continuation::Blocked;
        let head = &mut self.snapshot.head;
        head.seq += 1;
        head.at = head.at.max(event.at);
        let stops = envelope::apply(head, &event.fact, blocked)?;
        if let Some(subject) = subject.as_ref().filter(|_| admit::answers(&event.fact)) {
            head.outbox.retain(|outstanding| outstanding.effect.id != subject.effect.id);
        }
        let protocol = self.snapshot.mission.protocol_mut();
        let over = protocol.is_over();
        let reported = Cell::new(false);
        match head_guard::take(head, subject.as_ref(), &event.fact, over) {
            Taken::ByProtocol
                if proof::take(head, subject.as_ref(), &event.fact, protocol.mission()) => {}
            Taken::ByProtocol => {
                let (subject, reported) = (subject.clone(), &reported);
                protocol.apply(&mut Context { head, subject, reported }, &event.fact)?;
            }
            Taken::Here => {}
            Taken::Blocks(problem) => protocol.block(problem),
        }
        unreported::take(head, subject.as_deref(), &event.fact, reported.get());
        let sign_of_life = matches!(event.fact, Fact::RunProgressed(_));
        let follows = self.settled && sign_of_life && !protocol.touched();
        if !follows || cfg!(debug_assertions) {
            protocol.settle(&self.snapshot.head);
            debug_assert!(!(follows && protocol.touched()), "what had followed follows again");
        }
        let mut applied = self.decide_with(stops)?;
        applied.decided.withdrawn = withdrawn(outbox, &self.snapshot.head, &event.fact);
        let touched = self.snapshot.mission.protocol().touched();
        self.settled = sign_of_life && !touched && applied.effects.is_empty();
        Ok(applied)
    }

    /// Orders `stops` and what the protocol decides, then checks.
    fn decide_with(&mut self, stops: Vec<Intent>) -> Result<Applied> {
        let mut effects = Vec::new();
        let over = self.is_over();
        let forgotten = proof::forget(&mut self.snapshot.head, over);
        for intent in stops.into_iter().chain(forgotten) {
            self.order(intent, &mut effects)?;
        }
        let Snapshot { head, mission, rules, .. } = &mut self.snapshot;
        let (rule, mut intents) = mission.protocol().decide(head);
        let rule = head_guard::hold(head, over, &mut intents).unwrap_or(rule);
        let rule = proof::hold(head, mission.protocol(), &mut intents).unwrap_or(rule);
        unreported::tell(head, &mut intents);
        if *rules == RULES && intents.is_empty() {
            intents.extend(proof::next(head, over, mission.protocol()));
        }
        for intent in intents {
            self.order(intent, &mut effects)?;
        }
        let Snapshot { head, mission, .. } = &self.snapshot;
        let decided = Decided {
            rule: rule.to_owned(),
            continuation: mission.protocol().check(head, false)?,
            effects: effects.iter().map(Ordered::from).collect(),
            withdrawn: Vec::new(),
        };
        Ok(Applied { effects, decided })
    }

    fn order(&mut self, intent: Intent, effects: &mut Vec<Arc<Effect>>) -> Result<()> {
        let head = &mut self.snapshot.head;
        let spend = |budget: &mut Budget, counter| {
            budget.spend(counter).map_err(|error| Error { code: Code::BrokenBudget, ..error })
        };
        match &intent.order {
            // A stop must never fail for want of budget. There are two for each run at most.
            Order::StopRole(_) => head.budget.spend(intent.order.counter()).unwrap_or_default(),
            order => spend(&mut head.budget, order.counter())?,
        }
        if let Some(counter) = intent.also {
            spend(&mut head.budget, counter)?;
        }
        let n = u32::try_from(effects.len() + 1).unwrap_or(u32::MAX);
        let effect = Arc::new(Effect { id: EffectId { seq: head.seq, n }, order: intent.order });
        effects.push(Arc::clone(&effect));
        let (delivery, also) = (Delivery::Ordered, intent.also);
        head.outbox.push(Arc::new(Outstanding { effect, delivery, also }));
        Ok(())
    }

    fn into_step(self, applied: Applied) -> Step {
        Step {
            continuation: applied.decided.continuation,
            snapshot: self.snapshot,
            effects: applied.effects,
            decided: applied.decided,
        }
    }

    /// The state.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The roles that only claim, by name: an agent that plays them gives no verdict.
    pub fn claimants(&self) -> &'static [&'static str] {
        self.snapshot.mission.protocol().claimants()
    }

    /// The effects that have not been answered, in the order they were ordered: what a host that
    /// came back must look at.
    pub fn pending(&self) -> Vec<Outstanding> {
        self.snapshot.head.outbox.iter().map(|outstanding| (**outstanding).clone()).collect()
    }

    /// The mission in words.
    pub fn mission(&self) -> &str {
        self.snapshot.mission.protocol().mission()
    }

    /// Whether and why the mission goes on.
    pub fn continuation(&self) -> Continuation {
        self.snapshot.continuation()
    }

    /// The head that a run is to begin at, as last looked at; none where no head is followed, or what is left is the proof.
    pub fn followed_head(&self) -> Option<&str> {
        self.snapshot.head.followed.head.as_deref().filter(|_| !self.is_over())
    }

    /// How many runs the mission still comes to if nothing fails, as far as it is planned.
    pub fn expected_runs(&self) -> usize {
        match self.is_over() {
            true => 0,
            false => self.snapshot.mission.protocol().expected_runs(),
        }
    }

    /// The programs that the deciding commands start, as far as these are declared, each with the first thing it is to show.
    pub fn programs(&self) -> BTreeMap<String, String> {
        proof::programs(&self.showings())
    }

    /// The files that say what the deciding commands do, as far as these are declared: from here on they are held.
    pub fn deciding_files(&self) -> BTreeSet<String> {
        proof::files(&self.showings()).collect()
    }

    /// Deciding commands, as far as these are declared, that name a deploy or the like and run more than once.
    pub fn dangerous_commands(&self) -> BTreeSet<String> {
        proof::dangerous(&self.snapshot.head.proof.config, &self.showings())
    }

    /// How many of the criteria that are declared have no command, and how many there are in all.
    pub fn without_command(&self) -> (usize, usize) {
        let criteria = self.showings().criteria;
        (criteria.iter().filter(|one| one.commands.is_empty()).count(), criteria.len())
    }

    fn showings(&self) -> Showings {
        proof::showings(&self.snapshot.head.proof, self.snapshot.mission.protocol())
    }

    /// Whether the mission has come to its end, though what it orders at its end may be under way: a host that
    /// performs that says to the world that it is done.
    pub fn is_over(&self) -> bool {
        self.snapshot.mission.protocol().is_over()
    }

    /// The content of a canonical file, from the state alone.
    ///
    /// # Errors
    /// `unknown_file` if the protocol has none of this path.
    pub fn render(&self, path: &str) -> Result<String> {
        self.snapshot.mission.protocol().render(&self.snapshot.head, path)
    }

    /// The canonical files as the engine left them.
    pub fn files(&self) -> Vec<KnownFile> {
        self.snapshot.mission.protocol().files()
    }

    /// Why the next step is what it is.
    pub fn why(&self) -> Why {
        self.snapshot.mission.protocol().why(&self.snapshot.head)
    }

    /// The mission as nodes, edges, lanes and progress.
    pub fn view(&self) -> View {
        let Snapshot { head, mission, .. } = &self.snapshot;
        let mut view = mission.protocol().view(head);
        if let Some(end) = &mut view.end {
            end.shown = proof::shown(&head.proof, self.showings(), mission.protocol());
            end.proved_at = proof::proved_at(&head.proof);
        }
        view
    }

    /// The view in short, where the protocol has one.
    pub(crate) fn outline(&self) -> Option<Outline> {
        self.snapshot.mission.protocol().outline(&self.snapshot.head)
    }

    /// The criteria of an item with their claims, evidence and verdicts; `None` for an item that is
    /// not there, and where the protocol keeps none.
    pub fn criteria(&self, item: &str) -> Option<&[Criterion]> {
        self.snapshot.mission.protocol().criteria(item)
    }

    /// Checks every invariant over the whole state.
    ///
    /// # Errors
    /// `broken`, with the invariant's own code.
    pub fn check(&self) -> Result<()> {
        self.snapshot.mission.protocol().check(&self.snapshot.head, true).map(drop)
    }
}

/// Whether the report of a run could be read, while the run still works on it. Answers with notes on
/// what is unusual but not wrong. Says nothing about whether what it reports is true.
///
/// # Errors
/// The exact fault: path, expected, got; or `unknown_effect` if there is no such run.
pub fn check_report(snapshot: &Snapshot, run: EffectId, text: &str) -> Result<Vec<String>> {
    let outstanding = snapshot.head.find(run).map(|outstanding| &outstanding.effect.order);
    let protocol = snapshot.mission.protocol();
    match outstanding {
        Some(order @ Order::SpawnRole(_)) if proof::is_ours(order) => {
            proof::check_report(&snapshot.head.proof, order, protocol.mission(), text)
        }
        Some(Order::SpawnRole(spawn)) => protocol.check_report(&spawn.role, text),
        _ => Err(Error::new(Code::UnknownEffect, "run", "a run in the outbox", run.to_string())),
    }
}

impl From<&Arc<Effect>> for Ordered {
    fn from(effect: &Arc<Effect>) -> Self {
        let (order, digest) = (effect.order.name().to_owned(), OrderDigest::Of(Arc::clone(effect)));
        Ordered { id: effect.id, order, digest }
    }
}

fn check_time(at: Millis) -> Result<()> {
    if at <= LATEST {
        return Ok(());
    }
    let expected = format!("milliseconds up to {LATEST}");
    Err(Error::new(Code::NumberOutOfRange, "at", expected, at.to_string()))
}

/// What left the outbox without being answered by `fact`.
fn withdrawn(before: &[Arc<Outstanding>], head: &Head, fact: &Fact) -> Vec<EffectId> {
    let answered = fact.effect().filter(|_| admit::answers(fact));
    let ids = before.iter().map(|outstanding| outstanding.effect.id);
    ids.filter(|id| Some(*id) != answered && head.find(*id).is_none()).collect()
}
