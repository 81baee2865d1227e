//! The viewer's page, which is not built with the program.

use crate::common::repository;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// This program as cargo leaves it in a folder of sources.
fn built_in(sources: &Path) -> PathBuf {
    let program = sources.join("target/release/endstate");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_endstate"), &program).unwrap();
    program
}

/// Writes the demo plan as a page; what was refused, if it was.
fn write_page(program: &Path, more: &[&str]) -> Option<String> {
    let dir = repository();
    fs::write(dir.path().join("plan.md"), "# Sprint 1: A\n\n- [ ] `true` exits 0\n").unwrap();
    let words = ["view", "plan.md", "--html", "out.html"];
    let mut command = Command::new(program);
    command.args(words).args(more).current_dir(dir.path()).env_remove("ENDSTATE_VIEWER");
    let said = command.output().unwrap();
    let refused = said.status.code() == Some(2);
    assert_eq!(refused, !dir.path().join("out.html").exists(), "{said:?}");
    refused.then(|| String::from_utf8(said.stderr).unwrap())
}

#[test]
fn a_program_without_the_page_says_the_one_command_that_brings_it() {
    let dir = tempfile::tempdir().unwrap();
    let sources = dir.path().canonicalize().unwrap().join("my sources");
    let program = built_in(&sources);
    let told = write_page(&program, &[]).unwrap();
    let command =
        "run `node js/build.mjs` in the sources and name target/npm/stage/viewer.html by --page";
    assert!(told.contains(&format!("expected: the page of the viewer: {command}\n")), "{told}");

    fs::create_dir_all(sources.join("js")).unwrap();
    fs::write(sources.join("js/build.mjs"), "").unwrap();
    let told = write_page(&program, &[]).unwrap();
    let command = format!("node '{}'", sources.join("js/build.mjs").display());
    assert!(told.contains(&format!("the page of the viewer: run `{command}`\n")), "{told}");
    assert_eq!(told.matches('`').count(), 2, "one command: {told}");

    // What that command leaves is what is looked for.
    let stage = sources.join("target/npm/stage");
    fs::create_dir_all(&stage).unwrap();
    let page = "<!doctype html><html lang=\"en\"><!--journal--></html>";
    fs::write(stage.join("viewer.html"), page).unwrap();
    assert_eq!(write_page(&program, &[]), None);

    let told = write_page(&program, &["--page", "nowhere.html"]).unwrap();
    assert!(told.contains("at:       nowhere.html"), "{told}");
}
