//! A small world in memory for tests of the core: it performs effects as a host would, without a
//! disk, so that stories can be told event by event.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used, clippy::panic)]

#[path = "../dressing/mod.rs"]
pub mod dressing;
pub mod fingerprint;
mod shared;

use endstate::engine::{Applied, Config, Decided, Engine, digest};
use endstate::protocols::ProtocolConfig;
use endstate::protocols::completion;
use endstate::protocols::completion::files as canonical;
use endstate::vocab::budget::Counter;
use endstate::vocab::command::Command;
use endstate::vocab::effect::{Observe, Order, Outstanding};
use endstate::vocab::error::{Code, Diagnostic, Error};
use endstate::vocab::event::*;
use endstate::vocab::json;
use endstate::vocab::question::Answer;
use endstate::vocab::repository::{
    Change, CommitSeen, DocumentSeen, FileSeen, PathDigest, Repository, Seen, line_asked,
};
use endstate::vocab::role::Usage;
use serde_json::{Value, json};
use shared::Shared;
use std::collections::BTreeMap;

pub const MISSION: &str = "Greet every visitor by name.";

/// A config of a mission whose contract files the host can write itself.
pub fn config() -> completion::Config {
    completion::Config {
        onboard: true,
        docs_surfaces: vec!["README.md".to_owned()],
        verification_commands: vec![vec!["make".to_owned(), "test".to_owned()]],
        ..completion::Config::new(MISSION, "greeter")
    }
}

/// A repository in memory.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Commits on the branch: id and the paths each changes.
    pub commits: Shared<Vec<(String, Vec<String>)>>,
    /// Dirty paths and their digests.
    pub dirty: Shared<BTreeMap<String, String>>,
    /// Canonical files.
    pub files: Shared<BTreeMap<String, String>>,
    /// What the stop verifier exits with, and every command that `exits` does not name.
    pub verifier: i32,
    /// What a command exits with and prints, by its purpose.
    pub exits: Shared<BTreeMap<String, (Option<i32>, String)>>,
    /// What a command does to the tree, by its purpose: the paths it commits, or leaves if `true`.
    pub works: Shared<BTreeMap<String, (Vec<String>, bool)>>,
    /// Other refs.
    pub refs: String,
    /// What is wrong with the repository.
    pub problem: Option<Diagnostic>,
    /// Detached head.
    pub detached: bool,
    /// Another branch than `main`.
    pub branch: Option<String>,
    /// Commits that were taken back.
    pub gone: Shared<Vec<(String, Vec<String>)>>,
    /// Files without whose change no command holds in a room, and how they differ.
    pub changed: (Vec<String>, String),
}

impl World {
    pub fn new() -> Self {
        let mut world = World { refs: "refs".to_owned(), ..World::default() };
        world.commit(&["README.md"]);
        world
    }

    /// Adds a commit and answers its id.
    pub fn commit(&mut self, paths: &[&str]) -> String {
        let id = digest(&format!("{} {paths:?}", self.commits.len()))[..40].to_owned();
        self.commits.push((id.clone(), paths.iter().map(|path| (*path).to_owned()).collect()));
        for path in paths {
            self.dirty.remove(*path);
        }
        id
    }

    /// Takes the last commit back.
    pub fn take_back(&mut self) {
        self.gone.extend(self.commits.pop());
    }

    pub fn head(&self) -> Option<String> {
        self.commits.last().map(|(id, _)| id.clone())
    }

