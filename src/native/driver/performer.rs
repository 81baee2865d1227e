//! Performs effects: what is written, looked at and committed one after the other, what runs beside.

use super::super::commit::{self, Wanted};
use super::super::error::{HostError, problem};
use super::super::files;
use super::super::git::Git;
use super::super::hosted::{self, Hosted};
use super::super::observer::{Observer, Report};
use super::super::own_files;
use super::super::process::Stop;
use super::super::runs::{self, Begun, Earlier, Runs};
use super::super::store::Places;
use super::answer::{consult, elsewhere, failed, outcome, panicked, performed, unknown_exit};
use super::now;
use super::options::Options;
use crate::engine::Engine;
use crate::vocab::effect::{Effect, Observe, Order, SpawnRole};
use crate::vocab::error::{Code, Error};
use crate::vocab::event::{
    DocumentsObserved, EffectId, Fact, Outcome, RepositoryObserved, RunStarted, TimerFired,
};
use crate::vocab::role::HOSTED_SESSION;
use crate::vocab::time::Millis;
use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};

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
    pub(super) places: Places,
    pub(super) options: Options,
    pub(super) runs: Arc<Runs>,
    pub(super) facts: Sender<Fact>,
    pub(super) live: HashMap<EffectId, Live>,
    /// Runs of an earlier driver that live and are left to the driver after this one.
    pub(super) left: HashMap<EffectId, (SpawnRole, Begun)>,
    pub(super) hosted: Hosted,
    pub(super) timers: BTreeSet<(Millis, EffectId)>,
    /// The last event of the drivers before this one, if there were any.
    pub(super) earlier: Option<u64>,
    /// Files that were kept out of git's sight, or could not be, by this driver.
    hidden: BTreeSet<String>,
}

pub(super) struct Live {
    pub(super) role: bool,
    pub(super) stop: Stop,
    pub(super) thread: Option<JoinHandle<()>>,
}

