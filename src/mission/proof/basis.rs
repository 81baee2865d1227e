//! What the end of a mission rests on, criterion by criterion.

use super::{CheckFinding, CheckJudgement, Deciding, Outcome, Proof, Tested, Trial};
use crate::mission::{Protocol, expectation};
use crate::view::{How, Shown};
use crate::vocab::command::Accept;
use crate::vocab::criterion::{Criterion, CriterionState};
use crate::vocab::evidence::is_place;
use crate::vocab::json;
use crate::vocab::shown::CommandLine;
use crate::vocab::table::map_of;
use crate::vocab::text::{escaped, one_line};
use std::collections::{BTreeMap, BTreeSet};

/// What a criterion rests on, as its protocol knows it.
pub(crate) struct Showing {
    pub(crate) item: String,
    pub(crate) criterion: String,
    /// Commands that must hold.
    pub(crate) commands: Vec<CommandLine>,
    /// Where they run.
    pub(crate) directory: String,
    /// They were proposed before the work, and the user took them.
    pub(crate) proposed: bool,
    /// What it rests on beside them.
    pub(crate) basis: Basis,
}

/// What a mission rests on, as its protocol knows it.
pub(crate) struct Showings {
    /// Criterion by criterion.
    pub(crate) criteria: Vec<Showing>,
    /// What is not committed belongs to the work.
    pub(crate) uncommitted: bool,
}

impl FromIterator<Showing> for Showings {
    fn from_iter<I: IntoIterator<Item = Showing>>(criteria: I) -> Showings {
        Showings { criteria: criteria.into_iter().collect(), uncommitted: false }
    }
}

/// What a criterion rests on beside commands.
pub(crate) enum Basis {
    /// Nothing.
    Nothing,
    /// What the host saw, in words.
    Seen(String),
    /// What other runs said, in words.
    Judged(String),
    /// What nobody but its own run said, in words.
    Claimed(String),
    /// The user let it go.
    Waived(String),
}

impl Showing {
    /// A criterion without commands.
    pub(crate) fn of_item(item: &str, criterion: &str, basis: Basis) -> Showing {
        let [item, criterion] = [item, criterion].map(str::to_owned);
        let (commands, directory, proposed) = Default::default();
        Showing { item, criterion, commands, directory, proposed, basis }
    }

    /// Nothing but what somebody says shows it.
    pub(crate) fn is_words(&self) -> bool {
        self.may_be_shown() && !matches!(self.basis, Basis::Seen(_))
    }

    /// No command was declared for it, and it was not let go.
    pub(super) fn may_be_shown(&self) -> bool {
        self.commands.is_empty() && !matches!(self.basis, Basis::Waived(_))
    }

    /// Of a protocol that does not say what it rests on: that is not enough.
    pub(crate) fn unsaid() -> Showing {
        Showing::of_item("", "end", Basis::Claimed("the protocol does not say by what".to_owned()))
    }

    /// A command of the mission itself, under a name.
    pub(crate) fn of_mission(name: &str, argv: &[String]) -> Showing {
        let line = CommandLine { argv: argv.to_vec(), ..CommandLine::default() };
        Showing { commands: vec![line], ..Showing::of_item("", name, Basis::Nothing) }
    }
}

/// Criteria of an item that runs claimed and others judged.
pub(crate) fn judged<'a>(
    item: &'a str,
    criteria: &'a [Criterion],
) -> impl Iterator<Item = Showing> + 'a {
    criteria.iter().map(move |one| Showing::of_item(item, &one.id, by_runs(one)))
}

/// What a criterion rests on that no command shows.
pub(crate) fn by_runs(criterion: &Criterion) -> Basis {
    match &criterion.state {
        CriterionState::Verified { verified_by, .. } => {
            let runs: Vec<String> = verified_by.iter().map(ToString::to_string).collect();
            match runs.is_empty() {
                true => Basis::Claimed("recorded as shown before".to_owned()),
                false => Basis::Judged(format!("run {}", runs.join(", "))),
            }
        }
        CriterionState::Waived { by, .. } => Basis::Waived(by.clone()),
        CriterionState::Claimed { by, .. } => Basis::Claimed(format!("run {}", by.run)),
        CriterionState::Open => Basis::Claimed("nobody".to_owned()),
        CriterionState::Rejected { run, .. } => Basis::Claimed(format!("against run {run}")),
    }
}

