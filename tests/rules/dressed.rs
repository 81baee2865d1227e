//! Agents that report rightly in varied clothes: prose around the report, several blocks, other marks of fences and
//! headers. A hundred of them, each by a seed, play stories of all protocols that honest agents bring to their end;
//! ten more play the demos in real repositories.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::dressing::{Seeded, dress_by, dressed};
use crate::common::{Story, Tale};
use crate::{binary, grid_tales, iterating, promise_tales, sprint_tales, stories};
use endstate::Continuation;
use endstate::vocab::event::{Event, Fact, RunOutcome};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// How many seeds each protocol is played with, in memory and in real repositories.
const SEEDS: u64 = 20;
const REAL_SEEDS: u64 = 2;
/// Of so many runs one may be asked to report again.
const RUNS_A_CORRECTION: usize = 10;

fn runs(story: &Story) -> Vec<RunOutcome> {
    let outcome = |event: &Event| match &event.fact {
        Fact::RunEnded(ended) => Some(ended.outcome),
        _ => None,
    };
    story.taken.iter().filter_map(|(event, _)| outcome(event)).collect()
}

fn refused(story: &Story) -> u64 {
    story.core("/counts/refused_reports").as_u64().unwrap_or_default()
}

/// Stories in which every agent is honest and every report is taken.
fn honest(tales: impl Iterator<Item = &'static Tale>) -> Vec<(&'static Tale, usize)> {
    let ends_well = |tale: &&'static Tale| {
        let story = (tale.tell)();
        let runs = runs(&story);
        let well = runs.iter().all(|outcome| *outcome == RunOutcome::Success);
        let done = story.engine.continuation() == Continuation::Done;
        (done && well && runs.len() > 1 && refused(&story) == 0).then_some(runs.len())
    };
    tales.filter_map(|tale| Some((tale, ends_well(&tale)?))).collect()
}

fn played(protocol: &str, tales: impl Iterator<Item = &'static Tale>) {
    let tales = honest(tales);
    assert!(tales.len() > 3, "{protocol}: {} honest stories", tales.len());
    let (mut all, mut again) = (0, 0);
    for seed in 0..SEEDS {
        let (tale, plain) = tales[usize::try_from(seed).unwrap() * 7 % tales.len()];
        dress_by(Some(seed + 1));
        let story = (tale.tell)();
        dress_by(None);
        assert_eq!(
            story.engine.continuation(),
            Continuation::Done,
            "{protocol}: {} with seed {seed}",
            tale.name
        );
        let count = runs(&story).len();
        (all, again) = (all + count, again + refused(&story) + (count - plain) as u64);
    }
    assert!(all >= 40, "{protocol}: {all} runs");
    assert!(again as usize * RUNS_A_CORRECTION <= all, "{protocol}: {again} of {all} runs");
}

#[test]
fn twenty_dressed_agents_complete_a_mission() {
    played("completion", stories::all());
}

#[test]
fn twenty_dressed_agents_keep_their_promises() {
    played("promise", promise_tales::all());
}

#[test]
fn twenty_dressed_agents_iterate() {
    // What host code is given is the text itself, whatever its clothes.
    let tales = [iterating::worded::TALES, iterating::combined::TALES, iterating::ceilings::TALES];
    played("iteration", tales.into_iter().flatten());
}

#[test]
fn twenty_dressed_agents_build_a_cluster() {
    played("grid", grid_tales::all());
}

#[test]
fn twenty_dressed_agents_sprint() {
    played("sprint", sprint_tales::all());
}

/// A demo of the command line, as a user would begin it.
struct Demo {
    name: &'static str,
    /// Files of the project, by their path below the demos.
    files: &'static [(&'static str, &'static str)],
    /// What is said before the mission is driven, if anything, and how it is driven.
    begins: &'static [&'static str],
    drives: &'static [&'static str],
    /// What its user answers.
    answers: &'static [&'static str],
}

