//! Checkpoints: an executor stops for a person to look, to decide, or to do what only a person can do.

use super::super::form::{count, list, text, word, words};
use super::outcome::says;
use crate::mission::prelude::*;
use crate::vocab::word as closed;

/// The longest option of a decision, in characters.
const MOST_OPTION: usize = 80;

/// The longest step, and the longest word for or against an option.
pub(in super::super) const MOST_LINE: usize = 1_000;
/// The most steps, and the most options.
pub(in super::super) const MOST_LINES: usize = 20;

closed::words! {
    /// The three types of checkpoint.
    CheckpointType {
        HumanVerify "human-verify" "A person confirms that what was built works.";
        Decision "decision" "A person chooses.";
        HumanAction "human-action" "A person does what nothing else can.";
    }
}

/// A place where a person must act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridCheckpoint")]
pub struct Checkpoint {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: CheckpointType,
    /// Threads that are done.
    #[serde(default, deserialize_with = "list")]
    pub completed_threads: Vec<ThreadDone>,
    /// How many threads the block has.
    #[serde(default, deserialize_with = "count")]
    pub total_threads: Option<u32>,
    /// The thread it is in.
    pub current_thread: CurrentThread,
    /// Where the next run goes on.
    #[serde(default, deserialize_with = "word")]
    pub resume_point: Option<String>,
    /// What the person is to do.
    #[serde(default, deserialize_with = "word")]
    pub awaiting: Option<String>,
    /// human-verify: what was built.
    #[serde(default, deserialize_with = "word")]
    pub what_was_built: Option<String>,
    /// human-verify: how to verify it, step by step.
    #[serde(default, deserialize_with = "words")]
    pub how_to_verify: Vec<String>,
    /// decision: what is being decided.
    #[serde(default, deserialize_with = "word")]
    pub decision: Option<String>,
    /// decision: the ways.
    #[serde(default, deserialize_with = "list")]
    pub options: Vec<Way>,
    /// human-action: what was tried without a person.
    #[serde(default, deserialize_with = "word")]
    pub automation_attempted: Option<String>,
    /// human-action: the one step.
    #[serde(default, deserialize_with = "word")]
    pub what_you_need_to_do: Option<String>,
    /// human-action: how it is verified afterwards.
    #[serde(default, deserialize_with = "word")]
    pub verify_after: Option<String>,
}

impl Checkpoint {
    /// Extra fields that its type does not ask for, each with its name: a person is shown them as well.
    pub(in super::super) fn also(&self) -> Vec<String> {
        use CheckpointType::{Decision, HumanAction, HumanVerify};
        let say = |text: &Option<String>| one_line(text.as_deref().unwrap_or_default());
        let way = |way: &Way| {
            let weighed: Vec<String> = [("for", &way.pros), ("against", &way.cons)]
                .into_iter()
                .filter(|(_, words)| says(words))
                .map(|(what, words)| format!("{what}: {}", one_line(words)))
                .collect();
            let name = one_line(&way.option);
            if weighed.is_empty() { name } else { format!("{name} ({})", weighed.join("; ")) }
        };
        let ways: Vec<String> =
            self.options.iter().filter(|one| says(&one.option)).map(way).collect();
        let steps: Vec<String> = self.how_to_verify.iter().map(|step| one_line(step)).collect();
        let all = [
            (HumanVerify, "what was built", say(&self.what_was_built)),
            (HumanVerify, "how to verify it", steps.join("; ")),
            (Decision, "what is to be decided", say(&self.decision)),
            (Decision, "options", ways.join("; ")),
            (HumanAction, "tried without a person", say(&self.automation_attempted)),
            (HumanAction, "what a person is to do", say(&self.what_you_need_to_do)),
            (HumanAction, "verified afterwards by", say(&self.verify_after)),
        ];
        let other = all.into_iter().filter(|(kind, _, words)| *kind != self.kind && says(words));
        let status = one_line(&self.current_thread.status);
        let usual = ["blocked", "awaiting verification"].contains(&status.to_lowercase().as_str());
        let status = (says(&status) && !usual).then(|| format!("where it stands: {status}"));
        other.map(|(_, what, words)| format!("{what}: {words}")).chain(status).collect()
    }

    /// Whether it holds what its type needs.
    pub(super) fn complete(&self) -> Result<()> {
        use CheckpointType::{Decision, HumanAction, HumanVerify};
        let needs = [
            (HumanVerify, self.what_was_built.is_some(), "what_was_built", "what was built"),
            (HumanVerify, !self.how_to_verify.is_empty(), "how_to_verify", "steps"),
            (HumanAction, self.what_you_need_to_do.is_some(), "what_you_need_to_do", "one step"),
            (Decision, self.decision.is_some(), "decision", "what is being decided"),
        ];
        if let Some((.., field, expected)) =
            needs.into_iter().find(|(kind, there, ..)| *kind == self.kind && !there)
        {
            let at = format!("checkpoint.{field}");
            return Err(Error::new(Code::MissingField, at, expected, "none"));
        }
        if self.kind == Decision { self.choosable() } else { Ok(()) }
    }

    /// Whether a person can choose: the options are shown in a line, and typed as an answer.
    fn choosable(&self) -> Result<()> {
        let wrong = |code, expected: &str, got: &str| {
            Err(Error::new(code, "checkpoint.options", expected, got))
        };
        let words: BTreeSet<&str> = self.options.iter().map(|way| way.option.trim()).collect();
        let long =
            |word: &&&str| word.contains(char::is_control) || word.chars().count() > MOST_OPTION;
        match (self.options.len(), words.iter().find(long)) {
            (0, _) => wrong(Code::MissingField, "at least two ways", "none"),
            (1, _) => wrong(Code::MissingField, "at least two ways", "one"),
            (_, Some(odd)) => {
                let expected = format!("one line of at most {MOST_OPTION} characters for each");
                wrong(Code::InvalidValue, &expected, odd)
            }
            (all, None) if words.len() < all || words.contains("") => {
                wrong(Code::DuplicateId, "a word of its own for each", "one twice or blank")
            }
            (_, None) => Ok(()),
        }
    }
}

/// A thread that is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridThreadDone")]
pub struct ThreadDone {
    /// Its number, e.g. `1.1`.
    #[serde(deserialize_with = "word")]
    pub thread: Option<String>,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its commit.
    #[serde(default, deserialize_with = "word")]
    pub commit: Option<String>,
    /// Its files.
    #[serde(default, deserialize_with = "words")]
    pub files: Vec<String>,
}

/// The thread that a block is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridCurrentThread")]
pub struct CurrentThread {
    /// Its number.
    #[serde(deserialize_with = "word")]
    pub thread: Option<String>,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// `blocked` or `awaiting verification`.
    #[serde(default)]
    pub status: String,
}

/// One way of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridWay")]
pub struct Way {
    /// The word to answer with.
    #[serde(alias = "id", deserialize_with = "text")]
    pub option: String,
    /// What it brings.
    #[serde(default)]
    pub pros: String,
    /// What it costs.
    #[serde(default)]
    pub cons: String,
}
