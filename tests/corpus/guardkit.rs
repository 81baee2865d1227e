//! What the promise peer really wrote, and what its own functions made of it.
//!
//! The corpus lies beside the repository and is not part of it; where it is absent, nothing is tested
//! and the output says so. Where we differ from the peer's functions, `docs/deviations.md` lists the
//! row; the list is checked both ways.

#[path = "../guardkit/oracle.rs"]
mod oracle;

use endstate::protocols::promise::decision::{Decision, decision};
use endstate::protocols::promise::feature;
use endstate::protocols::promise::matching::{self, Matching, claims, verdicts};
use endstate::protocols::promise::report::{
    ClaimRow, CoachReport, PlayerReport, read_coach, read_player,
};
use endstate::vocab::criterion::Criterion;
use endstate::vocab::error::{Diagnostic, Error};
use endstate::vocab::evidence::Finding;
use endstate::vocab::verdict::{Claim, ClaimStatus, Verdict};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Past the test command, which swallows what tests that pass print.
fn say(words: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{words}");
}

fn corpus() -> Option<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !corpus.join("guardkit").is_dir() {
        say(&format!("SKIPPED: corpus is absent ({})", corpus.display()));
        return None;
    }
    Some(corpus)
}

/// Every file below `root` whose name fits, in the order of their paths.
fn files(root: &Path, fits: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            match path.is_dir() {
                true => open.push(path),
                false if fits(&name) => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// How the files of one kind were taken.
#[derive(Default)]
struct Tally {
    understood: usize,
    faulty: usize,
    refused: usize,
}

impl Tally {
    fn add(&mut self, path: &Path, faults: Result<&[Diagnostic], &Error>) {
        match faults {
            Ok([]) => self.understood += 1,
            Ok(faults) => {
                self.faulty += 1;
                let nameless = |fault: &&Diagnostic| fault.at.is_empty() || fault.got.is_empty();
                assert_eq!(faults.iter().find(nameless), None, "{}", path.display());
            }
            Err(error) => {
                self.refused += 1;
                let named =
                    !error.at.is_empty() && !error.expected.is_empty() && !error.got.is_empty();
                assert!(named, "{}: {error}", path.display());
            }
        }
    }

    fn words(&self) -> String {
        format!(
            "{} understood, {} with faults, {} refused",
            self.understood, self.faulty, self.refused
        )
    }
}

fn read_reports<T>(
    root: &Path,
    start: &str,
    read: fn(&str) -> Result<T, Error>,
) -> BTreeMap<PathBuf, Result<T, Error>> {
    let fits = |name: &str| name.starts_with(start) && name.ends_with(".json");
    let found = files(root, &fits).into_iter();
    found
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path, read(&text))
        })
        .collect()
}

#[test]
fn every_turn_is_read_and_none_is_approved_over_a_rejection() {
    let Some(corpus) = corpus() else { return };
    let root = corpus.join("guardkit");
    let players = read_reports(&root, "player_turn_", read_player);
    let coaches = read_reports(&root, "coach_turn_", read_coach);
    let (mut of_players, mut of_coaches) = (Tally::default(), Tally::default());
    for (path, read) in &players {
        of_players.add(path, read.as_ref().map(|report| report.faults.as_slice()));
    }
    for (path, read) in &coaches {
        of_coaches.add(path, read.as_ref().map(|report| report.faults.as_slice()));
    }
    say(&format!("promise players: {}", of_players.words()));
    say(&format!("promise coaches: {}", of_coaches.words()));
    assert!(players.len() >= 16 && coaches.len() >= 28);
    let mut pairs = Vec::new();
    for (path, player) in &players {
        let name = path.file_name().unwrap().to_string_lossy().replace("player", "coach");
        if let (Ok(player), Some(Ok(coach))) = (player, coaches.get(&path.with_file_name(name))) {
            pairs.push(pair(path, player, coach));
        }
    }
    let rows = || players.values().flatten().flat_map(|report| &report.rows);
    let proved = rows().filter(|row| !row.evidence.is_empty()).count();
    say(&format!("promise claims: {} rows, {proved} with typed evidence", rows().count()));
    let held = || {
        let rows = coaches.values().flatten().flat_map(|report| &report.rows);
        rows.filter(|row| row.finding == Finding::Holds)
    };
    let proved = held().filter(|row| !row.evidence.is_empty()).count();
    say(&format!("promise verdicts: {} hold, {proved} with typed evidence", held().count()));
    let approved = pairs.iter().filter(|decided| **decided == Decision::Approve).count();
    say(&format!("promise turns: {} pairs, {approved} approved", pairs.len()));
    assert!(pairs.len() >= 16);
    // A coach whose player's report is not there: the claims it speaks of are taken as made.
    let mut overruled = 0;
    for (path, coach) in coaches.iter().filter_map(|(path, read)| Some((path, read.as_ref().ok()?)))
    {
        overruled += usize::from(alone(path, coach));
    }
    for path in files(&root, &|name| name.ends_with(".json")) {
        // Files of other kinds are refused, or read as what they resemble; nothing panics.
        let text = fs::read_to_string(&path).unwrap();
        let both = (read_player(&text), read_coach(&text));
        assert!(both.0.is_err() || both.1.is_err(), "{} is both", path.display());
    }
    say(&format!("promise coaches on their own word: {overruled} approvals overruled"));
}

