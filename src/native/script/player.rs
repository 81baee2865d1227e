//! Plays one run of a scripted team: its steps, its report, its end.

use super::{Ends, FileText, HeaderLines, ReportText, Scenario, Step, Told};
use crate::native::error::{HostError, HostResult};
use crate::native::git::Git;
use crate::vocab::error::{Code, Error};
use crate::vocab::json;
use serde_json::Value;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

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
runs:
  - when: {role: completion-reviewer}
    do:
      - write: {path: a/b.txt, text: \"run ${run} of ${item}\\n\"}
      - run: [test, -f, a/b.txt]
    report: {block: {head: '${head}', n: 1}}
";

    #[test]
    fn steps_are_done_and_reports_filled() {
        let dir = tempfile::tempdir().unwrap();
        let scenario = Scenario::parse(TEXT).unwrap();
        let told = Told {
            run: "7.1".to_owned(),
            mission: "M".to_owned(),
            root: dir.path().to_owned(),
            role: "completion-reviewer".to_owned(),
            item: "S1".to_owned(),
            ..Told::default()
        };
        assert_eq!(play(&scenario, &told).unwrap(), 0);
        let text = fs::read_to_string(dir.path().join("a/b.txt")).unwrap();
        assert_eq!(text, "run 7.1 of S1\n");
        let player = Player { scenario: &scenario, told: &told };
        let report = player.report(scenario.runs[0].report.as_ref().unwrap()).unwrap();
        assert!(report.starts_with("MISSION ANCHOR: M\nRemaining contract IDs: none\n"));
        assert!(report.contains("{\"head\":\"none\",\"n\":1}"), "{report}");
    }
}
