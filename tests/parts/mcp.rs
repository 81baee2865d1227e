//! The server without input or output: what is said to whom, and what is never taken.

use endstate::mcp::{
    AmendAnswer, AmendArguments, AskAnswer, AskArguments, Errand, MOST_LINE, NextAnswer,
    NextArguments, Out, Policy, ReportAnswer, ReportArguments, Scene, Server, StatusArguments,
    Turn, turn,
};
use endstate::view::View;
use endstate::vocab::command::Command;
use endstate::vocab::effect::{Observe, Order};
use endstate::vocab::error::{Code, Error};
use endstate::vocab::event::{
    DocumentsObserved, EffectPerformed, Event, Fact, Outcome, RepositoryObserved, RunEnded,
    RunOutcome, RunStarted, UserCommanded,
};
use endstate::vocab::repository::Repository;
use endstate::vocab::role::{HOSTED_SESSION, Usage};
use endstate::{Config, Engine};
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

fn engine(mission: &Value) -> Engine {
    begun(&json!({"mission": mission}))
}

fn begun(config: &Value) -> Engine {
    let text = config.to_string();
    let config: Config = endstate::vocab::json::decode(&text).unwrap();
    Engine::start(&config, 1_000).unwrap().0
}

/// An agent that is prompted three times.
fn iteration() -> Engine {
    let mut engine = engine(&written_down());
    settle(&mut engine);
    engine
}

fn written_down() -> Value {
    json!({"protocol": "iteration", "settings": {
        "mission": "Write it down.",
        "definition": {"name": "writer", "behavior": {
            "completionType": "iterate", "completionConfig": {"maxIterations": 3}}}}})
}

fn apply(engine: &mut Engine, fact: Fact) {
    engine.apply(&Event { at: 2_000, fact }).unwrap();
}

/// Performs everything but roles and questions, as a host would in an empty repository.
fn settle(engine: &mut Engine) {
    loop {
        let pending = engine.pending();
        let fact = pending.into_iter().find_map(|one| {
            let effect = one.effect.id;
            Some(match one.effect.order.clone() {
                Order::WriteFile(write) => {
                    let text = engine.render(&write.path).unwrap();
                    let digest = endstate::engine::digest(&text);
                    let outcome = Outcome::File { digest, length: text.len() as u64 };
                    Fact::EffectPerformed(EffectPerformed { effect, outcome })
                }
                Order::AppendHistory(append) => {
                    let digest = endstate::engine::digest(&append.text);
                    let length = append.offset + append.text.len() as u64;
                    let outcome = Outcome::File { digest, length };
                    Fact::EffectPerformed(EffectPerformed { effect, outcome })
                }
                Order::Observe(Observe::Repository { .. }) => {
                    let repository: Repository = endstate::vocab::json::decode(
                        &json!({"branch": "main", "head": "a".repeat(40), "dirty": [],
                            "problem": null, "changed_since": null, "changed_since_basis": null,
                            "canonical": []})
                        .to_string(),
                    )
                    .unwrap_or_else(|error| panic!("{error}"));
                    Fact::RepositoryObserved(RepositoryObserved { effect, repository })
                }
                Order::Observe(Observe::Documents { .. }) => {
                    Fact::DocumentsObserved(DocumentsObserved { effect, documents: vec![] })
                }
                Order::Notify(_) | Order::StopRole(_) => {
                    let outcome = Outcome::Nothing;
                    Fact::EffectPerformed(EffectPerformed { effect, outcome })
                }
                _ => return None,
            })
        });
        match fact {
            Some(fact) => apply(engine, fact),
            None => return,
        }
    }
}

fn begin(engine: &mut Engine) {
    let command = Command::Start;
    apply(engine, Fact::UserCommanded(UserCommanded { id: None, command }));
    settle(engine);
}

/// Starts the run that is due, as hosted or as somebody else's.
fn started(engine: &mut Engine, session: Option<&str>) -> String {
    let run = engine.pending().into_iter().find_map(|one| match one.effect.order.clone() {
        Order::SpawnRole(_) => Some(one.effect.id),
        _ => None,
    });
    let run = run.unwrap();
    let session = session.map(str::to_owned);
    apply(engine, Fact::RunStarted(RunStarted { effect: run, session, confined: false }));
    run.to_string()
}

