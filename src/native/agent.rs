//! Agents: what a role is in this world — a program, its prompt, and what it says.
//!
//! `exec:COMMAND` is an argument list, split as a shell would split it and never given to one. The
//! prompt is on standard input; where the arguments contain `{prompt_file}`, that is replaced by the
//! path of a file with the prompt. The report is standard output. `script:FILE` runs this program's
//! own hidden command `role-script FILE` in the same way, and `pi`, `claude`, `codex`, `opencode` and
//! `acp:COMMAND` its command `role-agent`, which stands between us and a real agent (`docs/agents.md`).
//!
//! Every line of output is a sign of life. Lines that are JSON objects with a field `endstate` are
//! for the host and no part of the report:
//!
//! - `{"endstate":"progress","kind":"test","text":"12 of 40"}`: a structured sign of life;
//! - `{"endstate":"result","session":"s1","tokens":1200,"cost_micros":340}`: what the run used, and
//!   its session; also `turns`, `turns_exhausted`, `context_exhausted`, and `outcome` (`partial`,
//!   `checkpoint`, `failed`). A session that later runs must not share a verdict with is best named
//!   on the first line.

use super::error::{HostError, HostResult, problem};
use super::process::End;
use crate::agents::Name;
use crate::vocab::effect::SpawnRole;
use crate::vocab::error::{Code, clip};
use crate::vocab::event::{EffectId, ProgressEntry, RunEnded, RunOutcome, SESSION};
use crate::vocab::json;
use crate::vocab::role::Usage;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The longest line that is looked at, in bytes; the rest of it is left out of progress.
const MOST_LINE: usize = 64 * 1024;
/// The most characters of one sign of life that is nothing but a line.
const MOST_ENTRY: usize = 400;
/// The most lines between two events; the newest are kept.
const MOST_ENTRIES: usize = 20;
/// The most bytes of a structured sign of life. It is taken whole or not at all: half of one says nothing.
const MOST_STRUCTURED: usize = 4 * 1024;
/// The most structured signs of life of one run.
const MOST_OF_RUN: usize = 2_000;
/// The most signs of life of one event.
const MOST_OF_EVENT: usize = 100;
/// The kind of a plain line.
pub(super) const ACTIVITY: &str = "activity";
/// The kind of a word on what was not taken.
pub(super) const REFUSED: &str = "refused";

/// Who plays the roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agent {
    /// A command.
    Exec {
        /// Program and arguments.
        argv: Vec<String>,
    },
    /// The scripted team.
    Script {
        /// The scenario.
        file: PathBuf,
        /// The program that has the command `role-script`: this one.
        program: PathBuf,
    },
    /// A real agent, behind a program that speaks its language.
    Real {
        /// Its name with the user's arguments, as [`Name`] reads it.
        name: String,
        /// The program that has the command `role-agent`: this one.
        program: PathBuf,
    },
}

impl Agent {
    /// Reads `exec:COMMAND`, `script:FILE` or the name of a real agent. `program` is the path of this
    /// program.
    ///
    /// # Errors
    /// `usage` with what would do.
    pub fn parse(text: &str, program: &Path) -> HostResult<Agent> {
        let bad = |got: &str| {
            let expected = "exec:COMMAND, script:FILE, acp:COMMAND, pi, claude, codex or opencode";
            let expected = expected.to_owned();
            HostError::Usage { at: "agent".to_owned(), expected, got: got.to_owned() }
        };
        match text.split_once(':') {
            Some(("exec", command)) => match shlex::split(command) {
                Some(argv) if !argv.is_empty() => Ok(Agent::Exec { argv }),
                Some(_) => Err(bad("an empty command")),
                None => Err(bad("a quote that is not closed")),
            },
            Some(("script", file)) if !file.is_empty() => {
                // Roles run in the repository; the caller speaks of its own directory.
                let file = std::path::absolute(file).map_err(|e| HostError::io("read", file, e))?;
                Ok(Agent::Script { file, program: program.to_owned() })
            }
            _ => match Name::parse(text) {
                Ok(_) => Ok(Agent::Real { name: text.to_owned(), program: program.to_owned() }),
                Err(error) if error.code == Code::UnknownValue => Err(bad(text)),
                Err(error) => Err(error.into()),
            },
        }
    }

