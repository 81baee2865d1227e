//! Real git, by its command. No library, no cached belief.
//!
//! Reads take no optional locks, never start a background process and never ask for a password.
//! Paths are exchanged NUL-separated; those that are not UTF-8 are shown lossily. Every call has a
//! time limit. Variables that would send git to another repository are taken out.

use super::capture::{Said, capture};
use super::confine;
use super::error::{HostResult, problem};
use super::files::{self, ABSENT, Content};
use super::git_hidden::STATUS;
use super::process::clean_environment;
use super::store::Places;
use crate::engine::hex;
use crate::vocab::error::{Code, Diagnostic};
use crate::vocab::repository::{Change, PathDigest, Repository, line_asked};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Wall time of one reading call.
pub(super) const READ_TIMEOUT: Duration = Duration::from_secs(120);
/// Wall time of a commit, hooks included.
pub(super) const COMMIT_TIMEOUT: Duration = Duration::from_secs(900);
/// The most paths a change or a dirty tree is listed with.
pub(super) const MOST_PATHS: usize = 10_000;
/// The most commits a change is listed with.
const MOST_COMMITS: usize = 1_000;
/// The most lost commits a change is listed with.
const MOST_LOST: usize = 100;

/// The git of one worktree.
#[derive(Clone, Debug)]
pub struct Git {
    pub(super) root: PathBuf,
}

/// What a repository is before a mission begins in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Why it cannot be worked in.
    pub problem: Option<Diagnostic>,
    /// The commit at the head; `None` if unborn.
    pub head: Option<String>,
    /// The branch; `None` if detached.
    pub branch: Option<String>,
    /// Whether git knows whom to name as author and committer; otherwise what it says.
    pub identity: Result<(), String>,
}

/// What is checked out in a worktree.
#[derive(Default)]
struct Checkout {
    /// The commit at the head; `None` if unborn.
    head: Option<String>,
    /// The branch; `None` if detached.
    branch: Option<String>,
    /// Why it cannot be worked in.
    problem: Option<Diagnostic>,
    /// The directory of git that all its worktrees share; `None` where there is none.
    common: Option<PathBuf>,
}

/// The name of a branch by that of its ref, whatever else has the name.
fn branch(name: &str) -> String {
    name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()
}

impl Git {
    /// Of the worktree at `root`.
    pub fn of(root: &Path) -> Git {
        Git { root: root.to_owned() }
    }