fn scene(engine: &Engine) -> Scene<'_> {
    Scene { engine: Ok(engine), driven: true, now: 5_000 }
}

const NOBODY: Scene<'static> = Scene { engine: Err("no_mission: none"), driven: false, now: 5_000 };

/// A server whose client has introduced itself.
fn server(policy: Policy) -> Server {
    let mut server = Server::new(policy);
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
        {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let answer = one_line(server.take(&hello.to_string(), NOBODY));
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    server
}

fn one_line(out: Vec<Out>) -> Value {
    match out.as_slice() {
        [Out::Line { text }] => {
            assert!(!text.contains('\n'), "{text}");
            serde_json::from_str(text).unwrap()
        }
        other => panic!("{other:?}"),
    }
}

fn one_errand(out: Vec<Out>) -> (u64, Errand) {
    match <[Out; 1]>::try_from(out) {
        Ok([Out::Errand { ticket, errand }]) => (ticket, errand),
        other => panic!("{other:?}"),
    }
}

fn request(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string()
}

fn tool(name: &str, arguments: &Value) -> String {
    request("tools/call", &json!({"name": name, "arguments": arguments}))
}

/// The text of a refused call.
fn refused(out: Vec<Out>) -> String {
    let answer = one_line(out);
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

fn structured(out: Vec<Out>) -> Value {
    let answer = one_line(out);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    answer["result"]["structuredContent"].clone()
}

#[test]
fn lines_that_are_no_message_are_answered_as_json_rpc_says() {
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let long = format!("\"{}\"", "a".repeat(MOST_LINE));
    let mut cases: Vec<(String, Option<i64>)> = vec![(deep, Some(-32700)), (long, Some(-32600))];
    // The same lines are given to the server in WebAssembly.
    let shared: Vec<Value> = serde_json::from_str(include_str!("../mcp_lines.json")).unwrap();
    cases.extend(
        shared
            .iter()
            .map(|case| (case["line"].as_str().unwrap().to_owned(), case["code"].as_i64())),
    );
    let mut server = server(Policy::default());
    for (line, code) in cases {
        let shown: String = line.chars().take(80).collect();
        let out = server.take(&line, NOBODY);
        // Silence where nobody waits.
        let Some(code) = code else {
            assert_eq!(out, vec![], "{shown}");
            continue;
        };
        let answer = one_line(out);
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert_eq!(answer["jsonrpc"], "2.0");
        assert!(answer["id"].is_null() || answer["id"] == 1, "{shown}: {answer}");
    }
    let ping =
        one_line(server.take("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}", NOBODY));
    assert_eq!(ping, json!({"jsonrpc": "2.0", "id": "a", "result": {}}));
}

#[test]
fn versions_are_agreed_on_and_nothing_comes_before() {
    let hello = |version: &str| request("initialize", &json!({"protocolVersion": version}));
    for (wanted, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let answer = one_line(Server::new(Policy::default()).take(&hello(wanted), NOBODY));
        assert_eq!(answer["result"]["protocolVersion"], agreed, "{wanted}");
    }
    let mut early = Server::new(Policy::default());
    let code = |out| one_line(out)["error"]["code"].clone();
    assert_eq!(code(early.take(&request("tools/list", &json!({})), NOBODY)), -32600);
    assert_eq!(code(early.take(&request("initialize", &json!({})), NOBODY)), -32602);
    assert_eq!(one_line(early.take(&request("ping", &json!({})), NOBODY))["result"], json!({}));
    let mut server = server(Policy::default());
    assert_eq!(code(server.take(&request("sampling/createMessage", &json!({})), NOBODY)), -32601);
    assert_eq!(code(server.take(&tool("rm", &json!({})), NOBODY)), -32602);
    assert_eq!(code(server.take(&request("tools/call", &json!({"name": 1})), NOBODY)), -32602);
    assert_eq!(code(server.take(&request("resources/read", &json!({})), NOBODY)), -32602);
}

#[test]
fn every_tool_has_a_schema_of_its_own_types() {
    let answer =
        one_line(server(Policy::default()).take(&request("tools/list", &json!({})), NOBODY));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["next", "report", "ask", "status", "amend"]);
    for tool in tools {
        for side in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[side]["type"], "object", "{tool}");
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
    }
    assert!(tools[4]["description"].as_str().unwrap().contains("only on the user's explicit word"));
}