/// A criterion with its item, and its text where the protocol keeps it.
pub(super) fn titled(protocol: &dyn Protocol, item: &str, criterion: &str) -> String {
    let known = protocol.criteria(item).unwrap_or_default();
    let text = known.iter().find(|known| known.id == criterion);
    let text = text.map(|known| format!(": {}", escaped(&one_line(&known.text))));
    let name = [item, criterion].join(" ");
    format!("{}{}", name.trim(), text.unwrap_or_default())
}

/// What tells one deciding command from another.
pub(super) fn key(line: &CommandLine, directory: &str) -> String {
    format!("{directory}\0{}", json::encode(line))
}

/// What an end rests on.
pub(crate) fn shown(proof: &Proof, showings: Showings, protocol: &dyn Protocol) -> Vec<Shown> {
    let commands = proof.trial.iter().flat_map(|trial| &trial.commands);
    let commands: BTreeMap<String, &Deciding> =
        map_of(commands.map(|one| (key(&one.line, &one.directory), one)));
    let shown = |one: Showing| {
        let run = |line| (line, commands.get(&key(line, &one.directory)).copied());
        let runs: Vec<(&CommandLine, Option<&Deciding>)> = one.commands.iter().map(run).collect();
        let missing = |(line, run): &(&CommandLine, Option<&Deciding>)| {
            missing(proof.trial.as_ref(), line, run.map(|run| &run.outcome))
        };
        let sound: Vec<String> =
            runs.iter().filter_map(|(_, run)| sound(&(*run)?.outcome)).collect();
        let (how, by) = how(&one, &runs, runs.iter().find_map(missing), &sound.join("; "));
        let enough = match proof.config.accept {
            Accept::Observed | Accept::Ask => how >= How::Observed,
            Accept::Judged => how >= How::Judged,
        };
        Shown { item: one.item, criterion: one.criterion, how, by, enough }
    };
    let mut all: Vec<Shown> = showings.criteria.into_iter().map(shown).collect();
    tell_shared(&mut all, protocol);
    all
}

/// Says of what was judged which places were cited for other criteria, too: one line seldom shows many things.
fn tell_shared(all: &mut [Shown], protocol: &dyn Protocol) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let judged = all.iter_mut().filter(|one| one.how == How::Judged);
    let cited: Vec<_> =
        judged.map(|one| (places(protocol, &one.item, &one.criterion), one)).collect();
    for place in cited.iter().flat_map(|(places, _)| places.iter().copied()) {
        *counts.entry(place).or_default() += 1;
    }
    for (places, one) in cited {
        let shared = places.into_iter().filter_map(|place| Some((place, *counts.get(place)?)));
        for (place, count) in shared.filter(|(_, count)| *count > 1) {
            one.by.push_str(&format!("; {} is cited for {count} criteria", escaped(place)));
        }
    }
}

/// The places that were cited for a criterion, each once.
fn places<'a>(protocol: &'a dyn Protocol, item: &str, criterion: &str) -> BTreeSet<&'a str> {
    let known = protocol.criteria(item).unwrap_or_default();
    let state = known.iter().find(|known| known.id == criterion).map(|known| &known.state);
    let proof = match state {
        Some(CriterionState::Verified { proof, .. }) => proof.as_slice(),
        _ => &[],
    };
    proof.iter().map(String::as_str).filter(|line| is_place(line)).collect()
}

