//! Files, journals and disks gone bad, through the command line: what is wrong is named with its file,
//! code and place, nothing a person wrote is lost, and the mission goes on.

use crate::binary;
use crate::binary::{Said, copy, endstate, git, json, opened, program, said, text, write};
use endstate::native::store::Places;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const MISSION: &str = "There is a greeting";
const AGENT: &str = concat!("exec:sh ", env!("CARGO_MANIFEST_DIR"), "/tests/letscook/agent.sh");
const HUGE: usize = 200 * 1024 * 1024;

/// A mission with a plan and a selected slice, whose implementer did not come.
fn base(root: &Path) {
    binary::repository(root, &[("README.md", "hello\n"), ("Makefile", "test:\n\t@true\n")]);
    endstate(root, &["init", MISSION, "--judges", "1"]).expect(0);
    let agent = root.join(".git/agent.sh");
    let honest = AGENT.trim_start_matches("exec:");
    let only = "test \"$ENDSTATE_ROLE\" = completion-regrounder || exit 1";
    program(&agent, &format!("#!/bin/sh\n{only}\nexec {honest}\n"));
    endstate(root, &["run", "--agent", &format!("exec:'{}'", text(&agent))]).expect(10);
    fs::remove_file(root.join(".git/played")).unwrap();
}

/// What `check --level files` finds fault with: paths and codes.
fn faults(said: &Said) -> Vec<(String, String, String)> {
    let objects = said.objects();
    objects.iter().flat_map(findings).collect()
}

fn findings(value: &Value) -> Vec<(String, String, String)> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match value {
        Value::Object(fields) if fields.contains_key("path") && fields.contains_key("severity") => {
            let told = &fields["diagnostic"];
            vec![(word(&fields["path"]), word(&told["code"]), word(&told["at"]))]
        }
        Value::Object(fields) => fields.values().flat_map(findings).collect(),
        Value::Array(items) => items.iter().flat_map(findings).collect(),
        _ => Vec::new(),
    }
}

/// The kept copies, with their content.
fn kept(root: &Path) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(root.join(".agent/tmp")).into_iter().flatten().flatten();
    let rejected = entries.filter(|one| one.file_name().to_string_lossy().starts_with("rejected-"));
    rejected.map(|one| fs::read(one.path()).unwrap()).collect()
}

fn nested(levels: usize) -> Vec<u8> {
    let mut text = "{\"schema_version\":1,\"x\":".to_owned();
    text.push_str(&"[".repeat(levels));
    text.push_str(&"]".repeat(levels));
    text.push('}');
    text.into_bytes()
}

/// What stands in a file's place, and the code it is named with.
fn spoilt(good: &[u8]) -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let bom = [b"\xef\xbb\xbf", good].concat();
    let mut huge = good.to_vec();
    huge.resize(HUGE, b' ');
    vec![
        ("truncated", good[..good.len() / 2].to_vec(), "truncated"),
        ("empty", Vec::new(), "empty"),
        ("led by a byte order mark", bom, "byte_order_mark"),
        ("not UTF-8", [b"\xff\xfe", good].concat(), "not_utf8"),
        ("an array", b"[]\n".to_vec(), "not_an_object"),
        ("100,000 levels deep", nested(100_000), "too_deep"),
        ("200 MB", huge, "too_large"),
    ]
}

fn one_spoilt_file(root: &Path, path: &str, what: &str, bytes: &[u8], code: &str) {
    let at = format!("{path}, {what}");
    write(&root.join(path), bytes);
    let began = Instant::now();
    let checked = endstate(root, &["check", "--level", "files", "--json"]);
    assert_eq!(checked.status, Some(13), "{at}: {checked:#?}");
    assert!(began.elapsed() < Duration::from_secs(30), "{at}: {:?}", began.elapsed());
    let found = faults(&checked);
    let named =
        found.iter().any(|(file, named, _)| (file.as_str(), named.as_str()) == (path, code));
    assert!(named, "{at}: {found:?}");
    endstate(root, &["answer", "retry"]).expect(0);
    let run = endstate(root, &["run", "--agent", AGENT, "--json"]);
    assert_eq!(run.status, Some(0), "{at}: {run:#?}");
    assert!(kept(root).iter().any(|kept| kept == bytes), "{at}: what was there is lost");
    let played = fs::read_to_string(root.join(".git/played")).unwrap();
    assert!(played.starts_with("completion-regrounder"), "{at}: {played}");
    assert_eq!(opened(root).engine.continuation(), endstate::Continuation::Done, "{at}");
    endstate(root, &["check"]).expect(0);
}

#[test]
fn spoilt_files_are_named_kept_aside_and_grounded_anew() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("base");
    base(&first);
    for path in [".agent/state.json", ".agent/plan.json"] {
        let good = fs::read(first.join(path)).unwrap();
        for (what, bytes, code) in spoilt(&good) {
            let root = folder.path().join("spoilt");
            copy(&first, &root);
            one_spoilt_file(&root, path, what, &bytes, code);
            fs::remove_dir_all(&root).unwrap();
        }
    }
}

