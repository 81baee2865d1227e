//! What decides about a command: the files it runs. They must not be changed by the work that it decides about.

use super::runner;
use std::collections::BTreeMap;

/// The most groups of files that are held for one command.
const MOST_HELD: usize = 50;

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
/// Names of files that say what a runner runs, and how. Nothing that runs tests may follow another one than before the work.
const SETTINGS: [&str; 19] = [
    ":(glob)**/GNUmakefile",
    ":(glob)**/[Mm]akefile",
    ":(glob)**/*.mk",
    ":(glob)**/[Jj]ustfile",
    ":(glob)**/package.json",
    ":(glob)**/.npmrc",
    ":(glob)**/node_modules/.bin/**",
    ":(glob)**/*.config.*",
    ":(glob)**/.mocharc.*",
    ":(glob)**/bunfig.toml",
    ":(glob)**/deno.json*",
    ":(glob)**/pytest.*",
    ":(glob)**/.pytest.*",
    ":(glob)**/conftest.py",
    ":(glob)**/pyproject.toml",
    ":(glob)**/tox.ini",
    ":(glob)**/setup.cfg",
    ":(glob)**/.cargo/config",
    ":(glob)**/.cargo/config.toml",
];

/// Programs that run what a file says that they are given. What other programs are given is the work that they look at: `grep`
/// decides nothing about the file it reads.
const INTERPRETERS: [&str; 15] = [
    "sh", "bash", "dash", "zsh", "python", "python3", "node", "deno", "bun", "ruby", "perl", "php",
    "lua", "source", ".",
];
/// Programs that run what their settings say. What they are given may be a file all the same.
const BY_SETTINGS: [&str; 7] = ["make", "just", "npm", "pnpm", "yarn", "pytest", "cargo"];

/// Words that the command they run stands behind, maybe with options of their own: of a shell, and programs.
const IN_FRONT: [&str; 20] = [
    "!", "if", "then", "else", "elif", "while", "until", "do", "exec", "command", "eval", "time",
    "env", "timeout", "nice", "nohup", "setsid", "stdbuf", "xargs", "sudo",
];
/// The same, which find that command in places of their own.
const LAUNCHERS: [&str; 7] = ["npx", "uv", "uvx", "poetry", "pipenv", "bundle", "run"];

/// Words of commands that may change more than the room they run in.
const DANGEROUS: [&str; 4] = ["deploy", "publish", "migrate", "down"];

/// What is held for a command, in groups: of one, what was there is as it was; of several, and one was there, none may come beside
/// it. Paths from the root, or patterns in the words of git; which of them there are is the host's to see.
#[derive(Default)]
pub(super) struct Held {
    /// Files that say what it does: the program it starts, and what a runner is to run.
    pub(super) files: Vec<Vec<String>>,
    /// Settings of runners, and the names of what they make, as one group.
    pub(super) settings: Vec<String>,
    /// Files with tests.
    pub(super) tests: Vec<Vec<String>>,
}

/// What is held for a command that runs in this directory. Settings and tests are where it may run tests: it starts a runner, or a
/// program of the repository.
pub(super) fn of(argv: &[String], directory: &str) -> Held {
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
        decide(words).iter().for_each(|path| held.add(path, &places));
        // A runner may be told to work elsewhere.
        let told: Vec<String> = options(words).filter_map(|to| inside(directory, to)).collect();
        for goal in goals(words) {
            let places = places.iter().chain(&told);
            held.settings.extend(places.filter_map(|place| inside(place, goal)));
        }
    }
    held.settings.truncate(MOST_HELD);
    if commands.iter().any(|words| is_hidden(words)) {
        let word = |word: &&str| word.rsplit('=').next().unwrap_or_default().to_owned();
        lines.iter().flatten().for_each(|one| held.add(&word(one), &places));
    }
    let own = |path: &String| !path.is_empty() && !path.starts_with('/');
    let runs = |words: &[&str]| decide(words).iter().any(own) || is_runner(words);
    if commands.iter().any(|words| runs(words)) {
        held.settings.extend(SETTINGS.map(str::to_owned));
        held.tests = TESTS.map(|pattern| vec![pattern.to_owned()]).to_vec();
    }
    held
}

impl Held {
    /// Holds a file in each of these directories.
    fn add(&mut self, path: &str, places: &[String]) {
        for path in places.iter().filter_map(|place| inside(place, path)) {
            let known = self.files.iter().any(|group| group[0] == path);
            if !known && self.files.len() < MOST_HELD {
                self.files.push(vec![path]);
            }
        }
    }
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

/// A program by its bare name, without its directory.
fn bare<'a>(words: &[&'a str]) -> &'a str {
    words.first().and_then(|program| program.rsplit('/').next()).unwrap_or_default()
}

