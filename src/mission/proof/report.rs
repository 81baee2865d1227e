//! Reads what a test runner reported.

use crate::vocab::error::clip;
use crate::vocab::test_report::{TestFormat, TestReport};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::BTreeSet;

/// The most tests that are told apart by name.
const MOST_TESTS: usize = 20_000;
/// The most of them with one name.
const MOST_ALIKE: usize = 100;
/// The most letters of a name.
const MOST_LETTERS: usize = 300;
/// The most elements of a file, and how many of them a name is made of.
const MOST_NODES: u32 = 1_000_000;
const MOST_SUITES: usize = 20;
/// Stands for all tests of a runner that ended before it reported.
const NO_REPORT: &str = "no report";
/// What cargo says where tests do not compile, and where there are none.
const CARGO_UNLOADED: &str = "error: could not compile";
const CARGO_ABSENT: &str = "error: no test target named";
/// What go says of a package whose tests do not compile, and of one that is not there.
const GO_UNLOADED: [&str; 2] = ["[build failed]", "[setup failed]"];
const GO_ABSENT: &str = "directory not found";
/// What node says, and reports nothing, where there are none; and what vitest says of a file without tests.
const NODE_ABSENT: &str = "Could not find '";
const VITEST_ABSENT: &str = "No test suite found";

/// What became of each test: `report` is the file that the runner wrote, blank if it did not, `output` what it printed. `None` where that is
/// not told by name, or there are too many.
pub fn read_tests(format: TestFormat, report: &str, output: &str) -> Option<TestReport> {
    let tests = match format {
        TestFormat::Junit => junit(report, output),
        TestFormat::Libtest => libtest(output)?,
        TestFormat::Go => go(output)?,
    };
    let TestReport { passed, failed, skipped, unready, unloaded } = &tests;
    let all = [passed, failed, skipped, unready, unloaded].map(BTreeSet::len);
    (all.iter().sum::<usize>() <= MOST_TESTS).then_some(tests)
}

/// Adds a name; of several alike each counts.
fn add(names: &mut BTreeSet<String>, name: &str) {
    let name = clip(name, MOST_LETTERS);
    let mut alike = (2..=MOST_ALIKE).map(|number| format!("{name} ({number})"));
    if names.len() <= MOST_TESTS && !names.insert(name.clone()) {
        alike.any(|own| names.insert(own));
    }
}

/// A file that is no XML, or has declarations of types, reports nothing: its runner did not come to its tests.
fn junit(text: &str, output: &str) -> TestReport {
    let mut tests = TestReport::default();
    let options =
        ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let Ok(document) = Document::parse_with_options(text, options) else {
        if !output.lines().any(|line| line.starts_with(NODE_ABSENT)) {
            add(&mut tests.unloaded, NO_REPORT);
        }
        return tests;
    };
    let cases = document.descendants().filter(|node| node.has_tag_name("testcase"));
    for case in cases.take(MOST_TESTS + 1) {
        let name = case.attribute("name").unwrap_or_default();
        let class = case.attribute("classname").unwrap_or_default();
        let suites = case.ancestors().skip(1).take(MOST_SUITES).filter_map(|node| suite(&node));
        let mut path: Vec<&str> = suites.collect();
        path.reverse();
        path.extend([class, name]);
        path.retain(|part| !part.is_empty());
        path.dedup();
        if let Some(names) = kind(&mut tests, &case, name, class) {
            add(names, &path.join(" > "));
        }
    }
    tests
}

fn suite<'a>(node: &Node<'a, '_>) -> Option<&'a str> {
    node.attribute("name").filter(|_| node.has_tag_name("testsuite"))
}

