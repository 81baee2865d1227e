//! Hosted runs on the real program: a mission whose claims come from an agent that is there already,
//! over `endstate mcp`, with the verdicts from processes; killed on the way; held by the stop hook.

#![cfg(all(feature = "cli", unix))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::disallowed_types)]

#[path = "binary/accept.rs"]
mod accept;
#[path = "hosted/client.rs"]
mod client;
#[path = "cli/common.rs"]
#[allow(dead_code)]
mod common;
#[path = "hosted/driver.rs"]
mod driver;
#[path = "hosted/hook.rs"]
mod hook;
#[path = "hosted/served.rs"]
mod served;
