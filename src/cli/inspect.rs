//! Reads a mission without changing anything, also beside a live driver.

use super::exit::{Exit, Fault};
use super::out::Out;
use super::words::{Narrator, plain_role};
use super::{Place, state};
use endstate::journal::{self, Divergence, Position, Replayer, Retold};
use endstate::native::adoption::stream;
use endstate::native::lock::Lock;
use endstate::native::redact::printable;
use endstate::native::store::{self, Opened, Places};
use endstate::native::{HostError, script};
use endstate::protocols::Mission;
use endstate::protocols::sprint::files::status_table;
use endstate::stream::Stream;
use endstate::view::{Next, Node, View};
use endstate::vocab::error::clip;
use endstate::vocab::json;
use endstate::vocab::time::rfc3339;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

fn open(place: &Place) -> Result<Opened, Fault> {
    let opened = store::peek(&Places::of(&place.root))?;
    for report in &opened.reports {
        place.out.say(format!("note: {report}"));
    }
    Ok(opened)
}

/// Where the mission stands.
pub(crate) fn status(place: &Place) -> Result<Exit, Fault> {
    let opened = open(place)?;
    let (engine, out) = (&opened.engine, place.out);
    let view = engine.view();
    let driver = Lock::held_by(&Places::of(&place.root).lock());
    out.say(format!("mission: {}", view.title));
    out.say(format!("{}: {}", view.phase, view.reason));
    let Next { role, action } = view.next.clone();
    let turn = role.as_deref().map_or("nobody", plain_role);
    out.say(format!("next: {turn} · {action}"));
    match &driver {
        Some(holder) => out.say(format!("driven by process {} on {}", holder.pid, holder.host)),
        None => out.say("no driver is alive"),
    }
    if let Mission::Sprint(state) = &engine.snapshot().mission {
        status_table(state).iter().for_each(|line| out.say(printable(line)));
    }
    items(&view).iter().for_each(|line| out.say(line));
    state::let_go(&view).iter().for_each(|line| out.say(line));
    for run in &view.runs {
        let line = run.last_line.as_deref().unwrap_or("…");
        out.say(format!("running: {} (run {}): {line}", plain_role(&run.role), run.run));
    }
    for spent in &view.budget {
        out.say(format!("  {:<18} {} of {}", spent.counter, spent.spent, spent.limit));
    }
    for (id, question) in state::questions(engine) {
        state::ask(id, &question).iter().for_each(|line| out.say(line));
    }
    let mut summary = state::summary("status", engine, &place.root, &opened.position.chain);
    if let Value::Object(fields) = &mut summary {
        let driver = driver.map(|holder| json!({"pid": holder.pid, "host": holder.host}));
        fields.insert("mission".to_owned(), view.title.into());
        fields.insert("next_role".to_owned(), role.unwrap_or_else(|| "none".to_owned()).into());
        fields.insert("next_action".to_owned(), action.into());
        fields.insert("driver".to_owned(), driver.unwrap_or_default());
        fields.insert("budget".to_owned(), json!(view.budget));
    }
    out.object(&summary);
    Ok(Exit::Done)
}

/// The items, one a line; as a tree where they lie in several lanes, or in waves.
fn items(view: &View) -> Vec<String> {
    let line = |node: &Node| {
        let (settled, total) = (node.progress.settled, node.progress.total);
        let waived = node.criteria.iter().filter(|one| one.state == "waived").count();
        let waived = if waived > 0 { format!(", {waived} waived") } else { String::new() };
        let label = clip(&node.label, 70);
        format!("{:<12} {:<12} {settled}/{total}{waived}  {label}", node.id, node.status)
    };
    let waves = view.protocol == "grid" && !view.lanes.is_empty();
    if view.lanes.len() < 2 && !waves {
        return view.nodes.iter().map(|node| format!("  {}", line(node))).collect();
    }
    let mut lines = Vec::new();
    for lane in &view.lanes {
        lines.push(format!("  {}", lane.title));
        let nodes = view.nodes.iter().filter(|node| node.lane == lane.lane);
        lines.extend(nodes.map(|node| format!("  |-- {}", line(node))));
    }
    lines
}

