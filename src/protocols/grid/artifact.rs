//! The three-level check of artifacts: it is there, it is real, it is in use.
//!
//! The host reads the files; this module finds out what speaks against them, without a model. It only refutes: what holds, the
//! recognizer must show with evidence of its own.

use super::plan::{Artifact, KeyLink, Plan, inside};
use super::state::{Block, Checked, State};
use crate::mission::prelude::*;
use crate::vocab::evidence::normal;
use crate::vocab::repository::{DocumentSeen, Seen};
use crate::vocab::table::map_of;
use regex_lite::{Regex, RegexBuilder};

/// The most files of one look.
const MOST_FILES: usize = 300;
/// The longest text that a pattern is looked for in, in bytes.
const MOST_SEARCHED: usize = 2 * 1024 * 1024;
/// The longest pattern, in bytes.
const MOST_PATTERN: usize = 400;

/// Words that only an unfinished file has.
const UNFINISHED: [&str; 3] = ["TODO", "FIXME", "PLACEHOLDER"];
/// Code that does nothing at all.
const EMPTY: [&str; 2] = ["<div>Component</div>", "={()=>{}}"];
/// Code that may do nothing: alone it proves neither.
const DOUBTFUL: [&str; 3] = ["return null", "return {}", "return []"];

/// The files to look at for what is judged next.
pub(super) fn paths(state: &State) -> Vec<String> {
    let mut all = BTreeSet::new();
    for block in looked_at(state) {
        let must = &block.plan.must_haves;
        all.extend(must.artifacts.iter().map(|one| normal(&one.path)));
        let ends = must.key_links.iter().flat_map(|link| [&link.from, &link.to]);
        all.extend(ends.map(|path| normal(path)).filter(|path| is_file(path)));
    }
    all.into_iter().filter(|path| inside(path)).take(MOST_FILES).collect()
}

/// The blocks that are judged next, and those that were written over since they were verified.
fn looked_at(state: &State) -> impl Iterator<Item = &Block> {
    let over = state.written_over().into_iter().map(|(block, _)| block);
    state.to_judge().into_iter().chain(over)
}

/// Links also name things that are no files: `User.email`, a route, a person.
fn is_file(path: &str) -> bool {
    !path.contains(' ') && (path.contains('/') || crate::vocab::evidence::in_repository(path))
}

/// Takes over what was seen.
pub(super) fn observed(state: &mut State, documents: &[DocumentSeen]) {
    let seen: BTreeMap<&str, &Seen> =
        map_of(documents.iter().map(|one| (one.path.as_str(), &one.seen)));
    let mut found = BTreeMap::new();
    for block in looked_at(state) {
        for (id, checked) in check(&block.plan, &seen) {
            found.insert(format!("{}/{id}", block.id), checked);
        }
    }
    state.core.verification.mechanical = found;
    state.core.verification.looked_at = state.core.life.seen.as_ref().map(|seen| seen.ordinal);
}

/// What files show about the artifacts and links of a plan, by the id of its must-have.
pub fn check(plan: &Plan, seen: &BTreeMap<&str, &Seen>) -> Vec<(String, Checked)> {
    let must = &plan.must_haves;
    let links: Vec<(Finding, String)> =
        must.key_links.iter().map(|link| linked(link, seen)).collect();
    let mut all = Vec::new();
    for (place, artifact) in must.artifacts.iter().enumerate() {
        let wired = wired(artifact, &must.key_links, &links);
        all.push((format!("ART-{:03}", place + 1), artifact_check(artifact, seen, wired)));
    }
    for (place, (link, (found, why))) in must.key_links.iter().zip(links).enumerate() {
        let there = match (text(&link.from, seen), text(&link.to, seen)) {
            (Some(_), Some(_)) => Finding::Holds,
            _ if absent(&link.from, seen) || absent(&link.to, seen) => Finding::DoesNotHold,
            _ => Finding::NotShown,
        };
        let checked = Checked { exists: there, substantive: found, wired: found, why };
        all.push((format!("LINK-{:03}", place + 1), checked));
    }
    all
}

