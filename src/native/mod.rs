//! The Rust host: it does what the engine orders, on a real machine, and survives its own death.
//!
//! The story, in the order it happens:
//!
//! 1. [`driver::Driver`] opens the state directory `.agent/endstate/` ([`store`]), after taking the
//!    [`lock`]: one mission, one writer.
//! 2. A fact arrives: from a worker thread, a timer, the [`inbox`], or the user. The [`redact`]or
//!    takes secrets out; the engine accepts or refuses it; an accepted one is appended to the
//!    journal and made durable ([`durable`]) before anything else happens.
//! 3. The effects it led to are performed in order, each after one more look at the outbox: roles
//!    and commands as processes ([`agent`], [`process`], [`runs`]) or roles by an agent that is there
//!    already ([`hosted`]), canonical files ([`files`]),
//!    observations and commits with real git ([`git`]), timers, host code, notices.
//! 4. Their answers are fed back one at a time.
//!
//! After a crash the newest snapshot is opened, the tail of the journal replayed, and every effect
//! that is still in the outbox looked at again. Files are repeated harmlessly, because the order
//! says what must be there before; a process is **never** started twice for one effect id, because
//! its record is durable before it is let go.
//!
//! **Invariant:** only [`driver`] interprets effects; only [`durable`] makes bytes durable.

// This side does the IO that clippy.toml keeps out of the core.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod adoption;
pub mod agent;
pub mod archive;
mod beside;
pub mod capture;
pub mod certificate;
mod changed_paths;
pub mod commit;
pub mod compare;
pub mod confine;
pub mod consult;
pub mod driver;
pub mod durable;
pub mod error;
pub mod facilitator;
pub mod files;
pub mod git;
mod git_hidden;
pub mod hook;
pub mod hosted;
pub mod hosting;
pub mod inbox;
pub mod inside;
pub mod kept;
pub mod lock;
pub mod mcp;
pub mod observer;
mod own_files;
pub mod plans;
pub mod post;
pub mod process;
pub mod processes;
mod program;
pub mod redact;
pub mod regular;
pub mod role_agent;
mod room;
pub mod runs;
pub mod script;
pub mod stale_locks;
pub mod store;
mod teller;
mod unheard;

pub use agent::Agent;
pub use driver::{Driver, Ended, Options, StopFlag};
pub use error::{HostError, HostResult};
pub use observer::{Observer, Quiet, Report};
