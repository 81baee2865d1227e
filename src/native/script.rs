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

use super::error::{HostError, HostResult};
use super::git::Git;
use crate::vocab::error::{Code, Error};
use crate::vocab::json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

/// The largest scenario that is read, in bytes.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// A scenario: what a whole team does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(u64),
    /// Several.
    Many(Vec<u64>),
}

/// One thing that is done in the repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeaderLines {
    /// They are.
    #[default]
    Added,
    /// They are not.
    None,
}

/// How a run ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// One run of the team.
struct Player<'a> {
    scenario: &'a Scenario,
    told: &'a Told,
}

/// Plays one run to its end. Answers with the exit status, unless the part ends otherwise.
///
/// # Errors
/// `io` for a step that fails, with what failed; `unknown_item` if no part fits.
pub fn play(scenario: &Scenario, told: &Told) -> HostResult<u8> {
    let Some(part) = scenario.part(told) else {
        let Told { role, visit, item, .. } = told;
        let got = format!("{role}, visit {visit}, item `{item}`, corrects `{}`", told.corrects);
        return Err(Error::new(Code::UnknownItem, "runs", "a part that fits", got).into());
    };
    let player = Player { scenario, told };
    for step in &part.steps {
        player.step(step)?;
    }
    if let Some(report) = &part.report {
        put(&player.report(report)?)?;
    }
    if let Some(raw) = &part.raw {
        put(&player.fill(raw)?)?;
    }
    end(part.ends)
}

fn put(text: &str) -> HostResult<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| HostError::io("write", "standard output", error))
}

fn end(ends: Ends) -> HostResult<u8> {
    match ends {
        Ends::Well => Ok(0),
        Ends::Exit(status) => Ok(status),
        Ends::Signal => {
            let this = rustix::process::getpid();
            let _ = rustix::process::kill_process(this, rustix::process::Signal::KILL);
            Ok(1)
        }
        Ends::Hang => loop {
            sleep(Duration::from_secs(3_600));
        },
        Ends::Flood(bytes) => {
            let line = format!("{}\n", "x".repeat(1_023));
            for _ in 0..bytes.div_ceil(1_024) {
                put(&line)?;
            }
            Ok(0)
        }
        Ends::Escapes => {
            put("\u{1b}]0;taken over\u{7}\u{1b}[2J\u{1b}[31mred\u{1b}[0m \u{202e}backwards\n")?;
            Ok(0)
        }
    }
}