    fn change(&self, from: &str) -> Change {
        let place = match from {
            "none" => Some(0),
            _ => self.commits.iter().position(|(id, _)| id == from).map(|place| place + 1),
        };
        let after = place.map_or(&self.commits[..], |place| &self.commits[place..]);
        let gone = self.gone.iter().filter(|_| place.is_none());
        let mut paths: Vec<String> =
            after.iter().chain(gone).flat_map(|(_, paths)| paths.clone()).collect();
        paths.sort();
        paths.dedup();
        let commits = after.iter().rev().map(|(id, _)| id.clone()).collect();
        let descends = place.is_some();
        // Of one commit alone the change has the paths.
        let several = after.iter().rev().filter(|_| after.len() > 1);
        let row = |(id, paths): &(String, Vec<String>)| CommitSeen {
            id: id.clone(),
            paths: paths.clone(),
        };
        let touched = several.map(row).collect();
        let lost = match descends {
            true => Vec::new(),
            false => self.gone.iter().rev().map(|(id, _)| id.clone()).collect(),
        };
        Change { from: from.to_owned(), descends, paths, commits, lost, touched, truncated: false }
    }

    fn seen(&self, path: &str) -> Seen {
        match self.files.get(path) {
            None => Seen::Absent,
            Some(text) if path.ends_with(".jsonl") => {
                Seen::Digest { digest: digest(text), length: text.len() as u64, problem: None }
            }
            Some(text) => Seen::Text { digest: digest(text), text: text.clone() },
        }
    }

    /// Whether a place in a file is asked for that is not there.
    fn lacks(&self, asked: &PathDigest) -> bool {
        let line = line_asked(&asked.digest).unwrap_or_default();
        let lines = self.files.get(&asked.path).map(|text| text.lines().count());
        lines.is_none_or(|lines| lines < line as usize)
    }

    fn seen_at(&self, known: &PathDigest) -> Seen {
        match (line_asked(&known.digest), self.seen(&known.path)) {
            (Some(line), Seen::Text { digest, text }) => {
                let expected = format!("a file with {line} lines");
                let got = text.lines().count().to_string();
                let problem = Error::new(Code::InvalidValue, &known.path, expected, got);
                let (length, problem) = (text.len() as u64, Some(problem.diagnostic()));
                Seen::Digest { digest, length, problem }
            }
            (_, seen) => seen,
        }
    }

    /// What git would call dirty: what somebody changed, and state files that nothing hides yet.
    fn dirt(&self) -> Vec<PathDigest> {
        let ignored = self.files.get(canonical::GITIGNORE);
        let hidden = ignored.is_some_and(|text| text.contains(".agent/"));
        let state = canonical::STATE_FILES.iter().chain(&canonical::HISTORIES);
        let bare = state.filter_map(|path| Some((*path, digest(self.files.get(*path)?))));
        let bare = bare.filter(|_| !hidden).map(|(path, digest)| (path.to_owned(), digest));
        let theirs = self.dirty.iter().map(|(path, digest)| (path.clone(), digest.clone()));
        let all: BTreeMap<String, String> = bare.chain(theirs).collect();
        all.into_iter().map(|(path, digest)| PathDigest { path, digest }).collect()
    }

    fn observe(
        &self,
        since: &Option<String>,
        basis: &Option<String>,
        known: &[PathDigest],
    ) -> Repository {
        let differs = known.iter().filter(|known| {
            let now = self.files.get(&known.path).map_or("absent".to_owned(), |text| digest(text));
            let there = || self.commits.iter().any(|(_, paths)| paths.contains(&known.path));
            match known.digest.as_str() {
                asked if asked.starts_with("present:") => self.lacks(known) && !there(),
                "present" => now == "absent" && !there(),
                digest => now != digest,
            }
        });
        Repository {
            head: self.head(),
            branch: (!self.detached).then(|| self.branch.clone().unwrap_or("main".to_owned())),
            refs: self.refs.clone(),
            problem: self.problem.clone(),
            dirty: self.dirt(),
            since: since.as_ref().map(|from| Box::new(self.change(from))),
            basis: basis
                .as_ref()
                .map(|from| Box::new(Change { touched: Vec::new(), ..self.change(from) })),
            files: differs
                .map(|known| FileSeen { path: known.path.clone(), seen: self.seen_at(known) })
                .collect(),
            beside: Vec::new(),
        }
    }

