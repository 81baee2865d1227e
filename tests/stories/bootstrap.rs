//! The contract files: written by the host that knows enough, or after the bootstrapper's report.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "host-writes-contract-files",
        "A host that knows the project writes and commits the contract files before the start",
        host_writes,
    ),
    tale(
        "bootstrapper-reports-then-files-are-committed",
        "Rule 1: what the host does not know, the bootstrapper reports; the engine commits the files",
        bootstrapper,
    ),
    tale(
        "bootstrapper-of-another-mission-is-refused",
        "A bootstrap report for another mission is refused and the role is sent again",
        other_mission,
    ),
    tale(
        "blanket-ignore-line-is-replaced",
        "A .gitignore that hides all of .agent is mended in the contract commit",
        blanket,
    ),
    tale(
        "contract-commit-fails-and-is-retried",
        "A refused contract commit is a clear question; answered with retry it is made",
        commit_fails,
    ),
    tale(
        "deleted-contract-file-goes-to-the-bootstrapper",
        "A contract file that is gone is repaired by rule 1, whatever else is due",
        repaired,
    ),
    tale(
        "fresh-stop-script-is-the-users-word",
        "Other verification commands than the locked ones are a question before they are written",
        proposed,
    ),
    tale(
        "first-commit-on-an-unborn-branch",
        "On a branch without commits the contract commit is the first",
        unborn,
    ),
];

fn host_writes() -> Story {
    let mut story = Story::new(Story::small());
    assert_eq!(story.began.1.rule, "first_look");
    story.settle();
    assert_eq!(story.engine.continuation(), Continuation::Paused);
    let (_, paths) = story.world.commits.last().unwrap();
    let mut expected = canonical::CONTRACT.to_vec();
    expected.push(canonical::GITIGNORE);
    expected.sort_unstable();
    assert_eq!(*paths, expected);
    assert_eq!(story.file("state.json")["current_phase"], "reground");
    story.command(Command::Start);
    story.settle();
    assert_eq!(story.due(), "regrounder");
    story
}

fn unknown() -> Story {
    let config = completion::Config { onboard: false, ..Story::small() };
    let mut story = Story::new(config);
    story.go();
    assert_eq!((story.rule().as_str(), story.due().as_str()), BOOTSTRAP);
    story
}

const BOOTSTRAP: (&str, &str) = ("bootstrap_contract_files", "bootstrapper");

fn report_of(mission: &str) -> Value {
    json!({
        "mission": mission, "docs_surfaces": ["README.md"], "verification_commands": [["make", "test"]],
    })
}

fn bootstrapper() -> Story {
    let mut story = unknown();
    assert!(!story.world.files.contains_key(canonical::STOP_SCRIPT));
    story.run("bootstrapper", report_of(MISSION));
    assert!(story.world.files[canonical::STOP_SCRIPT].contains("'make' 'test'"));
    assert_eq!(story.due(), "regrounder");
    story
}

fn other_mission() -> Story {
    let mut story = unknown();
    story.run("bootstrapper", report_of("Sell everything."));
    assert_eq!(story.problem(), "anchor_mismatch");
    assert_eq!(story.due(), "bootstrapper");
    story.run("bootstrapper", report_of(MISSION));
    assert_eq!(story.due(), "regrounder");
    story
}

fn blanket() -> Story {
    let mut world = World::new();
    world.files.insert(canonical::GITIGNORE.to_owned(), "target/\n.agent/\n".to_owned());
    let mut story = Story::in_world(Story::small(), world);
    story.go();
    let lines = &story.world.files[canonical::GITIGNORE];
    assert!(lines.starts_with("target/\n# completion protocol\n"), "{lines}");
    assert!(!lines.lines().any(|line| line == ".agent/"));
    story
}

fn commit_fails() -> Story {
    let mut story = Story::new(Story::small());
    story.fail_effect("commit_files", Code::CommitRefused);
    assert_eq!(story.topic(), "effect_failed");
    assert_eq!(story.engine.continuation(), Continuation::AwaitUserInput);
    assert!(story.world.commits.len() == 1 && story.world.files.is_empty(), "nothing half done");
    story.choose("retry");
    story.command(Command::Start);
    story.settle();
    assert_eq!(story.due(), "regrounder");
    story
}

/// README.md of the contract is deleted by hand, and the bootstrapper reports these commands.
fn deleted(commands: Value) -> Story {
    let mut story = Story::planned();
    story.say(Command::Pause);
    story.world.files.remove(canonical::README);
    story.say(Command::Resume);
    assert_eq!((story.rule().as_str(), story.due().as_str()), BOOTSTRAP);
    story.run("bootstrapper", with(report_of(MISSION), "/verification_commands", commands));
    story
}

fn repaired() -> Story {
    let story = deleted(json!([]));
    assert!(story.world.files.contains_key(canonical::README));
    assert_eq!(story.due(), "implementer");
    story
}

fn proposed() -> Story {
    let mut story = deleted(json!([["make", "test"]]));
    assert_eq!(story.topic(), "new_stop_script");
    let locked = story.core("/contract/stop_script");
    story.answer(Answer::Confirmation { yes: true });
    assert!(story.world.files[canonical::STOP_SCRIPT].contains("'make' 'test'"));
    assert_ne!(story.core("/contract/stop_script"), locked);
    assert!(story.world.files.contains_key(canonical::README));
    assert_eq!(story.due(), "implementer");
    story
}

fn unborn() -> Story {
    let world = World { refs: "refs".to_owned(), ..World::default() };
    let mut story = Story::in_world(Story::small(), world);
    story.go();
    assert_eq!(story.world.commits.len(), 1);
    story.plan(&["S1"]);
    assert_eq!(story.file("active-slice.json")["basis_commit"], story.head());
    story
}
