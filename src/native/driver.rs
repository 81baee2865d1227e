//! The driver: the one loop that owns engine and journal, and the only place that interprets effects.
//!
//! One thread takes facts one at a time: redact, apply, journal, then perform what was ordered, in
//! order, each after one more look at the outbox. Files, observations and commits are done one after
//! the other, the next only when the answer of the last is journaled; roles, commands and host code
//! run alongside in threads of their own and send their facts through a channel. If the journal
//! cannot be written, the engine in memory is worth nothing: the driver ends everything it started
//! and gives up, and the next one opens what is on disk.

use super::agent::Agent;
use super::commit::{self, Wanted};
use super::error::{HostError, HostResult, problem};
use super::files;
use super::git::Git;
use super::hosted::{self, Hosted, HostedReport};
use super::inbox::{Inbox, Says};
use super::lock::Lock;
use super::observer::{Observer, Quiet, Report};
use super::process::Stop;
use super::redact::Redactor;
use super::runs::{self, Earlier, Runs};
use super::store::{Places, Store};
use crate::engine::{Applied, Config, Engine};
use crate::snapshot::Continuation;
use crate::vocab::command::{Command, StopMode};
use crate::vocab::effect::{Consult, Delivery, Effect, Observe, Order, Outstanding, SpawnRole};
use crate::vocab::error::{Code, Diagnostic, Error, Kind};
use crate::vocab::event::{
    CommandExited, Consulted, DocumentsObserved, EffectFailed, EffectId, EffectPerformed, Event,
    Fact, HostRecovered, Outcome, QuestionAnswered, Recovery, RepositoryObserved, RunStarted,
    TimerFired, UserCommanded,
};
use crate::vocab::question::Answer;
use crate::vocab::role::HOSTED_SESSION;
use crate::vocab::time::Millis;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The longest time between two looks at the inbox.
const INBOX_EVERY: Duration = Duration::from_millis(150);

/// Host code that answers a consult: JSON text in, JSON text out, or why there is no answer.
pub type Handler = Arc<dyn Fn(&str) -> Result<String, String> + Send + Sync>;

/// How a driver is set up.
#[derive(Clone)]
pub struct Options {
    /// Who plays the roles; without one, a role that is ordered fails.
    pub agent: Option<Agent>,
    /// The roles that an agent of the user plays itself, by their full names; only roles that claim.
    pub hosted: BTreeSet<String>,
    /// Leave roles and questions unperformed: for `init`, which only begins a mission.
    pub hold_roles: bool,
    /// Takes secrets out.
    pub redactor: Redactor,
    /// Host code by the name it is consulted under.
    pub consults: HashMap<String, Handler>,
    /// How long host code has for one answer.
    pub consult_timeout: Duration,
    /// The most wall time of a run of a role, where that is less than what was ordered.
    pub role_timeout: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            agent: None,
            hosted: BTreeSet::new(),
            hold_roles: false,
            redactor: Redactor::of_environment(),
            consults: HashMap::new(),
            consult_timeout: Duration::from_secs(60),
            role_timeout: None,
        }
    }
}

/// The count of a flag that leaves without a word.
const LEAVE: u8 = u8::MAX;

/// Counts how often the user asked to stop: once to drain, twice to end what runs, three times to
/// leave at once. Cloned freely, e.g. into a signal handler.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicU8>);

impl StopFlag {
    /// Asks once more.
    pub fn raise(&self) {
        // One that leaves stays so.
        let more =
            |count: u8| Some(count.saturating_add(1).min(LEAVE - 1)).filter(|_| count != LEAVE);
        let _ = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more);
    }

    /// Leaves at once and without a word to the engine: whoever drives next goes on. What runs is
    /// ended; what is hosted waits on.
    pub fn leave(&self) {
        self.0.store(LEAVE, Ordering::SeqCst);
    }

    /// Whether it was asked to leave at once.
    pub fn leaves(&self) -> bool {
        self.count() == LEAVE
    }

    fn count(&self) -> u8 {
        self.0.load(Ordering::SeqCst)
    }
}

