//! Writes the journal that the viewer is measured with: a completion mission of many slices, as long as
//! wanted. Its host is the world in memory of `tests/common`.
//!
//! `cargo run --release --no-default-features --example viewer_data -- FILE [SLICES [EVENTS]]`
#![allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

use endstate::journal::{Entry, Header, Position};
use endstate::protocols::ProtocolConfig;
use endstate::vocab::budget::Counter;
use endstate::vocab::event::{Fact, ProgressEntry, RunEnded, RunOutcome, RunProgressed};
use endstate::vocab::role::Usage;
use endstate::{Applied, Config};
use serde_json::{Value, json};
use std::io::{BufWriter, Write};

#[path = "../tests/common/mod.rs"]
mod common;
use common::{Story, World};

/// Signs of life of one run.
const LIVELY: usize = 12;

fn main() -> std::io::Result<()> {
    let mut words = std::env::args().skip(1);
    let file = words.next().unwrap_or_else(|| "target/viewer-bench/journal.jsonl".to_owned());
    let mut number = |other| words.next().and_then(|word| word.parse().ok()).unwrap_or(other);
    let (slices, events): (usize, u64) =
        (number(10_000), number(100_000).try_into().unwrap_or(u64::MAX));
    if let Some(folder) = std::path::Path::new(&file).parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut out = BufWriter::new(std::fs::File::create(&file)?);
    let mut told = Told::begin(&mut out)?;
    let ids: Vec<String> = (1..=slices).map(|n| format!("S{n:05}")).collect();
    plan(&mut told.story, &ids);
    for pair in ids.windows(2) {
        told.write()?;
        if told.position.lines > events {
            break;
        }
        slice(&mut told.story, &pair[0], &pair[1]);
    }
    told.write()?;
    eprintln!("{} lines", told.position.lines);
    out.flush()
}

struct Told<'a, W: Write> {
    story: Story,
    position: Position,
    out: &'a mut W,
}

impl<'a, W: Write> Told<'a, W> {
    fn begin(out: &'a mut W) -> std::io::Result<Self> {
        let budget = Counter::ALL.map(|counter| (counter, 1_000_000_000)).into();
        let mission = ProtocolConfig::Completion(common::config());
        let config = Config { budget, proof: Default::default(), mission };
        let mut story = Story::start(&config, World::new());
        let mut position = Position::default();
        let (at, decided) = story.began.clone();
        writeln!(out, "{}", position.write(&Header::new(config, at, decided)))?;
        story.settle();
        story.command(endstate::vocab::command::Command::Start);
        story.settle();
        Ok(Told { story, position, out })
    }

    /// Writes what was taken since the last time.
    fn write(&mut self) -> std::io::Result<()> {
        self.story.told.clear();
        for (event, Applied { decided, .. }) in self.story.taken.drain(..) {
            writeln!(self.out, "{}", self.position.write(&Entry { event, decided }))?;
        }
        Ok(())
    }
}

/// About a hundred waves of a hundred slices; each waits for one or two of the wave before.
fn plan(story: &mut Story, ids: &[String]) {
    let width = ids.len().isqrt().max(1);
    let one = |(n, id): (usize, &String)| {
        let mut slice = common::slice(id);
        let mut after: Vec<&String> = n.checked_sub(width).map(|at| &ids[at]).into_iter().collect();
        if n > width && n % 2 == 0 {
            after.push(&ids[(n / width - 1) * width + (n * 7) % width]);
        }
        after.dedup();
        slice["blocked_on"] = json!(after);
        slice["goal"] = json!(format!("Make part {n} of the machine and show that it turns"));
        slice
    };
    let slices: Vec<Value> = ids.iter().enumerate().map(one).collect();
    let block = json!({
        "plan_basis": "read everything", "slices": slices, "selected": {"slice_id": ids[0]},
        "remaining_release_blockers": 0, "remaining_high_value_gaps": 0,
    });
    run(story, "regrounder", |_| block.clone());
}

fn slice(story: &mut Story, id: &str, next: &str) {
    run(story, "implementer", |story| {
        let path = format!("src/{id}.c");
        common::claim(id, &story.world.commit(&[path.as_str()]))
    });
    let head = story.world.head().unwrap_or_default();
    run(story, "reviewer", |_| common::review(id, &head));
    run(story, "auditor", |_| common::audit(id, &head));
    run(story, "regrounder", |_| common::reconcile(id, "accepted", Some(next)));
}

/// One run with its signs of life and what it used.
fn run(story: &mut Story, role: &str, block: impl FnOnce(&mut Story) -> Value) {
    let effect = story.begin(role);
    for line in 0..LIVELY {
        let text = format!("{role}: step {line}");
        let entries = vec![ProgressEntry { kind: "activity".to_owned(), text }];
        story.fact(Fact::RunProgressed(RunProgressed { effect, entries }));
    }
    let report = Some(common::report(block(story)));
    let usage = Usage { tokens: 12_000, cost_micros: 36_000, turns: 4, ..Usage::default() };
    let outcome = RunOutcome::Success;
    story.fact(Fact::RunEnded(RunEnded { effect, outcome, report, problem: None, usage }));
    story.settle();
}
