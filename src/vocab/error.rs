//! Errors and diagnostics: one type, three kinds, one list of codes.
//!
//! An [`Error`] means that the caller is wrong: the state is untouched and nothing is journaled.
//! A [`Diagnostic`] is something bad that really happened in the world; it is accepted, journaled,
//! and carries a code of the same list.

use crate::vocab::json::{self, Fault, Node, Readable};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The text cannot be read.
    Malformed,
    /// Readable, but not allowed now.
    Refused,
    /// A rule of the engine does not hold: a bug of ours. The step is not taken.
    Broken,
}

macro_rules! codes {
    ($( $variant:ident $text:literal $kind:ident $sentence:literal; )*) => {
        /// Every stable code, of errors and of diagnostics alike. [`Code::sentence`] explains each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
        pub enum Code {
            $( #[doc = $sentence] #[serde(rename = $text)] $variant, )*
        }

        impl Code {
            /// All codes, in the order of the list.
            pub const ALL: &'static [Code] = &[ $( Code::$variant, )* ];
            const WORDS: &'static [&'static str] = &[ $( $text, )* ];

            /// The code of this text.
            #[inline(never)]
            pub fn of(text: &str) -> Option<Code> {
                Code::ALL.iter().copied().find(|code| code.as_str() == text)
            }

            /// The text that appears in JSON, in TypeScript and on the command line.
            pub fn as_str(self) -> &'static str {
                match self { $( Code::$variant => $text, )* }
            }

            /// One sentence for people.
            pub fn sentence(self) -> &'static str {
                match self { $( Code::$variant => $sentence, )* }
            }

            /// The kind of the error that carries this code. Codes that only ever occur in
            /// diagnostics have the kind they would have if a caller had caused them.
            pub fn kind(self) -> Kind {
                match self { $( Code::$variant => Kind::$kind, )* }
            }
        }
    };
}