/// Both programs serve, and only one of them begins a mission for a session or gives it work.
#[test]
fn what_a_user_is_told_to_call_names_the_program_that_has_it() {
    let mut engine = iteration();
    begin(&mut engine);
    let told = |scene: Scene<'_>| {
        let now = json!({"wait_seconds": 0});
        let answer = one_line(server(Policy::default()).take(&tool("next", &now), scene));
        answer["result"]["structuredContent"]["to_do"].as_str().unwrap().to_owned()
    };
    let undriven = Scene { driven: false, ..scene(&engine) };
    for (scene, command) in [
        (NOBODY, "`endstate init` of the Rust program"),
        (undriven, "`endstate run --agent … --hosted …` of the Rust program"),
    ] {
        let to_do = told(scene);
        assert!(to_do.contains(command) && to_do.contains("the npm package"), "{to_do}");
    }
}

#[test]
fn an_agent_is_led_from_run_to_run_to_the_end() {
    let (mut engine, mut server) = (iteration(), server(Policy::default()));
    // A held mission is begun by asking what is next.
    assert_eq!(turn(&engine), Turn::Held);
    let (ticket, errand) = one_errand(server.take(&tool("next", &json!({})), scene(&engine)));
    assert_eq!(errand, Errand::Command { command: Command::Start });
    begin(&mut engine);
    // Started by whoever came first: the call waits all the same.
    let late = Error::new(Code::AlreadyStarted, "command", "a held mission", "start");
    assert_eq!(server.answered(ticket, Err(late), scene(&engine)), vec![]);
    assert!(server.waits());
    for iteration in 1..=3 {
        let run = started(&mut engine, Some(HOSTED_SESSION));
        let out = match iteration {
            1 => server.tick(scene(&engine)),
            _ => server.take(&tool("next", &json!({})), scene(&engine)),
        };
        let next = structured(out);
        assert_eq!((&next["turn"], &next["run"]["run"]), (&json!("run"), &json!(run)));
        assert!(next["run"]["prompt"].as_str().unwrap().contains("Write it down."));
        let arguments = json!({"run": run, "report": "I wrote."});
        let out = server.take(&tool("report", &arguments), scene(&engine));
        let (ticket, errand) = one_errand(out);
        let Errand::Report { run, text } = errand else { panic!("{errand:?}") };
        let report = Some(text);
        let (outcome, problem) = (RunOutcome::Success, None);
        let usage = Usage::default();
        apply(
            &mut engine,
            Fact::RunEnded(RunEnded { effect: run, outcome, report, problem, usage }),
        );
        settle(&mut engine);
        let taken = structured(server.answered(ticket, Ok(String::new()), scene(&engine)));
        assert_eq!(taken["taken"], true);
        // A ticket is answered once.
        assert_eq!(server.answered(ticket, Ok(String::new()), scene(&engine)), vec![]);
        // What was reported once is not reported again.
        let again = refused(server.take(&tool("report", &arguments), scene(&engine)));
        assert!(again.contains("stale_answer"), "{again}");
    }
    let next = structured(server.take(&tool("next", &json!({})), scene(&engine)));
    assert_eq!(next["turn"], "done");
    assert_eq!(next["end"]["closed_by"], "counted");
}

#[test]
fn a_call_that_waits_ends_with_its_time_or_when_it_is_taken_back() {
    let (mut engine, mut server) = (iteration(), server(Policy::default()));
    begin(&mut engine);
    started(&mut engine, Some("somebody-else"));
    assert!(matches!(turn(&engine), Turn::Wait(_)));
    assert_eq!(server.take(&tool("next", &json!({"wait_seconds": 3})), scene(&engine)), vec![]);
    let later = |now| Scene { now, ..scene(&engine) };
    assert_eq!(server.tick(later(7_999)), vec![]);
    let next = structured(server.tick(later(8_000)));
    assert_eq!(next["turn"], "wait");
    assert!(next["to_do"].as_str().unwrap().contains("iteration-agent is at work"), "{next}");
    assert!(!server.waits());
    // Nobody drives: waiting would be in vain, and that is said.
    let alone = Scene { driven: false, ..scene(&engine) };
    let next = structured(server.take(&tool("next", &json!({"wait_seconds": 0})), alone));
    assert!(next["to_do"].as_str().unwrap().starts_with("Nobody drives"), "{next}");
    assert_eq!(server.take(&tool("next", &json!({})), scene(&engine)), vec![]);
    let back =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    server.take(&back.to_string(), scene(&engine));
    assert!(!server.waits());
}

