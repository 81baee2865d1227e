//! The mission as a server of the Model Context Protocol, without input or output.
//!
//! An agent that hosts the claiming roles gets its work here. A line of JSON-RPC goes in
//! ([`Server::take`]); what comes out is lines to send and errands for the host ([`Out`]): deliver a
//! report, give a command, read the history. The host answers an errand with [`Server::answered`] and
//! calls [`Server::tick`] when the mission moved or time went by, because `next` may wait for others. So
//! the same server runs natively and in WebAssembly.
//!
//! 1. `initialize`: a version of the protocol is agreed on.
//! 2. `next`: what is to be done; begins a mission that was held.
//! 3. `report`: checked for form here, where a fault costs nothing, then delivered; whether it *holds* is
//!    found out by others.
//! 4. `next` again, until the engine says done.
//!
//! **Invariant:** nothing the agent says here ends the mission, gives a verdict or lowers the bar. It can
//! claim, pass on what the user answered, and add to the plan.

mod exchange;
mod hook;
mod resources;
mod rpc;
mod tools;
mod turn;

pub use exchange::{Errand, In, Out, Policy, Scene};
pub use hook::{Count, Stopping, Verdict, may_stop, others};
pub use rpc::MOST_LINE;
pub use tools::{
    AmendAnswer, AmendArguments, AskAnswer, AskArguments, MOST_WAIT, NextAnswer, NextArguments,
    ReportAnswer, ReportArguments, ReportBody, StatusArguments,
};
pub use turn::{Asked, Given, Turn, turn};

use crate::engine::{self, Engine};
use crate::mission::proof;
use crate::vocab::command::Command;
use crate::vocab::error::{Code, Error};
use crate::vocab::event::EffectId;
use crate::vocab::text::printable;
use crate::vocab::time::Millis;
use resources::Named;
use rpc::Message;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The versions of the protocol that are spoken, the newest first.
pub const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The most calls of `next` that wait at once.
const MOST_WAITING: usize = 64;

/// A call that is not answered yet.
#[derive(Clone, Debug)]
struct Open {
    id: Value,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// `next`, once the mission was started.
    Start {
        until: Millis,
    },
    Report {
        notes: Vec<String>,
    },
    Ask {
        question: EffectId,
    },
    Amend,
    History {
        uri: String,
    },
}

/// One session of a client.
#[derive(Clone, Debug, Default)]
pub struct Server {
    policy: Policy,
    agreed: bool,
    tickets: u64,
    open: BTreeMap<u64, Open>,
    /// Calls of `next` that wait, with the time until which they do.
    waiting: Vec<(Value, Millis)>,
}

impl Server {
    /// A session that has not begun.
    pub fn new(policy: Policy) -> Server {
        Server { policy, ..Server::default() }
    }

    /// Whether somebody waits to be told that the mission moved.
    pub fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Takes whatever a host has to tell.
    pub fn hear(&mut self, what: In, scene: Scene<'_>) -> Vec<Out> {
        match what {
            In::Line { text } => self.take(&text, scene),
            In::Tick {} => self.tick(scene),
            In::Done { ticket, answer } => self.answered(ticket, Ok(answer), scene),
            In::Refused { ticket, error } => self.answered(ticket, Err(error), scene),
        }
    }

    /// Takes a line of the client, whatever is in it.
    pub fn take(&mut self, line: &str, scene: Scene<'_>) -> Vec<Out> {
        if line.trim().is_empty() {
            return Vec::new();
        }
        match rpc::read(line) {
            Err(answer) => says(answer),
            Ok(Message::Response) => Vec::new(),
            Ok(Message::Notification { method, params }) => {
                self.heed(&method, &params);
                Vec::new()
            }
            Ok(Message::Request { id, method, params }) => {
                self.request(id, &method, &params, scene)
            }
        }
    }

    /// Looks whether the calls that wait can be answered.
    pub fn tick(&mut self, scene: Scene<'_>) -> Vec<Out> {
        let mut out = Vec::new();
        for (id, until) in std::mem::take(&mut self.waiting) {
            out.extend(self.next(id, until, scene));
        }
        out
    }

