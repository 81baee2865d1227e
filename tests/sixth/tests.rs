//! A whole vote: turned down once, a report corrected, then accepted.

use crate::Continuation;
use crate::engine::{Config, Engine};
use crate::protocols::ProtocolConfig;
use crate::vocab::command::Command;
use crate::vocab::effect::Order;
use crate::vocab::error::Code;
use crate::vocab::event::{
    EffectId, Event, Fact, RepositoryObserved, RunEnded, RunOutcome, RunStarted, UserCommanded,
};
use crate::vocab::json;
use crate::vocab::repository::Repository;

const MISSION: &str = "Choose the colour of the door.";

fn begun() -> Engine {
    let mission = ProtocolConfig::Sixth(super::Config { mission: MISSION.to_owned() });
    let (mut engine, _) = Engine::start(&Config::new(mission), 0).unwrap();
    take(&mut engine, Fact::UserCommanded(UserCommanded { id: None, command: Command::Start }));
    engine
}

fn take(engine: &mut Engine, fact: Fact) {
    engine.apply(&Event { at: 0, fact }).unwrap();
}

/// Answers every look, and every role by what `say` lets it return.
fn play(engine: &mut Engine, mut say: impl FnMut(&str) -> String) {
    while engine.continuation() == Continuation::Continue {
        let due = engine.pending().remove(0);
        let effect: EffectId = due.effect.id;
        match due.effect.order.clone() {
            Order::SpawnRole(spawn) => {
                take(
                    engine,
                    Fact::RunStarted(RunStarted { effect, session: None, confined: false }),
                );
                let report = Some(format!(
                    "MISSION ANCHOR: {MISSION}\n\n```json\n{}\n```\n",
                    say(&spawn.role)
                ));
                let (problem, usage) = (None, Default::default());
                let outcome = RunOutcome::Success;
                take(engine, Fact::RunEnded(RunEnded { effect, outcome, report, problem, usage }));
            }
            Order::Observe(_) => {
                let repository: Repository = json::decode(
                    r#"{"head":"aa","branch":"main","refs":"r","dirty":[],"since":null,"files":[],"problem":null}"#,
                )
                .unwrap();
                take(engine, Fact::RepositoryObserved(RepositoryObserved { effect, repository }));
            }
            order => panic!("{order:?}"),
        }
        engine.check().unwrap();
    }
}

#[test]
fn two_of_three_accept() {
    let (mut engine, mut proposals, mut votes) = (begun(), 0, 0);
    play(&mut engine, |role| match role {
        "vote-proposer" => {
            proposals += 1;
            format!(r#"{{"proposal": "number {proposals}"}}"#)
        }
        _ => {
            votes += 1;
            match votes {
                1 => r#"{"accept": "perhaps"}"#.to_owned(),
                2..=4 => format!(r#"{{"accept": {}, "why": "too dark"}}"#, votes == 2),
                _ => format!(r#"{{"accept": {}, "why": "good"}}"#, role != "vote-third"),
            }
        }
    });
    assert_eq!(engine.continuation(), Continuation::Done);
    assert_eq!((proposals, votes), (2, 7));
    assert_eq!(engine.view().nodes[0].label, "number 2");
    assert_eq!(engine.view().nodes[0].status, "2 of 3 accept");
}

#[test]
fn who_never_reports_is_asked_about() {
    let mut engine = begun();
    play(&mut engine, |_| "nothing".to_owned());
    assert_eq!(engine.continuation(), Continuation::AwaitUserInput);
    assert!(engine.why().waiting_for.len() == 1);
}

#[test]
fn an_end_that_nobody_accepted_is_broken() {
    let mut engine = begun();
    play(&mut engine, |role| match role {
        "vote-proposer" => r#"{"proposal": "green"}"#.to_owned(),
        _ => r#"{"accept": true, "why": "good"}"#.to_owned(),
    });
    let text = json::encode(engine.snapshot()).replace("\"accept\":true", "\"accept\":false");
    let snapshot = crate::snapshot::Snapshot::read(&text);
    assert_eq!(snapshot.unwrap_err().code, Code::BrokenStop);
}
