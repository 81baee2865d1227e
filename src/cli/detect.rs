//! Finds out how a repository tests itself, and which documentation it has.

use serde_json::Value;
use std::fs;
use std::path::Path;

/// Lock files, and what makes a checkout ready by them.
const SETUPS: [(&str, &str); 4] = [
    ("package-lock.json", "npm ci"),
    ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
    ("yarn.lock", "yarn install --frozen-lockfile"),
    ("composer.lock", "composer install"),
];

/// One way a repository tests itself.
pub(crate) struct Found {
    /// The file that says so.
    pub(crate) by: &'static str,
    /// The command.
    pub(crate) argv: Vec<String>,
}

/// Every test command that the files at `root` speak of; all of them are run.
pub(crate) fn test_commands(root: &Path) -> Vec<Found> {
    let there = |path: &str| root.join(path).exists();
    let found = |by, argv: &[&str]| {
        Some(Found { by, argv: argv.iter().map(|word| (*word).to_owned()).collect() })
    };
    let python = ["pyproject.toml", "pytest.ini", "setup.cfg"].into_iter().find(|path| there(path));
    let python = python.or_else(|| has_python_tests(root).then_some("tests/"));
    let all = [
        there("Cargo.toml").then(|| found("Cargo.toml", &["cargo", "test"])),
        npm_test(root).then(|| found("package.json", &["npm", "test"])),
        python.map(|by| found(by, &["python3", "-m", "pytest"])),
        there("go.mod").then(|| found("go.mod", &["go", "test", "./..."])),
        make_test(root).then(|| found("Makefile", &["make", "test"])),
    ];
    all.into_iter().flatten().flatten().collect()
}

/// Commands that get what lock files here name, as a checkout has none of it.
pub(crate) fn setups(root: &Path) -> Vec<Vec<String>> {
    let there = SETUPS.iter().filter(|(file, _)| root.join(file).is_file());
    there.map(|(_, argv)| argv.split(' ').map(str::to_owned).collect()).collect()
}

/// Documentation that must stay true to what is shipped.
pub(crate) fn docs(root: &Path) -> Vec<String> {
    let readme = root.join("README.md").is_file().then(|| "README.md".to_owned());
    let docs = root.join("docs").is_dir().then(|| "docs/".to_owned());
    readme.into_iter().chain(docs).collect()
}

/// A `test` script that is not the placeholder npm writes.
fn npm_test(root: &Path) -> bool {
    let text = fs::read_to_string(root.join("package.json")).unwrap_or_default();
    let package: Value = serde_json::from_str(&text).unwrap_or_default();
    let script = package["scripts"]["test"].as_str().unwrap_or_default().trim();
    !script.is_empty() && !script.contains("no test specified")
}

fn has_python_tests(root: &Path) -> bool {
    let names = fs::read_dir(root.join("tests")).into_iter().flatten().flatten();
    names.map(|entry| entry.file_name().to_string_lossy().into_owned()).any(|name| {
        name.ends_with(".py") && (name.starts_with("test_") || name.ends_with("_test.py"))
    })
}

/// A rule for the target `test`.
fn make_test(root: &Path) -> bool {
    let names = ["GNUmakefile", "makefile", "Makefile"];
    let text = names.iter().find_map(|name| fs::read_to_string(root.join(name)).ok());
    text.unwrap_or_default().lines().any(|line| {
        let Some((targets, rest)) = line.split_once(':') else { return false };
        let rule = !line.starts_with(['\t', '#', ' ']) && !rest.starts_with('=');
        rule && targets.split_whitespace().any(|target| target == "test")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(files: &[(&str, &str)]) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        test_commands(dir.path()).into_iter().map(|found| found.argv.join(" ")).collect()
    }

    #[test]
    fn each_kind_of_repository_is_known() {
        for (files, expected) in [
            (vec![], vec![]),
            (vec![("Cargo.toml", "")], vec!["cargo test"]),
            (vec![("package.json", r#"{"scripts":{"test":"node --test"}}"#)], vec!["npm test"]),
            (
                vec![(
                    "package.json",
                    r#"{"scripts":{"test":"echo \"Error: no test specified\""}}"#,
                )],
                vec![],
            ),
            (vec![("package.json", "{")], vec![]),
            (vec![("setup.cfg", "")], vec!["python3 -m pytest"]),
            (vec![("tests/test_a.py", "")], vec!["python3 -m pytest"]),
            (vec![("tests/run.sh", "")], vec![]),
            (vec![("go.mod", "module m")], vec!["go test ./..."]),
            (vec![("Makefile", "all: test\ntest := 1\n")], vec![]),
            (vec![("Makefile", ".PHONY: test\nbuild test: a\n\ttrue\n")], vec!["make test"]),
            (
                vec![("Makefile", "test:\n"), ("Cargo.toml", ""), ("pytest.ini", "")],
                vec!["cargo test", "python3 -m pytest", "make test"],
            ),
        ] {
            assert_eq!(commands(&files), expected, "{files:?}");
        }
    }
}
