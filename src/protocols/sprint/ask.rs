//! The questions this protocol asks: one per topic, typed, with what an answer sets free.

use super::state::{Check, CommandLine, SprintStatus, State, Topic};
use crate::mission::ask::{about, effect_failed, option};
use crate::vocab::error::clip;
use crate::vocab::question::{Question, QuestionKind};
use crate::vocab::text::escaped;
use std::collections::BTreeSet;

/// The question of a topic.
pub(super) fn question(state: &State, topic: &Topic) -> Question {
    match topic {
        Topic::EffectFailed { what, problem } => effect_failed(what, problem),
        Topic::Ticked { sprints } => ticked(sprints),
        Topic::Trust => trust(state),
        Topic::Vague { sprint, criteria } => {
            let texts: Vec<String> =
                criteria.iter().map(|id| format!("{id}: {}", text_of(state, sprint, id))).collect();
            let text = format!(
                "{sprint}: nobody can say when these exit criteria hold: {}. To word them anew, {}. Or:",
                texts.join("; "),
                reword(sprint, criteria)
            );
            let waive = match is_all(state, sprint, criteria) {
                true => (
                    "Let the sprint go with them",
                    "Nothing else says when it is done, so nobody is sent; the mission ends with a waiver",
                ),
                false => (
                    "Let them go",
                    "It is sent without them, and its agent told; the mission ends with a waiver",
                ),
            };
            let options = vec![
                option("confirm", "I confirm them by hand", "You are asked when the rest is shown"),
                option("waive", waive.0, waive.1),
                option("block", "Stop here", "Amend it as above, then resume"),
            ];
            about("vague", text, QuestionKind::Choice { options }, "the sprint's dispatch")
        }
        Topic::Confirm { sprint, criteria, findings } => confirm(state, sprint, criteria, findings),
        Topic::StillWaiting { sprint, problem } => {
            // Only what was expected: what the code says of itself is about other protocols, too.
            let text = format!(
                "{sprint} still waits. At {}: expected {}, got {}. Continue waiting or intervene?",
                problem.at, problem.expected, problem.got
            );
            let options = vec![
                option("wait", "Continue waiting", "It is looked at twenty times more"),
                option("skip", "Let the sprint go", "Its open criteria count as waived by you"),
                option("fail", "Give it up", "The sprint is FATAL and its unit BLOCKED"),
            ];
            about("still_waiting", text, QuestionKind::Choice { options }, "the sprint")
        }
        Topic::GateFailed { problem } => {
            let text =
                format!("The build of everything fails, and no sprint is to blame. {problem}");
            let options = vec![
                option("retry", "Run it again", "Spends the gate's commands once more"),
                option("waive", "Let it go", "The mission may end although the build fails"),
                option("block", "Stop here", "You can mend what is wrong, then resume"),
            ];
            about("gate_failed", text, QuestionKind::Choice { options }, "the end")
        }
        Topic::PlanChanged { problem } => {
            let text = format!(
                "The plan is another one than the mission began with, and everything was done by that one. \
                 {problem}"
            );
            let options = vec![
                option("put_back", "I have put it back", "It is looked at again"),
                option("keep", "Keep the change", "It stands as an issue in the completion log"),
                option("block", "Stop here", "You can look at it, then resume"),
            ];
            about("plan_changed", text, QuestionKind::Choice { options }, "the end")
        }
        Topic::Uncommitted { paths } => {
            let shown: Vec<&str> = paths.iter().take(20).map(String::as_str).collect();
            let more = match paths.len().saturating_sub(shown.len()) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let text = format!(
                "Everything is shown, but not everything is committed: {} paths differ from the last commit and did not \
                 when the mission began: {}{more}.",
                paths.len(),
                clip(&shown.join(", "), 2_000)
            );
            let options = vec![
                option(
                    "look",
                    "I have committed or removed it",
                    "It is looked at again, and everything is shown again at a new head",
                ),
                option("keep", "Leave it uncommitted", "The mission ends with a waiver"),
                option("block", "Stop here", "You can look at it, then resume"),
            ];
            about("uncommitted", text, QuestionKind::Choice { options }, "the end")
        }
        Topic::HeadMoved { from, to } => head_moved(from, to),
        Topic::EndWithDeferred => {
            let open = |off: bool| {
                let all = state.sprints.iter().filter(move |sprint| {
                    !sprint.status.closed() && (sprint.status == SprintStatus::Deferred) == off
                });
                all.map(|sprint| sprint.id.clone()).collect::<Vec<_>>().join(", ")
            };
            let (off, waiting) = (open(true), open(false));
            let also = match waiting.is_empty() {
                true => String::new(),
                false => format!(", and what waits for it: {waiting}"),
            };
            let text = format!(
                "Only deferred work is left: {}{}. End without all of it?",
                clip(&off, 2_000),
                clip(&also, 2_000)
            );
            about("end_with_deferred", text, QuestionKind::Confirmation, "the end")
        }
    }
}