impl Checked {
    /// Whether one of the three levels speaks against it. That they hold shows nothing: who judges says what they read.
    pub fn refutes(&self) -> bool {
        [self.exists, self.substantive, self.wired].contains(&Finding::DoesNotHold)
    }

    /// In a line.
    pub fn line(&self) -> String {
        let word = |finding: Finding| match finding {
            Finding::Holds => "yes",
            Finding::DoesNotHold => "no",
            Finding::NotShown => "not shown",
        };
        format!(
            "exists: {}, substantive: {}, wired: {} ({})",
            word(self.exists),
            word(self.substantive),
            word(self.wired),
            self.why
        )
    }
}

fn text<'a>(path: &str, seen: &BTreeMap<&str, &'a Seen>) -> Option<&'a str> {
    match seen.get(normal(path).as_str()) {
        Some(Seen::Text { text, .. }) => Some(text),
        Some(Seen::Absent | Seen::Digest { .. }) | None => None,
    }
}

fn absent(path: &str, seen: &BTreeMap<&str, &Seen>) -> bool {
    matches!(seen.get(normal(path).as_str()), Some(Seen::Absent))
}

fn artifact_check(artifact: &Artifact, seen: &BTreeMap<&str, &Seen>, wired: Finding) -> Checked {
    let shown = |exists, substantive, why: String| Checked { exists, substantive, wired, why };
    match seen.get(normal(&artifact.path).as_str()) {
        Some(Seen::Absent) => shown(
            Finding::DoesNotHold,
            Finding::DoesNotHold,
            format!("{} is not there", artifact.path),
        ),
        Some(Seen::Text { text, .. }) => match stub(artifact, text) {
            Ok(true) => shown(Finding::Holds, Finding::Holds, "read".to_owned()),
            Ok(false) => {
                shown(Finding::Holds, Finding::NotShown, "returns nothing somewhere".to_owned())
            }
            Err(why) => shown(Finding::Holds, Finding::DoesNotHold, why),
        },
        Some(Seen::Digest { problem: None, .. }) => {
            shown(Finding::Holds, Finding::NotShown, "not read".to_owned())
        }
        Some(Seen::Digest { problem: Some(problem), .. }) => {
            let (expected, got) = (&problem.expected, &problem.got);
            let why = format!("at {} {expected} was expected, and there is {got}", problem.at);
            shown(Finding::NotShown, Finding::NotShown, why)
        }
        None => shown(Finding::NotShown, Finding::NotShown, "not looked at".to_owned()),
    }
}

/// Whether a text is real: yes, perhaps, or why not.
fn stub(artifact: &Artifact, text: &str) -> Result<bool, String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    let least = usize::try_from(artifact.min_lines.unwrap_or(1).max(1)).unwrap_or(usize::MAX);
    if lines < least {
        return Err(format!("{lines} lines that are not blank, of at least {least}"));
    }
    if let Some(word) = UNFINISHED.into_iter().find(|word| has_word(text, word)) {
        return Err(format!("it says {word}"));
    }
    // However it is set: a handler that does nothing is one with blanks in it, too.
    let dense: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    if let Some(code) = EMPTY.into_iter().find(|code| dense.contains(code)) {
        return Err(format!("it holds `{code}`"));
    }
    if let Some(words) = artifact.contains.as_deref().filter(|words| !text.contains(words)) {
        return Err(format!("it does not contain `{words}`"));
    }
    let mut names = artifact.exports.iter().filter(|name| *name != "*");
    if let Some(name) = names.find(|name| !has_word(text, name.trim())) {
        return Err(format!("it does not mention `{name}`"));
    }
    Ok(!DOUBTFUL.into_iter().any(|code| text.contains(code)))
}

