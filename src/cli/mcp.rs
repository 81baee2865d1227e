//! The mission for an agent that is there already: the server it gets its work from, and the hook that
//! asks whether it may stop.

use super::confine::Confining;
use super::exit::{Exit, Fault};
use super::{Place, begin};
use clap::{Args, Subcommand};
use endstate::mcp::{MOST_WAIT, Policy};
use endstate::native::Options;
use endstate::native::hook::{self, Asked, Settings};
use endstate::native::mcp::{Setup, serve};
use endstate::native::store::{self, Places};
use endstate::vocab::time::rfc3339;
use serde_json::json;
use std::io::{IsTerminal, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// The variable that names the agent where the line does not.
const AGENT: &str = "ENDSTATE_AGENT";
/// The variable that names the hosted roles where the line does not.
const HOSTED: &str = "ENDSTATE_HOSTED";
/// Set in every run of a role: whoever has it plays a role already.
const RUN: &str = "ENDSTATE_RUN";
/// How long a host may take to tell its hook what it has to say.
const INPUT_WAIT: Duration = Duration::from_secs(2);
/// How much of it is read.
const MOST_INPUT: u64 = 4 * 1024 * 1024;

/// See the help.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Drive the mission, too, with this agent for the roles that are not hosted: `exec:COMMAND` or
    /// `script:FILE`. Else ENDSTATE_AGENT; with neither, somebody else drives.
    #[arg(long)]
    agent: Option<String>,
    /// The roles that the agent at the other end plays; only roles that claim. Else ENDSTATE_HOSTED;
    /// with neither, all that only claim.
    #[arg(long, value_name = "ROLE,…", value_delimiter = ',')]
    hosted: Vec<String>,
    /// How long `next` waits for others where the call does not say, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 45, value_parser = clap::value_parser!(u32).range(0..=i64::from(MOST_WAIT)))]
    wait: u32,
    /// Let nobody answer questions here: the user answers with `endstate answer`.
    #[arg(long)]
    no_answers: bool,
    /// End a run of a role after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    role_timeout: Option<u64>,
    /// Host code for a custom handler: as for `run`.
    #[arg(long = "handler", value_name = "NAME=COMMAND", value_parser = begin::pair)]
    handlers: Vec<(String, String)>,
    #[command(flatten)]
    confining: Confining,
}

/// See the help.
#[derive(Debug, Subcommand)]
pub(crate) enum Hook {
    /// Answer a stop hook: may the agent stop? Reads the hook's JSON on standard input.
    #[command(after_help = "Example:\n  endstate hook stop < hook-input.json")]
    Stop {
        /// How long to wait for others oneself before the agent is sent to wait, in seconds.
        #[arg(long, value_name = "SECONDS", default_value_t = 20)]
        wait: u64,
        /// How often in a row the agent is held without anything happening.
        #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
        patience: u32,
    },
    /// Whether the hook was ever heard of in this mission: hosts skip hooks they do not trust without
    /// a word.
    #[command(after_help = "Example:\n  endstate hook check")]
    Check,
}

/// Serves the mission on standard input and output.
pub(crate) fn mcp(place: &Place, mcp: &Mcp) -> Result<Exit, Fault> {
    let places = Places::of(&hook::root_of(&place.root));
    let place = Place { root: places.root.clone(), out: place.out };
    let inside = said(RUN).is_some();
    let agent = mcp.agent.clone().or_else(|| said(AGENT)).filter(|_| !inside);
    let drive = match agent {
        None => None,
        Some(agent) => {
            let program = super::drive::own_program()?;
            let agent = Some(super::drive::agent(&agent, &program, &place.root)?);
            let role_timeout = mcp.role_timeout.map(Duration::from_secs);
            let consults = begin::handlers(&place, &mcp.handlers)?;
            let confine = mcp.confining.into();
            Some(Options { agent, role_timeout, consults, confine, ..Options::default() })
        }
    };
    let policy = Policy { wait_seconds: mcp.wait, answers: !mcp.no_answers, only_look: inside };
    let hosted = match mcp.hosted.as_slice() {
        [] => said(HOSTED).map(|words| split(&words)).unwrap_or_default(),
        some => some.to_vec(),
    };
    let leave = Arc::new(AtomicBool::new(false));
    let asked = leave.clone();
    // A handler that cannot be set leaves the end as hard as it is; the mission survives that, too.
    let _ = ctrlc::set_handler(move || asked.store(true, Ordering::SeqCst));
    let (input, output) = (std::io::stdin(), std::io::stdout());
    serve(&places, Setup { policy, drive, hosted }, input, output.lock(), &leave)?;
    Ok(Exit::Done)
}

fn split(words: &str) -> Vec<String> {
    let words = words.split(',').map(str::trim).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// A variable that says something.
fn said(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Does it.
pub(crate) fn hook(place: &Place, hook: &Hook) -> Result<Exit, Fault> {
    match hook {
        Hook::Stop { wait, patience } => {
            let settings = Settings { wait: Duration::from_secs(*wait), patience: *patience };
            stop(place, settings);
            Ok(Exit::Done)
        }
        Hook::Check => check(place),
    }
}

/// Whatever happens, the answer is one that hosts can read, and the exit status is zero: a hook that
/// fails would be taken for a fault of the host.
fn stop(place: &Place, settings: Settings) {
    // Read in any case: a host must not find its pipe closed.
    let asked = Asked::read(&input());
    // A run of the mission ends by itself; holding it would keep the mission.
    if said(RUN).is_some() {
        return;
    }
    let directory = match &asked.cwd {
        Some(cwd) if place.root == std::env::current_dir().unwrap_or_default() => cwd.clone(),
        _ => place.root.clone(),
    };
    let directory = std::fs::canonicalize(directory).unwrap_or_else(|_| place.root.clone());
    let places = Places::of(&hook::root_of(&directory));
    if let Some(answer) = hook::stop(&places, &asked, settings).json() {
        place.out.raw(&answer.to_string());
    }
}

/// What the host says, as far as it comes in time.
fn input() -> Vec<u8> {
    if std::io::stdin().is_terminal() {
        return Vec::new();
    }
    let (send, come) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = std::io::stdin().lock().take(MOST_INPUT).read_to_end(&mut bytes);
        let _ = send.send(bytes);
    });
    come.recv_timeout(INPUT_WAIT).unwrap_or_default()
}

fn check(place: &Place) -> Result<Exit, Fault> {
    let places = Places::of(&hook::root_of(&place.root));
    store::peek(&places)?;
    let count = hook::count(&places);
    match &count {
        None => place.out.say(
            "the stop hook was never heard of in this mission. It is asked when an agent wants to stop; \
             if one did, the hook is not installed, or its host does not trust it (codex skips such \
             hooks without a word: `/hooks` there shows and trusts them).",
        ),
        Some(count) => {
            let at = rfc3339(count.heard_at);
            place.out.say(format!("the stop hook was last asked at {at}"));
            place.out.say(format!("it held an agent {} times", count.holds));
        }
    }
    place.out.object(&json!({"result": "hook", "heard": count.is_some(), "count": count}));
    Ok(Exit::Done)
}
