//! Debug sessions: a hypothesis graph that survives a restart, because it is part of the state.
//!
//! Symptoms never change, and no hypothesis is ever dropped: a hypothesis that was ruled out stays ruled out, so
//! that no run tries it again.

use super::form;
use super::report::Failure;
use crate::mission::prelude::*;
use crate::vocab::evidence::is_no_work;
use crate::vocab::json;
use crate::vocab::time::rfc3339;
use std::fmt::Write;

/// The most runs of one session.
pub const MOST_RUNS: u32 = 5;

words! {
    /// The state of a session.
    DebugStatus {
        Investigating "investigating" "Looking.";
        Hypothesis "hypothesis" "There is an idea.";
        Testing "testing" "It is being tested.";
        Resolved "resolved" "It is known.";
    }
}

/// An idea of what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridHypothesis")]
pub struct Hypothesis {
    /// Its words; they name it.
    pub hypothesis: String,
    /// `OPEN`, `TESTING`, `RULED OUT`, `CONFIRMED`.
    #[serde(default)]
    pub status: String,
    /// What speaks for or against it.
    #[serde(default)]
    pub evidence: String,
}

/// What a debugger returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridDebugReport")]
pub struct DebugReport {
    /// The state of the session now.
    pub status: DebugStatus,
    /// Hypotheses that are new or have changed.
    #[serde(default)]
    pub hypotheses: Vec<Hypothesis>,
    /// What was tried, with what came of it.
    #[serde(default, deserialize_with = "form::words")]
    pub tried: Vec<String>,
    /// What is ruled out.
    #[serde(default, deserialize_with = "form::words")]
    pub ruled_out: Vec<String>,
    /// Where to look next.
    #[serde(default)]
    pub current_focus: String,
    /// What was found.
    #[serde(default)]
    pub findings: String,
    /// Its lessons.
    #[serde(default)]
    pub lessons_learned: super::warmth::Lessons,
    /// Its extra fields.
    #[serde(default, deserialize_with = "form::words", skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub beside: Vec<String>,
}

/// A session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridDebugSession")]
pub struct DebugSession {
    /// Time and block.
    pub session_id: String,
    /// What was seen; never changes.
    pub symptoms: Vec<String>,
    /// Its state.
    pub status: DebugStatus,
    /// When it began.
    pub created: Millis,
    /// When it changed.
    pub updated: Millis,
    /// All ideas.
    pub hypotheses: Vec<Hypothesis>,
    /// All attempts.
    pub tried: Vec<String>,
    /// What is ruled out.
    pub ruled_out: Vec<String>,
    /// Where to look next.
    pub current_focus: String,
    /// What was found.
    pub findings: String,
    /// Runs so far.
    pub runs: u32,
}

impl DebugSession {
    /// A new session. What was seen is a symptom; what those who failed thought of it is a hypothesis.
    pub(super) fn open(block: &str, failures: &[Failure], at: Millis) -> DebugSession {
        let mut symptoms = Vec::new();
        let mut hypotheses: Vec<Hypothesis> = Vec::new();
        for failure in failures {
            add(&mut symptoms, &seen(failure));
            let words = failure.hypothesis.as_deref().filter(|_| !failure.is_bare());
            let words = one_line(words.unwrap_or_default());
            let known = hypotheses.iter().any(|one| one.hypothesis == words);
            if !words.is_empty() && !known {
                let (status, evidence) = ("OPEN".to_owned(), String::new());
                hypotheses.push(Hypothesis { hypothesis: words, status, evidence });
            }
        }
        DebugSession {
            session_id: format!("{at}-{block}"),
            symptoms,
            created: at,
            updated: at,
            hypotheses,
            ..DebugSession::default()
        }
    }

    /// The path of its file.
    pub(super) fn path(&self) -> String {
        format!("{}{}.md", super::files::DEBUG, self.session_id)
    }

    /// Takes a report: what it says is added, nothing is taken away.
    ///
    /// # Errors
    /// `missing_field` for a resolved session that says nothing about what was found, or a row without words;
    /// `unknown_item` for a row that names a hypothesis by a number that no hypothesis has; `item_closed` for one that
    /// changes what was settled; `evidence_missing` for one that settles by what git or the engine keep.
    pub(super) fn take(&mut self, report: &DebugReport, at: Millis) -> Result<()> {
        if report.status == DebugStatus::Resolved && one_line(&report.findings).is_empty() {
            let expected = "what was found";
            return Err(Error::new(Code::MissingField, "findings", expected, "none"));
        }
        let mut rows = Vec::new();
        for (place, said) in report.hypotheses.iter().enumerate() {
            let words =
                self.row(said).map_err(|error| error.within(&format!("hypotheses[{place}]")))?;
            rows.push((words, said));
        }
        for (words, said) in rows {
            let said = Hypothesis {
                hypothesis: words.clone(),
                status: one_line(&said.status),
                evidence: one_line(&said.evidence),
            };
            match self.hypotheses.iter().position(|one| one.hypothesis == words) {
                Some(place) => self.hypotheses[place] = said,
                None => self.hypotheses.push(said),
            }
        }
        add(&mut self.tried, &report.tried);
        add(&mut self.ruled_out, &report.ruled_out);
        self.status = report.status;
        self.current_focus = one_line(&report.current_focus);
        self.find(report);
        self.updated = at;
        self.runs += 1;
        Ok(())
    }

