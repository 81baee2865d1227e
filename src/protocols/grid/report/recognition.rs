//! The report of a recognizer: a verdict, a row for each must-have, and the gaps.

use super::super::form::{text, word, words};
use super::super::warmth::Lessons;
use super::super::wave::MOST_GAPS;
use crate::mission::prelude::*;
use crate::mission::template::{Fields, fields};
use crate::vocab::evidence::weigh;
use crate::vocab::verdict::Verdict;

/// The most characters of a reason, and of an anomaly.
pub(in super::super) const MOST_REASON: usize = 2_000;
/// The most items that are missing in one gap.
pub(in super::super) const MOST_MISSING: usize = 20;
/// The most characters of one of them.
pub(in super::super) const MOST_ITEM: usize = 500;
/// The most characters of a method.
pub(in super::super) const MOST_METHOD: usize = 1_000;
/// The most characters of a name.
pub(in super::super) const MOST_NAME: usize = 100;
/// The most characters of all gaps of a report: whoever closes them is told them whole.
pub(in super::super) const MOST_WORDS: usize = 40_000;

words! {
    /// What a recognizer finds.
    WaveVerdict {
        Clear "CLEAR" "Every must-have is shown.";
        GapsFound "GAPS_FOUND" "Something is not.";
        CriticalAnomaly "CRITICAL_ANOMALY" "Something is so wrong that a person must decide.";
    }
}

/// What a recognizer returns, for a wave or on patrol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridRecognizerReport")]
pub struct RecognizerReport {
    /// Its verdict.
    pub verdict: WaveVerdict,
    /// One row per must-have.
    #[serde(default)]
    pub verdicts: Vec<Row>,
    /// What is missing.
    #[serde(default)]
    pub gaps: Vec<GapForm>,
    /// What is so wrong.
    #[serde(default, deserialize_with = "word")]
    pub anomaly: Option<String>,
    /// What was learned.
    #[serde(default)]
    pub lessons_learned: Lessons,
}

/// What was found about one must-have of one block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridVerdictRow")]
pub struct Row {
    /// The block.
    #[serde(deserialize_with = "text")]
    pub block: String,
    /// Id of the must-have.
    pub criterion: String,
    /// What was found.
    pub finding: Finding,
    /// How it was found out.
    #[serde(default)]
    pub method: String,
    /// Typed proof.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
}

impl Row {
    /// Whether it speaks against its must-have, by its word or by its evidence.
    pub(in super::super) fn doubts(&self) -> bool {
        self.finding != Finding::Holds || weigh(&self.evidence) == Finding::DoesNotHold
    }
}

impl From<&Row> for Verdict {
    fn from(form: &Row) -> Self {
        Verdict {
            criterion: form.criterion.clone(),
            finding: form.finding,
            method: form.method.clone(),
            evidence: form.evidence.clone(),
        }
    }
}

/// Something that is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridGapForm")]
pub struct GapForm {
    /// The block.
    #[serde(default, deserialize_with = "word")]
    pub block: Option<String>,
    /// The must-have.
    #[serde(default, deserialize_with = "word")]
    pub criterion: Option<String>,
    /// What is wrong.
    pub reason: String,
    /// What is missing.
    #[serde(default, deserialize_with = "words")]
    pub missing: Vec<String>,
}

/// A recognizer's verdict says what it is about.
pub(super) fn consistent(report: &RecognizerReport) -> Result<()> {
    let silent = report.anomaly.is_none() && report.gaps.is_empty();
    if report.gaps.len() > MOST_GAPS {
        let expected = format!("at most {MOST_GAPS} gaps, the gravest first");
        return Err(Error::new(Code::TooLarge, "gaps", expected, report.gaps.len().to_string()));
    }
    whole(report)?;
    // A report that names an anomaly and another verdict contradicts itself; neither is taken.
    if let Some(said) =
        report.anomaly.as_ref().filter(|_| report.verdict != WaveVerdict::CriticalAnomaly)
    {
        let expected = format!("none with {}, or CRITICAL_ANOMALY", report.verdict.as_str());
        return Err(Error::new(Code::InconsistentVerdict, "anomaly", expected, clip(said, 200)));
    }
    match report.verdict {
        WaveVerdict::Clear if !report.gaps.is_empty() => {
            let got = format!("{} gaps", report.gaps.len());
            Err(Error::new(Code::InconsistentVerdict, "gaps", "no gaps with CLEAR", got))
        }
        WaveVerdict::CriticalAnomaly if silent => {
            Err(Error::new(Code::MissingField, "anomaly", "what is so wrong", "none"))
        }
        WaveVerdict::Clear | WaveVerdict::GapsFound | WaveVerdict::CriticalAnomaly => Ok(()),
    }
}

/// Whoever closes gaps is told all of them whole.
fn whole(report: &RecognizerReport) -> Result<()> {
    let mut all = 0_usize;
    for gap in &report.gaps {
        let items = gap.missing.iter().map(|one| one.chars().count()).sum::<usize>();
        all = all.saturating_add(items).saturating_add(gap.reason.chars().count());
    }
    ensure(all <= MOST_WORDS, || {
        let expected = format!("gaps of at most {MOST_WORDS} characters together");
        Error::new(Code::TooLarge, "gaps", expected, all.to_string())
    })
}

/// What the form says of how long all of it may be.
pub(super) fn limits() -> Fields {
    fields! {
        reason: MOST_REASON,
        missing: MOST_MISSING,
        item: MOST_ITEM,
        method: MOST_METHOD,
        words: MOST_WORDS,
        gaps: MOST_GAPS,
    }
}