const DEMOS: [Demo; 5] = [
    Demo {
        name: "completion",
        files: &[
            ("README.md", "completion/README.md"),
            ("Makefile", "completion/Makefile"),
            ("bin/tally", "completion/tally.sh"),
            ("tests/run.sh", "run.sh"),
        ],
        begins: &["init", TALLY, "--name", "tally"],
        drives: &["run"],
        answers: &[],
    },
    Demo {
        name: "promise",
        files: &[
            ("README.md", "promise/README.md"),
            ("Makefile", "promise/Makefile"),
            ("bin/slug", "promise/slug.sh"),
            ("tests/run.sh", "run.sh"),
            ("tasks/feature.yaml", "promise/feature.yaml"),
            ("tasks/TASK-SLUG-001.md", "promise/TASK-SLUG-001.md"),
            ("tasks/TASK-SLUG-002.md", "promise/TASK-SLUG-002.md"),
            ("tasks/TASK-SLUG-003.md", "promise/TASK-SLUG-003.md"),
        ],
        begins: &[],
        drives: &["run", "--protocol", "promise", "tasks/feature.yaml", "--test", "make test"],
        answers: &[],
    },
    Demo {
        name: "iteration",
        files: &[
            ("README.md", "iteration/README.md"),
            ("tests/run.sh", "iteration/run.sh"),
            ("greeter.json", "iteration/agent.json"),
        ],
        begins: &[],
        drives: &["run", "--protocol", "iteration", "greeter.json"],
        answers: &[],
    },
    Demo {
        name: "grid",
        files: &[
            ("README.md", "grid/README.md"),
            ("tests/run.sh", "run.sh"),
            ("plans/01-01-PLAN.md", "grid/01-01-PLAN.md"),
            ("plans/01-02-PLAN.md", "grid/01-02-PLAN.md"),
            ("plans/01-03-PLAN.md", "grid/01-03-PLAN.md"),
        ],
        begins: &[],
        drives: &["run", "--protocol", "grid", "plans"],
        answers: &["plain", "accept"],
    },
    Demo {
        name: "sprint",
        files: &[
            ("README.md", "sprint/README.md"),
            ("Makefile", "sprint/Makefile"),
            ("ops/mirrored.sh", "sprint/mirrored.sh"),
            ("EXECUTION_PLAN.md", "sprint/EXECUTION_PLAN.md"),
        ],
        begins: &[],
        drives: &["run", "--protocol", "sprint", "--trust", "--poll", "1", "--build", "make test"],
        answers: &["done, seen"],
    },
];

const TALLY: &str =
    "tally counts lines and words of files and of standard input, and says how it is used";

fn kit(path: &str) -> String {
    let demos = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/demo");
    fs::read_to_string(demos.join(path)).unwrap()
}

/// The team of a demo, with its right reports in other clothes; without a seed as it is.
fn team(name: &str, seed: Option<u64>) -> String {
    let mut team: Value = serde_saphyr::from_str(&kit(&format!("{name}/team.yaml"))).unwrap();
    let Some(mut seeded) = seed.map(Seeded::new) else { return team.to_string() };
    for part in team["runs"].as_array_mut().unwrap() {
        let part = part.as_object_mut().unwrap();
        let report = part.get("report").cloned().unwrap_or_default();
        let right = ["header", "anchor", "block_text"].iter().all(|one| report.get(one).is_none());
        if let (true, Some(block)) = (right, report.get("block")) {
            let head = "MISSION ANCHOR: ${mission}\nRemaining contract IDs: none\n\n";
            let words = report["words"].as_str().unwrap_or("Done.");
            let text = dressed(&format!("{head}{words}\n\n```json\n{block}\n```\n"), &mut seeded);
            part.remove("report");
            part.insert("raw".to_owned(), json!(text));
        }
    }
    team.to_string()
}

/// Plays a demo to its end: how many runs there were, and how many reports were refused.
fn demo(demo: &Demo, seed: Option<u64>) -> (usize, u64) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let texts: Vec<_> = demo.files.iter().map(|(path, from)| (*path, kit(from))).collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, &**text)).collect();
    for (path, text) in files.iter().filter(|(_, text)| text.starts_with("#!")) {
        binary::program(&root.join(path), text);
    }
    binary::repository(root, &files);
    binary::write(&root.join(".git/team.json"), team(demo.name, seed));
    if !demo.begins.is_empty() {
        binary::endstate(root, demo.begins).expect(0);
    }
    let drives = [demo.drives, &["--agent", "script:.git/team.json", "--json"]].concat();
    for _ in 0..12 {
        let mut command = binary::command(root, &drives);
        let said = binary::said(command.current_dir(root));
        match said.status {
            // Of some demos a part of the end is claimed.
            Some(0 | 4) => {
                let all = binary::facts(root);
                let runs = all.iter().filter(|fact| fact["type"] == "run_ended").count();
                let refused = said.summary()["refused_reports"].as_u64().unwrap_or_default();
                return (runs, refused);
            }
            Some(10) => {
                let takes =
                    |words: &&str| binary::endstate(root, &["answer", words]).status == Some(0);
                assert!(demo.answers.iter().any(takes), "{}: {said:#?}", demo.name);
            }
            Some(11) => drop(binary::endstate(root, &["resume"]).expect(0)),
            _ => panic!("{} with seed {seed:?}: {said:#?}", demo.name),
        }
    }
    panic!("{} with seed {seed:?} does not end", demo.name)
}

fn played_for_real(name: &str) {
    let one = DEMOS.iter().find(|one| one.name == name).unwrap();
    let (plain, refused) = demo(one, None);
    for seed in 1..=REAL_SEEDS {
        let (runs, more) = demo(one, Some(seed));
        let again = more.saturating_sub(refused) as usize;
        assert!(again * RUNS_A_CORRECTION <= runs, "{name}, seed {seed}: {again} of {runs} runs");
        assert!(runs <= plain + again, "{name}, seed {seed}: {runs} runs instead of {plain}");
    }
}

#[test]
fn dressed_teams_play_the_demo_of_completion() {
    played_for_real("completion");
}

#[test]
fn dressed_teams_play_the_demos_of_promise_and_iteration() {
    played_for_real("promise");
    played_for_real("iteration");
}

#[test]
fn dressed_teams_play_the_demos_of_grid_and_sprint() {
    played_for_real("grid");
    played_for_real("sprint");
}
