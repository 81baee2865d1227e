//! Files that the mission writes beside the plan are kept out of git's sight, so that a look at what is not committed
//! does not find them and nobody's `git add -A` takes them along. What lies in a directory of its own hides itself by
//! the `.gitignore` there; these lie among the user's files, so the private rules of the repository name them.

use super::durable;
use super::error::{HostError, HostResult};
use super::git::Git;
use super::regular;
use super::store::Places;
use std::fs;
use std::io::{Error, ErrorKind};
use std::path::Path;

/// What the rules stand below, so that a person knows whose they are.
const COMMENT: &str =
    "# endstate: what a mission writes by itself; `git add -f` takes a file all the same";

/// What to do where another rule goes before ours.
const SHOWN: &str = "a rule of .gitignore shows it; name it at the end of .gitignore";

/// Adds the rule for a file that the mission is about to write, if it is one of those, git does not track it and the
/// rule is not there yet. `true` if nothing more is to be done about this file.
///
/// # Errors
/// What git or the system says; the rules are as before then.
pub(super) fn hide(places: &Places, relative: &str) -> HostResult<bool> {
    let Some(rule) = rule(relative) else { return Ok(true) };
    let git = Git::of(&places.root);
    let Some(exclude) = git.path_of("info/exclude")? else { return Ok(true) };
    if !git.read(&["ls-files", "-z", "--", relative])?.stdout.is_empty() {
        return Ok(false);
    }
    let fail = |error| HostError::io("write", &exclude, error);
    // A link stays one: what it leads to is written.
    let exclude_at = fs::canonicalize(&exclude).unwrap_or_else(|_| exclude.clone());
    let old = match regular::read(&exclude_at) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        other => other.map_err(fail)?,
    };
    if let Some(new) = with(&old, &rule) {
        durable::replace(&exclude_at, folder(&exclude_at), &new, false).map_err(fail)?;
    }
    // A `!` in a .gitignore goes before these rules.
    match git.read(&["--no-literal-pathspecs", "check-ignore", "-q", "--", relative])?.status {
        Some(1) => Err(HostError::io("hide", Path::new(relative), Error::other(SHOWN))),
        _ => Ok(true),
    }
}

/// Whether these rules hide a file by the rule that [`hide`] adds, for whatever mission it did.
pub(super) fn hides(rules: &[u8], path: &[u8]) -> bool {
    let rule = std::str::from_utf8(path).ok().and_then(rule);
    rule.is_some_and(|rule| with(rules, &rule).is_none())
}

/// The rule that hides exactly this file; `None` for what is no file beside a plan.
fn rule(relative: &str) -> Option<String> {
    let hidden = [".agent/", ".grid/"].iter().any(|own| relative.starts_with(own));
    let name = relative.rsplit('/').next().unwrap_or_default();
    let ours =
        name == "SUPERVISOR_STATE.md" || (name.starts_with("COMPLETE_") && name.ends_with(".md"));
    let spelled = !relative.starts_with('/') && !relative.chars().any(char::is_control);
    (ours && !hidden && spelled).then(|| {
        let escaped = relative.chars().flat_map(|one| {
            let special = matches!(one, '*' | '?' | '[' | ']' | '\\' | ' ');
            special.then_some('\\').into_iter().chain([one])
        });
        std::iter::once('/').chain(escaped).collect()
    })
}

/// The rules with one more, below the comment; `None` if it is there. Every other byte stays.
fn with(old: &[u8], rule: &str) -> Option<Vec<u8>> {
    let bare = |line: &[u8]| line.strip_suffix(b"\r").unwrap_or(line).to_vec();
    let mut lines = old.split_inclusive(|byte| *byte == b'\n');
    let same =
        |line: &[u8], text: &str| bare(line.strip_suffix(b"\n").unwrap_or(line)) == text.as_bytes();
    if lines.clone().any(|line| same(line, rule)) {
        return None;
    }
    let (mut before, mut found) = (Vec::with_capacity(old.len()), false);
    for line in lines.by_ref() {
        before.extend_from_slice(line);
        found = same(line, COMMENT);
        if found {
            break;
        }
    }
    if !before.is_empty() && !before.ends_with(b"\n") {
        before.push(b'\n');
    }
    if !found {
        before.extend_from_slice(format!("{COMMENT}\n").as_bytes());
    }
    before.extend_from_slice(format!("{rule}\n").as_bytes());
    lines.for_each(|line| before.extend_from_slice(line));
    Some(before)
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_written_beside_a_plan_has_a_rule_and_it_means_that_file_alone() {
        let ours = ["SUPERVISOR_STATE.md", "a/COMPLETE_X.md", "a [b]*/SUPERVISOR_STATE.md"];
        let rules = ours.map(|path| rule(path).unwrap());
        let wanted =
            ["/SUPERVISOR_STATE.md", "/a/COMPLETE_X.md", r"/a\ \[b\]\*/SUPERVISOR_STATE.md"];
        assert_eq!(rules, wanted);
        let others =
            ["a.md", ".agent/SUPERVISOR_STATE.md", ".grid/COMPLETE_X.md", "a\n/COMPLETE_X.md"];
        assert!(others.iter().all(|path| rule(path).is_none()));
    }

    #[test]
    fn every_rule_is_there_once_and_what_was_there_stays() {
        let once = with(b"mine\xff", "/a").unwrap();
        assert_eq!(once, [b"mine\xff\n", COMMENT.as_bytes(), b"\n/a\n"].concat());
        assert_eq!(with(&once, "/a"), None);
        let twice = with(&[once.as_slice(), b"theirs"].concat(), "/b").unwrap();
        assert_eq!(twice, [b"mine\xff\n", COMMENT.as_bytes(), b"\n/b\n/a\ntheirs"].concat());
        assert_eq!(with(b"/a\r\n", "/a"), None);
    }
}
