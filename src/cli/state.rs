//! Short answers about the state of a mission, for summaries and exit statuses.

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

/// What the mission may cost at most, in words and as numbers.
pub(crate) fn worst_case(engine: &Engine) -> (String, Value) {
    let budget = &engine.snapshot().head.budget;
    let left = |counter| budget.left(counter);
    let words = format!(
        "at most {} role runs, {} re-grounds, {} reopenings, {} corrected reports, {} commands, {} \
         questions, {} tokens and {} millionths of cost (as far as runs report them)",
        left(Counter::RoleRuns),
        left(Counter::Regrounds),
        left(Counter::Reopens),
        left(Counter::MalformedReports),
        left(Counter::Commands),
        left(Counter::Questions),
        left(Counter::Tokens),
        left(Counter::CostMicros),
    );
    let numbers = Counter::ALL.map(|counter| (counter.as_str().to_owned(), left(counter).into()));
    (words, Value::Object(numbers.into_iter().collect()))
}

/// A place, or the repository where a diagnostic names none.
pub(crate) fn at(at: &str, root: &Path) -> String {
    if at.is_empty() { root.display().to_string() } else { at.to_owned() }
}
