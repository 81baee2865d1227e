//! Files that a protocol keeps: projections of its state, replaced whole, and histories that only grow.
//!
//! Foreign content is never overwritten unsaved: a write that meets it looks at the file and
//! asks the host to keep that content aside; an append that meets it looks, and goes on after it.
//! Foreign lines do not count. If content is foreign again and again although
//! every look accepts it, this would never end; then the user is asked.

use crate::mission::Head;
use crate::mission::{Intent, KnownFile};
use crate::vocab::budget::Counter;
use crate::vocab::effect::{AppendHistory, Level, Notify, Observe, Order, WriteFile};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::event::Outcome;
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::repository::{DocumentSeen, FileSeen, PathDigest, Seen};
use schemars::JsonSchema;
use std::collections::{BTreeMap, BTreeSet};

/// How often in a row foreign content is met before the user is asked.
const MOST_FOREIGN: u32 = 3;

/// All files of a protocol as the engine left them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "KeptFiles")]
pub struct Files {
    /// By path from the root of the repository.
    pub known: BTreeMap<String, Kept>,
    /// Lines that wait to be appended.
    pub unwritten: Vec<Line>,
    /// Files that must be looked at before they are written again.
    pub doubted: BTreeSet<String>,
    /// What the user is to be told.
    pub notices: Vec<Notify>,
    /// Writes and appends in a row that met foreign content.
    pub foreign_in_a_row: u32,
}

/// One file as the engine left it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "KeptFile")]
pub struct Kept {
    /// Digest of what is on disk as far as is known; `None` for nothing.
    pub digest: Option<String>,
    /// Length on disk in bytes, for files that only grow.
    pub length: u64,
    /// Counts the contents it should have had.
    pub wanted: u64,
    /// The content that is on disk.
    pub written: u64,
    /// Foreign content to keep aside before it is replaced.
    pub aside: Option<String>,
}

/// A line that waits to be appended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "UnwrittenLine")]
pub struct Line {
    /// The file.
    pub path: String,
    /// The line, with its newline.
    pub text: String,
}

impl Files {
    /// What is kept, for those who check it; `histories` only grow.
    pub(crate) fn kept(&self, histories: &[&str]) -> Vec<KnownFile> {
        let paths = self.known.keys().map(String::as_str);
        paths.map(|path| self.kept_at(path, histories.contains(&path))).collect()
    }

    /// The file at `path`, also if it was never seen.
    pub(crate) fn kept_at(&self, path: &str, history: bool) -> KnownFile {
        let there = self.known.get(path).filter(|file| file.digest.is_some());
        KnownFile {
            path: path.to_owned(),
            digest: there.and_then(|file| file.digest.clone()),
            length: there.filter(|_| history).map(|file| file.length),
            projection: !history,
        }
    }

    /// The projection at `path` has another content now.
    pub(crate) fn touch(&mut self, path: &str) {
        self.at(path).wanted += 1;
    }

    /// One more line, without its newline, for the history at `path`.
    pub(crate) fn append(&mut self, path: &str, line: &str) {
        self.at(path);
        self.unwritten.push(Line { path: path.to_owned(), text: format!("{line}\n") });
    }

    /// The user is to be told.
    pub(crate) fn say(&mut self, level: Level, text: impl Into<String>) {
        self.notices.push(Notify { level, text: text.into() });
    }

    /// What must be on disk before anything else is decided; empty while such work is under way.
    pub(crate) fn orders(&self, head: &Head) -> Vec<Intent> {
        if head.awaits(is_file_work) {
            return Vec::new();
        }
        if !self.doubted.is_empty() {
            let paths = self.doubted.iter().cloned().collect();
            let look = Order::Observe(Observe::Documents { paths, tracked: false }).into();
            let looks = head.budget.left(Counter::Observations) > 0;
            return looks.then_some(look).into_iter().collect();
        }
        let notices = self.notices.iter().map(|notice| Order::Notify(notice.clone()).into());
        let mut orders: Vec<Intent> = self.writes().chain(self.appends()).chain(notices).collect();
        let most = head.budget.left(Counter::Writes);
        orders.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        orders
    }

