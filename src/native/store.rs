//! The state directory of a mission: journal and snapshots.
//!
//! `.agent/endstate/journal.jsonl` is the truth; `snapshot-<seq>.json` beside it (the newest two
//! are kept) only says where to begin reading. Opening takes the newest snapshot whose chain stands
//! in the journal at its offset and replays the lines behind it, one at a time: neither time nor
//! memory follows the length of the journal. A last line without newline is torn: cut off and
//! reported. Any other line that does not hold is damage and refused with its number.

use super::durable;
use super::error::{HostError, HostResult};
use super::observer::Report;
use super::regular;
use crate::engine::{Applied, Config, Engine};
use crate::journal::{Entry, Header, MOST_LINE_BYTES, Position, Replayer};
use crate::snapshot::Snapshot;
use crate::vocab::error::{Code, Error};
use crate::vocab::event::{Event, Fact};
use crate::vocab::json::{self, RawObject};
use crate::vocab::time::Millis;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The engine's directory, from the root of the repository.
pub const ENGINE_DIRECTORY: &str = ".agent/endstate";
/// How many snapshots are kept.
const SNAPSHOTS: usize = 2;
/// How many events lie between two snapshots.
const EVENTS_PER_SNAPSHOT: u64 = 64;
/// The largest snapshot that is read; the same as for every other text.
const MOST_SNAPSHOT_BYTES: u64 = json::MOST_BYTES as u64;

/// The paths of a mission.
#[derive(Clone, Debug)]
pub struct Places {
    /// The root of the repository.
    pub root: PathBuf,
    /// `.agent/endstate`.
    pub engine: PathBuf,
    /// `.agent/endstate/tmp`, for files on their way.
    pub staging: PathBuf,
}

impl Places {
    /// Of the mission in this repository.
    pub fn of(root: &Path) -> Places {
        let engine = root.join(ENGINE_DIRECTORY);
        Places { root: root.to_owned(), staging: engine.join("tmp"), engine }
    }

    /// The journal.
    pub fn journal(&self) -> PathBuf {
        self.engine.join("journal.jsonl")
    }

    /// The lock.
    pub fn lock(&self) -> PathBuf {
        self.engine.join("lock")
    }

    /// The folder of a run's record.
    pub fn run(&self, id: &str) -> PathBuf {
        self.engine.join("runs").join(id)
    }

    /// Refuses a state directory that leads elsewhere.
    ///
    /// # Errors
    /// `unsafe_state_directory` with the part that is a symbolic link or no directory.
    pub fn check(&self) -> Result<(), Error> {
        let parts = [".agent", ENGINE_DIRECTORY, ".agent/endstate/runs", ".agent/endstate/inbox"];
        for part in parts {
            let kind = match fs::symlink_metadata(self.root.join(part)) {
                Ok(meta) if meta.is_dir() => continue,
                Ok(meta) if meta.is_symlink() => "a symbolic link",
                Ok(_) => "no directory",
                Err(_) => continue,
            };
            let expected = "a directory inside the repository";
            return Err(Error::new(Code::UnsafeStateDirectory, part, expected, kind));
        }
        Ok(())
    }

    /// Refuses snapshots, runs and letters of a mission whose journal is gone: nobody can go on with it, and in
    /// a new one their ids would be taken for its own.
    ///
    /// # Errors
    /// `journal_missing` with the first of what is left.
    pub fn refuse_leftovers(&self) -> HostResult<()> {
        let of = |name: &str| {
            let path = self.engine.join(name);
            let mut entries = fs::read_dir(&path).into_iter().flatten().flatten();
            let left = |entry: &fs::DirEntry| name == "runs" || entry.path().is_file();
            entries.any(|entry| left(&entry)).then_some(path)
        };
        let snapshot = || snapshots(self).into_iter().next().map(|(_, path)| path);
        match snapshot().or_else(|| of("runs")).or_else(|| of("inbox")) {
            None => Ok(()),
            Some(beside) => Err(HostError::JournalMissing { path: self.journal(), beside }),
        }
    }

