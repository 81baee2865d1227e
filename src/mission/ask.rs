//! Questions that mean the same in every protocol, and the words they are made of.

use crate::mission::Context;
use crate::mission::Head;
use crate::vocab::budget::{Counter, DEFAULT_LIMITS};
use crate::vocab::effect::Order;
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::question::{Answer, ChoiceOption, Question, QuestionKind};

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

/// The worktree is to be cleaned by hand.
pub(crate) fn dirty(paths: &[String]) -> Question {
    let shown: Vec<&str> = paths.iter().take(10).map(String::as_str).collect();
    let kind = QuestionKind::ManualStep {
        instructions: "Commit or stash the changes in the worktree, or ignore them in a `.gitignore` that is committed: \
                       `.git/info/exclude` and rules of your own machine do not count.".to_owned(),
        verification: Some(["git", "status", "--porcelain"].map(str::to_owned).to_vec()),
    };
    let text = format!("The worktree is not clean: {}.", shown.join(", "));
    about("dirty_tree", text, kind, "the next run")
}

/// The host could not do something.
pub(crate) fn effect_failed(what: &str, problem: &Diagnostic) -> Question {
    let text = format!("The host could not {what}. {problem}");
    about("effect_failed", text, retry_or_block(), "the effect, once more")
}

/// What an answer to a question about a spent counter means: more of it, or what the mission is blocked by.
///
/// # Errors
/// Those of [`crate::vocab::budget::Budget::grant`].
pub(crate) fn grant(
    context: &mut Context<'_>,
    counter: Counter,
    answer: &Answer,
    blocked: &mut Option<Diagnostic>,
) -> Result<()> {
    if matches!(answer, Answer::Choice { option } if option == "grant") {
        return context.head.budget.grant(counter, grant_step(counter));
    }
    let spent = Error::new(Code::BudgetSpent, counter.as_str(), "a unit left", "none");
    *blocked = Some(spent.diagnostic());
    Ok(())
}

/// Takes the topic that was asked about.
///
/// # Errors
/// `broken_outbox` if there is none.
pub(crate) fn topic<T>(asking: &mut Vec<T>) -> Result<T> {
    match asking.is_empty() {
        false => Ok(asking.remove(0)),
        true => Err(Error::new(Code::BrokenOutbox, "core.asking", "a topic", "none")),
    }
}

/// An answer that does not fit its topic. Admission has checked the answer against the question, and each
/// topic asks one kind, so none gets here.
pub(crate) fn unfit(topic: &impl std::fmt::Debug, answer: &Answer) -> Error {
    let expected = format!("an answer that fits {topic:?}");
    Error::new(Code::AnswerType, "answer", expected, crate::vocab::json::encode(answer))
}

/// How much `grant` adds: a quarter of the default limit, at least one.
fn grant_step(counter: Counter) -> u64 {
    let default = DEFAULT_LIMITS.iter().find(|(known, _)| *known == counter);
    default.map_or(1, |(_, limit)| (limit / 4).max(1))
}

/// The counter a budget question was about, from its topic.
///
/// # Errors
/// `broken_outbox` if the answered question was about something else.
pub(crate) fn asked_counter(context: &Context<'_>) -> Result<Counter> {
    let order = context.subject.as_ref().map(|subject| &subject.effect.order);
    let counter = match order {
        Some(Order::AskUser(question)) => {
            let word = question.topic.strip_prefix("budget:").unwrap_or_default();
            Counter::ALL.into_iter().find(|counter| counter.as_str() == word)
        }
        _ => None,
    };
    counter.ok_or_else(|| Error::new(Code::BrokenOutbox, "outbox", "a known topic", "another"))
}