/// How [`Driver::run`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Whether and why the mission goes on. `continue` means that nothing is left to perform
    /// although the mission is not at rest: roles are held, or the user left at once.
    pub continuation: Continuation,
    /// The user asked to stop.
    pub interrupted: bool,
}

/// Where contents and names come from at the moment of performing.
pub trait Source {
    /// The content of a canonical file.
    ///
    /// # Errors
    /// As [`Engine::render`].
    fn render(&self, path: &str) -> Result<String, Error>;
    /// The mission in words.
    fn mission(&self) -> String;
}

impl Source for Engine {
    fn render(&self, path: &str) -> Result<String, Error> {
        Engine::render(self, path)
    }

    fn mission(&self) -> String {
        self.view().title
    }
}

/// How an effect is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Performing {
    /// Its answer comes soon; the next effect waits for it.
    Next,
    /// It runs alongside; its answer comes some day.
    Alongside,
    /// It waits for its time, or for the user.
    Waiting,
}

/// Performs orders. Answers come through the channel it was made with, in the order they happen.
pub struct Performer {
    places: Places,
    options: Options,
    runs: Arc<Runs>,
    facts: Sender<Fact>,
    live: HashMap<EffectId, Live>,
    hosted: Hosted,
    timers: BTreeSet<(Millis, EffectId)>,
}

