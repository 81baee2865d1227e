//! Checks canonical files, each by itself, or the mission as a whole.

use super::Place;
use super::exit::{Exit, Fault};
use clap::ValueEnum;
use endstate::engine::Engine;
use endstate::mission::KnownFile;
use endstate::native::adoption::stream;
use endstate::native::files::{self, Content};
use endstate::native::git::Git;
use endstate::native::lock::Lock;
use endstate::native::regular;
use endstate::native::store::{self, Places};
use endstate::native::{HostError, HostResult};
use endstate::protocols::completion::files::check::{check_extent, check_files};
use endstate::protocols::completion::files::history::{HistoryReader, JudgementReader};
use endstate::protocols::completion::files::{
    CONTRACT, Finding, JUDGEMENT_HISTORY, SLICE_HISTORY, STATE_FILES, Severity,
};
use endstate::protocols::{RECORDS, grid};
use endstate::stream::Stream;
use endstate::vocab::effect::Order;
use endstate::vocab::error::{Code, Diagnostic};
use endstate::vocab::json;
use serde_json::json as object;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

/// How much is checked.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Level {
    /// Each file by itself: no git, no lock, no other file.
    Files,
    /// Everything.
    Mission,
}

/// More faults of records than this say nothing new.
const MOST_FINDINGS: usize = 100;

/// Does it.
pub(crate) fn check(place: &Place, level: Level) -> Result<Exit, Fault> {
    let mut findings = each_file(&place.root)?;
    if let Level::Mission = level {
        findings.extend(mission(place)?);
    }
    let faults = findings.iter().filter(|one| one.severity == Severity::Fault).count();
    for finding in &findings {
        place.out.say(finding.to_string());
        place.out.object(&object!({"finding": finding}));
    }
    let notes = findings.len() - faults;
    place.out.say(format!("{faults} faults, {notes} notes"));
    place.out.object(&object!({"result": "check", "faults": faults, "notes": notes}));
    Ok(if faults == 0 { Exit::Done } else { Exit::Refused })
}