/// A word by itself, in capitals as people write it.
fn has_word(text: &str, word: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + word.len()..]);
        !letter(before.chars().next_back()) && !letter(behind.chars().next())
    })
}

/// Whether an artifact is in use: it is not where no link that names it leads anywhere.
fn wired(artifact: &Artifact, links: &[KeyLink], found: &[(Finding, String)]) -> Finding {
    let path = normal(&artifact.path);
    let names = |link: &KeyLink| normal(&link.from) == path || normal(&link.to) == path;
    let mut of = links.iter().zip(found).filter(|(link, _)| names(link)).peekable();
    let leads_nowhere = of.peek().is_some() && of.all(|(_, found)| found.0 == Finding::DoesNotHold);
    if leads_nowhere { Finding::DoesNotHold } else { Finding::NotShown }
}

/// A link does not hold if its pattern stands nowhere. Where it stands is told: whether its source leads there so is for who reads it.
fn linked(link: &KeyLink, seen: &BTreeMap<&str, &Seen>) -> (Finding, String) {
    let KeyLink { from, to, pattern, .. } = link;
    let open = |why| (Finding::NotShown, why);
    if let Some((_, expected, _)) = super::link::idle(link) {
        return open(format!("not {expected}"));
    }
    let Some(source) = text(from, seen) else { return open(format!("{from} was not read")) };
    let Some(pattern) = pattern else { return open("no pattern to look for".to_owned()) };
    let target = text(to, seen);
    if [Some(source), target].into_iter().flatten().any(|text| text.len() > MOST_SEARCHED) {
        return open(format!("more than {MOST_SEARCHED} bytes to look for `{pattern}` in"));
    }
    let regex = regex(pattern);
    let hit = |text: &str| match &regex {
        Some(regex) => regex.is_match(text),
        None => text.contains(pattern.as_str()),
    };
    match target {
        _ if hit(source) => open(format!("`{pattern}` stands in {from}")),
        Some(target) if hit(target) => open(format!("`{pattern}` stands in {to}, not in {from}")),
        Some(_) => {
            (Finding::DoesNotHold, format!("`{pattern}` stands neither in {from} nor in {to}"))
        }
        None => open(format!("`{pattern}` does not stand in {from}, and {to} was not read")),
    }
}

