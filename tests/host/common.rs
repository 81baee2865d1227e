//! A repository in a temporary directory, and a performer to give orders to.

use endstate::Config;
use endstate::native::agent::Agent;
use endstate::native::confine::{self, Confine};
use endstate::native::driver::{Options, Performer, Performing, Source};
use endstate::native::observer::Observer;
use endstate::native::redact::Redactor;
use endstate::native::store::Places;
use endstate::native::{HostError, Report};
use endstate::vocab::effect::{Effect, Notify, Order, SpawnRole};
use endstate::vocab::error::{Code, Error};
use endstate::vocab::event::{EffectId, Fact};
use endstate::vocab::role::{Access, Limits, Tier};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

pub(crate) fn id(seq: u64) -> EffectId {
    EffectId { seq, n: 1 }
}

/// The smallest config of a mission.
pub(crate) fn config() -> Config {
    let text = r#"{"mission":{"protocol":"completion","settings":{
        "mission":"Test the host.","project_name":"host","onboard":true,
        "docs_surfaces":["README.md"],"verification_commands":[["true"]]}}}"#;
    endstate::vocab::json::decode(text).unwrap()
}

pub(crate) fn git(root: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).current_dir(root).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
    said
}

/// A repository with one commit.
pub(crate) fn repository() -> tempfile::TempDir {
    let dir = empty_repository();
    std::fs::write(dir.path().join("README.md"), "hello\n").unwrap();
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-q", "-m", "first"]);
    dir
}

pub(crate) fn empty_repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "-b", "main"]);
    git(dir.path(), &["config", "user.name", "Test"]);
    git(dir.path(), &["config", "user.email", "test@example.invalid"]);
    dir
}

/// Canonical files by path.
#[derive(Default)]
pub(crate) struct Contents(pub(crate) BTreeMap<String, String>);

impl Contents {
    pub(crate) fn of(files: &[(&str, &str)]) -> Contents {
        Contents(files.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect())
    }
}

impl Source for Contents {
    fn render(&self, path: &str) -> Result<String, Error> {
        let missing = || Error::new(Code::UnknownFile, path, "a file", "none");
        self.0.get(path).cloned().ok_or_else(missing)
    }

    fn mission(&self) -> String {
        "Test the host".to_owned()
    }
}

#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) notices: Vec<Notify>,
    pub(crate) reports: Vec<Report>,
    pub(crate) refused: Vec<(String, String)>,
    pub(crate) facts: Vec<&'static str>,
}

impl Observer for Notes {
    fn event(
        &mut self,
        _: &endstate::Engine,
        event: &endstate::vocab::event::Event,
        _: &endstate::Applied,
    ) {
        self.facts.push(event.fact.name());
    }

    fn notice(&mut self, notice: &Notify) {
        self.notices.push(notice.clone());
    }

    fn report(&mut self, report: &Report) {
        self.reports.push(report.clone());
    }

    fn refused(&mut self, id: &str, why: &HostError) {
        self.refused.push((id.to_owned(), why.code().to_owned()));
    }
}

/// Performs orders made by hand.
pub(crate) struct Host {
    pub(crate) performer: Performer,
    pub(crate) facts: Receiver<Fact>,
    pub(crate) contents: Contents,
    pub(crate) notes: Notes,
}

impl Host {
    pub(crate) fn at(root: &Path, options: Options) -> Host {
        let root = std::fs::canonicalize(root).unwrap();
        let places = Places::of(&root);
        let (send, facts) = channel();
        // Every order by hand is one that an earlier driver may have begun to perform.
        let performer = Performer::new(&places, options, send, Some(u64::MAX));
        Host { performer, facts, contents: Contents::default(), notes: Notes::default() }
    }

    /// With an agent that is this shell script.
    pub(crate) fn scripted(root: &Path, script: &str) -> Host {
        Host::at(root, options(Some(&["sh", "-c", script])))
    }

    pub(crate) fn order(&mut self, id: EffectId, order: Order) -> Performing {
        let effect = Effect { id, order };
        self.performer.perform(&effect, &self.contents, &mut self.notes)
    }

    pub(crate) fn fact(&self) -> Fact {
        self.facts.recv_timeout(Duration::from_secs(30)).unwrap()
    }

    /// Performs an order and waits for its answer.
    pub(crate) fn answer(&mut self, id: EffectId, order: Order) -> Fact {
        self.order(id, order);
        self.fact()
    }

    /// All facts of a run, the last of which is its end.
    pub(crate) fn play(&mut self, id: EffectId, spawn: SpawnRole) -> Vec<Fact> {
        self.order(id, Order::SpawnRole(spawn));
        let mut facts = Vec::new();
        loop {
            facts.push(self.fact());
            if matches!(facts.last(), Some(Fact::RunEnded(_) | Fact::EffectFailed(_))) {
                return facts;
            }
        }
    }
}

pub(crate) fn options(agent: Option<&[&str]>) -> Options {
    let argv = agent.map(|argv| argv.iter().map(|word| (*word).to_owned()).collect());
    Options {
        role_timeout: None,
        agent: argv.map(|argv| Agent::Exec { argv }),
        hosted: std::collections::BTreeSet::new(),
        hold_roles: false,
        redactor: Redactor::of([("MY_TOKEN".to_owned(), "s3cr3t-value".to_owned())]),
        consults: std::collections::HashMap::new(),
        consult_timeout: Duration::from_secs(4),
        // Whoever names the program has all of this tried with it.
        confine: if confine::named().is_some() { Confine::Required } else { Confine::Never },
        bwrap: confine::named(),
    }
}

pub(crate) fn spawn() -> SpawnRole {
    SpawnRole {
        role: "tester".to_owned(),
        item: Some("slice-1".to_owned()),
        visit: 2,
        prompt: "do the work\n".to_owned(),
        report_schema: "none".to_owned(),
        tier: Tier::Small,
        access: Access::Write,
        limits: Limits { max_turns: 5, timeout_ms: 20_000, output_bytes: 1_048_576 },
        corrects: Some(id(7)),
    }
}
