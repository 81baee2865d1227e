//! The oracle: inputs, what the peer's own functions returned for them, and what ours return.

use super::{corpus, say, text};
use endstate::protocols::promise::matching::{Matching, claims, verdicts};
use endstate::protocols::promise::report::{PlayerReport, read_coach, read_player};
use endstate::protocols::promise::{feedback, progress, task};
use endstate::vocab::criterion::{Criterion, from_texts, label, unlabelled};
use endstate::vocab::error::Code;
use endstate::vocab::evidence::Finding;
use endstate::vocab::verdict::{Claim, ClaimStatus};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

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
    let page = include_str!("../../docs/deviations.md");
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
