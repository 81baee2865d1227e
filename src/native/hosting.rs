//! Keeps a driver at work while a session of the user's agent lives: a thread that opens the mission
//! whenever something happened to it, drives it until it is at rest, and gives the lock back, so that
//! answers and commands from elsewhere find their way in. When the session ends it leaves without a
//! word: processes are ended, the hosted run waits, and the next session goes on.

use super::driver::{Driver, Options, StopFlag};
use super::error::{HostError, HostResult};
use super::hosted;
use super::observer::Quiet;
use super::store::{self, Places};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The pause between two looks at the journal.
const PAUSE: Duration = Duration::from_millis(100);

/// A driver in a thread of its own. Dropping it leaves the mission.
pub struct Hosting {
    stop: StopFlag,
    thread: Option<JoinHandle<()>>,
    trouble: Arc<Mutex<Option<String>>>,
}

impl Hosting {
    /// Begins. `wanted` are the roles that the agent plays; none means all that only claim.
    ///
    /// # Errors
    /// `io` if there is no thread to be had.
    pub fn begin(places: &Places, options: Options, wanted: Vec<String>) -> HostResult<Hosting> {
        let (stop, trouble) = (StopFlag::default(), Arc::new(Mutex::new(None)));
        let work = {
            let (places, stop, trouble) = (places.clone(), stop.clone(), trouble.clone());
            move || keep(&places, &options, &wanted, &stop, &trouble)
        };
        let thread = thread::Builder::new().name("driver".to_owned()).spawn(work);
        let thread = Some(thread.map_err(|error| HostError::io("start", "a thread", error))?);
        Ok(Hosting { stop, thread, trouble })
    }

    /// Why the mission is not driven, if it should be.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Hosting {
    fn drop(&mut self) {
        self.stop.leave();
        if let Some(thread) = self.thread.take() {
            // A panic in it has ended the driver as a crash would have.
            let _ = thread.join();
        }
    }
}

fn keep(
    places: &Places,
    options: &Options,
    wanted: &[String],
    stop: &StopFlag,
    trouble: &Mutex<Option<String>>,
) {
    let mut left = None;
    while !stop.leaves() {
        let length = length(places);
        if length.is_some() && length != left {
            let driven = drive(places, options, wanted, stop);
            // Another driver is no trouble: the mission is driven.
            let locked = matches!(driven, Err(HostError::Locked { .. }));
            if !locked {
                left = self::length(places);
            }
            let why = driven.err().filter(|_| !locked).map(|error| error.to_string());
            *trouble.lock().unwrap_or_else(PoisonError::into_inner) = why;
        }
        thread::sleep(PAUSE);
    }
}

fn drive(places: &Places, options: &Options, wanted: &[String], stop: &StopFlag) -> HostResult<()> {
    let opened = store::peek(places)?;
    let hosted = match wanted {
        [] => opened.engine.claimants().iter().map(|role| (*role).to_owned()).collect(),
        some => hosted::roles(&opened.engine, some)?,
    };
    let mut driver = Driver::open(&places.root, Options { hosted, ..options.clone() })?;
    driver.run(&mut Quiet, stop).map(drop)
}

/// The length of the journal: whether something happened.
fn length(places: &Places) -> Option<u64> {
    std::fs::metadata(places.journal()).ok().map(|meta| meta.len())
}