    /// Program and arguments for one run whose prompt is in `prompt`.
    pub fn argv(&self, prompt: &Path) -> Vec<String> {
        let prompt = prompt.display().to_string();
        match self {
            Agent::Exec { argv } => {
                argv.iter().map(|word| word.replace("{prompt_file}", &prompt)).collect()
            }
            Agent::Script { file, program } => {
                let of = |path: &Path| path.display().to_string();
                vec![of(program), "role-script".to_owned(), of(file)]
            }
            Agent::Real { name, program } => {
                vec![program.display().to_string(), "role-agent".to_owned(), name.clone()]
            }
        }
    }
}

/// The variables a run finds in its environment.
pub fn variables(
    spawn: &SpawnRole,
    run: EffectId,
    mission: &str,
    root: &Path,
) -> Vec<(String, String)> {
    let of = |name: &str, value: String| (format!("ENDSTATE_{name}"), value.replace('\0', ""));
    let corrects = spawn.corrects.map(|run| run.to_string()).unwrap_or_default();
    vec![
        of("ROLE", spawn.role.clone()),
        of("RUN", run.to_string()),
        of("VISIT", spawn.visit.to_string()),
        of("ITEM", spawn.item.clone().unwrap_or_default()),
        of("MISSION", clip(mission, 4_000)),
        of("ROOT", root.display().to_string()),
        of("CORRECTS", corrects),
        of("ACCESS", word(&spawn.access)),
        of("TIER", word(&spawn.tier)),
        of("MAX_TURNS", spawn.limits.max_turns.to_string()),
    ]
}

/// A word of the vocabulary without the quotes of its JSON.
fn word<T: serde::Serialize>(value: &T) -> String {
    json::encode(value).trim_matches('"').to_owned()
}

/// A line for the host.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "endstate", rename_all = "snake_case")]
enum Aside {
    Progress {
        #[serde(default)]
        kind: Option<String>,
        #[serde(default)]
        text: String,
    },
    Result(Box<Said>),
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    session: Option<String>,
    tokens: Option<u64>,
    cost_micros: Option<u64>,
    turns: Option<u32>,
    turns_exhausted: Option<bool>,
    context_exhausted: Option<bool>,
    outcome: Option<RunOutcome>,
}

/// Reads a line for the host; `None` if it is one of the report's.
fn aside(line: &str) -> Option<Aside> {
    let line = line.trim();
    let candidate = line.starts_with('{') && line.contains("\"endstate\"");
    candidate.then(|| serde_json::from_str(line).ok()).flatten()
}

/// Listens to a run while it runs.
#[derive(Debug, Default)]
pub struct Listener {
    partial: [Vec<u8>; 2],
    entries: Vec<ProgressEntry>,
    structured: usize,
    refused: usize,
    /// Sessions it named, in order.
    sessions: Vec<String>,
    said: Said,
}

/// The most sessions of one run that are told.
const MOST_SESSIONS: usize = 100;

