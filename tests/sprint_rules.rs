//! The "must not" list of the supervisor.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod common;
mod sprint_tales;

#[test]
fn every_story_can_be_told() {
    let mut failed = Vec::new();
    for tale in sprint_tales::all() {
        if std::panic::catch_unwind(tale.tell).is_err() {
            failed.push(tale.name);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}
