//! The scripted team: a scenario file says, role by role and visit by visit, which commands to run
//! in the repository and what to report, misbehaviour included.
//!
//! A scenario is executed as a real process, `endstate role-script FILE`, once per run: it finds the
//! first part whose `when` fits what the environment (`ENDSTATE_ROLE`, `ENDSTATE_VISIT`, …) and the
//! prompt on standard input say, does its steps, and ends as told. No part fits: exit status 1. The
//! format is described in `docs/scenarios.md`; the types here are the source of its schema.
//!
//! `${head}`, `${mission}`, `${run}`, `${item}`, `${visit}` and `${role}` are replaced in every text
//! of steps and reports; `${head}` is the commit at the moment of use, `none` if there is none yet.

mod player;

use super::error::{HostError, HostResult};
use crate::vocab::error::{Code, Error};
use crate::vocab::json::{self, Fault, Node, Readable, Serialize};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde_json::Value;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub use player::play;

/// The largest scenario that is read, in bytes.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// A scenario: what a whole team does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Author and committer date of every commit, RFC 3339, so that commit ids are the same each
    /// time.
    #[serde(default)]
    pub commit_date: Option<String>,
    /// What is done when; the first part that fits is played.
    pub runs: Vec<Part>,
}

/// What one run does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Which runs this is for.
    pub when: When,
    /// What is done in the repository, in order. A step that fails ends the run with status 1.
    #[serde(default, rename = "do")]
    pub steps: Vec<Step>,
    /// The report. Without one, and without `raw`, the run is silent.
    #[serde(default)]
    pub report: Option<ReportText>,
    /// Text that is printed instead of a report, or behind it.
    #[serde(default)]
    pub raw: Option<String>,
    /// How the run ends; by default with exit status 0.
    #[serde(default)]
    pub ends: Ends,
}

/// Which runs a part is for. What is not named fits everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct When {
    /// The role, with or without the protocol's prefix: `reviewer`, `completion-reviewer`.
    pub role: Option<String>,
    /// The number of the visit, or several.
    pub visit: Option<OneOrMany>,
    /// The item the run is for.
    pub item: Option<String>,
    /// Whether the run corrects an unreadable report.
    pub corrects: Option<bool>,
    /// Words that the prompt must contain. Unlike a visit, this also fits after a lost run.
    pub prompt: Option<String>,
    /// A path that must be there.
    pub exists: Option<String>,
    /// A path that must not be there.
    pub missing: Option<String>,
}

/// One number or a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(u64),
    /// Several.
    Many(Vec<u64>),
}

impl Readable for OneOrMany {
    fn read(node: Node<'_>) -> Result<Self, Fault> {
        let read = match node {
            many @ Node::List(_) => Vec::read(many).map(OneOrMany::Many),
            one => u64::read(one).map(OneOrMany::One),
        };
        let known = "data did not match any variant of untagged enum OneOrMany";
        read.map_err(|_| Fault::custom(known))
    }
}

/// One thing that is done in the repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Runs a program with arguments, without a shell; it must exit with status 0.
    Run(Vec<String>),
    /// The same, whatever its status.
    Try(Vec<String>),
    /// Writes a file, making its directories.
    Write(FileText),
    /// Appends to a file.
    Append(FileText),
    /// Removes a file, if it is there.
    Remove(String),
    /// Commits everything in the worktree, if anything changed.
    Commit(String),
    /// Waits.
    SleepMs(u64),
    /// Gives a structured sign of life.
    Progress(String),
    /// Prints a line on standard error: activity for the host, no part of the report.
    Say(String),
    /// Waits until a path is there, at most a minute.
    WaitFor(String),
}

/// A file and its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileText {
    /// From the root of the repository.
    pub path: String,
    /// Whole lines, as a rule.
    pub text: String,
    /// The file is a program.
    #[serde(default)]
    pub executable: bool,
}

/// A report in parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportText {
    /// Whether the shared header lines are added.
    #[serde(default)]
    pub header: HeaderLines,
    /// Another mission's anchor than the right one.
    #[serde(default)]
    pub anchor: Option<String>,
    /// What stands behind `Remaining contract IDs:`.
    #[serde(default)]
    pub remaining: Option<String>,
    /// A few words for people.
    #[serde(default)]
    pub words: Option<String>,
    /// The fenced block.
    #[serde(default)]
    pub block: Option<Value>,
    /// The text of the fenced block as it stands: for one that is malformed.
    #[serde(default)]
    pub block_text: Option<String>,
}

/// See [`ReportText::header`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeaderLines {
    /// They are.
    #[default]
    Added,
    /// They are not.
    None,
}

/// How a run ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Ends {
    /// With exit status 0.
    #[default]
    Well,
    /// With another status.
    Exit(u8),
    /// By a signal it sends to itself.
    Signal,
    /// Not at all.
    Hang,
    /// After this many bytes of output.
    Flood(u64),
    /// Well, with terminal escapes all over its output.
    Escapes,
}

/// What a run is told by its environment and its prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// `ENDSTATE_ROLE`.
    pub role: String,
    /// `ENDSTATE_RUN`.
    pub run: String,
    /// `ENDSTATE_VISIT`.
    pub visit: u64,
    /// `ENDSTATE_ITEM`; empty for none.
    pub item: String,
    /// `ENDSTATE_MISSION`.
    pub mission: String,
    /// `ENDSTATE_CORRECTS`; empty for none.
    pub corrects: String,
    /// `ENDSTATE_ROOT`.
    pub root: PathBuf,
    /// Standard input.
    pub prompt: String,
}

