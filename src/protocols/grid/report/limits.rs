//! Limits of the texts of a role. Nothing is cut: a report in which any text is beyond its limit goes back,
//! with all texts that are too long in one answer. docs/grid.md names the limits, and so does the form of each report.

use super::super::role::Role;
use crate::mission::template::{Fields, fields};
use crate::vocab::error::{Code, Error, Result, place};
use serde_json::Value;

/// The most characters of a text that has no limit of its own.
pub(in super::super) const MOST_TEXT: usize = 2_000;
/// The most characters of a must-have, and of an objective: without must-haves it is the one.
pub(in super::super) const MOST_MUST_HAVE: usize = 20_000;
/// The most characters of what is said at length: the words of a summary, what a debugger found.
const MOST_WORDS: usize = 20_000;
/// The most characters of one lesson.
const MOST_LESSON: usize = super::super::warmth::MOST_CHARS;
/// The most lessons of a category.
const MOST_LESSONS: usize = super::super::warmth::MOST_LINES;
/// The most that one answer names.
const MOST_NAMED: usize = 100;

/// Places of a report, without their numbers, each with a limit; it counts for all that lies inside as well.
type Limits = &'static [(&'static str, usize)];

/// The limits of one role.
struct Bounds {
    /// Characters of a text.
    texts: Limits,
    /// Items of a list.
    lists: Limits,
    /// Characters of all texts inside.
    all: Limits,
}

const EXECUTOR: Bounds = Bounds {
    texts: &[
        ("summary.words", MOST_WORDS),
        ("claims.evidence", usize::MAX),
        ("checkpoint.how_to_verify", super::MOST_LINE),
        ("checkpoint.options", super::MOST_LINE),
        ("deviations.description", super::MOST_CHANGE),
        ("scratchpad", 4_000),
        ("lessons_learned", MOST_LESSON),
    ],
    lists: &[
        ("checkpoint.how_to_verify", super::MOST_LINES),
        ("checkpoint.options", super::MOST_LINES),
        ("failure.tried", 50),
        ("failure.do_not_retry", 50),
        ("failure.created", 100),
        ("failure.commits", 100),
        ("deviations.files", 50),
        ("deviations", 100),
        ("approaches", 50),
        ("lessons_learned", MOST_LESSONS),
    ],
    all: &[("failure", 40_000)],
};

const DEBUGGER: Bounds = Bounds {
    texts: &[("hypotheses.status", 40), ("findings", MOST_WORDS), ("lessons_learned", MOST_LESSON)],
    lists: &[
        ("hypotheses", 50),
        ("tried", 50),
        ("ruled_out", 50),
        ("lessons_learned", MOST_LESSONS),
    ],
    all: &[("", 60_000)],
};

const RECOGNIZER: Bounds = Bounds {
    texts: &[
        ("verdicts.method", super::MOST_METHOD),
        ("verdicts.evidence", usize::MAX),
        ("gaps.missing", super::MOST_ITEM),
        ("gaps.reason", super::MOST_REASON),
        ("anomaly", super::MOST_REASON),
        ("gaps.block", super::MOST_NAME),
        ("gaps.criterion", super::MOST_NAME),
        ("lessons_learned", MOST_LESSON),
    ],
    lists: &[("gaps.missing", super::MOST_MISSING), ("lessons_learned", MOST_LESSONS)],
    all: &[],
};

const PLANNER: Bounds = Bounds {
    texts: &[
        ("cluster", 200),
        // That of a document is counted in bytes.
        ("plans.content", usize::MAX),
        ("plans.objective", MOST_MUST_HAVE),
        ("plans.frontmatter.must_haves", MOST_MUST_HAVE),
        ("lessons_learned", MOST_LESSON),
    ],
    lists: &[("lessons_learned", MOST_LESSONS)],
    all: &[],
};

const LEAD: Bounds = Bounds { texts: &[("personas", 1_000)], lists: &[], all: &[] };

const SWARM: Bounds = Bounds {
    texts: &[
        ("findings.title", super::MOST_FOUND),
        ("findings.where", super::MOST_FOUND),
        ("findings.expected", super::MOST_FOUND),
        ("screenshots", 400),
        ("lessons_learned", MOST_LESSON),
    ],
    lists: &[("screenshots", 50), ("lessons_learned", MOST_LESSONS)],
    all: &[("findings", 10_000)],
};

const LEARNER: Bounds = Bounds { texts: &[("", 1_000)], lists: &[("", 40)], all: &[] };