/// Whether a command may run tests, whatever files it names.
fn is_runner(words: &[&str]) -> bool {
    BY_SETTINGS.contains(&bare(words)) || runner::is_one(words) || is_hidden(words)
}

/// The files that decide about one command, as it names them.
fn decide(words: &[&str]) -> Vec<String> {
    let [program, behind @ ..] = words else { return Vec::new() };
    let alone = |word: &str| word.trim_end_matches('/').to_owned();
    let mut files: Vec<String> =
        program.contains('/').then(|| alone(program)).into_iter().collect();
    if [&INTERPRETERS[..], &BY_SETTINGS].iter().any(|all| all.contains(&bare(words))) {
        let run = candidates(behind).into_iter().map(|at| behind[at]).chain(options(behind));
        files.extend(run.map(alone));
    }
    if bare(words).starts_with("python") {
        files.extend(given(behind).flat_map(module));
    }
    files
}

/// What make is told to make: a file of that name that was not there would be taken for made.
fn goals<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let behind = words.get(1..).filter(|_| bare(words) == "make").unwrap_or_default();
    given(behind).collect()
}

fn given<'a>(words: &[&'a str]) -> impl Iterator<Item = &'a str> {
    words.iter().copied().filter(|word| !word.starts_with('-'))
}

/// The files that a module or directory of Python may be run from.
fn module(name: &str) -> [String; 3] {
    let path = name.trim_end_matches('/').replace('.', "/");
    [".py", "/__init__.py", "/__main__.py"].map(|end| format!("{path}{end}"))
}

/// Whether an interpreter is started with what a line does not name: a variable, a pipe, a loop. Any word of it may be that.
fn is_hidden(words: &[&str]) -> bool {
    let [program, behind @ ..] = words else { return false };
    let is_line = program.ends_with("sh") && behind.contains(&"-c");
    let named =
        |at: usize| behind[at].starts_with(|c: char| c.is_alphanumeric() || "._/".contains(c));
    INTERPRETERS.contains(&bare(words))
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
    // What is behind an option like `-ec` is a line, and no file whose name has a space in it.
    let is_line = |at: &usize| {
        let flag = at.checked_sub(1).map_or("", |before| argv[before].as_str());
        flag.starts_with('-') && flag.ends_with('c') && argv[*at].contains(char::is_whitespace)
    };
    let own = (0..argv.len()).filter(|at| !is_line(at)).map(|at| argv[at].as_str());
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
/// `$(pwd)/check.sh`), or one behind a variable, is taken for one from the directory. Of a word with
/// wildcards comes a pattern.
fn inside(directory: &str, path: &str) -> Option<String> {
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
        let of = |words: &[&str], directory| of(&argv(words), directory).files;
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
        assert_eq!(shell, alone(&["ci/a.sh", "js/a.mjs", "test"]));
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
            ("python3 ci", "ci/__main__.py"),
            ("python3 -m unittest ci.check_a", "ci/check_a.py"),
        ] {
            let held = of(&["sh", "-c", line].map(str::to_owned), "").files.concat();
            assert!(held.iter().any(|one| one == path), "{line}: {held:?}");
            assert!(!held.iter().any(|one| one == "src/a.c"), "{line}: {held:?}");
        }
    }

    #[test]
    fn a_line_of_nothing_but_programs_in_front_comes_to_an_end() {
        for line in ["env -a sudo ", "cd a; sh b; "] {
            let argv = ["sh".to_owned(), "-c".to_owned(), line.repeat(10_000)];
            let held = of(&argv, "");
            assert!(held.files.len() <= MOST_HELD, "{line}");
            assert_eq!(held.tests.is_empty(), line.starts_with("env"), "{line}");
        }
    }

    #[test]
    fn what_runs_tests_is_held_to_those_there_were() {
        let runs = |line: &str| {
            let held = of(&["sh", "-c", line].map(str::to_owned), "");
            assert_eq!(held.tests.is_empty(), held.settings.is_empty(), "{line}");
            !held.tests.is_empty()
        };
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
        let of = |line: &str| of(&["sh", "-c", line].map(str::to_owned), "");
        let has = |line: &str, path: &str| {
            let Held { files, settings, .. } = of(line);
            files.concat().iter().chain(&settings).any(|one| one == path)
        };
        assert!(has("cd web && cd api && sh run.sh", "web/api/run.sh"));
        assert!(has("cd web && sh run.sh", "run.sh"), "it may be in a subshell");
        assert!(has("make -C sub check", "sub/check"));
        assert!(has("(cd a && make x) && (cd b && make x) && (cd c && make x)", "c/x"));
        assert!(!has("cd web && grep x a.c", "web/a.c"));
        assert!(!has("cd ../.. && sh run.sh", "../run.sh"));
    }
}