    /// Why there is no mission to go on with, where there is no journal.
    pub fn absent(&self) -> HostError {
        let none = || HostError::NoMission { path: self.journal() };
        self.refuse_leftovers().err().unwrap_or_else(none)
    }

    /// Makes the directories. The engine's own is hidden from git, whatever `.gitignore` says.
    ///
    /// # Errors
    /// `unsafe_state_directory`, or what the system says.
    pub fn prepare(&self) -> HostResult<()> {
        self.check()?;
        fs::create_dir_all(&self.staging)
            .map_err(|error| HostError::io("create", &self.staging, error))?;
        self.check()?;
        let ignore = self.engine.join(".gitignore");
        match OpenOptions::new().write(true).create_new(true).open(&ignore) {
            Ok(mut file) => std::io::Write::write_all(&mut file, b"*\n")
                .map_err(|error| HostError::io("write", &ignore, error)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(HostError::io("create", &ignore, error)),
        }
    }

    /// Sweeps what a crash left on its way.
    pub fn sweep(&self) {
        let entries = fs::read_dir(&self.staging).into_iter().flatten().flatten();
        for entry in entries {
            // Nothing depends on it; what cannot be removed is overwritten when its turn comes.
            let _ = fs::remove_file(entry.path());
        }
    }
}

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

/// An opened mission.
#[derive(Debug)]
pub struct Opened {
    /// The engine, as the journal says.
    pub engine: Engine,
    /// The place it was replayed to.
    pub position: Position,
    /// Bytes of the journal up to there.
    pub offset: u64,
    /// The last event, if it was replayed rather than found in a snapshot.
    pub last: Option<Fact>,
    /// Bytes of a torn tail.
    pub torn: u64,
    /// Whether the newest snapshot stands at the end of the journal.
    pub at_rest: bool,
    /// What was found on the way.
    pub reports: Vec<Report>,
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

    /// Opens a journal to go on with it, cutting off a torn tail.
    ///
    /// # Errors
    /// `no_mission`, `journal_missing`, `journal_damaged` with the line, `other_rules`, `unknown_format`, or what the
    /// system says.
    pub fn open(places: &Places) -> HostResult<(Store, Opened)> {
        let opened = peek(places)?;
        let path = places.journal();
        let journal = open_journal(&path)?;
        if opened.torn > 0 {
            durable::truncate(&journal, &path, opened.offset)
                .map_err(|error| HostError::io("truncate", &path, error))?;
        }
        let (position, offset) = (opened.position.clone(), opened.offset);
        let places = places.clone();
        Ok((Store { places, journal, position, offset, since_snapshot: 0 }, opened))
    }