    fn beside(
        &self,
        known: &[PathDigest],
        within: &[String],
        without: &[String],
    ) -> Vec<PathDigest> {
        let under = |path: &str, all: &[String]| all.iter().any(|one| path.starts_with(one));
        let strange = self.files.iter().filter(|(path, _)| {
            under(path, within)
                && !under(path, without)
                && !known.iter().any(|one| one.path == **path)
        });
        strange
            .map(|(path, text)| PathDigest { path: path.clone(), digest: digest(text) })
            .collect()
    }

    /// Performs everything but roles and questions.
    pub fn perform(&mut self, engine: &Engine, one: &Outstanding) -> Option<Fact> {
        let effect = one.effect.id;
        let file = |text: &str| Outcome::File { digest: digest(text), length: text.len() as u64 };
        let performed = |outcome| Some(Fact::EffectPerformed(EffectPerformed { effect, outcome }));
        match &one.effect.order {
            Order::SpawnRole(_) | Order::AskUser(_) => None,
            Order::StopRole(_) | Order::Notify(_) => performed(Outcome::Nothing),
            Order::WriteFile(write) => {
                let text = engine.render(&write.path).unwrap();
                let now = self.files.get(&write.path).map(|text| digest(text));
                if now != write.expected
                    && now != write.aside
                    && now.as_ref() != Some(&digest(&text))
                {
                    let got = now.unwrap_or_default();
                    let problem = Error::new(Code::ForeignWrite, &write.path, "known", got);
                    return Some(Fact::EffectFailed(EffectFailed {
                        effect,
                        problem: problem.diagnostic(),
                    }));
                }
                if now.is_some() && now == write.aside && now != write.expected {
                    let old = self.files[&write.path].clone();
                    self.files.insert(format!(".agent/tmp/rejected-{}.json", digest(&old)), old);
                }
                let outcome = file(&text);
                self.files.insert(write.path.clone(), text);
                performed(outcome)
            }
            Order::AppendHistory(append) => {
                let now = self.files.get(&append.path).cloned().unwrap_or_default();
                let exists = self.files.contains_key(&append.path);
                let prefix = exists.then(|| digest(&now));
                if now.len() as u64 != append.offset || prefix != append.prefix_digest {
                    let problem = Error::new(Code::ForeignAppend, &append.path, "known", "other");
                    return Some(Fact::EffectFailed(EffectFailed {
                        effect,
                        problem: problem.diagnostic(),
                    }));
                }
                let text = now + &append.text;
                let outcome = file(&text);
                self.files.insert(append.path.clone(), text);
                performed(outcome)
            }
            Order::CommitFiles(commit) => {
                let mut files = Vec::new();
                for path in &commit.paths {
                    let text = engine.render(path).unwrap();
                    files.push(PathDigest { path: path.clone(), digest: digest(&text) });
                    self.files.insert(path.clone(), text);
                }
                let paths: Vec<&str> = commit.paths.iter().map(String::as_str).collect();
                let head = self.commit(&paths);
                performed(Outcome::Commit { head, files })
            }
            Order::RunCommand(command) => {
                if let Some((paths, leaves)) = self.works.get(&command.purpose).cloned() {
                    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
                    match leaves {
                        true => self
                            .dirty
                            .extend(paths.iter().map(|path| ((*path).into(), "left".into()))),
                        false => drop(self.commit(&paths)),
                    }
                }
                let told = self.exits.get(&command.purpose).cloned();
                let (status, output) = told.unwrap_or((Some(self.verifier), String::new()));
                let exited = CommandExited::new(effect, status, output);
                let held = command.room.as_ref().is_some_and(|room| !room.held.is_empty());
                let (paths, diff) = self.changed.clone();
                Some(Fact::CommandExited(match held && !paths.is_empty() {
                    true => CommandExited { status: Some(1), held: paths, diff, ..exited },
                    false => exited,
                }))
            }
            Order::Observe(Observe::Repository { since, basis, known, within, without }) => {
                let mut repository = self.observe(since, basis, known);
                repository.beside = self.beside(known, within, without);
                Some(Fact::RepositoryObserved(RepositoryObserved { effect, repository }))
            }
            Order::Observe(Observe::Documents { paths, .. }) => {
                let documents = paths
                    .iter()
                    .map(|path| DocumentSeen { path: path.clone(), seen: self.seen(path) });
                let documents = documents.collect();
                Some(Fact::DocumentsObserved(DocumentsObserved { effect, documents }))
            }
            Order::SetTimer(_) | Order::Consult(_) => None,
        }
    }
}