impl Player<'_> {
    fn head(&self) -> HostResult<String> {
        Ok(Git::of(&self.told.root).head()?.unwrap_or_else(|| "none".to_owned()))
    }

    /// Replaces the placeholders.
    fn fill(&self, text: &str) -> HostResult<String> {
        if !text.contains("${") {
            return Ok(text.to_owned());
        }
        let told = self.told;
        let mut filled = text.to_owned();
        if filled.contains("${head}") {
            filled = filled.replace("${head}", &self.head()?);
        }
        let (visit, pairs) = (
            told.visit.to_string(),
            [
                ("${mission}", told.mission.as_str()),
                ("${run}", told.run.as_str()),
                ("${item}", told.item.as_str()),
                ("${role}", told.role.as_str()),
            ],
        );
        for (name, value) in pairs {
            filled = filled.replace(name, value);
        }
        Ok(filled.replace("${visit}", &visit))
    }

    fn fill_value(&self, value: &Value) -> HostResult<Value> {
        Ok(match value {
            Value::String(text) => Value::String(self.fill(text)?),
            Value::Array(items) => Value::Array(
                items.iter().map(|item| self.fill_value(item)).collect::<HostResult<_>>()?,
            ),
            Value::Object(fields) => {
                let mut filled = serde_json::Map::new();
                for (name, field) in fields {
                    filled.insert(name.clone(), self.fill_value(field)?);
                }
                Value::Object(filled)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        })
    }

    fn report(&self, report: &ReportText) -> HostResult<String> {
        let mut text = String::new();
        if report.header == HeaderLines::Added {
            let anchor = report.anchor.as_ref().unwrap_or(&self.told.mission);
            let remaining = report.remaining.as_deref().unwrap_or("none");
            text.push_str(&format!(
                "MISSION ANCHOR: {}\nRemaining contract IDs: {}\n\n",
                self.fill(anchor)?,
                self.fill(remaining)?
            ));
        }
        if let Some(words) = &report.words {
            text.push_str(&format!("{}\n\n", self.fill(words)?));
        }
        if let Some(block) = &report.block {
            let block = json::encode(&self.fill_value(block)?);
            text.push_str(&format!("```json\n{block}\n```\n"));
        }
        if let Some(block) = &report.block_text {
            text.push_str(&format!("```json\n{}\n```\n", self.fill(block)?));
        }
        Ok(text)
    }

    fn step(&self, step: &Step) -> HostResult<()> {
        match step {
            Step::Run(argv) => self.run(argv, true),
            Step::Try(argv) => self.run(argv, false),
            Step::Write(file) => self.write(file, false),
            Step::Append(file) => self.write(file, true),
            Step::Remove(path) => {
                let path = self.path(path)?;
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        Err(HostError::io("remove", path, error))
                    }
                    _ => Ok(()),
                }
            }
            Step::Commit(message) => self.commit(&self.fill(message)?),
            Step::SleepMs(milliseconds) => {
                sleep(Duration::from_millis(*milliseconds));
                Ok(())
            }
            Step::Progress(text) => {
                let text = json::encode(&self.fill(text)?);
                put(&format!("{{\"endstate\":\"progress\",\"kind\":\"step\",\"text\":{text}}}\n"))
            }
            Step::Say(text) => {
                // Nobody may be listening any more.
                let _ = writeln!(io::stderr(), "{}", self.fill(text)?);
                Ok(())
            }
            Step::WaitFor(path) => {
                let path = self.path(path)?;
                for _ in 0..1_200 {
                    if path.exists() {
                        return Ok(());
                    }
                    sleep(Duration::from_millis(50));
                }
                Err(HostError::io("wait for", path, io::ErrorKind::TimedOut.into()))
            }
        }
    }

    fn path(&self, path: &str) -> HostResult<PathBuf> {
        Ok(self.told.root.join(self.fill(path)?))
    }

    fn write(&self, file: &FileText, append: bool) -> HostResult<()> {
        let (path, text) = (self.path(&file.path)?, self.fill(&file.text)?);
        let parent = path.parent().unwrap_or(&self.told.root);
        let mut options = fs::OpenOptions::new();
        options.create(true).write(true).append(append).truncate(!append);
        let written = fs::create_dir_all(parent)
            .and_then(|()| options.open(&path))
            .and_then(|mut open| open.write_all(text.as_bytes()));
        written.map_err(|error| HostError::io("write", &path, error))?;
        if file.executable {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
                .map_err(|error| HostError::io("write", &path, error))?;
        }
        Ok(())
    }

    /// Runs a program; what it prints goes to standard error, which is no part of the report.
    fn run(&self, argv: &[String], must: bool) -> HostResult<()> {
        let argv = argv.iter().map(|word| self.fill(word)).collect::<HostResult<Vec<_>>>()?;
        let Some((program, arguments)) = argv.split_first() else { return Ok(()) };
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.told.root).stdin(std::process::Stdio::null());
        command.stdout(io::stderr());
        if let Some(date) = &self.scenario.commit_date {
            command.env("GIT_AUTHOR_DATE", date).env("GIT_COMMITTER_DATE", date);
        }
        let status =
            command.status().map_err(|error| HostError::io("start", program.as_str(), error))?;
        if must && !status.success() {
            let line = argv.join(" ");
            return Err(HostError::io("run", line, io::Error::other(status.to_string())));
        }
        Ok(())
    }

    fn commit(&self, message: &str) -> HostResult<()> {
        let words =
            |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        if Git::of(&self.told.root).dirty()?.is_empty() {
            return Ok(());
        }
        self.run(&words(&["git", "add", "-A"]), true)?;
        self.run(&words(&["git", "commit", "-q", "-m", message]), true)
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

    #[test]
    fn steps_are_done_and_reports_filled() {
        let dir = tempfile::tempdir().unwrap();
        let scenario = Scenario::parse(TEXT).unwrap();
        let told = Told {
            run: "7.1".to_owned(),
            mission: "M".to_owned(),
            root: dir.path().to_owned(),
            ..told("completion-reviewer", 1)
        };
        assert_eq!(play(&scenario, &told).unwrap(), 0);
        let text = fs::read_to_string(dir.path().join("a/b.txt")).unwrap();
        assert_eq!(text, "run 7.1 of S1\n");
        let player = Player { scenario: &scenario, told: &told };
        let report = player.report(scenario.runs[1].report.as_ref().unwrap()).unwrap();
        assert!(report.starts_with("MISSION ANCHOR: M\nRemaining contract IDs: none\n"));
        assert!(report.contains("{\"head\":\"none\",\"n\":1}"), "{report}");
    }
}
