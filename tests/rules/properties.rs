//! Properties over random inputs: nothing panics, what is refused leaves no trace, what is taken can be
//! replayed, and everything that is written can be read again.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common;
use crate::common::Story;
use crate::walking::explore::{AT, Node};
use crate::walking::moves;
use endstate::engine::{self, Config, Engine};
use endstate::journal::{self, Entry, Header, Position};
use endstate::protocols::ProtocolConfig;
use endstate::protocols::completion::files::{
    ActiveFile, Mode, PlanFile, ProfileFile, StateFile, read,
};
use endstate::snapshot::{Continuation, Snapshot};
use endstate::vocab::command::Command;
use endstate::vocab::error::{Code, Kind};
use endstate::vocab::event::*;
use endstate::vocab::json::{self, RawObject};
use endstate::vocab::role::Usage;
use endstate::vocab::table::{Ledgered, Row, Table};
use proptest::prelude::*;

fn config() -> Config {
    let mission = endstate::protocols::completion::Config {
        required_stop_judges: 2,
        attempts_per_step: 2,
        ..common::config()
    };
    Config { budget: Default::default(), ..Config::new(ProtocolConfig::Completion(mission)) }
}

/// A mission with its journal.
struct Told {
    node: Node,
    position: Position,
    text: String,
}

impl Told {
    fn new() -> Self {
        let config = config();
        let (engine, applied) = Engine::start(&config, AT).unwrap();
        let mut position = Position::default();
        let header = Header::new(config, AT, applied.decided);
        let text = format!("{}\n", position.write(&header));
        let fuel = [u8::MAX; 4];
        let node = Node { engine, world: common::World::new(), fuel };
        let mut told = Told { node, position, text };
        // The set-up is always the same; what is random begins behind the start.
        while let Some(one) = told.node.engine.pending().into_iter().next() {
            let fact = told.node.world.perform(&told.node.engine, &one).unwrap();
            told.tell(Event { at: AT, fact });
        }
        let start = UserCommanded { id: None, command: Command::Start };
        told.tell(Event { at: AT, fact: Fact::UserCommanded(start) });
        told
    }

    /// Gives an event to the engine, checks what must hold, and writes it down.
    fn tell(&mut self, event: Event) -> bool {
        let before = json::encode(self.node.engine.snapshot());
        let stepped = engine::step(self.node.engine.snapshot(), &event);
        match self.node.engine.apply(&event) {
            Err(error) => {
                assert_ne!(error.kind, Kind::Broken, "{error}\n{event:?}");
                assert_eq!(Some(error), stepped.err());
                assert_eq!(json::encode(self.node.engine.snapshot()), before, "a trace is left");
                false
            }
            Ok(applied) => {
                self.node.engine.check().unwrap();
                let step = stepped.unwrap();
                assert_eq!(&step.snapshot, self.node.engine.snapshot());
                assert_eq!((&step.effects, &step.decided), (&applied.effects, &applied.decided));
                let entry = Entry { event, decided: applied.decided };
                self.text.push_str(&self.position.write(&entry));
                self.text.push('\n');
                true
            }
        }
    }

    /// Takes one of the moves that are possible now.
    fn choose(&mut self, choice: u16) {
        let mut all = match choice % 4 {
            0 => moves::roles(&self.node),
            1 => moves::troubles(&self.node),
            // Mostly something that leads on.
            _ => moves::onward(&self.node),
        };
        if choice % 16 == 5 {
            all = moves::user();
        }
        if all.is_empty() {
            return;
        }
        let chosen = all.swap_remove(usize::from(choice / 8) % all.len());
        if let Some(world) = chosen.world {
            self.node.world = world;
        }
        if let Some(fact) = chosen.fact {
            self.tell(Event { at: AT + u64::from(choice), fact });
        }
    }
}

