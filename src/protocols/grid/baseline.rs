//! The ground of evidence. A place in a file shows something only if git has that file and the file that line: each
//! look finds out about the files that the reports waiting for it name. A command shows something only if its exit
//! status tells how it went.

use super::observe::{Heard, heard};
use super::plan::normal;
use super::report::{ExecutorReport, RecognizerReport, Report};
use super::state::State;
use crate::vocab::effect::Level;
use crate::vocab::error::{Code, Error, Result, clip};
use crate::vocab::evidence::{Evidence, Finding, weigh};
use crate::vocab::repository::{FileSeen, PathDigest, Repository, Seen, line_asked, present_at};
use crate::vocab::text::one_line;
use std::collections::{BTreeMap, BTreeSet};

/// The most files that are looked for on behalf of one run; a place beyond shows nothing.
const MOST_FILES: usize = 600;
/// The longest path that is looked for, in bytes.
const LONGEST: usize = 400;
/// The most rows that one refusal names.
const MOST_WEAK: usize = 50;
/// What a row needs that says that something holds.
const EXPECTED: &str =
    "a line of a file that git tracks, or a command whose exit status tells how it went";

/// The place that a piece of evidence names, in one spelling. Tests are named in the words of their runner.
fn place(one: &Evidence) -> Option<(String, u32)> {
    match one {
        Evidence::File { line, .. } => Some((normal(one.path()?), *line)),
        Evidence::Test { .. } | Evidence::Command { .. } | Evidence::Manual { .. } => None,
    }
}

/// Files, each with the last line of it that is named.
type Places = BTreeMap<String, u32>;

fn enter(places: &mut Places, (path, line): (String, u32)) {
    let last = places.entry(path).or_default();
    *last = line.max(*last);
}

/// The files that are looked at on behalf of a run.
fn named<'a>(evidence: impl Iterator<Item = &'a Evidence>) -> Places {
    let plain = |path: &str| {
        !path.is_empty() && path.len() <= LONGEST && !path.chars().any(char::is_control)
    };
    let mut named = Places::new();
    for one in evidence.filter_map(place).filter(|(path, _)| plain(path)) {
        if named.len() < MOST_FILES || named.contains_key(&one.0) {
            enter(&mut named, one);
        }
    }
    named
}

fn claimed(report: &ExecutorReport) -> Places {
    named(report.claims.iter().flat_map(|one| &one.evidence))
}

/// Only rows that say that something holds: that a file is missing is what others may say.
fn judged(report: &RecognizerReport) -> Places {
    let rows = report.verdicts.iter().filter(|row| row.finding == Finding::Holds);
    named(rows.flat_map(|row| &row.evidence))
}

fn of_heard(heard: &Heard) -> Places {
    match &heard.report {
        Some(Report::Executor(report)) => claimed(report),
        Some(Report::Recognizer(report)) => judged(report),
        Some(
            Report::Planner(_)
            | Report::Debugger(_)
            | Report::Lead(_)
            | Report::Swarm(_)
            | Report::Learner(_),
        )
        | None => Places::new(),
    }
}

fn all(heard: &[Heard]) -> Places {
    let mut all = Places::new();
    heard.iter().flat_map(of_heard).for_each(|one| enter(&mut all, one));
    all
}

/// What a look is to find out about the reports that wait for it.
pub(super) fn wanted(state: &State) -> impl Iterator<Item = PathDigest> {
    let heard = heard(state, &state.core.life.ended);
    all(&heard).into_iter().map(|(path, line)| PathDigest { path, digest: present_at(line) })
}

/// Whether a look that was ordered with `asked` finds out about all that is wanted.
pub(super) fn looked_at(heard: &[Heard], asked: &[PathDigest]) -> bool {
    let asked = asked.iter().filter_map(|one| Some((one.path.as_str(), line_asked(&one.digest)?)));
    let asked: BTreeMap<&str, u32> = asked.collect();
    all(heard).iter().all(|(path, line)| asked.get(path.as_str()).is_some_and(|last| last >= line))
}

/// What evidence may rest on, as it was found.
struct Ground {
    /// Files that were looked at.
    named: Places,
    /// Those that show nothing, with the reason.
    faults: BTreeMap<String, String>,
    /// The documents of plans: what is asked for, and no work.
    plans: BTreeSet<String>,
}

impl Ground {
    fn of(state: &State, named: Places, repository: &Repository) -> Ground {
        let fault = |file: &FileSeen| {
            let why = match &file.seen {
                Seen::Absent => "no such file is there".to_owned(),
                Seen::Digest { problem: Some(problem), .. } => {
                    format!("expected {}, got {}", problem.expected, problem.got)
                }
                Seen::Text { .. } | Seen::Digest { problem: None, .. } => return None,
            };
            Some((file.path.clone(), why))
        };
        let faults = repository.files.iter().filter_map(fault).collect();
        let plans = state.blocks.iter().filter_map(|block| block.plan.path.as_deref());
        Ground { named, faults, plans: plans.map(normal).collect() }
    }

