use endstate::plan::classify::*;
use endstate::plan::model::Check;
use endstate::plan::model::Expectation;
use endstate::plan::model::TaskKind;

#[test]
fn criteria_say_how_they_are_checked() {
    let command = |command: &str, expect| Check::Command { command: command.to_owned(), expect };
    for (text, expected) in [
        ("`make build` succeeds", command("make build", Expectation::Success)),
        ("Build: `cargo test --all` exits 0", command("cargo test --all", Expectation::Success)),
        ("`cargo build` does not fail", Check::Assertion),
        ("`make test` looks good", Check::Checklist),
        ("`src/a.rs` exists", Check::Assertion),
        ("`Foo` has 3 cases", Check::Assertion),
        ("All tests pass", Check::Assertion),
        ("It feels right", Check::Checklist),
        ("`Foo` works correctly", Check::Checklist),
        ("The lead has looked at it", Check::Checklist),
    ] {
        assert_eq!(check(text), expected, "{text}");
    }
}

#[test]
fn work_has_a_kind() {
    for (text, kind) in [
        ("Create `a.rs`", TaskKind::Code),
        ("Run `make test`", TaskKind::Command),
        ("`cargo bench`", TaskKind::Command),
        ("Start `nohup ./train.sh &`", TaskKind::Background),
        ("Start a clock in the loop", TaskKind::Code),
        ("Wait for the deployment", TaskKind::Deferred),
        ("**Monitor** the queue", TaskKind::Deferred),
        ("Listen to the first minute", TaskKind::Manual),
        ("Runner: document it", TaskKind::Code),
    ] {
        assert_eq!(task_kind(text), kind, "{text}");
    }
    let kinds = [TaskKind::Command, TaskKind::Manual, TaskKind::Command];
    assert_eq!(sprint_kind(None, "", kinds.iter()), TaskKind::Command);
    assert_eq!(sprint_kind(Some("`manual` (a person)"), "", kinds.iter()), TaskKind::Manual);
    assert_eq!(sprint_kind(None, "Deploy it", [].iter()), TaskKind::Command);
}