    /// Takes what became of an errand: what the host has to say, or why it was refused.
    pub fn answered(
        &mut self,
        ticket: u64,
        answer: Result<String, Error>,
        scene: Scene<'_>,
    ) -> Vec<Out> {
        let Some(Open { id, kind }) = self.open.remove(&ticket) else { return Vec::new() };
        match (kind, answer) {
            (Kind::Start { until }, Ok(_)) => self.next(id, until, scene),
            // Somebody else was faster.
            (Kind::Start { until }, Err(error)) if error.code == Code::AlreadyStarted => {
                self.next(id, until, scene)
            }
            (Kind::Report { notes }, Ok(_)) => {
                let text = "The report was taken. Others check it now; call `next`.";
                says(tool(&id, text, &ReportAnswer { taken: true, notes }))
            }
            (Kind::Ask { question }, Ok(_)) => {
                let mut questions = scene.engine.map(turn::questions).unwrap_or_default();
                questions.retain(|one| one.id != question);
                let answer = AskAnswer { taken: true, questions };
                says(tool(&id, &answer.text(), &answer))
            }
            (Kind::Amend, Ok(_)) => {
                says(tool(&id, "The plan was changed.", &AmendAnswer { taken: true }))
            }
            (Kind::History { uri }, Ok(text)) => {
                says(rpc::result(&id, &resources::contents(&uri, &text)))
            }
            (Kind::History { .. }, Err(error)) => {
                says(rpc::error(&id, rpc::RESOURCE_NOT_FOUND, &error.to_string()))
            }
            (_, Err(error)) => says(refusal(&id, &error)),
        }
    }

    /// A call that was taken back is not answered.
    fn heed(&mut self, method: &str, params: &Map<String, Value>) {
        if let ("notifications/cancelled", Some(id)) = (method, params.get("requestId")) {
            self.waiting.retain(|(waiting, _)| waiting != id);
        }
    }

    fn request(
        &mut self,
        id: Value,
        method: &str,
        params: &Map<String, Value>,
        scene: Scene<'_>,
    ) -> Vec<Out> {
        let engine = scene.engine.ok();
        let answer = match method {
            "ping" => json!({}),
            "initialize" => return says(self.initialize(&id, params)),
            _ if !self.agreed => {
                return says(rpc::error(&id, rpc::INVALID_REQUEST, "expected initialize first"));
            }
            "tools/list" => json!({"tools": tools::list()}),
            "tools/call" => return self.call(id, params, scene),
            "resources/list" => json!({"resources": resources::list(engine)}),
            "resources/templates/list" => json!({"resourceTemplates": resources::templates()}),
            "resources/read" => return self.read(id, params, engine),
            other => {
                let why = format!("no method `{}`", printable(other));
                return says(rpc::error(&id, rpc::METHOD_NOT_FOUND, &why));
            }
        };
        says(rpc::result(&id, &answer))
    }

    /// Agrees on the client's version if it is spoken here, else offers the newest.
    fn initialize(&mut self, id: &Value, params: &Map<String, Value>) -> String {
        let Some(wanted) = params.get("protocolVersion").and_then(Value::as_str) else {
            return rpc::error(id, rpc::INVALID_PARAMS, "expected params.protocolVersion, a text");
        };
        let version = VERSIONS.iter().find(|one| **one == wanted).unwrap_or(&VERSIONS[0]);
        self.agreed = true;
        let answer = json!({
            "protocolVersion": version,
            "capabilities": {"tools": {"listChanged": false}, "resources": {}},
            "serverInfo": {"name": "endstate", "title": "endstate", "version": env!("CARGO_PKG_VERSION")},
            "instructions": INSTRUCTIONS,
        });
        rpc::result(id, &answer)
    }

