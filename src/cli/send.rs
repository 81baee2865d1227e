//! Commands and answers of the user: through the inbox to a live driver, or, with none alive, by
//! taking the lock, giving the command to the engine, and letting host work settle.

use super::drive::finish;
use super::exit::{Exit, Fault};
use super::screen::Screen;
use super::{Place, init, state};
use endstate::native::lock::Lock;
use endstate::native::post::{Posted, post};
use endstate::native::store::{self, Places};
use endstate::native::{Driver, HostError, Quiet, StopFlag};
use endstate::vocab::command::Command;
use endstate::vocab::event::{EffectId, Fact, QuestionAnswered, UserCommanded};

/// Gives a command.
pub(crate) fn command(place: &Place, command: Command) -> Result<Exit, Fault> {
    send(place, Fact::UserCommanded(UserCommanded { id: None, command }))
}

/// Answers a question.
pub(crate) fn answer(place: &Place, words: &[String]) -> Result<Exit, Fault> {
    let opened = store::peek(&Places::of(&place.root))?;
    let open = state::questions(&opened.engine);
    let ids: Vec<String> = open.iter().map(|(id, _)| id.to_string()).collect();
    let named = words.first().and_then(|word| word.parse::<EffectId>().ok());
    let (wanted, words) = match named {
        Some(id) if words.len() > 1 => (Some(id), &words[1..]),
        _ => (None, words),
    };
    let fault = |expected: &str, got: &str| {
        Err(Fault::new(Exit::Refused, "unknown_effect", "question", expected, got))
    };
    let chosen = match (wanted, open.as_slice()) {
        (_, []) => return fault("an open question", "none"),
        (None, [one]) => Some(one),
        (None, _) => return fault(&format!("the id of one of {}", ids.join(", ")), "no id"),
        (Some(id), _) => open.iter().find(|(one, _)| *one == id),
    };
    let Some((id, question)) = chosen else {
        let got = wanted.map(|id| id.to_string()).unwrap_or_default();
        return fault(&format!("one of {}", ids.join(", ")), &got);
    };
    let answer = question.kind.read(&words.join(" "))?;
    send(place, Fact::QuestionAnswered(QuestionAnswered { effect: *id, answer }))
}

/// Gives a command or an answer to whoever drives the mission, or takes it here.
pub(crate) fn send(place: &Place, fact: Fact) -> Result<Exit, Fault> {
    let places = Places::of(&place.root);
    places.check()?;
    if !places.journal().exists() {
        return Err(HostError::NoMission { path: places.journal() }.into());
    }
    if Lock::held_by(&places.lock()).is_some() {
        return by_inbox(place, &places, fact);
    }
    match by_lock(place, fact.clone()) {
        // Somebody came in the moment between.
        Err(fault) if fault.exit == Exit::Locked => by_inbox(place, &places, fact),
        other => other,
    }
}

fn by_lock(place: &Place, fact: Fact) -> Result<Exit, Fault> {
    let mut driver = Driver::open(&place.root, init::held())?;
    let mut screen = Screen::new(place.out, driver.engine());
    match fact {
        Fact::UserCommanded(fact) => driver.command(fact.command)?,
        Fact::QuestionAnswered(fact) => driver.answer(fact.effect, fact.answer)?,
        other => return Err(Fault::usage("fact", "a command or an answer", other.name())),
    };
    let ended = driver.run(&mut screen, &StopFlag::default());
    drop(screen);
    ended?;
    finish(place, "taken", &driver);
    Ok(Exit::Done)
}

fn by_inbox(place: &Place, places: &Places, fact: Fact) -> Result<Exit, Fault> {
    match post(places, fact.into(), &mut Quiet)? {
        Posted::By(pid) => {
            let who = pid.map_or("its driver".to_owned(), |pid| format!("process {pid}"));
            place.out.say(format!("{who}, which drives the mission, has taken it"));
            let opened = store::peek(places)?;
            let chain = &opened.position.chain;
            place.out.object(&state::summary("taken", &opened.engine, &place.root, chain));
        }
        // The driver ended before it came to the letter: one of ours took it.
        Posted::Here(driver) => finish(place, "taken", &driver),
    }
    Ok(Exit::Done)
}