struct Live {
    role: bool,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl Performer {
    /// For the mission at these places.
    pub fn new(places: &Places, options: Options, facts: Sender<Fact>) -> Performer {
        let runs = Runs { places: places.clone(), redactor: options.redactor.clone() };
        let (places, runs) = (places.clone(), Arc::new(runs));
        let (live, hosted, timers) = (HashMap::new(), Hosted::default(), BTreeSet::new());
        Performer { places, options, runs, facts, live, hosted, timers }
    }

    /// Performs one effect, or sets it on its way.
    pub fn perform(
        &mut self,
        effect: &Effect,
        source: &dyn Source,
        observer: &mut dyn Observer,
    ) -> Performing {
        let id = effect.id;
        match &effect.order {
            Order::SpawnRole(spawn) if self.options.hosted.contains(&spawn.role) => {
                match self.hosted.mark(&self.places, id) {
                    Ok(()) => self.host(id, spawn, now()),
                    Err(error) => return self.answer(runs::failed(id, &error)),
                }
                let session = Some(HOSTED_SESSION.to_owned());
                let _ = self.facts.send(Fact::RunStarted(RunStarted { effect: id, session }));
                Performing::Alongside
            }
            Order::SpawnRole(spawn) => {
                if self.take_up_earlier(id, true, false, observer) {
                    return Performing::Alongside;
                }
                let Some(agent) = self.options.agent.clone() else {
                    let why = problem(Code::HostFailed, "agent", "an agent for roles", "none");
                    return self.answer(failed(id, why));
                };
                let (mut spawn, mission) = (spawn.clone(), source.mission());
                spawn.limits.timeout_ms = self.timeout_ms(&spawn);
                let runs = self.runs.clone();
                self.alongside(id, true, move |stop, tell| {
                    runs.role(id, &spawn, &agent, &mission, stop, tell);
                })
            }
            Order::StopRole(order) => {
                match self.live.get(&order.run) {
                    Some(live) if order.kill => live.stop.kill(),
                    Some(live) => live.stop.wind_up(),
                    None => self.hosted.stop(order.run, order.kill, now()),
                }
                self.answer(performed(id, Outcome::Nothing))
            }
            Order::AskUser(_) => Performing::Waiting,
            Order::AppendHistory(order) => {
                self.answer(outcome(id, files::append_history(&self.places, order)))
            }
            Order::WriteFile(order) => {
                let written = source
                    .render(&order.path)
                    .map_err(|error| error.diagnostic())
                    .and_then(|content| files::write_file(&self.places, order, &content));
                self.answer(outcome(id, written))
            }
            Order::CommitFiles(order) => {
                let wanted = order.paths.iter().map(|path| {
                    let content = source.render(path)?;
                    Ok(Wanted { path: path.clone(), content })
                });
                let wanted: Vec<Wanted> = match wanted.collect::<Result<_, Error>>() {
                    Ok(wanted) => wanted,
                    Err(error) => return self.answer(failed(id, error.diagnostic())),
                };
                let (places, order) = (self.places.clone(), order.clone());
                self.next(id, move || {
                    outcome(id, commit::commit_files(&places, id, &order, &wanted))
                })
            }
            Order::RunCommand(order) => {
                if self.take_up_earlier(id, false, false, observer) {
                    return Performing::Alongside;
                }
                let (order, runs) = (order.clone(), self.runs.clone());
                self.alongside(id, false, move |stop, tell| {
                    match elsewhere(&runs.places, id, order.expected_head.as_deref()) {
                        Some(fact) => tell(fact),
                        None => runs.command(id, &order, stop, tell),
                    }
                })
            }
            Order::Observe(Observe::Repository { since, basis, known }) => {
                let (since, basis, known) = (since.clone(), basis.clone(), known.clone());
                let places = self.places.clone();
                self.next(id, move || {
                    let git = Git::of(&places.root);
                    match git.observe(&places, since.as_deref(), basis.as_deref(), &known) {
                        Ok(repository) => {
                            let seen = RepositoryObserved { effect: id, repository };
                            Fact::RepositoryObserved(seen)
                        }
                        Err(error) => runs::failed(id, &error),
                    }
                })
            }
            Order::Observe(Observe::Documents { paths }) => {
                let (places, paths) = (self.places.clone(), paths.clone());
                self.next(id, move || {
                    let documents = files::documents(&places, &paths);
                    Fact::DocumentsObserved(DocumentsObserved { effect: id, documents })
                })
            }
            Order::SetTimer(timer) => {
                self.timers.insert((timer.due_at, id));
                Performing::Waiting
            }
            Order::Consult(order) => {
                let (order, timeout) = (order.clone(), self.options.consult_timeout);
                let handler = self.options.consults.get(&order.handler).cloned();
                self.alongside(id, false, move |stop, tell| {
                    tell(consult(id, &order, handler, timeout, stop));
                })
            }
            Order::Notify(notice) => {
                observer.notice(notice);
                self.answer(performed(id, Outcome::Nothing))
            }
        }
    }

    /// The wall time of a run: what was ordered, or less.
    fn timeout_ms(&self, spawn: &SpawnRole) -> u64 {
        let most = self.options.role_timeout.map(|most| most.as_millis());
        let most = most.map_or(u64::MAX, |most| u64::try_from(most).unwrap_or(u64::MAX));
        spawn.limits.timeout_ms.min(most)
    }

    /// Waits for the report of a hosted run that started at `since`.
    fn host(&mut self, id: EffectId, spawn: &SpawnRole, since: Millis) {
        let due = since.saturating_add(self.timeout_ms(spawn));
        self.hosted.wait(id, due);
    }

    /// The agent that hosts is one: it is given one run at a time.
    fn must_wait(&self, order: &Order) -> bool {
        let hosted = |role| self.options.hosted.contains(role);
        matches!(order, Order::SpawnRole(spawn) if hosted(&spawn.role)) && self.hosted.waits()
    }

    /// A started run that another driver has marked as hosted: waited for on, left alone by who
    /// performs no roles, or given up where an agent of our own is to play the role.
    fn host_again(&mut self, id: EffectId, spawn: &SpawnRole, since: Millis) {
        if self.options.hosted.contains(&spawn.role) {
            self.host(id, spawn, since);
        } else if !self.options.hold_roles {
            let fact = hosted::given_up(id, Code::RunLost, "an agent that hosts the role", "none");
            self.answer(Fact::RunEnded(fact));
        }
    }

    /// Gives up hosted runs whose time is up at `now`.
    pub fn end_overdue(&mut self, now: Millis) {
        for id in self.hosted.overdue(now) {
            self.hosted.forget(id);
            let fact = hosted::given_up(id, Code::RunTimedOut, "a report in time", "none");
            self.answer(Fact::RunEnded(fact));
        }
    }

    /// Tells of every timer that is due at `now`, in the order they are due.
    pub fn fire_timers(&mut self, now: Millis) {
        while let Some((due, id)) = self.timers.first().copied()
            && due <= now
        {
            self.timers.remove(&(due, id));
            self.answer(Fact::TimerFired(TimerFired { effect: id }));
        }
    }

    fn answer(&self, fact: Fact) -> Performing {
        // The receiver lives as long as the driver; without it nobody waits for an answer.
        let _ = self.facts.send(fact);
        Performing::Next
    }

    fn next(&self, id: EffectId, work: impl FnOnce() -> Fact + Send + 'static) -> Performing {
        let facts = self.facts.clone();
        let work = move || {
            let fact = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| panicked(id));
            let _ = facts.send(fact);
        };
        match thread::Builder::new().name(format!("effect {id}")).spawn(work) {
            Ok(_) => Performing::Next,
            Err(error) => self.answer(runs::failed(id, &HostError::io("start", "a thread", error))),
        }
    }

