//! Sentences, and what their commands show.

use endstate::plan::model::Expectation;
use endstate::plan::shown::*;

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
        ("E1: `make test`", "make test", well()),
        ("**EC-1** — `make test` passes", "make test", well()),
        ("[XC-001] `make test` exits 1", "make test", none()),
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
        ("`! bin/nosuch foo` succeeds", "bin/nosuch foo", Expectation::Failure),
        ("`! make test`", "make test", Expectation::Failure),
        ("`! grep -q x src/a` passes", "grep -q x src/a", none()),
        ("`grep -q x src/a` fails", "grep -q x src/a", none()),
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
        "`grep -L SPDX a.rs b.rs` returns nothing",
        "`grep -rL SPDX src` finds nothing",
        "`grep -L SPDX a.rs` returns no matches",
        "`grep -L SPDX a.rs` prints exactly `a.rs`",
        "`git grep --files-without-match x` returns nothing",
        "`ls *.orig` returns nothing",
        "`cd out && ls *.orig 2>/dev/null` prints nothing",
        "`pgrep server` prints nothing",
        "`which gcc` prints nothing",
        "`git check-ignore a` prints nothing",
        "`git ls-files --error-unmatch a` prints nothing",
        "`echo $?` prints 2",
    ] {
        assert!(matches!(shown(text), Some(Shown::NotBy(_))), "{text}: {:?}", shown(text));
    }
    assert_eq!(shown("`Foo` exists"), None);
}

/// A program that nobody lists is one where the sentence says so; where it does not quite, it is named.
#[test]
fn programs_without_a_name_are_known_by_what_is_said_of_them() {
    for (text, command) in [
        ("`bin/check all` exits 0", "bin/check all"),
        ("`timeout 60 make test` exits 0", "timeout 60 make test"),
        ("`just test` passes", "just test"),
        ("`eslint src` exits with status 0", "eslint src"),
        ("`mocha test` passes", "mocha test"),
        ("`golangci-lint run` succeeds", "golangci-lint run"),
        ("`golangci-lint run` runs clean", "golangci-lint run"),
        ("`perl t.pl` exits 0", "perl t.pl"),
        ("`Rscript t.R` exits 0", "Rscript t.R"),
        ("`cmp a b` (exit code 0)", "cmp a b"),
        ("`touch /tmp/x` succeeds", "touch /tmp/x"),
        ("`mytool` exits 0", "mytool"),
        ("`scripts/check.py` exits 0", "scripts/check.py"),
        ("Run `mytool check`", "mytool check"),
        ("All tests pass (`just test`)", "just test"),
        ("Verify with `just test`", "just test"),
        ("Verify with `bin/check all`", "bin/check all"),
        ("Verify with `mytool check`", "mytool check"),
        ("Verify with `bin/check`", "bin/check"),
        ("Run `bin/check`", "bin/check"),
        ("Tests (`just test`) pass", "just test"),
        ("The tests (`make test`) still pass", "make test"),
        ("`just test` works", "just test"),
        ("`make test` works", "make test"),
        ("Check: `bin/check all`", "bin/check all"),
        ("Check: `eslint src`", "eslint src"),
        ("`just test` ends with 0", "just test"),
        ("`bin/check all` should pass", "bin/check all"),
        ("`mytool -v check` passes", "mytool -v check"),
        ("`mytool check` exits 0", "mytool check"),
    ] {
        assert_eq!(shown(text), by(command, Expectation::Success), "{text}");
    }
    let both = "( just a ) && ( make b )";
    assert_eq!(shown("`just a` and `make b` pass"), by(both, Expectation::Success));
    assert_eq!(shown("`just bad` fails"), by("just bad", Expectation::Failure));
    for (text, code) in [
        ("`true` passes", "true"),
        ("`mytool check`", "mytool check"),
        ("`mytool check` passes", "mytool check"),
        ("`login flow` passes", "login flow"),
        ("Tests (`mytool check`) pass", "mytool check"),
        ("Check: `login flow`", "login flow"),
        ("Verify with `mytool`", "mytool"),
        ("`bin/check all` → 0", "bin/check all"),
        ("AC-1: `mytool check`", "mytool check"),
        ("Run `mytool`", "mytool"),
        ("`just test` passes with 3 new tests", "just test"),
        ("`Rscript t.R` passes", "Rscript t.R"),
        ("`Foo` exits 0", "Foo"),
        ("`package_build` exits 0", "package_build"),
        ("`ack x src` returns no matches or fails", "ack x src"),
        ("Exit code 0 is what `just test` gives", "just test"),
    ] {
        assert!(matches!(shown(text), Some(Shown::NotBy(_))), "{text}: {:?}", shown(text));
        assert_eq!(unrun(text), Some(code), "{text}");
    }
    for text in [
        "`Foo` passes",
        "`src/a.rs` compiles",
        "`Foo::bar()` succeeds",
        "`--verbose` passes",
        "`test_login` passes",
        "`GET /health` succeeds",
        "`let x = 3` compiles",
        "`the user logs in` passes",
        "`error text` is shown",
        "Sprint 1 exit criteria met (`Foo` is there)",
        "`login flow` works",
    ] {
        assert_eq!(shown(text), None, "{text}");
    }
}

#[test]
fn commands_that_can_fail_show_what_they_show() {
    for command in
        ["make a && make b", "make test 'a; true'", "make test || exit 1", "cd a && make test"]
    {
        let expect = Expectation::Success;
        assert_eq!(shown(&format!("`{command}` passes")), by(command, expect), "{command}");
    }
}
