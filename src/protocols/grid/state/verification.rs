//! The looks, the gaps and the verdicts.

use super::super::report::WaveVerdict;
use crate::mission::prelude::*;

/// How far the verification of a wave, or the patrol, has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridVerification")]
pub struct Verification {
    /// The head at which the artifacts were looked at.
    pub looked_at: Option<u64>,
    /// What the look found, by `block/criterion`.
    pub mechanical: BTreeMap<String, Checked>,
}

/// The three levels of an artifact check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridChecked")]
pub struct Checked {
    /// It is there.
    pub exists: Finding,
    /// It is real, and no stub.
    pub substantive: Finding,
    /// It is in use.
    pub wired: Finding,
    /// Why.
    pub why: String,
}

/// Something that was not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridGap")]
pub struct Gap {
    /// The block; blank for none in particular.
    pub block: String,
    /// The must-have; blank for none in particular.
    pub criterion: String,
    /// What is wrong, or missing.
    pub reason: String,
}

impl Gap {
    /// `block/criterion`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.block, self.criterion)
    }
}

/// A gap that was told of a must-have, kept with its block: whoever closes or judges it is told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridToldGap")]
pub struct ToldGap {
    /// The must-have.
    pub criterion: String,
    /// What is wrong, and what is missing.
    pub reason: String,
    /// How it was found out; blank where nobody said.
    pub method: String,
    /// Evidence that was not enough, or that spoke against it.
    pub refused: Vec<String>,
    /// The head at which it was told last.
    pub head: String,
    /// How often it was told.
    pub times: u32,
    /// What was said of it before, in other words, the latest last; bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Earlier>,
    /// How much was said of it before that.
    #[serde(default, skip_serializing_if = "is_none")]
    pub dropped: u32,
    /// How it was shown since, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<String>,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

/// What was said of a gap before it was told again in other words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridEarlierGap")]
pub struct Earlier {
    /// What was wrong, and what was missing.
    pub reason: String,
    /// How it was found out; blank where nobody said.
    pub method: String,
}

/// Critical anomalies that were told, whatever the user answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridAnomalies")]
pub struct Anomalies {
    /// Each once, the latest last; bounded.
    pub told: Vec<ToldAnomaly>,
    /// How many there were before those.
    pub dropped: u32,
}

impl Anomalies {
    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.told.is_empty()
    }
}

/// A critical anomaly, kept until the mission ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridToldAnomaly")]
pub struct ToldAnomaly {
    /// What.
    pub text: String,
    /// Its gaps that are about no must-have.
    pub beside: Vec<String>,
    /// The head at which it was told last.
    pub head: String,
}

/// Something so wrong that a person must decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridAnomaly")]
pub struct Anomaly {
    /// The wave it was found in, from 0; as many as there are when a patrol found it.
    pub wave: usize,
    /// What.
    pub text: String,
}

/// A wave that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridWaveRecord")]
pub struct WaveRecord {
    /// Its number, from 1.
    pub wave: u32,
    /// The last verdict; `None` where verification was skipped.
    pub verdict: Option<WaveVerdict>,
    /// The run that gave it.
    pub run: Option<EffectId>,
    /// The head it was shown at.
    pub commit: String,
    /// Rounds of gap closure it took.
    pub gap_rounds: u32,
}

/// A patrol that found everything in place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridPatrol")]
pub struct Patrol {
    /// The run.
    pub run: EffectId,
    /// The number of the head.
    pub ordinal: u64,
    /// The head.
    pub head: String,
}
