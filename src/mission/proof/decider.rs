//! What decides about a command: the files it runs. They must not be changed by the work that it decides about.

/// The most groups of files that are held for one command.
const MOST_HELD: usize = 50;

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
    ("make", &["GNUmakefile", "makefile", "Makefile"]),
    ("just", &["justfile", "Justfile"]),
    ("npm", &["package.json"]),
    ("pnpm", &["package.json"]),
    ("yarn", &["package.json"]),
    ("pytest", &["pytest.ini", "conftest.py", "tox.ini", "setup.cfg"]),
    ("cargo", &[".cargo/config.toml"]),
];

/// Programs that run the command behind them.
const IN_FRONT: [&str; 8] = ["env", "timeout", "time", "nice", "nohup", "exec", "command", "!"];

/// Files that say what a command does: the program it starts, what a runner is to run, and the runner's settings as a group.
/// Paths from the root; which of them there are is the host's to see.
pub(super) fn of(argv: &[String], directory: &str) -> Vec<Vec<String>> {
    let mut groups: Vec<Vec<String>> = Vec::new();
    for words in commands(argv) {
        let files =
            words.first().into_iter().filter(|word| word.contains('/')).map(|word| vec![*word]);
        let program = words.first().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
        let runner = RUNNERS.iter().find(|(name, _)| *name == program);
        let given = words.iter().skip(1).find(|word| !word.starts_with('-'));
        let given = given.filter(|_| runner.is_some()).map(|word| vec![*word]);
        let settings = runner.map(|(_, files)| files.to_vec());
        for group in files.chain(given).chain(settings) {
            let group: Vec<String> =
                group.iter().filter_map(|path| inside(directory, path)).collect();
            if !group.is_empty() && !groups.contains(&group) {
                groups.push(group);
            }
        }
    }
    groups.truncate(MOST_HELD);
    groups
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
    (!parts.is_empty()).then(|| parts.join("/"))
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
        let make = argv(&["GNUmakefile", "makefile", "Makefile"]);
        let expected = [alone(&["ci/a.sh", "js/a.mjs", "test"]), vec![make]].concat();
        assert_eq!(shell, expected);
    }
}
