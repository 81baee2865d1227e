//! The two histories, read as a stream and kept as a summary.
//!
//! A history is append-only and may be longer than memory, so a reader is fed pieces of bytes as
//! they come from the disk and keeps, per slice or per stop wave, only what was said last. It
//! digests every byte it is fed, so that the summary also tells where to append and after what. A
//! line that is no record is a fault with its line number, **never** skipped without a word.

use super::fields::{Extra, Mode, extra};
use super::form;
use super::lines::Lines;
use super::words::RecordKind;
use crate::mission::prelude::*;

pub use super::lines::{Extent, MOST_FAULTS, MOST_LINE};
pub use super::records::{HistoryRecord, Judgement};

/// The most stop waves that are kept, the newest.
pub const MOST_WAVES: usize = 64;
/// How many judgements of one wave are compared for repetition.
const MOST_COMPARED: usize = 1_000;

/// `slice-history.jsonl` in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistorySummary {
    /// Its bytes and lines.
    pub extent: Extent,
    /// What is known of each slice, in the order they first occur.
    pub slices: Vec<SliceHistory>,
}

/// What the history says of one slice: the latest record of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SliceHistory {
    /// The slice.
    pub slice_id: String,
    /// How many records speak of it.
    pub records: u64,
    /// The latest implementation.
    pub implemented: Option<Mark>,
    /// The latest review.
    pub reviewed: Option<Mark>,
    /// The latest audit.
    pub audited: Option<Mark>,
    /// The latest acceptance.
    pub accepted: Option<Mark>,
    /// The latest reopening.
    pub reopened: Option<Mark>,
}

/// Where and when a record was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// The commit it speaks of.
    pub commit_sha: String,
    /// The head at that time.
    pub head_sha: String,
    /// Its line, from 1: the order of what happened.
    pub line: u64,
    /// When.
    pub at: Millis,
    /// What the later peer's report says under `Acceptable as-is`, if it does.
    pub acceptable: Option<bool>,
}

/// `stop-check-history.jsonl` in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgementSummary {
    /// Its bytes and lines.
    pub extent: Extent,
    /// The newest [`MOST_WAVES`] stop waves, oldest first.
    pub waves: Vec<Wave>,
    /// How many waves there are.
    pub waves_total: u64,
}

/// Judgements that follow each other at one head.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RecordedWave")]
pub struct Wave {
    /// The head that was judged.
    pub head_sha: String,
    /// The peer's number of the wave, if it wrote one.
    pub stop_wave_id: Option<u64>,
    /// Judgements that say the mission may end.
    pub can_stop: u64,
    /// Judgements that say it may not.
    pub cannot_stop: u64,
    /// Lines that repeat another of this wave byte for byte, in neither count.
    pub repeated: u64,
    /// The line of its last judgement, from 1.
    pub last_line: u64,
    /// The time of its last judgement.
    pub last_at: Millis,
}

impl SliceHistory {
    /// The commit that implemented, reviewed, audited and accepted all name, unless the slice was
    /// reopened after that.
    pub fn accepted_commit(&self) -> Option<&str> {
        let accepted = self.accepted.as_ref()?;
        let same = |mark: &Option<Mark>| {
            mark.as_ref().is_some_and(|mark| mark.commit_sha == accepted.commit_sha)
        };
        let reopened = self.reopened.as_ref().is_some_and(|mark| mark.line > accepted.line);
        let all = same(&self.implemented) && same(&self.reviewed) && same(&self.audited);
        (all && !reopened).then_some(&accepted.commit_sha)
    }

    fn mark(&mut self, kind: RecordKind) -> &mut Option<Mark> {
        match kind {
            RecordKind::Implemented => &mut self.implemented,
            RecordKind::Reviewed => &mut self.reviewed,
            RecordKind::Audited => &mut self.audited,
            RecordKind::Accepted => &mut self.accepted,
            RecordKind::Reopened => &mut self.reopened,
        }
    }
}

impl HistorySummary {
    /// The summary of a file that is absent or empty.
    pub fn none() -> Self {
        HistoryReader::new().finish()
    }

    /// What is known of the slice of this id.
    pub fn slice(&self, id: &str) -> Option<&SliceHistory> {
        self.slices.iter().find(|slice| slice.slice_id == id)
    }
}

impl JudgementSummary {
    /// The summary of a file that is absent or empty.
    pub fn none() -> Self {
        JudgementReader::new().finish()
    }
}

/// What is kept of a history, line by line.
pub trait Told: Default {
    /// The history in short.
    type Summary;

    /// Takes the line of this number, from 1.
    ///
    /// # Errors
    /// Kind `malformed` for a line that is no record.
    fn take(&mut self, line: u64, text: &str) -> Result<()>;

