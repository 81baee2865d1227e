//! Delivers a letter to whoever drives a mission: into the inbox of a live driver, or, with none alive,
//! to a driver of our own that starts no role. Answers when the letter was taken or refused.

use super::driver::{Driver, Options, StopFlag};
use super::error::{HostError, HostResult};
use super::inbox::{Inbox, Letter, Says};
use super::lock::{Holder, Lock};
use super::observer::Observer;
use super::store::Places;
use crate::vocab::error::{Code, Error};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long a live driver has to take a letter.
const PATIENCE: Duration = Duration::from_secs(10);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// Who took a letter.
pub enum Posted {
    /// A driver that holds the mission; its process id, unless it is gone again.
    By(Option<u32>),
    /// A driver of ours, which is at rest and holds the mission until it is dropped.
    Here(Box<Driver>),
}

/// Sends a letter and waits until it is taken.
///
/// # Errors
/// What the mission refuses, under its own code; `locked` if a live driver does not come to it, the
/// letter lies in its inbox then; and as [`Driver::open`].
pub fn post(places: &Places, says: Says, observer: &mut dyn Observer) -> HostResult<Posted> {
    places.check()?;
    if !places.journal().exists() {
        return Err(places.absent());
    }
    let id = letter_id();
    Inbox::of(&places.engine).send(&Letter { id: id.clone(), says })?;
    let waiting = places.engine.join("inbox").join(format!("{id}.json"));
    let began = Instant::now();
    let mut last = None;
    loop {
        let holder = Lock::held_by(&places.lock());
        let here = match &holder {
            Some(_) => None,
            None => alone(places, observer)?,
        };
        if !waiting.exists() {
            refusal(places, &id)?;
            return Ok(match here {
                Some(driver) => Posted::Here(driver),
                None => Posted::By(holder.or(last).map(|holder| holder.pid)),
            });
        }
        last = holder.or(last);
        if began.elapsed() > PATIENCE {
            return Err(late(&waiting, last));
        }
        sleep(PAUSE);
    }
}

/// Lets a driver of ours take the letter; `None` if somebody else came first.
fn alone(places: &Places, observer: &mut dyn Observer) -> HostResult<Option<Box<Driver>>> {
    let held = Options { hold_roles: true, ..Options::default() };
    let mut driver = match Driver::open(&places.root, held) {
        Err(HostError::Locked { .. }) => return Ok(None),
        opened => opened?,
    };
    driver.run(observer, &StopFlag::default())?;
    Ok(Some(Box::new(driver)))
}

fn late(waiting: &Path, holder: Option<Holder>) -> HostError {
    let (pid, host) = holder.map_or((0, String::new()), |holder| (holder.pid, holder.host));
    HostError::Locked { pid, host, path: waiting.to_owned() }
}

/// Why the driver did not take the letter, if it did not: the note says `code: sentence …`.
fn refusal(places: &Places, id: &str) -> Result<(), Error> {
    let note = places.engine.join("inbox/refused").join(format!("{id}.json.why"));
    let Ok(why) = fs::read_to_string(note) else { return Ok(()) };
    let why = why.trim();
    let word = why.split_once(':').map_or("", |(code, _)| code);
    let code = Code::of(word);
    let (code, at) = (code.unwrap_or(Code::HostFailed), "command".to_owned());
    let (expected, got) = ("one that the mission takes now".to_owned(), why.to_owned());
    Err(Error { kind: code.kind(), code, at, expected, got })
}

/// An id no other letter has, in the order of time.
fn letter_id() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::SeqCst);
    format!("{:020}-{}-{count}", now.as_nanos(), std::process::id())
}
