//! What a mission says of how its agents were confined, and what an agent says in the name of its user.

use crate::bubblewrap::bubblewrap;
use crate::common::{MISSION, TEAM, program, repository};
use endstate::native::certificate;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The program with this bubblewrap.
fn said(root: &Path, bwrap: &Path, line: &[&str]) -> (i32, String) {
    let settings = root.join(".git/settings");
    let mut command = program(root, line);
    command.env("ENDSTATE_BWRAP", bwrap).env("XDG_CONFIG_HOME", settings);
    let output = command.env("ENDSTATE", env!("CARGO_BIN_EXE_endstate")).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

fn last(out: &str) -> Value {
    serde_json::from_str(out.lines().last().unwrap()).unwrap()
}

#[test]
fn the_end_and_its_certificate_say_whether_all_agents_were_confined() {
    let Some(bwrap) = bubblewrap() else { return };
    for (how, word) in [("required", "confined"), ("never", "unconfined")] {
        let dir = repository();
        let root = dir.path();
        let agent = format!("script:{TEAM}");
        let (status, out) =
            said(root, &bwrap, &["run", MISSION, "--agent", &agent, "--confine", how]);
        assert_eq!(status, 0, "{out}");
        assert!(out.contains(&format!("; agents: {word}\n")), "{out}");
        let (_, status) = said(root, &bwrap, &["status", "--json"]);
        assert_eq!(last(&status)["agents"], word);
        certificate::new_key(&root.join(".git/key")).unwrap();
        let words = ["certify", "--key", ".git/key", "--out", ".git/done"];
        assert_eq!(said(root, &bwrap, &words).0, 0);
        let (_, out) = said(root, &bwrap, &["verify", ".git/done", "--key", ".git/key.pub"]);
        assert!(out.contains(&format!("agents: {word}")), "{out}");
        assert_eq!(said(root, &bwrap, &["check"]).0, 0);
    }
}

#[test]
fn where_agents_must_be_confined_and_cannot_the_mission_does_not_set_out() {
    let dir = repository();
    let line = ["run", MISSION, "--agent", "exec:touch ran", "--confine", "required", "--json"];
    let (status, out) = said(dir.path(), Path::new("/nowhere/bwrap"), &line);
    assert_eq!((status, last(&out)["error"]["code"].as_str()), (13, Some("not_confined")), "{out}");
    assert!(!dir.path().join("ran").exists());
}

#[test]
fn where_agents_cannot_be_confined_the_beginning_says_why() {
    let dir = repository();
    let agent = format!("script:{TEAM}");
    let line = ["run", MISSION, "--agent", &agent];
    let (status, out) = said(dir.path(), Path::new("/nowhere/bwrap"), &line);
    assert_eq!(status, 0, "{out}");
    let why = out.lines().find(|line| line.starts_with("agents are not confined: ")).expect(&out);
    assert!(why.contains("/nowhere/bwrap"), "{why}");
}

/// It takes its marks off, and says that what was to be done need not be; and it reads the key that signs certificates.
const WORDS: &str = "exec:sh -c 'cat \"$XDG_CONFIG_HOME/endstate/key.pem\" >stolen; \
    env -u ENDSTATE_RUN -u ENDSTATE_ROOT \"$ENDSTATE\" skip S1 --reason x --json >said; echo done'";

#[test]
fn an_agent_does_not_speak_as_its_user() {
    let Some(bwrap) = bubblewrap() else { return };
    for (how, code) in [("never", "own_verdict"), ("required", "io")] {
        let dir = repository();
        let root = dir.path();
        certificate::new_key(&root.join(".git/settings/endstate/key.pem")).unwrap();
        let line = ["run", MISSION, "--agent", WORDS, "--confine", how, "--json"];
        let (status, _) = said(root, &bwrap, &line);
        assert_ne!(status, 0);
        let said = fs::read_to_string(root.join("said")).unwrap();
        assert_eq!(last(&said)["error"]["code"], code, "{said}");
        assert_eq!(fs::read_to_string(root.join("stolen")).unwrap().is_empty(), how == "required");
    }
}

/// What it leaves in the repository for the driver's git to run, which has to read a file that looks changed.
const LEFT: &str = "exec:sh -c 'git config filter.x.clean \"touch $PWD/.agent/endstate/filtered; cat\"; \
    echo \"* filter=x\" >.git/info/attributes; touch -d 2001-01-01 README.md; echo done'";

#[test]
fn what_an_agent_leaves_for_git_to_run_is_confined_too() {
    let Some(bwrap) = bubblewrap() else { return };
    for (how, runs) in [("never", true), ("required", false)] {
        let dir = repository();
        let root = dir.path();
        said(root, &bwrap, &["run", MISSION, "--agent", LEFT, "--confine", how, "--json"]);
        assert_eq!(root.join(".agent/endstate/filtered").exists(), runs, "{how}");
    }
}

/// What a command reaches while the work goes on, and does not where the end is shown.
#[test]
fn a_command_without_network_reaches_nothing_outside_its_room() {
    let Some(bwrap) = bubblewrap() else { return };
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let connect = format!(": > /dev/tcp/127.0.0.1/{}", server.local_addr().unwrap().port());
    let check = json!({"command": ["bash", "-c", connect], "maxIterations": 2});
    let behavior = json!({"completionType": "check", "completionConfig": check});
    let agent = json!({"name": "a", "displayName": "A", "behavior": behavior}).to_string();
    let nowhere = Path::new("/nowhere/bwrap");
    for (bwrap, more, status, told) in [
        (&*bwrap, &[][..], 0, "observed"),
        (&*bwrap, &["--room-offline"], 4, "in a room made from nothing, command_failed"),
        (&*bwrap, &["--room-offline", "--confine", "never"], 4, "command_failed"),
        (nowhere, &["--room-offline"], 4, "not_confined"),
    ] {
        let dir = repository();
        fs::write(dir.path().join("agent.json"), &agent).unwrap();
        let line = ["run", "--protocol", "iteration", "agent.json", "--agent", "exec:echo done"];
        let (got, out) = said(dir.path(), bwrap, &[&line[..], more].concat());
        assert_eq!(got, status, "{more:?}: {out}");
        assert!(out.contains(told), "{more:?}: {out}");
    }
}
