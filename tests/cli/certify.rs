//! Certificates: each demo's verifies in another clone, also run again; nothing else does.

use crate::common::{Said, endstate, git, repository};
use endstate::Engine;
use endstate::journal::{Entry, Header, Position};
use endstate::native::certificate;
use endstate::vocab::json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A demo, a clone of it, and a key.
struct Kit {
    folder: tempfile::TempDir,
}

impl Kit {
    fn of(protocol: &str, status: i32) -> Kit {
        let kit = Kit { folder: tempfile::tempdir().unwrap() };
        let root = kit.path("mission");
        fs::create_dir(&root).unwrap();
        let line = ["demo", "--protocol", protocol, "--dir", root.to_str().unwrap()];
        endstate(kit.folder.path(), &line).expect(status);
        git(kit.folder.path(), &["clone", "-q", "mission", "clone"]);
        certificate::new_key(&kit.path("key")).unwrap();
        kit
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn certify(&self) -> Said {
        endstate(&self.path("mission"), &["certify", "--key", "../key", "--out", "../done.jsonl"])
    }

    fn verify(&self, place: &str, more: &[&str]) -> Said {
        self.verify_by("../key.pub", place, more)
    }

    fn verify_by(&self, key: &str, place: &str, more: &[&str]) -> Said {
        let line = ["verify", "../done.jsonl", "--key", key];
        endstate(&self.path(place), &[&line[..], more].concat())
    }
}

#[test]
fn the_certificate_of_each_demo_verifies_in_another_clone() {
    for (protocol, status) in
        [("completion", 0), ("promise", 0), ("sprint", 4), ("grid", 0), ("iteration", 4)]
    {
        let kit = Kit::of(protocol, status);
        kit.certify().expect(0);
        let said = kit.verify("clone", &["--rerun"]).expect(status);
        assert!(said.out.contains("came to the same"), "{protocol}: {}", said.out);
        kit.verify("mission", &[]).expect(status);
        officially(&kit);
    }
}

/// By the libraries of DSSE's and in-toto's own projects, where they are installed.
fn officially(kit: &Kit) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/verify.py");
    let python = std::env::var_os("ENDSTATE_PYTHON").unwrap_or_else(|| "python3".into());
    let mut there = Command::new(&python);
    there.args(["-c", "import in_toto_attestation, securesystemslib"]).stderr(Stdio::null());
    if !there.status().is_ok_and(|status| status.success()) {
        // Past the capture of the test's output: what is skipped is said.
        let none = "skipped: no securesystemslib and in-toto-attestation (ENDSTATE_PYTHON names their python)\n";
        return std::io::stderr().write_all(none.as_bytes()).unwrap();
    }
    let files = [Path::new(script), &kit.path("done.jsonl"), &kit.path("key.pub")];
    let said = Command::new(&python).args(files).output().unwrap();
    assert!(said.status.success(), "{said:?}");
}

#[test]
fn a_changed_byte_is_refused() {
    let kit = Kit::of("grid", 0);
    kit.certify().expect(0);
    let mut good = fs::read(kit.path("done.jsonl")).unwrap();
    let (clone, key) = (kit.path("clone"), kit.path("key.pub"));
    let verify = |bytes: &[u8]| certificate::verify(&clone, bytes, &key);
    verify(&good).unwrap();
    let (mut seed, mut tried) = (7_u64, 0);
    while tried < 200 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut bad = good.clone();
        let at = (seed >> 33) as usize % bad.len();
        bad[at] = (seed >> 20) as u8;
        if bad == good {
            continue;
        }
        tried += 1;
        assert!(verify(&bad).is_err(), "byte {at} became {:?}", bad[at] as char);
    }
    assert!(verify(&[&good[..], b"\n"].concat()).is_err());
    // No text at all is refused as any other.
    good[20] = 0xff;
    fs::write(kit.path("done.jsonl"), good).unwrap();
    let said = kit.verify("clone", &[]).expect(13);
    assert!(said.err.contains("certificate_invalid"), "{}", said.err);
}

