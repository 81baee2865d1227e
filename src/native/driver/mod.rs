//! The driver: the one loop that owns engine and journal, and the only place that interprets effects.
//!
//! One thread takes facts one at a time: redact, apply, journal, then perform what was ordered, in
//! order, each after one more look at the outbox. Files, observations and commits are done one after
//! the other, the next only when the answer of the last is journaled; roles, commands and host code
//! run alongside in threads of their own and send their facts through a channel. If the journal
//! cannot be written, the engine in memory is worth nothing: the driver ends everything it started
//! and gives up, and the next one opens what is on disk.

mod answer;
mod letters;
mod options;
mod performer;

pub use options::{Ended, Handler, Options, StopFlag};
pub use performer::{Performer, Performing, Source};

use super::confine::Confine;
use super::error::{HostError, HostResult};
use super::hosted::{self};
use super::inbox::Inbox;
use super::lock::Lock;
use super::observer::{Observer, Quiet, Report};
use super::program;
use super::room;
use super::runs::{self, Earlier};
use super::store::{Places, Store};
use crate::engine::{Applied, Config, Engine};
use crate::snapshot::Continuation;
use crate::vocab::command::Command;
use crate::vocab::effect::{Delivery, Order, Outstanding};
use crate::vocab::error::{Code, Diagnostic, Error, Kind};
use crate::vocab::event::{
    EffectId, Event, Fact, HostRecovered, QuestionAnswered, Recovery, RunStarted, UserCommanded,
};
use crate::vocab::question::Answer;
use crate::vocab::time::Millis;
use answer::{failed, other_head};
use letters::INBOX_EVERY;
use std::collections::VecDeque;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Drives one mission. Holds its lock until dropped.
pub struct Driver {
    // Dropped in this order: what runs is ended before the lock is given back.
    performer: Performer,
    engine: Engine,
    store: Store,
    inbox: Inbox,
    facts: Receiver<Fact>,
    /// Effects that are to be performed, in order.
    queue: VecDeque<EffectId>,
    /// The effect whose answer the next one waits for.
    busy: Option<EffectId>,
    reports: Vec<Report>,
    last_look: Option<Instant>,
    heeded: u8,
    /// The journal could not be written: the engine is ahead of it and worth nothing.
    spoilt: bool,
    /// The end that stands was decided once more when it was reached.
    proven: bool,
    _lock: Lock,
}

impl Driver {
    /// Begins a mission in the repository at `root`.
    ///
    /// # Errors
    /// `mission_exists`, `locked`, `unsafe_state_directory`, `malformed` for the config, `io`; `not_confined` where agents must be
    /// and cannot.
    pub fn create(root: &Path, config: Config, options: Options) -> HostResult<Driver> {
        let (places, lock) = enter(root)?;
        let (store, engine) = Store::create(&places, config, now())?;
        check(&engine, &places, &options)?;
        Ok(Driver::with(places, lock, store, engine, options, None))
    }

    /// Opens the mission in the repository at `root`. If its last driver did not end by itself, or had older rules,
    /// `host_recovered` is journaled.
    ///
    /// # Errors
    /// `no_mission`, `locked`, `unsafe_state_directory`, `journal_damaged`, `other_rules`, `io`; `usage`
    /// if a role is to be hosted that gives verdicts; `not_confined` where agents must be confined and cannot.
    pub fn open(root: &Path, options: Options) -> HostResult<Driver> {
        let places = Places::of(root);
        places.check()?;
        if !places.journal().exists() {
            return Err(places.absent());
        }
        let (places, lock) = enter(root)?;
        let (store, opened) = Store::open(&places, now())?;
        let took_over = lock.took_over;
        check(&opened.engine, &places, &options)?;
        let last = Some(opened.seq);
        let mut driver = Driver::with(places.clone(), lock, store, opened.engine, options, last);
        driver.reports = opened.reports;
        driver.forget_taken(opened.last.as_ref())?;
        if took_over {
            driver.reports.insert(0, Report::TookOver);
        }
        driver.tell_of_earlier_starts()?;
        let lives = |one: &Arc<Outstanding>| !hosted::is_hosted(&places, one);
        let lost = driver.engine.snapshot().head.live_runs().any(lives);
        if took_over || opened.torn > 0 || lost {
            let head = &driver.engine.snapshot().head;
            let role = |one: &Arc<Outstanding>| matches!(one.effect.order, Order::SpawnRole(_));
            let awaited = |id| head.find(id).is_some_and(role);
            let locks = driver.performer.runs.end_leftovers(awaited);
            let mut note = "the driver before this one did not end by itself".to_owned();
            if !locks.is_empty() {
                let _ = write!(note, "; taken away, for no git holds them: {}", locks.join(", "));
            }
            driver.recovered(Recovery::Restart, note, &mut Quiet)?;
        }
        Ok(driver)
    }

