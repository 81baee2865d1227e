//! Questions to the user: how they are made from pages that people can read, and the questions that mean the same in
//! every protocol.

use super::template::{self, Fields, fields};
use super::{Context, Head};
use crate::vocab::budget::{Counter, DEFAULT_LIMITS};
use crate::vocab::effect::{Observe, Order};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::question::{Answer, ChoiceOption, Question, QuestionKind};

/// The questions of every protocol.
const COMMON: &str = include_str!("questions.md");

/// The question on a topic, from a page with a section for each; the head of `questions.md` says how a section is
/// read.
pub(crate) fn ask(page: &str, topic: &str, told: &Fields) -> Question {
    let section = template::section(page, topic);
    template::check(section, told);
    let say = |text: &str| template::fill(text.trim(), told);
    let behind = |name: &str| section.lines().find_map(|line| line.strip_prefix(name)).map(say);
    let is_text = |line: &&str| {
        let other = ["| ", "By hand:", "Yes or no.", "Unblocks:"];
        !other.iter().any(|mark| line.starts_with(mark))
    };
    let text: Vec<&str> = section.lines().take_while(is_text).collect();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let options: Vec<ChoiceOption> = rows.filter_map(|row| offered(row, told)).collect();
    let by_hand = behind("By hand:");
    let kind = match by_hand {
        Some(instructions) => QuestionKind::ManualStep {
            instructions,
            verification: behind("Shown by:")
                .map(|command| command.split(' ').map(str::to_owned).collect()),
        },
        None if !options.is_empty() => QuestionKind::Choice { options },
        None if behind("Yes or no.").is_some() => QuestionKind::Confirmation,
        None => QuestionKind::FreeText,
    };
    let unblocks = behind("Unblocks:").unwrap_or_default();
    Question { topic: topic.to_owned(), text: say(&text.join("\n")), kind, unblocks }
}

/// One way to answer: id, label and what it costs.
fn offered(row: &str, told: &Fields) -> Option<ChoiceOption> {
    let mut cells = row.splitn(3, " | ").map(|cell| template::fill(cell.trim(), told));
    let (id, label, trade_off) = (cells.next()?, cells.next()?, cells.next()?);
    (!label.is_empty()).then_some(ChoiceOption { id, label, trade_off })
}

/// The question about a spent counter.
pub(crate) fn budget(head: &Head, counter: Counter) -> Question {
    let account = head.budget.account(counter);
    let told = fields! {
        counter: counter.as_str(),
        spent: account.spent,
        limit: account.limit,
        buys: counter.buys(),
        step: grant_step(counter),
    };
    Question { topic: format!("budget:{}", counter.as_str()), ..ask(COMMON, "budget", &told) }
}

/// The worktree is to be cleaned by hand.
pub(crate) fn dirty(paths: &[String]) -> Question {
    let shown: Vec<&str> = paths.iter().take(10).map(String::as_str).collect();
    ask(COMMON, "dirty_tree", &fields! { paths: shown.join(", ") })
}

/// The host could not do something.
pub(crate) fn effect_failed(what: &str, problem: &Diagnostic) -> Question {
    ask(COMMON, "effect_failed", &fields! { what: what, problem: problem })
}

/// A step failed too often.
pub(crate) fn step_stuck(role: &str, item: &str, problem: &Diagnostic) -> Question {
    let on = (!item.is_empty()).then(|| fields! { item: item });
    ask(COMMON, "step_stuck", &fields! { role: role, on: on, problem: problem })
}

/// Only so many deferred items are left.
pub(crate) fn end_with_deferred(count: usize, items: &str) -> Question {
    ask(COMMON, "end_with_deferred", &fields! { count: count, items: items })
}

/// Another head is checked out than the mission's.
pub(crate) fn other_head(told: &Fields) -> Question {
    ask(COMMON, "other_head", told)
}

/// What is to count where only words show a criterion.
pub(crate) fn proof(told: &Fields) -> Question {
    ask(COMMON, "proof", told)
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

/// What the host could not do, in words.
///
/// # Errors
/// `broken_outbox` for an order that the host cannot fail to perform, or whose failure is no question.
pub(crate) fn undone(order: &Order) -> Result<String> {
    Ok(match order {
        Order::WriteFile(write) => format!("write {}", write.path),
        Order::AppendHistory(append) => format!("append to {}", append.path),
        Order::CommitFiles(_) => "commit the contract files".to_owned(),
        Order::Observe(Observe::Repository { .. }) => "look at the repository".to_owned(),
        Order::Observe(Observe::Documents { .. }) => "look at documents".to_owned(),
        Order::RunCommand(command) => format!("run {}", command.argv.join(" ")),
        Order::SetTimer(timer) => format!("set the timer {}", timer.name),
        _ => {
            return Err(Error::new(Code::BrokenOutbox, "outbox", "a host effect", order.name()));
        }
    })
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