codes! {
    Syntax "syntax" Malformed "The text is not in the form it should be.";
    Truncated "truncated" Malformed "The text ends before the JSON value does.";
    Empty "empty" Malformed "The text is empty.";
    ByteOrderMark "byte_order_mark" Malformed "The text begins with a byte order mark.";
    NotUtf8 "not_utf8" Malformed "The bytes are not UTF-8.";
    TooDeep "too_deep" Malformed "The value is nested deeper than the reader allows.";
    TooLarge "too_large" Malformed "The text is longer than the reader allows.";
    NotAnObject "not_an_object" Malformed "A JSON object was expected.";
    WrongType "wrong_type" Malformed "A value has another type than expected.";
    MissingField "missing_field" Malformed "A required field is absent.";
    FileMissing "file_missing" Malformed "A required file is absent.";
    UnknownField "unknown_field" Malformed "A field is not known here.";
    UnknownValue "unknown_value" Malformed "A word is not one of the allowed ones.";
    DuplicateField "duplicate_field" Malformed "A field occurs twice.";
    DuplicateId "duplicate_id" Malformed "An id occurs twice.";
    NumberOutOfRange "number_out_of_range" Malformed "A number lies outside the allowed range.";
    InvalidValue "invalid_value" Malformed "A value is well formed but not allowed here.";
    UnresolvedVariable "unresolved_variable" Malformed "A template names a variable that nothing resolves.";
    UnknownFamily "unknown_family" Malformed "A document is no plan of a known family.";
    EmptyPlan "empty_plan" Malformed "A plan has no sprint.";
    PlanDisagrees "plan_disagrees" Malformed "Two places of a plan say different things.";
    OutOfOrder "out_of_order" Malformed "A sprint waits for one that stands behind it.";
    ReadAsText "read_as_text" Malformed "A part of a plan is kept as text, and nothing follows from it.";
    EmptyCriteria "empty_criteria" Malformed "An item has no acceptance criterion.";
    UnknownFormat "unknown_format" Malformed "The format number is not one this engine reads.";
    HeaderMissing "header_missing" Malformed "A line of the shared report header is absent.";
    HeaderDuplicate "header_duplicate" Malformed "A line of the report header occurs twice.";
    BlockMissing "block_missing" Malformed "The report has no fenced json block.";
    BlockDuplicate "block_duplicate" Malformed "The report has fenced json blocks that differ.";
    JournalDamaged "journal_damaged" Malformed "A line of the journal does not hold.";
    JournalTorn "journal_torn" Malformed "The last line of the journal has no newline and was cut off.";

    UnknownEffect "unknown_effect" Refused "The event answers an effect that was never ordered.";
    StaleAnswer "stale_answer" Refused "The effect is already answered or withdrawn.";
    WrongAnswer "wrong_answer" Refused "The event is no answer to an effect of this kind.";
    AlreadyStarted "already_started" Refused "The effect or mission has been started before.";
    NotStarted "not_started" Refused "The run or mission has not been started.";
    AnswerType "answer_type" Refused "The answer does not fit the type of the question.";
    DuplicateCommand "duplicate_command" Refused "A command of this id was taken before.";
    NotPaused "not_paused" Refused "The mission is neither paused, stopped nor blocked.";
    AlreadyPaused "already_paused" Refused "The mission is paused already.";
    MissionDone "mission_done" Refused "The mission is done.";
    UnknownItem "unknown_item" Refused "No item has this id.";
    UnknownCriterion "unknown_criterion" Refused "The item has no criterion of this id.";
    ItemClosed "item_closed" Refused "The item is closed.";
    ItemNotClosed "item_not_closed" Refused "The item is not closed.";
    ItemActive "item_active" Refused "The item is being worked on.";
    InvalidChange "invalid_change" Refused "The change of the plan is not allowed.";
    InvalidGrant "invalid_grant" Refused "The grant is zero or leaves the allowed range.";
    AlreadySkipped "already_skipped" Refused "Verification is skipped already.";
    BudgetSpent "budget_spent" Refused "The budget for this is spent.";
    UnknownFile "unknown_file" Refused "The protocol has no file of this name.";
    OtherRules "other_rules" Refused "The snapshot or journal was made under other rules.";

    CertificateInvalid "certificate_invalid" Refused "The certificate does not hold.";

    AnchorMismatch "anchor_mismatch" Refused "The text names another mission.";
    WrongCommit "wrong_commit" Refused "The claimed commit is not the observed head.";
    NoCommit "no_commit" Refused "No new commit carries the claimed work.";
    NotDescendant "not_descendant" Refused "The commit does not descend from the basis commit.";
    NothingTouched "nothing_touched" Refused "No change outside the state directory is shown.";
    EngineCommit "engine_commit" Refused "The claimed commit is one of the engine's own.";
    EvidenceMissing "evidence_missing" Refused "A claim has no typed evidence.";
    EvidenceContradicts "evidence_contradicts" Refused "The evidence of a claim shows that it does not hold.";
    CriterionMissing "criterion_missing" Refused "A criterion was neither claimed nor judged.";
    CriterionReworded "criterion_reworded" Refused "A locked criterion was worded anew.";
    CriterionDropped "criterion_dropped" Refused "A locked criterion was dropped.";
    ContractDropped "contract_dropped" Refused "A locked contract id was dropped.";
    ReadOnlyTouched "read_only_touched" Refused "The tree differs after a read-only run.";
    CanonicalTouched "canonical_touched" Refused "A canonical file was changed during a run.";
    NotHosted "not_hosted" Refused "The run was given to somebody else than the agent that reports.";
    NotConfined "not_confined" Refused "Agents must be confined, and here they cannot be.";
    OwnVerdict "own_verdict" Refused "A run cannot judge what it claimed itself.";
    DirtyTree "dirty_tree" Refused "The worktree is not clean.";
    WrongSubject "wrong_subject" Refused "The report speaks of another item or commit.";
    NotVerified "not_verified" Refused "An item cannot be accepted before every criterion is verified.";
    DependencyOpen "dependency_open" Refused "The item waits for another that is not closed.";
    DependencyCycle "dependency_cycle" Refused "The items wait for each other in a circle.";
    DependencyUnknown "dependency_unknown" Refused "An item waits for one that does not exist.";
    TwoSelected "two_selected" Refused "More than one item is selected.";
    NothingSelected "nothing_selected" Refused "The report selects no item although work is open.";
    InconsistentVerdict "inconsistent_verdict" Refused "The verdict contradicts its own findings.";
    ForbiddenEdit "forbidden_edit" Refused "A hand edit creates what only a run may create.";
    HistoryRewritten "history_rewritten" Refused "An append-only file was changed.";
    ForeignAppend "foreign_append" Refused "An append-only file holds other bytes than expected.";
    ForeignWrite "foreign_write" Refused "A file was changed by someone else before it was written.";
    StopScriptChanged "stop_script_changed" Refused "The locked stop script was changed.";

    TaskStopped "task_stopped" Refused "The turns of a task ended without approval.";
    BlockFailed "block_failed" Refused "A block could not be executed.";
    ForbiddenRetry "forbidden_retry" Refused "A run tried again what an earlier failure forbids.";
    FileOverlap "file_overlap" Refused "Two blocks that ran side by side changed one file.";
    GapsFound "gaps_found" Refused "A must-have is not shown.";
    InconsistentPlan "inconsistent_plan" Refused "A plan says one thing in a field and another in its document.";
    GapUnchanged "gap_unchanged" Refused "A gap is called closed although nothing changed since it was told.";
    ChangeStands "change_stands" Refused "An architectural change that the user refused is still there.";
    CriticalAnomaly "critical_anomaly" Refused "A recognizer found something that a person must decide about.";
    CheckpointOpen "checkpoint_open" Refused "What only a person can do was not done.";

    RunFailed "run_failed" Refused "A run ended without success.";
    RunLost "run_lost" Refused "A run ended without leaving a result.";
    RunTimedOut "run_timed_out" Refused "A run was ended at its time limit.";
    RunFlooded "run_flooded" Refused "A run was ended at its output limit.";
    RunSilent "run_silent" Refused "A run ended without any report.";
    RunExhausted "run_exhausted" Refused "A run used up its turns or its context.";
    CommandFailed "command_failed" Refused "A command exited with a status other than zero.";
    WriteFailed "write_failed" Refused "A file could not be written.";
    CommitRefused "commit_refused" Refused "git did not make the commit.";
    NotARepository "not_a_repository" Refused "The directory is not a git repository.";
    DetachedHead "detached_head" Refused "The head of the repository is detached.";
    OtherBranch "other_branch" Refused "Another branch is checked out than the one that is worked on.";
    OperationInProgress "operation_in_progress" Refused "The repository is in the middle of a merge or rebase.";
    UnsafeStateDirectory "unsafe_state_directory" Refused "The state directory is a symbolic link or leaves the repository.";
    HostFailed "host_failed" Refused "The host could not perform an effect.";
    CeilingReached "ceiling_reached" Refused "The ceiling of iterations is reached without completion.";
    NotShown "not_shown" Refused "What was asked or run gave no answer that shows anything.";
    LateResult "late_result" Refused "A result arrived after its effect was closed.";
    Overlooked "overlooked" Refused "A fault was overlooked because the reader is lenient.";

    BrokenOutbox "broken_outbox" Broken "The outbox holds an order that the protocol does not know or does not hold one it needs.";
    BrokenBudget "broken_budget" Broken "A counter was spent beyond its limit.";
    BrokenOneSlice "broken_one_slice" Broken "More than one slice is being worked on.";
    BrokenCriteria "broken_criteria" Broken "A slice lost its criteria.";
    BrokenDone "broken_done" Broken "A slice is done although a criterion is open.";
    BrokenSeparation "broken_separation" Broken "A criterion is verified by the run that claimed it.";
    BrokenDispatch "broken_dispatch" Broken "A role was dispatched that no rule named.";
    BrokenCleanTree "broken_clean_tree" Broken "A next slice was selected over a dirty tree.";
    BrokenStop "broken_stop" Broken "The mission is done without the judgements it needs.";
    BrokenCommit "broken_commit" Broken "A slice is committed without an accepted claim.";
    BrokenTopology "broken_topology" Broken "The runs on record are not those that are alive, or a question has no topic.";
    BrokenContinuation "broken_continuation" Broken "The mission waits although it must go on.";
    BrokenHandoff "broken_handoff" Broken "The active slice lacks its exact hand-off.";
    BrokenRecord "broken_record" Broken "A history line was written for which no run or user stands.";
    BrokenContract "broken_contract" Broken "A locked criterion or contract id was lost or worded anew.";
    BrokenLimit "broken_limit" Broken "A loop went beyond its limit.";
    BrokenOrder "broken_order" Broken "An item was begun before those it waits for.";
    BrokenPrompt "broken_prompt" Broken "A prompt would be built from a template that does not resolve.";
    BrokenCeiling "broken_ceiling" Broken "More runs were sent than the ceiling allows.";
    BrokenPhase "broken_phase" Broken "A phase went backward.";
    BrokenHandler "broken_handler" Broken "A completion handler lacks what it judges by.";
    BrokenOverlap "broken_overlap" Broken "Two blocks that change one file run side by side.";
    BrokenWave "broken_wave" Broken "A wave was begun before the one before it was closed.";
    BrokenMustHave "broken_must_have" Broken "The cluster is done over a must-have that is not shown.";
    BrokenCheckpoint "broken_checkpoint" Broken "A checkpoint was passed without the answer it needs.";
    BrokenRetry "broken_retry" Broken "A block is tried again without what its failures forbid.";
    BrokenWaiver "broken_waiver" Broken "A must-have was let go without a reason, or by somebody who may not.";
    BrokenBounds "broken_bounds" Broken "Something that must stay bounded grew beyond its bounds.";
    BrokenDeviation "broken_deviation" Broken "An architectural change was taken without a word of the user.";
    BrokenKnowledge "broken_knowledge" Broken "A run was sent without what those before it learned.";
    BrokenDebug "broken_debug" Broken "A symptom of a debug session was changed.";
    BrokenThreshold "broken_threshold" Broken "A role was sent beyond a share of the budget that nobody confirmed.";
    BrokenArrow "broken_arrow" Broken "A status changed by an arrow that the protocol does not have.";
    BrokenPlan "broken_plan" Broken "The plan and the active slice disagree.";
}

