//! Grid missions under the real driver: processes, files, git.

use crate::common::{git, repository};
use endstate::native::redact::Redactor;
use endstate::native::{Agent, Driver, Options, Quiet, StopFlag};
use endstate::protocols::ProtocolConfig;
use endstate::protocols::grid::{self, plan};
use endstate::vocab::command::Command as Say;
use endstate::{Config, Continuation};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

fn plans(count: usize) -> Vec<plan::Plan> {
    let one = |number: usize| {
        let text = format!(
            "---\nphase: 01-many\nplan: \"{number:02}\"\nfiles_modified: [out/{number:02}]\nmust_haves: {{truths: [block {number:02} is there]}}\n---\n"
        );
        plan::parse(&format!("b{number:02}-PLAN.md"), &text).unwrap().plan
    };
    (1..=count).map(one).collect()
}

/// Every executor waits until as many are at work as may be, or until others have gone before it; what it
/// writes is committed under a lock of its own, since all share one tree. A recognizer judges what its
/// prompt lists.
const TEAM: &str = r#"
state="$ENDSTATE_ROOT/.agent/tmp/gate"; mkdir -p "$state"
header() { printf 'MISSION ANCHOR: %s\nRemaining contract IDs: none\n\n```json\n%s\n```\n' "$ENDSTATE_MISSION" "$1"; }
case "$ENDSTATE_ROLE" in
grid-executor)
  id=$ENDSTATE_ITEM
  : > "$state/in-$id"
  printf '{"endstate":"progress","kind":"scratchpad","text":"{\\"category\\":\\"PATTERN\\",\\"finding\\":\\"%s is at work\\"}"}\n' "$id"
  n=0
  while [ "$(ls "$state" | grep -c '^in-')" -lt 8 ] && [ $n -lt 1200 ]; do sleep 0.05; n=$((n+1)); done
  ls "$state" | grep -c '^busy-' >> "$state/seen" 2>/dev/null
  : > "$state/busy-$id"
  cd "$ENDSTATE_ROOT"; mkdir -p out; echo "$id" > "out/${id#b}"
  until mkdir "$state/lock" 2>/dev/null; do sleep 0.02; done
  git add "out/${id#b}" && git commit -q -m "$id"; commit=$(git rev-parse HEAD)
  rmdir "$state/lock"; rm "$state/busy-$id"
  header "{\"block\":\"$id\",\"status\":\"SUCCESS\",\"summary\":{\"commits\":[\"$commit\"],\"key-files\":{\"created\":[\"out/${id#b}\"]}},\"lessons_learned\":{\"gotchas\":[\"trap of $id\"]}}"
  ;;
grid-recognizer)
  cat > "$state/prompt"
  rows=$(sed -n 's/^- \(b[0-9]*\)\/\(AC-[0-9]*\): .*/{"block":"\1","criterion":"\2","finding":"holds","method":"read it","evidence":[{"kind":"command","command":"cat","exit_status":0}]}/p' "$state/prompt" | paste -sd, -)
  header "{\"verdict\":\"CLEAR\",\"verdicts\":[$rows]}"
  ;;
*) exit 3 ;;
esac
"#;

/// How many spawns were in flight after each event of the journal, and how often each text occurs in it.
fn most_at_once(journal: &str) -> usize {
    let (mut live, mut most) = (0_usize, 0);
    for line in journal.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let text = line["body"].to_string();
        if text.contains("\"type\":\"run_started\"") {
            live += 1;
        } else if text.contains("\"type\":\"run_ended\"") {
            live = live.saturating_sub(1);
        }
        most = most.max(live);
    }
    most
}

#[test]
fn thirty_two_executors_of_one_wave_under_a_limit() {
    let dir = repository();
    let mut mission = grid::Config::new("Build many things.", plans(32));
    (mission.capture, mission.max_parallel) = (false, 8);
    let config =
        Config { budget: BTreeMap::new(), ..Config::new(ProtocolConfig::Grid(Box::new(mission))) };
    let argv = ["sh", "-c", TEAM].map(str::to_owned).to_vec();
    let options = Options {
        agent: Some(Agent::Exec { argv }),
        redactor: Redactor::of([]),
        ..Options::default()
    };
    let mut driver = Driver::create(dir.path(), config, options).unwrap();
    driver.command(Say::Start).unwrap();
    driver.run(&mut Quiet, &StopFlag::default()).unwrap();
    let view = driver.engine().view();
    assert_eq!(view.continuation, Continuation::Done, "{} {:?}", view.reason, view.problem);
    assert_eq!((view.nodes.len(), view.progress.settled), (32, 32));
    assert_eq!(git(dir.path(), &["status", "--porcelain"]), "");
    assert_eq!(git(dir.path(), &["rev-list", "--count", "HEAD"]), "33");
    let journal = fs::read_to_string(dir.path().join(".agent/endstate/journal.jsonl")).unwrap();
    let most = most_at_once(&journal);
    assert!((2..=8).contains(&most), "{most} at once");
    for number in 1..=32 {
        let id = format!("b{number:02}");
        let count = |kind: &str, words: &str| {
            journal.lines().filter(|line| line.contains(kind) && line.contains(words)).count()
        };
        assert_eq!(count("\"run_progressed\"", &format!("{id} is at work")), 1, "{id}: its entry");
        assert_eq!(count("\"run_ended\"", &format!("trap of {id}")), 1, "{id}: its result");
    }
    let archive = fs::read_to_string(dir.path().join(".grid/SCRATCHPAD_ARCHIVE.md")).unwrap();
    assert_eq!(archive.lines().filter(|line| line.starts_with("### executor-b")).count(), 32);
    let bytes = journal.as_bytes();
    assert_eq!(endstate::replay(bytes).unwrap().chain, driver.store().position().chain);
}

/// The material of the demo: what `endstate demo` plays, under the same driver.
#[cfg(feature = "cli")]
#[test]
fn the_demo_comes_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_endstate"))
        .args(["demo", "--protocol", "grid", "--json", "--dir"])
        .arg(dir.path().join("bell"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let last: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!(
        (last["continuation"].as_str(), last["closed_by"].as_str()),
        (Some("done"), Some("verified"))
    );
    for (tally, count) in [("failures", 1), ("checkpoints", 1), ("gap_rounds", 1), ("executed", 4)]
    {
        assert_eq!(last[tally], count, "{tally}: {last}");
    }
    let root = dir.path().join("bell");
    assert!(
        fs::read_to_string(root.join(".grid/LEARNINGS.md"))
            .unwrap()
            .contains("ask about sounds early")
    );
    assert_eq!(git(&root, &["status", "--porcelain"]), "");
}