fn garbage() -> impl Strategy<Value = Fact> {
    let id = (0_u64..40, 0_u32..6).prop_map(|(seq, n)| EffectId { seq, n });
    let text = prop_oneof![".{0,80}", Just("MISSION ANCHOR: x\n```json\n{}\n```".to_owned())];
    let status = proptest::option::of(-3_i32..3);
    prop_oneof![
        (id.clone(), proptest::option::of(text.clone())).prop_map(|(effect, report)| {
            let (outcome, usage) = (RunOutcome::Success, Usage::default());
            Fact::RunEnded(RunEnded { effect, outcome, report, problem: None, usage })
        }),
        (id.clone(), proptest::option::of(text.clone())).prop_map(|(effect, session)| {
            Fact::RunStarted(RunStarted { effect, session, confined: false })
        }),
        (id.clone(), text.clone()).prop_map(|(effect, text)| {
            let entries = vec![ProgressEntry { kind: text.clone(), text }];
            Fact::RunProgressed(RunProgressed { effect, entries })
        }),
        (id.clone(), status, text.clone()).prop_map(|(effect, status, output)| {
            Fact::CommandExited(CommandExited::new(effect, status, output))
        }),
        id.clone().prop_map(|effect| {
            let repository = Default::default();
            Fact::RepositoryObserved(RepositoryObserved { effect, repository })
        }),
        (id.clone(), text.clone()).prop_map(|(effect, digest)| {
            let outcome = Outcome::File { digest, length: 7 };
            Fact::EffectPerformed(EffectPerformed { effect, outcome })
        }),
        (id, text.clone()).prop_map(|(effect, answer)| {
            Fact::Consulted(Consulted { effect, answer: Some(answer), problem: None })
        }),
        text.prop_map(|id| {
            let (id, command) = (Some(id), Command::Pause);
            Fact::UserCommanded(UserCommanded { id, command })
        }),
    ]
}

#[derive(Clone, Debug)]
enum Told1 {
    Choice(u16),
    Garbage(Box<Fact>),
}

fn story() -> impl Strategy<Value = Vec<Told1>> {
    let one = prop_oneof![
        9 => any::<u16>().prop_map(Told1::Choice),
        1 => garbage().prop_map(|fact| Told1::Garbage(Box::new(fact))),
    ];
    proptest::collection::vec(one, 1..90)
}

