//! What decides about a command: the files it runs. They must not be changed by the work that it decides about.

use super::runner;
use std::collections::BTreeMap;

/// The most groups of files that are held for one command.
const MOST_HELD: usize = 50;

/// Stands for what a runner is told to make: a file of that name that was not there would be taken for made.
const GOALS: &str = "*";
/// How a pattern begins, in the words of git. Of what is named by one, what was there is held; more may come beside it.
const PATTERN: &str = ":(";
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
    ("make", &["GNUmakefile", "makefile", "Makefile", GOALS, ":(glob)**/*.mk"]),
    ("just", &["justfile", "Justfile"]),
    ("npm", PACKAGE),
    ("pnpm", PACKAGE),
    ("yarn", PACKAGE),
    ("pytest", &["pytest.ini", "conftest.py", "tox.ini", "setup.cfg"]),
    ("cargo", &[".cargo/config.toml"]),
];

/// Words that the command they run stands behind, maybe with options of their own: of a shell, and programs.
const IN_FRONT: [&str; 20] = [
    "!", "if", "then", "else", "elif", "while", "until", "do", "exec", "command", "eval", "time",
    "env", "timeout", "nice", "nohup", "setsid", "stdbuf", "xargs", "sudo",
];
/// The same, which find that command in places of their own.
const LAUNCHERS: [&str; 7] = ["npx", "uv", "uvx", "poetry", "pipenv", "bundle", "run"];

/// Words of commands that may change more than the room they run in.
const DANGEROUS: [&str; 4] = ["deploy", "publish", "migrate", "down"];

/// Files that say what a command does: the program it starts, what a runner is to run, and the runner's settings as a group.
/// Paths from the root, or patterns in the words of git; which of them there are is the host's to see.
pub(super) fn of(argv: &[String], directory: &str) -> Vec<Vec<String>> {
    let lines = lines(argv);
    let commands: Vec<&[&str]> = lines.iter().flat_map(|words| begun(words)).collect();
    let mut held = Held::default();
    let mut places = vec![directory.to_owned()];
    for words in &commands {
        if let ["cd", to, ..] = words {
            // What is behind it may be within it, or in a subshell that it has left.
            let from = [&places[0], &places[places.len() - 1]];
            let there: Vec<String> = from.iter().filter_map(|from| inside(from, to)).collect();
            places.extend(there);
            places.truncate(MOST_HELD);
        }
        for group in decide(words) {
            // A runner may be told to look for its settings elsewhere.
            let to = options(words).filter(|_| group.len() > 1);
            let to: Vec<String> = to.filter_map(|to| inside(directory, to)).collect();
            held.add(&group, places.iter().chain(&to));
        }
    }
    if commands.iter().any(|words| is_hidden(words)) {
        let word = |word: &&str| word.rsplit('=').next().unwrap_or_default().to_owned();
        lines.iter().flatten().for_each(|one| held.add(&[word(one)], places.iter()));
    }
    held.groups
}

/// The groups that are held for a command, each once.
#[derive(Default)]
struct Held {
    groups: Vec<Vec<String>>,
}

impl Held {
    /// Holds a group in each of these directories.
    fn add<'a>(&mut self, group: &[String], places: impl Iterator<Item = &'a String>) {
        for place in places {
            let group: Vec<String> = group.iter().filter_map(|path| inside(place, path)).collect();
            let room = self.groups.len() < MOST_HELD;
            if room && !group.is_empty() && !self.groups.contains(&group) {
                self.groups.push(group);
            }
        }
    }
}

/// The names of files with tests as a group, where a command may run tests: it starts a runner, or a program of the repository.
pub(super) fn tests(argv: &[String]) -> Vec<Vec<String>> {
    let own = |path: &String| !path.is_empty() && !path.starts_with('/');
    let runs = |words: &[&str]| decide(words).concat().iter().any(own) || runner::is_one(words);
    let any = lines(argv).iter().flat_map(|words| begun(words)).any(runs);
    any.then(|| TESTS.map(str::to_owned).to_vec()).into_iter().collect()
}

/// The program that a command, or the line of a shell in it, starts first, by its bare name. `None` where it stands behind options
/// of another.
pub(super) fn program(argv: &[String]) -> Option<&str> {
    let lines = lines(argv);
    let is_shell = begun(lines.first()?).iter().any(|words| matches!(words, [_, "-c"]));
    let line = lines.get(usize::from(is_shell))?;
    let [words] = begun(line)[..] else { return None };
    let before = &line[..line.len() - words.len()];
    let launcher = before.iter().find(|word| LAUNCHERS.contains(word));
    let bare = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    launcher.or(words.first()).copied().filter(|word| word.chars().all(bare))
}