impl Scenario {
    /// Reads YAML, of which JSON is a part.
    ///
    /// # Errors
    /// `syntax` if it is neither, else the exact fault with its JSON path.
    pub fn parse(text: &str) -> Result<Scenario, Error> {
        let value: Value = serde_saphyr::from_str(text).map_err(|error| {
            let got = error.to_string();
            Error::new(Code::Syntax, "scenario", "YAML or JSON", got.trim())
        })?;
        let scenario: Scenario =
            json::decode(&json::encode(&value)).map_err(|error| error.within("scenario"))?;
        if let Some(date) = &scenario.commit_date {
            crate::vocab::time::parse_rfc3339(date)
                .map_err(|error| error.within("scenario.commit_date"))?;
        }
        Ok(scenario)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// `io`, `not_utf8`, or as [`Scenario::parse`].
    pub fn read(path: &Path) -> HostResult<Scenario> {
        let fail = |error| HostError::io("read", path, error);
        let mut bytes = Vec::new();
        let file = fs::File::open(path).map_err(fail)?;
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
        if bytes.len() as u64 > MOST_BYTES {
            let expected = format!("at most {MOST_BYTES} bytes");
            return Err(Error::new(Code::TooLarge, "scenario", expected, "more").into());
        }
        let text = json::utf8(&bytes).map_err(|error| error.within("scenario"))?;
        Ok(Scenario::parse(text)?)
    }

    /// The first part that fits.
    pub fn part(&self, told: &Told) -> Option<&Part> {
        self.runs.iter().find(|part| part.when.fits(told))
    }
}

impl When {
    fn fits(&self, told: &Told) -> bool {
        let same_role = |role: &String| {
            let plain = told.role.split_once('-').map(|(_, plain)| plain);
            *role == told.role || plain == Some(role.as_str())
        };
        let there = |path: &String| told.root.join(path).exists();
        self.role.as_ref().is_none_or(same_role)
            && self.visit.as_ref().is_none_or(|visit| visit.names(told.visit))
            && self.item.as_ref().is_none_or(|item| *item == told.item)
            && self.corrects.is_none_or(|corrects| corrects != told.corrects.is_empty())
            && self.prompt.as_ref().is_none_or(|words| told.prompt.contains(words.as_str()))
            && self.exists.as_ref().is_none_or(there)
            && self.missing.as_ref().is_none_or(|path| !there(path))
    }
}

impl OneOrMany {
    fn names(&self, number: u64) -> bool {
        match self {
            OneOrMany::One(one) => *one == number,
            OneOrMany::Many(many) => many.contains(&number),
        }
    }
}

impl Told {
    /// From the environment and standard input of this process.
    pub fn of_process() -> Told {
        let of = |name: &str| std::env::var(format!("ENDSTATE_{name}")).unwrap_or_default();
        let mut prompt = Vec::new();
        // A prompt that cannot be read is an empty one: rules that ask for its words do not fit.
        let _ = io::stdin().read_to_end(&mut prompt);
        Told {
            role: of("ROLE"),
            run: of("RUN"),
            visit: of("VISIT").parse().unwrap_or(0),
            item: of("ITEM"),
            mission: of("MISSION"),
            corrects: of("CORRECTS"),
            root: PathBuf::from(of("ROOT")),
            prompt: String::from_utf8_lossy(&prompt).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
commit_date: 2030-01-01T00:00:00Z
runs:
  - when: {role: reviewer, visit: [2, 3]}
    ends: {exit: 4}
  - when: {role: completion-reviewer, item: S1, corrects: false}
    do:
      - write: {path: a/b.txt, text: \"run ${run} of ${item}\\n\"}
      - run: [test, -f, a/b.txt]
    report: {block: {head: '${head}', n: 1}}
";

    fn told(role: &str, visit: u64) -> Told {
        Told { role: role.to_owned(), visit, item: "S1".to_owned(), ..Told::default() }
    }

    #[test]
    fn the_first_part_that_fits_is_played() {
        let scenario = Scenario::parse(TEXT).unwrap();
        let place = |told: &Told| {
            let part = scenario.part(told)?;
            scenario.runs.iter().position(|one| one == part)
        };
        assert_eq!(place(&told("completion-reviewer", 2)), Some(0));
        assert_eq!(place(&told("completion-reviewer", 1)), Some(1));
        let corrects = Told { corrects: "3.1".to_owned(), ..told("completion-reviewer", 1) };
        assert_eq!(place(&corrects), None);
        assert_eq!(play(&scenario, &told("auditor", 1)).unwrap_err().code(), "unknown_item");
    }

    #[test]
    fn faults_name_their_place() {
        for (text, code, at) in [
            ("runs: [", "syntax", "scenario"),
            ("runs: [{when: {roll: x}}]", "unknown_field", "scenario.runs[0].when"),
            ("commit_date: soon\nruns: []", "invalid_value", "scenario.commit_date"),
        ] {
            let error = Scenario::parse(text).unwrap_err();
            assert_eq!(error.code.as_str(), code, "{text}: {error}");
            assert!(error.at.starts_with(at), "{text}: {error}");
        }
    }
}