impl Listener {
    /// Takes a piece of output; `stdout` tells which of the two it is from.
    pub fn hear(&mut self, stdout: bool, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let partial = &mut self.partial[usize::from(stdout)];
            let room = MOST_LINE.saturating_sub(partial.len());
            partial.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(partial);
                self.line(&String::from_utf8_lossy(&line));
            }
        }
    }

    fn line(&mut self, line: &str) {
        let shown = |text: &str| super::redact::printable(text).trim().to_owned();
        let (kind, text) = match aside(line) {
            Some(Aside::Result(said)) => {
                self.named(said.session.as_deref());
                return self.said.take(*said);
            }
            Some(Aside::Progress { kind, text }) => {
                let kind = kind.unwrap_or_else(|| "progress".to_owned());
                match self.structured(&kind, shown(&text)) {
                    Some(entry) => entry,
                    None => return,
                }
            }
            // Too long to be read whole, so nobody knows what it would have said.
            None if line.len() >= MOST_LINE && line.contains("\"endstate\"") => {
                self.refused += 1;
                return;
            }
            None => (ACTIVITY.to_owned(), clip(&shown(line), MOST_ENTRY)),
        };
        if !text.is_empty() {
            self.entries.push(ProgressEntry { kind, text });
        }
    }

    /// Each session that is named is a sign of life of its own, whatever else the run said.
    fn named(&mut self, session: Option<&str>) {
        let Some(name) = session.filter(|name| !name.is_empty()) else { return };
        let known = self.sessions.iter().any(|known| known == name);
        if !known && name.len() <= MOST_STRUCTURED && self.sessions.len() < MOST_SESSIONS {
            self.sessions.push(name.to_owned());
            let text = name.to_owned();
            self.entries.push(ProgressEntry { kind: SESSION.to_owned(), text });
        }
    }

    /// A structured sign of life, if it is within its bounds.
    fn structured(&mut self, kind: &str, text: String) -> Option<(String, String)> {
        if self.structured >= MOST_OF_RUN || text.len() > MOST_STRUCTURED {
            self.refused += 1;
            return None;
        }
        self.structured += 1;
        // What calls itself a line is throttled like one.
        let text = if kind == ACTIVITY { clip(&text, MOST_ENTRY) } else { text };
        Some((clip(super::redact::printable(kind).trim(), MOST_ENTRY), text))
    }

    /// The signs of life since the last time, in order, as many as one event holds: all structured ones, the
    /// newest lines, and in the end how many were refused.
    pub fn entries(&mut self) -> Vec<ProgressEntry> {
        let mut all = std::mem::take(&mut self.entries);
        let lines = all.iter().filter(|entry| entry.kind == ACTIVITY).count();
        let mut surplus = lines.saturating_sub(MOST_ENTRIES);
        all.retain(|entry| {
            let old = surplus > 0 && entry.kind == ACTIVITY;
            surplus -= usize::from(old);
            !old
        });
        if all.len() > MOST_OF_EVENT {
            self.entries = all.split_off(MOST_OF_EVENT);
        } else if self.refused > 0 {
            let text = format!(
                "{} signs of life were not taken: at most {MOST_OF_RUN} of {MOST_STRUCTURED} bytes",
                std::mem::take(&mut self.refused)
            );
            all.push(ProgressEntry { kind: REFUSED.to_owned(), text });
        }
        all
    }

    /// The last line of a stream needs no end.
    pub fn close(&mut self) {
        for stream in 0..self.partial.len() {
            let line = std::mem::take(&mut self.partial[stream]);
            if !line.is_empty() {
                self.line(&String::from_utf8_lossy(&line));
            }
        }
    }

    /// Whether anything was heard that has not been passed on.
    pub fn has_entries(&self) -> bool {
        !self.entries.is_empty() || self.refused > 0
    }

    /// The session, if the run has named one.
    pub fn session(&self) -> Option<&str> {
        self.said.session.as_deref()
    }
}

impl Said {
    fn take(&mut self, later: Said) {
        let Said {
            session,
            tokens,
            cost_micros,
            turns,
            turns_exhausted,
            context_exhausted,
            outcome,
        } = later;
        self.session = session.or(self.session.take());
        self.tokens = tokens.or(self.tokens);
        self.cost_micros = cost_micros.or(self.cost_micros);
        self.turns = turns.or(self.turns);
        self.turns_exhausted = turns_exhausted.or(self.turns_exhausted);
        self.context_exhausted = context_exhausted.or(self.context_exhausted);
        self.outcome = outcome.or(self.outcome);
    }

