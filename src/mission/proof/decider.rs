//! What decides about a command: the files it runs. They must not be changed by the work that it decides about.

use super::runner;

/// The most groups of files that are held for one command.
const MOST_HELD: usize = 50;

/// Stands for what a runner is told to make: a file of that name that was not there would be taken for made.
const GOALS: &str = "*";
/// Names of files that hold tests, in the words of git. What a test says is as it was before the work, or it is no test of it.
const TESTS: [&str; 8] = [
    ":(glob)**/tests/**",
    ":(glob)**/test/**",
    ":(glob)**/__tests__/**",
    ":(glob)**/test_*.py",
    ":(glob)**/*_test.py",
    ":(glob)**/*_test.go",
    ":(glob)**/*.test.*",
    ":(glob)**/*.spec.*",
];
/// What runs a script of a package: who says which, with what shell, and the programs found first.
const PACKAGE: &[&str] = &["package.json", ".npmrc", "node_modules/.bin/"];

/// Programs that run what a file says, with the settings they follow. What other programs are given is the work that they look
/// at: `grep` decides nothing about the file it reads.
const RUNNERS: [(&str, &[&str]); 22] = [
    ("sh", &[]),
    ("bash", &[]),
    ("dash", &[]),
    ("zsh", &[]),
    ("python", &[]),
    ("python3", &[]),
    ("node", &[]),
    ("deno", &["deno.json", "deno.jsonc"]),
    ("bun", &["package.json"]),
    ("ruby", &[]),
    ("perl", &[]),
    ("php", &[]),
    ("lua", &[]),
    ("source", &[]),
    (".", &[]),
    ("make", &["GNUmakefile", "makefile", "Makefile", GOALS]),
    ("just", &["justfile", "Justfile"]),
    ("npm", PACKAGE),
    ("pnpm", PACKAGE),
    ("yarn", PACKAGE),
    ("pytest", &["pytest.ini", "conftest.py", "tox.ini", "setup.cfg"]),
    ("cargo", &[".cargo/config.toml"]),
];

/// Programs that run the command behind them.
const IN_FRONT: [&str; 8] = ["env", "timeout", "time", "nice", "nohup", "exec", "command", "!"];

/// Words of commands that may change more than the room they run in.
const DANGEROUS: [&str; 4] = ["deploy", "publish", "migrate", "down"];

/// Files that say what a command does: the program it starts, what a runner is to run, and the runner's settings as a group.
/// Paths from the root; which of them there are is the host's to see.
pub(super) fn of(argv: &[String], directory: &str) -> Vec<Vec<String>> {
    let mut groups: Vec<Vec<String>> = Vec::new();
    let mut places = vec![directory.to_owned()];
    for words in commands(argv) {
        if let ["cd", to, ..] = words[..] {
            // What is behind it may be within it, or in a subshell that it has left.
            let there: Vec<String> = places.iter().filter_map(|from| inside(from, to)).collect();
            places.extend(there);
        }
        for group in decide(&words) {
            // A runner may be told to look for its settings elsewhere.
            let to = options(&words).filter(|_| group.len() > 1);
            let to: Vec<String> = to.filter_map(|to| inside(directory, to)).collect();
            for place in places.iter().chain(&to) {
                let group: Vec<String> =
                    group.iter().filter_map(|path| inside(place, path)).collect();
                if !group.is_empty() && !groups.contains(&group) {
                    groups.push(group);
                }
            }
        }
    }
    groups.truncate(MOST_HELD);
    groups
}

/// The names of files with tests as a group, where a command may run tests: it starts a test runner, or a runner that does what
/// the repository's settings say (`make`, `npm`).
pub(super) fn tests(argv: &[String]) -> Vec<Vec<String>> {
    let follows = |words: &[&str]| {
        let program = words.first().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
        RUNNERS.iter().any(|(name, settings)| *name == program && !settings.is_empty())
    };
    let runs = commands(argv).any(|words| follows(&words) || runner::is_one(&words));
    runs.then(|| TESTS.map(str::to_owned).to_vec()).into_iter().collect()
}

/// The program that a command, or the line of a shell in it, starts first, by its bare name.
pub(super) fn program(argv: &[String]) -> Option<&str> {
    let mut all = commands(argv);
    let own = all.next()?;
    let words = if matches!(own[..], [_, "-c"]) { all.next()? } else { own };
    let bare = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    words.first().copied().filter(|word| word.chars().all(bare))
}

/// Whether one of a command's words is one of [`DANGEROUS`].
pub(super) fn is_dangerous(argv: &[String]) -> bool {
    let words = argv.iter().flat_map(|word| word.split(|c: char| !c.is_alphanumeric()));
    words.map(str::to_ascii_lowercase).any(|word| DANGEROUS.contains(&word.as_str()))
}