    /// The counter that what is due on disk spends from.
    pub(crate) fn needs(&self) -> Option<Counter> {
        if !self.doubted.is_empty() {
            return Some(Counter::Observations);
        }
        let due = self.writes().next().is_some()
            || !self.unwritten.is_empty()
            || !self.notices.is_empty();
        due.then_some(Counter::Writes)
    }

    fn writes(&self) -> impl Iterator<Item = Intent> + '_ {
        self.known.keys().filter_map(|path| self.write_due(path))
    }

    fn appends(&self) -> impl Iterator<Item = Intent> + '_ {
        let paths: BTreeSet<&str> = self.unwritten.iter().map(|line| line.path.as_str()).collect();
        paths.into_iter().map(|path| self.append_to(path))
    }

    /// The write of the projection at `path`, if it has another content than it should have.
    pub(crate) fn write_due(&self, path: &str) -> Option<Intent> {
        let file = self.known.get(path).filter(|file| file.written < file.wanted)?;
        let write = Order::WriteFile(WriteFile {
            path: path.to_owned(),
            revision: file.wanted,
            expected: file.digest.clone(),
            aside: file.aside.clone(),
            executable: false,
        });
        Some(write.into())
    }

    /// The append of what waits for the history at `path`; of nothing it sees to it that the file is there.
    pub(crate) fn append_to(&self, path: &str) -> Intent {
        let file = self.known.get(path).cloned().unwrap_or_default();
        Order::AppendHistory(AppendHistory {
            path: path.to_owned(),
            offset: file.length,
            prefix_digest: file.digest,
            text: self.waiting(path).collect(),
        })
        .into()
    }

    /// The lines that wait for the history at `path`.
    pub(crate) fn waiting<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a str> {
        let lines = self.unwritten.iter().filter(move |line| line.path == path);
        lines.map(|line| line.text.as_str())
    }

    /// A write, an append or a notice was performed.
    ///
    /// # Errors
    /// `wrong_answer` for an outcome that is none of such an order.
    pub(crate) fn performed(&mut self, order: &Order, outcome: &Outcome) -> Result<()> {
        let (path, revision, appended) = match order {
            Order::WriteFile(write) => (&write.path, Some(write.revision), ""),
            Order::AppendHistory(append) => (&append.path, None, append.text.as_str()),
            Order::Notify(notice) if *outcome == Outcome::Nothing => {
                self.told(notice);
                return Ok(());
            }
            order => return Err(wrong(order, outcome)),
        };
        let Outcome::File { digest, length } = outcome else { return Err(wrong(order, outcome)) };
        let file = self.at(path);
        (file.digest, file.length, file.aside) = (Some(digest.clone()), *length, None);
        file.written = revision.unwrap_or(file.written);
        self.foreign_in_a_row = 0;
        self.drop_written(path, appended);
        Ok(())
    }

    fn told(&mut self, notice: &Notify) {
        if let Some(place) = self.notices.iter().position(|one| one == notice) {
            self.notices.remove(place);
        }
    }

    /// What was appended waits no longer; what came while it was under way does. One item may be many lines.
    fn drop_written(&mut self, path: &str, appended: &str) {
        let mut rest = appended;
        self.unwritten.retain(|line| {
            let written = rest.strip_prefix(line.text.as_str()).filter(|_| line.path == path);
            rest = written.unwrap_or(rest);
            written.is_none()
        });
    }

    /// A write, an append or a look failed. `false` if nothing more can be done but to ask the user.
    pub(crate) fn failed(&mut self, order: &Order, problem: &Diagnostic) -> bool {
        // Somebody who cannot be told is no reason to stand still.
        if let Order::Notify(notice) = order {
            self.told(notice);
            return true;
        }
        let met = met_foreign(order, problem);
        met.is_some_and(|path| {
            self.doubt(path);
            self.foreign_in_a_row < MOST_FOREIGN
        })
    }

    /// Foreign content was met at `path`, which is looked at before it is written again.
    pub(crate) fn doubt(&mut self, path: &str) {
        self.foreign_in_a_row += 1;
        self.doubted.insert(path.to_owned());
    }

    /// The user wants the failed file work to be retried.
    pub(crate) fn retry(&mut self) {
        self.foreign_in_a_row = 0;
    }

    /// What the files hold as far as is known, for a look at the repository.
    pub(crate) fn digests(&self) -> Vec<PathDigest> {
        self.known.keys().map(|path| self.digest(path)).collect()
    }

    /// What the file at `path` holds as far as is known.
    pub(crate) fn digest(&self, path: &str) -> PathDigest {
        let digest = self.there(path).unwrap_or("absent");
        PathDigest { path: path.to_owned(), digest: digest.to_owned() }
    }

    /// Its digest, if it is there as far as is known.
    pub(crate) fn there(&self, path: &str) -> Option<&str> {
        self.known.get(path)?.digest.as_deref()
    }

    /// The file at `path`, which is known from now on.
    pub(crate) fn at(&mut self, path: &str) -> &mut Kept {
        self.known.entry(path.to_owned()).or_default()
    }

    /// A look at the repository found files that are not as they were left. They are written again,
    /// with what is there kept aside; histories go on behind it. Answers with their paths.
    pub(crate) fn found_changed(&mut self, changed: &[FileSeen]) -> Vec<String> {
        let seen: Vec<DocumentSeen> = changed
            .iter()
            .map(|one| DocumentSeen { path: one.path.clone(), seen: one.seen.clone() })
            .collect();
        self.observed(&seen);
        let ours = changed.iter().filter(|one| self.known.contains_key(&one.path));
        let paths: Vec<String> = ours.map(|one| one.path.clone()).collect();
        for path in &paths {
            // Nobody ever wanted another content of a file that only grows.
            if self.known.get(path).is_some_and(|file| file.wanted > 0) {
                self.touch(path);
            }
        }
        paths
    }

    /// Doubted files were looked at.
    pub(crate) fn observed(&mut self, documents: &[DocumentSeen]) {
        for document in documents {
            self.doubted.remove(&document.path);
            let Some(file) = self.known.get_mut(&document.path) else { continue };
            // Nobody ever wanted another content of a file that only grows.
            let history = file.wanted == 0;
            match &document.seen {
                Seen::Absent => (file.digest, file.length) = (None, 0),
                Seen::Text { digest, .. } | Seen::Digest { digest, problem: None, .. }
                    if history =>
                {
                    (file.digest, file.length) = (Some(digest.clone()), document.seen.length());
                }
                Seen::Text { digest, .. } | Seen::Digest { digest, .. } => {
                    file.aside = Some(digest.clone());
                }
            }
        }
    }
}