/// A story with the name of its trace and a title for people.
pub struct Tale {
    pub name: &'static str,
    pub title: &'static str,
    pub tell: fn() -> Story,
}

pub const fn tale(name: &'static str, title: &'static str, tell: fn() -> Story) -> Tale {
    Tale { name, title, tell }
}

/// A role without the prefix of its protocol.
pub fn plain(role: &str) -> &str {
    role.split_once('-').map_or(role, |(_, name)| name)
}

/// One text that was given to the engine, and what it answered.
#[derive(Clone, Debug)]
pub enum Told {
    Taken(Box<Event>, Decided),
    Refused(String, Error),
}

/// An engine and its world, moved event by event.
#[derive(Clone)]
pub struct Story {
    pub engine: Engine,
    pub world: World,
    pub at: u64,
    /// What it was started with, when, and what was decided then.
    pub config: Config,
    pub began: (u64, Decided),
    /// Everything that was told, refusals among it.
    pub told: Vec<Told>,
    /// Every event that was taken, with what it led to.
    pub taken: Vec<(Event, Applied)>,
}

impl Story {
    pub fn new(config: completion::Config) -> Self {
        Story::in_world(config, World::new())
    }

    pub fn in_world(config: completion::Config, world: World) -> Self {
        let config =
            Config { budget: BTreeMap::new(), ..Config::new(ProtocolConfig::Completion(config)) };
        Story::start(&config, world)
    }

    pub fn start(config: &Config, world: World) -> Self {
        let at = 1_800_000_000_000;
        let (engine, applied) = Engine::start(config, at).unwrap();
        let began = (at, applied.decided);
        let (config, told, taken) = (config.clone(), Vec::new(), Vec::new());
        Story { engine, world, at, config, began, told, taken }
    }

    /// The shortest mission: one judge, nothing to document, nothing to run.
    pub fn small() -> completion::Config {
        completion::Config {
            onboard: true,
            required_stop_judges: 1,
            ..completion::Config::new(MISSION, "greeter")
        }
    }

    /// The small mission with limits of its own.
    pub fn limited(limits: &[(Counter, u64)]) -> Self {
        let mission = ProtocolConfig::Completion(Story::small());
        let budget = limits.iter().copied().collect();
        let mut story =
            Story::start(&Config { budget, proof: Default::default(), mission }, World::new());
        story.go();
        story
    }

    /// Settles, starts, settles.
    pub fn go(&mut self) {
        self.settle();
        self.command(Command::Start);
        self.settle();
    }

    /// The small mission, started: the first re-ground is due.
    pub fn going() -> Self {
        let mut story = Story::new(Story::small());
        story.go();
        story
    }

    /// S1 is selected.
    pub fn planned() -> Self {
        let mut story = Story::going();
        story.plan(&["S1"]);
        story
    }

    /// S1 is committed and claimed: its review is due.
    pub fn committed() -> Self {
        let mut story = Story::planned();
        story.implement("S1");
        story
    }

    /// S1 is reviewed and audited: its reconciliation is due.
    pub fn audited() -> Self {
        let mut story = Story::committed();
        story.verify("S1");
        story
    }

    /// S1 is accepted and nothing is open: a judge is due.
    pub fn closed() -> Self {
        let mut story = Story::audited();
        story.reconcile("S1", None);
        story
    }

    /// A mission that was started and whose host work is done.
    pub fn started() -> Self {
        let mut story = Story::new(config());
        story.settle();
        story.command(Command::Start);
        story.settle();
        story
    }