    /// A git command with the options every call has.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = confine::git(&self.root);
        command.args(["--literal-pathspecs", "-c", "core.quotePath=false"]);
        command.args(["-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"]);
        // What a file looks like from outside is compared in full.
        command.args(["-c", "core.trustctime=true", "-c", "core.checkStat=default"]);
        command.args(arguments);
        command.current_dir(&self.root);
        clean_environment(&mut command);
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_EDITOR", "true").env("LC_ALL", "C");
        // Commits are what they are, not what this repository has put in their place: a clone has neither.
        command.env("GIT_NO_REPLACE_OBJECTS", "1").env("GIT_GRAFT_FILE", "/dev/null");
        command
    }

    /// Reads.
    ///
    /// # Errors
    /// `io` if git cannot be started or takes too long.
    pub(super) fn read(&self, arguments: &[&str]) -> HostResult<Said> {
        let mut command = self.command(arguments);
        command.env("GIT_OPTIONAL_LOCKS", "0");
        capture(command, &[], READ_TIMEOUT)
    }

    /// As [`Self::read`], of an index of our own instead of the one of this worktree, which it may change.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(super) fn in_index(
        &self,
        index: &Path,
        arguments: &[&str],
        input: &[u8],
    ) -> HostResult<Said> {
        let mut command = self.command(arguments);
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_INDEX_FILE", index);
        capture(command, input, READ_TIMEOUT)
    }

    /// Changes something, with `input` on standard input.
    ///
    /// # Errors
    /// `io` if git cannot be started or takes longer than `timeout`.
    pub(super) fn change(
        &self,
        arguments: &[&str],
        input: &[u8],
        timeout: Duration,
    ) -> HostResult<Said> {
        capture(self.command(arguments), input, timeout)
    }

    /// Whether what is committed is what it was at that commit.
    ///
    /// # Errors
    /// `io` as every call.
    pub fn is_as_at(&self, commit: &str) -> HostResult<bool> {
        let tree = |of: &str| self.line(&["rev-parse", "--verify", "-q", "--end-of-options", of]);
        Ok(tree("HEAD^{tree}")? == tree(&format!("{commit}^{{tree}}"))?)
    }

    /// Whether a file is in the commit at the head as it stands in the worktree.
    ///
    /// # Errors
    /// `io` as every call.
    pub fn is_committed(&self, file: &str) -> HostResult<bool> {
        let known = self.line(&["ls-tree", "--name-only", "HEAD", "--", file])?.is_some();
        let same = self.read(&["diff", "--quiet", "--no-ext-diff", "HEAD", "--", file])?;
        Ok(known && same.status == Some(0))
    }

    /// The first line of what git says, if it succeeds and says anything.
    pub(super) fn line(&self, arguments: &[&str]) -> HostResult<Option<String>> {
        let said = self.read(arguments)?;
        let text = String::from_utf8_lossy(&said.stdout);
        let line = text.lines().next().unwrap_or_default().to_owned();
        Ok((said.status == Some(0) && !line.is_empty()).then_some(line))
    }

    /// A file in the directory of git, wherever this worktree has it.
    ///
    /// # Errors
    /// `io` as every call.
    pub(super) fn path_of(&self, name: &str) -> HostResult<Option<PathBuf>> {
        Ok(self.line(&["rev-parse", "--git-path", name])?.map(|path| self.root.join(path)))
    }

    /// The commit at the head; `None` if the branch is unborn.
    ///
    /// # Errors
    /// `io` as every call.
    pub fn head(&self) -> HostResult<Option<String>> {
        self.line(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
    }

    /// What `init` must know.
    ///
    /// # Errors
    /// `io` as every call.
    pub fn probe(&self) -> HostResult<Probe> {
        let mut identity = Ok(());
        for name in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
            let said = self.read(&["var", name])?;
            if said.status != Some(0) {
                identity = Err(said.stderr.trim().to_owned());
            }
        }
        let Checkout { head, branch, problem, .. } = self.checkout()?;
        Ok(Probe { problem, head, branch, identity })
    }

    /// The root of the worktree that this directory lies in; `None` where there is none.
    ///
    /// # Errors
    /// `io` as every call.
    pub fn top(&self) -> HostResult<Option<PathBuf>> {
        Ok(self.line(&["rev-parse", "--show-toplevel"])?.map(PathBuf::from))
    }

    /// What is checked out here, and why it cannot be worked in, if so.
    fn checkout(&self) -> HostResult<Checkout> {
        let places = ["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"];
        let head = ["HEAD^{commit}", "--symbolic-full-name", "HEAD"];
        let said = self.read(&[&places[..], &head].concat())?;
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        if let (Some(0), [top, git, common, head, name]) = (said.status, &lines[..]) {
            let branch = (*name != "HEAD").then(|| branch(name));
            let problem = self.problem(top, git, branch.is_some());
            let common = Some(self.root.join(common));
            return Ok(Checkout { head: Some((*head).to_owned()), branch, problem, common });
        }
        // There is no commit yet, or no repository.
        let said = self.read(&places)?;
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        let (Some(0), [top, git, common]) = (said.status, &lines[..]) else {
            let expected = "a git repository with a worktree";
            let problem = Some(problem(Code::NotARepository, "", expected, &said.stderr));
            return Ok(Checkout { problem, ..Checkout::default() });
        };
        let branch = self.line(&["symbolic-ref", "--quiet", "HEAD"])?.map(|name| branch(&name));
        let problem = self.problem(top, git, branch.is_some());
        Ok(Checkout { head: self.head()?, branch, problem, common: Some(self.root.join(common)) })
    }

    /// Why a worktree with its root at `top` and its git at `git` cannot be worked in, if so.
    fn problem(&self, top: &str, git: &str, on_branch: bool) -> Option<Diagnostic> {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if real(Path::new(top)) != real(&self.root) {
            let expected = "the root of a git repository";
            return Some(problem(Code::NotARepository, "", expected, "a directory inside one"));
        }
        let underway = [
            ("MERGE_HEAD", "a merge"),
            ("rebase-merge", "a rebase"),
            ("rebase-apply", "a rebase"),
            ("CHERRY_PICK_HEAD", "a cherry-pick"),
            ("REVERT_HEAD", "a revert"),
        ];
        let found = underway.iter().find(|(name, _)| Path::new(git).join(name).exists());
        if let Some((_, what)) = found {
            let expected = "no operation in progress";
            return Some(problem(Code::OperationInProgress, "", expected, what));
        }
        (!on_branch).then(|| problem(Code::DetachedHead, "HEAD", "a branch", "a detached head"))
    }

    /// Looks at everything an order asks for.
    ///
    /// # Errors
    /// `io` if git cannot be started or takes too long.
    pub fn observe(
        &self,
        places: &Places,
        since: Option<&str>,
        basis: Option<&str>,
        known: &[PathDigest],
    ) -> HostResult<Repository> {
        if let Err(error) = places.check() {
            let problem = Some(error.diagnostic());
            return Ok(Repository { problem, ..Repository::default() });
        }
        let Checkout { head, branch, problem, common } = self.checkout()?;
        if problem.as_ref().is_some_and(|problem| problem.code == Code::NotARepository) {
            let files = files::changed(places, known, &BTreeSet::new());
            return Ok(Repository { problem, files, ..Repository::default() });
        }
        let change = |from: Option<&str>| match from {
            Some(from) => self.changed_since(from, head.as_deref()).map(|one| Some(Box::new(one))),
            None => Ok(None),
        };
        let placed = known.iter().filter(|one| line_asked(&one.digest).is_some());
        let placed: Vec<String> = placed.map(|one| one.path.clone()).collect();
        let tracked = match placed.is_empty() {
            true => BTreeSet::new(),
            false => self.tracked(&placed)?,
        };
        Ok(Repository {
            since: change(since)?.map(|one| self.by_commit(*one)).transpose()?.map(Box::new),
            basis: change(basis)?,
            refs: self.refs()?,
            dirty: self.dirty_beside(common.as_deref())?,
            files: files::changed(places, known, &tracked),
            beside: Vec::new(),
            head,
            branch,
            problem,
        })
    }

    /// Those of these paths that git tracks, and has not been told to take for unchanged.
    ///
    /// # Errors
    /// `io` as every call.
    pub fn tracked(&self, paths: &[String]) -> HostResult<BTreeSet<String>> {
        let options = ["ls-files", "-v", "-z", "--full-name", "--"];
        let words: Vec<&str> =
            options.into_iter().chain(paths.iter().map(String::as_str)).collect();
        let said = self.read(&words)?;
        let lines = said.stdout.split(|byte| *byte == 0);
        let seen = lines.filter_map(|line| line.strip_prefix(b"H "));
        Ok(seen.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    fn refs(&self) -> HostResult<String> {
        let format = "--format=%(refname) %(objectname)";
        let said = self.read(&["for-each-ref", format, "refs/heads", "refs/tags"])?;
        Ok(hex(&Sha256::digest(&said.stdout)))
    }

    /// Tracked changes and untracked, unignored files, sorted, and what git was told to look away from; the engine's
    /// own directory aside.
    ///
    /// # Errors
    /// `io` as every call.
    pub fn dirty(&self) -> HostResult<Vec<PathDigest>> {
        self.dirty_beside(self.checkout()?.common.as_deref())
    }

    fn dirty_beside(&self, common: Option<&Path>) -> HostResult<Vec<PathDigest>> {
        let said = self.read(&STATUS)?;
        let hidden = self.hidden(common)?;
        let seen = said.stdout.split(|byte| *byte == 0).filter_map(|entry| entry.get(3..));
        let mut paths: Vec<&[u8]> = seen
            .chain(hidden.iter().map(Vec::as_slice))
            .filter(|path| !path.starts_with(b".agent/endstate/") && *path != b".agent/endstate")
            .collect();
        paths.sort_unstable();
        paths.dedup();
        let rest = paths.split_off(paths.len().min(MOST_PATHS));
        let mut dirty: Vec<PathDigest> = paths.iter().map(|path| self.digest(path)).collect();
        if !rest.is_empty() {
            // A tree this dirty is only ever compared with itself.
            let digest = hex(&Sha256::digest(rest.join(&0)));
            dirty.push(PathDigest { path: format!("({} more paths)", rest.len()), digest });
        }
        Ok(dirty)
    }

    /// A path of the worktree and the digest of what is there.
    pub(super) fn digest(&self, raw: &[u8]) -> PathDigest {
        use std::os::unix::ffi::OsStrExt;
        let path = self.root.join(std::ffi::OsStr::from_bytes(raw));
        let digest = match files::digest_at(&path) {
            Ok(Content::File { digest, .. }) => digest,
            Ok(Content::Absent) => ABSENT.to_owned(),
            Ok(Content::Other) => match fs::read_link(&path) {
                Ok(target) => files::digest_of(target.as_os_str().as_bytes()),
                Err(_) => files::digest_of(b"directory"),
            },
            Err(_) => files::digest_of(b"unreadable"),
        };
        PathDigest { path: String::from_utf8_lossy(raw).into_owned(), digest }
    }

    /// What lies between a commit (`none` for the empty history) and the head.
    fn changed_since(&self, from: &str, head: Option<&str>) -> HostResult<Change> {
        let nothing = |descends, truncated| Change {
            from: from.to_owned(),
            descends,
            paths: Vec::new(),
            commits: Vec::new(),
            lost: Vec::new(),
            touched: Vec::new(),
            truncated,
        };
        let Some(head) = head else {
            let lost = self.between("none", from, MOST_LOST)?.unwrap_or_default().0;
            return Ok(Change { lost, ..nothing(from == "none", false) });
        };
        if from == head {
            return Ok(nothing(true, false));
        }
        let Some((mut commits, descends)) = self.between(from, head, MOST_COMMITS + 1)? else {
            return Ok(nothing(false, true));
        };
        let mut base = from.to_owned();
        if from == "none" {
            let said = self.change(&["hash-object", "-t", "tree", "--stdin"], &[], READ_TIMEOUT)?;
            base = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        }
        let words = ["diff", "--name-only", "--no-renames", "--ignore-submodules=none", "-z"];
        let words: Vec<&str> = words.into_iter().chain([base.as_str(), head, "--"]).collect();
        let said = self.read(&words)?;
        let mut paths: Vec<String> = said
            .stdout
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(|path| String::from_utf8_lossy(path).into_owned())
            .collect();
        paths.sort_unstable();
        let lost = match descends {
            true => Vec::new(),
            false => self.between(head, from, MOST_LOST)?.unwrap_or_default().0,
        };
        let cut = paths.len() > MOST_PATHS || commits.len() > MOST_COMMITS;
        paths.truncate(MOST_PATHS);
        commits.truncate(MOST_COMMITS);
        let truncated = cut || said.status != Some(0);
        Ok(Change { paths, commits, lost, truncated, ..nothing(descends, false) })
    }

    /// The commits behind `head` and not behind `from` (`none` for the empty history), at most so many, the newest first, and
    /// whether `from` is an ancestor of `head`; `None` where one is not the full name of a commit that is here.
    fn between(
        &self,
        from: &str,
        head: &str,
        most: usize,
    ) -> HostResult<Option<(Vec<String>, bool)>> {
        let hex = |name: &str| name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let named = |name: &str| matches!(name.len(), 40 | 64) && hex(name);
        if !named(head) || from != "none" && !named(from) {
            return Ok(None);
        }
        let (limit, without) = (format!("--max-count={most}"), format!("^{from}"));
        let mut words = vec!["rev-list", "--boundary", &limit, head];
        words.extend((from != "none").then_some(without.as_str()));
        words.push("--");
        let said = self.read(&words)?;
        if said.status != Some(0) {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&said.stdout);
        let lines = text.lines().map(str::to_owned);
        let (edge, commits): (Vec<_>, Vec<_>) = lines.partition(|line| line.starts_with('-'));
        // What is no parent of any of them is no ancestor, if these are all.
        let descends = from == "none"
            || edge.contains(&format!("-{from}"))
            || commits.len() == most
                && self.read(&["merge-base", "--is-ancestor", from, head])?.status == Some(0);
        Ok(Some((commits, descends)))
    }
}
