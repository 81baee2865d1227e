//! How urgent a sprint is: four dimensions, weighed and added. Exact: a score is a number of sixths.

use super::classify::{command_in, is_command};
use super::judge::{Answers, PlanQuestion, said_yes};
use super::model::{Check, Plan, Sprint};
use super::order;
use super::outline::spans;
use super::paths::Touched;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The score of a sprint, with its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SprintScore {
    /// The sprint.
    pub sprint: String,
    /// How many sprints wait for it, directly or not.
    pub depth: u32,
    /// Two or more later sprints build on what it establishes.
    pub foundation: bool,
    /// 1 to 3.
    pub risk: u32,
    /// What makes the risk: a word of the plan, or an answer.
    pub risk_reason: String,
    /// The three parts of complexity: tasks, files, verification; each 1 to 4.
    pub complexity: [u32; 3],
    /// `3 × depth + 2 × foundation + risk + complexity / 2`, in sixths.
    pub sixths: u32,
}

impl SprintScore {
    /// The score in thousandths, from its one decimal.
    pub fn thousandths(&self) -> i64 {
        i64::from(self.tenths()) * 100
    }

    /// The score in tenths, half up.
    fn tenths(&self) -> u32 {
        (self.sixths.saturating_mul(20).saturating_add(6)) / 12
    }

    /// Why it is as high as it is, in a few words; the weightiest part first.
    pub fn reason(&self) -> String {
        let plural = |count: u32| if count == 1 { "" } else { "s" };
        let mut parts = match self.depth {
            0 => vec!["leaf sprint, no dependents".to_owned()],
            depth => vec![format!("blocks {depth} downstream sprint{}", plural(depth))],
        };
        if self.foundation {
            parts.push("establishes what later sprints build on".to_owned());
        }
        if self.risk > 1 {
            parts.push(format!("risk {} ({})", self.risk, self.risk_reason));
        }
        match self.complexity.iter().sum::<u32>() {
            0..=4 => parts.push("low complexity".to_owned()),
            9.. => parts.push("high complexity".to_owned()),
            _ => {}
        }
        parts.join(", ")
    }
}

/// Words for what goes over the network to others.
const OUTSIDE: &[&str] = &[
    "api call",
    "external",
    "third-party",
    "third party",
    "http",
    "network",
    "oauth",
    "webhook",
    "cdn",
    "cloud",
    "live service",
    "rest api",
    "graphql",
];
/// Words for what the project has not done before.
const NEW: &[&str] = &[
    "new technology",
    "unfamiliar",
    "prototype",
    "experiment",
    "spike",
    "proof of concept",
    "first use",
];
/// Words for what is hard to get right.
const HARD: &[&str] = &[
    "algorithm",
    "concurren",
    "race condition",
    "cryptograph",
    "encrypt",
    "parser",
    "scheduler",
    "lock-free",
    "dynamic programming",
    "backtrack",
    "deadlock",
];
/// Words for files and the system.
const SYSTEM: &[&str] = &[
    "file i/o",
    "filesystem",
    "file system",
    "disk",
    "process",
    "signal",
    "socket",
    "directory",
    "system call",
    "permission",
    "symlink",
    "database",
];

/// The scores of all sprints that are to run, in the order of the plan, and what was left to judge.
pub fn scores(plan: &Plan, answers: &Answers) -> (Vec<SprintScore>, Vec<PlanQuestion>) {
    let dependents = order::dependents(plan);
    let next = order::next(plan);
    let live: Vec<&Sprint> = plan.sprints().filter(|sprint| !sprint.deferred).collect();
    let uses: BTreeMap<&str, String> =
        live.iter().map(|one| (one.id.as_str(), text_of(one))).collect();
    let mut left = Vec::new();
    let mut scores = Vec::new();
    for sprint in &live {
        let counted = |id: &&String| uses.contains_key(id.as_str());
        let depth = dependents.get(&sprint.id).map_or(0, |all| all.iter().filter(counted).count());
        let direct = next.get(&sprint.id).map_or(0, |all| all.iter().filter(counted).count());
        let depth = u32::try_from(depth).unwrap_or(u32::MAX);
        // Whoever this one waits for uses nothing that it makes, wherever the two stand in the document.
        let before =
            |one: &&&Sprint| dependents.get(&one.id).is_some_and(|all| all.contains(&sprint.id));
        let others = live.iter().filter(|one| one.id != sprint.id && !before(one));
        let texts = others.filter_map(|one| uses.get(one.id.as_str()));
        let foundation = is_foundation(sprint, texts, direct);
        let (risk, risk_reason) = risk(sprint, answers, &mut left);
        let complexity = complexity(sprint);
        let sixths =
            depth * 18 + u32::from(foundation) * 12 + risk * 6 + complexity.iter().sum::<u32>();
        scores.push(SprintScore {
            sprint: sprint.id.clone(),
            depth,
            foundation,
            risk,
            risk_reason,
            complexity,
            sixths,
        });
    }
    (scores, left)
}

