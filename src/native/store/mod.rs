//! The state directory of a mission: journal and snapshots.
//!
//! `.agent/endstate/journal.jsonl` is the truth; `snapshot-<seq>.json` beside it (the newest two
//! are kept) only says where to begin reading. Opening takes the newest snapshot whose chain stands
//! in the journal at its offset and replays the lines behind it, one at a time: neither time nor
//! memory follows the length of the journal. A last line without newline is torn: cut off and
//! reported. Any other line that does not hold is damage and refused with its number.

mod beyond;
mod places;
mod reading;

pub use places::{ENGINE_DIRECTORY, Places};
pub use reading::{Opened, begun, peek};
pub(super) use reading::{prove, unproven};

use super::durable;
use super::error::{HostError, HostResult};
use super::kept;
use super::regular;
use crate::engine::{Applied, Config, Engine};
use crate::journal::{Entry, Header, Position};
use crate::vocab::error::{Code, Error};
use crate::vocab::event::Event;
use crate::vocab::json;
use crate::vocab::time::Millis;
use places::snapshots;
use reading::{newest, unborn};
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// How many snapshots are kept.
const SNAPSHOTS: usize = 2;
/// How many events lie between two snapshots.
const EVENTS_PER_SNAPSHOT: u64 = 64;

/// A mission's journal, open for writing. Only the holder of the lock may have one.
#[derive(Debug)]
pub struct Store {
    places: Places,
    journal: File,
    position: Position,
    /// Length of the journal in bytes.
    offset: u64,
    since_snapshot: u64,
}

