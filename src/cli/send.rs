//! Commands and answers of the user: through the inbox to a live driver, or, with none alive, by
//! taking the lock, giving the command to the engine, and letting host work settle.

use super::drive::finish;
use super::exit::{Exit, Fault};
use super::screen::Screen;
use super::{Place, init, state};
use endstate::native::inbox::{Inbox, Letter};
use endstate::native::lock::{Holder, Lock};
use endstate::native::store::{self, Places};
use endstate::native::{Driver, HostError, StopFlag};
use endstate::vocab::command::Command;
use endstate::vocab::event::{EffectId, Fact, QuestionAnswered, UserCommanded};
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long a live driver has to take a letter.
const PATIENCE: Duration = Duration::from_secs(10);

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
    if let Some(holder) = Lock::held_by(&places.lock()) {
        return by_inbox(place, &places, &holder, fact);
    }
    match by_lock(place, fact.clone()) {
        // Somebody came in the moment between.
        Err(fault) if fault.exit == Exit::Locked => match Lock::held_by(&places.lock()) {
            Some(holder) => by_inbox(place, &places, &holder, fact),
            None => Err(fault),
        },
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

fn by_inbox(place: &Place, places: &Places, holder: &Holder, fact: Fact) -> Result<Exit, Fault> {
    let id = letter_id();
    Inbox::of(&places.engine).send(&Letter { id: id.clone(), fact })?;
    let waiting = places.engine.join("inbox").join(format!("{id}.json"));
    let began = Instant::now();
    while waiting.exists() {
        if Lock::held_by(&places.lock()).is_none() {
            return orphan(place, &waiting, &id, places);
        }
        if began.elapsed() > PATIENCE {
            let expected = format!("process {} to take the command within 10 s", holder.pid);
            let at = waiting.display().to_string();
            let got = "it lies in the inbox and is taken when that driver comes to it";
            return Err(Fault::new(Exit::Locked, "locked", &at, &expected, got));
        }
        sleep(Duration::from_millis(20));
    }
    if let Some(why) = refusal(places, &id) {
        return Err(why);
    }
    place.out.say(format!("process {}, which drives the mission, has taken it", holder.pid));
    let opened = store::peek(places)?;
    place.out.object(&state::summary("taken", &opened.engine, &place.root, &opened.position.chain));
    Ok(Exit::Done)
}

/// The driver ended before it came to the letter: the next one, this one, takes it.
fn orphan(place: &Place, waiting: &Path, id: &str, places: &Places) -> Result<Exit, Fault> {
    let mut driver = Driver::open(&place.root, init::held())?;
    let mut screen = Screen::new(place.out, driver.engine());
    let ended = driver.run(&mut screen, &StopFlag::default());
    drop(screen);
    ended?;
    if let Some(why) = refusal(places, id) {
        return Err(why);
    }
    if waiting.exists() {
        let at = waiting.display().to_string();
        return Err(Fault::new(Exit::Unexpected, "io", &at, "to be taken", "it still waits"));
    }
    finish(place, "taken", &driver);
    Ok(Exit::Done)
}

/// Why the driver did not take the letter, if it did not: `code: sentence At place: expected …`.
fn refusal(places: &Places, id: &str) -> Option<Fault> {
    let note = places.engine.join("inbox/refused").join(format!("{id}.json.why"));
    let why = fs::read_to_string(note).ok()?;
    let why = why.trim();
    let code = why.split_once(':').map_or("refused", |(code, _)| code);
    Some(Fault::new(Exit::Refused, code, "command", "one that the mission takes now", why))
}

/// An id no other letter has, in the order of time.
fn letter_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:020}-{}", now.as_nanos(), std::process::id())
}