    /// What was found goes behind what was found before, unless it says that as well.
    fn find(&mut self, report: &DebugReport) {
        let found = std::iter::once(report.findings.trim());
        let all: Vec<&str> = found.chain(report.beside.iter().map(String::as_str)).collect();
        let more = all.join("\n");
        match self.findings.trim() {
            known if known.contains(more.trim()) => {}
            known if more.contains(known) => self.findings = more,
            known => self.findings = format!("{known}\n{more}"),
        }
    }

    /// The words of the hypothesis that a row is about, if it may say that.
    fn row(&self, said: &Hypothesis) -> Result<String> {
        let words = one_line(&said.hypothesis);
        ensure!(!words.is_empty(), Code::MissingField, "hypothesis", "its words", "none")?;
        let known = match number(&words) {
            // As the table of the session counts them.
            Some(number) => {
                let there = number.checked_sub(1).and_then(|place| self.hypotheses.get(place));
                let expected = match self.hypotheses.len() {
                    0 => "the words of a hypothesis: there is none yet that a number could mean"
                        .to_owned(),
                    1 => "1, or the words of a hypothesis".to_owned(),
                    most => format!("1 to {most}, or the words of a hypothesis"),
                };
                let unknown = || Error::new(Code::UnknownItem, "hypothesis", expected, &words);
                Some(there.ok_or_else(unknown)?)
            }
            None => self.hypotheses.iter().find(|one| one.hypothesis.eq_ignore_ascii_case(&words)),
        };
        let status = word(&said.status);
        if let Some(known) = known.filter(|known| is_settled(&word(&known.status)))
            && status != word(&known.status)
        {
            let expected = format!("{}, as it was settled", known.status);
            return Err(Error::new(Code::ItemClosed, "status", expected, &said.status));
        }
        if is_settled(&status) && cites_no_work(&said.evidence) {
            let expected = "what was seen of the work";
            return Err(Error::new(Code::EvidenceMissing, "evidence", expected, &said.evidence));
        }
        Ok(known.map_or(words, |known| known.hypothesis.clone()))
    }

    /// In the form of its file.
    pub(super) fn render(&self) -> String {
        let mut text = format!(
            "---\nsession_id: {}\nsymptoms: {}\nstatus: {}\ncreated: {}\nupdated: {}\n---\n\n## Investigation \
             Graph\n\n### Hypotheses\n| # | Hypothesis | Status | Evidence |\n|---|------------|--------|----------|\n",
            self.session_id,
            json::encode(&self.symptoms),
            self.status.as_str(),
            rfc3339(self.created),
            rfc3339(self.updated)
        );
        let cell = |text: &str| text.replace('|', "\\|");
        for (place, one) in self.hypotheses.iter().enumerate() {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} |",
                place + 1,
                cell(&one.hypothesis),
                cell(&one.status),
                cell(&one.evidence)
            );
        }
        for (title, lines) in [("Tried", &self.tried), ("Ruled Out", &self.ruled_out)] {
            let _ = write!(text, "\n### {title}\n");
            for line in lines {
                let _ = writeln!(text, "- {line}");
            }
        }
        let _ = write!(text, "\n### Current Focus\n{}\n\n## Findings\n", self.current_focus);
        for line in self.findings.lines() {
            let _ = writeln!(text, "> {line}");
        }
        text
    }
}

/// What was seen of a failure: what came of each try, or what ended a run that said nothing.
fn seen(failure: &Failure) -> Vec<String> {
    let tried = failure.tried.iter().map(|one| match one_line(&one.reason) {
        reason if reason.is_empty() => format!("{}: it failed", one.approach),
        reason => format!("{}: {reason}", one.approach),
    });
    let ended = failure.hypothesis.iter().filter(|_| failure.is_bare()).cloned();
    tried.chain(ended).collect()
}

/// `2`, `#2` or `H2`: the number of a hypothesis in the table.
fn number(words: &str) -> Option<usize> {
    words.trim_start_matches(['#', 'H', 'h']).parse().ok()
}

/// A status in one spelling.
fn word(status: &str) -> String {
    one_line(status).to_uppercase().replace(['_', '-'], " ")
}

fn is_settled(status: &str) -> bool {
    matches!(status, "RULED OUT" | "CONFIRMED")
}

/// Whether all that an evidence cites is kept by git or the engine.
fn cites_no_work(evidence: &str) -> bool {
    let edge = |letter: char| !(letter.is_alphanumeric() || matches!(letter, '.' | '_' | '/'));
    let words = evidence.split_whitespace().map(|word| word.trim_matches(edge));
    let mut paths = words.filter(|word| word.contains('/')).peekable();
    paths.peek().is_some() && paths.all(is_no_work)
}

fn add(known: &mut Vec<String>, more: &[String]) {
    for line in more {
        let line = one_line(line);
        if !line.is_empty() && !known.contains(&line) {
            known.push(line);
        }
    }
}