impl Performer {
    /// For the mission at these places.
    pub fn new(
        places: &Places,
        options: Options,
        facts: Sender<Fact>,
        earlier: Option<u64>,
    ) -> Performer {
        let (redactor, confinement) = (options.redactor.clone(), options.confinement());
        let runs = Runs { places: places.clone(), redactor, confinement };
        if options.agent.is_some() {
            // Tried before anything else is done in the repository. Where it fails, each run says so.
            let _ = runs.confinement.words(places, &[], false);
        }
        let (places, runs) = (places.clone(), Arc::new(runs));
        let (live, hosted, timers) = (HashMap::new(), Hosted::default(), BTreeSet::new());
        Performer {
            places,
            options,
            runs,
            facts,
            live,
            left: HashMap::new(),
            hosted,
            timers,
            earlier,
            hidden: BTreeSet::new(),
        }
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
                self.clear_new(id, observer);
                match self.hosted.mark(&self.places, id) {
                    Ok(()) => self.host(id, spawn, now()),
                    Err(error) => return self.answer(runs::failed(id, &error)),
                }
                let session = Some(HOSTED_SESSION.to_owned());
                let started = RunStarted { effect: id, session, confined: false };
                let _ = self.facts.send(Fact::RunStarted(started));
                Performing::Alongside
            }
            Order::SpawnRole(spawn) => {
                if self.take_up_earlier(effect, false, observer) {
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
                if let Some((spawn, begun)) = self.left.remove(&order.run) {
                    self.look_on(order.run, spawn, begun);
                }
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
                self.hide(&order.path, observer);
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
                if self.take_up_earlier(effect, false, observer) {
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
            Order::Observe(Observe::Repository { since, basis, known, within, without }) => {
                let (since, basis, known) = (since.clone(), basis.clone(), known.clone());
                let (within, without) = (within.clone(), without.clone());
                let places = self.places.clone();
                self.next(id, move || {
                    let git = Git::of(&places.root);
                    match git.observe(&places, since.as_deref(), basis.as_deref(), &known) {
                        Ok(mut repository) => {
                            repository.beside = git.beside(&known, &within, &without);
                            let seen = RepositoryObserved { effect: id, repository };
                            Fact::RepositoryObserved(seen)
                        }
                        Err(error) => runs::failed(id, &error),
                    }
                })
            }
            Order::Observe(Observe::Documents { paths, tracked }) => {
                let (places, paths, tracked) = (self.places.clone(), paths.clone(), *tracked);
                self.next(id, move || {
                    let known = tracked.then(|| Git::of(&places.root).tracked(&paths)).transpose();
                    match known {
                        Ok(known) => {
                            let documents = files::documents(&places, &paths, known.as_ref());
                            Fact::DocumentsObserved(DocumentsObserved { effect: id, documents })
                        }
                        Err(error) => runs::failed(id, &error),
                    }
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

    /// Keeps a file of the mission out of git's sight before it is written. That it cannot be is no reason to stop.
    fn hide(&mut self, path: &str, observer: &mut dyn Observer) {
        if self.hidden.contains(path) {
            return;
        }
        match own_files::hide(&self.places, path) {
            Ok(false) => return,
            Ok(true) => {}
            Err(error) => {
                let (path, why) = (path.to_owned(), error.to_string());
                observer.report(&Report::NotHidden { path, why });
            }
        }
        self.hidden.insert(path.to_owned());
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
    pub(super) fn must_wait(&self, order: &Order) -> bool {
        let hosted = |role| self.options.hosted.contains(role);
        matches!(order, Order::SpawnRole(spawn) if hosted(&spawn.role)) && self.hosted.waits()
    }

    /// A started run that another driver has marked as hosted: waited for on, left alone by who
    /// performs no roles, or given up where an agent of our own is to play the role.
    pub(super) fn host_again(&mut self, id: EffectId, spawn: &SpawnRole, since: Millis) {
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

    pub(super) fn answer(&self, fact: Fact) -> Performing {
        // The receiver lives as long as the driver; without it nobody waits for an answer.
        let _ = self.facts.send(fact);
        Performing::Next
    }

    pub(super) fn next(
        &self,
        id: EffectId,
        work: impl FnOnce() -> Fact + Send + 'static,
    ) -> Performing {
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
    /// way: the process is never started again. What was ordered since by this driver has no earlier
    /// host: if something is there all the same, somebody put it there, and it is not believed.
    pub(super) fn take_up_earlier(
        &mut self,
        effect: &Effect,
        started: bool,
        observer: &mut dyn Observer,
    ) -> bool {
        let id = effect.id;
        if self.clear_new(id, observer) {
            return false;
        }
        let earlier = match self.runs.earlier(id) {
            Ok(Earlier::Nothing) if !started => return false,
            found => found.unwrap_or(Earlier::Nothing),
        };
        let spawn = if let Order::SpawnRole(spawn) = &effect.order { Some(spawn) } else { None };
        if spawn.is_some() && !started {
            let confined = self.runs.confined(id);
            self.answer(Fact::RunStarted(RunStarted { effect: id, session: None, confined }));
        }
        let run = id.to_string();
        observer.report(&match &earlier {
            Earlier::Begun(begun) if begun.lives && spawn.is_some() => Report::RunTakenUp { run },
            Earlier::Begun(begun) => Report::RunRecovered { run, found: begun.ended },
            Earlier::Finished(_) => Report::RunRecovered { run, found: true },
            Earlier::Nothing => Report::RunRecovered { run, found: false },
        });
        match (earlier, spawn) {
            (Earlier::Begun(begun), Some(spawn)) if begun.lives && self.options.hold_roles => {
                self.left.insert(id, (spawn.clone(), begun));
            }
            (Earlier::Begun(begun), Some(spawn)) => self.look_on(id, spawn.clone(), begun),
            (Earlier::Finished(fact), spawn) => {
                let unheard = spawn.map_or(Vec::new(), |_| self.runs.unheard(id));
                for said in unheard.into_iter().chain([*fact]) {
                    self.answer(said);
                }
            }
            (earlier, spawn) => {
                if let Earlier::Begun(begun) = &earlier {
                    self.runs.end(id, begun);
                }
                let why = problem(
                    Code::RunLost,
                    format!("run {id}"),
                    "a result beside its record",
                    "none",
                );
                self.answer(match spawn {
                    Some(_) => Fact::RunEnded(runs::lost(id, why)),
                    None => unknown_exit(id, why),
                });
            }
        }
        true
    }

    /// Looks on at a role where an earlier driver did.
    fn look_on(&mut self, id: EffectId, mut spawn: SpawnRole, begun: Begun) {
        spawn.limits.timeout_ms = self.timeout_ms(&spawn);
        let runs = self.runs.clone();
        self.alongside(id, true, move |stop, tell| {
            runs.role_again(id, &spawn, begun, stop, tell);
        });
    }

    /// Whether this driver itself ordered the run; what stands in its place already is taken away.
    fn clear_new(&self, id: EffectId, observer: &mut dyn Observer) -> bool {
        let new = self.earlier.is_none_or(|last| id.seq > last);
        if new && self.runs.clear(id) {
            observer.report(&Report::RunForeign { run: id.to_string() });
        }
        new
    }

    /// Forgets what has answered.
    pub(super) fn answered(&mut self, id: EffectId) {
        self.hosted.forget(id);
        if let Some(thread) = self.live.remove(&id).and_then(|mut live| live.thread.take()) {
            // It has told its last fact; a panic in it has been told as well.
            let _ = thread.join();
        }
    }

    pub(super) fn kill(&self, wanted: impl Fn(&Live) -> bool) {
        self.live.values().filter(|live| wanted(live)).for_each(|live| live.stop.kill());
    }

    /// Ends everything that runs, and waits for it.
    pub(super) fn end_all(&mut self) {
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