    fn alongside(
        &mut self,
        id: EffectId,
        role: bool,
        work: impl FnOnce(&Stop, &dyn Fn(Fact)) + Send + 'static,
    ) -> Performing {
        let (facts, stop) = (self.facts.clone(), Stop::default());
        let heed = stop.clone();
        let tell = move |fact| drop(facts.send(fact));
        let work = move || {
            if catch_unwind(AssertUnwindSafe(|| work(&heed, &tell))).is_err() {
                tell(panicked(id));
            }
        };
        match thread::Builder::new().name(format!("effect {id}")).spawn(work) {
            Ok(thread) => {
                self.live.insert(id, Live { role, stop, thread: Some(thread) });
                Performing::Alongside
            }
            Err(error) => self.answer(runs::failed(id, &HostError::io("start", "a thread", error))),
        }
    }

    /// Looks for what an earlier host left of this effect's process. `true` if its answer is on its
    /// way: the process is never started again.
    fn take_up_earlier(
        &self,
        id: EffectId,
        role: bool,
        started: bool,
        observer: &mut dyn Observer,
    ) -> bool {
        let found = match self.runs.earlier(id) {
            Ok(Earlier::Nothing) if !started => return false,
            Ok(Earlier::Finished(fact)) => Some(*fact),
            Ok(Earlier::Nothing | Earlier::Lost) | Err(_) => None,
        };
        let report = Report::RunRecovered { run: id.to_string(), found: found.is_some() };
        observer.report(&report);
        let expected = "a result beside its record";
        let why = problem(Code::RunLost, format!("run {id}"), expected, "none");
        let fact = match (found, role) {
            (Some(fact), _) => fact,
            (None, true) => Fact::RunEnded(runs::lost(id, why)),
            (None, false) => unknown_exit(id, why),
        };
        if role && !started && matches!(fact, Fact::RunEnded(_)) {
            self.answer(Fact::RunStarted(RunStarted { effect: id, session: None }));
        }
        self.answer(fact);
        true
    }

    /// Forgets what has answered.
    fn answered(&mut self, id: EffectId) {
        self.hosted.forget(id);
        if let Some(thread) = self.live.remove(&id).and_then(|mut live| live.thread.take()) {
            // It has told its last fact; a panic in it has been told as well.
            let _ = thread.join();
        }
    }

    fn kill(&self, wanted: impl Fn(&Live) -> bool) {
        self.live.values().filter(|live| wanted(live)).for_each(|live| live.stop.kill());
    }

    /// Ends everything that runs, and waits for it.
    fn end_all(&mut self) {
        self.kill(|_| true);
        for (_, mut live) in self.live.drain() {
            if let Some(thread) = live.thread.take() {
                let _ = thread.join();
            }
        }
    }
}

impl Drop for Performer {
    fn drop(&mut self) {
        self.end_all();
    }
}