    /// The summary of all that was taken.
    fn sum(self, extent: Extent) -> Self::Summary;
}

/// Reads a history piece by piece.
#[derive(Default)]
pub struct Reader<T> {
    lines: Lines,
    told: T,
}

/// Reads `slice-history.jsonl`. Memory grows with the number of slices only.
pub type HistoryReader = Reader<Slices>;
/// Reads `stop-check-history.jsonl`. Memory is bounded.
pub type JudgementReader = Reader<Waves>;

impl<T: Told> Reader<T> {
    /// A reader before the first byte.
    pub fn new() -> Self {
        Reader { lines: Lines::default(), told: T::default() }
    }

    /// The next bytes of the file, cut anywhere.
    pub fn push(&mut self, bytes: &[u8]) {
        let told = &mut self.told;
        self.lines.push(bytes, &mut |line, text| told.take(line, text));
    }

    /// One line; a newline is added if it has none.
    pub fn push_line(&mut self, line: &str) {
        self.push(line.as_bytes());
        if !line.ends_with('\n') {
            self.push(b"\n");
        }
    }

    /// The summary of all that was read.
    pub fn finish(mut self) -> T::Summary {
        let told = &mut self.told;
        let extent = self.lines.finish(&mut |line, text| told.take(line, text));
        self.told.sum(extent)
    }
}

/// What is known of the slices.
#[derive(Default)]
pub struct Slices {
    slices: Vec<SliceHistory>,
    places: BTreeMap<String, usize>,
}

impl Told for Slices {
    type Summary = HistorySummary;

    fn take(&mut self, line: u64, text: &str) -> Result<()> {
        let record: HistoryRecord = form::read(text, Mode::Strict)?.value;
        let next = self.slices.len();
        let place = *self.places.entry(record.slice_id.clone()).or_insert(next);
        if place == next {
            let slice_id = record.slice_id.clone();
            self.slices.push(SliceHistory { slice_id, ..SliceHistory::default() });
        }
        let slice = &mut self.slices[place];
        slice.records += 1;
        let acceptable = acceptable(&record);
        let HistoryRecord { commit_sha, head_sha, at, .. } = record;
        *slice.mark(record.kind) = Some(Mark { commit_sha, head_sha, line, at, acceptable });
        Ok(())
    }

    fn sum(self, extent: Extent) -> HistorySummary {
        HistorySummary { extent, slices: self.slices }
    }
}

fn acceptable(record: &HistoryRecord) -> Option<bool> {
    let fields: BTreeMap<String, String> = extra(&record.extra, "report_fields")?.read().ok()?;
    match fields.get("Acceptable as-is")?.trim().to_ascii_lowercase().as_str() {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// What is known of the stop waves.
#[derive(Default)]
pub struct Waves {
    waves: Vec<Wave>,
    total: u64,
    /// Digests of the lines of the last wave.
    heard: BTreeSet<String>,
}

impl Told for Waves {
    type Summary = JudgementSummary;

    fn take(&mut self, line: u64, text: &str) -> Result<()> {
        let said: Judgement = form::read(text, Mode::Strict)?.value;
        let wave_id = extra(&said.extra, "stop_wave_id");
        let stop_wave_id = wave_id.map(Extra::read::<u64>).transpose()?;
        let same = self.waves.last().is_some_and(|wave| {
            wave.head_sha == said.head_sha && wave.stop_wave_id == stop_wave_id
        });
        if !same {
            self.open(said.head_sha.clone(), stop_wave_id);
        }
        let repeated = !self.first_time(text);
        if let Some(wave) = self.waves.last_mut() {
            match (repeated, said.can_stop) {
                (true, _) => wave.repeated += 1,
                (false, true) => wave.can_stop += 1,
                (false, false) => wave.cannot_stop += 1,
            }
            (wave.last_line, wave.last_at) = (line, said.at);
        }
        Ok(())
    }

    fn sum(self, extent: Extent) -> JudgementSummary {
        JudgementSummary { extent, waves: self.waves, waves_total: self.total }
    }
}

impl Waves {
    fn open(&mut self, head_sha: String, stop_wave_id: Option<u64>) {
        if self.waves.len() == MOST_WAVES {
            self.waves.remove(0);
        }
        self.total += 1;
        self.heard.clear();
        self.waves.push(Wave { head_sha, stop_wave_id, ..Wave::default() });
    }

    fn first_time(&mut self, text: &str) -> bool {
        let digest = crate::vocab::digest::digest(text);
        match self.heard.len() < MOST_COMPARED {
            true => self.heard.insert(digest),
            false => !self.heard.contains(&digest),
        }
    }
}