/// The list that a case of JUnit belongs to, if it is that of a test, or of a file that failed.
fn kind<'a>(
    tests: &'a mut TestReport,
    case: &Node<'_, '_>,
    name: &str,
    class: &str,
) -> Option<&'a mut BTreeSet<String>> {
    let child = |tag| case.children().find(|node: &Node<'_, '_>| node.has_tag_name(tag));
    let fault = child("failure").or_else(|| child("error"));
    let error = child("error").is_some();
    // A file stands among its tests: pytest's has no class, vitest's is named like it, node's by its path.
    let file = class.is_empty() || !error && name == class || name.starts_with('/');
    let alone = || {
        case.parent()
            .is_some_and(|all| all.children().filter(Node::is_element).take(2).count() == 1)
    };
    let hook = |fault: Node<'_, '_>| {
        ["hookFailed", "cancelledByParent"].contains(&fault.attribute("type").unwrap_or_default())
    };
    let message = fault.and_then(|fault| fault.attribute("message")).unwrap_or_default();
    Some(match (child("skipped"), fault) {
        (Some(_), _) => &mut tests.skipped,
        (None, None) if file => return None,
        (None, None) => &mut tests.passed,
        (None, Some(_)) if file && message.starts_with(VITEST_ABSENT) => return None,
        // Its tests were found, so it was loaded.
        (None, Some(_)) if file && name == class && !alone() => &mut tests.unready,
        (None, Some(_)) if file => &mut tests.unloaded,
        (None, Some(fault)) if error || hook(fault) => &mut tests.unready,
        (None, Some(_)) => &mut tests.failed,
    })
}

/// `None` where the tests are counted and not named, or there are none of this kind.
fn libtest(output: &str) -> Option<TestReport> {
    let (mut tests, mut program, mut counted) = (TestReport::default(), "", 0);
    let mut speaks = false;
    for line in output.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("Running ").or(line.strip_prefix("Doc-tests ")) {
            program = rest.split(" (").next().unwrap_or_default();
        } else if let Some(rest) = line.strip_prefix("test result: ") {
            let count = rest.split_once(". ").and_then(|(_, rest)| rest.split(' ').next());
            counted += count.and_then(|count| count.parse().ok()).unwrap_or(0);
            speaks = true;
        } else if line.starts_with(CARGO_ABSENT) {
            speaks = true;
        } else if line.starts_with(CARGO_UNLOADED) {
            add(&mut tests.unloaded, line);
            speaks = true;
        } else if let Some((name, what)) =
            line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... "))
        {
            // A test in the documentation is named by its line, which moves.
            let name = name.rsplit_once(" (line ").map_or(name, |(name, _)| name);
            let names = match what {
                "ok" => &mut tests.passed,
                "FAILED" => &mut tests.failed,
                _ => &mut tests.skipped,
            };
            add(names, &format!("{program} > {name}"));
        }
    }
    (speaks && counted == tests.passed.len()).then_some(tests)
}

