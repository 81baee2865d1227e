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

mod aside;
mod end;
mod listener;

pub use end::{corrected, ended};
pub use listener::Listener;
pub(super) use listener::{ACTIVITY, REFUSED};

use super::error::{HostError, HostResult};
use crate::agents::Name;
use crate::vocab::effect::SpawnRole;
use crate::vocab::error::{Code, clip};
use crate::vocab::event::EffectId;
use crate::vocab::json;
use std::path::{Path, PathBuf};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::process::End;
    use crate::vocab::event::RunOutcome;

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
        let out = format!("{said}two\n{{\"endstate\":\"result\",\"tokens\":7}}\n");
        let limits = crate::vocab::role::Limits::default();
        let ended = ended(RUN, End::Exited(0), out.as_bytes(), b"", 5, &limits);
        assert_eq!(ended.report.as_deref(), Some("caf\u{e9} one\ntwo\n"));
        assert_eq!((ended.outcome, ended.usage.tokens), (RunOutcome::Success, 7));
    }
}
