//! Reading a mission: the newest snapshot whose chain stands in the journal at its offset, then the lines
//! behind it; and the proof, which reads them all. A journal that ends before what lies beside it knows was rolled back.

use super::beyond::most_lines;
use super::places::{Places, snapshots};
use crate::engine::Engine;
use crate::journal::{MOST_LINE_BYTES, Position, Replayer};
use crate::native::error::{HostError, HostResult};
use crate::native::observer::Report;
use crate::native::regular;
use crate::snapshot::{Continuation, Snapshot};
use crate::vocab::error::{Code, Error};
use crate::vocab::event::{Event, Fact};
use crate::vocab::json::{self, RawObject};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The largest snapshot that is read; the same as for every other text.
const MOST_SNAPSHOT_BYTES: u64 = json::MOST_BYTES as u64;

/// An opened mission.
#[derive(Debug)]
pub struct Opened {
    /// The engine, as the journal says.
    pub engine: Engine,
    /// The place it was replayed to.
    pub position: Position,
    /// Number of the last event that was read.
    pub seq: u64,
    /// Bytes of the journal up to there.
    pub offset: u64,
    /// The last event, if it was replayed rather than found in a snapshot.
    pub last: Option<Fact>,
    /// Bytes of a torn tail.
    pub torn: u64,
    /// What was found on the way.
    pub reports: Vec<Report>,
}

impl Opened {
    /// Decides the whole journal once more, and asks what lies beside it: a snapshot is a file like others, and whoever writes the
    /// journal anew leaves the snapshots of the one before, which have no place in it. Of older rules none can be read.
    ///
    /// # Errors
    /// `journal_damaged` with what does not lead here, or what the system says.
    pub fn prove(&self, places: &Places) -> HostResult<()> {
        let older = self.reports.iter().any(|one| matches!(one, Report::OlderRules { .. }));
        for report in self.reports.iter().filter(|_| !older) {
            if let Report::SnapshotUnusable { path, why } = report {
                let expected = format!("{} to have its place in it", path.display());
                return Err(Error::new(Code::JournalDamaged, "journal", expected, why).into());
            }
        }
        proven(places, &self.engine, &self.position)
    }
}

/// Reads a mission without changing anything: for `status` and `why`, also beside a live driver. One of older
/// rules is shown as today's take it.
///
/// # Errors
/// As [`super::Store::open`].
pub fn peek(places: &Places) -> HostResult<Opened> {
    newest(places)?.opened(&places.journal())
}

/// What the newest snapshot that can be used and the lines behind it come to.
pub(super) fn newest(places: &Places) -> HostResult<Lines> {
    places.check()?;
    let path = places.journal();
    // One that was cut down to nothing is gone as well.
    if !there(&path) || unborn(&path)? {
        return Err(places.absent());
    }
    let mut journal = readable(&path)?;
    let mut reports = Vec::new();
    let mut most: Option<(u64, PathBuf)> = None;
    for (_, snapshot) in snapshots(places) {
        let read = read_snapshot(&snapshot).and_then(|(engine, position, offset)| {
            if stands(&mut journal, &position, offset) {
                return Ok((Replayer::resume(engine, position), offset));
            }
            let expected = format!("chain {} at byte {offset} of the journal", position.chain);
            if most.as_ref().is_none_or(|(lines, _)| position.lines > *lines) {
                most = Some((position.lines, snapshot.clone()));
            }
            Err(Error::new(Code::InvalidValue, "position", expected, "another").into())
        });
        match read {
            Ok((replayer, offset)) => {
                let all = read_lines(&path, journal, replayer, offset)?.with(reports);
                return reaching(all, places, most);
            }
            Err(HostError::Core(error)) if error.code == Code::OtherRules => {
                return Err(error.into());
            }
            Err(error) => {
                reports.push(Report::SnapshotUnusable { path: snapshot, why: error.to_string() })
            }
        }
    }
    reaching(read_lines(&path, journal, Replayer::new(), 0)?.with(reports), places, most)
}