    fn usage(&self, duration_ms: u64) -> Usage {
        let most = crate::vocab::json::MOST_INTEGER;
        Usage {
            turns: self.turns.unwrap_or(0),
            duration_ms: duration_ms.min(most),
            tokens: self.tokens.unwrap_or(0).min(most),
            cost_micros: self.cost_micros.unwrap_or(0).min(most),
            turns_exhausted: self.turns_exhausted.unwrap_or(false),
            context_exhausted: self.context_exhausted.unwrap_or(false),
        }
    }
}

/// Takes the lines for the host out of the whole standard output: what is left is the report.
fn report(stdout: &[u8]) -> (String, Said) {
    let mut said = Said::default();
    let text = String::from_utf8_lossy(stdout);
    let mut report = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match aside(line) {
            Some(Aside::Result(more)) => said.take(*more),
            Some(Aside::Progress { .. }) => {}
            None => report.push_str(line),
        }
    }
    (report, said)
}

/// The variables of a run that corrects one with this output: its session, if it named one, and what
/// it used.
pub fn corrected(stdout: &[u8]) -> Vec<(String, String)> {
    let said = report(stdout).1;
    let of =
        |name: &str, value: String| (format!("ENDSTATE_CORRECTS_{name}"), value.replace('\0', ""));
    let Some(session) = said.session else { return Vec::new() };
    vec![
        of("SESSION", session),
        of("TOKENS", said.tokens.unwrap_or(0).to_string()),
        of("COST_MICROS", said.cost_micros.unwrap_or(0).to_string()),
    ]
}

