//! The line of an upgrade, without a host.

use crate::old::{LATER, PROTOCOLS, bodies, chained, journal, replayed, taken, upgraded, upgrades};
use endstate::journal::{Header, Position, Replayer};
use endstate::snapshot::{RULES, Snapshot};
use endstate::stream::Stream;
use endstate::tape::Tape;
use endstate::vocab::error::{Code, Error};
use endstate::vocab::event::{Event, Fact, HostRecovered, Recovery};
use endstate::vocab::json;
use endstate::{Continuation, Engine};

fn refused(journal: &str) -> Error {
    endstate::replay(journal.as_bytes()).unwrap_err()
}

/// Goes on with a journal by one event of no consequence.
fn gone_on(journal: &str) -> String {
    let note = "a word".to_owned();
    let fact = Fact::HostRecovered(HostRecovered { from: Recovery::Restart, note });
    let (_, line) = taken(journal).append(Event { at: LATER, fact }).unwrap();
    format!("{journal}{line}\n")
}

#[test]
fn a_journal_of_older_rules_is_upgraded_and_goes_on_and_is_replayed_whole() {
    for protocol in PROTOCOLS {
        let old = journal(protocol);
        let lines = old.lines().count() as u64;
        let before = replayed(&old);
        assert_eq!((before.older_lines, before.divergence), (lines, None), "{protocol}");
        let new = upgraded(&old);
        assert!(taken(&new).upgrade(LATER).unwrap().is_none(), "{protocol}: once is enough");
        let whole = gone_on(&new);
        let after = replayed(&whole);
        assert_eq!((after.older_lines, after.divergence), (lines, None), "{protocol}");
        assert_eq!(after.events, lines + 1, "{protocol}");
        assert_ne!(after.continuation, Continuation::Done, "{protocol}");
        let mut stream = Stream::new();
        whole.as_bytes().chunks(4_099).for_each(|piece| stream.push(piece).unwrap());
        assert_eq!(stream.finish().unwrap().chain, after.chain);
    }
}

#[test]
fn a_snapshot_of_older_rules_reads_and_says_so() {
    let whole = taken(&journal("promise"));
    let (engine, _) = whole.into_parts().unwrap();
    let text = json::encode(engine.snapshot());
    assert_eq!(Snapshot::read(&text).unwrap().rules, 1);
    let newer = text.replacen("\"rules\":1", &format!("\"rules\":{}", RULES + 1), 1);
    assert_eq!(Snapshot::read(&newer).unwrap_err().code, Code::OtherRules);
}

#[test]
fn decisions_of_older_rules_are_not_held_against_them() {
    for protocol in PROTOCOLS {
        let mut all = bodies(&journal(protocol));
        // As rules would have left it that name their decisions otherwise.
        for body in &mut all {
            *body = body.replace("\"decided\":{\"rule\":\"", "\"decided\":{\"rule\":\"old_");
        }
        let found = replayed(&gone_on(&upgraded(&chained(&all))));
        assert_eq!(found.divergence, None, "{protocol}");
    }
}

