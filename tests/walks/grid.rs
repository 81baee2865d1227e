//! The exhaustive walk of the grid protocol over small clusters. The full product of all that can happen is
//! out of reach, so there are several walks, and the frontier of each empties:
//!
//! - **wave**: two blocks side by side and one behind them; success, checkpoint and failure of each.
//! - **gaps**: what a recognizer can find, on a wave and on patrol, and every answer to it.
//! - **troubles**: runs that fail, vanish, say nothing or nonsense, or never begin; of every role that is sent.
//! - **disk**: files that cannot be written, looks that fail, a host that crashed.
//! - **commands**: every command at every moment, one that changes the plan on a path.
//! - **again**: blocks that are opened again while others lie on them.
//! - **budgets**: one walk per counter, so small that it is spent on the way.

use crate::grid_tales::*;
use crate::wandering::*;

fn config(mission: grid::Config, little: &[(Counter, u64)]) -> Config {
    let ample = Counter::ALL.into_iter().map(|counter| (counter, 1_000_000));
    let budget = ample.chain(little.iter().copied()).collect();
    Config { budget, proof: Default::default(), mission: ProtocolConfig::Grid(Box::new(mission)) }
}

fn everything(order: &Order) -> bool {
    !matches!(order, Order::SpawnRole(_) | Order::AskUser(_) | Order::SetTimer(_))
}

fn ended(effect: EffectId, outcome: RunOutcome, block: Option<Value>) -> Fact {
    crate::wandering::ended(effect, outcome, block.map(report))
}

/// What must be judged now, as the state has it.
fn rows(node: &Node, bad: bool) -> Value {
    let snapshot = serde_json::to_value(node.engine.snapshot()).unwrap();
    let blocks = snapshot["mission"]["state"]["blocks"].as_array().unwrap();
    let of = |status: &str| blocks.iter().filter(|one| one["status"] == status).collect::<Vec<_>>();
    let chosen = if of("executed").is_empty() { of("verified") } else { of("executed") };
    let mut rows = Vec::new();
    for block in chosen {
        for one in block["criteria"].as_array().unwrap() {
            if one["state"]["state"] != "waived" {
                let found = if bad && rows.is_empty() { "does_not_hold" } else { "holds" };
                rows.push(row(block["id"].as_str().unwrap(), one["id"].as_str().unwrap(), found));
            }
        }
    }
    json!(rows)
}

/// Everything that answers what is outstanding.
fn onward(
    node: &Node,
    executes: fn(&Node, EffectId, &str) -> Vec<Move>,
    judges: fn(&Node, EffectId) -> Vec<Move>,
) -> Vec<Move> {
    let mut moves = Vec::new();
    for one in node.engine.pending() {
        let effect = one.effect.id;
        match &one.effect.order {
            Order::SpawnRole(_) if !one.live() => {
                let begun = Fact::RunStarted(RunStarted { effect, session: None, confined: false });
                moves.push(Move::of("starts", begun));
            }
            Order::SpawnRole(spawn) => {
                let item = spawn.item.clone().unwrap_or_default();
                match plain(&spawn.role) {
                    "executor" => moves.extend(executes(node, effect, &item)),
                    "recognizer" => moves.extend(judges(node, effect)),
                    "planner" => {
                        let number = node.engine.view().nodes.len();
                        let plans = json!({"plans": [closing(&format!("fix-{number}"), &[])]});
                        moves.push(Move::of(
                            "gaps are planned",
                            ended(effect, RunOutcome::Success, Some(plans)),
                        ));
                    }
                    "debugger" => {
                        let found = json!({"status": "resolved", "findings": "the port is taken"});
                        moves.push(Move::of(
                            "it is found",
                            ended(effect, RunOutcome::Success, Some(found)),
                        ));
                    }
                    other => panic!("{other} is never sent here"),
                }
            }
            Order::AskUser(question) => {
                for answer in answers(&question.kind, "so") {
                    let label = format!("answer {} {answer:?}", question.topic);
                    // More tries make another state of everything: once on a path is enough.
                    let more = ["more", "again", "grant", "done: false", "take_back"];
                    let rare = more.iter().any(|word| label.contains(word));
                    let next = Move::of(
                        label,
                        Fact::QuestionAnswered(QuestionAnswered { effect, answer }),
                    );
                    moves.push(if rare { next.rare() } else { next });
                }
            }
            _ => {}
        }
    }
    moves
}

fn built(node: &Node, effect: EffectId, id: &str) -> Move {
    let mut world = node.world.clone();
    let commit = world.commit(&[&format!("src/{id}.rs")]);
    let mut block = success(id, &commit);
    block["lessons_learned"] = json!({});
    Move::of(format!("{id} is built"), ended(effect, RunOutcome::Success, Some(block)))
        .in_world(world)
}