/// Why the next step is what it is.
pub(crate) fn why(place: &Place) -> Result<Exit, Fault> {
    let opened = open(place)?;
    let (why, out) = (opened.engine.why(), place.out);
    let number = why.chosen.rule.map_or("guard".to_owned(), |rule| format!("rule {rule}"));
    out.say(format!("{number} {}: {}", why.chosen.name, why.chosen.action));
    for fact in &why.because {
        let word = if fact.value { "holds" } else { "does not hold" };
        out.say(format!("  {} {word} since event {}: {}", fact.fact, fact.since, fact.detail));
    }
    for waiting in &why.waiting_for {
        out.say(format!("waiting for {waiting}"));
    }
    for other in &why.others {
        let against = match &other.against {
            Some(fact) => format!("{} is {} (event {})", fact.fact, fact.value, fact.since),
            None => "would apply; what is above comes first".to_owned(),
        };
        out.say(format!("not rule {} {}: {against}", other.rule, other.name));
    }
    if let Some(unblock) = &why.unblock {
        let lacks: Vec<&str> = unblock.lacks.iter().map(|fact| fact.fact.as_str()).collect();
        out.say(format!("nearest: {} lacks {}", unblock.rule, lacks.join(", ")));
        out.say(format!("to do: {}", unblock.hint));
    }
    out.object(&json!(why));
    Ok(Exit::Done)
}

/// The mission for a front end.
pub(crate) fn view(place: &Place) -> Result<Exit, Fault> {
    let view = store::peek(&Places::of(&place.root))?.engine.view();
    match place.out.json {
        true => place.out.object(&json!(view)),
        false => place.out.json_text(&serde_json::to_string_pretty(&view).unwrap_or_default()),
    }
    Ok(Exit::Done)
}

/// What happened, event by event. The journal is decided again on the way, so a damaged one is told.
pub(crate) fn journal(place: &Place, from: u64, raw: bool) -> Result<Exit, Fault> {
    let path = state::journal(&place.root);
    let file = match fs::File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Places::of(&place.root).absent().into());
        }
        Err(error) => return Err(HostError::io("read", path, error).into()),
    };
    let mut reader = BufReader::new(file);
    let (mut journal, mut narrator) = (Replayer::new(), None);
    let mut line = Vec::new();
    loop {
        line.clear();
        let limited = &mut (&mut reader).take(journal::MOST_LINE_BYTES as u64 + 2);
        let count = limited.read_until(b'\n', &mut line);
        let count = count.map_err(|error| HostError::io("read", &path, error))?;
        let seq = journal.position().lines;
        let Some(whole) = line.strip_suffix(b"\n") else {
            if count > 0 {
                let got = format!("line {} has no end; {count} bytes left out", seq + 1);
                place.out.say(format!("note: {got}"));
            }
            break;
        };
        let told = journal.take(whole)?;
        if raw && seq >= from {
            place.out.raw(&String::from_utf8_lossy(whole));
        } else if !raw {
            diverged(journal.divergence())?;
            event(place, (from, seq), &journal, &told, &mut narrator);
        }
    }
    if !raw {
        let Position { lines, chain } = journal.position();
        place.out.object(&json!({"result": "journal", "lines": lines, "chain": chain}));
    }
    Ok(Exit::Done)
}