/// A pattern that is a regular expression within bounds; the engine for it takes linear time.
pub(super) fn regex(pattern: &str) -> Option<Regex> {
    if pattern.len() > MOST_PATTERN {
        return None;
    }
    RegexBuilder::new(pattern).size_limit(256 * 1024).nest_limit(30).build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::digest::digest;

    fn look(
        artifact: Artifact,
        link: Option<(&str, &str)>,
        files: &[(&str, &str)],
    ) -> Vec<Finding> {
        let seen: Vec<(&str, Seen)> = files
            .iter()
            .map(|(path, text)| {
                (*path, Seen::Text { digest: digest(text), text: (*text).to_owned() })
            })
            .collect();
        let mut by_path: BTreeMap<&str, &Seen> =
            seen.iter().map(|(path, seen)| (*path, seen)).collect();
        let absent = Seen::Absent;
        by_path.entry("src/a.ts").or_insert(&absent);
        let links = link.map(|(to, pattern)| KeyLink {
            from: "src/a.ts".to_owned(),
            to: to.to_owned(),
            via: None,
            pattern: Some(pattern.to_owned()),
        });
        let text = "---\nphase: 01-x\nplan: 1\n---\n";
        let mut plan = super::super::plan::parse("01-01-PLAN.md", text).unwrap().plan;
        plan.must_haves.artifacts = vec![artifact];
        plan.must_haves.key_links = links.into_iter().collect();
        let checked = check(&plan, &by_path);
        vec![checked[0].1.exists, checked[0].1.substantive, checked[0].1.wired]
    }

    fn artifact() -> Artifact {
        Artifact {
            path: "./src/a.ts".to_owned(),
            provides: None,
            min_lines: None,
            contains: None,
            exports: Vec::new(),
        }
    }

    #[test]
    fn three_levels_of_three_values() {
        use Finding::{DoesNotHold as No, Holds as Yes, NotShown as Open};
        assert_eq!(look(artifact(), None, &[]), [No, No, Open]);
        assert_eq!(
            look(artifact(), None, &[("src/a.ts", "export const a = 1\n")]),
            [Yes, Yes, Open]
        );
        for stub in ["", "// TODO write it\n", "<div>\nComponent</div>\n", "onClick={ ()=>{ } }\n"]
        {
            assert_eq!(look(artifact(), None, &[("src/a.ts", stub)]), [Yes, No, Open], "{stub}");
        }
        assert_eq!(look(artifact(), None, &[("src/a.ts", "return null\n")]), [Yes, Open, Open]);
        assert_eq!(look(artifact(), None, &[("src/a.ts", "const TODOS = 1\n")]), [Yes, Yes, Open]);
        let long = Artifact { min_lines: Some(3), ..artifact() };
        assert_eq!(look(long.clone(), None, &[("src/a.ts", "one\n\ntwo\n")]), [Yes, No, Open]);
        assert_eq!(look(long, None, &[("src/a.ts", "one\ntwo\n\nthree\n")]), [Yes, Yes, Open]);
        let empty = Artifact { min_lines: Some(0), ..artifact() };
        assert_eq!(look(empty, None, &[("src/a.ts", "\n \n")]), [Yes, No, Open]);
        let exports = Artifact { exports: vec!["run".to_owned(), "*".to_owned()], ..artifact() };
        for (text, found) in [
            ("export { walk }\n", No),
            ("export { rerunning }\n", No),
            ("export { walk, run }\n", Yes),
            ("module.exports['run'] = walk\n", Yes),
        ] {
            let seen = look(exports.clone(), None, &[("src/a.ts", text)]);
            assert_eq!(seen, [Yes, found, Open], "{text}");
        }
    }

    #[test]
    fn the_pattern_of_a_link_stands_somewhere() {
        use Finding::{DoesNotHold as No, NotShown as Open};
        let files = [("src/a.ts", "await queue.take()\n"), ("src/b.ts", "class Queue {}\n")];
        let wired = |pattern| look(artifact(), Some(("src/b.ts", pattern)), &files)[2];
        assert_eq!(wired("queue\\.take"), Open);
        // The pattern is in the target only.
        assert_eq!(wired("class.*Queue"), Open);
        assert_eq!(wired("queue\\.add"), No);
        // No regular expression: taken literally.
        assert_eq!((wired("take("), wired("add(")), (Open, No));
        let one = [("src/a.ts", "x\n")];
        assert_eq!(look(artifact(), Some(("src/b.ts", "y")), &one)[2], Open);
        // What holds by itself shows nothing.
        assert_eq!(wired("x*"), Open);
        assert_eq!(look(artifact(), Some(("./src/a.ts", "take")), &files)[2], Open);
        // A link from a missing file does not hold, whatever the other file contains.
        let link = KeyLink {
            from: "src/gone.ts".to_owned(),
            to: "src/b.ts".to_owned(),
            via: None,
            pattern: Some("Queue".to_owned()),
        };
        let (gone, there) =
            (Seen::Absent, Seen::Text { digest: digest("Queue"), text: "Queue".to_owned() });
        let seen = BTreeMap::from([("src/gone.ts", &gone), ("src/b.ts", &there)]);
        let text = "---\nphase: 01-x\nplan: 1\n---\n";
        let mut plan = super::super::plan::parse("01-01-PLAN.md", text).unwrap().plan;
        plan.must_haves.key_links = vec![link];
        assert!(check(&plan, &seen)[0].1.refutes());
    }
}
