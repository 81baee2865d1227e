//! Short answers about the state of a mission, for summaries and exit statuses.

use super::out::Out;
use endstate::Engine;
use endstate::view::{Node, View};
use endstate::vocab::budget::Counter;
use endstate::vocab::effect::Order;
use endstate::vocab::event::EffectId;
use endstate::vocab::question::Question;
use serde_json::{Map, Value, json};
use std::path::Path;

/// How many items are closed.
pub(crate) fn closed(view: &View) -> usize {
    view.nodes.iter().filter(|node| node.closed()).count()
}

/// The open questions with their ids.
pub(crate) fn questions(engine: &Engine) -> Vec<(EffectId, Question)> {
    let outbox = &engine.snapshot().head.outbox;
    let open = outbox.iter().filter_map(|one| match &one.effect.order {
        Order::AskUser(question) => Some((one.effect.id, question.clone())),
        _ => None,
    });
    open.collect()
}

/// A question as lines for people.
pub(crate) fn ask(id: EffectId, question: &Question) -> Vec<String> {
    use endstate::vocab::question::QuestionKind;
    let mut lines = vec![format!("question {id}: {}", question.text)];
    match &question.kind {
        QuestionKind::Choice { options } => lines.extend(
            options.iter().map(|one| format!("    {}: {}. {}.", one.id, one.label, one.trade_off)),
        ),
        QuestionKind::ManualStep { instructions, .. } => {
            lines.push(format!("    to do: {instructions}"));
        }
        QuestionKind::FreeText | QuestionKind::Confirmation => {}
    }
    lines.push(format!("    an answer sets free: {}", question.unblocks));
    lines.push(format!("    endstate answer {id} <{}>", question.kind.expected()));
    lines
}

/// The part of a summary that all commands share.
pub(crate) fn summary(result: &str, engine: &Engine, root: &Path, chain: &str) -> Value {
    let view = engine.view();
    let runs = engine.snapshot().head.budget.account(Counter::RoleRuns);
    let tallies: Map<String, Value> =
        view.tallies.iter().map(|one| (one.name.clone(), one.count.into())).collect();
    let mut summary = json!({
        "result": result,
        "continuation": engine.continuation(),
        "phase": view.phase,
        "reason": view.reason,
        "runs": runs.spent,
        "worst_case_runs": runs.limit,
        "protocol": view.protocol,
        "items": view.nodes.len(),
        "items_done": closed(&view),
        "closed_by": view.end.as_ref().map(|end| end.closed_by),
        "waived": waived(&view),
        "agents": view.agents,
        "deferred": view.end.as_ref().map(|end| end.deferred.clone()).unwrap_or_default(),
        "questions": view.questions,
        "journal": journal(root),
        "chain": chain,
        "repo": root,
    });
    if let Value::Object(fields) = &mut summary {
        fields.extend(tallies);
    }
    summary
}

/// What was let go so far, or in the end.
fn waived(view: &View) -> Vec<String> {
    if let Some(end) = &view.end {
        return end.waived.clone();
    }
    let of = |node: &Node| {
        let gone = node.criteria.iter().filter(|one| one.state == "waived");
        gone.map(|one| format!("{}/{}", node.id, one.id)).collect::<Vec<_>>()
    };
    view.nodes.iter().flat_map(of).collect()
}

/// What was let go and what was put off, a line each.
pub(crate) fn let_go(view: &View) -> Vec<String> {
    let deferred = view.end.as_ref().map(|end| end.deferred.clone()).unwrap_or_default();
    let lists = [("waived", waived(view)), ("deferred", deferred)];
    let named = lists.iter().filter(|(_, list)| !list.is_empty());
    named.map(|(word, list)| format!("{word}: {}", list.join(", "))).collect()
}

/// The path of the journal.
pub(crate) fn journal(root: &Path) -> std::path::PathBuf {
    endstate::native::store::Places::of(root).journal()
}

/// Says what the mission is expected to take, and what it may take at most.
pub(crate) fn say_bounds(out: Out, engine: &Engine) {
    let left = |counter| engine.snapshot().head.budget.left(counter);
    let expected = engine.expected_runs();
    out.say(bounds(expected, &left));
    let numbers = Counter::ALL.map(|counter| (counter.as_str().to_owned(), left(counter).into()));
    let numbers: Map<String, Value> = numbers.into_iter().collect();
    out.object(&json!({"expected_runs": expected, "worst_case": numbers}));
}

/// The line of it.
fn bounds(expected: usize, left: &dyn Fn(Counter) -> u64) -> String {
    format!(
        "expects about {expected} run{}{}; at most {} runs, {} commands, {} questions, {} tokens and $ {} (as far as runs \
         tell what they use)",
        if expected == 1 { "" } else { "s" },
        if expected as u64 > left(Counter::RoleRuns) { ", more than its budget" } else { "" },
        amount(left(Counter::RoleRuns)),
        amount(left(Counter::Commands)),
        amount(left(Counter::Questions)),
        amount(left(Counter::Tokens)),
        amount(left(Counter::CostMicros).div_ceil(1_000_000)),
    )
}

/// A number as people say it, never less than it is.
fn amount(number: u64) -> String {
    let (unit, word) = match number {
        0..10_000 => return number.to_string(),
        10_000..1_000_000 => (1_000, " k"),
        1_000_000..1_000_000_000 => (1_000_000, " M"),
        _ => (1_000_000_000, " G"),
    };
    let tenths = number.div_ceil(unit / 10);
    match tenths % 10 {
        0 => format!("{}{word}", tenths / 10),
        tenth => format!("{}.{tenth}{word}", tenths / 10),
    }
}

/// A place, or the repository where a diagnostic names none.
pub(crate) fn at(at: &str, root: &Path) -> String {
    if at.is_empty() { root.display().to_string() } else { at.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_said_in_one_line_in_units_of_people() {
        let left = |counter| match counter {
            Counter::RoleRuns => 12,
            Counter::Tokens => 40_000_000,
            Counter::CostMicros => 1_000_000_000,
            _ => 100,
        };
        let words = "expects about 3 runs; at most 12 runs, 100 commands, 100 questions, 40 M tokens and $ 1000 (as far as \
                     runs tell what they use)";
        assert_eq!(bounds(3, &left), words);
        assert!(bounds(1, &left).starts_with("expects about 1 run;"));
        assert!(
            bounds(13, &left)
                .starts_with("expects about 13 runs, more than its budget; at most 12 runs")
        );
    }

    #[test]
    fn an_amount_is_short_and_never_less_than_it_is() {
        let cases = [
            (0, "0"),
            (9_999, "9999"),
            (10_000, "10 k"),
            (12_301, "12.4 k"),
            (200_000_000, "200 M"),
            (999_999, "1000 k"),
            (1_250_000_001, "1.3 G"),
        ];
        for (number, said) in cases {
            assert_eq!(amount(number), said);
        }
    }
}