fn event(
    place: &Place,
    (from, seq): (u64, u64),
    journal: &Replayer,
    told: &Retold,
    narrator: &mut Option<Narrator>,
) {
    let narrates = narrator.is_some();
    if let (None, Some(engine)) = (&narrator, journal.engine()) {
        *narrator = Some(Narrator::of(engine));
    }
    let name = told.event.as_ref().map_or("started", |event| event.fact.name());
    let says: Vec<String> = match (&told.event, journal.engine(), narrator) {
        (Some(event), Some(engine), Some(narrator)) if narrates => {
            let said = narrator.tell(engine, event, &told.effects);
            said.into_iter().map(|one| one.text).collect()
        }
        (None, Some(engine), _) => vec![format!("the mission begins: {}", engine.view().title)],
        _ => vec![name.to_owned()],
    };
    if seq >= from {
        let (at, rule) = (rfc3339(told.at), &told.rule);
        let first = says.first().map(String::as_str).unwrap_or_default();
        place.out.say(format!("{seq:>5}  {at}  {first}  [{rule}]"));
        says.iter().skip(1).for_each(|line| place.out.say(format!("{:>29}  {line}", "")));
        place.out.object(&json!({"seq": seq, "at": at, "event": name, "rule": rule, "says": says}));
    }
}

/// Decides every event again.
pub(crate) fn replay(out: Out, file: &Path) -> Result<Exit, Fault> {
    let mut journal = Stream::new();
    let mut fault = None;
    let mut push = |bytes: &[u8]| {
        if fault.is_none() {
            fault = journal.push(bytes).err();
        }
    };
    if file.ends_with("-") {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| HostError::io("read", "standard input", error))?;
        push(&bytes);
    } else {
        fs::metadata(file).map_err(|error| HostError::io("read", file, error))?;
        stream(file, push)?;
    }
    if let Some(error) = fault {
        return Err(error.into());
    }
    let replay = journal.finish()?;
    diverged(replay.divergence.as_ref())?;
    if replay.torn_bytes > 0 {
        out.say(format!("note: the last line is torn; {} bytes were left out", replay.torn_bytes));
    }
    let decided = replay.events + 1 - replay.older_lines;
    if let Some(last) = replay.older_lines.checked_sub(1) {
        let how = "chain verified, not decided again";
        out.say(format!("lines 0–{last} were made under older rules: {how}"));
        out.say(format!("{decided} lines behind them, every one decided as recorded"));
    } else {
        out.say(format!("{} events, every one decided as recorded", replay.events));
    }
    out.say(format!("continuation: {}", json::encode(&replay.continuation).trim_matches('"')));
    out.say(format!("chain: {}", replay.chain));
    out.object(&json!({"result": "replay", "events": replay.events, "chain": replay.chain,
        "torn_bytes": replay.torn_bytes, "older_lines": replay.older_lines, "continuation": replay.continuation, "divergence": null}));
    Ok(Exit::Done)
}

fn diverged(found: Option<&Divergence>) -> Result<(), Fault> {
    let Some(one) = found else { return Ok(()) };
    let at = format!("event {}: {} ({})", one.seq, one.path, one.rule);
    Err(Fault::new(Exit::Refused, "diverged", &at, &one.recorded, &one.decided))
}

/// Every schema, by name.
fn schemas() -> BTreeMap<String, Value> {
    let mut all: BTreeMap<String, Value> = BTreeMap::new();
    all.insert("scenario".to_owned(), schemars::schema_for!(script::Scenario).to_value());
    for (name, schema) in endstate::schema::schemas() {
        all.insert(name.to_owned(), schema);
    }
    all
}

/// Writes the schemas.
pub(crate) fn schema(out: Out, directory: &Path) -> Result<Exit, Fault> {
    fs::create_dir_all(directory).map_err(|error| HostError::io("create", directory, error))?;
    let all = schemas();
    for (name, schema) in &all {
        let path = directory.join(format!("{name}.schema.json"));
        let text = serde_json::to_string_pretty(schema).unwrap_or_default() + "\n";
        fs::write(&path, text).map_err(|error| HostError::io("write", &path, error))?;
        out.say(path.display().to_string());
        out.object(&json!({"schema": name, "path": path}));
    }
    out.object(&json!({"result": "schema", "schemas": all.len(), "out": directory}));
    Ok(Exit::Done)
}