fn builds(node: &Node, effect: EffectId, id: &str) -> Vec<Move> {
    vec![built(node, effect, id)]
}

/// Nothing is done: the work is there, with or without proof of the gap it closes.
fn found(label: &str, effect: EffectId, id: &str, proven: bool) -> Move {
    let evidence = json!([{"kind": "command", "command": "make check", "exit_status": 0}]);
    let claim = |criterion: &str| json!({"criterion": criterion, "evidence": evidence});
    let claims = if proven { json!([claim("01/AC-001"), claim("01/AC-002")]) } else { json!([]) };
    let block = json!({
        "block": id, "status": "SUCCESS", "claims": claims,
        "summary": {"commits": [], "already_there": true, "words": "it was there"},
    });
    Move::of(format!("{id}: {label}"), ended(effect, RunOutcome::Success, Some(block))).rare()
}

fn builds_or_finds(node: &Node, effect: EffectId, id: &str) -> Vec<Move> {
    let mut moves = builds(node, effect, id);
    if id.starts_with("fix") {
        moves.push(found("closed by nothing", effect, id, false));
        moves.push(found("there all the same", effect, id, true));
    }
    moves
}

/// With an architectural change.
fn changed(mut block: Value) -> Value {
    block["deviations"] = json!([{"rule": 4, "description": "a new table"}]);
    block
}

fn every_outcome(node: &Node, effect: EffectId, id: &str) -> Vec<Move> {
    let says = |label: &str, block: Value| {
        Move::of(format!("{id}: {label}"), ended(effect, RunOutcome::Success, Some(block)))
    };
    let mut four = success(id, "abc1234");
    four["deviations"] = json!([{"rule": 4, "description": "a new table"}]);
    four["lessons_learned"] = json!({});
    let mut world = node.world.clone();
    world.commit(&[&format!("src/{id}.rs")]);
    let mut dirty = world.clone();
    dirty.dirty.insert(format!("src/{id}.rs"), "d".to_owned());
    vec![
        built(node, effect, id),
        says("failure", failure(id, "by hand", &["by hand"])).rare(),
        says("decision", checkpoint(id, "decision")).rare(),
        says("action", checkpoint(id, "human-action")).rare(),
        says("rule 4", four).in_world(world).rare(),
        says("rule 4 in a failure", changed(failure(id, "by hand", &["by hand"]))).rare(),
        says("rule 4 in a confirmation", changed(checkpoint(id, "human-verify"))).rare(),
        found("there already", effect, id, false),
        says("dirt", success(id, "abc1234")).in_world(dirty).rare(),
        Move::of(format!("{id} is lost"), ended(effect, RunOutcome::Lost, None)).rare(),
    ]
}

/// An architectural change comes, is taken back, or stands.
fn changes(node: &Node, effect: EffectId, id: &str) -> Vec<Move> {
    let mut world = node.world.clone();
    let commit = world.commit(&[&format!("src/{id}.rs")]);
    let mut block = changed(success(id, &commit));
    block["lessons_learned"] = json!({});
    let made = ended(effect, RunOutcome::Success, Some(block));
    vec![
        built(node, effect, id),
        Move::of(format!("{id}: with a change"), made).in_world(world).rare(),
        found("there already", effect, id, false),
    ]
}

fn refused(node: &Node) -> Vec<Move> {
    onward(node, changes, clears)
}

fn clears(node: &Node, effect: EffectId) -> Vec<Move> {
    let clear = json!({"verdict": "CLEAR", "verdicts": rows(node, false)});
    vec![Move::of("clear", ended(effect, RunOutcome::Success, Some(clear)))]
}

fn every_verdict(node: &Node, effect: EffectId) -> Vec<Move> {
    let says = |label: &str, block: Value| {
        Move::of(label, ended(effect, RunOutcome::Success, Some(block)))
    };
    let mut touched = node.world.clone();
    touched.commit(&["src/mended.rs"]);
    let mut moves = clears(node, effect);
    moves.extend([
        says("gaps", json!({"verdict": "GAPS_FOUND", "verdicts": rows(node, true)})).rare(),
        says("clear over a gap", json!({"verdict": "CLEAR", "verdicts": []})).rare(),
        says(
            "anomaly",
            json!({"verdict": "CRITICAL_ANOMALY", "verdicts": rows(node, false), "anomaly": "odd"}),
        )
        .rare(),
        says("touched", json!({"verdict": "CLEAR", "verdicts": rows(node, false)}))
            .in_world(touched)
            .rare(),
        says(
            "another block",
            json!({"verdict": "CLEAR", "verdicts": [row("99", "AC-001", "holds")]}),
        )
        .rare(),
        Move::of("the recognizer is lost", ended(effect, RunOutcome::Lost, None)).rare(),
    ]);
    moves
}