#[test]
fn a_run_of_somebody_else_is_not_reported() {
    let (mut engine, mut server) = (iteration(), server(Policy::default()));
    begin(&mut engine);
    let run = started(&mut engine, Some("a-reviewer"));
    let out = server.take(&tool("report", &json!({"run": run, "report": "x"})), scene(&engine));
    let why = refused(out);
    assert!(why.contains("not_hosted"), "{why}");
}

#[test]
fn bad_arguments_are_told_with_their_place() {
    let (mut engine, mut server) = (iteration(), server(Policy::default()));
    begin(&mut engine);
    let run = started(&mut engine, Some(HOSTED_SESSION));
    let cases = [
        ("next", json!({"wait_seconds": -1}), "arguments"),
        ("next", json!({"hurry": true}), "unknown_field"),
        ("next", json!([]), "not_an_object"),
        ("report", json!({}), "missing_field"),
        ("report", json!({"run": "12", "report": "x"}), "arguments.run"),
        ("report", json!({"run": run, "report": 7}), "arguments.report"),
        ("report", json!({"run": run, "report": " \n"}), "run_silent"),
        ("report", json!({"run": "99.1", "report": "x"}), "stale_answer"),
        ("ask", json!({"answer": "yes"}), "unknown_effect"),
        ("status", json!({"a": 1}), "unknown_field"),
        ("amend", json!({"on_the_users_word": false, "changes": []}), "invalid_change"),
        (
            "amend",
            json!({"on_the_users_word": true, "changes": [{"change": "burn"}]}),
            "unknown_value",
        ),
    ];
    for (name, arguments, wanted) in cases {
        let why = refused(server.take(&tool(name, &arguments), scene(&engine)));
        assert!(why.contains(wanted), "{name} {arguments}: {why}");
    }
}

#[test]
fn nothing_is_let_go_here() {
    let (engine, mut server) = (iteration(), server(Policy::default()));
    let changes = json!([
        {"change": "add_criterion", "item": "S1", "text": "more"},
        {"change": "waive_criterion", "item": "S1", "criterion": "c1", "reason": "too hard"},
    ]);
    let arguments = json!({"on_the_users_word": true, "changes": changes});
    let why = refused(server.take(&tool("amend", &arguments), scene(&engine)));
    assert!(why.contains("forbidden_edit") && why.contains("changes[1]"), "{why}");
    // What is enough is asked before the work, with nobody to propose a command.
    let proof = json!({"accept": "ask", "room": "in_place"});
    let mut engine = begun(&json!({"proof": proof, "mission": written_down()}));
    settle(&mut engine);
    let command = UserCommanded { id: None, command: Command::Start };
    apply(&mut engine, Fact::UserCommanded(command));
    settle(&mut engine);
    let why = refused(server.take(&tool("ask", &json!({"answer": "judge"})), scene(&engine)));
    assert!(why.contains("forbidden_edit") && why.contains("endstate answer"), "{why}");
    let out = server.take(&tool("ask", &json!({"answer": "observe"})), scene(&engine));
    assert!(matches!(out[..], [Out::Errand { .. }]), "{out:?}");
}

#[test]
fn a_run_of_the_mission_may_look_and_nothing_else() {
    let mut engine = iteration();
    begin(&mut engine);
    let run = started(&mut engine, Some(HOSTED_SESSION));
    let mut server = server(Policy { only_look: true, ..Policy::default() });
    for (name, arguments) in [
        ("next", json!({})),
        ("report", json!({"run": run, "report": "x"})),
        ("amend", json!({"on_the_users_word": true, "changes": []})),
    ] {
        let why = refused(server.take(&tool(name, &arguments), scene(&engine)));
        assert!(why.contains("not_hosted"), "{name}: {why}");
    }
    assert_eq!(
        structured(server.take(&tool("status", &json!({})), scene(&engine)))["protocol"],
        "iteration"
    );
}

