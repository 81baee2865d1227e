// The native engine beside the peers (`bench/peers.sh`): reads sizes from standard input and does the story of
// each once, so that its passes stand between those of the others. `check N` answers with what was
// decided at each event, `N` with the nanoseconds of the events after the first third.

use endstate::vocab::event::Event;
use endstate::vocab::json;
use endstate::{Engine, Snapshot};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

struct Mission {
    engine: Engine,
    events: Vec<Event>,
}

fn read(folder: &Path, items: usize) -> std::io::Result<Mission> {
    let text = |name: String| std::fs::read_to_string(folder.join(name));
    let snapshot = Snapshot::read(&text(format!("snapshot-{items}.json"))?).unwrap();
    let events = text(format!("events-{items}.jsonl"))?;
    let events = events.lines().map(|line| json::decode(line).unwrap()).collect();
    Ok(Mission { engine: Engine::open(snapshot).unwrap(), events })
}

pub(crate) fn answer(folder: &Path) -> std::io::Result<()> {
    let missions: BTreeMap<usize, Mission> = crate::story::SIZES
        .into_iter()
        .map(|items| Ok((items, read(folder, items)?)))
        .collect::<std::io::Result<_>>()?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (checks, items) =
            line.strip_prefix("check ").map_or((false, &*line), |rest| (true, rest));
        let mission = &missions[&items.parse().unwrap()];
        let said = if checks { decided(mission) } else { nanoseconds(mission).to_string() };
        writeln!(std::io::stdout(), "{said}")?;
    }
    Ok(())
}

fn decided(mission: &Mission) -> String {
    let mut engine = mission.engine.clone();
    let all = mission.events.iter().map(|event| engine.apply(event).unwrap().decided);
    json::encode(&all.collect::<Vec<_>>())
}

/// A copy of the engine is not counted, nor what it takes to throw it away.
fn nanoseconds(mission: &Mission) -> u128 {
    let mut engine = mission.engine.clone();
    let (first, rest) = mission.events.split_at(mission.events.len().div_ceil(3));
    for event in first {
        engine.apply(event).unwrap();
    }
    let begin = Instant::now();
    for event in rest {
        std::hint::black_box(engine.apply(std::hint::black_box(event)).unwrap());
    }
    begin.elapsed().as_nanos()
}
