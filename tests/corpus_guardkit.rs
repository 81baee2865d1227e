//! What the promise peer really wrote, and what its own functions made of it.
//!
//! The corpus lies beside the repository and is not part of it; where it is absent, nothing is tested
//! and the output says so. Where we differ from the peer's functions, `docs/deviations.md` lists the
//! row; the list is checked both ways.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

use endstate::protocols::promise::decision::{Decision, decision};
use endstate::protocols::promise::matching::{self, Matching, claims, verdicts};
use endstate::protocols::promise::report::{CoachReport, PlayerReport, read_coach, read_player};
use endstate::protocols::promise::{feature, feedback, progress, task};
use endstate::vocab::criterion::{Criterion, from_texts, label, unlabelled};
use endstate::vocab::error::{Code, Diagnostic, Error};
use endstate::vocab::evidence::Finding;
use endstate::vocab::verdict::{Claim, ClaimStatus};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
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

// What our functions make of a row, in the words of the peer.

fn criteria_of(row: &Value) -> bool {
    let ours = match task::parse(row["in"].as_str().unwrap()) {
        Ok(task) => {
            task.criteria.iter().map(|one| json!({"id": one.id, "text": one.text})).collect()
        }
        Err(error) if error.code == Code::EmptyCriteria => Vec::new(),
        Err(error) => panic!("{error}"),
    };
    Value::Array(ours) == row["out"]
}

fn label_of(row: &Value) -> bool {
    let given = row["in"].as_str().unwrap();
    json!([unlabelled(given), label(given)]) == row["out"]
}

fn prefix_of(row: &Value) -> bool {
    task::bare(row["in"].as_str().unwrap()) == row["out"].as_str().unwrap()
}

fn claim_word(status: Option<ClaimStatus>) -> &'static str {
    match status {
        Some(ClaimStatus::Complete) => "complete",
        Some(ClaimStatus::Partial) => "partial",
        Some(ClaimStatus::NotStarted) => "incomplete",
        Some(ClaimStatus::Blocked) => "blocked",
        None => "not read",
    }
}

fn promise_of(row: &Value) -> bool {
    let report = read_player(&json!({"completion_promises": [row["in"]]}).to_string()).unwrap();
    let one = &report.rows[0];
    let ours = json!({
        "criterion_id": one.id.clone().unwrap_or_default(),
        "criterion_text": one.text.clone().unwrap_or_default(),
        "status": claim_word(one.status),
        "evidence": one.prose.clone().unwrap_or_default(),
        "test_file": row["in"]["test_file"],
        "implementation_files": one.implementation_files,
    });
    ours == row["out"]
}

fn verification_of(row: &Value) -> bool {
    let report = read_coach(&json!({"criteria_verification": [row["in"]]}).to_string()).unwrap();
    let one = &report.rows[0];
    let result = match one.finding {
        Finding::Holds => "verified",
        Finding::DoesNotHold => "rejected",
        Finding::NotShown => "not shown",
    };
    let id = one.id.clone().unwrap_or_default();
    json!({"criterion_id": id, "result": result, "notes": one.method}) == row["out"]
}

/// The rows with what the table leaves out and we ask for: proof, and how it was found out.
fn proved(rows: &Value, field: &str) -> Value {
    let mut rows = rows.clone();
    for row in rows.as_array_mut().unwrap() {
        row[field] = json!("test_of_it passes");
    }
    rows
}

fn player_rows(promises: &Value) -> Option<PlayerReport> {
    let block = json!({"completion_promises": proved(promises, "evidence")}).to_string();
    match read_player(&block) {
        Ok(report) => Some(report),
        Err(error) => {
            assert_eq!(error.code, Code::CriterionMissing);
            None
        }
    }
}

fn percentage_of(row: &Value) -> bool {
    let criteria: Vec<Criterion> = row["promises"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| Criterion::open(text(&one["criterion_id"]), "c"))
        .collect();
    let rows = player_rows(&row["promises"]).map(|report| report.rows).unwrap_or_default();
    let claimed = claims(&criteria, &rows, Matching::Exact).claims;
    let block =
        json!({"criteria_verification": proved(&row["verifications"], "notes")}).to_string();
    let judged = read_coach(&block).map(|report| report.rows).unwrap_or_default();
    let judged = verdicts(&criteria, &judged, &claimed).verdicts;
    let holds = judged.iter().filter(|one| one.finding == Finding::Holds).count();
    let ours = progress::percent(holds as u64, criteria.len() as u64);
    // Written out, so that no float is compared.
    let theirs = row["out"].to_string();
    theirs == format!("{ours}.0")
}