    /// Other means for a driver at rest. The lock is not given back in between: nobody drives a mission
    /// away from under whoever just began it.
    ///
    /// # Errors
    /// `usage` if a role is to be hosted that gives verdicts; `not_confined` where agents must be confined and cannot.
    pub fn equip(&mut self, options: Options) -> HostResult<()> {
        check(&self.engine, &self.performer.places, &options)?;
        let (send, facts) = mpsc::channel();
        let Performer { places, earlier, .. } = &self.performer;
        self.performer = Performer::new(&places.clone(), options, send, *earlier);
        self.facts = facts;
        self.queue = due(&self.engine);
        Ok(())
    }

    /// Programs that deciding commands start and that are not here, each with the first thing it is to show.
    pub fn missing_programs(&self) -> impl Iterator<Item = (String, String)> {
        self.engine.programs().into_iter().filter(|(name, _)| !program::is_known(name))
    }

    /// Why agents are not confined, where they were to be if the system can.
    pub fn unconfined(&self) -> Option<&str> {
        self.performer.runs.confinement.why_not()
    }

    /// Roles whose record says that they were started although the journal does not: that comes first, for the recovery takes
    /// back what was never started. The record alone tells: who was killed while it took the mission over has left no lock.
    fn tell_of_earlier_starts(&mut self) -> HostResult<()> {
        for one in self.engine.pending() {
            let id = one.effect.id;
            let ordered = matches!(one.effect.order, Order::SpawnRole(_)) && !one.live();
            if ordered && !matches!(self.performer.runs.earlier(id)?, Earlier::Nothing) {
                let confined = self.performer.runs.confined(id);
                let fact = Fact::RunStarted(RunStarted { effect: id, session: None, confined });
                self.apply(fact, &mut Quiet)?;
            }
        }
        Ok(())
    }