    fn call(&mut self, id: Value, params: &Map<String, Value>, scene: Scene<'_>) -> Vec<Out> {
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        let called = match name {
            "next" => self.call_next(&id, params, scene),
            "report" => self.call_report(&id, params, scene),
            "ask" => self.call_ask(&id, params, scene),
            "status" => call_status(&id, params, scene),
            "amend" => self.call_amend(&id, params, scene),
            other => {
                let why = format!("no tool `{}`", printable(other));
                return says(rpc::error(&id, rpc::INVALID_PARAMS, &why));
            }
        };
        called.unwrap_or_else(|error| says(refusal(&id, &error)))
    }

    fn call_next(
        &mut self,
        id: &Value,
        params: &Map<String, Value>,
        scene: Scene<'_>,
    ) -> Result<Vec<Out>, Error> {
        let arguments: NextArguments = tools::arguments(params)?;
        self.may_act()?;
        let wait = arguments.wait_seconds.unwrap_or(self.policy.wait_seconds).min(MOST_WAIT);
        let until = scene.now.saturating_add(u64::from(wait) * 1_000);
        if let Ok(engine) = scene.engine
            && turn(engine) == Turn::Held
        {
            let errand = Errand::Command { command: Command::Start };
            return Ok(self.errand(id, Kind::Start { until }, errand));
        }
        Ok(self.next(id.clone(), until, scene))
    }

    /// Answers a call of `next`, or lets it wait.
    fn next(&mut self, id: Value, until: Millis, scene: Scene<'_>) -> Vec<Out> {
        let answer = match scene.engine {
            Err(why) => tools::no_mission(why),
            Ok(engine) => {
                let turn = turn(engine);
                let patient = scene.now < until && self.waiting.len() < MOST_WAITING;
                if matches!(turn, Turn::Wait(_)) && patient {
                    self.waiting.push((id, until));
                    return Vec::new();
                }
                tools::next(engine, turn, scene.driven)
            }
        };
        says(tool(&id, &answer.text(), &answer))
    }

    fn call_report(
        &mut self,
        id: &Value,
        params: &Map<String, Value>,
        scene: Scene<'_>,
    ) -> Result<Vec<Out>, Error> {
        let ReportArguments { run, report } = tools::arguments(params)?;
        self.may_act()?;
        let engine = mission(scene)?;
        let given = turn::given(engine);
        if given.as_ref().is_none_or(|given| given.run != run) {
            let expected = match given {
                Some(given) => format!("run {}, which `next` gave you", given.run),
                None => "a run that `next` gave you; none waits for a report".to_owned(),
            };
            let known = engine.snapshot().head.find(run).is_some();
            let code = if known { Code::NotHosted } else { Code::StaleAnswer };
            return Err(Error::new(code, "arguments.run", expected, run.to_string()));
        }
        let text = tools::report_text(engine, report);
        if text.trim().is_empty() {
            return Err(Error::new(Code::RunSilent, "arguments.report", "a report", "nothing"));
        }
        let notes = engine::check_report(engine.snapshot(), run, &text)?;
        Ok(self.errand(id, Kind::Report { notes }, Errand::Report { run, text }))
    }

    fn call_ask(
        &mut self,
        id: &Value,
        params: &Map<String, Value>,
        scene: Scene<'_>,
    ) -> Result<Vec<Out>, Error> {
        let AskArguments { question, answer } = tools::arguments(params)?;
        let questions = turn::questions(mission(scene)?);
        let Some(words) = answer else {
            let answer = AskAnswer { taken: false, questions };
            return Ok(says(tool(id, &answer.text(), &answer)));
        };
        self.may_act()?;
        if !self.policy.answers {
            let expected = "the user's own answer, with `endstate answer`";
            return Err(Error::new(
                Code::WrongAnswer,
                "arguments.answer",
                expected,
                "an answer here",
            ));
        }
        let asked = match (question, questions.as_slice()) {
            (None, [one]) => Some(one),
            (None, _) => None,
            (Some(id), all) => all.iter().find(|one| one.id == id),
        };
        let Some(asked) = asked else {
            let ids: Vec<String> = questions.iter().map(|one| one.id.to_string()).collect();
            let expected = format!("the id of an open question: {}", ids.join(", "));
            let got = question.map_or("no id".to_owned(), |id| id.to_string());
            return Err(Error::new(Code::UnknownEffect, "arguments.question", expected, got));
        };
        let answer = asked.question.kind.read(&words)?;
        if proof::accepts_judges(&answer) {
            let expected =
                "the user's own answer, with `endstate answer`, while nobody drives the mission";
            return Err(Error::new(Code::ForbiddenEdit, "arguments.answer", expected, words));
        }
        let question = asked.id;
        Ok(self.errand(id, Kind::Ask { question }, Errand::Answer { question, answer }))
    }