/// Whether one of a command's words is one of [`DANGEROUS`].
pub(super) fn is_dangerous(argv: &[String]) -> bool {
    let words = argv.iter().flat_map(|word| word.split(|c: char| !c.is_alphanumeric()));
    words.map(str::to_ascii_lowercase).any(|word| DANGEROUS.contains(&word.as_str()))
}

/// What a program that is a runner follows.
fn settings(program: &str) -> Option<&'static [&'static str]> {
    let name = program.rsplit('/').next();
    RUNNERS.iter().find(|(runner, _)| Some(*runner) == name).map(|(_, settings)| *settings)
}

/// What decides about one command, as it names it.
fn decide(words: &[&str]) -> Vec<Vec<String>> {
    let [program, behind @ ..] = words else { return Vec::new() };
    let alone = |word: &str| vec![word.trim_end_matches('/').to_owned()];
    let file = program.contains('/').then(|| alone(program));
    let Some(settings) = settings(program) else { return file.into_iter().collect() };
    let run: Vec<&str> =
        candidates(behind).into_iter().map(|at| behind[at]).chain(options(behind)).collect();
    let modules = behind.windows(2).filter(|two| two[0] == "-m").map(|two| module(two[1]));
    // Whatever is in a directory that is named is the work.
    let given = behind.iter().filter(|word| !word.starts_with('-'));
    let given: Vec<String> = given.flat_map(|word| alone(word)).collect();
    let (patterns, names): (Vec<&str>, Vec<&str>) =
        settings.iter().partition(|name| name.starts_with(PATTERN));
    let all = |name: &str| if name == GOALS { given.clone() } else { vec![name.to_owned()] };
    let names = names.into_iter().flat_map(all).collect();
    let patterns = patterns.into_iter().map(str::to_owned).collect();
    let files = file.into_iter().chain(run.iter().map(|word| alone(word))).chain(modules);
    files.chain([names, patterns]).collect()
}

/// The files that a module of Python may be in, of which one that was not there may stand in front.
fn module(name: &str) -> Vec<String> {
    let path = name.replace('.', "/");
    [".py", "/__init__.py", "/__main__.py"].map(|end| format!("{path}{end}")).to_vec()
}

/// Whether an interpreter is started with what a line does not name: a variable, a pipe, a loop. Any word of it may be that.
fn is_hidden(words: &[&str]) -> bool {
    let [program, behind @ ..] = words else { return false };
    let is_line = program.ends_with("sh") && behind.contains(&"-c");
    let named =
        |at: usize| behind[at].starts_with(|c: char| c.is_alphanumeric() || "._/".contains(c));
    settings(program).is_some_and(<[_]>::is_empty)
        && !is_line
        && !runner::is_one(words)
        && !candidates(behind).into_iter().any(named)
}

/// Where the words stand that a program may be told to run: the first that is no option and, as an option may be given a value,
/// each that is behind an option before it (`bash -o pipefail check.sh`).
fn candidates(words: &[&str]) -> Vec<usize> {
    let is_option = |at: usize| words[at].starts_with(['-', '+']);
    let plain = (0..words.len()).filter(|at| !is_option(*at));
    let script = plain.clone().find(|at| *at == 0 || !is_option(at - 1));
    plain.take_while(|at| script.is_none_or(|script| *at <= script)).collect()
}

/// What the options of a command are given: `-C sub`, `-Csub`, `--prefix=sub`.
fn options<'a>(words: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let behind = words.windows(2).filter(|two| two[0].starts_with('-')).map(|two| two[1]);
    let within = words.iter().filter(|word| word.starts_with('-'));
    let within = within.filter_map(|word| match word.split_once('=') {
        Some((_, value)) => Some(value),
        None => word.get(2..).filter(|_| !word.starts_with("--")),
    });
    behind.chain(within)
}

/// The words of a command, and of those in an argument of it that is a line of a shell.
fn lines(argv: &[String]) -> Vec<Vec<&str>> {
    let own = argv.iter().map(String::as_str).filter(|word| !word.contains(char::is_whitespace));
    let lines = argv.iter().filter(|word| word.contains(char::is_whitespace));
    let lines = lines.flat_map(|line| line.split([';', '|', '&', '(', ')', '`', '\n', '{', '}']));
    // What is read from a file is told as what is given.
    let lines = lines.map(|line| {
        let words = line.split([' ', '\t', '"', '\'', '<', '>']);
        words.filter(|word| !word.is_empty()).collect()
    });
    std::iter::once(own.collect()).chain(lines).collect()
}

