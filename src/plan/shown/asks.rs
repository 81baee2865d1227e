//! Programs that only tell something. Before a pipe how they went goes lost, and what they print shows it all the same;
//! of a program that checks or builds something, it does not.

/// Programs that tell and do nothing else.
const TELLERS: [&str; 74] = [
    "ack",
    "ag",
    "awk",
    "base64",
    "basename",
    "bat",
    "cat",
    "column",
    "comm",
    "curl",
    "cut",
    "date",
    "df",
    "dirname",
    "du",
    "echo",
    "egrep",
    "env",
    "expr",
    "fd",
    "fgrep",
    "file",
    "find",
    "fold",
    "gawk",
    "grep",
    "head",
    "hexdump",
    "hostname",
    "id",
    "join",
    "jq",
    "less",
    "ls",
    "lsof",
    "nl",
    "nm",
    "objdump",
    "od",
    "otool",
    "paste",
    "pgrep",
    "printenv",
    "printf",
    "ps",
    "pwd",
    "readelf",
    "readlink",
    "realpath",
    "rev",
    "rg",
    "sed",
    "seq",
    "sort",
    "stat",
    "strings",
    "tac",
    "tail",
    "tee",
    "tr",
    "tree",
    "type",
    "uname",
    "uniq",
    "wc",
    "wget",
    "which",
    "whoami",
    "xcbeautify",
    "xcpretty",
    "xxd",
    "yes",
    "yq",
    "zcat",
];
/// What `git` is asked for.
const OF_GIT: [&str; 21] = [
    "blame",
    "branch",
    "cat-file",
    "config",
    "describe",
    "diff",
    "diff-tree",
    "for-each-ref",
    "grep",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "remote",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "status",
    "symbolic-ref",
    "tag",
];
/// Words that ask any program for something.
const ASKS: [&str; 18] = [
    "cat", "describe", "dump", "freeze", "get", "help", "images", "info", "inspect", "list",
    "logs", "ls", "metadata", "print", "ps", "show", "status", "view",
];
/// Programs whose first word says of what, and whose second one what is to be done with it.
const LEVELS: [&str; 16] = [
    "aws",
    "az",
    "brew",
    "docker",
    "docker-compose",
    "gcloud",
    "gh",
    "glab",
    "helm",
    "heroku",
    "kubectl",
    "podman",
    "swift",
    "systemctl",
    "terraform",
    "xcrun",
];
/// Programs that build before they hand the question on.
const BUILD: [&str; 24] = [
    "bazel",
    "bun",
    "bunx",
    "cabal",
    "cargo",
    "deno",
    "docker",
    "dotnet",
    "go",
    "gradle",
    "gradlew",
    "./gradlew",
    "make",
    "mix",
    "mvn",
    "npm",
    "npx",
    "pnpm",
    "poetry",
    "sbt",
    "swift",
    "uv",
    "yarn",
    "zig",
];
const HELP: [&str; 6] = ["--help", "-h", "--version", "-V", "help", "version"];

/// Whether a program with its words only tells something.
pub(super) fn tells(first: &str, operands: &[String]) -> bool {
    let words = operands_of(operands);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    match first {
        "git" => of_git(&words) && !has(&["--exit-code", "--quiet", "--check", "--error-unmatch"]),
        "find" | "fd" => !has(&["-exec", "-execdir", "-ok", "-okdir", "-delete", "-x", "-X"]),
        // What is written in it may run anything.
        "awk" | "gawk" if words.iter().any(|word| runs_more(word)) => false,
        _ if TELLERS.contains(&first) => true,
        _ => is_asked(first, &words),
    }
}

/// Whether a program does nothing but tell, whatever words it is given: these may be what it looks for.
pub(super) fn is_teller(first: &str, operands: &[String]) -> bool {
    TELLERS.contains(&first) || first == "git" && of_git(&operands_of(operands))
}

fn runs_more(expression: &str) -> bool {
    expression.contains("system(") || expression.contains("getline")
}

/// What `git` is asked for, behind the options that are its own.
fn of_git(words: &[&str]) -> bool {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "-C" | "-c" => drop(rest.next()),
            word if word.starts_with('-') => {}
            word => return OF_GIT.contains(&word),
        }
    }
    false
}

/// Whether any program is asked for its help, its version, or for what it has.
fn is_asked(first: &str, words: &[&str]) -> bool {
    let helped = !words.is_empty() && words.iter().all(|word| HELP.contains(word));
    let long = words.contains(&"--help") || words.contains(&"--version");
    if helped || long && !BUILD.contains(&first) || words.contains(&"--list") {
        return true;
    }
    if first == "xcodebuild" && words.contains(&"-list") {
        return true;
    }
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let deep = if LEVELS.contains(&first) { 2 } else { 1 };
    plain.iter().take(deep).any(|word| {
        let stem = word.split('-').next().unwrap_or_default();
        ASKS.contains(word) || ASKS.contains(&stem) && word.contains('-')
    })
}

/// The words that a program is given, without those that say where its output goes.
fn operands_of(words: &[String]) -> Vec<&str> {
    let mut found = Vec::new();
    let mut skip = false;
    for word in words {
        let arrow = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
        if std::mem::take(&mut skip) {
            continue;
        }
        match arrow.starts_with(['>', '<']) {
            true => skip = arrow.trim_matches(['>', '<', '|']).is_empty(),
            false => found.push(word.as_str()),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_told(line: &str) -> bool {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        tells(&words[0], &words[1..])
    }

    #[test]
    fn programs_that_only_tell_are_known() {
        for line in [
            "cat x",
            "echo x",
            "printf x",
            "ls",
            "find . -name x",
            "grep x f",
            "rg x",
            "sed -n 1p f",
            "awk {print} f",
            "sort f",
            "uniq f",
            "cut -c1 f",
            "tr a b",
            "head f",
            "tail f",
            "wc f",
            "jq .a f",
            "yq .a f",
            "curl -sf url",
            "ps aux",
            "env",
            "date",
            "git log --oneline",
            "git -C app diff --stat",
            "git --no-pager show",
            "git status --porcelain",
            "git ls-files -o",
            "git grep x",
            "git branch -a",
            "git tag",
            "git rev-parse HEAD",
            "docker ps -a",
            "docker compose ps",
            "docker image ls",
            "docker inspect x",
            "kubectl get pods",
            "gh pr list",
            "gh run view 1",
            "swift package describe",
            "swift test list",
            "./app --help",
            "./app -h",
            "./app --version 2>&1",
            "app help",
            "app -V > log",
            "app serve --help",
            "node cli.js --help",
            "cargo --version",
            "cargo metadata",
            "npm ls",
            "pip list",
            "pip freeze",
            "./app list",
            "./app show x",
            "./app status",
            "make list",
            "make print-version",
            "aws ec2 describe-instances",
            "cargo test -- --list",
            "xcodebuild -list",
        ] {
            assert!(is_told(line), "{line}");
        }
        for line in [
            "make test",
            "./pytest.sh",
            "cargo test",
            "cargo build 2>&1",
            "cargo run -- --help",
            "npm test",
            "npm run list",
            "xcodebuild -scheme x",
            "git commit -m x",
            "git push",
            "git diff --check",
            "git diff --exit-code",
            "git",
            "git stash",
            "find . -exec make {} +",
            "find . -delete",
            "docker run x ls",
            "docker compose exec a ls",
            "python3 app.py",
            "diff a b",
            "cmp a b",
            "go vet list",
            "make test list",
            "./app",
            "./app check --status-x",
            "sh x.sh",
            "terraform plan",
        ] {
            assert!(!is_told(line), "{line}");
        }
    }
}
