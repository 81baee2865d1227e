//! Plans and state files that people really wrote, through the supervisor's eyes.
//!
//! The corpus lies beside the repository and is not part of it; where it is absent, nothing is tested
//! and the output says so.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

use endstate::engine::Config;
use endstate::protocols::ProtocolConfig;
use endstate::protocols::sprint;
use std::fs;
use std::path::{Path, PathBuf};

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
        match sprint::plan::config("EXECUTION_PLAN.md", &text, "project") {
            Ok(planned) => {
                let mission = ProtocolConfig::Sprint(Box::new(planned.config.clone()));
                let config = Config { budget: Default::default(), mission };
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