/// What was opened, if the journal has as many lines as a snapshot that reads knows of, or anything else beside it:
/// they are written before, so one that ends before was cut or put back.
fn reaching(all: Lines, places: &Places, most: Option<(u64, PathBuf)>) -> HostResult<Lines> {
    let (lines, path) = (all.lines, places.journal());
    let beside = all.replayer.engine().and_then(|engine| most_lines(places, engine));
    let most = most.into_iter().chain(beside).max().filter(|(most, _)| lines < *most);
    let Some((most, told)) = most else { return Ok(all) };
    // A driver that lives wrote on behind what was read.
    if fs::metadata(&path).is_ok_and(|now| now.len() > all.offset + all.torn) {
        return Ok(all);
    }
    let expected = format!("{most} lines, as {} knows them", told.display());
    let got = format!("{lines}: it was rolled back");
    Err(Error::new(Code::JournalDamaged, path.display().to_string(), expected, got).into())
}

/// What was read of a journal.
pub(super) struct Lines {
    pub(super) replayer: Replayer,
    pub(super) offset: u64,
    pub(super) torn: u64,
    /// How many there are.
    lines: u64,
    /// Where the last line begins, if any was read, and its length.
    last: Option<(u64, usize)>,
    reports: Vec<Report>,
}

impl Lines {
    /// With what was found before, and on the way.
    fn with(mut self, mut reports: Vec<Report>) -> Lines {
        if self.replayer.is_older() {
            let (rules, aside) = self.replayer.rules();
            reports.push(Report::OlderRules { rules, aside });
        }
        self.reports = reports;
        self
    }

    pub(super) fn opened(mut self, path: &Path) -> HostResult<Opened> {
        let line = self.lines + 1;
        if self.torn > 0 {
            self.reports.push(Report::TornTail { path: path.to_owned(), bytes: self.torn, line });
        }
        let last = match self.last.filter(|_| line > 2) {
            Some((from, length)) => last_fact(path, from, length)?,
            None => None,
        };
        let Lines { replayer, offset, torn, reports, .. } = self;
        let (engine, position) = replayer.into_parts()?;
        Ok(Opened { engine, position, seq: line.saturating_sub(2), offset, last, torn, reports })
    }
}

fn read_lines(
    path: &Path,
    mut journal: File,
    mut replayer: Replayer,
    start: u64,
) -> HostResult<Lines> {
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
        last = Some((offset, whole.len()));
        offset += count as u64;
    }
    let lines = replayer.position().lines;
    Ok(Lines { replayer, offset, torn, lines, last, reports: Vec::new() })
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
        body: Body,
    }
    /// An event, or an upgrade with one.
    #[derive(serde::Deserialize)]
    struct Body {
        event: Event,
    }
    let fail = |error| HostError::io("read", path, error);
    let mut file = regular::open(path).map_err(fail)?;
    file.seek(SeekFrom::Start(from)).map_err(fail)?;
    let mut line = vec![0; length];
    file.read_exact(&mut line).map_err(fail)?;
    // The line was replayed a moment ago, so it reads.
    Ok(serde_json::from_slice::<Line>(&line).ok().map(|line| line.body.event.fact))
}

/// The engine of the newest snapshot that reads, whatever the journal says: nothing is shown by it, but it
/// knows which files were its own.
pub(in crate::native) fn unproven(places: &Places) -> Option<Engine> {
    snapshots(places).into_iter().find_map(|(_, path)| {
        let mut bytes = Vec::new();
        regular::open(&path).ok()?.take(MOST_SNAPSHOT_BYTES).read_to_end(&mut bytes).ok()?;
        let object = RawObject::read(json::utf8(&bytes).ok()?).ok()?;
        Engine::open(Snapshot::read(object.raw("snapshot")?).ok()?).ok()
    })
}