/// A journal of a real mission, to be damaged.
fn sample() -> String {
    let mut story = Story::closed();
    story.judge_all();
    story.finish();
    assert_eq!(story.engine.continuation(), Continuation::Done);
    let (began, decided) = story.began;
    let mut position = Position::default();
    let mut text = format!("{}\n", position.write(&Header::new(story.config, began, decided)));
    for (event, applied) in story.taken {
        text.push_str(&position.write(&Entry { event, decided: applied.decided }));
        text.push('\n');
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_comes_is_taken_or_refused_and_can_be_replayed(story in story()) {
        let mut told = Told::new();
        for one in story {
            match one {
                Told1::Choice(choice) => told.choose(choice),
                Told1::Garbage(fact) => {
                    told.tell(Event { at: AT, fact: *fact });
                }
            }
        }
        let engine = &told.node.engine;
        engine.why();
        engine.view();
        let text = json::encode(engine.snapshot());
        let read = Snapshot::read(&text).unwrap();
        prop_assert_eq!(json::encode(&read), text);
        let replay = journal::replay(told.text.as_bytes()).unwrap();
        prop_assert_eq!(&replay.chain, &told.position.chain);
        prop_assert_eq!(replay.divergence, None);
        prop_assert_eq!(replay.continuation, engine.continuation());
        let mut replayer = journal::Replayer::new();
        told.text.lines().for_each(|line| replayer.line(line.as_bytes()).unwrap());
        prop_assert_eq!(replayer.engine().unwrap().snapshot(), engine.snapshot());
    }

    #[test]
    fn reports_of_any_text_are_read_or_refused_with_a_code(text in ".{0,300}", role in 0_usize..3) {
        let mut story = Story::started();
        if role > 0 {
            story.plan(&["S1"]);
        }
        if role > 1 {
            story.implement("S1");
        }
        let (effect, _) = story.role().unwrap();
        let framed = common::report_for(common::MISSION, serde_json::Value::String(text.clone()));
        for text in [text, framed] {
            let checked = engine::check_report(story.engine.snapshot(), effect, &text);
            prop_assert!(checked.is_err());
        }
    }

    #[test]
    fn a_changed_snapshot_is_read_or_refused(place in 0_usize..200_000, byte in 32_u8..127) {
        let story = Story::started();
        let mut text = json::encode(story.engine.snapshot()).into_bytes();
        let place = place % text.len();
        text[place] = byte;
        // Where a letter of several bytes was hit, what is left of it is another one.
        if let Ok(snapshot) = Snapshot::read(&String::from_utf8_lossy(&text)) {
            let engine = Engine::open(snapshot).unwrap();
            engine.why();
            engine.view();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn canonical_files_of_any_text_are_read_or_refused(text in "(\\PC|[{}\\[\\]\",:0-9a-z_ \n]){0,200}") {
        for mode in [Mode::Strict, Mode::Lenient] {
            let _ = read::<StateFile>(&text, mode);
            let _ = read::<PlanFile>(&text, mode);
            let _ = read::<ActiveFile>(&text, mode);
            let _ = read::<ProfileFile>(&text, mode);
        }
        let _ = json::decode::<Event>(&text).is_ok();
        let _ = json::decode::<Config>(&text).is_ok();
        let _ = Snapshot::read(&text).is_ok();
    }

    #[test]
    fn bytes_of_any_kind_are_no_journal(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let code = journal::replay(&bytes).unwrap_err().code;
        prop_assert!(matches!(code, Code::JournalDamaged | Code::Empty), "{code}");
    }

    #[test]
    fn unknown_fields_are_kept_to_the_byte(
        names in proptest::collection::btree_set("[a-z]{1,8}", 1..6),
        values in proptest::collection::vec(0_usize..6, 6),
    ) {
        const VALUES: [&str; 6] =
            ["1.50", "[ 1, 2 ]", "{\"a\" : null}", "99999999999999999999", "\"\\u0041\"", "-0.0e1"];
        let fields: Vec<String> = names
            .iter()
            .zip(&values)
            .map(|(name, value)| format!("\"{name}\":{}", VALUES[*value]))
            .collect();
        let text = format!("{{{}}}", fields.join(","));
        let object = RawObject::read(&text).unwrap();
        let others = object.others(&[]);
        let again: Vec<String> =
            others.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        prop_assert_eq!(format!("{{{}}}", again.join(",")), text);
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Pair(String, u8);

impl Row for Pair {
    fn id(&self) -> &str {
        &self.0
    }
    fn group(&self) -> &'static str {
        ["none", "one", "more"][usize::from(self.1.min(2))]
    }
    fn is_live(&self) -> bool {
        self.1 > 0
    }
}

#[derive(Clone, Debug)]
enum Op {
    Push(u8, u8),
    Change(u8, u8),
    Rotate(usize),
    Commit,
    Mark,
    Back,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let one = prop_oneof![
        3 => (0_u8..12, 0_u8..4).prop_map(|(id, value)| Op::Push(id, value)),
        4 => (0_u8..12, 0_u8..4).prop_map(|(id, value)| Op::Change(id, value)),
        2 => (0_usize..12).prop_map(Op::Rotate),
        1 => Just(Op::Commit),
        1 => Just(Op::Mark),
        1 => Just(Op::Back),
    ];
    proptest::collection::vec(one, 0..40)
}

type Model = (Vec<Pair>, std::collections::BTreeMap<String, u64>);

fn same(table: &Table<Pair>, ledger: &Ledgered, model: &Model) {
    let rows: Vec<Pair> = table.iter().cloned().collect();
    assert_eq!(rows, model.0);
    for group in ["none", "one", "more"] {
        let count = model.0.iter().filter(|row| row.group() == group).count();
        assert_eq!(table.count(group), count);
    }
    let live: Vec<&Pair> = table.live().collect();
    assert_eq!(live, model.0.iter().filter(|row| row.is_live()).collect::<Vec<_>>());
    for row in &model.0 {
        assert_eq!(table.get(&row.0), Some(row));
    }
    assert_eq!(table.len(), model.0.len());
    let known: Vec<(String, u64)> = ledger.iter().map(|(a, b)| (a.to_owned(), b)).collect();
    assert_eq!(known, model.1.clone().into_iter().collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tables_go_back_to_exactly_how_they_were(ops in ops()) {
        let mut table: Table<Pair> = Table::default();
        let mut ledger = Ledgered::default();
        let mut model: Model = Default::default();
        let mut kept = model.clone();
        let mut marked = ((0, 0), model.clone());
        for op in ops {
            match op {
                Op::Push(id, value) => {
                    let id = format!("r{id}");
                    if table.get(&id).is_none() {
                        table.push(Pair(id.clone(), value));
                        model.0.push(Pair(id, value));
                    }
                }
                Op::Change(id, value) => {
                    let id = format!("r{id}");
                    let found = table.change(&id, |row| row.1 = value);
                    let row = model.0.iter_mut().find(|row| row.0 == id);
                    prop_assert_eq!(found, row.is_some());
                    row.into_iter().for_each(|row| row.1 = value);
                    ledger.set(&id, u64::from(value));
                    model.1.insert(id, u64::from(value));
                }
                Op::Rotate(by) => {
                    let by = by % model.0.len().max(1);
                    model.0.rotate_left(by);
                    let ids: Vec<String> = model.0.iter().map(|row| row.0.clone()).collect();
                    prop_assert!(table.reorder(&ids));
                }
                Op::Commit => {
                    table.commit();
                    ledger.commit();
                    kept = model.clone();
                    marked = ((0, 0), model.clone());
                }
                Op::Mark => marked = ((table.mark(), ledger.mark()), model.clone()),
                Op::Back => {
                    let ((rows, numbers), then) = marked.clone();
                    table.rollback_to(rows);
                    ledger.rollback_to(numbers);
                    model = then;
                }
            }
            same(&table, &ledger, &model);
        }
        table.rollback();
        ledger.rollback();
        same(&table, &ledger, &kept);
    }
}

#[test]
fn every_changed_byte_of_a_journal_is_found_in_its_line() {
    let text = sample();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() > 40, "{}", lines.len());
    let mut position = Position::default();
    for (place, line) in lines.iter().enumerate() {
        let mut bytes = line.as_bytes().to_vec();
        for at in 0..bytes.len() {
            let was = bytes[at];
            for now in [was ^ 1, was ^ 0x20, b'\n'] {
                bytes[at] = now;
                if now == was {
                    continue;
                }
                // A newline in the middle ends the line early.
                let end = if now == b'\n' { at } else { bytes.len() };
                let error = position.clone().read(&bytes[..end]).unwrap_err();
                assert_eq!(error.code, Code::JournalDamaged);
                assert_eq!(error.at, format!("line {}", place + 1));
            }
            bytes[at] = was;
        }
        if let Some(next) = lines.get(place + 1) {
            let merged = format!("{line}.{next}");
            let error = position.clone().read(merged.as_bytes()).unwrap_err();
            assert_eq!(error.at, format!("line {}", place + 1));
        }
        position.read(line.as_bytes()).unwrap();
    }
}

#[test]
fn a_damaged_line_is_named_by_the_replay_too() {
    let text = sample();
    let lines = text.lines().count();
    for place in (0..lines).step_by(7) {
        let start: usize = text.lines().take(place).map(|line| line.len() + 1).sum();
        let mut bytes = text.clone().into_bytes();
        bytes[start + 9] ^= 1;
        let error = journal::replay(&bytes).unwrap_err();
        assert_eq!((error.code, error.at), (Code::JournalDamaged, format!("line {}", place + 1)));
    }
}

#[test]
fn a_last_line_torn_anywhere_is_cut_off_and_reported() {
    let text = sample();
    let whole = journal::replay(text.as_bytes()).unwrap();
    let last = text.lines().last().unwrap().len();
    let front = text.len() - last - 1;
    let before = journal::replay(&text.as_bytes()[..front]).unwrap();
    assert_eq!(before.events + 1, whole.events);
    for kept in (1..=last).step_by(7).chain([last]) {
        let torn = journal::replay(&text.as_bytes()[..front + kept]).unwrap();
        assert_eq!((torn.torn_bytes, torn.events), (kept as u64, before.events));
        assert_eq!(torn.chain, before.chain);
    }
}
