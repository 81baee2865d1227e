//! A directory of the peer, read whole, so that a mission can start from it.
//!
//! Two layouts are known: the seed's (`.agent/*.json`) and that of release 0.1.91
//! (`.agent/current/*.json`, with a startup brief and no profile of its own). The later one wins
//! where both are found, because the peer moved there and never back. Every file is read by the
//! rules of [`super::read`]; then the files are held against each other. Whatever is wrong is a
//! fault that names the file: a directory with a broken state is **never** taken for one without.

use super::check::{anchored, check_extent, missing};
use super::contract::one_line;
use super::fields::{Mode, Reading};
use super::form::{self, OnDisk};
use super::history::{HistorySummary, JudgementSummary};
use super::shapes::{ActiveFile, PlanFile, ProfileFile, StateFile};
use super::{CONTRACT, Finding, HISTORIES, MISSION, PROFILE, STATE_FILES, Severity};
use crate::mission::prelude::*;
use crate::vocab::json::{RawObject, utf8};

pub use super::brief::{BRIEF, Brief};

/// Where a release of the peer keeps its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// `.agent/*.json`, the layout that is also ours.
    Seed,
    /// `.agent/current/*.json`, release 0.1.91.
    Current,
}

/// A directory that was read. Fields the seed does not have are in it, raw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adopted {
    /// Where the files were found; nothing if there was nothing to adopt.
    pub layout: Option<Layout>,
    /// How strictly they were read.
    pub mode: Mode,
    /// The mission, if every file that names one names this one.
    pub mission: Option<String>,
    /// The profile.
    pub profile: Option<ProfileFile>,
    /// The state.
    pub state: Option<StateFile>,
    /// The plan.
    pub plan: Option<PlanFile>,
    /// The active slice.
    pub active: Option<ActiveFile>,
    /// The startup brief of release 0.1.91.
    pub brief: Option<Brief>,
    /// `verification-evidence.json` of release 0.1.91, raw.
    pub verification_evidence: Option<String>,
    /// What the slice history says.
    pub history: HistorySummary,
    /// What the stop-check history says.
    pub judgements: JudgementSummary,
    /// Contract files that are not there, to be written before the first rule is evaluated.
    pub missing: Vec<String>,
    /// Worth saying.
    pub notes: Vec<Finding>,
    /// What keeps the directory from being used as it is.
    pub faults: Vec<Finding>,
}