fn wave(node: &Node) -> Vec<Move> {
    onward(node, every_outcome, clears)
}

fn gaps(node: &Node) -> Vec<Move> {
    onward(node, builds_or_finds, every_verdict)
}

/// Whatever a run can come to instead of a report, and a host that cannot even begin it.
fn troubles(node: &Node) -> Vec<Move> {
    let mut moves = onward(node, builds, |node, effect| {
        let mut moves = clears(node, effect);
        let gaps = json!({"verdict": "GAPS_FOUND", "verdicts": rows(node, true)});
        moves.push(Move::of("gaps", ended(effect, RunOutcome::Success, Some(gaps))).rare());
        moves
    });
    for one in node.engine.pending() {
        let effect = one.effect.id;
        let Order::SpawnRole(spawn) = &one.effect.order else { continue };
        if !one.live() {
            moves.push(Move::of("cannot begin", unable(effect, Code::RunFailed)).rare());
            continue;
        }
        let item = spawn.item.clone().unwrap_or_default();
        let with = |label: &str, outcome, text: Option<&str>| {
            let (problem, usage) = (None, Usage::default());
            let report = text.map(str::to_owned);
            let fact = Fact::RunEnded(RunEnded { effect, outcome, report, problem, usage });
            Move::of(format!("{} {item}: {label}", spawn.role), fact).rare()
        };
        let drift =
            "MISSION ANCHOR: another mission\nRemaining contract IDs: none\n\n```json\n{}\n```\n";
        moves.extend([
            with("silent", RunOutcome::Success, None),
            with("prose", RunOutcome::Success, Some("All is CLEAR. SUCCESS.")),
            with("drift", RunOutcome::Success, Some(drift)),
            with("failed", RunOutcome::Failed, None),
            with("failed in prose", RunOutcome::Failed, Some("it did not work")),
            with("lost", RunOutcome::Lost, None),
            with("half-way", RunOutcome::Partial, None),
            with("checkpoint without one", RunOutcome::Checkpoint, None),
        ]);
        if plain(&spawn.role) == "executor" {
            let known = failure(&item, "by hand", &["by hand"]);
            moves.push(Move::of("failure", ended(effect, RunOutcome::Success, Some(known))).rare());
        }
    }
    moves
}

fn unable(effect: EffectId, code: Code) -> Fact {
    let problem = endstate::vocab::error::Error::new(code, "host", "success", "none").diagnostic();
    Fact::EffectFailed(EffectFailed { effect, problem })
}

/// Files and looks are no more a matter of course than runs.
fn disk(node: &Node) -> Vec<Move> {
    let mut moves = onward(node, builds, clears);
    for one in node.engine.pending() {
        let effect = one.effect.id;
        let code = match &one.effect.order {
            Order::WriteFile(_) => Code::WriteFailed,
            Order::Observe(_) => Code::HostFailed,
            _ => continue,
        };
        let mut world = node.world.clone();
        if let Some(fact) = world.perform(&node.engine, &one) {
            moves.push(Move::of("performed", fact).in_world(world));
        }
        moves.push(Move::of("cannot", unable(effect, code)).rare());
        if matches!(one.effect.order, Order::WriteFile(_)) {
            moves.push(Move::of("foreign", unable(effect, Code::ForeignWrite)).rare());
        }
    }
    let (from, note) = (Recovery::Restart, String::new());
    let recovered = Fact::HostRecovered(HostRecovered { from, note });
    moves.push(Move::of("recovered", recovered).rare());
    moves.push(command("resume", Command::Resume).rare());
    moves
}

fn runs_and_disk(order: &Order) -> bool {
    everything(order) && !matches!(order, Order::WriteFile(_) | Order::Observe(_))
}

fn command(label: &str, command: Command) -> Move {
    Move::of(label, Fact::UserCommanded(UserCommanded { id: None, command }))
}

fn commands(node: &Node) -> Vec<Move> {
    let mut moves = onward(node, builds, clears);
    let (item, reason) = (|| "01".to_owned(), || "so".to_owned());
    let waive = PlanChange::WaiveCriterion {
        item: item(),
        criterion: "AC-002".to_owned(),
        reason: reason(),
    };
    let add =
        PlanChange::AddCriterion { item: item(), text: "one more".to_owned(), shown_by: None };
    moves.extend([
        command("start", Command::Start),
        command("pause", Command::Pause),
        command("resume", Command::Resume),
        command("kill", Command::Kill).rare(),
        command("skip", Command::Skip { item: item(), reason: reason() }).rare(),
        command("defer", Command::Defer { item: item(), reason: reason() }).rare(),
        command("reopen", Command::Reopen { item: item(), reason: reason() }).rare(),
        command("skip verification", Command::SkipVerification { reason: reason() }).rare(),
        command("waive", Command::Amend { changes: vec![waive] }).rare(),
        command("add", Command::Amend { changes: vec![add] }).rare(),
    ]);
    let from = Recovery::Restart;
    moves.push(
        Move::of("recovered", Fact::HostRecovered(HostRecovered { from, note: String::new() }))
            .rare(),
    );
    for one in node.engine.pending().iter().filter(|one| one.live()) {
        moves.push(Move::of("lost", ended(one.effect.id, RunOutcome::Lost, None)).rare());
    }
    moves
}

