//! The role program: the run of a role as the host sees it, with a real agent behind it.
//!
//! Started as `endstate role-agent NAME`, once per run. It starts the agent in its own process group
//! (so that the host, which ends groups, ends both), gives it the prompt, and passes on what
//! [`Bridge`] makes of its output. All decisions are there; here are pipes, threads and time.
//!
//! 1. Find the program; if it is not there, say how it is installed.
//! 2. One thread writes to the agent, one reads each of its outputs; this one listens.
//! 3. When the bridge says so, the agent is let go or ended; when it has left, what it left in the
//!    pipes is read for a moment longer (a child of its own may hold them open for ever).
//! 4. Print the report and exit with 0, or say why not and exit with 1.

use super::error::{HostError, HostResult};
use super::process::GRACE;
use super::program::find_program;
use crate::agents::{AgentEnding, AgentLaunch, AgentNext, AgentRequest, AgentTurn, Bridge};
use crate::vocab::json;
use crate::vocab::role::{Access, Tier};
use rustix::process::{Pid, Signal};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often the agent is looked at while it is silent.
const TICK: Duration = Duration::from_millis(50);
/// How long an agent that has said everything may take to leave.
const LEAVE: Duration = Duration::from_secs(5);
/// How long is read what an agent left in its pipes.
const DRAIN: Duration = Duration::from_secs(1);
/// Pieces of output that may wait.
const MOST_PIECES: usize = 64;

/// The run that this process is, from its environment and standard input. `extra` is added to the
/// arguments in `name`.
///
/// # Errors
/// As [`crate::agents::Name::parse`]; `io` if the prompt cannot be read.
pub fn of_process(name: &str, extra: &[String]) -> HostResult<AgentRequest> {
    let of =
        |name: &str| std::env::var(format!("ENDSTATE_{name}")).ok().filter(|it| !it.is_empty());
    let mut prompt = Vec::new();
    let read = io::stdin().read_to_end(&mut prompt);
    read.map_err(|error| HostError::io("read", "standard input", error))?;
    let tier: Option<Tier> = of("TIER").and_then(|word| read_word(&word));
    let model = tier.and_then(|_| of(&format!("MODEL_{}", of("TIER")?.to_uppercase())));
    let number = |name: &str| of(name).and_then(|number| number.parse().ok()).unwrap_or(0);
    let here = std::env::current_dir().map_err(|error| HostError::io("find", ".", error))?;
    Ok(AgentRequest {
        agent: with_extra(name, extra)?,
        access: of("ACCESS").and_then(|word| read_word(&word)).unwrap_or(Access::ReadOnly),
        tier,
        model: model.or_else(|| of("MODEL")),
        max_turns: of("MAX_TURNS").and_then(|number| number.parse().ok()).filter(|most| *most > 0),
        session: of("CORRECTS_SESSION"),
        session_tokens: number("CORRECTS_TOKENS"),
        session_cost_micros: number("CORRECTS_COST_MICROS"),
        root: of("ROOT").unwrap_or_else(|| here.display().to_string()),
        prompt: String::from_utf8_lossy(&prompt).into_owned(),
    })
}

/// The name with more words behind it.
fn with_extra(name: &str, extra: &[String]) -> HostResult<String> {
    if extra.is_empty() {
        return Ok(name.to_owned());
    }
    let words =
        shlex::try_join(extra.iter().map(String::as_str)).map_err(|error| HostError::Usage {
            at: "role-agent".to_owned(),
            expected: "arguments without a zero byte".to_owned(),
            got: error.to_string(),
        })?;
    Ok(if name.contains(':') { format!("{name} {words}") } else { format!("{name}:{words}") })
}

fn read_word<T: json::Readable>(word: &str) -> Option<T> {
    json::decode_unguarded(&json::encode(word)).ok()
}

/// Whether the program of an agent is there.
///
/// # Errors
/// `usage` with how it is installed.
pub fn look_for(name: &str, root: &Path) -> HostResult<()> {
    let request = AgentRequest {
        agent: name.to_owned(),
        access: Access::ReadOnly,
        tier: None,
        model: None,
        max_turns: None,
        session: None,
        session_tokens: 0,
        session_cost_micros: 0,
        root: String::new(),
        prompt: String::new(),
    };
    program(&Bridge::new(request)?.launch(), root).map(|_| ())
}

fn program(launch: &AgentLaunch, root: &Path) -> HostResult<std::path::PathBuf> {
    let name = launch.argv.first().cloned().unwrap_or_default();
    find_program(&name, root).map_err(|error| HostError::Usage {
        at: "agent".to_owned(),
        expected: format!("the program `{name}` ({})", launch.install),
        got: error.got(),
    })
}

/// Plays one run to its end. Answers with the exit status.
///
/// # Errors
/// `usage` if the agent is not installed or there is no such agent; `io` if it cannot be started.
pub fn play(request: AgentRequest) -> HostResult<u8> {
    let root = Path::new(&request.root).to_owned();
    let mut bridge = Bridge::new(request.clone())?;
    let launch = bridge.launch();
    let program = program(&launch, &root)?;
    let mut command = Command::new(program);
    command.args(&launch.argv[1..]).current_dir(&root).envs(&launch.variables);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = |error| HostError::io("start", launch.argv[0].as_str(), error);
    let mut child = command.spawn().map_err(start)?;
    let (pieces, heard) = sync_channel(MOST_PIECES);
    if let Some(out) = child.stdout.take() {
        listen(out, Piece::Out, pieces.clone());
    }
    if let Some(err) = child.stderr.take() {
        listen(err, Piece::Err, pieces);
    }
    let mut mouth = child.stdin.take().map(speak);
    say(mouth.as_ref(), &launch.input);
    if !launch.converses {
        mouth = None;
    }
    let status = follow(&mut bridge, &mut child, mouth, &heard)?;
    let AgentEnding { print, complaint, status } = bridge.end(status);
    put(&print, &complaint)?;
    Ok(status)
}

