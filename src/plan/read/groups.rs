//! What belongs to the criteria of a sprint beside its list: groups below "Exit criteria" (`**Functional:**`, a
//! deeper heading), and fences that are one script.

use super::super::classify;
use super::super::document::LineRange;
use super::super::model::PlanCriterion;
use super::super::outline::plain_small;
use super::super::shown;
use super::super::wordlist::WordList;
use super::parts::{Part, commands};
use super::transcript;

/// The level of a label that is no heading: every heading stands above it.
pub(super) const LABEL: u8 = 7;

/// A list of criteria that was opened by a heading or a label, and may have groups below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Under {
    /// Entry or exit criteria.
    pub(super) part: Part,
    /// The level of its heading, or [`LABEL`].
    pub(super) level: u8,
    /// How many criteria there were before it.
    pub(super) before: usize,
    /// It was divided into groups by its author.
    pub(super) grouped: bool,
    /// Something other than paragraphs was read below the nearest label.
    pub(super) listed: bool,
    /// What stands here is beside the criteria.
    pub(super) aside: bool,
    /// They are tests, of which some may be to be written.
    pub(super) tests: bool,
}

impl Under {
    pub(super) fn new(part: Part, level: u8, before: usize) -> Self {
        Under { part, level, before, grouped: false, listed: false, aside: false, tests: false }
    }

    /// Whether a label in it that is no known part is a group of criteria: one below a heading, one that stands
    /// before the first criterion, one behind another group.
    pub(super) fn is_group(&self, label: &str, many: usize, heading: Option<u8>) -> bool {
        let deeper = match heading {
            Some(level) => level > self.level,
            None => self.level < LABEL,
        };
        !is_aside(label) && (deeper || many == self.before || heading.is_none() && self.grouped)
    }
}

/// Labels over what is only wished for or put off, of which not even an open box is work.
pub(super) static WISHED: WordList = WordList::new(&[
    "out of scope",
    "non-goals",
    "non-goal",
    "non goals",
    "not in scope",
    "future work",
    "future",
    "later",
    "follow-up",
    "follow-ups",
    "open questions",
    "open question",
    "backlog",
    "stretch",
    "stretch goal",
    "stretch goals",
    "optional",
    "optionally",
    "nice to have",
    "nice-to-have",
    "nice to haves",
    "nice-to-haves",
    "bonus",
    "could have",
    "won't have",
    "if time permits",
]);

/// Labels of what people write beside criteria: remarks, and what was changed for them.
static ASIDE: WordList = WordList::new(&[
    "note",
    "notes",
    "context",
    "background",
    "reference",
    "references",
    "rationale",
    "why",
    "risk",
    "risks",
    "example",
    "examples",
    "assumption",
    "assumptions",
    "file",
    "files",
    "rollback",
    "commit",
    "commits",
    "handoff",
    "hand-off",
    "see also",
    "warning",
    "warnings",
    "deliverable",
    "deliverables",
    "output",
    "outputs",
    "blocks",
    "estimate",
]);

/// Whether a label is over what people write beside criteria.
pub(super) fn is_aside(label: &str) -> bool {
    begins_aside(&small(label))
}

/// The same of the words of a label, see [`small`].
pub(super) fn begins_aside(words: &str) -> bool {
    (begins_with(&ASIDE, words) || begins_with(&WISHED, words)) && !demands(words)
}

/// Whether words say of something that it must be so: "output must be empty", "rollback works".
fn demands(words: &str) -> bool {
    static VERBS: WordList = WordList::new(&[
        "must", "should", "shall", "works", "exists", "exist", "resolves", "resolve", "closed",
        "runs", "passes", "pass", "holds", "succeeds", "compile", "compiles", "verified",
    ]);
    words.split(' ').skip(1).any(|word| VERBS.has(word))
}

/// Whether these are all the words of such a label.
pub(super) fn is_aside_word(words: &str) -> bool {
    ASIDE.has(words) || WISHED.has(words)
}

