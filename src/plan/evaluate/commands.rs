//! Commands that build and test, and the checks that follow from what tasks make.

use super::super::model::{Check, PlanCriterion};
use super::super::paths::Touched;

/// The commands that something is built and tested with.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Commands {
    pub(in super::super) build: Option<String>,
    pub(in super::super) test: Option<String>,
}

impl Commands {
    /// The first of each among some criteria; the shortest that says so decides.
    pub(in super::super) fn of<'c>(criteria: impl Iterator<Item = &'c PlanCriterion>) -> Commands {
        let commands = criteria.filter_map(|one| match &one.check {
            Check::Command { command, .. } if !command.contains('`') => Some(command.clone()),
            _ => None,
        });
        Commands::among(&commands.collect::<Vec<_>>())
    }

    /// The same among some command lines.
    pub(in super::super) fn among(commands: &[String]) -> Commands {
        let with = |word: &str| {
            let fits = commands.iter().filter(|command| runs(command, word));
            fits.min_by_key(|command| command.len()).cloned()
        };
        Commands { build: with("build"), test: with("test") }
    }
}

/// Whether the status of a command is all that it claims: a build, tests, a check.
pub(super) fn is_gate(command: &str) -> bool {
    ["build", "test", "check", "lint"].iter().any(|word| runs(command, word))
}

/// Whether a command builds or tests a whole project: a build tool, and its own word for that. A command that
/// only has such a word somewhere (`gh workflow view tests.yml`) does not.
fn runs(command: &str, what: &str) -> bool {
    const TOOLS: [&str; 20] = [
        "cargo",
        "swift",
        "xcodebuild",
        "npm",
        "pnpm",
        "yarn",
        "bun",
        "make",
        "just",
        "go",
        "gradle",
        "./gradlew",
        "mvn",
        "dotnet",
        "bazel",
        "zig",
        "mix",
        "rake",
        "deno",
        "tox",
    ];
    const TESTERS: [&str; 4] = ["pytest", "jest", "vitest", "ctest"];
    if command.contains(['|', '<', '>', ';', '&']) {
        return false;
    }
    let mut words = command.split_whitespace().filter(|word| !word.contains('='));
    let Some(program) = words.next() else { return false };
    let verb = words.find(|word| !word.starts_with('-') && *word != "run").unwrap_or_default();
    let says = |verb: &str| {
        verb == what || verb.strip_prefix(what).is_some_and(|rest| rest.starts_with(['-', ':']))
    };
    // "cargo test types" tests a part of it.
    if program != "xcodebuild" && words.any(|word| !word.starts_with('-')) {
        return false;
    }
    TOOLS.contains(&program)
        && (says(verb) || program == "xcodebuild" && command.contains(&format!(" {what}")))
        || what == "test" && TESTERS.contains(&program)
}

/// What a machine can check of some tasks: the files they make, the build, the tests.
pub(in super::super) fn criteria_for<'t>(
    tasks: impl Iterator<Item = &'t str> + Clone,
    commands: &Commands,
) -> Vec<String> {
    let mut touched = Touched::default();
    tasks.clone().for_each(|task| touched.task(task));
    touched.settle();
    // A bare name with an ending may be data that the tasks only speak of; a `Dockerfile` is none.
    let placed = touched.created.iter().filter(|file| file.contains('/') || !file.contains('.'));
    let mut criteria: Vec<String> = placed.map(|file| format!("File exists: `{file}`")).collect();
    let tested = tasks.into_iter().any(|text| text.to_lowercase().contains("test"));
    if let Some(build) = &commands.build {
        criteria.push(format!("`{build}` succeeds"));
    }
    if let Some(test) = commands.test.as_ref().filter(|_| tested || commands.build.is_none()) {
        criteria.push(format!("`{test}` passes"));
    }
    criteria
}