impl Store {
    /// Begins a journal.
    ///
    /// # Errors
    /// `mission_exists`; `journal_missing`; `malformed` for a bad config; `unsafe_state_directory`; or what the system
    /// says.
    pub fn create(places: &Places, config: Config, at: Millis) -> HostResult<(Store, Engine)> {
        let path = places.journal();
        let (engine, applied) = Engine::start(&config, at)?;
        if !begun(places)? {
            places.prepare()?;
            discard_unborn(&path)?;
            kept::keep(places, &config.proof.files)?;
        }
        let mut position = Position::default();
        let line = position.write(&Header::new(config, at, applied.decided)) + "\n";
        durable::create_new(&path, line.as_bytes()).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => HostError::MissionExists { path: path.clone() },
            _ => HostError::io("create", &path, error),
        })?;
        let journal = open_journal(&path)?;
        let offset = line.len() as u64;
        let places = places.clone();
        Ok((Store { places, journal, position, offset, since_snapshot: 0 }, engine))
    }

    /// Opens a journal to go on with it, cutting off a torn tail. One of older rules is upgraded at `at`: every
    /// line of it is looked at first, since behind the line of the upgrade nobody decides it any more.
    ///
    /// # Errors
    /// `no_mission`, `journal_missing`, `journal_damaged` with the line, `other_rules`, `unknown_format`, or what the
    /// system says.
    pub fn open(places: &Places, at: Millis) -> HostResult<(Store, Opened)> {
        let mut lines = newest(places)?;
        let path = places.journal();
        let journal = open_journal(&path)?;
        if lines.torn > 0 {
            durable::truncate(&journal, &path, lines.offset)
                .map_err(|error| HostError::io("truncate", &path, error))?;
        }
        let (position, offset) = (lines.replayer.position().clone(), lines.offset);
        let places = places.clone();
        let mut store = Store { places, journal, position, offset, since_snapshot: 0 };
        if lines.replayer.is_older() {
            prove(&store.places, lines.replayer.opened()?, &store.position)?;
        }
        if let Some(line) = lines.replayer.upgrade(at)? {
            store.write(&line, lines.replayer.position().clone())?;
        }
        lines.opened(&path).map(|opened| (store, opened))
    }

    /// Appends an event and makes it durable.
    ///
    /// # Errors
    /// `journal_damaged` if the file that is open is no longer the journal; what the system says. The journal
    /// is as before then, but the engine is not: throw it away.
    pub fn append(&mut self, event: &Event, applied: &Applied) -> HostResult<()> {
        let entry = Entry { event: event.clone(), decided: applied.decided.clone() };
        let mut next = self.position.clone();
        let line = next.write(&entry);
        self.write(&line, next)
    }

    fn write(&mut self, line: &str, next: Position) -> HostResult<()> {
        self.stands()?;
        let (path, line) = (self.places.journal(), format!("{line}\n"));
        durable::append(&mut self.journal, &path, line.as_bytes())
            .map_err(|error| HostError::io("write", &path, error))?;
        self.position = next;
        self.offset += line.len() as u64;
        self.since_snapshot += 1;
        Ok(())
    }

    /// Whoever removed, replaced or cut the journal left this driver writing into nothing: what it does from
    /// then on would be on no record.
    fn stands(&self) -> HostResult<()> {
        let path = self.places.journal();
        let fail = |error| HostError::io("look at", &path, error);
        let open = self.journal.metadata().map_err(fail)?;
        let got = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => "none: it was removed".to_owned(),
            Err(error) => return Err(fail(error)),
            Ok(there) if (there.dev(), there.ino()) != (open.dev(), open.ino()) => format!(
                "another file in its place: device {} inode {}, not device {} inode {}",
                there.dev(),
                there.ino(),
                open.dev(),
                open.ino()
            ),
            Ok(there) if there.len() != self.offset => {
                format!("{} bytes, not {}", there.len(), self.offset)
            }
            Ok(_) => return Ok(()),
        };
        let expected = "the journal as this driver left it";
        Err(Error::new(Code::JournalDamaged, path.display().to_string(), expected, got).into())
    }

    /// Whether it is time for a snapshot.
    pub fn snapshot_due(&self) -> bool {
        self.since_snapshot >= EVENTS_PER_SNAPSHOT
    }

    /// Writes a snapshot of the engine as it is after the last line, and removes older ones.
    ///
    /// # Errors
    /// `journal_damaged` as with [`Store::append`]: a snapshot says nothing without its journal. What the
    /// system says; a mission goes on without.
    pub fn snapshot(&mut self, engine: &Engine) -> HostResult<()> {
        self.stands()?;
        let seq = engine.snapshot().head.seq;
        let path = self.places.engine.join(format!("snapshot-{seq}.json"));
        let (position, snapshot) = (json::encode(&self.position), json::encode(engine.snapshot()));
        let offset = self.offset;
        let text =
            format!("{{\"position\":{position},\"offset\":{offset},\"snapshot\":{snapshot}}}\n");
        durable::replace(&path, &self.places.staging, text.as_bytes(), false)
            .map_err(|error| HostError::io("write", &path, error))?;
        self.since_snapshot = 0;
        for (_, old) in snapshots(&self.places).into_iter().skip(SNAPSHOTS) {
            // An old snapshot too many does no harm.
            let _ = fs::remove_file(old);
        }
        Ok(())
    }

    /// Decides the whole journal once more: see [`prove`].
    ///
    /// # Errors
    /// As [`prove`].
    pub fn prove(&self, engine: &Engine) -> HostResult<()> {
        prove(&self.places, engine, &self.position)
    }

    /// Whether there is nothing a snapshot would add.
    pub fn rested(&self) -> bool {
        self.since_snapshot == 0
    }

    /// Where the journal stands.
    pub fn position(&self) -> &Position {
        &self.position
    }
}

/// Removes a journal whose first line was never finished: that mission was not begun.
fn discard_unborn(path: &Path) -> HostResult<()> {
    match unborn(path)? {
        true => durable::remove(path).map_err(|error| HostError::io("remove", path, error)),
        false => Ok(()),
    }
}

fn open_journal(path: &Path) -> HostResult<File> {
    let file = regular::open_with(path, OpenOptions::new().read(true).append(true));
    file.map_err(|error| HostError::io("write", path, error))
}