/// Where an order met content that is not ours.
pub(crate) fn met_foreign<'a>(order: &'a Order, problem: &Diagnostic) -> Option<&'a str> {
    match order {
        Order::WriteFile(write) if problem.code == Code::ForeignWrite => Some(&write.path),
        Order::AppendHistory(append) if problem.code == Code::ForeignAppend => Some(&append.path),
        _ => None,
    }
}

fn wrong(order: &Order, outcome: &Outcome) -> Error {
    let got = crate::vocab::json::encode(outcome);
    Error::new(Code::WrongAnswer, "outcome", format!("the outcome of {}", order.name()), got)
}

/// A look at the repository and at the files as they were left.
pub(crate) fn observe(seen: &Option<super::repository::Seen>, files: &Files) -> Intent {
    observe_with(seen, files, &[], &[])
}

/// The same, and at other files `within` directories, except for some of them.
pub(crate) fn observe_with(
    seen: &Option<super::repository::Seen>,
    files: &Files,
    within: &[&str],
    without: &[&str],
) -> Intent {
    let since = seen.as_ref().map(|seen| seen.head_word().to_owned());
    let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let (within, without) = (all(within), all(without));
    let known = files.digests();
    Order::Observe(Observe::Repository { since, basis: None, known, within, without }).into()
}

/// Whether this is an order about such files.
pub(crate) fn is_file_work(order: &Order) -> bool {
    matches!(
        order,
        Order::WriteFile(_)
            | Order::AppendHistory(_)
            | Order::Notify(_)
            | Order::Observe(Observe::Documents { .. })
    )
}