fn bounds(role: Role) -> &'static Bounds {
    match role {
        Role::Planner => &PLANNER,
        Role::Executor => &EXECUTOR,
        Role::Recognizer => &RECOGNIZER,
        Role::Debugger => &DEBUGGER,
        Role::RefinementLead => &LEAD,
        Role::VisualInspector | Role::E2eExerciser | Role::PersonaSimulator => &SWARM,
        Role::Learner => &LEARNER,
    }
}

/// Something that is beyond its limit.
pub(in super::super) struct Long {
    at: String,
    most: usize,
    unit: &'static str,
    came: usize,
}

/// Refuses a report in which anything is beyond its limit.
///
/// # Errors
/// `too_large`, with every place, its limit and what came.
pub(super) fn fit(role: Role, report: &Value) -> Result<()> {
    let mut long = Vec::new();
    look(bounds(role), report, "", "", &mut long);
    refuse(long)
}

/// A text of a plan or a report that is kept whole, if it can be.
pub(in super::super) fn text(at: impl Into<String>, text: &str, most: usize) -> Option<Long> {
    let came = text.chars().count();
    (came > most).then(|| Long { at: at.into(), most, unit: "characters", came })
}

/// One answer with all that is too long.
///
/// # Errors
/// `too_large` where anything is.
pub(in super::super) fn refuse(mut long: Vec<Long>) -> Result<()> {
    if long.len() < 2 {
        let Some(one) = long.pop() else { return Ok(()) };
        let expected = format!("at most {} {}", one.most, one.unit);
        return Err(Error::new(Code::TooLarge, one.at, expected, one.came.to_string()));
    }
    let got = format!("{} that are too long", long.len());
    let more = long.len().saturating_sub(MOST_NAMED);
    let line =
        |one: &Long| format!("{}: at most {} {}, not {}", one.at, one.most, one.unit, one.came);
    let more = (more > 0).then(|| format!("and {more} more"));
    let lines: Vec<String> = long.iter().take(MOST_NAMED).map(line).chain(more).collect();
    let first = long.swap_remove(0).at;
    Err(Error::new(Code::TooLarge, first, lines.join("; "), got))
}

fn look(bounds: &Bounds, value: &Value, at: &str, path: &str, long: &mut Vec<Long>) {
    if let Some((_, most)) = bounds.all.iter().find(|(name, _)| *name == path)
        && value.is_object()
    {
        let came = letters(value);
        let unit = "characters together";
        long.extend((came > *most).then(|| Long { at: at.to_owned(), most: *most, unit, came }));
    }
    match value {
        Value::String(said) => {
            long.extend(text(at, said, most(bounds.texts, path).unwrap_or(MOST_TEXT)));
        }
        Value::Array(items) => {
            if let Some(most) = most(bounds.lists, path).filter(|most| items.len() > *most) {
                let came = items.len();
                long.push(Long { at: at.to_owned(), most, unit: "items", came });
            }
            for (nth, one) in items.iter().enumerate() {
                look(bounds, one, &format!("{at}[{nth}]"), path, long);
            }
        }
        Value::Object(fields) => {
            for (name, one) in fields {
                look(bounds, one, &place(at, name), &place(path, name), long);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The limit of a place: its own, or that of what it lies in.
fn most(limits: Limits, path: &str) -> Option<usize> {
    let inside = |name: &str| {
        let rest = path.strip_prefix(name);
        name.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    limits.iter().find(|(name, _)| inside(name)).map(|(_, most)| *most)
}

/// How many characters all texts of a value have.
fn letters(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.iter().map(letters).sum(),
        Value::Object(fields) => fields.values().map(letters).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// What the form of a role says of how long all of it may be.
pub(in super::super) fn tell(role: Role, told: &mut Fields) {
    let bounds = bounds(role);
    let list = |limits: Limits| {
        let named = limits.iter().filter(|(name, most)| !name.is_empty() && *most != usize::MAX);
        let named: Vec<String> = named.map(|(name, most)| format!("`{name}` {most}")).collect();
        (!named.is_empty()).then(|| fields! { list: named.join(", ") })
    };
    let recognizer = role == Role::Recognizer;
    told.put("of_recognizer", recognizer.then(super::recognition::limits));
    told.put("most_text", most(bounds.texts, "").unwrap_or(MOST_TEXT));
    told.put("texts", list(bounds.texts));
    told.put("lists", list(bounds.lists));
    told.put("all", list(bounds.all));
}