/// Each file by itself; histories are streamed.
fn each_file(root: &Path) -> HostResult<Vec<Finding>> {
    let mut findings = records(root)?;
    let completion = CONTRACT.into_iter().chain(STATE_FILES).any(|path| root.join(path).exists());
    let other = RECORDS.iter().any(|(path, _)| root.join(path).parent().is_some_and(Path::exists));
    // The first write of a cluster; a directory without it is a person's own.
    let cluster = root.join(grid::files::IGNORE).exists();
    if (other || cluster) && !completion {
        return Ok(findings);
    }
    let mut unreadable = Vec::new();
    let mut whole = std::collections::BTreeMap::new();
    for path in CONTRACT.into_iter().chain(STATE_FILES) {
        match regular::read(&root.join(path)) {
            Ok(bytes) => drop(whole.insert(path, bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                unreadable.push(fault(path, "", "a file that can be read", &error.to_string()))
            }
        }
    }
    let found = check_files(|path| whole.get(path).cloned());
    let named = |finding: &Finding| unreadable.iter().any(|one| one.path == finding.path);
    findings.extend(found.into_iter().filter(|finding| !named(finding)));
    findings.extend(unreadable);
    let mut slices = HistoryReader::new();
    stream(&root.join(SLICE_HISTORY), |bytes| slices.push(bytes))?;
    findings.extend(check_extent(SLICE_HISTORY, &slices.finish().extent));
    let mut judged = JudgementReader::new();
    stream(&root.join(JUDGEMENT_HISTORY), |bytes| judged.push(bytes))?;
    findings.extend(check_extent(JUDGEMENT_HISTORY, &judged.finish().extent));
    Ok(findings)
}

/// The files of records of protocols that have a directory of their own, line by line.
fn records(root: &Path) -> HostResult<Vec<Finding>> {
    let mut findings = Vec::new();
    for (path, check) in RECORDS {
        let file = match regular::open(&root.join(path)) {
            Ok(file) => BufReader::new(file),
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => {
                let got = error.to_string();
                findings.push(fault(path, "", "a file that can be read", &got));
                continue;
            }
        };
        for (place, line) in file.split(b'\n').enumerate() {
            let line = line.map_err(|error| HostError::io("read", root.join(path), error))?;
            let checked = json::utf8(&line).and_then(check);
            if let Err(error) = checked {
                let at = format!("line {}", place + 1);
                findings.push(Finding::fault(path, &error.within(&at)));
            }
            if findings.len() >= MOST_FINDINGS {
                return Ok(findings);
            }
        }
    }
    Ok(findings)
}

fn diagnostic(code: Code, at: &str, expected: &str, got: &str) -> Diagnostic {
    Diagnostic { code, at: at.into(), expected: expected.into(), got: got.into() }
}

fn fault(path: &str, at: &str, expected: &str, got: &str) -> Finding {
    let diagnostic = diagnostic(Code::InvalidValue, at, expected, got);
    Finding { path: path.to_owned(), severity: Severity::Fault, diagnostic }
}

/// Journal, invariants, files against state, and git.
fn mission(place: &Place) -> Result<Vec<Finding>, Fault> {
    let places = Places::of(&place.root);
    let opened = store::peek(&places)?;
    let mut findings = Vec::new();
    let mut journal = Stream::new();
    let mut damage = None;
    stream(&places.journal(), |bytes| {
        if damage.is_none() {
            damage = journal.push(bytes).err();
        }
    })?;
    let name = "journal.jsonl";
    match damage.map_or_else(|| journal.finish(), Err) {
        Err(error) => findings.push(Finding::fault(name, &error)),
        Ok(replay) => {
            if let Some(one) = replay.divergence {
                let at = format!("event {}: {}", one.seq, one.path);
                findings.push(fault(name, &at, &one.recorded, &one.decided));
            }
            if replay.torn_bytes > 0 {
                let got = format!("{} bytes without an end", replay.torn_bytes);
                let torn = diagnostic(Code::JournalTorn, "the last line", "a whole line", &got);
                findings.push(Finding::note(name, torn));
            }
            let older = match replay.older_lines {
                0 => String::new(),
                older => format!(" ({older} lines of older rules: chain only)"),
            };
            let (events, chain) = (replay.events, replay.chain);
            place.out.say(format!("journal: {events} events, chain {chain}{older}"));
        }
    }
    if let Err(error) = opened.engine.check() {
        findings.push(Finding::fault("state", &error));
    }
    let live = Lock::held_by(&places.lock());
    match &live {
        Some(holder) => {
            place.out.say(format!("process {} drives the mission: its files move", holder.pid));
        }
        None => {
            // A torn tail is worth a note, see above, and leads nowhere.
            let whole = opened.torn == 0;
            if let Some(HostError::Core(error)) = opened.prove(&places).err().filter(|_| whole) {
                findings.push(Finding::fault(name, &error));
            }
            against_state(&place.root, &opened.engine, &mut findings)?;
        }
    }
    repository(place, &opened.engine, &mut findings)?;
    Ok(findings)
}

/// Canonical files on disk against how the engine left them. Rules of today may word a file otherwise than those it was
/// written by; it is worded anew when it changes.
fn against_state(root: &Path, engine: &Engine, findings: &mut Vec<Finding>) -> Result<(), Fault> {
    let pending = engine.pending();
    let due = |path: &str| {
        pending.iter().any(|one| match &one.effect.order {
            Order::WriteFile(write) => write.path == path,
            Order::AppendHistory(append) => append.path == path,
            Order::CommitFiles(commit) => commit.paths.iter().any(|known| known == path),
            _ => false,
        })
    };
    for KnownFile { path, digest: wanted, .. } in engine.files() {
        let path = path.as_str();
        let there = files::digest_at(&root.join(path));
        let there = there.map_err(|error| HostError::io("read", root.join(path), error))?;
        let found = match there {
            Content::File { digest, .. } => Some(digest),
            Content::Absent => None,
            Content::Other => Some("no file".to_owned()),
        };
        if wanted == found || due(path) {
            continue;
        }
        let word = |digest: Option<String>| digest.unwrap_or_else(|| "absent".to_owned());
        let expected = format!("the file the engine left ({})", word(wanted));
        findings.push(fault(path, "", &expected, &word(found)));
    }
    Ok(())
}

/// The repository, named: a dirty tree is worth saying and no fault of the mission. What the engine itself writes beside
/// the plan is no change; it was compared before.
fn repository(place: &Place, engine: &Engine, findings: &mut Vec<Finding>) -> Result<(), Fault> {
    let git = Git::of(&place.root);
    let probe = git.probe()?;
    let head = probe.head.as_deref().unwrap_or("none").to_owned();
    if let Some(problem) = probe.problem {
        let (path, severity) = ("repository".to_owned(), Severity::Fault);
        findings.push(Finding { path, severity, diagnostic: problem });
        return Ok(());
    }
    let mut dirty = git.dirty()?;
    let own = engine.files();
    dirty.retain(|one| !own.iter().any(|known| known.projection && known.path == one.path));
    let word = if dirty.is_empty() { "clean" } else { "dirty" };
    place.out.say(format!("git: head {head}, {word}"));
    place.out.object(&object!({"git": {"head": head, "clean": dirty.is_empty()}}));
    for one in dirty.iter().take(50) {
        let note = diagnostic(Code::DirtyTree, &one.path, "a clean worktree", "a change");
        findings.push(Finding::note("repository", note));
    }
    Ok(())
}
