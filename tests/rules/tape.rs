//! A journal held for looking at it: every moment is the one that was, wherever the engines are kept;
//! what is wrong is told, and what came before it can still be shown.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common;
use crate::common::Story;
use endstate::journal::{Entry, Header, Position};
use endstate::layout;
use endstate::picture;
use endstate::tape::Tape;
use endstate::vocab::error::Code;
use endstate::vocab::event::{Fact, ProgressEntry, RunOutcome, RunProgressed};
use endstate::vocab::json;

/// A whole small mission with many signs of life, as journal lines, and its state after each.
fn journal() -> (Vec<u8>, Vec<String>) {
    let mut story = Story::started();
    story.plan(&["S1", "S2"]);
    let effect = story.begin("implementer");
    for line in 0..150 {
        let entries = vec![ProgressEntry { kind: "activity".into(), text: format!("line {line}") }];
        story.fact(Fact::RunProgressed(RunProgressed { effect, entries }));
    }
    story.failed(effect, RunOutcome::Failed);
    story.implement("S1");
    story.verify("S1");
    story.reconcile("S1", Some("S2"));
    let mut position = Position::default();
    let (at, decided) = story.began.clone();
    let (mut engine, _) = endstate::Engine::start(&story.config, at).unwrap();
    let mut text = position.write(&Header::new(story.config.clone(), at, decided)) + "\n";
    let mut states = vec![json::encode(engine.snapshot())];
    for (event, applied) in &story.taken {
        engine.apply(event).unwrap();
        states.push(json::encode(engine.snapshot()));
        let decided = applied.decided.clone();
        text += &position.write(&Entry { event: event.clone(), decided });
        text += "\n";
    }
    (text.into_bytes(), states)
}

fn tape(bytes: &[u8], piece: usize) -> Tape {
    let mut tape = Tape::new();
    bytes.chunks(piece).for_each(|piece| tape.push(piece));
    tape
}

fn moment(tape: &Tape, bytes: &[u8], seq: usize) -> String {
    let mut replayer = tape.before(seq as u64).unwrap();
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let first = replayer.position().lines as usize;
    let between = lines.skip(first).take(seq + 1 - first);
    between.for_each(|line| replayer.line(line.strip_suffix(b"\n").unwrap()).unwrap());
    json::encode(replayer.engine().unwrap().snapshot())
}

#[test]
fn every_moment_is_the_one_that_was() {
    let (bytes, states) = journal();
    let tape = tape(&bytes, 1_000);
    assert_eq!(tape.state().lines as usize, states.len());
    for (seq, state) in states.iter().enumerate() {
        assert_eq!(moment(&tape, &bytes, seq), *state, "event {seq}");
    }
}

#[test]
fn runs_and_questions_are_told() {
    let (bytes, _) = journal();
    let tape = tape(&bytes, 77);
    let runs = &tape.chronicle().runs;
    let told: Vec<_> = runs.iter().map(|run| (common::plain(&run.role), run.outcome)).collect();
    let success = Some(RunOutcome::Success);
    let told_ended: Vec<_> = told.iter().filter(|(_, outcome)| outcome.is_some()).collect();
    assert!(told_ended.contains(&&("implementer", Some(RunOutcome::Failed))), "{told:?}");
    for role in ["regrounder", "implementer", "reviewer", "auditor"] {
        assert!(told_ended.contains(&&(role, success)), "{role}: {told:?}");
    }
    assert!(runs.iter().all(|run| run.started.is_none_or(|at| at.seq > run.ordered.seq)));
    assert!(runs.iter().any(|run| run.item.as_deref() == Some("S1")), "{runs:?}");
}

#[test]
fn damage_is_told_and_what_was_before_it_is_shown() {
    let (bytes, states) = journal();
    let ends: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at).collect();
    for line in [1, 63, 64, 65, 100] {
        let mut other = bytes.clone();
        other[ends[line] - 3] ^= 1;
        let tape = tape(&other, 4_096);
        let state = tape.state();
        let fault = state.fault.unwrap();
        assert_eq!((fault.code, fault.at), (Code::JournalDamaged, format!("line {}", line + 1)));
        assert_eq!(state.lines as usize, line);
        assert_eq!(moment(&tape, &other, line - 1), states[line - 1]);
    }
    // Chained anew by somebody: the chain holds, the body is not what we would have written.
    let mut position = Position::default();
    let mut forged = Vec::new();
    for (at, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate().take(9) {
        let body = position.clone().read(line.strip_suffix(b"\n").unwrap());
        let body = body.unwrap_or_else(|_| std::str::from_utf8(line).unwrap()).to_owned();
        let body = if at == 8 { r#"{"event":{"at":1}}"#.to_owned() } else { body };
        let raw = serde_json::value::RawValue::from_string(body).unwrap();
        forged.extend_from_slice(position.write(&raw).as_bytes());
        forged.push(b'\n');
    }
    let forged_tape = tape(&forged, 4_096);
    let state = forged_tape.state();
    assert_eq!((state.lines, state.fault.unwrap().at), (8, "line 9".to_owned()));
    assert_eq!(moment(&forged_tape, &forged, 7), states[7]);
    let torn = tape(&bytes[..bytes.len() - 10], 5_000).state();
    assert!(torn.fault.is_none() && torn.torn_bytes > 0 && torn.lines as usize == states.len() - 1);
    assert!(tape(b"", 1).before(0).is_none());
    assert!(tape(b"not a journal\n", 1).state().fault.is_some());
}

#[test]
fn a_picture_belongs_to_its_scene() {
    let (bytes, _) = journal();
    let tape = tape(&bytes, 4_096);
    let (engine, _) = tape.before(u64::MAX).unwrap().into_parts().unwrap();
    let (scene, picture) = (layout::scene(&engine), picture::picture(&engine));
    assert_eq!(scene.key, picture.key);
    assert_eq!((scene.nodes.len(), picture.nodes.len()), (2, 2));
    assert_eq!(picture.words[picture.nodes[0].1], "done");
    assert_eq!(picture.critical, [1]);
    assert_eq!(engine.criteria("S1").unwrap().len(), 2);
    assert!(engine.criteria("S9").is_none());
}