/// `None` where there are no tests of go.
fn go(output: &str) -> Option<TestReport> {
    let (mut tests, mut package) = (TestReport::default(), TestReport::default());
    let mut speaks = false;
    for line in output.lines() {
        if let Some((how, rest)) = line.split_once("--- ").and_then(|(_, it)| it.split_once(": ")) {
            // What the test printed may stand before it.
            let names = match how {
                "PASS" => &mut package.passed,
                "FAIL" => &mut package.failed,
                "SKIP" => &mut package.skipped,
                _ => continue,
            };
            add(names, rest.rsplit_once(" (").map_or(rest, |(name, _)| name));
            continue;
        }
        let words: Vec<&str> = line.split('\t').map(str::trim).collect();
        match words[..] {
            ["FAIL", _, ..] if GO_UNLOADED.iter().any(|words| line.contains(words)) => {
                add(&mut tests.unloaded, line);
            }
            ["FAIL", name, ..] if package.failed.is_empty() => add(&mut tests.unready, name),
            ["ok" | "FAIL" | "?", _, ..] => {}
            _ if line.contains(GO_ABSENT) => {}
            _ => continue,
        }
        speaks = true;
        let name = words.get(1).copied().unwrap_or_default();
        let done = std::mem::take(&mut package);
        for (from, to) in [
            (done.passed, &mut tests.passed),
            (done.failed, &mut tests.failed),
            (done.skipped, &mut tests.skipped),
        ] {
            from.iter().for_each(|test| add(to, &format!("{name} > {test}")));
        }
    }
    speaks.then_some(tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists of a report, each as one text.
    fn read(format: TestFormat, text: &str) -> Option<[String; 5]> {
        let (report, output) = if format == TestFormat::Junit { (text, "") } else { ("", text) };
        let tests = read_tests(format, report, output)?;
        let TestReport { passed, failed, skipped, unready, unloaded } = tests;
        let text = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(", ");
        Some([passed, failed, skipped, unready, unloaded].map(text))
    }

    #[test]
    fn what_cargo_prints() {
        let text = "     Running tests/a.rs (target/debug/deps/a-0)\nrunning 3 tests\ntest b ... ok\n\
            test c::d ... FAILED\ntest e ... ignored, later\ntest result: FAILED. 1 passed; 1 failed; 1 ignored\n\
            Doc-tests sums\ntest src/lib.rs - sum (line 3) ... ok\ntest src/lib.rs - sum (line 9) ... ok\n\
            test result: ok. 2 passed; 0 failed\n";
        let passed = "sums > src/lib.rs - sum, sums > src/lib.rs - sum (2), tests/a.rs > b";
        let expected = [passed, "tests/a.rs > c::d", "tests/a.rs > e", "", ""].map(str::to_owned);
        assert_eq!(read(TestFormat::Libtest, text), Some(expected));
        assert_eq!(
            read(TestFormat::Libtest, "test result: ok. 3 passed; 0 failed\n"),
            None,
            "quiet"
        );
        assert_eq!(read(TestFormat::Libtest, "test b ... ok\n"), None, "no test of cargo");
        let missing = read(TestFormat::Libtest, "error: could not compile `sums` (test \"new\")\n");
        assert_eq!(
            missing.map(|[passed, .., unloaded]| (passed.len(), unloaded.is_empty())),
            Some((0, false))
        );
    }

    #[test]
    fn what_go_prints() {
        let text = "=== RUN   TestA\nsaid--- PASS: TestA (0.00s)\n    --- SKIP: TestA/one (0.00s)\nPASS\nok  \tx/a\t0.01s\n\
            --- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx/b\t0.01s\nFAIL\tx/c\t0.01s\nFAIL\tx/d [build failed]\nFAIL\n";
        let expected =
            ["x/a > TestA", "x/b > TestA", "x/a > TestA/one", "x/c", "FAIL\tx/d [build failed]"];
        assert_eq!(read(TestFormat::Go, text), Some(expected.map(str::to_owned)));
        assert_eq!(read(TestFormat::Go, "fine\n"), None);
    }

    #[test]
    fn what_stands_in_a_file() {
        let text = r#"<testsuites><testsuite name="s"><testcase classname="c" name="a"/><testcase classname="c" name="a"/>
            <testcase classname="c" name="b"><failure/></testcase><testcase classname="c" name="d"><skipped/></testcase>
            <testcase classname="c" name="e"><error message="failed on setup"/></testcase>
            <testcase classname="" name="f"><error message="collection failure"/></testcase></testsuite>
            <testcase name="/x/g.mjs" classname="test"/></testsuites>"#;
        let expected = ["s > c > a, s > c > a (2)", "s > c > b", "s > c > d", "s > c > e", "s > f"];
        assert_eq!(read(TestFormat::Junit, text), Some(expected.map(str::to_owned)));
        let none = ["", "", "", "", NO_REPORT].map(str::to_owned);
        for nothing in ["", "no XML", "<!DOCTYPE a><testcase name='b' classname='c'/>"] {
            assert_eq!(read(TestFormat::Junit, nothing), Some(none.clone()), "{nothing}");
        }
        let many = "<testcase name='b' classname='c'/>".repeat(MOST_TESTS + 1);
        let alike = read_tests(TestFormat::Junit, &format!("<a>{many}</a>"), "").unwrap();
        assert_eq!(alike.passed.len(), MOST_ALIKE);
        let each = |at| format!("<testcase name='b{at}' classname='c'/>");
        let many: String = (0..=MOST_TESTS).map(each).collect();
        assert_eq!(read(TestFormat::Junit, &format!("<a>{many}</a>")), None);
        let absent = read_tests(TestFormat::Junit, "", "Could not find '/room/missing'\n");
        assert_eq!(absent, Some(TestReport::default()));
        let deep = "<testsuite name='s'>".repeat(100_000);
        assert_eq!(read(TestFormat::Junit, &deep), Some(none));
    }
}