#[test]
fn the_plan_its_items_and_the_history_are_read() {
    let (engine, mut server) = (iteration(), server(Policy::default()));
    let listed = one_line(server.take(&request("resources/list", &json!({})), scene(&engine)));
    let listed = listed["result"]["resources"].as_array().unwrap().clone();
    assert!(listed.len() >= 2);
    let mut read =
        |uri: &str| server.take(&request("resources/read", &json!({"uri": uri})), scene(&engine));
    for resource in listed.iter().filter(|one| one["name"] != "history") {
        let uri = resource["uri"].as_str().unwrap();
        let answer = one_line(read(uri));
        let text = answer["result"]["contents"][0]["text"].as_str().unwrap();
        assert!(serde_json::from_str::<Value>(text).unwrap().is_object(), "{uri}");
    }
    for uri in [
        "endstate://item/none",
        "endstate://item/%zz",
        "file:///etc/passwd",
        "",
        "endstate://item/../plan",
    ] {
        assert_eq!(one_line(read(uri))["error"]["code"], -32002, "{uri}");
    }
    let (ticket, errand) = one_errand(read("endstate://history"));
    assert_eq!(errand, Errand::History);
    let told = one_line(server.answered(ticket, Ok("[]".to_owned()), scene(&engine)));
    assert_eq!(told["result"]["contents"][0]["text"], "[]");
    let templates = one_line(server.take(&request("resources/templates/list", &json!({})), NOBODY));
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "endstate://item/{id}");
}

/// A schema as tools show it: not every client knows the newest draft by its name, or the formats of our integers; what is
/// used here means the same in all.
fn shown<T: schemars::JsonSchema>(settings: SchemaSettings) -> Value {
    fn without_formats(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, word| name != "format" || !word.is_string());
                fields.values_mut().for_each(without_formats);
            }
            Value::Array(items) => items.iter_mut().for_each(without_formats),
            _ => {}
        }
    }
    let mut value = settings.into_generator().into_root_schema_for::<T>().to_value();
    without_formats(&mut value);
    let fields = value.as_object_mut().unwrap();
    fields.remove("$schema");
    fields.entry("properties").or_insert_with(|| json!({}));
    value
}

/// After a change of the types: `ENDSTATE_WRITE_TOOLS=1 cargo test --test parts schemas`.
#[test]
fn the_tools_have_the_schemas_of_their_types() {
    fn taken<T: schemars::JsonSchema>() -> Value {
        shown::<T>(SchemaSettings::draft2020_12().for_deserialize())
    }
    fn answered<T: schemars::JsonSchema>() -> Value {
        shown::<T>(SchemaSettings::draft2020_12().for_serialize())
    }
    let known = include_str!("../../src/mcp/tools.json");
    let mut tools: Vec<Value> = serde_json::from_str(known).unwrap();
    let types = [
        ("next", taken::<NextArguments>(), answered::<NextAnswer>()),
        ("report", taken::<ReportArguments>(), answered::<ReportAnswer>()),
        ("ask", taken::<AskArguments>(), answered::<AskAnswer>()),
        ("status", taken::<StatusArguments>(), answered::<View>()),
        ("amend", taken::<AmendArguments>(), answered::<AmendAnswer>()),
    ];
    assert_eq!(tools.len(), types.len());
    for (tool, (name, input, output)) in tools.iter_mut().zip(types) {
        assert_eq!(tool["name"], name);
        (tool["inputSchema"], tool["outputSchema"]) = (input, output);
    }
    let lines: Vec<String> = tools.iter().map(Value::to_string).collect();
    let made = format!("[\n{}\n]\n", lines.join(",\n"));
    if std::env::var_os("ENDSTATE_WRITE_TOOLS").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/mcp/tools.json"), &made).unwrap();
        return;
    }
    assert!(made == known, "the types have changed: see above how src/mcp/tools.json is written");
}
