//! What can happen next.

use super::*;
use endstate::vocab::effect::Outstanding;
use endstate::vocab::question::{Answer, Question, QuestionKind};

pub fn event(label: impl Into<String>, fact: Fact) -> Move {
    Move { label: label.into(), fuel: None, world: None, fact: Some(fact) }
}

pub fn fueled(mut one: Move, fuel: usize) -> Move {
    one.fuel = Some(fuel);
    one
}

pub fn moves(walk: &Walk, node: &Node) -> Vec<Move> {
    let mut all = Vec::new();
    let mut host = false;
    for one in node.engine.pending() {
        let effect = one.effect.id;
        match &one.effect.order {
            Order::SpawnRole(_) if one.live() => all.extend(ends(effect)),
            Order::SpawnRole(_) => {
                let started = RunStarted { effect, session: None, confined: false };
                all.push(event("run starts", Fact::RunStarted(started)));
                all.push(event("no run starts", failed(effect, Code::HostFailed)));
            }
            Order::AskUser(question) => all.extend(answers_to(effect, question)),
            // The host works in order: only the first is up.
            _ if host => {}
            order => {
                host = true;
                all.extend(performed(walk, node, &one, order));
            }
        }
    }
    if walk.commands {
        all.extend(commands());
    }
    if walk.troubles {
        all.extend(troubles(node));
    }
    all
}

pub fn failed(effect: EffectId, code: Code) -> Fact {
    let problem = Error::new(code, "host", "another", "this").diagnostic();
    Fact::EffectFailed(EffectFailed { effect, problem })
}

pub fn ends(effect: EffectId) -> Vec<Move> {
    let end = |outcome, report: Option<&str>| {
        let usage = Usage { tokens: 1, ..Usage::default() };
        let report = report.map(str::to_owned);
        Fact::RunEnded(RunEnded { effect, outcome, report, problem: None, usage })
    };
    let well = [
        "Worked on it.",
        "DONE",
        "phase: processing",
        "phase: review",
        "phase: complete",
        "```done\n{}\n```",
    ];
    let mut all: Vec<Move> =
        well.iter().map(|words| event(*words, end(RunOutcome::Success, Some(words)))).collect();
    all.push(event("fails", end(RunOutcome::Failed, None)));
    all.push(event("is lost", end(RunOutcome::Lost, None)));
    all.push(event("is partial", end(RunOutcome::Partial, Some("DONE"))));
    all.push(event("is silent", end(RunOutcome::Success, None)));
    all
}

pub fn answers_to(effect: EffectId, question: &Question) -> Vec<Move> {
    let QuestionKind::Choice { options } = &question.kind else { panic!("not a choice") };
    let each = options.iter().map(|option| {
        let answer = Answer::Choice { option: option.id.clone() };
        let fact = Fact::QuestionAnswered(QuestionAnswered { effect, answer });
        let one = event(format!("{}: {}", question.topic, option.id), fact);
        match option.id.as_str() {
            "more" => fueled(one, MORE),
            "grant" => fueled(one, GRANT),
            _ => one,
        }
    });
    each.collect()
}

pub fn performed(walk: &Walk, node: &Node, one: &Outstanding, order: &Order) -> Vec<Move> {
    let effect = one.effect.id;
    let mut all = match order {
        Order::RunCommand(_) => [
            ("closed", Some(0), "{\"state\":\"CLOSED\"}"),
            ("open", Some(1), ""),
            ("open issue", Some(0), "{\"state\":\"OPEN\"}"),
            ("no status", None, ""),
        ]
        .into_iter()
        .map(|(label, status, output)| {
            let exited = CommandExited::new(effect, status, output);
            event(label, Fact::CommandExited(exited))
        })
        .collect(),
        Order::Consult(_) => [
            ("yes", Some("{\"complete\":true}")),
            ("no", Some("{\"complete\":false}")),
            (
                "no, and a prompt",
                Some("{\"complete\":false,\"prompt\":\"Go on.\",\"memory\":\"m\"}"),
            ),
            ("garbled", Some("perhaps")),
            ("none", None),
        ]
        .into_iter()
        .map(|(label, answer)| {
            let answer = answer.map(str::to_owned);
            event(label, Fact::Consulted(Consulted { effect, answer, problem: None }))
        })
        .collect(),
        order => {
            let mut world = node.world.clone();
            let fact = world.perform(&node.engine, one);
            let world = Some(world);
            vec![Move { label: format!("performs {}", order.name()), fuel: None, world, fact }]
        }
    };
    if walk.troubles {
        let codes: &[Code] = match order {
            Order::WriteFile(_) => &[Code::WriteFailed, Code::ForeignWrite],
            Order::AppendHistory(_) => &[Code::WriteFailed, Code::ForeignAppend],
            _ => &[Code::HostFailed],
        };
        let fail = |code: &Code| {
            fueled(event(format!("{} fails: {code}", order.name()), failed(effect, *code)), TROUBLE)
        };
        all.extend(codes.iter().map(fail));
    }
    all
}

pub fn commands() -> Vec<Move> {
    let of = |label: &str, command: Command| {
        event(label, Fact::UserCommanded(UserCommanded { id: None, command }))
    };
    let named = |name: &str| (name.to_owned(), "why".to_owned());
    let mut all = vec![
        of("pause", Command::Pause),
        of("resume", Command::Resume),
        of("drain", Command::Stop { mode: StopMode::Drain }),
    ];
    let others = [
        ("start", Command::Start),
        ("wait", Command::Stop { mode: StopMode::Wait }),
        ("kill", Command::Kill),
        ("skip", {
            let (item, reason) = named("helper");
            Command::Skip { item, reason }
        }),
        ("skip other", {
            let (item, reason) = named("other");
            Command::Skip { item, reason }
        }),
        ("reopen", {
            let (item, reason) = named("helper");
            Command::Reopen { item, reason }
        }),
        ("reopen phase", {
            let (item, reason) = named("processing");
            Command::Reopen { item, reason }
        }),
        ("defer", {
            let (item, reason) = named("helper");
            Command::Defer { item, reason }
        }),
        ("amend", Command::Amend { changes: vec![] }),
        ("skip verification", Command::SkipVerification { reason: "why".to_owned() }),
        ("grant", Command::Grant { counter: Counter::Timers, amount: 1 }),
        ("grant nothing", Command::Grant { counter: Counter::Timers, amount: 0 }),
    ];
    all.extend(others.into_iter().map(|(label, command)| fueled(of(label, command), COMMAND)));
    all
}

pub fn troubles(node: &Node) -> Vec<Move> {
    let recovered = |from| {
        let fact = Fact::HostRecovered(HostRecovered { from, note: String::new() });
        fueled(event(format!("recovers from {from:?}"), fact), TROUBLE)
    };
    let mut all = vec![recovered(Recovery::Restart)];
    for path in [".agent/iteration/status.json", ".agent/iteration/summaries.jsonl"] {
        let foreign = |text: Option<&str>| {
            let mut world = node.world.clone();
            match text {
                Some(text) => world.files.insert(path.to_owned(), text.to_owned()),
                None => world.files.remove(path),
            };
            let label = format!("somebody writes {text:?} to {path}");
            Move { label, fuel: Some(TROUBLE), world: Some(world), fact: None }
        };
        all.extend([foreign(Some("mine\n")), foreign(None)]);
    }
    all
}
