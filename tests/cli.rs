//! The command line, with the real program, real repositories and the scripted team.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used, clippy::panic)]

#[path = "binary/accept.rs"]
mod accept;
#[path = "cli/adopt.rs"]
mod adopt;
#[path = "cli/bad.rs"]
mod bad;
#[path = "binary/bubblewrap.rs"]
mod bubblewrap;
#[path = "cli/certify.rs"]
mod certify;
#[path = "cli/cheats.rs"]
mod cheats;
#[path = "hosted/client.rs"]
mod client;
#[path = "cli/common.rs"]
mod common;
#[path = "cli/confine.rs"]
mod confine;
#[path = "cli/demo.rs"]
mod demo;
#[path = "hosted/driver.rs"]
mod driver;
#[path = "cli/grid.rs"]
mod grid;
#[path = "hosted/hook.rs"]
mod hook;
#[path = "cli/imports.rs"]
mod imports;
#[path = "cli/init.rs"]
mod init;
#[path = "cli/live.rs"]
mod live;
#[path = "cli/plans.rs"]
mod plans;
#[path = "cli/prompts.rs"]
mod prompts;
#[path = "cli/proposals.rs"]
mod proposals;
#[path = "cli/protocols.rs"]
mod protocols;
#[path = "cli/run.rs"]
mod run;
#[path = "hosted/served.rs"]
mod served;
#[path = "cli/sprint.rs"]
mod sprint;
#[path = "cli/view.rs"]
mod view;