/// What a run's end means. `stdout` and `stderr` are what it said, whole.
pub fn ended(
    run: EffectId,
    end: End,
    stdout: &[u8],
    stderr: &[u8],
    duration_ms: u64,
    limits: &crate::vocab::role::Limits,
) -> RunEnded {
    let (text, mut said) = report(stdout);
    // A result line may stand on either stream.
    said.take(report(stderr).1);
    let silent = text.trim().is_empty();
    let last_words = || {
        let words = String::from_utf8_lossy(&stderr[stderr.len().saturating_sub(4_000)..]);
        let words = super::redact::printable(words.trim());
        let from = words.char_indices().rev().nth(1_500).map_or(0, |(at, _)| at);
        match words[from..].is_empty() {
            true => String::new(),
            false => format!("; {}", &words[from..]),
        }
    };
    let fault = |outcome, code, expected: &str, got: String| {
        (outcome, Some(problem(code, format!("run {run}"), expected, &got)))
    };
    let (outcome, problem) = match end {
        End::Exited(0) if silent => fault(
            RunOutcome::Failed,
            Code::RunSilent,
            "a report",
            format!("nothing{}", last_words()),
        ),
        End::Exited(0) => (said.outcome.unwrap_or(RunOutcome::Success), None),
        End::Exited(status) => {
            let got = format!("status {status}{}", last_words());
            let exhausted =
                said.turns_exhausted == Some(true) || said.context_exhausted == Some(true);
            let code = if exhausted { Code::RunExhausted } else { Code::RunFailed };
            fault(RunOutcome::Failed, code, "exit status 0", got)
        }
        End::Signalled(signal) => {
            let got = format!("ended by signal {signal}{}", last_words());
            fault(RunOutcome::Lost, Code::RunLost, "to end by itself", got)
        }
        End::Stopped => {
            fault(RunOutcome::Lost, Code::RunLost, "to end by itself", "stopped".to_owned())
        }
        End::TimedOut => {
            let (expected, got) = (format!("at most {} ms", limits.timeout_ms), "more".to_owned());
            fault(RunOutcome::Lost, Code::RunTimedOut, &expected, got)
        }
        End::Flooded => {
            let expected = format!("at most {} bytes of output", limits.output_bytes);
            fault(RunOutcome::Lost, Code::RunFlooded, &expected, "more".to_owned())
        }
    };
    // A run that was ended half-way has left no report, whatever it has said.
    let kept = !silent && matches!(end, End::Exited(_));
    let report = kept.then_some(text);
    RunEnded { effect: run, outcome, report, problem, usage: said.usage(duration_ms) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: EffectId = EffectId { seq: 3, n: 1 };

    #[test]
    fn agents_are_argument_lists() {
        let program = Path::new("endstate");
        let agent = Agent::parse("exec:'my agent' -p \"a b\" {prompt_file}", program).unwrap();
        assert_eq!(agent.argv(Path::new("/p.md")), ["my agent", "-p", "a b", "/p.md"]);
        let real = Agent::parse("pi:--model 'a b'", program).unwrap();
        assert_eq!(real.argv(Path::new("/p.md")), ["endstate", "role-agent", "pi:--model 'a b'"]);
        assert_eq!(Agent::parse("acp:", program).unwrap_err().code(), "invalid_value");
        for bad in ["exec:", "exec:'open", "script:", "shell:ls", "ls"] {
            assert_eq!(Agent::parse(bad, program).unwrap_err().code(), "usage", "{bad}");
        }
    }

    fn said(text: &str) -> String {
        let kind = "scratchpad";
        format!("{}\n", serde_json::json!({"endstate": "progress", "kind": kind, "text": text}))
    }

    /// However much a run says, what it says in form reaches the journal once and whole, or is refused aloud.
    #[test]
    fn structured_signs_of_life_are_never_lost() {
        let mut listener = Listener::default();
        for number in 0..1_200 {
            listener.hear(true, said(&format!("{{\"finding\":\"f{number}\"}}")).as_bytes());
            listener.hear(true, b"test ... ok\n");
        }
        listener.hear(true, said(&"d".repeat(MOST_STRUCTURED)).as_bytes());
        listener.hear(true, said(&"d".repeat(MOST_STRUCTURED + 1)).as_bytes());
        listener.hear(true, said("the last").trim_end().as_bytes());
        listener.close();
        let mut all = Vec::new();
        while listener.has_entries() {
            let entries = listener.entries();
            assert!(entries.len() <= MOST_OF_EVENT + 1, "{}", entries.len());
            all.extend(entries);
        }
        let kept: Vec<&str> =
            all.iter().filter(|one| one.kind == "scratchpad").map(|one| &*one.text).collect();
        assert_eq!(kept.len(), 1_202);
        assert_eq!((kept[0], kept[1_199]), ("{\"finding\":\"f0\"}", "{\"finding\":\"f1199\"}"));
        assert_eq!((kept[1_200].len(), kept[1_201]), (MOST_STRUCTURED, "the last"));
        assert_eq!(all.iter().filter(|one| one.kind == ACTIVITY).count(), MOST_ENTRIES);
        let refused = all.iter().find(|one| one.kind == "refused").unwrap();
        assert!(refused.text.starts_with("1 signs of life were not taken"), "{}", refused.text);
    }

    #[test]
    fn output_becomes_progress_report_and_usage() {
        let mut listener = Listener::default();
        let said =
            "caf\u{e9} one\n{\"endstate\":\"progress\",\"kind\":\"test\",\"text\":\"2 of 3\"}\n";
        for byte in said.bytes() {
            listener.hear(true, &[byte]);
        }
        listener.hear(false, b"{\"endstate\":\"result\",\"session\":\"s1\"}\n\x1b[31mred\x1b[0m\n");
        let entries = listener.entries();
        let texts: Vec<_> = entries.iter().map(|e| (e.kind.as_str(), e.text.as_str())).collect();
        let expected = [
            ("activity", "caf\u{e9} one"),
            ("test", "2 of 3"),
            ("session", "s1"),
            ("activity", "red"),
        ];
        assert_eq!(texts, expected);
        assert_eq!(listener.session(), Some("s1"));
        let out = format!("{said}two\n{{\"endstate\":\"result\",\"tokens\":7}}\n");
        let limits = crate::vocab::role::Limits::default();
        let ended = ended(RUN, End::Exited(0), out.as_bytes(), b"", 5, &limits);
        assert_eq!(ended.report.as_deref(), Some("caf\u{e9} one\ntwo\n"));
        assert_eq!((ended.outcome, ended.usage.tokens), (RunOutcome::Success, 7));
    }
}
