use super::*;

fn lines(text: &str) -> Vec<String> {
    cited(text).iter().map(Evidence::line).collect()
}

#[test]
fn prose_that_cites_something_is_typed() {
    for (text, expected) in [
        ("test_oauth.py::test_token_refresh passes", "test test_oauth.py::test_token_refresh"),
        (
            "Manual test: curl returns 200 with valid token",
            "manual: curl returns 200 with valid token",
        ),
        ("Code at src/auth.py:45 implements refresh logic", "src/auth.py:45"),
        ("test_oauth_flow passes, tested with mock provider", "test test_oauth_flow"),
        ("(tests/auth.rs::refresh)", "test tests/auth.rs::refresh"),
        ("Verified by TestMain::test_prints", "test TestMain::test_prints"),
        ("vocab::tests::it_works holds", "test vocab::tests::it_works"),
        ("`cargo test` exited 0", "command `cargo test` exited 0"),
        ("`make lint`: exit status 1", "command `make lint` exited 1"),
        ("ran `make` (exited with code 2)", "command `make` exited 2"),
        ("see src/a.rs:10-20.", "src/a.rs:10"),
        ("test_case[a-b] passes", "test test_case"),
    ] {
        assert_eq!(lines(text), [expected], "{text}");
    }
    let several = "test_oauth.py::test_auto_refresh passes, buffer in token_manager.py:67";
    assert_eq!(lines(several), ["test test_oauth.py::test_auto_refresh", "token_manager.py:67"]);
    assert_eq!(lines("test_a and test_a"), ["test test_a"]);
}

#[test]
fn what_lies_outside_the_repository_shows_nothing() {
    let file = |path: &str| Evidence::File { path: path.to_owned(), line: 1 }.finding();
    for outside in [
        "/etc/passwd",
        "../x",
        "a/../../x",
        ".agent/tmp/x",
        "./.agent/x",
        ".git/config",
        "./.grid/STATE.md",
        "./.git/HEAD",
        ".GIT/HEAD",
        "src/.grid/x",
        "src\\.git\\HEAD",
        "C:/x",
    ] {
        assert_eq!(file(outside), Finding::NotShown, "{outside}");
    }
    for inside in ["Makefile", ".github/a.yml", "src/.gitignore"] {
        assert_eq!(file(inside), Finding::Holds, "{inside}");
    }
    let test = |id: &str| Evidence::Test { id: id.to_owned() }.finding();
    assert_eq!(test("../x/test_a.py::test_b"), Finding::NotShown);
    assert_eq!(test("tests/test_a.py::test_b"), Finding::Holds);
    assert_eq!(test("tests::name"), Finding::Holds);
}

#[test]
fn words_alone_show_nothing() {
    for text in [
        "I implemented it",
        "Should work",
        "",
        "tests pass, code reviewed",
        "Happy path works, edge cases pending",
        "Requires external API key",
        "uses std::collections::BTreeMap",
        "at 12:45 it was done",
        "see http://example.com:80/a",
        "example.com:443 answers",
        "/etc/passwd.txt:3",
        "../outside.rs:3",
        "a/../../b.rs:3",
        ".agent/tmp/notes.md:3",
        "./.agent/notes.md:3",
        ".agent/t.py::test_x",
        "/abs/t.py::test_x",
        "src/auth.py:0",
        "src/auth.py",
        "Makefile:3",
        "`cargo test` passes",
        "exit 0",
        "`` exit 0",
        "` exit 0",
        "`cargo test` then exit 0",
        "`cargo test` exited early",
        "Manual test:",
        "not a Manual: entry",
        "test_refresh fails",
        "test_refresh FAILED",
        "test_",
        "::",
        "a::",
        "::::",
        "é::ü",
    ] {
        assert_eq!(lines(text), [""; 0], "{text}");
    }
}

#[test]
fn a_failed_command_speaks_against() {
    let found = cited("test_a passes, `cargo clippy` exited 101");
    assert_eq!(weigh(&found), Finding::DoesNotHold);
}

#[test]
fn a_text_cites_so_much_and_no_more() {
    let text: String = (1..100).map(|line| format!("a.rs:{line} ")).collect();
    let found = cited(&format!("{text} `make` exited 1"));
    assert_eq!((found.len(), weigh(&found)), (64, Finding::DoesNotHold));
}