fn ticked(sprints: &[String]) -> Question {
    let text = format!(
        "All boxes of {} sprints are ticked in the plan: {}. Is their work done?",
        sprints.len(),
        clip(&sprints.join(", "), 2_000)
    );
    let taken = "No agent is sent for them: their commands are run and a verifier judges the rest; what does not hold \
                 is worked on as usual";
    let again = "An agent is sent for each, as if no box were ticked; it costs the runs, and may change what is there";
    let options = vec![
        option("take", "Take them as they stand", taken),
        option("again", "Do them again", again),
    ];
    about("ticked", text, QuestionKind::Choice { options }, "the first dispatch")
}

fn head_moved(from: &str, to: &str) -> Question {
    let text = format!(
        "Everything was shown at {from}, and while its commands were run the head moved to {to}. What was shown \
         says nothing about that one."
    );
    let again = "Everything is shown again at it, before the mission may end";
    let options = vec![
        option("go_on", "Go on with the new head", again),
        option(
            "block",
            "Stop here",
            "You can see who moved it, then resume; that goes on with the head there is",
        ),
    ];
    about("head_moved", text, QuestionKind::Choice { options }, "the end")
}

/// How the criteria of a sprint are worded anew: an edit of the document changes nothing in a mission that began.
pub(super) fn reword(sprint: &str, criteria: &[String]) -> String {
    let waived: Vec<String> =
        criteria.iter().take(10).map(|id| format!(" --waive {sprint}={id}")).collect();
    format!(
        "amend the mission (`endstate amend --criterion '{sprint}=NEW WORDS'{} --reason WHY`); an edit of the plan \
         does not reach a mission that has begun",
        waived.concat()
    )
}

/// Whether a sprint has no other criteria than these, but for those that were let go.
fn is_all(state: &State, sprint: &str, criteria: &[String]) -> bool {
    let sprint = state.sprints.get(sprint);
    let left = sprint.iter().flat_map(|sprint| &sprint.criteria).filter(|one| !one.waived());
    left.into_iter().all(|one| criteria.contains(&one.id))
}

fn text_of(state: &State, sprint: &str, id: &str) -> String {
    let sprint = state.sprints.get(sprint);
    let found = sprint.and_then(|sprint| sprint.criteria.iter().find(|one| one.id == id));
    found.map(|one| clip(one.text.trim(), 200)).unwrap_or_default()
}

/// Every command of the plan, as written, each once.
pub(super) fn commands(state: &State) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let of_units = state.units.iter().flat_map(|unit| &unit.checks);
    let of_entry = state.sprints.iter().flat_map(|sprint| &sprint.entry_checks);
    let of_sprints = state.sprints.iter().flat_map(|sprint| &sprint.checks);
    let checks = of_sprints.filter_map(|check| match check {
        Check::Command(line) => Some(line),
        Check::Verifier | Check::Person => None,
    });
    let lines = of_units.chain(of_entry).chain(checks).map(exactly);
    lines.filter(|line| seen.insert(line.clone())).collect()
}

/// A command as it is run, whole and in one line: whoever reads it lets it run. What a terminal would not show as it
/// is, or a reader take for something else, is written out.
fn exactly(line: &CommandLine) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%".contains(c);
    let word = |word: &String| match !word.is_empty() && word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let text = match line.argv.as_slice() {
        [shell, flag, text] if shell == "sh" && flag == "-c" => text.clone(),
        argv => argv.iter().map(word).collect::<Vec<_>>().join(" "),
    };
    escaped(&text)
}

fn trust(state: &State) -> Question {
    let commands = commands(state);
    let shown: Vec<String> = commands.iter().map(|line| format!("  {line}")).collect();
    let mut text = format!(
        "The plan names {} commands. They are run as written, in this repository, with your rights:\n{}",
        commands.len(),
        shown.join("\n")
    );
    let warnings: Vec<String> =
        state.core.settings.warnings.iter().map(|line| format!("\n  {}", escaped(line))).collect();
    if !warnings.is_empty() {
        let head = "What its author is warned of, before anything is done:";
        text = format!("{text}\n{head}{}", warnings.concat());
    }
    let options = vec![
        option("trust", "Run them", "They decide whether a sprint is done"),
        option("verifier", "Never run them", "A verifier judges what they would have shown"),
        option("block", "Stop here", "Nothing is run before you resume the mission"),
    ];
    about("trust", text, QuestionKind::Choice { options }, "the first dispatch")
}

fn confirm(state: &State, sprint: &str, criteria: &[String], findings: &[String]) -> Question {
    let name = state.sprints.get(sprint).map(|one| one.plan.name.clone()).unwrap_or_default();
    let mut instructions: Vec<String> =
        criteria.iter().map(|id| format!("{id}: {}", text_of(state, sprint, id))).collect();
    instructions.extend(findings.iter().map(|line| format!("found: {}", clip(line, 400))));
    let text = format!("{sprint} ({name}): only a person can say whether this holds.");
    let kind =
        QuestionKind::ManualStep { instructions: instructions.join("\n"), verification: None };
    about("confirm", text, kind, "the next sprint")
}