#[test]
fn a_journal_of_garbage_is_refused_by_its_line_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repo");
    base(&root);
    let journal = Places::of(&root).journal();
    let good = fs::read(&journal).unwrap();
    let lines = good.iter().filter(|byte| **byte == b'\n').count();
    let garbage = "no journal at all\n".repeat(HUGE / 18).into_bytes();
    let endless = vec![b'x'; HUGE];
    for (bytes, line) in [
        (garbage.clone(), 1),
        ([&good[..], &garbage].concat(), lines + 1),
        ([&endless[..], b"\n"].concat(), 1),
    ] {
        fs::write(&journal, &bytes).unwrap();
        for arguments in
            [&["run", "--agent", AGENT, "--json"][..], &["status", "--json"], &["check", "--json"]]
        {
            let began = Instant::now();
            let said = endstate(&root, arguments);
            assert_eq!(said.status, Some(13), "{arguments:?}: {said:#?}");
            assert!(
                began.elapsed() < Duration::from_secs(30),
                "{arguments:?}: {:?}",
                began.elapsed()
            );
            let told = said.summary().to_string();
            assert!(
                told.contains("journal_damaged") && told.contains(&format!("line {line}")),
                "{told}"
            );
        }
        assert!(fs::read(&journal).unwrap() == bytes, "the damaged journal was touched");
    }
    fs::write(&journal, &good).unwrap();
    endstate(&root, &["answer", "retry"]).expect(0);
    endstate(&root, &["run", "--agent", AGENT]).expect(0);
}

/// A small file system of its own, for as long as this lives.
struct Mount(PathBuf);

impl Mount {
    /// `None`, loudly, where that is not permitted.
    fn of(path: &Path, size: &str) -> Option<Mount> {
        fs::create_dir_all(path).unwrap();
        let options = format!("size={size}");
        let mounted =
            said(Command::new("mount").args(["-t", "tmpfs", "-o", &options, "none"]).arg(path));
        if mounted.status != Some(0) {
            binary::say(&format!(
                "SKIPPED: no file system may be mounted here ({})",
                mounted.stderr.trim()
            ));
            return None;
        }
        Some(Mount(path.to_owned()))
    }

    fn remount(&self, mode: &str) {
        let options = format!("remount,{mode}");
        let said = said(Command::new("mount").args(["-o", &options]).arg(&self.0));
        assert_eq!(said.status, Some(0), "{said:?}");
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = said(Command::new("umount").arg("-l").arg(&self.0));
    }
}

#[test]
fn a_full_disk_is_said_and_what_follows_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    let Some(mount) = Mount::of(&disk, "24m") else { return };
    let root = disk.join("repo");
    base(&root);
    endstate(&root, &["answer", "retry"]).expect(0);
    let mut refused = 0;
    // Less and less is left: the disk is full at another moment each time.
    for left in [0, 4, 12, 28, 60, 124] {
        let filler = disk.join("filler");
        fill(&filler);
        let full = fs::OpenOptions::new().write(true).open(&filler).unwrap();
        let length = full.metadata().unwrap().len();
        full.set_len(length - left * 1024).unwrap();
        drop(full);
        let said = endstate(&root, &["run", "--agent", AGENT, "--json"]);
        fs::remove_file(&filler).unwrap();
        match said.status {
            Some(0) => break,
            // Said as what it is, or brought to the user where a run or a commit failed for it.
            Some(1) => {
                refused += 1;
                assert_eq!(said.summary()["error"]["code"], json!("io"), "{said:#?}");
            }
            Some(10) => {
                refused += 1;
                let id = said.summary()["questions"][0]["id"].as_str().unwrap().to_owned();
                endstate(&root, &["answer", &id, "retry"]).expect(0);
            }
            _ => panic!("{left} KiB left: {said:#?}"),
        }
        let journal = fs::read(Places::of(&root).journal()).unwrap();
        let replayed = endstate::replay(&journal).unwrap();
        assert!(replayed.divergence.is_none(), "{left} KiB left");
    }
    assert!(refused > 0, "the disk was never full");
    let last = endstate(&root, &["run", "--agent", AGENT, "--json"]);
    assert_eq!(last.status, Some(0), "{last:#?}");
    endstate(&root, &["check"]).expect(0);
    assert_eq!(git(&root, &["status", "--porcelain"]), "");
    drop(mount);
}

/// Fills the disk.
fn fill(path: &Path) {
    use std::io::Write;
    let mut file = fs::File::create(path).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
}

#[test]
fn a_read_only_directory_is_said_and_nothing_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    let Some(mount) = Mount::of(&disk, "24m") else { return };
    let root = disk.join("repo");
    base(&root);
    endstate(&root, &["answer", "retry"]).expect(0);
    let before = fs::read(Places::of(&root).journal()).unwrap();
    mount.remount("ro");
    for arguments in [&["run", "--agent", AGENT, "--json"][..], &["pause", "--json"]] {
        let said = endstate(&root, arguments);
        assert_eq!(said.status, Some(1), "{arguments:?}: {said:#?}");
        let error = &said.summary()["error"];
        assert_eq!(error["code"], json!("io"), "{error}");
        assert!(error["got"].as_str().unwrap().contains("Read-only"), "{error}");
        assert!(error["at"].as_str().unwrap().contains(".agent"), "{error}");
    }
    // Reading needs no writing.
    for arguments in [&["status"][..], &["why"], &["journal"], &["check"]] {
        endstate(&root, arguments).expect(0);
    }
    mount.remount("rw");
    assert_eq!(fs::read(Places::of(&root).journal()).unwrap(), before);
    endstate(&root, &["run", "--agent", AGENT]).expect(0);
    assert_eq!(json(&root.join(".agent/state.json"))["project_done"], json!(true));
}