#[test]
fn what_does_not_hold_is_told() {
    let kit = Kit::of("promise", 0);
    let refused = |said: Said, at: &str| {
        assert_eq!(said.status, 13, "{}", said.err);
        assert!(said.err.contains("certificate_invalid") && said.err.contains(at), "{}", said.err);
    };
    kit.certify().expect(0);
    // Another's key; no key; a commit that is not here; a journal that was written anew behind it.
    certificate::new_key(&kit.path("other")).unwrap();
    refused(kit.verify_by("../other.pub", "clone", &[]), "keyid");
    fs::write(kit.path("none.pub"), "-----BEGIN PUBLIC KEY-----\n").unwrap();
    refused(kit.verify_by("../none.pub", "clone", &[]), "key");
    let said = kit.verify_by("../nowhere.pub", "clone", &[]);
    assert_eq!(said.status, 1, "{}", said.err);
    let elsewhere = repository();
    let (done, key) = (kit.path("done.jsonl"), kit.path("key.pub"));
    let line = ["verify", done.to_str().unwrap(), "--key", key.to_str().unwrap()];
    refused(endstate(elsewhere.path(), &line), "subject");
    let journal = kit.path("mission/.agent/endstate/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    fs::write(&journal, lines[..lines.len() - 1].join("\n") + "\n").unwrap();
    refused(kit.verify("mission", &[]), "chain");
    // A mission that is not done has none, and an existing key is not replaced.
    let begun = repository();
    endstate(begun.path(), &["init", "Nothing yet"]).expect(0);
    let key = kit.path("key");
    let line = ["certify", "--key", key.to_str().unwrap()];
    refused(endstate(begun.path(), &line), "mission");
    let said = endstate(begun.path(), &[&line[..], &["--new-key"]].concat());
    assert_eq!(said.status, 1, "{}", said.err);
}

/// The journal of other events, a millisecond later each, decided and chained as they would have been.
fn written_anew(text: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Line<'a> {
        #[serde(borrow)]
        body: &'a serde_json::value::RawValue,
    }
    let mut bodies =
        text.lines().map(|line| serde_json::from_str::<Line>(line).unwrap().body.get());
    let Header { config, at, .. } = json::decode(bodies.next().unwrap()).unwrap();
    let (mut engine, applied) = Engine::start(&config, at).unwrap();
    let mut position = Position::default();
    let mut anew = position.write(&Header::new(config, at, applied.decided)) + "\n";
    for body in bodies {
        let Entry { mut event, .. } = json::decode(body).unwrap();
        event.at += 1;
        let decided = engine.apply(&event).unwrap().decided;
        anew += &(position.write(&Entry { event, decided }) + "\n");
    }
    anew
}

#[test]
fn a_journal_that_was_written_anew_is_named_by_its_snapshots() {
    let kit = Kit::of("promise", 0);
    let journal = kit.path("mission/.agent/endstate/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let check = || endstate(&kit.path("mission"), &["check", "--json"]);
    check().expect(0);
    fs::write(&journal, written_anew(&text)).unwrap();
    let said = check().expect(13);
    assert!(said.out.contains("snapshot-") && said.out.contains("of the journal"), "{}", said.out);
    assert!(endstate(&kit.path("mission"), &["status"]).out.contains("was not used"));
    let said = kit.certify().expect(13);
    assert!(said.err.contains("journal_damaged") && said.err.contains("snapshot-"), "{}", said.err);
}

/// What a snapshot says, or a line of the journal that was not read since, makes no mission done.
#[test]
fn what_the_journal_does_not_lead_to_is_not_certified() {
    let kit = Kit::of("promise", 0);
    let engine = kit.path("mission/.agent/endstate");
    let newest = fs::read_dir(&engine).unwrap().filter_map(|one| {
        let name = one.unwrap().file_name().into_string().unwrap();
        name.strip_prefix("snapshot-")?.strip_suffix(".json")?.parse::<u64>().ok()
    });
    let newest = format!("snapshot-{}.json", newest.max().unwrap());
    for (name, from, to) in [
        (newest.as_str(), "\"outcome\":\"held\"", "\"outcome\":\"once\""),
        ("journal.jsonl", "\"status\":0", "\"status\":1"),
    ] {
        let path = engine.join(name);
        let good = fs::read_to_string(&path).unwrap();
        assert!(good.contains(from), "{name}");
        fs::write(&path, good.replacen(from, to, 1)).unwrap();
        endstate(&kit.path("mission"), &["check"]).expect(13);
        kit.certify().expect(13);
        fs::write(&path, good).unwrap();
        kit.certify().expect(0);
        endstate(&kit.path("mission"), &["check"]).expect(0);
    }
}

/// One that stands where it is to be written is none of the work; anything else is.
#[test]
fn a_certificate_is_written_again() {
    let kit = Kit::of("iteration", 4);
    let root = kit.path("mission");
    let certify = |status| endstate(&root, &["certify", "--key", "../key"]).expect(status);
    certify(0);
    certify(0);
    fs::write(root.join("more"), "").unwrap();
    assert!(certify(13).err.contains("uncommitted"));
}

/// What held then and does not hold where it is run again.
#[test]
fn a_command_that_comes_to_something_else_is_told() {
    let (dir, aside) = (repository(), tempfile::tempdir().unwrap());
    let outside = aside.path().join("outside");
    fs::write(&outside, "").unwrap();
    let plan = format!(
        "# A file\n\n## Sprint 1: One\n\n**Tasks**:\n1. Nothing.\n\n**Exit criteria**:\n- [ ] `test -e {}` exits 0\n",
        outside.display()
    );
    fs::write(dir.path().join("EXECUTION_PLAN.md"), plan).unwrap();
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-q", "-m", "before"]);
    let agent = concat!("exec:sh ", env!("CARGO_MANIFEST_DIR"), "/tests/random_kills/agent.sh");
    let line = ["run", "--protocol", "sprint", "--trust", "--poll", "1", "--agent", agent];
    endstate(dir.path(), &line).expect(0);
    let key = aside.path().join("key");
    endstate(dir.path(), &["certify", "--new-key", "--key", key.to_str().unwrap()]).expect(0);
    let key = aside.path().join("key.pub");
    let verify = ["verify", "done.intoto.jsonl", "--key", key.to_str().unwrap(), "--rerun"];
    endstate(dir.path(), &verify).expect(0);
    fs::remove_file(&outside).unwrap();
    let said = endstate(dir.path(), &verify).expect(13);
    assert!(said.err.contains("test -e"), "{}", said.err);
}
