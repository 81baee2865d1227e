//! What is started for a run: command line, variables, and what stands on standard input.
//!
//! **The prompt is never an argument**: arguments have a limit, and everybody on the machine reads them. The
//! words of the user stand behind ours, so they win where an agent takes the last of two.
//!
//! A role that may only read has no tool that edits files. It keeps its shell, because a reviewer has to run
//! the tests; what it does to the tree with that is seen afterwards by the engine, and refused. codex
//! alone can take the files of a shell away, and does.

use super::name::{Kind, Name};
use super::{AgentRequest, acp};
use crate::vocab::role::Access;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What to start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentLaunch {
    /// Program and arguments. A bare name is looked for in `PATH`.
    pub argv: Vec<String>,
    /// Variables beside those inherited.
    pub variables: BTreeMap<String, String>,
    /// What is written to its standard input at first.
    pub input: String,
    /// Its input stays open for a conversation; otherwise it is closed behind `input`.
    pub converses: bool,
    /// How the program is installed, for when it is not there.
    pub install: String,
}

/// For one run of one agent.
pub(super) fn launch(name: &Name, request: &AgentRequest) -> AgentLaunch {
    let reads = request.access == Access::ReadOnly;
    let mut variables = BTreeMap::new();
    let mut argv: Vec<String> = Vec::new();
    let mut words = |list: &[&str]| argv.extend(list.iter().map(|word| (*word).to_owned()));
    match name.kind {
        Kind::Acp => {}
        Kind::Pi => {
            words(&[
                "pi",
                "--mode",
                "json",
                "-p",
                "--no-session",
                "--no-skills",
                "--no-prompt-templates",
            ]);
            if reads {
                words(&["--tools", "read,bash,grep,find,ls,endstate_report"]);
            }
        }
        Kind::Claude => {
            words(&["claude", "-p", "--output-format", "stream-json", "--verbose"]);
            match reads {
                true => words(&[
                    "--permission-mode",
                    "dontAsk",
                    "--allowedTools",
                    "Bash,Read,Glob,Grep,WebFetch,WebSearch",
                    "--disallowedTools",
                    "Edit,MultiEdit,Write,NotebookEdit",
                ]),
                false => words(&["--permission-mode", "bypassPermissions"]),
            }
            if let Some(most) = request.max_turns {
                words(&["--max-turns", &most.to_string()]);
            }
        }
        Kind::Codex => {
            let sandbox = if reads { "read-only" } else { "danger-full-access" };
            words(&[
                "codex",
                "exec",
                "--json",
                "--skip-git-repo-check",
                "--color",
                "never",
                "-s",
                sandbox,
            ]);
        }
        Kind::Opencode => {
            words(&["opencode", "run", "--format", "json", "--auto"]);
            variables.extend(opencode(reads));
        }
    }
    if let Some(model) = request.model.as_deref().filter(|_| name.kind != Kind::Acp) {
        words(&["--model", model]);
    }
    let session = request.session.as_deref().filter(|id| plain(id));
    match (name.kind, session) {
        (Kind::Claude, Some(id)) => words(&["--resume", id]),
        (Kind::Opencode, Some(id)) => words(&["--session", id]),
        (Kind::Acp | Kind::Pi | Kind::Codex, _) | (_, None) => {}
    }
    argv.extend(name.words.iter().cloned());
    match name.kind {
        Kind::Codex => {
            argv.extend(session.into_iter().flat_map(|id| ["resume".to_owned(), id.to_owned()]));
            argv.push("-".to_owned());
        }
        // It would not ask before it edits; and asked and refused, it ends its turn without a word.
        Kind::Acp if program(&argv) == "opencode" => variables.extend(opencode(reads)),
        Kind::Acp | Kind::Pi | Kind::Claude | Kind::Opencode => {}
    }
    let converses = name.kind == Kind::Acp;
    let input = if converses { acp::hello() } else { request.prompt.clone() };
    AgentLaunch { argv, variables, input, converses, install: name.kind.install().to_owned() }
}

/// opencode's permissions: `edit` is every way of changing files that it knows.
fn opencode(reads: bool) -> Option<(String, String)> {
    let permission = r#"{"edit":"deny","bash":"allow"}"#;
    reads.then(|| ("OPENCODE_PERMISSION".to_owned(), permission.to_owned()))
}

/// Whether a session's name may be an argument. It came from an agent.
fn plain(id: &str) -> bool {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !id.is_empty() && id.len() <= 100 && !id.starts_with('-') && id.bytes().all(part)
}

/// The name of a program without its folder.
fn program(argv: &[String]) -> &str {
    let path = argv.first().map(String::as_str).unwrap_or_default();
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(agent: &str, access: Access) -> AgentRequest {
        AgentRequest {
            agent: agent.to_owned(),
            access,
            tier: None,
            model: Some("m1".to_owned()),
            max_turns: Some(7),
            session: Some("s-1".to_owned()),
            session_tokens: 0,
            session_cost_micros: 0,
            root: "/repo".to_owned(),
            prompt: "Do it.".to_owned(),
        }
    }

    fn of(agent: &str, access: Access) -> (String, AgentLaunch) {
        let launch = launch(&Name::parse(agent).unwrap(), &request(agent, access));
        (launch.argv.join(" "), launch)
    }

    #[test]
    fn a_reader_has_no_tool_that_edits() {
        let (line, _) = of("pi:--thinking low", Access::ReadOnly);
        assert!(
            line.ends_with(
                "--tools read,bash,grep,find,ls,endstate_report --model m1 --thinking low"
            ),
            "{line}"
        );
        let (line, _) = of("claude", Access::ReadOnly);
        assert!(line.contains("--disallowedTools Edit,MultiEdit,Write,NotebookEdit"), "{line}");
        assert!(line.ends_with("--max-turns 7 --model m1 --resume s-1"), "{line}");
        assert!(of("codex", Access::ReadOnly).0.contains("-s read-only"));
        let (_, launch) = of("opencode", Access::ReadOnly);
        assert!(launch.variables["OPENCODE_PERMISSION"].contains("\"edit\":\"deny\""));
        let (line, launch) = of("acp:/opt/opencode acp", Access::ReadOnly);
        assert_eq!(line, "/opt/opencode acp");
        assert!(launch.variables["OPENCODE_PERMISSION"].contains("\"edit\":\"deny\""));
    }

    #[test]
    fn a_writer_is_not_asked() {
        assert!(!of("pi", Access::Write).0.contains("--tools"));
        assert!(of("claude", Access::Write).0.contains("--permission-mode bypassPermissions"));
        let (line, _) = of("codex:--profile work", Access::Write);
        assert!(
            line.ends_with("-s danger-full-access --model m1 --profile work resume s-1 -"),
            "{line}"
        );
        assert!(of("opencode", Access::Write).1.variables.is_empty());
    }

    #[test]
    fn a_session_that_is_no_name_is_no_argument() {
        assert!(plain("01a1fd6d-94a9") && plain("ses_e0291fce7ffe"));
        for bad in ["", "--help", "a b", "../x", "\u{e9}", &"x".repeat(101)] {
            assert!(!plain(bad), "{bad}");
        }
    }

    #[test]
    fn the_prompt_is_never_an_argument() {
        for agent in ["pi", "claude", "codex", "opencode", "acp:any agent"] {
            let (line, launch) = of(agent, Access::Write);
            assert!(!line.contains("Do it."), "{line}");
            assert_eq!(launch.converses, agent.starts_with("acp"));
            assert_eq!(launch.input == "Do it.", !launch.converses);
        }
    }
}
