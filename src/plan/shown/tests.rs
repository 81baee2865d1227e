//! Sentences, and what their commands show.

use super::*;

fn by(command: &str, expect: Expectation) -> Option<Shown> {
    Some(Shown::By { command: command.to_owned(), expect })
}

#[test]
fn whole_sentences_are_shown_by_their_commands() {
    let exactly = |text: &str| Expectation::Exactly { text: text.to_owned() };
    let none = || Expectation::Status { code: 1 };
    let well = || Expectation::Success;
    for (text, command, expect) in [
        ("`make build` succeeds", "make build", well()),
        ("`make test`", "make test", well()),
        ("AC-1: `make test` **passes**.", "make test", well()),
        ("Run `make test`", "make test", well()),
        ("Verify that `make test` still passes", "make test", well()),
        ("Build: `cargo test --all` exits 0", "cargo test --all", well()),
        ("`cargo build` exits with code 0", "cargo build", well()),
        ("`cargo build` runs without errors", "cargo build", well()),
        ("`A_B=1 make test` is green", "A_B=1 make test", well()),
        ("All tests pass (`make test`)", "make test", well()),
        ("All tests pass: `make test`", "make test", well()),
        ("`test -f one` and `test -f two` succeed", "( test -f one ) && ( test -f two )", well()),
        ("`make a`, `make b`, and `make c` pass", "( make a ) && ( make b ) && ( make c )", well()),
        ("`make a` passes and `make b` is green", "( make a ) && ( make b )", well()),
        ("`grep -q '<h1>' a.html` succeeds", "grep -q '<h1>' a.html", well()),
        ("`grep -q '## API' a.md` succeeds", "grep -q '## API' a.md", well()),
        ("`cargo build` fails", "cargo build", Expectation::Failure),
        ("`./run.sh` exits with status 2", "./run.sh", Expectation::Status { code: 2 }),
        ("`git grep -n y src/` returns **zero** matches", "git grep -n y src/", none()),
        ("`grep -rn y src` returns nothing", "grep -rn y src", none()),
        ("`git ls-files -o` prints nothing", "git ls-files -o", Expectation::Silence),
        ("`grep -c Y x` returns 0", "grep -c Y x", exactly("0")),
        ("`grep x a | wc -l` returns `4`.", "grep x a | wc -l", exactly("4")),
        ("`./show.sh x` prints exactly `foo`", "./show.sh x", exactly("foo")),
    ] {
        assert_eq!(shown(text), by(command, expect), "{text}");
    }
}

#[test]
fn other_sentences_are_shown_by_nobody() {
    for text in [
        "`cat x` does NOT list `Y`",
        "Screenshot saved (verify with `test -f`)",
        "`test -f`",
        "`git diff --stat` shows updates in `src/`",
        "`git diff --stat`",
        "`grep -c Y x` returns at least 30",
        "`cargo build` does not succeed",
        "Do not run `make deploy`",
        "`make run` never prints `error`",
        "Neither `cargo build` nor `cargo test` fails",
        "`cargo build` or `cargo test` passes",
        "`make a` passes or `make b` passes",
        "`make a` passes unless `make b` fails",
        "`make a` and `make b`",
        "`make test` passes — all 12 tests",
        "`make test` passes with 3 new tests",
        "`make test | tail -5` passes",
        "`grep -rc Y src` returns 0",
        "`cargo build` returns 0",
        "`./tool.sh` prints 3",
        "`./tool.sh` prints `ok`",
        "`make test` passes? No",
        "`make test` succeeds § fails",
        "`grep x <file>` succeeds",
        "`grep \"x` and `grep y\" a` succeed",
        "`make a` succeeds, `make b` fails",
        "After `make a`, the file is there",
        "`make a` is clean",
        "No `make a` passes",
    ] {
        assert!(matches!(shown(text), Some(Shown::NotBy(_))), "{text}: {:?}", shown(text));
    }
    assert_eq!(shown("`Foo` exists"), None);
}

/// What cannot fail, or throws away how one of its commands went, shows nothing.
#[test]
fn commands_that_cannot_fail_show_nothing() {
    for command in [
        "make test; true",
        "make test;true",
        "make test|tee log.txt",
        "make test |& tee log.txt",
        "make test || exit 0",
        "make test || true",
        "make test||:",
        "make test || echo failed",
        "make lint; echo done",
        "npm test || true; ls",
        "make test; echo $?",
        "make a; make b",
        "make test &",
        "make test & wait",
        "( make test || true )",
        "{ make test; true; }",
        "bash -c 'make test; true'",
        "grep pipefail x | tee log",
        "make test | tee log; set -o pipefail",
        "set -o pipefail; set +o pipefail; make test | tee log",
        "for f in *.sh; do sh $f; done",
        "if make test; then echo yes; fi",
        "make test # || exit 1; true\ntrue",
    ] {
        assert!(is_mute(command), "{command}");
    }
    for text in [
        "`make test; true` passes",
        "`make test|tee log.txt` exits 0",
        "`make test || exit 0`",
        "`make lint; echo done` succeeds",
        "`npm test || true; ls` passes",
        "`make test; echo $?` exits 0",
    ] {
        assert_eq!(shown(text), Some(Shown::NotBy(MUTE)), "{text}");
    }
}

/// The same marks where they are only letters, or where they throw nothing away.
#[test]
fn commands_that_can_fail_show_what_they_show() {
    for command in [
        "make test 'a; true'",
        "make \"a || true\"",
        "find . -name x -exec grep -q y {} \\;",
        "test \"$(ls | wc -l)\" = 3",
        "test $(make list || true) = 3",
        "cd app && make test",
        "cd app; make test",
        "make a && make b",
        "make test 2>&1 > log",
        "make test && echo ok",
        "make test || exit 1",
        "make test || { echo broken; exit 1; }",
        "make test || (echo broken && exit 1)",
        "set -o pipefail; make test | tee log",
        "set -euo pipefail; make a; make b | tee log; echo ok",
        "bash -o pipefail -c 'make test | tee log'",
        "make test | grep -q passed",
        "test -f a || test -f b",
        "! grep -q x src/a",
        "for f in *.sh; do sh $f || exit 1; done",
    ] {
        assert!(!is_mute(command), "{command}");
    }
    for command in ["make a && make b", "make test 'a; true'", "make test || exit 1"] {
        let expect = Expectation::Success;
        assert_eq!(shown(&format!("`{command}` passes")), by(command, expect), "{command}");
    }
}

/// A failure must be the one of the program it was said of.
#[test]
fn what_must_fail_is_sure_of_its_first_program() {
    for text in [
        "`cat nofile | grep TODO` returns no matches",
        "`cat nofile|grep TODO` finds nothing",
        "`cat nofile | grep TODO` returns nothing",
        "`grep -rn TODO $(cat list)` returns no matches",
        "`cat nofile | wc -l` returns 0",
        "`cat nofile | grep -q TODO` fails",
        "`make tools && make test` fails",
        "`cat nofile | grep -q TODO` exits with status 1",
    ] {
        assert_eq!(shown(text), Some(Shown::NotBy(MUTE)), "{text}");
    }
    let text = "`grep -n 'a | b; c' src/x` returns no matches";
    assert_eq!(shown(text), by("grep -n 'a | b; c' src/x", Expectation::Status { code: 1 }));
}