fn criteria_from(ids: impl Iterator<Item = (String, String)>) -> Vec<Criterion> {
    let all: BTreeMap<String, String> = ids.collect();
    all.into_iter().map(|(id, text)| Criterion::open(id, text)).collect()
}

/// The decision of a turn, held against what its files say.
fn pair(path: &Path, player: &PlayerReport, coach: &CoachReport) -> Decision {
    let named = |row: &ClaimRow| -> Option<(String, String)> {
        Some((row.id.clone()?, row.text.clone().unwrap_or_default()))
    };
    let criteria = criteria_from(player.rows.iter().filter_map(named));
    let matched = claims(&criteria, &player.rows, Matching::Exact);
    let judged = verdicts(&criteria, &coach.rows, &matched.claims);
    let decided = decision(&criteria, &judged.verdicts, coach.decision, &coach.blocking());
    let open = criteria.iter().any(|one| !shown(&judged, &one.id));
    if open || !coach.blocking().is_empty() || coach.decision == Some(Decision::Feedback) {
        assert_eq!(decided.decision, Decision::Feedback, "{}", path.display());
    }
    let said = coach.decision == Some(Decision::Approve);
    let overruled = said && decided.decision == Decision::Feedback;
    assert_eq!(decided.overruled.is_some(), overruled, "{}", path.display());
    decided.decision
}

fn shown(judged: &matching::Judged, id: &str) -> bool {
    let of = |one: &&Verdict| one.criterion == id;
    judged.verdicts.iter().find(of).is_some_and(|one| one.finding == Finding::Holds)
}

/// Whether the coach's approval is overruled, and that it is if it rejected anything.
fn alone(path: &Path, coach: &CoachReport) -> bool {
    let ids = coach.rows.iter().filter_map(|row| Some((row.id.clone()?, String::new())));
    let criteria = criteria_from(ids);
    let claim = |one: &Criterion| Claim {
        criterion: one.id.clone(),
        status: ClaimStatus::Complete,
        evidence: Vec::new(),
    };
    let claimed: Vec<Claim> = criteria.iter().map(claim).collect();
    let judged = verdicts(&criteria, &coach.rows, &claimed);
    let decided = decision(&criteria, &judged.verdicts, coach.decision, &coach.blocking());
    if coach.rows.iter().any(|row| row.finding != Finding::Holds) {
        assert_eq!(decided.decision, Decision::Feedback, "{}", path.display());
    }
    decided.overruled.is_some()
}

#[test]
fn every_feature_is_understood_or_diagnosed() {
    let Some(corpus) = corpus() else { return };
    let found = files(&corpus.join("guardkit/features"), &|name| name.ends_with(".yaml"));
    assert!(found.len() >= 40);
    let (mut tally, mut faults) = (Tally::default(), Vec::new());
    for path in &found {
        let read = feature::parse(&fs::read_to_string(path).unwrap());
        let empty = [].as_slice();
        tally.add(path, read.as_ref().map(|_| empty));
        match read {
            Ok(feature) => {
                let placed: usize = feature.waves.iter().map(Vec::len).sum();
                assert_eq!(placed, feature.tasks.len(), "{}", path.display());
            }
            Err(error) => {
                faults.push(format!("{}: {}", path.file_stem().unwrap().display(), error))
            }
        }
    }
    say(&format!("promise features: {}\n  {}", tally.words(), faults.join("\n  ")));
    assert!(tally.understood >= found.len() / 2);
}
