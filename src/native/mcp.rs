//! Serves the mission to an agent over standard input and output: see [`crate::mcp`] for what is said.
//!
//! One thread reads lines, one loop answers them, and every errand has a thread of its own, so that a
//! slow one keeps nobody waiting. With an agent for the other roles the server drives the mission itself
//! ([`Hosting`]); without one it talks to the driver that somebody else started.

use super::driver::Options;
use super::error::{HostError, HostResult};
use super::hosted::HostedReport;
use super::hosting::Hosting;
use super::inbox::Says;
use super::lock::Lock;
use super::observer::Quiet;
use super::post::post;
use super::regular;
use super::store::{self, Places};
use crate::engine::Engine;
use crate::mcp::{Errand, MOST_LINE, Out, Policy, Scene, Server};
use crate::vocab::error::{Code, Error};
use crate::vocab::event::{Fact, QuestionAnswered, UserCommanded};
use crate::vocab::time::Millis;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The pause between two looks while somebody waits.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How much of the journal's end is read for the history, in bytes, and how many of its events are told.
const MOST_HISTORY_BYTES: u64 = 512 * 1024;
const MOST_HISTORY: usize = 200;

/// How a session is served.
pub struct Setup {
    /// What the agent may do.
    pub policy: Policy,
    /// How the mission is driven, if this process is to drive it.
    pub drive: Option<Options>,
    /// The roles that the agent plays; none means all that only claim.
    pub hosted: Vec<String>,
}

/// What comes in.
enum In {
    Line(String),
    Done { ticket: u64, answer: Result<String, Error> },
    End,
}

/// Serves until the input ends or `leave` is set.
///
/// # Errors
/// `io` if answers cannot be written or a thread cannot be started.
pub fn serve(
    places: &Places,
    setup: Setup,
    input: impl Read + Send + 'static,
    output: impl Write,
    leave: &AtomicBool,
) -> HostResult<()> {
    let (send, come) = mpsc::channel();
    let lines = send.clone();
    let reader = thread::Builder::new().name("lines".to_owned());
    reader
        .spawn(move || read_lines(input, &lines))
        .map_err(|error| HostError::io("start", "a thread", error))?;
    let hosting = match setup.drive {
        Some(options) => Some(Hosting::begin(places, options, setup.hosted)?),
        None => None,
    };
    let mut session = Session {
        server: Server::new(setup.policy),
        watch: Watch::of(places),
        places: places.clone(),
        hosting,
        errands: 0,
        send,
        output,
    };
    session.answer_all(&come, leave)
}

struct Session<W> {
    server: Server,
    watch: Watch,
    places: Places,
    hosting: Option<Hosting>,
    errands: usize,
    send: Sender<In>,
    output: W,
}