    fn call_amend(
        &mut self,
        id: &Value,
        params: &Map<String, Value>,
        scene: Scene<'_>,
    ) -> Result<Vec<Out>, Error> {
        let arguments: AmendArguments = tools::arguments(params)?;
        self.may_act()?;
        tools::check_amend(&arguments)?;
        mission(scene)?;
        let command = Command::Amend { changes: arguments.changes };
        Ok(self.errand(id, Kind::Amend, Errand::Command { command }))
    }

    fn read(
        &mut self,
        id: Value,
        params: &Map<String, Value>,
        engine: Option<&Engine>,
    ) -> Vec<Out> {
        let Some(uri) = params.get("uri").and_then(Value::as_str) else {
            return says(rpc::error(&id, rpc::INVALID_PARAMS, "expected params.uri, a text"));
        };
        match resources::named(engine, uri) {
            Named::Text(text) => says(rpc::result(&id, &resources::contents(uri, &text))),
            Named::History => {
                self.errand(&id, Kind::History { uri: uri.to_owned() }, Errand::History)
            }
            Named::Nothing => {
                let why = "no such resource, or no mission";
                says(rpc::error(&id, rpc::RESOURCE_NOT_FOUND, why))
            }
        }
    }

    fn errand(&mut self, id: &Value, kind: Kind, errand: Errand) -> Vec<Out> {
        self.tickets += 1;
        self.open.insert(self.tickets, Open { id: id.clone(), kind });
        vec![Out::Errand { ticket: self.tickets, errand }]
    }

    /// A run of the mission must not play another one, or speak for the user.
    fn may_act(&self) -> Result<(), Error> {
        if !self.policy.only_look {
            return Ok(());
        }
        let expected = "the report as this run's own output";
        Err(Error::new(Code::NotHosted, "", expected, "a call from inside of a run"))
    }
}

const INSTRUCTIONS: &str = "endstate drives the mission of this repository to a verified end. When the user \
    asks you to work on the mission, call `next`, do exactly what it says, call `report`, and call `next` \
    again until it says done, blocked, paused or ask. Others verify what you claim; saying that it is done \
    ends nothing.";

fn mission(scene: Scene<'_>) -> Result<&Engine, Error> {
    let expected = "a mission that can be read";
    scene.engine.map_err(|why| Error::new(Code::NotStarted, "mission", expected, why))
}

fn call_status(
    id: &Value,
    params: &Map<String, Value>,
    scene: Scene<'_>,
) -> Result<Vec<Out>, Error> {
    let StatusArguments {} = tools::arguments(params)?;
    let view = mission(scene)?.view();
    Ok(says(tool(id, &tools::status_text(&view), &view)))
}

fn says(text: String) -> Vec<Out> {
    vec![Out::Line { text }]
}

/// The result of a tool.
fn tool(id: &Value, text: &str, structured: &impl Serialize) -> String {
    let content = json!([{"type": "text", "text": text}]);
    let structured = crate::vocab::json::value(structured);
    rpc::result(id, &json!({"content": content, "structuredContent": structured, "isError": false}))
}

/// A call that was understood and not done: the agent can read why, and mend it.
fn refusal(id: &Value, error: &Error) -> String {
    let content = json!([{"type": "text", "text": printable(&error.to_string())}]);
    rpc::result(id, &json!({"content": content, "isError": true}))
}