    pub fn try_fact(&mut self, fact: Fact) -> Result<Applied, Error> {
        self.at += 1_000;
        self.try_event(Event { at: self.at, fact })
    }

    pub fn try_event(&mut self, event: Event) -> Result<Applied, Error> {
        match self.engine.apply(&event) {
            Ok(applied) => {
                self.told.push(Told::Taken(Box::new(event.clone()), applied.decided.clone()));
                self.taken.push((event, applied.clone()));
                Ok(applied)
            }
            Err(error) => {
                self.told.push(Told::Refused(json::encode(&event), error.clone()));
                Err(error)
            }
        }
    }

    /// Gives raw text to the decoder, as a host would.
    pub fn raw(&mut self, text: &str) -> Result<Applied, Error> {
        match json::decode::<Event>(text) {
            Ok(event) => self.try_event(event),
            Err(error) => {
                self.told.push(Told::Refused(text.to_owned(), error.clone()));
                Err(error)
            }
        }
    }

    /// Expects the text to be refused and nothing to be changed by it.
    pub fn raw_refused(&mut self, text: &str) -> Error {
        let before = self.engine.snapshot().clone();
        let error = self.raw(text).expect_err("the text is refused");
        assert_eq!(self.engine.snapshot(), &before, "a refused event changed something");
        error
    }

    /// Expects the fact to be refused and nothing to be changed by it.
    pub fn refused(&mut self, fact: Fact) -> Error {
        let before = self.engine.snapshot().clone();
        let error = self.try_fact(fact).expect_err("the fact is refused");
        assert_eq!(self.engine.snapshot(), &before, "a refused event changed something");
        error
    }

    pub fn command_refused(&mut self, command: Command) -> Error {
        self.refused(Fact::UserCommanded(UserCommanded { id: None, command }))
    }

    /// A command, and the host work that follows from it.
    pub fn say(&mut self, command: Command) {
        self.command(command);
        self.settle();
    }

    /// The host came back or lost its memory, and looks again.
    pub fn recover(&mut self, from: Recovery) {
        self.fact(Fact::HostRecovered(HostRecovered { from, note: String::new() }));
        self.settle();
    }

    /// Performs host work until an order of this name is outstanding.
    pub fn settle_until(&mut self, name: &str) -> Outstanding {
        for _ in 0..200 {
            let pending = self.engine.pending();
            if let Some(one) = pending.iter().find(|one| one.effect.order.name() == name) {
                return one.clone();
            }
            let fact = pending.iter().find_map(|one| self.world.perform(&self.engine, one));
            let Some(fact) = fact else { break };
            self.fact(fact);
        }
        panic!("no {name} is ever ordered: {:#?}", self.engine.pending());
    }

    /// The next timer of this name comes due; commands go on as long as they like.
    pub fn settle_until_timer(&mut self, name: &str) -> Fact {
        for _ in 0..200 {
            let pending = self.engine.pending();
            let timer = pending.iter().find_map(|one| match &one.effect.order {
                Order::SetTimer(timer) if timer.name == name => Some((one.effect.id, timer.due_at)),
                _ => None,
            });
            if let Some((effect, due)) = timer {
                self.at = self.at.max(due);
                return Fact::TimerFired(TimerFired { effect });
            }
            let quick = |one: &&Outstanding| one.effect.order.name() != "run_command";
            let mut quick = pending.iter().filter(quick);
            let fact = quick.find_map(|one| self.world.perform(&self.engine, one));
            let Some(fact) = fact else { break };
            self.fact(fact);
        }
        panic!("no timer {name} is ever set: {:#?}", self.engine.pending());
    }

    /// The host cannot perform the next order of this name.
    pub fn fail_effect(&mut self, name: &str, code: Code) {
        let effect = self.settle_until(name).effect.id;
        let problem = Error::new(code, name, "it to work", "it did not").diagnostic();
        self.fact(Fact::EffectFailed(EffectFailed { effect, problem }));
        self.settle();
    }

