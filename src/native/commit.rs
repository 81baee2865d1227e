//! The engine's own commits: exactly these files, or everything as it was.
//!
//! A commit is a transaction. What was there before (content, mode and index entry of each path) is
//! kept, durably, in `.agent/endstate/commits/<effect id>/` before anything is touched; then the
//! files are written, added and committed with the repository's hooks. If git refuses, everything is
//! put back. If the host dies, the same order is performed again: a commit that was made is
//! recognised by its parent, its paths and their contents; one that was not begins again from what
//! was kept. What was there and is in no commit is also kept aside for the person who wrote it.

use super::durable;
use super::error::{HostError, HostResult, problem};
use super::files::{self, digest_of, inside};
use super::git::{COMMIT_TIMEOUT, Git};
use super::regular;
use super::store::Places;
use crate::vocab::effect::CommitFiles;
use crate::vocab::error::{Code, Diagnostic};
use crate::vocab::event::{EffectId, Outcome};
use crate::vocab::json::{self, Readable, Serialize};
use crate::vocab::repository::PathDigest;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

/// Wall time of git calls that touch the index only.
const INDEX_TIMEOUT: Duration = Duration::from_secs(120);
/// How often a transaction begins anew because another git has the index.
const INDEX_RETRIES: u32 = 40;
/// The pause before that.
const INDEX_PAUSE: Duration = Duration::from_millis(250);

/// A file to commit, with the content it must have.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Path from the root of the repository.
    pub path: String,
    /// Its whole content.
    pub content: String,
}

/// How one path was before.
#[derive(Debug, Serialize, Readable)]
struct Before {
    path: String,
    /// Whether there was a file; its content is in `<place>.old`.
    present: bool,
    executable: bool,
    /// The index entry as `mode object`, if there was one.
    index: Option<String>,
}

/// One commit on its way.
struct Transaction<'a> {
    git: Git,
    places: &'a Places,
    order: &'a CommitFiles,
    wanted: &'a [Wanted],
    /// Where what was before is kept.
    kept: PathBuf,
}

/// Writes and commits exactly these files. Nothing else that is staged is committed.
///
/// # Errors
/// `commit_refused` with git's words, `write_failed`, `unsafe_state_directory`; everything is as it
/// was then.
pub fn commit_files(
    places: &Places,
    effect: EffectId,
    order: &CommitFiles,
    wanted: &[Wanted],
) -> Result<Outcome, Diagnostic> {
    let kept = places.engine.join("commits").join(effect.to_string());
    let transaction = Transaction { git: Git::of(&places.root), places, order, wanted, kept };
    for _ in 0..INDEX_RETRIES {
        match transaction.attempt() {
            // A git that a dead host had started, or another person's.
            Ok(Attempt::IndexLocked) => sleep(INDEX_PAUSE),
            Ok(Attempt::Refused(why)) => return Err(why),
            Ok(Attempt::Made(outcome)) => return Ok(outcome),
            Err(error) => {
                // Git may have been too slow for us and yet have made it.
                if let Ok(Some(head)) = transaction.git.head()
                    && Some(&head) != order.expected_head.as_ref()
                    && let Ok(Attempt::Made(outcome)) = transaction.made_before(Some(head))
                {
                    return Ok(outcome);
                }
                let undone = transaction.undo();
                return Err(undone.err().unwrap_or(error).diagnostic(Code::WriteFailed));
            }
        }
    }
    let expected = "the index of the repository to be free";
    Err(problem(Code::CommitRefused, "index.lock", expected, "another git holds it"))
}

enum Attempt {
    Made(Outcome),
    Refused(Diagnostic),
    IndexLocked,
}

