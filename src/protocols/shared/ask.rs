//! Questions that mean the same in every protocol, and the words they are made of.

use crate::snapshot::Head;
use crate::vocab::budget::{Counter, DEFAULT_LIMITS};
use crate::vocab::question::{ChoiceOption, Question, QuestionKind};

/// One way to answer.
pub(crate) fn option(id: &str, label: &str, trade_off: &str) -> ChoiceOption {
    ChoiceOption { id: id.to_owned(), label: label.to_owned(), trade_off: trade_off.to_owned() }
}

/// Once more, or not at all.
pub(crate) fn retry_or_block() -> QuestionKind {
    QuestionKind::Choice {
        options: vec![
            option("retry", "Try again", "Spends one more unit of the budget"),
            option("block", "Stop here", "Nothing more is tried until you resume the mission"),
        ],
    }
}

/// A question on a topic.
pub(crate) fn about(topic: &str, text: String, kind: QuestionKind, unblocks: &str) -> Question {
    Question { topic: topic.to_owned(), text, kind, unblocks: unblocks.to_owned() }
}

/// The question about a spent counter.
pub(crate) fn budget(head: &Head, counter: Counter) -> Question {
    let account = head.budget.account(counter);
    let step = grant_step(counter);
    let text = format!(
        "The budget `{}` is spent: {} of {}. One more unit buys {}.",
        counter.as_str(),
        account.spent,
        account.limit,
        counter.buys()
    );
    let options = vec![
        option(
            "grant",
            &format!("Grant {step} more"),
            "The mission may go on for that much longer",
        ),
        option("block", "Stop here", "Nothing more is spent until you grant and resume"),
    ];
    let topic = format!("budget:{}", counter.as_str());
    about(&topic, text, QuestionKind::Choice { options }, counter.buys())
}

/// How much `grant` adds: a quarter of the default limit, at least one.
pub(crate) fn grant_step(counter: Counter) -> u64 {
    let default = DEFAULT_LIMITS.iter().find(|(known, _)| *known == counter);
    default.map_or(1, |(_, limit)| (limit / 4).max(1))
}