/// The words of a label before its colon in small letters, without marks around them.
pub(super) fn small(label: &str) -> String {
    let words = plain_small(label.split(':').next().unwrap_or_default());
    words.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// Whether one of some labels is the beginning of such words.
pub(super) fn begins_with(labels: &WordList, words: &str) -> bool {
    labels.behind(words).any(|rest| rest.is_empty() || rest.starts_with([' ', '(']))
}

/// The criteria of a fence of commands that begins on a line: one for each command, or one for a script.
pub(super) fn fenced(body: &str, first: u32) -> Vec<PlanCriterion> {
    let made = |code: &str, lines: LineRange| {
        let (text, check) = classify::line(code);
        PlanCriterion { id: String::new(), text, check, ticked: false, lines }
    };
    let whole = body;
    let body = transcript::typed(body);
    let lines = |body: &str| {
        let count = super::super::yaml::count(body.trim_end().lines().count()).max(1);
        LineRange { first, last: first.saturating_add(count - 1) }
    };
    // A comment says nothing of one line of a script, and what asks for a status in other ways is not followed.
    let asked = shown::asks_status(whole);
    let alone = body.lines().filter(|line| !line.trim().is_empty()).nth(1).is_none();
    if asked && !alone && (shown::asks_status(&body) || is_script(&body)) {
        return vec![made(whole.trim_end().trim_start_matches('\n'), lines(whole))];
    }
    if !is_script(&body) {
        let all = commands(&body).into_iter().map(|(command, place)| {
            made(&command, LineRange { first: first + place, last: first + place })
        });
        return all.collect();
    }
    vec![made(&script(&body), lines(&body))]
}

/// A fence whose lines are not commands by themselves: what one begins, another ends or builds on.
pub(super) fn is_script(body: &str) -> bool {
    const BEGIN: [&str; 19] = [
        "if", "for", "while", "until", "case", "select", "function", "{", "(", "cd", "pushd",
        "set", "export", "source", ".", "trap", "unset", "shopt", "exec",
    ];
    for line in
        body.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let first = line.split_whitespace().next().unwrap_or_default();
        let sets = first.split_once('=').is_some_and(|(name, _)| {
            let named = !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            named && (line == first || line.contains("=$(") || line.contains("=`"))
        });
        let defines = first.ends_with("()") || line.contains("() {");
        let open = ["&&", "||", "|", ";", "&"].iter().any(|mark| line.ends_with(mark));
        if BEGIN.contains(&first) || sets || defines || open || line.contains("<<") {
            return true;
        }
        // What a line without its continuation leaves open, the next one closes.
        if shown::is_open(line.trim_end_matches('\\')) {
            return true;
        }
    }
    false
}

/// A script in which every command must succeed, as each line had to by itself.
fn script(body: &str) -> String {
    let lines: Vec<&str> = body.trim_end().lines().collect();
    let text = lines.join("\n");
    let text = text.trim_start_matches('\n');
    let strict = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    match strict.is_some_and(|line| line.starts_with("set -e")) {
        true => text.to_owned(),
        false => format!("set -e\n{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::model::{Check, Expectation};
    use super::*;

    #[test]
    fn a_line_of_a_fence_that_must_fail_fails_by_itself() {
        let made = fenced("! bin/nosuch foo\n", 3);
        let check =
            Check::Command { command: "bin/nosuch foo".to_owned(), expect: Expectation::Failure };
        assert_eq!((made[0].text.as_str(), &made[0].check), ("`! bin/nosuch foo`", &check));
    }

    #[test]
    fn fences_are_commands_or_one_script() {
        for (body, script) in [
            ("make a\nmake b\n", false),
            ("# first\n\nmake a \\\n  --fast\n", false),
            ("FOO=1 make a\ntest -f b\n", false),
            ("grep -q \"it's\" a\n", false),
            ("cd app\ntest -f b\n", true),
            ("for f in *.sh; do\n  sh -n \"$f\"\ndone\n", true),
            ("cat <<EOF | grep -q x\nx\nEOF\n", true),
            ("if ! make a; then exit 1; fi\n", true),
            ("make a &&\nmake b\n", true),
            ("X=$(make a)\ntest -n \"$X\"\n", true),
            ("check() {\n  make $1\n}\ncheck a\n", true),
            ("python3 -c '\nimport a\n'\n", true),
            ("X=`cat a`\ntest -n \"$X\"\n", true),
            ("$ make a\nok\n$ make b\n", false),
            ("$ cd app\nok\n$ make b\n", true),
        ] {
            let made = fenced(body, 3);
            assert_eq!(is_script(&transcript::typed(body)), script, "{body}");
            assert_eq!(made.len() == 1 && made[0].text.contains("`set -e\n"), script, "{body}");
            // What was made is read the same way again.
            if let [PlanCriterion { check: Check::Command { command, .. }, .. }] = made.as_slice() {
                assert_eq!(fenced(command, 3).first().map(|one| &one.text), Some(&made[0].text));
            }
        }
    }
}