/// A closed block is opened again while others that lie on it wait, are tried again, or are closed.
fn again(node: &Node) -> Vec<Move> {
    let executes = |node: &Node, effect: EffectId, id: &str| {
        let stops = ended(effect, RunOutcome::Success, Some(checkpoint(id, "human-verify")));
        vec![built(node, effect, id), Move::of(format!("{id} stops"), stops).rare()]
    };
    let mut moves = onward(node, executes, |node, effect| {
        let gaps = json!({"verdict": "GAPS_FOUND", "verdicts": rows(node, true)});
        let gaps = Move::of("gaps", ended(effect, RunOutcome::Success, Some(gaps))).rare();
        clears(node, effect).into_iter().chain([gaps]).collect()
    });
    let reason = || "so".to_owned();
    for item in ["01", "03"] {
        let item = || item.to_owned();
        moves.push(command("reopen", Command::Reopen { item: item(), reason: reason() }).rare());
    }
    moves.push(command("defer", Command::Defer { item: "01".to_owned(), reason: reason() }).rare());
    moves
}

fn limited(node: &Node) -> Vec<Move> {
    let mut moves = onward(node, builds, every_verdict);
    for counter in Counter::ALL {
        moves.push(command("grant", Command::Grant { counter, amount: 1 }).rare());
    }
    moves.push(command("resume", Command::Resume).rare());
    moves
}

#[test]
fn everything_that_can_happen_was_tried() {
    let few = |config: grid::Config| grid::Config {
        attempts_per_block: 1,
        attempts_per_step: 2,
        max_gap_rounds: 1,
        ..config
    };
    let mut all = Vec::new();
    let mut go =
        |name, mission, little: &[(Counter, u64)], fuel, moves: fn(&Node) -> Vec<Move>, counted| {
            let config = config(mission, little);
            all.push(Walk {
                name,
                config,
                fuel,
                moves,
                eager: if name == "disk" { runs_and_disk } else { everything },
                counted,
                most_states: 60_000,
            });
        };
    let one = || few(single());
    let three = few(cluster(vec![plan("01", &[]), plan("02", &[]), plan("03", &["01"])]));
    go("wave", three, &[], 1, wave, None);
    go("gaps", one(), &[], 2, gaps, None);
    go("refused", grid::Config { attempts_per_block: 3, ..one() }, &[], 3, refused, None);
    go("troubles", grid::Config { attempts_per_block: 2, ..one() }, &[], 2, troubles, None);
    go("disk", one(), &[], 1, disk, None);
    go(
        "commands",
        few(cluster(vec![plan("01", &[]), plan("02", &["01"])])),
        &[],
        1,
        commands,
        None,
    );
    let chain = cluster(vec![plan("01", &[]), plan("02", &["01"]), plan("03", &["02"])]);
    go("again", grid::Config { automatic: true, ..few(chain) }, &[], 2, again, None);
    for (counter, limit) in [
        (Counter::RoleRuns, 1),
        (Counter::Observations, 4),
        (Counter::Questions, 1),
        (Counter::Regrounds, 0),
    ] {
        go(counter.as_str(), one(), &[(counter, limit)], 2, limited, Some(counter));
    }
    let all = walk_all(all);
    say(&format!("walk grid: {} states, {} transitions", all.states, all.transitions));
    for rule in ["execute_blocks", "verify_wave", "close_gaps", "patrol", "investigate_failure"] {
        assert!(all.rules.contains(rule), "{rule} never decided: {:?}", all.rules);
    }
    for guard in [
        "write_files",
        "observation_missing",
        "question_open",
        "budget_spent",
        "not_continuing",
        "blocked",
        "done",
        "run_live",
    ] {
        assert!(all.rules.contains(guard), "{guard} never decided: {:?}", all.rules);
    }
    for about in [
        "checkpoint",
        "architecture",
        "block_failed",
        "gaps_remain",
        "anomaly",
        "end_with_deferred",
        "step_stuck",
    ] {
        assert!(all.words.contains(about), "never asked: {about}");
    }
    for code in ["gap_unchanged", "change_stands"] {
        assert!(all.words.contains(code), "never refused: {code}");
    }
    assert_eq!(all.continuations.len(), 5, "{:?}", all.continuations);
}