    /// The rule or guard that decided last.
    pub fn rule(&self) -> String {
        self.taken.last().map_or(self.began.1.rule.clone(), |(_, one)| one.decided.rule.clone())
    }

    /// The code of the last problem; empty if there was none.
    pub fn problem(&self) -> String {
        self.core("/last_problem/code").as_str().unwrap_or_default().to_owned()
    }

    /// The role that is due; empty if none is.
    pub fn due(&self) -> String {
        self.role().map_or(String::new(), |(_, role)| plain(&role).to_owned())
    }

    /// What the open question is about; empty if there is none.
    pub fn topic(&self) -> String {
        self.question().map_or(String::new(), |(_, question)| question.topic)
    }

    /// Whether the prompt of whoever is due, for this item or any, tells of a commit that nobody reported.
    pub fn tells_of(&self, item: Option<&str>, commit: &str) -> bool {
        self.engine.pending().into_iter().any(|one| match &one.effect.order {
            Order::SpawnRole(spawn)
                if !one.live() && item.is_none_or(|item| spawn.item.as_deref() == Some(item)) =>
            {
                let told = spawn.prompt.split_once("the oldest first: ");
                told.is_some_and(|(_, ids)| ids.split('.').next().unwrap().contains(&commit[..12]))
            }
            _ => false,
        })
    }

    /// The prompt of the role that is due.
    pub fn prompt(&self) -> String {
        let prompt =
            self.engine.pending().into_iter().find_map(|one| match one.effect.order.clone() {
                Order::SpawnRole(spawn) => Some(spawn.prompt),
                _ => None,
            });
        prompt.expect("a role is due")
    }

    pub fn fact(&mut self, fact: Fact) -> Applied {
        match self.try_fact(fact.clone()) {
            Ok(applied) => applied,
            Err(error) => panic!("{error}\nfact: {fact:#?}\noutbox: {:#?}", self.engine.pending()),
        }
    }

    pub fn command(&mut self, command: Command) -> Applied {
        self.fact(Fact::UserCommanded(UserCommanded { id: None, command }))
    }

    /// Performs all host work that is outstanding.
    pub fn settle(&mut self) {
        for _ in 0..200 {
            let pending = self.engine.pending();
            let fact = pending.iter().find_map(|one| self.world.perform(&self.engine, one));
            match fact {
                Some(fact) => self.fact(fact),
                None => return,
            };
        }
        panic!("host work never ends: {:#?}", self.engine.pending());
    }

    /// The role that is ordered or alive.
    pub fn role(&self) -> Option<(EffectId, String)> {
        self.engine.pending().into_iter().find_map(|one| match one.effect.order.clone() {
            Order::SpawnRole(spawn) => Some((one.effect.id, spawn.role)),
            _ => None,
        })
    }

    pub fn question(&self) -> Option<(EffectId, endstate::vocab::question::Question)> {
        self.engine.pending().into_iter().find_map(|one| match one.effect.order.clone() {
            Order::AskUser(question) => Some((one.effect.id, question)),
            _ => None,
        })
    }

    pub fn answer(&mut self, answer: Answer) {
        let (effect, _) = self.question().expect("a question is open");
        self.fact(Fact::QuestionAnswered(QuestionAnswered { effect, answer }));
        self.settle();
    }

    pub fn choose(&mut self, option: &str) {
        self.answer(Answer::Choice { option: option.to_owned() });
    }

    /// Starts the ordered role, which must be `role`.
    pub fn begin(&mut self, role: &str) -> EffectId {
        self.begin_in(role, None)
    }

    /// Starts the ordered role in an agent session.
    pub fn begin_in(&mut self, role: &str, session: Option<&str>) -> EffectId {
        let session = session.map(str::to_owned);
        let Some((effect, ordered)) = self.role() else {
            panic!("no role is ordered: {:#?}", self.engine.why());
        };
        assert_eq!(plain(&ordered), role);
        self.fact(Fact::RunStarted(RunStarted { effect, session, confined: false }));
        self.settle();
        effect
    }