/// Everything a sprint says about its work.
fn text_of(sprint: &Sprint) -> String {
    let tasks = sprint.tasks.iter().map(|one| one.text.as_str());
    let checks = sprint.entry.iter().chain(&sprint.exit).map(|one| one.text.as_str());
    let own = [sprint.name.as_str(), sprint.goal.as_deref().unwrap_or_default()];
    own.into_iter().chain(tasks).chain(checks).collect::<Vec<_>>().join("\n")
}

/// What a sprint makes: files, and names in code spans of tasks that create or define.
fn artefacts(sprint: &Sprint) -> BTreeSet<String> {
    let mut touched = Touched::default();
    sprint.tasks.iter().for_each(|task| touched.task(&task.text));
    touched.settle();
    let mut made = touched.created;
    for task in &sprint.tasks {
        let lower = task.text.to_lowercase();
        let verb = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
        if ["create", "define", "add", "implement", "introduce", "declare", "write"]
            .iter()
            .any(|word| verb.starts_with(word))
        {
            let names = spans(&task.text).into_iter().map(|(_, code)| code);
            let is_name = |code: &&str| {
                code.len() > 3 && !is_command(code) && !code.contains(char::is_whitespace)
            };
            made.extend(names.filter(is_name).map(str::to_owned));
        }
    }
    made
}

/// Whether two or more others use what this one makes, or it lays types and interfaces that two or more wait
/// for at once.
fn is_foundation<'t>(
    sprint: &Sprint,
    others: impl Iterator<Item = &'t String>,
    direct: usize,
) -> bool {
    let made = artefacts(sprint);
    let users = others.filter(|text| made.iter().any(|name| text.contains(name.as_str())));
    if !made.is_empty() && users.take(2).count() == 2 {
        return true;
    }
    let lower = text_of(sprint).to_lowercase();
    let lays = [
        "interface",
        "protocol",
        "core types",
        "foundation",
        "scaffold",
        "skeleton",
        "schema",
        "shared type",
    ];
    direct >= 2 && lays.iter().any(|word| lower.contains(word))
}

/// The highest indicator that the words of a sprint have; an answer may say that the technology is new.
fn risk(sprint: &Sprint, answers: &Answers, left: &mut Vec<PlanQuestion>) -> (u32, String) {
    let lower = text_of(sprint).to_lowercase();
    let word = |words: &[&str]| {
        words.iter().find(|word| lower.contains(**word)).map(|word| (*word).to_owned())
    };
    if let Some(word) = word(OUTSIDE).or_else(|| word(NEW)) {
        return (3, word);
    }
    let id = format!("technology:{}", sprint.id);
    match said_yes(answers, &id) {
        Some(true) => return (3, "new technology, as judged".to_owned()),
        Some(false) => {}
        None => {
            let text = format!(
                "Does sprint {} ({}) use technology or patterns that are new to this project?",
                sprint.label, sprint.name
            );
            left.push(PlanQuestion::yes_no(id, text));
        }
    }
    match word(HARD).or_else(|| word(SYSTEM)) {
        Some(word) => (2, word),
        None => (1, "no indicator of risk".to_owned()),
    }
}

/// Tasks, files and verification, each 1 to 4.
fn complexity(sprint: &Sprint) -> [u32; 3] {
    let tasks = match sprint.tasks.len() {
        0..=3 => 1,
        4..=5 => 2,
        6..=7 => 3,
        _ => 4,
    };
    let mut touched = Touched::default();
    sprint.tasks.iter().for_each(|task| touched.task(&task.text));
    touched.settle();
    let files = match touched.created.len() + touched.modified.len() {
        0..=2 => 1,
        3..=5 => 2,
        6..=10 => 3,
        _ => 4,
    };
    [tasks, files, verification(sprint)]
}

/// 1 a checklist, 2 a build, 3 tests, 4 tests of the whole.
fn verification(sprint: &Sprint) -> u32 {
    let of = |text: &str, command: bool| {
        let lower = text.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        match () {
            () if says(&["integration test", "end-to-end", "e2e"]) => 4,
            () if says(&["test"]) => 3,
            () if command || says(&["build", "compile"]) => 2,
            () => 1,
        }
    };
    let each = sprint.exit.iter().map(|one| {
        let command = matches!(one.check, Check::Command { .. }) || command_in(&one.text).is_some();
        of(&one.text, command)
    });
    each.max().unwrap_or(1)
}
