//! The words of English that commands on plans know: those of the seed, with its lines. None is ever added.

/// Criteria that nobody can measure: seed 24, 1642, 1643, 1777.
pub const VAGUE: &[&str] =
    &["works correctly", "properly handles", "is complete", "looks good", "works well"];
/// Of these, what is replaced by tests: seed 1681.
pub const TESTED: &str = "works correctly";
/// Of these, what is replaced by files: seed 1681.
pub const MADE: &str = "is complete";
/// Tasks that make nothing in particular: seed 1630.
pub const AIMLESS: &[&str] = &["make it work", "update things"];
/// Entry criteria that name nothing: seed 1632.
pub const LOOSE: &[&str] = &["previous work"];
/// What an entry criterion says of another sprint: seed 1472, 1560.
pub const MET: &str = "exit criteria met";
/// What the first sprint begins with: seed 1472.
pub const FIRST: &str = "First sprint — no prerequisites";

/// What is not decided yet: seed 1802.
pub const UNDECIDED: &[&str] = &["TBD", "TODO", "determine later", "decide", "clarify"];
/// What is not said: seed 1804.
pub const UNSAID: &[&str] = &["appropriate library", "suitable approach", "standard method"];
/// What is there already: seed 1747.
pub const THERE: &[&str] = &["existing", "current", "legacy"];
/// Sections about the beginning: seed 1745.
pub const BEGINNING: &[&str] = &["Prerequisites", "Starting State", "Assumptions", "Preconditions"];
/// Sections about the end: seed 1764, 1766.
pub const ENDING: &[&str] =
    &["Goals", "Objectives", "Success Criteria", "Done Definition", "Acceptance Criteria"];
/// Sections with what there will be: seed 1767.
pub const DELIVERED: &[&str] = &["Deliverables"];

/// Headings of requirements: seed 1385.
pub const REQUIRED: &[&str] = &["Requirements"];
/// Words of RFC 2119, in capitals; with "NOT" they are the same words: seed 1387.
pub const KEYWORDS: &[&str] = &["MUST", "SHALL", "SHOULD", "MAY"];
/// Headings of what the work is accepted by: seed 1389.
pub const ACCEPTANCE: &[&str] = &["Acceptance Criteria"];
/// The language of tasks: seed 1392.
pub const TASKS: &[&str] =
    &["implement", "create", "build", "add", "support", "enable", "integrate"];
/// Headings of lists of work: seed 1394.
pub const LISTS: &[&str] = &["Features", "Deliverables", "Scope", "Tasks"];
/// Headings of goals, constraints, architecture and dependencies, which ask for nothing: seed 1397 to 1401.
pub const CONTEXT: &[&str] =
    &["Goals", "Objectives", "Constraints", "Architecture", "Dependencies"];
/// Marks of what is not wanted: seed 1400.
pub const OUTSIDE: &[&str] = &["out of scope", "not included", "future work", "v2"];
/// What others build on and comes first: seed 1447.
pub const FOUNDATION: &[&str] = &["types", "interfaces", "shared utilities"];