    /// Starts the run of `role` that was ordered for `item` and is not alive.
    pub fn begin_item(&mut self, role: &str, item: &str) -> EffectId {
        let ordered = self.engine.pending().into_iter().find_map(|one| match &one.effect.order {
            Order::SpawnRole(spawn)
                if !one.live()
                    && plain(&spawn.role) == role
                    && spawn.item.as_deref() == Some(item) =>
            {
                Some(one.effect.id)
            }
            _ => None,
        });
        let effect = ordered.unwrap_or_else(|| panic!("no {role} of {item} is ordered"));
        self.fact(Fact::RunStarted(RunStarted { effect, session: None, confined: false }));
        self.settle();
        effect
    }

    pub fn end(&mut self, effect: EffectId, text: impl Into<String>) {
        self.fact(Fact::RunEnded(RunEnded {
            effect,
            outcome: RunOutcome::Success,
            report: Some(dressing::said(text.into())),
            problem: None,
            usage: Usage::default(),
        }));
        self.settle();
    }

    /// Runs a role from start to report.
    pub fn run(&mut self, role: &str, block: Value) {
        let effect = self.begin(role);
        self.end(effect, report(block));
    }

    pub fn fail(&mut self, role: &str, outcome: RunOutcome) {
        let effect = self.begin(role);
        self.failed(effect, outcome);
    }

    /// A run ends without success.
    pub fn failed(&mut self, effect: EffectId, outcome: RunOutcome) {
        self.fact(Fact::RunEnded(RunEnded {
            effect,
            outcome,
            report: None,
            problem: None,
            usage: Usage::default(),
        }));
        self.settle();
    }

    /// A run says which session it is in, after it began.
    pub fn names(&mut self, effect: EffectId, session: &str) {
        let entry = ProgressEntry { kind: "session".to_owned(), text: session.to_owned() };
        self.fact(Fact::RunProgressed(RunProgressed { effect, entries: vec![entry] }));
        self.settle();
    }

    /// Runs a role from start to report, in an agent session.
    pub fn run_in(&mut self, role: &str, session: &str, block: Value) {
        let effect = self.begin_in(role, Some(session));
        self.end(effect, report(block));
    }

    /// The completion state as JSON.
    pub fn state(&self) -> Value {
        let snapshot = serde_json::to_value(self.engine.snapshot()).unwrap();
        snapshot["mission"]["state"].clone()
    }

    pub fn core(&self, path: &str) -> Value {
        let at = |of: &str| self.state().pointer(&format!("/core{of}{path}")).cloned();
        at("").or_else(|| at("/life")).unwrap_or(Value::Null)
    }

    /// Failed runs in a row of the present step.
    pub fn attempts(&self) -> u64 {
        self.core("/steps//attempts").as_u64().unwrap_or(0)
    }

    /// A canonical file as JSON.
    pub fn file(&self, name: &str) -> Value {
        serde_json::from_str(&self.world.files[&format!(".agent/{name}")]).unwrap()
    }

    pub fn head(&self) -> String {
        self.world.head().unwrap()
    }

    /// The regrounder plans these slices and selects the first.
    pub fn plan(&mut self, ids: &[&str]) {
        let slices: Vec<Value> = ids.iter().map(|id| slice(id)).collect();
        self.run(
            "regrounder",
            json!({
                "plan_basis": "read everything", "slices": slices, "selected": {"slice_id": ids[0]},
                "remaining_release_blockers": 0, "remaining_high_value_gaps": 0,
            }),
        );
    }

    /// The implementer commits and claims.
    pub fn implement(&mut self, id: &str) {
        let effect = self.begin("implementer");
        let path = format!("src/{id}.c");
        let commit = self.world.commit(&[path.as_str()]);
        self.end(effect, report(claim(id, &commit)));
    }

    pub fn verify(&mut self, id: &str) {
        let head = self.head();
        self.run("reviewer", review(id, &head));
        self.run("auditor", audit(id, &head));
    }

