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
