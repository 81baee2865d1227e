//! Plans and state files that people really wrote, through the supervisor's eyes, and a mission that
//! really ran, replayed event by event from what its decisions log says.
//!
//! The corpus lies beside the repository and is not part of it; where it is absent, nothing is tested
//! and the output says so.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

use crate::sprint_tales::*;
use endstate::engine::Engine;
use endstate::protocols::Mission;
use endstate::protocols::sprint::model;
use endstate::protocols::sprint::state::{SprintStatus, State};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Past the test command, which swallows what tests that pass print.
fn say(words: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{words}");
}

fn files(suffix: &str) -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/mission-supervisor");
    if !corpus.is_dir() {
        say(&format!("SKIPPED: corpus is absent ({})", corpus.display()));
        return Vec::new();
    }
    let (mut found, mut open) = (Vec::new(), vec![corpus]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.to_string_lossy().ends_with(suffix) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn real_plans_begin_or_say_why_not() {
    let plans = files("EXECUTION_PLAN.md");
    let mut begun = 0;
    for path in &plans {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match of_plan("EXECUTION_PLAN.md", &text) {
            Ok(planned) => {
                let mission = ProtocolConfig::Sprint(Box::new(planned.config.clone()));
                let config = Config::new(mission);
                let step =
                    endstate::start(&config, 0).unwrap_or_else(|error| panic!("{name}: {error}"));
                let sprints: usize =
                    planned.config.units.iter().map(|unit| unit.sprints.len()).sum();
                say(&format!("{name}: {} units, {sprints} sprints", planned.config.units.len()));
                assert_eq!(step.snapshot.mission.name(), "sprint");
                begun += 1;
            }
            Err(error) => {
                say(&format!("{name}: refused: {error}"));
                assert!(!error.at.is_empty() && !error.expected.is_empty());
            }
        }
    }
    say(&format!("{begun} of {} real plans begin", plans.len()));
    assert!(plans.is_empty() || begun * 3 >= plans.len() * 2, "{begun} of {}", plans.len());
}

#[test]
fn real_state_files_are_read() {
    let (paths, mut silent) = (files("SUPERVISOR_STATE.md"), 0);
    for path in &paths {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        let recorded = sprint::files::read::state(&text);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        say(&format!(
            "{name}: {} units, {} rows, {} notes",
            recorded.blocks.len(),
            recorded.rows.len(),
            recorded.notes.len()
        ));
        silent += usize::from(recorded.blocks.is_empty() && recorded.rows.is_empty());
    }
    say(&format!("{silent} of {} state files say nothing that is read", paths.len()));
    assert!(silent * 2 <= paths.len(), "{silent} of {}", paths.len());
}

/// One row of the decisions log: the sortie, what happened, and what came of it.
struct Row {
    sortie: Option<u64>,
    event: String,
    result: String,
}

/// The number after a word, and the one after its slash: `attempt 2/3`.
fn counted(text: &str, word: &str) -> Option<(u64, Option<u64>)> {
    let rest = text.split(word).nth(1)?.trim_start_matches(|one: char| !one.is_ascii_digit());
    let mut numbers = rest.split(|one: char| !one.is_ascii_digit() && one != '/');
    let (first, second) = match numbers.next()?.split_once('/') {
        Some((first, second)) => (first, second.parse().ok()),
        None => (rest.split(|one: char| !one.is_ascii_digit()).next()?, None),
    };
    Some((first.parse().ok()?, second))
}

fn log() -> Option<(Value, Vec<Row>)> {
    let path = "../shared/corpus/oracles/mission_trace_speaking_roster.json";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let Ok(text) = fs::read_to_string(&path) else {
        say(&format!("SKIPPED: corpus is absent ({})", path.display()));
        return None;
    };
    let log: Value = serde_json::from_str(&text).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let row =
        |row: &Value| Row { sortie: row[0].as_u64(), event: text(&row[1]), result: text(&row[2]) };
    let rows = log["events"].as_array().unwrap().iter().map(row).collect();
    Some((log, rows))
}

fn state(engine: &Engine) -> &State {
    let Mission::Sprint(state) = &engine.snapshot().mission else { panic!("another protocol") };
    state
}

/// The log gives scores, not what they were made of: traits that come to the same score.
fn traits_of(state: &State, id: &str, score: i64) -> Traits {
    let mut sprint = state.sprints.get(id).unwrap().clone();
    for (turns, files) in [(5, 0), (15, 0), (30, 0), (30, 4), (40, 4), (60, 4), (60, 7), (60, 12)] {
        for risk in 1..=5 {
            Arc::make_mut(&mut sprint.plan).traits =
                Traits { turns, files, risk, ..Traits::default() };
            if model::parts(&sprint).iter().map(|part| part.points).sum::<i64>() == score {
                return sprint.plan.traits;
            }
        }
    }
    panic!("no traits come to {score}")
}

/// The mission of the log: its limits, its unit, as many sprints as it had sorties, each as hard.
fn logged_mission(log: &Value, rows: &[Row]) -> sprint::Config {
    let (limits, unit_id) = (&log["config"], log["work_unit"].as_str().unwrap());
    let limit = |name: &str| u32::try_from(limits[name].as_u64().unwrap()).unwrap();
    let sorties = log["sorties"].as_u64().unwrap();
    let sprints = (1..=sorties)
        .map(|number| of(&number.to_string(), vec![shown("AC-001"), judged("AC-002")]));
    let mut config = sprint::Config {
        max_retries: limit("max_retries"),
        max_verifier_rounds: limit("max_verifier_rounds"),
        watchdog_interval_ms: u64::from(limit("watchdog_interval_minutes")) * 60_000,
        watchdog_max_strikes: limit("watchdog_max_strikes"),
        force_from_attempt: 2,
        ..mission(vec![unit(unit_id, &[], sprints.collect())])
    };
    let (engine, _) = Engine::start(&wrap(config.clone()), 0).unwrap();
    for sprint in config.units[0].sprints.iter_mut() {
        let first = rows.iter().find(|row| {
            row.sortie.map(|sortie| sortie.to_string()).as_ref() == Some(&sprint.label)
                && row.event == "dispatch"
        });
        // The first was sent to the strongest model without a word on its score.
        let score = counted(&first.unwrap().result, "score").map_or(13, |(score, _)| score);
        let id = format!("{unit_id}/{}", sprint.label);
        sprint.traits = traits_of(state(&engine), &id, i64::try_from(score).unwrap());
    }
    config
}

/// Does in the world what a row says was done. `run` is the sprint's agent, if it is alive.
fn happen(story: &mut Story, id: &str, row: &Row, run: &mut Option<EffectId>) {
    let unit = id.split_once('/').unwrap().0;
    if row.event.starts_with("dispatch") {
        return;
    }
    if row.event == "user_amends_plan" {
        let (item, criterion) = (id.to_owned(), "AC-001".to_owned());
        let reason = "it was named wrongly".to_owned();
        let changes = vec![PlanChange::WaiveCriterion { item, criterion, reason }];
        return story.say(Command::Amend { changes });
    }
    let alive = run.take().unwrap_or_else(|| begin(story, id));
    match row.event.as_str() {
        "agent_replan_accepted" => {
            let mut block = says(id, "replan", &[]);
            block["reasons"] = json!(["the plan names a type that does not exist"]);
            story.end(alive, report(block));
        }
        "watchdog_no_progress" => {
            fire(story, "watchdog");
            *run = Some(alive);
        }
        "watchdog_progress" => {
            story.world.dirty.insert(format!("{unit}/draft"), "d1".to_owned());
            fire(story, "watchdog");
            story.world.dirty.clear();
            *run = Some(alive);
        }
        event if event.contains("verifier_") => {
            finish(story, alive, id, says(id, "completed", &["AC-002"]));
            let bad: &[&str] = if event.contains("verifier_fail") { &["AC-002"] } else { &[] };
            verify(story, id, &["AC-002"], bad);
        }
        event => panic!("an event that nobody can tell: {event}"),
    }
}

/// The states a sprint was in since the event of this number, the present one among them.
fn stood_at(story: &Story, id: &str, since: usize) -> BTreeSet<String> {
    let (mut engine, _) = Engine::start(&story.config, story.began.0).unwrap();
    let mut stood = BTreeSet::new();
    for (place, (event, _)) in story.taken.iter().enumerate() {
        engine.apply(event).unwrap();
        if place >= since {
            let arrows = state(&engine).arrows().filter(|arrow| arrow.starts_with("sprint "));
            let ends = arrows.filter_map(|arrow| Some(arrow.split_once("→ ")?.1.to_owned()));
            stood.extend(ends);
        }
    }
    stood.insert(status(story, id));
    stood
}

/// What the row says came of it, word by word.
fn compare(story: &Story, id: &str, row: &Row, since: usize, limits: &Value) {
    let told = format!("sortie {id}: {} ⇒ {}", row.event, row.result);
    let words: Vec<&str> = row.result.split(|one: char| !one.is_ascii_uppercase()).collect();
    let stood = stood_at(story, id, since);
    for word in words.iter().filter(|word| SprintStatus::parse(word).is_some()) {
        // Where it came from is told as well: `REPLAN->PENDING`.
        let from = row.result.starts_with(&format!("{word}->"));
        assert!(from || stood.contains(*word), "{told}: {stood:?}");
    }
    let limit = |name: &str| limits[name].as_u64();
    if let Some((number, of)) = counted(&row.result, "attempt ").filter(|(_, of)| of.is_some()) {
        assert_eq!((attempt(story, id), limit("max_retries")), (number, of), "{told}");
    }
    if row.result.contains("attempt unchanged") || row.result.contains("attempt preserved") {
        assert_eq!(attempt(story, id), 1, "{told}");
    }
    if let Some((strikes, of)) = counted(&row.result, "strike") {
        let words = format!(" {strikes}/{}", of.unwrap());
        let last = decisions(story).into_iter().rfind(|one| one.starts_with("Watchdog")).unwrap();
        assert!(last.contains(&words), "{told}: {last}");
        assert_eq!(of, limit("watchdog_max_strikes"), "{told}");
    }
    if let (Some((round, of)), true) = (counted(&row.event, "round"), stood.contains("PARTIAL")) {
        assert_eq!(at(story, id, "/rounds"), json!(round), "{told}");
        assert!(of.is_none_or(|of| Some(of) == limit("max_verifier_rounds")), "{told}");
    }
    if row.result.contains("continuation") {
        assert!(ordered(story, id).corrects.is_some(), "{told}: the same agent goes on");
    }
    if row.event.starts_with("dispatch") {
        dispatched(story, id, row, &told);
    }
}

fn dispatched(story: &Story, id: &str, row: &Row, told: &str) {
    let order = ordered(story, id);
    let tier = match row.result.split(' ').next() {
        Some("opus") => Tier::Large,
        Some("sonnet") => Tier::Standard,
        _ => Tier::Small,
    };
    assert_eq!((order.tier, order.corrects), (tier, None), "{told}");
    if let Some((score, _)) = counted(&row.result, "score") {
        assert_eq!(at(story, id, "/choice/sixths"), json!(score * 6), "{told}");
    }
    if row.event == "dispatch retry" {
        assert_eq!(attempt(story, id), 2, "{told}");
        let why = at(story, id, "/choice/why").to_string();
        assert!(why.contains("attempt 2 forces the strongest model"), "{told}: {why}");
    }
}

#[test]
fn a_real_mission_goes_through_the_states_its_log_lists() {
    let Some((log, rows)) = log() else { return };
    let unit = log["work_unit"].as_str().unwrap();
    let mut story = going(logged_mission(&log, &rows));
    let mut run = None;
    for row in &rows {
        let Some(sortie) = row.sortie else {
            assert!(row.result.contains(&unit_status(&story, unit)), "{}", row.result);
            continue;
        };
        let (id, since) = (format!("{unit}/{sortie}"), story.taken.len());
        happen(&mut story, &id, row, &mut run);
        compare(&story, &id, row, since, &log["config"]);
    }
    assert_eq!(rows.last().map(|row| row.sortie), Some(None));
    done(&story);
    say(&format!("{} rows of a real decisions log replayed", rows.len()));
}