    pub fn reconcile(&mut self, id: &str, next: Option<&str>) {
        self.run("regrounder", reconcile(id, "accepted", next));
    }

    pub fn reopen_now(&mut self, id: &str) {
        self.run("regrounder", reconcile(id, "reopened", None));
    }

    /// The types of the records in the slice history.
    pub fn history_kinds(&self) -> Vec<String> {
        let lines = self.world.files[".agent/slice-history.jsonl"].lines();
        lines
            .map(|line| {
                let record: Value = serde_json::from_str(line).unwrap();
                record["type"].as_str().unwrap().to_owned()
            })
            .collect()
    }

    pub fn judge_all(&mut self) {
        while self.role().is_some_and(|(_, role)| role == "completion-stop-judge") {
            let head = self.head();
            self.run("stop-judge", judge(&head, true));
        }
    }

    pub fn finish(&mut self) {
        self.run(
            "regrounder",
            json!({
                "plan_basis": "all shown", "can_stop": true,
                "remaining_release_blockers": 0, "remaining_high_value_gaps": 0,
            }),
        );
    }
}

/// A report with the right header.
pub fn report(block: Value) -> String {
    report_for(MISSION, block)
}

pub fn report_for(mission: &str, block: Value) -> String {
    format!(
        "MISSION ANCHOR: {mission}\nRemaining contract IDs: C-1\n\nDone.\n\n```json\n{block}\n```\n"
    )
}

pub fn slice(id: &str) -> Value {
    json!({
        "slice_id": id, "goal": format!("Do {id}"), "acceptance_criteria": [format!("{id} works"), format!("{id} is tested")],
        "contract_ids": ["C-1"], "priority": 5, "why_now": "it is next", "blocked_on": [],
    })
}

pub fn claim(id: &str, commit: &str) -> Value {
    let evidence = json!([{"kind": "command", "command": "make test", "exit_status": 0}]);
    json!({
        "slice_id": id, "outcome": "implemented", "commit_sha": commit,
        "claims": [
            {"criterion": "AC-001", "status": "complete", "evidence": evidence},
            {"criterion": "AC-002", "status": "complete", "evidence": evidence},
        ],
    })
}

pub fn review(id: &str, commit: &str) -> Value {
    let verdict = |criterion: &str| {
        json!({
            "criterion": criterion, "finding": "holds", "method": "ran make test",
            "evidence": [{"kind": "command", "command": "make test", "exit_status": 0}],
        })
    };
    json!({
        "slice_id": id, "commit_sha": commit, "verdicts": [verdict("AC-001"), verdict("AC-002")],
        "docs": "holds", "must_fix_findings": [], "acceptable": true,
    })
}

pub fn audit(id: &str, commit: &str) -> Value {
    let mut audit = review(id, commit);
    audit["release_blocker_count"] = json!(0);
    audit["high_value_gap_count"] = json!(0);
    audit
}

pub fn refuse(mut verdict: Value, finding: &str) -> Value {
    verdict["acceptable"] = json!(false);
    verdict["must_fix_findings"] = json!([finding]);
    verdict["verdicts"][0]["finding"] = json!("does_not_hold");
    verdict
}

pub fn reconcile(id: &str, decision: &str, next: Option<&str>) -> Value {
    let findings: Vec<&str> = if decision == "reopened" { vec!["mend it"] } else { vec![] };
    json!({
        "plan_basis": "review and audit", "reconciliation": {"slice_id": id, "decision": decision, "must_fix_findings": findings},
        "selected": next.map(|id| json!({"slice_id": id})),
        "remaining_release_blockers": 0, "remaining_high_value_gaps": 0,
    })
}

pub fn judge(head: &str, yes: bool) -> Value {
    json!({
        "head_sha": head, "can_stop": yes, "blocker_count": if yes { 0 } else { 1 }, "high_value_gap_count": 0,
        "reasons": [if yes { "all shown" } else { "the greeting is not documented" }],
    })
}