#[test]
fn an_event_that_is_refused_now_is_set_aside_by_name() {
    // Today's own journal, said to be of older rules: nothing else of it is refused, whatever the rules become.
    let line = bodies(&journal("sprint")).pop().unwrap();
    let mut all =
        vec![bodies(&today())[0].replacen(&format!("\"rules\":{RULES}"), "\"rules\":1", 1)];
    let (_, decided) = line.rsplit_once(",\"decided\":").unwrap();
    let body = |fact: &str| {
        format!("{{\"event\":{{\"at\":{LATER},\"fact\":{fact}}},\"decided\":{decided}")
    };
    all.push(body(r#"{"type":"timer_fired","data":{"effect":"1.7"}}"#));
    all.push(body(r#"{"type":"unheard_of","data":{}}"#));
    let old = chained(&all);
    let (rules, aside) = taken(&old).rules();
    assert_eq!((rules, aside.len()), (1, 2), "{aside:?}");
    assert!(aside[0].contains("event 1, timer_fired: "), "{aside:?}");
    assert!(aside[1].contains("event 2, a line: journal_damaged"), "{aside:?}");
    let whole = gone_on(&upgraded(&old));
    assert_eq!(replayed(&whole).divergence, None);
    let note = bodies(&whole)[3].clone();
    assert!(note.contains("set aside: event 1, timer_fired"), "{note}");
    // However many: a few are told one by one.
    all.extend(vec![all[1].clone(); 100]);
    let (_, aside) = taken(&chained(&all)).rules();
    assert_eq!((aside.len(), aside.last().unwrap().as_str()), (17, "86 more"));
}

/// Line 0 of a mission that begins now.
fn today() -> String {
    let config: endstate::Config = json::decode(include_str!("../bad_input_config.json")).unwrap();
    let (_, applied) = Engine::start(&config, 1).unwrap();
    Position::default().write(&Header::new(config, 1, applied.decided)) + "\n"
}

#[test]
fn answers_to_what_older_rules_ordered_otherwise_are_none() {
    let mut all = bodies(&journal("promise"));
    let command = all.iter().position(|body| body.contains("\"order\":\"run_command\"")).unwrap();
    let (head, tail) = all[command].rsplit_once("\"order\":\"run_command\",\"digest\":\"").unwrap();
    all[command] = format!("{head}\"order\":\"run_command\",\"digest\":\"0000{}", &tail[4..]);
    let old = chained(&all);
    let replayer = taken(&old);
    let (_, aside) = replayer.rules();
    assert!(aside.iter().any(|one| one.contains("command_exited")), "{aside:?}");
    assert_eq!(replayed(&gone_on(&upgraded(&old))).divergence, None);
}

#[test]
fn one_upgrade_follows_another() {
    for protocol in PROTOCOLS {
        // Rules 0 never were; a journal of theirs is older all the same.
        let mut all = bodies(&journal(protocol));
        all[0] = all[0].replacen("\"rules\":1", "\"rules\":0", 1);
        let first = upgraded(&chained(&all));
        let mut all = bodies(&gone_on(&first));
        let at = upgrades(&first)[0];
        all[at] = all[at].replace(&format!("\"rules\":{RULES},"), "\"rules\":1,");
        let old = chained(&all);
        let lines = old.lines().count() as u64;
        assert_eq!(replayed(&old).older_lines, lines, "{protocol}");
        let whole = gone_on(&upgraded(&old));
        assert_eq!(upgrades(&whole), [at, lines as usize], "{protocol}");
        let found = replayed(&whole);
        assert_eq!((found.older_lines, found.divergence), (lines, None), "{protocol}");
        // What an upgrade between took over may be beyond today's rules: the next one holds it anew.
        let mut beyond = bodies(&whole);
        beyond[at] = beyond[at].replacen("\"head\":{", "\"was\":1,\"head\":{", 1);
        let found = replayed(&chained(&beyond));
        assert_eq!((found.older_lines, found.divergence), (lines, None), "{protocol}");
    }
}

#[test]
fn a_mission_that_cannot_be_taken_over_says_what_to_do() {
    let mut all = bodies(&journal("promise"));
    all[0] = all[0].replacen("\"config\":{", "\"config\":{\"was\":1,", 1);
    let old = chained(&all);
    let error = taken(&old).upgrade(LATER).unwrap_err();
    assert_eq!(error.code, Code::OtherRules);
    assert!(error.expected.contains("go on with the version of endstate that wrote it"), "{error}");
    // The chain can still be told, and where it ended.
    assert_eq!(replayed(&old).older_lines, all.len() as u64);
}

#[test]
fn the_line_of_an_upgrade_is_held_to_every_byte_and_to_its_place() {
    let old = journal("iteration");
    let at = old.lines().count();
    let new = upgraded(&old);
    let place = format!("line {}", at + 1);
    for byte in (old.len()..new.len() - 1).step_by(97) {
        let mut other = new.clone().into_bytes();
        other[byte] ^= 1;
        let error = endstate::replay(&other).unwrap_err();
        assert_eq!((error.code, &error.at), (Code::JournalDamaged, &place), "byte {byte}");
    }
    let changed = |change: &dyn Fn(&str) -> String| {
        let mut all = bodies(&new);
        all[at] = change(&all[at]);
        refused(&chained(&all))
    };
    let is = |error: Error, code: Code, at: &str| {
        assert_eq!((error.code, error.at.as_str()), (code, at))
    };
    let damaged = |error: Error| is(error, Code::JournalDamaged, &place);
    let rules = format!("\"rules\":{RULES},");
    damaged(changed(&|body| body.replacen("\"head\":{", "\"was\":1,\"head\":{", 1)));
    damaged(changed(&|body| body.replacen("\"control\":\"", "\"control\":\"un", 1)));
    damaged(changed(&|body| body.replacen("\"from\":\"upgrade\"", "\"from\":\"restart\"", 1)));
    damaged(changed(&|body| body.replacen("\"head\":{\"seq\":", "\"head\":{\"seq\":1", 1)));
    damaged(changed(&|body| body.replacen(&rules, "\"rules\":1,", 1)));
    damaged(changed(&|_| bodies(&old)[0].clone()));
    let future = format!("\"rules\":{},", RULES + 1);
    is(changed(&|body| body.replace(&rules, &future)), Code::OtherRules, &format!("{place}.rules"));
    let format = |body: &str| body.replacen("{\"format\":1", "{\"format\":7", 1);
    is(changed(&format), Code::UnknownFormat, &format!("{place}.format"));
    // What the event led to is decided again.
    let mut all = bodies(&new);
    all[at] = all[at].replace("\"decided\":{\"rule\":\"", "\"decided\":{\"rule\":\"x");
    assert_eq!(replayed(&chained(&all)).divergence.unwrap().path, "decided.rule");
}

#[test]
fn nobody_upgrades_to_the_rules_that_there_are_or_at_line_0() {
    let new = upgraded(&journal("iteration"));
    let line = bodies(&new).pop().unwrap();
    is_damaged(&chained(std::slice::from_ref(&line)), 1);
    let mut twice = bodies(&gone_on(&new));
    let at = twice.len();
    // Else whoever can write a line could put any state into a journal.
    twice.push(line.replacen(
        "\"head\":{\"seq\":",
        &format!("\"head\":{{\"seq\":{},\"was\":", at - 1),
        1,
    ));
    is_damaged(&chained(&twice), at + 1);
}

fn is_damaged(journal: &str, line: usize) {
    let error = refused(journal);
    assert_eq!((error.code, error.at), (Code::JournalDamaged, format!("line {line}")));
}

#[test]
fn every_moment_of_an_upgraded_journal_is_shown() {
    for protocol in PROTOCOLS {
        let old = journal(protocol);
        let whole = gone_on(&upgraded(&old));
        let mut tape = Tape::new();
        whole.as_bytes().chunks(1_000).for_each(|piece| tape.push(piece));
        let (state, lines) = (tape.state(), whole.lines().count() as u64);
        assert_eq!((state.lines, state.fault, state.divergence), (lines, None, None), "{protocol}");
        assert_eq!(state.older_lines, old.lines().count() as u64, "{protocol}");
        let mut straight = Replayer::new();
        for (seq, line) in whole.lines().enumerate() {
            straight.line(line.as_bytes()).unwrap();
            let mut moment = tape.before(seq as u64).unwrap();
            let from = moment.position().lines as usize;
            for line in whole.lines().skip(from).take(seq + 1 - from) {
                moment.line(line.as_bytes()).unwrap();
            }
            let state = |one: &Replayer| json::encode(one.engine().map(Engine::snapshot).unwrap());
            assert_eq!(state(&moment), state(&straight), "{protocol} {seq}");
        }
    }
}

/// Rules 2 read commands out of words; now words are judged, and the mission goes on from there.
#[test]
fn words_that_older_rules_took_for_a_command_are_judged() {
    let text = include_str!("../old/sprint_words/events.jsonl");
    let raw = |line: &str, name: &str| {
        let object = json::RawObject::read(line).unwrap();
        object.raw(name).unwrap().to_owned()
    };
    let body = |(at, line): (usize, &str)| {
        let decided = raw(&raw(line, "expect"), "decided");
        match at {
            0 => format!(
                "{{\"format\":1,\"engine\":\"0.1.0\",\"rules\":2,\"at\":{},\"config\":{},\"decided\":{decided}}}",
                raw(line, "at"),
                raw(line, "config")
            ),
            _ => format!("{{\"event\":{},\"decided\":{decided}}}", raw(line, "event")),
        }
    };
    let old = chained(&text.lines().enumerate().map(body).collect::<Vec<_>>());
    let (rules, aside) = taken(&old).rules();
    // What came of the command that nobody runs now is set aside; nothing before it is.
    assert_eq!(rules, 2);
    assert!(!aside.is_empty() && aside.iter().all(|one| one.starts_with("event 2")), "{aside:?}");
    let whole = gone_on(&upgraded(&old));
    let after = replayed(&whole);
    assert_eq!((after.divergence, after.older_lines), (None, text.lines().count() as u64));
    assert_eq!(after.continuation, Continuation::Continue);
    let (engine, _) = taken(&whole).into_parts().unwrap();
    let state = json::encode(engine.snapshot());
    assert!(state.contains("prints exactly `yes`") && !state.contains("\"sh a.sh\""), "{state}");
    assert!(!engine.snapshot().head.outbox.is_empty(), "somebody is at work");
}