// By hand, since a choice of so many words would be compiled anew for each reader and each writer.
impl Serialize for Code {
    fn serialize<S: Serializer>(&self, into: S) -> Result<S::Ok, S::Error> {
        into.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        json::read_from(from)
    }
}

impl Readable for Code {
    fn read(node: Node<'_>) -> std::result::Result<Self, Fault> {
        let word = String::read(node)?;
        Code::of(&word).ok_or_else(|| Fault::unknown_variant(&word, Code::WORDS))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a call did nothing. The state is exactly as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Error {
    /// Whose fault it is.
    pub kind: Kind,
    /// The stable code.
    pub code: Code,
    /// Where: a JSON path, a line number, a file or an effect id.
    pub at: String,
    /// What would have been right.
    pub expected: String,
    /// What came.
    pub got: String,
}

/// The result of every fallible call of the core.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Goes on if a condition holds.
///
/// # Errors
/// `error`, if it does not.
pub fn ensure(holds: bool, error: impl FnOnce() -> Error) -> Result<()> {
    if holds { Ok(()) } else { Err(error()) }
}

/// The same with the error of a code, a place, what would have been right and what came. A text that is written there may
/// name variables, as in `format!`; it is put together only for the error.
macro_rules! ensure_words {
    ($holds:expr, $code:expr, $at:expr, $expected:literal, $got:literal) => {
        $crate::vocab::error::ensure!($holds, $code, $at, format!($expected), format!($got))
    };
    ($holds:expr, $code:expr, $at:expr, $expected:literal, $got:expr) => {
        $crate::vocab::error::ensure!($holds, $code, $at, format!($expected), $got)
    };
    ($holds:expr, $code:expr, $at:expr, $expected:expr, $got:literal) => {
        $crate::vocab::error::ensure!($holds, $code, $at, $expected, format!($got))
    };
    ($holds:expr, $code:expr, $at:expr, $expected:expr, $got:expr) => {
        match $holds {
            true => Ok(()),
            false => Err($crate::vocab::error::Error::new($code, $at, $expected, $got)),
        }
    };
}

pub(crate) use ensure_words as ensure;

/// Goes on if nothing was found.
///
/// # Errors
/// What `error` makes of what was found.
pub(crate) fn ensure_none<T>(found: Option<T>, error: impl FnOnce(T) -> Error) -> Result<()> {
    found.map_or(Ok(()), |found| Err(error(found)))
}

impl Error {
    /// An error of the kind its code belongs to.
    pub fn new(
        code: Code,
        at: impl Into<String>,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Self {
        Error {
            kind: code.kind(),
            code,
            at: at.into(),
            expected: expected.into(),
            got: clip(&got.into(), 200),
        }
    }

    /// The same error, placed inside `prefix`.
    pub fn within(mut self, prefix: &str) -> Self {
        self.at = match (prefix, self.at.as_str()) {
            ("", _) => self.at,
            (p, "" | ".") => p.to_owned(),
            (p, at) if at.starts_with('[') => format!("{p}{at}"),
            (p, at) => format!("{p}.{at}"),
        };
        self
    }

    /// The error as something that happened in the world.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic {
            code: self.code,
            at: self.at.clone(),
            expected: self.expected.clone(),
            got: self.got.clone(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.diagnostic())
    }
}

impl std::error::Error for Error {}

/// Something bad that happened in the world, kept as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// Where it was seen.
    pub at: String,
    /// What would have been right.
    pub expected: String,
    /// What was found.
    pub got: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.code.sentence())?;
        if !self.at.is_empty() {
            write!(f, " At {}:", self.at)?;
        }
        write!(f, " expected {}, got {}", self.expected, self.got)
    }
}

/// The place of a field of what is at `at`.
pub(crate) fn place(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

/// The first `most` characters of `text`, with an ellipsis where it was cut.
pub fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}
