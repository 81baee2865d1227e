//! A certificate of a mission that is done: what its end rests on, signed by its user, for others to verify in a clone of
//! their own. Statements of in-toto (version 1) in DSSE envelopes, each a line.

mod envelope;
mod test_result;

pub use envelope::{new_key, own_key};

use super::compare::CommandRunner;
use super::confine::Confine;
use super::git::Git;
use super::kept;
use super::room;
use super::store::{self, Places};
use super::{HostError, HostResult, regular};
use crate::Continuation;
use crate::journal::Position;
use crate::mission::proof::{Deciding, ProofConfig, Rerun, Trial};
use crate::view::{Agents, End};
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::json::{self, Readable, Serialize};
use crate::vocab::repository::PathDigest;
use std::fmt::Display;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const PREDICATE: &str = "urn:endstate:done:v1";
/// How long a clone may take.
const CLONE_TIMEOUT: Duration = Duration::from_secs(600);

/// What a certificate states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    #[serde(rename = "_type")]
    kind: String,
    subject: [Subject; 1],
    #[serde(rename = "predicateType")]
    predicate_type: String,
    /// What is said of the commit.
    pub predicate: Predicate,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable)]
#[serde(deny_unknown_fields)]
struct Subject {
    name: String,
    digest: Commit,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable)]
#[serde(deny_unknown_fields)]
struct Commit {
    #[serde(rename = "gitCommit")]
    id: String,
}

/// What a certificate says of its commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable)]
#[serde(deny_unknown_fields)]
pub struct Predicate {
    /// The version of the engine.
    pub engine: String,
    /// The version of its rules.
    pub rules: u32,
    /// The protocol.
    pub protocol: String,
    /// The mission in words.
    pub mission: String,
    /// The commit that the work began at.
    pub base: Option<String>,
    /// The end, with what each criterion rests on.
    pub end: End,
    /// What the user said of the proof.
    pub proof: ProofConfig,
    /// The deciding commands and what came of them.
    pub commands: Vec<Deciding>,
    /// Whether agents were kept from what the engine keeps.
    pub agents: Agents,
    /// The chain of the journal behind its first line, which names the mission.
    pub began: String,
    /// How many lines the journal had.
    pub lines: u64,
    /// The head of its chain.
    pub chain: String,
}

impl Statement {
    /// The commit it speaks of.
    pub fn commit(&self) -> &str {
        &self.subject[0].digest.id
    }
}

fn invalid(at: &str, expected: &str, got: impl Display) -> Error {
    Error::new(Code::CertificateInvalid, at, expected, got.to_string())
}

/// The certificate of the mission here, signed: one line, and one with what came of its commands in a predicate of in-toto's own.
/// An older one where it is to be written (`out`) is none of the work.
///
/// # Errors
/// As [`store::peek`]; `certificate_invalid` where the mission is not done, its proof not over, or its work not committed;
/// `io` for the key.
pub fn certify(root: &Path, key: &Path, out: Option<&Path>) -> HostResult<String> {
    let key = envelope::private(key)?;
    let statement = statement(root, out.and_then(|out| out.strip_prefix(root).ok()))?;
    let payloads = [json::encode(&statement), test_result::payload(&statement)];
    Ok(payloads.iter().map(|payload| envelope::seal(payload, &key)).collect::<Result<String>>()?)
}

fn statement(root: &Path, own: Option<&Path>) -> HostResult<Statement> {
    let places = Places::of(root);
    let opened = store::peek(&places)?;
    opened.prove(&places)?;
    let engine = &opened.engine;
    let (view, head) = (engine.view(), &engine.snapshot().head);
    let over = |trial: &&Trial| trial.over && engine.continuation() == Continuation::Done;
    let (Some(end), Some(trial)) = (view.end, head.proof.trial.as_ref().filter(over)) else {
        let got = json::encode(&engine.continuation());
        return Err(invalid("mission", "one that is done, and its end proved", got).into());
    };
    let work = |one: &PathDigest| Some(Path::new(&one.path)) != own;
    let committed = !trial.uncommitted || !Git::of(root).dirty()?.iter().any(work);
    let Some(commit) = trial.commit.clone().filter(|_| committed) else {
        return Err(invalid("mission", "work that is committed", "uncommitted").into());
    };
    let predicate = Predicate {
        engine: env!("CARGO_PKG_VERSION").to_owned(),
        rules: engine.snapshot().rules,
        protocol: view.protocol,
        mission: engine.mission().to_owned(),
        base: head.proof.base.clone(),
        end,
        proof: (*head.proof.config).clone(),
        commands: trial.commands.clone(),
        agents: view.agents,
        began: position(root, 1)?.map(|first| first.chain).unwrap_or_default(),
        lines: opened.position.lines,
        chain: opened.position.chain,
    };
    let subject = [Subject { name: "commit".to_owned(), digest: Commit { id: commit } }];
    let [kind, predicate_type] = [STATEMENT, PREDICATE].map(str::to_owned);
    Ok(Statement { kind, subject, predicate_type, predicate })
}