    /// Appends an event and makes it durable.
    ///
    /// # Errors
    /// `journal_damaged` if the file that is open is no longer the journal; what the system says. The journal
    /// is as before then, but the engine is not: throw it away.
    pub fn append(&mut self, event: &Event, applied: &Applied) -> HostResult<()> {
        self.stands()?;
        let entry = Entry { event: event.clone(), decided: applied.decided.clone() };
        let mut next = self.position.clone();
        let line = next.write(&entry) + "\n";
        let path = self.places.journal();
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
        let got = match fs::metadata(&path) {
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

/// Reads a mission without changing anything: for `status` and `why`, also beside a live driver.
///
/// # Errors
/// As [`Store::open`].
pub fn peek(places: &Places) -> HostResult<Opened> {
    places.check()?;
    let path = places.journal();
    let mut journal = match regular::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(places.absent());
        }
        Err(error) => return Err(HostError::io("read", &path, error)),
    };
    // One that was cut down to nothing is gone as well.
    if unborn(&path)? {
        return Err(places.absent());
    }
    let mut reports = Vec::new();
    for (_, snapshot) in snapshots(places) {
        match read_snapshot(&snapshot, &mut journal) {
            Ok((engine, position, offset)) => {
                let replayer = Replayer::resume(engine, position);
                return replay_tail(&path, journal, replayer, offset, reports);
            }
            Err(HostError::Core(error)) if error.code == Code::OtherRules => {
                return Err(error.into());
            }
            Err(error) => {
                reports.push(Report::SnapshotUnusable { path: snapshot, why: error.to_string() })
            }
        }
    }
    replay_tail(&path, journal, Replayer::new(), 0, reports)
}

fn replay_tail(
    path: &Path,
    mut journal: File,
    mut replayer: Replayer,
    start: u64,
    mut reports: Vec<Report>,
) -> HostResult<Opened> {
    let fail = |error| HostError::io("read", path, error);
    journal.seek(SeekFrom::Start(start)).map_err(fail)?;
    let mut reader = BufReader::with_capacity(256 * 1024, journal);
    let (mut offset, mut torn, mut last) = (start, 0, None);
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = MOST_LINE_BYTES as u64 + 1;
        let count = reader.by_ref().take(most).read_until(b'\n', &mut line).map_err(fail)?;
        if count == 0 {
            break;
        }
        if line.last() != Some(&b'\n') && count as u64 != most {
            torn = count as u64;
            break;
        }
        let whole = line.strip_suffix(b"\n").unwrap_or(&line);
        replayer.line(whole)?;
        diverged(&replayer)?;
        last = Some(whole.len());
        offset += count as u64;
    }
    let lines = replayer.position().lines;
    if torn > 0 {
        reports.push(Report::TornTail { path: path.to_owned(), bytes: torn, line: lines + 1 });
    }
    let last = match last {
        Some(length) if lines > 1 => last_fact(path, offset - length as u64 - 1, length)?,
        _ => None,
    };
    let (Some(engine), position) = replayer.into_parts() else {
        return Err(HostError::NoMission { path: path.to_owned() });
    };
    let at_rest = offset == start && torn == 0;
    Ok(Opened { engine, position, offset, last, torn, at_rest, reports })
}

/// The journal holds, but this engine decides otherwise: it must not go on with it.
fn diverged(replayer: &Replayer) -> HostResult<()> {
    let Some(found) = replayer.divergence() else { return Ok(()) };
    let at = format!("line {}.{}", found.seq + 1, found.path);
    Err(Error::new(Code::JournalDamaged, at, &found.recorded, &found.decided).into())
}

fn last_fact(path: &Path, from: u64, length: usize) -> HostResult<Option<Fact>> {
    #[derive(serde::Deserialize)]
    struct Line {
        body: Entry,
    }
    let fail = |error| HostError::io("read", path, error);
    let mut file = regular::open(path).map_err(fail)?;
    file.seek(SeekFrom::Start(from)).map_err(fail)?;
    let mut line = vec![0; length];
    file.read_exact(&mut line).map_err(fail)?;
    // The line was replayed a moment ago, so it reads.
    Ok(serde_json::from_slice::<Line>(&line).ok().map(|line| line.body.event.fact))
}

/// Snapshots by sequence number, the newest first.
fn snapshots(places: &Places) -> Vec<(u64, PathBuf)> {
    let entries = fs::read_dir(&places.engine).into_iter().flatten().flatten();
    let mut found: Vec<(u64, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let seq = name.strip_prefix("snapshot-")?.strip_suffix(".json")?.parse().ok()?;
            Some((seq, entry.path()))
        })
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found
}

/// The engine of the newest snapshot that reads, whatever the journal says: nothing is shown by it, but it
/// knows which files were its own.
pub(super) fn unproven(places: &Places) -> Option<Engine> {
    snapshots(places).into_iter().find_map(|(_, path)| {
        let mut bytes = Vec::new();
        regular::open(&path).ok()?.take(MOST_SNAPSHOT_BYTES).read_to_end(&mut bytes).ok()?;
        let object = RawObject::read(json::utf8(&bytes).ok()?).ok()?;
        Engine::open(Snapshot::read(object.raw("snapshot")?).ok()?).ok()
    })
}