/// The paths of one layout: profile, state, plan, active slice, histories, brief, evidence.
struct Places {
    profile: &'static str,
    state: [&'static str; 3],
    histories: [&'static str; 2],
}

const SEED: Places = Places { profile: PROFILE, state: STATE_FILES, histories: HISTORIES };
const CURRENT: Places = Places {
    profile: ".agent/current/profile.json",
    state: [
        ".agent/current/state.json",
        ".agent/current/plan.json",
        ".agent/current/active-slice.json",
    ],
    histories: [".agent/current/slice-history.jsonl", ".agent/current/stop-check-history.jsonl"],
};
/// The verification evidence of release 0.1.91.
pub const EVIDENCE: &str = ".agent/current/verification-evidence.json";

impl Layout {
    fn places(self) -> &'static Places {
        match self {
            Layout::Seed => &SEED,
            Layout::Current => &CURRENT,
        }
    }

    /// State, plan and active slice.
    pub fn state_files(self) -> [&'static str; 3] {
        self.places().state
    }

    /// Slice history and stop-check history, to be streamed through their readers.
    pub fn histories(self) -> [&'static str; 2] {
        self.places().histories
    }
}

/// The layout whose files are there, by asking for each path whether it exists.
pub fn layout(exists: impl Fn(&str) -> bool) -> Option<Layout> {
    let any = |paths: &[&str]| paths.iter().any(|path| exists(path));
    if any(&CURRENT.state) || any(&CURRENT.histories) || any(&[BRIEF]) {
        return Some(Layout::Current);
    }
    (any(&SEED.state) || any(&HISTORIES) || any(&CONTRACT)).then_some(Layout::Seed)
}

/// Reads a directory of the peer whose [`layout`] is known. `get` gives the bytes at a path from
/// the root of the repository, or nothing; it is not asked for the histories, which were streamed
/// before, see [`Layout::histories`].
pub fn adopt(
    layout: Option<Layout>,
    get: impl Fn(&str) -> Option<Vec<u8>>,
    history: HistorySummary,
    judgements: JudgementSummary,
    mode: Mode,
) -> Adopted {
    let get: &Get<'_> = &get;
    let mut desk = Desk { get, mode, notes: Vec::new(), faults: Vec::new() };
    let places = layout.unwrap_or(Layout::Seed).places();
    let [state, plan, active] = places.state;
    let profile = [places.profile, PROFILE].into_iter().find(|path| get(path).is_some());
    let mut adopted = Adopted {
        layout,
        mode,
        mission: None,
        profile: profile.and_then(|path| desk.read(path, form::read)),
        state: desk.read(state, form::read),
        plan: desk.read(plan, form::read),
        active: desk.read(active, form::read),
        brief: desk.read(BRIEF, form::read),
        verification_evidence: desk.read(EVIDENCE, read_evidence),
        history,
        judgements,
        missing: absent(get, &CONTRACT),
        notes: Vec::new(),
        faults: Vec::new(),
    };
    desk.all_or_none(&places.state, &adopted);
    desk.histories(&places.histories, &adopted);
    desk.left_behind(layout);
    adopted.mission = desk.one_mission(&adopted, places);
    desk.active_in_plan(&adopted, active);
    (adopted.notes, adopted.faults) = (desk.notes, desk.faults);
    adopted
}

type Get<'a> = dyn Fn(&str) -> Option<Vec<u8>> + 'a;

fn absent(get: &Get<'_>, paths: &[&str]) -> Vec<String> {
    let absent = paths.iter().filter(|path| get(path).is_none());
    absent.map(|path| (*path).to_owned()).collect()
}

/// The reader of a directory: it compares the files with each other.
struct Desk<'a> {
    get: &'a Get<'a>,
    mode: Mode,
    notes: Vec<Finding>,
    faults: Vec<Finding>,
}

