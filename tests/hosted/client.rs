//! The agent at the other end of `endstate mcp`, played by the test.

use crate::common::{endstate, git, program, repository};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    calls: u64,
}

fn hello() -> Value {
    json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}})
}

impl Client {
    pub(crate) fn start(directory: &Path, arguments: &[&str]) -> Client {
        Client::start_with(directory, arguments, &[])
    }

    pub(crate) fn start_with(
        directory: &Path,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Client {
        let mut client = Client::spawn(directory, arguments, variables);
        client.request("initialize", &hello());
        client
    }

    /// A server that may die at once, before it says a word: then nobody.
    pub(crate) fn start_mortal(
        directory: &Path,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Option<Client> {
        let mut client = Client::spawn(directory, arguments, variables);
        match client.ask("initialize", &hello()) {
            Some(_) => Some(client),
            None => {
                assert!(!client.child.wait().unwrap().success(), "it went without a word");
                None
            }
        }
    }

    fn spawn(directory: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Client {
        let mut command = program(directory, &[&["mcp"], arguments].concat());
        command.stdin(Stdio::piped()).stderr(Stdio::inherit());
        command.env_remove("ENDSTATE_AGENT").env_remove("ENDSTATE_HOSTED");
        command.envs(variables.iter().copied());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Client { child, input, output, calls: 0 }
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.ask(method, params).unwrap_or_else(|| panic!("no answer to {method}"))
    }

    /// The answer, unless the server is gone.
    fn ask(&mut self, method: &str, params: &Value) -> Option<Value> {
        self.calls += 1;
        let id = self.calls;
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").and_then(|()| input.flush()).ok()?;
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        if answer.is_empty() {
            return None;
        }
        let answer: Value =
            serde_json::from_str(&answer).unwrap_or_else(|e| panic!("{e}: {answer}"));
        assert_eq!(answer["id"], id, "{answer}");
        Some(answer)
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let params = json!({"name": name, "arguments": arguments});
        self.request("tools/call", &params)["result"].clone()
    }

    pub(crate) fn tool(&mut self, name: &str, arguments: &Value) -> Value {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], false, "{name} {arguments}: {result}");
        result["structuredContent"].clone()
    }

    /// Why a call was not done.
    pub(crate) fn refused(&mut self, name: &str, arguments: &Value) -> String {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], true, "{name} {arguments}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// What to do once nobody else is at work.
    pub(crate) fn next(&mut self) -> Value {
        for _ in 0..20 {
            let next = self.tool("next", &json!({"wait_seconds": 20}));
            if next["turn"] != "wait" {
                return next;
            }
        }
        panic!("others are at work for ever");
    }

    /// The run that is given out next.
    pub(crate) fn given(&mut self) -> String {
        let next = self.next();
        assert_eq!(next["turn"], "run", "{next}");
        next["run"]["run"].as_str().unwrap().to_owned()
    }

    pub(crate) fn report(&mut self, run: &str, report: &Value) {
        let taken = self.tool("report", &json!({"run": run, "report": report}));
        assert_eq!(taken["taken"], true);
    }

    /// Does every run it is given, each reported in the words of its own id, to the end of the mission
    /// (`true`) or of the server.
    pub(crate) fn play_until_death(&mut self) -> bool {
        for _ in 0..200 {
            let Some(next) = self.try_tool("next", &json!({"wait_seconds": 5})) else {
                return false;
            };
            match next["turn"].as_str().unwrap_or_default() {
                "done" => return true,
                "run" => {
                    let report = json!({"run": next["run"]["run"], "report": "Written."});
                    if self.try_tool("report", &report).is_none() {
                        return false;
                    }
                }
                _ => {}
            }
        }
        panic!("it never ends");
    }

    /// The answer of a tool, be it a refusal; `None` if the server is dead.
    fn try_tool(&mut self, name: &str, arguments: &Value) -> Option<Value> {
        let params = json!({"name": name, "arguments": arguments});
        let line = json!({"jsonrpc": "2.0", "id": "t", "method": "tools/call", "params": params});
        let input = self.input.as_mut()?;
        writeln!(input, "{line}").and_then(|()| input.flush()).ok()?;
        let mut answer = String::new();
        self.output.read_line(&mut answer).ok()?;
        let answer: Value = serde_json::from_str(&answer).ok()?;
        Some(answer["result"]["structuredContent"].clone())
    }

    /// As a host does it that is killed itself.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// As a host does it when a session ends.
    pub(crate) fn close(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A mission that prompts one agent `runs` times, begun and not started.
pub(crate) fn prompted(runs: u32) -> tempfile::TempDir {
    let dir = repository();
    let agent = json!({"name": "writer", "behavior": {
        "completionType": "iterate", "completionConfig": {"maxIterations": runs}}});
    fs::write(dir.path().join("agent.json"), agent.to_string()).unwrap();
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-q", "-m", "agent"]);
    let line = ["run", "--protocol", "iteration", "agent.json", "--begin"];
    endstate(dir.path(), &line).expect(0);
    dir
}

/// What the journal has of facts of this name.
pub(crate) fn facts(root: &Path, name: &str) -> usize {
    let journal = fs::read_to_string(root.join(".agent/endstate/journal.jsonl")).unwrap();
    journal.matches(&format!("\"type\":\"{name}\"")).count()
}
