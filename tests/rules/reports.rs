//! How reports are read in all protocols: the block is the report, whatever stands around it; what every role is told
//! of its report; and what a run that left none may do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use crate::common::{MISSION, Story, Tale, claim, report, report_for};
use crate::{common, grid_tales, promise_tales, sprint_tales, stories};
use endstate::Continuation;
use endstate::engine::check_report;
use endstate::vocab::effect::{Order, SpawnRole};
use endstate::vocab::event::{EffectId, RunOutcome};
use serde_json::{Value, json};

/// The order of this role, begun or not.
fn ordered(story: &Story, role: &str) -> (EffectId, SpawnRole) {
    let found = story.engine.pending().into_iter().find_map(|one| match one.effect.order.clone() {
        Order::SpawnRole(spawn) if common::plain(&spawn.role) == role => {
            Some((one.effect.id, spawn))
        }
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no {role} is ordered: {:#?}", story.engine.why()))
}

/// Missions in which this role is due.
fn due() -> Vec<(&'static str, Story)> {
    let implemented = || {
        let mut story = Story::planned();
        story.implement("S1");
        story
    };
    let promised = || {
        let mut story = promise_tales::going(promise_tales::single());
        promise_tales::play(&mut story, "T1", 1, 2);
        story
    };
    let claimed = || {
        let criteria = vec![sprint_tales::judged("AC-001")];
        let mut story = sprint_tales::going(sprint_tales::single(criteria));
        sprint_tales::work(&mut story, "a/1", &["AC-001"]);
        story
    };
    let built = || {
        let mut story = grid_tales::going(grid_tales::single());
        grid_tales::build(&mut story, "01");
        story
    };
    vec![
        ("regrounder", Story::going()),
        ("implementer", Story::planned()),
        ("reviewer", implemented()),
        ("player", promise_tales::going(promise_tales::single())),
        ("coach", promised()),
        ("agent", sprint_tales::going(sprint_tales::single(vec![sprint_tales::judged("AC-001")]))),
        ("verifier", claimed()),
        ("planner", grid_tales::going(grid_tales::cluster(Vec::new()))),
        ("executor", grid_tales::going(grid_tales::single())),
        ("recognizer", built()),
    ]
}

/// A run of the role ends with this text.
fn says(story: &mut Story, role: &str, text: &str) -> EffectId {
    let item = ordered(story, role).1.item;
    let run = match item {
        Some(item) => story.begin_item(role, &item),
        None => story.begin(role),
    };
    story.end(run, text);
    run
}

#[test]
fn every_prompt_of_every_protocol_ends_with_the_form_of_the_report() {
    let tales: Vec<&Tale> = stories::all()
        .chain(promise_tales::all())
        .chain(grid_tales::all())
        .chain(sprint_tales::all())
        .collect();
    let mut seen = 0;
    for tale in tales {
        let story = (tale.tell)();
        for (_, applied) in &story.taken {
            for effect in &applied.effects {
                let Order::SpawnRole(spawn) = &effect.order else { continue };
                let (_, form) = spawn.prompt.rsplit_once("\n## Your report\n").unwrap();
                assert!(form.trim_end().ends_with("```"), "{}: {form}", tale.name);
                assert!(!form.contains("\n## "), "{}: {form}", tale.name);
                assert!(form.contains("MISSION ANCHOR: "), "{}: {form}", tale.name);
                seen += 1;
            }
        }
    }
    assert!(seen > 1_000, "{seen} prompts");
}

#[test]
fn a_fault_quotes_what_came_and_a_third_repetition_shows_a_whole_report() {
    for (role, mut story) in due() {
        let first = says(&mut story, role, "I have finished, all is well.");
        let (_, order) = ordered(&story, role);
        assert_eq!(order.corrects, Some(first), "{role}");
        for part in ["block_missing", "“I have finished, all is well.”", "one fenced json block"]
        {
            assert!(order.prompt.contains(part), "{role}: {part}: {}", order.prompt);
        }
        assert!(!order.prompt.contains("Reports were refused before"), "{role}");
        says(&mut story, role, "It is still all well.");
        if role == "verifier" {
            // Its round is over, and the agent's turn has come.
            continue;
        }
        let (id, order) = ordered(&story, role);
        assert_eq!(order.corrects, None, "{role}");
        let (_, tail) = order.prompt.split_once("Reports were refused before").unwrap();
        let example = tail.split("\n````\n").nth(1).unwrap();
        assert_eq!(
            check_report(story.engine.snapshot(), id, example),
            Ok(Vec::new()),
            "{role}: {example}"
        );
    }
}

#[test]
fn the_block_is_the_report_and_its_header_is_found_wherever_it_stands() {
    let story = Story::planned();
    let (id, _) = ordered(&story, "implementer");
    let read = |text: &str| check_report(story.engine.snapshot(), id, text);
    let (block, plain) = (claim("S1", &story.head()), report(claim("S1", &story.head())));
    let fenced = format!("```json\n{block}\n```\n");
    let header = format!("MISSION ANCHOR: {MISSION}\nRemaining contract IDs: C-1\n");
    let quoted: String = plain.lines().map(|line| format!("> {line}\n")).collect();
    for text in [
        format!("I have finished. Here is my report:\n\n{plain}"),
        format!("{fenced}\n{header}"),
        format!("{header}\n{fenced}\nOnce more:\n\n{fenced}"),
        format!("{header}\n```json\n{{\"passed\": 3}}\n```\n\n{fenced}"),
        plain.replace("```json", "```"),
        plain.replace("```json", "~~~~").replace("```", "~~~~"),
        plain.replace('\n', "\r\n"),
        format!("````markdown\n{plain}````\n"),
        quoted,
        format!("**MISSION ANCHOR:** `{MISSION}`\n**Remaining contract IDs:** C-1\n\n{fenced}"),
    ] {
        assert_eq!(read(&text), Ok(Vec::new()), "{text}");
    }
    // What is missing around it is a note.
    let notes = read(&fenced).unwrap();
    assert!(notes.len() == 1 && notes[0].contains("header_missing"), "{notes:?}");
    // Another mission's is drift, wherever it stands; two reports that differ are none.
    let code = |text: &str| read(text).unwrap_err().code.as_str();
    let other = report_for("Sell everything.", block.clone());
    assert_eq!(code(&format!("Here it is:\n\n{other}")), "anchor_mismatch");
    assert_eq!(code(&format!("{fenced}\nMISSION ANCHOR: Sell everything.\n")), "anchor_mismatch");
    assert_eq!(
        code(&format!("{header}\nMISSION ANCHOR: Sell all.\n\n{fenced}")),
        "header_duplicate"
    );
    let two = format!("{header}\n{fenced}\n```json\n{}\n```\n", claim("S2", &story.head()));
    assert_eq!(code(&two), "block_duplicate");
}

#[test]
fn a_header_that_is_near_enough_is_no_drift() {
    let story = Story::planned();
    let (id, _) = ordered(&story, "implementer");
    let read = |text: &str| check_report(story.engine.snapshot(), id, text);
    let (block, plain) = (claim("S1", &story.head()), report(claim("S1", &story.head())));
    let fenced = format!("```json\n{block}\n```\n");
    for text in [
        plain.to_lowercase().split_once("```json").unwrap().0.to_owned() + &fenced,
        format!("MISSION ANCHOR: {MISSION} Remaining contract IDs: C-1\n\n{fenced}"),
        plain.replace('\n', "\r"),
        format!("MISSION ANCHOR: <the words of the mission>\n{plain}")
            .replace("<the words of the mission>", "…"),
        plain.replace("```json", "\u{feff}```json"),
        format!("\u{feff}{plain}"),
        format!("\u{feff}{fenced}\n{plain}"),
    ] {
        assert_eq!(read(&text), Ok(Vec::new()), "{text}");
    }
    for anchor in ["plan", "<mission>", "Greet every visitor …", ""] {
        let notes = read(&plain.replace(MISSION, anchor)).unwrap();
        assert!(notes.len() == 1 && notes[0].contains("header_missing"), "{anchor}: {notes:?}");
        assert!(notes[0].contains(MISSION), "{anchor}: {notes:?}");
    }
    // What the block quotes is no header, and without a block nobody has worked on anything else.
    let mut quotes = block.clone();
    quotes["quotes"] = json!(["MISSION ANCHOR: Sell everything."]);
    let quotes = plain.replace(&block.to_string(), &serde_json::to_string_pretty(&quotes).unwrap());
    assert!(quotes.contains("\"MISSION ANCHOR: Sell") && read(&quotes).is_ok(), "{quotes}");
    let code = |text: &str| read(text).unwrap_err().code.as_str();
    assert_eq!(code("MISSION ANCHOR: Sell everything.\n\nDone."), "block_missing");
}

#[test]
fn a_report_without_a_header_is_taken_and_told() {
    for (role, mut story) in due() {
        if !["implementer", "player", "agent", "executor"].contains(&role) {
            continue;
        }
        let commit = match role {
            "agent" => story.world.commit(&["a/part1.rs"]),
            "executor" => story.world.commit(&["src/01.rs"]),
            _ => story.world.commit(&["src/S1.c"]),
        };
        let block: Value = match role {
            "implementer" => claim("S1", &commit),
            "player" => {
                let rows = ["AC-001", "AC-002"].map(|id| promise_tales::row(id, "verified"));
                promise_tales::promise("T1", 1, rows.to_vec())
            }
            "agent" => sprint_tales::says("a/1", "completed", &["AC-001"]),
            _ => grid_tales::success("01", &commit),
        };
        let run = says(&mut story, role, &format!("Done.\n\n```json\n{block}\n```\n"));
        assert_eq!(story.problem(), "header_missing", "{role}");
        assert_eq!(story.core("/counts/refused_reports"), json!(0), "{role}");
        let next = story.engine.pending();
        assert!(next.iter().all(|one| !corrects(&one.effect.order, run)), "{role}");
    }
}

fn corrects(order: &Order, run: EffectId) -> bool {
    matches!(order, Order::SpawnRole(spawn) if spawn.corrects == Some(run))
}

/// Whatever is shown already: who failed, was lost or said nothing has completed nothing.
#[test]
fn a_sprint_is_not_completed_by_a_run_that_neither_said_nor_did_anything() {
    for outcome in [RunOutcome::Failed, RunOutcome::Lost, RunOutcome::Partial, RunOutcome::Success]
    {
        let one = sprint_tales::kind(sprint_tales::TaskKind::Command, sprint_tales::part("1"));
        let unit = sprint_tales::unit("a", &[], vec![one]);
        let mut story = sprint_tales::going(sprint_tales::mission(vec![unit]));
        let run = sprint_tales::begin(&mut story, "a/1");
        story.failed(run, outcome);
        assert_eq!(story.engine.continuation(), Continuation::Continue, "{outcome:?}");
        assert_eq!(sprint_tales::due(&story), ["a/1"], "{outcome:?}");
    }
}

/// As the table in docs/sprint.md says: who said nothing fails, whatever it committed; who cannot be read is asked once
/// for what only a verifier could judge.
#[test]
fn a_sprint_is_weighed_by_what_is_seen_unless_its_run_said_nothing() {
    for (criterion, text, status, asked) in [
        (sprint_tales::shown("AC-001"), None, "DISPATCHED", false),
        (sprint_tales::shown("AC-001"), Some("All is well."), "COMPLETED", false),
        (sprint_tales::judged("AC-001"), Some("All is well."), "RUNNING", true),
    ] {
        let mut story = sprint_tales::going(sprint_tales::single(vec![criterion]));
        let run = sprint_tales::begin(&mut story, "a/1");
        let commit = story.world.commit(&["a/part1.rs"]);
        match text {
            Some(text) => story.end(run, text),
            None => story.failed(run, RunOutcome::Success),
        }
        assert_eq!(sprint_tales::status(&story, "a/1"), status, "{text:?}");
        if status != "COMPLETED" {
            let order = sprint_tales::ordered(&story, "a/1");
            assert_eq!(order.corrects, asked.then_some(run), "{text:?}");
            assert!(order.prompt.contains(&commit[..12]) || asked, "{text:?}: {}", order.prompt);
        }
    }
}
