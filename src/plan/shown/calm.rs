//! Programs that end well however they went, since they are told to, or are told to do nothing.

use super::program::program;

/// `find … -exec make {} \;`, which ends well however that ends.
pub(super) fn is_run_unseen(operands: &[String]) -> bool {
    let runs = operands.iter().any(|word| word == "-exec" || word == "-execdir");
    runs && !operands.iter().any(|word| word == "+")
}

/// Options that mean this for every program that knows them.
const CALMING: [&str; 19] = [
    "--exit-zero",
    "--if-present",
    "--passWithNoTests",
    "--pass-with-no-tests",
    "--no-exit-code",
    "--no-fail",
    "--soft-fail",
    "--fail-never",
    "--lenient",
    "--suppress-tests",
    "--dry-run",
    "--dryrun",
    "-dry-run",
    "--just-print",
    "--collect-only",
    "--list-tests",
    "--listTests",
    "--notest",
    "--nobuild",
];
/// Options that say with which status a program ends that found something, or how little is enough.
const STATUSES: [&str; 5] =
    ["--exit-code", "--issues-exit-code", "--error-exitcode", "--exitcode", "--fail-under"];

/// Options of programs of which others mean something else by them.
const OF_PROGRAMS: [(&str, &[&str]); 15] = [
    ("make", &["--ignore-errors", "--recon", "--touch"]),
    ("gmake", &["--ignore-errors", "--recon", "--touch"]),
    ("ruff", &["-e"]),
    ("just", &["-n"]),
    ("ninja", &["-n"]),
    ("rake", &["-n"]),
    ("scons", &["-n"]),
    ("gradle", &["-m"]),
    ("gradlew", &["-m"]),
    ("mvn", MAVEN),
    ("mvnw", MAVEN),
    ("cargo", &["--list"]),
    ("playwright", &["--list"]),
    ("pytest", &["--co"]),
    ("ctest", &["-N", "--show-only"]),
];
const MAVEN: &[&str] = &["-fn", "-DskipTests", "-Dmaven.test.skip", "-Dmaven.test.failure.ignore"];

/// Programs that run another one among the words behind them, with words of their own before it.
const HOSTS: [&str; 28] = [
    "bunx",
    "bundle",
    "conda",
    "devbox",
    "direnv",
    "docker",
    "docker-compose",
    "doppler",
    "dotenv",
    "hatch",
    "heroku",
    "kubectl",
    "mise",
    "nix",
    "nix-shell",
    "npm",
    "npx",
    "pdm",
    "pipenv",
    "pixi",
    "pnpm",
    "podman",
    "poetry",
    "python",
    "python3",
    "uv",
    "uvx",
    "yarn",
];

/// Whether a program is told to end well however it went, or to do nothing.
pub(super) fn is_calmed(first: &str, operands: &[String]) -> bool {
    let mut running = name(first);
    let host = HOSTS.contains(&running);
    let next = operands.iter().skip(1).map(Some).chain([None]);
    // `makemigrations --check --dry-run`, `clang-format --dry-run -Werror`: what would change fails.
    let strict =
        operands.iter().any(|word| ["--check", "-Werror", "--Werror"].contains(&word.as_str()));
    operands.iter().zip(next).any(|(word, next)| {
        let known = || OF_PROGRAMS.iter().any(|(program, _)| *program == name(word));
        if host && known() {
            running = name(word);
        }
        is_calming(word) && !(strict && word.starts_with("--dry-run"))
            || is_well(word, next)
            || is_of(running, word)
    })
}

/// The name of a program without its place.
fn name(word: &str) -> &str {
    program(word).rsplit('/').next().unwrap_or_default()
}

/// An option, with what stands behind its `=`; a value that turns it off makes it none.
fn option(word: &str) -> Option<&str> {
    let (option, value) = word.split_once('=').unwrap_or((word, ""));
    let off = ["false", "no", "never", "off", "0", "none"].contains(&value);
    (word.starts_with('-') && !off).then_some(option)
}

fn is_calming(word: &str) -> bool {
    option(word).is_some_and(|option| CALMING.contains(&option))
}

/// `--exit-code=0`, `--exit-code 0`.
fn is_well(word: &str, next: Option<&String>) -> bool {
    let (option, value) = match word.split_once('=') {
        Some((option, value)) => (option, Some(value)),
        None => (word, next.map(String::as_str)),
    };
    let zero = |value: &str| {
        value.contains('0') && value.bytes().all(|byte| matches!(byte, b'0' | b'.' | b'%'))
    };
    STATUSES.contains(&option) && value.is_some_and(zero)
}

fn is_of(program: &str, word: &str) -> bool {
    let own = OF_PROGRAMS.iter().find(|(name, _)| *name == program);
    let said = own.zip(option(word)).is_some_and(|((_, all), option)| all.contains(&option));
    let idle = match program {
        "make" | "gmake" => is_idle(word) || sets_calm(word),
        "just" | "ninja" | "rake" | "scons" => {
            let letters = word.strip_prefix('-').filter(|letters| letters.len() <= 3);
            letters.is_some_and(|letters| {
                letters.contains('n') && letters.bytes().all(|byte| byte.is_ascii_lowercase())
            })
        }
        _ => false,
    };
    said || idle
}

/// Letters of `make` that ignore what fails, or run nothing: `-i`, `-kn`, `-nj4`.
fn is_idle(word: &str) -> bool {
    let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return false;
    };
    // What stands behind these is theirs.
    let own = letters.chars().take_while(|letter| !"CfIoWEO".contains(*letter));
    let mut own = own.filter(|letter| !letter.is_ascii_digit());
    own.any(|letter| matches!(letter, 'i' | 'n' | 't'))
}

/// Whether a word sets options for programs that are told so by it: `MAKEFLAGS=-i`, `PYTEST_ADDOPTS=--collect-only`.
pub(super) fn sets_calm(word: &str) -> bool {
    let Some((name, value)) = word.split_once('=').filter(|(name, _)| !name.starts_with('-'))
    else {
        return false;
    };
    let make = ["MAKEFLAGS", "GNUMAKEFLAGS", "MFLAGS"].contains(&name);
    let upper = !name.is_empty() && name.bytes().all(|byte| !byte.is_ascii_lowercase());
    let mut words = value.split_whitespace();
    // There the first letters need no mark before them.
    let bare = words.clone().next().filter(|word| !word.contains(['-', '=']));
    make && bare.is_some_and(|word| is_idle(&format!("-{word}")))
        || upper && words.any(|word| is_calming(word) || make && is_of("make", word))
}