/// A piece of output, or the end of one of the two.
enum Piece {
    Out(Vec<u8>),
    Err(Vec<u8>),
}

fn listen(mut from: impl Read + Send + 'static, wrap: fn(Vec<u8>) -> Piece, to: SyncSender<Piece>) {
    thread::spawn(move || {
        let mut buffer = vec![0_u8; 64 * 1024];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) if to.send(wrap(buffer[..count].to_vec())).is_ok() => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => return,
            }
        }
    });
}

/// Writes to the agent without making anybody wait; the agent's input is closed with the sender.
fn speak(mut to: ChildStdin) -> Sender<String> {
    let (sender, words) = channel::<String>();
    thread::spawn(move || {
        for text in words {
            // An agent that does not listen any more says in its own way how it came out.
            if to.write_all(text.as_bytes()).and_then(|()| to.flush()).is_err() {
                return;
            }
        }
    });
    sender
}

fn say(mouth: Option<&Sender<String>>, text: &str) {
    if let Some(mouth) = mouth.filter(|_| !text.is_empty()) {
        // As above.
        let _ = mouth.send(text.to_owned());
    }
}

/// Listens until the agent has left. Answers with its exit status, if it left by itself.
fn follow(
    bridge: &mut Bridge,
    child: &mut Child,
    mut mouth: Option<Sender<String>>,
    heard: &Receiver<Piece>,
) -> HostResult<Option<i32>> {
    let began = Instant::now();
    let mut deadline: Option<Instant> = None;
    let mut left: Option<(Option<i32>, Instant)> = None;
    loop {
        let closed = match heard.recv_timeout(TICK) {
            Ok(piece) => {
                let turn = take(bridge, piece);
                put(&turn.print, &turn.mutter)?;
                say(mouth.as_ref(), &turn.send);
                match turn.then {
                    AgentNext::Listen => {}
                    AgentNext::Leave => {
                        mouth = None;
                        deadline = deadline.or(Some(Instant::now() + LEAVE));
                    }
                    AgentNext::Stop => deadline = Some(Instant::now()),
                }
                false
            }
            Err(RecvTimeoutError::Timeout) => {
                let waited = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                if bridge.waited(waited).then == AgentNext::Stop {
                    deadline = Some(Instant::now());
                }
                false
            }
            Err(RecvTimeoutError::Disconnected) => true,
        };
        if let Some((status, since)) = left {
            if closed || since.elapsed() >= DRAIN {
                return Ok(status);
            }
            continue;
        }
        if let Some(status) = status(child)? {
            left = Some((status, Instant::now()));
        } else if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            end(child)?;
            left = Some((None, Instant::now()));
        } else if closed {
            // It has closed both outputs and is still there.
            deadline = deadline.or(Some(Instant::now() + LEAVE));
            thread::sleep(TICK);
        }
    }
}

fn take(bridge: &mut Bridge, piece: Piece) -> AgentTurn {
    match piece {
        Piece::Out(bytes) => bridge.hear(&bytes),
        Piece::Err(bytes) => AgentTurn { mutter: bridge.overhear(&bytes), ..AgentTurn::default() },
    }
}

/// The exit status, once there is one; the inner `None` for a signal.
fn status(child: &mut Child) -> HostResult<Option<Option<i32>>> {
    let status = child.try_wait().map_err(|error| HostError::io("wait for", "the agent", error))?;
    Ok(status.map(|status| status.code()))
}

/// TERM, then KILL. What the agent has started itself is ended by the host, with the group.
fn end(child: &mut Child) -> HostResult<()> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        // It may have left in this moment.
        let _ = rustix::process::kill_process(pid, Signal::TERM);
    }
    let began = Instant::now();
    while began.elapsed() < GRACE {
        if status(child)?.is_some() {
            return Ok(());
        }
        thread::sleep(TICK);
    }
    let killed = child.kill().and_then(|()| child.wait());
    killed.map(|_| ()).map_err(|error| HostError::io("end", "the agent", error))
}

fn put(print: &str, mutter: &str) -> HostResult<()> {
    if !mutter.is_empty() {
        // Nobody may be listening.
        let _ = io::stderr().lock().write_all(mutter.as_bytes());
    }
    let mut out = io::stdout().lock();
    let written = out.write_all(print.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| HostError::io("write", "standard output", error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::Name;

    #[test]
    fn words_are_joined_and_split_again() {
        let extra = ["--model".to_owned(), "it's".to_owned()];
        for (name, words) in [("pi", 2), ("pi:-x", 3)] {
            let joined = with_extra(name, &extra).unwrap();
            let read = Name::parse(&joined).unwrap();
            assert_eq!(read.words.len(), words, "{joined}");
            assert_eq!(read.words.last().map(String::as_str), Some("it's"));
        }
        assert_eq!(with_extra("pi", &[]).unwrap(), "pi");
    }

    #[test]
    fn a_missing_program_names_its_installation() {
        let error = look_for("acp:/nowhere/agent acp", Path::new("/")).unwrap_err();
        assert_eq!((error.code(), error.got().is_empty()), ("usage", false));
        assert!(error.expected().contains("/nowhere/agent"), "{error}");
    }
}
