//! Guards: each keeps every rule of a dispatch table from acting. Guards have names, too.

use crate::vocab::budget::Counter;

/// One guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Effects of the host are under way.
    WaitingForAnswer,
    /// A role is at work.
    RunLive,
    /// The user has not started the mission.
    NotStarted,
    /// The user has paused or stopped it.
    Paused,
    /// It is done.
    Done,
    /// Something outside is in the way.
    Blocked,
    /// A question waits for the user.
    QuestionOpen,
    /// The repository must be looked at first.
    ObservationMissing,
    /// The budget for the next step is spent.
    BudgetSpent(Counter),
}

impl Guard {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Guard::WaitingForAnswer => "waiting_for_answer",
            Guard::RunLive => "run_live",
            Guard::NotStarted => "not_started",
            Guard::Paused => "not_continuing",
            Guard::Done => "done",
            Guard::Blocked => "blocked",
            Guard::QuestionOpen => "question_open",
            Guard::ObservationMissing => "observation_missing",
            Guard::BudgetSpent(_) => "budget_spent",
        }
    }

    /// What it means, for people.
    pub(crate) fn words(self) -> String {
        match self {
            Guard::WaitingForAnswer => "Effects are under way; their answers come first".to_owned(),
            Guard::RunLive => "A role is at work".to_owned(),
            Guard::NotStarted => "The mission waits for its start".to_owned(),
            Guard::Paused => "The user has paused or stopped the mission".to_owned(),
            Guard::Done => "The mission is done".to_owned(),
            Guard::Blocked => "Something outside the mission is in the way".to_owned(),
            Guard::QuestionOpen => "A question waits for the user".to_owned(),
            Guard::ObservationMissing => "The repository must be looked at first".to_owned(),
            Guard::BudgetSpent(counter) => format!("The budget {} is spent", counter.as_str()),
        }
    }

    /// What a person can do about it.
    pub(crate) fn hint(self) -> &'static str {
        match self {
            Guard::QuestionOpen | Guard::BudgetSpent(_) => {
                "answer the open question, or grant more"
            }
            Guard::Paused | Guard::Blocked => "mend what is named, then resume",
            Guard::NotStarted => "start the mission",
            Guard::Done => "reopen an item, if something is missing",
            Guard::WaitingForAnswer | Guard::RunLive | Guard::ObservationMissing => {
                "let the driver perform what is under way"
            }
        }
    }
}