/// How a criterion was shown, and by what; `missing` says what its commands do not show, and `sound` who judged that changed ones
/// still show it.
fn how(
    showing: &Showing,
    runs: &[(&CommandLine, Option<&Deciding>)],
    missing: Option<String>,
    sound: &str,
) -> (How, String) {
    let held = |(line, run): &(&CommandLine, Option<&Deciding>)| held(line, *run, showing.proposed);
    let names: Vec<String> = runs.iter().map(held).collect();
    let names = names.join(", ");
    // What was proposed and held before the work, too, shows nothing of it.
    let red = |(_, run): &(&CommandLine, Option<&Deciding>)| run.is_some_and(Deciding::was_red);
    let shows = !showing.proposed || runs.iter().all(red);
    let with = |words: &String| match shows {
        true => words.clone(),
        false => format!("{words}; {names} shows nothing of it"),
    };
    let basis = match showing.proposed && shows {
        true => &Basis::Nothing,
        false => &showing.basis,
    };
    match (basis, missing) {
        (Basis::Waived(by), _) => (How::Waived, by.clone()),
        (_, Some(why)) => (How::Claimed, why),
        (Basis::Claimed(words), None) => (How::Claimed, with(words)),
        (Basis::Nothing, None) if !sound.is_empty() => (How::Judged, sound.to_owned()),
        (Basis::Seen(words) | Basis::Judged(words), None) if !sound.is_empty() => {
            (How::Judged, format!("{words}; {sound}"))
        }
        (Basis::Nothing, None) => (How::Observed, format!("{names} in rooms made from nothing")),
        (Basis::Seen(words), None) => (How::Observed, with(words)),
        (Basis::Judged(words), None) => (How::Judged, with(words)),
    }
}

/// A command that held, with its tests, what it came to before the work, and whether a role named it.
fn held(line: &CommandLine, run: Option<&Deciding>, proposed: bool) -> String {
    let tests = run.and_then(|run| run.tests);
    let tests =
        tests.map(|Tested { passed, added }| format!("{passed} tests passed, {added} of them new"));
    let baseline = run.and_then(|run| run.baseline.as_ref());
    let before = baseline.map(|baseline| format!("before the work {}", baseline.words()));
    let proposed = proposed.then(|| "proposed by a run, taken by the user".to_owned());
    let also: Vec<String> = tests.into_iter().chain(before).chain(proposed).collect();
    match also.is_empty() {
        true => format!("`{}`", expectation::words(line)),
        false => format!("`{}` ({})", expectation::words(line), also.join("; ")),
    }
}

/// Why a command does not show what it is to show, if so.
fn missing(trial: Option<&Trial>, line: &CommandLine, outcome: Option<&Outcome>) -> Option<String> {
    let name = expectation::words(line);
    match outcome {
        Some(Outcome::Held) => None,
        Some(changed @ Outcome::Changed { .. }) if sound(changed).is_some() => None,
        Some(Outcome::Changed { paths, judged, .. }) => {
            let paths = paths.join(", ");
            let why = not_sound(trial, judged.as_ref());
            Some(format!("`{name}` holds only with {paths} as the work changed it{why}"))
        }
        Some(Outcome::Failed { problem }) => {
            Some(format!("in a room made from nothing, {problem}"))
        }
        Some(Outcome::Flaky { problem }) => Some(format!("it held once and then not: {problem}")),
        Some(Outcome::Due | Outcome::Once) | None => {
            Some(match trial.and_then(|trial| trial.problem.as_ref()) {
                Some(problem) => format!("no room: {problem}"),
                None => format!("`{name}` was not run in a room"),
            })
        }
    }
}

/// Who judged that a command with a changed check still shows what it is to show, if somebody did.
fn sound(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Changed { judged: Some(CheckJudgement { run, finding, reason }), .. }
            if *finding == CheckFinding::Sound =>
        {
            Some(format!("run {run}: {reason}"))
        }
        _ => None,
    }
}

/// Why the change of a check is not judged as sound, as far as anybody was asked.
fn not_sound(trial: Option<&Trial>, judged: Option<&CheckJudgement>) -> String {
    let problem = trial.and_then(|trial| trial.review.problem.as_ref());
    match (judged, problem) {
        (Some(CheckJudgement { run, reason, .. }), _) => {
            format!(", which run {run} calls weaker: {reason}")
        }
        (None, Some(problem)) => format!(", and no other run has judged that: {problem}"),
        (None, None) => ", which is not judged yet".to_owned(),
    }
}