/// Reads a snapshot, with its place in the journal.
fn read_snapshot(path: &Path) -> HostResult<(Engine, Position, u64)> {
    let fail = |error| HostError::io("read", path, error);
    let mut bytes = Vec::new();
    let file = regular::open(path).map_err(fail)?;
    file.take(MOST_SNAPSHOT_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    let object = RawObject::read(json::utf8(&bytes)?)?;
    let (position, offset): (Position, u64) = (object.field("position")?, object.field("offset")?);
    let missing = || Error::new(Code::MissingField, "snapshot", "a snapshot", "nothing");
    let snapshot = Snapshot::read(object.raw("snapshot").ok_or_else(missing)?)?;
    let lines = snapshot.head.seq + 1;
    if lines != position.lines {
        let (expected, got) = (lines.to_string(), position.lines.to_string());
        return Err(Error::new(Code::InvalidValue, "position.lines", expected, got).into());
    }
    Ok((Engine::open(snapshot)?, position, offset))
}

/// Whether the journal has the chain of a place at its offset.
fn stands(journal: &mut File, position: &Position, offset: u64) -> bool {
    let end = format!(",\"chain\":\"{}\"}}\n", position.chain);
    let mut found = vec![0; end.len()];
    let start = offset.checked_sub(end.len() as u64);
    let read = start.is_some_and(|start| {
        journal.seek(SeekFrom::Start(start)).is_ok() && journal.read_exact(&mut found).is_ok()
    });
    read && found == end.as_bytes()
}

/// Decides the whole journal once more, from its first line: a snapshot is a file like others, and whoever
/// changed it, or a line that was not read since, must not have made a mission done. If that does not lead to
/// this very state and place, the snapshots are removed, so that whoever opens the mission next is told the same.
///
/// # Errors
/// `journal_damaged` with the line, or what the system says.
pub(in crate::native) fn prove(
    places: &Places,
    engine: &Engine,
    position: &Position,
) -> HostResult<()> {
    proven(places, engine, position).inspect_err(|_| {
        for (_, snapshot) in snapshots(places) {
            let _ = fs::remove_file(snapshot);
        }
    })
}

/// The same, and nothing is removed.
fn proven(places: &Places, engine: &Engine, position: &Position) -> HostResult<()> {
    let path = places.journal();
    let state = |engine: &Engine| json::encode(engine.snapshot());
    let same = |whole: &Lines| {
        let stands = whole.replayer.engine().is_some_and(|whole| state(whole) == state(engine));
        // What older rules decided cannot be decided again, but each line says what it came to.
        let says =
            || Ok(engine.continuation()) == whole.replayer.found(0).map(|one| one.continuation);
        let older =
            whole.replayer.is_older() && (engine.continuation() != Continuation::Done || says());
        whole.replayer.position() == position && whole.torn == 0 && (stands || older)
    };
    readable(&path).and_then(|journal| read_lines(&path, journal, Replayer::new(), 0)).and_then(
        |whole| match same(&whole) {
            true => Ok(()),
            false => {
                let expected = format!("to lead to the state at chain {}", position.chain);
                let got = format!("another at chain {}", whole.replayer.position().chain);
                Err(Error::new(Code::JournalDamaged, "journal", expected, got).into())
            }
        },
    )
}

/// Whether a mission was begun here. A journal whose first line was never finished is none: its
/// driver died before anything else was done.
///
/// # Errors
/// `journal_missing` beside other files of a mission; what the system says.
pub fn begun(places: &Places) -> HostResult<bool> {
    let path = places.journal();
    let begun = there(&path) && !unborn(&path)?;
    if !begun {
        places.refuse_leftovers()?;
    }
    Ok(begun)
}

/// Whether a journal has no whole line, and could be the beginning of one.
pub(super) fn unborn(path: &Path) -> HostResult<bool> {
    let fail = |error| HostError::io("read", path, error);
    if !there(path) {
        return Ok(false);
    }
    let file = readable(path)?;
    if file.metadata().map_err(fail)?.len() > MOST_LINE_BYTES as u64 {
        return Ok(false);
    }
    let mut line = Vec::new();
    BufReader::new(file).read_until(b'\n', &mut line).map_err(fail)?;
    Ok(line.last() != Some(&b'\n'))
}

/// Whether anything has the name of the journal, be it a link that leads nowhere.
fn there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// The journal, to be read. Anything else than a file in its place, a link as well, holds no mission.
fn readable(path: &Path) -> HostResult<File> {
    let fail = |error| HostError::io("read", path, error);
    let kind = fs::symlink_metadata(path).map_err(fail)?.file_type();
    if kind.is_file() {
        return regular::open(path).map_err(fail);
    }
    let got = if kind.is_symlink() { "a symbolic link" } else { "no file" };
    Err(Error::new(Code::JournalDamaged, path.display().to_string(), "a regular file", got).into())
}
