//! A journal decided again, line by line.
//!
//! Lines of these rules must have been decided as they are decided now. Lines of older rules are held to
//! their chain alone: these take what they can of them and set aside by name what they refuse, until the line
//! of an upgrade says what was taken over.

use super::{Entry, Header, MOST_LINE_BYTES, Position, Upgrade, body, split};
use crate::engine::{Applied, Decided, Engine, Ordered};
use crate::snapshot::{Continuation, FORMAT, RULES};
use crate::vocab::effect::Effect;
use crate::vocab::error::{Code, Error, Result, clip};
use crate::vocab::event::{EffectId, Event, Fact, HostRecovered, Recovery};
use crate::vocab::json::{self, Readable, Serialize};
use crate::vocab::time::Millis;
use schemars::JsonSchema;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many of the events that are set aside are told one by one, each in so many characters.
const MOST_ASIDE: (usize, usize) = (16, 300);
/// Orders whose answer stands although they were put otherwise: whoever was told in other words did the same, and a look that was
/// asked for less saw what was there.
const STANDING: [&str; 3] = ["spawn_role", "notify", "observe"];

/// One line, retold.
#[derive(Clone, Debug)]
pub struct Retold {
    /// Its time.
    pub at: Millis,
    /// What happened; `None` for line 0, and where a line of older rules cannot be read.
    pub event: Option<Event>,
    /// The rule that decided then.
    pub rule: String,
    /// What is ordered; nothing after a divergence.
    pub effects: Vec<Arc<Effect>>,
}

/// What a replay found.
#[derive(Clone, Debug, Serialize, Readable, JsonSchema)]
pub struct Replay {
    /// Events replayed.
    pub events: u64,
    /// Chain of the last line.
    pub chain: String,
    /// Bytes of a torn last line that were left out.
    pub torn_bytes: u64,
    /// How many of the first lines were made under older rules: of these only the chain was verified.
    pub older_lines: u64,
    /// Where it ended; if all its rules are older, as the last line says.
    pub continuation: Continuation,
    /// The first disagreement between what was decided and what is decided now.
    pub divergence: Option<Divergence>,
}

/// The first event that would be decided otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Divergence {
    /// The event's number.
    pub seq: u64,
    /// The rule that decides now, or the code of the refusal.
    pub rule: String,
    /// The JSON path that differs.
    pub path: String,
    /// What the journal says.
    pub recorded: String,
    /// What is decided now.
    pub decided: String,
}

/// A journal that is replayed line by line, holding the engine open.
#[derive(Clone, Debug, Default)]
pub struct Replayer {
    position: Position,
    /// `None` before line 0, and where these rules cannot read the state of older ones.
    engine: Option<Engine>,
    /// The rules of the lines at this place.
    rules: u32,
    older_lines: u64,
    divergence: Option<Divergence>,
    /// Where the last line says that the mission stood.
    recorded: Option<Continuation>,
    older: Older,
}

/// What these rules do not take of lines of older ones.
#[derive(Clone, Debug, Default)]
struct Older {
    /// What they refuse, in words, and how much there is beyond that.
    aside: Vec<String>,
    more: u64,
    /// Effects that are not what was ordered then: an answer to that is none to these.
    others: BTreeSet<EffectId>,
}

impl Replayer {
    /// Before line 0.
    pub fn new() -> Self {
        Replayer::default()
    }

    /// From an open engine and the place its snapshot was taken at.
    pub fn resume(engine: Engine, position: Position) -> Self {
        let rules = engine.snapshot().rules;
        Replayer { position, engine: Some(engine), rules, ..Replayer::default() }
    }

    /// Takes the next whole line. After a divergence only the chain is checked.
    ///
    /// # Errors
    /// `journal_damaged` with the line number; `unknown_format`, `other_rules` for newer ones.
    pub fn line(&mut self, line: &[u8]) -> Result<()> {
        self.take(line).map(|_| ())
    }

    /// As [`Replayer::line`], and says what the line led to. A line that does not hold changes nothing.
    ///
    /// # Errors
    /// As there.
    pub fn take(&mut self, line: &[u8]) -> Result<Retold> {
        let mut next = self.position.clone();
        let text = next.read(line)?;
        let told = match (self.position.lines, text.starts_with("{\"format\":")) {
            (0, _) => self.begin(text)?,
            (seq, true) => self.upgraded(seq, text)?,
            (seq, false) => match body(seq + 1, text) {
                Err(error) if self.is_older() => self.unread(seq, &error),
                entry => self.decide(seq, entry?),
            },
        };
        self.position = next;
        Ok(told)
    }

