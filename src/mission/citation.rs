//! What reports cite. A place in a file shows something only if git has that file and the file that line: each look finds
//! out about what the reports that wait for it name. A command shows something only if its exit status tells how it went.
//! A report that cites anything else is refused, with all of it by name.

use crate::vocab::error::{Code, Error, Result, clip};
use crate::vocab::evidence::{Evidence, Finding, normal, stays_inside, weigh};
use crate::vocab::repository::{FileSeen, PathDigest, Repository, Seen, present_at};
use crate::vocab::table::map_of;
use crate::vocab::text::one_line;
use std::collections::{BTreeMap, BTreeSet};

/// The most files that are looked for on behalf of one report; a place beyond shows nothing.
const MOST_FILES: usize = 600;
/// The longest path that is looked for, in bytes.
const LONGEST: usize = 400;
/// The most faults that one refusal names.
const MOST_FAULTS: usize = 50;

/// What the rows of a report rest on that say that something holds.
#[derive(Default)]
pub(crate) struct Cited {
    /// Files by their paths as they were written, in one spelling, each with the last line that is named.
    places: BTreeMap<String, u32>,
    /// Folders that they may be written from; the root is always one.
    folders: Vec<String>,
    /// Commands whose exit status says nothing, where a row rests on nothing else.
    mute: Vec<String>,
    /// Documents that say what is asked for: they show nothing.
    documents: BTreeSet<String>,
}

impl Cited {
    /// What is among this evidence, row by row. Tests are named in the words of their runner.
    pub(crate) fn of<'a>(rows: impl IntoIterator<Item = &'a Vec<Evidence>>) -> Cited {
        let mut cited = Cited::default();
        for row in rows {
            let alone = weigh(row) == Finding::NotShown;
            for one in row {
                match one {
                    Evidence::File { path, line } => {
                        let last = cited.places.entry(normal(path)).or_default();
                        *last = (*line).max(*last);
                    }
                    Evidence::Command { command, .. } if alone => {
                        let shown = clip(&one_line(command), 200);
                        let why = "its exit status does not say how it went";
                        cited.mute.push(format!("`{shown}`: {why}"));
                    }
                    Evidence::Command { .. } | Evidence::Test { .. } | Evidence::Manual { .. } => {}
                }
            }
        }
        cited
    }

    /// The same, where paths may also be written from these folders.
    pub(crate) fn written_from(self, folders: [&str; 2]) -> Cited {
        Cited { folders: folders.map(normal).to_vec(), ..self }
    }

    /// The same, where these documents say what is asked for, and show nothing.
    pub(crate) fn without<'a>(self, documents: impl Iterator<Item = &'a String>) -> Cited {
        Cited { documents: documents.map(|path| normal(path)).collect(), ..self }
    }

    /// Where a path that was written may lead, from the root.
    fn meant<'a>(&'a self, path: &'a str) -> impl Iterator<Item = String> + 'a {
        let folders = self.folders.iter().filter(|folder| !folder.is_empty());
        std::iter::once(path.to_owned())
            .chain(folders.map(move |folder| format!("{folder}/{path}")))
    }

    /// What is looked for.
    fn looked_for(&self) -> impl Iterator<Item = (&str, u32)> {
        let plain = |path: &str| path.len() <= LONGEST && !path.chars().any(char::is_control);
        let inside = move |path: &str| !path.is_empty() && stays_inside(path) && plain(path);
        let all = self.places.iter().map(|(path, line)| (path.as_str(), *line));
        all.filter(move |(path, _)| inside(path)).take(MOST_FILES)
    }

    /// What a look is to find out.
    pub(crate) fn wanted(&self) -> impl Iterator<Item = PathDigest> {
        self.looked_for().flat_map(|(path, line)| {
            self.meant(path).map(move |path| PathDigest { path, digest: present_at(line) })
        })
    }

    /// Why a place of those that are looked for shows nothing, if so: it is at none of those that its path may mean.
    fn missing(&self, path: &str, line: u32, seen: &BTreeMap<&str, &FileSeen>) -> Option<String> {
        let fault = |path: String| not_there(seen.get(path.as_str())?, line);
        let faults: Option<Vec<String>> = self.meant(path).map(fault).collect();
        faults?.into_iter().next()
    }

    /// Checks what was cited by what was seen.
    ///
    /// # Errors
    /// `evidence_missing` with every place that is not there, each with the reason.
    pub(crate) fn check(&self, repository: &Repository) -> Result<()> {
        let looked: BTreeSet<&str> = self.looked_for().map(|(path, _)| path).collect();
        let seen = map_of(repository.files.iter().map(|file| (file.path.as_str(), file)));
        let places = self.places.iter().filter_map(|(path, line)| {
            let why = match looked.contains(path.as_str()) {
                _ if self.documents.contains(path) => {
                    "it says what is asked for, and is no work".to_owned()
                }
                true => self.missing(path, *line, &seen)?,
                false => "no place that is looked at".to_owned(),
            };
            Some(format!("{}:{line}: {why}", clip(&one_line(path), 200)))
        });
        let mut faults: Vec<String> = places.chain(self.mute.iter().cloned()).collect();
        if faults.is_empty() {
            return Ok(());
        }
        let beyond = faults.len().saturating_sub(MOST_FAULTS);
        faults.truncate(MOST_FAULTS);
        faults.extend((beyond > 0).then(|| format!("and {beyond} more")));
        // None of it is cut: what is not named would be found out one refusal later.
        let expected =
            "lines of files that git tracks, and commands that fail where it does not hold";
        let none = Error::new(Code::EvidenceMissing, "evidence", expected, "");
        Err(Error { got: faults.join("; "), ..none })
    }
}

/// Why what was seen is not the place that was cited.
fn not_there(file: &FileSeen, line: u32) -> Option<String> {
    match &file.seen {
        Seen::Absent => Some("no such file is there".to_owned()),
        // Another report cited a line behind its end.
        Seen::Digest { problem: Some(problem), .. }
            if problem.got.parse().is_ok_and(|lines: u32| line <= lines) =>
        {
            None
        }
        Seen::Digest { problem: Some(problem), .. } => {
            Some(format!("expected {}, got {}", problem.expected, problem.got))
        }
        Seen::Text { .. } | Seen::Digest { problem: None, .. } => None,
    }
}