impl Desk<'_> {
    /// The file as a `T`: absent gives nothing, unreadable gives nothing and a fault.
    fn read<T>(
        &mut self,
        path: &str,
        read: impl Fn(&str, Mode) -> Result<Reading<T>>,
    ) -> Option<T> {
        let bytes = (self.get)(path)?;
        match utf8(&bytes).and_then(|text| read(text, self.mode)) {
            Ok(reading) => {
                self.note_all(path, reading.notes);
                Some(reading.value)
            }
            Err(error) => {
                self.faults.push(Finding::fault(path, &error));
                None
            }
        }
    }

    fn note_all(&mut self, path: &str, notes: Vec<Diagnostic>) {
        self.notes.extend(notes.into_iter().map(|note| Finding::note(path, note)));
    }

    /// A fault, or in lenient mode a note that it is overlooked.
    fn weigh(&mut self, path: &str, error: Error) {
        let mut notes = Vec::new();
        match self.mode.weigh(error, &mut notes) {
            Ok(()) => self.note_all(path, notes),
            Err(error) => self.faults.push(Finding::fault(path, &error)),
        }
    }

    /// A clone has neither state files nor histories, a mission has all of them.
    fn all_or_none(&mut self, paths: &[&str; 3], adopted: &Adopted) {
        let absent = absent(self.get, paths);
        let told = adopted.history.extent.length + adopted.judgements.extent.length > 0;
        if told || absent.len() < paths.len() {
            let fault = missing();
            self.faults.extend(absent.iter().map(|path| Finding::fault(path, &fault)));
        }
    }

    /// The peer never looks into the histories, so their faults are overlooked in lenient mode.
    fn histories(&mut self, paths: &[&str; 2], adopted: &Adopted) {
        let extents = [&adopted.history.extent, &adopted.judgements.extent];
        for (path, extent) in paths.iter().zip(extents) {
            for finding in check_extent(path, extent) {
                let Diagnostic { code, at, expected, got } = finding.diagnostic.clone();
                match finding.severity {
                    Severity::Fault => self.weigh(path, Error::new(code, at, expected, got)),
                    Severity::Note => self.notes.push(finding),
                }
            }
        }
    }

    /// If both layouts are there, state of the seed's layout is old; it is named and not read.
    fn left_behind(&mut self, layout: Option<Layout>) {
        if layout != Some(Layout::Current) {
            return;
        }
        for path in STATE_FILES.into_iter().filter(|path| (self.get)(path).is_some()) {
            let expected = "no state outside `.agent/current/`";
            let error = Error::new(Code::Overlooked, "", expected, "an older file, not read");
            self.notes.push(Finding::note(path, error.diagnostic()));
        }
    }

    /// The mission that all files name; a fault for each that names another than the first.
    fn one_mission(&mut self, adopted: &Adopted, places: &Places) -> Option<String> {
        let [state, plan, active] = places.state;
        let document = self.read(MISSION, read_mission);
        let named = [
            (state, adopted.state.as_ref().map(|file| file.mission_anchor.clone())),
            (plan, adopted.plan.as_ref().map(|file| file.mission_anchor.clone())),
            (active, adopted.active.as_ref().map(|file| file.mission_anchor.clone())),
            (BRIEF, adopted.brief.as_ref().map(|file| file.mission.clone())),
            (MISSION, document),
        ];
        let mut named = named.into_iter().filter_map(|(path, name)| Some((path, name?)));
        let (first, mission) = named.next()?;
        let before = self.faults.len();
        for (path, other) in named.filter(|(_, other)| one_line(other) != one_line(&mission)) {
            let expected = format!("`{mission}`, as in {first}");
            let error = Error::new(Code::AnchorMismatch, "", expected, format!("`{other}`"));
            self.faults.push(Finding::fault(path, &error));
        }
        (self.faults.len() == before).then_some(mission)
    }

    /// A live slice is in the plan, with the same criteria, and no other is selected there.
    fn active_in_plan(&mut self, adopted: &Adopted, path: &str) {
        let (Some(plan), Some(active)) = (&adopted.plan, &adopted.active) else { return };
        let Some(id) = active.slice_id.as_deref().filter(|_| active.status.live()) else {
            return self.nothing_current(plan, path);
        };
        let Some(slice) = plan.slice(id) else {
            let got = format!("`{id}`");
            return self.weigh(
                path,
                Error::new(Code::UnknownItem, "slice_id", "a slice of the plan", got),
            );
        };
        if slice.acceptance_criteria != active.acceptance_criteria {
            let expected = format!("the criteria of `{id}` in the plan");
            let got = active.acceptance_criteria.join("; ");
            let error = Error::new(Code::InvalidValue, "acceptance_criteria", expected, got);
            self.weigh(path, error);
        }
        if let Some(other) = plan.current().filter(|other| other.slice_id != id) {
            let expected = format!("`{}`, which the plan has selected", other.slice_id);
            let got = format!("`{id}`");
            self.weigh(path, Error::new(Code::InvalidValue, "slice_id", expected, got));
        }
    }

    fn nothing_current(&mut self, plan: &PlanFile, path: &str) {
        if let Some(slice) = plan.current() {
            let expected = format!("`{}`, which the plan has selected", slice.slice_id);
            self.weigh(path, Error::new(Code::InvalidValue, "status", expected, "`idle`"));
        }
    }
}

fn read_mission(text: &str, _: Mode) -> Result<Reading<String>> {
    anchored(text).map(|value| Reading { value, notes: Vec::new() })
}

/// The evidence is context only; that it is an object is all that is asked of it.
fn read_evidence(text: &str, _: Mode) -> Result<Reading<String>> {
    RawObject::read(text)?;
    Ok(Reading { value: text.trim().to_owned(), notes: Vec::new() })
}

impl Adopted {
    /// Whether the files still keep the rules they were read by: for a value that came from
    /// elsewhere than [`adopt`].
    ///
    /// # Errors
    /// The first fault, placed at the field of this value.
    pub fn validate(&self) -> Result<()> {
        again(&self.profile, self.mode, "profile")?;
        again(&self.state, self.mode, "state")?;
        again(&self.plan, self.mode, "plan")?;
        again(&self.active, self.mode, "active")
    }
}

fn again<T: OnDisk>(value: &Option<T>, mode: Mode, name: &str) -> Result<()> {
    let Some(value) = value else { return Ok(()) };
    let reading = form::read::<T>(&form::render(value), mode);
    ensure(reading.map_err(|error| error.within(name))?.value == *value, || {
        Error::new(Code::InvalidValue, name, "a file that can be written", "other fields")
    })
}