    /// `last` is the last event of the drivers before this one, if there were any.
    fn with(
        places: Places,
        lock: Lock,
        store: Store,
        engine: Engine,
        options: Options,
        last: Option<u64>,
    ) -> Driver {
        let (send, facts) = mpsc::channel();
        let inbox = Inbox::of(&places.engine);
        Driver {
            performer: Performer::new(&places, options, send, last),
            queue: due(&engine),
            engine,
            store,
            inbox,
            facts,
            busy: None,
            reports: Vec::new(),
            last_look: None,
            heeded: 0,
            spoilt: false,
            proven: false,
            _lock: lock,
        }
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Where the journal stands.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Gives the engine a command of the user. What it leads to is performed by [`Driver::run`].
    ///
    /// # Errors
    /// What the engine refuses; `io` if it cannot be journaled.
    pub fn command(&mut self, command: Command) -> HostResult<Applied> {
        let fact = Fact::UserCommanded(UserCommanded { id: None, command });
        self.apply(fact, &mut Quiet)
    }

    /// Answers an open question.
    ///
    /// # Errors
    /// As [`Driver::command`].
    pub fn answer(&mut self, question: EffectId, answer: Answer) -> HostResult<Applied> {
        let fact = Fact::QuestionAnswered(QuestionAnswered { effect: question, answer });
        self.apply(fact, &mut Quiet)
    }

    /// Drives the mission until it is at rest and nothing is left that the host can perform. Open
    /// questions are left open.
    ///
    /// # Errors
    /// `io` if the journal cannot be written, `broken` for a bug of the engine, `journal_damaged` if
    /// somebody removed, replaced or cut it, or if a mission that seems done is not by it. Everything
    /// that was started has been ended then.
    pub fn run(&mut self, observer: &mut dyn Observer, stop: &StopFlag) -> HostResult<Ended> {
        for report in std::mem::take(&mut self.reports) {
            observer.report(&report);
        }
        let result = self.turns(observer, stop).and_then(|ended| self.proven(ended));
        if result.is_err() {
            self.performer.end_all();
        }
        self.rest();
        result
    }

    /// Nothing is called done before its whole journal has been decided once more.
    fn proven(&mut self, ended: Ended) -> HostResult<Ended> {
        if ended.continuation == Continuation::Done {
            self.store.prove(&self.engine).inspect_err(|_| self.spoilt = true)?;
            room::leave(&self.performer.places.root);
        }
        Ok(ended)
    }

    /// Nor is it told or written down that it is: what an end orders is taken up only if its journal leads to it.
    fn prove_first(&mut self) -> HostResult<()> {
        let over = self.engine.is_over();
        if over && !self.proven {
            self.store.prove(&self.engine).inspect_err(|_| self.spoilt = true)?;
        }
        self.proven = over;
        Ok(())
    }

    fn turns(&mut self, observer: &mut dyn Observer, stop: &StopFlag) -> HostResult<Ended> {
        self.prove_first()?;
        loop {
            let leave = self.heed(stop, observer)?;
            self.look_into_inbox(observer)?;
            self.performer.fire_timers(now());
            self.performer.end_overdue(now());
            self.perform_queued(observer)?;
            if leave || self.at_rest() {
                if leave {
                    self.performer.end_all();
                }
                let continuation = self.engine.continuation();
                return Ok(Ended { continuation, interrupted: self.heeded > 0 });
            }
            match self.facts.recv_timeout(self.pause()) {
                Ok(fact) => self.take(fact, observer)?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
    }

    /// Whether nothing is left that the host can perform. Timers are waited for only while the
    /// mission goes on by itself.
    fn at_rest(&self) -> bool {
        let goes_on = self.engine.continuation() == Continuation::Continue;
        let held = self.performer.options.hold_roles;
        let waits = |one: &Outstanding| match &one.effect.order {
            Order::AskUser(_) => false,
            Order::SpawnRole(_) if held => {
                let left = self.performer.left.contains_key(&one.effect.id);
                one.live() && !left && !self.hosted(one)
            }
            Order::SpawnRole(_) => true,
            order if self.holds(order) => false,
            Order::SetTimer(_) => goes_on,
            _ => true,
        };
        let mut outbox = self.engine.snapshot().head.outbox.iter();
        self.performer.live.is_empty() && !outbox.any(|one| waits(one))
    }

    /// Whether this order is left to the driver after this one: a word of the user's begins nothing, and waits for
    /// nothing.
    fn holds(&self, order: &Order) -> bool {
        use Order::{Consult, RunCommand, SetTimer, SpawnRole};
        let begins = matches!(order, SpawnRole(_) | RunCommand(_) | Consult(_) | SetTimer(_));
        begins && self.performer.options.hold_roles
    }

    /// Whether this run was given to an agent of the user.
    fn hosted(&self, one: &Outstanding) -> bool {
        hosted::is_hosted(&self.performer.places, one)
    }

    fn pause(&self) -> Duration {
        let due = self.performer.timers.first().map(|(due, _)| due.saturating_sub(now()));
        INBOX_EVERY.min(due.map_or(INBOX_EVERY, Duration::from_millis))
    }

    /// Performs what is queued, as far as nothing must be waited for. Each is looked up in the
    /// outbox once more, since it may have been withdrawn.
    fn perform_queued(&mut self, observer: &mut dyn Observer) -> HostResult<()> {
        let mut later = Vec::new();
        while self.busy.is_none()
            && let Some(id) = self.queue.pop_front()
        {
            let Some(outstanding) = self.engine.snapshot().head.find(id).cloned() else { continue };
            let effect = &outstanding.effect;
            if self.performer.live.contains_key(&id) {
                continue;
            }
            if let Delivery::Started { at, .. } = outstanding.delivery {
                match &effect.order {
                    Order::SpawnRole(spawn) if self.hosted(&outstanding) => {
                        self.performer.host_again(id, spawn, at);
                    }
                    _ => drop(self.performer.take_up_earlier(effect, true, observer)),
                }
                continue;
            }
            if self.holds(&effect.order) {
                continue;
            }
            if self.performer.must_wait(&effect.order) {
                later.push(id);
                continue;
            }
            if let Some(note) = self.moved(&effect.order) {
                self.recovered(Recovery::Moved, note, observer)?;
                continue;
            }
            match self.performer.perform(effect, &self.engine, observer) {
                Performing::Next => self.busy = Some(id),
                Performing::Alongside | Performing::Waiting => {}
            }
        }
        self.queue.extend(later);
        Ok(())
    }

    /// Whether a run would begin at a head that the engine has not seen, while no role is played. If that run dropped
    /// commits, nobody would be told.
    fn moved(&self, order: &Order) -> Option<String> {
        let known = self.engine.followed_head()?;
        let live = self.engine.snapshot().head.live_runs().next().is_some();
        let at_work = live || self.performer.live.values().any(|one| one.role);
        if at_work || !matches!(order, Order::SpawnRole(_)) {
            return None;
        }
        let now = other_head(&self.performer.places, known).ok()??;
        Some(format!("the head moved from {known} to {now} before a run"))
    }

    /// Takes a fact of our own making. A refusal is no reason to stop: it says that the effect was
    /// answered or withdrawn, or that the answer was not fit to be one.
    fn take(&mut self, fact: Fact, observer: &mut dyn Observer) -> HostResult<()> {
        let (id, name) = (fact.effect(), fact.name());
        let starts = matches!(fact, Fact::RunStarted(_));
        let ends = !starts && !matches!(fact, Fact::RunProgressed(_));
        let changes = matches!(fact, Fact::RunEnded(_) | Fact::CommandExited(_));
        if let Some(id) = id.filter(|_| ends) {
            self.performer.answered(id);
            if self.busy == Some(id) {
                self.busy = None;
            }
        }
        let error = match self.apply(fact, observer) {
            Ok(_) => return Ok(()),
            // A journal that is gone is no refusal: there is nothing to go on with.
            Err(HostError::Core(error)) if error.kind != Kind::Broken && !self.spoilt => error,
            Err(other) => return Err(other),
        };
        match (error.code, id) {
            (Code::StaleAnswer | Code::UnknownEffect, _) if changes => {
                let note = format!("{name} of {} came too late", error.got);
                self.recovered(Recovery::Stall, note, observer)
            }
            (Code::StaleAnswer | Code::UnknownEffect, Some(id)) if starts => {
                // Withdrawn in the moment it was started: it must not go on.
                if let Some(live) = self.performer.live.get(&id) {
                    live.stop.kill();
                }
                Ok(())
            }
            (Code::StaleAnswer | Code::UnknownEffect, _) => Ok(()),
            (_, Some(id)) if ends => self.unfit(id, &error, observer),
            _ => Ok(()),
        }
    }

    /// An answer of ours that the engine cannot take (too long, say) is told as what it is.
    fn unfit(
        &mut self,
        id: EffectId,
        error: &Error,
        observer: &mut dyn Observer,
    ) -> HostResult<()> {
        let why = Diagnostic { code: Code::HostFailed, ..error.diagnostic() };
        let started = self.engine.snapshot().head.find(id).is_some_and(|one| one.live());
        let fact = match started {
            true => Fact::RunEnded(runs::lost(id, why)),
            false => failed(id, why),
        };
        self.apply(fact, observer).map(drop)
    }

    fn recovered(
        &mut self,
        from: Recovery,
        note: String,
        observer: &mut dyn Observer,
    ) -> HostResult<()> {
        self.apply(Fact::HostRecovered(HostRecovered { from, note }), observer).map(drop)
    }

    /// Redact, apply, journal, and only then queue what was ordered.
    fn apply(&mut self, fact: Fact, observer: &mut dyn Observer) -> HostResult<Applied> {
        if self.spoilt {
            let error = std::io::Error::other("the journal could not be written before");
            return Err(HostError::io("write", "journal.jsonl", error));
        }
        let fact = self.performer.options.redactor.fact(fact);
        let event = Event { at: now(), fact };
        let applied = self.engine.apply(&event)?;
        if let Err(error) = self.store.append(&event, &applied) {
            self.spoilt = true;
            return Err(error);
        }
        self.prove_first()?;
        self.queue.extend(applied.effects.iter().map(|effect| effect.id));
        observer.event(&self.engine, &event, &applied);
        if self.store.snapshot_due() {
            // The journal has everything; a snapshot only makes opening cheap.
            let _ = self.store.snapshot(&self.engine);
        }
        Ok(applied)
    }

    /// Leaves a snapshot at the end of the journal.
    fn rest(&mut self) {
        if !self.spoilt && !self.store.rested() {
            // Without it the next driver replays a little more.
            let _ = self.store.snapshot(&self.engine);
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.performer.end_all();
        self.rest();
        room::leave_empty(&self.performer.places.root);
    }
}

/// What is to be performed, in order.
fn due(engine: &Engine) -> VecDeque<EffectId> {
    engine.pending().iter().map(|outstanding| outstanding.effect.id).collect()
}

/// Whoever hosts must not give verdicts; where agents must be confined, they can be.
fn check(engine: &Engine, places: &Places, options: &Options) -> HostResult<()> {
    if options.agent.is_some() && options.confine == Confine::Required {
        options.confinement().words(places, &[], false)?;
    }
    let wanted: Vec<String> = options.hosted.iter().cloned().collect();
    hosted::roles(engine, &wanted).map(drop)
}

/// Makes the directories, takes the lock, sweeps.
pub(super) fn enter(root: &Path) -> HostResult<(Places, Lock)> {
    let root = std::fs::canonicalize(root).map_err(|error| HostError::io("open", root, error))?;
    let places = Places::of(&root);
    places.prepare()?;
    let lock = Lock::acquire(&places.lock(), &places.staging)?;
    places.sweep();
    Ok((places, lock))
}

/// Milliseconds since 1970.
fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX)
}