/// What a certificate states, if the key signed it and its commit is in the repository here. Where the journal of the mission is
/// here, too, it must hold the line of the certificate.
///
/// # Errors
/// `certificate_invalid` with what does not hold; `io` for the key.
pub fn verify(root: &Path, bytes: &[u8], key: &Path) -> HostResult<Statement> {
    let key = envelope::public(key)?;
    let text = String::from_utf8_lossy(bytes);
    let (own, rest) = text.split_at(text.find('\n').map_or(text.len(), |end| end + 1));
    let payload = envelope::open(own, &key)?;
    let statement: Statement = json::decode(&payload)?;
    let known = [(&statement.kind, STATEMENT), (&statement.predicate_type, PREDICATE)];
    for (got, expected) in known {
        if got != expected {
            return Err(invalid("payload", expected, got).into());
        }
    }
    if json::encode(&statement) != payload {
        return Err(invalid("payload", "the statement as it was written", "other bytes").into());
    }
    // One that an older version wrote has no second line.
    if !rest.is_empty() && envelope::open(rest, &key)? != test_result::payload(&statement) {
        return Err(invalid("test result", "what the statement says", "something else").into());
    }
    let commit = format!("{}^{{commit}}", statement.commit());
    let found =
        Git::of(root).line(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?;
    if found.as_deref() != Some(statement.commit()) {
        return Err(invalid("subject", "a commit of this repository", statement.commit()).into());
    }
    chained(root, &statement.predicate)?;
    Ok(statement)
}

/// Checks the chain of the journal, if it is here. That of another mission says nothing.
fn chained(root: &Path, predicate: &Predicate) -> HostResult<()> {
    let first = position(root, 1)?.map(|first| first.chain);
    if first.as_ref() != Some(&predicate.began) {
        return Ok(());
    }
    let found = position(root, predicate.lines)?.unwrap_or_default();
    match (found.lines, &found.chain) == (predicate.lines, &predicate.chain) {
        true => Ok(()),
        false => Err(invalid("chain", &predicate.chain, found.chain).into()),
    }
}

/// The place behind so many lines of the journal; `None` where there is no journal.
fn position(root: &Path, lines: u64) -> HostResult<Option<Position>> {
    let path = Places::of(root).journal();
    let Ok(file) = regular::open(&path) else { return Ok(None) };
    let mut position = Position::default();
    let most = usize::try_from(lines).unwrap_or(usize::MAX);
    for line in BufReader::new(file).split(b'\n').take(most) {
        position.read(&line.map_err(|error| HostError::io("read", &path, error))?)?;
    }
    Ok(Some(position))
}

/// Runs the deciding commands again, in rooms made from nothing of a clone of the repository here.
///
/// # Errors
/// `io` if no clone can be made; `certificate_invalid` where one does not come to what was certified.
pub fn rerun(root: &Path, statement: &Statement) -> HostResult<usize> {
    let Predicate { proof, base, commands, .. } = &statement.predicate;
    let folder = tempfile::tempdir().map_err(|error| HostError::io("make", root, error))?;
    let clone = folder.path().join("clone");
    let [from, to] = [root, &clone].map(|path| path.display().to_string());
    let words = ["clone", "-q", "--no-checkout", "--", &from, &to];
    let said = Git::of(root).change(&words, &[], CLONE_TIMEOUT)?;
    if said.status != Some(0) {
        return Err(HostError::io("clone", root, std::io::Error::other("git refuses")));
    }
    // What git ignores is in no clone; who verifies has it where it was, or cannot run what needs it.
    kept::lay(root, &clone, &proof.files)?;
    let mut runner = CommandRunner::of(Places::of(&clone), Confine::Never);
    let mut again = Rerun::new(proof, base.clone(), statement.commit(), commands);
    while let Some(order) = again.next() {
        let Some(fact) = runner.run(&order) else { break };
        again.took(&fact);
    }
    room::leave(&clone);
    same(commands, again.trial())?;
    Ok(commands.iter().filter(|one| !one.once).count())
}

/// Each command came to what was certified.
fn same(certified: &[Deciding], again: Option<&Trial>) -> Result<()> {
    let problem = again.and_then(|trial| trial.problem.as_ref());
    let found = again.map_or(&[][..], |trial| &trial.commands);
    for (at, one) in certified.iter().filter(|one| !one.once).enumerate() {
        let now = found.get(at).map(|now| &now.outcome);
        let name = |outcome| std::mem::discriminant(outcome);
        if problem.is_some() || now.map(name) != Some(name(&one.outcome)) {
            let got = problem.map_or_else(|| json::encode(&now), ToString::to_string);
            let at = format!("`{}`", one.line.argv.join(" "));
            return Err(invalid(&at, &json::encode(&one.outcome), got));
        }
    }
    Ok(())
}