impl<W: Write> Session<W> {
    fn answer_all(&mut self, come: &Receiver<In>, leave: &AtomicBool) -> HostResult<()> {
        let mut ended = false;
        // Errands that are under way are waited for: their callers may still read.
        while !leave.load(Ordering::SeqCst) && (!ended || self.errands > 0) {
            let out = match come.recv_timeout(LOOK_EVERY) {
                Ok(In::Line(line)) => self.with(|server, scene| server.take(&line, scene)),
                Ok(In::Done { ticket, answer }) => {
                    self.errands -= 1;
                    self.with(|server, scene| server.answered(ticket, answer, scene))
                }
                Ok(In::End) => {
                    ended = true;
                    Vec::new()
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Vec::new(),
            };
            self.perform(out)?;
            if self.server.waits() {
                let out = self.with(|server, scene| server.tick(scene));
                self.perform(out)?;
            }
        }
        Ok(())
    }

    /// Lets the server look at the mission as it is now.
    fn with(&mut self, act: impl FnOnce(&mut Server, Scene<'_>) -> Vec<Out>) -> Vec<Out> {
        let trouble = self.hosting.as_ref().and_then(Hosting::trouble);
        let alive = Lock::held_by(&self.places.lock()).is_some();
        let driven = alive || (self.hosting.is_some() && trouble.is_none());
        let engine = match (self.watch.look(), &trouble) {
            (Ok(_), Some(why)) if !driven => Err(why.as_str()),
            (seen, _) => seen,
        };
        act(&mut self.server, Scene { engine, driven, now: now() })
    }

    fn perform(&mut self, out: Vec<Out>) -> HostResult<()> {
        for one in out {
            match one {
                Out::Line { text } => writeln!(self.output, "{text}")
                    .and_then(|()| self.output.flush())
                    .map_err(|error| HostError::io("write", "standard output", error))?,
                Out::Errand { ticket, errand } => self.send_off(ticket, errand),
            }
        }
        Ok(())
    }

    fn send_off(&mut self, ticket: u64, errand: Errand) {
        let (places, send) = (self.places.clone(), self.send.clone());
        self.errands += 1;
        let work = move || {
            let answer = run(&places, errand);
            // Without a session nobody waits for it.
            let _ = send.send(In::Done { ticket, answer });
        };
        if let Err(error) = thread::Builder::new().name("errand".to_owned()).spawn(work) {
            let why = Error::new(Code::HostFailed, "", "a thread", error.to_string());
            let _ = self.send.send(In::Done { ticket, answer: Err(why) });
        }
    }
}

/// Runs an errand to its end.
fn run(places: &Places, errand: Errand) -> Result<String, Error> {
    let says = match errand {
        Errand::Report { run, text } => Says::Report(HostedReport { run, text }),
        Errand::Answer { question, answer } => {
            Says::Fact(Fact::QuestionAnswered(QuestionAnswered { effect: question, answer }))
        }
        Errand::Command { command } => {
            Says::Fact(Fact::UserCommanded(UserCommanded { id: None, command }))
        }
        Errand::History => return history(places).map_err(of_core),
    };
    post(places, says, &mut Quiet).map(|_| String::new()).map_err(of_core)
}

/// An error of the host under a code of the engine's list.
fn of_core(error: HostError) -> Error {
    match error {
        HostError::Core(error) => error,
        other => Error::new(Code::HostFailed, other.at(), other.expected(), other.to_string()),
    }
}

/// The last events, the oldest first, as JSON text.
fn history(places: &Places) -> HostResult<String> {
    places.check()?;
    let path = places.journal();
    let fail = |error| HostError::io("read", &path, error);
    let mut file = regular::open(&path).map_err(fail)?;
    let length = file.metadata().map_err(fail)?.len();
    let from = length.saturating_sub(MOST_HISTORY_BYTES);
    file.seek(SeekFrom::Start(from)).map_err(fail)?;
    let mut bytes = Vec::new();
    file.take(MOST_HISTORY_BYTES).read_to_end(&mut bytes).map_err(fail)?;
    let text = String::from_utf8_lossy(&bytes);
    // The first piece may be half a line, and the last one may be on its way: neither can be read.
    let events: Vec<Value> = text.lines().filter_map(event).collect();
    let last = events.get(events.len().saturating_sub(MOST_HISTORY)..).unwrap_or_default();
    Ok(json!(last).to_string())
}

/// One line of the journal in short.
fn event(line: &str) -> Option<Value> {
    let line: Value = serde_json::from_str(line).ok()?;
    let body = line.get("body")?;
    let (event, decided) = (body.get("event"), body.get("decided")?);
    let at = event.map_or_else(|| body.get("at"), |event| event.get("at"));
    let name = event.and_then(|event| event.get("fact")?.get("type"));
    let ordered = decided.get("effects")?.as_array()?.iter().filter_map(|one| one.get("order"));
    Some(json!({
        "seq": line.get("seq")?, "at": at, "event": name.unwrap_or(&json!("started")),
        "rule": decided.get("rule"), "continuation": decided.get("continuation"),
        "ordered": ordered.collect::<Vec<_>>(),
    }))
}

/// The mission as it was when its journal last grew.
struct Watch {
    places: Places,
    length: Option<u64>,
    seen: Result<Engine, String>,
}

impl Watch {
    fn of(places: &Places) -> Watch {
        let seen = Err("not looked at yet".to_owned());
        Watch { places: places.clone(), length: None, seen }
    }

    fn look(&mut self) -> Result<&Engine, &str> {
        let length = std::fs::metadata(self.places.journal()).ok().map(|meta| meta.len());
        if length.is_none() || length != self.length {
            let opened = store::peek(&self.places);
            // A torn tail is a line on its way: what was read ends before it.
            self.length = opened.as_ref().ok().map(|opened| opened.offset);
            self.seen = opened.map(|opened| opened.engine).map_err(|error| error.to_string());
        }
        self.seen.as_ref().map_err(String::as_str)
    }
}

/// Reads lines, each cut off where it is longer than any that will be taken.
fn read_lines(input: impl Read, send: &Sender<In>) {
    let mut input = BufReader::new(input);
    let most = MOST_LINE as u64 + 1;
    loop {
        let mut line = Vec::new();
        let Ok(count) = (&mut input).take(most).read_until(b'\n', &mut line) else { break };
        if count == 0 {
            break;
        }
        if line.last() != Some(&b'\n') && count as u64 == most && skip_line(&mut input).is_err() {
            break;
        }
        // Nothing reads this as a message, so it is answered as one that cannot be read.
        let line = String::from_utf8(line).unwrap_or_else(|_| "not UTF-8".to_owned());
        if send.send(In::Line(line)).is_err() {
            return;
        }
    }
    let _ = send.send(In::End);
}

/// Passes over the rest of a line.
fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let (skip, ends) = match input.fill_buf()? {
            [] => return Ok(()),
            bytes => match bytes.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            },
        };
        input.consume(skip);
        if ends {
            return Ok(());
        }
    }
}

fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX)
}
