//! The phrases of the closed grammar, each as it is read: small letters, marks apart.

/// Words before a command that change nothing.
pub(super) const LEADS: &[&str] = &[
    "run",
    "running",
    "both",
    "verify",
    "verify that",
    "verify by running",
    "verify with",
    "verified by",
    "check",
    "check that",
    "confirm",
    "confirm that",
    "ensure",
    "ensure that",
    "command",
    "the command",
    "build",
    "test",
    "tests",
    "lint",
    "format",
    "formatting",
    "verification",
];

/// Claims that a command behind them shows, if it succeeds.
pub(super) const CLAIMS: &[&str] = &[
    "build succeeds",
    "the build succeeds",
    "build passes",
    "the build passes",
    "project builds",
    "the project builds",
    "it builds",
    "code compiles",
    "the code compiles",
    "tests pass",
    "all tests pass",
    "unit tests pass",
    "lint passes",
];

/// What binds a claim to the command behind it.
pub(super) const BINDS: &[&str] = &[":", "with", "via", "using", "—", "–"];

/// Words behind commands that say that they succeed.
pub(super) const SUCCEEDS: &[&str] = &[
    "succeed",
    "succeeds",
    "pass",
    "passes",
    "both pass",
    "both succeed",
    "all pass",
    "all succeed",
    "is green",
    "are green",
    "must succeed",
    "must pass",
    "exit 0",
    "exits 0",
    "both exit 0",
    "all exit 0",
    "exits with 0",
    "exit with 0",
    "exits zero",
    "exits with code 0",
    "exit with code 0",
    "exits with status 0",
    "exit with status 0",
    "exits with exit code 0",
    "exits with status code 0",
    "exits code 0",
    "exit code 0",
    "exit status 0",
    "returns exit code 0",
    "( exit 0 )",
    "( exits 0 )",
    "( exit code 0 )",
    "( exit status 0 )",
    "→ exit 0",
    "→ exits 0",
    "returns exit status 0",
    "returns status 0",
    "exits cleanly",
    "exits successfully",
    "exit successfully",
    "succeeds ( exit 0 )",
    "succeeds ( exit code 0 )",
    "passes ( exit 0 )",
    "completes successfully",
    "complete successfully",
    "completes without errors",
    "finishes without errors",
    "runs successfully",
    "runs clean",
    "runs cleanly",
    "runs without error",
    "runs without errors",
    "run without errors",
    "succeeds without errors",
    "succeed without errors",
    "succeeds with no errors",
    "builds",
    "build",
    "builds successfully",
    "builds without errors",
    "compiles",
    "compile",
    "compiles successfully",
    "compiles without errors",
    "passes without errors",
    "passes with no errors",
    "passes with no failures",
    "passes with zero failures",
    "passes with 0 failures",
];

/// Words behind a command that must fail.
pub(super) const FAILS: &[&str] = &[
    "fails",
    "exits non-zero",
    "exits nonzero",
    "exits with a non-zero status",
    "exits with a non-zero code",
    "exits with a non-zero exit code",
    "exits with non-zero status",
];

/// Words behind a command that prints nothing.
pub(super) const SILENT: &[&str] = &[
    "returns nothing",
    "prints nothing",
    "outputs nothing",
    "produces no output",
    "has no output",
    "prints no output",
    "returns no output",
    "returns empty",
    "output is empty",
    "is empty",
    "→ nothing",
];

/// Words behind a search that finds nothing.
pub(super) const UNFOUND: &[&str] = &[
    "finds nothing",
    "finds no matches",
    "finds no match",
    "returns no matches",
    "returns no match",
    "returns zero matches",
    "returns 0 matches",
    "returns no results",
    "returns zero results",
    "returns 0 results",
    "returns no hits",
    "returns zero hits",
    "returns 0 hits",
    "returns no lines",
    "returns zero lines",
    "has no matches",
    "has zero matches",
    "shows no matches",
    "matches nothing",
];

/// Words before the number that a counting command prints.
pub(super) const COUNTS: &[&str] =
    &["returns exactly", "returns", "outputs", "equals", "is", "==", "=", "→"];

/// Words before the whole of what any command prints.
pub(super) const EXACTLY: &[&str] = &[
    "prints exactly",
    "outputs exactly",
    "returns exactly",
    "prints only",
    "outputs only",
    "output equals",
    "output is exactly",
];

/// Words behind all of that which change nothing.
pub(super) const TAILS: &[&str] =
    &["again", "still", "locally", "in ci", "on ci", "too", "as well", "afterwards"];