fn performed(id: EffectId, outcome: Outcome) -> Fact {
    Fact::EffectPerformed(EffectPerformed { effect: id, outcome })
}

fn failed(id: EffectId, problem: Diagnostic) -> Fact {
    Fact::EffectFailed(EffectFailed { effect: id, problem })
}

/// A bug of ours in a thread must be told, or the mission would wait for ever.
fn panicked(id: EffectId) -> Fact {
    failed(id, problem(Code::HostFailed, format!("effect {id}"), "to perform it", "a panic"))
}

fn outcome(id: EffectId, result: Result<Outcome, Diagnostic>) -> Fact {
    match result {
        Ok(outcome) => performed(id, outcome),
        Err(problem) => failed(id, problem),
    }
}

fn unknown_exit(id: EffectId, problem: Diagnostic) -> Fact {
    let (status, output, problem) = (None, String::new(), Some(problem));
    Fact::CommandExited(CommandExited { effect: id, status, output, problem })
}

/// Refuses a command that must run at another head than the repository has.
fn elsewhere(places: &Places, id: EffectId, expected: Option<&str>) -> Option<Fact> {
    let expected = expected?;
    match Git::of(&places.root).head() {
        Ok(Some(head)) if head == expected => None,
        Ok(head) => {
            let got = head.unwrap_or_else(|| "no commit".to_owned());
            Some(unknown_exit(id, problem(Code::WrongCommit, "HEAD", expected, &got)))
        }
        Err(error) => Some(runs::failed(id, &error)),
    }
}