    fn begin(&mut self, text: &str) -> Result<Retold> {
        // Numbers first: a header of another format need not look like ours.
        self.rules = rules_of(1, text)?;
        let read = || {
            let header: Header = if self.is_older() { json::decode(text)? } else { body(1, text)? };
            let (mut engine, applied) =
                Engine::start(&header.config, header.at).map_err(|error| error.within("line 1"))?;
            engine.hold_to(self.rules);
            Ok((header, engine, applied))
        };
        let (header, engine, applied) = match read() {
            Err(error) if self.is_older() => return Ok(self.unread(0, &error)),
            all => all?,
        };
        self.engine = Some(engine);
        self.judge(0, &header.decided, Ok(&applied.decided));
        let (rule, effects) = (header.decided.rule, applied.effects);
        Ok(Retold { at: header.at, event: None, rule, effects })
    }

    fn decide(&mut self, seq: u64, Entry { event, decided }: Entry) -> Retold {
        let mut effects = Vec::new();
        self.recorded = Some(decided.continuation);
        if let Some(engine) = self.engine.as_mut().filter(|_| self.divergence.is_none()) {
            let other = event.fact.effect().filter(|id| self.older.others.contains(id));
            let applied = match other {
                None => engine.apply(&event),
                Some(id) => {
                    let got = "one to what older rules ordered";
                    let expected = "an answer to what is ordered now";
                    Err(Error::new(Code::WrongAnswer, id.to_string(), expected, got))
                }
            };
            self.judge(seq, &decided, applied.as_ref().map(|one| &one.decided));
            match applied {
                Ok(applied) => effects = applied.effects,
                Err(error) => self.set_aside(seq, event.fact.name(), &error),
            }
        }
        Retold { at: event.at, event: Some(event), rule: decided.rule, effects }
    }

    /// Compares what was decided with what is. Older rules may have decided otherwise.
    fn judge(
        &mut self,
        seq: u64,
        recorded: &Decided,
        found: std::result::Result<&Decided, &Error>,
    ) {
        self.recorded = Some(recorded.continuation);
        match found {
            Ok(found) if self.is_older() => {
                let known =
                    |now: &&Ordered| recorded.effects.iter().any(|one| same_order(one, now));
                let others = found.effects.iter().filter(|now| !known(now));
                self.older.others.extend(others.map(|one| one.id));
            }
            Err(_) if self.is_older() => {}
            Ok(found) => self.divergence = compare(seq, recorded, found),
            Err(error) => {
                self.divergence = Some(Divergence {
                    seq,
                    rule: error.code.to_string(),
                    path: "decided".to_owned(),
                    recorded: recorded.rule.clone(),
                    decided: error.to_string(),
                });
            }
        }
    }

    /// What these rules refuse of older ones. It keeps its number: the ids of effects are those of their events.
    fn set_aside(&mut self, seq: u64, what: &str, why: &Error) {
        if !self.is_older() {
            return;
        }
        self.engine.as_mut().filter(|_| seq > 0).map(Engine::pass);
        match self.older.aside.len() < MOST_ASIDE.0 {
            true => {
                let words = format!("event {seq}, {what}: {why}");
                self.older.aside.push(clip(&words, MOST_ASIDE.1));
            }
            false => self.older.more += 1,
        }
    }

    /// A line of older rules that these cannot read; its chain holds.
    fn unread(&mut self, seq: u64, why: &Error) -> Retold {
        self.set_aside(seq, "a line", why);
        let at = self.engine.as_ref().map_or(0, |engine| engine.snapshot().head.at);
        Retold { at, event: None, rule: String::new(), effects: Vec::new() }
    }