/// What decides about one command, as it names it.
fn decide<'a>(words: &[&'a str]) -> Vec<Vec<&'a str>> {
    let files = words.first().into_iter().filter(|word| word.contains('/')).map(|word| vec![*word]);
    let program = words.first().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
    let runner = RUNNERS.iter().find(|(name, _)| *name == program);
    // Whatever is in a directory that is named is the work.
    let given = words.iter().skip(1).filter(|word| !word.starts_with('-'));
    let given: Vec<&str> = given.map(|word| word.trim_end_matches('/')).collect();
    let first = given.first().filter(|_| runner.is_some()).map(|word| vec![*word]);
    let all = |name: &&'static str| if *name == GOALS { given.clone() } else { vec![*name] };
    let settings = runner.map(|(_, settings)| settings.iter().flat_map(all).collect());
    files.chain(first).chain(settings).collect()
}

/// What the options of a command are given: `-C sub`, `--prefix=sub`.
fn options<'a>(words: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let behind = words.windows(2).filter(|two| two[0].starts_with('-')).map(|two| two[1]);
    let within = words.iter().filter(|word| word.starts_with('-'));
    behind.chain(within.filter_map(|word| Some(word.split_once('=')?.1)))
}

/// The commands of a command line, each from its program on: itself, and those in an argument that is a line of a shell.
fn commands<'a>(argv: &'a [String]) -> impl Iterator<Item = Vec<&'a str>> {
    let own = argv.iter().map(String::as_str).filter(|word| !word.contains(char::is_whitespace));
    let lines = argv.iter().filter(|word| word.contains(char::is_whitespace));
    let lines = lines.flat_map(|line| line.split([';', '|', '&', '(', ')', '`', '\n', '{', '}']));
    let lines = lines
        .map(|line| line.split([' ', '\t', '"', '\'']).filter(|word| !word.is_empty()).collect());
    let in_front = |word: &&str| {
        word.contains('=')
            || IN_FRONT.contains(word)
            || word.starts_with(|c: char| c.is_ascii_digit())
    };
    let from_program = move |words: Vec<&'a str>| words.into_iter().skip_while(in_front).collect();
    std::iter::once(own.collect()).chain(lines).map(from_program)
}

/// A path from a directory as one from the root; `None` where it leaves that.
fn inside(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    if path.starts_with('/') {
        return None;
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            ".git" => return None,
            part => parts.push(part),
        }
    }
    let slash = if path.ends_with('/') { "/" } else { "" };
    (!parts.is_empty()).then(|| parts.join("/") + slash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_runs_decides_and_what_it_reads_does_not() {
        let argv = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let of = |words: &[&str], directory| of(&argv(words), directory);
        let alone = |paths: &[&str]| paths.iter().map(|path| argv(&[path])).collect::<Vec<_>>();
        assert_eq!(of(&["sh", "tests/run.sh", "src/a.c"], ""), alone(&["tests/run.sh"]));
        assert_eq!(of(&["./check"], "unit"), alone(&["unit/check"]));
        assert_eq!(of(&["env", "A=1", "timeout", "10", "../check"], "unit"), alone(&["check"]));
        assert_eq!(of(&["../../check", "/etc/passwd"], "unit"), alone(&[]));
        assert_eq!(of(&["grep", "-q", "h1", "page/index.html"], ""), alone(&[]));
        assert_eq!(of(&["test", "-f", "src/a.c"], ""), alone(&[]));
        let shell =
            "[ -e src/a.c ] && bash ci/a.sh | grep 'ok' && ! node --test \"js/a.mjs\"; make test";
        let shell = of(&["sh", "-c", shell], "");
        let make = argv(&["GNUmakefile", "makefile", "Makefile", "test"]);
        let expected = [alone(&["ci/a.sh", "js/a.mjs", "test"]), vec![make]].concat();
        assert_eq!(shell, expected);
    }

    #[test]
    fn what_runs_tests_is_held_to_those_there_were() {
        let runs = |line: &str| !tests(&["sh", "-c", line].map(str::to_owned)).is_empty();
        for line in [
            "make check",
            "cd web && npm test",
            "python3 -m pytest -q",
            "node --test",
            "cargo test | tee log",
        ] {
            assert!(runs(line), "{line}");
        }
        for line in [
            "grep -c test tests/a.sh",
            "sh tests/run.sh",
            "node build.mjs",
            "python3 a.py",
            "go build",
        ] {
            assert!(!runs(line), "{line}");
        }
    }

    #[test]
    fn where_a_command_goes_is_followed() {
        let of = |line: &str| {
            let argv = ["sh", "-c", line].map(str::to_owned);
            of(&argv, "").into_iter().flatten().collect::<Vec<_>>()
        };
        let has = |line: &str, path: &str| of(line).iter().any(|one| one == path);
        assert!(has("cd web && npm test", "web/package.json"));
        assert!(has("npm test", ".npmrc"), "it names the shell");
        assert!(has("cd web && npm test", "package.json"), "it may be in a subshell");
        assert!(has("cd web && cd api && sh run.sh", "web/api/run.sh"));
        assert!(has("make -C sub test", "sub/Makefile"));
        assert!(has("npm --prefix=web test", "web/node_modules/.bin/"));
        assert!(!has("cd web && grep x a.c", "web/a.c"));
        assert!(!has("cd ../.. && sh run.sh", "../run.sh"));
    }
}