/// Asks host code, for at most `timeout`.
fn consult(
    id: EffectId,
    order: &Consult,
    handler: Option<Handler>,
    timeout: Duration,
    stop: &Stop,
) -> Fact {
    let none = |code, expected: &str, got: &str| {
        let problem = Some(problem(code, order.handler.as_str(), expected, got));
        Fact::Consulted(Consulted { effect: id, answer: None, problem })
    };
    let Some(handler) = handler else {
        return none(Code::HostFailed, "host code of this name", "none");
    };
    let (send, answer) = mpsc::channel();
    let input = order.input.clone();
    // Not waited for: host code that never answers must not keep the mission.
    thread::spawn(move || send.send(handler(&input)));
    let began = Instant::now();
    loop {
        match answer.recv_timeout(Duration::from_millis(50).min(timeout)) {
            Ok(Ok(text)) => {
                return Fact::Consulted(Consulted {
                    effect: id,
                    answer: Some(text),
                    problem: None,
                });
            }
            Ok(Err(why)) => return none(Code::HostFailed, "an answer", &why),
            Err(RecvTimeoutError::Disconnected) => {
                return none(Code::HostFailed, "an answer", "the host code panicked");
            }
            Err(RecvTimeoutError::Timeout) if began.elapsed() >= timeout => {
                let expected = format!("an answer within {} ms", timeout.as_millis());
                return none(Code::RunTimedOut, &expected, "none");
            }
            Err(RecvTimeoutError::Timeout) if stop.asked() => {
                return none(Code::RunLost, "an answer", "stopped");
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

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
    _lock: Lock,
}

impl Driver {
    /// Begins a mission in the repository at `root`.
    ///
    /// # Errors
    /// `mission_exists`, `locked`, `unsafe_state_directory`, `malformed` for the config, `io`.
    pub fn create(root: &Path, config: Config, options: Options) -> HostResult<Driver> {
        let (places, lock) = enter(root)?;
        let (store, engine) = Store::create(&places, config, now())?;
        check_hosted(&engine, &options)?;
        Ok(Driver::with(places, lock, store, engine, options))
    }

    /// Opens the mission in the repository at `root`. If its last driver did not end by itself,
    /// `host_recovered` is journaled.
    ///
    /// # Errors
    /// `no_mission`, `locked`, `unsafe_state_directory`, `journal_damaged`, `other_rules`, `io`; `usage`
    /// if a role is to be hosted that gives verdicts.
    pub fn open(root: &Path, options: Options) -> HostResult<Driver> {
        let places = Places::of(root);
        places.check()?;
        if !places.journal().exists() {
            return Err(HostError::NoMission { path: places.journal() });
        }
        let (places, lock) = enter(root)?;
        let (store, opened) = Store::open(&places)?;
        let took_over = lock.took_over;
        check_hosted(&opened.engine, &options)?;
        let mut driver = Driver::with(places.clone(), lock, store, opened.engine, options);
        driver.reports = opened.reports;
        driver.forget_taken(opened.last.as_ref())?;
        if took_over {
            driver.reports.insert(0, Report::TookOver);
        }
        let lives = |one: &Arc<Outstanding>| !hosted::is_hosted(&places, one.effect.id);
        let lost = driver.engine.snapshot().head.live_runs().any(lives);
        if took_over || opened.torn > 0 || lost {
            driver.performer.runs.end_leftovers();
            driver.tell_of_earlier_starts()?;
            let note = "the driver before this one did not end by itself".to_owned();
            driver.recovered(Recovery::Restart, note, &mut Quiet)?;
        }
        Ok(driver)
    }

    /// Roles whose record says that they were started although the journal does not: that comes
    /// first, for the recovery takes back what was never started.
    fn tell_of_earlier_starts(&mut self) -> HostResult<()> {
        for one in self.engine.pending() {
            let id = one.effect.id;
            let ordered = matches!(one.effect.order, Order::SpawnRole(_)) && !one.live();
            if ordered && !matches!(self.performer.runs.earlier(id)?, Earlier::Nothing) {
                let fact = Fact::RunStarted(RunStarted { effect: id, session: None });
                self.apply(fact, &mut Quiet)?;
            }
        }
        Ok(())
    }

    fn with(places: Places, lock: Lock, store: Store, engine: Engine, options: Options) -> Driver {
        let (send, facts) = mpsc::channel();
        let inbox = Inbox::of(&places.engine);
        let queue = engine.pending().iter().map(|outstanding| outstanding.effect.id).collect();
        Driver {
            performer: Performer::new(&places, options, send),
            engine,
            store,
            inbox,
            facts,
            queue,
            busy: None,
            reports: Vec::new(),
            last_look: None,
            heeded: 0,
            spoilt: false,
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
    /// `io` if the journal cannot be written, `broken` for a bug of the engine. Everything that was
    /// started has been ended then.
    pub fn run(&mut self, observer: &mut dyn Observer, stop: &StopFlag) -> HostResult<Ended> {
        for report in std::mem::take(&mut self.reports) {
            observer.report(&report);
        }
        let result = self.turns(observer, stop);
        if result.is_err() {
            self.performer.end_all();
        }
        self.rest();
        result
    }

    fn turns(&mut self, observer: &mut dyn Observer, stop: &StopFlag) -> HostResult<Ended> {
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
            Order::SpawnRole(_) if held => one.live() && !self.hosted(one),
            Order::SpawnRole(_) => true,
            Order::SetTimer(_) => goes_on,
            _ => true,
        };
        let mut outbox = self.engine.snapshot().head.outbox.iter();
        self.performer.live.is_empty() && !outbox.any(|one| waits(one))
    }

    /// Whether this run was given to an agent of the user.
    fn hosted(&self, one: &Outstanding) -> bool {
        hosted::is_hosted(&self.performer.places, one.effect.id)
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
            let role = matches!(effect.order, Order::SpawnRole(_));
            if self.performer.live.contains_key(&id) {
                continue;
            }
            if let Delivery::Started { at, .. } = outstanding.delivery {
                match &effect.order {
                    Order::SpawnRole(spawn) if self.hosted(&outstanding) => {
                        self.performer.host_again(id, spawn, at);
                    }
                    _ => drop(self.performer.take_up_earlier(id, role, true, observer)),
                }
                continue;
            }
            if role && self.performer.options.hold_roles {
                continue;
            }
            if self.performer.must_wait(&effect.order) {
                later.push(id);
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
            Err(HostError::Core(error)) if error.kind != Kind::Broken => error,
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
        self.queue.extend(applied.effects.iter().map(|effect| effect.id));
        observer.event(&self.engine, &event, &applied);
        if self.store.snapshot_due() {
            // The journal has everything; a snapshot only makes opening cheap.
            let _ = self.store.snapshot(&self.engine);
        }
        Ok(applied)
    }

    /// Turns what the user asked for into commands. `true` if everything is to be left at once.
    fn heed(&mut self, stop: &StopFlag, observer: &mut dyn Observer) -> HostResult<bool> {
        if stop.leaves() {
            return Ok(true);
        }
        while self.heeded < stop.count().min(3) {
            self.heeded += 1;
            let mode = match self.heeded {
                1 => StopMode::Drain,
                2 => StopMode::Kill,
                _ => return Ok(true),
            };
            let command = Command::Stop { mode };
            let fact = Fact::UserCommanded(UserCommanded { id: None, command });
            match self.apply(fact, observer) {
                Ok(_) => {}
                Err(HostError::Core(error)) if error.kind == Kind::Refused => {}
                Err(other) => return Err(other),
            }
            if mode == StopMode::Kill {
                self.performer.kill(|live| !live.role);
            }
        }
        Ok(false)
    }

    fn look_into_inbox(&mut self, observer: &mut dyn Observer) -> HostResult<()> {
        if self.last_look.is_some_and(|last| last.elapsed() < INBOX_EVERY) {
            return Ok(());
        }
        self.last_look = Some(Instant::now());
        for path in self.inbox.waiting()? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let taken = self.inbox.read(&path).and_then(|letter| match letter.says {
                Says::Fact(fact) => self.apply(fact, observer).map(drop),
                Says::Report(report) => self.report(&report, observer),
            });
            match taken {
                Ok(()) => self.inbox.remove(&path)?,
                Err(HostError::Core(error)) if error.code == Code::DuplicateCommand => {
                    self.inbox.remove(&path)?;
                }
                Err(error) if self.spoilt => return Err(error),
                Err(HostError::Core(error)) if error.kind == Kind::Broken => {
                    return Err(error.into());
                }
                Err(why) => {
                    self.inbox.refuse(&path, &why)?;
                    observer.refused(&name, &why);
                }
            }
        }
        Ok(())
    }

    /// Takes the report of a hosted run, from whoever was given it.
    fn report(&mut self, said: &HostedReport, observer: &mut dyn Observer) -> HostResult<()> {
        let ended = hosted::reported(&self.engine, &self.performer.places, said, now())?;
        self.apply(Fact::RunEnded(ended), observer)?;
        self.performer.hosted.forget(said.run);
        Ok(())
    }

    /// Removes a letter whose event was the last thing the driver before this one did.
    fn forget_taken(&mut self, last: Option<&Fact>) -> HostResult<()> {
        let Some(last @ (Fact::QuestionAnswered(_) | Fact::RunEnded(_))) = last else {
            return Ok(());
        };
        for path in self.inbox.waiting()? {
            if self.inbox.read(&path).is_ok_and(|letter| self.led_to(&letter.says, last)) {
                self.inbox.remove(&path)?;
            }
        }
        Ok(())
    }

    /// Whether this letter is where the fact came from.
    fn led_to(&self, says: &Says, fact: &Fact) -> bool {
        match (says, fact) {
            (Says::Fact(said), fact) => said == fact,
            (Says::Report(said), Fact::RunEnded(ended)) => {
                let text = self.performer.options.redactor.text(said.text.clone());
                said.run == ended.effect && ended.report == Some(text)
            }
            (Says::Report(_), _) => false,
        }
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
    }
}

/// Whoever hosts must not give verdicts.
fn check_hosted(engine: &Engine, options: &Options) -> HostResult<()> {
    let wanted: Vec<String> = options.hosted.iter().cloned().collect();
    hosted::roles(engine, &wanted).map(drop)
}

/// Makes the directories, takes the lock, sweeps.
fn enter(root: &Path) -> HostResult<(Places, Lock)> {
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