/// The commands that these words are, each from its program on: several, where it may be one or another of them.
fn begun<'a, 'b>(words: &'a [&'b str]) -> Vec<&'a [&'b str]> {
    let before =
        |word: &&&str| word.contains('=') || word.starts_with(|c: char| c.is_ascii_digit());
    let mut found = BTreeMap::new();
    let mut due = vec![0];
    while let Some(at) = due.pop().filter(|_| found.len() < MOST_HELD) {
        let at = at + words[at..].iter().take_while(before).count();
        let Some(first) = words.get(at).filter(|_| !found.contains_key(&at)) else { continue };
        let in_front = [&IN_FRONT[..], &LAUNCHERS].iter().any(|all| all.contains(first));
        found.insert(at, !in_front);
        let behind = at + 1;
        due.extend(
            in_front
                .then(|| candidates(&words[behind..]))
                .into_iter()
                .flatten()
                .map(|on| behind + on),
        );
    }
    found.into_iter().filter(|(_, begins)| *begins).map(|(at, _)| &words[at..]).collect()
}

/// A path from a directory as one from the root; `None` where it leaves that. An absolute path (what is left of
/// `$(pwd)/check.sh`), or one behind a variable, is taken for one from the directory. A pattern is from the root, and so is the one
/// that comes of a word with wildcards.
fn inside(directory: &str, path: &str) -> Option<String> {
    if path.starts_with(PATTERN) {
        return Some(path.to_owned());
    }
    let path =
        path.strip_prefix('$').map_or(path, |path| path.split_once('/').unwrap_or_default().1);
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            ".git" => return None,
            part => parts.push(part),
        }
    }
    let slash = if path.ends_with('/') { "/" } else { "" };
    let glob = if path.contains(['*', '?', '[']) { ":(glob)" } else { "" };
    (!parts.is_empty()).then(|| format!("{glob}{}{slash}", parts.join("/")))
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
        let included = alone(&[":(glob)**/*.mk"]);
        let expected = [alone(&["ci/a.sh", "js/a.mjs", "test"]), vec![make], included].concat();
        assert_eq!(shell, expected);
    }

    #[test]
    fn what_is_run_is_found_behind_whatever_stands_before_it() {
        for (line, path) in [
            ("bash -e -o pipefail check.sh src/a.c", "check.sh"),
            ("timeout -k 5 10 sh check.sh", "check.sh"),
            ("env -u HOME A=1 ./check.sh", "check.sh"),
            ("if ! sh check.sh; then exit 1; fi", "check.sh"),
            ("sh < check.sh", "check.sh"),
            ("sh \"$(pwd)/check.sh\"", "check.sh"),
            ("sh $PWD/check.sh", "check.sh"),
            ("sh \"${PWD}/ci/check.sh\"", "ci/check.sh"),
            ("ls | xargs -n1 sh ci/check.sh", "ci/check.sh"),
            ("uv run --with x python -W error check.py", "check.py"),
            ("python3 -m ci.check", "ci/check/__init__.py"),
            ("node --import=./hook.mjs test.mjs", "hook.mjs"),
            ("node -r ./hook.cjs test.mjs", "test.mjs"),
            ("pytest -cci/pytest.ini", "ci/pytest.ini"),
            ("sh ci/*.sh", ":(glob)ci/*.sh"),
            ("for f in ci/*.sh; do sh \"$f\"; done", ":(glob)ci/*.sh"),
            ("c=check.sh; sh \"$c\"", "check.sh"),
            ("cat check.sh | sh", "check.sh"),
            ("sh -e \\\n check.sh", "check.sh"),
            ("(cd a && make) && (cd b && make) && (cd c && make) && (cd d && make)", "d/Makefile"),
        ] {
            let held = of(&["sh", "-c", line].map(str::to_owned), "").concat();
            assert!(held.iter().any(|one| one == path), "{line}: {held:?}");
            assert!(!held.iter().any(|one| one == "src/a.c"), "{line}: {held:?}");
        }
    }

    #[test]
    fn a_line_of_nothing_but_programs_in_front_comes_to_an_end() {
        for line in ["env -a sudo ", "cd a; sh b; "] {
            let argv = ["sh".to_owned(), "-c".to_owned(), line.repeat(10_000)];
            assert!(of(&argv, "").len() <= MOST_HELD, "{line}");
            assert_eq!(tests(&argv).is_empty(), line.starts_with("env"), "{line}");
        }
    }

    #[test]
    fn what_runs_tests_is_held_to_those_there_were() {
        let runs = |line: &str| !tests(&["sh", "-c", line].map(str::to_owned)).is_empty();
        for line in [
            "make check",
            "cd web && npm test",
            "python3 -m pytest -q",
            "python3 -m unittest",
            "sh check.sh",
            "timeout 10 ./check",
            "node --test",
            "cargo test | tee log",
        ] {
            assert!(runs(line), "{line}");
        }
        for line in ["grep -c test tests/a.sh", "/bin/cat tests/a.sh", "go build"] {
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
