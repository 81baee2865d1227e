//! Missions that an engine of older rules began, taken over by this one. `tests/old/<protocol>` holds journals that
//! 0.1.0 wrote under rules 1, cut short by `kill -9` of their driver, with their repositories. What today's rules make
//! of them is not pinned here: it changes with the rules. What is pinned is that nothing is lost, that the whole journal
//! holds, and that the mission goes on.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::disallowed_types)]

#[path = "upgrade/core.rs"]
mod core;
#[path = "upgrade/host.rs"]
mod host;
#[path = "upgrade/old.rs"]
mod old;