/// Reads a snapshot and checks that the journal has its chain at its offset.
fn read_snapshot(path: &Path, journal: &mut File) -> HostResult<(Engine, Position, u64)> {
    let fail = |error| HostError::io("read", path, error);
    let mut bytes = Vec::new();
    let file = regular::open(path).map_err(fail)?;
    file.take(MOST_SNAPSHOT_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    let object = RawObject::read(json::utf8(&bytes)?)?;
    let (position, offset): (Position, u64) = (object.field("position")?, object.field("offset")?);
    let missing = || Error::new(Code::MissingField, "snapshot", "a snapshot", "nothing");
    let snapshot = Snapshot::read(object.raw("snapshot").ok_or_else(missing)?)?;
    let end = format!(",\"chain\":\"{}\"}}\n", position.chain);
    let mut found = vec![0; end.len()];
    let start = offset.checked_sub(end.len() as u64);
    let stands = start.is_some_and(|start| {
        journal.seek(SeekFrom::Start(start)).is_ok() && journal.read_exact(&mut found).is_ok()
    });
    if !stands || found != end.as_bytes() || snapshot.head.seq + 1 != position.lines {
        let expected = format!("chain {} at byte {offset} of the journal", position.chain);
        return Err(Error::new(Code::InvalidValue, "position", expected, "another").into());
    }
    Ok((Engine::open(snapshot)?, position, offset))
}

/// Decides the whole journal once more, from its first line: a snapshot is a file like others, and whoever
/// changed it, or a line that was not read since, must not have made a mission done. If that does not lead to
/// this very state and place, the snapshots are removed, so that whoever opens the mission next is told the same.
///
/// # Errors
/// `journal_damaged` with the line, or what the system says.
pub(super) fn prove(places: &Places, engine: &Engine, position: &Position) -> HostResult<()> {
    let path = places.journal();
    let same = |whole: &Opened| {
        let state = |engine: &Engine| json::encode(engine.snapshot());
        whole.position == *position && whole.torn == 0 && state(&whole.engine) == state(engine)
    };
    let proven = regular::open(&path)
        .map_err(|error| HostError::io("read", &path, error))
        .and_then(|journal| replay_tail(&path, journal, Replayer::new(), 0, Vec::new()))
        .and_then(|whole| match same(&whole) {
            true => Ok(()),
            false => {
                let expected = format!("to lead to the state at chain {}", position.chain);
                let got = format!("another at chain {}", whole.position.chain);
                Err(Error::new(Code::JournalDamaged, "journal", expected, got).into())
            }
        });
    if proven.is_err() {
        for (_, snapshot) in snapshots(places) {
            let _ = fs::remove_file(snapshot);
        }
    }
    proven
}

/// Whether a mission was begun here. A journal whose first line was never finished is none: its
/// driver died before anything else was done.
///
/// # Errors
/// `journal_missing` beside other files of a mission; what the system says.
pub fn begun(places: &Places) -> HostResult<bool> {
    let path = places.journal();
    let begun = path.exists() && !unborn(&path)?;
    if !begun {
        places.refuse_leftovers()?;
    }
    Ok(begun)
}

/// Removes a journal whose first line was never finished: that mission was not begun.
fn discard_unborn(path: &Path) -> HostResult<()> {
    match unborn(path)? {
        true => durable::remove(path).map_err(|error| HostError::io("remove", path, error)),
        false => Ok(()),
    }
}

/// Whether a journal has no whole line, and could be the beginning of one.
fn unborn(path: &Path) -> HostResult<bool> {
    let fail = |error| HostError::io("read", path, error);
    let file = match regular::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        opened => opened.map_err(fail)?,
    };
    if file.metadata().map_err(fail)?.len() > MOST_LINE_BYTES as u64 {
        return Ok(false);
    }
    let mut line = Vec::new();
    BufReader::new(file).read_until(b'\n', &mut line).map_err(fail)?;
    Ok(line.last() != Some(&b'\n'))
}

fn open_journal(path: &Path) -> HostResult<File> {
    let file = regular::open_with(path, OpenOptions::new().read(true).append(true));
    file.map_err(|error| HostError::io("write", path, error))
}