fn match_of(row: &Value) -> bool {
    let texts: Vec<String> = row["criteria"].as_array().unwrap().iter().map(text).collect();
    let bare: Vec<String> = texts.iter().map(|one| task::bare(one).to_owned()).collect();
    let criteria = from_texts(&bare).unwrap();
    let rows = player_rows(&row["promises"]).map(|report| report.rows).unwrap_or_default();
    let claimed = claims(&criteria, &rows, Matching::Exact).claims;
    let met = |id: &str| {
        let complete = |one: &&Claim| one.criterion == id && one.status == ClaimStatus::Complete;
        claimed.iter().any(|one| complete(&one))
    };
    let results: Vec<(String, bool)> =
        criteria.iter().map(|one| (one.id.clone(), met(&one.id))).collect();
    let theirs: Vec<(String, bool)> = row["out"]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (text(&one["id"]), one["result"] == "verified"))
        .collect();
    let missing: Vec<&String> =
        texts.iter().zip(&results).filter(|(_, (_, met))| !met).map(|(text, _)| text).collect();
    let out = &row["out"];
    let count = results.iter().filter(|(_, met)| *met).count();
    results == theirs
        && json!(missing) == out["missing"]
        && (json!(count), json!(texts.len())) == (out["met"].clone(), out["total"].clone())
        && json!(count == texts.len()) == out["all"]
}

fn stall_of(row: &Value) -> bool {
    let mut history = Vec::new();
    let mut before = 0;
    let mut ours = Vec::new();
    for turn in row["sequence"].as_array().unwrap() {
        let verified = turn[1].as_u64().unwrap();
        let signature = feedback::signature(turn[0].as_str().unwrap());
        history.push((signature, verified, verified.saturating_sub(before)));
        before = verified;
        ours.push(feedback::stalled(&history));
    }
    json!(ours) == row["stalled_after_each_turn"]
}

type Meets = fn(&Value) -> bool;

const TABLES: [(&str, Meets); 9] = [
    ("parse_criteria_from_body", criteria_of),
    ("extract_ac_id", label_of),
    ("strip_criterion_prefix", prefix_of),
    ("promise_from_dict", promise_of),
    ("verification_from_dict", verification_of),
    ("completion_percentage", percentage_of),
    ("match_by_promises", match_of),
    // Nothing of ours guesses from its words how a criterion is to be checked.
    ("classify_criterion", |_| false),
    ("feedback_stall", stall_of),
];

/// The rows that `docs/deviations.md` lists, each of which must have a reason.
fn listed() -> BTreeSet<String> {
    let page = include_str!("../docs/deviations.md");
    let section = page.split("## Rows of the promise oracle").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("- guardkit/"));
    rows.map(|line| {
        let (row, reason) = line.split_once(": ").unwrap();
        assert!(reason.len() >= 8, "{line}");
        row.to_owned()
    })
    .collect()
}

#[test]
fn every_row_of_the_oracle_is_met_or_listed() {
    let Some(corpus) = corpus() else { return };
    let oracle = fs::read_to_string(corpus.join("oracles/guardkit_oracle.json")).unwrap();
    let oracle: BTreeMap<String, Vec<Value>> = serde_json::from_str(&oracle).unwrap();
    let names: BTreeSet<&str> = TABLES.iter().map(|(name, _)| *name).collect();
    assert_eq!(oracle.keys().map(String::as_str).collect::<BTreeSet<_>>(), names);
    let (mut differ, mut count) = (BTreeSet::new(), 0);
    for (name, meets) in TABLES {
        for (place, row) in oracle[name].iter().enumerate() {
            count += 1;
            if !meets(row) {
                differ.insert(format!("{name}[{place}]"));
            }
        }
    }
    let listed = listed();
    let unlisted: Vec<_> = differ.difference(&listed).collect();
    let met: Vec<_> = listed.difference(&differ).collect();
    assert!(unlisted.is_empty(), "differ and are not listed: {unlisted:?}");
    assert!(met.is_empty(), "are listed and do not differ: {met:?}");
    say(&format!(
        "promise oracle: {count} rows, {} met, {} listed",
        count - differ.len(),
        listed.len()
    ));
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
                let named = |fault: &&endstate::vocab::error::Diagnostic| {
                    fault.at.is_empty() || fault.got.is_empty()
                };
                assert_eq!(faults.iter().find(named), None, "{}", path.display());
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
    let approved = pairs.iter().filter(|decided| **decided == Decision::Approve).count();
    say(&format!("promise turns: {} pairs, {approved} approved", pairs.len()));
    assert!(pairs.len() >= 16);
    // A coach whose player's report is not there: the claims it speaks of are taken as made.
    let mut overruled = 0;
    for (path, coach) in coaches.iter().filter_map(|(path, read)| Some((path, read.as_ref().ok()?)))
    {
        overruled += usize::from(alone(path, coach));
    }
    say(&format!("promise coaches on their own word: {overruled} approvals overruled"));
}

fn criteria_from(ids: impl Iterator<Item = (String, String)>) -> Vec<Criterion> {
    let all: BTreeMap<String, String> = ids.collect();
    all.into_iter().map(|(id, text)| Criterion::open(id, text)).collect()
}

/// The decision of a turn, held against what its files say.
fn pair(path: &Path, player: &PlayerReport, coach: &CoachReport) -> Decision {
    let named = |row: &_| -> Option<(String, String)> {
        let row: &endstate::protocols::promise::report::ClaimRow = row;
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
    let of = |one: &&endstate::vocab::verdict::Verdict| one.criterion == id;
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