    /// The line by which an engine took over: what it took over stands in it.
    fn upgraded(&mut self, seq: u64, text: &str) -> Result<Retold> {
        let damaged = |expected: String, got: String| {
            Error::new(Code::JournalDamaged, format!("line {}", seq + 1), expected, got)
        };
        let rules = rules_of(seq + 1, text)?;
        if rules <= self.rules {
            return Err(damaged(format!("rules above {}", self.rules), format!("rules {rules}")));
        }
        let older = rules < RULES;
        let read = || {
            let line: Upgrade = if older { json::decode(text)? } else { body(seq + 1, text)? };
            let Upgrade { snapshot, event, decided, .. } = line;
            let place = (snapshot.rules, snapshot.head.seq + 1, &event.fact);
            if !matches!(place, (of, at, Fact::HostRecovered(fact))
                if of == rules && at == seq && fact.from == Recovery::Upgrade)
            {
                let expected = format!("the state of rules {rules} after event {}", seq - 1);
                return Err(damaged(expected, "another".to_owned()));
            }
            let engine = Engine::open(snapshot)
                .map_err(|error| damaged("a state that holds".to_owned(), error.to_string()))?;
            Ok((engine, Entry { event, decided }))
        };
        let (engine, line) = match read() {
            Ok((engine, entry)) => (Some(engine), Ok(entry)),
            // Nobody can tell what they took over; the next line of this kind says it anew.
            Err(error) if older => (None, Err(error)),
            Err(error) => return Err(error),
        };
        (self.rules, self.older_lines, self.older) = (rules, seq, Older::default());
        self.engine = engine;
        Ok(match line {
            Ok(entry) => self.decide(seq, entry),
            Err(error) => self.unread(seq, &error),
        })
    }

    /// Makes a journal of older rules one of these: answers with the line that does, and stands behind it. It is
    /// so once that line is appended. `None` where its rules are these.
    ///
    /// # Errors
    /// As [`Replayer::opened`]; `too_large` for a state that fits into no line; `broken`.
    pub fn upgrade(&mut self, at: Millis) -> Result<Option<String>> {
        if !self.is_older() {
            return Ok(None);
        }
        let mut engine = self.opened()?.clone();
        engine.hold_to(RULES);
        engine.check()?;
        let (rules, aside) = self.rules();
        let aside: String = aside.iter().map(|one| format!("; set aside: {one}")).collect();
        let note = format!("rules {RULES} took over from rules {rules}{aside}");
        let fact = Fact::HostRecovered(HostRecovered { from: Recovery::Upgrade, note });
        let (snapshot, event) = (engine.snapshot().clone(), Event { at, fact });
        let Applied { decided, .. } = engine.apply(&event)?;
        let (format, rules) = (FORMAT, RULES);
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let mut position = self.position.clone();
        let line =
            position.write(&Upgrade { format, engine: version, rules, snapshot, event, decided });
        if line.len() > MOST_LINE_BYTES {
            let expected = format!("at most {MOST_LINE_BYTES} bytes");
            let got = format!("{} bytes", line.len());
            return Err(Error::new(Code::TooLarge, "the line of the upgrade", expected, got));
        }
        *self = Replayer { older_lines: self.position.lines, ..Replayer::resume(engine, position) };
        Ok(Some(line))
    }

    /// The engine as far as it was replayed.
    ///
    /// # Errors
    /// `empty` before line 0; `other_rules` where the state of older ones cannot be read.
    pub fn opened(&self) -> Result<&Engine> {
        self.engine.as_ref().ok_or_else(|| self.unopened())
    }

    fn unopened(&self) -> Error {
        let Some(why) = self.older.aside.last() else {
            return Error::new(Code::Empty, "line 1", "a journal", "no whole line");
        };
        let expected = format!(
            "a mission that rules {RULES} can take over; go on with the version of endstate that wrote it"
        );
        Error::new(Code::OtherRules, "line 1.rules", expected, why)
    }

    /// What the lines so far come to, with this much of a torn one behind them.
    ///
    /// # Errors
    /// As [`Replayer::opened`].
    pub fn found(&self, torn_bytes: u64) -> Result<Replay> {
        Ok(Replay {
            events: self.position.lines.saturating_sub(1),
            chain: self.position.chain.clone(),
            torn_bytes,
            older_lines: self.older_lines(),
            continuation: match self.recorded.filter(|_| self.is_older()) {
                Some(recorded) => recorded,
                None => self.opened()?.continuation(),
            },
            divergence: self.divergence.clone(),
        })
    }

    /// The engine as far as it was replayed; `None` before line 0, and where the state of older rules cannot be
    /// read.
    pub fn engine(&self) -> Option<&Engine> {
        self.engine.as_ref()
    }