    /// Why a piece of evidence shows nothing, if so.
    fn fault(&self, one: &Evidence) -> Option<String> {
        if let Evidence::Command { command, exit_status: 0 } = one {
            let shown = clip(&one_line(command), 200);
            return says_nothing(command)
                .then(|| format!("`{shown}`: its exit status says nothing about how it went"));
        }
        let (path, _) = place(one)?;
        let why = match self.faults.get(&path) {
            _ if self.plans.contains(&path) => "a plan is no work",
            Some(why) => why.as_str(),
            None if self.named.contains_key(&path) => return None,
            None if path.is_empty() => "a folder, no file",
            None => "more files than are looked at",
        };
        Some(format!("{}: {why}", clip(&path, 200)))
    }

    /// Takes evidence out that shows nothing; answers with what it was, and why.
    fn strip(&self, evidence: &mut Vec<Evidence>) -> Vec<String> {
        let mut gone = Vec::new();
        evidence.retain(|one| {
            let fault = self.fault(one);
            let stays = fault.is_none();
            gone.extend(fault);
            stays
        });
        gone
    }
}

/// What an executor brought that shows nothing counts for nothing, and those who judge are told.
pub(super) fn proven(state: &mut State, report: &mut ExecutorReport, repository: &Repository) {
    let ground = Ground::of(state, claimed(report), repository);
    let mut told = Vec::new();
    for claim in &mut report.claims {
        let of = clip(&claim.criterion, 40);
        let gone = ground.strip(&mut claim.evidence).into_iter();
        told.extend(gone.map(|fault| format!("its proof of {of} names {fault}")));
    }
    state.blocks.change(&report.block, |block| {
        told.into_iter().for_each(|line| super::block::add_finding(block, line));
    });
}

/// What a recognizer brought may show nothing. Where that was all it brought it is told so, of all its rows at once.
///
/// # Errors
/// `evidence_missing` for rows that have nothing else to show for what they say.
pub(super) fn shown(
    state: &mut State,
    report: &mut RecognizerReport,
    repository: &Repository,
) -> Result<()> {
    let ground = Ground::of(state, judged(report), repository);
    let mut weak: Vec<(String, String)> = Vec::new();
    for row in report.verdicts.iter_mut().filter(|row| row.finding == Finding::Holds) {
        let gone = ground.strip(&mut row.evidence).join("; ");
        if gone.is_empty() {
            continue;
        }
        let name = clip(&format!("{}/{}", row.block, row.criterion), 200);
        if weigh(&row.evidence) != Finding::Holds {
            weak.push((name, gone));
            continue;
        }
        let fault = Error::new(Code::EvidenceMissing, format!("verdicts: {name}"), EXPECTED, gone);
        state.core.life.files.say(Level::Warning, fault.to_string());
    }
    all_weak(weak)
}

/// The rows that show nothing, each with the reason: the run that corrects them is told all at once.
fn all_weak(mut weak: Vec<(String, String)>) -> Result<()> {
    if weak.len() < 2 {
        let Some((name, why)) = weak.pop() else { return Ok(()) };
        return Err(Error::new(Code::EvidenceMissing, format!("verdicts: {name}"), EXPECTED, why));
    }
    let beyond = weak.len().saturating_sub(MOST_WEAK);
    let row = |(name, why): &(String, String)| format!("{name}: {}", clip(why, 300));
    let more = (beyond > 0).then(|| format!("and {beyond} more rows"));
    let lines: Vec<String> = weak.iter().take(MOST_WEAK).map(row).chain(more).collect();
    let got = format!("{} rows that show nothing: {}", weak.len(), lines.join("; "));
    // None of it is cut: what is not named would be found out one refusal later.
    Err(Error { got, ..Error::new(Code::EvidenceMissing, "verdicts", EXPECTED, "") })
}

/// Programs that succeed whatever is the case.
const ALWAYS: [&str; 4] = ["true", ":", "echo", "printf"];

/// Whether the exit status of a command line says nothing about how it went: it is that of a part only, or no program
/// that could fail is run.
fn says_nothing(command: &str) -> bool {
    let program = |part: &str| part.split_whitespace().next().unwrap_or_default().to_owned();
    let mute =
        |name: String| name.is_empty() || name.starts_with('#') || ALWAYS.contains(&name.as_str());
    !has_one_status(command) || command.split("&&").all(|part| mute(program(part)))
}

/// Whether the exit status of a command line is that of all of it: one program, or several joined by `&&`. A program
/// before a `|`, `;`, `||`, `&` or a new line may have failed although the status is 0.
fn has_one_status(command: &str) -> bool {
    let mut quote = None;
    let mut letters = command.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => {
                letters.next();
            }
            (None, '\'' | '"') => quote = Some(letter),
            (None, '&') if letters.peek() == Some(&'&') => {
                letters.next();
            }
            // `2>&1` and `&>` only say where output goes.
            (None, '>') if letters.peek() == Some(&'&') => {
                letters.next();
            }
            (None, '&') if letters.peek() == Some(&'>') => {}
            (None, '|' | ';' | '&' | '\n' | '`') => return false,
            _ => {}
        }
    }
    true
}