impl Transaction<'_> {
    fn attempt(&self) -> HostResult<Attempt> {
        for wanted in self.wanted {
            if let Err(why) = inside(&self.places.root, &wanted.path) {
                return Ok(Attempt::Refused(why));
            }
        }
        let head = self.git.head()?;
        if head != self.order.expected_head {
            return self.made_before(head);
        }
        self.keep()?;
        for wanted in self.wanted {
            let path = self.places.root.join(&wanted.path);
            let executable = wanted.path.ends_with(".sh");
            let bytes = wanted.content.as_bytes();
            if regular::read(&path).ok().as_deref() != Some(bytes) || self.mode_differs(wanted) {
                durable::replace(&path, &self.places.staging, bytes, executable)
                    .map_err(|error| HostError::io("write", &path, error))?;
            }
        }
        let paths = self.paths();
        let add: Vec<&str> = ["add", "-f", "--"].into_iter().chain(paths.iter().copied()).collect();
        let said = self.git.change(&add, &[], INDEX_TIMEOUT)?;
        if said.status != Some(0) {
            return self.refused(&said.stderr);
        }
        let same = ["diff", "--cached", "--quiet", "--"].into_iter().chain(paths.iter().copied());
        if self.git.read(&same.collect::<Vec<_>>())?.status == Some(0)
            && let Some(head) = head
        {
            return self.made(head);
        }
        let message = self.order.message.as_str();
        let commit = ["commit", "--quiet", "--only", "-m", message, "--"].into_iter();
        let commit: Vec<&str> = commit.chain(paths.iter().copied()).collect();
        let said = self.git.change(&commit, &[], COMMIT_TIMEOUT)?;
        match self.git.head()? {
            Some(head)
                if said.status == Some(0) && Some(&head) != self.order.expected_head.as_ref() =>
            {
                durable::done_elsewhere("commit", &self.places.root);
                self.made(head)
            }
            _ => self.refused(&said.stderr),
        }
    }

    fn mode_differs(&self, wanted: &Wanted) -> bool {
        let meta = fs::metadata(self.places.root.join(&wanted.path));
        let runs = meta.is_ok_and(|meta| meta.permissions().mode() & 0o100 != 0);
        runs != wanted.path.ends_with(".sh")
    }

    fn paths(&self) -> Vec<&str> {
        self.wanted.iter().map(|wanted| wanted.path.as_str()).collect()
    }

    /// The head is not where the order expects it: perhaps because the commit was made before.
    fn made_before(&self, head: Option<String>) -> HostResult<Attempt> {
        if let Some(head) = &head
            && self.is_ours(head)?
        {
            return self.made(head.clone());
        }
        let expected = self.order.expected_head.clone().unwrap_or_else(|| "no commit".to_owned());
        let got = head.unwrap_or_else(|| "no commit".to_owned());
        self.undo()?;
        Ok(Attempt::Refused(problem(Code::CommitRefused, "HEAD", expected, &got)))
    }

    /// Whether `head` follows the expected head and changes these paths only, to these contents.
    fn is_ours(&self, head: &str) -> HostResult<bool> {
        let parents = self.git.line(&["rev-list", "--parents", "-n", "1", head])?;
        let parents: Vec<String> =
            parents.unwrap_or_default().split(' ').skip(1).map(str::to_owned).collect();
        let expected: Vec<String> = self.order.expected_head.iter().cloned().collect();
        if parents != expected {
            return Ok(false);
        }
        let diff = ["diff-tree", "--root", "-r", "-z", "--no-commit-id", "--name-only", head];
        let changed = self.git.read(&diff)?.stdout;
        let mut changed = changed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        if !changed.all(|path| self.paths().iter().any(|wanted| wanted.as_bytes() == path)) {
            return Ok(false);
        }
        for wanted in self.wanted {
            let at = self.git.line(&[
                "rev-parse",
                "--verify",
                "--quiet",
                &format!("{head}:{}", wanted.path),
            ])?;
            if at != self.object(wanted)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The name git gives this content at this path, its filters applied.
    fn object(&self, wanted: &Wanted) -> HostResult<Option<String>> {
        let path = format!("--path={}", wanted.path);
        let arguments = ["hash-object", "--stdin", &path];
        let said = self.git.change(&arguments, wanted.content.as_bytes(), INDEX_TIMEOUT)?;
        let name = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        Ok((said.status == Some(0)).then_some(name))
    }

    fn made(&self, head: String) -> HostResult<Attempt> {
        self.forget();
        let files = self.wanted.iter().map(|wanted| PathDigest {
            path: wanted.path.clone(),
            digest: digest_of(wanted.content.as_bytes()),
        });
        Ok(Attempt::Made(Outcome::Commit { head, files: files.collect() }))
    }

    fn refused(&self, words: &str) -> HostResult<Attempt> {
        if words.contains("index.lock") {
            return Ok(Attempt::IndexLocked);
        }
        self.undo()?;
        let expected = "git to make the commit";
        Ok(Attempt::Refused(problem(Code::CommitRefused, "git commit", expected, words)))
    }

    /// Keeps what is there, once: what an attempt cut short has written is not what was there.
    fn keep(&self) -> HostResult<()> {
        let list = self.kept.join("before.json");
        if list.exists() {
            return Ok(());
        }
        let fail = |error| HostError::io("write", &self.kept, error);
        let _ = fs::remove_dir_all(&self.kept);
        fs::create_dir_all(&self.kept).map_err(fail)?;
        let mut all = Vec::new();
        for (place, wanted) in self.wanted.iter().enumerate() {
            let path = self.places.root.join(&wanted.path);
            let content = match regular::read(&path) {
                Ok(content) => Some(content),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
                Err(error) => return Err(HostError::io("read", &path, error)),
            };
            if let Some(content) = &content {
                fs::write(self.kept.join(format!("{place}.old")), content).map_err(fail)?;
                if content != wanted.content.as_bytes() && !self.committed(wanted, content)? {
                    files::keep_aside(self.places, &path).map_err(fail)?;
                }
            }
            let meta = fs::metadata(&path);
            all.push(Before {
                path: wanted.path.clone(),
                present: content.is_some(),
                executable: meta.is_ok_and(|meta| meta.permissions().mode() & 0o100 != 0),
                index: self.index_entry(&wanted.path)?,
            });
        }
        let text = json::encode(&all);
        durable::replace(&list, &self.places.staging, text.as_bytes(), false).map_err(fail)
    }

    /// Whether `content` is what the head has at this path.
    fn committed(&self, wanted: &Wanted, content: &[u8]) -> HostResult<bool> {
        let at = format!("HEAD:{}", wanted.path);
        let held = self.git.line(&["rev-parse", "--verify", "--quiet", &at])?;
        let path = format!("--path={}", wanted.path);
        let said = self.git.change(&["hash-object", "--stdin", &path], content, INDEX_TIMEOUT)?;
        let name = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        Ok(held.is_some_and(|held| held == name))
    }

    fn index_entry(&self, path: &str) -> HostResult<Option<String>> {
        let said = self.git.read(&["ls-files", "--stage", "-z", "--", path])?;
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        let mut fields = text.split([' ', '\t']);
        Ok(match (fields.next(), fields.next(), fields.next()) {
            (Some(mode), Some(object), Some("0")) => Some(format!("{mode} {object}")),
            _ => None,
        })
    }

    /// Puts everything back as it was kept.
    fn undo(&self) -> HostResult<()> {
        let Ok(text) = regular::read(&self.kept.join("before.json")) else { return Ok(()) };
        let all: Vec<Before> = json::decode_unguarded(json::utf8(&text)?)?;
        let mut index = String::new();
        let format = self.git.line(&["rev-parse", "--show-object-format"])?;
        let none = "0".repeat(if format.as_deref() == Some("sha256") { 64 } else { 40 });
        let gone = format!("0 {none}");
        for (place, before) in all.iter().enumerate() {
            let path = self.places.root.join(&before.path);
            let restored = match before.present {
                false => durable::remove(&path),
                true => regular::read(&self.kept.join(format!("{place}.old"))).and_then(|old| {
                    match regular::read(&path).ok().as_ref() == Some(&old) {
                        true => Ok(()),
                        false => {
                            durable::replace(&path, &self.places.staging, &old, before.executable)
                        }
                    }
                }),
            };
            restored.map_err(|error| HostError::io("restore", &path, error))?;
            let entry = before.index.as_deref().unwrap_or(&gone);
            index.push_str(&format!("{entry}\t{}\0", before.path));
        }
        let arguments = ["update-index", "-z", "--index-info"];
        let said = self.git.change(&arguments, index.as_bytes(), INDEX_TIMEOUT)?;
        if said.status != Some(0) {
            let error = std::io::Error::other(said.stderr.trim().to_owned());
            return Err(HostError::io("restore", "the index", error));
        }
        self.remove_empty(&all);
        self.forget();
        Ok(())
    }

    /// Directories that were made for files that are gone again.
    fn remove_empty(&self, all: &[Before]) {
        for before in all.iter().filter(|before| !before.present) {
            let mut place = PathBuf::from(&before.path);
            while place.pop() && !place.as_os_str().is_empty() {
                // Fails where there is anything left, which is what is wanted.
                if fs::remove_dir(self.places.root.join(&place)).is_err() {
                    break;
                }
            }
        }
    }

    fn forget(&self) {
        // The list first: without it nothing is restored.
        let _ = fs::remove_file(self.kept.join("before.json"));
        let _ = fs::remove_dir_all(&self.kept);
    }
}