    /// Where the replay stands.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The first disagreement, if there was one.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.divergence.as_ref()
    }

    /// Whether the journal is held to older rules at this place: it must be upgraded before it is written.
    pub fn is_older(&self) -> bool {
        self.rules < RULES
    }

    /// How many of the first lines were made under older rules.
    pub fn older_lines(&self) -> u64 {
        if self.is_older() { self.position.lines } else { self.older_lines }
    }

    /// The rules of the lines at this place, and what today's refuse of older ones, in words.
    pub fn rules(&self) -> (u32, Vec<String>) {
        let more = (self.older.more > 0).then(|| format!("{} more", self.older.more));
        (self.rules, self.older.aside.iter().cloned().chain(more).collect())
    }

    /// Takes an event that is new: answers with what it led to and its line.
    ///
    /// # Errors
    /// As [`Engine::apply`].
    pub fn append(&mut self, event: Event) -> Result<(Applied, String)> {
        let Some(engine) = self.engine.as_mut() else { return Err(self.unopened()) };
        let mut applied = engine.apply(&event)?;
        // Taken once, for the line and for whoever is answered.
        for one in &mut applied.decided.effects {
            one.digest = String::from(one.digest.clone()).into();
        }
        let line = self.position.write(&Entry { event, decided: applied.decided.clone() });
        Ok((applied, line))
    }

    /// The engine and its place, to go on from.
    ///
    /// # Errors
    /// As [`Replayer::opened`].
    pub fn into_parts(self) -> Result<(Engine, Position)> {
        match self.engine {
            Some(engine) => Ok((engine, self.position)),
            None => Err(self.unopened()),
        }
    }
}

/// Decides every event of a journal again.
///
/// # Errors
/// `journal_damaged` with the line number, `empty`, `unknown_format`, `other_rules` for newer ones.
pub fn replay(bytes: &[u8]) -> Result<Replay> {
    let (lines, torn) = split(bytes);
    let mut replayer = Replayer::new();
    for line in lines {
        replayer.line(line)?;
    }
    replayer.found(u64::try_from(torn).unwrap_or(u64::MAX))
}

/// The rules of a line that names them.
fn rules_of(line: u64, text: &str) -> Result<u32> {
    let at = format!("line {line}");
    let object = json::RawObject::read(text).map_err(|error| error.within(&at))?;
    let number = |field| object.field::<u32>(field).map_err(|error| error.within(&at));
    for (field, ours, code) in
        [("format", FORMAT..=FORMAT, Code::UnknownFormat), ("rules", 0..=RULES, Code::OtherRules)]
    {
        let got = number(field)?;
        if !ours.contains(&got) {
            let at = format!("{at}.{field}");
            return Err(Error::new(code, at, ours.end().to_string(), got.to_string()));
        }
    }
    number("rules")
}

/// Whether an answer to one order answers the other.
fn same_order(then: &Ordered, now: &Ordered) -> bool {
    let stands = STANDING.contains(&now.order.as_str());
    then.id == now.id && then.order == now.order && (stands || then.digest == now.digest)
}

fn compare(seq: u64, recorded: &Decided, decided: &Decided) -> Option<Divergence> {
    if recorded == decided {
        return None;
    }
    let value = |decided: &Decided| json::value(decided);
    let (path, was, is) = first_difference("decided", &value(recorded), &value(decided))?;
    Some(Divergence { seq, rule: decided.rule.clone(), path, recorded: was, decided: is })
}

/// The first JSON path at which two values differ, with both.
pub fn first_difference(
    path: &str,
    left: &serde_json::Value,
    right: &serde_json::Value,
) -> Option<(String, String, String)> {
    use serde_json::Value;
    if left == right {
        return None;
    }
    match (left, right) {
        (Value::Object(a), Value::Object(b)) => {
            let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
            names.into_iter().find_map(|name| {
                let of = |map: &serde_json::Map<String, Value>| {
                    map.get(name).cloned().unwrap_or(Value::Null)
                };
                first_difference(&format!("{path}.{name}"), &of(a), &of(b))
            })
        }
        (Value::Array(a), Value::Array(b)) => (0..a.len().max(b.len())).find_map(|at| {
            let of = |list: &[Value]| list.get(at).cloned().unwrap_or(Value::Null);
            first_difference(&format!("{path}[{at}]"), &of(a), &of(b))
        }),
        _ => Some((path.to_owned(), left.to_string(), right.to_string())),
    }
}
